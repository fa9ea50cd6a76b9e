"""Tokens that start as an orthonormal frame keep equal cosines gamma(t): particles against the scalar equation.

Equations and hitting times of gamma = 0.999: arXiv 2312.10794.
"""

from __future__ import annotations

import numpy as np
import pytest

import oracles
import tokenfield as tkf

KINDS = {"SA": (tkf.Softmax, oracles.sa_equiangular), "USA": (tkf.Unnormalized, oracles.usa_equiangular)}

# (n, beta) -> time for gamma to reach 0.999
SA_TIMES = {
    32: {0: 5.186, 0.1: 5.192, 1: 5.270, 2: 5.458, 3: 5.898, 4: 6.954, 5: 9.544, 6: 15.995, 7: 32.233, 8: 73.446,
         9: 178.73},
    128: {0: 5.879, 1: 5.909, 4: 6.570, 6: 10.353, 8: 35.468, 9: 82.593},
}  # fmt: skip
USA_TIMES = {32: {1: 2.897, 2: 1.880, 4: 1.131, 9: 0.686}}
TABLE = [
    (kind, n, beta, t)
    for kind, times in (("SA", SA_TIMES), ("USA", USA_TIMES))
    for n, row in times.items()
    for beta, t in row.items()
]
TOLERANCE = 1e-3  # the table is rounded to 3 decimals


def cosines(x):
    """The off-diagonal cosines of each state, shape (T, n (n-1))."""
    x = np.asarray(x)
    gram = np.einsum("tid,tjd->tij", x, x)
    return gram[:, ~np.eye(x.shape[1], dtype=bool)]


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
def test_frame_follows_the_scalar_equation(kind):
    attention, rhs = KINDS[kind]
    n, t1 = 8, 8.0 if kind == "SA" else 2.0
    ts = np.linspace(0, t1, 9)
    for beta in (1.0, 4.0):
        model = tkf.Transformer(tkf.Sphere(n), attention(beta))
        run = tkf.solve(model, np.eye(n), t1=t1, save=9, rtol=1e-10, atol=1e-12)
        expected = oracles.equiangular_path(rhs, beta, n, ts)
        assert expected[-1] > 0.5  # the cosines have gone most of the way
        # 100 times rtol: some hundred steps, whose errors do not grow because consensus attracts
        assert np.abs(cosines(run.points) - expected[:, None]).max() < 1e-8
        wrong = oracles.equiangular_path(rhs, beta + 1e-4, n, ts)
        assert np.abs(cosines(run.points) - wrong[:, None]).max() > 1e-6  # the control: beta off by 1e-4


@pytest.mark.parametrize(("kind", "n", "beta", "t"), TABLE)
def test_hitting_times_by_quadrature(kind, n, beta, t):
    assert oracles.equiangular_hitting_time(KINDS[kind][1], beta, n, 0.999) == pytest.approx(t, abs=TOLERANCE)


def hitting_time(kind, n, beta):
    """The time at which particles from a frame reach cosine 0.999, by the event; one compilation per kind and n."""
    model = tkf.Transformer(tkf.Sphere(n), KINDS[kind][0](beta))
    run = tkf.solve(model, np.eye(n), t1=200.0, save="end", events=tkf.events.CosineLevel(0.999))
    assert run.result.name == "cosine-level"
    return float(run.result.t)


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
def test_hitting_times_of_particles(kind):
    table = SA_TIMES[32] if kind == "SA" else USA_TIMES[32]
    for beta, t in table.items():
        assert hitting_time(kind, 32, float(beta)) == pytest.approx(t, abs=TOLERANCE), f"beta = {beta}"
    # the control: 1% more beta is seen
    assert hitting_time(kind, 32, 4.04) != pytest.approx(table[4], abs=TOLERANCE)


@pytest.mark.slow
def test_hitting_times_of_many_particles():
    for beta, t in SA_TIMES[128].items():
        assert hitting_time("SA", 128, float(beta)) == pytest.approx(t, abs=TOLERANCE), f"beta = {beta}"
