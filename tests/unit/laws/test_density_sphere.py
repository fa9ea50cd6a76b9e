"""Densities on S^2: transforms and derivatives against closed forms, velocities against sums, flows against theory."""

from __future__ import annotations

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import pytest
from scipy.special import ive, sph_harm_y

import tokenfield as tkf
from tokenfield import theory
from tokenfield.errors import InvalidInput, Unsupported
from tokenfield.laws import Density, Harmonics
from tokenfield.observables import energy

L = 24  # one size for all, so that compiled code is shared
GRID = Harmonics(L)
X = np.asarray(GRID.points)
W = np.asarray(GRID.weights)
BETA = 4.0
MEANS = np.array([[1.0, 0.2, -0.3], [-0.4, 0.9, 0.5], [0.1, -0.3, 1.0]])
MIX = Density.vmf_mixture(GRID, means=MEANS, concentrations=[3.0, 2.0, 4.0], masses=[0.5, 0.3, 0.2])
RATES = {name: theory.growth_rates(BETA, 3, count=8, attention=name).value for name in ("softmax", "unnormalized")}

IDENTITY = np.eye(3)

velocity = eqx.filter_jit(lambda grid, model, values, convolve: grid.velocity(model, 0.0, values, convolve=convolve))
advect, analyze, synthesize = (
    eqx.filter_jit(method) for method in (Harmonics.advect, Harmonics.coefficients, Harmonics.from_coefficients)
)
spectrum, roughness, laplacian, smooth = (
    eqx.filter_jit(method) for method in (Harmonics.power, Harmonics.roughness, Harmonics.laplacian, Harmonics.smooth)
)


def model_of(attention, **options):
    return tkf.Transformer(tkf.Sphere(3), attention, **options)


def random_coefficients(rng, size, degrees):
    """Normal coefficients in the degrees listed, zero elsewhere."""
    order = np.abs(np.arange(2 * size - 1) - size + 1)
    k = np.arange(size)[:, None]
    return np.where((order <= k) & np.isin(k, degrees), rng.normal(size=(size, 2 * size - 1)), 0.0)


# --- the transforms ---------------------------------------------------------------------------------------------------


def test_quadrature_is_exact_for_the_degrees_it_promises():
    """Moments of the uniform law: E x_i^{2p} = 1/(2p+1); degree 2L - 2 is the last even one."""
    assert np.sum(W) == pytest.approx(1, abs=1e-14)
    np.testing.assert_allclose(np.linalg.norm(X, axis=1), 1, atol=1e-15)
    for i in range(3):
        for p in (2, L - 1):
            assert W @ X[:, i] ** (2 * p) == pytest.approx(1 / (2 * p + 1), abs=1e-14)
    assert W @ (X[:, 0] ** 2 * X[:, 1] ** 2) == pytest.approx(1 / 15, abs=1e-15)


def test_coefficients_are_those_of_scipys_harmonics():
    """Each coefficient against its defining integral with scipy's Y_km, whose order, phase and norm we translate."""
    rng = np.random.default_rng(1)
    values = rng.normal(size=len(X))  # no harmonic: the analysis is the sum over nodes whatever the values are
    found = np.asarray(analyze(GRID, jnp.asarray(values)))
    theta, phi = np.arccos(X[:, 2]), np.arctan2(X[:, 1], X[:, 0])
    for k, m in ((0, 0), (1, 0), (1, 1), (5, 3), (L - 1, 1), (L - 1, L - 1)):
        harmonic = np.sqrt(4 * np.pi) * (-1) ** m * sph_harm_y(k, m, theta, phi)  # no Condon-Shortley phase here
        parts = [harmonic.real] if m == 0 else [np.sqrt(2) * harmonic.real, np.sqrt(2) * harmonic.imag]
        for sign, part in zip((1, -1), parts, strict=False):
            # scipy's harmonics near the poles are right to about 1e-13
            assert found[k, L - 1 + sign * m] == pytest.approx(W @ (values * part), abs=1e-12)


@pytest.mark.parametrize("size", [L, pytest.param(256, marks=pytest.mark.slow)])
def test_transforms_are_exact_on_their_band(size):
    """Round trip of random coefficients of all degrees. The values reach 1000, rounding of them 1e-16 of that."""
    grid = GRID if size == L else Harmonics(size)
    c = random_coefficients(np.random.default_rng(2), size, range(size))
    values = synthesize(grid, jnp.asarray(c))
    np.testing.assert_allclose(analyze(grid, values), c, atol=1e-13)
    np.testing.assert_allclose(spectrum(grid, values), np.sum(c**2, axis=1), rtol=1e-12)
    # Parseval: the harmonics are orthonormal under the weights of the nodes
    assert float(grid.weights @ values**2) == pytest.approx(np.sum(c**2), rel=1e-12)


def test_laplacian_smooth_and_roughness():
    rng = np.random.default_rng(3)
    c = random_coefficients(rng, L, range(L))
    values = synthesize(GRID, jnp.asarray(c))
    k = np.arange(L)[:, None]
    np.testing.assert_allclose(analyze(GRID, laplacian(GRID, values)), -k * (k + 1) * c, atol=1e-10)  # 552 * 1e-13
    np.testing.assert_allclose(analyze(GRID, smooth(GRID, values)), np.where(k < L // 3, c, 0), atol=1e-12)
    last_safe, first_tail = (
        synthesize(GRID, jnp.asarray(1e-3 * random_coefficients(rng, L, [k]))) + 1 for k in (2 * L // 3 - 1, 2 * L // 3)
    )
    assert float(roughness(GRID, last_safe)) < 1e-6 < 1 < float(roughness(GRID, first_tail))
    phi = np.arctan2(X[:, 1], X[:, 0])
    beyond = jnp.asarray(1 + 0.01 * np.cos(L * phi))  # the order L changes sign from node to node: no degree has it
    assert float(jnp.max(jnp.abs(spectrum(GRID, beyond)[1:]))) < 1e-20
    assert float(roughness(GRID, beyond)) > 1
    assert float(roughness(GRID, Density.noisy_uniform(GRID, amplitude=0.1, seed=0).values)) < 1e-6


# --- the divergence ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("size", [L, pytest.param(256, marks=pytest.mark.slow)])
def test_divergence_of_fields_known_in_closed_form(size):
    """div(rho X) = rho div X + <grad rho, X>; div P_x a = -2<a, x>, div P_x A x = tr A - 3<x, A x>, 0 for rotations.

    The fields do not vanish at the poles, where latitude and longitude fail. All degrees stay below 8.
    """
    rng = np.random.default_rng(4)
    a, b, c, omega = rng.normal(size=(4, 3))
    A = rng.normal(size=(3, 3))
    grid = GRID if size == L else Harmonics(size)
    x, w = np.asarray(grid.points), np.asarray(grid.weights)
    project = lambda v: v - np.sum(v * x, axis=1, keepdims=True) * x  # noqa: E731
    turn = np.cross(omega, x)
    fields = (
        (project(np.broadcast_to(a, x.shape)), -2 * x @ a),
        (project(x @ A.T), np.trace(A) - 3 * np.sum(x * (x @ A.T), axis=1)),
        (turn, np.zeros(len(x))),
        ((x @ a)[:, None] * turn, turn @ a),  # no gradient of anything
    )
    densities = (
        (2 + x @ b + (x @ c) ** 3, b + 3 * (x @ c)[:, None] ** 2 * c),
        (x[:, 2], np.array([0.0, 0.0, 1.0])),
        (np.ones(len(x)), np.zeros(3)),
    )
    for field, divergence in fields:
        for density, gradient in densities:
            expected = -(density * divergence + np.sum(gradient * field, axis=1))
            found = np.asarray(advect(grid, jnp.asarray(density), jnp.asarray(field)))
            # rounding of a field of size 20, times the degree: found 2e-13 and, with 256 degrees, 6e-12
            np.testing.assert_allclose(found, expected, atol=1e-12 if size == L else 1e-11)
            assert abs(w @ found) < 1e-13


def test_divergence_is_minus_the_adjoint_of_the_gradient():
    """For any tangent field, rough ones too: int f div F = -int <grad f, F>, here for f = (<c, x>)^3; and no mass."""
    rng = np.random.default_rng(5)
    field, c = rng.normal(size=X.shape), np.array([0.5, -0.7, 0.4])
    field -= np.sum(field * X, axis=1, keepdims=True) * X
    values = 1 + rng.uniform(size=len(X))
    found = np.asarray(advect(GRID, jnp.asarray(values), jnp.asarray(field)))
    work = W @ (values * np.sum(3 * (X @ c)[:, None] ** 2 * c * field, axis=1))
    assert W @ (found * (X @ c) ** 3) == pytest.approx(work, abs=1e-12)
    assert abs(float(analyze(GRID, jnp.asarray(found))[0, L - 1])) < 1e-13
    # nothing beyond the band: the rate is the sum of its harmonics
    again = synthesize(GRID, analyze(GRID, jnp.asarray(found)))
    np.testing.assert_allclose(again, found, atol=1e-11)


# --- the velocity -----------------------------------------------------------------------------------------------------


def oracle(x, weights, density, nodes, *, Q=IDENTITY, K=IDENTITY, V=IDENTITY, is_average=True):
    """P_x V int w(x, y) y dmu(y), over int w dmu if `is_average`: sums over `nodes` of a finer grid, term by term."""
    out = np.zeros_like(x)
    for i, x_i in enumerate(x):
        w = weights((K @ nodes.T).T @ (Q @ x_i)) * density
        field = V @ (w @ nodes) / (w.sum() if is_average else 1.0)
        out[i] = field - (field @ x_i) * x_i
    return out


def fine_mixture():
    """The mixture MIX from its definition on 40 x 80 nodes: points and masses."""
    z, w = np.polynomial.legendre.leggauss(40)
    phi = 2 * np.pi * (np.arange(80) + 0.3) / 80
    s = np.sqrt(1 - z**2)[:, None]
    nodes = np.stack([s * np.cos(phi), s * np.sin(phi), z[:, None] + 0 * phi], axis=-1).reshape(-1, 3)
    masses = np.repeat(w, 80) / 160
    return nodes, masses * mixture_at(nodes)[0]


def mixture_at(x):
    """The density of MIX at x (..., 3) from its definition, and its gradient in R^3."""
    density, slope = 0.0, 0.0
    for mean, kappa, share in zip(MEANS, (3.0, 2.0, 4.0), (0.5, 0.3, 0.2), strict=True):
        unit = mean / np.linalg.norm(mean)
        bump = share * kappa / np.sinh(kappa) * np.exp(kappa * x @ unit)
        density, slope = density + bump, slope + kappa * bump[..., None] * unit
    return density, slope


KINDS = {
    "softmax": (tkf.Softmax, lambda b, c: np.exp(b * c), True),
    "unnormalized": (tkf.Unnormalized, lambda b, c: np.exp(b * c), False),
    "l2": (tkf.L2, lambda b, c: np.exp(-b * (2 - 2 * c)), True),
    "sigmoid": (lambda b: tkf.Sigmoid(b, bias=-0.5), lambda b, c: 1 / (1 + np.exp(-b * c + 0.5)), False),
}


@pytest.mark.parametrize("kind", KINDS)
def test_velocity_by_convolution_by_quadrature_and_by_the_definition(kind):
    """The three agree to 1e-10; the sums differ by degrees above L of kernel times density, 1e-12 at these beta."""
    build, kernel, is_average = KINDS[kind]
    nodes, masses = fine_mixture()
    some = np.array([0, 333, 600, 777, len(X) - 1])
    for beta in (0.5, 3.0, 6.0) if kind != "l2" else (0.5, 3.0):  # L2 at beta is softmax at 2 beta
        model = model_of(build(beta))
        fast, slow = (velocity(GRID, model, MIX.values, convolve) for convolve in (True, False))
        scale = float(jnp.max(jnp.abs(slow)))
        np.testing.assert_allclose(fast, slow, atol=1e-10 * scale)
        expected = oracle(X[some], lambda c, b=beta: kernel(b, c), masses, nodes, is_average=is_average)
        np.testing.assert_allclose(np.asarray(fast)[some], expected, atol=1e-10 * scale)
        wrong = oracle(X[some], lambda c, b=beta: kernel(1.01 * b, c), masses, nodes, is_average=is_average)
        assert np.abs(np.asarray(fast)[some] - wrong).max() > 1e-6 * scale


def test_velocity_of_general_heads_goes_by_quadrature():
    rng = np.random.default_rng(6)
    Q, K, V = 0.8 * rng.normal(size=(3, 3, 3))
    nodes, masses = fine_mixture()
    model = model_of(tkf.Softmax(1.5), Q=Q, K=K, V=V)
    found = np.asarray(velocity(GRID, model, MIX.values, False))
    some = np.array([0, 500, len(X) - 1])
    expected = oracle(X[some], lambda c: np.exp(1.5 * c), masses, nodes, Q=Q, K=K, V=V)
    np.testing.assert_allclose(found[some], expected, atol=1e-9)
    assert np.abs(np.sum(found * X, axis=1)).max() < 1e-14


def test_rate_against_its_closed_form():
    """-div(rho X) = -rho div X - <grad rho, X>, where div P_x m = beta tr P_x C - 2<x, m>.

    m and C are the mean and the covariance of what x attends to, here sums over a finer grid.
    """
    nodes, masses = fine_mixture()
    found = np.asarray(advect(GRID, MIX.values, velocity(GRID, model_of(tkf.Softmax(BETA)), MIX.values, True)))
    for i in (0, 5, 400, 601, len(X) - 1):
        x = X[i]
        w = np.exp(BETA * nodes @ x) * masses
        m = w @ nodes / w.sum()
        C = (nodes * w[:, None]).T @ nodes / w.sum() - np.outer(m, m)
        divergence = BETA * (np.trace(C) - x @ C @ x) - 2 * x @ m
        density, slope = mixture_at(x)
        expected = -density * divergence - slope @ (m - (x @ m) * x)
        # the density's degrees above 24 count 24 times in its derivative: the smallest grid that shows 1e-9
        assert found[i] == pytest.approx(expected, abs=1e-9)


def test_eigenvalues_of_the_exponential_kernel():
    """(1/2) int e^{beta t} P_k dt is the modified spherical Bessel function i_k(beta); absolute accuracy, of e^beta."""
    for beta in (0.5, 8.0, 1000.0):
        found = np.asarray(GRID.eigenvalues(lambda t, b=beta: jnp.exp(b * (t - 1))))
        k = np.arange(L)
        expected = np.sqrt(np.pi / (2 * beta)) * ive(k + 0.5, beta)
        np.testing.assert_allclose(found, expected, atol=1e-15)


# --- flows ------------------------------------------------------------------------------------------------------------


def flow(model, start, *, t1):
    """A solve with nine saved times and twenty steps, so that all of them share compiled code."""
    return tkf.solve(model, start, t1=t1, method="rk4", step=t1 / 20, save=np.linspace(0, t1, 9), progress=False)


def eight_harmonics():
    """1 + 1e-8 times a random harmonic of each degree from 1 to 8: quadratic terms are 1e-8 of the linear ones."""
    c = 1e-8 * random_coefficients(np.random.default_rng(7), L, range(1, 9))
    c[0, L - 1] = 1
    return Density(GRID, synthesize(GRID, jnp.asarray(c)))


@pytest.mark.parametrize("attention", ["softmax", pytest.param("unnormalized", marks=pytest.mark.slow)])
def test_linearization_at_the_uniform_law_is_the_spectrum_of_theory(attention):
    """The derivative of the discrete operator in all 80 harmonics of degrees 1 to 8: diagonal, by degree."""
    model = model_of({"softmax": tkf.Softmax, "unnormalized": tkf.Unnormalized}[attention](BETA))
    degrees = np.repeat(np.arange(1, 9), 2 * np.arange(1, 9) + 1)
    orders = np.concatenate([np.arange(-k, k + 1) for k in range(1, 9)])
    basis = np.zeros((80, L, 2 * L - 1))
    basis[np.arange(80), degrees, L - 1 + orders] = 1

    @jax.jit
    def derivative(coefficients):
        rate = lambda values: MIX.at(values).rate(model, 0.0, convolve=True)  # noqa: E731
        direction = synthesize(GRID, coefficients)
        return analyze(GRID, jax.jvp(rate, (jnp.ones(GRID.m),), (direction,))[1])

    found = np.asarray(jax.lax.map(derivative, jnp.asarray(basis), batch_size=8))
    expected = RATES[attention][degrees - 1][:, None, None] * basis
    np.testing.assert_allclose(found, expected, atol=1e-8)  # found: 2e-13
    assert np.abs(found - expected / np.pi).max() > 0.1  # the rate with another 1/pi (trap 1) fails


@pytest.mark.parametrize("attention", ["softmax", pytest.param("unnormalized", marks=pytest.mark.slow)])
def test_every_degree_grows_at_its_rate(attention):
    """By the solver to 1e-4 of rates from 0.0076: the nonlinear part is 1e-8, rounding of 1e-16 / 1e-8 per 0.1 less."""
    model = model_of({"softmax": tkf.Softmax, "unnormalized": tkf.Unnormalized}[attention](BETA))
    start = eight_harmonics()
    run = flow(model, start, t1=0.1)
    growth = np.log(np.asarray(spectrum(GRID, run.final.values) / spectrum(GRID, start.values)))[1:9] / 0.2
    np.testing.assert_allclose(growth, RATES[attention], rtol=1e-4)
    assert float(GRID.weights @ run.final.values) == pytest.approx(1, abs=1e-13)


@pytest.mark.slow
def test_noise_alone_damps_each_degree():
    """d_t rho = (1/kappa) Laplacian rho: degree k decays at k(k+1)/kappa. RK4 at 72/40 * 0.005 errs by 1e-10."""
    kappa = 40.0
    model = model_of(tkf.Softmax(BETA), V=np.zeros((3, 3)), noise=tkf.Noise(kappa, seed=0))
    start = eight_harmonics()
    run = flow(model, start, t1=0.1)
    decay = np.log(np.asarray(spectrum(GRID, run.final.values) / spectrum(GRID, start.values)))[1:9] / 0.2
    k = np.arange(1, 9)
    np.testing.assert_allclose(decay, -k * (k + 1) / kappa, rtol=1e-6)


def test_flow_commutes_with_rotations():
    """The power of each degree does not see a rotation of the start, and the mean turns with it."""
    spin, _ = np.linalg.qr(np.random.default_rng(8).normal(size=(3, 3)))
    model = model_of(tkf.Softmax(BETA))
    two_bumps = lambda x: jnp.exp(2.0 * x @ MEANS[0]) + jnp.exp(1.5 * x @ MEANS[1])  # noqa: E731
    ends = []
    for turn in (np.eye(3), spin):
        start = Density.from_function(GRID, lambda x, turn=turn: two_bumps(x @ turn))
        ends.append(flow(model, start, t1=0.1).final)
    powers = [np.asarray(spectrum(GRID, end.values)) for end in ends]
    # degrees that the grid cuts off, above 24, are below 1e-9 at the end
    np.testing.assert_allclose(powers[1], powers[0], atol=1e-8)
    np.testing.assert_allclose(ends[1].mean, spin @ np.asarray(ends[0].mean), atol=1e-9)
    assert np.abs(np.asarray(ends[1].mean) - np.asarray(ends[0].mean)).max() > 0.1


def test_energy_grows_until_the_grid_no_longer_shows_the_density():
    """A concentrating flow stops as under-resolved, with its mass, and its energy increased all the way."""
    model = model_of(tkf.Softmax(BETA))
    run = flow(model, MIX, t1=1.6)
    assert run.result.name == "under-resolved"
    assert 0.02 < float(run.result.t) < 5
    reached = np.asarray(run.ts) <= float(run.result.t)
    np.testing.assert_allclose(np.asarray(run.observables["mass"])[reached], 1, atol=1e-12)
    density_energy = eqx.filter_jit(energy)
    energies = np.array([float(density_energy(run.state(i), model)) for i in np.flatnonzero(reached)])
    assert len(energies) >= 2 and np.all(np.diff(energies) > 0)
    # (1/2 beta) sum_k lambda_k power_k: the double integral in harmonics
    kernel = GRID.eigenvalues(lambda t: jnp.exp(BETA * t))
    assert energies[0] == pytest.approx(float(kernel @ spectrum(GRID, MIX.values)) / (2 * BETA), rel=1e-11)


@pytest.mark.slow
def test_a_density_is_the_limit_of_tokens():
    """Mean and energy at t = 1 of 4000 tokens: within four standard errors, which 16 samples of 250 tokens measure."""
    model = model_of(tkf.Softmax(2.0))
    mixture = {"means": MEANS[:2], "concentrations": 1.5, "masses": [0.6, 0.4]}
    numbers = eqx.filter_jit(lambda mu, model: jnp.append(mu.mean, energy(mu, model)))

    def of(n, seed):
        tokens = tkf.initial.vmf_mixture(model.geometry, n, **mixture, seed=seed)
        run = tkf.solve(model, tokens, t1=1.0, method="rk4", step=0.2, save="end", progress=False)  # rk4 errs by 1e-4
        return np.asarray(numbers(run.final, model))

    run = flow(model, Density.vmf_mixture(GRID, **mixture), t1=1.0)
    assert run.result.name == "finished", str(run.result)
    expected, early = (np.asarray(numbers(run.state(i), model)) for i in (-1, 4))
    error = np.std([of(250, seed) for seed in range(1, 17)], axis=0, ddof=1) / 4
    found = of(4000, 0)
    assert np.all(np.abs(found - expected) < 4 * error), (found, expected, error)
    assert np.any(np.abs(found - early) > 4 * error), "the bound would not tell t = 1/2 from t = 1"


def test_float32():
    """Single precision stays single, right to its rounding: 1e-7 times the sum over 24 degrees."""
    model, values = model_of(tkf.Softmax(BETA)), MIX.values.astype(jnp.float32)
    field = velocity(GRID, model, MIX.values, True)
    single, double = (advect(GRID, v, field.astype(v.dtype)) for v in (values, MIX.values))
    assert single.dtype == jnp.float32
    assert np.abs(single - double).max() < 1e-4
    assert float(roughness(GRID, values)) < 1


def test_refusals():
    for size in (3, 1000, True, 16.5):
        with pytest.raises(InvalidInput, match="from 4 to 512"):
            Harmonics(size)
    with pytest.raises(InvalidInput, match="shape"):
        GRID.from_coefficients(jnp.ones((L, L)))
    with pytest.raises(InvalidInput, match="take more nodes"):
        Density.vmf_mixture(GRID, means=[[0, 0, 1.0]], concentrations=100.0)
    with pytest.raises(Unsupported, match="Sphere"):
        tkf.solve(tkf.Transformer(tkf.Sphere(2), tkf.Softmax(1.0)), MIX, t1=1.0, progress=False)
