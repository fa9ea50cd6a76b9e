"""`Transformer`: what it refuses, its parts in depth, its velocity and its layer against literal sums, its words."""

from __future__ import annotations

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import pytest

import oracles
from tokenfield import (
    L2,
    Euclidean,
    Hardmax,
    Head,
    InvalidInput,
    Krause,
    Linear,
    Measure,
    MixLN,
    Noise,
    Perceptron,
    PostLN,
    Potential,
    PreLN,
    Sinkhorn,
    Softmax,
    Sphere,
    Transformer,
    Unnormalized,
    Unsupported,
    sums,
)
from tokenfield.model import schedule
from tokenfield.model.matrices import scaled_exponential
from tokenfield.model.position import Causal
from tokenfield.model.summing import choose_sums

RNG = np.random.default_rng(0)
X = RNG.normal(size=(5, 3))
MU = Measure(RNG.normal(size=(4, 3)), RNG.uniform(0.5, 2.0, size=4))
Q, K, V = RNG.normal(size=(2, 3)), RNG.normal(size=(2, 3)), RNG.normal(size=(3, 3))
ON_SPHERE = Measure(X / np.linalg.norm(X, axis=1, keepdims=True), RNG.uniform(0.5, 2.0, size=5))
# weights that jump at t = 1 and t = 2
THREE = [[Head(Softmax(beta)), Perceptron(W=beta * np.eye(3))] for beta in (1.0, 2.0, 3.0)]
LAYERED = Transformer(Sphere(3), schedule.PerLayer(THREE, t1=3.0))


def close(found, expected, rtol=1e-12):
    np.testing.assert_allclose(found, expected, rtol=rtol, atol=rtol)


def points_and_weights(mu: Measure) -> tuple[np.ndarray, np.ndarray]:
    return np.asarray(mu.points), np.asarray(mu.weights)


# --- what it refuses ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("build", "message"),
    [
        (lambda: Transformer(3, Softmax(1.0)), r"geometry must be Sphere\(d\) or Euclidean\(d\), got 3"),
        (lambda: Transformer(Sphere(3), []), "non-empty list of them"),
        (lambda: Transformer(Sphere(3), "softmax"), "expected an attention, a head, a perceptron or a non-empty list"),
        (lambda: Transformer(Sphere(3), [Softmax]), "expected an attention, a head or a perceptron in the list"),
        (lambda: Transformer(Sphere(3), Head(Softmax(1.0)), V=np.eye(3)), "give each Head its own matrices instead"),
        (lambda: Transformer(Sphere(3), LAYERED.schedule, Q=np.eye(3)), "give each Head its own matrices instead"),
        (lambda: Transformer(Sphere(2), LAYERED.schedule), r"W must have shape \(2, 2\)"),
        (lambda: Transformer(Sphere(3), Softmax(1.0), normalization="pre"), r"a normalization must be PostLN\(\)"),
        (
            lambda: Transformer(Sphere(3), Softmax(1.0), noise=4.0),
            r"noise must be Noise\(kappa, seed=\.\.\.\), got",
        ),
    ],
)
def test_wrong_arguments(build, message):
    with pytest.raises(InvalidInput, match=message):
        build()


@pytest.mark.parametrize(
    ("build", "message"),
    [
        (lambda: Transformer(Sphere(3), Perceptron(), position=Causal()), "positions only matter to attention"),
        (lambda: Transformer(Euclidean(3), Softmax(1.0), normalization=PostLN()), r"PostLN moves directions"),
        (
            lambda: Transformer(Sphere(3), Softmax(1.0), normalization=PreLN(), noise=Noise(1.0, seed=0)),
            "with PreLN they slow down as radii grow",
        ),
        (lambda: Transformer(Sphere(3), Linear(1.0), relative=True), "relative=True needs weights with a total"),
    ],
)
def test_combinations_without_sense(build, message):
    with pytest.raises(Unsupported, match=message):
        build()


@pytest.mark.parametrize(
    ("geometry", "parts", "options", "message"),
    [
        (Sphere(3), Softmax(1.0), {}, r"rescaled frame z = e\^\{-tV\} x is for R\^d"),
        (Euclidean(3), [Head(Softmax(1.0), V=V), Head(Softmax(1.0), V=V.T)], {}, "that commute with their sum"),
        (Euclidean(3), [Softmax(1.0), Perceptron(activation="tanh")], {}, "heads alone"),
        (
            Euclidean(3),
            schedule.PerLayer([Head(Softmax(1.0), V=V), Head(Softmax(1.0), V=2 * V)], t1=1.0),
            {},
            "V do not change with depth",
        ),
        (Euclidean(3), schedule.FunctionOfDepth(lambda t: Softmax(t)), {}, "do not change with depth"),
        (Euclidean(3), Unnormalized(1.0), {}, "attention weights that sum to one"),
        (Euclidean(3), Softmax(1.0), {"noise": Noise(1.0, seed=0)}, "has no noise"),
        (Euclidean(3), Softmax(1.0), {"relative": True}, "leave out relative=True"),
    ],
)
def test_rescaled_refusals(geometry, parts, options, message):
    with pytest.raises(Unsupported, match=message):
        Transformer(geometry, parts, rescaled=True, **options)


# --- depth --------------------------------------------------------------------------------------------------------


def test_heads_and_token_wise_parts_are_those_of_the_depth():
    for t, beta in ((0.5, 1.0), (1.0, 2.0), (2.9, 3.0)):
        (head,), (perceptron,) = LAYERED.heads(t), LAYERED.token_wise(t)
        assert float(head.attention.beta) == beta
        np.testing.assert_array_equal(perceptron.W, beta * np.eye(3))


def test_jumps_are_those_of_the_weights_and_of_the_normalization():
    np.testing.assert_allclose(LAYERED.jumps(0.0, 3.0), [1.0, 2.0])
    mixed = Transformer(Sphere(3), LAYERED.schedule, normalization=MixLN(1.5))
    np.testing.assert_allclose(mixed.jumps(0.5, 1.9), [1.0, 1.5])
    assert len(Transformer(Sphere(3), Softmax(1.0)).jumps(0.0, 9.0)) == 0


def test_frozen_is_the_piece_of_its_time_at_all_times():
    mixed = Transformer(Sphere(3), LAYERED.schedule, normalization=MixLN(1.5), average=True)
    frozen = mixed.frozen(1.2)
    assert float(frozen.heads(2.9)[0].attention.beta) == 2.0
    assert frozen.average
    radii = jnp.full(ON_SPHERE.n, 2.0)
    there = mixed.velocity(1.2, ON_SPHERE.points, ON_SPHERE, radii=radii)
    # after t = 1.5 a radius of 2 halves the speed of the model, but not of the piece before
    np.testing.assert_array_equal(frozen.velocity(2.9, ON_SPHERE.points, ON_SPHERE, radii=radii), there)
    assert np.abs(np.asarray(mixed.velocity(2.9, ON_SPHERE.points, ON_SPHERE, radii=radii)) - there).max() > 0.1


def test_only_heads_and_only_the_rest_add_up():
    heads, rest = LAYERED.only(heads=True), LAYERED.only(heads=False)
    assert len(heads.heads(0.5)) == 1 and not heads.token_wise(0.5)
    assert len(rest.token_wise(0.5)) == 1 and not rest.heads(0.5)
    np.testing.assert_allclose(heads.jumps(0.0, 3.0), [1.0, 2.0])
    whole, *parts = (np.asarray(m.velocity(1.5, ON_SPHERE.points, ON_SPHERE)) for m in (LAYERED, heads, rest))
    close(parts[0] + parts[1], whole)
    assert min(np.abs(part).max() for part in parts) > 0.1


def test_a_half_without_parts_stands_still():
    nothing = Transformer(Sphere(3), Softmax(1.0)).only(heads=False)
    np.testing.assert_array_equal(nothing.velocity(0.0, ON_SPHERE.points, ON_SPHERE), np.zeros((5, 3)))


def test_what_can_blow_up():
    def blows_up(geometry, parts):
        return Transformer(geometry, parts).can_blow_up

    assert not blows_up(Euclidean(3), [Softmax(1.0), Perceptron()])
    assert blows_up(Euclidean(3), Unnormalized(1.0))
    assert blows_up(Euclidean(3), [Softmax(1.0), Potential(lambda x: jnp.sum(x**4))])
    assert not blows_up(Sphere(3), Unnormalized(1.0))


def test_radii_are_those_of_the_normalization():
    kinds = {None: False, PostLN(): False, PreLN(): True, MixLN(1.0): True}
    for normalization, expected in kinds.items():
        assert Transformer(Sphere(3), Softmax(1.0), normalization=normalization).has_radius is expected


# --- the velocity -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("kind", "field"), [(Softmax, oracles.sa_field), (Unnormalized, oracles.usa_field)])
def test_velocity_is_the_projected_sum(kind, field):
    heads = [oracles.HeadMatrices(0.7, Q, K, V), oracles.identity_head(2.0, 3)]
    model = Transformer(Sphere(3), [Head(kind(h.beta), Q=h.Q, K=h.K, V=h.V) for h in heads])
    x, w = points_and_weights(ON_SPHERE)
    unprojected = field(x, w, heads)
    close(model.field(0.0, ON_SPHERE.points, ON_SPHERE), unprojected)
    close(model.velocity(0.0, ON_SPHERE.points, ON_SPHERE), oracles.on_sphere(unprojected, x))
    turn, growth = model.motion(0.0, ON_SPHERE.points, ON_SPHERE)
    close(turn, oracles.on_sphere(unprojected, x))
    np.testing.assert_array_equal(growth, np.zeros(5))


def test_heads_are_summed_or_averaged():
    heads = [Head(Softmax(0.7), V=V), Head(Unnormalized(0.2), Q=Q, K=K), Head(Softmax(3.0))]
    x = jnp.asarray(X)
    total = sum(np.asarray(head(x, MU)) for head in heads)
    close(Transformer(Euclidean(3), heads).velocity(0.0, x, MU), total)
    close(Transformer(Euclidean(3), heads, average=True).velocity(0.0, x, MU), total / 3)


def test_matrices_go_with_a_single_attention():
    x = jnp.asarray(X)
    short = Transformer(Euclidean(3), Softmax(0.7), Q=Q, K=K, V=V).velocity(0.0, x, MU)
    long = Transformer(Euclidean(3), [Head(Softmax(0.7), Q=Q, K=K, V=V)]).velocity(0.0, x, MU)
    np.testing.assert_array_equal(short, long)


def test_float32_tokens_stay_float32():
    mu = Measure(np.asarray(MU.points, np.float32))
    model = Transformer(Euclidean(3), Softmax(0.7), Q=Q, K=K, V=V)
    assert model.velocity(0.0, mu.points, mu).dtype == jnp.float32


def test_rows_elsewhere_need_their_positions():
    model = Transformer(Euclidean(3), Softmax(1.0), position=Causal())
    with pytest.raises(InvalidInput, match="give the positions of the rows of x"):
        model.velocity(0.0, jnp.asarray(X), MU)
    # from before all tokens but the first, only the first is seen
    seen = model.velocity(0.0, jnp.asarray(X), MU, positions=jnp.full(5, MU.positions[0]))
    close(seen, np.tile(np.asarray(MU.points)[0], (5, 1)))


def test_rescaled_velocity_is_the_velocity_in_the_moving_frame():
    # z = e^{-tV} x gives z' = e^{-tV} (x' - V x), with the attention of x
    t = 0.8
    grow = np.asarray(jax.scipy.linalg.expm(t * V))
    z = MU.points
    x = Measure(z @ grow.T, MU.weights)
    field = Transformer(Euclidean(3), Softmax(0.3), Q=Q, K=K, V=V).velocity(t, x.points, x)
    expected = (np.asarray(field) - np.asarray(x.points) @ V.T) @ np.linalg.inv(grow).T
    rescaled = Transformer(Euclidean(3), Softmax(0.3), Q=Q, K=K, V=V, rescaled=True)
    np.testing.assert_allclose(rescaled.velocity(t, z, MU), expected, rtol=1e-9, atol=1e-10)


AVERAGES = {
    "l2": (L2(0.4), {}),
    "sinkhorn": (Sinkhorn(0.5), {}),
    "two sweeps": (Sinkhorn(0.5, 2), {}),  # rows do not sum to one
    "hardmax": (Hardmax(), {}),
    "krause": (Krause(0.1), {}),  # sees nobody
    "strict": (Softmax(0.3), {"position": Causal(strict=True)}),  # the first token sees nobody
}


@pytest.mark.parametrize("name", AVERAGES)
def test_rescaled_velocity_of_every_average(name):
    """z' = e^{-tV} (x' - V x) with the attention of x, also where weights do not sum to one."""
    t, (attention, options) = 0.8, AVERAGES[name]
    grow = np.asarray(jax.scipy.linalg.expm(t * V))
    z, x = MU.points, Measure(MU.points @ grow.T, MU.weights)
    field = Transformer(Euclidean(3), attention, Q=Q, K=K, V=V, **options).velocity(t, x.points, x)
    expected = (np.asarray(field) - np.asarray(x.points) @ V.T) @ np.linalg.inv(grow).T
    rescaled = Transformer(Euclidean(3), attention, Q=Q, K=K, V=V, rescaled=True, **options)
    np.testing.assert_allclose(rescaled.velocity(t, z, MU), expected, rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("average", [False, True])
def test_rescaled_velocity_of_several_heads_and_of_layers(average):
    """The moving frame of the summed V, where the V commute; and layers that share V but not Q."""
    t, values = 0.8, [V, np.eye(3) - 0.5 * V + 0.1 * V @ V]
    heads = [Head(Softmax(0.3), Q=Q, K=K, V=values[0]), Head(Softmax(0.7), V=values[1])]
    total = sum(values) / (2 if average else 1)
    layers = schedule.PerLayer([[Head(Softmax(0.3), Q=Q, K=K, V=V)], [Head(Softmax(0.3), Q=K, K=Q, V=V)]], t1=1.0)
    cases = [(heads, total, {"average": average}), (layers, V, {})]
    for parts, growing, options in cases:
        grow = np.asarray(jax.scipy.linalg.expm(t * growing))
        z = MU.points
        x = Measure(z @ grow.T, MU.weights)
        field = Transformer(Euclidean(3), parts, **options).velocity(t, x.points, x)
        expected = (np.asarray(field) - np.asarray(x.points) @ growing.T) @ np.linalg.inv(grow).T
        rescaled = Transformer(Euclidean(3), parts, rescaled=True, **options)
        np.testing.assert_allclose(rescaled.velocity(t, z, MU), expected, rtol=1e-9, atol=1e-10)


def test_the_scaled_exponential_never_overflows():
    E, log_scale = scaled_exponential(jnp.asarray(V), 0.8, 3)
    close(np.exp(float(log_scale)) * np.asarray(E), jax.scipy.linalg.expm(0.8 * V), rtol=1e-10)
    E, log_scale = scaled_exponential(jnp.diag(jnp.asarray([5.0, 1.0])), 1000.0, 2)
    np.testing.assert_allclose(E, [[1.0, 0.0], [0.0, 0.0]], atol=1e-300)
    assert float(log_scale) == pytest.approx(5000.0)
    E, log_scale = scaled_exponential(None, 7.0, 2)
    np.testing.assert_array_equal(E, np.eye(2))
    assert float(log_scale) == 7.0


# --- the layer ----------------------------------------------------------------------------------------------------


def test_a_layer_adds_attention_and_then_the_perceptron():
    model = Transformer(Sphere(3), [Softmax(2.0), Perceptron(W=V, activation="tanh")])
    x, w = points_and_weights(ON_SPHERE)
    middle = oracles.euler_normalise(x, oracles.sa_field(x, w, [oracles.identity_head(2.0, 3)]), 0.3)
    expected = oracles.euler_normalise(middle, np.tanh(middle) @ V.T, 0.3)
    after = model.layer(0.0, ON_SPHERE, step=0.3)
    close(after.points, expected)
    np.testing.assert_array_equal(after.weights, ON_SPHERE.weights)
    assert after.radii is None


def test_a_layer_of_pre_ln_moves_the_stream_itself():
    model = Transformer(Sphere(3), Softmax(2.0), normalization=PreLN())
    radii = np.array([1.0, 2.0, 0.5, 3.0, 1.0])
    mu = ON_SPHERE.at(ON_SPHERE.points, jnp.asarray(radii))
    x, w = points_and_weights(mu)
    stream = radii[:, None] * x + 0.3 * oracles.sa_field(x, w, [oracles.identity_head(2.0, 3)])
    after = model.layer(0.0, mu, step=0.3)
    close(after.radii, np.linalg.norm(stream, axis=1))
    close(after.radii[:, None] * after.points, stream)


def test_a_kick_comes_before_the_layer():
    model = Transformer(Sphere(3), Softmax(2.0))
    kick = jnp.asarray([[0.3, -0.2, 0.5]])
    moved = ON_SPHERE.at(Sphere(3).exp(ON_SPHERE.points, Sphere(3).project(ON_SPHERE.points, kick)))
    kicked = model.layer(0.0, ON_SPHERE, step=0.1, kick=kick).points
    np.testing.assert_array_equal(kicked, model.layer(0.0, moved, step=0.1).points)
    assert np.abs(np.asarray(kicked - model.layer(0.0, ON_SPHERE, step=0.1).points)).max() > 0.05


# --- matrices and sums --------------------------------------------------------------------------------------------


def test_attention_matrices_of_each_head():
    heads = [oracles.HeadMatrices(0.7, Q, K, V), oracles.identity_head(2.0, 3)]
    model = Transformer(Sphere(3), [Head(L2(h.beta), Q=h.Q, K=h.K, V=h.V) for h in heads])
    x, w = points_and_weights(ON_SPHERE)
    found = model.attention_matrices(0.0, ON_SPHERE)
    assert found.shape == (2, 5, 5)
    for matrix, head in zip(found, heads, strict=True):
        close(matrix, oracles.l2_weights(x @ head.Q.T, x @ head.K.T, w, head.beta))
        close(np.asarray(matrix).sum(axis=1), np.ones(5))


def test_with_sums_changes_the_sums_alone(monkeypatch):
    model = Transformer(
        Sphere(2), [Softmax(2.0), Perceptron()], normalization=PostLN(), noise=Noise(9.0, seed=0), average=True
    )
    many = Measure(Sphere(2).uniform_points(2000, seed=0))
    chosen = choose_sums(model, many)
    assert chosen[0].expansion is not None
    settled = model.with_sums(chosen)
    assert settled.sums == chosen and model.sums is None
    assert settled.with_sums(None).sums is None
    assert repr(settled) == repr(model)
    called = []
    fast = sums.attend_on_sphere
    monkeypatch.setattr(sums, "attend_on_sphere", lambda *args, **kw: called.append(1) or fast(*args, **kw))
    few = Measure(many.points[:9])  # by itself, a model sums directly over so few
    velocity = eqx.filter_jit(lambda model: model.velocity(0.0, few.points, few))
    direct = velocity(model)
    assert not called
    np.testing.assert_allclose(velocity(settled), direct, rtol=0, atol=1e-9)
    assert called


# --- words --------------------------------------------------------------------------------------------------------

WORDS = {
    "Transformer(Sphere(3), Softmax(beta=9))": Transformer(Sphere(3), Softmax(9.0)),
    "Transformer(Euclidean(3), Head(Softmax(beta=1), V=3x3 matrix), rescaled=True)": Transformer(
        Euclidean(3), Softmax(1.0), V=V, rescaled=True
    ),
    "Transformer(Sphere(3), [Hardmax(), Perceptron(activation='tanh')], position=Causal(), average=True, "
    "relative=True)": Transformer(
        Sphere(3), [Hardmax(), Perceptron(activation="tanh")], position=Causal(), average=True, relative=True
    ),
    "Transformer(Sphere(3), PerLayer(2 layers up to t = 5, each like Softmax(beta=...)))": Transformer(
        Sphere(3), schedule.PerLayer([Softmax(1.0), Softmax(2.0)], t1=5.0)
    ),
    "Transformer(Sphere(3), Softmax(beta=1), normalization=PostLN(), noise=Noise(kappa=4))": Transformer(
        Sphere(3), Softmax(1.0), normalization=PostLN(), noise=Noise(4.0, seed=0)
    ),
}


@pytest.mark.parametrize("words", WORDS)
def test_repr_is_what_a_user_would_write(words):
    assert repr(WORDS[words]) == words
