"""What a sweep goes over, what it measures, and how it is cut: texts to plain data, cells, pieces."""

from __future__ import annotations

import functools
import gc
import tracemalloc
from pathlib import Path

import numpy as np
import pytest
import xarray

import tokenfield as tkf
from tokenfield.benchmarks.sweep import nothing
from tokenfield.ensemble import Ensemble, compute
from tokenfield.ensemble import Piece as Block
from tokenfield.errors import ConfigError
from tokenfield.study.config import Config
from tokenfield.study.store import SweepFolder
from tokenfield.study.store import sweep as store
from tokenfield.study.store.places import Places
from tokenfield.study.sweep import running
from tokenfield.study.sweep.axes import read_axes, read_seeds
from tokenfield.study.sweep.computing import compute as compute_piece
from tokenfield.study.sweep.computing import largest_shape, measured
from tokenfield.study.sweep.drawing import predictions
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
        ("heads.1.beta=1,2", "heads.1.beta", "heads.1.beta", (1.0, 2.0)),
        ("heads=[{beta=1},{beta=4}],[{beta=2}]", "heads", "heads", ("[{ beta = 1 }, { beta = 4 }]", "[{ beta = 2 }]")),
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
        ("heads.0.betta=1", "a head has no 'betta'; did you mean 'beta'"),
        ("potential.kind.0=1", "there is no 'potential.kind.0'"),
        ("attention.V=none.npy", "cannot read none.npy"),
    ],
)
def test_axes_that_make_no_sense(text, message):
    with pytest.raises(ConfigError, match=message):
        read_axes([text])


def test_matrices_of_files_are_read_when_the_axis_is(tmp_path, monkeypatch):
    """Who computes the pieces needs no such file, and a file that has changed since makes another cell."""
    monkeypatch.chdir(tmp_path)
    np.save("a.npy", 2 * np.eye(3))
    (axis,) = read_axes(["attention.V=a.npy"])
    assert axis.values == ("a.npy",) and axis.points == (((2 * np.eye(3)).tolist(),),)
    assert read_axes({"heads": [[{"V": "a.npy"}]]})[0].points == (([{"V": str(tmp_path / "a.npy")}],),)


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


def spread(run, *, power=1):
    return float((abs(run.final.points) ** power).sum())


def holding(value):
    return lambda run: value


class Object:
    def __init__(self, value):
        self.value = value

    def __call__(self, run):
        return self.value


def test_a_function_is_told_from_others_by_what_it_holds():
    """The same text with other values is another measure; the same values, also of a new object, are the same."""

    def identities(value):
        many = np.arange(2000) + value  # of which `repr` shows a few
        functions = [functools.partial(spread, power=value), holding(value), holding(many), Object(value), Object(many)]
        return [read_quantities({"f": function})[0].identity for function in functions]

    assert identities(1) == identities(1) and not set(identities(1)) & set(identities(2))
    assert len(set(identities(1))) == 5


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


def test_heads_are_varied_one_by_one_and_all_at_once():
    tables = {**SMALL, "heads": [{"beta": 1.0}, {"beta": 2.0}]}
    one = running.make(tables, over={"heads.1.beta": [3.0, 4.0], "heads.0.beta": [5.0]}, measure="order")
    assert [head.beta for head in one.config(1).heads] == [5.0, 4.0]
    all_ = running.make(SMALL, over={"heads": [[{"beta": 3.0}], [{"beta": 4.0}, {"kind": "l2"}]]}, measure="order")
    assert [head.kind for head in all_.config(1).heads] == ["softmax", "l2"]
    bad = running.look(running.make(tables, over={"heads.2.beta": [1.0]}, measure="order"), progress=False)
    assert bad.bad[0] == "there is no head 2 for heads.2.beta: heads are counted from 0, and there are 2"


def test_entries_of_a_vector_are_varied_one_by_one():
    tables = {**SMALL, "geometry": {"dim": 2}, "potential": {"strength": [0.1, 0.2]}}
    over = {"potential.strength.1": [3.0, 4.0], "potential.strength.0": "5,6"}
    found = running.make(tables, over=over, measure="order")
    assert [axis.name for axis in found.axes] == ["strength.1", "strength.0"] and found.axes[0].is_numeric
    assert [found.config(cell).potential.strength for cell in range(4)] == [(5, 3), (6, 3), (5, 4), (6, 4)]
    for bad, key in ((tables, "potential.strength.2"), (SMALL, "potential.strength.0")):
        with pytest.raises(ConfigError, match=f"{key} needs a config whose strength is a vector with an entry"):
            running.make(bad, over={key: [1.0]}, measure="order").config(0)


def test_the_content_of_a_file_of_tokens_is_part_of_a_cell(tmp_path):
    """A file that changes gives new cells, and a worker that has another one refuses the piece."""

    def pieces(sweep):
        return [piece for group in sweep.groups() for piece in sweep.pieces(group, {})]

    path = tmp_path / "tokens.npy"
    np.save(path, np.eye(3))
    tables = {"geometry": {"dim": 3}, "solve": SMALL["solve"]}
    sweep = running.make(tables, over={"initial.path": [str(path)]}, measure="order")
    (before,) = pieces(sweep)
    assert compute_piece(before)["outcome"].tolist() == [[0]] and pieces(sweep)[0].name == before.name
    np.save(path, -np.eye(3))
    assert pieces(sweep)[0].cells != before.cells
    with pytest.raises(tkf.InvalidInput, match="is not what it was where the sweep began"):
        compute_piece(before)


def test_a_group_of_bad_cells_alone_is_left_out():
    """Cells of a second each are groups of their own: one of 400 tokens cannot have three equal parts."""
    tables = {"geometry": {"dim": 3}, "initial": {"kind": "symmetric", "folds": 3}, "solve": {"t1": 0.1}}
    sweep = running.make(tables, over={"initial.n": [800, 801]}, measure="energy")
    found = running.look(sweep, progress=False)
    assert list(found.bad) == [0]
    assert [len(piece.cells) for piece in running.missing(sweep, found, None)] == [1]


def test_times_that_would_differ_are_refused():
    with pytest.raises(ConfigError, match=r"solve\.save changes the times"):
        _ = plan(over={"solve.save": ["end", 5]}).times


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


def test_what_a_function_cannot_measure_of_a_run_that_blew_up_is_nan():
    config = {
        "geometry": {"kind": "euclidean", "dim": 2},
        "attention": {"kind": "linear"},
        "initial": {"kind": "gaussian", "n": 6},
    }

    def rank(run):
        if not run.result.is_complete:
            raise ArithmeticError("no such thing")
        return 2.0

    found = tkf.sweep(config, over={"solve.t1": [0.01, 50.0]}, seeds=2, measure=rank)
    assert found["rank"].values[0].tolist() == [2.0, 2.0] and np.isnan(found["rank"].values[1]).all()


def test_arrays_of_a_function_may_have_other_lengths():
    """The dataset has room for the longest, NaN beyond; also across pieces, of which the first is shorter."""
    tables = {"geometry": {"dim": 2}, "initial": {"n": 4}, "solve": {"t1": 0.1, "method": "rk4", "step": 0.1}}

    def tokens(run):
        return np.arange(run.final.n)

    found = tkf.sweep(tables, over={"initial.n": [3, 4]}, seeds=2, measure=tokens)["tokens"]
    assert found.dims == ("n", "seed", "tokens_0") and found.shape == (2, 2, 4)
    np.testing.assert_array_equal(found.values[:, 1], [[0, 1, 2, np.nan], [0, 1, 2, 3]])
    with pytest.raises(tkf.InvalidInput, match=r"'mixed' has arrays of the shapes \(3,\) and \(4, 1\)"):
        largest_shape("mixed", [(3,), (4, 1)])
    assert largest_shape("f", [(), (3, 1), (2, 5)]) == (3, 5) and largest_shape("f", [()]) == ()


# --- theory -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("measure", ["cosine-level:0.9", "consensus:0.5"])
def test_the_curve_of_a_time_is_that_of_its_event(measure):
    """Tokens that start orthogonal keep one cosine: what they are measured to need is what theory says, exactly."""
    tables = {"geometry": {"dim": 4}, "initial": {"kind": "frame", "n": 4}, "solve": {"t1": 30.0, "rtol": 1e-10}}
    sweep = running.make(tables, over={"beta": [1.0, 2.0]}, measure=[measure, "steady:1e-3"])
    found = tkf.sweep(tables, over={"beta": [1.0, 2.0]}, measure=measure)
    name = sweep.quantities[0].name
    expected = predictions(sweep, found, name)["equiangular_time"].values
    # a consensus is looked for at the end of each step, after it has happened; a level is located
    steps = 0.05 if measure.startswith("consensus") else 1e-6
    np.testing.assert_allclose(found[name].values[:, 0], expected, rtol=0, atol=steps * expected.max() + 1e-9)
    assert predictions(sweep, found, "steady") is None


def test_the_order_of_noisy_tokens_has_a_curve():
    tables = {"geometry": {"dim": 2}, "attention": {"kind": "unnormalized"}, "initial": {"n": 4}}
    tables |= {"noise": {"kappa": 1.0}, "solve": {"t1": 0.2, "step": 0.1}}
    sweep = running.make(tables, over={"noise.kappa": [0.5, 8.0], "beta": [1.0]}, measure="order")
    found = xarray.Dataset(coords={axis.name: list(axis.values) for axis in sweep.axes})
    values = predictions(sweep, found, "order")["stationary_order"].values
    assert values.ravel().tolist() == [float(tkf.theory.stationary_order(kappa, 1.0, 2)) for kappa in (0.5, 8.0)]
    assert values[0, 0] == 0 < values[1, 0]  # below and above the transition


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


def test_a_dataset_is_put_together_a_few_cells_at_a_time(tmp_path, monkeypatch):
    """However small a chunk is, and whichever axis it cuts, the values are the same."""
    tables, given = {"initial": {"n": 4}}, {"beta": [1.0, 2.0, 3.0], "t1": [1.0, 2.0], "initial.n": [4, 5]}

    def work(pieces):
        for piece in pieces:
            shape = (len(piece.columns), len(piece.seeds))
            values = [[int(cell, 16) % 1000 + seed for seed in piece.seeds] for cell in piece.cells]
            yield (
                piece,
                {"order": np.array(values, float), "outcome": np.zeros(shape, np.int16), "t_end": np.zeros(shape)},
            )

    sweep, found = running.make(tables, over=given, seeds=3, measure="order"), []
    for slab in (10**6, 20, 6, 1):
        monkeypatch.setattr(store, "SLAB", slab)
        running.run(sweep, tmp_path / str(slab), on=work, draws=False, progress=False)
        with SweepFolder(tmp_path / str(slab)).dataset() as data:
            found.append((data["order"].values, data["order"].encoding["chunks"]))
    assert [chunks for _, chunks in found] == [(3, 2, 2, 3), (1, 2, 2, 3), (1, 1, 2, 3), (1, 1, 1, 3)]
    assert all(np.array_equal(values, found[0][0]) for values, _ in found) and len(np.unique(found[0][0])) > 12


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
