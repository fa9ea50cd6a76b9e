"""What theory says about a model, as `tokenfield predict` prints it: sections of named predictions. Needs no JAX."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from rich.console import Console, Group
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from tokenfield import theory
from tokenfield._runtime.json import jsonable
from tokenfield.errors import InvalidInput
from tokenfield.theory import Prediction
from tokenfield.theory.growth import IDENTITY, check, threshold

DEFAULT_N = 32
MAX_BETA = 1e5  # sums over Bessel functions of larger arguments take too long
MAX_DIM = 100_000
MAX_N = 10**15
LEVEL = 0.999
WIDTH = 110  # wider lines are hard to read
NAME_WIDTH = 20
SHOWN_RATES = 12
SHOWN_THRESHOLDS = 24
BRANCH_BETA, BRANCH_DIM, BRANCH_DEPTH = 60.0, 1024, 11.0


@dataclass(frozen=True)
class Named:
    """One prediction with a short name for people and a key for programs."""

    key: str
    name: str
    prediction: Prediction


@dataclass(frozen=True)
class Forecast:
    """Every prediction for one model, section by section."""

    dim: int
    beta: float
    n: int
    attention: str
    kappa: float | None
    is_default_n: bool
    sections: tuple[tuple[str, tuple[Named, ...]], ...]

    def __getitem__(self, key: str) -> Prediction:
        return next(entry.prediction for entry in self._all() if entry.key == key)

    def _all(self) -> Iterator[Named]:
        return (entry for _, entries in self.sections for entry in entries)

    def to_dict(self) -> dict[str, Any]:
        """The forecast as plain data; numbers that a double cannot hold are None, with their `log10` beside them."""
        rates, merge, time = self["growth_rates"], self["merge_time"], self["equiangular_time"]
        plain = {
            "dim": self.dim,
            "beta": self.beta,
            "n": self.n,
            "attention": self.attention,
            "kappa": self.kappa,
            "k_max": int(self["k_max"].value),
            "growth_rates": rates.value.tolist(),
            "log10_growth_rates": rates.log10.tolist(),
            "thresholds": self["thresholds"].value.tolist(),
            "equiangular_time": float(time),
            "log10_equiangular_time": time.log10,
            "merge_time": float(merge),
            "log10_merge_time": merge.log10,
            "noise_thresholds": self["noise_thresholds"].value.tolist(),
            "log10_noise_thresholds": self["noise_thresholds"].log10.tolist(),
            "predictions": [
                {"name": entry.key, "about": entry.name, **entry.prediction.to_dict()} for entry in self._all()
            ],
        }
        return jsonable(plain)


def predict(
    *, dim: int, beta: float, n: int | None = None, attention: str = "softmax", kappa: float | None = None
) -> Forecast:
    """The `Forecast` for tokens on S^{dim-1} with Q = K = V = I; n is 32 if left out.

    Errors: `InvalidInput` for dim < 2, beta negative or above 10^5, n < 2, an unknown attention, kappa <= 0.
    """
    check(beta, dim, attention)
    _check_size(dim, beta, n, kappa)
    count = DEFAULT_N if n is None else int(n)
    sections = [
        ("Leaving the uniform law", tuple(_instability(dim, beta, count, attention))),
        ("Collapse", tuple(_collapse(dim, beta, count, attention))),
        ("Slow times of clusters", tuple(_clusters(beta, attention))),
        ("Noise sqrt(2/kappa) dW, unnormalized attention", tuple(_noise(dim, beta, kappa))),
    ]
    return Forecast(dim, float(beta), count, attention, kappa, n is None, tuple(sections))


def _check_size(dim: int, beta: float, n: int | None, kappa: float | None) -> None:
    if beta > MAX_BETA:
        raise InvalidInput(f"beta must be at most {MAX_BETA:g}, got {beta:g}")
    if dim > MAX_DIM:
        raise InvalidInput(f"the dimension must be at most {MAX_DIM}, got {dim}")
    if n is not None and not 2 <= n <= MAX_N:
        raise InvalidInput(f"the number of tokens must be a whole number from 2 to 10^15, got {n}")
    if kappa is not None and not (math.isfinite(kappa) and kappa > 0):
        raise InvalidInput(f"kappa must be a finite number > 0, got {kappa}")


def _instability(d: int, beta: float, n: int, attention: str) -> Iterator[Named]:
    fastest = theory.k_max(beta, d)
    k = int(fastest.value)
    yield Named("k_max", "fastest degree", fastest)
    yield Named(
        "growth_rates", "growth rates", theory.growth_rates(beta, d, count=max(8, 2 * k + 2), attention=attention)
    )
    yield Named("thresholds", "thresholds in beta", theory.thresholds(d, count=min(max(6, k + 1), SHOWN_THRESHOLDS)))
    if k + 1 > SHOWN_THRESHOLDS:
        window = Prediction(
            np.array([threshold(d, k - 1), threshold(d, k)]),
            f"k_max = {k} between these two values of beta",
            fastest.assumptions,
            fastest.source,
        )
        yield Named("k_max_window", "window of beta", window)
    yield Named("exit_time", "exit time", theory.exit_time(beta, d, n, attention=attention))


def _collapse(d: int, beta: float, n: int, attention: str) -> Iterator[Named]:
    yield Named("equiangular_time", "equiangular time", _equiangular(beta, n, attention))
    yield Named("consensus_rate", "rate at consensus", theory.consensus_rate(beta, attention=attention))
    yield Named("common_hemisphere", "common hemisphere", theory.common_hemisphere(n, d))


def _equiangular(beta: float, n: int, attention: str) -> Prediction:
    return theory.equiangular_time(beta, n, level=LEVEL, scheme=attention)


def _clusters(beta: float, attention: str) -> Iterator[Named]:
    yield Named("cluster_scale", "cluster scale", theory.critical_angle(beta))
    yield Named("merge_time", "merge time", theory.merge_time(beta, level=LEVEL, attention=attention))
    if beta > 0:
        rough = theory.merge_time_asymptotic(beta, attention=attention)
        yield Named("merge_time_asymptotic", "merge time, rough", rough)


def _noise(d: int, beta: float, kappa: float | None) -> Iterator[Named]:
    yield Named("noise_thresholds", "thresholds kappa_k", theory.noise_thresholds(beta, d))
    yield Named("critical_beta", "beta_*", theory.critical_beta(d))
    yield Named("continuous_threshold", "K_#", theory.continuous_threshold(beta, d))
    transition = _transition(d, beta)
    yield from transition
    if kappa is None:
        return
    count = 8
    rates = theory.noisy_growth_rates(beta, d, kappa, count=count)
    while rates.value[-1] > 0:  # the growing degrees are the first ones
        count *= 2
        rates = theory.noisy_growth_rates(beta, d, kappa, count=count)
    yield Named("growing_degrees", "growing degrees", _growing(rates))
    yield Named("noisy_growth_rates", "rates under noise", rates)
    r = theory.stationary_order(kappa, beta, d)
    if transition and float(r) > 0 and kappa < float(transition[0].prediction):
        r = replace(r, statement=f"{r.statement}; metastable, as kappa < kappa_c: the uniform law has less free energy")
    yield Named("order_parameter", "order parameter r", r)


def _transition(d: int, beta: float) -> tuple[Named, ...]:
    if beta > float(theory.critical_beta(d)) and not _is_quick(d, beta):
        return ()
    try:
        window, middle = theory.hysteresis_window(beta, d), theory.global_transition(beta, d)
    except InvalidInput:
        return ()  # so close to beta_* that the window is narrower than rounding
    return (
        Named("global_transition", "transition kappa_c", middle),
        Named("hysteresis_window", "hysteresis", window),
    )


def _is_quick(d: int, beta: float) -> bool:
    """Whether the first branch is followed to its fold within a second or two."""
    log_kappa = float(theory.noise_thresholds(beta, d, count=1).log10[0]) * math.log(10)
    depth = beta - math.log(beta) + log_kappa  # log of kappa_1 G(1): how far the fold lies below kappa_1
    return d <= BRANCH_DIM and beta <= BRANCH_BETA and depth < BRANCH_DEPTH


def _growing(rates: Prediction) -> Prediction:
    return Prediction(
        int(np.sum(rates.value > 0)),
        "degrees 1 up to this one grow from the uniform law; 0: the uniform law is stable",
        rates.assumptions,
        rates.source,
    )


# --- printing -----------------------------------------------------------------------------------------------------


def print_forecast(forecast: Forecast, console: Console) -> None:
    """Prints the forecast section by section: values, what they say, what they assume and where they are from."""
    width = min(console.width, WIDTH)
    noise = "" if forecast.kappa is None else f", kappa = {forecast.kappa:g}"
    tokens = f"n = {forecast.n}" + (" (the default; --n sets it)" if forecast.is_default_n else "")
    title = f"S^{forecast.dim - 1}, {forecast.attention} attention, beta = {forecast.beta:g}, {tokens}{noise}"
    console.print(Text(title, style="bold"), width=width)
    console.print(Text(f"{IDENTITY} throughout", style="dim"), width=width)
    for name, entries in forecast.sections:
        first = entries[0].prediction.assumptions
        shared = [a for a in first if a != IDENTITY and all(a in entry.prediction.assumptions for entry in entries)]
        console.print()
        console.print(Text(name, style="bold cyan"), width=width)
        if shared:
            console.print(Padding(Text(f"assuming {'; '.join(shared)}", style="dim"), (0, 0, 0, 2)), width=width)
        table = Table.grid(padding=(0, 2), expand=True)
        table.add_column(width=NAME_WIDTH)
        table.add_column(ratio=1)
        before = ""
        for entry in entries:
            ground = _ground(entry.prediction, [IDENTITY, *shared])
            small = Text("assumptions and source as above" if ground == before else ground, style="dim")
            about = Group(_value(entry, forecast), Text(entry.prediction.statement), small)
            table.add_row(Padding(Text(entry.name), (0, 0, 0, 2)), about)
            before = ground
        console.print(table, width=width)


def _ground(prediction: Prediction, shared: list[str]) -> str:
    """The assumptions that are not shared, the status and the source."""
    own = [a for a in prediction.assumptions if a not in shared]
    assumed = f"assuming {'; '.join(own)}. " if own else ""
    return f"{assumed}{prediction.status.capitalize()} ({prediction.source})"


def _value(entry: Named, forecast: Forecast) -> Text | Padding | Table:
    value, log10 = np.asarray(entry.prediction.value), entry.prediction.log10
    if entry.key == "growth_rates":
        return _spectrum(entry.prediction, int(forecast["k_max"].value))
    if entry.key == "noisy_growth_rates":
        return _spectrum(entry.prediction, None)
    if value.ndim == 0:
        return Text(_number(value.item(), log10), style="bold green")
    logs = [None] * len(value) if log10 is None else log10
    numbers = [_number(float(v), exponent) for v, exponent in zip(value, logs, strict=True)]
    if entry.key in ("hysteresis_window", "k_max_window"):
        text = "none" if numbers[0] == numbers[1] else f"{numbers[0]} to {numbers[1]}"
        return Text(text, style="bold green")
    return Text("  ".join(numbers), style="bold green")


def _spectrum(rates: Prediction, fastest: int | None) -> Table:
    """Degrees and rates side by side; only the neighborhood of the fastest one where there are many."""
    value = np.asarray(rates.value)
    logs = [None] * len(value) if rates.log10 is None else rates.log10
    middle = int(np.argmax(value if rates.log10 is None else rates.log10)) + 1 if fastest is None else fastest
    shown = _shown_degrees(len(value), middle)
    table = Table.grid(padding=(0, 2))
    columns = 3  # of 17 characters at most, such as 10: 5.48869e-06: they fit into 80
    for _ in range(columns):
        table.add_column(justify="left", no_wrap=True)
    cells = []
    for k in shown:
        text = Text("…") if k is None else Text(f"{k}: {_number(float(value[k - 1]), logs[k - 1])}", style="green")
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


def _number(value: float, log10: float | None = None) -> str:
    """Six digits, or a power of ten where a double overflows or underflows."""
    if isinstance(value, int):
        return str(value)
    if log10 is not None and np.isfinite(log10) and (not math.isfinite(value) or value == 0):
        return f"10^{float(log10):.6g}"
    if not math.isfinite(value):
        return "∞" if value > 0 else "-∞"
    return f"{value:.6g}"
