"""Claims about one real layer repeated: the autonomous flow that the theorems are about, with trained weights.

Theory has one layer act for ever and proves that tokens come together. Here one layer of a trained model acts again and
again on the tokens of a sentence, whole, with its attention alone, or with its perceptron alone. What is looked at are
directions x / |x|: where they end, whether they rest, and how fast neighbors part (the largest Lyapunov exponent).
"""

from __future__ import annotations

from typing import NamedTuple

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jax import Array
from matplotlib.figure import Figure

from tokenfield.claims import real_models as real
from tokenfield.claims.claim import Claim, Control, Finding, Setting, at_least, at_most, equals
from tokenfield.claims.figures import FAINT, INK, PALETTE, panels
from tokenfield.geometry import Sphere
from tokenfield.measure import Measure
from tokenfield.model.transformer import Transformer
from tokenfield.observables import clusters
from tokenfield.pretrained.batch import Batch
from tokenfield.pretrained.nulls import shuffled

WHOLE, ATTENTION, PERCEPTRON = "whole layer", "attention alone", "perceptron alone"
WHICH = (WHOLE, ATTENTION, PERCEPTRON)
REST = 1e-5  # directions that turn by less in one step, in radians, are at rest
POINT = 0.999  # mean cosine of tokens that have come to one point
ANGLE = 0.1  # of two tokens of one cluster, in radians


class Repeated(NamedTuple):
    """What one layer, repeated, does to one sentence; all but `points` have an entry for each repetition."""

    points: np.ndarray  # where the tokens end, (n, d)
    steps: np.ndarray  # by how much directions turn, root mean square in radians
    growth: np.ndarray  # log of the factor by which a small difference grows, relative to the tokens
    cosines: np.ndarray  # mean cosine of two tokens
    lengths: np.ndarray  # root mean square of |x|

    @property
    def exponent(self) -> float:
        """The largest Lyapunov exponent, per repetition, over the second half."""
        return float(np.mean(self.growth[len(self.growth) // 2 :]))

    @property
    def is_at_rest(self) -> bool:
        """Whether the tokens have stopped."""
        return bool(self.steps[-1] < REST)

    @property
    def is_point(self) -> bool:
        """Whether all tokens are at one point."""
        return bool(self.cosines[-1] > POINT)

    @property
    def sizes(self) -> list[int]:
        """How many tokens each cluster has, largest first."""
        unit = self.points / np.linalg.norm(self.points, axis=1, keepdims=True)
        return [int(size) for size in clusters(Measure(unit), Sphere(unit.shape[1]), delta=ANGLE).sizes]


@eqx.filter_jit
def _repeat(layer: Transformer, batch: Batch, times: int, which: str, is_normalized: bool) -> tuple[Array, ...]:
    """Of all sentences the final points and, for each repetition, how far directions turned, growth and mean cosine."""

    def one(x: Array, w: Array) -> tuple[Array, ...]:
        is_there = (w > 0)[:, None]
        count = jnp.sum(w)

        def step(x: Array) -> Array:
            mu = Measure(x, w)
            acting = layer if which == WHOLE else layer.only(heads=which == ATTENTION)
            y = acting.layer(0.0, mu, step=1.0).points
            return y * (jnp.sqrt(count) / _size(y)) if is_normalized else y

        def _size(a: Array) -> Array:
            return jnp.linalg.norm(jnp.where(is_there, a, 0.0))

        def directions(a: Array) -> Array:
            return jnp.where(is_there, a / jnp.linalg.norm(a, axis=1, keepdims=True), 0.0)

        def repeated(carried: tuple[Array, Array], _: None) -> tuple[tuple[Array, Array], tuple[Array, ...]]:
            x, v = carried
            y, dy = jax.jvp(step, (x,), (v,))
            before, after = directions(x), directions(y)
            turned = jnp.linalg.norm(after - before) / jnp.sqrt(count)
            mean = jnp.sum(after, axis=0)
            cosine = (mean @ mean - count) / (count * (count - 1))
            growth = jnp.log(_size(dy) / _size(v)) - jnp.log(_size(y) / _size(x))
            return (y, dy / _size(dy)), (turned, growth, cosine, _size(y) / jnp.sqrt(count))

        v = jnp.where(is_there, jax.random.normal(jax.random.key(0), x.shape, x.dtype), 0.0)
        (end, _), found = jax.lax.scan(repeated, (x, v), None, length=times)
        return end, *found

    return jax.vmap(one)(batch.points, batch.weights)


def _repeated(
    layer: Transformer, batch: Batch, times: int, which: str, *, is_normalized: bool = False
) -> list[Repeated]:
    points, *curves = map(np.asarray, _repeat(layer, batch, times, which, is_normalized))
    return [Repeated(points[i, :length], *(curve[i] for curve in curves)) for i, length in enumerate(batch.lengths)]


# --- an encoder -----------------------------------------------------------------------------------------------------


def _encoder(*, seed: int, count: int, times: int, weights: str) -> Finding:
    network, batch = real.model("minilm"), Batch(real.prompts("minilm", count, seed))
    network = network if weights == "trained" else shuffled(network, seed)
    found: dict[tuple[str, int], list[Repeated]] = {}
    for k in range(network.layers):
        layer = network.transformer.frozen(k + 0.5)
        for which in WHICH:
            found[which, k + 1] = _repeated(layer, batch, times, which)
    share = lambda which, k, name: np.mean([getattr(run, name) for run in found[which, k]])  # noqa: E731
    exponent = lambda which, k: np.mean([run.exponent for run in found[which, k]])  # noqa: E731
    layers = range(1, network.layers + 1)
    checks = [
        *(
            equals(f"share of sentences that layer {k} brings to one point", share(WHOLE, k, "is_point"), 1, within=0.0,
                   because="every sentence")
            for k in (1, 5, 6)
        ),
        at_most("share of sentences at one point after layer 2", share(WHOLE, 2, "is_point"), 0.5, because="clusters"),
        at_least("share of sentences at rest after layer 2", share(WHOLE, 2, "is_at_rest"), 0.8, because="at rest"),
        equals("share of sentences at rest after layer 4", share(WHOLE, 4, "is_at_rest"), 0, within=0.0,
               because="it wanders"),
        at_least("mean Lyapunov exponent of layer 4", exponent(WHOLE, 4), 0.02, because="neighbors part"),
        at_most("largest mean Lyapunov exponent, attention alone", max(exponent(ATTENTION, k) for k in layers), -0.01,
                because="attention alone comes to rest in every layer"),
        at_least("mean Lyapunov exponent of layer 4, perceptron alone", exponent(PERCEPTRON, 4), 0.02,
                 because="the perceptron is what wanders"),
    ]  # fmt: skip
    summary = {
        key: {
            "cosines": np.mean([run.cosines for run in runs], axis=0),
            "exponents": [run.exponent for run in runs],
            "points": float(np.mean([run.is_point for run in runs])),
            "rests": float(np.mean([run.is_at_rest for run in runs])),
            "clusters": [len(run.sizes) for run in runs],
        }
        for key, runs in found.items()
    }
    return Finding(checks, {"layers": network.layers, "summary": summary})


def _draw_encoder(finding: Finding) -> Figure:
    data, summary = finding.data, finding.data["summary"]
    figure, axes = panels(3, width=9.6, height=3.1)
    for ax, which in zip(axes[:2], (WHOLE, ATTENTION), strict=True):
        for k in range(1, data["layers"] + 1):
            curve = summary[which, k]["cosines"]
            ax.semilogx(np.arange(1, len(curve) + 1), curve, color=PALETTE[k - 1], label=f"layer {k}")
        ax.set(xlabel="repetitions", ylabel="mean cosine of two tokens", title=which, ylim=(-0.05, 1.05))
    axes[0].legend(ncols=2, loc="upper left")
    _draw_exponents(axes[2], summary, data["layers"])
    return figure


def _draw_exponents(ax, summary: dict, layers: int) -> None:
    for color, (which, shift) in zip(PALETTE, zip(WHICH, (-0.2, 0.0, 0.2), strict=True), strict=False):
        for k in range(1, layers + 1):
            values = summary[which, k]["exponents"]
            ax.plot(np.full(len(values), k + shift), values, ".", color=color, label=which if k == 1 else None)
    ax.axhline(0, color=INK, linewidth=0.8)
    ax.set(xlabel="layer", ylabel="largest Lyapunov exponent", title="rest (below 0) or chaos (above)")
    ax.set_xticks(range(1, layers + 1))
    ax.legend(loc="lower right")


# --- a causal model -------------------------------------------------------------------------------------------------


def _causal(*, seed: int, count: int, times: int, every: int, normalized: bool) -> Finding:
    network, batch = real.model("smollm2", "float32"), Batch(real.prompts("smollm2", count, seed, "float32"))
    layers = list(range(1, network.layers + 1, every))
    slopes, growths, ends, curves = [], [], [], {}
    tail = np.arange(times // 4, times)
    for k in layers:
        runs = _repeated(network.transformer.frozen(k - 0.5), batch, times, WHOLE, is_normalized=normalized)
        steps = np.mean([run.steps for run in runs], axis=0)
        slopes.append(np.polyfit(np.log(tail), np.log(steps[tail]), 1)[0])
        lengths = np.mean([run.lengths for run in runs], axis=0)
        growths.append(np.polyfit(np.log(tail), np.log(lengths[tail]), 1)[0])
        ends.append(np.mean([run.cosines[-1] for run in runs]))
        curves[k] = (steps, np.mean([run.cosines for run in runs], axis=0))
    third = network.layers // 3
    middle = [end for k, end in zip(layers, ends, strict=True) if third < k <= 2 * third - 2]
    late = [end for k, end in zip(layers, ends, strict=True) if k > 2 * third]
    checks = [
        equals("median over layers of the slope of log |x| in log l", np.median(growths), 1, within=0.15,
               because="|x| grows like l plus a constant"),
        at_most("median over layers of the slope of log(turn) in log l", np.median(slopes), -0.8,
                because="the same vector turns a longer one less: 1/l, or faster near the end"),
        at_most("mean cosine that layers of the middle third leave", np.mean(middle), 0.5, because="they keep apart"),
        at_least("mean cosine that layers of the last third leave", np.mean(late), 0.85, because="they draw together"),
    ]  # fmt: skip
    return Finding(checks, {"layers": layers, "slopes": slopes, "ends": ends, "curves": curves})


def _draw_causal(finding: Finding) -> Figure:
    data = finding.data
    figure, (left, right) = panels(2, width=7.4)
    for steps, _ in data["curves"].values():
        left.loglog(np.arange(1, len(steps) + 1), steps, color=FAINT, linewidth=0.8)
    count = len(steps)
    left.loglog([], [], color=FAINT, label="one layer")
    left.loglog([count / 20, count], [2 / count, 0.1 / count], color=INK, linestyle="--", label="1 / step")
    left.set(xlabel="repetitions", ylabel="turn of the directions per step")
    left.legend()
    right.plot(data["layers"], data["ends"], color=PALETTE[0], marker="o")
    right.set(xlabel="layer that is repeated", ylabel=f"mean cosine after {count}", ylim=(0, 1.05))
    return figure


CLAIMS = (
    Claim(
        id="real-layer-repeated",
        title="One real layer repeated: a point, clusters at rest, or chaos; attention alone always rests",
        statement=(
            "Theory has one layer act for ever, and tokens come together. The layers of a trained encoder "
            "(all-MiniLM-L6-v2) repeated do three things: layers 1, 5 and 6 bring every sentence to one point, layer 2 "
            "comes to rest in several clusters, layer 4 wanders with a positive Lyapunov exponent. Attention alone "
            "(with its skip connection and norm) rests in every layer, as the theorems say; the perceptron wanders."
        ),
        paper="glpr25",
        where="Theorems of part 2 (clustering)",
        status="measured",
        experiment=_encoder,
        draw=_draw_encoder,
        quick=Setting({"count": 3, "times": 150, "weights": "trained"}, 30),
        full=Setting({"count": 40, "times": 400, "weights": "trained"}, 900),
        control=Control({"weights": "shuffled"}, "the entries of all matrices in random order do none of this"),
        note=(
            "The theorems are for heads alone, with one or few matrices; a real layer also has biases, gains and a "
            "perceptron. Layer 3 is between: some sentences rest, others do not."
        ),
        needs=("minilm",),
    ),
    Claim(
        id="real-layer-repeated-causal",
        title="One layer of a pre-norm model repeated: tokens grow linearly and turn ever less",
        statement=(
            "In a model with norms before its sublayers (SmolLM2-135M) one layer repeated makes tokens grow linearly, "
            "and their directions turn by $1/l$ or less in repetition $l$: they move in $\\log l$, as Pre-LN does in "
            "theory. Layers of the last third draw tokens together, those of the middle do not."
        ),
        paper="kgpr25",
        where="Pre-LN: rates in log t",
        status="measured",
        experiment=_causal,
        draw=_draw_causal,
        quick=Setting({"count": 2, "times": 120, "every": 5, "normalized": False}, 20),
        full=Setting({"count": 12, "times": 400, "every": 1, "normalized": False}, 600),
        control=Control({"normalized": True}, "tokens brought back to one size after each repetition do not slow down"),
        needs=("smollm2",),
    ),
)
