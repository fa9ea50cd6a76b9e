"""Real models for tests: fetched once into the cache of the user, or a skip that says why there is none."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import pytest

from tokenfield.errors import TokenfieldError
from tokenfield.pretrained import Pretrained, fetch, load


@cache
def _folder(name: str) -> Path | str:
    """The folder of a model, or why it cannot be had."""
    try:
        return fetch(name)
    except (TokenfieldError, OSError) as error:
        return str(error)


def real_folder(name: str) -> Path:
    """The folder of a real model; skips the test if it cannot be fetched."""
    folder = _folder(name)
    if isinstance(folder, str):
        pytest.skip(f"no model '{name}': {folder}")
    return folder


@cache
def _model(folder: Path, dtype: str) -> Pretrained:
    return load(folder, dtype=dtype)


def real_model(name: str, dtype: str = "float32") -> Pretrained:
    """A real model, the same object for all tests of a process; skips the test if it cannot be fetched."""
    return _model(real_folder(name), dtype)
