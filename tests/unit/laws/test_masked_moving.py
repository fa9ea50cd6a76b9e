"""Masked densities in R^1: literal sums over nodes, masses that stay, a past that the future cannot reach, tokens."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

import tokenfield as tkf
from tokenfield.laws import MaskedMovingDensity, Moving, MovingDensity
from tokenfield.study.builders.start import build_start
from tokenfield.study.config import Config
from tokenfield.study.simulate import simulate
from tokenfield.study.store import RunFolder

GRID = Moving(1, 16)
CELLS = 4
MODEL = tkf.Transformer(tkf.Euclidean(1), tkf.Softmax(1.0), V=np.array([[0.5]]), position=tkf.Causal())


def start(*, later: float = 0.0, cells: int = CELLS) -> MaskedMovingDensity:
    """Boxes of width 1 around 1 - 2 s; those in the second half are moved by `later`."""

    def box(s: float) -> MovingDensity:
        middle = 1 - 2 * s + (later if s > 0.5 else 0.0)
        return MovingDensity.uniform(GRID, low=middle - 0.5, high=middle + 0.5)

    return MaskedMovingDensity.from_function(box, positions=cells)


@cache
def end(later: float = 0.0):
    return tkf.solve(MODEL, start(later=later), t1=1.0, method="rk4", step=0.05, save=3)


def literal_velocity(points: np.ndarray, masses: np.ndarray, *, own: float = 0.5) -> np.ndarray:
    """0.5 sum_j w_j e^{x y_j} y_j / sum_j w_j e^{x y_j} over nodes of cells before, and a part of the own cell."""
    out = np.zeros_like(points)
    for c in range(len(points)):
        for i, x in enumerate(points[c, :, 0]):
            total = moment = 0.0
            for tau in range(c + 1):
                part = own if tau == c else 1.0
                for y, w in zip(points[tau, :, 0], masses[tau], strict=True):
                    total += part * w * np.exp(x * y)
                    moment += part * w * np.exp(x * y) * y
            out[c, i, 0] = 0.5 * moment / total
    return out


def test_velocities_are_literal_sums():
    rho = start()
    plain = tkf.Transformer(tkf.Euclidean(1), tkf.Softmax(1.0), V=np.array([[0.5]]))
    found = np.asarray(rho.velocity(plain, 0.0))
    expected = literal_velocity(np.asarray(rho.points), np.asarray(rho.masses))
    np.testing.assert_allclose(found, expected, atol=1e-14)  # rounding
    # the control: the own cell seen in full is a rule of first order, and another field
    assert np.abs(found - literal_velocity(np.asarray(rho.points), np.asarray(rho.masses), own=1.0)).max() > 0.01


def test_positions_keep_their_mass_and_do_not_see_what_follows():
    run, other = end(), end(0.7)
    assert np.abs(np.asarray(run.final.marginal) - 1 / CELLS).max() < 1e-12
    half = CELLS // 2
    np.testing.assert_array_equal(run.final.points[:half], other.final.points[:half])
    assert np.abs(run.final.points[half:] - other.final.points[half:]).max() > 0.1
    assert run.kind == "density" and run.state(1).points.shape == (CELLS, 16, 1)
    assert tkf.plot.density(run).name == "density"


def test_the_rescaled_frame_is_the_same_flow():
    rescaled = tkf.Transformer(
        tkf.Euclidean(1), tkf.Softmax(1.0), V=np.array([[0.5]]), position=tkf.Causal(), rescaled=True
    )
    z = tkf.solve(rescaled, start(), t1=1.0, method="rk4", step=0.05, save=3).final.points
    # steps of 0.05 to fourth order in both frames
    np.testing.assert_allclose(np.exp(0.5) * z, end().final.points, rtol=0, atol=1e-6)


@pytest.mark.slow
def test_tokens_approach_the_density():
    """Evenly spaced tokens in every cell: n of them are the nodes of a coarse rule, and the error falls with n."""
    cells, errors = 32, []
    means = np.asarray(tkf.solve(MODEL, start(cells=cells), t1=1.0, method="rk4", step=0.05, save="end").final.means)
    for n in (64, 256, 1024):
        s = (np.arange(n) + 0.5) / n
        # positions 1 - 2 s and, inside a box, a low-discrepancy sequence
        x = 1 - 2 * s + np.modf(np.arange(n) * (np.sqrt(5) - 1) / 2)[0] - 0.5
        run = tkf.solve(MODEL, tkf.Measure(x[:, None], positions=s), t1=1.0, method="rk4", step=0.05, save="end")
        last = np.asarray(run.final.points)[-n // 8 :].mean()
        errors.append(abs(last - means[-cells // 8 :].mean()))
    assert errors[-1] < 5e-3 and errors[-1] < errors[0] / 4  # 1024 tokens, and cells of 1/32 to second order


def test_runs_are_kept(tmp_path):
    config = Config.from_dict(
        {
            "geometry": {"kind": "euclidean", "dim": 1},
            "position": {"causal": True},
            "attention": {"beta": 1.0},
            "state": {"kind": "density", "nodes": 16, "positions": 4},
            "initial": {"kind": "box", "low": -0.5, "high": 0.5},
            "solve": {"t1": 0.2, "save": 3},
            "output": {"figures": False},
        }
    )
    summary = simulate(config, tmp_path / "run").summary
    assert summary["positions"] == 4 and summary["marginal_error"] < 1e-12
    again = RunFolder.open(tmp_path / "run").trajectory()
    assert isinstance(again.final, MaskedMovingDensity) and again.state(0).points.shape == (4, 16, 1)
    assert again.final.marginal == pytest.approx(0.25, abs=1e-12)


@pytest.mark.parametrize(
    ("build", "message"),
    [
        (lambda: MaskedMovingDensity([]), "list of moving densities"),
        (
            lambda: MaskedMovingDensity([MovingDensity.uniform(GRID), MovingDensity.uniform(Moving(1, 24))]),
            "same size and dimension",
        ),
        (lambda: MaskedMovingDensity([MovingDensity.uniform(GRID)], shares=[1.0, 2.0]), "shares must have shape"),
        (lambda: MaskedMovingDensity([MovingDensity.uniform(GRID)] * 2, shares=[1.0, 0.0]), "shares must be positive"),
        (lambda: MaskedMovingDensity.from_function(lambda s: MovingDensity.uniform(GRID), positions=0), "positions"),
    ],
)
def test_mistakes_are_one_line(build, message):
    with pytest.raises(tkf.InvalidInput, match=message):
        build()


def test_a_model_without_mask_is_refused():
    with pytest.raises(tkf.Unsupported, match="position=Causal"):
        tkf.solve(tkf.Transformer(tkf.Euclidean(1), tkf.Softmax(1.0)), start(), t1=1.0)


MASKED = {"geometry": {"dim": 2}, "position": {"causal": True}, "state": {"kind": "density", "nodes": 16}}


@pytest.mark.parametrize(
    ("tables", "message"),
    [
        ({"state": {"positions": 4}}, "state.positions has no effect: only a density has a grid"),
        ({"state": {"kind": "density", "positions": 4}}, "needs position.causal = true"),
        (MASKED | {"initial": {"last_mean": [1.0, 0.0]}}, "has no parameter 'last_mean'"),
        (
            MASKED
            | {"state": {"kind": "density", "positions": 4}, "initial": {"kind": "uniform", "positions": "even"}},
            "initial.positions has no effect",
        ),
    ],
)
def test_configs_that_do_not_fit_are_one_line(tables, message):
    with pytest.raises(tkf.ConfigError, match=message):
        Config.from_dict(tables).resolved()


def test_means_of_a_config_go_from_the_first_to_the_last():
    initial = {"kind": "von-mises-fisher", "mean": [1.0, 0.0], "last_mean": [0.0, 1.0], "concentration": 2.0}
    config = Config.from_dict(MASKED | {"state": {"kind": "density", "nodes": 32, "positions": 2}, "initial": initial})
    rho = build_start(config.resolved(), tkf.Sphere(2))
    angles = np.arctan2(*np.asarray(rho.means).T[::-1])
    np.testing.assert_allclose(angles, np.arctan2([0.25, 0.75], [0.75, 0.25]), atol=1e-9)  # 32 nodes resolve e^{2 cos}
