"""What all tests of claims share."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from claim_checks import forget


@pytest.fixture(scope="module", autouse=True)
def _runs_of_one_file() -> Iterator[None]:
    yield
    forget()
