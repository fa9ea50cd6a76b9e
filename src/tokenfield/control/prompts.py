"""Prompts as measures: apart (`disentangle`), into points (`cluster`), onto targets (`match_prompts`).

After arXiv 2411.04551: attention without logits, x' = P_x mean(mu), sends each prompt to a point of its own; caps of a
ReLU cut what is left of a prompt into groups; `match` does the rest. Prompts do not see each other: one model, many
solves. Everything is computed along the flow, so that a construction knows where its tokens are.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from tokenfield._runtime.arguments import shown
from tokenfield.control.construction import Construction, Piece, attention_piece, build
from tokenfield.control.matching import SAME, pieces_of, points_on_sphere, same_rows, time_between
from tokenfield.errors import InvalidInput, Unsupported
from tokenfield.geometry import Sphere
from tokenfield.laws.density import Density
from tokenfield.measure import Measure

LONGEST = 60.0  # depth after which prompts that are not apart are taken to have the same limit
TIMES = 601  # at which it is looked whether they are
WARPS = 3  # nonlinear pieces that are tried in turn where attention alone sends two prompts to one point
SMALLEST_HOLE = 1e-3  # the angle of the largest cap without tokens: below, a support is taken to have no hole
CAP = np.pi / 8

Prompts = Sequence[Any]


def into_orthant(prompts: Prompts) -> Construction:
    """Weights that bring all prompts into the open positive orthant with one switch (lemma 3.2 of arXiv 2411.04551).

    First away from a hole of the supports, then towards the diagonal of the orthant: x' = P_x W (b)_+, U = 0.

    Args:
        prompts: Prompts on one sphere, each points (n, d) or a `Measure`.

    Returns:
        The construction, of two pieces at most.

    Raises:
        InvalidInput: If a prompt is not on the sphere.
        Unsupported: If the supports together leave no hole.

    >>> from tokenfield import Sphere, initial
    >>> prompts = [initial.uniform(Sphere(3), n=8, seed=seed) for seed in range(3)]
    >>> found = into_orthant(prompts)
    >>> found.switches, bool((found.run(prompts[0]).final.points > 0).all())
    (1, True)
    """
    states = _states(prompts)
    x = np.concatenate([state.points for state in states])
    d = x.shape[1]
    diagonal = np.full(d, d**-0.5)
    inside = np.cos(0.9 * np.arcsin(d**-0.5))  # a cap around the diagonal within the orthant
    pieces = []
    if np.min(x @ diagonal) < np.cos(np.pi - CAP):  # else the opposite of the diagonal is itself a hole
        hole = _hole(x, avoid=diagonal)
        pieces.append(_push("away from the hole", -hole, float(np.min(x @ -hole)), np.cos(CAP)))
        least = float(np.cos(np.arccos(np.clip(-hole @ diagonal, -1, 1)) + CAP))
    else:
        least = float(np.min(x @ diagonal))
    pieces.append(_push("into the orthant", diagonal, least, inside))
    return build(pieces, Sphere(d))


def disentangle(prompts: Prompts, *, within: float = 0.1) -> Construction:
    """Weights that make the supports of all prompts disjoint: each in a small cap of its own.

    One constant parameter does it for random prompts (proposition 6.2 of arXiv 2411.04551): attention without logits,
    x' = P_x mean(mu), sends each prompt to a point of its own. Where two prompts would gather at one point, one piece
    of a perceptron is put before it.

    Args:
        prompts: Prompts on one sphere, each points (n, d) or a `Measure`; no two of them the same measure.
        within: How small the caps get: their radius over the least distance of their centers; by default 0.1.

    Returns:
        The construction, of one piece for random prompts: one parameter, no switch.

    Raises:
        InvalidInput: If a prompt is not on the sphere, or `within` is not in (0, 1/2).
        Unsupported: If two prompts are the same measure, or stay together.

    >>> from tokenfield import Sphere, initial
    >>> disentangle([initial.uniform(Sphere(3), n=8, seed=seed) for seed in range(3)]).pieces
    1
    """
    if not 0 < within < 0.5:
        raise InvalidInput(f"within must be between 0 and 1/2, got {within}")
    states = _states(prompts)
    _distinct(states)
    pieces, _ = _apart(states, within)
    return build(pieces, Sphere(states[0].d))


def cluster(prompts: Prompts, *, within: float, atoms: int = 1) -> Construction:
    """Weights that bring each prompt to `atoms` points of its own, up to a distance `within`.

    For one atom, attention alone: the time is log(1/within) plus a constant (proposition 2.1 of arXiv 2411.04551).
    For more, each prompt is first made small and then cut by caps, one piece for each atom (proposition 2.2).

    Args:
        prompts: Prompts on one sphere, each points (n, d) or a `Measure`; or one prompt.
        within: The largest distance of a token to the center of its cluster.
        atoms: The number of clusters of each prompt, of equal masses; by default 1.

    Returns:
        The construction.

    Raises:
        InvalidInput: If a prompt is not on the sphere, `within` is not positive, or tokens cannot be so grouped.
        Unsupported: If two prompts are the same measure, or stay together.

    >>> from tokenfield import Sphere, initial
    >>> prompt = initial.uniform(Sphere(3), n=8, seed=0)
    >>> cluster([prompt], within=1e-3, atoms=2).pieces  # small, then one cut for each
    3
    """
    if not 0 < within < 1:
        raise InvalidInput(f"within must be between 0 and 1, got {within}")
    if atoms < 1:
        raise InvalidInput(f"atoms must be at least 1, got {atoms}")
    states = _states(prompts)
    _distinct(states)
    if atoms == 1:
        pieces, _ = _apart(states, 0.5, radius=within)
    else:
        weights = [np.full(atoms, 1 / atoms)] * len(states)
        pieces, _ = _atoms(states, weights, within)
    return build(pieces, Sphere(states[0].d))


def match_prompts(prompts: Prompts, targets: Sequence[Any], *, within: float = 1e-6) -> Construction:
    """Weights of one transformer that send every prompt to its own target measure, up to a distance `within`.

    Theorems 1.1 and 1.2 of arXiv 2411.04551 for discrete targets: prompts are made disjoint and small, each is cut into
    as many clusters as its target has atoms, and the clusters are matched, 7 pieces for each atom at most and few more.

    Args:
        prompts: N prompts on the sphere, d >= 3, each points (n, d) or a `Measure` of equal weights.
        targets: N targets: one point (d,), points (m, d), or a `Measure` whose weights are multiples of a token's.
        within: The largest distance of a token to its atom at the end; by default 1e-6.

    Returns:
        The construction.

    Raises:
        InvalidInput: If something is not on the sphere, or masses of tokens do not add up to those of atoms.
        Unsupported: If the theorem does not reach it: on a circle, one measure with two targets, two targets with one
            atom.

    >>> from tokenfield import Sphere, initial
    >>> import numpy as np
    >>> prompts = [initial.uniform(Sphere(3), n=8, seed=seed) for seed in range(2)]
    >>> found = match_prompts(prompts, [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0]])
    >>> bool(np.abs(found.run(prompts[1]).final.points - np.array([0.0, 1.0, 0.0])).max() < 1e-6)
    True
    """
    if not 0 < within < 1:
        raise InvalidInput(f"within must be between 0 and 1, got {within}")
    states = _states(prompts)
    goals = [_target(target, i, states[0].d) for i, target in enumerate(targets)]
    if len(goals) != len(states):
        raise InvalidInput(f"each prompt needs one target: {len(states)} prompts, {len(goals)} targets")
    if states[0].d < 3:
        raise Unsupported("prompts on a circle cannot pass each other: match_prompts needs d >= 3 (arXiv 2411.04551)")
    apart = _distinct(states, goals)
    states, goals = [states[i] for i in apart], [goals[i] for i in apart]
    y = np.concatenate([points for points, _ in goals])
    if same_rows(y) is not None:
        raise Unsupported(
            "two targets share an atom: a flow keeps what is disjoint disjoint; move one of them a little"
        )
    is_points = all(len(points) == 1 for points, _ in goals)
    radius = within / 10
    for _ in range(4):  # matching stretches clusters by a factor that is known afterwards
        if is_points:
            pieces, ends = _apart(states, 0.1, radius=radius)
            centers = np.stack([_center(end.points) for end in ends])
        else:
            pieces, centers = _atoms(states, [weights for _, weights in goals], radius)
        found = build([*pieces, *pieces_of(centers, y)], Sphere(states[0].d))
        error = max(
            _far_from(found.run(state.measure).final.points, points)
            for state, (points, _) in zip(states, goals, strict=True)
        )
        if error <= within:
            return found
        radius *= min(0.1, 0.3 * within / error)
    raise Unsupported(
        f"tokens end {error:.2g} from their atoms: rounding does not let them nearer; take a larger within"
    )


# --- the state of prompts -----------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class _State:
    """One prompt on its way: points (n, d) and weights (n,)."""

    points: np.ndarray
    weights: np.ndarray

    @property
    def d(self) -> int:
        return self.points.shape[1]

    @property
    def measure(self) -> Measure:
        return Measure(self.points, self.weights)


def _states(prompts: Prompts) -> list[_State]:
    if isinstance(prompts, Measure | Density) or (hasattr(prompts, "ndim") and prompts.ndim == 2):
        prompts = [prompts]
    if not isinstance(prompts, Sequence | np.ndarray) or isinstance(prompts, str) or len(prompts) == 0:
        raise InvalidInput(f"prompts must be a list of at least one prompt, got {shown(prompts)}")
    states = []
    for i, prompt in enumerate(prompts):
        if isinstance(prompt, Density):
            raise Unsupported(
                "a density fills the space: arXiv 2411.04551 needs a hole in the supports; draw tokens from it"
            )
        weights = np.asarray(prompt.weights) if isinstance(prompt, Measure) else None
        x = points_on_sphere(prompt.points if isinstance(prompt, Measure) else prompt, f"prompt {i}")
        states.append(_State(x, np.full(len(x), 1 / len(x)) if weights is None else weights / weights.sum()))
    if len({state.d for state in states}) > 1:
        raise InvalidInput(f"prompts must be on one sphere, got dimensions {[state.d for state in states]}")
    return states


def _distinct(states: Sequence[_State], goals: Sequence[Any] = ()) -> list[int]:
    """The numbers of prompts without those that are there twice; raises `Unsupported` if these have no common goal."""
    found: list[int] = []
    for j, one in enumerate(states):
        same = [i for i in found if same_measures(one.points, one.weights, states[i].points, states[i].weights)]
        if same and not (goals and same_measures(*goals[j], *goals[same[0]])):
            raise Unsupported(
                f"prompts {same[0]} and {j} are the same measure: one transformer sends them to the same place; "
                "change a token, or give them one target"
            )
        if not same:
            found.append(j)
    return found


def same_measures(x: np.ndarray, a: np.ndarray, y: np.ndarray, b: np.ndarray) -> bool:
    """Whether points x with weights a and points y with weights b are one measure, up to rounding."""
    (x, a), (y, b) = merged(x, a), merged(y, b)
    return x.shape == y.shape and bool(np.abs(x - y).max() < SAME and np.abs(a - b).max() < SAME)


def merged(x: np.ndarray, a: Any) -> tuple[np.ndarray, np.ndarray]:
    """A measure with equal points joined and in an order of its own."""
    rounded, places = np.unique(np.round(x, 9), axis=0, return_inverse=True)
    return rounded, np.bincount(places.ravel(), weights=a)


def _target(target: Any, i: int, d: int) -> tuple[np.ndarray, np.ndarray]:
    if isinstance(target, Measure):
        points, weights = np.asarray(target.points), np.asarray(target.weights)
    else:
        try:
            points = np.atleast_2d(np.asarray(target, dtype=np.float64))
        except (TypeError, ValueError):
            raise InvalidInput(
                f"target {i} must be a point (d,), points (m, d) or a Measure, got {shown(target)}"
            ) from None
        weights = np.ones(len(points))
    points = points_on_sphere(points, f"target {i}")
    if points.shape[1] != d:
        raise InvalidInput(f"target {i} lives in R^{points.shape[1]}, the prompts in R^{d}")
    return points, weights / weights.sum()


def _moved(states: Sequence[_State], pieces: Sequence[Piece]) -> list[_State]:
    found = build(pieces, Sphere(states[0].d))
    return [_State(np.asarray(found.run(state.measure).final.points), state.weights) for state in states]


def _center(x: np.ndarray) -> np.ndarray:
    mean = x.mean(axis=0)
    return mean / max(float(np.linalg.norm(mean)), 1e-300)  # of opposite tokens nothing: all are far from it


def _radius(x: np.ndarray) -> float:
    return float(np.max(np.linalg.norm(x - _center(x), axis=1)))


def _far_from(x: Any, atoms: np.ndarray) -> float:
    """The largest distance of a token to the nearest atom."""
    return float(np.max(np.min(np.linalg.norm(np.asarray(x)[:, None] - atoms, axis=-1), axis=1)))


# --- apart --------------------------------------------------------------------------------------------------------


def _apart(states: list[_State], ratio: float, radius: float = np.inf) -> tuple[list[Piece], list[_State]]:
    """Pieces after which prompts are in caps of at most `radius`, with radii at most `ratio` times their distance."""
    d = states[0].d
    for warp in range(WARPS + 1):
        before = [_warp(d, warp)] if warp else []
        now = _moved(states, before) if before else states
        flow = build([attention_piece("gather each prompt", d, LONGEST)], Sphere(d))
        paths = [np.asarray(flow.run(state.measure, save=TIMES).points) for state in now]
        radii = np.array([[_radius(x) for x in path] for path in paths])  # (N, T)
        centers = np.array([[_center(x) for x in path] for path in paths])
        gaps = np.full(TIMES, np.inf)
        for j in range(len(states)):
            for i in range(j):
                gaps = np.minimum(gaps, np.linalg.norm(centers[i] - centers[j], axis=1))
        largest = radii.max(axis=0)
        # where tokens have met to rounding, nothing is learned from radii any more
        good = np.flatnonzero((largest <= ratio * gaps) & (largest <= radius) & (gaps > 1e-6))
        if len(good):
            time = LONGEST * good[0] / (TIMES - 1)
            pieces = [*before, attention_piece("gather each prompt", d, max(time, LONGEST / (TIMES - 1)))]
            return pieces, _moved(states, pieces)
    raise Unsupported(
        "two prompts gather at the same point, also after the perceptrons that were tried: move a token of one of them"
    )


def _warp(d: int, seed: int) -> Piece:
    """A piece of a perceptron that treats no two directions alike."""
    drive, gate = np.random.default_rng(seed).normal(size=(2, d)) / np.sqrt(d)
    return Piece("break a symmetry", drive, gate, 0.5)


# --- atoms --------------------------------------------------------------------------------------------------------


def _atoms(states: list[_State], weights: Sequence[np.ndarray], radius: float) -> tuple[list[Piece], np.ndarray]:
    """Pieces that bring each prompt to as many clusters as it has `weights`, and all their centers in that order."""
    sizes = [_counts(state, mass, i) for i, (state, mass) in enumerate(zip(states, weights, strict=True))]
    for ratio in (0.03, 0.01, 3e-3, 1e-3, 3e-4):
        pieces, now = _apart(states, ratio, radius=ratio)
        centers = np.stack([_center(state.points) for state in now])
        far = [float(np.linalg.norm(centers[i] - centers[j])) for j in range(len(now)) for i in range(j)]
        reach = min(min(far, default=1.0), 1.0) / 4
        try:
            cut = [_cuts(now[i].points, sizes[i], reach, radius, i) for i in range(len(now))]
        except _TooCoarse:
            continue
        pieces += [piece for own, _ in cut for piece in own]
        ends = _moved(states, pieces)
        found = [_center(end.points[group]) for end, (_, groups) in zip(ends, cut, strict=True) for group in groups]
        return pieces, np.stack(found)
    raise Unsupported("tokens of a prompt are too near each other to be cut into groups; take fewer atoms")


class _TooCoarse(Exception):
    """Caps do not part the groups of a prompt: it has to be smaller."""


def _counts(state: _State, mass: np.ndarray, i: int) -> list[int]:
    n = len(state.points)
    sizes = np.round(mass * n).astype(int)
    if np.abs(state.weights - 1 / n).max() > SAME or np.abs(sizes - mass * n).max() > 1e-6 or sizes.min() < 1:
        raise InvalidInput(
            f"the {n} tokens of prompt {i} cannot be grouped into {len(mass)} atoms of their masses: "
            "tokens have equal weights, and atoms are multiples of it"
        )
    return sizes.tolist()


def _cuts(x: np.ndarray, sizes: list[int], reach: float, radius: float, i: int) -> tuple[list[Piece], list[np.ndarray]]:
    """One piece for each group of a small prompt: a cap that holds it and nothing else, driven to the cap's axis.

    Returns the groups as well. Caps get smaller where a larger one would hold the cluster of an earlier group.
    """
    pieces: list[Piece] = []
    groups: list[np.ndarray] = []
    axes: list[np.ndarray] = []
    left = np.arange(len(x))
    for k, size in enumerate(sizes):
        if k == len(sizes) - 1:
            group, axis, gate = left, _center(x[left]), float(np.cos(reach / 2))
            if any(axis @ other > gate for other in axes) or np.min(x[left] @ axis) <= gate:
                raise _TooCoarse
        else:
            group, axis, gate, reach = _cap(x, left, size, reach, axes, seed=100 * i + k)
        away = float(np.max(np.sum((x[group] - axis) ** 2, axis=1))) / 2  # 1 - <x, axis>, without cancellation
        close = radius**2 / 8
        time = float(time_between(gate, away, close)) if away > close else 0.0
        pieces.append(Piece(f"cut group {k} of prompt {i}", time * axis, axis, -gate))
        groups.append(group)
        axes.append(axis)
        left = np.setdiff1d(left, group)
    return pieces, groups


def _cap(
    x: np.ndarray, left: np.ndarray, size: int, reach: float, axes: list[np.ndarray], seed: int
) -> tuple[np.ndarray, np.ndarray, float, float]:
    """A group of `size` tokens of those `left`, the axis and the threshold of a cap that holds it alone, and its size.

    Among directions at the center, the one along which the first tokens are farthest from the others.
    """
    center = _center(x)
    directions = np.random.default_rng(seed).normal(size=(200, len(center)))
    directions -= np.outer(directions @ center, center)
    directions /= np.linalg.norm(directions, axis=1)[:, None]
    heights = -np.sort(-(x[left] @ directions.T), axis=0)
    for best in np.argsort(heights[size] - heights[size - 1])[:20]:
        along = x[left] @ directions[best]
        order = np.argsort(-along)
        group, rest = left[order[:size]], left[order[size:]]
        border = 0.5 * (along[order[size - 1]] + along[order[size]])
        for smaller in (reach, reach / 3, reach / 9):
            axis = np.cos(smaller + border) * center + np.sin(smaller + border) * directions[best]
            inside, outside = float(np.min(x[group] @ axis)), float(np.max(x[rest] @ axis))
            gate = 0.5 * (inside + outside)
            if inside > outside + 1e-13 and all(axis @ other < gate for other in axes):
                return group, axis, gate, smaller
    raise _TooCoarse


# --- holes --------------------------------------------------------------------------------------------------------


def _hole(x: np.ndarray, avoid: np.ndarray) -> np.ndarray:
    """A direction far from all tokens, and not within a cap of `avoid`."""
    candidates = np.random.default_rng(0).normal(size=(4000, x.shape[1]))
    candidates = np.concatenate([-x, candidates / np.linalg.norm(candidates, axis=1)[:, None]])
    candidates = candidates[candidates @ avoid < np.cos(1.5 * CAP)]
    nearest = np.max(candidates @ x.T, axis=1)
    best = int(np.argmin(nearest))
    if np.arccos(np.clip(nearest[best], -1, 1)) < SMALLEST_HOLE:
        raise Unsupported("the supports of the prompts leave no hole on the sphere, which arXiv 2411.04551 needs")
    return candidates[best]


def _push(what: str, towards: np.ndarray, least: float, most: float) -> Piece:
    """The piece x' = strength P_x towards that lifts <x, towards> from `least` to `most`: atanh of it grows by that."""
    least = max(least, -1 + 1e-15)
    time = max(float(np.arctanh(most) - np.arctanh(min(least, most))), 0.0)
    return Piece(what, time * towards, np.zeros(len(towards)), 1.0)
