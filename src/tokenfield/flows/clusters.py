"""`ClusterFlow`: tokens of which many may have been joined, and a velocity that keeps its digits when it is 1e-90.

It says which models allow tokens to be joined, and how; `tokenfield.solver.merging` joins them.
"""

from __future__ import annotations

from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jax import Array, lax

from tokenfield.errors import Unsupported
from tokenfield.flows.endings import Ending
from tokenfield.flows.flow import Flow
from tokenfield.flows.reduced import ReducedFlow, equal_tokens, reduce_exactly
from tokenfield.flows.tokens import TokenFlow
from tokenfield.geometry import Euclidean
from tokenfield.measure import Measure
from tokenfield.model.matrices import apply_matrix, multiple_of_identity
from tokenfield.model.normalization import PostLN
from tokenfield.model.parts import Head
from tokenfield.model.schedule import Constant
from tokenfield.model.summing import choose_sums
from tokenfield.model.transformer import Transformer
from tokenfield.sums import dense

PAIRWISE = 2048  # rows up to which sums are over pairs without the token itself
CONTACT = 1e-9  # tokens this close have met: with a clock of distance they then move back and forth


class ClusterFlow(Flow):
    """Tokens of which any number may have weight zero: rows that are left over and rest.

    With `is_pairwise` the velocity is summed over the other tokens only, P_x sum_{j != i} a_ij V (y_j - x_i). Nothing
    of order one is subtracted, so that speeds of 1e-90 keep all their digits. It is the velocity where P_x V x = 0.
    The solver's clock runs `since` a time of its own.
    With a `pace` the time is the distance travelled: the velocity is divided by (sum_i w_i |v_i|^2)^{1/2} / pace.
    """

    tokens: Measure
    since: Array
    pace: Array | None
    is_pairwise: bool = eqx.field(static=True)

    @property
    def start(self) -> Array:
        return self.tokens.points

    def law(self, y: Array) -> Measure:
        return self.tokens.at(y)

    def saved(self, y: Array) -> dict[str, Array]:
        return {"points": y}

    def retract(self, y: Array) -> Array:
        return self.model.geometry.to_manifold(y)

    def time(self, t: Array) -> Array:
        return self.since + t

    @property
    def offset(self) -> Array:
        return self.since

    def velocity(self, t: Array, y: Array) -> Array:
        """The right-hand side, read at the retracted state."""
        mu, t = self.law(self.retract(y)), self.time(t)
        v = self._pairwise(t, mu) if self.is_pairwise else self.model.velocity(t, mu.points, mu)
        v = jnp.where(mu.weights[:, None] > 0, v, 0.0)
        if self.pace is None:
            return v
        squared = jnp.sum(mu.weights[:, None] * v * v)
        return jnp.where(squared > 0, v * (self.pace / jnp.sqrt(jnp.where(squared > 0, squared, 1.0))), 0.0)

    def _pairwise(self, t: Array, mu: Measure) -> Array:
        model, x = self.model, mu.points
        heads = model.heads(t)
        logs = [
            dense.log_weights_of_others(
                logits(head, p.queries, p.keys), mu.weights, is_average=head.attention.is_average
            )
            for head, p in zip(heads, model.projected(t, x, mu), strict=True)
        ]
        shift = jnp.zeros(())
        if self.pace is not None:
            # only ratios of speeds matter: the largest weight that moves a token is taken as one, lest all underflow
            largest = jnp.max(jnp.stack([jnp.max(log_a) for log_a in logs]))
            shift = jnp.where(jnp.isfinite(largest), largest, 0.0)
        total = jnp.zeros_like(x)
        for head, log_a in zip(heads, logs, strict=True):
            total = total + apply_matrix(head.O, apply_matrix(head.V, dense.pull(log_a, x, shift=shift)))
        return model.geometry.project(x, total / len(heads) if model.average else total)

    def largest_step(self, t: Array, y: Array) -> Array:
        """Most of the time until two tokens meet at their present speed: beyond, the direction of motion jumps."""
        x, v, is_live = self.retract(y), self.velocity(t, y), self.tokens.weights > 0

        def until_met(row: tuple[Array, Array, Array]) -> Array:
            """The time until one token meets any other: from differences, which keep the digits of small distances."""
            x_i, v_i, is_live_i = row
            gap, closing = jnp.sum((x - x_i) ** 2, axis=1), -jnp.sum((x - x_i) * (v - v_i), axis=1)
            is_pair = is_live & is_live_i & (gap > 0) & (closing > 0)
            return jnp.min(jnp.where(is_pair, (gap + CONTACT**2) / jnp.where(is_pair, closing, 1.0), jnp.inf))

        return 0.9 * jnp.min(lax.map(until_met, (x, v, is_live)))

    @property
    def described(self) -> str:
        return TokenFlow(self.model, self.tokens).described

    @property
    def limits_steps(self) -> bool:
        # with a clock of distance, steps must end where tokens meet
        return self.pace is not None

    def with_model(self, model: Transformer) -> ClusterFlow:
        return ClusterFlow(model, self.tokens, self.since, self.pace, self.is_pairwise)

    @property
    def default_method(self) -> str:
        return "tsit5"

    @property
    def abilities(self) -> frozenset[str]:
        return frozenset()

    @property
    def work(self) -> float:
        return float(self.tokens.n) ** 2

    @property
    def endings(self) -> tuple[Ending, ...]:
        return TokenFlow(self.model, self.tokens).endings

    @property
    def can_blow_up(self) -> bool:
        return self.model.can_blow_up


def logits(head: Head, queries: Any, keys: Any) -> Any:
    """The logs of the weights (m, n) that queries give to keys, before any normalization; of NumPy for NumPy arrays."""
    attention, is_plain = head.attention, isinstance(queries, np.ndarray)
    if is_plain:
        # its parameters as NumPy arrays too, or JAX would compile these few operations for every shape
        attention = jax.tree.map(np.asarray, attention)
    kernel = attention.pair_kernel
    assert kernel is not None  # `check` made sure
    found = dense.of_pairs(kernel.log, queries, keys, of_distance=kernel.of_distance)
    return np.asarray(found) if is_plain else found


def merging_flow(flow: Flow, *, pace: float | None, is_reduced: bool = True) -> tuple[ReducedFlow, tuple[str, ...]]:
    """`flow` in a form in which tokens can be joined, and what there is to say about it.

    With a `pace`, the time is the distance that all tokens travel together, so much of it per unit of time. If it is
    not `is_reduced`, there are as many rows of as many coordinates as tokens have: equal tokens are one row, and rows
    that are left over have no mass, so that whatever has merged before, the shapes are the same.

    Raises `Unsupported` where joining makes no sense: see `check`.
    """
    check(flow)
    assert isinstance(flow, TokenFlow)
    full = flow.tokens
    small, notes = reduce_exactly(flow) if is_reduced else (_of_full_size(flow), ())
    inner = small.inner if isinstance(small, ReducedFlow) else flow
    labels = np.arange(full.n) if not isinstance(small, ReducedFlow) or small.labels is None else small.labels
    basis = small.basis if isinstance(small, ReducedFlow) else None
    is_exact = is_a_sum_of_differences(inner.model)
    if not is_exact:
        notes = (
            *notes,
            "V is no multiple of the identity: clusters drift with the rounding 1e-16, seen from t = 1e12 on",
        )
    scaled = None if pace is None else jnp.asarray(pace / np.sqrt(full.n))
    is_pairwise = is_exact and inner.tokens.n <= PAIRWISE
    model = inner.model if is_pairwise else inner.model.with_sums(choose_sums(inner.model, inner.tokens))
    cluster = ClusterFlow(model, inner.tokens, jnp.zeros(()), scaled, is_pairwise)
    return ReducedFlow(flow.model, full, cluster, jnp.asarray(labels), basis), notes


def _of_full_size(flow: TokenFlow) -> Flow:
    """The flow with equal tokens in one row and as many rows as tokens: those left over have no mass."""
    mu, labels = flow.tokens, equal_tokens(flow.tokens)
    if labels is None:
        return flow
    first = np.zeros(mu.n, int)
    places = np.unique(labels, return_index=True)[1]
    first[: len(places)] = places
    masses = np.bincount(labels, np.asarray(mu.weights), minlength=mu.n)
    rows = jnp.asarray(np.asarray(mu.points)[first]), jnp.asarray(masses)
    tokens = eqx.tree_at(lambda nu: (nu.points, nu.weights), mu, rows)
    return ReducedFlow(flow.model, mu, TokenFlow(flow.model, tokens, flow.path), jnp.asarray(labels), None)


def check(flow: Flow) -> None:
    """Raises `Unsupported` unless tokens of `flow` can be joined."""
    if not isinstance(flow, TokenFlow):
        raise Unsupported("merge joins tokens: a density or a Gaussian has none")
    if any(isinstance(leaf, jax.core.Tracer) for leaf in jax.tree.leaves(flow)):
        raise Unsupported("merge looks at numbers while it runs: call solve outside jax.jit, vmap and grad")
    if (reason := refused(flow.model)) is not None:
        raise Unsupported(f"merge {reason}")
    if flow.tokens.points.dtype != jnp.float64:
        raise Unsupported("merge is for long times, which need float64 tokens")


UNLIKE = "needs tokens that move alike when equal: no positions, no noise, no changing radii"


def refused(model: Transformer) -> str | None:
    """Why tokens of the model cannot be joined, as what merging needs or is for; `None` if they can."""
    if model.position or model.noise is not None or model.has_radius:
        return UNLIKE
    heads = [part for part in model.schedule.shapes() if isinstance(part, Head)]
    if not heads or not all(head.attention.collapses for head in heads):
        return "is for softmax, unnormalized and L2 attention, whose clusters collapse to points"
    return None


def is_a_sum_of_differences(model: Transformer) -> bool:
    """Whether the velocity is P_x sum_j a_ij V (y_j - x_i): nothing moves a token but others elsewhere."""
    scheme = model.normalization
    parts = model.schedule.shapes()
    if not (scheme is None or (isinstance(scheme, PostLN) and scheme.gain is None)):
        return False
    if not all(isinstance(part, Head) for part in parts):
        return False
    if model.rescaled or model.relative:
        return True
    if isinstance(model.geometry, Euclidean) or not isinstance(model.schedule, Constant):
        return False
    return all(multiple_of_identity(matrix) is not None for head in model.heads(0.0) for matrix in (head.V, head.O))


def is_autonomous(model: Transformer) -> bool:
    """Whether the velocity does not depend on time, so that the clock may be restarted."""
    is_steady = model.normalization is None or model.normalization.is_steady
    return isinstance(model.schedule, Constant) and not model.rescaled and is_steady
