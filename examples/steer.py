"""Steering tokens: the weights of a transformer, trained as controls of its flow (`make steer`).

The flow is differentiable in its weights, so that gradient descent finds weights, piecewise constant in depth, that
send given tokens to given places. Two experiments, each with figures and numbers under --out:

prompts  Two prompts on the sphere, which share their first token, are sent to two targets by one and the same
         (Q, K, V): a token goes where its context says (measure-to-measure interpolation, arXiv 2411.04551).
classes  64 points of two interleaved moons in R^2 are sent to one place per class by attention and a perceptron.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, NoReturn

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array
from matplotlib.axes import Axes
from matplotlib.collections import LineCollection
from matplotlib.colors import to_rgb
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from scipy.optimize import linear_sum_assignment

import tokenfield as tkf
from tokenfield._runtime.interrupt import Interrupts
from tokenfield.plot import Picture, style
from tokenfield.plot.on_sphere import Camera, add_globe, best_azimuth

try:
    import optax
except ImportError:
    sys.exit("steer.py trains with optax, which is not installed: pip install 'tokenfield[examples]'")

Weights = dict[str, Array]

# --- Parameters ---------------------------------------------------------------------------------------------------

STEPS = 800  # of the optimizer, for each experiment
ENOUGH = 1e-8  # a loss at which training ends before that: tokens are within 1e-4 of their targets
CHUNK = 20  # of them in one compiled call: Ctrl-C is heard in between
PROMPT_TOKENS, CLASS_TOKENS = 4, 64
WIDTH = 12  # neurons of the perceptron
INTERRUPTED = 130
DEPTHS = 81  # times at which the paths in the figures are drawn


@dataclass(frozen=True)
class Experiment:
    """What is steered: `tokens` (p, n, d), p prompts that see the same weights, to `targets` (p, n, d).

    `labels` (p, n) say which tokens are drawn in one color. Depth goes from 0 to `t1` in `layers` layers, each of
    `substeps` steps of the fourth-order Runge-Kutta method: with fewer, training finds weights that exploit the error
    of the steps instead of steering the flow.
    """

    name: str
    build: Callable[[Weights], tkf.Transformer]
    weights: Weights
    tokens: Array
    targets: Array
    labels: np.ndarray
    t1: float
    layers: int
    substeps: int
    rate: float


# --- Model --------------------------------------------------------------------------------------------------------


def prompts_model(weights: Weights, *, t1: float) -> tkf.Transformer:
    """Softmax attention on S^2 with its own (Q, K, V) in each layer."""
    layers = [tkf.Head(tkf.Softmax(1.0), **layer) for layer in _layers(weights)]
    return tkf.Transformer(tkf.Sphere(3), tkf.schedule.PerLayer(layers, t1=t1))


def classes_model(weights: Weights, *, t1: float) -> tkf.Transformer:
    """Softmax attention and a tanh perceptron in R^2, with their own (Q, K, V) and (W, A, b) in each layer."""
    layers = [
        [
            tkf.Head(tkf.Softmax(1.0), Q=layer["Q"], K=layer["K"], V=layer["V"]),
            tkf.Perceptron(layer["W"], layer["A"], layer["b"], activation="tanh"),
        ]
        for layer in _layers(weights)
    ]
    return tkf.Transformer(tkf.Euclidean(2), tkf.schedule.PerLayer(layers, t1=t1))


def _layers(weights: Weights) -> list[Weights]:
    """The weights of each layer, from those stacked along the first axis."""
    count = len(next(iter(weights.values())))
    return [{name: matrix[i] for name, matrix in weights.items()} for i in range(count)]


def random_weights(rng: np.random.Generator, layers: int, shapes: dict[str, tuple[int, ...]]) -> Weights:
    """Gaussian weights of these shapes in each layer.

    What moves tokens (V, W) starts small: with V = I tokens gather at once, and gathered tokens cannot be parted.
    """
    scales = {"V": 0.1, "W": 0.3}
    return {name: jnp.asarray(scales.get(name, 1.0) * rng.normal(size=(layers, *s))) for name, s in shapes.items()}


# --- Initial ------------------------------------------------------------------------------------------------------


def prompts_experiment(seed: int) -> Experiment:
    """Two prompts of four tokens on S^2 with the first one in common; targets are matched by optimal transport."""
    rng = np.random.default_rng(seed)
    x, y = (_unit(rng.normal(size=(2, PROMPT_TOKENS, 3))) for _ in range(2))
    x[1, 0] = x[0, 0]
    y = np.stack([target[linear_sum_assignment(-(prompt @ target.T))[1]] for prompt, target in zip(x, y, strict=True)])
    t1, layers = 2.0, 8
    weights = random_weights(rng, layers, dict.fromkeys("QKV", (3, 3)))
    labels = np.repeat([[0], [1]], PROMPT_TOKENS, axis=1)
    build = partial(prompts_model, t1=t1)
    return Experiment("prompts", build, weights, jnp.asarray(x), jnp.asarray(y), labels, t1, layers, 4, rate=0.03)


def classes_experiment(seed: int) -> Experiment:
    """64 points on two interleaved moons, which no line separates; the targets are (-1.5, 0) and (1.5, 0)."""
    rng = np.random.default_rng(seed)
    angles = np.pi * rng.uniform(size=(2, CLASS_TOKENS // 2))
    arcs = np.stack([np.cos(angles) - 0.5, np.sin(angles) - 0.25], axis=-1)
    arcs[1] *= -1
    x = arcs.reshape(1, -1, 2) + 0.05 * rng.normal(size=(1, CLASS_TOKENS, 2))
    labels = np.repeat([[0, 1]], CLASS_TOKENS // 2, axis=1)
    y = np.array([[-1.5, 0.0], [1.5, 0.0]])[labels]
    t1, layers = 3.0, 6
    shapes = {**dict.fromkeys("QKV", (2, 2)), "W": (2, WIDTH), "A": (WIDTH, 2), "b": (WIDTH,)}
    weights = random_weights(rng, layers, shapes)
    build = partial(classes_model, t1=t1)
    return Experiment("classes", build, weights, jnp.asarray(x), jnp.asarray(y), labels, t1, layers, 4, rate=0.06)


def _unit(x: np.ndarray) -> np.ndarray:
    return x / np.linalg.norm(x, axis=-1, keepdims=True)


# --- Solve --------------------------------------------------------------------------------------------------------


def arrivals(experiment: Experiment, weights: Weights) -> Array:
    """Where the flow brings the tokens, (p, n, d), in fixed steps: differentiable in the weights."""
    model, count = experiment.build(weights), experiment.layers * experiment.substeps

    def end(x: Array) -> Array:
        # max_steps is what reverse mode reserves memory for
        run = tkf.solve(model, x, t1=experiment.t1, method="rk4", step=experiment.t1 / count, save="end",
                        max_steps=count + 1)  # fmt: skip
        return run.final.points

    return jax.vmap(end)(experiment.tokens)


def loss(experiment: Experiment, weights: Weights) -> Array:
    """The mean squared distance between arrivals and targets."""
    return jnp.mean(jnp.sum((arrivals(experiment, weights) - experiment.targets) ** 2, axis=-1))


@dataclass(frozen=True)
class Training:
    """The trained `weights`, the loss before each optimizer step, and whether Ctrl-C ended it early."""

    weights: Weights
    losses: np.ndarray
    is_interrupted: bool
    wall_s: float


def train(experiment: Experiment, steps: int, interrupts: Interrupts, *, say: Callable[[str], None]) -> Training:
    """The training of `experiment` by at most `steps` steps of Adam; `say` is told the loss ten times on the way."""
    started = time.perf_counter()
    optimizer = optax.adam(optax.cosine_decay_schedule(experiment.rate, steps))

    @jax.jit
    def run_chunk(weights: Weights, state: Any, count: Array) -> tuple[Weights, Any, Array]:
        def step(i: Array, carry: tuple[Weights, Any, Array]) -> tuple[Weights, Any, Array]:
            weights, state, losses = carry
            value, gradient = jax.value_and_grad(partial(loss, experiment))(weights)
            updates, state = optimizer.update(gradient, state)
            return optax.apply_updates(weights, updates), state, losses.at[i].set(value)

        return jax.lax.fori_loop(0, count, step, (weights, state, jnp.zeros(CHUNK)))

    weights, state = experiment.weights, optimizer.init(experiment.weights)
    losses: list[float] = []
    told = 0
    say(f"{experiment.name}: loss")
    while len(losses) < steps and not interrupts.requested and (not losses or losses[-1] > ENOUGH):
        count = min(CHUNK, steps - len(losses))
        weights, state, values = run_chunk(weights, state, jnp.asarray(count))
        losses.extend(np.asarray(values)[:count].tolist())
        if told == 0 or 10 * len(losses) // steps > told or losses[-1] <= ENOUGH:
            told = max(10 * len(losses) // steps, 1)
            say(f" {losses[0]:.2g} > {losses[-1]:.2g}" if len(losses) <= CHUNK else f" > {losses[-1]:.2g}")
    is_interrupted = interrupts.requested
    say(f"{' (interrupted)' if is_interrupted else ''}, {len(losses)} steps, {time.perf_counter() - started:.0f} s\n")
    return Training(weights, np.array(losses), is_interrupted, time.perf_counter() - started)


# --- Observables --------------------------------------------------------------------------------------------------


def paths(experiment: Experiment, weights: Weights) -> np.ndarray:
    """The paths (p, T, n, d) of the tokens, by adaptive steps: the flow itself, not the scheme of the training."""
    model = experiment.build(weights)
    runs = [tkf.solve(model, x, t1=experiment.t1, save=DEPTHS, progress=False) for x in experiment.tokens]
    return np.stack([np.asarray(run.points) for run in runs])


def measure(experiment: Experiment, training: Training, trained: np.ndarray) -> dict[str, Any]:
    """The numbers of summary.json: losses, how far tokens end from their targets, how many are nearest to their own."""
    ends, targets = trained[:, -1], np.asarray(experiment.targets)
    distances = np.linalg.norm(ends - targets, axis=-1)
    # each token against the targets of its prompt: is its own the nearest?
    to_all = np.linalg.norm(ends[:, :, None] - targets[:, None], axis=-1)
    return {
        "steps": len(training.losses),
        "loss": {"first": float(training.losses[0]), "last": float(training.losses[-1])},
        "rms_distance": float(np.sqrt(np.mean(distances**2))),
        "max_distance": float(distances.max()),
        "nearest_to_own_target": int(np.sum(distances <= to_all.min(axis=-1) + 1e-12)),
        "tokens": int(distances.size),
        "weights": sum(matrix.size for matrix in training.weights.values()),
        "is_interrupted": training.is_interrupted,
        "wall_s": training.wall_s,
    }


# --- Figure -------------------------------------------------------------------------------------------------------


def draw(experiment: Experiment, before: np.ndarray, after: np.ndarray, training: Training) -> Picture:
    """The picture of the flow before and after training, and of the loss."""
    with style.styled():
        figure = style.new_figure(9.6, 3.7)
        axes = figure.subplots(1, 3, width_ratios=[1, 1, 0.85])
        show = _on_sphere if experiment.tokens.shape[-1] == 3 else _in_plane
        for panel, shown, title in zip(axes, (before, after), ("random weights", "trained weights"), strict=False):
            show(panel, experiment, shown, [before, after])
            panel.set_title(title)
        _draw_loss(axes[2], training.losses)
        _add_legend(figure, experiment)
    return Picture(figure, None, experiment.name)


def _on_sphere(axes: Axes, experiment: Experiment, shown: np.ndarray, _: list[np.ndarray]) -> None:
    """Draws paths (p, T, n, 3) on a globe; what lies behind it is paler."""
    targets = np.asarray(experiment.targets)
    marks = np.concatenate([np.asarray(experiment.tokens), targets], axis=1).reshape(-1, 3)
    camera = Camera(best_azimuth(marks, np.full(len(marks), 1 / len(marks)), 20.0), 20.0)
    add_globe(axes, camera)
    _mark(axes, experiment, *camera.project(shown), *camera.project(targets))


def _in_plane(axes: Axes, experiment: Experiment, shown: np.ndarray, all_paths: list[np.ndarray]) -> None:
    """Draws paths (p, T, n, 2) in the plane; all panels have the same axes."""
    targets = np.asarray(experiment.targets)
    points = np.concatenate([paths.reshape(-1, 2) for paths in all_paths])
    middle, half = (points.max(axis=0) + points.min(axis=0)) / 2, 0.55 * np.ptp(points, axis=0).max()
    axes.set(xlim=(middle[0] - half, middle[0] + half), ylim=(middle[1] - half, middle[1] + half), aspect="equal")
    axes.set(xlabel="$x_1$", ylabel="$x_2$")
    _mark(axes, experiment, shown, np.ones(shown.shape[:-1]), targets, np.ones(targets.shape[:-1]))


def _mark(axes: Axes, experiment: Experiment, places, depths, target_places, target_depths) -> None:
    """Draws starts as rings, paths as lines, ends as dots and targets as squares around them, each label in its color.

    Places are (p, T, n, 2) and (p, n, 2), depths the same without the last axis; what has a negative depth is paler.
    """
    is_few = experiment.labels.size <= 16
    size, width, alpha = (30.0, 1.3, 0.8) if is_few else (14.0, 0.7, 0.35)
    palette = np.array([to_rgb(color) for color in style.PALETTE])[experiment.labels]  # (p, n, 3)

    def shade(depth: np.ndarray) -> np.ndarray:
        return style.lighter(palette, np.where(depth >= 0, 0.0, 0.55)).reshape(-1, 3)

    for k in range(places.shape[1] - 1):
        segments = np.stack([places[:, k], places[:, k + 1]], axis=2).reshape(-1, 2, 2)
        colors = shade(depths[:, k + 1])
        lines = LineCollection(list(segments), colors=colors, linewidths=width, alpha=alpha, zorder=10)
        axes.add_collection(lines, autolim=False)
    start, end = (places[:, k].reshape(-1, 2) for k in (0, -1))
    boxes, first = np.unique(target_places.reshape(-1, 2).round(9), axis=0, return_index=True)
    axes.scatter(*start.T, s=size, c="white", edgecolors=shade(depths[:, 0]), linewidths=1.1, zorder=11)
    axes.scatter(*end.T, s=size, c=shade(depths[:, -1]), edgecolors="white", linewidths=0.4, zorder=12)
    axes.scatter(
        *boxes.T, s=72, marker="s", c="none", edgecolors=shade(target_depths)[first], linewidths=1.3, zorder=13
    )
    if experiment.name == "prompts":
        axes.scatter(*places[0, 0, :1].T, s=105, c="none", edgecolors=style.INK, linewidths=0.9, zorder=11)


def _draw_loss(axes: Axes, losses: np.ndarray) -> None:
    axes.plot(np.arange(len(losses)), losses, color=style.PALETTE[2], marker="o" if len(losses) == 1 else "")
    axes.set_yscale("log")
    axes.set(xlabel="optimizer step", title="loss: mean squared distance")
    axes.grid(axis="y", color="#E7E9ED", linewidth=0.6)


def _add_legend(figure: Figure, experiment: Experiment) -> None:
    names = ("first prompt", "second prompt") if experiment.name == "prompts" else ("first class", "second class")
    dot = partial(Line2D, [], [], linestyle="", markersize=5.5)
    handles = [dot(marker="o", color=style.PALETTE[i], markeredgewidth=0, label=name) for i, name in enumerate(names)]
    gray = {"color": style.INK, "markeredgewidth": 1.0}
    handles.append(dot(marker="o", markerfacecolor="white", label="start", **gray))
    handles.append(dot(marker="o", label="end", **gray))
    handles.append(dot(marker="s", markerfacecolor="none", label="target", **gray))
    if experiment.name == "prompts":
        handles.append(Line2D([], [], linestyle="", marker="o", markersize=10, markerfacecolor="none",
                              color=style.INK, markeredgewidth=0.9, label="token in both prompts"))  # fmt: skip
    figure.legend(handles=handles, loc="outside lower center", ncols=len(handles), handletextpad=0.2, columnspacing=1.4)


# --- Command line -------------------------------------------------------------------------------------------------


class _Parser(argparse.ArgumentParser):
    """A parser whose errors are one line."""

    def error(self, message: str) -> NoReturn:
        self.exit(2, f"steer.py: {message}\n")


def parse(arguments: list[str] | None = None) -> argparse.Namespace:
    """The options, checked."""
    parser = _Parser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=Path, default=Path("out/steer"), help="where results go (default: out/steer)")
    parser.add_argument("--seed", type=int, default=0, help="of tokens, targets and first weights (default: 0)")
    parser.add_argument("--steps", type=int, default=STEPS, help=f"of the optimizer (default: {STEPS})")
    parser.add_argument("--json", action="store_true", help="print the numbers of summary.json")
    parser.add_argument("--quiet", action="store_true", help="do not print the loss")
    options = parser.parse_args(arguments)
    if options.steps < 1:
        parser.error(f"--steps must be at least 1, got {options.steps}")
    if not 0 <= options.seed < 2**32:
        parser.error(f"--seed must be between 0 and 2^32 - 1, got {options.seed}")
    try:
        options.out.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        parser.error(f"cannot write to {options.out}: {error.strerror}")
    if not os.access(options.out, os.W_OK):
        parser.error(f"cannot write to {options.out}: permission denied")
    return options


def main(arguments: list[str] | None = None) -> int:
    """Runs both experiments into the folder given by --out; returns the exit code."""
    options = parse(arguments)
    stream = sys.stderr if options.json else sys.stdout

    def say(text: str) -> None:
        if not options.quiet:
            print(text, end="", file=stream, flush=True)

    summary: dict[str, Any] = {"seed": options.seed}
    with Interrupts() as interrupts:
        for prepare in (prompts_experiment, classes_experiment):
            if interrupts.requested:
                break
            experiment = prepare(options.seed)
            training = train(experiment, options.steps, interrupts, say=say)
            if len(training.losses):
                before, after = (paths(experiment, weights) for weights in (experiment.weights, training.weights))
                file = draw(experiment, before, after, training).save(options.out / f"{experiment.name}.png")
                found = summary[experiment.name] = measure(experiment, training, after)
                own = f"{found['nearest_to_own_target']} of {found['tokens']} nearest to their own"
                say(f"  tokens end {found['rms_distance']:.2g} from their targets (rms), {own}; see {file}\n")
    text = json.dumps(summary, indent=2)
    (options.out / "summary.json").write_text(text + "\n", encoding="utf-8")
    if options.json:
        print(text)
    return INTERRUPTED if interrupts.requested else 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except KeyboardInterrupt:  # the second Ctrl-C
        sys.exit(INTERRUPTED)
    except tkf.TokenfieldError as error:
        print(f"steer.py: {error}", file=sys.stderr)
        sys.exit(2)
