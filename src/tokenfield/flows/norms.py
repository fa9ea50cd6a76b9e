"""The norms in which local errors of a state are measured."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import equinox as eqx
import jax.numpy as jnp
import optimistix as optx
from jax import Array

from tokenfield.errors import InvalidInput, did_you_mean

Norm = Callable[[Any], Any]
NORMS: dict[str, Norm] = {"rms": optx.rms_norm, "max": optx.max_norm}


def find_norm(name: str) -> Norm:
    """The norm called `name`; raises `InvalidInput` with the nearest name otherwise."""
    if name not in NORMS:
        raise InvalidInput(f"unknown norm {name!r}{did_you_mean(str(name), NORMS)}")
    return NORMS[name]


class WeightedRms(eqx.Module):
    """The root of the weighted mean square, for weights (m,) of sum 1."""

    weights: Array

    def __call__(self, x: Any) -> Array:
        return jnp.sqrt(jnp.sum(self.weights.astype(x.dtype) * x * x))
