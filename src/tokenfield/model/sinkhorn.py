"""`Sinkhorn`: attention weights that are doubly stochastic, by alternate normalization of rows and columns.

In the log domain, with two potentials of length n; every pass is a sum of `tokenfield.sums`, so memory stays O(n). On
the circle and on S^2 every pass is a fast sum, where one was chosen: potentials are weights there.
"""

from __future__ import annotations

from typing import ClassVar

import equinox as eqx
import equinox.internal as eqxi
import jax
import jax.numpy as jnp
from jax import Array, lax

from tokenfield import sums
from tokenfield._runtime.arguments import shown
from tokenfield.errors import InvalidInput, Unsupported, did_you_mean
from tokenfield.model.attention import Attention
from tokenfield.model.matrices import inverse_root, root
from tokenfield.model.numbers import check_beta, check_tolerance
from tokenfield.model.pairs import Pairs, TokenPairs
from tokenfield.model.projected import OnSphere, Projected, among_themselves, features_of_distance, is_fast
from tokenfield.sums import Attended, Band
from tokenfield.sums.band import decay, seen

KERNELS = ("dot", "l2")

# Relaxations of one symmetric sweep u <- u + omega (T(u) - u), T(u) = -log int e^{u(y)} k0(., y) dmu(y). Near the fixed
# point an error in the eigenspace lambda of the attention matrix is multiplied by 1 - omega (1 + lambda); these two are
# the Chebyshev choice for 0 <= lambda <= 1, and shrink it by 17 or more in two sweeps, whatever beta is.
RELAXATIONS = (1 / (1.5 - 0.125**0.5), 1 / (1.5 + 0.125**0.5))


class Sinkhorn(Attention):
    """Doubly stochastic attention: int k(x, y) y dmu(y), k = e^{f(x) + g(y)} k0(x, y) (Sinkformers, arXiv 2110.11773).

    k0 = e^{beta <Qx, Ky>}, or e^{-beta |Qx - Ky|^2} with `kernel="l2"`. One sweep normalizes the rows, the next the
    columns, and so on. If Q^T K is symmetric, sweeps are relaxed, and some 20 are enough for every beta >= 0 and
    positive Q^T K. Otherwise rows and columns alternate, and the sweeps needed grow exponentially with beta. At other
    points than those of mu, f is the continuation that makes the row sum 1.

    With positions, each query sees the doubly stochastic scaling of its own part of the measure: for a causal mask,
    that of its prefix. (Masking the kernel first would let tokens see the future through the column sums, and tends
    to the identity, the only doubly stochastic triangular matrix.) That takes n scalings: O(n^3) time, O(n) memory.

    Args:
        beta: The inverse temperature, one finite number of any sign.
        sweeps: How many sweeps to make; 1 is softmax. By default sweeps go on until row sums differ from 1 by less than
            `tolerance` (or than rounding of the logits allows), and the last one makes the rows exact.
        kernel: "dot" for inner products, the default, or "l2" for distances.
        tolerance: Without `sweeps`, how far row sums may be from 1, by default 1e-10.
        max_sweeps: Without `sweeps`, the most that are made, by default 1000.

    Raises:
        InvalidInput: If a number is out of its range, or the kernel is unknown.

    >>> from tokenfield import Head, Measure
    >>> x = jnp.asarray([[1.0, 0.0], [0.8, 0.6], [0.0, 1.0]])
    >>> matrix = Sinkhorn(3.0).matrix(Head(Sinkhorn(3.0)).project(x, Measure(x)))
    >>> matrix.sum(axis=0).round(9).tolist()  # of columns; those of rows are 1 too
    [1.0, 1.0, 1.0]
    """

    name: ClassVar[str] = "sinkhorn"
    is_average: ClassVar[bool] = True
    is_isotropic: ClassVar[bool] = True
    keeps_gaussians: ClassVar[bool] = True

    beta: Array = eqx.field(converter=check_beta)
    sweeps: int | None = eqx.field(static=True, default=None)
    kernel: str = eqx.field(static=True, default="dot", kw_only=True)
    tolerance: Array = eqx.field(converter=check_tolerance, default=1e-10, kw_only=True)
    max_sweeps: int = eqx.field(static=True, default=1000, kw_only=True)

    def __check_init__(self) -> None:
        if not (isinstance(self.kernel, str) and self.kernel in KERNELS):
            raise InvalidInput(f"unknown kernel {shown(self.kernel)}{did_you_mean(str(self.kernel), KERNELS)}")
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
            # a query that sees nothing is given everything and the result thrown away: no scaling of nothing exists
            weights = jnp.where(total > 0, weights / jnp.where(total > 0, total, 1.0), projected.weights)
            attended = self._attend(projected._replace(queries=query[None], weights=weights, band=None), values)
            return Attended(
                jnp.where(total > 0, attended.log_sum[0], -jnp.inf), jnp.where(total > 0, attended.mean[0], 0.0)
            )

        return lax.map(lambda pair: one(*pair), (projected.queries, band.queries))

    def combine(self, attended: Attended) -> Array:
        # after an even number of sweeps the columns sum to one and the rows only nearly: log_sum knows by how much
        return attended.mean if self._ends_with_rows else jnp.exp(attended.log_sum)[:, None] * attended.mean

    def mass(self, attended: Attended) -> Array:
        return super().mass(attended) if self._ends_with_rows else jnp.exp(attended.log_sum)

    @property
    def _ends_with_rows(self) -> bool:
        return self.sweeps is None or self.sweeps % 2 == 1

    def _attend(self, projected: Projected, values: Array) -> Attended:
        # other values than the tokens, such as the columns of the matrix, are summed directly, with the same potentials
        rows = self._pairs(projected if is_fast(projected.sphere, values) else projected._replace(sphere=None))
        f, g, g_before = self._potentials(projected)
        attended = rows.attend(g, values)
        if self._ends_with_rows:
            return attended
        # the last row potential, at the queries: known if these are the tokens themselves
        at_queries = f if projected.queries is projected.own else -rows.log_sums(g_before)
        return attended._replace(log_sum=attended.log_sum + at_queries)

    def potentials(self, projected: Projected) -> tuple[Array, Array]:
        """The potentials f, g on the tokens of the measure: k = e^{f_i + g_j} k0 has unit row and column sums.

        Args:
            projected: Queries, keys and weights of the tokens, as `Head.project` returns them.

        Returns:
            f and g, each of shape (n,).
        """
        f, g, _ = self._potentials(projected)
        return (-self._pairs(among_themselves(projected)).log_sums(g) if self._ends_with_rows else f), g

    def _potentials(self, projected: Projected) -> tuple[Array, Array, Array]:
        """f, g and the g before it, such that one more normalization of rows (or none, if even) is left to do."""
        own = among_themselves(projected)
        if self.sweeps is None:
            g = self._until_converged(own)
            return g, g, g  # rows come last: nobody asks for f
        rows, columns = self._pairs(own), self._pairs(own, transposed=True)

        def both(carry: tuple[Array, Array, Array], _: None) -> tuple[tuple[Array, Array, Array], None]:
            g = carry[1]
            f = -rows.log_sums(g)
            return (f, -columns.log_sums(f), g), None

        zero = jnp.zeros_like(own.weights)
        if self.sweeps == 1:
            return zero, zero, zero
        return lax.scan(jax.checkpoint(both), (zero, zero, zero), length=self.sweeps // 2)[0]

    def _until_converged(self, own: Projected) -> Array:
        """g after as many steps of two sweeps as the tolerance asks for and `max_sweeps` allows."""
        rows, columns, shift = self._centered(own)
        is_symmetric, (first, second) = rows.is_symmetric, RELAXATIONS

        def step(carry: tuple[Array, Array, Array]) -> tuple[Array, Array, Array]:
            f_before, g, _ = carry
            f = -rows.log_sums(g)
            # with f_before and g columns sum to one, and rows to e^{f_before - f}
            error = _largest_error(f_before - f, rows.weights)
            u = g + first * (f - g)
            g_after = -columns.log_sums(jnp.where(is_symmetric, u, f))  # columns are rows if k0 is symmetric
            # with u on both sides rows and columns sum to e^{u - g_after}; once rows are made exact, columns may be
            # off by twice as much
            error = jnp.where(is_symmetric, 2 * _largest_error(u - g_after, rows.weights), error)
            return f, jnp.where(is_symmetric, u + second * (g_after - u), g_after), error

        # infinite: the first row sums say nothing yet, because columns have not been normalized
        f, unknown = jnp.full_like(shift, jnp.inf), jnp.asarray(jnp.inf, shift.dtype)
        g = jnp.where(is_symmetric, -lax.stop_gradient(rows.diagonal) / 2, shift)
        steps = (self.max_sweeps - 1) // 2  # the sweep that is left to do counts too
        if steps:
            tolerance = jnp.maximum(self.tolerance.astype(g.dtype), rows.rounding)
            f, g, _ = eqxi.while_loop(
                lambda carry: carry[2] > tolerance, step, (f, g, unknown), max_steps=steps, kind="checkpointed"
            )
        return g - shift

    def _centered(self, own: Projected) -> tuple[_Pairs | _FastPairs, _Pairs | _FastPairs, Array]:
        """The kernel e^{beta <Q(x - m), K(y - m)>}, for distances with 2 beta, its transpose, and a shift of its g.

        It differs from k0 by factors of x and of y alone, so that its scaling is the same k; it is symmetric whenever
        Q^T K is, for distances too, and a cloud far from the origin loses no digits. Fast sums need no center.
        """
        if own.sphere is not None:
            fast, transposed = self._fast_pairs(own, False), self._fast_pairs(own, True)
            return fast.without_terms(), transposed.without_terms(), fast.key_term
        mean_q, mean_k = (lax.stop_gradient(own.weights @ a) for a in (own.queries, own.keys))
        q, k, beta = own.queries - mean_q, own.keys - mean_k, self.beta.astype(own.keys.dtype)
        rows = _Pairs((beta if self.kernel == "dot" else 2 * beta) * q, k, own.weights)
        shift = beta * (k @ mean_q)
        if self.kernel == "l2":
            shift = beta * (k @ (2 * (mean_q - mean_k)) - jnp.sum(k * k, axis=1))
        return rows, _Pairs(rows.k, rows.q, rows.weights), shift

    def _pairs(self, projected: Projected, transposed: bool = False) -> _Pairs | _FastPairs:
        """The kernel as inner products of features; `transposed`, rows are its columns (of the tokens themselves)."""
        if projected.sphere is not None:
            return self._fast_pairs(projected, transposed)
        if transposed:
            projected = projected._replace(queries=projected.keys, keys=projected.queries)
        if self.kernel == "dot":
            q, k = projected.queries, projected.keys
        else:
            q, k = features_of_distance(projected)
        return _Pairs(self.beta.astype(q.dtype) * q, k, projected.weights)

    def _fast_pairs(self, projected: Projected, transposed: bool) -> _FastPairs:
        """The same on the circle and on S^2, for fast sums."""
        sphere = projected.sphere
        assert sphere is not None and self.exponent is not None
        queries, keys = (projected.keys, projected.queries) if transposed else (projected.queries, projected.keys)
        beta = self.beta.astype(queries.dtype) * (self.kernel == "l2")
        row_term, key_term = (-beta * jnp.sum(a * a, axis=1) for a in (queries, keys))
        exponent = self.exponent.astype(queries.dtype)
        u, back = (sphere.back, sphere.own) if transposed else (sphere.queries, sphere.back)
        return _FastPairs(exponent * u, exponent * back, sphere, projected.weights, row_term, key_term)

    def energy(self, pairs: Pairs, *, normalized: bool = False) -> Array:
        """-(1/(2 beta)) iint k log(k / k0) (arXiv 2110.11773); half of that for the kernel of distances.

        The gradient is the field (of y - x for distances). `normalized` gives e^{2 beta E - beta}, for distances
        e^{4 beta E}: the reciprocal of the number of equal, well separated clusters on the sphere. At beta = 0 it is
        the limit. For few sweeps, whose flow has no energy, this is the dual value -int (f + g) dmu / (2 beta).

        Args:
            pairs: All pairs of the measure, as one head sees them (`Transformer.pairs`).
            normalized: Whether the energy is scaled to lie in [0, 1]; by default it is not.

        Returns:
            The energy, a scalar.
        """
        assert isinstance(pairs, TokenPairs)  # the scaling is that of a finite measure
        f, g = self.potentials(pairs.projected)
        beta = self.beta.astype(f.dtype)
        free = -(pairs.projected.weights @ (f + g)) / 2
        if normalized:
            return jnp.exp(2 * free - beta) if self.kernel == "dot" else jnp.exp(2 * free)
        safe = jnp.where(beta == 0, 1.0, beta)
        if self.kernel == "dot":
            return jnp.where(beta == 0, pairs.mean_product() / 2, free / safe)
        return jnp.where(beta == 0, -pairs.mean_squared_distance() / 4, free / (2 * safe))

    def energy_formula(self, *, normalized: bool, product: str, distance: str) -> str:
        if self.kernel == "dot":
            return r"e^{2\beta E - \beta}" if normalized else rf"{product} / 2"
        return r"e^{4\beta E}" if normalized else rf"-{distance} / 4"

    def check_gaussian(self) -> None:
        if self.sweeps is not None:
            raise Unsupported("Gaussians follow Sinkhorn attention at its fixed point: leave out sweeps")

    def gaussian_map(self, B: Array, C: Array, mean: Array, covariance: Array) -> tuple[Array, Array]:
        A = self.beta.astype(mean.dtype) * B
        slope = sinkhorn_slope(A if self.kernel == "dot" else 2 * A, covariance)
        return slope, mean - slope @ mean

    @property
    def sharpness(self) -> Array | None:
        return self.beta if self.kernel == "dot" else 2 * self.beta

    @property
    def exponent(self) -> Array | None:
        return self.sharpness

    @property
    def title(self) -> str:
        kernel = ["L2"] if self.kernel == "l2" else []
        sweeps = [] if self.sweeps is None else [f"{self.sweeps} sweep{'s' * (self.sweeps != 1)}"]
        return f"Sinkhorn ({', '.join(kernel + sweeps)})" if kernel or sweeps else "Sinkhorn"


def sinkhorn_slope(A: Array, S: Array) -> Array:
    """The slope G of E[y|x] in the coupling of N(m, S) with itself that has the kernel e^{<A x, y>}.

    It solves G = (S - G S G^T) A. With S^{1/2} A S^{1/2} = U diag(s) W^T, G = S^{1/2} U diag(h) W^T S^{-1/2} and
    h = 2s / (1 + sqrt(1 + 4 s^2)); the order of the factors matters when A and S do not commute (the formula on the
    poster of arXiv 2501.18322 is right only when they do).
    """
    half = root(S)
    B = half @ A @ half
    values, vectors = jnp.linalg.eigh(B.T @ B)
    shrink = 2 / (1 + jnp.sqrt(1 + 4 * jnp.maximum(values, 0.0)))
    H = B @ (vectors * shrink) @ vectors.T
    return half @ H @ inverse_root(S)


def _seen_weights(band: Band, dtype: jnp.dtype) -> Array:
    """The factors (n,) by which a single query sees the keys, up to a common one."""
    mask = seen(band)
    factors = jnp.ones(band.keys.shape, dtype) if mask is None else mask[0].astype(dtype)
    exponents = decay(band, dtype)
    if exponents is None:
        return factors
    # relative to the nearest key that is seen, so that not all of them underflow
    least = jnp.min(jnp.where(factors > 0, exponents[0], jnp.inf))
    return factors * jnp.exp(-jnp.maximum(exponents[0] - jnp.where(least < jnp.inf, least, 0.0), 0.0))


def _largest_error(log_sums: Array, weights: Array) -> Array:
    """The largest |s - 1| over the tokens that weigh something, for sums s given by their logarithm."""
    log_sums = lax.stop_gradient(log_sums)  # it only decides when to stop
    return jnp.max(jnp.where(weights > 0, jnp.abs(jnp.expm1(log_sums)), 0.0))


class _Pairs(eqx.Module):
    """A kernel e^{<q_i, k_j>} with weights w_j, to be summed with a potential of the keys."""

    q: Array
    k: Array
    weights: Array

    def attend(self, potential: Array, values: Array) -> Attended:
        # tokens that are not seen have weight zero, and must not enter the maximum of a row either
        potential = jnp.where(self.weights > 0, potential, -0.25 * float(jnp.finfo(self.k.dtype).max) ** 0.5)
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

    @property
    def diagonal(self) -> Array:
        """<q_i, k_i> of the tokens themselves."""
        return jnp.sum(self.q * self.k, axis=1)

    @property
    def rounding(self) -> Array:
        """How well row sums can agree with 1: a few units in the last place of the largest logits."""
        q, k = self._counted
        size = jnp.sum(jnp.max(jnp.abs(q), axis=0) * jnp.max(jnp.abs(k), axis=0))
        return (32 + 4 * size) * jnp.finfo(q.dtype).eps

    @property
    def is_symmetric(self) -> Array:
        """Whether <q_i, k_j> = <q_j, k_i> up to rounding, from one product of each matrix with a vector."""
        q, k = self._counted
        v = jnp.cos(jnp.arange(q.shape[0], dtype=q.dtype))  # in the kernel of no difference but by accident
        size = jnp.max(jnp.abs(q) @ (jnp.abs(k).T @ jnp.abs(v)))
        return jnp.max(jnp.abs(q @ (k.T @ v) - k @ (q.T @ v))) <= 64 * jnp.finfo(q.dtype).eps * size

    @property
    def _counted(self) -> tuple[Array, Array]:
        """q and k, as many of them, without gradients and with zeros for tokens of weight zero (those not seen)."""
        counts = (self.weights > 0)[:, None]
        return lax.stop_gradient((jnp.where(counts, self.q, 0.0), jnp.where(counts, self.k, 0.0)))


class _FastPairs(eqx.Module):
    """A kernel e^{<u_i, y_j> + row_i + key_j} with weights w_j and tokens y_j on the circle or S^2, as `_Pairs`.

    `back` are the vectors u of the transposed kernel. A potential of the keys multiplies their weights: fast sums take
    weights over many orders of magnitude, and sum directly where these cost too many digits.
    """

    queries: Array
    back: Array
    sphere: OnSphere
    weights: Array
    row_term: Array
    key_term: Array

    def without_terms(self) -> _FastPairs:
        zeros = jnp.zeros_like(self.row_term), jnp.zeros_like(self.key_term)
        return _FastPairs(self.queries, self.back, self.sphere, self.weights, *zeros)

    def attend(self, potential: Array, values: Array) -> Attended:
        potential = potential + self.key_term
        level = lax.stop_gradient(jnp.max(jnp.where(self.weights > 0, potential, -jnp.inf)))
        weights = self.weights * jnp.exp(jnp.where(self.weights > 0, potential - level, 0.0))
        attended = sums.attend_on_sphere(self.queries, self.sphere.points, weights, self.sphere.expansion)
        gain = 1.0 if self.sphere.gain is None else self.sphere.gain.astype(values.dtype)
        mean = (attended.mean * gain)[:, : values.shape[1]]
        return Attended(attended.log_sum + level + self.row_term, mean)

    def log_sums(self, potential: Array) -> Array:
        return self.attend(potential, self.sphere.points[:, :0]).log_sum

    @property
    def diagonal(self) -> Array:
        """<u_i, y_i> of the tokens themselves."""
        return jnp.sum(self.queries * self.sphere.points, axis=1)

    @property
    def rounding(self) -> Array:
        """How well row sums can agree with 1: as well as the fast sums do."""
        size = jnp.sqrt(jnp.max(jnp.sum(lax.stop_gradient(self.queries) ** 2, axis=1)))
        expansion = self.sphere.expansion
        tolerance = (expansion if isinstance(expansion, sums.Expansion) else expansion[0]).tolerance
        return jnp.maximum((32 + 4 * size) * jnp.finfo(size.dtype).eps, tolerance)

    @property
    def is_symmetric(self) -> Array:
        """Whether the transposed kernel is the same, up to rounding."""
        queries, back = lax.stop_gradient((self.queries, self.back))
        size = jnp.max(jnp.abs(queries))
        return jnp.max(jnp.abs(queries - back)) <= 64 * jnp.finfo(size.dtype).eps * size
