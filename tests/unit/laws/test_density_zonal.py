"""Zonal densities on S^{d-1}: quadrature, velocity against literal product quadratures, growth rates, flows, errors."""

from __future__ import annotations

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import pytest
from scipy.special import roots_gegenbauer

import tokenfield as tkf
from tokenfield import theory
from tokenfield.errors import InvalidInput, Unsupported
from tokenfield.laws import Density, Fourier, Zonal
from tokenfield.model.schedule import PerLayer, Resampled
from tokenfield.observables import energy

DIMENSIONS = (3, 4, 8, 32, 256, 1024)


def vmf(d, m, c):
    return Density.vmf_mixture(Zonal(d, m), means=np.eye(d)[:1], concentrations=c)


# --- quadrature and harmonics -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("d", DIMENSIONS)
def test_quadrature_is_exact_to_degree_2m_minus_1(d):
    """E t^{2j} = prod_{i<=j} (2i-1)/(d+2i-2), and degree 2m is missed: an off-by-one in the recurrence shows."""
    m = 12
    grid = Zonal(d, m)
    t, w = np.asarray(grid.nodes), np.asarray(grid.weights)
    exact = np.cumprod([(2 * i - 1) / (d + 2 * i - 2) for i in range(1, m + 1)])
    found = np.array([w @ t ** (2 * j) for j in range(1, m + 1)])
    # rounding of nodes (1e-16) times the degree
    np.testing.assert_allclose(found[:-1], exact[:-1], rtol=2e-13)
    assert abs(found[-1] / exact[-1] - 1) > 1e-9
    np.testing.assert_allclose(w @ np.stack([t, t**3, t**21], 1), 0, atol=1e-16)
    around, masses = np.asarray(grid.around), np.asarray(grid.around_weights)
    np.testing.assert_allclose(masses @ around**4, 3 / ((d - 1) * (d + 1)), rtol=1e-13)


def test_spectrum_and_laplacian():
    """A Dirac has 1 at every degree; e^{ct} has I_{k+nu}/I_nu; the Laplacian has -k(k+d-2)."""
    from scipy.special import iv

    d, m = 5, 32
    grid, k = Zonal(d, m), np.arange(6)
    rho = vmf(d, m, 3.0)
    np.testing.assert_allclose(grid.spectrum(rho.values)[:6], iv(k + 1.5, 3.0) / iv(1.5, 3.0), atol=1e-14)
    # a law at the last node is a Dirac at t = 0.99 to low degrees: C_1 = t, C_2 = (d t^2 - 1)/(d - 1)
    last = jnp.zeros(m).at[-1].set(1 / grid.weights[-1])
    t = float(grid.nodes[-1])
    np.testing.assert_allclose(grid.spectrum(last)[:3], [1, t, (d * t**2 - 1) / (d - 1)], atol=1e-12)
    harmonic = Density.perturbed_uniform(grid, degree=4, amplitude=0.5).values - 1
    np.testing.assert_allclose(grid.laplacian(harmonic), -4 * 7 * harmonic, atol=1e-10)
    assert float(rho.mean[0]) == pytest.approx(float(grid.spectrum(rho.values)[1]), abs=1e-14)
    assert np.all(np.asarray(rho.mean[1:]) == 0)


# --- velocity against a literal quadrature of the sphere --------------------------------------------------------------


def literal_sphere(d, counts):
    """Points and masses of the uniform law on S^{d-1}: nested Gauss-Gegenbauer rules, equal angles on the circle."""
    if d == 2:
        angles = 2 * np.pi * (np.arange(counts[0]) + 0.5) / counts[0]
        return np.stack([np.cos(angles), np.sin(angles)], 1), np.full(counts[0], 1 / counts[0])
    t, w = roots_gegenbauer(counts[0], d / 2 - 1)
    y, v = literal_sphere(d - 1, counts[1:])
    points = [np.concatenate([np.full((len(y), 1), s), np.sqrt(1 - s * s) * y], 1) for s in t]
    return np.concatenate(points), np.concatenate([a / w.sum() * v for a in w])


def literal_velocity(x, y, w, weigh, Q, K, V):
    """P_x sum_j w_j a(x, y_j) V y_j at one point, first coordinate."""
    a = weigh((Q @ x) @ (y @ K.T).T, w)
    vector = V @ (a @ y)
    return (vector - (vector @ x) * x)[0]


WEIGH = {
    "softmax": (tkf.Softmax(3.0), lambda c, w: w * np.exp(3 * c) / np.sum(w * np.exp(3 * c))),
    "unnormalized": (tkf.Unnormalized(3.0), lambda c, w: w * np.exp(3 * c)),
    "sigmoid": (tkf.Sigmoid(3.0, -0.5), lambda c, w: w / (1 + np.exp(0.5 - 3 * c))),
    "linear": (tkf.Linear(3.0), lambda c, w: w * 3 * c),
    # |x - y|^2 = 2 - 2c on the sphere
    "l2": (tkf.L2(1.5), lambda c, w: w * np.exp(-1.5 * (2 - 2 * c)) / np.sum(w * np.exp(-1.5 * (2 - 2 * c)))),
}


@pytest.mark.parametrize("d", [pytest.param(3, marks=pytest.mark.slow), 5])
def test_velocity_is_that_of_a_literal_quadrature(d):
    """Every kind, with axis-symmetric Q, K, V; a law with both poles; by convolution where Q = K = I."""
    m = 32
    y, w = literal_sphere(d, (24, 32) if d == 3 else (24, 14, 12, 24))
    law = lambda t: 0.7 * np.exp(2 * t) + 0.3 * np.exp(-3 * t)  # noqa: E731
    w = w * law(y[:, 0]) / np.sum(w * law(y[:, 0]))
    grid = Zonal(d, m)
    rho = Density.from_function(grid, lambda x: jnp.asarray(law(np.asarray(x[:, 0]))))
    scaled = lambda a, b: np.diag([a] + [b] * (d - 1))  # noqa: E731
    Q, K, V, eye = scaled(0.8, 1.2), scaled(0.5, -0.7), scaled(1.5, -0.4), np.eye(d)
    picked = [1, 12, 20, 30]
    for name, (attention, weigh) in WEIGH.items():
        for matrices in ((eye, eye, eye), (Q, K, V)) if name != "l2" else ((eye, eye, V),):
            is_plain = matrices[0] is eye
            given = {} if is_plain else {"Q": Q, "K": K}
            model = tkf.Transformer(tkf.Sphere(d), tkf.Head(attention, V=matrices[2], **given))
            grid.check(model)
            x = np.asarray(grid.points)[picked]
            expected = [literal_velocity(p, y, w, weigh, *matrices) for p in x]
            ways = (False, True) if is_plain and name != "linear" else (False,)
            for convolve in ways:
                found = np.asarray(grid.velocity(model, 0.0, rho.values, convolve=convolve))[picked]
                # the oracle's own rules (12 nodes around for d = 5) are good to 1e-11 at beta = 3
                np.testing.assert_allclose(found, expected, atol=1e-10, err_msg=f"{name} {convolve}")


@pytest.mark.slow
def test_heads_normalization_and_relative():
    """Averaged heads are half their sum; nGPT divides by |A|, sqrt-scaling by sqrt(1 + t); y - x moves as y."""
    grid = Zonal(4, 32)
    rho, sphere = vmf(4, 32, 2.0), tkf.Sphere(4)
    one, two = tkf.Softmax(3.0), tkf.Head(tkf.Unnormalized(2.0), V=-np.eye(4))

    def velocity(parts, t=0.0, **options):
        model = tkf.Transformer(sphere, parts, **options)
        grid.check(model)
        return np.asarray(grid.velocity(model, t, rho.values, convolve=False))

    plain = velocity(one)
    total = plain + velocity(two)
    np.testing.assert_allclose(velocity([one, two]), total, atol=1e-15)
    np.testing.assert_allclose(velocity([one, two], average=True), total / 2, atol=1e-15)
    np.testing.assert_allclose(velocity(one, relative=True), plain, atol=1e-14)
    np.testing.assert_allclose(velocity(one, 3.0, normalization=tkf.DepthScaled()), plain / 2, atol=1e-15)
    # |A| from the literal quadrature
    y, w = literal_sphere(4, (24, 16, 24))
    x = np.asarray(grid.points)[5]
    a = w * np.exp(2 * y[:, 0]) * np.exp(3 * y @ x)
    A = (a @ y) / a.sum()
    np.testing.assert_allclose(velocity(one, normalization=tkf.NGPT(1.0))[5], plain[5] / np.linalg.norm(A), rtol=1e-11)


# --- the spectrum at the uniform law ----------------------------------------------------------------------------------


@eqx.filter_jit
def linearized(grid, model, count):
    """The derivative of d_t rho at the uniform law in the first harmonics, (count, m)."""
    flow = lambda rho: Density.uniform(grid).at(rho).rate(model, 0.0)  # noqa: E731
    harmonics = (grid.basis[:, :count] / grid.roots[:, None]).T
    moved = jax.vmap(lambda h: jax.jvp(flow, (jnp.ones(grid.m),), (h,))[1])(harmonics)
    return jax.vmap(grid.coefficients)(moved)


def check_growth(d, m, beta, name):
    attention = {"softmax": tkf.Softmax, "unnormalized": tkf.Unnormalized}[name](beta)
    matrix = np.asarray(linearized(Zonal(d, m), tkf.Transformer(tkf.Sphere(d), attention), 8))
    expected = np.zeros((8, m))
    rates = theory.growth_rates(beta, d, count=7, attention=name).value
    expected[np.arange(1, 8), np.arange(1, 8)] = rates
    # degrees do not mix, and all is exact up to the rounding of sums of e^{beta <x, y>}
    np.testing.assert_allclose(matrix, expected, atol=1e-8 * rates.max())
    wrong = theory.growth_rates(1.01 * beta, d, count=7, attention=name).value
    assert np.abs(np.diag(matrix[1:, 1:]) - wrong).max() > 1e-6 * rates.max()


@pytest.mark.parametrize("name", ["softmax", "unnormalized"])
@pytest.mark.parametrize("d", [3, 1024])
def test_growth_rates_at_the_uniform_law(d, name):
    for beta in (0.5, 5.0, 20.0):
        check_growth(d, 32, beta, name)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("d", "m", "beta"),
    [(3, 64, 100.0), (4, 32, 20.0), (8, 64, 100.0), (32, 32, 30.0), (256, 32, 64.0), (1024, 128, 300.0)],
)
@pytest.mark.parametrize("name", ["softmax", "unnormalized"])
def test_growth_rates_for_large_beta(d, m, beta, name):
    check_growth(d, m, beta, name)


def test_noise_damps_or_not_as_predicted():
    """11a at d = 4: k(k+d-2)(1/kappa_k - 1/kappa), by linearization."""
    d, beta, kappa = 4, 3.0, 3.0
    grid = Zonal(d, 32)
    model = tkf.Transformer(tkf.Sphere(d), tkf.Unnormalized(beta), noise=tkf.Noise(kappa, seed=0))
    k = np.arange(1, 6)
    rates = k * (k + d - 2) * (1 / theory.noise_thresholds(beta, d, count=5).value - 1 / kappa)
    assert rates[0] > 0 > rates[-1]
    found = np.diag(np.asarray(linearized(grid, model, 6)))[1:]
    np.testing.assert_allclose(found, rates, atol=1e-8 * np.abs(rates).max())


# --- flows ------------------------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_run_keeps_mass_raises_the_energy_and_ends_when_unresolved():
    """One run from a vMF law on S^2 under softmax: mass to 1e-12, E up, the mean up, and an honest end."""
    model = tkf.Transformer(tkf.Sphere(3), tkf.Softmax(1.0))
    start = vmf(3, 32, 2.0)
    run = tkf.solve(model, start, t1=3.0, save=7)
    assert run.result.name == "under-resolved" and not run.result.is_complete
    assert 0.5 < float(run.result.t) < 2.5
    assert float(start.grid.roughness(run.final.values)) > 1 >= float(start.grid.roughness(run.state(1).values))
    assert np.abs(np.asarray(run.observables["mass"]) - 1).max() < 1e-12
    energies = run.energy()
    assert np.all(np.diff(energies) > 0)
    means = [float(run.state(i).mean[0]) for i in range(len(run.ts))]
    assert np.all(np.diff(means) > 0)
    # (1/2 beta) iint e^{beta <x, y>}, literally
    y, w = literal_sphere(3, (20, 32))
    w = w * np.exp(2 * y[:, 0]) / np.sum(w * np.exp(2 * y[:, 0]))
    assert energies[0] == pytest.approx(w @ np.exp(y @ y.T) @ w / 2, rel=1e-12)


@pytest.mark.slow
@pytest.mark.parametrize("attention", [tkf.Softmax(3.0), tkf.L2(1.5), tkf.Sigmoid(3.0, -0.5), tkf.Linear(3.0)])
def test_energies_are_those_of_tokens_spread_on_rings(attention):
    """Each kind's energy, also normalized, equals that of the measure of a fine product quadrature."""
    model = tkf.Transformer(tkf.Sphere(3), attention)
    y, w = literal_sphere(3, (16, 20))
    rings = tkf.Measure(y, w * np.exp(2 * y[:, 0]))
    for normalized in (False, True):
        found, expected = (energy(mu, model, normalized=normalized) for mu in (vmf(3, 32, 2.0), rings))
        assert float(found) == pytest.approx(float(expected), rel=1e-9), normalized


@pytest.mark.slow
def test_run_agrees_with_tokens_on_rings():
    """SA at beta = 2 on S^2 to t = 1: the first moments of the density and of 20 x 20 weighted tokens agree."""
    model = tkf.Transformer(tkf.Sphere(3), tkf.Softmax(2.0))
    run = tkf.solve(model, vmf(3, 48, 1.5), t1=1.0, save="end", rtol=1e-8)
    assert run.result.name == "finished"
    y, w = literal_sphere(3, (20, 20))
    tokens = tkf.solve(model, tkf.Measure(y, w * np.exp(1.5 * y[:, 0])), t1=1.0, save="end", rtol=1e-8).final
    t, masses = np.asarray(tokens.points)[:, 0], np.asarray(tokens.weights)
    legendre = [t, (3 * t**2 - 1) / 2, (5 * t**3 - 3 * t) / 2, (35 * t**4 - 30 * t**2 + 3) / 8]
    found = np.asarray(run.final.grid.spectrum(run.final.values))[1:5]
    # both converge spectrally in their nodes; the tolerance is that of the solver, with two digits to spare
    np.testing.assert_allclose(found, [masses @ p for p in legendre], atol=1e-6)


@pytest.mark.slow
def test_concentrated_law_collapses_at_the_consensus_rate():
    """Near the pole 1 - <m, e> falls as e^{-2t} under SA: the fitted rate nears 2 while the law is resolved."""
    run = tkf.solve(tkf.Transformer(tkf.Sphere(3), tkf.Softmax(1.0)), vmf(3, 96, 60.0), t1=0.4, save=5)
    assert run.result.name == "finished"
    gaps = np.array([1 - float(run.state(i).mean[0]) for i in range(5)])
    # d/dt log(1 - mean) = -2 + O(1 - mean), and 1 - mean is 0.017 at the start
    rates = -np.diff(np.log(gaps)) / 0.1
    assert np.all(np.abs(rates - 2) < 0.1) and abs(rates[-1] - 2) < abs(rates[0] - 2)


@pytest.mark.slow
def test_high_dimension_follows_the_linear_rate():
    """d = 1024: the mean along the axis grows at gamma_1 = (d-1)/beta I_{nu+1}/I_nu in a solved flow."""
    d, beta = 1024, 20.0
    start = Density.perturbed_uniform(Zonal(d, 16), degree=1, amplitude=1e-3)
    run = tkf.solve(tkf.Transformer(tkf.Sphere(d), tkf.Softmax(beta)), start, t1=1.0, save=2)
    rate = np.log(float(run.final.mean[0]) / float(start.mean[0]))
    # the amplitude is 1e-3 relative to the uniform law, so corrections are of this size times its square
    assert rate == pytest.approx(theory.growth_rates(beta, d, count=1).value[0], rel=1e-5)


@pytest.mark.slow
def test_sample_has_the_moments_of_the_law():
    rho = vmf(5, 48, 4.0)
    tokens = np.asarray(rho.sample(4000, seed=0).points)
    np.testing.assert_allclose(np.linalg.norm(tokens, axis=1), 1, atol=1e-12)
    # three standard errors (0.3 / sqrt 4000), and 1 % for cells of finite width
    np.testing.assert_allclose(tokens.mean(0), np.asarray(rho.mean), atol=0.02)
    second = float(rho.grid.weights @ (rho.values * rho.grid.nodes**2))
    assert np.mean(tokens[:, 0] ** 2) == pytest.approx(second, abs=0.02)


# --- errors -----------------------------------------------------------------------------------------------------------


def test_wrong_grids_are_refused():
    for d, m, words in (
        (2, 32, "Fourier"),
        (2000, 32, "d <= 1024"),
        (3.5, 32, "whole dimension"),
        (3, 4, "nodes >= 8"),
        (1024, 600, "take fewer"),
    ):
        with pytest.raises(InvalidInput, match=words):
            Zonal(d, m)


def test_models_that_break_the_symmetry_are_refused():
    sphere, grid = tkf.Sphere(3), Zonal(3, 16)
    tilted = np.diag([1.0, 2.0, 3.0])
    per_layer = PerLayer([tkf.Head(tkf.Softmax(1.0), V=v) for v in (np.eye(3), tilted)], t1=1.0)
    refused = {
        "another matrix breaks": tkf.Transformer(sphere, tkf.Softmax(1.0), V=tilted),
        "Q\\^T K must be": tkf.Transformer(sphere, tkf.Softmax(1.0), Q=tilted),
        "V must be": tkf.Transformer(sphere, per_layer),
        "use PerLayer": tkf.Transformer(sphere, Resampled(tkf.Softmax(1.0), 3, period=1.0, seed=0)),
        "attention alone": tkf.Transformer(sphere, [tkf.Softmax(1.0), tkf.Perceptron()]),
        "Krause": tkf.Transformer(sphere, tkf.Krause(0.5)),
        "Hardmax": tkf.Transformer(sphere, tkf.Hardmax()),
        "Sinkhorn": tkf.Transformer(sphere, tkf.Sinkhorn(1.0)),
        "L2": tkf.Transformer(sphere, tkf.L2(1.0), Q=2 * np.eye(3)),
        "gain": tkf.Transformer(sphere, tkf.Softmax(1.0), normalization=tkf.PostLN(gain=[1.0, 2.0, 2.0])),
        "radii": tkf.Transformer(sphere, tkf.Softmax(1.0), normalization=tkf.PreLN()),
        "Sphere\\(3\\)": tkf.Transformer(tkf.Sphere(4), tkf.Softmax(1.0)),
    }
    for words, model in refused.items():
        with pytest.raises(Unsupported, match=words):
            grid.check(model)
    with pytest.raises(InvalidInput, match="resolve the kernel at beta = 400"):
        grid.check(tkf.Transformer(sphere, tkf.Softmax(400.0)))
    grid.check(tkf.Transformer(sphere, tkf.Softmax(1.0), V=np.diag([2.0, -1.0, -1.0])))


def test_wrong_densities_are_refused():
    grid = Zonal(3, 16)
    with pytest.raises(InvalidInput, match="means must be e_1"):
        Density.vmf_mixture(grid, means=[[0.0, 1.0, 0.0]], concentrations=1.0)
    with pytest.raises(InvalidInput, match="do not resolve"):
        Density.vmf_mixture(grid, means=[[1.0, 0.0, 0.0]], concentrations=500.0)
    with pytest.raises(Unsupported, match="orbits"):
        _ = Density.uniform(grid).points
    with pytest.raises(InvalidInput, match="no axis"):
        Density.smoothed(grid, tkf.Measure(np.eye(3)), concentration=2.0)
    assert Fourier(16).is_orbit is False and grid.is_orbit is True
