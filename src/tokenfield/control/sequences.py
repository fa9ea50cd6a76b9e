"""`interpolate_sequences`: a transformer that maps given sequences exactly to given outputs (arXiv 2502.02270).

Blocks of attention and a feed-forward layer, both residual, with few neurons and heads of rank one or two. First
sequences that share tokens are told apart: a token that one has and another lacks is lifted by a plateau of ReLUs, and
attention shifts each sequence by what it sees of that. Then one token for each output, a leader, is lifted out;
attention sends every other token to the first leader of its sequence; leaders are moved to the outputs. Nothing is done
for a token that is no leader, so that blocks and parameters do not depend on the length of the inputs.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from jax.typing import ArrayLike

from tokenfield._runtime.arguments import shown
from tokenfield.control.blocks import Builder, Collision
from tokenfield.errors import InvalidInput, Unsupported
from tokenfield.measure import Measure
from tokenfield.model.transformer import Transformer
from tokenfield.solver.solve import solve

TRIES = 20  # of random directions, until none puts two points where one is needed


@dataclass(frozen=True, eq=False)
class Interpolation:
    """A transformer that maps sequences to outputs: `blocks` of attention and a feed-forward layer.

    `model` runs as a residual network of 2 `blocks` layers of step 1, which alternate. `parameters` counts the numbers
    of all blocks that are not zero by construction, and `bound` is the number of blocks in the paper.

    >>> Interpolation(None, 3, 40, 5).blocks
    3
    """

    model: Transformer
    blocks: int
    parameters: int
    bound: int

    def run(self, sequence: ArrayLike) -> np.ndarray:
        """Where the transformer brings the tokens of a sequence.

        Args:
            sequence: Tokens (n, d).

        Returns:
            Tokens (n, d): the points of the output, each at least once.

        >>> found = interpolate_sequences([[[0.0, 1.0], [2.0, 0.0]]], [[[5.0, 5.0]]])
        >>> found.run([[0.0, 1.0], [2.0, 0.0]]).round(9).tolist()
        [[5.0, 5.0], [5.0, 5.0]]
        """
        layers = 2 * self.blocks
        run = solve(self.model, Measure(sequence), t1=float(layers), layers=layers, save="end", progress=False)
        return np.asarray(run.final.points)


def interpolate_sequences(
    inputs: Sequence[ArrayLike], outputs: Sequence[ArrayLike], *, attention: str = "hardmax"
) -> Interpolation:
    """A transformer that maps each of N input sequences exactly to its output sequence of m_j points.

    With hardmax at most 2 sum_j m_j + 2 N + 1 blocks, with softmax 2 sum_j m_j + 3 N (arXiv 2502.02270), whatever the
    lengths of the inputs. Sequences count as sets of tokens: attention does not see their order.

    Args:
        inputs: N sequences of tokens, each (n_j, d), d >= 2.
        outputs: N sequences of points, each (m_j, d), with m_j at most the number of distinct tokens of its input.
        attention: "hardmax" (the default) or "softmax".

    Returns:
        The transformer and the count of its blocks and parameters.

    Raises:
        InvalidInput: If shapes do not fit or a number is not finite.
        Unsupported: If two inputs are the same set with different outputs, outputs are longer than inputs, or tokens
            are so near each other that float64 does not tell them apart.

    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> inputs, outputs = rng.normal(size=(2, 6, 3)), rng.normal(size=(2, 2, 3))
    >>> found = interpolate_sequences(inputs, outputs)
    >>> far = np.linalg.norm(found.run(inputs[1])[:, None] - outputs[1], axis=-1).min(axis=1)
    >>> bool(far.max() < 1e-9), found.blocks <= 2 * 4 + 2 * 2 + 1
    (True, True)
    """
    X, Y = _checked(inputs, outputs, attention)
    for seed in range(TRIES):
        builder = Builder([x.copy() for x in X], np.random.default_rng(seed), attention == "softmax")
        try:
            _construct(builder, X, Y)
        except Collision:
            continue
        m, N = sum(map(len, Y)), len(X)
        bound = 2 * m + (3 * N if attention == "softmax" else 2 * N + 1)
        return Interpolation(builder.transformer(), len(builder.blocks), builder.parameters, bound)
    raise Unsupported("tokens or outputs are too near each other for float64 to tell them apart; spread them out")


def _construct(builder: Builder, X: list[np.ndarray], Y: list[np.ndarray]) -> None:
    builder.tell_apart(X)
    leaders = builder.lift_leaders([len(y) for y in Y], size=max(np.abs(y).max() for y in Y))
    builder.collapse(leaders)
    builder.move_to(leaders, Y)
    error = max(_mismatch(x, y) for x, y in zip(builder.now, Y, strict=True))
    if not error < 1e-6 * builder.size:
        raise Collision


def _mismatch(x: np.ndarray, y: np.ndarray) -> float:
    """The Hausdorff distance of two finite sets."""
    far = np.linalg.norm(x[:, None] - y, axis=-1)
    return float(max(far.min(axis=1).max(), far.min(axis=0).max()))


# --- arguments ----------------------------------------------------------------------------------------------------


def _checked(inputs: Any, outputs: Any, attention: str) -> tuple[list[np.ndarray], list[np.ndarray]]:
    if attention not in ("hardmax", "softmax"):
        raise InvalidInput(f'attention must be "hardmax" or "softmax", got {attention!r}')
    try:
        X, Y = ([np.asarray(x, dtype=np.float64) for x in sequences] for sequences in (inputs, outputs))
    except (TypeError, ValueError):
        raise InvalidInput(
            f"inputs and outputs must be lists of sequences (n, d), got {shown(inputs)} and {shown(outputs)}"
        ) from None
    if not X or len(X) != len(Y):
        raise InvalidInput(f"each input needs one output, and there must be one: got {len(X)} and {len(Y)}")
    d = X[0].shape[-1]
    for x in (*X, *Y):
        if x.ndim != 2 or x.shape[1] != d or not len(x) or not np.isfinite(x).all():
            raise InvalidInput(f"sequences must be finite tokens (n, {d}), got shape {x.shape}")
    if d < 2:
        raise Unsupported("sequences are interpolated in dimension d >= 2 (arXiv 2502.02270): add a coordinate")
    sets = [np.unique(x, axis=0) for x in X]
    for j, (x, y) in enumerate(zip(sets, Y, strict=True)):
        if len(y) > len(x):
            raise Unsupported(f"output {j} has more points than input {j} has distinct tokens: {len(y)} and {len(x)}")
        for i in range(j):
            if sets[i].shape == x.shape and np.array_equal(sets[i], x):
                raise Unsupported(
                    f"inputs {i} and {j} are the same set of tokens: attention does not see their order and sends them "
                    "to one output; add positions, or change a token"
                )
    return X, Y
