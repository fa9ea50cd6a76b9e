"""The flows of densities and of Gaussians, as `solve` sees them."""

from __future__ import annotations

import jax.numpy as jnp
from jax import Array

from tokenfield.errors import InvalidInput
from tokenfield.events import BlowUp, BuiltIn, Unresolved
from tokenfield.integration import Flow, largest
from tokenfield.integrators import Norm, WeightedRms
from tokenfield.meanfield.density import Density
from tokenfield.meanfield.field import can_convolve
from tokenfield.meanfield.gaussian import Gaussian, affine_velocity, check_closure, motion, root
from tokenfield.measure import is_concrete
from tokenfield.model import Transformer

METHODS = ("tsit5", "dopri8", "kvaerno5", "rk4", "euler")
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
    def methods(self) -> tuple[str, ...]:
        return ("ssprk3", *METHODS) if self.density.grid.is_positive else METHODS

    @property
    def pairs(self) -> float:
        m = float(self.density.grid.m)
        return m * FFT_PAIRS if self.density.by_convolution else m**2

    def norm(self, name: str) -> Norm:
        # nodes of little weight hold little: rounding there must not rule the step
        return WeightedRms(self.density.grid.weights) if name == "rms" else super().norm(name)

    @property
    def stops(self) -> tuple[BuiltIn, ...]:
        return () if self.density.grid.goes_on else (Unresolved(),)


class GaussianFlow(Flow):
    """A Gaussian that stays one; the state is the mean above the rows of a matrix, (d + 1, d).

    Without noise the matrix is a factor F of the covariance S = F F^T, moved by F' = G F: no rounding, however many the
    steps, can then make S lose its rank or its sign. Noise adds to S itself, so with noise the matrix is S.
    """

    gaussian: Gaussian

    @staticmethod
    def build(model: Transformer, gaussian: Gaussian) -> GaussianFlow:
        """The flow of `gaussian`, refused with the reason if `model` does not keep Gaussians Gaussian."""
        check_closure(model)
        if gaussian.d != model.geometry.d:
            raise InvalidInput(f"this Gaussian lives in R^{gaussian.d}, the model in R^{model.geometry.d}")
        return GaussianFlow(model, gaussian)

    @property
    def start(self) -> Array:
        S = self.gaussian.covariance
        return self._packed(self.gaussian.mean, root(S) if self._is_factored else S)

    @property
    def _is_factored(self) -> bool:
        return self.model.noise is None

    def law(self, y: Array) -> Gaussian:
        return self.gaussian.at(y[0], y[1:] @ y[1:].T if self._is_factored else y[1:])

    def saved(self, y: Array) -> dict[str, Array]:
        mu = self.law(y)
        return {"mean": mu.mean, "covariance": mu.covariance}

    def velocity(self, t: Array, y: Array) -> Array:
        mu = self.law(self.retract(y))
        if not self._is_factored:
            return self._packed(*motion(self.model, t, mu))
        G, c = affine_velocity(self.model, t, mu)
        return self._packed(G @ mu.mean + c, G @ y[1:])

    def retract(self, y: Array) -> Array:
        """A covariance made exactly symmetric: rounding must not accumulate in the rest."""
        return y if self._is_factored else self._packed(y[0], (y[1:] + y[1:].T) / 2)

    def with_model(self, model: Transformer) -> GaussianFlow:
        return GaussianFlow(model, self.gaussian)

    @staticmethod
    def _packed(mean: Array, covariance: Array) -> Array:
        return jnp.concatenate([mean[None], covariance])

    @property
    def default_method(self) -> str:
        return "tsit5"

    @property
    def methods(self) -> tuple[str, ...]:
        return METHODS

    @property
    def pairs(self) -> float:
        return 100.0 * self.gaussian.d**3

    @property
    def stops(self) -> tuple[BuiltIn, ...]:
        return (BlowUp(largest(self.start.dtype)),)

    @property
    def can_blow_up(self) -> bool:
        return True
