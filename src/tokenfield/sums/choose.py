"""How a sum of exponentials is computed, and why: `choose` decides and explains, without computing anything."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from functools import lru_cache
from itertools import pairwise
from typing import Literal, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

from tokenfield._runtime.arguments import checked, shown
from tokenfield.errors import InvalidInput, did_you_mean
from tokenfield.sums import direct, fourier, gpu, harmonics, nufft
from tokenfield.sums.devices import device_count
from tokenfield.sums.fast import Expansion
from tokenfield.sums.rounding import Precision, current_precision, has_float64

ADVANTAGE = 2.0  # how much faster a fast sum must promise to be
# and how many seconds it must save each time: it compiles about a second longer, and a run asks some 250 times
LEAST_SAVED = 4e-3
# modes that are compiled where the reach is not known: up to |u| = 58 and 1000 on the circle, 27 and 228 on S^2
RUNGS = {2: (63, 255), 3: (47, 127)}
TRUNCATION = 1e-15  # what modes may leave out of e^{<u, y> - |u|}: the rounding of the sums over them
MODES_STEP = 8  # numbers of modes are multiples of this, so that a slightly larger beta compiles nothing anew
GPU_ADVANTAGE = 50.0  # of an H200 over two CPU cores: 200 at n = 1e8 (`tokenfield bench gpu`), less for fewer tokens
REDUCED = {"tf32": (0.5, 3e-4), "bf16": (0.15, 3e-3)}  # time over that of float32, and error (`tokenfield bench gpu`)
FORCED = ("auto", "direct")

_forced: ContextVar[str] = ContextVar("tokenfield_sums", default="auto")


class _Cost(NamedTuple):
    """Seconds on two CPU cores of a sum over L modes: once 1 and L^3 times, and for each token 1, L and L^2 times."""

    once: float
    cube: float
    token: float
    mode: float
    square: float
    varied: float  # how much longer it takes where |u| varies

    def seconds(self, m: int, n: int, count: int, is_uniform: bool) -> float:
        each = self.token + self.mode * count + self.square * count**2
        return (self.once + self.cube * count**3 + (m + n) / 2 * each) * (1 if is_uniform else self.varied)


# from `tokenfield bench fast_sums`
FOURIER = _Cost(2e-4, 0.0, 3.2e-8, 8e-10, 0.0, 3.0)
NUFFT = _Cost(8e-4, 0.0, 9.7e-8, 0.0, 0.0, 1.0)
HARMONICS = _Cost(2e-4, 1e-8, 2.8e-8, 1.2e-8, 2.1e-10, 3.5)
HARMONICS_NUFFT = _Cost(2e-3, 3e-8, 1.75e-7, 0.0, 0.0, 1.0)
# from `tokenfield bench causal`
FOURIER_PREFIX = _Cost(1e-3, 0.0, 1.4e-7, 2e-9, 0.0, 2.0)
HARMONICS_PREFIX = _Cost(2e-3, 0.0, 4e-7, 0.0, 1.4e-9, 1.8)


class Choice(NamedTuple):
    """How a sum is computed, why, about how long that takes, and how exact it is; `str` says all of it in one line.

    Attributes:
        name: the algorithm. "dense", "tiled", "gpu" and "ring" (over several devices) go over all pairs; "fourier",
            "nufft", "harmonics" and "harmonics_nufft" are fast sums, "fourier_prefix" and "harmonics_prefix" those of
            tokens that see each other by position.
        reason: why it was chosen, and why nothing faster was.
        seconds: about how long one sum takes on two CPU cores, or on a GPU if there is one.
        error: about how large its relative error is; of a fast sum, the most that it may be.
        expansion: what `attend_on_sphere` needs to know; None for direct sums, several where the reach is not known.

    >>> print(choose(2000, 2000, 16))
    tiled: 2000 x 2000 pairs: row tiles keep the memory O(n); about 7 ms, relative error 2e-15
    """

    name: str
    reason: str
    seconds: float
    error: float
    expansion: Expansion | tuple[Expansion, ...] | None = None

    def __str__(self) -> str:
        return f"{self.name}: {self.reason}; about {_duration(self.seconds)}, relative error {self.error:.0e}"


def can_be_fast() -> bool:
    """Whether sums by position may go over prefixes: not in `forced("direct")`, without float64 or over devices.

    Returns:
        True or False, as things are where it is called.

    >>> can_be_fast()
    True
    """
    return _forced.get() != "direct" and has_float64() and device_count() == 1


@checked
def choose(
    m: int,
    n: int,
    d: int = 3,
    *,
    reach: float | Literal["any"] | None = None,
    is_uniform: bool = False,
    tolerance: float = 1e-10,
    dtype: str = "float64",
    seen: float | None = None,
) -> Choice:
    """The fastest known way to sum e^{<u_i, y_j>} over `n` keys y_j for each of `m` queries u_i, with its reason.

    Fast sums are for keys on the circle or on S^2. They compute in float64, also for float32 tokens, and are not chosen
    where that is switched off. How many modes they need depends on how long the queries can be: where that is not known
    when code is compiled, several sizes are compiled, and the queries decide between them. Queries beyond the largest
    size (|u| = 1008 on the circle, 228 on S^2, less where that does not pay) are summed directly, with a `SlowSums`
    warning when that happens; where JAX keeps compiled programs between runs there is none, because it keeps no program
    that may call back. `Transformer.with_sums` settles a size.

    Args:
        m: number of queries.
        n: number of keys.
        d: dimension of the keys.
        reach: an upper bound of all |u_i|. Give it only if the keys are unit vectors; on the sphere it is
            beta |K^T Q|. "any": they are unit vectors, but the bound is known only when the sum runs. Without it the
            sum is direct.
        is_uniform: whether all |u_i| are equal, for which fast sums are faster.
        tolerance: relative error that a fast sum may make. Queries for which it would be larger are summed directly.
        dtype: type of the numbers, on which time and error depend.
        seen: the share of all pairs that positions let through, 1/2 for a causal mask; the queries are then those of
            the tokens themselves. By default there are no positions.

    Returns:
        The `Choice`. It depends on the device, and on `forced`, `precision` and `over_devices` around the call.

    Raises:
        InvalidInput: if an argument makes no sense.

    >>> choose(100_000, 100_000, 5).name
    'tiled'
    >>> choose(100_000, 100_000, 2, reach=9.0, is_uniform=True).name
    'fourier'
    """
    if dtype not in ("float64", "float32", "float16", "bfloat16"):
        raise InvalidInput(f"sums are of float64 or float32, got dtype = {dtype!r}")
    if reach is not None and reach != "any" and not (isinstance(reach, (int, float, np.number)) and reach >= 0):
        raise InvalidInput(f"the reach of a sum is a number >= 0, 'any' or None, got {shown(reach)}")
    if min(m, n, d) < 1 or not tolerance > 0:
        raise InvalidInput(f"a sum has m, n, d >= 1 and a tolerance > 0, got {m}, {n}, {d} and {tolerance:g}")
    if seen is not None and not 0 <= seen <= 1:
        raise InvalidInput(f"the share of pairs that positions let through lies in [0, 1], got {seen:g}")
    plain = _direct(m, n, d, dtype, skips=seen is not None and seen < 1)
    if seen is not None:
        plain = plain._replace(seconds=plain.seconds * seen)
    if _forced.get() == "direct":
        return plain._replace(reason=f"direct sums were asked for; {plain.reason}")
    if reach is None or plain.seconds < LEAST_SAVED:
        return plain
    if d not in (2, 3):
        return plain._replace(reason=f"fast sums are for the circle and S^2, not for d = {d}; {plain.reason}")
    if not has_float64():
        return plain._replace(reason=f"fast sums need float64, which JAX is told not to use; {plain.reason}")
    terms, farthest = ("Fourier modes", fourier.FARTHEST) if d == 2 else ("spherical harmonics", harmonics.FARTHEST)
    if seen is not None and device_count() > 1:
        return plain._replace(reason=f"sums over prefixes are for one device; {plain.reason}")
    if reach == "any":
        return _any_reach(m, n, d, is_uniform, tolerance, plain, by_position=seen is not None)
    if reach > farthest:
        return plain._replace(reason=f"{terms} are for |u| up to {farthest:g}, not {reach:.3g}; {plain.reason}")
    fast = _fast(m, n, d, reach, is_uniform, tolerance)
    if seen is not None:
        fast = _over_prefixes(fast, n, d)
    return fast if _pays(fast, plain) else _without(fast, plain)


@contextmanager
def forced(name: str) -> Iterator[None]:
    """A context in which all sums are direct, or chosen as ever.

    The setting is read when a function is traced: what is already compiled stays as it is. `solve`, and functions that
    are jitted inside the context, follow it.

    Args:
        name: "direct", or "auto" to choose.

    Returns:
        A context manager.

    Raises:
        InvalidInput: for any other name.

    >>> with forced("direct"):
    ...     choose(100_000, 100_000, 2, reach=9.0, is_uniform=True).name
    'tiled'
    """
    if name not in FORCED:
        raise InvalidInput(f"sums can be 'auto' or 'direct', got {name!r}{did_you_mean(str(name), FORCED)}")
    token = _forced.set(name)
    try:
        yield
    finally:
        _forced.reset(token)


def _direct(m: int, n: int, d: int, dtype: str, *, skips: bool) -> Choice:
    name, pairs = direct.algorithm(m, n, skips=skips), f"{m} x {n} pairs"
    count = device_count()
    reason = {
        "ring": f"{pairs} over {count} devices: each keeps its tokens and blocks of keys go around",
        "dense": f"{pairs} are at most {direct.DENSE_PAIRS}: one matrix fits in cache",
        "tiled": f"{pairs}: row tiles keep the memory O(n)",
        "gpu": f"{pairs} on a GPU: one kernel keeps the memory O(n)",
    }[name]
    is_single = jnp.dtype(dtype) == jnp.float32
    # seconds for a pair, from `tokenfield bench direct_sum` and `gpu`
    on_cpu, on_gpu = ((0.35e-9, 0.02e-9), (3e-13, 5e-14)) if is_single else ((1.2e-9, 0.035e-9), (1.8e-12, 5e-14))
    first, more = on_gpu if name == "gpu" else on_cpu
    seconds, error = m * n * (first + more * d) / count, 1e-6 if is_single else 2e-15
    asked = current_precision()
    if asked == "float32":
        return Choice(name, reason, seconds, error)
    obstacle = _obstacle(asked, name, d, is_single)
    if obstacle is not None:
        return Choice(name, f"{reason}; {asked} was asked for, but {obstacle}", seconds, error)
    factor, error = REDUCED[asked]
    return Choice(name, f"{reason}; products in {asked}, as was asked for", seconds * factor, error)


def _obstacle(asked: Precision, name: str, d: int, is_single: bool) -> str | None:
    """Why the reduced precision that was asked for has no effect on the direct sum of that name; None if it has."""
    if not gpu.is_available():
        return "that is for GPUs, and there is none"
    if not is_single:
        return "that is for float32 tokens"
    if name != "dense" and d <= gpu.FULL[asked]:
        return f"up to {gpu.FULL[asked]} dimensions the kernel works in float32"
    return None


def _pays(fast: Choice, plain: Choice) -> bool:
    """Whether a fast sum saves enough for what it takes to compile it."""
    return fast.seconds * ADVANTAGE <= plain.seconds and plain.seconds - fast.seconds >= LEAST_SAVED


def _without(fast: Choice, plain: Choice) -> Choice:
    return plain._replace(reason=f"a sum over modes would take about {_duration(fast.seconds)}; {plain.reason}")


def _any_reach(
    m: int, n: int, d: int, is_uniform: bool, tolerance: float, plain: Choice, *, by_position: bool
) -> Choice:
    """The fast sums of several sizes that pay, as one choice; `plain` if none does."""
    sizes = [_with_modes(m, n, d, count, is_uniform, tolerance) for count in RUNGS[d]]
    sizes = [_over_prefixes(fast, n, d) for fast in sizes] if by_position else sizes
    worth = [fast for fast in sizes if _pays(fast, plain)]
    if not worth:
        return _without(sizes[0], plain)
    # a smaller one is compiled only if it is much faster than the next
    worth = [fast for fast, larger in pairwise(worth) if _pays(fast, larger)] + worth[-1:]
    return Choice(
        worth[-1].name,
        f"{worth[-1].reason}; how long u is, the queries tell, and longer ones are summed directly",
        worth[0].seconds,
        tolerance,
        tuple(fast.expansion for fast in worth if isinstance(fast.expansion, Expansion)),
    )


def _fast(m: int, n: int, d: int, reach: float, is_uniform: bool, tolerance: float) -> Choice:
    needed = (fourier if d == 2 else harmonics).modes_for(reach, TRUNCATION)
    count = -(-(needed + 1) // MODES_STEP) * MODES_STEP - 1  # odd, as harmonics want it
    return _with_modes(m, n, d, count, is_uniform, tolerance)


def _with_modes(m: int, n: int, d: int, count: int, is_uniform: bool, tolerance: float) -> Choice:
    reach = _largest_reach(d, count)
    costs = {"fourier": FOURIER} if d == 2 else {"harmonics": HARMONICS}
    if is_uniform and device_count() == 1 and nufft.is_available():
        costs |= {"nufft": NUFFT} if d == 2 else {"harmonics_nufft": HARMONICS_NUFFT}
    name, seconds = min(((name, cost.seconds(m, n, count, is_uniform)) for name, cost in costs.items()), key=_second)
    if jax.default_backend() == "gpu":
        seconds /= GPU_ADVANTAGE
    seconds /= device_count()
    what = f"{count} Fourier modes" if d == 2 else f"spherical harmonics up to degree {count}"
    reason = f"{m} x {n} pairs on {'the circle' if d == 2 else 'S^2'}: {what} carry e^<u, y> for |u| <= {reach:.4g}"
    return Choice(name, reason, seconds, tolerance, Expansion(name, count, reach, is_uniform, tolerance))


def _over_prefixes(fast: Choice, n: int, d: int) -> Choice:
    """The choice of prefix sums of the moments that `fast` takes, for tokens that see each other by position."""
    assert isinstance(fast.expansion, Expansion)
    name, cost = ("fourier_prefix", FOURIER_PREFIX) if d == 2 else ("harmonics_prefix", HARMONICS_PREFIX)
    seconds = cost.seconds(n, n, fast.expansion.size, fast.expansion.is_uniform)
    seconds = seconds / GPU_ADVANTAGE if jax.default_backend() == "gpu" else seconds
    return fast._replace(name=name, reason=f"{fast.reason}, summed over prefixes by position", seconds=seconds)


@lru_cache
def _largest_reach(d: int, count: int) -> float:
    """The largest |u| for which `count` modes are enough, rounded down to three digits."""
    module, low = fourier if d == 2 else harmonics, 0.0
    high = min(float(count * count), module.FARTHEST)
    while high - low > 1e-3 * high and high > 1e-3:
        middle = (low + high) / 2
        low, high = (middle, high) if module.modes_for(middle, TRUNCATION) <= count else (low, middle)
    return low


def _second(pair: tuple[str, float]) -> float:
    return pair[1]


def _duration(seconds: float) -> str:
    if seconds < 1e-3:
        return f"{max(seconds * 1e6, 0.1):.2g} us"
    return f"{seconds * 1e3:.0f} ms" if seconds < 1 else f"{seconds:.3g} s"
