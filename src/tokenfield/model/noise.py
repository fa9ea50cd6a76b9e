"""`Noise`: Brownian motion added to the tokens, one for each or one for all.

dX_i = velocity dt + sqrt(2/kappa) P_{X_i} o dW_i, in the sense of Stratonovich, so that tokens stay on the sphere and
a density of them obeys d_t mu = -div(mu X[mu]) + (1/kappa) Laplacian mu (arXiv 2512.01868).

A path is never stored. It is a sum over dyadic levels (Levy's construction, one normal vector per node of a binary
tree over the time span), whose terms are drawn again from the key wherever they are needed.
"""

from __future__ import annotations

import struct
import zlib
from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
from jax import Array
from jax.typing import ArrayLike

from tokenfield._runtime.arguments import checked
from tokenfield._runtime.randomness import random_key
from tokenfield.errors import InvalidInput
from tokenfield.measure import is_concrete
from tokenfield.model.numbers import check_number
from tokenfield.model.words import value_in_words

# Down to this level of the tree the path is the same for all steps; only finer steps look further.
LEVEL = 16
LARGEST_LEVEL = 31  # nodes are numbered by 32 bits
# Times count as equal within this part of the span, 2^-BITS, so that rounding does not move a step off its node.
BITS = {jnp.dtype("float64"): 40, jnp.dtype("float32"): 20}


class Noise(eqx.Module):
    """Brownian noise of strength sqrt(2/kappa), one motion in R^d per token or a common one for all (arXiv 2512.01868).

    dX_i = velocity dt + sqrt(2/kappa) P_{X_i} o dW_i, in the sense of Stratonovich. The path depends on the seed and on
    the span of times that is solved, not on what is saved nor on the steps (up to 2^15 of them; runs with more share
    its values at dyadic parts of the span only). Runs that start at different times have independent paths.

    Args:
        kappa: The inverse strength, one positive number: the diffusion coefficient is 1/kappa.
        seed: An integer or a JAX key; equal seeds give equal paths.
        common: Whether one motion drives all tokens; by default each has its own.

    Raises:
        InvalidInput: If kappa is not one positive number, or the seed not one seed.

    >>> Noise(10.0, seed=0)
    Noise(kappa=10)
    """

    kappa: Array
    key: Array
    common: bool = eqx.field(static=True)

    def __repr__(self) -> str:
        return f"Noise(kappa={value_in_words(self.kappa)}{', common=True' if self.common else ''})"

    @checked
    def __init__(self, kappa: ArrayLike, *, seed: int | Array, common: bool = False):
        self.kappa = check_number(kappa, "kappa")
        if is_concrete(self.kappa) and not float(self.kappa) > 0:
            raise InvalidInput(f"kappa must be positive (the noise is sqrt(2/kappa) dW), got {float(self.kappa)}")
        self.key, self.common = random_key(seed), bool(common)

    def path(self, t0: float, t1: float, n: int, d: int, dtype: Any) -> Path:
        """One Brownian path over [t0, t1].

        Args:
            t0: The time at the start of the run.
            t1: The final time of the run; another one is another path.
            n: The number of tokens.
            d: Their dimension.
            dtype: The type of the numbers, float64 or float32.

        Returns:
            The path; its `increment(s, t)` is what the noise adds between two times.
        """
        shape = (1 if self.common else n, d)
        # a run that goes on must not meet the noise of its first part again
        key = self.key if t0 == 0 else jax.random.fold_in(self.key, zlib.crc32(struct.pack("<d", t0)))
        return Path(key, self.kappa.astype(dtype), jnp.asarray(t0), jnp.asarray(t1), shape)


class Path(eqx.Module):
    """A path sqrt(2/kappa) W over [t0, t1], with W of the given shape, (n, d) or (1, d)."""

    key: Array
    kappa: Array
    t0: Array
    t1: Array
    shape: tuple[int, int] = eqx.field(static=True)

    def increment(self, t0: Array, t1: Array) -> Array:
        """sqrt(2/kappa) (W(t1) - W(t0)), shape (n, d), or (1, d) if it is common to all tokens."""
        dtype = self.kappa.dtype
        nodes, factors = _difference(self._place(t0), self._place(t1), BITS[dtype])
        # the few terms that are not zero, first: their number is that of the levels which separate the two times
        order = jnp.argsort(factors == 0, stable=True)
        nodes, factors = nodes[order], factors[order].astype(dtype)

        def add(i: Array, total: Array) -> Array:
            normal = jax.random.normal(jax.random.fold_in(self.key, nodes[i]), self.shape, dtype)
            return total + factors[i] * normal

        W = jax.lax.fori_loop(0, jnp.count_nonzero(factors), add, jnp.zeros(self.shape, dtype))
        return jnp.sqrt(2 * (self.t1 - self.t0).astype(dtype) / self.kappa) * W

    def _place(self, t: Array) -> Array:
        """The time as a whole number of 2^-BITS parts of the span."""
        count = 2.0 ** BITS[self.kappa.dtype]
        part = (jax.lax.stop_gradient(jnp.asarray(t)).astype(jnp.float64) - self.t0) / (self.t1 - self.t0)
        return jnp.round(jnp.clip(part, 0, 1) * count).astype(jnp.int64)


def _difference(start: Array, end: Array, bits: int) -> tuple[Array, Array]:
    """Nodes and factors with B(end) - B(start) = sum of factor * normal(node), B a Brownian motion on [0, 1].

    Node 0 is B(1); node 2^l + k displaces the middle of the cell [k, k+1] 2^-l, by a tent of height 2^(-l/2) / 2. In
    the last level the tent is an arch of the standard deviation of a Brownian bridge, which makes the law exact for
    all times in different cells: cells are smaller than the step.
    """
    step = jnp.maximum(end - start, 1) / 2.0**bits
    # rounded, so that equal steps with other rounding get one level; more than log2(1/step), so that cells are smaller
    last = jnp.clip(jnp.round(-jnp.log2(step)).astype(int) + 1, LEVEL, min(LARGEST_LEVEL, bits))
    levels = jnp.arange(min(LARGEST_LEVEL, bits) + 1)

    def factors(place: Array) -> tuple[Array, Array]:
        size = jnp.left_shift(1, bits - levels)
        cell, rest = place // size, place % size
        f = rest / size
        tent = jnp.where(levels < last, jnp.minimum(f, 1 - f), jnp.sqrt(f * (1 - f)))
        return jnp.left_shift(1, levels) + cell, jnp.where(levels <= last, tent * 2.0 ** (-levels / 2), 0)

    (first_nodes, first), (nodes, second) = factors(start), factors(end)
    is_same = first_nodes == nodes
    whole = (end - start) / 2.0**bits
    return (
        jnp.concatenate([jnp.zeros(1, int), nodes, first_nodes]),
        jnp.concatenate([whole[None], second - jnp.where(is_same, first, 0), jnp.where(is_same, 0, -first)]),
    )
