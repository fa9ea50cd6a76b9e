"""Attention with exponential weights: `Softmax`, `Unnormalized` and `L2`, the softmax of distances."""

from __future__ import annotations

from typing import ClassVar

import equinox as eqx
import jax.numpy as jnp
from jax import Array

from tokenfield.model.attention import Attention, PairKernel
from tokenfield.model.numbers import check_beta
from tokenfield.model.pairs import Pairs
from tokenfield.model.projected import (
    Projected,
    attend_distance,
    attend_dot,
    relative_to_seen_mass,
)
from tokenfield.sums import Attended


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
        """1/(2 beta) iint e^{beta <Qx, Ky>}; at beta = 0 the limit of E - 1/(2 beta) (arXiv 2312.10794).

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
    >>> x = jnp.eye(2)
    >>> Head(Unnormalized(0.0))(x, Measure(x)).tolist()  # the mean, at beta = 0
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
        """1/(2 beta) iint e^{beta <Qx, Ky>}; at beta = 0 the limit of E - 1/(2 beta) (arXiv 2312.10794).

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
        """1/(4 beta) iint e^{-beta |Qx - Ky|^2}, whose gradient is the field of y - x; times 4 beta if normalized.

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
