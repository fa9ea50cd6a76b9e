"""The table of claims for a document: status, how far its negative control misses, on how many seeds it holds."""

from __future__ import annotations

from collections.abc import Sequence

from tokenfield.claims.running import Record, power_in_words, seeds_held

HEAD = "| claim | source | status | negative control | other seeds | what it says |"


def table(records: Sequence[Record]) -> str:
    """These records as a table in Markdown, one row each; what was not run has a dash."""
    return "\n".join([HEAD, "| --- " * HEAD.count(" |") + "|", *map(_row, records)]) + "\n"


def _row(record: Record) -> str:
    source = f"[{record['arxiv']}](https://arxiv.org/abs/{record['arxiv']})"
    power = power_in_words(record).removesuffix(" times what is allowed").replace("fails by ", "fails by × ")
    control = power or ("–" if record["control"] else "none")
    held = seeds_held(record).replace(" seeds hold", "")
    seeds, first = record["seeds"], record["seed"]
    if seeds["is_random"] and first:
        held += f" (seeds {first} to {first + seeds['run'] - 1})"
    if seeds["missed"] and record["misses"]:
        held += f" ({100 * record['misses']:.2g}% expected to miss)"
    cells = [f"`{record['id']}`", source, record["status"], control, held or "–", record["title"]]
    return f"| {' | '.join(cells)} |"
