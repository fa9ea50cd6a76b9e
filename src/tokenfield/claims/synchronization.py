"""Claims about synchronization on the circle at negative beta (arXiv 2507.22857).

Unnormalized attention, th_i' = -(1/n) sum_j f(th_i - th_j) with f(u) = e^{beta cos u} sin u. Random starts synchronize
far below the threshold -2/3, so what breaks there is seen next to three clusters at 120 degrees only.
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
from tokenfield.claims.figures import PALETTE, PREDICTED, mark_predicted, panels
from tokenfield.geometry import on_circle

SYNCHRONIZED = 1 - 1e-6  # of the order parameter


@eqx.filter_jit
def _flows(betas: jax.Array, points: jax.Array, t1: float, count: int, step: float) -> jax.Array:
    """Tokens at `count` times, (b, T, n, 2), for each beta and its own start (b, n, 2)."""

    def one(beta: jax.Array, x: jax.Array) -> jax.Array:
        model = tkf.Transformer(tkf.Sphere(2), tkf.Unnormalized(beta))
        run = tkf.solve(model, tkf.Measure(x), t1=t1, method="rk4", step=step, save=count)
        return run.saved_points

    return jax.vmap(one)(betas, points)


def _three_clusters(
    *, seed: int, betas: tuple[float, ...], corners: int, copies: int, size: float, t1: float
) -> Finding:
    places = 2 * np.pi * np.arange(corners) / corners
    theta = np.repeat(places, copies) + size * np.random.default_rng(seed).normal(size=corners * copies)
    times = np.linspace(0.0, t1, 71)
    starts = np.broadcast_to(on_circle(theta), (len(betas), corners * copies, 2))
    x = np.asarray(_flows(jnp.asarray(betas), jnp.asarray(starts), t1, len(times), 0.5))
    angles = np.arctan2(x[..., 1], x[..., 0]).reshape(len(betas), len(times), corners, copies)
    order = np.abs(np.exp(1j * angles).mean(axis=(2, 3)))
    moved = np.angle(np.exp(1j * (angles - places[:, None]))).mean(axis=-1)
    displaced = np.linalg.norm(moved - moved.mean(axis=-1, keepdims=True), axis=-1)
    # the rate while displacements are small; tokens of a cluster have joined by then
    linear = (times >= 0.04 * t1) & (times <= 0.1 * t1)
    rates = np.array([np.polyfit(times[linear], np.log(row[linear]), 1)[0] for row in displaced])
    largest = float(displaced[:, linear].max())
    beta = np.asarray(betas)
    predicted = np.exp(-beta / 2) * (1 / 2 + 3 * beta / 4)
    threshold = float(theory.synchronization_threshold())
    roots = np.roots(np.polyfit(beta - threshold, rates, 2))
    zero = threshold + float(np.real(roots[np.argmin(np.abs(roots))]))
    because = "displacements change the rates by their own size"
    above, below = order[beta > threshold, -1], order[beta < threshold, -1]
    checks = [
        equals("β at which the rate of separation vanishes", zero, threshold, within=4 * largest, because=because),
        at_most("largest error of the rates", np.abs(rates - predicted).max(), 0, slack=2 * largest, because=because),
        at_least(
            "least order parameter at the end, β > -2/3",
            above.min(),
            1,
            slack=1 - SYNCHRONIZED,
            because="what has not decayed at the end",
        ),
        at_most(
            "largest order parameter at the end, β < -2/3",
            below.max(),
            0,
            slack=size,
            because="the size of the displacement",
        ),
    ]
    return Finding(checks, {"betas": beta, "times": times, "order": order, "rates": rates})


def _draw_three_clusters(finding: Finding) -> Figure:
    figure, (left, right) = panels(2)
    betas, rates = finding.data["betas"], finding.data["rates"]
    for i, beta in enumerate(betas):
        left.plot(finding.data["times"], finding.data["order"][i], color=PALETTE[i], label=rf"$\beta = {beta:g}$")
        right.plot(beta, rates[i], "o", color=PALETTE[i], markersize=5)
    left.set(xlabel="time $t$ of the flow", ylabel="order parameter $r$")
    figure.legend(*left.get_legend_handles_labels(), loc="outside upper center", ncols=len(betas))
    fine = np.linspace(betas.min() - 0.02, betas.max() + 0.02, 50)
    right.plot(fine, np.exp(-fine / 2) * (1 / 2 + 3 * fine / 4), **PREDICTED, label=r"$-f'(120°)$")
    mark_predicted(right, float(theory.synchronization_threshold()), r"$\beta = -2/3$", axis="x")
    right.axhline(0, color="black", linewidth=0.6)
    right.set(xlabel=r"$\beta$", ylabel="rate of separation")
    right.legend(loc="upper left")
    return figure


POLYGONS = (2, 3, 4, 6)  # clusters at the corners of regular polygons: all divide 12 tokens, one shape for all


def _random_starts(*, seed: int, betas: tuple[float, ...], n: int, systems: int, t1: float) -> Finding:
    """Random starts, and starts next to regular polygons of clusters, which are the other equilibria that we know."""
    times, rng = np.linspace(0.0, t1, 31), np.random.default_rng(seed)
    theta = rng.uniform(0, 2 * np.pi, (systems, n))
    corners = np.array([2 * np.pi * (np.arange(12) % k) / k for k in POLYGONS])
    near = jnp.asarray(on_circle(corners + 1e-2 * rng.normal(size=corners.shape)))
    starts = jnp.asarray(on_circle(theta))
    orders, checks = [], []
    for beta in betas:
        x = np.asarray(_flows(jnp.full(systems, beta), starts, t1, len(times), 0.25))
        order = np.linalg.norm(x.mean(axis=2), axis=-1)
        orders.append(order)
        share = np.mean(order[:, -1] > SYNCHRONIZED)
        because = "almost every start synchronizes, and the slowest has had the time"
        checks.append(at_least(f"share of random starts that synchronize, β = {beta:g}", share, 1, because=because))
        y = np.asarray(_flows(jnp.full(len(POLYGONS), beta), near, t1, len(times), 0.25))
        least = np.linalg.norm(y[:, -1].mean(axis=1), axis=-1).min()
        what = f"least order parameter from next to polygons of 2, 3, 4, 6 clusters, β = {beta:g}"
        checks.append(at_least(what, least, SYNCHRONIZED, because="the same: none of them is stable"))
    return Finding(checks, {"times": times, "betas": betas, "orders": orders})


def _draw_random_starts(finding: Finding) -> Figure:
    figure, ax = panels(1)
    for i, (beta, order) in enumerate(zip(finding.data["betas"], finding.data["orders"], strict=True)):
        low, middle, high = np.quantile(order, [0.0, 0.5, 1.0], axis=0)
        ax.fill_between(finding.data["times"], low, high, color=PALETTE[i], alpha=0.2, linewidth=0)
        ax.plot(finding.data["times"], middle, color=PALETTE[i], label=rf"$\beta = {beta:g}$")
    ax.axhline(1, **PREDICTED)
    ax.set(xlabel="time $t$ of the flow", ylabel="order parameter $r$ (median, range)", ylim=(0, 1.05))
    ax.legend(loc="lower right")
    return figure


CLAIMS = (
    Claim(
        id="pry25-three-clusters",
        title="The circle stops synchronizing at β = -2/3",
        statement=r"Three equal clusters at $120$ degrees are a stable equilibrium of unnormalized attention on the "
        r"circle exactly for $\beta < -\frac{2}{3}$: they separate at the rate "
        r"$e^{-\beta/2}(\frac{1}{2} + \frac{3\beta}{4})$. So the circle does not synchronize there.",
        paper="pry25",
        where="abstract (failure for β < -2/3)",
        status="second-hand",
        main="rate of separation vanishes",
        assumptions=(r"$Q = K = V = I$, $d = 2$",),
        note="The abstract has the threshold; that it is the stability of three clusters is derived.",
        experiment=_three_clusters,
        draw=_draw_three_clusters,
        quick=Setting(
            {"betas": (-0.62, -0.65, -0.68, -0.72), "corners": 3, "copies": 2, "size": 1e-4, "t1": 700.0}, seconds=1
        ),
        full=Setting(
            {"betas": (-0.62, -0.65, -0.68, -0.72), "corners": 3, "copies": 10, "size": 1e-5, "t1": 900.0}, seconds=2
        ),
        control=Control({"corners": 4}, "four clusters at 90 degrees are never stable", "the end, β < -2/3"),
    ),
    Claim(
        id="pry25-synchronization",
        title="The circle synchronizes from almost every start for β ≥ -0.16",
        statement=r"Unnormalized attention on the circle synchronizes from almost every start for all "
        r"$\beta \geq -0.16$: $|\frac{1}{n} \sum_j x_j| \to 1$.",
        paper="pry25",
        where="abstract",
        status="second-hand",
        assumptions=(r"$Q = K = V = I$, $d = 2$; uniform random starts, and starts next to polygons of clusters",),
        note=r"Tested is that no start that was tried does anything else. The number $-0.16$ is not tested: random "
        r"starts synchronize down to $\beta = -1$, and of the polygons the triangle alone becomes stable, below "
        r"$-\frac{2}{3}$.",
        experiment=_random_starts,
        draw=_draw_random_starts,
        quick=Setting({"betas": (-0.16, 0.0, 1.0), "n": 16, "systems": 64, "t1": 120.0}, seconds=3),
        full=Setting({"betas": (-0.16, 0.0, 1.0), "n": 32, "systems": 1024, "t1": 120.0}, seconds=33),
        control=Control({"betas": (-0.8,)}, "at β = -0.8 three clusters at 120 degrees are stable", "polygons"),
        main="polygons of 2, 3, 4, 6 clusters, β = -0.16",
    ),
)
