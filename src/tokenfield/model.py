"""`Transformer`: a geometry and the heads that act on it, as a velocity field and as a residual layer.

The model holds no solver options and no tokens. `velocity` is the right-hand side of the flow in continuous depth;
`layer` is the same model as one discrete residual layer.
"""

from __future__ import annotations

from collections.abc import Sequence

import equinox as eqx
import jax
import jax.numpy as jnp
from jax import Array
from jax.typing import ArrayLike

from tokenfield.attention import Attention, Head, Softmax
from tokenfield.errors import InvalidInput, Unsupported
from tokenfield.geometry import Euclidean, Geometry
from tokenfield.measure import Measure
from tokenfield.schedule import Constant, Heads, Schedule
from tokenfield.sums import Attended, attend
from tokenfield.sums.dense import attention_matrix

# Softmax weights of logits this large are one-hot to rounding, so a larger scale changes nothing but may overflow.
LOG_SCALE_CAP = 69.0


class Transformer(eqx.Module):
    """Self-attention dynamics x_i' = P_{x_i} [sum_h V_h A_h(x_i, mu)] on `geometry` (arXiv 2312.10794).

    `heads` is an attention (one head with Q = K = V = I unless `Q`, `K`, `V` are given), a `Head`, a list of heads, or
    a `Schedule` of heads in depth. Heads are summed, or averaged with `average=True`. With `rescaled=True`, in R^d,
    tokens are z_i = e^{-tV} x_i (arXiv 2305.05465), integrated in z itself.

    >>> from tokenfield.geometry import Sphere
    >>> model = Transformer(Sphere(3), Softmax(beta=9.0))
    >>> model.velocity(0.0, jnp.eye(3), Measure(jnp.eye(3))).shape
    (3, 3)
    """

    geometry: Geometry
    schedule: Schedule
    average: bool = eqx.field(static=True)
    rescaled: bool = eqx.field(static=True)

    def __init__(
        self,
        geometry: Geometry,
        heads: Attention | Head | Sequence[Head] | Schedule,
        *,
        Q: ArrayLike | None = None,
        K: ArrayLike | None = None,
        V: ArrayLike | None = None,
        average: bool = False,
        rescaled: bool = False,
    ):
        if not isinstance(geometry, Geometry):
            raise InvalidInput(f"the first argument must be a geometry such as Sphere(3), got {geometry!r}")
        if isinstance(heads, Attention):
            heads = Head(heads, Q=Q, K=K, V=V)
        elif not (Q is None and K is None and V is None):
            raise InvalidInput("Q, K, V go with a single attention; give each Head its own matrices instead")
        self.geometry = geometry
        self.schedule = heads if isinstance(heads, Schedule) else Constant(heads)
        self.average = average
        self.rescaled = rescaled
        self.schedule.check_dimension(geometry.d)
        if rescaled:
            self._check_rescaled()

    def _check_rescaled(self) -> None:
        if not isinstance(self.geometry, Euclidean):
            raise Unsupported("the rescaled frame z = e^{-tV} x is for R^d: on the sphere tokens cannot grow")
        if not isinstance(self.schedule, Constant) or len(self.schedule.constant) != 1:
            raise Unsupported("the rescaled frame z = e^{-tV} x needs one head whose V does not change with depth")
        if not isinstance(self.schedule.constant[0].attention, Softmax):
            raise Unsupported("the rescaled frame needs attention weights that sum to one: use Softmax")

    def heads(self, t: Array | float) -> Heads:
        """The heads that act at time `t`."""
        return self.schedule.heads(t)

    def attended(self, t: Array | float, x: Array, mu: Measure) -> tuple[Attended, ...]:
        """For each head, the kernel's log-sum-exp and mean at the rows of `x`: one O(n^2) pass."""
        if self.rescaled:
            queries, keys = self._rescaled_projections(t, x, mu)
            return (attend(queries, keys, mu.points, mu.weights),)
        return tuple(head.attend(x, mu) for head in self.heads(t))

    def field(self, t: Array | float, x: Array, mu: Measure) -> Array:
        """The vectors that attention to `mu` adds at the rows of `x` (m, d), not projected to the tangent space."""
        return self.field_of(t, x, self.attended(t, x, mu))

    def field_of(self, t: Array | float, x: Array, attended: tuple[Attended, ...]) -> Array:
        """The field from what `attended` returned."""
        heads = self.heads(t)
        if self.rescaled:
            (head,) = heads
            return head.vector(attended[0]._replace(mean=attended[0].mean - x))
        total = sum((head.vector(a) for head, a in zip(heads, attended, strict=True)), start=jnp.zeros_like(x))
        return total / len(heads) if self.average else total

    def velocity(self, t: Array | float, x: Array, mu: Measure) -> Array:
        """The velocity (m, d) of tokens at the rows of `x` in the measure `mu`: the right-hand side of the flow."""
        return self.geometry.project(x, self.field(t, x, mu))

    def layer(self, t: Array | float, x: Array, mu: Measure, *, step: float) -> Array:
        """The tokens (m, d) after one residual layer: add `step` times attention, then normalize on the sphere."""
        return self.geometry.retract(x, step * self.field(t, x, mu))

    def attention_matrices(self, t: Array | float, mu: Measure) -> Array:
        """The row-stochastic attention matrices (h, n, n) of the tokens among themselves."""
        if self.rescaled:
            queries, keys = self._rescaled_projections(t, mu.points, mu)
            return attention_matrix(queries, keys, mu.weights)[None]
        return jnp.stack([head.attention.matrix(mu.points, mu, head.Q, head.K) for head in self.heads(t)])

    def _rescaled_projections(self, t: Array | float, z: Array, mu: Measure) -> tuple[Array, Array]:
        """Queries beta Q e^{tV} z_i and keys K e^{tV} z_j, with e^{tV} scaled so that nothing overflows."""
        (head,) = self.heads(t)
        growth, log_scale = scaled_exponential(head.V, t, self.geometry.d)
        scale = jnp.exp(jnp.minimum(2 * log_scale, LOG_SCALE_CAP)) * head.attention.beta

        def grow(x: Array, matrix: Array | None) -> Array:
            total = growth if matrix is None else matrix @ growth
            return x @ total.astype(x.dtype).T

        return scale.astype(z.dtype) * grow(z, head.Q), grow(mu.points, head.K)


def scaled_exponential(V: Array | None, t: Array | float, d: int) -> tuple[Array, Array]:
    """(E, s) with e^{tV} = e^s E and max |E_ij| = 1."""
    t = jnp.asarray(t, jnp.float64)
    if V is None:
        return jnp.eye(d), t
    V = V.astype(jnp.float64)
    # the logarithmic norm bounds the growth, so the exponential of t (V - bound I) cannot overflow
    off_diagonal = jnp.sum(jnp.abs(V), axis=1) - jnp.abs(jnp.diagonal(V))
    bound = jnp.max(jnp.diagonal(V) + off_diagonal)
    E = jax.scipy.linalg.expm(t * (V - bound * jnp.eye(d)))
    largest = jnp.max(jnp.abs(E))
    return E / largest, t * bound + jnp.log(largest)
