"""`reach_gaussian`: attention that carries one Gaussian onto another of the same rank; `reach_covariance` for means 0.

In R^d a Gaussian stays one under softmax attention, with m' = V (m + S A m) and F' = V S A F for a factor F of
S = F F^T (arXiv 2501.18322). So any path of factors of full rank r is a path of covariances, for A(t) the inverse of S
on its range and V(t) = F' F^+ (arXiv 2606.07600). With A = 0 and V = m' m^T / |m|^2 the mean moves alone. The rank
never changes, and a mean that is zero stays zero: what is not so is refused.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import jax.numpy as jnp
import numpy as np
from jax import Array
from jax.typing import ArrayLike
from scipy.integrate import solve_ivp

from tokenfield.errors import InvalidInput, Unsupported
from tokenfield.geometry import Euclidean
from tokenfield.laws.gaussian import Gaussian
from tokenfield.model.exponential import Softmax
from tokenfield.model.parts import Head
from tokenfield.model.schedule import FunctionOfDepth
from tokenfield.model.transformer import Transformer
from tokenfield.solver.solve import solve
from tokenfield.solver.trajectory import Trajectory

Matrices = Callable[[Array], tuple[Array, Array]]  # s in [0, 1] -> A and V, for one unit of depth

RANK = 1e-10  # eigenvalues below this part of the largest count as zero


@dataclass(frozen=True, eq=False)
class Reached:
    """Attention in R^d, with V and K functions of depth, that carries `source` to another Gaussian in depth `t1`.

    >>> Reached(None, 1.0, None).t1
    1.0
    """

    model: Transformer
    t1: float
    source: Gaussian

    def run(self, *, rtol: float = 1e-11) -> Trajectory:
        """The trajectory of the Gaussian, by `solve`.

        Args:
            rtol: The tolerance of the solver, by default 1e-11.

        Returns:
            The trajectory; `final` is the target to that tolerance.

        >>> import numpy as np
        >>> found = reach_covariance(np.eye(2), np.diag([4.0, 0.25])).run().final.covariance
        >>> bool(np.abs(found - np.diag([4.0, 0.25])).max() < 1e-8)
        True
        """
        return solve(self.model, self.source, t1=self.t1, method="dopri8", rtol=rtol, atol=rtol / 100, progress=False)


def reach_covariance(source: ArrayLike, target: ArrayLike, *, t1: float = 1.0) -> Reached:
    """Attention that carries N(0, source) exactly to N(0, target) of the same rank (arXiv 2606.07600).

    On the way S = F F^T, with factors F (d, r) on the straight line between those of source and target that are nearest
    to each other: the geodesic of optimal transport.

    Args:
        source: The covariance at the start, (d, d), positive semi-definite.
        target: The covariance at the end, of the same rank.
        t1: The depth, by default 1.

    Returns:
        The model, with V and K functions of depth, and the Gaussian that it starts from.

    Raises:
        InvalidInput: If a matrix is no covariance, shapes differ, or t1 is not positive.
        Unsupported: If the ranks differ: attention keeps the rank of a covariance.

    >>> import numpy as np
    >>> line, other = np.diag([1.0, 0.0]), np.array([[1.0, 1.0], [1.0, 1.0]])
    >>> bool(np.abs(reach_covariance(line, other).run().final.covariance - other).max() < 1e-8)
    True
    """
    laws = (Gaussian(np.zeros(len(np.atleast_2d(S))), S) for S in (source, target))
    return reach_gaussian(*laws, t1=t1)


def reach_gaussian(source: Gaussian, target: Gaussian, *, t1: float = 1.0) -> Reached:
    """Attention that carries one Gaussian exactly to another, mean and covariance, of the same rank.

    First the covariance, as `reach_covariance` does, with a mean that is carried along; then, with logits zero, the
    mean alone, on a spiral around the origin that it must not meet. Between the two, V passes through zero.

    Args:
        source: The Gaussian at the start.
        target: The Gaussian at the end, with a covariance of the same rank, and a mean that is zero only if that of the
            source is.
        t1: The depth, by default 1.

    Returns:
        The model, with V and K functions of depth, and the Gaussian that it starts from.

    Raises:
        InvalidInput: If dimensions differ, or t1 is not positive.
        Unsupported: If ranks differ, one mean of two is zero, or on a line means have different signs.

    >>> import numpy as np
    >>> from tokenfield import Gaussian
    >>> end = reach_gaussian(Gaussian([1.0, 0.0], np.eye(2)), Gaussian([0.0, -3.0], np.diag([4.0, 0.25]))).run().final
    >>> np.round(end.mean, 8).tolist(), np.round(end.covariance, 8).tolist()
    ([0.0, -3.0], [[4.0, 0.0], [0.0, 0.25]])
    """
    S0, S1 = np.asarray(source.covariance), np.asarray(target.covariance)
    m0, m1 = np.asarray(source.mean), np.asarray(target.mean)
    if S0.shape != S1.shape:
        raise InvalidInput(f"both covariances need one dimension, got {S0.shape} and {S1.shape}")
    if not (np.isfinite(t1) and t1 > 0):
        raise InvalidInput(f"the depth t1 must be positive, got {t1}")
    _check_means(m0, m1)
    covariance, carried = _covariance_path(S0, S1), m0
    paths = [covariance]
    if m0.any():
        carried = _carried(covariance, S0, m0)
        if np.linalg.norm(carried - m1) > 1e-13 * np.linalg.norm(m1):
            paths.append(_mean_path(carried, m1))
    model = Transformer(Euclidean(len(S0)), FunctionOfDepth(_one_after_the_other(paths, float(t1))))
    return Reached(model, float(t1), source)


# --- paths --------------------------------------------------------------------------------------------------------


def _one_after_the_other(paths: list[Matrices], t1: float) -> Callable[[Array], Head]:
    """The head at a depth: each path in its part of the depth, begun and ended at speed zero if there are several."""
    count = len(paths)

    def head(t: Array) -> Head:
        at = count * t / t1
        A, V = paths[0](jnp.clip(at, 0, 1) if count == 1 else _smooth(at))
        V = V * (1.0 if count == 1 else _smooth_rate(at))
        for k in range(1, count):
            A_k, V_k = paths[k](_smooth(at - k))
            is_here = at >= k
            A, V = jnp.where(is_here, A_k, A), jnp.where(is_here, _smooth_rate(at - k) * V_k, V)
        return Head(Softmax(jnp.asarray(1.0)), K=A, V=count / t1 * V)  # Q = I: logits <x, A y>, A symmetric

    return head


def _smooth(s: Array) -> Array:
    s = jnp.clip(s, 0, 1)
    return s * s * (3 - 2 * s)


def _smooth_rate(s: Array) -> Array:
    s = jnp.clip(s, 0, 1)
    return 6 * s * (1 - s)


def _covariance_path(S0: np.ndarray, S1: np.ndarray) -> Matrices:
    """A and V that move a factor of S0 on the straight line to one of S1; refused if ranks differ."""
    (F0, r0), (F1, r1) = _factor(S0), _factor(S1)
    if r0 != r1:
        raise Unsupported(
            f"a covariance of rank {r0} cannot reach one of rank {r1}: attention moves a Gaussian by invertible maps, "
            "which keep the rank (arXiv 2606.07600)"
        )
    # S = F F^T with F (d, r), up to a rotation of R^r: of F1 R the nearest to F0 is that of the optimal transport, and
    # then F0^T F1 >= 0, so that no F on the straight line between them loses its rank
    U, _, Wt = np.linalg.svd(F1.T @ F0)
    start, end = jnp.asarray(F0), jnp.asarray(F1 @ U @ Wt)

    def matrices(s: Array) -> tuple[Array, Array]:
        F = (1 - s) * start + s * end
        inverse = jnp.linalg.inv(F.T @ F)
        # A is the inverse of S on its range: then V S A F = velocity, and errors of S matter relative to S
        return F @ inverse @ inverse @ F.T, (end - start) @ inverse @ F.T

    return matrices


def _carried(path: Matrices, S0: np.ndarray, mean: np.ndarray) -> np.ndarray:
    """Where a mean is when the covariance has arrived: m' = V (m + S A m), and S A projects to the range of S."""
    if not S0.any():
        return mean

    def velocity(s: float, m: np.ndarray) -> np.ndarray:
        A, V = (np.asarray(matrix) for matrix in path(jnp.asarray(s)))
        onto_range = A @ np.linalg.pinv(A, rcond=RANK, hermitian=True)
        return V @ (m + onto_range @ m)

    return solve_ivp(velocity, (0.0, 1.0), mean, method="DOP853", rtol=1e-13, atol=1e-15).y[:, -1]


def _mean_path(start: np.ndarray, end: np.ndarray) -> Matrices:
    """A = 0 and V that move the mean alone: its length as a power, its direction at constant speed, never through 0."""
    r0, r1 = np.linalg.norm(start), np.linalg.norm(end)
    e1, goal = start / r0, end / r1
    across = goal - (goal @ e1) * e1
    if np.linalg.norm(across) < 1e-9 and goal @ e1 < 0:  # opposite: any direction across will do
        across = np.eye(len(e1))[np.argmin(np.abs(e1))]
        across = across - (across @ e1) * e1
    e2 = across / max(float(np.linalg.norm(across)), 1e-300)
    angle, growth = float(np.arctan2(goal @ e2, goal @ e1)), float(np.log(r1 / r0))

    def matrices(s: Array) -> tuple[Array, Array]:
        here = jnp.cos(angle * s) * e1 + jnp.sin(angle * s) * e2
        turned = jnp.cos(angle * s) * e2 - jnp.sin(angle * s) * e1
        return jnp.zeros((len(e1),) * 2), jnp.outer(growth * here + angle * turned, here)

    return matrices


def _check_means(m0: np.ndarray, m1: np.ndarray) -> None:
    """Refuses means that attention alone cannot join: m' = V (m + S A m) is zero where m is."""
    if m0.any() != m1.any():
        which = "source" if m1.any() else "target"
        raise Unsupported(
            f"the mean of the {which} is zero, the other is not: attention keeps a zero mean zero, and no other mean "
            "gets there; shift both means, or add an affine perceptron"
        )
    if len(m0) == 1 and m0[0] * m1[0] < 0:
        raise Unsupported(
            "means of different signs on a line: between them is zero, which attention does not cross; add a coordinate"
        )


def _factor(S: np.ndarray) -> tuple[np.ndarray, int]:
    """F (d, r) with S = F F^T, and the rank r."""
    values, vectors = np.linalg.eigh(S)
    kept = values > RANK * max(values[-1], 1e-300)
    return vectors[:, kept] * np.sqrt(values[kept]), int(kept.sum())
