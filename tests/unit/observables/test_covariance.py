"""Eigenvalues and growth of covariances of runs made by hand."""

from __future__ import annotations

import dataclasses

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from tokenfield import Euclidean, Gaussian, InvalidInput, Measure, Softmax, Transformer
from tokenfield.observables import covariance_eigenvalues, is_growing, saved_covariances
from tokenfield.solver.result import Outcome, Result
from tokenfield.solver.trajectory import Stats, Trajectory


def run_of(covariances, *, ts=None) -> Trajectory:
    """A run with given covariances (T, d, d)."""
    S = np.asarray(covariances, float)
    ts = np.linspace(0, 2, len(S)) if ts is None else ts
    zero = jnp.zeros((), int)
    return Trajectory(
        ts=jnp.asarray(ts),
        states={"mean": jnp.zeros(S.shape[:2]), "covariance": jnp.asarray(S)},
        observables={},
        final=Gaussian(np.zeros(S.shape[1]), S[-1]),
        result=Result(jnp.asarray(Outcome.FINISHED.value), jnp.asarray(ts[-1])),
        stats=Stats(zero, zero, zero),
        model=Transformer(Euclidean(S.shape[1]), Softmax(1.0)),
    )


U = np.linspace(0, 1, 41)[:, None, None]
SHAPE = np.diag([1.0, 0.5])


def test_eigenvalues_are_those_of_the_matrices_largest_first():
    q, _ = np.linalg.qr(np.random.default_rng(0).normal(size=(3, 3)))
    run = run_of([q @ np.diag(row) @ q.T for row in ([3.0, 1.0, 2.0], [5.0, 4.0, 0.1])])
    np.testing.assert_allclose(covariance_eigenvalues(run), [[3, 2, 1], [5, 4, 0.1]], rtol=1e-13)


def test_eigenvalues_below_rounding_are_not_numbers():
    found = covariance_eigenvalues(run_of([np.diag([1.0, 1e-13]), np.diag([1.0, 1e-15]), np.diag([1.0, 0.0])]))
    assert found[0, 1] == pytest.approx(1e-13) and np.isnan(found[1:, 1]).all() and np.all(found[:, 0] == 1)


@pytest.mark.parametrize(
    ("factor", "expected"),
    [
        (1 / (1 - 0.999 * U), True),
        (1 + 8 * U, False),  # it grows, but not tenfold
        (np.minimum(1 + 100 * U, 20), False),  # it has grown, but does no more
        (1 - 0.9 * U, False),
    ],
)
def test_growth_is_large_and_goes_on(factor, expected):
    assert bool(is_growing(run_of(factor * SHAPE))) is expected


def test_growth_looks_at_the_last_tenth_of_the_time_not_of_the_steps():
    ts = np.array([0.0, 1.0, 2.0, 9.5, 10.0])
    late, early = [1.0, 1.0, 1.0, 19.0, 20.0], [1.0, 1.0, 19.0, 20.0, 20.0]
    assert not is_growing(run_of(np.array(early)[:, None, None] * SHAPE, ts=ts))
    # 19 at t = 9.5 is the first value in the last tenth: 20 is too little more
    assert not is_growing(run_of(np.array(late)[:, None, None] * SHAPE, ts=ts))
    assert is_growing(run_of(np.array([1.0, 1.0, 1.0, 15.0, 20.0])[:, None, None] * SHAPE, ts=ts))


def test_batches_are_taken_run_by_run():
    grows, rests = run_of(SHAPE / (1 - 0.999 * U)), run_of(np.tile(SHAPE, (41, 1, 1)))
    batch = jax.tree.map(lambda *a: jnp.stack(a), rests, grows)
    assert is_growing(batch).tolist() == [False, True]
    np.testing.assert_array_equal(covariance_eigenvalues(batch)[1], covariance_eigenvalues(grows))


def test_other_runs_are_refused():
    run = run_of(np.tile(SHAPE, (3, 1, 1)))
    tokens = dataclasses.replace(run, states={"points": jnp.tile(jnp.eye(2), (3, 1, 1))}, final=Measure(np.eye(2)))
    with pytest.raises(InvalidInput, match="started from a Gaussian"):
        saved_covariances(tokens)
    with pytest.raises(InvalidInput, match="saved no states"):
        saved_covariances(dataclasses.replace(run, states=None))
