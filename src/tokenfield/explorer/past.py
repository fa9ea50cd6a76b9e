"""What was done to a scene while it ran, as a program that does it again: `Past` writes it, `replay` is what it calls.

A config says how a run goes from its start to its end. Whoever changes beta on the way, or moves a token, has seen
another run: that one is the config it started with and a list of steps.
"""

from __future__ import annotations

import pprint
from collections.abc import Mapping, Sequence
from typing import Any

from tokenfield.errors import InvalidInput
from tokenfield.explorer.scene import Scene

MOST_STEPS = 5000  # that are remembered: a token that is dragged for minutes makes some thousand
WIDTH = 100

Tables = dict[str, Any]


class Past:
    """The steps since a scene started.

    Args:
        scene: The scene as it started.

    >>> past = Past(Scene.of({"initial": {"n": 4}, "solve": {"t1": 2.0}}))
    >>> past.moved(0.5, 3, [0.0, 0.0, 1.0])
    >>> print(past.program(1.0).partition("steps = ")[2])
    [{'t': 0.5, 'token': 3, 'point': [0.0, 0.0, 1.0]}]
    t, law = replay(config, steps, until=1.0)
    print(t, law)
    <BLANKLINE>
    """

    def __init__(self, scene: Scene):
        self._start = self._now = scene
        self._steps: list[Tables] = []
        self._is_whole = True

    def changed(self, t: float, scene: Scene) -> None:
        """Notes that tokens go on from time `t` as those of another scene."""
        before, after = self._now.tables, scene.tables
        change = {name: after.get(name) for name in {**before, **after} if before.get(name) != after.get(name)}
        self._now = scene
        last = self._steps[-1] if self._steps else {}
        if last.get("t") == t and "change" in last:  # a slider that was dragged while time stood still
            last["change"] |= change
        else:
            self._add({"t": t, "change": change})

    def moved(self, t: float, token: int, point: Sequence[float]) -> None:
        """Notes that a token was put at a point of its space at time `t`."""
        step = {"t": t, "token": token, "point": [float(x) for x in point]}
        if self._steps and {**self._steps[-1], "point": step["point"]} == step:
            self._steps.pop()  # it was dragged on
        self._add(step)

    def _add(self, step: Tables) -> None:
        self._is_whole = len(self._steps) < MOST_STEPS
        if self._is_whole:
            self._steps.append(step)

    def program(self, t: float) -> str:
        """The program of the config if nothing was done, else one that does it all again until time `t`."""
        if not self._steps:
            return self._start.python
        note = "" if self._is_whole else f"# more than {MOST_STEPS} things were done: what came after them is missing\n"
        return (
            "from tokenfield.explorer.past import replay\n\n"
            f"config = {_written(self._start.tables)}\n"
            f"# what was done while it ran\n{note}steps = {_written(self._steps)}\n"
            f"t, law = replay(config, steps, until={t!r})\nprint(t, law)\n"
        )


def _written(value: Any) -> str:
    return pprint.pformat(value, width=WIDTH, compact=True, sort_dicts=False)


def replay(config: Mapping[str, Any], steps: Sequence[Mapping[str, Any]], *, until: float) -> tuple[float, Any]:
    """The time and the law at which a scene arrives that is changed on its way, as it did in the explorer.

    Args:
        config: The tables of the config that it starts with.
        steps: What is done, in the order of time: {"t", "change"} with tables that replace those of the same name, or
            `None` for those that are dropped; {"t", "token", "point"} for a token that is put elsewhere.
        until: The time to stop at.

    Returns:
        The time, which is earlier if the run ended before, and the tokens, the density or the Gaussian there.

    Raises:
        TokenfieldError: If the config or a step makes no sense.

    >>> t, law = replay({"initial": {"n": 4}}, [{"t": 0.5, "change": {"attention": {"beta": 1.0}}}], until=1.0)
    >>> t, law.n
    (1.0, 4)
    """
    from tokenfield.explorer.system import System

    tables = dict(config)
    system = System(Scene.of(tables))
    for step in steps:
        system.go_to(step["t"])
        if "change" in step:
            tables = {name: table for name, table in {**tables, **step["change"]}.items() if table is not None}
            system.change(Scene.of(tables))
        elif "token" in step:
            system.move(step["token"], step["point"])
        else:
            raise InvalidInput(f"a step has a 'change' or a 'token', got {sorted(step)}")
    system.go_to(until)
    return system.t, system.law
