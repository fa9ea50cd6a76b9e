"""BERT and RoBERTa: encoders with learned positions and a LayerNorm after each sum (arXiv 1810.04805, 1907.11692)."""

from __future__ import annotations

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


def bert(checkpoint: Checkpoint, *, offset: int = 0) -> Network:
    """The network of a BERT; `offset` is the row of the first position."""
    checkpoint.must_be(position_embedding_type="absolute", is_decoder=False)
    numbers = checkpoint.under("bert.", "roberta.")
    d, count = numbers.number("hidden_size"), numbers.number("num_hidden_layers")
    heads = numbers.number("num_attention_heads")
    return Network(
        transformer(d, [_layer(numbers, f"encoder.layer.{i}", d, heads) for i in range(count)]),
        bert_embedding(numbers, d, offset=offset),
        layers=count,
        heads=heads,
    )


def roberta(checkpoint: Checkpoint) -> Network:
    """The network of a RoBERTa: a BERT whose positions start after that of padding."""
    return bert(checkpoint, offset=checkpoint.number("pad_token_id", 1) + 1)


def bert_embedding(numbers: Checkpoint, e: int, *, offset: int = 0) -> Embedding:
    """The embedding of a BERT, in R^e: tokens, positions and the first kind of text, normalized."""
    kinds, places = numbers.number("type_vocab_size"), numbers.number("max_position_embeddings")
    return Embedding(
        numbers.table("embeddings.word_embeddings.weight", (numbers.number("vocab_size"), e)),
        positions=numbers.table("embeddings.position_embeddings.weight", (places, e)),
        offset=offset,
        kind=numbers.table("embeddings.token_type_embeddings.weight", (kinds, e))[0],
        norm=numbers.layer_norm("embeddings.LayerNorm", e, numbers.number("layer_norm_eps")),
    )


def _layer(numbers: Checkpoint, name: str, d: int, heads: int) -> list[Sublayer]:
    width, eps = numbers.number("intermediate_size"), numbers.number("layer_norm_eps")
    q, k, v = (numbers.linear(f"{name}.attention.self.{one}", d, d) for one in ("query", "key", "value"))
    o = numbers.linear(f"{name}.attention.output.dense", d, d)
    into = numbers.linear(f"{name}.intermediate.dense", width, d)
    out = numbers.linear(f"{name}.output.dense", d, width)
    return block(
        attention(q, k, v, o, heads=heads, groups=heads, beta=head_size(d, heads) ** -0.5),
        perceptron(out, into, numbers.activation),
        numbers.layer_norms((f"{name}.attention.output.LayerNorm", f"{name}.output.LayerNorm"), d, eps),
        where="after",
    )
