"""Attention kinds: which weights a token gives to the others it sees.

An attention turns queries Q x_i and keys K y_j into the vectors int a(x_i, y) y dmu_i(y), where mu_i is the part of the
measure that query i sees (all of it, unless positions matter). How the sum is computed is up to `tokenfield.sums`;
matrices, geometry and time are not known here. Whatever others ask about a kind is written in its class and nowhere
else: its kernel, its energy, its map of Gaussians, what it commutes with, its name in figures. `Sinkhorn` has a file
of its own.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, ClassVar, NamedTuple

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jax import Array
from jax.typing import ArrayLike

from tokenfield import sums
from tokenfield.errors import InvalidInput, Unsupported
from tokenfield.measure import float_array, is_concrete
from tokenfield.model.pairs import Pairs
from tokenfield.model.projected import (
    Projected,
    attend_distance,
    attend_dot,
    attend_kernel,
    features_of_distance,
    mean_of,
    relative_to_seen_mass,
    seen_log_mass,
    with_bounded_decay,
)
from tokenfield.model.words import as_written
from tokenfield.sums import Attended


class PairKernel(NamedTuple):
    """The weight of a pair before any normalization: e^{log(u)}, u = <Qx, Ky>, or u = |Qx - Ky|^2 if `of_distance`."""

    log: Callable[[Any], Any]
    of_distance: bool = False

    def log_of_cosine(self, c: Any) -> Any:
        """Its logarithm on the unit sphere with Q = K = I, as a function of the cosine c = <x, y>."""
        return self.log(2 - 2 * c if self.of_distance else c)

    def on_sphere(self, dtype: Any) -> tuple[Callable[[Array], Array], Array]:
        """The kernel as a function of the cosine, scaled so that the larger of its ends is 1, and the log of the scale.

        A kernel that is monotone in the cosine is then at most 1.
        """
        log_scale = jnp.max(self.log_of_cosine(jnp.asarray([-1.0, 1.0], dtype)))
        return lambda c: jnp.exp(self.log_of_cosine(c) - log_scale), log_scale


class Attention(eqx.Module):
    """A kind of attention: the vector int a(x, y) y dmu(y) that a token at x receives, before the value matrix.

    A kind of your own is a subclass with its `pair_kernel`, or with `attend` where there is no such kernel, and with
    the facts below where they differ. Where a query sees nothing, its vector and its mass are 0.

    - `is_average`: the weights a(x, .) sum to one, so tokens in R^d grow at most exponentially.
    - `has_mass`: weights are nowhere negative, so they have a total.
    - `is_isotropic`: tokens are seen through inner products and distances only, so the flow commutes with rotations.
    - `is_smooth`: the weight of a pair is a smooth function of the pair, up to a factor of each row.
    - `is_exponential`: the weight of a pair is e^{beta <Qx, Ky>}, before any normalization.
    - `collapses`: tokens of a cluster collapse to a point, so that they may be merged; needs a `pair_kernel`.
    - `keeps_gaussians`: a Gaussian law stays Gaussian; needs a `gaussian_map`.
    - `name`: what theory and configs call the kind.
    - `letters`: the parameters that titles of figures show, by name, as mathtext.

    >>> class Cauchy(Attention):  # weights 1/(1 + |Qx - Ky|^2), normalized
    ...     is_average = True
    ...     pair_kernel = PairKernel(lambda u: -jnp.log1p(u), of_distance=True)
    >>> from tokenfield import Euclidean, Measure, Transformer
    >>> model, mu = Transformer(Euclidean(1), Cauchy()), Measure([[0.0], [1.0]], [1.0, 2.0])
    >>> model.velocity(0.0, jnp.zeros((1, 1)), mu).round(6).tolist()
    [[0.5]]
    """

    name: ClassVar[str] = ""
    is_average: ClassVar[bool] = False
    has_mass: ClassVar[bool] = True
    is_isotropic: ClassVar[bool] = False
    is_smooth: ClassVar[bool] = False
    is_exponential: ClassVar[bool] = False
    collapses: ClassVar[bool] = False
    keeps_gaussians: ClassVar[bool] = False
    letters: ClassVar[Mapping[str, str]] = {"beta": r"\beta", "bias": "b", "radius": r"\mathrm{radius}"}

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        # a kind of a user's own may look at coordinates, and theorems are not about it: these facts are not inherited,
        # each class says them for itself
        if "is_isotropic" not in vars(cls):
            cls.is_isotropic = False
        if "name" not in vars(cls):
            cls.name = ""

    def __repr__(self) -> str:
        return as_written(self)

    @property
    def pair_kernel(self) -> PairKernel | None:
        """The weight as a function of the inner product or the distance alone; `None` if it is more than that."""
        return None

    def attend(self, projected: Projected, values: Array) -> Attended:
        """The log of the weights' total and the weighted mean of `values`, for each query.

        Args:
            projected: Queries (m, k), keys (n, k) and the weights (n,) of the tokens, with what positions hide of them.
            values: What is averaged, shape (n, p); usually the tokens themselves.

        Returns:
            `log_sum` (m,) and `mean` (m, p), as `tokenfield.sums.Attended`.
        """
        kernel = self.pair_kernel
        if kernel is None:
            raise NotImplementedError(f"{type(self).__name__} needs a pair_kernel, or its own attend")
        weight = lambda u: jnp.exp(kernel.log(u))  # noqa: E731
        attended = attend_kernel(weight, projected, values, of_distance=kernel.of_distance)
        return attended if self.is_average else relative_to_seen_mass(attended, projected)

    def combine(self, attended: Attended) -> Array:
        """The vectors int a(x, y) v dmu(y), from what `attend` returned.

        Args:
            attended: What `attend` returned for values of p columns.

        Returns:
            One vector for each query, shape (m, p).
        """
        return attended.mean if self.is_average else self.mass(attended)[:, None] * attended.mean

    def mass(self, attended: Attended) -> Array:
        """The total weight int a(x, y) dmu(y) of each query; 1 for averages, 0 where nothing is seen.

        Args:
            attended: What `attend` returned.

        Returns:
            The totals, shape (m,).

        Raises:
            Unsupported: If weights have either sign, as for linear attention.
        """
        if not self.is_average:
            return jnp.exp(attended.log_sum)
        return (attended.log_sum > -jnp.inf).astype(attended.log_sum.dtype)

    def matrix(self, projected: Projected) -> Array:
        """The matrix w_j a(x_i, y_j), formed as a whole: for a few thousand tokens.

        Args:
            projected: Queries (m, k), keys (n, k) and weights (n,).

        Returns:
            The matrix, shape (m, n). Rows sum to one for averages.
        """
        return self.combine(self.attend(projected, jnp.eye(projected.keys.shape[0], dtype=projected.keys.dtype)))

    def energy(self, pairs: Pairs, *, normalized: bool = False) -> Array:
        """The energy whose gradient is the vector field when Q^T K is symmetric and V = I.

        `normalized` scales it so that on the sphere with Q = K = I it lies in [0, 1] and k equal, well separated
        clusters give 1/k. Positions do not enter: a masked flow is no gradient flow.

        Args:
            pairs: All pairs of the measure, as one head sees them (`Transformer.pairs`).
            normalized: Whether the energy is scaled to lie in [0, 1]; by default it is not.

        Returns:
            The energy, a scalar.

        Raises:
            Unsupported: If this kind of attention is not driven by an energy.
        """
        raise Unsupported(f"{type(self).__name__} attention is not driven by an energy")

    def gaussian_map(self, B: Array, C: Array, mean: Array, covariance: Array) -> tuple[Array, Array]:
        """(M, b) with int a(x, y) y dmu(y) = M x + b in a Gaussian law mu (arXiv 2501.18322).

        Args:
            B: The matrix K^T Q, shape (d, d).
            C: The matrix K^T K, shape (d, d).
            mean: The mean of mu, shape (d,).
            covariance: The covariance of mu, shape (d, d).

        Returns:
            The slope M (d, d) and the offset b (d,).

        Raises:
            NotImplementedError: If the kind says that it keeps Gaussians and does not say how.
        """
        raise NotImplementedError(f"{type(self).__name__} keeps Gaussians but has no gaussian_map")

    def check_gaussian(self) -> None:
        """Raises `Unsupported` unless Gaussian laws stay Gaussian."""
        if not self.keeps_gaussians:
            name = type(self).__name__
            raise Unsupported(f"{name} attention does not keep Gaussians: softmax, L2, Sinkhorn and linear do")

    @property
    def sharpness(self) -> Array | None:
        """The beta for which e^{beta <x, y>} is as narrow as this kernel on the sphere; `None` if nothing is."""
        return None

    @property
    def exponent(self) -> Array | None:
        """The c for which the weights are e^{c <Qx, Ky>} up to factors of x and of y alone; `None` if there is none."""
        return None

    @property
    def title(self) -> str:
        """The name of the kind in figures."""
        return type(self).__name__

    def energy_formula(self, *, normalized: bool, product: str, distance: str) -> str:
        """What `energy` returns, as mathtext for the axis of a figure.

        Args:
            normalized: Whether the normalized energy is meant.
            product: The mean of <Qx, Ky> as mathtext, for kinds whose energy tends to it as beta -> 0.
            distance: The mean of |Qx - Ky|^2 as mathtext, likewise.

        Returns:
            The formula, without dollar signs.
        """
        return r"E \,/\, E_{\mathrm{one\ cluster}}" if normalized else "E"


class Softmax(Attention):
    """Self-attention (SA): int e^{beta <Qx, Ky>} y dmu(y) / int e^{beta <Qx, Ky>} dmu(y) (arXiv 2312.10794).

    Args:
        beta: The inverse temperature, one finite number of any sign. Large beta attends to the nearest tokens only.

    Raises:
        InvalidInput: If beta is not one finite number.

    >>> Softmax(9.0).beta.item()
    9.0
    """

    name: ClassVar[str] = "softmax"
    is_average: ClassVar[bool] = True
    is_isotropic: ClassVar[bool] = True
    is_smooth: ClassVar[bool] = True
    is_exponential: ClassVar[bool] = True
    collapses: ClassVar[bool] = True
    keeps_gaussians: ClassVar[bool] = True

    beta: Array = eqx.field(converter=lambda beta: check_beta(beta))

    def attend(self, projected: Projected, values: Array) -> Attended:
        return attend_dot(self.beta, projected, values)

    def energy(self, pairs: Pairs, *, normalized: bool = False) -> Array:
        """(1/2 beta) iint e^{beta <Qx, Ky>}; at beta = 0 the limit of E - 1/(2 beta) (arXiv 2312.10794).

        Normalized, it is 2 beta e^{-|beta|} times that.

        Args:
            pairs: All pairs of the measure, as one head sees them (`Transformer.pairs`).
            normalized: Whether the energy is scaled to lie in [0, 1]; by default it is not.

        Returns:
            The energy, a scalar.
        """
        return _exponential_energy(self, self.beta, pairs, normalized)

    def energy_formula(self, *, normalized: bool, product: str, distance: str) -> str:
        return _exponential_formula(self.beta, normalized, product)

    def gaussian_map(self, B: Array, C: Array, mean: Array, covariance: Array) -> tuple[Array, Array]:
        return covariance @ (self.beta.astype(mean.dtype) * B), mean

    @property
    def pair_kernel(self) -> PairKernel:
        return PairKernel(lambda u: self.beta.astype(u.dtype) * u)

    @property
    def title(self) -> str:
        return "SA"

    @property
    def sharpness(self) -> Array | None:
        return self.beta

    @property
    def exponent(self) -> Array | None:
        return self.beta


class Unnormalized(Attention):
    """Unnormalized self-attention (USA): int e^{beta <Qx, Ky>} y dmu(y) (arXiv 2312.10794).

    Args:
        beta: The inverse temperature, one finite number of any sign. Large beta attends to the nearest tokens only.

    Raises:
        InvalidInput: If beta is not one finite number.

    >>> from tokenfield import Head, Measure
    >>> Head(Unnormalized(0.0))(jnp.eye(2), Measure(jnp.eye(2))).tolist()  # the mean, at beta = 0
    [[0.5, 0.5], [0.5, 0.5]]
    """

    name: ClassVar[str] = "unnormalized"
    is_isotropic: ClassVar[bool] = True
    is_smooth: ClassVar[bool] = True
    is_exponential: ClassVar[bool] = True
    collapses: ClassVar[bool] = True

    beta: Array = eqx.field(converter=lambda beta: check_beta(beta))

    def attend(self, projected: Projected, values: Array) -> Attended:
        return relative_to_seen_mass(attend_dot(self.beta, projected, values), projected)

    def energy(self, pairs: Pairs, *, normalized: bool = False) -> Array:
        """(1/2 beta) iint e^{beta <Qx, Ky>}; at beta = 0 the limit of E - 1/(2 beta) (arXiv 2312.10794).

        Normalized, it is 2 beta e^{-|beta|} times that.

        Args:
            pairs: All pairs of the measure, as one head sees them (`Transformer.pairs`).
            normalized: Whether the energy is scaled to lie in [0, 1]; by default it is not.

        Returns:
            The energy, a scalar.
        """
        return _exponential_energy(self, self.beta, pairs, normalized)

    def energy_formula(self, *, normalized: bool, product: str, distance: str) -> str:
        return _exponential_formula(self.beta, normalized, product)

    @property
    def pair_kernel(self) -> PairKernel:
        return PairKernel(lambda u: self.beta.astype(u.dtype) * u)

    @property
    def title(self) -> str:
        return "USA"

    @property
    def sharpness(self) -> Array | None:
        return self.beta

    @property
    def exponent(self) -> Array | None:
        return self.beta


def _exponential_energy(attention: Attention, beta: Array, pairs: Pairs, normalized: bool) -> Array:
    log_total = pairs.log_total(attention)
    beta = beta.astype(log_total.dtype)
    if normalized:
        return jnp.exp(log_total - jnp.abs(beta))
    # the inner `where` keeps the division, and so the gradient, finite on the side that is not taken
    safe = jnp.where(beta == 0, 1.0, beta)
    return jnp.where(beta == 0, pairs.mean_product() / 2, jnp.exp(log_total) / (2 * safe))


def _exponential_formula(beta: Array, normalized: bool, product: str) -> str:
    if not normalized:
        return rf"{product} / 2"
    return r"2\beta e^{-|\beta|} E_\beta" if float(beta) < 0 else r"2\beta e^{-\beta} E_\beta"


class L2(Attention):
    """L2 attention: weights e^{-beta |Qx - Ky|^2}, normalized over y (arXiv 2501.18322).

    On the sphere with Q = K = I this is `Softmax(2 * beta)`.

    Args:
        beta: The inverse temperature, one finite number of any sign. Large beta attends to the nearest tokens only.

    Raises:
        InvalidInput: If beta is not one finite number.

    >>> L2(2.0).sharpness.item()  # the beta of the softmax that is as narrow
    4.0
    """

    name: ClassVar[str] = "l2"
    is_average: ClassVar[bool] = True
    is_isotropic: ClassVar[bool] = True
    is_smooth: ClassVar[bool] = True
    collapses: ClassVar[bool] = True
    keeps_gaussians: ClassVar[bool] = True

    beta: Array = eqx.field(converter=lambda beta: check_beta(beta))

    def attend(self, projected: Projected, values: Array) -> Attended:
        return attend_distance(self.beta, projected, values)

    def energy(self, pairs: Pairs, *, normalized: bool = False) -> Array:
        """(1/4 beta) iint e^{-beta |Qx - Ky|^2}, whose gradient is the field of y - x; times 4 beta if normalized.

        At beta = 0 it is the limit of E - 1/(4 beta).

        Args:
            pairs: All pairs of the measure, as one head sees them (`Transformer.pairs`).
            normalized: Whether the energy is scaled to lie in [0, 1]; by default it is not.

        Returns:
            The energy, a scalar.
        """
        total = jnp.exp(pairs.log_total(self))
        beta = self.beta.astype(total.dtype)
        limit, safe = -pairs.mean_squared_distance() / 4, jnp.where(beta == 0, 1.0, beta)
        return total if normalized else jnp.where(beta == 0, limit, total / (4 * safe))

    def energy_formula(self, *, normalized: bool, product: str, distance: str) -> str:
        return r"4\beta E_\beta" if normalized else rf"-{distance} / 4"

    def gaussian_map(self, B: Array, C: Array, mean: Array, covariance: Array) -> tuple[Array, Array]:
        # completing the square: precision S^-1 + 2 beta K^T K, written without the inverse of S
        beta = self.beta.astype(mean.dtype)
        shrink = jnp.linalg.inv(jnp.eye(len(mean), dtype=mean.dtype) + covariance @ (2 * beta * C))
        return shrink @ covariance @ (2 * (beta * B)), shrink @ mean

    @property
    def pair_kernel(self) -> PairKernel:
        return PairKernel(lambda u: -self.beta.astype(u.dtype) * u, of_distance=True)

    @property
    def sharpness(self) -> Array | None:
        return 2 * self.beta

    @property
    def exponent(self) -> Array | None:
        return 2 * self.beta


class Sigmoid(Attention):
    """Sigmoid attention: int sigma(beta <Qx, Ky> + bias) y dmu(y), without normalization (arXiv 2501.18322).

    Args:
        beta: The inverse temperature, one finite number of any sign. Large beta attends to the nearest tokens only.
        bias: What is added to every logit, one finite number, by default 0. Negative ones make attention sparse.

    Raises:
        InvalidInput: If beta or the bias is not one finite number.

    >>> Sigmoid(4.0, bias=-2.0)
    Sigmoid(beta=4, bias=-2)
    """

    name: ClassVar[str] = "sigmoid"
    is_isotropic: ClassVar[bool] = True
    is_smooth: ClassVar[bool] = True

    beta: Array = eqx.field(converter=lambda beta: check_beta(beta))
    bias: Array = eqx.field(converter=lambda bias: check_number(bias, "bias"), default=0.0)

    def attend(self, projected: Projected, values: Array) -> Attended:
        projected = with_bounded_decay(projected)
        q, k, w, _, band, _ = projected
        beta, bias = self.beta.astype(q.dtype), self.bias.astype(q.dtype)
        weighed = sums.weigh(beta * q, k, values, w, lambda logits: jax.nn.sigmoid(logits + bias), band=band)
        return relative_to_seen_mass(mean_of(weighed), projected)

    def energy(self, pairs: Pairs, *, normalized: bool = False) -> Array:
        """(1/2 beta) iint log(1 + e^{beta <Qx, Ky> + bias}); normalized: divided by its value at a single cluster.

        At beta = 0 it is the limit of E - log(1 + e^bias) / (2 beta).

        Args:
            pairs: All pairs of the measure, as one head sees them (`Transformer.pairs`).
            normalized: Whether the energy is scaled to lie in [0, 1]; by default it is not.

        Returns:
            The energy, a scalar.
        """
        product = pairs.mean_product()
        beta, bias = self.beta.astype(product.dtype), self.bias.astype(product.dtype)
        total = pairs.total(lambda u: jax.nn.softplus(beta * u + bias))
        if normalized:
            return total / jax.nn.softplus(jnp.abs(beta) + bias)
        limit = jax.nn.sigmoid(bias) * product / 2
        return jnp.where(beta == 0, limit, total / (2 * jnp.where(beta == 0, 1.0, beta)))

    def energy_formula(self, *, normalized: bool, product: str, distance: str) -> str:
        return r"E \,/\, E_{\mathrm{one\ cluster}}" if normalized else rf"\sigma(b)\,{product} / 2"

    @property
    def pair_kernel(self) -> PairKernel:
        return PairKernel(lambda u: jax.nn.log_sigmoid(self.beta.astype(u.dtype) * u + self.bias.astype(u.dtype)))

    @property
    def title(self) -> str:
        return "sigmoid"

    @property
    def sharpness(self) -> Array | None:
        return self.beta


class Linear(Attention):
    """Linear attention: beta int <Qx, Ky> y dmu(y) (arXiv 2501.18322), in O(n d^2) without positions.

    The weights may be negative and sum to anything: `attend` returns the vector itself as the mean.

    Args:
        beta: The factor of the inner products, one finite number, by default 1.

    Raises:
        InvalidInput: If beta is not one finite number.

    >>> from tokenfield import Head, Measure
    >>> Head(Linear())(jnp.asarray([[1.0, 0.0]]), Measure(jnp.eye(2))).tolist()
    [[0.5, 0.0]]
    """

    name: ClassVar[str] = "linear"
    has_mass: ClassVar[bool] = False
    is_isotropic: ClassVar[bool] = True
    is_smooth: ClassVar[bool] = True
    keeps_gaussians: ClassVar[bool] = True

    beta: Array = eqx.field(converter=lambda beta: check_beta(beta), default=1.0)

    def attend(self, projected: Projected, values: Array) -> Attended:
        projected = with_bounded_decay(projected)
        q, k, w, _, band, _ = projected
        beta = self.beta.astype(q.dtype)
        if band is None:
            vector = beta * (q @ (k.T @ (w[:, None] * values)))
        else:
            vector = beta * sums.weigh(q, k, values, w, lambda logits: logits, band=band).sums
            mass = seen_log_mass(projected)
            sees = (mass > -jnp.inf)[:, None]
            vector = jnp.where(sees, vector / jnp.exp(jnp.where(sees, mass[:, None], 0.0)), 0.0)
        return Attended(jnp.zeros_like(q[:, 0]), vector)

    def combine(self, attended: Attended) -> Array:
        return attended.mean

    def mass(self, attended: Attended) -> Array:
        raise Unsupported("linear attention has weights of either sign, which do not add up to a mass")

    def energy(self, pairs: Pairs, *, normalized: bool = False) -> Array:
        """(beta/4) iint <Qx, Ky>^2; normalized: iint <Qx, Ky>^2.

        Args:
            pairs: All pairs of the measure, as one head sees them (`Transformer.pairs`).
            normalized: Whether the energy is scaled to lie in [0, 1]; by default it is not.

        Returns:
            The energy, a scalar.
        """
        total = pairs.mean_squared_product()
        return total if normalized else self.beta.astype(total.dtype) * total / 4

    def energy_formula(self, *, normalized: bool, product: str, distance: str) -> str:
        return r"4E / \beta" if normalized else "E"

    def gaussian_map(self, B: Array, C: Array, mean: Array, covariance: Array) -> tuple[Array, Array]:
        A = self.beta.astype(mean.dtype) * B
        return (covariance + jnp.outer(mean, mean)) @ A, jnp.zeros_like(mean)

    @property
    def title(self) -> str:
        return "linear"


class Hardmax(Attention):
    """Hardmax: the mean of the y that maximize <Qx, Ky>, the limit beta -> infinity of softmax (arXiv 2407.01602).

    Args:
        tolerance: How close an inner product must be to the largest one, relative to |Qx| max |Ky|, to count as a tie;
            by default 1e-9. Ties are averaged with their weights. One below the rounding of products stands for that.

    Raises:
        InvalidInput: If the tolerance is not one finite number >= 0.

    >>> from tokenfield import Head, Measure
    >>> Head(Hardmax())(jnp.asarray([[0.9, 0.1]]), Measure(jnp.eye(2))).tolist()
    [[1.0, 0.0]]
    """

    name: ClassVar[str] = "hardmax"
    is_average: ClassVar[bool] = True
    is_isotropic: ClassVar[bool] = True

    tolerance: Array = eqx.field(converter=lambda value: check_tolerance(value), default=1e-9)

    def attend(self, projected: Projected, values: Array) -> Attended:
        q, k, w, _, band, _ = with_bounded_decay(projected)
        largest = jax.lax.stop_gradient(sums.largest(q, k, band))
        longest = jnp.sqrt(jnp.max(jnp.sum(k * k, axis=1)))
        # the maximum and the products are rounded separately: without some slack a row might reach nothing
        tolerance = jnp.maximum(self.tolerance.astype(q.dtype), _rounding(q))
        slack = tolerance * jnp.sqrt(jnp.sum(q * q, axis=1)) * longest
        # nothing seen: any finite threshold will do, since nothing is weighed either
        threshold = jnp.where(jnp.isfinite(largest), largest - jax.lax.stop_gradient(slack), 0.0)
        weighed = sums.weigh(q, k, values, w, _is_reached, shift=threshold, band=band)
        if band is not None and band.slope is not None:
            # a maximum so far away that its weight underflows is the maximum all the same
            band = band._replace(slope=None, offset=None)
            (total, added), is_lost = weighed, weighed.total == 0
            flat = sums.weigh(q, k, values, w, _is_reached, shift=threshold, band=band)
            weighed = sums.Weighed(jnp.where(is_lost, flat.total, total), jnp.where(is_lost[:, None], flat.sums, added))
        return mean_of(weighed)

    @property
    def title(self) -> str:
        return "hardmax"


class Krause(Attention):
    """Bounded confidence: the mean of the y with |Qx - Ky| <= radius (Hegselmann-Krause; arXiv 2602.11534).

    A token that sees nobody within the radius gets the zero vector.

    Args:
        radius: How far tokens see, one positive number, as a distance of queries and keys. Distances that equal it up
            to rounding count as within.

    Raises:
        InvalidInput: If the radius is not one positive number.

    >>> from tokenfield import Head, Measure
    >>> Head(Krause(1.0))(jnp.asarray([[0.0]]), Measure([[-2.0], [0.0], [1.0]])).tolist()
    [[0.5]]
    """

    name: ClassVar[str] = "krause"
    is_average: ClassVar[bool] = True
    is_isotropic: ClassVar[bool] = True

    radius: Array = eqx.field(converter=lambda value: check_radius(value))

    def attend(self, projected: Projected, values: Array) -> Attended:
        q, k = features_of_distance(projected)
        # |Qx|^2 + |Ky|^2 - 2 <Qx, Ky> is rounded: without the slack a token might not see itself at a tiny radius
        slack = _rounding(q) * jax.lax.stop_gradient(jnp.max(-k[:, -2]) - q[:, -1])
        squared, (_, _, w, _, band, _) = self.radius.astype(q.dtype) ** 2 + slack, with_bounded_decay(projected)
        return mean_of(sums.weigh(q, k, values, w, _is_reached, shift=-squared, band=band))

    @property
    def sharpness(self) -> Array | None:
        return 1 / self.radius**2


def _rounding(q: Array) -> float:
    """The rounding of an inner product with `q` (m, k), relative to the product of the norms."""
    return 2 * (q.shape[1] + 2) * float(jnp.finfo(q.dtype).eps)


def _is_reached(logits: Array) -> Array:
    return (logits >= 0).astype(logits.dtype)


def check_number(value: ArrayLike, name: str) -> Array:
    """`value` as one finite number; raises `InvalidInput` that calls it `name`."""
    try:
        number = float_array(value, name)
    except InvalidInput as error:
        raise InvalidInput(f"{name} must be a number, got {value!r}") from error
    if number.ndim != 0:
        raise InvalidInput(f"{name} must be one number, got shape {number.shape}; use jax.vmap for several")
    if is_concrete(number) and not bool(np.isfinite(np.asarray(number))):
        hint = "; the limit beta = inf is hardmax attention" if name == "beta" else ""
        raise InvalidInput(f"{name} must be finite, got {float(number)}{hint}")
    return number


def check_beta(value: ArrayLike) -> Array:
    """`value` as an inverse temperature: one finite number."""
    return check_number(value, "beta")


def check_radius(value: ArrayLike) -> Array:
    """`value` as a positive radius."""
    radius = check_number(value, "radius")
    if is_concrete(radius) and not float(radius) > 0:
        raise InvalidInput(f"radius must be positive, got {float(radius)}")
    return radius


def check_tolerance(value: ArrayLike) -> Array:
    """`value` as a tolerance: a number that is not negative."""
    tolerance = check_number(value, "tolerance")
    if is_concrete(tolerance) and not float(tolerance) >= 0:
        raise InvalidInput(f"tolerance must not be negative, got {float(tolerance)}")
    return tolerance
