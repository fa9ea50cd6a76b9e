"""Claims about attention with random scores (arXiv 2605.12697): n Gaussian scores freeze at beta = sqrt(2 log n).

One query among n keys whose inner products with it are independent Gaussians: the random energy model. Entropy and
weights come from the log sum and the mean that the engine gives, in O(n).
"""

from __future__ import annotations

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from matplotlib.figure import Figure

import tokenfield as tkf
from tokenfield import theory
from tokenfield.claims.claim import Claim, Control, Finding, Setting, equals
from tokenfield.claims.figures import PALETTE, PREDICTED, panels

SCALES = {"sqrt(2 log n)": lambda n: float(theory.critical_score_beta(n)), "sqrt(log n)": lambda n: np.sqrt(np.log(n))}


@eqx.filter_jit
def _entropies_and_squares(betas: jax.Array, keys: jax.Array, n: int) -> jax.Array:
    """Entropy and sum of squares of the attention among n Gaussian scores, (keys, betas, 2)."""
    line, query = tkf.Euclidean(1), jnp.ones((1, 1))

    def one(key: jax.Array) -> jax.Array:
        mu = tkf.Measure(jax.random.normal(key, (n, 1)))

        def attended(beta: jax.Array) -> tuple[jax.Array, jax.Array]:
            (found,) = tkf.Transformer(line, tkf.Softmax(beta)).attended(0.0, query, mu)
            return found.log_sum[0], found.mean[0, 0]

        def at(beta: jax.Array) -> jax.Array:
            log_sum, mean = attended(beta)
            # log_sum is that of the weights 1/n: log sum_j a_j^2 = log Z(2 beta) - 2 log Z(beta)
            log_square = attended(2 * beta)[0] - 2 * log_sum - jnp.log(n)
            return jnp.stack([jnp.log(n) + log_sum - beta * mean, jnp.exp(log_square)])

        return jax.lax.map(at, betas)

    return jax.lax.map(one, keys)


def _measure(seed: int, n: int, draws: int, betas: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Means over the draws and their standard errors, each (betas, 2)."""
    keys = jax.random.split(jax.random.fold_in(jax.random.key(seed), n), draws)
    found = np.asarray(_entropies_and_squares(jnp.asarray(betas), keys, n))
    return found.mean(axis=0), found.std(axis=0, ddof=1) / np.sqrt(draws)


# --- below the critical temperature -------------------------------------------------------------------------------


def _entropy_law(*, seed: int, sizes: tuple[int, ...], draws: int, ratios: tuple[float, ...], scale: str) -> Finding:
    checks, rows = [], []
    ratio = np.array(ratios)
    predicted = np.array([float(theory.score_entropy(r)) for r in ratios])
    for n in sizes:
        means, errors = _measure(seed, n, draws, ratio * SCALES[scale](n))
        share, error = means[:, 0] / np.log(n), errors[:, 0] / np.log(n)
        rows.append((n, share, error))
        for r, measured, value, one in zip(ratios, share, predicted, error, strict=True):
            if r <= 0.5:  # nearer to the transition the correction of order log log n / log n is as large as the law
                checks.append(
                    equals(
                        f"entropy / log n at β = {r:g} β_c, n = {n}",
                        measured,
                        value,
                        within=4 * one + n ** (2 * r**2 - 1),
                        because="four standard errors, and the variance n^(2r²-1) of the normalizer",
                        error=one,
                    )
                )
    return Finding(checks, {"ratios": ratio, "rows": rows})


def _draw_entropy_law(finding: Finding) -> Figure:
    figure, ax = panels(1)
    fine = np.linspace(0, finding.data["ratios"].max(), 200)
    for color, (n, share, error) in zip(PALETTE, finding.data["rows"], strict=False):
        ax.errorbar(
            finding.data["ratios"],
            share,
            3 * error,
            fmt="o-",
            color=color,
            markersize=4,
            linewidth=0.8,
            label=f"$n = {n}$",
        )
    ax.plot(fine, [float(theory.score_entropy(r)) for r in fine], **PREDICTED, label=r"$n \to \infty$")
    ax.set(xlabel=r"$\beta / \beta_c$, $\beta_c = \sqrt{2\,\log n}$", ylabel=r"entropy / $\log n$", ylim=(0, 1.02))
    ax.legend()
    return figure


# --- beyond it ----------------------------------------------------------------------------------------------------


def _freezing(*, seed: int, sizes: tuple[int, ...], draws: int, ratios: tuple[float, ...], has_edge: bool) -> Finding:
    checks, rows = [], []
    for n in sizes:
        critical = float(theory.critical_score_beta(n))
        betas = np.array(ratios) * critical
        means, errors = _measure(seed, n, draws, betas)
        predicted = [float(theory.score_concentration(b, n)) if has_edge else 1 - critical / b for b in betas]
        rows.append((n, means[:, 1], errors[:, 1]))
        for r, measured, value, one in zip(ratios, means[:, 1], predicted, errors[:, 1], strict=True):
            checks.append(
                equals(
                    f"mean of Σ a² at β = {r:g} β_c, n = {n}",
                    measured,
                    value,
                    within=4 * one + 0.25 / critical**2,
                    because="four standard errors, and the curvature 1/(2 log n) of the Gaussian tail at its edge",
                    error=one,
                )
            )
    return Finding(checks, {"ratios": np.array(ratios), "rows": rows})


def _draw_freezing(finding: Finding) -> Figure:
    figure, ax = panels(1)
    fine = np.linspace(1.0, finding.data["ratios"].max() * 1.05, 100)
    for color, (n, mean, error) in zip(PALETTE, finding.data["rows"], strict=False):
        ax.errorbar(finding.data["ratios"], mean, 3 * error, fmt="o", color=color, markersize=4, label=f"$n = {n}$")
        critical = float(theory.critical_score_beta(n))
        ax.plot(fine, [float(theory.score_concentration(r * critical, n)) for r in fine], color=color, linewidth=0.9)
    ax.plot(fine, 1 - 1 / fine, **PREDICTED, label=r"$1 - \beta_c/\beta$, $n \to \infty$")
    ax.set(xlabel=r"$\beta / \beta_c$, $\beta_c = \sqrt{2\,\log n}$", ylabel=r"mean of $\sum_j a_j^2$", ylim=(0, 1))
    ax.legend()
    return figure


SCORES = "one query, n keys, independent standard Gaussian scores"
NOTE = (
    "The abstract, all that we know of the paper, speaks of the scale (log n)^(1/2) as one of those that it unifies; "
    "constant and law are those of the random energy model."
)
CLAIMS = (
    Claim(
        id="scores26-entropy-law",
        title="Attention with Gaussian scores freezes at β = √(2 log n)",
        statement=r"For independent Gaussian scores the entropy of the attention is "
        r"$\left(1 - \beta^2/\beta_c^2\right) \log n$ up to $\beta_c = \sqrt{2 \log n}$, and of smaller order "
        r"than $\log n$ beyond.",
        paper="scores26",
        where="abstract; the random energy model",
        status="second-hand",
        main="β = 0.5 β_c, n = 100000",
        assumptions=(SCORES, r"$n \to \infty$"),
        experiment=_entropy_law,
        draw=_draw_entropy_law,
        quick=Setting(
            {
                "sizes": (1000, 10**4, 10**5),
                "draws": 60,
                "ratios": (0.125, 0.25, 0.375, 0.5, 0.75, 1.0, 1.5, 2.0),
                "scale": "sqrt(2 log n)",
            },
            seconds=4,
        ),
        full=Setting(
            {
                "sizes": (1000, 10**4, 10**6),
                "draws": 100,
                "ratios": (0.125, 0.25, 0.375, 0.5, 0.75, 1.0, 1.5, 2.0),
                "scale": "sqrt(2 log n)",
            },
            seconds=60,
        ),
        control=Control(
            {"scale": "sqrt(log n)"}, "with √(log n), smaller by √2, the entropies fail at every n and ratio", "entropy"
        ),
        note=NOTE,
    ),
    Claim(
        id="scores26-freezing",
        title="Beyond √(2 log n) finitely many tokens share the attention",
        statement=r"For $\beta > \beta_c$ the mean of $\sum_j a_j^2$ tends to $1 - \beta_c / \beta$, the law of "
        r"Poisson "
        r"and Dirichlet; for finite $n$ it is $1 - x_n/\beta$ with $n\,\varphi(x_n) = x_n$, where $\varphi$ is the "
        r"Gaussian density.",
        paper="scores26",
        where="the regime beyond the critical scale; the random energy model",
        status="derived",
        main="β = 2 β_c, n = 10000",
        assumptions=(SCORES, r"$\beta > \beta_c = \sqrt{2 \log n}$"),
        experiment=_freezing,
        draw=_draw_freezing,
        quick=Setting(
            {"sizes": (1000, 10**4), "draws": 1600, "ratios": (1.5, 2.0, 3.0, 5.0), "has_edge": True}, seconds=4
        ),
        full=Setting(
            {"sizes": (1000, 10**5), "draws": 2000, "ratios": (1.5, 2.0, 3.0, 5.0), "has_edge": True}, seconds=90
        ),
        control=Control(
            {"has_edge": False},
            "with √(2 log n) in the place of the typical largest score x_n the means at 1.5 β_c fail",
            "β = 1.5 β_c",
        ),
        note=NOTE,
    ),
)
