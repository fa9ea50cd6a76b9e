"""Reasons to stop a flow early: consensus, a steady state, a cosine level, a function of yours.

An event is called with (t, measure, model) after each step; the measure may be a `Density` or a `Gaussian`. One that
returns a boolean stops the flow at the end of the first step where it is true; one that returns a number stops it where
the number crosses zero, located on the solver's interpolant.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Iterable
from functools import partial
from typing import Any

import equinox as eqx
import jax.numpy as jnp
from jax import Array

from tokenfield import sums
from tokenfield.errors import InvalidInput, Unsupported
from tokenfield.geometry import Sphere
from tokenfield.laws.density import Density
from tokenfield.laws.gaussian import Gaussian, motion
from tokenfield.laws.moving import MovingDensity
from tokenfield.measure import Measure, is_concrete
from tokenfield.model.numbers import check_number
from tokenfield.model.transformer import Transformer
from tokenfield.observables.cosines import smallest_cosine

Law = Measure | Density | MovingDensity | Gaussian

LEFT_OUT = 1e-6  # the mass of a density that may be elsewhere when it counts as one cluster


def _number(value: Any, *, name: str) -> Array:
    """`value`, checked, as an array: another value is not another compilation."""
    check_number(value, name)
    return jnp.asarray(value)  # as weakly typed as it came: a float32 run stays one


class Event(eqx.Module):
    """A condition that ends a flow; it is called with (t, measure, model) after each step.

    Args:
        name: What the result calls it, by default "event".

    >>> issubclass(Consensus, Event)
    True
    """

    name: str = eqx.field(static=True, kw_only=True, default="event")

    @abstractmethod
    def __call__(self, t: Array, mu: Law, model: Transformer) -> Array:
        """A boolean, or a number whose zero is the event."""


class Consensus(Event):
    """All tokens in one cluster: every token is within half of `delta` of the mean.

    Any two tokens are then within `delta`; `tokenfield.observables.cluster_scale(model)` is a good choice. A density is
    one cluster if all but a millionth of its mass is that near.

    Args:
        delta: The size of the cluster, a positive number: an angle on the sphere, a distance in R^d.
        name: What the result calls it, by default "consensus".

    Raises:
        InvalidInput: If `delta` is not positive.

    >>> from tokenfield import Softmax
    >>> model = Transformer(Sphere(2), Softmax(beta=1.0))
    >>> tokens = Measure([[1.0, 0.0], [0.8, 0.6]])
    >>> bool(Consensus(0.1)(0.0, tokens, model)), bool(Consensus(0.7)(0.0, tokens, model))
    (False, True)
    """

    delta: float = eqx.field(converter=partial(_number, name="Consensus(delta)"))
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
    """A steady state: the fastest token is slower than `speed`. Costs one more evaluation of the velocity per step.

    For densities the root mean square of d_t rho, for Gaussians the Euclidean norm of m' and S', is below `speed`.

    Args:
        speed: A positive number, in units of distance per unit of time.
        name: What the result calls it, by default "steady".

    Raises:
        InvalidInput: If `speed` is not positive.

    >>> from tokenfield import Softmax
    >>> model = Transformer(Sphere(2), Softmax(beta=1.0))
    >>> tokens = Measure([[1.0, 0.0], [0.8, 0.6]])
    >>> bool(Steady(1e-3)(0.0, tokens, model)), bool(Steady(1.0)(0.0, tokens, model))
    (False, True)
    """

    speed: float = eqx.field(converter=partial(_number, name="Steady(speed)"))
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
        velocity = model.velocity(t, mu.points, mu.measure() if isinstance(mu, MovingDensity) else mu)
        return jnp.max(jnp.sum(velocity * velocity, axis=1)) <= self.speed**2


class CosineLevel(Event):
    """The smallest pairwise cosine crosses `level`; located exactly. In d > 2 all pairs are compared at every step.

    Args:
        level: A cosine, a number in [-1, 1].
        name: What the result calls it, by default "cosine-level".

    Raises:
        InvalidInput: If `level` is not a cosine, or when it is asked about tokens that are not on a sphere, or about a
            density.

    >>> from tokenfield import Softmax
    >>> model = Transformer(Sphere(2), Softmax(beta=1.0))
    >>> tokens = Measure([[1.0, 0.0], [0.8, 0.6]])
    >>> half = CosineLevel(0.5)
    >>> round(float(half(0.0, tokens, model)), 12)  # the flow stops where this is 0
    0.3
    """

    level: float = eqx.field(converter=partial(_number, name="CosineLevel(level)"))
    name: str = eqx.field(static=True, kw_only=True, default="cosine-level")

    def __check_init__(self) -> None:
        if is_concrete(self.level) and not -1 <= self.level <= 1:  # type: ignore[arg-type]
            raise InvalidInput(f"CosineLevel(level) needs a cosine in [-1, 1], got {self.level}")

    def __call__(self, t: Array, mu: Law, model: Transformer) -> Array:
        if not isinstance(model.geometry, Sphere):
            raise InvalidInput("CosineLevel is for tokens on a sphere")
        if not isinstance(mu, Measure):
            raise InvalidInput("CosineLevel is for tokens: a density has all cosines at all times")
        # interpolants leave the sphere by rounding: normalize, or cosines would exceed 1
        x = model.geometry.to_manifold(mu.points)
        if mu.d == 2:
            return smallest_cosine(mu.at(x)) - self.level
        return -jnp.max(sums.largest(-x, x)) - self.level


class When(Event):
    """A condition of yours.

    Args:
        function: A function of (t, measure, model) that JAX can trace. A boolean ends the flow after the first step
            where it is true, a number where it crosses zero.
        name: What the result calls it, by default "event".

    >>> half = When(lambda t, mu, model: t - 0.5, name="half")
    >>> float(half(0.75, None, None))  # the flow stops where this is 0
    0.25
    """

    function: Callable[[Array, Law, Transformer], Array] = eqx.field(static=True)

    def __call__(self, t: Array, mu: Law, model: Transformer) -> Array:
        return jnp.asarray(self.function(t, mu, model))


def as_events(events: Any) -> tuple[Event, ...]:
    """The events that `solve(events=...)` was given.

    Args:
        events: One event or several, or plain functions of (t, measure, model).

    Returns:
        A tuple of events; a function becomes a `When` of its name.

    Raises:
        InvalidInput: If one of them cannot be called.

    >>> [event.name for event in as_events([Consensus(0.1), Steady(1e-3)])]
    ['consensus', 'steady']
    """
    if isinstance(events, Event) or callable(events):
        events = (events,)
    if isinstance(events, str) or not isinstance(events, Iterable):
        raise InvalidInput(f"events are functions of (t, measure, model), or of tokenfield.events, got {events!r}")
    events = tuple(events)
    for event in events:
        if not (isinstance(event, Event) or callable(event)):
            raise InvalidInput(f"an event must be callable with (t, measure, model), got {event!r}")
    return tuple(
        event if isinstance(event, Event) else When(event, name=getattr(event, "__name__", "event")) for event in events
    )


def _check_positive(value: float, name: str) -> None:
    if is_concrete(value) and not value > 0:  # type: ignore[arg-type]
        raise InvalidInput(f"{name} needs a positive number, got {value}")
