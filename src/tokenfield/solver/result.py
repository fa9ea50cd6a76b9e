"""How a run ended: an `Outcome`, the time, and the reason in words."""

from __future__ import annotations

import enum

import equinox as eqx
import numpy as np
from jax import Array

from tokenfield.measure import is_concrete


class Outcome(enum.Enum):
    """The ways in which a run can end; the value is the code that compiled programs use.

    - `FINISHED`: it reached its final time.
    - `OUT_OF_STEPS`: it took as many steps as it may.
    - `STUCK`: the step size fell to rounding.
    - `INTERRUPTED`: Ctrl-C ended it.
    - `BLEW_UP`: it reached infinity.
    - `UNDER_RESOLVED`: a density became too sharp for its grid.
    - `EVENT`: an event of the caller's stopped it; the codes from here on count these events.

    Args:
        value: The code of an outcome.

    >>> Outcome.BLEW_UP.label
    'blew-up'
    """

    FINISHED = 0  # reached its final time
    OUT_OF_STEPS = 1
    STUCK = 2  # the step size fell to rounding
    INTERRUPTED = 3  # by Ctrl-C
    BLEW_UP = 4  # reached infinity
    UNDER_RESOLVED = 5  # a density became too sharp for its grid
    EVENT = 16  # stopped by an event of the caller's; codes from here on count them

    @property
    def label(self) -> str:
        """The outcome as one word."""
        return self.name.lower().replace("_", "-")

    @staticmethod
    def named(label: str) -> Outcome:
        """The outcome with this label.

        Args:
            label: One word, such as "blew-up".

        Returns:
            The outcome.

        Raises:
            KeyError: If no outcome has this label.
        """
        return Outcome[label.upper().replace("-", "_")]


class Result(eqx.Module):
    """How a flow ended: the `outcome`, at which time `t`, and why.

    `name` is the label of the outcome, or the name of the event that stopped the run. `code` and `t` are arrays, so
    that a result can be batched by `jax.vmap`; `outcome`, `name` and `reason` are those of a single flow.

    Args:
        code: The code of the outcome; for an event, that of `Outcome.EVENT` plus its number.
        t: The time at which the flow ended.
        events: The names of the events that were watched.
        unresolved_from: The first saved time at which a density was too rough for its grid, infinite if it never was.

    >>> print(Result(np.asarray(0), np.asarray(2.0)))
    finished at t = 2
    """

    code: Array
    t: Array
    events: tuple[str, ...] = eqx.field(static=True, default=())
    unresolved_from: Array | float = np.inf

    @staticmethod
    def code_of(name: str, events: tuple[str, ...]) -> int:
        """The code of the outcome, or of the event, called `name`.

        Args:
            name: The label of an outcome or the name of an event; events come first.
            events: The names of the events that were watched.

        Returns:
            The code that a `Result` holds.
        """
        return Outcome.EVENT.value + events.index(name) if name in events else Outcome.named(name).value

    @property
    def outcome(self) -> Outcome:
        """How a single flow ended."""
        return Outcome(min(int(self.code), Outcome.EVENT.value))

    @property
    def name(self) -> str:
        """One word for the end of a single flow."""
        outcome = self.outcome
        return self.events[int(self.code) - outcome.value] if outcome is Outcome.EVENT else outcome.label

    @property
    def is_complete(self) -> bool:
        """Whether the flow reached its final time or one of the caller's events."""
        return self.outcome in (Outcome.FINISHED, Outcome.EVENT)

    @property
    def reason(self) -> str:
        """Why the flow ended where it did, and what can be done about it; empty if it finished."""
        found = {
            Outcome.OUT_OF_STEPS: "raise max_steps, or loosen rtol",
            Outcome.STUCK: "the step size fell to rounding, as when attention jumps or a radius reaches zero",
            Outcome.UNDER_RESOLVED: "take more nodes, or cells on the circle, which go on",
        }.get(self.outcome, "")
        lost = float(self.unresolved_from)
        return f"under-resolved from t = {lost:.6g}: take more nodes" if np.isfinite(lost) else found

    def __str__(self) -> str:
        if np.ndim(self.code):
            return f"{np.size(self.code)} flows, {int(np.sum(np.asarray(self.code) == 0))} finished"
        what = {
            Outcome.OUT_OF_STEPS: "ran out of steps",
            Outcome.BLEW_UP: "blew up",
            Outcome.EVENT: f"stopped by {self.name}",
        }.get(self.outcome, self.outcome.label)
        mark = "; " if np.isfinite(float(self.unresolved_from)) else ": "
        return f"{what} at t = {float(self.t):.6g}" + (f"{mark}{self.reason}" if self.reason else "")

    def __repr__(self) -> str:
        return str(self) if is_concrete(self.code) and is_concrete(self.t) else "Result(traced)"
