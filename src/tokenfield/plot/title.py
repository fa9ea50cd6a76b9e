"""The title of a picture: the whole model in a line or two. Nothing is drawn here."""

from __future__ import annotations

import re

import numpy as np

from tokenfield.geometry import Sphere
from tokenfield.model.parts import Head, Perceptron
from tokenfield.model.schedule import PerLayer, Resampled
from tokenfield.model.transformer import Transformer
from tokenfield.plot.style import number
from tokenfield.solver.trajectory import Trajectory

BOUND = "\u00a0"  # a space at which no line breaks
LINE = 54  # characters that fit above the narrowest picture


def facts(run: Trajectory, *, t: float | None = None, drawn: int | None = None) -> str:
    """The title of a picture: what moves the tokens and where, their number, temperatures, and the time if given.

    Where fewer tokens than all are `drawn`, it says how many.

    Titles longer than a picture is wide have several lines.
    """
    model, at = run.model, float(np.asarray(run.ts)[-1])
    d, is_sphere = model.geometry.d, isinstance(model.geometry, Sphere)
    where = f"on $S^{{{d - 1}}}$" if is_sphere else f"in $\\mathbb{{R}}^{{{d}}}$"
    is_zonal = run.kind == "density" and run.final.grid.is_orbit
    held = {"tokens": "", "density": " zonal density" if is_zonal else " density", "gaussian": " Gaussian"}[run.kind]
    kinds = f"{', '.join(_kinds(model, at))}{held} {where}:"
    sample = f" ({drawn:,} drawn)" if drawn is not None and drawn < run.final.n else ""
    counts = {"tokens": [f"$n = {_count(run)}${sample}"], "density": [f"{_count(run)} nodes"], "gaussian": []}[run.kind]
    sizes = [*counts, f"$d = {d}$", *_numbers(model, at)]
    if t is not None:
        sizes.append(f"$t = {number(t)}$")
    whole = f"{kinds}  {',  '.join(sizes)}"
    if _length(whole) <= LINE:
        return whole
    bound = re.sub(r"(\d+) (heads|layers)", rf"\1{BOUND}\2", kinds.replace(where, where.replace(" ", BOUND)))
    return f"{_wrap(bound.split(' '), ' ')}\n{_wrap(sizes, ',  ')}"


def _count(run: Trajectory) -> int | None:
    """The number of tokens or nodes; a Gaussian has none."""
    return getattr(run.final, "n", None)


def _kinds(model: Transformer, t: float) -> list[str]:
    """What the model is made of, in words, most important first."""
    attentions = model.attentions(t)
    names = list(dict.fromkeys(kind.title for kind in attentions))
    moving = [" + ".join(names) if len(names) <= 3 else "mixed attention"] if names else []
    if attentions:
        words = ["rescaled"] * model.rescaled + ["relative"] * model.relative
        moving[0] = " ".join([*words, *(kind.title for kind in model.position), moving[0]])
    blocks = model.sublayers(t)
    alone = (*model.token_wise(t), *(part for block in blocks for part in block.perceptrons))
    if perceptrons := [part for part in alone if isinstance(part, Perceptron)]:
        name = "gated perceptron" if any(part.gate is not None for part in perceptrons) else "perceptron"
        if any(block.then is not None for block in blocks):
            moving[0] = f"{name} of {moving[0]}"
        else:
            moving.append(name if attentions else "ResNet")
    if len(perceptrons) < len(alone):
        moving.append("potential")
    found = [" + ".join(moving), *_norms(model, t)]
    if len(attentions) > 1:
        found.append(f"{len(attentions)} heads")
    if isinstance(model.schedule, PerLayer) and model.schedule.count > 1:
        found.append(f"{model.schedule.count} layers")
    if isinstance(model.schedule, Resampled):
        found.append("random weights")
    if model.normalization is not None:
        scheme = model.normalization
        found.append((scheme.title or type(scheme).__name__) + " with gain" * (scheme.gain is not None))
    return found


def _norms(model: Transformer, t: float) -> list[str]:
    """The norms of sublayers, with where they stand."""
    found = [
        (place, type(norm).__name__)
        for block in model.sublayers(t)
        for place in ("before", "inside", "after")
        if (norm := getattr(block, place)) is not None
    ]
    kinds = dict.fromkeys(kind for _, kind in found)
    return [f"{kind} {' and '.join(dict.fromkeys(place for place, k in found if k == kind))}" for kind in kinds]


def _numbers(model: Transformer, t: float) -> list[str]:
    """The parameters of the model, each as mathtext; a range where heads differ."""
    attentions = model.attentions(t)
    letters = {name: letter for attention in attentions for name, letter in attention.letters.items()}
    found = []
    for name, letter in letters.items():
        values = [
            float(value) for a in attentions if name in a.letters and (value := getattr(a, name, None)) is not None
        ]
        if values and not (name == "bias" and set(values) == {0.0}):
            found.append(_span(letter, values))
    for kind in model.position:
        found += [_span(letter, values) for letter, values in kind.numbers.items()]
    if model.normalization is not None:
        for letter, value in model.normalization.numbers.items():
            found.append(f"${letter} = {letter}(t)$" if value is None else _span(letter, [value]))
    if model.noise is not None:
        found.append(_span(r"\kappa", [float(model.noise.kappa)]) + " (common)" * model.noise.common)
    return found


def _span(letter: str, values: list[float]) -> str:
    low, high = min(values), max(values)
    return f"${letter} = {number(low)}$" if low == high else f"${letter} = {number(low)} \\ldots {number(high)}$"


def energy_label(model: Transformer, t: float, *, normalized: bool) -> str:
    """The name of the axis for what `observables.energy` returns, as its formula in terms of the energy E."""
    heads = model.heads(t)
    labels = {_energy_formula(head, normalized) for head in heads}
    if len(labels) > 1:
        return "normalized energy of all heads" if normalized else "energy of all heads"
    (formula,) = labels
    many = "" if len(heads) == 1 else r"\mathrm{mean}_h\;" if model.average else r"\sum_h\,"
    return f"energy ${many}{formula}$"


def _energy_formula(head: Head, normalized: bool) -> str:
    Q, K = ("" if matrix is None else name for name, matrix in (("Q", head.Q), ("K", head.K)))
    product = r"|\int x\,d\mu|^2" if not (Q or K) else rf"\langle \int {Q}x\,d\mu, \int {K}x\,d\mu \rangle"
    distance = rf"\iint |{Q}x - {K}y|^2 d\mu\,d\mu"
    return head.attention.energy_formula(normalized=normalized, product=product, distance=distance)


def _wrap(parts: list[str], joint: str) -> str:
    """The parts joined, with line breaks so that no line is longer than `LINE` unless a single part is."""
    lines = [parts[0]]
    for part in parts[1:]:
        longer = f"{lines[-1]}{joint}{part}"
        if _length(longer) <= LINE:
            lines[-1] = longer
        else:
            lines[-1] += joint.rstrip()
            lines.append(part)
    return "\n".join(lines).replace(BOUND, " ")


def _length(text: str) -> int:
    """The number of letters that `text` shows once its mathtext is typeset."""
    plain = re.sub(r"\\[a-zA-Z]+", "m", re.sub(r"\\math\w+", "", text))
    return len(re.sub(r"[${}^_\\]", "", plain))
