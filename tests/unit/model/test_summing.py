"""The fast sum is not lost where the numbers of a model are traced, and says so where weights outgrew it."""

import sys
import warnings
from functools import partial

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax.extend.core import jaxprs_in_params

import tokenfield as tkf
from tokenfield import sums
from tokenfield.errors import SlowSums
from tokenfield.model.schedule import FunctionOfDepth, Only, PerLayer, Resampled
from tokenfield.model.summing import choose_sums
from tokenfield.solver import plan

N = 400
BETAS = jnp.asarray([1.0, 20.0, 2000.0])  # within the first number of modes, within the second, and beyond both
MU = {d: tkf.initial.uniform(tkf.Sphere(d), n=N, seed=0) for d in (2, 3)}
Q = np.random.default_rng(0).normal(size=(3, 3)) / 4


def velocity(model, t=0.0):
    mu = MU[model.geometry.d]
    return model.velocity(t, mu.points, mu)


def directly(model):
    with sums.forced("direct"):
        return velocity(model)


def softmax(beta, d=2, **matrices):
    return tkf.Transformer(tkf.Sphere(d), tkf.Softmax(beta), **matrices)


@pytest.fixture
def used(monkeypatch, few_are_many):
    """The names of the sums that models ask for, in order."""
    monkeypatch.setattr(sys.modules["tokenfield.sums.choose"], "RUNGS", {2: (15, 47), 3: (15, 31)})  # compile faster
    names, direct, fast = [], sums.attend, sums.attend_on_sphere
    monkeypatch.setattr(sums, "attend", lambda *args, **kw: names.append("direct") or direct(*args, **kw))
    monkeypatch.setattr(sums, "attend_on_sphere", lambda *args, **kw: names.append("fast") or fast(*args, **kw))
    return names


@pytest.mark.slow
def test_a_traced_model_sums_fast_and_is_compiled_once(used):
    """Its numbers are not known: it is an argument, is built inside, or depends on a depth that is traced."""

    def ways(model, beta, t):
        in_depth = tkf.Transformer(tkf.Sphere(2), FunctionOfDepth(lambda t: tkf.Softmax(3.0 * t)))
        return velocity(model), velocity(softmax(beta, 3, Q=Q)), velocity(in_depth, t)

    compiled = jax.jit(ways)
    got = [compiled(softmax(beta), beta, beta / 3) for beta in BETAS]
    assert used == ["fast"] * 3  # three models, traced once
    with sums.forced("direct"):
        again = jax.jit(lambda *args: ways(*args))
        expected = [again(softmax(beta), beta, beta / 3) for beta in BETAS]
    assert used[3:] == ["direct"] * 3
    # the tolerance of a fast sum is 1e-10
    jax.tree.map(partial(np.testing.assert_allclose, rtol=0, atol=1e-10), got, expected)


def test_a_batch_of_models_sums_fast_and_takes_one_branch(used):
    batched = jax.vmap(lambda beta: velocity(softmax(beta)))
    got = jax.jit(batched)(BETAS[:2])
    assert set(used) == {"fast"}
    # a `select` would compute all numbers of modes for all models: the choice between them must stay a branch
    found = equations(jax.make_jaxpr(batched)(BETAS[:2]).jaxpr, "cond")
    (branches,) = [eqn.params["branches"] for eqn in found if eqn.outvars]  # without that which may warn
    assert len(branches) == 2
    for found, beta in zip(got, BETAS[:2], strict=True):
        np.testing.assert_allclose(found, directly(softmax(beta)), rtol=0, atol=1e-10)


def equations(jaxpr, name):
    """All equations of that name, also inside others."""
    for eqn in jaxpr.eqns:
        if eqn.primitive.name == name:
            yield eqn
        for inner in jaxprs_in_params(eqn.params):
            yield from equations(inner, name)


def test_models_of_different_beta_can_be_stacked(used):
    """Nothing about the numbers is part of the structure of a model."""
    models = [softmax(beta) for beta in BETAS]
    stacked = jax.tree.map(lambda *leaves: jnp.stack(leaves), *models)
    np.testing.assert_array_equal(stacked.heads(0.0)[0].attention.beta, BETAS)


def test_weights_that_outgrow_a_settled_sum_are_noticed(few_are_many):
    settled = softmax(2.0).with_sums(choose_sums(softmax(2.0), MU[2]))
    trained = eqx.tree_at(lambda model: model.schedule.constant[0].attention.beta, settled, jnp.asarray(500.0))
    with pytest.warns(SlowSums, match=r"with_sums\(None\)"):
        found = jax.jit(lambda: velocity(trained))()
    np.testing.assert_allclose(found, directly(softmax(500.0)), rtol=0, atol=1e-10)
    squeezed = softmax(2.0, Q=np.eye(2))
    squeezed = squeezed.with_sums(choose_sums(squeezed, MU[2]))
    squeezed = eqx.tree_at(lambda model: model.schedule.constant[0].Q, squeezed, jnp.diag(jnp.asarray([1.0, 0.5])))
    with pytest.warns(SlowSums):
        found = jax.jit(lambda: velocity(squeezed))()
    np.testing.assert_allclose(found, directly(softmax(2.0, Q=np.diag([1.0, 0.5]))), rtol=0, atol=1e-10)


@pytest.fixture
def programs_are_not_kept():
    """As in a user's own Python: what JAX keeps between runs cannot call back."""
    kept_in = jax.config.jax_compilation_cache_dir
    jax.config.update("jax_compilation_cache_dir", None)
    yield
    jax.config.update("jax_compilation_cache_dir", kept_in)


@pytest.mark.slow
def test_compiled_code_says_that_it_sums_directly(used, programs_are_not_kept):
    """When it meets queries beyond the largest number of modes: in batches, derivatives and time loops too."""

    def end(beta):
        run = tkf.solve(softmax(beta), MU[2], t1=0.5, method="euler", step=0.25, save="end")
        return jnp.sum(run.final.points[:, 0] ** 3)

    def speed(beta):
        return jnp.sum(velocity(softmax(beta)) ** 2)

    for function, within, beyond in (
        (jax.jit(speed), BETAS[1], BETAS[2]),
        (jax.jit(jax.vmap(speed)), BETAS[:2], BETAS[1:]),
        (jax.jit(jax.grad(end)), BETAS[1], BETAS[2]),
    ):
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            jax.block_until_ready(function(within))
        with pytest.warns(SlowSums, match=r"to 2000 directly: .*with_sums\(\(sums.choose\(400, 400, 2, reach=2201\)"):
            jax.block_until_ready(function(beyond))
            jax.effects_barrier()


def test_what_a_traced_model_can_choose_from():
    circle = sums.choose(10**5, 10**5, 2, reach="any", is_uniform=True)
    assert circle.expansion[-1].reach > 1000 and "the queries tell" in circle.reason
    sphere = sums.choose(10**5, 10**5, 3, reach="any", is_uniform=True)
    assert [fast.reach for fast in sphere.expansion] == sorted(fast.reach for fast in sphere.expansion)
    assert len(sphere.expansion) == 2  # a degree of 127 for all would be slow
    assert sums.choose(1000, 1000, 2, reach="any").expansion is None
    assert "not for d = 4" in sums.choose(10**4, 10**4, 4, reach="any").reason


@pytest.mark.slow
def test_a_gradient_through_solve_is_that_of_direct_sums(used):
    """With respect to a weight of the model and to the tokens, as one trains."""

    def loss(beta, x):
        run = tkf.solve(softmax(beta), x, t1=0.5, method="euler", step=0.25, save="end")
        return jnp.sum(run.final.points[:, 0] ** 3)

    got = jax.jit(jax.grad(loss, (0, 1)))(3.0, MU[2].points)
    assert set(used) == {"fast"}
    with sums.forced("direct"):
        expected = jax.jit(jax.grad(lambda *args: loss(*args), (0, 1)))(3.0, MU[2].points)
    # sums to 1e-10, N of them in the derivative by beta
    jax.tree.map(partial(np.testing.assert_allclose, rtol=1e-8, atol=1e-9), got, expected)


@pytest.mark.parametrize("steepest", [0, 20, 39])
def test_every_layer_has_its_say_in_the_choice(steepest):
    """The sum that is settled reaches the longest queries, whichever of 40 layers has them."""
    layers = [tkf.Softmax(50.0 if layer == steepest else 1.0) for layer in range(40)]
    model = tkf.Transformer(tkf.Sphere(2), PerLayer(layers, t1=3.0))
    (choice,) = choose_sums(model, tkf.initial.uniform(tkf.Sphere(2), n=20_000, seed=0), t0=0.0, t1=3.0)
    assert choice.expansion.reach >= 50


def test_schedules_of_pieces_are_looked_at_once_in_each(monkeypatch):
    looked = []
    monkeypatch.setattr(tkf.Transformer, "heads", lambda model, t: looked.append(t) or model.schedule.parts(t)[:1])
    random = Resampled(tkf.Softmax(2.0), 2, period=0.5, seed=0)
    layers, smooth = PerLayer([tkf.Softmax(1.0)] * 4, t1=2.0), FunctionOfDepth(lambda t: tkf.Softmax(1.0 + t))
    for schedule, count in ((random, 4), (layers, 4), (Only(layers, True), 4), (smooth, 33 + 1)):
        looked.clear()
        choose_sums(tkf.Transformer(tkf.Sphere(2), schedule), MU[2], t0=0.0, t1=2.0)
        assert len(looked) in (count, count - 1)  # the middle of a smooth one is among its times


def test_a_solve_chooses_its_sums_once(monkeypatch):
    """Choosing looks at the weights of all layers; what comes after the solve takes what was chosen for it."""
    calls = []
    choose = plan.choose_sums
    monkeypatch.setattr(plan, "choose_sums", lambda *args, **kw: calls.append(1) or choose(*args, **kw))
    model = softmax(3.0)
    assert tkf.explain(model, MU[2], t1=1.0).choices and len(calls) == 1
    twice = tkf.Measure(jnp.concatenate([MU[2].points, MU[2].points]))  # all tokens, and the different ones
    tkf.explain(model, twice, t1=1.0)
    assert len(calls) == 3
