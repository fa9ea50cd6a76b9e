"""Attention kinds: maps from (points x, measure mu) to vectors. Also `Head`: an attention with its Q, K, V.

An attention says which weights a token gives to the others; how the sum is computed is up to `tokenfield.sums`.
Both kinds here use the kernel e^{beta <Q x, K y>}.
"""

from __future__ import annotations

from abc import abstractmethod
from typing import ClassVar

import equinox as eqx
import jax.numpy as jnp
import numpy as np
from jax import Array
from jax.typing import ArrayLike

from tokenfield import sums
from tokenfield.errors import InvalidInput
from tokenfield.measure import Measure, check_finite, float_array, is_concrete
from tokenfield.sums import Attended
from tokenfield.sums.dense import attention_matrix


class Attention(eqx.Module):
    """The vector int a(x, y) y dmu(y) that a token at x receives, before the value matrix.

    `is_average` says whether that vector is a mean of the y: tokens in R^d then grow at most exponentially.
    """

    is_average: ClassVar[bool] = False

    beta: Array

    def __init__(self, beta: ArrayLike):
        self.beta = _beta(beta)

    @abstractmethod
    def combine(self, attended: Attended) -> Array:
        """The vectors (m, d) from the kernel's log-sum-exp and the mean of the values."""

    def attend(self, x: Array, mu: Measure, Q: Array | None = None, K: Array | None = None) -> Attended:
        """The log of int e^{beta <Qx, Ky>} dmu(y) and the mean of y under that kernel, for each row of `x` (m, d)."""
        queries, keys = project(x, mu, Q, K)
        return sums.attend(self.beta.astype(x.dtype) * queries, keys, mu.points, mu.weights)

    def matrix(self, x: Array, mu: Measure, Q: Array | None = None, K: Array | None = None) -> Array:
        """The row-stochastic matrix P_ij = w_j e^{beta <Q x_i, K y_j>} / Z_i, shape (m, n)."""
        queries, keys = project(x, mu, Q, K)
        return attention_matrix(self.beta.astype(x.dtype) * queries, keys, mu.weights)


class Softmax(Attention):
    """Self-attention (SA): int e^{beta <Qx, Ky>} y dmu(y) / int e^{beta <Qx, Ky>} dmu(y) (arXiv 2312.10794).

    >>> Softmax(9.0).beta.item()
    9.0
    """

    is_average: ClassVar[bool] = True

    def combine(self, attended: Attended) -> Array:
        return attended.mean


class Unnormalized(Attention):
    """Unnormalized self-attention (USA): int e^{beta <Qx, Ky>} y dmu(y) (arXiv 2312.10794)."""

    def combine(self, attended: Attended) -> Array:
        return jnp.exp(attended.log_sum)[:, None] * attended.mean


class Head(eqx.Module):
    """One attention head: an attention kind with its matrices; `None` stands for the identity.

    `Q` and `K` have one shape (d_k, d), `V` is (d, d).
    """

    attention: Attention
    Q: Array | None
    K: Array | None
    V: Array | None

    def __init__(
        self,
        attention: Attention,
        *,
        Q: ArrayLike | None = None,
        K: ArrayLike | None = None,
        V: ArrayLike | None = None,
    ):
        if not isinstance(attention, Attention):
            raise InvalidInput(f"a head needs an attention such as Softmax(beta=1.0), got {attention!r}")
        self.attention = attention
        self.Q, self.K, self.V = _matrix(Q, "Q"), _matrix(K, "K"), _matrix(V, "V")

    def check_dimension(self, d: int) -> None:
        """Raises `InvalidInput` unless the matrices act on R^d."""
        for name, matrix in (("Q", self.Q), ("K", self.K)):
            if matrix is not None and matrix.shape[1] != d:
                raise InvalidInput(f"{name} must have shape (d_k, {d}) to act on tokens in R^{d}, got {matrix.shape}")
        rows = [d if matrix is None else matrix.shape[0] for matrix in (self.Q, self.K)]
        if rows[0] != rows[1]:
            raise InvalidInput(f"Q maps to R^{rows[0]} but K maps to R^{rows[1]}: <Qx, Ky> needs one dimension")
        if self.V is not None and self.V.shape != (d, d):
            raise InvalidInput(f"V must be square, of shape ({d}, {d}), got {self.V.shape}")

    def attend(self, x: Array, mu: Measure) -> Attended:
        """The attention's log-sum-exp and mean at the rows of `x`; see `Attention.attend`."""
        return self.attention.attend(x, mu, self.Q, self.K)

    def vector(self, attended: Attended) -> Array:
        """The vectors (m, d) that the head adds to the tokens, value matrix included."""
        return apply_matrix(self.V, self.attention.combine(attended))

    def __call__(self, x: Array, mu: Measure) -> Array:
        return self.vector(self.attend(x, mu))


def project(x: Array, mu: Measure, Q: Array | None, K: Array | None) -> tuple[Array, Array]:
    """The queries Q x_i and the keys K y_j."""
    return apply_matrix(Q, x), apply_matrix(K, mu.points)


def apply_matrix(matrix: Array | None, x: Array) -> Array:
    """`matrix` times each row of `x`; `None` stands for the identity."""
    return x if matrix is None else x @ matrix.astype(x.dtype).T


def _beta(value: ArrayLike) -> Array:
    try:
        beta = float_array(value, "beta")
    except InvalidInput as error:
        raise InvalidInput(f"beta must be a number, got {value!r}") from error
    if beta.ndim != 0:
        raise InvalidInput(f"beta must be one number, got shape {beta.shape}; use jax.vmap for several")
    if is_concrete(beta) and not bool(np.isfinite(np.asarray(beta))):
        raise InvalidInput(f"beta must be finite, got {float(beta)}; the limit beta = inf is hardmax attention")
    return beta


def _matrix(value: ArrayLike | None, name: str) -> Array | None:
    if value is None:
        return None
    matrix = float_array(value, name)
    if matrix.ndim != 2:
        raise InvalidInput(f"{name} must be a matrix, got shape {matrix.shape}")
    check_finite(matrix, name)
    return matrix
