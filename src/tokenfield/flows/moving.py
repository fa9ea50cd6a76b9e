"""Densities in R^d as flows: the state is where their nodes are, and the right-hand side the velocity of the model.

A masked density has nodes at each position, which move in what that position sees.
"""

from __future__ import annotations

import equinox as eqx
import jax.numpy as jnp
from jax import Array

from tokenfield.flows.endings import BlowUp, Ending
from tokenfield.flows.flow import Flow
from tokenfield.laws.by_position import without_mask
from tokenfield.laws.masked_moving import MaskedMovingDensity
from tokenfield.laws.moving import MovingDensity
from tokenfield.model.transformer import Transformer


class CarriedFlow(Flow):
    """Nodes that are carried along with their masses, of one density or of one for each position."""

    density: eqx.AbstractVar[MovingDensity | MaskedMovingDensity]

    @property
    def start(self) -> Array:
        return self.density.points

    def with_model(self, model: Transformer) -> Flow:
        return eqx.tree_at(lambda flow: flow.model, self, model)

    @property
    def kind(self) -> str:
        return "density"

    def diagnostics(self, y: Array) -> dict[str, Array]:
        rho = self.law(y)
        mass = jnp.sum(rho.measure().weights)
        return {"mass": mass, "smallest_density": jnp.min(rho.values), "roughness": rho.roughness}

    @property
    def default_method(self) -> str:
        return "tsit5"

    @property
    def abilities(self) -> frozenset[str]:
        return frozenset({"fixed-step"})

    @property
    def work(self) -> float:
        return float(self.density.n) ** 2

    @property
    def endings(self) -> tuple[Ending, ...]:
        return (BlowUp.of(self.start.dtype),)

    @property
    def can_blow_up(self) -> bool:
        return self.model.can_blow_up


class MovingFlow(CarriedFlow):
    """A density that is carried along; the state is the points (m, d) of its nodes, whose masses stay."""

    density: MovingDensity

    @staticmethod
    def build(model: Transformer, density: MovingDensity) -> MovingFlow:
        """The flow of `density`, checked."""
        density.grid.check(model)
        return MovingFlow(model, density)

    def law(self, y: Array) -> MovingDensity:
        return self.density.at(y)

    def saved(self, y: Array) -> dict[str, Array]:
        return {"points": y, "density": self.law(y).values}

    def velocity(self, t: Array, y: Array) -> Array:
        return self.model.velocity(t, y, self.law(y).measure())

    @property
    def described(self) -> str:
        return f"a density on {self.density.n} nodes that move with its mass, in R^{self.density.d}"


class MaskedMovingFlow(CarriedFlow):
    """A moving density for each position; the state is the points (k, m, d) of the nodes, whose masses stay."""

    density: MaskedMovingDensity

    @staticmethod
    def build(model: Transformer, density: MaskedMovingDensity) -> MaskedMovingFlow:
        """The flow of `density`, checked."""
        density.grid.check(without_mask(model))
        return MaskedMovingFlow(model, density)

    def law(self, y: Array) -> MaskedMovingDensity:
        return self.density.at(y)

    def saved(self, y: Array) -> dict[str, Array]:
        return {"masked_points": y, "masked": self.law(y).values}

    def velocity(self, t: Array, y: Array) -> Array:
        return self.law(y).velocity(without_mask(self.model), t)

    @property
    def described(self) -> str:
        k, m, d = self.start.shape
        return f"a density on {m} nodes that move with its mass, in R^{d}, for each of {k} positions"
