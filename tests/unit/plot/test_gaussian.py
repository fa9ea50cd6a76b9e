"""plot.gaussian and plot.covariance_cone: what is drawn, where it is cut off, and errors that help."""

from __future__ import annotations

import dataclasses
import importlib.util
import json
import sys
from pathlib import Path

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from PIL import Image

import tokenfield as tkf
from tokenfield import plot
from tokenfield.laws.gaussian import Gaussian, limit_rank
from tokenfield.solver.result import Outcome, Result
from tokenfield.solver.trajectory import Stats, Trajectory

SCRIPT = Path(__file__).parents[3] / "examples" / "gaussian_phase_portraits.py"


def made_up(covariances, *, means=None, ts=None, code=Outcome.FINISHED.value) -> Trajectory:
    """A run with given covariances (T, d, d): pictures do not care who moved them."""
    S = np.asarray(covariances, float)
    ts = np.linspace(0, 2, len(S)) if ts is None else ts
    m = np.zeros(S.shape[:2]) if means is None else np.asarray(means, float)
    zero = jnp.zeros((), int)
    return Trajectory(
        ts=jnp.asarray(ts),
        states={"mean": jnp.asarray(m), "covariance": jnp.asarray(S)},
        observables={},
        final=Gaussian(m[-1], S[-1]),
        result=Result(jnp.asarray(code), jnp.asarray(ts[-1])),
        stats=Stats(zero, zero, zero),
        model=tkf.Transformer(tkf.Euclidean(S.shape[1]), tkf.Softmax(1.0)),
    )


U = np.linspace(0, 1, 41)[:, None, None]
SHRINKING = made_up((1 - U) * np.diag([1.0, 0.5]) + U * np.diag([0.5, 1e-3]), means=np.linspace([0, 0], [1, 2], 41))
GROWING = made_up(np.diag([1.0, 0.5]) / (1 - 0.999999 * U), code=Outcome.BLEW_UP.value)


def is_drawn(path) -> bool:
    return len(np.unique(np.asarray(Image.open(path).convert("L")))) > 20


def test_gaussian_draws_ellipses_and_eigenvalues(tmp_path):
    picture = plot.gaussian(SHRINKING)
    left, right = picture.figure.axes[:2]
    first = np.asarray(left.lines[0].get_xydata())
    np.testing.assert_allclose([np.ptp(first[:, 0]), np.ptp(first[:, 1])], [2.0, np.sqrt(2.0)], rtol=1e-3)
    curves = [line.get_ydata() for line in right.lines[:2]]
    np.testing.assert_allclose([curve[-1] for curve in curves], [0.5, 1e-3])
    assert right.get_yscale() == "log" and is_drawn(picture.save(tmp_path / "one.png", dpi=60))


def test_a_blow_up_is_marked_and_cut_off():
    left, right = plot.gaussian(GROWING).figure.axes[:2]
    # without the cut, the last ellipse would be a thousand times wider than the first
    assert max(np.ptp(line.get_xdata()) for line in left.lines) < 20
    assert right.get_ylim()[1] <= 1e4 and any("t^*" in text.get_text() for text in right.texts)
    drifting = made_up(np.tile(np.eye(2), (41, 1, 1)), means=np.linspace([0, 0], [1e9, 0], 41))
    assert max(np.abs(line.get_xdata()).max() for line in plot.gaussian(drifting).figure.axes[0].lines) < 100


def test_many_axes_use_the_first_two():
    S = np.tile(np.diag(np.arange(9.0, 0.0, -1)), (5, 1, 1))
    left, right = plot.gaussian(made_up(S)).figure.axes[:2]
    assert len(right.lines) == 9 and np.ptp(left.lines[0].get_ydata()) == pytest.approx(2 * np.sqrt(8), rel=1e-3)


def test_cone_of_one_of_several_and_of_a_batch(tmp_path):
    batch = jax.tree.map(lambda *a: jnp.stack(a), SHRINKING, SHRINKING)
    for runs, count in ((SHRINKING, 1), ([SHRINKING, GROWING], 2), (batch, 2)):
        picture = plot.covariance_cone(runs)
        (starts, *_) = [c for c in picture.figure.axes[0].collections if hasattr(c, "_offsets3d")]
        assert len(starts._offsets3d[0]) == count
    assert is_drawn(picture.save(tmp_path / "cone.png", dpi=60))


def test_cone_ends_at_the_largest_trace_and_the_disk_does_not():
    axes = plot.covariance_cone([GROWING], largest_trace=4.0).figure.axes[0]
    assert axes.get_zlim()[1] == pytest.approx(4.0)
    disk = plot.covariance_cone([GROWING], normalized=True)
    ends = np.concatenate([dots.get_offsets() for dots in disk.figure.axes[0].collections[1:]])  # the first are lines
    np.testing.assert_allclose(ends, [[1 / 3, 0.0]] * 2, atol=1e-6)  # S / tr S does not move in this run
    assert any("grows" in text.get_text() for text in disk.figure.legends[0].get_texts())
    large_at_rest = made_up(np.diag([1.0, 0.5]) * np.minimum(1 + 100 * U, 20))
    legend = plot.covariance_cone([large_at_rest], normalized=True).figure.legends[0]
    assert not any("grows" in text.get_text() for text in legend.get_texts())


def test_limit_rank():
    assert limit_rank(SHRINKING) == 1 and limit_rank(SHRINKING, tolerance=1e-4) == 2
    assert limit_rank(made_up(np.diag([1.0, 0.5]) * (1 - 0.999 * U))) == 0  # it vanishes
    assert limit_rank(GROWING) == 2
    batch = jax.tree.map(lambda *a: jnp.stack(a), SHRINKING, GROWING)
    assert list(limit_rank(batch)) == [1, 2]


def test_errors():
    points = jnp.tile(jnp.eye(2), (41, 1, 1))
    tokens = dataclasses.replace(SHRINKING, states={"points": points}, final=tkf.Measure(np.eye(2)))
    line = made_up(np.ones((3, 1, 1)))
    three = made_up(np.tile(np.eye(3), (3, 1, 1)))
    for call, message in (
        (lambda: plot.gaussian(tokens), "from a Gaussian"),
        (lambda: plot.gaussian(line), "R\\^1"),
        (lambda: plot.covariance_cone(three), "another R\\^d"),
        (lambda: plot.covariance_cone([]), "a list of them"),
        (lambda: limit_rank(tokens), "from a Gaussian"),
    ):
        with pytest.raises(tkf.InvalidInput, match=message):
            call()


@pytest.mark.slow
def test_phase_portraits(tmp_path, capsys):
    """One panel of the example: its figure, its numbers, and the blow-up times that theory predicts."""
    spec = importlib.util.spec_from_file_location("gaussian_phase_portraits", SCRIPT)
    script = importlib.util.module_from_spec(spec)
    sys.modules["gaussian_phase_portraits"] = script  # dataclasses look their module up
    spec.loader.exec_module(script)
    assert len(script.grid_of_covariances(20)) == 276  # as published
    options = ["--panel", "softmax-explosion", "--panel", "softmax-rank-1", "--out", str(tmp_path), "--json", "--quiet"]
    assert script.main(options) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["softmax-explosion"]["ends"] == {"grown": 60}
    # the trace 1000 is reached within 1/1000 of the blow-up time
    assert found["softmax-explosion"]["predicted_blow_up"]["largest_gap"] < 2e-3
    assert found["softmax-rank-1"]["ends"] == {"rest": 60} and "2" not in found["softmax-rank-1"]["limit_ranks"]
    assert is_drawn(tmp_path / "softmax-explosion.png") and json.loads((tmp_path / "summary.json").read_text()) == found
