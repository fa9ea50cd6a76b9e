"""Attention kinds and heads against their formulas, and what wrong shapes and numbers are told."""

import math

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from tokenfield import Head, InvalidInput, Measure, Softmax, Sphere, Transformer, Unnormalized

RNG = np.random.default_rng(0)
X = RNG.normal(size=(5, 3))
MU = Measure(RNG.normal(size=(4, 3)), RNG.uniform(0.5, 2.0, size=4))
Q, K, V = RNG.normal(size=(2, 3)), RNG.normal(size=(2, 3)), RNG.normal(size=(3, 3))
KINDS = (Softmax, Unnormalized)


def kernel(x, mu, beta, Q, K):
    """w_j e^{beta <Q x_i, K y_j>}, entry by entry."""
    y, w = np.asarray(mu.points), np.asarray(mu.weights)
    return np.array([[w[j] * math.exp(beta * (Q @ x_i) @ (K @ y[j])) for j in range(mu.n)] for x_i in x])


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("beta", [0.0, 0.7, -1.3])
def test_head_is_the_formula(kind, beta):
    a = kernel(X, MU, beta, Q, K)
    expected = a @ np.asarray(MU.points) @ V.T
    if kind is Softmax:
        expected /= a.sum(axis=1, keepdims=True)
    np.testing.assert_allclose(Head(kind(beta), Q=Q, K=K, V=V)(jnp.asarray(X), MU), expected, rtol=1e-12)


@pytest.mark.parametrize("kind", KINDS)
def test_missing_matrices_are_the_identity(kind):
    plain, full = Head(kind(0.7)), Head(kind(0.7), Q=np.eye(3), K=np.eye(3), V=np.eye(3))
    np.testing.assert_allclose(plain(jnp.asarray(X), MU), full(jnp.asarray(X), MU), rtol=1e-13)


def test_attention_matrix_is_the_normalized_kernel():
    a = kernel(X, MU, 0.7, Q, K)
    P = np.asarray(Softmax(0.7).matrix(Head(Softmax(0.7), Q=Q, K=K).project(jnp.asarray(X), MU)))
    np.testing.assert_allclose(P, a / a.sum(axis=1, keepdims=True), rtol=1e-12)
    log_sum = Head(Softmax(0.7), Q=Q, K=K).attend(jnp.asarray(X), MU).log_sum
    np.testing.assert_allclose(log_sum, np.log(a.sum(axis=1)), rtol=1e-12)


def test_a_token_of_weight_two_is_two_tokens():
    double = Measure(jnp.concatenate([MU.points, MU.points[:1]]))
    weighted = Measure(MU.points, [2.0, 1.0, 1.0, 1.0])
    for kind in KINDS:
        head = Head(kind(0.7), Q=Q, K=K, V=V)
        np.testing.assert_allclose(head(jnp.asarray(X), double), head(jnp.asarray(X), weighted), rtol=1e-12)


def test_huge_beta_does_not_overflow():
    x = jnp.eye(3)
    attended = Head(Softmax(1e4))(x, Measure(x))
    np.testing.assert_allclose(attended, np.eye(3), atol=1e-300)  # each token sees itself alone: e^{-10^4} is zero


def test_beta_may_be_traced():
    derivative = jax.grad(lambda beta: Head(Softmax(beta))(jnp.asarray(X), MU).sum())(0.7)
    step = 1e-6
    low, high = (float(Head(Softmax(0.7 + s))(jnp.asarray(X), MU).sum()) for s in (-step, step))
    assert float(derivative) == pytest.approx((high - low) / (2 * step), rel=1e-7)


# --- refusals -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(
    ("beta", "message"),
    [
        (math.inf, "beta must be finite, got inf; the limit beta = inf is hardmax attention"),
        (-math.inf, "beta must be finite, got -inf"),
        (math.nan, "beta must be finite, got nan"),
        ([1.0, 2.0], r"beta must be one number, got shape \(2,\); use jax.vmap"),
        (np.ones((1, 1)), r"beta must be one number, got shape \(1, 1\)"),
        ("nine", "beta must be a number, got 'nine'"),
        (None, "beta must be a number, got None"),
        (1j, "beta must be a number, got 1j"),
        (True, "beta must be a number, got True"),
    ],
)
def test_wrong_beta(kind, beta, message):
    with pytest.raises(InvalidInput, match=message):
        kind(beta)


@pytest.mark.parametrize(
    ("matrices", "message"),
    [
        ({"V": np.ones((2, 3))}, r"V must be square, of shape \(3, 3\), got \(2, 3\)"),
        ({"V": np.ones((3, 2))}, r"V must be square, of shape \(3, 3\), got \(3, 2\)"),
        ({"V": np.eye(2)}, r"V must be square, of shape \(3, 3\), got \(2, 2\)"),
        ({"Q": np.ones((2, 3)), "K": np.ones((4, 3))}, r"Q maps to R\^2 but K maps to R\^4"),
        ({"Q": np.ones((2, 3))}, r"Q maps to R\^2 but K maps to R\^3"),
        ({"K": np.ones((2, 3))}, r"Q maps to R\^3 but K maps to R\^2"),
        ({"Q": np.ones((3, 2))}, r"Q must have shape \(d_k, 3\) to act on tokens in R\^3, got \(3, 2\)"),
        ({"K": np.ones((3, 4))}, r"K must have shape \(d_k, 3\) to act on tokens in R\^3, got \(3, 4\)"),
        ({"Q": np.ones(3)}, r"Q must be a matrix, got shape \(3,\)"),
        ({"V": 2.0}, r"V must be a matrix, got shape \(\)"),
        ({"V": np.full((3, 3), math.nan)}, "V must be finite: 9 NaN or infinite entries"),
        ({"K": np.diag([1.0, 1.0, math.inf])}, r"K must be finite: 1 NaN or infinite entries, the first at \(2, 2\)"),
        ({"V": 1j * np.eye(3)}, "V must be real numbers"),
        ({"Q": [["one"]]}, "Q must be an array of numbers"),
    ],
)
def test_wrong_matrices(matrices, message):
    with pytest.raises(InvalidInput, match=message):
        Transformer(Sphere(3), Softmax(1.0), **matrices)
    with pytest.raises(InvalidInput, match=message):
        Transformer(Sphere(3), [Head(Softmax(1.0)), Head(Softmax(1.0), **matrices)])


@pytest.mark.parametrize(
    ("build", "message"),
    [
        (lambda: Head("softmax"), "a head needs an attention such as Softmax"),
        (lambda: Head(2.0), "a head needs an attention such as Softmax"),
    ],
)
def test_wrong_heads(build, message):
    with pytest.raises(InvalidInput, match=message):
        build()
