"""`separation` and `logistic_readout`: literal sums, closed forms, collapse, and errors."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import minimize

import tokenfield as tkf
from tokenfield.errors import InvalidInput
from tokenfield.observables import logistic_readout, separation


def cloud(seed: int = 0) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    labels = np.repeat([0, 1, 2], [5, 7, 9])
    x = rng.normal(size=(21, 4)) + 3 * rng.normal(size=(3, 4))[labels]
    return x, labels, rng.uniform(0.5, 1.5, 21)


def test_literal_sums():
    x, labels, w = cloud()
    p = w / w.sum()
    S_w, S_b = np.zeros((4, 4)), np.zeros((4, 4))
    mean = p @ x
    for c in range(3):
        own = p[labels == c].sum()
        m = p[labels == c] @ x[labels == c] / own
        for j in np.flatnonzero(labels == c):
            S_w += p[j] * np.outer(x[j] - m, x[j] - m)
        S_b += own * np.outer(m - mean, m - mean)
    found = separation(tkf.Measure(x, weights=w), labels)
    assert found.within == pytest.approx(np.trace(S_w), rel=1e-12)
    assert found.between == pytest.approx(np.trace(S_b), rel=1e-12)
    assert found.fuzziness == pytest.approx(np.trace(S_w @ np.linalg.pinv(S_b, rcond=1e-8)), rel=1e-9)


def test_words_order_and_a_linear_map_do_not_matter():
    x, labels, _ = cloud()
    found = separation(tkf.Measure(x), labels)
    order = np.random.default_rng(1).permutation(21)
    words = np.array(["cat", "dog", "owl"])[labels]
    assert separation(tkf.Measure(x[order]), words[order]).fuzziness == pytest.approx(found.fuzziness)
    turn = np.linalg.qr(np.random.default_rng(2).normal(size=(4, 4)))[0]
    assert separation(tkf.Measure(2 * x @ turn + 1), labels).fuzziness == pytest.approx(found.fuzziness)


def test_collapse_is_seen():
    """Three points at the corners of a triangle collapse; a longer corner, or other angles, do not."""
    corners = np.array([[1.0, 0.0], [-0.5, 0.75**0.5], [-0.5, -(0.75**0.5)]])
    labels = np.repeat([0, 1, 2], 4)
    found = separation(tkf.Measure(corners[labels]), labels)
    assert found.within == pytest.approx(0, abs=1e-15) and found.fuzziness == pytest.approx(0, abs=1e-15)
    assert found.unequal_lengths < 1e-12 and found.unequal_angles < 1e-12 and found.nearest == pytest.approx(1.0)
    longer = separation(tkf.Measure((corners * [[2.0], [1.0], [1.0]])[labels]), labels)
    assert longer.unequal_lengths > 0.1 and longer.unequal_angles > 0.1


def test_the_readout_is_the_minimum():
    x, labels, w = cloud(3)
    two = labels < 2
    x, y, w = x[two], labels[two], w[two] / w[two].sum()

    def cost(theta: np.ndarray) -> float:
        z = x @ theta[:-1] + theta[-1]
        return float(w @ np.logaddexp(0, np.where(y == 1, -z, z)) + 0.05 * theta[:-1] @ theta[:-1] / 2)

    found = logistic_readout(tkf.Measure(x, weights=w), y, ridge=0.05)
    best = minimize(cost, np.zeros(5), tol=1e-12)
    np.testing.assert_allclose(np.append(found.a, found.b), best.x, atol=1e-4)  # finite differences of the oracle
    assert found.loss == pytest.approx(cost(best.x) - 0.05 * best.x[:-1] @ best.x[:-1] / 2, abs=1e-6)


def test_two_clusters_on_the_sphere_separate_at_the_rate_of_theory():
    """Antipodal clusters: deviations fall like e^{-t}, so that log Tr(S_w S_b^+) falls by 2 in a unit of time."""
    rng = np.random.default_rng(0)
    x = np.repeat([[1.0, 0, 0], [-1.0, 0, 0]], 8, axis=0) + 1e-3 * rng.normal(size=(16, 3))
    x /= np.linalg.norm(x, axis=1, keepdims=True)
    labels = np.repeat([0, 1], 8)
    run = tkf.solve(tkf.Transformer(tkf.Sphere(3), tkf.Softmax(9.0)), x, t1=4.0, save=9)
    # along the axis classes hardly differ: the scatter within them is what falls
    within = [separation(run.measure(i), labels).within for i in range(9)]
    assert np.polyfit(run.ts, np.log(within), 1)[0] == pytest.approx(-2.0, abs=1e-3)  # 1e-3 of a deviation squared


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda mu: separation(mu, [0, 1]), "labels need the shape"),
        (lambda mu: separation(mu, [1, 1, 1]), "at least two classes"),
        (lambda mu: logistic_readout(mu, [0, 1, 2]), "two classes apart, got 3"),
        (lambda mu: logistic_readout(mu, [0, 1, 1], ridge=0.0), "ridge must be positive"),
        (lambda mu: separation(tkf.Measure([[0.0], [1.0], [0.0], [1.0]]), [0, 0, 1, 1]), "means of all classes agree"),
    ],
)
def test_errors(call, message):
    with pytest.raises(InvalidInput, match=message):
        call(tkf.Measure([[0.0, 1.0], [1.0, 0.0], [2.0, 0.0]]))
