"""Attention without a normalization or an exponential: `Sigmoid` and `Linear`."""

from __future__ import annotations

from typing import ClassVar

import equinox as eqx
import jax
import jax.numpy as jnp
from jax import Array

from tokenfield import sums
from tokenfield.errors import Unsupported
from tokenfield.model.attention import Attention, PairKernel
from tokenfield.model.numbers import check_beta, check_number
from tokenfield.model.pairs import Pairs
from tokenfield.model.projected import (
    Projected,
    mean_of,
    relative_to_seen_mass,
    seen_log_mass,
    with_bounded_decay,
)
from tokenfield.sums import Attended


class Sigmoid(Attention):
    """Sigmoid attention: int sigma(beta <Qx, Ky> + bias) y dmu(y), without normalization (arXiv 2501.18322).

    Args:
        beta: The inverse temperature, one finite number of any sign. With large beta all y with <Qx, Ky> > 0 count the
            same, and the others do not.
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
        """1/(2 beta) iint log(1 + e^{beta <Qx, Ky> + bias}); normalized: divided by its value at a single cluster.

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
    sees_moments: ClassVar[bool] = True

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
