"""Sinkhorn attention: doubly stochastic, symmetric where it must be, equal to the dense loop, and O(n) in memory."""

from __future__ import annotations

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import pytest

import oracles
import tokenfield as tkf
from tokenfield import L2, Head, InvalidInput, Measure, Sinkhorn, Softmax

RNG = np.random.default_rng(0)
N = 12
X = RNG.normal(size=(N, 3))
W = RNG.uniform(0.5, 2.0, size=N)
MU, W = Measure(X, W), W / W.sum()
ELSEWHERE = RNG.normal(size=(5, 3))
Q, K = 0.5 * RNG.normal(size=(2, 2, 3))
SYMMETRIC = np.array([[2.0, 0.5, 0.0], [0.5, 1.0, 0.3], [0.0, 0.3, 0.7]])  # as Q, with K = I; positive
TOLERANCE = 1e-10  # the default of the library, and what THEORY 5a asks for

matrix = eqx.filter_jit(lambda head, x, mu: head.attention.matrix(head.project(x, mu)))
vectors = eqx.filter_jit(lambda head, x, mu: head(x, mu))
potentials = eqx.filter_jit(lambda attention, mu: attention.potentials(Head(attention).project(mu.points, mu)))
energy = eqx.filter_jit(tkf.observables.energy)


def of_tokens(attention, mu=MU, **matrices):
    """The matrix w_j k_ij among the tokens themselves."""
    return np.asarray(matrix(Head(attention, **matrices), mu.points, mu))


def marginals(P, w):
    """The largest errors of row and column sums: sum_j w_j k_ij = 1 and sum_i w_i k_ij = 1."""
    return np.abs(P.sum(axis=1) - 1).max(), np.abs(w @ P / w - 1).max()


# --- 5a, 5b: marginals and symmetry ---------------------------------------------------------------------------------


@pytest.mark.parametrize("kernel", ["dot", "l2"])
@pytest.mark.parametrize("matrices", [{}, {"Q": Q, "K": K}, {"Q": SYMMETRIC}], ids=["I", "general", "symmetric"])
def test_rows_and_columns_sum_to_one(kernel, matrices):
    # with a general Q^T K the alternating sweeps slow down exponentially in beta: it stays moderate there
    for beta in (0.0, 0.5, 2.0, -0.5) if "K" in matrices else (0.0, 2.0, 30.0, -0.5):
        P = of_tokens(Sinkhorn(beta, kernel=kernel, max_sweeps=5000), **matrices)
        assert max(marginals(P, W)) <= TOLERANCE
        assert np.all(P >= 0)
        k = P / W
        if "K" in matrices:
            assert beta == 0 or np.abs(k - k.T).max() > 1e-2
        else:
            # an error of 1e-10 in the sums is one of 1e-10 k in the entries, times the condition of a negative beta
            assert np.abs(k - k.T).max() <= 1e-8 * max(1.0, k.max())
    # the control: one sweep is only row-stochastic, and not symmetric
    q, k = X @ np.asarray(matrices.get("Q", np.eye(3))).T, X @ np.asarray(matrices.get("K", np.eye(3))).T
    P = oracles.sinkhorn_weights(q, k, W, 2.0, kernel=kernel, sweeps=1)
    assert marginals(P, W)[1] > 1e-2 < np.abs(P / W - (P / W).T).max()


@pytest.mark.parametrize("kernel", ["dot", "l2"])
def test_symmetric_scaling_is_the_limit_of_alternation(kernel):
    """Relaxed sweeps and the oracle's alternating loop end at the same matrix, also for an indefinite Q^T K."""
    for Q_symmetric in (SYMMETRIC, np.diag([1.0, -0.7, 0.3])):
        P = of_tokens(Sinkhorn(0.5, kernel=kernel, tolerance=1e-13, max_sweeps=5000), Q=Q_symmetric)
        # two loops that stop at 1e-13, slowed down by at most 100 sweeps' worth of error
        expected = oracles.sinkhorn_weights(X @ Q_symmetric.T, X, W, 0.5, kernel=kernel)
        np.testing.assert_allclose(P, expected, rtol=0, atol=1e-11)


@pytest.mark.parametrize("kernel", ["dot", "l2"])
def test_large_beta(kernel):
    """No overflow, still doubly stochastic and, by the potentials, still a scaling of the kernel."""
    for beta in (30.0, 1e3, 1e6):
        attention = Sinkhorn(beta, kernel=kernel, max_sweeps=5000)
        P = of_tokens(attention)
        # the logits are as large as 10 beta, and only good to rounding
        tolerance = max(TOLERANCE, 1e-15 * 10 * beta * 10)
        assert max(marginals(P, W)) <= tolerance
        f, g = (np.asarray(a) for a in potentials(attention, MU))
        logits = oracles.log_kernel(X, X, beta, kernel)
        np.testing.assert_allclose(P, W * np.exp(logits + f[:, None] + g[None, :]), rtol=0, atol=10 * tolerance)


def test_a_cloud_far_from_the_origin():
    """The scaling of e^{beta <x, y>} does not depend on the origin, and 1e8 beyond it costs few digits."""
    near, far = (of_tokens(Sinkhorn(1.0, max_sweeps=5000), mu=mu) for mu in (MU, Measure(X + 1e4, W)))
    # logits of size 3e8 in the last normalization: 1e-16 * 3e8 = 3e-8
    np.testing.assert_allclose(far, near, rtol=0, atol=1e-6)


# --- sweeps -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kernel", ["dot", "l2"])
@pytest.mark.parametrize("sweeps", [2, 5])
def test_a_number_of_sweeps_equals_the_dense_loop(kernel, sweeps):
    attention, q, k = Sinkhorn(0.8, sweeps, kernel=kernel), X @ Q.T, X @ K.T
    expected = oracles.sinkhorn_weights(q, k, W, 0.8, kernel=kernel, sweeps=sweeps)
    np.testing.assert_allclose(of_tokens(attention, Q=Q, K=K), expected, rtol=1e-12)
    rows, columns = marginals(expected, W)
    assert (rows if sweeps % 2 else columns) < 1e-14 < 1e-6 < (columns if sweeps % 2 else rows)


@pytest.mark.slow
@pytest.mark.parametrize("kernel", ["dot", "l2"])
@pytest.mark.parametrize("sweeps", [2, None])
def test_other_points_see_the_continuation(kernel, sweeps):
    # points that are no tokens, and copies of tokens, which must see what the tokens themselves see
    at, numbers = np.concatenate([ELSEWHERE, X]), {"kernel": kernel, "sweeps": sweeps}
    outside = oracles.sinkhorn_weights(X @ Q.T, X @ K.T, W, 0.8, **numbers, at=ELSEWHERE @ Q.T)
    expected = np.concatenate([outside, oracles.sinkhorn_weights(X @ Q.T, X @ K.T, W, 0.8, **numbers)])
    head = Head(Sinkhorn(0.8, sweeps, kernel=kernel, tolerance=1e-13), Q=Q, K=K)
    # to rounding for a number of sweeps, to the tolerances of both loops without
    np.testing.assert_allclose(matrix(head, at, MU), expected, rtol=1e-12 if sweeps else 1e-10)


def test_one_sweep_is_softmax_or_l2():
    for kernel, other in (("dot", Softmax(0.8)), ("l2", L2(0.8))):
        head, plain = (Head(a, Q=Q, K=K) for a in (Sinkhorn(0.8, 1, kernel=kernel), other))
        np.testing.assert_allclose(vectors(head, ELSEWHERE, MU), vectors(plain, ELSEWHERE, MU), rtol=0, atol=1e-13)


def test_beta_zero_is_the_mean():
    P = of_tokens(Sinkhorn(0.0, max_sweeps=5000))
    np.testing.assert_allclose(P @ X, np.tile(W @ X, (N, 1)), rtol=0, atol=1e-14)


def test_tolerance_agrees_with_many_sweeps():
    many = of_tokens(Sinkhorn(0.8, 2001), Q=Q, K=K)
    for tolerance in (1e-3, 1e-6, 1e-9):
        P = of_tokens(Sinkhorn(0.8, tolerance=tolerance, max_sweeps=5000), Q=Q, K=K)
        assert marginals(P, W)[1] <= tolerance
        # entries inherit the error of the sums, times the inverse gap of the matrix: 10 at this beta
        assert np.abs(P / W - many / W).max() <= 10 * tolerance
    # the control: a tolerance that is not asked for is not met
    assert marginals(of_tokens(Sinkhorn(0.8, tolerance=1e-2, max_sweeps=5000), Q=Q, K=K), W)[1] > 1e-8


def test_max_sweeps_is_respected():
    """Where the tolerance is out of reach, `max_sweeps` (the next odd number below) sweeps are done, and no more."""
    for most, done in ((2, 1), (6, 5)):
        cut = of_tokens(Sinkhorn(0.8, tolerance=0.0, max_sweeps=most), Q=Q, K=K)
        expected = oracles.sinkhorn_weights(X @ Q.T, X @ K.T, W, 0.8, sweeps=done)
        np.testing.assert_allclose(cut, expected, rtol=1e-11)


def test_few_relaxed_sweeps_are_enough_for_every_beta():
    """With Q^T K symmetric and positive some 20 sweeps reach 1e-10; alternation would need thousands (the control)."""
    for beta in (1.0, 9.0, 100.0):
        assert max(marginals(of_tokens(Sinkhorn(beta, max_sweeps=25)), W)) <= TOLERANCE
    assert marginals(oracles.sinkhorn_weights(X, X, W, 9.0, sweeps=25), W)[1] > 1e-3


# --- precision, size, gradients -------------------------------------------------------------------------------------


@pytest.mark.slow
def test_float32():
    x = X / np.linalg.norm(X, axis=1, keepdims=True)
    mu, mu32 = Measure(x, W), Measure(x.astype(np.float32), W.astype(np.float32))
    head = Head(Sinkhorn(3.0))
    out = vectors(head, mu32.points, mu32)
    assert out.dtype == jnp.float32
    # the loop ends at rounding, (32 + 4 * 9) * 1e-7, although the tolerance is below it
    np.testing.assert_allclose(out, vectors(head, mu.points, mu), rtol=0, atol=3e-5)


@pytest.mark.slow
@pytest.mark.parametrize("sweeps", [4, pytest.param(None, marks=pytest.mark.slow)])
def test_tiled_sums_equal_the_dense_loop(sweeps):
    """1100 tokens take the tiled path: potentials and vectors against dense matrices."""
    rng = np.random.default_rng(1)
    x = rng.normal(size=(1100, 2))
    w = rng.uniform(0.5, 2.0, size=1100)
    mu, w = Measure(x, w), w / w.sum()
    assert tkf.sums.choose(1100, 1100).name == "tiled"
    logits = x @ x.T
    f, g, _ = oracles.sinkhorn_potentials(logits, w, 4 if sweeps else 121)
    rows = slice(0, 1100, 100)
    P = w * np.exp(logits[rows] + f[rows, None] + g[None, :])
    # the 121 sweeps of the oracle leave 1e-9 at beta = 1
    atol = 1e-12 if sweeps else 1e-8
    out = vectors(Head(Sinkhorn(1.0, sweeps)), mu.points, mu)
    np.testing.assert_allclose(np.asarray(out)[rows], P @ x, rtol=0, atol=atol)


def temporaries(n, attention):
    """Bytes of temporary arrays of one compiled evaluation of the velocity at n tokens, d = 3."""
    x = np.random.default_rng(2).normal(size=(n, 3))
    x /= np.linalg.norm(x, axis=1, keepdims=True)
    model, mu = tkf.Transformer(tkf.Sphere(3), attention), Measure(x)
    compiled = jax.jit(lambda y: model.velocity(0.0, y, mu.at(y))).lower(mu.points).compile()
    return compiled.memory_analysis().temp_size_in_bytes


@pytest.mark.slow
@pytest.mark.parametrize("sweeps", [10])
def test_memory_stays_far_below_n_squared(sweeps):
    # an n x n array of float64 would be 134 MB; a few tiles of 512 x 2048 are 8 MB each
    assert temporaries(4096, Sinkhorn(1.0, sweeps)) < 50e6


@pytest.mark.slow
@pytest.mark.parametrize("sweeps", [5, None])
def test_gradient_through_a_run(sweeps):
    """d/dbeta of a function of the end of a short run, against central differences."""
    x = X[:5] / np.linalg.norm(X[:5], axis=1, keepdims=True)

    def loss(beta):
        attention = Sinkhorn(beta, sweeps, tolerance=1e-13)
        model = tkf.Transformer(tkf.Sphere(3), attention, V=np.diag([1.0, 0.5, -0.5]))
        final = tkf.solve(model, Measure(x), t1=0.4, method="rk4", step=0.2, save="end", max_steps=4).final
        return jnp.sum(final.points[0] * jnp.array([1.0, 2.0, 3.0]))

    value_and_gradient = jax.jit(jax.value_and_grad(loss))
    step = 1e-4
    gradient = float(value_and_gradient(1.5)[1])
    difference = (float(value_and_gradient(1.5 + step)[0]) - float(value_and_gradient(1.5 - step)[0])) / (2 * step)
    assert abs(gradient) > 1e-3
    # differences: step^2 = 1e-8, and the tolerance 1e-13 / step
    assert gradient == pytest.approx(difference, rel=1e-6)


@pytest.mark.parametrize("kernel", ["dot", "l2"])
def test_energy_at_beta_zero_is_the_limit(kernel):
    def at(beta):
        return float(energy(MU, tkf.Transformer(tkf.Euclidean(3), Sinkhorn(beta, kernel=kernel))))

    # first order in beta; the tolerance 1e-10 is divided by beta
    assert at(0.0) == pytest.approx(at(1e-4), abs=1e-2)
    variance = W @ np.sum((X - W @ X) ** 2, axis=1)
    assert at(0.0) == pytest.approx(np.sum((W @ X) ** 2) / 2 if kernel == "dot" else -variance / 2, rel=1e-12)


@pytest.mark.slow
@pytest.mark.parametrize("kernel", ["dot", "l2"])
def test_normalized_energy_counts_clusters(kernel):
    mu = Measure(np.concatenate([np.eye(3)] * 2))
    model = tkf.Transformer(tkf.Sphere(3), Sinkhorn(200.0, kernel=kernel))
    assert float(energy(mu, model, normalized=True)) == pytest.approx(1 / 3, rel=1e-9)


# --- refusals -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"kernel": "l1"}, r"unknown kernel 'l1'.*l2"),
        ({"sweeps": 0}, "sweeps must be a whole number >= 1, got 0"),
        ({"sweeps": 2.0}, "sweeps must be a whole number >= 1, got 2.0"),
        ({"sweeps": True}, "sweeps must be a whole number >= 1, got True"),
        ({"max_sweeps": 0}, "max_sweeps must be a whole number >= 1, got 0"),
        ({"tolerance": -1.0}, "tolerance must not be negative"),
    ],
)
def test_wrong_options(options, message):
    with pytest.raises(InvalidInput, match=message):
        Sinkhorn(1.0, **options)
