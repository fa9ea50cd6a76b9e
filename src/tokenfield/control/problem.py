"""The prompts and targets of `steer`, from what a user gives; what no flow reaches is refused in a sentence.

Without positions equal tokens of one prompt stay equal, prompts that are one measure move alike, and on a circle or a
line tokens of one prompt keep their order: targets against that are not trained for.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from tokenfield._runtime.arguments import shown
from tokenfield.control.losses import LOSSES
from tokenfield.control.matching import SAME
from tokenfield.control.prompts import merged, same_measures
from tokenfield.control.widths import Widths
from tokenfield.errors import InvalidInput, Unsupported, did_you_mean
from tokenfield.geometry import Geometry, Sphere
from tokenfield.measure import Measure
from tokenfield.model.parts import Head, Perceptron
from tokenfield.model.schedule import Constant
from tokenfield.model.transformer import Transformer

Pairs = tuple[tuple[Measure, Measure], ...]


def parts_of(model: Transformer) -> list[Head | Perceptron]:
    """The heads and perceptrons of a model that has the same ones at every depth."""
    return list(model.schedule.parts(0.0))  # type: ignore[arg-type]


def pairs_of(model: Transformer, sources: Any, targets: Any, loss: str, widths: Widths) -> Pairs:
    """Each prompt and its target as measures of the model's space; raises `InvalidInput` or `Unsupported`."""
    if loss not in LOSSES:
        raise InvalidInput(f"unknown loss {loss!r}{did_you_mean(str(loss), LOSSES)}")
    parts = parts_of(model)
    if not isinstance(model.schedule, Constant) or not all(isinstance(part, Head | Perceptron) for part in parts):
        raise Unsupported("steer trains heads and perceptrons that the model has at every depth: give a plain model")
    if model.noise is not None:
        raise Unsupported("steer needs a flow without noise: gradients of one random path say nothing about another")
    xs = _listed(sources)
    ys = _listed(targets, like=xs)
    if len(xs) != len(ys):
        raise InvalidInput(f"each prompt needs one target: {len(xs)} prompts, {len(ys)} targets")
    pairs = tuple(
        (_measure(widths.padded(x, 0), model, f"prompt {i}"), _target(widths.padded(y, -1), model, i))
        for i, (x, y) in enumerate(zip(xs, ys, strict=True))
    )
    for i, (x, y) in enumerate(pairs):
        _check_sizes(x, y, loss, i)
    # with positions, or with radii of their own, equal tokens may move differently: only where they are is not enough
    if not model.position and model.normalization is None:
        for i, (x, y) in enumerate(pairs):
            _check_flow(x, y, loss, i, model.geometry)
        _check_same(pairs, loss)
    return pairs


# --- what a loss compares -----------------------------------------------------------------------------------------


def _check_sizes(x: Measure, y: Measure, loss: str, i: int) -> None:
    if loss == "points" and y.n not in (1, x.n):
        raise InvalidInput(
            f"target {i} has {y.n} points for {x.n} tokens: give one for each, one for all, or another loss"
        )
    if loss != "w2":
        return
    if y.n != x.n:
        raise InvalidInput(
            f'target {i} has {y.n} points for {x.n} tokens: W_2 by assignment needs as many; take "sinkhorn"'
        )
    for mu, name in ((x, "prompt"), (y, "target")):
        if np.ptp(np.asarray(mu.weights)) > SAME * float(np.max(np.asarray(mu.weights))):
            raise InvalidInput(f'{name} {i} has unequal weights: W_2 by assignment needs equal ones; take "sinkhorn"')


# --- what no flow reaches -----------------------------------------------------------------------------------------


def _check_flow(x: Measure, y: Measure, loss: str, i: int, geometry: Geometry) -> None:
    """Refuses targets that part equal tokens, or change the order of tokens where they cannot pass each other."""
    tokens, goals = np.asarray(x.points), np.asarray(y.points)
    if loss == "points" and y.n > 1:
        if (pair := _parted(tokens, goals)) is not None:
            raise Unsupported(
                f"tokens {pair[0]} and {pair[1]} of prompt {i} are equal and have different targets: a flow parts no "
                "equal tokens; move one of them a little"
            )
        if _changes_order(tokens, goals, geometry):
            where = "circle" if isinstance(geometry, Sphere) else "line"
            raise Unsupported(
                f"on a {where} tokens of one prompt keep their order, and the targets of prompt {i} change it: "
                'take the loss "w2", which lets tokens choose, or add a coordinate'
            )
    if loss == "w2" and len(merged(tokens, x.weights)[0]) < len(merged(goals, y.weights)[0]):
        raise Unsupported(
            f"prompt {i} has fewer distinct tokens than target {i} has points: a flow parts no equal tokens; move some "
            "of them a little"
        )


def _parted(tokens: np.ndarray, goals: np.ndarray) -> tuple[int, int] | None:
    """Two equal tokens with different goals."""
    first: dict[bytes, int] = {}
    for k, token in enumerate(np.round(tokens, 9) + 0.0):  # + 0.0: no minus zero
        j = first.setdefault(token.tobytes(), k)
        if np.abs(goals[j] - goals[k]).max() > SAME:
            return j, k
    return None


def _changes_order(tokens: np.ndarray, goals: np.ndarray, geometry: Geometry) -> bool:
    """Whether goals are in another order than tokens, on a circle or a line; goals may be equal."""
    if isinstance(geometry, Sphere) and geometry.d == 2:
        angles, aims = (np.arctan2(points[:, 1], points[:, 0]) for points in (tokens, goals))
        steps = np.diff(aims[np.argsort(angles, kind="stable")], append=aims[np.argmin(angles)])
        steps = np.mod(steps, 2 * np.pi)
        steps[2 * np.pi - steps < SAME] = 0.0
        return bool(steps.sum() > 2 * np.pi + SAME)  # once around, or not at all if all goals are one
    if geometry.d == 1 and not isinstance(geometry, Sphere):
        return bool(np.any(np.diff(goals[np.argsort(tokens[:, 0], kind="stable"), 0]) < -SAME))
    return False


def _check_same(pairs: Pairs, loss: str) -> None:
    """Refuses two prompts that are one measure and have different targets."""
    plain = [(np.asarray(x.points), np.asarray(x.weights)) for x, _ in pairs]
    for j, (_, y) in enumerate(pairs):
        for i in range(j):
            other = pairs[i][1]
            if not same_measures(*plain[i], *plain[j]):
                continue
            if loss == "points" and max(y.n, other.n) > 1:
                tokens = np.concatenate([plain[i][0], plain[j][0]])
                goals = [np.broadcast_to(mu.points, (len(plain[k][0]), y.d)) for k, mu in ((i, other), (j, y))]
                is_one_target = _parted(tokens, np.concatenate(goals)) is None
            else:
                targets = [(np.asarray(mu.points), np.asarray(mu.weights)) for mu in (other, y)]
                is_one_target = same_measures(*targets[0], *targets[1])
            if not is_one_target:
                raise Unsupported(
                    f"prompts {i} and {j} are the same measure: one transformer sends them to the same place; "
                    "change a token, or give them one target"
                )


# --- shapes -------------------------------------------------------------------------------------------------------


def _listed(prompts: Any, like: list[Any] | None = None) -> list[Any]:
    """A list of prompts, from one or several."""
    if isinstance(prompts, Measure):
        return [prompts]
    if isinstance(prompts, Sequence) and any(isinstance(prompt, Measure) for prompt in prompts):
        return list(prompts)
    try:
        array = np.asarray(prompts, dtype=np.float64)
    except (TypeError, ValueError):
        if isinstance(prompts, Sequence) and not isinstance(prompts, str):
            return list(prompts)  # of different lengths
        raise InvalidInput(
            f"prompts must be points (n, d), a Measure or a list of them, got {shown(prompts)}"
        ) from None
    is_many = array.ndim == 3 or (like is not None and len(like) > 1)
    return list(array) if is_many else [array]


def _measure(x: Any, model: Transformer, name: str) -> Measure:
    try:
        mu = x if isinstance(x, Measure) else Measure(x)
    except InvalidInput as error:
        raise InvalidInput(f"{name}: {error}") from error
    if mu.points.ndim != 2 or mu.d != model.geometry.d:
        raise InvalidInput(f"{name} must be tokens of R^{model.geometry.d}, got shape {mu.points.shape}")
    if isinstance(model.geometry, Sphere):
        lengths = np.linalg.norm(np.asarray(mu.points), axis=1)
        if np.abs(lengths - 1).max() > 1e-6:
            raise InvalidInput(
                f"{name} must be on the unit sphere, as the model is: a point has length {lengths.max():g}"
            )
    return mu


def _target(y: Any, model: Transformer, i: int) -> Measure:
    if not isinstance(y, Measure):
        try:
            y = np.atleast_2d(np.asarray(y, dtype=np.float64))
        except (TypeError, ValueError):
            raise InvalidInput(f"target {i} must be points (m, d) or a Measure, got {shown(y)}") from None
    return _measure(y, model, f"target {i}")
