"""What was done to a scene while it ran, written down and done again."""

from __future__ import annotations

import numpy as np
import pytest

from tokenfield.errors import InvalidInput
from tokenfield.explorer import past
from tokenfield.explorer.past import Past, replay
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
    with pytest.raises(InvalidInput, match="a 'change' or a 'token'"):
        replay(TABLES, [{"t": 0.0}], until=1.0)
