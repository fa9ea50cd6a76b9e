"""Masked densities on spheres as flows: the state is the values on a grid for each position.

In R^1 and R^2 it is where the nodes are: see `flows/moving.py`.
"""

from __future__ import annotations

import jax
import jax.numpy as jnp
from jax import Array

from tokenfield.errors import InvalidInput
from tokenfield.flows.density import FFT_PAIRS
from tokenfield.flows.endings import Ending, Unresolved
from tokenfield.flows.flow import Flow
from tokenfield.flows.norms import Norm, WeightedRms
from tokenfield.laws.by_position import without_mask
from tokenfield.laws.field import can_convolve
from tokenfield.laws.masked import MaskedDensity
from tokenfield.measure import is_concrete
from tokenfield.model.transformer import Transformer


class MaskedFlow(Flow):
    """A density for each position, (k, m), that moves by the continuity equation in what its position sees."""

    density: MaskedDensity

    @staticmethod
    def build(model: Transformer, density: MaskedDensity) -> MaskedFlow:
        """The flow of `density`, checked; it goes by convolution where that is exact."""
        plain, grid = without_mask(model), density.grid
        grid.check(plain)
        if not grid.goes_on and is_concrete(density.values) and float(density.roughness) > 1:
            raise InvalidInput(f"{grid.m} nodes do not resolve the initial densities: take more, or smooth them")
        by_convolution = can_convolve(plain)
        return MaskedFlow(model, MaskedDensity(grid, density.values, density.shares, by_convolution=by_convolution))

    @property
    def start(self) -> Array:
        return self.density.values

    def law(self, y: Array) -> MaskedDensity:
        return self.density.at(y)

    def saved(self, y: Array) -> dict[str, Array]:
        return {"masked": y}

    def velocity(self, t: Array, y: Array) -> Array:
        return self.law(y).rate(without_mask(self.model), t)

    @property
    def kind(self) -> str:
        return "density"

    @property
    def described(self) -> str:
        k, m = self.start.shape
        return f"a density on {m} nodes for each of {k} positions: no tokens, no sum over pairs of them"

    def with_model(self, model: Transformer) -> MaskedFlow:
        return MaskedFlow(model, self.density)

    def diagnostics(self, y: Array) -> dict[str, Array]:
        rho = self.law(y)
        return {"mass": jnp.sum(rho.marginal), "smallest_density": jnp.min(y), "roughness": rho.roughness}

    def largest_step(self, t: Array, y: Array) -> Array:
        grid, noise = self.density.grid, self.model.noise
        diffusion = 0.0 if noise is None else 1 / noise.kappa.astype(y.dtype)
        speeds = self.law(y).velocity(without_mask(self.model), t)
        return jnp.min(jax.vmap(lambda v: grid.largest_step(v, diffusion))(speeds))

    @property
    def default_method(self) -> str:
        return "ssprk3" if self.density.grid.is_positive else "tsit5"

    @property
    def abilities(self) -> frozenset[str]:
        return frozenset({"fixed-step", *(["largest-step"] if self.density.grid.is_positive else [])})

    @property
    def work(self) -> float:
        k, m = self.start.shape
        return k * (m * FFT_PAIRS if self.density.by_convolution else float(m) ** 2)

    def norm(self, name: str) -> Norm:
        weights = self.density.shares[:, None] * self.density.grid.weights
        return WeightedRms(weights) if name == "rms" else super().norm(name)

    @property
    def endings(self) -> tuple[Ending, ...]:
        return () if self.density.grid.goes_on else (Unresolved(),)
