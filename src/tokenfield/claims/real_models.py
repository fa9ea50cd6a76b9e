"""What the claims about real models share: the sentences they read, the models, and means over sentences."""

from __future__ import annotations

from functools import cache, lru_cache
from importlib.resources import files

import numpy as np

from tokenfield import pretrained
from tokenfield.model.multihead import MultiHead
from tokenfield.pretrained.batch import Batch
from tokenfield.pretrained.nulls import shuffled


@cache
def sentences() -> tuple[str, ...]:
    """120 sentences of varied content, written for these claims."""
    return tuple((files("tokenfield.claims") / "sentences.txt").read_text("utf-8").splitlines())


@cache
def model(name: str, dtype: str = "float64") -> pretrained.Pretrained:
    """A real model, loaded once."""
    return pretrained.load(name, dtype=dtype)


@lru_cache(maxsize=4)  # claims ask for the same ones again for each layer
def prompts(name: str, count: int, seed: int, dtype: str = "float64") -> list[pretrained.Prompt]:
    """The prompts of `count` different sentences, drawn at random."""
    chosen = np.random.default_rng(seed).permutation(len(sentences()))[:count]
    return [pretrained.Prompt.from_text(sentences()[i], model(name, dtype)) for i in chosen]


def states(name: str, count: int, seed: int, dtype: str = "float64", *, twin: bool = False) -> list[np.ndarray]:
    """The tokens of `count` sentences from the embedding to the last layer, each of shape (layers + 1, n, d).

    With `twin` those of the same model with the entries of its weights in random order.
    """
    network = shuffled(model(name, dtype), seed) if twin else model(name, dtype)
    batch = Batch(prompts(name, count, seed, dtype))
    return batch.each(lambda mu: network.states(mu).layers.arrays)


def value_matrix(network: pretrained.Pretrained, k: int) -> np.ndarray:
    """V of layer k = 1, 2, ...: what its attention adds to tokens that are all equal is V x plus a constant.

    The sum over heads of O_h V_h, times the gain of a norm before it; with a norm after it, without its gain.
    """
    (attention, *_) = network.transformer.sublayers(k - 0.5)
    (heads,) = attention.parts
    assert isinstance(heads, MultiHead)  # as in all layouts
    values = np.repeat(np.asarray(heads.V, np.float64), heads.count // heads.groups, axis=0)
    matrix = np.tensordot(np.asarray(heads.O, np.float64), values, axes=((0, 2), (0, 1)))
    gain = getattr(attention.before, "gain", None)
    return matrix if gain is None else matrix * np.asarray(gain, np.float64)


def mean_cosine(x: np.ndarray) -> float:
    """The mean of <x_i, x_j> / |x_i| |x_j| over pairs of different tokens (n, d)."""
    unit = x / np.linalg.norm(x, axis=1, keepdims=True)
    n = len(unit)
    return float((np.sum(np.sum(unit, axis=0) ** 2) - n) / (n * (n - 1)))


def standard_error(values: np.ndarray) -> float:
    """The standard error of the mean of independent values."""
    return float(np.std(values, ddof=1) / np.sqrt(len(values)))
