"""Tokens as a flow: the state is their points, and the right-hand side the velocity of the model."""

from __future__ import annotations

from collections.abc import Callable

import jax.numpy as jnp
from jax import Array

from tokenfield.flows.endings import BlowUp, Ending, Meeting
from tokenfield.flows.flow import Flow
from tokenfield.geometry import Euclidean
from tokenfield.measure import Measure
from tokenfield.model.noise import Path
from tokenfield.model.transformer import Transformer
from tokenfield.sums import Choice


class TokenFlow(Flow):
    """Tokens moving in the measure that they form themselves, along one path of the noise if there is any.

    The state is their points (n, d); where radii change, these are one more column.
    """

    tokens: Measure
    path: Path | None = None

    @property
    def start(self) -> Array:
        return self.state(self.tokens)

    def state(self, mu: Measure) -> Array:
        """The state that stands for the measure `mu`."""
        if not self.model.has_radius:
            return mu.points
        radii = jnp.ones_like(mu.points[:, 0]) if mu.radii is None else mu.radii
        return jnp.concatenate([mu.points, radii[:, None]], axis=1)

    def law(self, y: Array) -> Measure:
        if self.model.has_radius:
            return self.tokens.at(y[:, :-1], y[:, -1])
        return self.tokens.at(y, self.tokens.radii)

    def saved(self, y: Array) -> dict[str, Array]:
        mu = self.law(y)
        return {"points": mu.points} | ({} if mu.radii is None or not self.model.has_radius else {"radii": mu.radii})

    def retract(self, y: Array) -> Array:
        """The state brought back to the geometry."""
        if not self.model.has_radius:
            return self.model.geometry.to_manifold(y)
        return jnp.concatenate([self.model.geometry.to_manifold(y[:, :-1]), y[:, -1:]], axis=1)

    def velocity(self, t: Array, y: Array) -> Array:
        """The right-hand side, read at the retracted state."""
        mu = self.law(self.retract(y))
        if not self.model.has_radius:
            return self.model.velocity(t, mu.points, mu)
        turn, growth = self.model.motion(t, mu.points, mu)
        return jnp.concatenate([turn, growth[:, None]], axis=1)

    def field(self, t: Array, y: Array) -> Array:
        """The right-hand side before the projection to the tangent space."""
        mu = self.law(self.retract(y))
        return self.model.field(t, mu.points, mu)

    def kick(self, t0: Array, t1: Array, y: Array) -> Array:
        """What the noise adds between two times to the state `y`, projected there."""
        if self.path is None:
            return jnp.zeros_like(y)
        x = self.retract(y)
        return self.model.geometry.project(x, jnp.broadcast_to(self.path.increment(t0, t1), x.shape))

    def exp(self, y: Array, v: Array) -> Array:
        """The state `y` moved along the geodesics that start with the tangent vectors `v`; radii move straight."""
        geometry = self.model.geometry
        if not self.model.has_radius:
            return geometry.exp(y, v)
        return jnp.concatenate([geometry.exp(y[:, :-1], v[:, :-1]), y[:, -1:] + v[:, -1:]], axis=1)

    def layer(self, t0: Array, t1: Array, y: Array) -> Array:
        """The state after one discrete layer of length t1 - t0."""
        kick = None if self.path is None else self.path.increment(t0, t1)
        return self.state(self.model.layer(t0, self.law(self.retract(y)), step=t1 - t0, kick=kick))

    def with_model(self, model: Transformer) -> TokenFlow:
        return TokenFlow(model, self.tokens, self.path)

    def with_sums(self, choose: Callable[[Transformer, Measure], tuple[Choice, ...]]) -> TokenFlow:
        return self.with_model(self.model.with_sums(choose(self.model, self.tokens)))

    @property
    def described(self) -> str:
        return f"{self.tokens.n} tokens in R^{self.tokens.d}, {self.tokens.points.dtype}"

    @property
    def default_method(self) -> str:
        return "tsit5" if self.model.noise is None else "heun"

    @property
    def abilities(self) -> frozenset[str]:
        return frozenset({"fixed-step", "field", "noise", "halves", "layer"})

    @property
    def work(self) -> float:
        return float(self.tokens.n) ** 2

    @property
    def endings(self) -> tuple[Ending, ...]:
        far = (BlowUp.of(self.tokens.points.dtype),) if isinstance(self.model.geometry, Euclidean) else ()
        meets = any(attention.is_singular for attention in self.model.attentions(0.0))
        return (*far, Meeting.of(self.model, self.tokens)) if meets else far

    @property
    def can_blow_up(self) -> bool:
        return self.model.can_blow_up

    def halves(self) -> tuple[TokenFlow, TokenFlow]:
        """The flow of the heads alone, and that of the perceptrons and potentials alone."""
        heads, rest = (self.model.only(heads=heads) for heads in (True, False))
        return TokenFlow(heads, self.tokens, self.path), TokenFlow(rest, self.tokens)
