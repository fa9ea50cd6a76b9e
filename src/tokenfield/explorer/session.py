"""`Session`: one WebSocket, up to two systems. Reads messages, sends frames, at most three that are not drawn.

Computation is in threads, one call after the other for each system; what comes meanwhile is kept as the latest wish of
each sort, so that neither a flood of messages nor a slow page fills the memory. When the socket closes, nothing more is
started: what runs is a few steps of a solver.
"""

from __future__ import annotations

import asyncio
import json
import logging
import time
from collections.abc import Awaitable, Callable
from concurrent.futures import Executor
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from tokenfield._runtime.json import to_json
from tokenfield.errors import InvalidInput, TokenfieldError, did_you_mean
from tokenfield.explorer.past import Script, script_of
from tokenfield.explorer.scene import LONGEST_MESSAGE, SYSTEMS, Scene, one_line
from tokenfield.explorer.system import System

IN_FLIGHT = 3  # frames that the page has not acknowledged
MOST_MOVES = 64  # tokens that wait to be moved
PREDICT_AFTER_S = 0.5  # so long a model stays before theory is asked, while frames come: one may be dragging beta
TELL_AFTER_S = 0.3  # so long a page waits for a change before it is told why
MOST_STEPS = 16  # single steps that wait

log = logging.getLogger("tokenfield.explorer")

Message = dict[str, Any]
SendText = Callable[[str], Awaitable[None]]
SendBytes = Callable[[bytes], Awaitable[None]]


@dataclass
class _Wishes:
    """What a page asked of one system and what is not done yet: the latest of each sort."""

    start: Message | None = None
    change: Message | None = None
    moves: dict[Any, Any] = field(default_factory=dict)
    attend: tuple[Any] | None = None
    play: Message | None = None
    steps: int = 0
    program: bool = False
    halt: bool = False

    def __bool__(self) -> bool:
        return bool(self.start or self.acts or self.attend or self.play or self.program)

    @property
    def acts(self) -> bool:
        """Whether something is done to the system: a replay ends where it is, what follows is a run of one's own."""
        return bool(self.change or self.moves or self.steps or self.halt)


class _Slot:
    """One of the systems side by side: its wishes, its state, and the task that drives it."""

    def __init__(self, number: int):
        self.number = number
        self.system: System | None = None
        self.wishes, self.wake = _Wishes(), asyncio.Event()
        self.is_playing = False
        self.script: Script | None = None  # what is done again, until it has been
        self.sent = self.acknowledged = 0
        self.is_new = False  # no frame of its model was computed yet
        self.changed_at: float | None = None  # when the model was new, until its predictions are asked for
        self.predicting: asyncio.Task[None] | None = None
        self.told = ""  # the last status
        self.task: asyncio.Task[None] | None = None

    @property
    def may_send(self) -> bool:
        return self.sent - self.acknowledged < IN_FLIGHT

    @property
    def is_running(self) -> bool:
        is_on = self.script is not None or (self.is_playing and self.system is not None and self.system.result is None)
        return is_on and self.system is not None


class Session:
    """What one page does. `hear` takes its messages, `close` ends it.

    Args:
        send_text: Sends a text to the page.
        send_bytes: Sends bytes to the page.
        pool: The threads that compute frames.
        aside: What computes predictions: frames of all pages must not wait for those of one.
    """

    def __init__(self, send_text: SendText, send_bytes: SendBytes, pool: Executor, aside: Executor):
        self._send_text, self._send_bytes, self._pool, self._aside = send_text, send_bytes, pool, aside
        self._slots = [_Slot(number) for number in range(SYSTEMS)]

    async def hear(self, text: str | bytes) -> None:
        """Takes one message; what is wrong with it is told to the page, and the session goes on.

        Args:
            text: The message, JSON.
        """
        number: int | None = None
        try:
            message = _parsed(text)
            number = _system(message)
            self._note(self._slots[number], message)
        except TokenfieldError as error:
            await self._tell({"type": "error", "system": number, "message": str(error)})

    async def close(self) -> None:
        """Ends all systems; returns when nothing more is started."""
        tasks = [task for slot in self._slots for task in (slot.task, slot.predicting) if task is not None]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        for slot in self._slots:
            slot.system = None

    def _note(self, slot: _Slot, message: Message) -> None:
        """Keeps what the message asks for, and wakes the task that does it."""
        kind, wishes = message["type"], slot.wishes
        if kind == "ack":
            index = message.get("index")
            if isinstance(index, bool) or not isinstance(index, int):
                raise InvalidInput("ack needs the index of the frame that was drawn")
            # of an older system, or of a frame that was never sent, nothing follows
            slot.acknowledged = max(slot.acknowledged, min(index, slot.sent))
        elif kind == "start":
            # what was asked of the system that it replaces is no longer wanted
            slot.wishes, slot.is_playing, slot.script = _Wishes(start=message), False, None
        elif kind == "stop":
            slot.wishes, slot.is_playing, slot.script = _Wishes(), False, None
            slot.system = None
        elif slot.system is None and wishes.start is None:
            raise InvalidInput(f"there is no system {slot.number} yet: send 'start' first")
        elif kind == "change":
            wishes.change = message
        elif kind == "play":
            wishes.play = message
        elif kind == "step":
            wishes.steps = min(wishes.steps + 1, MOST_STEPS)
        elif kind == "program":
            wishes.program = True
        elif kind == "halt":
            wishes.halt = True
        elif kind == "attend":
            wishes.attend = (message.get("token"),)
        elif kind == "move":
            token = message.get("token")
            if isinstance(token, bool) or not isinstance(token, int):
                raise InvalidInput("move needs the number of a token")
            if token not in wishes.moves and len(wishes.moves) >= MOST_MOVES:
                raise InvalidInput(f"{MOST_MOVES} tokens wait to be moved: wait for the next frame")
            wishes.moves[token] = message.get("point")
        if slot.task is None:
            slot.task = asyncio.create_task(self._drive(slot))
        slot.wake.set()

    # --- one task for each system ---------------------------------------------------------------------------------

    async def _drive(self, slot: _Slot) -> None:
        """Does what is asked and sends frames, for as long as the session lasts."""
        while True:
            try:
                await self._do(slot)
            except TokenfieldError as error:
                await self._tell({"type": "error", "system": slot.number, "message": str(error)})
            except (RuntimeError, ValueError, ArithmeticError, MemoryError, TypeError) as error:
                # a fault of ours, or of compiled code: this system ends, the session goes on
                log.exception("a system of the explorer failed")
                slot.system, slot.is_playing, slot.script = None, False, None
                await self._tell({"type": "error", "system": slot.number, "message": one_line(error)})
                await self._status(slot, "failed", one_line(error))

    async def _do(self, slot: _Slot) -> None:
        """One wish, or one frame; waits if there is nothing to do."""
        wishes, is_free = slot.wishes, not (slot.is_running and slot.may_send)
        if slot.changed_at is not None and (is_free or time.monotonic() > slot.changed_at + PREDICT_AFTER_S):
            self._predict(slot)
        if wishes.start is not None:
            message, wishes.start = wishes.start, None
            await self._start(slot, message)
        elif slot.system is not None and wishes:
            await self._grant(slot, slot.system)
        elif slot.system is not None and slot.is_running and slot.may_send:
            await self._frame(slot, slot.system)
        else:
            if slot.system is None:  # it did not start: what was asked of it meanwhile is void
                slot.wishes = _Wishes()
            slot.wake.clear()
            await slot.wake.wait()

    async def _start(self, slot: _Slot, message: Message) -> None:
        slot.system = None
        await self._status(slot, "compiling", "building the model")
        try:
            scene = Scene.of(message.get("config"))
            script = script_of(message, scene)
            system = await self._compute(partial(System, scene, number=slot.number))
            if message.get("speed") is not None:
                system.set_speed(message["speed"])
        except TokenfieldError as error:
            await self._status(slot, "failed", str(error))
            raise
        if slot.wishes.start is not None:  # another one came meanwhile
            return
        slot.system, slot.script, slot.sent, slot.acknowledged = system, script, 0, -1
        slot.is_playing, slot.is_new, slot.changed_at = bool(message.get("playing")), True, time.monotonic()
        await self._tell(system.described())
        await self._send(slot, await self._compute(system.first_frame))
        await self._report(slot)
        if not slot.is_running:
            await self._send(slot, await self._compute(system.shown_again))

    async def _grant(self, slot: _Slot, system: System) -> None:
        """Does all that is asked of a system that is there."""
        wishes, slot.wishes = slot.wishes, _Wishes()
        if wishes.acts and slot.script is not None:
            await self._end_replay(slot, system)
        if wishes.play is not None:
            if wishes.play.get("speed") is not None:
                system.set_speed(wishes.play["speed"])
            slot.is_playing = bool(wishes.play.get("playing"))
        if wishes.change is not None:
            scene = Scene.of(wishes.change.get("config"))
            await self._compiled(slot, partial(system.change, scene))
            slot.is_new, slot.changed_at = True, time.monotonic()
            await self._tell(system.described())
            await self._tell_done(system)
        for token, point in wishes.moves.items():
            await self._compute(partial(system.move, token, point))
            await self._tell_done(system)
        if wishes.attend is not None:
            await self._compute(partial(system.attend, *wishes.attend))
        is_shown = bool(wishes.moves or wishes.attend or wishes.change)
        if is_shown and not slot.is_running and not wishes.steps:
            await self._send(slot, await self._compute(system.shown_again))
        if wishes.program:
            await self._tell({"type": "program", "system": slot.number, "python": system.program})
        for _ in range(wishes.steps):
            while system.result is None and not await self._frame(slot, system):
                pass
        await self._report(slot)

    async def _frame(self, slot: _Slot, system: System) -> bool:
        """Whether the next frame was reached and sent, if the system is still wanted."""
        script = slot.script
        compute = system.frame if script is None else partial(_next_of, script, system)
        try:
            if slot.is_new:
                frame = await self._compiled(slot, compute)
                slot.is_new = False
                await self._report(slot)
            else:
                frame = await self._compute(compute)
        except TokenfieldError:
            if script is not None:  # what cannot be done again is not gone past
                await self._end_replay(slot, system)
            raise
        if slot.system is not system or slot.wishes.start is not None:
            return frame is not None
        if frame is not None:
            await self._send(slot, frame)
        if script is not None:
            await self._tell_done(system)
            if script.is_over(system):
                await self._end_replay(slot, system)
        if system.result is not None:
            await self._report(slot)
        return frame is not None

    async def _end_replay(self, slot: _Slot, system: System) -> None:
        """Tells the page what the model and the tokens are where a replay ends."""
        slot.script, slot.changed_at = None, time.monotonic()
        await self._tell_done(system)
        await self._tell(system.described())
        await self._send(slot, await self._compute(system.shown_again))
        await self._report(slot)

    async def _tell_done(self, system: System) -> None:
        """Tells the page what was done to the system, and when: its address holds it."""
        for message in system.news():
            await self._tell(message)

    def _predict(self, slot: _Slot) -> None:
        """Lets theory speak about the model beside the frames, one model at a time."""
        if slot.system is None or slot.wishes.change is not None or slot.script is not None:
            return
        if slot.predicting is None or slot.predicting.done():
            slot.changed_at = None
            slot.predicting = asyncio.create_task(self._tell_predictions(slot, slot.system, slot.system.scene))

    async def _tell_predictions(self, slot: _Slot, system: System, scene: Scene) -> None:
        try:
            found = await asyncio.get_running_loop().run_in_executor(self._aside, system.predictions)
        except TokenfieldError as error:
            found = {"type": "error", "system": slot.number, "message": str(error)}
        if slot.system is system and system.scene is scene:
            await self._tell(found)
        slot.wake.set()  # a model that came meanwhile

    async def _report(self, slot: _Slot) -> None:
        """Tells the page whether the system runs, rests or has ended, if that is news."""
        if slot.system is None:
            return
        result = slot.system.result
        if slot.script is not None:
            await self._status(slot, "replaying", "")
        elif result is None:
            await self._status(slot, "running" if slot.is_playing else "paused", "")
        else:
            slot.is_playing = False
            await self._status(slot, "finished" if result.is_complete else "failed", str(result))

    # --- sending ---------------------------------------------------------------------------------------------------

    async def _compute(self, function: Callable[[], Any]) -> Any:
        return await asyncio.get_running_loop().run_in_executor(self._pool, function)

    async def _compiled(self, slot: _Slot, function: Callable[[], Any]) -> Any:
        """As `_compute`; the page is told if it takes so long that it can only be compiling."""
        work = asyncio.ensure_future(self._compute(function))
        try:
            if not (await asyncio.wait({work}, timeout=TELL_AFTER_S))[0]:
                await self._status(slot, "compiling", "building the model")
            return await work
        finally:
            work.cancel()

    async def _send(self, slot: _Slot, frame: bytes) -> None:
        if slot.system is not None:
            slot.sent = slot.system.index
            await self._send_bytes(frame)

    async def _status(self, slot: _Slot, state: str, message: str) -> None:
        if slot.told != (told := f"{state}: {message}"):
            slot.told = told
            await self._tell({"type": "status", "system": slot.number, "state": state, "message": message})

    async def _tell(self, message: Message) -> None:
        # what is quoted of a message may hold halves of letters
        await self._send_text(to_json(message).encode(errors="backslashreplace").decode())


# --- messages -------------------------------------------------------------------------------------------------------

TYPES = ("start", "change", "play", "step", "move", "attend", "program", "halt", "ack", "stop")


def _next_of(script: Script, system: System) -> bytes | None:
    """The next frame of a system that is led through a script, or `None` after a step, or as `System.frame` says it."""
    return None if script.lead(system) else system.frame(script.latest(system.t))


def _parsed(text: str | bytes) -> Message:
    """The message as an object with a known type."""
    if not isinstance(text, str):
        raise InvalidInput("messages to the server are texts: JSON objects with a type")
    if len(text) > LONGEST_MESSAGE:
        raise InvalidInput(f"a message has at most {LONGEST_MESSAGE} bytes, got {len(text)}")
    try:
        message = json.loads(text, parse_constant=_refuse_constant)
    except (ValueError, RecursionError) as error:
        raise InvalidInput(f"a message is JSON: {error!s:.80}") from error
    kind = message.get("type") if isinstance(message, dict) else None
    if kind not in TYPES:
        hint = did_you_mean(kind, TYPES) if isinstance(kind, str) else f"; choose from: {', '.join(TYPES)}"
        raise InvalidInput(f"a message is an object with a type{hint}")
    return message


def _refuse_constant(name: str) -> float:
    raise ValueError(f"{name} is no JSON")


def _system(message: Message) -> int:
    number = message.get("system", 0)
    if isinstance(number, bool) or not isinstance(number, int) or not 0 <= number < SYSTEMS:
        raise InvalidInput(f"a page has systems 0 and 1, got {number!r:.40}")
    return number
