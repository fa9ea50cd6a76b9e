"""Normalization: where the layer normalizes, as one mechanism (arXiv 2510.22026).

A token of the residual stream is x = r theta. With A what the layer adds, every scheme is
theta' = P_theta A / s, r' = g, and differs only in the speed factor s and the growth g. Each scheme is also the
discrete layer that practitioners write, which agrees with its equation to first order in the step.
"""

from __future__ import annotations

import sys
from abc import abstractmethod
from collections.abc import Callable
from typing import ClassVar

import equinox as eqx
import jax.numpy as jnp
import numpy as np
from jax import Array
from jax.typing import ArrayLike

from tokenfield._runtime.arguments import shown
from tokenfield.errors import InvalidInput
from tokenfield.geometry import length
from tokenfield.measure import check_finite, float_array, is_concrete
from tokenfield.model.gains import GainPerLayer, OfDepth, as_gain
from tokenfield.model.words import as_written


class Normalization(eqx.Module):
    """A scheme of normalization: theta' = P_theta A / s and r' = g for a token x = r theta (arXiv 2510.22026).

    A is what the layer adds; schemes differ in the speed factor s and the growth g. All vectors are (n, d), radii (n,
    1). Where the length r does not change, tokens live on the axis-aligned ellipsoid diag(gain) S^{d-1}, and theta is
    their coordinate on the sphere.

    - `has_radius`: whether the length r of the residual stream changes.
    - `commutes_with_rotations`: without a gain, no coordinate is special.
    - `is_steady`: nothing depends on depth.
    - `title`: the name in figures.

    Args:
        gain: The learned diagonal of the normalization: attention reads diag(gain) theta. d positive numbers, a
            function of t with such values, or a `GainPerLayer`: then the ellipsoid moves, and carries its tokens along
            with the same theta. By default ones.

    Raises:
        InvalidInput: If the gain is not a vector of positive numbers.

    >>> PreLN().has_radius, PostLN().has_radius
    (True, False)
    """

    has_radius: ClassVar[bool] = False
    commutes_with_rotations: ClassVar[bool] = False
    title: ClassVar[str] = ""

    gain: Array | OfDepth | GainPerLayer | None = eqx.field(converter=as_gain, default=None, kw_only=True)

    def __repr__(self) -> str:
        return as_written(self)

    @property
    def is_isotropic(self) -> bool:
        """Whether the flow with this scheme commutes with rotations."""
        return self.commutes_with_rotations and self.gain is None

    @property
    def is_steady(self) -> bool:
        """Whether the scheme is the same at every depth."""
        return False

    @property
    def numbers(self) -> dict[str, float | None]:
        """The parameters that titles of figures show, by letter; `None` for a function of depth."""
        return {}

    @abstractmethod
    def speed(self, t: Array | float, r: Array, A: Array) -> Array:
        """The factor s in theta' = P A / s: how much slower directions turn than on the sphere.

        Args:
            t: The time, that is, the depth.
            r: The lengths of the residual stream, shape (n, 1).
            A: What the layer adds, shape (n, d).

        Returns:
            The factor s, shape (n, 1).
        """

    def growth(self, t: Array | float, theta: Array, A: Array) -> Array:
        """The rate r' at which the length of the residual stream grows.

        Args:
            t: The time, that is, the depth.
            theta: The directions, shape (n, d).
            A: What the layer adds, shape (n, d).

        Returns:
            The rates, shape (n, 1); zero where lengths do not change.
        """
        return jnp.zeros_like(theta[:, :1])

    @abstractmethod
    def layer(self, t: Array | float, theta: Array, r: Array, A: Array, step: Array | float) -> tuple[Array, Array]:
        """Direction and radius after one discrete layer that adds `step` times A.

        Args:
            t: The time, that is, the depth.
            theta: The directions, shape (n, d).
            r: The lengths, shape (n, 1).
            A: What the layer adds, shape (n, d).
            step: The length of the layer in units of time.

        Returns:
            The new directions (n, d) and lengths (n, 1).
        """

    @property
    def gain_moves(self) -> bool:
        """Whether the gain changes with depth."""
        return isinstance(self.gain, OfDepth | GainPerLayer)

    def gain_at(self, t: Array | float) -> Array | None:
        """The gain at the time `t`.

        Args:
            t: The time, that is, the depth.

        Returns:
            The gain, shape (d,); `None` for ones.
        """
        return self.gain.at(t) if isinstance(self.gain, OfDepth | GainPerLayer) else self.gain

    def read(self, t: Array | float, theta: Array) -> Array:
        """What attention and perceptron read of the tokens: diag(gain) theta.

        Args:
            t: The time, that is, the depth.
            theta: The directions, shape (n, d).

        Returns:
            The vectors that are read, shape (n, d).
        """
        gain = self.gain_at(t)
        return theta if gain is None else theta * gain.astype(theta.dtype)

    def write(self, t: Array | float, A: Array) -> Array:
        """What is added, in the coordinates of theta: on the ellipsoid diag(gain)^{-1} A.

        Args:
            t: The time, that is, the depth.
            A: What the layer adds, shape (n, d).

        Returns:
            The vectors in those coordinates, shape (n, d).
        """
        gain = self.gain_at(t)
        return A if gain is None or self.has_radius else A / gain.astype(A.dtype)

    def jumps(self, t0: float, t1: float) -> np.ndarray:
        """The times in (t0, t1) where the scheme changes.

        Args:
            t0: The start of the span.
            t1: Its end.

        Returns:
            The times, increasing; usually none.
        """
        return self.gain.jumps(t0, t1) if isinstance(self.gain, GainPerLayer) else np.empty(0)

    def frozen(self, t: Array | float) -> Normalization:
        """The scheme that applies between the two changes around `t`.

        Args:
            t: A time between the two.

        Returns:
            A scheme that does not jump any more.
        """
        # only the gain: what else depends on depth may be smooth
        where = lambda scheme: scheme.gain  # noqa: E731
        return eqx.tree_at(where, self, self.gain.at(t)) if isinstance(self.gain, GainPerLayer) else self

    def check_dimension(self, d: int) -> None:
        """Does nothing if the gain fits tokens in R^d.

        Args:
            d: The dimension of the tokens.

        Raises:
            InvalidInput: If the gain has another length.
        """
        gain = eqx.filter_eval_shape(self.gain_at, 0.0)
        if gain is not None and gain.shape != (d,):
            raise InvalidInput(f"the gain must have shape ({d},), one entry per coordinate, got {gain.shape}")


class PostLN(Normalization):
    """Post-LN: x <- N(x + h A). s = 1, r' = 0: self-attention on the sphere (arXiv 2510.22026).

    Args:
        gain: The learned diagonal of the normalization, d positive numbers, or a function of depth; by default ones.

    Raises:
        InvalidInput: If the gain is not a vector of positive numbers.

    >>> from tokenfield import Softmax, Sphere, Transformer
    >>> Transformer(Sphere(3), Softmax(1.0), normalization=PostLN()).has_radius
    False
    """

    commutes_with_rotations: ClassVar[bool] = True
    title: ClassVar[str] = "Post-LN"

    @property
    def is_steady(self) -> bool:
        return not self.gain_moves

    def speed(self, t: Array | float, r: Array, A: Array) -> Array:
        return jnp.ones_like(r)

    def layer(self, t: Array | float, theta: Array, r: Array, A: Array, step: Array | float) -> tuple[Array, Array]:
        return _normalize(theta + step * A), r


class PreLN(Normalization):
    """Pre-LN: x <- x + h A(N(x)). s = r, r' = <theta, A>: tokens slow down as the stream grows (arXiv 2510.22026).

    Args:
        gain: The learned diagonal of the normalization, d positive numbers, or a function of depth; by default ones.

    Raises:
        InvalidInput: If the gain is not a vector of positive numbers.

    >>> PreLN().speed(0.0, jnp.asarray([[2.0]]), jnp.ones((1, 3))).tolist()
    [[2.0]]
    """

    has_radius: ClassVar[bool] = True
    commutes_with_rotations: ClassVar[bool] = True
    title: ClassVar[str] = "Pre-LN"

    @property
    def is_steady(self) -> bool:
        return not self.gain_moves

    def speed(self, t: Array | float, r: Array, A: Array) -> Array:
        return _off_origin(r)

    def growth(self, t: Array | float, theta: Array, A: Array) -> Array:
        return jnp.sum(theta * A, axis=1, keepdims=True)

    def layer(self, t: Array | float, theta: Array, r: Array, A: Array, step: Array | float) -> tuple[Array, Array]:
        return _polar(r * theta + step * A)


class PeriLN(Normalization):
    """Peri-LN: x <- x + h N(A(N(x))). s = r |A|, r' = <theta, A> / |A| (arXiv 2510.22026).

    Args:
        gain: The learned diagonal of the normalization, d positive numbers, or a function of depth; by default ones.

    Raises:
        InvalidInput: If the gain is not a vector of positive numbers.

    >>> PeriLN().speed(0.0, jnp.asarray([[2.0]]), jnp.asarray([[3.0, 4.0]])).tolist()
    [[10.0]]
    """

    has_radius: ClassVar[bool] = True
    commutes_with_rotations: ClassVar[bool] = True
    title: ClassVar[str] = "Peri-LN"

    @property
    def is_steady(self) -> bool:
        return not self.gain_moves

    def speed(self, t: Array | float, r: Array, A: Array) -> Array:
        return _off_origin(r) * _length(A)

    def growth(self, t: Array | float, theta: Array, A: Array) -> Array:
        return jnp.sum(theta * A, axis=1, keepdims=True) / _length(A)

    def layer(self, t: Array | float, theta: Array, r: Array, A: Array, step: Array | float) -> tuple[Array, Array]:
        return _polar(r * theta + step * A / _length(A))


class MixLN(Normalization):
    """Mix-LN: Post-LN for t < tau, Pre-LN afterwards (arXiv 2510.22026).

    Args:
        tau: The time at which Pre-LN takes over, a number >= 0.
        gain: The learned diagonal of the normalization, d positive numbers, or a function of depth; by default ones.

    Raises:
        InvalidInput: If tau is no time >= 0, or the gain not a vector of positive numbers.

    >>> MixLN(2.0).jumps(0.0, 5.0).tolist()
    [2.0]
    """

    has_radius: ClassVar[bool] = True
    commutes_with_rotations: ClassVar[bool] = True
    title: ClassVar[str] = "Mix-LN"

    tau: float = eqx.field(static=True)

    @property
    def numbers(self) -> dict[str, float | None]:
        return {r"\tau": float(self.tau)}

    def __check_init__(self) -> None:
        is_number = isinstance(self.tau, (int, float, np.integer, np.floating)) and not isinstance(self.tau, bool)
        if not (is_number and 0 <= self.tau <= sys.float_info.max):
            raise InvalidInput(f"MixLN(tau) needs a time >= 0 at which Pre-LN takes over, got {shown(self.tau)}")

    def _switch(self, t: Array | float, before: Array, after: Array) -> Array:
        # a few ulps of slack: a layer's start computed by a caller may fall just short of tau
        return jnp.where(jnp.asarray(t) < self.tau * (1 - 8 * np.finfo(np.float64).eps), before, after)

    def speed(self, t: Array | float, r: Array, A: Array) -> Array:
        return self._switch(t, jnp.ones_like(r), _off_origin(r))

    def growth(self, t: Array | float, theta: Array, A: Array) -> Array:
        rate = jnp.sum(theta * A, axis=1, keepdims=True)
        return self._switch(t, jnp.zeros_like(rate), rate)

    def layer(self, t: Array | float, theta: Array, r: Array, A: Array, step: Array | float) -> tuple[Array, Array]:
        post, pre = PostLN().layer(t, theta, r, A, step), PreLN().layer(t, theta, r, A, step)
        return self._switch(t, post[0], pre[0]), self._switch(t, post[1], pre[1])

    def write(self, t: Array | float, A: Array) -> Array:
        return self.written(t, A, side=t)

    def written(self, t: Array | float, A: Array, *, side: Array | float) -> Array:
        """What is added, as `write` returns it, with the gain of the time `t` and the scheme of the time `side`.

        Args:
            t: The time whose gain counts.
            A: What the layer adds, shape (n, d).
            side: A time on the side of tau that counts.

        Returns:
            The vectors in the coordinates of theta, shape (n, d).
        """
        gain = self.gain_at(t)
        return A if gain is None else self._switch(side, A / gain.astype(A.dtype), A)

    def jumps(self, t0: float, t1: float) -> np.ndarray:
        own = [self.tau] if t0 < self.tau < t1 else []
        return np.union1d(own, super().jumps(t0, t1))

    def frozen(self, t: Array | float) -> Normalization:
        # the whole step lies on the side of its middle
        fixed = super().frozen(t)
        assert isinstance(fixed, MixLN)
        return _Frozen(fixed, jnp.asarray(t))


class _Frozen(Normalization):
    """A Mix-LN on the side of the time `at`; its gain may still move."""

    has_radius: ClassVar[bool] = True

    scheme: MixLN
    at: Array

    def speed(self, t: Array | float, r: Array, A: Array) -> Array:
        return self.scheme.speed(self.at, r, A)

    def growth(self, t: Array | float, theta: Array, A: Array) -> Array:
        return self.scheme.growth(self.at, theta, A)

    def layer(self, t: Array | float, theta: Array, r: Array, A: Array, step: Array | float) -> tuple[Array, Array]:
        return self.scheme.layer(self.at, theta, r, A, step)

    def read(self, t: Array | float, theta: Array) -> Array:
        return self.scheme.read(t, theta)

    def write(self, t: Array | float, A: Array) -> Array:
        return self.scheme.written(t, A, side=self.at)


class NGPT(Normalization):
    """nGPT: x <- N(x + h alpha (N(A) - x)). s = |A| / alpha, r' = 0: steps of equal length (arXiv 2510.22026).

    Args:
        alpha: The length of a step in units of time, one positive number or a positive function of t; by default 1.
        gain: The learned diagonal of the normalization, d positive numbers, or a function of depth; by default ones.

    Raises:
        InvalidInput: If alpha or the gain is not positive.

    >>> float(NGPT(lambda t: 1 / (1 + t)).alpha_at(1.0))
    0.5
    """

    commutes_with_rotations: ClassVar[bool] = True
    title: ClassVar[str] = "nGPT"

    alpha: Array | OfDepth = eqx.field(converter=lambda alpha: _alpha(alpha), default=1.0)

    @property
    def is_steady(self) -> bool:
        return not (isinstance(self.alpha, OfDepth) or self.gain_moves)

    @property
    def numbers(self) -> dict[str, float | None]:
        if isinstance(self.alpha, OfDepth):
            return {r"\alpha": None}
        return {} if float(self.alpha) == 1 else {r"\alpha": float(self.alpha)}

    def alpha_at(self, t: Array | float) -> Array:
        """The number alpha at time `t`.

        Args:
            t: The time, that is, the depth.

        Returns:
            One number.
        """
        return self.alpha.at(t) if isinstance(self.alpha, OfDepth) else self.alpha

    def speed(self, t: Array | float, r: Array, A: Array) -> Array:
        return _length(A) / self.alpha_at(t).astype(A.dtype)

    def layer(self, t: Array | float, theta: Array, r: Array, A: Array, step: Array | float) -> tuple[Array, Array]:
        return _normalize(theta + step * self.alpha_at(t).astype(A.dtype) * (A / _length(A) - theta)), r


class DepthScaled(Normalization):
    """LayerNorm scaling: x <- N(x + h A / sqrt(t + 1)). s = sqrt(t + 1), r' = 0 (arXiv 2510.22026).

    Args:
        gain: The learned diagonal of the normalization, d positive numbers, or a function of depth; by default ones.

    Raises:
        InvalidInput: If the gain is not a vector of positive numbers.

    >>> DepthScaled().speed(3.0, jnp.ones((1, 1)), jnp.ones((1, 3))).tolist()
    [[2.0]]
    """

    commutes_with_rotations: ClassVar[bool] = True
    title: ClassVar[str] = "depth-scaled LN"

    def speed(self, t: Array | float, r: Array, A: Array) -> Array:
        return jnp.ones_like(r) * jnp.sqrt(jnp.asarray(t, r.dtype) + 1)

    def layer(self, t: Array | float, theta: Array, r: Array, A: Array, step: Array | float) -> tuple[Array, Array]:
        return _normalize(theta + step * A / self.speed(t, r, A)), r


def _normalize(x: Array) -> Array:
    return x / jnp.sqrt(jnp.sum(x * x, axis=1, keepdims=True))


def _polar(x: Array) -> tuple[Array, Array]:
    r = jnp.sqrt(jnp.sum(x * x, axis=1, keepdims=True))
    return x / r, r


def _off_origin(r: Array) -> Array:
    """r, or NaN where it is not positive: a token at the origin has no direction, and its flow ends there."""
    return jnp.where(r > 0, r, jnp.nan)


def _length(A: Array) -> Array:
    """|A|, infinite below rounding: a layer that adds nothing but rounding errors then moves nothing."""
    size = length(A)
    return jnp.where(size <= 64 * jnp.finfo(A.dtype).eps, jnp.inf, size)


def _alpha(value: ArrayLike | OfDepth | Callable[[Array], ArrayLike]) -> Array | OfDepth:
    if isinstance(value, OfDepth):
        return value
    if callable(value):
        found = float_array(value(jnp.asarray(0.0)), "alpha(0)")
        if found.shape != ():
            raise InvalidInput(f"NGPT(alpha) needs a function of t with one number as value, got shape {found.shape}")
        return OfDepth(value)
    alpha = float_array(value, "alpha")
    check_finite(alpha, "alpha")
    if alpha.ndim != 0 or (is_concrete(alpha) and not float(alpha) > 0):
        raise InvalidInput(f"NGPT(alpha) needs one positive number, or a function of t, got {value!r}")
    return alpha
