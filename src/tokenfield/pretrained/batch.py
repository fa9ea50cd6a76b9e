"""Many prompts at once: padded to one length with tokens of weight zero, which nobody sees, for `jax.vmap`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jax import Array

from tokenfield.errors import InvalidInput
from tokenfield.measure import Measure
from tokenfield.pretrained.prompt import Prompt

MULTIPLE = 8  # lengths are rounded up to this, so that other prompts of about the same length compile nothing new


class Batch(eqx.Module):
    """Prompts of one model, padded to one length.

    Args:
        prompts: The prompts, at least one, all made for the same model.

    Raises:
        InvalidInput: If there is none, or they are made for different models.

    >>> from tokenfield import Euclidean, Softmax, Transformer
    >>> from tokenfield.pretrained import Embedding, Pretrained
    >>> words = Embedding(jnp.eye(3))
    >>> toy = Pretrained("toy", "toy", Transformer(Euclidean(3), Softmax(1.0)), words, layers=2, heads=1)
    >>> batch = Batch([Prompt.from_ids(ids, toy) for ids in ([0, 1], [0, 1, 2])])
    >>> [points.shape for points in batch.each(lambda mu: 2 * mu.points)]
    [(2, 3), (3, 3)]
    """

    points: Array
    weights: Array
    lengths: tuple[int, ...] = eqx.field(static=True)

    def __init__(self, prompts: Sequence[Prompt]):
        if not prompts:
            raise InvalidInput("a batch needs at least one prompt")
        if len({id(prompt.model) for prompt in prompts}) > 1:
            raise InvalidInput("all prompts of a batch must be made for the same model")
        self.lengths = tuple(len(prompt) for prompt in prompts)
        n = -(-max(self.lengths) // MULTIPLE) * MULTIPLE
        points = np.empty((len(prompts), n, prompts[0].measure.d), prompts[0].measure.points.dtype)
        for row, prompt in zip(points, prompts, strict=True):
            row[: len(prompt)] = prompt.measure.points
            row[len(prompt) :] = row[0]  # any point will do: nobody sees it
        self.points = jnp.asarray(points)
        self.weights = jnp.asarray(np.arange(n) < np.asarray(self.lengths)[:, None], points.dtype)

    def __len__(self) -> int:
        return len(self.lengths)

    def each(self, function: Callable[[Measure], Any]) -> list[Any]:
        """What a function of the tokens of one prompt gives for each of them, without the padding.

        Args:
            function: Maps a measure of n tokens to arrays, which JAX can trace. Axes of length n in second to last
                place are those of the tokens; other arrays are returned as they are.

        Returns:
            The arrays of each prompt, as NumPy arrays.
        """
        found = jax.vmap(lambda x, w: function(Measure(x, w)))(self.points, self.weights)
        n = self.points.shape[1]

        def cut(array: np.ndarray, length: int) -> np.ndarray:
            return array[..., :length, :] if array.ndim > 1 and array.shape[-2] == n else array

        arrays = jax.tree.map(np.asarray, found)
        return [
            jax.tree.map(lambda array, i=i, length=length: cut(array[i], length), arrays)
            for i, length in enumerate(self.lengths)
        ]
