"""`Table`: what was measured of an ensemble, with means, errors and medians over its systems."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from tokenfield.ensemble.ensemble import Ensemble


@dataclass(frozen=True)
class Table:
    """What was measured of an ensemble, with means, errors and medians over its systems.

    Attributes:
        ensemble: What was computed.
        values: The values of each statistic by name, shape (columns, systems, times), NaN where nothing was computed.

    >>> ensemble = Ensemble(n=4, d=3, betas=[1.0], systems=2, times=[1.0], seed=0)
    >>> Table(ensemble, {"pairs": np.array([[[0.25], [0.75]]])}).mean["pairs"].tolist()
    [[0.5]]
    """

    ensemble: Ensemble
    values: dict[str, np.ndarray]

    @property
    def mean(self) -> dict[str, np.ndarray]:
        """The means over systems, (columns, times)."""
        return {name: _over_systems(np.nanmean, values) for name, values in self.values.items()}

    @property
    def error(self) -> dict[str, np.ndarray]:
        """The standard errors of the means; NaN for a single system."""
        counts = {name: np.isfinite(v).sum(axis=1) for name, v in self.values.items()}
        return {
            name: _over_systems(partial(np.nanstd, ddof=1), v) / np.sqrt(np.maximum(counts[name], 1))
            for name, v in self.values.items()
        }

    @property
    def median(self) -> dict[str, np.ndarray]:
        """The medians over systems, (columns, times)."""
        return {name: _over_systems(np.nanmedian, values) for name, values in self.values.items()}

    @property
    def is_complete(self) -> bool:
        """Whether everything was computed."""
        return all(bool(np.isfinite(values).all()) for values in self.values.values())


def _over_systems(reduce: Callable[..., Any], values: np.ndarray) -> np.ndarray:
    with warnings.catch_warnings():  # columns of which nothing is computed yet give NaN, which is meant
        warnings.simplefilter("ignore", RuntimeWarning)
        return reduce(values, axis=1)
