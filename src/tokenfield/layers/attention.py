"""Numbers of given attention matrices: entropy, the token that takes most of it, and an inverse temperature."""

from __future__ import annotations

import numpy as np
from scipy.special import entr

from tokenfield.layers.variants import directions

ROWS = 256  # queries among random tokens: their mean entropy is then right to about a percent
LARGEST_BETA, SMALLEST_BETA = 1e4, 1e-2
GRID = 121


def head_entropies(attention: np.ndarray) -> np.ndarray:
    """The entropy -sum_j a_ij log a_ij of what a query attends to, averaged over queries, for each block and head.

    Args:
        attention: shape (..., n, n); rows sum to 1.

    Returns:
        Numbers in [0, log n], shape (...).

    >>> (head_entropies(np.full((1, 1, 4, 4), 0.25)) / np.log(4)).tolist()
    [[1.0]]
    """
    return np.mean(np.sum(entr(np.asarray(attention, np.float64)), axis=-1), axis=-1)


def sink_of(attention: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The token that gets most of the attention of each head, and how much of it, averaged over queries.

    Args:
        attention: shape (..., n, n); rows sum to 1.

    Returns:
        Indices and masses in [1/n, 1], each of shape (...).

    >>> token, mass = sink_of(np.array([[[0.9, 0.1], [0.8, 0.2]]]))
    >>> token.tolist(), mass.round(3).tolist()
    ([0], [0.85])
    """
    received = np.mean(np.asarray(attention, np.float64), axis=-2)
    return np.argmax(received, axis=-1), np.max(received, axis=-1)


def is_causal(attention: np.ndarray) -> bool:
    """Whether no token attends to a later one, in any block and head.

    Args:
        attention: shape (..., n, n).

    Returns:
        `True` if everything above the diagonal is zero.

    >>> is_causal(np.tril(np.ones((1, 3, 3)))), is_causal(np.ones((1, 3, 3)))
    (True, False)
    """
    n = attention.shape[-1]
    above = np.triu(np.ones((n, n), bool), 1)
    return n > 1 and not np.any(attention[..., above])


def random_entropies(n: int, d: int, *, causal: bool, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """The entropy of softmax attention e^{beta <x_i, x_j>} between random tokens, for betas from 0 to 10^4.

    Tokens are uniform on S^{d-1}, each attends to all n, itself included, or to those before it and itself. As many
    are drawn as give 256 queries, or all n where there are more.

    Args:
        n: the number of tokens.
        d: the dimension of the space.
        causal: whether a token sees only itself and those before it.
        seed: a whole number; by default 0.

    Returns:
        The betas, increasing, and the mean entropy at each, decreasing; shape (121,).

    >>> betas, entropies = random_entropies(8, 4, causal=False)
    >>> round(float(entropies[0] / np.log(8)), 12), bool(np.all(np.diff(entropies) <= 0))
    (1.0, True)
    """
    rng = np.random.default_rng(seed)
    betas = np.concatenate([[0.0], np.geomspace(SMALLEST_BETA, LARGEST_BETA, GRID - 1)])
    draws = -(-ROWS // n)
    queries = np.unique(np.linspace(0, n - 1, min(n, ROWS)).round().astype(int))
    total = np.zeros(GRID)
    for _ in range(draws):
        x = directions(rng.normal(size=(n, d)))
        cosines = x[queries] @ x.T
        if causal:
            cosines[np.arange(n)[None, :] > queries[:, None]] = -np.inf
        defects = cosines - np.max(cosines, axis=1, keepdims=True)
        is_seen = np.isfinite(defects)
        seen = np.where(is_seen, defects, 0.0)
        for k, beta in enumerate(betas):
            # H = log Z - beta <c>, from powers of the largest weight
            weights = np.where(is_seen, np.exp(beta * seen), 0.0)
            z = np.sum(weights, axis=1)
            total[k] += np.mean(np.log(z) - beta * np.sum(weights * seen, axis=1) / z)
    return betas, np.minimum.accumulate(np.maximum(total / draws, 0.0))


def matching_beta(entropies: np.ndarray, n: int, d: int, *, causal: bool, seed: int = 0) -> np.ndarray:
    """The inverse temperature at which random tokens of S^{d-1} have the given entropies; see `random_entropies`.

    Args:
        entropies: mean entropies of heads, of any shape.
        n: the number of tokens.
        d: the dimension of their space.
        causal: whether a token sees only itself and those before it.
        seed: a whole number; by default 0.

    Returns:
        Betas of the same shape: 0 for heads that spread their attention evenly, infinite above 10^4.

    >>> matching_beta(np.array([np.log(8.0), 0.0]), 8, 4, causal=False).tolist()
    [0.0, inf]
    """
    betas, curve = random_entropies(n, d, causal=causal, seed=seed)
    wanted = np.asarray(entropies, np.float64)
    found = np.interp(wanted, curve[::-1], betas[::-1])
    return np.where(wanted < curve[-1] + 1e-12, np.inf, np.where(wanted >= curve[0] * (1 - 1e-9), 0.0, found))
