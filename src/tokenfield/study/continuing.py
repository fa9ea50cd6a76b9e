"""From a finished run to the config of one that starts where it ended. Plain data; no JAX unless the run needs it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from tokenfield.errors import ConfigError
from tokenfield.study.config import Config, read_tables
from tokenfield.study.kinds import END_OF_RUN
from tokenfield.study.store import RunFolder
from tokenfield.study.store.folder import CONFIG


def tables_after(run: str | Path, *, layers: int | None = None) -> dict[str, Any]:
    """The tables of a config that goes on from the end of `run`; the final time is still that of the run.

    Raises `ConfigError` where the settings of the run mean nothing to what comes after it.
    """
    folder = RunFolder.open(run)
    config, summary = folder.config.resolved(), folder.summary
    if _ends_with_the_run(config):
        raise ConfigError("its layers end where the run ended: weights or gains of given layers cannot be continued")
    if config.solve.layers is not None and layers is None:
        raise ConfigError("the run was one of layers: say how many follow with --layers")
    tables = read_tables(folder.path / CONFIG)
    tables["initial"] = {"kind": END_OF_RUN, "path": str(folder.path.absolute())}
    solve = tables.setdefault("solve", {})
    solve["t0"] = summary["t"]
    if isinstance(solve.get("save"), list):  # times of the past
        del solve["save"]
    return tables


def _ends_with_the_run(config: Config) -> bool:
    """Whether something has a fixed number of layers over [0, solve.t1]."""
    gain = None if config.normalization is None else config.normalization.gain
    has_gains = gain is not None and isinstance(gain[0], tuple)
    has_layers = config.block is not None and config.block.layers is not None
    return config.schedule.kind == "per-layer" or has_layers or has_gains
