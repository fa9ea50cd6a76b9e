"""Small models from folders: their states equal the literal twins, and prompts are measures with positions."""

from __future__ import annotations

import jax
import ml_dtypes
import numpy as np
import pytest

import oracles_blocks as oracles
import small_models
import tokenfield as tkf
from small_models import CONFIGS, HEADS, LAYERS, arrays, write_folder
from tokenfield.pretrained import Pretrained, Prompt, load

pytest.importorskip("safetensors", reason="safetensors is not installed: pip install 'tokenfield[pretrained]'")

IDS = [3, 28, 3, 0, 11]
SUBLAYERS = ("embedding", "layer 1 attention", "layer 1", "layer 2 attention", "layer 2")


@pytest.fixture(scope="module")
def bert(tmp_path_factory) -> Pretrained:
    return load(write_folder(tmp_path_factory.mktemp("bert"), "bert"), dtype="float64")


@pytest.fixture(scope="module")
def llama(tmp_path_factory) -> Pretrained:
    return load(write_folder(tmp_path_factory.mktemp("llama"), "llama"), dtype="float64")


def test_bert_equals_its_literal_twin(bert):
    states = bert.states(Prompt.from_ids(IDS, bert), sublayers=True)
    expected = oracles.bert_states(arrays("bert"), IDS, layers=LAYERS, heads=HEADS, eps=1e-6)
    assert states.tags == SUBLAYERS
    np.testing.assert_allclose(states.arrays, expected, atol=1e-12)  # rounding of float64
    assert bert.unembedding is None and bert.final_norm is None


def test_llama_equals_its_literal_twin(llama):
    states = llama.states(Prompt.from_ids(IDS, llama), sublayers=True)
    config = CONFIGS["llama"]
    expected = oracles.llama_states(
        arrays("llama"),
        IDS,
        layers=LAYERS,
        heads=HEADS,
        groups=2,
        eps=config["rms_norm_eps"],
        base=config["rope_theta"],
    )
    assert states.tags == (*SUBLAYERS, "after the final norm")
    np.testing.assert_allclose(states.arrays, expected, atol=1e-12 * np.abs(expected).max())  # rounding of float64
    assert llama.unembedding is llama.embedding.tokens  # tied, and held once
    assert llama.parameters == sum(array.size for array in arrays("llama").values())


@pytest.mark.parametrize("given", ["a text", None, np.zeros((3, 16))], ids=["text", "nothing", "array"])
def test_what_is_no_prompt_and_no_model_is_one_line(llama, given):
    with pytest.raises(tkf.InvalidInput, match="states are those of a prompt"):
        llama.states(given)
    for make, what in ((Prompt.from_text, "words"), (Prompt.from_ids, IDS), (Prompt.from_image, np.zeros((3, 8, 8)))):
        with pytest.raises(tkf.InvalidInput, match="a prompt needs a loaded model"):
            make(what, given)


def test_rows_without_sublayers_are_those_with_them(llama):
    prompt = Prompt.from_ids(IDS, llama)
    few, many = llama.states(prompt), llama.states(prompt, sublayers=True)
    assert few.tags == ("embedding", "layer 1", "layer 2", "after the final norm")
    assert few.layers.tags == few.tags[:-1] and few.words == tuple(map(str, IDS))
    for tag in few.tags:
        np.testing.assert_allclose(few[tag], many[tag], atol=1e-12)
    with pytest.raises(tkf.InvalidInput, match=r"no state 'layer 3'; did you mean 'layer [12]'\?"):
        few["layer 3"]


def test_a_causal_model_does_not_see_what_follows(llama):
    whole = llama.states(Prompt.from_ids(IDS, llama)).arrays
    start = llama.states(Prompt.from_ids(IDS[:3], llama)).arrays
    np.testing.assert_allclose(whole[:, :3], start, atol=1e-12 * np.abs(whole).max())


@pytest.mark.slow
def test_a_real_model_runs_from_the_middle(llama):
    states = llama.states(Prompt.from_ids(IDS, llama))
    rest = tkf.solve(llama.transformer, states["layer 1"], t0=1, t1=LAYERS, layers=LAYERS - 1, save="end")
    np.testing.assert_allclose(rest.final.points, states["layer 2"], atol=1e-12 * np.abs(states.arrays).max())
    assert np.abs(np.asarray(rest.final.points - states["layer 1"])).max() > 0.1


@pytest.mark.slow
def test_a_real_network_parts_from_its_flow(llama):
    prompt = Prompt.from_ids(IDS, llama)
    network, finer, finest = (
        tkf.solve(llama.transformer, prompt.measure, t1=LAYERS, layers=k * LAYERS, save=LAYERS + 1)
        for k in (1, 64, 128)
    )
    found, rest = (tkf.observables.parting(run, finest) for run in (network, finer))
    expected = np.linalg.norm(llama.states(prompt).layers.arrays - finest.points, axis=-1)
    np.testing.assert_allclose(found.distances, expected, atol=1e-10)
    # what is left at 64 is as far from the flow as 128 is, of first order; layers of length one are far away
    assert np.all(10 * rest.mean[1:] < found.mean[1:])


def test_words_can_be_permuted_with_their_positions_but_not_swapped(bert, llama):
    for model in (bert, llama):
        prompt, order = Prompt.from_ids(IDS, model), np.array([4, 2, 0, 1, 3])
        mu = prompt.measure
        same = tkf.Measure(mu.points[order], positions=mu.positions[order])
        expected = model.states(prompt).arrays
        found = model.states(same).arrays
        np.testing.assert_allclose(found, expected[:, order], atol=1e-12 * np.abs(expected).max())
        swapped = Prompt.from_ids([IDS[1], IDS[0], *IDS[2:]], model)
        moved = np.abs(np.asarray(model.states(swapped).arrays[-1])[[1, 0, 2, 3, 4]] - expected[-1])
        assert moved.max() > 1e-3  # far above rounding, and not only because the tokens stand elsewhere
        if model is bert:  # learned positions are in the points
            assert np.abs(np.asarray(swapped.measure.points)[[1, 0]] - mu.points[:2]).max() > 0.01


def test_the_solver_runs_the_same_network(llama):
    prompt = Prompt.from_ids(IDS, llama)
    run = tkf.solve(llama.transformer, prompt.measure, t1=LAYERS, layers=LAYERS, save="end")
    np.testing.assert_allclose(run.points[-1], llama.states(prompt)["layer 2"], rtol=1e-12)


def test_float32_is_the_default_and_stays(tmp_path):
    model = load(write_folder(tmp_path, "gpt2"))
    arrays = [leaf for leaf in jax.tree.leaves(model.transformer) if hasattr(leaf, "dtype")]
    assert {str(leaf.dtype) for leaf in arrays if leaf.dtype.kind == "f"} == {"float32"}
    prompt = Prompt.from_ids(IDS, model)
    assert prompt.measure.points.dtype == model.states(prompt).arrays.dtype == "float32"
    with pytest.raises(tkf.InvalidInput, match=r"13 tokens, .* reads 12 at most"):
        Prompt.from_ids(list(range(13)), model)
    with pytest.raises(tkf.InvalidInput, match="ids go from -1 to 2, but the vocabulary has 30"):
        Prompt.from_ids([2, -1], model)
    with pytest.raises(tkf.InvalidInput, match="without a tokenizer"):
        Prompt.from_text("words", model)
    with pytest.raises(tkf.InvalidInput, match="reads text and no images"):
        Prompt.from_image(np.zeros((3, 4, 4)), model)


@pytest.mark.parametrize("kind", ["bfloat16", "float16"])
def test_short_floats_are_read_right(tmp_path, kind):
    dtype = np.dtype(getattr(ml_dtypes, kind, kind))
    short = {name: array.astype(dtype) for name, array in arrays("llama").items()}
    long = {name: array.astype(np.float32) for name, array in short.items()}
    models = [load(write_folder(tmp_path / name, "llama", w)) for name, w in (("short", short), ("long", long))]
    found, expected = (model.embedding.tokens for model in models)
    assert found.dtype == "float32"
    np.testing.assert_array_equal(found, expected)


def test_old_names_of_norms_and_prefixes_are_known(tmp_path, bert):
    old = {}
    for name, array in arrays("bert").items():
        end = {"weight": "gamma", "bias": "beta"}[name.split(".")[-1]] if "LayerNorm" in name else name.split(".")[-1]
        old["bert." + ".".join([*name.split(".")[:-1], end])] = array
    model = load(write_folder(tmp_path, "bert", old), dtype="float64")
    expected = bert.states(Prompt.from_ids(IDS, bert)).arrays
    np.testing.assert_array_equal(model.states(Prompt.from_ids(IDS, model)).arrays, expected)


def test_sharded_weights_are_one_model(tmp_path, llama):
    import json

    from safetensors.numpy import save_file

    weights, places = small_models.arrays("llama"), {}
    write_folder(tmp_path, "llama")
    (tmp_path / "model.safetensors").unlink()
    names = sorted(weights)
    for i, chunk in enumerate((names[::2], names[1::2])):
        save_file({name: weights[name] for name in chunk}, tmp_path / f"model-{i}.safetensors")
        places |= dict.fromkeys(chunk, f"model-{i}.safetensors")
    index = tmp_path / "model.safetensors.index.json"
    index.write_text(json.dumps({"weight_map": places}))
    model = load(tmp_path, dtype="float64")
    np.testing.assert_array_equal(model.transformer.schedule.layers[0].parts[0].Q, _queries(llama))
    index.write_text(json.dumps({"weight_map": places | {"model.norm.weight": "../elsewhere.safetensors"}}))
    with pytest.raises(tkf.FileError, match=r"names the file \.\./elsewhere.safetensors, which is not in"):
        load(tmp_path)


def _queries(model: Pretrained):
    return model.transformer.schedule.layers[0].parts[0].Q
