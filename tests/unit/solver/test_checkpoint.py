"""A run that is restored between two chunks takes the steps that it would have taken, bit for bit."""

from __future__ import annotations

import jax
import numpy as np
import pytest

import tokenfield as tkf
from tokenfield.solver import solve as solving
from tokenfield.solver.checkpoint import SoFar
from tokenfield.solver.plan import explain

SPHERE = tkf.Sphere(2)
START = np.asarray(SPHERE.uniform_points(6, seed=0))
SOFTMAX = tkf.Transformer(SPHERE, tkf.Softmax(4.0))
NOISY = tkf.Transformer(SPHERE, tkf.Softmax(4.0), noise=tkf.Noise(20.0, seed=3))

PROBLEMS = {
    "adaptive with an event": (SOFTMAX, {"t1": 20.0, "events": tkf.events.CosineLevel(0.5), "save": 9}),
    "noise": (NOISY, {"t1": 1.0, "step": 0.05, "save": 9}),
    "merging": (SOFTMAX, {"t1": 1e9, "merge": True, "save": "log:9"}),
}


@pytest.fixture(autouse=True)
def _short_chunks(monkeypatch):
    monkeypatch.setattr(solving, "CHUNK_STEPS", 7)
    monkeypatch.setattr(solving, "MERGE_STEPS", 7)


class Killed(Exception):
    """Stands for the end of the process."""


def assert_same(a: tkf.Trajectory, b: tkf.Trajectory) -> None:
    for left, right in zip(*(jax.tree.leaves((r.ts, r.states, r.final, r.result)) for r in (a, b)), strict=True):
        assert np.asarray(left).tobytes() == np.asarray(right).tobytes()
    assert (int(a.stats.accepted), int(a.stats.rejected)) == (int(b.stats.accepted), int(b.stats.rejected))


@pytest.mark.parametrize("name", PROBLEMS)
def test_a_restored_run_is_the_run(name):
    model, options = PROBLEMS[name]
    kept: list[tuple[dict, list[dict]]] = []

    def keep(so_far: SoFar, is_interrupted: bool) -> None:
        kept.append((so_far.arrays(), [so_far.saved(0)]))

    whole = solving.solve_plan(explain(model, START, **options), keep=keep)
    assert len(kept) >= 2
    for arrays, saved in kept[:: max(len(kept) // 2, 1)]:
        restored = solving.solve_plan(
            explain(model, START, **options),
            restore=lambda so_far, arrays=arrays, saved=saved: so_far.restore(arrays, saved),
        )
        assert_same(whole, restored)
        if whole.mergers is not None:
            assert len(whole.mergers) > 2
            for part in ("times", "parts", "masses"):
                assert getattr(restored.mergers, part).tobytes() == getattr(whole.mergers, part).tobytes()
            assert restored.mergers.plateaus == whole.mergers.plateaus


def test_saved_in_parts_is_the_same():
    model, options = PROBLEMS["noise"]
    parts: list[dict] = []

    def keep(so_far: SoFar, is_interrupted: bool) -> None:
        parts.append(so_far.saved(sum(len(part["ts"]) for part in parts)))
        if len(parts) == 2:
            parts.append(so_far.arrays())
            raise Killed

    with pytest.raises(Killed):
        solving.solve_plan(explain(model, START, **options), keep=keep)
    *saved, arrays = parts
    restored = solving.solve_plan(
        explain(model, START, **options), restore=lambda so_far: so_far.restore(arrays, saved)
    )
    assert_same(solving.solve_plan(explain(model, START, **options)), restored)


def test_a_checkpoint_of_another_run_is_refused():
    model, options = PROBLEMS["noise"]
    kept: list[tuple[dict, dict]] = []
    solving.solve_plan(
        explain(model, START, **options), keep=lambda so_far, _: kept.append((so_far.arrays(), so_far.saved(0)))
    )
    arrays, saved = kept[0]
    for wrong in (arrays | {"state 1": np.zeros((5, 2))}, {"counts": arrays["counts"]}, arrays | {"counts": [1, 0, 0]}):
        wrong = {name: np.asarray(values) for name, values in wrong.items()}
        with pytest.raises(tkf.InvalidInput, match="the checkpoint does not fit this run"):
            solving.solve_plan(
                explain(model, START, **options),
                restore=lambda so_far, wrong=wrong: so_far.restore(wrong, [saved]),
            )


# --- going on from a finished run ---------------------------------------------------------------------------------


def test_a_run_goes_on_where_it_ended():
    whole = tkf.solve(SOFTMAX, START, t1=2.0, save=9)
    first = tkf.solve(SOFTMAX, START, t1=1.0, save=9)
    second = tkf.solve(SOFTMAX, first, t1=2.0, save=9)
    assert second.ts[0] == 1.0 and second.ts[-1] == 2.0
    np.testing.assert_allclose(second.points[0], first.final.points, rtol=0, atol=5e-16)  # normalized once more
    # both runs have local errors of 1e-7 in some dozen steps, and contract
    np.testing.assert_allclose(second.final.points, whole.final.points, rtol=0, atol=1e-5)
    with pytest.raises(tkf.InvalidInput, match="leave out t0"):
        tkf.solve(SOFTMAX, first, t0=1.0, t1=2.0)
    with pytest.raises(tkf.InvalidInput, match="t0 < t1"):
        tkf.solve(SOFTMAX, first, t1=1.0)


def test_the_noise_of_a_run_that_goes_on_is_new():
    """The same increments again would be no Brownian motion: parts of equal length would be copies of each other."""
    paths = [NOISY.noise.path(t0, t0 + 1.0, 6, 2, np.float64) for t0 in (0.0, 1.0, 2.0)]
    steps = [np.asarray(path.increment(path.t0, path.t1)) for path in paths]
    assert not any(np.array_equal(a, b) for k, a in enumerate(steps) for b in steps[:k])
