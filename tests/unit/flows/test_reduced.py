"""Exact reductions: the smaller flow is the flow itself. Velocities are compared, which needs no solver, and a run."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import tokenfield as tkf
from tokenfield.flows.reduced import ReducedFlow, equal_tokens, reduce_exactly
from tokenfield.model import normalization, position
from tokenfield.model.matrices import multiple_of_identity
from tokenfield.model.parts import Head, Perceptron, Potential
from tokenfield.model.schedule import Resampled
from tokenfield.solver.plan import as_flow

D, N = 30, 4
SPHERE, SPACE = tkf.Sphere(D), tkf.Euclidean(D)
rng = np.random.default_rng(0)
CLOUD = rng.normal(size=(N, D))
POINTS = CLOUD / np.linalg.norm(CLOUD, axis=1, keepdims=True)
WEIGHTS = np.array([0.4, 0.3, 0.2, 0.1])
EYE = np.eye(D)

ROTATING = {
    "softmax": tkf.Transformer(SPHERE, tkf.Softmax(3.0)),
    "softmax in R^d": tkf.Transformer(SPACE, tkf.Softmax(1.0), relative=True),
    "rescaled": tkf.Transformer(SPACE, tkf.Softmax(1.0), V=0.5 * EYE, rescaled=True),
    "two heads with multiples of I": tkf.Transformer(
        SPHERE,
        [Head(tkf.Unnormalized(2.0), Q=2 * EYE), Head(tkf.L2(1.0), K=-EYE, V=3 * EYE, O=0.5 * EYE)],
        average=True,
    ),
    "sigmoid": tkf.Transformer(SPHERE, tkf.Sigmoid(2.0, 0.5)),
    "linear": tkf.Transformer(SPHERE, tkf.Linear(2.0)),
    "krause": tkf.Transformer(SPHERE, tkf.Krause(1.4)),
    "sinkhorn": tkf.Transformer(SPHERE, tkf.Sinkhorn(2.0)),
    "causal with alibi": tkf.Transformer(SPHERE, tkf.Softmax(3.0), position=[position.Causal(), position.ALiBi(0.3)]),
    "pre-ln": tkf.Transformer(SPHERE, tkf.Softmax(3.0), normalization=normalization.PreLN()),
}


COSTLY = ("rescaled", "sinkhorn", "causal with alibi")  # to compile


@pytest.mark.parametrize("name", [pytest.param(n, marks=[pytest.mark.slow] * (n in COSTLY)) for n in ROTATING])
def test_the_flow_in_the_span_is_the_flow(name):
    """The small velocity, rotated back, is the velocity: to rounding, since a rotation is exact."""
    model = ROTATING[name]
    start = tkf.Measure(POINTS, WEIGHTS, positions=[0.0, 1.0, 2.5, 3.0])
    full = as_flow(model, start, 0.0, 1.0)
    small, notes = reduce_exactly(full)
    assert isinstance(small, ReducedFlow) and small.start.shape[1] - model.has_radius == N
    assert notes == (f"tokens stay in the span of the {N} initial ones: solved in R^{N} instead of R^{D}",)
    np.testing.assert_allclose(small.law(small.start).points, POINTS, atol=1e-14)
    t = jnp.asarray(0.7)
    expected = full.velocity(t, full.start)
    found = small.velocity(t, small.start)
    turned = found[:, :N] @ small.basis
    np.testing.assert_allclose(turned, expected[:, :D], atol=1e-12)
    np.testing.assert_allclose(found[:, N:], expected[:, D:], atol=1e-12)  # the growth of radii
    assert np.abs(expected).max() > 1e-3


class Peek(tkf.Softmax):
    """An attention of a user's own, which may look at coordinates."""


KEPT = {
    "fewer dimensions than tokens": (tkf.Transformer(tkf.Sphere(3), tkf.Softmax(1.0)), np.eye(3)),
    "a general V": (tkf.Transformer(SPHERE, tkf.Softmax(1.0), V=np.diag(np.arange(D))), POINTS),
    "a low-rank Q": (tkf.Transformer(SPHERE, tkf.Softmax(1.0), Q=EYE[:2], K=EYE[:2]), POINTS),
    "rope": (tkf.Transformer(SPHERE, tkf.Softmax(1.0), position=position.RoPE()), POINTS),
    "a gain": (
        tkf.Transformer(SPHERE, tkf.Softmax(1.0), normalization=normalization.PostLN(gain=np.arange(1.0, D + 1))),
        POINTS,
    ),
    "noise": (tkf.Transformer(SPHERE, tkf.Softmax(1.0), noise=tkf.Noise(10.0, seed=0)), POINTS),
    "a perceptron": (tkf.Transformer(SPHERE, [Head(tkf.Softmax(1.0)), Perceptron()]), POINTS),
    "a potential": (tkf.Transformer(SPHERE, [Head(tkf.Softmax(1.0)), Potential(lambda x: x[0])]), POINTS),
    "random weights": (tkf.Transformer(SPHERE, Resampled(tkf.Softmax(1.0), D, period=1.0, seed=0)), POINTS),
    "an attention of one's own": (tkf.Transformer(SPHERE, Peek(1.0)), POINTS),
}


@pytest.mark.parametrize(("model", "x"), KEPT.values(), ids=KEPT)
def test_what_leaves_the_span_is_not_reduced(model, x):
    full = as_flow(model, x, 0.0, 1.0)
    small, notes = reduce_exactly(full)
    assert small is full and notes == ()


def test_one_token_on_a_sphere_still_has_a_circle():
    small, _ = reduce_exactly(as_flow(ROTATING["softmax"], POINTS[:1], 0.0, 1.0))
    assert small.start.shape == (1, 2)
    np.testing.assert_allclose(small.law(small.start).points, POINTS[:1], atol=1e-15)


def test_multiples_of_the_identity():
    assert multiple_of_identity(None) == 1.0
    assert multiple_of_identity(jnp.eye(3) * -2.5) == -2.5
    assert multiple_of_identity(jnp.eye(3).at[0, 1].set(1e-300)) is None
    assert multiple_of_identity(jnp.ones((2, 3))) is None


# --- equal tokens -------------------------------------------------------------------------------------------------


def test_equal_tokens_are_found_whatever_their_order():
    x = np.array([[0.0, 1.0], [1.0, 0.0], [0.0, 1.0], [-0.0, 1.0], [1.0, 1e-17]])
    labels = equal_tokens(tkf.Measure(x))
    assert labels.tolist() == [0, 1, 0, 0, 2]  # zero has no sign; 1e-17 is not zero
    assert equal_tokens(tkf.Measure(x[[0, 1, 4]])) is None
    # the same sum of coordinates is not the same token
    assert equal_tokens(tkf.Measure([[0.25, 0.5], [0.5, 0.25]])) is None
    # tokens that differ in their radius differ
    assert equal_tokens(tkf.Measure(x[[0, 2]], radii=[1.0, 2.0], geometry=tkf.Sphere(2))) is None


def test_positions_tell_equal_tokens_apart():
    x = POINTS[[0, 0, 1, 2, 3]]
    model = tkf.Transformer(SPHERE, tkf.Softmax(1.0), position=position.Causal())
    small, notes = reduce_exactly(as_flow(model, x, 0.0, 1.0))
    assert len(notes) == 1 and small.labels is None and small.start.shape == (5, 5)
    own_noise = tkf.Transformer(SPHERE, tkf.Softmax(1.0), noise=tkf.Noise(10.0, seed=0))
    assert reduce_exactly(as_flow(own_noise, x, 0.0, 1.0))[1] == ()
    common = tkf.Transformer(SPHERE, tkf.Softmax(1.0), noise=tkf.Noise(10.0, seed=0, common=True))
    assert reduce_exactly(as_flow(common, x, 0.0, 1.0))[0].start.shape == (4, D)


@pytest.mark.slow
def test_both_reductions_in_a_run_and_none_inside_a_trace():
    """6 tokens, two of them twice, rotated into R^4 and back equal the traced run in R^30 to 1e-12.

    Observables and events see 6 tokens of R^30, and the weights are theirs.
    """
    model = ROTATING["softmax"]
    mu = tkf.Measure(POINTS[[0, 1, 0, 2, 2, 3]], [1.0, 2.0, 3.0, 1.0, 1.0, 2.0])
    save = tkf.Save(3, observables={"center": lambda nu: nu.mean})
    options = {"t1": 1.0, "method": "rk4", "step": 0.1, "save": save}
    seen = []

    def late(t, mu, model):
        seen.append(mu.points.shape)
        return t > 10.0

    found = tkf.solve(model, mu, events=late, **options)
    assert found.notes == (
        "6 tokens are 4 different ones: equal tokens move as one of their total weight",
        f"tokens stay in the span of the 4 initial ones: solved in R^4 instead of R^{D}",
    )
    assert set(seen) == {(6, D)}
    assert found.model is model
    traced = jax.jit(lambda nu: tkf.solve(model, nu, **options))(mu)
    assert traced.notes == ()
    np.testing.assert_allclose(found.points, traced.points, atol=1e-12)
    np.testing.assert_allclose(found.observables["center"], traced.observables["center"], atol=1e-12)
    np.testing.assert_allclose(found.final.weights, mu.weights)
    np.testing.assert_allclose(np.linalg.norm(found.points, axis=2), 1.0, atol=1e-14)
    assert np.abs(found.points[-1] - found.points[0]).max() > 0.01
