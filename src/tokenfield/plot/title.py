"""The title of a picture: the whole model in a line or two. Nothing is drawn here."""

from __future__ import annotations

import re

import numpy as np

from tokenfield.geometry import Sphere
from tokenfield.model.attention import L2, Attention, Hardmax, Krause, Linear, Sigmoid, Softmax, Unnormalized
from tokenfield.model.normalization import NGPT, DepthScaled, MixLN, Normalization, OfDepth, PeriLN, PostLN, PreLN
from tokenfield.model.parts import Head, Perceptron
from tokenfield.model.position import ALiBi, Causal, Position, RoPE, Window
from tokenfield.model.schedule import PerLayer, Resampled
from tokenfield.model.sinkhorn import Sinkhorn
from tokenfield.model.transformer import Transformer
from tokenfield.plot.style import number
from tokenfield.solver.trajectory import Trajectory

BOUND = "\u00a0"  # a space at which no line breaks
LINE = 54  # characters that fit above the narrowest picture

_ATTENTIONS: dict[type[Attention], str] = {
    Softmax: "SA",
    Unnormalized: "USA",
    L2: "L2",
    Sigmoid: "sigmoid",
    Linear: "linear",
    Hardmax: "hardmax",
    Krause: "Krause",
}
_SCHEMES: dict[type[Normalization], str] = {
    PostLN: "Post-LN",
    PreLN: "Pre-LN",
    MixLN: "Mix-LN",
    PeriLN: "Peri-LN",
    NGPT: "nGPT",
    DepthScaled: "depth-scaled LN",
}


def facts(run: Trajectory, *, t: float | None = None) -> str:
    """The title of a picture: what moves the tokens and where, their number, temperatures, and the time if given.

    Titles longer than a picture is wide have several lines.
    """
    model, at = run.model, float(np.asarray(run.ts)[-1])
    d, is_sphere = model.geometry.d, isinstance(model.geometry, Sphere)
    where = f"on $S^{{{d - 1}}}$" if is_sphere else f"in $\\mathbb{{R}}^{{{d}}}$"
    is_zonal = run.kind == "density" and run.final.grid.is_orbit
    held = {"tokens": "", "density": " zonal density" if is_zonal else " density", "gaussian": " Gaussian"}[run.kind]
    kinds = f"{', '.join(_kinds(model, at))}{held} {where}:"
    counts = {"tokens": [f"$n = {_count(run)}$"], "density": [f"{_count(run)} nodes"], "gaussian": []}[run.kind]
    sizes = [*counts, f"$d = {d}$", *_numbers(model, at)]
    if t is not None:
        sizes.append(f"$t = {number(t)}$")
    whole = f"{kinds}  {',  '.join(sizes)}"
    if _length(whole) <= LINE:
        return whole
    return f"{_wrap(kinds.replace(where, where.replace(' ', BOUND)).split(' '), ' ')}\n{_wrap(sizes, ',  ')}"


def _count(run: Trajectory) -> int | None:
    """The number of tokens or nodes; a Gaussian has none."""
    return getattr(run.final, "n", None)


def _kinds(model: Transformer, t: float) -> list[str]:
    """What the model is made of, in words, most important first."""
    heads = model.heads(t)
    names = list(dict.fromkeys(_attention_name(head.attention) for head in heads))
    moving = [" + ".join(names) if len(names) <= 3 else "mixed attention"] if heads else []
    if heads:
        words = ["rescaled"] * model.rescaled + ["relative"] * model.relative
        moving[0] = " ".join([*words, *(_position_name(kind) for kind in model.position), moving[0]])
    alone = model.token_wise(t)
    if any(isinstance(part, Perceptron) for part in alone):
        moving.append("perceptron" if heads else "ResNet")
    if any(not isinstance(part, Perceptron) for part in alone):
        moving.append("potential")
    found = [" + ".join(moving)]
    if len(heads) > 1:
        found.append(f"{len(heads)} heads")
    if isinstance(model.schedule, PerLayer) and model.schedule.count > 1:
        found.append(f"{model.schedule.count} layers")
    if isinstance(model.schedule, Resampled):
        found.append("random weights")
    if model.normalization is not None:
        kind = type(model.normalization)
        found.append(_SCHEMES.get(kind, kind.__name__) + " with gain" * (model.normalization.gain is not None))
    return found


def _attention_name(attention: Attention) -> str:
    if not isinstance(attention, Sinkhorn):
        return _ATTENTIONS.get(type(attention), type(attention).__name__)
    kernel = ["L2"] if attention.kernel == "l2" else []
    sweeps = [] if attention.sweeps is None else [f"{attention.sweeps} sweep{'s' * (attention.sweeps != 1)}"]
    return f"Sinkhorn ({', '.join(kernel + sweeps)})" if kernel or sweeps else "Sinkhorn"


def _position_name(kind: Position) -> str:
    if isinstance(kind, Causal):
        return "strictly causal" if kind.strict else "causal"
    if isinstance(kind, Window):
        return f"window-{kind.width:g}"
    return {ALiBi: "ALiBi", RoPE: "RoPE"}.get(type(kind), type(kind).__name__)


def _numbers(model: Transformer, t: float) -> list[str]:
    """The parameters of the model, each as mathtext; a range where heads differ."""
    attentions = [head.attention for head in model.heads(t)]
    found = []
    for letter, name in ((r"\beta", "beta"), ("b", "bias"), (r"\mathrm{radius}", "radius")):
        values = [float(value) for a in attentions if (value := getattr(a, name, None)) is not None]
        if values and not (name == "bias" and set(values) == {0.0}):
            found.append(_span(letter, values))
    for kind in model.position:
        if isinstance(kind, ALiBi):
            found.append(_span(r"\mathrm{slope}", np.ravel(np.asarray(kind.slopes, dtype=float)).tolist()))
    scheme = model.normalization
    if isinstance(scheme, MixLN):
        found.append(_span(r"\tau", [scheme.tau]))
    if isinstance(scheme, NGPT):
        if isinstance(scheme.alpha, OfDepth):
            found.append(r"$\alpha = \alpha(t)$")
        elif float(scheme.alpha) != 1:
            found.append(_span(r"\alpha", [float(scheme.alpha)]))
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
    attention = head.attention
    is_distance = isinstance(attention, L2) or (isinstance(attention, Sinkhorn) and attention.kernel == "l2")
    if isinstance(attention, Linear):
        return r"4E / \beta" if normalized else "E"
    if not normalized:  # only asked for at beta = 0: the limits
        Q, K = ("" if matrix is None else name for name, matrix in (("Q", head.Q), ("K", head.K)))
        if is_distance:
            return rf"-\iint |{Q}x - {K}y|^2 d\mu\,d\mu / 4"
        product = r"|\int x\,d\mu|^2" if not (Q or K) else rf"\langle \int {Q}x\,d\mu, \int {K}x\,d\mu \rangle"
        return rf"{product} / 2" if not isinstance(attention, Sigmoid) else rf"\sigma(b)\,{product} / 2"
    if isinstance(attention, Sinkhorn):
        return r"e^{4\beta E}" if is_distance else r"e^{2\beta E - \beta}"
    if is_distance:
        return r"4\beta E_\beta"
    if isinstance(attention, Sigmoid):
        return r"E \,/\, E_{\mathrm{one\ cluster}}"
    is_negative = float(getattr(attention, "beta", 0.0)) < 0
    return r"2\beta e^{-|\beta|} E_\beta" if is_negative else r"2\beta e^{-\beta} E_\beta"


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
