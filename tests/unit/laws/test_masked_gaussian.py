"""Masked Gaussians: literal moments, a closed law, nodes that move, a past that the future cannot reach, refusals."""

from __future__ import annotations

import numpy as np
import pytest

import tokenfield as tkf
from tokenfield.laws import Gaussian, MaskedGaussian, MaskedMovingDensity, Moving, MovingDensity
from tokenfield.study.config import Config
from tokenfield.study.simulate import simulate
from tokenfield.study.store import RunFolder

RNG = np.random.default_rng(0)
CELLS, D, BETA = 4, 3, 0.7
Q, K, V = (0.6 * RNG.normal(size=(D, D)) for _ in range(3))
MODEL = tkf.Transformer(tkf.Euclidean(D), tkf.Linear(BETA), Q=Q, K=K, V=V, position=tkf.Causal())
SHARES = np.array([1.0, 2.0, 1.5, 0.5])
FACTORS = 0.5 * RNG.normal(size=(CELLS, D, D))


def start(*, later: float = 0.0) -> MaskedGaussian:
    """Unequal Gaussians and shares; means in the second half are moved by `later`."""
    means = np.linspace(-1, 1, CELLS)[:, None] * [1.0, 0.5, 0.0] + later * (np.arange(CELLS) >= CELLS // 2)[:, None]
    return MaskedGaussian([Gaussian(m, F @ F.T) for m, F in zip(means, FACTORS, strict=True)], SHARES)


def literal_rates(means: np.ndarray, covariances: np.ndarray, *, own: float = 0.5) -> tuple[np.ndarray, np.ndarray]:
    """m' = G m and S' = G S + S G^T with G = beta V M K^T Q, M the second moment of what a cell sees, cell by cell."""
    rates, spreads = np.zeros_like(means), np.zeros_like(covariances)
    for c in range(len(means)):
        moment, mass = np.zeros((D, D)), 0.0
        for tau in range(c + 1):
            share = SHARES[tau] * (own if tau == c else 1.0)
            moment += share * (covariances[tau] + np.outer(means[tau], means[tau]))
            mass += share
        G = BETA * V @ (moment / mass) @ K.T @ Q
        rates[c], spreads[c] = G @ means[c], G @ covariances[c] + covariances[c] @ G.T
    return rates, spreads


def test_moments_move_by_the_literal_rates():
    h, mu = 1e-4, start()
    end = tkf.solve(MODEL, mu, t1=h, method="rk4", step=h / 2, save="end").final
    found = [(np.asarray(b) - np.asarray(a)) / h for a, b in ((mu.means, end.means), (mu.covariances, end.covariances))]
    expected = literal_rates(np.asarray(mu.means), np.asarray(mu.covariances))
    for a, b in zip(found, expected, strict=True):
        np.testing.assert_allclose(a, b, atol=1e-3)  # h times second derivatives of order one
    # the control: the own cell seen in full
    assert np.abs(found[0] - literal_rates(np.asarray(mu.means), np.asarray(mu.covariances), own=1.0)[0]).max() > 0.01


def test_equal_positions_follow_the_closed_law_of_one_gaussian():
    """S' = 2 beta S^2 for Q = K = V = I, so that S = (S_0^{-1} - 2 beta t)^{-1}, at every position."""
    S = np.array([[0.5, 0.1, 0.0], [0.1, 0.3, 0.0], [0.0, 0.0, 0.2]])
    model = tkf.Transformer(tkf.Euclidean(D), tkf.Linear(BETA), position=tkf.Causal())
    law = MaskedGaussian.from_function(lambda s: Gaussian(np.zeros(D), S), positions=CELLS)
    run = tkf.solve(model, law, t1=1.0, save=3, rtol=1e-10)
    expected = np.linalg.inv(np.linalg.inv(S) - 2 * BETA * np.eye(D))
    for cell in range(CELLS):
        np.testing.assert_allclose(run.final.gaussian(cell).covariance, expected, atol=1e-8)
    assert run.kind == "gaussian" and run.state(1).covariances.shape == (CELLS, D, D)
    # the largest eigenvalue of S is finite until 1/(2 beta lambda)
    late = tkf.solve(model, law, t1=3.0, save="end")
    top = np.linalg.eigvalsh(S)[-1]
    assert late.result.name == "blew-up" and float(late.result.t) == pytest.approx(1 / (2 * BETA * top), rel=1e-4)


def test_what_comes_later_has_no_effect():
    runs = [tkf.solve(MODEL, start(later=later), t1=0.5, method="rk4", step=0.05, save=3) for later in (0.0, 0.7)]
    half = CELLS // 2
    for name in ("means", "covariances"):
        one, other = (np.asarray(getattr(run.final, name)) for run in runs)
        np.testing.assert_array_equal(one[:half], other[:half])
        assert np.abs(one[half:] - other[half:]).max() > 0.01
    np.testing.assert_allclose(runs[0].final.marginal, SHARES / SHARES.sum(), rtol=0, atol=1e-15)
    whole = runs[0].final
    assert np.asarray(runs[0].saved("covariance"))[-1] == pytest.approx(np.asarray(whole.covariance), abs=1e-12)


def test_nodes_that_move_with_the_mass_say_the_same():
    """On a line the same law as densities, which know nothing of Gaussians."""
    model = tkf.Transformer(tkf.Euclidean(1), tkf.Linear(0.5), position=tkf.Causal())
    each = [((m,), ((v,),)) for m, v in ((1.0, 0.2), (0.3, 0.1), (-0.4, 0.3), (-1.0, 0.2))]
    options = {"t1": 0.5, "method": "rk4", "step": 0.05, "save": "end"}
    end = tkf.solve(model, MaskedGaussian([Gaussian(m, S) for m, S in each]), **options).final
    grid = Moving(1, 64)
    nodes = MaskedMovingDensity([MovingDensity.gaussian(grid, mean=m, covariance=S) for m, S in each])
    found = tkf.solve(model, nodes, **options).final
    np.testing.assert_allclose(found.means, end.means, rtol=0, atol=1e-7)  # quadrature of 64 nodes
    np.testing.assert_allclose([found.density(c).covariance for c in range(4)], end.covariances, rtol=1e-5)


def test_noise_spreads_every_position():
    model = tkf.Transformer(
        tkf.Euclidean(D), tkf.Linear(0.0), position=tkf.Causal(), noise=tkf.Noise(kappa=4.0, seed=0)
    )
    end = tkf.solve(model, start(), t1=1.0, save="end").final
    np.testing.assert_allclose(end.covariances, start().covariances + 0.5 * np.eye(D), atol=1e-9)  # 2 t / kappa


def test_noise_adds_to_the_literal_rates():
    """Covariances themselves are moved then, not factors of them: G S + S G^T with G that is not symmetric."""
    h, mu, noise = 1e-4, start(), tkf.Noise(kappa=4.0, seed=0)
    model = tkf.Transformer(tkf.Euclidean(D), tkf.Linear(BETA), Q=Q, K=K, V=V, position=tkf.Causal(), noise=noise)
    end = np.asarray(tkf.solve(model, mu, t1=h, method="rk4", step=h / 2, save="end").final.covariances)
    _, expected = literal_rates(np.asarray(mu.means), np.asarray(mu.covariances))
    np.testing.assert_allclose((end - np.asarray(mu.covariances)) / h, expected + 0.5 * np.eye(D), atol=1e-3)
    np.testing.assert_array_equal(end, np.swapaxes(end, 1, 2))


def test_moments_of_the_whole_law_are_those_of_the_mixture():
    mu, shares = start(), SHARES / SHARES.sum()
    means, covariances = np.asarray(mu.means), np.asarray(mu.covariances)
    mean = sum(w * m for w, m in zip(shares, means, strict=True))
    second = sum(w * (S + np.outer(m, m)) for w, m, S in zip(shares, means, covariances, strict=True))
    np.testing.assert_allclose(mu.mean, mean, atol=1e-14)
    np.testing.assert_allclose(mu.covariance, second - np.outer(mean, mean), atol=1e-14)


def test_samples_have_the_moments_of_their_positions():
    tokens, n = start().sample(40_000, seed=0), 40_000
    s, x = np.asarray(tokens.positions), np.asarray(tokens.points)
    first = s < 1 / CELLS
    assert np.all(np.diff(s) >= 0) and abs(first.mean() - SHARES[0] / SHARES.sum()) < 4 / np.sqrt(n)
    widths = np.sqrt(np.diag(np.asarray(start().covariances[0])) / first.sum())
    assert np.all(np.abs(x[first].mean(axis=0) - np.asarray(start().means[0])) < 5 * widths)
    # entries of a covariance of m samples are known to sqrt(2/m) of the largest variance, or better
    S = np.asarray(start().covariances[0])
    assert np.abs(np.cov(x[first].T) - S).max() < 5 * np.sqrt(2 / first.sum()) * S.max()
    # uniform in the cell: the mean of m places is known to its width / sqrt(12 m)
    assert abs(s[first].mean() - 0.5 / CELLS) < 5 / CELLS / np.sqrt(12 * first.sum())
    assert s[first].std() == pytest.approx(1 / CELLS / np.sqrt(12), rel=0.05)


def test_runs_are_kept(tmp_path):
    config = Config.from_dict(
        {
            "geometry": {"kind": "euclidean", "dim": 2},
            "position": {"causal": True},
            "attention": {"kind": "linear"},
            "state": {"kind": "gaussian", "positions": 3},
            "initial": {"mean": [1.0, 0.0], "last_mean": [-1.0, 0.0], "covariance": [[0.1, 0.0], [0.0, 0.2]]},
            "solve": {"t1": 0.2, "save": 3},
        }
    )
    summary = simulate(config, tmp_path / "run").summary
    assert summary["positions"] == 3 and summary["marginal_error"] < 1e-12
    again = RunFolder.open(tmp_path / "run").trajectory()
    assert isinstance(again.final, MaskedGaussian) and again.state(0).means.shape == (3, 2)
    np.testing.assert_allclose(np.asarray(again.state(0).means)[:, 0], [2 / 3, 0.0, -2 / 3], atol=1e-12)
    assert again.at(0.15).covariances.shape == (3, 2, 2) and (tmp_path / "run/figures/gaussian.png").exists()


@pytest.mark.parametrize(
    ("build", "message"),
    [
        (lambda: MaskedGaussian([]), "list of Gaussians"),
        (lambda: MaskedGaussian([Gaussian([0.0], [[1.0]]), Gaussian([0.0, 0.0], np.eye(2))]), "same dimension"),
        (lambda: MaskedGaussian([Gaussian([0.0], [[1.0]])], shares=[1.0, 2.0]), "shares must have shape"),
        (lambda: MaskedGaussian.from_function(lambda s: Gaussian([s], [[1.0]]), positions=0), "positions"),
    ],
)
def test_mistakes_are_one_line(build, message):
    with pytest.raises(tkf.InvalidInput, match=message):
        build()


@pytest.mark.parametrize(
    ("model", "message"),
    [
        (tkf.Transformer(tkf.Euclidean(D), tkf.Linear(1.0)), "position=Causal"),
        (tkf.Transformer(tkf.Euclidean(D), tkf.Softmax(1.0), position=tkf.Causal()), "mixture of Gaussians"),
        (tkf.Transformer(tkf.Sphere(D), tkf.Linear(1.0), position=tkf.Causal()), "Gaussians live in R"),
    ],
)
def test_models_that_do_not_keep_it_are_refused(model, message):
    with pytest.raises(tkf.Unsupported, match=message):
        tkf.solve(model, start(), t1=1.0)
