"""A claim about weights that change with depth (arXiv 2412.02682): under a causal mask all tokens go to the first one.

With V = I the first token stays. Where all tokens are equal all logits of a row are equal, whatever Q and K are, so
that token k looks at each of the first k with weight 1/k. Its distance delta_k from the first one obeys
delta_k' = -delta_k + (1/k) sum_{j <= k} delta_j, a triangular system with the rates -(k - 1)/k. The slowest, -1/2, is
that of the second token, and drives all others: delta_k -> (k - 1) delta_2, corrections decay like e^{-t/6}.
Without a mask the rate is -1.
"""

from __future__ import annotations

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from matplotlib.figure import Figure
from scipy.linalg import expm

import tokenfield as tkf
from tokenfield.claims.claim import Claim, Control, Finding, Setting, at_most, equals
from tokenfield.claims.figures import PALETTE, PREDICTED, panels

PERIOD = 0.5  # for which one draw of Q and K acts
NEAR = 0.01
FRAME = 3  # the dimension of the tokens


def _model(key: jax.Array, masked: bool) -> tkf.Transformer:
    """V = I, and logits <x, B(t) y> with independent Gaussian entries in B, drawn anew in every period."""
    weights = tkf.schedule.Resampled(tkf.Softmax(1.0), FRAME, period=PERIOD, seed=key, logits=tkf.schedule.ginibre)
    return tkf.Transformer(tkf.Sphere(FRAME), weights, position=tkf.Causal() if masked else None)


@eqx.filter_jit
def _paths(keys: jax.Array, starts: jax.Array, t1: float, masked: bool) -> jax.Array:
    """Tokens (systems, times, n, d) from starts (systems, n, d), each with its own weights; one time for each draw."""

    def one(key: jax.Array, x: jax.Array) -> jax.Array:
        run = tkf.solve(_model(key, masked), tkf.Measure(x), t1=t1, method="rk4", step=PERIOD / 5, save=_count(t1))
        return run.saved_points

    return jax.vmap(one)(keys, starts)


def _count(t1: float) -> int:
    return round(t1 / PERIOD) + 1


def _last_rate(ts: np.ndarray, distances: np.ndarray) -> float:
    """The slope of log distances over the last third, a mean over systems (systems, T)."""
    late = ts >= 2 * ts[-1] / 3
    return float(np.mean(np.polyfit(ts[late], np.log(distances[:, late]).T, 1)[0]))


def _linear_error(x: np.ndarray, starts: np.ndarray, ts: np.ndarray) -> tuple[float, float]:
    """The share of systems (systems, T, n, d) that come within NEAR, and how far their ends are from the linear law.

    The error is by the size of the end, the largest over tokens and systems.
    """
    n = x.shape[2]
    matrix = np.tril(np.ones((n, n))) / np.arange(1, n + 1)[:, None] - np.eye(n)
    away = x - starts[:, None, :1]
    is_near = np.linalg.norm(away, axis=-1).max(axis=2) < NEAR
    errors = []
    for path, near in zip(away, is_near, strict=True):
        first = int(np.argmax(near))
        if near[first] and ts[first] < 2 * ts[-1] / 3:
            predicted = expm(matrix * (ts[-1] - ts[first])) @ path[first]
            errors.append(np.abs(path[-1] - predicted).max() / np.abs(path[-1]).max())
    return len(errors) / len(x), max(errors, default=np.inf)


def _time_varying(*, seed: int, n: int, systems: int, t1: float, masked: bool) -> Finding:
    rng = np.random.default_rng(seed)
    keys = jax.random.split(jax.random.key(seed), systems)
    starts = rng.normal(size=(systems, n, FRAME))
    starts /= np.linalg.norm(starts, axis=-1, keepdims=True)
    x, ts = np.asarray(_paths(keys, jnp.asarray(starts), t1, masked)), np.linspace(0, t1, _count(t1))
    distances = np.linalg.norm(x[:, :, 1:] - starts[:, None, :1], axis=-1)  # (systems, times, n - 1)
    arrived, error = _linear_error(x, starts, ts)
    # the same weights without a mask; tokens of one hemisphere, from where arbitrary weights are allowed
    inside = starts * np.where(starts[..., :1] < 0, -1.0, 1.0)
    free = np.asarray(_paths(keys, jnp.asarray(inside), t1 / 2, False))
    spread = np.linalg.norm(free - free.mean(axis=2, keepdims=True), axis=-1).max(axis=2)
    near = "logits differ by the distance that is left"
    checks = [
        equals("share of systems in which all tokens come to the first one", arrived, 1, within=0,
               because="within 0.01, before two thirds of the time"),
        equals("late rate of the second token's distance", _last_rate(ts, distances[..., 0]), -0.5, within=1e-3,
               because=near),
        at_most("largest error of the triangular system, from where all tokens are within 0.01 to the end", error, 0,
                slack=5 * NEAR, because="logits differ by |B| times 0.01, with |B| up to 5"),
        equals("late rate of the spread without a mask", _last_rate(ts[: spread.shape[1]], spread), -1.0, within=1e-3,
               because=near),
    ]  # fmt: skip
    ratios = distances[:, -1] / distances[:, -1, :1]
    return Finding(checks, {"ts": ts, "distances": distances, "ratios": ratios, "spread": spread})


def _draw(finding: Finding) -> Figure:
    figure, (left, right) = panels(2, width=8.0)
    ts, distances, spread = (finding.data[name] for name in ("ts", "distances", "spread"))
    middle = np.median(distances.max(axis=2), axis=0)
    left.semilogy(ts, distances.max(axis=2).T, color=PALETTE[0], linewidth=0.5, alpha=0.5)
    left.plot([], [], color=PALETTE[0], label="causal: farthest token from the first")
    short = ts[: spread.shape[1]]
    left.semilogy(short, spread.T, color=PALETTE[1], linewidth=0.5, alpha=0.5)
    left.plot([], [], color=PALETTE[1], label="no mask: from the mean")
    for rate, values, times in ((-0.5, middle, ts), (-1.0, np.median(spread, axis=0), short)):
        used = times >= times[-1] / 2
        line = values[-1] * np.exp(rate * (times[used] - times[-1]))
        left.semilogy(times[used], line, label="$e^{-t/2}$, $e^{-t}$ through the medians" if rate < -0.7 else None,
                      **PREDICTED)  # fmt: skip
    left.set(xlabel="time $t$ of the flow", ylabel="distance", ylim=(None, 1e3))
    left.legend(loc="upper right", fontsize=8)
    ratios = finding.data["ratios"]
    k = np.arange(2, ratios.shape[1] + 2)
    right.plot(k, ratios.T, "o", color=PALETTE[0], markersize=4, alpha=0.5)
    right.plot(k, k - 1, label="$k - 1$", **PREDICTED)
    right.set(xlabel="token $k$", ylabel=rf"$|x_k - x_1| \,/\, |x_2 - x_1|$ at $t = {ts[-1]:g}$")
    right.xaxis.get_major_locator().set_params(integer=True)
    right.legend(loc="upper left")
    return figure


CLAIMS = (
    Claim(
        id="rst24-time-varying-weights",
        title="Under a causal mask weights that change with depth do not stop the collapse",
        statement=r"With $V = I$, a causal mask and any bounded $Q(t)$, $K(t)$ every token converges to the first one. "
        r"Near the end the weights no longer matter: distances fall like $e^{-t/2}$, and those of the tokens "
        r"$k = 2, 3, \dots$ are in the ratio $1 : 2 : 3 : \cdots$.",
        paper="rst24",
        where="abstract, and what is said elsewhere of its theorem on autoregressive models",
        status="second-hand",
        assumptions=(
            r"tokens on $S^2$ from anywhere; $K(t)^\top Q(t)$ with independent Gaussian entries, redrawn every half "
            "unit of time",
        ),
        experiment=_time_varying,
        draw=_draw,
        quick=Setting({"n": 6, "systems": 32, "t1": 48.0, "masked": True}, seconds=3),
        full=Setting({"n": 8, "systems": 1024, "t1": 54.0, "masked": True}, seconds=20),
        control=Control({"masked": False}, "without the mask the first token moves as well", "come to the first"),
        main="triangular system",
        note=r"We know the abstract and a summary of the theorem. The rate $\tfrac12$ and the distances are derived "
        "here. In the paper weights are bounded; Gaussian ones are so on every run.",
    ),
)
