"""Absolute positions against their formula, and as rows of a table."""

from __future__ import annotations

import math

import numpy as np
import pytest

import tokenfield as tkf
from tokenfield.errors import InvalidInput
from tokenfield.initial import add_positions, sinusoidal_positions


@pytest.mark.parametrize("d", [4, 5])
def test_sinusoids_are_those_of_the_formula(d):
    places, base = [0.0, 1.0, 7.5], 100.0
    expected = [[(math.cos if k % 2 else math.sin)(p * base ** (-2 * (k // 2) / d)) for k in range(d)] for p in places]
    np.testing.assert_allclose(sinusoidal_positions(places, d, base=base), expected, rtol=0, atol=1e-14)


def test_positions_are_added_and_the_rest_stays():
    rng = np.random.default_rng(0)
    x, table = rng.normal(size=(3, 4)), rng.normal(size=(6, 4))
    mu = tkf.Measure(x, [1.0, 2.0, 1.0], positions=[5.0, 0.0, 2.0])
    learned = add_positions(tkf.Euclidean(4), mu, table=table, amplitude=0.5)
    np.testing.assert_allclose(learned.points, x + 0.5 * table[[5, 0, 2]], rtol=0, atol=1e-15)
    np.testing.assert_array_equal(learned.weights, mu.weights)
    np.testing.assert_array_equal(learned.positions, mu.positions)
    waves = add_positions(tkf.Sphere(4), mu, base=10.0)
    sums = x + np.asarray(sinusoidal_positions([5.0, 0.0, 2.0], 4, base=10.0))
    np.testing.assert_allclose(waves.points, sums / np.linalg.norm(sums, axis=1, keepdims=True), rtol=0, atol=1e-15)


def test_the_table_is_that_of_an_embedding():
    table = sinusoidal_positions(np.arange(6.0), 4)
    words = tkf.pretrained.Embedding(np.eye(4), positions=table)
    toy = add_positions(tkf.Euclidean(4), tkf.Measure(np.eye(4)[[2, 0, 2]]))
    np.testing.assert_allclose(words([2, 0, 2]), toy.points, rtol=0, atol=1e-15)


@pytest.mark.parametrize(
    ("table", "positions", "words"),
    [
        (np.ones((3, 5)), None, r"shape \(positions, 4\), got \(3, 5\)"),
        (np.ones((1, 4)), None, "from 0 to 1, but the table has 1 rows"),
        (np.ones((3, 4)), [0.5, 1.0], "whole numbers"),
        (np.full((3, 4), np.nan), None, "finite"),
    ],
)
def test_tables_that_do_not_fit_are_refused(table, positions, words):
    with pytest.raises(InvalidInput, match=words):
        add_positions(tkf.Euclidean(4), tkf.Measure(np.zeros((2, 4)), positions=positions), table=table)


def test_positions_and_bases_that_make_no_sense_are_refused():
    for arguments, options in ((([[0.0]], 4), {}), (([0.0], 0), {}), (([0.0], 4), {"base": -1.0})):
        with pytest.raises(InvalidInput):
            sinusoidal_positions(*arguments, **options)
