"""`sums.precision`: what users reach the reduced precisions of the GPU kernels by, with the kernels interpreted."""

from __future__ import annotations

from functools import partial

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import tokenfield as tkf
from tokenfield import sums
from tokenfield.errors import InvalidInput
from tokenfield.sums import direct, gpu

N, D = 41, 16  # of no other tests: what is compiled here, for a GPU that is not there, must not be met elsewhere


@pytest.fixture
def as_on_a_gpu(monkeypatch: pytest.MonkeyPatch) -> None:
    """Sums take the kernels, as on a GPU, and run them by the interpreter."""
    monkeypatch.setattr(gpu, "is_available", lambda: True)
    monkeypatch.setattr(gpu, "attend", partial(gpu.attend, interpret=True))
    monkeypatch.setattr(direct, "DENSE_PAIRS", 1)


def tokens(n: int = N) -> np.ndarray:
    x = np.random.default_rng(0).normal(size=(n, D))
    return (x / np.linalg.norm(x, axis=1, keepdims=True)).astype(np.float32)


@pytest.mark.slow
def test_a_context_is_what_compiled_sums_are_compiled_for(as_on_a_gpu: None) -> None:
    x, w = jnp.asarray(tokens()), jnp.full(N, 1 / N, jnp.float32)
    attend = jax.jit(lambda x: sums.attend(3 * x, x, x, w).mean)
    exact = attend(x)
    with sums.precision("bf16"):
        rough = attend(x)
        with sums.precision("float32"):
            np.testing.assert_array_equal(attend(x), exact)
    np.testing.assert_array_equal(attend(x), exact)
    assert 1e-5 < float(jnp.max(jnp.abs(rough - exact))) < 2**-7  # means are below 1, their terms have 8 bits


@pytest.mark.slow
def test_a_flow_follows_the_context_and_explains_it(as_on_a_gpu: None) -> None:
    model = tkf.Transformer(tkf.Sphere(D), tkf.Softmax(beta=3.0))
    solve = partial(tkf.solve, model, tokens(), t1=0.5, method="euler", step=0.25, save="end")
    exact = solve().final.points
    assert "bf16" not in tkf.explain(model, tokens(), t1=0.5).explanation["sum"]
    with sums.precision("bf16"):
        rough, said = solve().final.points, tkf.explain(model, tokens(), t1=0.5).explanation["sum"]
    np.testing.assert_array_equal(solve().final.points, exact)
    assert rough.dtype == jnp.float32 and 1e-5 < float(jnp.max(jnp.abs(rough - exact))) < 2**-6
    assert "products in bf16, as was asked for" in said and "relative error 3e-03" in said


def test_a_reduced_precision_is_a_faster_and_rougher_choice(as_on_a_gpu: None) -> None:
    usual = sums.choose(10**5, 10**5, 64, dtype="float32")
    with sums.precision("tf32"):
        tf32 = sums.choose(10**5, 10**5, 64, dtype="float32")
    with jax.default_matmul_precision("bfloat16"):  # JAX's own name for it does the same
        bf16 = sums.choose(10**5, 10**5, 64, dtype="float32")
    assert usual.seconds > tf32.seconds > bf16.seconds and usual.error < tf32.error < bf16.error
    assert "tf32" in tf32.reason and "bf16" in bf16.reason and "asked" not in usual.reason


@pytest.mark.parametrize(
    ("d", "dtype", "why"),
    [
        (64, "float64", "tf32 was asked for, but that is for float32 tokens"),
        (20, "float32", "tf32 was asked for, but up to 20 dimensions the kernel works in float32"),
    ],
)
def test_where_it_has_no_effect_the_choice_says_so(as_on_a_gpu: None, d: int, dtype: str, why: str) -> None:
    usual = sums.choose(10**4, 10**4, d, dtype=dtype)
    with sums.precision("tf32"):
        choice = sums.choose(10**4, 10**4, d, dtype=dtype)
    assert why in choice.reason and choice._replace(reason="") == usual._replace(reason="")


@pytest.mark.skipif(gpu.is_available(), reason="for machines without a CUDA GPU")
def test_without_a_gpu_nothing_changes_but_the_reason() -> None:
    x, w = jnp.asarray(tokens(N - 1)), jnp.full(N - 1, 1 / (N - 1), jnp.float32)
    attend = jax.jit(lambda x: sums.attend(3 * x, x, x, w).mean)
    exact = attend(x)
    with sums.precision("bf16"):
        np.testing.assert_array_equal(attend(x), exact)
        choice = sums.choose(10**4, 10**4, 64, dtype="float32")
    assert "bf16 was asked for, but that is for GPUs, and there is none" in choice.reason
    assert choice.error == sums.choose(10**4, 10**4, 64, dtype="float32").error


def test_unknown_precisions_are_refused_with_the_known_ones() -> None:
    with pytest.raises(InvalidInput, match="one of float32, tf32, bf16, got 'half'"), sums.precision("half"):
        pass
