"""What system tests share: how the processes that they start are compiled."""

from __future__ import annotations

from collections.abc import Iterator

import pytest


@pytest.fixture(scope="module", autouse=True)
def _compilation_elsewhere() -> Iterator[None]:
    """Lets processes that tests start compile as this one does: in half the time, and what one has compiled all read.

    For modules, because their servers and browsers start before the first test.
    """
    with pytest.MonkeyPatch.context() as environment:
        environment.setenv("JAX_DISABLE_MOST_OPTIMIZATIONS", "1")
        yield
