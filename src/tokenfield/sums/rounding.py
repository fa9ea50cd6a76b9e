"""How far numbers are rounded: whether there is float64, and how a GPU multiplies float32. Both are settings of JAX.

Compiled code is told apart by them: what was compiled with one setting is not used with another. Products outside our
kernels obey `jax.default_matmul_precision` by themselves; the kernels read it here.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Literal, get_args

import jax

from tokenfield.errors import InvalidInput

Precision = Literal["float32", "tf32", "bf16"]

SETTINGS: dict[Precision, str] = {"float32": "highest", "tf32": "tensorfloat32", "bf16": "bfloat16"}


@contextmanager
def precision(name: Precision) -> Iterator[None]:
    """A context in which a GPU multiplies float32 numbers in the precision `name`.

    "tf32" and "bf16" trade digits for speed; docs/devices.md says how many and how much. They act on float32 tokens
    on a GPU. Float64 tokens, fast sums, and large sums in few dimensions (up to 20 for tf32 and 8 for bf16) keep their
    precision; `choose` and `explain` say so. It is `jax.default_matmul_precision` by other names: other products of
    matrices follow it too.

    Args:
        name: "float32" (24 bits, what tokenfield sets on import), "tf32" (11 bits) or "bf16" (8 bits).

    Returns:
        A context manager. What runs inside it is compiled for this precision, also if it was compiled for another.

    Raises:
        InvalidInput: for any other name.

    >>> import jax
    >>> with precision("tf32"):
    ...     jax.config.jax_default_matmul_precision
    'tensorfloat32'
    """
    if name not in get_args(Precision):
        raise InvalidInput(f"the precision is one of {', '.join(get_args(Precision))}, got {name!r}")
    with jax.default_matmul_precision(SETTINGS[name]):
        yield


def current_precision() -> Precision:
    """The precision that was asked for; "float32" also for settings of JAX that do not name a format."""
    setting = jax.config.jax_default_matmul_precision  # type: ignore[attr-defined]  # it is there at run time only
    return next((name for name, its_setting in SETTINGS.items() if its_setting == setting), "float32")


def has_float64() -> bool:
    """Whether JAX computes in float64 here: it does since tokenfield was imported, unless it was told not to."""
    return jax.dtypes.canonicalize_dtype("float64") == "float64"
