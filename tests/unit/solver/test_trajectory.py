"""`Trajectory`: states by index and by time, observables along the way, the dataset, and how it is printed.

Most runs here are made by hand: what a trajectory says does not depend on how it was solved.
"""

from __future__ import annotations

from functools import cache

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import pytest

import tokenfield as tkf
from tokenfield import sums
from tokenfield.laws import Density, Fourier, Gaussian
from tokenfield.solver.merging.mergers import Mergers
from tokenfield.solver.trajectory import Stats

SPHERE, CIRCLE, PLANE = tkf.Sphere(3), tkf.Sphere(2), tkf.Euclidean(2)
START = np.asarray(SPHERE.uniform_points(6, seed=0))
MODEL = tkf.Transformer(SPHERE, tkf.Softmax(2.0))


def made(model, final, ts, states, **more) -> tkf.Trajectory:
    """A trajectory with these states, as if it had been solved."""
    ts = jnp.asarray(ts, float)
    stats = Stats(jnp.asarray(7), jnp.asarray(1), jnp.asarray(0.5))
    states = None if states is None else {name: jnp.asarray(values) for name, values in states.items()}
    return tkf.Trajectory(ts, states, more.pop("observables", {}), final, tkf.Result(0, ts[-1]), stats, model, **more)


def of_tokens(model, points, ts, **more):
    points = np.asarray(points, float)
    return made(model, tkf.Measure(points[-1]), ts, {"points": points}, **more)


@cache
def solved() -> tkf.Trajectory:
    return tkf.solve(MODEL, START, t1=2.0, save=33, rtol=1e-11, atol=1e-13)


def coarse(run: tkf.Trajectory, every: int) -> tkf.Trajectory:
    states = {name: values[::every] for name, values in run.states.items()}
    return eqx.tree_at(lambda r: (r.ts, r.states), run, (run.ts[::every], states))


LINE = of_tokens(tkf.Transformer(PLANE, tkf.Softmax(1.0)), [[[0.0, 0.0]], [[1.0, 0.0]], [[1.0, 2.0]]], [0.0, 1.0, 3.0])
GRID = Fourier(32)
DENSITIES = [Density.perturbed_uniform(GRID, degree=2, amplitude=a) for a in (1.0, -1.0)]
OF_DENSITY = made(
    tkf.Transformer(CIRCLE, tkf.Softmax(1.0)), DENSITIES[1], [0.0, 1.0], {"density": [d.values for d in DENSITIES]}
)
OF_GAUSSIAN = made(
    tkf.Transformer(PLANE, tkf.Softmax(1.0)),
    Gaussian([2.0, 0.0], np.diag([0.0, 4.0])),
    [0.0, 1.0],
    {"mean": [[0.0, 0.0], [2.0, 0.0]], "covariance": [np.diag([1.0, 0.0]), np.diag([0.0, 4.0])]},
)


# --- by index -----------------------------------------------------------------------------------------------------


def test_states_by_index():
    assert len(LINE) == 3
    for index, expected in ((0, [0.0, 0.0]), (1, [1.0, 0.0]), (-1, [1.0, 2.0]), (-3, [0.0, 0.0])):
        np.testing.assert_array_equal(LINE.state(index).points, [expected])
    np.testing.assert_array_equal(LINE.state().points, LINE.final.points)
    np.testing.assert_array_equal(LINE.state(np.int64(1)).points, [[1.0, 0.0]])


@pytest.mark.parametrize("index", [3, -4, 1.0, True, "last"])
def test_an_index_that_is_not_there(index):
    with pytest.raises(tkf.InvalidInput, match=r"this run saved 3 times: an index lies in \[-3, 2\], got "):
        LINE.state(index)


def test_a_run_without_states_has_its_end():
    light = made(LINE.model, LINE.final, [0.0, 1.0], None)
    assert light.state() is light.final and light.state(1) is light.final
    assert light.measure(-1) is light.final
    assert light.points is None and light.radii is None
    for ask in (lambda: light.state(0), lambda: light.measure(0), lambda: light.saved_points, lambda: light.at(0.5)):
        with pytest.raises(tkf.InvalidInput, match="this run kept no tokens along the way: solve with save=Save"):
            ask()


def test_measures_of_tokens_and_densities():
    np.testing.assert_array_equal(LINE.measure(1).points, [[1.0, 0.0]])
    nodes = OF_DENSITY.measure(0)
    np.testing.assert_allclose(nodes.weights, np.asarray(DENSITIES[0].values) / 32, rtol=0, atol=1e-15)
    np.testing.assert_array_equal(nodes.points, GRID.points)
    with pytest.raises(tkf.InvalidInput, match=r"draw some with state\(\)\.sample"):
        OF_GAUSSIAN.measure()


def test_kinds_and_their_tokens():
    assert [run.kind for run in (LINE, OF_DENSITY, OF_GAUSSIAN)] == ["tokens", "density", "gaussian"]
    assert LINE.saved_points.shape == (3, 1, 2) and OF_DENSITY.points is None
    assert OF_DENSITY.saved("density").shape == (2, 32)
    for run in (OF_DENSITY, OF_GAUSSIAN):
        with pytest.raises(tkf.InvalidInput, match=f"the run of a {run.kind}, which has no tokens"):
            _ = run.saved_points


def test_radii_come_with_their_points():
    run = made(
        tkf.Transformer(CIRCLE, tkf.Softmax(1.0), normalization=tkf.PreLN()),
        tkf.Measure(np.eye(2), radii=[3.0, 4.0]),
        [0.0, 1.0],
        {"points": [np.eye(2), np.eye(2)], "radii": [[1.0, 2.0], [3.0, 4.0]]},
    )
    np.testing.assert_array_equal(run.state(0).radii, [1.0, 2.0])
    np.testing.assert_allclose(run.at(0.25).radii, [1.5, 2.5])


# --- by time ------------------------------------------------------------------------------------------------------


def test_saved_times_give_saved_states():
    for index, t in enumerate((0.0, 1.0, 3.0)):
        np.testing.assert_array_equal(LINE.at(t).points, LINE.state(index).points)


@pytest.mark.parametrize("t", [-0.1, 3.1, np.inf, np.nan])
def test_times_outside_are_refused(t):
    with pytest.raises(tkf.InvalidInput, match=r"this run saved times from 0 to 3: t = .* lies outside"):
        LINE.at(t)


@pytest.mark.slow
def test_interpolation_is_of_order_four():
    """Saved at 4, 8 or 16 intervals, the states between are within O(h^4) of those that were solved."""
    fine = solved()
    errors = []
    for every in (8, 4, 2):
        run = coarse(fine, every)
        between = [k for k in range(len(fine)) if k % every]
        errors.append(max(np.abs(np.asarray(run.at(fine.ts[k]).points - fine.points[k])).max() for k in between))
    slopes = np.log2(np.array(errors[:-1]) / errors[1:])
    assert np.all(np.abs(slopes - 4) < 0.4), (errors, slopes)
    norms = np.linalg.norm(coarse(fine, 8).at(0.3).points, axis=1)
    np.testing.assert_allclose(norms, 1.0, rtol=0, atol=1e-15)


def test_with_noise_tokens_move_on_straight_lines():
    ends = [[[1.0, 0.0]], [[0.0, 1.0]]]
    noise = tkf.Noise(1.0, seed=0)
    plane = of_tokens(tkf.Transformer(PLANE, tkf.Softmax(1.0), noise=noise), ends, [0.0, 2.0])
    np.testing.assert_allclose(plane.at(0.5).points, [[0.75, 0.25]])
    circle = of_tokens(tkf.Transformer(CIRCLE, tkf.Softmax(1.0), noise=noise), ends, [0.0, 2.0])
    np.testing.assert_allclose(circle.at(0.5).points, [np.array([0.75, 0.25]) / np.hypot(0.75, 0.25)])
    # the control: without noise the velocity bends the way
    bent = of_tokens(tkf.Transformer(PLANE, tkf.Softmax(1.0)), ends, [0.0, 2.0])
    assert np.abs(np.asarray(bent.at(0.5).points) - [[0.75, 0.25]]).max() > 0.1


def test_a_long_rest_does_not_overshoot():
    """Velocities times a long interval are far longer than the way: cubics through them would leave it."""
    rest = of_tokens(tkf.Transformer(PLANE, tkf.Softmax(1.0)), [[[1.0, 0.0]], [[1.1, 0.0]]], [0.0, 1e6])
    for s in (0.1, 0.5, 0.9):
        assert 1.0 <= float(rest.at(s * 1e6).points[0, 0]) <= 1.1


def test_densities_keep_mass_and_sign():
    for t in (0.2, 0.5, 0.9):
        rho = OF_DENSITY.at(t)
        assert float(GRID.weights @ rho.values) == pytest.approx(1.0, abs=1e-14)
        assert float(jnp.min(rho.values)) >= 0
        expected = (1 - t) * np.asarray(DENSITIES[0].values) + t * np.asarray(DENSITIES[1].values)
        np.testing.assert_allclose(rho.values, expected, rtol=0, atol=1e-14)


def test_gaussians_keep_their_sign():
    mu = OF_GAUSSIAN.at(0.25)
    np.testing.assert_allclose(mu.mean, [0.5, 0.0])
    np.testing.assert_allclose(mu.covariance, np.diag([0.75, 1.0]))
    assert np.linalg.eigvalsh(mu.covariance).min() > 0


# --- along the way ------------------------------------------------------------------------------------------------


def test_observables_of_the_state_alone():
    expected = LINE.along(lambda t, mu: mu.points[0])
    np.testing.assert_array_equal(LINE.along(lambda mu: mu.points[0]), expected)
    np.testing.assert_array_equal(LINE.along(lambda mu, scale=1.0: scale * mu.points[0]), expected)


def test_observables_along_the_way():
    found = LINE.along(lambda t, mu: t * mu.points[0])
    np.testing.assert_array_equal(found, [[0.0, 0.0], [1.0, 0.0], [3.0, 6.0]])


def test_energy_is_that_of_each_state():
    run = coarse(solved(), 16)
    expected = [float(tkf.observables.energy(tkf.Measure(x), MODEL)) for x in run.points]
    np.testing.assert_allclose(run.energy(), expected, rtol=1e-13)
    assert np.all(np.diff(run.energy()) > 0)
    ratio = run.energy(normalized=True) / run.energy()
    np.testing.assert_allclose(ratio, np.full(3, ratio[0]), rtol=1e-12)
    assert abs(ratio[0] - 1) > 0.1


@pytest.mark.slow
def test_energy_uses_the_sum_that_the_plan_chose(monkeypatch):
    """What is fast for the solve is fast afterwards: no direct sum over 2000 x 2000 pairs."""
    model = tkf.Transformer(CIRCLE, tkf.Softmax(9.0))
    run = tkf.solve(model, CIRCLE.uniform_points(2000, seed=0), t1=0.1, method="euler", step=0.1, save="end")
    assert run.model.sums is not None and "Fourier modes" in run.notes[0]
    direct, fast, used = sums.attend, sums.attend_on_sphere, []
    monkeypatch.setattr(sums, "attend", lambda *args, **kw: used.append("direct") or direct(*args, **kw))
    monkeypatch.setattr(sums, "attend_on_sphere", lambda *args, **kw: used.append("fast") or fast(*args, **kw))
    by_plan = run.energy()
    assert set(used) == {"fast"}
    plain = eqx.tree_at(lambda r: r.model, run, model.with_sums((sums.choose(2000, 2000, 2),)))
    np.testing.assert_allclose(by_plan, plain.energy(), rtol=1e-9)
    assert set(used) == {"fast", "direct"}  # the control: without the plan's choice it would have been direct


def test_clusters_along_the_way():
    angles = np.array([[0.0, 1.0, 3.0], [0.0, 0.01, 3.0], [0.0, 0.0, 0.01]])
    points = np.stack([np.cos(angles), np.sin(angles)], axis=-1)
    run = of_tokens(tkf.Transformer(CIRCLE, tkf.Softmax(9.0)), points, [0.0, 1.0, 2.0])
    np.testing.assert_array_equal(run.cluster_counts(delta=0.1), [3, 2, 1])
    np.testing.assert_array_equal(run.cluster_counts(), [3, 2, 1])  # the scale of the model, 1/sqrt(beta)
    assert run.clusters(1, delta=0.001).count == 3
    assert run.merge_tree(delta=0.1).counts.tolist() == [3, 2, 1]


def test_plateaus_need_merging():
    for ask in (lambda: LINE.plateaus, lambda: LINE.escape_times):
        with pytest.raises(tkf.InvalidInput, match="solve with merge=True"):
            ask()
    mergers = Mergers(1, np.empty(0), np.empty((0, 2), int), np.empty((0, 2)), delta=0.1)
    merged = of_tokens(LINE.model, LINE.points, LINE.ts, mergers=mergers)
    assert merged.plateaus == () and len(merged.escape_times) == 0


# --- the dataset --------------------------------------------------------------------------------------------------


def test_dataset_of_tokens():
    mergers = Mergers(2, np.array([0.5]), np.array([[0, 1]]), np.array([[0.5, 0.5]]), delta=0.1)
    run = of_tokens(
        LINE.model,
        [np.eye(2), 2 * np.eye(2)],
        [0.0, 1.0],
        observables={"energy": jnp.asarray([1.0, 2.0]), "mean": jnp.ones((2, 2))},
        mergers=mergers,
    )
    data = run.to_xarray()
    assert data["points"].dims == ("time", "token", "axis") and data["points"].shape == (2, 2, 2)
    np.testing.assert_array_equal(data["time"], [0.0, 1.0])
    np.testing.assert_array_equal(data["points"].sel(time=1.0), 2 * np.eye(2))
    np.testing.assert_array_equal(data["final"], 2 * np.eye(2))
    np.testing.assert_array_equal(data["weights"], [0.5, 0.5])
    assert data["energy"].dims == ("time",) and data["mean"].dims == ("time", "mean_0")
    np.testing.assert_array_equal(data["merger_parts"], [[0, 1]])
    assert (data.attrs["result"], data.attrs["t"]) == ("finished", 1.0)
    assert data.attrs["observables"] == ["energy", "mean"] and data.attrs["events"] == data.attrs["notes"] == []


def test_datasets_of_laws():
    data = OF_DENSITY.to_xarray()
    assert data["density"].dims == ("time", "node") and data["nodes"].dims == ("node", "axis")
    np.testing.assert_allclose(data["density"] @ data["node_weights"], [1.0, 1.0])
    np.testing.assert_array_equal(data["final_density"], DENSITIES[1].values)
    data = OF_GAUSSIAN.to_xarray()
    assert data["covariance"].dims == ("time", "axis", "axis2") and data["final_mean"].dims == ("axis",)


def test_a_dataset_remembers_when_peaks_were_lost():
    rough = eqx.tree_at(lambda r: r.result, OF_DENSITY, tkf.Result(0, OF_DENSITY.ts[-1], (), 0.75))
    assert rough.to_xarray().attrs["unresolved_from"] == 0.75
    assert "unresolved_from" not in OF_DENSITY.to_xarray().attrs


# --- words --------------------------------------------------------------------------------------------------------


def test_printed_as_a_table():
    noted = of_tokens(LINE.model, LINE.points, LINE.ts, observables={"energy": LINE.ts}, notes=("one", "two"))
    lines = repr(noted).splitlines()
    assert lines[0] == "Trajectory"
    assert [line.split("  ")[1] for line in lines[1:]] == list(noted.numbers)
    said = noted.numbers
    assert said["model"] == repr(LINE.model) and said["saved"] == "3 times from t = 0 to 3"
    assert said["observables"] == "energy" and said["result"] == "finished at t = 3"
    assert said["solver"] == "7 steps, 1 rejected, in 0.5 s"
    assert (said["note 1"], said["note 2"]) == ("one", "two")
    assert made(LINE.model, LINE.final, [0.0, 1.0], None).numbers["saved"].endswith(", observables only")


def test_in_a_notebook(monkeypatch, tmp_path):
    # as a picture; scenes that play are tested with the explorer
    monkeypatch.setattr("tokenfield.explorer.export.TEMPLATE", tmp_path / "nothing.html")
    page = solved()._repr_html_()
    assert page.startswith("<div><img ") and "data:image/png;base64," in page
    assert page.count("<tr>") == len(solved().numbers) and "finished at t = 2" in page
    quoted = of_tokens(LINE.model, LINE.points, LINE.ts, notes=("a < b",))._repr_html_()
    assert "a &lt; b" in quoted and "a < b" not in quoted


def test_batches_and_traces_say_what_they_are():
    batch = jax.tree.map(lambda leaf: jnp.stack([leaf, leaf]), LINE)
    assert repr(batch).startswith("Trajectory(traced or batched, (2, 3) times of Transformer(")
    assert batch._repr_html_().startswith("<pre>Trajectory(traced or batched")
