"""Growth rates of a given model: those of theory where it speaks of the model, nothing elsewhere."""

from __future__ import annotations

import numpy as np
import pytest

import tokenfield as tkf
from tokenfield import theory
from tokenfield.theory.model_growth import model_growth_rates

CIRCLE = tkf.Sphere(2)


def test_rates_are_those_of_its_attention_less_diffusion():
    plain = model_growth_rates(tkf.Transformer(CIRCLE, tkf.Unnormalized(2.0)), count=5)
    # k^2 I_k(beta)/beta; I_3(2) = 0.2127399592 (tables)
    assert plain.value.shape == (5,) and plain.value[2] == pytest.approx(9 * 0.21273995923985267 / 2, rel=1e-12)
    softmax = model_growth_rates(tkf.Transformer(tkf.Sphere(4), tkf.Softmax(2.0)), count=3)
    np.testing.assert_array_equal(softmax.value, theory.growth_rates(2.0, 4, count=3).value)
    noisy = model_growth_rates(tkf.Transformer(CIRCLE, tkf.Unnormalized(2.0), noise=tkf.Noise(4.0, seed=0)), count=5)
    np.testing.assert_allclose(noisy.value, plain.value - np.arange(1, 6) ** 2 / 4, rtol=1e-14)
    np.testing.assert_allclose(noisy.value, theory.noisy_growth_rates(2.0, 2, 4.0, count=5).value, rtol=1e-12)
    assert "kappa" in noisy.statement and noisy.source == plain.source


@pytest.mark.parametrize(
    "model",
    [
        tkf.Transformer(CIRCLE, tkf.L2(2.0)),
        tkf.Transformer(CIRCLE, tkf.Softmax(-2.0)),
        tkf.Transformer(CIRCLE, tkf.Head(tkf.Softmax(2.0), V=-np.eye(2))),
        tkf.Transformer(CIRCLE, tkf.Softmax(2.0), normalization=tkf.NGPT()),
        tkf.Transformer(CIRCLE, tkf.Softmax(2.0), relative=True),
        tkf.Transformer(CIRCLE, [tkf.Softmax(2.0), tkf.Softmax(1.0)]),
        tkf.Transformer(CIRCLE, [tkf.Softmax(2.0), tkf.Perceptron(np.eye(2), np.eye(2), np.zeros(2))]),
    ],
    ids=["kind", "sign", "matrix", "normalization", "relative", "heads", "perceptron"],
)
def test_nothing_is_said_of_other_models(model):
    assert model_growth_rates(model) is None
