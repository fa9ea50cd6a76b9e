"""What was done to a scene while it ran, written down and done again."""

from __future__ import annotations

import numpy as np
import pytest

from tokenfield.errors import InvalidInput, TokenfieldError, TooLarge
from tokenfield.explorer import past
from tokenfield.explorer.past import Past, Script, replay, script_of
from tokenfield.explorer.scene import Scene

TABLES = {"attention": {"beta": 4.0}, "initial": {"n": 6}, "solve": {"t1": 2.0}}


def steps_of(program: str) -> list:
    made: dict = {}
    exec(program.partition("steps = ")[2].join(["steps = ", ""]).partition("t, law")[0], made)
    return made["steps"]


def test_nothing_done_is_the_program_of_the_config():
    scene = Scene.of(TABLES)
    assert Past(scene).program(1.0) == scene.python


def test_what_is_dragged_while_time_stands_still_is_one_step():
    start = Scene.of(TABLES)
    done = Past(start)
    for beta in (5.0, 6.0):
        done.changed(1.0, Scene.of({**TABLES, "attention": {"beta": beta}}))
    done.changed(1.0, Scene.of({**TABLES, "attention": {"beta": 6.0}, "noise": {"kappa": 3.0}}))
    done.changed(1.5, Scene.of({**TABLES, "attention": {"beta": 6.0}}))
    for x in (0.1, 0.2):
        done.moved(1.5, 2, [x, 0.0, 1.0])
    first, second, third = steps_of(done.program(2.0))
    assert first["change"]["attention"]["beta"] == 6.0 and first["change"]["noise"]["kappa"] == 3.0
    assert second["change"]["noise"] is None
    assert third == {"t": 1.5, "token": 2, "point": [0.2, 0.0, 1.0]}


def test_what_is_forgotten_is_said(monkeypatch):
    monkeypatch.setattr(past, "MOST_STEPS", 2)
    done = Past(Scene.of(TABLES))
    for t in (0.1, 0.2, 0.3):
        done.moved(t, 0, [0.0, 0.0, 1.0])
    assert "more than 2 things were done" in done.program(1.0) and len(steps_of(done.program(1.0))) == 2


def test_a_run_that_ends_before_says_when():
    t, law = replay(TABLES, [], until=9.0)
    assert t == 2.0 and np.all(np.isfinite(law.points))
    with pytest.raises(InvalidInput, match=r"the run ended at t = 2, before step 1 at t = 3"):
        replay(TABLES, [{"t": 3.0, "change": {}}], until=9.0)
    with pytest.raises(InvalidInput, match=r"step 2 of 2, at t = 1: tokens are numbered from 0 to 5"):
        replay(TABLES, [{"t": 0.5, "change": {}}, {"t": 1.0, "token": 6, "point": [0.0, 0.0, 1.0]}], until=1.0)


def test_steps_are_told_once_and_again_if_they_change():
    done = Past(Scene.of(TABLES))
    assert done.news() == []
    done.moved(1.0, 2, [1.0, 0.0, 0.0])
    done.moved(1.0, 3, [1.0, 0.0, 0.0])
    assert [(number, step["token"]) for number, step in done.news()] == [(0, 2), (1, 3)]
    done.moved(1.0, 3, [0.0, 1.0, 0.0])
    assert done.news() == [(1, {"t": 1.0, "token": 3, "point": [0.0, 1.0, 0.0]})] and done.news() == []
    done.changed(1.0, Scene.of({**TABLES, "attention": {"beta": 5.0}}))
    done.changed(1.0, Scene.of({"attention": {"beta": 6.0}, "initial": {"n": 6}}))
    assert done.news() == [(2, {"t": 1.0, "change": {"attention": {"beta": 6.0}, "solve": None}})]


MOVE = {"t": 1.0, "token": 0, "point": [0.0, 0.0, 1.0]}


@pytest.mark.parametrize(
    "steps, more, words",
    [
        ("x", {}, "a list"),
        ({}, {}, "a list"),
        ([None], {}, "step 1 needs t and a 'change'"),
        ([{"t": 0.0}], {}, "a 'change', or t, a 'token'"),
        ([{**MOVE, "change": {}}], {}, "step 1 needs"),
        ([{"t": 1.0, "change": []}], {}, "an object of tables"),
        ([MOVE, {**MOVE, "t": 0.5}], {}, "step 2 needs a time of at least 1"),
        ([{**MOVE, "t": -1.0}], {}, "at least 0"),
        ([{**MOVE, "t": True}], {}, "got True"),
        ([{**MOVE, "t": "1"}], {}, "got '1'"),
        ([{**MOVE, "t": float("inf")}], {}, "got inf"),
        ([{**MOVE, "t": float("nan")}], {}, "got nan"),
        ([MOVE], {"until": 0.5}, "the end of the replay needs a time of at least 1"),
        ([MOVE], {"until": None}, "the end of the replay"),
        ([MOVE], {"until": 10**400}, "the end of the replay"),
        ([MOVE], {"seen": "0"}, "the time that is seen"),
    ],
)
def test_what_is_no_script_is_refused_before_anything_is_computed(steps, more, words):
    with pytest.raises(InvalidInput) as found:
        script_of({"steps": steps, "until": 2.0, **more}, Scene.of(TABLES))
    assert words in str(found.value) and "\n" not in str(found.value)


@pytest.mark.parametrize(
    "change",
    [
        {"attention": 5},
        {"initial": {"n": 7}},
        {"attention": {"V": "secret.npy"}},
        {"attention": {"beta": float("inf")}},
        {"nothing": {}},
        {"solve": {"t1": 2.0, "dtype": "float64"}},
    ],
)
def test_what_a_step_asks_for_is_checked_like_a_config(change):
    with pytest.raises(TokenfieldError, match="step 1 of 1, at t = 0"):
        replay(TABLES, [{"t": 0.0, "change": change}], until=1.0)


def test_too_many_steps_are_refused_with_the_limit():
    assert script_of({"type": "start"}, Scene.of(TABLES)) is None
    with pytest.raises(TooLarge, match="at most 1000: each one begins a new run"):
        script_of({"steps": [MOVE] * 1001, "until": 2.0}, Scene.of(TABLES))


def test_frames_stop_where_something_is_done_or_seen():
    script = Script(Scene.of(TABLES), [MOVE], until=1.5, seen=0.25)
    assert [script.latest(t) for t in (0.0, 0.25, 0.5)] == [0.25, 1.0, 1.0]
