"""Zonal densities: laws on S^{d-1}, 3 <= d <= 1024, that are symmetric about the axis e_1.

`Zonal` holds such a density as a function of t = <x, e_1> at Gauss-Gegenbauer nodes and moves it in the weak form, so
that mass is kept to rounding. A query sees of a token its part along the axis, its part beside the axis towards the
query, and the length of the rest: attention is that of a reduced model on S^2, for every smooth isotropic kind.
"""

from __future__ import annotations

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import scipy
from jax import Array
from jax.typing import DTypeLike

from tokenfield._runtime.arguments import shown
from tokenfield._runtime.memory import require_numbers
from tokenfield.errors import InvalidInput, Unsupported
from tokenfield.geometry import Sphere
from tokenfield.laws.field import Kernel, velocity_by_convolution, velocity_by_quadrature
from tokenfield.laws.grid import EMPTY, Grid, nodes_as_measure
from tokenfield.laws.grids.circle import TAIL
from tokenfield.measure import is_concrete, is_whole
from tokenfield.model.matrices import product, transposed
from tokenfield.model.pairs import Pairs, TokenPairs
from tokenfield.model.parts import Head
from tokenfield.model.schedule import Constant, PerLayer
from tokenfield.model.transformer import Transformer

LARGEST_D = 1024
FEWEST = 8
SYMMETRIC = 1e-9  # matrices may differ from axis-symmetric ones by this much of their largest entry
UNEVEN = 1e-7  # the relative error of the kernel's mean over the uniform law at which a grid is too coarse
LIGHTEST = 1e-280  # weights of nodes below this would underflow


class Zonal(Grid):
    """Nodes t_j in (-1, 1) for densities on S^{d-1} that depend on t = <x, e_1> alone; exact to degree 2m - 1.

    The basis is that of the zonal harmonics of degree < m, orthonormal under the uniform law. A law that has moved
    x_0 standard deviations 1/sqrt(d) away from the uniform one has degrees up to some e x_0^2: in high dimension a
    density is resolved near the uniform law only, and a flow that leaves it ends as under-resolved. The kernel must be
    resolved too, which takes about m = 2 + 4 sqrt(beta) nodes, or beta^2/d where that is more.

    Args:
        d: The dimension of the space, 3 <= d <= 1024; for d = 2 use `Fourier`.
        m: The number of nodes, at least 8, and not so many that weights underflow.

    Raises:
        InvalidInput: If d or m is out of its range.

    >>> grid = Zonal(3, 16)
    >>> round(float(grid.weights @ grid.nodes**2), 12)
    0.333333333333
    """

    dimension: int = eqx.field(static=True)
    size: int = eqx.field(static=True)
    nodes: Array  # t_j, (m,), increasing
    roots: Array  # sqrt of the weights, (m,)
    basis: Array  # roots_j p_k(t_j), (m, m), an orthogonal matrix
    slopes: Array  # roots_j sqrt(1 - t_j^2) p_k'(t_j) / sqrt(k(k + d - 2)), (m, m); orthonormal columns but the first
    at_pole: Array  # p_k(1), (m,): the root of the number of harmonics of degree k
    around: Array  # nodes of the law of one coordinate on S^{d-2}, (q,)
    around_weights: Array
    edges: Array  # of the cells whose mass under the uniform law is the weight of the node inside, (m + 1,)

    def __init__(self, d: int, m: int):
        self.dimension, self.size = _check_dimension(d), _check_count(m)
        t, roots = _gauss(self.dimension, self.size)
        if float(roots.min()) ** 2 < LIGHTEST:
            raise InvalidInput(f"{m} zonal nodes at d = {d} reach where the uniform law has no mass: take fewer")
        starts = roots * np.sqrt((1 - t**2) * self.dimension / (self.dimension - 1))
        # sqrt(1 - t^2) p_k' is, up to a factor, the polynomial of degree k - 1 of the sphere with two more dimensions
        slopes = _polynomials(t, self.dimension + 2, self.size - 1, starts)
        w, w_roots = _gauss(self.dimension - 1, self.size // 2 + 8)
        self.nodes, self.roots = jnp.asarray(t), jnp.asarray(roots)
        self.basis = jnp.asarray(_polynomials(t, self.dimension, self.size, roots))
        self.slopes = jnp.asarray(np.concatenate([np.zeros((self.size, 1)), slopes], axis=1))
        self.at_pole = jnp.asarray(_polynomials(np.ones(1), self.dimension, self.size, np.ones(1))[0])
        self.around, self.around_weights = jnp.asarray(w), jnp.asarray(w_roots**2)
        self.edges = jnp.asarray(_edges(self.dimension, roots**2))

    @property
    def geometry(self) -> Sphere:
        return Sphere(self.dimension)

    @property
    def weights(self) -> Array:
        return self.roots**2

    @property
    def points(self) -> Array:
        rest = jnp.zeros((self.size, self.dimension - 3), self.nodes.dtype)
        return jnp.concatenate([self._queries(self.nodes.dtype), rest], axis=1)

    @property
    def is_orbit(self) -> bool:
        return True

    def _queries(self, dtype: DTypeLike) -> Array:
        """(t, sqrt(1 - t^2), 0) at the nodes, (m, 3)."""
        return jnp.stack([self.nodes, jnp.sqrt(1 - self.nodes**2), 0 * self.nodes], axis=1).astype(dtype)

    def check(self, model: Transformer) -> None:
        super().check(model)
        if model.has_sublayers:
            raise Unsupported("zonal densities follow bare heads: norms and weights of real blocks break the symmetry")
        if model.token_wise(0.0):
            raise Unsupported("zonal densities follow attention alone: a perceptron or potential breaks the symmetry")
        if model.normalization is not None and model.normalization.gain is not None:
            raise Unsupported("a gain per coordinate breaks the symmetry of zonal densities: leave it out")
        for head in (part for part in model.schedule.shapes() if isinstance(part, Head)):
            kind, name = head.attention, type(head.attention).__name__
            if not (kind.is_isotropic and kind.is_smooth):
                raise Unsupported(
                    f"{name} attention is more than a smooth function of inner products: zonal densities take "
                    "Softmax, Unnormalized, Sigmoid, Linear, and L2 with Q = K = I; or use tokens"
                )
            kernel = kind.pair_kernel
            if kernel is not None and kernel.of_distance and not (head.Q is None and head.K is None):
                raise Unsupported(f"zonal densities take {name} attention with Q = K = I only")
        _check_matrices(model)
        for head in model.heads(0.0):
            self._check_kernel(head)

    def _check_kernel(self, head: Head) -> None:
        """Raises `InvalidInput` unless int e^{beta <x, y>} dsigma(y) comes out the same at all nodes."""
        sharpness, B = head.attention.sharpness, _pair(head.Q, head.K, jnp.float64)
        if sharpness is None or not is_concrete(sharpness) or (B is not None and not is_concrete(B)):
            return
        beta = float(jnp.abs(sharpness)) * (1.0 if B is None else float(jnp.max(jnp.abs(B))))
        x, (points, weights) = np.asarray(self._queries(jnp.float64)), self._seen(jnp.ones(self.size))
        logits = beta * (x @ np.asarray(points).T)
        totals = np.exp(logits - logits.max()) @ np.asarray(weights)
        spread = np.sqrt(np.asarray(self.weights) @ (totals / (np.asarray(self.weights) @ totals) - 1) ** 2)
        if not spread < UNEVEN:
            raise InvalidInput(f"{self.size} zonal nodes do not resolve the kernel at beta = {beta:g}: take more nodes")

    # --- motion -----------------------------------------------------------------------------------------------------

    def velocity(self, model: Transformer, t: Array | float, values: Array, *, convolve: bool) -> Array:
        """The velocity <X, e_1> along the axis at the nodes.

        Args:
            model: What moves the density.
            t: The time, that is, the depth.
            values: The density at the nodes, relative to the uniform law, shape (m,).
            convolve: Whether transforms are used instead of quadrature; only right where the kernel sees cosines alone.

        Returns:
            One number for each node, shape (m,).
        """
        reduced, x = _reduced(model, t), self._queries(values.dtype)
        if convolve:
            return velocity_by_convolution(reduced, t, x, x, values, self._convolve)[:, 0]
        points, weights = self._seen(values)
        return velocity_by_quadrature(reduced, t, x, points, weights)[:, 0]

    def advect(self, values: Array, velocity: Array) -> Array:
        # d/dt int rho p_k = int rho t' p_k'(t): nothing at degree 0
        roots = self.roots.astype(values.dtype)
        flux = roots * values * velocity / jnp.sqrt(1 - self.nodes**2).astype(values.dtype)
        rates = jnp.sqrt(self._eigenvalues(values.dtype)) * (flux @ self.slopes.astype(values.dtype))
        return self._at_nodes(rates)

    def laplacian(self, values: Array) -> Array:
        return self._at_nodes(-self._eigenvalues(values.dtype) * self.coefficients(values))

    def roughness(self, values: Array) -> Array:
        return jnp.max(jnp.abs(self.coefficients(values))[2 * self.size // 3 :]) / TAIL

    def smooth(self, values: Array) -> Array:
        is_kept = jnp.arange(self.size) < self.size // 6  # the flow will steepen what is left
        return self._at_nodes(jnp.where(is_kept, self.coefficients(values), 0.0))

    def sample(self, values: Array, n: int, key: Array) -> Array:
        pick, place, turn = jax.random.split(key, 3)
        totals = jnp.cumsum(jnp.maximum(self.weights * values, 0.0))
        cells = jnp.searchsorted(totals, jax.random.uniform(pick, (n,)) * totals[-1])
        low, high = self.edges[jnp.minimum(cells, self.size - 1)], self.edges[jnp.minimum(cells, self.size - 1) + 1]
        t = (low + (high - low) * jax.random.uniform(place, (n,)))[:, None]
        beside = jax.random.normal(turn, (n, self.dimension - 1))
        beside = beside / jnp.linalg.norm(beside, axis=1, keepdims=True)
        return jnp.concatenate([t, jnp.sqrt(1 - t**2) * beside], axis=1)

    def _seen(self, values: Array) -> tuple[Array, Array]:
        """The law as a query at angle 0 around the axis sees it: points (m q, 3) of S^2 and their masses.

        A token is its part along the axis, its part along the query's other direction, and the length of the rest,
        which no query has a part in.
        """
        x, w = self._queries(values.dtype), self.around.astype(values.dtype)
        beside, rest = x[:, 1, None] * w, x[:, 1, None] * jnp.sqrt(1 - w * w)
        points = jnp.stack([jnp.broadcast_to(x[:, 0, None], beside.shape), beside, rest], axis=2)
        masses = (self.weights.astype(values.dtype) * values)[:, None] * self.around_weights.astype(values.dtype)
        return points.reshape(-1, 3), masses.reshape(-1)

    def _convolve(self, kernel: Kernel, fields: Array) -> Array:
        """int kernel(<x, y>) fields(y) by Funk-Hecke: the axis' part is zonal, the part beside it of order one."""
        roots, basis, slopes = (a.astype(fields.dtype) for a in (self.roots, self.basis, self.slopes))
        multipliers = ((roots * kernel(self.nodes.astype(fields.dtype))) @ basis) / self.at_pole.astype(fields.dtype)
        scaled = roots[:, None] * fields
        along, beside = basis.T @ scaled[:, :2], slopes.T @ scaled[:, 2:]
        sums = [basis @ (multipliers[:, None] * along), slopes @ (multipliers[:, None] * beside)]
        return jnp.concatenate(sums, axis=1) / roots[:, None]

    def _eigenvalues(self, dtype: jnp.dtype) -> Array:
        """k(k + d - 2), (m,)."""
        k = jnp.arange(self.size, dtype=dtype)
        return k * (k + self.dimension - 2)

    def _at_nodes(self, coefficients: Array) -> Array:
        dtype = coefficients.dtype
        return (self.basis.astype(dtype) @ coefficients) / self.roots.astype(dtype)

    # --- diagnostics --------------------------------------------------------------------------------------------------

    def coefficients(self, values: Array) -> Array:
        """The coefficients in the zonal harmonics that are orthonormal under the uniform law.

        Args:
            values: The density at the nodes, relative to the uniform law, shape (m,).

        Returns:
            The coefficients from degree 0 on, shape (m,).
        """
        return (self.roots.astype(values.dtype) * values) @ self.basis.astype(values.dtype)

    def spectrum(self, values: Array) -> Array:
        """int C_k(<x, e_1>) dmu for k < m, where C_k is the zonal harmonic with C_k(1) = 1 (Legendre for d = 3).

        Degree 0 is the mass, degree 1 the mean along the axis. A Dirac at e_1 has 1 at every degree, the uniform law
        0 at all but the first.

        Args:
            values: The density at the nodes, relative to the uniform law, shape (m,).

        Returns:
            The numbers from degree 0 on, shape (m,).
        """
        return self.coefficients(values) / self.at_pole.astype(values.dtype)

    def power(self, values: Array) -> Array:
        return self.coefficients(values) ** 2

    def eigenvalues(self, kernel: Kernel) -> Array:
        dtype = self.nodes.dtype
        return ((self.roots * kernel(self.nodes)) @ self.basis).astype(dtype) / self.at_pole

    def pairs(self, model: Transformer, t: Array | float, values: Array) -> tuple[Pairs, ...]:
        """The pairs of a law whose nodes are orbits: queries at angle 0 around the axis, keys all around it.

        Args:
            model: Whose heads look.
            t: The time, that is, the depth.
            values: The density at the nodes, relative to the uniform law, shape (m,).

        Returns:
            The pairs of each head.
        """
        if not model.heads(t):
            return ()
        dtype = values.dtype
        x, masses = self._queries(dtype), jnp.maximum(self.weights.astype(dtype) * values, EMPTY)
        points, weights = self._seen(values)
        seen = _reduced(model, t).projected(t, x, nodes_as_measure(points, jnp.maximum(weights, EMPTY)))
        return tuple(TokenPairs(p._replace(own=p.queries), masses) for p in seen)


# --- the reduced model on S^2 -----------------------------------------------------------------------------------------


def _reduced(model: Transformer, t: Array | float) -> Transformer:
    """`model` at time `t` on S^2, where axis-symmetric matrices are diagonal: see `Zonal._seen`."""
    heads = []
    for head in model.heads(t):
        B, V = _pair(head.Q, head.K, jnp.float64), _values(head, jnp.float64)
        along, beside = jnp.ones(2) if V is None else V
        Q = None if B is None else jnp.diag(B[np.array([0, 1, 1])])
        # what a query has no part in cancels around the axis: only its length counts, in distances
        heads.append(Head(head.attention, Q=Q, V=jnp.diag(jnp.stack([along, beside, jnp.zeros_like(beside)]))))
    return Transformer(
        Sphere(3), heads, normalization=model.normalization, average=model.average, relative=model.relative
    )


def _pair(Q: Array | None, K: Array | None, dtype: jnp.dtype) -> Array | None:
    """(a, b) of Q^T K = a e e^T + b (I - e e^T), or `None` for the identity."""
    if Q is None and K is None:
        return None
    B = product(transposed(Q), K)
    assert B is not None
    return jnp.stack([B[0, 0], B[1, 1]]).astype(dtype)


def _values(head: Head, dtype: jnp.dtype) -> Array | None:
    """(a, b) of O V = a e e^T + b (I - e e^T), or `None` for the identity."""
    OV = product(head.O, head.V)
    return None if OV is None else jnp.stack([OV[0, 0], OV[1, 1]]).astype(dtype)


def _check_matrices(model: Transformer) -> None:
    """Raises `Unsupported` unless Q^T K and O V are axis-symmetric at every depth; skipped inside `jax.jit`."""
    schedule = model.schedule
    if isinstance(schedule, Constant):
        depths = [0.0]
    elif isinstance(schedule, PerLayer):
        depths = [schedule.t1 * layer / schedule.count for layer in range(schedule.count)]
    else:
        shapes = [part for part in schedule.shapes() if isinstance(part, Head)]
        if any(matrix is not None for head in shapes for matrix in (head.Q, head.K, head.V, head.O)):
            raise Unsupported(
                f"zonal densities need matrices a e_1 e_1^T + b I, which {type(schedule).__name__} weights cannot be "
                "checked for: use PerLayer"
            )
        return
    for depth in depths:
        for head in model.heads(depth):
            for name, matrix in (
                ("Q^T K", product(transposed(head.Q), head.K)),
                ("V" if head.O is None else "O V", product(head.O, head.V)),
            ):
                if matrix is not None and is_concrete(matrix) and not _is_symmetric(np.asarray(matrix)):
                    raise Unsupported(
                        f"{name} must be a e_1 e_1^T + b (I - e_1 e_1^T) to keep densities zonal: another matrix "
                        "breaks the symmetry about e_1; use tokens, or a density on the circle or on S^2"
                    )


def _is_symmetric(matrix: np.ndarray) -> bool:
    ideal = np.diag(np.concatenate([matrix[:1, 0], np.full(len(matrix) - 1, matrix[1, 1])]))
    return bool(np.abs(matrix - ideal).max() <= SYMMETRIC * max(np.abs(matrix).max(), np.finfo(float).tiny))


# --- polynomials and quadrature ---------------------------------------------------------------------------------------


def _recurrence(d: int, count: int) -> np.ndarray:
    """b_1, ..., b_count of t p_k = b_{k+1} p_{k+1} + b_k p_{k-1}, p_k orthonormal for (1 - t^2)^{(d-3)/2}."""
    k = np.arange(1, count + 1, dtype=float)
    squares = k * (k + d - 3) / np.maximum((2 * k + d - 2) * (2 * k + d - 4), 1e-300)
    squares[:1] = 1 / d  # 0/0 in the formula for d = 2
    return np.sqrt(squares)


def _polynomials(t: np.ndarray, d: int, count: int, first: np.ndarray) -> np.ndarray:
    """first_j p_k(t_j) for k < count, (len(t), count)."""
    b = _recurrence(d, count)
    columns = [first, first * t / b[0]]
    for k in range(1, count - 1):
        columns.append((t * columns[k] - b[k - 1] * columns[k - 1]) / b[k])
    return np.stack(columns[:count], axis=1)


def _gauss(d: int, m: int) -> tuple[np.ndarray, np.ndarray]:
    """Nodes (m,) and square roots of weights of the law of one coordinate on S^{d-1}, exact to degree 2m - 1.

    Golub and Welsch give the nodes. The weights are 1 / sum_k p_k^2, which unlike theirs keeps its digits where it is
    tiny, as it is far out in high dimension.
    """
    b = _recurrence(d, m)
    t = scipy.linalg.eigvalsh_tridiagonal(np.zeros(m), b[: m - 1])
    t = (t - t[::-1]) / 2
    before, now = np.zeros(m), np.ones(m)
    total, log_scale = np.ones(m), np.zeros(m)
    for k in range(m - 1):
        before, now = now, (t * now - (b[k - 1] * before if k else 0.0)) / b[k]
        total = total + now**2
        scale = np.where(total > 1e100, 1e-60, 1.0)  # the polynomials themselves may overflow
        before, now, total, log_scale = before * scale, now * scale, total * scale**2, log_scale + np.log(scale)
    roots = np.exp(log_scale - np.log(total) / 2)
    return t, roots / np.sqrt(np.sum(roots**2))


def _edges(d: int, weights: np.ndarray) -> np.ndarray:
    """-1 = s_0 < ... < s_m = 1 such that the uniform law gives (s_j, s_{j+1}) the weight of node j."""
    # from the left half alone: sums close to 1 have no digits left for what remains
    below = np.cumsum(weights)[: (len(weights) - 1) // 2]
    a = (d - 1) / 2
    left = np.concatenate([[-1.0], 2 * scipy.special.betaincinv(a, a, below) - 1])
    middle = [0.0] if len(weights) % 2 == 0 else []
    return np.concatenate([left, middle, -left[::-1]])


def _check_dimension(d: int) -> int:
    if not is_whole(d) or not 3 <= d <= LARGEST_D:
        hint = ": on the circle use Fourier or Cells" if is_whole(d) and d == 2 else ""
        raise InvalidInput(f"zonal densities need a whole dimension 3 <= d <= {LARGEST_D}, got {shown(d)}{hint}")
    return int(d)


def _check_count(m: int) -> int:
    if not is_whole(m) or m < FEWEST:
        raise InvalidInput(f"a zonal grid needs a whole number of nodes >= {FEWEST}, got {m!r}")
    require_numbers(2 * int(m) ** 2, f"densities of {int(m)} zonal nodes", advice="take fewer nodes")
    return int(m)
