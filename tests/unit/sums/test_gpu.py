"""The GPU kernels, run by Pallas' interpreter: the same code as on a GPU but for the instructions of its hardware."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from functools import partial
from typing import get_args

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from tokenfield import sums
from tokenfield.sums import Band, dense, gpu, rounding
from tokenfield.sums.gpu import kernels, narrow, packed, shares, wide

M, N = 70, 333  # no multiple of a tile
SMALL = narrow.Cut(per_thread=2, warps=1, unroll=2, repeat=16)  # as on a GPU but with less to compile


@pytest.fixture(autouse=True, scope="module")
def small_cuts() -> Iterator[None]:
    patch = pytest.MonkeyPatch()
    patch.setattr(narrow, "CUTS", dict.fromkeys((4, 8), (SMALL, SMALL)))
    yield
    patch.undo()


@jax.jit
def attend(*arrays: jax.Array) -> dense.Attended:
    """The kernels, interpreted: one compilation for all tests of one shape and precision."""
    return gpu.attend(*arrays, interpret=True)


def inputs(d: int, p: int, dtype: type, *, size: float = 3.0, seed: int = 0, n: int = N) -> tuple[jax.Array, ...]:
    """Queries, keys, values and weights over twelve orders of magnitude; logits are up to about `size`."""
    rng = np.random.default_rng(seed)
    keys = rng.normal(size=(n, d))
    keys /= np.linalg.norm(keys, axis=1, keepdims=True)
    queries = rng.normal(size=(M, d))
    queries *= size / np.linalg.norm(queries, axis=1, keepdims=True)
    weights = 10.0 ** rng.uniform(-12, 0, size=n)
    return tuple(jnp.asarray(a, dtype) for a in (queries, keys, rng.normal(size=(n, p)), weights))


def literal(queries: object, keys: object, values: object, weights: object) -> tuple[np.ndarray, np.ndarray]:
    """log sum_j w_j e^{l_ij} and the mean of the values, in float64 and in the log domain."""
    q, k, v, w = (np.asarray(a, np.float64) for a in (queries, keys, values, weights))
    with np.errstate(divide="ignore"):
        logits = q @ k.T + np.log(w)
    largest = logits.max(axis=1, keepdims=True)
    e = np.exp(logits - largest)
    return largest[:, 0] + np.log(e.sum(axis=1)), e @ v / e.sum(axis=1, keepdims=True)


def errors(got: dense.Attended, want: tuple[np.ndarray, np.ndarray]) -> float:
    return max(float(np.max(np.abs(np.asarray(g, np.float64) - w))) for g, w in zip(got, want, strict=True))


# a float32 logit l is off by some units of |l| 2^-24, and so are the sums, relatively: 8 of them, and the sums' own
def tolerance(dtype: type, size: float) -> float:
    return (8 * size + 32) * float(jnp.finfo(dtype).eps) / 2


@pytest.mark.parametrize("size", [3.0, 200.0, 1e4])
@pytest.mark.parametrize(("d", "p", "dtype"), [(2, 2, jnp.float32), (3, 3, jnp.float64), (2, 3, jnp.float32)])
def test_narrow_sums_equal_the_reference(d: int, p: int, dtype: type, size: float) -> None:
    arrays = inputs(d, p, dtype, size=size)
    assert errors(attend(*arrays), literal(*arrays)) < tolerance(dtype, size)


@pytest.mark.parametrize("size", [3.0, 200.0, 1e4])
@pytest.mark.parametrize(("d", "p"), [(16, 16), (3, 5), (64, 20)])
def test_sums_on_tensor_cores_equal_the_reference(d: int, p: int, size: float) -> None:
    arrays = inputs(d, p, jnp.float32, size=size)
    assert errors(attend(*arrays), literal(*arrays)) < tolerance(jnp.float32, size)


def test_no_product_of_parts_is_missing() -> None:
    # numbers whose second and third parts are large, all alike, so that what a product adds is not lost among signs
    x = jnp.linspace(1, 1.2, 1000, dtype=jnp.float32)
    _, second, third = (jnp.abs(part.astype(jnp.float32)) for part in shares.thirds(x))
    x = x[jnp.argmax(jnp.minimum(2**9 * second, 2**17 * third))]
    _, _, values, weights = inputs(16, 16, jnp.float32)
    queries, keys = (jnp.full((count, 16), x, jnp.float32) for count in (M, N))
    arrays = (8 * queries, keys, values, weights)  # logits near 16 times 8: any of the six products is 2^-18 of that
    assert errors(attend(*arrays), literal(*arrays)) < tolerance(jnp.float32, 128.0) < 128 * 2**-19


def test_numbers_of_all_sizes_keep_their_bits_in_parts() -> None:
    # the parts of a number are its bits, so that one term is as exact as float32 however large or small it is
    rng = np.random.default_rng(3)
    x = jnp.asarray(rng.normal(size=1000) * 10.0 ** rng.uniform(-25, 25, size=1000), jnp.float32)
    for parts, number in ((shares.thirds(x), x), (packed.cut_off(jnp.abs(x)), jnp.abs(x))):
        assert [part.dtype for part in parts] == [jnp.bfloat16] * 3
        np.testing.assert_array_equal(sum(part.astype(jnp.float64) for part in parts), number)


@pytest.mark.parametrize("size", [3.0, 80.0])
def test_bf16_is_as_exact_as_its_numbers_and_no_more(size: float) -> None:
    arrays = inputs(16, 16, jnp.float32, size=size)
    # 8 bits: a logit is off by up to 2^-8 of the |q| |k| that bounds it, typically by much less; values by 2^-9
    with sums.precision("bf16"):
        error = errors(attend(*arrays), literal(*arrays))
    assert 1e-4 < error < (size + 4) * 2**-8


def test_float32_is_the_default_and_never_less() -> None:
    arrays = inputs(16, 16, jnp.float32)
    found = attend(*arrays)
    assert errors(found, literal(*arrays)) < tolerance(jnp.float32, 3.0) < 1e-4
    for setting in ("highest", "default"):  # "default" names no format: a GPU would take tf32, our kernels do not
        with jax.default_matmul_precision(setting):
            np.testing.assert_array_equal(attend(*arrays).mean, found.mean)


def test_no_values_leave_the_log_sum() -> None:
    queries, keys, values, weights = inputs(2, 2, jnp.float32)
    got = attend(queries, keys, values[:, :0], weights)
    assert got.mean.shape == (M, 0)
    np.testing.assert_allclose(
        got.log_sum, literal(queries, keys, values, weights)[0], atol=tolerance(jnp.float32, 3.0)
    )


@pytest.mark.slow  # three compilations of its own
def test_several_shares_of_the_keys_are_joined(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shares, "SHORTEST", 100)
    for programs, d in ((narrow.PROGRAMS, 2), (packed.PROGRAMS, 5), (wide.PROGRAMS["float32"], 24)):
        assert shares.shares(N, 1, programs, 64)[0] > 1
        shared = jax.jit(partial(gpu.attend, interpret=True))  # compiled anew, for these shares
        for size in (3.0, 1e4):
            arrays = inputs(d, d, jnp.float32, size=size, seed=1)
            assert errors(shared(*arrays), literal(*arrays)) < tolerance(jnp.float32, size)


@pytest.mark.parametrize("d", [2, 5, 21])
def test_alike_keys_do_not_gather_rounding(d: int, monkeypatch: pytest.MonkeyPatch) -> None:
    # sums of 32 terms, 1000 of them: plainly added they are off by up to 3e-5 here, and terms added one by one by more
    monkeypatch.setattr(shares, "SHORTEST", 2**20)  # one share
    monkeypatch.setattr(shares, "LONGEST", 32)
    key, n = jnp.asarray([[0.6, 0.8] + [0.0] * (d - 2)], jnp.float32), 2**15
    queries = jnp.linspace(0.1, 3, 64, dtype=jnp.float32)[:, None] * key
    keys = jnp.repeat(key, n, axis=0)
    arrays = (queries, keys, 1 + keys, jnp.full(n, 0.3, jnp.float32))
    assert errors(attend(*arrays), literal(*arrays)) < 5e-6


@pytest.mark.parametrize(("d", "p"), [(2, 2), (16, 16), (64, 20)])
def test_padding_is_not_seen_even_by_queries_far_from_all_keys(d: int, p: int) -> None:
    _, keys, values, weights = inputs(d, p, jnp.float32)
    keys = jnp.zeros_like(keys).at[:, 0].set(1) + keys / 10
    queries = jnp.zeros((M, d), jnp.float32).at[:, 0].set(-150)  # logits near -150, those of padding are 0
    arrays = (queries, keys, values, weights)
    assert errors(attend(*arrays), literal(*arrays)) < tolerance(jnp.float32, 200.0)


@pytest.mark.parametrize("d", [2, 16])
def test_weights_of_zero_weigh_nothing_and_all_zero_sees_nothing(d: int) -> None:
    queries, keys, values, weights = inputs(d, d, jnp.float32, size=1e4)
    weights = weights.at[::2].set(0)
    kept = (queries, keys[1::2], values[1::2], weights[1::2])
    got = attend(queries, keys, values, weights)
    assert errors(got, literal(*kept)) < tolerance(jnp.float32, 1e4)
    nothing = attend(queries, keys, values, 0 * weights)
    assert bool(jnp.all(nothing.log_sum == -jnp.inf)) and bool(jnp.all(nothing.mean == 0))


@pytest.mark.parametrize(("d", "p"), [(3, 3), (16, 16)])
def test_kernels_do_without_float64(d: int, p: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shares, "SHORTEST", 100)  # several shares, which are joined in float64 where there is any
    arrays = inputs(d, p, jnp.float32)
    with jax.enable_x64(False), warnings.catch_warnings(action="error"):
        got = jax.jit(partial(gpu.attend, interpret=True))(*arrays)
    assert got.mean.dtype == jnp.float32
    assert errors(got, literal(*arrays)) < tolerance(jnp.float32, 3.0)


@pytest.mark.slow  # it compiles the derivatives of the tiles
def test_derivatives_are_those_of_the_reference() -> None:
    arrays, tangents = inputs(3, 3, jnp.float64), inputs(3, 3, jnp.float64, seed=5)

    def number(attend: Callable[..., dense.Attended], arrays: tuple[jax.Array, ...]) -> jax.Array:
        out = attend(*arrays)
        return jnp.sum(out.mean**2) + jnp.sum(out.log_sum)

    gradients = [jax.jit(jax.grad(partial(number, by)))(arrays) for by in (attend, dense.attend)]
    for got, exact in zip(*gradients, strict=True):
        # sums in another order: 1e-12 of the largest entry is thousands of roundings
        np.testing.assert_allclose(got, exact, atol=1e-12 * float(jnp.max(jnp.abs(exact))), rtol=1e-10)
    slope = jax.jit(lambda a, t: jax.jvp(partial(number, attend), (a,), (t,))[1])(arrays, tangents)
    want = sum(float(jnp.sum(g * t)) for g, t in zip(gradients[1], tangents, strict=True))
    assert float(slope) == pytest.approx(want, rel=1e-10)


def test_what_the_kernels_do_not_cover_is_left_to_tiles() -> None:
    # a band, float64 above 8 dimensions, more than 128 dimensions: no interpreter is needed
    queries, keys, values, weights = inputs(2, 2, jnp.float64)
    band = Band(jnp.arange(M), jnp.arange(N), nearest=jnp.asarray(0))
    got, want = jax.jit(lambda *a: (gpu.attend(*a, band), dense.attend(*a, band)))(queries, keys, values, weights)
    np.testing.assert_allclose(got.mean, want.mean, atol=1e-13)
    wide = inputs(16, 3, jnp.float64)
    assert errors(gpu.attend(*wide), literal(*wide)) < tolerance(jnp.float64, 3.0)


@pytest.mark.parametrize(
    ("d", "dtype"), [(3, jnp.float32), (3, jnp.float64), (8, jnp.float32), (64, jnp.float32), (128, jnp.float32)]
)
def test_kernels_translate_for_a_gpu(d: int, dtype: type) -> None:
    # to the language of Triton: what comes after needs the GPU
    shapes = [jax.ShapeDtypeStruct(s, dtype) for s in ((1000, d), (5000, d), (5000, d), (5000,))]
    device = jax.sharding.AbstractDevice(device_kind="NVIDIA H200", num_cores=1, platform="gpu")
    mesh = jax.sharding.AbstractMesh((), (), abstract_device=device)
    for precision in get_args(rounding.Precision) if d > kernels.NARROW else ("float32",):
        with sums.precision(precision), jax.sharding.use_abstract_mesh(mesh):
            lowered = jax.jit(lambda *a: gpu.attend(*a)).trace(*shapes).lower(lowering_platforms=("cuda",))
        assert "triton" in lowered.as_text()


def test_a_thread_holds_what_fits_its_registers() -> None:
    for columns in range(2, 2 * kernels.NARROW + 2):
        for size, cuts in ((4, narrow.Cut(16, 2, 8, 16)), (8, narrow.Cut(4, 4, 2, 64))):
            cut = cuts.fitted(columns, size)
            assert max(cut.per_thread, cut.unroll) * columns * size <= 4 * narrow.REGISTERS
            assert cut.unroll * cut.repeat == cuts.unroll * cuts.repeat  # sums stay as short


CASES = [
    (2, 2, "float32"),
    (8, 8, "float32"),
    (20, 3, "float32"),
    (100, 20, "float32"),
    (64, 64, "tf32"),
    (64, 64, "bf16"),
]
COARSER = {"float32": 1, "tf32": 2**13, "bf16": 2**16}  # than float32 with its 24 bits


@pytest.mark.slow
@pytest.mark.skipif(not gpu.is_available(), reason="needs a CUDA GPU")
@pytest.mark.parametrize(("d", "p", "precision"), CASES)
def test_the_gpu_itself_equals_the_reference(d: int, p: int, precision: rounding.Precision) -> None:
    for size in (3.0, 1e3):
        arrays = inputs(d, p, jnp.float32, size=size)
        with sums.precision(precision):
            found = jax.jit(gpu.attend)(*arrays)
        coarser = COARSER[precision]
        assert errors(found, literal(*arrays)) < coarser * tolerance(jnp.float32, size)
