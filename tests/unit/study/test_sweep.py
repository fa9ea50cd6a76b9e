"""What a sweep goes over, what it measures, and how it is cut: texts to plain data, cells, pieces."""

from __future__ import annotations

import gc
import tracemalloc
from pathlib import Path

import numpy as np
import pytest

import tokenfield as tkf
from tokenfield.benchmarks.sweep import nothing
from tokenfield.ensemble import Ensemble, compute
from tokenfield.ensemble import Piece as Block
from tokenfield.errors import ConfigError
from tokenfield.study.config import Config
from tokenfield.study.store import SweepFolder
from tokenfield.study.store.places import Places
from tokenfield.study.sweep import running
from tokenfield.study.sweep.axes import read_axes, read_seeds
from tokenfield.study.sweep.computing import measured
from tokenfield.study.sweep.plan import Group
from tokenfield.study.sweep.quantities import read_quantities

SMALL = {"initial": {"n": 4}, "geometry": {"dim": 3}, "solve": {"t1": 1.0, "method": "rk4", "step": 0.1}}


# --- axes ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "name", "key", "values"),
    [
        ("attention.beta=0:1:3", "beta", "attention.beta", (0.0, 0.5, 1.0)),
        ("beta=1,2", "beta", "attention.beta", (1.0, 2.0)),
        ("solve.t1=log:1:100:3", "t1", "solve.t1", (1.0, 10.0, 100.0)),
        ("initial.n=32:64:3", "n", "initial.n", (32, 48, 64)),
        ("attention.kind=softmax,l2", "kind", "attention.kind", ("softmax", "l2")),
        ("solve.merge=true,false", "merge", "solve.merge", ("true", "false")),
        ("attention.V=[[1,0],[0,1]],[[0,1],[1,0]]", "V", "attention.V", ("[[1, 0], [0, 1]]", "[[0, 1], [1, 0]]")),
        ("noise.seed=1,2", "noise.seed", "noise.seed", (1, 2)),
    ],
)
def test_axes_of_texts(text, name, key, values):
    (axis,) = read_axes([text])
    assert (axis.name, axis.keys, axis.values) == (name, (key,), pytest.approx(values) if name == "t1" else values)


def test_axes_of_python_values():
    axes = read_axes({"attention.kind": ["softmax"], "initial.kind": ["uniform"], "beta": np.array([1, 2])})
    assert [axis.name for axis in axes] == ["attention.kind", "initial.kind", "beta"] and axes[2].values == (1.0, 2.0)
    (axis,) = read_axes({("attention.beta", "solve.step"): [(1.0, 0.1), (2.0, 0.05)]})
    assert axis.given(1) == {"attention.beta": 2.0, "solve.step": 0.05} and axis.values == (1.0, 2.0)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("attention.betta=1,2", "did you mean 'attention.beta'"),
        ("kind=softmax", "is a key of several sections: write"),
        ("attention.beta", "--over needs KEY=VALUES"),
        ("attention.beta=1:2", "FIRST:LAST:COUNT"),
        ("attention.beta=log:0:2:3", "positive ends"),
        ("attention.beta=1,1", "once only"),
        ("initial.n=32:33:3", "whole numbers, got 32.5"),
        ("initial.seed=0:4:5", "--seeds"),
    ],
)
def test_axes_that_make_no_sense(text, message):
    with pytest.raises(ConfigError, match=message):
        read_axes([text])


@pytest.mark.parametrize("text", ["3:1", "a:b", "1,1", "99999999999999999999,1", ""])
def test_seeds_that_make_no_sense(text):
    with pytest.raises(ConfigError, match="seed"):
        read_seeds(text)


# --- measures -----------------------------------------------------------------------------------------------------


def test_measures_of_texts():
    found = read_quantities("pairs:0.01, normalized_energy, steady:1e-3, hitting_time")
    assert [(q.name, q.kind, q.of, q.detail) for q in found] == [
        ("pairs", "statistic", "pairs", 0.01),
        ("normalized-energy", "observable", "normalized-energy", None),
        ("steady", "time", "steady:1e-3", None),
        ("hitting_time", "time", "hitting_time", None),
    ]


def test_numbers_of_whole_runs_have_names():
    model = tkf.Transformer(tkf.Sphere(2), tkf.Softmax(1.0), V=np.array([[1.0, -0.5], [0.5, 1.0]]))
    run = tkf.solve(model, [[1.0, 0.0], [0.0, 1.0]], t1=40.0, save=201)
    rate, period = read_quantities("turning_rate, period")
    # the consensus turns at the imaginary part 0.5 of the eigenvalues of V, to the tolerance of `fate`
    assert rate.call(run) == pytest.approx(0.5, abs=1e-3) and period.call(run) == pytest.approx(4 * np.pi, abs=0.03)
    assert rate.label == "angular velocity of a rotation" and rate.kind == "function"


@pytest.mark.parametrize(
    ("measure", "message"),
    [("piars", "did you mean 'pairs'"), ("pairs,pairs", "two measures"), ("math:no", "no measure"), ([], "something")],
)
def test_measures_that_make_no_sense(measure, message):
    with pytest.raises(ConfigError, match=message):
        read_quantities(measure)


def test_a_function_of_a_file_travels_with_its_source(tmp_path):
    path = tmp_path / "mine.py"
    path.write_text("def spread(run):\n    return float(abs(run.final.points).sum())\n")
    (quantity,) = read_quantities(f"{path}:spread")
    path.unlink()
    sent = type(quantity)(quantity.name, quantity.kind, quantity.of, quantity.detail)  # as it arrives elsewhere

    class Run:
        class final:  # noqa: N801
            points = np.ones((2, 2))

    assert sent.call(Run) == 4.0
    (other,) = read_quantities({"mine": lambda run: 1.0})
    assert other.identity != read_quantities({"mine": lambda run: 2.0})[0].identity


# --- cells and pieces ---------------------------------------------------------------------------------------------


def plan(**changes):
    given = {"over": {"beta": [1.0, 2.0, 4.0], "dim": [2, 3]}, "seeds": 5, "measure": "order", **changes}
    return running.make(SMALL, **given)


def test_cells_of_one_shape_are_computed_together():
    groups = list(plan().groups())
    assert [(group.is_together, group.config.geometry.dim, len(group.cells)) for group in groups] == [
        (True, 2, 3),
        (True, 3, 3),
    ]
    assert not any(group.is_together for group in plan(measure="order,energy").groups())
    mixed = list(plan(over={"attention.kind": ["softmax", "hardmax"]}).groups())
    assert [group.is_together for group in mixed] == [True, False]


def test_cells_that_cannot_be_have_a_reason():
    bad = list(plan(over={"attention.kind": ["softmax", "hardmax"], "beta": [1.0, 2.0]}).groups())
    assert [group[0] for group in bad if not isinstance(group, Group)] == [2, 3]
    found = running.look(plan(over={"dim": [1, 2]}), progress=False)
    assert list(found.bad) == [0]
    with pytest.raises(ConfigError, match=r"1 of 2 cells cannot be, such as dim = 1: .*--skip-bad leaves them out"):
        found.check(plan(over={"dim": [1, 2]}), skip_bad=False)


def test_every_run_is_in_one_piece_and_more_seeds_are_only_those():
    """Also where cells are known in part: what is handed out is exactly what is missing."""

    def runs(sweep, known):
        return [
            (cell, seed)
            for group in sweep.groups()
            for piece in sweep.pieces(group, known)
            for cell in piece.cells
            for seed in piece.seeds
        ]

    few, many = plan(seeds=70), plan(seeds=130)
    first = runs(few, {})
    assert len(first) == len(set(first)) == few.runs
    known = {cell: {s for c, s in first if c == cell} for cell, _ in first}
    assert not runs(few, known)
    rest = runs(many, known)
    assert set(rest).isdisjoint(first) and set(rest) | set(first) == set(runs(many, {}))
    wider = runs(plan(seeds=70, over={"beta": [1.0, 2.0, 3.0, 4.0], "dim": [2, 3]}), known)
    assert len(wider) == 2 * 70


def test_the_identity_of_a_cell_is_what_decides_its_numbers():
    def cells(tables, **changes):
        sweep = running.make({**SMALL, **tables}, **{"over": {"beta": [1.0]}, "measure": "order", **changes})
        return [cell for group in sweep.groups() for cell in group.cells]

    same = cells({})
    assert same == cells({}, seeds=9) == cells({"output": {"figures": False}}) == cells({}, over={"beta": "1,2"})[:1]
    others = [cells({"initial": {"n": 5}}), cells({}, measure="order,pairs"), cells({}, measure="order:0.1")]
    others.append(cells({"noise": {"kappa": 1.0}, "solve": {"t1": 1.0, "method": "heun", "step": 0.1}}))
    assert all(other != same for other in others)


# --- what is computed ---------------------------------------------------------------------------------------------


def test_a_system_starts_as_a_run_of_its_seed():
    """A cell of an ensemble is the run that `simulate` does with the same keys and seed, up to rounding."""
    sweep = plan(seeds="3:6", over={"beta": [2.0]})
    ((piece, arrays),) = running.arrays_of(sweep)
    assert piece.is_together and arrays["order"].shape == (1, 3)
    runs = [measured(sweep.config(0, seed), sweep.quantities) for seed in (3, 4, 5)]
    np.testing.assert_allclose(arrays["order"][0], [run["order"] for run in runs], rtol=0, atol=1e-12)
    assert len(set(arrays["order"][0].round(6))) == 3
    assert [int(run["outcome"]) for run in runs] == arrays["outcome"][0].tolist() == [0, 0, 0]


def test_steps_and_seeds_of_an_ensemble_are_checked():
    settings = {"n": 4, "d": 2, "betas": [1.0, 2.0], "times": [1.0]}
    with pytest.raises(tkf.InvalidInput, match="2 systems need one seed, or one for each, got 3"):
        Ensemble(**settings, systems=2, seed=(1, 2, 3))
    with pytest.raises(tkf.InvalidInput, match="2 columns need one step, or one for each, got 1"):
        Ensemble(**settings, systems=2, seed=0, step=[0.1])
    filled = Ensemble(**settings, systems=2, seed=(5, 6), step=[0.1, 0.05])
    values = compute(filled, Block(range(2), range(4)))["pairs"]  # filled up to four, of which two are there
    assert values.shape == (2, 2, 1) and filled.step_at(1) == 0.05


def test_a_run_that_blows_up_is_data():
    """Linear attention in R^d grows like the cube of the tokens, and reaches infinity."""
    config = {
        "geometry": {"kind": "euclidean", "dim": 2},
        "attention": {"kind": "linear"},
        "initial": {"kind": "gaussian", "n": 6},
        "solve": {"t1": 50.0},
    }
    found = tkf.sweep(config, over={"solve.t1": [0.01, 50.0]}, seeds=2, measure=["clusters", "order"])
    words = dict(reversed(word.strip().split(" ", 1)) for word in found["outcome"].attrs["flags"].split(","))
    assert found["outcome"].values.tolist() == [[int(words["finished"])] * 2, [int(words["blew-up"])] * 2]
    assert np.isfinite(found["order"].values[0]).all() and np.isnan(found["order"].values[1]).all()
    assert (found["t_end"].values[1] < 50.0).all()


def test_measures_of_single_runs():
    """Times of events, observables and functions of the user, at the end or along the way."""
    sweep = {"initial": {"n": 4}, "geometry": {"dim": 3}, "solve": {"t1": 30.0, "save": [0.0, 15.0, 30.0]}}

    def tokens(run):
        return [run.final.n, len(run)]

    found = tkf.sweep(sweep, over={"beta": [0.5]}, seeds=2, measure=["order", "energy", "consensus:0.1", tokens])
    assert found["energy"].dims == ("beta", "seed", "t") and found["tokens"].values[0, 0].tolist() == [4.0, 3.0]
    assert np.all(np.diff(found["energy"].values) > 0) and np.all(found["order"].values[..., -1] > 0.99)
    late = tkf.sweep(sweep, over={"beta": [0.5]}, seeds=2, measure="consensus:0.01")
    first, second = (data["consensus"].values.ravel() for data in (found, late))
    assert np.all((first > 0) & (first < second) & (second < 30.0))
    assert found.attrs["axes"] == ["beta"] and Config.from_dict(sweep).to_toml() == found.attrs["config"]


# --- the folder ---------------------------------------------------------------------------------------------------


def test_pieces_come_twice_and_are_there_once(tmp_path):
    sweep = plan(over={"beta": [1.0]})
    folder = SweepFolder.prepare(tmp_path / "s", sweep.describe(), manifest={})
    ((piece, arrays),) = running.arrays_of(sweep)
    for _ in range(2):
        folder.write(piece.name, piece.cells, piece.seeds, arrays)
    again = SweepFolder.prepare(tmp_path / "s", sweep.describe(), manifest={})
    known = again.places.known()
    assert known == {piece.cells[0]: frozenset(range(5))} and again.damaged == 0
    assert known.places(piece.cells[0]) == {(piece.name, 0, tuple(range(5)))}
    np.testing.assert_array_equal(again.read_piece(piece.name)["order"], arrays["order"])


def held_bytes(cells: int, out: Path) -> int:
    """What has been added to memory when the last of so many cells, each a piece of its own, is written."""
    over = {"attention.beta": np.linspace(0.1, 9, 50), "solve.t1": np.linspace(1, 2, cells // 50)}
    sweep, found = running.make({"initial": {"n": 4}}, over=over, measure="order"), []

    def work(pieces):
        tracemalloc.start()
        try:
            for piece in pieces:
                yield piece, nothing()
            gc.collect()
            own = tracemalloc.take_snapshot().filter_traces([tracemalloc.Filter(True, "*/tokenfield/*")])
            found.append(sum(part.size for part in own.statistics("filename")))
        finally:
            tracemalloc.stop()

    running.run(sweep, out, on=work, draws=False, progress=False)
    return found[0]


@pytest.mark.slow
def test_a_cell_takes_a_few_dozen_bytes_of_the_coordinator(tmp_path):
    held_bytes(50, tmp_path / "first")  # what is imported and cached once
    few, many = (held_bytes(cells, tmp_path / str(cells)) for cells in (50, 250))
    # its identity (8 bytes), its place (8), the name of its piece (20) and room to grow; objects took 500
    assert (many - few) / 200 < 150


def test_a_long_axis_is_planned_in_groups_that_are_held_one_by_one():
    sweep = plan(over={"beta": np.linspace(0.1, 9, 2500)})
    groups = list(sweep.groups())
    assert [len(group.numbers) for group in groups] == [1024, 1024, 452]
    assert [number for group in groups for number in group.numbers] == list(range(2500))
    short = plan(over={"beta": sweep.axes[0].values[1020:1030]})
    (alike,) = short.groups()  # what a cell is called does not depend on where groups end
    assert alike.cells == (*groups[0].cells[1020:], *groups[1].cells[:6])


def test_places_are_those_of_a_dictionary():
    rng, places, expected = np.random.default_rng(0), Places(), dict[str, set[tuple[str, int, tuple[int, ...]]]]()
    pieces = [
        (f"{k:032x}", [f"{c:016x}" for c in rng.choice(20, 3, replace=False)], tuple(range(k % 3, 4)))
        for k in rng.permutation(30)
    ]
    for name, cells, seeds in pieces + pieces[:5]:
        places.add(name, cells, seeds)
        for row, cell in enumerate(cells):
            expected.setdefault(cell, set()).add((name, row, seeds))
    known = places.known()
    assert {cell: known.places(cell) for cell in known} == expected and known.places("f" * 16) == set()
    assert known == {cell: frozenset(s for _, _, part in found for s in part) for cell, found in expected.items()}
    assert places.names("00") == {name for name, _, _ in pieces} and places.names("ff") == set()
    with pytest.raises(ValueError, match="no checksum"):
        places.add("0" * 30, [], ())
