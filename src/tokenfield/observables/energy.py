"""The interaction energy and its dissipation. The formulas of the energies are with the kinds of attention.

Everything here is traceable by JAX except `energy_along`, which loops over the saved times of a run. No n x n array
is formed.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jax import Array

from tokenfield.errors import InvalidInput, Unsupported
from tokenfield.laws.density import Density
from tokenfield.laws.field import kernel_of
from tokenfield.measure import Measure, is_concrete
from tokenfield.model.attention import Attention, Softmax, Unnormalized
from tokenfield.model.parts import Head, apply_matrix
from tokenfield.model.transformer import Transformer

if TYPE_CHECKING:
    from tokenfield.solver.trajectory import Trajectory

SYMMETRIC = 1e-9  # Q^T K may differ from its transpose by this much, relative to its largest entry


def energy(mu: Measure | Density, model: Transformer, t: Array | float = 0.0, *, normalized: bool = False) -> Array:
    """The interaction energy of the attention heads, a scalar: E = (1/2 beta) iint e^{beta <Qx, Ky>} dmu dmu for
    softmax and unnormalized attention (arXiv 2312.10794); see `energy` of the other kinds for theirs.

    Energies of several heads are summed, or averaged if the model averages its heads. With V = I and Q^T K symmetric
    positive the flow increases E. Positions do not enter. In the rescaled frame E is that of the tokens x = e^{tV} z.

    `normalized=True` returns 2 beta e^{-|beta|} E instead, as in arXiv 2410.06833: on the sphere with Q = K = I it
    lies in [0, 1] and cannot overflow, and k equal clusters give 1/k. Without it E itself exceeds the largest number
    and becomes inf for beta > 709 (88 in float32): use `normalized=True` there.
    At beta = 0, where E is infinite, returns the limit of E - 1/(2 beta), which drives the same flow:
    (1/2) <Qm, Km> with m = int x dmu, that is |m|^2 / 2 for Q = K = I.

    Of a `Density` the double integral is the quadrature of its grid; with Q = K = I it is a sum over degrees.

    Raises `Unsupported` for attention that no energy drives (hardmax, bounded confidence), or if there is no head;
    `InvalidInput` for a Gaussian.

    >>> from tokenfield import Softmax, Sphere
    >>> model = Transformer(Sphere(2), Softmax(beta=9.0))
    >>> round(float(energy(Measure([[1.0, 0.0], [-1.0, 0.0]]), model, normalized=True)), 6)
    0.5
    """
    heads = model.heads(t)
    if not heads:
        raise Unsupported("a model without attention has no interaction energy")
    if isinstance(mu, Density):
        if mu.grid.is_orbit:
            return _energy_of_orbits(mu, model, t, normalized)
        if all(_sees_cosines(head) for head in heads):
            parts = [_energy_by_degrees(mu, head.attention, normalized) for head in heads]
            return _over_heads(parts, model)
    tokens = _as_measure(mu)
    projected = model.projected(t, tokens.points, tokens)
    parts = [head.attention.energy(p, normalized=normalized) for head, p in zip(heads, projected, strict=True)]
    return _over_heads(parts, model)


def _over_heads(parts: list[Array], model: Transformer) -> Array:
    total = jnp.sum(jnp.stack(parts))
    return total / len(parts) if model.average else total


def _as_measure(mu: Measure | Density) -> Measure:
    if isinstance(mu, Measure):
        return mu
    if not isinstance(mu, Density):
        raise InvalidInput(f"the interaction energy is for tokens and densities, not for a {type(mu).__name__}")
    return mu.measure()


def _sees_cosines(head: Head) -> bool:
    return head.Q is None and head.K is None and isinstance(head.attention, (Softmax, Unnormalized))


def _energy_of_orbits(mu: Density, model: Transformer, t: Array | float, normalized: bool) -> Array:
    own = getattr(mu.grid, "energy", None)
    if own is None:
        raise Unsupported(f"a density on {type(mu.grid).__name__} has no points, and that grid knows no energy")
    return own(model, t, mu.values, normalized=normalized)


def _energy_by_degrees(mu: Density, attention: Attention, normalized: bool) -> Array:
    """The energy of one head with Q = K = I: iint kernel drho drho = sum over degrees of eigenvalue times power.

    On the circle it equals the double sum over nodes to rounding, on S^2 the integral of the density's harmonics.
    """
    rho, grid = mu.values, mu.grid
    kernel, log_scale = kernel_of(attention, rho.dtype)
    beta = jnp.asarray(attention.sharpness, rho.dtype)
    if grid.d == 2:
        m = grid.m
        spectrum = jnp.abs(jnp.fft.rfft(rho) / m) ** 2
        k = jnp.arange(len(spectrum))
        power = spectrum * jnp.where((k == 0) | (2 * k == m), 1.0, 2.0)
        eigenvalues = jnp.real(jnp.fft.rfft(kernel(jnp.cos(2 * jnp.pi * jnp.arange(m) / m).astype(rho.dtype)))) / m
    else:
        power, eigenvalues = grid.spectrum(rho), grid.eigenvalues(kernel)  # type: ignore[attr-defined]
    total = jnp.sum(eigenvalues * power)
    if normalized:
        return total
    at_zero = jnp.sum(mu.mean**2) / 2  # the limit of E - 1/(2 beta)
    safe = jnp.where(beta == 0, 1.0, beta)
    return jnp.where(beta == 0, at_zero, total * jnp.exp(log_scale) / (2 * safe))


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

    Raises `Unsupported` if Q^T K is not symmetric (checked outside `jax.jit` only), in the rescaled frame, with
    positions (a masked flow has no such identity), with noise, or where there is no energy.
    """
    if model.rescaled:
        raise Unsupported("dissipation is defined in the frame of x: use a model with rescaled=False")
    if model.position or model.noise is not None:
        raise Unsupported("dissipation is for flows that see all tokens alike and have no noise")
    mu = _as_measure(mu)
    heads, x = model.heads(t), mu.points
    is_plain = all(isinstance(head.attention, (Softmax, Unnormalized)) for head in heads)
    if not is_plain or model.token_wise(t) or model.normalization is not None or model.relative:
        gradient = jax.grad(lambda y: energy(mu.at(y), model, t, normalized=normalized))(x)
        return jnp.sum(gradient * model.velocity(t, x, mu))
    attended = model.attended(t, x, mu)
    velocity = model.geometry.project(x, model.attention_vectors(t, x, attended))
    total = jnp.zeros((), x.dtype)
    for head, a in zip(heads, attended, strict=True):
        _check_symmetric(head)
        beta = jnp.asarray(head.attention.sharpness, x.dtype)
        # B m = Q^T K m; projecting it first makes the product |X|^2 >= 0 also in floating point when B = V = I
        pulled = a.mean if head.Q is None and head.K is None else _pull(head, a.mean)
        work = jnp.sum(model.geometry.project(x, pulled) * velocity, axis=1)
        z = jnp.exp(a.log_sum - jnp.abs(beta)) * 2 * beta if normalized else jnp.exp(a.log_sum)
        total = total + jnp.sum(mu.weights * z * work)
    return total / len(heads) if model.average else total


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


_energy_compiled = eqx.filter_jit(energy)


def energy_along(run: Trajectory, *, normalized: bool = False) -> np.ndarray:
    """The energy at each saved time of `run`, shape (T,); see `energy`. The run must have kept its tokens."""
    return run.along(lambda t, mu: _energy_compiled(mu, run.model, jnp.asarray(t), normalized=normalized))
