"""A claim of "Sinkformers" (arXiv 2110.11773): which attention is a gradient flow in the space of measures.

With Q = K = B and V = A = B^T B the energies of n tokens are F0 = (1/2n^2) sum e^{<x_i, A x_j>} for attention without
normalization, and F = -(1/2n^2) sum k log(k/k0) for k0 = e^{<x_i, A x_j>} scaled to rows and columns that sum to n.
Both energies are written out here with NumPy, apart from the code of the model, and differentiated by differences.
The velocity of token i is n dF/dx_i. A field that is a gradient has a symmetric Jacobian; that of softmax has not.
"""

from __future__ import annotations

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from matplotlib.figure import Figure
from scipy.integrate import simpson
from scipy.special import logsumexp

import tokenfield as tkf
from tokenfield.claims.claim import Claim, Control, Finding, Setting, at_least, equals
from tokenfield.claims.figures import PALETTE, PREDICTED, panels

KINDS = {"Sinkhorn": tkf.Sinkhorn, "none": tkf.Unnormalized, "softmax": tkf.Softmax}
NUDGE = 1e-3  # of the differences, which are of fourth order
SIZE = 0.7  # standard deviation of the tokens' coordinates


def _scaled(logits: np.ndarray) -> np.ndarray:
    """log k: the logits with terms f_i + g_j added such that all rows and columns have the mean 1."""
    n, f = len(logits), np.zeros(len(logits))
    for _ in range(2000):
        g = np.log(n) - logsumexp(logits + f[:, None], axis=0)
        new = np.log(n) - logsumexp(logits + g, axis=1)
        change, f = np.max(np.abs(new - f)), new
        if change < 1e-14:
            break
    return logits + f[:, None] + g


def _energy(kind: str, x: np.ndarray, A: np.ndarray, half: float) -> float:
    logits = x @ A @ x.T
    if kind == "none":
        return float(half * np.mean(np.exp(logits)))
    log_k = _scaled(logits)
    return float(-half * np.mean(np.exp(log_k) * (log_k - logits)))


def _gradient(kind: str, x: np.ndarray, A: np.ndarray, half: float) -> np.ndarray:
    """n dF/dx_i by differences of fourth order, (n, d)."""
    found = np.zeros_like(x)
    for place in np.ndindex(*x.shape):
        step = np.zeros_like(x)
        step[place] = NUDGE
        one, two = ([_energy(kind, x + sign * m * step, A, half) for sign in (1, -1)] for m in (1, 2))
        found[place] = (8 * (one[0] - one[1]) - (two[0] - two[1])) / (12 * NUDGE)
    return len(x) * found


@eqx.filter_jit
def _field(attention: tkf.Softmax, B: jax.Array, x: jax.Array) -> tuple[jax.Array, jax.Array]:
    """The velocities (n, d) and their Jacobian (nd, nd)."""
    model = tkf.Transformer(tkf.Euclidean(x.shape[1]), attention, Q=B, K=B, V=B.T @ B)

    def velocity(flat: jax.Array) -> jax.Array:
        y = flat.reshape(x.shape)
        return model.velocity(0.0, y, tkf.Measure(y)).reshape(-1)

    return velocity(x.reshape(-1)).reshape(x.shape), jax.jacrev(velocity)(x.reshape(-1))


def _gradient_flow(*, seed: int, n: int, d: int, t1: float, half: float, doubly: str) -> Finding:
    rng = np.random.default_rng(seed)
    x, B = SIZE * rng.normal(size=(n, d)), rng.normal(size=(d, d)) / np.sqrt(d)
    A, fields, checks, crooked = B.T @ B, {}, [], {}
    for name, kind in KINDS.items():
        attention = KINDS[doubly](1.0) if name == "Sinkhorn" else kind(1.0)
        field, jacobian = (np.asarray(a) for a in _field(attention, jnp.asarray(B), jnp.asarray(x)))
        crooked[name] = float(np.linalg.norm(jacobian - jacobian.T) / np.linalg.norm(jacobian))
        if name == "softmax":
            continue
        slope = _gradient(name, x, A, half)
        fields[name] = field, slope
        error = np.abs(field - slope).max() / np.abs(slope).max()
        what = f"{'doubly stochastic' if name == 'Sinkhorn' else 'not normalized'}: largest error of velocity = n dF/dx"
        checks.append(equals(what, error, 0, within=1e-6, because="differences of fourth order, and sweeps to 1e-10"))
    s, energies, powers = _along(x, B, t1, doubly)
    fallen = simpson(2 * s * powers, x=s)
    checks += [
        equals("V = −A: fall of F over the integral of |velocity|²", (energies[0] - energies[-1]) / fallen, 1,
               within=1e-3, because="Simpson's rule over 41 saved times"),
        equals("doubly stochastic: asymmetry of the Jacobian, relative", crooked["Sinkhorn"], 0, within=1e-6,
               because="sweeps to 1e-10, differentiated"),
        at_least("softmax: asymmetry of the Jacobian, relative", crooked["softmax"], 0.02,
                 because="far beyond rounding: no function has this field for its gradient"),
    ]  # fmt: skip
    return Finding(checks, {"fields": fields, "ts": s**2, "energies": energies, "powers": powers, "crooked": crooked})


def _along(x: np.ndarray, B: np.ndarray, t1: float, doubly: str) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Times, F and the mean of |velocity|^2 along the flow with V = -A, as in the paper, which descends F."""
    A = B.T @ B
    model = tkf.Transformer(tkf.Euclidean(x.shape[1]), KINDS[doubly](1.0), Q=B, K=B, V=-A)
    # more times where tokens are fast; an even number of spans of t = s^2, for Simpson's rule in s
    s = np.linspace(0, np.sqrt(t1), 41)
    run = tkf.solve(model, x, t1=t1, save=np.minimum(s**2, t1), rtol=1e-9, atol=1e-11)
    energies = np.array([_energy("Sinkhorn", np.asarray(y), A, 0.5) for y in run.saved_points])
    return s, energies, np.asarray(_powers(model, run.saved_points))


@eqx.filter_jit
def _powers(model: tkf.Transformer, points: jax.Array) -> jax.Array:
    """The mean of |velocity|^2 at each of points (T, n, d)."""
    return jax.lax.map(lambda y: jnp.sum(model.velocity(0.0, y, tkf.Measure(y)) ** 2) / len(y), points)


def _draw(finding: Finding) -> Figure:
    figure, (left, right) = panels(2, width=8.0)
    names = {"Sinkhorn": "doubly stochastic", "none": "not normalized"}
    for color, (name, (field, slope)) in zip(PALETTE, finding.data["fields"].items(), strict=False):
        scale = np.abs(slope).max()
        left.plot(slope.ravel() / scale, field.ravel() / scale, "o", color=color, markersize=4, label=names[name])
    left.plot([-1, 1], [-1, 1], label="equal", **PREDICTED)
    left.set(xlabel=r"$n\,\partial F/\partial x_i$ by differences, over the largest", ylabel="velocity, over the same")
    left.legend(loc="upper left", fontsize=8)
    ts, energies, powers = (finding.data[name] for name in ("ts", "energies", "powers"))
    right.plot(ts, energies, linewidth=2.2, color=PALETTE[0], label="$F$ along the flow, $V = -A$")
    spent = np.concatenate([[0], np.cumsum(np.diff(ts) * (powers[1:] + powers[:-1]) / 2)])
    right.plot(ts, energies[0] - spent, label=r"$F(0) - \int_0^t \int |v|^2 d\mu\, ds$", **PREDICTED)
    right.set(xlabel="time $t$ of the flow", ylabel="energy $F$")
    right.legend(loc="upper right", fontsize=8)
    return figure


CLAIMS = (
    Claim(
        id="sabp22-gradient-flow",
        title="Doubly stochastic attention is a gradient flow, softmax attention is not",
        statement=r"If $Q^\top K$ is symmetric and $V = -Q^\top K$, attention follows the steepest descent in the "
        r"Wasserstein space of $F_0 = \frac12 \iint k_0$ without normalization, and of $F = -\frac12 \iint k \log "
        r"\frac{k}{k_0}$ when $k$ is $k_0$ scaled to be doubly stochastic. Softmax attention descends nothing.",
        paper="sabp22",
        where="proposition on Wasserstein gradient flows, as other papers quote it",
        status="second-hand",
        assumptions=(r"tokens in $\mathbb{R}^3$, $Q = K = B$ with Gaussian entries, so that $Q^\top K = B^\top B$",),
        experiment=_gradient_flow,
        draw=_draw,
        quick=Setting({"n": 8, "d": 3, "t1": 2.0, "half": 0.5, "doubly": "Sinkhorn"}, seconds=3),
        full=Setting({"n": 24, "d": 3, "t1": 4.0, "half": 0.5, "doubly": "Sinkhorn"}, seconds=20),
        control=Control(
            {"doubly": "softmax"}, "softmax attention in place of the doubly stochastic one", "doubly stochastic:"
        ),
        main="doubly stochastic: largest error",
        note=r"Softmax descends nothing in the flat metric, which is the paper's. On the sphere with $Q = K = V = I$ "
        "it is a gradient flow in a metric that depends on the tokens (arXiv 2312.10794).",
    ),
)
