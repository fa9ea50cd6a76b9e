"""Sums on S^2 by nonuniform transforms have the moments of `harmonics`, and the literal sums within their error."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from oracles_sums import compared, literal, unit
from tokenfield.errors import Unsupported
from tokenfield.sums import harmonics, harmonics_nufft, nufft

pytestmark = pytest.mark.skipif(not nufft.is_available(), reason="needs jax-finufft and a CPU")

N = 200
EPS = np.finfo(float).eps
LENGTHS = {15: 1.0, 63: 50.0}  # degree -> the largest |u| that it carries to rounding
AXIS = np.array([[0.3, -0.2, 0.9]])

moments = jax.jit(harmonics_nufft.moments, static_argnums=2)
evaluate = jax.jit(harmonics_nufft.evaluate, static_argnames=("reach", "is_uniform"))


def uniform(seed=0, n=N):
    return unit(np.random.default_rng(seed).normal(size=(n, 3)))


def tokens():
    """Where tokens could be hard: name -> (N, 3)."""
    u, number = uniform(), np.arange(N)[:, None]
    pole = np.array([[0.0, 0.0, 1.0]])
    return {
        "uniform": u,
        "clustered": unit(AXIS + 1e-3 * u),
        "collapsed": np.repeat(unit(-AXIS), N, axis=0),
        # to either side, with zeros of both signs, and so near that the angle around the axis loses its meaning
        "poles": np.concatenate(
            [pole, -pole, unit(10.0 ** -number[2:] * u[2:] + np.where(number[2:] % 2, pole, -pole))]
        ),
        "outlier": unit(np.where(number == 7, -1, 1) * AXIS + 1e-2 * u),
    }


@pytest.mark.parametrize("degree", LENGTHS)
def test_moments_are_those_of_harmonics(degree):
    w = np.random.default_rng(1).uniform(size=N)
    twin = jax.jit(harmonics.moments, static_argnums=2)
    for name, y in tokens().items():
        # 1e-12 of the mass: each has at most 700 roundings of it, 1.6e-13, in the highest modes
        np.testing.assert_allclose(
            moments(y, w, degree), twin(y, w, degree), rtol=0, atol=1e-12 * w.sum(), err_msg=name
        )
    assert moments(y, w, degree - 1).shape == (2, degree + 1, degree + 1)  # an even degree is raised


def test_blocks_of_tokens_add_up(monkeypatch):
    monkeypatch.setattr(harmonics_nufft, "BLOCK", 77)  # three blocks of 67, and one place of the last is filled up
    w = np.random.default_rng(1).uniform(size=N)
    found = jax.jit(lambda y, w: harmonics_nufft.moments(y, w, 15))(uniform(), w)
    np.testing.assert_allclose(found, harmonics.moments(uniform(), w, 15), rtol=0, atol=1e-12 * w.sum())


def test_many_tokens_take_a_finer_grid_with_the_same_sums():
    n, degree, reach = 2 * (4 * 2 * 16) ** 2, 15, 1.0
    assert harmonics_nufft._upsampling(16, n) == 4 and harmonics_nufft._upsampling(16, n - 1) == 2
    y, w = uniform(5, n), np.random.default_rng(6).uniform(size=n)
    w /= w.sum()
    fine = moments(y, w, degree)
    # as in the moments of few tokens
    np.testing.assert_allclose(fine, jax.jit(harmonics.moments, static_argnums=2)(y, w, degree), rtol=0, atol=1e-12)
    u = reach * uniform(7, n)
    found = evaluate(fine, u, reach=reach, is_uniform=True)
    twin = harmonics.evaluate(fine, u, reach=reach, is_uniform=True)
    allowed = np.asarray(found.error + twin.error)
    assert allowed.max() < 1e-12  # so that the next lines mean something
    assert np.all(np.abs(found.log_sum - twin.log_sum) <= allowed)
    assert np.all(np.abs(found.mean - twin.mean).max(axis=1) <= allowed)


def test_tokens_that_are_no_numbers_show_and_do_not_crash():
    # the transforms read memory by their angles: NaN among them ended the interpreter
    y = np.array(uniform())
    y[7] = np.nan
    w = np.full(N, 1 / N)
    assert np.isnan(moments(y, w, 15)).all()
    good = moments(uniform(), w, 15)
    assert list(np.flatnonzero(~(evaluate(good, y, reach=1.5, is_uniform=True).error < 1))) == [7]
    on_circle = y[:, :2] / np.linalg.norm(y[:, :2], axis=1, keepdims=True)
    assert np.isnan(nufft.moments(on_circle, w, 15)).all()


@pytest.mark.parametrize("degree", LENGTHS)
def test_the_stated_error_holds_and_is_not_idle(degree):
    rng, reach, ratios = np.random.default_rng(2), LENGTHS[degree], []
    twin = jax.jit(harmonics.evaluate, static_argnames=("reach", "is_uniform"))
    for name, y in tokens().items():
        directions = np.concatenate([y[::2], -y[1:80:2], uniform(3, N // 2 - 40)])
        for w in (np.full(N, 0.1), 10.0 ** rng.uniform(-12, 0, size=N)):
            found = moments(y, w, degree)
            for u in (reach * directions, 0.1 * reach * directions):
                fast = evaluate(found, u, reach=reach, is_uniform=True)
                true, stated, share = compared(fast, u, y, w)
                assert np.all(true <= stated), name
                # twice 50 roundings of the mass, 1e-15 left out and, for small shares, their ratio again
                limit = 2 * (50 * EPS + 1e-15) / share + 3 * EPS * (1 + reach)
                assert np.all((stated <= 1.5 * limit)[share > 1e-12]), name
                assert np.all(np.isfinite(fast.log_sum)) and np.all(np.abs(fast.mean) < 2.1)  # also where unknown
                ratios.append(np.median((stated / np.maximum(true, EPS / 4))[share > 1e-12]))
                other = twin(found, u, reach=reach, is_uniform=True)
                is_known = (stated < 0.1) & (other.error < 0.1)
                allowed = (stated + other.error)[is_known]
                assert np.all(np.abs(fast.log_sum - other.log_sum)[is_known] <= allowed), name
                assert np.all(np.abs(fast.mean - other.mean).max(axis=1)[is_known] <= allowed), name
    assert np.median(ratios) < 150  # of the medians: a bound of the worst case, seen in a typical one


def test_many_equal_tokens_do_not_drift():
    # one after the other, their roundings, all alike, would add up to 2000 of the mass and exceed what is stated
    n, degree = 130_000, 15
    w = np.full(n, 0.1)
    for y in ([[0.0, 0.0, 1.0]], unit(AXIS)):
        u = np.concatenate([y, uniform(4, N - 1)])
        found = evaluate(moments(np.repeat(y, n, axis=0), w, degree), u, reach=1.0, is_uniform=True)
        true, stated, _ = compared(found, u, y, np.longdouble(0.1) * n * np.ones(1, np.longdouble))
        assert np.all(true <= stated)


def test_lengths_that_are_zero_beyond_reach_or_unequal_are_stated():
    y, w = uniform(), np.random.default_rng(5).uniform(size=N)
    found = moments(y, w, 15)
    at_zero = evaluate(found, np.zeros((N, 3)), reach=1.0, is_uniform=True)
    true, stated, _ = compared(at_zero, np.zeros((N, 3)), y, w)
    assert np.all(true <= stated) and np.all(stated < 1e-13)
    assert np.all(np.isinf(evaluate(found, 1.1 * y, reach=1.0, is_uniform=True).error))
    u = y * np.linspace(0.5, 1, N)[:, None]
    true, stated, _ = compared(evaluate(found, u, reach=1.0, is_uniform=True), u, y, w)
    assert true.max() > 1e-3 and np.all(true <= stated)
    assert np.all(np.isinf(evaluate(0 * found, y, reach=1.0, is_uniform=True).error))  # no mass, no mean
    with pytest.raises(Unsupported, match=r"one length only; use tokenfield\.sums\.harmonics"):
        harmonics_nufft.evaluate(found, u, reach=1.0, is_uniform=False)


def test_single_precision_and_batches_of_tokens():
    y, w = np.stack([uniform(6), uniform(7)]), np.full(N, 1 / N)

    @jax.jit
    @jax.vmap
    def both(y):
        return harmonics_nufft.evaluate(harmonics_nufft.moments(y, w, 15), y, reach=1.001, is_uniform=True)

    found = both(y.astype(np.float32))
    assert found.log_sum.dtype == found.mean.dtype == jnp.float32
    for i in range(2):
        log_sum, mean, _ = literal(y[i], y[i], w)
        # the points and the results are rounded, to 6e-8 each
        np.testing.assert_allclose(found.log_sum[i], log_sum.astype(float), rtol=0, atol=1e-6)
        np.testing.assert_allclose(found.mean[i], mean.astype(float), rtol=0, atol=1e-6)
