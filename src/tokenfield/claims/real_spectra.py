"""Claims about what eigenvalues predict of a repeated real layer: those of V, and those at the point where tokens meet.

Tokens that are all equal to x stay equal: attention then gives V x plus a constant, whatever its queries and keys are.
So one token alone says where they may rest. A small difference between two tokens there goes through everything but
attention: all look at the same mean, which does not change. Hence two matrices of size d decide whether a point
attracts, and how fast: the derivative of one token's map, and that of the difference of two tokens.
"""

from __future__ import annotations

from functools import cache
from typing import Any, NamedTuple

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jax import Array
from matplotlib.figure import Figure
from scipy.sparse.linalg import eigs

from tokenfield.claims import real_models as real
from tokenfield.claims.claim import Claim, Control, Finding, Setting, at_least, at_most, equals
from tokenfield.claims.figures import FAINT, INK, PALETTE, PREDICTED, panels
from tokenfield.claims.real_layers import encoder_runs
from tokenfield.claims.repeated import ATTENTION, ONE_POINT, TOGETHER, WHOLE, repeat
from tokenfield.measure import Measure
from tokenfield.model.transformer import Transformer
from tokenfield.pretrained.batch import Batch

# --- where tokens meet ----------------------------------------------------------------------------------------------

STARTS = 24  # tokens that are followed alone
RESTS = 1e-4  # relative length of a step


class Place(NamedTuple):
    """Where one token alone rests, and the logarithms of the largest eigenvalues there, per repetition."""

    point: np.ndarray
    common: float  # of a change of all tokens together
    difference: float  # of a difference between tokens

    @property
    def rate(self) -> float:
        """At which tokens come here at last; above zero they leave."""
        return max(self.common, self.difference)


def _places(layer: Transformer, starts: Array, times: int) -> list[Place]:
    """The different places where single tokens rest, the most visited first."""
    ends, steps = map(np.asarray, _alone(layer, starts, times))
    found: list[list[np.ndarray]] = []
    for x in ends[steps < RESTS]:
        same = [place for place in found if _cosine(place[0], x) > TOGETHER]
        same[0].append(x) if same else found.append([x])
    places = []
    for place in sorted(found, key=len, reverse=True):
        derivatives = (np.asarray(J, np.float64) for J in _derivatives(layer, jnp.asarray(place[0])))
        radii = [np.max(np.abs(_largest(J, "LM"))) for J in derivatives]
        places.append(Place(place[0], *map(float, np.log(radii))))
    return places


@eqx.filter_jit
def _alone(layer: Transformer, starts: Array, times: int) -> tuple[Array, Array]:
    step = lambda x: layer.layer(0.0, Measure(x[None]), step=1.0).points[0]  # noqa: E731

    def one(x: Array) -> tuple[Array, Array]:
        x = jax.lax.fori_loop(0, times, lambda _, x: step(x), x)
        return x, jnp.linalg.norm(step(x) - x) / jnp.linalg.norm(x)

    return jax.vmap(one)(starts)


@eqx.filter_jit
def _derivatives(layer: Transformer, x: Array) -> tuple[Array, Array]:
    """The derivatives of one token's map, and of the difference of two tokens at x."""

    def common(x: Array) -> Array:
        return layer.layer(0.0, Measure(x[None]), step=1.0).points[0]

    def difference(half: Array) -> Array:
        y = layer.layer(0.0, Measure(jnp.stack([x + half, x - half])), step=1.0).points
        return (y[0] - y[1]) / 2

    return jax.jacfwd(common)(x), jax.jacfwd(difference)(jnp.zeros_like(x))


def _largest(matrix: np.ndarray, which: str, *, with_vectors: bool = False) -> Any:
    """The six eigenvalues of largest modulus ("LM") or real part ("LR"), and their vectors."""
    # the start is fixed, so that the same matrix gives the same digits
    options = {"k": 6, "ncv": 60, "maxiter": 10_000, "v0": np.ones(len(matrix))}
    return eigs(matrix, which=which, return_eigenvectors=with_vectors, **options)


def _cosine(x: np.ndarray, y: np.ndarray) -> float:
    return float(x @ y / np.linalg.norm(x) / np.linalg.norm(y))


def _meeting(*, seed: int, count: int, times: int, theory: str) -> Finding:
    network = real.model("minilm", "float32")
    starts = jnp.concatenate([p.measure.points for p in real.prompts("minilm", count, seed, "float32")])[:STARTS]
    rates, known, repelled, expected = [], [], [], []
    for k in range(1, network.layers + 1):
        for which in (WHOLE, ATTENTION):
            layer = network.transformer.frozen(k - 0.5)
            places = _places(layer if which == WHOLE else layer.only(heads=True), starts, times)
            repels = bool(places) and all(place.difference > 0 for place in places)
            for run in encoder_runs(which, k, seed=seed, count=count, times=times, weights="trained"):
                if repels:
                    repelled.append(run.is_together)
                expected.append((bool(places) and not repels, run.fate == ONE_POINT))
                if not run.is_together:
                    continue
                here = [place for place in places if _cosine(place.point, run.points.mean(axis=0)) > TOGETHER]
                known.append(bool(here))
                if here:
                    predicted = here[0].rate if theory == "where they meet" else _power(real.value_matrix(network, k))
                    rates.append((k, which == WHOLE, predicted, run.exponent))
    found = np.asarray(rates)
    errors = np.abs(found[:, 2] - found[:, 3])
    checks = [
        at_least("share of meeting points at which one token alone rests", np.mean(known), 0.9,
                 because="tokens that are equal are one token; few places are missed by the tokens that are followed"),
        at_most("median error of the predicted exponent, per repetition", np.median(errors), 0.005,
                because="a twentieth of what the exponents are"),
        at_most("90 % quantile of the error", np.quantile(errors, 0.9), 0.03,
                because="the difference turns while it shrinks, over a hundred repetitions or fewer"),
        equals("share of sentences at one point where differences grow at every such point", np.mean(repelled), 0,
               within=0.0, because="a point that repels is never reached"),
    ]  # fmt: skip
    return Finding(checks, {"rates": found, "expected": np.asarray(expected)})


def _power(V: np.ndarray) -> float:
    """The rate at which x -> (I + V) x / |(I + V) x| comes to its leading direction."""
    first, second = np.sort(np.abs(1 + np.linalg.eigvals(V)))[:-3:-1]
    return float(np.log(second / first))


def _draw_meeting(finding: Finding) -> Figure:
    found = finding.data["rates"]
    figure, ax = panels(1, width=4.6, height=3.6)
    for is_whole, marker, name in ((1, "o", "whole layer"), (0, "<", "attention alone")):
        for k in range(1, 7):
            here = found[(found[:, 0] == k) & (found[:, 1] == is_whole)]
            fill = PALETTE[k - 1] if is_whole else "white"
            ax.plot(here[:, 2], here[:, 3], marker, color=PALETTE[k - 1], markerfacecolor=fill, markersize=5)
        ax.plot([], [], marker, color=INK, markerfacecolor=INK if is_whole else "white", label=name)
    for k in range(1, 7):
        ax.plot([], [], "s", color=PALETTE[k - 1], label=f"layer {k}")
    low = min(found[:, 2:].min() * 1.05, -0.1)
    ax.plot([low, 0], [low, 0], **PREDICTED)
    ax.set(xlabel="log of the largest eigenvalue where they meet", ylabel="measured Lyapunov exponent")
    ax.legend(fontsize=8)
    return figure


# --- the spectrum of V ----------------------------------------------------------------------------------------------

SHARP = 0.2  # relative gap: over ten units of log l what is not in the leading directions shrinks by e^-2 or more
TURNS = 0.1  # radians per unit of log l: tokens that turn less are taken to come to rest


class Leading(NamedTuple):
    """The eigenvalue of V with the largest real part, its directions, and its distance to the next."""

    value: complex
    basis: np.ndarray  # (d, 1), or (d, 2) for a complex pair
    gap: float  # of the real parts, relative to the first


@cache  # the control looks at the same ones
def _spectrum(k: int) -> Any:
    """The eigenvalues of largest real part of V of layer k of SmolLM2, and their vectors."""
    return _largest(real.value_matrix(real.model("smollm2", "float32"), k), "LR", with_vectors=True)


def _leading(k: int, basis: str, seed: int) -> Leading:
    """That of V of layer k; with a random basis the same eigenvalue and other directions."""
    values, vectors = _spectrum(k)
    order = np.argsort(-values.real)
    first, *_ = order
    is_pair = abs(values[first].imag) > 1e-6 * abs(values[first])
    x = vectors[:, first]
    span = np.stack([x.real, x.imag], axis=1) if is_pair else x.real[:, None]
    if basis == "random":
        span = np.random.default_rng(seed).normal(size=span.shape)
    following = values[order[2 if is_pair else 1]].real
    lead = values[first].real
    return Leading(complex(values[first]), np.linalg.qr(span)[0], float((lead - following) / lead) if lead > 0 else 0.0)


def _values(*, seed: int, count: int, times: int, gap: float, basis: str) -> Finding:
    network = real.model("smollm2", "float32")
    batch = Batch(real.prompts("smollm2", count, seed, "float32"))
    rows = []
    for k in range(1, network.layers + 1):
        lead = _leading(k, basis, seed)
        if lead.gap < gap:
            continue
        row: list[float] = [k, lead.value.real, lead.value.imag, lead.gap]
        for which in (ATTENTION, WHOLE):
            runs = repeat(network.transformer.frozen(k - 0.5), batch, times, which=which, grows=True, with_growth=False)
            row.append(float(np.mean([_inside(run.points, lead.basis) for run in runs])))
            row.append(float(np.mean([np.mean(run.speeds[-times // 4 :]) for run in runs])))
        rows.append(row)
    found = np.asarray(rows)
    sharp = found[found[:, 3] >= SHARP]
    share, speed, whole = sharp[:, 4], sharp[:, 5], sharp[:, 6]
    # x grows like l^(lambda / Re(lambda)), so in a unit of log l it turns by Im / Re
    frequency = np.abs(sharp[:, 2]) / sharp[:, 1]
    is_right = np.where(frequency > 0, np.abs(np.log2(speed / np.maximum(frequency, 1e-9))) < 1, speed < TURNS)
    checks = [
        at_least("layers with a clear leading eigenvalue", len(sharp), 8, because="enough to count"),
        at_least("median share of |x|^2 in the leading directions, attention alone", np.median(share), 0.95,
                 because="what is left of the others; random directions have 1/d"),
        at_least("share of layers with more than 0.9 there, attention alone", np.mean(share > 0.9), 0.8,
                 because="in one or two of ten layers some tokens may still be on their way"),
        at_least("share of layers that turn by Im/Re of the eigenvalue, up to a factor of 2, or rest if it is real",
                 np.mean(is_right), 0.8, because="on an ellipse speeds vary; two layers of ten may be on their way"),
        at_most("median share of |x|^2 in the leading directions, whole layer", np.median(whole), 0.5,
                because="with the perceptron V does not decide"),
    ]  # fmt: skip
    return Finding(checks, {"found": found})


def _inside(x: np.ndarray, basis: np.ndarray) -> float:
    """The mean over tokens of the share of |x|^2 in the span of an orthonormal basis."""
    return float(np.mean(np.sum((x @ basis) ** 2, axis=1) / np.sum(x**2, axis=1)))


def _draw_values(finding: Finding) -> Figure:
    found = finding.data["found"]
    figure, (left, right) = panels(2, width=8.4, height=3.1)
    for column, color, name in ((4, PALETTE[0], "attention alone"), (6, PALETTE[1], "whole layer")):
        left.plot(found[:, 3], found[:, column], "o", color=color, label=name)
        for row in found:
            left.annotate(f"{row[0]:.0f}", (row[3], row[column]), textcoords="offset points", xytext=(3, 3), fontsize=6)
    left.axvline(SHARP, color=FAINT, linewidth=0.8)
    left.axhline(1 / 576, color=INK, linewidth=0.8, linestyle=":", label="random directions")
    left.set(xlabel="gap to the next eigenvalue of V", ylabel="share in its leading directions", ylim=(-0.05, 1.1))
    left.legend(loc="center right", fontsize=8)
    is_complex = found[:, 2] != 0
    for which, marker, name in ((~is_complex, "o", "real"), (is_complex, "^", "complex")):
        color = PALETTE[0] if marker == "o" else PALETTE[3]
        is_clear = found[:, 3] >= SHARP
        right.semilogy(found[which, 0], found[which, 5], marker, color=color, markerfacecolor="white")
        right.semilogy(*found[which & is_clear][:, [0, 5]].T, marker, color=color, label=f"{name} leading eigenvalue")
    here = found[is_complex]
    predicted = np.abs(here[:, 2]) / here[:, 1]
    right.semilogy(here[:, 0], predicted, "_", color=INK, markersize=11, label="predicted: Im / Re")
    right.set(xlabel="layer", ylabel="turn per unit of log l, attention alone")
    right.legend(fontsize=8)
    return figure


CLAIMS = (
    Claim(
        id="real-meeting-points",
        title="Where tokens of a real layer meet, two matrices tell how fast, and which layer cannot",
        statement=(
            "Equal tokens are one token: attention gives them $Vx$ plus a constant, whatever its queries and keys are. "
            "So the points where the layers of a trained encoder (all-MiniLM-L6-v2) repeated bring all tokens together "
            "are those where one token rests. The largest Lyapunov exponent there is the logarithm of the largest "
            "eigenvalue of two derivatives: of one token's map, and of the difference of two tokens, which attention "
            "does not enter. Where the latter is above 1 tokens never meet: attention alone in layer 5."
        ),
        paper="glpr25",
        where="Theorems of part 2 (clustering)",
        status="derived",
        main="median error of the predicted exponent",
        experiment=_meeting,
        draw=_draw_meeting,
        quick=Setting({"count": 3, "times": 200, "theory": "where they meet"}, 9),
        full=Setting({"count": 24, "times": 400, "theory": "where they meet"}, 300),
        control=Control(
            {"theory": "eigenvalues of V"},
            "the eigenvalues of V alone, as if layers were $x \\mapsto (I + V) x$ on the sphere, give other rates",
            fails="median error of the predicted exponent",
        ),
        note=(
            "That a point attracts is not enough. In 11 of 12 cases (6 layers, whole or attention alone) there is one "
            "that does, but half of the sentences do not meet there: they end in clusters, or wander."
        ),
        needs=("minilm",),
    ),
    Claim(
        id="real-value-spectrum",
        title="The spectrum of V tells where real attention alone sends tokens, not where the whole layer does",
        statement=(
            "Theory has tokens gather in the leading eigenvectors of V. In a trained model with norms before its "
            "sublayers (SmolLM2-135M), attention alone, repeated, brings all tokens into the leading eigenspace of "
            "$V = \\sum_h O_h V_h$ wherever its eigenvalue is clearly ahead. They rest if it is real, and turn by its "
            "argument if it is complex. With the perceptron they go elsewhere in most layers."
        ),
        paper="glpr23",
        where="theorem on hyperplanes (leading eigenvalue of V)",
        status="measured",
        main="median share of |x|^2 in the leading directions, attention alone",
        experiment=_values,
        draw=_draw_values,
        quick=Setting({"count": 1, "times": 240, "gap": SHARP, "basis": "of V"}, 10),
        full=Setting({"count": 4, "times": 320, "gap": 0.0, "basis": "of V"}, 500),
        control=Control(
            {"basis": "random"},
            "the same eigenvalues with random directions: tokens have nothing to do with them",
            fails="median share of |x|^2 in the leading directions, attention alone",
        ),
        note="Tokens move in $\\log l$: an eigenvalue that is ahead by less than a fifth needs more depth than is run.",
        needs=("smollm2",),
    ),
)
