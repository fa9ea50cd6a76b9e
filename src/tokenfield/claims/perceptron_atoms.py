r"""A claim about critical measures of attention with a perceptron (arXiv 2601.21366): they consist of atoms.

On the circle a measure mu is at rest under unnormalized attention with V = -I and the perceptron grad phi if the
potential U = (1/beta) e^{beta cos} * mu - phi has derivative zero on its support. The first part is analytic. Where phi
is (1/2) relu(<a, x> + b)^2, it is a trigonometric polynomial on each of several arcs. So if the support is infinite, U
is constant on an arc, and mu has the Fourier coefficients that this arc's polynomial asks for, all over the circle: it
is a polynomial too, and its support is everything. But on the other arcs U is not constant, unless phi has no kink.
Hence finitely many atoms, for every strength; and a density if there is no kink and the polynomial is positive.
"""

from __future__ import annotations

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from matplotlib.figure import Figure
from scipy.optimize import root
from scipy.special import iv

import tokenfield as tkf
from tokenfield.claims.claim import Check, Claim, Control, Finding, Setting, at_most, equals
from tokenfield.claims.figures import PALETTE, PREDICTED, panels
from tokenfield.geometry import on_circle

CIRCLE = tkf.Sphere(2)
NEURONS, BIAS = 3, -0.5  # at equal angles, each active on a third of the circle
STEP = 0.04
APART = 1e-5  # tokens nearer than this are one atom: they approach each other to rounding, atoms are a tenth apart


@eqx.filter_jit
def _ends(beta: jax.Array, neurons: tuple[jax.Array, ...], starts: jax.Array, t1: float) -> jax.Array:
    """Angles at t1 of tokens that repel each other, with a perceptron, from angles `starts`.

    `neurons` are their directions (m,), biases (m,) and strengths (2, m), of each neuron and of its mirror image: both
    together are max(z, 0) a - max(-z, 0) a = z a.
    """
    directions, bias, strengths = neurons
    A = jnp.concatenate([on_circle(directions), -on_circle(directions)])
    perceptron = tkf.Perceptron(W=(strengths.ravel()[:, None] * A).T, A=A, b=jnp.concatenate([bias, -bias]))
    model = tkf.Transformer(CIRCLE, [tkf.Head(tkf.Unnormalized(beta), V=-jnp.eye(2)), perceptron])
    x = tkf.solve(model, tkf.Measure(on_circle(starts)), t1=t1, method="rk4", step=STEP, save="end").saved_points[-1]
    return jnp.arctan2(x[:, 1], x[:, 0])


def _rest(
    rng: np.random.Generator, n: int, beta: float, directions: np.ndarray, b: float, strength: float, t1: float,
    is_kinked: bool,
) -> np.ndarray:  # fmt: skip
    """Angles at t1 of n tokens that start nearly even, in the potential of these neurons, with their kinks or not."""
    strengths = np.repeat([[strength], [0.0 if is_kinked else strength]], len(directions), axis=1)
    neurons = (jnp.asarray(value) for value in (directions, np.full(len(directions), b), strengths))
    return np.asarray(_ends(jnp.asarray(beta), tuple(neurons), jnp.asarray(_spread_out(rng, n)), t1))


def _spread_out(rng: np.random.Generator, n: int) -> np.ndarray:
    """n angles that are nearly even: a random turn, and half of the even distance at random."""
    return rng.uniform(0, 2 * np.pi) + 2 * np.pi * (np.arange(n) + rng.uniform(-0.25, 0.25, n)) / n


def _atoms(angles: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The means of groups of angles that are further than `APART` from each other, and their masses."""
    order = np.sort(np.mod(angles, 2 * np.pi))
    gaps = np.diff(np.append(order, order[0] + 2 * np.pi))
    last = np.flatnonzero(gaps > APART)
    groups = np.split(np.roll(order, -(last[-1] + 1)), np.cumsum(np.diff(np.append(last[-1] - len(order), last)))[:-1])
    return np.array([np.angle(np.exp(1j * g).mean()) for g in groups]), np.array([len(g) for g in groups]) / len(order)


def _force(theta: np.ndarray, masses: np.ndarray, beta: float, strength: float) -> np.ndarray:
    """-U' at atoms, written out: repulsion of the others, and the slope of the neurons that are active."""
    apart = theta[:, None] - theta
    active = np.maximum(np.cos(theta[:, None] - _directions()) + BIAS, 0)
    push = (np.exp(beta * np.cos(apart)) * np.sin(apart)) @ masses
    return push - strength * np.sum(active * np.sin(theta[:, None] - _directions()), axis=1)


def _directions() -> np.ndarray:
    return 2 * np.pi * np.arange(NEURONS) / NEURONS


def _splits_at(beta: float) -> float:
    """The strength below which an atom of mass 1/3 at the middle of each arc splits: where U'' = 0 there."""
    away = np.cos(2 * np.pi / NEURONS)
    others = (NEURONS - 1) * np.exp(beta * away) * (beta * (1 - away**2) - away)
    return float((np.exp(beta) - others) / NEURONS / (1 + BIAS))


def _atomic(
    *, seed: int, beta: float, parts: tuple[float, ...], sizes: tuple[int, ...], t1: float, is_kinked: bool
) -> Finding:
    rng = np.random.default_rng(seed)
    checks: list[Check] = []
    rows = []
    for part in parts:
        strength, expected = part * _splits_at(beta), NEURONS if part > 1 else 2 * NEURONS
        for n in sizes:
            found = _rest(rng, n, beta, _directions(), BIAS, strength, t1, is_kinked)
            theta, masses = _atoms(found)
            name = f"s = {part:g} s_c, n = {n}: "
            checks.append(equals(name + "atoms that are left", len(theta), expected, within=0, because="a count"))
            exact = root(_force, theta, args=(masses, beta, strength), tol=1e-14).x
            checks.append(at_most(name + "largest error of their places", np.abs(exact - theta).max(), 0, slack=1e-7,
                                  because="decay until the end"))  # fmt: skip
            rows.append((name, found, part))
    return Finding([*checks, *_density_checks(rng, beta, sizes, t1, rows)], {"rows": rows, "beta": beta})


def _density_checks(
    rng: np.random.Generator, beta: float, sizes: tuple[int, ...], t1: float, rows: list[tuple[str, np.ndarray, float]]
) -> list[Check]:
    """One neuron without a kink, (s/2) (cos + b)^2: a density 1 + m_1 cos + m_2 cos 2, m_k = beta phi_k / I_k."""
    b, m2 = 0.5, 0.3
    strength = 4 * m2 * iv(2, beta) / beta
    m1 = beta * strength * b / iv(1, beta)
    checks = []
    for n in sizes:
        # all neurons in one direction: one of their joint strength
        found = _rest(rng, n, beta, np.zeros(NEURONS), b, strength / NEURONS, t1, False)
        moments = np.array([np.cos(found).mean() - m1 / 2, np.cos(2 * found).mean() - m2 / 2])
        checks += [
            equals(f"without a kink, n = {n}: number of atoms", len(_atoms(found)[0]), n, within=0, because="a count"),
            at_most(f"without a kink, n = {n}: largest error of two moments", np.abs(moments).max(), 0, slack=1e-4,
                    because="forces of high modes, which are far weaker, are still at work"),
        ]  # fmt: skip
        rows.append((f"no kink, n = {n}", found, 0.0))
    return checks


def _draw_atomic(finding: Finding) -> Figure:
    figure, ax = panels(1, width=6.4, height=3.2)
    rows = finding.data["rows"]
    for y, (_, angles, part) in enumerate(rows):
        color = PALETTE[1] if not part else PALETTE[0]
        theta, masses = _atoms(angles)
        ax.scatter(np.degrees(np.mod(theta, 2 * np.pi)), np.full(len(theta), y), s=10 + 500 * masses, color=color,
                   alpha=0.5, linewidths=0)  # fmt: skip
    for middle in (*_directions(), 2 * np.pi):
        ax.axvline(np.degrees(middle), **PREDICTED | {"linewidth": 0.6})
    names = [name.rstrip(": ").replace("s_c", "$s_c$").replace("s =", "$s$ =") for name, *_ in rows]
    ax.set(xlabel="angle (degrees); the area is the mass", yticks=range(len(rows)), yticklabels=names, xlim=(-15, 375))
    ax.set_xticks(range(0, 361, 60))
    ax.invert_yaxis()
    return figure


CLAIMS = (
    Claim(
        id="perceptrons26-atomic",
        title="With a kinked perceptron repelling tokens rest in a few atoms, however many they are",
        statement=r"On the circle each critical measure of attention with a perceptron "
        r"$\sum_a s\, a \max(\langle a, x\rangle + b, 0)$ that is off somewhere has finitely many atoms, for every "
        r"strength $s > 0$. Even tokens that repel each other ($V = -I$) end so: three neurons at equal angles, "
        r"$b = -\frac12$, leave 3 atoms for $s > s_c$ and 6 below, "
        r"$s_c = \frac23 \left(e^\beta - 2 e^{-\beta/2} (\frac34 \beta + \frac12)\right)$, for any number of tokens. "
        r"Without "
        r"the kink $\frac{s}{2} (\cos\theta + b)^2$ leaves the density "
        r"$1 + \frac{\beta s b}{I_1(\beta)} \cos\theta + \frac{\beta s}{4 I_2(\beta)} \cos 2\theta$, where positive.",
        paper="perceptrons26",
        where="abstract: critical points are generically atomic; reason, strength and density are derived, on the "
        "circle",
        status="second-hand",
        main="s = 0.8 s_c, n = 72: atoms that are left",
        assumptions=(
            r"unnormalized attention, $Q = K = I$, $V = -I$, on the circle",
            "tokens start nearly even, so that each arc has a third of them",
        ),
        experiment=_atomic,
        draw=_draw_atomic,
        quick=Setting({"beta": 4.0, "parts": (1.3, 0.8), "sizes": (24, 72), "t1": 120.0, "is_kinked": True}, seconds=3),
        full=Setting(
            {"beta": 4.0, "parts": (1.3, 0.9, 0.8), "sizes": (24, 72, 384), "t1": 200.0, "is_kinked": True},
            seconds=60,
        ),
        control=Control(
            {"is_kinked": False},
            "the three neurons without their kinks cancel: as many atoms as tokens",
            "atoms that are left",
        ),
        note="The abstract, all that we know of the paper, says that critical points are generically atomic and "
        "localized on subsets of the sphere. For weaker potentials tokens condense ever more slowly: at a tenth of "
        "the strength the last ones still move after hundreds of units of time.",
    ),
)
