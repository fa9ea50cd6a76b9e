"""diffrax's loop has the same numbers, with less to trace and to compile."""

from __future__ import annotations

import diffrax
import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import pytest
from diffrax import _integrate
from hypothesis import given, settings
from hypothesis import strategies as st

import tokenfield as tkf
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
    shorter = jax.jit(lambda t1: solved(t1, adjoint, 11)).lower(1.0)
    monkeypatch.setattr(_integrate, "eqxi", eqx.internal)
    monkeypatch.setattr(_integrate, "eqx", eqx)
    longer = jax.jit(lambda t1: solved(t1, adjoint, 12)).lower(1.0)
    assert longer.as_text().count("next_after") == 100 > shorter.as_text().count("next_after") == 0
    found, expected = (float(lowered.compile()(jnp.float64(1.0))) for lowered in (shorter, longer))
    # the norms of 11 and of 12 equal numbers round differently, and so do the steps that follow from them
    assert found == pytest.approx(expected, rel=1e-12)
    make_lean(_integrate)
    make_lean(_integrate)  # the second changes nothing
    assert _integrate.eqxi._module is eqx.internal and _integrate.eqx._module is eqx
    make_lean(None)  # another version of diffrax may have no such module


@pytest.mark.parametrize(
    ("options", "count"), [({}, 2), ({"method": "rk4", "step": 0.1}, 3)], ids=["adaptive", "fixed"]
)
def test_steps_are_traced_no_more_than_they_tell(options, count, monkeypatch):
    """The result of fixed steps is known, so diffrax looks at it again."""
    traced, step = [], OnManifold.step
    monkeypatch.setattr(OnManifold, "step", lambda *args, **kw: traced.append(1) or step(*args, **kw))
    model, counts = tkf.Transformer(tkf.Sphere(7), tkf.Softmax(2.0)), []
    for n, module in ((13, _integrate.eqx), (14, eqx)):  # so many that nobody else has: each is traced anew
        monkeypatch.setattr(_integrate, "eqx", module)
        traced.clear()
        tkf.solve(model, tkf.initial.uniform(model.geometry, n=n, seed=count), t1=1.0, save="end", **options)
        counts.append(len(traced))
    assert counts == [count, 3]
