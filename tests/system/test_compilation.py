"""What a command has compiled is kept: the next command starts without compiling the time loop again."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from jax._src.lru_cache import LRUCache

from tokenfield._runtime.compilation import keep_whole_programs
from tokenfield.errors import FileError


def test_a_program_is_kept_whole_or_not_at_all(tmp_path, monkeypatch):
    """Half a program that a killed process leaves would be complained about in every later run."""
    keep_whole_programs()
    cache, write = LRUCache(str(tmp_path / "programs"), max_size=-1), Path.write_bytes

    def tear(path: Path, data: bytes) -> None:
        write(path, data[:3])
        raise OSError("no space left")

    with monkeypatch.context() as patch:
        patch.setattr(Path, "write_bytes", tear)
        with pytest.raises(FileError, match="no space left"):
            cache.put("one", b"a program")
    assert cache.get("one") is None and not list((tmp_path / "programs").iterdir())
    cache.put("one", b"a program")
    cache.put("one", b"another")  # the first stays
    assert cache.get("one") == b"a program"


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
