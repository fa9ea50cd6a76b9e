"""Gaussians: attention in R^d that moves tokens by an affine map keeps a Gaussian law Gaussian.

Then the whole mean field is a mean m and a covariance S, with x' = G x + c, m' = G m + c, S' = G S + S G^T
(arXiv 2501.18322). Here are `Gaussian` and the maps G, c of every part of a model; time is up to `solve`.
No covariance is inverted, so laws on a subspace are fine.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jax import Array
from jax.typing import ArrayLike

from tokenfield._runtime.arguments import checked
from tokenfield._runtime.memory import require_for_tokens
from tokenfield._runtime.randomness import random_key
from tokenfield.errors import InvalidInput, Unsupported
from tokenfield.geometry import Euclidean
from tokenfield.laws.grid import refuse_positions
from tokenfield.measure import Measure, check_finite, float_array, is_concrete, is_whole
from tokenfield.model.matrices import apply_matrix, as_array, root
from tokenfield.model.parts import Head, Perceptron
from tokenfield.model.transformer import Transformer

if TYPE_CHECKING:
    from tokenfield.solver.trajectory import Trajectory

ROUNDING = 1e-9  # a covariance may miss symmetry, or have eigenvalues below zero, by this much of its size


class Gaussian(eqx.Module):
    """The law N(mean, covariance) in R^d; the covariance may be singular (arXiv 2501.18322).

    Args:
        mean: The mean, shape (d,).
        covariance: The covariance, a symmetric positive semi-definite matrix, shape (d, d).

    Raises:
        InvalidInput: If the shapes do not fit, a number is not finite, or the covariance is not such a matrix.

    >>> Gaussian([0.0, 0.0], [[2.0, 0.0], [0.0, 1.0]]).d
    2
    """

    mean: Array
    covariance: Array

    def __init__(self, mean: ArrayLike, covariance: ArrayLike):
        m, S = float_array(mean, "mean"), float_array(covariance, "covariance")
        if m.ndim != 1 or S.shape != (m.shape[0], m.shape[0]):
            raise InvalidInput(f"a Gaussian needs a mean (d,) and a covariance (d, d), got {m.shape} and {S.shape}")
        check_finite(m, "mean")
        check_finite(S, "covariance")
        if is_concrete(S):
            _check_covariance(np.asarray(S, np.float64))
        dtype = jnp.result_type(m, S)
        self.mean, self.covariance = m.astype(dtype), ((S + S.T) / 2).astype(dtype)

    @property
    def d(self) -> int:
        """The dimension of the space."""
        return self.mean.shape[0]

    def __repr__(self) -> str:
        if not (is_concrete(self.mean) and is_concrete(self.covariance)) or self.mean.ndim != 1:
            return f"Gaussian(traced or batched, in R^{self.mean.shape[-1]})"
        values = np.linalg.eigvalsh(np.asarray(self.covariance, float))[::-1]
        size = float(np.linalg.norm(np.asarray(self.mean, float)))
        shown = ", ".join(f"{value:.3g}" for value in values[:4]) + (", ..." if len(values) > 4 else "")
        return f"Gaussian(in R^{self.d}, |mean| = {size:.3g}, eigenvalues of the covariance {shown})"

    def at(self, mean: Array, covariance: Array) -> Gaussian:
        """Another law, without the checks of the constructor.

        Args:
            mean: Its mean, shape (d,).
            covariance: Its covariance, shape (d, d).

        Returns:
            The other law.
        """
        return eqx.tree_at(lambda mu: (mu.mean, mu.covariance), self, (mean, covariance))

    def sample(self, n: int, *, seed: int | Array) -> Measure:
        """`n` independent tokens of this law.

        Args:
            n: The number of tokens.
            seed: An integer or a JAX key.

        Returns:
            The tokens, with equal weights.

        Raises:
            InvalidInput: If `n` is no whole number from 1 on.

        >>> Gaussian([0.0, 0.0], [[1.0, 0.0], [0.0, 1.0]]).sample(5, seed=0).n
        5
        """
        if not is_whole(n) or n < 1:
            raise InvalidInput(f"n must be a whole number >= 1, got {n!r}")
        require_for_tokens(int(n), self.d)
        return Measure(
            self.mean + jax.random.normal(random_key(seed), (int(n), self.d), self.mean.dtype) @ root(self.covariance)
        )

    @checked
    def rank(self, *, tolerance: float = ROUNDING) -> int:
        """The number of eigenvalues of the covariance above `tolerance` times the largest one.

        It does not change in finite time without noise (arXiv 2606.07600); `limit_rank` is that of the limit of a run.
        (The histograms of arXiv 2501.18322 count those above 0.1, absolute.)

        Args:
            tolerance: A number in [0, 1), by default 1e-9.

        Returns:
            The rank, from 0 to d.

        Raises:
            InvalidInput: If the tolerance is out of its range.

        >>> Gaussian([0.0, 0.0], [[2.0, 0.0], [0.0, 0.0]]).rank()
        1
        """
        values = np.linalg.eigvalsh(np.asarray(self.covariance, np.float64))
        return int(np.sum(values > _checked(tolerance) * max(values[-1], 0.0)))


def _check_covariance(S: np.ndarray) -> None:
    scale = max(float(np.abs(S).max()), np.finfo(float).tiny)
    if np.abs(S - S.T).max() > ROUNDING * scale:
        raise InvalidInput("the covariance must be symmetric")
    least = float(np.linalg.eigvalsh(S).min())
    if least < -ROUNDING * scale:
        raise InvalidInput(f"the covariance must not have negative eigenvalues, got {least:.3g}")


def plot_coordinates(S: ArrayLike) -> Array:
    """(S_11 - S_22, 2 S_12, S_11 + S_22) of covariances of the plane.

    In these coordinates the positive semi-definite matrices are the round cone x^2 + y^2 <= z^2, z >= 0, and the
    angle of (x, y) is twice that of the main axis (the plots of arXiv 2501.18322).

    Args:
        S: One covariance or several, shape (..., 2, 2).

    Returns:
        The coordinates, shape (..., 3).

    Raises:
        InvalidInput: If the covariances are not of the plane.

    >>> plot_coordinates([[2.0, 0.5], [0.5, 1.0]]).tolist()
    [1.0, 1.0, 3.0]
    """
    S = float_array(S, "covariance")
    if S.shape[-2:] != (2, 2):
        raise InvalidInput(f"plot coordinates are for covariances (2, 2), got shape {S.shape}")
    return jnp.stack([S[..., 0, 0] - S[..., 1, 1], 2 * S[..., 0, 1], S[..., 0, 0] + S[..., 1, 1]], axis=-1)


def limit_rank(run: Trajectory, *, tolerance: float = 0.1) -> int | np.ndarray:
    """The rank that the covariance of a run tends to: eigenvalues at the end above `tolerance` times the run's largest.

    A covariance that vanishes has limit rank 0; of one that blows up it is the rank of lim S / tr S. Eigenvalues that
    vanish do so like 1/t only, hence the tolerance: with longer runs take a smaller one.

    Args:
        run: A run from a `Gaussian` that kept its states, or a batch of them made by `jax.vmap`.
        tolerance: A number in [0, 1), by default 0.1, as published (there absolute, for covariances of order one).

    Returns:
        The rank; for a batch an array of ranks.

    Raises:
        InvalidInput: If the run kept no covariances, or the tolerance is out of its range.

    >>> from tokenfield import Euclidean, Gaussian, L2, Transformer, solve
    >>> model = Transformer(Euclidean(2), L2(1.0), relative=True)  # contracts to a point
    >>> limit_rank(solve(model, Gaussian([0.0, 0.0], [[1.0, 0.0], [0.0, 0.5]]), t1=9.0, save=2))
    0
    """
    if run.states is None or "covariance" not in run.states:
        raise InvalidInput("a limit rank needs a run from a Gaussian that saved its states")
    values = np.linalg.eigvalsh(np.asarray(run.states["covariance"], np.float64))  # (..., T, d), increasing
    largest = values[..., -1].max(axis=-1)
    ranks = np.sum(values[..., -1, :] > _checked(tolerance) * largest[..., None], axis=-1)
    return int(ranks) if ranks.ndim == 0 else ranks


def _checked(tolerance: float) -> float:
    if not 0 <= tolerance < 1:
        raise InvalidInput(f"a rank needs a relative tolerance in [0, 1), got {tolerance}")
    return tolerance


def check_closure(model: Transformer) -> None:
    """Does nothing if `model` keeps Gaussians Gaussian (arXiv 2501.18322).

    Args:
        model: The model that would move a Gaussian.

    Raises:
        Unsupported: If it does not; the message says why.

    >>> from tokenfield import Euclidean, Softmax
    >>> check_closure(Transformer(Euclidean(2), Softmax(1.0)))
    """
    if not isinstance(model.geometry, Euclidean):
        raise Unsupported("Gaussians live in R^d: use Euclidean(d)")
    if model.rescaled:
        raise Unsupported("Gaussians move in the frame of x: use rescaled=False")
    refuse_positions(model, "a Gaussian law")
    if model.noise is not None and model.noise.common:
        raise Unsupported("common noise moves the mean at random: follow tokens instead")
    if model.has_sublayers:
        raise Unsupported("Gaussians follow bare heads and affine perceptrons: sublayers of real blocks need tokens")
    for part in model.schedule.shapes():
        if isinstance(part, Head):
            part.attention.check_gaussian()
        elif not (isinstance(part, Perceptron) and part.is_affine):
            raise Unsupported("only an affine perceptron (activation='identity') keeps Gaussians")


def affine_velocity(model: Transformer, t: Array | float, mu: Gaussian) -> tuple[Array, Array]:
    """(G, c): in the Gaussian law `mu` tokens move with x' = G x + c (arXiv 2501.18322).

    Args:
        model: A model that keeps Gaussians Gaussian, see `check_closure`.
        t: The time, that is, the depth.
        mu: The law.

    Returns:
        G (d, d) and c (d,).

    >>> from tokenfield import Euclidean, Softmax
    >>> model = Transformer(Euclidean(1), Softmax(2.0))
    >>> G, c = affine_velocity(model, 0.0, Gaussian([0.5], [[3.0]]))  # beta S and m
    >>> float(G[0, 0]), float(c[0])
    (6.0, 0.5)
    """
    d, dtype = mu.d, mu.mean.dtype
    G, c = jnp.zeros((d, d), dtype), jnp.zeros(d, dtype)
    heads = model.heads(t)
    for head in heads:
        slope, offset = _head(head, mu)
        if model.relative:
            slope = slope - jnp.eye(d, dtype=dtype)
        share = 1 / len(heads) if model.average else 1.0
        G, c = G + share * _values(head, slope), c + share * _values(head, offset[:, None])[:, 0]
    for part in model.token_wise(t):
        assert isinstance(part, Perceptron)
        W = as_array(part.W, d, dtype) @ as_array(part.A, d, dtype)
        G, c = G + W, c + part(jnp.zeros((1, d), dtype))[0]
    return G, c


def motion(model: Transformer, t: Array | float, mu: Gaussian) -> tuple[Array, Array]:
    """(m', S'): how mean and covariance move, m' = G m + c, S' = G S + S G^T; noise adds (2/kappa) I to S'.

    Args:
        model: A model that keeps Gaussians Gaussian, see `check_closure`.
        t: The time, that is, the depth.
        mu: The law.

    Returns:
        The rates of the mean, (d,), and of the covariance, (d, d).

    >>> from tokenfield import Euclidean, Softmax
    >>> model = Transformer(Euclidean(1), Softmax(2.0))
    >>> mean, covariance = motion(model, 0.0, Gaussian([0.5], [[3.0]]))
    >>> float(mean[0]), float(covariance[0, 0])
    (3.5, 36.0)
    """
    G, c = affine_velocity(model, t, mu)
    S = mu.covariance
    spread = G @ S
    spread = spread + spread.T
    if model.noise is not None:
        spread = spread + (2 / model.noise.kappa.astype(S.dtype)) * jnp.eye(mu.d, dtype=S.dtype)
    return G @ mu.mean + c, spread


def _head(head: Head, mu: Gaussian) -> tuple[Array, Array]:
    """(M, b): the vector int a(x, y) y dmu(y) = M x + b."""
    Q, K = (as_array(matrix, mu.d, mu.mean.dtype) for matrix in (head.Q, head.K))
    return head.attention.gaussian_map(K.T @ Q, K.T @ K, mu.mean, mu.covariance)


def _values(head: Head, columns: Array) -> Array:
    """O V times `columns`."""
    return apply_matrix(head.O, apply_matrix(head.V, columns.T)).T
