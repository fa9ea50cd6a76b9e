"""Labelled arrays, written as a Zarr store (version 3) that xarray opens as a dataset.

By hand, because a folder of JSON and compressed chunks is little work, and because importing xarray, pandas and zarr
takes as long as solving a small run. They are imported where something is read.
"""

from __future__ import annotations

import itertools
import json
import math
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tokenfield._runtime.cores import cores

if TYPE_CHECKING:
    import numpy as np

CHUNK_BYTES = 2**24  # chunks are compressed side by side, and read alone

Labelled = Mapping[str, tuple[tuple[str, ...], "np.ndarray"]]


def write_arrays(folder: Path, arrays: Labelled, attributes: Mapping[str, Any]) -> None:
    """Writes `arrays`, the dimensions and values of each by its name, with the `attributes` of them all."""
    folder.mkdir()
    for name, (dimensions, values) in arrays.items():
        _write_array(folder / name, dimensions, values)
    _write_metadata(folder, {"attributes": dict(attributes), "node_type": "group"})


def _write_array(folder: Path, dimensions: tuple[str, ...], values: np.ndarray) -> None:
    import numpy as np
    from numcodecs.zstd import Zstd

    values = np.asarray(values, values.dtype.newbyteorder("<"))
    shape, zstd = chunk_shape(values.shape, values.dtype.itemsize), Zstd(level=0)

    def write(index: tuple[int, ...]) -> None:
        part = values[tuple(slice(i * size, (i + 1) * size) for i, size in zip(index, shape, strict=True))]
        chunk = np.zeros(shape, values.dtype)  # every chunk has the full shape, also the last ones
        chunk[tuple(map(slice, part.shape))] = part
        path = folder.joinpath("c", *map(str, index))
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(zstd.encode(chunk))

    with ThreadPoolExecutor(cores()) as threads:  # compression leaves Python free
        list(threads.map(write, _chunks(values.shape, shape)))
    _write_metadata(
        folder,
        {
            "shape": values.shape,
            "data_type": values.dtype.name,
            "chunk_grid": {"name": "regular", "configuration": {"chunk_shape": shape}},
            "chunk_key_encoding": {"name": "default", "configuration": {"separator": "/"}},
            "fill_value": [0, 0] if values.dtype.kind == "c" else values.dtype.type(0).item(),
            "codecs": [
                {"name": "bytes", "configuration": {"endian": "little"}},
                {"name": "zstd", "configuration": {"level": 0, "checksum": False}},
            ],
            "attributes": {},
            "dimension_names": dimensions,
            "node_type": "array",
        },
    )


def chunk_shape(shape: tuple[int, ...], itemsize: int) -> tuple[int, ...]:
    """The shape of chunks of at most `CHUNK_BYTES`: the first axis is cut first.

    >>> chunk_shape((101, 10**6, 2), 8), chunk_shape((101, 200, 3), 8)
    ((1, 1000000, 2), (101, 200, 3))
    """
    chunk = [max(size, 1) for size in shape]
    for axis in range(len(chunk)):
        rest = itemsize * math.prod(chunk[axis + 1 :])
        chunk[axis] = min(chunk[axis], max(CHUNK_BYTES // rest, 1))
    return tuple(chunk)


def _chunks(shape: tuple[int, ...], chunk: tuple[int, ...]) -> Iterator[tuple[int, ...]]:
    return itertools.product(*(range(-(-length // size)) for length, size in zip(shape, chunk, strict=True)))


def _write_metadata(folder: Path, metadata: Mapping[str, Any]) -> None:
    folder.mkdir(exist_ok=True)
    (folder / "zarr.json").write_text(json.dumps({"zarr_format": 3, **metadata}, indent=2), encoding="utf-8")
