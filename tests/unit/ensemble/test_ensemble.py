"""Ensembles against a literal loop over systems, against `solve`, and against themselves cut in other ways."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import tokenfield as tkf
from tokenfield.ensemble import Ensemble, pieces, run, running, statistics, vmapped
from tokenfield.errors import InvalidInput
from tokenfield.flows.systems import Systems
from tokenfield.sums.systems import SYSTEMS_FIRST

TIMES = (0.0, 0.3, 1.05, 2.0)
CASES = [(6, 2, "softmax"), (5, 3, "unnormalized"), (6, 9, "softmax")]


def plain(attention: str, d: int):
    kind = {"softmax": tkf.Softmax, "unnormalized": tkf.Unnormalized, "l2": tkf.L2}[attention]
    return lambda beta, noise: tkf.Transformer(tkf.Sphere(d), kind(beta), noise=noise)


def ensemble(n=6, d=2, attention="softmax", **changes) -> Ensemble:
    settings = {"betas": [1.5, 4.0], "systems": 3, "times": TIMES, "seed": 7, "statistics": {"order": None}, **changes}
    return Ensemble(n=n, d=d, model=plain(attention, d), **settings)


def starts(n: int, d: int, systems: int, seed: int = 7) -> np.ndarray:
    """The tokens that the contract names: keys folded with the number of the system, uniform on the sphere."""
    keys = [jax.random.split(jax.random.fold_in(jax.random.key(seed), s))[0] for s in range(systems)]
    return np.stack([np.asarray(tkf.initial.uniform(tkf.Sphere(d), n, seed=key).points) for key in keys])


def published(x: np.ndarray, beta: float, attention: str, step: float, steps: int) -> np.ndarray:
    """The published scheme for one system, pair by pair: x + h A, then normalized (arXiv 2312.10794)."""
    x = x.copy()
    if attention == "unnormalized":
        step = step / max(np.sqrt(beta) * np.exp(beta - 0.5), 1.0)
    for _ in range(steps):
        moved = np.empty_like(x)
        for i in range(len(x)):
            weights = np.array([np.exp(beta * (x[i] @ x[j])) for j in range(len(x))])
            weights /= weights.sum() if attention == "softmax" else len(x)
            moved[i] = x[i] + step * sum(w * y for w, y in zip(weights, x, strict=True))
        x = moved / np.linalg.norm(moved, axis=1, keepdims=True)
    return x


@pytest.mark.parametrize(("n", "d", "attention"), CASES)
def test_published_scheme(n, d, attention):
    """Both layouts, even and odd n, d below and above n: the same tokens as a loop over pairs."""
    beta, steps = 1.5, 20
    step = 0.1 / max(np.sqrt(beta) * np.exp(beta - 0.5), 1.0) if attention == "unnormalized" else 0.1
    found = run(ensemble(n, d, attention, betas=[beta], times=[steps * step])).values["order"][0, :, 0]
    ends = [published(x, beta, attention, 0.1, steps) for x in starts(n, d, 3)]
    wanted = [np.linalg.norm(x.mean(axis=0)) for x in ends]
    np.testing.assert_allclose(found, wanted, rtol=0, atol=1e-12)  # 20 steps of rounding; no chaos yet
    # the control: one step less is not the same
    early = [np.linalg.norm(published(x, beta, attention, 0.1, steps - 1).mean(axis=0)) for x in starts(n, d, 3)]
    assert np.abs(found - early).max() > 1e-4


def solved(ensemble: Ensemble, method: str, step: float | None) -> np.ndarray:
    save = tkf.Save(times=list(TIMES), tokens=False, observables={"order": lambda mu: jnp.linalg.norm(mu.mean)})
    rtol = 1e-10 if step is None else None
    values = np.empty((len(ensemble.betas), ensemble.systems, len(TIMES)))
    for b, beta in enumerate(ensemble.betas):
        for s, x in enumerate(starts(ensemble.n, ensemble.d, ensemble.systems)):
            model = ensemble.build(jnp.asarray(beta), None)
            found = tkf.solve(model, x, t1=TIMES[-1], method=method, step=step, rtol=rtol, save=save)
            values[b, s] = found.observables["order"]
    return values


@pytest.mark.parametrize("d", [2, pytest.param(9, marks=pytest.mark.slow)])
def test_equals_solve_with_the_same_steps(d):
    """Also between steps (t = 1.05), where both interpolate."""
    plan = ensemble(d=d)
    np.testing.assert_allclose(run(plan).values["order"], solved(plan, "euler-normalise", 0.1), rtol=0, atol=1e-12)


@pytest.mark.slow
def test_other_methods_converge_to_solve():
    exact = solved(ensemble(), "tsit5", None)
    tight = run(ensemble(method="tsit5", rtol=1e-10)).values["order"]
    np.testing.assert_allclose(tight, exact, rtol=0, atol=1e-8)  # 1e-10 per step, some hundred steps
    errors = [np.abs(run(ensemble(method="rk4", step=h)).values["order"] - exact).max() for h in (0.2, 0.1)]
    assert 3.3 < np.log2(errors[0] / errors[1]) < 5  # order 4
    late = np.abs(run(ensemble()).values["order"] - exact).max()
    assert late > 100 * errors[0]  # the published scheme is of order 1


def test_any_other_model_goes_through_solve():
    """Weights e^{-beta |x - y|^2} are those of softmax at twice the beta on the sphere."""
    plan = ensemble(attention="l2", betas=[0.75, 2.0])
    assert not plan.is_plain and ensemble().is_plain
    found = run(plan).values["order"]
    np.testing.assert_allclose(found, run(ensemble()).values["order"], rtol=0, atol=1e-12)
    turned = Ensemble(
        n=6, d=2, betas=[1.0], systems=1, times=TIMES, seed=0,
        model=lambda beta, noise: tkf.Transformer(tkf.Sphere(2), tkf.Softmax(beta), V=-np.eye(2)),
    )  # fmt: skip
    assert not turned.is_plain


@pytest.mark.slow
def test_many_steps_of_any_other_model():
    """More steps than `solve` takes inside a trace unless told: held at the last of them, values would be wrong."""
    changes = {"n": 4, "betas": [1.0], "systems": 1, "times": [10.0, 20.0]}
    many = run(ensemble(attention="l2", step=0.001, **changes)).values["order"]
    few = run(ensemble(attention="l2", step=0.002, **changes)).values["order"]
    np.testing.assert_allclose(many, few, rtol=0, atol=1e-3)  # steps of order one
    assert np.all(np.diff(many, axis=2) > 0.01)


def test_a_run_that_does_not_finish_is_nan(monkeypatch):
    monkeypatch.setattr(vmapped, "MAX_STEPS", 5)
    table = run(ensemble(attention="l2"))
    assert np.isnan(table.values["order"]).all() and not table.is_complete


@pytest.mark.slow
def test_the_cut_does_not_matter(monkeypatch):
    whole = run(ensemble(systems=5)).values["order"]
    monkeypatch.setattr(pieces, "CPU_SYSTEMS", 2)
    cuts = ensemble(systems=5).pieces()
    assert [piece.systems for piece in cuts[::2]] == [range(2), range(2, 4), range(4, 6)]
    cut = run(ensemble(systems=5)).values["order"]
    np.testing.assert_allclose(cut, whole, rtol=0, atol=1e-13)
    # seeds are those of the systems, not of the pieces
    assert len(np.unique(whole[0, :, 0].round(12))) == 5
    assert np.abs(run(ensemble(systems=5, seed=8)).values["order"] - whole).max() > 0.01


def test_an_interruption_keeps_what_is_finished(monkeypatch):
    class Pressed:
        """Ctrl-C during the first piece."""

        looks = 0

        def __enter__(self):
            return self

        def __exit__(self, *_):
            pass

        @property
        def requested(self):
            self.looks += 1
            return self.looks > 2

    monkeypatch.setattr(running, "Interrupts", Pressed)
    table = run(ensemble(systems=5))
    assert not table.is_complete
    assert np.isfinite(table.values["order"][0]).all() and np.isnan(table.values["order"][1]).all()
    assert np.isfinite(table.mean["order"][0]).all() and np.isnan(table.mean["order"][1]).all()


def test_statistics_against_numpy():
    rng = np.random.default_rng(0)
    x = rng.normal(size=(40, 7, 3))
    x[:30, 4:] = x[:30, :3] + 10.0 ** rng.uniform(-4, 0, size=(30, 1, 1)) * rng.normal(size=(30, 3, 3))
    x[:10, 1] = x[:10, 0]
    x /= np.linalg.norm(x, axis=2, keepdims=True)
    gram, systems = np.einsum("sid,sjd->sij", x, x), Systems(jnp.asarray(x), SYSTEMS_FIRST)
    for delta in (1e-3, 0.3):
        pairs = [[gram[s, i, j] > 1 - delta for i in range(7) for j in range(7) if i != j] for s in range(40)]
        np.testing.assert_allclose(statistics.pairs(systems, delta), np.mean(pairs, axis=1), rtol=0, atol=1e-15)
        ranks = np.linalg.matrix_rank((gram > 1 - delta).astype(float))
        np.testing.assert_array_equal(statistics.clusters(systems, delta), ranks)
    assert len(np.unique(ranks)) > 3  # not all the same
    dimensions = np.sum(np.linalg.eigvalsh(gram) > 1e-3, axis=1)
    np.testing.assert_array_equal(statistics.span(systems, 1e-3), dimensions)
    lengths = np.linalg.norm(x.mean(axis=1), axis=1)
    np.testing.assert_allclose(statistics.order(systems, 0.0), lengths, rtol=0, atol=1e-14)


def test_rank_of_any_graph():
    """Thresholded cosines need not be blocks of ones: random graphs with a one on the diagonal."""
    rng = np.random.default_rng(1)
    near = rng.random((300, 12, 12)) < rng.uniform(0.05, 0.9, size=(300, 1, 1))
    near = np.triu(near, 1)
    near = (near | near.transpose(0, 2, 1) | np.eye(12, dtype=bool)).astype(float)
    np.testing.assert_array_equal(statistics.ranks(jnp.asarray(near)), np.linalg.matrix_rank(near))


@pytest.mark.slow
def test_stopping_after_collapse_changes_nothing():
    """With "order" among them no statistic is ever final, so that nothing is skipped."""
    three = {"pairs": None, "clusters": None, "span": None}
    changes = {"betas": [0.5, 3.0], "times": np.linspace(0, 25, 26), "n": 6, "d": 9}
    stopped = run(ensemble(statistics=three, **changes)).values
    full = run(ensemble(statistics={**three, "order": None}, **changes)).values
    for name in three:
        np.testing.assert_array_equal(stopped[name], full[name])
    assert stopped["pairs"][0, :, -1].min() == 1 and stopped["span"][0, :, 0].min() > 1
    cap = statistics.smallest_cap
    assert cap((("pairs", 1e-3), ("span", 1e-3)), 6) > 0 == cap((("order", 0.0),), 6)


@pytest.mark.filterwarnings("ignore:overflow")
def test_a_failure_is_nan():
    """e^{beta} overflows, and no step is small enough: there is no fraction of pairs then."""
    plan = ensemble(attention="unnormalized", betas=[800.0], statistics={"pairs": None}, method="tsit5")
    table = run(plan)
    assert np.isnan(table.values["pairs"]).all() and not table.is_complete


def test_table():
    table = run(ensemble(systems=4, statistics={"pairs": 0.5, "clusters": None}))
    values = table.values["pairs"]
    assert values.shape == (2, 4, 4) and table.is_complete
    np.testing.assert_allclose(table.mean["pairs"], values.mean(axis=1))
    np.testing.assert_allclose(table.error["pairs"], values.std(axis=1, ddof=1) / 2)
    np.testing.assert_allclose(table.median["clusters"], np.median(table.values["clusters"], axis=1))


def test_pieces_of_an_accelerator():
    """Columns of one step length share a program of one shape; unnormalized attention has a step for each beta."""
    betas = np.linspace(1.0, 9.0, 90).tolist()
    plan = ensemble(n=32, d=128, betas=betas, systems=2048, times=np.linspace(0, 30, 200))
    size, groups = pieces.accelerator_pieces(plan)
    assert size == 2048 and {len(group) for group in groups} == {45}
    assert [c for group in groups for c in group] == list(range(90))
    _, groups = pieces.accelerator_pieces(ensemble(attention="unnormalized", betas=betas))
    assert len(groups) == 90


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"n": 1}, "tokens n must be a whole number >= 2"),
        ({"systems": 0}, "systems must be a whole number >= 1"),
        ({"betas": []}, "betas must be a list"),
        ({"times": [1.0, 0.5]}, "times must increase"),
        ({"statistics": {"piars": None}}, "did you mean 'pairs'"),
        ({"statistics": {}}, "needs a statistic"),
        ({"statistics": {"pairs": 3.0}}, "threshold of pairs"),
        ({"method": "rk5"}, "did you mean 'rk4'"),
        ({"method": "tsit5", "step": 0.1}, "chooses its own steps"),
        ({"step": -1.0}, "positive step"),
        ({"kappas": [1.0, 2.0]}, "ignores noise"),
        ({"kappas": [1.0], "method": "heun"}, "one for each of the betas"),
        ({"rtol": 2.0}, "0 < rtol < 1"),
    ],
)
def test_errors(changes, message):
    with pytest.raises(InvalidInput, match=message):
        ensemble(**changes)
