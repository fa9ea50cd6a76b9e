"""`Riesz`: attraction by a power of the distance; the logarithmic kernel of Keller and Segel is the power 2."""

from __future__ import annotations

from typing import ClassVar

import equinox as eqx
import jax.numpy as jnp
from jax import Array
from jax.typing import ArrayLike

from tokenfield import sums
from tokenfield.errors import InvalidInput
from tokenfield.measure import is_concrete
from tokenfield.model.attention import Attention
from tokenfield.model.numbers import check_number, check_positive
from tokenfield.model.projected import Projected, mean_of, relative_to_seen_mass, with_bounded_decay
from tokenfield.sums import Attended


def check_softening(value: ArrayLike) -> Array:
    """`value` as a distance that is not negative."""
    softening = check_number(value, "softening")
    if is_concrete(softening) and not float(softening) >= 0:
        raise InvalidInput(f"softening must not be negative, got {float(softening)}")
    return softening


class Riesz(Attention):
    """Attraction by a power of the distance: int (|Qx - Ky|^2 + s^2)^{-p/2} y dmu(y), s the softening.

    Tokens at the same place do not feel each other. With `Transformer(Euclidean(d), Riesz(2.0), relative=True)` tokens
    move by x' = -grad int log|x - y| dmu(y): in R^2 the Patlak-Keller-Segel equation without diffusion, whose solutions
    collapse to a point in finite time. Other powers p are -grad int |x - y|^{2-p}/(2-p) dmu(y).

    Args:
        power: The power p of the inverse distance, one positive number, by default 2.
        softening: The distance s below which the attraction no longer grows, a number >= 0, by default 0; a density
            needs one of about the distance of its nodes.

    Raises:
        InvalidInput: If the power is not one positive number, or the softening is negative.

    >>> from tokenfield import Euclidean, Measure, Transformer
    >>> model = Transformer(Euclidean(1), Riesz(2.0), relative=True)
    >>> mu = Measure([[0.0], [2.0]])
    >>> model.velocity(0.0, mu.points, mu).round(12).tolist()  # mass 1/2 at distance 2
    [[0.25], [-0.25]]
    """

    name: ClassVar[str] = "riesz"
    is_isotropic: ClassVar[bool] = True
    is_singular: ClassVar[bool] = True

    power: Array = eqx.field(converter=lambda value: check_positive(value, "power"), default=2.0)
    softening: Array = eqx.field(converter=lambda value: check_softening(value), default=0.0)

    def attend(self, projected: Projected, values: Array) -> Attended:
        projected = with_bounded_decay(projected)
        q, k, w, _, band, _ = projected
        half, soft = self.power.astype(q.dtype) / 2, self.softening.astype(q.dtype) ** 2
        kernel = lambda squared: jnp.exp(-half * jnp.log(squared + soft))  # noqa: E731
        weighed = sums.weigh_apart(q, k, values, w, kernel, band)
        return relative_to_seen_mass(mean_of(weighed), projected)

    @property
    def title(self) -> str:
        return "Riesz"
