"""The attention matrix of a head and its rank: for tokens few enough that an n x n matrix may be looked at."""

from __future__ import annotations

import numpy as np
from jax import Array

from tokenfield.errors import InvalidInput
from tokenfield.measure import Measure
from tokenfield.model.transformer import Transformer

LARGEST_MATRIX = 4096  # tokens up to which an n x n matrix may be asked for


def attention_matrix(mu: Measure, model: Transformer, t: Array | float = 0.0, *, head: int = 0) -> Array:
    """The attention matrix w_j a(x_i, x_j) of one head: how much token i attends to token j.

    Its rows sum to one for attention that is normalized, such as softmax. Traceable by JAX.

    Args:
        mu: at most 4096 tokens, since the matrix is n x n.
        model: the model whose heads are looked at.
        t: the time (depth) at which they are; by default 0.
        head: which head, counted from 0; by default the first.

    Returns:
        The matrix, shape (n, n), weights included.

    Raises:
        InvalidInput: there are more than 4096 tokens, or there is no such head.

    >>> from tokenfield import Measure, Softmax, Sphere, Transformer
    >>> mu = Measure([[1.0, 0.0], [-1.0, 0.0]])
    >>> attention_matrix(mu, Transformer(Sphere(2), Softmax(0.0))).tolist()
    [[0.5, 0.5], [0.5, 0.5]]
    """
    if mu.n > LARGEST_MATRIX:
        raise InvalidInput(f"an attention matrix is n x n: at most {LARGEST_MATRIX} tokens, got {mu.n}")
    heads = model.heads(t)
    if not 0 <= head < len(heads):
        raise InvalidInput(f"the model has heads 0 to {len(heads) - 1}, got head = {head}")
    return heads[head].attention.matrix(model.projected(t, mu.points, mu)[head])


def attention_rank(
    mu: Measure, model: Transformer, t: Array | float = 0.0, *, head: int = 0, tolerance: float = 1e-6
) -> int:
    """The numerical rank of the attention matrix: how many singular values exceed `tolerance` times the largest.

    Args:
        mu: at most 4096 tokens.
        model: the model whose heads are looked at.
        t: the time (depth) at which they are; by default 0.
        head: which head, counted from 0; by default the first.
        tolerance: singular values below this part of the largest count as zero; by default 1e-6.

    Returns:
        The rank, from 1 to n.

    Raises:
        InvalidInput: as in `attention_matrix`.

    >>> from tokenfield import Measure, Softmax, Sphere, Transformer
    >>> mu = Measure([[1.0, 0.0], [-1.0, 0.0]])
    >>> attention_rank(mu, Transformer(Sphere(2), Softmax(0.0)))
    1
    """
    values = np.linalg.svd(np.asarray(attention_matrix(mu, model, t, head=head), np.float64), compute_uv=False)
    return int(np.sum(values > tolerance * values[0]))
