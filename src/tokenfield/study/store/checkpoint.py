"""Checkpoints of a run, from which it goes on bit for bit: arrays in .npz files, which know when they are damaged.

    saved-1.npz ...    what was saved between two checkpoints
    state.npz          everything else, and how many of the former it needs

The state is written last and takes the place of the one before at once: whenever the process is killed, what is there
is a whole checkpoint.
"""

from __future__ import annotations

import shutil
import zipfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from tokenfield._runtime.files import complete, make_folder
from tokenfield.errors import FileError
from tokenfield.study.store.folder import STATE

if TYPE_CHECKING:
    import numpy as np

COUNT = "saved files"


@dataclass(frozen=True)
class CheckpointFolder:
    """The newest checkpoint of a run."""

    path: Path

    @property
    def is_there(self) -> bool:
        """Whether there is a checkpoint."""
        return (self.path / STATE).exists()

    def write(self, state: Mapping[str, np.ndarray], saved: Mapping[str, np.ndarray], number: int) -> None:
        """Makes this the checkpoint: the state, and what was `saved` since the last one, of which this is `number`."""
        import numpy as np

        make_folder(self.path)
        _write(self.path / _saved(number), saved)
        _write(self.path / STATE, {**state, COUNT: np.array(number)})

    def remove(self) -> None:
        """Removes the checkpoint: the run has ended."""
        shutil.rmtree(self.path, ignore_errors=True)

    def read(self) -> tuple[dict[str, np.ndarray], list[dict[str, np.ndarray]]]:
        """The state, and all that was saved, in order; raises `FileError` if it cannot be read."""
        state = _read(self.path / STATE)
        return state, [_read(self.path / _saved(number)) for number in range(1, int(state.pop(COUNT)) + 1)]


def _saved(number: int) -> str:
    return f"saved-{number}.npz"


def _write(path: Path, arrays: Mapping[str, np.ndarray]) -> None:
    import numpy as np

    with complete(path) as part, part.open("wb") as file:
        np.savez(file, **arrays)  # type: ignore[arg-type]


def _read(path: Path) -> dict[str, np.ndarray]:
    import numpy as np

    try:
        with np.load(path, allow_pickle=False) as arrays:
            return dict(arrays)
    except (OSError, ValueError, EOFError, KeyError, zipfile.BadZipFile) as error:
        raise FileError(f"the checkpoint {path.parent} is damaged ({path.name}): begin anew with --force") from error
