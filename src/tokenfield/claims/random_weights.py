"""Claims about random weights in depth (arXiv 2604.01978, 2601.21942): two tokens under white value matrices.

With Q = K = I and the entries of V white in depth with unit variance, the cosine R of two tokens obeys
dR = (1 - R^2) {[-R + q(R + d - 2)] dt + sqrt(2(1 - q)) dB},  q = sech^2(beta(1 - R)/2) / 2.
"""

from __future__ import annotations

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from matplotlib.figure import Figure

import tokenfield as tkf
from tokenfield import theory
from tokenfield.claims.claim import Claim, Control, Finding, Setting, at_least, at_most, equals
from tokenfield.claims.figures import PALETTE, PREDICTED, mark_predicted, panels
from tokenfield.model import schedule

STEP = 1e-4  # of one layer: what it changes beyond the drift is of this order
LAWS = {"ginibre": schedule.ginibre, "wigner": schedule.wigner}


def _model(beta: jax.Array, d: int, law: schedule.MatrixLaw, *, period: float, key: jax.Array) -> tkf.Transformer:
    weights = schedule.Resampled(tkf.Softmax(beta), d, period=period, seed=key, logits=None, values=law, white=True)
    return tkf.Transformer(tkf.Sphere(d), weights)


def _pair(R: float, d: int) -> np.ndarray:
    """Two tokens of cosine R, written so that 1 + R keeps its digits near R = -1."""
    x = np.zeros((2, d))
    x[:, 0], x[:, 1] = np.sqrt((1 + R) / 2), [np.sqrt((1 - R) / 2), -np.sqrt((1 - R) / 2)]
    return x


@eqx.filter_jit
def _one_layer(betas: jax.Array, pairs: jax.Array, keys: jax.Array, law: str) -> jax.Array:
    """1 - R and 1 + R after one layer, for V and for -V, at each pair (c, 2, d) with its beta: (c, keys, 2, 2)."""
    draw, d = LAWS[law], pairs.shape[-1]

    def after(key: jax.Array, beta: jax.Array, x: jax.Array, sign: float) -> jax.Array:
        model = _model(beta, d, lambda k, size: sign * draw(k, size), period=STEP, key=key)
        a, b = model.layer(0.0, tkf.Measure(x), step=STEP).points
        return jnp.stack([jnp.sum((a - b) ** 2), jnp.sum((a + b) ** 2)]) / 2

    def both(key: jax.Array, beta: jax.Array, x: jax.Array) -> jax.Array:
        return jnp.stack([after(key, beta, x, 1.0), after(key, beta, x, -1.0)])

    return jax.vmap(lambda beta, x: jax.vmap(lambda key: both(key, beta, x))(keys))(betas, pairs)


# --- the drift of two tokens --------------------------------------------------------------------------------------


def _drift(*, seed: int, d: int, beta: float, cosines: tuple[float, ...], keys: int, formula: str) -> Finding:
    R = np.array(cosines)
    pairs = jnp.asarray(np.stack([_pair(r, d) for r in cosines]))
    after = np.asarray(
        _one_layer(jnp.full(len(R), beta), pairs, jax.random.split(jax.random.key(seed), keys), "ginibre")
    )
    # V and -V together leave no martingale: what is left is the drift
    samples = (1 - after[..., 0] - R[:, None, None]).mean(axis=2) / STEP
    means, errors = samples.mean(axis=1), samples.std(axis=1) / np.sqrt(keys)
    q = 0.5 / np.cosh(beta * (1 - R) / 2) ** 2
    limit = d * (1 - R**2) * q
    exact = (1 - R**2) * (-R + q * (R + d - 2))
    predicted = exact if formula == "corrected" else limit
    checks = [
        equals(
            f"drift of R at R = {r:g}",
            mean,
            value,
            within=3 * error + 10 * STEP,
            because="three standard errors, and the step",
            error=error,
        )
        for r, mean, value, error in zip(R, means, predicted, errors, strict=True)
    ]
    off = np.abs(means - limit) / errors
    checks.append(
        at_least("error of the formula for d → ∞, in standard errors", off.max(), 8, because="it leaves out a part 1/d")
    )
    return Finding(checks, {"R": R, "means": means, "errors": errors, "d": d, "beta": beta})


def _draw_drift(finding: Finding) -> Figure:
    figure, ax = panels(1)
    data = finding.data
    fine = np.linspace(-1, 1, 200)
    q, d = 0.5 / np.cosh(data["beta"] * (1 - fine) / 2) ** 2, data["d"]
    ax.errorbar(
        data["R"], data["means"], 4 * data["errors"], fmt="o", color=PALETTE[0], markersize=4, label="one layer"
    )
    ax.plot(fine, (1 - fine**2) * (-fine + q * (fine + d - 2)), **PREDICTED, label="exact law of two tokens")
    ax.plot(fine, d * (1 - fine**2) * q, color=PALETTE[1], linewidth=1, label=r"formula for $d \to \infty$")
    ax.set(xlabel="cosine $R$", ylabel="drift of $R$")
    ax.legend(loc="upper left")
    return figure


# --- where opposite tokens attract --------------------------------------------------------------------------------


def _threshold(*, seed: int, dims: tuple[int, ...], spread: float, keys: int, batches: int, law: str) -> Finding:
    checks, rows = [], []
    near = 1e-8
    for d in dims:
        predicted = float(theory.antipodal_threshold(d))
        betas = predicted + spread * np.linspace(-1, 1, 5)
        drawn = jax.random.split(jax.random.fold_in(jax.random.key(seed), d), keys)
        pairs = jnp.asarray(np.broadcast_to(_pair(-1 + near, d), (5, 2, d)))
        after = np.asarray(_one_layer(jnp.asarray(betas), pairs, drawn, law))[..., 1]
        before = np.sum(_pair(-1 + near, d).sum(axis=0) ** 2) / 2
        rates = np.log(after / before).mean(axis=2) / STEP  # of 1 + R, (betas, keys)
        groups = rates.reshape(5, batches, -1).mean(axis=2)
        zeros = np.array([_zero(betas, group) for group in groups.T])
        error = zeros.std(ddof=1) / np.sqrt(batches)
        found = _zero(betas, rates.mean(axis=1))
        rows.append((d, betas, rates.mean(axis=1), rates.std(axis=1) / np.sqrt(keys), predicted))
        checks.append(
            equals(
                f"β at which opposite tokens begin to attract, d = {d}",
                found,
                predicted,
                within=3 * error + 5e-3,
                because="three standard errors, and the parabola through five values of β",
                error=error,
            )
        )
        checks.append(
            at_most(f"standard error of that β, d = {d}", error, 0.1, because="enough to tell dimensions apart")
        )
    return Finding(checks, {"rows": rows})


def _zero(betas: np.ndarray, rates: np.ndarray) -> float:
    """The root, near the middle, of the parabola through the rates."""
    roots = np.roots(np.polyfit(betas - betas[2], rates, 2))
    return float(betas[2] + np.real(roots[np.argmin(np.abs(roots))]))


def _draw_threshold(finding: Finding) -> Figure:
    figure, ax = panels(1)
    for i, (d, betas, rates, errors, predicted) in enumerate(finding.data["rows"]):
        ax.errorbar(betas, rates, 3 * errors, fmt="o", color=PALETTE[i], markersize=4, label=f"$d = {d}$")
        fine = np.linspace(betas[0], betas[-1], 50)
        label = r"$2\,(q(d-1) - 1)$" if i == 0 else None
        ax.plot(fine, (d - 1) / np.cosh(fine) ** 2 - 2, **PREDICTED, label=label)
        ax.plot(predicted, 0, "|", color=PALETTE[i], markersize=14, markeredgewidth=2)
    ax.axhline(0, color="black", linewidth=0.6)
    ax.set(xlabel=r"$\beta$", ylabel="rate of $1 + R$ at $R = -1$")
    ax.legend(loc="upper right")
    return figure


# --- where pairs end ----------------------------------------------------------------------------------------------


@eqx.filter_jit
def _final_cosines(betas: jax.Array, x: jax.Array, keys: jax.Array, step: float, t1: float, law: str) -> jax.Array:
    """The cosines of pairs that start at x, (betas, keys)."""
    draw, d = LAWS[law], x.shape[1]

    def one(beta: jax.Array, key: jax.Array) -> jax.Array:
        model = _model(beta, d, draw, period=step, key=key)
        a, b = tkf.solve(model, x, t1=t1, layers=round(t1 / step), save="end").final.points
        return jnp.dot(a, b)

    return jax.vmap(lambda beta: jax.vmap(lambda key: one(beta, key))(keys))(betas)


def _probability(
    *, seed: int, cases: tuple[tuple[int, tuple[float, ...]], ...], pairs: int, step: float, t1: float, law: str
) -> Finding:
    checks, rows = [], []
    for d, betas in cases:
        keys = jax.random.split(jax.random.fold_in(jax.random.key(seed), d), pairs)
        R = np.asarray(_final_cosines(jnp.asarray(betas), jnp.asarray(_pair(0.0, d)), keys, step, t1, law))
        found = np.mean(R < 0, axis=1)
        predicted = np.array([float(theory.antipodal_probability(beta, d)) for beta in betas])
        errors = np.sqrt(predicted * (1 - predicted) / pairs)
        rows.append((d, np.array(betas), found, errors))
        for beta, share, value, error in zip(betas, found, predicted, errors, strict=True):
            checks.append(
                equals(
                    f"share of pairs that end opposite, d = {d}, β = {beta:g}",
                    share,
                    value,
                    within=3 * error + step,
                    because="three standard errors, and a bias of the order of the step",
                    error=error,
                )
            )
    return Finding(checks, {"rows": rows})


def _draw_probability(finding: Finding) -> Figure:
    figure, ax = panels(1)
    fine = np.linspace(0.05, 6, 80)
    for i, (d, betas, found, errors) in enumerate(finding.data["rows"]):
        ax.errorbar(betas, found, 3 * errors, fmt="o", color=PALETTE[i], markersize=4, capsize=2, label=f"$d = {d}$")
        predicted = [float(theory.antipodal_probability(beta, d)) for beta in fine]
        ax.plot(fine, predicted, **PREDICTED, label="exact law" if i == 0 else None)
    mark_predicted(ax, 0.5, "$\\beta \\to \\infty$")
    ax.set(xlabel=r"$\beta$", ylabel="share of pairs that end opposite", ylim=(-0.02, 0.56))
    ax.legend(loc="lower right")
    return figure


WHITE = r"$Q = K = I$, two tokens, entries of $V$ white in depth with unit variance"
CLAIMS = (
    Claim(
        id="homogenized26-two-token-drift",
        title="The simplex equation of homogenized transformers is the limit d → ∞",
        statement=r"The cosine $R$ of two tokens under random value matrices has the drift "
        r"$(1-R^2)(-R + q(R + d - 2))$ with $q = \frac{1}{2} \operatorname{sech}^2 \frac{\beta(1-R)}{2}$. The simplex "
        r"equation, $d\,(1-R^2)\, q$ for two tokens, is its limit for large $d$.",
        paper="homogenized26",
        where="simplex equation, known to us from a public formalization",
        status="derived",
        assumptions=(WHITE,),
        note=r"The paper's equation is one of large $d$, which this confirms; at finite $d$ it is off by a part of "
        r"order $1/d$. The exact law of two tokens is derived here.",
        experiment=_drift,
        draw=_draw_drift,
        quick=Setting(
            {"d": 4, "beta": 2.0, "cosines": (-0.6, -0.2, 0.2, 0.6), "keys": 16_000, "formula": "corrected"}, seconds=2
        ),
        full=Setting(
            {
                "d": 4,
                "beta": 2.0,
                "cosines": (-0.8, -0.6, -0.4, -0.2, 0.0, 0.2, 0.4, 0.6, 0.8),
                "keys": 400_000,
                "formula": "corrected",
            },
            seconds=6,
        ),
        control=Control(
            {"formula": "printed"}, "the formula for d → ∞ is off by a part of order 1/d", "drift of R at R = 0.2"
        ),
        main="drift of R at R = 0.2",
        misses=0.01,
    ),
    Claim(
        id="fedorov26-antipodal-threshold",
        title="Opposite tokens attract beyond a threshold in β",
        statement=r"Under random value matrices in depth two opposite tokens attract each other to $R = -1$ exactly "
        r"for $\cosh^2 \beta > \frac{d-1}{2}$, that is $\beta > \operatorname{arccosh} \sqrt{\frac{d-1}{2}}$.",
        paper="fedorov26",
        where="model of the paper",
        status="derived",
        main="begin to attract",
        assumptions=(WHITE,),
        note="Derived from the exact law of two tokens, not taken from the paper, which has a theorem of its own on "
        "two tokens; the two were not compared.",
        experiment=_threshold,
        draw=_draw_threshold,
        quick=Setting({"dims": (8,), "spread": 0.4, "keys": 16_000, "batches": 10, "law": "ginibre"}, seconds=2),
        full=Setting({"dims": (5, 8, 16), "spread": 0.4, "keys": 400_000, "batches": 20, "law": "ginibre"}, seconds=16),
        control=Control({"law": "wigner"}, "symmetric value matrices have another drift", "begin to attract"),
    ),
    Claim(
        id="fedorov26-antipodal-probability",
        title="How often two tokens end opposite",
        statement=r"Two orthogonal tokens under random value matrices in depth end opposite, $R = -1$, with the "
        r"probability $\int_0^1 s' / \int_{-1}^1 s'$ given by the scale function $s$ of their exact law.",
        paper="fedorov26",
        where="model of the paper",
        status="derived",
        assumptions=(WHITE,),
        note=r"Derived. For $d = 5$, $\beta = 1$, just above the threshold, the probability is $0.0212$; cutting the "
        r"integrals off where $R$ rounds to $-1$ gives $0.0219$.",
        experiment=_probability,
        draw=_draw_probability,
        quick=Setting(
            {"cases": ((3, (1.0, 2.0, 4.0)),), "pairs": 2000, "step": 1 / 32, "t1": 6.0, "law": "ginibre"}, seconds=3
        ),
        full=Setting(
            {
                "cases": ((3, (1.0, 2.0, 4.0)), (5, (2.0, 4.0)), (8, (2.0, 4.0))),
                "pairs": 10_000,
                "step": 1 / 64,
                "t1": 8.0,
                "law": "ginibre",
            },
            seconds=36,
        ),
        control=Control({"law": "wigner"}, "symmetric value matrices have another law", "β = 4"),
        main="β = 2",
        misses=0.01,
    ),
)
