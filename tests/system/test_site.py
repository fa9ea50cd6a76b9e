"""The site and the release: links inside it, its gallery, ids of papers, the version and the citation."""

from __future__ import annotations

import ast
import operator
import re
import sys
import tomllib
from pathlib import Path

import pytest
import yaml

import tokenfield
from tokenfield.claims.papers import PAPERS

ROOT = Path(__file__).parents[2]
EXAMPLES = sorted((ROOT / "examples" / "gallery").glob("*/plot_*.py"))
PAGES = sorted(path for path in (*ROOT.glob("*.md"), *(ROOT / "docs").glob("**/*.md")) if "_build" not in path.parts)
MADE = ("docs/reference/", "docs/gallery/")  # written when the site is built, which checks links to them itself


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_links_of_the_documents_lead_to_files(page):
    if str(page.relative_to(ROOT)).startswith(MADE):
        return
    text = re.sub(r"```.*?```|`[^`\n]*`", "", page.read_text(encoding="utf-8"), flags=re.DOTALL)
    for link in re.findall(r"\]\(([^)\s#]+)[^)]*\)", text):
        target = (page.parent / link).resolve()
        if "://" in link or (target.is_relative_to(ROOT) and str(target.relative_to(ROOT)).startswith(MADE)):
            continue
        assert target.exists(), f"{page.name} links to {link}"


def test_the_build_refuses_broken_links(tmp_path, monkeypatch):
    pytest.importorskip("sphinx")
    monkeypatch.syspath_prepend(str(ROOT / "docs" / "_ext"))
    from site_links import broken_links

    (tmp_path / "scenes").mkdir()
    (tmp_path / "scenes" / "one.html").write_text("<p>", encoding="utf-8")
    (tmp_path / "a.html").write_text('<h1 id="top"></h1><a href="b.html#here">', encoding="utf-8")
    good = '<a href="a.html#top"><a href="#here"><p id="here"><a href="scenes/one.html"><a href="https://arxiv.org">'
    (tmp_path / "b.html").write_text(good, encoding="utf-8")
    assert broken_links(tmp_path) == []
    (tmp_path / "b.html").write_text(f'{good}<a href="a.html#down"><img src="c.png">', encoding="utf-8")
    assert broken_links(tmp_path) == ["b.html: a.html#down", "b.html: c.png"]


def test_the_build_refuses_raw_markup_pictures_without_words_and_the_network(tmp_path, monkeypatch):
    pytest.importorskip("sphinx")
    monkeypatch.syspath_prepend(str(ROOT / "docs" / "_ext"))
    from site_marks import marks

    page = tmp_path / "a.html"
    good = '<p>2 * 3, $5</p><pre>`a` **b** $c$</pre><img src="a.png" alt="tokens gather"><img src="thumb.png" alt="">'
    page.write_text(f'{good}<a href="https://arxiv.org">arXiv</a>', encoding="utf-8")
    assert marks(tmp_path) == []
    for bad in (
        "<p>the `Sublayer`s</p>",
        "<code>kv\\_heads</code>",
        "<p>:math:x</p>",
        "<p>**bold**</p>",
        "<p>$x_i$</p>",
        '<img src="a.png">',
        '<img src="a.png" alt="../_images/0fea.png">',
        '<img src="a.png" alt="plot two tokens">',
        '<script src="https://cdn.example/a.js"></script>',
        '<link rel="stylesheet" href="//cdn.example/a.css">',
    ):
        page.write_text(good + bad, encoding="utf-8")
        assert len(marks(tmp_path)) == 1, bad


def test_names_of_papers_are_links(monkeypatch):
    pytest.importorskip("sphinx")
    monkeypatch.syspath_prepend(str(ROOT / "docs" / "_ext"))
    from site_papers import linked

    text = "Two (arXiv\n2312.10794, figure 3; arXiv 1806.07366) and arXiv, 2312.10794."
    pieces = linked(text)
    links = [piece for piece in pieces if hasattr(piece, "attributes")]
    assert [link["refuri"] for link in links] == [
        "https://arxiv.org/abs/2312.10794",
        "https://arxiv.org/abs/1806.07366",
    ]
    assert "".join(piece.astext() for piece in pieces) == text


def test_every_key_of_a_config_has_a_meaning(monkeypatch):
    pytest.importorskip("sphinx")
    monkeypatch.syspath_prepend(str(ROOT / "docs" / "_ext"))
    from site_pages import configs

    rows = [line.split(" | ") for line in configs().splitlines() if line.startswith("| `")]
    assert len(rows) > 100 and [row[0] for row in rows if not row[1].strip()] == []
    assert not re.search(r"\| (?:True|False) \|", configs())  # TOML has true and false


def test_papers_link_to_claims_models_and_figures(monkeypatch):
    pytest.importorskip("sphinx")
    monkeypatch.syspath_prepend(str(ROOT / "docs" / "_ext"))
    from site_pages import models, papers

    text, table = papers(ROOT / "docs"), (ROOT / "docs" / "claims.md").read_text(encoding="utf-8")
    claims = re.findall(r"\]\(#([\w-]+\d\d\w?-[\w-]+|real-[\w-]+)\)", text)
    assert len(claims) > 100 and [one for one in claims if f"| `{one}` |" not in table] == []
    kinds = set(re.findall(r"\[`[\w-]+`\]\(#([\w-]+)\)", text)) - set(claims)
    assert len(kinds) > 20 and [kind for kind in kinds if f"{{#{kind}}}" not in models()] == []
    assert text.count("](../gallery/") > 20


def test_formulas_of_docstrings_are_typeset_and_names_are_left_alone(monkeypatch):
    nodes = pytest.importorskip("docutils.nodes")
    pytest.importorskip("sphinx")
    monkeypatch.syspath_prepend(str(ROOT / "docs" / "_ext"))
    from site_formulas import formula

    def shown(node):
        inner = str(node) if isinstance(node, nodes.Text) else "".join(shown(child) for child in node.children)
        return f"_[{inner}]" if isinstance(node, nodes.subscript) else f"^[{inner}]" if node.children else inner

    for text, typeset in {
        "e^{beta <u_i, y_j>}": "e^[β ⟨u_[i], y_[j]⟩]",
        "S^{d-1} of R^d": "S^[d-1] of R^[d]",
        "muhat_k = sum_j w_j": "μ\u0302_[k] = Σ_[j] w_[j]",
        "int_0^t |V|, n^(-1/2)": "∫_[0]^[t] |V|, n^[-1/2]",
        "(s + 1)^2 x": "(s + 1)\u2060^[2] x",  # no line breaks before an exponent
        "I_{d/2}(beta) >= 1/(1-rho)": "I_[d/2](β) ≥ 1/(1-ρ)",
        "int x dmu(x) in P_{x_i}": "∫ x dμ(x) in P_[x_[i]]",
        'log_sum, is_uniform, max_steps, integers, mutual, --beta, "kappa"': None,
    }.items():
        assert "".join(map(shown, formula(text))) == (typeset or text)
    assert "".join(map(shown, formula("by default beta, R^d", has_letters=False))) == "by default beta, R^[d]"  # typed


def test_names_in_docstrings_lead_to_where_the_reference_has_them(monkeypatch):
    pytest.importorskip("sphinx")
    monkeypatch.syspath_prepend(str(ROOT / "docs" / "_ext"))
    from site_docstrings import _as_elsewhere, _target, _type, plain

    for code, near, place in (
        ("solve(clock=...)", "tokenfield.theory.k_max", "tokenfield.solve"),
        ("k_max", "tokenfield.theory.thresholds", "tokenfield.theory.k_max"),
        ("attend", "tokenfield.Softmax", "tokenfield.Attention.attend"),  # described once, by the base
        ("Layers", "tokenfield.layers.measure", "tokenfield.layers.Layers"),
        ("Layers", "tokenfield.solve", "tokenfield.Layers"),
        ("Fourier", "tokenfield.Density", "tokenfield.laws.Fourier"),
        ("tokenfield.theory", "tokenfield.predict", "tokenfield.theory"),
        ("x + v", "tokenfield.solve", None),
        ("jax.jit", "tokenfield.solve", None),
    ):
        assert _target(code, near) == place
    assert plain(["See `n` and x_."], lambda code: None) == ["See `n` and x\\_."]
    assert _type("~tokenfield.geometry.Sphere | ~xarray.Dataset | None") == "~tokenfield.Sphere | Dataset | None"
    elsewhere = " ".join(_as_elsewhere("tokenfield.Sphere", tokenfield.Sphere))
    assert ":py:obj:`exp <tokenfield.Geometry.exp>`" in elsewhere


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_examples_of_the_gallery_have_one_skeleton_and_use_names_that_exist(path):
    """Building the site executes them; the quick gallery of continuous integration only some."""
    text = path.read_text(encoding="utf-8")
    tree = ast.parse(text)
    words = ast.get_docstring(tree)
    assert words and len(words.splitlines()[0]) == len(words.splitlines()[1]) and len(words.splitlines()) > 3
    headings = re.findall(r"^# (\w[^\n]*)\n# -+$", text, flags=re.MULTILINE)
    assert headings[0] == "Parameters" and headings[-1] == "Figure" and any("easure" in heading for heading in headings)
    # a notebook shows what a block ends with, and nothing else of figures that pyplot does not know
    for block in re.split(r"^# %%$", text, flags=re.MULTILINE):
        if re.search(r"new_figure\(\d|^\w+ = tkf\.plot\.\w+\(", block, flags=re.MULTILINE):
            assert isinstance(ast.parse(block).body[-1], ast.Expr) and "legend" not in block.splitlines()[-1]
            assert "new_figure(" not in block or "with styled():" in block  # in the style of the other pictures
    names = {ast.unparse(node) for node in ast.walk(tree) if isinstance(node, ast.Attribute)}
    for name in names:
        if re.fullmatch(r"tkf(\.\w+)+", name):
            assert operator.attrgetter(name.removeprefix("tkf."))(tokenfield) is not None


def test_ids_of_papers_are_well_formed():
    for paper in PAPERS.values():
        if paper.arxiv:
            month = re.fullmatch(r"\d{2}(\d{2})\.(\d{4}|\d{5})", paper.arxiv)
            assert month and 1 <= int(month[1]) <= 12, paper.key
            assert paper.url == f"https://arxiv.org/abs/{paper.arxiv}"
    assert len({paper.arxiv for paper in PAPERS.values() if paper.arxiv}) == sum(bool(p.arxiv) for p in PAPERS.values())


def test_the_version_has_one_place_and_the_citation_is_of_it():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    assert project["project"]["dynamic"] == ["version"]
    assert project["tool"]["hatch"]["version"]["path"] == "src/tokenfield/__init__.py"
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
    # the keys that the format 1.2.0 asks for, and ours
    assert {"cff-version", "message", "title", "authors"} <= set(citation)
    assert citation["cff-version"] == "1.2.0" and citation["type"] == "software"
    assert citation["version"] == tokenfield.__version__
    assert citation["license"] == project["project"]["license"]
    assert re.fullmatch(r"\d{4}-\d{2}-\d{2}", str(citation["date-released"]))
    for work in (citation, *citation["references"]):
        assert work["title"] and work["type"]
        assert all(set(person) in ({"name"}, {"family-names", "given-names"}) for person in work["authors"])
    ids = {one["value"].removeprefix("arXiv:") for work in citation["references"] for one in work["identifiers"]}
    assert ids <= {paper.arxiv for paper in PAPERS.values()}


def test_the_changelog_has_the_house_form():
    text = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    assert text.startswith("# Changelog\n\n## ")
    versions = re.findall(r"^## (.+)$", text, flags=re.MULTILINE)
    assert all(re.fullmatch(r"\d+\.\d+\.\d+ \((unreleased|\d{4}-\d{2}-\d{2})\)", version) for version in versions)
    assert versions[0].split()[0] == tokenfield.__version__
    assert all(line.startswith(("# ", "## ", "- ", "  ")) or not line for line in text.splitlines())


def test_python_is_one_that_the_metadata_names():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    named = {line.rsplit(" ", 1)[1] for line in project["classifiers"] if "Python :: 3." in line}
    assert named == {"3.11", "3.12", "3.13"} and sys.version_info >= (3, 11)


def test_formulas_have_the_spaces_and_bars_of_tex(monkeypatch):
    pytest.importorskip("latex2mathml")
    pytest.importorskip("sphinx")
    monkeypatch.syspath_prepend(str(ROOT / "docs" / "_ext"))
    from site_math import mathml

    space = '<mspace width="0.167em" />'
    assert f"<mi>log</mi>{space}<mi>t</mi>" in mathml(r"\log t")
    assert mathml(r"I(\beta)\cos k(x)").count(space) == 2
    assert space not in mathml(r"\sin(x) + \log\min(n, d)")
    both = re.findall(r'<mo [^>]*form="(\w+)"[^>]*>\|', mathml(r"|x - y|^p / \lvert z\rvert"))
    assert both == ["prefix", "postfix", "prefix", "postfix"]
    assert "form=" not in mathml("p(x | y)")


def test_commands_break_between_words_only(monkeypatch):
    pytest.importorskip("sphinx")
    monkeypatch.syspath_prepend(str(ROOT / "docs" / "_ext"))
    from site_phone import LINE, whole_words

    def block(words: str, language: str = "sh") -> str:
        return f'<div class="highlight-{language} notranslate"><pre><b></b>{words}<b>3</b></pre></div>'

    whole = '<span class="whole">--dim</span>'
    assert whole_words(block("run --dim ")) == block(f"run {whole} ")
    assert whole_words(block("run --dim ", "python")) == block("run --dim ", "python")
    long = "-" + LINE * "a"
    assert whole_words(block(f"run {long} ")) == block(f"run {long} ")


def test_lines_of_text_break_where_a_reader_expects_it(monkeypatch):
    pytest.importorskip("sphinx")
    monkeypatch.syspath_prepend(str(ROOT / "docs" / "_ext"))
    from site_phone import better_breaks

    whole = '<span class="whole">1e-6</span>'
    assert better_breaks("<p>If d &lt; 2, 1e-6 well-known</p>") == f"<p>If d\xa0&lt;\xa02, {whole} well-known</p>"
    assert better_breaks("<p>k<sub>0</sub> = 1, 5 % off</p>") == "<p>k<sub>0</sub>\xa0=\xa01, 5\xa0% off</p>"
    assert better_breaks("<p>2m - 1 of (n, d); one - 2nd</p>") == "<p>2m\xa0-\xa01 of (n,\xa0d); one - 2nd</p>"
    assert better_breaks("<p>(arXiv\n2312.10794)</p>") == "<p>(arXiv\xa02312.10794)</p>"
    untouched = '<pre>1e-6 a = b</pre><a title="1e-6 a = b">words between tags, well-made</a><math>a = b</math>'
    assert better_breaks(f"<p>{untouched}</p>") == f"<p>{untouched}</p>"
    assert better_breaks("<p><math>x</math>, so</p>") == '<p><span class="whole"><math>x</math>,</span> so</p>'
    long = "tokenfield.observables.pair_cosine_histogram"
    assert better_breaks(f"<code>{long}</code>") == f"<code>{long.replace('.', '.<wbr>')}</code>"
    assert better_breaks(f"<p>{long}</p>") == f"<p>{long}</p>"
    cell = "<td><code>{}</code></td>".format
    assert better_breaks(cell("tests/unit/test_measure.py")) == cell("tests/<wbr>unit/<wbr>test_measure.py")
    assert better_breaks(cell("attention_entropy")) == cell("attention_<wbr>entropy")
    assert better_breaks('<span class="sig-paren">(</span>rho') == '<span class="sig-paren">(</span><wbr>rho'
