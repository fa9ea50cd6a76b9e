"""A claim about attention at initialization (arXiv 2505.24333): random queries and keys, the random energy model.

Tokens of length 1 whose cosines are all rho. With Gaussian Q and K the logits of one query are Gaussian, with variance
beta^2 log n and the covariance of the keys: a part that all share, which softmax does not see, and independent parts of
the variance (1 - rho) beta^2 log n. So a query freezes at beta_c = sqrt(2/(1 - rho)), and its vector has the squared
length rho + (1 - rho) S, S = sum_j a_j^2. The vectors of two queries have the product rho + (1 - rho) sum_j a_j b_j.
As n grows S tends to 0, or to 1 - beta_c/beta beyond beta_c; slowly, which `theory.score_concentration` knows. Logits
of two queries have the correlation rho: tokens that are among the largest for both are in number
about n^(1 - 2/(1 + rho)), so that the product tends to rho like n^(-(1 - rho)/(1 + rho)), up to powers of log n.
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

QUERIES = 16  # tokens whose attention is looked at
SMALL = 64  # dimension of queries and keys


@eqx.filter_jit
def _products(keys: jax.Array, n: int, rho: float, betas: jax.Array) -> jax.Array:
    """The mean squared length of the vectors of queries, and the mean product of two of them, (draws, betas, 2)."""
    x = jnp.zeros((n, n + 1)).at[:, 0].set(jnp.sqrt(rho)).at[:, 1:].set(jnp.sqrt(1 - rho) * jnp.eye(n))
    space = tkf.Euclidean(n + 1)

    def one(key: jax.Array) -> jax.Array:
        Q, K = jax.random.normal(key, (2, SMALL, n + 1))
        Q = Q / jnp.sqrt(SMALL)

        def at(beta: jax.Array) -> jax.Array:
            model = tkf.Transformer(space, tkf.Softmax(beta * jnp.sqrt(jnp.log(n))), Q=Q, K=K)
            found = model.velocity(0.0, x[:QUERIES], tkf.Measure(x))
            gram = found @ found.T
            own = jnp.trace(gram) / QUERIES
            return jnp.stack([own, (jnp.sum(gram) / QUERIES - own) / (QUERIES - 1)])

        return jax.lax.map(at, betas)

    return jax.lax.map(one, keys)


def _critical(rho: float, law: str) -> float:
    """The beta at which attention freezes; in the control that of independent logits, whatever the cosine."""
    return float(np.sqrt(2 / (1 - rho) if law == "independent parts" else 2))


def _concentration(ratio: float, n: int) -> float:
    """E S at beta = ratio * beta_c: below it n^(2 ratio^2 - 1) at most, beyond it the law of the largest scores."""
    return float(theory.score_concentration(ratio * np.sqrt(2 * np.log(n)), n)) if ratio > 1 else 0.0


def _frozen(
    *, seed: int, sizes: tuple[int, ...], cosines: tuple[float, ...], ratios: tuple[float, ...], draws: int, law: str
) -> Finding:
    checks, rows = [], []
    for i, rho in enumerate(cosines):
        critical = _critical(rho, law)
        overlaps = []
        for n in sizes:
            keys = jax.random.split(jax.random.fold_in(jax.random.key(seed), 1000 * i + n), draws)
            betas = jnp.asarray([ratio * critical for ratio in ratios])
            found = np.asarray(_products(keys, n, rho, betas))
            mean, error = found.mean(axis=0), found.std(axis=0, ddof=1) / np.sqrt(draws)
            rows.append((rho, n, mean, error))
            overlaps.append((mean[-1, 1] - rho, error[-1, 1]))
        # at the largest n, which is the last
        for ratio, measured, one in zip(ratios, mean[:, 0], error[:, 0], strict=True):
            own = _concentration(ratio, n)
            left = n ** (2 * ratio**2 - 1) if ratio < 1 else 0.25 / np.log(n) / 2 + 0.25 / SMALL
            why = "and n^(2r²−1), r = β/β_c" if ratio < 1 else "the curvature of the Gaussian tail, and finite width"
            checks.append(
                equals(f"ρ = {rho:g}: squared length at β = {ratio:g} β_c, n = {n}", measured, rho + (1 - rho) * own,
                       within=4 * one + (1 - rho) * left, because=f"four standard errors, {why}",
                       error=one))  # fmt: skip
        value, spread = np.array(overlaps).T
        x = np.log(np.array(sizes, float))
        lever = (x - x.mean()) / np.sum((x - x.mean()) ** 2)
        one = float(np.sqrt(lever**2 @ (spread / value) ** 2))
        checks.append(
            equals(f"ρ = {rho:g}: exponent of n in the product of two queries' vectors, less ρ", lever @ np.log(value),
                   -(1 - rho) / (1 + rho), within=4 * one + 0.1, error=one,
                   because="four standard errors; cosines of queries vary by 1/√64, and powers of log n"))  # fmt: skip
    return Finding(checks, {"rows": rows, "ratios": ratios})


def _draw(finding: Finding) -> Figure:
    figure, (left, right) = panels(2, width=8.0)
    rows, ratios = finding.data["rows"], finding.data["ratios"]
    cosines = list(dict.fromkeys(row[0] for row in rows))
    fine = np.linspace(1.05, 1.1 * max(ratios), 100)
    for color, rho in zip(PALETTE, cosines, strict=False):
        own = [row for row in rows if row[0] == rho]
        _, n, mean, error = own[-1]
        left.errorbar(ratios, mean[:, 0], 3 * error[:, 0], fmt="o", color=color, markersize=5,
                      label=rf"$\rho = {rho:g}$, $n = {n}$")  # fmt: skip
        law = rho + (1 - rho) * np.array([_concentration(r, n) for r in fine])
        left.plot(fine, law, label="law of the largest scores" if rho == cosines[-1] else None, **PREDICTED)
        limit = rho + (1 - rho) * np.maximum(1 - 1 / np.append([0.3, 1], fine), 0)
        words = r"$n \to \infty$, as published" if rho == cosines[-1] else None
        left.plot(np.append([0.3, 1], fine), limit, color=color, linewidth=0.9, linestyle=":", label=words)
        sizes = np.array([row[1] for row in own], float)
        overlap = np.array([row[2][-1, 1] - rho for row in own])
        right.loglog(sizes, overlap, "o", color=color, markersize=5)
        line = overlap[0] * (sizes / sizes[0]) ** (-(1 - rho) / (1 + rho))
        words = r"$n^{-(1-\rho)/(1+\rho)}$ through the first" if rho == cosines[-1] else None
        right.loglog(sizes, line, label=words, **PREDICTED)
    left.set(xlabel=r"$\beta / \beta_c$", ylabel="squared length after attention", ylim=(0, 1))
    right.minorticks_off()
    right.set_xticks(sizes, [f"{size:g}" for size in sizes])
    right.set_yticks([0.01, 0.02, 0.05], ["0.01", "0.02", "0.05"])
    right.set(xlabel="tokens $n$", ylabel=rf"product of two vectors less $\rho$, $\beta = {ratios[-1]:g}\beta_c$")
    right.legend(loc="lower left", fontsize=8)
    figure.legend(*left.get_legend_handles_labels(), loc="outside right center")
    return figure


CLAIMS = (
    Claim(
        id="gg26-random-attention",
        title="At initialization attention averages all tokens up to a critical scale of the weights, and then chooses",
        statement=r"Let tokens have cosines $\rho$ and logits the variance $\beta^2 \log n$. For $\beta < \beta_c = "
        r"\sqrt{2/(1-\rho)}$ attention maps all tokens to their mean, of squared length $\rho$: rank collapse. For "
        r"$\beta > \beta_c$ it has the squared length $\rho + (1 - \rho)(1 - \beta_c/\beta)$, and vectors of two "
        r"queries keep the product $\rho$, as $n \to \infty$.",
        paper="gg26",
        where="code of the paper, aGiorlandino/ICLR-Signal-Propagation-Transformers at 53577ed, theory_update_relu.py, "
        "get_attention_update",
        status="second-hand",
        assumptions=("one head, Gaussian Q and K, V = I; tokens of equal length and equal cosines",),
        experiment=_frozen,
        draw=_draw,
        quick=Setting(
            {
                "sizes": (64, 192, 512),
                "cosines": (0.2, 0.6),
                "ratios": (0.5, 1.5, 3.0),
                "draws": 128,
                "law": "independent parts",
            },
            seconds=3,
        ),
        full=Setting(
            {
                "sizes": (64, 256, 1024, 4096),
                "cosines": (0.2, 0.6),
                "ratios": (0.5, 1.5, 3.0),
                "draws": 400,
                "law": "independent parts",
            },
            seconds=120,
        ),
        control=Control(
            {"law": "whole logits"},
            "β_c = √2 for every ρ: the part that all logits share is taken for noise as well",
            "ρ = 0.6: squared length at β = 1.5",
        ),
        main="ρ = 0.6: squared length at β = 1.5",
        note=r"Known from the abstract and the code. Compared with is the law at finite $n$, because the limit is far "
        r"away: at $n = 512$ and $\beta = 1.5 \beta_c$ the sum of squared weights is .45, in the limit .33. For "
        "many layers see `gg26-depth-recursion`; the recursions of the paper for gradients are not tested.",
    ),
)
