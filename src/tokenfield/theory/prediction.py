"""`Prediction`: what a theorem or a computation of the field says, with what it assumes and where it stands."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np


@dataclass(frozen=True, eq=False)
class Prediction:
    """A predicted `value` (a number or an array) and the `statement` it comes from.

    `assumptions` say when it holds; `source` is a paper (arXiv id), or "derived" with the way to it. Predictions that
    the source states as a conjecture, or that are heuristic, say so in `status`.
    """

    value: Any
    statement: str
    assumptions: tuple[str, ...]
    source: str
    status: str = "theorem"

    def __float__(self) -> float:
        return float(self.value)

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray:
        return np.array(self.value, dtype=dtype)

    def to_dict(self) -> dict[str, Any]:
        """The prediction as plain data, for JSON."""
        value = np.asarray(self.value).tolist()
        return {
            "value": value,
            "statement": self.statement,
            "assumptions": list(self.assumptions),
            "source": self.source,
            "status": self.status,
        }

    def __str__(self) -> str:
        return f"{np.asarray(self.value).tolist()}  ({self.statement}; {self.source})"
