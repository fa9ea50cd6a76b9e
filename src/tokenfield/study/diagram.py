"""The settings of a phase diagram as plain data, with their flags. JAX is imported when an ensemble is made of them."""

from __future__ import annotations

import dataclasses
import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from tokenfield.errors import ConfigError, InvalidInput, did_you_mean
from tokenfield.solver.options import Adaptive, FixedStep
from tokenfield.study import parse
from tokenfield.study.config import Config
from tokenfield.study.sections import AttentionSection, GeometrySection, InitialSection, SolveSection
from tokenfield.study.toml import Vector, key, key_of

if TYPE_CHECKING:
    from tokenfield.ensemble import Ensemble

VARIED = ("beta", "gamma", "kappa")
STATISTICS = ("pairs", "clusters", "span", "order")
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
    systems: int = key(256, "Random starts for each value", flag="--systems")
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

    def ensemble(self) -> Ensemble:
        """What is to be computed; raises `InvalidInput` for values that make no sense."""
        import numpy as np

        from tokenfield.ensemble import Ensemble
        from tokenfield.solver.save import Save
        from tokenfield.study.builders import build_family

        if self.t1 is None or not (math.isfinite(self.t1) and self.t1 > 0):
            raise InvalidInput(f"the final time must be positive, got t1 = {self.t1}")
        if self.n < 2:
            raise InvalidInput(f"the number of tokens n must be a whole number >= 2, got {self.n}")
        model = Config(geometry=GeometrySection(dim=self.dim), attention=AttentionSection(kind=self.attention))
        betas, kappas = np.asarray(self.betas, float), None
        if self.vary == "gamma":
            betas = np.asarray(self.gammas) * np.log(self.n)
        if self.vary == "kappa":
            grid = np.meshgrid(self.kappas, self.betas, indexing="ij")
            kappas, betas = grid[0].ravel().tolist(), grid[1].ravel()
        return Ensemble(
            n=self.n,
            d=self.dim,
            betas=betas.tolist(),
            kappas=kappas,
            systems=self.systems,
            times=Save(times=self.save).resolve(0.0, self.t1, bytes_per_time=8).tolist(),
            seed=self.seed,
            model=build_family(model.resolved()),
            statistics={str(self.statistic): self.delta},
            method=str(self.method),
            step=self.step,
        )
