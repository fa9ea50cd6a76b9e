"""The machine that a measurement was made on."""

from __future__ import annotations

import os
import platform
from collections.abc import Mapping
from typing import Any

import numpy as np

from tokenfield._runtime.cores import cores


def hardware() -> dict[str, Any]:
    """The machine and the libraries: processor, cores, memory, system, devices of JAX, versions, default dtype."""
    import jax
    import jax.numpy as jnp

    devices = [device.device_kind for device in jax.devices()]
    found: dict[str, Any] = {"processor": _processor(), "cores": cores(), "memory_gib": _memory_gib()}
    if jax.default_backend() != "cpu":
        found["devices"] = [f"{devices.count(kind)} x {kind}" for kind in sorted(set(devices))]
    return found | {
        "system": platform.system(),
        "python": platform.python_version(),
        "jax": jax.__version__,
        "numpy": np.__version__,
        "backend": jax.default_backend(),
        "dtype": jnp.zeros(0).dtype.name,
    }


def hardware_line(found: Mapping[str, Any]) -> str:
    """`hardware()` in one line."""
    devices = "".join(f", {device}" for device in found.get("devices", ()))
    memory = f", {found['memory_gib']:.0f} GiB" if found["memory_gib"] else ""
    return (
        f"{found['processor']}, {found['cores']} cores{memory}{devices}; {found['system']}, Python {found['python']}, "
        f"JAX {found['jax']} on {found['backend']}, NumPy {found['numpy']}; {found['dtype']} where nothing else is said"
    )


def _processor() -> str:
    model = platform.processor() or platform.machine()
    try:
        with open("/proc/cpuinfo") as lines:
            return next((line.split(":")[1].strip() for line in lines if line.startswith("model name")), model)
    except OSError:
        return model


def _memory_gib() -> float | None:
    try:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30
    except (AttributeError, OSError, ValueError):
        return None
