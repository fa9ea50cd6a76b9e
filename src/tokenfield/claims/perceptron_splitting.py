"""Claims about attention with perceptrons: how many clusters a potential keeps apart, and when one cluster splits.

A potential (s / k^2) cos(k theta) on the circle has k wells. The strength s is relative to attention: in the runs the
potential is fixed and V = I / s, which is the same flow at another speed.
"""

from __future__ import annotations

from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from matplotlib.figure import Figure

import tokenfield as tkf
from tokenfield import theory
from tokenfield.claims.claim import Check, Claim, Control, Finding, Setting, at_least, at_most, equals
from tokenfield.claims.figures import PALETTE, PREDICTED, panels
from tokenfield.geometry import on_circle

KICK = 1e-3
CIRCLE = tkf.Sphere(2)


def _wells(k: int) -> tkf.Potential:
    """(1/k^2) cos(k theta) as a polynomial of the point."""
    return tkf.Potential(lambda x: jnp.real((x[0] + 1j * x[1]) ** k) / k**2)


@eqx.filter_jit
def _angular(theta: jax.Array, beta: jax.Array, strength: jax.Array, potential: tkf.Potential) -> jax.Array:
    """theta' of tokens on the circle in the potential of this strength."""
    mu = tkf.Measure(on_circle(theta))
    head = tkf.Head(tkf.Softmax(beta), V=jnp.eye(2) / strength)
    v = tkf.Transformer(CIRCLE, [head, potential]).velocity(0.0, mu.points, mu)
    return strength * (mu.points[:, 0] * v[:, 1] - mu.points[:, 1] * v[:, 0])


@eqx.filter_jit
def _kept(theta: jax.Array, beta: jax.Array, strength: jax.Array, potential: tkf.Potential, t1: float) -> jax.Array:
    """The largest angle of a token from where it began, up to t1, for each of the pairs of beta and strength.

    Along the way, not at the end: tokens that have met contract at the rate 1/s, which steps of 1/2 do not follow, so
    where they are after that says nothing.
    """
    start = tkf.Measure(on_circle(theta))

    def moved(b: jax.Array, s: jax.Array) -> jax.Array:
        model = tkf.Transformer(CIRCLE, [tkf.Head(tkf.Softmax(b), V=jnp.eye(2) / s), potential])
        path = tkf.solve(model, start, t1=t1, method="rk4", step=0.5, save=401).saved_points
        return jnp.max(jnp.arccos(jnp.clip(jnp.sum(path * start.points, axis=-1), -1, 1)))

    return jax.vmap(moved)(beta, strength)


def _apart(
    *, seed: int, counts: tuple[int, ...], betas: tuple[float, ...], factors: tuple[float, ...], t1: float, other: int
) -> Finding:
    """Eigenvalues at k clusters for each k and beta; and a phase diagram of strengths around the predicted ones."""
    rng = np.random.default_rng(seed)
    checks: list[Check] = []
    rows = {}
    for k in counts:
        potential, corners = _wells(k), jnp.asarray(2 * np.pi * np.arange(k) / k)
        critical = np.array([float(theory.holding_potential(b, clusters=k + other)) for b in betas])
        tops = []
        for beta, s in zip(betas, critical, strict=True):
            jacobian = jax.jacfwd(_angular)(corners, jnp.asarray(beta), jnp.asarray(s), potential)
            tops.append(np.linalg.eigvals(np.asarray(jacobian)).real.max())
        error = float(np.abs(tops).max())
        what = f"{k} clusters: largest |growth rate| at the predicted strength, over β"
        checks.append(at_most(what, error, 0, slack=1e-9, because="derivatives are exact, up to rounding"))
        start = jnp.asarray(np.asarray(corners) + KICK * rng.normal(size=k))
        pairs = [(b, f * s) for b, s in zip(betas, critical, strict=True) for f in factors]
        b, s = (jnp.asarray(values) for values in zip(*pairs, strict=True))
        moved = np.asarray(_kept(start, b, s, potential, t1))
        moved = moved.reshape(len(betas), len(factors))
        rows[k] = (critical, moved)
        above = np.array(factors) > 1
        what, why = f"{k} clusters: largest angle from the start, ", "decay or growth of the kick, at rates |s - s_c|"
        checks += [
            at_most(what + "s > s_c", moved[:, above].max(), 0, slack=20 * KICK, because=why),
            at_least(what + "s < s_c, least over β", moved[:, ~above].min(), 0.3, because=why),
        ]
    return Finding(checks, {"rows": rows, "betas": betas, "factors": factors})


def _draw_apart(finding: Finding) -> Figure:
    data = finding.data
    figure, axes = panels(len(data["rows"]), sharey=True)
    fine = np.linspace(min(data["betas"]), max(data["betas"]), 100)
    for ax, (k, (critical, moved)) in zip(axes, data["rows"].items(), strict=True):
        for beta, s, row in zip(data["betas"], critical, moved, strict=True):
            for factor, angle in zip(data["factors"], row, strict=True):
                color, marker = (PALETTE[0], "o") if angle < 0.1 else (PALETTE[1], "x")
                ax.semilogy(beta, factor * s, marker, color=color, markersize=5)
        ax.semilogy(fine, [float(theory.holding_potential(b, clusters=k)) for b in fine], label="$s_c$", **PREDICTED)
        ax.set(xlabel=r"$\beta$", title=f"{k} clusters")
        ax.title.set_fontsize(9)
    axes[0].plot([], [], "o", color=PALETTE[0], label="kept apart")
    axes[0].plot([], [], "x", color=PALETTE[1], label="leave their wells")
    axes[0].set_ylabel("strength $s$ of the potential")
    axes[0].legend(fontsize=7, loc="lower left")
    return figure


# --- splitting ----------------------------------------------------------------------------------------------------


@eqx.filter_jit
def _spreads(points: jax.Array, W: jax.Array, beta: float, t1: float, is_composed: bool) -> jax.Array:
    """Tokens (s, T, n, 3) with the linear perceptrons W (s, 3, 3), beside attention or composed with it."""

    def one(w: jax.Array) -> jax.Array:
        parts: list[Any]
        if is_composed:
            parts = [tkf.Sublayer(tkf.Softmax(beta), then=tkf.Perceptron(W=jnp.eye(3) + w, activation="identity"))]
        else:
            parts = [tkf.Head(tkf.Softmax(beta)), tkf.Perceptron(W=w, activation="identity")]
        run = tkf.solve(
            tkf.Transformer(tkf.Sphere(3), parts), tkf.Measure(points), t1=t1, method="rk4", step=0.05, save=21
        )
        return run.saved_points

    return jax.vmap(one)(W)


def _splitting(
    *, seed: int, n: int, beta: float, strengths: tuple[tuple[float, float], ...], t1: float, pull: float
) -> Finding:
    """One cluster on the top e_3 of s_1 x_1^2/2 + s_2 x_2^2/2 seen from below: both axes lead away from it."""
    rng = np.random.default_rng(seed)
    start = np.array([0.0, 0.0, 1.0]) + 1e-6 * rng.normal(size=(n, 3)) * [1.0, 1.0, 0.0]
    start /= np.linalg.norm(start, axis=1, keepdims=True)
    W = jnp.asarray([np.diag([a, b, 0.0]) for a, b in strengths])
    ts, checks, rates = np.linspace(0, t1, 21), [], {}
    for name, is_composed in (("beside", False), ("composed", True)):
        x = np.asarray(_spreads(jnp.asarray(start), W, beta, t1, is_composed))
        spread = (x - x.mean(axis=2, keepdims=True)).std(axis=2)[..., :2]
        rates[name] = np.array([[np.polyfit(ts, np.log(spread[i, :, j]), 1)[0] for j in (0, 1)] for i in range(len(W))])
    expected = np.array(strengths) - pull
    why = "deviations of 1e-6 to second order, and steps of 1/20 to fourth order"
    beside, composed = (float(np.abs(found).max()) for found in (rates["beside"] - expected, rates["composed"] + 1))
    checks = [
        at_most("beside attention: largest error of the rates s − 1 of the spread", beside, 0, slack=1e-4, because=why),
        at_most("composed: largest error of the rate −1 of the spread", composed, 0, slack=1e-4, because=why),
        equals(
            "axes along which it splits that have s > 1",
            np.mean((rates["beside"] > 0) == (np.array(strengths) > 1)),
            1,
            within=0,
            because="signs",
        ),
    ]
    return Finding([*checks, *_ends(rng, n, beta, W[-1:])], {"rates": rates, "strengths": np.array(strengths)})


def _ends(rng: np.random.Generator, n: int, beta: float, W: jax.Array) -> list[Check]:
    """Where a cluster on top of both axes goes, one that is its own mirror image and one that is not.

    Its mean leaves at the rate s, faster than tokens part, at s - 1: only where the mean is zero does it split.
    """
    half = KICK * rng.normal(size=(n // 2, 2))
    some = KICK**2 * rng.normal(size=(n // 2 * 2, 2))  # so small that tokens part by 1% until the mean has left
    ends = []
    for across in (np.concatenate([half, -half]), some):
        start = np.concatenate([across, np.ones((len(across), 1))], axis=1)
        start /= np.linalg.norm(start, axis=1, keepdims=True)
        ends.append(np.asarray(_spreads(jnp.asarray(start), W, beta, 30.0, False))[0, -1])
    first = int(np.argmax(np.diag(np.asarray(W[0]))))
    mirrored, other = ends
    why = "decay until t = 30"
    return [
        at_least("mirrored cluster: least |x| along the strongest axis at the end", np.abs(mirrored[:, first]).min(), 1,
                 slack=1e-4, because=why),
        equals("mirrored cluster: share of its tokens on either side", np.mean(mirrored[:, first] > 0), 0.5, within=0,
               because="tokens and their mirror images"),
        at_least("cluster without a mirror: least cosine of two tokens at the end", (other @ other.T).min(), 1,
                 slack=1e-4, because=why),
    ]  # fmt: skip


def _draw_splitting(finding: Finding) -> Figure:
    figure, ax = panels()
    strengths = finding.data["strengths"].ravel()
    for (name, rates), color, marker in zip(finding.data["rates"].items(), PALETTE, "os", strict=False):
        label = "perceptron beside attention" if name == "beside" else "composed with attention"
        ax.plot(strengths, rates.ravel(), marker, color=color, label=label)
    line = np.linspace(0, strengths.max(), 2)
    ax.plot(line, line - 1, label="$s - 1$ and $-1$", **PREDICTED)
    ax.plot(line, 0 * line - 1, **PREDICTED)
    ax.axhline(0, color="0.6", linewidth=0.7)
    ax.set(xlabel="strength $s$ along the axis", ylabel="rate of the spread: splits if positive")
    ax.legend(fontsize=7)
    return figure


CLAIMS = (
    Claim(
        id="perceptrons26-kept-apart",
        title="A potential with k wells keeps k clusters apart from a known strength on",
        statement=r"Equal clusters at equal angles $D_l = 2\pi l/k$ in the wells of $\frac{s}{k^2}\cos k\theta$ are "
        r"stable exactly for $s > s_c = \max_m \sum_l p_l (\beta \sin^2 D_l - \cos D_l)(1 - \cos m D_l)$, $p_l$ their "
        r"attention; below it they leave the wells.",
        paper="perceptrons26",
        where="the model of attention with a perceptron",
        status="derived",
        assumptions=(r"softmax attention, $Q = K = V = I$, on the circle",),
        experiment=_apart,
        draw=_draw_apart,
        quick=Setting(
            {
                "counts": (2, 3, 4),
                "betas": (0.5, 1.0, 2.0, 3.0),
                "factors": (0.5, 0.8, 1.25, 2.0),
                "t1": 4000.0,
                "other": 0,
            },
            seconds=5,
        ),
        full=Setting(
            {
                "counts": (2, 3, 4, 5),
                "betas": (0.5, 1.0, 1.5, 2.0, 2.5, 3.0, 3.5),
                "factors": (0.5, 0.8, 0.9, 1.1, 1.25, 2.0),
                "t1": 20000.0,
                "other": 0,
            },
            seconds=60,
        ),
        control=Control({"other": 1}, "the strength that holds one cluster more is another", "growth rate"),
        main="3 clusters: largest |growth rate|",
        note="The paper, known to us from its abstract, has the model; the thresholds are our own computation.",
    ),
    Claim(
        id="perceptrons26-splitting",
        main="beside attention",
        title="Beside attention a perceptron splits a mirrored cluster beyond strength one, composed with it never",
        statement=r"A cluster on an axis of $\varphi = \frac12 \sum_j s_j x_j^2$ spreads along another axis $j$ at the "
        r"rate $s_j - 1$. If it is its own mirror image it splits in two along the strongest axis, where $s_j > 1$; if "
        r"not, its mean leaves at the rate $s_j$, faster than it splits. If the same perceptron acts on what attention "
        r"gives, $\dot x = P_x (I + \operatorname{diag} s)\, m$, the spread falls at the rate 1 for "
        r"every strength.",
        paper="perceptrons26",
        where="the model of attention with a perceptron",
        status="derived",
        assumptions=(r"softmax attention, $Q = K = V = I$", "all tokens near $e_3$"),
        experiment=_splitting,
        draw=_draw_splitting,
        quick=Setting(
            {"n": 12, "beta": 2.0, "strengths": ((0.5, 0.2), (0.9, 1.2), (1.6, 2.5)), "t1": 2.0, "pull": 1.0}, seconds=4
        ),
        full=Setting(
            {"n": 48, "beta": 2.0, "strengths": ((0.5, 0.2), (0.9, 1.2), (1.6, 2.5)), "t1": 2.0, "pull": 1.0}, seconds=5
        ),
        control=Control(
            {"pull": 2.0}, "with the rate 2 of cosines in place of that of angles the rates fail", "beside"
        ),
    ),
)
