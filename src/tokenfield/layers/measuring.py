"""From hidden states to `Layers`: every number at every layer, in four variants. The order of work, and no formulas."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, TypeVar

import numpy as np
import xarray

from tokenfield._runtime.arguments import checked
from tokenfield._runtime.json import to_json
from tokenfield._runtime.progress import Progress
from tokenfield._runtime.randomness import numpy_generator
from tokenfield.errors import InvalidInput
from tokenfield.layers import attention as heads
from tokenfield.layers import between, cloud
from tokenfield.layers.facts import largest_of, mismatch, rogues_of, sinks_of, told
from tokenfield.layers.place import place
from tokenfield.layers.result import Layers
from tokenfield.layers.source import Passage, Source, as_source
from tokenfield.layers.variants import (
    CENTERED,
    RAW,
    ROGUE,
    SINK,
    VARIANTS,
    Cloud,
    directions,
    rogues,
    sinks,
    variants,
)
from tokenfield.measure import Measure
from tokenfield.observables.cosines import mean_of_pairs
from tokenfield.observables.scales import CLUSTER
from tokenfield.observables.separation import separation

T = TypeVar("T")
R = TypeVar("R")

BINS = 100
BETAS = (1.0, 4.0, 16.0)
COMPARED = 512  # tokens of all prompts whose layers are compared with each other
MISMATCH = 1e-3  # relative, between a layer and the sum of its parts: float32 is off by 1e-6, bfloat16 by 4e-3
TWO_NN = (
    "the intrinsic dimension (TwoNN) does not track the true dimension: it depends on how many tokens there are; "
    "compare it between layers of the same tokens only"
)


@dataclass(frozen=True)
class Options:
    """How things are told apart: see `measure`."""

    sink_ratio: float = SINK
    rogue_ratio: float = ROGUE
    delta: float = CLUSTER
    betas: tuple[float, ...] = BETAS
    simulate: bool = False
    seed: int = 0

    def __post_init__(self) -> None:
        for name in ("sink_ratio", "rogue_ratio"):
            if not getattr(self, name) > 1:
                raise InvalidInput(f"{name} must be above 1, got {getattr(self, name)}")
        if not 0 < self.delta < np.pi:
            raise InvalidInput(f"delta is an angle between 0 and pi, got {self.delta}")
        if not all(np.isfinite(beta) and beta >= 0 for beta in self.betas):
            raise InvalidInput(f"betas of energies must be >= 0, got {self.betas}")


@checked
def measure(
    states: Any,
    *,
    words: Sequence[Any] | None = None,
    attention: Any = None,
    mask: Any = None,
    tags: Sequence[str] | None = None,
    name: str | None = None,
    sink_ratio: float = SINK,
    rogue_ratio: float = ROGUE,
    delta: float = CLUSTER,
    betas: Sequence[float] = BETAS,
    nulls: Mapping[str, Any] | None = None,
    simulate: bool = False,
    seed: int = 0,
) -> Layers:
    """The numbers of hidden states, layer by layer: cosines, ranks, norms, clusters, distances, attention.

    Each is taken in four variants: raw; without sink tokens; centered; without rogue coordinates. docs/layers.md says
    what each number means. Pairs of tokens are always pairs of the same prompt.

    Args:
        states: hidden states of one or several prompts in any form that `as_source` takes: arrays (layers, tokens, d),
            an output of `transformers`, a run.
        words: words of the tokens, or a list of such lists, one for each prompt.
        attention: attention (blocks, heads, tokens, tokens), or with prompts in front, or a list of such arrays.
        mask: which tokens are real, (tokens,) or (prompts, tokens); the others are padding.
        tags: what each layer is.
        name: what these are states of.
        sink_ratio: a token is a sink at a layer where its norm is more than this many times the median; by default 5.
        rogue_ratio: a coordinate is rogue where it holds more than this many times 1/d of the mean square of the
            directions; by default 25.
        delta: the angle in radians up to which directions belong to one cluster; by default 0.3.
        betas: inverse temperatures of the energies; by default 1, 4 and 16.
        nulls: states that should not show what these show, by name, such as "random weights" (the same prompts through
            a model of the same shape) or "random words"; their place on the flow is compared with that of the states.
        simulate: whether that place is also looked for on the curve of simulated tokens of the same number and
            dimension, besides that of equiangular ones. In dimensions much larger than the number of tokens both are
            the same. It takes seconds for tens of tokens, minutes for hundreds; by default it is not.
        seed: of random samples, where there are too many tokens for all pairs, and of random tokens; by default 0.

    Returns:
        A `Layers`: `dataset` holds the arrays, `facts` the rest.

    Raises:
        InvalidInput: the states cannot be measured; the message says why.

    >>> rng = np.random.default_rng(0)
    >>> x = rng.normal(size=(2, 30, 16))
    >>> x[1, 0] *= 100  # at layer 1 the first token is a sink
    >>> found = measure(x)
    >>> bool(found.mean("effective_rank")[1] < 1.1), bool(found.mean("effective_rank", "without sinks")[1] > 10)
    (True, True)
    """
    energies = tuple(float(beta) for beta in betas)
    options = Options(float(sink_ratio), float(rogue_ratio), float(delta), energies, simulate, seed)
    source = as_source(states, words=words, attention=attention, mask=mask, tags=tags, name=name)
    others = {what: _Work(as_source(given), options) for what, given in (nulls or {}).items()}
    return _Work(source, options).result(others)


class _Work:
    """The measurement of one source: what all numbers share is computed once."""

    def __init__(self, source: Source, options: Options):
        self.options, self.d, self.layers, self.tags = options, source.d, source.layers, source.tags
        self.name = source.name
        self.notes: list[str] = list(source.notes)
        rng = numpy_generator(options.seed)
        self.passages = [self._fewer(passage, rng) for passage in source.passages]
        self.rng = rng

    def _fewer(self, passage: Passage, rng: np.random.Generator) -> Passage:
        """The passage with at most as many tokens as can be measured; attention stays whole."""
        kept = cloud.sample(rng, passage.n, cloud.MOST_TOKENS)
        if len(kept) == passage.n:
            return passage
        self.notes.append(f"of a prompt of {passage.n} tokens a random sample of {len(kept)} is measured")
        assert passage.weights is not None
        texts = None if passage.words is None else tuple(passage.words[k] for k in kept)
        return Passage(passage.states[:, kept], texts, passage.weights[kept])

    @cached_property
    def is_sink(self) -> list[np.ndarray]:
        """Which tokens are sinks, (layers, n) for each prompt."""
        ratio = self.options.sink_ratio
        return [np.stack([sinks(x, ratio=ratio) for x in passage.states]) for passage in self.passages]

    @cached_property
    def is_rogue(self) -> np.ndarray:
        """Which coordinates are rogue, (layers, d)."""
        ratio = self.options.rogue_ratio
        return np.stack([rogues([p.states[k] for p in self.passages], ratio=ratio) for k in range(self.layers)])

    def clouds(self, prompt: int, layer: int, *, is_sink: np.ndarray, is_rogue: np.ndarray) -> dict[str, Cloud]:
        """The variants of a prompt at a layer, for given sinks and rogues."""
        passage = self.passages[prompt]
        assert passage.weights is not None
        return variants(passage.states[layer], passage.weights, is_sink, is_rogue)

    @property
    def typical_n(self) -> int:
        """The median number of tokens of a prompt."""
        return int(np.median([passage.n for passage in self.passages]))

    def mean_cosines(self) -> dict[str, np.ndarray]:
        """The mean cosine of each prompt at each layer, (prompts, layers), by variant; nothing else is computed."""
        found = np.full((len(VARIANTS), len(self.passages), self.layers), np.nan)
        for p in range(len(self.passages)):
            for k in range(self.layers):
                clouds = self.clouds(p, k, is_sink=self.is_sink[p][k], is_rogue=self.is_rogue[k])
                found[:, p, k] = _once(clouds, lambda one: mean_of_pairs(directions(one[0]), one[1]))
        return dict(zip(VARIANTS, found, strict=True))

    def result(self, nulls: Mapping[str, _Work]) -> Layers:
        """Everything, as `Layers`, with the place on the flow beside that of `nulls`."""
        data = self._by_layer() | self._similarities() | self._dimensions() | self._projection()
        data |= self._separations() | self._attention() | self._mismatch()
        coords = {
            "layer": np.arange(self.layers),
            "variant": list(VARIANTS),
            "beta": list(self.options.betas),
            "edge": np.linspace(-1.0, 1.0, BINS + 1),
        }
        cosines = {v: data["mean_cosine"][1][:, :, k] for k, v in enumerate(VARIANTS)}
        placed, said = place(
            cosines,
            self.typical_n,
            self.d,
            nulls={name: (null.mean_cosines(), null.typical_n) for name, null in nulls.items()},
            simulate=self.options.simulate,
            seed=self.options.seed,
        )
        facts = self._facts() | {"flow": placed, "notes": self._notes(said)}
        return Layers(xarray.Dataset(data, coords=coords), json.loads(to_json(facts)))

    # --- by layer -------------------------------------------------------------------------------------------------

    def _by_layer(self) -> dict[str, Any]:
        shape = (len(self.passages), self.layers, len(VARIANTS))
        numbers = {name: np.full(shape, np.nan) for name in (*cloud.NAMES, *between.NAMES)}
        energies = np.full((*shape, len(self.options.betas)), np.nan)
        counts = np.zeros((self.layers, len(VARIANTS), BINS))
        with Progress("layers") as bar:
            for p in range(len(self.passages)):
                for k in range(self.layers):
                    found = self.clouds(p, k, is_sink=self.is_sink[p][k], is_rogue=self.is_rogue[k])
                    for v, (numbers_of, energies_of, counted) in enumerate(_once(found, self._of_cloud)):
                        for name, value in numbers_of.items():
                            numbers[name][p, k, v] = value
                        energies[p, k, v] = energies_of
                        counts[k, v] += counted
                    self._add_moves(numbers, p, k)
                    bar.update((p + (k + 1) / self.layers) / len(self.passages))
        totals = np.sum(counts, axis=2, keepdims=True)
        density = counts / np.where(totals > 0, totals, np.nan) * (BINS / 2)
        dims = ("prompt", "layer", "variant")
        return {name: (dims, values) for name, values in numbers.items()} | {
            "energy": ((*dims, "beta"), energies),
            "cosine_density": (("layer", "variant", "bin"), density),
        }

    def _of_cloud(self, found: Cloud) -> tuple[dict[str, float], Any, Any]:
        numbers = cloud.numbers_of(*found, delta=self.options.delta)
        if not np.any(found[0]):
            return numbers, np.nan, 0.0
        return numbers, cloud.energies(*found, self.options.betas), cloud.counted_cosines(*found, BINS)

    def _add_moves(self, numbers: dict[str, np.ndarray], p: int, k: int) -> None:
        """Adds how far the tokens of a prompt moved from the layer before; sinks and rogues are those of either."""
        if k == 0:
            return
        is_sink = self.is_sink[p][k] | self.is_sink[p][k - 1]
        if np.sum(~is_sink) < 2:
            return
        is_rogue = self.is_rogue[k] | self.is_rogue[k - 1]
        before, after = (self.clouds(p, i, is_sink=is_sink, is_rogue=is_rogue) for i in (k - 1, k))

        def between_layers(name: str) -> dict[str, float]:
            rng = numpy_generator(self.options.seed)  # the same tokens at all layers
            kept = cloud.sample(rng, len(before[name][0]), between.MOST_TRANSPORTED)
            return between.moves(before[name], after[name], kept)

        same = {name: RAW if found is before[RAW] else name for name, found in before.items()}
        for v, found in enumerate(_once(same, between_layers)):
            for what, value in found.items():
                numbers[what][p, k, v] = value

    # --- over all prompts -----------------------------------------------------------------------------------------

    def _pooled(self, layer: int, most: int, *, never_sinks: bool = False) -> dict[str, np.ndarray]:
        """Tokens of all prompts at a layer in the four variants, at most `most`, the same at all layers."""
        ever = [np.any(is_sink, axis=0) for is_sink in self.is_sink]
        is_sink = ever if never_sinks else [found[layer] for found in self.is_sink]
        is_rogue = np.any(self.is_rogue, axis=0) if never_sinks else self.is_rogue[layer]
        found = [self.clouds(p, layer, is_sink=is_sink[p], is_rogue=is_rogue) for p in range(len(self.passages))]

        def together(variant: str) -> np.ndarray:
            x = np.concatenate([clouds[variant][0] for clouds in found])
            return x[cloud.sample(numpy_generator(self.options.seed), len(x), most)]

        is_raw = {v: all(clouds[v] is clouds[RAW] for clouds in found) for v in VARIANTS}
        return dict(zip(VARIANTS, _once({v: RAW if is_raw[v] else v for v in VARIANTS}, together), strict=True))

    def _similarities(self) -> dict[str, Any]:
        layers = [self._pooled(k, COMPARED, never_sinks=True) for k in range(self.layers)]
        # CKA centers the tokens of a layer itself
        same = {v: RAW if v == CENTERED or layers[0][v] is layers[0][RAW] else v for v in VARIANTS}
        found = _once(same, lambda v: between.similarity([one[v] for one in layers]))
        return {"cka": (("variant", "layer", "other_layer"), np.stack(found))}

    def _dimensions(self) -> dict[str, Any]:
        found = [_once(self._pooled(k, cloud.NEIGHBORS), cloud.intrinsic_dimension) for k in range(self.layers)]
        return {"intrinsic_dimension": (("layer", "variant"), np.array(found))}

    def _separations(self) -> dict[str, Any]:
        """Tr(S_w S_b^+) with prompts as classes; NaN of one prompt alone, and where each has been centered."""
        found = np.full((self.layers, len(VARIANTS)), np.nan)
        for k in range(self.layers if len(self.passages) > 1 else 0):
            prompts = [
                self.clouds(p, k, is_sink=self.is_sink[p][k], is_rogue=self.is_rogue[k])
                for p in range(len(self.passages))
            ]
            for v, variant in enumerate(VARIANTS):
                if variant != CENTERED:
                    points, weights = zip(*(clouds[variant] for clouds in prompts), strict=True)
                    labels = np.repeat(np.arange(len(prompts)), [len(x) for x in points])
                    found[k, v] = _fuzziness(np.concatenate(points), np.concatenate(weights), labels)
        return {"separation": (("layer", "variant"), found)}

    def _projection(self) -> dict[str, Any]:
        """Directions of the first prompt in the plane in which those of all layers together spread most."""
        u = np.stack([directions(np.asarray(x, np.float64)) for x in self.passages[0].states])
        places, self.shown = cloud.flattened(u.reshape(-1, self.d))
        return {"projection": (("layer", "token", "axis"), places.reshape(*u.shape[:2], 2))}

    # --- attention, and parts of layers ---------------------------------------------------------------------------

    def _attention(self) -> dict[str, Any]:
        if self.passages[0].attention is None:
            return {}
        rows: dict[str, list[np.ndarray]] = {
            name: [] for name in ("attention_entropy", "attention_share", "sink_mass", "sink_token", "attention_beta")
        }
        for passage in self.passages:
            weights = passage.attention
            assert weights is not None
            n, causal = weights.shape[-1], heads.is_causal(weights)
            entropy = heads.head_entropies(weights)
            token, mass = heads.sink_of(weights)
            even = np.mean(np.log(np.arange(1, n + 1))) if causal else np.log(n)
            found = (entropy, entropy / even, mass, token.astype(float))
            betas = heads.matching_beta(entropy, n, self.d, causal=causal, seed=self.options.seed)
            for name, values in zip(rows, (*found, betas), strict=True):
                rows[name].append(values)
        return {name: (("prompt", "block", "head"), np.stack(values)) for name, values in rows.items()}

    def _mismatch(self) -> dict[str, Any]:
        found = [mismatch(passage) for passage in self.passages]
        there = [values for values in found if values is not None]
        if not there:
            return {}
        worst = np.max(np.stack(there), axis=0)
        bad = np.flatnonzero(worst > MISMATCH)
        if len(bad):
            is_last = len(bad) == 1 and bad[0] == len(worst) - 1
            why = " (is the last state taken after the final norm?)" if is_last else ""
            self.notes.append(
                f"{len(bad)} of {len(worst)} layers are not the layer before plus attention plus perceptron: off by "
                f"up to {np.max(worst):.2g}, at {self.tags[int(np.argmax(worst)) + 1]}{why}"
            )
        else:
            self.notes.append(
                f"every layer is the layer before plus attention plus perceptron, up to {np.max(worst):.1g}"
            )
        return {"mismatch": (("block",), worst)}

    # --- words ----------------------------------------------------------------------------------------------------

    def _notes(self, said: list[str]) -> list[str]:
        known = told(sinks_of(self.passages, self.is_sink), rogues_of(self.passages, self.is_rogue), self.tags)
        return [*known, *said, *self.notes, TWO_NN]

    def _facts(self) -> dict[str, Any]:
        options = self.options
        return {
            "name": self.name,
            "tags": list(self.tags),
            "tokens": [passage.n for passage in self.passages],
            "d": self.d,
            "words": None if self.passages[0].words is None else list(self.passages[0].words),
            "sinks": sinks_of(self.passages, self.is_sink),
            "rogues": rogues_of(self.passages, self.is_rogue),
            "largest": largest_of(self.passages),
            "shown_variance": self.shown,
            "options": {
                "sink_ratio": options.sink_ratio,
                "rogue_ratio": options.rogue_ratio,
                "delta": options.delta,
                "betas": list(options.betas),
                "simulate": options.simulate,
                "seed": options.seed,
            },
        }


def _fuzziness(points: np.ndarray, weights: np.ndarray, labels: np.ndarray) -> float:
    """Tr(S_w S_b^+), NaN where the means of all classes agree."""
    try:
        return separation(Measure(points, weights), labels).fuzziness
    except InvalidInput:
        return np.nan


def _once(variants: dict[str, T], function: Callable[[T], R]) -> list[R]:
    """`function` of each variant, computed once for those that are the same object."""
    known: dict[int, R] = {}
    for one in variants.values():
        if id(one) not in known:
            known[id(one)] = function(one)
    return [known[id(one)] for one in variants.values()]
