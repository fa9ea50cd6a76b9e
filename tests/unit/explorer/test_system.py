"""One running system: frames, changes while it runs, tokens that are moved, what a frame shows."""

from __future__ import annotations

import numpy as np
import pytest

from tokenfield import observables, solve
from tokenfield.errors import InvalidInput, TokenfieldError
from tokenfield.explorer import measures
from tokenfield.explorer.frames import unpack
from tokenfield.explorer.scene import Scene
from tokenfield.explorer.system import System

# one shape for all tests: compiling is what takes time
TABLES = {
    "geometry": {"dim": 3},
    "attention": {"beta": 4.0},
    "initial": {"n": 24, "seed": 1},
    "solve": {"t1": 3.0, "dtype": "float64"},
}


def tables(**changes):
    return {**TABLES, **{name: {**TABLES.get(name, {}), **table} for name, table in changes.items()}}


def next_frame(system: System):
    while (data := system.frame()) is None:
        assert system.result is None
    return unpack(data)


def test_frames_and_a_change_are_those_of_solve():
    system = System(Scene.of(TABLES))
    header, arrays = unpack(system.first_frame())
    model, start = system.scene.config.build()
    assert header["index"] == 0 and header["t"] == 0.0 and set(arrays) == {"points", "weights"}
    np.testing.assert_array_equal(arrays["points"], np.asarray(start.points, np.float32))
    system.set_speed(0.5)
    seen = [next_frame(system) for _ in range(3)]
    assert [h["t"] for h, _ in seen] == [0.5, 1.0, 1.5] and [h["index"] for h, _ in seen] == [1, 2, 3]
    run = solve(model, start, t1=3.0, save=[0.5, 1.0, 1.5])
    # half a unit of float32 at 1, which is how numbers travel
    np.testing.assert_allclose(np.stack([a["points"] for _, a in seen]), run.points, atol=6e-8)

    system.change(Scene.of(tables(attention={"beta": 1.0})))
    after = next_frame(system)
    other, _ = system.scene.config.build()
    on = solve(other, run.at(1.5), t0=1.5, t1=3.0, save=[2.0])
    assert after[0]["t"] == 2.0
    np.testing.assert_allclose(after[1]["points"], on.points[0], atol=6e-8)

    point = [0.0, 3.0, 0.0]
    system.move(5, point)
    header, arrays = unpack(system.shown_again())
    np.testing.assert_allclose(arrays["points"][5], [0.0, 1.0, 0.0], atol=1e-7)
    np.testing.assert_array_equal(np.delete(arrays["points"], 5, 0), np.delete(after[1]["points"], 5, 0))
    assert (
        header["scalars"]["clusters"]
        == observables.clusters(system.law, system.model.geometry, delta=observables.cluster_scale(system.model)).count
    )
    assert {"energy", "normalized_energy", "smallest_cosine", "mean_cosine"} <= set(header["scalars"])
    assert arrays["labels"].dtype == np.uint16 and arrays["histogram"].shape == (64,)
    assert arrays["spectrum"].shape == (17,)

    made: dict = {}  # what was done on the way is done again, bit for bit
    exec(system.program, made)
    assert made["t"] == 2.0 and [set(step) - {"t"} for step in made["steps"]] == [{"change"}, {"token", "point"}]
    np.testing.assert_array_equal(made["law"].points, system.law.points)

    system.attend(5)
    _, arrays = next_frame(system)
    matrix = observables.attention_matrix(system.law, system.model)
    np.testing.assert_allclose(arrays["attention"], matrix[5], atol=1e-7)
    system.attend(None)
    assert "attention" not in next_frame(system)[1]
    assert system.result.name == "finished" and system.frame() is None


def test_what_makes_no_sense_is_refused_and_changes_nothing():
    system = System(Scene.of(TABLES))
    before = unpack(system.first_frame())[1]["points"]
    for call in (
        lambda: system.move(24, [1.0, 0.0, 0.0]),
        lambda: system.move(True, [1.0, 0.0, 0.0]),
        lambda: system.move(0, [1.0, 0.0]),
        lambda: system.move(0, [0.0, 0.0, 0.0]),
        lambda: system.move(0, [float("nan"), 0.0, 1.0]),
        lambda: system.move(0, "abc"),
        lambda: system.move(0, [10**400, 0.0, 1.0]),
        lambda: system.set_speed(10**400),
        lambda: system.move(0, [[1.0, 0.0, 0.0]]),
        lambda: system.attend(-1),
        lambda: system.attend(2.5),
        lambda: system.set_speed(0),
        lambda: system.set_speed(float("inf")),
        lambda: system.set_speed("fast"),
        lambda: system.change(Scene.of(tables(initial={"n": 25}))),
        lambda: system.change(Scene.of(tables(attention={"kind": "linear", "relative": True}))),
        lambda: system.change(Scene.of(tables(normalization={"kind": "mix-ln"}))),
    ):
        with pytest.raises(TokenfieldError):
            call()
    assert system.attended is None and system.scene.config.attention.beta == 4.0
    np.testing.assert_array_equal(unpack(system.first_frame())[1]["points"], before)
    assert next_frame(system)[0]["t"] > 0


def test_what_a_page_is_told():
    system = System(Scene.of(TABLES), number=1)
    told = system.described()
    assert (told["n"], told["d"], told["geometry"]) == (24, 3, "sphere")
    assert (told["state"], told["clock"]) == ("tokens", "linear")
    assert told["system"] == 1 and told["config"]["attention"]["beta"] == 4.0 and told["delta"] == pytest.approx(0.15)
    system.set_speed(0.5)  # a page multiplies what it is told by its pace: it is always that of the scene
    assert system.described()["speed"] == told["speed"] == 3.0 / 300
    found = system.predictions()
    named = {entry["name"]: entry for entry in found["predictions"]}
    applying = [entry for entry in found["predictions"] if entry["applies"]]
    assert applying and all(e["statement"] and e["source"] and e["text"] and not e["reason"] for e in applying)
    refused = named["decay_rates"]
    assert not refused["applies"] and "V = -I" in refused["reason"]
    assert found["curves"]["equiangular"] is None


def test_the_equiangular_curve_lies_on_the_measured_cosines():
    frame = {"geometry": {"dim": 6}, "attention": {"beta": 1.0}, "initial": {"kind": "frame"}, "solve": {"t1": 2.0}}
    system = System(Scene.of(frame))
    curve = np.array(system.predictions()["curves"]["equiangular"])
    system.set_speed(1.0)
    header, arrays = next_frame(system)
    assert header["projected"] and arrays["points"].shape == (6, 3) and arrays["gram"].shape == (6, 6)
    # float32 tokens at rtol 1e-5, and straight lines between 201 points of the curve
    assert header["scalars"]["mean_cosine"] == pytest.approx(np.interp(1.0, *curve.T), abs=1e-3)


def test_densities_and_gaussians():
    circle = {
        "geometry": {"dim": 2},
        "state": {"kind": "density", "grid": "fourier", "nodes": 32},
        "attention": {"beta": 2.0},
        "initial": {"kind": "perturbed-uniform", "degree": 2, "amplitude": 0.3},
        "solve": {"t1": 1.0},
    }
    system = System(Scene.of(circle))
    told = system.described()
    header, arrays = next_frame(system)
    assert told["state"] == "density" and len(told["grid"]["angles"]) == 32 and arrays["density"].shape == (32,)
    assert np.mean(arrays["density"]) == pytest.approx(1.0, abs=1e-6) and header["scalars"]["peak"] > 1.2
    with pytest.raises(InvalidInput, match="no single tokens"):
        system.attend(0)
    ellipse = {
        "geometry": {"kind": "euclidean", "dim": 2},
        "state": {"kind": "gaussian"},
        "attention": {"beta": 0.5},
        "solve": {"t1": 0.2},
    }
    arrays = next_frame(System(Scene.of(ellipse)))[1]
    assert arrays["mean"].shape == (2,) and arrays["covariance"].shape == (2, 2)


@pytest.mark.parametrize("kind", ["density", "gaussian"])
def test_laws_for_each_position_are_refused(kind):
    tables = {
        "geometry": {"kind": "euclidean", "dim": 1},
        "position": {"causal": True},
        "attention": {"kind": "linear"},
        "state": {"kind": kind, "positions": 2},
    }
    with pytest.raises(TokenfieldError, match="not one for each position"):
        System(Scene.of(tables))


def test_the_projection_moves_little_from_frame_to_frame():
    rng = np.random.default_rng(0)
    x = rng.normal(size=(30, 8)) * np.array([3.0, 2.9, 2.8, 1, 1, 1, 1, 1])
    first, basis = measures.projected(x, None)
    np.testing.assert_allclose(basis.T @ basis, np.eye(3), atol=1e-12)
    again, after = measures.projected(x + 1e-3 * rng.normal(size=x.shape), basis)
    assert np.max(np.abs(again - first)) < 0.5 and np.linalg.norm(after - basis) < 0.2
    flat, _ = measures.projected(np.eye(8)[:2], None)  # two tokens have no third direction
    assert flat.shape == (2, 3) and np.all(np.isfinite(flat))


def test_slow_measures_are_left_out_of_most_frames(monkeypatch):
    system = System(Scene.of(TABLES))
    system.set_speed(0.01)
    next_frame(system)
    monkeypatch.setattr(system, "_measuring_s", 1e6)
    header, arrays = next_frame(system)
    assert "clusters" not in header["scalars"] and "labels" not in arrays and "mean_cosine" in header["scalars"]


@pytest.mark.parametrize("geometry", ["sphere", "euclidean"])
def test_a_token_of_many_dimensions_is_moved_where_its_projection_was_dragged(geometry):
    """The oracle: three coordinates in the directions that are seen; what is not seen keeps its direction."""
    rng = np.random.default_rng(0)
    points = rng.normal(size=(9, 6))
    points /= np.linalg.norm(points, axis=1, keepdims=True)
    _, basis = measures.projected(points, None)
    for shadow in ([0.1, -0.2, 0.3], [0.0, 0.0, 0.0], [2.0, 0.0, 1.0]):
        moved = measures.lifted(np.array(shadow), points[4], basis, is_sphere=geometry == "sphere")
        np.testing.assert_allclose(basis.T @ moved, shadow, atol=1e-14)
        hidden = [x - basis @ (basis.T @ x) for x in (moved, points[4])]
        inside = geometry == "euclidean" or np.linalg.norm(shadow) < 1
        # outside the ball nothing is hidden but rounding, of any sign
        assert (hidden[0] @ hidden[1] > 1e-14) == inside
        if geometry == "euclidean":
            np.testing.assert_allclose(hidden[0], hidden[1], atol=1e-14)
        elif inside:
            assert abs(np.linalg.norm(moved) - 1) < 1e-14


def test_a_system_of_many_dimensions_takes_a_drag_in_three():
    system = System(Scene.of({"geometry": {"dim": 6}, "initial": {"n": 12}, "solve": {"t1": 1.0}}))
    unpack(system.first_frame())
    system.move(3, [0.5, 0.0, 0.0])
    assert abs(float(np.linalg.norm(np.asarray(system.law.points)[3])) - 1) < 1e-6  # float32
    header, arrays = unpack(system.shown_again())
    assert header["projected"]
    # the directions follow the tokens, of which one has moved
    np.testing.assert_allclose(arrays["points"][3], [0.5, 0.0, 0.0], atol=0.15)
    with pytest.raises(InvalidInput, match="6 numbers"):
        system.move(3, [0.5, 0.0])


@pytest.mark.parametrize(
    ("more", "log", "unlike"),
    [
        ({}, None, None),
        ({"position": {"causal": True}}, "no positions, no noise", None),
        ({"noise": {"kappa": 20.0}}, "no positions, no noise", None),
        ({"attention": {"kind": "sigmoid"}}, "is for softmax, unnormalized and L2", None),
        ({"solve": {"merge": True, "t1": 1e10}}, None, "Choose linear time first"),
        (
            {"state": {"kind": "density"}, "initial": {"kind": "perturbed-uniform", "degree": 2, "amplitude": 0.1}},
            "the law of infinitely many",
            None,
        ),
    ],
)
def test_what_does_not_go_together_is_told_with_the_reason(more, log, unlike):
    plain = {"geometry": {"dim": 2}, "initial": {"n": 4}, "solve": {"t1": 1.0}}
    told = System(Scene.of({**plain, **more})).described()["refused"]
    for found, words in ((told["log"], log), (told["unlike"], unlike)):
        assert found is None if words is None else words in found
