"""Wasserstein distances against linear programs, and their laws."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import linprog

import tokenfield as tkf
from tokenfield.transport import circle_wasserstein, line_wasserstein, sliced_wasserstein, wasserstein


def by_program(cost: np.ndarray, a: np.ndarray, b: np.ndarray) -> float:
    """The cost of optimal transport, as a linear program over all couplings."""
    n, m = cost.shape
    rows = np.kron(np.eye(n), np.ones(m))
    columns = np.kron(np.ones(n), np.eye(m))
    found = linprog(cost.ravel(), A_eq=np.vstack([rows, columns]), b_eq=np.concatenate([a, b]), bounds=(0, None))
    return found.fun


def angles_and_weights(seed, n, m):
    rng = np.random.default_rng(seed)
    a, b = rng.uniform(0.2, 1, n), rng.uniform(0.2, 1, m)
    return rng.uniform(-4, 9, n), rng.uniform(-4, 9, m), a / a.sum(), b / b.sum()


@pytest.mark.parametrize("p", [1, 2, 3])
@pytest.mark.parametrize(("seed", "n", "m"), [(0, 5, 7), (1, 8, 8), (2, 1, 6), (3, 12, 3), (4, 1, 1)])
def test_circle_and_line_equal_the_linear_program(p, seed, n, m):
    x, y, a, b = angles_and_weights(seed, n, m)
    gaps = np.abs(x[:, None] - y)
    around = np.abs((x[:, None] - y + np.pi) % (2 * np.pi) - np.pi)
    # the program itself is solved to about 1e-9
    assert circle_wasserstein(x, y, a, b, p=p) ** p == pytest.approx(by_program(around**p, a, b), rel=1e-7, abs=1e-9)
    assert line_wasserstein(x, y, a, b, p=p) ** p == pytest.approx(by_program(gaps**p, a, b), rel=1e-7, abs=1e-9)


@pytest.mark.parametrize("p", [1, 2])
def test_turning_a_measure_costs_the_angle(p):
    """Turning a few clusters, across the cut at 0, costs the angle, also for equal points."""
    x = np.array([0.1, 0.1, 2.0, 6.2])
    w = np.array([0.1, 0.2, 0.3, 0.4])
    assert circle_wasserstein(x, x + 0.05, w, w, p=p) == pytest.approx(0.05, abs=1e-12)
    assert circle_wasserstein(x, x + 2 * np.pi, w, w, p=p) == pytest.approx(0, abs=1e-12)
    assert circle_wasserstein([0.1], [0.1 + np.pi], [1.0], [1.0], p=p) == pytest.approx(np.pi)


def test_measures_and_slices():
    circle, line, sphere = tkf.Sphere(2), tkf.Euclidean(1), tkf.Sphere(3)
    theta = np.array([0.3, 1.0, 4.0])
    mu, nu = (tkf.Measure(np.stack([np.cos(t), np.sin(t)], 1), geometry=circle) for t in (theta, theta + 0.2))
    assert wasserstein(mu, nu, circle) == pytest.approx(0.2)
    assert sliced_wasserstein(mu, nu, circle, slices=3) == pytest.approx(0.2)  # every great circle is the circle
    a, b = tkf.Measure([[0.0], [1.0]]), tkf.Measure([[0.5], [2.0]], [1.0, 3.0])
    assert wasserstein(a, b, line) == pytest.approx(
        by_program(np.abs(np.array([[0.5, 2], [0.5, 1]])), [0.5, 0.5], [0.25, 0.75])
    )
    uniform = [tkf.initial.uniform(sphere, n=400, seed=seed) for seed in (0, 1)]
    cap = tkf.initial.cap(sphere, n=400, seed=2, center=[0.0, 0.0, 1.0], angle=0.5)
    # two samples of one law are closer than samples of different laws
    near, far = sliced_wasserstein(*uniform, sphere, slices=32), sliced_wasserstein(uniform[0], cap, sphere, slices=32)
    assert near < 0.3 < 0.6 < far
    space = tkf.Euclidean(3)
    shift = np.array([0.3, -0.4, 1.2])
    x = tkf.Measure(uniform[0].points)
    # a translation by v moves the view along u by <u, v>: the mean of its square is |v|^2 / d
    found = sliced_wasserstein(x, tkf.Measure(uniform[0].points + shift), space, slices=4000)
    assert found == pytest.approx(np.linalg.norm(shift) / np.sqrt(3), rel=0.05)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda mu: wasserstein(mu, mu, tkf.Sphere(3)), "for the circle and the line"),
        (lambda mu: wasserstein(mu, mu, tkf.Sphere(2)), "dimension 2"),
        (lambda mu: sliced_wasserstein(mu, mu, tkf.Sphere(3), p=0), "p >= 1"),
        (lambda mu: sliced_wasserstein(mu, mu, tkf.Sphere(3), slices=0), "at least 1"),
    ],
)
def test_errors(call, message):
    with pytest.raises(tkf.InvalidInput, match=message):
        call(tkf.Measure(np.eye(3)))
