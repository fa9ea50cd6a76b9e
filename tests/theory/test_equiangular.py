"""Hitting times of gamma = 0.999 by the equiangular equations of arXiv 2312.10794, apart from the library.

Particles against these equations are claims: tests/claims/test_perspective.py.
"""

from __future__ import annotations

import pytest

import oracles

EQUATIONS = {"SA": oracles.sa_equiangular, "USA": oracles.usa_equiangular}

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


@pytest.mark.parametrize(("kind", "n", "beta", "t"), TABLE)
def test_hitting_times_by_quadrature(kind, n, beta, t):
    assert oracles.equiangular_hitting_time(EQUATIONS[kind], beta, n, 0.999) == pytest.approx(t, abs=TOLERANCE)
