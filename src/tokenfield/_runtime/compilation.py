"""How code is compiled, and where compiled code is kept between runs."""

from __future__ import annotations

import os
import threading
from pathlib import Path
from typing import Any

from tokenfield._runtime.files import make_folder, write_bytes
from tokenfield._runtime.interrupt import deferred

PROGRAMS_PER_CONTEXT = 256


def keep_compiled_code() -> None:
    """Lets JAX keep compiled code between runs, in the user's cache folder if there is one.

    To be called before equinox is imported.
    """
    # JAX keeps no program that may call back into Python, as diffrax's checks of times do: without this the time loop
    # would be compiled in every run. What they check, `solve` has checked before.
    os.environ.setdefault("EQX_ON_ERROR", "off")
    # no line numbers in programs: nobody reads them, and to look for them is a third of writing a program
    os.environ.setdefault("JAX_TRACEBACK_IN_LOCATIONS_LIMIT", "0")
    is_given = "JAX_COMPILATION_CACHE_DIR" in os.environ
    folder = None if is_given else _cache_folder()
    if folder is None and not is_given:
        return
    with deferred():  # an exception in the middle of it would abort the process
        import jax

        write_programs_together()
    if folder is not None:
        jax.config.update("jax_compilation_cache_dir", str(folder))
        jax.config.update("jax_persistent_cache_min_compile_time_secs", 0.0)
    keep_whole_programs()


def _cache_folder() -> Path | None:
    """The folder of programs in the user's cache; `None` if nothing can be written there."""
    try:
        folder = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "tokenfield" / "jax"
        make_folder(folder)
    except (OSError, RuntimeError):  # no such folder can be made, or the user has no home
        return None
    return folder if os.access(folder, os.W_OK) else None


def keep_whole_programs() -> None:
    """Lets JAX put a program into its cache at once.

    JAX writes it in place: who is killed meanwhile leaves half a program, at which every later run complains, and who
    reads at that moment meets one too.
    """
    from jax._src import lru_cache

    suffix: str | None = getattr(lru_cache, "_CACHE_SUFFIX", None)
    cache: Any = getattr(lru_cache, "LRUCache", None)
    if suffix is None or not hasattr(cache, "put") or hasattr(cache.put, "whole"):  # not in the versions that we know
        return
    put = cache.put

    def put_whole(self, key: str, value: bytes) -> None:
        path = Path(self.path) / f"{key}{suffix}"
        if self.eviction_enabled or "://" in str(self.path):  # under a lock, or not on a disk
            put(self, key, value)
        elif not path.exists():
            write_bytes(path, value)

    put_whole.whole = True  # type: ignore[attr-defined]
    cache.put = put_whole


def write_programs_together() -> None:
    """Lets JAX write many programs in one context of MLIR.

    JAX 0.10 makes a context for each program, which takes 3 to 6 ms: more than a small program takes to be written, or
    to be read from the cache. Each thread has its own, so that none waits; what programs leave there, such as their
    constants, goes with it after `PROGRAMS_PER_CONTEXT`. A program that is written in the middle of another one, as
    implicit methods ask for, has a context to itself: in the same one it would become a part of the other.
    """
    try:
        from jax._src.interpreters import mlir
        from jax._src.lib.mlir import ir
    except ImportError:  # not in the versions that we know
        return
    make: Any = getattr(mlir, "make_ir_context", None)
    if make is None or hasattr(make, "shared") or hasattr(mlir, "_thread_local_context"):  # newer JAX does it itself
        return
    mine = threading.local()

    def shared() -> Any:
        if ir.Context.current is not None:
            return make()
        mine.left = getattr(mine, "left", 0) - 1
        if mine.left < 0:
            mine.context, mine.left = make(), PROGRAMS_PER_CONTEXT - 1
        return mine.context

    shared.shared = True  # type: ignore[attr-defined]
    mlir.make_ir_context = shared


def compile_fast() -> None:
    """Halves the time in which XLA compiles for a CPU; programs then run up to 1.5 times longer.

    For many programs that run shorter than they compile. To be called before JAX is used. Only with jaxlib 0.10: XLA
    ends the process at a flag that it does not know, and later versions do not know this one.
    """
    import jaxlib

    # no code by MLIR, and one module of machine code for each program: the others would be for other threads
    flags = ("xla_cpu_use_fusion_emitters=false", "xla_cpu_parallel_codegen_split_count=1")
    given = os.environ.get("XLA_FLAGS", "")
    if jaxlib.__version__.startswith("0.10."):
        new = [f"--{flag}" for flag in flags if flag.partition("=")[0] not in given]
        os.environ["XLA_FLAGS"] = " ".join([*given.split(), *new])
