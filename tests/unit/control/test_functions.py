"""`approximate`: graphs of functions drawn by shears, against interpolation in loops, their bound, and refusals."""

from __future__ import annotations

import math

import numpy as np
import pytest

import tokenfield as tkf
from tokenfield import control


def _sheared(found: control.Approximation, x: np.ndarray) -> np.ndarray:
    """The flow of all pieces without a solver: each is a shear, x + w (<u, x> + b)_+, which the first line asserts."""
    (perceptron,) = found.construction.model.schedule.layers
    for W, U, b in zip(*(np.asarray(getattr(perceptron, name)) for name in ("W", "A", "b")), strict=True):
        assert abs(W[:, 0] @ U[0]) < 1e-12 * np.linalg.norm(W) * np.linalg.norm(U) + 1e-300
        x = x + np.maximum(x @ U.T + b, 0.0) @ W.T
    return x


def _interpolated(function, box, cells, x):
    """Linear along the first coordinate between corners, the middle of the cell across the others; in loops."""
    (low, high), *rest = box
    corners = np.linspace(low, high, cells[0] + 1)
    rows = []
    for point in x:
        middle = []
        for (a, b), p, value in zip(rest, cells[1:], point[1:], strict=True):
            k = min(int((value - a) / (b - a) * p), p - 1)
            middle.append(a + (b - a) * (k + 0.5) / p)
        row = np.array([[corner, *middle] for corner in corners])
        values = np.asarray(function(row[:, 0] if len(box) == 1 else row)).reshape(len(corners), -1)
        rows.append([np.interp(point[0], corners, column) for column in values.T])
    return np.array(rows)


# a function, its Lipschitz constant, a box, cells
CASES = {
    "one variable": (lambda s: np.stack([np.sin(2 * s), s**2], 1), math.hypot(2, 6), [(-1.0, 3.0)], (12,)),
    "two": (lambda x: np.sin(3 * x[:, 0]) * np.cos(2 * x[:, 1]), 3.0, [(0.0, 1.0), (-1.0, 1.0)], (6, 9)),
    "two, one row": (lambda x: x[:, 0] - x[:, 1], math.sqrt(2), [(0.0, 1.0), (0.0, 1.0)], (5, 1)),
    "three": (
        lambda x: np.stack([np.abs(x[:, 0] - x[:, 2]), x[:, 1]], 1),
        math.sqrt(3),
        [(0.0, 2.0), (0.0, 1.0), (5.0, 6.0)],
        (4, 3, 5),
    ),
    "four": (lambda x: np.cos(x.sum(axis=1)), 2.0, [(0.0, 1.0)] * 4, (2, 3, 2, 2)),
}


@pytest.mark.parametrize("case", CASES)
def test_graph_is_what_interpolation_says_and_within_its_bound(case):
    function, lipschitz, box, cells = CASES[case]
    found = control.approximate(function, cells, box=box)
    d = len(box)
    x = np.random.default_rng(3).uniform(*np.transpose(box), size=(4000, d))
    end = _sheared(found, found.start(x))
    np.testing.assert_allclose(end[:, :d], x, atol=1e-9)  # rounding times slopes of the stairs, some thousands
    exact, wanted = np.asarray(function(x[:, 0] if d == 1 else x)).reshape(len(x), -1), end[:, d:]
    literal = _interpolated(function, box, cells, x)
    is_there = np.abs(wanted - literal).max(axis=1) < 1e-9
    # what is not there is in a gap; three standard errors of a share
    assert np.mean(~is_there) <= found.gaps + 3 * math.sqrt(found.gaps / len(x))
    assert wanted.min() > exact.min() - found.spread and np.ptp(wanted, axis=0).max() <= found.spread + 1e-9
    error = np.sqrt(np.mean(np.sum((wanted - exact) ** 2, axis=1)))
    # more cells or another constant would not do: the bound is of the size of the error
    assert 0.02 * found.bound(lipschitz) < error < found.bound(lipschitz)
    corners = (cells[0] + 1) * math.prod(cells[1:])
    assert found.switches == corners + 4 * sum(p - 1 for p in cells[1:]) - 1


def test_error_falls_as_the_grid_is_refined():
    """Order 1 in the plane; with gaps that stay as wide it comes to a halt."""
    function, _, box, _ = CASES["two"]
    x = np.random.default_rng(0).uniform(*np.transpose(box), size=(4000, 2))

    def error(p: int, gap: float | None = None) -> float:
        found = control.approximate(function, p, box=box, gap=gap)
        return float(np.sqrt(np.mean((_sheared(found, found.start(x))[:, 2] - function(x)) ** 2)))

    # gaps are a random share of samples, of which 4 p^-2 count: 60 of 4000 on the finest grid, 13 % of their part
    assert math.log2(error(8) / error(32)) / 2 == pytest.approx(1.0, abs=0.15)
    assert error(32, gap=0.3) > 0.5 * error(8, gap=0.3)
    wide = control.approximate(function, 32, box=box, gap=0.3)
    # then it is the gaps that the bound is made of: without them it would be missed
    assert 3.0 * np.linalg.norm(wide.cell) / 2 < error(32, gap=0.3) < wide.bound(lipschitz=3.0)


def test_functions_that_jump_are_approximated_in_mean():
    """An indicator of a disk has no Lipschitz constant; cells that its edge crosses are a part like 1/p."""
    x = np.random.default_rng(1).uniform(-1, 1, size=(4000, 2))
    errors = []
    for p in (6, 24):
        found = control.approximate(lambda y: 1.0 * (np.sum(y**2, axis=1) < 0.5), p, box=[(-1, 1), (-1, 1)])
        values = _sheared(found, found.start(x))[:, 2]
        errors.append(np.sqrt(np.mean((values - (np.sum(x**2, axis=1) < 0.5)) ** 2)))
    assert errors[1] < 0.75 * errors[0]  # 1/2 in the limit


def test_the_flow_is_that_of_the_shears():
    function, _, box, cells = CASES["two"]
    found = control.approximate(function, cells, box=box)
    x = np.random.default_rng(2).uniform(*np.transpose(box), size=(50, 2))
    np.testing.assert_allclose(found.values(x), _sheared(found, found.start(x))[:, 2:], atol=1e-9)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: control.approximate(np.sin, 3, box=(1.0,)), "box must be pairs"),
        (lambda: control.approximate(np.sin, 3, box=(1.0, 1.0)), "its low below its high"),
        (lambda: control.approximate(np.sin, 0, box=(0.0, 1.0)), "cells must be a whole number >= 1"),
        (lambda: control.approximate(np.sin, (2, 3), box=(0.0, 1.0)), "cells must be a whole number >= 1, or 1 of"),
        (lambda: control.approximate(lambda s: 1.0, 3, box=(0.0, 1.0)), "for each of its 4 points"),
        (lambda: control.approximate(lambda s: s / np.nan, 3, box=(0.0, 1.0)), "must be finite at the corners"),
        (
            lambda: control.approximate(np.sin, 100, box=[(0.0, 1.0)] * 3),
            "100 x 100 x 100 cells needs 1010792 pieces of depth, at most 8192",
        ),
        (lambda: control.approximate(np.sin, 3, box=(0.0, 1.0), gap=0.1), "there is only one"),
        (lambda: control.approximate(np.prod, 3, box=[(0, 1), (0, 1)], gap=0.9), "gap is a part"),
        (lambda: control.approximate(np.sin, 3, box=(0.0, 1.0)).values([2.0]), r"not at \[2.0\]"),
        (lambda: control.approximate(np.sin, 3, box=(0.0, 1.0)).values([[0.1, 0.2]]), r"shape \(k, 1\)"),
        (lambda: control.approximate(np.sin, 3, box=(0.0, 1.0)).bound(-1.0), "a Lipschitz constant is"),
        (lambda: control.approximate(lambda s: 1e308 * np.sign(s - 0.5), 3, box=(0.0, 1.0)), "beyond float64"),
    ],
)
def test_what_makes_no_sense_is_refused(call, message):
    with pytest.raises(tkf.TokenfieldError, match=message):
        call()
