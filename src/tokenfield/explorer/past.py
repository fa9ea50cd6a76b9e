"""What was done to a scene while it ran: `Past` keeps it, `Script` does it again, `replay` is that for programs.

A config says how a run goes from its start to its end. Whoever changes beta on the way, or moves a token, has seen
another run: that one is the config it started with and a list of steps.
"""

from __future__ import annotations

import math
import pprint
import sys
from collections import deque
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from tokenfield.errors import InvalidInput, TokenfieldError
from tokenfield.explorer.scene import Scene, check_limit

if TYPE_CHECKING:
    from tokenfield.explorer.system import System

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
        self._told = 0  # steps that `news` has given

    def changed(self, t: float, scene: Scene) -> None:
        """Notes that tokens go on from time `t` as those of another scene."""
        before, after = self._now.given, scene.given
        change = {name: after.get(name) for name in {**before, **after} if before.get(name) != after.get(name)}
        self._now = scene
        last = self._steps[-1] if self._steps else {}
        if last.get("t") == t and "change" in last:  # a slider that was dragged while time stood still
            self._drop()
            change = {**last["change"], **change}
        self._add({"t": t, "change": change})

    def moved(self, t: float, token: int, point: Sequence[float]) -> None:
        """Notes that a token was put at a point of its space at time `t`."""
        step = {"t": t, "token": token, "point": [float(x) for x in point]}
        if self._steps and {**self._steps[-1], "point": step["point"]} == step:
            self._drop()  # it was dragged on
        self._add(step)

    def _drop(self) -> None:
        self._steps.pop()
        self._told = min(self._told, len(self._steps))

    def _add(self, step: Tables) -> None:
        self._is_whole = len(self._steps) < MOST_STEPS
        if self._is_whole:
            self._steps.append(step)

    def news(self) -> list[tuple[int, Tables]]:
        """The steps that came or changed since this was last asked, each with its number."""
        found = list(enumerate(self._steps))[self._told :]
        self._told = len(self._steps)
        return found

    def program(self, t: float) -> str:
        """The program of the config if nothing was done, else one that does it all again until time `t`."""
        if not self._steps:
            return self._start.python
        note = "" if self._is_whole else f"# more than {MOST_STEPS} things were done: what came after them is missing\n"
        return (
            "from tokenfield.explorer.past import replay\n\n"
            f"config = {_written(self._start.given)}\n"
            f"# what was done while it ran\n{note}steps = {_written(self._steps)}\n"
            f"t, law = replay(config, steps, until={t!r})\nprint(t, law)\n"
        )


def _written(value: Any) -> str:
    return pprint.pformat(value, width=WIDTH, compact=True, sort_dicts=False)


class Script:
    """Steps that a system is led through, and the time at which it is left alone.

    Args:
        scene: The scene that it starts with.
        steps: What is done, in the order of time: {"t", "change"} with tables that replace those of the same name, or
            `None` for those that are dropped; {"t", "token", "point"} for a token that is put elsewhere.
        until: The time to stop at.
        seen: A time at which a frame is wanted, if one looks at an earlier one than the last.

    Raises:
        InvalidInput: If these are no steps, or not in the order of time. What they ask for is checked when it is done.
    """

    def __init__(self, scene: Scene, steps: Any, *, until: Any, seen: Any = None):
        if not isinstance(steps, (list, tuple)):
            raise InvalidInput("steps are a list of what is done on the way")
        earliest = scene.config.solve.t0
        for number, step in enumerate(steps, 1):
            earliest = _time(_kind(step, number)["t"], f"step {number}", earliest)
        self._until = _time(until, "the end of the replay", earliest)
        self._seen = -math.inf if seen is None else _time(seen, "the time that is seen", scene.config.solve.t0)
        self._tables: Tables = dict(scene.given)
        self._steps, self._count = deque(steps), len(steps)

    def lead(self, system: System) -> bool:
        """Does the next step if it is due at the time of the system; says whether it was. One at a time can be stopped.

        Raises:
            InvalidInput: If that makes no sense, or if the run has ended before; the message says at which step.
        """
        if not self._steps:
            return False
        step, number = self._steps[0], self._count - len(self._steps) + 1
        if step["t"] > system.t:
            if system.result is not None:
                raise InvalidInput(f"the run ended at t = {system.t:g}, before step {number} at t = {step['t']:g}")
            return False
        try:
            self._do(system, self._steps.popleft())
        except TokenfieldError as error:
            raise InvalidInput(f"step {number} of {self._count}, at t = {step['t']:g}: {error}") from error
        return True

    def _do(self, system: System, step: Mapping[str, Any]) -> None:
        if "change" in step:
            tables = {**self._tables, **step["change"]}
            self._tables = {name: table for name, table in tables.items() if table is not None}
            system.change(Scene.of(self._tables))
        else:
            system.move(step["token"], step["point"])

    def latest(self, t: float) -> float:
        """The time of the next frame at the latest, if one is at `t`."""
        stops = (self._steps[0]["t"] if self._steps else self._until, self._seen, self._until)
        return min((stop for stop in stops if stop > t), default=t)

    def is_over(self, system: System) -> bool:
        """Whether all is done."""
        return not self._steps and (system.t >= self._until or system.result is not None)


def _kind(step: Any, number: int) -> Mapping[str, Any]:
    """The step, if it is one: what is in its tables, and whether there is such a token, is asked when it is done."""
    if not isinstance(step, Mapping) or set(step) not in ({"t", "change"}, {"t", "token", "point"}):
        what = sorted(map(str, step)) if isinstance(step, Mapping) else type(step).__name__
        raise InvalidInput(f"step {number} needs t and a 'change', or t, a 'token' and its 'point', got {what!s:.80}")
    if "change" in step and not isinstance(step["change"], Mapping):
        raise InvalidInput(f"step {number}: a change is an object of tables")
    return step


def _time(t: Any, what: str, earliest: float) -> float:
    is_number = isinstance(t, (int, float)) and not isinstance(t, bool)
    if not is_number or not earliest <= t <= sys.float_info.max:
        raise InvalidInput(f"{what} needs a time of at least {earliest:g}, got {t!r:.40}")
    return float(t)


def script_of(message: Mapping[str, Any], scene: Scene) -> Script | None:
    """The script of a message that starts a scene, or `None` if it starts at its beginning and is left alone.

    Args:
        message: The message: `steps`, `until` and `seen`, from anywhere.
        scene: The scene that it starts.

    Returns:
        The script.

    Raises:
        InvalidInput: If it is none.
        TooLarge: If it has more steps than the explorer does again.
    """
    if message.get("until") is None and message.get("steps") is None:
        return None
    steps = message.get("steps", [])
    if isinstance(steps, list):
        check_limit("changes", len(steps), "the number of changes on the way")
    return Script(scene, steps, until=message.get("until"), seen=message.get("seen"))


def replay(config: Mapping[str, Any], steps: Sequence[Mapping[str, Any]], *, until: float) -> tuple[float, Any]:
    """The time and the law at which a scene arrives that is changed on its way, as it did in the explorer.

    Args:
        config: The tables of the config that it starts with.
        steps: What is done, as `Script` takes it.
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

    scene = Scene.of(config)
    system, script = System(scene), Script(scene, list(steps), until=until)
    while not script.is_over(system):
        if not script.lead(system):
            system.go_to(script.latest(system.t))
    return system.t, system.law
