"""The mean cosine of n tokens against time, for all beta at once: by the theory, and simulated.

A `Curve` is a table that is made once and asked often. Time is measured in units of the time that equiangular tokens
need to reach the cosine 0.9: so tables cover the same part of the curve for each beta, although times grow like e^beta.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy.interpolate import CubicSpline, RectBivariateSpline

from tokenfield.ensemble import Ensemble, run
from tokenfield.theory.equiangular import equiangular_curve, equiangular_time

LEVEL = 0.9
LONGEST = 3.0  # of these units: the cosine is then above 0.999
BEYOND = 3.0  # beta goes up to log n + 3, where a token gives itself e^3 times the attention of all others
BETAS, TIMES = 13, 61
SYSTEMS = 96
STEP = 0.1  # of RK4: its errors are below 1e-5 at these beta


@dataclass(frozen=True, eq=False)
class Curve:
    """The mean cosine c(beta, t) of n tokens that start at random, as a table.

    Attributes:
        kind: "equiangular" or "simulated".
        n: the number of tokens.
        d: the dimension of their space; `None` for equiangular tokens, whose curve does not depend on it.
        betas: the values of beta, increasing from 0, shape (B,).
        units: the unit of time at each beta, shape (B,).
        cosines: at each beta and at equally spaced times from 0 to `LONGEST` units, shape (B, T).

    >>> round(float(equiangular(32).at(np.array([1.0]), np.array([2.0]))[0]), 3)      # theory.equiangular_curve: 0.59
    0.59
    """

    kind: str
    n: int
    d: int | None
    betas: np.ndarray
    units: np.ndarray
    cosines: np.ndarray

    @cached_property
    def _table(self) -> RectBivariateSpline:
        return RectBivariateSpline(self.betas, np.linspace(0.0, LONGEST, self.cosines.shape[1]), self.cosines)

    @cached_property
    def _log_unit(self) -> CubicSpline:
        return CubicSpline(self.betas, np.log(self.units))

    def unit(self, beta: np.ndarray) -> np.ndarray:
        """The unit of time at any beta of the table.

        Args:
            beta: inverse temperatures, of any shape.

        Returns:
            Times of the same shape.
        """
        return np.exp(self._log_unit(beta))

    def in_units(self, beta: np.ndarray, tau: np.ndarray) -> np.ndarray:
        """The cosine at times in units; before 0 along the tangent, and times beyond the table count as its end.

        A few random tokens may be less alike than random tokens are on average: they begin before 0.

        Args:
            beta: inverse temperatures, of any shape.
            tau: times in units, of the same shape.

        Returns:
            Cosines of the same shape.
        """
        inside = np.clip(tau, 0.0, LONGEST)
        found = self._table.ev(beta, inside)
        early = tau < 0
        if np.any(early):
            found[early] += tau[early] * self._table.ev(beta[early], 0.0, dy=1)
        return found

    def at(self, beta: np.ndarray, t: np.ndarray) -> np.ndarray:
        """The cosine at times t.

        Args:
            beta: inverse temperatures, of any shape.
            t: times, of the same shape.

        Returns:
            Cosines of the same shape.
        """
        return self.in_units(beta, t / self.unit(beta))

    def times(self, beta: float, cosines: np.ndarray) -> np.ndarray:
        """The times at which the curve of a beta has the given cosines.

        Args:
            beta: the inverse temperature.
            cosines: of any shape.

        Returns:
            Times of the same shape: 0 for cosines below the start, infinite for those above the end of the table.
        """
        tau = np.linspace(0.0, LONGEST, 40 * TIMES)
        curve = np.maximum.accumulate(self.in_units(np.full(len(tau), beta), tau))
        found = np.interp(cosines, curve, tau) * float(self.unit(np.asarray(beta)))
        return np.where(cosines > curve[-1], np.inf, found)


def equiangular(n: int) -> Curve:
    """The curve of n tokens that start orthogonal to each other: all cosines are equal (arXiv 2312.10794, section 6).

    Random tokens in a dimension much larger than n follow it.

    Args:
        n: the number of tokens, at least 2.

    Returns:
        The table.

    >>> equiangular(8).cosines.shape
    (13, 61)
    """
    betas, units = _grid(n)
    tau = np.linspace(0.0, LONGEST, TIMES)
    rows = [equiangular_curve(tau * unit, beta, n).value for beta, unit in zip(betas, units, strict=True)]
    return Curve("equiangular", n, None, betas, units, np.stack(rows))


def simulated(n: int, d: int, *, systems: int = SYSTEMS, seed: int = 0) -> Curve:
    """The curve of n tokens that start uniform on S^{d-1}, from simulations: the mean of the cosine over many of them.

    Args:
        n: the number of tokens, at least 2.
        d: the dimension of the space, at least 2.
        systems: how many simulations for each beta; by default 96.
        seed: a whole number; by default 0.

    Returns:
        The table. Its standard error is that of the mean over `systems`.
    """
    betas, units = _grid(n)
    # each beta for as long as it needs: times grow like e^beta. The systems start at the same points for all of them
    tau, rows = np.linspace(0.0, LONGEST, TIMES), []
    for beta, unit in zip(betas, units, strict=True):
        ensemble = Ensemble(
            n=n,
            d=d,
            betas=[beta],
            systems=systems,
            times=list(tau * unit),
            seed=seed,
            statistics={"order": None},
            method="rk4",
            step=STEP,
        )
        order = run(ensemble).values["order"][0]
        if np.any(np.isnan(order)):  # Ctrl-C ended this run early: without this the next one would begin
            raise KeyboardInterrupt
        # |mean|^2 is the mean over all pairs, those of a token with itself included
        rows.append(np.mean((n * order**2 - 1) / (n - 1), axis=0))
    return Curve("simulated", n, d, betas, units, np.stack(rows))


def _grid(n: int) -> tuple[np.ndarray, np.ndarray]:
    betas = np.linspace(0.0, np.log(n) + BEYOND, BETAS)
    return betas, np.array([float(equiangular_time(beta, n, level=LEVEL)) for beta in betas])
