"""How programs are written, and that what a command has compiled is kept for the next."""

from __future__ import annotations

import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import jax.numpy as jnp
import pytest
from jax._src.interpreters import mlir
from jax._src.lib.mlir import ir
from jax._src.lru_cache import LRUCache

from tokenfield._runtime.compilation import PROGRAMS_PER_CONTEXT, keep_whole_programs, write_programs_together
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


def test_programs_of_a_thread_share_a_context_for_a_while(monkeypatch):
    monkeypatch.setattr(mlir, "make_ir_context", object)
    monkeypatch.setattr(mlir, "_thread_local_context", None, raising=False)
    write_programs_together()
    assert mlir.make_ir_context is object  # newer versions of JAX share contexts themselves
    monkeypatch.delattr(mlir, "_thread_local_context")
    write_programs_together()
    write_programs_together()  # the second changes nothing
    make = mlir.make_ir_context
    with ThreadPoolExecutor(1) as pool:  # a thread of its own: how far this one is nobody knows
        made = list(pool.map(lambda _: make(), range(2 * PROGRAMS_PER_CONTEXT + 1)))
    assert made[0] is not make()
    first, second, third = made[:PROGRAMS_PER_CONTEXT], made[PROGRAMS_PER_CONTEXT:-1], made[-1]
    assert {id(context) for context in first} == {id(first[0])} and {id(c) for c in second} == {id(second[0])}
    assert len({id(first[0]), id(second[0]), id(third)}) == 3


def test_a_program_in_the_middle_of_another_is_no_part_of_it():
    """As implicit methods ask for; in the versions that share contexts themselves, JAX has to see to it."""
    write_programs_together()
    context = mlir.make_ir_context()
    with context, ir.Location.unknown(context):
        outer = ir.Module.create()
        with ir.InsertionPoint(outer.body):
            before = str(outer)
            assert float(jnp.sum(jnp.arange(1003.0))) == 1003 * 1002 / 2  # a shape that nobody else uses
    assert str(outer) == before


def test_threads_compile_beside_each_other():
    with ThreadPoolExecutor(4) as pool:  # shapes that nobody else uses
        sums = list(pool.map(lambda n: float(jnp.sum(jnp.arange(n) ** 2)), range(1001, 1025)))
    assert sums == [(n - 1) * n * (2 * n - 1) / 6 for n in range(1001, 1025)]


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
