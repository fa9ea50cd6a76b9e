"""Nulls of real models: the same shapes with nothing learned, and prompts that mean nothing."""

from __future__ import annotations

from dataclasses import replace

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array

from tokenfield.errors import InvalidInput
from tokenfield.model.schedule import PerLayer
from tokenfield.pretrained.embedding import Embedding
from tokenfield.pretrained.model import Pretrained
from tokenfield.pretrained.prompt import Prompt


def shuffled(model: Pretrained, seed: int) -> Pretrained:
    """The same model with the entries of every array of its layers in random order: the same sizes, nothing learned.

    Args:
        model: The model.
        seed: The seed of the order; each layer has its own.

    Returns:
        The other model; words, embedding and final norm are those of `model`.

    >>> from tokenfield import Euclidean, Head, Softmax, Transformer
    >>> network = Transformer(Euclidean(2), Head(Softmax(1.0), V=[[1.0, 2.0], [3.0, 4.0]]))
    >>> toy = Pretrained("toy", "toy", network, Embedding(jnp.eye(2)), layers=1, heads=1)
    >>> sorted(shuffled(toy, 0).transformer.heads(0.0)[0].V.ravel().tolist())
    [1.0, 2.0, 3.0, 4.0]
    """
    rng = np.random.default_rng(seed)
    is_stacked = isinstance(model.transformer.schedule, PerLayer)  # its arrays have an axis of layers in front

    def permuted(leaf: Array) -> Array:
        rows = np.asarray(leaf).reshape(leaf.shape[0] if is_stacked and leaf.ndim else 1, -1)
        return jnp.asarray(rng.permuted(rows, axis=1).reshape(leaf.shape))

    leaves, shape = jax.tree.flatten(model.transformer)
    return replace(model, transformer=jax.tree.unflatten(shape, [permuted(leaf) for leaf in leaves]))


def random_words(prompt: Prompt, seed: int) -> Prompt:
    """As many tokens drawn from all words of the model; the first and the last, which may be special, stay.

    Args:
        prompt: A prompt of words.
        seed: The seed of the words.

    Returns:
        The other prompt.

    Raises:
        InvalidInput: If the prompt is an image.

    >>> from tokenfield import Euclidean, Softmax, Transformer
    >>> words, network = Embedding(jnp.eye(9)), Transformer(Euclidean(9), Softmax(1.0))
    >>> toy = Pretrained("toy", "toy", network, words, layers=1, heads=1)
    >>> ids = random_words(Prompt.from_ids([1, 2, 3, 4], toy), 0).ids
    >>> int(ids[0]), int(ids[3]), len(ids)
    (1, 4, 4)
    """
    if prompt.ids is None or not isinstance(prompt.model.embedding, Embedding):
        raise InvalidInput("random words need a prompt of words: this one is an image")
    ids = np.random.default_rng(seed).integers(0, prompt.model.embedding.vocabulary, len(prompt))
    ids[[0, -1]] = prompt.ids[[0, -1]]
    return Prompt.from_ids(ids, prompt.model)
