"""`Sinkhorn`: attention weights that are doubly stochastic, by alternate normalization of rows and columns.

In the log domain, with two potentials of length n; every pass is a sum of `tokenfield.sums`, so memory stays O(n).
"""

from __future__ import annotations

from typing import ClassVar

import equinox as eqx
import equinox.internal as eqxi
import jax
import jax.numpy as jnp
from jax import Array, lax

from tokenfield import sums
from tokenfield.attention import (
    Attention,
    Projected,
    check_beta,
    check_tolerance,
    features_of_distance,
)
from tokenfield.errors import InvalidInput, did_you_mean
from tokenfield.sums import Attended, Band
from tokenfield.sums.band import decay, seen

KERNELS = ("dot", "l2")


class Sinkhorn(Attention):
    """Doubly stochastic attention: int k(x, y) y dmu(y), k = e^{f(x) + g(y)} k0(x, y) (Sinkformers, arXiv 2110.11773).

    k0 = e^{beta <Qx, Ky>}, or e^{-beta |Qx - Ky|^2} with `kernel="l2"`. One sweep normalizes the rows, the next the
    columns, and so on: `sweeps=1` is softmax. Without `sweeps`, rows and columns alternate until row sums differ from
    1 by less than `tolerance` (at most `max_sweeps`), and a last normalization makes the rows exact. At other points
    than those of mu, f is the continuation that makes the row sum 1.

    With positions, each query sees the doubly stochastic scaling of its own part of the measure: for a causal mask,
    that of its prefix. (Masking the kernel first would let tokens see the future through the column sums, and tends
    to the identity, the only doubly stochastic triangular matrix.) That takes n scalings: O(n^3) time, O(n) memory.
    """

    is_average: ClassVar[bool] = True

    beta: Array = eqx.field(converter=check_beta)
    sweeps: int | None = eqx.field(static=True, default=None)
    kernel: str = eqx.field(static=True, default="dot", kw_only=True)
    tolerance: Array = eqx.field(converter=check_tolerance, default=1e-10, kw_only=True)
    max_sweeps: int = eqx.field(static=True, default=1000, kw_only=True)

    def __check_init__(self) -> None:
        if self.kernel not in KERNELS:
            raise InvalidInput(f"unknown kernel {self.kernel!r}{did_you_mean(str(self.kernel), KERNELS)}")
        for name, value in (("sweeps", self.sweeps), ("max_sweeps", self.max_sweeps)):
            if value is not None and (isinstance(value, bool) or not isinstance(value, int) or value < 1):
                raise InvalidInput(f"{name} must be a whole number >= 1, got {value!r}")

    def attend(self, projected: Projected, values: Array) -> Attended:
        if projected.band is None:
            return self._attend(projected, values)
        band = projected.band

        def one(query: Array, position: Array) -> Attended:
            weights = projected.weights * _seen_weights(band._replace(queries=position[None]), values.dtype)
            total = jnp.sum(weights)
            alone = projected._replace(
                queries=query[None], weights=weights / jnp.where(total > 0, total, 1.0), band=None
            )
            attended = self._attend(alone, values)
            return Attended(attended.log_sum[0], jnp.where(total > 0, attended.mean[0], 0.0))

        return lax.map(lambda pair: one(*pair), (projected.queries, band.queries))

    def combine(self, attended: Attended) -> Array:
        # after an even number of sweeps the columns sum to one and the rows only nearly: log_sum knows by how much
        return attended.mean if self._ends_with_rows else jnp.exp(attended.log_sum)[:, None] * attended.mean

    def mass(self, attended: Attended) -> Array:
        return jnp.ones_like(attended.log_sum) if self._ends_with_rows else jnp.exp(attended.log_sum)

    @property
    def _ends_with_rows(self) -> bool:
        return self.sweeps is None or self.sweeps % 2 == 1

    def _attend(self, projected: Projected, values: Array) -> Attended:
        rows = self._pairs(projected)
        f, g, g_before = self._potentials(projected)
        attended = rows.attend(g, values)
        if self._ends_with_rows:
            return attended
        # the last row potential, at the queries: known if these are the tokens themselves
        at_queries = f if projected.queries is projected.own else -rows.log_sums(g_before)
        return attended._replace(log_sum=attended.log_sum + at_queries)

    def potentials(self, projected: Projected) -> tuple[Array, Array]:
        """The potentials f, g (n,) on the tokens of the measure: k = e^{f_i + g_j} k0 has unit row and column sums."""
        f, g, _ = self._potentials(projected)
        return (-self._pairs(projected._replace(queries=projected.own)).log_sums(g) if self._ends_with_rows else f), g

    def _potentials(self, projected: Projected) -> tuple[Array, Array, Array]:
        """f, g and the g before it, such that one more normalization of rows (or none, if even) is left to do."""
        own = projected._replace(queries=projected.own, band=None)
        rows, columns = self._pairs(own), self._pairs(own._replace(queries=own.keys, keys=own.queries))
        zero = jnp.zeros_like(projected.weights)

        def both(g: Array) -> tuple[Array, Array]:
            f = -rows.log_sums(g)
            return f, -columns.log_sums(f)

        if self.sweeps is not None:
            f, g, before = zero, zero, zero
            if self.sweeps // 2:
                step = jax.checkpoint(lambda carry, _: ((*both(carry[1]), carry[1]), None))
                (f, g, before), _ = lax.scan(step, (f, g, before), length=self.sweeps // 2)
            return f, g, before
        tolerance = self.tolerance.astype(zero.dtype)
        # float32 row sums cannot agree better than rounding
        tolerance = jnp.maximum(tolerance, 32 * jnp.finfo(zero.dtype).eps)

        def step(carry):
            f_before, g, _ = carry
            f, g_after = both(g)
            # with f_before and g columns sum to one, and rows to e^{f_before - f}
            counts = projected.weights > 0
            error = jnp.max(jnp.where(counts, jnp.abs(jnp.expm1(f_before - f)), 0.0))
            return f, g_after, error

        first = step((zero, zero, jnp.inf))[:2]
        f, g, _ = eqxi.while_loop(
            lambda carry: carry[2] > tolerance,
            step,
            (*first, jnp.asarray(jnp.inf, zero.dtype)),
            max_steps=max(self.max_sweeps // 2, 1),
            kind="checkpointed",
        )
        return f, g, g

    def _pairs(self, projected: Projected) -> _Pairs:
        """The kernel as inner products of features."""
        if self.kernel == "dot":
            q, k = projected.queries, projected.keys
        else:
            q, k = features_of_distance(projected)
        return _Pairs(self.beta.astype(q.dtype) * q, k, projected.weights)

    def energy(self, projected: Projected, *, normalized: bool = False) -> Array:
        """-(1/2 beta) iint k log(k / k0) (arXiv 2110.11773); half of that for the kernel of distances.

        The gradient is the field (of y - x for distances). `normalized` gives e^{2 beta E - beta}, for distances
        e^{4 beta E}: the reciprocal of the number of equal, well separated clusters on the sphere.
        """
        f, g = self.potentials(projected)
        beta = self.beta.astype(f.dtype)
        free = -(projected.weights @ (f + g)) / 2
        if normalized:
            return jnp.exp(2 * free - beta) if self.kernel == "dot" else jnp.exp(2 * free)
        return free / beta if self.kernel == "dot" else free / (2 * beta)

    @property
    def sharpness(self) -> Array | None:
        return self.beta if self.kernel == "dot" else 2 * self.beta


def _seen_weights(band: Band, dtype: jnp.dtype) -> Array:
    """The factors (n,) by which a single query sees the keys."""
    mask = seen(band)
    factors = jnp.ones(band.keys.shape, dtype) if mask is None else mask[0].astype(dtype)
    return factors if band.slope is None else factors * jnp.exp(-decay(band, dtype)[0])


class _Pairs(eqx.Module):
    """A kernel e^{<q_i, k_j>} with weights w_j, to be summed with a potential of the keys."""

    q: Array
    k: Array
    weights: Array

    def attend(self, potential: Array, values: Array) -> Attended:
        # the mean is taken out of the column: its size then stays within what the sums bound beforehand
        level = lax.stop_gradient(self.weights @ potential)
        ones = jnp.ones_like(self.q[:, :1])
        attended = sums.attend(
            jnp.concatenate([self.q, ones], axis=1),
            jnp.concatenate([self.k, (potential - level)[:, None]], axis=1),
            values,
            self.weights,
        )
        return attended._replace(log_sum=attended.log_sum + level)

    def log_sums(self, potential: Array) -> Array:
        return self.attend(potential, jnp.zeros((self.k.shape[0], 0), self.k.dtype)).log_sum
