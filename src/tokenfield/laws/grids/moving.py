"""`Moving`: nodes in R^1 or R^2 that move with the mass. Labels of the nodes stay, and so do their masses.

A node carries a label u in [0, 1]^d, a Gauss-Legendre node of one of many equal panels, and the flow moves its point
X(u). So the grid is wherever the mass is: it needs no box, and in the rescaled frame nothing else. Integrals are sums
over nodes, of high order where the map X and the mass per label are smooth; the density is the mass per label divided
by |det dX/du|, which is the derivative of a polynomial on each panel.
"""

from __future__ import annotations

from functools import cached_property
from typing import ClassVar

import equinox as eqx
import jax.numpy as jnp
import numpy as np
from jax import Array

from tokenfield._runtime.memory import require_numbers
from tokenfield.errors import InvalidInput, Unsupported
from tokenfield.geometry import Euclidean
from tokenfield.laws.grid import refuse_positions
from tokenfield.measure import is_concrete, is_whole
from tokenfield.model.transformer import Transformer

ORDER = 8  # nodes of a panel along one axis
TAIL = 0.02  # of the variation of the map in the last two of eight degrees: a panel that bends too much
LOST = 0.01  # of the mass in such panels: the density is under-resolved

_LOCAL, _LOCAL_WEIGHTS = np.polynomial.legendre.leggauss(ORDER)
_VALUES = np.polynomial.legendre.legvander(_LOCAL, ORDER - 1)  # of the Legendre polynomials at the nodes
_COEFFICIENTS = np.linalg.inv(_VALUES)
_SLOPES = np.stack(
    [np.polynomial.legendre.legval(_LOCAL, np.polynomial.legendre.legder(row)) for row in np.eye(ORDER)], axis=1
)
_DERIVATIVE = _SLOPES @ _COEFFICIENTS


class Moving(eqx.Module):
    """Nodes in R^1 or R^2 that move with the mass: it is kept exactly, and the density is never negative.

    Where the flow parts mass so far that a panel of eight nodes cannot follow it, the density between them is lost but
    masses and places remain: the flow goes on, and says from when.

    Args:
        dim: The dimension of the space, 1 or 2.
        size: The number of nodes along each axis, a multiple of 8.

    Raises:
        InvalidInput: If a number is not.

    >>> Moving(2, 32)
    Moving(1024 nodes in R^2)
    """

    is_positive: ClassVar[bool] = True
    goes_on: ClassVar[bool] = True
    is_orbit: ClassVar[bool] = False

    dim: int = eqx.field(static=True)
    size: int = eqx.field(static=True)

    def __check_init__(self) -> None:
        if not is_whole(self.dim) or self.dim not in (1, 2):
            raise InvalidInput(f"densities move in R^1 and R^2, got R^{self.dim!r}: take a Gaussian, or tokens")
        if not is_whole(self.size) or self.size < ORDER or self.size % ORDER:
            raise InvalidInput(f"a moving grid has panels of {ORDER} nodes along an axis: {self.size!r} is no multiple")
        require_numbers(8 * self.m, f"densities of {self.m} nodes", advice="take fewer nodes")

    def __repr__(self) -> str:
        return f"Moving({self.m} nodes in R^{self.dim})"

    @property
    def geometry(self) -> Euclidean:
        """The space."""
        return Euclidean(self.dim)

    @property
    def d(self) -> int:
        """The dimension of the space."""
        return self.dim

    @property
    def m(self) -> int:
        """The number of nodes."""
        return int(self.size) ** int(self.dim)

    @property
    def panels(self) -> int:
        """The number of panels along an axis."""
        return self.size // ORDER

    @cached_property
    def axis(self) -> tuple[np.ndarray, np.ndarray]:
        """The labels along one axis and their quadrature weights, each of shape (size,)."""
        starts = np.arange(self.panels)[:, None]
        labels = (starts + (_LOCAL + 1) / 2) / self.panels
        return labels.ravel(), np.tile(_LOCAL_WEIGHTS / 2 / self.panels, self.panels)

    @property
    def labels(self) -> np.ndarray:
        """The labels of the nodes in [0, 1]^d, shape (m, d); the last axis runs fastest."""
        return np.stack(np.meshgrid(*[self.axis[0]] * self.dim, indexing="ij"), axis=-1).reshape(self.m, self.dim)

    @property
    def weights(self) -> Array:
        """The quadrature weights of the labels, (m,), of sum 1."""
        along = self.axis[1]
        return jnp.asarray(along if self.dim == 1 else np.outer(along, along).ravel())

    def stretch(self, points: Array) -> Array:
        """det dX/du at the nodes: how much of space belongs to a unit of labels, negative where the map has folded.

        Args:
            points: Where the nodes are, shape (m, d).

        Returns:
            The determinants, shape (m,).
        """
        x = points.reshape(*[self.size] * self.dim, self.dim)
        slopes = [self._along(_DERIVATIVE, x, axis) * 2 * self.panels for axis in range(self.dim)]
        if self.dim == 1:
            return slopes[0].reshape(self.m)
        (a, b), (c, e) = ([slope[..., k] for k in range(2)] for slope in slopes)
        return (a * e - b * c).reshape(self.m)

    def _along(self, matrix: np.ndarray, field: Array, axis: int) -> Array:
        """A matrix (ORDER, ORDER) applied to every panel of `field` (size, .., c) along one axis."""
        moved = jnp.moveaxis(field, axis, 0)
        panels = moved.reshape(self.panels, ORDER, *moved.shape[1:])
        applied = jnp.einsum("ij,pj...->pi...", jnp.asarray(matrix, field.dtype), panels)
        return jnp.moveaxis(applied.reshape(moved.shape), 0, axis)

    def roughness(self, points: Array, masses: Array) -> Array:
        """How near the map is to what the panels cannot show.

        Args:
            points: Where the nodes are, shape (m, d).
            masses: What they weigh, shape (m,).

        Returns:
            The mass in panels that bend too much, in units of 1 percent: above 1 the density is under-resolved.
            Infinite where the map has folded.
        """
        x, w = (a.reshape(*[self.size] * self.dim, -1) for a in (points, masses))
        lost = []
        for axis in range(self.dim):
            sizes = self._in_panels(jnp.linalg.norm(self._along(_COEFFICIENTS, x, axis), axis=-1, keepdims=True), axis)
            tail, all_degrees = sizes[:, -2:].sum(axis=1), sizes[:, 1:].sum(axis=1)
            is_lost = ~(tail <= TAIL * all_degrees)
            lost.append(jnp.sum(jnp.where(is_lost, self._in_panels(w, axis).sum(axis=1), 0.0)))
        folded = jnp.sum(jnp.where(self.stretch(points) > 0, 0.0, masses)) > LOST
        return jnp.where(folded, jnp.inf, jnp.max(jnp.stack(lost)) / LOST)

    def tail_share(self, per_label: Array) -> Array:
        """How much of a density of labels lies in the finest degrees that the panels can show, of its whole.

        Args:
            per_label: The mass per label at the nodes, shape (m,).

        Returns:
            One number >= 0.
        """
        field, shares = per_label.reshape(*[self.size] * self.dim, 1), []
        weights = self.weights.reshape(field.shape)
        for axis in range(self.dim):
            sizes = self._in_panels(jnp.abs(self._along(_COEFFICIENTS, field, axis)), axis)
            panels = self._in_panels(weights, axis).sum(axis=1)
            shares.append(jnp.sum(sizes[:, -2:].sum(axis=1) * panels))
        return jnp.max(jnp.stack(shares)) / jnp.sum(jnp.abs(per_label) * self.weights)

    def _in_panels(self, field: Array, axis: int) -> Array:
        """`field` (size, .., c) with one axis cut into panels: (panels, ORDER, .., c)."""
        moved = jnp.moveaxis(field, axis, 0)
        return moved.reshape(self.panels, ORDER, *moved.shape[1:])

    def between(self, field: Array, labels: np.ndarray | Array) -> Array:
        """What a field on the nodes is at other labels, by the polynomials of the panels.

        Args:
            field: Numbers at the nodes, shape (m, c).
            labels: Other labels in [0, 1]^d, shape (k, d).

        Returns:
            The numbers there, shape (k, c).
        """
        at = jnp.asarray(labels) * self.panels
        panel = jnp.clip(jnp.floor(at).astype(int), 0, self.panels - 1)
        local = 2 * (at - panel) - 1
        basis = [_legendre(local[:, axis]) @ jnp.asarray(_COEFFICIENTS) for axis in range(self.dim)]
        index = [panel[:, axis, None] * ORDER + jnp.arange(ORDER) for axis in range(self.dim)]
        if self.dim == 1:
            return jnp.einsum("ki,kic->kc", basis[0], field[index[0]])
        nodes = field[index[0][:, :, None] * self.size + index[1][:, None, :]]
        return jnp.einsum("ki,kj,kijc->kc", basis[0], basis[1], nodes)

    def check(self, model: Transformer) -> None:
        """Does nothing if densities on this grid can follow `model`.

        Args:
            model: What would move the density.

        Raises:
            Unsupported: If they cannot; the message says why.
        """
        if model.geometry != self.geometry:
            raise Unsupported(f"this density lives in R^{self.dim}, the model on {model.geometry!r}")
        refuse_positions(model, "a density")
        if model.noise is not None:
            raise Unsupported("nodes that move with the mass know no noise: take a Gaussian, or tokens")
        for attention in model.attentions(0.0):
            softening = getattr(attention, "softening", None)
            if attention.is_singular and softening is not None and is_concrete(softening) and not float(softening) > 0:
                raise Unsupported(
                    "the attraction of a density is infinite between its nodes: give Riesz(..., softening=) of about "
                    "their distance, or take tokens"
                )


def _legendre(x: Array) -> Array:
    """The Legendre polynomials of degrees below ORDER at the points x (k,), shape (k, ORDER)."""
    found = [jnp.ones_like(x), x]
    for k in range(1, ORDER - 1):
        found.append(((2 * k + 1) * x * found[k] - k * found[k - 1]) / (k + 1))
    return jnp.stack(found, axis=1)
