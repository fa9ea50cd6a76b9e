"""One block of systems at once: batched attention with Q = K = V = I on the sphere, time steps, and statistics.

Here are only arrays: no plan, no threads, no disk. `block` is what `tokenfield.ensemble` compiles, once per shape; all
systems of a block take the same time steps. The attention is that of `Softmax` and `Unnormalized`, written again for
many small systems because a vmapped sum over tiles is several times slower; tests hold both against each other.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

import diffrax
import jax
import jax.numpy as jnp
from jax import Array, lax

from tokenfield.ensemble.statistics import STATISTICS, pairs
from tokenfield.geometry import Sphere

METHODS = ("euler-normalise", "rk4", "tsit5", "heun")


class Kind(NamedTuple):
    """What is fixed when a block is compiled.

    `is_average`: softmax attention, otherwise unnormalized. `systems_last`: tokens are held as (d, n, systems), where
    each operation runs over neighboring systems; otherwise as (systems, n, d), for products of matrices. `statistics`
    are pairs of a name of `STATISTICS` and its threshold.
    """

    is_average: bool
    method: str
    systems_last: bool
    is_noisy: bool
    rtol: float
    statistics: tuple[tuple[str, float], ...]


# --- attention ----------------------------------------------------------------------------------------------------


class Layout(NamedTuple):
    """How tokens of many systems are held: the axis of their coordinates, and the sums of attention over them."""

    axis: int
    sums: Callable[[Array, Array], tuple[Array, Array]]
    turn: Callable[[Array], Array]  # from (S, n, d) and back
    spread: Callable[[Array], Array]  # one number per system (S,), made to multiply tokens
    gram: Callable[[Array], Array]  # the cosines (S, n, n)
    pairs: Callable[[Array, float], Array]  # as the statistic of that name

    def statistic(self, name: str, x: Array, threshold: float) -> Array:
        """A statistic of each system, (S,)."""
        return self.pairs(x, threshold) if name == "pairs" else STATISTICS[name](self.gram(x), threshold)

    def dot(self, x: Array, y: Array) -> Array:
        return jnp.sum(x * y, axis=self.axis, keepdims=True)

    def retract(self, x: Array) -> Array:
        return x / jnp.sqrt(self.dot(x, x))

    def project(self, x: Array, v: Array) -> Array:
        return v - self.dot(x, v) * x

    def exp(self, x: Array, v: Array) -> Array:
        angle = jnp.sqrt(self.dot(v, v))
        return self.retract(jnp.cos(angle) * x + jnp.sinc(angle / jnp.pi) * v)


def _sums_by_products(x: Array, beta: Array) -> tuple[Array, Array]:
    """sum_j e^{beta (<x_i, x_j> - 1)} x_j and the same without x_j, for x (S, n, d) and beta (S, 1, 1).

    The exponent is at most 0 and that of a token with itself is 0: nothing overflows and no total vanishes.
    """
    e = jnp.exp(beta * (jnp.einsum("sid,sjd->sij", x, x) - 1))
    return jnp.einsum("sij,sjd->sid", e, x), jnp.sum(e, axis=2, keepdims=True)


def _window(n: int, dtype: Any) -> tuple[int, Array]:
    """How many tokens follow one on half a ring of n, and the shares (m, 1) in which it meets them.

    For even n the token opposite on the ring is met from both sides, half each time.
    """
    m = n // 2
    return m, jnp.ones((m, 1), dtype).at[m - 1].set(1.0 if n % 2 else 0.5)


def _sums_by_windows(x: Array, beta: Array) -> tuple[Array, Array]:
    """The same for x (d, n, S) and beta (S,), each pair once: token i meets the n/2 tokens after it on a ring."""
    d, n, _ = x.shape
    m, share = _window(n, x.dtype)
    counted = jnp.concatenate([x, jnp.ones_like(x[:1])])  # the last row sums to the total
    ring = jnp.concatenate([counted, counted], axis=1)

    def meet(i: Array, sums: Array) -> Array:
        x_i = lax.dynamic_slice_in_dim(ring, i, 1, axis=1)
        after = lax.dynamic_slice_in_dim(ring, i + 1, m, axis=1)
        e = share * jnp.exp(beta * (jnp.sum(x_i[:d] * after[:d], axis=0) - 1))
        theirs = lax.dynamic_slice_in_dim(sums, i + 1, m, axis=1) + e * x_i
        sums = lax.dynamic_update_slice_in_dim(sums, theirs, i + 1, axis=1)
        mine = lax.dynamic_slice_in_dim(sums, i, 1, axis=1) + jnp.sum(e * after, axis=1, keepdims=True)
        return lax.dynamic_update_slice_in_dim(sums, mine, i, axis=1)

    sums = lax.fori_loop(0, n, meet, jnp.zeros_like(ring))
    sums = sums[:, :n] + sums[:, n:] + counted
    return sums[:d], sums[d:]


def _pairs_by_windows(x: Array, delta: float) -> Array:
    """The statistic `pairs` for x (d, n, S), each pair once."""
    n = x.shape[1]
    m, share = _window(n, x.dtype)
    ring = jnp.concatenate([x, x], axis=1)

    def meet(i: Array, count: Array) -> Array:
        x_i = lax.dynamic_slice_in_dim(ring, i, 1, axis=1)
        cosines = jnp.sum(x_i * lax.dynamic_slice_in_dim(ring, i + 1, m, axis=1), axis=0)
        return count + jnp.sum(share * (cosines > 1 - delta), axis=0)

    return lax.fori_loop(0, n, meet, jnp.zeros(x.shape[2], x.dtype)) / (n * (n - 1) / 2)


ROWS = Layout(
    axis=2,
    sums=_sums_by_products,
    turn=lambda x: x,
    spread=lambda a: a[:, None, None],
    gram=lambda x: jnp.einsum("sid,sjd->sij", x, x),
    pairs=lambda x, delta: pairs(jnp.einsum("sid,sjd->sij", x, x), delta),
)
COLUMNS = Layout(
    axis=0,
    sums=_sums_by_windows,
    turn=lambda x: jnp.transpose(x, (2, 1, 0)),
    spread=lambda a: a,
    gram=lambda x: jnp.einsum("dis,djs->sij", x, x),
    pairs=_pairs_by_windows,
)


# --- time ---------------------------------------------------------------------------------------------------------


class Step(NamedTuple):
    """The last step of a block, from t0 to t1, with what interpolation needs; `h` is the length of the next one."""

    k: Array
    t0: Array
    t1: Array
    h: Array
    y0: Array
    y1: Array
    slope: Array  # the velocity at y1, where the method uses it
    stages: Array  # those of the step, times its length, where interpolation uses them
    is_done: Array


class Flow(NamedTuple):
    """Everything that a step of one block needs."""

    kind: Kind
    layout: Layout
    beta: Array
    kappa: Array
    keys: Array
    step: Array
    t_end: Array

    def field(self, x: Array) -> Array:
        """What attention adds at tokens on the sphere."""
        total, weight = self.layout.sums(x, self.beta)
        if self.kind.is_average:
            return total / weight
        return total * (jnp.exp(self.beta) / x.shape[1])

    def velocity(self, y: Array) -> Array:
        """The right-hand side, read at the retracted tokens."""
        x = self.layout.retract(y)
        return self.layout.project(x, self.field(x))

    def kick(self, k: Array, h: Array, x: Array) -> Array:
        """The noise sqrt(2/kappa) (W(t + h) - W(t)) of step k, projected at x."""
        n, d = x.shape[1], x.shape[self.layout.axis]
        normal = jax.vmap(lambda key: jax.random.normal(jax.random.fold_in(key, k), (n, d), x.dtype))(self.keys)
        scale = self.layout.spread(jnp.sqrt(2 * h / self.kappa))
        return self.layout.project(x, scale * self.layout.turn(normal))


def _fixed_end(flow: Flow, step: Step) -> Array:
    """The end of the next step of fixed length; the last one may be shorter."""
    t = (step.k + 1) * flow.step
    return jnp.where(t > flow.t_end * (1 - 1e-12), flow.t_end, t)


def _euler(flow: Flow, step: Step) -> Step:
    """x + h A, not projected, then normalized: the scheme of the published figures."""
    t, x = _fixed_end(flow, step), step.y1
    added = (t - step.t1) * flow.field(x)
    y = flow.layout.retract(x + added)
    return step._replace(k=step.k + 1, t0=step.t1, t1=t, y0=x, y1=y, stages=added)


def _heun(flow: Flow, step: Step) -> Step:
    """Heun's method in the sense of Stratonovich, as `integrators.Heun`."""
    t, x, layout = _fixed_end(flow, step), step.y1, flow.layout
    h = t - step.t1
    kick = flow.kick(step.k, h, x) if flow.kind.is_noisy else jnp.zeros_like(x)
    first = h * flow.velocity(x)
    second = h * flow.velocity(layout.exp(x, kick + first))
    y = layout.retract(layout.exp(x, kick + first / 2) + second / 2)
    return step._replace(k=step.k + 1, t0=step.t1, t1=t, y0=x, y1=y)


def _rk4(flow: Flow, step: Step) -> Step:
    """The classical method; its first stage is the velocity that the last step ended with."""
    t, y, k1 = _fixed_end(flow, step), step.y1, step.slope
    h = t - step.t1
    k2 = flow.velocity(y + h / 2 * k1)
    k3 = flow.velocity(y + h / 2 * k2)
    k4 = flow.velocity(y + h * k3)
    end = flow.layout.retract(y + h / 6 * (k1 + 2 * k2 + 2 * k3 + k4))
    slope = flow.velocity(end)
    stages = h * jnp.stack([k1, slope])
    return Step(step.k + 1, step.t1, t, step.h, y, end, slope, stages, step.is_done)


def _tsit5(flow: Flow, step: Step) -> Step:
    """One trial of Tsitouras' method of order 5; all systems of the block take the step that the worst one allows."""
    tableau = diffrax.Tsit5.tableau
    y, t = step.y1, jnp.minimum(step.t1 + step.h, flow.t_end)
    h = t - step.t1
    stages = [step.slope]
    end = y
    for row in tableau.a_lower:
        end = y + h * sum(float(a) * k for a, k in zip(row, stages, strict=True) if a != 0)
        stages.append(flow.velocity(end))  # the last is at the end of the step
    end = flow.layout.retract(end)
    error = h * sum(float(b) * k for b, k in zip(tableau.b_error, stages, strict=True))
    # the root mean square over the tokens of each system, and of these the largest
    squares = flow.layout.turn((error / (flow.kind.rtol * (jnp.abs(end) + 0.01))) ** 2)
    size = jnp.sqrt(jnp.max(jnp.mean(squares, axis=(1, 2))))
    factor = jnp.clip(0.9 * jnp.maximum(size, 1e-10) ** -0.2, 0.2, 5.0)
    new = Step(step.k + 1, step.t1, t, h * factor, y, end, stages[-1], h * jnp.stack(stages), step.is_done)
    # at the end of the span a short last step says nothing about the next
    is_good = (size < 1) | (h < 1e-12 * flow.t_end)
    return jax.tree.map(lambda a, b: jnp.where(is_good, a, b), new, step._replace(k=step.k + 1, h=h * factor))


STEPS: dict[str, Callable[[Flow, Step], Step]] = {
    "euler-normalise": _euler,
    "heun": _heun,
    "rk4": _rk4,
    "tsit5": _tsit5,
}


def _begin(flow: Flow, x: Array) -> Step:
    zero = jnp.zeros((), x.dtype)
    slope = flow.velocity(x) if flow.kind.method in ("rk4", "tsit5") else zero
    counts = {"euler-normalise": (), "rk4": (2,), "tsit5": (7,)}
    stages = jnp.zeros((*counts[flow.kind.method], *x.shape), x.dtype) if flow.kind.method in counts else zero
    return Step(jnp.zeros((), int), zero, zero, jnp.minimum(0.01, flow.t_end), x, x, slope, stages, jnp.asarray(False))


def _at(flow: Flow, step: Step, t: Array) -> Array:
    """The tokens at a time within the last step: a straight line, a cubic or the method's own polynomial."""
    length = step.t1 - step.t0
    s = jnp.where(length > 0, jnp.clip((t - step.t0) / jnp.where(length > 0, length, 1.0), 0.0, 1.0), 1.0)
    if flow.kind.method == "euler-normalise":
        return flow.layout.retract(step.y0 + s * step.stages)
    if flow.kind.method == "rk4":
        first, last = step.stages
        y = (1 - s) * step.y0 + s * step.y1
        bend = (1 - 2 * s) * (step.y1 - step.y0) + (s - 1) * first + s * last
        return flow.layout.retract(y + s * (s - 1) * bend)
    if flow.kind.method == "tsit5":
        one = jnp.ones_like(s)
        inside = diffrax.Tsit5.interpolation_cls(t0=0 * one, t1=one, y0=step.y0, y1=step.y1, k=step.stages)
        return flow.layout.retract(jnp.where(s < 1, inside.evaluate(s), step.y1))
    return flow.layout.retract((1 - s) * step.y0 + s * step.y1)


def smallest_cap(statistics: tuple[tuple[str, float], ...], n: int) -> float:
    """The largest 1 - <center, x_i> at which no statistic of a system can change any more; 0 if there is none.

    Attention with positive weights keeps tokens in the cone that they span, and all distances in a small cap shrink.
    If tokens are within s of the center, their cosines exceed 1 - 4s and all eigenvalues of the Gram matrix but one
    are below 4 n s.
    """
    limits = {"pairs": 1.0, "clusters": 1.0, "span": 1 / n}
    return min(threshold * limits.get(name, 0.0) for name, threshold in statistics) / 8


def _is_collapsed(layout: Layout, x: Array, cap: float) -> Array:
    """Whether all systems have their tokens in one cap around their mean: n comparisons each, not n^2."""
    center = jnp.mean(x, axis=1, keepdims=True)
    return jnp.all(layout.dot(x, center) > (1 - cap) * jnp.sqrt(layout.dot(center, center)))


def block(
    kind: Kind, x: Array, keys: Array, betas: Array, kappas: Array, step: Array, times: Array
) -> dict[str, Array]:
    """The statistics (S, T) at the `times` of the systems that start from x (S, n, d), by name.

    `betas` and `kappas` (S,) belong to the systems, `step` is the length of the time steps of all.
    """
    layout = COLUMNS if kind.systems_last else ROWS
    cap = smallest_cap(kind.statistics, x.shape[1])
    flow = Flow(kind, layout, layout.spread(betas), kappas, keys, step, times[-1])
    advance = STEPS[kind.method]

    def save(state: Step, t: Array) -> tuple[Step, dict[str, Array]]:
        state = lax.while_loop(lambda s: (s.t1 < t) & ~s.is_done, lambda s: advance(flow, s), state)
        x = _at(flow, state, t)
        values: dict[str, Any] = {name: layout.statistic(name, x, limit) for name, limit in kind.statistics}
        if cap > 0 and not kind.is_noisy:
            state = state._replace(is_done=_is_collapsed(layout, x, cap))
        return state, values

    values = lax.scan(save, _begin(flow, layout.turn(x)), times)[1]
    return {name: column.T for name, column in values.items()}


def blocks(
    kind: Kind, size: int, x: Array, keys: Array, betas: Array, kappas: Array, step: Array, times: Array
) -> dict[str, Array]:
    """The statistics (columns, systems, times) of systems that start from x (systems, n, d), by blocks of `size`."""
    (columns,), (systems,) = betas.shape, keys.shape
    total = columns * systems
    size = total if size == 0 else min(size, total)
    missing = -total % size

    def cut(a: Array) -> Array:
        padded = jnp.concatenate([a, a[:missing]]) if missing else a
        return padded.reshape(-1, size, *a.shape[1:])

    of_systems = [jnp.tile(x, (columns, 1, 1)), jnp.tile(keys, columns)]
    of_columns = [jnp.repeat(betas, systems), jnp.repeat(kappas, systems)]

    def one(part: tuple[Array, Array, Array, Array]) -> dict[str, Array]:
        return block(kind, *part, step, times)

    found = lax.map(one, (*(cut(a) for a in of_systems), *(cut(a) for a in of_columns)))
    return {name: v.reshape(-1, len(times))[:total].reshape(columns, systems, -1) for name, v in found.items()}


def _turned(x: Array) -> Array:
    """Tokens (S, n, n) with the same inner products as x (S, n, d), d > n."""
    n, d = x.shape[1:]
    if d >= 2 * n:
        # the Gram matrix L L^T of random tokens has a condition number below 40 then, and a GPU factors it in no time
        return jnp.linalg.cholesky(jnp.einsum("sid,sjd->sij", x, x, precision="highest"))
    # x^T = Q R, so the rows of R^T have the same inner products
    return jnp.swapaxes(jnp.linalg.qr(jnp.swapaxes(x, 1, 2), mode="r"), 1, 2)


@partial(jax.jit, static_argnums=(0, 1, 2))
def draw(n: int, d: int, reduces: bool, key: Array, systems: Array) -> tuple[Array, Array]:
    """Uniform tokens (S, n, d) on S^{d-1} of the given `systems` (S,), and a key for each.

    With `reduces` they are turned into R^n, which they span: tokens (S, n, n).
    """
    keys = jax.vmap(lambda s: jax.random.split(jax.random.fold_in(key, s)))(systems)
    x = jax.vmap(lambda key: Sphere(d).uniform_points(n, seed=key))(keys[:, 0])
    if reduces:
        x = Sphere(n).to_manifold(_turned(x))
    return x, keys[:, 1]
