"""Many systems at once: what fraction of tokens has clustered, over seeds, at many values of beta and kappa.

    from tokenfield.ensemble import Ensemble, run
    table = run(Ensemble(n=32, d=128, betas=np.linspace(0.1, 9, 90), systems=2048, times=np.linspace(0, 30, 200),
                         seed=0))                     # softmax, Euler then normalize with step 0.1, as published
    table.mean["pairs"], table.error["pairs"]         # (betas, times)

An `Ensemble` says what is computed and nothing of how: `pieces` cuts the work, `running` works it off, `block` computes
plain attention and `vmapped` any other model. Only statistics are kept, never tokens. System s starts from tokens drawn
with `fold_in(seed, s)`, or with a seed of its own, the same for all columns and however the work is cut. No disk, no
plotting.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import jax.numpy as jnp
import numpy as np
from jax import Array

from tokenfield._runtime.arguments import checked, shown
from tokenfield._runtime.memory import require_for_tokens, require_numbers
from tokenfield._runtime.randomness import random_key
from tokenfield.ensemble.pieces import Piece, cut
from tokenfield.ensemble.statistics import STATISTICS, THRESHOLDS
from tokenfield.errors import InvalidInput, did_you_mean
from tokenfield.flows.systems import ABILITIES
from tokenfield.geometry import Sphere
from tokenfield.model.attention import Attention
from tokenfield.model.exponential import Softmax
from tokenfield.model.noise import Noise
from tokenfield.model.parts import Head
from tokenfield.model.schedule import Constant
from tokenfield.model.transformer import Transformer
from tokenfield.solver.steppers import METHODS

Model = Callable[[Array, Noise | None], Transformer]

STEP = 0.1
RTOL = 1e-7


@checked
@dataclass(frozen=True)
class Ensemble:
    """Many systems at once: `systems` draws of `n` uniform tokens on S^{d-1}, each at every value of beta.

    A column is a value of beta, and of kappa if given. It says what is computed; `run` computes it. With unnormalized
    attention the step is divided by max(sqrt(beta) e^{beta - 1/2}, 1), so that no token turns by more than about the
    step (arXiv 2312.10794).

    Args:
        n: The number of tokens of a system, at least 2.
        d: The dimension of the space, at least 2.
        betas: The values of beta, one for each column.
        systems: The number of draws, the same for all columns.
        times: The times at which statistics are taken, increasing, from 0 or later.
        seed: The integer that all draws come from; or one for each system, which then starts where
            `initial.uniform(Sphere(d), n, seed=...)` does.
        kappas: The inverse strengths of the noise, one for each beta; by default there is no noise.
        model: A function of beta and the noise (or `None`) that returns a `Transformer` on `Sphere(d)`; by default
            softmax attention with Q = K = V = I.
        statistics: Which statistics, by name, with the threshold of each or `None` for the published one; by default
            {"pairs": None}, the fraction of pairs that are together.
        method: A method of `solve`: "euler-normalise" (the default), "rk4" or "heun" (needed by noise) with a `step`,
            or "tsit5", where systems that are computed together share their steps.
        step: The length of fixed steps, by default 0.1; or one for each column, which is taken as it is.
        rtol: The tolerance of "tsit5", by default 1e-7.

    Raises:
        InvalidInput: If a value makes no sense.

    >>> Ensemble(n=4, d=3, betas=[1.0, 4.0], systems=8, times=[0.0, 20.0], seed=0).columns
    2
    """

    n: int
    d: int
    betas: Sequence[float]
    systems: int
    times: Sequence[float]
    seed: int | Sequence[int]
    kappas: Sequence[float] | None = None
    model: Model | None = None
    statistics: dict[str, float | None] = field(default_factory=lambda: {"pairs": None})
    method: str = "euler-normalise"
    step: float | Sequence[float] | None = None
    rtol: float = RTOL

    def __post_init__(self) -> None:
        _check_count(self.n, "tokens n", 2)
        _check_count(self.d, "dimension d", 2)
        _check_count(self.systems, "systems", 1)
        self._check_seed()
        _check_values(self.betas, "betas")
        if self.kappas is not None:
            _check_values(self.kappas, "kappas")
            if len(self.kappas) != len(self.betas) or not np.all(np.asarray(self.kappas) > 0):
                raise InvalidInput("kappas must be positive, one for each of the betas")
        _check_values(self.times, "times")
        times = np.asarray(self.times, float)
        if times[0] < 0 or times[-1] <= 0 or np.any(np.diff(times) <= 0):
            raise InvalidInput("times must increase, from 0 or later")
        if self.model is not None and not callable(self.model):
            raise InvalidInput(f"the model of an ensemble is a function of beta and the noise, got {shown(self.model)}")
        if not isinstance(self.statistics, dict):
            raise InvalidInput(f"statistics are a dict of thresholds or None by name, got {shown(self.statistics)}")
        if not self.statistics:
            raise InvalidInput(f"an ensemble needs a statistic: {', '.join(STATISTICS)}")
        for name, threshold in self.statistics.items():
            if name not in STATISTICS:
                raise InvalidInput(f"unknown statistic {name!r}{did_you_mean(str(name), STATISTICS)}")
            is_number = isinstance(threshold, (int, float, np.number))
            if threshold is not None and not (is_number and 1e-12 <= threshold < 2):
                raise InvalidInput(f"the threshold of {name} must lie in [1e-12, 2), got {shown(threshold)}")
        self._check_method()
        count = len(self.statistics) * self.columns * self.systems * len(self.times)
        what = f"statistics of {self.systems} systems at {self.columns} values and {len(self.times)} times"
        require_numbers(count, what, advice="take fewer systems, values or times", on_host=True)
        require_for_tokens(self.n, self.d)

    def _check_seed(self) -> None:
        if isinstance(self.seed, (int, np.integer)):
            random_key(self.seed)
        elif len(self.seed) != self.systems:
            raise InvalidInput(f"{self.systems} systems need one seed, or one for each, got {len(self.seed)}")

    def _check_method(self) -> None:
        allowed = [name for name, method in METHODS.items() if not self.is_plain or method.needs <= ABILITIES]
        if self.method not in allowed:
            raise InvalidInput(f"unknown method {self.method!r}{did_you_mean(str(self.method), allowed)}")
        if self.kappas is not None and self.method != "heun":
            raise InvalidInput(f"method {self.method!r} ignores noise: use 'heun' with a step")
        steps = np.ravel(np.asarray([] if self.step is None else self.step, float))
        if isinstance(self.step, Sequence) and len(steps) != self.columns:
            raise InvalidInput(f"{self.columns} columns need one step, or one for each, got {len(steps)}")
        if len(steps) and (self.is_adaptive or not np.all(np.isfinite(steps) & (steps > 0))):
            why = "chooses its own steps" if self.is_adaptive else "needs a positive step"
            raise InvalidInput(f"method {self.method!r} {why}, got step = {self.step}")
        if not 0 < self.rtol < 1:
            raise InvalidInput(f"the tolerance needs 0 < rtol < 1, got {self.rtol}")

    @property
    def is_adaptive(self) -> bool:
        """Whether the method chooses its own steps."""
        return METHODS[self.method].is_adaptive

    @property
    def columns(self) -> int:
        """The number of values of beta (and kappa)."""
        return len(self.betas)

    @property
    def thresholds(self) -> tuple[tuple[str, float], ...]:
        """The statistics with their thresholds."""
        return tuple((name, THRESHOLDS[name] if t is None else float(t)) for name, t in self.statistics.items())

    @cached_property
    def template(self) -> Transformer:
        """The model at the first column, without noise."""
        return self.build(jnp.asarray(float(self.betas[0])), None)

    def build(self, beta: Array, noise: Noise | None) -> Transformer:
        """The model at one column.

        Args:
            beta: The beta of the column.
            noise: Its noise, or `None`.

        Returns:
            The model.
        """
        if self.model is None:
            return Transformer(Sphere(self.d), Softmax(beta), noise=noise)
        return self.model(beta, noise)

    @cached_property
    def plain_attention(self) -> type[Attention] | None:
        """The kind of attention, if the model is that with Q = K = V = I on the sphere and nothing else."""
        return _plain_attention(self.template)

    @property
    def is_plain(self) -> bool:
        """Whether blocks of systems can compute the ensemble; other models go through `solve`, system by system."""
        return self.plain_attention is not None

    @property
    def reduced_d(self) -> int:
        """The dimension in which the systems are computed.

        With Q = K = V = I tokens never leave the space that they span at the start, so for d > n they are rotated into
        R^n. Noise does leave it: then nothing is reduced.
        """
        return min(self.n, self.d) if self.is_plain and self.kappas is None else self.d

    def step_at(self, column: int) -> float:
        """The length of the steps at a column.

        Args:
            column: The number of the column.

        Returns:
            The length, in units of time.
        """
        if isinstance(self.step, Sequence):
            return float(self.step[column])
        step = STEP if self.step is None else float(self.step)
        plain = self.plain_attention
        if plain is None or plain.is_average:
            return step
        beta = float(self.betas[column])
        return step / max(np.sqrt(max(beta, 0.0)) * np.exp(beta - 0.5), 1.0)

    def pieces(self) -> list[Piece]:
        """The work as a list of `Piece`, cut so that each fits the memory of the default device."""
        return cut(self)


def _plain_attention(model: Transformer) -> type[Attention] | None:
    """The kind of attention, if that is all there is to the model and blocks know it."""
    schedule = model.schedule
    is_bare = isinstance(model.geometry, Sphere) and not model.position and model.normalization is None
    if not (is_bare and isinstance(schedule, Constant) and len(schedule.constant) == 1) or model.relative:
        return None
    (head,) = schedule.constant
    if not isinstance(head, Head) or any(matrix is not None for matrix in (head.Q, head.K, head.V, head.O)):
        return None
    # by name: what is derived from such a kind may compute something else
    return type(head.attention) if head.attention.is_exponential and head.attention.name else None


def _check_count(value: int, what: str, least: int) -> None:
    if isinstance(value, bool) or not isinstance(value, (int, np.integer)) or value < least:
        raise InvalidInput(f"the number of {what} must be a whole number >= {least}, got {value!r}")


def _check_values(values: Sequence[float], what: str) -> None:
    try:
        array = np.asarray(values, float)
    except (TypeError, ValueError, OverflowError):
        array = np.empty(0)
    if array.ndim != 1 or not len(array) or not np.all(np.isfinite(array)):
        raise InvalidInput(f"{what} must be a list of finite numbers, got {values!r}")
