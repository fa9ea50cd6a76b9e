"""From points to words: the law over a vocabulary at a token, and how it forms in depth.

A law is softmax(<w, x> / temperature) over the vectors w of all words, with the final norm of the model applied to x.
At an earlier layer that is what the model would say if it stopped there (the "logit lens").
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jax import Array
from jax.typing import ArrayLike

from tokenfield._runtime.memory import require_memory
from tokenfield.errors import InvalidInput
from tokenfield.measure import Measure, float_array
from tokenfield.model.norms import Norm
from tokenfield.pretrained.model import FINAL, Pretrained, States
from tokenfield.pretrained.prompt import Prompt


def readout(source: States | Measure | ArrayLike, model: Pretrained | ArrayLike, *, temperature: float = 1.0) -> Array:
    """The law over the vocabulary at every point: softmax(<w, norm(x)> / temperature) over the vectors w of words.

    Args:
        source: States of a prompt, points of shape (..., d) before the final norm, or a measure, whose law is the mean
            of those of its tokens.
        model: A model with an unembedding; or the vectors of words themselves, shape (vocabulary, d), for models of the
            theory, which have no final norm.
        temperature: A positive number; small ones put the mass on the likeliest word. By default 1.

    Returns:
        The laws, shape (..., vocabulary), or (vocabulary,) for a measure; each sums to one.

    Raises:
        InvalidInput: If the model gives no law of words, the points have another dimension, or the temperature is not
            positive.
        TooLarge: If the laws do not fit into memory; take fewer points.

    >>> import jax.numpy as jnp
    >>> from tokenfield import Measure
    >>> at_two_words = Measure([[1.0, 0.0, 0.0], [0.0, 1.0, 0.0]])
    >>> readout(at_two_words, jnp.eye(3), temperature=0.01).round(3).tolist()
    [0.5, 0.5, 0.0]
    """
    words, norm = _words(model)
    if not (isinstance(temperature, int | float | np.number) and 0 < temperature < np.inf):
        raise InvalidInput(f"the temperature must be a positive number, got {temperature!r}")
    if isinstance(source, Measure):
        return source.weights @ _laws(_fitting(source.points, words), words, norm, temperature)
    if isinstance(source, States):
        # the last state has had its norm
        is_final = source.tags[-1] == FINAL
        before = _fitting(source.arrays[:-1] if is_final else source.arrays, words)
        laws = _laws(before, words, norm, temperature)
        if not is_final:
            return laws
        return jnp.concatenate([laws, _laws(source.arrays[-1:], words, None, temperature)])
    return _laws(_fitting(float_array(source, "points"), words), words, norm, temperature)


def _words(model: Pretrained | ArrayLike) -> tuple[Array, Norm | None]:
    if not isinstance(model, Pretrained):
        words = float_array(model, "the vectors of words")
        if words.ndim != 2:
            raise InvalidInput(f"the vectors of words must have shape (vocabulary, d), got {words.shape}")
        return words, None
    if model.unembedding is None:
        raise InvalidInput(f"{model.name} gives no law of the next word: take a causal model, such as smollm2")
    return model.unembedding, model.final_norm


def _fitting(points: Array, words: Array) -> Array:
    if points.ndim == 0 or points.shape[-1] != words.shape[1]:
        raise InvalidInput(f"points must have shape (..., {words.shape[1]}), as the words do, got {points.shape}")
    count = points.size // words.shape[1]
    require_memory(
        3.0 * count * words.shape[0] * words.dtype.itemsize,
        f"the laws of {count} points over {words.shape[0]} words",
        advice="take fewer points, for example those of one token",
    )
    return points


@eqx.filter_jit
def _laws(points: Array, words: Array, norm: Norm | None, temperature: ArrayLike) -> Array:
    rows = points.reshape(-1, points.shape[-1])
    rows = rows if norm is None else norm(rows)
    logits = rows @ words.T.astype(rows.dtype) / jnp.asarray(temperature, rows.dtype)
    return jax.nn.softmax(logits, axis=-1).reshape(*points.shape[:-1], words.shape[0])


@dataclass(frozen=True, eq=False)
class NextWords:
    """The law of the next word after a prompt, and how it forms in depth: one row for each layer, the last is the law.

    Attributes:
        text: The prompt.
        model: The name of the model.
        tags: What each row is: "embedding", "layer 1", ...
        words: The likeliest words of each row, shape (rows, top).
        probabilities: Their probabilities, shape (rows, top).
        final_probabilities: In each row the probabilities of the words that are likeliest in the last one, (rows, top).
        entropies: The entropies of the laws in nats, shape (rows,).
        distances: The total variation distances to the last law, from 0 to 1, shape (rows,).
        temperature: The temperature.

    >>> import numpy as np
    >>> row, zero = np.ones((1, 1)), np.zeros(1)
    >>> NextWords("to be", "toy", ("layer 1",), ((" or",),), row, row, zero, zero, 1.0).top
    [(' or', 1.0)]
    """

    text: str
    model: str
    tags: tuple[str, ...]
    words: tuple[tuple[str, ...], ...]
    probabilities: np.ndarray
    final_probabilities: np.ndarray
    entropies: np.ndarray
    distances: np.ndarray
    temperature: float

    @property
    def top(self) -> list[tuple[str, float]]:
        """The likeliest next words and their probabilities, likeliest first."""
        return list(zip(self.words[-1], map(float, self.probabilities[-1]), strict=True))

    def as_dict(self, *, depth: bool = True) -> dict[str, Any]:
        """The numbers as plain lists.

        Args:
            depth: Whether what is known in depth is there too; by default it is.

        Returns:
            Values by name.
        """
        found: dict[str, Any] = {
            "text": self.text,
            "model": self.model,
            "temperature": self.temperature,
            "entropy": float(self.entropies[-1]),
            "next": [{"word": word, "probability": p} for word, p in self.top],
        }
        if depth:
            rows = zip(self.tags, self.words, self.probabilities, self.entropies, self.distances, strict=True)
            found["depth"] = [
                {
                    "state": tag,
                    "entropy": float(entropy),
                    "distance": float(distance),
                    "next": [{"word": w, "probability": float(q)} for w, q in zip(words, p, strict=True)],
                }
                for tag, words, p, entropy, distance in rows
            ]
        return found


def next_words(prompt: Prompt, *, top: int = 10, temperature: float = 1.0) -> NextWords:
    """The law of the next word after a prompt, at the end and as it would be if the model stopped at a layer before.

    Args:
        prompt: The prompt, for a model with an unembedding.
        top: How many of the likeliest words are named; by default 10.
        temperature: A positive number; by default 1.

    Returns:
        The words, their probabilities, and the entropies of the laws by layer.

    Raises:
        InvalidInput: If the model gives no law of the next word, or a number is out of its range.

    >>> import jax.numpy as jnp
    >>> from tokenfield import Euclidean, Softmax, Transformer
    >>> from tokenfield.pretrained import Embedding
    >>> table = jnp.eye(3)
    >>> network = Transformer(Euclidean(3), Softmax(1.0))
    >>> words = Embedding(table)
    >>> toy = Pretrained("toy", "toy", network, words, layers=2, heads=1, unembedding=table)
    >>> next_words(Prompt.from_ids([2, 2], toy), top=1).words
    (('2',), ('2',), ('2',))
    """
    model = prompt.model
    if not (isinstance(top, int) and top >= 1):
        raise InvalidInput(f"top must be a whole number >= 1, got {top!r}")
    _words(model)  # before anything is computed
    states = model.states(prompt).layers
    laws = np.asarray(readout(states.arrays[:, -1], model, temperature=temperature), np.float64)
    best = np.argsort(-laws, axis=1, kind="stable")[:, :top]
    named = (lambda ids: tuple(map(str, ids))) if model.tokenizer is None else model.tokenizer.words
    return NextWords(
        text=prompt.text if prompt.text is not None else " ".join(prompt.words),
        model=model.name,
        tags=states.tags,
        words=tuple(named(row) for row in best),
        probabilities=np.take_along_axis(laws, best, axis=1),
        final_probabilities=laws[:, best[-1]],
        entropies=-np.sum(laws * np.log(np.where(laws > 0, laws, 1.0)), axis=1),
        distances=np.abs(laws - laws[-1]).sum(axis=1) / 2,
        temperature=float(temperature),
    )
