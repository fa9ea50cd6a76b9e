"""A model as plain data and back: the classes of tokenfield by name, with their fields. Never code.

What no such data can hold, functions and classes of somebody else's, is noted by its name; reading it back fails.
"""

from __future__ import annotations

import dataclasses
import enum
import importlib
from typing import Any

from tokenfield.errors import FileError

PACKAGE = "tokenfield."


def to_plain(value: Any) -> Any:
    """`value` as JSON has it: objects of tokenfield with their class and fields, arrays with their type and numbers."""
    import jax
    import numpy as np

    if value is None or isinstance(value, (bool, int, str)):
        return value
    if isinstance(value, float):
        return {"float": value.hex()}
    if isinstance(value, (tuple, list)):
        return {type(value).__name__: [to_plain(entry) for entry in value]}
    if isinstance(value, dict):
        return {"dict": [[to_plain(key), to_plain(entry)] for key, entry in value.items()]}
    if isinstance(value, jax.Array) and jax.numpy.issubdtype(value.dtype, jax.dtypes.prng_key):
        return {"key": np.asarray(jax.random.key_data(value)).tolist()}
    if isinstance(value, (jax.Array, np.ndarray, np.generic)):
        numbers = np.asarray(value)
        kind = "array" if isinstance(value, jax.Array) else "scalar" if isinstance(value, np.generic) else "numpy"
        return {kind: numbers.tobytes().hex(), "dtype": str(numbers.dtype), "shape": list(numbers.shape)}
    cls = type(value)
    name = f"{cls.__module__}:{cls.__qualname__}"
    if isinstance(value, enum.Enum) and cls.__module__.startswith(PACKAGE):
        return {"enum": name, "name": value.name}
    if dataclasses.is_dataclass(value) and not isinstance(value, type) and cls.__module__.startswith(PACKAGE):
        fields = dataclasses.fields(value)
        return {"class": name, "fields": {f.name: to_plain(getattr(value, f.name)) for f in fields}}
    return {"unknown": name if not callable(value) else getattr(value, "__qualname__", name)}


def from_plain(data: Any) -> Any:
    """The value that `to_plain` made `data` of; raises `FileError` for what it could not hold."""
    if not isinstance(data, dict):
        return data
    if "unknown" in data:
        raise FileError(f"{data['unknown']} is not part of tokenfield")
    if "float" in data:
        return float.fromhex(data["float"])
    for cls in (tuple, list):
        if cls.__name__ in data:
            return cls(from_plain(entry) for entry in data[cls.__name__])
    if "dict" in data:
        return {from_plain(key): from_plain(entry) for key, entry in data["dict"]}
    if "class" in data or "enum" in data:
        return _of_class(data)
    return _array(data)


def _array(data: dict[str, Any]) -> Any:
    import jax
    import jax.numpy as jnp
    import numpy as np

    if "key" in data:
        return jax.random.wrap_key_data(jnp.asarray(data["key"], jnp.uint32))
    (kind,) = data.keys() & {"array", "numpy", "scalar"}
    numbers = np.frombuffer(bytes.fromhex(data[kind]), data["dtype"]).reshape(data["shape"])
    return jnp.asarray(numbers) if kind == "array" else numbers[()] if kind == "scalar" else numbers.copy()


def _of_class(data: dict[str, Any]) -> Any:
    module, _, name = (data.get("class") or data["enum"]).partition(":")
    try:
        if not module.startswith(PACKAGE):
            raise AttributeError(name)
        cls = importlib.import_module(module)
        for part in name.split("."):
            cls = getattr(cls, part)
    except (ImportError, AttributeError) as error:
        raise FileError(f"{module}.{name} is not part of this version of tokenfield") from error
    if "enum" in data:
        return cls[data["name"]]  # type: ignore[index]
    value: Any = object.__new__(cls)  # type: ignore[arg-type]
    known = {field.name for field in dataclasses.fields(cls)}  # type: ignore[arg-type]
    if known != set(data["fields"]):
        raise FileError(f"{name} has other fields in this version of tokenfield")
    for field, entry in data["fields"].items():
        object.__setattr__(value, field, from_plain(entry))
    return value
