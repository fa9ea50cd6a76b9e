"""Claims about the masked mean field as a density on [0, 1] x circle (arXiv 2501.18322)."""

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
from tokenfield.claims.figures import HEAT, PALETTE, PREDICTED, panels, tick_sizes
from tokenfield.geometry import on_circle
from tokenfield.laws import Fourier, MaskedDensity

BETA, T1, STEP, TURN, SHARPNESS = 2.0, 1.0, 0.05, 2.5, 6.0
HIDDEN, UNFELT = 2.0, 1e-30  # a position after all others, and a mass that nobody feels


def _model(*, is_masked: bool = True) -> tkf.Transformer:
    position = tkf.Causal() if is_masked else None
    return tkf.Transformer(tkf.Sphere(2), tkf.Softmax(BETA), position=position)


def _start(positions: int, nodes: int, *, bent: float = 0.0) -> MaskedDensity:
    """A von Mises law around the angle 2.5 s; positions after 1/2 are turned by `bent` more."""

    def density(s: float, x: Array) -> Array:
        angle = TURN * s + (bent if s > 0.5 else 0.0)
        return jnp.exp(SHARPNESS * (x @ jnp.asarray([np.cos(angle), np.sin(angle)]) - 1))

    return MaskedDensity.from_function(Fourier(nodes), density, positions=positions)


def _end(start: MaskedDensity) -> MaskedDensity:
    return tkf.solve(_model(), start, t1=T1, method="rk4", step=STEP, save="end").final


@eqx.filter_jit
def _token_ends(model: tkf.Transformer, systems: Sequence[Array]) -> Array:
    def one(system: Sequence[Array]) -> Array:
        points, weights, positions = system
        mu = tkf.Measure(points, weights, positions=positions)
        return tkf.solve(model, mu, t1=T1, method="rk4", step=STEP, save="end").final.points

    return jax.lax.map(one, systems, batch_size=16)


def _statistics(s: np.ndarray, x: np.ndarray) -> np.ndarray:
    """The mean of cos(k pi s) x, k = 0, ..., 3: eight linear statistics of the joint law."""
    return np.cos(np.pi * np.outer(np.arange(4), s)) @ x / len(s)


def _experiment(
    *, seed: int, positions: int, nodes: int, sizes: tuple[int, ...], draws: int, is_masked: bool
) -> Finding:
    """Tokens against the density; in the control they see everything."""
    rng = np.random.default_rng(seed)
    end, half, bent = (
        _end(start)
        for start in (_start(positions, nodes), _start(positions // 2, nodes), _start(positions, nodes, bent=1.0))
    )
    limit, coarse = (_statistics(np.asarray(law.positions), np.asarray(law.means)) for law in (end, half))
    most, errors, shown = max(sizes), [], None
    for n in sizes:
        s = np.sort(rng.uniform(size=(draws, n)), axis=1)
        theta = TURN * s + rng.vonmises(0.0, SHARPNESS, size=(draws, n))
        missing = most - n
        points = np.asarray(on_circle(np.pad(theta, ((0, 0), (0, missing)))))
        weights = np.pad(np.ones((draws, n)), ((0, 0), (0, missing)), constant_values=UNFELT)
        at = np.pad(s, ((0, 0), (0, missing)), constant_values=HIDDEN)
        ends = np.asarray(_token_ends(_model(is_masked=is_masked), tuple(map(jnp.asarray, (points, weights, at)))))
        gaps = [np.mean((_statistics(s[k], ends[k, :n]) - limit) ** 2) for k in range(draws)]
        errors.append(float(np.sqrt(np.mean(gaps))))
        shown = (s[0], np.arctan2(ends[0, :n, 1], ends[0, :n, 0]))
    cut = positions // 2
    prefix = float(np.max(np.abs(np.asarray(end.values - bent.values)[:cut])))
    marginal = float(np.max(np.abs(np.asarray(end.marginal) * positions - 1)))
    rough = float(np.sqrt(np.mean((coarse - limit) ** 2)) / 3)  # of order two: a third of the change is left
    slope = float(np.polyfit(np.log(sizes), np.log(errors), 1)[0])
    within, why = 0.8 / np.sqrt(draws), "three standard errors of the slope with this number of draws"
    checks = [
        equals("exponent of n in the error of tokens", slope, -0.5, within=within, because=why),
        at_most("change of the mass of a position", marginal, 0, slack=1e-12, because="rounding"),
        at_most("change of [0, 1/2] when the rest starts elsewhere", prefix, 0, because="causal sums: exactly none"),
        at_most(
            "error of the density by that of most tokens",
            rough / errors[-1],
            0.25,
            because="the limit must be known better than tokens approach it",
        ),
    ]
    data = {"sizes": np.array(sizes), "errors": np.array(errors), "values": np.asarray(end.values), "tokens": shown}
    return Finding(checks, data)


def _draw(finding: Finding) -> Figure:
    figure, (left, right) = panels(2)
    data = finding.data
    values = data["values"] / (2 * np.pi)
    k, m = values.shape
    # angles from -pi to pi, so that the tokens' angles fit
    values = np.roll(values, m // 2, axis=1)
    edges = (np.arange(m + 1) - m // 2 - 0.5) * 2 * np.pi / m
    heat = left.pcolormesh(np.linspace(0, 1, k + 1), edges, values.T, cmap=HEAT, rasterized=True)
    left.plot(*data["tokens"], "o", color="white", markersize=2.2, markeredgewidth=0)
    left.set(xlabel="position $s$", ylabel=f"angle at $t = {T1:g}$ (rad)", ylim=(-1.5, np.pi))
    left.set_title(f"density, and {data['sizes'][-1]} tokens (white)")
    figure.colorbar(heat, ax=left, pad=0.02, label=r"$\rho_s(\theta)$")
    sizes, errors = data["sizes"], data["errors"]
    right.loglog(sizes, errors, "o-", color=PALETTE[0], markersize=4, label="tokens against the density")
    right.loglog(sizes, errors[0] * np.sqrt(sizes[0] / sizes), label="$n^{-1/2}$ through the first", **PREDICTED)
    right.set(xlabel="$n$", ylabel="error of eight statistics")
    tick_sizes(right, sizes)
    right.legend()
    return figure


CLAIMS = (
    Claim(
        id="cacp25-masked-density",
        title="The masked mean field is a density on [0, 1] x space that tokens approach",
        statement=r"Masked attention moves a law on $[0, 1] \times \mathbb{R}^d$ by "
        r"$\Gamma(s, x) = (0, \Gamma_{\mu|\tau \leq s}(x))$: positions keep their mass, what happens on $[0, s]$ does "
        r"not depend on the rest, and $n$ tokens are $O(n^{-1/2})$ from it.",
        paper="cacp25",
        where="section on masked attention",
        status="derived",
        assumptions=(r"softmax attention with $\beta = 2$ on the circle", "a Fourier grid for each cell of positions"),
        experiment=_experiment,
        draw=_draw,
        quick=Setting(
            {"positions": 32, "nodes": 96, "sizes": (16, 64, 256), "draws": 32, "is_masked": True}, seconds=5
        ),
        full=Setting(
            {"positions": 128, "nodes": 128, "sizes": (16, 64, 256, 1024), "draws": 32, "is_masked": True}, seconds=40
        ),
        control=Control({"is_masked": False}, "tokens that see everything stay away from it", "exponent"),
        main="exponent",
        misses=0.01,
        note=r"The paper has the equation; the rate for smooth statistics is ours. A Gaussian for every $s$ does not "
        r"stay one under masked softmax, L2 or Sinkhorn attention: what $s$ sees is a mixture, and its attention is "
        r"not affine. Only linear attention keeps it.",
    ),
)
