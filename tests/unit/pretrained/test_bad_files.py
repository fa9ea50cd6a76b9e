"""What is wrong with a file of weights is said in one line that names it, and nothing of a file is executed."""

from __future__ import annotations

import pickle
from pathlib import Path

import numpy as np
import pytest

import tokenfield as tkf
from small_models import CONFIGS, arrays, write_folder
from tokenfield.errors import MissingPackage
from tokenfield.pretrained import load, packages

pytest.importorskip("safetensors", reason="safetensors is not installed: pip install 'tokenfield[pretrained]'")

QUERY = "model.layers.1.self_attn.q_proj.weight"


def refused(source, error: type[Exception], *parts: str) -> None:
    """Checks that `source` is refused in one line that says all `parts`."""
    with pytest.raises(error) as found:
        load(source)
    message = str(found.value)
    assert "\n" not in message
    for part in parts:
        assert part in message, message


def changed(**weights) -> dict[str, np.ndarray]:
    """The weights of a small Llama with some replaced; `None` takes one away."""
    new = arrays("llama") | {name.replace("__", "."): array for name, array in weights.items()}
    return {name: array for name, array in new.items() if array is not None}


def test_a_missing_tensor_is_named(tmp_path):
    refused(write_folder(tmp_path, "llama", changed(**{QUERY: None})), tkf.InvalidInput, f"no tensor '{QUERY}'")


def test_a_misshapen_tensor_is_named(tmp_path):
    folder = write_folder(tmp_path, "llama", changed(**{QUERY: np.zeros((16, 8))}))
    refused(folder, tkf.InvalidInput, QUERY, "shape (16, 8), the configuration says (16, 16)")


def test_numbers_that_are_none_are_named(tmp_path):
    bad = np.full((16, 16), np.nan)
    refused(write_folder(tmp_path / "nan", "llama", changed(**{QUERY: bad})), tkf.InvalidInput, QUERY, "NaN")
    whole = np.zeros((16, 16), np.int8)
    refused(write_folder(tmp_path / "int", "llama", changed(**{QUERY: whole})), tkf.Unsupported, QUERY, "int8")


def test_a_truncated_file_is_named(tmp_path):
    file = write_folder(tmp_path, "llama") / "model.safetensors"
    whole = file.read_bytes()
    for size in (0, 5, 400, len(whole) - 3):
        file.write_bytes(whole[:size])
        refused(tmp_path, tkf.FileError, str(file), "is the file complete?")


@pytest.mark.parametrize(
    ("changes", "parts"),
    [
        ({"model_type": "lama"}, ("no layout for the architecture 'lama'", "did you mean 'llama'?")),
        ({"model_type": None}, ("no layout for the architecture 'None'",)),
        ({"hidden_act": "mish"}, ("the activation 'mish'",)),
        ({"rope_scaling": {"rope_type": "yarn", "factor": 2.0}}, ("rotary positions of the type 'yarn'",)),
        ({"partial_rotary_factor": 0.5}, ("partial_rotary_factor = 0.5", "only 1.0")),
        ({"rope_parameters": {"partial_rotary_factor": 0.5}}, ("partial_rotary_factor = 0.5", "only 1.0")),
        ({"rope_parameters": {"full_attention": {"rope_theta": 5.0}}}, ("of their own for full_attention",)),
        ({"is_causal": False}, ("is_causal = False",)),
        ({"quantization_config": {"quant_method": "fp8"}}, ("the weights are quantized (fp8)",)),
        ({"num_hidden_layers": 1}, ("a tensor 'model.layers.1.", "is config.json that of these weights?")),
        ({"model_type": "qwen2", "layer_types": ["full_attention", "sliding_attention"]}, ("see differently",)),
    ],
)
def test_what_has_no_layout_is_named(tmp_path, changes, parts):
    refused(write_folder(tmp_path, "llama", **changes), tkf.Unsupported, *parts)


def test_a_tensor_that_no_layout_knows_is_named(tmp_path):
    norm = "model.layers.1.self_attn.q_norm.weight"
    refused(write_folder(tmp_path, "llama", changed(**{norm: np.ones(4)})), tkf.Unsupported, f"a tensor '{norm}'")
    # what is not in a layer, and tables that the configuration says already, do no harm
    harmless = {"score.weight": np.ones((2, 16)), "model.layers.0.self_attn.rotary_emb.inv_freq": np.ones(2)}
    load(write_folder(tmp_path, "llama", changed(**harmless)))
    # transformers leaves this in the configuration of a model that it read from a GGUF file, whose weights are floats
    load(write_folder(tmp_path, "llama", quantization_config={"quant_method": "gguf"}))


@pytest.mark.parametrize(
    ("changes", "parts"),
    [
        ({"hidden_size": "16"}, ("hidden_size", "must be a whole number >= 1, got '16'")),
        ({"num_hidden_layers": 0}, ("num_hidden_layers", "must be a whole number >= 1, got 0")),
        ({"num_attention_heads": True}, ("num_attention_heads", "must be a whole number")),
        ({"head_dim": 4.0}, ("head_dim", "must be a whole number")),
        ({"rms_norm_eps": "1e-5"}, ("rms_norm_eps", "must be a number >= 0, got '1e-5'")),
        ({"tie_word_embeddings": "no"}, ("tie_word_embeddings", "must be true or false, got 'no'")),
        ({"rope_scaling": {"type": "linear"}}, ("does not say factor",)),
        ({"rope_scaling": {"type": "llama3", "factor": 2.0}}, ("does not say low_freq_factor",)),
        ({"rope_scaling": "linear"}, ("must be an object",)),
        ({"model_type": "mistral", "sliding_window": 0}, ("sliding_window", "must be a whole number >= 1, got 0")),
    ],
)
def test_numbers_of_a_wrong_kind_are_named(tmp_path, changes, parts):
    refused(write_folder(tmp_path, "llama", **changes), tkf.InvalidInput, *parts)


def test_a_configuration_that_says_too_little_is_named(tmp_path):
    refused(write_folder(tmp_path, "llama", vocab_size=None), tkf.InvalidInput, "does not say vocab_size")
    refused(
        write_folder(tmp_path, "bert", num_attention_heads=3), tkf.InvalidInput, "3 heads, which do not divide d = 16"
    )
    (tmp_path / "config.json").write_text("{")
    refused(tmp_path, tkf.FileError, "cannot read", "config.json")
    (tmp_path / "config.json").unlink()
    refused(tmp_path, tkf.FileError, "has no config.json")


class Trap:
    """What would run when it is unpickled."""

    def __init__(self, path: Path):
        self.path = path

    def __reduce__(self):
        return Path.touch, (self.path,)


@pytest.mark.parametrize("name", ["pytorch_model.bin", "model.pt", "model.pth", "weights.ckpt"])
def test_pickles_are_refused_and_not_opened(tmp_path, name):
    folder = write_folder(tmp_path, "llama")
    (folder / "model.safetensors").unlink()
    (folder / name).write_bytes(pickle.dumps(Trap(tmp_path / "sprung")))
    for source in (folder, folder / name):
        refused(source, tkf.Unsupported, f"{name} is a pickle, which can run any code", "safetensors")
    assert not (tmp_path / "sprung").exists()


def test_other_things_are_no_models(tmp_path):
    refused(tmp_path / "nowhere", tkf.FileError, "there is no model")
    refused(write_folder(tmp_path, "llama") / "model.safetensors", tkf.Unsupported, "give the folder")
    refused(tmp_path / "config.json", tkf.Unsupported, "is no model")
    refused(3, tkf.InvalidInput, "got int")
    (tmp_path / "empty").mkdir()
    (tmp_path / "empty/config.json").write_text("{}")
    refused(tmp_path / "empty", tkf.FileError, "has no weights")
    with pytest.raises(tkf.InvalidInput, match="dtype must be 'float32' or 'float64', got 'bfloat16'"):
        load(tmp_path, dtype="bfloat16")


def test_an_adapter_is_not_left_out_silently(tmp_path):
    folder = write_folder(tmp_path, "llama")
    (folder / "adapter_config.json").write_text("{}")
    refused(folder, tkf.Unsupported, "has an adapter beside the weights", "merge")


class OnMeta:
    """A tensor of PyTorch on the device "meta": a shape without numbers."""

    shape, dtype = (16, 16), "torch.float32"

    def detach(self):
        return self

    def cpu(self):
        raise NotImplementedError("Cannot copy out of meta tensor; no data!")


def test_a_live_model_without_numbers_is_named():
    class Config:
        def to_dict(self):
            return CONFIGS["llama"]

    class Live:
        config = Config()

        def state_dict(self):
            return {"model.embed_tokens.weight": type("Table", (OnMeta,), {"shape": (30, 16)})()}

    refused(Live(), tkf.InvalidInput, "tensor 'model.embed_tokens.weight' of Live cannot be read", "no data")


def test_a_missing_package_is_named_with_what_to_do(monkeypatch, tmp_path):
    def absent(name: str):
        raise ImportError(name)

    monkeypatch.setattr(packages.importlib, "import_module", absent)
    with pytest.raises(MissingPackage, match=r"needs the package safetensors.*pip install 'tokenfield\[pretrained\]'"):
        packages.needed("safetensors", "reading .safetensors files")
