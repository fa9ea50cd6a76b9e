"""`SoFar`: what a run in chunks knows between two of them, and the same as plain arrays. No disk.

A run that is restored from these arrays takes the steps that it would have taken, bit for bit: its state, the state of
the method and of the step control, the clusters that have joined and the steps that are remembered of them. Everything
else is in the plan, which is made anew. On several hosts the arrays of each are those of its own tokens.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import equinox as eqx
import jax
import numpy as np

from tokenfield.errors import InvalidInput
from tokenfield.solver.integration import Integration, Kept, State
from tokenfield.solver.merging.watch import Merging
from tokenfield.solver.save import Recorder
from tokenfield.sums.devices import from_own_rows, of_all_hosts, own_rows

if TYPE_CHECKING:
    from tokenfield.solver.plan import Plan

Arrays = dict[str, np.ndarray]


@dataclass
class SoFar:
    """A run between two chunks: where it is, what it has saved, and what is left of its times."""

    integration: Integration
    state: State
    pending: np.ndarray
    recorder: Recorder
    merging: Merging | None
    accepted: int = 0
    rejected: int = 0
    seconds: float = 0.0  # that earlier processes spent

    @staticmethod
    def begin(plan: Plan, state: State) -> SoFar:
        """The run of `plan` before its first step; `state` is that of the solver."""
        return SoFar(plan.integration, state, plan.times, Recorder(), plan.merging)

    @property
    def t(self) -> float:
        """The time of the model."""
        return float(self.integration.flow.offset) + float(self.state.t)

    @property
    def is_begun(self) -> bool:
        """Whether a chunk was taken, though it may have saved nothing."""
        return self.recorder.is_begun

    @property
    def count(self) -> int:
        """How many times were saved."""
        return len(self.recorder.ts)

    @property
    def own(self) -> slice | None:
        """Which tokens are those of this host; `None` where it has all of them."""
        y = self.state.y
        return None if y.is_fully_addressable or y.is_fully_replicated else own_rows(y)[1]

    def arrays(self) -> Arrays:
        """Everything but what was saved; on several hosts with the rows of this one, where rows are split."""
        found = {
            "counts": np.array([self.accepted, self.rejected, len(self.pending)]),
            "t": np.array(self.t),
            "seconds": np.array(self.seconds),
        }
        found |= {f"state {i}": own_rows(leaf)[0] for i, leaf in enumerate(jax.tree.leaves(self.state))}
        if self.merging is not None:
            found |= self.merging.arrays(self.integration.flow)
        return found

    def saved(self, since: int) -> Arrays:
        """What was saved beyond the first `since` times."""
        kept: Kept = self.recorder.since(since)
        own = slice(None) if self.own is None else self.own
        parts: dict[str, Any] = {f"state {name}": values[:, own] for name, values in (kept.states or {}).items()}
        parts |= {f"observable {name}": values for name, values in kept.observables.items()}
        return parts | {"ts": np.asarray(self.recorder.ts[since:])}

    def restore(self, arrays: Mapping[str, np.ndarray], saved: Sequence[Mapping[str, np.ndarray]]) -> None:
        """Puts a run that has just begun where `arrays` and all that was `saved` say.

        Raises `InvalidInput` if they are not those of this run.
        """
        leaves, structure = jax.tree.flatten(self.state)
        try:
            found = [arrays[f"state {i}"] for i in range(len(leaves))]
            accepted, rejected, left = arrays["counts"].tolist()
            is_same = all(a.dtype == b.dtype and a.ndim == b.ndim for a, b in zip(leaves, found, strict=True))
            shapes = [own_rows(leaf)[0].shape for leaf in leaves]
            if not is_same or (self.merging is None and [a.shape for a in found] != shapes):
                raise ValueError("its arrays have other shapes")
            if self.merging is not None:
                flow = self.merging.restore(self.integration.flow, arrays)
                self.integration = eqx.tree_at(lambda whole: whole.flow, self.integration, flow)
            for part in saved:
                kept = _kept(part, keeps_states=self.integration.keeps_states)
                if self.own is not None and kept.states is not None:
                    states: dict[str, Any] = {name: _of_all(rows) for name, rows in kept.states.items()}
                    kept = kept._replace(states=states)
                self.recorder.add(part["ts"], kept)
            if len(self.recorder.ts) + left != len(self.pending):
                raise ValueError("it has other times")
        except (KeyError, ValueError, IndexError) as error:
            raise InvalidInput(f"the checkpoint does not fit this run: {error}") from error
        # split as the state of a run that begins is; after mergers it has other shapes
        placed = [from_own_rows(rows, like) for rows, like in zip(found, leaves, strict=True)]
        self.state = jax.tree.unflatten(structure, placed)
        self.pending = self.pending[len(self.pending) - left :]
        self.accepted, self.rejected, self.seconds = accepted, rejected, float(arrays["seconds"])


def _of_all(rows: Any) -> np.ndarray:
    """Saved states (T, n, ...) of all tokens, from those of the tokens of each host."""
    return np.concatenate(list(of_all_hosts(rows)), axis=1)


def _kept(part: Mapping[str, np.ndarray], *, keeps_states: bool) -> Kept:
    def named(kind: str) -> dict[str, Any]:
        return {name.removeprefix(kind): values for name, values in part.items() if name.startswith(kind)}

    return Kept(named("state ") if keeps_states else None, named("observable "))
