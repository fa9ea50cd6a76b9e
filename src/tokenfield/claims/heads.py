"""Several heads: what one head cannot do. Two antipodal clusters are stable under an attractive and a repulsive head.

Both heads have Q^T K = beta_h I; V_1 = I attracts at short range (large beta), V_2 = -c I repels at long range (small
beta). With q(beta) = 1/(1 + e^{2 beta}), the attention that one of two equal antipodal clusters pays to the other:
the clusters bend towards each other at the rate 2 (q(beta_1) - c q(beta_2)), and a token leaves its own cluster at the
rate -tanh(beta_1) + c tanh(beta_2). A single head with V = I has 2 q(beta) > 0 and collapses to one point.
"""

from __future__ import annotations

from collections.abc import Sequence

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from matplotlib.figure import Figure

import tokenfield as tkf
from tokenfield.claims.claim import Claim, Control, Finding, Setting, at_least, at_most, equals
from tokenfield.claims.figures import INK, PALETTE, PREDICTED, panels

KICK = 1e-4
EARLY = np.linspace(0, 10, 21)  # while deviations are small


def _model(d: int, betas: Sequence[float], repulsion: float) -> tkf.Transformer:
    """An attractive head with beta_1, and one with beta_2 and V = -repulsion I; without repulsion it adds nothing."""
    signs = (1.0, -repulsion)
    heads = [tkf.Head(tkf.Softmax(jnp.asarray(b)), V=s * jnp.eye(d)) for b, s in zip(betas, signs, strict=True)]
    return tkf.Transformer(tkf.Sphere(d), heads)


def _predicted(betas: Sequence[float], repulsion: float) -> tuple[float, float]:
    """The rates at which two antipodal clusters bend towards each other, and at which a token leaves its cluster."""
    (near, far), c = np.asarray(betas), repulsion
    bend = 2 * (1 / (1 + np.exp(2 * near)) - c / (1 + np.exp(2 * far)))
    return float(bend), float(c * np.tanh(far) - np.tanh(near))


@eqx.filter_jit
def _jacobian(model: tkf.Transformer, x: jax.Array, tangent: jax.Array) -> jax.Array:
    """The Jacobian of the velocities in coordinates along `tangent` (n, d - 1, d), at tokens `x` (n, d)."""

    def velocity(steps: jax.Array) -> jax.Array:
        y = x + jnp.einsum("ik,ikd->id", steps, tangent)
        y = y / jnp.linalg.norm(y, axis=1, keepdims=True)
        return jnp.einsum("id,ikd->ik", model.velocity(0.0, y, tkf.Measure(y)), tangent)

    size = tangent.shape[0] * tangent.shape[1]
    return jax.jacfwd(velocity)(jnp.zeros(tangent.shape[:2])).reshape(size, size)


def _growth_rates(model: tkf.Transformer, x: np.ndarray) -> np.ndarray:
    """The real parts of the Jacobian's eigenvalues on the tangent spaces of the tokens (n, d), largest first."""
    tangent = np.stack([np.linalg.svd(row[None])[2][1:] for row in x])
    jacobian = _jacobian(model, jnp.asarray(x), jnp.asarray(tangent))
    return np.sort(np.linalg.eigvals(np.asarray(jacobian)).real)[::-1]


def _deviations(x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """For tokens (T, n, d), halves in two clusters: |center_1 + center_2|, and the largest distance to a center."""
    parts = x.reshape(len(x), 2, -1, x.shape[-1])
    centers = parts.mean(axis=2)
    spread = np.max(np.linalg.norm(parts - centers[:, :, None], axis=-1), axis=(1, 2))
    return np.linalg.norm(centers.sum(axis=1), axis=-1), spread


def _two_clusters(*, seed: int, d: int, n: int, betas: list[float], repulsion: float, t1: float) -> Finding:
    rng = np.random.default_rng(seed)
    poles = np.repeat([np.eye(d)[0], -np.eye(d)[0]], n // 2, axis=0)
    start = poles + KICK * rng.normal(size=(n, d))
    start /= np.linalg.norm(start, axis=1, keepdims=True)
    ts = np.append(EARLY, np.linspace(EARLY[-1], t1, 80)[1:])
    checks, bends, spectra = [], [], []
    for name, c in (("two heads", repulsion), ("one head", 0.0)):
        model = _model(d, betas, c)
        x = np.asarray(tkf.solve(model, start, t1=t1, save=ts, rtol=1e-9, atol=1e-12).saved_points)
        bend, spread = _deviations(x)
        slope = np.polyfit(EARLY, np.log(bend[: len(EARLY)]), 1)[0]
        rates = _growth_rates(model, poles)
        # turning both clusters together costs nothing: d - 1 zeros
        rates = rates[np.argsort(np.abs(rates))[d - 1 :]]
        expected, leave = _predicted(betas, c)
        why, end = "deviations of 1e-4 to second order", np.min(x[-1] @ x[-1].T)
        checks += [
            equals(f"{name}: rate of the bend between the clusters", slope, expected, within=1e-3, because=why),
            equals(
                f"{name}: largest eigenvalue of the Jacobian", rates.max(), expected, within=1e-9, because="rounding"
            ),
            equals(f"{name}: least eigenvalue of the Jacobian", rates.min(), leave, within=1e-9, because="rounding"),
            equals(f"{name}: least cosine at the end", end, -1 if c else 1, within=1e-6, because="collapse e^(-2rt)"),
            at_most(f"{name}: radius of a cluster at the end", spread[-1], 1e-6, because="the solver's tolerance"),
        ]
        bends.append(bend)
        spectra.append(rates)
    checks.append(at_most("two heads: largest rate of a deviation", np.max(spectra[0]), 0, because="else it grows"))
    data = {"ts": ts, "bends": bends, "spectra": spectra, "rates": [_predicted(betas, c)[0] for c in (repulsion, 0.0)]}
    return Finding(checks, data)


def _draw_two_clusters(finding: Finding) -> Figure:
    figure, (left, right) = panels(2)
    data = finding.data
    for k, name in enumerate(("two heads", "one head")):
        color = PALETTE[k]
        left.plot(data["ts"], np.maximum(data["bends"][k], 1e-12), color=color, label=name)
        early = data["ts"][: 2 * len(EARLY)]
        line = data["bends"][k][0] * np.exp(data["rates"][k] * early)
        left.plot(early, line, label="predicted rate" if k else "_", **PREDICTED)
        values = data["spectra"][k]
        right.plot(values, np.full(len(values), 1.0 - k), "o", color=color, markersize=6)
        right.plot(data["rates"][k], 1.0 - k, "|", color=INK, markersize=18)
    left.set(xlabel="time $t$ of the flow", ylabel="$|c_1 + c_2|$, zero for antipodal clusters", yscale="log")
    left.legend()
    right.axvline(0, color=INK, linewidth=0.7)
    right.set(
        xlabel="eigenvalues of the Jacobian", yticks=[1.0, 0.0], yticklabels=["two heads", "one head"], ylim=(-0.6, 1.6)
    )
    return figure


def _uniform_starts(
    *, seed: int, d: int, n: int, betas: list[float], repulsion: float, starts: int, t1: float
) -> Finding:
    counts: dict[str, list[int]] = {"two heads": [], "one head": []}
    returned = []
    for k in range(starts):
        for name, c in (("two heads", repulsion), ("one head", 0.0)):
            model = _model(d, betas, c)
            start = tkf.initial.uniform(model.geometry, n=n, seed=starts * seed + k)
            # the times of one head are those of metastable clusters; merging makes them short
            run = tkf.solve(model, start, t1=t1 if c else 1e9, save="end", merge=True)
            counts[name].append(run.clusters().count)
            if c:
                x = np.asarray(run.final.points)
                kicked = x + KICK * np.random.default_rng(k).normal(size=x.shape)
                kicked /= np.linalg.norm(kicked, axis=1, keepdims=True)
                y = np.asarray(tkf.solve(model, kicked, t1=t1, save="end", merge=True).final.points)
                # cosines: three clusters of unequal masses turn slowly together
                returned.append(float(np.max(np.abs(y @ y.T - x @ x.T)) / np.max(np.abs(kicked @ kicked.T - x @ x.T))))
    why = "the solver's tolerance is 1e-3 of the kick"
    many, one = counts["two heads"], counts["one head"]
    checks = [
        at_least("two heads: least number of clusters at the end", min(many), 2, because="a count"),
        equals("one head: largest number of clusters at the end", max(one), 1, within=0, because="a count"),
        at_most(
            "two heads: share of a kick that is left in the cosines", max(returned, default=1.0), 0.02, because=why
        ),
    ]
    return Finding(checks, {"counts": counts, "returned": returned})


def _draw_uniform_starts(finding: Finding) -> Figure:
    figure, (left, right) = panels(2, width=7.4)
    counts, returned = finding.data["counts"], finding.data["returned"]
    for k, (name, found) in enumerate(counts.items()):
        starts = np.arange(1, len(found) + 1)
        left.plot(starts, found, "os"[k], color=PALETTE[k], markersize=7, alpha=0.8, label=name)
    left.axhline(1, label="one cluster: the theorem for one head", **PREDICTED)
    left.set(xlabel="start", ylabel="clusters at the end", ylim=(0, 1 + max(max(c) for c in counts.values())))
    left.yaxis.get_major_locator().set_params(integer=True)
    left.xaxis.get_major_locator().set_params(integer=True)
    figure.legend(*left.get_legend_handles_labels(), loc="outside upper center", ncols=3)
    right.semilogy(starts, np.maximum(returned, 1e-12), "o", color=PALETTE[0], markersize=7)
    right.axhline(0.02, label="allowed", **PREDICTED)
    right.legend(loc="lower right", fontsize=8)
    right.set(xlabel="start", ylabel="share left of a kick, two heads", ylim=(1e-10, 1))
    right.xaxis.get_major_locator().set_params(integer=True)
    return figure


MODEL = r"$Q_h^\top K_h = \beta_h I$, $V_1 = I$, $V_2 = -cI$; the heads are summed; the second is absent for one head"
CLAIMS = (
    Claim(
        id="glpr25-heads-antipodal-clusters",
        title="Two heads hold two antipodal clusters, which one head cannot",
        statement=r"Two equal antipodal clusters bend towards each other at the rate $2\left(q(\beta_1) - "
        r"c\,q(\beta_2)\right)$ with $q(\beta) = \frac{1}{1 + e^{2\beta}}$, and a token leaves its cluster at the "
        r"rate $-\tanh\beta_1 + c\tanh\beta_2$: an attractive and a repulsive head make both negative, a single head "
        r"with $V = I$ never does.",
        paper="glpr25",
        where="the multi-head model",
        status="derived",
        assumptions=(MODEL, r"tokens on the unit sphere of $\mathbb{R}^3$, half of them in each cluster"),
        experiment=_two_clusters,
        draw=_draw_two_clusters,
        quick=Setting({"d": 3, "n": 8, "betas": [1.5, 0.5], "repulsion": 0.5, "t1": 150.0}, seconds=3),
        full=Setting({"d": 3, "n": 32, "betas": [1.5, 0.5], "repulsion": 0.5, "t1": 300.0}, seconds=6),
        control=Control(
            {"repulsion": 0.1}, "too weak a second head does not hold the clusters apart", "largest rate of"
        ),
        main="two heads: rate of the bend",
        note="The paper has the model; that several heads can hold several clusters is our own computation.",
    ),
    Claim(
        id="glpr25-heads-several-clusters",
        title="From uniform tokens two heads end in several stable clusters, one head in one",
        statement=r"With an attractive head of range $\beta_1^{-1/2}$ and a repulsive one of longer range, uniform "
        r"tokens end in several clusters whose cosines return after any small kick. With the attractive head alone "
        r"all of them end in one point.",
        paper="glpr25",
        where="the multi-head model, and the theorem on one cluster for d ≥ 3",
        status="derived",
        main="two heads: least number",
        assumptions=(MODEL, r"uniform tokens on the unit sphere of $\mathbb{R}^3$"),
        experiment=_uniform_starts,
        draw=_draw_uniform_starts,
        quick=Setting({"d": 3, "n": 12, "betas": [4.0, 0.5], "repulsion": 0.5, "starts": 3, "t1": 300.0}, seconds=3),
        full=Setting({"d": 3, "n": 24, "betas": [4.0, 0.5], "repulsion": 0.5, "starts": 32, "t1": 300.0}, seconds=22),
        control=Control({"repulsion": 0.0}, "without the second head nothing is held apart", "two heads: least number"),
        note="The paper has the model and proves the part about one head; the rest is our own computation. Two "
        "softmax heads are no gradient flow: three clusters of unequal masses keep their cosines but turn slowly "
        "together.",
    ),
)
