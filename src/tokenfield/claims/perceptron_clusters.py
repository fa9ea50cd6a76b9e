"""Claims about attention with a potential or a perceptron (arXiv 2601.21366): what keeps clusters apart.

The potential phi = s x_1^2 / 2 adds s x_1 e_1 to each token, as the linear perceptron s e_1 e_1^T does. Two clusters of
masses a and 1 - a at e_1 and -e_1, displaced by u and v across the axis, obey u' = q(a) (u + v) - s u and
v' = q(1-a) (u + v) - s v, where q is the attention that a cluster pays to the other.
"""

from __future__ import annotations

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from matplotlib.figure import Figure

import tokenfield as tkf
from tokenfield import theory
from tokenfield.claims.claim import Claim, Control, Finding, Setting, at_least, at_most, equals
from tokenfield.claims.figures import PALETTE, PREDICTED, panels

KICK = 1e-6
STEP = 0.25
EARLY = 20.0  # until then deviations from the axis are small


@eqx.filter_jit
def _flows(beta: jax.Array, strengths: jax.Array, points: jax.Array, t1: float) -> jax.Array:
    """Tokens at 81 times up to `t1`, (s, T, n, d), for each strength of the potential, from the same start (n, d)."""
    d = points.shape[1]
    axis = jnp.zeros((d, d)).at[0, 0].set(1.0)

    def one(s: jax.Array) -> jax.Array:
        parts = [tkf.Head(tkf.Softmax(beta)), tkf.Perceptron(W=s * axis, activation="identity")]
        run = tkf.solve(
            tkf.Transformer(tkf.Sphere(d), parts), tkf.Measure(points), t1=t1, method="rk4", step=STEP, save=81
        )
        return run.saved_points

    return jax.vmap(one)(strengths)


def _bend(x: np.ndarray, first: int) -> np.ndarray:
    """The length of the sum of the centers of the first tokens and of the others, (..., n, d)."""
    return np.linalg.norm(x[..., :first, :].mean(axis=-2) + x[..., first:, :].mean(axis=-2), axis=-1)


def _same_field(beta: float, s: float, scale: float, x: np.ndarray) -> float:
    """How far the velocity with the potential scale s x_1^2 is from that with the perceptron of `_flows`."""
    d = x.shape[1]
    axis = np.zeros((d, d))
    axis[0, 0] = s
    parts = [tkf.Potential(lambda y: scale * s * y[0] ** 2), tkf.Perceptron(W=axis, activation="identity")]
    mu = tkf.Measure(x)
    fields = [
        np.asarray(tkf.Transformer(tkf.Sphere(d), [tkf.Softmax(beta), part]).velocity(0.0, mu.points, mu))
        for part in parts
    ]
    return float(np.abs(fields[0] - fields[1]).max())


def _antipodal(
    *, seed: int, d: int, n: int, beta: float, offsets: tuple[float, ...], scale: float, t1: float
) -> Finding:
    rng = np.random.default_rng(seed)
    checks, rows = [], []
    for first in (n // 2, n // 4):
        critical = float(theory.holding_potential(beta, share=first / n))
        strengths = critical + np.array(offsets)
        poles = np.repeat([np.eye(d)[0], -np.eye(d)[0]], [first, n - first], axis=0)
        start = poles + KICK * rng.normal(size=(n, d))
        start /= np.linalg.norm(start, axis=1, keepdims=True)
        factor = 2 * scale  # of the potential scale s x_1^2 in units of s x_1^2 / 2
        early = np.asarray(_flows(jnp.asarray(beta), jnp.asarray(factor * strengths), jnp.asarray(start), EARLY))
        late = np.asarray(_flows(jnp.asarray(beta), jnp.asarray(factor * strengths), jnp.asarray(start), t1))
        times = np.linspace(0.0, EARLY, early.shape[1])
        slopes = np.array([np.polyfit(times, np.log(row), 1)[0] for row in _bend(early, first)])
        zero = np.interp(0.0, -slopes, strengths)
        name = "equal masses" if first == n // 2 else "masses 1 : 3"
        why = "deviations of 1e-6 to second order, and steps of 1/4 to fourth order"
        checks += [
            equals(f"{name}: strength at which the rate vanishes", zero, critical, within=1e-5, because=why),
            equals(
                f"{name}: largest error of the rates s_c - s",
                np.abs(slopes - (critical - strengths)).max(),
                0,
                within=1e-5,
                because=why,
            ),
        ]
        ends = np.min(late[:, -1] @ np.swapaxes(late[:, -1], -1, -2), axis=(1, 2))
        above = np.array(offsets) > 0
        checks += [
            at_most(f"{name}: least cosine at the end, s > s_c", ends[above].max(), -1, slack=1e-9, because="decay"),
            at_least(f"{name}: least cosine at the end, s < s_c", ends[~above].min(), 1, slack=1e-6, because="decay"),
        ]
        rows.append((name, np.linspace(0.0, t1, late.shape[1]), _bend(late, first), strengths, critical, slopes))
    points = np.array(tkf.initial.uniform(tkf.Sphere(d), n=n, seed=seed).points)
    checks.append(
        at_most(
            "velocity with the potential, less that with the perceptron",
            _same_field(beta, 0.1, scale, points),
            0,
            slack=1e-14,
            because="rounding",
        )
    )
    return Finding(checks, {"rows": rows, "beta": beta})


def _draw_antipodal(finding: Finding) -> Figure:
    figure, (left, right) = panels(2)
    name, times, bends, strengths, critical, _ = finding.data["rows"][0]
    for color, s, bend in zip(PALETTE, strengths, bends, strict=False):
        left.plot(times, np.maximum(bend, 1e-16), color=color, label=f"$s = {s:.3f}$")
        line = bend[0] * np.exp((critical - s) * times)
        left.plot(times, np.where((line < 0.3) & (line > 1e-15), line, np.nan), **PREDICTED)
    left.set(
        xlabel="time $t$ of the flow",
        ylabel=r"$|c_1 + c_2|$, zero for antipodal clusters",
        yscale="log",
        ylim=(1e-15, 5),
    )
    left.legend(title=name, fontsize=7, title_fontsize=7)
    for color, (name, _, _, strengths, critical, slopes) in zip(PALETTE, finding.data["rows"], strict=False):
        right.plot(strengths, slopes, "o", color=color, label=name)
        right.plot(strengths, critical - strengths, **PREDICTED)
        right.plot(critical, 0, "|", color=color, markersize=14)
    right.axhline(0, color="0.6", linewidth=0.7)
    right.set(xlabel="strength $s$", ylabel="rate of the bend")
    right.legend()
    return figure


CLAIMS = (
    Claim(
        id="perceptrons26-holding-potential",
        title="A weak potential keeps two antipodal clusters apart",
        statement=r"With the potential $\varphi = \frac{s}{2} x_1^2$ two clusters of masses $a$ and $1 - a$ at "
        r"$\pm e_1$ bend towards each other at the rate $s_c - s$, $s_c = q(a) + q(1-a)$ with "
        r"$q(a) = \left(1 + \frac{a}{1-a} e^{2\beta}\right)^{-1}$; for equal masses $s_c = \frac{2}{1 + e^{2\beta}}$. "
        r"Above $s_c$ they stay, below it they end in one point.",
        paper="perceptrons26",
        where="the model of attention with a perceptron",
        status="derived",
        main="equal masses: strength at which",
        assumptions=(r"softmax attention, $Q = K = V = I$", r"all tokens near $\pm e_1$ on the sphere"),
        experiment=_antipodal,
        draw=_draw_antipodal,
        quick=Setting(
            {"d": 3, "n": 8, "beta": 1.5, "offsets": (-0.03, -0.015, 0.015, 0.03), "scale": 0.5, "t1": 1500.0},
            seconds=5,
        ),
        full=Setting(
            {"d": 3, "n": 32, "beta": 1.5, "offsets": (-0.03, -0.015, 0.015, 0.03), "scale": 0.5, "t1": 3000.0},
            seconds=20,
        ),
        control=Control(
            {"scale": 0.4},
            "with the potential 0.4 s x_1^2 instead of s x_1^2/2 the rates and the strength at which they vanish fail",
            "strength at which",
        ),
        note="The paper, known to us from its abstract, has the model and shows that critical measures are generically "
        "atomic (`perceptrons26-atomic`); the threshold is our own computation.",
    ),
)
