"""DistilBERT: a BERT with half of the layers, other names, and one kind of text (arXiv 1910.01108)."""

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

EPS = 1e-12  # of its norms, which the configuration does not say


def distilbert(checkpoint: Checkpoint) -> Network:
    """The network of a DistilBERT."""
    # sinusoidal positions are computed when a model is made, whatever table its file has
    checkpoint.must_be(sinusoidal_pos_embds=False, is_causal=False)
    numbers = checkpoint.under("distilbert.")
    d, count, heads = (numbers.whole(name) for name in ("dim", "n_layers", "n_heads"))
    vocabulary, places = numbers.whole("vocab_size"), numbers.whole("max_position_embeddings")
    return Network(
        transformer(d, [_layer(numbers, f"transformer.layer.{i}", d, heads) for i in range(count)]),
        Embedding(
            numbers.table("embeddings.word_embeddings.weight", (vocabulary, d)),
            positions=numbers.table("embeddings.position_embeddings.weight", (places, d)),
            norm=numbers.layer_norm("embeddings.LayerNorm", d, EPS),
        ),
        layers=count,
        heads=heads,
    )


def _layer(numbers: Checkpoint, name: str, d: int, heads: int) -> list[Sublayer]:
    width = numbers.whole("hidden_dim")
    q, k, v, o = (numbers.linear(f"{name}.attention.{one}_lin", d, d) for one in ("q", "k", "v", "out"))
    into, out = numbers.linear(f"{name}.ffn.lin1", width, d), numbers.linear(f"{name}.ffn.lin2", d, width)
    return block(
        attention(q, k, v, o, heads=heads, groups=heads, beta=head_size(d, heads) ** -0.5),
        perceptron(out, into, numbers.activation("activation")),
        numbers.layer_norms((f"{name}.sa_layer_norm", f"{name}.output_layer_norm"), d, EPS),
        where="after",
    )
