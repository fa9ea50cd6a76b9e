"""`Prediction`: what a theorem or a computation of the field says, with what it assumes and where it is from."""

from __future__ import annotations

import html
import math
from dataclasses import dataclass
from typing import Any

import numpy as np

SHOWN = 6  # entries of a list that are written out where space is short
SHOWN_MATRIX = 9


@dataclass(frozen=True, eq=False)
class Prediction:
    """A predicted `value` (a number or an array) together with the `statement` that it makes precise.

    `float(prediction)` and `np.asarray(prediction)` give the bare value.

    Args:
        value: The number or the array; a `Branch` or a `FirstClusters` where it is about these.
        statement: What the value says, in one sentence.
        assumptions: When it holds, one phrase each.
        source: A paper (arXiv id), or "derived" with the way to it.
        status: "theorem", "asymptotic" (exact in a limit), "bound", "numerical" (a computation without a closed form),
            "heuristic" or "conjecture".
        log10: The decimal logarithm of the value, where that may be too large or too small for a double.

    >>> Prediction(0.5, "half of them agree", ("they are independent",), "derived")
    0.5: half of them agree
      assuming they are independent
      theorem (derived)
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

    @property
    def shown(self) -> str:
        """The value as a short text: six digits, powers of ten where a double ends, the first entries of lists."""
        if not isinstance(self.value, (int, float, np.number, np.ndarray)):
            return str(self.value)
        value = np.asarray(self.value)
        if value.ndim == 0:
            return number(value.item(), self.log10)
        if value.ndim > 1:
            is_small = value.size <= SHOWN_MATRIX
            return f"{np.round(value, 6).tolist()}" if is_small else f"array of shape {value.shape}"
        entries = numbers(self)
        return "  ".join(entries[:SHOWN]) + (f"  … ({len(entries)} in all)" if len(entries) > SHOWN else "")

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
        return f"{self.shown} ({self.statement}; {self.source})"

    def __repr__(self) -> str:
        assumed = [f"  assuming {'; '.join(self.assumptions)}"] if self.assumptions else []
        return "\n".join([f"{self.shown}: {self.statement}", *assumed, f"  {self.status} ({self.source})"])

    def _repr_html_(self) -> str:
        small = f"{self.status} ({self.source})"
        if self.assumptions:
            small = f"assuming {'; '.join(self.assumptions)}. {small}"
        return (
            f"<div><b>{html.escape(self.shown)}</b><br>{html.escape(self.statement)}"
            f"<br><small>{html.escape(small)}</small></div>"
        )


def number(value: float, log10: float | None = None) -> str:
    """Six digits of `value`, or a power of ten where a double overflows or underflows.

    >>> number(2 / 3), number(float("inf"), log10=4338.6)
    ('0.666667', '10^4338.6')
    """
    if isinstance(value, (int, np.integer)):
        return str(value)
    if log10 is not None and np.isfinite(log10) and (not math.isfinite(value) or value == 0):
        return f"10^{float(log10):.6g}"
    if not math.isfinite(value):
        return "∞" if value > 0 else "-∞" if value < 0 else "nan"
    return f"{value:.6g}"


def numbers(prediction: Prediction) -> list[str]:
    """The entries of a prediction whose value is a list, each as `number` writes it."""
    value = np.asarray(prediction.value)
    logs = [None] * len(value) if prediction.log10 is None else prediction.log10
    return [number(entry, log10) for entry, log10 in zip(value.tolist(), logs, strict=True)]


def _plain(value: Any) -> Any:
    return value.to_dict() if hasattr(value, "to_dict") else np.asarray(value).tolist()
