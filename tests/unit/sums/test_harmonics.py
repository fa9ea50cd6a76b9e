"""Sums on S^2 by harmonics equal the literal ones within the error they state, wherever tokens and queries are."""

from __future__ import annotations

from functools import partial

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from scipy import special

from oracles_sums import compared, literal, unit
from tokenfield.sums import harmonics

N = 400  # tokens: equal weights 1 / 400 are no power of two, and the rounding of their sum drifts
EPS = np.finfo(float).eps

moments = jax.jit(harmonics.moments, static_argnums=2)
evaluate = jax.jit(harmonics.evaluate, static_argnames=("reach", "is_uniform"))


def uniform(seed=0, n=N):
    return unit(np.random.default_rng(seed).normal(size=(n, 3)))


def tokens():
    """Where tokens could be hard: name -> (N, 3)."""
    u, is_odd = uniform(), np.arange(N)[:, None] % 2 == 1
    axis = np.array([[0.3, -0.2, 0.9]])
    return {
        "uniform": u,
        "clustered": unit(axis + 1e-3 * u),
        "collapsed": np.repeat(unit(axis), N, axis=0),
        "antipodal": unit(np.where(is_odd, 1, -1) * axis + 1e-2 * u),
        "one outlier": unit(np.where(np.arange(N)[:, None] == 7, -1, 1) * axis + 1e-2 * u),
        "at the poles": np.where(is_odd, 1.0, -1.0) * np.array([[0.0, 0.0, 1.0]]),
        "near a pole": np.concatenate([unit(10.0 ** -np.arange(1, N)[:, None] * u[1:] + [[0, 0, 1.0]]), [[0, 0, 1.0]]]),
        "equator": unit(u * [[1, 1, 0]]),
    }


RUNS = [(beta, is_uniform) for beta in (0.1, 9.0) for is_uniform in (True, False)]
SLOW_RUNS = [(1.0, True), (1.0, False), (50.0, True), (50.0, False), (200.0, True), (200.0, False)]


@pytest.mark.parametrize(
    ("beta", "is_uniform"), [*RUNS, *(pytest.param(*run, marks=pytest.mark.slow) for run in SLOW_RUNS)]
)
def test_the_stated_error_holds_and_is_not_idle(beta, is_uniform):
    rng = np.random.default_rng(1)
    modes, ratios = harmonics.modes_for(beta, 1e-15), []
    for name, y in tokens().items():
        queries = np.concatenate([y[::2], -y[1:100:2], uniform(2, N - N // 2 - 50)])
        u = beta * queries * (1.0 if is_uniform else rng.uniform(0, 1, size=(N, 1)))
        for w in (np.full(N, 1 / N), 10.0 ** rng.uniform(-12, 0, size=N)):
            found = evaluate(moments(y, w, modes), u, reach=beta, is_uniform=is_uniform)
            true, stated, share = compared(found, u, y, w)
            # an error above 0.1 says that nothing is known: the logarithm of a sum lost in rounding is arbitrary
            is_known = stated < 0.1
            assert np.all(true[is_known] <= stated[is_known]), name
            # a share of the mass is a sum of size one, of which (100 + L) roundings are stated, beside 4 of |u|
            limit = EPS * (100 + modes) / share + 1e-14 / share + 4 * EPS * (1 + beta)
            assert np.all((stated <= 1.01 * limit)[is_known]), name
            assert np.all(is_known[share > 1e-10]), name
            ratios.append(np.median(stated[is_known] / np.maximum(true[is_known], EPS / 4)))
    assert np.median(ratios) < 300  # of the medians: a bound of the worst case, seen in a typical one


@pytest.mark.parametrize("is_uniform", [True, False])
def test_too_few_modes_are_stated(is_uniform):
    # what is missed exceeds rounding by far, and is bounded by the tail of the kernel
    y, w, beta = tokens()["clustered"], np.full(N, 1 / N), 9.0
    found = evaluate(moments(y, w, 9), beta * y, reach=beta, is_uniform=is_uniform)
    true, stated, _ = compared(found, beta * y, y, w)
    assert true.min() > 1e-3 and np.all(true <= stated) and np.all(stated < 300 * true)


def test_modes_for_bounds_what_is_missed():
    t = np.linspace(-1, 1, 401)
    for reach, tolerance in ((0.1, 1e-15), (9.0, 1e-10), (9.0, 1e-3), (200.0, 1e-6)):
        modes = harmonics.modes_for(reach, tolerance)
        for r in (reach, 0.7 * reach):
            ell = np.arange(modes + 1)[:, None]
            series = (2 * ell + 1) * special.spherical_in(ell, r) * special.eval_legendre(ell, t)
            missed = np.abs(np.exp(r * (t - 1)) - np.exp(-r) * series.sum(axis=0)).max()
            assert missed <= tolerance + 1e-14  # the roundings of the series itself
        if tolerance > 1e-13:  # no mode more than needed, up to the degree of y and to being odd
            assert harmonics.tail(reach, modes - 3) > tolerance >= harmonics.tail(reach, modes)
    assert harmonics.modes_for(0.0, 1e-15) <= 5


@pytest.mark.parametrize("is_uniform", [True, False])
def test_queries_of_length_zero_and_beyond_reach(is_uniform):
    y, w = uniform(), np.random.default_rng(3).uniform(size=N)
    u = np.zeros((N, 3))
    if not is_uniform:
        u[1], u[2], u[3] = [0, 0, 1e-200], [1e-12, 0, 0], [0, 0, 10.0]
    found = evaluate(moments(y, w, 31), u, reach=9.0, is_uniform=is_uniform)
    inside = np.asarray(found.error) < np.inf
    assert np.flatnonzero(~inside).tolist() == ([] if is_uniform else [3])
    true, stated, _ = compared(found, u, y, w)
    assert np.all(true[inside] <= stated[inside]) and np.all(stated[inside] < 1e-13)
    if is_uniform:
        beyond = evaluate(moments(y, w, 31), 10 * y, reach=9.0, is_uniform=True)
        assert np.all(np.isinf(beyond.error))


def test_moments_are_linear_and_do_not_depend_on_blocks_or_lengths(monkeypatch):
    y, w = uniform(), np.random.default_rng(4).uniform(size=N)
    whole = moments(y, w, 31)
    parts = moments(y, w * (np.arange(N) < 150), 31) + moments(y, w * (np.arange(N) >= 150), 31)
    rounding = 50 * EPS * w.sum()  # as stated in the module
    np.testing.assert_allclose(parts, whole, rtol=0, atol=rounding)
    u, shorter = 9.0 * y, moments(y[:-1], w[:-1], 31)
    at_once = evaluate(whole, u, reach=9.0, is_uniform=True)
    monkeypatch.setattr(harmonics, "TABLE", 32 * 93)  # five blocks, the last one padded
    assert harmonics._rows(N, 32) == 80 and harmonics._rows(N + 1, 32) == 81
    in_blocks = harmonics.moments(2 * y[:-1], w[:-1], 31)  # the length of the points is ignored
    np.testing.assert_allclose(in_blocks, shorter, rtol=0, atol=rounding)
    for is_uniform in (True, False):
        again = jax.jit(partial(harmonics.evaluate, reach=9.0, is_uniform=is_uniform))(whole, u[:-1])
        np.testing.assert_allclose(again.log_sum, at_once.log_sum[:-1], rtol=0, atol=2e-14)
        np.testing.assert_allclose(again.mean, at_once.mean[:-1], rtol=0, atol=2e-14)


def test_single_precision_queries_and_batches():
    y, w = uniform(), np.full(N, 1 / N)
    batch = np.stack([w, w[::-1] * np.linspace(0, 1, N)])
    one = jax.vmap(lambda w: harmonics.evaluate(harmonics.moments(y, w, 31), 9.0 * y, reach=9.0, is_uniform=True))
    both = jax.jit(one)(batch)
    for w, log_sum, mean in zip(batch, both.log_sum, both.mean, strict=True):
        expected = literal(9.0 * y, y, w)
        np.testing.assert_allclose(log_sum, expected[0].astype(float), atol=1e-13)  # as stated above
        np.testing.assert_allclose(mean, expected[1].astype(float), atol=1e-13)
    short = (9.0 * y).astype(np.float32)
    found = evaluate(moments(y.astype(np.float32), w.astype(np.float32), 31), short, reach=9.001, is_uniform=True)
    assert found.log_sum.dtype == found.mean.dtype == jnp.float32
    # the queries are taken as they are: only the points and the results are rounded, to 6e-8, times |u| = 9
    expected = literal(short, y, w)
    np.testing.assert_allclose(found.mean, expected[1].astype(float), atol=2e-6)
    np.testing.assert_allclose(found.log_sum, expected[0].astype(float), atol=2e-6)


@pytest.mark.slow
@pytest.mark.parametrize("is_uniform", [True, False])
def test_memory_is_linear(is_uniform):
    def total(y, w):
        found = harmonics.evaluate(harmonics.moments(y, w, 31), 9.0 * y, reach=9.0, is_uniform=is_uniform)
        return found.log_sum, found.mean

    sizes = []
    for n in (2**18, 2**20):
        shapes = jax.ShapeDtypeStruct((n, 3), jnp.float64), jax.ShapeDtypeStruct((n,), jnp.float64)
        sizes.append(jax.jit(total).lower(*shapes).compile().memory_analysis().temp_size_in_bytes)
    # a few copies of the tokens and results per token, and the tables of one block
    assert sizes[1] - sizes[0] < 400 * (2**20 - 2**18) and sizes[0] < 2**18 * 400 + 2**25
