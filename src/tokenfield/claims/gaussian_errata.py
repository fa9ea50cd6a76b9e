"""Claims on formulas for flows of Gaussians (arXiv 2501.18322, its poster, its code, and a card by others).

What is right is decided without any of these formulas, by attention itself: the field of a kernel on the nodes of a
Gauss-Hermite quadrature of N(m, S), which is exact to rounding, is affine, and its slope is read off by regression.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import equinox as eqx
import jax.numpy as jnp
import numpy as np
from jax import Array
from matplotlib.figure import Figure

import tokenfield as tkf
from tokenfield.claims.claim import Claim, Control, Finding, Setting, at_least, at_most, equals
from tokenfield.claims.figures import FAINT, PALETTE, PREDICTED, REST, panels
from tokenfield.claims.gaussians import quadrature_nodes
from tokenfield.laws import Gaussian

QUADRATURE = "error of the quadrature, and of Sinkhorn's sweeps"


@eqx.filter_jit
def _field(attention: Any, Q: np.ndarray, K: np.ndarray, V: np.ndarray, mu: tkf.Measure) -> Array:
    return tkf.Transformer(tkf.Euclidean(2), attention, Q=Q, K=K, V=V).velocity(0.0, mu.points, mu)


def _slope(attention: Any, Q: np.ndarray, K: np.ndarray, mu: tkf.Measure, V: np.ndarray | None = None) -> np.ndarray:
    """G (2, 2): the slope of the field x' = G x + c of attention on the nodes `mu`, by weighted regression."""
    field = np.asarray(_field(attention, Q, K, np.eye(2) if V is None else V, mu))
    x, w = np.asarray(mu.points), np.asarray(mu.weights)
    centered = x - w @ x
    moments = centered.T @ (w[:, None] * centered)
    return np.linalg.solve(moments, centered.T @ (w[:, None] * field)).T


def _random(rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """S, Q and K that do not commute; logits of variance below 1, which the quadrature resolves."""
    Q, K, G = rng.normal(size=(3, 2, 2))
    S = 0.25 * G @ G.T / np.trace(G @ G.T) + 0.05 * np.eye(2)
    return S, Q / np.linalg.norm(Q, 2), K / np.linalg.norm(K, 2)


def _gap(found: np.ndarray, formula: np.ndarray) -> float:
    return float(np.linalg.norm(found - formula) / np.linalg.norm(found))


def _two_checks(names: tuple[str, str], gaps: dict[str, list[float]], formula: str, least: float) -> list[Any]:
    """The formula that is asked about fits in every draw; the printed one is off in every draw."""
    right, wrong = names
    return [
        equals(f"largest error of {right}", max(gaps[formula]), 0, within=1e-6, because=QUADRATURE),
        at_least(f"smallest error of {wrong}", min(gaps["printed"]), least, because="matrices that do not commute"),
    ]


Gaps = dict[str, list[float]]  # of the corrected and of the printed formula, one for each draw


@cache
def _panels(seed: int, draws: int, nodes: int) -> dict[str, tuple[Gaps, dict[str, str]]]:
    """What the figure of the four claims shows, by the title of a panel: errors of two formulas, and their names."""
    own = {"seed": seed, "draws": draws, "nodes": nodes}
    found = {
        "Sinkhorn attention": _sinkhorn(**own, formula="corrected"),
        "L2 attention": _l2(**own, formula="corrected"),
        "softmax attention": _card(**own, formula="corrected"),
        "linear for softmax attention": _linear(**own, mean=0.0),
    }
    return {title: (finding.data["gaps"], finding.data["names"]) for title, finding in found.items()}


def _draw_gaps(finding: Finding) -> Figure:
    """One figure for four claims: errors of both formulas in every draw; those of the right one are rounding."""
    figure, axes = panels(2, width=8.4, height=3.6, nrows=2, sharex=True)
    for ax, (title, (gaps, names)) in zip(axes.flat, _panels(*finding.data["drawn"]).items(), strict=True):
        for row, key in enumerate(("printed", "corrected")):
            values = np.maximum(gaps[key], 1e-16)
            color = PALETTE[0] if key == "corrected" else PALETTE[1]
            ax.semilogx(values, np.full(len(values), row), "o", color=color, markersize=6, alpha=0.6)
        ax.axvline(1e-6, label="tolerance", **PREDICTED)
        ax.set_yticks([0, 1], [names["printed"], names["corrected"]])
        ax.set(xlim=(1e-17, 1e4), ylim=(-0.6, 1.6))
        ax.set_title(title, fontsize=9)
    for ax in axes[-1]:
        ax.set_xlabel("relative error of the slope, one point for each draw")
    axes[0, 1].legend(loc="upper right")
    return figure


# --- Sinkhorn -------------------------------------------------------------------------------------------------------


def _root(S: np.ndarray) -> np.ndarray:
    values, vectors = np.linalg.eigh(S)
    return (vectors * np.sqrt(values)) @ vectors.T


def _sinkhorn_formula(A: np.ndarray, S: np.ndarray, order: str) -> np.ndarray:
    """G of S' = G S + S G^T: G S is C A^{-T} if corrected and C S^{-1} A^{-T} S as printed."""
    half = _root(S)
    inner = _root(4 * half @ A @ S @ A.T @ half + np.eye(2))
    C = (half @ inner @ np.linalg.inv(half) - np.eye(2)) / 2
    inverse = np.linalg.inv(A).T
    return C @ (inverse @ np.linalg.inv(S) if order == "corrected" else np.linalg.inv(S) @ inverse)


def _sinkhorn(*, seed: int, draws: int, nodes: int, formula: str) -> Finding:
    rng = np.random.default_rng(seed)
    gaps: dict[str, list[float]] = {"corrected": [], "printed": []}
    single = []
    for _ in range(draws):
        S, Q, K = _random(rng)
        mu = quadrature_nodes(np.array([0.2, -0.4]), S, nodes)
        found = _slope(tkf.Sinkhorn(1.0), Q, K, mu)
        for order in gaps:
            gaps[order].append(_gap(found, _sinkhorn_formula(K.T @ Q, S, order)))
        # the poster's kernel e^{-|Qx - Ky|^2} is e^{2 Ax.y} up to factors that scaling removes
        distances = _slope(tkf.Sinkhorn(1.0, kernel="l2"), Q, K, mu)
        double = 2 if formula == "corrected" else 1
        single.append(_gap(distances, _sinkhorn_formula(double * K.T @ Q, S, "corrected")))
    checks = _two_checks(("C A⁻ᵀ Σ⁻¹", "the printed order C Σ⁻¹ A⁻ᵀ"), gaps, formula, 1e-3)
    what = "largest error with 2A for the kernel of distances"
    checks.append(equals(what, max(single), 0, within=1e-6, because=QUADRATURE))
    names = {"corrected": r"$C A^{-\top} \Sigma^{-1}$", "printed": r"printed, $C \Sigma^{-1} A^{-\top}$"}
    return Finding(checks, {"drawn": (seed, draws, nodes), "gaps": gaps, "names": names})


# --- L2, the card, linear attention ---------------------------------------------------------------------------------


def _l2(*, seed: int, draws: int, nodes: int, formula: str) -> Finding:
    rng, scale = np.random.default_rng(seed), 2**-0.5
    gaps: dict[str, list[float]] = {"corrected": [], "printed": []}
    for _ in range(draws):
        S, Q, K = _random(rng)
        found = _slope(tkf.L2(scale), Q, K, quadrature_nodes(np.array([0.2, -0.4]), S, nodes))
        for name, share in (("corrected", scale), ("printed", 1.0)):
            precision = np.linalg.inv(S) + 2 * share * K.T @ K
            gaps[name].append(_gap(found, 2 * np.linalg.solve(precision, scale * K.T @ Q)))
    checks = _two_checks(("the slope with one scale", "the slope of the code"), gaps, formula, 1e-3)
    return Finding(
        checks, {"drawn": (seed, draws, nodes), "gaps": gaps, "names": {"corrected": "one scale", "printed": "code"}}
    )


def _card(*, seed: int, draws: int, nodes: int, formula: str) -> Finding:
    rng = np.random.default_rng(seed)
    gaps: dict[str, list[float]] = {"corrected": [], "printed": []}
    for _ in range(draws):
        S, Q, K = _random(rng)
        V, A = rng.normal(size=(2, 2)), K.T @ Q
        G = _slope(tkf.Softmax(1.0), Q, K, quadrature_nodes(np.array([0.2, -0.4]), S, nodes), V)
        found = G @ S + S @ G.T
        right, printed = V @ S @ A @ S, V @ S + S @ A @ S @ V.T
        gaps["corrected"].append(_gap(found, right + right.T))
        gaps["printed"].append(_gap(found, printed + printed.T))
    checks = _two_checks(("V Σ A Σ + transpose", "the card's equation"), gaps, formula, 0.1)
    return Finding(
        checks,
        {
            "drawn": (seed, draws, nodes),
            "gaps": gaps,
            "names": {"corrected": "paper's equation", "printed": "card's equation"},
        },
    )


def _linear(*, seed: int, draws: int, nodes: int, mean: float) -> Finding:
    rng = np.random.default_rng(seed)
    gaps: dict[str, list[float]] = {"corrected": [], "printed": []}
    for _ in range(draws):
        S, Q, K = _random(rng)
        V, direction = rng.normal(size=(2, 2)), rng.normal(size=2)
        for name, length in (("corrected", mean), ("printed", 1.0)):
            mu = quadrature_nodes(length * direction / np.linalg.norm(direction), S, nodes)
            one, other = (_slope(kind, Q, K, mu, V) for kind in (tkf.Softmax(1.0), tkf.Linear(1.0)))
            gaps[name].append(_gap(one, other))
    checks = _two_checks(("linear against softmax, mean zero", "linear, mean of length one"), gaps, "corrected", 0.1)
    return Finding(
        checks, {"drawn": (seed, draws, nodes), "gaps": gaps, "names": {"corrected": "$m = 0$", "printed": "$|m| = 1$"}}
    )


# --- the histograms' exceptions -------------------------------------------------------------------------------------

HIST_STEPS = {3: 0.09, 4: 0.06, 5: 0.02}
HIST_TOLERANCE, HIST_TRACE = 5e-5, 1e3
EARLY = 12.0  # Euler steps after which the exact flow is looked at


def _exceptions(*, seed: int, dimensions: tuple[int, ...], draws: int, most: int, sign: float) -> Finding:
    kept: dict[int, np.ndarray] = {}
    first: dict[int, tuple[np.ndarray, ...]] = {}
    exploded, unstable, growth = 0, 0, -np.inf
    for d in dimensions:
        Q = np.random.RandomState(40 + 2 * seed).normal(size=(draws, d // 2, d))
        G, H = (np.random.RandomState(k + 2 * seed).normal(size=(draws, d, d)) for k in (41, 26))
        S0, V = G @ _t(G), _t(H) @ H
        A = -sign * _t(Q) @ Q / np.sqrt(d)
        S, is_moving, _ = _projected_euler(S0, A, V, HIST_STEPS[d], most)
        counts = (np.linalg.eigvalsh(S) > 0.1).sum(axis=1)
        is_exception = (counts > (d + 1) // 2) & ~is_moving
        is_large = np.trace(S, axis1=1, axis2=2) > HIST_TRACE
        unstable, exploded = unstable + int(is_exception.sum()), exploded + int((is_exception & is_large).sum())
        kept[d] = counts[~is_moving]
        # the exact flow of the draws that Euler sends away
        for i in np.flatnonzero(is_exception)[:2]:
            model = tkf.Transformer(tkf.Euclidean(d), tkf.Softmax(1 / np.sqrt(d)), Q=Q[i], K=-sign * Q[i], V=V[i])
            times = np.linspace(0, EARLY * HIST_STEPS[d], 61)
            run = tkf.solve(model, Gaussian(jnp.zeros(d), S0[i]), t1=times[-1], save=times, progress=False)
            times = times[: len(run)]
            found = np.asarray((run.states or {})["covariance"])
            energy = np.trace(np.linalg.inv(V[i]) @ found, axis1=1, axis2=2)
            growth = max(growth, float(np.max(np.diff(energy)) / abs(energy[0])))
            *_, path = _projected_euler(S0[i : i + 1], A[i : i + 1], V[i : i + 1], HIST_STEPS[d], 100)
            first.setdefault(d, (times, np.trace(found, axis1=1, axis2=2), HIST_STEPS[d] * np.arange(len(path)), path))
    checks = [
        at_least("exceptions of the published scheme", unstable, 1, because="runs that the histograms leave out"),
        equals(
            "share of them with a trace beyond 1000", exploded / max(unstable, 1), 1.0, within=0, because="a count"
        ),
        at_most(
            "largest growth of tr(V⁻¹Σ) in the exact flow of such draws",
            growth, 0, slack=1e-6, because="ten times the solver's tolerance",
        ),
    ]  # fmt: skip
    return Finding(checks, {"kept": kept, "first": first})


def _t(matrices: np.ndarray) -> np.ndarray:
    return matrices.swapaxes(-1, -2)


def _projected_euler(
    S: np.ndarray, A: np.ndarray, V: np.ndarray, step: float, most: int
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The published scheme: Euler steps, negative eigenvalues set to 1e-14, until the motion is small or S is large.

    The last covariances (b, d, d), whether each is still in motion (b,), and the traces of the first along the way.
    """
    S, running, traces = S.copy(), np.arange(len(S)), []
    for _ in range(most):
        now = S[running]
        half = V[running] @ now @ A[running] @ now
        motion = half + _t(half)
        traces.append(float(np.trace(S[0])))
        is_done = np.linalg.norm(motion, axis=(1, 2)) < HIST_TOLERANCE
        is_done |= np.trace(now, axis1=1, axis2=2) > HIST_TRACE
        running, now = running[~is_done], (now + step * motion)[~is_done]
        if not len(running):
            break
        values, vectors = np.linalg.eigh(now)
        # only where it is needed: elsewhere it would round for nothing
        is_bad = values[:, 0] < 0
        now[is_bad] = (vectors[is_bad] * np.maximum(values[is_bad], 1e-14)[:, None, :]) @ _t(vectors[is_bad])
        S[running] = now
    return S, np.isin(np.arange(len(S)), running), np.array(traces)


def _draw_exceptions(finding: Finding) -> Figure:
    kept, first = finding.data["kept"], finding.data["first"]
    figure, axes = panels(2)
    left, right = axes
    width = 0.8 / len(kept)
    for k, (d, counts) in enumerate(kept.items()):
        bins = np.arange(6)
        heights = np.bincount(counts, minlength=6)[:6]
        shift = (k - (len(kept) - 1) / 2) * width
        left.bar(bins + shift, heights, 0.92 * width, color=PALETTE[k], label=f"$d = {d}$")
        out = bins > (d + 1) // 2
        left.bar(bins[out] + shift, heights[out], 0.92 * width, facecolor="none", edgecolor="black", hatch="////")
    left.bar([0], [0], facecolor="none", edgecolor="black", hatch="////", label="left out")
    left.set(xlabel="eigenvalues above 0.1", ylabel="draws that ended", xticks=np.arange(6))
    left.legend()
    for d, (times, traces, steps, euler) in first.items():
        right.semilogy(times, traces, label=f"exact, $d = {d}$", color=PALETTE[list(kept).index(d)])
        is_shown = steps <= times[-1]
        right.semilogy(steps[is_shown], euler[is_shown], "o--", color=REST, markersize=3,
                       label="published step" if d == list(first)[-1] else None)  # fmt: skip
    right.axhline(HIST_TRACE, color=FAINT, linewidth=0.8)
    right.set(xlabel="time $t$ of the flow", ylabel=r"$\mathrm{tr}\,\Sigma(t)$")
    right.legend(loc="center left", bbox_to_anchor=(1.0, 0.5))
    return figure


_MEANS = ("the field of attention on a Gauss-Hermite quadrature of $N(m, \\Sigma)$ in $\\mathbb{R}^2$",)
_FORMULA = {"draws": 6, "nodes": 20, "formula": "corrected"}
_FULL = {"draws": 24, "nodes": 24, "formula": "corrected"}
_PRINTED = {"formula": "printed"}

CLAIMS = (
    Claim(
        id="cacp25-sinkhorn-formula",
        title="Sinkhorn attention of Gaussians: the corrected formula",
        statement=r"For the doubly stochastic scaling of $e^{Ax \cdot y}$, "
        r"$\dot \Sigma = V C A^{-\top} + A^{-1} C^\top V^\top$ with $C = \tfrac12 (\Sigma^{1/2} "
        r"(4 \Sigma^{1/2} A \Sigma A^\top \Sigma^{1/2} + I)^{1/2} \Sigma^{-1/2} - I)$; the kernel "
        r"$e^{-|Qx - Ky|^2}$ has $2A$ in place of $A$. The poster has $V C \Sigma^{-1} A^{-\top} \Sigma$ in the first "
        r"term.",
        paper="cacp25",
        where="poster of the paper, line on Sinkhorn attention; the authors' code has the right order",
        status="erratum",
        main="largest error of C A",
        assumptions=_MEANS,
        experiment=_sinkhorn,
        draw=_draw_gaps,
        figure="cacp25-formulas",
        quick=Setting(_FORMULA, seconds=2),
        full=Setting(_FULL, seconds=3),
        control=Control(_PRINTED, "the poster's order of factors, and A for the kernel of distances", "largest"),
        note=r"The poster's order of factors agrees with this when $A$ and $\Sigma$ commute, and its kernel "
        r"$e^{-|Qx - Ky|^2}$ needs $2A$. The authors' code has the right order.",
    ),
    Claim(
        id="cacp25-l2-one-scale",
        title="L2 attention of Gaussians: one scale for both terms",
        statement=r"For the kernel $e^{-\beta |Qx - Ky|^2}$, "
        r"$\dot \Sigma = 2 \beta V (\Sigma^{-1} + 2 \beta K^\top K)^{-1} A \Sigma + \ldots$ (plus its transpose), "
        r"with the same $\beta = 1/\sqrt{d}$ in both places.",
        paper="cacp25",
        where="code of the figures, vcastin/2025-transformers-PDEs at 53ad7f3, rhs_L2 (not the paper's equation)",
        status="erratum",
        main="with one scale",
        assumptions=_MEANS,
        experiment=_l2,
        draw=_draw_gaps,
        figure="cacp25-formulas",
        quick=Setting(_FORMULA, seconds=1),
        full=Setting(_FULL, seconds=1),
        control=Control(_PRINTED, "the code's formula", "largest error"),
        note=r"The code has $2 V \Sigma (I + 2 K^\top K \Sigma)^{-1} A \Sigma$ with $A = K^\top Q/\sqrt{d}$: it "
        r"divides "
        r"$K^\top Q$ by $\sqrt{d}$ but not $K^\top K$, so that for $d > 1$ its figures are of two scales. The paper's "
        r"own equation, which has no $\sqrt{d}$, is right.",
    ),
    Claim(
        id="cacp25-no-linear-term",
        title="The covariance equation has no linear term",
        statement=r"Under softmax attention $\dot \Sigma = V \Sigma A \Sigma + \Sigma A^\top \Sigma V^\top$, without a "
        r"term $V \Sigma + \Sigma V^\top$.",
        paper="cacp25",
        where="section on Gaussian initial data, which is right; a card by others, xixi-cc/daily-article-card at "
        "fdb9d1b, has other terms",
        status="secondary source",
        main="largest error of V Σ A Σ",
        assumptions=_MEANS,
        experiment=_card,
        draw=_draw_gaps,
        figure="cacp25-formulas",
        quick=Setting(_FORMULA, seconds=1),
        full=Setting(_FULL, seconds=1),
        control=Control(_PRINTED, "the equation of the card", "largest error"),
        note=r"The card of version 2 of the paper in the repository xixi-cc/daily-article-card (commit fdb9d1b, "
        r"data/collection_cards/2501.18322.json, 'Gaussian covariance flow') has "
        r"$\dot\Sigma = V \Sigma + \Sigma V^\top + \Sigma A \Sigma V^\top + V \Sigma A^\top \Sigma$; the paper's own "
        r"equation is right.",
    ),
    Claim(
        id="cacp25-softmax-is-linear",
        title="For Gaussians of mean zero softmax attention is linear attention",
        statement=r"At $m = 0$ softmax attention and linear attention move a Gaussian by the same field "
        r"$x \mapsto V \Sigma A x$; with another mean they do not.",
        paper="cacp25",
        where="equations of softmax and linear attention",
        status="derived",
        main="mean zero",
        assumptions=_MEANS,
        experiment=_linear,
        draw=_draw_gaps,
        figure="cacp25-formulas",
        quick=Setting({"draws": 6, "nodes": 20, "mean": 0.0}, seconds=1),
        full=Setting({"draws": 24, "nodes": 24, "mean": 0.0}, seconds=1),
        control=Control({"mean": 0.5}, "with a mean they differ", "mean zero"),
    ),
    Claim(
        id="cacp25-exceptions",
        title="The exceptions of the rank histograms are Euler steps that were too long",
        statement=r"With $K = -Q$ and $V = G^\top G$, $\operatorname{tr}(V^{-1} \Sigma)$ never grows, since its "
        r"derivative is $-2 |Q \Sigma|^2 / \sqrt{d}$, so no covariance blows up. In the scheme of the code all runs "
        r"that it counts as exceptions do.",
        paper="cacp25",
        where="histograms of ranks for V = G^T G: code, vcastin/2025-transformers-PDEs at 53ad7f3, histograms.py",
        status="erratum",
        assumptions=("softmax attention, mean zero", "published seeds, steps and stopping rules"),
        experiment=_exceptions,
        draw=_draw_exceptions,
        quick=Setting({"dimensions": (4,), "draws": 60, "most": 2000, "sign": 1.0}, seconds=3),
        full=Setting({"dimensions": (3, 4, 5), "draws": 100, "most": 90_000, "sign": 1.0}, seconds=38),
        control=Control({"sign": -1.0}, "with K = Q the trace does grow", "exact flow"),
        main="exact flow",
        note=r"Runs with more than $\lfloor (d+1)/2 \rfloor$ eigenvalues above 0.1 at the end are counted apart and "
        r"not "
        r"drawn. In each of them the trace runs beyond 1000, as projected Euler does at a step that is too long for "
        r"the draw; the exact flow of the same draws does not. So the histograms show more than their authors claim: "
        r"without the exceptions the rule has none.",
    ),
)
