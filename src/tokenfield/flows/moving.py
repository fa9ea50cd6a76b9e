"""Densities in R^d as a flow: the state is where their nodes are, and the right-hand side the velocity of the model."""

from __future__ import annotations

import jax.numpy as jnp
from jax import Array

from tokenfield.flows.endings import BlowUp, Ending
from tokenfield.flows.flow import Flow
from tokenfield.laws.moving import MovingDensity
from tokenfield.model.transformer import Transformer


class MovingFlow(Flow):
    """A density that is carried along; the state is the points (m, d) of its nodes, whose masses stay."""

    density: MovingDensity

    @staticmethod
    def build(model: Transformer, density: MovingDensity) -> MovingFlow:
        """The flow of `density`, checked."""
        density.grid.check(model)
        return MovingFlow(model, density)

    @property
    def start(self) -> Array:
        return self.density.points

    def law(self, y: Array) -> MovingDensity:
        return self.density.at(y)

    def saved(self, y: Array) -> dict[str, Array]:
        return {"points": y, "density": self.law(y).values}

    def velocity(self, t: Array, y: Array) -> Array:
        return self.model.velocity(t, y, self.law(y).measure())

    @property
    def kind(self) -> str:
        return "density"

    @property
    def described(self) -> str:
        return f"a density on {self.density.n} nodes that move with its mass, in R^{self.density.d}"

    def with_model(self, model: Transformer) -> MovingFlow:
        return MovingFlow(model, self.density)

    def diagnostics(self, y: Array) -> dict[str, Array]:
        rho = self.law(y)
        return {"mass": jnp.sum(rho.masses), "smallest_density": jnp.min(rho.values), "roughness": rho.roughness}

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
