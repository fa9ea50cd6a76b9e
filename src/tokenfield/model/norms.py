"""Norms of real layers: LayerNorm and RMSNorm, maps of one token in R^d with their gain, bias and eps.

They are parts of a `Sublayer`. The schemes of `normalization.py` say instead where tokens of the sphere are normalized.
"""

from __future__ import annotations

import sys
from abc import abstractmethod

import equinox as eqx
import jax.numpy as jnp
import numpy as np
from jax import Array
from jax.typing import ArrayLike

from tokenfield._runtime.arguments import shown
from tokenfield.errors import InvalidInput
from tokenfield.model.numbers import check_vector
from tokenfield.model.words import as_written


class Norm(eqx.Module):
    """A map that brings each token to a fixed size and scales its coordinates.

    >>> LayerNorm(eps=0.0)(jnp.asarray([[3.0, 1.0]])).tolist()
    [[1.0, -1.0]]
    """

    def __repr__(self) -> str:
        return as_written(self)

    @abstractmethod
    def __call__(self, x: Array) -> Array:
        """The tokens (n, d), normalized one by one.

        Args:
            x: The tokens, shape (n, d).

        Returns:
            The normalized tokens, shape (n, d).
        """

    @abstractmethod
    def check_dimension(self, d: int) -> None:
        """Does nothing if the norm acts on R^d.

        Args:
            d: The dimension of the tokens.

        Raises:
            InvalidInput: If the gain or the bias has another length.
        """


class LayerNorm(Norm):
    """LayerNorm as practitioners have it: gain (x - mean(x)) / sqrt(var(x) + eps) + bias (arXiv 1607.06450).

    Mean and variance are over the coordinates of one token.

    Args:
        gain: The factor of each coordinate, d numbers of any sign; by default ones.
        bias: What is added to each coordinate, d numbers; by default nothing.
        eps: What keeps the root away from zero, a number >= 0; by default 1e-5.

    Raises:
        InvalidInput: If gain or bias is no vector of finite numbers, or eps is negative.

    >>> norm = LayerNorm(gain=[1.0, -2.0], bias=[0.0, 1.0], eps=0.0)
    >>> norm(jnp.asarray([[3.0, 1.0]])).tolist()
    [[1.0, 3.0]]
    """

    gain: Array | None
    bias: Array | None
    eps: float = eqx.field(static=True)

    def __init__(self, gain: ArrayLike | None = None, bias: ArrayLike | None = None, *, eps: float = 1e-5):
        self.gain, self.bias, self.eps = check_vector(gain, "gain"), check_vector(bias, "bias"), _eps(eps)

    def __call__(self, x: Array) -> Array:
        centered = x - jnp.mean(x, axis=-1, keepdims=True)
        unit = centered / jnp.sqrt(jnp.mean(centered * centered, axis=-1, keepdims=True) + self.eps)
        scaled = unit if self.gain is None else unit * self.gain.astype(x.dtype)
        return scaled if self.bias is None else scaled + self.bias.astype(x.dtype)

    def check_dimension(self, d: int) -> None:
        _check_length(self.gain, "gain", d)
        _check_length(self.bias, "bias", d)


class RMSNorm(Norm):
    """RMSNorm: gain x / sqrt(mean(x^2) + eps) (arXiv 1910.07467).

    The mean is over the coordinates of one token.

    Args:
        gain: The factor of each coordinate, d numbers of any sign; by default ones.
        eps: What keeps the root away from zero, a number >= 0; by default 1e-6.

    Raises:
        InvalidInput: If the gain is no vector of finite numbers, or eps is negative.

    >>> RMSNorm(eps=0.0)(jnp.asarray([[2.0, -2.0]])).tolist()
    [[1.0, -1.0]]
    """

    gain: Array | None
    eps: float = eqx.field(static=True)

    def __init__(self, gain: ArrayLike | None = None, *, eps: float = 1e-6):
        self.gain, self.eps = check_vector(gain, "gain"), _eps(eps)

    def __call__(self, x: Array) -> Array:
        unit = x / jnp.sqrt(jnp.mean(x * x, axis=-1, keepdims=True) + self.eps)
        return unit if self.gain is None else unit * self.gain.astype(x.dtype)

    def check_dimension(self, d: int) -> None:
        _check_length(self.gain, "gain", d)


def _eps(value: float) -> float:
    is_number = isinstance(value, int | float | np.integer | np.floating) and not isinstance(value, bool)
    if not (is_number and 0 <= value <= sys.float_info.max):
        raise InvalidInput(f"eps must be a number >= 0, got {shown(value)}")
    return float(value)


def _check_length(vector: Array | None, name: str, d: int) -> None:
    if vector is not None and vector.shape != (d,):
        raise InvalidInput(f"the {name} of a norm must have shape ({d},), one entry per coordinate, got {vector.shape}")
