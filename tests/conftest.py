"""What all tests share: how they are compiled, and when compiled programs are forgotten."""

from __future__ import annotations

import atexit
import gc
import os
import sys
from collections.abc import Iterator
from pathlib import Path

import jax
import pytest

from tokenfield._runtime.compilation import compile_fast

# Linux allows a process 65530 memory maps, of which each compiled program takes three; no file compiles 5000. To
# forget them takes 5 seconds, and then everything is compiled anew
MOST_MAPS = 50_000
gc.set_threshold(200_000, 20, 100)  # tracing makes many small objects that live: looking for garbage takes a tenth
compile_fast()  # for this process and those that tests start
jax.config.update("jax_disable_most_optimizations", True)  # also for what is compiled while tests are collected
# where compiled code runs longer than its compilation takes
LONG_RUNS = (
    "claims/test_noise.py",
    "convergence/test_strong_order.py",
    "theory/test_gaussian_flows.py",
    "theory/test_growth_particles.py",
    "theory/test_long_times.py",
    "theory/test_noise.py",
    "theory/test_random_weights.py",
)


@pytest.hookimpl(tryfirst=True)  # before slow tests are left out
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Counts the examples of docstrings as slow: they compile as long as a minute of other tests."""
    for item in items:
        if isinstance(item, pytest.DoctestItem):
            item.add_marker(pytest.mark.slow)


@pytest.hookimpl(trylast=True)
def pytest_unconfigure(config: pytest.Config) -> None:
    """Lets a worker end at once when all is reported: to take apart thousands of programs takes seconds."""
    if hasattr(config, "workerinput"):
        atexit.register(os._exit, 0)


@pytest.fixture(scope="module", autouse=True)
def _compilation(request: pytest.FixtureRequest) -> Iterator[None]:
    """Compiles fast instead of well where runs are short, and drops programs before the next compilation crashes."""
    is_long = request.path.as_posix().endswith(LONG_RUNS)
    jax.config.update("jax_disable_most_optimizations", not is_long)
    yield
    maps = Path("/proc/self/maps")
    if maps.exists() and len(maps.read_bytes().splitlines()) > MOST_MAPS:
        jax.clear_caches()


@pytest.fixture
def few_are_many(monkeypatch: pytest.MonkeyPatch) -> None:
    """Lets fast sums be chosen for few tokens too, where they do not pay."""
    import tokenfield.sums  # noqa: F401

    # the module, by its full name: the package has a function of that name
    choose = sys.modules["tokenfield.sums.choose"]
    monkeypatch.setattr(choose, "_pays", lambda fast, plain: True)
    monkeypatch.setattr(choose, "LEAST_SAVED", 0.0)
