"""A claim about tokens that attract each other by a function of their inner product (arXiv 2405.18273).

x_i' = P_{x_i} (1/n) sum_j phi'(<x_i, x_j>) x_j climbs the sum of phi(<x_i, x_j>). Sigmoid attention is phi' =
sigma(s (t - t0)): phi = log(1 + e^{s (t - t0)}) / s is analytic, increasing and convex. For large s tokens attract
those within arccos(t0) alone, and all of these alike. Five equal clusters in a pentagon, at angles u_j = 2 pi j / 5,
answer to displacements e^{2 pi i j k / 5} at the rates, with f(u) = phi'(cos u) sin u,

- along the circle:  -(1/5) sum_j f'(u_j) (1 - cos k u_j), f'(u) = phi'(cos u) cos u - phi''(cos u) sin^2 u,
- across it, where there is room:  (1/5) sum_j phi'(cos u_j) (cos k u_j - cos u_j),

the last of which is positive for k = 0: no polygon is stable on a sphere.
"""

from __future__ import annotations

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from matplotlib.figure import Figure

import tokenfield as tkf
from tokenfield.claims.claim import Claim, Control, Finding, Setting, at_most, equals
from tokenfield.claims.figures import PALETTE, PREDICTED, panels

CORNERS = 5
KICK, NEAR = 1e-4, 0.1 / np.sqrt(3)  # of each coordinate
LINEAR = 15  # saved times over which deviations are small
LATE = 8000.0  # clusters out of sight of each other approach at rates like phi'(-1), 0.002 in the claim
SYNCHRONIZED = 1 - 1e-6  # of the order parameter


def _attention(kind: str, sharpness: float, threshold: float) -> tkf.Sigmoid | tkf.Unnormalized:
    return tkf.Sigmoid(sharpness, -sharpness * threshold) if kind == "sigmoid" else tkf.Unnormalized(1.0)


def _weight(c: np.ndarray, kind: str, sharpness: float, threshold: float) -> tuple[np.ndarray, np.ndarray]:
    """phi' and phi'' at the cosines c."""
    if kind != "sigmoid":
        return np.exp(c), np.exp(c)
    value = 1 / (1 + np.exp(-sharpness * (c - threshold)))
    return value, sharpness * value * (1 - value)


def _rates(kind: str, sharpness: float, threshold: float) -> tuple[float, float]:
    """The rates of mode 1 along the circle, and of mode 0 across it."""
    u = 2 * np.pi * np.arange(CORNERS) / CORNERS
    first, second = _weight(np.cos(u), kind, sharpness, threshold)
    along = first * np.cos(u) - second * np.sin(u) ** 2
    return float(-np.mean(along * (1 - np.cos(u)))), float(np.mean(first * (1 - np.cos(u))))


@eqx.filter_jit
def _orders(model: tkf.Transformer, starts: jax.Array, t1: float, step: float) -> jax.Array:
    """Lengths of the mean token at `t1` from starts (systems, n, d)."""

    def one(x: jax.Array) -> jax.Array:
        run = tkf.solve(model, tkf.Measure(x), t1=t1, method="rk4", step=step, save="end")
        return jnp.linalg.norm(run.final.points.mean(axis=0))

    return jax.vmap(one)(starts)


def _pentagon(d: int, copies: int) -> np.ndarray:
    angle = 2 * np.pi * np.arange(CORNERS * copies) / CORNERS
    return np.column_stack([np.cos(angle), np.sin(angle), np.zeros((len(angle), d - 2))])


def _kicked(x: np.ndarray, rng: np.random.Generator, size: float = KICK) -> np.ndarray:
    y = x + size * rng.uniform(-1, 1, size=x.shape)
    return y / np.linalg.norm(y, axis=1, keepdims=True)


def _mode(name: str, x: np.ndarray, start: np.ndarray) -> np.ndarray:
    """Over time: the size of mode 1 of the displacements along the circle, of mode 0 of those across it."""
    if name == "sphere":
        return np.abs(x[..., 2].mean(axis=1))
    corner = start[:, 0] - 1j * start[:, 1]
    angle = np.angle((x[..., 0] + 1j * x[..., 1]) * corner)
    return np.abs((angle * corner).mean(axis=1))


def _convexity(*, seed: int, sharpness: float, threshold: float, copies: int, starts: int, kind: str) -> Finding:
    rng, shape = np.random.default_rng(seed), (kind, sharpness, threshold)
    predicted = dict(zip(("circle", "sphere"), _rates(*shape), strict=True))
    checks, paths, shares = [], {}, {}
    spaces = {"circle": tkf.Sphere(2), "sphere": tkf.Sphere(3)}
    for name, space in spaces.items():
        model = tkf.Transformer(space, _attention(*shape))
        corners = _pentagon(space.d, copies)
        run = tkf.solve(model, _kicked(corners, rng), t1=60.0, save=121, rtol=1e-10, atol=1e-13)
        x, ts = np.asarray(run.saved_points), np.asarray(run.ts)
        found, used = _mode(name, x, corners), slice(5, 5 + LINEAR)
        rate = np.polyfit(ts[used], np.log(found[used]), 1)[0]
        what = "mode 1 along the circle" if name == "circle" else "mode 0 across it, on the sphere"
        checks.append(equals(f"rate of a pentagon's {what}", rate, predicted[name], within=1e-3,
                             because="squares of displacements, and products of two modes"))  # fmt: skip
        paths[name] = ts, found
        near = np.stack([_kicked(corners, rng, NEAR) for _ in range(starts)])
        anywhere = rng.normal(size=near.shape)
        anywhere /= np.linalg.norm(anywhere, axis=-1, keepdims=True)
        ends = np.asarray(_orders(model, jnp.asarray(np.concatenate([near, anywhere])), LATE, 1.0)).reshape(2, starts)
        shares[name] = np.mean(ends > SYNCHRONIZED, axis=1)
        order = np.linalg.norm(x[-1].mean(axis=0))
        if name == "circle":
            checks.append(at_most("circle: order parameter of the pentagon at the end", order, 0, slack=KICK,
                                  because="the kick, which decays; 1 would be consensus"))  # fmt: skip
            stay = float(np.mean(ends[0] < 1e-6))
            checks.append(equals("circle: share of starts within 0.1 of a pentagon that return to it", stay, 1,
                                 within=0, because="an open set of starts, not one of measure zero"))  # fmt: skip
        else:
            for words, share in zip(("within 0.1 of a pentagon", "anywhere"), shares[name], strict=True):
                checks.append(equals(f"sphere: share of starts {words} that synchronize", share, 1, within=0,
                                     because="almost every start does"))  # fmt: skip
    return Finding(checks, {"paths": paths, "rates": predicted, "shares": shares, "shape": shape})


def _draw(finding: Finding) -> Figure:
    figure, (left, right) = panels(2, width=8.0)
    t = np.linspace(-1, 1, 400)
    value, _ = _weight(t, *finding.data["shape"])
    left.plot(t, value, color=PALETTE[0], label=r"$\varphi'$: increasing, so $\varphi$ is convex")
    corners = np.cos(2 * np.pi * np.arange(3) / CORNERS)
    left.plot(corners, _weight(corners, *finding.data["shape"])[0], "o", color=PALETTE[1], label="pairs of a pentagon")
    left.set(xlabel=r"inner product $\langle x_i, x_j\rangle$", ylabel=r"attraction $\varphi'$", ylim=(-0.05, 1.35))
    left.legend(loc="upper left", fontsize=8)
    for color, (name, (ts, found)) in zip(PALETTE, finding.data["paths"].items(), strict=False):
        together = finding.data["shares"][name][0]
        words = f"{name}: {together:.0%} of starts nearby end in one cluster"
        right.semilogy(ts, np.maximum(found, 1e-8), color=color, label=words)
        used = slice(0, 121 if name == "circle" else 50)
        line = found[5] * np.exp(finding.data["rates"][name] * (ts - ts[5]))
        right.semilogy(ts[used], line[used], label="predicted rates" if name == "sphere" else None, **PREDICTED)
    right.set(xlabel="time $t$ of the flow", ylabel="size of a mode of displacements", ylim=(1e-7, 1e4))
    right.legend(loc="upper right", fontsize=8)
    return figure


CLAIMS = (
    Claim(
        id="crmb24-convex-interactions",
        title="Convex attraction synchronizes tokens on spheres, but not on the circle",
        statement=r"Tokens that climb $\sum_{ij} \varphi(\langle x_i, x_j\rangle)$, $\varphi$ increasing and convex, "
        r"synchronize from almost every start for $d \geq 3$. On the circle they need not: with $\varphi' = "
        r"\sigma(s(t - t_0))$ a pentagon of clusters is stable there, and leaves the plane on a sphere.",
        paper="crmb24",
        where="abstract; the example is ours",
        status="second-hand",
        assumptions=(r"sigmoid attention, $s = 8$, $t_0 = -\tfrac14$, every token sees all others",),
        experiment=_convexity,
        draw=_draw,
        quick=Setting({"sharpness": 8.0, "threshold": -0.25, "copies": 2, "starts": 32, "kind": "sigmoid"}, seconds=5),
        full=Setting({"sharpness": 8.0, "threshold": -0.25, "copies": 4, "starts": 512, "kind": "sigmoid"}, seconds=30),
        control=Control(
            {"kind": "exponential"},
            "the Taylor coefficients of e^t decrease, for which the abstract has synchronization on the circle too",
            "circle:",
        ),
        main="along the circle",
        note=r"The abstract says that convexity is not enough on the circle, and that decreasing Taylor coefficients "
        r"of $\varphi'$ are, as for $e^{\beta t}$ with $\beta \leq 1$. The example and the two rates are derived here. "
        "Graphs in which not all tokens see each other are not tested. Random starts on the circle synchronize here "
        "as well: the pentagon attracts few of them.",
    ),
)
