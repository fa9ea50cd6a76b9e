"""`steer`: weights in depth that gradient descent finds, with a certificate that they steer the flow and not its steps.

The flow is differentiable in its weights, which are piecewise constant in depth. Training solves in fixed steps, by
`solve`, whose gradients keep a number of states that grows as the root of the depth. Afterwards the same weights are
solved again, by another method with tight tolerances: a loss that only the steps of the training had shows there.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jax import Array

from tokenfield._runtime.arguments import shown
from tokenfield._runtime.interrupt import Interrupts
from tokenfield._runtime.progress import Progress
from tokenfield.control.construction import effort_of
from tokenfield.control.losses import LOSSES
from tokenfield.control.prompts import check_distinct
from tokenfield.control.widths import Widths
from tokenfield.errors import InvalidInput, Unsupported, did_you_mean
from tokenfield.geometry import Sphere
from tokenfield.measure import Measure
from tokenfield.model.parts import Head, Perceptron
from tokenfield.model.schedule import Constant, PerLayer
from tokenfield.model.transformer import Transformer
from tokenfield.solver.solve import solve
from tokenfield.solver.trajectory import Trajectory

CHUNK = 20  # optimizer steps in one compiled call: Ctrl-C is heard in between
SCALES = {"V": 0.1, "W": 0.3, "O": 0.1}  # what moves tokens starts small: gathered tokens are hard to part
CERTIFIED = 1e-3  # arrivals of training and certificate may differ by this, in units of the mean distance of targets

Weights = dict[str, Any]


@dataclass(frozen=True)
class Certificate:
    """The trained weights solved again: by `method`, an adaptive one of higher order, with tolerance `rtol`.

    `loss` is the loss of that solve, `drift` the largest distance between a token of it and of the training's solve.

    >>> Certificate(1e-6, 1e-5, "dopri8", 1e-10).holds
    True
    """

    loss: float
    drift: float
    method: str
    rtol: float

    @property
    def holds(self) -> bool:
        """Whether both solves agree: training has steered the flow, not exploited its steps."""
        return bool(self.drift <= CERTIFIED)


@dataclass(frozen=True, eq=False)
class Steering:
    """What `steer` found: the `model` with its weights in depth up to `t1`, the loss by step, and the certificate.

    `best` is the loss of the weights that are kept, those of the least objective, and `untrained` the model with the
    weights that training began with. After Ctrl-C, which `is_interrupted` tells, the
    weights are the best so far.

    >>> import numpy as np
    >>> done = Certificate(1.0, 0.0, "dopri8", 1e-10)
    >>> Steering(None, None, 1.0, np.array([4.0, 1.0]), 1.0, done, (), (), False, 0.1).best
    1.0
    """

    model: Transformer
    untrained: Transformer
    t1: float
    losses: np.ndarray
    best: float
    certificate: Certificate
    sources: tuple[Measure, ...]
    targets: tuple[Measure, ...]
    is_interrupted: bool
    wall_s: float
    widths: Widths | None = None

    @property
    def schedule(self) -> Any:
        """The weights in depth."""
        return self.model.schedule

    @property
    def switches(self) -> int:
        """The number of pieces of depth with constant weights, as a `Construction` counts them."""
        return self.schedule.count

    @property
    def parameters(self) -> int:
        """The numbers in all weights; a matrix of low rank counts by its entries."""
        matrices = ("Q", "K", "V", "W", "A", "b")
        return sum(
            getattr(part, name).size for part in self.schedule.layers for name in matrices if hasattr(part, name)
        )

    @property
    def effort(self) -> float:
        """The integral over depth of |w| |(u, b)|, summed over neurons, and of |V| of heads, as of a `Construction`."""
        return effort_of(self.schedule)

    def run(self, source: Measure | Any, *, save: Any = "end", layers: int | None = None) -> Trajectory:
        """The trained flow from a prompt, of the training or not, by adaptive steps; or the network of so many layers.

        Args:
            source: A `Measure` or points (n, d), of the width of the first piece where widths change.
            save: What is kept; by default the end.
            layers: Of the residual network whose weights are those of the flow at the depths k t1 / layers; a multiple
                of the number of pieces. By default none: the flow.

        Returns:
            The trajectory up to `t1`, in all coordinates.

        Raises:
            InvalidInput: If layers do not fill the pieces, or points do not fit the model.

        >>> from tokenfield import Euclidean, Perceptron
        >>> found = steer(Transformer(Euclidean(2), Perceptron()), [[0.0, 0.0]], [[1.0, 1.0]], t1=1.0, seed=0, steps=40)
        >>> found.run([[0.0, 0.0]]).final.points.shape
        (1, 2)
        """
        if layers is not None and layers % self.schedule.count:
            raise InvalidInput(f"layers must be a multiple of the {self.schedule.count} pieces of depth, got {layers}")
        if self.widths is not None:
            source = self.widths.padded(source, 0)
        return solve(self.model, source, t1=self.t1, save=save, layers=layers, progress=False)

    def outputs(self, source: Measure | Any, *, layers: int | None = None) -> Array:
        """Where the trained flow, or the network of so many layers, brings tokens, in the width of the last piece.

        Args:
            source: A `Measure` or points (n, d), of the width of the first piece.
            layers: Of the residual network, as for `run`; by default none: the flow.

        Returns:
            The points, shape (n, width of the last piece).

        >>> from tokenfield import Euclidean, Perceptron
        >>> model = Transformer(Euclidean(3), Perceptron())
        >>> found = steer(model, [[0.0, 0.0]], [[1.0]], t1=1.0, seed=0, steps=40, widths=(2, 3, 1))
        >>> found.outputs([[0.0, 0.0]], layers=30).shape
        (1, 1)
        """
        points = self.run(source, layers=layers).final.points
        return points if self.widths is None else points[:, jnp.asarray(self.widths.last)]


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
    enough: float = 1e-8,
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
        The `Steering`. Ctrl-C keeps the best weights so far.

    Raises:
        InvalidInput: If prompts and targets do not fit each other or the model, or a number makes no sense.
        Unsupported: If two prompts are the same measure with different targets, or the model cannot be trained.

    >>> import tokenfield as tkf
    >>> model = Transformer(tkf.Euclidean(2), [tkf.Softmax(1.0), Perceptron(activation="tanh")])
    >>> found = steer(model, [[0.0, 1.0], [0.0, -1.0]], [[1.0, 0.0], [-1.0, 0.0]], t1=1.0, seed=0, steps=60, pieces=2)
    >>> bool(found.best < 0.1 * found.losses[0]), found.certificate.holds
    (True, True)
    """
    if widths is not None and isinstance(model.geometry, Sphere):
        raise Unsupported("widths change in R^d: on a sphere tokens that lose coordinates are no unit vectors")
    _check_positive(t1=t1, rate=rate)
    _check_counts(pieces=pieces, steps=steps, substeps=substeps, rank=rank, width=width)
    _check_weights(size=size, hurry=hurry, enough=enough)
    if rank is not None and rank > model.geometry.d:
        raise InvalidInput(f"rank must be at most the dimension {model.geometry.d}, got {rank}")
    if seed < 0:
        raise InvalidInput(f"seed must be a whole number >= 0, got {seed}")
    wide = Widths.of(widths, model.geometry.d, pieces)
    given = _prompts(model, sources, targets, loss, wide)
    if width is not None and not any(isinstance(part, Perceptron) for part in _parts(model)):
        raise InvalidInput("width is that of perceptrons, and the model has none: add one, or leave out width")
    training = Training(model, given, loss, float(t1), len(wide.each), rank, width, substeps, size, hurry, wide)
    return train(training, training.initial(seed), steps, rate, enough, progress)


# --- what is trained ----------------------------------------------------------------------------------------------


class Training(eqx.Module):
    """One problem of training: from weights to a model, to where it brings the prompts, to the objective."""

    model: Transformer
    prompts: tuple[tuple[Measure, Measure], ...]
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

    def initial(self, seed: int) -> Weights:
        """Gaussian weights of each part and piece; Q and K of size one, what moves tokens small."""
        rng = np.random.default_rng(seed)
        weights: Weights = {"log_time": jnp.zeros(())}
        for number, part in enumerate(_parts(self.model)):
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
        layers = []
        for piece in range(self.pieces):
            layer: list[Head | Perceptron] = []
            for number, part in enumerate(_parts(self.model)):
                own = {name: _piece(weights[f"{number}.{name}"], piece) for name in self._shapes(part)}
                if self.widths is not None:
                    own = {name: self.widths.masked(name, piece, matrix) for name, matrix in own.items()}
                for name in ("V", "W"):
                    if name in own:
                        own[name] = speed * own[name]
                if isinstance(part, Head):
                    layer.append(Head(part.attention, **own))
                else:
                    layer.append(Perceptron(own["W"], own["A"], own["b"], activation=part.activation))
            layers.append(layer)
        schedule = PerLayer(layers, t1=self.t1 if t1 is None else t1)
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
    training: Training, weights: Weights, steps: int, rate: float, enough: float, progress: bool | None
) -> Steering:
    """The steering that Adam finds in at most `steps` steps from `weights`; Ctrl-C keeps the best so far."""
    import optax

    started, first = time.perf_counter(), weights
    optimizer = optax.adam(optax.cosine_decay_schedule(rate, steps))

    @jax.jit
    def run_chunk(carry: Any, count: Array) -> Any:
        def step(i: Array, carry: Any) -> Any:
            weights, state, best, least, kept, losses = carry
            (total, value), gradient = jax.value_and_grad(training.objective, has_aux=True)(weights)
            is_better = total < least
            best = jax.tree.map(partial(jnp.where, is_better), weights, best)
            if not training.hurry:
                gradient = {**gradient, "log_time": jnp.zeros(())}
            updates, state = optimizer.update(gradient, state)
            least, kept = jnp.where(is_better, total, least), jnp.where(is_better, value, kept)
            return optax.apply_updates(weights, updates), state, best, least, kept, losses.at[i].set(value)

        return jax.lax.fori_loop(0, count, step, (*carry, jnp.zeros(CHUNK)))

    carry: Any = (weights, optimizer.init(weights), weights, jnp.asarray(jnp.inf), jnp.asarray(jnp.inf))
    losses: list[float] = []
    with Interrupts() as interrupts, Progress("steering", shown=progress) as bar:
        is_interrupted = False
        while len(losses) < steps and not is_interrupted and (not losses or min(losses) > enough):
            count = min(CHUNK, steps - len(losses))
            *carry, values = run_chunk(tuple(carry), jnp.asarray(count))
            losses.extend(np.asarray(values)[:count].tolist())
            bar.update(len(losses) / steps, f"loss {min(losses):.2g}")
            is_interrupted = len(losses) < steps and interrupts.requested
    best = carry[2]
    if not np.isfinite(min(losses, default=np.nan)):
        raise Unsupported(
            "the loss is not finite from the start: take a smaller depth t1, or smaller weights in the model"
        )
    depth = training.t1 * float(np.exp(best["log_time"]))
    return Steering(
        model=training.transformer(best, t1=depth),
        untrained=training.transformer(first),
        t1=depth,
        losses=np.array(losses),
        best=float(carry[4]),
        certificate=certify(training, best, depth),
        sources=tuple(source for source, _ in training.prompts),
        targets=tuple(target for _, target in training.prompts),
        is_interrupted=is_interrupted,
        wall_s=time.perf_counter() - started,
        widths=training.widths,
    )


def certify(
    training: Training, weights: Weights, depth: float, *, method: str = "dopri8", rtol: float = 1e-10
) -> Certificate:
    """The certificate of trained weights: the same flow by an adaptive method of order 8 with tight tolerances."""
    model, trained = training.transformer(weights, t1=depth), training.arrivals(weights)
    ends = [
        solve(model, source, t1=depth, method=method, rtol=rtol, save="end", progress=False).final.points
        for source, _ in training.prompts
    ]
    drift = max(float(jnp.max(jnp.linalg.norm(x - y, axis=-1))) for x, y in zip(ends, trained, strict=True))
    spread = max(float(jnp.max(jnp.linalg.norm(target.points, axis=-1))) for _, target in training.prompts)
    return Certificate(float(training.mean_loss(ends)), drift / max(spread, 1e-300), method, rtol)


# --- arguments ----------------------------------------------------------------------------------------------------


def _piece(leaf: Any, piece: int) -> Array:
    """The matrix of one piece; a pair of thin ones stands for their product."""
    return leaf[0][piece] @ leaf[1][piece] if isinstance(leaf, tuple) else leaf[piece]


def _parts(model: Transformer) -> list[Head | Perceptron]:
    return list(model.schedule.parts(0.0))  # type: ignore[arg-type]


def _prompts(
    model: Transformer, sources: Any, targets: Any, loss: str, widths: Widths
) -> tuple[tuple[Measure, Measure], ...]:
    if loss not in LOSSES:
        raise InvalidInput(f"unknown loss {loss!r}{did_you_mean(str(loss), LOSSES)}")
    parts = _parts(model)
    if not isinstance(model.schedule, Constant) or not all(isinstance(part, Head | Perceptron) for part in parts):
        raise Unsupported("steer trains heads and perceptrons that the model has at every depth: give a plain model")
    if model.noise is not None:
        raise Unsupported("steer needs a flow without noise: gradients of one random path say nothing about another")
    xs, ys = _listed(sources), _listed(targets, like=_listed(sources))
    if len(xs) != len(ys):
        raise InvalidInput(f"each prompt needs one target: {len(xs)} prompts, {len(ys)} targets")
    pairs = tuple(
        (_measure(widths.padded(x, 0), model, f"prompt {i}"), _target(widths.padded(y, -1), model, loss, i))
        for i, (x, y) in enumerate(zip(xs, ys, strict=True))
    )
    for i, (x, y) in enumerate(pairs):
        if loss == "points" and y.n not in (1, x.n):
            raise InvalidInput(
                f"target {i} has {y.n} points for {x.n} tokens: give one for each, one for all, or another loss"
            )
        if loss == "w2" and y.n != x.n:
            raise InvalidInput(
                f'target {i} has {y.n} points for {x.n} tokens: W_2 by assignment needs as many; take "sinkhorn"'
            )
    _check_same(pairs)
    return pairs


def _check_same(pairs: tuple[tuple[Measure, Measure], ...]) -> None:
    """Refuses two prompts that are one measure and have different targets."""
    for j in range(len(pairs)):
        for i in range(j):
            is_same_target = pairs[i][1].n == pairs[j][1].n and np.allclose(pairs[i][1].points, pairs[j][1].points)
            if not is_same_target:
                plain = [_Plain(np.asarray(pairs[k][0].points), np.asarray(pairs[k][0].weights)) for k in (i, j)]
                try:
                    check_distinct(plain)
                except Unsupported as error:
                    text = str(error).replace("prompts 0 and 1", f"prompts {i} and {j}")
                    raise Unsupported(text) from error


@dataclass(frozen=True, eq=False)
class _Plain:
    points: np.ndarray
    weights: np.ndarray


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


def _target(y: Any, model: Transformer, loss: str, i: int) -> Measure:
    if not isinstance(y, Measure):
        try:
            y = np.atleast_2d(np.asarray(y, dtype=np.float64))
        except (TypeError, ValueError):
            raise InvalidInput(f"target {i} must be points (m, d) or a Measure, got {shown(y)}") from None
    return _measure(y, model, f"target {i}")


def _check_positive(**values: float) -> None:
    for name, value in values.items():
        if not (np.isfinite(value) and value > 0):
            raise InvalidInput(f"{name} must be positive, got {value}")


def _check_counts(**counts: int | None) -> None:
    for name, count in counts.items():
        if count is not None and count < 1:
            raise InvalidInput(f"{name} must be at least 1, got {count}")


def _check_weights(*, size: float, hurry: float, enough: float) -> None:
    for name, value in (("size", size), ("hurry", hurry)):
        if not (np.isfinite(value) and value >= 0):
            raise InvalidInput(f"{name} is the weight of a penalty, >= 0, got {value}")
    if not enough >= 0:
        raise InvalidInput(f"enough is a loss, >= 0, got {enough}")
