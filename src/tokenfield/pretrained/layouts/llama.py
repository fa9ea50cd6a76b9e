"""Llama and its kin (SmolLM, Mistral, Qwen2): causal models with rotary positions, RMSNorm before each sublayer, gated
perceptrons, and keys and values that several heads share (arXiv 2302.13971, 2310.06825, 2407.10671).
"""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import jax.numpy as jnp
import numpy as np

from tokenfield.errors import Unsupported
from tokenfield.model.position import Causal, Position, RoPE, Window
from tokenfield.model.sublayer import Sublayer
from tokenfield.pretrained.embedding import Embedding
from tokenfield.pretrained.layouts.checkpoint import (
    Checkpoint,
    Network,
    attention,
    block,
    head_size,
    perceptron,
    transformer,
)


def llama(checkpoint: Checkpoint, *, window: int | None = None) -> Network:
    """The network of a Llama; with a window a token sees itself and the window - 1 tokens before it."""
    numbers = checkpoint.under("model.")
    d, count, heads = (numbers.number(name) for name in ("hidden_size", "num_hidden_layers", "num_attention_heads"))
    position: list[Position] = [Causal(), _rotary(numbers, numbers.config.get("head_dim") or head_size(d, heads))]
    if window is not None:
        position.append(Window(window - 1))
    vocabulary = numbers.number("vocab_size")
    tokens = jnp.asarray(numbers.table("embed_tokens.weight", (vocabulary, d)))
    unembedding = None
    if "lm_head.weight" in checkpoint.tensors and not checkpoint.config.get("tie_word_embeddings"):
        unembedding = jnp.asarray(checkpoint.table("lm_head.weight", (vocabulary, d)))
    elif checkpoint.config.get("tie_word_embeddings"):
        unembedding = tokens
    return Network(
        transformer(d, [_layer(numbers, f"layers.{i}", d, heads) for i in range(count)], position),
        Embedding(tokens),
        layers=count,
        heads=heads,
        final_norm=numbers.rms_norm("norm", d, numbers.number("rms_norm_eps")),
        unembedding=unembedding,
    )


def mistral(checkpoint: Checkpoint) -> Network:
    """The network of a Mistral: a Llama in which tokens may see a window only."""
    return llama(checkpoint, window=checkpoint.config.get("sliding_window"))


def qwen2(checkpoint: Checkpoint) -> Network:
    """The network of a Qwen2: a Llama with biases of queries, keys and values."""
    kinds = set(checkpoint.config.get("layer_types") or ["full_attention"])
    if checkpoint.config.get("use_sliding_window") and "layer_types" not in checkpoint.config:
        first = checkpoint.number("max_window_layers")
        kinds = {"full_attention"} if first >= checkpoint.number("num_hidden_layers") else {"full", "sliding"}
    if kinds == {"full_attention"}:
        window = None
    elif kinds == {"sliding_attention"}:
        window = checkpoint.number("sliding_window")
    else:
        raise Unsupported("a window in some layers only is not supported: all layers must see the same")
    return llama(replace(checkpoint, config={**checkpoint.config, "qkv_bias": True}), window=window)


def _layer(numbers: Checkpoint, name: str, d: int, heads: int) -> list[Sublayer]:
    groups = numbers.number("num_key_value_heads", heads)
    size = numbers.config.get("head_dim") or head_size(d, heads)
    width, eps = numbers.number("intermediate_size"), numbers.number("rms_norm_eps")
    is_biased = bool(numbers.config.get("attention_bias"))
    qkv_bias, mlp_bias = numbers.config.get("qkv_bias") or is_biased, bool(numbers.config.get("mlp_bias"))
    q = numbers.linear(f"{name}.self_attn.q_proj", heads * size, d, bias=qkv_bias)
    k = numbers.linear(f"{name}.self_attn.k_proj", groups * size, d, bias=qkv_bias)
    v = numbers.linear(f"{name}.self_attn.v_proj", groups * size, d, bias=qkv_bias)
    o = numbers.linear(f"{name}.self_attn.o_proj", d, heads * size, bias=is_biased)
    gate, into = (numbers.linear(f"{name}.mlp.{one}", width, d, bias=mlp_bias) for one in ("gate_proj", "up_proj"))
    out = numbers.linear(f"{name}.mlp.down_proj", d, width, bias=mlp_bias)
    return block(
        attention(q, k, v, o, heads=heads, groups=groups, beta=size**-0.5),
        perceptron(out, into, numbers.activation, gate=gate),
        (
            numbers.rms_norm(f"{name}.input_layernorm", d, eps),
            numbers.rms_norm(f"{name}.post_attention_layernorm", d, eps),
        ),
        where="before",
    )


# --- rotary positions ---------------------------------------------------------------------------------------------


def _rotary(numbers: Checkpoint, size: int) -> RoPE:
    """The rotary positions, whichever way the configuration writes them."""
    said: dict[str, Any] = {
        **(numbers.config.get("rope_scaling") or {}),
        **(numbers.config.get("rope_parameters") or {}),
    }
    base = float(said.get("rope_theta") or numbers.number("rope_theta", 10_000.0))
    kind = said.get("rope_type", said.get("type", "default"))
    dims = numbers.config.get("rotary_dims") or int(size * numbers.number("partial_rotary_factor", 1.0))
    if kind == "default":
        return RoPE(base=base, pairing="halves", dims=None if dims == size else dims)
    frequencies = base ** (-np.arange(0, dims, 2) / dims)
    if kind == "linear":
        return RoPE(frequencies / float(said["factor"]), pairing="halves")
    if kind == "llama3":
        return RoPE(_llama3(frequencies, said), pairing="halves")
    raise Unsupported(f"rotary positions of the type '{kind}' are not supported: only default, linear and llama3")


def _llama3(frequencies: np.ndarray, said: dict[str, Any]) -> np.ndarray:
    """The frequencies of Llama 3.1: slow ones divided by `factor`, fast ones kept, those between interpolated."""
    factor, low, high, length = (
        float(said[name])
        for name in ("factor", "low_freq_factor", "high_freq_factor", "original_max_position_embeddings")
    )
    turns = length * frequencies / (2 * math.pi)  # within the context that the model was first trained with
    share = np.clip((turns - low) / (high - low), 0.0, 1.0)
    return frequencies * (share + (1 - share) / factor)
