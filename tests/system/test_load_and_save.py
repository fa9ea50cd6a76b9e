"""`Trajectory.save` and `tokenfield.load`: what was solved in Python comes back bit for bit, with its model."""

from __future__ import annotations

import json

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from typer.testing import CliRunner

import tokenfield as tkf
from tokenfield.cli import app
from tokenfield.study.store.plain import from_plain, to_plain

CIRCLE, PLANE = tkf.Sphere(2), tkf.Euclidean(2)
START = np.asarray(CIRCLE.uniform_points(6, seed=0))


def tokens() -> tkf.Trajectory:
    model = tkf.Transformer(
        CIRCLE,
        [tkf.Head(tkf.Softmax(2.0), V=[[0.5, 0.0], [0.0, 1.0]]), tkf.Perceptron(jnp.eye(2) / 3)],
        position=[tkf.Causal(), tkf.RoPE()],
        normalization=tkf.PreLN(),
    )
    save = tkf.Save(3, observables={"order": tkf.observables.order_parameter})
    return tkf.solve(model, tkf.Measure(START, np.arange(1.0, 7.0)), t1=1.0, layers=2, save=save)


def merging() -> tkf.Trajectory:
    model = tkf.Transformer(CIRCLE, tkf.Softmax(4.0))
    return tkf.solve(model, START, t1=1e9, merge=True, save="log:5", events=tkf.events.Consensus(0.1))


def density() -> tkf.Trajectory:
    model = tkf.Transformer(CIRCLE, tkf.Softmax(2.0), noise=tkf.Noise(5.0, seed=0))
    return tkf.solve(
        model, tkf.Density.perturbed_uniform(tkf.laws.Fourier(16), degree=2, amplitude=0.1), t1=0.2, save=3
    )


def gaussian() -> tkf.Trajectory:
    return tkf.solve(tkf.Transformer(PLANE, tkf.Softmax(1.0)), tkf.Gaussian([0.0, 1.0], jnp.eye(2)), t1=0.2, save="end")


def leaves(value: object) -> list:
    """All numbers of a value; keys as the numbers that they are."""
    found = jax.tree.leaves(value)
    is_key = [isinstance(a, jax.Array) and jnp.issubdtype(a.dtype, jax.dtypes.prng_key) for a in found]
    return [np.asarray(jax.random.key_data(a) if key else a) for a, key in zip(found, is_key, strict=True)]


@pytest.mark.parametrize(
    "solved", [tokens, merging, *(pytest.param(f, marks=pytest.mark.slow) for f in (density, gaussian))]
)
def test_a_run_comes_back_as_it_was(solved, tmp_path):
    run = solved()
    folder = run.save(tmp_path / "run")
    again = tkf.load(folder)
    assert jax.tree.structure(again.model) == jax.tree.structure(run.model)
    for a, b in zip(leaves(run), leaves(again), strict=True):
        assert a.dtype == b.dtype and a.tobytes() == b.tobytes()
    assert repr(again) == repr(run)
    if run.mergers is not None:
        assert again.mergers.plateaus == run.mergers.plateaus and len(again.mergers) == len(run.mergers) > 0
        assert again.mergers.parts.tobytes() == run.mergers.parts.tobytes()
    shown = CliRunner().invoke(app, ["show", str(folder), "--json"])
    assert shown.exit_code == 0 and json.loads(shown.stdout)["t"] == float(run.result.t)
    # what is known only now can be measured as before
    if run.kind == "tokens":
        np.testing.assert_array_equal(again.clusters().labels, run.clusters().labels)


def test_a_model_of_your_own_is_asked_for(tmp_path):
    class Mine(tkf.Softmax):
        pass

    model = tkf.Transformer(CIRCLE, Mine(2.0))
    run = tkf.solve(model, START, t1=0.5, save=2)
    folder = run.save(tmp_path / "run")
    assert "Mine" in json.loads((folder / "manifest.json").read_text())["model"]
    with pytest.raises(tkf.FileError, match=r"known in Python only \(.*Mine is not part of tokenfield\).*model=\.\.\."):
        tkf.load(folder)
    again = tkf.load(folder, model=model)
    np.testing.assert_array_equal(again.points, run.points)
    assert CliRunner().invoke(app, ["show", str(folder)]).exit_code == 0
    plotted = CliRunner().invoke(app, ["plot", str(folder)])
    assert plotted.exit_code == 2 and plotted.stderr.count("\n") == 1 and "model=" in plotted.stderr


def test_what_cannot_be_saved_or_loaded(tmp_path):
    run = gaussian()
    run.save(tmp_path / "run")
    with pytest.raises(tkf.FileError, match="exists"):
        run.save(tmp_path / "run")
    run.save(tmp_path / "run", force=True)
    with pytest.raises(tkf.FileError, match="there is no run folder"):
        tkf.load(tmp_path / "absent")
    several = jax.tree.map(lambda a: jnp.stack([a, a]), run)
    with pytest.raises(tkf.InvalidInput, match="one run"):
        several.save(tmp_path / "several")


@pytest.mark.parametrize(
    "data",
    [
        {"class": "os:system", "fields": {}},
        {"class": "tokenfield.geometry:Absent", "fields": {}},
        {"class": "tokenfield.geometry:Sphere", "fields": {"other": 1}},
        {"unknown": "<lambda>"},
    ],
)
def test_plain_data_never_runs_code(data):
    with pytest.raises(tkf.FileError, match="tokenfield"):
        from_plain(data)


def test_numbers_keep_every_bit():
    values = (
        0.1,
        np.int64(2),
        float("inf"),
        -0.0,
        3,
        True,
        None,
        "text",
        (1, [2.5]),
        {"a": 1},
        np.full(2, 0.1, np.float32),
    )
    again = from_plain(json.loads(json.dumps(to_plain(values))))
    assert repr(again) == repr(values) and again[-1].dtype == np.float32
