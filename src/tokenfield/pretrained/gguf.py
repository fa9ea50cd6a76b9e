"""GGUF files: what they say about a model, its tensors under the names of the Llama layout, and its tokenizer.

The header is read here, because that takes a tenth of the time that the reader of the package takes for a vocabulary of
50,000 words; quantized tensors are made floats by the package. The file is mapped into memory, not read as a whole.
Format: https://github.com/ggml-org/ggml/blob/master/docs/gguf.md
"""

from __future__ import annotations

import mmap
import re
import struct
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from tokenfield.errors import FileError, InvalidInput, Unsupported
from tokenfield.pretrained.layouts.llama import FREQUENCIES, QKV
from tokenfield.pretrained.packages import needed
from tokenfield.pretrained.tensors import Tensors

# the type codes of values in the header, as `struct` writes them
NUMBERS = {0: "B", 1: "b", 2: "H", 3: "h", 4: "I", 5: "i", 6: "f", 7: "?", 10: "Q", 11: "q", 12: "d"}
STRING, ARRAY = 8, 9
MOST_DIMENSIONS = 8

NAMES = {
    "token_embd": "model.embed_tokens",
    "output_norm": "model.norm",
    "output": "lm_head",
    "attn_norm": "input_layernorm",
    "attn_q": "self_attn.q_proj",
    "attn_k": "self_attn.k_proj",
    "attn_v": "self_attn.v_proj",
    "attn_output": "self_attn.o_proj",
    "ffn_norm": "post_attention_layernorm",
    "ffn_gate": "mlp.gate_proj",
    "ffn_up": "mlp.up_proj",
    "ffn_down": "mlp.down_proj",
}


# architectures, and whether llama.cpp puts the two rows of Q and K that turn together side by side
PAIRED = {"llama": True, "qwen2": False}
FACTORS = "rope_freqs.weight"
# facts that do not change the hidden states; the dimension of values is that of their matrix
WITHOUT_EFFECT = {
    "attention.value_length",
    "pooling_type",
    "rope.scaling.finetuned",
    "rope.scaling.original_context_length",
    "tensor_data_layout",
}


class Header(NamedTuple):
    """What stands before the numbers: facts by name, and for each tensor its shape, type and place in the file."""

    facts: dict[str, Any]
    tensors: dict[str, tuple[tuple[int, ...], int, int]]
    data: memoryview


class _Cursor:
    """A place in the bytes of a file that moves on as values are read."""

    def __init__(self, data: memoryview):
        self.data, self.at = data, 0

    def numbers(self, code: str, count: int = 1) -> tuple[Any, ...]:
        form = f"<{count}{code}"
        values = struct.unpack_from(form, self.data, self.at)
        self.at += struct.calcsize(form)
        return values

    def strings(self, count: int = 1) -> list[str]:
        found, data, at, length = [], self.data, self.at, struct.Struct("<Q")
        for _ in range(count):
            (size,) = length.unpack_from(data, at)
            at += length.size + size
            if at > len(data):
                raise EOFError
            found.append(str(data[at - size : at], "utf-8", "replace"))
        self.at = at
        return found

    def value(self, kind: int) -> Any:
        if kind in NUMBERS:
            return self.numbers(NUMBERS[kind])[0]
        if kind == STRING:
            return self.strings()[0]
        if kind != ARRAY:
            raise ValueError(f"a value of the unknown type {kind}")
        inner, count = self.numbers("I")[0], self.numbers("Q")[0]
        if count > len(self.data):  # each value takes a byte at least
            raise EOFError
        if inner in NUMBERS:
            return list(self.numbers(NUMBERS[inner], count))
        if inner == STRING:
            return self.strings(count)
        return [self.value(inner) for _ in range(count)]


def header(path: Path) -> Header:
    """The header of a GGUF file; raises `FileError` if it is something else or damaged."""
    try:
        with path.open("rb") as file:
            data = memoryview(mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ))
    except (OSError, ValueError) as error:
        raise FileError(f"cannot read {path}: {error}") from error
    if bytes(data[:4]) != b"GGUF":
        raise FileError(f"{path} is no GGUF file")
    cursor = _Cursor(data)
    cursor.at = 4
    try:
        (version,) = cursor.numbers("I")
        if version not in (2, 3):
            raise Unsupported(f"{path} has version {version} of the GGUF format: 2 and 3 can be read")
        tensor_count, fact_count = cursor.numbers("Q", 2)
        facts = {}
        for _ in range(fact_count):
            name = cursor.strings()[0]
            facts[name] = cursor.value(cursor.numbers("I")[0])
        infos = [_tensor_info(cursor) for _ in range(tensor_count)]
    except (struct.error, EOFError) as error:
        raise FileError(f"cannot read {path}: its header ends too early; is the file complete?") from error
    except (ValueError, MemoryError, OverflowError) as error:
        if isinstance(error, Unsupported):
            raise
        raise FileError(f"cannot read {path}: its header is damaged ({error})") from error
    unit = int(facts.get("general.alignment", 32))
    start = -(-cursor.at // unit) * unit
    return Header(facts, {name: (shape, kind, start + offset) for name, shape, kind, offset in infos}, data)


def _tensor_info(cursor: _Cursor) -> tuple[str, tuple[int, ...], int, int]:
    name = cursor.strings()[0]
    (axes,) = cursor.numbers("I")
    if axes > MOST_DIMENSIONS:
        raise ValueError(f"tensor '{name}' with {axes} axes")
    shape = cursor.numbers("Q", axes)
    kind, offset = cursor.numbers("I")[0], cursor.numbers("Q")[0]
    return name, tuple(reversed(shape)), kind, offset  # the fastest axis comes first in the file


def read(path: Path, *, dtype: Any) -> tuple[dict[str, Any], Tensors, dict[str, Any]]:
    """The configuration of a model as config.json would say it, its tensors, and what the file says about words.

    Raises `FileError` if the file is damaged, and `Unsupported` for what is not in the Llama layout.
    """
    package = needed("gguf", "reading .gguf files")
    facts, infos, data = header(path)
    architecture = facts.get("general.architecture")
    if architecture not in PAIRED:
        known = " and ".join(repr(name) for name in PAIRED)
        raise Unsupported(f"{path.name} has the architecture '{architecture}': of GGUF files only {known} can be read")
    if facts.get("split.count", 1) > 1:
        raise Unsupported(f"{path.name} is one of {facts['split.count']} parts: join them first with llama-gguf-split")

    def tensor(name: str) -> np.ndarray:
        shape, kind, start = infos[name]
        try:
            quantization = package.GGMLQuantizationType(kind)
            per_block, block_bytes = package.GGML_QUANT_SIZES[quantization]
        except (ValueError, KeyError) as error:
            raise Unsupported(f"tensor '{name}' of {path.name} has the unknown type {kind}") from error
        size = int(np.prod(shape)) // per_block * block_bytes
        if start + size > len(data):
            raise FileError(f"cannot read {path}: it ends inside the tensor '{name}'; is the file complete?")
        raw = np.frombuffer(data, np.uint8, size, start)
        # in pieces that stay in the cache: the package works on 16 of them at a time
        pieces = next(shape[0] // few for few in (8, 4, 2, 1) if shape[0] % few == 0)
        values = _floats(package, raw.reshape(pieces, -1), quantization).reshape(shape)
        heads = rows.get(name.split(".")[-2])
        return values if heads is None else _halves(values, heads)

    config = _config(path, architecture, facts) | _parts(infos)
    heads_of = {"attn_q": config["num_attention_heads"], "attn_k": config["num_key_value_heads"]}
    rows = heads_of if PAIRED[architecture] else {}
    if FACTORS in infos:
        config |= _divided(config, tensor(FACTORS))
    tensors = Tensors({name: shape for name, (shape, _, _) in infos.items()}, tensor, source=path.name, dtype=dtype)
    words = {name.removeprefix("tokenizer."): value for name, value in facts.items() if name.startswith("tokenizer.")}
    return config, tensors.renamed(_llama_name), words


def _floats(package: Any, raw: np.ndarray, quantization: Any) -> np.ndarray:
    plain: dict[str, Callable[[], np.ndarray]] = {
        "F32": lambda: raw.view(np.float32),
        "F16": lambda: raw.view(np.float16),
        "F64": lambda: raw.view(np.float64),
    }
    if quantization.name in plain:
        return plain[quantization.name]()
    try:
        return package.quants.dequantize(raw, quantization)
    except NotImplementedError as error:
        raise Unsupported(f"tensors of type {quantization.name} cannot be read by the package gguf") from error


def _halves(rows: np.ndarray, heads: int) -> np.ndarray:
    """Rows of Q or K in the order of the original model: llama.cpp puts the two of each rotated pair side by side."""
    return rows.reshape(heads, -1, 2, *rows.shape[1:]).swapaxes(1, 2).reshape(rows.shape)


def _llama_name(name: str) -> str:
    match = re.fullmatch(r"(?:blk\.(\d+)\.)?(\w+)\.(weight|bias)", name)
    if match is None or match[2] not in NAMES:
        return name
    layer = "" if match[1] is None else f"model.layers.{match[1]}."
    return f"{layer}{NAMES[match[2]]}.{match[3]}"


# --- the configuration --------------------------------------------------------------------------------------------


def _config(path: Path, architecture: str, facts: Mapping[str, Any]) -> dict[str, Any]:
    """What config.json would say; whatever the file says beyond that, and that could change numbers, is refused."""
    prefix = f"{architecture}."
    own = {key.removeprefix(prefix): value for key, value in facts.items() if key.startswith(prefix)}

    def fact(name: str, otherwise: Any = None) -> Any:
        value = own.pop(name, otherwise)
        if value is None:
            raise InvalidInput(f"{path.name} does not say {prefix}{name}")
        return value

    heads, d = fact("attention.head_count"), fact("embedding_length")
    if not (isinstance(heads, int) and isinstance(d, int) and 0 < heads <= d):
        raise Unsupported(f"{path.name} says d = {d!r} and {heads!r} heads: all layers must have the same number")
    size = fact("attention.key_length", d // heads)
    words = fact("vocab_size", 0)
    config = {
        "model_type": architecture,
        "name": facts.get("general.name", path.stem),
        "license": facts.get("general.license"),
        "hidden_size": d,
        "num_hidden_layers": fact("block_count"),
        "num_attention_heads": heads,
        "num_key_value_heads": fact("attention.head_count_kv", heads),
        "head_dim": size,
        "intermediate_size": fact("feed_forward_length"),
        "max_position_embeddings": fact("context_length"),
        "rms_norm_eps": fact("attention.layer_norm_rms_epsilon"),
        "vocab_size": len(facts.get("tokenizer.ggml.tokens", ())) or words,
        "hidden_act": "silu",
        "is_causal": fact("attention.causal", True),
        "rope_theta": fact("rope.freq_base", 10_000.0),
        "rope_scaling": {"rope_type": fact("rope.scaling.type", "none"), "factor": fact("rope.scaling.factor", 1.0)},
    }
    if config["rope_scaling"]["rope_type"] in ("none", ""):
        config["rope_scaling"] = None
    if (turned := fact("rope.dimension_count", size)) != size:
        raise Unsupported(f"{path.name} turns {turned} of {size} coordinates by rotary positions: only all can be read")
    if left := sorted(own.keys() - WITHOUT_EFFECT):
        raise Unsupported(f"{path.name} says {prefix}{left[0]} = {own[left[0]]!r}, which has no place in this layout")
    return config


def _parts(infos: Mapping[str, Any]) -> dict[str, Any]:
    """Which biases there are, and whether words have one table or two: llama.cpp uses what is in the file."""
    is_there = lambda name: f"blk.0.{name}.bias" in infos  # noqa: E731
    return {
        "attention_bias": True if is_there("attn_output") else QKV if is_there("attn_q") else False,
        "mlp_bias": is_there("ffn_up"),
        "tie_word_embeddings": "output.weight" not in infos,
    }


def _divided(config: Mapping[str, Any], factors: np.ndarray) -> dict[str, Any]:
    """Rotary positions whose frequencies are divided by factors of their own, as Llama 3.1 has them."""
    size, base = config["head_dim"], config["rope_theta"]
    if config["rope_scaling"] is not None or factors.shape != (size // 2,):
        raise Unsupported(f"{FACTORS} has shape {factors.shape} beside scaled positions: only ({size // 2},) alone")
    frequencies = base ** (-np.arange(0, size, 2) / size) / np.asarray(factors, np.float64)
    return {"rope_parameters": {"rope_type": FREQUENCIES, FREQUENCIES: frequencies}}
