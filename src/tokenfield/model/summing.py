"""Which sums the heads of a model need, in the words of `tokenfield.sums`: what is summed, and which way is chosen.

On the circle and on S^2 every exponential kernel is e^{<u, y>} of a vector u = c K^T Q x and the token y itself: what
the fast sums take, also where tokens see each other by position; RoPE turns both, u = c |K| R Q x and R K y / |K|.
How many modes they need depends on the numbers c, Q, K. Where these are traced, as when a model is an argument of
compiled code, a few numbers of modes are compiled and the queries decide between them, unless the choice was made
before (`choose_sums`, `Transformer.with_sums`).
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Literal

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jax import Array

from tokenfield.errors import SlowSums
from tokenfield.geometry import Sphere
from tokenfield.measure import Measure, is_concrete
from tokenfield.model.matrices import apply_matrix
from tokenfield.model.parts import Head
from tokenfield.model.position import Position, RoPE, View
from tokenfield.model.projected import OnSphere
from tokenfield.model.schedule import Constant
from tokenfield.model.sinkhorn import Sinkhorn
from tokenfield.sums import Choice, Expansion, choose, fast

if TYPE_CHECKING:
    from tokenfield.model.transformer import Transformer

TOLERANCE = 1e-10  # relative error of fast sums
TIMES = 33  # how many times are looked at where weights change with depth
MARGIN = 1.2  # and how much larger than seen they may become before sums are done directly
FAST_DIMENSIONS = (2, 3)  # of the sphere, where sums can be fast
UNIFORM = 1e-12  # singular values of K^T Q that differ by less are equal


def choices(
    model: Transformer,
    m: int,
    n: int,
    *,
    heads: Sequence[tuple[Head, ...]],
    dtype: Any = "float64",
    tolerance: float = TOLERANCE,
) -> tuple[Choice, ...]:
    """For each head the way to sum over `n` tokens for `m` queries; `heads` are those of one depth or of several."""
    d, out = model.geometry.d, []
    for i, head in enumerate(heads[0]):
        reach = is_uniform = None
        seen = _seen_share(model, n) if model.position else None
        # a gain that moves with depth would need a size of the fast sum for each depth
        is_steady = model.normalization is None or not model.normalization.gain_moves
        if isinstance(model.geometry, Sphere) and is_steady and (seen is None or m == n):
            with jax.ensure_compile_time_eval():  # inside `jax.jit` too, what is made of known numbers is known
                at_depths, gain = [at_depth[i] for at_depth in heads], _gain(model)
                scales = _key_lengths(model, at_depths, gain)
                is_scaled_apart = seen is not None and isinstance(head.attention, Sinkhorn)  # n scalings, each direct
                if scales is not None and not is_scaled_apart:
                    reach, is_uniform = _reach(at_depths, gain, d, scales)
        width = d if reach is not None else head.d_k or d
        name = str(jnp.dtype(dtype))
        out.append(
            choose(m, n, width, reach=reach, is_uniform=bool(is_uniform), tolerance=tolerance, dtype=name, seen=seen)
        )
    return tuple(out)


def _reach(
    heads: list[Head], gain: Array | None, d: int, scales: list[float | None]
) -> tuple[float | Literal["any"] | None, bool]:
    """The largest |c K^T Q x| over the sphere, and whether it is the same for all x.

    It is "any" where it is not known yet, and `None` where the kernel is not exponential. Where positions turn the
    keys, `scales` has the lengths |K y| of each head, and |K| |Q x| is meant.
    """
    reach, is_uniform = 0.0, True
    exponents = [head.attention.exponent for head in heads]
    if any(exponent is None for exponent in exponents):
        return None, False
    if d not in FAST_DIMENSIONS:  # no fast sum there, so how long queries are does not matter
        return "any", False
    if not all(matrix is None or is_concrete(matrix) for head in heads for matrix in (head.Q, head.K, gain)):
        return "any", False
    for head, exponent, scale in zip(heads, exponents, scales, strict=True):
        matrix = np.eye(d) if head.Q is None else np.asarray(head.Q, np.float64)
        if gain is not None:
            matrix = matrix * np.asarray(gain)[None, :]
        if scale is not None:
            matrix = scale * matrix
        else:
            matrix = matrix if head.K is None else np.asarray(head.K, np.float64).T @ matrix
            matrix = matrix if gain is None else np.asarray(gain)[:, None] * matrix
        lengths = np.linalg.svd(matrix, compute_uv=False)
        is_uniform &= bool(lengths[0] - lengths[-1] <= UNIFORM * lengths[0])
        is_known = exponent is not None and is_concrete(exponent)
        reach = max(reach, float(abs(np.asarray(exponent)) * lengths[0])) if is_known else np.inf
    if reach == np.inf:
        return "any", is_uniform
    return reach if len(heads) == 1 else MARGIN * reach, is_uniform


def settled(model: Transformer, heads: tuple[Head, ...]) -> tuple[Choice, ...] | None:
    """The choices that `model` carries, with a warning where its weights have outgrown them; `None` if it has none."""
    if model.sums is None:
        return None
    for head, choice in zip(heads, model.sums, strict=True):
        if not isinstance(choice.expansion, Expansion):
            continue
        with jax.ensure_compile_time_eval():
            gain = _gain(model)
            scales = _key_lengths(model, [head], gain)
            reach, is_uniform = (None, False) if scales is None else _reach([head], gain, model.geometry.d, scales)
        made = choice.expansion
        if isinstance(reach, float) and (reach > made.reach * (1 + 1e-9) or (made.is_uniform and not is_uniform)):
            warnings.warn(
                f"the fast sum of {head} was settled for other weights ({choice.reason}), and now sums directly: "
                "model.with_sums(None) lets the model choose anew",
                SlowSums,
                stacklevel=2,
            )
    return model.sums


def _turning(model: Transformer) -> list[Position]:
    """The kinds of position that turn queries and keys."""
    return [kind for kind in model.position if type(kind).rotate is not Position.rotate]


def _key_lengths(model: Transformer, heads: list[Head], gain: Array | None) -> list[float | None] | None:
    """|K y| of each head where positions turn the keys, `None` for a head else.

    `None` for all of them if turned keys are no unit vectors of the same space, up to one factor: no fast sum then.
    """
    turning, d = _turning(model), model.geometry.d
    out: list[float | None] = []
    if not turning:
        return [None] * len(heads)
    if not all(type(kind) is RoPE for kind in turning):
        return None
    for head in heads:
        if head.d_k not in (None, d) or not all(a is None or is_concrete(a) for a in (head.K, gain)):
            return None
        matrix = np.eye(d) if head.K is None else np.asarray(head.K, np.float64)
        lengths = np.linalg.svd(matrix if gain is None else matrix * np.asarray(gain), compute_uv=False)
        if lengths[0] - lengths[-1] > UNIFORM * lengths[0] or lengths[0] == 0:
            return None
        out.append(float(lengths[0]))
    return out


def _seen_share(model: Transformer, n: int) -> float:
    """The share of the pairs of n tokens at positions 0, 1, 2, ... that see each other; at others it is a guess."""
    bounds = [kind.bounds() for kind in model.position]
    latest = max((low for low, _ in bounds if low is not None), default=-float(n))
    oldest = min((high for _, high in bounds if high is not None), default=float(n))
    past, future = (min(max(bound, 0.0), float(n)) / n for bound in (oldest, -latest))
    return max(past - past**2 / 2 + future - future**2 / 2, 1 / n)


def on_sphere(
    model: Transformer, head: Head, choice: Choice, x: Array, mu: Measure, view: View | None
) -> OnSphere | None:
    """What a fast sum sees: the vectors K^T Q x_i and the tokens themselves; `None` if the choice is a direct sum.

    With positions it is for as many queries as tokens, at the positions of these.
    """
    if choice.expansion is None or (view is not None and view.queries is not view.keys):
        return None
    gain = _gain(model)
    if view is not None and _turning(model):

        def turned(x: Array, matrix: Array | None) -> Array:
            return view.rotate(apply_matrix(matrix, x if gain is None else x * gain.astype(x.dtype)), view.keys)

        keys = turned(mu.points, head.K)
        length = jnp.sqrt(jnp.sum(keys[0] ** 2))  # the same for all
        own = length * turned(mu.points, head.Q)
        queries = own if x is mu.points else length * turned(x, head.Q)
        return OnSphere(queries, own, own, mu.points, gain, choice.expansion, keys / length)

    def pulled(x: Array, Q: Array | None, K: Array | None) -> Array:
        queries = apply_matrix(Q, x if gain is None else x * gain.astype(x.dtype))
        queries = queries if K is None else queries @ K.astype(x.dtype)
        return queries if gain is None else queries * gain.astype(x.dtype)

    queries = pulled(x, head.Q, head.K)
    own = queries if x is mu.points else pulled(mu.points, head.Q, head.K)
    back = own if head.Q is None and head.K is None else pulled(mu.points, head.K, head.Q)
    return OnSphere(queries, own, back, mu.points, gain, choice.expansion)


def _gain(model: Transformer) -> Array | None:
    """The diagonal by which attention reads the tokens, where it is the same at all depths; `None` for the identity."""
    if model.normalization is None:
        return None
    ones = jnp.ones(model.geometry.d)
    gain = model.normalization.read(0.0, ones)
    return None if gain is ones else gain


def choose_sums(
    model: Transformer, mu: Measure, *, t0: float = 0.0, t1: float = 0.0, tolerance: float = TOLERANCE
) -> tuple[Choice, ...]:
    """For each head the way to sum over tokens like those of `mu`, wherever the weights may be on [t0, t1]."""
    # the heads of sublayers sum directly; to look for others would copy the weights of every layer
    heads = [()] if model.has_sublayers else [model.heads(t) for t in _times(model, t0, t1)]
    return choices(model, mu.n, mu.n, heads=heads, dtype=mu.points.dtype, tolerance=tolerance)


@eqx.filter_jit
def share_summed_directly(model: Transformer, mu: Measure, t: Array) -> Array:
    """The largest share of tokens, over the heads, that the settled fast sums of `model` sum directly, a scalar.

    For compiled code that cannot say so while it runs. Sums by position have an error of their own and do not count.
    """
    shares = [jnp.zeros(())]
    for head, projected in zip(model.heads(t), model.projected(t, mu.points, mu), strict=True):
        exponent, sphere = head.attention.exponent, projected.sphere
        if sphere is not None and projected.band is None and sphere.keys is None and exponent is not None:
            queries = exponent.astype(sphere.own.dtype) * sphere.own
            shares.append(fast.share_summed_directly(queries, sphere.points, mu.weights, sphere.expansion))
    return jnp.max(jnp.stack(shares))


def _times(model: Transformer, t0: float, t1: float) -> np.ndarray:
    """Times at which to look at the weights of `model`: one if they are constant, or if no fast sum asks for them.

    Where they change at jumps only, one in each piece, of very many pieces in some.
    """
    if isinstance(model.schedule, Constant) or model.geometry.d not in FAST_DIMENSIONS:
        return np.array([t0])
    edges = np.concatenate([[t0], model.schedule.jumps(t0, t1), [t1]])
    middles = (edges[1:] + edges[:-1]) / 2
    if model.schedule.is_piecewise:
        return middles[:: -(-len(middles) // (2 * TIMES))]
    return np.union1d(np.linspace(t0, t1, TIMES), middles[:: -(-len(middles) // TIMES)])
