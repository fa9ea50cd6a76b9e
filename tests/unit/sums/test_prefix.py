"""Sums over prefixes equal the literal ones over pairs, wherever tokens and positions are; chosen, explained, used."""

import sys

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

import tokenfield as tkf
from tokenfield import sums
from tokenfield.model.summing import choose_sums
from tokenfield.sums import Band, prefix, runs

N = 201  # several runs of both kinds, and a rest
STRICT = float(np.finfo(np.float32).tiny)


def literal(queries, keys, values, weights, band):
    """log sum_j b_ij w_j e^{<u_i, y_j>} and the mean of the values, pair by pair in extended precision."""
    u, y, v, w = (np.asarray(a, np.longdouble) for a in (queries, keys, values, weights))
    difference = np.asarray(band.queries)[:, None] - np.asarray(band.keys)
    slope = 0.0 if band.slope is None else float(band.slope)
    is_seen = (difference >= float(band.nearest)) & (difference <= float(band.farthest))
    with np.errstate(divide="ignore"):
        logits = np.where(is_seen, u @ y.T - slope * np.abs(difference) + np.log(w), -np.inf)
        shift = np.maximum(logits.max(axis=1, keepdims=True), -1e300)
        kernel = np.exp(logits - shift)
        total = kernel.sum(axis=1)
        return np.float64(np.log(total) + shift[:, 0]), np.float64(kernel @ v / np.where(total == 0, 1, total)[:, None])


def random_points(rng, n, d):
    x = rng.normal(size=(n, d))
    return x / np.linalg.norm(x, axis=1, keepdims=True)


def tokens(rng, d, kind):
    x = rng.normal(size=(N, d))
    if kind != "uniform":
        x = np.eye(d)[0] + 1e-2 * x
    if kind == "outliers":
        x[rng.integers(0, N, 3)] *= -1
    return x / np.linalg.norm(x, axis=1, keepdims=True)


POSITIONS = {
    "in order": lambda rng: np.arange(N, dtype=float),
    "shuffled": lambda rng: rng.permutation(N).astype(float),
    "ties": lambda rng: rng.integers(0, N // 9, N).astype(float),
    "gaps": lambda rng: np.cumsum(rng.exponential(size=N) ** 4),
    "all equal": lambda rng: np.zeros(N),
}
BETA = {2: 9.0, 3: 1.0}  # the runs on S^2 are then as short as they get
# one compiled function for each space: a bound that is infinite hides nothing, a slope of 0 does not decay
EXPANSION = {d: sums.choose(2**20, 2**20, d, reach=BETA[d]).expansion for d in (2, 3)}


@jax.jit
def attend(u, y, w, band):
    expansion = EXPANSION[u.shape[1]]
    return sums.attend_on_sphere(u, y, w, expansion, band=band), prefix.seen_log_mass(w, band)


@pytest.mark.parametrize("d", [2, pytest.param(3, marks=pytest.mark.slow)])
# a decay to 1e-300, below which parts of a sum are rounded to zero
@example(seed=0, kind="uniform", positions="gaps", nearest=STRICT, farthest=np.inf, slope=50.0, spread=12)
@settings(max_examples=30, deadline=None)
@example(
    seed=1, kind="uniform", positions="gaps", nearest=STRICT, farthest=np.inf, slope=50.0, spread=0
)  # sums that are too small for numbers
@given(
    seed=st.integers(0, 2**31),
    kind=st.sampled_from(["uniform", "cluster", "outliers"]),
    positions=st.sampled_from(list(POSITIONS)),
    nearest=st.sampled_from([0.0, STRICT, -np.inf, -30.0, 3.0]),
    farthest=st.sampled_from([np.inf, 0.0, 2.5, 40.0, 150.0]),
    slope=st.sampled_from([0.0, 1e-3, 0.3, 50.0]),
    spread=st.sampled_from([0, 12]),
)
def test_equals_the_literal_sum(d, seed, kind, positions, nearest, farthest, slope, spread):
    rng = np.random.default_rng(seed)
    x, p = tokens(rng, d, kind), POSITIONS[positions](rng)
    weights = 10 ** (-spread * rng.uniform(size=N))
    queries = BETA[d] * rng.uniform(0, 1, (N, 1)) * x[:: rng.choice([-1, 1])]
    band = Band(*(jnp.asarray(a) for a in (p, p, nearest, farthest, slope)))
    got, log_mass = attend(queries, x, weights, band)
    log_sum, mean = literal(queries, x, x, weights, band)
    # the tolerance of the choice; positions are at most 1e4 or so, whose rounding times the slope is below
    np.testing.assert_allclose(got.log_sum, log_sum, rtol=1e-11, atol=1e-10)
    np.testing.assert_allclose(got.mean, mean, rtol=0, atol=1e-10)
    np.testing.assert_allclose(log_mass, literal(0 * x, x, x, weights, band)[0], rtol=1e-11, atol=1e-11)


@pytest.mark.parametrize("d", [2, 3])
def test_says_where_it_cannot_be_trusted(d):
    """The sums of queries that point away from a prefix are rounding only, and out of reach they are nothing."""
    rng = np.random.default_rng(d)
    x, p, weights = tokens(rng, d, "cluster"), np.arange(N, dtype=float), np.full(N, 1 / N)
    band = Band(*(jnp.asarray(a) for a in (p, p, 0.0, np.inf, 0.0)))
    weights[-1] = 1e-14  # the last token sees itself next to nothing, and the others behind its back
    x[-1] = -x[0]
    queries = BETA[d] * x
    queries[N // 2] *= 50
    got, _ = attend(queries, x, weights, band)
    bare = band._replace(farthest=None, slope=None)  # the same, and faster to compile
    error = jax.jit(lambda *arrays: prefix.estimate(*arrays, bare, EXPANSION[d]).error)(queries, x, None, weights)
    assert error[N // 2] == np.inf and np.all(error[: N // 2] < 1e-12)
    assert error[-1] > (1e-10 if d == 2 else 1e-13)  # e^{-18} and e^{-2} of the largest that a sum can be
    np.testing.assert_allclose(got.log_sum, literal(queries, x, x, weights, band)[0], rtol=0, atol=1e-10)


Q, K = np.random.default_rng(1).normal(size=(2, 3, 3))
MODELS = {
    "causal": lambda d: tkf.Transformer(tkf.Sphere(d), tkf.Softmax(2.0), position=tkf.Causal()),
    "unnormalized, ALiBi": lambda d: tkf.Transformer(tkf.Sphere(d), tkf.Unnormalized(2.0), position=tkf.ALiBi(0.01)),
    "RoPE": lambda d: tkf.Transformer(
        tkf.Sphere(d), tkf.Softmax(1.0), Q=Q[:d, :d], position=[tkf.RoPE([0.3]), tkf.Causal(strict=True)]
    ),
    "heads, window, gain": lambda d: tkf.Transformer(
        tkf.Sphere(d),
        [tkf.Head(tkf.L2(0.5), Q=Q[:, :d], K=K[:, :d]), tkf.Softmax(-2.0)],
        position=[tkf.Causal(), tkf.Window(200.0)],
        normalization=tkf.normalization.PostLN(gain=np.linspace(0.5, 1.5, d)),
    ),
}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("kind", "d"), [("causal", 3), ("unnormalized, ALiBi", 2), ("RoPE", 2), ("heads, window, gain", 2)]
)
def test_a_model_takes_it_by_itself(kind, d, monkeypatch, few_are_many):
    model, rng, n = MODELS[kind](d), np.random.default_rng(0), 500
    monkeypatch.setattr(sys.modules["tokenfield.model.projected"], "MANY_PAIRS", 0)
    x = random_points(rng, n, d)
    mu = tkf.Measure(x, rng.uniform(0.1, 1, n), positions=rng.permutation(n), geometry=model.geometry)
    choices = choose_sums(model, mu)
    assert {choice.name for choice in choices} == {"fourier_prefix" if d == 2 else "harmonics_prefix"}
    assert "prefixes by position" in str(choices[0])

    def compute(mu, model=model):
        velocity = model.velocity(0.0, mu.points, mu)
        return velocity, model.attended(0.0, mu.points, mu)[0].log_sum, elsewhere(mu)

    def elsewhere(mu, model=model):
        return model.velocity(0.0, mu.points[::-1], mu)  # other queries, at the positions of the tokens

    fast = jax.jit(compute)
    assert "while" in str(jax.make_jaxpr(elsewhere)(mu))
    assert "while" in fast.lower(mu).as_text()  # the negative control is below: dense sums have no loop
    with sums.forced("direct"):
        direct = jax.jit(lambda mu: compute(mu))
        assert "while" not in direct.lower(mu).as_text()
        expected = direct(mu)
    for got, want in zip(fast(mu), expected, strict=True):
        np.testing.assert_allclose(got, want, rtol=0, atol=1e-10)


@pytest.mark.slow
def test_single_precision(few_are_many):
    model, rng = MODELS["causal"](2), np.random.default_rng(0)
    x = jnp.asarray(random_points(rng, 600, 2))

    def loss(x):
        mu = tkf.Measure(x)
        return jnp.sum(jnp.sin(model.velocity(0.0, mu.points, mu)))

    single = jax.jit(lambda x: loss(x))(x.astype(jnp.float32))
    with sums.forced("direct"):
        np.testing.assert_allclose(single, loss(x), rtol=1e-4)  # 600 terms of order 1, each rounded to 1e-7
    assert single.dtype == jnp.float32


def test_what_it_is_not_for_is_summed_directly():
    """Keys that RoPE turns but that are no unit vectors. Other points at the tokens' positions are no such case."""
    n, rng = 5000, np.random.default_rng(0)
    position = [tkf.RoPE([0.3]), tkf.Causal()]
    x = random_points(rng, n, 2)
    mu = tkf.Measure(x, geometry=tkf.Sphere(2))
    stretched = tkf.Transformer(tkf.Sphere(2), tkf.Softmax(1.0), K=np.diag([1.0, 2.0]), position=position)
    turned = tkf.Transformer(tkf.Sphere(2), tkf.Softmax(1.0), K=np.diag([2.0, -2.0]), position=position)
    assert choose_sums(stretched, mu)[0].name == "tiled" and choose_sums(turned, mu)[0].name == "fourier_prefix"
    causal = tkf.Transformer(tkf.Sphere(2), tkf.Softmax(1.0), position=tkf.Causal())
    assert causal.projected(0.0, mu.points, mu)[0].sphere is not None
    assert causal.projected(0.0, mu.points + 0.0, mu)[0].sphere is not None


def test_what_fills_up_the_last_runs_is_not_seen():
    """Else the queries beside it, which see all that is at their place, would go over it pair by pair."""
    positions = jnp.minimum(jnp.arange(64.0), 20).reshape(16, 4)  # 21 tokens in runs of 4, and more of the last one
    seen = runs._seen_runs(positions, 21, runs.Limits(jnp.zeros(())))
    assert seen.some[:6].tolist() == [1] * 6  # of each run only itself is seen in part
    assert int(seen.some.max()) == 1
    assert int(seen.end.max()) == 5
