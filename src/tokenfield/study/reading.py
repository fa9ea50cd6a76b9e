"""From a real model and texts to hidden states that can be measured, with the nulls that belong to them."""

from __future__ import annotations

from pathlib import Path

import equinox as eqx
import jax
import jax.numpy as jnp
from jax import Array

from tokenfield.errors import FileError, InvalidInput
from tokenfield.layers import Passage, Source
from tokenfield.measure import Measure
from tokenfield.model.transformer import Transformer
from tokenfield.pretrained import Pretrained, Prompt, load
from tokenfield.pretrained.batch import Batch
from tokenfield.pretrained.nulls import random_words, shuffled

RANDOM_WORDS, RANDOM_WEIGHTS = "random words", "random weights"


def read_text(path: Path) -> str:
    """The words of a text file; raises `FileError` if it cannot be read or is empty."""
    try:
        text = " ".join(path.read_text(encoding="utf-8").split())
    except OSError as error:
        raise FileError(f"cannot read the text {path}: {error.strerror or error}") from error
    except UnicodeDecodeError as error:
        raise FileError(f"{path} is not a text file in UTF-8") from error
    if not text:
        raise FileError(f"{path} has no text in it")
    return text


def read_model(source: str, text: str, *, tokens: int, seed: int = 0) -> tuple[Source, dict[str, Source]]:
    """The hidden states and attention of a text in a real model, and its nulls: random words, and random weights.

    The text is cut into prompts of at most `tokens` tokens.
    """
    model = load(source)
    prompts = cut(text, model, tokens)
    strangers = [random_words(prompt, seed + i) for i, prompt in enumerate(prompts)]
    nulls = {
        RANDOM_WORDS: _source(model, strangers, RANDOM_WORDS),
        RANDOM_WEIGHTS: _source(shuffled(model, seed), prompts, RANDOM_WEIGHTS),
    }
    return _source(model, prompts, model.name, with_attention=True), nulls


def cut(text: str, model: Pretrained, tokens: int) -> list[Prompt]:
    """The text as prompts of whole words, each of at most `tokens` tokens as long as a word has fewer."""
    if model.tokenizer is None:
        raise InvalidInput(f"{model.name} came without a tokenizer: it cannot read a text")
    most = getattr(model.embedding, "most_tokens", None) or tokens
    room = min(tokens, most) - (len(Prompt.from_text("a", model)) - 1)
    if room < 2:
        raise InvalidInput(f"prompts need room for at least two words, got --tokens {tokens}")
    pieces: list[list[str]] = [[]]
    used = 0
    for word in text.split():
        length = len(model.tokenizer.ids(f" {word}", special=False))
        if pieces[-1] and used + length > room:
            pieces.append([])
            used = 0
        pieces[-1].append(word)
        used += length
    prompts = [Prompt.from_text(" ".join(piece), model) for piece in pieces]
    kept = [prompt for prompt in prompts if len(prompt) > 3] or prompts  # a few words at the end say nothing
    if len(kept[0]) < 2:
        raise InvalidInput(f"a text needs at least two tokens to be measured, got {kept[0]!r}")
    return kept


def _source(model: Pretrained, prompts: list[Prompt], name: str, *, with_attention: bool = False) -> Source:
    batch = Batch(prompts)
    found = batch.each(lambda mu: _seen(model, mu, with_attention))
    passages = [
        Passage(states, prompt.words, attention=None if matrices is None else matrices[..., : len(prompt)])
        for prompt, (states, matrices) in zip(prompts, found, strict=True)
    ]
    return Source(tuple(passages), model.states(prompts[0]).layers.tags, name)


def _seen(model: Pretrained, mu: Measure, with_attention: bool) -> tuple[Array, Array | None]:
    """The points from the embedding to the last layer, and the attention matrices of each layer."""
    states = model.states(mu).layers.arrays
    return states, _attention(model.transformer, mu, states[:-1]) if with_attention else None


@eqx.filter_jit
def _attention(transformer: Transformer, mu: Measure, states: Array) -> Array:
    """The attention matrices of each layer, from the states that enter it: shape (layers, heads, n, n)."""
    depths = jnp.arange(len(states), dtype=states.dtype)
    return jax.lax.map(lambda at: transformer.attention_matrices(at[0], mu.at(at[1])), (depths, states))
