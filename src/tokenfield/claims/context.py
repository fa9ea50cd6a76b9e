"""Claims about long contexts (arXiv 2510.05554, 2605.08505) and about the rate of clustering (arXiv 2504.14697).

How fast the inverse temperature must grow with the number n of tokens for attention to stay selective, for equiangular
tokens and for independent keys; and how fast a law collapses at small inverse temperature.
"""

from __future__ import annotations

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from matplotlib.figure import Figure

import tokenfield as tkf
from tokenfield import theory
from tokenfield.claims.claim import Claim, Control, Finding, Setting, at_least, equals
from tokenfield.claims.figures import PALETTE, PREDICTED, panels

# --- one layer on equiangular tokens ------------------------------------------------------------------------------

QUERIES = 4  # all pairs of equiangular tokens are alike: a few rows of the attention matrix are enough


def _equiangular(n: int, rho: float) -> np.ndarray:
    """n unit vectors in R^(n+1) of pairwise cosine rho."""
    return np.concatenate([np.full((n, 1), np.sqrt(rho)), np.sqrt(1 - rho) * np.eye(n)], axis=1)


@eqx.filter_jit
def _one_layer(beta: jax.Array, points: jax.Array) -> jax.Array:
    """What attention puts in the place of the first tokens, (QUERIES, d)."""
    model = tkf.Transformer(tkf.Sphere(points.shape[1]), tkf.Softmax(beta))
    return model.field(0.0, points[:QUERIES], tkf.Measure(points))


def _long_context(
    *, seed: int, rho: float, sizes: tuple[int, ...], gains: tuple[float, ...], residual: bool
) -> Finding:
    del seed  # nothing is random
    measured = np.empty((len(sizes), len(gains)))
    for row, n in enumerate(sizes):
        points = jnp.asarray(_equiangular(n, rho))
        for column, gain in enumerate(gains):
            out = _one_layer(jnp.asarray(gain * np.log(n)), points) + (points[:QUERIES] if residual else 0.0)
            measured[row, column] = tkf.observables.mean_cosine(tkf.Measure(out))
    n, curve = sizes[-1], measured[-1]
    critical, between = float(theory.critical_gain(rho)), 4 * rho / (1 + 3 * rho)
    exact = np.array([[float(theory.context_cosine(rho, gain, size)) for gain in gains] for size in sizes])
    # the cosine decreases with the gain: where it passes its critical value
    crossing = np.interp(-between, -curve, gains)
    rest = float(n) ** (1 - gains[-1] / critical)  # the attention that is left for others above the critical gain
    checks = [
        equals(
            f"gain at which the cosine is 4ρ/(1+3ρ), n = {n}",
            crossing,
            critical,
            within=0.5 / np.log(n),
            because="the transition has a width of order 1/log n in the gain",
        ),
        equals(
            "cosine at the critical gain",
            curve[gains.index(critical)],
            between,
            within=3 / n,
            because="corrections of order 1/n",
        ),
        equals(
            f"cosine at gain {gains[-1]:g}", curve[-1], rho, within=rest, because="order n^(1 - gain/critical gain)"
        ),
        at_least(
            f"cosine at gain {gains[0]:g}",
            curve[0],
            1,
            slack=2 * (1 - rho) / rho * float(n) ** (2 * gains[0] / critical - 2),
            because="order of the squared attention that a token pays to itself",
        ),
        equals(
            "largest deviation from the formula for finite n",
            np.abs(measured - exact).max(),
            0,
            within=1e-9,
            because="rounding",
        ),
    ]
    return Finding(checks, {"rho": rho, "sizes": sizes, "gains": np.array(gains), "measured": measured})


def _draw_long_context(finding: Finding) -> Figure:
    figure, ax = panels(1)
    rho, gains = finding.data["rho"], finding.data["gains"]
    fine = np.linspace(gains[0], gains[-1], 200)
    for color, n, cosines in zip(PALETTE, finding.data["sizes"], finding.data["measured"], strict=False):
        ax.plot(gains, cosines, "o", color=color, markersize=3.5, label=f"$n = {n}$")
        ax.plot(fine, [float(theory.context_cosine(rho, g, n)) for g in fine], color=color, linewidth=0.8)
    critical = float(theory.critical_gain(rho))
    limit = [1.0, 1.0, 4 * rho / (1 + 3 * rho), rho, rho]
    ax.plot([gains[0], critical, critical, critical, gains[-1]], limit, **PREDICTED, label=r"$n \to \infty$")
    ax.set(xlabel=r"gain $g$, where $\beta = g\,\log n$", ylabel="cosine after one layer")
    ax.legend(loc="upper right")
    return figure


# --- one query among independent keys -----------------------------------------------------------------------------


@eqx.filter_jit
def _largest_weights(betas: jax.Array, keys: jax.Array, n: int, d: int) -> jax.Array:
    """The largest attention weight of e_1 among n uniform keys, for each random key and beta, (keys, betas)."""
    sphere = tkf.Sphere(d)
    query = jnp.eye(d)[:1]

    def one(key: jax.Array) -> jax.Array:
        mu = tkf.Measure(sphere.uniform_points(n, seed=key))

        def at(beta: jax.Array) -> jax.Array:
            attention = tkf.Softmax(beta)
            (projected,) = tkf.Transformer(sphere, attention).projected(0.0, query, mu)
            return jnp.max(attention.matrix(projected))

        return jax.vmap(at)(betas)

    return jax.lax.map(one, keys, batch_size=64)


def _nearest_keys(*, seed: int, sizes: tuple[int, ...], ratios: tuple[float, ...], draws: int, power: float) -> Finding:
    d = 3  # where the law of <q, k> is uniform, so that only 1/n corrects the limit
    means, errors, checks = [], [], []
    predicted = [float(theory.largest_weight(ratio, d)) for ratio in ratios]
    for n in sizes:
        scale = float(theory.critical_context_beta(n, d)) ** power
        keys = jax.random.split(jax.random.fold_in(jax.random.key(seed), n), draws)
        weights = np.asarray(_largest_weights(scale * jnp.asarray(ratios), keys, n, d))
        means.append(weights.mean(axis=0))
        errors.append(weights.std(axis=0) / np.sqrt(draws))
        for ratio, mean, error, value in zip(ratios, means[-1], errors[-1], predicted, strict=True):
            checks.append(
                equals(
                    f"mean largest weight at β = {ratio:g} β*, n = {n}",
                    mean,
                    value,
                    within=3 * error + 2 / n,
                    because="three standard errors, and a correction of order 1/n",
                    error=error,
                )
            )
    return Finding(checks, {"d": d, "sizes": sizes, "ratios": np.array(ratios), "means": means, "errors": errors})


def _draw_nearest_keys(finding: Finding) -> Figure:
    figure, ax = panels(1)
    ratios = finding.data["ratios"]
    fine = np.geomspace(ratios[0] / 2, ratios[-1] * 2, 40)
    for row, n in enumerate(finding.data["sizes"]):
        mean, error = finding.data["means"][row], finding.data["errors"][row]
        # the first size as open circles around the others
        look = {"markerfacecolor": "none", "markersize": 9} if row == 0 else {"markersize": 4}
        style = {"color": PALETTE[row], "marker": "o", "linestyle": "", "capsize": 2, **look}
        ax.errorbar(ratios, mean, 3 * error, label=f"$n = {n}$", **style)
    predicted = [float(theory.largest_weight(ratio, finding.data["d"])) for ratio in fine]
    ax.plot(fine, predicted, **PREDICTED, label="Poisson limit")
    ax.set(xscale="log", xlabel=r"$\beta / \beta^*$", ylabel="mean largest weight", ylim=(0, 1))
    ax.legend(loc="upper left")
    return figure


# --- the rate of clustering ---------------------------------------------------------------------------------------


def _collapse(*, seed: int, n: int, d: int, betas: tuple[float, ...], t1: float, kind: str) -> Finding:
    sphere = tkf.Sphere(d)
    start = tkf.initial.von_mises_fisher(sphere, n, mean=np.eye(d)[0], concentration=1.0, seed=seed)
    curves, checks = [], []
    times = np.linspace(0.0, t1, 61)
    for beta in betas:
        attention = tkf.Unnormalized(beta) if kind == "unnormalized" else tkf.Softmax(beta)
        model = tkf.Transformer(sphere, attention)
        x = np.asarray(tkf.solve(model, start, t1=2 * t1, save=[*times, 2 * t1], rtol=1e-10, atol=1e-14).saved_points)
        limit = x[-1].mean(axis=0) / np.linalg.norm(x[-1].mean(axis=0))
        # the only coupling with a Dirac moves everything there
        distances = np.sqrt(np.mean(np.sum((x[:-1] - limit) ** 2, axis=2), axis=1))
        curves.append(distances)
        late = times >= 0.6 * t1
        rate = -np.polyfit(times[late], np.log(distances[late]), 1)[0]
        predicted = float(theory.wasserstein_rate(beta))
        checks += [
            equals(
                f"rate of W2 at the end, β = {beta:g}",
                rate,
                predicted,
                within=1e-2,
                because="the distance itself, squared, corrects the rate",
            ),
            at_least(
                f"rate of W2 over the whole run, β = {beta:g}",
                -np.log(distances[-1] / distances[0]) / t1,
                1 / 100,
                because="the proven bound",
            ),
        ]
    return Finding(checks, {"times": times, "betas": betas, "curves": curves})


def _draw_collapse(finding: Finding) -> Figure:
    figure, ax = panels(1)
    times = finding.data["times"]
    late = times >= times[-1] / 2
    for i, (beta, curve) in enumerate(zip(finding.data["betas"], finding.data["curves"], strict=True)):
        ax.semilogy(times, curve, color=PALETTE[i], label=rf"$\beta = {beta:g}$")
        rate = float(theory.wasserstein_rate(beta))
        line = 1.6 * curve[-1] * np.exp(rate * (times[-1] - times[late]))
        ax.semilogy(times[late], line, **PREDICTED, label=r"$e^{-e^{\beta} t}$, 1.6 times the last" if i == 0 else None)
    ax.semilogy(
        times, curve[0] * np.exp(-times / 100), color="black", linewidth=0.8, linestyle=":", label="$e^{-t/100}$"
    )
    ax.set(xlabel="time $t$ of the flow", ylabel=r"$W_2(\mu_t, \delta)$")
    ax.legend(loc="lower left")
    return figure


RHO = 0.5
CLAIMS = (
    Claim(
        id="clpr26-critical-gain",
        title="Attention over n tokens needs a temperature of order 1/log n",
        statement=r"One attention layer maps $n$ tokens of pairwise cosine $\rho$ to tokens whose cosine, for "
        r"$\beta = g \log n$ and $n \to \infty$, tends to $1$ if $g < \frac{1}{1-\rho}$, to "
        r"$\frac{4\rho}{1+3\rho}$ at equality, and to $\rho$ if $g > \frac{1}{1-\rho}$.",
        paper="clpr26",
        where="main theorem, as the survey arXiv 2512.01868 quotes it (Theorem 7)",
        status="second-hand",
        main="gain at which the cosine",
        assumptions=("equiangular tokens", r"$Q = K = V = I$, no residual connection"),
        experiment=_long_context,
        draw=_draw_long_context,
        quick=Setting(
            {"rho": RHO, "sizes": (100, 1000), "gains": (1.0, 1.5, 1.75, 2.0, 2.25, 2.5, 3.0), "residual": False},
            seconds=2,
        ),
        full=Setting(
            {
                "rho": RHO,
                "sizes": (100, 1000, 8000),
                "gains": (1.0, 1.25, 1.5, 1.625, 1.75, 1.875, 2.0, 2.125, 2.25, 2.375, 2.5, 2.75, 3.0),
                "residual": False,
            },
            seconds=9,
        ),
        control=Control(
            {"residual": True},
            "with the residual connection the cosine at the critical gain is 16ρ/(9+7ρ)",
            "cosine at the critical",
        ),
    ),
    Claim(
        id="scaling26-nearest-keys",
        title="Among independent keys the temperature must fall like a power of n",
        statement=r"A query among $n$ independent uniform keys on $S^{d-1}$ shares its attention among finitely many "
        r"of them when $\beta$ is of order $\beta^* = (n c_d)^{2/(d-1)}$. The weights are then proportional to "
        r"$\exp(-\frac{\beta}{\beta^*} \Gamma_i^{2/(d-1)})$ with $\Gamma_i$ the arrivals of a Poisson process.",
        paper="scaling26",
        where="abstract (the regimes)",
        status="derived",
        assumptions=(
            "$d = 3$",
            r"$c_d = \frac{\Gamma(d/2)\, 2^{(d-3)/2}}{\sqrt{\pi}\, \Gamma((d+1)/2)}$, so that "
            r"$P(1 - \langle q, k \rangle \leq s) \approx c_d s^{(d-1)/2}$",
        ),
        note=r"The paper has the exponent $2/(d-1)$; the constant $c_d$ and the weights are derived. Published "
        r"scalings $\beta \approx \log n$ answer another question, that of equiangular tokens.",
        experiment=_nearest_keys,
        draw=_draw_nearest_keys,
        quick=Setting({"sizes": (250, 2000), "ratios": (0.2, 1.0, 5.0), "draws": 1500, "power": 1.0}, seconds=4),
        full=Setting({"sizes": (1000, 20000), "ratios": (0.2, 1.0, 5.0), "draws": 2000, "power": 1.0}, seconds=141),
        control=Control(
            {"power": 0.5}, "with β growing like n^(1/(d-1)) attention spreads over ever more keys", "n = 2000"
        ),
        main="β = 1 β*, n = 2000",
        misses=0.01,
    ),
    Claim(
        id="clpr25-exponential-clustering",
        title="At small β a law with a mean collapses exponentially",
        statement=r"Under unnormalized attention with small $|\beta|$, a law with a density and "
        r"$\int x \, d\mu_0 \neq 0$ collapses to a Dirac: $W_2(\mu_t, \delta) \leq C e^{-t/100}$ for $t \geq T_0$. "
        r"The rate at the end is $e^\beta$.",
        paper="clpr25",
        where="main theorem, as the survey arXiv 2512.01868 quotes it; the rate at the end is derived",
        status="second-hand",
        assumptions=(r"$Q = K = V = I$, tokens drawn from a von Mises-Fisher law of concentration $1$",),
        note=r"The proven rate $1/100$ is far from sharp: linearization at the Dirac gives $e^\beta$, which is $1$ at "
        r"$\beta = 0$.",
        experiment=_collapse,
        draw=_draw_collapse,
        quick=Setting({"n": 200, "d": 3, "betas": (0.0, 0.3), "t1": 12.0, "kind": "unnormalized"}, seconds=3),
        full=Setting({"n": 4000, "d": 3, "betas": (0.0, 0.3), "t1": 14.0, "kind": "unnormalized"}, seconds=36),
        control=Control({"kind": "softmax"}, "softmax attention has the rate 1 for every β", "at the end, β = 0.3"),
        main="at the end, β = 0.3",
    ),
)
