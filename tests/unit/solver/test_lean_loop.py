"""diffrax's loop has the same numbers, with less to trace and to compile."""

from __future__ import annotations

import diffrax
import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import pytest
from diffrax import _integrate
from equinox.internal import _loop as loops
from hypothesis import given, settings
from hypothesis import strategies as st

import tokenfield as tkf
from tokenfield.laws import Cells, Density, Fourier
from tokenfield.solver import integration
from tokenfield.solver.lean_loop import Earlier, before, make_lean
from tokenfield.solver.steppers import OnManifold

TINY = float(np.finfo(float).tiny)
ORDINARY = st.floats(min_value=-1e300, allow_subnormal=False).filter(lambda x: x <= 0 or x > 2 * TINY)


@settings(deadline=None)  # the first number compiles
@given(ORDINARY)
def test_a_number_many_roundings_earlier_is_that_of_single_ones(x):
    """Between 0 and 2 tiny, single roundings pass numbers that some processors take for 0, so they are no reference."""
    expected = np.float64(x)
    for _ in range(100):
        expected = np.nextafter(expected, -np.inf) if expected != 0 else np.float64(-TINY)
    assert float(before(jnp.float64(x), 100)) == expected


def test_in_single_precision_and_in_a_batch():
    values = np.array([1.0, 3.5, -2.0, 1e-30, 1e30, np.inf], np.float32)
    expected = values
    for _ in range(7):
        expected = np.nextafter(expected, np.float32(-np.inf))
    found = before(jnp.asarray(values), 7)
    assert found.dtype == jnp.float32 and found.tolist() == expected.tolist()
    assert jax.vmap(lambda x: before(x, 7))(jnp.asarray(values)).tolist() == expected.tolist()


def solved(t1, adjoint, n):
    """The end of n equal components: as many as nobody else has, so that all is traced anew."""
    term = diffrax.ODETerm(lambda t, y, args: -y)
    controller = diffrax.PIDController(rtol=1e-6, atol=1e-9)
    return diffrax.diffeqsolve(
        term, diffrax.Tsit5(), 0.0, t1, 0.1, jnp.ones(n), stepsize_controller=controller, adjoint=adjoint
    ).ys[0, 0]


@pytest.mark.parametrize("adjoint", [diffrax.ForwardMode(), diffrax.RecursiveCheckpointAdjoint()], ids=["on", "back"])
def test_loops_of_diffrax_are_the_same_with_less_code(adjoint, monkeypatch):
    assert integration and isinstance(_integrate.eqxi.prevbefore(jnp.float64(1.0)), Earlier)  # by importing it
    shorter = jax.jit(lambda t1: solved(t1, adjoint, 11)).trace(1.0)
    monkeypatch.setattr(_integrate, "eqxi", eqx.internal)
    monkeypatch.setattr(_integrate, "eqx", eqx)
    for module in (loops.common, loops.checkpointed, loops.bounded):
        monkeypatch.setattr(module, "fixed_asarray", jnp.array)
    longer = jax.jit(lambda t1: solved(t1, adjoint, 12)).trace(1.0)
    assert str(longer.jaxpr).count(" copy ") > 20 > 5 * str(shorter.jaxpr).count(" copy ")
    shorter, longer = shorter.lower(), longer.lower()
    assert longer.as_text().count("next_after") == 100 > shorter.as_text().count("next_after") == 0
    found, expected = (float(lowered.compile()(jnp.float64(1.0))) for lowered in (shorter, longer))
    # the norms of 11 and of 12 equal numbers round differently, and so do the steps that follow from them
    assert found == pytest.approx(expected, rel=1e-12)
    make_lean(_integrate)
    make_lean(_integrate)  # the second changes nothing
    assert _integrate.eqxi._module is eqx.internal and _integrate.eqx._module is eqx
    make_lean(None)  # another version of diffrax may have no such module


class Compared:
    """`equinox` as diffrax's loop sees it, which also finds out what our controllers said."""

    def __init__(self):
        self.said = []

    def __getattr__(self, name):
        return getattr(eqx, name)

    def filter_eval_shape(self, function, *args, **kwargs):
        found = _integrate_lean.filter_eval_shape(function, *args, **kwargs)
        if getattr(function, "__name__", None) == "body_fun_aux":
            self.said.append((found[0] is None, found[1:], eqx.filter_eval_shape(function, *args, **kwargs)[1:]))
        return found


_integrate_lean = _integrate.eqx
# a dimension and a number of nodes that nobody else has: each is traced anew
SOFTMAX, START = tkf.Transformer(tkf.Sphere(11), tkf.Softmax(2.0)), np.eye(11)[:3]
JUMPING = tkf.schedule.PerLayer([tkf.Head(tkf.Softmax(2.0), V=v * np.eye(11)) for v in (1.0, -1.0)], t1=1.0)
CIRCLE, NODES = tkf.Transformer(tkf.Sphere(2), tkf.Softmax(1.0)), 22


@pytest.mark.parametrize(
    ("model", "start", "options"),
    [
        (SOFTMAX, START, {}),
        (SOFTMAX, START, {"method": "dopri8"}),
        (tkf.Transformer(tkf.Sphere(11), JUMPING), START, {}),
        (CIRCLE, Density.uniform(Cells(NODES)), {"method": "ssprk3"}),
        (CIRCLE, Density.uniform(Fourier(NODES)), {"method": "kvaerno5"}),
        (SOFTMAX, START, {"method": diffrax.Dopri5()}),
        (SOFTMAX, START, {"method": "rk4", "step": 0.25}),
        (SOFTMAX, START, {"method": "euler-normalise", "step": 0.25}),
        (SOFTMAX, START, {"layers": 4}),
        (tkf.Transformer(tkf.Sphere(11), tkf.Softmax(2.0), noise=tkf.Noise(1.0, seed=0)), START, {"step": 0.25}),
    ],
    ids=["tsit5", "dopri8", "jumps", "cells", "implicit", "of diffrax", "rk4", "projected after", "layers", "noise"],
)
def test_controllers_know_what_diffrax_would_find_out(model, start, options, monkeypatch):
    monkeypatch.setattr(_integrate, "eqx", compared := Compared())
    tkf.solve(model, start, t1=1.0, save="end", **options)
    assert len(compared.said) == 2 and all(known and ours == theirs for known, ours, theirs in compared.said)


@pytest.mark.parametrize("options", [{}, {"method": "rk4", "step": 0.1}], ids=["adaptive", "fixed"])
def test_a_step_is_traced_once(options, monkeypatch):
    """And three times where diffrax finds out by itself what is known of it."""
    traced, step = [], OnManifold.step
    monkeypatch.setattr(OnManifold, "step", lambda *args, **kw: traced.append(1) or step(*args, **kw))
    counts = []
    for n, module in ((4, _integrate.eqx), (5, eqx)):
        monkeypatch.setattr(_integrate, "eqx", module)
        traced.clear()
        tkf.solve(SOFTMAX, np.eye(11)[:n], t1=1.0, save="end", **options)
        counts.append(len(traced))
    assert counts == [1, 3]


def test_of_other_controllers_diffrax_finds_it_out(monkeypatch):
    monkeypatch.setattr(_integrate, "eqx", compared := Compared())
    jax.jit(lambda t1: solved(t1, diffrax.ForwardMode(), 13)).lower(1.0)
    assert compared.said and not any(known for known, *_ in compared.said)
