"""ALBERT: a BERT whose layers are one and the same, and whose embedding is smaller than d (arXiv 1909.11942).

One shared layer is an autonomous flow, which is what the theorems are about: its weights do not change in depth.
"""

from __future__ import annotations

from tokenfield.geometry import Euclidean
from tokenfield.model.sublayer import Sublayer
from tokenfield.model.transformer import Transformer
from tokenfield.pretrained.layouts.bert import projected
from tokenfield.pretrained.layouts.checkpoint import (
    Checkpoint,
    Network,
    attention,
    block,
    head_size,
    perceptron,
    transformer,
)


def albert(checkpoint: Checkpoint) -> Network:
    """The network of an ALBERT."""
    checkpoint.must_be(position_embedding_type="absolute", inner_group_num=1, is_causal=False)
    numbers = checkpoint.under("albert.")
    d, count = numbers.whole("hidden_size"), numbers.whole("num_hidden_layers")
    heads, groups = numbers.whole("num_attention_heads"), numbers.whole("num_hidden_groups", 1)
    shared = [_layer(numbers, f"encoder.albert_layer_groups.{i}.albert_layers.0", d, heads) for i in range(groups)]
    if groups == 1:
        network = Transformer(Euclidean(d), shared[0])
    else:
        network = transformer(d, [shared[i * groups // count] for i in range(count)])
    embedding = projected(numbers, d, "encoder.embedding_hidden_mapping_in")
    return Network(network, embedding, layers=count, heads=heads)


def _layer(numbers: Checkpoint, name: str, d: int, heads: int) -> list[Sublayer]:
    width, eps = numbers.whole("intermediate_size"), numbers.real("layer_norm_eps")
    q, k, v, o = (numbers.linear(f"{name}.attention.{one}", d, d) for one in ("query", "key", "value", "dense"))
    into, out = numbers.linear(f"{name}.ffn", width, d), numbers.linear(f"{name}.ffn_output", d, width)
    return block(
        attention(q, k, v, o, heads=heads, groups=heads, beta=head_size(d, heads) ** -0.5),
        perceptron(out, into, numbers.activation()),
        numbers.layer_norms((f"{name}.attention.LayerNorm", f"{name}.full_layer_layer_norm"), d, eps),
        where="after",
    )
