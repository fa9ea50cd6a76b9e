"""The page of the explorer in a real browser, against the real server: everything that one can do on it."""

from __future__ import annotations

import base64
import csv
import io
import json
import os
import subprocess
import sys
import time
import tomllib
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import imageio_ffmpeg
import numpy as np
import pytest
from PIL import Image

from chromium import open_chromium, resize
from tokenfield.benchmarks.explorer import fragment
from tokenfield.explorer.frames import unpack

pytestmark = pytest.mark.slow

PATIENCE_S = 180.0  # to compile a model on a busy machine; who waits for something goes on as soon as it is there
AXE = Path(__file__).parents[2] / "src/tokenfield/explorer/web/node_modules/axe-core/axe.min.js"
SPHERE = {"geometry": {"dim": 3}, "attention": {"beta": 4.0}, "initial": {"n": 24, "seed": 1}, "solve": {"t1": 20.0}}
# two tokens whose places are known: at the top of the circle, and to the right below
PAIR = {
    "geometry": {"dim": 2},
    "attention": {"beta": 1.0},
    "initial": {"kind": "points", "points": [[0.0, 1.0], [0.8, -0.6]]},
    "solve": {"t1": 8.0},
}
UNIT = 0.33  # the radius of the drawn circle, as a share of the smaller side of the stage


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    command = [sys.executable, "-m", "tokenfield", "explore", "--no-browser", "--port", "0"]
    server = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    assert server.stdout is not None
    found = next((word for word in server.stdout.readline().split() if word.startswith("http://")), None)
    assert found, "the server did not say where it is"
    yield found
    server.terminate()
    server.wait(10)


@pytest.fixture(scope="module")
def browser(tmp_path_factory) -> Iterator[Any]:
    chrome = open_chromium(tmp_path_factory.mktemp("profile"), webgl=True)
    yield chrome
    chrome.quit()


@pytest.fixture
def downloads(browser, tmp_path) -> Path:
    settings = {"behavior": "allow", "downloadPath": str(tmp_path)}
    browser.execute_cdp_cmd("Browser.setDownloadBehavior", settings)
    return tmp_path


def _wait(condition: Callable[[], Any], what: str, patience: float = PATIENCE_S) -> Any:
    """What the condition gives once it is true."""
    end = time.monotonic() + patience
    while time.monotonic() < end:
        if found := condition():
            return found
        time.sleep(0.05)
    raise AssertionError(f"waited in vain for {what}")


def _fragment(*systems: dict[str, Any], **more: Any) -> str:
    return fragment({"systems": systems, **more})


def _state(address: str) -> dict[str, Any]:
    """The state that an address of the page holds."""
    text = address.partition("#s=")[2]
    return json.loads(zlib.decompress(base64.urlsafe_b64decode(text + "=" * (-len(text) % 4)), -15))


def _now(state: dict[str, Any], system: int = 0) -> dict[str, Any]:
    """The tables that a system of a state has now: those that it started with, and what was changed since."""
    tables = dict(state["systems"][system])
    for step in (state.get("standing") or [])[system : system + 1] or [None]:
        for done in step["steps"] if step else []:
            tables |= done.get("change", {})
    return {name: table for name, table in tables.items() if table is not None}


def _open(browser, address: str, *, width: int = 1280, height: int = 900, scheme: str = "light") -> None:
    resize(browser, width=width, height=height, scheme=scheme)
    browser.get("about:blank")  # so that a change of the fragment alone loads the page anew
    browser.get_log("browser")
    browser.get(address)
    _wait(lambda: _run(browser, "return document.querySelector('.field, .recorded') !== null"), "the page")
    _wait(lambda: _frames(browser) > 1 or not _is_playing(browser), "frames")


def _run(browser, script: str, *arguments: Any) -> Any:
    return browser.execute_script(script, *arguments)


def _text(browser, selector: str) -> str:
    return _run(browser, "return document.querySelector(arguments[0])?.textContent ?? ''", selector)


def _frames(browser) -> int:
    return int(_run(browser, "return document.querySelector('.scrub')?.max ?? 0"))


def _is_playing(browser) -> bool:
    return _run(browser, "return document.querySelector('.play')?.getAttribute('aria-label') === 'Pause'")


def _stage(browser, place: int = 0) -> str:
    """What the stage shows, in words."""
    return _run(
        browser, "return document.querySelectorAll('.stage')[arguments[0]]?.getAttribute('aria-label') ?? ''", place
    )


def _time(browser) -> float:
    words = _text(browser, ".time").removeprefix("t = ")
    return float(words) if words and "·" not in words else -1.0


def _click(browser, text: str, within: str = "body") -> None:
    """Clicks the button whose text or name begins with these words."""
    script = """const fits = e => (e.getAttribute('aria-label') ?? e.textContent).trim().startsWith(arguments[0]);
    const found = [...document.querySelectorAll(`${arguments[1]} button`)].find(fits);
    found?.click(); return Boolean(found);"""
    assert _run(browser, script, text, within), f"there is no button {text!r}"


def _field(browser, label: str, value: Any) -> None:
    """Puts a value into the field with this label, as people do."""
    script = """const label = [...document.querySelectorAll('.field label')].find(e => e.textContent === arguments[0]);
    const row = label.parentElement;
    const input = row.querySelector('select') ?? row.querySelector('input[type=number]');
    input.value = arguments[1]; input.dispatchEvent(new Event('change', {bubbles: true}));"""
    _run(browser, script, label, str(value))


def _value(browser, label: str) -> str:
    script = """const label = [...document.querySelectorAll('.field label')].find(e => e.textContent === arguments[0]);
    const row = label.parentElement;
    return (row.querySelector('select') ?? row.querySelector('input[type=number]')).value;"""
    return _run(browser, script, label)


def _mouse(browser, *moves: tuple[float, float]) -> None:
    """Presses the mouse at the first place, moves it to the others, and lets it go."""
    kinds = ["mousePressed", *["mouseMoved"] * (len(moves) - 1), "mouseReleased"]
    for kind, (x, y) in zip(kinds, [*moves, moves[-1]], strict=True):
        event = {"type": kind, "x": x, "y": y, "button": "left", "buttons": 1, "clickCount": 1}
        browser.execute_cdp_cmd("Input.dispatchMouseEvent", event)


def _touch(browser, *moves: tuple[float, float]) -> None:
    """Puts a finger on the first place, moves it to the others, and lifts it."""
    kinds = ["touchStart", *["touchMove"] * (len(moves) - 1), "touchEnd"]
    for kind, place in zip(kinds, [*moves, None], strict=True):
        points = [] if place is None else [{"x": place[0], "y": place[1]}]
        browser.execute_cdp_cmd("Input.dispatchTouchEvent", {"type": kind, "touchPoints": points})


def _keys(browser, *keys: str) -> None:
    from selenium.webdriver import ActionChains

    for key in keys:
        ActionChains(browser).send_keys(key).perform()


def _shifted(browser, key: str, times: int) -> None:
    """Presses a key a few times while shift is held."""
    from selenium.webdriver import ActionChains
    from selenium.webdriver.common.keys import Keys

    keys = ActionChains(browser).key_down(Keys.SHIFT)
    for _ in range(times):
        keys.send_keys(getattr(Keys, key))
    keys.key_up(Keys.SHIFT).perform()


def _complaints(browser) -> list[str]:
    """What the console says, but for remarks about drawing by software."""
    return [entry["message"] for entry in browser.get_log("browser") if "GL Driver Message" not in entry["message"]]


def _box(browser, selector: str) -> list[float]:
    """Left, top, width and height of an element, in pixels of the window."""
    script = (
        "const b = document.querySelector(arguments[0]).getBoundingClientRect(); return [b.x, b.y, b.width, b.height]"
    )
    return _run(browser, script, selector)


def _plot(browser, title: str) -> str:
    """What a plot shows, in words."""
    script = """const plots = [...document.querySelectorAll('.plot .canvas')].map(e => e.getAttribute('aria-label'));
    return plots.find(e => e?.startsWith(arguments[0])) ?? ''"""
    return _run(browser, script, title)


def _on_circle(browser, x: float, y: float) -> tuple[float, float]:
    """Where a point of the plane is drawn, in pixels of the window."""
    left, top, width, height = _box(browser, ".stage")
    unit = UNIT * min(width, height)
    return left + width / 2 + unit * x, top + height / 2 - unit * y


def test_it_loads_and_plays_with_nothing_but_the_server(browser, address):
    browser.get_log("performance")
    _open(browser, address + _fragment(SPHERE))
    _wait(lambda: _time(browser) > 0.5, "time to pass")
    assert _stage(browser).startswith("24 tokens on the sphere in 3 dimensions")
    assert _complaints(browser) == []
    messages = [json.loads(entry["message"])["message"] for entry in browser.get_log("performance")]
    asked = [m["params"]["request"]["url"] for m in messages if m["method"] == "Network.requestWillBeSent"]
    assert asked
    assert {url for url in asked if not url.startswith((address, "data:", "about:", "blob:"))} == set()
    _click(browser, "Pause")
    _wait(lambda: not _is_playing(browser), "the pause")
    time.sleep(0.3)  # frames that were on their way
    shown = _frames(browser)
    _click(browser, "One frame on")
    _wait(lambda: _frames(browser) == shown + 1, "one more frame")


def test_beta_is_dragged_while_tokens_go_on(browser, address):
    _open(browser, address + _fragment(SPHERE, pace=0.125))
    _wait(lambda: _frames(browser) > 5, "frames")
    before = _frames(browser)
    script = """const label = [...document.querySelectorAll('.field label')].find(e => e.textContent === 'β');
    const b = label.parentElement.querySelector('input[type=range]').getBoundingClientRect();
    return [b.x, b.y + b.height / 2, b.width];"""
    x, y, width = _run(browser, script)
    places = [(x + width * share, y) for share in (0.53, 0.6, 0.7, 0.8)]
    _mouse(browser, *places)
    beta = float(_value(browser, "β"))
    assert beta > 20
    _wait(lambda: _now(_state(browser.current_url))["attention"]["beta"] == beta, "the address")
    _wait(lambda: _frames(browser) > before + 2, "the run to go on")
    assert _text(browser, ".notice") == ""


def test_dimension_and_attention_are_switched(browser, address):
    _open(browser, address + _fragment(SPHERE))
    _field(browser, "Attention", "unnormalized")
    _wait(lambda: _text(browser, ".equation").startswith("n⁻¹"), "the equation")
    _field(browser, "d", 2)
    _wait(lambda: "on the circle" in _stage(browser), "the circle")
    _field(browser, "d", 5)
    _wait(lambda: "in 5 dimensions" in _stage(browser), "five dimensions")
    assert _run(browser, "return document.querySelectorAll('.stage.split .cosines canvas').length") == 1
    _field(browser, "Attention", "softmax")
    _field(browser, "Space", "euclidean")
    _wait(lambda: "on R^5" in _stage(browser), "R^5")


def test_heads_have_the_matrix_that_is_chosen(browser, address):
    _open(browser, address + _fragment(PAIR))
    _field(browser, "V", "minus")
    _field(browser, "Heads", 2)
    _wait(lambda: len(_now(_state(browser.current_url)).get("heads", [])) == 2, "two heads")
    heads = _now(_state(browser.current_url))["heads"]
    assert [head["V"] for head in heads] == [[[-1, 0], [0, -1]]] * 2
    assert _value(browser, "V") == "minus"
    _wait(lambda: _text(browser, ".notice") == "" and _time(browser) > 1, "the run to go on")
    _field(browser, "Heads", 1)
    _wait(lambda: _now(_state(browser.current_url))["attention"].get("V") == [[-1, 0], [0, -1]], "one head")
    assert _text(browser, ".notice.error") == ""


def test_light_or_dark_is_chosen_at_once_and_remembered(browser, address):
    paper = "return getComputedStyle(document.body).backgroundColor"
    _open(browser, address + _fragment(PAIR, playing=False))
    light = _run(browser, paper)
    _click(browser, "Light or dark")
    dark = _run(browser, paper)
    _open(browser, address + _fragment(PAIR, playing=False))
    assert _run(browser, paper) == dark != light
    _run(browser, "localStorage.clear()")


def test_a_density_is_drawn_on_the_sphere(browser, address):
    law = {"kind": "noisy-uniform", "amplitude": 0.05, "seed": 0}
    sphere = {"state": {"kind": "density", "grid": "harmonics", "nodes": 12}, "initial": law, "solve": {"t1": 2.0}}
    _open(browser, address + _fragment({"attention": {"beta": 4.0}, **sphere}))
    _wait(lambda: _frames(browser) > 5, "frames")
    assert _stage(browser).startswith("a density on the sphere in 3 dimensions")
    assert _complaints(browser) == []


def test_a_token_is_pinned_and_dragged(browser, address):
    _open(browser, address + _fragment(PAIR, playing=False))
    _wait(lambda: _text(browser, ".value"), "measures")
    top = _on_circle(browser, 0, 1)
    _mouse(browser, top)
    _wait(lambda: _text(browser, ".readout").startswith("token 0 gives 0."), "its attention")
    _wait(lambda: _state(browser.current_url).get("view", {}).get("pinned") == [0], "the address")

    _wait(lambda: "mean −0.6" in _plot(browser, "Cosines"), "the cosine of the start")
    _mouse(browser, top, _on_circle(browser, 0.6, 0.8), _on_circle(browser, 1, 0))
    # at (1, 0) the cosine with (0.8, -0.6) is 0.8
    _wait(lambda: "mean 0.8" in _plot(browser, "Cosines"), "the cosine after the move")
    _mouse(browser, _on_circle(browser, 1, 0))
    _wait(lambda: _state(browser.current_url)["view"]["pinned"] == [None], "the token to be let go")


def test_a_token_of_four_dimensions_is_moved_in_the_projection(browser, address):
    points = [[0.0, 1.0, 0.0, 0.0], [0.8, -0.6, 0.0, 0.0]]
    start = {**PAIR, "geometry": {"dim": 4}, "initial": {"kind": "points", "points": points}}
    _open(browser, address + _fragment(start, playing=False))
    _wait(lambda: "mean −0.6" in _plot(browser, "Cosines"), "the cosine of the start")
    _run(browser, "document.querySelector('.stage').focus()")
    _keys(browser, "]")
    _wait(lambda: _text(browser, ".readout").startswith("token 0"), "the token")
    _shifted(browser, "ARROW_DOWN", 4)
    _wait(lambda: "mean" in (now := _plot(browser, "Cosines")) and "mean −0.6," not in now, "the token to move")
    assert _text(browser, ".notice") == ""


def test_the_clock_goes_to_long_times_with_merging(browser, address):
    _open(browser, address + _fragment({**PAIR, "attention": {"beta": 4.0}}))
    _click(browser, "log", ".transport")
    _wait(lambda: _text(browser, ".time") == "t = 10³⁰", "the end of the staircase")
    _wait(lambda: not _is_playing(browser), "that it rests")
    _click(browser, "Play")
    _wait(lambda: 0 < int(_run(browser, "return document.querySelector('.scrub').value")) < 150, "that it plays again")
    assert _run(browser, "return document.querySelector('.transport [aria-pressed=true]').textContent") == "log"
    assert _complaints(browser) == []


def test_what_does_not_go_together_is_grey_with_the_reason(browser, address):
    """Logarithmic time joins equal tokens, which positions and noise tell apart."""
    causal = "[...document.querySelectorAll('.check')].find(e => e.textContent === 'Causal')"
    log = "[...document.querySelectorAll('.transport .segments button')].at(-1)"

    def state(what: str) -> list[Any]:
        return _run(browser, f"const e = {what}; return [(e.querySelector('input') ?? e).disabled, e.title]")

    _open(browser, address + _fragment({**SPHERE, "position": {"causal": True}}))
    _wait(lambda: state(log)[0], "logarithmic time to be refused")
    assert "tokens that move alike when equal: no positions" in state(log)[1]
    _run(browser, f"{causal}.querySelector('input').click()")  # without it, it can be chosen
    _wait(lambda: not state(log)[0] and "t = 10" in state(log)[1], "logarithmic time")
    _click(browser, "log", ".transport")
    _wait(lambda: state(causal)[0], "the mask to be refused")
    assert state(causal)[1].endswith("Choose linear time first")
    _click(browser, "linear", ".transport")
    _wait(lambda: not state(causal)[0] and "sees itself" in state(causal)[1], "the mask")
    assert _complaints(browser) == []


def test_the_past_is_scrubbed_and_played_again(browser, address):
    _open(browser, address + _fragment(SPHERE))
    _wait(lambda: _frames(browser) > 10, "frames")
    _run(browser, "document.querySelector('.scrub').focus()")
    from selenium.webdriver.common.keys import Keys

    _keys(browser, Keys.HOME)
    _wait(lambda: _time(browser) == 0, "the first frame")
    assert not _is_playing(browser)
    _keys(browser, Keys.ARROW_RIGHT, Keys.ARROW_RIGHT)
    _wait(lambda: _run(browser, "return document.querySelector('.scrub').value") == "2", "the third frame")
    _click(browser, "Play")
    _wait(lambda: int(_run(browser, "return document.querySelector('.scrub').value")) > 12, "what follows")
    _click(browser, "Pause")
    _click(browser, "Restart")
    _wait(lambda: _frames(browser) == 0, "a new start")


def test_gallery_and_tour(browser, address):
    _open(browser, address + _fragment(SPHERE))
    _click(browser, "Gallery")
    scenes = _run(browser, "return [...document.querySelectorAll('dialog .scene')].map(e => e.innerText)")
    assert len(scenes) > 20
    assert all("arXiv" in scene for scene in scenes)
    pictures = _run(browser, "return [...document.querySelectorAll('.thumbnail')].map(e => e.style.backgroundImage)")
    assert len(pictures) == len(scenes)
    script = """const [name, done] = arguments; const image = new Image();
    image.onload = () => done(image.width); image.onerror = () => done(0); image.src = name.slice(5, -2)"""
    loaded = browser.execute_async_script(script, pictures[0])
    assert loaded > 100
    _click(browser, "Clusters on the circle", "dialog")
    _wait(lambda: _stage(browser).startswith("32 tokens on the circle"), "the scene")
    assert _run(browser, "return document.querySelectorAll('dialog').length") == 0
    _click(browser, "Tour")
    assert _text(browser, ".tour .count") == "1 of 7"
    _wait(lambda: _stage(browser).startswith("2 tokens on the circle"), "the first stop")
    for stop in range(2, 8):
        _click(browser, "Next", ".tour")
        assert _text(browser, ".tour .count") == f"{stop} of 7"
    _click(browser, "Finish", ".tour")
    assert _run(browser, "return document.querySelector('.tour').hidden")
    _open(browser, address + "?scene=circle")
    assert _stage(browser).startswith("32 tokens on the circle")


def test_the_address_brings_everything_back(browser, address):
    _open(browser, address + _fragment(SPHERE))
    _field(browser, "β", 2.5)
    _wait(lambda: _now(_state(browser.current_url))["attention"]["beta"] == 2.5, "the address")
    _run(browser, "document.querySelector('.stage').focus()")
    _keys(browser, "+", "+", "]")
    _wait(lambda: _state(browser.current_url)["view"]["zoom"] > 1.2, "the zoom")
    _wait(lambda: _state(browser.current_url).get("view", {}).get("pinned") == [0], "the pin")
    _click(browser, "Take it with you")
    shared = _wait(lambda: _run(browser, "return document.querySelector('dialog .address input').value"), "the address")
    before = _state(shared)
    _open(browser, shared)
    _wait(lambda: _text(browser, ".readout").startswith("token 0 gives"), "the pinned token")
    assert _value(browser, "β") == "2.5"
    _wait(lambda: _state(browser.current_url)["view"] == before["view"], "the same view")
    assert _state(browser.current_url)["systems"] == before["systems"]


# keeps the frames that come, as base64 by system and time; the last one of a time counts
KEEP_FRAMES = """window.kept = new Map();
const Old = WebSocket;
window.WebSocket = class extends Old {
  constructor(...all) {
    super(...all);
    this.addEventListener('message', ({data}) => {
      if (typeof data === 'string') return;
      const length = new DataView(data).getUint32(0, true);
      const {system, t} = JSON.parse(new TextDecoder().decode(new Uint8Array(data, 4, length)));
      kept.set(`${system} ${t}`, data);
    });
  }
};"""
SHOWN = """const data = kept.get(arguments[0]);
return data ? btoa(Array.from(new Uint8Array(data), b => String.fromCharCode(b)).join('')) : null;"""


def _positions(browser, state: dict[str, Any], system: int) -> np.ndarray:
    """The tokens, or the density, of the frame that a page with this state shows of a system."""
    standing = state["standing"][system]
    t = _run(browser, "return String(arguments[0])", standing.get("seen", standing["until"]))
    text = _wait(lambda: _run(browser, SHOWN, f"{system} {t}"), f"the frame of system {system} at t = {t}", 20)
    arrays = unpack(base64.b64decode(text))[1]
    return arrays["points"] if "points" in arrays else arrays["density"]


def _scrub(browser, index: int) -> None:
    script = "const s = document.querySelector('.scrub'); s.value = arguments[0]; s.dispatchEvent(new Event('input'))"
    _run(browser, script, index)


def test_who_opens_the_address_stands_where_its_sender_stood(browser, address):
    """Two systems, both changed on the way, a token of one moved, and an earlier time looked at."""
    kept = browser.execute_cdp_cmd("Page.addScriptToEvaluateOnNewDocument", {"source": KEEP_FRAMES})
    try:
        other = {**PAIR, "attention": {"beta": 4.0}}
        _open(browser, address + _fragment(PAIR, other, pace=0.5))
        for system, beta in (("B", 7), ("A", 3)):
            before = _frames(browser)
            _wait(lambda before=before: _frames(browser) > before + 10, "frames")
            _click(browser, f"System {system}", ".tabs")
            _field(browser, "β", beta)
        _wait(lambda: len(_state(browser.current_url)["standing"][0]["steps"]) == 1, "the change of A")
        _click(browser, "Pause")
        time.sleep(0.5)  # frames that were on their way
        _run(browser, "document.querySelectorAll('.stage')[1].focus()")
        _keys(browser, "]")
        _wait(lambda: _state(browser.current_url)["view"]["pinned"] == [None, 0], "the pin in B")
        _shifted(browser, "ARROW_LEFT", 5)
        _wait(lambda: len(_state(browser.current_url)["standing"][1]["steps"]) == 2, "the move in B")
        _click(browser, "One frame on")
        for place in (None, _frames(browser) // 2):  # where it is now, and in the past
            if place is not None:
                _scrub(browser, place)
            time.sleep(0.8)  # until the address is written
            sent = _state(shared := browser.current_url)
            seen = [_positions(browser, sent, system) for system in (0, 1)]
            _open(browser, shared)
            _wait(lambda: _run(browser, "return document.querySelector('.replaying').hidden"), "the replay")
            _wait(lambda sent=sent: _state(browser.current_url) == sent, "the same state")
            for system in (0, 1):
                np.testing.assert_array_equal(_positions(browser, sent, system), seen[system])
            assert not _is_playing(browser) and _text(browser, ".notice.error") == ""
        assert ("seen" in sent["standing"][0], _value(browser, "β")) == (True, "3")
        assert _complaints(browser) == []
    finally:
        browser.execute_cdp_cmd("Page.removeScriptToEvaluateOnNewDocument", kept)


def test_a_replay_can_be_stopped_and_what_cannot_be_done_is_said(browser, address):
    far = {**SPHERE, "solve": {"t1": 1e6}}
    standing = [{"steps": [{"t": 9e5, "change": {"attention": {"beta": 1.0}}}], "until": 1e6}]
    _open(browser, address + _fragment(far, standing=standing, pace=0.001))
    assert "Replaying to t = 10⁶, with the change" in _text(browser, ".replaying")
    assert _faults(browser) == []
    assert _state(browser.current_url)["standing"] == standing  # not yet there
    _click(browser, "Stop here")
    _wait(lambda: _run(browser, "return document.querySelector('.replaying').hidden"), "the end of the replay")
    assert not _is_playing(browser)
    assert _value(browser, "β") == "4"
    standing[0]["steps"] = [{"t": 0.0, "token": 99, "point": [0, 0, 1]}]
    _open(browser, address + _fragment(far, standing=standing))
    _wait(lambda: "step 1 of 1, at t = 0: tokens are numbered" in _text(browser, ".notice.error"), "the refusal")
    steps = [{"t": 0.0, "token": 0, "point": [0, 0, 1]}] * 1001
    _open(browser, address + _fragment(far, standing=[{"steps": steps, "until": 1.0}]))
    _wait(lambda: "at most 1000: each one begins" in _text(browser, ".notice.error"), "the limit")
    _open(browser, address + "#s=cut-off")
    _wait(lambda: "cannot read: it may have been cut off" in _text(browser, ".address-note"), "that it was not read")
    assert _stage(browser).startswith("1000 tokens on the sphere")
    _run(browser, "location.hash = arguments[0]", _fragment(PAIR, playing=False))
    _wait(lambda: _stage(browser).startswith("2 tokens on the circle"), "a scene that is pasted")


def test_what_no_address_can_hold_is_said_and_the_program_has_it(browser, address):
    rng = np.random.default_rng(0)
    steps = [{"t": 0.0, "token": k % 24, "point": rng.normal(size=3).tolist()} for k in range(300)]
    _open(browser, address + _fragment(SPHERE, standing=[{"steps": steps, "until": 0.1}], playing=False))
    _wait(lambda: "no address can hold it" in _text(browser, ".address-note"), "the line under the stage")
    _wait(lambda: _run(browser, "return document.querySelector('.replaying').hidden"), "the replay")
    assert _faults(browser) == []
    _click(browser, "Take it with you", ".address-note")
    _wait(lambda: "the program below has all of it" in _text(browser, "dialog.takeaway"), "what to do")
    shared = _run(browser, "return document.querySelector('dialog .address input').value")
    assert len(shared) < 8000
    assert "standing" not in _state(shared)


def test_exports_can_be_opened_again(browser, address, downloads):
    _open(browser, address + _fragment(SPHERE, pace=0.125))  # so slow that it moves while movies are made
    _wait(lambda: _frames(browser) > 10, "frames")
    _click(browser, "Take it with you")
    for item in ("Picture", "Numbers", "Config", "Program"):
        _click(browser, item, "dialog")
    for kind in ("Movie, MP4", "Movie, WebM"):
        _click(browser, kind, "dialog")
        time.sleep(0.8)  # what the movie shows
        _click(browser, "Take it with you")
        _click(browser, "Stop the movie", "dialog")
        _click(browser, "Take it with you")
    names = {"tokens.png", "plots.csv", "config.toml", "scene.py", "tokens.mp4", "tokens.webm"}
    _wait(lambda: names <= {path.name for path in downloads.iterdir()}, "the files", 15)
    time.sleep(0.2)

    picture = np.asarray(Image.open(downloads / "tokens.png").convert("RGB"))
    assert min(picture.shape[:2]) > 600
    assert len(np.unique(picture.reshape(-1, 3), axis=0)) > 50
    rows = list(csv.DictReader(io.StringIO((downloads / "plots.csv").read_text())))
    cosines = [float(row["value"]) for row in rows if row["line"] == "mean"]
    assert len(cosines) > 5
    assert all(-1 <= cosine <= 1 for cosine in cosines)
    tables = tomllib.loads((downloads / "config.toml").read_text())
    assert tables["attention"]["beta"] == 4.0
    assert tables["initial"]["n"] == 24
    found: dict[str, Any] = {}
    exec((downloads / "scene.py").read_text(), found)
    assert found["config"].initial.n == 24
    assert len(found["run"].ts) > 1
    # the encoder of WebM leaves out what it has no time for: on a busy machine almost everything
    for ending, codec, least in (("mp4", "h264", 3), ("webm", "vp", 1)):
        frames = imageio_ffmpeg.read_frames(str(downloads / f"tokens.{ending}"))
        about = next(frames)
        assert about["codec"].startswith(codec)
        width, height = about["size"]
        pictures = [np.frombuffer(frame, np.uint8).reshape(height, width, 3) for frame in frames]
        assert len(pictures) >= least, ending
        assert np.ptp(pictures[-1].astype(int)) > 100, "the movie shows tokens"


def test_two_systems_with_one_difference(browser, address):
    _open(browser, address + _fragment(SPHERE))
    _click(browser, "Compare")
    _click(browser, "Another β", "dialog")
    _wait(lambda: "24 tokens" in _stage(browser, 1), "the second system")
    captions = _run(browser, "return [...document.querySelectorAll('.caption')].map(e => e.textContent)")
    assert captions == ["A  β = 4", "B  β = 1"]
    _click(browser, "System B", ".tabs")
    assert _value(browser, "β") == "1"
    _field(browser, "β", 16)
    _wait(lambda: _now(_state(browser.current_url), 1)["attention"]["beta"] == 16, "the address")
    assert _now(_state(browser.current_url))["attention"]["beta"] == 4
    _wait(lambda: "k = 1 B" in _plot(browser, "Harmonics"), "the harmonics of both")
    _wait(
        lambda: _run(browser, "return document.querySelectorAll('.card .of-system').length >= 2"), "predictions of both"
    )
    shared = browser.current_url
    _open(browser, shared)
    _wait(lambda: "24 tokens" in _stage(browser, 1), "both again")
    assert _state(browser.current_url)["systems"] == _state(shared)["systems"]
    _click(browser, "Compare")
    _click(browser, "One system again", "dialog")
    _wait(lambda: _run(browser, "return document.querySelectorAll('.stage').length") == 1, "one system")


def test_a_refusal_is_shown_and_can_be_taken_back(browser, address):
    _open(browser, address + _fragment(SPHERE))
    _field(browser, "n", 1_000_000_000)
    notice = _wait(lambda: _text(browser, ".notice.error"), "the refusal")
    assert "at most 20000" in notice.replace("2e+04", "20000").replace(",", "")
    _field(browser, "n", 25)
    _wait(lambda: _stage(browser).startswith("25 tokens"), "25 tokens")
    assert _text(browser, ".notice.error") == ""


def test_it_fits_a_phone(browser, address):
    _open(browser, address + _fragment(SPHERE), width=360, height=740)
    _wait(lambda: _time(browser) > 0, "time to pass")
    assert _run(browser, "return document.documentElement.scrollWidth") <= 360
    _, top, width, height = _box(browser, ".stage")
    assert width > 340
    assert top + height < 740
    script = """const outside = e => e.offsetParent && e.getBoundingClientRect().right > 361 && !e.closest('nav');
    return [...document.querySelectorAll('button, select, input')].filter(outside).map(e => e.outerHTML)"""
    hidden = _run(browser, script)
    assert hidden == []
    assert _run(browser, "const n = document.querySelector('nav'); return n.scrollWidth <= n.clientWidth")
    left, top, width, height = _box(browser, ".stage")
    before = _wait(lambda: _state(browser.current_url).get("view"), "the address")["rotation"]
    _touch(browser, *[(left + 20 + 12 * k, top + height - 30) for k in range(5)])
    _wait(lambda: _rotation(browser) != before, "a turn by touch")
    _click(browser, "Gallery")
    assert _run(browser, "return document.querySelector('dialog').getBoundingClientRect().width") <= 360


def test_all_of_it_works_by_keyboard(browser, address):
    from selenium.webdriver.common.keys import Keys

    _open(browser, address + _fragment(SPHERE))
    _wait(lambda: _is_playing(browser), "the run")
    _keys(browser, " ")
    _wait(lambda: not _is_playing(browser), "the pause")
    focused: set[str] = set()
    for _ in range(60):
        _keys(browser, Keys.TAB)
        script = """const e = document.activeElement;
        return [e.className, e.getAttribute('aria-label') ?? e.labels?.[0]?.textContent ?? e.textContent.trim(),
                getComputedStyle(e).outlineStyle]"""
        kind, name, outline = _run(browser, script)
        if _run(browser, "return document.activeElement === document.body"):
            continue  # between the last and the first
        assert name, f"{kind} has no name"
        assert outline != "none", f"one does not see that {name} has the focus"
        focused.add("stage" if kind.startswith("stage") else name)
        if kind.startswith("stage"):
            before = _rotation(browser)
            _keys(browser, Keys.ARROW_LEFT, "]")
            _wait(lambda: _text(browser, ".readout").startswith("token 0"), "a token")
            _wait(lambda before=before: _rotation(browser) != before, "a turn")
    assert {"stage", "Gallery", "Tour", "Attention", "β", "Play", "Restart", "Speed"} <= focused
    _keys(browser, "g")
    _wait(lambda: _run(browser, "return document.querySelector('dialog')?.open"), "the gallery")
    _keys(browser, Keys.ESCAPE)
    _wait(lambda: _run(browser, "return document.querySelectorAll('dialog').length === 0"), "the dialog to close")


def _rotation(browser) -> Any:
    """How the stage is turned, as the address says; it does not say so before it was turned."""
    return _state(browser.current_url).get("view", {}).get("rotation")


def _faults(browser) -> list[Any]:
    """What axe-core finds on the page that is serious or worse."""
    if not AXE.exists():
        if os.environ.get("CI"):
            pytest.fail("make explorer-check installs axe-core")
        pytest.skip("axe-core is not installed: make explorer")
    if not _run(browser, "return Boolean(window.axe)"):
        browser.execute_script(AXE.read_text())
    found = browser.execute_async_script("axe.run().then(arguments[0])")
    return [
        (violation["id"], [node["html"][:120] for node in violation["nodes"]])
        for violation in found["violations"]
        if violation["impact"] in ("serious", "critical")
    ]


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_no_serious_fault(browser, address, scheme):
    _open(browser, address + _fragment(SPHERE), scheme=scheme)
    _wait(lambda: "Fastest" in _text(browser, ".theory") or _text(browser, ".others"), "predictions")
    _run(browser, "for (const e of document.querySelectorAll('details')) e.open = true")
    for dialog in (None, "Gallery", "Compare", "Take it with you", "A real sentence"):
        if dialog:
            _click(browser, dialog)
        assert _faults(browser) == [], f"on {dialog or 'the page'}"
        _run(browser, "document.querySelector('dialog')?.close()")
    _click(browser, "Tour")
    assert _faults(browser) == [], "on the tour"


def test_a_sentence_or_how_to_get_a_model(browser, address):
    _open(browser, address + _fragment(SPHERE))
    _click(browser, "A real sentence")
    words = _text(browser, "dialog.sentence")
    if "tokenfield pretrained fetch" in words:
        return
    _wait(lambda: "Mean cosine" in _text(browser, "dialog .facts"), "the first layer")
    assert _text(browser, "dialog .facts .error") == ""


NOTHING_FETCHED = """const parse = JSON.parse;
JSON.parse = (...all) => {
  const found = parse(...all);
  for (const model of found?.sentences?.models ?? []) model.fetched = false;
  return found;
};"""


def test_without_a_fetched_model_the_panel_says_how_to_get_one(browser, address):
    script = browser.execute_cdp_cmd("Page.addScriptToEvaluateOnNewDocument", {"source": NOTHING_FETCHED})
    try:
        for scheme, width in (("light", 1280), ("dark", 360)):
            _open(browser, address + _fragment(PAIR, playing=False), scheme=scheme, width=width)
            _click(browser, "A real sentence", "nav")
            codes = _run(browser, "return [...document.querySelectorAll('dialog code')].map(e => e.textContent)")
            assert {"tokenfield pretrained fetch minilm", "tokenfield pretrained fetch smollm2"} <= set(codes)
            left, _, wide, _ = _box(browser, "dialog.sentence")
            assert left >= 0
            assert left + wide <= width
            assert _run(browser, "const d = document.querySelector('dialog'); return d.scrollWidth <= d.clientWidth")
            assert _faults(browser) == [], scheme
        _click(browser, "Look again", "dialog")
        _wait(lambda: "2 tokens on the circle" in _stage(browser) and not _text(browser, "dialog"), "the page again")
    finally:
        browser.execute_cdp_cmd("Page.removeScriptToEvaluateOnNewDocument", script)


def test_an_exported_scene_plays_from_disk_without_a_network(browser, tmp_path):
    from tokenfield.explorer.export import export

    config = tmp_path / "config.toml"
    config.write_text("[attention]\nbeta = 4.0\n[initial]\nn = 24\n[solve]\nt1 = 5.0\n")
    page = export(config, tmp_path / "scene.html", frames=60)
    offline = {"offline": True, "latency": 0, "downloadThroughput": 0, "uploadThroughput": 0}
    browser.execute_cdp_cmd("Network.enable", {})
    browser.execute_cdp_cmd("Network.emulateNetworkConditions", offline)
    browser.get_log("performance")
    try:
        _open(browser, page.as_uri())
        _wait(lambda: _time(browser) > 1, "time to pass")
        assert _stage(browser).startswith("24 tokens on the sphere")
        _wait(lambda: _time(browser) == 5 and not _is_playing(browser), "the end")
        script = "const s = document.querySelector('.scrub'); s.value = 0; s.dispatchEvent(new Event('input'))"
        _run(browser, script)
        _wait(lambda: _time(browser) == 0, "the first frame")
        assert len(_run(browser, "return [...document.querySelectorAll('.plot:not([hidden])')]")) == 4
        assert _text(browser, ".theory")
        assert "beta = 4.0" in _text(browser, ".findings pre")
        assert _complaints(browser) == []
        for scheme in ("light", "dark"):
            resize(browser, scheme=scheme)
            assert _faults(browser) == []
        plots = "const p = document.querySelector('.findings').getBoundingClientRect();"
        for width in (1400, 1200, 1000):  # plots stand beside the stage, with nothing empty above or below them
            resize(browser, width=width, height=760)
            assert _run(browser, f"{plots} return [p.right, p.bottom]") == [width, 760]
            assert _run(browser, f"{plots} return document.querySelector('.center').offsetWidth + p.width") == width
        _click(browser, "Stage only")
        assert _run(browser, "return document.querySelector('.center').offsetWidth") == 1000
        messages = [json.loads(entry["message"])["message"] for entry in browser.get_log("performance")]
        asked = [m["params"]["request"]["url"] for m in messages if m["method"] == "Network.requestWillBeSent"]
        assert [url for url in asked if url.startswith(("http", "ws"))] == []
    finally:
        offline = {"offline": False, "latency": 0, "downloadThroughput": -1, "uploadThroughput": -1}
        browser.execute_cdp_cmd("Network.emulateNetworkConditions", offline)
