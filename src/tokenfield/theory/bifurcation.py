"""Branches of stationary states of the noisy flow, by pseudo-arclength continuation through folds, with stability.

Branches leave the uniform law at kappa_k (`noise_thresholds`). Up to beta_* (`critical_beta`) the first one goes to
larger kappa and the transition is continuous; beyond it the branch turns back, folds, and there is hysteresis.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

import numpy as np
from scipy import optimize

from tokenfield.errors import InvalidInput
from tokenfield.theory.growth import IDENTITY, check
from tokenfield.theory.harmonics import log_couplings
from tokenfield.theory.prediction import Prediction
from tokenfield.theory.stationary import NOISY, ZonalClass
from tokenfield.theory.transitions import critical_beta

SOURCE = "continuation; transitions: arXiv 2604.16288 (d = 2), arXiv 2606.05140"
MAX_BETA = 500.0  # beyond it a branch takes minutes
MAX_POINTS = 2000
FIRST_STEP = 0.02
LONGEST_STEP = 0.15  # relative to 1 + |y|: |y| grows to hundreds for large d


@dataclass(frozen=True, eq=False)
class Branch:
    """A branch of stationary zonal states, one entry per point, from the uniform law onwards.

    `order_parameter` is int C_k dmu with C_k the zonal harmonic of the branch's degree, C_k(1) = 1 (|int x dmu| for
    degree 1, cos k theta on the circle). `free_energy` is F[mu] - F[uniform] with
    F = (1/kappa) int mu log mu - (1/2) iint G dmu dmu, `energy` the last term alone without its constant.
    `unstable_in_class` and `unstable` count unstable directions among perturbations of the branch's own symmetry and
    among all; rotations are neutral. `folds` are the turning points in kappa.
    """

    beta: float
    d: int
    degree: int
    kappa: np.ndarray
    order_parameter: np.ndarray
    energy: np.ndarray
    free_energy: np.ndarray
    unstable_in_class: np.ndarray
    unstable: np.ndarray
    folds: tuple[float, ...]
    zonal: ZonalClass = field(repr=False)
    coordinates: np.ndarray = field(repr=False)

    def __len__(self) -> int:
        return len(self.kappa)

    def density(self, index: int) -> tuple[np.ndarray, np.ndarray]:
        """The angles from the axis, and the density there with respect to the uniform law."""
        theta, log_weights = self.zonal.grid
        masses, _ = self.zonal.masses(self.coordinates[index], self._lam(index))
        return theta, masses / np.exp(log_weights)

    def growth_rates(self, index: int, *, order: int = 0, count: int = 64) -> np.ndarray:
        """Growth rates, largest first, of perturbations of one azimuthal order (0: zonal; circle: 0 even, 1 odd).

        The eigenvalues of the Fokker-Planck operator linearized at the point, in `count` harmonics, which must
        resolve the state.
        """
        if order < 0 or (self.d == 2 and order > 1) or count < 2:
            raise InvalidInput(f"order >= 0 (0 or 1 on the circle) and count >= 2 are needed, got {order}, {count}")
        rates = self.zonal.rates(self.coordinates[index], self._lam(index), order=order, count=count)
        return rates / self.kappa[index]

    def _lam(self, index: int) -> float:
        return float(self.kappa[index] * np.exp(self.zonal.log_scale))

    def to_dict(self) -> dict[str, Any]:
        """The branch as plain data, for JSON."""
        names = ("kappa", "order_parameter", "energy", "free_energy", "unstable_in_class", "unstable")
        plain = {name: getattr(self, name).tolist() for name in names}
        return {"beta": self.beta, "dim": self.d, "degree": self.degree, **plain, "folds": list(self.folds)}


@dataclass(frozen=True)
class _Point:
    """A solution z = (y, log lam) and the unit tangent of the branch there."""

    z: np.ndarray
    tangent: np.ndarray

    @property
    def lam(self) -> float:
        return float(np.exp(self.z[-1]))


def _system(zonal: ZonalClass, z: np.ndarray, row: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The residual y - Y(y, lam), and its derivative bordered by `row`."""
    lam = float(np.exp(z[-1]))
    mean, covariance = zonal.image(z[:-1], lam)
    size = len(z)
    matrix = np.empty((size, size))
    matrix[:-1, :-1] = np.eye(size - 1) - lam * covariance
    matrix[:-1, -1] = -lam * (covariance @ z[:-1])
    matrix[-1] = row
    return z[:-1] - mean, matrix


def _correct(zonal: ZonalClass, guess: np.ndarray, normal: np.ndarray) -> tuple[_Point, int] | None:
    """The point of the branch on the hyperplane through `guess` with this normal, and Newton's steps; None if lost."""
    z = guess.copy()
    for step in range(1, 9):
        residual, matrix = _system(zonal, z, normal)
        change = np.linalg.solve(matrix, np.append(-residual, normal @ (guess - z)))
        z = z + change
        if not np.all(np.isfinite(z)) or abs(z[-1] - guess[-1]) > 1:
            return None
        if np.linalg.norm(change) < 1e-11 * (1 + np.linalg.norm(z)):
            _, matrix = _system(zonal, z, normal)
            tangent = np.linalg.solve(matrix, np.append(np.zeros(len(z) - 1), 1.0))
            return _Point(z, tangent / np.linalg.norm(tangent)), step
    return None


def _leave_uniform(zonal: ZonalClass, sign: int) -> _Point:
    """The first point beside the bifurcation, at a small amplitude of the branch's harmonic.

    Where the branch turns back just after it started the amplitude must be smaller than that turn.
    """
    amplitude = FIRST_STEP
    logs = log_couplings(zonal.beta, zonal.d, 2 * zonal.degree)
    is_pitchfork = zonal.d == 2 or zonal.degree == 1
    is_backward = is_pitchfork and logs[-1] - logs[zonal.degree - 1] > -np.log(zonal.d)  # see `initial_curvature`
    normal = np.zeros(len(zonal.degrees) + 1)
    normal[zonal.start] = sign
    while True:
        found = _correct(zonal, amplitude * normal, normal)
        if found is not None and (not is_backward or found[0].z[-1] < 0 or amplitude < 1e-3):
            return found[0]
        if amplitude < 1e-6:
            raise InvalidInput(f"no branch leaves the uniform law at degree {zonal.degree}, beta = {zonal.beta}")
        amplitude /= 2


def _walk(zonal: ZonalClass, sign: int) -> Iterator[_Point]:
    """Point after point of the branch."""
    point, step = _leave_uniform(zonal, sign), FIRST_STEP
    while True:
        yield point
        while True:
            found = _correct(zonal, point.z + step * point.tangent, point.tangent)
            # a sharp turn of the tangent may be a jump to another branch
            if found is not None and found[0].tangent @ point.tangent > 0.95:
                break
            step /= 2
            if step < 1e-7:
                return
        point = found[0]
        if found[1] <= 4:
            step = min(1.5 * step, LONGEST_STEP * (1 + float(np.linalg.norm(point.z[:-1]))))


def _crossing(zonal: ZonalClass, point: _Point, following: _Point, value: Callable[[_Point], float]) -> _Point:
    """The point between two neighbors at which `value` changes sign."""
    length = float(point.tangent @ (following.z - point.z))

    def at(distance: float) -> _Point:
        found = _correct(zonal, point.z + distance * point.tangent, point.tangent)
        return point if found is None else found[0]

    root = optimize.brentq(lambda distance: value(at(distance)), 0.0, length, xtol=1e-12)
    return at(root)


def _zonal_class(beta: float, d: int, degree: int, log_lam: float) -> ZonalClass:
    """The class, resolving what clusters have as their width at lam = e^log_lam."""
    check(beta, d)
    if beta > MAX_BETA:
        raise InvalidInput(f"branches are followed for beta up to {MAX_BETA:g}, got {beta:g}")
    if isinstance(degree, bool) or int(degree) != degree or degree < 1:
        raise InvalidInput(f"the degree of a branch must be a whole number >= 1, got {degree!r}")
    if beta == 0 and degree > 1:
        raise InvalidInput("at beta = 0 only degree 1 has a branch")
    log_stiffness = log_lam - log_couplings(beta, d, degree)[-1] + beta  # log(kappa e^beta)
    return ZonalClass(float(beta), int(d), int(degree), finest=min(0.1, float(np.exp(-log_stiffness / 2))))


def stationary_branch(
    beta: float, d: int = 2, *, degree: int = 1, sign: int = 1, kappa_max: float | None = None
) -> Prediction:
    """The `Branch` of stationary states that leaves the uniform law at kappa_degree, up to kappa_max (3 kappa_degree).

    Solutions of mu = e^{kappa G * mu} / Z, followed by pseudo-arclength continuation through folds; each point with
    its order parameter, free energy and number of unstable directions. On the circle the branch of degree k has k
    equal clusters; on S^{d-1} it is zonal, and for an even degree the two signs of the harmonic start two different
    branches (poles, or the equator).

    Errors: `InvalidInput` for beta > 500, a degree below 1 (above 1 at beta = 0), or kappa_max <= kappa_degree.

    >>> branch = stationary_branch(5.0).value
    >>> [round(kappa, 5) for kappa in branch.folds], int(branch.unstable[1]), int(branch.unstable[-1])
    ([0.1843], 1, 0)
    """
    check(beta, d)
    if sign not in (1, -1):
        raise InvalidInput(f"sign must be 1 or -1, got {sign!r}")
    first = _zonal_class(beta, d, degree, 0.0)
    kappa_k = float(np.exp(-first.log_scale))
    top = 3 * kappa_k if kappa_max is None else float(kappa_max)
    if not top > kappa_k:
        raise InvalidInput(f"kappa_max must exceed the bifurcation at kappa = {kappa_k:g}, got {kappa_max!r}")
    log_top = float(np.log(top) + first.log_scale)
    zonal = _zonal_class(beta, d, degree, log_top)
    points: list[_Point] = []
    folds: list[float] = []
    for point in _walk(zonal, sign):
        if points and points[-1].tangent[-1] * point.tangent[-1] < 0:
            folds.append(_crossing(zonal, points[-1], point, lambda p: float(p.tangent[-1])).lam * kappa_k)
        if point.z[-1] > log_top:
            points.append(_crossing(zonal, points[-1], point, lambda p: float(p.z[-1]) - log_top))
            break
        points.append(point)
        if len(points) >= MAX_POINTS:
            break
    return Prediction(
        _assemble(zonal, points, tuple(folds)),
        f"stationary states mu = e^(kappa G*mu)/Z on the branch off the uniform law at kappa_{degree}",
        (IDENTITY, NOISY, "states symmetric about an axis"),
        SOURCE,
        status="numerical",
    )


def _assemble(zonal: ZonalClass, points: list[_Point], folds: tuple[float, ...]) -> Branch:
    kappa_k = np.exp(-zonal.log_scale)
    y = np.array([np.zeros(len(zonal.degrees)), *(point.z[:-1] for point in points)])
    lam = np.array([1.0, *(point.lam for point in points)])
    states = list(zip(y, lam, strict=True))
    return Branch(
        beta=zonal.beta,
        d=zonal.d,
        degree=zonal.degree,
        kappa=lam * kappa_k,
        order_parameter=np.array([zonal.order_parameter(entry) for entry in y]),
        energy=-np.sum(y**2, axis=1) / (2 * kappa_k),
        free_energy=np.array([zonal.scaled_free_energy(*state) for state in states]) / (lam * kappa_k),
        unstable_in_class=np.array([zonal.unstable_in_class(*state) for state in states]),
        unstable=np.array([zonal.unstable(*state) for state in states]),
        folds=folds,
        zonal=zonal,
        coordinates=y,
    )


@lru_cache(maxsize=64)
def _fold_and_transition(beta: float, d: int) -> tuple[float, float]:
    """(lam of the fold, lam of equal free energy) of the first branch, for beta > beta_*."""
    zonal = _zonal_class(beta, d, 1, 0.0)
    before: _Point | None = None
    fold = np.nan
    for count, point in enumerate(_walk(zonal, 1)):
        if before is not None:
            if np.isnan(fold) and before.tangent[-1] < 0 <= point.tangent[-1]:
                fold = _crossing(zonal, before, point, lambda p: float(p.tangent[-1])).lam
            energies = [zonal.scaled_free_energy(p.z[:-1], p.lam) for p in (before, point)]
            if not np.isnan(fold) and energies[0] > 0 >= energies[1]:
                equal = _crossing(zonal, before, point, lambda p: zonal.scaled_free_energy(p.z[:-1], p.lam))
                return fold, equal.lam
        before = point
        if count > MAX_POINTS or point.z[-1] > 0.5:
            break
    raise InvalidInput(f"beta = {beta:g} is too close to beta_* for its window to be resolved")


def hysteresis_window(beta: float, d: int = 2) -> Prediction:
    """[kappa_fold, kappa_1]: where the uniform law and a concentrated state are both stable; empty up to beta_*.

    Raising kappa from below, tokens stay uniform until kappa_1; lowering it, they stay concentrated until kappa_fold.

    >>> hysteresis_window(5.0).value.round(5).tolist(), float(np.ptp(hysteresis_window(1.0).value))
    ([0.1843, 0.20546], 0.0)
    """
    check(beta, d)
    kappa_1 = float(np.exp(-log_couplings(beta, d, 1)[0]))
    is_discontinuous = beta > float(critical_beta(d))
    low = kappa_1 * _fold_and_transition(float(beta), int(d))[0] if is_discontinuous else kappa_1
    return Prediction(
        np.array([low, kappa_1]),
        "between kappa_fold and kappa_1 both the uniform law and a concentrated state are stable"
        if is_discontinuous
        else "no hysteresis: the transition is continuous at kappa_1",
        (IDENTITY, NOISY),
        SOURCE,
        status="numerical" if is_discontinuous else "theorem",
    )


def global_transition(beta: float, d: int = 2) -> Prediction:
    """kappa_c: beyond it a concentrated state has less free energy than the uniform law.

    It is kappa_1 up to beta_*; beyond, the crossing of free energies on the first branch, below kappa_1. The K_c of
    arXiv 2606.05140 is kappa_c / 2.
    """
    check(beta, d)
    kappa_1 = float(np.exp(-log_couplings(beta, d, 1)[0]))
    is_discontinuous = beta > float(critical_beta(d))
    return Prediction(
        kappa_1 * _fold_and_transition(float(beta), int(d))[1] if is_discontinuous else kappa_1,
        "the uniform law has the least free energy up to it, a concentrated state beyond (K_c = kappa_c / 2)",
        (IDENTITY, NOISY),
        SOURCE,
        status="numerical" if is_discontinuous else "theorem",
    )


def initial_curvature(beta: float, d: int = 2) -> Prediction:
    """How kappa starts along the first branch: kappa/kappa_1 = 1 + c r^2 + O(r^4), c = (d - d^2 q)/((d+2)(1 - q)).

    Here q = g_2/g_1 = I_{d/2+1}/I_{d/2}. c > 0: continuous transition; c < 0: the branch turns back; c = 0 at beta_*.
    """
    check(beta, d)
    logs = log_couplings(beta, d, 2)
    q = float(np.exp(logs[1] - logs[0]))
    return Prediction(
        d * (1 - d * q) / ((d + 2) * (1 - q)),
        "kappa/kappa_1 = 1 + c r^2 along the branch off the uniform law",
        (IDENTITY, NOISY, "r small"),
        "derived by expanding mu = e^(kappa G*mu)/Z to third order; it changes sign at the beta_* of arXiv 2606.05140",
    )
