"""The lengths of the residual stream over time, where the normalization lets them change (arXiv 2510.22026)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from tokenfield.errors import InvalidInput

if TYPE_CHECKING:
    from tokenfield.solver.trajectory import Trajectory


@dataclass(frozen=True, eq=False)
class RadiusStatistics:
    """The lengths r of the residual stream at each of T saved times; made by `radius_statistics`.

    Attributes:
        mean: their mean with the weights of the tokens, shape (T,).
        deviation: their standard deviation with the same weights, shape (T,).
        smallest: the smallest length, shape (T,).
        largest: the largest length, shape (T,).

    >>> import numpy as np
    >>> one = np.ones(1)
    >>> found = RadiusStatistics(mean=2 * one, deviation=one, smallest=one, largest=3 * one)
    >>> found.mean.tolist()
    [2.0]
    """

    mean: np.ndarray
    deviation: np.ndarray
    smallest: np.ndarray
    largest: np.ndarray


def radius_statistics(run: Trajectory) -> RadiusStatistics:
    """Mean, standard deviation and range of the lengths of the residual stream at each saved time of a run.

    Args:
        run: a run with Pre-LN, Mix-LN or Peri-LN that saved its tokens.

    Returns:
        Four curves over the saved times.

    Raises:
        InvalidInput: the normalization of the model does not let lengths change, or the run kept no tokens.

    >>> from tokenfield import Measure, PreLN, Softmax, Sphere, Transformer, solve
    >>> model = Transformer(Sphere(2), Softmax(1.0), normalization=PreLN())
    >>> run = solve(model, Measure.polar([[1.0, 0.0], [0.0, 3.0]]), t1=1.0, save=3)
    >>> float(radius_statistics(run).mean[0]), float(radius_statistics(run).deviation[0])
    (2.0, 1.0)
    """
    if not run.model.has_radius:
        raise InvalidInput("radii only change with the normalizations Pre-LN, Mix-LN and Peri-LN: this run has none")
    if run.radii is None:
        raise InvalidInput("this run kept no tokens and radii along the way: solve with save=Save(..., tokens=True)")
    r, w = np.asarray(run.radii, np.float64), np.asarray(run.weights, np.float64)
    mean = r @ w
    deviation = np.sqrt(np.maximum((r - mean[:, None]) ** 2 @ w, 0))
    return RadiusStatistics(mean, deviation, r.min(axis=1), r.max(axis=1))
