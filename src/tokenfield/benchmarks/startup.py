"""Small runs at once: seconds of a command the first and the second time, and of importing, beside goals.

Every line is a process of its own, as a user starts it. The first time nothing is cached: no compiled programs, no list
of fonts. The second time is the best of several, and so is the import. CPU seconds are of all cores: where they exceed
what a quiet machine gives, others were busy on it, and the seconds mean little.
"""

from __future__ import annotations

import os
import resource
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

from tokenfield._runtime.files import temporary_folder
from tokenfield.benchmarks.report import Row, Table

GOALS_S = {"first": 6.0, "second": 4.0, "import": 1.5}  # on two cores with nothing beside
COMMANDS = (
    "simulate --dim 3 --n 200 --beta 4 --t1 10",  # the one that the goals are for
    "simulate --dim 2 --n 1000 --beta 9 --t1 5",
)


def run(*, repeats: int = 3) -> Iterator[Table]:
    """A table of commands and one of the import; what is repeated is repeated so often."""
    with temporary_folder() as folder:
        yield Table("tokenfield, with figures", [row for text in COMMANDS for row in _command(text, repeats, folder)])
        code = "import tokenfield; tokenfield.solve"
        best = min(_timed([sys.executable, "-c", code], folder) for _ in range(repeats))
        yield Table("Importing", [{"code": code, **_row("import", best)}])


def _command(text: str, repeats: int, folder: Path) -> Iterator[Row]:
    """The rows of a command with an empty cache, and with the one that this has filled."""
    with temporary_folder() as cache:
        taken = []
        for k in range(1 + repeats):
            out = folder / f"{len(list(folder.iterdir()))}"
            taken.append(_timed([sys.executable, "-m", "tokenfield", *text.split(), "--out", str(out)], cache))
            if k == 0:
                yield {"command": text, **_row("first", taken[0])}
        yield {"command": text, **_row("second", min(taken[1:]))}


def _row(what: str, taken: tuple[float, float]) -> Row:
    seconds, cpu_s = taken
    return {"time": what, "seconds": seconds, "goal s": GOALS_S[what], "CPU s": cpu_s}


def _timed(command: Sequence[str], cache: Path) -> tuple[float, float]:
    """Seconds and CPU seconds of a process that caches in the folder `cache`."""
    # Python keeps what it compiles, whatever those say who run this: they do so for tests
    unwanted = ("JAX_COMPILATION_CACHE_DIR", "PYTHONDONTWRITEBYTECODE")
    environment = {name: value for name, value in os.environ.items() if name not in unwanted}
    before, began = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    subprocess.run(command, env={**environment, "XDG_CACHE_HOME": str(cache)}, check=True, capture_output=True)
    seconds, after = time.perf_counter() - began, resource.getrusage(resource.RUSAGE_CHILDREN)
    return seconds, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
