"""Claims about attention without residual connection (arXiv 2103.03404, 2405.18781): how fast tokens lose their rank.

With X <- softmax(beta X X^T) X the differences R of tokens to their mean become R <- beta C R + ..., where C is the
covariance of the tokens: each singular value s of R becomes beta s^3 / n. A mask changes that: tokens that see
different tokens are averaged by another matrix, whose second eigenvalue is the factor of one layer.
"""

from __future__ import annotations

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from matplotlib.figure import Figure

import tokenfield as tkf
from tokenfield.claims.claim import Claim, Control, Finding, Setting, at_least, at_most, equals
from tokenfield.claims.figures import PALETTE, PREDICTED, panels
from tokenfield.model.position import Position

MASKS: dict[str, tuple[Position, ...]] = {
    "all": (),
    "causal": (tkf.Causal(),),
    "window of 1": (tkf.Window(1),),
    "window of 3": (tkf.Window(3),),
}


@eqx.filter_jit
def _layers(beta: jax.Array, points: jax.Array, mask: str, count: int) -> jax.Array:
    """Tokens after 0, ..., count layers X <- softmax(beta X X^T) X with a mask, (count + 1, n, d)."""
    model = tkf.Transformer(tkf.Euclidean(points.shape[1]), tkf.Softmax(beta), position=MASKS[mask])

    def layer(x: jax.Array, _: None) -> tuple[jax.Array, jax.Array]:
        y = model.field(0.0, x, tkf.Measure(x))
        return y, y

    after = jax.lax.scan(layer, points, None, length=count)[1]
    return jnp.concatenate([points[None], after])


def _singular_values(x: np.ndarray) -> np.ndarray:
    """Of the differences of tokens (..., n, d) to their mean."""
    return np.linalg.svd(x - x.mean(axis=-2, keepdims=True), compute_uv=False)


# --- all tokens see all -------------------------------------------------------------------------------------------


def _cubic(
    *, seed: int, n: int, d: int, betas: tuple[float, ...], size: float, values: int, power: float, count: int
) -> Finding:
    rng = np.random.default_rng(seed)
    start = size * rng.normal(size=(n, d)) + rng.normal(size=d) / np.sqrt(d)
    checks, rows = [], []
    for beta in betas:
        x = np.asarray(_layers(jnp.asarray(beta), jnp.asarray(start), "all", count))
        found = _singular_values(x)[:, :values]
        before, after = found[1], found[2]  # at the first layer the differences are still large
        spread = float(np.abs(x[1] - x[1].mean(axis=0)).max())
        slope = np.log(found[2, 0] / found[1, 0]) / np.log(found[1, 0] / found[0, 0])
        predicted = beta * before**power / n ** ((power - 1) / 2)
        checks += [
            equals(
                f"β = {beta:g}: largest singular value after a layer, over its prediction",
                after[0] / predicted[0],
                1,
                within=max(4 * beta * spread, 1e-3),
                because="weights e^(β <x, r>) differ by β |r| to first order",
            ),
            equals(
                f"β = {beta:g}: exponent of a layer",
                slope,
                power,
                within=0.1,
                because="the first layer acts on tokens that are still far from each other",
            ),
            at_most(
                f"β = {beta:g}: largest relative error of the first {values} singular values",
                np.abs(after / predicted - 1).max(),
                0,
                slack=max(8 * beta * spread, 1e-3),
                because="as for the largest, and the same again for directions that mix",
            ),
        ]
        rows.append((beta, found))
    return Finding(checks, {"rows": rows, "n": n})


def _draw_cubic(finding: Finding) -> Figure:
    figure, ax = panels(1)
    n = finding.data["n"]
    for color, (beta, found) in zip(PALETTE, finding.data["rows"], strict=False):
        ax.plot(found[:-1], found[1:], "o", color=color, markersize=4)
        ax.plot([], [], "o", color=color, label=rf"$\beta = {beta:g}$")
        line = np.geomspace(found[1].min() / 2, found[0].max() * 2, 50)
        ax.plot(line, beta * line**3 / n, **PREDICTED)
    ax.plot([], [], label=r"$\beta s^3 / n$", **PREDICTED)
    ax.set(xlabel="singular value $s$ before a layer", ylabel="after the layer", xscale="log", yscale="log")
    ax.legend()
    return figure


# --- masks --------------------------------------------------------------------------------------------------------


def _averaging(mask: str, n: int) -> np.ndarray:
    """The matrix of plain averages over what each token sees."""
    i = np.arange(n)
    apart = i[:, None] - i
    sees = {
        "causal": apart >= 0,
        "window of 1": np.abs(apart) <= 1,
        "window of 3": np.abs(apart) <= 3,
    }[mask]
    return sees / sees.sum(axis=1, keepdims=True)


def _masks(*, seed: int, n: int, d: int, beta: float, masks: tuple[str, ...], count: int, theory: str) -> Finding:
    start = np.random.default_rng(seed).normal(size=(n, d)) / np.sqrt(d)
    checks, rows = [], []
    for mask in masks:
        x = np.asarray(_layers(jnp.asarray(beta), jnp.asarray(start), mask, count))
        size = _singular_values(x)[:, 0]
        eigenvalues = np.sort(np.abs(np.linalg.eigvals(_averaging(mask, n))))[::-1]
        second, third = eigenvalues[1:3] if theory == "second eigenvalue" else (1 / np.sqrt(n), 0.0)
        # between the decay of the third mode and rounding
        last = int(np.flatnonzero(size > 1e-10 * size[0])[-1])
        first = 2 * last // 3
        factor = (size[last] / size[first]) ** (1 / (last - first))
        left = (third / second) ** first + size[first]
        checks.append(
            equals(
                f"{mask}: factor of one layer",
                factor,
                second,
                within=float(min(0.02, 2 * left + 1e-4)),
                because="what is left of the third mode, and weights that are not yet equal",
            )
        )
        rows.append((mask, size, second))
    everyone = _singular_values(np.asarray(_layers(jnp.asarray(beta), jnp.asarray(start), "all", 6)))[:, 0]
    checks.append(
        at_least(
            "layers until 1e-10 is left: causal, over those without a mask",
            np.flatnonzero(rows[0][1] < 1e-10 * rows[0][1][0])[0] / np.flatnonzero(everyone < 1e-10 * everyone[0])[0],
            5,
            because="exponential against doubly exponential",
        )
    )
    rows.append(("all", everyone, None))
    return Finding(checks, {"rows": rows})


def _draw_masks(finding: Finding) -> Figure:
    figure, ax = panels(1)
    for color, (mask, size, factor) in zip(PALETTE, finding.data["rows"], strict=False):
        shown = size > 1e-13 * size[0]
        layers = np.arange(len(size))
        ax.plot(layers[shown], size[shown], "o-", color=color, markersize=2.5, linewidth=0.8, label=mask)
        if factor is not None:
            last = int(np.flatnonzero(shown)[-1])
            ax.plot(layers[shown], size[last] * factor ** (layers[shown] - last), **PREDICTED)
    ax.set(xlabel="layers", ylabel="largest singular value of $X - \\bar{X}$", yscale="log")
    ax.legend(title="who is seen", fontsize=7, title_fontsize=7)
    return figure


PURE = r"$X \leftarrow \mathrm{softmax}(\beta X X^\top)\, X$: no residual connection, no perceptron, $Q = K = V = I$"
CLAIMS = (
    Claim(
        id="dcl21-cubic-collapse",
        title="Pure attention loses rank doubly exponentially",
        statement=r"Without residual connections the distance of the tokens to a matrix of rank one falls with a cubic "
        r"rate in each layer. For small differences each singular value $s$ of $X - \bar X$ becomes $\beta s^3 / n$.",
        paper="dcl21",
        where="abstract (doubly exponential); what one layer does to small differences is derived",
        status="second-hand",
        main="β = 2: exponent of a layer",
        assumptions=(PURE, "tokens near each other for the constant"),
        experiment=_cubic,
        draw=_draw_cubic,
        quick=Setting(
            {"n": 32, "d": 8, "betas": (0.5, 2.0), "size": 0.1, "values": 3, "power": 3.0, "count": 2}, seconds=2
        ),
        full=Setting(
            {"n": 256, "d": 16, "betas": (0.5, 1.0, 2.0), "size": 0.1, "values": 4, "power": 3.0, "count": 2}, seconds=3
        ),
        control=Control(
            {"power": 2.0}, "with a quadratic rate the exponent and the singular values fail", "exponent of a layer"
        ),
        note="The theorem is about any weights, and needs differences that are small for them; here these are "
        "multiples of the identity.",
    ),
    Claim(
        id="wawjj24-masks",
        title="A mask makes the collapse of pure attention exponential, a local one slow",
        statement=r"With a mask the tokens still collapse, but only exponentially: the factor of one layer tends "
        r"to the "
        r"second eigenvalue of the plain average over what each token sees, $\frac12$ for a causal mask and near 1 for "
        r"a narrow window.",
        paper="wawjj24",
        where="abstract; the factors are derived",
        status="second-hand",
        main="causal: factor",
        assumptions=(PURE, "each token reaches a common one through the mask"),
        experiment=_masks,
        draw=_draw_masks,
        quick=Setting(
            {
                "n": 12,
                "d": 6,
                "beta": 0.5,
                "masks": ("causal", "window of 3", "window of 1"),
                "count": 400,
                "theory": "second eigenvalue",
            },
            seconds=4,
        ),
        full=Setting(
            {
                "n": 24,
                "d": 8,
                "beta": 0.5,
                "masks": ("causal", "window of 3", "window of 1"),
                "count": 1600,
                "theory": "second eigenvalue",
            },
            seconds=8,
        ),
        control=Control(
            {"theory": "random averages"},
            "with 1/√n, the factor of averages over random tokens, the factors of all masks fail",
            "factor of one layer",
        ),
        note="The abstract says that masks keep the collapse exponential and that local ones slow it down. What it "
        "says of LayerNorm is tested by `wawjj24-any-rank` and `wawjj24-open-set`.",
    ),
)
