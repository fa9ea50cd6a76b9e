"""Derivatives of sums by position equal those of the direct sum, and are sums over prefixes themselves."""

import warnings
from functools import partial

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from jax.extend.core import jaxprs_in_params

import tokenfield as tkf
from tokenfield import sums
from tokenfield.errors import SlowSums
from tokenfield.sums import Band, columns, direct, prefix

N = 201  # several runs of both kinds, and a rest
BETA = {2: 9.0, 3: 1.0}  # the runs on S^2 are then as short as they get
STRICT = float(np.finfo(np.float32).tiny)
POSITIONS = {
    "in order": lambda rng: np.arange(N, dtype=float),
    "shuffled": lambda rng: rng.permutation(N).astype(float),
    "ties": lambda rng: rng.integers(0, N // 9, N).astype(float),
    "gaps": lambda rng: np.cumsum(rng.exponential(size=N) ** 4),
}
# d, uniform |u|, values given, a slope. A slope doubles what is compiled and knows nothing of the space and its modes,
# so that not each kind of them meets it; then backwards only, where all that goes forwards goes too
SPACES = [(2, True, False, True), (2, False, True, False), (3, True, True, False), (3, False, False, True)]


def tokens(rng, d, kind):
    x = rng.normal(size=(N, d))
    if kind != "uniform":
        x = np.eye(d)[0] + 1e-2 * x
    if kind == "outliers":
        x[rng.integers(0, N, 3)] *= -1
    return x / np.linalg.norm(x, axis=1, keepdims=True)


def expansion_of(d, is_uniform):
    return sums.choose(2**20, 2**20, d, reach=BETA[d], is_uniform=is_uniform).expansion


def over_prefixes(expansion, queries, points, log_weights, values, band):
    weights = jnp.exp(log_weights)
    attended = prefix.attend(queries, points, values, weights, band, expansion)
    return *attended, prefix.seen_log_mass(weights, band)


def over_pairs(_, queries, points, log_weights, values, band):
    weights, nothing = jnp.exp(log_weights), jnp.zeros_like(points[:, :1])
    attended = direct.attend(queries, points, points if values is None else values, weights, band)
    return *attended, direct.attend(nothing, nothing, nothing[:, :0], weights, band).log_sum


def derivatives(way, expansion, at, along, band):
    """Forwards, if there is no slope, and the gradient of a loss, for all arguments.

    The gradient is that of the linear part of what goes forwards, transposed: both apart would compile all sums twice.
    """
    found, loss = functions(way, expansion, band)
    out, push = jax.linearize(found, at)
    return push(along) if band.slope is None else (), jax.linear_transpose(push, at)(jax.grad(loss)(out))[0]


def second_derivatives(way, expansion, at, along, band):
    """Forwards over backwards."""
    found, loss = functions(way, expansion, band)
    return jax.jvp(jax.grad(lambda at: loss(found(at))), (at,), (along,))[1]


def functions(way, expansion, band):
    def found(at):
        # a row that sees nothing has -inf: a user's loss has to mask it, and no NaN may come back through the mask
        return tuple(jnp.where(jnp.isfinite(a), a, 0.0) for a in way(expansion, *at, band))

    def loss(found):
        log_sum, mean, log_mass = found
        return jnp.sum(jnp.sin(mean) * jnp.cos(log_sum - log_mass)[:, None]) + jnp.sum(jnp.cos(log_mass))

    return found, loss


first, second = (jax.jit(order, static_argnums=(0, 1)) for order in (derivatives, second_derivatives))


def case(d, is_uniform, has_values, seed, kind, spread):
    rng = np.random.default_rng(seed)
    x, turned = tokens(rng, d, kind), rng.choice([-1, 1])
    lengths = np.ones((N, 1)) if is_uniform else rng.uniform(0, 1, (N, 1))
    values = rng.normal(size=(N, 3)) if has_values else None
    log_weights = -spread * np.log(10) * rng.uniform(size=N)
    at = (BETA[d] * lengths * x[::turned], x, log_weights, values)
    return at, jax.tree.map(lambda a: rng.normal(size=a.shape), at)


def assert_close(found, expected, tolerance):
    for got, want in zip(jax.tree.leaves(found), jax.tree.leaves(expected), strict=True):
        np.testing.assert_allclose(got, want, rtol=0, atol=tolerance * max(1.0, np.max(np.abs(want))))


@pytest.mark.slow
@pytest.mark.parametrize(("d", "is_uniform", "has_values", "has_slope"), SPACES)
# heavy tokens out of sight of those that see light ones only
@example(seed=3, kind="uniform", positions="in order", nearest=0.0, farthest=20.0, slope=0.0, spread=12)
@example(seed=1, kind="uniform", positions="gaps", nearest=STRICT, farthest=np.inf, slope=50.0, spread=0)
@settings(max_examples=12, deadline=None)
@given(
    seed=st.integers(0, 2**31),
    kind=st.sampled_from(["uniform", "cluster", "outliers"]),
    positions=st.sampled_from(list(POSITIONS)),
    nearest=st.sampled_from([0.0, STRICT, -np.inf, -30.0, 3.0]),
    farthest=st.sampled_from([np.inf, 2.5, 40.0, 150.0]),
    slope=st.sampled_from([0.0, 1e-3, 0.3, 50.0]),
    spread=st.sampled_from([0, 12]),
)
def test_equal_those_of_the_direct_sum(
    d, is_uniform, has_values, has_slope, seed, kind, positions, nearest, farthest, slope, spread
):
    at, along = case(d, is_uniform, has_values, seed, kind, spread)
    p = POSITIONS[positions](np.random.default_rng(seed))
    band = Band(*(jnp.asarray(a) for a in (p, p, nearest, farthest)), slope=jnp.asarray(slope) if has_slope else None)
    with warnings.catch_warnings():
        warnings.simplefilter("error", SlowSums)
        found = first(over_prefixes, expansion_of(d, is_uniform), at, along, band)
    # a sum is right to 1e-10, and a derivative multiplies that by |u|
    assert_close(found, first(over_pairs, None, at, along, band), 1e-9)


CAUSAL = Band(jnp.arange(float(N)), jnp.arange(float(N)), nearest=jnp.zeros(()))


@pytest.mark.slow
@pytest.mark.parametrize(("d", "is_uniform", "has_values"), [(2, True, False), (3, False, False)])
def test_second_ones_equal_those_of_the_direct_sum(d, is_uniform, has_values):
    at, along = case(d, is_uniform, has_values, 0, "outliers", 3)
    band = CAUSAL._replace(nearest=jnp.ones(()), farthest=jnp.asarray(90.0))
    with warnings.catch_warnings():
        warnings.simplefilter("error", SlowSums)
        found = second(over_prefixes, expansion_of(d, is_uniform), at, along, band)
    # a sum is right to 1e-10, and two derivatives multiply that by |u|^2
    assert_close(found, second(over_pairs, None, at, along, band), 1e-8)


@pytest.mark.slow
def test_backwards_in_single_precision_and_in_a_batch():
    at, _ = case(2, True, False, 0, "uniform", 0)
    expansion = expansion_of(2, True)

    def change(sum_of, x):
        return jax.grad(
            lambda x: jnp.sum(jnp.sin(sum_of(expansion, 9 * x, x, at[2].astype(x.dtype), None, CAUSAL)[1]))
        )(x)

    several = jnp.stack([at[1], -at[1][::-1]])
    expected = jax.jit(jax.vmap(partial(change, over_pairs)))(several)
    np.testing.assert_allclose(jax.jit(jax.vmap(partial(change, over_prefixes)))(several), expected, rtol=0, atol=1e-9)
    single = jax.jit(partial(change, over_prefixes))(several[0].astype(jnp.float32))
    assert single.dtype == jnp.float32
    # points are rounded to 6e-8, and second derivatives, which are of order |u|^2 = 81, multiply that
    np.testing.assert_allclose(single, expected[0], rtol=0, atol=2e-5 * np.max(np.abs(expected[0])))


@pytest.mark.parametrize("is_bad", [pytest.param(False, marks=pytest.mark.slow), True])
def test_only_what_is_bad_goes_over_pairs(is_bad, monkeypatch):
    """Queries that look away from all that they see, forwards and backwards; and none if there are no such queries."""
    over_pairs_alone, calls = columns._over_pairs, []

    def counted(*arguments):
        jax.debug.callback(lambda: calls.append(1))
        return over_pairs_alone(*arguments)

    monkeypatch.setattr(columns, "_over_pairs", counted)
    x = tokens(np.random.default_rng(0), 2, "cluster")
    sign = np.where(is_bad & (np.arange(N) % 50 == 49), -1.0, 1.0)[:, None]
    expansion = expansion_of(2, True)

    def gradient(sum_of, x):
        loss = lambda x: jnp.sum(jnp.sin(sum_of(expansion, 9.0 * sign * x, x, jnp.zeros(N), None, CAUSAL)[1]))  # noqa: E731
        return jax.grad(loss)(x)

    found = jax.block_until_ready(jax.jit(partial(gradient, over_prefixes))(x))
    jax.effects_barrier()
    assert len(calls) == (2 if is_bad else 0)  # once for the sums ahead, once for those back
    np.testing.assert_allclose(found, jax.jit(partial(gradient, over_pairs))(x), rtol=0, atol=1e-9)


def operations(jaxpr):
    """Numbers that are computed; loops of unknown length, as those over bad queries, count once."""
    total = 0
    for equation in jaxpr.eqns:
        if equation.primitive is columns._sums:
            shapes = [jax.ShapeDtypeStruct(v.aval.shape, v.aval.dtype) for v in equation.invars]
            total += operations(jax.make_jaxpr(partial(columns._computed, **equation.params))(*shapes).jaxpr)
            continue
        inner = [operations(one) for one in jaxprs_in_params(equation.params)]
        if inner:
            total += equation.params.get("length", 1) * (max if equation.primitive.name == "cond" else sum)(inner)
        else:
            total += sum(v.aval.size for v in equation.outvars)
    return total


@pytest.mark.slow
@pytest.mark.parametrize("d", [2, 3])
def test_a_gradient_costs_n_not_n_squared(d):
    expansion = sums.choose(10**6, 10**6, d, reach=5.0, is_uniform=True).expansion

    def gradient(way, x):
        positions = jnp.arange(float(len(x)))
        band = Band(positions, positions, nearest=jnp.zeros(()))
        return jax.grad(lambda x: jnp.sum(way(expansion, 5.0 * x, x, jnp.zeros(len(x)), None, band)[1] ** 3))(x)

    def growth(way):
        few, many = (jax.ShapeDtypeStruct((n, d), jnp.float64) for n in (2**14, 2**16))
        counts = [operations(jax.make_jaxpr(partial(gradient, way))(x).jaxpr) for x in (few, many)]
        return counts[1] / counts[0]

    assert growth(over_prefixes) < 4.5
    assert growth(over_pairs) > 15  # the negative control

    def memory(n):
        shape = jax.ShapeDtypeStruct((n, d), jnp.float64)
        return jax.jit(partial(gradient, over_prefixes)).lower(shape).compile().memory_analysis().temp_size_in_bytes

    # some 60 columns of numbers, and on S^2 states of 4 columns twice over; pairs would take 50 GB
    assert memory(80_000) < 80_000 * 8 * 250


@pytest.mark.slow
def test_slopes_warn_and_are_right():
    """Also in second derivatives, first by tokens and then by the slope; without it nothing depends on positions."""
    at, _ = case(2, True, False, 0, "uniform", 0)
    expansion = expansion_of(2, True)

    def mixed(sum_of, x, slope):
        def loss(x):
            return jnp.sum(jnp.sin(sum_of(expansion, 9.0 * x, x, at[2], None, CAUSAL._replace(slope=slope))[1]))

        return jnp.sum(jax.grad(loss)(x) ** 2)

    def masses(sum_of, slope):
        return jnp.sum(jnp.sin(sum_of(expansion, 9.0 * at[1], *at[1:3], None, CAUSAL._replace(slope=slope))[2]))

    for function, arguments in ((mixed, (at[1], 0.1)), (masses, (0.1,))):
        along_slope = len(arguments)
        with pytest.warns(SlowSums, match=f"pairs of its {N} tokens: .*stop_gradient"):
            found = jax.jit(jax.grad(partial(function, over_prefixes), along_slope - 1))(*arguments)
        expected = jax.jit(jax.grad(partial(function, over_pairs), along_slope - 1))(*arguments)
        np.testing.assert_allclose(found, expected, rtol=1e-9)  # sums that are right to 1e-10
    with warnings.catch_warnings():
        warnings.simplefilter("error", SlowSums)
        by_band = jax.jit(jax.grad(lambda band: jnp.sum(over_prefixes(expansion, 9.0 * at[1], *at[1:], band)[1])))(
            CAUSAL
        )
    assert all(not np.any(a) for a in jax.tree.leaves(by_band))


@pytest.mark.slow
@pytest.mark.parametrize("position", [[tkf.Causal()], [tkf.Causal(), tkf.RoPE([0.3])], [tkf.Causal(), tkf.ALiBi(0.01)]])
def test_a_model_takes_them_by_itself(position, few_are_many):
    model = tkf.Transformer(tkf.Sphere(2), tkf.Softmax(2.0), position=position)
    x = jnp.asarray(tokens(np.random.default_rng(0), 2, "uniform"))

    def loss(x):
        mu = tkf.Measure(x)
        return jnp.sum(jnp.sin(model.velocity(0.0, mu.points, mu)))

    with warnings.catch_warnings():
        warnings.simplefilter("error", SlowSums)
        program = jax.jit(jax.grad(lambda x: loss(x)))
        assert "tokenfield_kernel_sums" in str(jax.make_jaxpr(program)(x))
        fast = program(x)
    with sums.forced("direct"):
        np.testing.assert_allclose(fast, jax.jit(jax.grad(lambda x: loss(x)))(x), rtol=0, atol=1e-9)
