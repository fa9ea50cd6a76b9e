"""`fate`: constructed motions of each kind, with known rates and periods."""

from __future__ import annotations

import numpy as np
import pytest

import tokenfield as tkf
from tokenfield.errors import InvalidInput
from tokenfield.observables import fate
from tokenfield.observables.fate import fate_of

TS = np.linspace(0, 40, 401)


def on_sphere(angles: np.ndarray, height: np.ndarray) -> np.ndarray:
    r = np.sqrt(1 - height**2)
    return np.stack([r * np.cos(angles), r * np.sin(angles), np.broadcast_to(height, angles.shape)], axis=-1)


def test_rest_rotation_cycle_settling_wandering():
    first, height = np.array([0.0, 1.0, 2.5]), np.array([0.3, -0.4, 0.0])
    at_rest = fate_of(TS, np.tile(on_sphere(first, height), (401, 1, 1)))
    assert at_rest.kind == "rest" and at_rest.period == np.inf
    turning = fate_of(TS, on_sphere(first + 0.7 * TS[:, None], height))
    assert turning.kind == "rotation" and turning.rate == pytest.approx(0.7, rel=1e-9)
    assert turning.period == pytest.approx(2 * np.pi / 0.7)
    # slower than the window: a quarter turn
    slow = fate_of(TS, on_sphere(first + 0.04 * TS[:, None], height))
    assert slow.kind == "rotation" and slow.rate == pytest.approx(0.04, rel=1e-6)
    # the distances change with period 5
    cycle = fate_of(
        TS, on_sphere(first + np.sin(2 * np.pi / 5 * TS[:, None] + [0.0, 1.0, 2.0]) * [0.1, 0.5, -0.4], height)
    )
    assert cycle.kind == "cycle" and cycle.period == pytest.approx(5.0, abs=1e-6)
    settling = fate_of(TS, on_sphere(first + np.exp(-0.1 * TS[:, None]) * [1.0, -1.0, 0.5], height))
    assert settling.kind == "settling" and settling.rate == 0
    wandering = fate_of(TS, on_sphere(first + np.sqrt([[2.0, 3.0, 5.0]]) * TS[:, None], height))
    assert wandering.kind == "wandering"


def test_the_period_of_a_cycle_is_known_between_saved_times():
    """The direction of e^{tV} x with eigenvalues 0.2 +- i sqrt(1.5) is there again after 2 pi / sqrt(1.5)."""
    w = np.sqrt(1.5)  # V = (0.2, 3; -0.5, 0.2): an ellipse of axes sqrt(6) : 1, at an uneven speed
    ellipse = np.stack([np.sqrt(6) * np.sin(w * TS), np.cos(w * TS)], axis=-1)[:, None]
    found = fate_of(TS, ellipse / np.linalg.norm(ellipse, axis=-1, keepdims=True))
    assert found.kind == "cycle" and found.period == pytest.approx(2 * np.pi / w, rel=1e-4)


def test_one_point_in_a_larger_space():
    """A single token spans its plane over time only."""
    points = np.zeros((401, 1, 5))
    points[:, 0, 1], points[:, 0, 3] = np.cos(0.3 * TS), np.sin(0.3 * TS)
    assert fate_of(TS, points).rate == pytest.approx(0.3, rel=1e-9)


def test_errors():
    run = tkf.solve(tkf.Transformer(tkf.Sphere(2), tkf.Softmax(1.0)), np.eye(2), t1=1.0, save=4)
    with pytest.raises(InvalidInput, match="at least 8 late times"):
        fate(run)
    with pytest.raises(InvalidInput, match="0 < late <= 1"):
        fate(run, late=0.0)
