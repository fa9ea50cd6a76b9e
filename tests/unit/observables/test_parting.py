"""How far a network and its flow part: against cases with a known answer, and as layers get shorter."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.linalg

import tokenfield as tkf
from tokenfield.errors import InvalidInput
from tokenfield.observables import parting

D, L = 3, 4


@pytest.fixture(scope="module")
def linear():
    """x' = A_l x in layer l: the flow is a product of e^{A_l}, the network one of I + A_l."""
    matrices = 0.5 * np.random.default_rng(0).normal(size=(L, D, D))
    layers = [tkf.Perceptron(W=A, activation="identity") for A in matrices]
    model = tkf.Transformer(tkf.Euclidean(D), tkf.schedule.PerLayer(layers, t1=L))
    x = tkf.Measure(np.random.default_rng(1).normal(size=(5, D)), [1.0, 2.0, 1.0, 1.0, 1.0])
    flow = tkf.solve(model, x, t1=L, rtol=1e-11, atol=1e-12, save=L + 1)
    return model, x, matrices, flow


def products(matrices, x, of):
    rows = [x]
    for A in matrices:
        rows.append(rows[-1] @ of(A).T)
    return np.stack(rows)


def test_a_linear_network_parts_from_its_flow_as_exponentials_from_one_plus_a(linear):
    model, x, matrices, flow = linear
    found = parting(tkf.solve(model, x, t1=L, layers=L, save=L + 1), flow)
    network = products(matrices, np.asarray(x.points), lambda A: np.eye(D) + A)
    exact = products(matrices, np.asarray(x.points), scipy.linalg.expm)
    apart = np.linalg.norm(network - exact, axis=-1)
    moved = np.linalg.norm(exact - exact[:1], axis=-1)
    # the flow is solved to 1e-11 per step
    np.testing.assert_allclose(found.distances, apart, rtol=0, atol=1e-8)
    np.testing.assert_allclose(found.moved, moved, rtol=0, atol=1e-8)
    weights = np.array([1, 2, 1, 1, 1]) / 6
    np.testing.assert_allclose(found.mean, np.sqrt(apart**2 @ weights), rtol=0, atol=1e-8)
    np.testing.assert_array_equal(found.largest, found.distances.max(axis=1))
    np.testing.assert_array_equal(found.ts, np.arange(L + 1.0))
    assert found.relative[0] == 0
    expected = np.sqrt(apart[1:] ** 2 @ weights) / np.sqrt(moved[1:] ** 2 @ weights)
    np.testing.assert_allclose(found.relative[1:], expected, rtol=1e-7)


def test_shorter_layers_part_less_in_proportion_to_their_length(linear):
    model, x, _, flow = linear
    runs = [tkf.solve(model, x, t1=L, layers=k * L, save=L + 1) for k in (32, 64)]
    coarse, fine = (parting(run, flow).mean[1:] for run in runs)
    # first order: half the length, half the distance; a second-order method would give 4
    assert np.all((coarse / fine > 1.9) & (coarse / fine < 2.1))


def test_tokens_on_the_sphere_are_apart_by_angles_and_streams_by_vectors():
    x = tkf.initial.uniform(tkf.Sphere(D), n=4, seed=0)
    plain, pre = (
        tkf.Transformer(tkf.Sphere(D), tkf.Softmax(2.0), normalization=scheme) for scheme in (None, tkf.PreLN())
    )
    for model in (plain, pre):
        network, flow = (tkf.solve(model, x, t1=1.0, save=2, **how) for how in ({"layers": 2}, {}))
        a, b = (np.asarray(run.points[-1]) for run in (network, flow))
        if model.has_radius:
            a, b = (np.asarray(run.radii[-1])[:, None] * points for run, points in ((network, a), (flow, b)))
            expected = np.linalg.norm(a - b, axis=1)
        else:
            expected = np.arccos(np.sum(a * b, axis=1))
        # arccos near 1 has half of the digits
        np.testing.assert_allclose(parting(network, flow).distances[-1], expected, rtol=0, atol=1e-7)
        assert expected.max() > 1e-2


def test_runs_that_cannot_be_compared_are_refused(linear):
    model, x, _, flow = linear
    other = tkf.solve(model, np.asarray(x.points)[:2], t1=L, layers=L, save=L + 1)
    with pytest.raises(InvalidInput, match="must be the same tokens"):
        parting(other, flow)
    with pytest.raises(InvalidInput, match="fewer than two common times"):
        parting(tkf.solve(model, x, t1=L, layers=L, save="end"), flow)
    with pytest.raises(InvalidInput, match="kept no tokens"):
        parting(tkf.solve(model, x, t1=L, layers=L, save=tkf.Save(L + 1, tokens=False)), flow)
