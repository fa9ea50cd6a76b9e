"""The report page in a real browser: formulas, figures, filters, phone width, dark mode, and no network."""

from __future__ import annotations

import json
from collections.abc import Iterator

import pytest
from matplotlib.figure import Figure
from PIL import Image, ImageDraw

from chromium import open_chromium, resize
from tokenfield import report
from tokenfield.claims.claim import Claim, Control, Finding, Setting, equals
from tokenfield.claims.running import describe

LONG = r"$C = " + " + ".join(rf"\frac{{\beta^{{{k}}}}}{{{k}!}} \langle x_{k}, y_{k}\rangle" for k in range(12)) + "$"
STATEMENT = rf"With $Q^\top K > 0$ and $\dot x = \sum_{{j=1}}^n e^{{\beta\langle x, x_j\rangle}} x_j$, also {LONG}."


def _experiment(*, seed: int, n: int) -> Finding:
    return Finding([])


def _record(id: str, paper: str, title: str, *, measured: float = 1.0, error: str = "") -> dict:
    setting = Setting({"n": 20}, 1.0)
    claim = Claim(
        id=id,
        title=title,
        statement=STATEMENT,
        paper=paper,
        where="Theorem 1",
        status="theorem",
        experiment=_experiment,
        draw=lambda finding: Figure(),
        quick=setting,
        full=setting,
        assumptions=(r"$d \geq 2$",),
        control=Control({}, "with the other sign"),
    )
    check = equals("rate of the slowest mode at β = 5", measured, 1.0, within=0.1, because="finite n")
    finding = None if error else Finding([check])
    return describe(claim, "quick", 0, finding, len(title), None if error else "figures/one.png", error=error)


@pytest.fixture(scope="module")
def url(tmp_path_factory) -> str:
    folder = tmp_path_factory.mktemp("report")
    (folder / "figures").mkdir()
    picture = Image.new("RGB", (1300, 500), "white")
    ImageDraw.Draw(picture).line((0, 0, 1300, 500), fill="black", width=3)
    picture.save(folder / "figures/one.png")
    records = [
        _record("glpr23-first", "glpr23", "The hull shrinks"),
        _record("glpr23-second", "glpr23", "Distances grow", measured=2.0),
        _record("kpr24-third", "kpr24", "A causal mask keeps the first token"),
        _record("rope26-fourth", "rope26", "Rings", error="RuntimeError: " + "x" * 300),
    ]
    return report.write(folder, records).as_uri()


@pytest.fixture(scope="module")
def browser(tmp_path_factory) -> Iterator:
    chrome = open_chromium(tmp_path_factory.mktemp("profile"))
    yield chrome
    chrome.quit()


def _open(browser, url: str, *, width: int = 1280, scheme: str = "light") -> None:
    resize(browser, width=width, scheme=scheme)
    browser.get("about:blank")  # so that a change of the fragment alone loads the page anew
    browser.get(url)


def _each(browser, selector: str, value: str) -> list:
    """The value, an expression in JavaScript of e, for each element that fits the selector."""
    return browser.execute_script(f"return [...document.querySelectorAll(arguments[0])].map(e => {value})", selector)


def _shown(browser) -> list[str]:
    """Ids of the claims shown; the table and the sections agree."""
    rows = _each(browser, "#table tr[data-id]:not([hidden])", "e.dataset.id")
    sections = _each(browser, ".claim", "e.offsetHeight ? e.id : null")
    assert sorted(rows) == sorted(filter(None, sections))
    return sorted(rows)


def _choose(browser, name: str, value: str) -> None:
    script = """const field = document.forms.filters.elements[arguments[0]];
    field.value = arguments[1]; field.dispatchEvent(new Event("input", {bubbles: true}));"""
    browser.execute_script(script, name, value)


def test_page_is_shown_without_errors_or_network(browser, url):
    browser.get_log("performance")
    _open(browser, url)
    assert browser.get_log("browser") == []
    messages = [json.loads(entry["message"])["message"] for entry in browser.get_log("performance")]
    asked = [m["params"]["request"]["url"] for m in messages if m["method"] == "Network.requestWillBeSent"]
    assert url in asked
    assert [a for a in asked if a.startswith(("http", "ws", "ftp", "//"))] == []
    text = browser.execute_script("return document.body.innerText")
    assert "$" not in text
    assert "\\" not in text
    areas = _each(browser, "math", "e.getBoundingClientRect().width * e.getBoundingClientRect().height")
    assert len(areas) == 16
    assert min(areas) > 20
    browser.execute_script("return Promise.all([...document.images].map(image => image.decode()))")
    assert _each(browser, "img", "e.naturalWidth") == [1300] * 3
    assert min(_each(browser, ".claim .copy", "e.offsetWidth")) > 20
    assert len(_each(browser, ".claim .copy", "1")) == 4


def test_filters_and_address(browser, url):
    everything = ["glpr23-first", "glpr23-second", "kpr24-third", "rope26-fourth"]
    _open(browser, url)
    assert _shown(browser) == everything
    _choose(browser, "verdict", "fails")
    assert _shown(browser) == ["glpr23-second"]
    assert browser.current_url.endswith("#verdict=fails")
    assert "1 of 4" in browser.execute_script("return document.getElementById('shown').textContent")
    _choose(browser, "verdict", "")
    _choose(browser, "paper", "glpr23")
    assert _shown(browser) == ["glpr23-first", "glpr23-second"]
    _choose(browser, "q", "HULL shrinks")
    assert _shown(browser) == ["glpr23-first"]
    browser.execute_script("document.querySelector('#filters [type=reset]').click()")
    browser.execute_async_script("setTimeout(arguments[0], 50)")
    assert _shown(browser) == everything
    _open(browser, url + "#paper=kpr24")
    assert _shown(browser) == ["kpr24-third"]
    browser.execute_script("location.hash = 'glpr23-first'")  # a link to a hidden claim shows it
    browser.execute_async_script("setTimeout(arguments[0], 50)")
    assert "glpr23-first" in _shown(browser)


def test_sorting_and_enlarging(browser, url):
    def sort(column: str) -> list[str]:
        find = "[...document.querySelectorAll('#table th button')].find(b => b.textContent === arguments[0])"
        browser.execute_script(f"{find}.click()", column)
        return _each(browser, "#table tr[data-id]", "e.dataset.id")

    _open(browser, url)
    assert sort("Time") == ["rope26-fourth", "glpr23-second", "glpr23-first", "kpr24-third"]
    assert sort("Time")[0] == "kpr24-third"
    assert sort("Verdict")[0] == "glpr23-second"
    browser.execute_script("document.querySelector('figure img').click()")
    small, large = _each(browser, "#glpr23-first figure img, dialog[open] img", "e.offsetWidth")
    assert large > 1.5 * small


@pytest.mark.parametrize("width", [390, 800, 1280])
def test_nothing_is_wider_than_the_window(browser, url, width):
    _open(browser, url, width=width)
    browser.execute_script("for (const e of document.querySelectorAll('details')) e.open = true")
    scrolled, window = browser.execute_script(
        "const e = document.documentElement; return [e.scrollWidth, e.clientWidth]"
    )
    assert scrolled <= window <= width
    edges = _each(browser, ".formula, table, figure, code, pre, dd, p", "e.getBoundingClientRect().right")
    assert max(edges) <= window


def test_dark_mode_is_dark(browser, url):
    def lightness(element: str) -> float:
        color = browser.execute_script(f"return getComputedStyle(document.querySelector('{element}')).backgroundColor")
        return sum(int(part) for part in color[color.index("(") + 1 : -1].split(",")[:3]) / 3

    _open(browser, url)
    assert lightness("body") > 230
    _open(browser, url, scheme="dark")
    assert lightness("body") < 40
    assert lightness("figure") == 255  # figures are drawn on white
