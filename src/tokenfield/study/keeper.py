"""When a run or a training writes a checkpoint, and from which one it goes on; on several hosts all the same one."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from typing import Protocol

import jax
import numpy as np

from tokenfield.errors import FileError, InvalidInput
from tokenfield.study.figures import Note
from tokenfield.study.spread import all_ready, hosts
from tokenfield.study.store.checkpoint import NONE, CheckpointFolder
from tokenfield.sums.devices import of_all_hosts


class SoFar(Protocol):
    """What goes on from arrays: a run of `solve`, a training of `steer`."""

    @property
    def is_begun(self) -> bool: ...  # whether there is anything to keep

    @property
    def count(self) -> int: ...  # of what was saved

    def arrays(self) -> dict[str, np.ndarray]: ...  # all but what was saved

    def saved(self, since: int) -> dict[str, np.ndarray]: ...

    def restore(self, arrays: Mapping[str, np.ndarray], saved: Sequence[Mapping[str, np.ndarray]]) -> None: ...


class Keeper:
    """Writes a checkpoint every so many seconds, and when a run is interrupted; `None` for the latter only.

    `folder` is that of the run: on several hosts each writes the part of its own tokens.
    """

    def __init__(self, folder: CheckpointFolder, *, every_s: float | None, note: Note) -> None:
        self._folder, self._every_s, self._note = folder.of_host(jax.process_index()), every_s, note
        self._last, self._saved = time.monotonic(), 0
        self._needed: list[int] = []  # the numbers of what was saved up to the last checkpoint that all hosts have
        self._number = 0  # of the last attempt

    def restore(self, so_far: SoFar) -> None:
        """Puts a run that has just begun where the checkpoint is, if there is one."""
        number = self._in_common()
        if number is None:
            return
        with all_ready():
            arrays, saved, self._needed = self._folder.read(number)
            before = int(arrays.pop("hosts", np.array(1)))
            if before != hosts():
                how = "with tokenfield launch" if before > 1 else "without tokenfield launch"
                raise InvalidInput(
                    f"the checkpoint is that of a run on {before} host{'s' * (before > 1)}, here "
                    f"{'are' if hosts() > 1 else 'is'} {hosts()}: resume on as many, {how}"
                )
        so_far.restore(arrays, saved)
        self._number, self._saved = self._needed[-1], so_far.count

    def _in_common(self) -> int | None:
        """The number of the newest checkpoint that all hosts have; `None` if there is none."""
        if hosts() == 1:
            return self._folder.numbers()[0] if self._folder.is_there else None
        offered = [set(row.tolist()) - {NONE} for row in of_all_hosts(np.array(self._folder.numbers()))]
        common = set.intersection(*offered)
        if not common and any(offered):
            without = ", ".join(str(k) for k, found in enumerate(offered) if not found) or "some"
            raise InvalidInput(
                f"process {without} has no checkpoint that the others have: resume on the same hosts, in the same "
                "order, or begin anew with --force"
            )
        return max(common, default=None)

    def keep(self, so_far: SoFar, is_interrupted: bool) -> None:
        """Writes a checkpoint if it is time for one; on several hosts the clock of the first one decides."""
        is_due = self._every_s is not None and time.monotonic() - self._last >= self._every_s
        is_due = bool(of_all_hosts(np.array(is_due))[0])
        if not (is_due or is_interrupted) or not so_far.is_begun:
            return
        self._number += 1
        needed, failure = [*self._needed, self._number], None
        try:
            state = {**so_far.arrays(), "hosts": np.array(hosts())}
            kept = (self._needed[-1] if self._needed else NONE) if hosts() > 1 else NONE
            self._folder.write(state, so_far.saved(self._saved), needed, keeps=kept)
        except FileError as error:  # it must not cost the run
            failure = error
        if of_all_hosts(np.array(failure is None)).all():
            self._needed, self._saved = needed, so_far.count
        else:
            self._note(f"no checkpoint was kept: {failure or 'another host could not write its part'}")
        self._last = time.monotonic()
