"""Wasserstein distances against linear programs, literal Sinkhorn sweeps and closed forms, and their laws."""

from __future__ import annotations

import subprocess
import sys
import warnings

import jax
import numpy as np
import pytest
from scipy.linalg import sqrtm
from scipy.optimize import linprog

import tokenfield as tkf
from tokenfield.errors import ApproximationWarning
from tokenfield.transport import (
    circle_wasserstein,
    density_wasserstein,
    line_wasserstein,
    sinkhorn_divergence,
    sliced_wasserstein,
    wasserstein,
)

SPACE, BALL = tkf.Euclidean(3), tkf.Sphere(3)
N = 12  # all Sinkhorn distances of the default tests have this many tokens: each shape takes seconds to compile


def by_program(cost: np.ndarray, a: np.ndarray, b: np.ndarray) -> float:
    """The cost of optimal transport, as a linear program over all couplings."""
    n, m = cost.shape
    rows = np.kron(np.eye(n), np.ones(m))
    columns = np.kron(np.ones(n), np.eye(m))
    found = linprog(cost.ravel(), A_eq=np.vstack([rows, columns]), b_eq=np.concatenate([a, b]), bounds=(0, None))
    return found.fun


def angles_and_weights(seed, n, m):
    rng = np.random.default_rng(seed)
    a, b = rng.uniform(0.2, 1, n), rng.uniform(0.2, 1, m)
    return rng.uniform(-4, 9, n), rng.uniform(-4, 9, m), a / a.sum(), b / b.sum()


@pytest.mark.parametrize("p", [1, 2, 3])
@pytest.mark.parametrize(("seed", "n", "m"), [(0, 5, 7), (1, 8, 8), (2, 1, 6), (3, 12, 3), (4, 1, 1)])
def test_circle_and_line_equal_the_linear_program(p, seed, n, m):
    x, y, a, b = angles_and_weights(seed, n, m)
    gaps = np.abs(x[:, None] - y)
    around = np.abs((x[:, None] - y + np.pi) % (2 * np.pi) - np.pi)
    # the program itself is solved to about 1e-9
    assert circle_wasserstein(x, y, a, b, p=p) ** p == pytest.approx(by_program(around**p, a, b), rel=1e-7, abs=1e-9)
    assert line_wasserstein(x, y, a, b, p=p) ** p == pytest.approx(by_program(gaps**p, a, b), rel=1e-7, abs=1e-9)


@pytest.mark.parametrize("p", [1, 2])
def test_turning_a_measure_costs_the_angle(p):
    """Turning a few clusters, across the cut at 0, costs the angle, also for equal points."""
    x = np.array([0.1, 0.1, 2.0, 6.2])
    w = np.array([0.1, 0.2, 0.3, 0.4])
    assert circle_wasserstein(x, x + 0.05, w, w, p=p) == pytest.approx(0.05, abs=1e-12)
    assert circle_wasserstein(x, x + 2 * np.pi, w, w, p=p) == pytest.approx(0, abs=1e-12)
    assert circle_wasserstein([0.1], [0.1 + np.pi], [1.0], [1.0], p=p) == pytest.approx(np.pi)


def test_measures_and_slices():
    circle, line, sphere = tkf.Sphere(2), tkf.Euclidean(1), tkf.Sphere(3)
    theta = np.array([0.3, 1.0, 4.0])
    mu, nu = (tkf.Measure(np.stack([np.cos(t), np.sin(t)], 1), geometry=circle) for t in (theta, theta + 0.2))
    assert wasserstein(mu, nu, circle) == pytest.approx(0.2)
    assert sliced_wasserstein(mu, nu, circle, slices=3) == pytest.approx(0.2)  # every great circle is the circle
    a, b = tkf.Measure([[0.0], [1.0]]), tkf.Measure([[0.5], [2.0]], [1.0, 3.0])
    assert wasserstein(a, b, line) == pytest.approx(
        by_program(np.abs(np.array([[0.5, 2], [0.5, 1]])), [0.5, 0.5], [0.25, 0.75])
    )
    uniform = [tkf.initial.uniform(sphere, n=400, seed=seed) for seed in (0, 1)]
    cap = tkf.initial.cap(sphere, n=400, seed=2, center=[0.0, 0.0, 1.0], angle=0.5)
    # two samples of one law are closer than samples of different laws
    near, far = sliced_wasserstein(*uniform, sphere, slices=32), sliced_wasserstein(uniform[0], cap, sphere, slices=32)
    assert near < 0.3 < 0.6 < far
    space = tkf.Euclidean(3)
    shift = np.array([0.3, -0.4, 1.2])
    x = tkf.Measure(uniform[0].points)
    # a translation by v moves the view along u by <u, v>: the mean of its square is |v|^2 / d
    found = sliced_wasserstein(x, tkf.Measure(uniform[0].points + shift), space, slices=4000)
    assert found == pytest.approx(np.linalg.norm(shift) / np.sqrt(3), rel=0.05)


# --- exact, beyond circle and line ------------------------------------------------------------------------------------


def distances(x: np.ndarray, y: np.ndarray, geometry: tkf.Geometry) -> np.ndarray:
    """All distances, one pair at a time."""
    if isinstance(geometry, tkf.Sphere):
        return np.array([[np.arccos(np.clip(np.dot(p, q), -1, 1)) for q in y] for p in x])
    return np.array([[np.linalg.norm(p - q) for q in y] for p in x])


SEEDS: list[dict] = [{}, {"seed": 1}, {"seed": jax.random.key(1)}]


def two_clouds(geometry: tkf.Geometry, n: int = N, m: int = N, *, seed: int = 0, weighted: bool = True):
    """Two different laws: the second is shifted, in R^3 also stretched."""
    rng = np.random.default_rng(seed)
    x, y = rng.normal(size=(n, 3)), rng.normal(size=(m, 3)) * [1.5, 1.0, 0.5] + [1.0, 0.5, 0.0]
    if isinstance(geometry, tkf.Sphere):
        x, y = (z / np.linalg.norm(z, axis=1, keepdims=True) for z in (x, y))
    a, b = (rng.uniform(0.2, 1, k) if weighted else np.ones(k) for k in (n, m))
    return tkf.Measure(x, a, geometry=geometry), tkf.Measure(y, b, geometry=geometry)


@pytest.mark.parametrize("p", [1, 2])
@pytest.mark.parametrize("geometry", [SPACE, BALL], ids=["space", "sphere"])
@pytest.mark.parametrize(("n", "m", "weighted"), [(8, 8, False), (7, 9, False), (6, 8, True), (1, 5, True)])
def test_exact_distances_equal_the_linear_program(p, geometry, n, m, weighted):
    """Equal masses go by assignment, all others by a program; the oracle's arrays are dense and separate."""
    mu, nu = two_clouds(geometry, n, m, weighted=weighted)
    cost = distances(np.asarray(mu.points), np.asarray(nu.points), geometry) ** p
    expected = by_program(cost, np.asarray(mu.weights), np.asarray(nu.weights)) ** (1 / p)
    assert wasserstein(mu, nu, geometry, p=p) == pytest.approx(expected, rel=1e-8)  # both programs stop at about 1e-9
    assert wasserstein(nu, mu, geometry, p=p, method="exact") == pytest.approx(expected, rel=1e-8)


def test_rotating_an_equator_costs_the_angle_and_the_triangle_inequality_holds():
    """Twelve tokens at 30 degrees, turned by less than half of that, move to their images."""
    theta = 2 * np.pi * np.arange(N) / N
    turned = [
        tkf.Measure(np.stack([np.cos(t), np.sin(t), 0 * t], 1), geometry=BALL)
        for t in (theta, theta + 0.1, theta + 0.2)
    ]
    for p in (1, 2):
        assert wasserstein(turned[0], turned[1], BALL, p=p) == pytest.approx(0.1, abs=1e-12)
        assert wasserstein(turned[0], turned[0], BALL, p=p) == 0.0
    a, b = two_clouds(BALL, weighted=False)
    sides = [wasserstein(*pair, BALL, p=2) for pair in ((a, b), (b, turned[0]), (a, turned[0]))]
    assert all(2 * side <= sum(sides) for side in sides)


def test_methods_are_chosen_by_cost(monkeypatch):
    mu, nu = two_clouds(BALL, 30, 30, weighted=False)
    exact = wasserstein(mu, nu, BALL, p=2)
    monkeypatch.setattr("tokenfield.transport.distances.sliced_wasserstein", lambda *_, p: -10.0 * p)
    assert wasserstein(mu, nu, BALL, p=2, method="sliced") == -20.0
    monkeypatch.setattr("tokenfield.transport.distances.sinkhorn_divergence", lambda *_, p: -float(p))
    assert wasserstein(mu, nu, BALL, p=2) == exact
    monkeypatch.setattr("tokenfield.transport.distances.MOST_PROGRAMMED", 899)
    assert wasserstein(mu, nu, BALL, p=2) == exact  # masses are equal: still an assignment
    monkeypatch.setattr("tokenfield.transport.distances.MOST_ASSIGNED", 899)
    with pytest.warns(ApproximationWarning, match=r"between 30 and 30 points.*entropic.*method='sinkhorn' accepts it"):
        assert wasserstein(mu, nu, BALL, p=2) == -2.0
    with warnings.catch_warnings(action="error"):  # who asks for it is not warned
        assert wasserstein(mu, nu, BALL, p=2, method="sinkhorn") == -2.0
    with pytest.raises(tkf.Unsupported, match=r"takes too long.*sinkhorn"):
        wasserstein(mu, nu, BALL, method="exact")


def test_views_take_seeds_and_keys():
    mu, nu = two_clouds(BALL, 9, 9, weighted=False)
    default, other, by_key = (sliced_wasserstein(mu, nu, BALL, slices=3, **seed) for seed in SEEDS)
    assert default == sliced_wasserstein(mu, nu, BALL, slices=3, seed=0)
    assert default != other == by_key
    with pytest.raises(tkf.InvalidInput, match="seed must be one integer or one JAX key"):
        sliced_wasserstein(mu, nu, BALL, seed=0.5)


# --- densities on the circle ------------------------------------------------------------------------------------------


def split_cells(values: np.ndarray, pieces: int) -> tuple[np.ndarray, np.ndarray]:
    """Angles and masses of a density that is constant on cells around 2 pi i / m, as many equal Diracs per cell."""
    m = len(values)
    offsets = (np.arange(pieces) + 0.5) / pieces - 0.5
    angles = 2 * np.pi * (np.arange(m)[:, None] + offsets) / m
    return angles.ravel(), np.repeat(values / values.sum() / pieces, pieces)


def circle_tokens(seed: int, n: int) -> tkf.Measure:
    rng = np.random.default_rng(seed)
    theta = rng.vonmises(2.5, 2.0, n)
    return tkf.Measure(np.stack([np.cos(theta), np.sin(theta)], 1), rng.uniform(0.2, 1, n), geometry=tkf.Sphere(2))


@pytest.mark.parametrize("p", [1, 2])
def test_densities_are_not_limited_by_their_grid(p):
    rng = np.random.default_rng(0)
    values = rng.uniform(0, 1, 10) * (np.arange(10) % 4 != 1)  # with empty cells
    other = rng.uniform(0, 1, 7)
    mu = circle_tokens(1, 15)
    theta = np.arctan2(*np.asarray(mu.points).T[::-1])
    pieces = 2000
    x, a = split_cells(values, pieces)
    y, b = split_cells(other, pieces)
    # the oracle is off by at most half of the distance of its Diracs, 1.6e-4 and 2.2e-4; moves of mass cancel in W_1
    assert density_wasserstein(values, mu, p=p) == pytest.approx(
        circle_wasserstein(x, theta, a, mu.weights, p=p), abs=1e-6
    )
    assert density_wasserstein(values, other, p=p) == pytest.approx(circle_wasserstein(x, y, a, b, p=p), abs=1e-6)
    assert density_wasserstein(other, values, p=p) == pytest.approx(density_wasserstein(values, other, p=p), abs=1e-12)
    # the masses at the centers instead are off by a part of the spacing
    centers, masses = split_cells(values, 1)
    assert (
        abs(circle_wasserstein(centers, theta, masses, mu.weights, p=p) - density_wasserstein(values, mu, p=p)) > 1e-3
    )


def test_densities_in_closed_form():
    """From the uniform law to a Dirac: int |theta| and int theta^2; a density and itself; a turn by a whole cell."""
    one = tkf.Measure([[np.cos(0.3), np.sin(0.3)]])
    for m in (1, 3, 64):
        assert density_wasserstein(np.ones(m), one) == pytest.approx(np.pi / 2, abs=1e-12)
        assert density_wasserstein(np.ones(m), one, p=2) == pytest.approx(np.pi / np.sqrt(3), abs=1e-12)
    block = np.where(np.arange(64) < 8, 1.0, 0.0)
    for p in (1, 2):
        assert density_wasserstein(block, block, p=p) < 1e-7  # W_2 is the root of rounding
        assert density_wasserstein(block, np.roll(block, 1), p=p) == pytest.approx(2 * np.pi / 64, abs=1e-12)
        assert density_wasserstein(block - 1e-12, np.roll(block, -60), p=p) == pytest.approx(np.pi / 8, abs=1e-9)


# --- Sinkhorn ---------------------------------------------------------------------------------------------------------


def entropic_cost(cost: np.ndarray, a: np.ndarray, b: np.ndarray, epsilon: float) -> float:
    """min <pi, cost> + epsilon KL(pi | a x b), by plain Sinkhorn scalings of the whole matrix, until rounding."""
    kernel, u, v = np.exp(-cost / epsilon), np.ones(len(a)), np.ones(len(b))
    for _ in range(100_000):
        before, u = u, 1 / (kernel @ (b * v))
        v = 1 / (kernel.T @ (a * u))
        if np.max(np.abs(u / before - 1)) < 1e-13:
            break
    density = u[:, None] * kernel * v
    return float(np.sum(np.outer(a, b) * density * (cost + epsilon * np.log(density))))


def literal_divergence(mu: tkf.Measure, nu: tkf.Measure, geometry: tkf.Geometry, epsilon: float, p: int) -> float:
    x, y, a, b = (np.asarray(z) for z in (mu.points, nu.points, mu.weights, nu.weights))
    cost = lambda u, v: distances(u, v, geometry) ** p  # noqa: E731
    own = entropic_cost(cost(x, x), a, a, epsilon) + entropic_cost(cost(y, y), b, b, epsilon)
    return (entropic_cost(cost(x, y), a, b, epsilon) - own / 2) ** (1 / p)


@pytest.mark.slow
@pytest.mark.parametrize("geometry", [SPACE, BALL], ids=["space", "sphere"])
def test_sinkhorn_equals_literal_sweeps_and_tends_to_the_exact_distance(geometry):
    mu, nu = two_clouds(geometry)
    exact = wasserstein(mu, nu, geometry, p=2)
    off = []
    for epsilon in (1.0, 0.3, 0.1):
        found = sinkhorn_divergence(mu, nu, geometry, epsilon=epsilon, tolerance=1e-8)
        assert found == pytest.approx(literal_divergence(mu, nu, geometry, epsilon, 2), abs=1e-8)
        off.append(abs(found - exact))
    assert off[0] > 2 * off[1] > 4 * off[2]  # linear in epsilon or better, for a dozen points
    # the default tolerance of 1e-4 makes S good to 1e-6, and so its root here
    assert sinkhorn_divergence(mu, nu, geometry, epsilon=0.3) == pytest.approx(
        literal_divergence(mu, nu, geometry, 0.3, 2), abs=1e-5
    )
    # the default epsilon, one hundredth of the mean cost: within 2 % of the exact distance between these measures
    assert wasserstein(mu, nu, geometry, p=2, method="sinkhorn") == pytest.approx(exact, rel=0.02)
    assert sinkhorn_divergence(nu, mu, geometry, epsilon=0.3, tolerance=1e-8) == pytest.approx(
        sinkhorn_divergence(mu, nu, geometry, epsilon=0.3, tolerance=1e-8), abs=1e-8
    )


def test_sinkhorn_laws():
    """Zero for equal measures, blind to rotations, to far translations, to float32 and to points without mass."""
    mu, nu = two_clouds(SPACE)
    base = sinkhorn_divergence(mu, nu, SPACE, epsilon=0.3)
    assert sinkhorn_divergence(mu, mu, SPACE) < 1e-6  # the root of rounding, 1e-16 |x|^2
    turn, _ = np.linalg.qr(np.random.default_rng(3).normal(size=(3, 3)))
    far = [tkf.Measure(np.asarray(z.points) @ turn.T + 1e4, z.weights) for z in (mu, nu)]
    assert sinkhorn_divergence(*far, SPACE, epsilon=0.3) == pytest.approx(base, abs=1e-9)  # coordinates lose 1e-12
    single = [tkf.Measure(np.asarray(z.points, np.float32), np.asarray(z.weights, np.float32)) for z in (mu, nu)]
    assert sinkhorn_divergence(*single, SPACE, epsilon=0.3) == pytest.approx(base, abs=1e-6)  # 1e-7 in the points
    weights = np.where(np.arange(N) < 4, 1e-300, np.asarray(nu.weights))
    found = sinkhorn_divergence(mu, tkf.Measure(nu.points, weights), SPACE, epsilon=0.3, tolerance=1e-8)
    kept = tkf.Measure(nu.points[4:], weights[4:])
    assert found == pytest.approx(literal_divergence(mu, kept, SPACE, 0.3, 2), abs=1e-8)
    # so far apart that too bold sweeps overflow
    apart = tkf.Measure(np.asarray(nu.points) + 1e3, nu.weights)
    assert sinkhorn_divergence(mu, apart, SPACE, epsilon=0.3) == pytest.approx(
        wasserstein(mu, apart, SPACE, p=2), rel=1e-3
    )
    one = tkf.Measure(np.ones((N, 3)))
    assert sinkhorn_divergence(one, one, SPACE) == 0.0


def test_sinkhorn_says_when_it_has_not_converged():
    mu, nu = two_clouds(SPACE)
    with pytest.raises(tkf.InvalidInput, match=r"did not converge to 1e-300 in 10000 sweeps at epsilon = 0\.3"):
        sinkhorn_divergence(mu, nu, SPACE, epsilon=0.3, tolerance=1e-300)


def test_importing_transport_does_not_import_ott():
    code = "import sys, tokenfield.transport; assert 'ott' not in sys.modules"
    subprocess.run([sys.executable, "-c", code], check=True)


def on_a_grid(mean: np.ndarray, covariance: np.ndarray, nodes: np.ndarray) -> tkf.Measure:
    x = np.stack(np.meshgrid(nodes, nodes, indexing="ij"), -1).reshape(-1, 2)
    logs = -np.einsum("ni,ij,nj->n", x - mean, np.linalg.inv(covariance), x - mean) / 2
    return tkf.Measure(x, np.exp(logs))


def entropic_gaussians(A: np.ndarray, B: np.ndarray, epsilon: float) -> float:
    """OT_epsilon of centered Gaussians, up to what is the same for all pairs (arXiv 2006.02572, theorem 1)."""
    s, root = epsilon / 2, np.real(sqrtm(A))
    D = np.real(sqrtm(4 * root @ B @ root + s**2 * np.eye(2)))
    return float(np.trace(A + B - D) + s * np.log(np.linalg.det(D + s * np.eye(2))))


@pytest.mark.slow
def test_sinkhorn_of_gaussians_against_their_closed_form():
    """Gaussians as masses on a grid that is finer than sqrt(epsilon): the sums converge spectrally."""
    A, B = np.array([[1.0, 0.3], [0.3, 0.5]]), np.array([[0.4, -0.2], [-0.2, 1.2]])
    shift = np.array([0.5, -0.3])
    nodes = np.linspace(-5, 5, 25)
    mu, nu = on_a_grid(np.zeros(2), A, nodes), on_a_grid(shift, B, nodes)
    root = np.real(sqrtm(A))
    bures = np.sqrt(shift @ shift + np.trace(A + B - 2 * np.real(sqrtm(root @ B @ root))))
    off = []
    for epsilon in (1.2, 0.6):
        own = entropic_gaussians(A, A, epsilon) + entropic_gaussians(B, B, epsilon)
        expected = np.sqrt(shift @ shift + entropic_gaussians(A, B, epsilon) - own / 2)
        found = sinkhorn_divergence(mu, nu, tkf.Euclidean(2), epsilon=epsilon, tolerance=1e-7)
        # masses beyond the grid: e^{-5^2 / 2.4} = 3e-5 of the widest direction
        assert found == pytest.approx(expected, abs=2e-4)
        off.append(abs(found - bures))
    assert off[0] > 3 * off[1] and off[1] < 0.01 * bures  # debiased: second order in epsilon


@pytest.mark.slow
def test_sinkhorn_in_tiles_with_unequal_numbers():
    """More rows than a tile, unequal numbers and masses; and 10^4 against 10^4 without a square of that size."""
    from tokenfield.transport import entropic

    mu, nu = two_clouds(BALL, 70, 50)
    for p in (1, 2):
        found = sinkhorn_divergence(mu, nu, BALL, p=p, epsilon=0.2, tolerance=1e-8, batch_size=16)
        assert found == pytest.approx(literal_divergence(mu, nu, BALL, 0.2, p), abs=1e-8)
    n = 10_000
    x, a = (jax.ShapeDtypeStruct(shape, np.float64) for shape in ((n, 3), (n,)))
    lowered = entropic.divergence.lower(x, a, x, a, 0.1, 1e-4, entropic.Power(True, 2.0), 100, 256)
    memory = lowered.compile().memory_analysis().temp_size_in_bytes
    assert memory < n * n  # a square of float64 would be 8 n^2; a few tiles of 256 rows are n^2 / 5


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda mu: wasserstein(mu, mu, BALL, method="sinkhron"), "did you mean 'sinkhorn'"),
        (lambda mu: wasserstein(mu, mu, tkf.Sphere(2)), "dimension 2"),
        (lambda mu: sliced_wasserstein(mu, mu, BALL, p=0), "p >= 1"),
        (lambda mu: sliced_wasserstein(mu, mu, BALL, slices=0), "at least 1"),
        (lambda mu: sinkhorn_divergence(mu, mu, tkf.Sphere(4)), "dimension 4"),
        (lambda mu: sinkhorn_divergence(mu, mu, BALL, epsilon=0.0), "epsilon must be positive"),
        (lambda mu: sinkhorn_divergence(mu, mu, BALL, tolerance=np.nan), "tolerance must be positive"),
        (lambda mu: sinkhorn_divergence(mu, mu, BALL, max_iterations=0), "max_iterations must be at least 1"),
        (lambda mu: sinkhorn_divergence(mu, mu, BALL, batch_size=0), "batch_size must be at least 1"),
        (lambda mu: density_wasserstein(np.ones(4), mu), "d = 2"),
        (lambda mu: density_wasserstein(np.ones(4), np.ones(4), p=3), "p = 1 and p = 2"),
        (lambda mu: density_wasserstein([1.0, -0.1], np.ones(4)), "must not be negative"),
        (lambda mu: density_wasserstein(np.zeros(4), np.ones(4)), "not all zero"),
    ],
)
def test_errors(call, message):
    with pytest.raises(tkf.InvalidInput, match=message):
        call(tkf.Measure(np.eye(3)))
