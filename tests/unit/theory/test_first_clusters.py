"""Maxima of the linear phase's field: its harmonics by the addition theorem, closed forms, rotations, and errors."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import special

import tokenfield as tkf
from tokenfield import theory
from tokenfield.errors import InvalidInput
from tokenfield.theory.linear_phase import sum_harmonics


def sphere(n: int, seed: int = 0) -> np.ndarray:
    x = np.random.default_rng(seed).normal(size=(n, 3))
    return x / np.linalg.norm(x, axis=1, keepdims=True)


def literal_field(x: np.ndarray, w: np.ndarray, beta: float, t: float, at: np.ndarray, degrees: int) -> np.ndarray:
    """The formula of the module, summed over tokens, with the rates of the linear theory."""
    rates = theory.growth_rates(beta, 3, count=degrees).value
    total = np.zeros(len(at))
    for k, rate in enumerate(rates, start=1):
        moment = special.eval_legendre(k, np.clip(at @ x.T, -1, 1)) @ w
        total += rate / (k * (k + 1)) * np.exp(rate * t) * (2 * k + 1) * moment
    return total / rates.max()


@pytest.mark.parametrize("beta", [1.2, 6.0])
def test_the_field_is_the_literal_sum(beta):
    x, at = sphere(50), sphere(20, seed=1)
    w = np.random.default_rng(2).uniform(0.5, 1.5, 50)
    found = theory.first_clusters(x, beta, weights=w).value
    degrees = len(found.field) - 1
    expected = literal_field(x, w / w.sum(), beta, found.time, at, degrees)
    np.testing.assert_allclose(found.field_at(at), expected, atol=1e-12 * np.abs(expected).max())  # rounding
    assert np.sqrt(np.sum(found.amplitudes**2)) == pytest.approx(1.0)  # the level at which the linear phase ends


def test_maxima_are_maxima():
    """No point of a fine cloud is higher than the highest maximum, and around each maximum the field falls."""
    x = sphere(300)
    found = theory.first_clusters(x, 5.0).value
    heights = found.field_at(found.directions)
    assert found.field_at(sphere(20_000, seed=3)).max() <= heights.max() + 1e-9
    for direction, height in zip(found.directions, heights, strict=True):
        near = direction + 0.02 * sphere(40, seed=4)
        assert found.field_at(near / np.linalg.norm(near, axis=1, keepdims=True)).max() < height
    assert found.masses.sum() == pytest.approx(1.0) and np.all(np.diff(found.masses) <= 0)


def test_degree_one_is_the_mean_and_degree_two_the_leading_axis():
    x = sphere(40)
    mean = x.mean(axis=0)
    (one,) = theory.first_clusters(x, 1.0, degree=1).value.directions
    np.testing.assert_allclose(one, mean / np.linalg.norm(mean), atol=1e-6)  # parabolas of a width of 1e-4
    two = theory.first_clusters(x, 3.0, degree=2).value
    axis = np.linalg.eigh(x.T @ x)[1][:, -1]
    assert two.count == 2
    np.testing.assert_allclose(np.abs(two.directions @ axis), 1.0, atol=1e-10)
    assert two.directions[0] @ two.directions[1] == pytest.approx(-1.0)


def test_a_rotated_start_has_rotated_clusters():
    x = sphere(60)
    q = np.linalg.qr(np.random.default_rng(1).normal(size=(3, 3)))[0]
    here, there = theory.first_clusters(x, 6.0).value, theory.first_clusters(x @ q.T, 6.0).value
    assert here.count == there.count
    cosines = there.directions @ (here.directions @ q.T).T
    np.testing.assert_allclose(cosines.max(axis=1), 1.0, atol=1e-10)


def test_moments_of_independent_tokens_have_the_noise_of_the_claim():
    """Mean 0 and variance 1/n for every harmonic: 400 draws of 100 tokens, 15 harmonics."""
    w = np.full(100, 0.01)
    draws = np.array([sum_harmonics(sphere(100, seed), w, 3) for seed in range(400)])
    used = [(k, 3 + m) for k in (1, 2, 3) for m in range(-k, k + 1)]
    variances = np.array([100 * draws[:, k, m].var() for k, m in used])
    np.testing.assert_allclose(variances, 1.0, atol=5 * np.sqrt(2 / 400))  # five standard errors


def test_predict_lists_it():
    found = tkf.predict(tkf.Transformer(tkf.Sphere(3), tkf.Softmax(3.0)), tkf.Measure(sphere(3000)))
    assert found["first_clusters"].value.count >= 1 and "clusters of masses" in found["first_clusters"].shown
    assert "d = 3" in tkf.predict(tkf.Transformer(tkf.Sphere(2), tkf.Softmax(3.0))).refused["first_clusters"]


@pytest.mark.parametrize(
    ("points", "options", "message"),
    [
        (np.eye(2), {}, "unit vectors on S"),
        (2 * np.eye(3), {}, "unit vectors on S"),
        (np.eye(3), {"weights": [1.0]}, "weights need the shape"),
        (np.eye(3), {"beta": 0.0}, "beta > 0"),
        (np.eye(3), {"degree": 0}, "whole number >= 1"),
        ([[0, 0, 1.0], [0, 0, -1.0]], {"degree": 1}, "nothing in the degrees"),
    ],
)
def test_errors(points, options, message):
    with pytest.raises(InvalidInput, match=message):
        theory.first_clusters(points, **{"beta": 3.0, **options})
