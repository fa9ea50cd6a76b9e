"""The place where diffrax's loop ends, found at once: the same number, for a third less of tracing and compilation."""

from __future__ import annotations

import diffrax
import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import pytest
from diffrax import _integrate
from hypothesis import given
from hypothesis import strategies as st

from tokenfield.solver import integration
from tokenfield.solver.clip_floor import Earlier, before, round_at_once

TINY = float(np.finfo(float).tiny)
ORDINARY = st.floats(min_value=-1e300, allow_subnormal=False).filter(lambda x: x <= 0 or x > 2 * TINY)


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


def solved(t1, adjoint):
    term = diffrax.ODETerm(lambda t, y, args: -y)
    controller = diffrax.PIDController(rtol=1e-6, atol=1e-9)
    return diffrax.diffeqsolve(
        term, diffrax.Tsit5(), 0.0, t1, 0.1, jnp.ones(2), stepsize_controller=controller, adjoint=adjoint
    )


@pytest.mark.parametrize("adjoint", [diffrax.ForwardMode(), diffrax.RecursiveCheckpointAdjoint()], ids=["on", "back"])
def test_loops_of_diffrax_are_the_same_with_less_code(adjoint, monkeypatch):
    shorter = jax.jit(lambda t1: solved(t1, adjoint).ys).lower(1.0)
    found = shorter.compile()(jnp.float64(1.0))
    assert integration and isinstance(_integrate.eqxi.prevbefore(jnp.float64(1.0)), Earlier)  # by importing it
    monkeypatch.setattr(_integrate, "eqxi", eqx.internal)
    jax.clear_caches()
    longer = jax.jit(lambda t1: solved(t1, adjoint).ys).lower(1.0)
    assert longer.as_text().count("next_after") == 100 > shorter.as_text().count("next_after") == 0
    assert found.tolist() == longer.compile()(jnp.float64(1.0)).tolist()
    round_at_once(_integrate)
    round_at_once(_integrate)  # the second changes nothing
    assert _integrate.eqxi._module is eqx.internal
    round_at_once(None)  # another version of diffrax may have no such module
