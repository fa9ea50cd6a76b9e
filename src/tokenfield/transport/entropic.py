"""Entropic optimal transport by ott-jax: the solver behind `tokenfield.transport.sinkhorn_divergence`.

Arrays in, arrays out; no measures, no checks. Only tiles of the cost exist, so memory is O(n + m).
"""

from __future__ import annotations

import functools
from typing import Any

import jax
import jax.numpy as jnp
from jax import Array, lax
from ott.geometry import costs, pointcloud
from ott.problems.linear.linear_problem import LinearProblem
from ott.solvers.linear.acceleration import Momentum
from ott.solvers.linear.sinkhorn import Sinkhorn

TILE = 256
# sweeps are over-relaxed (arXiv 2012.12562): 2 to 4 times fewer than plain ones. At 1.8, and with ott's adaptive
# momentum, some measured problems overflowed or went round in circles; at 1.5 none did
RELAXATION = 1.5


@jax.tree_util.register_pytree_node_class
class Power(costs.CostFn):
    """The cost distance(x, y)^p, with angles as distances on the sphere.

    Args:
        is_sphere: whether points are unit vectors and distances angles.
        p: the power, >= 1.

    >>> import jax.numpy as jnp
    >>> Power(False, 2.0).all_pairs(jnp.array([[0.0, 0.0]]), jnp.array([[3.0, 4.0]])).tolist()
    [[25.0]]
    """

    def __init__(self, is_sphere: bool, p: float):
        self.is_sphere, self.p = is_sphere, p

    def __call__(self, x: Array, y: Array) -> Any:
        return self.all_pairs(x[None], y[None])[0, 0]

    def all_pairs(self, x: Array, y: Array) -> Array:
        """The costs of all pairs.

        Args:
            x: points, shape (r, d).
            y: points, shape (m, d).

        Returns:
            Costs, shape (r, m).
        """
        products = x @ y.T
        if self.is_sphere:
            return jnp.arccos(jnp.clip(products, -1.0, 1.0)) ** self.p
        squares = jnp.sum(x * x, axis=1)[:, None] + jnp.sum(y * y, axis=1) - 2 * products
        return jnp.maximum(squares, 0.0) ** (self.p / 2)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Power) and (self.is_sphere, self.p) == (other.is_sphere, other.p)

    def __hash__(self) -> int:
        return hash((self.is_sphere, self.p))

    def tree_flatten(self) -> tuple[tuple[()], tuple[bool, float]]:
        return (), (self.is_sphere, self.p)

    @classmethod
    def tree_unflatten(cls, aux_data: Any, children: Any) -> Power:
        return cls(*aux_data)


@jax.tree_util.register_pytree_node_class
class Tiled(pointcloud.PointCloud):
    """A point cloud of ott whose sums go in tiles of rows: those of ott 0.6.0 call a function that JAX 0.10 removed."""

    def apply_lse_kernel(self, f: Array, g: Array, eps: Any, vec: Any = None, axis: int = 0) -> tuple[Array, Array]:
        """The sums eps log sum_j e^{(g_j - c_ij) / eps} for each row i, or the same with f for each column j.

        Args:
            f: the potential of the rows, shape (n,).
            g: the potential of the columns, shape (m,).
            eps: the strength of the entropy.
            vec: not used here; ott's interface has it.
            axis: 1 for one sum in each row, 0 for one in each column; by default 0.

        Returns:
            The sums, and their signs, which are all 1; shape (n,) or (m,).
        """
        rows, columns, potential = (self.x, self.y, g) if axis == 1 else (self.y, self.x, f)

        def row(x_i: Array) -> Array:
            return eps * jax.nn.logsumexp((potential - self.cost_fn.all_pairs(x_i[None], columns)[0]) / eps)

        sums = lax.map(row, rows, batch_size=min(self._batch_size or TILE, rows.shape[0]))
        return sums, jnp.ones_like(sums)


@functools.partial(jax.jit, static_argnames=("cost", "batch_size"))
def mean_cost(x: Array, a: Array, y: Array, b: Array, cost: Power, batch_size: int) -> Array:
    """The mean cost sum_ij a_i b_j c(x_i, y_j).

    Args:
        x: points, shape (n, d).
        a: their weights, shape (n,), of sum 1.
        y: points, shape (m, d).
        b: their weights, shape (m,), of sum 1.
        cost: the cost c.
        batch_size: how many rows of the cost exist at a time.

    Returns:
        A scalar.

    >>> import jax.numpy as jnp
    >>> x, one = jnp.array([[3.0, 4.0]]), jnp.ones(1)
    >>> float(mean_cost(x, one, jnp.zeros((1, 2)), one, Power(False, 1.0), 256))
    5.0
    """
    return a @ lax.map(lambda x_i: cost.all_pairs(x_i[None], y)[0] @ b, x, batch_size=min(batch_size, x.shape[0]))


@functools.partial(jax.jit, static_argnames=("cost", "max_iterations", "batch_size"))
def divergence(
    x: Array,
    a: Array,
    y: Array,
    b: Array,
    epsilon: Any,
    tolerance: Any,
    cost: Power,
    max_iterations: int,
    batch_size: int,
) -> tuple[Array, Array, Array]:
    """The divergence OT(mu, nu) - (OT(mu, mu) + OT(nu, nu)) / 2 (arXiv 1810.08278), and whether it has converged.

    Args:
        x: the points of mu, shape (n, d).
        a: their weights, shape (n,), of sum 1.
        y: the points of nu, shape (m, d).
        b: their weights, shape (m,), of sum 1.
        epsilon: the strength of the entropy. It is traced: another value does not compile again.
        tolerance: the error of the masses at which sweeps end. It is traced too.
        cost: the cost of a pair.
        max_iterations: the largest number of sweeps.
        batch_size: how many rows of the cost exist at a time.

    Returns:
        The divergence, whether all three problems have converged, and the most sweeps of any of them; all scalars.
    """

    def solve(x: Array, a: Array, y: Array, b: Array, init: tuple[Array, Array] | None = None) -> Any:
        cloud = Tiled(x, y, cost_fn=cost, epsilon=epsilon, batch_size=batch_size)
        is_symmetric = init is None
        solver = Sinkhorn(
            threshold=tolerance,
            max_iterations=max_iterations,
            # a symmetric problem is solved by averaging old and new potential, in some ten sweeps (arXiv 1810.08278)
            momentum=Momentum(start=0, value=0.5 if is_symmetric else RELAXATION),  # type: ignore[call-arg]
            parallel_dual_updates=is_symmetric,
        )
        return solver(LinearProblem(cloud, a, b), init=init)

    own_x, own_y = solve(x, a, x, a), solve(y, b, y, b)
    # from these potentials few sweeps are needed if mu and nu are near, and none, with divergence 0, if they are equal
    cross = solve(x, a, y, b, init=(own_x.f, own_y.g))
    value = cross.reg_ot_cost - (own_x.reg_ot_cost + own_y.reg_ot_cost) / 2
    solved = (cross, own_x, own_y)
    # ott's own flag is also set when an infinite error ends the sweeps; errors not recorded are -1
    errors = jnp.stack([jnp.min(jnp.where(out.errors >= 0, out.errors, jnp.inf)) for out in solved])
    sweeps = jnp.max(jnp.stack([out.n_iters for out in solved]))
    return value, jnp.all(errors < tolerance), sweeps
