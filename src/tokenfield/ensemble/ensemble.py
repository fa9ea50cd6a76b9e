"""Many systems at once: what fraction of tokens has clustered, over seeds, at many values of beta and kappa.

    from tokenfield.ensemble import Ensemble, run
    table = run(Ensemble(n=32, d=128, betas=np.linspace(0.1, 9, 90), systems=2048, times=np.linspace(0, 30, 200),
                         seed=0))                     # softmax, Euler then normalize with step 0.1, as published
    table.mean["pairs"], table.error["pairs"]         # (betas, times)

An `Ensemble` says what is computed; it is worked off in pieces that fit the memory (the cache of a CPU), each one call
of a program that is compiled once per shape. Only statistics leave the program, never tokens. System s starts from
tokens drawn with `fold_in(seed, s)`, the same for all columns and however the work is cut. No disk, no plotting.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass, field
from functools import lru_cache, partial
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array

from tokenfield._runtime.cores import cores
from tokenfield._runtime.interrupt import Interrupts
from tokenfield._runtime.progress import Progress
from tokenfield.ensemble import block as batch
from tokenfield.ensemble.block import Kind
from tokenfield.ensemble.program import Program
from tokenfield.ensemble.statistics import STATISTICS, THRESHOLDS
from tokenfield.errors import InvalidInput, did_you_mean
from tokenfield.geometry import Sphere
from tokenfield.measure import Measure
from tokenfield.model.attention import Softmax, Unnormalized
from tokenfield.model.noise import Noise
from tokenfield.model.parts import Head
from tokenfield.model.schedule import Constant
from tokenfield.model.transformer import Transformer
from tokenfield.solver.save import Save
from tokenfield.solver.solve import solve
from tokenfield.solver.steppers import METHODS

Model = Callable[[Array, Noise | None], Transformer]

STEP = 0.1
RTOL = 1e-7
CPU_SYSTEMS = 64  # systems of one piece on a CPU: tenths of a second of work between two looks at Ctrl-C
LOW_DIMENSION = 3  # up to here pairs of tokens one by one are faster on a CPU than products of small matrices
LINE = 1024  # pairs that a step over neighboring systems holds at a time, measured
CACHE_BYTES = 2**17  # tokens and cosines of the systems that share the cache of one core, measured
DEVICE_BYTES = 2**33  # of an accelerator


@dataclass(frozen=True)
class Ensemble:
    """`systems` draws of `n` uniform tokens on S^{d-1}, each at every column: a value of beta, and of kappa if given.

    `model` maps beta and the noise (or `None`) to a `Transformer` on `Sphere(d)`; without it, softmax attention with
    Q = K = V = I. `betas` (b,) and `kappas` (b,), of one length, are the columns. Statistics are taken at `times`,
    which start at or after 0: `statistics` maps names of `STATISTICS` to thresholds (`None`: as published).
    `method` is "euler-normalise", "rk4" or "heun" (needed by noise) with a `step`, or "tsit5" with the tolerance
    `rtol`, in which the systems of a piece share their steps; other models may use any method of `solve`.
    With unnormalized attention the step is divided by max(sqrt(beta) e^{beta - 1/2}, 1), so that no token turns by more
    than about the step (arXiv 2312.10794). Raises `InvalidInput` for values that make no sense.
    """

    n: int
    d: int
    betas: Sequence[float]
    systems: int
    times: Sequence[float]
    seed: int
    kappas: Sequence[float] | None = None
    model: Model | None = None
    statistics: dict[str, float | None] = field(default_factory=lambda: {"pairs": None})
    method: str = "euler-normalise"
    step: float | None = None
    rtol: float = RTOL

    def __post_init__(self) -> None:
        _check_count(self.n, "tokens n", 2)
        _check_count(self.d, "dimension d", 2)
        _check_count(self.systems, "systems", 1)
        _check_values(self.betas, "betas")
        if self.kappas is not None:
            _check_values(self.kappas, "kappas")
            if len(self.kappas) != len(self.betas) or not np.all(np.asarray(self.kappas) > 0):
                raise InvalidInput("kappas must be positive, one for each of the betas")
        _check_values(self.times, "times")
        times = np.asarray(self.times, float)
        if times[0] < 0 or times[-1] <= 0 or np.any(np.diff(times) <= 0):
            raise InvalidInput("times must increase, from 0 or later")
        if not self.statistics:
            raise InvalidInput(f"an ensemble needs a statistic: {', '.join(STATISTICS)}")
        for name, threshold in self.statistics.items():
            if name not in STATISTICS:
                raise InvalidInput(f"unknown statistic {name!r}{did_you_mean(str(name), STATISTICS)}")
            if threshold is not None and not 1e-12 <= threshold < 2:
                raise InvalidInput(f"the threshold of {name} must lie in [1e-12, 2), got {threshold}")
        self._check_method()

    def _check_method(self) -> None:
        allowed = batch.METHODS if self.is_plain else tuple(METHODS)
        if self.method not in allowed:
            raise InvalidInput(f"unknown method {self.method!r}{did_you_mean(str(self.method), allowed)}")
        if self.kappas is not None and self.method != "heun":
            raise InvalidInput(f"method {self.method!r} ignores noise: use 'heun' with a step")
        if self.step is not None and (self.is_adaptive or not (np.isfinite(self.step) and self.step > 0)):
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

    @property
    def template(self) -> Transformer:
        """The model at the first column, without noise."""
        return self.build(jnp.asarray(float(self.betas[0])), None)

    def build(self, beta: Array, noise: Noise | None) -> Transformer:
        """The model at one column."""
        if self.model is None:
            return Transformer(Sphere(self.d), Softmax(beta), noise=noise)
        return self.model(beta, noise)

    @property
    def is_plain(self) -> bool:
        """Whether the model is softmax or unnormalized attention with Q = K = V = I on the sphere and nothing else."""
        return _plain_attention(self.template) is not None

    def step_at(self, column: int) -> float:
        """The length of the steps at a column."""
        step = STEP if self.step is None else float(self.step)
        if _plain_attention(self.template) is not Unnormalized:
            return step
        beta = float(self.betas[column])
        return step / max(np.sqrt(max(beta, 0.0)) * np.exp(beta - 0.5), 1.0)

    def pieces(self) -> list[Piece]:
        """The work, cut so that each piece fits the memory of the default device."""
        if not self.is_plain or jax.default_backend() == "cpu":
            size, groups = CPU_SYSTEMS, [range(c, c + 1) for c in range(self.columns)]
        else:
            size, groups = _accelerator_pieces(self)
        size = min(size, self.systems)
        starts = range(0, self.systems, size)
        return [Piece(columns, range(s, s + size)) for s in starts for columns in groups]


class Piece(NamedTuple):
    """Columns and systems that are computed together; the last systems may be more than the ensemble has."""

    columns: range
    systems: range


@dataclass(frozen=True)
class Table:
    """What was measured: `values` of each statistic, (columns, systems, times), NaN where nothing was computed."""

    ensemble: Ensemble
    values: dict[str, np.ndarray]

    @property
    def mean(self) -> dict[str, np.ndarray]:
        """The means over systems, (columns, times)."""
        return {name: _over_systems(np.nanmean, values) for name, values in self.values.items()}

    @property
    def error(self) -> dict[str, np.ndarray]:
        """The standard errors of the means; NaN for a single system."""
        counts = {name: np.isfinite(v).sum(axis=1) for name, v in self.values.items()}
        return {
            name: _over_systems(partial(np.nanstd, ddof=1), v) / np.sqrt(np.maximum(counts[name], 1))
            for name, v in self.values.items()
        }

    @property
    def median(self) -> dict[str, np.ndarray]:
        """The medians over systems, (columns, times)."""
        return {name: _over_systems(np.nanmedian, values) for name, values in self.values.items()}

    @property
    def is_complete(self) -> bool:
        """Whether everything was computed."""
        return all(bool(np.isfinite(values).all()) for values in self.values.values())


def run(ensemble: Ensemble, *, progress: bool | None = None) -> Table:
    """The table of an ensemble. Ctrl-C returns what is finished; the rest is NaN.

    >>> table = run(Ensemble(n=4, d=3, betas=[1.0, 4.0], systems=8, times=[0.0, 20.0], seed=0))
    >>> table.mean["pairs"].shape, bool(table.mean["pairs"][0, 1] > 0.9)
    ((2, 2), True)
    """
    shape = (ensemble.columns, ensemble.systems, len(ensemble.times))
    table = Table(ensemble, {name: np.full(shape, np.nan) for name in ensemble.statistics})
    for piece, values in work(ensemble, ensemble.pieces(), progress=progress):
        for name, found in values.items():
            table.values[name][piece.columns.start : piece.columns.stop, piece.systems.start : piece.systems.stop] = (
                found
            )
    return table


def work(
    ensemble: Ensemble, pieces: Sequence[Piece], *, progress: bool | None = None
) -> Iterator[tuple[Piece, dict[str, np.ndarray]]]:
    """Each of the `pieces` with its statistics (columns, systems, times), as they are finished; Ctrl-C ends early.

    On a CPU every core has a piece of its own: blocks of small systems leave nothing to share within a piece.
    """
    compute = _program(ensemble)
    reduces = ensemble.is_plain and ensemble.kappas is None and ensemble.d > ensemble.n
    # drawn in this thread only: two batches of QR at once can wait for each other's threads for ever
    starts = partial(_starts, ensemble.n, ensemble.d, ensemble.seed, reduces)
    threads = cores() if jax.default_backend() == "cpu" else 1
    waiting, finished = list(pieces), 0
    running: dict[Future[dict[str, np.ndarray]], Piece] = {}
    with Interrupts() as interrupts, Progress("systems", shown=progress) as bar, ThreadPoolExecutor(threads) as pool:
        while running or (waiting and not interrupts.requested):
            while waiting and len(running) < threads and not interrupts.requested:
                piece = waiting.pop(0)
                running[pool.submit(compute, piece, *starts(piece.systems))] = piece
            done, _ = wait(running, timeout=0.5, return_when=FIRST_COMPLETED)
            for future in done:
                finished += 1
                yield running.pop(future), future.result()
            bar.update(finished / len(pieces), f"{finished} of {len(pieces)} pieces")


def _program(ensemble: Ensemble) -> Callable[[Piece, Array, Array], dict[str, np.ndarray]]:
    """The function that computes a piece, compiled once for all of the same shape."""
    times = jnp.asarray(ensemble.times, float)
    kind = _kind(ensemble)
    program = _blocks(kind, _block_size(ensemble, kind)) if ensemble.is_plain else Program(_general(ensemble))

    def compute(piece: Piece, x: Array, keys: Array) -> dict[str, np.ndarray]:
        betas = jnp.asarray([float(ensemble.betas[c]) for c in piece.columns])
        kappas = jnp.asarray([_kappa(ensemble, c) for c in piece.columns])
        step = jnp.asarray(ensemble.step_at(piece.columns[0]), x.dtype)
        found = program(x, keys, betas, kappas, step, times)
        real = min(piece.systems.stop, ensemble.systems) - piece.systems.start
        return {name: np.asarray(values)[:, :real] for name, values in found.items()}

    return compute


@lru_cache(maxsize=32)
def _blocks(kind: Kind, size: int) -> Program:
    return Program(partial(batch.blocks, kind, size))


def _kappa(ensemble: Ensemble, column: int) -> float:
    return float("inf") if ensemble.kappas is None else float(ensemble.kappas[column])


@lru_cache(maxsize=4)
def _starts(n: int, d: int, seed: int, reduces: bool, systems: range) -> tuple[Array, Array]:
    """The tokens (S, n, min(n, d)) that the `systems` start from, and a key for each.

    With Q = K = V = I tokens never leave the space that they span at the start, so for d > n they are turned into R^n.
    Noise does leave it: then nothing is reduced.
    """
    # on the CPU, where this compiles in a second: for a GPU, XLA takes up to a minute
    with jax.default_device(jax.local_devices(backend="cpu")[0]):
        drawn = batch.draw(n, d, reduces, jax.random.key(seed), jnp.arange(systems.start, systems.stop))
    return jax.block_until_ready(jax.device_put(drawn, jax.local_devices()[0]))


# --- softmax and unnormalized attention with Q = K = V = I ---------------------------------------------------------


def _plain_attention(model: Transformer) -> type[Softmax] | type[Unnormalized] | None:
    """The kind of attention, if that is all there is to the model and blocks know it."""
    schedule = model.schedule
    is_bare = isinstance(model.geometry, Sphere) and not model.position and model.normalization is None
    if not (is_bare and isinstance(schedule, Constant) and len(schedule.constant) == 1) or model.relative:
        return None
    (head,) = schedule.constant
    if not isinstance(head, Head) or any(matrix is not None for matrix in (head.Q, head.K, head.V, head.O)):
        return None
    kind = type(head.attention)
    return kind if kind in (Softmax, Unnormalized) else None


def _kind(ensemble: Ensemble) -> Kind:
    on_cpu = jax.default_backend() == "cpu"
    return Kind(
        is_average=_plain_attention(ensemble.template) is Softmax,
        method=ensemble.method,
        systems_last=on_cpu and ensemble.d <= LOW_DIMENSION,
        is_noisy=ensemble.kappas is not None,
        rtol=ensemble.rtol,
        statistics=ensemble.thresholds,
    )


def _block_size(ensemble: Ensemble, kind: Kind) -> int:
    """How many systems move together: on a CPU as many as stay in its cache, elsewhere the whole piece."""
    if jax.default_backend() != "cpu":
        return 0
    n, d = ensemble.n, ensemble.d if kind.is_noisy else min(ensemble.n, ensemble.d)
    many = LINE // (n // 2) if kind.systems_last else CACHE_BYTES // (8 * n * (n + d))
    return 2 ** int(np.log2(np.clip(many, 1, CPU_SYSTEMS)))


def _accelerator_pieces(ensemble: Ensemble) -> tuple[int, list[range]]:
    """The number of systems of a piece, and groups of columns that can step together: those of one step length."""
    d = ensemble.d if ensemble.kappas is not None else min(ensemble.n, ensemble.d)
    stages = {"tsit5": 12, "rk4": 8}.get(ensemble.method, 5)
    per_system = 8 * (3 * ensemble.n**2 + stages * ensemble.n * d + len(ensemble.times))
    size = max(1, min(ensemble.systems, DEVICE_BYTES // per_system))
    together = max(1, DEVICE_BYTES // (per_system * size))
    together = -(-ensemble.columns // -(-ensemble.columns // together))  # even groups: one shape to compile
    groups: list[range] = []
    for c in range(ensemble.columns):
        last = groups[-1] if groups else None
        if last and len(last) < together and ensemble.step_at(c) == ensemble.step_at(last[0]):
            groups[-1] = range(last.start, c + 1)
        else:
            groups.append(range(c, c + 1))
    return size, groups


# --- any other model: `solve` for each system, under vmap ----------------------------------------------------------


def _general(ensemble: Ensemble) -> Callable[..., dict[str, Array]]:
    """The statistics as `batch.blocks` gives them; the step and the times are those of the ensemble."""
    observables = {
        name: partial(_statistic_of, statistic=STATISTICS[name], threshold=threshold)
        for name, threshold in ensemble.thresholds
    }
    times = np.asarray(ensemble.times, float)
    save = Save(times=times.tolist(), tokens=False, observables=observables)
    step = None if ensemble.is_adaptive else STEP if ensemble.step is None else ensemble.step
    rtol = ensemble.rtol if ensemble.is_adaptive else None

    def one(beta: Array, kappa: Array, x: Array, key: Array) -> dict[str, Array]:
        noise = None if ensemble.kappas is None else Noise(kappa, key=key)
        trajectory = solve(
            ensemble.build(beta, noise),
            Measure(x),
            t1=float(times[-1]),
            method=ensemble.method,
            step=step,
            rtol=rtol,
            save=save,
        )
        return dict(trajectory.observables)

    over_systems = jax.vmap(one, in_axes=(None, None, 0, 0))
    over_columns = jax.vmap(over_systems, in_axes=(0, 0, None, None))
    return lambda x, keys, betas, kappas, *_: over_columns(betas, kappas, x, keys)


def _statistic_of(mu: Measure, *, statistic: Callable[[Array, float], Array], threshold: float) -> Array:
    x = mu.points / jnp.linalg.norm(mu.points, axis=1, keepdims=True)
    return statistic((x @ x.T)[None], threshold)[0].astype(x.dtype)


# --- checks and small things ---------------------------------------------------------------------------------------


def _over_systems(reduce: Callable[..., Any], values: np.ndarray) -> np.ndarray:
    import warnings

    with warnings.catch_warnings():  # columns of which nothing is computed yet give NaN, which is meant
        warnings.simplefilter("ignore", RuntimeWarning)
        return reduce(values, axis=1)


def _check_count(value: int, what: str, least: int) -> None:
    if isinstance(value, bool) or not isinstance(value, (int, np.integer)) or value < least:
        raise InvalidInput(f"the number of {what} must be a whole number >= {least}, got {value!r}")


def _check_values(values: Sequence[float], what: str) -> None:
    array = np.asarray(values, float)
    if array.ndim != 1 or not len(array) or not np.all(np.isfinite(array)):
        raise InvalidInput(f"{what} must be a list of finite numbers, got {values!r}")
