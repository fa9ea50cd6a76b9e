"""Energy and dissipation against literal double sums and finite differences."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from scipy.linalg import expm

from tokenfield import (
    L2,
    Euclidean,
    Head,
    Measure,
    Save,
    Sigmoid,
    Softmax,
    Sphere,
    Transformer,
    Unnormalized,
    Unsupported,
    solve,
)
from tokenfield.initial import uniform
from tokenfield.model import pairs
from tokenfield.model.schedule import FunctionOfDepth
from tokenfield.observables import dissipation, energy, smallest_cosine

# one double sum of n^2 terms of one sign: rounding is far below this
EXACT = 1e-12


def literal_energy(x, w, beta, Q, K):
    """(1/2 beta) sum_ij w_i w_j e^{beta <Q x_i, K x_j>}, term by term."""
    total = 0.0
    for i in range(len(x)):
        for j in range(len(x)):
            total += w[i] * w[j] * np.exp(beta * np.dot(Q @ x[i], K @ x[j]))
    return total / (2 * beta)


def tokens(n, d, seed):
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(n, d))
    w = rng.uniform(0.2, 1.0, size=n)
    return x / np.linalg.norm(x, axis=1, keepdims=True), w / w.sum()


@pytest.mark.parametrize("beta", [0.5, 4.0, -2.0])
def test_energy_is_the_double_sum(beta):
    x, w = tokens(17, 3, seed=0)
    model = Transformer(Sphere(3), Softmax(beta))
    expected = literal_energy(x, w, beta, np.eye(3), np.eye(3))
    assert float(energy(Measure(x, w), model)) == pytest.approx(expected, rel=EXACT)
    normalized = float(energy(Measure(x, w), model, normalized=True))
    assert normalized == pytest.approx(2 * beta * np.exp(-abs(beta)) * expected, rel=EXACT)


@pytest.mark.parametrize("average", [False, True])
def test_energy_of_heads_with_rectangular_matrices_is_summed_or_averaged(average):
    rng = np.random.default_rng(1)
    x, w = tokens(12, 4, seed=2)
    matrices = [(rng.normal(size=(2, 4)), rng.normal(size=(2, 4)), beta) for beta in (1.0, 0.3)]
    heads = [Head(Softmax(beta), Q=Q, K=K) for Q, K, beta in matrices]
    model = Transformer(Sphere(4), heads, average=average)
    expected = sum(literal_energy(x, w, beta, Q, K) for Q, K, beta in matrices) / (2 if average else 1)
    assert float(energy(Measure(x, w), model)) == pytest.approx(expected, rel=EXACT)


def test_energy_of_many_tokens_equals_the_dense_sum():
    # above 1024 tokens the sum is tiled
    x, w = tokens(1500, 3, seed=3)
    expected = w @ np.exp(5.0 * x @ x.T) @ w / 10.0
    assert float(energy(Measure(x, w), Transformer(Sphere(3), Softmax(5.0)))) == pytest.approx(expected, rel=EXACT)


@pytest.mark.slow
@pytest.mark.parametrize("n", [45, 47, 3])  # three rows in each part, parts that are filled up, more parts than tokens
def test_half_of_the_pairs_is_enough_where_tokens_see_each_other_alike(n, monkeypatch):
    monkeypatch.setattr(pairs, "MANY", 2)
    seen = []
    attend = Softmax.attend
    monkeypatch.setattr(Softmax, "attend", lambda *args: (seen.append(args[1].keys.shape[0]), attend(*args))[1])
    x, w = tokens(n, 4, seed=4)
    mu = Measure(x, w)
    x, w = np.asarray(mu.points), np.asarray(mu.weights)
    found = jax.jit(lambda mu: energy(mu, Transformer(Sphere(4), Softmax(3.0))))(mu)
    assert float(found) == pytest.approx(literal_energy(x, w, 3.0, np.eye(4), np.eye(4)), rel=EXACT)
    assert seen == [8 * -(-n // 15)]  # keys of a part: 8 parts of 15
    for kind, kernel in [
        (Sigmoid(3.0, bias=-1.0), lambda u: np.log1p(np.exp(3 * u - 1)) / 6),
        (L2(3.0), lambda u: np.exp(-3 * (2 - 2 * u)) / 12),
        (Unnormalized(3.0), lambda u: np.exp(3 * u) / 6),
    ]:
        found = jax.jit(lambda mu, kind=kind: energy(mu, Transformer(Sphere(4), kind)))(mu)
        assert float(found) == pytest.approx(w @ kernel(x @ x.T) @ w, rel=EXACT)
    # a form that is not symmetric needs them all
    Q = np.random.default_rng(5).normal(size=(4, 4))
    found = jax.jit(lambda mu: energy(mu, Transformer(Sphere(4), Head(Softmax(0.7), Q=Q))))(mu)
    assert float(found) == pytest.approx(literal_energy(x, w, 0.7, Q, np.eye(4)), rel=EXACT)
    assert seen[1:] == [n]


def test_half_of_the_pairs_has_the_gradient_of_all(monkeypatch):
    x, w = tokens(47, 4, seed=6)

    def of_points(x):
        return energy(Measure(x, w, geometry=Euclidean(4)), Transformer(Euclidean(4), Softmax(3.0)))

    whole = jax.jit(jax.grad(of_points))(x)
    monkeypatch.setattr(pairs, "MANY", 2)
    np.testing.assert_allclose(jax.jit(jax.grad(lambda x: of_points(x)))(x), whole, rtol=0, atol=EXACT)


def test_energy_at_beta_zero_is_the_limit_without_the_constant():
    rng = np.random.default_rng(4)
    x, w = tokens(10, 3, seed=5)
    Q, K = rng.normal(size=(2, 3)), rng.normal(size=(2, 3))
    mu, beta = Measure(x, w), 1e-5
    at_zero = float(energy(mu, Transformer(Sphere(3), Softmax(0.0), Q=Q, K=K)))
    nearby = literal_energy(x, w, beta, Q, K) - 1 / (2 * beta)
    # the next term of the expansion is O(beta), and 1/(2 beta) costs five digits
    assert at_zero == pytest.approx(nearby, abs=1e-4)
    assert float(energy(mu, Transformer(Sphere(3), Softmax(0.0)))) == pytest.approx(np.sum((w @ x) ** 2) / 2, rel=1e-13)
    gradient = jax.jit(jax.grad(lambda b: energy(mu, Transformer(Sphere(3), Softmax(b)))))(0.0)
    assert np.isfinite(gradient)


def test_normalized_energy_at_beta_2000_counts_clusters():
    x = np.repeat(np.eye(4), 5, axis=0)
    masses = np.array([0.4, 0.3, 0.2, 0.1])
    mu = Measure(x, np.repeat(masses / 5, 5))
    model = Transformer(Sphere(4), Softmax(2000.0))
    # orthogonal clusters see each other with e^{-2000}: the plateau is the sum of squared masses (arXiv 2410.06833)
    assert float(energy(mu, model, normalized=True)) == pytest.approx(np.sum(masses**2), rel=1e-12)
    assert np.isinf(float(energy(mu, model)))


@pytest.mark.slow
@pytest.mark.parametrize("beta", [0.7, 0.0])
def test_energy_in_the_rescaled_frame_is_that_of_the_original_tokens(beta):
    rng = np.random.default_rng(6)
    V = np.array([[0.5, 0.3], [-0.2, 0.4]])
    z, t = rng.normal(size=(9, 2)), 0.8
    rescaled = Transformer(Euclidean(2), Softmax(beta), V=V, rescaled=True)
    original = Transformer(Euclidean(2), Softmax(beta), V=V)
    x = z @ expm(t * V).T
    assert float(energy(Measure(z), rescaled, t)) == pytest.approx(float(energy(Measure(x), original)), rel=EXACT)


def dense_energy(model, x, w):
    """The energy of all heads with Q^T K = B from dense matrices."""
    total = 0.0
    for head in model.heads(0.0):
        beta = float(head.attention.beta)
        B = np.eye(x.shape[1]) if head.K is None else np.asarray(head.K)
        total += w @ np.exp(beta * x @ B @ x.T) @ w / (2 * beta)
    return total


SYMMETRIC = np.array([[1.0, 0.4, 0.0], [0.4, 0.5, 0.1], [0.0, 0.1, -0.7]])


@pytest.mark.parametrize(
    "model",
    [
        Transformer(Sphere(3), Softmax(3.0)),
        Transformer(Sphere(3), Unnormalized(3.0)),
        Transformer(Sphere(3), Softmax(3.0), V=-np.eye(3)),
        Transformer(Euclidean(3), Unnormalized(0.5)),
        Transformer(Sphere(3), [Head(Softmax(2.0), K=SYMMETRIC), Head(Unnormalized(1.0), V=SYMMETRIC)]),
    ],
    ids=["SA", "USA", "repulsive", "USA in R^3", "two heads, B and V"],
)
def test_dissipation_is_the_derivative_of_the_energy_along_the_velocity(model):
    x, w = tokens(20, 3, seed=7)
    mu, h = Measure(x, w), 1e-5
    velocity = np.asarray(model.velocity(0.0, jnp.asarray(x), mu))
    # off the sphere by O(h^2) only, the same on both sides: a centered difference of the ambient energy is O(h^2)
    slope = (dense_energy(model, x + h * velocity, w) - dense_energy(model, x - h * velocity, w)) / (2 * h)
    assert float(dissipation(mu, model)) == pytest.approx(slope, rel=1e-6)


@pytest.mark.parametrize("kind", [Softmax, Unnormalized])
def test_dissipation_equals_the_published_identity(kind):
    x, w = tokens(15, 4, seed=8)
    beta = 2.0
    mu, model = Measure(x, w), Transformer(Sphere(4), kind(beta))
    X = np.asarray(model.velocity(0.0, jnp.asarray(x), mu))
    Z = np.exp(beta * x @ x.T) @ w if kind is Softmax else np.ones(15)
    expected = np.sum(w * Z * np.sum(X * X, axis=1))
    assert float(dissipation(mu, model)) == pytest.approx(expected, rel=EXACT)
    scaled = float(dissipation(mu, model, normalized=True))
    Zn = 2 * beta * np.exp(-beta)
    assert scaled == pytest.approx(Zn * expected, rel=EXACT)


def test_dissipation_refuses_what_it_cannot_do():
    mu = Measure(np.eye(2))
    with pytest.raises(Unsupported, match="symmetric"):
        dissipation(mu, Transformer(Sphere(2), Softmax(1.0), K=[[0.0, 1.0], [-1.0, 0.0]]))
    with pytest.raises(Unsupported, match="rescaled"):
        dissipation(mu, Transformer(Euclidean(2), Softmax(1.0), rescaled=True))


@pytest.mark.slow
def test_energy_along_uses_the_model_of_each_time():
    x, w = tokens(8, 3, seed=9)
    model = Transformer(Sphere(3), FunctionOfDepth(lambda t: Head(Softmax(1.0 + t))))
    run = solve(model, Measure(x, w), t1=2.0, save=5)
    expected = [
        literal_energy(np.asarray(p), w, 1.0 + float(t), np.eye(3), np.eye(3))
        for t, p in zip(run.ts, run.points, strict=True)
    ]
    np.testing.assert_allclose(run.energy(), expected, rtol=EXACT)
    np.testing.assert_allclose(run.energy(), expected, rtol=EXACT)
    beta = 1.0 + np.asarray(run.ts)
    np.testing.assert_allclose(run.energy(normalized=True), 2 * beta * np.exp(-beta) * expected, rtol=EXACT)


@pytest.mark.slow
def test_energy_can_be_saved_along_the_way():
    x, w = tokens(8, 3, seed=10)
    model = Transformer(Sphere(3), Softmax(2.0))
    run = solve(model, Measure(x, w), t1=1.0, save=Save(4, observables={"energy": lambda mu: energy(mu, model)}))
    np.testing.assert_allclose(run.observables["energy"], run.energy(), rtol=EXACT)
    assert np.all(np.diff(run.energy()) > 0)


def test_what_is_called_again_is_not_compiled_again():
    """On the circle a fast sum, which is made of loops; those that are called by themselves compile at each call."""
    compiled = []

    def listen(name, _, **__):
        if "backend_compile" in name:
            compiled.append(name)

    circle, few = (uniform(Sphere(d), n, seed=0) for d, n in ((2, 2000), (3, 40)))
    model = Transformer(Sphere(2), Softmax(2.0))
    calls = (lambda: energy(circle, model), lambda: dissipation(circle, model), lambda: smallest_cosine(few))
    found = [float(call()) for call in calls]
    jax.monitoring.register_event_duration_secs_listener(listen)
    try:
        assert [float(call()) for call in calls] == found and compiled == []
    finally:
        jax.monitoring.unregister_event_duration_listener(listen)
