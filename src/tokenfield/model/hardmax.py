"""Attention that is the mean over some of the tokens: the leaders (`Hardmax`), or those nearby (`Krause`)."""

from __future__ import annotations

from typing import ClassVar

import equinox as eqx
import jax
import jax.numpy as jnp
from jax import Array

from tokenfield import sums
from tokenfield.model.attention import Attention
from tokenfield.model.numbers import check_radius, check_tolerance
from tokenfield.model.projected import (
    Projected,
    features_of_distance,
    mean_of,
    with_bounded_decay,
)
from tokenfield.sums import Attended


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
    """Bounded confidence: the mean of the y with |Qx - Ky| <= radius (Hegselmann-Krause, arXiv 2602.11534).

    A token that sees nobody within the radius gets the zero vector.

    Args:
        radius: How far tokens see, one positive number, as a distance of queries and keys. Distances that equal it up
            to rounding count as within.

    Raises:
        InvalidInput: If the radius is not one positive number.

    >>> from tokenfield import Head, Measure
    >>> Head(Krause(1.0))(jnp.zeros((1, 1)), Measure([[-2.0], [0.0], [1.0]])).tolist()
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
