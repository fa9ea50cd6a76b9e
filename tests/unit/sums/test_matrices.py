"""The contract of `sums.dense`: what moves tokens forms n x n arrays there, in its masks, or not at all.

Every operation of a traced program knows the line that it comes from, and the shape of what it makes.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import tokenfield as tkf
from tokenfield.flows.clusters import merging_flow
from tokenfield.flows.systems import SystemsFlow
from tokenfield.flows.tokens import TokenFlow
from tokenfield.model import position
from tokenfield.model.attention import Attention
from tokenfield.sums.direct import DENSE_PAIRS
from tokenfield.sums.systems import SYSTEMS_FIRST

PACKAGE = Path(tkf.__file__).parent
FEW, MANY = 23, 1031  # primes, so that nothing else has this size
assert FEW**2 < DENSE_PAIRS < MANY**2
# blocks of 64 rows of a singular kernel are all rows of fewer tokens
ALLOWED = {"sums/dense.py", "sums/singular.py"}
KINDS = {
    "softmax": tkf.Softmax(2.0),
    "unnormalized": tkf.Unnormalized(2.0),
    "l2": tkf.L2(2.0),
    "hardmax": tkf.Hardmax(),
    "sigmoid": tkf.Sigmoid(2.0),
    "linear": tkf.Linear(),
    "krause": tkf.Krause(0.5),
    "sinkhorn": tkf.Sinkhorn(2.0),
    "riesz": tkf.Riesz(2.0, softening=0.1),
}


def operations(jaxpr: Any, caller: str = "elsewhere") -> Iterator[tuple[Any, str]]:
    """All operations of a traced program, also those of the loops and functions inside, each with its file."""
    for equation in jaxpr.eqns:
        file = file_of(equation) or caller
        yield equation, file
        for value in jax.tree.leaves(list(equation.params.values()), is_leaf=lambda v: hasattr(v, "eqns")):
            inner = getattr(value, "jaxpr", value)
            if hasattr(inner, "eqns"):
                yield from operations(inner, file)


def file_of(operation: Any) -> str | None:
    """The file of tokenfield that makes it: the innermost of `sums`, which may call a kernel, or of any folder."""
    frames = [Path(frame.file_name) for frame in operation.source_info.traceback.frames]
    files = [path.relative_to(PACKAGE).as_posix() for path in frames if path.is_relative_to(PACKAGE)]
    return next((file for file in files if file.startswith("sums/")), files[0] if files else None)


def matrices(function: Any, *arguments: Any, n: int) -> set[str]:
    """The files of tokenfield that make arrays with two axes of length n."""
    return {
        file
        for operation, file in operations(jax.make_jaxpr(function)(*arguments).jaxpr)
        if any(list(getattr(out.aval, "shape", ())).count(n) > 1 for out in operation.outvars)
    }


def flow_of(kind: str, n: int, **options: Any) -> TokenFlow:
    model = tkf.Transformer(tkf.Sphere(5), KINDS[kind], **options)
    return TokenFlow(model, tkf.initial.uniform(model.geometry, n=n, seed=0))


def test_all_kinds_are_here():
    ours = {kind for kind in Attention.__subclasses__() if kind.__module__.startswith("tokenfield.")}
    assert {type(kind) for kind in KINDS.values()} == ours


@pytest.mark.parametrize("kind", KINDS)
def test_few_tokens(kind):
    flow = flow_of(kind, FEW)
    assert matrices(flow.velocity, jnp.zeros(()), flow.start, n=FEW) <= ALLOWED


def test_few_tokens_with_positions():
    flow = flow_of("softmax", FEW, position=[position.Causal(), position.ALiBi(0.1)])
    assert matrices(flow.velocity, jnp.zeros(()), flow.start, n=FEW) == {"sums/dense.py", "sums/band.py"}


@pytest.mark.parametrize("kind", KINDS)
def test_many_tokens_make_none(kind):
    flow = flow_of(kind, MANY)
    assert matrices(flow.velocity, jnp.zeros(()), flow.start, n=MANY) == set()


@pytest.mark.parametrize("kind", ["softmax", "unnormalized", "l2"])
@pytest.mark.parametrize("clock", ["time", "distance"])
def test_clusters(kind, clock):
    """The time until two tokens meet makes none beyond those of the velocity."""
    flow = merging_flow(flow_of(kind, FEW), pace=None if clock == "time" else 1.0)[0].inner
    assert flow.is_pairwise
    velocity = matrices(flow.velocity, jnp.zeros(()), flow.start, n=FEW)
    assert velocity == {"sums/dense.py"}
    assert matrices(flow.largest_step, jnp.zeros(()), flow.start, n=FEW) == velocity


def test_many_systems():
    models = jax.vmap(lambda beta: tkf.Transformer(tkf.Sphere(5), tkf.Softmax(beta)))(jnp.ones(3))
    x = jnp.asarray(np.random.default_rng(0).normal(size=(3, FEW, 5)))
    flow = SystemsFlow(models, x, jnp.asarray(0.1), SYSTEMS_FIRST)
    assert matrices(flow.velocity, jnp.zeros(()), flow.start, n=FEW) == {"sums/systems.py"}
