"""`Prediction`: what a theorem or a computation of the field says, with what it assumes and where it stands."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np


@dataclass(frozen=True, eq=False)
class Prediction:
    """A predicted `value` (a number or an array) and the `statement` it comes from.

    `assumptions` say when it holds; `source` is a paper (arXiv id), or "derived" with the way to it. `status` is
    "theorem", "asymptotic", "bound", "numerical" (a computation without a closed form), "heuristic" or "conjecture".
    `log10` is there for values that may be too large or too small for a double.
    """

    value: Any
    statement: str
    assumptions: tuple[str, ...]
    source: str
    status: str = "theorem"
    log10: Any = None

    def __float__(self) -> float:
        return float(self.value)

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray:
        return np.array(self.value, dtype=dtype)

    def to_dict(self) -> dict[str, Any]:
        """The prediction as plain data, for JSON."""
        plain = {
            "value": _plain(self.value),
            "statement": self.statement,
            "assumptions": list(self.assumptions),
            "source": self.source,
            "status": self.status,
        }
        return plain if self.log10 is None else plain | {"log10": _plain(self.log10)}

    def __str__(self) -> str:
        return f"{_plain(self.value)}  ({self.statement}; {self.source})"


def _plain(value: Any) -> Any:
    return value.to_dict() if hasattr(value, "to_dict") else np.asarray(value).tolist()
