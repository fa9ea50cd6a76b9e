"""Studies: configurations (TOML <-> objects), run folders, and the one function that goes from one to the other.

`config` needs no JAX until it builds a model; `store` is the only disk I/O besides figures.
"""

from __future__ import annotations

from tokenfield.study.config import Config
from tokenfield.study.store import RunFolder

__all__ = ["Config", "RunFolder"]
