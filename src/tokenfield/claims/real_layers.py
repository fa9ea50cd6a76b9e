"""Claims about one real layer repeated: the autonomous flow that the theorems are about, with trained weights.

Theory has one layer act for ever and proves that tokens come together. Here one layer of a trained model acts again and
again on the tokens of a sentence, whole, with its attention alone, or with its perceptron alone.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from matplotlib.figure import Figure

from tokenfield.claims import real_models as real
from tokenfield.claims.claim import Claim, Control, Finding, Setting, at_least, at_most, equals
from tokenfield.claims.real_pictures import draw_fates, summary
from tokenfield.claims.repeated import (
    ATTENTION,
    CLUSTERS,
    GROWN,
    ONE_POINT,
    PERCEPTRON,
    WANDERING,
    WHICH,
    WHOLE,
    Repeated,
    repeat,
)
from tokenfield.pretrained import Pretrained
from tokenfield.pretrained.batch import Batch
from tokenfield.pretrained.nulls import shuffled

Runs = dict[tuple[str, int], list[Repeated]]
REST = (ONE_POINT, CLUSTERS)


# --- an encoder -----------------------------------------------------------------------------------------------------


@lru_cache(maxsize=18)  # what one pass over the six layers asks for, so that the next claim finds it
def encoder_runs(which: str, k: int, *, seed: int, count: int, times: int, weights: str) -> list[Repeated]:
    """What layer k of MiniLM, or a part of it, does to each of `count` sentences."""
    network, prompts = real.model("minilm", "float32"), real.prompts("minilm", count, seed, "float32")
    network = network if weights == "trained" else _twin(seed)
    return repeat(network.transformer.frozen(k - 0.5), Batch(prompts), times, which=which)


@lru_cache(maxsize=1)
def _twin(seed: int) -> Pretrained:
    return shuffled(real.model("minilm", "float32"), seed)


def _encoder(*, seed: int, count: int, times: int, weights: str) -> Finding:
    layers = range(1, real.model("minilm", "float32").layers + 1)
    settings = {"seed": seed, "count": count, "times": times, "weights": weights}
    runs = {(which, k): encoder_runs(which, k, **settings) for k in layers for which in WHICH}

    def share(which: str, k: int, *fates: str) -> float:
        return float(np.mean([run.fate in fates for run in runs[which, k]]))

    def exponents(which: str, k: int) -> np.ndarray:
        return np.asarray([run.exponent for run in runs[which, k]])

    checks = [
        *(
            equals(f"share of sentences that layer {k} brings to one point",
                   np.mean([run.is_together for run in runs[WHOLE, k]]), 1, within=0.0, because="every sentence")
            for k in (1, 5, 6)
        ),
        at_least("share of sentences that layer 2 brings to rest", share(WHOLE, 2, *REST), 0.9, because="nearly all"),
        at_least("share of sentences that layer 2 leaves in clusters", share(WHOLE, 2, CLUSTERS), 0.3,
                 because="many; some sentences have no word of the second cluster"),
        at_least("median exponent of layer 4", np.median(exponents(WHOLE, 4)), 0.02,
                 because="neighbors part; a sentence that finds a point at rest has -1"),
        at_least("share of sentences that wander in layer 4", share(WHOLE, 4, WANDERING), 0.5,
                 because="most; a few find a point at rest"),
        at_least("mean exponent of layer 4, perceptron alone", np.mean(exponents(PERCEPTRON, 4)), 0.02,
                 because="the perceptron is what wanders", error=real.standard_error(exponents(PERCEPTRON, 4))),
        equals("share of sentences and layers that attention alone brings to rest",
               np.mean([share(ATTENTION, k, *REST) for k in layers]), 1, within=0.0, because="every one"),
        at_most("largest mean exponent of a layer, attention alone",
                max(np.mean(exponents(ATTENTION, k)) for k in layers), -0.01, because="rest attracts"),
    ]  # fmt: skip
    words = [prompt.words for prompt in real.prompts("minilm", count, seed, "float32")]
    return Finding(checks, summary(runs, words))


def _draw_encoder(finding: Finding) -> Figure:
    return draw_fates(finding.data, unit="repetition")


# --- a causal model -------------------------------------------------------------------------------------------------


def _causal(*, seed: int, count: int, times: int, every: int, held: bool) -> Finding:
    network, prompts = real.model("smollm2", "float32"), real.prompts("smollm2", count, seed, "float32")
    layers, batch = list(range(1, network.layers + 1, every)), Batch(prompts)
    runs: Runs = {}
    for k in layers:
        for which in WHICH:
            layer = network.transformer.frozen(k - 0.5)
            runs[which, k] = repeat(layer, batch, times, which=which, grows=True, hold=held)
    every_run = [run for k in layers for run in runs[WHOLE, k]]
    ends = {case: np.mean([run.cosines[-1] for run in found]) for case, found in runs.items()}
    third = network.layers // 3
    middle = [ends[WHOLE, k] for k in layers if third < k <= 2 * third - 2]
    late = [ends[WHOLE, k] for k in layers if k > 2 * third]
    checks = [
        equals("median growth of log |x| with log l", np.median([np.mean(_late(run.stretch)) for run in every_run]), 1,
               within=0.1, because="|x| grows like l, and a little faster while vectors still line up"),
        at_most("median slope of log(turn) in log l", np.median([_turn(run) for run in every_run]), -0.8,
                because="the same vector turns a longer one less: 1/l, or faster near the end"),
        at_most("mean cosine that layers of the middle third leave", np.mean(middle), 0.6, because="they keep apart"),
        at_least("mean cosine that layers of the last third leave", np.mean(late), 0.8, because="they draw together"),
        at_least("mean cosine that attention alone leaves", np.mean([ends[ATTENTION, k] for k in layers]), 0.9,
                 because="it draws tokens together in nearly every layer"),
        at_most("mean cosine that perceptrons alone leave, the first aside",
                np.mean([ends[PERCEPTRON, k] for k in layers if k > 1]), 0.5, because="they keep words apart"),
    ]  # fmt: skip
    return Finding(checks, summary(runs, [prompt.words for prompt in prompts]))


def _late(curve: np.ndarray) -> np.ndarray:
    return curve[len(curve) // 2 :]


def _turn(run: Repeated) -> float:
    """The slope of log(turn of one repetition) in log l: that of the speed, which is per unit of log l, less 1."""
    return float(np.polyfit(_late(np.cumsum(run.durations)), np.log(_late(run.speeds)), 1)[0]) - 1


def _draw_causal(finding: Finding) -> Figure:
    return draw_fates(finding.data, unit="unit of log l")


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
        main="share of sentences and layers that attention alone brings to rest",
        experiment=_encoder,
        draw=_draw_encoder,
        quick=Setting({"count": 3, "times": 200, "weights": "trained"}, 4),
        full=Setting({"count": 24, "times": 400, "weights": "trained"}, 300),
        control=Control(
            {"weights": "shuffled"},
            "with the entries of all matrices in random order no layer makes clusters, and attention does not rest",
            fails="share of sentences and layers that attention alone brings to rest",
        ),
        note=(
            "The theorems are for heads alone, with one or few matrices; a real layer also has biases, gains and a "
            "perceptron. In the picture a row is a layer; numbers are clusters, words without one are alone. Layer 3 "
            "is between: some sentences rest, some come back after 2 repetitions, others wander. A sentence drifts if "
            "it neither rests nor returns and its Lyapunov exponent cannot be told from zero: perceptrons turn slowly."
        ),
        needs=("minilm",),
    ),
    Claim(
        id="real-layer-repeated-causal",
        title="One layer of a pre-norm model repeated: tokens grow linearly and turn ever less",
        statement=(
            "In a model with norms before its sublayers (SmolLM2-135M) one layer repeated makes tokens grow linearly, "
            "and their directions turn by $1/l$ or less in repetition $l$: they move in $\\log l$, as Pre-LN does in "
            "theory. Layers of the last third draw tokens together, those of the middle do not, and most never rest. "
            "Attention alone draws them together in nearly every layer, the perceptron alone in the first one only."
        ),
        paper="kgpr25",
        where="Pre-LN: rates in log t",
        status="measured",
        main="median growth of log |x|",
        experiment=_causal,
        draw=_draw_causal,
        quick=Setting({"count": 2, "times": 120, "every": 4, "held": False}, 8),
        full=Setting({"count": 6, "times": 240, "every": 1, "held": False}, 480),
        control=Control(
            {"held": True},
            "tokens brought back to one size after each repetition do not grow, and turn as much each time",
            fails="median growth of log |x|",
        ),
        note=(
            f"The first {GROWN} repetitions are the layer itself. From then on tokens are kept at that size, which "
            f"changes no direction, so that each repetition stands for a depth larger by 1/{GROWN}: {240} reach "
            "$l = 10^6$. That late layers collapse is no merit of training: with all entries in random order they do "
            "so too, since their values are large beside their perceptrons."
        ),
        needs=("smollm2",),
    ),
)
