"""Single files that are complete or not there, folders to put them in, and who may write there.

Besides `tokenfield.study.store`, which keeps whole folders, and `tokenfield.pretrained.wheels`, which fills the cache
of models, this is the only module that writes to disk.
"""

from __future__ import annotations

import json
import os
import socket
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from tokenfield.errors import FileError

try:
    import fcntl
except ImportError:  # not on Windows: no locks there
    fcntl = None  # type: ignore[assignment]


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


def write_bytes(path: Path, data: bytes) -> None:
    """Writes the file at once; raises `FileError` if it cannot be written."""
    with complete(path) as part:
        part.write_bytes(data)


def make_folder(path: Path) -> None:
    """Makes the folder and those above it, if they are not there; raises `FileError` if it cannot."""
    with disk_errors(path):
        path.mkdir(parents=True, exist_ok=True)


@contextmanager
def only_writer(path: Path, *, wait: bool = False) -> Iterator[None]:
    """Keeps other processes from writing the folder `path`; if one does so already, waits for it or raises `FileError`.

    The lock is a hidden file beside the folder, which names its holder. The system lets go of it when the process ends,
    however it ends, so that what a killed process leaves stands in nobody's way. Where the file system has no locks
    nothing is kept from anybody.
    """
    path = path.absolute()
    if fcntl is None or not path.name:
        yield
        return
    made = [folder for folder in path.parents if not folder.exists()]
    handle = _locked(path, wait)
    try:
        yield
    finally:
        if handle is not None:
            with suppress(OSError):
                os.unlink(_lock_of(path))  # while it is held: whoever comes next makes a new one
            os.close(handle)
        with suppress(OSError):  # folders that were made for nothing go; the first that is not empty stays
            for folder in made:
                folder.rmdir()


def is_written(path: Path) -> bool:
    """Whether a process is writing the folder `path` now."""
    try:
        with only_writer(path):
            return False
    except FileError:
        return True


def _lock_of(path: Path) -> Path:
    return path.with_name(f".{path.name}.lock")


def _locked(path: Path, wait: bool) -> int | None:
    """The open lock of a folder; `None` where there can be none."""
    lock = _lock_of(path)
    while True:
        try:
            lock.parent.mkdir(parents=True, exist_ok=True)
            handle = os.open(lock, os.O_RDWR | os.O_CREAT, 0o666)
        except OSError:  # whoever writes the folder will say what is wrong with the place
            return None
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | (0 if wait else fcntl.LOCK_NB))
            if _is_file(handle, lock):
                os.truncate(handle, 0)
                os.write(handle, json.dumps({"process": os.getpid(), "host": socket.gethostname()}).encode())
                return handle
        except BlockingIOError as error:
            holder = _holder(handle)
            os.close(handle)
            raise FileError(f"{path} is being written{holder}: wait for it, or choose another --out") from error
        except OSError:  # a file system without locks
            os.close(handle)
            return None
        os.close(handle)  # its holder took it away at this moment: again, with a new one


def _is_file(handle: int, path: Path) -> bool:
    """Whether an open file is still the one at `path`."""
    try:
        return os.path.samestat(os.fstat(handle), os.stat(path))
    except OSError:
        return False


def _holder(handle: int) -> str:
    try:
        holder = json.loads(os.read(handle, 1000))
        return f" by process {holder['process']} on {holder['host']}"
    except (OSError, ValueError, KeyError, TypeError):
        return ""


def send_nowhere(descriptor: int) -> None:
    """Drops whatever is written to a file descriptor from now on."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, descriptor)
    os.close(nowhere)


@contextmanager
def temporary_folder() -> Iterator[Path]:
    """A folder that is gone with all that is in it when the context ends."""
    with tempfile.TemporaryDirectory() as folder:
        yield Path(folder)
