"""Single files that are complete or not there, and folders to put them in.

Besides `tokenfield.study.store`, which keeps whole folders, this is the only module that writes to disk.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tokenfield.errors import FileError


@contextmanager
def disk_errors(path: Path, *, outcome: str = "") -> Iterator[None]:
    """Turns errors of the operating system into a `FileError` about `path`; `outcome` says what is left on disk."""
    try:
        yield
    except FileError:
        raise
    except OSError as error:
        raise FileError(f"cannot write {path}: {error.strerror or error}{outcome}") from error


@contextmanager
def complete(path: Path) -> Iterator[Path]:
    """A scratch file beside `path` that takes its place at the end; operating system errors become `FileError`."""
    part = None
    try:
        with disk_errors(path):
            if path.is_dir():
                raise FileError(f"cannot write {path}: it is a folder; add a file name")
            if not path.parent.is_dir():
                raise FileError(f"cannot write {path}: there is no folder {path.parent}; create it first")
            handle, name = tempfile.mkstemp(prefix=f".{path.stem}-", suffix=path.suffix, dir=path.parent)
            os.close(handle)
            part = Path(name)
            yield part
            os.chmod(part, 0o666 & ~_umask())  # scratch files are private, results are not
            part.replace(path)
    finally:
        if part is not None:
            part.unlink(missing_ok=True)


def _umask() -> int:
    current = os.umask(0)
    os.umask(current)
    return current


def write_text(path: Path, text: str) -> None:
    """Writes the file at once; raises `FileError` if it cannot be written."""
    with complete(path) as part:
        part.write_text(text, encoding="utf-8")


def make_folder(path: Path) -> None:
    """Makes the folder and those above it, if they are not there; raises `FileError` if it cannot."""
    with disk_errors(path):
        path.mkdir(parents=True, exist_ok=True)


@contextmanager
def temporary_folder() -> Iterator[Path]:
    """A folder that is gone with all that is in it when the context ends."""
    with tempfile.TemporaryDirectory() as folder:
        yield Path(folder)
