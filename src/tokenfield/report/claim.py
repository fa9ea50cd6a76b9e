"""The section of one claim: statement, source, figure, checks, and how to run it again."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tokenfield.claims.claim import FAILS, HOLDS, INCONCLUSIVE, NOT_RUN, STATUSES
from tokenfield.claims.papers import Paper
from tokenfield.claims.running import Record, power_in_words, seeds_held
from tokenfield.report.picture import Picture, figure
from tokenfield.report.text import duration, escape, number, parameter, prose, tolerance

ICONS = {HOLDS: "✓", FAILS: "✗", INCONCLUSIVE: "?", NOT_RUN: "–"}
CONTROL = "The tests run the same checks where they must fail:"
COLUMNS = ("Check", "Measured", "Predicted", "Tolerance", "Verdict")


def name_of(verdict: str) -> str:
    """A verdict as one word, for the style sheet."""
    return verdict.replace(" ", "-")


def badge(verdict: str) -> str:
    """A verdict as an icon and a word."""
    return f'<span class="badge {name_of(verdict)}"><span aria-hidden="true">{ICONS[verdict]}</span> {verdict}</span>'


def link(paper: Paper) -> str:
    """A link to the paper on arXiv."""
    return f'<a href="{escape(paper.url)}" rel="noopener">arXiv {escape(paper.arxiv)}</a>'


def claim_section(record: Record, paper: Paper, picture: Picture | None, scene: str | None = None) -> str:
    """The section of a claim, with its figure if that could be read, and a link to its scene if it has one, as HTML."""
    id = escape(record["id"])
    data = f'data-paper="{escape(paper.key)}" data-status="{escape(record["status"])}"'
    return f"""<article class="claim" id="{id}" {data} data-verdict="{record["verdict"]}" aria-labelledby="{id}-title">
<div class="heading">
<h3 id="{id}-title"><a href="#{id}">{escape(record["title"])}</a></h3>{badge(record["verdict"])}</div>
<p class="origin">{link(paper)}, {escape(record["where"])} · <strong>{escape(record["status"])}</strong>:
{escape(STATUSES[record["status"]])}</p>
<div class="statement">{prose(record["statement"])}</div>
{_assumptions(record)}
{_error(record)}
{_figure(record, picture)}
{_watched(scene)}
{_checks(record)}
{_note(record)}
{_details(record)}
</article>
"""


def _assumptions(record: Record) -> str:
    items = "".join(f"<li>{prose(text)}</li>" for text in record["assumptions"])
    return f'<div class="assumptions"><h4>Assumptions</h4><ul>{items}</ul></div>' if items else ""


def _error(record: Record) -> str:
    if record["not_run"]:
        return f'<div class="box note"><h4>Not run</h4><p>{escape(record["not_run"])}</p></div>'
    if not record["error"]:
        return ""
    return f'<div class="box error"><h4>The experiment did not finish</h4><code>{escape(record["error"])}</code></div>'


def _note(record: Record) -> str:
    return f'<div class="box note"><h4>Note</h4><p>{prose(record["note"])}</p></div>' if record["note"] else ""


# --- figure -------------------------------------------------------------------------------------------------------


def _figure(record: Record, picture: Picture | None) -> str:
    if not record["figure"]:
        return "" if record["error"] or record["not_run"] else '<p class="missing">No figure was drawn.</p>'
    if picture is None:
        return f'<p class="missing">The figure {escape(record["figure"])} cannot be read.</p>'
    return figure(picture, f"Figure: {record['title']}")


def _watched(scene: str | None) -> str:
    link = (
        f'<a href="{escape(scene)}">Watch it</a>: a page that plays, turns and scrubs, without a server'
        if scene
        else ""
    )
    return f'<p class="scene">{link}</p>' if link else ""


# --- numbers ------------------------------------------------------------------------------------------------------


def _checks(record: Record) -> str:
    if not record["checks"]:
        return ""
    rows = "".join(_check(check) for check in record["checks"])
    head = "".join(f'<th scope="col">{name}</th>' for name in COLUMNS)
    return f"""<table class="checks"><caption class="hidden">Checks of {escape(record["id"])}</caption>
<thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table>"""


def _check(check: Mapping[str, Any]) -> str:
    measured, predicted = number(check["measured"]), number(check["predicted"])
    if measured == predicted and check["verdict"] != HOLDS:  # the digits that differ must be seen
        measured, predicted = number(check["measured"], 12), number(check["predicted"], 12)
    allowed = f"{tolerance(check)}<small>{escape(check['reason'])}</small>"
    error = f"<small>standard error {number(check['error'], 2)}</small>" if check["error"] else ""
    return f"""<tr><th scope="row">{escape(check["what"])}</th>
<td class="measured"><span class="label">measured</span> {measured}{error}</td>
<td class="predicted"><span class="label">predicted</span> {escape(check["relation"])} {predicted}</td>
<td class="tolerance"><span class="label">tolerance</span> {allowed}</td>
<td class="verdict">{badge(check["verdict"])}</td></tr>
"""


def _control(record: Record) -> str:
    if not record["control"]:
        return ""
    failing = f" (what fails: {escape(record['control_fails'])})" if record["control_fails"] else ""
    power = power_in_words(record)
    return f"{CONTROL} {prose(record['control'])}{failing}{f'; it {power}' if power else ''}"


def _seeds(record: Record) -> str:
    """How many seeds hold, which do not, and how many misses chance explains."""
    held, missed = seeds_held(record), record["seeds"]["missed"]
    chance = f"by chance {number(100 * record['misses'], 2)}\u202f% of the seeds are expected to miss"
    which = "seeds that miss: " + ", ".join(f"{escape(k)} ({escape(v)})" for k, v in missed.items())
    parts = [held, which if missed else "", chance if record["misses"] else ""]
    return "; ".join(part for part in parts if part)


def _details(record: Record) -> str:
    id = escape(record["id"])
    parameters = " ".join(
        f"<code>{escape(name)} = {escape(parameter(value))}</code>" for name, value in record["parameters"].items()
    )
    rows = {
        "Negative control": _control(record),
        "Parameters": parameters,
        "Other seeds": _seeds(record),
        "Run": f"{escape(record['mode'])}, seed {escape(record['seed'])}, {duration(record['seconds'])}",
        "Run it again": f'<div class="copyable"><code id="{id}-command" tabindex="0">{escape(record["command"])}</code>'
        f'<button type="button" class="copy" data-copy="{id}-command" '
        f'aria-label="Copy the command">Copy</button></div>',
    }
    items = "".join(f"<div><dt>{name}</dt><dd>{value}</dd></div>" for name, value in rows.items() if value)
    return f'<dl class="details">{items}</dl>'
