"""A claim about many layers and heads (arXiv 2605.11059): how fast networks approach their limit of infinite depth.

A layer adds (1/LH) sum_h f_h(x), its H heads drawn at random and independently from a stock of heads. In the limit
x' = F(x), the mean of f over the stock. Two errors are left: that of Euler's steps, of order 1/L, and that of the drawn
heads. Layers are drawn independently, so that the latter is of order 1/sqrt(LH), to leading order Gaussian with a
variance that follows from the derivatives of the last layer by the weights w_lm of the stock in every layer: these have
mean 1/M and covariance (I/M - 1/M^2)/H.
"""

from __future__ import annotations

from collections.abc import Sequence

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jax import Array
from matplotlib.figure import Figure

import tokenfield as tkf
from tokenfield.claims.claim import Claim, Control, Finding, Setting, at_most, equals
from tokenfield.claims.figures import PALETTE, PREDICTED, panels
from tokenfield.model.multihead import MultiHead

STOCK, N, D = 6, 5, 3  # heads in the stock, tokens, dimension
FINE = 1024  # layers of the reference, whose own error is divided out by extrapolation


@eqx.filter_jit
def _ends(weights: Array, Q: Array, V: Array, x: Array) -> tuple[Array, Array]:
    """Tokens after the last layer and the gradient of their first coordinates' sum by the start; weights are (L, M)."""
    eye = jnp.broadcast_to(jnp.eye(D), (STOCK, D, D))

    def last(start: Array) -> Array:
        def layer(y: Array, w: Array) -> tuple[Array, None]:
            heads = MultiHead(tkf.Softmax(1.0), Q=Q, K=eye, V=w[:, None, None] * V, O=eye)
            model = tkf.Transformer(tkf.Sphere(D), heads)
            return model.layer(0.0, tkf.Measure(y), step=1 / len(weights)).points, None

        return jax.lax.scan(layer, start, weights)[0]

    end, back = jax.vjp(last, x)
    return end, back(jnp.zeros((N, D)).at[:, 0].set(1.0))[0]


@eqx.filter_jit
def _many(weights: Array, Q: Array, V: Array, x: Array) -> tuple[Array, Array]:
    return jax.lax.map(lambda w: _ends(w, Q, V, x), weights)


@eqx.filter_jit
def _variance(L: int, Q: Array, V: Array, x: Array) -> Array:
    """H times the mean square of what drawn heads change in the last layer, to leading order in 1/H."""
    even = jnp.full((L, STOCK), 1 / STOCK)
    jacobian = jax.jacrev(lambda w: _ends(w, Q, V, x)[0])(even).reshape(N * D, L, STOCK)
    centered = jacobian - jacobian.mean(axis=-1, keepdims=True)
    return jnp.sum(centered**2) / STOCK


def _drawn(rng: np.random.Generator, draws: int, L: int, H: int, shared: bool) -> np.ndarray:
    """Shares (draws, L, STOCK) of each head of the stock in each layer."""
    counts = rng.multinomial(H, np.full(STOCK, 1 / STOCK), size=(draws, 1 if shared else L))
    return np.broadcast_to(counts / H, (draws, L, STOCK))


def _slope(sizes: Sequence[int], values: np.ndarray, errors: np.ndarray) -> tuple[float, float]:
    """The slope of log values in log sizes, and its standard error from relative errors of the values."""
    x = np.log(np.asarray(sizes, float))
    lever = (x - x.mean()) / np.sum((x - x.mean()) ** 2)
    return float(lever @ np.log(values)), float(np.sqrt(lever**2 @ errors**2))


def _depth_and_heads(
    *, seed: int, depths: tuple[int, ...], heads: tuple[int, ...], draws: int, shared: bool
) -> Finding:
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(N, D))
    x /= np.linalg.norm(x, axis=1, keepdims=True)
    start, Q, V = (jnp.asarray(a) for a in (x, 2 * rng.normal(size=(STOCK, D, D)), rng.normal(size=(STOCK, D, D))))
    limit = {L: [np.asarray(a) for a in _ends(jnp.full((L, STOCK), 1 / STOCK), Q, V, start)] for L in (*depths, FINE)}
    euler = np.array([np.linalg.norm(limit[L][0] - limit[FINE][0]) for L in depths])
    sizes: dict[tuple[int, int], list[np.ndarray]] = {}
    for L in depths:
        for H in heads if depths[1] == L else heads[:1]:
            found = _many(jnp.asarray(_drawn(rng, draws, L, H, shared)), Q, V, start)
            pairs = zip(found, limit[L], strict=True)
            sizes[L, H] = [np.sum((np.asarray(a) - b) ** 2, axis=(1, 2)) for a, b in pairs]
    rms = {key: [np.sqrt(values.mean()) for values in found] for key, found in sizes.items()}
    off = {key: [v.std(ddof=1) / v.mean() / 2 / np.sqrt(draws) for v in found] for key, found in sizes.items()}
    checks = []
    for row, name in enumerate(("the last layer", "the gradient")):
        cases = {"layers": [(L, heads[0]) for L in depths], "heads": [(depths[1], H) for H in heads]}
        for what, keys in cases.items():
            values, errors = (np.array([table[key][row] for key in keys]) for table in (rms, off))
            slope, one = _slope(depths if what == "layers" else heads, values, errors)
            why = "four standard errors, and corrections of order 1/L and 1/H, with H = 8 the smallest"
            check = f"exponent of the number of {what} in the error that drawn heads make, {name}"
            checks.append(equals(check, slope, -0.5, within=4 * one + 0.05, because=why, error=one))
            if what == "layers":
                words = f"the same exponent, {name}: at least as fast as L^(-1/3)"
                checks.append(at_most(words, slope, -1 / 3, because="the bound of the abstract", error=one))
    predicted = float(np.sqrt(_variance(depths[1], Q, V, start) / heads[-1]))
    key = depths[1], heads[-1]
    checks.append(
        equals(f"that error at L = {key[0]}, H = {key[1]} over its prediction", rms[key][0] / predicted, 1,
               within=4 * off[key][0] + 0.02, error=off[key][0],
               because="four standard errors, and order 1/H"))  # fmt: skip
    # the reference has an error of its own: with e = c/L it adds -c/FINE
    pure = euler / (1 - np.asarray(depths) / FINE)
    slope = np.log(pure[-1] / pure[-2]) / np.log(depths[-1] / depths[-2])
    what = f"exponent of the number of layers with infinitely many heads, L = {depths[-2]} and {depths[-1]}"
    checks.append(equals(what, slope, -1, within=2 / depths[-2], because="terms of order 1/L², of twice the size"))
    return Finding(checks, {"depths": depths, "heads": heads, "euler": euler, "rms": rms, "predicted": predicted})


def _draw(finding: Finding) -> Figure:
    figure, (left, right) = panels(2, width=8.0)
    depths, heads, rms = (finding.data[name] for name in ("depths", "heads", "rms"))
    for ax, sizes, keys in (
        (left, np.array(depths, float), [(L, heads[0]) for L in depths]),
        (right, np.array(heads, float), [(depths[1], H) for H in heads]),
    ):
        for color, row, name in ((PALETTE[0], 0, "last layer"), (PALETTE[1], 1, "gradient")):
            values = np.array([rms[key][row] for key in keys])
            ax.loglog(sizes, values, "o", color=color, markersize=5, label=f"drawn heads, {name}")
            line = values[0] * np.sqrt(sizes[0] / sizes)
            ax.loglog(sizes, line, label="slope $-1/2$ through the first" if row else None, **PREDICTED)
        ax.minorticks_off()
        ax.set_xticks(sizes, [f"{size:g}" for size in sizes])
    left.loglog(depths, finding.data["euler"], "s", color=PALETTE[2], markersize=5, label="infinitely many heads")
    steps = finding.data["euler"][0] * depths[0] / np.array(depths)
    left.loglog(depths, steps, color=PALETTE[2], linewidth=0.8, linestyle=":", label="slope $-1$ through the first")
    left.minorticks_off()
    left.set_xticks(depths, [str(L) for L in depths])
    right.set_yticks([0.05, 0.1, 0.2], ["0.05", "0.1", "0.2"])
    left.set(xlabel="layers $L$", ylabel=f"error, root mean square, $H = {heads[0]}$")
    right.set(xlabel="heads $H$", ylabel=f"error, root mean square, $L = {depths[1]}$")
    figure.legend(*left.get_legend_handles_labels(), loc="outside right center")
    return figure


CLAIMS = (
    Claim(
        id="adamw26-depth-and-heads",
        title="Networks of many layers and heads approach their limit at least as fast as 1/L + L^(-1/3) H^(-1/2)",
        statement=r"Hidden states and gradients of a network of $L$ layers with $H$ heads tend to those of a "
        r"differential equation, with an error of at most $C(L^{-1} + L^{-1/3} H^{-1/2})$. With heads drawn "
        r"independently the error is $L^{-1}$ and $(LH)^{-1/2}$, faster than the bound.",
        paper="adamw26",
        where="abstract",
        status="second-hand",
        assumptions=(
            "heads are drawn from a stock, independently in every layer, as at initialization; no training",
            r"tokens on $S^2$, softmax attention, $t = 1$",
        ),
        experiment=_depth_and_heads,
        draw=_draw,
        quick=Setting({"depths": (8, 16, 32, 64), "heads": (8, 32, 128), "draws": 300, "shared": False}, seconds=6),
        full=Setting(
            {"depths": (16, 32, 64, 128), "heads": (8, 32, 128, 512), "draws": 4000, "shared": False}, seconds=60
        ),
        control=Control(
            {"shared": True}, "layers that share their heads keep an error that depth does not remove", "L^(-1/3)"
        ),
        main="the last layer: at least as fast",
        note="The theorem is about networks trained with AdamW, whose layers are not independent; that is not tested, "
        "and the bound is no law: the exponents 1/2 are derived here for independent layers.",
    ),
)
