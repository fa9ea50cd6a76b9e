"""One page: messages of every sort, also broken ones; back-pressure; an end in the middle."""

from __future__ import annotations

import asyncio
import json
import time
from concurrent.futures import ThreadPoolExecutor
from unittest import mock

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tokenfield.errors import InvalidInput
from tokenfield.explorer import session as sessions
from tokenfield.explorer.frames import pack, unpack
from tokenfield.explorer.session import IN_FLIGHT, TYPES, Session

CONFIG = {"geometry": {"dim": 2}, "attention": {"beta": 4.0}, "initial": {"n": 8}, "solve": {"t1": 2.0}}
POOL = ThreadPoolExecutor(2)


class Page:
    """What a page receives, and a way to wait for it."""

    def __init__(self):
        self.texts, self.frames, self.news = [], [], asyncio.Event()
        self.session = Session(self._text, self._bytes, POOL, POOL)

    async def _text(self, text):
        self.texts.append(json.loads(text.encode()))  # as it travels
        self.news.set()

    async def _bytes(self, data):
        self.frames.append(unpack(data))
        self.news.set()

    async def say(self, **message):
        await self.session.hear(json.dumps(message))

    async def until(self, condition, timeout=60):
        async with asyncio.timeout(timeout):
            while not condition():
                self.news.clear()
                await self.news.wait()

    def of(self, kind):
        return [message for message in self.texts if message["type"] == kind]

    async def ack(self):
        await self.say(type="ack", index=self.frames[-1][0]["index"])


def in_a_page(test):
    """Runs a test of a page, and closes its session."""

    async def whole():
        page = Page()
        try:
            await test(page)
        finally:
            await page.session.close()

    asyncio.run(whole())


def test_a_session_from_start_to_end():
    async def test(page):
        await page.say(type="start", config=CONFIG, playing=False, speed=0.25)
        await page.until(lambda: page.of("predictions"))
        assert page.of("ready")[0]["n"] == 8 and page.of("status")[-1]["state"] == "paused"
        assert [h["index"] for h, _ in page.frames] == [0, 1] and "clusters" in page.frames[-1][0]["scalars"]
        await page.ack()
        await page.say(type="step")
        await page.until(lambda: len(page.frames) == 3)
        assert page.frames[-1][0]["t"] == 0.25
        # nothing is acknowledged: three frames and no more
        await page.say(type="play", playing=True)
        await page.until(lambda: page.frames[-1][0]["index"] == 1 + IN_FLIGHT)
        await asyncio.sleep(0.3)
        assert page.frames[-1][0]["index"] == 1 + IN_FLIGHT
        await page.say(type="change", config={**CONFIG, "attention": {"beta": 1.0}})
        await page.until(lambda: len(page.of("ready")) == 2)
        assert page.of("ready")[1]["config"]["attention"]["beta"] == 1.0
        while page.of("status")[-1]["state"] != "finished":
            await page.ack()
            page.news.clear()
            await asyncio.wait_for(page.news.wait(), 60)
        assert page.frames[-1][0]["t"] == 2.0 and not page.of("error")
        await page.say(type="stop")
        await page.say(type="step")
        assert "send 'start' first" in page.of("error")[-1]["message"]

    in_a_page(test)


def test_two_systems_are_two_streams():
    async def test(page):
        for system in (0, 1):
            config = {**CONFIG, "attention": {"beta": 1.0 + system}}
            await page.say(type="start", system=system, config=config, playing=True)
        await page.until(lambda: {h["system"] for h, _ in page.frames} == {0, 1})
        assert {m["system"]: m["config"]["attention"]["beta"] for m in page.of("ready")} == {0: 1.0, 1: 2.0}

    in_a_page(test)


@pytest.mark.parametrize(
    "text, words",
    [
        ("{", "JSON"),
        ("[]", "an object with a type"),
        ('{"type": "strat"}', "did you mean 'start'?"),
        ('{"type": "play", "system": 2}', "systems 0 and 1"),
        ('{"type": "play", "system": NaN}', "NaN is no JSON"),
        ('{"type": "play"}', "send 'start' first"),
        ("[" * 100_000, "JSON"),
        (b"\x00\x01", "texts"),
        ('{"type": "ack", "index": "x"}', "index"),
        ('{"type": "\\ud800"}', "an object with a type"),
        ('{"type": "start", "config": {"attention": {"kind": "\\ud800"}}}', "half a letter"),
        ('{"type": "start", "config": {"\\ud800": {}}}', "the keys of a config are texts"),
        ('{"type": "start", "config": {"initial": {"n": 1e12}}}', "n"),
        ('{"type": "start", "config": {"initial": {"n": 1000000000}}}', "at most 20000: a page draws no more"),
        ('{"type": "start"}', "a config is an object of tables"),
        ('{"type": "start", "config": {"attention": {"V": "secret.npy"}}}', "reads none"),
        ('{"type": "start", "config": {}, "steps": 5, "until": 1}', "a list"),
        ('{"type": "start", "config": {}, "steps": [], "until": "x"}', "the end of the replay needs a time"),
        ('{"type": "start", "config": {}, "steps": [{"t": 0}], "until": 1}', "step 1 needs"),
        ('{"type": "start", "config": {}, "until": 1, "steps": [' + "0," * 1000 + "0]}", "at most 1000"),
    ],
)
def test_what_is_wrong_is_said_in_one_line(text, words):
    async def test(page):
        await page.session.hear(text)
        await page.until(lambda: page.of("error"))
        message = page.of("error")[0]["message"]
        assert words in message and "\n" not in message

    in_a_page(test)


def test_a_fault_of_ours_ends_the_system_and_not_the_session(monkeypatch, caplog):
    async def test(page):
        await page.say(type="start", config=CONFIG)
        await page.until(lambda: page.of("predictions"))
        monkeypatch.setattr(sessions.System, "frame", lambda self: 1 / 0)
        await page.say(type="step")
        await page.until(lambda: page.of("error"))
        assert "unexpected" in page.of("error")[0]["message"] and page.of("status")[-1]["state"] == "failed"
        monkeypatch.undo()
        await page.say(type="start", config=CONFIG)
        await page.until(lambda: len(page.of("ready")) == 2)

    in_a_page(test)


def test_a_change_that_takes_long_is_said_to_compile(monkeypatch):
    change = sessions.System.change
    monkeypatch.setattr(sessions.System, "change", lambda self, scene: time.sleep(0.2) or change(self, scene))
    monkeypatch.setattr(sessions, "TELL_AFTER_S", 0.05)

    async def test(page):
        await page.say(type="start", config=CONFIG)
        await page.until(lambda: page.of("predictions"))
        page.texts.clear()
        await page.say(type="change", config={**CONFIG, "attention": {"beta": 3.0}})
        await page.until(lambda: [status["state"] for status in page.of("status")] == ["compiling", "paused"])
        await page.say(type="program")
        await page.until(lambda: page.of("program"))
        assert "replay(config, steps" in page.of("program")[0]["python"]

    in_a_page(test)


def test_closing_stops_the_computation(monkeypatch):
    calls = []
    frame = sessions.System.frame
    monkeypatch.setattr(sessions.System, "frame", lambda self: calls.append(0) or frame(self))

    async def test(page):
        await page.say(type="start", config={**CONFIG, "solve": {"t1": 1e6}}, playing=True, speed=1e-3)
        await page.until(lambda: len(page.frames) > 2)
        await page.session.close()
        count = len(calls)
        await asyncio.sleep(0.3)
        assert len(calls) <= count + 1  # what was running when it closed

    in_a_page(test)


# --- doing again what was done --------------------------------------------------------------------------------------


async def _settled(page, states=("paused", "finished")):
    """Acknowledges frames until the system rests."""
    while not page.of("status") or page.of("status")[-1]["state"] not in states:
        page.news.clear()
        await asyncio.wait_for(page.news.wait(), 60)
        if page.frames:
            await page.ack()


def _steps(page):
    found = {}
    for message in page.of("done"):
        found[message["number"]] = message["step"]
    return [found[number] for number in sorted(found)]


OTHER = {**CONFIG, "attention": {"beta": 1.0}}


def test_what_was_done_is_done_again_and_leads_to_the_same_place():
    sender = Page()

    async def send(page):
        await page.say(type="start", config=CONFIG, playing=False, speed=0.07)
        await page.until(lambda: page.of("predictions"))
        for change in ({"type": "change", "config": OTHER}, {"type": "move", "token": 3, "point": [0.6, 0.8]}):
            for _ in range(4):
                count = len(page.frames)
                await page.say(type="step")
                await page.until(lambda count=count: len(page.frames) > count)
            told = len(page.of("done"))
            await page.say(**change)
            await page.until(lambda told=told: len(page.of("done")) > told)
        await page.say(type="step")
        await page.until(lambda: page.frames[-1][0]["t"] > 0.6)

    async def receive(page):
        last, steps = sender.frames[-1], _steps(sender)
        assert [set(step) - {"t"} for step in steps] == [{"change"}, {"token", "point"}]
        seen = sender.frames[3]
        await page.say(
            type="start", config=CONFIG, playing=False, steps=steps, until=last[0]["t"], seen=seen[0]["t"], speed=0.05
        )
        await _settled(page)
        assert [status["state"] for status in page.of("status") if status["state"] != "compiling"] == [
            "replaying",
            "paused",
        ]
        assert _steps(page) == steps and page.of("ready")[-1]["config"]["attention"]["beta"] == 1.0
        by_time = {header["t"]: arrays["points"] for header, arrays in page.frames}
        for header, arrays in (seen, last):
            assert (by_time[header["t"]] == arrays["points"]).all()
        assert page.frames[-1][0]["t"] == last[0]["t"] and "clusters" in page.frames[-1][0]["scalars"]
        await page.until(lambda: page.of("predictions"))
        assert not page.of("error")

    async def both():
        for test, page in ((send, sender), (receive, Page())):
            page.news = asyncio.Event()
            try:
                await test(page)
            finally:
                await page.session.close()

    asyncio.run(both())


LONG = {**CONFIG, "solve": {"t1": 1e6}}


@pytest.mark.parametrize(
    "act",
    [{"type": "halt"}, {"type": "change", "config": {**LONG, "attention": {"beta": 2.0}}}, {"type": "step"}],
    ids=["halt", "change", "step"],
)
def test_a_replay_ends_where_somebody_acts(act):
    async def test(page):
        await page.say(type="start", config=LONG, steps=[{"t": 9e5, "change": {}}], until=1e6, speed=0.01)
        await page.until(lambda: len(page.frames) > 2)
        assert page.of("status")[-1]["state"] == "replaying"
        await page.say(**act)
        await _settled(page)
        assert page.frames[-1][0]["t"] < 9e5 and not page.of("error")

    in_a_page(test)


def test_a_long_list_of_steps_can_be_stopped_in_the_middle(monkeypatch):
    move = sessions.System.move
    monkeypatch.setattr(sessions.System, "move", lambda self, *to: time.sleep(0.01) or move(self, *to))

    async def test(page):
        steps = [{"t": 0.0, "token": k % 8, "point": [1.0, k / 500]} for k in range(500)]
        await page.say(type="start", config=CONFIG, steps=steps, until=1.0)
        await page.until(lambda: page.of("done"))
        await page.say(type="halt")
        await _settled(page)
        assert 0 < len(_steps(page)) < 500 and page.frames[-1][0]["t"] == 0.0

    in_a_page(test)


def test_a_step_that_is_refused_ends_the_replay_and_says_which():
    async def test(page):
        steps = [{"t": 0.1, "change": {"attention": {"beta": 1.0}}}, {"t": 0.2, "token": 99, "point": [1.0, 0.0]}]
        await page.say(type="start", config=CONFIG, steps=steps, until=1.0)
        await _settled(page)
        await page.until(lambda: page.of("error"))
        assert "step 2 of 2, at t = 0.2" in page.of("error")[0]["message"]
        assert page.frames[-1][0]["t"] == 0.2 and _steps(page) == steps[:1]

    in_a_page(test)


# --- a flood ----------------------------------------------------------------------------------------------------------

ANYTHING = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=6,
)
KEYS = st.sampled_from(["system", "token", "point", "index", "playing", "speed", "config", "steps", "until", "other"])
SECTIONS = st.sampled_from(["geometry", "attention", "initial", "solve", "noise", "heads", "state", "position"])
VALUES = st.sampled_from(["dim", "beta", "n", "kind", "t1", "kappa", "V", "step", "seed"])
CONFIGS = st.dictionaries(SECTIONS, st.dictionaries(VALUES, ANYTHING, max_size=2) | ANYTHING, max_size=3)
STEPS = st.one_of(
    st.fixed_dictionaries({"t": st.floats(0, 2) | ANYTHING, "change": CONFIGS | ANYTHING}),
    st.fixed_dictionaries({"t": st.floats(0, 2) | ANYTHING, "token": ANYTHING, "point": ANYTHING}),
    ANYTHING,
)
MESSAGES = st.fixed_dictionaries(
    {"type": st.sampled_from(TYPES) | ANYTHING},
    optional={
        "system": st.sampled_from([0, 1, 0.5, "0"]),
        "config": CONFIGS,
        "token": st.integers(-2, 9) | ANYTHING,
        "point": st.lists(st.floats(-2, 2), max_size=3) | ANYTHING,
        "index": st.integers(-5, 5) | ANYTHING,
        "speed": st.floats() | ANYTHING,
        "playing": ANYTHING,
        "steps": st.lists(STEPS, max_size=4) | ANYTHING,
        "until": st.floats(0, 2) | ANYTHING,
        "seen": st.floats(0, 2) | ANYTHING,
    },
)
TEXTS = st.one_of(
    MESSAGES.map(json.dumps),
    st.dictionaries(KEYS, ANYTHING).map(json.dumps),
    st.text(max_size=30),
    st.binary(max_size=8),
)


class Quick:
    """A system that computes nothing, so that a flood is about messages; configs are those of the real one."""

    result = None

    def __init__(self, scene, *, number):
        self.scene, self.number, self.index, self.t = scene, number, 0, 0.0

    def described(self):
        return {"type": "ready", "system": self.number}

    program = ""

    def predictions(self):
        return {"type": "predictions", "system": self.number}

    def news(self):
        return []

    def frame(self, latest=0.0):
        self.index += 1
        self.t = max(self.t, latest)
        return pack({"type": "frame", "system": self.number, "index": self.index}, {})

    shown_again = first_frame = frame

    def change(self, scene):
        self.scene.goes_on_as(scene)

    def set_speed(self, speed):
        if not isinstance(speed, float):
            raise InvalidInput("no speed")

    def move(self, token, point):
        if not isinstance(point, list):
            raise InvalidInput("no point")

    def attend(self, token):
        pass


async def _flooded(texts):
    """A session that lives through the texts, with a system that is there."""
    page = Page()
    try:
        await page.say(type="start", config=CONFIG)
        await page.until(lambda: page.of("predictions"))
        for k, text in enumerate(texts):
            await page.session.hear(text)
            if k % 4 == 0:
                await asyncio.sleep(0.001)  # so that some of it is done, and much at once
        assert all("\n" not in error["message"] for error in page.of("error"))
        page.texts.clear()
        await page.say(type="start", config=CONFIG)
        await page.until(lambda: page.of("ready"))
        assert all(slot.task is None or not slot.task.done() for slot in page.session._slots)
    finally:
        await page.session.close()


@settings(max_examples=12, deadline=None, suppress_health_check=list(HealthCheck))
@given(st.lists(TEXTS, min_size=25, max_size=25))
def test_a_session_survives_any_messages(texts):
    with mock.patch.object(sessions, "System", Quick):
        asyncio.run(_flooded(texts))


@pytest.mark.slow
@settings(max_examples=100, deadline=None, suppress_health_check=list(HealthCheck))
@given(st.lists(TEXTS, min_size=25, max_size=25), st.integers(0, 2**32))
def test_a_session_survives_ten_thousand_messages(texts, seed):
    """Each message four times, in other surroundings: to make messages up takes longer than to answer them."""
    orders = np.random.default_rng(seed)
    with mock.patch.object(sessions, "System", Quick):
        asyncio.run(_flooded([texts[k] for _ in range(4) for k in orders.permutation(len(texts))]))


POINTS = st.lists(st.floats(-1, 1), min_size=1, max_size=3)
REAL = st.lists(
    st.one_of(
        st.floats(-2, 50).map(lambda beta: {"type": "change", "config": {**CONFIG, "attention": {"beta": beta}}}),
        st.builds(lambda i, x: {"type": "move", "token": i, "point": x}, st.integers(-1, 8), POINTS),
        st.builds(lambda i: {"type": "attend", "token": i}, st.integers(-1, 8) | st.none()),
        st.builds(lambda p, s: {"type": "play", "playing": p, "speed": s}, st.booleans(), st.floats(-1, 9)),
        st.sampled_from([{"type": "step"}, {"type": "stop"}, {"type": "halt"}, {"type": "start", "config": CONFIG}]),
        st.builds(
            lambda t, beta, i, x: {
                "type": "start",
                "config": CONFIG,
                "steps": [{"t": t, "change": {"attention": {"beta": beta}}}, {"t": t, "token": i, "point": x}],
                "until": 1.0,
            },
            st.floats(-0.5, 1.5),
            st.floats(-2, 50),
            st.integers(-1, 8),
            POINTS,
        ),
    ),
    min_size=40,
    max_size=40,
)


@pytest.mark.slow
@settings(max_examples=10, deadline=None, suppress_health_check=list(HealthCheck))
@given(REAL)
def test_a_real_system_survives_what_pages_can_ask_for(messages):
    asyncio.run(_flooded([json.dumps(message) for message in messages]))
