"""The explorer: frames per second, how soon a change of beta is seen, and how soon the first frame comes.

The server runs in a process of its own, as `tokenfield explore` starts it. First a client without a page acknowledges
each frame when it has unpacked it: these are frames that are computed and sent. Then the page is opened in a Chromium
that draws by software (SwiftShader, no graphics card), on the same cores as the server, and says how many frames came
and how many of them it drew. The first frame is timed from the opening of the socket, with programs compiled by an
earlier run of the server, and with nothing compiled.
"""

from __future__ import annotations

import base64
import contextlib
import json
import os
import subprocess
import sys
import time
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from tokenfield._runtime.files import temporary_folder
from tokenfield.benchmarks.chromium import open_chromium
from tokenfield.benchmarks.measure import peer
from tokenfield.benchmarks.report import Row, Table
from tokenfield.explorer.frames import unpack

GOALS = {"frames per second": 30.0, "change ms": 200.0, "first frame s": 2.0}
LONGEST_S = 120.0
BETAS = (9.0, 4.0, 16.0, 1.0, 25.0)
WIDTH, HEIGHT = 1280, 900
PACE = 0.125  # of the page: 1 is 300 frames for the whole run
SETTLED = 30  # frames
# types a beta into its field, and answers with the milliseconds until a frame of the new model has been drawn
CHANGE = """const [beta, done] = arguments;
const label = [...document.querySelectorAll('.field label')].find(e => e.textContent === 'β');
const input = label.parentElement.querySelector('input[type=number]');
const [began, models] = [performance.now(), explorerCounts.models];
input.value = beta; input.dispatchEvent(new Event('change', {bubbles: true}));
const look = () => explorerCounts.models > models ? done(performance.now() - began) : requestAnimationFrame(look);
look();"""


def run(*, n: int = 2000, frames: int = 300, speed: float = 0.05, watched_s: float = 8.0) -> Iterator[Table]:
    """A table of frames and changes, one of first frames, and one of what a page draws."""
    if peer("websockets") is None or peer("uvicorn") is None:
        yield Table("The explorer", [], ["it needs uvicorn and websockets: pip install 'tokenfield[explore]'"])
        return
    with temporary_folder() as cache:
        firsts: list[Row] = []
        for what in ("nothing compiled", "compiled before"):
            with _server(cache) as address, _Client(address) as client:
                shown = client.start(n, speed)
                goal = GOALS["first frame s"] if what == "compiled before" else None
                firsts.append({"programs": what, "first frame s": shown, "goal s": goal})
                if what == "compiled before":
                    yield Table(
                        f"{n} tokens on S^2, softmax, float32, {frames} frames of {speed:g}",
                        list(_watched(client, frames)),
                        ["frames are computed, sent and unpacked, none is drawn"],
                    )
        yield Table("From the opening of the socket to the first frame", firsts)
        with _server(cache) as address, temporary_folder() as profile:
            rows, notes = _in_browser(address, profile, n, speed, watched_s)
            yield Table(f"The page with {n} tokens, {WIDTH} x {HEIGHT} pixels", rows, notes)


def _in_browser(address: str, profile: Path, n: int, speed: float, watched_s: float) -> tuple[list[Row], list[str]]:
    """What the page of the explorer counts while a browser draws it, and remarks."""
    browser = open_chromium(profile, webgl=True)
    if browser is None:
        return [], ["it needs Chromium, chromedriver and selenium"]
    try:
        browser.set_window_size(WIDTH, HEIGHT)
        scene = {"attention": {"beta": BETAS[0]}, "initial": {"n": n}, "solve": {"t1": 300 * speed / PACE}}
        browser.get(address + fragment({"systems": [scene], "pace": PACE}))
        rows = list(_drawn(browser, watched_s))
    finally:
        browser.quit()
    return rows, ["drawn by software on the cores that the server computes on"]


def _drawn(browser: Any, watched_s: float) -> Iterator[Row]:
    def counts() -> dict[str, float]:
        found: dict[str, float] = browser.execute_script("return {...explorerCounts, now: performance.now()}")
        return found

    while counts()["drawn"] < SETTLED:
        time.sleep(0.05)
    yield {"measured": "first frame drawn after opening, s", "value": counts()["firstMs"] / 1e3, "goal": 2.0}
    before = counts()
    time.sleep(watched_s)
    after = counts()
    seconds = (after["now"] - before["now"]) / 1e3
    for name in ("received", "drawn"):
        rate = (after[name] - before[name]) / seconds
        yield {"measured": f"frames {name} per second", "value": rate, "goal": GOALS["frames per second"]}
    waits = [browser.execute_async_script(CHANGE, beta) for beta in BETAS[1:]]
    yield {"measured": "change of beta until drawn, median ms", "value": float(np.median(waits)), "goal": 200.0}
    yield {"measured": "change of beta until drawn, longest ms", "value": max(waits), "goal": 200.0}


def fragment(state: dict[str, Any]) -> str:
    """The part of an address of the explorer that stands for a state of the page.

    Args:
        state: The state: its `systems`, and how one looks at them.

    Returns:
        `#s=` and what the page reads: base64 of deflated JSON.

    >>> fragment({"systems": []})
    '#s=q1YqU7Iy1FEqriwuSc0tVrKKjq0FAA'
    """
    packer = zlib.compressobj(9, zlib.DEFLATED, -15)
    data = packer.compress(json.dumps({"v": 1, **state}, separators=(",", ":")).encode()) + packer.flush()
    return "#s=" + base64.urlsafe_b64encode(data).decode().rstrip("=")


def _watched(client: _Client, frames: int) -> Iterator[Row]:
    client.frames(10)
    began = time.perf_counter()
    client.frames(frames)
    rate = frames / (time.perf_counter() - began)
    yield {"measured": "frames per second", "value": rate, "goal": GOALS["frames per second"]}
    waits = [client.change(beta) for beta in BETAS[1:]]
    yield {"measured": "change of beta, median ms", "value": 1e3 * float(np.median(waits)), "goal": GOALS["change ms"]}
    yield {"measured": "change of beta, longest ms", "value": 1e3 * max(waits), "goal": GOALS["change ms"]}


@contextlib.contextmanager
def _server(cache: Path) -> Iterator[str]:
    """The address of a server in a process of its own, which compiles into the folder `cache`."""
    kept = {name: value for name, value in os.environ.items() if name != "JAX_COMPILATION_CACHE_DIR"}
    command = [sys.executable, "-m", "tokenfield", "explore", "--no-browser"]
    environment = {**kept, "XDG_CACHE_HOME": str(cache)}
    pipes: dict[str, Any] = {"stdout": subprocess.PIPE, "stderr": subprocess.DEVNULL}
    process = subprocess.Popen(command, env=environment, text=True, **pipes)
    try:
        assert process.stdout is not None
        yield process.stdout.readline().strip()
    finally:
        process.terminate()
        process.wait(30)


class _Client:
    """A page that draws nothing."""

    def __init__(self, address: str) -> None:
        from websockets.sync.client import connect

        self._began, self._opened = time.perf_counter(), contextlib.ExitStack()
        self._socket = self._opened.enter_context(connect(address.replace("http", "ws", 1) + "ws", max_size=None))
        self._config: dict[str, Any] = {}

    def __enter__(self) -> _Client:
        return self

    def __exit__(self, *_: object) -> None:
        self._opened.close()

    def start(self, n: int, speed: float) -> float:
        """Seconds from the opening of the socket to the first frame of a new system."""
        solve = {"t1": 1e6, "dtype": "float32"}
        self._config = {"attention": {"beta": BETAS[0]}, "initial": {"n": n}, "solve": solve}
        self._send({"type": "start", "config": self._config, "playing": True, "speed": speed})
        self.frames(1)
        return time.perf_counter() - self._began

    def frames(self, count: int) -> None:
        """Takes so many frames."""
        while count:
            count -= isinstance(self._next(), bytes)

    def change(self, beta: float) -> float:
        """Seconds from a change of beta to the first frame that shows it."""
        self._config["attention"]["beta"] = beta
        began = time.perf_counter()
        self._send({"type": "change", "config": self._config})
        while True:
            message = self._next()
            if isinstance(message, str) and json.loads(message)["type"] == "ready":
                break
        self.frames(1)
        return time.perf_counter() - began

    def _next(self) -> str | bytes:
        message = self._socket.recv(LONGEST_S)
        if isinstance(message, bytes):
            self._send({"type": "ack", "index": unpack(message)[0]["index"]})
        return message

    def _send(self, message: dict[str, Any]) -> None:
        self._socket.send(json.dumps(message))
