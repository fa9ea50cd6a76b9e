"""Densities on the circle: velocities against literal sums, mass and positivity, linear rates, noise, flows, errors."""

from __future__ import annotations

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import pytest
from scipy.special import iv

import oracles
import tokenfield as tkf
from tokenfield import theory
from tokenfield.errors import InvalidInput, Unsupported
from tokenfield.laws import Cells, Density, Fourier
from tokenfield.model.schedule import PerLayer
from tokenfield.solver.events import Steady
from tokenfield.transport import density_wasserstein

CIRCLE = tkf.Sphere(2)
RNG = np.random.default_rng(0)
SAVED = 8  # one number of saved times and one grid for most runs: they share their compilations


def angles(m, shift=0.0):
    return 2 * np.pi * (np.arange(m) + shift) / m


def on_circle(theta):
    return np.stack([np.cos(theta), np.sin(theta)], 1)


def lumpy(m):
    """A density with no symmetry at all."""
    theta = angles(m)
    return np.exp(1.2 * np.cos(theta - 0.4) + 0.5 * np.sin(3 * theta))


def mode(values, k):
    return np.abs(np.fft.rfft(np.asarray(values), axis=-1)[..., k]) / np.shape(values)[-1]


@eqx.filter_jit
def speeds(grid, model, rho, convolve):
    return grid.velocity(model, 0.0, rho.values, convolve=convolve)


# --- velocity ---------------------------------------------------------------------------------------------------------

M = 20
KINDS = {
    "softmax": (tkf.Softmax(3.0), lambda q, k, w, _: _softmax(q, k, w, 3.0)),
    "unnormalized": (tkf.Unnormalized(3.0), lambda q, k, w, _: w * np.exp(3.0 * q @ k.T)),
    "l2": (tkf.L2(0.7), lambda q, k, w, _: oracles.l2_weights(q, k, w, 0.7)),
    "sigmoid": (tkf.Sigmoid(2.0, 0.4), lambda q, k, w, _: oracles.sigmoid_weights(q, k, w, 2.0, 0.4)),
    "linear": (tkf.Linear(0.6), lambda q, k, w, _: oracles.linear_weights(q, k, w, 0.6)),
    "hardmax": (tkf.Hardmax(), lambda q, k, w, _: oracles.hardmax_weights(q, k, w)),
    "krause": (tkf.Krause(0.9), lambda q, k, w, _: oracles.krause_weights(q, k, w, 0.9)),
    "sinkhorn": (tkf.Sinkhorn(0.5), lambda q, k, w, _: oracles.sinkhorn_weights(q, k, w, 0.5)),
}


def _softmax(q, k, w, beta):
    a = w * np.exp(beta * q @ k.T)
    return a / a.sum(1, keepdims=True)


def literal_speed(weights, matrices=None, extra=None):
    """The angular velocity at the nodes of `lumpy(M)`, from the oracle's sum over nodes as weighted tokens."""
    x, w = on_circle(angles(M)), lumpy(M) / lumpy(M).sum()
    Q, K, V = matrices or (np.eye(2),) * 3
    field = oracles.field_of(weights)(x, w, [oracles.HeadMatrices(1.0, Q, K, V)])
    field = field if extra is None else field + extra(x)
    v = oracles.on_sphere(field, x)
    return x[:, 0] * v[:, 1] - x[:, 1] * v[:, 0]


@pytest.mark.parametrize("name", KINDS)
def test_velocity_of_every_kind_is_the_literal_sum(name):
    """By quadrature for all kinds, and by convolution where there is one, to rounding (Sinkhorn: to its tolerance)."""
    attention, weights = KINDS[name]
    # with Q = K = I the maximum of hardmax is at the query itself, and nothing moves
    turn = np.array([[np.cos(0.7), -np.sin(0.7)], [np.sin(0.7), np.cos(0.7)]]) if name == "hardmax" else None
    grid, model = Fourier(M), tkf.Transformer(CIRCLE, attention, Q=turn)
    rho = Density(grid, lumpy(M))
    expected = literal_speed(weights, None if turn is None else (turn, np.eye(2), np.eye(2)))
    ways = (False, True) if name in ("softmax", "unnormalized", "l2", "sigmoid") else (False,)
    for convolve in ways:
        found = speeds(grid, model, rho, convolve)
        np.testing.assert_allclose(found, expected, atol=1e-9 if name == "sinkhorn" else 2e-13 * np.abs(expected).max())


def test_velocity_with_matrices_heads_and_a_perceptron():
    """General Q, K, V by quadrature; V and a perceptron also by convolution; two heads averaged."""
    Q, K, V, W, A = (RNG.normal(size=(2, 2)) for _ in range(5))
    b, eye = RNG.normal(size=2), np.eye(2)
    softmax, rho = tkf.Softmax(2.0), Density(Fourier(M), lumpy(M))
    weights = lambda q, k, w, _: _softmax(q, k, w, 2.0)  # noqa: E731
    perceptron = lambda x: np.maximum(x @ A.T + b, 0) @ W.T  # noqa: E731

    def found(parts, convolve=False, **options):
        return speeds(rho.grid, tkf.Transformer(CIRCLE, parts, **options), rho, convolve)

    general = literal_speed(weights, (Q, K, V))
    np.testing.assert_allclose(found(tkf.Head(softmax, Q=Q, K=K, V=V)), general, atol=1e-13)
    mixed = literal_speed(weights, (eye, eye, V), perceptron)
    for convolve in (False, True):
        parts = [tkf.Head(softmax, V=V), tkf.Perceptron(W, A, b)]
        np.testing.assert_allclose(found(parts, convolve), mixed, atol=1e-13)
    both = [tkf.Head(softmax, Q=Q, K=K, V=V), softmax]
    average = (general + literal_speed(weights)) / 2
    np.testing.assert_allclose(found(both, average=True), average, atol=1e-13)


def test_velocity_of_cells_is_read_at_their_faces():
    """Half a cell after each center; by convolution too. Read at the centers it would be off by 10 % here."""
    grid, w = Cells(M), lumpy(M) / lumpy(M).sum()
    theta, centers = angles(M, 0.5), angles(M)
    kernel = w * np.exp(3.0 * np.cos(theta[:, None] - centers))
    literal = -np.sum(kernel * np.sin(theta[:, None] - centers), 1)
    rho = Density(grid, lumpy(M))
    for attention, expected in ((tkf.Unnormalized(3.0), literal), (tkf.Softmax(3.0), literal / kernel.sum(1))):
        for convolve in (False, True):
            found = speeds(grid, tkf.Transformer(CIRCLE, attention), rho, convolve)
            np.testing.assert_allclose(found, expected, atol=2e-13 * np.abs(expected).max())


# --- mass and positivity ----------------------------------------------------------------------------------------------


@eqx.filter_jit
def euler(model, rho, factor, steps):
    """The state after `steps` Euler steps of `factor` times the longest allowed, and the smallest value on the way."""
    kappa = jnp.inf if model.noise is None else model.noise.kappa

    def step(carry, _):
        values, least = carry
        speed = rho.grid.velocity(model, 0.0, values, convolve=False)
        dt = factor * rho.grid.largest_step(speed, 1 / kappa)
        values = values + dt * rho.at(values).rate(model, 0.0)
        return (values, jnp.minimum(least, jnp.min(values))), None

    return jax.lax.scan(step, (rho.values, jnp.min(rho.values)), length=steps)[0]


@pytest.mark.parametrize("kappa", [pytest.param(None, marks=pytest.mark.slow), 5.0])
def test_cells_stay_nonnegative_and_a_step_four_times_as_long_does_not(kappa):
    """From a start where most cells are empty and others full, with and without noise."""
    values = np.where(RNG.random(32) < 0.7, 0.0, 5 * RNG.random(32))
    noise = None if kappa is None else tkf.Noise(kappa, seed=0)
    model = tkf.Transformer(CIRCLE, tkf.Softmax(4.0), noise=noise)
    rho = Density(Cells(32), values)
    last, least = euler(model, rho, 1.0, 60)
    assert float(least) >= 0  # not even by rounding: a cell loses at most 80 % of its mass
    assert abs(float(jnp.mean(last)) - 1) < 1e-13
    assert float(euler(model, rho, 4.0, 60)[1]) < -1e-3


@pytest.mark.slow
def test_long_run_on_cells_keeps_mass_and_sign_and_says_when_peaks_are_lost():
    """Consensus from a nearly empty start, far beyond what 32 cells resolve."""
    values = np.full(32, 1e-12)
    values[3:17] += np.sin(np.pi * np.arange(1, 15) / 15) ** 2 * (1 + 0.5 * np.sin(np.arange(14)))
    run = tkf.solve(tkf.Transformer(CIRCLE, tkf.Softmax(1.0)), Density(Cells(32), values), t1=20.0, save=21)
    assert run.result.name == "finished" and 0 < float(run.result.unresolved_from) < 10
    assert "under-resolved from" in str(run.result)
    assert np.abs(np.asarray(run.observables["mass"]) - 1).max() < 1e-12
    assert np.asarray(run.observables["smallest_density"]).min() >= 0
    # one cluster: all but a thousandth of the mass in three cells
    assert np.sort(np.asarray(run.final.values))[-3:].sum() / 32 > 0.999


@pytest.mark.slow
def test_fourier_run_keeps_mass_raises_the_energy_and_ends_when_unresolved():
    start = Density.perturbed_uniform(Fourier(64), degree=1, amplitude=0.1)
    run = tkf.solve(tkf.Transformer(CIRCLE, tkf.Softmax(1.0)), start, t1=50.0, save=SAVED)
    assert run.result.name == "under-resolved" and "take more nodes" in str(run.result)
    assert 2 < float(run.result.t) < 10
    run = tkf.solve(run.model, start, t1=float(run.result.t) * 0.95, save=SAVED)
    assert run.result.name == "finished"
    assert np.abs(np.asarray(run.observables["mass"]) - 1).max() < 1e-12
    assert np.all(np.diff(run.energy()) > 0)


@pytest.mark.slow
def test_noisy_run_keeps_mass_for_as_long_as_one_likes():
    model = tkf.Transformer(CIRCLE, tkf.Unnormalized(1.0), noise=tkf.Noise(4.0, seed=0))
    start = Density.perturbed_uniform(Fourier(64), degree=1, amplitude=0.1)
    run = tkf.solve(model, start, t1=50.0, save=SAVED)
    assert run.result.name == "finished" and float(run.final.mean[0]) > 0.8
    assert np.abs(np.asarray(run.observables["mass"]) - 1).max() < 1e-12


# --- the uniform law: linear rates ------------------------------------------------------------------------------------


@eqx.filter_jit
def linear_rates(grid, model, count):
    """The rates of cos(k theta), k = 1, ..., count, and the largest coefficient that such a mode feeds elsewhere."""
    theta = jnp.arctan2(grid.points[:, 1], grid.points[:, 0])
    k = jnp.arange(1, count + 1)
    flow = lambda values: Density.uniform(grid).at(values).rate(model, 0.0, convolve=True)  # noqa: E731
    moved = jax.vmap(lambda h: jax.jvp(flow, (jnp.ones(grid.m),), (h,))[1])(jnp.cos(k[:, None] * theta))
    found = 2 * jnp.fft.rfft(moved, axis=1) / grid.m
    rates = found[jnp.arange(count), k]
    return rates.real, jnp.max(jnp.abs(found.at[jnp.arange(count), k].set(0.0)))


@pytest.mark.parametrize("name", [pytest.param("softmax", marks=pytest.mark.slow), "unnormalized"])
def test_linearization_is_the_theory(name):
    """Fourier to 1e-8 of the largest rate; cells of order two: four times closer with twice as many."""
    attention = {"softmax": tkf.Softmax, "unnormalized": tkf.Unnormalized}[name]
    for beta in (0.5, 5.0, 8.0):
        model, rates = tkf.Transformer(CIRCLE, attention(beta)), theory.growth_rates(beta, 2, count=6, attention=name)
        found, rest = linear_rates(Fourier(64), model, 6)
        np.testing.assert_allclose(found, rates.value, atol=1e-8 * rates.value.max())
        assert float(rest) < 1e-8 * rates.value.max()
    if name == "softmax":
        return
    misses = [np.abs(np.asarray(linear_rates(Cells(m), model, 6)[0]) - rates.value).max() for m in (64, 128)]
    assert misses[0] / misses[1] == pytest.approx(4, rel=0.02)


@pytest.mark.parametrize("name", [pytest.param("softmax", marks=pytest.mark.slow), "unnormalized"])
def test_seeded_modes_grow_at_their_rates_and_not_at_those_of_the_notebook(name):
    """3a-2: amplitude 1e-6, k = 1..6, to 1e-4. Trap 1: k^2 I_k/(pi beta) fails by the factor pi."""
    attention = {"softmax": tkf.Softmax, "unnormalized": tkf.Unnormalized}[name]
    for beta in (1.0, 5.0, 7.0):
        model = tkf.Transformer(CIRCLE, attention(beta))
        rates = theory.growth_rates(beta, 2, count=6, attention=name).value
        t1 = float(1 / rates.max())
        for k in range(1, 7):
            start = Density.perturbed_uniform(Fourier(64), degree=k, amplitude=1e-6)
            # absolute errors of 1e-15 in a mode of 1e-6; quadratic terms are 1e-6 of it
            run = tkf.solve(model, start, t1=t1, save=SAVED, rtol=1e-10, atol=1e-15)
            found = np.log(mode(run.final.values, k) / mode(start.values, k)) / t1
            assert found == pytest.approx(rates[k - 1], rel=1e-4, abs=1e-8 * rates.max())
            wrong = k**2 * iv(k, beta) / (np.pi * beta) / (1 if name == "unnormalized" else iv(0, beta))
            assert abs(found / wrong - 1) > 0.5


@pytest.mark.slow
def test_forward_heat_of_repulsion():
    """3b-2: V = -I, softmax, beta = 50: mode k decays as exp(-k^2 I_k t / (beta I_0)) to 1e-6."""
    beta, t1 = 50.0, 2.0
    model = tkf.Transformer(CIRCLE, tkf.Softmax(beta), V=-np.eye(2))
    for k in (1, 3):
        start = Density.perturbed_uniform(Fourier(64), degree=k, amplitude=1e-7)
        run = tkf.solve(model, start, t1=t1, save="end", rtol=1e-10, atol=1e-16)
        rate = k**2 * iv(k, beta) / (beta * iv(0, beta))
        assert mode(run.final.values, k) / mode(start.values, k) == pytest.approx(np.exp(-rate * t1), rel=1e-6)
        assert rate == pytest.approx(k**2 / beta, rel=0.12)  # the heat flow, up to k^2/(2 beta)


def test_symmetric_data_stay_symmetric():
    """3a-6: four-fold symmetric data under USA at beta = 7, while degree 4 grows hundredfold."""
    start = Density.perturbed_uniform(Fourier(64), degree=4, amplitude=1e-3)
    run = tkf.solve(tkf.Transformer(CIRCLE, tkf.Unnormalized(7.0)), start, t1=0.04, save=SAVED)
    values = np.asarray(run.final.values)
    assert mode(values, 4) > 50 * mode(start.values, 4)
    # rounding of 1e-16 grows with the fastest other mode, e^{110 t}
    assert np.abs(values - np.roll(values, 16)).max() < 1e-12 * values.max()


def test_noise_damps_or_not_as_predicted():
    """11a: k^2 (1/kappa_k - 1/kappa) for k = 1..4, growing and decaying, by linearization."""
    beta, kappa = 4.0, 0.7
    model = tkf.Transformer(CIRCLE, tkf.Unnormalized(beta), noise=tkf.Noise(kappa, seed=0))
    k = np.arange(1, 5)
    rates = k**2 * (1 / theory.noise_thresholds(beta, 2, count=4).value - 1 / kappa)
    assert rates[0] > 0 and rates[1] > 0 > rates[2]
    np.testing.assert_allclose(linear_rates(Fourier(64), model, 4)[0], rates, atol=1e-8 * np.abs(rates).max())


@pytest.mark.slow
def test_noisy_runs_follow_the_linear_rates():
    """11a in a run, to 1 %."""
    beta, kappa = 4.0, 0.7
    model = tkf.Transformer(CIRCLE, tkf.Unnormalized(beta), noise=tkf.Noise(kappa, seed=0))
    k = np.arange(1, 5)
    rates = k**2 * (1 / theory.noise_thresholds(beta, 2, count=4).value - 1 / kappa)
    for degree in (1, 3):
        start = Density.perturbed_uniform(Fourier(64), degree=degree, amplitude=1e-3)
        run = tkf.solve(model, start, t1=0.2, save=SAVED)
        found = np.log(mode(run.final.values, degree) / mode(start.values, degree)) / 0.2
        assert found == pytest.approx(rates[degree - 1], rel=1e-2)


# --- noise at rest ----------------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_order_parameter_of_noisy_kuramoto():
    """11b: beta = 0, r solves r = I_1(kappa r)/I_0(kappa r): to 1e-6 by the spectral flow."""
    for kappa, published in ((2.5, 0.58971), (3.0, 0.72416), (4.0, 0.83146), (8.0, 0.93015)):
        model = tkf.Transformer(CIRCLE, tkf.Unnormalized(0.0), noise=tkf.Noise(kappa, seed=0))
        start = Density.vmf_mixture(Fourier(48), means=[[1.0, 0.0]], concentrations=2.0)
        run = tkf.solve(model, start, t1=60.0, save="end", rtol=1e-8)
        assert run.result.name == "finished"
        r = float(run.final.mean[0])
        # what is left after t = 60 is e^{-0.3 t}, the slowest rate being 0.3 at kappa = 2.5
        assert r == pytest.approx(float(theory.stationary_order(kappa)), abs=1e-6)
        assert r == pytest.approx(published, abs=1e-5)


# --- flows ------------------------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_implicit_method_reaches_the_same_rest():
    model = tkf.Transformer(CIRCLE, tkf.Unnormalized(0.0), noise=tkf.Noise(3.0, seed=0))
    start = Density.vmf_mixture(Fourier(32), means=[[1.0, 0.0]], concentrations=2.0)
    run = tkf.solve(model, start, t1=100.0, method="kvaerno5", save="end", events=Steady(1e-8))
    assert float(run.final.mean[0]) == pytest.approx(float(theory.stationary_order(3.0)), abs=1e-6)


@pytest.mark.slow
def test_weights_that_jump_in_depth():
    """Two layers, V = I then V = -I, are two runs one after the other; the solver must not step across the jump."""
    heads = [tkf.Head(tkf.Softmax(2.0), V=sign * np.eye(2)) for sign in (1, -1)]
    start = Density.perturbed_uniform(Fourier(32), degree=2, amplitude=0.2)
    tight = {"save": "end", "rtol": 1e-10}
    run = tkf.solve(tkf.Transformer(CIRCLE, PerLayer(heads, t1=1.0)), start, t1=1.0, **tight)
    for head in heads:
        start = tkf.solve(tkf.Transformer(CIRCLE, head), start, t1=0.5, **tight).final
    np.testing.assert_allclose(run.final.values, start.values, atol=1e-8)
    # the way back is not the way: 0.2 has not returned exactly, but has turned
    assert mode(start.values, 2) < 0.12


@pytest.mark.slow
def test_density_agrees_with_20000_tokens():
    """USA at beta = 5: W_1 between the density and 2e4 tokens is below that of a random sample of the law."""
    n = 20_000
    start = Density.vmf_mixture(Fourier(256), means=[[1.0, 0.0], [-0.5, 0.9]], concentrations=4.0)
    model = tkf.Transformer(CIRCLE, tkf.Unnormalized(5.0))
    rho = tkf.solve(model, start, t1=0.02, save="end").final
    # tokens at the quantiles of the start: they carry no sampling error of their own
    fine = angles(4096)
    dense = np.fft.irfft(np.pad(np.fft.rfft(np.asarray(start.values)), (0, 1920)), 4096)
    levels = np.concatenate([[0], np.cumsum((dense + np.roll(dense, -1)) / 2)])
    theta = np.interp((np.arange(n) + 0.5) / n, levels / levels[-1], np.append(fine, 2 * np.pi))
    tokens = tkf.solve(model, on_circle(theta), t1=0.02, method="rk4", step=0.02, save="end").final
    distance = density_wasserstein(np.asarray(rho.values), tokens)
    sampling = density_wasserstein(np.asarray(rho.values), rho.sample(n, seed=0))
    moved = density_wasserstein(np.asarray(rho.values), np.asarray(start.values))
    assert distance < sampling / 5 < moved / 5


@pytest.mark.slow
def test_batch_and_derivative_through_a_run():
    """d/d(amplitude) of the mode after a run against a difference, in a batch over beta, in one compilation each."""
    grid = Fourier(16)

    @jax.jit
    def final_mode(amplitude, beta):
        start = Density(grid, 1 + amplitude * jnp.cos(2 * jnp.asarray(angles(16))))
        run = tkf.solve(tkf.Transformer(CIRCLE, tkf.Softmax(beta)), start, t1=0.5, save="end", method="rk4", step=0.1)
        return jnp.abs(jnp.fft.rfft(run.final.values)[2]) / 16

    slopes = jax.vmap(jax.grad(final_mode), (None, 0))(0.1, jnp.array([1.0, 2.0]))
    for beta, slope in ((1.0, slopes[0]), (2.0, slopes[1])):
        difference = (final_mode(0.1 + 1e-4, beta) - final_mode(0.1 - 1e-4, beta)) / 2e-4
        assert float(slope) == pytest.approx(float(difference), rel=1e-6)


# --- errors -----------------------------------------------------------------------------------------------------------


def test_wrong_grids_and_densities_are_refused():
    grid = Fourier(16)
    for make, words in (
        (lambda: Fourier(4), "nodes >= 8"),
        (lambda: Cells(10.5), "whole number"),
        (lambda: Density(grid, np.ones(15)), r"shape \(16,\)"),
        (lambda: Density(grid, -np.ones(16)), "positive mass"),
        (lambda: Density(grid, np.full(16, np.nan)), "finite"),
        (lambda: Density(grid, np.where(np.arange(16) == 3, -0.5, 1.0)), "must not be negative"),
        (lambda: Density(16, np.ones(16)), "needs a grid"),
        (lambda: Density.perturbed_uniform(grid, degree=7, amplitude=0.5), "does not resolve degree 7"),
        (lambda: Density.perturbed_uniform(grid, degree=0, amplitude=0.5), "degree must be"),
        (lambda: Density.perturbed_uniform(grid, degree=1, amplitude=2.0), "amplitude"),
        (lambda: Density.vmf_mixture(grid, means=[[1.0, 0.0]], concentrations=400.0), "do not resolve"),
        (lambda: Density.vmf_mixture(grid, means=[[1.0, 0.0, 0.0]], concentrations=1.0), "length 2"),
    ):
        with pytest.raises(InvalidInput, match=words):
            make()


def test_wrong_flows_are_refused():
    rho, model = Density.uniform(Fourier(16)), tkf.Transformer(CIRCLE, tkf.Softmax(1.0))
    for options, words in (
        ({"layers": 4}, "layers=L moves tokens"),
        ({"method": "ssprk3"}, "does not suit a density flow"),
    ):
        with pytest.raises(InvalidInput, match=words):
            tkf.solve(model, rho, t1=1.0, **options)
    # e^{400 cos} is narrower than the nodes are apart: the rate of degree 3 would be 0.0003 instead of 0.0222
    for grid in (Fourier(32), Cells(64)):
        with pytest.raises(InvalidInput, match="do not resolve the kernel at beta = 400"):
            grid.check(tkf.Transformer(CIRCLE, tkf.Softmax(400.0)))
        grid.check(tkf.Transformer(CIRCLE, tkf.Softmax(20.0)))
    rough = Density(Fourier(16), np.where(np.arange(16) == 3, 10.0, 1.0))
    with pytest.raises(InvalidInput, match="do not resolve the initial density"):
        tkf.solve(model, rough, t1=1.0)
    refused = {
        "Sphere\\(2\\)": tkf.Transformer(tkf.Sphere(3), tkf.Softmax(1.0)),
        "positions": tkf.Transformer(CIRCLE, tkf.Softmax(1.0), position=tkf.Causal()),
        "radii": tkf.Transformer(CIRCLE, tkf.Softmax(1.0), normalization=tkf.PreLN()),
        "at random": tkf.Transformer(CIRCLE, tkf.Softmax(1.0), noise=tkf.Noise(1.0, seed=0, common=True)),
    }
    for words, wrong in refused.items():
        with pytest.raises(Unsupported, match=words):
            tkf.solve(wrong, rho, t1=1.0)
