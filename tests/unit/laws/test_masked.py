"""The masked mean field: causality, the marginal, convergence in positions, tokens, and what is refused."""

from __future__ import annotations

import jax.numpy as jnp
import numpy as np
import pytest

import tokenfield as tkf
from tokenfield.laws import Cells, Density, Fourier, MaskedDensity

MODEL = tkf.Transformer(tkf.Sphere(2), tkf.Softmax(2.0), position=tkf.Causal())
GRID = Fourier(64)


def start(positions: int, *, late: float = 0.0, grid=GRID) -> MaskedDensity:
    def density(s, x):
        angle = 2.5 * s + (late if s > 0.5 else 0.0)
        return jnp.exp(4 * (x @ jnp.asarray([np.cos(angle), np.sin(angle)])))

    return MaskedDensity.from_function(grid, density, positions=positions)


def end(rho: MaskedDensity, **options) -> MaskedDensity:
    return tkf.solve(MODEL, rho, t1=0.5, method="rk4", step=0.05, save="end", **options).final


def test_what_is_seen_is_the_mean_of_what_comes_before():
    rho = MaskedDensity(GRID, np.random.default_rng(0).uniform(0.5, 1.5, (3, 64)), [1.0, 2.0, 1.0])
    a, b, c = np.asarray(rho.values)
    np.testing.assert_allclose(rho.seen, [a, (a + b) / 2, (a + 2 * b + c / 2) / 3.5], rtol=1e-14)


def test_velocity_is_that_of_tokens_under_the_mask():
    """Against the sum over nodes as weighted tokens, with half of a cell's own mass as a token that sees the cell."""
    rho = start(3)
    mu = rho.measure()
    k, m = rho.values.shape
    own = np.repeat(np.asarray(rho.positions), m)
    for cell in range(k):
        before = own < rho.positions[cell] - 1e-9
        here = np.isclose(own, rho.positions[cell])
        weights = np.asarray(mu.weights) * (before + 0.5 * here) + 1e-300
        seen = tkf.Measure(np.asarray(mu.points), weights)
        plain = tkf.Transformer(tkf.Sphere(2), tkf.Softmax(2.0))
        v = np.asarray(plain.velocity(0.0, GRID.points, seen))
        x = np.asarray(GRID.points)
        angular = x[:, 0] * v[:, 1] - x[:, 1] * v[:, 0]
        np.testing.assert_allclose(rho.velocity(plain, 0.0)[cell], angular, rtol=0, atol=1e-12)


def test_the_past_does_not_depend_on_the_future_and_positions_keep_their_mass():
    one, other = end(start(8)), end(start(8, late=1.0))
    np.testing.assert_array_equal(one.values[:4], other.values[:4])
    assert np.max(np.abs(one.values[4:] - other.values[4:])) > 0.1  # the control: the future did change
    np.testing.assert_allclose(one.marginal, 1 / 8, rtol=0, atol=1e-12)


def test_equal_densities_are_the_flow_without_a_mask():
    rho = Density.vmf_mixture(GRID, means=[[1.0, 0.0], [0.0, 1.0]], concentrations=3.0)
    masked = end(MaskedDensity(GRID, jnp.tile(rho.values, (3, 1))))
    plain = tkf.solve(
        tkf.Transformer(tkf.Sphere(2), tkf.Softmax(2.0)), rho, t1=0.5, method="rk4", step=0.05, save="end"
    ).final
    np.testing.assert_allclose(masked.values, np.tile(plain.values, (3, 1)), rtol=1e-11)


@pytest.mark.slow
def test_positions_converge_at_order_two():
    means = {k: np.asarray(end(start(k)).mean) for k in (8, 16, 64)}
    errors = [np.linalg.norm(means[k] - means[64]) for k in (8, 16)]
    assert 3.0 < errors[0] / errors[1] < 5.5


@pytest.mark.slow
def test_tokens_are_near():
    rho = start(32)
    tokens = tkf.solve(MODEL, rho.sample(2000, seed=0), t1=0.5, save="end", rtol=1e-5).final
    # means of 2000 tokens of variance below 1: within four standard errors
    np.testing.assert_allclose(tokens.mean, end(rho).mean, rtol=0, atol=4 / np.sqrt(2000))


@pytest.mark.slow
def test_cells_stay_nonnegative_and_runs_are_kept(tmp_path):
    run = tkf.solve(MODEL, start(4, grid=Cells(64)), t1=0.5, save=3)
    assert np.all(np.asarray(run.observables["smallest_density"]) >= 0) and run.kind == "density"
    run.save(tmp_path / "run")
    again = tkf.load(tmp_path / "run")
    np.testing.assert_array_equal(again.final.values, run.final.values)
    np.testing.assert_array_equal(again.state(1).values, run.state(1).values)


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: MaskedDensity(GRID, np.ones(64)), "shape"),
        (lambda: MaskedDensity(GRID, -np.ones((2, 64))), "negative"),
        (lambda: MaskedDensity(GRID, np.ones((2, 64)), [1.0]), "one for each position"),
        (lambda: MaskedDensity(GRID, np.ones((2, 64)), [1.0, 0.0]), "positive"),
        (lambda: MaskedDensity.from_function(GRID, lambda s, x: x[:, 0] + 2, positions=0), "whole number"),
        (lambda: tkf.explain(tkf.Transformer(tkf.Sphere(2), tkf.Softmax(1.0)), start(2), t1=1.0), "Causal"),
        (
            lambda: tkf.explain(
                tkf.Transformer(tkf.Sphere(2), tkf.Softmax(1.0), position=tkf.Window(1.0)), start(2), t1=1.0
            ),
            "Causal",
        ),
    ],
)
def test_refused(make, words):
    with pytest.raises(tkf.TokenfieldError, match=words):
        make()
