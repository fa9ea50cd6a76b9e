"""Gaussians in R^d as flows: the state is the mean and the covariance, or a factor of it."""

from __future__ import annotations

import jax
import jax.numpy as jnp
from jax import Array

from tokenfield.errors import InvalidInput
from tokenfield.flows.endings import BlowUp, Ending
from tokenfield.flows.flow import Flow
from tokenfield.laws.gaussian import Gaussian, affine_velocity, check_closure, motion
from tokenfield.laws.masked import without_mask
from tokenfield.laws.masked_gaussian import MaskedGaussian, check_masked_closure
from tokenfield.model.matrices import root
from tokenfield.model.transformer import Transformer


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

    @property
    def described(self) -> str:
        return "the mean and covariance of a Gaussian: no tokens, no sum over pairs of them"

    def with_model(self, model: Transformer) -> GaussianFlow:
        return GaussianFlow(model, self.gaussian)

    @staticmethod
    def _packed(mean: Array, covariance: Array) -> Array:
        return jnp.concatenate([mean[None], covariance])

    @property
    def default_method(self) -> str:
        return "tsit5"

    @property
    def abilities(self) -> frozenset[str]:
        return frozenset({"fixed-step", "implicit"})

    @property
    def work(self) -> float:
        return 100.0 * self.gaussian.d**3

    @property
    def endings(self) -> tuple[Ending, ...]:
        return (BlowUp.of(self.start.dtype),)

    @property
    def can_blow_up(self) -> bool:
        return True


class MaskedGaussianFlow(Flow):
    """A Gaussian for each position that stays one; the state is that of `GaussianFlow` for each, (k, d + 1, d)."""

    gaussian: MaskedGaussian

    @staticmethod
    def build(model: Transformer, gaussian: MaskedGaussian) -> MaskedGaussianFlow:
        """The flow of `gaussian`, refused with the reason if `model` does not keep its Gaussians Gaussian."""
        check_masked_closure(model)
        if gaussian.d != model.geometry.d:
            raise InvalidInput(f"this Gaussian lives in R^{gaussian.d}, the model in R^{model.geometry.d}")
        return MaskedGaussianFlow(model, gaussian)

    @property
    def start(self) -> Array:
        S = self.gaussian.covariances
        return self._packed(self.gaussian.means, jax.vmap(root)(S) if self._is_factored else S)

    @property
    def _is_factored(self) -> bool:
        return self.model.noise is None

    def law(self, y: Array) -> MaskedGaussian:
        F = y[:, 1:]
        return self.gaussian.at(y[:, 0], F @ jnp.swapaxes(F, 1, 2) if self._is_factored else F)

    def saved(self, y: Array) -> dict[str, Array]:
        mu = self.law(y)
        whole = {"mean": mu.mean, "covariance": mu.covariance}
        return {"masked_mean": mu.means, "masked_covariance": mu.covariances, **whole}

    def velocity(self, t: Array, y: Array) -> Array:
        mu = self.law(y)
        G, c = mu.affine_velocities(without_mask(self.model), t)
        mean = jnp.einsum("kij,kj->ki", G, mu.means) + c
        if self._is_factored:
            return self._packed(mean, G @ y[:, 1:])
        assert self.model.noise is not None
        spread = G @ mu.covariances
        grown = (2 / self.model.noise.kappa.astype(y.dtype)) * jnp.eye(mu.d, dtype=y.dtype)
        return self._packed(mean, spread + jnp.swapaxes(spread, 1, 2) + grown)

    @property
    def kind(self) -> str:
        return "gaussian"

    @property
    def described(self) -> str:
        k = self.gaussian.shares.shape[0]
        return f"the mean and covariance of a Gaussian for each of {k} positions: no tokens, no sum over pairs of them"

    def with_model(self, model: Transformer) -> MaskedGaussianFlow:
        return MaskedGaussianFlow(model, self.gaussian)

    @staticmethod
    def _packed(means: Array, covariances: Array) -> Array:
        return jnp.concatenate([means[:, None], covariances], axis=1)

    @property
    def default_method(self) -> str:
        return "tsit5"

    @property
    def abilities(self) -> frozenset[str]:
        return frozenset({"fixed-step"})

    @property
    def work(self) -> float:
        return 100.0 * self.gaussian.shares.shape[0] * self.gaussian.d**3

    @property
    def endings(self) -> tuple[Ending, ...]:
        return (BlowUp.of(self.start.dtype),)

    @property
    def can_blow_up(self) -> bool:
        return True
