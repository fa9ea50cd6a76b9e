"""Numbers of one cloud of tokens: one prompt at one layer in one variant. NumPy on concrete arrays.

Every number of tokens would be a compilation of its own for JAX, and prompts differ in length: so the parts of
`tokenfield.observables` that are there for NumPy arrays are used, and what they do not have is written here.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import scipy

from tokenfield.geometry import Sphere
from tokenfield.layers.variants import directions
from tokenfield.observables.clusters import components_of
from tokenfield.observables.cosines import mean_of_pairs
from tokenfield.observables.histogram import pair_counts
from tokenfield.observables.shape import moment_spectrum, spectral_entropy

ROWS = 256
MOST_TOKENS = 4096  # more are represented by this many: all pairs of them take a second
NEIGHBORS = 2048  # tokens of all prompts among which neighbors are looked for

NAMES = (
    "mean_cosine",
    "effective_rank",
    "stable_rank",
    "matrix_entropy",
    "distance_to_mean",
    "median_norm",
    "largest_norm",
    "clusters",
    "largest_cluster",
)


def numbers_of(x: np.ndarray, w: np.ndarray, *, delta: float) -> dict[str, float]:
    """The numbers `NAMES` of a cloud: cosines, ranks, norms and clusters.

    Args:
        x: the tokens, shape (n, d), n >= 2, in float64.
        w: their masses, shape (n,), which sum to 1.
        delta: the angle in radians up to which tokens belong together, for clusters of their directions.

    Returns:
        A number for each name. Where all tokens are zero, those that need a direction are NaN.

    >>> found = numbers_of(np.eye(4), np.full(4, 0.25), delta=0.3)
    >>> found["mean_cosine"], round(found["effective_rank"], 9), found["clusters"]
    (0.0, 4.0, 4.0)
    """
    norms, u = np.linalg.norm(x, axis=1), directions(x)
    spectrum = moment_spectrum(x, w)
    total, largest = float(np.sum(spectrum)), float(spectrum[-1])
    spread = float(w @ np.sum((x - w @ x) ** 2, axis=1))
    found = dict.fromkeys(NAMES, np.nan)
    found |= {"median_norm": float(np.median(norms)), "largest_norm": float(np.max(norms))}
    if total == 0:
        return found
    entropy = float(spectral_entropy(spectrum))
    labels = np.unique(components_of(u, Sphere(x.shape[1]), delta), return_inverse=True)[1] if x.shape[1] > 1 else None
    masses = np.array([np.nan]) if labels is None else np.bincount(labels, w)
    return found | {
        "mean_cosine": float(mean_of_pairs(u, w)),
        "effective_rank": float(np.exp(entropy)),
        "stable_rank": total / largest,
        "matrix_entropy": entropy / np.log(len(spectrum)) if len(spectrum) > 1 else 0.0,
        "distance_to_mean": float(np.sqrt(spread / total)),
        "clusters": np.nan if labels is None else float(len(masses)),
        "largest_cluster": float(np.max(masses)),
    }


def energies(x: np.ndarray, w: np.ndarray, betas: Sequence[float]) -> np.ndarray:
    """The interaction energy 2 beta e^{-beta} E = sum_ij w_i w_j e^{beta (cos_ij - 1)} of the directions.

    This is `observables.energy(normalized=True)` of softmax attention on the sphere: 1 at a point, 1/k for k equal
    clusters that are far apart compared with beta^{-1/2}.

    Args:
        x: the tokens, shape (n, d).
        w: their masses, shape (n,), which sum to 1.
        betas: the inverse temperatures, >= 0.

    Returns:
        Numbers in (0, 1], one for each beta, shape (len(betas),).

    >>> energies(np.array([[1.0, 0.0], [-1.0, 0.0]]), np.full(2, 0.5), [0.0, 50.0]).round(12).tolist()
    [1.0, 0.5]
    """
    u, total = directions(x), np.zeros(len(betas))
    for start in range(0, len(u), ROWS):
        defects = np.clip(u[start : start + ROWS] @ u.T, -1.0, 1.0) - 1
        for k, beta in enumerate(betas):
            total[k] += w[start : start + ROWS] @ (np.exp(beta * defects) @ w)
    return total


def counted_cosines(x: np.ndarray, w: np.ndarray, bins: int) -> np.ndarray:
    """How many pairs i < j have their cosine in each of `bins` equal bins of [-1, 1]; the diagonal is left out.

    Args:
        x: the tokens, shape (n, d).
        w: their masses, shape (n,): a pair counts n^2 w_i w_j.
        bins: the number of bins.

    Returns:
        Numbers >= 0 that sum to about n (n - 1)/2, shape (bins,).

    >>> counted_cosines(np.eye(3), np.full(3, 1 / 3), 2).tolist()
    [0.0, 3.0]
    """
    return pair_counts(directions(x), w * len(w), bins)


def nearest_two(x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The distances of each token to its nearest and second nearest other token.

    Args:
        x: the tokens, shape (n, d), n >= 3, in float64.

    Returns:
        Two arrays (n,). Distances below 1e-7 of the extent of the cloud are rounding: they are 0.

    >>> nearest_two(np.array([[0.0], [1.0], [3.0]]))[0].tolist()
    [1.0, 1.0, 2.0]
    """
    x = x - np.mean(x, axis=0)
    squares = np.sum(x * x, axis=1)
    found = []
    for start in range(0, len(x), ROWS):
        rows = slice(start, start + ROWS)
        distances = np.maximum(squares[rows, None] + squares[None, :] - 2 * (x[rows] @ x.T), 0.0)
        distances[np.arange(len(distances)), np.arange(start, start + len(distances))] = np.inf
        found.append(np.partition(distances, 1, axis=1)[:, :2])
    near = np.concatenate(found)
    near[near <= 1e-14 * np.max(squares)] = 0.0
    return np.sqrt(near[:, 0]), np.sqrt(near[:, 1])


def intrinsic_dimension(x: np.ndarray) -> float:
    """The TwoNN estimate of the dimension of the cloud (Facco et al. 2017): N / sum log(r_2/r_1) over tokens.

    It assumes that tokens are dense enough to be uniform as far as the second neighbor. The tokens of a prompt are not:
    the number moves with their number, and saturates near 10 to 20 whatever the true dimension. Compare it between
    layers of the same tokens only. Tokens that lie on another one are left out.

    Args:
        x: the tokens, shape (n, d).

    Returns:
        The estimate, or NaN for fewer than three different tokens.

    >>> line = np.random.default_rng(0).uniform(size=(400, 1)) * np.array([1.0, 2.0, -1.0])
    >>> abs(intrinsic_dimension(line) - 1) < 0.2
    True
    """
    if len(x) < 3:
        return np.nan
    first, second = nearest_two(np.asarray(x, np.float64))
    apart = first > 0
    logs = np.log(second[apart] / first[apart])
    return float(len(logs) / np.sum(logs)) if len(logs) >= 3 and np.sum(logs) > 0 else np.nan


def flattened(x: np.ndarray) -> tuple[np.ndarray, float]:
    """Points in the plane in which they spread most, around their mean, and the part of their variance that is there.

    Args:
        x: the points, shape (n, d).

    Returns:
        Coordinates, shape (n, 2), and a number from 0 to 1. The largest entry of each axis of the plane is positive.

    >>> flattened(np.array([[3.0, 0.0, 0.0], [-3.0, 0.0, 0.0], [0.0, 0.0, 1.0], [0.0, 0.0, -1.0]]))[0].round(9).tolist()
    [[3.0, 0.0], [-3.0, 0.0], [0.0, 1.0], [0.0, -1.0]]
    """
    x = x - np.mean(x, axis=0)
    n, d = x.shape
    total = float(np.sum(x * x))
    places = np.zeros((n, 2))
    if total == 0:
        return places, 1.0
    small = min(n, d)
    gram = x @ x.T if n < d else x.T @ x
    values, vectors = scipy.linalg.eigh(gram, subset_by_index=[max(small - 2, 0), small - 1])
    axes = (x.T @ vectors if n < d else vectors)[:, ::-1]
    axes = axes / np.maximum(np.linalg.norm(axes, axis=0), 1e-300)
    axes = axes * np.sign(axes[np.argmax(np.abs(axes), axis=0), np.arange(axes.shape[1])])
    places[:, : axes.shape[1]] = x @ axes
    return places, float(np.sum(values)) / total


def sample(rng: Any, n: int, most: int) -> np.ndarray:
    """At most `most` of n tokens, in order, chosen at random where there are more.

    Args:
        rng: a generator of NumPy.
        n: how many there are.
        most: how many to take at most.

    Returns:
        Indices, increasing.

    >>> sample(None, 3, 5).tolist(), len(sample(np.random.default_rng(0), 9, 5))
    ([0, 1, 2], 5)
    """
    return np.arange(n) if n <= most else np.sort(rng.choice(n, most, replace=False))
