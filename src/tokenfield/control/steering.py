"""What `steer` returns: a `Steering` with its weights in depth, the loss by step, and its `Certificate`."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import jax.numpy as jnp
import numpy as np
from jax import Array

from tokenfield.control.construction import effort_of
from tokenfield.control.widths import Widths
from tokenfield.errors import InvalidInput
from tokenfield.measure import Measure
from tokenfield.model.transformer import Transformer
from tokenfield.solver.solve import solve
from tokenfield.solver.trajectory import Trajectory

CERTIFIED = 1e-3  # tokens of training and certificate may end so far apart, over the extent of the problem


@dataclass(frozen=True)
class Certificate:
    """The trained weights solved again: by `method`, an adaptive one of higher order, with tolerance `rtol`.

    `loss` is the loss of that solve, `drift` the largest distance between a token of it and of the training's solve,
    over the extent of sources and targets.

    >>> Certificate(1e-6, 1e-5, "dopri8", 1e-10).holds
    True
    """

    loss: float
    drift: float
    method: str
    rtol: float

    @property
    def holds(self) -> bool:
        """Whether both solves agree: training has steered the flow, not exploited its steps."""
        return bool(self.drift <= CERTIFIED)


@dataclass(frozen=True, eq=False)
class Steering:
    """What `steer` found: the `model` with its weights in depth up to `t1`, the loss by step, and the certificate.

    `best` is the loss of the weights that are kept, those of the least objective, and `untrained` the model with the
    weights that training began with. After Ctrl-C, which `is_interrupted` tells, the weights are the best so far, and
    `resume` goes on.

    >>> import numpy as np
    >>> done = Certificate(1.0, 0.0, "dopri8", 1e-10)
    >>> Steering(None, None, 1.0, np.array([4.0, 1.0]), 1.0, done, (), (), False, 0.1).best
    1.0
    """

    model: Transformer
    untrained: Transformer
    t1: float
    losses: np.ndarray
    best: float
    certificate: Certificate
    sources: tuple[Measure, ...]
    targets: tuple[Measure, ...]
    is_interrupted: bool
    wall_s: float
    widths: Widths | None = None
    going_on: Callable[..., Steering] | None = field(default=None, repr=False)  # of an interrupted one

    @property
    def schedule(self) -> Any:
        """The weights in depth."""
        return self.model.schedule

    @property
    def switches(self) -> int:
        """How often the weights change on the way, as a `Construction` counts it."""
        return self.schedule.count - 1

    @property
    def parameters(self) -> int:
        """The numbers in all weights; a matrix of low rank counts by its entries."""
        matrices = ("Q", "K", "V", "W", "A", "b")
        return sum(
            getattr(part, name).size for part in self.schedule.layers for name in matrices if hasattr(part, name)
        )

    @property
    def effort(self) -> float:
        """The integral over depth of |w| |(u, b)|, summed over neurons, and of |V| of heads, as of a `Construction`."""
        return effort_of(self.schedule)

    def run(self, source: Measure | Any, *, save: Any = "end", layers: int | None = None) -> Trajectory:
        """The trained flow from a prompt, of the training or not, by adaptive steps; or the network of so many layers.

        Args:
            source: A `Measure` or points (n, d), of the width of the first piece where widths change.
            save: What is kept; by default the end.
            layers: Of the residual network whose weights are those of the flow at the depths k t1 / layers; a multiple
                of the number of pieces. By default none: the flow.

        Returns:
            The trajectory up to `t1`, in all coordinates.

        Raises:
            InvalidInput: If layers do not fill the pieces, or points do not fit the model.

        >>> from tokenfield import Euclidean, Perceptron, Transformer
        >>> from tokenfield.control import steer
        >>> found = steer(Transformer(Euclidean(2), Perceptron()), [[0.0, 0.0]], [[1.0, 1.0]], t1=1.0, seed=0, steps=40)
        >>> found.run([[0.0, 0.0]]).final.points.shape
        (1, 2)
        """
        if layers is not None and layers % self.schedule.count:
            raise InvalidInput(f"layers must be a multiple of the {self.schedule.count} pieces of depth, got {layers}")
        if self.widths is not None:
            source = self.widths.padded(source, 0)
        return solve(self.model, source, t1=self.t1, save=save, layers=layers, progress=False)

    def resume(self, *, progress: bool | None = None) -> Steering:
        """The steering of the same training, gone on from where it was interrupted: as if it had not been.

        Args:
            progress: Whether a progress bar is shown, by default if somebody watches.

        Returns:
            The steering; this one stays as it is.

        Raises:
            InvalidInput: If the training was not interrupted, or comes from a folder (`tokenfield steer --resume`).

        >>> import numpy as np
        >>> done = Certificate(1.0, 0.0, "dopri8", 1e-10)
        >>> Steering(None, None, 1.0, np.array([1.0]), 1.0, done, (), (), False, 0.1).resume()
        Traceback (most recent call last):
        tokenfield.errors.InvalidInput: nothing is left to train: the training was not interrupted
        """
        if self.going_on is None:
            why = "the training was not interrupted"
            if self.is_interrupted:
                why = "of a folder of steer only tokenfield steer --resume --out FOLDER goes on"
            raise InvalidInput(f"nothing is left to train: {why}")
        return self.going_on(progress=progress)

    def outputs(self, source: Measure | Any, *, layers: int | None = None) -> Array:
        """Where the trained flow, or the network of so many layers, brings tokens, in the width of the last piece.

        Args:
            source: A `Measure` or points (n, d), of the width of the first piece.
            layers: Of the residual network, as for `run`; by default none: the flow.

        Returns:
            The points, shape (n, width of the last piece).

        >>> from tokenfield import Euclidean, Perceptron, Transformer
        >>> from tokenfield.control import steer
        >>> model = Transformer(Euclidean(3), Perceptron())
        >>> found = steer(model, [[0.0, 0.0]], [[1.0]], t1=1.0, seed=0, steps=40, widths=(2, 3, 1))
        >>> found.outputs([[0.0, 0.0]], layers=30).shape
        (1, 1)
        """
        points = self.run(source, layers=layers).final.points
        return points if self.widths is None else points[:, jnp.asarray(self.widths.last)]
