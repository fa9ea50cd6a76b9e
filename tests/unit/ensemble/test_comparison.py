"""Particles against the mean field: `tokenfield.compare`, on cases whose distances are known."""

from __future__ import annotations

import numpy as np
import pytest

import tokenfield as tkf
from tokenfield.ensemble import comparison as comparing
from tokenfield.ensemble.comparison import Comparison, compare, fitted_rate
from tokenfield.laws import Cells, Density, Fourier, Gaussian

CIRCLE = tkf.Transformer(tkf.Sphere(2), tkf.Softmax(1.0))
BUMPS = Density.vmf_mixture(Fourier(128), means=[[1.0, 0.0], [-1.0, 1.0]], concentrations=[2.0, 1.0])


@pytest.mark.slow
def test_tokens_approach_the_density_at_the_rate_of_samples():
    found = compare(CIRCLE, BUMPS, t1=1.0, sizes=(100, 800), seeds=12, progress=False)
    # 12 draws of a distance that scatters by 40%: each mean is good to 12%, the slope to 0.17 / log(8) = 0.08
    assert found.rate == pytest.approx(-0.5, abs=0.2)
    assert found.initial_rate == pytest.approx(-0.5, abs=0.2)
    assert found.is_complete
    # attraction moves mass by O(1): the distances at both ends are of one size
    assert np.all((found.growth > 0.3) & (found.growth < 4))


@pytest.mark.slow
def test_tokens_of_another_law_do_not_approach(monkeypatch):
    other = Density.vmf_mixture(Fourier(128), means=[[0.0, 1.0]], concentrations=2.0)
    monkeypatch.setattr(comparing, "_draw", lambda start, n, seed, model: other.sample(n, seed=seed))
    found = compare(CIRCLE, BUMPS, t1=1.0, sizes=(100, 800), seeds=3, progress=False)
    assert found.rate > -0.1


def test_samples_have_the_law_of_the_density():
    for grid in (Fourier(64), Cells(64)):
        rho = Density.vmf_mixture(grid, means=[[1.0, 0.0]], concentrations=3.0)
        tokens = rho.sample(20_000, seed=1)
        # a coordinate scatters by less than 1, so its mean by 0.007: five times that
        np.testing.assert_allclose(np.asarray(tokens.mean), np.asarray(rho.mean), atol=0.035)


@pytest.mark.slow
def test_a_gaussian_and_its_samples():
    model = tkf.Transformer(tkf.Euclidean(2), tkf.Softmax(0.3))
    law = Gaussian([0.5, 0.0], [[1.0, 0.2], [0.2, 0.5]])
    found = compare(model, law, t1=0.5, sizes=(100, 800), seeds=12, p=2, progress=False)
    assert found.rate == pytest.approx(-0.5, abs=0.2)
    assert "normal laws" in found.distance


def test_fitted_rate_ignores_what_was_not_solved():
    sizes = np.array([10, 100, 1000])
    distances = np.array([[1.0, np.nan], [0.1, 0.1], [np.nan, np.nan]])
    assert fitted_rate(sizes, distances) == pytest.approx(-1.0)
    assert np.isnan(fitted_rate(sizes[:1], distances[:1]))


@pytest.mark.slow
def test_interruption_keeps_what_is_done(monkeypatch):
    solved = comparing.solve

    def solve(model, start, **options):
        if isinstance(start, tkf.Measure) and start.n == 50:
            raise KeyboardInterrupt
        return solved(model, start, **options)

    monkeypatch.setattr(comparing, "solve", solve)
    found = compare(CIRCLE, BUMPS, t1=0.1, sizes=(20, 50), seeds=2, progress=False)
    assert isinstance(found, Comparison) and not found.is_complete
    assert np.isfinite(found.end[0]).all() and np.isnan(found.end[1]).all()
    assert found.to_dict()["is_complete"] is False


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"sizes": (1, 10)}, "sizes must be whole numbers"),
        ({"sizes": ()}, "sizes must be whole numbers"),
        ({"sizes": (10.5,)}, "sizes must be a list of whole numbers"),
        ({"seeds": 0}, "seeds must be a whole number"),
        ({"p": 3}, "W_1 and W_2"),
        ({"t1": 40.0}, "under-resolved"),
    ],
)
def test_refused(options, message):
    with pytest.raises(tkf.InvalidInput, match=message):
        compare(CIRCLE, BUMPS, **({"t1": 0.1, "progress": False} | options))
