"""Weights in depth: which heads, perceptrons and potentials act at time t.

`Constant`, `PerLayer` (piecewise constant), `FunctionOfDepth`, and `Resampled` (fresh random matrices every period).
A schedule says where it jumps, so that the solver never steps across a discontinuity.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Sequence
from functools import partial

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jax import Array

from tokenfield._runtime.arguments import checked, shown
from tokenfield._runtime.arrays import as_array, on_host
from tokenfield._runtime.memory import require_numbers
from tokenfield._runtime.randomness import random_key
from tokenfield.errors import InvalidInput
from tokenfield.model.attention import Attention
from tokenfield.model.multihead import MultiHead
from tokenfield.model.parts import Head, TokenWise
from tokenfield.model.random_matrices import MatrixLaw, ginibre, ginibre_product, gram, mean_square, wigner
from tokenfield.model.sublayer import Part, Sublayer

__all__ = [
    "Constant",
    "FunctionOfDepth",
    "Only",
    "PerLayer",
    "Resampled",
    "Schedule",
    "as_parts",
    "ginibre",
    "ginibre_product",
    "gram",
    "parts_in_words",
    "wigner",
]

Parts = tuple[Part, ...]
Layer = Part | Attention | MultiHead | Sequence[Part | Attention | MultiHead]  # what a user may write for one layer


class Schedule(eqx.Module):
    """The parts of a layer (heads, perceptrons, potentials) as a function of depth.

    A schedule of your own is a subclass with `parts`, and with `jumps` and `frozen` where the parts are discontinuous;
    `is_piecewise` says that they change nowhere else.

    >>> from tokenfield import Softmax
    >>> PerLayer([Softmax(1.0), Softmax(4.0)], t1=2.0).parts(1.5)[0].attention
    Softmax(beta=4)
    """

    @abstractmethod
    def parts(self, t: Array | float) -> Parts:
        """The parts at time `t`; at a jump, those that follow it.

        Args:
            t: The time, that is, the depth.

        Returns:
            The heads, perceptrons and potentials, in the order in which they were given.
        """

    def frozen(self, t: Array | float) -> Schedule:
        """A schedule that agrees with this one on the piece between two jumps that contains `t`.

        Args:
            t: A time inside the piece.

        Returns:
            A schedule without jumps.
        """
        return self

    def jumps(self, t0: float, t1: float) -> np.ndarray:
        """The times in (t0, t1) where the parts are discontinuous.

        Args:
            t0: The start of the span.
            t1: Its end.

        Returns:
            The times, increasing; none for smooth schedules.
        """
        return np.empty(0)

    @property
    def is_piecewise(self) -> bool:
        """Whether the parts stay as they are between two jumps."""
        return False

    def shapes(self) -> Parts:
        """The parts with the shapes of their numbers only: the same at every depth.

        Returns:
            The parts, with `jax.ShapeDtypeStruct` in place of arrays.
        """
        return eqx.filter_eval_shape(lambda: self.parts(0.0))


def parts_in_words(parts: Sequence[Part]) -> str:
    """The parts of one layer as a user would write them.

    Args:
        parts: Heads, perceptrons and potentials.

    Returns:
        One line.

    >>> from tokenfield import Head, Perceptron, Softmax
    >>> parts_in_words([Head(Softmax(1.0)), Perceptron(activation="tanh")])
    "[Softmax(beta=1), Perceptron(activation='tanh')]"
    """
    plain = [part.attention if isinstance(part, Head) and _is_bare(part) else part for part in parts]
    return repr(plain[0]) if len(plain) == 1 else f"[{', '.join(map(repr, plain))}]"


def _is_bare(head: Head) -> bool:
    return all(matrix is None for matrix in (head.Q, head.K, head.V, head.O))


class Constant(Schedule):
    """The same parts at every depth.

    Args:
        parts: An attention, a head, a perceptron, a potential, or a list of them.

    Raises:
        InvalidInput: If there is anything else.

    >>> from tokenfield import Softmax
    >>> len(Constant([Softmax(1.0), Softmax(2.0)]).parts(7.0))
    2
    """

    constant: Parts

    is_piecewise = True

    def __repr__(self) -> str:
        return parts_in_words(self.constant)

    def __init__(self, parts: Layer):
        self.constant = as_parts(parts)

    def parts(self, t: Array | float) -> Parts:
        return self.constant


@partial(jax.jit, inline=True)
def _layer(layers: Parts, index: Array) -> Parts:
    """Layer `index` of stacked layers: one program, where leaf by leaf each of a real model's takes several."""
    return jax.tree.map(lambda leaf: leaf[index], layers)


def _stacked(*leaves: Array) -> Array:
    """One number or matrix of each layer, along a new first axis."""
    known = [leaf for leaf in map(on_host, leaves) if leaf is not None]
    return as_array(np.stack(known)) if len(known) == len(leaves) else jnp.stack(leaves)


class PerLayer(Schedule):
    """One set of parts per layer: layer l acts for t in [l t1/L, (l+1) t1/L), the first and the last beyond.

    Args:
        layers: The parts of each of the L layers. Every layer has the same number and kinds of parts; only the numbers
            differ.
        t1: The time at which the last layer ends, a positive number.

    Raises:
        InvalidInput: If there is no layer, if layers differ in more than numbers, or if `t1` is not positive.

    >>> from tokenfield import Softmax
    >>> PerLayer([Softmax(1.0), Softmax(2.0), Softmax(3.0)], t1=6.0).jumps(0.0, 6.0).tolist()
    [2.0, 4.0]
    """

    layers: Parts  # leaves stacked along a leading axis of length count
    count: int = eqx.field(static=True)
    t1: float = eqx.field(static=True)

    is_piecewise = True

    def __repr__(self) -> str:
        return f"PerLayer({self.count} layers up to t = {self.t1:g}, each like {parts_in_words(self.shapes())})"

    @checked
    def __init__(self, layers: Sequence[Layer], *, t1: float):
        if not (isinstance(layers, Sequence) and layers) or isinstance(layers, str):
            raise InvalidInput(f"PerLayer needs a list of at least one layer, got {shown(layers)}")
        if not (isinstance(t1, (int, float, np.number)) and np.isfinite(t1) and t1 > 0):
            raise InvalidInput(f"PerLayer needs a positive final time, got t1 = {t1}")
        each = [as_parts(layer) for layer in layers]
        try:
            self.layers = jax.tree.map(_stacked, *each)
        except ValueError as error:
            raise InvalidInput("all layers must have the same parts, matrices and shapes") from error
        self.count = len(each)
        self.t1 = float(t1)

    @staticmethod
    def stacked(parts: Layer, count: int, *, t1: float) -> PerLayer:
        """The schedule of layers that are stacked already, as `jax.vmap` makes them.

        A thousand layers of which the numbers are not known yet take a minute to compile where each comes by itself.

        Args:
            parts: The parts, whose numbers have a leading axis for the layers.
            count: The number of layers, the length of that axis.
            t1: The time at which the last layer ends, a positive number.

        Returns:
            The schedule.

        >>> import jax
        >>> import jax.numpy as jnp
        >>> from tokenfield import Softmax
        >>> layers = jax.vmap(Softmax)(jnp.array([1.0, 2.0]))
        >>> PerLayer.stacked(layers, 2, t1=2.0).parts(1.5)[0].attention
        Softmax(beta=2)
        """
        schedule = object.__new__(PerLayer)
        for name, value in (("layers", as_parts(parts)), ("count", count), ("t1", float(t1))):
            object.__setattr__(schedule, name, value)
        return schedule

    def parts(self, t: Array | float) -> Parts:
        # a few ulps of slack: l t1/L computed by a caller may fall just short of the layer's start
        index = jnp.floor(jnp.asarray(t) * (self.count / self.t1) * (1 + 8 * jnp.finfo(jnp.float64).eps))
        return _layer(self.layers, jnp.clip(index.astype(int), 0, self.count - 1))

    def frozen(self, t: Array | float) -> Schedule:
        return Constant(self.parts(t))

    def jumps(self, t0: float, t1: float) -> np.ndarray:
        times = np.arange(1, self.count) * (self.t1 / self.count)
        return times[(times > t0) & (times < t1)]


class FunctionOfDepth(Schedule):
    """Parts given by a smooth function of depth.

    Args:
        function: Maps the time, a JAX number, to an attention, a `Head` or a list of parts; JAX must be able to trace
            it.

    >>> from tokenfield import Softmax
    >>> FunctionOfDepth(lambda t: Softmax(1.0 + t)).parts(2.0)[0].attention
    Softmax(beta=3)
    """

    function: Callable[[Array], Layer] = eqx.field(static=True)

    def __check_init__(self) -> None:
        if not callable(self.function):
            raise InvalidInput(f"FunctionOfDepth needs a function of the time, got {shown(self.function)}")

    def __repr__(self) -> str:
        return f"FunctionOfDepth({getattr(self.function, '__name__', 'function')})"

    def parts(self, t: Array | float) -> Parts:
        return as_parts(self.function(jnp.asarray(t)))


class Resampled(Schedule):
    """Random weights, redrawn every `period`: a network of independent layers (figure 5 of arXiv 2312.10794).

    The logits are beta <x, B y> with B drawn from `logits`. The draws depend on the seed and on the number of the
    period alone.

    Args:
        attention: The kind of attention of every head.
        d: The dimension of the tokens.
        period: How long one draw acts, a positive time.
        seed: An integer or a JAX key.
        logits: The law of B, a function of a key and d such as `ginibre_product`, the default; `None` is the identity.
            A law of your own is taken to have entries of variance one.
        values: The law of the value matrix V, of the same kind; by default V is the identity.
        tied: +1 or -1 makes V = tied * B / s, where s makes E Tr(V^T V) = d, as for the identity. By default 0: not
            tied.
        count: The number of heads, each with its own draws; by default 1.
        white: Whether value matrices are divided by sqrt(period): their integral in depth is then a Brownian motion of
            matrices whatever the period, the scaling of homogenized transformers (arXiv 2604.01978). By default not.

    Raises:
        InvalidInput: If a number is out of its range, or values are both tied and drawn.

    >>> from tokenfield import Softmax
    >>> schedule = Resampled(Softmax(1.0), 4, period=0.5, seed=0, values=ginibre)
    >>> schedule.jumps(0.0, 2.0).tolist()
    [0.5, 1.0, 1.5]
    """

    attention: Attention
    key: Array
    d: int = eqx.field(static=True)
    period: float = eqx.field(static=True)
    logits: MatrixLaw | None = eqx.field(static=True)
    values: MatrixLaw | None = eqx.field(static=True)
    tied: int = eqx.field(static=True)
    count: int = eqx.field(static=True)
    white: bool = eqx.field(static=True)

    is_piecewise = True

    def __repr__(self) -> str:
        laws = [getattr(law, "__name__", "identity") for law in (self.logits, self.values)]
        return f"Resampled({self.attention!r}, period={self.period:g}, logits={laws[0]}, values={laws[1]})"

    @checked
    def __init__(
        self,
        attention: Attention,
        d: int,
        *,
        period: float,
        seed: int | Array,
        logits: MatrixLaw | None = ginibre_product,
        values: MatrixLaw | None = None,
        tied: int = 0,
        count: int = 1,
        white: bool = False,
    ):
        if not isinstance(attention, Attention):
            raise InvalidInput(f"Resampled needs an attention such as Softmax(1.0), got {shown(attention)}")
        if not (isinstance(period, (int, float, np.number)) and np.isfinite(period) and period > 0):
            raise InvalidInput(f"the period must be positive, got {period}")
        if tied not in (-1, 0, 1):
            raise InvalidInput(f"tied must be +1 (V ~ B), -1 (V ~ -B) or 0 (independent), got {tied!r}")
        if tied and (values is not None or logits is None):
            raise InvalidInput("tied values come from the logits' matrix: give `logits` and leave `values` out")
        if count < 1:
            raise InvalidInput(f"the number of heads must be at least 1, got {count}")
        self.attention, self.d, self.period = attention, d, float(period)
        self.key = random_key(seed)
        if white and values is None and not tied:
            raise InvalidInput("white noise in depth needs random value matrices: give `values`, or `tied`")
        self.logits, self.values, self.tied, self.count, self.white = logits, values, tied, count, bool(white)

    def parts(self, t: Array | float) -> Parts:
        index = jnp.floor(jnp.asarray(t) / self.period * (1 + 8 * jnp.finfo(jnp.float64).eps)).astype(int)
        keys = jax.random.split(jax.random.fold_in(self.key, index), self.count)
        return tuple(self._draw(key) for key in keys)

    def _draw(self, key: Array) -> Head:
        logits_key, values_key = jax.random.split(key)
        B = None if self.logits is None else self.logits(logits_key, self.d)
        V: Array | None
        if self.tied and B is not None:
            V = self.tied * B / jnp.sqrt(mean_square(self.logits, self.d) / self.d)
        else:
            V = None if self.values is None else self.values(values_key, self.d)
        if self.white and V is not None:
            V = V / np.sqrt(self.period)
        return Head(self.attention, K=B, V=V)

    def frozen(self, t: Array | float) -> Schedule:
        return Constant(self.parts(t))

    def jumps(self, t0: float, t1: float) -> np.ndarray:
        count = (t1 - t0) / self.period
        require_numbers(2 * count, f"{count:.3g} periods of a schedule", advice="take a longer period")
        times = np.arange(np.floor(t0 / self.period), np.ceil(t1 / self.period) + 1) * self.period
        return times[(times > t0) & (times < t1)]


class Only(Schedule):
    """The heads of a schedule alone, or its other parts alone: what one half of a split step sees.

    Args:
        schedule: The schedule of all parts.
        heads: Whether the heads are kept, or everything else.

    >>> from tokenfield import Perceptron, Softmax
    >>> Only(Constant([Softmax(1.0), Perceptron()]), heads=True).parts(0.0)
    (Head(Softmax(beta=1)),)
    """

    schedule: Schedule
    heads: bool = eqx.field(static=True)

    def parts(self, t: Array | float) -> Parts:
        return tuple(part for part in self.schedule.parts(t) if _attends(part) == self.heads)

    def frozen(self, t: Array | float) -> Schedule:
        return Only(self.schedule.frozen(t), self.heads)

    @property
    def is_piecewise(self) -> bool:
        return self.schedule.is_piecewise

    def jumps(self, t0: float, t1: float) -> np.ndarray:
        return self.schedule.jumps(t0, t1)


def _attends(part: Part) -> bool:
    return part.attends if isinstance(part, Sublayer) else isinstance(part, Head)


def as_parts(layer: Layer) -> Parts:
    """A tuple of parts, from what a user may write for one layer.

    If there is a `Sublayer` or a `MultiHead` among them, all become sublayers: bare heads one together, anything else
    one each.

    Args:
        layer: An attention, a head, a perceptron, a potential, a sublayer, or a non-empty list of them.

    Returns:
        The parts; an attention becomes a `Head` with Q = K = V = I.

    Raises:
        InvalidInput: If there is anything else.

    >>> from tokenfield import Softmax
    >>> as_parts(Softmax(2.0))
    (Head(Softmax(beta=2)),)
    """
    given = layer if isinstance(layer, tuple | list) else (layer,)
    if not given:
        raise InvalidInput(f"expected an attention, a head, a perceptron or a non-empty list of them, got {layer!r}")
    for part in given:
        if not isinstance(part, Attention | Head | TokenWise | MultiHead | Sublayer):
            expected = (
                "a head or a perceptron in the list"
                if part is not layer
                else "a head, a perceptron or a non-empty list of them"
            )
            raise InvalidInput(f"expected an attention, {expected}, got {part!r}")
    parts = [Head(part) if isinstance(part, Attention) else part for part in given]
    if not any(isinstance(part, MultiHead | Sublayer) for part in parts):
        return tuple(parts)
    heads = [part for part in parts if isinstance(part, Head)]
    others = [part if isinstance(part, Sublayer) else Sublayer(part) for part in parts if not isinstance(part, Head)]
    return tuple(([Sublayer(heads)] if heads else []) + others)
