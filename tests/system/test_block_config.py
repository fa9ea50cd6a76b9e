"""Real layers through configs: every key is read, written, built and checked, and the network runs."""

from __future__ import annotations

import json
import tomllib

import equinox as eqx
import jax.numpy as jnp
import numpy as np
import pytest
from typer.testing import CliRunner

import tokenfield as tkf
from tokenfield.cli import app
from tokenfield.errors import ConfigError, TokenfieldError
from tokenfield.model.gains import GainPerLayer
from tokenfield.study.builders import build_model
from tokenfield.study.builders.save import FINAL_NORM
from tokenfield.study.config import Config
from tokenfield.study.continuing import tables_after
from tokenfield.study.simulate import simulate, solve_config

D, H = 4, 2
RANDOM = """
[geometry]
kind = "euclidean"
dim = 4
[block]
norm = "rms-norm"
place = "around"
eps = 1e-4
gain = [[1.0, -2.0, 1.0, 0.5], [1.0, 1.0, 1.0, 1.0]]
heads = 2
kv_heads = 1
biases = true
scale = 0.5
layers = 2
final = true
[perceptron]
activation = "silu"
gate = true
width = 5
[position]
causal = true
rope = true
pairing = "halves"
dims = 2
base = 100.0
sinusoidal = 0.5
[initial]
kind = "gaussian"
n = 3
seed = 6
[solve]
t1 = 2.0
save = 3
"""
GIVEN = {
    "Q": (4, D), "K": (2, D), "V": (2, D), "O": (D, 4), "q": (4,), "k": (2,), "v": (2,), "o": (D,),
}  # fmt: skip


def read(text: str) -> Config:
    return Config.from_dict(tomllib.loads(text))


def numbers(seed: int = 0) -> dict[str, np.ndarray]:
    rng = np.random.default_rng(seed)
    return {name: rng.normal(size=shape) for name, shape in GIVEN.items()}


def given_tables(arrays: dict[str, np.ndarray], **block) -> dict:
    return {
        "geometry": {"kind": "euclidean", "dim": D},
        "attention": {name: array.tolist() for name, array in arrays.items()},
        "block": {"heads": H, "kv_heads": 1, **block},
        "initial": {"kind": "gaussian", "n": 3},
    }


@pytest.mark.parametrize("tables", [tomllib.loads(RANDOM), given_tables(numbers(), gain=2.0, bias=[1.0] * D)])
def test_round_trip_through_toml(tables):
    config = Config.from_dict(tables)
    assert read(config.to_toml()) == config
    assert read(config.resolved().to_toml()) == config.resolved() == config.resolved().resolved()


def test_given_matrices_are_those_of_the_heads():
    p = numbers()
    tables = given_tables(p, norm="layer-norm", place="post", gain=2.0, bias=[1.0, 0.0, 0.0, 0.0])
    tables["perceptron"] = {"gate": np.eye(D).tolist(), "gate_bias": [1.0] * D, "c": [0.5] * D, "activation": "gelu"}
    model, _ = Config.from_dict(tables).build()
    heads = tkf.MultiHead(
        tkf.Softmax(2**-0.5),  # 1/sqrt(d_k), since beta is not given
        Q=p["Q"].reshape(2, 2, D),
        K=p["K"][None],
        V=p["V"][None],
        O=np.stack([p["O"][:, :2], p["O"][:, 2:]]),
        q=p["q"].reshape(2, 2),
        k=p["k"][None],
        v=p["v"][None],
        o=p["o"],
    )
    norm = tkf.LayerNorm([2.0] * D, [1.0, 0.0, 0.0, 0.0])
    gated = tkf.Perceptron(c=[0.5] * D, gate=np.eye(D), gate_bias=np.ones(D), activation="gelu")
    expected = [tkf.Sublayer(heads, after=norm), tkf.Sublayer(gated, after=norm)]
    assert eqx.tree_equal(model, tkf.Transformer(tkf.Euclidean(D), expected))
    tables["attention"]["beta"] = 3.0
    (attention,) = {float(kind.beta) for kind in Config.from_dict(tables).build()[0].attentions(0.0)}
    assert attention == 3.0


def test_heads_one_by_one_become_a_sublayer_with_composed_perceptrons():
    V = np.diag([1.0, 2.0, 3.0])
    tables = {"attention": {"average": True}, "heads": [{"beta": 1.0, "V": V.tolist()}, {"beta": 2.0}]}
    tables |= {"perceptron": {"activation": "tanh", "of": "heads"}, "initial": {"n": 3}}
    heads = [tkf.Head(tkf.Softmax(1.0), V=V), tkf.Head(tkf.Softmax(2.0))]
    tanh = tkf.Perceptron(activation="tanh")
    model, _ = Config.from_dict(tables).build()
    each = tkf.Sublayer(heads, then=[tanh, tanh], average=True)
    assert eqx.tree_equal(model, tkf.Transformer(tkf.Sphere(3), each))
    tables["perceptron"]["of"] = "attention"
    tables["block"] = {"place": "around"}
    tables["potential"] = {"kind": "linear", "direction": [1.0, 0.0, 0.0]}
    together, potential = Config.from_dict(tables).build()[0].sublayers(0.0)
    norm = tkf.LayerNorm()
    assert eqx.tree_equal(together, tkf.Sublayer(heads, then=tanh, before=norm, inside=norm, average=True))
    assert potential.before is None and not potential.attends


def test_random_layers_differ_and_follow_their_seeds():
    def sublayers(text, *times):
        model = build_model(read(text).resolved())
        return [part for t in times or (0.0,) for part in model.sublayers(t)]

    attention, perceptron, later, later_perceptron = sublayers(RANDOM, 0.0, 1.5)
    (heads,), (gated,) = attention.parts, perceptron.parts
    assert (heads.count, heads.groups, heads.d_k, float(heads.attention.beta)) == (2, 1, 2, 2**-0.5)
    assert gated.gate.shape == (5, D) and gated.gate_bias.shape == (5,) and heads.o.shape == (D,)
    assert type(attention.before) is tkf.RMSNorm and attention.after is None and attention.before.eps == 1e-4
    np.testing.assert_array_equal(attention.before.gain, [1.0, -2.0, 1.0, 0.5])
    np.testing.assert_array_equal(later.before.gain, np.ones(D))
    assert np.abs(np.asarray(later.parts[0].Q - heads.Q)).max() > 0.1
    assert np.abs(np.asarray(later_perceptron.parts[0].gate - gated.gate)).max() > 0.1
    # the seed of the tokens, unless the block has its own
    other = RANDOM.replace("seed = 6", "seed = 7")
    assert np.abs(np.asarray(sublayers(other)[0].parts[0].Q - heads.Q)).max() > 0.1
    own = sublayers(other.replace("scale", "seed = 6\nscale"))[0].parts[0]
    np.testing.assert_array_equal(own.Q, heads.Q)


def test_random_heads_have_entries_of_order_one_over_the_root_of_the_fan_in():
    block = "[block]\nheads = 4\nscale = 3.0\nbiases = true"
    text = f"[geometry]\nkind = 'euclidean'\ndim = 60\n{block}\n[initial]\nkind = 'gaussian'\nn = 2"
    ((heads,),) = (part.parts for part in read(text).build()[0].sublayers(0.0))
    # 3600 Gaussian entries: their standard deviation is known to 1.2 percent, that of 60 biases to 9
    for name, size in (("Q", 1), ("K", 1), ("V", 1), ("O", 3)):
        assert abs(np.std(getattr(heads, name)) * np.sqrt(60) / size - 1) < 0.06, name
    assert all(abs(np.std(getattr(heads, name)) * np.sqrt(60) - 1) < 0.4 for name in "qkvo")


def test_the_network_and_its_final_norm():
    config = read(RANDOM.replace("save = 3", "save = 'end'\nlayers = 2")).resolved()
    network, tokens = solve_config(config, progress=False)
    x = tkf.Measure(tokens.points)
    layer = eqx.filter_jit(lambda t, mu: network.model.layer(t, mu, step=1.0))
    for t in (0.0, 1.0):
        x = layer(jnp.asarray(t), x)
    np.testing.assert_allclose(network.final.points, x.points, rtol=0, atol=1e-12)
    kept = np.asarray(network.observables[FINAL_NORM])
    np.testing.assert_allclose(kept[-1], tkf.RMSNorm(np.ones(D), eps=1e-4)(x.points), rtol=0, atol=1e-12)


@pytest.mark.slow
def test_the_command_says_how_far_the_network_and_the_flow_part(tmp_path):
    path = tmp_path / "block.toml"
    path.write_text(RANDOM)
    model, tokens = read(RANDOM).build()
    runs = [tkf.solve(model, tokens, t1=2.0, save=3, **how) for how in ({"layers": 2}, {})]
    expected = tkf.observables.parting(*runs)
    done = CliRunner().invoke(app, ["parting", str(path), "--json"])
    found = json.loads(done.stdout)
    np.testing.assert_allclose(found["mean"], expected.mean, rtol=1e-12)
    assert found["layers"] == 2 and found["mean"][-1] > 0.1
    printed = CliRunner().invoke(app, ["parting", str(path)]).stdout
    assert f"{expected.mean[-1]:.4g}" in printed and "of the way" in printed


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--t1", "1", "--n", "3"], "Give --layers"),
        (["--layers", "2", "--set", "noise.kappa=1.0"], "tokens without noise"),
        (["--layers", "2", "--set", "state.kind=density"], "tokens without noise"),
    ],
)
def test_what_has_no_network_cannot_part_from_it(arguments, words):
    done = CliRunner().invoke(app, ["parting", *arguments])
    assert done.exit_code == 2 and words in done.stderr


def test_absolute_positions_are_added_to_the_tokens(tmp_path):
    np.save(tmp_path / "table.npy", np.arange(12.0).reshape(3, 4))
    start = "kind = 'points'\npoints = [[0.0, 0.0, 0.0, 0.0], [1.0, 0.0, 0.0, 0.0]]"
    text = f"[geometry]\nkind = 'euclidean'\ndim = 4\n[position]\n{{}}\n[initial]\n{start}\n"
    (tmp_path / "c.toml").write_text(text.format("learned = 'table.npy'"))
    learned = Config.from_toml(tmp_path / "c.toml").build()[1]
    np.testing.assert_array_equal(learned.points, [[0.0, 1.0, 2.0, 3.0], [5.0, 5.0, 6.0, 7.0]])
    waves = read(text.format("sinusoidal = 0.5\nbase = 100.0")).build()[1]
    sums = 0.5 * np.asarray(tkf.initial.sinusoidal_positions([0.0, 1.0], 4, base=100.0))
    sums[1, 0] += 1
    np.testing.assert_allclose(waves.points, sums, rtol=0, atol=1e-15)
    assert read(text.format("sinusoidal = 0.5")).resolved().position.base == 10_000.0


def test_a_gain_of_several_rows_is_one_per_layer():
    scheme = "[normalization]\nkind = 'pre-ln'\ngain = [[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]\n"
    text = f"{scheme}[solve]\nt1 = 4.0\n[initial]\nn = 2"
    gain = read(text).build()[0].normalization.gain
    assert isinstance(gain, GainPerLayer) and gain.t1 == 4.0
    assert gain.at(1.0).tolist() == [1.0, 2.0, 3.0] and gain.at(3.0).tolist() == [4.0, 5.0, 6.0]


def test_layers_with_their_own_matrices():
    first, second = ({name: array.tolist() for name, array in numbers(seed).items()} for seed in (0, 1))
    tables = given_tables({}) | {"solve": {"t1": 2.0}}
    tables["schedule"] = {"kind": "per-layer", "layers": [first, second]}
    tables["block"]["gain"] = [[1.0] * D, [2.0] * D]
    model, _ = Config.from_dict(tables).build()
    (attention,) = model.sublayers(1.5)
    (heads,), norm = attention.parts, attention.before
    np.testing.assert_array_equal(heads.Q.reshape(4, D), second["Q"])
    np.testing.assert_array_equal(norm.gain, [2.0] * D)
    assert float(heads.attention.beta) == 2**-0.5


SPACE = '[geometry]\nkind = "euclidean"\ndim = 4\n'
EYE = json.dumps(np.eye(4).tolist())


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ('[block]\nnorm = "layernorm"', ["block.norm", "did you mean 'layer-norm'"]),
        ('[block]\nplace = "por"', ["block.place", "did you mean 'p"]),
        ("[block]\nkv_head = 2", ["'kv_head'", "did you mean 'kv_heads'"]),
        ("[attention]\nkv_heads = 2", ["'kv_heads'", "belongs in [block]"]),
        ("[blocks]\nheads = 2", ["'blocks'", "did you mean 'block'"]),
        ('[block]\nnorm = "rms-norm"\nbias = 1.0', ["block.bias has no effect", "rms-norm has no bias"]),
        ('[block]\nnorm = "none"\neps = 1.0', ["block.eps has no effect", "none has no eps"]),
        ('[block]\nnorm = "none"\nfinal = true', ["block.final has no effect"]),
        ("[block]\nkv_heads = 2", ["block.kv_heads has no effect", "block.heads"]),
        ("[block]\nseed = 2", ["block.seed has no effect", "block.heads"]),
        ("[block]\nheads = 3", ["block.heads to divide geometry.dim, got 3 and 4"]),
        ("[block]\nheads = 0", ["at least 1"]),
        ("[block]\nheads = 4\nkv_heads = 3", ["must divide", "3 and 4"]),
        ("[block]\nheads = 2\n[[heads]]\nbeta = 1.0", ["exclude each other"]),
        ("[block]\nheads = 2\n[attention]\naverage = true", ["attention.average has no effect"]),
        (f"[block]\nheads = 2\n[attention]\nQ = {EYE}", ["needs all of Q, K, V, O", "got Q"]),
        (
            f"[block]\nheads = 2\nseed = 1\n[attention]\nQ = {EYE}\nK = {EYE}\nV = {EYE}\nO = {EYE}",
            ["block.seed is for random weights"],
        ),
        (
            f"[block]\nheads = 3\n[attention]\nQ = {EYE}\nK = {EYE}\nV = {EYE}\nO = {EYE}",
            ["attention.Q has 4 rows, which 3 heads cannot share"],
        ),
        ("[block]\nheads = 2\n[attention]\nq = [1.0]", ["attention.q goes with given matrices", "block.biases"]),
        ("[attention]\nq = [1.0]", ["attention.q has no effect", "block.heads"]),
        ("[block]\n[[heads]]\no = [1.0]", ["heads[0].o has no effect"]),
        ("[block]\nlayers = 3", ["block.layers has no effect", "perceptron.width"]),
        ("[block]\nlayers = 0\nheads = 2", ["block.layers must be at least 1"]),
        ('[block]\nlayers = 2\nheads = 2\n[schedule]\nkind = "per-layer"\n[[schedule.layers]]\nbeta = 1.0',
         ["block.layers has no effect with schedule.kind = 'per-layer'"]),
        ("[block]\ngain = [[1.0, 1.0, 1.0, 1.0]]", ["block.gain has 1 rows", "block.layers"]),
        ("[block]\nheads = 2\nlayers = 2\nbias = [[1.0, 1.0, 1.0, 1.0]]", ["block.bias has 1 rows", "2 layers"]),
        ("[block]\ngain = [1.0, [1.0]]", ["block.gain"]),
        ('[block]\ngain = "gain.json"', ["block.gain must be numbers, or a file"]),
        ('[attention]\nkind = "none"\n[perceptron]\n[block]\nheads = 2', ["block.heads has no effect"]),
        ('[attention]\nkind = "none"\n[perceptron]\nof = "heads"', ["perceptron.of = 'heads' has no effect"]),
        ('[block]\nheads = 2\n[perceptron]\nof = "heads"', ["write [[heads]] instead of block.heads"]),
        ('[perceptron]\nof = "head"', ["perceptron.of", "did you mean 'heads'"]),
        ("[perceptron]\ngate = true", ["perceptron.gate = true is for random weights"]),
        (f"[perceptron]\nwidth = 4\ngate = {EYE}", ["perceptron.gate and perceptron.width exclude"]),
        ("[perceptron]\nwidth = 4\nc = [1.0]", ["perceptron.c and perceptron.width exclude"]),
        ('[position]\npairing = "halves"', ["position.pairing has no effect", "position.rope = true"]),
        ("[position]\ndims = 2", ["position.dims has no effect"]),
        ('[position]\nrope = true\npairing = "halfs"', ["position.pairing", "did you mean 'halves'"]),
        ('[schedule]\nkind = "resampled"\nperiod = 1.0\n[block]', ["a resampled schedule draws bare heads"]),
    ],
)  # fmt: skip
def test_mistakes_are_named(text, parts):
    with pytest.raises(ConfigError) as caught:
        read(f"{SPACE}{text}").build()
    assert all(part in str(caught.value) for part in parts), str(caught.value)


@pytest.mark.parametrize(
    ("text", "part"),
    [
        (f'{SPACE}[block]\n[normalization]\nkind = "post-ln"', "norms of their own"),
        ('[block]\nplace = "post"', "the sphere normalizes the sum by itself"),
        (f"{SPACE}[block]\n[attention]\nrelative = true", "are for bare heads"),
        (f"{SPACE}[block]\ngain = [1.0]", "must have shape (4,)"),
        (f"{SPACE}[block]\neps = -1.0", "eps must be a number >= 0"),
        (f"{SPACE}[position]\nlearned = [[1.0, 0.0, 0.0, 0.0]]\n[initial]\nn = 2\nkind = 'gaussian'", "1 rows"),
        (f"{SPACE}[position]\nlearned = [[1.0]]\n[initial]\nn = 2\nkind = 'gaussian'", "shape (positions, 4)"),
        (f'{SPACE}[perceptron]\ngate_bias = [1.0]', "gate_bias goes with a gate"),
    ],
)  # fmt: skip
def test_meaning_is_checked_when_built(text, part):
    with pytest.raises(TokenfieldError) as caught:
        read(text).build()
    assert part in str(caught.value)


@pytest.mark.parametrize(
    "part",
    ["[block]\nheads = 1\nlayers = 2", "[normalization]\ngain = [[1.0, 1.0, 1.0], [2.0, 1.0, 1.0]]"],
)
def test_layers_that_end_with_a_run_are_not_continued(tmp_path, part):
    config = read(f"{part}\n[initial]\nn = 2\n[solve]\nt1 = 1.0\nlayers = 2\nsave = 'end'\n[output]\nfigures = false")
    simulate(config, tmp_path / "run", progress=False)
    with pytest.raises(ConfigError, match="its layers end where the run ended"):
        tables_after(tmp_path / "run", layers=2)


def test_weights_come_from_files_beside_the_config(tmp_path):
    p = numbers() | {"gain": np.arange(1.0, 5.0), "G": np.eye(D), "c": np.ones(D)}
    for name, array in p.items():
        np.save(tmp_path / f"{name}_.npy", array)
    keys = "\n".join(f"{name} = '{name}_.npy'" for name in GIVEN)
    space = "[geometry]\nkind = 'euclidean'\ndim = 4\n[initial]\nkind = 'gaussian'\nn = 2"
    gated = "[perceptron]\ngate = 'G_.npy'\nc = 'c_.npy'"
    block = f"[block]\nheads = 2\nkv_heads = 1\ngain = 'gain_.npy'\n[attention]\n{keys}"
    (tmp_path / "c.toml").write_text(f"{space}\n{gated}\n{block}\n")
    model = build_model(Config.from_toml(tmp_path / "c.toml").resolved())
    attention, perceptron = model.sublayers(0.0)
    np.testing.assert_array_equal(attention.parts[0].Q.reshape(4, D), p["Q"])
    np.testing.assert_array_equal(attention.parts[0].v, p["v"][None])
    np.testing.assert_array_equal(attention.before.gain, p["gain"])
    np.testing.assert_array_equal(perceptron.parts[0].gate, np.eye(D))
