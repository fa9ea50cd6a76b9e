"""What makes small runs fast: arrays without programs, imports beside other work."""

from __future__ import annotations

import sys
import threading

import jax
import jax.numpy as jnp
import numpy as np

import tokenfield as tkf
from tokenfield._runtime.ahead import import_ahead
from tokenfield._runtime.arrays import as_array, on_host, row

N = 977  # a shape that nobody else uses: its programs are not compiled yet
POINTS = np.linalg.qr(np.random.default_rng(0).normal(size=(N, 3, 3)))[0][:, 0] * (1 + 1e-8)  # not quite on it
WEIGHTS = np.random.default_rng(1).uniform(0.1, 1, N)


def test_what_is_given_stays_the_caller_s():
    """JAX goes on reading the memory of an array of NumPy that it is given without a copy."""
    points, weights = POINTS.copy(), WEIGHTS.copy()
    measures = [tkf.Measure(points, weights), tkf.Measure(points, weights, geometry=tkf.Sphere(3), positions=weights)]
    expected = [np.array(leaf) for leaf in jax.tree.leaves(measures)]
    points[:], weights[:] = 7.0, 7.0
    assert all(map(np.array_equal, jax.tree.leaves(measures), expected))


def test_what_is_not_known_or_lies_elsewhere_is_not_on_the_host():
    found = []
    jax.jit(lambda x: found.append(on_host(x)) or x)(1.0)
    placed = jax.device_put(np.ones(2), jax.devices()[0])  # by somebody, who wants it there
    assert [*found, on_host(placed), on_host([1.0])] == [None] * 3
    assert on_host(np.ones(2)).tolist() == on_host(jnp.ones(2)).tolist() == [1, 1]


def test_what_the_host_knows_needs_no_program(caplog):
    with jax.log_compiles():
        values = as_array(np.arange(3.0 * N).reshape(3, N))
        second = row(values, 1)
        number = as_array(2.5, np.float32)
        tokens = tkf.Measure(as_array(np.ones((N, 2))))
        on_sphere = tkf.Measure(POINTS, WEIGHTS, geometry=tkf.Sphere(3))
        whole = tkf.Measure(np.arange(2 * N).reshape(N, 2))
        beta = tkf.Softmax(beta=2.5).beta
        assert "Compiling" not in caplog.text
        jnp.full(N, 0.5)
        assert "Compiling" in caplog.text  # so that the test would see one
    assert second.tolist() == list(range(N, 2 * N)) and isinstance(second, jax.Array)
    assert number.dtype == jnp.float32 and float(number) == float(beta) == 2.5
    assert tokens.weights.tolist() == [1 / N] * N and tokens.positions.tolist() == list(range(N))
    assert whole.points.dtype == float and whole.points[1].tolist() == [2, 3]
    traced = jax.jit(lambda x, w: tkf.Measure(x, w, geometry=tkf.Sphere(3)))(POINTS, WEIGHTS)
    for ours, theirs in zip(jax.tree.leaves(on_sphere), jax.tree.leaves(traced), strict=True):
        np.testing.assert_allclose(ours, theirs, rtol=1e-13)  # sums of 977 in another order
    assert jax.jit(lambda x: row(x, 1))(values).tolist() == second.tolist()


def test_modules_are_imported_ahead_and_errors_wait():
    sys.modules.pop("colorsys", None)  # a small one
    import_ahead("no.such.module", "colorsys")
    for thread in threading.enumerate():
        if thread.name == "imports":
            thread.join(10)
    assert "colorsys" in sys.modules
