"""Weights in depth: which heads act when, random matrix laws, and flows that never step across a jump."""

import math

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from tokenfield import Euclidean, Head, InvalidInput, Softmax, Sphere, Transformer, Unnormalized, initial, solve
from tokenfield.model.schedule import (
    Constant,
    FunctionOfDepth,
    PerLayer,
    Resampled,
    ginibre,
    ginibre_product,
    gram,
    wigner,
)

PERIODS = (0.1, 1 / 3, 0.7, 2.0)


def layers(count=4, d=3, seed=0):
    rng = np.random.default_rng(seed)
    return [Head(Softmax(1.0 + i), V=rng.normal(size=(d, d))) for i in range(count)]


def chained(pieces, geometry, tokens, period, **options):
    """The end of a run that solves each piece of a schedule on its own."""
    for heads in pieces:
        tokens = solve(Transformer(geometry, heads), tokens, t1=period, save="end", **options).final
    return np.asarray(tokens.points)


# --- one set per layer --------------------------------------------------------------------------------------------


def test_per_layer_picks_the_layer():
    plan = PerLayer(layers(), t1=2.0)
    cases = {-1.0: 1, 0.0: 1, 0.499: 1, 0.5: 2, 0.9: 2, 1.0: 3, 1.5: 4, 1.999: 4, 2.0: 4, 50.0: 4}
    for t, beta in cases.items():
        (head,) = plan.parts(t)
        assert float(head.attention.beta) == beta
        np.testing.assert_array_equal(head.V, layers()[beta - 1].V)


@pytest.mark.slow
@pytest.mark.parametrize("t1", PERIODS)
@pytest.mark.parametrize("count", [3, 7, 96])
def test_per_layer_starts_a_layer_at_its_jump_in_spite_of_rounding(t1, count):
    plan = PerLayer([Softmax(float(i)) for i in range(count)], t1=t1)
    jumps = plan.jumps(0.0, t1)
    assert len(jumps) == count - 1
    pick = jax.vmap(lambda t: plan.parts(t)[0].attention.beta)
    np.testing.assert_array_equal(pick(jumps), np.arange(1, count))
    # another way to write the same times rounds differently
    np.testing.assert_array_equal(pick(np.arange(1, count) * t1 / count), np.arange(1, count))
    np.testing.assert_array_equal(pick(jumps * (1 - 1e-9)), np.arange(count - 1))


def test_per_layer_jumps_lie_strictly_inside():
    plan = PerLayer(layers(), t1=2.0)
    np.testing.assert_array_equal(plan.jumps(0.0, 2.0), [0.5, 1.0, 1.5])
    np.testing.assert_array_equal(plan.jumps(0.5, 1.5), [1.0])
    assert len(Constant(Softmax(1.0)).jumps(0.0, 10.0)) == 0


def test_per_layer_with_several_heads():
    plan = PerLayer([[Head(Softmax(1.0)), Head(Softmax(2.0))], [Head(Softmax(3.0)), Head(Softmax(4.0))]], t1=1.0)
    assert [float(head.attention.beta) for head in plan.parts(0.7)] == [3.0, 4.0]


@pytest.mark.parametrize(
    ("each", "t1", "message"),
    [
        ([], 1.0, "at least one layer"),
        ([Softmax(1.0)], 0.0, "positive final time, got t1 = 0"),
        ([Softmax(1.0)], -1.0, "positive final time"),
        ([Softmax(1.0)], math.inf, "positive final time, got t1 = inf"),
        ([Softmax(1.0), Unnormalized(1.0)], 1.0, "all layers must have the same parts, matrices and shapes"),
        ([Head(Softmax(1.0)), Head(Softmax(1.0), V=np.eye(3))], 1.0, "all layers must have the same parts"),
        ([[Head(Softmax(1.0))] * 2, Head(Softmax(1.0))], 1.0, "all layers must have the same parts"),
        ([Head(Softmax(1.0), V=np.eye(2)), Head(Softmax(1.0), V=np.eye(3))], 1.0, "matrices and shapes"),
        ([Softmax(1.0), "softmax"], 1.0, "expected an attention, a head"),
    ],
)
def test_wrong_layers(each, t1, message):
    with pytest.raises(InvalidInput, match=message):
        PerLayer(each, t1=t1)


def test_nested_heads_are_refused_rather_than_dropped():
    with pytest.raises(InvalidInput, match="expected an attention, a head or a perceptron"):
        Constant([[Head(Softmax(1.0)), Head(Softmax(2.0))]])


def test_schedules_check_the_dimension():
    for plan in (
        PerLayer(layers(), t1=1.0),
        Resampled(Softmax(1.0), 3, period=0.1, seed=0),
        FunctionOfDepth(lambda t: Head(Softmax(1.0), K=t * jnp.eye(3))),
    ):
        with pytest.raises(InvalidInput, match=r"to act on tokens in R\^4|of shape \(4, 4\)"):
            Transformer(Sphere(4), plan)


class Unaware(PerLayer):
    """The same weights, without a word about where they jump."""

    def jumps(self, t0, t1):
        return np.empty(0)

    def frozen(self, t):
        return self


@pytest.mark.slow
def test_fixed_steps_stop_at_jumps():
    geometry, tokens = Sphere(3), initial.uniform(Sphere(3), 8, seed=0)
    # 0.07 divides neither the layer's time 0.5 nor the final time 2
    exact = chained(layers(), geometry, tokens, 0.5, rtol=1e-11, atol=1e-12)

    def error(plan, step, **options):
        end = solve(Transformer(geometry, plan), tokens, t1=2.0, save="end", step=step, **options).final.points
        return np.abs(np.asarray(end) - exact).max()

    aware, unaware = PerLayer(layers(), t1=2.0), Unaware(layers(), t1=2.0)
    errors = [error(aware, step, method="rk4") for step in (0.07, 0.035)]
    assert errors[0] < 1e-4
    # order 4 survives the jumps (16 for halved steps, here with the odd last step of each layer): at least 10
    assert errors[1] < errors[0] / 10
    assert error(unaware, 0.07, method="rk4") > 100 * errors[0]  # what steps across the jumps would cost
    assert error(aware, None, rtol=1e-10, atol=1e-12) < 1e-8  # the adaptive method, over all layers in one run


@pytest.mark.slow
def test_saved_times_inside_layers_are_right():
    geometry, tokens = Sphere(3), initial.uniform(Sphere(3), 5, seed=1)
    model = Transformer(geometry, PerLayer(layers(2), t1=1.0))
    run = solve(model, tokens, t1=1.0, save=[0.25, 0.5, 0.8], rtol=1e-9, atol=1e-11)
    first, second = (Transformer(geometry, head) for head in layers(2))
    tight = {"save": "end", "rtol": 1e-11, "atol": 1e-12}
    at_quarter = solve(first, tokens, t1=0.25, **tight).final
    at_half = solve(first, tokens, t1=0.5, **tight).final
    later = solve(second, at_half, t1=0.3, **tight).final
    for points, expected in zip(run.points, (at_quarter, at_half, later), strict=True):
        np.testing.assert_allclose(points, expected.points, atol=1e-6)  # order-4 interpolation between steps


@pytest.mark.slow
def test_layers_of_a_network_use_their_own_weights():
    geometry, tokens = Sphere(3), initial.uniform(Sphere(3), 5, seed=2)
    run = solve(Transformer(geometry, PerLayer(layers(), t1=2.0)), tokens, t1=2.0, layers=4, save="end")
    x = tokens
    for head in layers():
        x = x.at(geometry.to_manifold(x.points + 0.5 * head(x.points, x)))
    np.testing.assert_allclose(run.final.points, x.points, atol=1e-14)


# --- a function of depth ------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_function_of_depth_against_a_closed_form():
    # beta = 0: every token feels the mean m, and V = cos(t) I gives m' = cos(t) m, m = m_0 e^{sin t}
    plan = FunctionOfDepth(lambda t: Head(Softmax(0.0), V=jnp.cos(t) * jnp.eye(2)))
    tokens = initial.gaussian(Euclidean(2), 6, mean=[1.0, 2.0], seed=0)
    run = solve(Transformer(Euclidean(2), plan), tokens, t1=3.0, save=4, rtol=1e-9, atol=1e-11)
    mean = np.asarray(tokens.mean)
    for t, points in zip(np.asarray(run.ts), run.points, strict=True):
        np.testing.assert_allclose(points, tokens.points + mean * math.expm1(math.sin(t)), atol=1e-6)


def test_function_of_depth_takes_attentions_and_lists():
    assert float(FunctionOfDepth(lambda t: Softmax(2 * t)).parts(3.0)[0].attention.beta) == 6.0
    plan = FunctionOfDepth(lambda t: [Head(Softmax(t)), Head(Softmax(1.0))])
    assert len(plan.parts(1.0)) == 2
    with pytest.raises(InvalidInput, match="expected an attention, a head"):
        FunctionOfDepth(lambda t: t).parts(1.0)


# --- resampled ----------------------------------------------------------------------------------------------------


def draws(law, d, count=4000):
    return np.asarray(jax.vmap(lambda key: law(key, d))(jax.random.split(jax.random.key(0), count)))


def assert_mean(sample, expected):
    """Means agree within 4.5 of their standard errors (7e-6 by chance)."""
    error = sample.std(axis=0, ddof=1) / math.sqrt(len(sample))
    assert np.all(np.abs(sample.mean(axis=0) - expected) <= 4.5 * error)


@pytest.mark.slow
@pytest.mark.parametrize("law", [ginibre, ginibre_product])
def test_asymmetric_laws(law):
    B = draws(law, 4)
    assert_mean(B, 0.0)
    assert_mean(B**2, 1.0)
    assert_mean(B[:, 0, 1] * B[:, 1, 0], 0.0)


def test_ginibre_product_is_not_gaussian():
    # E b^4 for b = sum_k g_k h_k / sqrt(d): 3 + 6/d
    assert_mean(draws(ginibre_product, 2)[:, 0, 1] ** 4, 6.0)


def test_wigner_is_the_goe():
    B = draws(wigner, 4)
    np.testing.assert_array_equal(B, np.swapaxes(B, 1, 2))
    assert_mean(B, 0.0)
    assert_mean(B**2, 1.0 + np.eye(4))  # the diagonal has variance 2


def test_gram_is_positive():
    d = 4
    B = draws(gram, d)
    np.testing.assert_allclose(B, np.swapaxes(B, 1, 2), atol=1e-14)
    assert np.linalg.eigvalsh(B).min() > -1e-13
    assert_mean(B.reshape(-1, d * d), math.sqrt(d) * np.eye(d).ravel())


@pytest.mark.slow
@pytest.mark.parametrize("law", [ginibre, ginibre_product, wigner, gram])
@pytest.mark.parametrize("tied", [1, -1])
def test_tied_values_follow_the_logits_with_the_norm_of_the_identity(law, tied):
    d = 4
    plan = Resampled(Softmax(1.0), d, period=1.0, seed=3, logits=law, tied=tied)
    B, V = jax.vmap(lambda t: (plan.parts(t)[0].K, plan.parts(t)[0].V))(jnp.arange(4000.0))
    assert_mean(np.sum(np.asarray(V) ** 2, axis=(1, 2)), d)
    scale = float(V[0, 0, 0] / B[0, 0, 0])
    assert math.copysign(1, scale) == tied
    np.testing.assert_allclose(V, scale * B, rtol=1e-12)


def test_values_are_independent_of_the_logits():
    plan = Resampled(Softmax(1.0), 3, period=1.0, seed=3, logits=ginibre, values=ginibre)
    B, V = jax.vmap(lambda t: (plan.parts(t)[0].K, plan.parts(t)[0].V))(jnp.arange(4000.0))
    assert_mean(np.asarray(B * V), 0.0)
    assert_mean(np.asarray(V) ** 2, 1.0)


def test_absent_laws_are_the_identity():
    (head,) = Resampled(Softmax(1.0), 3, period=1.0, seed=3, logits=None).parts(0.0)
    assert head.Q is None and head.K is None and head.V is None


@pytest.mark.slow
@pytest.mark.parametrize("period", PERIODS)
def test_resampled_changes_at_its_jumps_and_only_there(period):
    plan = Resampled(Softmax(1.0), 2, period=period, seed=0)
    jumps = plan.jumps(0.0, 50 * period)
    np.testing.assert_allclose(jumps, period * np.arange(1, 50), rtol=1e-15)
    pick = jax.vmap(lambda t: plan.parts(t)[0].K)
    at, after, before = pick(jumps), pick(jumps + 0.9 * period), pick(jumps - 1e-6 * period)
    np.testing.assert_array_equal(at, after)
    np.testing.assert_array_equal(before[1:], at[:-1])
    assert np.all(np.abs(at - before).max(axis=(1, 2)) > 1e-3)


def test_resampled_jumps_from_a_later_start():
    plan = Resampled(Softmax(1.0), 2, period=0.5, seed=0)
    np.testing.assert_array_equal(plan.jumps(0.5, 2.0), [1.0, 1.5])
    np.testing.assert_array_equal(plan.jumps(0.7, 1.1), [1.0])


def test_resampled_is_reproducible_by_seed():
    def matrix(key, t=0.0):
        return np.asarray(Resampled(Softmax(1.0), 3, period=0.5, seed=key).parts(t)[0].K)

    np.testing.assert_array_equal(matrix(5), matrix(5))
    np.testing.assert_array_equal(matrix(5), matrix(jax.random.key(5)))
    assert np.abs(matrix(5) - matrix(6)).max() > 1e-3
    assert np.abs(matrix(5) - matrix(5, 0.5)).max() > 1e-3


def test_resampled_heads_differ():
    heads = Resampled(Softmax(1.0), 3, period=0.5, seed=5, count=3).parts(0.0)
    assert len(heads) == 3
    assert np.abs(np.asarray(heads[0].K - heads[1].K)).max() > 1e-3
    assert np.abs(np.asarray(heads[1].K - heads[2].K)).max() > 1e-3


def test_resampled_logits_are_x_b_y():
    (head,) = Resampled(Softmax(0.5), 3, period=0.5, seed=5).parts(0.0)
    mu = initial.uniform(Sphere(3), 4, seed=0)
    x, B = np.asarray(mu.points), np.asarray(head.K)
    kernel = np.exp(0.5 * np.einsum("ik,kl,jl->ij", x, B, x))
    expected = kernel @ x / kernel.sum(axis=1, keepdims=True)
    np.testing.assert_allclose(head(mu.points, mu), expected, rtol=1e-12)


@pytest.mark.slow
def test_resampled_run_is_reproducible_and_uses_each_draw_for_one_period():
    geometry, tokens = Sphere(4), initial.uniform(Sphere(4), 6, seed=0)

    def end(key, **options):
        plan = Resampled(Softmax(1.0), 4, period=0.3, seed=key, tied=1)
        return np.asarray(solve(Transformer(geometry, plan), tokens, t1=1.2, save="end", **options).final.points)

    np.testing.assert_array_equal(end(1), end(1))
    assert np.abs(end(1) - end(2)).max() > 1e-2
    plan = Resampled(Softmax(1.0), 4, period=0.3, seed=1, tied=1)
    pieces = [plan.parts(0.3 * k + 0.1) for k in range(4)]
    exact = chained(pieces, geometry, tokens, 0.3, rtol=1e-11, atol=1e-12)
    np.testing.assert_allclose(end(1, rtol=1e-10, atol=1e-12), exact, atol=1e-8)
    np.testing.assert_allclose(end(1, method="rk4", step=0.035), exact, atol=1e-4)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"period": 0.0}, "the period must be positive, got 0"),
        ({"period": math.nan}, "the period must be positive"),
        ({"period": math.inf}, "the period must be positive"),
        ({"tied": 2}, r"tied must be \+1 \(V ~ B\), -1 \(V ~ -B\) or 0"),
        ({"tied": 1, "values": ginibre}, "tied values come from the logits' matrix"),
        ({"tied": 1, "logits": None}, "tied values come from the logits' matrix"),
        ({"count": 0}, "number of heads must be at least 1, got 0"),
    ],
)
def test_wrong_resampled(options, message):
    with pytest.raises(InvalidInput, match=message):
        Resampled(Softmax(1.0), 3, **{"period": 1.0, "seed": 0, **options})
