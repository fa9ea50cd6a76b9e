"""Residual networks of changing width and the equation that they tend to (slides of arXiv 2305.05465; 1806.07366).

The network has arrays that really change their shape, in NumPy; the equation is solved in one space, where every piece
of depth sees and moves coordinates of its own (`control.widths`).
"""

from __future__ import annotations

from itertools import pairwise

import jax.numpy as jnp
import numpy as np
from jax import Array
from matplotlib.figure import Figure

import tokenfield as tkf
from tokenfield.claims.claim import Claim, Control, Finding, Setting, equals
from tokenfield.claims.figures import PALETTE, PREDICTED, panels
from tokenfield.control.widths import Widths
from tokenfield.model.schedule import Schedule

NEURONS = 8


class _Smooth(Schedule):
    """W(t) tanh(A(t) x + b) with W and A that turn with depth, of which one piece has the coordinates in `mask`."""

    W: Array  # (2, D, neurons): values at the phases 0 and pi / 2
    A: Array
    b: Array
    mask: Array

    def parts(self, t: Array | float) -> tuple[tkf.Perceptron, ...]:
        W, A = (m[0] * jnp.cos(3 * t) + m[1] * jnp.sin(3 * t) for m in (self.W, self.A))
        return (tkf.Perceptron(W * self.mask[:, None], A * self.mask, self.b, activation="tanh"),)


def _network(
    x: np.ndarray, W: np.ndarray, A: np.ndarray, b: np.ndarray, widths: Widths, layers: int, *, pads: str
) -> np.ndarray:
    """x <- P_k x + h W_k tanh(A_k P_k x + b), literally: columns are cut off, and zeros (or what was cut) appended."""
    h, cut = 1 / layers, np.empty((len(x), 0))
    for k in range(layers):
        own = list(widths.coordinates[k * len(widths.each) // layers])
        if x.shape[1] > len(own):
            x, cut = x[:, : len(own)], x[:, len(own) :]
        elif missing := len(own) - x.shape[1]:
            zeros = np.zeros((len(x), missing))
            x = np.concatenate([x, zeros if pads == "zeros" else np.hstack([cut, zeros])[:, :missing]], axis=1)
        turn = np.cos(3 * k * h), np.sin(3 * k * h)
        W_k, A_k = (turn[0] * m[0] + turn[1] * m[1] for m in (W, A))
        x = x + h * np.tanh(x @ A_k[:, own].T + b) @ W_k[own].T
    return x


def _limit(*, seed: int, n: int, widths: tuple[int, ...], doublings: int, pads: str) -> Finding:
    rng, wide = np.random.default_rng(seed), Widths(widths)
    D, pieces = wide.dim, len(widths)
    W, A = rng.normal(size=(2, D, NEURONS)) / 2, rng.normal(size=(2, NEURONS, D))
    b, x = rng.normal(size=NEURONS), rng.normal(size=(n, widths[0]))
    mu = tkf.Measure(wide.padded(x, 0))
    for k in range(pieces):
        mask = np.isin(np.arange(D), wide.coordinates[k]).astype(float)
        model = tkf.Transformer(tkf.Euclidean(D), _Smooth(*(jnp.asarray(m) for m in (W, A, b, mask))))
        span = {"t0": k / pieces, "t1": (k + 1) / pieces}
        mu = tkf.solve(model, mu, **span, save="end", rtol=1e-11, atol=1e-13, progress=False).final
    expected = np.asarray(mu.points)[:, wide.last]
    layers = 4 * pieces * 2 ** np.arange(doublings)
    ends = [_network(x, W, A, b, wide, int(L), pads=pads) for L in layers]
    errors = np.array([np.abs(end - expected).max() for end in ends])
    doubled = np.array([np.abs(2 * finer - end - expected).max() for end, finer in pairwise(ends)])
    why = "terms of the next order in 1/L at these L"
    slopes = {name: -np.log2(e[-1] / e[-2]) for name, e in (("x", errors), ("2x", doubled))}
    checks = [
        equals("order in 1/L of network − flow", slopes["x"], 1.0, within=0.05, because=why),
        equals("order in 1/L of 2 x(2L) − x(L) − flow", slopes["2x"], 2.0, within=0.1, because=why),
    ]
    return Finding(checks, {"layers": layers, "errors": errors, "doubled": doubled, "widths": widths})


def _draw_limit(finding: Finding) -> Figure:
    figure, ax = panels()
    layers, errors, doubled = (finding.data[name] for name in ("layers", "errors", "doubled"))
    ax.loglog(layers, errors, "o-", color=PALETTE[0], markersize=5, label=r"$|x^{(L)} - x(1)|$")
    ax.loglog(layers[:-1], doubled, "s-", color=PALETTE[1], markersize=5, label=r"$|2x^{(2L)} - x^{(L)} - x(1)|$")
    ax.loglog(layers, 1.6 * errors[-1] * layers[-1] / layers, label="$1/L$, $1/L^2$, 1.6 times the last", **PREDICTED)
    ax.loglog(layers[:-1], 1.6 * doubled[-1] * (layers[-2] / layers[:-1]) ** 2, **PREDICTED)
    ax.set(xlabel="layers $L$", ylabel="largest error of outputs")
    ax.set_title("widths " + " → ".join(map(str, finding.data["widths"])), fontsize=9)
    ax.set_xticks(layers, [str(L) for L in layers])
    ax.minorticks_off()
    ax.legend(loc="upper left", bbox_to_anchor=(1, 1))
    return figure


_WIDTHS = (2, 4, 2, 3)

CLAIMS = (
    Claim(
        id="crbd18-changing-widths",
        title="Residual networks of changing width tend to a flow",
        statement=r"Networks $x_{k+1} = P_k x_k + \tfrac{1}{L} W_k \tanh(A_k P_k x_k + b_k)$ with $x_k \in "
        r"\mathbb{R}^{d_k}$, whose $P_k$ pad with zeros or drop coordinates and whose weights are one schedule at the "
        r"depths $k/L$, tend to a flow of one space, in which every width has coordinates of its own: "
        r"the outputs at rate $1/L$.",
        paper="crbd18",
        where="the limit of residual networks, here with widths $d_t$ as on the slides of arXiv 2305.05465",
        status="derived",
        main="order in 1/L of network",
        assumptions=(r"eight neurons in every layer, widths $2, 4, 2, 3$, weights that turn smoothly with depth",),
        experiment=_limit,
        draw=_draw_limit,
        quick=Setting({"n": 16, "widths": _WIDTHS, "doublings": 6, "pads": "zeros"}, seconds=2),
        full=Setting({"n": 200, "widths": _WIDTHS, "doublings": 9, "pads": "zeros"}, seconds=3),
        control=Control(
            {"pads": "what was cut"}, "coordinates that come back as they were cut are another network", "order"
        ),
        note="`control.steer(widths=...)` trains such networks; the gallery has two moons and two spirals.",
    ),
)
