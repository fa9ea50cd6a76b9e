"""What is wrong with a file of weights is said in one line that names it, and nothing of a file is executed."""

from __future__ import annotations

import pickle
from pathlib import Path

import numpy as np
import pytest

import tokenfield as tkf
from small_models import arrays, write_folder
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
    ],
)
def test_what_has_no_layout_is_named(tmp_path, changes, parts):
    refused(write_folder(tmp_path, "llama", **changes), tkf.Unsupported, *parts)


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


def test_a_missing_package_is_named_with_what_to_do(monkeypatch, tmp_path):
    def absent(name: str):
        raise ImportError(name)

    monkeypatch.setattr(packages.importlib, "import_module", absent)
    with pytest.raises(MissingPackage, match=r"needs the package safetensors.*pip install 'tokenfield\[pretrained\]'"):
        packages.needed("safetensors", "reading .safetensors files")
