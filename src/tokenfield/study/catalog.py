"""The catalog of kinds: every attention, position, normalization and so on, as plain data.

Each kind has the name that configs and the command line use, its class, equation, source and parameters. `exclusions`
are the pairs that make no sense together, each with the sentence by which it is refused; all other pairs combine.
Nothing is computed here and JAX is not imported: classes are dotted names. `register` adds a kind of your own.
"""

from __future__ import annotations

import functools
import importlib
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from tokenfield.errors import InvalidInput, did_you_mean
from tokenfield.study.kinds import KINDS, Kind, Parameter

__all__ = [
    "CATEGORIES",
    "Exclusion",
    "Kind",
    "Parameter",
    "as_json",
    "excluded_by",
    "exclusions",
    "find",
    "forget",
    "kinds",
    "kinds_of",
    "load",
    "names_of",
    "reason",
    "reasons",
    "register",
]

CATEGORIES = {
    "geometry": "where tokens live",
    "state": "how their law is held: n of them, or infinitely many",
    "grid": "the nodes of a density; by default fourier, harmonics or zonal by the dimension, moving in R^d",
    "attention": "which weights a token gives to the others",
    "position": "what breaks exchangeability; kinds combine with each other",
    "embedding": "absolute positions, which are added to the tokens at the start",
    "normalization": "where the layer normalizes, on the sphere; by default Post-LN",
    "norm": "norms of real layers, in which attention and perceptron act in turn",
    "heads": "the heads of real layers; by default one head, or those of [[heads]]",
    "perceptron": "the feed-forward layer W σ(A x + b) + c, by its activation",
    "potential": "what moves each token by itself: x' gains ∇φ(x)",
    "noise": "Brownian motion",
    "schedule": "weights in depth",
    "frame": "what attention adds: y, y − x, or either in moving coordinates",
    "method": "how depth is stepped",
}


@dataclass(frozen=True)
class Exclusion:
    """Two kinds, as `category:name`, that are refused together, and the sentence that says why.

    `general` is the sentence without their names, the same for all kinds of one sort. With `state`, they are refused
    together for that state only.
    """

    first: str
    second: str
    reason: str
    general: str
    state: str | None = None

    def holds(self, ids: Iterable[str]) -> bool:
        """Whether the exclusion speaks against this combination of kinds, as `category:name`."""
        chosen = set(ids)
        states = {identity for identity in chosen if identity.startswith("state:")} or {"state:tokens"}
        return {self.first, self.second} <= chosen and (self.state is None or self.state in states)


_FOR_SPACE = "the rescaled frame z = e^{-tV} x is for R^d: normalized tokens cannot grow like e^{tV}"

_registered: list[Kind] = []


def kinds() -> tuple[Kind, ...]:
    """All kinds: those of tokenfield and those that were registered."""
    return (*KINDS, *_registered)


def register(kind: Kind) -> Kind:
    """`kind`, which configs, `tokenfield models` and the checks of combinations know from now on.

    A new attention is a class and this row: its class says what the library asks of it, the row what users read.

    Args:
        kind: The row; its id must be new, and its class must be given.

    Returns:
        The row itself.

    Raises:
        InvalidInput: If the category is unknown, the id is taken, or there is no class.
    """
    if kind.category not in CATEGORIES:
        raise InvalidInput(f"unknown category {kind.category!r}{did_you_mean(kind.category, CATEGORIES)}")
    if not kind.cls or any(known.id == kind.id for known in kinds()):
        why = "it is there already" if kind.cls else "it has no class"
        raise InvalidInput(f"the kind {kind.id!r} cannot be registered: {why}")
    _registered.append(kind)
    exclusions.cache_clear()
    return kind


def forget(kind: Kind) -> None:
    """Takes back what `register` added."""
    _registered.remove(kind)
    exclusions.cache_clear()


def _ids(*patterns: str) -> list[str]:
    """The ids of `category:name`, of all of `category:*`, or of all but some in `category:!name,name`."""
    found = []
    for pattern in patterns:
        category, _, name = pattern.partition(":")
        dropped = name[1:].split(",") if name.startswith("!") else []
        names = [kind.name for kind in kinds() if kind.category == category]
        found += [f"{category}:{n}" for n in names if n not in dropped] if name == "*" or dropped else [pattern]
    return found


def _exclude(first: list[str], second: list[str], reason: str, *, state: str | None = None) -> list[Exclusion]:
    """All pairs; `{method}` in the reason stands for the first, `{scheme}` and `{kind}` for the class of the second."""
    general = reason.replace("{method}", "this method").replace("{scheme}", "such a scheme").replace("{kind}", "this")

    def named(a: Kind, b: Kind) -> str:
        second = b.class_name
        return reason.replace("{method}", f"method '{a.name}'").replace("{scheme}", second).replace("{kind}", second)

    general = f"of tokens: {general}" if state == "state:tokens" else general
    return [Exclusion(a, b, named(_kind(a), _kind(b)), general, state) for a in first for b in second]


def _kind(identity: str) -> Kind:
    return next(kind for kind in kinds() if kind.id == identity)


@functools.cache
def exclusions() -> tuple[Exclusion, ...]:
    """All pairs of kinds that make no sense together."""
    return (*_within_models(), *_with_states())


def _within_models() -> tuple[Exclusion, ...]:
    """Pairs of parts of a model, or of a part and a method, that make no sense together."""
    parts, rescaled = _ids("perceptron:*", "potential:*"), ["frame:rescaled"]
    blocks = _ids("norm:*", "heads:*")
    heads_alone = "the rescaled frame z = e^{-tV} x needs heads alone, whose V do not change with depth"
    return (
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
        *_exclude(rescaled, ["geometry:sphere", *_ids("normalization:*")], _FOR_SPACE),
        *_exclude(
            rescaled,
            _ids("noise:*"),
            "the rescaled frame z = e^{-tV} x has no noise: sqrt(2/kappa) dW in x decays in z",
        ),
        *_exclude(
            rescaled,
            ["frame:relative"],
            "the rescaled frame already moves tokens by V (z_j - z_i): leave out relative=True",
        ),
        *_exclude(rescaled, ["attention:none", *parts, *_ids("schedule:!constant")], heads_alone),
        *_exclude(
            rescaled,
            [kind.id for kind in kinds_of("attention") if kind.cls and not kind.is_average],
            "the rescaled frame needs attention weights that sum to one: others grow like e^{tV} too",
        ),
        *_exclude(
            blocks,
            _ids("normalization:*"),
            "sublayers have norms of their own: give these instead of a normalization of the whole model",
        ),
        *_exclude(blocks, _ids("frame:*"), "rescaled, relative and average are for bare heads"),
        *_exclude(
            blocks,
            ["schedule:resampled"],
            "a resampled schedule draws bare heads: leave out [block], or take block.layers",
        ),
        *_exclude(["attention:none"], _ids("heads:*"), "block.heads has no effect: this model has no attention"),
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
            parts,
            "a resampled schedule draws attention heads only: leave out the perceptron and the potential",
        ),
        *_exclude(
            _ids("method:!heun,layers,kvaerno5,ssprk3"),
            _ids("noise:*"),
            "{method} ignores noise: use 'heun' with a step, or layers=L",
            state="state:tokens",
        ),
        *_exclude(
            ["method:euler-normalise"],
            _ids("normalization:*"),
            "'euler-normalise' is the scheme without a normalization: use layers=L for its layers",
        ),
    )


def _with_states() -> tuple[Exclusion, ...]:
    """Pairs of a way to hold the law and of something that it cannot follow."""
    parts, rescaled = _ids("perceptron:*", "potential:*"), ["frame:rescaled"]
    density, gaussian = ["state:density"], ["state:gaussian"]
    steps_of_tokens = _ids("method:euler-normalise", "method:heun", "method:lie-trotter", "method:layers")
    return (
        *_exclude(
            ["method:kvaerno5", "method:ssprk3"],
            ["state:tokens"],
            "{method} does not suit a token flow",
        ),
        *_exclude(["state:tokens", *gaussian], _ids("grid:*"), "state.grid has no effect: only a density has a grid"),
        *_exclude(steps_of_tokens, density, "{method} does not suit a density flow"),
        *_exclude(["method:ssprk3"], _ids("grid:!cells"), "{method} does not suit a density flow"),
        *_exclude(
            ["grid:zonal"],
            ["attention:none", *parts],
            "zonal densities follow attention alone: a perceptron or potential breaks the symmetry",
        ),
        *_exclude(
            ["grid:zonal"],
            _ids("norm:*", "heads:*"),
            "zonal densities follow bare heads: norms and weights of real blocks break the symmetry",
        ),
        *_exclude(
            ["grid:zonal"],
            [kind.id for kind in kinds_of("attention") if kind.cls and not kind.is_zonal],
            "{kind} attention is more than a smooth function of inner products",
        ),
        *_exclude(_ids("grid:!moving"), ["geometry:euclidean"], "densities on this grid live on spheres"),
        *_exclude(["grid:moving"], ["geometry:sphere"], "nodes that move with the mass live in R^1 or R^2"),
        *_exclude(["method:kvaerno5"], ["grid:moving"], "{method} does not suit a density flow"),
        *_exclude(["grid:moving"], _ids("noise:*"), "nodes that move with the mass know no noise"),
        *_exclude(["grid:moving"], ["attention:riesz"], "the attraction of a density is infinite between its nodes"),
        *_exclude(rescaled, _ids("grid:!moving"), _FOR_SPACE),
        *_exclude(
            density, _ids("position:!causal", "embedding:*"), "a density has no positions: positions need tokens"
        ),
        *_exclude(
            density,
            _ids("normalization:pre-ln", "normalization:mix-ln", "normalization:peri-ln"),
            "a density of directions has no radii: this normalization needs tokens",
        ),
        *_exclude(density, ["noise:common"], "common noise moves a density at random: follow tokens instead"),
        *_exclude([*steps_of_tokens, "method:ssprk3"], gaussian, "{method} does not suit a gaussian flow"),
        *_exclude(gaussian, ["geometry:sphere", *_ids("normalization:*")], "Gaussians live in R^d: use Euclidean(d)"),
        *_exclude(gaussian, rescaled, "Gaussians move in the frame of x: use rescaled=False"),
        *_exclude(
            gaussian, _ids("position:!causal", "embedding:*"), "a Gaussian law has no positions: positions need tokens"
        ),
        *_exclude(
            gaussian,
            _ids("norm:*", "heads:*"),
            "Gaussians follow bare heads and affine perceptrons: sublayers of real blocks need tokens",
        ),
        *_exclude(gaussian, ["noise:common"], "common noise moves the mean at random: follow tokens instead"),
        *_exclude(
            gaussian,
            [kind.id for kind in kinds_of("attention") if kind.cls and not kind.keeps_gaussians],
            "{kind} attention does not keep Gaussians: softmax, L2, Sinkhorn and linear do",
        ),
        *_exclude(
            gaussian,
            _ids("perceptron:!identity", "potential:*"),
            "only an affine perceptron (activation='identity') keeps Gaussians",
        ),
    )


def kinds_of(category: str) -> tuple[Kind, ...]:
    """The kinds of a category."""
    return tuple(kind for kind in kinds() if kind.category == category)


def parameters_of(category: str) -> frozenset[str]:
    """The names of all parameters of the kinds of a category."""
    return frozenset(parameter.name for kind in kinds_of(category) for parameter in kind.parameters)


def names_of(category: str) -> tuple[str, ...]:
    """The names of the kinds of a category that a config can ask for."""
    return tuple(kind.name for kind in kinds_of(category) if kind.in_config)


def find(category: str, name: str) -> Kind:
    """The kind of this name; it must exist."""
    return _kind(f"{category}:{name}")


def load(kind: Kind) -> Any:
    """The class of the kind, imported now; `None` for a kind that stands for no class."""
    if not isinstance(kind.cls, str):
        return kind.cls
    if not kind.cls:
        return None
    package, *names = kind.cls.split(".")
    return functools.reduce(getattr, names, importlib.import_module(package))


def reason(first: str, second: str) -> str | None:
    """Why the two kinds, as `category:name`, are refused together; `None` if they combine."""
    found = [e.reason for e in exclusions() if {e.first, e.second} == {first, second}]
    return found[0] if found else None


def reasons(ids: Iterable[str]) -> tuple[str, ...]:
    """All reasons against this combination of kinds, as `category:name`; none if it makes sense."""
    together = tuple(ids)
    return tuple(dict.fromkeys(e.reason for e in exclusions() if e.holds(together)))


def excluded_by(kind: Kind) -> tuple[tuple[Kind, Exclusion], ...]:
    """The kinds that `kind` does not combine with, each with the exclusion that says why."""
    found = [e for e in exclusions() if kind.id in (e.first, e.second)]
    return tuple((_kind(e.second if e.first == kind.id else e.first), e) for e in found)


def as_json(chosen: Iterable[Kind] | None = None) -> dict[str, list[dict[str, Any]]]:
    """The kinds by category, with what they exclude, as JSON has it."""
    listed: dict[str, list[dict[str, Any]]] = {}
    for kind in kinds() if chosen is None else chosen:
        listed.setdefault(kind.category, []).append(
            {
                "name": kind.name,
                "about": kind.about,
                "class": kind.dotted or None,
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
