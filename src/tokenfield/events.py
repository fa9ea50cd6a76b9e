"""Reasons to stop a flow early: consensus, a steady state, a cosine level, a function of yours.

An event is called with (t, measure, model) after each step; the measure may be a `Density` or a `Gaussian`. One that
returns a boolean stops the flow at the end of the first step where it is true; one that returns a number stops it where
the number crosses zero, located on the solver's interpolant.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable
from typing import ClassVar

import equinox as eqx
import jax.numpy as jnp
from jax import Array

from tokenfield.errors import InvalidInput, Unsupported
from tokenfield.geometry import Sphere
from tokenfield.meanfield.density import Density
from tokenfield.meanfield.gaussian import Gaussian, motion
from tokenfield.measure import Measure
from tokenfield.model import Transformer
from tokenfield.trajectory import BLEW_UP, UNDER_RESOLVED

Law = Measure | Density | Gaussian

LEFT_OUT = 1e-6  # the mass of a density that may be elsewhere when it counts as one cluster


class Event(eqx.Module):
    """A condition that ends a flow; `name` appears in the result."""

    name: str = eqx.field(static=True, kw_only=True, default="event")

    @abstractmethod
    def __call__(self, t: Array, mu: Law, model: Transformer) -> Array:
        """A boolean, or a number whose zero is the event."""


class Consensus(Event):
    """All tokens in one cluster: every token within angle (in R^d: distance) `delta`/2 of the mean.

    Any two tokens are then within `delta`; `tokenfield.observables.cluster_scale(model)` is a good choice.
    """

    delta: float = eqx.field(converter=jnp.asarray)  # an array: another value is not another compilation
    name: str = eqx.field(static=True, kw_only=True, default="consensus")

    def __check_init__(self) -> None:
        _check_positive(self.delta, "Consensus(delta)")

    def __call__(self, t: Array, mu: Law, model: Transformer) -> Array:
        # The mean of antipodal tokens may vanish: its direction is then NaN, every comparison false, no consensus.
        if isinstance(mu, Gaussian):
            raise Unsupported("a Gaussian always reaches everywhere: use Steady, or a function of its covariance")
        center = model.geometry.to_manifold(mu.mean)
        if isinstance(mu, Density):
            # every node holds some mass, if only by rounding; an orbit is as far from its axis as any point of it
            is_far = model.geometry.distance(mu.grid.points, center) > self.delta / 2
            return jnp.sum(jnp.where(is_far, mu.weights, 0.0)) <= LEFT_OUT
        return jnp.max(model.geometry.distance(mu.points, center)) <= self.delta / 2


class Steady(Event):
    """The fastest token is slower than `speed`. Costs one more evaluation of the velocity per step.

    For densities the root mean square of d_t rho, for Gaussians the Euclidean norm of m' and S', is below `speed`.
    """

    speed: float = eqx.field(converter=jnp.asarray)
    name: str = eqx.field(static=True, kw_only=True, default="steady")

    def __check_init__(self) -> None:
        _check_positive(self.speed, "Steady(speed)")

    def __call__(self, t: Array, mu: Law, model: Transformer) -> Array:
        if isinstance(mu, Density):
            rate = mu.rate(model, t)
            return mu.grid.weights @ (rate * rate) <= self.speed**2
        if isinstance(mu, Gaussian):
            turn, spread = motion(model, t, mu)
            return jnp.sum(turn**2) + jnp.sum(spread**2) <= self.speed**2
        velocity = model.velocity(t, mu.points, mu)
        return jnp.max(jnp.sum(velocity * velocity, axis=1)) <= self.speed**2


class CosineLevel(Event):
    """The smallest pairwise cosine crosses `level`; located exactly. For up to a few thousand tokens (n^2 cosines)."""

    level: float = eqx.field(converter=jnp.asarray)
    name: str = eqx.field(static=True, kw_only=True, default="cosine-level")

    def __call__(self, t: Array, mu: Law, model: Transformer) -> Array:
        if not isinstance(model.geometry, Sphere):
            raise InvalidInput("CosineLevel is for tokens on a sphere")
        if not isinstance(mu, Measure):
            raise InvalidInput("CosineLevel is for tokens: a density has all cosines at all times")
        if mu.n > 4096:
            raise InvalidInput(f"CosineLevel compares all pairs: at most 4096 tokens, got {mu.n}")
        # interpolants leave the sphere by rounding: normalize, or cosines would exceed 1
        x = model.geometry.to_manifold(mu.points)
        return jnp.min(x @ x.T) - self.level


class When(Event):
    """A condition of yours: `function(t, measure, model)` returns a boolean, or a number whose zero is the event."""

    function: Callable[[Array, Law, Transformer], Array] = eqx.field(static=True)

    def __call__(self, t: Array, mu: Law, model: Transformer) -> Array:
        return jnp.asarray(self.function(t, mu, model))


class BuiltIn(Event):
    """An event that `solve` watches by itself because the flow cannot go on; `code` is how the result calls it."""

    code: ClassVar[int]


class BlowUp(BuiltIn):
    """Some coordinate exceeds `size` in absolute value or is not a number. Always watched in R^d."""

    code: ClassVar[int] = BLEW_UP

    size: float = eqx.field(converter=jnp.asarray)
    name: str = eqx.field(static=True, kw_only=True, default="blow-up")

    def __call__(self, t: Array, mu: Law, model: Transformer) -> Array:
        numbers = [mu.mean, mu.covariance] if isinstance(mu, Gaussian) else [mu.points]
        return ~(jnp.max(jnp.stack([jnp.max(jnp.abs(a)) for a in numbers])) <= self.size)


class Unresolved(BuiltIn):
    """The density has become too rough for its grid. Always watched on grids that must not go on then."""

    code: ClassVar[int] = UNDER_RESOLVED

    name: str = eqx.field(static=True, kw_only=True, default="under-resolved")

    def __call__(self, t: Array, mu: Law, model: Transformer) -> Array:
        return ~(mu.grid.roughness(mu.values) <= 1)  # type: ignore[union-attr]


def _check_positive(value: float, name: str) -> None:
    if not value > 0:
        raise InvalidInput(f"{name} needs a positive number, got {value}")
