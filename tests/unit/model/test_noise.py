"""`Noise` and its paths: reproducible whatever the steps and what is saved, of the law of Brownian motion, refusals."""

from __future__ import annotations

import itertools

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import pytest

import tokenfield as tkf
from tokenfield.errors import InvalidInput, Unsupported
from tokenfield.model.noise import Noise
from tokenfield.solver import solve as flow

SPHERE = tkf.Sphere(3)
N, T1, STEP, KAPPA = 6, 1.0, 0.125, 2.0
START = SPHERE.uniform_points(N, seed=1).at[1].set(SPHERE.uniform_points(N, seed=1)[0])  # 0 and 1 are equal
TIMES = [0.0, 0.25, 0.7, 1.0]  # 0.7 lies inside a step
WAYS = {"heun": {"step": STEP}, "layers": {"layers": 8}}


def make_model(*, key=0, kappa=KAPPA, common=False, normalization=None):
    noise = Noise(kappa, seed=key, common=common)
    return tkf.Transformer(SPHERE, tkf.Softmax(1.0), noise=noise, normalization=normalization)


def run(model, *, way="heun", start=START, save=TIMES):
    return tkf.solve(model, start, t1=T1, save=save, **WAYS[way])


def assert_on_sphere(points, atol=1e-12):
    assert np.abs(np.linalg.norm(np.asarray(points, np.float64), axis=-1) - 1).max() < atol


# --- runs ---------------------------------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize("way", WAYS)
def test_private_noise_keeps_the_sphere_and_separates_equal_tokens(way):
    points = np.asarray(run(make_model(), way=way).points)
    assert_on_sphere(points)
    assert np.array_equal(points[0, 0], points[0, 1])
    # two kicks of size sqrt(2/kappa) are far apart
    assert np.linalg.norm(points[-1, 0] - points[-1, 1]) > 0.1


def test_common_noise_moves_equal_tokens_equally():
    points = np.asarray(run(make_model(common=True)).points)
    assert_on_sphere(points)
    # the same arithmetic on the same numbers; vectorized loops may group the rows differently
    np.testing.assert_allclose(points[:, 0], points[:, 1], rtol=0, atol=1e-13)
    assert np.linalg.norm(points[-1] - points[0], axis=1).min() > 0.1


def test_the_run_depends_on_the_key_and_not_on_what_is_saved():
    first, second = run(make_model()), run(make_model(key=jax.random.key(0)), save=[0.1, 0.25, 0.3, 1.0])
    assert np.array_equal(first.points[1], second.points[1]) and np.array_equal(first.points[3], second.points[3])
    other = run(make_model(key=1))
    assert np.abs(other.points[1] - first.points[1]).max() > 0.1


@pytest.mark.slow
def test_the_run_does_not_depend_on_chunks(monkeypatch):
    expected = run(make_model())
    monkeypatch.setattr(flow, "CHUNK_STEPS", 3)
    found = run(make_model())
    assert int(found.stats.accepted) == 8
    # another compiled loop around the same steps
    np.testing.assert_allclose(found.points, expected.points, rtol=0, atol=1e-14)


@pytest.mark.slow
def test_weak_noise_is_the_deterministic_flow():
    quiet = tkf.Transformer(SPHERE, tkf.Softmax(1.0))
    expected = np.asarray(tkf.solve(quiet, START, t1=T1, save=TIMES, method="heun", step=STEP).points)
    kappa = 1e12
    distance = np.abs(np.asarray(run(make_model(kappa=kappa)).points) - expected).max()
    # sqrt(2/kappa) times some standard deviations, times the little that this flow stretches distances in unit time
    assert 0 < distance < 6 * np.sqrt(2 / kappa)


@pytest.mark.slow
def test_vmap_over_keys_equals_loops():
    keys = jax.random.split(jax.random.key(3), 3)
    batch = jax.jit(jax.vmap(lambda key: run(make_model(key=key)).points))(keys)
    for key, points in zip(keys, batch, strict=True):
        # the batch is compiled as one traced loop: the same numbers up to rounding
        np.testing.assert_allclose(points, run(make_model(key=key)).points, rtol=0, atol=1e-13)
    assert np.abs(batch[0] - batch[1]).max() > 0.1


@pytest.mark.slow
@pytest.mark.parametrize(
    ("scheme", "way"), [(tkf.NGPT(), "heun"), (tkf.DepthScaled(), "layers")], ids=["NGPT", "DepthScaled"]
)
def test_noise_with_a_normalization_of_fixed_radius(scheme, way):
    points = run(make_model(normalization=scheme), way=way).points
    assert_on_sphere(points)
    weak = run(make_model(normalization=scheme, kappa=1e12), way=way).points
    model = tkf.Transformer(SPHERE, tkf.Softmax(1.0), normalization=scheme)
    method = {"method": "heun"} if way == "heun" else {}
    quiet = tkf.solve(model, START, t1=T1, save=TIMES, **WAYS[way], **method).points
    assert np.abs(weak - quiet).max() < 6 * np.sqrt(2 / 1e12)
    assert np.abs(points - quiet).max() > 0.1


@pytest.mark.slow
def test_noise_in_single_precision():
    found = run(make_model(), start=START.astype(jnp.float32))
    assert found.points.dtype == jnp.float32
    assert_on_sphere(found.points, atol=1e-6)
    assert np.array_equal(found.points, run(make_model(), start=START.astype(jnp.float32)).points)


@pytest.mark.slow
def test_the_gradient_in_kappa_equals_finite_differences():
    # along one path the end is a smooth function of kappa
    probe = np.random.default_rng(0).normal(size=(N, 3))
    end = jax.jit(lambda kappa: jnp.sum(probe * run(make_model(kappa=kappa), save="end").final.points))
    found, h = float(jax.jit(jax.grad(end))(KAPPA)), 1e-5
    expected = float(end(KAPPA + h) - end(KAPPA - h)) / (2 * h)
    assert abs(expected) > 1e-2
    assert found == pytest.approx(expected, rel=1e-7)  # h^2 = 1e-10, rounding 1e-16 / h = 1e-11


# --- paths --------------------------------------------------------------------------------------------------------


@eqx.filter_jit
def increments(path, times):
    return jax.vmap(path.increment)(times[:-1], times[1:])


COUNT = 20_000  # tokens, as independent samples
SE = COUNT**-0.5


def samples(times, *, key=0, t0=0.0, t1=1.0, kappa=2.0, dtype="float64"):
    """Increments (steps, COUNT, 2) of one path; with kappa = 2 this is a standard Brownian motion."""
    path = Noise(kappa, seed=key).path(t0, t1, COUNT, 2, jnp.dtype(dtype))
    return np.asarray(increments(path, jnp.asarray(times, dtype)))


# steps of 1/8, 1/7 and 1e-6 of the span: at nodes of the tree, between them, and finer than its fixed levels
GRIDS = {
    "dyadic": (0.0, 1.0, np.arange(1, 8) / 8),
    "sevenths": (2.0, 9.0, np.arange(2.0, 9.0)),
    "fine": (0.0, 1.0, 0.3 + 1e-6 * np.arange(7)),
}


@pytest.mark.parametrize("grid", GRIDS)
def test_increments_are_independent_gaussians_of_variance_dt(grid):
    t0, t1, times = GRIDS[grid]
    z = samples(times, t0=t0, t1=t1) / np.sqrt(np.diff(times))[:, None, None]
    rows = np.concatenate([z[..., 0], z[..., 1]])  # (2 steps, COUNT): coordinates are independent as well
    covariance = rows @ rows.T / COUNT
    # standard errors: sqrt(2) SE on the diagonal, SE off it; 4.5 of them because there are 144 entries
    assert np.abs(covariance - np.eye(len(rows))).max() < 4.5 * np.sqrt(2) * SE
    assert np.abs(rows.mean(axis=1)).max() < 4.5 * SE
    assert np.mean(rows**4) == pytest.approx(3, abs=4 * np.sqrt(96 / rows.size))  # Gaussian: Var z^4 = 96
    neighbors = np.mean(rows[:, ::2] * rows[:, 1::2], axis=1)  # tokens are independent
    assert np.abs(neighbors).max() < 4.5 * np.sqrt(2) * SE


def test_kappa_sets_the_variance():
    # sqrt(2/kappa) W: variance 2t/kappa. A factor of two is 100 standard errors.
    assert np.var(samples(np.array([0.0, 1.0]), kappa=8.0)) == pytest.approx(0.25, rel=4 * SE)


INCREMENT = eqx.filter_jit(lambda path, t0, t1: path.increment(t0, t1))


@pytest.mark.parametrize(("t0", "t1", "count"), [(0.0, 1.0, 8), (0.3, 10.0, 7)])
def test_the_path_does_not_depend_on_the_steps(t0, t1, count):
    path = Noise(2.0, seed=0).path(t0, t1, 5, 3, jnp.dtype("float64"))

    def walk(steps):
        times = jnp.asarray(t0 + (t1 - t0) / steps * np.arange(steps + 1))
        return np.array([INCREMENT(path, *pair) for pair in itertools.pairwise(times)])

    coarse = walk(count)
    for factor in (2, 3):
        # the two grids differ by rounding, which the path ignores
        fine = walk(factor * count).reshape(count, factor, 5, 3)
        np.testing.assert_allclose(fine.sum(1), coarse, rtol=0, atol=1e-12)
        assert np.abs(fine[:, 0] - fine[:, 1]).min() > 0


@pytest.mark.slow
def test_more_steps_than_fixed_levels_still_sum_to_the_path():
    """At 10^5 steps the tree is deeper than for few; between nodes of both the sums agree."""
    path = Noise(2.0, seed=0).path(0.0, 1.0, 5, 3, jnp.dtype("float64"))
    found = np.asarray(increments(path, jnp.arange(50_000, 53_126) / 1e5)).sum(0)
    expected = INCREMENT(path, jnp.asarray(0.5), jnp.asarray(0.53125))
    np.testing.assert_allclose(found, expected, rtol=0, atol=1e-12)


def test_single_precision_paths_have_the_same_law():
    times = np.arange(8, dtype=np.float32) / 7
    found = samples(times, dtype="float32")
    assert found.dtype == np.float32
    assert np.abs(7 * found.var(axis=(1, 2)) - 1).max() < 4 * SE


# --- refusals -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kappa", [0.0, -1.0, np.nan, np.inf, [1.0, 2.0], "warm"])
def test_kappa_must_be_one_positive_number(kappa):
    with pytest.raises(InvalidInput, match="kappa"):
        Noise(kappa, seed=0)


@pytest.mark.parametrize("key", [None, True, 0.5, jax.random.split(jax.random.key(0), 2), np.zeros(3)])
def test_the_key_must_be_one_key(key):
    with pytest.raises(InvalidInput, match="seed"):
        Noise(1.0, seed=key)


def test_seeds_and_both_kinds_of_jax_keys_are_the_same_key():
    keys = [Noise(1.0, seed=key).key for key in (7, np.int64(7), jax.random.key(7), jax.random.PRNGKey(7))]
    assert len({tuple(np.asarray(jax.random.key_data(key))) for key in keys}) == 1


@pytest.mark.parametrize("method", ["tsit5", "rk4", "euler", "euler-normalise", "lie-trotter"])
def test_methods_that_ignore_noise_are_refused(method):
    with pytest.raises(InvalidInput, match="ignores noise"):
        tkf.solve(make_model(), START, t1=1.0, method=method)


def test_noise_needs_a_step():
    with pytest.raises(InvalidInput, match="needs a step"):
        tkf.solve(make_model(), START, t1=1.0)


@pytest.mark.parametrize("scheme", [tkf.PreLN(), tkf.MixLN(1.0), tkf.PeriLN()], ids=lambda s: type(s).__name__)
def test_noise_is_refused_where_radii_move(scheme):
    with pytest.raises(Unsupported, match=type(scheme).__name__):
        make_model(normalization=scheme)


def test_noise_is_refused_in_the_rescaled_frame_and_must_be_a_noise():
    with pytest.raises(Unsupported, match="noise"):
        tkf.Transformer(tkf.Euclidean(2), tkf.Softmax(1.0), rescaled=True, noise=Noise(1.0, seed=0))
    with pytest.raises(InvalidInput, match="noise must be Noise"):
        tkf.Transformer(SPHERE, tkf.Softmax(1.0), noise=2.0)
