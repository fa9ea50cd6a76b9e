"""`interpolate_sequences`: a transformer that maps given sequences exactly to given outputs (arXiv 2502.02270).

Blocks of attention and a feed-forward layer, both residual, with few neurons and heads of rank one or two. First
sequences that share tokens are told apart: a token that one has and another lacks is lifted by a plateau of ReLUs, and
attention shifts each sequence by what it sees of that. Then one token for each output, a leader, is lifted out;
attention sends every other token to the first leader of its sequence; leaders are moved to the outputs. Nothing is done
for a token that is no leader, so that blocks and parameters do not depend on the length of the inputs.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import jax.numpy as jnp
import numpy as np
from jax.typing import ArrayLike

from tokenfield._runtime.arguments import shown
from tokenfield.errors import InvalidInput, Unsupported
from tokenfield.geometry import Euclidean
from tokenfield.measure import Measure
from tokenfield.model.exponential import Softmax
from tokenfield.model.hardmax import Hardmax
from tokenfield.model.parts import Head, Perceptron
from tokenfield.model.schedule import PerLayer
from tokenfield.model.transformer import Transformer
from tokenfield.solver.solve import solve

TRIES = 20  # of random directions, until none puts two points where one is needed
SHARPNESS = 25.0  # softmax: the logit of the leader above all others, so that others weigh 1e-11 each
RESOLVED = 1e-10  # the least gap between tokens, over their spread, that plateaus are put into


@dataclass(frozen=True, eq=False)
class Interpolation:
    """A transformer that maps sequences to outputs: `blocks` of attention and a feed-forward layer.

    `model` runs as a residual network of 2 `blocks` layers of step 1, which alternate. `parameters` counts the numbers
    of all blocks that are not zero by construction, and `bound` is the number of blocks in the paper.

    >>> Interpolation(None, 3, 40, 5).blocks
    3
    """

    model: Transformer
    blocks: int
    parameters: int
    bound: int

    def run(self, sequence: ArrayLike) -> np.ndarray:
        """Where the transformer brings the tokens of a sequence.

        Args:
            sequence: Tokens (n, d).

        Returns:
            Tokens (n, d): the points of the output, each at least once.

        >>> found = interpolate_sequences([[[0.0, 1.0], [2.0, 0.0]]], [[[5.0, 5.0]]])
        >>> found.run([[0.0, 1.0], [2.0, 0.0]]).round(9).tolist()
        [[5.0, 5.0], [5.0, 5.0]]
        """
        layers = 2 * self.blocks
        run = solve(self.model, Measure(sequence), t1=float(layers), layers=layers, save="end", progress=False)
        return np.asarray(run.final.points)


def interpolate_sequences(
    inputs: Sequence[ArrayLike], outputs: Sequence[ArrayLike], *, attention: str = "hardmax"
) -> Interpolation:
    """A transformer that maps each of N input sequences exactly to its output sequence of m_j points.

    With hardmax at most 2 sum m_j + 2 N + 1 blocks, with softmax 2 sum m_j + 3 N (arXiv 2502.02270), whatever the
    lengths of the inputs. Sequences count as sets of tokens: attention does not see their order.

    Args:
        inputs: N sequences of tokens, each (n_j, d), d >= 2.
        outputs: N sequences of points, each (m_j, d), with m_j at most the number of distinct tokens of its input.
        attention: "hardmax" (the default) or "softmax".

    Returns:
        The transformer and the count of its blocks and parameters.

    Raises:
        InvalidInput: If shapes do not fit or a number is not finite.
        Unsupported: If two inputs are the same set with different outputs, outputs are longer than inputs, or tokens
            are so near each other that float64 does not tell them apart.

    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> inputs, outputs = rng.normal(size=(2, 6, 3)), rng.normal(size=(2, 2, 3))
    >>> found = interpolate_sequences(inputs, outputs)
    >>> far = np.linalg.norm(found.run(inputs[1])[:, None] - outputs[1], axis=-1).min(axis=1)
    >>> bool(far.max() < 1e-9), found.blocks <= 2 * 4 + 2 * 2 + 1
    (True, True)
    """
    X, Y = _checked(inputs, outputs, attention)
    for seed in range(TRIES):
        builder = _Builder([x.copy() for x in X], np.random.default_rng(seed), attention == "softmax")
        try:
            _construct(builder, X, Y)
        except _Collision:
            continue
        m, N = sum(map(len, Y)), len(X)
        return builder.finished(bound=2 * m + (3 * N if attention == "softmax" else 2 * N + 1))
    raise Unsupported("tokens or outputs are too near each other for float64 to tell them apart; spread them out")


def _construct(builder: _Builder, X: list[np.ndarray], Y: list[np.ndarray]) -> None:
    builder.tell_apart(X)
    leaders = builder.lift_leaders([len(y) for y in Y], size=max(np.abs(y).max() for y in Y))
    builder.collapse(leaders)
    builder.move_to(leaders, Y)
    error = max(_mismatch(x, y) for x, y in zip(builder.now, Y, strict=True))
    if not error < 1e-6 * builder.size:
        raise _Collision


class _Collision(Exception):
    """A direction puts two points into one place: another one is tried."""


# --- blocks -------------------------------------------------------------------------------------------------------


@dataclass(eq=False)
class _Block:
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
class _Builder:
    """The blocks so far and where they bring all tokens: `now[j]` (n_j, d)."""

    now: list[np.ndarray]
    rng: np.random.Generator
    is_soft: bool
    blocks: list[_Block] = field(default_factory=list)

    def __post_init__(self) -> None:
        q, _ = np.linalg.qr(self.rng.normal(size=(self.d, self.d)))
        self.basis = q.T  # rows: s = <basis[0], x> and r = <basis[1], x>, and what is across both

    @property
    def d(self) -> int:
        return self.now[0].shape[1]

    @property
    def size(self) -> float:
        return max(float(np.abs(x).max()) for x in self.now) + 1.0

    def add(self, block: _Block) -> None:
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

    def _mean(self, block: _Block, x: np.ndarray) -> np.ndarray:
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
        first = _Block()
        # s > 0 makes queries <s, x> point one way: attention then goes by the key alone
        first.neuron((np.ptp(high) - high.min() + 1) * s, np.zeros(self.d), 1.0)
        shift = np.ptp(high) - high.min() + 1
        lift = 0.0
        for k in range(len(tests) + 1):
            block = first if k == 0 else _Block(V=np.outer(r, s + (0.3 * r if self.is_soft else 0.0)))
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
                    raise _Collision
                goal = own_radius * _rotated(self.basis[0], self.basis[1], float(angles[k]))
                goal += self.size * self.rng.uniform(-1, 1, self.d - 2) @ self.basis[2:]
                block = _Block()
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
        self.pending = _Block(V=np.eye(self.d), Q=scale * plane, K=plane)
        if not self.is_soft:
            return
        for j, chosen in enumerate(leaders):
            block, self.pending = self.pending, _Block()
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
                raise _Collision
        self.pending = _Block()

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
            block = _Block()

    # --- looks ---

    def _after_attention(self, block: _Block) -> list[np.ndarray]:
        if block.V is None:
            return self.now
        return [x + (self._mean(block, x) - x) @ block.V.T for x in self.now]

    @staticmethod
    def _same(x: np.ndarray, chosen: list[int]) -> list[int]:
        """All tokens that are where one of the chosen is."""
        near = [np.abs(x - x[k]).max(axis=1) < 1e-12 * (1 + np.abs(x[k]).max()) for k in chosen]
        return np.flatnonzero(np.any(near, axis=0)).tolist() if near else []

    def _only_moved(self, before: list[np.ndarray], j: int, i: int) -> None:
        """Raises `_Collision` if a block moved anything but token i of sequence j and its equals."""
        for k, (a, b) in enumerate(zip(before, self.now, strict=True)):
            moved = np.flatnonzero(np.abs(a - b).max(axis=1) > 1e-6 * self.size)
            equals = set(self._same(a, [i])) if k == j else set()
            if set(moved.tolist()) - equals:
                raise _Collision

    def finished(self, bound: int) -> Interpolation:
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
        model = Transformer(Euclidean(d), schedule, relative=True)
        return Interpolation(model, len(self.blocks), sum(block.parameters for block in self.blocks), bound)


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
    raise _Collision


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
            raise _Collision
        gaps = _gaps(only, np.unique(np.round(everything, 10)))
        best = int(np.argmax(gaps))
        if gaps[best] < RESOLVED * spread:
            raise _Collision
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
        raise _Collision
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
        raise _Collision
    return found


def _mismatch(x: np.ndarray, y: np.ndarray) -> float:
    """The Hausdorff distance of two finite sets."""
    far = np.linalg.norm(x[:, None] - y, axis=-1)
    return float(max(far.min(axis=1).max(), far.min(axis=0).max()))


# --- arguments ----------------------------------------------------------------------------------------------------


def _checked(inputs: Any, outputs: Any, attention: str) -> tuple[list[np.ndarray], list[np.ndarray]]:
    if attention not in ("hardmax", "softmax"):
        raise InvalidInput(f'attention must be "hardmax" or "softmax", got {attention!r}')
    try:
        X, Y = ([np.asarray(x, dtype=np.float64) for x in sequences] for sequences in (inputs, outputs))
    except (TypeError, ValueError):
        raise InvalidInput(
            f"inputs and outputs must be lists of sequences (n, d), got {shown(inputs)} and {shown(outputs)}"
        ) from None
    if not X or len(X) != len(Y):
        raise InvalidInput(f"each input needs one output, and there must be one: got {len(X)} and {len(Y)}")
    d = X[0].shape[-1]
    for x in (*X, *Y):
        if x.ndim != 2 or x.shape[1] != d or not len(x) or not np.isfinite(x).all():
            raise InvalidInput(f"sequences must be finite tokens (n, {d}), got shape {x.shape}")
    if d < 2:
        raise Unsupported("sequences are interpolated in dimension d >= 2 (arXiv 2502.02270): add a coordinate")
    sets = [np.unique(x, axis=0) for x in X]
    for j, (x, y) in enumerate(zip(sets, Y, strict=True)):
        if len(np.unique(y, axis=0)) > len(x):
            raise Unsupported(f"output {j} has more points than input {j} has distinct tokens: {len(y)} and {len(x)}")
        for i in range(j):
            if sets[i].shape == x.shape and np.array_equal(sets[i], x):
                raise Unsupported(
                    f"inputs {i} and {j} are the same set of tokens: attention does not see their order and sends them "
                    "to one output; add positions, or change a token"
                )
    return X, Y
