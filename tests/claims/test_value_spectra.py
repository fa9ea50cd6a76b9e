"""Claims on V of any spectrum."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import tokenfield as tkf
from claim_checks import assert_fails, assert_holds, claims_of
from tokenfield.claims import value_spectra


@pytest.mark.parametrize("claim", claims_of("value_spectra"))
def test_claim(claim):
    assert_holds(claim)


@pytest.mark.slow
def test_a_plane_that_turns_one_percent_faster_does_not_pass(monkeypatch):
    matrix = value_spectra._matrix
    monkeypatch.setattr(value_spectra, "_matrix", lambda a, b, c: matrix(a, 1.02 * b, c))
    assert_fails(value_spectra.CLAIMS[0])


@pytest.mark.slow
def test_poles_of_an_attention_one_percent_sharper_do_not_pass(monkeypatch):
    modes = value_spectra._pole_modes
    monkeypatch.setattr(value_spectra, "_pole_modes", lambda beta, *rest: modes(1.01 * beta, *rest))
    assert_fails(value_spectra.CLAIMS[1])


def test_the_polygon_mean_is_the_sum_over_tokens():
    angles = 2 * np.pi * np.arange(5) / 5
    weights = np.exp(1.7 * np.cos(angles))
    expected = np.sum(weights * np.cos(angles)) / np.sum(weights)
    assert value_spectra._polygon_mean(1.7, 5) == pytest.approx(expected, rel=1e-12)


def test_the_modes_at_the_poles_are_eigenvalues_of_the_flow():
    """Two tokens of masses 0.3 and 0.7 at e and -e: the derivative of the velocity across the axis is the matrix."""
    model = tkf.Transformer(tkf.Sphere(2), tkf.Softmax(0.8), V=jnp.diag(jnp.array([2.0, -0.6])))

    def across(heights):
        x = jnp.stack([jnp.array([1.0, -1.0]) * jnp.sqrt(1 - heights**2), heights], axis=1)
        return model.velocity(0.0, x, tkf.Measure(x, jnp.array([0.3, 0.7])))[:, 1]

    slopes = np.asarray(jax.jacfwd(across)(jnp.zeros(2)))
    assert slopes == pytest.approx(2.0 * value_spectra._pole_modes(0.8, 0.3, -0.3), abs=1e-12)


def test_beyond_tanh_beta_no_masses_hold_two_poles():
    for beta in (0.1, 0.5, 1.0, 3.0):
        for share in np.linspace(0.01, 0.99, 99):
            modes = value_spectra._pole_modes(beta, share, np.tanh(beta) + 1e-6)
            assert np.linalg.eigvals(modes).real.max() > 0
