"""Attraction by a power of the distance: the sum against its literal twin, and the laws of the logarithmic kernel."""

from __future__ import annotations

import numpy as np
import pytest

import tokenfield as tkf

RNG = np.random.default_rng(0)
X, W = RNG.normal(size=(7, 2)), RNG.uniform(0.5, 2.0, size=7)
W = W / W.sum()


def literal(x, w, power, softening=0.0):
    """sum_{j != i} w_j (x_j - x_i) / (|x_i - x_j|^2 + s^2)^{p/2}."""
    out = np.zeros_like(x)
    for i in range(len(x)):
        for j in range(len(x)):
            if i != j:
                out[i] += w[j] * (x[j] - x[i]) / (np.sum((x[i] - x[j]) ** 2) + softening**2) ** (power / 2)
    return out


@pytest.mark.parametrize(("power", "softening"), [(2.0, 0.0), (1.0, 0.0), (3.0, 0.2)])
def test_velocity_is_the_literal_sum(power, softening):
    model = tkf.Transformer(tkf.Euclidean(2), tkf.Riesz(power, softening), relative=True)
    mu = tkf.Measure(X, W)
    np.testing.assert_allclose(model.velocity(0.0, mu.points, mu), literal(X, W, power, softening), rtol=1e-12)


def test_tokens_at_the_same_place_do_not_feel_each_other():
    model = tkf.Transformer(tkf.Euclidean(2), tkf.Riesz(), relative=True)
    twice = tkf.Measure(np.concatenate([X, X]), np.concatenate([W, W]))
    velocity = np.asarray(model.velocity(0.0, twice.points, twice))
    np.testing.assert_allclose(velocity[:7], literal(X, W, 2.0), rtol=1e-12)


def test_causal_mask():
    model = tkf.Transformer(tkf.Euclidean(2), tkf.Riesz(), relative=True, position=tkf.Causal())
    mu = tkf.Measure(X, W)
    velocity = np.asarray(model.velocity(0.0, mu.points, mu))
    seen = W[:4] / W[:4].sum()
    np.testing.assert_allclose(velocity[3], literal(X[:4], seen, 2.0)[3], rtol=1e-12)
    np.testing.assert_allclose(velocity[0], 0, atol=1e-14)


def test_two_atoms_meet_when_they_should_whatever_their_masses():
    model = tkf.Transformer(tkf.Euclidean(2), tkf.Riesz(), relative=True)
    run = tkf.solve(model, tkf.Measure([[0.0, 0.0], [1.2, 0.0]], [0.7, 0.3]), t1=2.0, save="end")
    assert run.result.name == "blew-up"
    np.testing.assert_allclose(run.result.t, 1.2**2 / 2, rtol=1e-6)


def test_zeros_of_hermite_polynomials_shrink_and_keep_their_shape():
    # sum_{j != i} 1/(h_i - h_j) = h_i (Stieltjes), so x_i = c h_i with c^2 = 1 - 2 t / n
    n, t = 12, 2.0
    h = np.polynomial.hermite.hermgauss(n)[0]
    model = tkf.Transformer(tkf.Euclidean(1), tkf.Riesz(), relative=True)
    run = tkf.solve(model, tkf.Measure(h[:, None]), t1=t, save="end", rtol=1e-9)
    np.testing.assert_allclose(run.final.points[:, 0], np.sqrt(1 - 2 * t / n) * h, rtol=1e-6, atol=1e-6)


@pytest.mark.parametrize(("arguments", "words"), [((0.0,), "power must be positive"), ((2.0, -1.0), "softening")])
def test_numbers_are_checked(arguments, words):
    with pytest.raises(tkf.InvalidInput, match=words):
        tkf.Riesz(*arguments)
