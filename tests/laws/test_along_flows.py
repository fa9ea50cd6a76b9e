"""Laws along whole flows: norm and mass kept, equivariance, energy and its dissipation, the time change for n = 2."""

from __future__ import annotations

import equinox as eqx
import numpy as np
import pytest

import oracles
import tokenfield as tkf

BETA, T1 = 2.0, 0.6
NODES, NODE_WEIGHTS = np.polynomial.legendre.leggauss(10)
TIMES = T1 / 2 * (NODES + 1)
SAVED = np.concatenate([[0.0], TIMES, [T1]])


def run_of(kind, case, *, sign=1.0):
    """A tight run saved at 0, the Gauss-Legendre nodes of [0, T1], and T1. One compilation per kind and geometry."""
    model = kind.model(case.geometry, BETA, V=sign * np.eye(case.geometry.d))
    return tkf.solve(model, case.mu, t1=T1, save=SAVED, rtol=1e-11, atol=1e-12)


def test_mass_and_norm_are_kept(mover, flow_case):
    # weights that jump leave an adaptive step nothing to adapt to
    run = run_of(mover, flow_case) if mover.is_smooth else rk4_run(mover, flow_case.geometry, flow_case.mu)
    assert run.result.name == "finished"
    assert np.array_equal(run.weights, run.measure(0).weights)
    np.testing.assert_allclose(run.weights, flow_case.w, rtol=1e-15)
    if isinstance(flow_case.geometry, tkf.Sphere):
        norms = np.linalg.norm(np.asarray(run.points), axis=-1)
        # the last operation on a saved state divides by the norm: a few units in the last place remain
        assert np.abs(norms - 1).max() <= 1e-14


@pytest.mark.parametrize("sign", [1.0, -1.0], ids=["V=I", "V=-I"])
def test_energy_is_monotone_and_dissipates_as_stated(energy_kind, flow_case, sign):
    """V = +I ascends and V = -I descends (2c); E(T) - E(0) = +- int_0^T D dt to 1e-6, D from the oracle."""
    run = run_of(energy_kind, flow_case, sign=sign)
    w, head = np.asarray(run.weights), oracles.identity_head(BETA, flow_case.geometry.d)
    E = np.array([energy_kind.energy(x, w, BETA) for x in np.asarray(run.points)])
    assert np.all(sign * np.diff(E) > 0)
    rates = []
    for x in np.asarray(run.points)[1:-1]:
        X = flow_case._replace(x=x).velocity(energy_kind.field, [head])
        rates.append(energy_kind.dissipation(x, w, BETA, X))
    integral = T1 / 2 * np.dot(NODE_WEIGHTS, rates)
    # 10 Gauss nodes integrate these smooth rates to 1e-9, the run is good to 1e-10
    assert abs(E[-1] - E[0] - sign * integral) <= 1e-6 * abs(integral)


def test_the_other_dissipation_does_not_fit(flow_case):
    """The control: SA dissipates with the metric Z, so the identity of USA must fail on it."""
    x, w = flow_case.x, flow_case.w
    X = oracles.sa_field(x, w, [oracles.identity_head(BETA, x.shape[1])])
    right, wrong = oracles.sa_dissipation(x, w, BETA, X), oracles.usa_dissipation(x, w, BETA, X)
    assert abs(right - wrong) > 1e-2 * abs(right)


def test_library_energy_and_dissipation_equal_the_oracle(energy_kind, case):
    if case.geometry not in (tkf.Sphere(3), tkf.Euclidean(2)):
        pytest.skip("one sphere and one R^d are enough")
    x, w = case.x, case.w
    # the energies of distances drive the field of y - x: on the sphere the projection takes x away
    relative = energy_kind.name in ("L2", "Sinkhorn-l2") and isinstance(case.geometry, tkf.Euclidean)
    model = tkf.Transformer(case.geometry, energy_kind.attention(BETA), relative=relative)
    rel = energy_kind.rounding
    assert float(compiled_energy(case.mu, model)) == pytest.approx(energy_kind.energy(x, w, BETA), rel=rel)
    X = case.velocity(energy_kind.field, [oracles.identity_head(BETA, case.geometry.d)]) - (x if relative else 0)
    expected = energy_kind.dissipation(x, w, BETA, X)
    # the gradient of the iterated scaling is off by as much as its last step, times the number of steps
    rel = max(rel, 1e-9) if energy_kind.is_iterative else rel
    assert float(compiled_dissipation(case.mu, model)) == pytest.approx(expected, rel=rel)
    if energy_kind.name == "L2" and relative:
        wrong = tkf.Transformer(case.geometry, energy_kind.attention(BETA))
        assert float(compiled_dissipation(case.mu, wrong)) != pytest.approx(expected, rel=1e-2)


compiled_energy, compiled_dissipation = (
    eqx.filter_jit(function) for function in (tkf.observables.energy, tkf.observables.dissipation)
)


@pytest.mark.parametrize("attention", [tkf.Hardmax(), tkf.Krause(1.0)], ids=["Hardmax", "Krause"])
def test_kinds_without_an_energy_say_so(attention):
    with pytest.raises(tkf.Unsupported, match="not driven by an energy"):
        tkf.observables.energy(tkf.Measure(np.eye(3)), tkf.Transformer(tkf.Sphere(3), attention))


def rk4_run(kind, geometry, mu):
    """A run with fixed steps: runs of equivalent starts then differ by rounding only."""
    return tkf.solve(kind.model(geometry, 1.0), mu, t1=1.0, method="rk4", step=0.1, save="end")


def rk4_end(kind, geometry, mu):
    return np.asarray(rk4_run(kind, geometry, mu).final.points)


@pytest.mark.slow
def test_flow_is_equivariant(kind, flow_case):
    """Permuted and rotated starts end permuted and rotated (2g)."""
    geometry, x, w = flow_case
    rng = np.random.default_rng(0)
    order = rng.permutation(len(x))
    R, _ = np.linalg.qr(rng.normal(size=(geometry.d,) * 2))
    start = rk4_end(kind, geometry, flow_case.mu)
    kind.assert_close(rk4_end(kind, geometry, tkf.Measure(x[order] @ R.T, w[order])), start[order] @ R.T)
    assert np.abs(start - x).max() > 1e-2


def test_only_the_sum_of_weights_at_a_point_matters(mover, flow_case):
    """Two tokens at one point flow together, and alike however their weight is divided between them."""
    geometry, x, _ = flow_case
    x = np.concatenate([x[1:2], x[1:]])
    even, uneven, light = (np.append([a, b], np.ones(len(x) - 2)) for a, b in ((1.0, 1.0), (1.7, 0.3), (0.5, 0.5)))
    expected = rk4_end(mover, geometry, tkf.Measure(x, even))
    mover.assert_close(rk4_end(mover, geometry, tkf.Measure(x, uneven)), expected)
    np.testing.assert_allclose(expected[0], expected[1], rtol=0, atol=1e-14)
    if mover.name != "Hardmax":  # where weights only matter among ties
        assert np.abs(rk4_end(mover, geometry, tkf.Measure(x, light)) - expected).max() > 1e-3


def level_run(attention, mu, level=0.3):
    """The run until the cosine of two tokens reaches `level`."""
    model = tkf.Transformer(tkf.Sphere(3), attention)
    event = tkf.events.CosineLevel(level)
    return tkf.solve(model, mu, t1=50.0, save="end", rtol=1e-10, atol=1e-12, events=event)


PAIR = np.array([[1.0, 0.0, 0.0], [-0.6, 0.8, 0.0]])


@pytest.mark.slow
def test_two_tokens_sa_is_usa_after_a_time_change():
    """n = 2 (2j): both flows pass through the same states, and dt_SA = Z dt_USA with Z = (e^beta + e^{beta g})/2."""
    sa, usa = (level_run(kind(BETA), tkf.Measure(PAIR)) for kind in (tkf.Softmax, tkf.Unnormalized))
    assert sa.result.name == usa.result.name == "cosine-level"
    # the interpolant that locates the event is good to order 4 in steps chosen for rtol = 1e-10
    np.testing.assert_allclose(sa.final.points, usa.final.points, rtol=0, atol=1e-8)
    # the cosine g: USA g' = e^{beta g} (1 - g^2), SA the same divided by Z
    g = -0.6 + 0.9 * (NODES + 1) / 2
    speed = np.exp(BETA * g) * (1 - g**2)
    z = (np.exp(BETA) + np.exp(BETA * g)) / 2
    weights = NODE_WEIGHTS * 0.9 / 2
    # 10 Gauss nodes on this range are good to 1e-7
    assert float(usa.result.t) == pytest.approx(np.sum(weights / speed), abs=1e-6)
    assert float(sa.result.t) == pytest.approx(np.sum(weights * z / speed), abs=1e-6)


@pytest.mark.slow
def test_two_unequal_tokens_are_not_a_time_change():
    """The control of 2j: with unequal weights each token has its own Z, and the states differ."""
    mu = tkf.Measure(PAIR, [1.0, 2.0])
    sa, usa = (level_run(kind(BETA), mu) for kind in (tkf.Softmax, tkf.Unnormalized))
    assert np.abs(sa.final.points - usa.final.points).max() > 1e-3
