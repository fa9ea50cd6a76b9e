"""The page of measured layers: what the numbers say, a table by layer, figures, and what each number means."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from pathlib import Path
from typing import Any

from tokenfield._runtime.files import write_text
from tokenfield.layers import Layers
from tokenfield.layers.flow import compared
from tokenfield.layers.variants import CENTERED, NO_ROGUES, NO_SINKS, RAW
from tokenfield.report.frame import environment as environment_now
from tokenfield.report.frame import facts_list, framed, machine, versions
from tokenfield.report.picture import figure, read_picture
from tokenfield.report.text import escape, number, prose
from tokenfield.study.store.folder import FIGURES, LAYERS_FIGURES, PAGE

INTRODUCTION = """The tokens of a text are vectors that move through the layers of a transformer. In theory attention
draws them together. This page shows what they did in one model: how alike they are at each layer, how many directions
they use, how far they move, and what attention looks at."""
VARIANTS = {
    RAW: "the hidden states as they are",
    NO_SINKS: "without tokens whose norm is more than {sink_ratio:g} times the median of the prompt at that layer. "
    "One massive token holds most of the second moment: ranks fall to 1 and say nothing of the others",
    CENTERED: "minus the mean token of the prompt at that layer. Of n tokens, cosines are then about $-1/(n-1)$ on "
    "average, whatever happens",
    NO_ROGUES: "without coordinates that hold more than {rogue_ratio:g}/d of the mean square of the directions. A "
    "coordinate that is large in all tokens alike drives all cosines to 1",
}
MEANINGS = {
    "mean cosine": "over pairs of different tokens of the same prompt: 0 for random tokens, 1 for tokens in one place",
    "effective rank": "$e^H$, $H$ the entropy of the eigenvalues of the second moment: how many directions are used",
    "stable rank": "the sum of these eigenvalues over the largest",
    "moved": "root mean square of the angle, in radians, by which tokens turned since the layer before; transported is "
    "the same for the best matching of tokens to tokens",
    "clusters": "connected components of tokens whose directions are within {delta:g} radians",
    "largest norm": "who has it, and how many times the median norm it is",
}
CAPTIONS = {
    "cosines": "Cosines of pairs of tokens by layer. Pairs of a token with itself are left out.",
    "numbers": "Cosines, ranks, norms and clusters by layer, in four variants.",
    "tokens": "The tokens of the first prompt with their words, in one plane for all layers. Yellow tokens are late in "
    "the text, squares are sinks; words that would cover others are left out.",
    "similarity": "Left: how alike any two layers are up to rotation (CKA without the bias of few tokens). Right: by "
    "which angle tokens turn from one layer to the next.",
    "attention": "Attention by block and head: its entropy as a part of that of even attention; what the token with "
    "most of it gets; the inverse temperature at which random tokens of the same number and dimension have the same "
    "entropy. Gray: more than 10,000.",
    "flow": "Left: the measured cosine by layer and the curves of the theory that fit best. Right: the times at which "
    "these curves have the measured cosine; if layers are equal steps along the flow, they lie on the line.",
}
FLOW = """The time T from the first layer to the last, and the inverse temperature, for which the mean cosine of the
theory's tokens is nearest to the measured one, if layers are equal steps in time. In small print, 95 % intervals by
resampling prompts. A curve that rises fits anything that rises: so the same fit is made with the layers in random
order. T means something only if few random orders fit as well. Nulls are other states to compare with: those of the
same model with its weights in random order (random weights), or with words that mean nothing (random words). Where a
null has the same T or a larger one, what is seen is nothing that the model has learned, or nothing that the text
says."""
COLUMNS = (
    ("mean cosine", "mean_cosine", (RAW, NO_SINKS, NO_ROGUES), ".3f"),
    ("effective rank", "effective_rank", (RAW, NO_SINKS, CENTERED, NO_ROGUES), ".3g"),
    ("moved", "moved", (NO_SINKS,), ".2f"),
    ("clusters", "clusters", (NO_SINKS,), ".3g"),
    ("separation of prompts", "separation", (NO_SINKS,), ".3g"),
)


def write_layers(folder: Path | str, found: Layers) -> Path:
    """Writes the page of measured layers to `folder`/index.html, complete or not at all, and returns its path.

    Figures are read from the folder. Raises `FileError` if the page cannot be written.
    """
    path = Path(folder) / PAGE
    write_text(path, layers_page(found, folder, environment=environment_now()))
    return path


def layers_page(found: Layers, folder: Path | str, *, environment: Mapping[str, Any]) -> str:
    """The page as HTML; its figures are read from `folder` and embedded."""
    notes = "".join(f"<li>{escape(sentence.removesuffix('.'))}.</li>" for sentence in found.notes)
    return framed(
        f"{found.facts['name']}: tokens by layer",
        skip=("figures", "Skip to the figures"),
        header=f'<p class="introduction">{INTRODUCTION}</p>\n{_circumstances(found, environment)}',
        main=f"""<section aria-labelledby="notes"><h2 id="notes">What to know</h2>
<div class="box note"><ul>{notes}</ul></div></section>
<section aria-labelledby="layers"><h2 id="layers">Layer by layer</h2>
{_table(found)}</section>
{_flow(found)}
<section id="figures" aria-labelledby="pictures"><h2 id="pictures">Figures</h2>
{_figures(Path(folder) / FIGURES)}</section>
<section aria-labelledby="meanings"><h2 id="meanings">What the numbers mean</h2>
{_meanings(found)}</section>""",
        footer=versions(environment),
        environment=environment,
    )


def _circumstances(found: Layers, environment: Mapping[str, Any]) -> str:
    tokens, created = found.facts["tokens"], datetime.fromisoformat(environment["created"])
    low, high = min(tokens), max(tokens)
    facts = {
        "Prompts": f"{len(tokens)} of {low} tokens" if low == high else f"{len(tokens)} of {low} to {high} tokens",
        "Layers": f"{len(found.tags)}, from {found.tags[0]} to {found.tags[-1]}",
        "Dimension": found.facts["d"],
        "Made": f"{created.day} {created:%B %Y, %H:%M}",
        "On": machine(environment),
    }
    return facts_list(facts, "circumstances")


def _table(found: Layers) -> str:
    groups = "".join(
        f'<th scope="colgroup" colspan="{len(variants)}">{title}</th>' for title, _, variants, _ in COLUMNS
    )
    heads = "".join(f'<th scope="col">{variant}</th>' for _, _, variants, _ in COLUMNS for variant in variants)
    columns = [(found.mean(name, v), form) for _, name, variants, form in COLUMNS for v in variants]
    rows = []
    for k, tag in enumerate(found.tags):
        cells = "".join(f"<td>{_shown(values[k], form)}</td>" for values, form in columns)
        largest = found.facts["largest"][k]
        who = f"{number(largest['times_median'], 3)} × median<small>{escape(largest['word'])}</small>"
        rows.append(f'<tr><th scope="row">{escape(tag)}</th>{cells}<td class="who">{who}</td></tr>')
    caption = "<caption>Means over prompts. Each number is taken in the variants that its columns name.</caption>"
    return f"""<div class="scroll" tabindex="0"><table class="layers">{caption}
<thead><tr><td></td>{groups}<th scope="colgroup">largest norm</th></tr>
<tr><th scope="col">layer</th>{heads}<th scope="col"></th></tr></thead>
<tbody>{"".join(rows)}</tbody></table></div>"""


def _flow(found: Layers) -> str:
    """The fits in each variant and the nulls, as a table."""
    if found.flow is None or not found.flow["variants"]:
        return ""
    rows = [
        _fit_row(f"{kind}, {variant}", one)
        for variant, fits in found.flow["variants"].items()
        for kind, one in fits.items()
    ]
    rows += [_fit_row(f"{name}: {compared(null)[0]}", null) for name, null in found.flow["nulls"].items()]
    heads = ("curve and variant", "T", "β", "off by", "shuffled layers that fit as well")
    head = "".join(f'<th scope="col">{name}</th>' for name in heads)
    return f"""<section aria-labelledby="flow"><h2 id="flow">How far along the flow</h2>
<p>{escape(FLOW)}</p>
<div class="scroll" tabindex="0"><table class="layers"><thead><tr>{head}</tr></thead>
<tbody>{"".join(rows)}</tbody></table></div></section>"""


def _fit_row(name: str, one: Mapping[str, Any]) -> str:
    def with_interval(value: float, interval: Any) -> str:
        return f"{value:.3g}" + (f"<small>{interval[0]:.3g} to {interval[1]:.3g}</small>" if interval else "")

    cells = (
        with_interval(one["time"], one["time_interval"]),
        with_interval(one["beta"], one["beta_interval"]),
        f"{one['residual']:.2g}",
        f"{100 * one['shuffled']:.2g} %",
    )
    return f'<tr><th scope="row">{escape(name)}</th>{"".join(f"<td>{cell}</td>" for cell in cells)}</tr>'


def _shown(value: float, form: str) -> str:
    return "–" if value != value else f"{value:{form}}".replace("-", "−")


def _figures(folder: Path) -> str:
    parts = []
    for name in LAYERS_FIGURES:
        picture = read_picture(folder / f"{name}.png")
        if picture is not None:
            parts.append(f'{figure(picture, CAPTIONS[name])}<p class="caption">{escape(CAPTIONS[name])}</p>')
    return "\n".join(parts) or '<p class="missing">No figures were drawn.</p>'


def _meanings(found: Layers) -> str:
    options = found.facts["options"]
    entries = VARIANTS | MEANINGS
    rows = "".join(
        f"<div><dt>{escape(name)}</dt><dd>{prose(text.format_map(options) if '{' in text else text)}</dd></div>"
        for name, text in entries.items()
    )
    return f'<dl class="details">{rows}</dl>'
