"""`tkf.predict`: each registered prediction applies where it should, with the numbers of its formula, and nowhere else.

Parametrized over the registry: a new prediction without a case of its own fails here.
"""

from __future__ import annotations

import json
from functools import lru_cache

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import tokenfield as tkf
from tokenfield import theory
from tokenfield.geometry import on_circle
from tokenfield.theory.conditions import needs
from tokenfield.theory.registry import TOPICS
from tokenfield.theory.setting import Setting

ADAPTERS = {name: adapter for names in TOPICS.values() for name, adapter in names.items()}
ALWAYS_REFUSED = sorted(
    name for name, adapter in ADAPTERS.items() if adapter.__qualname__ == needs("", "").__qualname__
)
REGISTERED = sorted(set(ADAPTERS) - set(ALWAYS_REFUSED))

CIRCLE, S2, LINE, PLANE = tkf.Sphere(2), tkf.Sphere(3), tkf.Euclidean(1), tkf.Euclidean(2)
I2, I3 = np.eye(2), np.eye(3)
MATRIX = np.array([[0.5, 0.2], [-0.1, -0.4]])


# --- models and starts ----------------------------------------------------------------------------------------------


def softmax(beta, geometry=CIRCLE, **more):
    return {"geometry": geometry, "parts": tkf.Softmax(beta), **more}


def unnormalized(beta, geometry=CIRCLE, **more):
    return {"geometry": geometry, "parts": tkf.Unnormalized(beta), **more}


def noisy(beta, kappa):
    return unnormalized(beta, noise=tkf.Noise(kappa, seed=0))


def white(beta, d, **more):
    schedule = tkf.schedule
    options = {"logits": None, "values": schedule.ginibre, "white": True, "period": 0.01, "seed": 0} | more
    return {"geometry": tkf.Sphere(d), "parts": schedule.Resampled(tkf.Softmax(beta), d, **options)}


def build(given):
    given = dict(given)
    return tkf.Transformer(given.pop("geometry"), given.pop("parts"), **given)


@lru_cache
def uniform(n=4000):
    return tkf.initial.uniform(CIRCLE, n, seed=1)


def angles(mu):
    return np.arctan2(mu.points[:, 1], mu.points[:, 0])


def pair(cosine, masses=(1.0, 1.0)):
    return tkf.Measure([[1.0, 0.0], [cosine, np.sqrt(1 - cosine**2)]], masses, geometry=CIRCLE)


def near_one_point(n=16, size=0.02):
    return tkf.Measure(on_circle(size * np.sin(np.arange(n))), geometry=CIRCLE)


def polygon(n):
    return tkf.Measure(on_circle(2 * np.pi * np.arange(n) / n), geometry=CIRCLE)


FRAME = tkf.initial.frame(S2)
LONG_FRAME = tkf.Measure(np.eye(3), radii=[1.5, 1.5, 1.5], geometry=S2)
ROUND = tkf.Gaussian([0.5, -1.0], [[2.0, 0.3], [0.3, 1.0]])
CENTERED = tkf.Gaussian([0.0, 0.0], [[2.0, 0.3], [0.3, 1.0]])
NORMAL = tkf.Gaussian([0.3], [[2.0]])
BOX = tkf.initial.box(PLANE, 9, seed=0)
S0 = np.asarray(ROUND.covariance)
RING = {"position": tkf.RoPE([2 * np.pi / 16])}
SMOOTH = tkf.Density.perturbed_uniform(tkf.laws.Fourier(64), degree=3, amplitude=0.01)
BUMP = tkf.Density.vmf_mixture(tkf.laws.Fourier(64), means=[[1.0, 0.0]], concentrations=4.0)
POLE = tkf.Density.vmf_mixture(tkf.laws.Zonal(5, 32), means=[[1.0, 0, 0, 0, 0]], concentrations=4.0)
REPELLED = {"Q": [[1.0, 1.0]], "K": [[-1.0, -1.0]]}
CONTRACTING, EXPANDING = tkf.Head(tkf.Softmax(2.0), K=[[-1.0]]), tkf.Perceptron([[0.5]], activation="identity")
GROWING = {"geometry": LINE, "parts": [CONTRACTING, EXPANDING]}
ALIGNED = np.diag([2.0, 1.0])


# name -> (model, start, what a direct call of the formula gives)
ON_S2 = tkf.initial.uniform(S2, 3000, seed=0)

APPLIES = {
    "growth_rates": (softmax(5.0), uniform(), lambda: theory.growth_rates(5.0, 2, count=8)),
    "k_max": (unnormalized(5.0), SMOOTH, lambda: theory.k_max(5.0, 2)),
    "thresholds": (softmax(5.0), None, lambda: theory.thresholds(2)),
    "k_max_window": (softmax(5.0), uniform(), lambda: theory.k_max_window(5.0, 2)),
    "exit_time": (softmax(5.0), uniform(), lambda: theory.exit_time(5.0, 2, 4000)),
    "cluster_angles": (
        softmax(5.0),
        uniform(),
        lambda: theory.cluster_angles(np.arctan2(*uniform().points.T[::-1]), 3),
    ),
    "first_clusters": (softmax(3.0, S2), ON_S2, lambda: theory.first_clusters(ON_S2.points, 3.0)),
    "decay_rates": (softmax(5.0, V=-I2), uniform(), lambda: theory.decay_rates(5.0, 2, count=8)),
    "heat_rates": (softmax(50.0, V=-I2), uniform(), lambda: theory.heat_rates(50.0, 2, count=2)),
    "alignment_rate": (softmax(30.0, V=ALIGNED), uniform(), lambda: theory.alignment_rate(I2, I2, ALIGNED)),
    "equiangular_time": (softmax(1.0, S2), FRAME, lambda: theory.equiangular_time(1.0, 3)),
    "equiangular_curve": (
        softmax(1.0, S2),
        FRAME,
        lambda: theory.equiangular_curve(np.linspace(0, float(theory.equiangular_time(1.0, 3)), 9), 1.0, 3),
    ),
    "initial_speed": (
        softmax(1.0, S2, normalization=tkf.PreLN()),
        LONG_FRAME,
        lambda: theory.initial_speed(1.0, 3, scheme="pre-ln", radius=1.5),
    ),
    "consensus_rate": (
        unnormalized(1.0),
        near_one_point(),
        lambda: theory.consensus_rate(1.0, attention="unnormalized"),
    ),
    "wasserstein_rate": (unnormalized(0.0, tkf.Sphere(5)), POLE, lambda: theory.wasserstein_rate(0.0)),
    "cone_collapse_rate": (
        softmax(1.0, Q=0.5 * I2, K=MATRIX),
        near_one_point(),
        lambda: theory.cone_collapse_rate(1.0, 16),
    ),
    "synchronization_threshold": (unnormalized(-0.5), polygon(3), lambda: theory.synchronization_threshold()),
    "critical_angle": (softmax(5.0), uniform(), lambda: theory.critical_angle(5.0)),
    "merge_time": (softmax(5.0), pair(0.3, (1.0, 3.0)), lambda: theory.merge_time(5.0, cosine=0.3, masses=(1, 3))),
    "merge_time_asymptotic": (softmax(20.0), pair(0.0), lambda: theory.merge_time_asymptotic(20.0)),
    "plateau": (softmax(20.0), pair(0.0, (1.0, 3.0)), lambda: theory.plateau([1, 3])),
    "escape_slope": (softmax(20.0), polygon(3), lambda: theory.escape_slope(-0.5)),
    "noise_thresholds": (unnormalized(4.0), uniform(), lambda: theory.noise_thresholds(4.0, 2)),
    "critical_beta": (noisy(4.0, 1.0), uniform(), lambda: theory.critical_beta(2)),
    "continuous_threshold": (noisy(4.0, 1.0), BUMP, lambda: theory.continuous_threshold(4.0, 2)),
    "global_transition": (noisy(4.0, 1.0), BUMP, lambda: theory.global_transition(4.0, 2)),
    "hysteresis_window": (noisy(4.0, 1.0), BUMP, lambda: theory.hysteresis_window(4.0, 2)),
    "initial_curvature": (noisy(4.0, 1.0), BUMP, lambda: theory.initial_curvature(4.0, 2)),
    "growing_degrees": (noisy(4.0, 1.0), uniform(), lambda: theory.growing_degrees(4.0, 2, 1.0)),
    "noisy_growth_rates": (
        softmax(4.0, noise=tkf.Noise(9.0, seed=0)),
        uniform(),
        lambda: theory.noisy_growth_rates(4.0, 2, 9.0, count=8, attention="softmax"),
    ),
    "stationary_order": (noisy(4.0, 1.0), BUMP, lambda: theory.stationary_order(1.0, 4.0, 2)),
    "strong_renyi_count": (softmax(64.0, position=tkf.Causal()), uniform(), lambda: theory.strong_renyi_count(0.5, 2)),
    "renyi_count_circle": (softmax(64.0, position=tkf.Causal()), uniform(), lambda: theory.renyi_count_circle(0.5)),
    "ring_rate": (softmax(4.0, **RING), near_one_point(), lambda: theory.ring_rate(4.0, 16)),
    "context_cosine": (softmax(2.0, S2), FRAME, lambda: theory.context_cosine(0.0, 2.0 / np.log(3), 3)),
    "critical_gain": (softmax(2.0, S2), FRAME, lambda: theory.critical_gain(0.0)),
    "antipodal_threshold": (white(2.0, 8), None, lambda: theory.antipodal_threshold(8)),
    "antipodal_probability": (
        white(2.0, 3),
        tkf.Measure([[1.0, 0, 0], [0.6, 0.8, 0]], geometry=S2),
        lambda: theory.antipodal_probability(2.0, 3, cosine=0.6),
    ),
    "stability_rate": (softmax(2.0), BUMP, lambda: theory.stability_rate(2.0)),
    "sampling_rate": (softmax(2.0, S2), None, lambda: theory.sampling_rate(3)),
    "support_radius": (
        {"geometry": PLANE, "parts": tkf.L2(1.0), "V": MATRIX},
        BOX,
        lambda: theory.support_radius(1.0, MATRIX, radius=float(np.linalg.norm(np.asarray(BOX.points), axis=1).max())),
    ),
    "gaussian_covariance": (
        softmax(0.1, PLANE, Q=MATRIX),
        ROUND,
        lambda: theory.gaussian_covariance(S0, 0.1 * MATRIX, 1.0),
    ),
    "gaussian_blow_up_time": (
        {"geometry": PLANE, "parts": tkf.Linear(0.7), "Q": MATRIX},
        CENTERED,
        lambda: theory.gaussian_blow_up_time(S0, 0.7 * MATRIX),
    ),
    "gaussian_limit": (softmax(0.3, PLANE, **REPELLED), ROUND, lambda: theory.gaussian_limit(S0, [[1.0, 1.0]])),
    "gaussian_limit_rank": (
        {"geometry": PLANE, "parts": tkf.L2(0.3), **REPELLED},
        ROUND,
        lambda: theory.gaussian_limit_rank(S0, [[1.0, 1.0]]),
    ),
    "gaussian_variance": (
        {"geometry": LINE, "parts": tkf.L2(4.0), "Q": [[0.5]], "K": [[0.25]], "V": [[-1.0]]},
        NORMAL,
        lambda: theory.gaussian_variance(1.0, s0=2.0, a=0.5, v=-1.0, k=0.5, attention="l2"),
    ),
    "sinkhorn_coefficient": (
        {"geometry": LINE, "parts": tkf.Sinkhorn(0.5, kernel="l2"), "Q": [[3.0]]},
        NORMAL,
        lambda: theory.sinkhorn_coefficient(3.0, 2.0),
    ),
    "feed_forward_variance": (GROWING, NORMAL, lambda: theory.feed_forward_variance(1.0, s0=2.0, a=2.0, w=0.5)),
    "feed_forward_fixed_point": (GROWING, None, lambda: theory.feed_forward_fixed_point(a=2.0, w=0.5)),
    "l2_growth_bound": (
        {"geometry": PLANE, "parts": tkf.L2(4.0), "Q": MATRIX},
        CENTERED,
        lambda: theory.l2_growth_bound(2 * MATRIX, 2 * I2, I2),
    ),
}

# name -> (model, start, words of the reason): one number, matrix or token away from where it applies
REFUSED = {
    "growth_rates": (softmax(5.0), uniform(40), "not near the uniform law"),
    "k_max": (softmax(-1.0), None, "beta must be a finite number >= 0"),
    "thresholds": (softmax(5.0), BUMP, "its part of degree"),
    "k_max_window": (softmax(1e6), None, "beta up to 100000"),
    "exit_time": (softmax(5.0), polygon(4000), "independent uniform tokens: those of the start have n P_1"),
    "cluster_angles": (
        softmax(5.0),
        tkf.Density.perturbed_uniform(tkf.laws.Fourier(64), degree=2, amplitude=0.01),
        "nothing in the mode k_max = 3",
    ),
    "first_clusters": (softmax(5.0), uniform(), "about the sphere S^2, d = 3"),
    "decay_rates": (softmax(5.0), uniform(), "needs V = -I"),
    "heat_rates": (softmax(2.0), uniform(), "needs a large beta: at least 10"),
    "alignment_rate": (softmax(30.0), uniform(), "nothing to align to"),
    "equiangular_time": (softmax(1.0), pair(0.3), "orthogonal, or nearly so"),
    "equiangular_curve": (
        softmax(1.0, S2),
        tkf.Measure([[1, 0, 0], [0, 1, 0], [0, 0.6, 0.8]], geometry=S2),
        "range from 0 to 0.6",
    ),
    "initial_speed": (
        softmax(1.0, S2, normalization=tkf.PreLN()),
        tkf.Measure(np.eye(3), radii=[1.0, 1.0, 2.0], geometry=S2),
        "the radii of the start differ",
    ),
    "consensus_rate": (softmax(1.0), uniform(), "those of the start lie in none"),
    "wasserstein_rate": (unnormalized(0.0), BUMP, "only at beta = 0, with a mean and d >= 4"),
    "cone_collapse_rate": (softmax(1.0, Q=2 * I2), near_one_point(), "|Q^T K| <= 1"),
    "common_hemisphere": (softmax(1.0), near_one_point(), "known and do share a hemisphere"),
    "synchronization_threshold": (unnormalized(1.0, S2), None, "the circle, d = 2"),
    "critical_angle": (softmax(5.0, S2), FRAME, "great circle"),
    "merge_time": (softmax(5.0), polygon(3), "the start has 3 places"),
    "merge_time_asymptotic": (softmax(5.0), pair(0.0), "beta (1 - rho) >= 10"),
    "plateau": (softmax(5.0), pair(0.0), "separated clusters"),
    "escape_slope": (unnormalized(20.0), pair(0.0), "softmax attention, this model has unnormalized"),
    "noise_thresholds": (softmax(4.0), uniform(), "unnormalized attention, this model has softmax"),
    "critical_beta": (noisy(4.0, 1.0), uniform(40), "limit of many tokens (100 at least)"),
    "continuous_threshold": (noisy(-4.0, 1.0), BUMP, "beta must be a finite number >= 0"),
    "global_transition": (noisy(100.0, 1.0), BUMP, "takes long at this beta"),
    "hysteresis_window": (unnormalized(100.0), None, "call theory.hysteresis_window(beta, d)"),
    "initial_curvature": (softmax(4.0), BUMP, "unnormalized attention"),
    "growing_degrees": (unnormalized(4.0), uniform(), "this model has no noise"),
    "noisy_growth_rates": (noisy(4.0, 1.0), BUMP, "not near the uniform law"),
    "stationary_order": (
        unnormalized(4.0, noise=tkf.Noise(1.0, seed=0, common=True)),
        BUMP,
        "does not cover noise common to all tokens",
    ),
    "strong_renyi_count": (softmax(64.0, position=tkf.Causal()), uniform(30), "that is 40 tokens or more"),
    "renyi_count_circle": (softmax(64.0), uniform(), "a causal mask, this model has none"),
    "ring_rate": (softmax(4.0, **RING), near_one_point(15), "it is about 16 tokens"),
    "context_cosine": (softmax(2.0, S2), tkf.initial.simplex(S2, 3), "that of the start is -0.5"),
    "critical_gain": (softmax(2.0, S2), None, "give a start"),
    "antipodal_threshold": (white(2.0, 8, period=0.2), None, "a period of 0.0143 at most"),
    "antipodal_probability": (white(2.0, 3), FRAME, "two tokens, the start has 3"),
    "stability_rate": (softmax(2.0, Q=2 * I2), BUMP, "needs Q = K = I"),
    "sampling_rate": (softmax(2.0), uniform(), "give that density as start"),
    "support_radius": (softmax(1.0, PLANE), ROUND, "it needs tokens as start"),
    "gaussian_covariance": (softmax(0.1, PLANE, V=MATRIX), ROUND, "needs V = I"),
    "gaussian_blow_up_time": ({"geometry": PLANE, "parts": tkf.Linear(0.7)}, ROUND, "it needs mean zero"),
    "gaussian_limit": (softmax(0.3, PLANE), ROUND, "it needs K = -Q"),
    "gaussian_limit_rank": (softmax(0.3, PLANE, **REPELLED), None, "a Gaussian as start"),
    "gaussian_variance": (softmax(0.3, PLANE), ROUND, "R^1, d = 1"),
    "sinkhorn_coefficient": ({"geometry": LINE, "parts": tkf.Sinkhorn(0.5, 3)}, NORMAL, "Sinkhorn sweeps"),
    "feed_forward_variance": (
        {"geometry": LINE, "parts": [tkf.Softmax(2.0), EXPANDING]},
        NORMAL,
        "attention that contracts",
    ),
    "feed_forward_fixed_point": (
        {"geometry": LINE, "parts": [CONTRACTING, tkf.Perceptron([[0.5]])]},
        None,
        "a perceptron w x",
    ),
    "l2_growth_bound": (
        {"geometry": PLANE, "parts": tkf.L2(4.0), "Q": [[1.0, 0.0]], "K": [[1.0, 0.0]]},
        CENTERED,
        "an injective K",
    ),
}
# what only a number of tokens without a start makes applicable: see test_a_setting_without_a_start
OF_SETTINGS = {"common_hemisphere"}


def predict_one(name, given, start):
    """The prediction and no reason, or none and the reason; the other predictions are not computed."""
    from tokenfield.theory.predict import DoesNotApply
    from tokenfield.theory.reading import read

    try:
        return ADAPTERS[name](read(build(given), start)), None
    except (DoesNotApply, tkf.InvalidInput) as error:
        return None, str(error)


def test_every_prediction_of_theory_is_registered():
    functions = {name for name in theory.__all__ if callable(getattr(theory, name))} - {
        "Branch",
        "FirstClusters",
        "Prediction",
    }
    assert set(ADAPTERS) == functions
    assert sum(len(names) for names in TOPICS.values()) == len(ADAPTERS)


@pytest.mark.parametrize("name", sorted(set(REGISTERED) - OF_SETTINGS))
def test_it_applies_and_is_what_the_formula_gives(name):
    given, start, direct = APPLIES[name]
    found, reason = predict_one(name, given, start)
    assert reason is None, reason
    expected = direct()
    np.testing.assert_allclose(found.value, expected.value, rtol=1e-9, atol=1e-9)
    assert found.assumptions == expected.assumptions and found.source == expected.source
    assert found.statement.startswith(expected.statement[:20])


@pytest.mark.parametrize("name", REGISTERED)
def test_it_is_refused_with_the_reason(name):
    found, reason = predict_one(name, *REFUSED[name][:2])
    assert found is None
    assert REFUSED[name][2] in reason and "\n" not in reason


@pytest.mark.parametrize("name", ALWAYS_REFUSED)
def test_what_needs_more_numbers_says_which_and_whom_to_call(name):
    """The call that the reason names must be right: its arguments are those of the function."""
    import inspect

    found, reason = predict_one(name, softmax(5.0), uniform())
    assert found is None and f"call theory.{name}(" in reason
    call = reason.split(f"theory.{name}(")[1].rstrip(")")
    named = [argument.split("=")[0].strip() for argument in call.split(",")]
    assert set(named) <= set(inspect.signature(getattr(theory, name)).parameters), named


# --- nothing is offered wrongly -------------------------------------------------------------------------------------


def replaced(given, **more):
    return given | more


def second_head(given):
    attention = given["parts"]
    if not isinstance(attention, tkf.Attention):
        pytest.skip("this case has its own parts")
    matrices = {name: given[name] for name in ("Q", "K", "V") if name in given}
    rest = {name: value for name, value in given.items() if name not in ("Q", "K", "V", "parts")}
    return rest | {"parts": [tkf.Head(attention, **matrices), tkf.Head(attention, **matrices)]}


def with_part(part):
    def change(given):
        two = second_head(given)
        return two | {"parts": [two["parts"][0], part]}

    return change


def in_depth(given):
    two = second_head(given)
    return two | {"parts": tkf.schedule.PerLayer([two["parts"][0]] * 2, t1=1.0)}


def other_matrix(name, factor):
    def change(given):
        if not isinstance(given["parts"], tkf.Attention):
            pytest.skip("this case has its own parts")
        d = given["geometry"].d
        old = np.asarray(given.get(name, np.eye(d)), float)
        return given | {name: factor * old}

    return change


def add_position(kind):
    def change(given):
        old = given.get("position", ())
        old = (old,) if isinstance(old, tkf.position.Position) else tuple(old)
        if any(type(kind) is type(other) for other in old):
            pytest.skip("this case has it already")
        return given | {"position": [*old, kind]}

    return change


class Sharpened(tkf.Softmax):
    """A kind that is derived from softmax attention, but is not it."""


def derived_attention(given):
    if not isinstance(given["parts"], (tkf.Softmax, tkf.Unnormalized)):
        pytest.skip("another kind of attention")
    return given | {"parts": Sharpened(given["parts"].beta)}


CHANGES = {
    "two heads": second_head,
    "a perceptron": with_part(tkf.Perceptron()),
    "a potential": with_part(tkf.Potential(lambda x: jnp.sum(x**4))),
    "weights in depth": in_depth,
    "a causal mask": add_position(tkf.Causal()),
    "a strict mask": add_position(tkf.Causal(strict=True)),
    "a window": add_position(tkf.Window(3.0)),
    "alibi": add_position(tkf.ALiBi(0.1)),
    "noise": lambda given: replaced(given, noise=tkf.Noise(3.0, seed=0)),
    "common noise": lambda given: replaced(given, noise=tkf.Noise(3.0, seed=0, common=True)),
    "relative": lambda given: replaced(given, relative=True),
    "a gain": lambda given: replaced(given, normalization=tkf.PostLN(gain=1.0 + np.arange(given["geometry"].d))),
    "pre-ln": lambda given: replaced(given, normalization=tkf.PreLN()),
    "ngpt": lambda given: replaced(given, normalization=tkf.NGPT(2.0)),
    "other V": other_matrix("V", 1.5),
    "other Q": other_matrix("Q", 1.5),
    "derived attention": derived_attention,
    "sigmoid": lambda given: (
        replaced(given, parts=tkf.Sigmoid(1.0))
        if isinstance(given["parts"], tkf.Attention)
        else pytest.skip("this case has its own parts")
    ),
}
NOISY = {"critical_beta", "continuous_threshold", "global_transition", "hysteresis_window", "initial_curvature"}
SCHEMES = {"equiangular_time", "equiangular_curve", "initial_speed"}
# where a change is part of what the prediction is about: it follows the change, or does not depend on it
ALLOWED = {
    "noise": NOISY | {"noise_thresholds", "growing_degrees", "noisy_growth_rates", "stationary_order"},
    "pre-ln": SCHEMES,
    "ngpt": SCHEMES,
    "other V": {"alignment_rate", "support_radius", "gaussian_variance", "sinkhorn_coefficient", "l2_growth_bound"},
    "other Q": {
        "alignment_rate",
        "cone_collapse_rate",
        "support_radius",
        "gaussian_covariance",
        "gaussian_blow_up_time",
        "gaussian_variance",
        "sinkhorn_coefficient",
        "l2_growth_bound",
    },
}


@pytest.mark.parametrize("change", CHANGES)
@pytest.mark.parametrize("name", sorted(set(REGISTERED) - OF_SETTINGS))
def test_a_theorem_is_not_offered_for_another_model(name, change):
    """From the case in which it applies, any change of the model that it does not cover makes it refuse."""
    given, start, _ = APPLIES[name]
    changed = CHANGES[change](given)
    try:
        build(changed)
    except (tkf.Unsupported, tkf.InvalidInput):
        pytest.skip("such a model does not exist")
    found, reason = predict_one(name, changed, start)
    if name in ALLOWED.get(change, ()):
        assert found is not None, reason
    else:
        assert found is None, f"{name} was offered for {change}"


def test_starts_are_checked():
    """Tolerances: what is one step beyond them is refused, what is within is not."""

    def applies(name, given, start):
        return predict_one(name, given, start)[0] is not None

    heavy = tkf.Measure(np.eye(3), [1.0, 1.0, 1.001], geometry=S2)
    assert not applies("equiangular_time", softmax(1.0, S2), heavy)
    assert applies("consensus_rate", softmax(1.0, S2), heavy)  # weights do not matter there
    # a point moved by 1e-4 changes a cosine by as much; by 1e-7 it is rounding
    for size, is_frame in ((1e-4, False), (1e-8, True)):
        moved = np.eye(3)
        moved[0, 1] = size
        start = tkf.Measure(moved / np.linalg.norm(moved, axis=1, keepdims=True), geometry=S2)
        assert applies("initial_speed", softmax(1.0, S2), start) == is_frame
    # modes: a seed of amplitude 0.1 in degree 2 overtakes the fastest degree 3 of chance
    seeded = tkf.initial.perturbed_uniform(CIRCLE, 4000, degree=2, amplitude=0.1)
    assert applies("growth_rates", softmax(5.0), seeded) and not applies("exit_time", softmax(5.0), seeded)
    assert applies("cluster_angles", softmax(5.0), uniform())
    # a hemisphere that the mean direction does not show: tokens crowd at its edge
    edge = tkf.Measure(on_circle(np.array([0.0] * 50 + [3.1] * 2)), geometry=CIRCLE)
    assert applies("consensus_rate", softmax(1.0), edge) and not applies("consensus_rate", softmax(1.0), polygon(3))
    crowd = np.zeros(3001)
    crowd[[1, 4]], crowd[7] = 3.1, 2.0  # among those that a first look leaves out
    wide = tkf.Measure(on_circle(crowd), geometry=CIRCLE)
    assert applies("consensus_rate", softmax(1.0), wide)
    crowd[10] = -2.0
    wider = tkf.Measure(on_circle(crowd), geometry=CIRCLE)
    assert not applies("consensus_rate", softmax(1.0), wider)
    # equal tokens are one cluster with their mass
    three = tkf.Measure([[1.0, 0.0], [1.0, 0.0], [0.0, 1.0]], geometry=CIRCLE)
    found, _ = predict_one("merge_time", softmax(5.0), three)
    assert float(found) == pytest.approx(float(theory.merge_time(5.0, masses=(2, 1))))


@pytest.mark.slow
def test_random_tokens_in_high_dimension_are_nearly_equiangular():
    """The reason for the tolerance: within it, the measured time is within 10 % of the predicted one."""
    beta, sphere = 3.0, tkf.Sphere(512)
    model, start = tkf.Transformer(sphere, tkf.Softmax(beta)), tkf.initial.uniform(sphere, 8, seed=0)
    found = tkf.predict(model, start)
    assert found["equiangular_time"].status == "asymptotic" and "initial_speed" in found.refused
    ts = np.linspace(0, 1.5 * float(found["equiangular_time"]), 61)
    run = tkf.solve(model, start, t1=float(ts[-1]), save=list(ts), rtol=1e-6)
    x = np.asarray(run.saved_points)
    cosines = (np.sum(x.sum(axis=1) ** 2, axis=1) - 8) / 56
    reached = np.interp(0.999, cosines, ts)
    assert reached == pytest.approx(float(found["equiangular_time"]), rel=0.1)
    low = tkf.Sphere(16)
    few = tkf.predict(tkf.Transformer(low, tkf.Softmax(beta)), tkf.initial.uniform(low, 8, seed=0))
    assert "equiangular_time" in few.refused


# --- the object -----------------------------------------------------------------------------------------------------


def test_predictions_are_a_mapping_with_reasons():
    found = tkf.predict(build(softmax(1.0, S2)), FRAME)
    assert set(found) == set(found.applicable) and set(found) | set(found.refused) == set(ADAPTERS)
    assert not set(found) & set(found.refused) and len(found) == len(found.applicable)
    assert isinstance(found["equiangular_time"], theory.Prediction) and "growth_rates" not in found
    with pytest.raises(KeyError, match="growth_rates does not apply: the start is not near the uniform law"):
        found["growth_rates"]
    assert found.get("growth_rates") is None
    for name, reason in found.refused.items():
        assert len(reason) > 15 and "\n" not in reason, name
    topics = found.topics()
    assert [name for named in topics.values() for name in named] == list(found)


def test_predictions_read_well():
    found = tkf.predict(build(softmax(5.0)), uniform())
    lines = repr(found).splitlines()
    assert lines[0] == f"Predictions for S^1, softmax attention, beta = 5, n = 4000: {len(found)} apply, " + (
        f"{len(found.refused)} do not"
    )
    assert max(map(len, lines)) <= 110
    assert any(line.split()[:2] == ["k_max", "3:"] for line in lines)
    page = found._repr_html_()
    assert "<td>k_max</td><td>3</td>" in page and "do not apply" in page
    assert "W1(mu_t, nu_t) &lt;= e^(L t)" in page  # escaped
    plain = json.loads(json.dumps(found.to_dict(), allow_nan=False))
    assert {entry["name"] for entry in plain["predictions"]} == set(found) and plain["refused"] == found.refused


def test_a_prediction_reads_well():
    found = theory.merge_time(1e4)
    assert found.shown == "10^4338.64" and repr(found).splitlines()[0].startswith("10^4338.64: clusters of masses")
    assert "assuming Q = K = V = I; softmax attention" in repr(found)
    assert "&lt;" in theory.noise_thresholds(1.0, 2)._repr_html_() or "<b>" in found._repr_html_()
    assert theory.growth_rates(5.0, 2).shown.endswith("… (12 in all)")
    assert theory.gaussian_limit(np.eye(2), [[1.0, 0.0]]).shown == "[[0.0, 0.0], [0.0, 1.0]]"
    assert theory.gaussian_covariance(np.eye(4), -np.eye(4), 1.0).shown == "array of shape (4, 4)"
    assert theory.stationary_branch(5.0).shown.startswith("Branch of degree 1, beta = 5, d = 2: ")
    assert str(theory.k_max(5.0, 2)).startswith("3 (the fastest growing degree")


def test_a_setting_without_a_start():
    """A number of tokens alone, as the command line knows it: assumptions on the start are not checked, but listed."""
    found = tkf.theory.predict.predict_setting(Setting(16, 2.0, n=32))
    assert float(found["common_hemisphere"]) == pytest.approx(0.5)
    assert any("32 tokens cannot be orthogonal in R^16" in words for words in found["equiangular_time"].assumptions)
    assert "initial_speed" in found.refused and "growth_rates" in found and "exit_time" in found
    assert "initial_speed" in tkf.theory.predict.predict_setting(Setting(32, 2.0, n=32))


def test_predict_refuses_what_does_not_fit():
    model = build(softmax(1.0))
    for start, words in (
        (FRAME, "dimension 3, the model d = 2"),
        (np.eye(2), "a Measure, a Density or a Gaussian"),
        (ROUND, "the model on the sphere"),
        (tkf.Measure(2 * np.eye(2)), "off the sphere"),
    ):
        with pytest.raises(tkf.InvalidInput, match=words):
            tkf.predict(model, start)
    with pytest.raises(tkf.InvalidInput, match="for a Transformer"):
        tkf.predict("softmax")
    with pytest.raises(tkf.InvalidInput, match="a density lives on the sphere"):
        tkf.predict(build(softmax(1.0, PLANE)), BUMP)
    with pytest.raises(tkf.InvalidInput, match="call predict outside"):
        jax.jit(lambda beta: tkf.predict(build(softmax(beta))) and beta)(1.0)


def test_float32_starts_do_as_well():
    start = tkf.Measure(jnp.eye(3, dtype=jnp.float32), geometry=S2)
    assert float(tkf.predict(build(softmax(1.0, S2)), start)["equiangular_time"]) == pytest.approx(4.383, abs=1e-3)


def test_zonal_densities_are_read_by_their_spectrum():
    grid = tkf.laws.Zonal(5, 24)
    model = build(softmax(2.0, tkf.Sphere(5)))
    near = tkf.Density.perturbed_uniform(grid, degree=2, amplitude=0.05)
    assert "growth_rates" in tkf.predict(model, near)
    far = tkf.Density.perturbed_uniform(grid, degree=2, amplitude=0.9)
    assert "degree 2" in tkf.predict(model, far).refused["growth_rates"]
