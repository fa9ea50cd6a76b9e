"""Fourier sums on the circle equal the literal sums to the error that they state, for every path and any |u|."""

from __future__ import annotations

import subprocess
import sys
from functools import partial

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tokenfield.errors import InvalidInput, Unsupported
from tokenfield.sums import fourier, nufft

N, M = 300, 60
EPS = 2.0**-52
# few programs serve all tests: one group of modes written out, and a loop over two (HALF_STRIDE, COARSE)
NEAR, FAR = 9.0, 220.0
MARGIN = 1.001  # lengths in float32 are not that exact
MODES = {reach: fourier.modes_for(reach, 1e-15) for reach in (NEAR, MARGIN * NEAR, FAR)}
WAYS = {"one length": (fourier, True), "any length": (fourier, False), "nufft": (nufft, True)}


@partial(jax.jit, static_argnames=("way", "reach"))
def compiled(points, weights, queries, *, way, reach):
    module, is_uniform = WAYS[way]
    moments = module.moments(points, weights, MODES[reach])
    return module.evaluate(moments, queries, reach=reach, is_uniform=is_uniform)


def fast(*arrays, way, reach):
    return jax.tree.map(np.asarray, compiled(*arrays, way=way, reach=reach))


def literal(queries, points, weights):
    """log sum_j w_j e^{<u_i, y_j>} and the mean of y_j, as they are written, in extended precision."""
    u, y, w = (np.asarray(a, dtype=np.longdouble) for a in (queries, points, weights))
    logits = u[:, :1] * y[:, 0] + u[:, 1:] * y[:, 1]
    shift = logits.max(axis=1)
    kernel = w * np.exp(logits - shift[:, None])
    total = kernel.sum(axis=1)
    return np.log(total) + shift, np.stack([(kernel * y[:, a]).sum(axis=1) / total for a in (0, 1)], axis=1)


def on_circle(angles):
    return np.stack([np.cos(angles), np.sin(angles)], axis=1)


def configuration(kind):
    rng = np.random.default_rng(0)
    w = np.full(N, 0.1)
    if kind == "uniform":
        return on_circle(rng.uniform(0, 2 * np.pi, N)), w
    if kind == "clustered":
        return on_circle(0.3 + 1e-3 * rng.normal(size=N)), w
    if kind == "antipodal":
        return on_circle(1.1 + np.pi * rng.integers(2, size=N) + 1e-2 * rng.normal(size=N)), w
    if kind == "outlier":
        return on_circle(np.append(2.0 + np.pi, 2.0 + 1e-2 * rng.normal(size=N - 1))), w
    return on_circle(rng.uniform(0, 2 * np.pi, N)), 10.0 ** rng.uniform(-12, 0, N)


def queries_for(points, beta, *, is_uniform):
    """Half of them are tokens, half are anywhere."""
    rng = np.random.default_rng(1)
    directions = np.concatenate([points[: M // 2], on_circle(rng.uniform(0, 2 * np.pi, M - M // 2))])
    lengths = np.full(M, beta) if is_uniform else beta * rng.uniform(0, 1, M)
    if not is_uniform:
        lengths[:4] = 0.0, 1e-200, 1e-9, beta
    return directions * lengths[:, None]


def true_error(result, queries, points, weights):
    log_sum, mean = literal(queries, points, weights)
    errors = np.abs(np.asarray(result.log_sum) - log_sum), np.abs(np.asarray(result.mean) - mean).max(axis=1)
    return np.maximum(*errors).astype(float)


@pytest.mark.parametrize("kind", ["uniform", "clustered", "antipodal", "outlier", "weights over 12 orders"])
@pytest.mark.parametrize("way", WAYS)
def test_error_is_at_most_what_is_stated_and_not_much_less(way, kind):
    points, weights = configuration(kind)
    excess = []
    for beta, reach in ((0.1, NEAR), (1.0, NEAR), (9.0, NEAR), (50.0, FAR), (200.0, FAR)):
        u = queries_for(points, beta, is_uniform=WAYS[way][1])
        result = fast(points, weights, u, way=way, reach=reach)
        error = true_error(result, u, points, weights)
        assert np.all(error <= result.error)
        assert np.all(np.isfinite(result.log_sum)) and np.all(np.abs(result.mean) < 2.1)
        # the scaled sum of a query, relative to that of one on top of all tokens, is what is lost to rounding
        scaled = np.exp(literal(u, points, weights)[0] - np.linalg.norm(u, axis=1)) / weights.sum()
        assert np.all(np.isfinite(result.error[scaled > 1e-12]))
        good = scaled > 1e-9
        excess.append(result.error[good] / np.maximum(error[good], EPS))
    # the bound holds for the worst of many sums: typical ones are some 30 times better, those of a transform 300
    assert np.median(np.concatenate(excess)) < (1000 if way == "nufft" else 150)


@pytest.mark.parametrize("way", WAYS)
def test_stated_error_is_small_where_tokens_are_near(way):
    points, weights = configuration("uniform")
    u = queries_for(points, NEAR, is_uniform=WAYS[way][1])
    # 320 roundings of a transform or 11 of a sum, doubled, over a scaled sum of at least 0.1 (uniform, beta = 9)
    assert np.max(fast(points, weights, u, way=way, reach=NEAR).error) < (3e-12 if way == "nufft" else 1e-13)


@given(angle=st.floats(-10, 10), beta=st.floats(0, NEAR))
@settings(max_examples=20, deadline=None, derandomize=True)
def test_rotations_turn_the_mean_and_nothing_else(angle, beta):
    points, weights = configuration("antipodal")
    turn = np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])
    u = queries_for(points, beta, is_uniform=False)
    before = fast(points, weights, u, way="any length", reach=NEAR)
    after = fast(points @ turn.T, weights, u @ turn.T, way="any length", reach=NEAR)
    allowed = before.error + after.error + 4 * EPS * (1 + NEAR)  # what the turned numbers are rounded by
    assert np.all(np.abs(after.log_sum - before.log_sum) <= allowed)
    assert np.all(np.abs(after.mean - before.mean @ turn.T).max(axis=1) <= 2 * allowed)


def test_modes_are_enough_and_one_less_is_not():
    angles = np.linspace(0, np.pi, 200)

    def largest_rest(reach, modes):
        """max |e^{r cos a - r} - its modes up to K| over r <= reach, with the modes by quadrature and not by Bessel."""
        nodes = 2 * np.pi * np.arange(512) / 512
        rests = []
        for r in np.linspace(0, reach, 15):
            coefficients = np.fft.rfft(np.exp(r * np.cos(nodes) - r)).real / 512
            series = (
                coefficients[0] + 2 * np.cos(np.outer(angles, np.arange(1, modes + 1))) @ coefficients[1 : modes + 1]
            )
            rests.append(np.abs(np.exp(r * np.cos(angles) - r) - series).max())
        return max(rests)

    for reach in (0.1, 1.0, 9.0, 200.0):
        for tolerance in (1e-3, 1e-8, 1e-12):
            modes = fourier.modes_for(reach, tolerance)
            assert largest_rest(reach, modes) <= tolerance + 1e-14  # the rounding of the series itself
            assert modes == 1 or largest_rest(reach, modes - 1) > tolerance
    assert fourier.modes_for(0.0, 1e-15) == 1


def test_too_few_modes_are_stated():
    points, weights = configuration("clustered")
    u = queries_for(points, NEAR, is_uniform=False)
    reach = NEAR + 0.5
    MODES[reach] = fourier.modes_for(reach, 1e-4)
    result = fast(points, weights, u, way="any length", reach=reach)
    error = true_error(result, u, points, weights)
    assert np.max(error[np.isfinite(result.error)]) > 1e-7
    assert np.all(error <= result.error)


@pytest.fixture
def many_blocks(monkeypatch):
    """Angles and weights of more tokens than one block; none of the sizes divides another."""
    monkeypatch.setattr(fourier, "BLOCK", {"cpu": 1000})
    monkeypatch.setattr(fourier, "PART", {"cpu": 300})
    rng = np.random.default_rng(2)
    return rng.uniform(0, 2 * np.pi, 5001), rng.uniform(0, 1, 5001)


@pytest.mark.parametrize("module", [fourier, nufft])
def test_moments_of_many_blocks_are_literal_and_those_of_parts_add_up(module, many_blocks):
    angles, weights = many_blocks
    points, modes = on_circle(angles), 12
    moments = jax.jit(partial(module.moments, modes=modes))
    whole = moments(points, weights)
    expected = np.exp(1j * np.outer(np.arange(modes + 2), angles)) @ weights
    # relative to all weights, as the error of the sums is
    tolerance = weights.sum() * (20 * EPS if module is fourier else 500 * EPS)
    np.testing.assert_allclose(whole, expected, rtol=0, atol=tolerance)
    is_first = np.arange(angles.size) < 3000
    parts = moments(points, weights * is_first) + moments(points, weights * ~is_first)
    np.testing.assert_allclose(parts, whole, rtol=0, atol=tolerance)


def test_equal_terms_do_not_drift(many_blocks):
    n = many_blocks[0].size
    points, weights = np.tile([[1.0, 0.0]], (n, 1)), np.full(n, 0.1)
    exact = n * np.longdouble(weights[0])
    moments = np.asarray(jax.jit(partial(fourier.moments, modes=12))(points, weights))
    assert np.max(np.abs(moments - complex(exact))) < 8 * EPS * exact
    assert np.abs(np.cumsum(weights)[-1] - exact) > 100 * EPS * exact  # one by one


def test_queries_of_many_blocks(many_blocks):
    angles, _ = many_blocks
    points, weights = configuration("outlier")
    u = NEAR * on_circle(angles)
    result = fast(points, weights, u, way="any length", reach=NEAR)
    some = np.append(np.arange(0, angles.size, 119), angles.size - 1)
    error = true_error(jax.tree.map(lambda a: a[some], result), u[some], points, weights)
    assert np.all(error <= result.error[some])
    assert np.median(error) < 1e-11


def test_queries_of_length_zero_see_all_tokens_alike():
    points, weights = configuration("weights over 12 orders")
    for way in WAYS:
        result = fast(points, weights, np.zeros((M, 2)), way=way, reach=NEAR)
        tolerance = 1e-12 if way == "nufft" else 1e-14
        np.testing.assert_allclose(result.log_sum, np.log(weights.sum()), atol=tolerance)
        np.testing.assert_allclose(result.mean, np.tile(weights @ points / weights.sum(), (M, 1)), atol=tolerance)
        assert np.all(result.error < 1e-12)


def test_queries_out_of_reach_or_of_other_lengths_are_marked():
    points, weights = configuration("uniform")
    u = queries_for(points, NEAR, is_uniform=True)
    u[3] *= 1.5
    for way in WAYS:
        error = fast(points, weights, u, way=way, reach=NEAR).error
        assert np.flatnonzero(np.isinf(error)).tolist() == [3]
    u = 0.9 * queries_for(points, NEAR, is_uniform=True)
    u[3] *= 1.05
    for way in ("one length", "nufft"):
        result = fast(points, weights, u, way=way, reach=NEAR)
        error = true_error(result, u, points, weights)
        assert error[3] > 1e-3
        assert np.all(error <= result.error)


def test_no_weight_is_no_result_and_no_nan():
    points, weights = configuration("uniform")
    u = queries_for(points, NEAR, is_uniform=True)
    for way in WAYS:
        result = fast(points, 0 * weights, u, way=way, reach=NEAR)
        assert np.all(np.isinf(result.error)) and np.all(result.mean == 0)


def test_float32_comes_back_as_it_was_but_is_summed_in_float64():
    points, weights = configuration("uniform")
    u = queries_for(points, NEAR, is_uniform=True)
    narrow = [a.astype(np.float32) for a in (points, weights, u)]
    for way in ("any length", "nufft"):
        result = fast(*narrow, way=way, reach=MARGIN * NEAR)
        assert {a.dtype for a in result} == {jnp.dtype("float32")}
        wide = fast(points, weights, u, way=way, reach=NEAR)
        # points and queries are rounded to 6e-8, times |u|
        np.testing.assert_allclose(result.mean, wide.mean, atol=NEAR * 2e-7)
        assert np.all(result.error < 1e-5)


def test_heads_go_together():
    points, weights = configuration("uniform")
    u = np.stack([queries_for(points, beta, is_uniform=True) for beta in (2.0, NEAR)])
    for way in ("one length", "nufft"):
        together = jax.vmap(lambda u, way=way: compiled(points, weights, u, way=way, reach=NEAR))(u)
        for head in range(2):
            apart = fast(points, weights, u[head], way=way, reach=NEAR)
            for a, b in zip(together, apart, strict=True):
                np.testing.assert_allclose(a[head], b, rtol=1e-11, atol=1e-12)


def test_what_cannot_be_summed_is_refused():
    with pytest.raises(InvalidInput, match="between 0 and 1"):
        fourier.modes_for(9.0, 0.0)
    with pytest.raises(Unsupported, match="sum directly"):
        fourier.modes_for(1e7, 1e-10)
    with pytest.raises(Unsupported, match="one length"):
        nufft.evaluate(jnp.ones(5), jnp.ones((3, 2)), reach=9.0, is_uniform=False)


def test_nufft_is_for_the_cpu(monkeypatch):
    assert nufft.is_available()
    monkeypatch.setattr(jax, "default_backend", lambda: "gpu")
    assert not nufft.is_available()
    monkeypatch.undo()
    monkeypatch.setitem(sys.modules, "jax_finufft", None)
    assert not nufft.is_available()


@pytest.mark.slow
def test_ten_million_tokens_fit_in_4_gib():
    script = f"""
import jax, tokenfield
from tokenfield.benchmarks.measure import peak_mib
from tokenfield.sums import fourier
n, modes = 10**7, {MODES[NEAR]}
angles = jax.random.uniform(jax.random.key(0), n, maxval=6.28)
points = jax.numpy.stack([jax.numpy.cos(angles), jax.numpy.sin(angles)], axis=1)
weights = jax.numpy.full(n, 1 / n)
def sums(points, weights, queries):
    return fourier.evaluate(fourier.moments(points, weights, modes), queries, reach=9.0, is_uniform=True)
result = jax.jit(sums)(points, weights, 9 * points)
assert float(result.error.max()) < 1e-12, result.error.max()
print(peak_mib())
"""
    run = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert float(run.stdout) < 4 * 2**10
