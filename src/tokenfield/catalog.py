"""The catalog of kinds: every attention, position, normalization and so on, as plain data.

Each kind has the name that configs and the command line use, its class, equation, source and parameters. `EXCLUSIONS`
are the pairs that make no sense together, each with the sentence by which it is refused; all other pairs combine.
Nothing is computed here and JAX is not imported: classes are dotted names.
"""

from __future__ import annotations

import importlib
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from tokenfield.catalog_kinds import KINDS, Kind, Parameter

__all__ = [
    "CATEGORIES",
    "EXCLUSIONS",
    "KINDS",
    "Exclusion",
    "Kind",
    "Parameter",
    "as_json",
    "excluded_by",
    "find",
    "kinds_of",
    "load",
    "names_of",
    "reason",
    "reasons",
]

CATEGORIES = {
    "geometry": "where tokens live",
    "attention": "which weights a token gives to the others",
    "position": "what breaks exchangeability; kinds combine with each other",
    "normalization": "where the layer normalizes, on the sphere; none is Post-LN",
    "perceptron": "the feed-forward layer W σ(A x + b), by its activation",
    "potential": "what moves each token by itself: x' gains ∇φ(x)",
    "noise": "Brownian motion",
    "schedule": "weights in depth",
    "frame": "what attention adds: y, y − x, or either in moving coordinates",
    "method": "how depth is stepped",
}


@dataclass(frozen=True)
class Exclusion:
    """Two kinds, as `category:name`, that are refused together, and the sentence that says why.

    `general` is the sentence without their names, the same for all kinds of one sort.
    """

    first: str
    second: str
    reason: str
    general: str


def _ids(*patterns: str) -> list[str]:
    """The ids of `category:name`, of all of `category:*`, or of all but some in `category:!name,name`."""
    found = []
    for pattern in patterns:
        category, _, name = pattern.partition(":")
        dropped = name[1:].split(",") if name.startswith("!") else []
        names = [kind.name for kind in KINDS if kind.category == category]
        found += [f"{category}:{n}" for n in names if n not in dropped] if name == "*" or dropped else [pattern]
    return found


def _exclude(first: list[str], second: list[str], reason: str) -> list[Exclusion]:
    """All pairs; `{method}` in the reason stands for the first, `{scheme}` for the class of the second."""
    general = reason.replace("{method}", "this method").replace("{scheme}", "such a scheme")

    def named(a: Kind, b: Kind) -> str:
        return reason.replace("{method}", f"method '{a.name}'").replace("{scheme}", b.cls.rpartition(".")[2])

    return [Exclusion(a, b, named(_kind(a), _kind(b)), general) for a in first for b in second]


def _kind(identity: str) -> Kind:
    return next(kind for kind in KINDS if kind.id == identity)


_PARTS = _ids("perceptron:*", "potential:*")
_RESCALED = ["frame:rescaled"]
_ONE_HEAD = "the rescaled frame z = e^{-tV} x needs one head whose V does not change with depth"
_FOR_SPACE = "the rescaled frame z = e^{-tV} x is for R^d: normalized tokens cannot grow like e^{tV}"

EXCLUSIONS: tuple[Exclusion, ...] = (
    *_exclude(
        ["geometry:euclidean"],
        _ids("normalization:*"),
        "{scheme} moves directions: use it with Sphere(d); tokens in R^d have no normalization",
    ),
    *_exclude(
        _ids("noise:*"),
        _ids("normalization:pre-ln", "normalization:mix-ln", "normalization:peri-ln"),
        "noise moves directions at a fixed rate, but with {scheme} they slow down as radii grow",
    ),
    *_exclude(
        ["frame:relative"],
        ["attention:linear"],
        "relative=True needs weights with a total: linear attention has weights of either sign",
    ),
    *_exclude(_RESCALED, ["geometry:sphere", *_ids("normalization:*")], _FOR_SPACE),
    *_exclude(
        _RESCALED,
        _ids("noise:*"),
        "the rescaled frame z = e^{-tV} x has no noise: sqrt(2/kappa) dW in x decays in z",
    ),
    *_exclude(
        _RESCALED,
        ["frame:relative"],
        "the rescaled frame already moves tokens by V (z_j - z_i): leave out relative=True",
    ),
    *_exclude(_RESCALED, ["attention:none", *_PARTS, *_ids("schedule:!constant")], _ONE_HEAD),
    *_exclude(
        _RESCALED,
        _ids("attention:!softmax,none"),
        "the rescaled frame needs dot products and attention weights that sum to one: use Softmax",
    ),
    *_exclude(
        ["attention:none"],
        _ids("position:*"),
        "positions only matter to attention: this model has no head",
    ),
    *_exclude(
        ["attention:none"],
        ["frame:relative"],
        "relative = true only matters to attention: this model has no head",
    ),
    *_exclude(
        ["attention:none"],
        ["schedule:per-layer", "schedule:resampled"],
        "these schedules change heads with depth: this model has no head",
    ),
    *_exclude(
        ["schedule:resampled"],
        _PARTS,
        "a resampled schedule draws attention heads only: leave out the perceptron and the potential",
    ),
    *_exclude(
        _ids("method:!heun,layers"),
        _ids("noise:*"),
        "{method} ignores noise: use 'heun' with a step, or layers=L",
    ),
    *_exclude(
        ["method:euler-normalise"],
        _ids("normalization:*"),
        "'euler-normalise' is the scheme without a normalization: use layers=L for its layers",
    ),
)


def kinds_of(category: str) -> tuple[Kind, ...]:
    """The kinds of a category."""
    return tuple(kind for kind in KINDS if kind.category == category)


def names_of(category: str) -> tuple[str, ...]:
    """The names of the kinds of a category that a config can ask for."""
    return tuple(kind.name for kind in kinds_of(category) if kind.in_config)


def find(category: str, name: str) -> Kind:
    """The kind of this name; it must exist."""
    return _kind(f"{category}:{name}")


def load(kind: Kind) -> Any:
    """The class of the kind, imported now; `None` for a kind that stands for no class."""
    if not kind.cls:
        return None
    module, _, name = kind.cls.rpartition(".")
    return getattr(importlib.import_module(module), name)


def reason(first: str, second: str) -> str | None:
    """Why the two kinds, as `category:name`, are refused together; `None` if they combine."""
    found = [e.reason for e in EXCLUSIONS if {e.first, e.second} == {first, second}]
    return found[0] if found else None


def reasons(ids: Iterable[str]) -> tuple[str, ...]:
    """All reasons against this combination of kinds, as `category:name`; none if it makes sense."""
    together = set(ids)
    return tuple(dict.fromkeys(e.reason for e in EXCLUSIONS if {e.first, e.second} <= together))


def excluded_by(kind: Kind) -> tuple[tuple[Kind, Exclusion], ...]:
    """The kinds that `kind` does not combine with, each with the exclusion that says why."""
    found = [e for e in EXCLUSIONS if kind.id in (e.first, e.second)]
    return tuple((_kind(e.second if e.first == kind.id else e.first), e) for e in found)


def as_json(kinds: Iterable[Kind] = KINDS) -> dict[str, list[dict[str, Any]]]:
    """The kinds by category, with what they exclude, as JSON has it."""
    listed: dict[str, list[dict[str, Any]]] = {}
    for kind in kinds:
        listed.setdefault(kind.category, []).append(
            {
                "name": kind.name,
                "about": kind.about,
                "class": kind.cls or None,
                "equation": kind.equation,
                "source": [f"arXiv:{source}" for source in kind.sources],
                "in_config": kind.in_config,
                "has_energy": kind.has_energy,
                "parameters": [
                    {"name": p.name, "default": p.default, "required": p.is_required, "meaning": p.meaning}
                    for p in kind.parameters
                ],
                "excludes": [{"kind": other.id, "reason": e.reason} for other, e in excluded_by(kind)],
            }
        )
    return listed
