"""The command `parting`: how far a network and its flow part, layer by layer."""

from __future__ import annotations

import typer

from tokenfield._runtime.compilation import keep_compiled_code
from tokenfield._runtime.json import to_json
from tokenfield.cli.flags import Given, takes_config
from tokenfield.cli.shared import Json, console


@takes_config(
    ("solve.t1", "solve.layers", "initial.n", "initial.seed", "attention.beta", "geometry.dim"),
    help={"solve.layers": "Number of layers of the network; by default that of the config, or of its block."},
)
def parting(given: Given, as_json: Json = False) -> None:
    """Print how far the network of a config and its flow part after each layer.

    The network has layers of length t1 / layers; the flow has the same weights, piecewise constant in depth.
    """
    from tokenfield.study import parting as study

    keep_compiled_code()
    found = study.from_config(given.config())
    if as_json:
        typer.echo(to_json(study.to_dict(found)))
    else:
        study.print_parting(found, console())
