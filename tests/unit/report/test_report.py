"""The report page: what it shows of records, how it writes text, formulas and numbers; and BibTeX."""

from __future__ import annotations

import base64
import io
import re
from html.parser import HTMLParser
from pathlib import Path

import numpy as np
import pytest
from matplotlib.figure import Figure
from PIL import Image

from tokenfield import report
from tokenfield.claims.claim import Claim, Control, Finding, Setting, at_least, at_most, equals
from tokenfield.claims.papers import PAPERS, bibtex
from tokenfield.claims.running import describe, outcome
from tokenfield.errors import FileError, InvalidInput
from tokenfield.report.picture import read_picture
from tokenfield.report.text import duration, formula, number, parameter, prose, tolerance

ENVIRONMENT = {
    "tokenfield": "1.2.3",
    "created": "2026-01-31T09:05+01:00",
    "processor": "A fast one",
    "cores": 2,
    "memory_gib": 23.5,
    "devices": ["1 x GPU"],
    "python": "3.11.9",
    "jax": "0.10",
    "numpy": "2.0",
}
HOLDING = equals("rate", 0.5001, 0.5, within=0.01, because="finite n")
FAILING = equals("slope", 2.0, 1.0, within=0.1, because="finite t")


def _experiment(*, seed: int, n: int) -> Finding:
    return Finding([])


def _draw(finding: Finding) -> Figure:
    return Figure()


def record(
    *checks, id="glpr23-one", paper="glpr23", figure=None, error="", seconds=1.5, control="why", seeds=None, **texts
):
    texts = {"title": "A title", "statement": "It is $x$.", "where": "Theorem 1", "status": "theorem"} | texts
    setting = Setting({"n": 20}, 1.0)
    claim = Claim(
        id=id,
        paper=paper,
        experiment=_experiment,
        draw=_draw,
        quick=setting,
        full=setting,
        control=Control({}, control) if control else None,
        **texts,
    )
    finding = None if error else Finding(checks or (HOLDING,))
    return describe(claim, "quick", 0, finding, seconds, figure, error=error, seeds=seeds)


def page(*records, folder: Path | str = "nowhere") -> str:
    return report.page(records, folder, environment=ENVIRONMENT)


def words(html: str) -> str:
    """The visible text of a page, with single spaces."""
    found: list[str] = []
    parser = HTMLParser()
    parser.handle_data = found.append  # type: ignore[method-assign]
    parser.feed(re.sub(r"(?s)<(style|script)>.*?</\1>", "", html))
    return re.sub(r"\s+", " ", " ".join(found))


# --- text ---------------------------------------------------------------------------------------------------------


def test_texts_are_escaped():
    evil = "<script>alert('1')</script> & \"quoted\""
    check = at_most(evil, 1.0, 2.0, because=evil)
    html = page(record(check, title=evil, statement=evil, where=evil, note=evil, assumptions=(evil,), control=evil))
    broken = page(record(title=evil, error=evil))
    for text in (html, broken):
        assert "<script>alert" not in text
        assert text.count("<script>") == 1
    assert html.count("&lt;script&gt;alert(&#x27;1&#x27;)") >= 8


def test_formulas_become_mathml_with_their_punctuation():
    html = prose(r"If $a < b$, then ($\operatorname{conv}\{x\} \sim 1$).")
    assert html.count("<math") == 2
    assert "$" not in html
    assert "<mi>a</mi><mo>&lt;</mo><mi>b</mi></mrow></math>,</span> then <span" in html
    assert "∼" in html
    assert html.endswith("</math>).</span>")
    assert prose("costs $5 & more") == "costs $5 &amp; more"


@pytest.mark.parametrize("latex", [r"\nosuchcommand x", r"\frac{a", "x^", r"\left( x"])
def test_formula_that_cannot_be_converted_is_shown_as_code(latex):
    assert formula(latex, after=".") == f"<code>{latex}</code>."


def test_formula_spacing():
    assert '<mo lspace="0" rspace="0">−</mo>' in formula("x^{d-1}")
    assert '<mo lspace="0" rspace="0">−</mo>' in formula("f(-x)")
    assert "<mo>−</mo>" in formula("a - b")
    assert '<mo lspace="0.1em" rspace="0.12em">log</mo>' in formula(r"\log n")
    assert '<mi mathvariant="normal">Γ</mi>' in formula(r"\Gamma_d")


def test_long_formulas_scroll():
    assert 'class="formula"' in formula("x")
    assert 'class="formula long" tabindex="0"' in formula("+".join("abcdefghijklmnop"))
    assert 'class="formula very long" tabindex="0"' in formula("+".join("abcdefghijklmnop" * 3))


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0.0, "0"),
        (-0.0, "0"),
        (3.0, "3"),
        (0.1234567, "0.12346"),
        (0.9999999, "1"),
        (-2.5, "−2.5"),
        (1234.0, "1234"),
        (12345.678, "12 346"),
        (1e6, "10⁶"),
        (1.2345678e-9, "1.2346 × 10⁻⁹"),
        (-1e-8, "−10⁻⁸"),
        (float("inf"), "∞"),
        (float("-inf"), "−∞"),
        (float("nan"), "–"),
        (None, "–"),
    ],
)
def test_number(value, text):
    assert number(value).replace("\u202f", " ") == text


def test_tolerance_duration_parameter():
    def shown(check):
        return tolerance(record(check)["checks"][0]).replace("\u202f", " ")

    assert shown(HOLDING) == "± 0.01"
    assert shown(equals("x", 1, 1, within=0.02, because="", is_relative=True)) == "± 2 %"
    assert shown(at_most("x", 1, 2, slack=1e-9, because="")) == "+ 10⁻⁹"
    assert shown(at_least("x", 1, 2, slack=0.5, because="")) == "− 0.5"
    assert shown(at_least("x", 3, 2, because="")) == "none"
    times = [duration(s).replace("\u202f", " ") for s in (0.01, 0.42, 9.96, 59.6, 200, 7300)]
    assert times == ["&lt; 0.1 s", "0.4 s", "10 s", "1 min 0 s", "3 min 20 s", "2 h 1 min"]
    assert parameter(True) == "True"
    assert parameter("corrected") == "corrected"
    assert parameter((1, 2.5, None)) == "(1, 2.5, None)"
    assert parameter(list(range(40))).endswith("11, … (40 values))")


# --- the page -----------------------------------------------------------------------------------------------------


def test_page_says_everything_of_a_record():
    check = equals("mean cosine", 0.91234, 0.9, within=0.05, because="64 systems", error=0.004)
    text = words(page(record(check, note="Misprint.", assumptions=("$n > 2$ holds",), title="Cosines")))
    for part in ("Cosines", "Theorem 1", "proven in the paper", "mean cosine", "0.91234", "= 0.9", "64 systems"):
        assert part in text
    assert "standard error 0.004" in text
    assert "Misprint." in text
    assert "n > 2 holds" in re.sub(r"\s+", " ", text)
    assert "tokenfield reproduce glpr23-one --quick --seed 0" in text
    assert "n = 20" in text
    assert "A fast one, 2 cores, 24 GiB, 1 x GPU" in text
    assert "tokenfield 1.2.3, Python 3.11.9, JAX 0.10, NumPy 2.0" in text
    assert "31 January 2026, 09:05" in text


def test_page_counts_verdicts_and_shows_the_worst_check():
    html = page(record(), record(HOLDING, FAILING, id="glpr25-two", paper="glpr25"))
    assert re.findall(r'<a class="count (\w+)" href="#verdict=\w+"><strong>(\d+)', html) == [
        ("holds", "1"),
        ("fails", "1"),
        ("inconclusive", "0"),
    ]
    row = html[html.index('data-id="glpr25-two"') :]
    assert "slope and 1 more" in row[: row.index("</tr>")]


def test_the_summary_shows_the_main_check_with_what_is_allowed():
    others = (FAILING.__class__("other", 1.0, 1.0, 0.0, ""), equals("gap", 8.3e-6, 0, within=1e-4, because=""))
    html = page(record(*others, main="gap"), record(HOLDING, id="glpr23-two"))
    rows = [words(html[html.index(f'data-id="{id}"') :].split("</tr>")[0]) for id in ("glpr23-one", "glpr23-two")]
    assert "8.3 × 10⁻⁶ (allowed 10⁻⁴) gap and 1 more" in rows[0]
    assert "0.5001 (expected 0.5 ± 0.01) rate" in rows[1]


@pytest.mark.parametrize(
    ("check", "text"),
    [
        (equals("x", 4.684, 4.68, within=0.005, because="", is_relative=True), ("4.684", "expected 4.68 ± 0.5 %")),
        (equals("x", 3, 3, within=0, because=""), ("3", "expected 3")),
        (equals("x", 8.3e-6, 0, within=1e-4, because=""), ("8.3e-06", "allowed 0.0001")),
        (at_most("x", 8.3e-6, 0, slack=1e-4, because=""), ("8.3e-06", "allowed 0.0001")),
        (at_most("x", 0.3, 0.5, slack=0.1, because=""), ("0.3", "at most 0.5 + 0.1")),
        (at_most("x", -1, 0, because=""), ("-1", "at most 0")),
        (at_least("x", 0.9, 0.8, because=""), ("0.9", "at least 0.8")),
    ],
)
def test_outcome(check, text):
    assert outcome(record(check)["checks"][0], lambda value: f"{value:.4g}") == text


def test_page_says_on_how_many_seeds_a_claim_holds():
    seeds = {"count": 20, "run": 20, "is_random": True, "missed": {"7": "fails", "9": "inconclusive"}}
    text = words(page(record(seeds=seeds, misses=0.02)))
    assert text.count("18 of 20 seeds hold") == 2
    assert "seeds that miss: 7 (fails), 9 (inconclusive)" in text
    assert "by chance 2 % of the seeds are expected to miss" in text
    assert "no seed changes it" in words(page(record(seeds=seeds | {"run": 2, "is_random": False, "missed": {}})))
    assert "seeds hold" not in words(page(record()))


def test_page_of_broken_and_unmeasured_claims():
    unmeasured = equals("rate", float("nan"), 1.0, within=0.1, because="few systems")
    text = words(page(record(error="RuntimeError: out of memory"), record(unmeasured, id="glpr23-two")))
    assert "The experiment did not finish RuntimeError: out of memory" in text
    assert "No figure was drawn." in text


def test_checks_that_fail_show_the_digits_that_differ():
    check = equals("x", 0.98765432101, 0.98765431101, within=1e-9, because="solver")
    assert "0.98765432101" in page(record(check))


def test_page_embeds_figures_and_survives_missing_ones(tmp_path):
    (tmp_path / "figures").mkdir()
    Image.new("RGBA", (200, 100), (0, 0, 0, 0)).save(tmp_path / "figures/a.png")
    (tmp_path / "figures/b.png").write_bytes(b"not a picture")
    names = {"a": "figures/a.png", "b": "figures/b.png", "c": "figures/c.png"}
    html = page(*(record(id=f"glpr23-{k}", figure=v) for k, v in names.items()), folder=tmp_path)
    assert html.count('src="data:image/webp;base64,') == 1
    assert 'width="110" height="55"' in html
    assert "The figure figures/b.png cannot be read." in html
    assert "The figure figures/c.png cannot be read." in html


def test_pictures_are_put_on_white_and_compressed_with_loss_only_where_large(tmp_path):
    Image.new("RGBA", (30, 20), (0, 0, 0, 0)).save(tmp_path / "clear.png")
    noise = np.random.default_rng(0).integers(0, 255, (300, 300, 3), dtype=np.uint8)
    Image.fromarray(noise).save(tmp_path / "noise.png")
    data = {}
    for name in ("clear", "noise"):
        picture = read_picture(tmp_path / f"{name}.png")
        assert picture is not None
        data[name] = base64.b64decode(picture.uri.removeprefix("data:image/webp;base64,"))
    assert {name: webp[12:16] for name, webp in data.items()} == {"clear": b"VP8L", "noise": b"VP8 "}
    assert Image.open(io.BytesIO(data["clear"])).convert("RGB").getpixel((3, 3)) == (255, 255, 255)


def test_page_loads_nothing():
    html = page(record())
    assert "default-src 'none'" in html
    sources = re.findall(r'(?:src|href|url\()="?([^">)]+)', html)
    assert all(s.startswith(("#", "data:", "https://arxiv.org/abs/")) for s in sources)


def test_page_of_a_paper_that_is_not_known_and_of_nothing():
    unknown = record() | {"paper": "nobody99", "arxiv": "9912.00001"}
    assert "https://arxiv.org/abs/9912.00001" in page(unknown)
    assert "0 from 0 papers" in page()


def test_write_is_complete_or_an_error(tmp_path, monkeypatch):
    monkeypatch.setattr("tokenfield.report.document.environment", lambda: ENVIRONMENT)
    path = report.write(tmp_path, [record()])
    assert path == tmp_path / "index.html"
    assert path.read_text(encoding="utf-8").startswith("<!DOCTYPE html>")
    assert sorted(p.name for p in tmp_path.iterdir()) == ["claims.md", "index.html"]
    with pytest.raises(FileError, match="cannot write"):
        report.write(tmp_path / "missing", [record()])


def test_environment_has_what_the_page_needs():
    found = report.environment()
    assert found.keys() >= ENVIRONMENT.keys() - {"devices"}
    assert found["tokenfield"] in report.page([record()], "nowhere", environment=found)


# --- papers -------------------------------------------------------------------------------------------------------


def test_bibtex_has_every_paper_once():
    text = bibtex(PAPERS)
    assert text.isascii()
    assert text.count("{") == text.count("}")
    entries = re.findall(r"@(\w+)\{([\w-]+),\n((?:  \w+ += \{.*\},\n)+)\}", text)
    assert [key for _, key, _ in entries] == list(PAPERS)
    for kind, key, fields in entries:
        values = dict(re.findall(r"  (\w+) += \{(.*)\},\n", fields))
        assert values["eprint"] == PAPERS[key].arxiv
        assert ("booktitle" in values, "journal" in values) == (kind == "inproceedings", kind == "article")
        assert all(v.count("{") == v.count("}") for v in values.values())
    assert len({paper.arxiv for paper in PAPERS.values()}) == len(PAPERS)


def test_bibtex_accents_order_and_unknown_keys():
    text = bibtex(["cacp25", "frank26", "glpr23", "cacp25"])
    assert r"Peyr{\'e}, Gabriel" in text
    assert r"Dom{\`e}nec" in text
    assert re.findall(r"@\w+\{(\w+)", text) == ["glpr23", "cacp25", "frank26"]
    assert r"Sander, Micha{\"e}l E." in bibtex(["fedorov26"])
    assert "author" not in bibtex(["rope26"])
    with pytest.raises(InvalidInput, match="did you mean 'shalova24'"):
        bibtex(["shalova"])


def test_short_names():
    assert PAPERS["glpr23"].short == "Geshkovski et al. (2023)"
    assert PAPERS["noise26"].short == "Mun and Rosenzweig (2026)"
    assert PAPERS["rigollet26"].short == "Rigollet (2026)"
    assert PAPERS["fedorov26"].short == "Fedorov et al. (2026)"
    assert PAPERS["rope26"].short == "arXiv 2607.24502"
    assert PAPERS["glpr25"].appeared == "Bulletin of the American Mathematical Society 62(3)"


def test_a_claim_with_a_scene_can_be_watched(tmp_path, monkeypatch):
    from tokenfield.report import scenes

    monkeypatch.setattr(scenes, "SCENES", {"glpr23-one": "two-tokens"})
    monkeypatch.setattr(scenes, "FRAMES", 12)
    report.write_scenes(tmp_path, ["glpr23-one", "glpr23-two"])
    assert [path.name for path in (tmp_path / "scenes").iterdir()] == ["glpr23-one.html"]
    html = page(record(id="glpr23-one"), record(id="glpr23-two"), folder=tmp_path)
    assert html.count('href="scenes/') == 1 and 'href="scenes/glpr23-one.html"' in html
    written = (tmp_path / "scenes" / "glpr23-one.html").stat().st_mtime_ns
    report.write_scenes(tmp_path, ["glpr23-one"])  # it is there: nothing is computed again
    assert (tmp_path / "scenes" / "glpr23-one.html").stat().st_mtime_ns == written


def test_scenes_of_claims_are_of_claims_and_scenes_that_exist():
    from tokenfield import claims
    from tokenfield.explorer import gallery
    from tokenfield.report.scenes import SCENES

    assert set(SCENES) <= {claim.id for claim in claims.find([])}
    assert set(SCENES.values()) <= {scene["id"] for scene in gallery.listed()}
