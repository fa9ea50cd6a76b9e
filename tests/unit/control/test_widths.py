"""Networks of changing width: the same as the network whose arrays really change their shape, layer by layer."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

import tokenfield as tkf
from tokenfield import control
from tokenfield.control.widths import Widths

X = np.random.default_rng(0).normal(size=(5, 2))
WIDTHS = (2, 3, 2, 3)


@cache
def found():
    model = tkf.Transformer(tkf.Euclidean(4), [tkf.Softmax(1.0), tkf.Perceptron(activation="tanh")])
    targets = np.random.default_rng(1).normal(size=(5, 3))
    return control.steer(model, X, targets, t1=2.0, seed=0, widths=WIDTHS, width=5, steps=20, progress=False)


def literal(x, layers, *, forgets=True):
    """x <- P_k x + h f_k(P_k x) with arrays of the width of the piece: zeros appended, or last coordinates cut off.

    The trained matrices are read where the pieces have their coordinates: 0 1 | 0 1 2 | 0 1 | 0 1 3.
    """
    own = [[0, 1], [0, 1, 2], [0, 1], [0, 1, 3]]
    head, mlp = found().schedule.layers
    h = 2.0 / layers
    dropped = None
    for k in range(layers):
        piece = k * len(WIDTHS) // layers
        c = own[piece]
        if len(c) > x.shape[1]:
            new = np.zeros((len(x), 1)) if forgets or dropped is None else dropped
            x = np.concatenate([x, new], axis=1)
        elif len(c) < x.shape[1]:
            x, dropped = x[:, : len(c)], x[:, len(c) :]
        Q, K = (np.asarray(m)[piece][:, c] for m in (head.Q, head.K))
        V = np.asarray(head.V)[piece][np.ix_(c, c)]
        W, A, b = np.asarray(mlp.W)[piece][c], np.asarray(mlp.A)[piece][:, c], np.asarray(mlp.b)[piece]
        new = np.empty_like(x)
        for i in range(len(x)):
            kernel = np.array([np.exp(np.dot(Q @ x[i], K @ y)) for y in x])
            attended = x[i] + h * V @ (kernel @ x / kernel.sum())
            new[i] = attended + h * W @ np.tanh(A @ attended + b)  # sublayers act in turn
        x = new
    return x


@pytest.mark.slow
def test_a_network_of_changing_width_is_a_flow_with_zeros_in_its_weights():
    expected = literal(X, 8)
    assert expected.shape == (5, 3)
    np.testing.assert_allclose(found().outputs(X, layers=8), expected, atol=1e-13)  # rounding of 8 layers
    # the control: coordinates that come back after they were dropped give another network
    assert np.abs(literal(X, 8, forgets=False) - expected).max() > 1e-3


@pytest.mark.slow
def test_training_lowers_the_loss_of_the_last_width_alone():
    assert found().best < found().losses[0]
    targets = np.random.default_rng(1).normal(size=(5, 3))
    loss = np.mean(np.sum((np.asarray(found().outputs(X)) - targets) ** 2, axis=1))
    # `outputs` is solved to 1e-6 by default, the training in 16 Runge-Kutta steps
    assert loss == pytest.approx(found().certificate.loss, rel=1e-5)
    assert loss == pytest.approx(found().best, rel=1e-2)


def test_coordinates():
    assert Widths(WIDTHS).coordinates == ((0, 1), (0, 1, 2), (0, 1), (0, 1, 3))
    assert Widths((3, 1, 2)).dim == 4 and Widths((2, 3, 2)).dim == 3 and Widths((2, 2)).is_constant


@pytest.mark.parametrize(
    ("widths", "dim", "message"),
    [
        ((2, 3, 2), 2, "widths 2, 3, 2 need 3 coordinates, the model has 2: give it Euclidean(3)"),
        ((2, 0), 2, "widths are whole numbers >= 1"),
        ((), 2, "widths are whole numbers >= 1"),
        ((3, 2), 3, "at width 3 points are (n, 3), got (5, 2)"),
    ],
)
def test_widths_that_do_not_fit(widths, dim, message):
    model = tkf.Transformer(tkf.Euclidean(dim), tkf.Perceptron())
    with pytest.raises(tkf.InvalidInput, match=message.replace("(", r"\(").replace(")", r"\)")):
        control.steer(model, X, X, t1=1.0, seed=0, widths=widths)


def test_spheres_are_refused():
    sphere = tkf.Transformer(tkf.Sphere(3), tkf.Softmax(1.0))
    with pytest.raises(tkf.Unsupported, match="widths change in R\\^d"):
        control.steer(sphere, np.eye(3), np.eye(3), t1=1.0, seed=0, widths=(3, 2))


@pytest.mark.slow
def test_layers_between_pieces_are_refused():
    with pytest.raises(tkf.InvalidInput, match="multiple of the 4 pieces"):
        found().outputs(X, layers=6)
