"""How much memory and disk there is, and an error before more is asked for.

What is compared with it is the least that a computation needs, so that only what surely cannot work is refused. Where
the system does not say how much there is, nothing is refused. JAX is asked for its devices if it is in use.
"""

from __future__ import annotations

import math
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path

from tokenfield.errors import TooLarge

FLOAT = 8  # bytes of a number in float64
COMPRESSED = 0.1  # the part of its bytes that an array takes on disk, at best: states far apart hardly shrink
ALWAYS_THERE = 2**26  # bytes for which nobody is asked


def require_memory(needed: float, what: str, *, advice: str, on_host: bool = False) -> None:
    """Raises `TooLarge` if there are fewer than `needed` bytes of memory.

    Args:
        needed: The least number of bytes that `what` takes.
        what: Who needs them, in the plural, as the message begins.
        advice: What to change.
        on_host: Whether they are NumPy's, which are never on a device.

    >>> require_memory(1e24, "a million systems", advice="take fewer of them")
    Traceback (most recent call last):
    tokenfield.errors.TooLarge: a million systems need at least 1e+09 PB of memory, ...: take fewer of them
    """
    if needed > ALWAYS_THERE and needed > (there := available_memory(on_host=on_host)):
        raise TooLarge(f"{what} need at least {size_in_words(needed)} of memory, {_there(there)}: {advice}")


def require_numbers(count: float, what: str, *, advice: str, on_host: bool = False) -> None:
    """Raises `TooLarge` if there is no memory for `count` numbers in float64; see `require_memory`."""
    require_memory(FLOAT * count, what, advice=advice, on_host=on_host)


def require_disk(needed: float, folder: Path, what: str, *, advice: str) -> None:
    """Raises `TooLarge` if `needed` bytes, compressed, do not fit on the disk where `folder` is, or will be made."""
    needed *= COMPRESSED
    if needed > ALWAYS_THERE and needed > (there := _free_disk(folder)):
        raise TooLarge(f"{what} need at least {size_in_words(needed)} on disk, {_there(there)}: {advice}")


def require_for_tokens(n: int, d: int) -> None:
    """Raises `TooLarge` if n tokens of R^d do not fit in memory, each with a weight and a position.

    While they are drawn, there are two arrays of points.
    """
    require_numbers(n * (2 * d + 2), f"{n} tokens in R^{d}", advice="take fewer tokens, or a lower dimension")


def available_memory(*, on_host: bool = False) -> float:
    """The number of bytes that this process can still get; on the devices of JAX where they have their own memory."""
    devices = None if on_host else _free_on_devices()
    return min(_free_limits(), default=math.inf) if devices is None else devices


def size_in_words(size: float) -> str:
    """A number of bytes to be read.

    >>> size_in_words(24e12), size_in_words(999)
    ('24 TB', '999 B')
    """
    size = float(min(size, 10**300))  # whole numbers may be larger than any float
    for unit in ("B", "kB", "MB", "GB", "TB"):
        if size < 999.5:
            return f"{size:.3g} {unit}"
        size /= 1000
    return f"{size:.3g} PB"


def _there(size: float) -> str:
    return f"{size_in_words(max(size, 0.0))} are available"


def _free_on_devices() -> float | None:
    """What is free on accelerators, on all of them together since sums can be split; `None` on a CPU."""
    jax = sys.modules.get("jax")
    if jax is None or jax.default_backend() == "cpu":
        return None
    stats = [device.memory_stats() or {} for device in jax.local_devices()]
    if not all("bytes_limit" in found for found in stats):
        return math.inf
    return float(sum(found["bytes_limit"] - found.get("bytes_in_use", 0) for found in stats)) * jax.process_count()


def _free_limits() -> Iterator[float]:
    """What each of the limits leaves: that of the machine, of a container, and of the process."""
    machine = _table(Path("/proc/meminfo"))
    if "MemAvailable" in machine:
        yield 1024 * (machine["MemAvailable"] + machine.get("SwapFree", 0.0))
    yield from _free_in_groups()
    try:
        import resource

        limit = resource.getrlimit(resource.RLIMIT_AS)[0]
        if limit != resource.RLIM_INFINITY:
            yield limit - int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
    except (ImportError, OSError, ValueError):
        pass


def _free_in_groups() -> Iterator[float]:
    """What the control groups of Linux leave, by which containers are limited; files of versions 2 and 1."""
    try:
        lines = Path("/proc/self/cgroup").read_text().splitlines()
    except OSError:
        return
    for line in lines:
        _, controllers, place = line.split(":", 2)
        if controllers == "":
            root, names = Path("/sys/fs/cgroup"), ("memory.max", "memory.current", "inactive_file")
        elif "memory" in controllers.split(","):
            root = Path("/sys/fs/cgroup/memory")
            names = ("memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file")
        else:
            continue
        # inside a container the group is often mounted as the root
        for folder in {root / place.lstrip("/"), root}:
            try:
                limit, used = (int((folder / name).read_text()) for name in names[:2])
            except (OSError, ValueError):  # there is no such file, or the limit is "max"
                continue
            yield limit - used + _table(folder / "memory.stat").get(names[2], 0.0)  # files read are given back


def _table(path: Path) -> dict[str, float]:
    """The numbers of a file of lines such as `MemAvailable:  1234 kB`, by name."""
    try:
        rows = [line.replace(":", " ").split() for line in path.read_text().splitlines()]
        return {row[0]: float(row[1]) for row in rows if len(row) > 1}
    except (OSError, ValueError):
        return {}


def _free_disk(folder: Path) -> float:
    folder = folder.absolute()
    while not folder.exists() and folder != folder.parent:
        folder = folder.parent
    try:
        return float(shutil.disk_usage(folder).free)
    except OSError:
        return math.inf
