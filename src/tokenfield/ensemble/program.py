"""Functions of arrays that threads share: compiled once for each shape."""

from __future__ import annotations

import threading
from collections.abc import Callable, Hashable
from typing import Any

import jax


class Program:
    """A function of arrays, compiled for a shape by the first thread that brings it while the others wait.

    Two threads that call one `jax.jit` function for the first time would both compile it.
    """

    def __init__(self, function: Callable[..., Any]) -> None:
        self._function = jax.jit(function)
        self._lock = threading.Lock()
        self._compiled: dict[Hashable, Callable[..., Any]] = {}

    def __call__(self, *arrays: jax.Array) -> Any:
        """The value of the function."""
        shapes = tuple((a.shape, a.dtype) for a in arrays)
        with self._lock:
            if shapes not in self._compiled:
                self._compiled[shapes] = self._function.lower(*arrays).compile()
        return self._compiled[shapes](*arrays)
