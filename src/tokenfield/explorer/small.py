"""A small run for the HTTP API: 101 frames of a scene, for as long as somebody may wait."""

from __future__ import annotations

import time
from typing import Any

from tokenfield._runtime.json import jsonable
from tokenfield.errors import TooLarge
from tokenfield.explorer.frames import unpack
from tokenfield.explorer.scene import Scene
from tokenfield.explorer.system import System

FRAMES = 100
MOST_NUMBERS = 500_000  # of coordinates in an answer
LONGEST_S = 20.0


def simulate(tables: Any) -> dict[str, Any]:
    """The run of a config as plain data: times, numbers by name, and states by name, one entry for each time.

    A run that takes longer than 20 seconds ends there, and `result` says so.

    Args:
        tables: The tables of a config.

    Returns:
        The run.

    Raises:
        TokenfieldError: If the config makes no sense, or is not small.
    """
    scene = Scene.of(tables)
    system = System(scene)
    size = sum(values.size for values in unpack(system.first_frame())[1].values())
    if size * (FRAMES + 1) > MOST_NUMBERS:
        raise TooLarge(
            f"{FRAMES + 1} frames of {size} numbers are too much for one answer, which has at most {MOST_NUMBERS}: "
            "take fewer tokens, or tokenfield simulate"
        )
    system.set_speed(scene.speed ** (300 / FRAMES) if scene.clock == "log" else scene.speed * 300 / FRAMES)
    began, frames = time.perf_counter(), [unpack(system.first_frame())]
    while system.result is None and time.perf_counter() - began < LONGEST_S:
        frame = system.frame()
        if frame is not None:
            frames.append(unpack(frame))
    result = system.result
    states = {name for name in frames[0][1] if name in ("points", "density", "mean", "covariance", "radii")}
    return jsonable(
        {
            "config": scene.tables,
            "times": [header["t"] for header, _ in frames],
            "scalars": [header["scalars"] for header, _ in frames],
            "states": {name: [arrays[name].tolist() for _, arrays in frames] for name in sorted(states)},
            "result": f"ended after {LONGEST_S:g} s at t = {system.t:g}" if result is None else str(result),
        }
    )
