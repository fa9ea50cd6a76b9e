"""GGUF files: the same small model in another format, quantized tensors, damaged headers, words."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import tokenfield as tkf
from small_models import CONFIGS, Arrays, arrays, write_folder
from tokenfield.pretrained import Prompt, load
from tokenfield.pretrained.gguf import NAMES
from tokenfield.pretrained.tokenizer import from_gguf

gguf = pytest.importorskip("gguf", reason="gguf is not installed: pip install 'tokenfield[pretrained]'")

IDS = [3, 28, 3, 0, 11]
HEADS = {"q_proj": 4, "k_proj": 2}


def write_gguf(
    path: Path,
    weights: Arrays,
    *,
    architecture: str = "llama",
    quantized: str | None = None,
    facts: dict[str, int | float | str | bool] | None = None,
) -> Path:
    """The file that llama.cpp would write: its names, and in a Llama with rows of Q and K in pairs that RoPE turns."""
    config, writer = CONFIGS["llama"], gguf.GGUFWriter(path, architecture)
    writer.add_block_count(config["num_hidden_layers"])
    writer.add_context_length(64)
    writer.add_embedding_length(config["hidden_size"])
    writer.add_feed_forward_length(config["intermediate_size"])
    writer.add_head_count(4)
    writer.add_head_count_kv(2)
    writer.add_layer_norm_rms_eps(config["rms_norm_eps"])
    writer.add_rope_freq_base(config["rope_theta"])
    writer.add_vocab_size(config["vocab_size"])
    adders = {bool: writer.add_bool, int: writer.add_uint32, float: writer.add_float32, str: writer.add_string}
    for key, value in (facts or {}).items():
        adders[type(value)](key, value)
    theirs = {ours: name for name, ours in NAMES.items()} | {"rope_freqs": "rope_freqs"}
    for name, array in weights.items():
        stem, _, end = name.rpartition(".")
        prefix, short = "", stem
        if stem.startswith("model.layers."):
            _, _, layer, short = stem.split(".", 3)
            prefix = f"blk.{layer}."
        heads = HEADS.get(short.split(".")[-1])
        if heads is not None and architecture == "llama":
            array = array.reshape(heads, 2, -1, *array.shape[1:]).swapaxes(1, 2).reshape(array.shape)
        data, kind = np.ascontiguousarray(array, np.float32), None
        if quantized is not None and array.ndim == 2 and array.shape[1] % 32 == 0:
            kind = gguf.GGMLQuantizationType[quantized]
            data = gguf.quants.quantize(data, kind)
        writer.add_tensor(f"{prefix}{theirs[short]}.{end}", data, raw_dtype=kind)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    return path


def states(source: Path):
    model = load(source)
    return np.asarray(model.states(Prompt.from_ids(IDS, model)).arrays)


def test_a_gguf_file_is_the_model_of_the_folder(tmp_path):
    file = write_gguf(tmp_path / "small.gguf", arrays("llama"))
    expected = states(write_folder(tmp_path / "folder", "llama"))
    # the file holds the base of RoPE and the eps of RMSNorm as float32 numbers
    np.testing.assert_allclose(states(file), expected, atol=1e-6 * np.abs(expected).max())
    np.testing.assert_array_equal(states(tmp_path), states(file))  # a folder with one such file is the file
    model = load(file)
    assert (model.name, model.architecture, model.layers, model.d) == ("small", "llama", 2, 16)


@pytest.mark.parametrize("kind", ["Q8_0", "Q4_1", "F16", "BF16"])
def test_quantized_tensors_are_those_of_the_package(tmp_path, kind):
    rng, name = np.random.default_rng(0), "model.layers.0.mlp.up_proj.weight"
    weights = arrays("llama") | {name: rng.normal(size=(24, 32))}
    from tokenfield.pretrained.gguf import read

    _, tensors, _ = read(write_gguf(tmp_path / "small.gguf", weights, quantized=kind), dtype="float32")
    code = gguf.GGMLQuantizationType[kind]
    rounded = gguf.quants.dequantize(gguf.quants.quantize(weights[name].astype(np.float32), code), code)
    np.testing.assert_array_equal(tensors.take(name, (24, 32)), rounded)
    assert 0 < np.abs(rounded - weights[name]).max() < 0.3


def test_damaged_files_are_refused_in_one_line(tmp_path):
    file = write_gguf(tmp_path / "small.gguf", arrays("llama"))
    whole = file.read_bytes()
    for size in (6, 30, 300, len(whole) // 2, len(whole) - 40):
        file.write_bytes(whole[:size])
        with pytest.raises(tkf.FileError, match="is the file complete") as found:
            load(file)
        assert "\n" not in str(found.value)
    file.write_bytes(b"")
    with pytest.raises(tkf.FileError, match="cannot read"):
        load(file)
    file.write_bytes(b"PK" + whole[2:])
    with pytest.raises(tkf.FileError, match="is no GGUF file"):
        load(file)
    file.write_bytes(whole[:4] + b"\x09" + whole[5:])
    with pytest.raises(tkf.Unsupported, match="version 9 of the GGUF format"):
        load(file)


def with_biases(*names: str) -> Arrays:
    """The weights of a small Llama and biases of some of its maps, as long as the rows of those."""
    rng, weights = np.random.default_rng(1), arrays("llama")
    for name, array in arrays("llama").items():
        if name.split(".")[-2] in names:
            weights[name.replace(".weight", ".bias")] = rng.normal(scale=0.4, size=len(array))
    return weights


QKV = ("q_proj", "k_proj", "v_proj")
FFN = ("gate_proj", "up_proj", "down_proj")


@pytest.mark.parametrize(
    ("architecture", "names", "said"),
    [
        ("qwen2", QKV, {"model_type": "qwen2"}),
        ("llama", (*QKV, "o_proj", *FFN), {"attention_bias": True, "mlp_bias": True}),
    ],
)
def test_biases_of_a_gguf_file_are_not_lost(tmp_path, architecture, names, said):
    weights = with_biases(*names)
    file = write_gguf(tmp_path / "small.gguf", weights, architecture=architecture)
    expected = states(write_folder(tmp_path / "folder", "llama", weights, **said))
    np.testing.assert_allclose(states(file), expected, atol=1e-6 * np.abs(expected).max())
    assert load(file).architecture == architecture
    without = states(write_folder(tmp_path / "without", "llama"))
    assert np.abs(without - expected).max() > 0.01 * np.abs(expected).max()


def test_rotary_frequencies_of_a_gguf_file(tmp_path):
    said = {"factor": 4.0, "low_freq_factor": 1.0, "high_freq_factor": 4.0, "original_max_position_embeddings": 16}
    scaled = states(write_folder(tmp_path / "llama3", "llama", rope_scaling=said | {"rope_type": "llama3"}))
    # what llama.cpp writes of Llama 3.1: the factor of each frequency, here of the two that heads of size 4 have
    wavelengths = 2 * np.pi * CONFIGS["llama"]["rope_theta"] ** (np.arange(2) / 2)
    smooth = (16 / wavelengths - 1) / 3
    factors = np.where(wavelengths < 4, 1.0, np.where(wavelengths > 16, 4.0, 1 / ((1 - smooth) / 4 + smooth)))
    file = write_gguf(tmp_path / "small.gguf", arrays("llama") | {"rope_freqs.weight": factors})
    np.testing.assert_allclose(states(file), scaled, atol=1e-6 * np.abs(scaled).max())
    divided = states(write_folder(tmp_path / "linear", "llama", rope_scaling={"type": "linear", "factor": 3.0}))
    facts = {"llama.rope.scaling.type": "linear", "llama.rope.scaling.factor": 3.0}
    file = write_gguf(tmp_path / "linear.gguf", arrays("llama"), facts=facts)
    np.testing.assert_allclose(states(file), divided, atol=1e-6 * np.abs(divided).max())
    assert np.abs(scaled - divided).max() > 0.01 * np.abs(scaled).max()


@pytest.mark.parametrize(
    ("facts", "part"),
    [
        ({"llama.rope.scaling.type": "yarn"}, "rotary positions of the type 'yarn'"),
        ({"llama.rope.scale_linear": 2.0}, "llama.rope.scale_linear = 2.0, which has no place"),
        ({"llama.rope.dimension_count": 2}, "turns 2 of 4 coordinates"),
        ({"llama.attention.sliding_window": 3}, "llama.attention.sliding_window = 3, which has no place"),
        ({"llama.attention.causal": False}, "is_causal = False"),
        ({"llama.expert_count": 8}, "llama.expert_count = 8, which has no place"),
        ({"split.count": 3}, "one of 3 parts"),
    ],
)
def test_facts_that_would_change_numbers_are_named(tmp_path, facts, part):
    with pytest.raises(tkf.Unsupported) as found:
        load(write_gguf(tmp_path / "small.gguf", arrays("llama"), facts=facts))
    assert part in str(found.value)


def test_other_architectures_and_tensors_are_named(tmp_path):
    file = write_gguf(tmp_path / "small.gguf", arrays("llama"), architecture="gemma")
    with pytest.raises(tkf.Unsupported, match="the architecture 'gemma': of GGUF files only 'llama' and 'qwen2'"):
        load(file)
    name = "model.layers.0.self_attn.q_proj.bias"
    file = write_gguf(tmp_path / "one.gguf", with_biases("o_proj") | {name: np.ones(16)})
    with pytest.raises(tkf.InvalidInput, match=r"has no tensor 'model.layers.0.self_attn.k_proj.bias'"):
        load(file)


# --- words ----------------------------------------------------------------------------------------------------------

PIECES = ["<|end|>", "a", "b", "Ġ", "1", "2", "ab", "Ġa", "Ġab", "12", "Ã", "©", "Ċ"]
MERGES = ["a b", "Ġ a", "Ġ ab", "1 2"]
SAID = {
    "ggml.model": "gpt2",
    "ggml.pre": "smollm",
    "ggml.tokens": PIECES,
    "ggml.merges": MERGES,
    "ggml.token_type": [3] + [1] * (len(PIECES) - 1),
    "ggml.bos_token_id": 0,
}


def test_words_of_a_gguf_file():
    pytest.importorskip("tokenizers", reason="tokenizers is not installed")
    words = from_gguf(SAID)
    ids = words.ids("ab ab12é\n<|end|>")
    assert words.words(ids) == ("ab", " ab", "1", "2", "<C3>", "<A9>", "↵", "<|end|>")
    assert words.text(ids) == "ab ab12é\n"
    assert words.words([99]) == ("<99>",)
    assert from_gguf(SAID | {"ggml.pre": "gpt-2"}).words([9]) == ("12",)
    assert from_gguf(SAID | {"ggml.pre": "gpt-2"}).ids("12").tolist() == [9]  # not digit by digit
    assert from_gguf(SAID | {"ggml.pre": "llama-bpe"}).ids("a").tolist() == [0, 1]  # with a first token
    assert from_gguf(SAID | {"ggml.model": "llama"}) is None
    with pytest.raises(tkf.Unsupported, match="in the way 'tekken', which is not known"):
        from_gguf(SAID | {"ggml.pre": "tekken"}).ids("a")
    with pytest.raises(tkf.InvalidInput, match="no tokens"):
        words.ids("")
