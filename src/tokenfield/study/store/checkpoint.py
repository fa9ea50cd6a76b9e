"""Checkpoints of a run, from which it goes on bit for bit: arrays in .npz files, which know when they are damaged.

    saved-1.npz ...    what was saved between two checkpoints
    state.npz          everything else, and which of the former it needs
    before.npz         on several hosts, the state before that one
    host-1/ ...        on several hosts, the same of the tokens of each but the first

The state is written last and takes the place of the one before at once: whenever the process is killed, what is there
is a whole checkpoint. Hosts may be killed while some have written and others have not; so each keeps the last state
that all of them have until they all have the next.
"""

from __future__ import annotations

import os
import shutil
import zipfile
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from tokenfield._runtime.files import complete, disk_errors, make_folder
from tokenfield.errors import FileError
from tokenfield.study.store.folder import STATE

if TYPE_CHECKING:
    import numpy as np

NEEDED = "saved files"  # of a state, by number; the last is that of the checkpoint itself
BEFORE = "before.npz"
NONE = -1  # in place of a number


@dataclass(frozen=True)
class CheckpointFolder:
    """The newest checkpoint of a run, of the tokens of one host."""

    path: Path

    def of_host(self, number: int) -> CheckpointFolder:
        """Where the host of this number keeps its part; the first one keeps it here."""
        return CheckpointFolder(self.path / f"host-{number}") if number else self

    @property
    def is_there(self) -> bool:
        """Whether there is a checkpoint."""
        return (self.path / STATE).exists()

    def write(
        self,
        state: Mapping[str, np.ndarray],
        saved: Mapping[str, np.ndarray],
        needed: Sequence[int],
        *,
        keeps: int = NONE,
    ) -> None:
        """Makes this the checkpoint: the state, and what was `saved` since the last one.

        `needed` are the numbers of all that was saved, this one last. If the newest state has the number `keeps`, it
        stays beside the new one.
        """
        import numpy as np

        make_folder(self.path)
        _write(self.path / _saved(needed[-1]), saved)
        if keeps != NONE and self.numbers()[0] == keeps:
            with disk_errors(self.path):
                (self.path / BEFORE).unlink(missing_ok=True)
                os.link(self.path / STATE, self.path / BEFORE)
        _write(self.path / STATE, {**state, NEEDED: np.array(needed)})

    def numbers(self) -> tuple[int, int]:
        """The numbers of the newest checkpoint and of the one before, `NONE` where there is none that can be read."""
        found = [NONE, NONE]
        for place, name in enumerate((STATE, BEFORE)):
            if (self.path / name).exists():
                with suppress(FileError):
                    found[place] = int(_read(self.path / name, only=(NEEDED,))[NEEDED][-1])
        return found[0], found[1]

    def remove(self) -> None:
        """Removes the checkpoint: the run has ended."""
        shutil.rmtree(self.path, ignore_errors=True)

    def remove_part(self, number: int) -> None:
        """Removes the part of one host, and on a disk of its own the folders that then are empty."""
        self.of_host(number).remove()
        with suppress(OSError):
            self.path.rmdir()
            self.path.parent.rmdir()

    def read(self, number: int | None = None) -> tuple[dict[str, np.ndarray], list[dict[str, np.ndarray]], list[int]]:
        """The state, all that was saved, in order, and the numbers of that; by default of the newest checkpoint.

        Raises `FileError` if it cannot be read.
        """
        name = STATE if number in (None, self.numbers()[0]) else BEFORE
        state = _read(self.path / name)
        needed = [int(k) for k in state.pop(NEEDED)]
        return state, [_read(self.path / _saved(k)) for k in needed], needed


def _saved(number: int) -> str:
    return f"saved-{number}.npz"


def _write(path: Path, arrays: Mapping[str, np.ndarray]) -> None:
    import numpy as np

    with complete(path) as part, part.open("wb") as file:
        np.savez(file, **arrays)  # type: ignore[arg-type]


def _read(path: Path, *, only: Sequence[str] | None = None) -> dict[str, np.ndarray]:
    import numpy as np

    try:
        with np.load(path, allow_pickle=False) as arrays:
            return {name: arrays[name] for name in (arrays.files if only is None else only)}
    except (OSError, ValueError, EOFError, KeyError, zipfile.BadZipFile) as error:
        raise FileError(f"the checkpoint {path.parent} is damaged ({path.name}): begin anew with --force") from error
