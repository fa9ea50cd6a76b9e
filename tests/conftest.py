"""What all tests share: how they are compiled, where programs are kept, and when they are forgotten."""

from __future__ import annotations

import atexit
import ctypes
import gc
import os
import shutil
import signal
import sys
from collections.abc import Iterator
from pathlib import Path

# before NumPy is imported, for this process and those it starts: workers whose libraries take all cores each wait for
# one another, which made some claims take four times as long
os.environ.update(dict.fromkeys(("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "NPROC"), "1") | dict(os.environ))

import jax
import pytest

from tokenfield._runtime.compilation import compile_fast, keep_whole_programs, write_programs_together

# Programs are kept between runs, and workers and the processes that tests start share them: to read one takes a sixth
# of its compilation. JAX keeps no program that may call back into Python, as diffrax's checks of times do, so these are
# off, as in all commands. Line numbers in programs are a third of writing them. For this process and those it starts
PROGRAMS = Path(__file__).parents[1] / ".pytest_cache" / "programs"
MOST_KEPT = 2 * 2**30  # bytes
os.environ.setdefault("EQX_ON_ERROR", "off")  # equinox is not imported yet
for name, value in {
    "JAX_COMPILATION_CACHE_DIR": str(PROGRAMS),
    "JAX_PERSISTENT_CACHE_MIN_COMPILE_TIME_SECS": 0.0,
    "JAX_TRACEBACK_IN_LOCATIONS_LIMIT": 0,
}.items():
    jax.config.update(name.lower(), type(value)(os.environ.setdefault(name, str(value))))

# Linux allows a process 65530 memory maps; who asks for more memory then is aborted. A compiled program takes three,
# with loops ten, and a few hundred for derivatives of sums: test_prefix_derivatives.py alone takes 10,300, more while
# it compiles. To forget them takes 5 seconds, and then everything is compiled anew
MOST_MAPS = 40_000
# nor may three workers fill the memory of a small machine: thousands of programs and their traces are ten gigabytes
MOST_BYTES = min(6 * 2**30, os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") // 4)
# a shell lets what it runs in the background ignore Ctrl-C and its hang-up, and processes that tests start inherit that
for number, handler in ((signal.SIGINT, signal.default_int_handler), (signal.SIGHUP, signal.SIG_DFL)):
    if signal.getsignal(number) is signal.SIG_IGN:
        signal.signal(number, handler)
gc.set_threshold(200_000, 20, 100)  # tracing makes many small objects that live: looking for garbage takes a tenth
compile_fast()  # for this process and those that tests start
keep_whole_programs()
write_programs_together()
jax.config.update("jax_disable_most_optimizations", True)  # also for what is compiled while tests are collected
# where compiled code runs longer than its compilation takes
LONG_RUNS = (
    "claims/test_head_fits.py",
    "claims/test_noise.py",
    "convergence/test_strong_order.py",
    "theory/test_gaussian_flows.py",
    "theory/test_growth_particles.py",
    "theory/test_long_times.py",
    "theory/test_noise.py",
    "theory/test_random_weights.py",
)


def pytest_configure(config: pytest.Config) -> None:
    """Throws programs away when they have become too many, before workers start."""
    if hasattr(config, "workerinput") or not PROGRAMS.is_dir():
        return
    if sum(entry.stat().st_size for entry in os.scandir(PROGRAMS)) > MOST_KEPT:
        shutil.rmtree(PROGRAMS, ignore_errors=True)


@pytest.hookimpl(tryfirst=True)  # before slow tests are left out
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Counts the examples of docstrings as slow: they compile as long as a minute of other tests."""
    for item in items:
        if isinstance(item, pytest.DoctestItem):
            item.add_marker(pytest.mark.slow)


@pytest.hookimpl(trylast=True)
def pytest_unconfigure(config: pytest.Config) -> None:
    """Lets a process end at once when all is reported: to take apart thousands of programs takes seconds."""
    gc.freeze()  # pytest looks for garbage five times now
    if hasattr(config, "workerinput"):
        atexit.register(os._exit, 0)


@pytest.fixture(scope="module", autouse=True)
def _compilation(request: pytest.FixtureRequest) -> Iterator[None]:
    """Compiles fast instead of well where runs are short, and drops programs before the next compilation crashes."""
    is_long = request.path.as_posix().endswith(LONG_RUNS)
    jax.config.update("jax_disable_most_optimizations", not is_long)
    yield
    maps = Path("/proc/self/maps")
    if maps.exists() and (len(maps.read_bytes().splitlines()) > MOST_MAPS or _resident() > _allowed[0]):
        jax.clear_caches()
        gc.unfreeze()
        gc.collect()
        ctypes.CDLL(None).malloc_trim(0)  # else freed memory stays with the process
        _allowed[0] = max(MOST_BYTES, _resident() + MOST_BYTES // 2)  # what others hold is not looked at again soon
    gc.freeze()  # programs and traces stay: to look through all of them for garbage takes seconds, again and again


_allowed = [MOST_BYTES]


def _resident() -> int:
    """How much memory this process has, in bytes."""
    return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")


@pytest.fixture
def few_are_many(monkeypatch: pytest.MonkeyPatch) -> None:
    """Lets fast sums be chosen for few tokens too, where they do not pay."""
    import tokenfield.sums  # noqa: F401

    # the module, by its full name: the package has a function of that name
    choose = sys.modules["tokenfield.sums.choose"]
    monkeypatch.setattr(choose, "_pays", lambda fast, plain: True)
    monkeypatch.setattr(choose, "LEAST_SAVED", 0.0)
