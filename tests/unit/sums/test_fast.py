"""Fast sums as a model uses them: equal to the direct sum wherever tokens are, chosen by themselves, and explained."""

from functools import partial

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import tokenfield as tkf
from tokenfield import sums
from tokenfield.errors import InvalidInput
from tokenfield.model.summing import choose_sums

N = 600


def literal(queries, points, weights):
    """log sum_j w_j e^{<u_i, y_j>} and the mean of y_j, pair by pair in extended precision."""
    u, y, w = (np.asarray(a, np.longdouble) for a in (queries, points, weights))
    logits = u @ y.T
    shift = logits.max(axis=1, keepdims=True)
    kernel = np.exp(logits - shift) * w
    total = kernel.sum(axis=1)
    return np.float64(np.log(total) + shift[:, 0]), np.float64(kernel @ y / total[:, None])


def configurations(d):
    """Tokens on S^{d-1}: everywhere, in one cluster, in two opposite ones, and one token opposite to all others."""
    rng = np.random.default_rng(d)
    uniform = rng.normal(size=(N, d))
    cluster = np.eye(d)[-1] + 1e-2 * rng.normal(size=(N, d))
    sides = np.where(np.arange(N) < N // 3, -1.0, 1.0)[:, None]
    alone = np.where(np.arange(N) == 7, -1.0, 1.0)[:, None]
    tokens = {"uniform": uniform, "cluster": cluster, "antipodal": sides * cluster, "outlier": alone * cluster}
    return {name: x / np.linalg.norm(x, axis=1, keepdims=True) for name, x in tokens.items()}


@pytest.mark.parametrize("beta", [0.1, 9.0, 200.0])
@pytest.mark.parametrize("d", [2, 3])
def test_equals_the_direct_sum_wherever_tokens_are(d, beta):
    choice = sums.choose(2**20, 2**20, d, reach=beta, is_uniform=True)
    fast = jax.jit(lambda *args: sums.attend_on_sphere(*args, choice.expansion))
    weights = np.random.default_rng(0).uniform(0.1, 1.0, N) ** 6
    for name, x in configurations(d).items():
        # also away from all tokens, where the sum is down to e^{-2 beta} of the largest
        for queries in (beta * x, -beta * x):
            log_sum, mean = literal(queries, x, weights)
            got = fast(queries, x, weights)
            # the tolerance of the choice; log_sum itself is of order beta, so that its rounding is far below
            np.testing.assert_allclose(got.log_sum, log_sum, rtol=0, atol=1e-10, err_msg=name)
            np.testing.assert_allclose(got.mean, mean, rtol=0, atol=1e-10, err_msg=name)


@pytest.mark.parametrize("d", [2, 3])
def test_without_the_fallback_an_outlier_is_wrong(d):
    """The negative control: what the modes alone say far from all tokens, and that they say so."""
    choice = sums.choose(2**20, 2**20, d, reach=200.0, is_uniform=True)
    x, weights = configurations(d)["cluster"], np.full(N, 1 / N)
    expansion = choice.expansion
    alone = jax.jit(lambda x: sums.fast.evaluate(sums.fast.moments(x, weights, expansion), -200.0 * x, expansion))(x)
    assert np.max(np.abs(alone.mean - literal(-200.0 * x, x, weights)[1])) > 1e-3
    assert np.all(np.asarray(alone.error) > 1e-3)


def test_queries_out_of_reach_and_tokens_off_the_sphere_are_summed_directly():
    choice = sums.choose(2**20, 2**20, 2, reach=9.0, is_uniform=False)
    fast = jax.jit(lambda *args: sums.attend_on_sphere(*args, choice.expansion))
    x, weights = configurations(2)["uniform"], np.full(N, 1 / N)
    far = x * np.where(np.arange(N) % 3 == 0, 40.0, 5.0)[:, None]  # beyond what the modes carry, and within
    assert choice.expansion.reach < 40
    for queries, points in ((far, x), (9.0 * x, 1.01 * x)):
        log_sum, mean = literal(queries, points, weights)
        got = fast(queries, points, weights)
        np.testing.assert_allclose(got.log_sum, log_sum, rtol=0, atol=1e-10)
        np.testing.assert_allclose(got.mean, mean, rtol=0, atol=1e-10)


def derivatives(attend, at, along):
    """Sums and the gradient of a loss of them, and how both change: in one program, which has the sums ahead once."""

    def loss(out):
        return jnp.sum(jnp.sin(out[1]) * out[0][:, None])

    def both(*at):
        out, back = jax.vjp(attend, *at)
        return out, back(jax.grad(loss)(out))

    return jax.jvp(both, at, along)


direct_derivatives = jax.jit(partial(derivatives, lambda q, k, w: sums.attend(q, k, k, w)))


@pytest.mark.slow
@pytest.mark.parametrize("is_uniform", [True, False])
@pytest.mark.parametrize("d", [2, 3])
def test_derivatives_equal_those_of_the_direct_sum(d, is_uniform):
    """Forwards, backwards, and forwards over backwards, for all arguments, with queries in and out of reach."""
    rng = np.random.default_rng(d)
    expansion = sums.choose(10**6, 10**6, d, reach=9.0, is_uniform=is_uniform).expansion
    points, queries = configurations(d)["antipodal"][:60], 9.0 * configurations(d)["uniform"][:40]
    if not is_uniform:
        queries = queries * np.where(np.arange(40) == 5, 10.0, rng.uniform(0, 1, 40))[:, None]  # one out of reach
        queries[7] = 0.0
    at = queries, points, rng.uniform(0.1, 1, 60)
    along = tuple(rng.normal(size=a.shape) for a in at)

    fast = jax.jit(derivatives, static_argnums=0)(lambda *a: sums.attend_on_sphere(*a, expansion), at, along)
    direct = direct_derivatives(at, along)
    for found, expected in zip(jax.tree.leaves(fast), jax.tree.leaves(direct), strict=True):
        # the tolerance of a sum is 1e-10 of its largest terms, and two derivatives multiply it by |u|^2
        np.testing.assert_allclose(found, expected, rtol=0, atol=1e-8 * np.max(np.abs(expected)))


@pytest.mark.slow
@pytest.mark.parametrize("d", [2, 3])
def test_a_gradient_costs_and_keeps_n_not_n_squared(d):
    expansion = sums.choose(10**6, 10**6, d, reach=5.0, is_uniform=True).expansion
    expansion = expansion._replace(algorithm="fourier" if d == 2 else "harmonics")

    def gradient(x):
        return jax.grad(lambda x: jnp.sum(sums.attend_on_sphere(5.0 * x, x, jnp.ones(len(x)), expansion).mean ** 3))(x)

    def cost(n):
        compiled = jax.jit(gradient).lower(jax.ShapeDtypeStruct((n, d), jnp.float64)).compile()
        return compiled.memory_analysis().temp_size_in_bytes

    few, many = cost(20_000), cost(80_000)
    # some 20 columns of numbers at both ends; pairs would take 50 GB, all modes of all tokens some 64 MB each
    assert many < 4.5 * few and many < 80_000 * 8 * 150


MODELS = {
    "softmax": lambda d: tkf.Transformer(tkf.Sphere(d), tkf.Softmax(9.0)),
    "unnormalized": lambda d: tkf.Transformer(tkf.Sphere(d), tkf.Unnormalized(2.0)),
    "general": lambda d: tkf.Transformer(
        tkf.Sphere(d),
        [tkf.Head(tkf.L2(1.5), Q=RNG_Q[:, :d], K=RNG_K[:, :d], V=RNG_Q[:d, :d]), tkf.Softmax(3.0)],
        normalization=tkf.normalization.PostLN(gain=np.linspace(0.5, 1.5, d)),
    ),
}
RNG_Q, RNG_K = np.random.default_rng(1).normal(size=(2, 4, 4))


def random_measure(geometry, n):
    rng = np.random.default_rng(0)
    x = rng.normal(size=(n, geometry.d))
    return tkf.Measure(x / np.linalg.norm(x, axis=1, keepdims=True), rng.uniform(0.1, 1, n), geometry=geometry)


@pytest.mark.slow
@pytest.mark.parametrize("kind", MODELS)
@pytest.mark.parametrize("d", [2, 3])
def test_a_model_takes_the_fast_sum_by_itself(kind, d, few_are_many):
    model = MODELS[kind](d)
    mu = random_measure(model.geometry, 1100)
    names = [choice.name for choice in choose_sums(model, mu)]
    assert set(names) <= {"fourier", "harmonics", "harmonics_nufft"} and names
    velocity = jax.jit(lambda mu: (model.velocity(0.0, mu.points, mu), tkf.observables.energy(mu, model)))(mu)
    with sums.forced("direct"):
        expected = jax.jit(lambda mu: (model.velocity(0.0, mu.points, mu), tkf.observables.energy(mu, model)))(mu)
        assert {choice.name for choice in choose_sums(model, mu)} == {"tiled"}
    # vectors of unnormalized attention are as long as e^beta = 7.4
    np.testing.assert_allclose(velocity[0], expected[0], rtol=0, atol=1e-9)
    np.testing.assert_allclose(velocity[1], expected[1], rtol=1e-10)


@pytest.mark.slow
def test_solve_takes_the_fast_sum_and_equals_the_direct_one(few_are_many):
    model = tkf.Transformer(tkf.Sphere(2), tkf.Softmax(9.0))
    mu = tkf.Measure(configurations(2)["uniform"], geometry=model.geometry)
    run = tkf.solve(model, mu, t1=2.0, save="end")
    with sums.forced("direct"):
        direct = tkf.solve(model, mu, t1=2.0, save="end")
    assert run.notes[0].startswith("fourier: ") and direct.notes == ()
    # the flow stretches an error of 1e-10 per unit of time by at most e^{beta t} near unstable points, here far less
    np.testing.assert_allclose(run.final.points, direct.final.points, rtol=0, atol=1e-7)


def test_a_choice_explains_itself():
    circle, plain = sums.choose(10**6, 10**6, 2, reach=9.0, is_uniform=True), sums.choose(10**5, 10**5, 5)
    assert "Fourier modes" in str(circle) and "relative error 1e-10" in str(circle)
    assert plain.expansion is None and "row tiles" in plain.reason
    assert "not for d = 4" in sums.choose(10**4, 10**4, 4, reach=1.0).reason
    assert sums.choose(1000, 1000, 2, reach=9.0).name == "dense"  # a millisecond is less than it takes to compile more
    assert sums.choose(2000, 2000, 2, reach=9.0, is_uniform=True).name == "fourier"
    assert "up to" in sums.choose(10**4, 10**4, 3, reach=1e4).reason
    assert circle.seconds < 1e-3 * sums.choose(10**6, 10**6, 2).seconds
    with pytest.raises(InvalidInput, match="'auto' or 'direct'"), sums.forced("dirct"):
        pass


def test_a_slightly_larger_beta_is_the_same_choice():
    a, b = (sums.choose(10**4, 10**4, 3, reach=beta, is_uniform=True) for beta in (9.0, 9.1))
    assert a == b


@pytest.mark.parametrize("beta", [31_000.0, 33_000.0, 3e5, 1e6, 2e6])
def test_very_sharp_attention_on_the_circle_is_summed_one_way_or_another(beta):
    # above 31,700 the bound on |u| of a number of modes was once looked for beyond what modes reach, and refused
    model = tkf.Transformer(tkf.Sphere(2), tkf.Softmax(beta))
    mu = tkf.initial.uniform(model.geometry, n=600, seed=0)
    (choice,) = choose_sums(model, mu)
    assert choice.expansion is None or choice.expansion.reach <= 1e6
    with sums.forced("direct"):
        exact = model.velocity(0.0, mu.points, mu)
    np.testing.assert_allclose(model.velocity(0.0, mu.points, mu), exact, rtol=0, atol=1e-9)
