"""Folders that grow file by file, each complete or not there: records of claims, tables of benchmarks."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tokenfield._runtime.files import complete, make_folder, write_text
from tokenfield._runtime.json import to_json
from tokenfield.errors import FileError
from tokenfield.study.store.folder import FIGURES, MANIFEST, is_empty, read_json

CLAIMS = "claims.json"
BENCHMARKS = "benchmarks.json"
PAGE = "benchmarks.md"
PARTS = "parts"

Record = dict[str, Any]


@dataclass(frozen=True)
class ClaimsFolder:
    """Records of claims: `claims.json`, the list of all, `parts/ID.json`, one for each, and `figures/NAME.png`."""

    path: Path

    def make(self) -> None:
        """Makes the folder, if it is not there; raises `FileError` if it cannot, or if it is somebody else's."""
        if self.path.is_dir() and not is_empty(self.path) and not is_report(self.path):
            raise FileError(f"{self.path} exists and is not a report: choose another --out")
        for name in (PARTS, FIGURES):
            make_folder(self.path / name)

    def leave(self) -> None:
        """Removes the folder again, if nothing was written into it."""
        with suppress(OSError):
            for place in (self.path / PARTS, self.path / FIGURES, self.path):
                place.rmdir()

    def figure(self, name: str) -> str:
        """The place of a figure, relative to the folder."""
        return f"{FIGURES}/{name}.png"

    def read(self, id: str) -> Record | None:
        """The record of one claim, if there is one."""
        try:
            return read_json(self._part(id))
        except FileError:
            return None

    def write(self, record: Record, figure: bytes | None = None) -> None:
        """Writes the record of one claim, after its figure if there is one; raises `FileError` if it cannot."""
        if figure is not None:
            with complete(self.path / record["figure"]) as part:
                part.write_bytes(figure)
        write_text(self._part(record["id"]), _text(record))

    def read_all(self) -> list[Record]:
        """The list of all records; raises `FileError` if there is none."""
        try:
            records = json.loads((self.path / CLAIMS).read_text(encoding="utf-8"))
        except (OSError, ValueError):
            records = None
        if not isinstance(records, list) or not all(isinstance(record, dict) and "id" in record for record in records):
            raise FileError(f"{self.path} has no {CLAIMS}: run tokenfield reproduce --out {self.path} first")
        return records

    def write_all(self, records: Sequence[Record]) -> None:
        """Writes the list of all records; raises `FileError` if it cannot be written."""
        write_text(self.path / CLAIMS, _text(records))

    def _part(self, id: str) -> Path:
        return self.path / PARTS / f"{id}.json"


def is_report(folder: Path) -> bool:
    """Whether `tokenfield reproduce` made the folder, as far as names tell."""
    return not (folder / MANIFEST).exists() and ((folder / CLAIMS).exists() or (folder / PARTS).is_dir())


def _text(value: Any) -> str:
    return to_json(value, indent=1) + "\n"


@dataclass(frozen=True)
class BenchmarksFolder:
    """What benchmarks found: `benchmarks.json`, `benchmarks.md`, and figures beside them."""

    path: Path

    def make(self) -> None:
        """Makes the folder, if it is not there; raises `FileError` if it cannot."""
        make_folder(self.path)

    def write(self, results: Mapping[str, Any], page: str) -> None:
        """Writes the results, and the page that was printed, over what was there."""
        write_text(self.path / PAGE, page)
        write_text(self.path / BENCHMARKS, to_json(results, indent=2) + "\n")

    def read(self) -> tuple[Any, str]:
        """The results and the page; raises `FileError` if they cannot be read."""
        try:
            return read_json(self.path / BENCHMARKS), (self.path / PAGE).read_text(encoding="utf-8")
        except OSError as error:
            raise FileError(f"cannot read {self.path / PAGE}: {error.strerror or error}") from error
