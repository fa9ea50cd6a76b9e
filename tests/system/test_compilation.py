"""What a command has compiled is kept: the next command starts without compiling the time loop again."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest


@pytest.mark.slow
def test_the_time_loop_is_kept(tmp_path):
    """In a process of its own, as a user types it: JAX writes no program that may call back into Python."""
    changed = {"XDG_CACHE_HOME": str(tmp_path / "cache")}
    hidden = ("EQX_ON_ERROR", "JAX_COMPILATION_CACHE_DIR")
    environment = {name: value for name, value in os.environ.items() if name not in hidden} | changed
    options = ["--n", "6", "--t1", "0.5", "--beta", "2", "--save", "3", "--no-figures", "--out", str(tmp_path / "run")]
    command = [sys.executable, "-m", "tokenfield", "simulate", *options]
    ran = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=120)
    assert ran.returncode == 0, ran.stderr
    kept = [path.name for path in (tmp_path / "cache" / "tokenfield" / "jax").iterdir()]
    assert any(name.startswith("jit_advance-") for name in kept), kept
