"""The four ways in which every number is taken, because one token or a few coordinates can fool it.

raw               the hidden states as they are
without sinks     without tokens whose norm is more than 5 times the median norm of the prompt at that layer
centered          minus the mean token of the prompt at that layer
without rogues    without coordinates that hold more than 25/d of the mean square, of directions, at that layer

A massive token (arXiv 2402.17762) has most of the second moment for itself: ranks fall to 1. A rogue coordinate (arXiv
2109.04404) is large in all tokens alike: cosines rise to 1. Shares are those of the directions x/|x|, so that each
token counts the same and a sink does not make coordinates rogue. At a single point of S^{d-1} drawn at random the
largest share is about 2 log(d)/d: 25/d leaves tokens that have merged alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

RAW, NO_SINKS, CENTERED, NO_ROGUES = "raw", "without sinks", "centered", "without rogues"
VARIANTS = (RAW, NO_SINKS, CENTERED, NO_ROGUES)
SINK = 5.0  # times the median norm
ROGUE = 25.0  # times 1/d, the share of a coordinate like all others

Cloud = tuple[np.ndarray, np.ndarray]  # tokens (n, d) and their weights (n,)


def sinks(x: np.ndarray, *, ratio: float = SINK) -> np.ndarray:
    """Which tokens have a norm above `ratio` times the median norm.

    Args:
        x: the tokens of a prompt at one layer, shape (n, d).
        ratio: how many times the median; by default 5.

    Returns:
        Booleans, shape (n,); fewer than half are true.

    >>> sinks(np.array([[100.0, 0.0], [1.0, 0.0], [0.0, 2.0]])).tolist()
    [True, False, False]
    """
    norms = np.linalg.norm(x, axis=1)
    median = float(np.median(norms))
    return norms > ratio * median if median > 0 else np.zeros(len(x), bool)


def shares(clouds: Sequence[np.ndarray]) -> np.ndarray:
    """The share of each coordinate in the mean square of the directions x/|x|, over all tokens of all prompts.

    Args:
        clouds: the tokens of each prompt at one layer, each of shape (n, d).

    Returns:
        Numbers >= 0 that sum to 1, shape (d,).

    >>> shares([np.array([[3.0, 0.0], [0.0, 2.0]])]).tolist()
    [0.5, 0.5]
    """
    total = sum(np.sum(directions(x) ** 2, axis=0) for x in clouds)
    whole = float(np.sum(total))
    return np.asarray(total) / (whole if whole > 0 else 1.0)


def rogues(clouds: Sequence[np.ndarray], *, ratio: float = ROGUE) -> np.ndarray:
    """Which coordinates hold more than `ratio`/d of the mean square of the directions x/|x|.

    Args:
        clouds: the tokens of each prompt at one layer, each of shape (n, d).
        ratio: how many times the share of a coordinate like all others; by default 25. For d <= `ratio` none is.

    Returns:
        Booleans, shape (d,); at most d/ratio are true.

    >>> x = np.ones((3, 100))
    >>> x[:, 7] = 50.0
    >>> np.flatnonzero(rogues([x])).tolist()
    [7]
    """
    found = shares(clouds)
    return found > ratio / len(found)


def directions(x: np.ndarray) -> np.ndarray:
    """The unit vectors x/|x| along the rows of `x`, in NumPy; zero stays zero.

    Args:
        x: vectors, shape (n, d).

    Returns:
        Unit vectors, shape (n, d).

    >>> directions(np.array([[0.0, 2.0], [0.0, 0.0]])).tolist()
    [[0.0, 1.0], [0.0, 0.0]]
    """
    norms = np.linalg.norm(x, axis=1, keepdims=True)
    return x / np.where(norms > 0, norms, 1.0)


def variants(x: Any, weights: np.ndarray, is_sink: np.ndarray, is_rogue: np.ndarray) -> dict[str, Cloud]:
    """The tokens of a prompt at one layer in the four variants, in float64.

    Args:
        x: the tokens, shape (n, d).
        weights: their masses, shape (n,), which sum to 1.
        is_sink: which tokens are sinks, shape (n,).
        is_rogue: which coordinates are rogue, shape (d,).

    Returns:
        Tokens and their weights for each name of `VARIANTS`. A centered token that is zero up to rounding is zero.
        Where nothing is left out, the variant is the same object as the raw one, which need not be measured twice.

    >>> found = variants(np.eye(3), np.full(3, 1 / 3), np.array([True, False, False]), np.array([False, False, True]))
    >>> [tokens.shape for tokens, _ in found.values()]
    [(3, 3), (2, 3), (3, 3), (3, 2)]
    """
    rounding = 8 * float(np.finfo(x.dtype).eps)
    x = np.asarray(x, np.float64)
    mean = weights @ x
    centered = x - mean
    is_zero = np.linalg.norm(centered, axis=1) <= rounding * np.linalg.norm(mean)
    centered[is_zero] = 0.0
    raw, kept = (x, weights), weights[~is_sink]
    return {
        RAW: raw,
        NO_SINKS: (x[~is_sink], kept / np.sum(kept)) if np.any(is_sink) else raw,
        CENTERED: (centered, weights),
        NO_ROGUES: (x[:, ~is_rogue], weights) if np.any(is_rogue) else raw,
    }
