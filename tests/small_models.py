"""Small models with random weights: arrays by the names of real files, and folders in the Hugging Face layout."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np

Arrays = dict[str, np.ndarray]

D, LAYERS, HEADS, WIDTH, WORDS = 16, 2, 4, 24, 30
_SIZE = {"hidden_size": D, "num_hidden_layers": LAYERS, "num_attention_heads": HEADS, "intermediate_size": WIDTH}
CONFIGS: dict[str, dict[str, Any]] = {
    "bert": _SIZE
    | {
        "model_type": "bert",
        "vocab_size": WORDS,
        "max_position_embeddings": 12,
        "type_vocab_size": 2,
        "layer_norm_eps": 1e-6,
        "hidden_act": "gelu",
    },
    "llama": _SIZE
    | {
        "model_type": "llama",
        "vocab_size": WORDS,
        "max_position_embeddings": 64,
        "num_key_value_heads": 2,
        "rms_norm_eps": 1e-5,
        "rope_theta": 100.0,
        "hidden_act": "silu",
        "tie_word_embeddings": True,
    },
    "gpt2": {
        "model_type": "gpt2",
        "vocab_size": WORDS,
        "n_embd": D,
        "n_layer": LAYERS,
        "n_head": HEADS,
        "n_positions": 12,
        "layer_norm_epsilon": 1e-5,
        "activation_function": "gelu_new",
    },
}


def arrays(kind: str, *, seed: int = 0) -> Arrays:
    """Random weights of a small model, by the names that files give them; gains are of both signs."""
    draw = np.random.default_rng(seed)
    return {name: draw.normal(scale=0.4, size=shape) for name, shape in _shapes(kind).items()}


def _shapes(kind: str) -> dict[str, tuple[int, ...]]:
    if kind == "bert":
        tables = {"word_embeddings": WORDS, "position_embeddings": 12, "token_type_embeddings": 2}
        shapes: dict[str, tuple[int, ...]] = {f"embeddings.{name}.weight": (rows, D) for name, rows in tables.items()}
        shapes |= _with_bias("embeddings.LayerNorm", D)
        for i in range(LAYERS):
            layer = f"encoder.layer.{i}"
            for name in ("self.query", "self.key", "self.value", "output.dense"):
                shapes |= _with_bias(f"{layer}.attention.{name}", D, D)
            shapes |= _with_bias(f"{layer}.intermediate.dense", WIDTH, D) | _with_bias(
                f"{layer}.output.dense", D, WIDTH
            )
            shapes |= _with_bias(f"{layer}.attention.output.LayerNorm", D) | _with_bias(f"{layer}.output.LayerNorm", D)
        return shapes
    if kind == "gpt2":
        shapes = {"wte.weight": (WORDS, D), "wpe.weight": (12, D)} | _with_bias("ln_f", D)
        for i in range(LAYERS):
            for name, columns, rows in (("attn.c_attn", D, 3 * D), ("attn.c_proj", D, D)):
                shapes |= {f"h.{i}.{name}.weight": (columns, rows), f"h.{i}.{name}.bias": (rows,)}
            for name, columns, rows in (("mlp.c_fc", D, 4 * D), ("mlp.c_proj", 4 * D, D)):
                shapes |= {f"h.{i}.{name}.weight": (columns, rows), f"h.{i}.{name}.bias": (rows,)}
            shapes |= _with_bias(f"h.{i}.ln_1", D) | _with_bias(f"h.{i}.ln_2", D)
        return shapes
    shapes = {"model.embed_tokens.weight": (WORDS, D), "model.norm.weight": (D,)}
    for i in range(LAYERS):
        layer = f"model.layers.{i}"
        shapes |= {f"{layer}.{name}.weight": (D,) for name in ("input_layernorm", "post_attention_layernorm")}
        maps = {"q_proj": (D, D), "k_proj": (D // 2, D), "v_proj": (D // 2, D), "o_proj": (D, D)}
        shapes |= {f"{layer}.self_attn.{name}.weight": shape for name, shape in maps.items()}
        maps = {"gate_proj": (WIDTH, D), "up_proj": (WIDTH, D), "down_proj": (D, WIDTH)}
        shapes |= {f"{layer}.mlp.{name}.weight": shape for name, shape in maps.items()}
    return shapes


def _with_bias(name: str, *shape: int) -> dict[str, tuple[int, ...]]:
    return {f"{name}.weight": shape, f"{name}.bias": shape[:1]}


def write_folder(folder: Path, kind: str, weights: Arrays | None = None, **changes: Any) -> Path:
    """A folder with config.json and model.safetensors; `changes` are made to the configuration."""
    from safetensors.numpy import save_file

    folder.mkdir(parents=True, exist_ok=True)
    save_file(arrays(kind) if weights is None else weights, folder / "model.safetensors")
    (folder / "config.json").write_text(json.dumps(CONFIGS[kind] | changes), encoding="utf-8")
    return folder
