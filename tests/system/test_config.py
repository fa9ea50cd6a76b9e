"""Configs: every key is read, written and built; every mistake is named."""

from __future__ import annotations

import dataclasses
import re
import tomllib

import jax
import numpy as np
import pytest

from tokenfield.errors import ConfigError, FileError, InvalidInput, TokenfieldError, Unsupported
from tokenfield.geometry import Euclidean, Sphere
from tokenfield.model import schedule
from tokenfield.model.exponential import Softmax, Unnormalized
from tokenfield.model.normalization import MixLN
from tokenfield.model.sigmoid import Sigmoid
from tokenfield.model.sinkhorn import Sinkhorn
from tokenfield.solver.options import Adaptive, Clock, FixedStep, Layers, Merge
from tokenfield.study import catalog
from tokenfield.study.builders import build_events, build_model, build_save, build_tokens
from tokenfield.study.config import Config
from tokenfield.study.manifest import describe_run
from tokenfield.study.sections import SolveSection
from tokenfield.study.simulate import solve_config
from tokenfield.study.summary import summarize

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


EVERY_PART = """
[geometry]
dim = 4
[attention]
relative = true
[[heads]]
kind = "sinkhorn"
beta = 2
sweeps = 3
kernel = "l2"
Q = [[1, 0, 0, 0], [0, 1, 0, 0]]
K = [[1, 0, 0, 0], [0, 0, 1, 0]]
V = [[1, 0, 0, 0]]
O = [[0], [0], [1], [0]]
[[heads]]
kind = "sigmoid"
beta = 3.0
bias = -1.0
[position]
causal = true
strict = true
window = 3
alibi = [0.1, 0.2]
rope = true
frequencies = [0.5]
[normalization]
kind = "mix-ln"
tau = 0.25
gain = [1.0, 1.0, 0.5, 1.0]
radius = 2
[perceptron]
activation = "gelu"
width = 5
seed = 9
scale = 0.5
[potential]
kind = "linear"
direction = [0.0, 0.0, 0.0, 0.25]
[initial]
kind = "points"
points = [[1.0, 0.0, 0.0, 0.0], [0.0, 1.0, 0.0, 0.0], [0.0, 0.0, 0.6, 0.8]]
weights = [1.0, 2.0, 1.0]
positions = "even"
[solve]
t1 = 0.5
layers = 2
"""

NOISY = """
[attention]
kind = "hardmax"
[noise]
kappa = 4
common = true
[initial]
n = 5
seed = 6
[solve]
t1 = 0.1
"""

WHITE = """
[schedule]
kind = "resampled"
period = 0.5
values = "ginibre"
logits = "identity"
white = true
"""


def read(text: str) -> Config:
    return Config.from_dict(tomllib.loads(text))


def message(text: str, *, build: bool = False) -> str:
    with pytest.raises(ConfigError) as caught:
        config = read(text)
        if build:
            config.build()
    return str(caught.value)


@pytest.mark.parametrize("text", ["", EVERYTHING, EVERY_HEAD, EVERY_LAYER, RESAMPLED, EVERY_PART, NOISY, WHITE])
def test_round_trip_through_toml(text):
    config = read(text)
    assert read(config.to_toml()) == config
    assert read(config.resolved().to_toml()) == config.resolved() == config.resolved().resolved()


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


@pytest.mark.parametrize("owner", [Adaptive, FixedStep, Layers, Merge, Clock])
def test_every_option_of_the_solver_is_a_key(owner):
    shared = ("help", "unset", "choices")
    keys = [{name: field.metadata.get(name) for name in shared} for field in dataclasses.fields(SolveSection)]
    options = [field for field in dataclasses.fields(owner) if field.metadata]
    assert options
    for option in options:
        found = keys[[entry["help"] for entry in keys].index(option.metadata["help"])]
        assert found["unset"] == option.metadata["unset"]
        assert option.name == "method" or found["choices"] == option.metadata["choices"]


def test_the_type_of_a_key_is_its_annotation():
    assert read("[position]\nalibi = 1").position.alibi == 1.0
    assert read("[position]\nalibi = [1, 2]").position.alibi == (1.0, 2.0)
    assert [read(f"[solve]\nmerge = {value}").solve.merge for value in ("true", "1e-6")] == [True, 1e-6]
    assert [read(f"[solve]\nsave = {value}").solve.save for value in ("3", '"end"', "[1]")] == [3, "end", (1.0,)]
    assert "solve.merge must be a number, got a string" in message("[solve]\nmerge = 'yes'")
    assert "must be a list of tables" in message("[schedule]\nlayers = 3")


def test_every_part_is_built():
    config = read(EVERY_PART)
    model, tokens = config.build()
    first, second = model.heads(0.0)
    assert isinstance(first.attention, Sinkhorn) and isinstance(second.attention, Sigmoid)
    assert (first.attention.sweeps, first.attention.kernel, float(first.attention.beta)) == (3, "l2", 2.0)
    assert (float(second.attention.beta), float(second.attention.bias)) == (3.0, -1.0)
    assert (first.Q.shape, first.V.shape, first.O.shape) == ((2, 4), (1, 4), (4, 1))
    causal, window, alibi, rope = model.position
    assert causal.strict and window.width == 3.0 and alibi.slopes.tolist() == [0.1, 0.2]
    assert rope.frequencies.tolist() == [0.5]
    assert isinstance(model.normalization, MixLN) and model.normalization.tau == 0.25 and model.relative
    np.testing.assert_array_equal(model.normalization.gain, [1.0, 1.0, 0.5, 1.0])
    perceptron, potential = model.token_wise(0.0)
    assert perceptron.activation == "gelu" and perceptron.W.shape == (4, 5)
    np.testing.assert_allclose(potential(np.zeros((2, 4))), [[0, 0, 0, 0.25]] * 2, rtol=0, atol=0)
    np.testing.assert_allclose(tokens.positions, [1 / 3, 2 / 3, 1], rtol=1e-15)
    np.testing.assert_array_equal(tokens.radii, [2.0, 2.0, 2.0])
    np.testing.assert_array_equal(tokens.weights, [0.25, 0.5, 0.25])


@pytest.mark.parametrize("kind", [kind for kind in catalog.kinds_of("attention") if kind.name != "none"])
def test_every_attention_takes_its_parameters(kind):
    numbers = {"beta": 2.5, "bias": -1.5, "tolerance": 1e-4, "radius": 0.25, "power": 1.5, "softening": 0.1}
    given = numbers | {"sweeps": 3, "kernel": "l2", "max_sweeps": 7}
    given = {p.name: given[p.name] for p in kind.parameters}
    model, _ = Config.from_dict({"attention": {"kind": kind.name, **given}, "initial": {"n": 2}}).build()
    (head,) = model.heads(0.0)
    assert type(head.attention) is catalog.load(kind)
    for name, value in given.items():
        found = getattr(head.attention, name)
        assert (float(found) if name in numbers else found) == value


def test_a_window_and_rope_alone():
    model, _ = read("[position]\nwindow = 2\nrope = true\n[geometry]\ndim = 4\n[initial]\nn = 3").build()
    assert [type(kind).__name__ for kind in model.position] == ["Window", "RoPE"] and model.position[1].base == 1e4


def test_noise_takes_the_seed_of_the_tokens_and_a_step():
    config = read(NOISY).resolved()
    assert (config.solve.method, config.solve.step, config.noise.seed) == ("heun", 0.01, 6)
    model, _ = config.build()
    assert model.noise.common and float(model.noise.kappa) == 4.0
    layered = read(NOISY.replace("t1 = 0.1", "t1 = 0.1\nlayers = 3")).resolved().solve
    assert (layered.method, layered.step, layered.layers) == (None, None, 3)
    assert read("").resolved().solve.method == "tsit5"
    assert describe_run(config, 0.0)["noise_seed"] == 6 and describe_run(read("").resolved(), 0.0)["noise_seed"] is None


def test_defaults_of_the_kind_are_written_out():
    tables = read(EVERY_HEAD).resolved().to_dict()
    assert [(head["kind"], head["beta"]) for head in tables["heads"]] == [("softmax", 3.0), ("unnormalized", 1.0)]
    assert "beta" not in tables["attention"] and "kind" not in tables["attention"]
    layers = read(EVERY_LAYER).resolved().schedule.layers
    assert [(layer.kind, layer.beta) for layer in layers] == [("softmax", 1.0), ("softmax", 4.0)]
    single = read('[attention]\nkind = "hardmax"').resolved().attention
    assert (single.tolerance, single.beta) == (1e-9, None)
    assert read('[normalization]\nkind = "pre-ln"').resolved().normalization.radius == 1.0
    assert read("[position]\nrope = true").resolved().position.base == 10_000.0
    assert read("[position]\ncausal = true").resolved().initial.positions == "index"


def test_random_perceptron_has_weights_of_order_one_over_the_root_of_the_fan_in():
    text = "[geometry]\ndim = 50\n[perceptron]\nwidth = 400\nscale = 3.0\n[initial]\nn = 2\nseed = {}"
    (first,), (same,), (other,) = (read(text.format(seed)).build()[0].token_wise(0.0) for seed in (1, 1, 2))
    np.testing.assert_array_equal(first.W, same.W)
    assert np.abs(np.asarray(first.W - other.W)).max() > 0.1
    # 20000 Gaussian entries: their standard deviation is known to half a percent, b's 400 to 4 percent
    assert abs(np.std(first.W) * np.sqrt(400) / 3.0 - 1) < 0.03 and abs(np.std(first.A) * np.sqrt(50) - 1) < 0.03
    assert abs(np.std(first.b) * np.sqrt(50) - 1) < 0.2


def test_white_schedule_and_quadratic_potential():
    model, _ = read(WHITE).build()
    assert model.schedule.white and model.schedule.logits is None
    config = read("[potential]\nstrength = [1.0, 0.0, -2.0]\n[initial]\nn = 2")
    (potential,) = config.build()[0].token_wise(0.0)
    np.testing.assert_allclose(potential(np.ones((1, 3))), [[1.0, 0.0, -2.0]], rtol=0, atol=1e-15)


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
        ('[attention]\nkind = "sinkorn"', ["attention.kind", "did you mean 'sinkhorn'"]),
        ('[[heads]]\nkind = "none"', ["heads.kind 'none'"]),
        ('[attention]\nkind = "sinkhorn"\nkernel = "dott"', ["attention.kernel", "did you mean 'dot'"]),
        ('[normalization]\nkind = "preln"', ["normalization.kind", "did you mean 'pre-ln'"]),
        ('[perceptron]\nactivation = "gel"', ["perceptron.activation", "did you mean 'gelu'"]),
        ('[potential]\nkind = "quadratc"', ["potential.kind", "did you mean 'quadratic'"]),
        ("[positions]\ncausal = true", ["'positions'", "did you mean 'position'"]),
        ("[attention]\ncausal = true", ["'causal'", "belongs in [position]"]),
        ("[position]\nalibi = true", ["position.alibi", "a number", "a boolean"]),
        ('[initial]\npositions = "eve"', ["initial.positions", "did you mean 'even'"]),
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
        ('[attention]\nkind = "hardmax"\nbeta = 2.0', ["attention.beta", "hardmax has no beta; it has tolerance"]),
        ('[[heads]]\nkind = "krause"\nbias = 2.0', ["heads.bias", "krause has no bias; it has radius"]),
        ("[attention]\nsweeps = 3", ["softmax has no sweeps; it has beta"]),
        ("[attention]\nradius = 1.0\n[[heads]]\nbeta = 2.0", ["attention.radius has no effect: no head"]),
        ('[attention]\nkind = "none"', ["needs a [perceptron] or a [potential]"]),
        ('[attention]\nkind = "none"\nbeta = 1.0\n[perceptron]', ["a model without attention has no beta"]),
        ('[attention]\nkind = "none"\n[[heads]]\nbeta = 1.0\n[perceptron]', ["[[heads]] have no effect"]),
        ("[position]\nstrict = true", ["position.strict has no effect", "position.causal = true"]),
        ("[position]\nbase = 10.0", ["position.base has no effect", "position.rope = true"]),
        ("[position]\nrope = true\nbase = 10.0\nfrequencies = 1.0", ["position.base has no effect"]),
        ('[normalization]\nkind = "mix-ln"', ["mix-ln needs normalization.tau"]),
        ('[normalization]\nkind = "ngpt"\ntau = 1.0', ["ngpt has no tau; it has alpha, gain"]),
        ('[normalization]\nkind = "post-ln"\nradius = 2.0', ["post-ln has no radius"]),
        ("[perceptron]\nseed = 1", ["perceptron.seed", "perceptron.width"]),
        ("[perceptron]\nwidth = 3\nb = [1.0]", ["perceptron.b and perceptron.width exclude"]),
        ("[perceptron]\nwidth = 0", ["perceptron.width must be at least 1"]),
        ("[potential]\nstrength = 1.0", ["potential.strength has no effect", "constant on the sphere"]),
        ("[potential]\nstrength = [1.0]", ["potential.strength must have 3 entries"]),
        ('[potential]\nkind = "linear"', ["linear needs potential.direction"]),
        ('[potential]\nkind = "linear"\nstrength = 1.0', ["linear has no strength"]),
        ("[noise]\ncommon = true", ["noise needs noise.kappa"]),
        ("[schedule]\nwhite = true", ["schedule.white needs schedule.kind = 'resampled'"]),
        ('[initial]\npositions = "even"', ["initial.positions has no effect"]),
        ('[initial]\nkind = "points"', ["needs initial.points"]),
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
    config = Config.from_dict({"geometry": {"kind": geometry}, "solve": {"events": event}}).resolved()
    model = build_model(config)
    with pytest.raises(ConfigError, match=re.escape(part)):
        build_events(config, model)


def test_energy_along_a_schedule_is_refused():
    config = read(EVERY_LAYER.replace("t1 =", "observables = ['energy']\nt1 =")).resolved()
    with pytest.raises(Unsupported, match="depends on time"):
        build_save(config, build_model(config))


@pytest.mark.parametrize("name", ["energy", "normalized-energy", "dissipation"])
def test_energy_of_a_model_without_one_is_refused(name):
    config = Config.from_dict({"attention": {"kind": "hardmax"}, "solve": {"observables": [name]}}).resolved()
    with pytest.raises(Unsupported, match=f"'{name}' needs attention that an energy drives"):
        build_save(config, build_model(config))


def test_dissipation_where_the_normalization_depends_on_depth_is_refused():
    tables = {"normalization": {"kind": "depth-scaled"}, "solve": {"observables": ["dissipation"]}}
    config = Config.from_dict(tables).resolved()
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
        ({"attention": {"kind": "krause", "radius": -1.0}}, "radius must be positive"),
        ({"attention": {"kind": "sinkhorn", "sweeps": 0}}, "sweeps must be a whole number >= 1"),
        ({"position": {"rope": True}}, "RoPE rotates pairs"),
        ({"position": {"window": -1.0}}, "Window(width) needs a number >= 0"),
        ({"position": {"alibi": [0.1, 0.2]}}, "2 slopes for 1 heads"),
        ({"normalization": {"kind": "pre-ln", "radius": -1.0}}, "radii must be positive"),
        ({"normalization": {"gain": [1.0]}}, "the gain must have shape (3,)"),
        ({"perceptron": {"W": [[1.0]]}}, "W must have shape"),
        ({"noise": {"kappa": 0.0}}, "kappa must be positive"),
        ({"noise": {"kappa": 1.0}, "normalization": {"kind": "pre-ln"}}, "they slow down as radii grow"),
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


def test_summary_of_a_model_without_energy_and_with_radii():
    tables = {"attention": {"kind": "krause", "radius": 1.0}, "initial": {"n": 5}, "solve": {"t1": 0.2, "layers": 2}}
    config = Config.from_dict(tables | {"normalization": {"kind": "pre-ln", "radius": 1.5}}).resolved()
    run, tokens = solve_config(config, progress=False)
    summary = summarize(run, tokens)
    assert summary["energy"] is None and summary["normalized_energy"] is None
    # weights of 1/5 sum to one up to rounding
    assert summary["radius"] == pytest.approx({"first": 1.5, "last": float(np.mean(run.final.radii))}, rel=1e-14)
    assert summary["radius"]["last"] > 1.6  # attention adds nearly the token itself: r' is close to 1
