"""How words and images become points: tables of tokens and positions, and what is done to their sum."""

from __future__ import annotations

import equinox as eqx
import jax.numpy as jnp
import numpy as np
from jax import Array
from jax.typing import ArrayLike

from tokenfield.errors import InvalidInput
from tokenfield.model.norms import Norm


class Embedding(eqx.Module):
    """The points of a text: x_i = P norm(scale E[id_i] + W[p_i + offset] + kind) + b.

    It is called with the numbers id_i of the tokens, and their positions p_i where these are not 0, 1, 2, ...

    Args:
        tokens: The table E of all tokens, shape (vocabulary, e).
        positions: The table W of learned positions, shape (most positions, e); by default none.
        offset: The row of W at position 0; by default 0.
        padding: The token that fills up a text: where it stands no position is counted, and it has the row of W before
            position 0. By default there is none.
        kind: The row that the model adds for the first kind of text, shape (e,); by default none.
        norm: What normalizes the sum; by default nothing.
        projection: The matrix P, shape (d, e), where d differs from e; by default the identity.
        bias: The vector b, shape (d,), that goes with P; by default none.
        scale: The factor of the tokens; by default 1.

    >>> import jax.numpy as jnp
    >>> Embedding(jnp.eye(3), positions=10 * jnp.ones((4, 3)))([2, 0]).tolist()
    [[10.0, 10.0, 11.0], [11.0, 10.0, 10.0]]
    """

    tokens: Array
    positions: Array | None
    kind: Array | None
    norm: Norm | None
    projection: Array | None
    bias: Array | None
    offset: int = eqx.field(static=True)
    padding: int | None = eqx.field(static=True)
    scale: float = eqx.field(static=True)

    def __init__(
        self,
        tokens: ArrayLike,
        *,
        positions: ArrayLike | None = None,
        offset: int = 0,
        padding: int | None = None,
        kind: ArrayLike | None = None,
        norm: Norm | None = None,
        projection: ArrayLike | None = None,
        bias: ArrayLike | None = None,
        scale: float = 1.0,
    ):
        self.tokens = jnp.asarray(tokens)
        self.positions, self.kind, self.projection, self.bias = (
            None if array is None else jnp.asarray(array) for array in (positions, kind, projection, bias)
        )
        self.norm, self.offset, self.padding, self.scale = norm, offset, padding, scale

    @property
    def vocabulary(self) -> int:
        """The number of tokens that there are."""
        return self.tokens.shape[0]

    @property
    def d(self) -> int:
        """The dimension of the points."""
        return self.tokens.shape[1] if self.projection is None else self.projection.shape[0]

    @property
    def most_tokens(self) -> int | None:
        """The number of learned positions; `None` if there is no such limit."""
        return None if self.positions is None else self.positions.shape[0] - self.offset

    def __call__(self, ids: ArrayLike, positions: ArrayLike | None = None) -> Array:
        """The points of tokens.

        Args:
            ids: The numbers of the tokens, shape (n,).
            positions: Their places in the text, whole numbers, shape (n,); by default 0, 1, 2, ... without padding.

        Returns:
            The points, shape (n, d).

        Raises:
            InvalidInput: If a number is not in the vocabulary, or there are more tokens than positions.
        """
        rows = _whole(ids, "ids", self.vocabulary, "the vocabulary has")
        x = self.tokens[rows] if self.scale == 1.0 else self.scale * self.tokens[rows]
        if self.positions is not None:
            x = x + self.positions[self._places(rows, positions) + self.offset]
        x = x if self.kind is None else x + self.kind
        x = x if self.norm is None else self.norm(x)
        x = x if self.projection is None else x @ self.projection.T
        return x if self.bias is None else x + self.bias

    def _places(self, ids: np.ndarray, positions: ArrayLike | None) -> np.ndarray:
        """The positions of tokens, -1 for padding."""
        is_word = np.full(len(ids), True) if positions is not None or self.padding is None else ids != self.padding
        counted = np.maximum(np.cumsum(is_word) - 1, 0) if positions is None else positions
        return np.where(is_word, _whole(counted, "positions", self.most_tokens, "the model has"), -1)


class ImageEmbedding(eqx.Module):
    """The points of an image: one for each square patch, after a first one that is the same for all images.

    It is called with the image, shape (channels, height, width), scaled as the model expects it.

    Args:
        patches: The matrices that read a patch, shape (d, channels, side, side).
        bias: What is added to each patch, shape (d,).
        first: The first point, shape (d,).
        positions: What is added at each place, shape (1 + number of patches, d).

    >>> import jax.numpy as jnp
    >>> patches, zero = jnp.ones((2, 1, 2, 2)), jnp.zeros(2)
    >>> read = ImageEmbedding(patches, zero, zero, jnp.zeros((3, 2)))
    >>> read(jnp.arange(8.0).reshape(1, 2, 4)).tolist()
    [[0.0, 0.0], [10.0, 10.0], [18.0, 18.0]]
    """

    patches: Array
    bias: Array
    first: Array
    positions: Array

    def __init__(self, patches: ArrayLike, bias: ArrayLike, first: ArrayLike, positions: ArrayLike):
        self.patches, self.bias, self.first, self.positions = map(jnp.asarray, (patches, bias, first, positions))

    @property
    def d(self) -> int:
        """The dimension of the points."""
        return self.patches.shape[0]

    def __call__(self, pixels: ArrayLike) -> Array:
        """The points of an image.

        Args:
            pixels: The image, shape (channels, height, width), scaled as the model expects it.

        Returns:
            The points, shape (1 + number of patches, d): the first one, then patches row by row.

        Raises:
            InvalidInput: If the image has another number of channels or another size than the model was made for.
        """
        x = jnp.asarray(pixels, self.patches.dtype)
        _, channels, side, _ = self.patches.shape
        if x.ndim != 3 or x.shape[0] != channels or x.shape[1] % side or x.shape[2] % side:
            raise InvalidInput(
                f"an image must have shape ({channels}, height, width), with sides that {side} divides, got {x.shape}"
            )
        rows, columns = x.shape[1] // side, x.shape[2] // side
        if rows * columns + 1 != self.positions.shape[0]:
            raise InvalidInput(f"the model was made for {self.positions.shape[0] - 1} patches, not {rows * columns}")
        cut = x.reshape(channels, rows, side, columns, side).transpose(1, 3, 0, 2, 4).reshape(rows * columns, -1)
        seen = cut @ self.patches.reshape(self.d, -1).T + self.bias
        return jnp.concatenate([self.first[None], seen]) + self.positions


def _whole(values: ArrayLike, name: str, count: int | None, who: str) -> np.ndarray:
    """`values` as indices from 0 to count - 1."""
    array = np.atleast_1d(np.asarray(values))
    if array.ndim != 1 or not array.size or array.dtype.kind not in "iuf" or np.any(array != np.floor(array)):
        raise InvalidInput(f"{name} must be a list of whole numbers")
    if count is not None and (array.min() < 0 or array.max() >= count):
        raise InvalidInput(f"{name} go from {array.min():g} to {array.max():g}, but {who} {count}")
    return array.astype(np.int64)
