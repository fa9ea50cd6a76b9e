"""Gaussians in R^d as flows, also one for each position: the state is mean and covariance, or a factor of it."""

from __future__ import annotations

from abc import abstractmethod

import equinox as eqx
import jax
import jax.numpy as jnp
from jax import Array

from tokenfield.errors import InvalidInput
from tokenfield.flows.endings import BlowUp, Ending
from tokenfield.flows.flow import Flow
from tokenfield.laws.by_position import without_mask
from tokenfield.laws.gaussian import Gaussian, affine_velocity, check_closure
from tokenfield.laws.masked_gaussian import MaskedGaussian, check_masked_closure
from tokenfield.model.matrices import root
from tokenfield.model.transformer import Transformer


class MomentsFlow(Flow):
    """Means and covariances, of one Gaussian or of one for each position; the state is (..., d + 1, d).

    It is the mean above the rows of a matrix. Without noise the matrix is a factor F of the covariance S = F F^T, moved
    by F' = G F: no rounding, however many the steps, can then make S lose its rank or its sign. Noise adds to S itself,
    so with noise the matrix is S.
    """

    gaussian: eqx.AbstractVar[Gaussian | MaskedGaussian]

    @abstractmethod
    def _moments(self) -> tuple[Array, Array]:
        """Means (..., d) and covariances (..., d, d) at the start."""

    @abstractmethod
    def _affine(self, t: Array, y: Array) -> tuple[Array, Array]:
        """(G, c), (..., d, d) and (..., d), with which tokens move by x' = G x + c."""

    @property
    def start(self) -> Array:
        mean, S = self._moments()
        roots = jax.vmap(root)(S.reshape(-1, *S.shape[-2:])).reshape(S.shape) if self._is_factored else S
        return self._packed(mean, roots)

    @property
    def _is_factored(self) -> bool:
        return self.model.noise is None

    def _read(self, y: Array) -> tuple[Array, Array]:
        """Means and covariances of a state."""
        F = y[..., 1:, :]
        return y[..., 0, :], F @ jnp.swapaxes(F, -1, -2) if self._is_factored else F

    def velocity(self, t: Array, y: Array) -> Array:
        y = self.retract(y)
        G, c = self._affine(t, y)
        mean = (G @ y[..., 0, :, None])[..., 0] + c
        spread = G @ y[..., 1:, :]
        if self.model.noise is not None:
            grown = (2 / self.model.noise.kappa.astype(y.dtype)) * jnp.eye(self.gaussian.d, dtype=y.dtype)
            spread = spread + jnp.swapaxes(spread, -1, -2) + grown
        return self._packed(mean, spread)

    def retract(self, y: Array) -> Array:
        """A covariance made exactly symmetric: rounding must not accumulate in the rest."""
        S = y[..., 1:, :]
        return y if self._is_factored else self._packed(y[..., 0, :], (S + jnp.swapaxes(S, -1, -2)) / 2)

    @property
    def kind(self) -> str:
        return "gaussian"

    def with_model(self, model: Transformer) -> Flow:
        return eqx.tree_at(lambda flow: flow.model, self, model)

    @staticmethod
    def _packed(means: Array, covariances: Array) -> Array:
        return jnp.concatenate([means[..., None, :], covariances], axis=-2)

    @property
    def default_method(self) -> str:
        return "tsit5"

    @property
    def work(self) -> float:
        return 100.0 * self._moments()[1].size * self.gaussian.d

    @property
    def endings(self) -> tuple[Ending, ...]:
        return (BlowUp.of(self.start.dtype),)

    @property
    def can_blow_up(self) -> bool:
        return True


class GaussianFlow(MomentsFlow):
    """A Gaussian that stays one; the state is (d + 1, d)."""

    gaussian: Gaussian

    @staticmethod
    def build(model: Transformer, gaussian: Gaussian) -> GaussianFlow:
        """The flow of `gaussian`, refused with the reason if `model` does not keep Gaussians Gaussian."""
        check_closure(model)
        _check_space(model, gaussian)
        return GaussianFlow(model, gaussian)

    def law(self, y: Array) -> Gaussian:
        return self.gaussian.at(*self._read(y))

    def saved(self, y: Array) -> dict[str, Array]:
        mu = self.law(y)
        return {"mean": mu.mean, "covariance": mu.covariance}

    def _moments(self) -> tuple[Array, Array]:
        return self.gaussian.mean, self.gaussian.covariance

    def _affine(self, t: Array, y: Array) -> tuple[Array, Array]:
        return affine_velocity(self.model, t, self.law(y))

    @property
    def described(self) -> str:
        return "the mean and covariance of a Gaussian: no tokens, no sum over pairs of them"

    @property
    def abilities(self) -> frozenset[str]:
        return frozenset({"fixed-step", "implicit"})


class MaskedGaussianFlow(MomentsFlow):
    """A Gaussian for each position that stays one; the state is that of `GaussianFlow` for each, (k, d + 1, d)."""

    gaussian: MaskedGaussian

    @staticmethod
    def build(model: Transformer, gaussian: MaskedGaussian) -> MaskedGaussianFlow:
        """The flow of `gaussian`, refused with the reason if `model` does not keep its Gaussians Gaussian."""
        check_masked_closure(model)
        _check_space(model, gaussian)
        return MaskedGaussianFlow(model, gaussian)

    def law(self, y: Array) -> MaskedGaussian:
        return self.gaussian.at(*self._read(y))

    def saved(self, y: Array) -> dict[str, Array]:
        mu = self.law(y)
        whole = {"mean": mu.mean, "covariance": mu.covariance}
        return {"masked_mean": mu.means, "masked_covariance": mu.covariances, **whole}

    def _moments(self) -> tuple[Array, Array]:
        return self.gaussian.means, self.gaussian.covariances

    def _affine(self, t: Array, y: Array) -> tuple[Array, Array]:
        return self.law(y).affine_velocities(without_mask(self.model), t)

    @property
    def described(self) -> str:
        k = self.gaussian.shares.shape[0]
        return f"the mean and covariance of a Gaussian for each of {k} positions: no tokens, no sum over pairs of them"

    @property
    def abilities(self) -> frozenset[str]:
        return frozenset({"fixed-step"})


def _check_space(model: Transformer, gaussian: Gaussian | MaskedGaussian) -> None:
    if gaussian.d != model.geometry.d:
        raise InvalidInput(f"this Gaussian lives in R^{gaussian.d}, the model in R^{model.geometry.d}")
