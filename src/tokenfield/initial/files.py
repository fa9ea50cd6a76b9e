"""Tokens from a file: .npy, .npz or .csv. Only numbers are read, never pickles. Nothing is written here."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np

from tokenfield.errors import FileError, InvalidInput
from tokenfield.geometry import Geometry
from tokenfield.measure import Measure

WEIGHT_NAMES = ("weight", "weights")


def from_file(path: str | os.PathLike[str], geometry: Geometry | None = None) -> Measure:
    """The measure that is stored in a file.

    A .npy file holds points (n, d). A .npz file holds `points` (n, d) and perhaps `weights` (n,). A .csv file has
    one point on each line; its first line may hold the names of the columns, and the last column may be called
    `weight`.

    Args:
        path: the file; its ending says how it is read.
        geometry: the space on which the points must lie, as in `Measure`; by default `None`: they are not checked.

    Returns:
        A measure with points (n, d); the weights are equal if the file has none.

    Raises:
        FileError: the file cannot be read, or its ending is unknown.
        InvalidInput: the file holds no measure, or its points are off the geometry.

    >>> import pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "tokens.csv"
    >>> _ = path.write_text("x,y,weight\\n1,0,3\\n0,1,1\\n")
    >>> from_file(path)
    Measure(2 tokens in R^2, weights from 0.25 to 0.75)
    """
    path = Path(path)
    readers = {".npy": _read_numpy, ".npz": _read_numpy, ".csv": _read_csv}
    reader = readers.get(path.suffix.lower())
    if reader is None:
        raise FileError(f"cannot read tokens from {path}: the name must end in .npy, .npz or .csv")
    try:
        if path.stat().st_size == 0:
            raise FileError(f"{path} is empty")
        points, weights = reader(path)
    except FileError:
        raise
    except FileNotFoundError as error:
        raise FileError(f"there is no file {path}") from error
    except OSError as error:
        raise FileError(f"cannot read {path}: {error.strerror or error}") from error
    try:
        return Measure(points, weights, geometry=geometry)
    except InvalidInput as error:
        raise InvalidInput(f"{path}: {error}") from error


def _read_numpy(path: Path) -> tuple[np.ndarray, np.ndarray | None]:
    # opened here, so that only the operating system's errors say "cannot read" and numpy's say "damaged"
    with path.open("rb") as file:
        try:
            # what is inside decides, not the suffix
            loaded = np.load(file, allow_pickle=False)
            arrays = {"points": loaded} if isinstance(loaded, np.ndarray) else dict(loaded)
        except Exception as error:  # damaged bytes make the parsers of NumPy and zipfile raise nearly anything
            raise FileError(
                f"{path} is damaged or no NumPy file of numbers: write it with numpy.save or savez"
            ) from error
    if "points" not in arrays:
        found = ", ".join(arrays) or "nothing"
        raise InvalidInput(f"{path} must hold an array named 'points', it holds: {found}")
    return arrays["points"], arrays.get("weights")


def _read_csv(path: Path) -> tuple[np.ndarray, np.ndarray | None]:
    try:
        text = path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError as error:
        raise FileError(f"{path} is not a text file (UTF-8)") from error
    lines = [(number, line) for number, line in enumerate(text.splitlines(), start=1) if line.strip()]
    names = [] if not lines or _is_row(lines[0][1]) else [cell.strip().strip('"') for cell in lines[0][1].split(",")]
    rows = lines[1:] if names else lines
    if not rows:
        raise FileError(f"{path} holds no points")
    table = _parse(path, rows, width=len(names) or len(rows[0][1].split(",")))
    is_weight = [name.lower() in WEIGHT_NAMES for name in names]
    if any(is_weight[:-1]):
        raise InvalidInput(f"{path}: the column {names[is_weight.index(True)]!r} must be the last one")
    if names and is_weight[-1]:
        return table[:, :-1], table[:, -1]
    return table, None


def _is_row(line: str) -> bool:
    """Whether the line holds data: a line of names has no number in it."""
    return any(_is_number(cell) for cell in line.split(","))


def _is_number(cell: str) -> bool:
    try:
        float(cell)
    except ValueError:
        return False
    return True


def _parse(path: Path, rows: list[tuple[int, str]], *, width: int) -> np.ndarray:
    table = np.empty((len(rows), width))
    for i, (number, line) in enumerate(rows):
        cells = line.split(",")
        if len(cells) != width:
            raise InvalidInput(f"{path}, line {number}: expected {width} columns, got {len(cells)}")
        try:
            table[i] = [float(cell) for cell in cells]
        except ValueError:
            bad = next(cell for cell in cells if not _is_number(cell))
            raise InvalidInput(f"{path}, line {number}: {bad.strip()!r} is not a number") from None
    return table
