"""BERT, RoBERTa and ELECTRA: encoders with learned positions and a LayerNorm after each sum.

arXiv 1810.04805, 1907.11692, 2003.10555.
"""

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


def bert(checkpoint: Checkpoint, *, padding: int | None = None, into: str | None = None) -> Network:
    """The network of a BERT.

    After the token `padding` come the rows of positions, of which it has none; `into` is the map from the space of the
    embedding to that of the layers, where these are two.
    """
    checkpoint.must_be(position_embedding_type="absolute", is_decoder=False, add_cross_attention=False, is_causal=False)
    numbers = checkpoint.under("bert.", "roberta.", "electra.")
    d, count = numbers.whole("hidden_size"), numbers.whole("num_hidden_layers")
    heads = numbers.whole("num_attention_heads")
    return Network(
        transformer(d, [_layer(numbers, f"encoder.layer.{i}", d, heads) for i in range(count)]),
        bert_embedding(numbers, d, padding=padding) if into is None else projected(numbers, d, into),
        layers=count,
        heads=heads,
    )


def roberta(checkpoint: Checkpoint) -> Network:
    """The network of a RoBERTa: a BERT whose positions start after that of padding."""
    return bert(checkpoint, padding=checkpoint.whole("pad_token_id", 1, least=0))


def electra(checkpoint: Checkpoint) -> Network:
    """The network of an ELECTRA: a BERT whose embedding may be smaller than d (arXiv 2003.10555)."""
    is_smaller = checkpoint.whole("embedding_size") != checkpoint.whole("hidden_size")
    return bert(checkpoint, into="embeddings_project" if is_smaller else None)


def bert_embedding(numbers: Checkpoint, e: int, *, padding: int | None = None) -> Embedding:
    """The embedding of a BERT, in R^e: tokens, positions and the first kind of text, normalized."""
    kinds, places = numbers.whole("type_vocab_size"), numbers.whole("max_position_embeddings")
    return Embedding(
        numbers.table("embeddings.word_embeddings.weight", (numbers.whole("vocab_size"), e)),
        positions=numbers.table("embeddings.position_embeddings.weight", (places, e)),
        offset=0 if padding is None else padding + 1,
        padding=padding,
        kind=numbers.table("embeddings.token_type_embeddings.weight", (kinds, e))[0],
        norm=numbers.layer_norm("embeddings.LayerNorm", e, numbers.real("layer_norm_eps")),
    )


def projected(numbers: Checkpoint, d: int, into: str) -> Embedding:
    """The embedding of a BERT in a space of its own, and the map `into` from there to R^d."""
    e = numbers.whole("embedding_size")
    small, linear = bert_embedding(numbers, e), numbers.linear(into, d, e)
    return Embedding(
        small.tokens,
        positions=small.positions,
        kind=small.kind,
        norm=small.norm,
        projection=linear.matrix,
        bias=linear.bias,
    )


def _layer(numbers: Checkpoint, name: str, d: int, heads: int) -> list[Sublayer]:
    width, eps = numbers.whole("intermediate_size"), numbers.real("layer_norm_eps")
    q, k, v = (numbers.linear(f"{name}.attention.self.{one}", d, d) for one in ("query", "key", "value"))
    o = numbers.linear(f"{name}.attention.output.dense", d, d)
    into = numbers.linear(f"{name}.intermediate.dense", width, d)
    out = numbers.linear(f"{name}.output.dense", d, width)
    return block(
        attention(q, k, v, o, heads=heads, groups=heads, beta=head_size(d, heads) ** -0.5),
        perceptron(out, into, numbers.activation()),
        numbers.layer_norms((f"{name}.attention.output.LayerNorm", f"{name}.output.LayerNorm"), d, eps),
        where="after",
    )
