"""The page as a whole: head, summary, filters, table of claims, a section per claim, papers and versions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime
from pathlib import Path
from typing import Any

from tokenfield._runtime.files import write_text
from tokenfield.claims.claim import FAILS, HOLDS, INCONCLUSIVE, NOT_RUN, STATUSES
from tokenfield.claims.papers import PAPERS, Paper, bibtex
from tokenfield.claims.running import Record, counts, main_check, outcome, seeds_held
from tokenfield.report.claim import badge, claim_section, link, name_of
from tokenfield.report.frame import environment, facts_list, framed, machine, versions
from tokenfield.report.picture import Picture, read_picture
from tokenfield.report.scenes import place_of
from tokenfield.report.table import table
from tokenfield.report.text import duration, escape, number

TITLE = "Claims about transformers, put to the test"
INTRODUCTION = """A transformer moves the tokens of a text through its layers, and each token is drawn towards those
that it attends to. Seen as particles that interact, they obey equations, and mathematicians have published what these
do: whether tokens gather in clusters, how many, and how fast. This page tests such statements. For each one, tokenfield
simulated the system, measured a number that the statement predicts, and compared the two. How far they may differ, the
tolerance, is given with its reason."""
VERDICTS = {
    HOLDS: "every check is within its tolerance",
    FAILS: "a check is off by more than its tolerance and chance allow",
    INCONCLUSIVE: "chance could explain the difference, or the experiment did not finish",
    NOT_RUN: "it needs a real model that is not there",
}
MODES = {
    "quick": "quick: the published experiments with fewer tokens or shorter times, so tolerances are wider",
    "full": "full: the published parameters",
}


def write(folder: Path | str, records: Sequence[Record]) -> Path:
    """Writes the page of these records to `folder`/index.html, complete or not at all, and returns its path.

    The table of claims, in Markdown, goes to `folder`/claims.md. Figures are read from the folder. Raises `FileError`
    if the page cannot be written.
    """
    path = Path(folder) / "index.html"
    text = page(records, folder, environment=environment())
    write_text(path, text)
    write_text(Path(folder) / "claims.md", table(records))
    return path


def page(records: Sequence[Record], folder: Path | str, *, environment: Mapping[str, Any]) -> str:
    """The page of these records as HTML; their figures are read from `folder` and embedded."""
    groups, pictures = _by_paper(records), _pictures(records, Path(folder))
    return framed(
        TITLE,
        skip=("claims", "Skip to the claims"),
        header=f"""<p class="introduction">{INTRODUCTION}</p>
{_tally(records)}
{_circumstances(records, environment)}""",
        main=f"""<section aria-labelledby="summary">
<h2 id="summary">Summary</h2>
{_filters(groups)}
{_summary_table(groups)}
</section>
<div id="claims">
{"".join(_group(paper, of_paper, pictures, Path(folder)) for paper, of_paper in groups)}
</div>""",
        footer=f"{_references(groups)}\n{versions(environment)}",
        environment=environment,
        scripts=("claims.js",),
    )


def _pictures(records: Sequence[Record], folder: Path) -> dict[str, Picture | None]:
    """The figures of records by id; encoding them is most of the work, so several at a time."""
    paths = {record["id"]: folder / record["figure"] for record in records if record["figure"]}
    with ThreadPoolExecutor() as pool:
        return dict(zip(paths, pool.map(read_picture, paths.values()), strict=True))


def _by_paper(records: Sequence[Record]) -> list[tuple[Paper, list[Record]]]:
    """Records grouped by paper, papers in the order of their first record."""
    groups: dict[str, list[Record]] = {}
    for record in records:
        groups.setdefault(record["paper"], []).append(record)
    return [(_paper(found[0]), found) for found in groups.values()]


def _paper(record: Record) -> Paper:
    """The paper of a record, also if it is not (or no longer) known."""
    unknown = Paper(record["paper"], (), f"arXiv:{record['arxiv']}", 0, record["arxiv"])
    return PAPERS.get(record["paper"], unknown)


# --- the head -----------------------------------------------------------------------------------------------------


def _tally(records: Sequence[Record]) -> str:
    items = [
        f'<a class="count {name_of(verdict)}" href="#verdict={verdict}"><strong>{count}</strong> {badge(verdict)}'
        f"<small>{VERDICTS[verdict]}</small></a>"
        for verdict, count in counts(records).items()
        if count or verdict != NOT_RUN  # which needs no place where every model is there
    ]
    return f'<nav class="tally" aria-label="Claims by verdict">{"".join(items)}</nav>'


def _circumstances(records: Sequence[Record], environment: Mapping[str, Any]) -> str:
    modes = [mode for mode in MODES if any(r["mode"] == mode for r in records)]
    seeds = sorted({r["seed"] for r in records})
    created = datetime.fromisoformat(environment["created"])
    facts = {
        "Claims": f"{len(records)} from {len({r['paper'] for r in records})} papers",
        "Mode": "; ".join(MODES[mode] for mode in modes) or "–",
        "Seed": ", ".join(map(str, seeds)) or "–",
        "Computing time": duration(sum(r["seconds"] for r in records)),
        "Made": f"{created.day} {created:%B %Y, %H:%M}",
        "On": machine(environment),
    }
    return facts_list(facts, "circumstances")


# --- the summary --------------------------------------------------------------------------------------------------


def _filters(groups: Sequence[tuple[Paper, list[Record]]]) -> str:
    records = [record for _, of_paper in groups for record in of_paper]
    papers = {paper.key: f"{paper.short}: {paper.title}" for paper, _ in groups}
    statuses = {status: status for status in STATUSES if any(r["status"] == status for r in records)}
    return f"""<form id="filters" class="filters" role="search" hidden>
<label class="search">Search <input type="search" name="q" placeholder="words in the text of a claim"></label>
{_choice("paper", "Paper", papers)}
{_choice("status", "Status", statuses)}
{_choice("verdict", "Verdict", {v: v for v in VERDICTS})}
<button type="reset">Show all</button>
<p id="shown" aria-live="polite"></p>
</form>"""


def _choice(name: str, label: str, options: Mapping[str, str]) -> str:
    rows = "".join(f'<option value="{escape(value)}">{escape(text)}</option>' for value, text in options.items())
    return f'<label>{label} <select name="{name}"><option value="">all</option>{rows}</select></label>'


def _summary_table(groups: Sequence[tuple[Paper, list[Record]]]) -> str:
    columns = ("Claim", "Source", "Status", "Main check", "Verdict", "Time")
    sortable = '<th scope="col"><span>{0}</span></th>'
    plain = '<th scope="col" data-unsorted>{0}</th>'
    head = "".join((plain if name == "Main check" else sortable).format(name) for name in columns)
    rows = "".join(_summary_row(paper, record) for paper, of_paper in groups for record in of_paper)
    caption = "<caption>Every claim with its main check: the number measured, and what was expected.</caption>"
    return f'<table id="table" class="summary">{caption}<thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table>'


def _summary_row(paper: Paper, record: Record) -> str:
    id = escape(record["id"])
    data = f'data-id="{id}" data-paper="{escape(paper.key)}" data-status="{escape(record["status"])}"'
    order = {FAILS: 0, INCONCLUSIVE: 1, HOLDS: 2, NOT_RUN: 3}[record["verdict"]]
    return f"""<tr {data} data-verdict="{record["verdict"]}">
<th scope="row" class="title"><a href="#{id}">{escape(record["title"])}</a></th>
<td class="source">{escape(paper.short)}<small>{_where(paper, record)}</small></td>
<td class="status">{escape(record["status"])}</td>
<td class="check">{_main_check(record)}</td>
<td class="verdict" data-key="{order}">{badge(record["verdict"])}<small>{seeds_held(record)}</small></td>
<td class="time" data-key="{record["seconds"]}">{duration(record["seconds"])}</td>
</tr>
"""


def _where(paper: Paper, record: Record) -> str:
    arxiv = f"{paper.arxiv}, " if paper.authors else ""  # papers without known authors are called by it
    return escape(arxiv + record["where"])


def _main_check(record: Record) -> str:
    checks, check = record["checks"], main_check(record)
    if check is None:
        return "<small>it did not finish</small>"
    measured, expected = outcome(check, lambda value: number(value, 4))
    more = f" and {len(checks) - 1} more" if len(checks) > 1 else ""
    return (
        f'<span class="numbers">{measured}</span> <span class="numbers quiet">({expected})</span>'
        f"<small>{escape(check['what'])}{more}</small>"
    )


# --- claims, papers, versions -------------------------------------------------------------------------------------


def _group(paper: Paper, records: Sequence[Record], pictures: Mapping[str, Picture | None], folder: Path) -> str:
    scenes = {record["id"]: place_of(record["id"]) for record in records}
    there = {id: place for id, place in scenes.items() if (folder / place).exists()}
    sections = "".join(
        claim_section(record, paper, pictures.get(record["id"]), there.get(record["id"])) for record in records
    )
    authors = ", ".join(paper.authors).replace(", others", " and others")
    about = [authors, paper.appeared if paper.venue else "", str(paper.year or "")]
    return f"""<section class="paper" aria-labelledby="paper-{escape(paper.key)}">
<h2 id="paper-{escape(paper.key)}">{escape(paper.title)}</h2>
<p class="by">{escape(". ".join(part for part in about if part))}. {link(paper)}</p>
{sections}</section>
"""


def _references(groups: Sequence[tuple[Paper, list[Record]]]) -> str:
    known = [paper.key for paper, _ in groups if paper.key in PAPERS]
    if not known:
        return ""
    return f"""<details class="bibtex"><summary>BibTeX of the {len(known)} papers</summary>
<div class="copyable"><pre id="bibtex" tabindex="0">{escape(bibtex(known))}</pre>
<button type="button" class="copy" data-copy="bibtex">Copy</button></div></details>"""
