"""`solve` as a program: how runs end, chunks, windows, interruption, progress, float32.

Most runs share one shape (6 tokens on S^2, 5 saved times), so that one compilation serves them.
"""

from __future__ import annotations

import inspect
from functools import partial

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from scipy.special import exp1

import tokenfield as tkf
from tokenfield.solver import events
from tokenfield.solver import solve as flow

SPHERE = tkf.Sphere(3)
START = np.asarray(SPHERE.uniform_points(6, seed=0))


def model(beta=2.0, **options):
    return tkf.Transformer(SPHERE, tkf.Softmax(beta), **options)


def run(*, start=START, beta=2.0, t1=2.0, save=5, **options):
    return tkf.solve(model(beta), start, t1=t1, save=save, **options)


def assert_equal(x, y):
    """Equal up to a normalization more or less, which may change the last digit."""
    np.testing.assert_allclose(x, y, rtol=0, atol=5e-16)


# --- what it refuses ----------------------------------------------------------------------------------------------


def test_what_solve_is_told_is_what_is_planned(monkeypatch):
    """Every option reaches `explain` under its own name; what makes no sense is refused there (see `test_plan`)."""
    told = {}

    def explain(model, start, **options):
        told.update(options)
        raise tkf.InvalidInput("enough")

    monkeypatch.setattr(flow, "explain", explain)
    given = {name: object() for name in inspect.signature(tkf.explain).parameters if name not in ("model", "start")}
    with pytest.raises(tkf.InvalidInput, match="enough"):
        tkf.solve.__wrapped__(model(), START, **given)  # without the check of kinds
    assert told == given
    own = set(inspect.signature(tkf.solve).parameters) - set(inspect.signature(tkf.explain).parameters)
    assert own == {"progress", "throw"}


def test_a_velocity_that_overflows_is_refused():
    space = tkf.Transformer(tkf.Euclidean(1), tkf.Unnormalized(1.0))
    with pytest.raises(tkf.InvalidInput, match="the velocity at t0 is not finite"):
        tkf.solve(space, [[100.0]], t1=1.0, save=5)


# --- how runs end -------------------------------------------------------------------------------------------------


def test_a_finished_run():
    done = run()
    assert done.result.name == "finished" and done.result.is_complete
    assert str(done.result) == "finished at t = 2"
    np.testing.assert_allclose(done.ts, [0.0, 0.5, 1.0, 1.5, 2.0])
    assert done.points.shape == (5, 6, 3)
    assert_equal(done.points[0], START)
    assert_equal(done.points[-1], done.final.points)
    assert int(done.stats.accepted) > 3


def test_out_of_steps_is_an_outcome():
    short = run(max_steps=3)
    assert short.result.name == "out-of-steps" and not short.result.is_complete
    assert "raise max_steps" in str(short.result)
    assert int(short.stats.accepted) + int(short.stats.rejected) == 3
    t = float(short.result.t)
    assert 0 < t < 2 and float(short.ts[-1]) == t
    # what was reached is that of the whole run, up to its tolerance
    assert_equal(short.points[-1], short.final.points)
    whole = run(save=[0.0, t / 2, t, 1.5, 2.0])
    np.testing.assert_allclose(whole.points[2], short.final.points, rtol=0, atol=1e-6)


def test_a_run_that_does_not_finish_raises_if_asked():
    with pytest.raises(tkf.Unfinished, match="the run did not finish: ran out of steps at t = ") as caught:
        run(max_steps=3, throw=True)
    part = caught.value.run
    assert part.result.name == "out-of-steps" and part.points.shape[1:] == (6, 3)
    assert run(throw=True).result.name == "finished"
    with pytest.raises(tkf.Unsupported, match=r"call solve outside jax\.jit"):
        jax.jit(lambda x: tkf.solve(model(), x, t1=1.0, throw=True).final.points)(START)


ATTRACTED_OR_NOT = (events.Consensus(0.2), events.Steady(1e-3))


def test_an_early_end_keeps_the_final_state_once():
    done = tkf.solve(model(V=np.eye(3)), START, t1=500.0, save=5, events=ATTRACTED_OR_NOT)
    assert len(done.ts) == 2 and done.points.shape == (2, 6, 3)
    assert float(done.ts[-1]) == float(done.result.t) < 125
    assert_equal(done.points[-1], done.final.points)


def test_fixed_steps_into_a_blow_up_keep_only_what_is_finite():
    """x' = e^{x^2} x from x = 1 blows up at t = E1(1)/2 = 0.1097: a step of 0.1 jumps over it to infinity."""
    model = tkf.Transformer(tkf.Euclidean(1), tkf.Unnormalized(1.0))
    solved = tkf.solve(model, [[1.0]], t1=1.0, method="rk4", step=0.1, save=21)
    assert solved.result.name == "blew-up"
    assert 0 < float(solved.result.t) <= 0.3
    assert np.all(np.isfinite(solved.points)) and np.all(np.isfinite(solved.final.points))
    assert len(solved.ts) == len(solved.points) >= 1


def test_overflow_in_fixed_steps_on_the_sphere_is_not_called_finished():
    """e^{1000} overflows; nothing adapts and no token can leave the sphere, so only the state itself tells."""
    model = tkf.Transformer(tkf.Sphere(3), tkf.Unnormalized(1000.0))
    solved = tkf.solve(model, np.eye(3), t1=1.0, method="euler", step=0.5, save=3)
    assert solved.result.name == "blew-up" and not solved.result.is_complete
    assert np.all(np.isfinite(solved.points)) and np.all(np.isfinite(solved.final.points))


@pytest.mark.slow
def test_attention_that_became_discontinuous_is_not_called_a_blow_up():
    """Softmax in R^d cannot blow up, but its logits grow like e^{2 lambda t} until it jumps within rounding."""
    start = np.random.default_rng(0).uniform(-5, 5, (20, 2))
    values = [[-1.26, 1.51], [1.35, 0.78]]  # eigenvalues -2.0 and 1.5
    model = tkf.Transformer(tkf.Euclidean(2), tkf.Softmax(1.0), V=values, rescaled=True)
    solved = tkf.solve(model, start, t1=50.0, save=5, max_steps=5000)
    assert solved.result.name in ("stuck", "out-of-steps")
    assert 5 < float(solved.result.t) < 50 and np.all(np.isfinite(solved.points))


def test_blow_up_time_in_closed_form():
    """One token on the line, USA: x' = e^{beta x^2} x is infinite at t = E_1(beta x_0^2)/2."""
    beta, x0 = 1.5, 0.4
    space = tkf.Transformer(tkf.Euclidean(1), tkf.Unnormalized(beta))
    lost = tkf.solve(space, [[x0]], t1=10.0, save=5)
    assert lost.result.name == "blew-up" and not lost.result.is_complete
    # the last steps are as short as the rounding of t allows; local errors of 1e-7 move the singularity by as much
    assert float(lost.result.t) == pytest.approx(exp1(beta * x0**2) / 2, abs=1e-6)
    assert np.all(np.isfinite(lost.points)) and np.all(np.isfinite(lost.final.points))
    assert tkf.solve(space, [[x0]], t1=0.5, save=5).result.name == "finished"


# --- chunks, interruption, progress -------------------------------------------------------------------------------


def test_many_chunks_equal_one(monkeypatch):
    base = run()
    monkeypatch.setattr(flow, "CHUNK_STEPS", 3)
    chunked = run()
    assert int(chunked.stats.accepted) == int(base.stats.accepted)
    assert int(chunked.stats.rejected) == int(base.stats.rejected)
    np.testing.assert_allclose(chunked.ts, base.ts, rtol=0, atol=0)
    np.testing.assert_allclose(chunked.points, base.points, rtol=0, atol=1e-12)


def test_small_windows_agree_with_one(monkeypatch):
    """Saved states leave the device two at a time; the steps are the same, so only compilation may differ."""
    base = run()
    monkeypatch.setattr(flow, "WINDOW_BYTES", 2 * 6 * 3 * 8)
    windows = run()
    assert windows.result.name == "finished"
    np.testing.assert_allclose(windows.ts, base.ts, rtol=0, atol=0)
    assert int(windows.stats.accepted) == int(base.stats.accepted)
    np.testing.assert_allclose(windows.points, base.points, rtol=0, atol=1e-12)


@pytest.mark.slow
def test_small_windows_keep_fixed_steps(monkeypatch):
    base = run(method="rk4", step=0.3)
    monkeypatch.setattr(flow, "WINDOW_BYTES", 2 * 6 * 3 * 8)
    windows = run(method="rk4", step=0.3)
    np.testing.assert_allclose(windows.points, base.points, rtol=0, atol=1e-12)


def test_an_interrupted_run_returns_what_is_done(monkeypatch):
    base = run()
    monkeypatch.setattr(flow, "CHUNK_STEPS", 3)
    calls, advance = [], flow._advance_compiled

    def interrupted(*arguments, **options):
        calls.append(1)
        if len(calls) > 2:
            raise KeyboardInterrupt
        return advance(*arguments, **options)

    monkeypatch.setattr(flow, "_advance_compiled", interrupted)
    part = run()
    assert part.result.name == "interrupted" and not part.result.is_complete
    assert int(part.stats.accepted) + int(part.stats.rejected) == 6
    t = float(part.result.t)
    assert 0 < t < 2 and str(part.result) == f"interrupted at t = {t:.6g}"
    kept = np.asarray(part.ts)
    assert kept[-1] == t
    assert_equal(part.points[-1], part.final.points)
    for time, x in zip(kept[:-1], part.points, strict=False):
        k = int(np.flatnonzero(np.asarray(base.ts) == time)[0])
        np.testing.assert_allclose(x, base.points[k], rtol=0, atol=1e-12)


def test_an_interruption_before_the_first_chunk(monkeypatch):
    def interrupted(*arguments, **options):
        raise KeyboardInterrupt

    monkeypatch.setattr(flow, "_advance_compiled", interrupted)
    part = run()
    assert part.result.name == "interrupted" and float(part.result.t) == 0.0
    np.testing.assert_allclose(part.final.points, START, rtol=0, atol=1e-15)


def test_progress_is_silent_in_pipes(capfd, monkeypatch):
    monkeypatch.setattr("tokenfield._runtime.progress.DELAY_S", 0.0)
    monkeypatch.setattr(flow, "CHUNK_STEPS", 3)
    run()
    assert capfd.readouterr() == ("", "")
    opened = []
    monkeypatch.setattr("tokenfield._runtime.progress.is_interactive", lambda: True)
    monkeypatch.setattr("rich.progress.Progress.start", lambda self: opened.append(1))
    run()
    assert opened == [1]  # the control: it does speak in a terminal


# --- types --------------------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_float32_stays_float32():
    single = run(start=START.astype(np.float32))
    floats = [a.dtype for a in (single.ts, single.points, single.final.points, single.weights, single.result.t)]
    assert floats == [jnp.float32] * 5
    assert np.abs(np.linalg.norm(np.asarray(single.points), axis=-1) - 1).max() < 3e-7
    # rtol = 1e-5 by default, over a few dozen steps
    np.testing.assert_allclose(single.points, run().points, rtol=0, atol=1e-4)


def test_a_measure_with_its_weights_is_respected():
    heavy = tkf.Measure(START, [10.0, 1, 1, 1, 1, 1])
    assert float(run(start=heavy).weights[0]) == pytest.approx(10 / 15)
    assert np.abs(run(start=heavy).final.points - run().final.points).max() > 1e-2


@pytest.mark.slow
def test_a_run_of_many_chunks_is_compiled_once(monkeypatch):
    model = tkf.Transformer(tkf.Sphere(3), tkf.Softmax(2.0))
    tokens = tkf.initial.uniform(model.geometry, n=7, seed=0)

    def traces(chunk_steps):
        monkeypatch.setattr(flow, "CHUNK_STEPS", chunk_steps)
        seen = []

        def observable(mu):
            seen.append(mu.n)  # runs when the integration is traced, not when it is run
            return jnp.sum(mu.points)

        save = tkf.Save("end", tokens=False, observables={"sum": observable})
        run = tkf.solve(model, tokens, t1=10.0, save=save)
        assert int(run.stats.accepted) > 3 * 4
        return len(seen)

    assert traces(4) == traces(512)


# --- saving only the end ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("options", [{}, {"layers": 4}, {"merge": True}], ids=["a flow", "layers", "merging"])
def test_an_end_is_saved_alone_as_with_other_times(options, monkeypatch):
    monkeypatch.setattr(flow, "CHUNK_STEPS", 3)  # most chunks end before the time that is to be saved
    alone, among = run(save="end", **options), run(save=np.array([1.0, 2.0]), **options)
    assert alone.ts.tolist() == [2.0] and alone.points.shape == (1, 6, 3)
    np.testing.assert_array_equal(alone.points[0], alone.final.points)  # no interpolation, not even to the end
    # which among others rounds, and merged clusters are where their tokens were within the tolerance of merging
    np.testing.assert_allclose(alone.points[0], among.points[-1], rtol=0, atol=1e-12 if options else 5e-15)
    assert (int(alone.stats.accepted), alone.result.name) == (int(among.stats.accepted), "finished")


def test_an_end_that_is_not_reached_is_not_saved():
    """What is kept then is where the run ended, as with other times; inside a trace it is held."""

    def near(t, mu, model):
        return mu.mean @ mu.mean - 0.08

    def until(start, save):
        return run(start=start, save=save, events=near)

    alone, among = until(START, "end"), until(START, np.array([2.0]) - 1e-9)
    assert alone.result.name == "near" and 0 < float(alone.result.t) < 2
    assert alone.ts.tolist() == among.ts.tolist() == [float(alone.result.t)]
    np.testing.assert_array_equal(alone.points, among.points)
    traced = jax.jit(lambda start: until(start, "end"))(START)
    np.testing.assert_allclose(traced.ts, alone.ts, rtol=1e-12)
    np.testing.assert_allclose(traced.points, alone.points, rtol=0, atol=1e-12)


@pytest.mark.parametrize("save", ["end", np.array([2.0]) - 1e-9], ids=["end", "a time"])
def test_an_observable_is_computed_as_often_as_it_is_saved(save, monkeypatch):
    """Not at the end of each chunk: it may cost far more than a step."""
    monkeypatch.setattr(flow, "CHUNK_STEPS", 3)
    computed = []

    def counted(mu):
        jax.debug.callback(lambda: computed.append(1))
        return jnp.sum(mu.mean)

    observed = run(save=tkf.Save(save, observables={"counted": counted}))
    jax.effects_barrier()
    assert observed.observables["counted"].shape == (1,) and int(observed.stats.accepted) > 3
    assert len(computed) == 1


def test_gradients_pass_through_an_end_that_is_saved_alone():
    def loss(beta, save):
        return jnp.sum(run(beta=beta, t1=1.0, save=save).points[-1, 0] ** 3)

    alone, among = (jax.grad(loss)(2.0, save) for save in ("end", np.array([0.5, 1.0])))
    assert float(alone) == pytest.approx(float(among), rel=1e-9) != 0


def test_less_is_compiled_where_only_the_end_is_saved():
    plans = [tkf.explain(model(), START, t1=1.0, save=save) for save in ("end", np.array([1.0]) - 1e-9)]
    alone, among = (len(str(jax.make_jaxpr(partial(end_of, plan))()).splitlines()) for plan in plans)
    assert alone < 0.9 * among


def end_of(plan):
    return flow._solve_traced(plan).final.points
