"""Stationary states of the noisy mean-field flow that are zonal: symmetric about an axis of S^{d-1}, d = 2, 3, ....

d_t mu = (1/kappa) Lap mu - div(mu grad(G * mu)) with G(t) = e^{beta t}/beta (t at beta = 0) rests exactly at the
solutions of mu = e^{kappa G * mu} / Z. With y_k = sqrt(g_k/g) int phi_k dmu (harmonics phi_k, couplings g_k, and g the
coupling of the degree at which the branch starts) this is y = Y(y, lam) with lam = kappa g, whose Jacobian is
symmetric: lam times the covariance of the scaled harmonics. Nothing overflows, whatever beta.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy import optimize, special

from tokenfield.errors import InvalidInput
from tokenfield.theory.bessel import bessel_ratios
from tokenfield.theory.growth import IDENTITY, check
from tokenfield.theory.harmonics import (
    angles_and_log_weights,
    count_modes,
    harmonics,
    log_couplings,
    log_multiplicity,
)
from tokenfield.theory.prediction import Prediction

NOISE = "noise sqrt(2/kappa) dW, in the limit of many tokens"
NOISY = f"unnormalized attention with {NOISE}"
NEUTRAL = 1e-8  # eigenvalues are accurate to about 1e-12; a rotation has exactly 1
CONCENTRATED = 1e-5  # below it the state is a narrow Gaussian, to about this relative accuracy of its width


@dataclass(frozen=True)
class ZonalClass:
    """The zonal densities built of the harmonics that a branch off the uniform law at `degree` can contain.

    On the circle these are the multiples of `degree`, on spheres all degrees, or the even ones for an even degree.
    `finest` is the smallest angle to be resolved.
    """

    beta: float
    d: int
    degree: int = 1
    finest: float = 1e-2

    @cached_property
    def degrees(self) -> np.ndarray:
        top = count_modes(self.beta, self.d, at_least=self.degree)
        step = self.degree if self.d == 2 else 2 - self.degree % 2
        return np.arange(step, top + 1, step)

    @cached_property
    def grid(self) -> tuple[np.ndarray, np.ndarray]:
        return angles_and_log_weights(self.d, int(self.degrees[-1]), self.finest, everywhere=self.degree > 1)

    @cached_property
    def log_scale(self) -> float:
        """log g of the degree at which the branch starts: lam = kappa g."""
        return float(log_couplings(self.beta, self.d, self.degree)[-1])

    def sector(self, order: int) -> np.ndarray:
        """sqrt(g_k/g) phi_km on the grid for all degrees k >= max(m, 1) that matter, as (degrees, nodes)."""
        first, top = max(order, 1), int(self.degrees[-1])
        if top < first:
            return np.zeros((0, len(self.grid[0])))
        values, _ = harmonics(self.grid[0], self.d, top - order + 1, order)
        logs = log_couplings(self.beta, self.d, top)[first - 1 :] - self.log_scale
        return np.exp(logs / 2)[:, None] * values[first - order :]

    @cached_property
    def functions(self) -> np.ndarray:
        """The scaled harmonics of the class, as (degrees, nodes)."""
        return self.sector(0)[self.degrees - 1]

    @cached_property
    def start(self) -> int:
        """Where in `degrees` the branch starts."""
        return int(np.flatnonzero(self.degrees == self.degree)[0])

    @property
    def dirac(self) -> np.ndarray:
        """The coordinates y of a Dirac at the pole."""
        logs = log_couplings(self.beta, self.d, int(self.degrees[-1]))[self.degrees - 1] - self.log_scale
        return np.exp((logs + log_multiplicity(self.d, self.degrees)) / 2)

    def masses(self, y: np.ndarray, lam: float) -> tuple[np.ndarray, float]:
        """The masses at the nodes of e^{kappa G * mu} / Z, and log Z."""
        # einsum and not @ for small matrices: BLAS would start threads for them, and on a busy machine wait for these
        logs = self.grid[1] + lam * np.einsum("k,ka->a", y, self.functions)
        log_z = float(special.logsumexp(logs))
        return np.exp(logs - log_z), log_z

    def image(self, y: np.ndarray, lam: float) -> tuple[np.ndarray, np.ndarray]:
        """Y(y, lam), and the covariance C of the scaled harmonics: dY/dy = lam C, dY/dlam = C y."""
        masses, _ = self.masses(y, lam)
        mean = np.einsum("ka,a->k", self.functions, masses)
        centered = (self.functions - mean[:, None]) * np.sqrt(masses)
        return mean, centered @ centered.T if len(mean) > 128 else np.einsum("ka,la->kl", centered, centered)

    def order_parameter(self, y: np.ndarray) -> float:
        """int C_k dmu for the degree k of the branch, C_k(1) = 1: |int x dmu| for k = 1."""
        return float(y[self.start] * np.exp(-log_multiplicity(self.d, np.array([self.degree]))[0] / 2))

    def scaled_free_energy(self, y: np.ndarray, lam: float) -> float:
        """kappa (F[mu] - F[uniform]), F = (1/kappa) int mu log mu - (1/2) iint G mu mu."""
        return float(lam * (y @ y) / 2 - self.masses(y, lam)[1])

    def unstable_in_class(self, y: np.ndarray, lam: float) -> int:
        """The number of unstable directions within the class; it counts the eigenvalues of lam C above 1.

        The flow is the gradient flow of F, so its linearization has as many growing modes as the Hessian of F has
        negative directions (Sylvester).
        """
        return int(np.sum(np.linalg.eigvalsh(lam * self.image(y, lam)[1]) > 1 + NEUTRAL))

    def unstable(self, y: np.ndarray, lam: float) -> float:
        """The number of unstable directions among all perturbations, zonal or not; rotations are neutral.

        Order m counts as often as S^{d-2} has harmonics of degree m. The kernel of order m decreases with m, and with
        it the largest eigenvalue, so the count ends at the first order with none above 1.
        """
        masses, _ = self.masses(y, lam)
        total, order = 0.0, 0
        while order <= int(self.degrees[-1]) and (self.d > 2 or order < 2):
            functions = self.sector(order)
            if order == 0:
                functions = functions - (functions @ masses)[:, None]
            functions = functions * np.sqrt(masses)
            values = np.linalg.eigvalsh(lam * functions @ functions.T)
            if order == 1 and np.any(y != 0):
                values = np.delete(values, np.argmin(np.abs(values - 1)))  # the rotation
            above = int(np.sum(values > 1 + NEUTRAL))
            if order and not above:
                break
            copies = 1.0 if order == 0 or self.d == 2 else np.exp(log_multiplicity(self.d - 1, np.array([order]))[0])
            total, order = total + above * round(copies), order + 1
        return total

    def rates(self, y: np.ndarray, lam: float, *, order: int, count: int) -> np.ndarray:
        """The eigenvalues, in falling order, of the Fokker-Planck operator linearized at the state, times kappa.

        Galerkin in the harmonics of one order: <phi_k, L phi_l> kappa = -k(k+d-2) delta_kl
        + int phi_k' U' phi_l dsigma + kappa g_l int <grad phi_k, grad phi_l> dmu, U = kappa G * mu.
        """
        theta, log_weights = self.grid
        values, slopes = harmonics(theta, self.d, count, order)
        degrees = order + np.arange(count, dtype=float)
        top = int(degrees[-1])
        logs = np.concatenate([[-np.inf], log_couplings(self.beta, self.d, max(top, 1))])[order : top + 1]
        masses, _ = self.masses(y, lam)
        _, own_slopes = harmonics(theta, self.d, int(self.degrees[-1]) + 1)
        scaled = np.exp((log_couplings(self.beta, self.d, int(self.degrees[-1])) - self.log_scale) / 2)
        force = lam * (y @ (scaled[:, None] * own_slopes[1:])[self.degrees - 1])
        weights = np.exp(log_weights)
        drift = (slopes * (weights * force)) @ values.T
        energy = (slopes * masses) @ slopes.T
        if order:
            energy += order * (order + self.d - 3) * ((values * (masses / np.sin(theta) ** 2)) @ values.T)
        coupling = lam * np.exp(logs - self.log_scale)
        operator = drift + energy * coupling - np.diag(degrees * (degrees + self.d - 2))
        keep = slice(1, None) if order == 0 else slice(None)  # mass is kept
        return np.sort(np.linalg.eigvals(operator[keep, keep]).real)[::-1]


def ordered_state(beta: float, d: int, log_lam: float, finest: float) -> tuple[ZonalClass, np.ndarray]:
    """The most concentrated stationary state at lam = kappa/kappa_1: the zonal class and y (0 if only uniform is left).

    The map Y is monotone in y >= 0 (its derivative, a covariance of positive-definite functions, is positive), so
    that iterating it from the Dirac falls towards the largest solution; Newton's method finishes.
    """
    zonal, lam = ZonalClass(beta, d, finest=finest), float(np.exp(log_lam))
    y = zonal.dirac
    step = 0
    while step < 20_000:
        if step and step & (step - 1) == 0:  # after 1, 2, 4, 8, ... steps
            found = _newton(zonal, y, lam)
            if found is not None:
                return zonal, found
        masses, _ = zonal.masses(y, lam)
        new = zonal.functions @ masses
        if np.linalg.norm(new) < 1e-7:
            return zonal, np.zeros_like(y)
        y, step = new, step + 1
    return zonal, np.zeros_like(y) if y[0] < 1e-3 else y


def _newton(zonal: ZonalClass, y: np.ndarray, lam: float) -> np.ndarray | None:
    """The stable state that Newton's method reaches from above `y`, or None."""
    below = y * (1 + 1e-6) + 1e-12
    before = np.inf
    for _ in range(12):
        mean, covariance = zonal.image(y, lam)
        jacobian = np.eye(len(y)) - lam * covariance
        change = np.linalg.solve(jacobian, mean - y)
        y = y + change
        if not np.all(np.isfinite(y)) or np.any(y > below) or y[0] < 1e-5:
            return None
        size = float(np.linalg.norm(change) / np.linalg.norm(y))
        # large exponents kappa G * mu lose digits: then the steps stop shrinking earlier
        if size < 1e-12 or (size < 1e-7 and size > before / 4):
            return y if np.linalg.eigvalsh(lam * covariance)[-1] < 1 else None
        before = size
    return None


def check_kappa(kappa: float) -> None:
    """Raises `InvalidInput` unless kappa is a finite number > 0."""
    if not (isinstance(kappa, (int, float, np.number)) and np.isfinite(kappa) and kappa > 0):
        raise InvalidInput(f"kappa must be a finite number > 0, got {kappa!r}")


def stationary_order(kappa: float, beta: float = 0.0, d: int = 2) -> Prediction:
    """The order parameter r = |int x dmu| of the most concentrated stationary state of the noisy flow.

    Stationary states solve mu = e^{kappa G * mu} / Z with G = e^{beta t}/beta (arXiv 2412.14813). At beta = 0 that is
    r = I_{d/2}(kappa r) / I_{d/2-1}(kappa r), positive beyond kappa = d, and for d = 2 noisy Kuramoto (arXiv
    2512.01868). Where the transition is discontinuous the state can be metastable: see `global_transition`.

    Args:
        kappa: The noise is sqrt(2/kappa) dW; a finite number > 0, small for strong noise.
        beta: Inverse temperature, a finite number >= 0.
        d: Dimension of the ambient space, d >= 2.

    Returns:
        A `Prediction` with a number between 0 and 1; 0 where only the uniform law is stationary.

    Raises:
        InvalidInput: If an argument is out of its range.

    >>> [round(float(stationary_order(kappa, beta)), 5) for kappa, beta in ((4, 0), (1, 5))]
    [0.83146, 0.99622]
    """
    check(beta, d)
    check_kappa(kappa)
    log_stiffness = np.log(kappa) + beta  # the state has variance 1 / (kappa e^beta) in each of d - 1 directions
    status = "numerical"
    if np.log((1 + beta) * (d - 1)) - log_stiffness < np.log(CONCENTRATED):
        value, status = 1 - (d - 1) / 2 * float(np.exp(-log_stiffness)), "asymptotic"
    elif beta == 0:
        value, status = _without_beta(float(kappa), d), "theorem"
    else:
        log_lam = float(np.log(kappa) + log_couplings(beta, d, 1)[0])
        zonal, y = ordered_state(beta, d, log_lam, finest=min(0.1, float(np.exp(-log_stiffness / 2))))
        masses, _ = zonal.masses(y, float(np.exp(log_lam)))
        # 1 - r from the masses keeps the digits of a narrow state; the uniform law is 0 without rounding
        value = 1 - 2 * float(np.sum(masses * np.sin(zonal.grid[0] / 2) ** 2)) if np.any(y) else 0.0
    return Prediction(
        value,
        "r = |int x dmu| of the most concentrated solution of mu = e^(kappa G*mu)/Z, G = e^(beta t)/beta",
        (IDENTITY, NOISY),
        "arXiv 2512.01868 (beta = 0, d = 2); arXiv 2412.14813",
        status=status,
    )


def _without_beta(kappa: float, d: int) -> float:
    if kappa <= d:
        return 0.0
    return float(optimize.brentq(lambda r: bessel_ratios(d / 2 - 1, 1, kappa * r)[0] - r, 1e-9, 1.0, xtol=1e-15))
