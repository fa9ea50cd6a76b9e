"""`tokenfield bench` as a user meets it: lists, errors, one small run in every format, and without the peers."""

from __future__ import annotations

import importlib
import json
import re
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

from tokenfield import benchmarks
from tokenfield._runtime import phases
from tokenfield.benchmarks import cost_curves, direct_sum, end_to_end, long_times, measure, startup
from tokenfield.benchmarks.report import Table
from tokenfield.cli import app
from tokenfield.errors import ConfigError

SMALL = ("--set", "direct_sum.n=300", "--set", "direct_sum.dimensions=3", "--set", "direct_sum.budget_s=0")


def run(*arguments: object):
    return CliRunner().invoke(app, ["bench", *(str(argument) for argument in arguments)])


@pytest.fixture
def no_peers(monkeypatch):
    """A Python in which none of the peers can be imported."""
    for name in ("torch", "pykeops", "pykeops.numpy", "s2fft"):
        monkeypatch.setitem(sys.modules, name, None)  # importing what is None here fails


# --- lists and errors ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("arguments", [["bench", "--list"], ["bench", "--help"]])
def test_list_and_help_do_not_import_jax(arguments):
    script = (
        "import sys, tokenfield.cli\n"
        f"try: tokenfield.cli.app({arguments!r})\n"
        "except SystemExit as end: code = end.code\n"
        "assert not code, code\n"
        "heavy = {'jax', 'diffrax', 'torch', 'matplotlib', 'scipy'} & set(sys.modules)\n"
        "assert not heavy, heavy\n"
    )
    found = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=60)
    assert found.returncode == 0, found.stderr


def test_list_describes_every_benchmark():
    lines = run("--list").stdout.splitlines()
    assert [line.split()[0] for line in lines] == list(benchmarks.NAMES)
    assert json.loads(run("--list", "--json").stdout) == {name: benchmarks.describe(name) for name in benchmarks.NAMES}


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["direct_sim"], "unknown benchmark 'direct_sim'; did you mean 'direct_sum'?"),
        (["--list", "casual"], "unknown benchmark 'casual'; did you mean 'causal'?"),
        (["direct_sum", "--set", "n=3"], "--set takes NAME.OPTION=VALUE"),
        (["direct_sum", "--set", "direct_sums.n=3"], "unknown benchmark 'direct_sums'"),
        (["direct_sum", "--set", "direct_sum.betta=3"], "direct_sum has no option 'betta'; did you mean 'beta'?"),
        (["direct_sum", "--set", "direct_sum.n=3.5"], "the value must be like 8192"),
        (["direct_sum", "--set", "direct_sum.dimensions=2,x"], "the value must be like (2, 3, 16, 64, 256)"),
    ],
)
def test_errors(arguments, message):
    result = run(*arguments)
    assert result.exit_code == 2, result.output
    assert result.stdout == ""
    assert re.fullmatch(r"tokenfield: error: [^\n]+\n", result.stderr), result.stderr
    assert message in result.stderr


# --- one small run ------------------------------------------------------------------------------------------------


def test_json_markdown_and_files_hold_the_same_run(tmp_path, no_peers):
    result = run("direct_sum", *SMALL, "--json", "--out", tmp_path / "new" / "folder")
    assert result.exit_code == 0, result.stderr
    found = json.loads(result.stdout)  # one document and nothing else
    assert json.loads((tmp_path / "new" / "folder" / "benchmarks.json").read_text()) == found
    assert found["hardware"]["dtype"] == "float64" and found["hardware"]["cores"] >= 1 and found["hardware"]["jax"]
    one = found["benchmarks"]["direct_sum"]
    assert one["options"] == {"n": 300, "dimensions": [3], "budget_s": 0.0} and one["error"] is None
    (table,) = one["tables"]
    single, double = table["rows"]
    assert (single["dtype"], double["dtype"]) == ("float32", "float64")
    for row, bound in ((single, 2e-6), (double, 1e-14)):  # ten roundings of coordinates of size one
        assert row["tokenfield"] > 0 and row["error"] < bound
        # what is missing is left open and said, with the remedy
        assert row["SDPA"] is None and row["KeOps"] is None and row["NumPy"] > 0
    for peer in ("PyTorch", "KeOps"):
        assert any(peer in note and "pip install 'tokenfield[bench]'" in note for note in table["notes"])
    markdown = (tmp_path / "new" / "folder" / "benchmarks.md").read_text()
    assert "JAX" in markdown.splitlines()[0] and "| d | dtype | tokenfield |" in markdown
    assert markdown.count("| 3 | float") == 2


def test_a_folder_that_cannot_be_written_is_known_before_the_work(tmp_path, monkeypatch):
    (tmp_path / "file").write_text("")
    monkeypatch.setattr(direct_sum, "run", lambda: pytest.fail("measured first"))
    result = run("direct_sum", "--out", tmp_path / "file" / "folder")
    assert result.exit_code == 2 and "cannot write" in result.stderr and result.stderr.count("\n") == 1


def test_a_failing_benchmark_does_not_stop_the_next(monkeypatch):
    def fail():
        yield Table("before", [{"a": 1.0}])
        print("chatter")
        raise RuntimeError("broken")

    causal = importlib.import_module("tokenfield.benchmarks.causal")
    monkeypatch.setattr(causal, "run", fail)
    monkeypatch.setattr(direct_sum, "run", lambda: iter([Table("after", [{"b": 12345}, {"c": None}], ("a note",))]))
    result = run("causal", "direct_sum", "--json")
    assert result.exit_code == 1
    found = json.loads(result.stdout)["benchmarks"]
    assert found["causal"]["error"] == "RuntimeError: broken" and found["causal"]["tables"][0]["title"] == "before"
    assert found["direct_sum"]["error"] is None
    text = run("causal", "direct_sum").stdout
    assert "before" in text and "12,345" in text and "a note" in text and "chatter" not in text
    assert "| b | c |\n| --- | --- |\n| 12,345 | - |\n| - | - |" in run("direct_sum", "--markdown").stdout


def test_an_interrupt_keeps_what_is_done(monkeypatch, tmp_path):
    def stop():
        yield Table("done", [{"a": 1.0}])
        raise KeyboardInterrupt

    monkeypatch.setattr(direct_sum, "run", stop)
    result = run("direct_sum", "causal", "--json", "--out", tmp_path)
    assert result.exit_code == 130
    found = json.loads(result.stdout)
    assert found["is_interrupted"] and list(found["benchmarks"]) == ["direct_sum"]
    assert found["benchmarks"]["direct_sum"]["tables"][0]["title"] == "done"


# --- the modules --------------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_every_benchmark_imports_without_peers_and_has_options_with_defaults():
    script = (
        "import inspect, sys\n"
        "class Refuse:\n"
        "    def find_spec(self, name, path=None, target=None):\n"
        "        if name.partition('.')[0] in ('torch', 'pykeops', 's2fft'):\n"
        "            raise ImportError(name)\n"
        "sys.meta_path.insert(0, Refuse())\n"
        "from tokenfield import benchmarks\n"
        "for name in benchmarks.NAMES:\n"
        "    module = benchmarks.load(name)\n"
        "    assert benchmarks.describe(name) == module.__doc__.partition('\\n')[0], name\n"
        "    assert len(benchmarks.describe(name)) > 20 and benchmarks.describe(name)[-1] in '.:', name\n"
        "    for option in inspect.signature(module.run).parameters.values():\n"
        "        assert option.kind is option.KEYWORD_ONLY and option.default is not option.empty, (name, option)\n"
    )
    found = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=120)
    assert found.returncode == 0, found.stderr


def test_options_take_the_kind_of_their_default():
    assert benchmarks.read_options(["fast_sums.n=1e4", "fast_sums.beta=2", "fast_sums.betas=1,2.5"]) == {
        "fast_sums": {"n": 10_000, "beta": 2.0, "betas": (1.0, 2.5)}
    }
    with pytest.raises(ConfigError, match="unknown benchmark"):
        benchmarks.read_options(["nothing.n=1"])


def test_the_reference_is_the_softmax_mean(monkeypatch):
    x = direct_sum.unit_vectors(7, 3, np.float64)
    kernel = np.array([[np.exp(2.0 * np.dot(a, b)) for b in x] for a in x])
    expected = np.array([sum(k * b for k, b in zip(row, x, strict=True)) / row.sum() for row in kernel])
    monkeypatch.setattr(measure, "BLOCK_BYTES", 8 * 7 * 2)  # blocks of two rows: 7 is not a multiple
    assert measure.error(measure.softmax_mean(x, x, 2.0), expected) < 1e-14
    causal = measure.softmax_mean(x, x, 2.0, first_hidden=np.arange(7) + 1)
    seen = np.tril(kernel)
    assert measure.error(causal, (seen @ x) / seen.sum(axis=1, keepdims=True)) < 1e-14
    tangent = measure.sphere_velocity(x, x, 2.0)
    assert np.abs(np.sum(tangent * x, axis=1)).max() < 1e-14  # and the mean is not tangent, so this is no accident
    assert np.abs(np.sum(expected * x, axis=1)).min() > 0.1


def test_slopes_and_figure_of_cost_curves(tmp_path):
    rows = [
        {"space": space, "sum": way, "n": 2**k, "seconds": 1e-9 * factor * 2.0 ** (k * power) + 1e-5}
        for space, factor in (("circle", 1.0), ("S^2", 4.0))
        for way, power in (("direct", 2), ("fast", 1))
        for k in range(8, 19 if way == "direct" else 24)
    ]
    fits = cost_curves.slopes(rows)
    assert [(fit["space"], fit["sum"]) for fit in fits] == [
        ("circle", "direct"),
        ("circle", "fast"),
        ("S^2", "direct"),
        ("S^2", "fast"),
    ]
    # 1e-5 s of overhead are left in the last four points, at most 1e-5 / 1e-3 of the smallest
    assert np.allclose([fit["power"] for fit in fits], [2, 1, 2, 1], atol=0.02)
    picture = cost_curves.draw([Table("Cost, beta = 9", rows), Table("Powers", fits)])
    labels = [text.get_text() for text in picture.figure.axes[0].get_legend().get_texts()]
    assert len(labels) == 4 and all("n^" in label for label in labels)
    assert picture.save(tmp_path / "cost.png").stat().st_size > 10_000


def test_the_authors_loop_climbs_its_staircase():
    start = long_times.published_start()
    assert np.allclose(start, [0, 0.04249, 0.16996, 0.33992, 0.59486], atol=1e-5)  # the published angles
    slow, fast = (
        long_times.authors_loop(start, 2000.0, 420, way) for way in (long_times.TOKEN_BY_TOKEN, long_times.ON_ARRAYS)
    )
    assert np.allclose(slow, fast, rtol=0, atol=1e-12)  # both are the same scheme
    # the first two meet after 395 steps: their distance over sqrt(2) times a step; the others hardly move by then
    assert abs(slow[0] - slow[1]) < 2 * long_times.LENGTH * np.log(2000.0) < abs(start[0] - start[1])
    assert np.abs(slow[2:] - start[2:]).max() < 25 * 2 * long_times.LENGTH * np.log(2000.0)
    # four clusters, one of two tokens: E = (4 + 1 + 1 + 1) / 25; five clusters would be 5 / 25
    assert abs(long_times.TOKEN_BY_TOKEN.energy(slow, 2000.0) - 7 / 25) < 1e-3
    assert long_times.plateau_error(slow[None], 2000.0, [4]) < 1e-3
    assert long_times.plateau_error(start[None], 2000.0, [4]) == np.inf


def test_phases_are_counted_once():
    before = phases.spent()
    with phases.phase("outer"):
        with phases.phase("inner"):
            time.sleep(0.02)
        time.sleep(0.01)
    found = {name: seconds - before.get(name, 0.0) for name, seconds in phases.spent().items()}
    assert found["inner"] >= 0.02 and 0.01 <= found["outer"] < 0.02 + found["inner"]


@pytest.mark.slow
def test_whole_commands_are_measured_by_their_phases(monkeypatch):
    # the real ones run in processes of their own; here their small versions share this one's imports
    monkeypatch.setattr(end_to_end, "in_fresh_process", lambda function, *arguments: function(*arguments))
    simulated, drawn, observed = end_to_end.run(scale=3e-4, times=2, dimensions=(8,))
    (row,) = simulated.rows
    assert row["n"] == 30 and row["goal s"] is None
    assert min(row[name] for name in (*end_to_end.PHASES, "GiB")) > 0, row
    shown = [row["command"] for row in drawn.rows]
    assert shown == ["show", *(f"plot --format {end}" for end in ("png", "pdf", "svg"))]
    assert all(0 < row["largest MB"] < end_to_end.LARGEST_MB for row in drawn.rows[1:])
    assert not observed.rows  # those are for low dimensions


def test_startup_is_measured_with_an_empty_cache_first(monkeypatch):
    real, seen = startup._timed, []

    def timed(command, cache):
        seen.append((command[2], any(cache.iterdir())))
        (cache / "compiled").touch()
        return 4.0 - len(seen), 1.0

    monkeypatch.setattr(startup, "_timed", timed)
    monkeypatch.setattr(startup, "COMMANDS", ("simulate --dim 2",))
    commands, imported = startup.run(repeats=2)
    assert seen[:3] == [("tokenfield", False), ("tokenfield", True), ("tokenfield", True)]
    assert [(row["time"], row["seconds"], row["goal s"]) for row in commands.rows] == [
        ("first", 3.0, 6.0),
        ("second", 1.0, 4.0),
    ]
    assert len(seen) == 5 and imported.rows[0]["seconds"] == -1.0
    seconds, cpu_s = real([sys.executable, "-c", "sum(range(10**6))"], Path())
    assert 0 < cpu_s <= 2 * seconds + 0.1  # clocks of processes tick in hundredths


def test_commands_of_the_documentation_exist():
    text = (Path(__file__).parents[2] / "docs" / "benchmarks.md").read_text(encoding="utf-8")
    named = re.findall(r"^tokenfield bench (\w+)", text, flags=re.MULTILINE)
    assert set(named) == set(benchmarks.NAMES), set(named) ^ set(benchmarks.NAMES)
