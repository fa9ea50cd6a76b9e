"""The place of hidden states on the flow in each variant, beside their nulls: fits of `flow` as plain data."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from tokenfield.layers import curves, flow
from tokenfield.layers.curves import Curve
from tokenfield.layers.variants import NO_ROGUES, NO_SINKS, RAW

# centering takes away the mean token, which is what grows along the flow
PLACED = (RAW, NO_SINKS, NO_ROGUES)
MAIN = NO_SINKS

Cosines = dict[str, np.ndarray]  # the mean cosine of each prompt at each layer, (prompts, layers), by variant


def place(
    cosines: Cosines, n: int, d: int, *, nulls: Mapping[str, tuple[Cosines, int]], simulate: bool, seed: int
) -> tuple[dict[str, Any] | None, list[str]]:
    """The fits in each variant, those of the nulls, and what to say about them.

    Args:
        cosines: the mean cosine of each prompt at each layer, by variant.
        n: the number of tokens of the curves.
        d: the dimension, for simulated tokens.
        nulls: cosines and number of tokens of what the states are compared with, by name.
        simulate: whether tokens are simulated, besides the equiangular curve.
        seed: of everything random.

    Returns:
        Plain data, or `None` where there are too few layers; and sentences.

    >>> layers = curves.equiangular(12).at(np.full(9, 2.0), np.linspace(0.5, 3.5, 9))[None]
    >>> found, said = place({RAW: layers, NO_SINKS: layers}, 12, 64, nulls={}, simulate=False, seed=0)
    >>> round(found["variants"]["raw"]["equiangular"]["time"], 2), len(said)
    (3.0, 1)
    """
    if cosines[RAW].shape[1] < flow.FEWEST_LAYERS:
        return None, []
    tables = _tables(n, d, simulate=simulate, seed=seed)
    known: dict[bytes, dict[str, flow.Fit]] = {}
    fits: dict[str, dict[str, flow.Fit]] = {}
    for variant in (v for v in PLACED if v in cosines):
        values = cosines[variant]
        if np.all(np.isfinite(values)):
            if (key := values.tobytes()) not in known:
                known[key] = {kind: flow.fit(values, table, seed=seed) for kind, table in tables.items()}
            fits[variant] = known[key]
    beside: dict[str, Any] = {}
    kind = "simulated" if simulate else "equiangular"
    for name, (of_null, size) in nulls.items():
        values = of_null[MAIN]
        if MAIN in fits and np.all(np.isfinite(values)) and values.shape[1] >= flow.FEWEST_LAYERS:
            same = tables if size == n else _tables(size, d, simulate=simulate, seed=seed)
            beta = fits[MAIN][kind].beta
            ours = flow.fit(cosines[MAIN], tables[kind], beta=beta, seed=seed)
            null = flow.fit(values, same[kind], beta=beta, seed=seed)
            beside[name] = flow.against(ours, null) | {"cosines": np.mean(values, axis=0).tolist()}
    plain = {v: {kind: one.to_dict() for kind, one in found.items()} for v, found in fits.items()}
    said = flow.told(fits[MAIN], beside, MAIN) if MAIN in fits else []
    return {"n": n, "variants": plain, "nulls": beside}, said


def _tables(n: int, d: int, *, simulate: bool, seed: int) -> dict[str, Curve]:
    tables = {"equiangular": curves.equiangular(n)}
    return tables | ({"simulated": curves.simulated(n, d, seed=seed)} if simulate else {})
