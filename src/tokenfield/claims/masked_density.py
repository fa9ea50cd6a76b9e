"""Claims about the masked mean field: a density on [0, 1] x circle, and a Gaussian for every position in R^d.

Both are from the masked attention of arXiv 2501.18322, and tokens approach both.
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
from tokenfield.claims.claim import Claim, Control, Finding, Setting, at_least, at_most, equals
from tokenfield.claims.figures import HEAT, PALETTE, PREDICTED, panels, tick_sizes
from tokenfield.geometry import on_circle
from tokenfield.laws import Fourier, Gaussian, MaskedDensity, MaskedGaussian, MaskedMovingDensity, Moving, MovingDensity

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


def _sampled_ends(model: tkf.Transformer, x: np.ndarray, s: np.ndarray, most: int) -> np.ndarray:
    """Where tokens (draws, n, d) at positions (draws, n) end; all n share the shape of `most` and one compilation."""
    n, missing = s.shape[1], ((0, 0), (0, most - s.shape[1]))
    points = np.concatenate([x, np.repeat(x[:, :1], most - n, axis=1)], axis=1)
    weights = np.pad(np.ones(s.shape), missing, constant_values=UNFELT)
    at = np.pad(s, missing, constant_values=HIDDEN)
    return np.asarray(_token_ends(model, tuple(map(jnp.asarray, (points, weights, at)))))[:, :n]


def _error(s: np.ndarray, ends: np.ndarray, limit: np.ndarray) -> float:
    """The root mean square error of `_statistics` over draws, s (draws, n) and ends (draws, n, d)."""
    return float(np.sqrt(np.mean([np.mean((_statistics(*one) - limit) ** 2) for one in zip(s, ends, strict=True)])))


def _less_chance(ends: np.ndarray, starts: np.ndarray, expected: np.ndarray) -> np.ndarray:
    """Statistics (draws, ...) at the end less what chance did to them at the start already (control variates)."""
    gaps = starts - starts.mean(axis=0)
    slopes = np.mean(gaps * (ends - ends.mean(axis=0)), axis=0) / starts.var(axis=0)
    return ends - slopes * (starts - expected)


def _distance(samples: Sequence[np.ndarray], sizes: Sequence[int], limit: np.ndarray) -> tuple[float, float]:
    """How far statistics (draws, ...) are from their limit in the mean over draws, and the standard error of that.

    Of the two last numbers of tokens, so combined that a bias of order 1/n drops out.
    """
    (m, n), (few, many) = sizes[-2:], samples[-2:]
    mean = (n * many.mean(axis=0) - m * few.mean(axis=0)) / (n - m)
    variance = (n**2 * many.var(axis=0) + m**2 * few.var(axis=0)) / (n - m) ** 2 / len(many)
    return float(np.sqrt(np.mean((mean - limit) ** 2))), float(np.sqrt(np.mean(variance)))


def _statistics(s: np.ndarray, x: np.ndarray) -> np.ndarray:
    """The mean of cos(k pi s) x, k = 0, ..., 3: linear statistics of the joint law, eight in the plane."""
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
    errors, shown = [], None
    for n in sizes:
        s = np.sort(rng.uniform(size=(draws, n)), axis=1)
        theta = TURN * s + rng.vonmises(0.0, SHARPNESS, size=(draws, n))
        ends = _sampled_ends(_model(is_masked=is_masked), np.asarray(on_circle(theta)), s, max(sizes))
        errors.append(_error(s, ends, limit))
        shown = (s[0], np.arctan2(ends[0, :, 1], ends[0, :, 0]))
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


# --- a Gaussian for every position ------------------------------------------------------------------------------------

LINEAR = 3.0  # beta of linear attention, with V near -I: with V = I single tokens far out blow up before t = 1
WIDE, NARROW = 0.2, 0.05  # variance of the laws on a line, and in R^d


def _linear(d: int, *, is_masked: bool = True, **matrices: np.ndarray) -> tkf.Transformer:
    position = tkf.Causal() if is_masked else None
    return tkf.Transformer(tkf.Euclidean(d), tkf.Linear(LINEAR), position=position, **matrices)


def _gaussian_at(s: float, S: np.ndarray, *, bent: float = 0.0) -> Gaussian:
    """N((1 - 2 s) e_1 + e_2 / 2, S) with a mean that is moved by `bent` after 1/2."""
    middle = np.zeros(len(S))
    middle[0], middle[1:2] = 1 - 2 * s + (bent if s > 0.5 else 0.0), 0.5
    return Gaussian(middle, S)


def _kurtosis(attention: tkf.Softmax | tkf.Linear, value: float, nodes: int, cells: int) -> tuple[float, float]:
    """The largest excess kurtosis of a position on the line, and how far variances are from those of Gaussians."""
    grid, S = Moving(1, nodes), np.array([[WIDE]])
    model = tkf.Transformer(tkf.Euclidean(1), attention, V=np.array([[value]]), position=tkf.Causal())
    start = MaskedMovingDensity.from_function(
        lambda s: MovingDensity.gaussian(grid, mean=_gaussian_at(s, S).mean, covariance=S), positions=cells
    )
    end = tkf.solve(model, start, t1=T1, method="rk4", step=STEP, save="end").final
    x, w = np.asarray(end.points)[..., 0], np.asarray(end.masses)
    gaps = x - np.asarray(end.means)
    variances = np.sum(w * gaps**2, axis=1)
    if not attention.sees_moments:
        return float(np.abs(np.sum(w * gaps**4, axis=1) / variances**2 - 3).max()), np.nan
    same = MaskedGaussian.from_function(lambda s: _gaussian_at(s, S), positions=cells)
    expected = np.asarray(tkf.solve(model, same, t1=T1, method="rk4", step=STEP, save="end").final.covariances)[:, 0, 0]
    kurtosis = np.sum(w * gaps**4, axis=1) / variances**2 - 3
    return float(np.abs(kurtosis).max()), float(np.abs(variances / expected - 1).max())


def _gaussians(
    *, seed: int, d: int, positions: int, nodes: int, sizes: tuple[int, ...], draws: int, is_masked: bool
) -> Finding:
    """Tokens in R^d under linear attention against a Gaussian for each position; in the control they see everything."""
    rng = np.random.default_rng(seed)
    A, B, C = rng.normal(size=(3, d, d))
    matrices = {
        name: sign * (np.eye(d) + 0.2 * M / np.linalg.norm(M, 2)) for name, sign, M in (("Q", 1, A), ("V", -1, B))
    }
    S = NARROW * (C @ C.T / d + 0.5 * np.eye(d))
    model = _linear(d, **matrices)

    def end(cells: int, bent: float = 0.0) -> MaskedGaussian:
        start = MaskedGaussian.from_function(lambda s: _gaussian_at(s, S, bent=bent), positions=cells)
        return tkf.solve(model, start, t1=T1, method="rk4", step=STEP, save="end").final

    first = MaskedGaussian.from_function(lambda s: _gaussian_at(s, S), positions=positions)
    at_first = _statistics(np.asarray(first.positions), np.asarray(first.means))
    whole, half, bent = end(positions), end(positions // 2), end(positions, 1.0)
    limit, coarse = (_statistics(np.asarray(law.positions), np.asarray(law.means)) for law in (whole, half))
    factor, errors, samples, shown = np.linalg.cholesky(S), [], [], None
    for n in sizes:
        s = np.sort(rng.uniform(size=(draws, n)), axis=1)
        middles = np.zeros((draws, n, d))
        middles[..., 0], middles[..., 1] = 1 - 2 * s, 0.5
        x = middles + rng.normal(size=(draws, n, d)) @ factor.T
        ends = _sampled_ends(_linear(d, is_masked=is_masked, **matrices), x, s, max(sizes))
        errors.append(_error(s, ends, limit))
        late, early = (np.array([_statistics(*one) for one in zip(s, at, strict=True)]) for at in (ends, x))
        samples.append(_less_chance(late, early, at_first))
        shown = (s[0], ends[0, :, 0])
    cut = positions // 2
    prefix = max(
        float(np.abs(np.asarray(getattr(whole, name) - getattr(bent, name))[:cut]).max())
        for name in ("means", "covariances")
    )
    rough = float(np.sqrt(np.mean((coarse - limit) ** 2)) / 3)  # of order two: a third of the change is left
    kept, off = _kurtosis(tkf.Linear(LINEAR), -1.0, nodes, 8)
    bends, _ = _kurtosis(tkf.Softmax(1.0), 1.0, nodes, 8)
    away, chance = _distance(samples, sizes, limit)
    slope = float(np.polyfit(np.log(sizes), np.log(errors), 1)[0])
    within, why = 0.8 / np.sqrt(draws), "three standard errors of the slope with this number of draws"
    checks = [
        equals("exponent of n in the error of tokens", slope, -0.5, within=within, because=why),
        at_most(
            "distance of the mean over draws from the Gaussians",
            away,
            0,
            slack=rough + 3 * chance,
            because="three standard errors of the mean over draws, and the width of the cells of positions",
        ),
        at_most("change of [0, 1/2] when the rest starts elsewhere", prefix, 0, because="causal sums: exactly none"),
        at_most(
            "error of the Gaussians by that of most tokens",
            rough / errors[-1],
            0.25,
            because="the limit must be known better than tokens approach it",
        ),
        at_most("densities on a line, variances by those of Gaussians", off, 0, slack=1e-5, because="their quadrature"),
        at_most("largest excess kurtosis of a position, linear", kept, 0, slack=1e-4, because="their quadrature"),
        at_least("the same under softmax attention", bends, 0.01, because="softmax of mixtures is not affine"),
    ]
    band = np.asarray(whole.means)[:, 0], np.sqrt(np.asarray(whole.covariances)[:, 0, 0])
    data = {"sizes": np.array(sizes), "errors": np.array(errors), "band": band, "tokens": shown}
    return Finding(checks, data)


def _draw_gaussians(finding: Finding) -> Figure:
    figure, (left, right) = panels(2)
    data = finding.data
    mean, width = data["band"]
    s = (np.arange(len(mean)) + 0.5) / len(mean)
    left.plot(*data["tokens"], "o", color=PALETTE[0], markersize=2.2, markeredgewidth=0, label="tokens")
    left.plot(s, mean, label="mean, and two standard deviations", **PREDICTED)
    for sign in (-2, 2):
        left.plot(s, mean + sign * width, **{**PREDICTED, "linewidth": 0.8})
    left.set(xlabel="position $s$", ylabel=f"$x_1$ at $t = {T1:g}$", title=f"{data['sizes'][-1]} tokens of one draw")
    left.legend()
    sizes, errors = data["sizes"], data["errors"]
    right.loglog(sizes, errors, "o-", color=PALETTE[0], markersize=4, label="tokens against Gaussians")
    right.loglog(sizes, errors[0] * np.sqrt(sizes[0] / sizes), label="$n^{-1/2}$ through the first", **PREDICTED)
    right.set(xlabel="$n$", ylabel=r"error of the means of $\cos(k\pi s)\,x$")
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
        r"not affine. Only linear attention keeps it: see `cacp25-masked-gaussian`.",
    ),
    Claim(
        id="cacp25-masked-gaussian",
        title="Masked linear attention keeps a Gaussian for every position, which tokens approach",
        statement=r"Under masked linear attention in $\mathbb{R}^d$ a law that is $N(m_s, \Sigma_s)$ at every position "
        r"$s$ stays one: $\dot m_s = G_s m_s$, $\dot \Sigma_s = G_s \Sigma_s + \Sigma_s G_s^\top$ with "
        r"$G_s = \beta V \big(\frac{1}{s} \int_0^s (\Sigma_\tau + m_\tau m_\tau^\top) d\tau\big) K^\top Q$. "
        r"$n$ tokens are $O(n^{-1/2})$ from it.",
        paper="cacp25",
        where="section on masked attention, with the section on Gaussian initial data",
        status="derived",
        assumptions=(r"linear attention, random $Q$ within 0.2 of $I$ and $V$ of $-I$, $K = I$, $t = 1$",),
        experiment=_gaussians,
        draw=_draw_gaussians,
        quick=Setting(
            {"d": 5, "positions": 32, "nodes": 64, "sizes": (16, 64, 256), "draws": 32, "is_masked": True}, seconds=8
        ),
        full=Setting(
            {"d": 5, "positions": 256, "nodes": 64, "sizes": (16, 64, 256, 1024), "draws": 32, "is_masked": True},
            seconds=40,
        ),
        control=Control({"is_masked": False}, "tokens that see everything go elsewhere", "distance of the mean"),
        main="distance of the mean",
        misses=0.01,
        note="Under softmax attention positions do not stay Gaussian, which densities on a line show by their fourth "
        "moments. With $V = I$ linear attention blows up: a first token at $x$, which sees only itself, at "
        r"$1/(2\beta|x|^2)$, so that tokens far out leave before the Gaussians do.",
    ),
)
