"""What all pages share: the frame around their content, and what they say about their origin.

A page loads nothing from the network and works without JavaScript.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from importlib.resources import files
from typing import Any

import tokenfield
from tokenfield.report.text import escape

# nothing may be fetched, whatever a record contains
POLICY = "default-src 'none'; img-src data:; style-src 'unsafe-inline'; script-src 'unsafe-inline'"


def framed(
    title: str,
    *,
    skip: tuple[str, str],
    header: str,
    main: str,
    footer: str,
    environment: Mapping[str, Any],
    scripts: Sequence[str] = (),
) -> str:
    """A whole page as HTML around its parts, which are HTML.

    `skip` is the id that a first link leads to, and the words of that link. `scripts` are files of this folder besides
    the one that all pages have, which copies and enlarges.
    """
    code = "\n".join(_asset(name) for name in (*scripts, "page.js"))
    return f"""<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{POLICY}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="generator" content="tokenfield {escape(environment["tokenfield"])}">
<title>{escape(title)} · tokenfield</title>
<link rel="icon" href="data:,">
<style>
{_asset("page.css")}
</style>
</head>
<body>
<a class="skip" href="#{skip[0]}">{skip[1]}</a>
<header class="wide">
<p class="maker">tokenfield <span>{escape(environment["tokenfield"])}</span></p>
<h1>{escape(title)}</h1>
{header}
</header>
<main class="wide">
{main}
</main>
<footer class="wide">
{footer}
</footer>
<dialog id="enlarged" aria-label="Figure"><form method="dialog"><button>Close</button></form><div></div></dialog>
<script>
{code}
</script>
</body>
</html>
"""


def _asset(name: str) -> str:
    return files("tokenfield.report").joinpath(name).read_text(encoding="utf-8").strip()


def environment() -> dict[str, Any]:
    """What the page says about its origin: versions, hardware, and the time now."""
    from tokenfield._runtime.hardware import hardware

    now = datetime.now().astimezone().isoformat(timespec="minutes")
    return {"tokenfield": tokenfield.__version__, "created": now} | hardware()


def machine(environment: Mapping[str, Any]) -> str:
    """The machine in a few words."""
    memory = environment.get("memory_gib")
    parts = [
        environment["processor"],
        f"{environment['cores']} cores",
        f"{memory:.0f} GiB" if memory else "",
        *environment.get("devices", ()),
    ]
    return ", ".join(part for part in parts if part)


def facts_list(facts: Mapping[str, Any], kind: str) -> str:
    """Names with their values, as a list of the class `kind`."""
    rows = "".join(f"<div><dt>{escape(name)}</dt><dd>{escape(value)}</dd></div>" for name, value in facts.items())
    return f'<dl class="{kind}">{rows}</dl>'


def versions(environment: Mapping[str, Any]) -> str:
    """The foot of a page: versions, machine, and how things were computed."""
    names = {"tokenfield": "tokenfield", "python": "Python", "jax": "JAX", "numpy": "NumPy"}
    versions = ", ".join(f"{label} {environment[name]}" for name, label in names.items() if name in environment)
    facts = {"Versions": versions, "Machine": machine(environment)}
    if {"system", "backend", "dtype"} <= environment.keys():
        facts["Computed"] = "on {backend} under {system}, {dtype} where nothing else is said".format_map(environment)
    return facts_list(facts, "versions")
