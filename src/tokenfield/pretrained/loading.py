"""`load`: a model from a folder, a file, the cache of fetched models, or a live model of `transformers`."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from tokenfield.errors import FileError, InvalidInput, Unsupported, did_you_mean
from tokenfield.pretrained import catalog, gguf, tensors, tokenizer
from tokenfield.pretrained.layouts import build
from tokenfield.pretrained.layouts.checkpoint import Checkpoint
from tokenfield.pretrained.model import Pretrained
from tokenfield.pretrained.tokenizer import Tokenizer

DTYPES = ("float32", "float64")


def load(source: Any, *, dtype: str = "float32") -> Pretrained:
    """A real model as a `Transformer`, from its weights. Nothing of a file is executed, and PyTorch is not needed.

    Args:
        source: A folder with config.json and safetensors, a .gguf file of a Llama, the name of a fetched model
            (`tokenfield pretrained list`), or a live model of the package transformers.
        dtype: The type that the model computes in: "float32", the default, or "float64".

    Returns:
        The model.

    Raises:
        FileError: If a file is missing or damaged, or the model was not fetched.
        InvalidInput: If a tensor is missing or has another shape than the configuration says, or an argument is of
            another kind.
        Unsupported: If the architecture has no layout, or the weights are pickled.
        MissingPackage: If a package of the extra `tokenfield[pretrained]` is not installed.

    >>> load("smolm2")
    Traceback (most recent call last):
    tokenfield.errors.FileError: there is no model 'smolm2': no folder or file; did you mean 'smollm2'?
    """
    if dtype not in DTYPES:
        raise InvalidInput(f"dtype must be 'float32' or 'float64', got {dtype!r}")
    if hasattr(source, "state_dict") and hasattr(source, "config"):
        return _from_live(source, dtype)
    if not isinstance(source, str | Path):
        raise InvalidInput(f"expected a folder, a file, a name or a model of transformers, got {type(source).__name__}")
    path = Path(source).expanduser()
    if str(source) in catalog.MODELS and not path.exists():
        return _from_path(catalog.location(str(source)), dtype, name=str(source))
    if not path.exists():
        raise FileError(f"there is no model '{source}': no folder or file{did_you_mean(str(source), catalog.MODELS)}")
    return _from_path(path, dtype, name=path.stem if path.is_file() else path.resolve().name)


def _from_path(path: Path, dtype: str, *, name: str) -> Pretrained:
    if path.is_dir():
        files = sorted(path.glob("*.gguf"))
        if len(files) == 1 and not (path / "config.json").is_file():
            return _from_gguf(files[0], dtype, name=name)
        return _from_folder(path, dtype, name=name)
    if path.suffix == ".gguf":
        return _from_gguf(path, dtype, name=name)
    if path.suffix in tensors.PICKLED:
        tensors.refuse_pickle(path)
    if path.suffix == ".safetensors":
        raise Unsupported(f"{path.name} holds tensors but not what they are: give the folder that has config.json too")
    raise Unsupported(f"{path.name} is no model: give a folder with config.json and safetensors, or a .gguf file")


def _from_folder(folder: Path, dtype: str, *, name: str) -> Pretrained:
    file = folder / "config.json"
    try:
        config = json.loads(file.read_text(encoding="utf-8"))
    except FileNotFoundError as error:
        raise FileError(f"{folder} has no config.json, which says what model it is") from error
    except (OSError, ValueError) as error:
        raise FileError(f"cannot read {file}: {error}") from error
    if not isinstance(config, dict):
        raise FileError(f"cannot read {file}: it should hold an object")
    if (folder / "adapter_config.json").is_file():
        raise Unsupported(f"{folder} has an adapter beside the weights: merge them first (merge_and_unload of peft)")
    weights = tensors.from_folder(folder, dtype=dtype)
    return _assemble(name, config, weights, tokenizer.from_folder(folder))


def _from_gguf(path: Path, dtype: str, *, name: str) -> Pretrained:
    config, weights, words = gguf.read(path, dtype=dtype)
    return _assemble(name, config, weights, tokenizer.from_gguf(words))


def _from_live(model: Any, dtype: str) -> Pretrained:
    config = dict(model.config.to_dict())
    name = config.get("_name_or_path") or type(model).__name__
    return _assemble(name, config, tensors.from_live(model.state_dict(), source=name, dtype=dtype), None)


def _assemble(name: str, config: dict[str, Any], weights: tensors.Tensors, words: Tokenizer | None) -> Pretrained:
    network = build(Checkpoint(config, weights))
    return Pretrained(
        name,
        config["model_type"],
        network.transformer,
        network.embedding,
        layers=network.layers,
        heads=network.heads,
        final_norm=network.final_norm,
        unembedding=network.unembedding,
        tokenizer=words,
        config=config,
    )
