"""Stability of the flow of measures: Dobrushin's estimate, and the radius of the support.

On the circle with unnormalized attention the field is X[mu](th) = int g(ph - th) dmu(ph), g(u) = e^{beta cos u} sin u.
Let L = max |g'| = max |e^{beta cos u} (cos u - beta sin^2 u)|. For any coupling pi of mu and nu moved along the flows,
X[mu](x) - X[nu](y) = int (g(x' - x) - g(y' - y)) dpi(x', y') is at most L (|x - y| + int |x' - y'| dpi), so that
W_p(mu_t, nu_t) <= e^{2 L t} W_p(mu_0, nu_0) for every p >= 1 (arXiv 2312.10794, 2501.18322).
"""

from __future__ import annotations

from functools import cache

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import pytest

import tokenfield as tkf
from tokenfield.transport import wasserstein

CIRCLE = tkf.Sphere(2)


def on_circle(theta: np.ndarray) -> np.ndarray:
    return np.stack([np.cos(theta), np.sin(theta)], axis=-1)


# --- Dobrushin ------------------------------------------------------------------------------------------------------

BETA, N, T1 = 1.0, 48, 0.5
DISTANCES = (1e-1, 1e-2, 1e-3, 1e-4)


def lipschitz(beta: float) -> float:
    """L = max |g'|; for beta = 1 it is e, at u = 0."""
    u = np.linspace(0, np.pi, 10_001)
    return float(np.abs(np.exp(beta * np.cos(u)) * (np.cos(u) - beta * np.sin(u) ** 2)).max())


@eqx.filter_jit
def flows(x, w):
    model = tkf.Transformer(CIRCLE, tkf.Unnormalized(BETA))

    def one(points, weights):
        return tkf.solve(model, tkf.Measure(points, weights), t1=T1, method="rk4", step=0.025, save="end").final.points

    return jax.vmap(one)(x, w)


@cache
def pairs() -> dict[str, tuple[tuple[tkf.Measure, tkf.Measure], tuple[tkf.Measure, tkf.Measure]]]:
    """Pairs of measures at the start and at the end, by name; all systems are solved as one batch."""
    rng = np.random.default_rng(0)
    theta, ones = rng.vonmises(0.0, 1.0, N), np.ones(N)
    shift, tilt = rng.normal(size=N), rng.uniform(-1, 1, N)
    systems = {"base": (theta, ones)}
    for size in DISTANCES:
        systems[f"moved {size}"] = (theta + size * shift, ones)
        systems[f"reweighted {size}"] = (theta, 1 + size * tilt)
    angles, weights = (np.array(a) for a in zip(*systems.values(), strict=True))
    ends = flows(jnp.asarray(on_circle(angles)), jnp.asarray(weights))
    start = {name: tkf.Measure(on_circle(a), w) for name, (a, w) in systems.items()}
    end = {name: tkf.Measure(x, w) for name, x, w in zip(systems, np.asarray(ends), weights, strict=True)}
    return {name: ((start["base"], start[name]), (end["base"], end[name])) for name in systems if name != "base"}


def growth(name: str, p: int) -> float:
    """W_p(mu_t, nu_t) / W_p(mu_0, nu_0)."""
    before, after = pairs()[name]
    return wasserstein(*after, CIRCLE, p=p) / wasserstein(*before, CIRCLE, p=p)


@pytest.mark.slow
@pytest.mark.parametrize("p", [1, 2])
def test_distances_grow_at_most_like_dobrushin_says(p):
    bound = np.exp(2 * lipschitz(BETA) * T1)
    assert lipschitz(BETA) == pytest.approx(np.e)
    moved, reweighted = ([growth(f"{kind} {size}", p) for size in DISTANCES] for kind in ("moved", "reweighted"))
    assert np.all(np.array([*moved, *reweighted]) <= bound)
    # uniformly as the distance goes to 0: the ratio tends to that of the linearized flow, with corrections of the
    # size of the distance (for moved mass W_2 is of the order of the root of the change, so that it comes later)
    assert moved[-1] == pytest.approx(moved[-2], rel=1e-2)
    assert reweighted[-1] == pytest.approx(reweighted[-2], rel=1e-2 if p == 1 else 0.1)
    assert max(*moved, *reweighted) < 3 * min(*moved, *reweighted)


# --- the radius of the support ----------------------------------------------------------------------------------------

D, COUNT, RADIUS_T = 3, 16, 1.5
RADIUS_TIMES = np.linspace(0.0, RADIUS_T, 31)
RNG = np.random.default_rng(5)
Q, K = RNG.normal(size=(2, D, D)) / 2
LAYERS = RNG.normal(size=(5, D, D)) / 2
SYMMETRIC = -(LAYERS[0] + LAYERS[0].T) / 2  # the sign for which the eigenvalue of largest modulus is positive


def swell(t):
    """A factor of V that changes smoothly with depth; its integral is t + (1 - cos 3t)/6."""
    return 1 + 0.5 * np.sin(3 * t) if isinstance(t, np.ndarray) else 1 + 0.5 * jnp.sin(3 * t)


@eqx.filter_jit
def radii(kind: str, V, x):
    """max_i |x_i| at RADIUS_TIMES, for starts x (b, n, d)."""
    if kind == "per layer":
        schedule = tkf.schedule.PerLayer([tkf.Head(tkf.Softmax(1.0), Q=Q, K=K, V=layer) for layer in V], t1=RADIUS_T)
    else:
        schedule = tkf.schedule.FunctionOfDepth(lambda t: tkf.Head(tkf.Softmax(1.0), Q=Q, K=K, V=swell(t) * SYMMETRIC))
    model = tkf.Transformer(tkf.Euclidean(D), schedule)

    def one(points):
        run = tkf.solve(model, tkf.Measure(points), t1=RADIUS_T, method="rk4", step=0.025, save=RADIUS_TIMES)
        return jnp.linalg.norm(run.points, axis=2).max(axis=1)

    return jax.vmap(one)(x)


def bound(kind: str, V: np.ndarray) -> np.ndarray:
    """e^{int_0^t |V|} at RADIUS_TIMES."""
    if kind == "per layer":
        norms = [np.linalg.norm(layer, 2) for layer in V]
        at_jumps = np.cumsum([0.0, *norms]) * RADIUS_T / len(V)
        return np.exp(np.interp(RADIUS_TIMES, np.linspace(0, RADIUS_T, len(V) + 1), at_jumps))
    return np.exp(np.linalg.norm(SYMMETRIC, 2) * (RADIUS_TIMES + (1 - np.cos(3 * RADIUS_TIMES)) / 6))


def starts() -> np.ndarray:
    """A cloud, and a point at the eigenvector of the largest |eigenvalue| of SYMMETRIC: (2, n, d)."""
    values, vectors = np.linalg.eigh(SYMMETRIC)
    sign = np.argmax(np.abs(values))
    assert values[sign] > 0  # it grows
    cloud = np.random.default_rng(6).normal(size=(COUNT, D))
    return np.array([cloud, np.tile(2 * vectors[:, sign], (COUNT, 1))])


@pytest.mark.slow
@pytest.mark.parametrize(
    ("kind", "V"),
    [
        ("function of depth", SYMMETRIC[None]),
        ("per layer", LAYERS),
        ("per layer", np.tile(SYMMETRIC, (5, 1, 1))),  # constant
    ],
    ids=["function of depth", "per layer", "constant"],
)
def test_support_grows_at_most_like_the_norm_of_the_values(kind, V):
    cloud, point = np.asarray(radii(kind, V, jnp.asarray(starts())))
    limit = bound(kind, V)
    # RK4 at steps of 0.025 is good to 1e-8
    assert np.all(cloud <= cloud[0] * limit * (1 + 1e-7))
    assert np.all(point <= point[0] * limit * (1 + 1e-7))
    if V is not LAYERS:
        # equality: a single point at the eigenvector is multiplied by e^{int lambda}
        np.testing.assert_allclose(point, point[0] * limit, rtol=1e-7)
        # the control: half the norm is not enough
        assert point[-1] > point[0] * np.sqrt(limit[-1]) * 1.1


@pytest.mark.parametrize(
    "attention", [tkf.Softmax(1.0), tkf.L2(1.0), tkf.Sigmoid(1.0, 0.3), tkf.Linear(1.0), tkf.Unnormalized(1.0)]
)
def test_field_is_bounded_by_values_times_radius_for_weights_of_at_most_one(attention):
    """|Gamma_mu(x)| <= |V| R is what the bound rests on: for weights that sum to at most one, and for no others.

    Linear and unnormalized attention break it: there a point at the eigenvector e_1 moves outward faster than |V| R.
    """
    model = tkf.Transformer(tkf.Euclidean(D), attention, V=SYMMETRIC)
    cloud, point = (tkf.Measure(2 * x) for x in starts())
    speed = {}
    for name, mu in (("cloud", cloud), ("point", point)):
        lengths = np.linalg.norm(np.asarray(model.velocity(0.0, mu.points, mu)), axis=1)
        reach = np.linalg.norm(SYMMETRIC, 2) * np.linalg.norm(np.asarray(mu.points), axis=1).max()
        speed[name] = lengths.max() / reach
    if isinstance(attention, tkf.Linear | tkf.Unnormalized):
        assert speed["point"] > 2
    else:
        assert max(speed.values()) <= 1 + 1e-14
