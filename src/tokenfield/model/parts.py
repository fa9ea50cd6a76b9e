"""What adds up in one layer: attention heads, perceptrons, external potentials.

A head couples tokens; a perceptron and a potential act on each token alone. `Transformer` sums their vectors, or
applies them one after the other as a real block does.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable

import equinox as eqx
import jax
import jax.numpy as jnp
from jax import Array
from jax.typing import ArrayLike

from tokenfield._runtime.arguments import checked
from tokenfield.errors import InvalidInput, did_you_mean
from tokenfield.measure import Measure, check_finite, float_array
from tokenfield.model.attention import Attention
from tokenfield.model.matrices import apply_matrix, product
from tokenfield.model.numbers import check_vector
from tokenfield.model.position import View
from tokenfield.model.projected import Projected
from tokenfield.model.words import as_written, value_in_words
from tokenfield.sums import Attended


class Head(eqx.Module):
    """One attention head: it adds O V int a(x, y) y dmu(y), where a is an attention kind with its matrices.

    Args:
        attention: The kind, such as `Softmax(beta=1.0)`.
        Q: The query matrix, shape (d_k, d), by default the identity.
        K: The key matrix, of the same shape as Q, by default the identity.
        V: The value matrix, shape (d, d), or (d_v, d) if `O` is given; by default the identity.
        O: The output matrix, shape (d, d_v), by default the identity.

    Raises:
        InvalidInput: If `attention` is no attention, or a matrix is not a finite matrix.

    >>> import jax.numpy as jnp
    >>> from tokenfield import Measure, Softmax
    >>> head = Head(Softmax(0.0), V=2 * jnp.eye(2))
    >>> head(jnp.eye(2), Measure(jnp.eye(2))).tolist()  # twice the mean of both
    [[1.0, 1.0], [1.0, 1.0]]
    """

    attention: Attention
    Q: Array | None
    K: Array | None
    V: Array | None
    O: Array | None  # noqa: E741

    def __init__(
        self,
        attention: Attention,
        *,
        Q: ArrayLike | None = None,
        K: ArrayLike | None = None,
        V: ArrayLike | None = None,
        O: ArrayLike | None = None,  # noqa: E741
    ):
        if not isinstance(attention, Attention):
            raise InvalidInput(f"a head needs an attention such as Softmax(beta=1.0), got {attention!r}")
        self.attention = attention
        self.Q, self.K, self.V, self.O = (_matrix(m, name) for m, name in ((Q, "Q"), (K, "K"), (V, "V"), (O, "O")))

    def __repr__(self) -> str:
        matrices = ((name, getattr(self, name)) for name in ("Q", "K", "V", "O"))
        given = [f"{name}={value_in_words(matrix)}" for name, matrix in matrices if matrix is not None]
        return f"Head({', '.join([repr(self.attention), *given])})"

    def check_dimension(self, d: int) -> None:
        """Does nothing if the matrices act on R^d.

        Args:
            d: The dimension of the tokens.

        Raises:
            InvalidInput: If a matrix has the wrong shape; the message says which.
        """
        for name, matrix in (("Q", self.Q), ("K", self.K)):
            if matrix is not None and matrix.shape[1] != d:
                raise InvalidInput(f"{name} must have shape (d_k, {d}) to act on tokens in R^{d}, got {matrix.shape}")
        rows = [d if matrix is None else matrix.shape[0] for matrix in (self.Q, self.K)]
        if rows[0] != rows[1]:
            raise InvalidInput(f"Q maps to R^{rows[0]} but K maps to R^{rows[1]}: <Qx, Ky> needs one dimension")
        if self.O is None:
            if self.V is not None and self.V.shape != (d, d):
                raise InvalidInput(f"V must be square, of shape ({d}, {d}), got {self.V.shape}; or give O")
            return
        d_v = d if self.V is None else self.V.shape[0]
        if self.V is not None and self.V.shape[1] != d:
            raise InvalidInput(f"V must have shape (d_v, {d}) to act on tokens in R^{d}, got {self.V.shape}")
        if self.O.shape != (d, d_v):
            raise InvalidInput(f"O must have shape ({d}, {d_v}), from the head's values to R^{d}, got {self.O.shape}")

    @property
    def value_matrix(self) -> Array | None:
        """The matrix O V that acts on what is attended to; `None` is the identity."""
        return product(self.O, self.V)

    @property
    def d_k(self) -> int | None:
        """The dimension of queries and keys; `None` stands for that of the tokens."""
        matrix = self.Q if self.Q is not None else self.K
        return None if matrix is None else matrix.shape[0]

    def project(self, x: Array, mu: Measure, view: View | None = None, head: int = 0) -> Projected:
        """Queries, keys and weights for the rows of `x` in `mu`, as this head sees them.

        Args:
            x: Points that look at the measure, shape (m, d).
            mu: The measure that is looked at, of n tokens.
            view: What positions hide and turn; by default nothing.
            head: The number of this head among those of the layer, for positions that treat heads differently.

        Returns:
            The queries (m, d_k), keys (n, d_k) and weights (n,).
        """
        queries, keys = apply_matrix(self.Q, x), apply_matrix(self.K, mu.points)
        own = queries if x is mu.points else apply_matrix(self.Q, mu.points)
        if view is None:
            return Projected(queries, keys, mu.weights, own)
        is_same = own is queries and view.queries is view.keys
        own, keys = view.rotate(own, mu.positions), view.rotate(keys, view.keys)
        queries = own if is_same else view.rotate(queries, view.queries)
        return Projected(queries, keys, mu.weights, own, view.band(head))

    def attend(self, x: Array, mu: Measure, view: View | None = None, head: int = 0) -> Attended:
        """The attention's log total and mean at the rows of `x`; see `Attention.attend`.

        Args:
            x: Points that look at the measure, shape (m, d).
            mu: The measure that is looked at.
            view: What positions hide and turn; by default nothing.
            head: The number of this head among those of the layer.

        Returns:
            `log_sum` (m,) and `mean` (m, d).
        """
        return self.attention.attend(self.project(x, mu, view, head), mu.points)

    def vector(
        self, attended: Attended, relative_to: Array | None = None, *, mass: Array | float | None = None
    ) -> Array:
        """The vectors that the head adds, from what `attend` returned.

        Args:
            attended: What `attend` returned at m points.
            relative_to: Those points, shape (m, d), if the head sees y - x instead of y; by default it sees y.
            mass: How often those points are taken off; by default as often as the weights add up to.

        Returns:
            The vectors, shape (m, d).
        """
        total = self.attention.combine(attended)
        if relative_to is not None:
            total = total - (self.attention.mass(attended)[:, None] if mass is None else mass) * relative_to
        return apply_matrix(self.O, apply_matrix(self.V, total))

    def __call__(self, x: Array, mu: Measure) -> Array:
        return self.vector(self.attend(x, mu))


class TokenWise(eqx.Module):
    """A part that moves each token by itself, without looking at the others."""

    def __repr__(self) -> str:
        return as_written(self)

    @abstractmethod
    def __call__(self, x: Array) -> Array:
        """The vectors (m, d) added at the rows of `x` (m, d)."""

    @abstractmethod
    def check_dimension(self, d: int) -> None:
        """Does nothing if the part acts on R^d.

        Args:
            d: The dimension of the tokens.

        Raises:
            InvalidInput: If the part cannot act on R^d.
        """


ACTIVATIONS: dict[str, Callable[[Array], Array]] = {
    "relu": jax.nn.relu,
    # the exact Gaussian form: the tanh approximation differs in the fourth digit
    "gelu": lambda z: jax.nn.gelu(z, approximate=False),
    "gelu_tanh": lambda z: jax.nn.gelu(z, approximate=True),
    "silu": jax.nn.silu,
    "tanh": jnp.tanh,
    "identity": lambda z: z,
}


class Perceptron(TokenWise):
    """A perceptron W sigma(A x + b) + c, the feed-forward layer of a transformer (arXiv 2312.10794).

    With a `gate` G it is W (sigma(G x + g) * (A x + b)) + c: SwiGLU with "silu", GeGLU with "gelu" (arXiv 2002.05202).

    Args:
        W: The output matrix, shape (d, m), by default the identity.
        A: The input matrix, shape (m, d), by default the identity.
        b: The bias of the m neurons, shape (m,), by default zero.
        c: The bias of the output, shape (d,), by default zero.
        gate: The matrix G of the gate, shape (m, d); by default there is no gate.
        gate_bias: The bias g of the gate, shape (m,), by default zero.
        activation: The function sigma: "relu" (the default), "gelu", "gelu_tanh", "silu", "tanh" or "identity".

    Raises:
        InvalidInput: If the activation is unknown, or an array is not finite or has the wrong number of axes.

    >>> import jax.numpy as jnp
    >>> Perceptron(b=[0.5, 0.0])(jnp.asarray([[1.0, -1.0]])).tolist()
    [[1.5, 0.0]]
    >>> Perceptron(gate=2 * jnp.eye(2))(jnp.array([[1.0, 3.0]])).tolist()  # relu(2 x) x
    [[2.0, 18.0]]
    """

    W: Array | None
    A: Array | None
    b: Array | None
    c: Array | None
    gate: Array | None
    gate_bias: Array | None
    activation: str = eqx.field(static=True)

    @checked
    def __init__(
        self,
        W: ArrayLike | None = None,
        A: ArrayLike | None = None,
        b: ArrayLike | None = None,
        *,
        c: ArrayLike | None = None,
        gate: ArrayLike | None = None,
        gate_bias: ArrayLike | None = None,
        activation: str = "relu",
    ):
        if activation not in ACTIVATIONS:
            raise InvalidInput(f"unknown activation {activation!r}{did_you_mean(str(activation), ACTIVATIONS)}")
        if gate is None and gate_bias is not None:
            raise InvalidInput("gate_bias goes with a gate: give the matrix of the gate too")
        self.W, self.A, self.gate = (_matrix(m, name) for m, name in ((W, "W"), (A, "A"), (gate, "gate")))
        self.b, self.c, self.gate_bias = (
            check_vector(v, name) for v, name in ((b, "b"), (c, "c"), (gate_bias, "gate_bias"))
        )
        self.activation = activation

    @property
    def is_affine(self) -> bool:
        """Whether it is an affine map of the token."""
        return self.activation == "identity" and self.gate is None

    def check_dimension(self, d: int) -> None:
        if self.A is not None and self.A.shape[1] != d:
            raise InvalidInput(f"A must have shape (m, {d}) to act on tokens in R^{d}, got {self.A.shape}")
        width = d if self.A is None else self.A.shape[0]
        for name, bias in (("b", self.b), ("gate_bias", self.gate_bias)):
            if bias is not None and bias.shape != (width,):
                raise InvalidInput(f"{name} must have shape ({width},), one entry per neuron, got {bias.shape}")
        if self.gate is not None and self.gate.shape != (width, d):
            raise InvalidInput(f"gate must have shape ({width}, {d}), like A, got {self.gate.shape}")
        if self.W is None and width != d:
            raise InvalidInput(f"give W of shape ({d}, {width}): {width} neurons are not a vector of R^{d}")
        if self.W is not None and self.W.shape != (d, width):
            raise InvalidInput(f"W must have shape ({d}, {width}), from neurons to R^{d}, got {self.W.shape}")
        if self.c is not None and self.c.shape != (d,):
            raise InvalidInput(f"c must have shape ({d},), one entry per coordinate, got {self.c.shape}")

    def __call__(self, x: Array) -> Array:
        sigma, neurons = ACTIVATIONS[self.activation], _affine(self.A, self.b, x)
        active = sigma(neurons) if self.gate is None else sigma(_affine(self.gate, self.gate_bias, x)) * neurons
        return _affine(self.W, self.c, active)


class Potential(TokenWise):
    """An external potential: each token climbs phi, that is, gains the vector grad phi(x) (arXiv 2601.21366).

    Args:
        phi: A function of one point (d,) with one real number as value, which JAX can differentiate.

    Raises:
        InvalidInput: If `phi` is no function.

    >>> import jax.numpy as jnp
    >>> Potential(lambda x: jnp.sum(x**2))(jnp.asarray([[1.0, 2.0]])).tolist()
    [[2.0, 4.0]]
    """

    phi: Callable[[Array], Array] = eqx.field(static=True)

    def __check_init__(self) -> None:
        if not callable(self.phi):
            raise InvalidInput(f"a potential needs a function of one point (d,), got {self.phi!r}")

    def check_dimension(self, d: int) -> None:
        try:
            value = jax.eval_shape(self.phi, jax.ShapeDtypeStruct((d,), jnp.float64))
        except Exception as error:
            raise InvalidInput(f"the potential cannot be evaluated at a point of R^{d}: {error}") from error
        if getattr(value, "shape", None) != () or not jnp.issubdtype(value.dtype, jnp.floating):
            raise InvalidInput(f"the potential must map a point of R^{d} to one real number, got {value}")

    def __call__(self, x: Array) -> Array:
        return jax.vmap(jax.grad(self.phi))(x)


def _matrix(value: ArrayLike | None, name: str) -> Array | None:
    if value is None:
        return None
    matrix = float_array(value, name)
    if matrix.ndim != 2:
        raise InvalidInput(f"{name} must be a matrix, got shape {matrix.shape}")
    check_finite(matrix, name)
    return matrix


def _affine(matrix: Array | None, bias: Array | None, x: Array) -> Array:
    """`matrix` times each row of `x`, and `bias`."""
    out = apply_matrix(matrix, x)
    return out if bias is None else out + bias.astype(x.dtype)
