"""The contract of `solver.integration`: whatever moves in time is stepped there."""

from __future__ import annotations

import re
from pathlib import Path

import tokenfield

PACKAGE = Path(tokenfield.__file__).parent


def test_only_the_solver_steps():
    """Only the steppers know diffrax, and one file calls its loop."""
    texts = {path.relative_to(PACKAGE).as_posix(): path.read_text(encoding="utf-8") for path in PACKAGE.rglob("*.py")}
    knowing = {name for name, text in texts.items() if re.search(r"^\s*(import|from) diffrax", text, re.MULTILINE)}
    assert knowing == {"solver/integration.py", "solver/steppers.py"}
    assert [name for name, text in texts.items() if "diffeqsolve(" in text] == ["solver/integration.py"]
