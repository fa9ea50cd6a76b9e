"""Exact reductions of a flow of tokens to a smaller one: fewer dimensions, fewer tokens. Nothing is approximated.

Tokens with Q = K = V = I (or multiples) never leave the span of where they start, so for d > n they are rotated into
R^n, solved there, and rotated back. Tokens that are equal at the start move together, so they are one weighted token.
What the user sees (states, observables, events) is always the full measure.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jax import Array

from tokenfield.flows.endings import Ending
from tokenfield.flows.flow import Flow
from tokenfield.flows.norms import Norm
from tokenfield.flows.tokens import TokenFlow
from tokenfield.geometry import Sphere
from tokenfield.measure import Measure, is_concrete
from tokenfield.model.matrices import multiple_of_identity
from tokenfield.model.parts import Head
from tokenfield.model.schedule import Constant
from tokenfield.model.transformer import Transformer
from tokenfield.sums import Choice


class ReducedFlow(Flow):
    """The flow of `tokens` (n in R^d), carried by a smaller one: token i is row `labels[i]` of the `inner` state.

    With a `basis` (r, d) of orthonormal rows the inner points are coordinates in it. The state is the inner one.
    """

    tokens: Measure
    inner: Any  # TokenFlow or ClusterFlow
    labels: Array | None
    basis: Array | None

    @property
    def start(self) -> Array:
        return self.inner.start

    def law(self, y: Array) -> Measure:
        small = self.inner.law(y)
        points, radii = small.points, small.radii
        if self.labels is not None:
            points = points[self.labels]
            radii = None if radii is None else radii[self.labels]
        if self.basis is not None:
            points = jnp.matmul(points, self.basis, precision="highest")
        return self.tokens.at(points, radii if self.model.has_radius else self.tokens.radii)

    def saved(self, y: Array) -> dict[str, Array]:
        mu = self.law(y)
        return {"points": mu.points} | ({} if mu.radii is None or not self.model.has_radius else {"radii": mu.radii})

    def retract(self, y: Array) -> Array:
        return self.inner.retract(y)

    def velocity(self, t: Array, y: Array) -> Array:
        return self.inner.velocity(t, y)

    def field(self, t: Array, y: Array) -> Array:
        """The right-hand side before the projection to the tangent space."""
        return self.inner.field(t, y)

    def kick(self, t0: Array, t1: Array, y: Array) -> Array:
        """What the noise adds between two times."""
        return self.inner.kick(t0, t1, y)

    def exp(self, y: Array, v: Array) -> Array:
        """The state moved along geodesics."""
        return self.inner.exp(y, v)

    def layer(self, t0: Array, t1: Array, y: Array) -> Array:
        """The state after one discrete layer."""
        return self.inner.layer(t0, t1, y)

    def halves(self) -> tuple[Flow, Flow]:
        """The inner flows of the heads alone, and of the other parts alone."""
        return self.inner.halves()

    def with_model(self, model: Transformer) -> ReducedFlow:
        inner = model if self.basis is None else in_dimension(model, self.basis.shape[0])
        return ReducedFlow(model, self.tokens, self.inner.with_model(inner), self.labels, self.basis)

    def with_sums(self, choose: Callable[[Transformer, Measure], tuple[Choice, ...]]) -> ReducedFlow:
        return ReducedFlow(self.model, self.tokens, self.inner.with_sums(choose), self.labels, self.basis)

    @property
    def described(self) -> str:
        return TokenFlow(self.model, self.tokens).described

    @property
    def limits_steps(self) -> bool:
        return self.inner.limits_steps

    def frozen(self, t: Array) -> ReducedFlow:
        return ReducedFlow(self.model.frozen(t), self.tokens, self.inner.frozen(t), self.labels, self.basis)

    def largest_step(self, t: Array, y: Array) -> Array:
        return self.inner.largest_step(t, y)

    def time(self, t: Array) -> Array:
        return self.inner.time(t)

    @property
    def offset(self) -> Array | float:
        return self.inner.offset

    @property
    def choices(self) -> tuple[Choice, ...]:
        return self.inner.choices

    def norm(self, name: str) -> Norm:
        return self.inner.norm(name)

    @property
    def default_method(self) -> str:
        return self.inner.default_method

    @property
    def abilities(self) -> frozenset[str]:
        return self.inner.abilities

    @property
    def work(self) -> float:
        return self.inner.work

    @property
    def endings(self) -> tuple[Ending, ...]:
        return self.inner.endings

    @property
    def can_blow_up(self) -> bool:
        return self.inner.can_blow_up


def reduce_exactly(flow: Flow) -> tuple[Flow, tuple[str, ...]]:
    """The smallest flow that carries `flow` exactly, and in words what was reduced; `flow` itself if nothing can be.

    Inside `jax.jit`, `vmap` and `grad` nothing is reduced: equal tokens cannot be seen there, and a basis of the span
    has no derivative where tokens are linearly dependent.
    """
    if not isinstance(flow, TokenFlow) or not all(map(is_concrete, jax.tree.leaves(flow))):
        return flow, ()
    model, mu, notes = flow.model, flow.tokens, []
    labels = equal_tokens(mu) if is_exchangeable(model) else None
    if labels is not None:
        mu = joined(mu, labels)
        notes.append(
            f"{flow.tokens.n} tokens are {mu.n} different ones: equal tokens move as one of their total weight"
        )
    basis, least = None, 2 if isinstance(model.geometry, Sphere) else 1
    rank = max(mu.n, least)
    if mu.d > rank and sees_only_angles(model):
        basis = orthonormal(np.asarray(mu.points), rank)
        coordinates = jnp.asarray(np.asarray(mu.points) @ np.asarray(basis).T)
        model, mu = in_dimension(model, rank), mu.at(coordinates)
        notes.append(
            f"tokens stay in the span of the {mu.n} initial ones: solved in R^{rank} instead of R^{flow.tokens.d}"
        )
    if not notes:
        return flow, ()
    inner = TokenFlow(model, mu, flow.path)
    return ReducedFlow(flow.model, flow.tokens, inner, None if labels is None else jnp.asarray(labels), basis), (
        *notes,
    )


def is_exchangeable(model: Transformer) -> bool:
    """Whether equal tokens move alike: no positions, and no noise of each one's own."""
    return not model.position and (model.noise is None or model.noise.common)


def equal_tokens(mu: Measure) -> np.ndarray | None:
    """For each token the number of the different one that it equals, in order of appearance; `None` if all differ."""
    rows = np.asarray(mu.points)
    if mu.radii is not None:
        rows = np.concatenate([rows, np.asarray(mu.radii)[:, None]], axis=1)
    # a sum of coordinates that is nowhere twice the same settles the matter in one sort of n numbers; column by column,
    # since a matrix product may round equal rows differently
    sums = np.zeros(mu.n)
    for column, factor in zip(rows.T, np.random.default_rng(0).normal(size=(rows.shape[1],)), strict=True):
        sums += factor * column
    sums.sort()
    if not np.any(sums[1:] == sums[:-1]):
        return None
    _, first, labels = np.unique(rows, axis=0, return_index=True, return_inverse=True)
    if len(first) == mu.n:
        return None
    return np.argsort(np.argsort(first))[labels.reshape(-1)]


def joined(mu: Measure, labels: np.ndarray) -> Measure:
    """The measure of one token for each label, at the first of that label, with the weights added up."""
    _, first = np.unique(labels, return_index=True)
    weights = np.bincount(labels, np.asarray(mu.weights, np.float64)).astype(mu.weights.dtype)
    points, radii = np.asarray(mu.points)[first], None if mu.radii is None else np.asarray(mu.radii)[first]
    found = Measure(points, weights, radii=radii)
    # the sums as they are: dividing by their total, 1 up to rounding, would change the last digit
    return eqx.tree_at(lambda nu: nu.weights, found, jnp.asarray(weights))


def sees_only_angles(model: Transformer) -> bool:
    """Whether the flow commutes with all rotations and keeps tokens in their span."""
    schedule, scheme = model.schedule, model.normalization
    if type(schedule) is not Constant or model.noise is not None:
        return False
    if not (scheme is None or scheme.is_isotropic) or not all(kind.is_isotropic for kind in model.position):
        return False
    return all(
        isinstance(part, Head)
        and part.attention.is_isotropic
        and all(multiple_of_identity(matrix) is not None for matrix in (part.Q, part.K, part.V, part.O))
        for part in schedule.constant
    )


def in_dimension(model: Transformer, d: int) -> Transformer:
    """A model that `sees_only_angles`, in R^d."""

    def resized(matrix: Array | None) -> Array | None:
        return None if matrix is None else matrix[0, 0] * jnp.eye(d, dtype=matrix.dtype)

    heads = [
        Head(head.attention, Q=resized(head.Q), K=resized(head.K), V=resized(head.V), O=resized(head.O))
        for head in model.heads(0.0)
    ]
    return Transformer(
        type(model.geometry)(d),
        heads,
        position=model.position,
        normalization=model.normalization,
        average=model.average,
        relative=model.relative,
        rescaled=model.rescaled,
    )


def orthonormal(points: np.ndarray, rank: int) -> Array:
    """Orthonormal rows (rank, d) whose span holds all `points` (n, d), n <= rank <= d."""
    # Householder reflections give an orthonormal factor whatever the rank of the points is
    columns = np.zeros((points.shape[1], rank))
    columns[:, : len(points)] = points.T
    return jnp.asarray(np.linalg.qr(columns)[0].T, points.dtype)
