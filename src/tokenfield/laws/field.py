"""The velocity that a density on a grid makes: by quadrature for every model, by convolution where that is exact.

With Q = K = I the kernel of an attention depends on the cosine alone, so its sums are convolutions, which a Fourier or
spherical-harmonics transform turns into products.
"""

from __future__ import annotations

from collections.abc import Callable

import jax
import jax.numpy as jnp
from jax import Array

from tokenfield.laws.grid import EMPTY, nodes_as_measure
from tokenfield.measure import is_concrete
from tokenfield.model.parts import Head
from tokenfield.model.schedule import Constant
from tokenfield.model.transformer import Transformer
from tokenfield.sums import Attended

Kernel = Callable[[Array], Array]

# Convolutions are exact relative to the largest value only. An average divides by its total, which far from all mass is
# smaller by as much as the kernel falls: down to this (beta = 8 for softmax) nine digits of it are right even there.
DEEPEST = -16.0


def can_convolve(model: Transformer) -> bool:
    """Whether the heads of `model` act as convolutions on a density, to nine digits or better."""
    if model.normalization is not None or model.has_sublayers or not isinstance(model.schedule, Constant):
        return False
    heads = [part for part in model.schedule.parts(0.0) if isinstance(part, Head)]
    return all(_convolves(head) for head in heads)


def _convolves(head: Head) -> bool:
    kernel = head.attention.pair_kernel
    if head.Q is not None or head.K is not None or kernel is None:
        return False
    if not head.attention.is_average:
        return True
    # inside jax.jit, vmap or grad the parameters may be unknown: quadrature is right for any
    if not all(map(is_concrete, jax.tree.leaves(head.attention))):
        return False
    ends = kernel.log_of_cosine(jnp.asarray([-1.0, 1.0]))
    return -abs(float(ends[1] - ends[0])) >= DEEPEST


def velocity_by_convolution(
    model: Transformer,
    t: Array | float,
    at: Array,
    points: Array,
    values: Array,
    convolve: Callable[[Kernel, Array], Array],
) -> Array:
    """The velocity (q, d) at the points `at`; `convolve(kernel, fields)` integrates kernel times fields (m, p)."""
    fields = jnp.concatenate([values[:, None], values[:, None] * points], axis=1)

    def attended(head: Head) -> Attended:
        kernel, log_scale = head.attention.pair_kernel.on_sphere(values.dtype)  # type: ignore[union-attr]
        sums = convolve(kernel, fields)
        total = jnp.maximum(sums[:, 0], EMPTY)  # where nobody is, rounding decides the sign
        return Attended(jnp.log(total) + log_scale, sums[:, 1:] / total[:, None])

    vectors = [part(at) for part in model.token_wise(t)]
    if heads := model.heads(t):
        vectors.append(model.attention_vectors(t, at, tuple(attended(head) for head in heads)))
    return model.geometry.project(at, sum(vectors[1:], start=vectors[0]) if vectors else jnp.zeros_like(at))


def velocity_by_quadrature(model: Transformer, t: Array | float, at: Array, points: Array, weights: Array) -> Array:
    """The velocity (q, d) at the points `at` in the measure of nodes `points` with masses `weights`."""
    mu = nodes_as_measure(points, jnp.maximum(weights, EMPTY))
    return model.velocity(t, at, mu, radii=jnp.ones_like(at[:, 0]))
