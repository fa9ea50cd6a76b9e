"""Laws of the velocity field at one instant, for every attention on every geometry."""

from __future__ import annotations

import numpy as np
import pytest

import oracles
import tokenfield as tkf

# Sums of a few terms of order one in float64: a dozen roundings. The kernel e^{beta <x, y>} of points of norm <= 4
# may be large, so differences are compared with the size of the field.
ROUNDING = 1e-12


def assert_close(actual, expected):
    np.testing.assert_allclose(actual, expected, rtol=0, atol=ROUNDING * max(1.0, float(np.abs(expected).max())))


def random_head(rng: np.random.Generator, d: int, *, d_k: int, beta: float) -> oracles.HeadMatrices:
    scale = 1 / np.sqrt(d)
    Q, K = scale * rng.normal(size=(2, d_k, d))
    return oracles.HeadMatrices(beta, Q, K, scale * rng.normal(size=(d, d)))


def library_head(attention, head: oracles.HeadMatrices) -> tkf.Head:
    return tkf.Head(attention(head.beta), Q=head.Q, K=head.K, V=head.V)


@pytest.mark.slow
def test_identity_head_equals_the_oracle(kind, case):
    for beta in kind.betas:
        model = tkf.Transformer(case.geometry, kind.attention(beta))
        expected = case.velocity(kind.field, [oracles.identity_head(beta, case.geometry.d)])
        kind.assert_close(kind.velocity(model, case.x, case.mu), expected)


def test_general_heads_equal_the_oracle(kind, case):
    d, rng = case.geometry.d, np.random.default_rng(0)
    # a rectangular head (d_k = d + 1) beside a square one, with different beta
    heads = [random_head(rng, d, d_k=d + 1, beta=0.7), random_head(rng, d, d_k=d, beta=1.3)]
    expected = case.velocity(kind.field, heads)
    # averaging is the same for every kind, and another compilation for loops
    for average in (False,) if kind.is_iterative else (False, True):
        model = tkf.Transformer(case.geometry, [library_head(kind.attention, h) for h in heads], average=average)
        kind.assert_close(kind.velocity(model, case.x, case.mu), expected / (2 if average else 1))


def test_velocity_is_tangent(mover, case):
    if not isinstance(case.geometry, tkf.Sphere):
        pytest.skip("every vector is tangent in R^d")
    V = np.random.default_rng(1).normal(size=(case.geometry.d, case.geometry.d))
    v = mover.velocity(mover.model(case.geometry, 2.0, V=V), case.x, case.mu)
    assert np.abs(v).max() > 0.1
    assert_close(np.sum(v * case.x, axis=1), np.zeros(len(v)))


def test_permuting_tokens_permutes_velocities(mover, case):
    model = mover.model(case.geometry, 2.0)
    order = np.random.default_rng(2).permutation(len(case.x))
    permuted = tkf.Measure(case.x[order], case.w[order])
    mover.assert_close(mover.velocity(model, case.x[order], permuted), mover.velocity(model, case.x, case.mu)[order])


def test_a_causal_mask_hides_what_comes_after(mover, case):
    """The prefix property: what the first tokens do does not depend on those after them."""
    if mover.is_iterative:
        pytest.skip("columns of doubly stochastic weights see all rows")
    model, k = mover.model(case.geometry, 2.0, position=tkf.Causal()), 4
    found = mover.velocity(model, case.x, case.mu)[:k]
    other = np.concatenate([case.x[:k], case.x[k:][::-1]])
    mover.assert_close(mover.velocity(model, other, tkf.Measure(other, case.w))[:k], found)
    if mover.is_smooth and case.geometry.d > 1:  # leaders, or all neighbors, may be among the first
        assert np.abs(mover.velocity(mover.model(case.geometry, 2.0), case.x, case.mu)[:k] - found).max() > 1e-6


def test_an_identity_composed_with_attention_is_the_plain_head(kind, case):
    plain = kind.model(case.geometry, 2.0)
    identity = tkf.Perceptron(activation="identity")
    for then in (identity, [identity]):
        composed = tkf.Transformer(case.geometry, tkf.Sublayer(kind.attention(2.0), then=then))
        kind.assert_close(kind.velocity(composed, case.x, case.mu), kind.velocity(plain, case.x, case.mu))


def test_the_pairings_of_rope_are_one_up_to_the_order_of_coordinates(kind, case):
    """Coordinates 2m, 2m + 1 of queries and keys of dimension 6 go to m, m + 3, and nothing else changes."""
    if case.geometry != kind.geometries[-1]:
        pytest.skip("queries and keys do not know where the tokens live: one geometry is enough")
    d, rng, order = case.geometry.d, np.random.default_rng(6), [0, 2, 4, 1, 3, 5]
    Q, K = 0.3 * rng.normal(size=(2, 6, d))

    def velocity(pairing, rows):
        head = tkf.Head(kind.attention(1.0), Q=Q[rows], K=K[rows])
        model = tkf.Transformer(case.geometry, head, position=tkf.RoPE(base=10.0, pairing=pairing))
        return kind.velocity(model, case.x, case.mu)

    adjacent = velocity("adjacent", slice(None))
    kind.assert_close(velocity("halves", order), adjacent)
    if kind.is_smooth:
        assert np.abs(velocity("halves", slice(None)) - adjacent).max() > 1e-6


def test_rotating_tokens_rotates_velocities(kind, case):
    model = tkf.Transformer(case.geometry, kind.attention(2.0))
    R, _ = np.linalg.qr(np.random.default_rng(3).normal(size=(case.geometry.d, case.geometry.d)))
    rotated = tkf.Measure(case.x @ R.T, case.w)
    kind.assert_close(kind.velocity(model, case.x @ R.T, rotated), kind.velocity(model, case.x, case.mu) @ R.T)


def test_an_anisotropic_head_is_not_rotation_equivariant(kind):
    """The control of the test above: with V = diag(1, 2, 3) the law does not hold, and the comparison sees it."""
    rng = np.random.default_rng(3)
    x = rng.normal(size=(7, 3))
    x /= np.linalg.norm(x, axis=1, keepdims=True)
    R, _ = np.linalg.qr(rng.normal(size=(3, 3)))
    model = tkf.Transformer(tkf.Sphere(3), kind.attention(2.0), V=np.diag([1.0, 2.0, 3.0]))
    v, rotated = (kind.velocity(model, y, tkf.Measure(y)) for y in (x, x @ R.T))
    with pytest.raises(AssertionError):
        kind.assert_close(rotated, v @ R.T)


def test_a_token_of_weight_two_is_two_tokens(mover, case):
    model = mover.model(case.geometry, 2.0)
    weights = np.ones(len(case.x))
    weights[0] = 2.0
    heavy = tkf.Measure(case.x, weights)
    doubled = tkf.Measure(np.concatenate([case.x[:1], case.x]))
    mover.assert_close(mover.velocity(model, case.x, heavy), mover.velocity(model, case.x, doubled))


def test_velocity_is_continuous_at_beta_zero(beta_kind, case):
    """beta -> 0 is regular: the field is a multiple of the mean, and the difference from it is linear in beta."""

    def velocity(beta):
        return beta_kind.velocity(tkf.Transformer(case.geometry, beta_kind.attention(beta)), case.x, case.mu)

    # d/dbeta at 0 by central differences: exact to O(beta^2), so two steps agree to 1e-6 of the slope's size
    slopes = [(velocity(h) - velocity(-h)) / (2 * h) for h in (1e-3, 1e-4)]
    scale = np.abs(slopes[0]).max()
    assert scale > 1e-3
    np.testing.assert_allclose(slopes[0], slopes[1], rtol=0, atol=1e-4 * scale)
    np.testing.assert_allclose(velocity(1e-9), velocity(0.0), rtol=0, atol=1e-8 * scale)
    mean = beta_kind.at_zero * np.tile(case.w @ case.x, (len(case.x), 1))
    beta_kind.assert_close(
        velocity(0.0), oracles.on_sphere(mean, case.x) if isinstance(case.geometry, tkf.Sphere) else mean
    )


def circle_case():
    theta = np.random.default_rng(4).uniform(0, 2 * np.pi, size=9)
    w = np.random.default_rng(5).uniform(0.5, 2.0, size=9)
    x = np.stack([np.cos(theta), np.sin(theta)], axis=1)
    return theta, x, w / w.sum()


def angular_speed(v, x):
    return v[:, 1] * x[:, 0] - v[:, 0] * x[:, 1]


def test_beta_zero_on_the_circle_is_kuramoto(beta_kind):
    if beta_kind.is_iterative:
        pytest.skip("another compilation to see the mean that the test of beta -> 0 has seen")
    theta, x, w = circle_case()
    expected = beta_kind.at_zero * oracles.kuramoto(theta, w)
    model = tkf.Transformer(tkf.Sphere(2), beta_kind.attention(0.0))
    beta_kind.assert_close(angular_speed(beta_kind.velocity(model, x, tkf.Measure(x, w)), x), expected)
    other = tkf.Transformer(tkf.Sphere(2), beta_kind.attention(0.1))
    assert np.abs(angular_speed(beta_kind.velocity(other, x, tkf.Measure(x, w)), x) - expected).max() > 1e-3


def test_usa_on_the_circle_in_angles():
    theta, x, w = circle_case()
    model = tkf.Transformer(tkf.Sphere(2), tkf.Unnormalized(3.0))
    expected = oracles.usa_circle(theta, w, 3.0)
    actual = angular_speed(np.asarray(model.velocity(0.0, x, tkf.Measure(x, w))), x)
    np.testing.assert_allclose(actual, expected, rtol=0, atol=ROUNDING * np.abs(expected).max())


def test_softmax_tends_to_hardmax(case):
    """beta -> infinity: a query attends only to the key of the largest inner product."""
    query = np.asarray(case.geometry.to_manifold(np.random.default_rng(6).normal(size=(4, case.geometry.d))))
    model = tkf.Transformer(case.geometry, tkf.Softmax(1e6))
    nearest = case.x[np.argmax(query @ case.x.T, axis=1)]
    # the largest inner product leads by more than 1e-3 for these seeds, so the others weigh e^{-1000}
    gaps = np.diff(np.sort(query @ case.x.T, axis=1)[:, -2:], axis=1)
    assert gaps.min() > 1e-3
    assert_close(model.field(0.0, query, case.mu), nearest)


@pytest.mark.slow
@pytest.mark.parametrize("t", [0.0, 0.7, 2.0])
def test_rescaled_frame_equals_the_oracle(t):
    rng = np.random.default_rng(7)
    z, w = rng.normal(size=(6, 3)), rng.uniform(0.5, 2.0, size=6)
    w /= w.sum()
    head = random_head(rng, 3, d_k=4, beta=0.9)
    model = tkf.Transformer(tkf.Euclidean(3), tkf.Softmax(head.beta), Q=head.Q, K=head.K, V=head.V, rescaled=True)
    # the logits are as large as e^{2t}; their rounding passes into the weights, hence 10 times the usual tolerance
    np.testing.assert_allclose(
        model.velocity(t, z, tkf.Measure(z, w)), oracles.rescaled_velocity(t, z, w, head), rtol=0, atol=1e-11
    )


def test_rescaled_attention_is_that_of_the_unscaled_tokens():
    """P is the same for x and z = e^{-tV} x (arXiv 2305.05465)."""
    from scipy.linalg import expm

    rng = np.random.default_rng(8)
    V, z, t = rng.normal(size=(3, 3)), rng.normal(size=(6, 3)), 0.8
    scaled = tkf.Transformer(tkf.Euclidean(3), tkf.Softmax(1.0), V=V, rescaled=True)
    plain = tkf.Transformer(tkf.Euclidean(3), tkf.Softmax(1.0), V=V)
    x = z @ expm(t * V).T
    P = scaled.attention_matrices(t, tkf.Measure(z))[0]
    np.testing.assert_allclose(P, plain.attention_matrices(t, tkf.Measure(x))[0], rtol=0, atol=1e-12)
    assert np.abs(P - plain.attention_matrices(t, tkf.Measure(z))[0]).max() > 1e-2


@pytest.mark.slow
@pytest.mark.parametrize("field", [oracles.sa_field, oracles.usa_field], ids=["Softmax", "Unnormalized"])
def test_a_layer_is_one_published_step(field):
    attention = tkf.Softmax if field is oracles.sa_field else tkf.Unnormalized
    rng = np.random.default_rng(9)
    x = rng.normal(size=(6, 3))
    x /= np.linalg.norm(x, axis=1, keepdims=True)
    w = np.full(6, 1 / 6)
    expected = oracles.euler_normalise(x, field(x, w, [oracles.identity_head(2.0, 3)]), 0.1)
    model = tkf.Transformer(tkf.Sphere(3), attention(2.0))
    assert_close(model.layer(0.0, tkf.Measure(x), step=0.1).points, expected)
    run = tkf.solve(model, x, t1=0.1, method="euler-normalise", step=0.1, save="end")
    assert_close(run.final.points, expected)
