"""Claims about attention with LayerNorm and no residual connection (arXiv 2405.18781): which ranks can last.

Under a causal mask x_k <- normalize(V sum_{j <= k} A_kj x_j) depends on the tokens before it only. If it rests with a
part along an eigenvector of V that the tokens before it do not have, then V A_kk stretches this part by the same factor
as normalization shrinks the whole. This fixes the factor, and with it the rest of the token.
"""

from __future__ import annotations

from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from matplotlib.figure import Figure
from scipy.optimize import brentq, minimize_scalar, root

import tokenfield as tkf
from tokenfield.claims.claim import Check, Claim, Control, Finding, Setting, at_least, at_most, equals
from tokenfield.claims.figures import PALETTE, PREDICTED, panels

RANK = 1e-6  # singular values below this part of the largest do not count: far above rounding, far below what is found


@eqx.filter_jit
def _layers(norm: Any, beta: jax.Array, V: jax.Array, starts: jax.Array, count: int) -> jax.Array:
    """Tokens (s, count + 1, n, d) after layers x <- norm(causal attention of x), logits beta <x, y>, from `starts`."""
    model = tkf.Transformer(tkf.Euclidean(starts.shape[-1]), tkf.Softmax(beta), V=V, position=(tkf.Causal(),))

    def layer(x: jax.Array, _: None) -> tuple[jax.Array, jax.Array]:
        y = model.field(0.0, x, tkf.Measure(x))
        y = y if norm is None else norm(y)
        return y, y

    def one(x: jax.Array) -> jax.Array:
        return jnp.concatenate([x[None], jax.lax.scan(layer, x, None, length=count)[1]])

    return jax.vmap(one)(starts)


def _unit(x: np.ndarray) -> np.ndarray:
    length = np.linalg.norm(x, axis=-1, keepdims=True)
    return x / np.where(length > 0, length, 1.0)  # without LayerNorm tokens vanish


# --- every rank at once ---------------------------------------------------------------------------------------------


def _own_directions(eigenvalues: np.ndarray, beta: float) -> np.ndarray:
    """Unit tokens at rest under V = diag(eigenvalues), the k-th of which has a part along e_k and none beyond it.

    The part y along e_1, ..., e_{k-1} is y_j = mu_j / (mu_k - mu_j) sum_i e^{beta (<x_k, x_i> - 1)} x_ij.
    """
    d = len(eigenvalues)
    rows = np.eye(d)
    for k in range(1, d):
        before, factors = rows[:k, :k], eigenvalues[:k] / (eigenvalues[k] - eigenvalues[:k])

        def residual(y: np.ndarray, before: np.ndarray = before, factors: np.ndarray = factors) -> np.ndarray:
            return factors * (np.exp(beta * (before @ y - 1)) @ before) - y

        y = root(residual, np.zeros(k), tol=1e-14).x
        rows[k, :k], rows[k, k] = y, np.sqrt(1 - y @ y)
    return rows


def _starts_of_rank(rng: np.random.Generator, count: int, d: int, rank: int) -> np.ndarray:
    """Unit tokens (count, d, d), the k-th of them in the span of the first min(k, rank) axes."""
    x = rng.normal(size=(count, d, d))
    k, j = np.arange(d)[:, None], np.arange(d)
    return _unit(np.where((j <= k) & (j < rank), x, 0.0))


def _any_rank(*, seed: int, d: int, growth: float, beta: float, starts: int, count: int, is_normed: bool) -> Finding:
    rng = np.random.default_rng(seed)
    eigenvalues = growth ** (np.arange(d) - (d - 1.0))
    V, logit = jnp.diag(jnp.asarray(eigenvalues)), jnp.asarray(beta / d)  # RMSNorm makes tokens of length sqrt(d)
    norm = tkf.RMSNorm(eps=0.0) if is_normed else None
    checks: list[Check] = []
    kept, steps = {}, []
    for rank in range(1, d + 1):
        start = np.sqrt(d) * _starts_of_rank(rng, starts, d, rank)
        x = np.asarray(_layers(norm, logit, V, jnp.asarray(start), count))
        kept[rank] = np.linalg.svd(x, compute_uv=False)
        found = np.sum(kept[rank][:, -1] > RANK * kept[rank][:, -1, :1], axis=1)
        what = f"starts of rank {rank}: smallest rank after {count} layers"
        checks.append(equals(what, found.min(), rank, within=0, because="a count"))
        steps.append(np.abs(_unit(x[:, -1]) - _unit(x[:, -2])).max())
    signs = np.sign(np.diagonal(start, axis1=1, axis2=2))[:, None]  # of the own part, which V and weights keep
    places = _own_directions(eigenvalues, beta)
    plain = np.asarray(_layers(tkf.RMSNorm(eps=0.0), logit, jnp.eye(d), jnp.asarray(start), count))[:, -1]
    without = np.asarray(_layers(None, logit, V, jnp.asarray(start), 16))
    values = np.linalg.svd(without, compute_uv=False)
    ratios, factor = values[:, :, 1] / values[:, :, 0], d / (growth * (d - 1))
    checks += [
        at_most("full rank: largest distance of a token from its place", np.abs(_unit(x[:, -1]) * signs - places).max(),
                0, slack=1e-9, because="decay over the layers"),
        at_most("all ranks: largest step of a token in the last layer", max(steps), 0, slack=1e-9, because="decay"),
        at_most("V = I: largest distance from the first token", np.abs(plain - plain[:, :1]).max(), 0, slack=1e-6,
                because="decay by at least one half in each layer"),
        equals("without LayerNorm: factor of the second singular value, by that of the first",
               np.median((ratios[:, 16] / ratios[:, 8]) ** (1 / 8)), factor, within=0.02,
               because="weights tend to plain averages as tokens shrink", is_relative=True),
    ]  # fmt: skip
    data = {"kept": kept, "without": values, "d": d, "factor": factor, "smallest": np.linalg.svd(places)[1]}
    return Finding(checks, data)


def _draw_any_rank(finding: Finding) -> Figure:
    figure, (left, right) = panels(2)
    d = finding.data["d"]
    for color, (rank, values) in zip(PALETTE, finding.data["kept"].items(), strict=False):
        least = values[:, :, rank - 1] / values[:, :, 0]
        left.semilogy(np.median(least, axis=0)[:17], color=color, label=f"{rank}")
    left.axhline(finding.data["smallest"][-1] / finding.data["smallest"][0], label="predicted, full", **PREDICTED)
    left.set(xlabel="layers with LayerNorm", ylabel=r"$\sigma_r / \sigma_1$, median of starts", ylim=(1e-3, 2))
    left.legend(title="rank $r$ of the start", fontsize=6, title_fontsize=7, ncols=2)
    values = finding.data["without"]
    for j in range(1, d):
        ratios = np.median(values[:, :, j] / values[:, :, 0], axis=0)
        right.semilogy(ratios, color=PALETTE[j % len(PALETTE)], label=f"$r = {j + 1}$")
        if j == 1:
            layers = np.arange(len(ratios))
            right.semilogy(layers, ratios[-1] * finding.data["factor"] ** (layers - layers[-1]), **PREDICTED)
    right.set(xlabel="layers without it, full rank", ylabel=r"$\sigma_r / \sigma_1$, median of starts", ylim=(1e-16, 2))
    right.plot([], [], label=r"slope $d / (g (d - 1))$", **PREDICTED)
    right.legend(fontsize=6)
    return figure


# --- an open set of starts ------------------------------------------------------------------------------------------

# an orthonormal basis of the coordinates of mean zero in R^3, on which LayerNorm is a scaling
PLANE = np.array([[1, 1], [-1, 1], [0, -2]]) / np.sqrt([2, 6])


def _needed(u: np.ndarray, mu: float, beta: float) -> np.ndarray:
    """The shear with which a second token rests at the cotangent u of its angle to the first, which rests at e_1."""
    length = np.sqrt(1 + u * u)
    return (1 - mu) * u + np.exp(-beta * (1 - u / length)) * length


def _factor(u: float, mu: float, beta: float) -> float:
    """du'/du of one layer at rest: below 1 it attracts."""
    length = np.sqrt(1 + u * u)
    seen = np.exp(-beta * (1 - u / length))
    return float((1 + seen * (u / length + beta / length**2)) / mu)


def _fold(mu: float, beta: float) -> tuple[float, float]:
    """The cotangent at which the least shear is needed, and that shear."""
    best = minimize_scalar(lambda u: float(_needed(np.asarray(u), mu, beta)), bounds=(-20, 5), method="bounded",
                           options={"xatol": 1e-12})  # fmt: skip
    return float(best.x), float(best.fun)


def _pairs(rng: np.random.Generator, count: int, is_first_random: bool) -> np.ndarray:
    """Two unit tokens of the plane, (count, 2, 2); the first is e_1 unless it is random too."""
    angles = rng.uniform(0, 2 * np.pi, size=(2, count)) * [[float(is_first_random)], [1.0]]
    return np.stack([np.cos(angles), np.sin(angles)], axis=-1).swapaxes(0, 1)


def _sheared(mu: float, beta: float, shear: float, x: np.ndarray, count: int) -> np.ndarray:
    """The pairs `x` after each layer of the library in R^3, in coordinates of the plane."""
    V = PLANE @ np.array([[1.0, -shear], [0.0, mu]]) @ PLANE.T
    starts = np.sqrt(3) * x @ PLANE.T
    found = _layers(tkf.LayerNorm(eps=0.0), jnp.asarray(beta / 3), jnp.asarray(V), jnp.asarray(starts), count)
    return np.asarray(found) @ PLANE / np.sqrt(3)


def _share_kept(x: np.ndarray) -> float:
    """The share of pairs (s, T, 2, 2) that are of rank two after the last layer."""
    return float(np.mean(np.abs(np.linalg.det(x[:, -1])) > RANK))


def _open_set(
    *, seed: int, mu: float, betas: tuple[float, ...], shear: float, used: float, starts: int, count: int
) -> Finding:
    rng = np.random.default_rng(seed)
    checks: list[Check] = []
    rows = []
    for beta in betas:
        middle, least = _fold(mu, beta)
        ends = [brentq(lambda u, b=beta: _needed(u, mu, b) - shear, middle, far) for far in (-1e3, 1e3)]
        rest, border = (float(np.arctan2(1, u)) for u in ends)
        x = _sheared(mu, beta, used * shear, _pairs(rng, starts, False), count)
        angles = np.arctan2(x[:, :, 1, 1], x[:, :, 1, 0])
        # beyond pi the second token turns on to the first
        is_kept, is_predicted = np.abs(angles[:, -1]) > RANK, angles[:, 0] > border
        off = np.abs(angles[is_predicted] - rest)
        early = np.argmax(off < 1e-3, axis=1)  # from here on linear
        late = np.minimum(early + 4, count)
        ratio = (off[np.arange(len(off)), late] / off[np.arange(len(off)), early]) ** (1 / 4)
        names = f"β = {beta:g}: "
        checks += [
            equals(names + "starts whose fate is as predicted, a share", np.mean(is_kept == is_predicted), 1, within=0,
                   because="none of the random angles is at the border to rounding"),
            at_most(names + "largest error of the angle at which the second token rests", off[:, -1].max(), 0,
                    slack=1e-9, because="decay over the layers"),
            equals(names + "factor of one layer near rest", np.median(ratio), _factor(ends[0], mu, beta), within=0.01,
                   because="terms of second order, of 1e-3"),
        ]  # fmt: skip
        for part, name in ((1.01, "just enough"), (0.99, "just too little")):
            near = _sheared(mu, beta, used * part * least, _pairs(rng, starts, False), count)
            expected = at_least if part > 1 else at_most
            checks.append(expected(names + f"share of starts of rank two at the end, {name} shear", _share_kept(near),
                                   1 / starts if part > 1 else 0.0, because="a start beyond the border"))  # fmt: skip
        both = _share_kept(_sheared(mu, beta, used * shear, _pairs(rng, starts, True), count))
        checks.append(at_least(names + "share of rank two at the end, both tokens random", both, 1 / starts,
                               because="some of the starts lie in an open set"))  # fmt: skip
        rows.append((beta, angles, is_kept, rest, border))
    return Finding(checks, {"rows": rows})


def _draw_open_set(finding: Finding) -> Figure:
    rows = finding.data["rows"]
    figure, axes = panels(len(rows), sharey=True)
    for ax, (beta, angles, is_kept, rest, border) in zip(np.atleast_1d(axes), rows, strict=True):
        for path, kept in list(zip(np.degrees(angles), is_kept, strict=True))[:60]:
            ax.plot(path[:25], color=PALETTE[0] if kept else PALETTE[1], linewidth=0.6)
        for angle, name in ((rest, "rest"), (border, "border")):
            ax.axhline(np.degrees(angle), label=f"predicted {name}", **PREDICTED | {"linewidth": 1.3 if name == "rest"
                                                                                    else 0.7})  # fmt: skip
        ax.set(xlabel="layers", yticks=(-180, -90, 0, 90, 180))
        ax.set_title(rf"$\beta = {beta:g}$", fontsize=9)
    axes = np.atleast_1d(axes)
    axes[0].set_ylabel("angle of the second token to the first")
    axes[0].plot([], [], color=PALETTE[0], label="rank two stays")
    axes[0].plot([], [], color=PALETTE[1], label="collapse")
    axes[-1].legend(*axes[0].get_legend_handles_labels(), fontsize=6, loc="lower right")
    return figure


ABSTRACT = (
    "The abstract, all that we know of the paper, says that with LayerNorm tokens collapse exponentially for "
    "some value matrices, that for others a general class of sequences need not, and that the dynamics can have "
    "equilibria of every rank from one to full at once. "
)
CLAIMS = (
    Claim(
        id="wawjj24-any-rank",
        title="With LayerNorm attention has equilibria of every rank at once; without it tokens lose rank",
        statement=r"Under a causal mask, $x_k \leftarrow$ LayerNorm of $V \sum_{j \leq k} A_{kj} x_j$ with "
        r"$V = \mathrm{diag}(1, g, g^2, \ldots)$ keeps the rank of all sequences whose $k$-th token lies in the span "
        r"of the first $\min(k, r)$ axes, and brings them to rest: for $r = d$ at "
        r"$x_{kj} = \frac{\mu_j}{\mu_k - \mu_j} \sum_{i<k} e^{\beta(\langle x_k, x_i\rangle - 1)} x_{ij}$, $j < k$. "
        r"Without LayerNorm the second singular value falls by $\frac{d}{g (d-1)}$ in each layer beside the first, and "
        r"with $V = I$ all tokens go to the first.",
        paper="wawjj24",
        where="abstract; the matrix, the equilibria and the factor are derived",
        status="second-hand",
        main="full rank: largest distance",
        assumptions=(
            "no residual connection, no perceptron, $Q = K = I$",
            "LayerNorm without centering (RMSNorm)",
            "starts of the class: others are not kept",
        ),
        experiment=_any_rank,
        draw=_draw_any_rank,
        quick=Setting({"d": 5, "growth": 4.0, "beta": 1.0, "starts": 32, "count": 100, "is_normed": True}, seconds=1),
        full=Setting({"d": 8, "growth": 4.0, "beta": 1.0, "starts": 200, "count": 100, "is_normed": True}, seconds=6),
        control=Control(
            {"is_normed": False},
            "if LayerNorm played no role: without it the rank of full starts falls, and tokens leave their places",
            "full rank: largest distance",
        ),
        note=ABSTRACT + "These equilibria attract within the class only: a part of a token along an axis with a larger "
        "eigenvalue than its own grows. For an open set of starts see `wawjj24-open-set`.",
    ),
    Claim(
        id="wawjj24-open-set",
        title="With LayerNorm and a shear of the values rank two stays for an open set of starts",
        statement=r"Two tokens under a causal mask, LayerNorm and $V = \begin{pmatrix} 1 & -b \\ 0 & \mu "
        r"\end{pmatrix}$: the second rests at the angles $\varphi$ to the first with "
        r"$b = (1-\mu) \cot\varphi + e^{-\beta(1 - \cos\varphi)} / \sin\varphi$. From the least such $b$ on there are "
        r"two, the larger of which attracts all starts beyond the smaller; all others collapse, as all do for "
        r"smaller $b$. A symmetric $V$ has $b = 0$.",
        paper="wawjj24",
        where="abstract; the matrix, the angles, the factor and the border are derived",
        status="second-hand",
        main="β = 0.5: largest error of the angle",
        assumptions=(
            "no residual connection, no perceptron, $Q = K = I$",
            r"$1 - e^{-2\beta} < \mu < 1$, tokens in the plane of $\mathbb{R}^3$ that LayerNorm leaves",
        ),
        experiment=_open_set,
        draw=_draw_open_set,
        quick=Setting(
            {"mu": 0.8, "betas": (0.0, 0.5), "shear": 2.0, "used": 1.0, "starts": 200, "count": 300}, seconds=1
        ),
        full=Setting(
            {"mu": 0.8, "betas": (0.0, 0.2, 0.5), "shear": 2.0, "used": 1.0, "starts": 2000, "count": 1000}, seconds=6
        ),
        control=Control(
            {"used": 0.0},
            "the symmetric V of the same eigenvalues: all starts collapse, so eigenvalues do not decide",
            "largest error of the angle",
        ),
        note=ABSTRACT + "For larger $\\beta$ or smaller $\\mu$ the state that attracts is gone. No start of "
        "48,000 with random $V$ in dimension 3 and 4, with a mask or without, had rank three after 600 layers.",
    ),
)
