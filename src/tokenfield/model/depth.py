"""Which parts of a model act at which depth, and where that changes at once."""

from __future__ import annotations

from typing import Self

import equinox as eqx
import numpy as np
from jax import Array

from tokenfield.geometry import Euclidean, Geometry
from tokenfield.model.attention import Attention
from tokenfield.model.normalization import Normalization
from tokenfield.model.parts import Head, Potential, TokenWise
from tokenfield.model.schedule import Only, Schedule
from tokenfield.model.sublayer import Part, Sublayer


class InDepth(eqx.Module):
    """A model of parts by a schedule; what these do to tokens is up to `Transformer`."""

    geometry: eqx.AbstractVar[Geometry]
    schedule: eqx.AbstractVar[Schedule]
    normalization: eqx.AbstractVar[Normalization | None]

    def heads(self, t: Array | float) -> tuple[Head, ...]:
        """The bare attention heads that act at time `t`; those of sublayers are not among them.

        Args:
            t: The time, that is, the depth.

        Returns:
            The heads, in order.
        """
        return tuple(part for part in self.schedule.parts(t) if isinstance(part, Head))

    def token_wise(self, t: Array | float) -> tuple[TokenWise, ...]:
        """The bare perceptrons and potentials that act at time `t`; those of sublayers are not among them.

        Args:
            t: The time, that is, the depth.

        Returns:
            These parts, in order.
        """
        return tuple(part for part in self.schedule.parts(t) if isinstance(part, TokenWise))

    def sublayers(self, t: Array | float) -> tuple[Sublayer, ...]:
        """The sublayers that act at time `t`, in turn.

        Args:
            t: The time, that is, the depth.

        Returns:
            The sublayers; none for a model of bare heads and perceptrons.
        """
        return tuple(part for part in self.schedule.parts(t) if isinstance(part, Sublayer))

    def attentions(self, t: Array | float) -> tuple[Attention, ...]:
        """The kind of attention of each head that acts at time `t`, those of sublayers included.

        Args:
            t: The time, that is, the depth.

        Returns:
            One attention for each head, in order.
        """
        bare = tuple(head.attention for head in self.heads(t))
        return bare + tuple(one for part in self.sublayers(t) for one in part.attentions)

    @property
    def has_sublayers(self) -> bool:
        """Whether the model is made of the sublayers of real blocks, with norms and biases of their own."""
        return any(isinstance(part, Sublayer) for part in self.schedule.shapes())

    def jumps(self, t0: float, t1: float) -> np.ndarray:
        """The times in (t0, t1) where the velocity is discontinuous.

        Args:
            t0: The start of the span.
            t1: Its end.

        Returns:
            The times, increasing.
        """
        jumps = self.schedule.jumps(t0, t1)
        return jumps if self.normalization is None else np.union1d(jumps, self.normalization.jumps(t0, t1))

    def frozen(self, t: Array | float) -> Self:
        """The model as it is on the piece between two jumps that contains `t`.

        Args:
            t: A time inside the piece.

        Returns:
            A model without jumps.
        """
        normalization = None if self.normalization is None else self.normalization.frozen(t)
        return self._replace(self.schedule.frozen(t), normalization)

    def only(self, *, heads: bool) -> Self:
        """The model with its heads alone, or with everything but its heads.

        Args:
            heads: Whether the heads are kept, or everything else.

        Returns:
            The other model.
        """
        return self._replace(Only(self.schedule, heads), self.normalization)

    def _replace(self, schedule: Schedule, normalization: Normalization | None) -> Self:
        where = lambda model: (model.schedule, model.normalization)  # noqa: E731
        return eqx.tree_at(where, self, (schedule, normalization), is_leaf=lambda leaf: leaf is None)

    @property
    def has_radius(self) -> bool:
        """Whether tokens also have a length that changes (Pre-LN and its kin)."""
        return self.normalization is not None and self.normalization.has_radius

    @property
    def can_blow_up(self) -> bool:
        """Whether tokens may reach infinity in finite time: in R^d, unless all that is added grows linearly at most."""
        return isinstance(self.geometry, Euclidean) and not all(map(_grows_linearly, self.schedule.shapes()))


def _grows_linearly(part: Part) -> bool:
    """Whether what `part` adds is at most linear in the size of the tokens."""
    if isinstance(part, Head):
        return part.attention.is_average
    if isinstance(part, TokenWise):
        return not isinstance(part, Potential) and getattr(part, "gate", None) is None
    if part.before is not None or part.inside is not None:
        return True
    is_average = part.attention is None or part.attention.is_average
    return is_average and all(map(_grows_linearly, part.perceptrons))
