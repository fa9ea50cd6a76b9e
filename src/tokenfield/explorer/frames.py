"""Frames as bytes: a JSON header and arrays. What the page reads, and what an exported scene holds.

    uint32 little endian H | H bytes of JSON | zeros to a multiple of 4 | array | zeros | array | zeros ...

The header has `arrays`, a list of {name, dtype, shape}; dtype is "f4", "u2" or "u1", little endian.
"""

from __future__ import annotations

import json
import struct
from collections.abc import Mapping
from typing import Any

import numpy as np

from tokenfield._runtime.json import to_json
from tokenfield.errors import InvalidInput

DTYPES: dict[str, np.dtype[Any]] = {"f4": np.dtype("<f4"), "u2": np.dtype("<u2"), "u1": np.dtype("u1")}
LEVELS = 65_535  # of a quantized number


def pack(header: Mapping[str, Any], arrays: Mapping[str, np.ndarray]) -> bytes:
    """One frame: the header with the list of its arrays, and the arrays.

    Args:
        header: What JSON can hold; infinities and NaN become null.
        arrays: By name, of float32, uint16 or uint8; other floats become float32.

    Returns:
        The bytes; `unpack` gives both back.

    >>> header, arrays = unpack(pack({"t": 1.5}, {"points": np.eye(2)}))
    >>> header["t"], arrays["points"].tolist()
    (1.5, [[1.0, 0.0], [0.0, 1.0]])
    """
    plain = {name: _plain(values) for name, values in arrays.items()}
    listed = [
        {"name": name, "dtype": f"{values.dtype.kind}{values.dtype.itemsize}", "shape": list(values.shape)}
        for name, values in plain.items()
    ]
    text = to_json({**header, "arrays": listed}).encode()
    parts = [struct.pack("<I", len(text)), _padded(text), *(_padded(values.tobytes()) for values in plain.values())]
    return b"".join(parts)


def unpack(data: bytes) -> tuple[dict[str, Any], dict[str, np.ndarray]]:
    """The header and the arrays of a frame.

    Args:
        data: What `pack` made.

    Returns:
        The header, and the arrays by name.

    Raises:
        InvalidInput: If these are not the bytes of a frame.
    """
    try:
        (length,) = struct.unpack_from("<I", data)
        header = json.loads(data[4 : 4 + length])
        place, arrays = 4 + length + -length % 4, {}
        for entry in header["arrays"]:
            dtype, shape = DTYPES[entry["dtype"]], entry["shape"]
            count = int(np.prod(shape, dtype=np.int64))
            arrays[entry["name"]] = np.frombuffer(data, dtype, count, place).reshape(shape)
            place += -(-count * dtype.itemsize // 4) * 4
    except (ValueError, KeyError, TypeError, struct.error) as error:
        raise InvalidInput(f"these bytes are no frame: {error}") from error
    return header, arrays


def quantized(values: np.ndarray) -> tuple[np.ndarray, float, float]:
    """Numbers as whole ones from 0 to 65535, coded as differences along the first axis, and the ends of their range.

    An entry is lo + (hi - lo) k / 65535 within half a level; differences are modulo 65536.

    Args:
        values: Finite numbers (T, ...).

    Returns:
        The differences (T, ...) as uint16, lo and hi.

    >>> codes, lo, hi = quantized(np.array([[0.0], [1.0], [0.5]]))
    >>> codes.ravel().tolist(), lo, hi
    ([0, 65535, 32769], 0.0, 1.0)
    """
    lo, hi = float(np.min(values)), float(np.max(values))
    scale = LEVELS / (hi - lo) if hi > lo else 0.0
    codes = np.rint((values - lo) * scale).astype(np.uint16)
    return np.concatenate([codes[:1], codes[1:] - codes[:-1]]), lo, hi


def restored(codes: np.ndarray, lo: float, hi: float) -> np.ndarray:
    """The numbers that `quantized` made these codes of, within half a level.

    Args:
        codes: Differences along the first axis, uint16.
        lo: The number that the level 0 stands for.
        hi: The number that the level 65535 stands for.

    Returns:
        The numbers.
    """
    levels = np.cumsum(codes, axis=0, dtype=np.uint16)
    return lo + (hi - lo) / LEVELS * levels


def _plain(values: np.ndarray) -> np.ndarray:
    values = np.asarray(values)
    kept = values.dtype in DTYPES.values()
    return np.ascontiguousarray(values if kept else values.astype(np.float32)).reshape(values.shape)


def _padded(data: bytes) -> bytes:
    return data + bytes(-len(data) % 4)
