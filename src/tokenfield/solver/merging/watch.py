"""Merging: tokens of one collapsed cluster become one weighted token, so that times like e^{beta} can be reached.

A collapsed cluster makes an explicit solver take a step of order one for every unit of time; one weighted token in its
place does not move on that scale. `Merging` looks at the tokens after every chunk of steps, joins those that have
collapsed, and restarts the solver's clock, since steps of order one are lost in the rounding of t = 10^80.

The sizes of the state change rarely: joined tokens leave rows of weight zero behind, and only when an eighth of the
rows or fewer are left does the state move to a smaller array, which is compiled anew.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import scipy
from jax import Array

from tokenfield.flows.clusters import PAIRWISE, ClusterFlow, is_a_sum_of_differences, is_autonomous, logits
from tokenfield.flows.reduced import ReducedFlow
from tokenfield.geometry import Sphere
from tokenfield.laws.grid import nodes_as_measure
from tokenfield.measure import Measure
from tokenfield.model.parts import Head
from tokenfield.model.summing import choose_sums
from tokenfield.observables.clusters import SPACE_SCALE, clusters
from tokenfield.observables.energy import energy as energy_of
from tokenfield.observables.energy import has_energy
from tokenfield.observables.scales import cluster_scale
from tokenfield.solver.integration import Chunk, Integration, State
from tokenfield.solver.merging.mergers import History, Mergers
from tokenfield.solver.result import Outcome

MERGE_STEPS = 32  # between two looks at the tokens: local times then never span more digits than a double has
STEPS_BYTES = 2**26  # of the states of all steps of a chunk
MERGE_WINDOW = 64  # saved states per chunk
SMALLEST = 64  # rows: smaller states are not worth compiling
SHRINK = 8  # a state moves to a smaller array when at most this part of its rows is left
NEIGHBORS = 8  # of each token that may join in one look
STILL = 1e-9  # relative speeds below this may be errors of fast sums


_energy = eqx.filter_jit(energy_of)


def collapsed(
    x: np.ndarray, v: np.ndarray, w: np.ndarray, share: Callable[[np.ndarray], float], *, tolerance: float
) -> list[np.ndarray]:
    """The groups of rows of `x` (k, d), with velocities `v` and masses `w`, that have collapsed for good.

    These are rows within `tolerance` that approach each other, and hold more than half of their own attention, as
    `share(group)` says. Two tokens of a crowd that happen to meet, or that part at the border of two clusters, do not.
    """
    live = np.flatnonzero(w > 0)
    labels = _near(x[live], tolerance)
    order = np.argsort(labels, kind="stable")
    groups = np.split(live[order], np.cumsum(np.bincount(labels))[:-1])
    return [
        group
        for group in groups
        # long chains of close tokens are no points
        if len(group) > 1
        and np.ptp(x[group], axis=0).max() <= 4 * tolerance
        and _is_closing(x[group], v[group], w[group])
        and share(group) > 0.5
    ]


def _near(x: np.ndarray, tolerance: float) -> np.ndarray:
    """Labels (k,) of the groups of points that a few steps of at most `tolerance` connect."""
    # equal points first: a tree of them would be a list
    _, first, labels = np.unique(x, axis=0, return_index=True, return_inverse=True)
    labels = labels.reshape(-1)
    while len(first) > 1:
        # a cluster of k points has k^2 close pairs: link a few neighbors of each, then one of each group, and so on
        points = x[first]
        distance, neighbor = scipy.spatial.cKDTree(points).query(
            points, k=min(NEIGHBORS, len(points)), distance_upper_bound=tolerance
        )
        i, slot = np.nonzero(np.isfinite(distance))
        j = neighbor[i, slot]
        if np.array_equal(i, j):
            break
        links = scipy.sparse.coo_matrix((np.ones(len(i)), (i, j)), shape=(len(points), len(points)))
        labels = scipy.sparse.csgraph.connected_components(links, directed=False)[1][labels]
        _, first = np.unique(labels, return_index=True)
    return labels


def _is_closing(x: np.ndarray, v: np.ndarray, w: np.ndarray) -> bool:
    """Whether the points shrink towards their mean, or part no faster than rounding and fast sums explain."""
    apart = x - np.average(x, axis=0, weights=w)
    growth = w @ np.sum(apart * (v - np.average(v, axis=0, weights=w)), axis=1)
    return bool(growth <= STILL * (w @ np.linalg.norm(apart, axis=1)))


class _Shares:
    """How much of the attention of a group goes to the group itself, for rows of the state `x` with masses `w`."""

    def __init__(self, inner: ClusterFlow, t: float, x: np.ndarray, w: np.ndarray):
        self._inner, self._t, self._x, self._w = inner, t, x, w
        self._heads: list[tuple[Head, np.ndarray, np.ndarray]] | None = None

    def __call__(self, group: np.ndarray) -> float:
        """The smallest share among the heads; members are so close that the heaviest speaks for all."""
        if self._heads is None:
            self._heads = _projected(self._inner, self._t, self._x)
        heaviest = group[np.argmax(self._w[group])]
        is_token, shares = self._w > 0, []
        for head, queries, keys in self._heads:
            own = logits(head, queries[heaviest : heaviest + 1], keys)[0]
            logs = np.where(is_token, own + np.log(np.where(is_token, self._w, 1.0)), -np.inf)
            shares.append(np.exp(scipy.special.logsumexp(logs[group]) - scipy.special.logsumexp(logs)))
        return float(min(shares))


def _projected(inner: ClusterFlow, t: float, x: np.ndarray) -> list[tuple[Head, np.ndarray, np.ndarray]]:
    """Each head with its queries and keys for all rows, as NumPy arrays."""
    mu, time = inner.tokens.at(jnp.asarray(x)), jnp.asarray(t)
    projected = inner.model.projected(time, mu.points, mu)
    return [
        (head, np.asarray(p.queries), np.asarray(p.keys))
        for head, p in zip(inner.model.heads(time), projected, strict=True)
    ]


def _describe(inner: ClusterFlow, t: float, x: np.ndarray, w: np.ndarray) -> tuple[float | None, float]:
    """The normalized energy of rows `x` with masses `w`, and the smallest part of its attention a row gives to itself.

    The energy is that of `observables.energy`; `None` in the rescaled frame.
    """
    live, shares = w > 0, []
    log_w = np.log(w[live])
    for head, queries, keys in _projected(inner, t, x):
        logs = logits(head, queries[live], keys[live]) + log_w
        shares.append(np.exp(np.min(np.diagonal(logs) - scipy.special.logsumexp(logs, axis=1))))
    energy = None
    if has_energy(inner.model) and not inner.model.rescaled:
        rows = nodes_as_measure(jnp.asarray(x), jnp.asarray(w))
        energy = float(_energy(rows, inner.model, jnp.asarray(t), normalized=True))
    return energy, float(min(shares))


@dataclass
class Merging:
    """What looks at the tokens between chunks: joins them, restarts the clock, remembers the mergers."""

    tolerance: float
    is_restarting: bool  # whether each chunk has a clock of its own
    is_exact: bool  # whether velocities are sums of differences
    history: History

    @staticmethod
    def begin(flow: ReducedFlow, t0: float, tolerance: float) -> tuple[Merging, ReducedFlow]:
        """The watch over `flow` from `t0` on, and the flow with its clock set."""
        is_restarting = is_autonomous(flow.model)
        inner = flow.inner
        points = np.asarray(inner.tokens.points)
        delta = cluster_scale(flow.model, t0) or SPACE_SCALE * max(float(np.ptp(points, axis=0).max()), 1e-300)
        history = History(
            labels=np.asarray(flow.labels),
            masses=np.asarray(inner.tokens.weights),
            t0=t0,
            start=points,
            delta=delta,
            is_sphere=isinstance(flow.model.geometry, Sphere),
        )
        watch = Merging(tolerance, is_restarting, is_a_sum_of_differences(inner.model), history)
        return watch, _with_offset(flow, t0 if is_restarting else 0.0)

    def after(self, integration: Integration, chunk: Chunk, state: State) -> tuple[Integration, State, int]:
        """The integration and the state for the next chunk, and the code with which this one ended."""
        assert chunk.steps is not None
        flow: Any = integration.flow
        code, accepted = int(chunk.code), int(chunk.accepted)
        offset, local = float(flow.offset), float(state.t)
        local_ts, ys, velocities = (np.asarray(values)[:accepted] for values in chunk.steps)
        self.history.add(offset, local_ts, ys, velocities)
        if self.is_restarting:
            if code == Outcome.STUCK.value and accepted:
                code = Outcome.OUT_OF_STEPS.value  # lost in the rounding of local times only: go on with a new clock
            flow = _with_offset(flow, offset + local)
            dt = jnp.maximum(state.dt, jnp.asarray(8 * np.finfo(float).eps * local, state.dt.dtype))
            state = eqx.tree_at(lambda s: (s.t, s.dt), state, (jnp.zeros_like(state.t), dt))
        if code == Outcome.OUT_OF_STEPS.value and accepted:
            flow, state = self._join(flow, state, velocities[-1], offset + local)
        return eqx.tree_at(lambda whole: whole.flow, integration, flow), state, code

    def _join(self, flow: Any, state: State, velocity: np.ndarray, t: float) -> tuple[Any, State]:
        """The flow and the state with the rows that have collapsed joined."""
        inner = flow.inner
        x, w = np.asarray(state.y), np.asarray(inner.tokens.weights)
        groups = collapsed(x, velocity, w, _Shares(inner, t, x, w), tolerance=self.tolerance)
        if not groups:
            return flow, state
        moved_to = np.where(w > 0, np.arange(len(w)), -1)
        points, masses = x.copy(), w.copy()
        for group in groups:
            first, mean = group[0], np.average(x[group], axis=0, weights=w[group])
            moved_to[group] = first
            points[first] = mean / np.linalg.norm(mean) if isinstance(inner.model.geometry, Sphere) else mean
            masses[group], masses[first] = 0.0, w[group].sum()
        left = np.flatnonzero(masses > 0)
        size = len(w)
        if len(left) * SHRINK <= size and size > SMALLEST:
            size = max(SMALLEST, 2 ** int(np.ceil(np.log2(len(left)))))
        numbers = np.full(len(w), -1)
        numbers[left] = np.arange(len(left))
        moved_to = np.where(moved_to >= 0, numbers[moved_to], -1)
        # rows that are left over rest at the first token
        places = np.append(left, np.full(size - len(left), left[0]))
        points, masses = points[places], np.where(np.arange(size) < len(left), masses[places], 0.0)
        self.history.join(moved_to, masses, t)
        return self._placed(flow, state, moved_to, points, masses)

    def _placed(
        self, flow: Any, state: State, moved_to: np.ndarray, points: np.ndarray, masses: np.ndarray
    ) -> tuple[Any, State]:
        """The flow and the state with rows at `points` of `masses`; row i of before is now number moved_to[i]."""
        flow = self._with_rows(flow, points, masses, moved_to[np.asarray(flow.labels)])
        size, shape = len(points), state.y.shape
        # a jump: the velocity that the solver kept is not that of the joined tokens, and it asks for it again
        state = jax.tree.map(lambda a: jnp.zeros_like(a, shape=(size, *shape[1:])) if a.shape == shape else a, state)
        return flow, eqx.tree_at(lambda s: (s.y, s.made_jump), state, (jnp.asarray(points), jnp.asarray(True)))

    def _with_rows(self, flow: Any, points: np.ndarray, masses: np.ndarray, labels: np.ndarray) -> ReducedFlow:
        """The flow of rows at `points` of `masses`; token i is row labels[i]."""
        inner, size = flow.inner, len(points)
        tokens, model = inner.tokens, inner.model
        if size != tokens.n:
            tokens = Measure(points)
        tokens = eqx.tree_at(lambda mu: (mu.points, mu.weights), tokens, (jnp.asarray(points), jnp.asarray(masses)))
        is_pairwise = self.is_exact and size <= PAIRWISE
        if size != inner.tokens.n and not is_pairwise:
            model = model.with_sums(choose_sums(model, tokens))
        cluster = ClusterFlow(model, tokens, inner.since, inner.pace, is_pairwise)
        return ReducedFlow(flow.model, flow.tokens, cluster, jnp.asarray(labels), flow.basis)

    def arrays(self, flow: Any) -> dict[str, np.ndarray]:
        """What was joined so far, and the steps that are remembered, by name."""
        tokens = flow.inner.tokens
        rows = {"points": tokens.points, "masses": tokens.weights, "labels": flow.labels, "since": flow.inner.since}
        return {f"rows {name}": np.asarray(values) for name, values in rows.items()} | self.history.arrays()

    def restore(self, flow: Any, arrays: Mapping[str, np.ndarray]) -> ReducedFlow:
        """The flow as it was when `arrays` were made; the history is restored with it."""
        points, masses, labels = (arrays[f"rows {name}"] for name in ("points", "masses", "labels"))
        self.history.restore(arrays)
        return _with_offset(self._with_rows(flow, points, masses, labels), float(arrays["rows since"]))

    def mergers(self, flow: Any, y: Array, t: float) -> Mergers:
        """The record of the run up to the state `y` at `t`."""
        inner = flow.inner
        x, w = np.asarray(y), np.asarray(inner.tokens.weights)
        live = np.flatnonzero(w > 0)
        near = clusters(Measure(x[live], w[live]), inner.model.geometry, delta=self.history.delta)
        joined_to = np.full(len(w), -1)
        joined_to[live] = near.labels
        # a plateau in time is seen on a log scale
        middle = np.mean if inner.pace is not None else lambda ends: float(np.prod(np.sqrt(ends)))
        return self.history.finish(joined_to, t, middle=middle, describe=partial(_describe, inner))


def _with_offset(flow: Any, offset: float) -> Any:
    return eqx.tree_at(lambda f: f.inner.since, flow, jnp.asarray(offset, jnp.float64))
