"""Attention kinds: which weights a token gives to the others it sees.

An attention turns queries Q x_i and keys K y_j into the vectors int a(x_i, y) y dmu_i(y), where mu_i is the part of the
measure that query i sees (all of it, unless positions matter). How the sum is computed is up to `tokenfield.sums`;
matrices, geometry and time are not known here. Whatever others ask about a kind is written in its class and nowhere
else: its kernel, its energy, its map of Gaussians, what it commutes with, its name in figures. The kinds themselves are
in `exponential`, `sigmoid`, `hardmax`, `sinkhorn` and `riesz`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, ClassVar, NamedTuple

import equinox as eqx
import jax.numpy as jnp
from jax import Array

from tokenfield.errors import Unsupported
from tokenfield.model.pairs import Pairs
from tokenfield.model.projected import (
    Projected,
    attend_kernel,
    relative_to_seen_mass,
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
    - `is_singular`: the weight of a pair may be infinite at distance zero, so that tokens meet at infinite speed.
    - `collapses`: tokens of a cluster collapse to a point, so that they may be merged; needs a `pair_kernel`.
    - `keeps_gaussians`: a Gaussian law stays Gaussian; needs a `gaussian_map`.
    - `sees_moments`: that map is the same for every law of this mean and covariance, such as a mixture of Gaussians.
    - `name`: what theory and configs call the kind.
    - `letters`: the parameters that titles of figures show, by name, as mathtext.

    >>> from tokenfield.model.attention import Attention, PairKernel
    >>> class Cauchy(Attention):  # weights 1/(1 + |Qx - Ky|^2), normalized
    ...     is_average = True
    ...     pair_kernel = PairKernel(lambda u: -jnp.log1p(u), of_distance=True)
    >>> from tokenfield import Euclidean, Measure, Transformer
    >>> model = Transformer(Euclidean(1), Cauchy())
    >>> mu = Measure([[0.0], [1.0]], [1.0, 2.0])
    >>> model.velocity(0.0, jnp.zeros((1, 1)), mu).round(6).tolist()
    [[0.5]]
    """

    name: ClassVar[str] = ""
    is_average: ClassVar[bool] = False
    has_mass: ClassVar[bool] = True
    is_isotropic: ClassVar[bool] = False
    is_smooth: ClassVar[bool] = False
    is_exponential: ClassVar[bool] = False
    is_singular: ClassVar[bool] = False
    collapses: ClassVar[bool] = False
    keeps_gaussians: ClassVar[bool] = False
    sees_moments: ClassVar[bool] = False
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
        """The weight as a function of the inner product or the distance alone; `None` if it is more than that.

        `PairKernel(log)` of `tokenfield.model.attention` has its logarithm as a function of u = <Qx, Ky>, or of
        u = |Qx - Ky|^2 with `of_distance=True`.
        """
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
        """The energy that drives the flow when V = Q^T K is symmetric, such as Q = K = V = I.

        Its gradient is then the vector field, up to a positive factor of each token for some kinds. `normalized` scales
        it so that on the sphere with Q = K = I it lies in [0, 1] and k equal, well separated clusters give 1/k.
        Positions do not enter: a masked flow is no gradient flow.

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
