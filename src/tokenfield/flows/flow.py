"""`Flow`: a model and a way to hold the measure that it moves, as the solver sees it. No solver is known here."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable
from typing import Any

import equinox as eqx
from jax import Array

from tokenfield.errors import Unsupported
from tokenfield.flows.endings import Ending
from tokenfield.flows.norms import Norm, find_norm
from tokenfield.measure import Measure
from tokenfield.model.transformer import Transformer
from tokenfield.sums import Choice


class Flow(eqx.Module):
    """A model and a way to hold the measure that it moves. The state `y` is one array; `law` reads it.

    Only tokens have more than one way to step: `field`, `kick` and `exp` are theirs alone, also in many systems, and
    `layer` and `halves` those of one system; `abilities` says so.
    """

    model: Transformer

    @property
    @abstractmethod
    def start(self) -> Array:
        """The state at the start."""

    @abstractmethod
    def law(self, y: Array) -> Any:
        """The measure, density or Gaussian that the state `y` stands for."""

    @abstractmethod
    def saved(self, y: Array) -> dict[str, Array]:
        """What is kept of the state `y`, by name; `law(start).at(**saved)` gives the law back."""

    @abstractmethod
    def velocity(self, t: Array, y: Array) -> Array:
        """The right-hand side."""

    @abstractmethod
    def with_model(self, model: Transformer) -> Flow:
        """The same flow of another model."""

    @property
    def kind(self) -> str:
        """The state in one word."""
        return type(self).__name__.removesuffix("Flow").lower()

    @property
    @abstractmethod
    def described(self) -> str:
        """The state in words."""

    def with_sums(self, choose: Callable[[Transformer, Measure], tuple[Choice, ...]]) -> Flow:
        """The same flow with the way to sum over tokens settled, as `choose` says, where there are tokens."""
        return self

    def retract(self, y: Array) -> Array:
        """The state brought back to where states live."""
        return y

    def frozen(self, t: Array) -> Flow:
        """The flow with the model of the piece between two jumps that contains `t`."""
        return self.with_model(self.model.frozen(t))

    @property
    def offset(self) -> Array | float:
        """What is added to the solver's times to give those of the model: not 0 where long runs restart their clock."""
        return 0.0

    def time(self, t: Array) -> Array:
        """The time of the model when the solver's is `t`."""
        return t

    def diagnostics(self, y: Array) -> dict[str, Array]:
        """Numbers about the quality of the state that are always saved."""
        return {}

    def largest_step(self, t: Array, y: Array) -> Array:
        """The longest step that keeps the state valid, for methods that ask."""
        raise Unsupported("method 'ssprk3' is for densities on cells of the circle")

    @property
    @abstractmethod
    def default_method(self) -> str:
        """The name of the method that suits this state."""

    @property
    @abstractmethod
    def abilities(self) -> frozenset[str]:
        """What methods may ask of this state beyond its velocity: see `Method.needs`."""

    @property
    @abstractmethod
    def work(self) -> float:
        """The work of one right-hand side, counted in pairs of tokens."""

    @property
    def choices(self) -> tuple[Choice, ...]:
        """How the sums over tokens are computed, for each head; empty if that is not settled."""
        return self.model.sums or ()

    @property
    def limits_steps(self) -> bool:
        """Whether no step may be longer than `largest_step`, whatever the method."""
        return False

    def norm(self, name: str) -> Norm:
        """The norm of local errors called `name`, "rms" or "max"."""
        return find_norm(name)

    @property
    def endings(self) -> tuple[Ending, ...]:
        """The conditions at which the flow ends because it cannot go on."""
        return ()

    @property
    def can_blow_up(self) -> bool:
        """Whether steps that vanish mean a singularity."""
        return False
