"""The tiled sum equals the dense one, keeps O(n) memory, and both survive large logits; `choose` explains itself."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from tokenfield.sums import attend, choose, dense, tiled

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


@pytest.mark.parametrize("sum_of", SUMS.values(), ids=SUMS)
@pytest.mark.parametrize("beta", [0.0, 2.0, 1e4])
def test_sums_equal_the_literal_sum(sum_of, beta):
    arguments = problem(300, 9001, 3, 3, beta=beta)
    # at beta = 1e4 the logits are rounded at 1e-12, and so are the weights
    assert_same(sum_of(*arguments), literal(*arguments), 1e-12 + 1e-15 * beta)


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
    # the bound gives way to the running maximum at some beta below 44 in float32 and below 354 in float64
    for beta in (*range(20, 50), *range(240, 360, 8)):
        out = SUMS["tiled"](jnp.asarray(-float(beta), dtype) * keys[:40], keys, values, weights)
        np.testing.assert_allclose(out.log_sum, -beta, rtol=1e-5)
        np.testing.assert_allclose(out.mean, 1.0, rtol=1e-5)


@pytest.mark.parametrize("beta", [1e4, -1e4])
def test_large_logits_are_finite_in_float32(beta):
    out = SUMS["tiled"](*problem(300, 9001, 3, 3, dtype=jnp.float32, beta=beta))
    assert bool(jnp.all(jnp.isfinite(out.log_sum)) & jnp.all(jnp.isfinite(out.mean)))


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
    assert choose(10, 10).name == "dense" and choose(10, 10).attend is dense.attend
    assert choose(5000, 5000).name == "tiled" and choose(5000, 5000).attend is tiled.attend
    for m in (10, 5000):
        assert f"{m} x {m} pairs" in choose(m, m).reason


def test_attend_follows_the_choice():
    """Above 2^20 pairs the public function gives the tiled sum, below the dense one, to the last bit."""
    large, small = problem(300, 9001, 3, 3), problem(20, 30, 3, 3)
    compiled = jax.jit(attend)
    for arguments, name in ((large, "tiled"), (small, "dense")):
        assert np.array_equal(compiled(*arguments).mean, SUMS[name](*arguments).mean)
    assert not np.array_equal(SUMS["tiled"](*large).mean, SUMS["dense"](*large).mean)
