"""What the claims about real models share: the sentences they read, the models, and means over sentences."""

from __future__ import annotations

from functools import cache
from importlib.resources import files

import numpy as np

from tokenfield import pretrained
from tokenfield.pretrained.batch import Batch


@cache
def sentences() -> tuple[str, ...]:
    """120 sentences of varied content, written for these claims."""
    return tuple((files("tokenfield.claims") / "sentences.txt").read_text("utf-8").splitlines())


@cache
def model(name: str, dtype: str = "float64") -> pretrained.Pretrained:
    """A real model, loaded once."""
    return pretrained.load(name, dtype=dtype)


def prompts(name: str, count: int, seed: int, dtype: str = "float64") -> list[pretrained.Prompt]:
    """The prompts of `count` different sentences, drawn at random."""
    chosen = np.random.default_rng(seed).permutation(len(sentences()))[:count]
    return [pretrained.Prompt.from_text(sentences()[i], model(name, dtype)) for i in chosen]


def states(name: str, count: int, seed: int, dtype: str = "float64") -> list[np.ndarray]:
    """The tokens of `count` sentences from the embedding to the last layer, each of shape (layers + 1, n, d)."""
    network = model(name, dtype)
    batch = Batch(prompts(name, count, seed, dtype))
    return batch.each(lambda mu: network.states(mu).layers.arrays)


def mean_cosine(x: np.ndarray) -> float:
    """The mean of <x_i, x_j> / |x_i| |x_j| over pairs of different tokens (n, d)."""
    unit = x / np.linalg.norm(x, axis=1, keepdims=True)
    n = len(unit)
    return float((np.sum(np.sum(unit, axis=0) ** 2) - n) / (n * (n - 1)))


def standard_error(values: np.ndarray) -> float:
    """The standard error of the mean of independent values."""
    return float(np.std(values, ddof=1) / np.sqrt(len(values)))
