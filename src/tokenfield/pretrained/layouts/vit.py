"""ViT: an encoder of images, whose tokens are patches after a first one that has no patch (arXiv 2010.11929)."""

from __future__ import annotations

from tokenfield.model.sublayer import Sublayer
from tokenfield.pretrained.embedding import ImageEmbedding
from tokenfield.pretrained.layouts.checkpoint import (
    Checkpoint,
    Network,
    attention,
    block,
    head_size,
    perceptron,
    transformer,
)

# what files call the maps, and what live models of transformers 5 call them
FILE_NAMES = {
    "layer": "encoder.layer.{i}",
    "q": "attention.attention.query",
    "k": "attention.attention.key",
    "v": "attention.attention.value",
    "o": "attention.output.dense",
    "into": "intermediate.dense",
    "out": "output.dense",
}
LIVE_NAMES = {
    "layer": "layers.{i}",
    "q": "attention.q_proj",
    "k": "attention.k_proj",
    "v": "attention.v_proj",
    "o": "attention.o_proj",
    "into": "mlp.fc1",
    "out": "mlp.fc2",
}


def vit(checkpoint: Checkpoint) -> Network:
    """The network of a ViT."""
    checkpoint.must_be(is_causal=False)
    numbers = checkpoint.under("vit.")
    d, count, heads = (numbers.whole(name) for name in ("hidden_size", "num_hidden_layers", "num_attention_heads"))
    names = LIVE_NAMES if "layers.0.layernorm_before.weight" in numbers.tensors else FILE_NAMES
    return Network(
        transformer(d, [_layer(numbers, names, i, d, heads) for i in range(count)]),
        _embedding(numbers, d),
        layers=count,
        heads=heads,
        final_norm=numbers.layer_norm("layernorm", d, numbers.real("layer_norm_eps")),
    )


def _embedding(numbers: Checkpoint, d: int) -> ImageEmbedding:
    side, channels = numbers.whole("patch_size"), numbers.whole("num_channels", 3)
    count = (numbers.whole("image_size") // side) ** 2
    patches = "embeddings.patch_embeddings.projection"
    return ImageEmbedding(
        numbers.table(f"{patches}.weight", (d, channels, side, side)),
        numbers.table(f"{patches}.bias", (d,)),
        numbers.table("embeddings.cls_token", (1, 1, d))[0, 0],
        numbers.table("embeddings.position_embeddings", (1, count + 1, d))[0],
    )


def _layer(numbers: Checkpoint, names: dict[str, str], i: int, d: int, heads: int) -> list[Sublayer]:
    width, eps = numbers.whole("intermediate_size"), numbers.real("layer_norm_eps")
    layer, is_biased = names["layer"].format(i=i), numbers.flag("qkv_bias", True)
    q, k, v = (numbers.linear(f"{layer}.{names[one]}", d, d, bias=is_biased) for one in "qkv")
    o = numbers.linear(f"{layer}.{names['o']}", d, d)
    into = numbers.linear(f"{layer}.{names['into']}", width, d)
    out = numbers.linear(f"{layer}.{names['out']}", d, width)
    return block(
        attention(q, k, v, o, heads=heads, groups=heads, beta=head_size(d, heads) ** -0.5),
        perceptron(out, into, numbers.activation()),
        numbers.layer_norms((f"{layer}.layernorm_before", f"{layer}.layernorm_after"), d, eps),
        where="before",
    )
