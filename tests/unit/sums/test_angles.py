"""The angles that go to nonuniform transforms are those of NumPy in extended precision, and always finite."""

from __future__ import annotations

import jax.numpy as jnp
import numpy as np

from tokenfield.sums.angles import arctan2, strengths


def test_angles_are_exact_to_two_roundings_everywhere():
    rng = np.random.default_rng(0)
    angles = rng.uniform(-np.pi, np.pi, 100_000)
    y, x = np.sin(angles), np.cos(angles)
    y[:1000] *= 10.0 ** rng.uniform(-300, 0, 1000)  # near the axis, where only the relative error counts
    corners = np.array([(a, b) for a in (-1.0, -0.0, 0.0, 1.0) for b in (-1.0, -0.0, 0.0, 1.0) if a or b])
    y, x = np.append(y, corners[:, 0]), np.append(x, corners[:, 1])
    found = np.asarray(arctan2(jnp.asarray(y), jnp.asarray(x)))
    literal = np.arctan2(y.astype(np.longdouble), x.astype(np.longdouble))
    away = np.abs(found - literal)
    away = np.minimum(away, np.abs(away - 2 * np.pi))  # pi and -pi are one angle
    # half a rounding of each of polynomial, ratio and the last difference, relative; of pi where it ends near pi
    assert np.max(away / np.maximum(np.abs(literal), 1e-300)) < 4 * np.finfo(float).eps
    assert np.max(away) < 2 * np.spacing(np.pi)


def test_what_has_no_angle_gets_one_and_the_weights_say_so():
    nothing = jnp.asarray([[0.0, 0.0], [np.nan, 1.0], [np.inf, np.inf]])
    assert np.all(np.asarray(arctan2(nothing[:, 1], nothing[:, 0]))[:2] == 0)
    assert np.all(np.isfinite(arctan2(nothing[:, 1], nothing[:, 0])))
    assert list(np.isnan(strengths(nothing, jnp.ones(3)))) == [False, True, False]
