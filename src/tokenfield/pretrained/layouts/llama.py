"""Llama and its kin (SmolLM, Mistral, Qwen2): causal models with rotary positions, RMSNorm before each sublayer, gated
perceptrons, and keys and values that several heads share (arXiv 2302.13971, 2310.06825, 2407.10671).
"""

from __future__ import annotations

import math
from dataclasses import replace

import jax.numpy as jnp
import numpy as np

from tokenfield.errors import InvalidInput, Unsupported
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

FULL, SLIDING = "full_attention", "sliding_attention"
# what other readers put into a configuration where that of a Llama has no word for it
QKV = "qkv"  # attention_bias: biases of queries, keys and values only
FREQUENCIES = "frequencies"  # rope_type: the frequencies themselves, under the same name


def llama(checkpoint: Checkpoint, *, window: int | None = None) -> Network:
    """The network of a Llama; with a window a token sees itself and the window - 1 tokens before it."""
    checkpoint.must_be(is_causal=True, partial_rotary_factor=1.0)
    numbers = checkpoint.under("model.")
    d, count, heads = (numbers.whole(name) for name in ("hidden_size", "num_hidden_layers", "num_attention_heads"))
    position: list[Position] = [Causal(), _rotary(numbers, _size(numbers, d, heads))]
    if window is not None:
        position.append(Window(window - 1))
    vocabulary = numbers.whole("vocab_size")
    tokens = jnp.asarray(numbers.table("embed_tokens.weight", (vocabulary, d)))
    unembedding = None
    if checkpoint.flag("tie_word_embeddings", False):
        unembedding = tokens
    elif "lm_head.weight" in checkpoint.tensors:
        unembedding = jnp.asarray(checkpoint.table("lm_head.weight", (vocabulary, d)))
    return Network(
        transformer(d, [_layer(numbers, f"layers.{i}", d, heads) for i in range(count)], position),
        Embedding(tokens),
        layers=count,
        heads=heads,
        final_norm=numbers.rms_norm("norm", d, numbers.real("rms_norm_eps")),
        unembedding=unembedding,
    )


def mistral(checkpoint: Checkpoint) -> Network:
    """The network of a Mistral: a Llama in which tokens may see a window only."""
    checkpoint.must_be(layer_types=None)
    # one that says nothing about windows has this one
    is_whole = checkpoint.config.get("sliding_window", 4096) is None
    return llama(checkpoint, window=None if is_whole else checkpoint.whole("sliding_window", 4096))


def qwen2(checkpoint: Checkpoint) -> Network:
    """The network of a Qwen2: a Llama with biases of queries, keys and values, whose last layers may see a window."""
    count, window = checkpoint.whole("num_hidden_layers"), None
    kinds = checkpoint.config.get("layer_types")
    if kinds is None:
        first = checkpoint.whole("max_window_layers", 28, least=0)
        is_whole = not checkpoint.flag("use_sliding_window", False)
        kinds = [FULL if is_whole or i < first else SLIDING for i in range(count)]
    if kinds == [SLIDING] * count and checkpoint.flag("use_sliding_window", False):
        window = checkpoint.whole("sliding_window", 4096)
    elif kinds != [FULL] * count:
        raise Unsupported(f"layers that see differently are not supported: layer_types = {kinds!r}")
    return llama(replace(checkpoint, config={**checkpoint.config, "attention_bias": QKV}), window=window)


def _size(numbers: Checkpoint, d: int, heads: int) -> int:
    """The dimension of queries and keys of one head."""
    return head_size(d, heads) if numbers.config.get("head_dim") is None else numbers.whole("head_dim")


def _layer(numbers: Checkpoint, name: str, d: int, heads: int) -> list[Sublayer]:
    groups, size = numbers.whole("num_key_value_heads", heads), _size(numbers, d, heads)
    width, eps = numbers.whole("intermediate_size"), numbers.real("rms_norm_eps")
    is_qkv = numbers.config.get("attention_bias") == QKV
    is_biased, mlp_bias = not is_qkv and numbers.flag("attention_bias", False), numbers.flag("mlp_bias", False)
    q = numbers.linear(f"{name}.self_attn.q_proj", heads * size, d, bias=is_biased or is_qkv)
    k = numbers.linear(f"{name}.self_attn.k_proj", groups * size, d, bias=is_biased or is_qkv)
    v = numbers.linear(f"{name}.self_attn.v_proj", groups * size, d, bias=is_biased or is_qkv)
    o = numbers.linear(f"{name}.self_attn.o_proj", d, heads * size, bias=is_biased)
    gate, into = (numbers.linear(f"{name}.mlp.{one}", width, d, bias=mlp_bias) for one in ("gate_proj", "up_proj"))
    out = numbers.linear(f"{name}.mlp.down_proj", d, width, bias=mlp_bias)
    return block(
        attention(q, k, v, o, heads=heads, groups=groups, beta=size**-0.5),
        perceptron(out, into, numbers.activation(), gate=gate),
        (
            numbers.rms_norm(f"{name}.input_layernorm", d, eps),
            numbers.rms_norm(f"{name}.post_attention_layernorm", d, eps),
        ),
        where="before",
    )


# --- rotary positions ---------------------------------------------------------------------------------------------


def _rotary(numbers: Checkpoint, size: int) -> RoPE:
    """The rotary positions, whichever way the configuration writes them."""
    written = [numbers.config.get(name) or {} for name in ("rope_scaling", "rope_parameters")]
    if not all(isinstance(one, dict) for one in written):
        raise InvalidInput(f"rotary positions in the configuration must be an object, got {written}")
    said = Checkpoint({**written[0], **written[1]}, numbers.tensors)
    said.must_be(partial_rotary_factor=1.0)
    if own := sorted(key for key, value in said.config.items() if isinstance(value, dict)):
        raise Unsupported(f"rotary positions of their own for {own[0]}: all layers must have the same")
    base = said.real("rope_theta", numbers.real("rope_theta", 10_000.0))
    kind = said.config.get("rope_type", said.config.get("type", "default"))
    if kind == "default":
        return RoPE(base=base, pairing="halves")
    if kind == FREQUENCIES:
        return RoPE(said.value(FREQUENCIES), pairing="halves")
    frequencies = base ** (-np.arange(0, size, 2) / size)
    if kind == "linear":
        return RoPE(frequencies / said.real("factor"), pairing="halves")
    if kind == "llama3":
        return RoPE(_llama3(frequencies, said), pairing="halves")
    raise Unsupported(f"rotary positions of the type '{kind}' are not supported: only default, linear and llama3")


def _llama3(frequencies: np.ndarray, said: Checkpoint) -> np.ndarray:
    """The frequencies of Llama 3.1: slow ones divided by `factor`, fast ones kept, those between interpolated."""
    factor, low, high = (said.real(name) for name in ("factor", "low_freq_factor", "high_freq_factor"))
    # within the context that the model was first trained with
    turns = said.whole("original_max_position_embeddings") * frequencies / (2 * math.pi)
    share = np.clip((turns - low) / (high - low), 0.0, 1.0)
    return frequencies * (share + (1 - share) / factor)
