"""Gains that change with depth: the ellipsoid moves and carries its tokens along."""

from __future__ import annotations

import jax.numpy as jnp
import numpy as np
import pytest

import tokenfield as tkf
from tokenfield.errors import InvalidInput
from tokenfield.model.gains import GainPerLayer

GAINS = np.asarray([[1.0, 2.0, 0.5], [3.0, 0.7, 1.5]])


def model(gain):
    return tkf.Transformer(tkf.Sphere(3), tkf.Softmax(2.0), normalization=tkf.PostLN(gain=gain))


@pytest.fixture(scope="module")
def tokens():
    x = np.random.default_rng(0).normal(size=(6, 3))
    return tkf.Measure(x / np.linalg.norm(x, axis=1, keepdims=True))


def literal(theta, gain):
    """P_theta diag(gain)^{-1} A with A the softmax mean of what is read."""
    read = theta * gain
    out = np.empty_like(theta)
    for i, row in enumerate(read):
        weights = np.exp(2.0 * read @ row)
        pulled = (weights @ read / weights.sum()) / gain
        out[i] = pulled - (pulled @ theta[i]) * theta[i]
    return out


def test_the_velocity_is_that_of_the_gain_of_its_depth(tokens):
    smooth = lambda t: jnp.asarray([1.0 + t, 2.0, jnp.exp(-t)])  # noqa: E731
    points = np.asarray(tokens.points)
    for gain, t, there in [
        (smooth, 0.3, np.asarray(smooth(0.3))),
        (GainPerLayer(GAINS, t1=4.0), 1.9, GAINS[0]),
        (GainPerLayer(GAINS, t1=4.0), 2.0, GAINS[1]),
    ]:
        found = model(gain).velocity(t, tokens.points, tokens)
        np.testing.assert_allclose(found, literal(points, there), rtol=1e-12, atol=1e-14)  # rounding


def test_a_run_changes_its_gain_at_the_layer(tokens):
    whole = tkf.solve(model(GainPerLayer(GAINS, t1=2.0)), tokens, t1=2.0, rtol=1e-9, atol=1e-9)
    first = tkf.solve(model(GAINS[0]), tokens, t1=1.0, rtol=1e-9, atol=1e-9)
    second = tkf.solve(model(GAINS[1]), first.final, t1=1.0, rtol=1e-9, atol=1e-9)
    # the steps of both runs are accurate to 1e-9, over a time in which errors hardly grow
    np.testing.assert_allclose(whole.final.points, second.final.points, atol=1e-7)
    only_first = tkf.solve(model(GAINS[0]), tokens, t1=2.0, rtol=1e-9, atol=1e-9)
    assert np.max(np.abs(whole.final.points - only_first.final.points)) > 1e-3


def test_mistakes_are_named():
    with pytest.raises(InvalidInput, match="one row per layer"):
        GainPerLayer([1.0, 2.0], t1=1.0)
    with pytest.raises(InvalidInput, match="must be positive"):
        GainPerLayer([[1.0, -2.0]], t1=1.0)
    with pytest.raises(InvalidInput, match="positive final time"):
        GainPerLayer(GAINS, t1=0.0)
    with pytest.raises(InvalidInput, match=r"shape \(3,\)"):
        model(lambda t: jnp.ones(2))


# what else depends on depth must not be frozen with the gain: t would be taken at the middle of each step
SCHEMES = {
    "a gain per layer": lambda gain: tkf.DepthScaled(gain=GainPerLayer([gain, gain], t1=2.0)),
    "a rate of depth": lambda gain: tkf.NGPT(lambda t: 1 / (1 + t), gain=GainPerLayer([gain, gain], t1=2.0)),
    "a smooth gain": lambda gain: tkf.MixLN(0.5, gain=lambda t: jnp.asarray(gain) * jnp.exp(0 * t)),
}
PLAIN = {
    "a gain per layer": lambda gain: tkf.DepthScaled(gain=gain),
    "a rate of depth": lambda gain: tkf.NGPT(lambda t: 1 / (1 + t), gain=gain),
    "a smooth gain": lambda gain: tkf.MixLN(0.5, gain=gain),
}


@pytest.mark.parametrize("name", SCHEMES)
def test_a_gain_that_happens_not_to_change_changes_nothing(tokens, name):
    runs = [
        tkf.solve(
            tkf.Transformer(tkf.Sphere(3), tkf.Softmax(2.0), normalization=scheme(GAINS[0])),
            tokens, t1=2.0, rtol=1e-9, atol=1e-9, save="end",
        )
        for scheme in (SCHEMES[name], PLAIN[name])
    ]  # fmt: skip
    # the runs differ in their steps (one stops at the change), so in what 1e-9 per step leaves
    np.testing.assert_allclose(runs[0].final.points, runs[1].final.points, atol=1e-7)


def test_a_smooth_gain_is_followed_inside_the_steps_of_a_scheme_that_switches(tokens):
    smooth = lambda t: jnp.asarray([1.0 + t, 2.0, 0.5])  # noqa: E731
    model = tkf.Transformer(tkf.Sphere(3), tkf.Softmax(2.0), normalization=tkf.MixLN(0.7, gain=smooth))
    loose, tight = (
        tkf.solve(model, tokens, t1=1.4, method="rk4", step=step, save="end").final.points for step in (0.1, 0.0125)
    )
    middle = tkf.solve(model, tokens, t1=1.4, method="rk4", step=0.05, save="end").final.points
    errors = [float(jnp.max(jnp.abs(points - tight))) for points in (loose, middle)]
    # order 4: half the step, a sixteenth of the error; a gain frozen at the middle of each step gives 4
    assert errors[0] / errors[1] > 8
