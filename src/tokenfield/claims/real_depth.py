"""Claims about real models in depth: cosines that rise, the sink, rank without skip connections, gains of norms.

What theory says of its own models is asked of trained weights here; the answer may be no. Each claim says what was
found, and has a control in which nothing of it is there.
"""

from __future__ import annotations

import numpy as np
from matplotlib.figure import Figure

from tokenfield.claims import real_models as real
from tokenfield.claims.claim import Claim, Control, Finding, Setting, at_least, at_most, equals
from tokenfield.claims.figures import FAINT, INK, PALETTE, panels
from tokenfield.measure import Measure
from tokenfield.model.sublayer import Sublayer
from tokenfield.observables import effective_rank

# --- cosines --------------------------------------------------------------------------------------------------------


def _cosines(*, seed: int, count: int, order: str) -> Finding:
    curves, twins = (
        np.asarray([[real.mean_cosine(x) for x in depth] for depth in real.states("minilm", count, seed, twin=twin)])
        for twin in (False, True)
    )
    if order == "shuffled":
        curves = np.random.default_rng(seed).permuted(curves, axis=1)
    rises = np.diff(curves, axis=1)
    gain = curves[:, -1] - curves[:, 0]
    return Finding(
        [
            at_least(
                "mean rise from the embedding to the last layer",
                np.mean(gain),
                0.2,
                because="half of what was seen first; the control has 0 on average",
                error=real.standard_error(gain),
            ),
            at_least(
                "smallest mean rise of a layer", np.min(np.mean(rises, axis=0)), 0.0, because="it rises throughout"
            ),
            at_least(
                "share of sentences that rise in at least five of six layers",
                np.mean(np.sum(rises > 0, axis=1) >= 5),
                0.9,
                because="a sentence may pause once: two tokens that part are enough",
            ),
            at_least(
                "smallest mean cosine of the random twin less that of the model, last three layers",
                np.min(np.mean(twins - curves, axis=0)[-3:]),
                0.2,
                because="random weights draw tokens together more; equal ones would have 0",
            ),
        ],
        {"curves": curves, "twins": twins},
    )


def _draw_cosines(finding: Finding) -> Figure:
    curves = finding.data["curves"]
    figure, ax = panels(1, width=4.6)
    layers = np.arange(curves.shape[1])
    ax.plot(layers, curves.T, color=FAINT, linewidth=0.6)
    ax.plot(layers, np.mean(curves, axis=0), color=PALETTE[0], marker="o", label=f"mean of {len(curves)} sentences")
    ax.plot([], [], color=FAINT, linewidth=0.6, label="one sentence")
    ax.plot(layers, np.mean(finding.data["twins"], axis=0), color=PALETTE[1], marker="s", label="weights shuffled")
    ax.set(xlabel="layer (0: embedding)", ylabel="mean cosine of two tokens", xticks=layers, ylim=(0, None))
    ax.legend()
    return figure


# --- the sink -------------------------------------------------------------------------------------------------------


def _sink(*, seed: int, count: int, without: str) -> Finding:
    ratios, firsts, ranks = [], [], []
    for depth in real.states("smollm2", count, seed, "float32"):
        norms = np.linalg.norm(depth, axis=2)
        ratios.append(norms.max(axis=1) / np.median(norms, axis=1))
        firsts.append(norms.argmax(axis=1) == 0)
        kept = depth[:, 1:] if without == "first" else depth[:, :-1]
        ranks.append([[float(effective_rank(Measure(x))) for x in xs] for xs in (depth, kept)])
    ratio, is_first, rank = np.mean(ratios, axis=0), np.mean(firsts, axis=0), np.mean(ranks, axis=0)
    middle = len(ratio) // 2
    begins = int(np.argmax(ratio > 10))
    last = int(len(ratio) - 1 - np.argmax(ratio[::-1] > 10))
    return Finding(
        [
            at_least("norm of the largest token over the median, middle layer", ratio[middle], 10, because="massive"),
            equals(
                f"share of sentences whose first token is the largest, layers {begins} to {last}",
                np.min(is_first[begins : last + 1]),
                1,
                within=0.0,
                because="every sentence, every layer",
            ),
            at_most("effective rank of all tokens, middle layer", rank[0, middle], 2, because="one direction, nearly"),
            at_least(
                "effective rank without the token left out, middle layer",
                rank[1, middle],
                2,
                because="the others have not collapsed",
            ),
        ],
        {"ratio": ratio, "rank": rank, "begins": begins, "last": last},
    )


def _draw_sink(finding: Finding) -> Figure:
    data = finding.data
    figure, (left, right) = panels(2, width=7.4)
    layers = np.arange(len(data["ratio"]))
    left.semilogy(layers, data["ratio"], color=PALETTE[0], marker=".")
    left.axvspan(data["begins"] - 0.5, data["last"] + 0.5, color=FAINT, alpha=0.25, linewidth=0)
    left.set(xlabel="layer (0: embedding)", ylabel="largest norm / median norm")
    for values, name, color in zip(data["rank"], ("all tokens", "without the first"), PALETTE, strict=False):
        right.plot(layers, values, color=color, marker=".", label=name)
    right.set(xlabel="layer (0: embedding)", ylabel="effective rank", ylim=(0, None))
    right.legend()
    return figure


# --- rank -----------------------------------------------------------------------------------------------------------


def _residuals(x: np.ndarray) -> float:
    """The distance to tokens that are all equal, relative to their size."""
    return float(np.linalg.norm(x - x.mean(axis=0)) / np.linalg.norm(x))


def _rank(*, seed: int, count: int, skip: bool) -> Finding:
    network = real.model("minilm")
    alone, whole = [], []
    for prompt, depth in zip(real.prompts("minilm", count, seed), real.states("minilm", count, seed), strict=True):
        whole.append([_residuals(x) for x in depth])
        mu = prompt.measure
        found = [_residuals(np.asarray(mu.points))]
        for layer in range(network.layers):
            added = Sublayer(network.transformer.sublayers(layer + 0.5)[0].parts[0]).added(mu.points, mu)
            mu = mu.at(mu.points + added if skip else added)
            found.append(_residuals(np.asarray(mu.points)))
        alone.append(found)
    logs = np.log(np.asarray(alone))
    return Finding(
        [
            at_most("largest distance after 4 layers", np.exp(np.max(logs[:, 4])), 1e-10, because="far below others"),
            at_least(
                "ratio of logarithms of the distance, layers 3 and 2",
                np.min(logs[:, 3] / logs[:, 2]),
                2.5,
                because="the theorem has 3; 1 would be exponential",
            ),
            at_least(
                "ratio of logarithms of the distance, layers 4 and 3",
                np.min(logs[:, 4] / logs[:, 3]),
                2.5,
                because="the theorem has 3; 1 would be exponential",
            ),
            at_least(
                "smallest distance after all layers of the whole model", np.min(np.asarray(whole)[:, -1]), 0.5,
                because="with skip connections and perceptrons rank is kept",
            ),
        ],
        {"alone": np.asarray(alone), "whole": np.asarray(whole)},
    )  # fmt: skip


def _draw_rank(finding: Finding) -> Figure:
    figure, ax = panels(1, width=4.6)
    for key, name, color in (("whole", "the whole model", PALETTE[0]), ("alone", "attention alone", PALETTE[1])):
        curves = finding.data[key]
        layers = np.arange(curves.shape[1])
        ax.semilogy(layers, curves.T, color=color, linewidth=0.5, alpha=0.4)
        ax.semilogy(layers, np.exp(np.mean(np.log(curves), axis=0)), color=color, marker="o", label=name)
    ax.axhline(np.finfo(float).eps, color=INK, linewidth=0.8, linestyle=":", label="rounding")
    ax.set(xlabel="layer (0: embedding)", ylabel="relative distance to equal tokens", xticks=layers)
    ax.legend()
    return figure


# --- gains ----------------------------------------------------------------------------------------------------------


def _gains(*, seed: int, scale: float) -> Finding:
    found = {}
    for name in ("minilm", "smollm2"):
        network = real.model(name, "float64" if name == "minilm" else "float32")
        layers = [network.transformer.sublayers(layer + 0.5) for layer in range(network.layers)]
        for i, where in enumerate(("attention", "perceptron")):
            norms = [parts[i].before if parts[i].after is None else parts[i].after for parts in layers]
            found[name, where] = np.asarray([getattr(norm, "gain") for norm in norms]) ** scale  # noqa: B009
    spreads = {key: np.std(gains, axis=1) / np.abs(np.mean(gains, axis=1)) for key, gains in found.items()}
    checks = [
        at_least(f"smallest spread / mean of a layer, {name}, {where}", np.min(spread), 0.05, because="ALBERT has .02")
        for (name, where), spread in spreads.items()
    ]
    return Finding(checks, {"gains": found})


def _draw_gains(finding: Finding) -> Figure:
    figure, axes = panels(2, width=7.4)
    for ax, name in zip(axes, ("minilm", "smollm2"), strict=True):
        for color, where in zip(PALETTE, ("attention", "perceptron"), strict=False):
            gains = finding.data["gains"][name, where]
            layers, mean, spread = np.arange(1, len(gains) + 1), np.mean(gains, axis=1), np.std(gains, axis=1)
            ax.plot(layers, mean, color=color, marker=".", label=f"norm of {where}")
            ax.fill_between(layers, mean - spread, mean + spread, color=color, alpha=0.2, linewidth=0)
        ax.set(xlabel="layer", ylabel="gain: mean and spread", title=name)
        ax.legend()
    return figure


CLAIMS = (
    Claim(
        id="real-cosines-rise",
        title="Tokens of a trained encoder draw together layer by layer, and less than with random weights",
        statement=(
            "In a trained encoder (all-MiniLM-L6-v2) the mean cosine of two tokens of a sentence rises from layer to "
            "layer, as in the published histograms of ALBERT. With the same weights in random order it rises to nearly "
            "1: what training adds is not that tokens draw together but that they keep apart."
        ),
        paper="glpr25",
        where="Figure 1",
        status="figure",
        main="mean rise from the embedding",
        experiment=_cosines,
        draw=_draw_cosines,
        quick=Setting({"count": 16, "order": "as is"}, 4),
        full=Setting({"count": 120, "order": "as is"}, 60),
        control=Control(
            {"order": "shuffled"},
            "the layers of each sentence are shuffled: nothing rises any more",
            fails="mean rise from the embedding",
        ),
        note=(
            "The paper shows ALBERT with 24 layers and repeats its one layer; its histograms contain the diagonal. "
            "Here the model is another one, and pairs are of different tokens. Sentences were written for this claim."
        ),
        needs=("minilm",),
    ),
    Claim(
        id="real-sink",
        title="One massive first token makes every measure of collapse look like collapse",
        statement=(
            "In a trained causal model (SmolLM2-135M) the first token is larger than all others by far over most of "
            "the depth. It alone makes the effective rank of all tokens nearly 1; the others have not collapsed."
        ),
        paper="xtchl24",
        where="section 3 (attention sinks)",
        status="measured",
        main="effective rank without the token left out",
        experiment=_sink,
        draw=_draw_sink,
        quick=Setting({"count": 8, "without": "first"}, 3),
        full=Setting({"count": 60, "without": "first"}, 60),
        control=Control(
            {"without": "last"},
            "the last token is left out instead of the first: the rank stays 1",
            fails="effective rank without the token left out",
        ),
        note="The paper finds that attention goes to the first tokens; here the size of the token is measured.",
        needs=("smollm2",),
    ),
    Claim(
        id="real-rank-attention-alone",
        title="Attention alone loses rank doubly exponentially, also with trained weights",
        statement=(
            "Without skip connections, norms and perceptrons, the heads of a trained encoder bring all tokens to one "
            "point doubly exponentially: the logarithm of the distance is multiplied by about $3$ by each layer. The "
            "whole model does not."
        ),
        paper="dcl21",
        where="abstract: attention without skip connections and perceptrons loses rank doubly exponentially",
        status="measured",
        main="largest distance after 4 layers",
        experiment=_rank,
        draw=_draw_rank,
        quick=Setting({"count": 6, "skip": False}, 4),
        full=Setting({"count": 60, "skip": False}, 90),
        control=Control(
            {"skip": True},
            "with a skip connection around each attention the rank is kept",
            fails="largest distance after 4 layers",
        ),
        note="We know the abstract of the paper, not the norm and the constants of its bound. That trained weights do "
        "so is measured; the distance is relative to the size of the tokens, in the Frobenius norm.",
        needs=("minilm",),
    ),
    Claim(
        id="real-gains",
        title="The gains of real norms are no multiples of the identity",
        statement=(
            "The gains of trained norms spread by more than 5% of their mean in every layer: tokens live near "
            "ellipsoids that change with depth, and not near one sphere. In ALBERT the spread is 2% (.44, .008)."
        ),
        paper="glpr25",
        where="section 2 (layer normalization)",
        status="measured",
        main="smallest spread / mean of a layer, minilm, attention",
        experiment=_gains,
        draw=_draw_gains,
        quick=Setting({"scale": 1.0}, 1),
        full=Setting({"scale": 1.0}, 10),
        control=Control(
            {"scale": 0.0},
            "gains to the power 0 are all 1: no spread",
            fails="smallest spread / mean of a layer, minilm, attention",
        ),
        note="One gain of MiniLM is zero up to rounding (-1.5e-9): a coordinate that the model has given up.",
        needs=("minilm", "smollm2"),
    ),
)
