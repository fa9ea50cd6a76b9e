"""Configs: every key is read, written and built; every mistake is named."""

from __future__ import annotations

import dataclasses
import re
import tomllib
from pathlib import Path

import jax
import numpy as np
import pytest

from tokenfield import schedule
from tokenfield.attention import Softmax, Unnormalized
from tokenfield.errors import ConfigError, FileError, InvalidInput, TokenfieldError, Unsupported
from tokenfield.geometry import Euclidean, Sphere
from tokenfield.study.build import build_events, build_model, build_save, build_tokens
from tokenfield.study.config import Config
from tokenfield.study.simulate import solve_config, summarize

EXAMPLES = sorted((Path(__file__).parents[2] / "examples" / "configs").glob("*.toml"))

EVERYTHING = """
[geometry]
kind = "euclidean"
dim = 2
[attention]
kind = "unnormalized"
beta = 2
Q = [[1, 0.5]]
K = [[0.25, -1e-30]]
V = [[0, 1], [-1, 0]]
average = true
[schedule]
kind = "constant"
[initial]
kind = "gaussian"
n = 7
seed = 3
mean = [0.1, 0.2]
covariance = [[1.0, 0.0], [0.0, 2.0]]
[solve]
t1 = 2
t0 = 1.0
method = "rk4"
step = 0.1
rtol = 1e-5
atol = 1e-6
save = [1.0, 1.5, 2.0]
save_tokens = false
observables = ["energy", "order_parameter"]
events = ["steady:1e-3"]
max_steps = 10
dtype = "float32"
[output]
figures = false
format = "svg"
"""

EVERY_HEAD = """
[attention]
beta = 3.0
[[heads]]
V = [[2.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]
[[heads]]
kind = "unnormalized"
beta = 1.0
"""

EVERY_LAYER = """
[schedule]
kind = "per-layer"
[[schedule.layers]]
beta = 1.0
[[schedule.layers]]
beta = 4.0
[solve]
t1 = 2.0
"""

RESAMPLED = """
[schedule]
kind = "resampled"
period = 0.5
seed = 4
logits = "wigner"
tied = -1
count = 2
"""


def read(text: str) -> Config:
    return Config.from_dict(tomllib.loads(text))


def message(text: str, *, build: bool = False) -> str:
    with pytest.raises(ConfigError) as caught:
        config = read(text)
        if build:
            config.build()
    return str(caught.value)


@pytest.mark.parametrize("text", ["", EVERYTHING, EVERY_HEAD, EVERY_LAYER, RESAMPLED])
def test_round_trip_through_toml(text):
    config = read(text)
    assert read(config.to_toml()) == config
    assert read(config.resolved().to_toml()) == config.resolved()


@pytest.mark.parametrize("value", [0.1 + 0.2, 1e-300, 1e22, float("inf"), -0.0])
def test_numbers_survive_toml_bit_for_bit(value):
    config = Config.from_dict({"attention": {"beta": value}})
    assert np.float64(read(config.to_toml()).attention.beta).tobytes() == np.float64(value).tobytes()


@pytest.mark.parametrize("path", ['a "quoted" name.npy', "back\\slash\n\x7f.npy", "täglich/β.npy"])
def test_strings_survive_toml(path):
    config = Config.from_dict({"initial": {"kind": "file", "path": path}})
    assert read(config.to_toml()).initial.path == path


def test_config_holds_no_arrays_and_is_hashable():
    leaves = jax.tree.leaves(dataclasses.asdict(read(EVERYTHING)))
    assert {type(leaf) for leaf in leaves} <= {int, float, str, bool}
    assert isinstance(hash(read(EVERYTHING)), int)


def test_everything_is_built():
    config = read(EVERYTHING)
    model, tokens = config.build()
    (head,) = model.heads(0.0)
    assert isinstance(model.geometry, Euclidean) and isinstance(head.attention, Unnormalized)
    assert model.average and float(head.attention.beta) == 2.0
    np.testing.assert_array_equal(head.Q, [[1, 0.5]])
    np.testing.assert_array_equal(head.V, [[0, 1], [-1, 0]])
    assert tokens.n == 7 and tokens.points.dtype == np.float32
    assert build_events(config, model)[0].speed == 1e-3
    save = build_save(config, model)
    assert not save.tokens and list(save.observables) == ["energy", "order-parameter"]


def test_heads_inherit_from_attention():
    model, _ = read(EVERY_HEAD).build()
    first, second = model.heads(0.0)
    assert isinstance(first.attention, Softmax) and float(first.attention.beta) == 3.0
    assert isinstance(second.attention, Unnormalized) and float(second.attention.beta) == 1.0


def test_layers_share_the_run_in_equal_parts():
    model, _ = read(EVERY_LAYER).build()
    assert [float(model.heads(t)[0].attention.beta) for t in (0.0, 0.99, 1.0, 2.0)] == [1.0, 1.0, 4.0, 4.0]


def test_resampled_schedule():
    model, _ = read(RESAMPLED).build()
    built = model.schedule
    assert isinstance(built, schedule.Resampled) and isinstance(model.geometry, Sphere)
    assert (built.period, built.tied, built.count, built.logits) == (0.5, -1, 2, schedule.wigner)
    assert jax.random.key_data(built.key).tolist() == jax.random.key_data(jax.random.key(4)).tolist()


def test_resampled_schedule_follows_the_seed_of_the_tokens_unless_it_has_its_own():
    without = '[schedule]\nkind = "resampled"\nperiod = 1.0\n[initial]\nseed = 7'
    assert read(without).resolved().schedule.seed == 7
    assert read(RESAMPLED).resolved().schedule.seed == 4


def test_float32_has_tolerances_that_it_can_meet():
    assert read('[solve]\ndtype = "float32"').resolved().solve.rtol == 1e-5
    assert read("").resolved().solve.rtol == 1e-7


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("[attention]\nbetta = 1.0", ["'betta'", "[attention]", "did you mean 'beta'"]),
        ("[solver]\nt1 = 1.0", ["'solver'", "did you mean 'solve'"]),
        ("[geometry]\nbeta = 1.0", ["'beta'", "[geometry]", "belongs in [attention]"]),
        ("t1 = 1.0", ["'t1'", "belongs in [solve]"]),
        ("[[heads]]\nVV = 1", ["'VV'", "[heads]", "did you mean 'V'"]),
        ('[schedule]\nkind = "per-layer"\n[[schedule.layers]]\nbet = 1', ["'bet'", "schedule.layers", "'beta'"]),
        ("[attention]\nbeta = '9'", ["attention.beta", "a number", 'a string ("9")']),
        ("[attention]\nbeta = true", ["attention.beta", "a number", "a boolean"]),
        ("[geometry]\ndim = 3.0", ["geometry.dim", "an integer", "3.0"]),
        ("[initial]\nn = 99999999999999999999", ["initial.n", "64 bits"]),
        ("[attention]\nV = [1.0, 2.0]", ["attention.V", "a matrix"]),
        ("[attention]\nV = [[1.0, 2.0], [1.0]]", ["attention.V", "lengths [2, 1]"]),
        ("[attention]\nV = []", ["attention.V", "a matrix"]),
        ("[initial]\nmean = [1.0, 'a']", ["initial.mean[1]", "a number"]),
        ("[output]\nfigures = 1", ["output.figures", "true or false"]),
        ("[solve]\nsave = 2.5", ["solve.save", "an integer"]),
        ("geometry = 3", ["[geometry]", "a table"]),
        ("heads = 3", ["heads", "[[heads]]"]),
        ('[geometry]\nkind = "spher"', ["geometry.kind", "did you mean 'sphere'"]),
        ('[attention]\nkind = "softmx"', ["attention.kind", "did you mean 'softmax'"]),
        ('[solve]\ndtype = "float16"', ["solve.dtype", "did you mean 'float"]),
        ('[solve]\nobservables = ["enrgy"]', ["solve.observables", "did you mean 'energy'"]),
        ('[solve]\nevents = ["concensus"]', ["solve.events", "did you mean 'consensus'"]),
    ],
)
def test_mistakes_are_named(text, parts):
    found = message(text)
    assert all(part in found for part in parts), found


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ('[initial]\nkind = "uniforn"', ["initial law 'uniforn'", "did you mean 'uniform'"]),
        ("[initial]\nmean = [1.0, 0.0, 0.0]", ["'uniform' has no parameter 'mean'"]),
        ('[initial]\nkind = "von-mises-fisher"\nn = 3\nseed = 0', ["needs initial.mean, initial.concentration"]),
        ('[initial]\nkind = "file"', ["needs initial.path"]),
        ('[initial]\nkind = "file"\npath = "x.npy"\nn = 4', ["'file' has no parameter 'n'"]),
        ('[schedule]\nkind = "resampled"', ["schedule.period"]),
        ("[schedule]\nperiod = 1.0", ["schedule.period needs schedule.kind = 'resampled'"]),
        ('[schedule]\nkind = "per-layer"', ["[[schedule.layers]]"]),
        ("[[schedule.layers]]\nbeta = 1.0", ["schedule.layers needs schedule.kind = 'per-layer'"]),
        ('[schedule]\nkind = "resampled"\nperiod = 1.0\n[[heads]]\nbeta = 1.0', ["[[heads]] have no effect"]),
        ("[attention]\nbeta = 1.0\n[[heads]]\nbeta = 2.0", ["attention.beta has no effect"]),
        ("[attention]\nV = [[1.0]]\n[[heads]]\nbeta = 2.0", ["attention.V has no effect"]),
        (
            '[schedule]\nkind = "per-layer"\n[[schedule.layers]]\nbeta = 1.0\nheads = [{ beta = 2.0 }]',
            ["one head or has 'heads'"],
        ),
    ],
)
def test_settings_without_effect_or_incomplete_are_errors(text, parts):
    found = message(text, build=True)
    assert all(part in found for part in parts), found


@pytest.mark.parametrize(
    ("event", "geometry", "part"),
    [
        ("consensus:x", "sphere", "'name:number'"),
        ("consensus", "euclidean", "consensus:0.01"),
        ("cosine-level", "sphere", "cosine-level:0.999"),
    ],
)
def test_events_that_miss_a_number(event, geometry, part):
    config = Config.from_dict({"geometry": {"kind": geometry}, "solve": {"events": event}})
    model = build_model(config)
    with pytest.raises(ConfigError, match=re.escape(part)):
        build_events(config, model)


def test_energy_along_a_schedule_is_refused():
    config = read(EVERY_LAYER.replace("t1 =", "observables = ['energy']\nt1 ="))
    with pytest.raises(Unsupported, match="depends on time"):
        build_save(config, build_model(config))


@pytest.mark.parametrize(
    ("tables", "part"),
    [
        ({"attention": {"beta": float("inf")}}, "beta must be finite"),
        ({"attention": {"beta": float("nan")}}, "beta must be finite"),
        ({"attention": {"V": [[1.0, 0.0, 0.0]]}}, "V must be square"),
        ({"attention": {"Q": [[1.0, 0.0]]}}, "Q must have shape"),
        ({"geometry": {"dim": 1}}, "d >= 2"),
        ({"initial": {"n": 0}}, "n"),
        ({"attention": {"rescaled": True}}, "R^d"),
    ],
)
def test_meaning_is_checked_when_built(tables, part):
    with pytest.raises(TokenfieldError, match=re.escape(part)):
        Config.from_dict(tables).build()


def test_syntax_errors_name_file_and_line(tmp_path):
    path = tmp_path / "broken.toml"
    path.write_text("[geometry]\nkind = 'sphere'\ndim = = 3\n")
    with pytest.raises(ConfigError, match=r"broken\.toml is not valid TOML.*line 3"):
        Config.from_toml(path)


def test_unreadable_configs(tmp_path):
    with pytest.raises(FileError, match=r"cannot read the config .*absent\.toml: No such file"):
        Config.from_toml(tmp_path / "absent.toml")
    with pytest.raises(FileError, match="cannot read the config"):
        Config.from_toml(tmp_path)
    (tmp_path / "binary.toml").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(ConfigError, match=r"binary\.toml is not a text file"):
        Config.from_toml(tmp_path / "binary.toml")


def test_initial_path_is_relative_to_the_config(tmp_path):
    np.save(tmp_path / "x.npy", np.eye(3))
    (tmp_path / "c.toml").write_text('[initial]\nkind = "file"\npath = "x.npy"\n')
    config = Config.from_toml(tmp_path / "c.toml")
    np.testing.assert_array_equal(config.build()[1].points, np.eye(3))


@pytest.mark.parametrize(
    ("name", "content", "error", "part"),
    [
        ("absent.npy", None, FileError, "absent.npy"),
        ("corrupt.npy", b"not an array", FileError, "corrupt.npy"),
        ("x.txt", b"1 2 3", FileError, ".npy, .npz or .csv"),
        ("nan.csv", b"nan,0,1\n1,0,0\n", InvalidInput, "finite"),
        ("off.csv", b"2,0,0\n1,0,0\n", InvalidInput, "off the sphere"),
        ("wide.csv", b"1,0\n0,1\n", InvalidInput, "dimension 2"),
        ("weights.csv", b"x,y,z,weight\n1,0,0,0\n0,1,0,1\n", InvalidInput, "weights must be positive"),
    ],
)
def test_files_of_tokens_that_cannot_be_used(tmp_path, name, content, error, part):
    if content is not None:
        (tmp_path / name).write_bytes(content)
    config = Config.from_dict({"initial": {"kind": "file", "path": str(tmp_path / name)}})
    with pytest.raises(error, match=re.escape(part)):
        build_tokens(config, Sphere(3))


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_examples_are_valid_and_say_what_they_follow(path):
    config = Config.from_toml(path)
    assert re.search(r"^# .*", path.read_text()) and "arXiv" in path.read_text().split("[geometry]")[0]
    model, tokens = config.build()
    assert tokens.d == model.geometry.d
    build_events(config, model)
    build_save(config, model)


@pytest.mark.slow
@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_examples_run(path):
    config = Config.from_toml(path).resolved()
    small = config.initial if config.initial.n is None else dataclasses.replace(config.initial, n=12)
    config = dataclasses.replace(config, initial=small)
    run, tokens = solve_config(config, progress=False)
    assert run.result.is_complete
    assert summarize(run, tokens)["clusters"]["count"] >= 1
    if path.stem == "frame":
        # the reference number of the comment in the file, from the equiangular equation
        assert abs(float(run.result.t) - 5.270) < 1e-3
