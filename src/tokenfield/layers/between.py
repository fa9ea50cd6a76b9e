"""Numbers between two layers: how far tokens move from one to the next, and how alike any two layers are."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from tokenfield.geometry import Sphere
from tokenfield.layers.variants import Cloud, directions
from tokenfield.transport.distances import by_program

MOST_TRANSPORTED = 1024  # tokens; an assignment of more takes seconds, for each layer and variant
MOST_UNEQUAL = 300  # the same for unequal masses, which need a linear program
NAMES = ("step", "moved", "transported")


def moves(before: Cloud, after: Cloud, kept: np.ndarray) -> dict[str, float]:
    """How far tokens move from one layer to the next: the numbers `NAMES`.

    step          the length of the change over that of the tokens before, both root mean squares
    moved         root mean square of the angle by which the direction of a token turns, in radians
    transported   the Wasserstein distance W_2 between both clouds of directions: the same for the best matching of
                  tokens to tokens; never more than `moved`, and less where tokens take each other's places

    Args:
        before: tokens (n, d) and masses (n,) at the first layer.
        after: the same tokens at the second layer, with the same masses.
        kept: which tokens `transported` is computed of.

    Returns:
        The three numbers; angles are NaN where a token is zero and has no direction.

    >>> x, w = np.eye(2), np.full(2, 0.5)
    >>> found = moves((x, w), (x[::-1], w), np.arange(2))
    >>> round(found["moved"], 6), found["transported"]
    (1.570796, 0.0)
    """
    (x, w), (y, _) = before, after
    length = np.sqrt(w @ np.sum(x * x, axis=1))
    found = {"step": float(np.sqrt(w @ np.sum((y - x) ** 2, axis=1)) / length) if length > 0 else np.nan}
    u, v = directions(x), directions(y)
    if not (np.all(np.any(u != 0, axis=1)) and np.all(np.any(v != 0, axis=1))):
        return found | {"moved": np.nan, "transported": np.nan}
    # arcs from chords keep the digits of small angles
    angles = 2 * np.arctan2(np.linalg.norm(u - v, axis=1), np.linalg.norm(u + v, axis=1))
    found["moved"] = float(np.sqrt(w @ angles**2))
    some = w[kept]
    if len(kept) > MOST_UNEQUAL and np.ptp(some) > 1e-12 * np.max(some):
        return found | {"transported": np.nan}
    return found | {"transported": by_program(u[kept], v[kept], some, some, Sphere(x.shape[1]), 2)}


def similarity(layers: Sequence[np.ndarray]) -> np.ndarray:
    """Linear CKA between all pairs of layers, without the bias of few tokens: 1 for equal layers up to rotation.

    Centered kernel alignment (arXiv 1905.00414) with the unbiased estimate of its inner products (arXiv 2010.15327).
    The plain one is near 1 for unrelated clouds as soon as there are fewer tokens than dimensions.

    Args:
        layers: the same n >= 4 tokens at each layer, each of shape (n, d); d may differ.

    Returns:
        A symmetric matrix (layers, layers) with ones on its diagonal; about 0 for unrelated layers. NaN where a layer
        has no spread, or for n < 4.

    >>> x = np.random.default_rng(0).normal(size=(6, 3))
    >>> similarity([x, -2 * x]).round(9).tolist()
    [[1.0, 1.0], [1.0, 1.0]]
    """
    n = len(layers[0])
    if n < 4:
        return np.full((len(layers), len(layers)), np.nan)
    flat = np.stack([_u_centered(x).ravel() for x in layers])
    products = flat @ flat.T
    scales = np.sqrt(np.where(np.diag(products) > 0, np.diag(products), np.nan))
    return products / scales[:, None] / scales[None, :]


def _u_centered(x: np.ndarray) -> np.ndarray:
    """The Gram matrix of tokens (n, d) with zero diagonal, centered so that products of two of them are unbiased."""
    n = len(x)
    x = x - np.mean(x, axis=0)
    gram = x @ x.T
    np.fill_diagonal(gram, 0.0)
    rows = np.sum(gram, axis=1) / (n - 2)
    gram -= rows[:, None] + rows[None, :] - np.sum(rows) / (n - 1)
    np.fill_diagonal(gram, 0.0)
    return gram
