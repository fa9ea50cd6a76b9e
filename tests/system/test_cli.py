"""The command line as a user meets it: output, exit codes, errors."""

from __future__ import annotations

import dataclasses
import errno
import json
import os
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import typer
from typer.testing import CliRunner

from command_line import error_of, in_a_folder_of_its_own, tokenfield  # noqa: F401
from tokenfield import __version__
from tokenfield.cli import app
from tokenfield.cli.flags import CONFIG_FLAGS, default_text
from tokenfield.errors import ConfigError
from tokenfield.solver.options import Clock
from tokenfield.solver.save import DEFAULT_COUNT
from tokenfield.study import Config, RunFolder, catalog, predict
from tokenfield.study.config import SECTIONS
from tokenfield.study.toml import names_in

SMALL = ["--n", "6", "--t1", "0.5", "--beta", "2", "--save", "3", "--no-figures"]


def summary_of(*arguments: str | Path) -> dict:
    result = tokenfield(*arguments, "--json")
    assert result.exit_code == 0, result.stderr

    def refuse(name: str):
        raise AssertionError(f"{name} is not JSON")

    return json.loads(result.stdout, parse_constant=refuse)


# --- help ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "arguments", [["--help"], ["simulate", "--help"], ["plot", "--help"], ["show", "--help"], ["--version"]]
)
def test_help_does_not_import_jax(arguments):
    script = (
        "import sys, tokenfield.cli\n"
        f"try: tokenfield.cli.app({arguments!r})\n"
        "except SystemExit as end: code = end.code\n"
        "assert not code, code\n"
        "heavy = {'jax', 'diffrax', 'matplotlib', 'xarray', 'scipy'} & set(sys.modules)\n"
        "assert not heavy, heavy\n"
    )
    found = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=60)
    assert found.returncode == 0, found.stderr
    assert __version__ in found.stdout if arguments == ["--version"] else "Usage" in found.stdout


# flags of simulate that are not keys of a config
OF_THE_COMMAND = {"--set", "--out", "--force", "--json", "--quiet", "--explain", "--resume", "--continue-from"}
KEYS = {CONFIG_FLAGS[key].names[0].partition("/")[0]: key for key in CONFIG_FLAGS}


def options_of(command: str) -> dict:
    """The options of a command by their first names."""
    parameters = typer.main.get_command(app).commands[command].params
    return {option.opts[0]: option for option in parameters if option.opts[0].startswith("--")}


def test_every_flag_of_simulate_is_a_key_of_a_config_or_listed():
    assert options_of("simulate").keys() == KEYS.keys() | OF_THE_COMMAND
    declared = [field for section in SECTIONS.values() for field in dataclasses.fields(section)]
    assert len([field for field in declared if field.metadata.get("flag")]) == len(KEYS)  # no name serves two keys


@pytest.mark.parametrize("flag", KEYS)
def test_help_names_the_default_that_a_run_has(flag):
    section, _, name = KEYS[flag].partition(".")
    # what the resolved config of a run of tokens does not say: it follows another key, or the solver knows it
    elsewhere = {
        "--atol": "rtol/100",
        "--speed": Clock("distance").pace,
        "--save": DEFAULT_COUNT,
        "--kappa": "none",
        "--devices": 1,
    }
    elsewhere |= {"--grid": "that of the dimension", "--nodes": "as many as the grid needs"}
    part = getattr(Config().resolved(), section) or SECTIONS[section]()
    default, text = elsewhere.get(flag, getattr(part, name)), options_of("simulate")[flag].help
    if default is None or default is False or default == ():
        assert "by default" not in text
    else:
        assert re.search(rf"; by default {re.escape(default_text(default))}\b", text), text
    assert all(choice in text for choice in names_in(field_of(KEYS[flag]).metadata["choices"]))


def field_of(key: str) -> dataclasses.Field:
    section, _, name = key.partition(".")
    return next(field for field in dataclasses.fields(SECTIONS[section]) if field.name == name)


@pytest.mark.parametrize("flag", KEYS)
def test_every_flag_sets_its_key(flag, monkeypatch):
    key, seen = KEYS[flag], []

    def remember(config, *_, **__):
        seen.append(config)
        raise ConfigError("seen")

    monkeypatch.setattr("tokenfield.study.simulate.simulate", remember)
    section, _, name = key.partition(".")
    option, choices = CONFIG_FLAGS[key], names_in(field_of(key).metadata["choices"])
    word = choices[-1] if choices else "3"
    text, wanted = {int: ("7", 7), float: ("0.25", 0.25), list[str]: (word, (word,))}.get(option.type, (word, word))
    wanted = {"--save": 3, "--devices": 3, "--tokens": str(Path("3").absolute())}.get(flag, wanted)
    cases = [([flag, text], wanted)]
    if option.type is bool:
        cases = [([name], value) for name, value in zip(option.names[0].split("/"), (True, False), strict=True)]
    for arguments, wanted in cases:
        assert "seen" in error_of("simulate", *arguments)
        value = getattr(getattr(seen[-1], section), name)
        assert value == wanted and type(value) is type(wanted)


def test_commands_share_the_help_of_a_key():
    simulate, compare, diagram = map(options_of, ("simulate", "compare", "phase-diagram"))
    for flag in ("--dim", "--attention", "--beta", "--initial", "--kernel", "--t1"):
        assert compare[flag].help == simulate[flag].help
    for flag in ("--n", "--t1", "--save", "--step", "--seed"):
        assert diagram[flag].help.startswith(simulate[flag].help.partition(";")[0].rstrip("."))


def test_help_of_predict_names_its_own_default():
    assert options_of("predict")["--n"].help == f"Number of tokens; by default {predict.DEFAULT_N}."


def test_help_has_panels_and_exit_codes():
    text = tokenfield("simulate", "--help").stdout
    assert "130" in text and "Exit codes" in text
    assert all(f"─ {panel} ─" in text for panel in ("Model", "Initial tokens", "Solver", "Output"))


@pytest.mark.parametrize("columns", [40, 80])
@pytest.mark.parametrize("command", ["simulate", "compare", "predict", "phase-diagram", "sweep", "bench", "reproduce"])
def test_help_cuts_no_name(command, columns):
    text = CliRunner().invoke(app, [command, "--help"], env={"COLUMNS": str(columns)}).stdout
    assert "…" not in text and max(map(len, text.splitlines())) <= columns
    for option in options_of(command).values():
        assert all(name in text for name in (*option.opts, *option.secondary_opts)), option.opts


def test_help_has_nothing_that_is_taken_for_a_style():
    """Words in brackets would be left out: they are styles in the panels of help."""
    commands = typer.main.get_command(app).commands.values()
    texts = [parameter.help or "" for command in commands for parameter in getattr(command, "params", ())]
    assert len(texts) > 100 and not [text for text in texts if "[" in text]


# --- models -------------------------------------------------------------------------------------------------------


def test_models_lists_every_kind_and_refusal():
    result = tokenfield("models")
    assert result.exit_code == 0, result.stderr
    for kind in catalog.kinds():
        assert re.search(rf"^  {re.escape(kind.name)} ", result.stdout, flags=re.MULTILINE), kind.id
        assert all(source in result.stdout for source in kind.sources)
    text = " ".join(result.stdout.split())
    for exclusion in catalog.exclusions():
        assert exclusion.general in text
    assert "frame rescaled + geometry sphere; any normalization" in text
    # piped output has 80 columns: nothing is cut
    assert "…\n" not in result.stdout and max(map(len, result.stdout.splitlines())) <= 80


def test_models_as_json():
    result = tokenfield("models", "--json")
    assert result.exit_code == 0 and json.loads(result.stdout) == json.loads(json.dumps(catalog.as_json()))


def test_one_kind_in_full():
    text = " ".join(tokenfield("models", "pre-ln").stdout.split())
    for part in ("pre-ln (normalization)", "tokenfield.PreLN", '[normalization] kind = "pre-ln"'):
        assert part in text
    for part in (
        "https://arxiv.org/abs/2510.22026",
        "radius = 1.0 length of the residual stream",
        "any noise: noise moves",
    ):
        assert part in text
    assert tokenfield("models", "PreLN").stdout == tokenfield("models", "pre-ln").stdout
    assert tokenfield("models", "linear").stdout.count("linear (") == 2  # an attention and a potential
    assert [*json.loads(tokenfield("models", "linear", "--json").stdout)] == ["attention", "potential"]
    assert "[position] alibi = 0.1" in tokenfield("models", "alibi").stdout
    assert "unknown kind 'softmx'; did you mean 'softmax'?" in error_of("models", "softmx")


def test_models_does_not_import_jax():
    script = (
        "import sys, tokenfield.cli\n"
        "try: tokenfield.cli.app(['models'])\n"
        "except SystemExit as end: code = end.code\n"
        "assert not code, code\n"
        "heavy = {'jax', 'diffrax', 'matplotlib', 'xarray', 'scipy'} & set(sys.modules)\n"
        "assert not heavy, heavy\n"
    )
    found = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=60)
    assert found.returncode == 0, found.stderr


# --- simulate -----------------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_json_is_one_object_with_the_promised_keys():
    summary = summary_of("simulate", *SMALL, "--out", "run")
    assert {"result", "t", "n", "dim", "clusters", "energy", "steps", "wall_s", "out"} <= summary.keys()
    assert (summary["result"], summary["t"], summary["n"], summary["dim"]) == ("finished", 0.5, 6, 3)
    assert summary["clusters"]["count"] == len(summary["clusters"]["sizes"]) and sum(summary["clusters"]["sizes"]) == 6
    assert summary["energy"]["last"] > summary["energy"]["first"] > 0 and summary["steps"] > 0
    assert summary["out"] == "run" and Path("run/manifest.json").exists()
    assert summary_of("show", "run") == summary


def test_summary_is_readable():
    result = tokenfield("simulate", *SMALL)
    assert result.exit_code == 0, result.stderr
    assert result.stdout.startswith("finished at t = 0.5\n")
    for part in ("6 on S^2", "clusters", "energy", "steps", "runs/sphere-uniform-1"):
        assert part in result.stdout, result.stdout
    assert tokenfield("show", "runs/sphere-uniform-1").stdout == result.stdout


def test_quiet_prints_nothing_and_folders_are_numbered():
    for number in (1, 2):
        result = tokenfield("simulate", *SMALL, "--quiet")
        assert (result.exit_code, result.output) == (0, "")
        assert Path(f"runs/sphere-uniform-{number}/summary.json").exists()


def test_flags_override_the_file():
    Path("mine.toml").write_text(
        '[attention]\nbeta = 7.0\n[initial]\nkind = "cap"\nangle = 1.0\nn = 50\nseed = 3\n'
        "[solve]\nt1 = 9.0\nlayers = 5\nsave = 3\n[output]\nfigures = false\n"
    )
    tokenfield("simulate", "mine.toml", "--n", "6", "--t1", "0.5", "--beta", "2", "--seed", "4")
    config = RunFolder.open("runs/mine-1").config
    assert (config.attention.beta, config.initial.n, config.solve.t1, config.initial.seed) == (2.0, 6, 0.5, 4)
    assert config.initial.angle == 1.0 and config.solve.layers == 5
    result = tokenfield(
        "simulate",
        "mine.toml",
        "--n",
        "6",
        "--t1",
        "0.5",
        "--initial",
        "uniform",
        "--method",
        "tsit5",
        "--out",
        "other",
    )
    assert result.exit_code == 0, result.stderr
    config = RunFolder.open("other").config
    assert (config.initial.kind, config.initial.angle) == ("uniform", None)
    assert (config.solve.method, config.solve.layers) == ("tsit5", None)


@pytest.mark.slow
def test_flags_of_the_model_override_the_file():
    Path("mine.toml").write_text(
        '[attention]\nkind = "sigmoid"\nbeta = 7.0\nbias = 1.0\n[normalization]\nkind = "mix-ln"\ntau = 1.0\n'
        "[position]\ncausal = true\nstrict = true\n"
        "[initial]\nn = 5\nseed = 3\n[solve]\nt1 = 0.2\nlayers = 2\nsave = 3\n[output]\nfigures = false\n"
    )
    flags = "--attention hardmax --not-causal --normalization ngpt --kappa 2 --seed 4 --set noise.common=true --out run"
    result = tokenfield("simulate", "mine.toml", *flags.split())
    assert result.exit_code == 0, result.stderr
    assert "energy" not in result.stdout and "radius" not in result.stdout
    folder = RunFolder.open("run")
    tables = folder.config.to_dict()
    assert (tables["attention"]["kind"], tables["attention"]["tolerance"]) == ("hardmax", 1e-9)
    assert "beta" not in tables["attention"] and "strict" not in tables["position"]
    assert tables["normalization"] == {"kind": "ngpt", "alpha": 1.0} and not tables["position"]["causal"]
    assert tables["noise"] == {"kappa": 2.0, "common": True, "seed": 4}
    assert folder.manifest["noise_seed"] == 4
    assert folder.summary["energy"] is None and folder.trajectory().model.noise.common


def test_radii_are_shown_and_written():
    result = tokenfield("simulate", *SMALL, "--normalization", "pre-ln", "--causal", "--layers", "3", "--out", "run")
    assert result.exit_code == 0, result.stderr
    assert re.search(r"mean radius +1 → 1\.", result.stdout) and tokenfield("show", "run").stdout == result.stdout
    folder = RunFolder.open("run")
    assert folder.trajectory().radii.shape == (3, 6)


@pytest.mark.slow
def test_model_without_energy_has_no_figure_of_it():
    arguments = [argument for argument in SMALL if argument not in ("--no-figures", "--beta", "2")]
    assert tokenfield("simulate", *arguments, "--attention", "hardmax", "--layers", "3", "--out", "run").exit_code == 0
    names = {path.name for path in Path("run/figures").iterdir()}
    assert names == {"sphere.png", "histogram.png", "cluster_count.png", "merge_tree.png"}


@pytest.mark.slow
def test_every_flag_reaches_the_config():
    flags = "--geometry euclidean --dim 2 --attention softmax --beta 1.5 --rescaled --initial box --n 5 --seed 2"
    flags += (
        " --t0 0.5 --t1 1 --method rk4 --step 0.25 --rtol 1e-4 --atol 1e-5 --norm max --max-steps 50 --dtype float32"
    )
    flags += " --save 0.5,0.75,1 --observable order-parameter --observable mean_cosine --events steady:1e-9"
    flags += " --set initial.low=-2 --set attention.V=[[1.0,0.0],[0.0,0.5]] --no-figures --out run"
    result = tokenfield("simulate", *flags.split())
    assert result.exit_code == 0, result.stderr
    run = RunFolder.open("run")
    tables = run.config.to_dict()
    assert tables["geometry"] == {"kind": "euclidean", "dim": 2}
    assert tables["attention"]["V"] == ((1.0, 0.0), (0.0, 0.5)) and tables["attention"]["rescaled"]
    assert tables["initial"] == {"kind": "box", "n": 5, "seed": 2, "low": -2.0}
    solve = tables["solve"]
    assert (solve["t0"], solve["t1"], solve["method"], solve["step"]) == (0.5, 1.0, "rk4", 0.25)
    assert (solve["rtol"], solve["atol"], solve["max_steps"], solve["dtype"]) == (1e-4, 1e-5, 50, "float32")
    assert solve["norm"] == "max"
    assert solve["save"] == (0.5, 0.75, 1.0) and solve["events"] == ("steady:1e-9",)
    trajectory = run.trajectory()
    assert trajectory.points.dtype == np.float32 and trajectory.ts.tolist() == [0.5, 0.75, 1.0]
    assert trajectory.observables["mean-cosine"].shape == (3,)


@pytest.mark.slow
def test_tokens_from_a_file():
    np.save("x.npy", np.eye(3))
    summary = summary_of("simulate", "--tokens", "x.npy", "--t1", "0.5", "--save", "end", "--no-figures")
    assert summary["n"] == 3


def test_results_that_are_not_complete_are_said_plainly():
    result = tokenfield("simulate", *SMALL, "--max-steps", "2", "--out", "run")
    assert result.exit_code == 0
    assert result.stdout.startswith("ran out of steps")
    assert summary_of("show", "run")["result"] == "out-of-steps"


@pytest.mark.slow
def test_figures_are_drawn_and_redrawn():
    arguments = [argument for argument in SMALL if argument != "--no-figures"]
    assert tokenfield("simulate", *arguments, "--out", "run").exit_code == 0
    names = {path.name for path in Path("run/figures").iterdir()}
    assert names == {"sphere.png", "energy.png", "histogram.png", "cluster_count.png", "merge_tree.png"}
    result = tokenfield("plot", "run", "--format", "svg", "--animate", "gif", "--out", "elsewhere")
    assert result.exit_code == 0, result.stderr
    assert set(result.stdout.split()) == {str(path) for path in Path("elsewhere").iterdir()}
    assert {"sphere.gif", "sphere.svg", "energy.svg"} <= {path.name for path in Path("elsewhere").iterdir()}


# --- errors: one line, exit code 2 --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "part"),
    [
        (["--beta", "inf"], "beta must be finite"),
        (["--beta", "nan"], "beta must be finite"),
        (["--n", "0"], "n must be at least 1"),
        (["--dim", "1"], "d >= 2"),
        (["--set", "attention.V=[[1.0,2.0,3.0]]"], "V must be square"),
        (["--geometry", "torus"], "unknown geometry.kind 'torus'"),
        (["--attention", "sofmax"], "did you mean 'softmax'"),
        (["--initial", "unifrm"], "did you mean 'uniform'"),
        (["--method", "tsit6"], "did you mean 'tsit5'"),
        (["--t1", "-1"], "t0 < t1"),
        (["--save", "0"], "save needs a count"),
        (["--save", "1,2,x"], "--save needs"),
        (["--save", "sometimes"], "save needs a count"),
        (["--max-steps", "0"], "max_steps must be at least 1"),
        (["--method", "rk4"], "needs a step"),
        (["--layers", "0"], "layers must be a whole number"),
        (["--rescaled"], "rescaled frame"),
        (["--attention", "hardmax", "--beta", "2"], "hardmax has no beta"),
        (["--attention", "none"], "needs a [perceptron] or a [potential]"),
        (["--normalization", "preln"], "did you mean 'pre-ln'"),
        (["--normalization", "pre-ln", "--kappa", "2"], "with PreLN they slow down as radii grow"),
        (["--normalization", "pre-ln", "--geometry", "euclidean", "--initial", "box"], "PreLN moves directions"),
        (["--kappa", "2", "--method", "rk4", "--step", "0.1"], "method 'rk4' ignores noise"),
        (["--kappa", "-1"], "kappa must be positive"),
        (["--set", "noise.seed=1"], "noise needs noise.kappa"),
        (["--set", "position.windw=3"], "did you mean 'window'"),
        (["--attention", "krause", "--observable", "energy"], "'energy' needs attention that an energy drives"),
        (["--observable", "enrgy"], "did you mean 'energy'"),
        (["--events", "concensus"], "did you mean 'consensus'"),
        (["--dtype", "float16"], "solve.dtype"),
        (["--set", "attention.betta=2"], "did you mean 'beta'"),
        (["--set", "beta"], "--set needs section.key=value"),
        (["--geometry", "euclidean"], "no uniform law"),
        (["--tokens", "absent.npy"], "absent.npy"),
        (["absent.toml"], "cannot read the config absent.toml"),
    ],
)
def test_errors_of_options(arguments, part):
    small = [] if "--tokens" in arguments else ["--n", "4"]
    assert part in error_of("simulate", *small, "--no-figures", "--out", "run", *arguments)
    assert not Path("run").exists() and not list(Path().glob(".run*"))


@pytest.mark.parametrize(
    ("name", "text", "part"),
    [
        ("key.toml", "[solve]\nt_1 = 3.0\n", "unknown key 't_1' in [solve]; did you mean 't1'"),
        ("syntax.toml", "[solve\n", "line 1"),
        ("type.toml", "[solve]\nt1 = 'long'\n", "solve.t1 must be a number"),
        ("table.toml", "solve = 3\n", "[solve] must be a table"),
    ],
)
def test_errors_of_config_files(name, text, part):
    Path(name).write_text(text)
    assert part in error_of("simulate", name, "--beta", "1.0")


@pytest.mark.parametrize(
    ("name", "content", "part"),
    [
        ("nan.csv", "nan,0,1\n1,0,0\n", "points must be finite"),
        ("infinite.csv", "inf,0,1\n1,0,0\n", "points must be finite"),
        ("off.csv", "2,0,0\n1,0,0\n", "off the sphere"),
        ("zero.csv", "x,y,z,weight\n1,0,0,0\n0,1,0,1\n", "weights must be positive"),
        ("negative.csv", "x,y,z,weight\n1,0,0,-1\n0,1,0,1\n", "weights must be positive"),
        ("wide.csv", "1,0\n0,1\n", "dimension 2"),
        ("corrupt.npy", "not an array", "corrupt.npy"),
        ("empty.npy", "", "empty.npy"),
    ],
)
def test_errors_of_token_files(name, content, part):
    Path(name).write_text(content)
    assert part in error_of("simulate", "--tokens", name, "--out", "run")
    assert not Path("run").exists()


def test_existing_out_asks_for_force():
    tokenfield("simulate", *SMALL, "--out", "run")
    before = Path("run/manifest.json").read_bytes()
    assert "run exists" in (found := error_of("simulate", *SMALL, "--out", "run")) and "--force" in found
    assert Path("run/manifest.json").read_bytes() == before
    assert tokenfield("simulate", *SMALL, "--seed", "5", "--out", "run", "--force").exit_code == 0
    assert RunFolder.open("run").manifest["seed"] == 5


def test_failed_run_with_force_keeps_the_old_folder():
    tokenfield("simulate", *SMALL, "--out", "run")
    before = Path("run/manifest.json").read_bytes()
    error_of("simulate", *SMALL, "--out", "run", "--force", "--beta", "inf")
    assert Path("run/manifest.json").read_bytes() == before


def test_full_disk_is_one_line(monkeypatch):
    tokenfield("simulate", *SMALL, "--out", "run")
    before = Path("run/manifest.json").read_bytes()

    def fail(*args, **options):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr("tokenfield.study.store.arrays.write_arrays", fail)
    assert "No space left on device" in error_of("simulate", *SMALL, "--out", "run", "--force")
    assert Path("run/manifest.json").read_bytes() == before
    assert not list(Path().glob(".run*"))


@pytest.mark.parametrize("command", ["plot", "show"])
def test_errors_of_run_folders(command):
    assert "there is no folder absent" in error_of(command, "absent")
    Path("half").mkdir()
    assert "unfinished or not a run folder" in error_of(command, "half")
    tokenfield("simulate", *SMALL, "--out", "run")
    Path("run/summary.json").write_text("{}")
    assert "damaged" in error_of(command, "run")


def test_errors_of_formats():
    assert "unknown format 'pgn'; did you mean 'png'" in error_of("plot", "run", "--format", "pgn")
    assert "unknown format 'mp3'; did you mean 'mp4'" in error_of("plot", "run", "--animate", "mp3")


def test_a_cache_that_cannot_be_made_is_no_error(monkeypatch):
    Path("file").write_text("")
    monkeypatch.setenv("XDG_CACHE_HOME", str(Path("file").absolute()))
    assert tokenfield("simulate", *SMALL).exit_code == 0
