"""What all tests share."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import jax
import pytest

MOST_MAPS = 30_000  # Linux allows a process 65530 memory maps, of which each compiled program takes a few


@pytest.fixture(scope="module", autouse=True)
def _compiled_programs_are_dropped_in_time() -> Iterator[None]:
    """Forgets compiled programs between modules before there are so many that the next compilation crashes."""
    yield
    maps = Path("/proc/self/maps")
    if maps.exists() and len(maps.read_bytes().splitlines()) > MOST_MAPS:
        jax.clear_caches()
