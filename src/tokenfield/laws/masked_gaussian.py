"""`MaskedGaussian`: the mean field of causal linear attention in R^d, a Gaussian for each position.

As for `MaskedDensity`, [0, 1] is cut into equal cells of positions, and a cell sees the cells before it and half of its
own: a mixture of Gaussians. Linear attention sees only the mean and the covariance of what it looks at, and moves
tokens by a linear map, so that each position stays Gaussian. Softmax, L2 and Sinkhorn attention of a mixture are not
affine: they need a `MaskedMovingDensity`, or tokens.
"""

from __future__ import annotations

from collections.abc import Callable

import equinox as eqx
import jax
import jax.numpy as jnp
from jax import Array
from jax.typing import ArrayLike

from tokenfield._runtime.memory import require_numbers
from tokenfield.errors import InvalidInput, Unsupported
from tokenfield.laws.by_position import ByPosition, as_shares, middles, seen_by_each, without_mask
from tokenfield.laws.gaussian import Gaussian, affine_velocity, check_closure
from tokenfield.measure import Measure
from tokenfield.model.matrices import root
from tokenfield.model.parts import Head
from tokenfield.model.transformer import Transformer


class MaskedGaussian(ByPosition):
    """A law of positions in [0, 1] and tokens in R^d, Gaussian at each position, for linear attention with `Causal()`.

    Args:
        gaussians: The law at each of k equal cells of positions, all in the same dimension.
        shares: The mass of each cell of positions, shape (k,), positive; by default all are 1/k.

    Raises:
        InvalidInput: If there is no Gaussian, dimensions differ, or a share is not positive.

    >>> mu = MaskedGaussian([Gaussian([0.0], [[1.0]]), Gaussian([2.0], [[1.0]])])
    >>> mu.mean.tolist(), mu.covariance.tolist(), mu.positions.tolist()
    ([1.0], [[2.0]], [0.25, 0.75])
    """

    means: Array  # (k, d)
    covariances: Array  # (k, d, d)
    shares: Array

    def __init__(self, gaussians: list[Gaussian] | tuple[Gaussian, ...], shares: ArrayLike | None = None):
        if not gaussians or not all(isinstance(mu, Gaussian) for mu in gaussians):
            raise InvalidInput("a masked Gaussian needs a list of Gaussians, one for each position")
        if any(mu.d != gaussians[0].d for mu in gaussians):
            raise InvalidInput("the Gaussians of all positions must have the same dimension")
        self.means = jnp.stack([mu.mean for mu in gaussians])
        self.covariances = jnp.stack([mu.covariance for mu in gaussians])
        self.shares = as_shares(shares, self.means[:, 0])

    @staticmethod
    def from_function(
        gaussian: Callable[[float], Gaussian], *, positions: int = 16, shares: ArrayLike | None = None
    ) -> MaskedGaussian:
        """The law whose Gaussian at position s is gaussian(s).

        Args:
            gaussian: Maps a position s in [0, 1] to a Gaussian.
            positions: The number k of equal cells of [0, 1], by default 16.
            shares: Their masses, as in `MaskedGaussian`.

        Returns:
            The masked Gaussian.

        Raises:
            InvalidInput: If `positions` is no whole number from 1 on.
        """
        found = [gaussian(s) for s in middles(positions)]
        require_numbers(8 * positions * found[0].d ** 2, f"{positions} covariances in R^{found[0].d}", advice="fewer")
        return MaskedGaussian(found, shares)

    def __repr__(self) -> str:
        return f"MaskedGaussian({self.shares.shape[-1]} positions, in R^{self.d})"

    @property
    def d(self) -> int:
        """The dimension of the space."""
        return self.means.shape[-1]

    @property
    def mean(self) -> Array:
        """The mean int x dmu(s, x), shape (d,)."""
        return self.shares @ self.means

    @property
    def covariance(self) -> Array:
        """The covariance of x under the whole law, shape (d, d)."""
        gaps = self.means - self.mean
        return jnp.einsum("k,kij->ij", self.shares, self.covariances + gaps[:, :, None] * gaps[:, None, :])

    @property
    def marginal(self) -> Array:
        """The mass of each position, shape (k,): `shares`."""
        return self.shares

    @property
    def seen(self) -> tuple[Array, Array]:
        """Mean (k, d) and covariance (k, d, d) of what each position sees, a mixture of Gaussians."""
        moments = self.covariances + self.means[:, :, None] * self.means[:, None, :]
        mean, moment = (seen_by_each(a, self.shares) for a in (self.means, moments))
        return mean, moment - mean[:, :, None] * mean[:, None, :]

    def gaussian(self, cell: int) -> Gaussian:
        """The law of one cell of positions.

        Args:
            cell: Which, from 0 on; negative ones count from the end.

        Returns:
            The Gaussian.
        """
        return Gaussian(jnp.zeros(self.d), jnp.eye(self.d)).at(self.means[cell], self.covariances[cell])

    def affine_velocities(self, model: Transformer, t: Array | float) -> tuple[Array, Array]:
        """(G, c): tokens at each position move with x' = G x + c in what it sees.

        Args:
            model: What moves the law, without its mask.
            t: The time, that is, the depth.

        Returns:
            G (k, d, d) and c (k, d).
        """
        one = self.gaussian(0)
        return jax.vmap(lambda m, S: affine_velocity(model, t, one.at(m, S)))(*self.seen)

    def sample(self, n: int, *, seed: int | Array) -> Measure:
        """Independent tokens with their positions, each uniform in its cell.

        Args:
            n: How many, a whole number >= 1.
            seed: An integer or a JAX key.

        Returns:
            The tokens, with equal weights, in the order of their positions.

        Raises:
            InvalidInput: If `n` is no whole number from 1 on.
        """
        cells, positions, draw = self._drawn(n, seed)
        scores = jax.random.normal(draw, (len(cells), self.d), self.means.dtype)
        points = self.means[cells] + jnp.einsum("nij,nj->ni", jax.vmap(root)(self.covariances)[cells], scores)
        return Measure(points, positions=positions)

    def at(
        self,
        masked_mean: Array,
        masked_covariance: Array,
        mean: Array | None = None,
        covariance: Array | None = None,
    ) -> MaskedGaussian:
        """Another law with the same masses, without the checks of the constructor.

        Args:
            masked_mean: The means, shape (k, d).
            masked_covariance: The covariances, shape (k, d, d).
            mean: The mean of the whole law, which follows; it is kept in runs for those who read them.
            covariance: Its covariance, likewise.

        Returns:
            The other law.
        """
        return eqx.tree_at(lambda mu: (mu.means, mu.covariances), self, (masked_mean, masked_covariance))


AnyGaussian = Gaussian | MaskedGaussian  # whatever `solve` takes as one


def check_masked_closure(model: Transformer) -> Transformer:
    """The model as a single position sees it, if it keeps a Gaussian for each position Gaussian.

    Args:
        model: The model that would move a masked Gaussian.

    Returns:
        The model without its mask.

    Raises:
        Unsupported: If it does not; the message says why.
    """
    plain = without_mask(model)
    check_closure(plain)
    for part in plain.schedule.shapes():
        if isinstance(part, Head) and not part.attention.sees_moments:
            raise Unsupported(
                f"{type(part.attention).__name__} attention of a mixture of Gaussians is not affine: a Gaussian for "
                "each position needs linear attention; else take a density for each position, or tokens"
            )
    return plain
