"""`explain`: how `solve` would compute a flow, and why, without computing it."""

from __future__ import annotations

from typing import Any

import numpy as np

from tokenfield.flows.clusters import merging_flow
from tokenfield.flows.density import DensityFlow
from tokenfield.flows.gaussian import GaussianFlow
from tokenfield.flows.reduced import reduced
from tokenfield.model.transformer import Transformer
from tokenfield.solver.solve import as_flow, prepared
from tokenfield.sums import choose


def explain(
    model: Transformer,
    start: Any,
    *,
    t1: float,
    t0: float = 0.0,
    rtol: float | None = None,
    merge: bool | float | None = None,
) -> dict[str, str]:
    """What `solve` would do with the same arguments, in words: the state, exact reductions, and the sums of each head.

    A sum says which way is taken, why, about how long one evaluation takes, and its relative error.

    >>> from tokenfield import Softmax, Sphere, initial
    >>> model = Transformer(Sphere(2), Softmax(beta=9.0))
    >>> explain(model, initial.uniform(model.geometry, n=100_000, seed=0), t1=1.0)["sum"].split(":")[0]
    'fourier'
    """
    flow = as_flow(model, start, t0, t1)
    if isinstance(flow, (DensityFlow, GaussianFlow)):
        what = "a density on a grid" if isinstance(flow, DensityFlow) else "the mean and covariance of a Gaussian"
        return {"state": f"{what}: no tokens, no sum over pairs of them"}
    n, d = flow.tokens.points.shape  # type: ignore[attr-defined]
    said = {"state": f"{n} tokens in R^{d}, {flow.tokens.points.dtype}"}  # type: ignore[attr-defined]
    if merge:
        flow, notes = merging_flow(flow, clock="time", speed=1.0)
        said["merging"] = "tokens of a collapsed cluster become one: exponentially long times take few steps"
    else:
        flow, notes = reduced(flow)
        flow = prepared(flow, t0, t1, rtol)
    said |= {f"reduction {i}" if len(notes) > 1 else "reduction": note for i, note in enumerate(notes, 1)}
    # a flow of few clusters sums over pairs by itself
    m = int(np.shape(flow.start)[0])
    choices = flow.choices or tuple(choose(m, m, d) for _ in model.heads(t0))
    for i, choice in enumerate(choices, 1):
        said[f"sum of head {i}" if len(choices) > 1 else "sum"] = str(choice)
    return said
