"""All heads of a real attention layer at once: projections with biases, keys and values shared by groups of heads."""

from __future__ import annotations

from collections.abc import Callable

import equinox as eqx
import jax
import jax.numpy as jnp
from jax import Array
from jax.typing import ArrayLike

from tokenfield.errors import InvalidInput
from tokenfield.measure import Measure, check_finite, float_array
from tokenfield.model.attention import Attention
from tokenfield.model.position import View
from tokenfield.model.projected import Projected
from tokenfield.model.words import value_in_words

MATRICES = ("Q", "K", "V", "O")
BIASES = ("q", "k", "v", "o")


class MultiHead(eqx.Module):
    """h heads with biases, which may share keys and values: sum_i O_i int a_i(x, y) (V_j y + v_j) dmu(y) + o.

    The weights a_i compare Q_i x + q_i with K_j y + k_j, where j is the group of head i: of h heads in g groups the
    first h/g are the first group, and so on (grouped queries, arXiv 2305.13245). With one group for each head it is
    plain multi-head attention. It goes into a `Sublayer`.

    Args:
        attention: The kind; real models have `Softmax(beta=1 / sqrt(d_k))`.
        Q: The query matrices, shape (h, d_k, d).
        K: The key matrices, shape (g, d_k, d); g divides h.
        V: The value matrices, shape (g, d_v, d).
        O: The output matrices, shape (h, d, d_v).
        q: The biases of the queries, shape (h, d_k); by default none.
        k: The biases of the keys, shape (g, d_k); by default none.
        v: The biases of the values, shape (g, d_v); by default none.
        o: The bias of the output, shape (d,); by default none.

    Raises:
        InvalidInput: If `attention` is no attention, an array is not finite, or shapes do not fit; the message says
            which.

    >>> from tokenfield import Softmax
    >>> eye = jnp.eye(2)[None]
    >>> heads = MultiHead(Softmax(0.0), Q=eye, K=eye, V=eye, O=eye, o=[1.0, 0.0])
    >>> heads(jnp.eye(2), Measure(jnp.eye(2))).tolist()  # their mean, and the bias
    [[1.5, 0.5], [1.5, 0.5]]
    """

    attention: Attention
    Q: Array
    K: Array
    V: Array
    O: Array  # noqa: E741
    q: Array | None
    k: Array | None
    v: Array | None
    o: Array | None

    def __init__(
        self,
        attention: Attention,
        *,
        Q: ArrayLike,
        K: ArrayLike,
        V: ArrayLike,
        O: ArrayLike,  # noqa: E741
        q: ArrayLike | None = None,
        k: ArrayLike | None = None,
        v: ArrayLike | None = None,
        o: ArrayLike | None = None,
    ):
        if not isinstance(attention, Attention):
            raise InvalidInput(f"heads need an attention such as Softmax(beta=1.0), got {attention!r}")
        self.attention = attention
        self.Q, self.K, self.V, self.O = (
            _array(m, name, axes=3) for m, name in zip((Q, K, V, O), MATRICES, strict=True)
        )
        self.q, self.k, self.v = (
            None if b is None else _array(b, name, axes=2) for b, name in zip((q, k, v), BIASES[:3], strict=True)
        )
        self.o = None if o is None else _array(o, "o", axes=1)
        self._check_shapes()

    def _check_shapes(self) -> None:
        (h, d_k, d), (g, d_v) = self.Q.shape, self.V.shape[:2]
        if not (h and g and h % g == 0):
            raise InvalidInput(f"{h} heads cannot share {g} keys and values: the second number must divide the first")
        expected: dict[str, tuple[int, ...]] = {"K": (g, d_k, d), "V": (g, d_v, d), "O": (h, d, d_v)}
        expected |= {"q": (h, d_k), "k": (g, d_k), "v": (g, d_v), "o": (d,)}
        for name, shape in expected.items():
            array = getattr(self, name)
            if array is not None and array.shape != shape:
                letters = "Q has shape (h, d_k, d), V (g, d_v, d)"
                raise InvalidInput(f"{name} must have shape {shape}, since {letters}; got {array.shape}")

    def __repr__(self) -> str:
        names = [*MATRICES, *(name for name in BIASES if getattr(self, name) is not None)]
        given = [f"{name}={value_in_words(getattr(self, name))}" for name in names]
        return f"MultiHead({', '.join([repr(self.attention), *given])})"

    @property
    def count(self) -> int:
        """The number of heads."""
        return self.Q.shape[-3]

    @property
    def groups(self) -> int:
        """The number of keys and values that heads share."""
        return self.K.shape[-3]

    @property
    def d_k(self) -> int:
        """The dimension of queries and keys."""
        return self.Q.shape[-2]

    def check_dimension(self, d: int) -> None:
        """Does nothing if the matrices act on R^d.

        Args:
            d: The dimension of the tokens.

        Raises:
            InvalidInput: If they act on another space.
        """
        if self.Q.shape[-1] != d:
            raise InvalidInput(f"heads must act on tokens in R^{d}, got Q of shape {self.Q.shape}")

    def __call__(self, x: Array, mu: Measure, view: View | None = None) -> Array:
        """The vectors that all heads together add at the rows of `x`.

        Args:
            x: Points that look at the measure, shape (m, d).
            mu: The measure that is looked at, of n tokens.
            view: What positions hide and turn; by default nothing.

        Returns:
            The vectors, shape (m, d).
        """
        values = self._shared(_project(self.V, self.v, mu.points))
        attend = lambda p, value: self.attention.combine(self.attention.attend(p, value))  # noqa: E731
        totals = self._each(attend, x, mu, view, values)
        out = jnp.einsum("hmv,hdv->md", totals, self.O.astype(x.dtype))
        return out if self.o is None else out + self.o.astype(x.dtype)

    def matrices(self, x: Array, mu: Measure, view: View | None = None) -> Array:
        """The matrices w_j a(x_i, x_j) of all heads, formed as a whole.

        Args:
            x: Points that look at the measure, shape (m, d).
            mu: The measure that is looked at, a few thousand tokens at most.
            view: What positions hide and turn; by default nothing.

        Returns:
            A matrix for each head, shape (h, m, n).
        """
        return self._each(self.attention.matrix, x, mu, view)

    def _each(
        self, function: Callable[..., Array], x: Array, mu: Measure, view: View | None, *of_heads: Array
    ) -> Array:
        """`function` of what each head sees, and of its row of the other arrays: a leading axis of length h."""
        queries, keys = _project(self.Q, self.q, x), _project(self.K, self.k, mu.points)
        own = queries if x is mu.points else _project(self.Q, self.q, mu.points)

        def one(query: Array, key: Array, own: Array, head: Array, *arrays: Array) -> Array:
            if view is None:
                return function(Projected(query, key, mu.weights, own), *arrays)
            query, key, own = view.rotate(query, view.queries), view.rotate(key, view.keys), view.rotate(own, view.keys)
            return function(Projected(query, key, mu.weights, own, view.band(head)), *arrays)

        arrays = (queries, self._shared(keys), own, jnp.arange(self.count), *of_heads)
        if jax.default_backend() == "cpu":
            # one head after the other: XLA's products of stacks of matrices take twice as long as those of matrices
            return jax.lax.map(lambda of_head: one(*of_head), arrays)
        return jax.vmap(one)(*arrays)

    def _shared(self, of_groups: Array) -> Array:
        """What the groups have, for each head."""
        return jnp.repeat(of_groups, self.count // self.groups, axis=0)


def _project(matrices: Array, biases: Array | None, x: Array) -> Array:
    """Each matrix times each row of `x`, and its bias: shape (h, n, k)."""
    h, k, d = matrices.shape
    # one product for all heads, and then a transposition: einsum would have a loop that copies number by number
    out = (x @ matrices.reshape(h * k, d).astype(x.dtype).T).reshape(x.shape[0], h, k).transpose(1, 0, 2)
    return out if biases is None else out + biases.astype(x.dtype)[:, None, :]


def _array(value: ArrayLike, name: str, *, axes: int) -> Array:
    array = float_array(value, name)
    if array.ndim != axes:
        raise InvalidInput(f"{name} of all heads must have {axes} axes, got shape {array.shape}")
    check_finite(array, name)
    return array
