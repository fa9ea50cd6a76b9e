"""How a flow is stepped, as small frozen objects: `solve`, configs and the command line share them.

Each option, its default, its check and its line of help are written here, once: the keys of [solve] and the flags of
the command line are made of them. JAX is not imported.
"""

from __future__ import annotations

import math
from dataclasses import MISSING, dataclass, field
from typing import Any

from tokenfield._runtime.arguments import checked
from tokenfield.errors import InvalidInput, did_you_mean

NORMS = ("rms", "max")
CLOCKS = ("time", "distance")
MAX_STEPS = 1_000_000
RTOL, RTOL_FLOAT32 = 1e-7, 1e-5  # float32 rounding would reject every step at 1e-7
RTOL_LEAST = 1e-16
# In units of the solver's local error. A solver limited by stability keeps the spread of a collapsed cluster at about
# its local error, so tokens that join at a smaller distance might never meet.
MERGED_AT = 3.0


def option(default: Any = MISSING, *, help: str, unset: str = "", choices: tuple[str, ...] = ()) -> Any:
    """A field that configs and the command line have too.

    Args:
        default: The default; the field is required without one.
        help: What the option does, in a few words.
        unset: What a default of `None` stands for.
        choices: The names that it can be.
    """
    return field(default=default, metadata={"help": help, "unset": unset, "choices": choices})


@checked
@dataclass(frozen=True)
class Adaptive:
    """Steps that tolerances choose.

    Args:
        method: "tsit5" (order 5), "dopri8" (order 8), "kvaerno5" (implicit) or "ssprk3" (densities on cells), or an
            adaptive solver of diffrax; by default what suits the state.
        rtol: Bound on the relative local error of a step, by default 1e-7, for float32 tokens 1e-5.
        atol: Bound on its absolute part, by default rtol/100.
        norm: "rms" bounds the root mean square over all coordinates, as SciPy does; "max" bounds the error of every
            coordinate of every token, which also resolves one token that moves among many that rest. By default "rms",
            with merging "max".

    Raises:
        InvalidInput: If a tolerance or the norm makes no sense.

    >>> Adaptive("dopri8", rtol=1e-10).atol_for("float64")
    1e-12
    """

    method: Any = option(
        None, help="How depth is stepped", unset="tsit5, with noise heun, for densities on cells ssprk3"
    )
    rtol: float | None = option(None, help="Relative tolerance", unset=f"{RTOL:g}, for float32 {RTOL_FLOAT32:g}")
    atol: float | None = option(None, help="Absolute tolerance", unset="rtol/100")
    norm: str | None = option(
        None, help="Bound on errors in the mean, or of every token", unset="rms, with merging max", choices=NORMS
    )

    def __post_init__(self) -> None:
        if self.norm is not None and self.norm not in NORMS:
            raise InvalidInput(f"unknown norm {self.norm!r}{did_you_mean(str(self.norm), NORMS)}")
        rtol, atol = self.rtol_for("float64"), self.atol_for("float64")
        if not (0 < rtol < 1 and atol >= 0 and math.isfinite(atol)):
            raise InvalidInput(f"tolerances need 0 < rtol < 1 and atol >= 0, got rtol = {rtol}, atol = {atol}")
        if rtol < RTOL_LEAST:
            raise InvalidInput(f"rtol = {rtol:g} is below the rounding of float64: take at least {RTOL_LEAST:g}")

    def rtol_for(self, dtype: str) -> float:
        """The relative tolerance for states of this precision.

        Args:
            dtype: "float64" or "float32".

        Returns:
            The tolerance that was given, or the default.
        """
        return _number(self.rtol, "rtol") if self.rtol is not None else RTOL if dtype == "float64" else RTOL_FLOAT32

    def atol_for(self, dtype: str) -> float:
        """The absolute tolerance for states of this precision.

        Args:
            dtype: "float64" or "float32".

        Returns:
            The tolerance that was given, or a hundredth of the relative one.
        """
        return _number(self.atol, "atol") if self.atol is not None else self.rtol_for(dtype) / 100


@checked
@dataclass(frozen=True)
class FixedStep:
    """Steps of one length.

    Args:
        method: "rk4", "euler", "heun" (the default with noise, in the sense of Stratonovich), "lie-trotter" (attention,
            then perceptron), "euler-normalise" (unprojected Euler, then normalize: the scheme of the published
            figures), or a solver of diffrax.
        step: The length of a step in units of depth; the last one may be shorter, and steps end where weights jump.

    Raises:
        InvalidInput: If the step is not a positive number.

    >>> FixedStep("rk4", 0.1).step
    0.1
    """

    method: Any
    step: float = option(help="Length of the steps of a fixed-step method")

    def __post_init__(self) -> None:
        step = _number(self.step, "step")
        if not (math.isfinite(step) and step > 0):
            raise InvalidInput(f"step must be positive, got {self.step}")


@checked
@dataclass(frozen=True)
class Layers:
    """The model as a residual network of `count` layers, each with step (t1 - t0) / count.

    Args:
        count: The number of layers.

    Raises:
        InvalidInput: If the count is no whole number from 1 on.

    >>> Layers(12).count
    12
    """

    count: int = option(help="Run as a residual network of this many layers")

    def __post_init__(self) -> None:
        count = self.count
        if isinstance(count, bool) or not isinstance(count, (int, float)) or int(count) != count or count < 1:
            raise InvalidInput(f"layers must be a whole number >= 1, got {count!r}")


Stepping = Adaptive | FixedStep | Layers


@checked
@dataclass(frozen=True)
class Merge:
    """Tokens of a collapsed cluster become one weighted token, so that times like e^{beta} take a few hundred steps.

    Args:
        distance: The distance below which tokens of a collapsed cluster join, by default three times the local error.

    Raises:
        InvalidInput: If the distance does not lie between 0 and 1.

    >>> Merge(1e-6).distance
    1e-06
    """

    distance: float | None = option(None, help="Join the tokens of collapsed clusters: for long times")

    def __post_init__(self) -> None:
        distance = self.distance
        is_number = isinstance(distance, (int, float)) and not isinstance(distance, bool)
        if distance is not None and not (is_number and 0 < distance < 1):
            raise InvalidInput(f"merge is True, or the distance below 1 at which tokens join, got {distance!r}")

    def distance_for(self, stepping: Stepping) -> float:
        """The distance at which tokens join that are solved in this way.

        Args:
            stepping: How the flow is stepped.

        Returns:
            The distance that was given, or three times the local error of a step.
        """
        if self.distance is not None:
            return float(self.distance)
        adaptive = stepping if isinstance(stepping, Adaptive) else Adaptive()
        return MERGED_AT * (adaptive.rtol_for("float64") + adaptive.atol_for("float64"))

    @staticmethod
    def parse(value: Any) -> Merge | None:
        """A `Merge`, from what `solve(merge=...)` accepts.

        Args:
            value: `None` or False for no merging, True, a distance, or a `Merge`.

        Returns:
            The `Merge`, or `None` for no merging.
        """
        if value is None or value is False or isinstance(value, Merge):
            return value or None
        return Merge() if value is True else Merge(value)


@checked
@dataclass(frozen=True)
class Clock:
    """What the time of a run is.

    Args:
        kind: "time" is the time of the model. "distance" is the distance that all tokens travel together,
            (sum_i |dx_i|^2)^{1/2}, so that slow motion takes no longer than fast motion; it needs merging.
        speed: With "distance", the distance per unit of time, by default 1.

    Raises:
        InvalidInput: If the kind is unknown, or the speed makes no sense.

    >>> Clock("distance").pace
    1.0
    """

    kind: str = option("time", help="Time of the model, or with merging the distance traveled", choices=CLOCKS)
    speed: float | None = option(None, help="Distance per unit of time, with the clock distance", unset="1")

    def __post_init__(self) -> None:
        if self.kind not in CLOCKS:
            raise InvalidInput(f"unknown clock {self.kind!r}{did_you_mean(str(self.kind), CLOCKS)}")
        if self.speed is not None and self.kind == "time":
            raise InvalidInput("speed is that of clock='distance': leave it out")
        if self.speed is not None and not (math.isfinite(_number(self.speed, "speed")) and self.speed > 0):
            raise InvalidInput(f"speed must be positive, got {self.speed}")

    @property
    def pace(self) -> float | None:
        """The distance per unit of time; `None` for the time of the model."""
        return None if self.kind == "time" else 1.0 if self.speed is None else float(self.speed)

    @staticmethod
    def parse(value: Any) -> Clock:
        """A `Clock`, from what `solve(clock=...)` accepts.

        Args:
            value: A name or a `Clock`.

        Returns:
            The `Clock`.
        """
        return value if isinstance(value, Clock) else Clock(value)


def check_clock(clock: Clock, merge: Merge | None) -> None:
    """Raises `InvalidInput` for a clock that needs merging and has none."""
    if clock.pace is not None and merge is None:
        raise InvalidInput("clock='distance' stops where tokens meet unless they join: add merge=True")


def check_max_steps(max_steps: int | None) -> None:
    """Raises `InvalidInput` unless at least one step may be taken."""
    if max_steps is None:
        return
    if not _number(max_steps, "max_steps") >= 1:
        raise InvalidInput(f"max_steps must be at least 1, got {max_steps}")
    if int(max_steps) != max_steps:
        raise InvalidInput(f"max_steps must be a whole number, got {max_steps}")


def _number(value: Any, name: str) -> float:
    if isinstance(value, (str, bytes, bool)):
        raise InvalidInput(f"{name} must be a number, got {value!r}")
    try:
        return float(value)
    except (TypeError, ValueError, OverflowError) as error:
        raise InvalidInput(f"{name} must be a number, got {value!r}") from error
