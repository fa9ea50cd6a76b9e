"""Heads, perceptrons and potentials against literal twins, alone and inside a layer."""

from __future__ import annotations

import jax.numpy as jnp
import numpy as np
import pytest

import oracles
import oracles_normalization as twins
import tokenfield as tkf

ROUNDING = 1e-13  # sums of a few dozen numbers of size one
RNG = np.random.default_rng(11)
X = twins.N(RNG.standard_normal((6, 4)))
WEIGHTS = np.array([1.0, 2.0, 1.0, 0.5, 3.0, 0.5]) / 8
MU = tkf.Measure(X, WEIGHTS)
W, A, B = RNG.standard_normal((4, 5)), RNG.standard_normal((5, 4)), RNG.standard_normal(5)


def close(got, expected, tolerance=ROUNDING):
    np.testing.assert_allclose(np.asarray(got), expected, rtol=tolerance, atol=tolerance)


# --- heads ----------------------------------------------------------------------------------------------------------


def literal_head(x, w, beta, Q, K, V, O):  # noqa: E741
    """O V sum_j a_ij x_j, with a softmax of beta <Q x_i, K x_j>, one token at a time."""
    out = np.zeros_like(x)
    for i in range(len(x)):
        kernel = np.array([w[j] * np.exp(beta * np.dot(Q @ x[i], K @ x[j])) for j in range(len(x))])
        out[i] = O @ sum(kernel[j] / kernel.sum() * (V @ x[j]) for j in range(len(x)))
    return out


def random_heads(betas):
    """Per head: beta, Q and K (2, d), V (3, d), O (d, 3)."""
    rng = np.random.default_rng(12)
    return [
        (beta, *rng.standard_normal((2, 2, 4)), rng.standard_normal((3, 4)), rng.standard_normal((4, 3)))
        for beta in betas
    ]


def as_heads(heads):
    return [tkf.Head(tkf.Softmax(beta), Q=Q, K=K, V=V, O=out) for beta, Q, K, V, out in heads]


@pytest.mark.parametrize("average", [False, True])
def test_heads_of_small_dimension_add_up(average):
    heads = random_heads([0.5, 1.0, 3.0])
    model = tkf.Transformer(tkf.Sphere(4), as_heads(heads), average=average)
    each = [literal_head(X, WEIGHTS, *head) for head in heads]
    expected = sum(each) / (len(each) if average else 1)
    close(model.field(0.0, MU.points, MU), expected)
    close(model.velocity(0.0, MU.points, MU), oracles.on_sphere(expected, X))
    # the control: per-head beta matters
    same = tkf.Transformer(tkf.Sphere(4), as_heads([(1.0, *head[1:]) for head in heads]), average=average)
    assert np.abs(np.asarray(same.field(0.0, MU.points, MU)) - expected).max() > 0.01


def test_missing_matrices_are_identities():
    eye = np.eye(4)
    beta, Q, K, V, O = 2.0, *RNG.standard_normal((4, 4, 4))  # noqa: E741
    for given in ({"Q": Q}, {"K": K}, {"V": V}, {"O": O}, {"Q": Q, "O": O}, {}):
        full = {"Q": eye, "K": eye, "V": eye, "O": eye} | given
        close(tkf.Head(tkf.Softmax(beta), **given)(MU.points, MU), literal_head(X, WEIGHTS, beta, **full))


def test_heads_are_the_multi_head_attention_of_practitioners():
    h, d, d_h = 2, 4, 2
    rng = np.random.default_rng(13)
    Q, K, V = rng.standard_normal((3, h, d_h, d))
    W_O = rng.standard_normal((d, h * d_h))
    heads = [
        tkf.Head(tkf.Softmax(1 / np.sqrt(d_h)), Q=Q[i], K=K[i], V=V[i], O=W_O[:, i * d_h : (i + 1) * d_h])
        for i in range(h)
    ]
    mu = tkf.Measure(X)
    for geometry in (tkf.Sphere(d), tkf.Euclidean(d)):
        got = tkf.Transformer(geometry, heads).field(0.0, mu.points, mu)
        close(got, twins.multi_head(X, Q, K, V, W_O))


def test_relative_heads_see_differences():
    (head,) = random_heads([1.5])
    *_, V, O = head  # noqa: E741
    got = tkf.Transformer(tkf.Euclidean(4), as_heads([head]), relative=True).field(0.0, MU.points, MU)
    close(got, literal_head(X, WEIGHTS, *head) - X @ (O @ V).T)


BAD_HEADS = [
    ({"Q": np.ones((2, 3)), "K": np.ones((2, 3))}, r"Q must have shape \(d_k, 4\).*got \(2, 3\)"),
    ({"Q": np.ones((2, 4)), "K": np.ones((2, 3))}, r"K must have shape \(d_k, 4\).*got \(2, 3\)"),
    ({"Q": np.ones((2, 4))}, r"Q maps to R\^2 but K maps to R\^4"),
    ({"K": np.ones((3, 4)), "Q": np.ones((2, 4))}, r"Q maps to R\^2 but K maps to R\^3"),
    ({"V": np.ones((2, 4))}, r"V must be square, of shape \(4, 4\), got \(2, 4\); or give O"),
    ({"V": np.ones((2, 3)), "O": np.ones((4, 2))}, r"V must have shape \(d_v, 4\).*got \(2, 3\)"),
    ({"V": np.ones((2, 4)), "O": np.ones((4, 3))}, r"O must have shape \(4, 2\).*got \(4, 3\)"),
    ({"O": np.ones((2, 4))}, r"O must have shape \(4, 4\).*got \(2, 4\)"),
    ({"V": np.ones(4)}, r"V must be a matrix, got shape \(4,\)"),
    ({"Q": np.full((4, 4), np.nan)}, "Q must be finite: 16 NaN"),
    ({"O": "two"}, "O must be real numbers"),
]


@pytest.mark.parametrize(("matrices", "words"), BAD_HEADS)
def test_errors_of_heads(matrices, words):
    with pytest.raises(tkf.InvalidInput, match=words):
        tkf.Transformer(tkf.Sphere(4), tkf.Head(tkf.Softmax(1.0), **matrices))


def test_other_errors_of_heads():
    with pytest.raises(tkf.InvalidInput, match="needs an attention such as Softmax"):
        tkf.Head("softmax")
    with pytest.raises(tkf.InvalidInput, match="each Head its own matrices"):
        tkf.Transformer(tkf.Sphere(4), [tkf.Softmax(1.0)], V=np.eye(4))
    with pytest.raises(tkf.InvalidInput, match="non-empty list"):
        tkf.Transformer(tkf.Sphere(4), [])


# --- perceptrons ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("activation", twins.ACTIVATIONS)
def test_perceptron_is_the_literal_one(activation):
    close(tkf.Perceptron(W, A, B, activation=activation)(MU.points), twins.perceptron(X, W, A, B, activation))


def test_gelu_is_the_exact_one():
    z = np.array([[1.0, -2.0]])
    got = tkf.Perceptron(activation="gelu")(jnp.asarray(z))
    close(got, z * [[0.8413447460685429, 0.022750131948179212]])  # the normal law's distribution function
    tanh_form = 0.5 * z * (1 + np.tanh(np.sqrt(2 / np.pi) * (z + 0.044715 * z**3)))
    assert np.abs(np.asarray(got) - tanh_form).max() > 1e-4  # the approximation is another function


def test_missing_pieces_of_a_perceptron():
    eye, zero = np.eye(4), np.zeros(4)
    square, b = RNG.standard_normal((4, 4)), RNG.standard_normal(4)
    close(tkf.Perceptron()(MU.points), twins.perceptron(X, eye, eye, zero, "relu"))
    close(tkf.Perceptron(W=square)(MU.points), twins.perceptron(X, square, eye, zero, "relu"))
    close(tkf.Perceptron(A=square)(MU.points), twins.perceptron(X, eye, square, zero, "relu"))
    close(tkf.Perceptron(b=b)(MU.points), twins.perceptron(X, eye, eye, b, "relu"))
    close(tkf.Perceptron(W, A)(MU.points), twins.perceptron(X, W, A, np.zeros(5), "relu"))


def test_perceptron_keeps_the_precision_of_the_tokens():
    assert tkf.Perceptron(W, A, B, activation="gelu")(jnp.asarray(X, jnp.float32)).dtype == jnp.float32


HEAD = tkf.Head(tkf.Softmax(2.0))
BOTH = [HEAD, tkf.Perceptron(W, A, B, activation="tanh")]


def attention(t, x):
    return oracles.sa_field(x, WEIGHTS, [oracles.identity_head(2.0, 4)])


def feed_forward(t, x):
    return twins.perceptron(x, W, A, B, "tanh")


def test_perceptron_adds_inside_the_projection():
    model = tkf.Transformer(tkf.Sphere(4), BOTH)
    expected = oracles.on_sphere(attention(0, X) + feed_forward(0, X), X)
    close(model.velocity(0.0, MU.points, MU), expected)
    assert np.abs(np.sum(expected * X, axis=1)).max() < ROUNDING


@pytest.mark.parametrize("name", ["pre", "peri", "ngpt", "depth"])
def test_each_sublayer_is_normalized_on_its_own(name):
    scheme = {"pre": tkf.PreLN(), "peri": tkf.PeriLN(), "ngpt": tkf.NGPT(), "depth": tkf.DepthScaled()}[name]
    model, t, settings = tkf.Transformer(tkf.Sphere(4), BOTH, normalization=scheme), 0.5, twins.Settings()
    r = RNG.uniform(0.5, 2, 6)
    moves = [twins.motion(name, t, X, r, added(t, X), settings) for added in (attention, feed_forward)]
    turn, growth = model.motion(t, MU.points, tkf.Measure(X, WEIGHTS, radii=r))
    close(turn, moves[0][0] + moves[1][0])
    close(growth, moves[0][1] + moves[1][1])
    if name == "peri":  # the control: normalizing the sum is something else
        wrong, _ = twins.motion(name, t, X, r, attention(t, X) + feed_forward(t, X), settings)
        assert np.abs(np.asarray(turn) - wrong).max() > 0.1


@pytest.mark.parametrize("name", ["none", "post", "pre", "peri"])
def test_a_layer_is_attention_and_then_perceptron(name):
    scheme = {"none": None, "post": tkf.PostLN(), "pre": tkf.PreLN(), "peri": tkf.PeriLN()}[name]
    model, h, settings = tkf.Transformer(tkf.Sphere(4), BOTH, normalization=scheme), 0.3, twins.Settings()
    r = RNG.uniform(0.5, 2, 6) if name in twins.HAS_RADIUS else np.ones(6)
    x = r[:, None] * X
    for added in (attention, feed_forward):
        x = twins.layer("post" if name == "none" else name, 0.0, x, added, h, settings)
    got = model.layer(0.0, tkf.Measure.polar(r[:, None] * X, WEIGHTS), step=h)
    close(np.asarray(got.radii)[:, None] * np.asarray(got.points), x)


def test_gain_reaches_the_perceptron():
    D = np.array([0.5, 1.0, 1.5, 2.0])
    model = tkf.Transformer(tkf.Sphere(4), tkf.Perceptron(W, A, B), normalization=tkf.PreLN(gain=D))
    folded = tkf.Transformer(tkf.Sphere(4), tkf.Perceptron(W, A * D, B), normalization=tkf.PreLN())
    close(model.velocity(0.0, MU.points, MU), np.asarray(folded.velocity(0.0, MU.points, MU)))


BAD_PERCEPTRONS = [
    (lambda: tkf.Perceptron(W, np.ones((5, 3)), B), r"A must have shape \(m, 4\).*got \(5, 3\)"),
    (lambda: tkf.Perceptron(W, A, np.ones(4)), r"b must have shape \(5,\), one entry per neuron, got \(4,\)"),
    (lambda: tkf.Perceptron(W.T, A, B), r"W must have shape \(4, 5\).*got \(5, 4\)"),
    (lambda: tkf.Perceptron(A=A), r"give W of shape \(4, 5\)"),
    (lambda: tkf.Perceptron(W), r"W must have shape \(4, 4\).*got \(4, 5\)"),
    (lambda: tkf.Perceptron(b=[[1.0]]), r"b must be a vector, got shape \(1, 1\)"),
    (lambda: tkf.Perceptron(b=[np.inf] * 4), "b must be finite"),
    (lambda: tkf.Perceptron(W=np.ones(4)), r"W must be a matrix"),
    (lambda: tkf.Perceptron(activation="rleu"), "unknown activation 'rleu'.*relu"),
]


@pytest.mark.parametrize(("make", "words"), BAD_PERCEPTRONS)
def test_errors_of_perceptrons(make, words):
    with pytest.raises(tkf.InvalidInput, match=words):
        tkf.Transformer(tkf.Sphere(4), make())


# --- potentials -----------------------------------------------------------------------------------------------------


def test_potential_adds_its_gradient():
    c = RNG.standard_normal(4)
    model = tkf.Transformer(tkf.Sphere(4), [HEAD, tkf.Potential(lambda x: jnp.sin(x @ c) + x[0] ** 3)])
    gradient = np.array([np.cos(x @ c) * c + 3 * x[0] ** 2 * np.eye(4)[0] for x in X])
    close(model.field(0.0, MU.points, MU), attention(0, X) + gradient)
    close(model.velocity(0.0, MU.points, MU), oracles.on_sphere(attention(0, X) + gradient, X))
    flat = tkf.Transformer(tkf.Sphere(4), tkf.Potential(lambda x: 1.0))
    assert not np.any(flat.velocity(0.0, MU.points, MU))


BAD_POTENTIALS = [
    (lambda: tkf.Potential("x"), "needs a function of one point"),
    (lambda: tkf.Potential(lambda x: x), "to one real number"),
    (lambda: tkf.Potential(lambda x: jnp.argmax(x)), "to one real number"),
    (lambda: tkf.Potential(lambda x: None), "to one real number"),
    (lambda: tkf.Potential(lambda x: x @ jnp.ones(3)), r"cannot be evaluated at a point of R\^4"),
]


@pytest.mark.parametrize(("make", "words"), BAD_POTENTIALS)
def test_errors_of_potentials(make, words):
    with pytest.raises(tkf.InvalidInput, match=words):
        tkf.Transformer(tkf.Sphere(4), make())
