"""The optional packages that files of weights and tokenizers are read with."""

from __future__ import annotations

import importlib
from typing import Any

from tokenfield.errors import MissingPackage


def needed(package: str, what: str) -> Any:
    """The module of an optional package; raises `MissingPackage` if it is not installed, saying what needed it."""
    try:
        return importlib.import_module(package)
    except ImportError as error:
        name = package.partition(".")[0]
        raise MissingPackage(
            f"{what} needs the package {name}, which is not installed: pip install 'tokenfield[pretrained]'"
        ) from error
