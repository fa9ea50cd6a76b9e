"""GPT-2: a causal model with learned positions and a LayerNorm before each sublayer.

Its linear maps are stored transposed, and those of queries, keys and values side by side.
"""

from __future__ import annotations

import jax.numpy as jnp
import numpy as np

from tokenfield.model.position import Causal
from tokenfield.model.sublayer import Sublayer
from tokenfield.pretrained.embedding import Embedding
from tokenfield.pretrained.layouts.checkpoint import (
    Checkpoint,
    Linear,
    Network,
    attention,
    block,
    head_size,
    perceptron,
    transformer,
)

# numbers that a configuration may also write under the name that other models give them
OTHER_NAMES = {
    "n_embd": "hidden_size",
    "n_layer": "num_hidden_layers",
    "n_head": "num_attention_heads",
    "n_positions": "max_position_embeddings",
}


def gpt2(checkpoint: Checkpoint) -> Network:
    """The network of a GPT-2."""
    for name, other in OTHER_NAMES.items():
        checkpoint.must_be(**{other: checkpoint.whole(name)})
    checkpoint.must_be(scale_attn_weights=True, add_cross_attention=False, is_causal=True)
    numbers = checkpoint.under("transformer.")
    d, count, heads = (numbers.whole(name) for name in ("n_embd", "n_layer", "n_head"))
    vocabulary, eps = numbers.whole("vocab_size"), numbers.real("layer_norm_epsilon")
    tokens = jnp.asarray(numbers.table("wte.weight", (vocabulary, d)))
    is_tied = checkpoint.flag("tie_word_embeddings", True) or "lm_head.weight" not in checkpoint.tensors
    return Network(
        transformer(d, [_layer(numbers, i, d, heads, eps) for i in range(count)], [Causal()]),
        Embedding(tokens, positions=numbers.table("wpe.weight", (numbers.whole("n_positions"), d))),
        layers=count,
        heads=heads,
        final_norm=numbers.layer_norm("ln_f", d, eps),
        unembedding=tokens if is_tied else jnp.asarray(checkpoint.table("lm_head.weight", (vocabulary, d))),
    )


def _layer(numbers: Checkpoint, i: int, d: int, heads: int, eps: float) -> list[Sublayer]:
    width = numbers.whole("n_inner", 4 * d)
    beta = head_size(d, heads) ** -0.5
    if numbers.flag("scale_attn_by_inverse_layer_idx", False):
        beta /= i + 1
    qkv = _transposed(numbers, f"h.{i}.attn.c_attn", d, 3 * d)
    assert qkv.bias is not None
    q, k, v = (Linear(m, b) for m, b in zip(np.split(qkv.matrix, 3), np.split(qkv.bias, 3), strict=True))
    o = _transposed(numbers, f"h.{i}.attn.c_proj", d, d)
    into, out = _transposed(numbers, f"h.{i}.mlp.c_fc", d, width), _transposed(numbers, f"h.{i}.mlp.c_proj", width, d)
    return block(
        attention(q, k, v, o, heads=heads, groups=heads, beta=beta),
        perceptron(out, into, numbers.activation("activation_function")),
        numbers.layer_norms((f"h.{i}.ln_1", f"h.{i}.ln_2"), d, eps),
        where="before",
    )


def _transposed(numbers: Checkpoint, name: str, columns: int, rows: int) -> Linear:
    return Linear(numbers.table(f"{name}.weight", (columns, rows)).T, numbers.table(f"{name}.bias", (rows,)))
