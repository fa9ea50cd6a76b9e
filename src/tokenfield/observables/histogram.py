"""Histograms of the cosines of pairs of tokens, of a measure and along a run.

All pairs are counted where that takes seconds: up to 2^14 tokens in tiles, on the circle for any number by sorting.
Else pairs are drawn at random, and the histogram says how many and how large its standard error is. NumPy on concrete
arrays.
"""

from __future__ import annotations

import operator
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from jax import Array

from tokenfield._runtime.memory import require_numbers
from tokenfield._runtime.progress import Progress
from tokenfield._runtime.randomness import numpy_generator
from tokenfield.errors import InvalidInput
from tokenfield.measure import Measure, is_whole

if TYPE_CHECKING:
    from tokenfield.solver.trajectory import Trajectory

ROWS = 128
BINS = 200
MOST_TOKENS = 2**14  # up to here all pairs are counted, in about a second
PAIRS = 2**23  # drawn where there are more tokens: a bin that holds 1/200 of the mass is right to 0.5 %
MOST_TOKENS_OF_A_RUN, PAIRS_OF_A_RUN = 2**11, 2**19  # the same at each saved time; the bin is right to 2 %
DRAWN_AT_A_TIME = 2**20


@dataclass(frozen=True, eq=False)
class CosineHistogram:
    """The density of pair cosines on [-1, 1], as a histogram; its integral is 1.

    Attributes:
        edges: the borders of the bins, equally spaced from -1 to 1, shape (bins + 1,).
        density: the density in each bin, shape (bins,), or (T, bins) over the saved times of a run.
        error: the standard error of `density`, of the same shape; zero where all pairs were counted.
        pairs: the number of pairs that were drawn at random; `None` where all were counted.

    >>> from tokenfield import Measure
    >>> pair_cosine_histogram(Measure([[1.0, 0.0], [-1.0, 0.0]]), bins=4).density.tolist()
    [2.0, 0.0, 0.0, 0.0]
    """

    edges: np.ndarray
    density: np.ndarray
    error: np.ndarray
    pairs: int | None


def pair_cosine_histogram(
    mu: Measure, *, bins: int = BINS, pairs: int | None = None, seed: int | Array = 0
) -> CosineHistogram:
    """The histogram of the cosines <u_i, u_j> of distinct tokens i != j, with u = x/|x|, weighted by w_i w_j.

    The pairs i = j are left out, unlike in some published figures. So splitting a token in two adds a pair of cosine 1.
    On the circle all pairs are counted from sorted angles, in O(n log n) time for each bin; elsewhere up to 2^14 tokens
    in O(n^2). More tokens are represented by 2^23 random pairs, and `error` says what that costs. Memory is O(n).

    Args:
        mu: at least two tokens.
        bins: the number of bins; by default 200.
        pairs: the number of pairs to draw at random, at least 1; by default as above.
        seed: a whole number or a JAX key of the random pairs; by default 0.

    Returns:
        The borders of the bins, the density in each, and its standard error.

    Raises:
        InvalidInput: there are fewer than two tokens, fewer than one bin or fewer than one pair.

    >>> from tokenfield import Measure
    >>> mu = Measure([[1.0, 0.0], [0.0, 1.0], [0.0, 1.0]])
    >>> pair_cosine_histogram(mu, bins=2).density.round(3).tolist()
    [0.0, 1.0]
    """
    if mu.n < 2:
        raise InvalidInput("a histogram of pairs needs at least two tokens")
    if not is_whole(bins) or bins < 1:
        raise InvalidInput(f"the histogram needs a whole number of bins >= 1, got bins = {bins!r}")
    require_numbers(2 * bins, f"histograms of {bins} bins", advice="take fewer", on_host=True)
    if pairs is not None and operator.index(pairs) < 1:
        raise InvalidInput(f"a histogram of random pairs needs at least one, got pairs = {pairs}")
    u, w = _directions(np.asarray(mu.points)), np.asarray(mu.weights, np.float64)
    if pairs is None and mu.n > MOST_TOKENS:
        pairs = None if mu.d == 2 and bool(np.all(np.any(u != 0, axis=1))) else PAIRS
    is_sorted = mu.d == 2 and mu.n > MOST_TOKENS
    edges = np.linspace(-1.0, 1.0, bins + 1)
    if pairs is not None:
        totals = _of_random_pairs(u, w, bins, pairs, numpy_generator(seed))
    else:
        totals = _of_sorted_angles(u, w, edges) if is_sorted else pair_counts(u, w, bins)
    parts = totals / np.sum(totals)
    error = np.zeros(bins)
    if pairs is not None:  # of one pair more than was seen: a bin that none fell into may hold about one in `pairs`
        likely = (totals + 1) / (pairs + 2)
        error = np.sqrt(likely * (1 - likely) / pairs)
    return CosineHistogram(edges, parts / np.diff(edges), error / np.diff(edges), pairs)


def pair_cosine_histograms(
    run: Trajectory, *, bins: int = BINS, pairs: int | None = None, seed: int | Array = 0
) -> CosineHistogram:
    """The histograms of the pair cosines at all saved times of a run; see `pair_cosine_histogram`.

    Args:
        run: a run of at least two tokens that saved them.
        bins: the number of bins; by default 200.
        pairs: the number of random pairs, the same at all times. By default all pairs are counted for up to 2048
            tokens, and 2^19 are drawn for more.
        seed: a whole number or a JAX key of the random pairs; by default 0.

    Returns:
        The borders of the bins, and densities and their standard errors of shape (T, bins).

    Raises:
        InvalidInput: the run kept no tokens, or as in `pair_cosine_histogram`.

    >>> from tokenfield import Softmax, Sphere, Transformer, initial, solve
    >>> model = Transformer(Sphere(2), Softmax(1.0))
    >>> run = solve(model, initial.uniform(Sphere(2), 8, seed=0), t1=4.0, save=5)
    >>> pair_cosine_histograms(run, bins=40).density.shape
    (5, 40)
    """
    count, n = run.saved_points.shape[:2]
    if pairs is None and n > MOST_TOKENS_OF_A_RUN:
        pairs = PAIRS_OF_A_RUN
    found = []
    with Progress("pair cosines") as bar:
        for k in range(count):
            found.append(pair_cosine_histogram(run.measure(k), bins=bins, pairs=pairs, seed=seed))
            bar.update((k + 1) / count)
    density, error = (np.stack([getattr(one, name) for one in found]) for name in ("density", "error"))
    return CosineHistogram(found[0].edges, density, error, pairs)


def _bin_of(cosines: np.ndarray, bins: int) -> np.ndarray:
    return np.clip(((cosines + 1) * (bins / 2)).astype(np.int64), 0, bins - 1)


def _directions(x: np.ndarray) -> np.ndarray:
    """The unit vectors along the rows of `x`, in float64; zero stays zero."""
    norm = np.sqrt(np.sum(x * x, axis=-1, keepdims=True))
    return np.asarray(x / np.where(norm > 0, norm, 1), np.float64)


def pair_counts(u: np.ndarray, w: np.ndarray, bins: int) -> np.ndarray:
    """The mass of all pairs i < j in each bin of [-1, 1], up to a factor, from the cosines in tiles.

    Args:
        u: unit vectors, or zero, shape (n, d).
        w: their weights, shape (n,). If all are equal, pairs are counted.
        bins: the number of bins.

    Returns:
        Numbers >= 0, shape (bins,).

    >>> pair_counts(np.array([[1.0, 0.0], [0.0, 1.0], [0.0, 1.0]]), np.ones(3), 2).tolist()
    [0.0, 3.0]
    """
    n, is_equal = len(u), bool(np.all(w == w[0]))
    totals = np.zeros(bins)
    for start in range(0, n, ROWS):
        # each unordered pair once: columns from the tile's start on, then the strict upper triangle of its own square
        rows = slice(start, min(start + ROWS, n))
        kept = np.arange(start, n)[None, :] > np.arange(rows.start, rows.stop)[:, None]
        index = _bin_of(u[rows] @ u[start:].T, bins)[kept]
        pair_weights = None if is_equal else np.outer(w[rows], w[start:])[kept]
        totals += np.bincount(index, pair_weights, minlength=bins)
    return totals


def _of_sorted_angles(u: np.ndarray, w: np.ndarray, edges: np.ndarray) -> np.ndarray:
    """The mass of all pairs in each bin, up to a factor, on the circle: those within an angle are found by sorting."""
    angles = np.arctan2(u[:, 1], u[:, 0])
    order = np.argsort(angles)
    angles, w = angles[order], w[order]
    around = np.concatenate([angles, angles + 2 * np.pi])
    below = np.concatenate([[0.0], np.cumsum(np.concatenate([w, w]))])
    own = below[1 : len(w) + 1]  # a pair is seen from the token from which the other lies ahead

    def mass_within(angle: float) -> float:
        # no dot product: for each bin it would wake the threads of BLAS
        return float(np.sum(w * (below[np.searchsorted(around, angles + angle, side="right")] - own)))

    # the first bin also holds the pairs at exactly pi, of which rounding sees some from both sides, some from none
    within = [mass_within(angle) for angle in np.arccos(edges[1:-1])]
    everything = (1.0 - float(np.sum(w * w) / np.sum(w) ** 2)) / 2 * float(np.sum(w)) ** 2
    return -np.diff(np.concatenate([[everything], within, [0.0]]))


def _of_random_pairs(u: np.ndarray, w: np.ndarray, bins: int, pairs: int, rng: np.random.Generator) -> np.ndarray:
    """The number of pairs in each bin among `pairs` that are drawn with probability w_i w_j, i != j."""
    is_equal, ends = bool(np.all(w == w[0])), np.cumsum(w) / np.sum(w)

    def draw(count: int) -> np.ndarray:
        if is_equal:
            return rng.integers(len(w), size=count)
        return np.minimum(np.searchsorted(ends, rng.random(count), side="right"), len(w) - 1)

    totals, missing = np.zeros(bins), pairs
    while missing:
        i, j = draw(min(missing, DRAWN_AT_A_TIME)), draw(min(missing, DRAWN_AT_A_TIME))
        i, j = i[i != j], j[i != j]
        totals += np.bincount(_bin_of(np.einsum("ij,ij->i", u[i], u[j]), bins), minlength=bins)
        missing -= len(i)
    return totals
