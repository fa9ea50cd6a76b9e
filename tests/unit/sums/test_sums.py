"""The tiled sum equals the dense one, keeps O(n) memory, and both survive large logits; `choose` explains itself."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from tokenfield.sums import Band, attend, choose, dense, direct, largest, tiled, weigh

# (queries m, keys n, key dimension d, value dimension p); float64 tiles have up to 512 rows, blocks 2048 keys
SHAPES = {
    "one of each": (1, 1, 1, 1),
    "not a multiple of a tile": (519, 700, 3, 3),
    "exact tiles, wide values": (512, 512, 5, 12),
    "five key blocks, narrow": (300, 9001, 3, 3),
    "ten key blocks, wide": (40, 20000, 2, 12),
}
SUMS = {"dense": jax.jit(dense.attend), "tiled": jax.jit(tiled.attend)}
TOLERANCE = {jnp.float64: 1e-13, jnp.float32: 1e-5}  # a hundred roundings or so of each type


def problem(m, n, d, p, *, dtype=jnp.float64, beta=2.0):
    """Queries, keys, values and positive weights that sum to one."""
    rng = np.random.default_rng(0)
    q, k, v = (rng.normal(size=shape) for shape in ((m, d), (n, d), (n, p)))
    w = rng.uniform(0.1, 1.0, size=n)
    q, k = (a / np.linalg.norm(a, axis=1, keepdims=True) for a in (q, k))
    return tuple(jnp.asarray(a, dtype) for a in (beta * q, k, v, w / w.sum()))


def literal(q, k, v, w):
    """The sums as they are written, in extended precision, with the row maximum removed."""
    q, k, v, w = (np.asarray(a, dtype=np.longdouble) for a in (q, k, v, w))
    logits = np.einsum("id,jd->ij", q, k)
    shift = logits.max(axis=1)
    kernel = w * np.exp(logits - shift[:, None])
    total = kernel.sum(axis=1)
    return np.log(total) + shift, np.einsum("ij,jp->ip", kernel, v) / total[:, None]


def assert_same(actual, expected, tolerance):
    for a, b in zip(actual, expected, strict=True):
        b = np.asarray(b, dtype=float)
        np.testing.assert_allclose(a, b, rtol=tolerance, atol=tolerance * max(1.0, np.abs(b).max()))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("shape", "dtype"),
    [*((shape, jnp.float64) for shape in SHAPES.values()), ((300, 9001, 3, 3), jnp.float32)],
    ids=[*SHAPES, "float32"],
)
def test_tiled_equals_dense(shape, dtype):
    arguments = problem(*shape, dtype=dtype)
    out = SUMS["tiled"](*arguments)
    assert out.log_sum.dtype == out.mean.dtype == dtype
    assert out.log_sum.shape == shape[:1] and out.mean.shape == (shape[0], shape[3])
    assert_same(out, SUMS["dense"](*arguments), TOLERANCE[dtype])


@pytest.mark.slow
@pytest.mark.parametrize("sum_of", SUMS.values(), ids=SUMS)
@pytest.mark.parametrize("beta", [0.0, 2.0, 1e4])
def test_sums_equal_the_literal_sum(sum_of, beta):
    arguments = problem(300, 9001, 3, 3, beta=beta)
    # at beta = 1e4 the logits are rounded at 1e-12, and so are the weights
    assert_same(sum_of(*arguments), literal(*arguments), 1e-12 + 1e-15 * beta)


@pytest.mark.slow
@pytest.mark.parametrize("sum_of", SUMS.values(), ids=SUMS)
@pytest.mark.parametrize("dtype", [jnp.float64, jnp.float32], ids=["float64", "float32"])
@pytest.mark.parametrize("beta", [10.0, 1e4])
def test_tiny_weights(sum_of, dtype, beta):
    """Weights over 30 orders of magnitude: neither lost nor dominant by mistake."""
    q, k, v, w = problem(300, 9001, 3, 3, dtype=dtype, beta=beta)
    w = w * jnp.asarray(np.geomspace(1e-30, 1, 9001), dtype)
    w = w / jnp.sum(w)
    # weights and logits are data for both sides; the logits' rounding is beta times that of the type
    assert_same(sum_of(q, k, v, w), literal(q, k, v, w), float(jnp.finfo(dtype).eps) * (100 + 10 * beta))


@pytest.mark.parametrize("dtype", [jnp.float64, jnp.float32], ids=["float64", "float32"])
def test_no_underflow_where_every_logit_is_at_its_bound(dtype):
    """All keys opposite to all queries: kernels are as small as the shift by the bound allows, times 1/n."""
    n = 20_000
    keys = jnp.tile(jnp.asarray([[1.0, 0.0]], dtype), (n, 1))
    values = jnp.ones((n, 12), dtype)
    weights = jnp.full(n, 1 / n, dtype)
    # n terms of one sign, added one by one in blocks (as YNNPACK, by which newer XLA multiplies matrices, adds
    # them) and blocks one by one, are off by half an eps each at most, and so are those that they are divided by
    blocks = -(-n // tiled.KEY_BLOCK)
    rounding = (n / blocks + blocks) * float(jnp.finfo(dtype).eps)
    # the bound gives way to the running maximum at some beta below 44 in float32 and below 354 in float64
    for beta in (*range(20, 50), *range(240, 360, 8)):
        out = SUMS["tiled"](jnp.asarray(-float(beta), dtype) * keys[:40], keys, values, weights)
        np.testing.assert_allclose(out.log_sum, -beta, rtol=rounding)
        np.testing.assert_allclose(out.mean, 1.0, rtol=rounding)


@pytest.mark.parametrize("beta", [1e4, -1e4])
def test_large_logits_are_finite_in_float32(beta):
    out = SUMS["tiled"](*problem(300, 9001, 3, 3, dtype=jnp.float32, beta=beta))
    assert bool(jnp.all(jnp.isfinite(out.log_sum)) & jnp.all(jnp.isfinite(out.mean)))


@pytest.mark.slow
@pytest.mark.parametrize("beta", [2.0, 1e3], ids=["bounded", "running maximum"])
def test_gradients_equal_dense_gradients(beta):
    shape = (40, 9001, 2, 12)
    arguments = problem(*shape, beta=beta)
    arguments = (arguments[0].at[0].set(0.0), *arguments[1:])  # a zero query, where a norm has no derivative
    weight = np.random.default_rng(1).normal(size=(shape[0], shape[3]))

    def loss(sum_of, *args):
        log_sum, mean = sum_of(*args)
        return jnp.sum(log_sum**2) + jnp.sum(weight * mean)

    gradient = jax.jit(jax.grad(loss, argnums=(1, 2, 3, 4)), static_argnums=0)
    ours, reference = (gradient(sum_of, *arguments) for sum_of in (tiled.attend, dense.attend))
    for a, b in zip(ours, reference, strict=True):
        # sums of up to 9001 terms; logits rounded at beta * 1e-16
        np.testing.assert_allclose(a, b, rtol=0, atol=(1e-12 + 1e-15 * beta) * float(jnp.abs(b).max()))


def temporary_bytes(n: int, function=tiled.attend) -> int:
    shapes = [jax.ShapeDtypeStruct(s, jnp.float32) for s in ((n, 3), (n, 3), (n, 3), (n,))]
    return jax.jit(function).lower(*shapes).compile().memory_analysis().temp_size_in_bytes


@pytest.mark.slow
def test_tiled_memory_is_linear():
    small, large = temporary_bytes(32768), temporary_bytes(65536)
    # a tile of 1024 x 2048 floats is 8 MiB, twice for logits and kernel; the n x n matrix would be 16 GiB
    assert large < 2**25
    assert large - small < 200 * 32768  # no more than some 50 floats per additional token
    assert temporary_bytes(65536, dense.attend) >= 65536**2 * 4  # the control: dense does form the matrix


def test_tiled_gradient_memory_is_linear():
    def gradient(*args):
        return jax.grad(lambda *a: jnp.sum(tiled.attend(*a).mean ** 2), argnums=0)(*args)

    # without the checkpoint this would keep every tile's kernel: 16 GiB
    assert temporary_bytes(65536, gradient) < 2**27


def test_choice_explains_itself():
    assert choose(10, 10).name == "dense" and choose(5000, 5000).name == "tiled"
    for m in (10, 5000):
        assert f"{m} x {m} pairs" in choose(m, m).reason


@pytest.mark.slow
def test_attend_follows_the_choice():
    """Above 2^20 pairs the public function gives the tiled sum, below the dense one, to the last bit."""
    large, small = problem(300, 9001, 3, 3), problem(20, 30, 3, 3)
    compiled = jax.jit(attend)
    for arguments, name in ((large, "tiled"), (small, "dense")):
        assert np.array_equal(compiled(*arguments).mean, SUMS[name](*arguments).mean)
    assert not np.array_equal(SUMS["tiled"](*large).mean, SUMS["dense"](*large).mean)


# What queries see by position: Band(...) without the positions, and the positions of m queries and n keys
M, N, TILE = 23, 31, 8
POSITIONS = {
    "in order": (np.arange(M) + 9.0, np.arange(N) * 1.0),  # corners of tiles lie on the edges of the bands
    "in any order, repeated": (
        np.random.default_rng(2).integers(0, 12, M) * 1.0,
        np.random.default_rng(3).integers(0, 12, N) * 1.0,
    ),
    "nothing to see for many": (np.linspace(-20.0, 12.0, M), np.arange(N) * 1.0),
}
BANDS = {
    "causal": {"nearest": 0.0},
    "strictly causal": {"nearest": 1e-9},
    "the future only": {"farthest": -1.0},
    "window": {"nearest": 0.0, "farthest": 10.0},
    "two-sided window": {"nearest": -2.0, "farthest": 3.5},
    "slope": {"slope": 0.3},
    "causal slope": {"nearest": 0.0, "slope": 0.3},
}
# kernels of `weigh`: a smooth one, one that jumps, and one of either sign
KERNELS = {"sigmoid": jax.nn.sigmoid, "indicator": lambda s: s > 0.25, "identity": lambda s: s}
LITERAL_KERNELS = {
    "sigmoid": lambda s: (1 + np.tanh(s / 2)) / 2,
    "indicator": lambda s: float(s > 0.25),
    "identity": float,
}


def band_of(kind, where, dtype=jnp.float64):
    p, r = POSITIONS[where]
    numbers = {name: jnp.asarray(value, dtype) for name, value in BANDS[kind].items()}
    return Band(jnp.asarray(p, dtype), jnp.asarray(r, dtype), **numbers)


def everything(way, q, k, v, w, shift, band):
    """All the sums there are, in one compiled function."""
    return {
        "attend": tuple(way.attend(q, k, v, w, band)),
        "largest": way.largest(q, k, band),
        **{name: tuple(way.weigh(q, k, v, w, kernel, shift=shift, band=band)) for name, kernel in KERNELS.items()},
    }


def literal_everything(q, k, v, w, shift, band):
    """The same, pair by pair as the equations are written, in extended precision."""
    q, k, v, w, shift = (np.asarray(a, np.longdouble) for a in (q, k, v, w, shift))
    p, r, nearest, farthest, slope = (None if a is None else np.asarray(a, np.longdouble) for a in band[:5])
    m, columns = q.shape[0], v.shape[1]
    log_sum, mean, top = np.full(m, -np.inf, q.dtype), np.zeros((m, columns), q.dtype), np.full(m, -np.inf, q.dtype)
    totals = {name: np.zeros(m, q.dtype) for name in KERNELS}
    sums = {name: np.zeros((m, columns), q.dtype) for name in KERNELS}
    for i in range(m):
        terms = []
        for j in range(k.shape[0]):
            difference = p[i] - r[j]
            if (nearest is not None and difference < nearest) or (farthest is not None and difference > farthest):
                continue
            dot, decay = sum(q[i] * k[j]), 0 if slope is None else slope * abs(difference)
            top[i] = max(top[i], dot)
            for name, kernel in LITERAL_KERNELS.items():
                term = w[j] * np.exp(-decay) * kernel(dot - shift[i])
                totals[name][i] += term
                sums[name][i] += term * v[j]
            if w[j] > 0:
                terms.append((dot - decay, w[j], v[j]))
        if terms:
            highest = max(logit for logit, _, _ in terms)
            total = sum(weight * np.exp(logit - highest) for logit, weight, _ in terms)
            log_sum[i] = highest + np.log(total)
            mean[i] = sum(weight * np.exp(logit - highest) * value for logit, weight, value in terms) / total
    return {"attend": (log_sum, mean), "largest": top, **{name: (totals[name], sums[name]) for name in KERNELS}}


# compiled for small tiles only, and always by way of the fixture
WAYS = {"dense": dense, "tiled": tiled}
COMPILED = {name: jax.jit(lambda *a, way=way: everything(way, *a)) for name, way in WAYS.items()}


@pytest.fixture
def small_tiles(monkeypatch):
    """Tiles of at most 8 x 8: several row tiles and key blocks, none of them full, at sizes that a loop can check."""
    for name in ("BAND_TILE", "KEY_BLOCK"):
        monkeypatch.setattr(tiled, name, TILE)
    monkeypatch.setattr(tiled, "ROW_BYTES", 8 * TILE)
    return COMPILED


def assert_all_close(actual, expected, tolerance):
    for a, b in zip(jax.tree.leaves(actual), jax.tree.leaves(expected), strict=True):
        np.testing.assert_allclose(a, np.asarray(b, float), rtol=tolerance, atol=tolerance)


@pytest.mark.parametrize("way", ["dense", "tiled"])
@pytest.mark.parametrize("kind", BANDS)
def test_bands_equal_the_literal_sums(small_tiles, way, kind):
    q, k, v, w = problem(M, N, 3, 3)
    shift = jnp.linspace(-1.0, 1.0, M)
    for where in POSITIONS:
        band = band_of(kind, where)
        out = small_tiles[way](q, k, v, w, shift, band)
        assert_all_close(out, literal_everything(q, k, v, w, shift, band), 1e-13)  # some hundred roundings


def test_a_causal_mask_skips_tiles_that_one_matrix_would_compute():
    n = 640
    assert direct.algorithm(n, n) == "dense" and direct.algorithm(n, n, skips=True) == "tiled"
    q, k, v, w = problem(n, n, 3, 3)
    band = Band(jnp.arange(n * 1.0), jnp.arange(n * 1.0), nearest=jnp.zeros(()))
    assert_all_close(direct.attend(q, k, v, w, band), dense.attend(q, k, v, w, band), 1e-13)  # some hundred roundings


@pytest.mark.parametrize("way", ["dense", "tiled"])
def test_no_band_equals_the_literal_sums(small_tiles, way):
    arguments = (*problem(M, N, 3, 3), jnp.linspace(-1.0, 1.0, M))
    expected = literal_everything(*arguments, Band(np.zeros(M), np.zeros(N)))
    assert_all_close(small_tiles[way](*arguments, None), expected, 1e-13)


@pytest.mark.slow
@pytest.mark.parametrize("way", ["dense", "tiled"])
@pytest.mark.parametrize("dtype", [jnp.float64, jnp.float32], ids=["float64", "float32"])
def test_large_logits_and_steep_slopes(small_tiles, way, dtype):
    """Logits of 1e5, weights from 1e-9 to 1, and a slope that takes every logit far below the Cauchy-Schwarz bound."""
    q, k, v, w = problem(M, N, 3, 3, dtype=dtype)
    w = w.at[::5].set(1e-9)
    shift = jnp.zeros(M, dtype)
    for beta, slope in ((1e5, 0.25), (1.0, 2.0**10)):
        band = band_of("causal slope", "nothing to see for many", dtype)._replace(slope=jnp.asarray(slope, dtype))
        out = small_tiles[way](beta * q, k, v, w, shift, band)
        expected = literal_everything(beta * q, k, v, w, shift, band)
        assert {a.dtype for a in jax.tree.leaves(out)} == {jnp.dtype(dtype)}
        scale = float(jnp.finfo(dtype).eps) * max(beta, 30 * slope)  # the rounding of the logits, which the mean sees
        assert np.isfinite(expected["attend"][0]).any() and np.isneginf(expected["attend"][0]).any()
        assert_all_close(out["attend"], expected["attend"], 10 * scale)
        assert_all_close(out["largest"], expected["largest"], 10 * scale)


def test_hidden_blocks_are_skipped(small_tiles):
    """4 x 4 tiles of a causal square: the kernel is evaluated on the lower triangle of tiles only."""
    q, k, v, w = problem(32, 32, 3, 3)
    positions = jnp.arange(32.0)
    visits = []

    def kernel(logits):
        jax.debug.callback(lambda: visits.append(logits.shape))
        return logits

    for band, count in ((Band(positions, positions, nearest=0.0), 10), (None, 16)):
        visits.clear()
        jax.block_until_ready(jax.jit(lambda band: tiled.weigh(q, k, v, w, kernel, band=band))(band))
        jax.effects_barrier()
        assert visits == [(8, 8)] * count


@pytest.mark.slow
@pytest.mark.parametrize("columns", [0, 6])
def test_few_and_many_columns(small_tiles, columns):
    q, k, v, w = problem(M, N, 3, columns)
    band, shift = band_of("causal", "nothing to see for many"), jnp.zeros(M)
    expected = literal_everything(q, k, v, w, shift, band)
    for way in small_tiles.values():
        assert_all_close(way(q, k, v, w, shift, band), expected, 1e-13)


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["causal slope", "window"])
def test_band_gradients(small_tiles, kind):
    """Dense and tiled gradients agree, are finite though rows are empty, and give the slope of the literal sums."""
    q, k, v, w = problem(M, N, 3, 3)
    shift, band = jnp.zeros(M), band_of(kind, "nothing to see for many")
    direction = np.random.default_rng(4).normal(size=q.shape)

    def loss(xp, out):
        # an empty row has log_sum = -inf: a user's loss has to mask it, and no NaN may come back through the mask
        kept = (out["attend"], out["largest"], out["sigmoid"])
        return sum(xp.cos(xp.where(xp.isfinite(a), a, 0)).sum() for a in jax.tree.leaves(kept))

    def moved(q, slope):
        return q, band if band.slope is None else band._replace(slope=slope)

    def gradient(way):
        def of(q, k, v, w, slope):
            q, band = moved(q, slope)
            return loss(jnp, everything(way, q, k, v, w, shift, band))

        return jax.jit(jax.grad(of, argnums=range(5)))(q, k, v, w, jnp.asarray(0.3))

    reference, ours = gradient(dense), gradient(tiled)
    assert all(np.all(np.isfinite(a)) for a in (*reference, *ours))
    assert_all_close(ours, reference, 1e-12)  # sums of 31 terms, amplified by the masses in sums

    def literal_loss(step):
        q_moved, band_moved = moved(q + step * direction, 0.3 + step)
        return loss(np, literal_everything(q_moved, k, v, w, shift, band_moved))

    step = 1e-5  # a central difference in extended precision, right to the square of this
    expected = (literal_loss(step) - literal_loss(-step)) / (2 * step)
    np.testing.assert_allclose(jnp.sum(reference[0] * direction) + reference[4], float(expected), rtol=1e-8)


@pytest.mark.slow
def test_band_under_vmap(small_tiles):
    """Measures and positions in a batch: what is skipped then differs from one to the next."""
    q, k, v, w = problem(M, N, 3, 3)
    shift, bands = jnp.zeros(M), [band_of("causal", where) for where in POSITIONS]
    batch = jax.tree.map(lambda *a: jnp.stack(a), *bands)
    out = jax.vmap(small_tiles["tiled"], in_axes=(None, None, None, None, None, 0))(q, k, v, w, shift, batch)
    expected = [small_tiles["dense"](q, k, v, w, shift, band) for band in bands]
    assert_all_close(out, jax.tree.map(lambda *a: jnp.stack(a), *expected), 1e-13)


def causal_loss(q, k, v, w):
    positions = jnp.arange(q.shape[0], dtype=q.dtype)
    band = Band(positions, positions, nearest=jnp.zeros((), q.dtype))
    weighed = tiled.weigh(q, k, v, w, jax.nn.sigmoid, band=band)
    return (
        jnp.sum(tiled.attend(q, k, v, w, band).mean ** 2) + jnp.sum(weighed.sums) + jnp.sum(tiled.largest(q, k, band))
    )


@pytest.mark.slow
def test_band_memory_is_linear():
    # tiles of 1024 x 1024 floats are 4 MiB each; the n x n matrix would be 16 GiB, a mask of bytes 4 GiB
    assert temporary_bytes(65536, causal_loss) < 2**26
    assert temporary_bytes(65536, jax.grad(causal_loss)) < 2**27


def test_the_other_sums_follow_the_choice():
    q, k, v, w = problem(20, 30, 3, 3)
    assert np.array_equal(largest(q, k), dense.largest(q, k))
    for a, b in zip(weigh(q, k, v, w, jnp.tanh), dense.weigh(q, k, v, w, jnp.tanh), strict=True):
        assert np.array_equal(a, b)
