"""`tokenfield parting`: a config run as a network of layers and as the flow, and how far the two part."""

from __future__ import annotations

import dataclasses
from typing import Any

from rich.console import Console
from rich.table import Table

from tokenfield.errors import ConfigError, Unsupported
from tokenfield.observables.parting import Parting, parting
from tokenfield.study.config import Config
from tokenfield.study.kinds import TOKENS
from tokenfield.study.simulate import solve_config


def from_config(config: Config, *, progress: bool | None = None) -> Parting:
    """How far the network of `config`, of solve.layers or else block.layers layers, and its flow part after each."""
    options, block = config.solve, config.block
    layers = options.layers or (None if block is None else block.layers)
    if layers is None:
        raise ConfigError("how many layers has the network? Give --layers, such as --layers 12 with t1 = 12")
    if config.state.kind != TOKENS or config.noise is not None:
        raise Unsupported("a network and its flow are compared token by token: use tokens without noise")
    # both to the end, at the same times
    common = dataclasses.replace(options, save=layers + 1, save_tokens=True, events=(), observables=(), merge=None)
    common = dataclasses.replace(common, clock="time", speed=None)
    config = dataclasses.replace(config, block=None if block is None else dataclasses.replace(block, final=False))
    stepping = (
        {"layers": layers, "method": None, "step": None, "rtol": None, "atol": None, "norm": None},
        {"layers": None},
    )
    runs = []
    for how in stepping:
        solve = dataclasses.replace(common, **how)
        run, _ = solve_config(dataclasses.replace(config, solve=solve).resolved(), progress=progress)
        if not run.result.is_complete:
            what = "network" if how["layers"] else "flow"
            raise Unsupported(f"the {what} ended early and cannot be compared: {run.result}")
        runs.append(run)
    return parting(*runs)


def to_dict(found: Parting) -> dict[str, Any]:
    """What `--json` prints: a list of numbers for each column of the table."""
    columns = {"t": found.ts, "mean": found.mean, "largest": found.largest, "relative": found.relative}
    return {"layers": len(found) - 1, **{name: values.tolist() for name, values in columns.items()}}


def print_parting(found: Parting, console: Console) -> None:
    """Prints a line for each layer."""
    table = Table("layer", "t", "distance", "largest", "of the way", box=None, pad_edge=False)
    for column in table.columns:
        column.justify = "right"
    for i, (t, mean, largest, relative) in enumerate(
        zip(found.ts, found.mean, found.largest, found.relative, strict=True)
    ):
        table.add_row(str(i), f"{t:g}", f"{mean:.4g}", f"{largest:.4g}", f"{relative:.1%}" if i else "")
    console.print(table)
    console.print(
        "distance: root mean square over tokens, between the network and the flow; of the way: relative to how far the "
        "flow has moved",
        style="dim",
    )
