"""The flow of many systems is the flow of each of them, in both arrangements and with noise."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import tokenfield as tkf
from tokenfield.flows.systems import Systems, SystemsFlow
from tokenfield.flows.tokens import TokenFlow
from tokenfield.model.noise import Noise
from tokenfield.solver.steppers import Heun
from tokenfield.sums.systems import SYSTEMS_FIRST, SYSTEMS_LAST

ARRANGEMENTS = pytest.mark.parametrize("arrangement", [SYSTEMS_FIRST, SYSTEMS_LAST], ids=["first", "last"])
S, N, D, STEP = 4, 5, 3, 0.1
BETAS, KAPPAS = jnp.array([0.0, 0.5, 2.0, 5.0]), jnp.array([0.5, 1.0, 2.0, 10.0])


def states() -> jnp.ndarray:
    """States (S, n, d) near the sphere, as the stages of a step are."""
    rng = np.random.default_rng(0)
    x = rng.normal(size=(S, N, D))
    return jnp.asarray(x / np.linalg.norm(x, axis=2, keepdims=True) * rng.uniform(0.8, 1.2, size=(S, N, 1)))


def systems_flow(arrangement, *, attention=tkf.Softmax, keys=None) -> SystemsFlow:
    def model(beta, kappa, key):
        return tkf.Transformer(tkf.Sphere(D), attention(beta), noise=None if keys is None else Noise(kappa, seed=key))

    models = jax.vmap(model)(BETAS, KAPPAS, jax.random.split(jax.random.key(0), S) if keys is None else keys)
    return SystemsFlow(models, arrangement.arrange(states()), jnp.asarray(STEP), arrangement)


@ARRANGEMENTS
@pytest.mark.parametrize("attention", [tkf.Softmax, tkf.Unnormalized])
def test_is_the_flow_of_each_system(arrangement, attention):
    flow, t = systems_flow(arrangement, attention=attention), jnp.zeros(())
    tokens = [TokenFlow(tkf.Transformer(tkf.Sphere(D), attention(beta)), tkf.Measure(states()[0])) for beta in BETAS]
    for name in ("velocity", "field"):
        found = arrangement.arrange(getattr(flow, name)(t, flow.start))
        wanted = jnp.stack([getattr(one, name)(t, y) for one, y in zip(tokens, states(), strict=True)])
        np.testing.assert_allclose(found, wanted, rtol=0, atol=1e-12)  # e^5 roundings
    np.testing.assert_allclose(arrangement.arrange(flow.retract(flow.start)), tokens[0].retract(states()), atol=1e-15)
    # the control: systems differ
    assert jnp.abs(wanted[0] - tokens[1].field(t, states()[0])).max() > 0.01


@ARRANGEMENTS
@pytest.mark.parametrize("k", [0, 3])
def test_noise_takes_the_step_of_one_system(arrangement, k):
    """A step of Heun's method against the same on tokens whose path has the increment that the contract names."""
    keys = jax.random.split(jax.random.key(3), S)
    t0, t1 = jnp.asarray(k * STEP), jnp.asarray((k + 1) * STEP)

    class Path:
        def __init__(self, kappa, key):
            self.kappa, self.key = kappa, key

        def increment(self, start, stop):
            normal = jax.random.normal(jax.random.fold_in(self.key, k), (N, D))
            return jnp.sqrt(2 * (stop - start) / self.kappa) * normal

    flow = systems_flow(arrangement, keys=keys)
    x = flow.retract(flow.start)
    found = arrangement.arrange(flow.retract(Heun().end(t0, t1, x, flow)))
    for s, y in enumerate(arrangement.arrange(x)):
        model = tkf.Transformer(tkf.Sphere(D), tkf.Softmax(BETAS[s]))
        one = TokenFlow(model, tkf.Measure(y), Path(KAPPAS[s], keys[s]))
        np.testing.assert_allclose(found[s], one.retract(Heun().end(t0, t1, y, one)), rtol=0, atol=1e-13)


@ARRANGEMENTS
def test_the_norm_is_that_of_the_worst_system(arrangement):
    error = np.zeros((S, N, D))
    error[2] = 3.0
    error[1, 0, 0] = 5.0  # a large error of one token is small in the mean over its system
    found = systems_flow(arrangement).norm("rms")(arrangement.arrange(jnp.asarray(error)))
    assert float(found) == pytest.approx(3.0)


@ARRANGEMENTS
def test_collapse_is_that_of_all_systems(arrangement):
    rng = np.random.default_rng(1)
    center = rng.normal(size=(S, 1, D))
    x = center + 1e-3 * rng.normal(size=(S, N, D))
    x /= np.linalg.norm(x, axis=2, keepdims=True)
    mean = x.mean(axis=1, keepdims=True)
    cosines = np.sum(x * mean, axis=2) / np.linalg.norm(mean, axis=2)
    cap, systems = float(1 - cosines.min()), Systems(arrangement.arrange(jnp.asarray(x)), arrangement)
    assert systems.are_within(1.01 * cap) and not systems.are_within(0.99 * cap)
