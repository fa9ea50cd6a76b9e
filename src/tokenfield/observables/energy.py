"""The interaction energy and its dissipation. The formulas of the energies are with the kinds of attention.

Everything here can be traced by JAX. No n x n array is formed.
"""

from __future__ import annotations

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jax import Array

from tokenfield._runtime.arguments import shown
from tokenfield.errors import InvalidInput, Unsupported
from tokenfield.laws.density import Density
from tokenfield.laws.moving import MovingDensity
from tokenfield.measure import Measure, is_concrete
from tokenfield.model.attention import Attention
from tokenfield.model.matrices import apply_matrix
from tokenfield.model.parts import Head
from tokenfield.model.summing import choose_sums
from tokenfield.model.transformer import Transformer

SYMMETRIC = 1e-9  # Q^T K may differ from its transpose by this much, relative to its largest entry


def energy(mu: Measure | Density, model: Transformer, t: Array | float = 0.0, *, normalized: bool = False) -> Array:
    """The interaction energy of the attention heads, a scalar: E = 1/(2 beta) iint e^{beta <Qx, Ky>} dmu dmu
    for softmax and unnormalized attention (arXiv 2312.10794); for the other kinds see the `energy` of each.

    Energies of several heads are summed, or averaged if the model averages its heads. With V = Q^T K symmetric the flow
    increases E; in R^d also with V = I and Q^T K symmetric positive, but not so on the sphere. Positions do not enter.
    In the rescaled frame E is that of the tokens x = e^{tV} z.

    `normalized=True` returns 2 beta e^{-|beta|} E instead, as in arXiv 2410.06833: on the sphere with Q = K = I it
    lies in [0, 1] and cannot overflow, and k equal clusters far apart give 1/k. Without it E itself exceeds the largest
    number and becomes inf for beta > 709 (88 in float32). At beta = 0, where E is infinite, the limit of E - 1/(2 beta)
    is returned instead, which drives the same flow: (1/2) <Qm, Km> with m = int x dmu, that is |m|^2 / 2 for Q = K = I.

    Of a `Density` the double integral is the quadrature of its grid; with Q = K = I it is a sum over degrees.

    Args:
        mu: The tokens, or a density.
        model: The model whose heads attend.
        t: The depth at which its weights are taken, by default 0.
        normalized: Whether to return 2 beta e^{-|beta|} E, or what other kinds have in its place.

    Returns:
        The energy, a scalar.

    Raises:
        Unsupported: For attention that no energy drives (hardmax, bounded confidence), or if there is no head.
        InvalidInput: For a Gaussian.

    >>> from tokenfield import Measure, Softmax, Sphere, Transformer
    >>> model = Transformer(Sphere(2), Softmax(beta=9.0))
    >>> round(float(energy(Measure([[1.0, 0.0], [-1.0, 0.0]]), model, normalized=True)), 6)
    0.5
    """
    mu = mu.measure() if isinstance(mu, MovingDensity) else mu
    if not (hasattr(t, "shape") or isinstance(t, (int, float))) or np.shape(t) != ():
        raise InvalidInput(f"the energy is that of one time t, got {shown(t)}")
    heads = model.heads(t)
    if not heads:
        raise Unsupported("an interaction energy needs bare attention heads: this model has none")
    if not isinstance(mu, (Measure, Density)):
        raise InvalidInput(f"the interaction energy is for tokens and densities, not for a {type(mu).__name__}")
    _check_dimension(mu, model)
    if isinstance(mu, Measure) and all(is_concrete(leaf) for leaf in jax.tree.leaves((mu, model, t))):
        return _compiled(mu, _settled(mu, model, t), jnp.asarray(t, mu.points.dtype), normalized)
    return _energy(mu, model, t, normalized)


def _check_dimension(mu: Measure | Density, model: Transformer) -> None:
    if mu.d != model.geometry.d:
        raise InvalidInput(f"the measure is in R^{mu.d}, the model in R^{model.geometry.d}: both need one dimension")


def _settled(mu: Measure, model: Transformer, t: Array | float) -> Transformer:
    """The model with its sums chosen where numbers can be seen, so that one compilation serves every later call."""
    return model if model.sums is not None else model.with_sums(choose_sums(model, mu, t0=float(t), t1=float(t)))


def _energy(mu: Measure | Density, model: Transformer, t: Array | float, normalized: bool) -> Array:
    heads = model.heads(t)
    pairs = mu.pairs(model, t) if isinstance(mu, Density) else model.pairs(t, mu)
    parts = [head.attention.energy(p, normalized=normalized) for head, p in zip(heads, pairs, strict=True)]
    total = jnp.sum(jnp.stack(parts))
    return total / len(parts) if model.average else total


_compiled = eqx.filter_jit(_energy)


def has_energy(model: Transformer) -> bool:
    """Whether `energy` is defined for the heads of `model`."""
    heads = [part for part in model.schedule.shapes() if isinstance(part, Head)]
    return bool(heads) and all(type(head.attention).energy is not Attention.energy for head in heads)


def dissipation(
    mu: Measure | Density, model: Transformer, t: Array | float = 0.0, *, normalized: bool = False
) -> Array:
    """The time derivative dE/dt of the energy along the flow, from its dissipation identity, a scalar.

    With X the velocity, Z(x) = int e^{beta <x, y>} dmu(y) and Q = K = V = I (arXiv 2312.10794, section 3):
    dE/dt = int |X|^2 dmu for unnormalized attention and int |X|^2 Z dmu for softmax. For other V, several heads and
    symmetric B = Q^T K it is sum_h int Z_h <P B_h m_h, X> dmu, m_h the mean that head h attends to. Weights that
    depend on t count as frozen. `normalized` as in `energy`, for one beta at a time. For every other kind, and with
    perceptrons or a normalization, it is int <grad E, X> dmu with the gradient of the energy by differentiation.

    Of a density the integrals are sums over its nodes.

    Args:
        mu: The tokens, or a density.
        model: The model that moves them.
        t: The depth at which its weights are taken, by default 0.
        normalized: As in `energy`.

    Returns:
        dE/dt, a scalar.

    Raises:
        Unsupported: If Q^T K is not symmetric (checked outside `jax.jit` only), in the rescaled frame, with positions
            (a masked flow has no such identity), with noise, or where there is no energy.

    >>> from tokenfield import Measure, Softmax, Sphere, Transformer
    >>> model = Transformer(Sphere(2), Softmax(beta=1.0))
    >>> bool(dissipation(Measure([[1.0, 0.0], [0.0, 1.0]]), model) > 0)
    True
    """
    if model.rescaled:
        raise Unsupported("dissipation is defined in the frame of x: use a model with rescaled=False")
    if model.position or model.noise is not None:
        raise Unsupported("dissipation is for flows that see all tokens alike and have no noise")
    mu = mu.measure() if isinstance(mu, (Density, MovingDensity)) else mu
    _check_dimension(mu, model)
    for head in model.heads(t) if _is_plain(model, t) else ():
        _check_symmetric(head)
    if all(is_concrete(leaf) for leaf in jax.tree.leaves((mu, model, t))):
        return _compiled_dissipation(mu, _settled(mu, model, t), jnp.asarray(t, mu.points.dtype), normalized)
    return _dissipation(mu, model, t, normalized)


def _is_plain(model: Transformer, t: Array | float) -> bool:
    """Whether exponential attention alone moves the tokens."""
    is_alone = not (model.token_wise(t) or model.normalization is not None or model.relative)
    return is_alone and all(head.attention.is_exponential for head in model.heads(t))


def _dissipation(mu: Measure, model: Transformer, t: Array | float, normalized: bool) -> Array:
    heads, x = model.heads(t), mu.points
    if not _is_plain(model, t):
        gradient = jax.grad(lambda y: energy(mu.at(y), model, t, normalized=normalized))(x)
        return jnp.sum(gradient * model.velocity(t, x, mu))
    attended = model.attended(t, x, mu)
    velocity = model.geometry.project(x, model.attention_vectors(t, x, attended))
    total = jnp.zeros((), x.dtype)
    for head, a in zip(heads, attended, strict=True):
        beta = jnp.asarray(head.attention.sharpness, x.dtype)
        # B m = Q^T K m; projecting it first makes the product |X|^2 >= 0 also in floating point when B = V = I
        pulled = a.mean if head.Q is None and head.K is None else _pull(head, a.mean)
        work = jnp.sum(model.geometry.project(x, pulled) * velocity, axis=1)
        z = jnp.exp(a.log_sum - jnp.abs(beta)) * 2 * beta if normalized else jnp.exp(a.log_sum)
        total = total + jnp.sum(mu.weights * z * work)
    return total / len(heads) if model.average else total


_compiled_dissipation = eqx.filter_jit(_dissipation)


def _pull(head: Head, mean: Array) -> Array:
    keyed = apply_matrix(head.K, mean)
    return keyed if head.Q is None else keyed @ head.Q.astype(keyed.dtype)


def _check_symmetric(head: Head) -> None:
    matrices = [matrix for matrix in (head.Q, head.K) if matrix is not None]
    if not matrices or not all(is_concrete(matrix) for matrix in matrices):
        return
    if head.Q is not None and head.K is not None:
        B = np.asarray(head.Q).T @ np.asarray(head.K)
    else:
        B = np.asarray(matrices[0])
    if np.max(np.abs(B - B.T)) > SYMMETRIC * np.max(np.abs(B)):
        raise Unsupported("dissipation needs Q^T K symmetric: otherwise the flow is not driven by this energy")
