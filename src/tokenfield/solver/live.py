"""`Live`: a run that somebody watches. Frames come one after the other, and the model may change in between.

The steps are those of `solve`, in chunks of a few, and the times of frames are chosen while it runs: what comes is what
`solve` would have saved there. A change begins a new plan where the last frame was, as `solve` does that goes on from a
run. Nothing is reduced, and up to `DIRECT` tokens sums are direct whatever the numbers of the model are, so that a
change of them compiles nothing.
"""

from __future__ import annotations

from contextlib import nullcontext
from dataclasses import dataclass
from typing import Any

import jax
import numpy as np

from tokenfield._runtime.arrays import as_array
from tokenfield.model.transformer import Transformer
from tokenfield.solver.integration import Chunk, Integration, State
from tokenfield.solver.options import Adaptive
from tokenfield.solver.plan import as_stepping, make_plan
from tokenfield.solver.result import Outcome, Result
from tokenfield.solver.save import Recorder, Save
from tokenfield.solver.solve import begin_compiled, check_start, run_chunk
from tokenfield.sums import forced, on_host

DIRECT = 4096  # tokens up to which fast sums are left out: how many modes they need depends on beta
WINDOW = 16  # frames that one chunk can hold
# steps of a chunk: few, since a change and an end wait for the chunk; each chunk is a call of a millisecond
STEPS_ADAPTIVE, STEPS_OTHERS, STEPS_OF_MANY = 2, 8, 1


@dataclass(frozen=True)
class _Place:
    """Where the solver is: what it integrates and the state."""

    integration: Integration
    state: State

    @property
    def offset(self) -> float:
        return float(self.integration.flow.offset)

    @property
    def t(self) -> float:
        return self.offset + float(self.state.t)


class Live:
    """A run from `start` under `model` that is computed while it is watched.

    Args:
        model: What moves the tokens.
        start: The tokens, the density or the Gaussian to start from.
        t1: The final time.
        t0: The time at the start, by default 0.
        at: The time of `start` in a run that goes on after a change, by default `t0`. Plans of one span t1 - t0 have
            the same shapes, whenever they begin: fixed steps are as many, and nothing is compiled anew.
        method: How depth is stepped, as `solve` takes it; so are the following.
        step: The length of fixed steps.
        layers: The number of layers of a residual network.
        rtol: The relative tolerance; with fixed steps, that of the sums.
        options: `events`, `merge` and `clock`, as `solve` takes them.

    Raises:
        InvalidInput: If an argument makes no sense.
        Unsupported: If model, start and options do not go together; the message says why.

    >>> from tokenfield import Softmax, Sphere, initial
    >>> model = Transformer(Sphere(3), Softmax(beta=1.0))
    >>> live = Live(model, initial.uniform(model.geometry, n=8, seed=0), t1=2.0)
    >>> while not live.result:
    ...     for t, law in live.take(np.array([live.t + 1.0])):
    ...         print(t, law.n)
    1.0 8
    2.0 8
    """

    def __init__(
        self,
        model: Transformer,
        start: Any,
        *,
        t1: float,
        t0: float = 0.0,
        at: float | None = None,
        method: Any = None,
        step: float | None = None,
        layers: int | None = None,
        rtol: float | None = None,
        **options: Any,
    ):
        t = float(t0 if at is None else at)
        self._is_large = getattr(start, "n", 0) > DIRECT  # a step of more tokens may take a second
        with nullcontext() if self._is_large else forced("direct"):
            plan = make_plan(
                model,
                start,
                t0=t,
                t1=t + float(t1) - float(t0),
                stepping=as_stepping(method, step=step, layers=layers, rtol=rtol, atol=None),
                tolerance=rtol,
                save=Save("end"),
                is_reduced=False,  # tokens that become equal would be another shape
                **options,
            )
        offset = float(plan.flow.offset)
        times = (as_array(time - offset, plan.integration.dtype) for time in (plan.t0, plan.t1))
        state = begin_compiled(plan.integration, *times)
        check_start(state, plan)
        self.model, self.plan, self.t1 = plan.model, plan, float(t1)
        self.t, self.law = t, plan.flow.law(plan.flow.start)
        self._outcome: int | None = None
        self._last = self._ahead = _Place(plan.integration, state)

    @property
    def result(self) -> Result | None:
        """How the run ended; `None` while there is more to come."""
        if self._outcome is None:
            return None if self.t < self.t1 else self._result(Outcome.FINISHED.value, self.t1)
        return self._result(self._outcome, self._ahead.t) if self.t >= self._ahead.t or self.t >= self.t1 else None

    def _result(self, code: int, t: float) -> Result:
        return Result(as_array(code), as_array(t), self.plan.integration.event_names)

    def take(self, times: np.ndarray) -> list[tuple[float, Any]]:
        """The next frames: those of `times` that a few steps reach, at most `WINDOW`, as (time, law).

        Times that the last steps have passed already, since frames now come closer, are found by taking these again.

        Args:
            times: When frames are wanted, increasing, all later than the last one; those after `t1` count as `t1`.

        Returns:
            The frames, none if the steps did not reach the first; the last one is where the run now is.
        """
        pending = np.unique(np.minimum(times, self.t1))
        pending = pending[pending > self.t][:WINDOW]
        if self.result is not None or not len(pending):
            return []
        if pending[0] <= self._ahead.t and self._ahead is not self._last:
            frames = self._frames(pending[pending <= self._ahead.t], self._run(self._last, pending))
            # a time within the rounding of where the steps ended counts as that
            frames = frames or [(float(pending[0]), self._law_of(self._ahead))]
        elif self._outcome is not None:  # ended before the next frame: where that was is the last one
            frames = [(self._ahead.t, self._law_of(self._ahead))] if self._ahead.t > self.t else []
        else:
            frames = self._frames(pending, self._step(pending))
        if frames:
            self.t, self.law = frames[-1]
        return frames

    def _step(self, pending: np.ndarray) -> Chunk:
        """Takes the next few steps."""
        self._last = place = self._ahead
        chunk = self._run(place, pending)
        code, state, integration = int(chunk.code), place.state, place.integration
        if code != Outcome.BLEW_UP.value or bool(np.all(np.isfinite(np.asarray(chunk.state.y)))):
            state = chunk.state
            if self.plan.merging is not None:
                integration, state, code = self.plan.merging.after(integration, chunk, state)
        self._ahead = _Place(integration, state)
        self._outcome = None if code == Outcome.OUT_OF_STEPS.value else code
        return chunk

    def _run(self, place: _Place, pending: np.ndarray) -> Chunk:
        is_few = isinstance(self.plan.stepping, Adaptive) and self.plan.merging is None
        steps = STEPS_OF_MANY if self._is_large else STEPS_ADAPTIVE if is_few else STEPS_OTHERS
        end = self.plan.t1 - place.offset
        return run_chunk(place.integration, place.state, np.minimum(pending - place.offset, end), end, WINDOW, steps)

    def _frames(self, times: np.ndarray, chunk: Chunk) -> list[tuple[float, Any]]:
        """The frames of a chunk that lie after the last one, as laws of arrays on the host."""
        count = Recorder.count(times, chunk)
        saved = jax.tree.map(lambda values: on_host(values)[:count], chunk.saved.states)
        rows = [{name: as_array(values[i]) for name, values in saved.items()} for i in range(count)]
        return [(float(t), self.law.at(**row)) for t, row in zip(times[:count], rows, strict=True)]

    def _law_of(self, place: _Place) -> Any:
        return place.integration.flow.law(place.state.y)
