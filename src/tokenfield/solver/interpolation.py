"""Laws between two saved times."""

from __future__ import annotations

from typing import Any

import jax.numpy as jnp
from jax import Array

from tokenfield.measure import Measure
from tokenfield.model.transformer import Transformer


def between(model: Transformer, before: Any, after: Any, t: float, h: float, s: float) -> Any:
    """The law at t + s h, 0 < s < 1, from those at t and at t + h; see `Trajectory.at`."""
    if not isinstance(before, Measure):
        if hasattr(before, "masses"):
            return before.at((1 - s) * before.points + s * after.points)
        if hasattr(before, "covariances"):
            pairs = ((getattr(law, name) for law in (before, after)) for name in ("means", "covariances"))
            return before.at(*((1 - s) * a + s * b for a, b in pairs))
        if hasattr(before, "shares"):
            return before.at((1 - s) * before.values + s * after.values)
        names = ("density",) if hasattr(before, "grid") else ("mean", "covariance")
        values = {name: "values" if name == "density" else name for name in names}
        return before.at(**{n: (1 - s) * getattr(before, v) + s * getattr(after, v) for n, v in values.items()})
    x, y = before.points, after.points
    middle = (1 - s) * x + s * y
    if model.noise is None:
        ends = (model.velocity(t, x, before), model.velocity(t + h, y, after))
        # after a long rest, or between layers, a velocity says nothing about the way: cubics must not overshoot
        first, last = (_limited(h * v, y - x) for v in ends)
        middle = middle + s * (1 - s) * ((1 - s) * (first - (y - x)) - s * (last - (y - x)))
    radii = None if before.radii is None else (1 - s) * before.radii + s * after.radii
    return before.at(model.geometry.to_manifold(middle), radii)


def _limited(v: Array, way: Array) -> Array:
    """Vectors (n, d) made at most three times as long as the `way`: cubics with such slopes are monotone."""
    lengths, most = (jnp.sqrt(jnp.sum(a * a, axis=1, keepdims=True)) for a in (v, way))
    return v * jnp.minimum(1.0, 3 * most / jnp.where(lengths > 0, lengths, 1.0))
