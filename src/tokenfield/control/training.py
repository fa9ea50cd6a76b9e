"""`steer`: weights in depth that gradient descent finds, with a certificate that they steer the flow and not its steps.

The flow is differentiable in its weights, which are piecewise constant in depth. Training solves in fixed steps, by
`solve`, whose gradients keep few states, at most 64 however deep the flow is. Afterwards the same weights are solved
again, by another method with tight tolerances: a loss that only the steps of the training had shows there.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jax import Array

from tokenfield.control.descent import Descent, Weights, begin, descend
from tokenfield.control.losses import LOSSES
from tokenfield.control.problem import Pairs, pairs_of, parts_of
from tokenfield.control.steering import Certificate, Steering
from tokenfield.control.widths import Widths
from tokenfield.errors import InvalidInput, Unsupported
from tokenfield.geometry import Sphere
from tokenfield.measure import Measure
from tokenfield.model.parts import Head, Perceptron
from tokenfield.model.schedule import PerLayer
from tokenfield.model.transformer import Transformer
from tokenfield.solver.solve import solve

ENOUGH = 1e-8  # a loss at which training ends
SCALES = {"V": 0.1, "W": 0.3}  # what moves tokens starts small: gathered tokens are hard to part


def steer(
    model: Transformer,
    sources: Any,
    targets: Any,
    *,
    t1: float,
    seed: int,
    loss: str = "points",
    pieces: int = 8,
    rank: int | None = None,
    width: int | None = None,
    widths: Sequence[int] | None = None,
    steps: int = 500,
    rate: float = 0.03,
    substeps: int = 4,
    size: float = 0.0,
    hurry: float = 0.0,
    enough: float = ENOUGH,
    progress: bool | None = None,
) -> Steering:
    """Weights of `model`, piecewise constant in depth, that send prompts to their targets, found by gradient descent.

    All prompts see the same weights and not each other: a token goes where its context says. The kinds of parts are
    those of the model; their matrices Q, K, V, W, A, b are trained, in each piece of depth their own. The objective is

        mean loss + size * int |weights|^2 dt / t1 + hurry * T,

    with T the depth, which is `t1` unless `hurry` is positive: then it is found as well.

    Args:
        model: Geometry and parts: heads, perceptrons. Numbers in them, as beta, stay; matrices are trained.
        sources: A prompt, or a list of prompts: each points (n, d) or a `Measure`.
        targets: As many: for the loss "points" a point (d,) for all tokens, or one for each (n, d); else points (m, d)
            or a `Measure`.
        t1: The depth.
        seed: Of the weights that training begins with.
        loss: "points" (each token to its own target; the default), "clusters" (each token to the nearest target),
            "w2" (the Wasserstein distance W_2 between measures of equally many tokens) or "sinkhorn" (the Sinkhorn
            divergence, for any measures).
        pieces: Pieces of depth with constant weights; by default 8.
        rank: The rank of Q, K and V, which are then products of thin matrices; by default full.
        width: The neurons of perceptrons, by default 4 d.
        widths: The coordinates of tokens in each piece of depth, which are then as many pieces: tokens are padded with
            zeros where they widen and lose their last coordinates where they narrow. Sources have the first width,
            targets the last; the model is in as many coordinates of R^d as all pieces need, with (2, 3, 2) three, with
            (2, 3, 2, 3) four. By default all pieces have all coordinates.
        steps: Of the optimizer (Adam, with a rate that falls as a cosine) at most; by default 500.
        rate: Of the optimizer; by default 0.03.
        substeps: Runge-Kutta steps in each piece, by default 4: with fewer, training exploits their error.
        size: The weight of the size of weights in the objective; by default 0.
        hurry: The weight of the depth in the objective; by default 0: the depth is fixed.
        enough: A loss at which training ends before `steps`; by default 1e-8.
        progress: Whether a progress bar is shown, by default if somebody watches.

    Returns:
        The `Steering`. Ctrl-C keeps the best weights so far, and `found.resume()` goes on from there.

    Raises:
        InvalidInput: If prompts and targets do not fit each other or the model, or a number makes no sense.
        Unsupported: If two prompts are the same measure with different targets, or the model cannot be trained.

    >>> import tokenfield as tkf
    >>> model = Transformer(tkf.Euclidean(2), [tkf.Softmax(1.0), Perceptron(activation="tanh")])
    >>> found = steer(model, [[0.0, 1.0], [0.0, -1.0]], [[1.0, 0.0], [-1.0, 0.0]], t1=1.0, seed=0, steps=60, pieces=2)
    >>> bool(found.best < 0.1 * found.losses[0]), found.certificate.holds
    (True, True)
    """
    training = prepare(
        model, sources, targets, t1=t1, loss=loss, pieces=pieces, rank=rank, width=width, widths=widths,
        substeps=substeps, size=size, hurry=hurry,
    )  # fmt: skip
    return train(training, training.initial(seed), steps, rate, enough, progress)


def prepare(
    model: Transformer,
    sources: Any,
    targets: Any,
    *,
    t1: float,
    loss: str,
    pieces: int,
    rank: int | None,
    width: int | None,
    widths: Sequence[int] | None,
    substeps: int,
    size: float,
    hurry: float,
) -> Training:
    """The problem of training that `steer` solves, with its prompts and targets checked; arguments as there."""
    _check_positive(t1=t1)
    _check_counts(pieces=pieces, substeps=substeps, rank=rank, width=width)
    _check_weights(size=size, hurry=hurry)
    if widths is not None and isinstance(model.geometry, Sphere):
        raise Unsupported("widths change in R^d: on a sphere tokens that lose coordinates are no unit vectors")
    if rank is not None and rank > model.geometry.d:
        raise InvalidInput(f"rank must be at most the dimension {model.geometry.d}, got {rank}")
    wide = Widths.of(widths, model.geometry.d, pieces)
    pairs = pairs_of(model, sources, targets, loss, wide)
    if width is not None and not any(isinstance(part, Perceptron) for part in parts_of(model)):
        raise InvalidInput("width is that of perceptrons, and the model has none: add one, or leave out width")
    return Training(model, pairs, loss, float(t1), len(wide.each), rank, width, substeps, size, hurry, wide)


# --- what is trained ----------------------------------------------------------------------------------------------


class Training(eqx.Module):
    """One problem of training: from weights to a model, to where it brings the prompts, to the objective."""

    model: Transformer
    prompts: Pairs
    loss: str = eqx.field(static=True)
    t1: float = eqx.field(static=True)
    pieces: int = eqx.field(static=True)
    rank: int | None = eqx.field(static=True)
    width: int | None = eqx.field(static=True)
    substeps: int = eqx.field(static=True)
    size: float = eqx.field(static=True)
    hurry: float = eqx.field(static=True)
    widths: Widths | None = eqx.field(default=None, static=True)

    @property
    def d(self) -> int:
        return self.model.geometry.d

    @property
    def extent(self) -> float:
        """The largest distance of a source or target from the middle of all of them; 1 where all are one point."""
        points = np.concatenate([np.asarray(mu.points) for pair in self.prompts for mu in pair])
        return float(np.max(np.linalg.norm(points - points.mean(axis=0), axis=1))) or 1.0

    def initial(self, seed: int) -> Weights:
        """Gaussian weights of each part and piece; Q and K of size one, what moves tokens small."""
        if seed < 0:
            raise InvalidInput(f"seed must be a whole number >= 0, got {seed}")
        rng = np.random.default_rng(seed)
        weights: Weights = {"log_time": jnp.zeros(())}
        for number, part in enumerate(parts_of(self.model)):
            for name, shape in self._shapes(part).items():
                drawn = SCALES.get(name, 1.0) * rng.normal(size=(self.pieces, *shape))
                if self.rank is not None and name in ("Q", "K", "V"):
                    left = rng.normal(size=(self.pieces, shape[0], self.rank)) / np.sqrt(self.rank)
                    right = SCALES.get(name, 1.0) * rng.normal(size=(self.pieces, self.rank, shape[1]))
                    weights[f"{number}.{name}"] = (jnp.asarray(left), jnp.asarray(right))
                else:
                    weights[f"{number}.{name}"] = jnp.asarray(drawn)
        return weights

    def _shapes(self, part: Head | Perceptron) -> dict[str, tuple[int, ...]]:
        if isinstance(part, Head):
            return dict.fromkeys("QKV", (self.d, self.d))
        width = 4 * self.d if self.width is None else self.width
        return {"W": (self.d, width), "A": (width, self.d), "b": (width,)}

    def transformer(self, weights: Weights, *, t1: float | None = None) -> Transformer:
        """The model with these weights in depth; without `t1` the depth that is found is a speed in V and W."""
        speed = jnp.exp(weights["log_time"]) if t1 is None else 1.0
        matrices = {name: _product(leaf) for name, leaf in weights.items() if name != "log_time"}
        if self.widths is not None:
            matrices = {name: self.widths.masked(name[-1], matrix) for name, matrix in matrices.items()}

        def layer(own: Weights) -> list[Head | Perceptron]:
            parts: list[Head | Perceptron] = []
            for number, part in enumerate(parts_of(self.model)):
                named = {name: own[f"{number}.{name}"] for name in self._shapes(part)}
                named |= {name: speed * named[name] for name in ("V", "W") if name in named}
                if isinstance(part, Head):
                    parts.append(Head(part.attention, **named))
                else:
                    parts.append(Perceptron(named["W"], named["A"], named["b"], activation=part.activation))
            return parts

        schedule = PerLayer.stacked(jax.vmap(layer)(matrices), self.pieces, t1=self.t1 if t1 is None else t1)
        return eqx.tree_at(lambda m: m.schedule, self.model, schedule)

    def arrivals(self, weights: Weights) -> list[Array]:
        """Where the flow brings the tokens of each prompt, in fixed steps."""
        model, count = self.transformer(weights), self.pieces * self.substeps

        def end(source: Measure) -> Array:
            # max_steps is what reverse mode reserves memory for
            run = solve(model, source, t1=self.t1, method="rk4", step=self.t1 / count, save="end", max_steps=count + 1)
            return run.final.points

        sources = [source for source, _ in self.prompts]
        if len({source.points.shape for source in sources}) == 1:
            stacked = jax.tree.map(lambda *leaves: jnp.stack(leaves), *sources)
            return list(jax.vmap(end)(stacked))
        return [end(source) for source in sources]

    def mean_loss(self, ends: Sequence[Array]) -> Array:
        """The mean loss of all prompts that end in these points; coordinates that were dropped do not count."""
        if self.widths is not None and not self.widths.is_constant:
            ends = [jnp.zeros_like(x).at[:, self.widths.last].set(x[:, self.widths.last]) for x in ends]
        losses = [
            LOSSES[self.loss](x, source.weights, target.points, target.weights)
            for x, (source, target) in zip(ends, self.prompts, strict=True)
        ]
        return jnp.mean(jnp.stack(losses))

    def objective(self, weights: Weights) -> tuple[Array, Array]:
        """What is minimized, and the loss alone."""
        value = self.mean_loss(self.arrivals(weights))
        total = value
        if self.size:
            trained = {name: leaf for name, leaf in weights.items() if name != "log_time"}
            total = total + self.size * sum(jnp.sum(leaf**2) for leaf in jax.tree.leaves(trained)) / self.pieces
        if self.hurry:
            total = total + self.hurry * self.t1 * jnp.exp(weights["log_time"])
        return total, value


def train(
    training: Training,
    weights: Weights,
    steps: int,
    rate: float,
    enough: float,
    progress: bool | None,
    *,
    after: Descent | None = None,
    restore: Callable[[Descent], None] = lambda descent: None,
    keep: Callable[[Descent, bool], None] = lambda descent, is_interrupted: None,
) -> Steering:
    """The steering that Adam finds in at most `steps` steps from `weights`; Ctrl-C keeps the best so far.

    It goes on `after` an earlier part, or from where `restore` puts it; `keep` is called as by `descend`.
    """
    import optax

    _check_positive(rate=rate)
    _check_counts(steps=steps)
    if not enough >= 0:
        raise InvalidInput(f"enough is a loss, >= 0, got {enough}")
    started = time.perf_counter()
    optimizer = optax.adam(optax.cosine_decay_schedule(rate, steps))
    descent = begin(weights, optimizer)
    if after is not None:
        descent.restore(after.arrays(), [after.saved(0)])
        descent.run_chunk = after.run_chunk
    restore(descent)
    before = descent.seconds
    fixed = () if training.hurry else ("log_time",)
    is_interrupted = descend(
        training.objective, descent, optimizer, steps=steps, enough=enough, fixed=fixed, progress=progress, keep=keep
    )
    if not np.isfinite(min(descent.losses)):
        raise Unsupported(
            "the loss is not finite from the start: take a smaller depth t1, or smaller weights in the model"
        )
    depth = training.t1 * float(np.exp(descent.best["log_time"]))
    return Steering(
        model=training.transformer(descent.best, t1=depth),
        untrained=training.transformer(weights),
        t1=depth,
        losses=np.array(descent.losses),
        best=descent.best_loss,
        certificate=certify(training, descent.best, depth),
        sources=tuple(source for source, _ in training.prompts),
        targets=tuple(target for _, target in training.prompts),
        is_interrupted=is_interrupted,
        wall_s=before + time.perf_counter() - started,
        widths=training.widths,
        going_on=partial(train, training, weights, steps, rate, enough, after=descent) if is_interrupted else None,
    )


def certify(
    training: Training, weights: Weights, depth: float, *, method: str = "dopri8", rtol: float = 1e-10
) -> Certificate:
    """The certificate of trained weights: the same flow by an adaptive method of order 8 with tight tolerances."""
    model, trained = training.transformer(weights, t1=depth), training.arrivals(weights)
    runs = [
        solve(model, source, t1=depth, method=method, rtol=rtol, save="end", progress=False)
        for source, _ in training.prompts
    ]
    ends = [run.final.points for run in runs]
    # of a flow that does not get to the end nothing is certified; a maximum of NumPy keeps what is not a number
    drift = np.max([jnp.linalg.norm(x - y, axis=-1).max() for x, y in zip(ends, trained, strict=True)])
    if not all(run.result.is_complete for run in runs):
        drift = np.inf
    return Certificate(float(training.mean_loss(ends)), float(drift) / training.extent, method, rtol)


def _product(leaf: Any) -> Array:
    """The matrices of all pieces; a pair of thin ones stands for their product."""
    return leaf[0] @ leaf[1] if isinstance(leaf, tuple) else jnp.asarray(leaf)


# --- arguments ----------------------------------------------------------------------------------------------------


def _check_positive(**values: float) -> None:
    for name, value in values.items():
        if not (np.isfinite(value) and value > 0):
            raise InvalidInput(f"{name} must be positive, got {value}")


def _check_counts(**counts: int | None) -> None:
    for name, count in counts.items():
        if count is not None and count < 1:
            raise InvalidInput(f"{name} must be at least 1, got {count}")


def _check_weights(**weights: float) -> None:
    for name, value in weights.items():
        if not (np.isfinite(value) and value >= 0):
            raise InvalidInput(f"{name} is the weight of a penalty, >= 0, got {value}")
