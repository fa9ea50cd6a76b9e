"""The velocity that a density on a grid makes: by quadrature for every model, by convolution where that is exact.

With Q = K = I the kernel of an attention depends on the cosine alone, so its sums are convolutions, which a Fourier or
spherical-harmonics transform turns into products.
"""

from __future__ import annotations

from collections.abc import Callable

import jax
import jax.numpy as jnp
from jax import Array

from tokenfield.laws.density import EMPTY, nodes_as_measure
from tokenfield.measure import is_concrete
from tokenfield.model.attention import L2, Attention, Sigmoid, Softmax, Unnormalized
from tokenfield.model.parts import Head
from tokenfield.model.schedule import Constant
from tokenfield.model.transformer import Transformer
from tokenfield.sums import Attended

Kernel = Callable[[Array], Array]

# Convolutions are exact relative to the largest value only. Softmax divides by its total, which far from all mass is
# smaller by e^{-2 beta}: up to this beta nine digits of it are right even there.
LARGEST_BETA = 8.0


def can_convolve(model: Transformer) -> bool:
    """Whether the heads of `model` act as convolutions on a density, to nine digits or better."""
    if model.normalization is not None or not isinstance(model.schedule, Constant):
        return False
    for part in model.schedule.parts(0.0):
        if not isinstance(part, Head):
            continue
        kind = part.attention
        if part.Q is not None or part.K is not None or not isinstance(kind, (Softmax, Unnormalized, L2, Sigmoid)):
            return False
        if kind.is_average:
            beta = kind.sharpness
            # inside jax.jit, vmap or grad beta may be unknown: quadrature is right for any
            if beta is None or not is_concrete(beta) or not abs(float(beta)) <= LARGEST_BETA:
                return False
    return True


def kernel_of(attention: Attention, dtype: jnp.dtype) -> tuple[Kernel, Array]:
    """The kernel as a function of the cosine, scaled to at most 1, and the log of what it was divided by."""
    beta = attention.beta.astype(dtype)  # type: ignore[attr-defined]
    if isinstance(attention, Sigmoid):
        bias = attention.bias.astype(dtype)
        return lambda c: jax.nn.sigmoid(beta * c + bias), jnp.zeros((), dtype)
    if isinstance(attention, L2):
        largest = jnp.maximum(-4 * beta, 0.0)
        return lambda c: jnp.exp(-2 * beta * (1 - c) - largest), largest
    return lambda c: jnp.exp(beta * c - jnp.abs(beta)), jnp.abs(beta)


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
        kernel, log_scale = kernel_of(head.attention, values.dtype)
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
