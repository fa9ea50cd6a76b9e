"""Where the numbers of each cell of a sweep are, in a few dozen bytes for a cell.

The process that hands out a sweep of 10^5 cells remembers every one of them: arrays of numbers hold that, and objects
are made of them when somebody asks. Identities of cells and names of pieces are checksums, so texts of hexadecimal
digits outside and bytes in here. NumPy is imported when it is used: commands that look at folders only start without.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    import numpy as np

CELL_BYTES, NAME_BYTES = 8, 16  # of the checksums


class Place(NamedTuple):
    """A row of a piece, and the seeds that it has."""

    piece: str
    row: int
    seeds: tuple[int, ...]


class Identities:
    """The identities of cells in their order; `None` for one that cannot be.

    >>> cells = Identities(2)
    >>> cells[1] = "00000000000000ff"
    >>> list(cells)
    [None, '00000000000000ff']
    """

    def __init__(self, count: int) -> None:
        import numpy as np

        self._codes, self._is_good = np.zeros(count, np.uint64), np.zeros(count, bool)

    def __len__(self) -> int:
        return len(self._codes)

    def __getitem__(self, number: int) -> str | None:
        return _text(self._codes[number]) if self._is_good[number] else None

    def __setitem__(self, number: int, cell: str) -> None:
        self._codes[number], self._is_good[number] = int(cell, 16), True

    def __iter__(self) -> Iterator[str | None]:
        return (self[number] for number in range(len(self)))


class Known(Mapping[str, frozenset[int]]):
    """The seeds that are known of each cell by its identity, at one moment; `places` says where their numbers are."""

    def __init__(self, places: Places) -> None:
        import numpy as np

        self._names, self._seeds, self._seeds_of = (
            bytes(places._names),
            tuple(places._seeds),
            np.array(places._seeds_of),
        )
        self._sets = [frozenset(part) for part in self._seeds]  # many cells have the same seeds: one set for them all
        self._cells = np.array(places._cells)
        order = np.argsort(self._cells).astype(np.uint32)
        self._cells = self._cells[order]
        self._pieces, self._rows = np.array(places._pieces)[order], np.array(places._rows)[order]

    def places(self, cell: str) -> set[Place]:
        """Where the numbers of a cell are; nowhere if there are none. A piece that came twice is there once."""
        return {
            Place(self._name(piece), int(self._rows[k]), self._seeds[self._seeds_of[piece]])
            for k in self._lines(cell)
            for piece in (self._pieces[k],)
        }

    def __getitem__(self, cell: str) -> frozenset[int]:
        found = {int(self._seeds_of[self._pieces[k]]) for k in self._lines(cell)}
        if not found:
            raise KeyError(cell)
        parts = [self._sets[k] for k in found]
        return parts[0] if len(parts) == 1 else frozenset[int]().union(*parts)

    def __iter__(self) -> Iterator[str]:
        return (_text(code) for code in sorted(set(self._cells.tolist())))

    def __len__(self) -> int:
        return len(set(self._cells.tolist()))

    def __bool__(self) -> bool:
        return len(self._cells) > 0

    def _name(self, piece: int) -> str:
        return self._names[NAME_BYTES * int(piece) : NAME_BYTES * (int(piece) + 1)].hex()

    def _lines(self, cell: str) -> range:
        code = self._cells.dtype.type(int(cell, 16))
        return range(*(int(self._cells.searchsorted(code, side)) for side in ("left", "right")))


class Places:
    """Which piece has which cells, as pieces are added one by one.

    >>> places = Places()
    >>> places.add("0" * 31 + "1", ["00000000000000ff"], (3, 4))
    >>> places.known()["00000000000000ff"], places.first()
    (frozenset({3, 4}), '00000000000000000000000000000001')
    """

    def __init__(self) -> None:
        self._names, self._seeds_of = bytearray(), array("I")
        self._cells, self._pieces, self._rows = array("Q"), array("I"), array("I")
        self._seeds: dict[tuple[int, ...], int] = {}  # of all pieces, each once

    def __len__(self) -> int:
        return len(self._seeds_of)

    def add(self, name: str, cells: Sequence[str], seeds: Sequence[int]) -> None:
        """Remembers a piece; raises `ValueError` for names that are no checksums."""
        code, codes = _bytes(name, NAME_BYTES), [int.from_bytes(_bytes(cell, CELL_BYTES)) for cell in cells]
        number = len(self)
        self._names += code
        self._seeds_of.append(self._seeds.setdefault(tuple(seeds), len(self._seeds)))
        self._cells.extend(codes)
        self._pieces.extend([number] * len(codes))
        self._rows.extend(range(len(codes)))

    def names(self, begin: str) -> set[str]:
        """The names of the pieces that begin with these two digits."""
        import numpy as np

        table = np.frombuffer(bytes(self._names), np.uint8).reshape(-1, NAME_BYTES)
        return {row.tobytes().hex() for row in table[table[:, 0] == _bytes(begin, 1)[0]]}

    def __iter__(self) -> Iterator[str]:
        """The names of all pieces."""
        return (self._names[k : k + NAME_BYTES].hex() for k in range(0, len(self._names), NAME_BYTES))

    def first(self) -> str | None:
        """The name of one piece; `None` if there is none."""
        return next(iter(self), None)

    def known(self) -> Known:
        """What is known now; pieces that are added later are not in it."""
        return Known(self)


def check(name: str, cells: Sequence[str]) -> None:
    """Raises `ValueError` or `TypeError` if these are no name of a piece and no identities of cells."""
    for text, size in ((name, NAME_BYTES), *((cell, CELL_BYTES) for cell in cells)):
        _bytes(text, size)


def _bytes(text: str, size: int) -> bytes:
    found = bytes.fromhex(text)
    if len(found) != size:
        raise ValueError(f"{text} is no checksum of {size} bytes")
    return found


def _text(code: int | np.uint64) -> str:
    return f"{int(code):0{2 * CELL_BYTES}x}"
