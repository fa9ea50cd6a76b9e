"""Many small systems as one flow: the state is the tokens of all of them in one array, and they share their time steps.

For softmax and unnormalized attention with Q = K = V = I on the sphere. It is what `solve` does to each system under
`vmap`, several times faster, because the sums are those of `tokenfield.sums.systems`.
"""

from __future__ import annotations

from functools import partial
from typing import NamedTuple

import equinox as eqx
import jax
import jax.numpy as jnp
from jax import Array

from tokenfield.flows.flow import Flow
from tokenfield.flows.norms import Norm, find_norm
from tokenfield.model.transformer import Transformer
from tokenfield.sums.systems import Arrangement

ABILITIES = frozenset({"fixed-step", "field", "noise"})  # what methods may ask of this flow, see `Flow.abilities`


class Systems(NamedTuple):
    """The tokens of S systems on the sphere, in one array of the given arrangement."""

    points: Array
    arrangement: Arrangement

    @property
    def cosines(self) -> Array:
        """The cosines (S, n, n) of the tokens of each system."""
        return self.arrangement.cosines(self.points)

    def fraction_above(self, level: float) -> Array:
        """The fraction (S,) of the pairs i != j of each system whose cosine is above `level`."""
        return self.arrangement.fraction_above(self.points, level)

    def are_within(self, cap: float) -> Array:
        """Whether all tokens have a cosine above 1 - cap with the mean of their system: n comparisons each, not n^2."""
        dot, centers = self.arrangement.dot, jnp.mean(self.points, axis=1, keepdims=True)
        return jnp.all(dot(self.points, centers) > (1 - cap) * jnp.sqrt(dot(centers, centers)))


class SystemsFlow(Flow):
    """S systems of n tokens that move by themselves. The state is their tokens, in the given arrangement.

    `model` is that of all systems: each of its arrays has one more axis in front, of length S, as `jax.vmap` over the
    building of a model gives it. With noise, step number k of length `step` adds a normal vector drawn with
    `fold_in(key, k)` for the key of each system, whatever the span of times: steps must be of that length.
    """

    points: Array
    step: Array
    arrangement: Arrangement = eqx.field(static=True)

    @property
    def described(self) -> str:
        return f"many systems at once, {self.points.shape} numbers"

    @property
    def start(self) -> Array:
        return self.points

    def law(self, y: Array) -> Systems:
        return Systems(y, self.arrangement)

    def saved(self, y: Array) -> dict[str, Array]:
        return {"points": self.arrangement.arrange(y)}

    def retract(self, y: Array) -> Array:
        return y / jnp.sqrt(self.arrangement.dot(y, y))

    def velocity(self, t: Array, y: Array) -> Array:
        """The right-hand side, read at the retracted state."""
        x = self.retract(y)
        return self._project(x, self._attention(t, x))

    def field(self, t: Array, y: Array) -> Array:
        """The right-hand side before the projection to the tangent space."""
        return self._attention(t, self.retract(y))

    def _attention(self, t: Array, x: Array) -> Array:
        (head,) = self.model.heads(t)
        beta = self.arrangement.per_system(head.attention.beta)  # type: ignore[attr-defined]
        sums, total = self.arrangement.kernel_sums(x, beta)
        return sums / total if head.attention.is_average else sums * (jnp.exp(beta) / x.shape[1])

    def kick(self, t0: Array, t1: Array, y: Array) -> Array:
        """The noise sqrt(2/kappa) (W(t1) - W(t0)) of the step from t0 to t1, projected at `y`."""
        noise = self.model.noise
        if noise is None:
            return jnp.zeros_like(y)
        k, (n, d) = jnp.round(t0 / self.step).astype(int), (y.shape[1], y.shape[self.arrangement.axis])
        normal = jax.vmap(lambda key: jax.random.normal(jax.random.fold_in(key, k), (n, d), y.dtype))(noise.key)
        scale = self.arrangement.per_system(jnp.sqrt(2 * (t1 - t0) / noise.kappa))
        return self._project(self.retract(y), scale * self.arrangement.arrange(normal))

    def exp(self, y: Array, v: Array) -> Array:
        """The state `y` moved along the geodesics that start with the tangent vectors `v`."""
        angle = jnp.sqrt(self.arrangement.dot(v, v))
        return self.retract(jnp.cos(angle) * y + jnp.sinc(angle / jnp.pi) * v)

    def _project(self, x: Array, v: Array) -> Array:
        return v - self.arrangement.dot(x, v) * x

    def with_model(self, model: Transformer) -> SystemsFlow:
        return SystemsFlow(model, self.points, self.step, self.arrangement)

    def frozen(self, t: Array) -> SystemsFlow:
        return self

    def norm(self, name: str) -> Norm:
        """The largest norm of any system: "rms" is the root mean square over the tokens of each."""
        return partial(_largest_rms, self.arrangement) if name == "rms" else find_norm(name)

    @property
    def default_method(self) -> str:
        return "tsit5" if self.model.noise is None else "heun"

    @property
    def abilities(self) -> frozenset[str]:
        return ABILITIES

    @property
    def work(self) -> float:
        n = self.points.shape[1]
        return float(n * n * (self.points.size // (n * self.points.shape[self.arrangement.axis])))


def _largest_rms(arrangement: Arrangement, y: Array) -> Array:
    return jnp.sqrt(jnp.max(jnp.mean(arrangement.arrange(y * y), axis=(1, 2))))
