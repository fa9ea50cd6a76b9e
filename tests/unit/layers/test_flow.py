"""The place on the flow: what was put in comes out, within the interval; and shuffled layers are told from others."""

from __future__ import annotations

from types import SimpleNamespace

import jax
import numpy as np
import pytest
from scipy.optimize import least_squares

import tokenfield as tkf
from tokenfield.layers import curves, flow, measure

N = 8


@pytest.fixture(scope="module")
def table():
    return curves.equiangular(N)


def frame(rows=9, beta=2.0, time=2.0):
    """Hidden states of n orthogonal tokens that the flow moves for a known time at a known beta."""
    model = tkf.Transformer(tkf.Sphere(N), tkf.Softmax(beta))
    return np.asarray(tkf.solve(model, tkf.Measure(np.eye(N)), t1=time, save=rows).points)


def test_the_table_is_the_curve_of_the_theory(table):
    for beta, t in ((0.0, 1.0), (1.7, 2.5), (4.3, 3.0)):
        found = table.at(np.array([beta]), np.array([t]))[0]
        # a cubic table of this size
        assert found == pytest.approx(tkf.theory.equiangular_curve([t], beta, N).value[0], abs=1e-4)
        assert table.times(beta, np.array([found]))[0] == pytest.approx(t, rel=1e-3)
    assert table.times(1.0, np.array([-0.1]))[0] == 0 and table.times(1.0, np.array([1.01]))[0] == np.inf


def test_the_fit_is_the_least_of_all_squares(table):
    rng = np.random.default_rng(0)
    c = table.at(np.full(10, 3.0), np.linspace(0.2, 4.0, 10)) + rng.normal(scale=0.01, size=10)

    def off(p):
        return table.at(np.full(10, p[0]), p[1] + p[2] * np.linspace(0, 1, 10)) - c

    literal = least_squares(off, [3.0, 0.2, 3.8])
    found = flow.fit(c[None], table)
    assert found.residual <= np.sqrt(np.mean(literal.fun**2)) * (1 + 1e-6)
    assert (found.beta, found.time) == pytest.approx((literal.x[0], literal.x[2]), rel=1e-2)
    assert found.time_interval is None and found.fitted == pytest.approx(c + off([found.beta, found.start, found.time]))


def test_known_beta_and_time_come_back_and_shuffled_layers_are_rejected():
    states = frame()
    found = measure(states).flow["variants"]["raw"]["equiangular"]
    # no noise: what is left is the table
    assert (found["beta"], found["time"]) == pytest.approx((2.0, 2.0), rel=2e-3) and found["residual"] < 1e-4
    assert found["is_ordered"] and found["shuffled"] <= 0.01
    assert found["times"][1:] == pytest.approx(np.linspace(0, 2, 9)[1:], rel=0.02)
    for order in ([4, 1, 7, 0, 8, 3, 5, 2, 6], range(8, -1, -1)):
        shuffled = measure(states[list(order)])
        assert not shuffled.flow["variants"]["raw"]["equiangular"]["is_ordered"]
        assert any("do not follow the order of the layers" in note for note in shuffled.notes)


def test_nulls_are_rejected_or_not():
    rng = np.random.default_rng(1)
    moved = [frame() + rng.normal(scale=0.02, size=(9, N, N)) for _ in range(4)]
    still = [np.eye(N) + rng.normal(scale=0.02, size=(9, N, N)) for _ in range(4)]
    found = measure(moved, nulls={"random weights": still, "copies": moved})
    nulls = found.flow["nulls"]
    assert nulls["random weights"]["is_rejected"] and not nulls["copies"]["is_rejected"]
    assert nulls["random weights"]["difference"] == pytest.approx(2.0, abs=0.4)
    low, high = found.flow["variants"]["without sinks"]["equiangular"]["time_interval"]
    assert low < 2.05 and high > 1.95 and high - low < 0.5
    said = " ".join(found.notes)
    assert "compared with random weights, which have T = " in said and "the model goes " in said
    assert "compared with copies" in said and "no difference of T is seen" in said
    (less,) = (note for note in measure(still, nulls={"others": moved}).notes if "compared with others" in note)
    assert "farther in T than the model" in less and "keeps them apart" in less


def test_nulls_are_placed_on_the_curve_of_the_states():
    """At a larger beta tokens need longer for less: with betas of their own the slow ones go twice as far in T.

    Cosines at the end are .85 and .33.
    """
    rng = np.random.default_rng(2)
    noise = lambda: rng.normal(scale=0.01, size=(9, N, N))  # noqa: E731
    fast = [frame(beta=0.5, time=2.0) + noise() for _ in range(4)]
    slow = [frame(beta=4.0, time=4.0) + noise() for _ in range(4)]
    found = measure(fast, nulls={"slow tokens": slow})
    null, ours = found.flow["nulls"]["slow tokens"], found.flow["variants"]["without sinks"]["equiangular"]
    assert null["beta"] == ours["beta"] and null["beta_interval"] is None
    assert null["is_rejected"] and null["difference_interval"][0] > 0.5
    assert any("at the same beta: the model goes" in note for note in found.notes)
    assert measure(slow).flow["variants"]["raw"]["equiangular"]["time"] == pytest.approx(4.0, abs=0.5)
    # and the other way around it is the null that goes farther
    assert measure(slow, nulls={"fast tokens": fast}).flow["nulls"]["fast tokens"]["difference_interval"][1] < 0


def test_few_layers_and_wrong_cosines(table):
    assert measure(frame(rows=3)).flow is None
    with pytest.raises(tkf.InvalidInput, match="at least 4 layers, got 3"):
        flow.fit(np.zeros((2, 3)), table)
    with pytest.raises(tkf.InvalidInput, match="a mean cosine at every layer"):
        flow.fit(np.full((2, 5), np.nan), table)


def test_ctrl_c_ends_a_simulated_curve(monkeypatch):
    """The first of its ensembles comes back with NaN where it was not; the next one must not begin."""
    orders = iter([np.full((1, 2, 61), np.nan)])
    monkeypatch.setattr(curves, "run", lambda ensemble: SimpleNamespace(values={"order": next(orders)}))
    with pytest.raises(KeyboardInterrupt):
        curves.simulated(4, 3, systems=2)


@pytest.mark.slow
def test_beta_and_time_of_simulated_prompts_are_within_their_intervals():
    """Random tokens, where the equiangular curve is wrong: 20 seeds of 24 prompts, none of them used while writing."""
    n, d, beta, time, layers, prompts = 16, 8, 3.0, 3.0, 12, 24
    model = tkf.Transformer(tkf.Sphere(d), tkf.Softmax(beta))

    def tokens(key):
        start = tkf.initial.uniform(tkf.Sphere(d), n, seed=key)
        return tkf.solve(model, start, t1=time, save=layers + 1).points

    many = jax.jit(jax.vmap(tokens))
    simulated, wrong = curves.simulated(n, d), curves.equiangular(n)
    inside, rejected, kept, worse = 0, 0, 0, 0
    for seed in range(500, 520):
        points = np.asarray(many(jax.random.split(jax.random.key(seed), prompts)))
        c = ((points.sum(axis=2) ** 2).sum(axis=2) - n) / (n * (n - 1))
        found = flow.fit(c, simulated, seed=seed)
        order = np.random.default_rng(seed).permutation(layers + 1)
        (low, high), (short, long) = found.beta_interval, found.time_interval
        inside += low <= beta <= high and short <= time <= long
        kept += found.is_ordered
        rejected += not flow.fit(c[:, order], simulated, seed=seed, resampled=0).is_ordered
        worse += flow.fit(c, wrong, seed=seed, resampled=0).residual > 3 * found.residual
    # both numbers in their 95 % intervals at once: 16 of these 20 seeds, 19 of the 20 that were used while writing. The
    # intervals are somewhat too short: they leave out what the table itself does not know
    assert inside >= 16
    assert kept == 20 and rejected >= 18 and worse >= 18
