"""Combinations of kinds, made from the catalog: an all-pairs covering, and the model and options of each.

Written as configs, so that what is tested is what a user can ask for.
"""

from __future__ import annotations

import dataclasses
import itertools
from collections.abc import Iterator
from typing import Any

import numpy as np

import tokenfield as tkf
from tokenfield.model import schedule
from tokenfield.study import Config, catalog

N, D, STEP = 6, 4, 0.1

# The combinations here are of tokens: densities and Gaussians have their own tests, and are here only to be refused.
TOKENS, OF_DENSITIES = "state:tokens", ("state", "grid")
EXCLUDED = {frozenset({exclusion.first, exclusion.second}) for exclusion in catalog.exclusions()}

# positions and frames combine with each other: each is a factor of its own, present or absent
EACH_ITS_OWN = ("position", "frame")
ALWAYS = ("geometry", "attention", "schedule", "method")
FACTORS: dict[str, tuple[str | None, ...]] = {}
for _category in catalog.CATEGORIES:
    _ids = tuple(kind.id for kind in catalog.kinds_of(_category) if {kind.id, TOKENS} not in EXCLUDED)
    if _category in OF_DENSITIES:
        continue
    if _category in EACH_ITS_OWN:
        FACTORS |= {identity: (None, identity) for identity in _ids}
    else:
        FACTORS[_category] = _ids if _category in ALWAYS else (None, *_ids)

Combination = dict[str, str | None]


def makes_sense(chosen: Combination) -> bool:
    """Whether the catalog allows the (perhaps partial) combination."""
    is_empty = chosen.get("attention") == "attention:none" and (
        {"perceptron", "potential"} <= chosen.keys() and chosen["perceptron"] is chosen["potential"] is None
    )
    levels = _ids_of(chosen)
    return not is_empty and not any(frozenset(pair) in EXCLUDED for pair in itertools.combinations(levels, 2))


def pairs_of(chosen: Combination) -> Iterator[frozenset]:
    return (frozenset(pair) for pair in itertools.combinations(sorted(chosen.items(), key=str), 2))


def allowed_pairs() -> set[frozenset]:
    """All pairs of levels of two factors that make sense."""
    return {
        pair
        for a, b in itertools.combinations(FACTORS, 2)
        for i, j in itertools.product(FACTORS[a], FACTORS[b])
        if makes_sense({a: i, b: j})
        for pair in pairs_of({a: i, b: j})
    }


def covering() -> list[Combination]:
    """Combinations that make sense and that together contain every allowed pair: greedy, the same every time."""
    left, found = allowed_pairs(), []
    order = {pair: number for number, pair in enumerate(sorted(left, key=lambda p: sorted(p, key=str).__repr__()))}
    while left:
        chosen: Combination = dict(sorted(min(left, key=order.__getitem__), key=str))
        for factor in sorted(FACTORS, key=lambda name: -len(FACTORS[name])):
            if factor not in chosen:
                options = [level for level in FACTORS[factor] if makes_sense(chosen | {factor: level})]
                # ties go round, so that defaults do not crowd out the rest
                shift = len(found) % len(options)
                chosen[factor] = max(
                    options[shift:] + options[:shift], key=lambda level: _gain(chosen, factor, level, left)
                )
        left -= set(pairs_of(chosen))
        found.append(chosen)
    return found


def _gain(chosen: Combination, factor: str, level: str | None, left: set[frozenset]) -> int:
    return sum(frozenset({item, (factor, level)}) in left for item in chosen.items())


def completed(first: str, second: str) -> Combination:
    """A combination with the two kinds and, beside them, as little as possible that does not go with them."""
    chosen: Combination = {_factor(identity): identity for identity in (first, second)}
    for factor, levels in FACTORS.items():
        if factor not in chosen:
            conflicts = [len(catalog.reasons(_ids_of(chosen | {factor: level}))) for level in levels]
            chosen[factor] = levels[int(np.argmin(conflicts))]
    if chosen["attention"] == "attention:none" and chosen["perceptron"] is chosen["potential"] is None:
        chosen["perceptron"] = "perceptron:tanh"
    return chosen


def _factor(identity: str) -> str:
    category = identity.partition(":")[0]
    return identity if category in EACH_ITS_OWN else category


def _ids_of(chosen: Combination) -> list[str]:
    return [level for level in chosen.values() if level is not None]


def name_of(chosen: Combination) -> str:
    """A short name for the test's report."""
    return "-".join(level.partition(":")[2] for level in chosen.values() if level is not None)


# --- from a combination to objects --------------------------------------------------------------------------------

PARAMETERS: dict[str, dict[str, Any]] = {
    "krause": {"radius": 3.0},  # nobody is alone: y - x of a token that only sees itself is rounding
    "hardmax": {},
    "riesz": {},
    "linear": {"beta": 0.7},
    "mix-ln": {"tau": 0.1, "radius": 1.5},
    "pre-ln": {"radius": 1.5},
    "peri-ln": {"radius": 1.5},
    "none": {},
}


def tables_of(chosen: Combination, *, variant: int = 0) -> dict[str, Any]:
    """The config of a combination; odd variants have strict masks, gains, Sinkhorn of distances, random heads."""
    level = {factor: value.partition(":")[2] for factor, value in chosen.items() if value is not None}
    is_odd = bool(variant % 2)
    attention = {"kind": level["attention"], **PARAMETERS.get(level["attention"], {"beta": 2.0})}
    at_once = "heads" in level
    if level["attention"] != "none" and level["schedule"] in ("constant", "function") and not (at_once and is_odd):
        attention |= _matrices(0, at_once=at_once)
    if level["attention"] == "sinkhorn" and level.get("state") != "gaussian":
        attention |= {"sweeps": 3, "kernel": "l2"} if is_odd else {"sweeps": 2}
    tables: dict[str, Any] = {
        "geometry": {"kind": level["geometry"], "dim": D},
        "attention": attention | {name: True for name in ("relative", "rescaled") if f"frame:{name}" in level},
        "schedule": {"kind": level["schedule"]},
        "initial": _initial(level["geometry"]),
        "solve": {"t1": 2 * STEP, "save": "end", "method": level["method"]},
    }
    if catalog.find("method", level["method"]).has("step"):
        tables["solve"]["step"] = STEP
    if level.get("state", "tokens") != "tokens" or "grid" in level:
        # what a density or a Gaussian does not take must be refused for its own sake, not for that of a matrix
        tables["attention"] = {name: value for name, value in attention.items() if name not in "QKVOo"}
        tables["attention"] |= {"rescaled": True} if "frame:rescaled" in level else {}
        level["schedule"] = tables["schedule"]["kind"] = "constant"
    if state := {key: level[name] for key, name in (("kind", "state"), ("grid", "grid")) if name in level}:
        tables["state"] = ({"kind": "density"} if "grid" in state else {}) | state
        tables["initial"] = tables["initial"] if state.get("kind") == "tokens" else {}
        tables["geometry"]["dim"] = {"fourier": 2, "cells": 2, "harmonics": 3, "moving": 2}.get(
            state.get("grid", ""), D
        )
    position: dict[str, Any] = {"position:causal": {"causal": True, "strict": is_odd}, "position:rope": {"rope": True}}
    position |= {"position:window": {"window": 3}, "position:alibi": {"alibi": 0.3}}
    tables["position"] = {key: value for name in position if name in level for key, value in position[name].items()}
    if "position:rope" in level and is_odd:
        tables["position"] |= {"pairing": "halves", "dims": 2}
    if "embedding" in level:
        table = np.random.default_rng(2).normal(size=(N, D)).tolist()
        tables["position"] |= {"sinusoidal": 0.5} if level["embedding"] == "sinusoidal" else {"learned": table}
    tables["block"] = _block(level, variant)
    if "normalization" in level:
        gain = {"gain": [1.0, 0.8, 1.2, 1.0]} if is_odd else {}
        tables["normalization"] = {"kind": level["normalization"], **PARAMETERS.get(level["normalization"], {}), **gain}
    if "perceptron" in level:
        tables["perceptron"] = {"activation": level["perceptron"], "width": 5, "seed": 1, "gate": is_odd}
        if variant % 3 == 1 and _can_compose(level):
            tables["perceptron"]["of"] = "attention" if at_once or is_odd else "heads"
    if "potential" in level:
        numbers = {"strength": [0.3, -0.2, 0.1, 0.4]} if level["potential"] == "quadratic" else {"direction": [0.3] * D}
        dim = tables["geometry"]["dim"]
        tables["potential"] = {"kind": level["potential"], **{name: list_[:dim] for name, list_ in numbers.items()}}
    if "noise" in level:
        tables["noise"] = {"kappa": 3.0, "common": level["noise"] == "common"}
    if level["schedule"] == "per-layer":
        tables["schedule"]["layers"] = [_matrices(seed, at_once=at_once) for seed in (0, 1)]
    if level["schedule"] == "resampled":
        tables["schedule"] |= {"period": STEP}
    return {name: table for name, table in tables.items() if table}


def _matrices(seed: int, *, at_once: bool = False) -> dict[str, Any]:
    # with Q = K = V = I on the sphere, hardmax attends to itself and nothing moves
    rng = np.random.default_rng(seed)
    shapes: dict[str, tuple[int, ...]] = dict.fromkeys(("K", "V"), (D, D))
    if at_once:  # two heads of dimension D / 2, which share keys and values
        shapes = {"Q": (D, D), "K": (D // 2, D), "V": (D // 2, D), "O": (D, D), "o": (D,)}
    return {name: (rng.normal(size=shape) / 2).tolist() for name, shape in shapes.items()}


def _block(level: dict[str, str], variant: int) -> dict[str, Any]:
    """The section of real layers: norms at all places, heads with given or random weights."""
    block: dict[str, Any] = {"norm": level.get("norm", "none")} if {"norm", "heads"} & level.keys() else {}
    if level.get("norm", "none") != "none":
        places = ("pre", "around") if level["geometry"] == "sphere" else ("pre", "post", "around")
        block |= {"place": places[variant % len(places)], "gain": [1.0, -0.8, 1.2, 1.0]}
    if "heads" in level:
        block |= {"heads": 2, "kv_heads": 1}
        is_random = variant % 2 and level["schedule"] != "per-layer"
        block |= {"biases": True, "scale": 2.0} if is_random else {}
    return block


def _can_compose(level: dict[str, str]) -> bool:
    """Whether a perceptron may act on what attention gives."""
    return level["attention"] != "none" and not {"normalization", "frame:relative", "frame:rescaled"} & level.keys()


def _initial(geometry: str) -> dict[str, Any]:
    rng = np.random.default_rng(0)
    x = rng.normal(size=(N, D))
    if geometry == "sphere":
        x /= np.linalg.norm(x, axis=1, keepdims=True)
    return {"kind": "points", "points": x.tolist(), "weights": rng.uniform(0.5, 2.0, size=N).tolist()}


def build(chosen: Combination, *, variant: int = 0) -> tuple[tkf.Transformer, tkf.Measure, Config]:
    """The model and the tokens of a combination; raises what the library raises for those that make no sense."""
    tables = tables_of(chosen, variant=variant)
    is_function = chosen["schedule"] == "schedule:function"
    if not is_function:
        config = Config.from_dict(tables).resolved()
        return *config.build(), config
    # a function of depth is code, not config: take the parts of the constant model, and its frame afterwards
    rescaled = tables["attention"].pop("rescaled", False)
    config = Config.from_dict(tables | {"schedule": {"kind": "constant"}}).resolved()
    plain, tokens = config.build()
    model = tkf.Transformer(
        plain.geometry,
        schedule.FunctionOfDepth(lambda t: plain.schedule.parts(t)),
        position=plain.position,
        normalization=plain.normalization,
        noise=plain.noise,
        relative=plain.relative,
        rescaled=rescaled,
    )
    return model, tokens, config


def solve(model: tkf.Transformer, tokens: tkf.Measure, config: Config) -> Any:
    """The run of a combination."""
    options = dataclasses.asdict(config.solve)
    kept = {name: options[name] for name in ("t1", "method", "step", "save")}
    return tkf.solve(model, tokens, **kept, progress=False)
