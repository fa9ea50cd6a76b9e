"""What the command line prints: the catalog of kinds, and the summary of a run. Needs no JAX."""

from __future__ import annotations

from typing import Any

from rich.console import Console
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from tokenfield.study import catalog, toml
from tokenfield.study.catalog import Exclusion, Kind, Parameter
from tokenfield.study.kinds import DENSITY, GAUSSIAN, TOKENS

SHOWN_SIZES = 8
SHOWN_PLATEAUS = 12
WIDTH = 100  # wider lines are hard to read
SECTIONS = {
    "geometry": '[geometry] kind = "…"',
    "state": '[state] kind = "…"',
    "grid": '[state] grid = "…", nodes = …',
    "attention": '[attention] kind = "…", or one table [[heads]] per head; Q, K, V, O are matrices or files',
    "position": "[position] causal = true, window = 8, alibi = 0.1, rope = true",
    "embedding": '[position] sinusoidal = 1.0, learned = "table.npy"',
    "normalization": '[normalization] kind = "…"',
    "norm": '[block] norm = "…"',
    "heads": "[block] heads = 4; with Q, K, V, O and q, k, v, o of [attention], or random",
    "perceptron": '[perceptron] activation = "…"',
    "potential": '[potential] kind = "…"',
    "noise": "[noise] kappa = …, common = true or false",
    "schedule": '[schedule] kind = "…"',
    "frame": "[attention] relative = true, rescaled = true",
    "method": '[solve] method = "…"',
}


def print_all(console: Console) -> None:
    """Prints every kind, grouped, and the combinations that are refused."""
    for category, about in catalog.CATEGORIES.items():
        _print(console, Text.assemble((category, "bold"), f": {about}"))
        _print(console, Padding(Text(SECTIONS[category], style="dim"), (0, 0, 0, 2)))
        table = Table.grid(padding=(0, 2), expand=True)
        table.add_column(width=max(len(kind.name) for kind in catalog.kinds()) + 2)
        table.add_column(ratio=1)
        table.add_column(justify="right", no_wrap=True)
        for kind in catalog.kinds_of(category):
            table.add_row(Text(f"  {kind.name}", style="cyan"), _summary(kind), Text("\n".join(kind.sources), "dim"))
        _print(console, table)
        console.print()
    _print(console, Text.assemble(("Not together", "bold"), ": these are refused, all other pairs combine"))
    for why, pair in _grouped():
        _print(console, Padding(Text.assemble((pair, "yellow"), f"\n  {why}"), (0, 0, 0, 2)))


def print_one(kind: Kind, console: Console) -> None:
    """Prints one kind in full."""
    _print(console, Text.assemble((kind.name, "bold cyan"), f" ({kind.category}): {kind.about}"))
    rows = [("equation", kind.equation)]
    if kind.cls:
        rows.append(("in Python", kind.dotted))
    rows.append(("in a config", _usage(kind) if kind.in_config else "not possible: a function is code"))
    rows += [("source", f"https://arxiv.org/abs/{source}") for source in kind.sources]
    if kind.has_energy is not None:
        rows.append(("energy", "yes" if kind.has_energy else "none drives it"))
    rows += [("parameter", f"{_assignment(p)}  {p.meaning}") for p in kind.parameters]
    reasons: dict[str, tuple[Kind, ...]] = {}
    for other, exclusion in catalog.excluded_by(kind):
        reasons[exclusion.general] = (*reasons.get(exclusion.general, ()), other)
    rows += [("not with", f"{_names(others)}: {why}") for why, others in reasons.items()]
    table = Table.grid(padding=(0, 2))
    table.add_column(style="dim", no_wrap=True)
    table.add_column(overflow="fold")
    before = None
    for label, text in rows:
        table.add_row("" if label == before else f"  {label}", Text(text))
        before = label
    _print(console, table)


def _usage(kind: Kind) -> str:
    """How a config asks for this kind."""
    usage = SECTIONS[kind.category].partition(", or one table")[0].partition(";")[0].replace('"…"', f'"{kind.name}"')
    if kind.category in ("position", "embedding", "frame"):
        section, _, keys = usage.partition("] ")
        return f"{section}] {next(key for key in keys.split(', ') if key.startswith(kind.name))}"
    return usage.replace("true or false", "true" if kind.name == "common" else "false")


def _print(console: Console, what: object) -> None:
    console.print(what, width=min(console.width, WIDTH))


def _summary(kind: Kind) -> Text:
    text = Text.assemble((kind.equation, "bold"), (f"\n{kind.about}", ""))
    if kind.parameters:
        text.append(f"\n{', '.join(_assignment(p) for p in kind.parameters)}", style="green")
    return text


def _assignment(parameter: Parameter) -> str:
    """The parameter as a config may write it; required ones without a value."""
    if parameter.is_required:
        return f"{parameter.name} = …"
    return parameter.name if parameter.default is None else f"{parameter.name} = {toml.format_value(parameter.default)}"


def _names(kinds: tuple[Kind, ...]) -> str:
    """The kinds, category by category; a whole category is "any normalization"."""
    words = []
    for category in dict.fromkeys(kind.category for kind in kinds):
        names = [kind.name for kind in kinds if kind.category == category]
        whole, missing = catalog.kinds_of(category), len(catalog.kinds_of(category)) - len(names)
        if not missing and len(names) > 1:
            words.append(f"any {category}")
        elif missing <= 2 and len(names) > 3:
            absent = [kind.name for kind in whole if kind.name not in names]
            words.append(f"any {category} but {' and '.join(absent)}")
        else:
            words.append(f"{category} {', '.join(names)}")
    return "; ".join(words)


def _grouped() -> list[tuple[str, str]]:
    """The reasons, each with the two groups of kinds that it keeps apart."""
    groups: dict[str, list[Exclusion]] = {}
    for exclusion in catalog.exclusions():
        groups.setdefault(exclusion.general, []).append(exclusion)
    lines = []
    for why, pairs in groups.items():
        first, second = (dict.fromkeys(ids) for ids in zip(*((e.first, e.second) for e in pairs), strict=True))
        lines.append((why, f"{_names(tuple(map(_kind, first)))} + {_names(tuple(map(_kind, second)))}"))
    return lines


def _kind(identity: str) -> Kind:
    return catalog.find(*identity.split(":"))


# --- the summary of a run -----------------------------------------------------------------------------------------


def summary_rows(summary: dict[str, Any]) -> list[tuple[str, str]]:
    """The lines of a run's summary, each a label and a text; raises `KeyError` or `TypeError` if it is damaged."""
    energy, scaled = summary["energy"], summary["normalized_energy"]
    radius = summary.get("radius")  # runs of version 0.1.0 have none
    rejected = f" and {summary['rejected_steps']} rejected" if summary["rejected_steps"] else ""
    kinds = {TOKENS: _token_rows, DENSITY: _density_rows, GAUSSIAN: _gaussian_rows}
    rows = kinds[summary.get("state", TOKENS)](summary)
    if energy is not None:
        rows.append(("energy", _from_to(energy)))
        if summary["geometry"] == "sphere":
            rows.append(("scaled to [0, 1]", _from_to(scaled)))
    if radius is not None:
        rows.append(("mean radius", _from_to(radius)))
    return [*rows, ("work", f"{summary['steps']} steps{rejected} in {summary['wall_s']:.2f} s")]


def _token_rows(summary: dict[str, Any]) -> list[tuple[str, str]]:
    clusters = summary["clusters"]
    sizes = ", ".join(str(size) for size in clusters["sizes"][:SHOWN_SIZES])
    more = ", ..." if len(clusters["sizes"]) > SHOWN_SIZES else ""
    place = f"on S^{summary['dim'] - 1}" if summary["geometry"] == "sphere" else f"in R^{summary['dim']}"
    return [
        ("tokens", f"{summary['n']} {place}"),
        ("clusters", f"{clusters['count']} (tokens: {sizes}{more}; scale {_number(clusters['delta'])})"),
        *_merger_rows(summary.get("mergers")),
    ]


def _merger_rows(mergers: dict[str, Any] | None) -> list[tuple[str, str]]:
    """How often clusters joined, and the last plateaus, of a run with merging."""
    if mergers is None:
        return []
    last = "" if mergers["last"] is None else f", the last at t = {_number(mergers['last'])}"
    rows, plateaus = [("mergers", f"{mergers['count']}{last}")], mergers["plateaus"]
    for plateau in plateaus[-SHOWN_PLATEAUS:]:
        energy = "" if plateau["energy"] is None else f", energy {_number(plateau['energy'])}"
        count = f"{plateau['count']} clusters" if plateau["count"] > 1 else "1 cluster"
        rows.append(("plateau", f"t = {plateau['start']:.4g} to {plateau['end']:.4g}: {count}{energy}"))
    return rows


def _density_rows(summary: dict[str, Any]) -> list[tuple[str, str]]:
    lost = summary["unresolved_from"]
    resolved = "to the end" if lost is None else f"until t = {_number(lost)}: take more nodes"
    masked = []
    if "positions" in summary:
        masked = [("positions", f"{summary['positions']}, each with its mass to {summary['marginal_error']:.1e}")]
    if summary["geometry"] == "euclidean":
        spread = ["trace", "support_radius"] if "trace" in summary else []
        return [
            ("density", f"{summary['nodes']} nodes (moving with the mass) in R^{summary['dim']}"),
            ("mass", f"1, kept to {summary['mass_error']:.1e}"),
            *masked,
            ("resolved", resolved),
            *(({"trace": "trace of covariance"}.get(name, "largest |x|"), _from_to(summary[name])) for name in spread),
            ("length of mean", _from_to(summary["order_parameter"])),
        ]
    how = "modes" if summary["dim"] == 2 else "regions above half the maximum"
    rows = [
        ("density", f"{summary['nodes']} nodes ({summary['grid']}) on S^{summary['dim'] - 1}"),
        ("mass", f"1, kept to {summary['mass_error']:.1e}"),
        *masked,
        ("smallest density", f"{_number(summary['smallest_density'])} times the uniform one"),
        ("resolved", resolved),
    ]
    if (count := summary["clusters"]["count"]) is not None:
        rows.append(("clusters", f"{count} ({how})"))
    if (degree := summary["dominant_degree"]) is not None:
        rows.append(("strongest degree", str(degree)))
    return [*rows, ("order parameter", _from_to(summary["order_parameter"]))]


def _gaussian_rows(summary: dict[str, Any]) -> list[tuple[str, str]]:
    values = summary["eigenvalues"]
    shown = ", ".join(_number(value) for value in values[:SHOWN_SIZES]) + ", ..." * (len(values) > SHOWN_SIZES)
    each = f", for each of {summary['positions']} positions" if "positions" in summary else ""
    rows = [
        ("Gaussian", f"in R^{summary['dim']}{each}"),
        ("trace", _from_to(summary["trace"])),
        ("eigenvalues", shown),
        ("rank", f"{summary['rank']} (eigenvalues above 1% of the largest of the run)"),
        ("length of mean", _from_to(summary["order_parameter"])),
    ]
    blow_up = summary["blow_up_time"]
    return rows if blow_up is None else [*rows, ("blow-up", f"t = {_number(blow_up)}")]


def _from_to(ends: dict[str, float]) -> str:
    return f"{_number(ends['first'])} → {_number(ends['last'])}"


def _number(value: float | None) -> str:
    return "not finite" if value is None else f"{value:.6g}"
