"""Hidden states from files: .npz, .npy and .safetensors. Only numbers and words are read, never pickles."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from tokenfield.errors import FileError, InvalidInput
from tokenfield.layers.source import KEYS, Source, as_source

_NUMBERED = re.compile(rf"({'|'.join(KEYS)})_(\d+)")


def read_states(path: str | os.PathLike[str]) -> Source:
    """The hidden states in a file.

    A .npy file holds one array (layers, tokens, d) or (prompts, layers, tokens, d). The others hold `states`, of the
    same shapes, and if they like `words` (tokens,), `mask` (prompts, tokens), `attention` (blocks, heads, tokens,
    tokens), `attention_part` and `perceptron_part` (blocks, tokens, d) and `tags` (layers,). Prompts of different
    lengths are numbered: `states_0`, `words_0`, `states_1`, ... In .safetensors, which holds no text, `words` and
    `tags` are metadata in JSON.

    Args:
        path: the file; its ending says how it is read.

    Returns:
        The states, named after the file.

    Raises:
        FileError: the file cannot be read, or its ending is unknown.
        InvalidInput: it holds no hidden states.

    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "states.npy"
    >>> np.save(path, np.ones((3, 4, 2)))
    >>> read_states(path).layers
    3
    """
    path = Path(path)
    readers: dict[str, Callable[[Path], dict[str, Any]]] = {
        ".npy": _read_numpy,
        ".npz": _read_numpy,
        ".safetensors": _read_safetensors,
    }
    reader = readers.get(path.suffix.lower())
    if reader is None:
        raise FileError(f"cannot read hidden states from {path}: the name must end in .npz, .npy or .safetensors")
    if not path.is_file():
        raise FileError(f"there is no file {path}")
    try:
        fields = reader(path)
    except FileError:
        raise
    except OSError as error:
        raise FileError(f"cannot read {path}: {error.strerror or error}") from error
    try:
        return as_source(_gathered(fields), name=path.stem)
    except InvalidInput as error:
        raise InvalidInput(f"{path}: {error}") from error


def _read_numpy(path: Path) -> dict[str, Any]:
    with path.open("rb") as file:
        try:
            # what is inside decides, not the suffix
            loaded = np.load(file, allow_pickle=False)
            return {"states": loaded} if isinstance(loaded, np.ndarray) else dict(loaded)
        except Exception as error:  # damaged bytes make the parsers of NumPy and zipfile raise nearly anything
            raise FileError(
                f"{path} is damaged or no NumPy file of numbers: write it with numpy.save or savez"
            ) from error


def _read_safetensors(path: Path) -> dict[str, Any]:
    try:
        from safetensors import safe_open
    except ImportError as error:
        raise FileError(f"cannot read {path}: install tokenfield[pretrained], which has safetensors") from error
    import ml_dtypes  # noqa: F401, NumPy then knows the floats of 8 and 16 bits

    try:
        with safe_open(path, framework="numpy") as file:
            found: dict[str, Any] = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118
            texts = {
                name: json.loads(text) for name, text in (file.metadata() or {}).items() if name in ("words", "tags")
            }
    except Exception as error:  # its errors are of a class of its own
        raise FileError(f"{path} is damaged or no safetensors file: {_first_line(error)}") from error
    return found | texts


def _gathered(fields: Mapping[str, Any]) -> dict[str, Any]:
    """The fields with numbered prompts as lists; a single array of any name is the states."""
    if len(fields) == 1 and not any(_NUMBERED.fullmatch(name) or name in KEYS for name in fields):
        return {"states": next(iter(fields.values()))}
    found: dict[str, Any] = {}
    numbered: dict[str, dict[int, Any]] = {}
    for name, value in fields.items():
        match = _NUMBERED.fullmatch(name)
        if match is None:
            found[name] = value.tolist() if name in ("words", "tags") and isinstance(value, np.ndarray) else value
        else:
            numbered.setdefault(match[1], {})[int(match[2])] = value
    for name, entries in numbered.items():
        values = [entries[k] for k in sorted(entries)]
        found[name] = [value.tolist() for value in values] if name == "words" else values
    return found


def _first_line(error: Exception) -> str:
    return (str(error).strip().splitlines() or [type(error).__name__])[0]
