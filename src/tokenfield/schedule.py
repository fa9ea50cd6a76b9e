"""Weights in depth: which heads act at time t.

`Constant`, `PerLayer` (piecewise constant), `FunctionOfDepth`, and `Resampled` (fresh random matrices every period).
A schedule says where it jumps, so that the solver never steps across a discontinuity.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Sequence

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jax import Array

from tokenfield.attention import Attention, Head
from tokenfield.errors import InvalidInput

Heads = tuple[Head, ...]


class Schedule(eqx.Module):
    """The heads as a function of depth."""

    @abstractmethod
    def heads(self, t: Array | float) -> Heads:
        """The heads at time `t`; at a jump, those that follow it."""

    def frozen(self, t: Array | float) -> Schedule:
        """A schedule that agrees with this one on the piece between two jumps that contains `t`."""
        return self

    def jumps(self, t0: float, t1: float) -> np.ndarray:
        """The times in (t0, t1) where the heads are discontinuous, increasing."""
        return np.empty(0)

    def check_dimension(self, d: int) -> None:
        """Raises `InvalidInput` unless all heads act on R^d."""
        heads = jax.eval_shape(lambda: self.heads(0.0))
        for head in heads:
            head.check_dimension(d)


class Constant(Schedule):
    """The same heads at every depth."""

    constant: Heads

    def __init__(self, heads: Head | Attention | Sequence[Head]):
        self.constant = as_heads(heads)

    def heads(self, t: Array | float) -> Heads:
        return self.constant


class PerLayer(Schedule):
    """One set of heads per layer: layer l acts for t in [l t1/L, (l+1) t1/L), the first and the last beyond.

    Every layer has the same number and kinds of heads; only the numbers differ.
    """

    layers: Heads  # leaves stacked along a leading axis of length count
    count: int = eqx.field(static=True)
    t1: float = eqx.field(static=True)

    def __init__(self, layers: Sequence[Head | Attention | Sequence[Head]], *, t1: float):
        if not layers:
            raise InvalidInput("PerLayer needs at least one layer")
        if not (np.isfinite(t1) and t1 > 0):
            raise InvalidInput(f"PerLayer needs a positive final time, got t1 = {t1}")
        each = [as_heads(layer) for layer in layers]
        try:
            self.layers = jax.tree.map(lambda *leaves: jnp.stack(leaves), *each)
        except ValueError as error:
            raise InvalidInput("all layers must have the same heads, matrices and shapes") from error
        self.count = len(each)
        self.t1 = float(t1)

    def heads(self, t: Array | float) -> Heads:
        # a few ulps of slack: l t1/L computed by a caller may fall just short of the layer's start
        index = jnp.floor(jnp.asarray(t) * (self.count / self.t1) * (1 + 8 * jnp.finfo(jnp.float64).eps))
        index = jnp.clip(index.astype(int), 0, self.count - 1)
        return jax.tree.map(lambda leaf: leaf[index], self.layers)

    def frozen(self, t: Array | float) -> Schedule:
        return Constant(self.heads(t))

    def jumps(self, t0: float, t1: float) -> np.ndarray:
        times = np.arange(1, self.count) * (self.t1 / self.count)
        return times[(times > t0) & (times < t1)]


class FunctionOfDepth(Schedule):
    """Heads given by a smooth function of t that can be traced by JAX and returns a `Head` or a sequence of them."""

    function: Callable[[Array], Head | Attention | Sequence[Head]] = eqx.field(static=True)

    def heads(self, t: Array | float) -> Heads:
        return as_heads(self.function(jnp.asarray(t)))


def ginibre(key: Array, d: int) -> Array:
    """A (d, d) matrix of independent standard Gaussian entries."""
    return jax.random.normal(key, (d, d))


def ginibre_product(key: Array, d: int) -> Array:
    """A (d, d) matrix G1 G2 / sqrt(d), with G1, G2 Ginibre: the law of Q^T K for independent Gaussian Q and K."""
    first, second = jax.random.split(key)
    return ginibre(first, d) @ ginibre(second, d) / jnp.sqrt(d)


def wigner(key: Array, d: int) -> Array:
    """A symmetric (d, d) Gaussian matrix (G + G^T) / sqrt(2): the GOE."""
    g = ginibre(key, d)
    return (g + g.T) / jnp.sqrt(2.0)


def gram(key: Array, d: int) -> Array:
    """A positive semi-definite (d, d) matrix G G^T / sqrt(d)."""
    g = ginibre(key, d)
    return g @ g.T / jnp.sqrt(d)


MatrixLaw = Callable[[Array, int], Array]


def _mean_square(law: MatrixLaw | None, d: int) -> int:
    """E |B|_F^2 for B of the law: d^2 for entries of variance one; the GOE's diagonal has variance 2, Gram's a mean."""
    known: dict[MatrixLaw | None, int] = {wigner: d * (d + 1), gram: d * (2 * d + 1)}
    return known.get(law, d * d)


class Resampled(Schedule):
    """Random weights, redrawn every `period`: layers of a network with independent weights (figure 5 of 2312.10794).

    The logits are beta <x, B y> with B drawn from `logits`. The value matrix is drawn from `values` (`None`: the
    identity), or is `tied` * B / s where `tied` is +1 or -1 and s makes E |V|_F^2 = d, as for the identity. The draws
    depend on `key` and on the number of the period alone. A law of your own is taken to have entries of variance one.
    """

    attention: Attention
    key: Array
    d: int = eqx.field(static=True)
    period: float = eqx.field(static=True)
    logits: MatrixLaw | None = eqx.field(static=True)
    values: MatrixLaw | None = eqx.field(static=True)
    tied: int = eqx.field(static=True)
    count: int = eqx.field(static=True)

    def __init__(
        self,
        attention: Attention,
        d: int,
        *,
        period: float,
        key: Array | int,
        logits: MatrixLaw | None = ginibre_product,
        values: MatrixLaw | None = None,
        tied: int = 0,
        count: int = 1,
    ):
        if not (np.isfinite(period) and period > 0):
            raise InvalidInput(f"the period must be positive, got {period}")
        if tied not in (-1, 0, 1):
            raise InvalidInput(f"tied must be +1 (V ~ B), -1 (V ~ -B) or 0 (independent), got {tied!r}")
        if tied and (values is not None or logits is None):
            raise InvalidInput("tied values come from the logits' matrix: give `logits` and leave `values` out")
        if count < 1:
            raise InvalidInput(f"the number of heads must be at least 1, got {count}")
        self.attention, self.d, self.period = attention, d, float(period)
        self.key = jax.random.key(int(key)) if isinstance(key, (int, np.integer)) else key
        self.logits, self.values, self.tied, self.count = logits, values, tied, count

    def heads(self, t: Array | float) -> Heads:
        index = jnp.floor(jnp.asarray(t) / self.period * (1 + 8 * jnp.finfo(jnp.float64).eps)).astype(int)
        keys = jax.random.split(jax.random.fold_in(self.key, index), self.count)
        return tuple(self._draw(key) for key in keys)

    def _draw(self, key: Array) -> Head:
        logits_key, values_key = jax.random.split(key)
        B = None if self.logits is None else self.logits(logits_key, self.d)
        V: Array | None
        if self.tied and B is not None:
            V = self.tied * B / jnp.sqrt(_mean_square(self.logits, self.d) / self.d)
        else:
            V = None if self.values is None else self.values(values_key, self.d)
        return Head(self.attention, K=B, V=V)

    def frozen(self, t: Array | float) -> Schedule:
        return Constant(self.heads(t))

    def jumps(self, t0: float, t1: float) -> np.ndarray:
        times = np.arange(np.floor(t0 / self.period), np.ceil(t1 / self.period) + 1) * self.period
        return times[(times > t0) & (times < t1)]


def as_heads(heads: Head | Attention | Sequence[Head]) -> Heads:
    """A tuple of heads from one attention, one head or several."""
    if isinstance(heads, Attention):
        return (Head(heads),)
    if isinstance(heads, Head):
        return (heads,)
    if not isinstance(heads, (tuple, list)) or not heads:
        raise InvalidInput(f"expected an attention, a head or a non-empty list of heads, got {heads!r}")
    for head in heads:
        if not isinstance(head, (Attention, Head)):
            raise InvalidInput(f"expected an attention or a head in the list of heads, got {head!r}")
    return tuple(as_heads(head)[0] for head in heads)
