"""What all tests share: how they are compiled, and when compiled programs are forgotten."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import jax
import pytest

from tokenfield._runtime.compilation import compile_fast

MOST_MAPS = 30_000  # Linux allows a process 65530 memory maps, of which each compiled program takes a few
compile_fast()  # for this process and those that tests start
LONG_RUNS = ("theory", "convergence")  # where compiled code runs longer than its compilation takes


@pytest.fixture(scope="module", autouse=True)
def _compilation(request: pytest.FixtureRequest) -> Iterator[None]:
    """Compiles fast instead of well where runs are short, and drops programs before the next compilation crashes."""
    is_long = any(folder in request.path.parts for folder in LONG_RUNS)
    jax.config.update("jax_disable_most_optimizations", not is_long)
    yield
    maps = Path("/proc/self/maps")
    if maps.exists() and len(maps.read_bytes().splitlines()) > MOST_MAPS:
        jax.clear_caches()
