"""Values as JSON has them."""

from __future__ import annotations

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
