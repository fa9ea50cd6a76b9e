"""The headline theorem of arXiv 2312.10794: almost every start ends in one cluster.

To the very end, with collapsed clusters merged; why clusters on a great circle cannot last for d >= 3; and how far
random tokens in high dimension are from the curve of orthogonal ones.
"""

from __future__ import annotations

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from matplotlib.figure import Figure
from scipy import special

import tokenfield as tkf
from tokenfield import theory
from tokenfield.claims.claim import Claim, Control, Finding, Setting, at_least, at_most, equals
from tokenfield.claims.figures import PALETTE, PREDICTED, panels

# --- one cluster --------------------------------------------------------------------------------------------------

FOREVER = 1e280


def _one_cluster(*, seed: int, n: int, cases: tuple[tuple[int, float], ...], starts: int, t1: float) -> Finding:
    checks, rows = [], []
    for d, beta in cases:
        model = tkf.Transformer(tkf.Sphere(d), tkf.Softmax(jnp.asarray(beta)))
        counts, times = [], []
        for k in range(starts):
            start = tkf.initial.uniform(model.geometry, n=n, seed=1000 * starts * seed + 100 * k + d)
            run = tkf.solve(model, start, t1=t1, save="end", merge=True)
            counts.append(run.clusters().count)
            assert run.mergers is not None
            times.append(float(run.mergers.times[-1]) if len(run.mergers) else 0.0)
        rows.append((d, beta, counts, times))
        checks.append(
            equals(f"largest number of clusters, d = {d}, β = {beta:g}", max(counts), 1, within=0, because="a count")
        )
    slowest = max(max(times) for _, _, _, times in rows)
    checks.append(
        at_least(
            "log10 of the longest time until one cluster is left",
            np.log10(max(slowest, 1.0)),
            3,
            because="else the starts did not pass through clusters that live long",
        )
    )
    return Finding(checks, {"rows": rows})


def _draw_one_cluster(finding: Finding) -> Figure:
    figure, ax = panels(1)
    dims = sorted({d for d, *_ in finding.data["rows"]})
    for d, beta, counts, times in finding.data["rows"]:
        is_one = np.array(counts) == 1
        color = PALETTE[dims.index(d)]
        for mark, chosen in (("o", is_one), ("x", ~is_one)):
            ax.plot(np.full(len(times), beta)[chosen], np.array(times)[chosen], mark, color=color, markersize=5)
    for d in dims:
        ax.plot([], [], "o", color=PALETTE[dims.index(d)], label=f"$d = {d}$")
    ax.set(xlabel=r"$\beta$", ylabel="time until one cluster is left", xscale="symlog", yscale="log")
    ax.legend()
    return figure


# --- clusters on a great circle -----------------------------------------------------------------------------------

KICK = 1e-6


def _circle_rate(beta: float, k: int, formula: str) -> float:
    """1 less the mean cosine that a token of k equal clusters on a circle sees: sums of Bessel functions."""
    if formula == "uniform":
        return float(1 - special.ive(1, beta) / special.ive(0, beta))
    images = k * np.arange(-60, 61)
    return float(1 - special.ive(np.abs(images + 1), beta).sum() / special.ive(np.abs(images), beta).sum())


@eqx.filter_jit
def _flows(beta: jax.Array, points: jax.Array, t1: float, count: int, step: float) -> jax.Array:
    """Tokens at `count` times, (starts, T, n, d), for starts (starts, n, d)."""

    def one(x: jax.Array) -> jax.Array:
        model = tkf.Transformer(tkf.Sphere(x.shape[1]), tkf.Softmax(beta))
        return tkf.solve(model, tkf.Measure(x), t1=t1, method="rk4", step=step, save=count).saved_points

    return jax.vmap(one)(points)


def _great_circle(*, seed: int, beta: float, corners: tuple[int, ...], n: int, t1: float, formula: str) -> Finding:
    rng = np.random.default_rng(seed)
    places = [2 * np.pi * (np.arange(n) % k) / k for k in corners]
    flat = np.stack([np.stack([np.cos(a), np.sin(a), np.zeros(n)], axis=1) for a in places])
    heights = KICK * np.abs(rng.normal(size=(len(corners), n, 1)))
    start = np.concatenate([flat[..., :2] * np.sqrt(1 - heights**2), heights], axis=2)
    x = np.asarray(_flows(jnp.asarray(beta), jnp.asarray(start), t1, 201, 0.25))
    times = np.linspace(0.0, t1, x.shape[1])
    checks, rows = [], []
    for row, k in enumerate(corners):
        predicted = _circle_rate(beta, k, formula)
        # the mean height across the circle obeys z' = (1 - c) z for any displacements, as long as they are small
        height = x[row, :, :, 2].mean(axis=1)
        linear = (height < 1e-3) & (times <= 40)
        slope = np.polyfit(times[linear], np.log(height[linear]), 1)[0]
        checks.append(
            equals(
                f"rate at which {k} clusters leave the circle",
                slope,
                predicted,
                within=1e-5,
                because="heights up to 1e-3 to second order, and steps of 1/4 to fourth order",
            )
        )
        rows.append((k, height, predicted))
    ends = np.min(x[:, -1] @ np.swapaxes(x[:, -1], -1, -2), axis=(1, 2))
    checks.append(at_least("least cosine at the end", ends.min(), 1, slack=1e-6, because="decay of the last pair"))
    return Finding(checks, {"times": times, "rows": rows, "beta": beta})


def _draw_great_circle(finding: Finding) -> Figure:
    figure, ax = panels(1)
    times = finding.data["times"]
    for color, (k, height, rate) in zip(PALETTE, finding.data["rows"], strict=False):
        ax.plot(times, height, color=color, label=f"{k} clusters")
        line = height[0] * np.exp(rate * times)
        ax.plot(times, np.where(line < 0.5, line, np.nan), **PREDICTED)
    ax.set(
        xlabel="time $t$ of the flow",
        ylabel="mean height above the great circle",
        yscale="log",
        xlim=(0, 80),
        ylim=(KICK / 3, 3),
    )
    ax.legend()
    return figure


# --- high dimension -----------------------------------------------------------------------------------------------


def _deviations(seed: int, d: int, n: int, starts: int, beta: float, t1: float, curve: np.ndarray) -> np.ndarray:
    """Cosines of all pairs less the curve, (starts, T, n(n-1)/2), for independent uniform tokens in R^d."""
    rng = np.random.default_rng([seed, d])
    # The flow stays in the span of the tokens. In an orthonormal basis of it n Gaussian vectors of R^d are triangular,
    # with Gaussians below the diagonal and lengths of Gaussian vectors of R^d, R^{d-1}, ... on it (Bartlett).
    coordinates = np.tril(rng.normal(size=(starts, n, n)), -1)
    coordinates[:, np.arange(n), np.arange(n)] = np.sqrt(rng.chisquare(d - np.arange(n), size=(starts, n)))
    coordinates /= np.linalg.norm(coordinates, axis=2, keepdims=True)
    x = np.asarray(_flows(jnp.asarray(beta), jnp.asarray(coordinates), t1, 21, 0.1))
    first, second = np.triu_indices(n, 1)
    return (x @ np.swapaxes(x, -1, -2))[..., first, second] - curve[:, None]


def _parts(deviations: np.ndarray, n: int) -> np.ndarray:
    """The three parts of deviations of pairs (..., pairs): with all sums zero, of the form u_i + u_j, and common."""
    first, second = np.triu_indices(n, 1)
    sums = np.zeros((*deviations.shape[:-1], n))
    for i in range(n):
        sums[..., i] = deviations[..., (first == i) | (second == i)].sum(axis=-1)
    common = np.broadcast_to(deviations.mean(axis=-1, keepdims=True), deviations.shape)
    u = (sums - sums.mean(axis=-1, keepdims=True)) / (n - 2)
    tilt = u[..., first] + u[..., second]
    return np.stack([deviations - common - tilt, tilt, common])


def _high_dimension(
    *, seed: int, n: int, beta: float, dims: tuple[int, ...], starts: int, t1: float, factor: float
) -> Finding:
    times = np.linspace(0.0, t1, 21)
    predicted = np.asarray(theory.cosine_spread(times, n, factor * beta))
    curve, factors, spread = np.asarray(theory.cosine_spread(times, n, beta))[0], predicted[1:4], predicted[4]
    found = [_deviations(seed, d, n, starts, beta, t1, curve) for d in dims]
    rms = np.array([np.sqrt(d * np.mean(dev**2, axis=(0, 2))) for d, dev in zip(dims, found, strict=True)])
    checks = []
    early, middle = len(times) // 4, len(times) // 2
    for d, dev in zip(dims, found, strict=True):
        linear = np.einsum("kt,kspb->stb", factors, _parts(dev[:, :1], n)[:, :, :1])
        error = np.sqrt(np.mean((dev - linear) ** 2, axis=(0, 2)) / np.mean(dev**2, axis=(0, 2)))[: middle + 1].max()
        checks.append(
            at_most(
                f"relative error of the linear law from the deviations at t = 0, d = {d}",
                error,
                0,
                slack=4 * np.sqrt(np.log(d) / d),
                because="it is of first order in deviations of size sqrt(log d / d)",
            )
        )
    squares = dims[-1] * np.mean(found[-1][:, early] ** 2, axis=1)
    error = squares.std(ddof=1) / np.sqrt(starts) / (2 * np.sqrt(squares.mean()))
    checks += [
        equals(
            f"root mean square deviation times √d at t = {times[early]:g}, d = {dims[-1]}",
            rms[-1, early],
            spread[early],
            within=4 * error + 2 / np.sqrt(dims[-1]),
            because="four standard errors, and corrections of order 1/√d",
            error=error,
        ),
        equals(
            f"exponent in d of the deviations at t = {times[early]:g}",
            np.polyfit(np.log(dims), np.log(rms[:, early] / np.sqrt(dims)), 1)[0],
            -0.5,
            within=0.06,
            because="three times the scatter of a root mean square over the starts",
        ),
        at_most(
            "largest ratio of deviations at t = 0 to the published bound",
            max(np.abs(dev[:, 0]).max() / (2 * np.sqrt(np.log(d) / d)) for d, dev in zip(dims, found, strict=True)),
            1,
            because="a bound; for t > 0 it grows like e^(10 max(1, β) n t) and says nothing",
        ),
    ]
    data = {"times": times, "dims": dims, "rms": rms, "spread": np.asarray(theory.cosine_spread(times, n, beta))[4]}
    return Finding(checks, data)


def _draw_high_dimension(finding: Finding) -> Figure:
    figure, ax = panels(1)
    times = finding.data["times"]
    for row, (d, rms) in enumerate(zip(finding.data["dims"], finding.data["rms"], strict=True)):
        # the first dimension as open circles around the others
        look = {"markerfacecolor": "none", "markersize": 9} if row == 0 else {"markersize": 4}
        ax.plot(times, rms, "o", color=PALETTE[row], label=f"$d = {d}$", **look)
    ax.plot(times, finding.data["spread"], **PREDICTED, label=r"$d \to \infty$")
    ax.set(
        xlabel="time $t$ of the flow",
        ylabel=r"rms of $\langle x_i, x_j\rangle - \gamma(t)$, times $\sqrt{d}$",
        yscale="log",
    )
    ax.legend()
    return figure


PLAIN = r"softmax attention, $Q = K = V = I$"
CASES = ((3, 1.0), (3, 4.0), (3, 9.0), (2, 0.5), (2, 64.0))
CLAIMS = (
    Claim(
        id="glpr25-one-cluster",
        title="Almost every start ends in one cluster",
        statement=r"For $d \ge 3$ and every $\beta \ge 0$ the tokens of almost every start converge to one point. "
        r"On the circle this is proven for small $\beta$ and for $\beta \ge C n^2$.",
        paper="glpr25",
        where="the theorems on a single cluster",
        status="theorem",
        main="d = 3, β = 9",
        assumptions=(PLAIN, "uniform tokens; collapsed clusters are merged, which is exact to rounding"),
        experiment=_one_cluster,
        draw=_draw_one_cluster,
        quick=Setting({"n": 8, "cases": CASES, "starts": 3, "t1": FOREVER}, seconds=4),
        full=Setting(
            {"n": 16, "cases": (*CASES, (3, 0.0), (3, 25.0), (5, 4.0), (2, 256.0)), "starts": 16, "t1": FOREVER},
            seconds=120,
        ),
        control=Control(
            {"t1": 20.0},
            "the theory that the clusters of t = 20 are the limit: the counts at β = 9 fail",
            "β = 9",
        ),
        note="Random starts see what almost every start does; they cannot see the exceptions of measure zero, which "
        "the theorem allows.",
    ),
    Claim(
        id="glpr25-great-circle",
        title="Clusters on a great circle leave it",
        statement=r"$k$ equal clusters at equal angles on a great circle of the sphere are at rest. A common "
        r"displacement across the circle grows at the rate $1 - \frac{\sum_l I_{1+lk}(\beta)}{\sum_l "
        r"I_{lk}(\beta)} > 0$: for "
        r"$d \ge 3$ none of them is stable, and their tokens end in one point.",
        paper="glpr25",
        where="the theorem on a single cluster for d ≥ 3",
        status="derived",
        main="rate at which 3",
        assumptions=(PLAIN, r"tokens on the unit sphere of $\mathbb{R}^3$"),
        experiment=_great_circle,
        draw=_draw_great_circle,
        quick=Setting({"beta": 1.0, "corners": (2, 3, 4, 6), "n": 12, "t1": 200.0, "formula": "clusters"}, seconds=3),
        full=Setting(
            {"beta": 1.0, "corners": (2, 3, 4, 6, 8, 12), "n": 24, "t1": 200.0, "formula": "clusters"}, seconds=10
        ),
        control=Control(
            {"formula": "uniform"},
            "with 1 - I_1/I_0, the formula of a uniform law on the circle, the rates of 2 and 3 clusters fail",
            "rate at which",
        ),
        note="The theorem says that the exceptions have measure zero; the rate is our own computation.",
    ),
    Claim(
        id="glpr25-high-dimension",
        title="In high dimension cosines of random tokens stay within 1/√d of one curve",
        statement=r"The cosines of independent uniform tokens follow the curve $\gamma(t)$ of orthogonal tokens. To "
        r"leading order $D_{ij} = \langle x_i, x_j\rangle - \gamma$ obeys $\dot D_{ij} = r D_{ij} + c\,(S_i + S_j)$, "
        r"$S_i = \sum_j D_{ij}$, with $r$ and $c$ known: three factors for three kinds of deviations, and a root mean "
        r"square of order $d^{-1/2}$.",
        paper="glpr25",
        where="the theorem on random tokens in high dimension",
        status="derived",
        main="linear law",
        assumptions=(PLAIN, r"$n$ independent uniform tokens in $\mathbb{R}^d$, $d$ large"),
        experiment=_high_dimension,
        draw=_draw_high_dimension,
        quick=Setting(
            {"n": 12, "beta": 2.0, "dims": (1024, 2**14, 2**18), "starts": 64, "t1": 6.0, "factor": 1.0}, seconds=3
        ),
        full=Setting(
            {"n": 16, "beta": 2.0, "dims": (1024, 2**14, 2**18), "starts": 400, "t1": 6.0, "factor": 1.0},
            seconds=40,
        ),
        control=Control(
            {"factor": 0.5}, "with the factors of half the β the linear law and the root mean square fail", "linear law"
        ),
        note="The paper bounds the deviations by $2 e^{10 \\max(1, \\beta) n t} \\sqrt{\\log d / d}$ with high "
        "probability, as we know it; the bound is far above the deviations for every t > 0, so the law is tested.",
    ),
)
