"""One run over many devices: the contexts in which a config is solved and measured, and how hosts work together.

On several hosts every process runs the same solve with its own tokens. The first one has the folder; what it writes,
measures and draws, it does alone. Whatever may fail on one host alone goes through `all_ready`, so that the others do
not wait for it.
"""

from __future__ import annotations

import dataclasses
import tomllib
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from typing import TYPE_CHECKING, Any

import jax
import jax.numpy as jnp
import numpy as np

from tokenfield.errors import Unfinished, Unsupported
from tokenfield.measure import Measure
from tokenfield.study.config import Config
from tokenfield.sums import on_host, over_devices, shard
from tokenfield.sums.devices import find_devices, of_all_hosts

if TYPE_CHECKING:
    from tokenfield.solver.trajectory import Trajectory


def hosts() -> int:
    """How many processes run this command together."""
    return jax.process_count()


def with_devices(config: Config) -> Config:
    """The resolved config, which on several hosts uses all devices; raises if there are not so many, or they cannot.

    Raises `InvalidInput` for more devices than there are, `Unsupported` for what several hosts cannot do.
    """
    if hosts() > 1:
        if config.solve.merge:
            raise Unsupported("tokens join on one host: leave out merge, or do not launch on several hosts")
        devices = config.solve.devices or "all"
        config = dataclasses.replace(config, solve=dataclasses.replace(config.solve, devices=devices)).resolved()
    if config.solve.devices is not None:
        find_devices(config.solve.devices)
    return config


def while_solving(config: Config) -> AbstractContextManager[Any]:
    """The context in which the tokens of `config` move."""
    which = config.solve.devices
    return nullcontext() if which is None else over_devices(find_devices(which))


def while_measuring(config: Config) -> AbstractContextManager[Any]:
    """The context in which a run of `config` is measured and drawn: on several hosts by the first one alone."""
    return over_devices(jax.local_devices()) if hosts() > 1 else while_solving(config)


def spread(start: Any) -> Any:
    """The tokens to start from, split over the devices of the context; as they are where they cannot be split."""
    return shard(start) if isinstance(start, Measure) else start


def brought_home(run: Trajectory) -> Trajectory:
    """The run with all of its arrays on every host, so that each can use it alone; outside `while_solving`."""
    if hosts() == 1:
        return run
    return jax.tree.map(lambda leaf: jnp.asarray(on_host(leaf)) if isinstance(leaf, jax.Array) else leaf, run)


# --- together -----------------------------------------------------------------------------------------------------


@contextmanager
def all_ready() -> Iterator[None]:
    """For what may fail on one host: at its end all hosts know whether all of them can go on.

    Raises `Unfinished` where another host failed.
    """
    try:
        yield
    except BaseException:
        of_all_hosts(np.array(False))
        raise
    found = of_all_hosts(np.array(True))
    if not found.all():
        who = ", ".join(str(k) for k in np.flatnonzero(~found))
        raise Unfinished(f"process {who} could not go on, its own message says why", run=None)


def same_config(config: Config | None) -> Config:
    """The config of the first host, on every host; only the first one needs to have it."""
    if hosts() == 1:
        assert config is not None
        return config
    text = b"" if config is None else config.to_toml().encode()
    sizes = of_all_hosts(np.array(len(text)))
    padded = np.zeros(int(sizes[0]), np.uint8)
    if config is not None and jax.process_index() == 0:
        padded[:] = np.frombuffer(text, np.uint8)
    found = of_all_hosts(padded)[0].tobytes().decode()
    return Config.from_dict(tomllib.loads(found)).resolved()


@contextmanager
def lost_hosts(place: Any) -> Iterator[None]:
    """Turns errors about a host that is gone into one line that says how to go on."""
    try:
        yield
    except (jax.errors.JaxRuntimeError, ConnectionError) as error:
        if hosts() == 1:
            raise
        why = str(error).strip().partition("\n")[0][:160]
        raise Unfinished(
            f"another host is gone or cannot be reached ({why}): launch the same command with --resume --out {place} "
            "to go on from the last checkpoint",
            run=None,
        ) from error
