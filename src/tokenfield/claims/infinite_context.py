"""Claims about finite and infinite contexts (arXiv 2605.16747): what n tokens do to another one.

The context are n independent uniform tokens, which move under attention; other tokens see them but are not seen
(their weight is zero). With infinitely many tokens the uniform law stays and attracts to nowhere: a token stays where
it is, and the derivative of its place by the start is the identity. So the errors of a finite context are known
exactly."""

from __future__ import annotations

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from matplotlib.figure import Figure

import tokenfield as tkf
from tokenfield import theory
from tokenfield.claims.claim import Claim, Control, Finding, Setting, equals
from tokenfield.claims.figures import PALETTE, PREDICTED, panels, tick_sizes

READERS = 8  # tokens that see the context of one draw
NUDGE = 1e-4  # between two of them, for derivatives
STEP = 0.1


def _readers(rng: np.random.Generator, draws: int, d: int) -> tuple[np.ndarray, np.ndarray]:
    """Uniform points (draws, READERS, d), and unit tangent vectors at them."""
    x, u = rng.normal(size=(2, draws, READERS, d))
    x /= np.linalg.norm(x, axis=-1, keepdims=True)
    u -= np.sum(u * x, axis=-1, keepdims=True) * x
    return x, u / np.linalg.norm(u, axis=-1, keepdims=True)


@eqx.filter_jit
def _velocities(beta: jax.Array, contexts: jax.Array) -> jax.Array:
    """Velocities of a token at e_1 that sees contexts (draws, n, d), one in each draw."""
    d = contexts.shape[-1]
    model = tkf.Transformer(tkf.Sphere(d), tkf.Softmax(beta))
    return jax.lax.map(lambda seen: model.velocity(0.0, jnp.eye(d)[:1], tkf.Measure(seen))[0], contexts)


@eqx.filter_jit
def _after(beta: jax.Array, contexts: jax.Array, readers: jax.Array, t1: float) -> jax.Array:
    """Places at `t1` of readers (draws, m, d) that see contexts (draws, n, d)."""
    n, d = contexts.shape[1:]
    weights = jnp.concatenate([jnp.full(n, 1 / n), jnp.zeros(readers.shape[1])])
    model = tkf.Transformer(tkf.Sphere(d), tkf.Softmax(beta))

    def one(pair: tuple[jax.Array, jax.Array]) -> jax.Array:
        start = tkf.Measure(jnp.concatenate(pair), weights)
        return tkf.solve(model, start, t1=t1, method="rk4", step=STEP, save="end").saved_points[-1, n:]

    return jax.lax.map(one, (contexts, readers))


def _uniform(rng: np.random.Generator, *shape: int) -> np.ndarray:
    points = rng.normal(size=shape)
    return points / np.linalg.norm(points, axis=-1, keepdims=True)


def _errors(rng: np.random.Generator, beta: float, d: int, n: int, draws: int, t1: float) -> np.ndarray:
    """Squares of the displacement and of the error of the derivative, means over the readers of each draw, (2, "
    "draws)."""
    x, u = _readers(rng, draws, d)
    nudged = [np.cos(NUDGE) * x + sign * np.sin(NUDGE) * u for sign in (1, -1)]
    contexts, readers = jnp.asarray(_uniform(rng, draws, n, d)), jnp.asarray(np.concatenate([x, *nudged], axis=1))
    own, ahead, behind = np.split(np.asarray(_after(jnp.asarray(beta), contexts, readers, t1)), 3, axis=1)
    derivative = (ahead - behind) / (2 * np.sin(NUDGE)) - u
    return np.stack([np.sum(part**2, axis=-1).mean(axis=1) for part in (own - x, derivative)])


def _context_rate(
    *,
    seed: int,
    beta: float,
    dims: tuple[int, ...],
    sizes: tuple[int, ...],
    draws: int,
    looks: tuple[float, int, int],
    t1: float,
    rate: str,
) -> Finding:
    rng = np.random.default_rng(seed)
    checks, rows = [], []
    for d in dims:
        squares = np.stack([_errors(rng, beta, d, n, draws, t1) for n in sizes])  # (sizes, 2, draws)
        mean = squares.mean(axis=2)
        error = squares.std(axis=2, ddof=1) / np.sqrt(draws) / mean  # relative
        x = np.log(np.array(sizes, float))
        weights = (x - x.mean()) / np.sum((x - x.mean()) ** 2)
        predicted = -0.5 if rate == "parametric" else -1 / (d - 1)
        for row, name in enumerate((f"the token at t = {t1:g}", "its derivative by the start")):
            one = float(np.sqrt(weights**2 @ error[:, row] ** 2) / 2)
            checks.append(
                equals(
                    f"d = {d}: exponent in n of the error of {name}",
                    weights @ np.log(mean[:, row]) / 2,
                    predicted,
                    within=0.03 + 3 * one,
                    because="corrections of order 1/n of the smallest context, and three standard errors",
                    error=one,
                )
            )
        sharp, n, count = looks
        velocities = np.asarray(_velocities(jnp.asarray(sharp), jnp.asarray(_uniform(rng, count, n, d))))
        speeds = np.sum(velocities**2, axis=1)
        fluctuation = float(theory.context_fluctuation(sharp, d))
        one = float(n * speeds.std(ddof=1) / np.sqrt(count) / fluctuation)
        checks.append(
            equals(
                f"d = {d}: n E|velocity|² over its prediction, β = {sharp:g}, n = {n}",
                n * speeds.mean() / fluctuation,
                1,
                within=4 * one + 4 * np.exp(sharp) / n,
                because="four standard errors, and corrections of order 1/n",
                error=one,
            )
        )
        rows.append((d, np.sqrt(mean)))
    return Finding(checks, {"sizes": np.array(sizes), "rows": rows, "t1": t1})


def _draw_context_rate(finding: Finding) -> Figure:
    figure, axes = panels(2, sharey=True)
    sizes = finding.data["sizes"]
    names = (f"token at $t = {finding.data['t1']:g}$", "derivative by the start")
    for ax, (d, roots) in zip(axes, finding.data["rows"], strict=False):
        for color, name, root in zip(PALETTE, names, roots.T, strict=False):
            ax.plot(sizes, root, "o", color=color, label=name)
            ax.plot(sizes, root[-1] * np.sqrt(sizes[-1] / sizes), **PREDICTED)
        ax.plot([], [], label="$n^{-1/2}$ through the last", **PREDICTED)
        ax.set(xlabel="tokens in the context, $n$", xscale="log", yscale="log", title=f"$d = {d}$")
        tick_sizes(ax, sizes)
    axes[0].set_ylabel("root mean square error")
    axes[1].legend(fontsize=7)
    return figure


CLAIMS = (
    Claim(
        id="chaos26-context-rate",
        title="One token feels a finite context at the rate n^(-1/2), in any dimension",
        statement=r"What a token becomes that sees $n$ independent tokens, and its derivative by the start, "
        r"differ by order "
        r"$n^{-1/2}$ from what infinitely many would do, although the context itself converges only like "
        r"$n^{-1/(d-1)}$ in Wasserstein distance. For uniform tokens $n\,\mathbb{E}|\dot x|^2 \to "
        r"\frac{(d-1)\, Z(2\beta)\, r(2\beta)}{2\beta\, Z(\beta)^2}$, $Z(\beta) = \mathbb{E} e^{\beta\langle x, "
        r"y\rangle}$, "
        r"$r = I_{d/2}/I_{d/2-1}$.",
        paper="chaos26",
        where="abstract; the constant is derived",
        status="second-hand",
        main="the token at t",
        assumptions=(r"softmax attention, $Q = K = V = I$", "independent uniform tokens, which do not see the token"),
        experiment=_context_rate,
        draw=_draw_context_rate,
        quick=Setting(
            {
                "beta": 1.0,
                "dims": (3, 8),
                "sizes": (32, 128, 512),
                "draws": 32,
                "looks": (3.0, 1024, 1000),
                "t1": 0.5,
                "rate": "parametric",
            },
            seconds=6,
        ),
        full=Setting(
            {
                "beta": 1.0,
                "dims": (3, 8),
                "sizes": (64, 256, 1024, 4096),
                "draws": 100,
                "looks": (3.0, 4096, 1000),
                "t1": 1.0,
                "rate": "parametric",
            },
            seconds=90,
        ),
        control=Control(
            {"rate": "wasserstein"},
            "with the rate n^(-1/(d-1)) of the context in Wasserstein distance both exponents at d = 8 fail",
            "d = 8: exponent",
        ),
        note="We know the rates of the paper from its abstract and summaries of it.",
    ),
)
