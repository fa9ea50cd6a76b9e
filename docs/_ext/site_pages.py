"""Pages that are made of the code when the site is built: the reference, the models, commands, configs and papers.

They are written to `docs/reference`, which git ignores, before Sphinx looks for pages. Only what changed is written, so
that a second build is short.
"""

from __future__ import annotations

import dataclasses
import inspect
import re
import sys
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from types import MappingProxyType, ModuleType
from typing import Any

from sphinx.application import Sphinx

import tokenfield

# the pages of the reference: module (empty for the names at the top), title, and what it is for
MODULES = {
    "": ("tokenfield", "Models, `solve`, `predict` and what they take and return."),
    "initial": ("tokenfield.initial", "Where tokens start."),
    "laws": (
        "tokenfield.laws",
        "What a measure can be held as besides tokens: grids for densities, laws of positions and tokens, Gaussians; "
        "`Density` and `Gaussian` themselves are in `tokenfield`.",
    ),
    "observables": ("tokenfield.observables", "What is measured."),
    "theory": ("tokenfield.theory", "Predictions that carry their assumptions."),
    "plot": ("tokenfield.plot", "Figures and animations."),
    "schedule": ("tokenfield.schedule", "Weights in depth."),
    "position": ("tokenfield.position", "What breaks exchangeability."),
    "normalization": (
        "tokenfield.normalization",
        "Where a layer normalizes: what all schemes have in common; the schemes themselves are in `tokenfield`.",
    ),
    "events": ("tokenfield.events", "When a run stops by itself."),
    "transport": ("tokenfield.transport", "Wasserstein distances."),
    "ensemble": ("tokenfield.ensemble", "Many systems at once."),
    "sums": ("tokenfield.sums", "How sums over pairs are done."),
    "pretrained": ("tokenfield.pretrained", "Real models."),
    "layers": ("tokenfield.layers", "Measures of anyone's hidden states."),
    "control": ("tokenfield.control", "Weights that send tokens where they should go."),
    "errors": (
        "tokenfield.errors",
        "Warnings, and what is raised where a package is missing; other errors are in `tokenfield`.",
    ),
}

# what users need of a module that its classes take and that is defined elsewhere
_ALSO = {"tokenfield.model.normalization": ("GainPerLayer",)}


def setup(app: Sphinx) -> dict[str, Any]:
    """Writes the pages before Sphinx looks for them, and mends links of pages that also live on a forge."""
    for name in filter(None, MODULES):  # also those that tokenfield has from elsewhere go by the name that users write
        sys.modules.setdefault(f"tokenfield.{name}", _module(name))
    app.connect("builder-inited", _write_pages, priority=100)
    app.connect("source-read", _mend_links)
    return {"parallel_read_safe": True, "parallel_write_safe": True}


def _mend_links(app: Sphinx, name: str, source: list[str]) -> None:
    """Links out of `docs/` point to pages of the site, or to nothing where it has no such page."""
    text = source[0]
    for target, page in (
        ("README.md", "index.md"),
        ("CONTRIBUTING.md", "contributing.md"),
        ("CHANGELOG.md", "changes.md"),
    ):
        text = re.sub(rf"\]\((?:\.\./)?{target}", f"]({'../' * name.count('/')}{page}", text)
    if name == "claims":  # rows that papers link to
        text = re.sub(r"^\| `([\w-]+)` \|(?= \[\d{4}\.)", r"| `\1`{#\1} |", text, flags=re.MULTILINE)
    if name in ("contributing", "changes"):
        text = text.replace("](docs/", "](")
    source[0] = re.sub(r"\[([^\]]+)\]\(\.\./(?:examples|src|LICENSE|CITATION)[^)]*\)", r"\1", text)


def _write_pages(app: Sphinx) -> None:
    folder = Path(app.srcdir) / "reference"
    pages = {
        "models.md": models(),
        "commands.md": commands(),
        "configs.md": configs(),
        "papers.md": papers(Path(app.srcdir)),
        "index.rst": index(),
        **{f"{_page(name)}.rst": module_page(name) for name in MODULES if _has(name)},
    }
    folder.mkdir(exist_ok=True)
    for stale in set(folder.iterdir()) - {folder / name for name in pages}:
        stale.unlink()
    for name, text in pages.items():
        path = folder / name
        if not path.exists() or path.read_text(encoding="utf-8") != text:
            path.write_text(text, encoding="utf-8")


# --- the reference --------------------------------------------------------------------------------------------------


def _has(name: str) -> bool:
    return not name or name == "errors" or name in tokenfield.__all__


def _page(name: str) -> str:
    return name or "tokenfield"


def _module(name: str) -> ModuleType:
    return getattr(tokenfield, name) if name else tokenfield


def _names(module: ModuleType) -> list[str]:
    own = [name for name, value in vars(module).items() if getattr(value, "__module__", None) == module.__name__]
    if module.__name__ == "tokenfield.errors":  # what words errors is not for users
        own = [name for name in own if inspect.isclass(getattr(module, name))]
    own = [name for name in own if not name.startswith("_")]
    return list(getattr(module, "__all__", [*own, *_ALSO.get(module.__name__, ())]))


def public_things() -> dict[str, dict[str, Any]]:
    """The public functions and classes of each page by name; each is on one page only, the first that has it."""
    pages: dict[str, dict[str, Any]] = {}
    seen: list[Any] = []
    for prefix in MODULES:
        if not _has(prefix):
            continue
        module = _module(prefix)
        pages[prefix] = {}
        for name in _names(module):
            thing = getattr(module, name)
            is_ours = getattr(thing, "__module__", "").startswith("tokenfield")
            if callable(thing) and is_ours and not any(thing is known for known in seen):
                seen.append(thing)
                pages[prefix][name] = thing
    return pages


def _about(name: str) -> str:
    """What a module is for, with links to other modules."""
    text = re.sub(r"`(tokenfield)`", r":doc:`\1`", MODULES[name][1])
    return re.sub(r"(?<!:)`([^`]*)`", r"``\1``", text)


def _first_sentence(thing: Any) -> str:
    from site_docstrings import plain

    text = " ".join((inspect.getdoc(thing) or "").split("\n\n")[0].split())
    sentence = re.split(r"(?<=[.;])\s", text)[0]
    name = re.split(r"(?<=\w\w:)\s", sentence)[0]  # "nGPT: x <- ..." and "(G, c): ..." say little before the colon
    sentence = (name if len(name.split()) > 4 else sentence).rstrip(":;.")
    return (
        re.sub(r"`([^`]*)`", r"``\1``", plain([sentence])[0])
        if "arXiv" not in sentence
        else sentence.replace("|", "\\|").replace("*", "\\*")
    )


def _inherited(thing: type) -> list[str]:
    """The option that shows members of our classes below `thing` which are on no page themselves."""
    shown = [other for page in public_things().values() for other in page.values()]
    is_hidden = [base.__module__.startswith("tokenfield") and base not in shown for base in thing.__mro__]
    return ["   :inherited-members: Module"] if any(is_hidden) else []


def module_page(name: str) -> str:
    """The page of a module: what it is for, a table of its names, then each of them in full."""
    title = MODULES[name][0]
    things = public_things()[name]
    lines = [title, "=" * len(title), "", _about(name), "", f".. py:module:: {title}", ""]
    # as in a file of tests, whose modules have imported these
    names = "of this page and of :doc:`tokenfield`" if name else "of this page"
    lines += [f"Examples use the names {names}, with ``np`` for NumPy and ``jnp`` for ``jax.numpy``.", ""]
    kinds = {"Functions": inspect.isfunction, "Classes": inspect.isclass}
    rest = {n: t for n, t in things.items() if not any(test(t) for test in kinds.values())}
    groups: dict[str, dict[str, Any]] = {h: {n: t for n, t in things.items() if test(t)} for h, test in kinds.items()}
    groups["Functions"] |= rest
    for heading, group in groups.items():
        if not group:
            continue
        lines += [heading, "-" * len(heading), "", ".. list-table::", "   :class: names", "   :widths: 30 70", ""]
        for n, thing in sorted(group.items(), key=lambda pair: pair[0].lower()):
            role = "class" if heading == "Classes" else "func"
            lines += [f"   * - :{role}:`{n}`", f"     - {_first_sentence(thing)}"]
        lines += [""]
        for n, thing in sorted(group.items(), key=lambda pair: pair[0].lower()):
            is_class = heading == "Classes"
            lines += [f".. autoclass:: {n}" if is_class else f".. autofunction:: {n}"]
            lines += ["   :members:", *_inherited(thing), ""] if is_class else [""]
    return "\n".join(lines) + "\n"


def index() -> str:
    """The first page of the reference."""
    rows = [f"   * - :doc:`{MODULES[n][0]} <{_page(n)}>`\n     - {_about(n)}" for n in MODULES if _has(n)]
    made = ("models", "commands", "configs", "papers")
    toc = "\n".join(f"   {name}" for name in (*made, *(_page(n) for n in MODULES if _has(n))))
    return "\n".join(
        [
            "Reference",
            "=========",
            "",
            "Every public name, with its arguments, what it returns, what it raises, its equation and source,",
            "and an example that is executed by the tests.",
            "",
            "- :doc:`models`: every kind of attention, position, normalization and so on, with its equation.",
            "- :doc:`commands`: the command line. :doc:`configs`: the keys of a config.",
            "- :doc:`papers`: the papers, and which claims, models and figures belong to each.",
            "",
            ".. list-table::",
            "   :class: names",
            "   :widths: 30 70",
            "",
            *rows,
            "",
            ".. toctree::",
            "   :hidden:",
            "",
            toc,
            "",
        ]
    )


# --- models, commands, configs --------------------------------------------------------------------------------------


def _cell(text: Any) -> str:
    """`text` for a cell of a table in Markdown, in which nothing is markup but code in backticks."""
    words = re.sub(r"(`[^`|]*`)|([|*_$\[\]])", lambda m: m[1] or f"\\{m[2]}", " ".join(str(text).split()))
    return words.replace("<", "&lt;")


def _code(text: Any) -> str:
    return f"`{str(text).replace('|', chr(92) + '|')}`"


def _table(header: Iterable[str], rows: Iterable[Iterable[str]]) -> list[str]:
    titles = list(header)
    lines = [f"| {' | '.join(titles)} |", f"| {' | '.join('---' for _ in titles)} |"]
    return [*lines, *(f"| {' | '.join(row)} |" for row in rows), ""]


def _arxiv(sources: Iterable[str]) -> str:
    return ", ".join(
        f"[{s}](https://arxiv.org/abs/{s})" if re.fullmatch(r"\d{4}\.\d{4,5}", s) else _cell(s) for s in sources
    )


def _class(name: str | None) -> str:
    """The class `name` as a link to where the reference has it."""
    from site_docstrings import places

    place = next((place for place in places() if place.rsplit(".", 1)[1] == name), None)
    return f"{{py:obj}}`{name} <{place}>`" if place else _code(name) if name else ""


def models() -> str:
    """Every kind of the catalog, as `tokenfield models` lists them."""
    from tokenfield.study import catalog

    lines = ["# Kinds of models", ""]
    lines += [
        "Every kind that a model can be made of, as `tokenfield models` lists them.",
        "`tokenfield models NAME` shows one in full.",
    ]
    lines += [
        "P_x projects to the tangent space at x; the other letters are those of [the notation](../notation.md).",
        "",
    ]
    for category, about in catalog.CATEGORIES.items():
        kinds = [kind for kind in catalog.kinds() if kind.category == category]
        if not kinds:
            continue
        lines += [f"## {category.capitalize()}", "", f"{about[0].upper()}{about[1:]}.", ""]
        rows = [
            (
                f"{_code(kind.name)}{{#{kind.category}-{kind.name}}}",
                _cell(kind.about),
                _cell(kind.equation.replace("|²", "|\u2060²")),  # on one line
                _class(kind.class_name),
                ", ".join(_code(p.name) for p in kind.parameters),
                _arxiv(kind.sources),
            )
            for kind in kinds
        ]
        lines += _table(("name", "what", "equation", "class", "parameters", "source"), rows)
    return "\n".join(lines)


def commands() -> str:
    """Every command with its arguments and options, as `--help` has them."""
    import typer

    from tokenfield.cli import app

    root = typer.main.get_command(app)
    lines = [
        "# Commands",
        "",
        "`tokenfield COMMAND --help` prints the same, `tokenfield --version` the version. A shell completes commands,",
        "options and kinds after one line in its startup file: [shell completion](../install.md#shell-completion).",
        "",
    ]
    for name, command in root.commands.items():  # type: ignore[attr-defined]
        lines += _command(f"tokenfield {name}", command)
    return "\n".join(lines)


def _command(name: str, command: Any) -> list[str]:
    lines = [f"## {name}", "", *_paragraphs(command.help or "")]
    if hasattr(command, "commands"):
        for sub, inner in command.commands.items():
            lines += [
                line.replace("## ", "### ", 1) if line.startswith("## ") else line
                for line in _command(f"{name} {sub}", inner)
            ]
        return lines
    arguments = [p for p in command.params if p.param_type_name == "argument"]
    options = [p for p in command.params if p.param_type_name == "option" and not p.hidden]
    usage = [_usage(p) for p in arguments]
    # what follows the argument of such a command belongs to the argument
    is_last = command.context_settings.get("allow_interspersed_args", True)
    words = [name, *usage, "[OPTIONS]"] if is_last else [name, "[OPTIONS]", *usage]
    lines += ["```sh", " ".join(words), "```", ""]
    rows = [(_code(p.name.upper()), _cell(getattr(p, "help", "") or "")) for p in arguments]
    rows += [
        (", ".join(_code(o) for o in (*p.opts, *p.secondary_opts)), _cell(_with_default(p)))
        for p in options
        if p.name != "help"
    ]
    return lines + _table(("", "meaning"), rows) if rows else lines


def _paragraphs(text: str) -> list[str]:
    """A help text: paragraphs, and commands in boxes."""
    lines: list[str] = []
    for paragraph in text.split("\n\n"):
        words = " ".join(paragraph.split())
        is_command = re.match(r"(?:srun )?tokenfield ", words) and not words.endswith(".")
        lines += ["```sh", words, "```", ""] if is_command else [_cell(words), ""]
    return lines


def _usage(argument: Any) -> str:
    """An argument as usage has it: in brackets if it may be left out, with dots if there may be several."""
    words = argument.name.upper() + " ..." * (argument.nargs < 0)
    return words if argument.required else f"[{words}]"


def _with_default(option: Any) -> str:
    """What an option means, with the default that `--help` shows beside it."""
    text = option.help or ""
    default = option.default
    if option.is_flag:
        default = "yes" if default and option.secondary_opts else None
    if default in (None, "") or "by default" in text:
        return text
    return f"{text.rstrip('.')}; by default {f'{default:g}' if isinstance(default, float) else default}."


def configs() -> str:
    """Every section of a config with its keys, types, defaults and meanings."""
    from tokenfield.study.config import SECTIONS
    from tokenfield.study.sections import HeadSection
    from tokenfield.study.steer import MODEL_SECTIONS, PromptSection, SteerSection

    lines = [
        "# Configs",
        "",
        "A run is a TOML file with these sections. Keys that are left out have their defaults; a key that does not",
        "exist, or has no effect with the others, is refused with the nearest right one. On the command line",
        "`--set section.key=value` sets any of them.",
        "",
    ]
    for name, section in {**SECTIONS, "[heads]": HeadSection}.items():
        lines += _section(name, section)
    shared = [_code(f"[{name}]") for name in MODEL_SECTIONS]
    given = " and ".join(_code(entry.name) for entry in dataclasses.fields(PromptSection))
    lines += [
        *_section("steer", SteerSection, _flags("steer")),
        f"Besides it, `tokenfield steer` reads {', '.join(shared[:-1])} and {shared[-1]}; it has the flags above, but",
        "no `--set`.",
        f"With `problem = 'given'` each prompt is a table `[[prompts]]` with {given}: rows of points, or a file.",
        "",
    ]
    return "\n".join(lines)


def _flags(command: str) -> dict[str, str]:
    """The options of a command by the names of what they set."""
    import typer

    from tokenfield.cli import app

    options = typer.main.get_command(app).commands[command].params  # type: ignore[attr-defined]
    return {option.name: option.opts[0] for option in options if option.param_type_name == "option"}


def _section(name: str, section: type, flags: Mapping[str, str] = MappingProxyType({})) -> list[str]:
    """One section of a config; `flags` are those of keys that do not say theirs."""
    about = " ".join((inspect.getdoc(section) or "").split())
    is_head = name == "[heads]"  # which has what [attention] has, as the words above the table say
    rows = []
    for entry in dataclasses.fields(section):
        if "names" in entry.metadata:  # keys of kinds, which have no field of their own
            rows += [
                (_code(key), _cell(_meaning(name, key)), "number", "" if is_head else _cell(_default(name, key)), "")
                for key in sorted(entry.metadata["names"]())
            ]
            continue
        choices = entry.metadata.get("choices", ())
        choices = choices() if callable(choices) else choices
        is_unset = entry.default in (None, (), dataclasses.MISSING)
        default = entry.metadata.get("unset") or (_default(name, entry.name) if is_unset else _toml(entry.default))
        flag = entry.metadata.get("flag") or flags.get(entry.name, "")
        meaning = _cell(entry.metadata.get("help") or _meaning(name, entry.name))
        meaning = meaning.removesuffix(f": {', '.join(choices)}")
        some = "Any of" if entry.type == "Names" else "One of"
        if choices:
            meaning += f". {some} {', '.join(_code(c) for c in choices)}"
        if (name, entry.name) == ("initial", "kind"):
            meaning += _laws()
        rows.append(
            (
                _code(entry.name),
                meaning,
                _cell(_type(entry.type)),
                "" if is_head else _cell(default),
                ", ".join(_code(spelling) for spelling in flag.split()) if not is_head else "",
            )
        )
    return [f"## [{name}]", "", _cell(about), "", *_table(("key", "meaning", "type", "default", "flag"), rows)]


def _laws() -> str:
    """The initial laws by name: of tokens, and what densities have besides."""
    from tokenfield.study.builders import start

    tokens, density, moving = start._TOKEN_LAWS, start._DENSITY_LAWS, start._MOVING_LAWS
    words = {"One of": tokens, "for densities also": density, "on the grid moving also": moving}
    lists = [
        f"{word} {', '.join(_code(law) for law in laws if laws is tokens or law not in tokens)}"
        for word, laws in words.items()
    ]
    return f". {'; '.join(lists)}"


def _of_kinds(section: str, key: str) -> Iterable[tuple[Any, Any]]:
    """The kinds that have a key of a section as a parameter, and that parameter."""
    from tokenfield.study import catalog

    categories = {
        "[heads]": ("attention",),
        "block": ("norm", "heads"),
        "position": ("position", "embedding"),
    }.get(section, (section,))
    return [(k, p) for k in catalog.kinds() if k.category in categories for p in k.parameters if p.name == key]


def _default(section: str, key: str) -> str:
    """What a key is where it is left out, by the kinds that have it as a parameter."""
    found: dict[str, list[str]] = {}
    for kind, parameter in _of_kinds(section, key):
        if parameter.default not in (None, ()):
            found.setdefault(str(_toml(parameter.default)), []).append(kind.name)
    if len(found) == 1:
        return next(iter(found))
    return ", ".join(f"{value} for {' and '.join(kinds)}" for value, kinds in found.items())


def _meaning(section: str, key: str) -> str:
    """What a key means by the kinds that have it as a parameter; each way it is meant once."""
    found: dict[str, list[str]] = {}
    for kind, parameter in _of_kinds(section, key):
        found.setdefault(parameter.meaning, []).append(kind.name)
    if len(found) == 1:
        meaning = next(iter(found))
        # "dot: β⟨Qx, Ky⟩" and "c, or one per coordinate" are written as they are
        return meaning if re.match(r"\w+: |\w\b", meaning) else meaning[0].upper() + meaning[1:]
    return "; ".join(f"{', '.join(kinds)}: {meaning}" for meaning, kinds in found.items())


def _toml(value: Any) -> Any:
    return str(value).lower() if isinstance(value, bool) else value


def _type(annotation: Any) -> str:
    words = {
        "int": "integer",
        "float": "number",
        "str": "text",
        "bool": "true or false",
        "Matrix": "matrix",
        "Vector": "vector",
        "Names": "names",
        "Any": "vector",
        "tuple[LayerSection, ...]": "tables, one for each layer",
    }
    parts = [part.strip() for part in str(annotation).split("|")]
    return " or ".join(words.get(part, part) for part in parts if part != "None")


# --- papers ---------------------------------------------------------------------------------------------------------


def papers(docs: Path) -> str:
    """Every paper with the claims, models, examples and scenes that belong to it."""
    from tokenfield.claims import all_claims
    from tokenfield.claims.papers import PAPERS
    from tokenfield.study import catalog

    examples = sorted((docs.parent / "examples" / "gallery").glob("**/*.py"))
    texts = {path: path.read_text(encoding="utf-8") for path in examples}
    lines = [
        "# Papers",
        "",
        "The claims of each paper that are run, the models that follow it and the figures of the gallery about it.",
        "`tokenfield reproduce ID` runs a claim and draws its figure; `tokenfield cite ID` prints BibTeX of the papers",
        "behind it, and of tokenfield itself.",
        "",
    ]
    order: Callable[[Any], Any] = lambda paper: (-paper.year, paper.short)  # noqa: E731
    for paper in sorted(PAPERS.values(), key=order):
        lines += [
            f"## {_cell(paper.title)}",
            "",
            f"{_cell(_authors(paper))} {_appeared(paper)}[arXiv {paper.arxiv}]({paper.url})",
            "",
        ]
        claims = [c for c in all_claims() if c.paper == paper.key]
        kinds = [k for k in catalog.kinds() if paper.arxiv in k.sources]
        root = docs.parent / "examples" / "gallery"
        shown = {
            f"../gallery/{path.relative_to(root).with_suffix('.rst').as_posix()}": _title(text)
            for path, text in texts.items()
            if paper.arxiv in text
        }
        lists = {
            "Claims": [f"{_cell(c.title)}: [`{c.id}`](#{c.id})" for c in claims],
            "Models": [", ".join(f"[`{k.name}`](#{k.category}-{k.name})" for k in kinds)] if kinds else [],
            "Figures": [f"[{title}]({page})" for page, title in shown.items()],
        }
        for name, items in lists.items():
            lines += [f"{name}:", "", *(f"- {item}" for item in items), ""] if items else []
        lines += [""]
    return "\n".join(lines)


def _authors(paper: Any) -> str:
    """Who wrote a paper and when; what could not be confirmed is said so."""
    names = ", ".join(paper.authors).replace(", others", " and others")
    unknown = " and ".join(["title"] * paper.title.startswith("arXiv:") + ["authors"] * (not names))
    note = f" ({unknown} not confirmed)" if unknown else ""
    return f"{names} ({paper.year}){note}." if names else f"{paper.year}{note}."


def _appeared(paper: Any) -> str:
    """Where a paper appeared, unless that is arXiv, whose link follows."""
    return "" if paper.appeared.startswith("arXiv") else f"{_cell(paper.appeared)}. "


def _title(text: str) -> str:
    return next(line for line in text.splitlines()[1:] if line.strip()).strip()
