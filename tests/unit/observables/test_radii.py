"""Statistics of the radii against literal weighted sums."""

from __future__ import annotations

import numpy as np
import pytest

from tokenfield import InvalidInput, Measure, PreLN, Save, Softmax, Sphere, Transformer, solve
from tokenfield.observables import radius_statistics

MODEL = Transformer(Sphere(3), Softmax(2.0), normalization=PreLN())


def test_statistics_use_the_weights():
    rng = np.random.default_rng(0)
    w = np.array([1.0, 2, 3, 4])
    run = solve(MODEL, Measure.polar(rng.normal(size=(4, 3)), w), t1=1.0, save=4)
    found = radius_statistics(run)
    for k, r in enumerate(np.asarray(run.radii)):
        mean = sum(a * b for a, b in zip(w / 10, r, strict=True))
        assert found.mean[k] == pytest.approx(mean, rel=1e-14)
        assert found.deviation[k] == pytest.approx(np.sqrt(sum(w / 10 * (r - mean) ** 2)), rel=1e-12)
        assert (found.smallest[k], found.largest[k]) == (r.min(), r.max())


@pytest.mark.slow
def test_runs_without_radii():
    start = np.eye(3)
    with pytest.raises(InvalidInput, match="only change with the normalizations"):
        radius_statistics(solve(Transformer(Sphere(3), Softmax(2.0)), start, t1=0.1, save=2))
    with pytest.raises(InvalidInput, match="kept no tokens and radii"):
        radius_statistics(solve(MODEL, Measure.polar(start), t1=1.0, save=Save(2, tokens=False)))
