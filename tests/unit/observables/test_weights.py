"""The law of weights: a token of weight 2 equals two tokens, for every observable of a measure."""

from __future__ import annotations

import jax
import numpy as np
import pytest

from tokenfield import Measure, Save, Softmax, Sphere, Transformer, Unnormalized, observables, solve

SA = Transformer(Sphere(3), Softmax(3.0))
USA = Transformer(Sphere(3), Unnormalized(3.0))


def all_pairs(mu):
    """The cosine mean over all pairs, diagonal included, from the mean over distinct pairs."""
    same = (mu.weights**2).sum()
    return observables.mean_cosine(mu) * (1 - same) + same


def cumulative_with_diagonal(mu):
    """The distribution function over all pairs, diagonal included, from the histogram over distinct pairs."""
    same = float((mu.weights**2).sum())
    histogram = observables.pair_cosine_histogram(mu, bins=20)
    mass = histogram.density * np.diff(histogram.edges) * (1 - same)
    mass[-1] += same
    return np.cumsum(mass)


# pairs of distinct tokens are no functional of the measure: those two are tested with the diagonal put back
OBSERVABLES = {
    "energy": lambda mu: observables.energy(mu, SA),
    "normalized energy": lambda mu: observables.energy(mu, SA, normalized=True),
    "dissipation SA": lambda mu: observables.dissipation(mu, SA),
    "dissipation USA": lambda mu: observables.dissipation(mu, USA),
    "order_parameter": observables.order_parameter,
    "effective_rank": observables.effective_rank,
    "smallest_cosine": observables.smallest_cosine,
    "mean_cosine": all_pairs,
    "pair_cosine_histogram": cumulative_with_diagonal,
    "harmonic_spectrum": lambda mu: observables.harmonic_spectrum(mu, [1, 2, 5]),
    "attention_rank": lambda mu: observables.attention_rank(mu, SA),
    "hull_volume": observables.hull_volume,
    "cluster count": lambda mu: observables.clusters(mu, Sphere(3), delta=0.7).count,
    "cluster masses": lambda mu: observables.clusters(mu, Sphere(3), delta=0.7).masses,
    "cluster centers": lambda mu: observables.clusters(mu, Sphere(3), delta=0.7).centers,
}


@pytest.mark.parametrize("name", OBSERVABLES)
def test_a_token_of_weight_two_equals_two_tokens(name):
    rng = np.random.default_rng(0)
    x = rng.normal(size=(12, 3))
    x /= np.linalg.norm(x, axis=1, keepdims=True)
    w = rng.uniform(0.5, 1.0, size=12)
    w[4] = 2.0
    split = np.concatenate([np.where(np.arange(12) == 4, 1.0, w), [1.0]])
    observable = OBSERVABLES[name]
    one = np.asarray(observable(Measure(x, w)))
    two = np.asarray(observable(Measure(np.concatenate([x, x[4:5]]), split)))
    # the same sum in another order
    np.testing.assert_allclose(two, one, rtol=1e-12, atol=1e-13)
    # the weight matters: otherwise the law would hold for observables that ignore weights
    if name not in ("smallest_cosine", "attention_rank", "hull_volume", "cluster count"):
        assert not np.allclose(observable(Measure(x)), one, rtol=1e-6)


def test_circle_modes_of_a_token_of_weight_two():
    one = observables.fourier_coefficients(Measure([[0.6, 0.8], [1.0, 0.0]], [2.0, 1.0]), [1, 3])
    two = observables.fourier_coefficients(Measure([[0.6, 0.8], [1.0, 0.0], [0.6, 0.8]]), [1, 3])
    np.testing.assert_allclose(one, two, atol=1e-15)


TRACEABLE = {
    "energy": lambda mu: observables.energy(mu, SA),
    "order_parameter": observables.order_parameter,
    "smallest_cosine": observables.smallest_cosine,
    "mean_cosine": observables.mean_cosine,
    "harmonic_spectrum": lambda mu: observables.harmonic_spectrum(mu, [1, 2]),
    "effective_rank": observables.effective_rank,
}


@pytest.mark.slow
def test_observables_can_be_saved_along_a_run_and_differentiated():
    x = np.random.default_rng(1).normal(size=(9, 3))
    x /= np.linalg.norm(x, axis=1, keepdims=True)
    run = solve(SA, x, t1=1.0, method="euler", step=0.5, save=Save(3, observables=TRACEABLE))
    for name, observable in TRACEABLE.items():
        compiled = jax.jit(observable)
        expected = np.stack([compiled(run.measure(i)) for i in range(3)])
        np.testing.assert_allclose(run.observables[name], expected, rtol=1e-12, err_msg=name)
        gradient = jax.jit(jax.grad(lambda y, observable=observable: observable(Measure(y)).sum()))(x)
        assert np.all(np.isfinite(gradient)), name
        assert np.any(gradient != 0), name
