"""Arguments of public functions, held against their annotations: what makes no sense is refused in one line.

A package ends with `check_arguments(__name__)`. Then its public functions look at the kind of each argument before they
do anything: a number is a number, a run is no measure. Ranges and shapes are theirs to check. Traced values pass, and
so does every annotation that has no row here.
"""

from __future__ import annotations

import functools
import inspect
import os
import reprlib
import sys
from collections.abc import Callable, Sequence
from typing import Any, TypeVar

from tokenfield.errors import InvalidInput

F = TypeVar("F", bound=Callable[..., Any])

MOST_BITS = 64  # of a whole number; seeds are as long
_SHORT = reprlib.Repr()
_SHORT.maxstring = _SHORT.maxother = _SHORT.maxlong = 60


def shown(value: Any) -> str:
    """A value in a few words, for a message of one line.

    >>> import numpy as np
    >>> shown(2.5), shown("word"), shown(np.ones((3, 2))), shown(InvalidInput())
    ('2.5', "'word'", 'an array of shape (3, 2)', 'InvalidInput')
    """
    if isinstance(value, int) and value.bit_length() > 2 * MOST_BITS:
        return f"a number of {value.bit_length()} bits"
    if value is None or isinstance(value, (bool, int, float, complex, str, bytes, list, tuple, dict)):
        return " ".join(_SHORT.repr(value).split())
    if hasattr(value, "shape") and hasattr(value, "dtype"):
        if value.shape == () and type(value).__module__ == "numpy":
            return " ".join(_SHORT.repr(value).split())
        return f"an array of shape {tuple(value.shape)}"
    return type(value).__name__ if not inspect.isroutine(value) else "a function"


def _is_traced(value: Any) -> bool:
    jax = sys.modules.get("jax")
    return jax is not None and isinstance(value, jax.core.Tracer)


def _is_number(value: Any) -> bool:
    """One real number, or NaN; JAX and NumPy hold them as arrays of no dimension."""
    try:
        return (isinstance(value, (int, float)) or getattr(value, "shape", None) == ()) and float(value) is not None
    except (TypeError, ValueError, OverflowError):
        return False


def _is_truth(value: Any) -> bool:
    # NumPy's own is called bool or bool_; NumPy is not imported for it, since commands that need none start faster
    return isinstance(value, bool) or (type(value).__module__ == "numpy" and type(value).__name__ in ("bool", "bool_"))


def _is_whole(value: Any) -> bool:
    if _is_truth(value) or (not isinstance(value, int) and not _is_number(value)):
        return False
    return bool(abs(value) < 2**MOST_BITS) and int(value) == value


def _is_array(value: Any) -> bool:
    """Numbers in an array, or in lists that make one; what JAX calls arrays includes its random keys."""
    if "jax" in sys.modules and isinstance(value, sys.modules["jax"].Array):
        return True
    if isinstance(value, (str, bytes, dict)) or value is None:
        return False
    import numpy as np

    try:
        return np.asarray(value, None if hasattr(value, "dtype") else float).dtype.kind in "biufc"
    except (TypeError, ValueError, OverflowError):
        return False


def _is_list(value: Any) -> bool:
    if not _is_array(value):
        return False
    import numpy as np

    return np.ndim(value) == 1


def _is_list_of_whole(value: Any) -> bool:
    return isinstance(value, range) or (_is_list(value) and all(_is_whole(one) for one in value))


def _is_a(*names: str) -> Callable[[Any], bool]:
    """Whether a value is of a class that is called so: this file lies below those of the classes."""
    return lambda value: any(cls.__name__ in names for cls in type(value).__mro__)


# what an annotation asks for, in words
_KINDS: dict[str, tuple[Callable[[Any], bool], str]] = {
    "None": (lambda value: value is None, "None"),
    "bool": (_is_truth, "True or False"),
    "int": (_is_whole, "a whole number"),
    "float": (_is_number, "a number"),
    "str": (lambda value: isinstance(value, str), "a word"),
    "Path": (lambda value: isinstance(value, os.PathLike), "a path"),
    "PathLike": (lambda value: isinstance(value, os.PathLike), "a path"),
    "Callable": (callable, "a function"),
    **dict.fromkeys(("Array", "ArrayLike", "ndarray"), (_is_array, "an array of numbers")),
    "Sequence[float]": (_is_list, "a list of numbers"),
    "Sequence[int]": (_is_list_of_whole, "a list of whole numbers"),
    "Measure": (_is_a("Measure"), "a measure"),
    "Density": (_is_a("Density", "MovingDensity", "MaskedDensity", "MaskedMovingDensity"), "a density"),
    "AnyDensity": (_is_a("Density", "MovingDensity", "MaskedDensity", "MaskedMovingDensity"), "a density"),
    "Gaussian": (_is_a("Gaussian"), "a Gaussian"),
    "AnyGaussian": (_is_a("Gaussian", "MaskedGaussian"), "a Gaussian"),
    "Geometry": (_is_a("Geometry"), "Sphere(d) or Euclidean(d)"),
    "Transformer": (_is_a("Transformer"), "a Transformer"),
    "Trajectory": (_is_a("Trajectory"), "a run, as solve returns it"),
    "Save": (_is_a("Save"), "a Save"),
    "Merge": (_is_a("Merge"), "a Merge"),
    "Clock": (_is_a("Clock"), "a Clock"),
    "Ensemble": (_is_a("Ensemble"), "an Ensemble"),
    "Moving": (_is_a("Moving"), "nodes such as laws.Moving(1, 256)"),
    "Grid": (_is_a("Grid"), "a grid such as laws.Fourier(64)"),
}


class _Argument:
    """What one parameter asks for, read from its annotation."""

    def __init__(self, parameter: inspect.Parameter) -> None:
        self.name, self.default = parameter.name, parameter.default
        self.kinds: list[tuple[Callable[[Any], bool], str]] = []
        for one in _alternatives(str(parameter.annotation)):
            kind = _KINDS.get(one) or _KINDS.get(one.partition("[")[0].rpartition(".")[2])
            if kind is None or parameter.kind in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD):
                self.kinds = []
                return
            self.kinds.append(kind)
        self.is_counted = any(accepts is _is_whole for accepts, _ in self.kinds) and not self._accepts(0.5)

    def _accepts(self, value: Any) -> bool:
        return any(accepts(value) for accepts, _ in self.kinds)

    def check(self, value: Any, function: str) -> Any:
        """The value, if it is of the right kind; a whole number in a float is made whole."""
        if value is self.default or _is_traced(value) or self._accepts(value):
            return int(value) if self.is_counted and isinstance(value, float) else value
        wanted = " or ".join(dict.fromkeys(words for _, words in self.kinds if words != "None"))
        raise InvalidInput(f"{function}: {self.name} must be {wanted}, got {shown(value)}{_advice(wanted, value)}")


def _alternatives(annotation: str) -> list[str]:
    """The parts of a union.

    >>> _alternatives("Callable[[int | float], int] | None")
    ['Callable[[int | float], int]', 'None']
    """
    parts, depth = [""], 0
    for letter in annotation:
        depth += (letter == "[") - (letter == "]")
        if letter == "|" and depth == 0:
            parts.append("")
        else:
            parts[-1] += letter
    return [part.strip() for part in parts]


def _advice(wanted: str, value: Any) -> str:
    if "a measure" not in wanted:
        return ""
    return (
        ": take run.measure(), or run.along(...)" if _is_a("Trajectory")(value) else ": make one with Measure(points)"
    )


def checked(function: F) -> F:
    """`function`, which refuses arguments that are not of the kind that their annotations say; or a class that does.

    >>> def half(x: float) -> float:
    ...     return x / 2
    >>> checked(half)("word")
    Traceback (most recent call last):
    tokenfield.errors.InvalidInput: half: x must be a number, got 'word'
    """
    if isinstance(function, type):
        function.__init__ = checked(function.__init__)  # type: ignore[misc]
        return function
    signature, who = inspect.signature(function), function.__qualname__.removesuffix(".__init__")
    found = [_Argument(parameter) for parameter in signature.parameters.values()]
    arguments = {argument.name: argument for argument in found if argument.kinds}

    @functools.wraps(function)
    def call(*values: Any, **options: Any) -> Any:
        try:
            bound = signature.bind(*values, **options)
        except TypeError:  # Python says it better
            return function(*values, **options)
        for name, value in bound.arguments.items():
            if name in arguments:
                bound.arguments[name] = arguments[name].check(value, who)
        return function(*bound.args, **bound.kwargs)

    return call  # type: ignore[return-value]


def check_arguments(package: str, names: Sequence[str] | None = None) -> None:
    """Makes the public functions of a package check their arguments, here and where they are defined.

    Args:
        package: its name.
        names: of the functions; by default all functions in `__all__`.
    """
    home = vars(sys.modules[package])
    for name in home["__all__"] if names is None else names:
        function = home.get(name)
        if inspect.isfunction(function):
            home[name] = checked(function)
            # one object, whatever the way to it: functions travel to other processes by their names
            setattr(sys.modules[function.__module__], function.__name__, home[name])
