"""The settings of a phase diagram as plain data, with their flags, and the sweep that they are short for."""

from __future__ import annotations

import dataclasses
import math
from dataclasses import dataclass
from typing import Any

from tokenfield._runtime.memory import require_numbers
from tokenfield.errors import ConfigError, InvalidInput, did_you_mean
from tokenfield.solver.options import Adaptive, FixedStep
from tokenfield.study import parse
from tokenfield.study.sections import AttentionSection, GeometrySection, InitialSection, SolveSection
from tokenfield.study.sweep.axes import Axis, named_axis, read_seeds
from tokenfield.study.sweep.plan import Sweep
from tokenfield.study.sweep.quantities import STATISTIC, STATISTICS, Quantity
from tokenfield.study.toml import Vector, key, key_of

VARIED = ("beta", "gamma", "kappa")
STEPPED = ("euler-normalise", "rk4", "heun")
# the kinds of attention, each with the final time of the published figures
T1 = {"softmax": 30.0, "unnormalized": 1.0, "l2": 30.0}
T1_NOISY = 30.0
# the axes of each diagram
AXES = {
    "beta": {"betas": "0.1:9:90"},
    "gamma": {"gammas": "0.1:3:30"},
    "kappa": {"betas": "0:4:9", "kappas": "0.5:8:16"},
}


def _axis(help: str, name: str, varied: str) -> Any:
    return key((), help, flag=f"--{name}", unset=AXES[varied][name], parse=parse.value_range)


@dataclass(frozen=True)
class Diagram:
    """The settings of a phase diagram; `None` and no values stand for what the published figures used.

    `vary` says what the second axis is: "beta" or "gamma" (beta = gamma log n, arXiv 2510.05554) against time, or
    "kappa" (noise sqrt(2/kappa) dW) against beta at the last time. `betas`, `gammas` and `kappas` are the values.
    """

    dim: int = key_of(GeometrySection, "dim", default=2)
    n: int = key_of(InitialSection, "n", default=32)
    systems: int = key(256, "Random starts for each value, of the seeds SEED, SEED + 1, ...", flag="--systems")
    attention: str = key_of(AttentionSection, "kind", default="softmax", choices=tuple(T1))
    vary: str = key(
        "beta", "beta or gamma (beta = gamma log n) against time, or kappa (noise) against beta", flag="--vary"
    )
    betas: Vector = _axis("Values of beta, FIRST:LAST:COUNT or with commas", "betas", "beta")
    gammas: Vector = _axis("Values of gamma, with --vary gamma", "gammas", "gamma")
    kappas: Vector = _axis("Values of kappa, with --vary kappa", "kappas", "kappa")
    t1: float | None = key_of(SolveSection, "t1", default=None, unset="30, for unnormalized attention 1")
    save: int | str | Vector | None = key_of(SolveSection, "save", unset="200 of them, with noise the end")
    statistic: str | None = key(
        None,
        "What is measured, as pairs together, number of clusters, dimension of the span, length of the mean",
        flag="--statistic",
        unset="pairs, with noise order",
        choices=STATISTICS,
    )
    delta: float | None = key(None, "Threshold of the statistic", flag="--delta", unset="as published")
    method: str | None = key_of(
        Adaptive, "method", flag="--method", unset="euler-normalise, with noise heun", choices=(*STEPPED, "tsit5")
    )
    step: float | None = key_of(FixedStep, "step", flag="--step", unset="0.1")
    seed: int = key_of(InitialSection, "seed", default=0)

    def resolved(self) -> Diagram:
        """The settings with everything chosen; raises `ConfigError` for names that do not exist."""
        from tokenfield.ensemble.ensemble import STEP

        for name, value, options in (
            ("attention", self.attention, T1),
            ("vary", self.vary, VARIED),
            ("statistic", self.statistic, STATISTICS),
        ):
            if value is not None and value not in options:
                raise ConfigError(f"unknown {name} '{value}'{did_you_mean(value, options)}")
        is_noisy = self.vary == "kappa"
        method = self.method or ("heun" if is_noisy else "euler-normalise")
        axes: dict[str, Any] = self._values()
        return dataclasses.replace(
            self,
            **axes,
            t1=self.t1 if self.t1 is not None else T1_NOISY if is_noisy else T1[self.attention],
            save=self.save if self.save is not None else "end" if is_noisy else 200,
            statistic=self.statistic or ("order" if is_noisy else "pairs"),
            method=method,
            step=STEP if self.step is None and method in STEPPED else self.step,
        )

    def _values(self) -> dict[str, Vector]:
        """The values of each axis of the diagram, as given or as published."""
        used = AXES[self.vary]
        for name in ("betas", "gammas", "kappas"):
            if getattr(self, name) and name not in used:
                raise ConfigError(f"--vary {self.vary} has no use for --{name}")
        return {name: getattr(self, name) or parse.value_range(text, f"--{name}") for name, text in used.items()}

    @property
    def axes(self) -> dict[str, tuple[float, ...]]:
        """The names and values of the axes of the table before systems and times."""
        axes = {"beta": self.betas, "gamma": self.gammas, "kappa": self.kappas}
        names = ("kappa", "beta") if self.vary == "kappa" else (self.vary,)
        return {name: axes[name] for name in names}

    def sweep(self) -> Sweep:
        """The sweep that these settings are short for; raises `InvalidInput` for values that make no sense."""
        if self.t1 is None or not (math.isfinite(self.t1) and self.t1 > 0):
            raise InvalidInput(f"the final time must be positive, got t1 = {self.t1}")
        if self.n < 2:
            raise InvalidInput(f"the number of tokens n must be a whole number >= 2, got {self.n}")
        if self.systems < 1:
            raise InvalidInput(f"the number of systems must be a whole number >= 1, got {self.systems}")
        solve: dict[str, Any] = {"t1": self.t1, "save": self.save, "method": self.method}
        tables = {
            "geometry": {"dim": self.dim},
            "attention": {"kind": self.attention},
            "initial": {"n": self.n},
            "solve": solve if self.step is None or self.attention == "unnormalized" else solve | {"step": self.step},
        }
        if self.vary == "gamma":
            betas = tuple(gamma * math.log(self.n) for gamma in self.gammas)
            axes: tuple[Axis, ...] = (named_axis("gamma", self._keys(betas), self.gammas),)
        else:
            axes = (named_axis("beta", self._keys(self.betas), self.betas),)
        if self.vary == "kappa":
            axes = (named_axis("kappa", {"noise.kappa": self.kappas}, self.kappas), *axes)
        quantities = (Quantity(str(self.statistic), STATISTIC, str(self.statistic), self.delta),)
        plan = Sweep(tables, axes, (self.seed,), quantities)
        times = len(plan.times or (self.t1,))
        what = f"statistics of {self.systems} systems at {plan.cells} values and {times} times"
        advice = "take fewer systems, values or times"
        require_numbers(self.systems * plan.cells * times, what, advice=advice, on_host=True)
        return dataclasses.replace(plan, seeds=read_seeds(range(self.seed, self.seed + self.systems)))

    def _keys(self, betas: Vector) -> dict[str, Vector]:
        """What varies along the axis of beta: for unnormalized attention also the step.

        It is divided by max(sqrt(beta) e^{beta - 1/2}, 1), so that no token turns by more than about the step (arXiv
        2312.10794).
        """
        if self.step is None or self.attention != "unnormalized":
            return {"attention.beta": betas}
        slower = [max(math.sqrt(max(beta, 0.0)) * math.exp(beta - 0.5), 1.0) for beta in betas]
        return {"attention.beta": betas, "solve.step": tuple(self.step / factor for factor in slower)}
