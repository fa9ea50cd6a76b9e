"""Densities as a flow: the state is their values at the nodes, and the right-hand side the continuity equation."""

from __future__ import annotations

import jax.numpy as jnp
from jax import Array

from tokenfield.errors import InvalidInput
from tokenfield.flows.endings import Ending, Unresolved
from tokenfield.flows.flow import Flow
from tokenfield.flows.norms import Norm, WeightedRms
from tokenfield.laws.density import Density
from tokenfield.laws.field import can_convolve
from tokenfield.measure import is_concrete
from tokenfield.model.transformer import Transformer

FFT_PAIRS = 64.0  # a node in a convolution costs about as much as this many pairs


class DensityFlow(Flow):
    """A density that moves by the continuity equation; the state is its values (m,) at the nodes."""

    density: Density

    @staticmethod
    def build(model: Transformer, density: Density) -> DensityFlow:
        """The flow of `density`, checked; it goes by convolution where that is exact."""
        grid = density.grid
        grid.check(model)
        if not grid.goes_on and is_concrete(density.values) and float(grid.roughness(density.values)) > 1:
            raise InvalidInput(f"{grid.m} nodes do not resolve the initial density: take more, or smooth it")
        return DensityFlow(model, Density(grid, density.values, by_convolution=can_convolve(model)))

    @property
    def start(self) -> Array:
        return self.density.values

    def law(self, y: Array) -> Density:
        return self.density.at(y)

    def saved(self, y: Array) -> dict[str, Array]:
        return {"density": y}

    def velocity(self, t: Array, y: Array) -> Array:
        return self.law(y).rate(self.model, t)

    @property
    def described(self) -> str:
        return "a density on a grid: no tokens, no sum over pairs of them"

    def with_model(self, model: Transformer) -> DensityFlow:
        return DensityFlow(model, self.density)

    def diagnostics(self, y: Array) -> dict[str, Array]:
        grid = self.density.grid
        return {"mass": grid.weights @ y, "smallest_density": jnp.min(y), "roughness": grid.roughness(y)}

    def largest_step(self, t: Array, y: Array) -> Array:
        grid, noise = self.density.grid, self.model.noise
        speeds = self.law(y).velocity(self.model, t)
        return grid.largest_step(speeds, 0.0 if noise is None else 1 / noise.kappa.astype(y.dtype))

    @property
    def default_method(self) -> str:
        return "ssprk3" if self.density.grid.is_positive else "tsit5"

    @property
    def abilities(self) -> frozenset[str]:
        return frozenset({"fixed-step", "implicit", *(["largest-step"] if self.density.grid.is_positive else [])})

    @property
    def work(self) -> float:
        m = float(self.density.grid.m)
        return m * FFT_PAIRS if self.density.by_convolution else m**2

    def norm(self, name: str) -> Norm:
        # nodes of little weight hold little: rounding there must not rule the step
        return WeightedRms(self.density.grid.weights) if name == "rms" else super().norm(name)

    @property
    def endings(self) -> tuple[Ending, ...]:
        return () if self.density.grid.goes_on else (Unresolved(),)
