"""Claims about flows of measures: how far n tokens are from the mean field, stability in W_p, and the masked limit.

Systems of all sizes are solved in one batch of one shape: smaller ones are filled up with tokens of mass 1e-30 (or,
under a causal mask, at a position that nobody sees), which move but are never felt.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jax import Array
from matplotlib.figure import Figure
from scipy.special import ndtri

import tokenfield as tkf
from tokenfield.claims.claim import Check, Claim, Control, Finding, Setting, at_least, at_most, equals
from tokenfield.claims.figures import FAINT, INK, PALETTE, PREDICTED, panels, tick_sizes
from tokenfield.geometry import on_circle
from tokenfield.laws import Density, Fourier
from tokenfield.transport import density_wasserstein, wasserstein

CIRCLE = tkf.Sphere(2)
UNFELT = 1e-30
HIDDEN = 2.0  # a position after all of [0, 1]
BATCH = 16  # systems that are moved at a time


@eqx.filter_jit
def _ends(model: tkf.Transformer, starts: Sequence[Array], t1: float, step: float) -> Array:
    """The final points (b, n, d) from points (b, n, d), weights (b, n) and, if there is a third array, positions."""

    def one(start: Sequence[Array]) -> Array:
        points, weights, *rest = start
        mu = tkf.Measure(points, weights, positions=rest[0] if rest else None)
        return tkf.solve(model, mu, t1=t1, method="rk4", step=step, save="end").final.points

    return jax.lax.map(one, starts, batch_size=BATCH)


def _slope(sizes: Sequence[int], errors: np.ndarray) -> float:
    return float(np.polyfit(np.log(sizes), np.log(errors), 1)[0])


# --- propagation of chaos -------------------------------------------------------------------------------------------

CHAOS_BETA, CONCENTRATION = 1.0, 1.0
RATES = {2: -1 / 2, 3: -1 / 2, 4: -1 / 3, 5: -1 / 4}  # of n; at d = 3 after division by sqrt(log n)


def _chaos(
    *, seed: int, dimensions: Sequence[int], sizes: Sequence[int], draws: int, t1: float, late: float
) -> Finding:
    largest, most = max(dimensions), max(sizes)
    cases = [(d, n, k) for d in dimensions for n in sizes for k in range(draws)]
    x = np.zeros((len(cases), most, largest))
    x[:, :, 0] = 1.0
    weights = np.full((len(cases), most), UNFELT)
    rng = np.random.default_rng(seed)
    for row, (d, n, _) in enumerate(cases):
        x[row, :n, :d] = _von_mises_fisher(rng, n, d)
        weights[row, :n] = 1.0
    # tokens in a subspace stay in it: all dimensions fit into the largest
    model = tkf.Transformer(tkf.Sphere(largest), tkf.Softmax(CHAOS_BETA))
    ends = np.asarray(_ends(model, (jnp.asarray(x), jnp.asarray(weights)), t1, 0.1))
    limit = _limit_on_circle(late * t1)
    errors: dict[int, np.ndarray] = {}
    checks: list[Check] = []
    for d in dimensions:
        clouds = {n: [ends[cases.index((d, n, k)), :n, :d] for k in range(draws)] for n in sizes}
        found = [_distances(clouds[n], d, limit) for n in sizes]
        scale = np.sqrt(np.log(sizes)) if d == 3 else np.ones(len(sizes))
        errors[d] = np.array([np.mean(values) for values in found])
        spreads = np.array([np.std(values, ddof=1) / np.sqrt(len(values)) / np.mean(values) for values in found])
        lever = np.log(sizes) - np.mean(np.log(sizes))
        error = float(np.sqrt(np.sum(lever**2 * spreads**2)) / np.sum(lever**2))
        name = "W₁/√log n" if d == 3 else "W₁"
        checks += _exponent_checks(f"{name} at t = {t1:g}, d = {d}", d, _slope(sizes, errors[d] / scale), error)
    moved = float(density_wasserstein(_limit_on_circle(1e-3), _as_tokens(limit)))
    what = "W₁ by which the mean field has moved, over that of the most tokens, d = 2"
    checks.append(at_least(what, moved / errors[2][-1], 2, because="else a mean field at rest would pass too"))
    return Finding(checks, {"sizes": np.array(sizes), "errors": errors, "t1": t1})


def _exponent_checks(what: str, d: int, slope: float, error: float) -> list[Check]:
    """Whether the measured exponent of n is that of dimension d, given its standard error."""
    name, rate = f"exponent of n in {what}", RATES[d]
    if d == 2:
        why = "three standard errors, and terms of order 1/n"
        return [equals(name, slope, rate, within=3 * error + 0.01, because=why, error=error)]
    if d == 3:
        # sqrt(log n + a) in place of sqrt(log n) changes the slope by a / (2 log² n), at n = 64 by a / 35
        why = "three standard errors, and log n + a with a constant |a| < 3 in place of log n"
        return [equals(name, slope, rate, within=3 * error + 0.09, because=why, error=error)]
    # -1/m; one dimension more or less has -1/(m + 1) or -1/(m - 1). At these n tokens of d = 4 have -0.352 (512 draws)
    m = round(-1 / rate)
    above, below = (1 / m - 1 / (m + 1)) / 2, (1 / (m - 1) - 1 / m) / 2
    few = "half of the step to it; with few tokens W₁ falls a little faster than in the limit"
    return [
        at_most(name, slope, rate, slack=above, because="half of the step to one dimension more", error=error),
        at_least(f"the same, d = {d}: not one dimension less", slope, rate, slack=below, because=few, error=error),
    ]


def _as_tokens(values: np.ndarray) -> tkf.Measure:
    """A density on the circle as weighted tokens."""
    angles = 2 * np.pi * np.arange(len(values)) / len(values)
    return tkf.Measure(on_circle(angles), np.maximum(values, 1e-12))


def _von_mises_fisher(rng: np.random.Generator, n: int, d: int) -> np.ndarray:
    """n independent points of the density e^{c x_1}: the angle to e_1 by its distribution function, then a direction.

    (`tkf.initial` has this law too, but compiles for every n.)
    """
    nodes = np.linspace(0, np.pi, 4001)
    density = np.exp(CONCENTRATION * np.cos(nodes)) * np.sin(nodes) ** (d - 2)
    totals = np.append(0.0, np.cumsum((density[1:] + density[:-1]) / 2))
    angle = np.interp(rng.uniform(size=n), totals / totals[-1], nodes)
    across = rng.normal(size=(n, d - 1))
    across /= np.linalg.norm(across, axis=1, keepdims=True)
    return np.column_stack([np.cos(angle), np.sin(angle)[:, None] * across])


def _limit_on_circle(t1: float) -> np.ndarray:
    """The values of the mean field's density at t1."""
    start = Density.vmf_mixture(Fourier(256), means=[[1.0, 0.0]], concentrations=CONCENTRATION)
    model = tkf.Transformer(CIRCLE, tkf.Softmax(CHAOS_BETA))
    return np.asarray(tkf.solve(model, start, t1=t1, method="rk4", step=t1 / 50, save="end").final.values)


def _distances(clouds: Sequence[np.ndarray], d: int, limit: np.ndarray) -> list[float]:
    """W_1 of each cloud to the density on the circle; elsewhere between pairs of independent clouds."""
    measures = [tkf.Measure(points) for points in clouds]
    if d == 2:
        return [float(density_wasserstein(limit, mu)) for mu in measures]
    pairs = zip(measures[::2], measures[1::2], strict=True)
    return [float(wasserstein(mu, nu, tkf.Sphere(d), method="exact")) for mu, nu in pairs]


def _draw_chaos(finding: Finding) -> Figure:
    figure, ax = panels(1)
    sizes, errors = finding.data["sizes"], finding.data["errors"]
    for color, (d, values) in zip(PALETTE, errors.items(), strict=False):
        ax.loglog(sizes, values, "o", color=color, markersize=4, label=f"$d = {d}$")
        shape = sizes ** RATES[d] * (np.sqrt(np.log(sizes)) if d == 3 else 1.0)
        name = "predicted shapes, fitted height" if d == list(errors)[-1] else None
        ax.loglog(sizes, shape * np.exp(np.mean(np.log(values / shape))), label=name, **PREDICTED)
    ax.set(xlabel="$n$", ylabel=f"$W_1$ at $t = {finding.data['t1']:g}$")
    tick_sizes(ax, sizes)
    ax.legend(loc="center left", bbox_to_anchor=(1.0, 0.5))
    return figure


# --- stability ------------------------------------------------------------------------------------------------------

STABILITY_BETA = 1.0
DISTANCES = (1e-1, 1e-2, 1e-3, 1e-4)


def _stability(*, seed: int, n: int, t1: float, multiple: float) -> Finding:
    rng = np.random.default_rng(seed)
    theta, ones = rng.vonmises(0.0, 1.0, n), np.ones(n)
    shift, tilt = rng.normal(size=n), rng.uniform(-1, 1, n)
    apart = np.where(np.arange(n) % 2, 1.0, -1.0)
    starts = {"attracted": (1.0, theta, ones), "one point": (-1.0, 0 * ones, ones)}
    for size in DISTANCES:
        starts[f"moved {size}"] = (1.0, theta + size * shift, ones)
        starts[f"reweighted {size}"] = (1.0, theta, 1 + size * tilt)
        starts[f"split {size}"] = (-1.0, size * apart, ones)
    ends: dict[str, np.ndarray] = {}
    for sign in (1.0, -1.0):
        names = [name for name, start in starts.items() if start[0] == sign]
        model = tkf.Transformer(CIRCLE, tkf.Unnormalized(STABILITY_BETA), V=sign * np.eye(2))
        x, w = (np.array([starts[name][k] for name in names]) for k in (1, 2))
        found = _ends(model, (jnp.asarray(on_circle(x)), jnp.asarray(w)), t1, 0.025)
        ends |= dict(zip(names, np.asarray(found), strict=True))

    def growth(name: str, p: int) -> float:
        """W_p at t1 over W_p at 0, between a start and the one that it was made from."""
        base = "one point" if name.startswith("split") else "attracted"
        before = [tkf.Measure(on_circle(starts[k][1]), starts[k][2]) for k in (base, name)]
        after = [tkf.Measure(ends[k], starts[k][2]) for k in (base, name)]
        return wasserstein(after[0], after[1], CIRCLE, p=p) / wasserstein(before[0], before[1], CIRCLE, p=p)

    L = _lipschitz(STABILITY_BETA)
    kinds = ("moved", "reweighted", "split")
    grown = {(kind, p): [growth(f"{kind} {size}", p) for size in DISTANCES] for kind in kinds for p in (1, 2)}
    bound = np.exp(multiple * L * t1)
    checks = [
        at_most(
            f"largest growth of W{'₁' if p == 1 else '₂'} over all pairs, by the bound e^(2Lt)",
            max(max(grown[kind, p]) for kind in kinds) / bound,
            1.0,
            slack=1e-6,
            because="error of RK4 at this step",
        )
        for p in (1, 2)
    ]
    rate = np.log(grown["split", 1][-1]) / t1
    why = "the square of the distance, 1e-4, and RK4"
    checks.append(equals("rate at which V = -I splits a point, by L", rate / L, 1.0, within=1e-3, because=why))
    return Finding(checks, {"grown": grown, "L": L, "t1": t1, "multiple": multiple})


def _lipschitz(beta: float) -> float:
    """L = max |g'| of g(u) = e^{beta cos u} sin u."""
    u = np.linspace(0, np.pi, 10_001)
    return float(np.abs(np.exp(beta * np.cos(u)) * (np.cos(u) - beta * np.sin(u) ** 2)).max())


def _draw_stability(finding: Finding) -> Figure:
    figure, ax = panels(1)
    names = {"moved": "tokens moved", "reweighted": "masses changed", "split": "a point split, $V = -I$"}
    for (kind, p), values in finding.data["grown"].items():
        color, fill = PALETTE[list(names).index(kind)], {} if p == 1 else {"markerfacecolor": "white"}
        line = {"linestyle": "-" if p == 1 else ":"}
        ax.loglog(DISTANCES, values, "o", color=color, markersize=4, label=f"{names[kind]}, $W_{p}$", **fill, **line)
    bound = np.exp(finding.data["multiple"] * finding.data["L"] * finding.data["t1"])
    ax.axhline(bound, label="$e^{2Lt}$", **PREDICTED)
    ax.axhline(np.sqrt(bound), label="$e^{Lt}$", color=INK, linestyle=":", linewidth=1.1)
    ax.set(xlabel="size of the perturbation", ylabel="$W_p(t)\\,/\\,W_p(0)$", ylim=(0.5, 2 * bound))
    ax.legend(loc="center left", bbox_to_anchor=(1.0, 0.5))
    return figure


# --- the masked mean field ------------------------------------------------------------------------------------------

MASKED_BETA, MASKED_T1 = 2.0, 1.5


def _masked(*, seed: int, sizes: Sequence[int], draws: int, is_masked: bool) -> Finding:
    rng = np.random.default_rng(seed)
    most = max(sizes)
    systems: dict[Any, tuple[np.ndarray, np.ndarray]] = {("lattice", m): _lattice(m) for m in (most // 2, most)}
    for n in sizes:
        for k in range(draws):
            s, u = rng.uniform(size=(2, n))
            systems[n, k] = s, _token_law(s, u)
    rows = [_filled_up(*system, most) for system in systems.values()]
    x, w, s = (jnp.asarray(np.array(column)) for column in zip(*rows, strict=True))
    model = tkf.Transformer(CIRCLE, tkf.Softmax(MASKED_BETA), position=tkf.Causal())
    ends = dict(zip(systems, np.asarray(_ends(model, (x, w, s), MASKED_T1, 0.1)), strict=True))
    if not is_masked:  # the control: tokens that see all others, against the masked limit
        free = tkf.Transformer(CIRCLE, tkf.Softmax(MASKED_BETA))
        others = dict(zip(systems, np.asarray(_ends(free, (x, w, s), MASKED_T1, 0.1)), strict=True))
        ends = {name: ends[name] if name[0] == "lattice" else others[name] for name in systems}
    found = {name: _statistics(systems[name][0], ends[name]) for name in systems}
    limit = found["lattice", most]
    gaps = np.array([[np.mean((found[n, k] - limit) ** 2) for k in range(draws)] for n in sizes])
    errors = np.sqrt(gaps.mean(axis=1))
    rough = float(np.sqrt(np.mean((found["lattice", most // 2] - limit) ** 2)))
    before = _statistics(systems["lattice", most][0], on_circle(systems["lattice", most][1]))
    moved = float(np.sqrt(np.mean((before - limit) ** 2)))
    # eight statistics, about four of them independent, of 32 draws: 0.046 in the slope
    within, why = 0.8 / np.sqrt(draws), "three standard errors of the slope with this number of draws"
    checks = [
        equals("exponent of n in the error", _slope(sizes, errors), -0.5, within=within, because=why),
        at_most(
            "error of the limit by that of most tokens",
            rough / errors[-1],
            0.25,
            because="with half as many lattice points it must not change by more",
        ),
        at_least(
            "how far the limit has moved, by the error of most tokens",
            moved / errors[-1],
            3,
            because="else a limit at rest would pass too",
        ),
    ]
    shown = {"s": systems[most, 0][0], "end": ends[most, 0][:most], "limit_s": systems["lattice", most][0]}
    return Finding(checks, {"sizes": np.array(sizes), "errors": errors, "limit": ends["lattice", most], **shown})


def _token_law(s: np.ndarray, u: np.ndarray) -> np.ndarray:
    """Angles from uniform u: normal of standard deviation 1/2 around 2.5 s, so that tokens depend on positions."""
    return 2.5 * s + 0.5 * ndtri(u)


def _lattice(n: int) -> tuple[np.ndarray, np.ndarray]:
    """Positions and angles on a golden lattice, integrals to O(log n / n): the stand-in for n = infinity."""
    i = np.arange(n) + 0.5
    return i / n, _token_law(i / n, (i * (np.sqrt(5) - 1) / 2) % 1.0)


def _filled_up(s: np.ndarray, theta: np.ndarray, most: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Points, weights and positions of `most` tokens."""
    missing = most - len(s)
    theta = np.append(theta, np.linspace(0, 6, missing))
    return (
        on_circle(theta),
        np.append(np.ones(len(s)), np.full(missing, UNFELT)),
        np.append(s, np.full(missing, HIDDEN)),
    )


def _statistics(s: np.ndarray, end: np.ndarray) -> np.ndarray:
    """int cos(k pi s) x dmu(s, x), k = 0, ..., 3: eight linear statistics of the joint measure."""
    return np.cos(np.pi * np.outer(np.arange(4), s)) @ end[: len(s)] / len(s)


def _draw_masked(finding: Finding) -> Figure:
    figure, (left, right) = panels(2, width=8.0)
    data = finding.data
    edges = np.linspace(0, 1, 17)
    bins = np.digitize(data["limit_s"], edges) - 1
    angles = np.arctan2(data["limit"][:, 1], data["limit"][:, 0])
    low, middle, high = np.array([np.quantile(angles[bins == k], [0.1, 0.5, 0.9]) for k in range(16)]).T
    places = (edges[1:] + edges[:-1]) / 2
    left.fill_between(places, low, high, color=FAINT, alpha=0.6, linewidth=0, label="limit, 10% to 90%")
    end = data["end"]
    words = f"tokens, $n = {data['sizes'][-1]}$"
    left.plot(data["s"], np.arctan2(end[:, 1], end[:, 0]), "o", color=PALETTE[1], markersize=2.5, label=words)
    left.plot(places, middle, label="limit, median", **PREDICTED)
    left.set(xlabel="position $s$ in the context", ylabel=f"angle at time $t = {MASKED_T1:g}$ (rad)")
    left.legend(loc="upper left", fontsize=8)
    sizes, errors = data["sizes"], data["errors"]
    right.loglog(sizes, errors, "o", color=PALETTE[0], markersize=5, label="measured")
    words = "$n^{-1/2}$ through the first point"
    right.loglog(sizes, errors[0] * np.sqrt(sizes[0] / sizes), label=words, **PREDICTED)
    right.set(xlabel="tokens $n$", ylabel="error of eight statistics, rms")
    tick_sizes(right, sizes)
    right.legend(loc="lower left", fontsize=8)
    return figure


CLAIMS = (
    Claim(
        id="glpr25-propagation-of-chaos",
        title="Tokens approach the mean field at the rate of sampling",
        statement=r"For $n$ independent tokens of a law on $\mathbb{S}^{d-1}$, the empirical measure stays near the "
        r"solution of the continuity equation, by $C e^{Ct}$ times the error of sampling: "
        r"$W_1(\mu_n(t), \mu(t)) \leq C e^{Ct} n^{-1/(d-1)}$ for $d \geq 4$, with $n^{-1/2}$ on the circle and "
        r"$n^{-1/2} \sqrt{\log n}$ for $d = 3$.",
        paper="glpr25",
        where="section on the mean field (Dobrushin's estimate, rate for independent tokens)",
        status="theorem",
        assumptions=(r"softmax attention with $\beta = 1$, $Q = K = V = I$", "tokens of a von Mises-Fisher law"),
        experiment=_chaos,
        draw=_draw_chaos,
        quick=Setting(
            {"dimensions": (2, 3, 4), "sizes": (16, 64, 256), "draws": 32, "t1": 1.0, "late": 1.0}, seconds=4
        ),
        full=Setting(
            {"dimensions": (2, 3, 4, 5), "sizes": (16, 64, 256, 1024), "draws": 24, "t1": 1.0, "late": 1.0},
            seconds=110,
        ),
        control=Control(
            {"late": 0.2}, "the mean field at a fifth of the time is not what tokens approach", "W₁ at t = 1, d = 2"
        ),
        main="t = 1, d = 4",
        misses=0.004,
        note=r"The paper's section on the mean field has the rate $n^{-1/(d-1)}$ of sampling, which is that of "
        r"$d \geq 4$; "
        r"independent tokens have $n^{-1/2}$ for $d = 2$ and a logarithm for $d = 3$, as is classical. On the circle "
        r"$W_1$ is to the density of the mean field at $t = 1$, which tests the dynamics; for $d \geq 3$ it is between "
        r"two independent clouds of $n$ tokens at $t = 1$, which tests the rate only; for $d = 3$ these $n$ are too "
        r"small to see the logarithm itself. In full mode (seed 0) $d = 5$ is inconclusive: the exponent is "
        r"$-0.304 \pm 0.014$, beyond half of the step from $-1/4$ to the $-1/3$ of $d = 4$.",
    ),
    Claim(
        id="glpr25-dobrushin",
        title="Nearby measures separate at most exponentially",
        statement=r"Dobrushin's estimate: $W_p(\mu_t, \nu_t) \leq e^{Ct}\, W_p(\mu_0, \nu_0)$ for any two solutions of "
        r"the mean field. On the circle with unnormalized attention $C = 2L$ will do, with "
        r"$L = \max_u |g'(u)|$, $g(u) = e^{\beta \cos u} \sin u$.",
        paper="glpr25",
        where="section on the mean field (Dobrushin's estimate)",
        status="theorem",
        main="growth of W₁",
        assumptions=(r"unnormalized attention on the circle, $\beta = 1$, $V = I$ or $V = -I$",),
        experiment=_stability,
        draw=_draw_stability,
        quick=Setting({"n": 48, "t1": 0.5, "multiple": 2.0}, seconds=3),
        full=Setting({"n": 256, "t1": 1.0, "multiple": 2.0}, seconds=5),
        control=Control({"multiple": 0.9}, "a bound of e^(0.9 L t) is broken by the splitting of a point", "growth"),
        note=r"The paper has a constant of order one; $2L$ is derived here from the Lipschitz constants of the kernel. "
        r"A point that $V = -I$ splits separates like $e^{Lt}$, so no exponent below $L$ can hold.",
    ),
    Claim(
        id="cacp25-masked-mean-field",
        title="Causal tokens converge to the masked mean field",
        statement=r"With positions $s \in [0, 1]$ and attention restricted to $\tau \leq s$, $n$ tokens drawn from a "
        r"joint law of $(s, x)$ follow the masked mean field with an error of order $n^{-1/2}$.",
        paper="cacp25",
        where="section on masked attention (the limit); the rate is that of sampling",
        status="derived",
        main="exponent of n",
        assumptions=(r"softmax attention with $\beta = 2$ on the circle", "tokens depend on their positions"),
        experiment=_masked,
        draw=_draw_masked,
        quick=Setting({"sizes": (16, 64, 256), "draws": 32, "is_masked": True}, seconds=4),
        full=Setting({"sizes": (16, 64, 256, 1024), "draws": 32, "is_masked": True}, seconds=33),
        control=Control({"is_masked": False}, "tokens without the mask do not approach the masked limit", "exponent"),
        misses=0.01,
        note=r"The error is the root mean square of $\int \cos(k \pi s)\, x \, d\mu(s, x)$, $k = 0, \ldots, 3$; the "
        r"limit is a golden lattice of as many points as the largest system.",
    ),
)
