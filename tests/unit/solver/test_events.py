"""Events: when each one is true, for tokens, densities and Gaussians, and how a run stops by one."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import tokenfield as tkf
from tokenfield.laws import Density, Fourier, Gaussian
from tokenfield.solver import events
from tokenfield.solver.events import Consensus, CosineLevel, Event, Steady, When, as_events

SPHERE, CIRCLE, PLANE = tkf.Sphere(3), tkf.Sphere(2), tkf.Euclidean(2)
START = np.asarray(SPHERE.uniform_points(6, seed=0))
ON_CIRCLE, IN_PLANE = (tkf.Transformer(geometry, tkf.Softmax(1.0)) for geometry in (CIRCLE, PLANE))


def model(beta=2.0, **options):
    return tkf.Transformer(SPHERE, tkf.Softmax(beta), **options)


def run(*, start=START, save=5, **options):
    return tkf.solve(model(), start, t1=2.0, save=save, **options)


def on_circle(*angles):
    return tkf.Measure(np.stack([np.cos(angles), np.sin(angles)], axis=1))


def happens(event: Event, mu, model=ON_CIRCLE) -> bool:
    return bool(event(jnp.asarray(0.0), mu, model))


# --- when they are true -------------------------------------------------------------------------------------------


def test_consensus_is_within_half_the_distance_of_the_mean():
    assert happens(Consensus(0.41), on_circle(-0.2, 0.2))
    assert not happens(Consensus(0.39), on_circle(-0.2, 0.2))
    assert happens(Consensus(2.1), tkf.Measure([[0.0, 1.0], [0.0, -1.0]]), IN_PLANE)
    assert not happens(Consensus(1.9), tkf.Measure([[0.0, 1.0], [0.0, -1.0]]), IN_PLANE)


def test_antipodal_tokens_are_no_consensus():
    assert not happens(Consensus(0.5), tkf.Measure([[1.0, 0.0], [-1.0, 0.0]]))


def test_consensus_of_a_density_leaves_out_a_millionth():
    """Near its peak a von Mises law of concentration 100 is a Gaussian of deviation 0.1."""
    peak = Density.vmf_mixture(Fourier(256), means=[[1.0, 0.0]], concentrations=[100.0])
    assert happens(Consensus(1.2), peak)  # 2e-9 of the mass is farther than 6 deviations
    assert not happens(Consensus(0.8), peak)  # 6e-5 is farther than 4


def test_a_gaussian_is_never_in_consensus():
    with pytest.raises(tkf.Unsupported, match="use Steady, or a function of its covariance"):
        happens(Consensus(1.0), Gaussian([0.0, 0.0], np.eye(2)), IN_PLANE)


def test_steady_is_about_the_fastest_token():
    tokens = tkf.Measure(START)
    fastest = float(np.linalg.norm(np.asarray(model().velocity(0.0, tokens.points, tokens)), axis=1).max())
    assert happens(Steady(1.01 * fastest), tokens, model())
    assert not happens(Steady(0.99 * fastest), tokens, model())


def test_steady_densities_and_gaussians():
    rho = Density.perturbed_uniform(Fourier(32), degree=1, amplitude=0.1)
    size = float(np.sqrt(np.mean(np.asarray(rho.rate(ON_CIRCLE, 0.0)) ** 2)))
    assert happens(Steady(1.01 * size), rho) and not happens(Steady(0.99 * size), rho)
    # softmax: m' = (I + beta S) m = 2 m and S' = 2 beta S S = 2 I of norm sqrt(8), with beta = 1 and S = I
    mu = Gaussian([0.3, 0.0], np.eye(2))
    speed = np.sqrt(0.6**2 + 8)
    assert happens(Steady(1.01 * speed), mu, IN_PLANE) and not happens(Steady(0.99 * speed), mu, IN_PLANE)


def test_cosine_level_is_the_distance_of_the_smallest_cosine():
    value = CosineLevel(0.25)(jnp.asarray(0.0), on_circle(0.0, 0.3, 1.1), ON_CIRCLE)
    assert float(value) == pytest.approx(np.cos(1.1) - 0.25, abs=1e-14)


REFUSED = {
    "consensus within nothing": (lambda: Consensus(0.0), r"Consensus\(delta\) needs a positive number, got 0"),
    "a negative speed": (lambda: Steady(-1.0), r"Steady\(speed\) needs a positive number"),
    "a speed that is no number": (lambda: Steady(np.nan), r"Steady\(speed\) must be finite"),
    "cosines in the plane": (
        lambda: happens(CosineLevel(0.5), tkf.Measure(np.eye(2)), IN_PLANE),
        "CosineLevel is for tokens on a sphere",
    ),
    "cosines of a density": (
        lambda: happens(CosineLevel(0.5), Density.uniform(Fourier(32))),
        "a density has all cosines at all times",
    ),
    "a word": (lambda: as_events(["consensus"]), r"an event must be callable with \(t, measure, model\)"),
}


@pytest.mark.parametrize(("make", "message"), REFUSED.values(), ids=REFUSED)
def test_refused(make, message):
    with pytest.raises(tkf.InvalidInput, match=message):
        make()


def test_an_event_of_the_wrong_shape_is_refused():
    def speeds(t, mu, model):
        return mu.weights > 0

    with pytest.raises(tkf.InvalidInput, match=r"the event 'speeds' must return one boolean or number, got shape \(6"):
        run(events=speeds)


# --- what solve takes ---------------------------------------------------------------------------------------------


def test_events_are_one_or_several_objects_or_functions():
    steady = Steady(0.1)
    assert as_events(()) == ()
    assert as_events(steady) == (steady,)
    assert [event.name for event in as_events([steady, Consensus(0.1, name="met")])] == ["steady", "met"]

    def late(t, mu, model):
        return t > 3.0

    (event,) = as_events(late)
    assert isinstance(event, When) and event.name == "late"
    assert not happens(event, None)


def test_another_number_is_not_another_compilation():
    """Parameters are arrays, so that a compiled run serves every delta."""
    assert [jax.tree.leaves(event) for event in (Consensus(0.5), Steady(2))] == [[0.5], [2]]


# --- runs that stop -----------------------------------------------------------------------------------------------

ATTRACTED_OR_NOT = (events.Consensus(0.2), events.Steady(1e-3))


@pytest.mark.slow
def test_consensus_and_steady():
    """One pair of events; attraction ends by the one, repulsion by the other."""
    together = tkf.solve(model(V=np.eye(3)), START, t1=500.0, save=5, events=ATTRACTED_OR_NOT)
    assert together.result.name == "consensus" and together.result.is_complete
    assert "stopped by consensus at t = " in str(together.result)
    cosines = np.asarray(together.final.points) @ np.asarray(together.final.points).T
    assert np.arccos(np.clip(cosines.min(), -1, 1)) <= 0.2
    apart = tkf.solve(model(V=-np.eye(3)), START, t1=500.0, save=5, events=ATTRACTED_OR_NOT)
    assert apart.result.name == "steady"
    velocity = np.asarray(model(V=-np.eye(3)).velocity(0.0, apart.final.points, apart.final))
    assert np.linalg.norm(velocity, axis=1).max() <= 1e-3
    # the event is the first step that satisfies it, not some later one: half the speed is not reached yet
    assert np.linalg.norm(velocity, axis=1).max() > 1e-4


def test_cosine_level_is_located():
    """Two tokens at beta = 0: g' = 1 - g^2, so an orthogonal pair has cosine c at t = artanh(c)."""
    level = 0.7
    pair = tkf.solve(
        model(0.0), np.eye(3)[:2], t1=5.0, save="end", rtol=1e-10, atol=1e-12, events=events.CosineLevel(level)
    )
    assert pair.result.name == "cosine-level"
    assert float(pair.result.t) == pytest.approx(np.arctanh(level), abs=1e-8)
    assert float(pair.final.points[0] @ pair.final.points[1]) == pytest.approx(level, abs=1e-8)


@pytest.mark.slow
def test_user_events():
    """A boolean stops at the end of a step, a number at its zero; the weights choose which one fires here."""

    def heavy_first(t, mu, model):
        return (mu.weights[0] > 0.5) & (t > 0.3)

    def at_some_time(t, mu, model):
        return t - 0.73

    both = (heavy_first, events.When(at_some_time, name="clock"))
    number = run(events=both)
    assert number.result.name == "clock"
    assert float(number.result.t) == pytest.approx(0.73, abs=1e-12)
    heavy = tkf.Measure(START, [10.0, 1, 1, 1, 1, 1])
    boolean = run(start=heavy, events=both)
    assert boolean.result.name == "heavy_first"
    assert 0.3 < float(boolean.result.t) < 0.73
    # the state at the located time is that of the flow
    reference = run(save=[0.0, 0.2, 0.73, 1.0, 2.0])
    np.testing.assert_allclose(number.final.points, reference.points[2], rtol=0, atol=1e-7)
