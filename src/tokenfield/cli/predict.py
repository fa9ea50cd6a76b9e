"""The command `predict`: what theory says, without simulating."""

from __future__ import annotations

from typing import Annotated

import typer

from tokenfield._runtime.compilation import keep_compiled_code
from tokenfield._runtime.json import to_json
from tokenfield.cli.flags import Given, takes_config
from tokenfield.cli.shared import Json, console
from tokenfield.errors import ConfigError


@takes_config(
    ("geometry.dim", "attention.beta", "initial.n", "attention.kind", "noise.kappa"),
    file="A config: for its model and its start; --dim and --beta if left out.",
    help={
        "geometry.dim": "Ambient dimension d: tokens on S^(d-1).",
        "attention.beta": "Inverse temperature.",
        "initial.n": "Number of tokens; by default 32.",
        "attention.kind": "Without a config softmax or unnormalized; by default softmax.",
        "noise.kappa": "Also under noise sqrt(2/kappa) dW.",
    },
    has_settings=False,
)
def predict(
    given: Given,
    why: Annotated[bool, typer.Option("--why", help="Also list what does not apply, and why.")] = False,
    as_json: Json = False,
) -> None:
    """Print what theory predicts, without simulating: rates, times, thresholds.

    For tokens on the sphere with --dim and --beta, or for the model and the start of a config, whose keys the options
    override. Each prediction comes with what it assumes and where it is from.
    """
    from tokenfield.study import predict as forecasts

    if given.file is not None:
        keep_compiled_code()
        forecast = forecasts.from_config(given.config())
    else:
        if not {"geometry.dim", "attention.beta"} <= given.keys.keys():
            raise ConfigError("without a config the options --dim and --beta are needed")
        forecast = forecasts.from_flags(
            dim=given.keys["geometry.dim"],
            beta=given.keys["attention.beta"],
            n=given.keys.get("initial.n"),
            attention=given.keys.get("attention.kind", "softmax"),
            kappa=given.keys.get("noise.kappa"),
        )
    if as_json:
        typer.echo(to_json(forecast.to_dict()))
    else:
        forecasts.print_forecast(forecast, console(), why=why)
