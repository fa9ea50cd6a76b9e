"""Parameters of models, checked: one finite number each."""

from __future__ import annotations

import numpy as np
from jax import Array
from jax.typing import ArrayLike

from tokenfield.errors import InvalidInput
from tokenfield.measure import check_finite, float_array, is_concrete


def check_number(value: ArrayLike, name: str) -> Array:
    """`value` as one finite number; raises `InvalidInput` that calls it `name`."""
    try:
        number = float_array(value, name)
    except InvalidInput as error:
        shown = "one beyond float64" if isinstance(error.__cause__, OverflowError) else repr(value)
        raise InvalidInput(f"{name} must be a number, got {shown}") from error
    if number.ndim != 0:
        raise InvalidInput(f"{name} must be one number, got shape {number.shape}; use jax.vmap for several")
    if is_concrete(number) and not bool(np.isfinite(np.asarray(number))):
        hint = "; the limit beta = inf is hardmax attention" if name == "beta" else ""
        raise InvalidInput(f"{name} must be finite, got {float(number)}{hint}")
    return number


def check_beta(value: ArrayLike) -> Array:
    """`value` as an inverse temperature: one finite number."""
    return check_number(value, "beta")


def check_positive(value: ArrayLike, name: str) -> Array:
    """`value` as one positive number; raises `InvalidInput` that calls it `name`."""
    number = check_number(value, name)
    if is_concrete(number) and not float(number) > 0:
        raise InvalidInput(f"{name} must be positive, got {float(number)}")
    return number


def check_radius(value: ArrayLike) -> Array:
    """`value` as a positive radius."""
    return check_positive(value, "radius")


def check_tolerance(value: ArrayLike) -> Array:
    """`value` as a tolerance: a number that is not negative."""
    tolerance = check_number(value, "tolerance")
    if is_concrete(tolerance) and not float(tolerance) >= 0:
        raise InvalidInput(f"tolerance must not be negative, got {float(tolerance)}")
    return tolerance


def check_vector(value: ArrayLike | None, name: str) -> Array | None:
    """`value` as a vector of finite numbers; `None` stays; raises `InvalidInput` that calls it `name`."""
    if value is None:
        return None
    vector = float_array(value, name)
    check_finite(vector, name)
    if vector.ndim != 1:
        raise InvalidInput(f"{name} must be a vector, got shape {vector.shape}")
    return vector
