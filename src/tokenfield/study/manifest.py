"""What else one needs to know about a result: with which versions, on which device, from which seeds, and when."""

from __future__ import annotations

import datetime
import platform
from importlib import metadata
from typing import Any

import jax

from tokenfield.study.config import Config
from tokenfield.sums.devices import find_devices

LIBRARIES = ("tokenfield", "jax", "jaxlib", "equinox", "diffrax", "numpy", "xarray", "zarr")


def describe_run(config: Config, wall_s: float) -> dict[str, Any]:
    """Versions, device, dtype, seeds, wall time in all and date of the run of `config`."""
    return {
        **environment(),
        "devices": 1 if config.solve.devices is None else len(find_devices(config.solve.devices)),
        "hosts": jax.process_count(),
        "dtype": config.solve.dtype,
        "seed": config.initial.seed,
        "schedule_seed": config.schedule.seed,
        "noise_seed": None if config.noise is None else config.noise.seed,
        "block_seed": None if config.block is None else config.block.seed,
        "perceptron_seed": None if config.perceptron is None else config.perceptron.seed,
        "wall_s": wall_s,
    }


def environment() -> dict[str, Any]:
    """Versions, device and date."""
    device = jax.devices()[0]
    return {
        "versions": {"python": platform.python_version(), **{name: _version(name) for name in LIBRARIES}},
        "platform": platform.platform(),
        "device": {"platform": device.platform, "kind": device.device_kind},
        "created": datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds"),
    }


def _version(name: str) -> str | None:
    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:
        return None
