"""Every kind of attention against its formula at other points than the tokens, its limits, what wrong numbers hear."""

from __future__ import annotations

import math

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import oracles
import tokenfield as tkf
from tokenfield import L2, Causal, Hardmax, Head, InvalidInput, Krause, Linear, Measure, Sigmoid, Softmax, Unnormalized

RNG = np.random.default_rng(0)
X = RNG.normal(size=(5, 3))
MU = Measure(RNG.normal(size=(4, 3)), RNG.uniform(0.5, 2.0, size=4))
Y, W = np.asarray(MU.points), np.asarray(MU.weights)
Q, K, V = RNG.normal(size=(2, 3)), RNG.normal(size=(2, 3)), RNG.normal(size=(3, 3))
SPHERE = RNG.normal(size=(4, 3))
SPHERE /= np.linalg.norm(SPHERE, axis=1, keepdims=True)
ROUNDING = 1e-12  # sums of a few terms of order one

KINDS = {
    "L2": (L2(0.7), lambda q, k, w: oracles.l2_weights(q, k, w, 0.7)),
    "Sigmoid": (Sigmoid(-0.7, 0.4), lambda q, k, w: oracles.sigmoid_weights(q, k, w, -0.7, 0.4)),
    "Linear": (Linear(0.7), lambda q, k, w: oracles.linear_weights(q, k, w, 0.7)),
    "Hardmax": (Hardmax(), lambda q, k, w: oracles.hardmax_weights(q, k, w)),
    # a tolerance so wide that some rows average and others do not
    "Hardmax-wide": (Hardmax(0.3), lambda q, k, w: oracles.hardmax_weights(q, k, w, 0.3)),
    # so small that some queries see nobody
    "Krause": (Krause(1.3), lambda q, k, w: oracles.krause_weights(q, k, w, 1.3)),
}


@pytest.fixture(params=KINDS.values(), ids=KINDS.keys())
def kind(request):
    return request.param


def field(attention, x, mu, **matrices):
    return np.asarray(Head(attention, **matrices)(jnp.asarray(x), mu))


def test_head_and_matrix_are_the_formula(kind):
    attention, weights = kind
    expected = weights(X @ Q.T, Y @ K.T, W)
    head = Head(attention, Q=Q, K=K, V=V)
    np.testing.assert_allclose(attention.matrix(head.project(jnp.asarray(X), MU)), expected, rtol=1e-12, atol=1e-15)
    np.testing.assert_allclose(head(jnp.asarray(X), MU), expected @ Y @ V.T, rtol=0, atol=ROUNDING)


def test_the_cases_above_tell_ties_and_empty_rows_apart():
    ties = np.count_nonzero(oracles.hardmax_weights(X @ Q.T, Y @ K.T, W, 0.3), axis=1)
    assert ties.min() == 1 < ties.max()
    seen = np.count_nonzero(oracles.krause_weights(X @ Q.T, Y @ K.T, W, 1.3), axis=1)
    assert seen.min() == 0 < 1 < seen.max()


def test_relative_field_is_that_of_differences(kind):
    """relative=True: sum_j w_j a_ij (y_j - x_i); where nobody is seen nothing pulls."""
    attention, weights = kind
    if isinstance(attention, Linear):
        with pytest.raises(tkf.Unsupported, match="linear attention has weights of either sign"):
            tkf.Transformer(tkf.Euclidean(3), attention, relative=True)
        return
    a = weights(X @ Q.T, Y @ K.T, W)
    model = tkf.Transformer(tkf.Euclidean(3), attention, Q=Q, K=K, relative=True)
    expected = np.array([sum(a[i, j] * (Y[j] - X[i]) for j in range(len(Y))) for i in range(len(X))])
    np.testing.assert_allclose(model.velocity(0.0, X, MU), expected, rtol=0, atol=ROUNDING)


def test_float32_in_float32_out(kind):
    attention, weights = kind
    mu = Measure(np.asarray(Y, np.float32), np.asarray(W, np.float32))
    out = Head(attention, Q=Q, K=K)(jnp.asarray(X, jnp.float32), mu)
    assert out.dtype == jnp.float32
    # sums of a few terms of order ten in float32; no threshold lies as close as that to a pair
    np.testing.assert_allclose(out, weights(X @ Q.T, Y @ K.T, W) @ Y, rtol=0, atol=2e-5)


def test_tiled_sums_give_the_same(kind, monkeypatch):
    attention, weights = kind
    monkeypatch.setattr("tokenfield.sums.direct.DENSE_PAIRS", 1)
    np.testing.assert_allclose(field(attention, X, MU, Q=Q, K=K), weights(X @ Q.T, Y @ K.T, W) @ Y, atol=ROUNDING)


@pytest.mark.parametrize("make", [L2, lambda beta: Sigmoid(beta, 0.3), Linear], ids=["L2", "Sigmoid", "Linear"])
def test_beta_may_be_traced(make):
    def total(beta):
        return jnp.sum(Head(make(beta), Q=Q, K=K)(jnp.asarray(X), MU) ** 2)

    step = 1e-6
    difference = (float(total(0.7 + step)) - float(total(0.7 - step))) / (2 * step)
    # central differences: O(step^2) and rounding / step
    assert float(jax.grad(total)(0.7)) == pytest.approx(difference, rel=1e-7)


@pytest.mark.parametrize("attention", [Softmax(1.0), L2(1.0), Krause(1.0), Hardmax()], ids=lambda a: type(a).__name__)
def test_a_query_that_sees_nothing_stays_also_with_relative(attention):
    model = tkf.Transformer(tkf.Euclidean(3), attention, position=Causal(strict=True), relative=True)
    velocity = np.asarray(model.velocity(0.0, MU.points, MU))
    assert np.array_equal(velocity[0], np.zeros(3))
    np.testing.assert_allclose(velocity[1], Y[0] - Y[1] if not isinstance(attention, Krause) else velocity[1])


@pytest.mark.parametrize(
    ("attention", "factor"),
    [
        (Softmax(0.0), 1.0),
        (Sigmoid(0.0, 0.4), 1 / (1 + math.exp(-0.4))),
        (Unnormalized(0.0), 1.0),
        (L2(0.0), 1.0),
        (Krause(1e3), 1.0),
        (tkf.Sinkhorn(0.0), 1.0),
    ],
    ids=lambda value: type(value).__name__ if isinstance(value, tkf.Attention) else "",
)
def test_a_steep_slope_leaves_the_nearest_token(attention, factor):
    """ALiBi with e^{-900} per step and a strict mask: what is left, renormalized, is the token before."""
    model = tkf.Transformer(tkf.Euclidean(3), attention, position=[Causal(strict=True), tkf.ALiBi(900.0)])
    expected = np.concatenate([np.zeros((1, 3)), factor * Y[:-1]])
    np.testing.assert_allclose(model.velocity(0.0, MU.points, MU), expected, rtol=0, atol=1e-14)


def test_a_steep_slope_in_linear_attention():
    model = tkf.Transformer(tkf.Euclidean(3), Linear(0.7), position=[Causal(strict=True), tkf.ALiBi(900.0)])
    expected = np.concatenate([np.zeros((1, 3)), 0.7 * np.sum(Y[1:] * Y[:-1], axis=1, keepdims=True) * Y[:-1]])
    np.testing.assert_allclose(model.velocity(0.0, MU.points, MU), expected, rtol=0, atol=1e-13)


def test_a_maximum_beyond_a_steep_slope_is_still_the_maximum():
    y = np.array([[3.0], [1.0], [1.0], [1.0]]) * [1.0, 0.0, 0.0]  # of the shape of MU, for which all is compiled
    model = tkf.Transformer(tkf.Euclidean(3), Hardmax(), position=[Causal(), tkf.ALiBi(900.0)])
    np.testing.assert_array_equal(model.velocity(0.0, y, Measure(y)), np.tile([3.0, 0.0, 0.0], (4, 1)))


# --- limits -------------------------------------------------------------------------------------------------------


def test_softmax_tends_to_hardmax():
    expected = field(Hardmax(), X, MU, Q=Q, K=K)
    logits = np.sort(X @ Q.T @ K @ Y.T, axis=1)
    gap = np.diff(logits[:, -2:]).min()
    # the others weigh e^{-beta gap} times a ratio of weights of at most 4
    for beta in (10 / gap, 30 / gap):
        error = np.abs(field(Softmax(beta), X, MU, Q=Q, K=K) - expected).max()
        assert error <= 4 * 4 * np.exp(-beta * gap) * np.ptp(Y)
    assert np.abs(field(Softmax(0.1 / gap), X, MU, Q=Q, K=K) - expected).max() > 1e-2


def test_hardmax_averages_ties_with_their_weights_as_softmax_does():
    y = np.array([[2.0, 1.0], [2.0, -1.0], [-1.0, 0.0]])
    mu, query = Measure(y, [1.0, 3.0, 5.0]), np.array([[1.0, 0.0], [0.0, 1.0]])
    expected = np.array([[2.0, -0.5], [2.0, 1.0]])  # (1 y_0 + 3 y_1) / 4 for the tie, y_0 alone for the other query
    np.testing.assert_allclose(field(Hardmax(), query, mu), expected, rtol=0, atol=1e-15)
    # the third key is behind by 3, the second by 2: e^{-400}
    np.testing.assert_allclose(field(Softmax(200.0), query, mu), expected, rtol=0, atol=1e-15)


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("tolerance", [0.0, 1e-9])
def test_hardmax_always_attends_to_something(dtype, tolerance):
    """A maximum and a product that are rounded differently must not leave a row without its own maximum."""
    rng = np.random.default_rng(1)
    x = np.asarray(rng.normal(size=(1500, 7)), dtype)
    out = np.asarray(jax.jit(lambda y: Hardmax(tolerance).attend(Head(Hardmax()).project(y, Measure(y)), y))(x).log_sum)
    assert np.all(np.isfinite(out))


def test_equal_products_tie_in_float32():
    theta = 2 * np.pi * np.arange(8) / 8 + 0.3
    x = np.stack([np.cos(theta), np.sin(theta)], axis=1).astype(np.float32)
    # a query halfway between two vertices of an octagon: their products differ by rounding only
    half = np.array([[np.cos(0.3 + np.pi / 8), np.sin(0.3 + np.pi / 8)]], np.float32)
    np.testing.assert_allclose(field(Hardmax(), half, Measure(x)), (x[:1] + x[1:2]) / 2, atol=1e-6)


@pytest.mark.parametrize("beta", [0.0, 1.0, 50.0, -2.0])
def test_l2_on_the_sphere_is_softmax_at_twice_beta(beta):
    mu = Measure(SPHERE, RNG.uniform(0.5, 2.0, size=4))
    # rounding of logits of size 2 beta
    atol = ROUNDING * max(1.0, abs(beta))
    np.testing.assert_allclose(field(L2(beta), SPHERE, mu), field(Softmax(2 * beta), SPHERE, mu), rtol=0, atol=atol)
    if beta == 1.0:
        assert np.abs(field(L2(beta), X, MU) - field(Softmax(2 * beta), X, MU)).max() > 1e-2  # not off the sphere


def test_l2_does_not_see_translations():
    shift = np.array([1e4, -2e4, 3e4])
    moved = field(L2(0.7), X + shift, Measure(Y + shift, W)) - shift
    # the points themselves are only good to 1e-16 * 4e4, and only the differences are exponentiated
    np.testing.assert_allclose(moved, field(L2(0.7), X, MU), rtol=0, atol=1e-10)


def test_linear_is_the_derivative_of_unnormalized_at_zero():
    """(USA(eps) - mean) / eps -> Linear, to first order in eps."""
    linear, mean = field(Linear(), X, MU, Q=Q, K=K), np.asarray(MU.mean)
    errors = [np.abs((field(Unnormalized(eps), X, MU, Q=Q, K=K) - mean) / eps - linear).max() for eps in (1e-3, 1e-4)]
    assert errors[0] == pytest.approx(10 * errors[1], rel=0.05)
    assert errors[1] < 1e-2 * np.abs(linear).max()


def test_sigmoid_without_slope_is_a_multiple_of_the_mean():
    expected = np.tile(np.asarray(MU.mean) / (1 + math.exp(0.5)), (5, 1))
    np.testing.assert_allclose(field(Sigmoid(0.0, -0.5), X, MU), expected, rtol=1e-14)


def test_sigmoid_with_a_very_negative_bias_is_unnormalized():
    """sigma(l + b) = e^{b} e^l (1 + O(e^{l + b}))."""
    scaled = field(Sigmoid(0.5, -30.0), X, MU) * math.exp(30.0)
    np.testing.assert_allclose(scaled, field(Unnormalized(0.5), X, MU), rtol=1e-10)


def test_krause_between_the_token_itself_and_the_mean():
    np.testing.assert_allclose(field(Krause(1e3), Y, MU), np.tile(MU.mean, (4, 1)), rtol=1e-14)
    # far below the rounding of squared distances: a token still sees itself
    for scale in (1.0, 1e4):
        mu = Measure(scale * Y, W)
        np.testing.assert_allclose(field(Krause(1e-9), mu.points, mu), mu.points, rtol=1e-14)


def test_krause_counts_the_boundary_wherever_the_origin_is():
    grid = np.arange(6.0)[:, None] * 0.1
    mean = np.array([0.05, 0.1, 0.2, 0.3, 0.4, 0.45])[:, None]
    for shift in (0.0, 0.7):  # the spacing itself is rounded, and differently so
        np.testing.assert_allclose(field(Krause(0.1), grid + shift, Measure(grid + shift)), mean + shift, rtol=1e-12)


# --- energies at beta = 0 -----------------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize(
    ("make", "offset"),
    [
        (L2, lambda beta: 1 / (4 * beta)),
        (lambda beta: Sigmoid(beta, 0.4), lambda beta: math.log(1 + math.exp(0.4)) / (2 * beta)),
        (Softmax, lambda beta: 1 / (2 * beta)),
        (Linear, lambda beta: 0.0),
    ],
    ids=["L2", "Sigmoid", "Softmax", "Linear"],
)
def test_energy_at_beta_zero_is_the_limit(make, offset):
    def energy(beta):
        return tkf.observables.energy(MU, tkf.Transformer(tkf.Euclidean(3), make(beta), Q=Q, K=K))

    small = 1e-5
    # first order in beta, and rounding / beta
    assert float(energy(0.0)) == pytest.approx(float(energy(small)) - offset(small), abs=1e-3)
    assert np.isfinite(jax.grad(lambda beta: energy(beta))(1e-3))


@pytest.mark.parametrize("kind", ["L2", "Sigmoid"])
def test_normalized_energy_counts_clusters(kind):
    """k equal, far apart clusters on the sphere give 1/k; L2 kernels of other clusters vanish, sigmoids as well."""
    attention = {"L2": L2(400.0), "Sigmoid": Sigmoid(400.0, -200.0)}[kind]
    mu = Measure(np.concatenate([np.eye(3)] * 2))
    model = tkf.Transformer(tkf.Sphere(3), attention)
    value = jax.jit(lambda mu: tkf.observables.energy(mu, model, normalized=True))(mu)
    assert float(value) == pytest.approx(1 / 3, rel=1e-12)


# --- refusals -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("build", "message"),
    [
        (lambda: L2(math.inf), "beta must be finite, got inf"),
        (lambda: Sigmoid("one"), "beta must be a number, got 'one'"),
        (lambda: Sigmoid(1.0, math.nan), "bias must be finite, got nan"),
        (lambda: Sigmoid(1.0, [0.0, 1.0]), r"bias must be one number, got shape \(2,\)"),
        (lambda: Linear(None), "beta must be a number, got None"),
        (lambda: Hardmax(-1e-3), "tolerance must not be negative, got -0.001"),
        (lambda: Krause(0.0), "radius must be positive, got 0.0"),
        (lambda: Krause(-1.0), "radius must be positive, got -1.0"),
        (lambda: Krause(math.inf), "radius must be finite, got inf"),
    ],
)
def test_wrong_numbers(build, message):
    with pytest.raises(InvalidInput, match=message):
        build()


@pytest.mark.parametrize("attention", [Hardmax(), Krause(1.0)], ids=["Hardmax", "Krause"])
def test_kinds_without_an_energy_say_so(attention):
    with pytest.raises(tkf.Unsupported, match=f"{type(attention).__name__} attention is not driven by an energy"):
        tkf.observables.energy(MU, tkf.Transformer(tkf.Euclidean(3), attention))
