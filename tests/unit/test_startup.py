"""What makes small runs fast: arrays without programs, imports beside other work."""

from __future__ import annotations

import sys
import threading

import jax
import jax.numpy as jnp
import numpy as np

import tokenfield as tkf
from tokenfield._runtime.ahead import import_ahead
from tokenfield._runtime.arrays import as_array, row

N = 977  # a shape that nobody else uses: its programs are not compiled yet


def test_what_the_host_knows_needs_no_program(caplog):
    with jax.log_compiles():
        values = as_array(np.arange(3.0 * N).reshape(3, N))
        second = row(values, 1)
        number = as_array(2.5, np.float32)
        tokens = tkf.Measure(as_array(np.ones((N, 2))))
        beta = tkf.Softmax(beta=2.5).beta
        assert "Compiling" not in caplog.text
        jnp.full(N, 0.5)
        assert "Compiling" in caplog.text  # so that the test would see one
    assert second.tolist() == list(range(N, 2 * N)) and isinstance(second, jax.Array)
    assert number.dtype == jnp.float32 and float(number) == float(beta) == 2.5
    assert tokens.weights.tolist() == [1 / N] * N and tokens.positions.tolist() == list(range(N))
    assert jax.jit(lambda x: row(x, 1))(values).tolist() == second.tolist()


def test_modules_are_imported_ahead_and_errors_wait():
    sys.modules.pop("colorsys", None)  # a small one
    import_ahead("no.such.module", "colorsys")
    for thread in threading.enumerate():
        if thread.name == "imports":
            thread.join(10)
    assert "colorsys" in sys.modules
