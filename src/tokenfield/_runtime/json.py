"""Values as JSON has them."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from typing import Any


def jsonable(value: Any) -> Any:
    """`value` with tuples as lists and with `None` for NaN and infinities, which JSON does not have."""
    if isinstance(value, Mapping):
        return {str(name): jsonable(entry) for name, entry in value.items()}
    if isinstance(value, (list, tuple)):
        return [jsonable(entry) for entry in value]
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value


def to_json(value: Any, *, indent: int | None = None) -> str:
    """`value` as JSON text; what is not a number becomes null.

    >>> to_json({"β": (1.0, float("nan"))})
    '{"β": [1.0, null]}'
    """
    return json.dumps(jsonable(value), indent=indent, allow_nan=False, ensure_ascii=False)
