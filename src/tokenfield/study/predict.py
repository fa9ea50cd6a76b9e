"""`tokenfield predict` as it is printed: the predictions for flags or for a config, topic by topic, or as JSON.

Which predictions apply, and their numbers, are up to `tokenfield.theory`. Flags need no JAX, a config does.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from rich.console import Console, Group
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from tokenfield._runtime.json import jsonable
from tokenfield.errors import InvalidInput
from tokenfield.study.config import Config
from tokenfield.theory import Prediction
from tokenfield.theory.conditions import MAX_BETA, MAX_DIM
from tokenfield.theory.growth import IDENTITY, check
from tokenfield.theory.predict import Predictions, predict_setting
from tokenfield.theory.prediction import numbers
from tokenfield.theory.registry import NOISE, TOPICS
from tokenfield.theory.setting import Setting

DEFAULT_N = 32
MAX_N = 10**15
WIDTH = 110  # wider lines are hard to read
NAME_WIDTH = 27
SHOWN_RATES = 12
WINDOWS = ("hysteresis_window", "k_max_window")
SPECTRA = ("growth_rates", "decay_rates", "noisy_growth_rates")
# what the JSON object also has at the top, each with its logarithm if it has one
AT_THE_TOP = ("k_max", "growth_rates", "thresholds", "equiangular_time", "merge_time", "noise_thresholds")


@dataclass(frozen=True)
class Forecast:
    """What is printed: a setting and its predictions. `head` is the title, `throughout` what all of them assume."""

    setting: Setting
    predictions: Predictions
    head: str
    throughout: str | None = None

    def to_dict(self) -> dict[str, Any]:
        """The forecast as plain data; numbers that a double cannot hold are None, with their `log10` beside them."""
        setting = self.setting
        plain: dict[str, Any] = {
            "dim": setting.d,
            "beta": setting.beta,
            "n": setting.n,
            "attention": setting.attention,
            "kappa": setting.kappa,
        }
        for name in AT_THE_TOP:
            found = self.predictions.get(name)
            plain[name] = None if found is None else np.asarray(found.value).tolist()
            if found is not None and found.log10 is not None:
                plain[f"log10_{name}"] = np.asarray(found.log10).tolist()
        return jsonable(plain) | self.predictions.to_dict()


def from_flags(
    *, dim: int, beta: float, n: int | None = None, attention: str = "softmax", kappa: float | None = None
) -> Forecast:
    """The `Forecast` for tokens on S^{dim-1} with Q = K = V = I and no particular start; n is 32 if left out.

    What theory says about noise it says about unnormalized attention: that topic is about it, whatever `attention` is.
    Raises `InvalidInput` for dim < 2, beta negative or above 10^5, n < 2, an unknown attention, kappa <= 0.
    """
    check(beta, dim, attention)
    _check_size(dim, beta, n, kappa)
    count = DEFAULT_N if n is None else int(n)
    quiet = predict_setting(Setting(dim, float(beta), attention, n=count))
    has = {} if kappa is None else {"noise": "noise"}
    noisy = predict_setting(Setting(dim, float(beta), "unnormalized", kappa=kappa, has=has, n=count))
    merged = [(name, noisy if topic == NOISE else quiet) for topic, names in TOPICS.items() for name in names]
    setting = Setting(dim, float(beta), attention, kappa=kappa, n=count)
    predictions = Predictions(
        setting.title,
        {name: found[name] for name, found in merged if name in found},
        {name: found.refused[name] for name, found in merged if name not in found},
    )
    head = setting.title + (" (the default; --n sets it)" if n is None else "")
    return Forecast(setting, predictions, head, throughout=IDENTITY)


def _check_size(dim: int, beta: float, n: int | None, kappa: float | None) -> None:
    if beta > MAX_BETA:
        raise InvalidInput(f"beta must be at most {MAX_BETA:g}, got {beta:g}")
    if dim > MAX_DIM:
        raise InvalidInput(f"the dimension must be at most {MAX_DIM}, got {dim}")
    if n is not None and not 2 <= n <= MAX_N:
        raise InvalidInput(f"the number of tokens must be a whole number from 2 to 10^15, got {n}")
    if kappa is not None and not (math.isfinite(kappa) and kappa > 0):
        raise InvalidInput(f"kappa must be a finite number > 0, got {kappa}")


def from_config(config: Config) -> Forecast:
    """The `Forecast` for the model and the start of a config."""
    from tokenfield.theory.reading import read

    setting = read(*config.build())
    return Forecast(setting, predict_setting(setting), setting.title)


# --- printing -----------------------------------------------------------------------------------------------------


def print_forecast(forecast: Forecast, console: Console, *, why: bool = False) -> None:
    """Prints the forecast topic by topic: values, what they say, what they assume and where they are from.

    With `why`, also what does not apply, each with the reason.
    """
    width = min(console.width, WIDTH)
    console.print(Text(forecast.head, style="bold"), width=width)
    if forecast.throughout:
        console.print(Text(f"{forecast.throughout} throughout", style="dim"), width=width)
    for topic, named in forecast.predictions.topics().items():
        if topic == NOISE and forecast.throughout:
            topic = f"{NOISE}, unnormalized attention"
        console.print()
        _print_topic(topic, named, forecast, console, width)
    refused = forecast.predictions.refused
    console.print()
    if not why:
        text = f"{len(refused)} other predictions do not apply; --why lists the reasons"
        console.print(Text(text, style="dim"), width=width)
        return
    console.print(Text("What does not apply, and why", style="bold cyan"), width=width)
    table = _grid()
    for name, reason in refused.items():
        table.add_row(Padding(Text(name), (0, 0, 0, 2)), Text(reason, style="dim"))
    console.print(table, width=width)


def _grid() -> Table:
    table = Table.grid(padding=(0, 2), expand=True)
    table.add_column(width=NAME_WIDTH)
    table.add_column(ratio=1)
    return table


def _print_topic(topic: str, named: dict[str, Prediction], forecast: Forecast, console: Console, width: int) -> None:
    known = [] if forecast.throughout is None else [forecast.throughout]
    first = next(iter(named.values())).assumptions
    shared = [a for a in first if a not in known and all(a in found.assumptions for found in named.values())]
    console.print(Text(topic, style="bold cyan"), width=width)
    if shared:
        console.print(Padding(Text(f"assuming {'; '.join(shared)}", style="dim"), (0, 0, 0, 2)), width=width)
    table, before = _grid(), ""
    for name, found in named.items():
        ground = _ground(found, [*known, *shared])
        small = Text("assumptions and source as above" if ground == before else ground, style="dim")
        table.add_row(
            Padding(Text(name), (0, 0, 0, 2)), Group(_value(name, found, forecast), Text(found.statement), small)
        )
        before = ground
    console.print(table, width=width)


def _ground(prediction: Prediction, shared: list[str]) -> str:
    """The assumptions that are not shared, the status and the source."""
    own = [a for a in prediction.assumptions if a not in shared]
    assumed = f"assuming {'; '.join(own)}. " if own else ""
    return f"{assumed}{prediction.status.capitalize()} ({prediction.source})"


def _value(name: str, found: Prediction, forecast: Forecast) -> Text | Table:
    if name in SPECTRA:
        fastest = forecast.predictions.get("k_max") if name == "growth_rates" else None
        return _spectrum(found, None if fastest is None else int(fastest.value))
    if np.ndim(found.value) != 1:
        return Text(found.shown, style="bold green")
    entries = numbers(found)
    if name in WINDOWS:
        text = "none" if entries[0] == entries[1] else f"{entries[0]} to {entries[1]}"
        return Text(text, style="bold green")
    return Text("  ".join(entries), style="bold green")


def _spectrum(rates: Prediction, fastest: int | None) -> Table:
    """Degrees and rates side by side; only the neighborhood of the fastest one where there are many."""
    entries = numbers(rates)
    middle = int(np.argmax(rates.value if rates.log10 is None else rates.log10)) + 1 if fastest is None else fastest
    table = Table.grid(padding=(0, 2))
    columns = 3  # of 17 characters at most, such as 10: 5.48869e-06: they fit into 80
    for _ in range(columns):
        table.add_column(justify="left", no_wrap=True)
    cells = []
    for k in _shown_degrees(len(entries), middle):
        text = Text("…") if k is None else Text(f"{k}: {entries[k - 1]}", style="green")
        if k is not None and k == fastest:
            text.stylize("bold reverse")
        cells.append(text)
    for start in range(0, len(cells), columns):
        table.add_row(*cells[start : start + columns])
    return table


def _shown_degrees(count: int, middle: int) -> list[int | None]:
    """1, 2, ..., around `middle` and the last one; None marks a gap."""
    if count <= SHOWN_RATES:
        return list(range(1, count + 1))
    near = {k for k in range(middle - 2, middle + 3) if 1 <= k <= count}
    chosen = sorted({1, 2, count} | near)
    shown: list[int | None] = []
    for k in chosen:
        if shown and shown[-1] is not None and k > shown[-1] + 1:
            shown.append(None)
        shown.append(k)
    return shown
