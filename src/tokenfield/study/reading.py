"""From a real model and texts to hidden states that can be measured, with the nulls that belong to them."""

from __future__ import annotations

from pathlib import Path

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jax import Array

from tokenfield.errors import FileError, InvalidInput
from tokenfield.layers import Passage, Source
from tokenfield.measure import Measure
from tokenfield.model.transformer import Transformer
from tokenfield.pretrained import Pretrained, Prompt, load
from tokenfield.pretrained.batch import Batch

RANDOM_WORDS, RANDOM_WEIGHTS = "random words", "random weights"


def read_text(path: Path) -> str:
    """The words of a text file; raises `FileError` if it cannot be read or is empty."""
    try:
        text = " ".join(path.read_text(encoding="utf-8").split())
    except (OSError, UnicodeDecodeError) as error:
        raise FileError(f"cannot read the text {path}: {error}") from error
    if not text:
        raise FileError(f"{path} has no text in it")
    return text


def read_model(source: str, text: str, *, tokens: int, seed: int = 0) -> tuple[Source, dict[str, Source]]:
    """The hidden states and attention of a text in a real model, and its nulls: random words, and random weights.

    The text is cut into prompts of at most `tokens` tokens.
    """
    model = load(source)
    prompts = cut(text, model, tokens)
    rng = np.random.default_rng(seed)
    strangers = [_random_words(prompt, model, rng) for prompt in prompts]
    shuffled = _shuffled(model.transformer, rng)
    nulls = {
        RANDOM_WORDS: _source(model, model.transformer, strangers, RANDOM_WORDS),
        RANDOM_WEIGHTS: _source(model, shuffled, prompts, RANDOM_WEIGHTS),
    }
    return _source(model, model.transformer, prompts, model.name, with_attention=True), nulls


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


def _source(
    model: Pretrained, transformer: Transformer, prompts: list[Prompt], name: str, *, with_attention: bool = False
) -> Source:
    batch = Batch(prompts)
    found = batch.each(lambda mu: _states(transformer, mu, model.layers, with_attention))
    passages = [
        Passage(states, prompt.words, attention=None if matrices is None else matrices[..., : len(prompt)])
        for prompt, (states, matrices) in zip(prompts, found, strict=True)
    ]
    return Source(tuple(passages), ("embedding", *(f"layer {k}" for k in range(1, model.layers + 1))), name)


@eqx.filter_jit
def _states(transformer: Transformer, mu: Measure, layers: int, with_attention: bool) -> tuple[Array, Array | None]:
    """The points from the embedding to the last layer, and the attention matrices of each layer."""

    def layer(mu: Measure, t: Array) -> tuple[Measure, tuple[Array, Array | None]]:
        matrices = transformer.attention_matrices(t, mu) if with_attention else None
        after = transformer.layer(t, mu, step=1.0)
        return after, (after.points, matrices)

    _, (points, matrices) = jax.lax.scan(layer, mu, jnp.arange(layers, dtype=mu.points.dtype))
    return jnp.concatenate([mu.points[None], points]), matrices


def _random_words(prompt: Prompt, model: Pretrained, rng: np.random.Generator) -> Prompt:
    """As many tokens drawn from all words of the model; the first and the last, which may be special, stay."""
    if prompt.ids is None:
        raise InvalidInput("random words need a model of words")
    ids = rng.integers(0, model.embedding.vocabulary, len(prompt))  # type: ignore[union-attr]
    ids[[0, -1]] = prompt.ids[[0, -1]]
    return Prompt.from_ids(ids, model)


def _shuffled(transformer: Transformer, rng: np.random.Generator) -> Transformer:
    """The same layers with the entries of every array in random order, within each layer."""
    leaves, shape = jax.tree.flatten(transformer)

    def permuted(leaf: Array) -> Array:
        rows = np.asarray(leaf).reshape(leaf.shape[0] if leaf.ndim > 1 else 1, -1)
        return jnp.asarray(rng.permuted(rows, axis=1).reshape(leaf.shape))

    return jax.tree.unflatten(shape, [permuted(leaf) if leaf.ndim else leaf for leaf in leaves])
