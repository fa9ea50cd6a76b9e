"""Branches of stationary states of the noisy flow, by pseudo-arclength continuation through folds, with stability.

Branches leave the uniform law at kappa_k (`noise_thresholds`). What the first of them says about the transition is in
`bifurcation`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import optimize

from tokenfield.errors import InvalidInput
from tokenfield.theory.growth import IDENTITY, check
from tokenfield.theory.harmonics import log_couplings
from tokenfield.theory.prediction import Prediction
from tokenfield.theory.stationary import NOISY, ZonalClass

SOURCE = "continuation; transitions: arXiv 2604.16288 (d = 2), arXiv 2606.05140"
MAX_BETA = 500.0  # beyond it a branch takes minutes
MAX_POINTS = 2000
FIRST_STEP = 0.02
LONGEST_STEP = 0.15  # relative to 1 + |y|: |y| grows to hundreds for large d


@dataclass(frozen=True, eq=False, repr=False)
class Branch:
    """A branch of stationary states that are symmetric about an axis, one entry per point, from the uniform law on.

    Made by `stationary_branch`.

    Args:
        beta: Inverse temperature.
        d: Dimension of the ambient space.
        degree: The degree k at which the branch leaves the uniform law.
        kappa: The values of kappa along the branch; the noise is sqrt(2/kappa) dW.
        order_parameter: int C_k dmu with C_k the zonal harmonic of the branch's degree, C_k(1) = 1: |int x dmu| for
            degree 1, the mean of cos(k theta) on the circle.
        energy: The energy -(1/2) iint G dmu dmu, without the constant part of G.
        free_energy: F[mu] - F[uniform] with F = (1/kappa) int mu log mu - (1/2) iint G dmu dmu.
        unstable_in_class: The number of unstable directions among perturbations of the branch's own symmetry.
        unstable: The number of unstable directions among all perturbations; rotations are neutral.
        folds: The turning points in kappa.
        zonal: The class of densities that the branch lives in.
        coordinates: The states, as coordinates in that class.

    >>> branch = stationary_branch(1.0, kappa_max=3.0).value
    >>> branch.folds, bool(branch.order_parameter[-1] > 0.8)
    ((), True)
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
    zonal: ZonalClass
    coordinates: np.ndarray

    def __len__(self) -> int:
        return len(self.kappa)

    def __repr__(self) -> str:
        folds = f", folds at kappa = {', '.join(f'{kappa:.6g}' for kappa in self.folds)}" if self.folds else ""
        return (
            f"Branch of degree {self.degree}, beta = {self.beta:g}, d = {self.d}: {len(self)} stationary states, "
            f"kappa from {self.kappa.min():.6g} to {self.kappa.max():.6g}{folds}"
        )

    def density(self, index: int) -> tuple[np.ndarray, np.ndarray]:
        """The density of one state of the branch.

        Args:
            index: The number of the state along the branch.

        Returns:
            The angles from the axis, in radians, and the density there relative to the uniform law.
        """
        theta, log_weights = self.zonal.grid
        masses, _ = self.zonal.masses(self.coordinates[index], self._lam(index))
        return theta, masses / np.exp(log_weights)

    def growth_rates(self, index: int, *, order: int = 0, count: int = 64) -> np.ndarray:
        """The growth rates of perturbations of one state of the branch, largest first.

        They are the eigenvalues of the Fokker-Planck operator linearized at the state.

        Args:
            index: The number of the state along the branch.
            order: The azimuthal order of the perturbations: 0 for those that are zonal themselves; on the circle 0 for
                even and 1 for odd ones.
            count: How many harmonics to compute with; they must resolve the state.

        Returns:
            An array of about `count` rates, in units of 1/time.

        Raises:
            InvalidInput: If the order is negative (or above 1 on the circle) or count < 2.
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
class Point:
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


def _correct(zonal: ZonalClass, guess: np.ndarray, normal: np.ndarray) -> tuple[Point, int] | None:
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
            return Point(z, tangent / np.linalg.norm(tangent)), step
    return None


def _leave_uniform(zonal: ZonalClass, sign: int) -> Point:
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


def walk(zonal: ZonalClass, sign: int) -> Iterator[Point]:
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


def crossing(zonal: ZonalClass, point: Point, following: Point, value: Callable[[Point], float]) -> Point:
    """The point between two neighbors at which `value` changes sign."""
    length = float(point.tangent @ (following.z - point.z))

    def at(distance: float) -> Point:
        found = _correct(zonal, point.z + distance * point.tangent, point.tangent)
        return point if found is None else found[0]

    root = optimize.brentq(lambda distance: value(at(distance)), 0.0, length, xtol=1e-12)
    return at(root)


def zonal_class(beta: float, d: int, degree: int, log_lam: float) -> ZonalClass:
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
    """The `Branch` of stationary states that leaves the uniform law at kappa_degree, with its stability.

    Its states solve mu = e^{kappa G * mu} / Z with G = e^{beta t}/beta and are followed by pseudo-arclength
    continuation through folds (transitions: arXiv 2604.16288 for d = 2, arXiv 2606.05140). On the circle the branch of
    degree k has k equal clusters. On S^{d-1} it is symmetric about an axis, and for an even degree the two signs of the
    harmonic start two different branches (poles, or the equator).

    Args:
        beta: Inverse temperature, from 0 to 500.
        d: Dimension of the ambient space, d >= 2.
        degree: The degree >= 1 of the harmonic with which the branch starts; 1 at beta = 0.
        sign: The sign of that harmonic, 1 or -1.
        kappa_max: Where to stop; 3 kappa_degree if left out.

    Returns:
        A `Prediction` whose value is a `Branch`: at each point kappa, order parameter, energies and the number of
        unstable directions.

    Raises:
        InvalidInput: If an argument is out of its range, or kappa_max <= kappa_degree.

    >>> branch = stationary_branch(5.0).value
    >>> [round(kappa, 5) for kappa in branch.folds]
    [0.1843]
    >>> int(branch.unstable[1]), int(branch.unstable[-1])
    (1, 0)
    """
    check(beta, d)
    if sign not in (1, -1):
        raise InvalidInput(f"sign must be 1 or -1, got {sign!r}")
    first = zonal_class(beta, d, degree, 0.0)
    kappa_k = float(np.exp(-first.log_scale))
    top = 3 * kappa_k if kappa_max is None else float(kappa_max)
    if not kappa_k < top < np.inf:
        raise InvalidInput(f"kappa_max must be finite and exceed kappa_k = {kappa_k:g}, got {kappa_max!r}")
    log_top = float(np.log(top) + first.log_scale)
    zonal = zonal_class(beta, d, degree, log_top)
    points: list[Point] = []
    folds: list[float] = []
    for point in walk(zonal, sign):
        if points and points[-1].tangent[-1] * point.tangent[-1] < 0:
            folds.append(crossing(zonal, points[-1], point, lambda p: float(p.tangent[-1])).lam * kappa_k)
        if point.z[-1] > log_top:
            points.append(crossing(zonal, points[-1], point, lambda p: float(p.z[-1]) - log_top))
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


def _assemble(zonal: ZonalClass, points: list[Point], folds: tuple[float, ...]) -> Branch:
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
