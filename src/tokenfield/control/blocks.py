"""Blocks of attention and a feed-forward layer that are put together one by one, with all tokens moved along.

A `Builder` knows how to tell sequences apart, to lift leaders out, to send the other tokens to them, and to move them;
`sequences` says in which order. A direction that puts two points into one place is a `Collision`: another is tried.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import jax.numpy as jnp
import numpy as np

from tokenfield.geometry import Euclidean
from tokenfield.model.exponential import Softmax
from tokenfield.model.hardmax import Hardmax
from tokenfield.model.parts import Head, Perceptron
from tokenfield.model.schedule import PerLayer
from tokenfield.model.transformer import Transformer

SHARPNESS = 25.0  # softmax: the logit of the leader above all others, so that others weigh 1e-11 each
RESOLVED = 1e-10  # the least gap between tokens, over their spread, that plateaus are put into


class Collision(Exception):
    """A direction puts two points into one place: another one is tried."""


@dataclass(eq=False)
class Block:
    """x <- x + V (mean - x), the mean by logits <Qx, Kx'>, or of all tokens without Q; then x <- x + W relu(Ax + b)."""

    V: np.ndarray | None = None
    Q: np.ndarray | None = None
    K: np.ndarray | None = None
    W: list[np.ndarray] = field(default_factory=list)
    A: list[np.ndarray] = field(default_factory=list)
    b: list[float] = field(default_factory=list)

    def neuron(self, w: np.ndarray, a: np.ndarray, b: float) -> None:
        self.W.append(w)
        self.A.append(a)
        self.b.append(b)

    def plateau(self, move: np.ndarray, along: np.ndarray, at: float, gap: float) -> None:
        """Adds `move` to points within gap/3 of `at` along a direction, and nothing beyond 2/3 of the gap."""
        for sign, edge in ((1, -2), (-1, -1), (-1, 1), (1, 2)):
            self.neuron(sign * move, 3 * along / gap, -3 * at / gap - edge)

    @property
    def parameters(self) -> int:
        arrays = [matrix for matrix in (self.V, self.Q, self.K) if matrix is not None]
        # V has rank one, w v^T, or is the identity: 2 d numbers at most
        return sum(min(matrix.size, 2 * len(matrix)) for matrix in arrays) + sum(2 * len(w) + 1 for w in self.W)


@dataclass(eq=False)
class Builder:
    """The blocks so far and where they bring all tokens: `now[j]` (n_j, d)."""

    now: list[np.ndarray]
    rng: np.random.Generator
    is_soft: bool
    blocks: list[Block] = field(default_factory=list)

    def __post_init__(self) -> None:
        q, _ = np.linalg.qr(self.rng.normal(size=(self.d, self.d)))
        self.basis = q.T  # rows: s = <basis[0], x> and r = <basis[1], x>, and what is across both

    @property
    def d(self) -> int:
        return self.now[0].shape[1]

    @property
    def size(self) -> float:
        return max(float(np.abs(x).max()) for x in self.now) + 1.0

    def add(self, block: Block) -> None:
        """Appends a block and moves all tokens by it."""
        self.blocks.append(block)
        moved = []
        for x in self.now:
            if block.V is not None:
                x = x + (self._mean(block, x) - x) @ block.V.T
            if block.W:
                x = x + np.maximum(x @ np.stack(block.A).T + block.b, 0.0) @ np.stack(block.W)
            moved.append(x)
        self.now = moved

    def _mean(self, block: Block, x: np.ndarray) -> np.ndarray:
        if block.Q is None or block.K is None:
            return np.broadcast_to(x.mean(axis=0), x.shape)
        logits = (x @ block.Q.T) @ (x @ block.K.T).T
        top = logits.max(axis=1, keepdims=True)
        weights = np.exp(logits - top) if self.is_soft else (logits >= top - 1e-9 * np.abs(top)).astype(float)
        return weights @ x / weights.sum(axis=1, keepdims=True)

    # --- sequences ---

    def tell_apart(self, X: list[np.ndarray]) -> None:
        """Blocks after which no two sequences share a point: one for each lifted token, and one to begin with."""
        s, r = self.basis[0], self.basis[1]
        tests = _tests(X, s)
        high = np.concatenate(self.now) @ s
        first = Block()
        # s > 0 makes queries <s, x> point one way: attention then goes by the key alone
        first.neuron((np.ptp(high) - high.min() + 1) * s, np.zeros(self.d), 1.0)
        shift = np.ptp(high) - high.min() + 1
        lift = 0.0
        for k in range(len(tests) + 1):
            block = first if k == 0 else Block(V=np.outer(r, s + (0.3 * r if self.is_soft else 0.0)))
            if k and not self.is_soft:
                block.Q, block.K = s[None], r[None]
            if k:  # back down
                at, gap = tests[k - 1]
                scale = 1 - 0.3 * (1 if self.is_soft else 0)
                block.plateau(-lift * scale * r, s, at + shift, gap)
            if k < len(tests):
                at, gap = tests[k]
                lift = 4 * self.size + 4 * float(np.ptp(high))
                block.plateau(lift * r, s, at + (shift if k else 0.0), gap)
            self.add(block)

    def lift_leaders(self, counts: list[int], size: float) -> list[list[int]]:
        """Blocks that lift as many tokens of each sequence as it has outputs; their indices, the first one's first."""
        along = _rotated(self.basis[0], self.basis[1], float(self.rng.uniform(0.2, 1.3)))
        places = [x @ along for x in self.now]
        everything = np.concatenate(places)
        spread = float(np.ptp(everything)) + 1.0
        gaps = [_gaps(own, everything) for own in places]
        leaders: list[list[int]] = []
        for own, count in zip(gaps, counts, strict=True):
            # tokens that occur twice have no gap to themselves: equal ones count as one
            order = np.argsort(-own, kind="stable")
            leaders.append(_distinct(order, places, len(leaders), count))
        # tokens must see the first leader, which will be at an angle of 0, before those at larger angles
        low, side = (f([(x @ self.basis[k]) for x in self.now]) for k, f in ((0, _lowest), (1, _farthest)))
        push = max(4 * side - low, 0.0) * self.basis[0]
        radius = 6 * max(self.size + float(np.linalg.norm(push)), size)
        for j, chosen in enumerate(leaders):
            own_radius = radius * (1.3 + 0.25 * j + 0.1 * self.rng.uniform())
            angles = np.pi * np.append(0.0, self.rng.permutation(np.linspace(0.25, 0.6, max(len(chosen) - 1, 1))))
            for k, i in enumerate(chosen):
                if gaps[j][i] < RESOLVED * spread:
                    raise Collision
                goal = own_radius * _rotated(self.basis[0], self.basis[1], float(angles[k]))
                goal += self.size * self.rng.uniform(-1, 1, self.d - 2) @ self.basis[2:]
                block = Block()
                block.neuron(push, np.zeros(self.d), 1.0)
                block.plateau(goal - self.now[j][i] - push, along, float(places[j][i]), float(gaps[j][i]))
                before = [x + push for x in self.now]
                self.add(block)
                self._only_moved(before, j, i)
                places, push = [own + push @ along for own in places], 0 * push
        return leaders

    def collapse(self, leaders: list[list[int]]) -> None:
        """The attention that sends each token to the first leader of its sequence, and leaders to themselves.

        It is left for the first block that follows. Softmax does it up to e^-SHARPNESS; there a block for each sequence
        makes what is near the first leader exactly one point.
        """
        plane = self.basis[:2]
        scale = 1.0
        if self.is_soft:
            least = min(_least_margin(x @ plane.T, chosen) for x, chosen in zip(self.now, leaders, strict=True))
            scale = SHARPNESS / least
        self.pending = Block(V=np.eye(self.d), Q=scale * plane, K=plane)
        if not self.is_soft:
            return
        for j, chosen in enumerate(leaders):
            block, self.pending = self.pending, Block()
            trial = self._after_attention(block)[j]
            near = np.setdiff1d(np.arange(len(trial)), self._same(trial, chosen[1:]))
            low, high = trial[near].min(axis=0), trial[near].max(axis=0)
            margin = 1e-6 * self.size
            for c in range(self.d):
                axis = np.eye(self.d)[c]
                block.neuron(-axis, axis, -(low[c] - margin))
                block.neuron(axis, axis, -(high[c] + margin))
            self.add(block)
            if np.ptp(self.now[j][near], axis=0).max() > 1e-9 * self.size:
                raise Collision
        self.pending = Block()

    def move_to(self, leaders: list[list[int]], Y: list[np.ndarray]) -> None:
        """Blocks that move each leader, with all that is there, to its output."""
        trial = self._after_attention(self.pending)
        spots = np.concatenate([trial[j][chosen] for j, chosen in enumerate(leaders)])
        goals = np.concatenate(Y)
        along = _separating(spots, goals, self.rng, self.basis[:2])
        heights = np.append(spots @ along, goals @ along)
        block = self.pending
        for place, goal in zip(spots, goals, strict=True):
            at = float(place @ along)
            others = np.abs(heights - at)
            gap = float(np.min(others[others > 1e-12 * self.size], initial=self.size))
            block.plateau(goal - place, along, at, gap)
            self.add(block)
            block = Block()

    # --- looks ---

    def _after_attention(self, block: Block) -> list[np.ndarray]:
        if block.V is None:
            return self.now
        return [x + (self._mean(block, x) - x) @ block.V.T for x in self.now]

    @staticmethod
    def _same(x: np.ndarray, chosen: list[int]) -> list[int]:
        """All tokens that are where one of the chosen is."""
        near = [np.abs(x - x[k]).max(axis=1) < 1e-12 * (1 + np.abs(x[k]).max()) for k in chosen]
        return np.flatnonzero(np.any(near, axis=0)).tolist() if near else []

    def _only_moved(self, before: list[np.ndarray], j: int, i: int) -> None:
        """Raises `Collision` if a block moved anything but token i of sequence j and its equals."""
        for k, (a, b) in enumerate(zip(before, self.now, strict=True)):
            moved = np.flatnonzero(np.abs(a - b).max(axis=1) > 1e-6 * self.size)
            equals = set(self._same(a, [i])) if k == j else set()
            if set(moved.tolist()) - equals:
                raise Collision

    @property
    def parameters(self) -> int:
        return sum(block.parameters for block in self.blocks)

    def transformer(self) -> Transformer:
        """The blocks as a transformer: layers that alternate between attention and neurons, all of one shape."""
        d, width = self.d, max(len(block.W) for block in self.blocks)
        kind = Softmax(jnp.asarray(1.0)) if self.is_soft else Hardmax()
        rows = max(1, *(0 if block.Q is None else len(block.Q) for block in self.blocks))
        layers: list[Any] = []
        for block in self.blocks:
            Q, K = (_padded(m, rows, d) for m in (block.Q, block.K))
            head = Head(kind, Q=Q, K=K, V=np.zeros((d, d)) if block.V is None else block.V)
            idle = Head(kind, Q=0 * Q, K=0 * K, V=np.zeros((d, d)))
            W, A, b = np.zeros((d, width)), np.zeros((width, d)), np.zeros(width)
            if block.W:
                k = len(block.W)
                W[:, :k], A[:k], b[:k] = np.stack(block.W, axis=1), np.stack(block.A), block.b
            layers += [[head, Perceptron(0 * W, A, b)], [idle, Perceptron(W, A, b)]]
        schedule = PerLayer(layers, t1=float(len(layers)))
        return Transformer(Euclidean(d), schedule, relative=True)


# --- geometry -----------------------------------------------------------------------------------------------------


def _padded(matrix: np.ndarray | None, rows: int, d: int) -> np.ndarray:
    out = np.zeros((rows, d))
    if matrix is not None:
        out[: len(matrix)] = matrix
    return out


def _rotated(a: np.ndarray, b: np.ndarray, angle: float) -> np.ndarray:
    return np.cos(angle) * a + np.sin(angle) * b


def _gaps(own: np.ndarray, everything: np.ndarray) -> np.ndarray:
    """The distance of each number to the nearest other one; equal numbers do not count."""
    values = np.unique(everything)
    values = values[np.append(True, np.diff(values) > 1e-13 * (1 + np.abs(values).max()))]
    if len(values) == 1:
        return np.ones(len(own))
    near = np.clip(np.searchsorted(values, own - 1e-13 * (1 + np.abs(values).max())), 0, len(values) - 1)
    below = own - values[np.maximum(near - 1, 0)]
    above = values[np.minimum(near + 1, len(values) - 1)] - own
    below[near == 0], above[near == len(values) - 1] = np.inf, np.inf
    return np.minimum(np.abs(below), np.abs(above))


def _lowest(values: list[np.ndarray]) -> float:
    return min(float(own.min()) for own in values)


def _farthest(values: list[np.ndarray]) -> float:
    return max(float(np.abs(own).max()) for own in values)


def _distinct(order: np.ndarray, places: list[np.ndarray], j: int, count: int) -> list[int]:
    """The first `count` tokens in this order that are not equal to earlier ones."""
    chosen: list[int] = []
    for i in order:
        if all(abs(places[j][i] - places[j][k]) > 1e-12 * (1 + abs(places[j][k])) for k in chosen):
            chosen.append(int(i))
        if len(chosen) == count:
            return chosen
    raise Collision


def _tests(X: list[np.ndarray], along: np.ndarray) -> list[tuple[float, float]]:
    """Tokens, by their place and gap along a direction, that tell all sequences apart: at most N - 1.

    Each parts a group of sequences that had the same tokens so far into those that have it and those that lack it.
    """
    sets = [np.unique(np.round(x @ along, 10)) for x in X]
    everything = np.unique(np.concatenate([x @ along for x in X]))
    spread = float(np.ptp(everything)) + 1.0
    groups, tests = [list(range(len(X)))], []
    while (group := next((g for g in groups if len(g) > 1), None)) is not None:
        only = np.setdiff1d(np.union1d(sets[group[0]], sets[group[1]]), np.intersect1d(sets[group[0]], sets[group[1]]))
        if not len(only):
            raise Collision
        gaps = _gaps(only, np.unique(np.round(everything, 10)))
        best = int(np.argmax(gaps))
        if gaps[best] < RESOLVED * spread:
            raise Collision
        tests.append((float(only[best]), min(float(gaps[best]), spread)))
        groups = [part for g in groups for part in _parted(g, sets, only[best]) if part]
    return tests


def _parted(group: list[int], sets: list[np.ndarray], token: float) -> tuple[list[int], list[int]]:
    has = [i for i in group if token in sets[i]]
    return has, [i for i in group if i not in has]


def _least_margin(x: np.ndarray, leaders: list[int]) -> float:
    """By how much the logit of the right leader is the largest, at least: its own for a leader, else the first's."""
    right = np.full(len(x), leaders[0])
    for k in leaders:
        right[np.all(x == x[k], axis=1)] = k
    logits = x @ x.T
    is_right = np.all(x[None, :] == x[right][:, None], axis=-1)  # (n, n): tokens that are where the right one is
    wrong = np.where(is_right, -np.inf, logits).max(axis=1)
    least = float(np.min(logits[np.arange(len(x)), right] - wrong))
    if least <= 0:
        raise Collision
    return least


def _separating(spots: np.ndarray, goals: np.ndarray, rng: np.random.Generator, plane: np.ndarray) -> np.ndarray:
    """A direction along which spots are apart from each other and beyond all goals."""
    best, found = 0.0, None
    for angle in rng.uniform(0.1, 1.2, 400):
        along = _rotated(plane[0], plane[1], float(angle))
        heights = spots @ along
        clear = heights.min() - (goals @ along).max()
        apart = np.min(np.diff(np.sort(heights)), initial=clear)
        if min(clear, apart) > best:
            best, found = float(min(clear, apart)), along
    if found is None:
        raise Collision
    return found
