"""Claims about control: weights written down that send tokens where they should go.

Points and prompts on spheres (arXiv 2411.04551), sequences (2502.02270), Gaussians (2606.07600), neural ODEs. What is
built is `tokenfield.control`; here it is solved, counted, and held against what one could believe instead.
"""

from __future__ import annotations

import jax
import numpy as np
from matplotlib.figure import Figure

import tokenfield as tkf
from tokenfield import control
from tokenfield.claims.claim import Claim, Control, Finding, Setting, at_least, at_most, equals
from tokenfield.claims.figures import INK, MEASURED, PALETTE, PREDICTED, mark_predicted, panels
from tokenfield.control.construction import Piece, build

SOLVER = 1e-9  # tolerance 1e-12 of the solver, times what restoring stretches


def _points(rng: np.random.Generator, *shape: int) -> np.ndarray:
    x = rng.normal(size=shape)
    return x / np.linalg.norm(x, axis=-1, keepdims=True)


# --- points -------------------------------------------------------------------------------------------------------


def _six_switches(*, seed: int, sizes: tuple[int, ...], d: int, most: int) -> Finding:
    rng = np.random.default_rng(seed)
    switches, errors = [], []
    for n in sizes:
        x, y = _points(rng, n, d), _points(rng, n, d)
        found = control.match(x, y)
        switches.append(found.switches)
        errors.append(np.abs(np.asarray(found.run(x).final.points) - y).max())
    checks = [
        at_most("switches for each point", np.max(np.array(switches) / sizes), most, because="whole numbers"),
        at_most("distance of a point to its target", max(errors), 0, slack=SOLVER, because="the solver's tolerance"),
    ]
    return Finding(checks, {"sizes": sizes, "switches": switches, "errors": errors, "most": most})


def _draw_switches(finding: Finding) -> Figure:
    figure, (left, right) = panels(2)
    sizes = np.array(finding.data["sizes"])
    left.plot(sizes, finding.data["switches"], "o", label="measured", **MEASURED)
    left.plot(sizes, finding.data["most"] * sizes, label=f"${finding.data['most']} N$", **PREDICTED)
    left.set(xlabel="points $N$", ylabel="switches")
    left.legend()
    right.semilogy(sizes, finding.data["errors"], "o", **MEASURED)
    mark_predicted(right, SOLVER, "tolerance")
    right.set(xlabel="points $N$", ylabel="largest distance to a target")
    right.legend()
    return figure


# --- the gate -----------------------------------------------------------------------------------------------------


def _gate(*, seed: int, tokens: int, gate: str) -> Finding:
    """Mass inside a ball B(z, R) and a target w inside it: which gate brings it there."""
    rng = np.random.default_rng(seed)
    z, R = np.array([0.0, 0.0, 1.0]), 0.8
    around = _points(rng, 20 * tokens, 3)
    inside = around[around @ z > np.cos(0.95 * R)][:tokens]
    outside = around[around @ z < np.cos(1.05 * R)][:tokens]
    w = np.array([np.sin(0.3), 0.0, np.cos(0.3)])
    sign = {"corrected": 1.0, "printed": -1.0}[gate]
    found = build([Piece("gate", 60 * w, sign * z, -sign * np.cos(R))], tkf.Sphere(3))
    ends = [np.asarray(found.run(x).final.points) for x in (inside, outside)]
    arrived = np.mean(np.linalg.norm(ends[0] - w, axis=1) < 0.1)
    moved = np.max(np.linalg.norm(ends[1] - outside, axis=1))
    checks = [
        at_least("share of the ball that arrives", arrived, 1.0, slack=0.02, because="tokens at the border are slow"),
        at_most("how far tokens outside the ball move", moved, 0, slack=1e-9, because="the gate is closed there"),
    ]
    return Finding(checks, {"inside": inside, "outside": outside, "ends": ends, "w": w, "R": R})


def _draw_gate(finding: Finding) -> Figure:
    figure, axes = panels(2)
    turn = np.linspace(0, 2 * np.pi, 200)
    radius = np.sin(finding.data["R"])
    for ax, which, title in zip(axes, (0, 1), ("start, seen from above", "end"), strict=True):
        ax.plot(
            *finding.data["w"][:2], "*", color="white", markeredgecolor=INK, markersize=16, label=r"target $\omega$"
        )
        for k, (name, color) in enumerate((("inside", PALETTE[0]), ("outside", PALETTE[1]))):
            x = finding.data["ends"][k] if which else finding.data[name]
            x = x[x[:, 2] > 0]
            ax.plot(*x[:, :2].T, "o", markersize=3, color=color, label=f"started {name} the ball")
        ax.plot(radius * np.cos(turn), radius * np.sin(turn), label="ball $B(z, R)$", **PREDICTED)
        ax.set(title=title, xlabel="$x_1$", ylabel="$x_2$", aspect="equal", xlim=(-1.05, 1.05), ylim=(-1.05, 1.05))
    figure.legend(*axes[0].get_legend_handles_labels(), loc="outside right center")
    return figure


# --- prompts ------------------------------------------------------------------------------------------------------


def _log_time(*, seed: int, starts: int, tokens: int, rate: float) -> Finding:
    """How long attention takes to bring a prompt to within eps of a point, against log 1/eps."""
    rng = np.random.default_rng(seed)
    radii = np.logspace(-2, -7, 6)
    times = []
    for _ in range(starts):
        flow = build([Piece("gather", np.zeros(3), np.zeros(3), 0.0, 40.0)], tkf.Sphere(3))
        x = np.asarray(flow.run(_points(rng, tokens, 3), save=801).points)
        centers = x.mean(axis=1, keepdims=True)
        spread = np.linalg.norm(x - centers / np.linalg.norm(centers, axis=-1, keepdims=True), axis=-1).max(axis=1)
        times.append([40.0 * np.argmax(spread <= radius) / 800 for radius in radii])
    slopes = [np.polyfit(-np.log(radii), t, 1)[0] for t in times]
    checks = [
        equals("slope of the time against log 1/ε", np.mean(slopes), 1 / rate, within=0.02, because="times of 0.05")
    ]
    return Finding(checks, {"radii": radii, "times": times, "rate": rate})


def _draw_log_time(finding: Finding) -> Figure:
    figure, ax = panels(1)
    levels = -np.log(finding.data["radii"])
    for i, times in enumerate(finding.data["times"]):
        ax.plot(levels, times, "o", color=PALETTE[i % 6], markersize=4, label=None if i else "random prompts")
        line = times[0] + (levels - levels[0]) / finding.data["rate"]
        ax.plot(levels, line, label=None if i else f"slope {1 / finding.data['rate']:g} through the first", **PREDICTED)
    ax.legend()
    ax.set(xlabel=r"$\log 1/\varepsilon$", ylabel="depth until within $\\varepsilon$ of a point")
    return figure


def _disentangled(*, seed: int, starts: int, prompts: int, tokens: int, context: str) -> Finding:
    """Random prompts that share a token, moved by x' = P_x mean: that of their own prompt, or one of all tokens."""
    rng = np.random.default_rng(seed)
    apart, counts, shown = [], [], None
    for _ in range(starts):
        x = _points(rng, prompts, tokens, 3)
        x[:, 0] = x[0, 0]
        found = control.disentangle(list(x))
        counts.append(found.switches)
        if context == "own":
            ends = [np.asarray(found.run(prompt).final.points) for prompt in x]
        else:
            every = np.asarray(found.run(x.reshape(-1, 3)).final.points).reshape(x.shape)
            ends = list(every)
        gaps = [np.min(np.linalg.norm(ends[i][:, None] - ends[j], axis=-1)) for j in range(prompts) for i in range(j)]
        apart.append(min(gaps))
        shown = shown or (x, np.array(ends))
    near = "a thousand times what the solver leaves; limits of random prompts are as near for 1 start in 10^12"
    checks = [
        at_least("distance of two prompts at the end", min(apart), 1e-6, because=near),
        at_most("switches", max(counts), 1, because="whole numbers"),
    ]
    return Finding(checks, {"apart": apart, "shown": shown})


def _draw_disentangled(finding: Finding) -> Figure:
    """The prompts of the first start on maps of the sphere, before and after."""
    figure, axes = panels(2, width=8.0, height=2.5, subplot_kw={"projection": "mollweide"})
    for ax, prompts, when in zip(axes, finding.data["shown"], ("start", "end"), strict=True):
        for k, (x, color, marker) in enumerate(zip(prompts, PALETTE, "osD^vP", strict=False)):
            where = np.arctan2(x[:, 1], x[:, 0]), np.arcsin(np.clip(x[:, 2], -1, 1))
            ax.plot(*where, marker, color=color, markersize=5, label=f"prompt {k + 1}")
            # the token that all prompts share: where it is, the rings lie in each other
            ax.plot(where[0][0], where[1][0], "o", markersize=9 + 3 * k, fillstyle="none", color=color)
        ax.set(title=when, xticks=[], yticks=[])
    figure.legend(*axes[0].get_legend_handles_labels(), loc="outside right center", title="rings: shared token")
    return figure


def _prompts_to_atoms(*, seed: int, cases: tuple[tuple[int, int], ...], tokens: int, per_atom: int) -> Finding:
    rng = np.random.default_rng(seed)
    counts, errors = [], []
    for N, m in cases:
        prompts, targets = list(_points(rng, N, tokens, 3)), list(_points(rng, N, m, 3))
        found = control.match_prompts(prompts, targets, within=1e-4)
        counts.append(found.switches)
        for prompt, target in zip(prompts, targets, strict=True):
            end = tkf.Measure(found.run(prompt).final.points)
            errors.append(tkf.transport.wasserstein(end, tkf.Measure(target), tkf.Sphere(3), p=2))
    atoms = np.array([N * m for N, m in cases])
    checks = [
        at_most("switches over N m", np.max((np.array(counts) - 2) / atoms), per_atom, because="whole numbers"),
        at_most("W₂ to the target", max(errors), 1e-4, because="what was asked for"),
    ]
    return Finding(checks, {"atoms": atoms, "counts": counts, "per_atom": per_atom})


def _draw_atoms(finding: Finding) -> Figure:
    figure, ax = panels(1)
    atoms = finding.data["atoms"]
    ax.plot(atoms, finding.data["counts"], "o", label="measured", **MEASURED)
    line = np.linspace(0, atoms.max(), 2)
    ax.plot(line, finding.data["per_atom"] * line + 2, label=f"${finding.data['per_atom']} N m + 2$", **PREDICTED)
    ax.set(xlabel="atoms of all targets, $N m$", ylabel="switches", xlim=(0, None), ylim=(0, None))
    ax.xaxis.get_major_locator().set_params(integer=True)
    ax.legend()
    return figure


# --- sequences, Gaussians, neural ODEs ----------------------------------------------------------------------------


def _sequences(*, seed: int, lengths: tuple[int, ...], sequences: int, outputs: int, law: str) -> Finding:
    rng = np.random.default_rng(seed)
    Y = rng.normal(size=(sequences, outputs, 3))
    rows: dict[str, list[tuple[int, int, float]]] = {"hardmax": [], "softmax": []}
    for n in lengths:
        X = rng.normal(size=(sequences, n, 3))
        X[:, : n // 2] = X[0, : n // 2]  # half of the tokens in common
        for kind, found_of in rows.items():
            found = control.interpolate_sequences(list(X), list(Y), attention=kind)
            far = [np.linalg.norm(found.run(x)[:, None] - y, axis=-1) for x, y in zip(X, Y, strict=True)]
            error = max(max(f.min(axis=1).max(), f.min(axis=0).max()) for f in far)
            found_of.append((found.blocks, found.parameters, error))
    m, N = sequences * outputs, sequences
    bounds = {"hardmax": 2 * m + 2 * N + 1, "softmax": 2 * m + 3 * N}
    checks = []
    for kind, found_of in rows.items():
        blocks, parameters, errors = (np.array(column) for column in zip(*found_of, strict=True))
        bound = bounds[kind] if law == "paper" else m
        because = "rounding, times the slopes of plateaus"
        checks += [
            at_most(f"{kind}: blocks", blocks.max(), bound, because="whole numbers"),
            equals(
                f"{kind}: parameters of long over short", parameters[-1] / parameters[0], 1, within=0, because="counts"
            ),
            at_most(f"{kind}: distance of outputs", errors.max(), 0, slack=1e-6, because=because),
        ]
    return Finding(checks, {"lengths": lengths, "rows": rows, "bounds": bounds})


def _draw_sequences(finding: Finding) -> Figure:
    figure, (left, right) = panels(2)
    lengths = finding.data["lengths"]
    for (kind, rows), color, marker in zip(finding.data["rows"].items(), PALETTE, "os", strict=False):
        blocks, _, errors = zip(*rows, strict=True)
        left.semilogx(lengths, blocks, marker, color=color, label=kind)
        bound = finding.data["bounds"][kind]
        left.axhline(bound, linestyle=PREDICTED["linestyle"], color=color, label=f"bound {bound}, {kind}")
        right.loglog(lengths, errors, marker, color=color, label=kind)
    left.set(xlabel="tokens of a sequence", ylabel="blocks", ylim=(0, None))
    right.set(xlabel="tokens of a sequence", ylabel="distance of outputs", ylim=(None, 1e-5))
    mark_predicted(right, 1e-6, "allowed")
    for ax in (left, right):
        ax.minorticks_off()
        ax.set_xticks(lengths, [str(n) for n in lengths])
        ax.margins(x=0.2)
        ax.legend(fontsize=8, loc="lower left" if ax is left else "center right")
    return figure


def _same_rank(*, seed: int, starts: int, d: int, law: str) -> Finding:
    rng = np.random.default_rng(seed)
    errors, ranks, sizes, refused = [], [], [], 0
    for _ in range(starts):
        for rank in range(1, d + 1):
            F, G = rng.normal(size=(2, d, rank))
            found = control.reach_covariance(F @ F.T, G @ G.T)
            model = found.model if law == "paper" else _halved(found.model)
            run = tkf.solve(model, found.source, t1=1.0, method="dopri8", rtol=1e-11, atol=1e-13, progress=False)
            S = np.asarray(run.final.covariance)
            errors.append(np.abs(S - G @ G.T).max() / np.abs(G @ G.T).max())
            sizes.append(rank)
            ranks.append(abs(_rank_after(rng, F @ F.T) - rank))
            if rank < d:
                try:
                    control.reach_covariance(F @ F.T, np.eye(d))
                except tkf.Unsupported:
                    refused += 1
    checks = [
        at_most("relative distance to the target covariance", max(errors), 0, slack=1e-6, because="rtol 1e-11"),
        at_most("change of the rank under random V and A", max(ranks), 0, because="whole numbers"),
        equals("targets of higher rank that are refused", refused, starts * (d - 1), within=0, because="whole numbers"),
    ]
    return Finding(checks, {"errors": errors, "ranks": sizes})


def _rank_after(rng: np.random.Generator, covariance: np.ndarray) -> int:
    """The rank of a covariance after random weights have moved it.

    From |S| <= 1 the bound 1/(1 - 2 |V| |A| t) stays below 2 up to t1, long before a blow-up, and eigenvalues change by
    factors of at most e: none comes near the threshold that was not there.
    """
    d = len(covariance)
    A, V = rng.normal(size=(2, d, d)) / np.sqrt(d)
    start = tkf.Gaussian(np.zeros(d), covariance / np.trace(covariance))
    model = tkf.Transformer(tkf.Euclidean(d), tkf.Softmax(1.0), Q=A, V=V)
    t1 = 0.25 / (np.linalg.norm(V, 2) * np.linalg.norm(A, 2))
    end = tkf.solve(model, start, t1=t1, rtol=1e-9, atol=1e-13, save="end", progress=False).final
    values = np.linalg.eigvalsh(np.asarray(end.covariance))
    return int(np.sum(values > 1e-8 * values[-1]))


def _halved(model: tkf.Transformer) -> tkf.Transformer:
    """V(t)/2 with the same logits: what would be right if S' were V S A S, and not that and its transpose."""

    def head(t: jax.Array) -> tkf.Head:
        whole = model.heads(t)[0]
        assert whole.V is not None  # the schedules of `reach_covariance` have all weights
        return tkf.Head(whole.attention, Q=whole.Q, K=whole.K, V=whole.V / 2)

    return tkf.Transformer(model.geometry, tkf.schedule.FunctionOfDepth(head))


def _draw_rank(finding: Finding) -> Figure:
    figure, ax = panels(1)
    ax.semilogy(finding.data["ranks"], np.maximum(finding.data["errors"], 1e-17), "o", label="measured", **MEASURED)
    mark_predicted(ax, 1e-6, "allowed")
    ax.set(xlabel="rank of both covariances", ylabel="relative distance at the end")
    ax.set_xticks(sorted(set(finding.data["ranks"])))
    ax.legend()
    return figure


def _neural_ode(*, seed: int, sizes: tuple[int, ...], pieces: tuple[int, ...], order: float) -> Finding:
    rng = np.random.default_rng(seed)
    counts, distances = [], []
    for n in sizes:
        x, y = rng.normal(size=(2, n, 2))
        found = control.interpolate_points(x, y)
        counts.append(found.switches / n)
        distances.append(np.abs(np.asarray(found.run(x).final.points) - y).max())
    s = np.linspace(0, 1, 257)
    errors = []
    for count in pieces:
        run = control.approximate(lambda s: np.sin(2 * np.pi * s), count, interval=(0.0, 1.0)).run(
            np.stack([s, 0 * s], 1)
        )
        errors.append(np.sqrt(np.mean((np.asarray(run.final.points)[:, 1] - np.sin(2 * np.pi * s)) ** 2)))
    slope = -np.polyfit(np.log(pieces), np.log(errors), 1)[0]
    checks = [
        at_most("switches for each point", max(counts), 2, because="whole numbers"),
        at_most(
            "distance of a point to its target", max(distances), 0, slack=1e-6, because="solver times large shears"
        ),
        equals("order of the L² error", slope, order, within=0.1, because="higher orders in 1/pieces"),
    ]
    return Finding(checks, {"pieces": pieces, "errors": errors, "order": order})


def _draw_neural_ode(finding: Finding) -> Figure:
    figure, ax = panels(1)
    pieces = np.array(finding.data["pieces"], float)
    ax.loglog(pieces, finding.data["errors"], "o", label="measured", **MEASURED)
    predicted = finding.data["errors"][0] * (pieces / pieces[0]) ** -finding.data["order"]
    ax.loglog(pieces, predicted, label=f"order {finding.data['order']:g} through the first", **PREDICTED)
    ax.set(xlabel="switches", ylabel="$L^2$ error")
    ax.minorticks_off()
    ax.set_xticks(pieces, [f"{count:g}" for count in pieces])
    ax.set_yticks([0.05, 0.02, 0.01, 0.005, 0.002], ["0.05", "0.02", "0.01", "0.005", "0.002"])
    ax.legend()
    return figure


# --- the claims ---------------------------------------------------------------------------------------------------

_FIELD = r"$\dot x = \mathbf{P}_x W (U x + b)_+$"

CLAIMS = (
    Claim(
        id="grr24-six-switches",
        title="Points of the sphere are sent to targets with six switches each",
        statement=rf"For $d \geq 3$, piecewise constant weights of the field {_FIELD} with at most $6 N$ "
        "switches send $N$ "
        r"points of the sphere exactly to $N$ targets.",
        paper="grr24",
        where="propositions 4.1 and 4.2",
        status="second-hand",
        assumptions=("distinct points, distinct targets, in general position",),
        experiment=_six_switches,
        draw=_draw_switches,
        quick=Setting({"sizes": (2, 4, 8), "d": 3, "most": 6}, seconds=8),
        full=Setting({"sizes": (2, 4, 8, 16, 24), "d": 3, "most": 6}, seconds=20),
        control=Control({"most": 3}, "three switches for each point: too few to gather, move and restore", "switches"),
        main="switches",
        note="Ours gathers the other points at the two poles of a plane through start and target instead of the "
        "two points "
        r"$\omega_\pm$ of the paper: the corridor then takes one piece, or two where it is long.",
    ),
    Claim(
        id="grr24-gate-of-a-ball",
        title="The gate of a ball has the other sign than printed",
        statement=r"Mass in the ball $B(z, R)$ is carried to a point $\omega$ of it by a gate that is open inside: "
        r"$U = \mathbf{1} z^\top$, $b = -\cos R\, \mathbf{1}$.",
        paper="grr24",
        where="version 3, lemma B.2, equation (B.4), as a public formalization quotes it",
        status="erratum",
        assumptions=("version 3 on arXiv",),
        experiment=_gate,
        draw=_draw_gate,
        quick=Setting({"tokens": 40, "gate": "corrected"}, seconds=3),
        full=Setting({"tokens": 400, "gate": "corrected"}, seconds=5),
        control=Control({"gate": "printed"}, "U = -1 zᵀ, b = cos R is open outside the ball", "share"),
        main="share",
        note=r"Lemma B.2 has $U = -\mathbf{1} z^\top$, $b = \cos R\, \mathbf{1}$, with $(\cos R - \langle z, x "
        r"\rangle)_+ > 0$ inside the ball, but that is so outside: so quotes it a public formalization, which found "
        "the sign and has a note for the authors. Step 3 of proposition 4.2 in the same paper uses the same gate with "
        "the right side, and no theorem is affected.",
    ),
    Claim(
        id="grr24-log-time",
        title="A prompt becomes a point in a time log 1/ε",
        statement=r"Attention brings a prompt to within $\varepsilon$ of one point in a depth $\log "
        r"1/\varepsilon + O(1)$.",
        paper="grr24",
        where="proposition 2.1",
        status="second-hand",
        assumptions=(r"logits zero, $V = I$: $\dot x = \mathbf{P}_x \int y\, d\mu(y)$", "the factor 1 is ours"),
        experiment=_log_time,
        draw=_draw_log_time,
        quick=Setting({"starts": 3, "tokens": 8, "rate": 1.0}, seconds=5),
        full=Setting({"starts": 20, "tokens": 8, "rate": 1.0}, seconds=10),
        control=Control({"rate": 2.0}, "the rate 2 at which cosines tend to 1 in place of that of distances", "slope"),
        main="slope",
    ),
    Claim(
        id="grr24-one-parameter",
        title="Random prompts are disentangled by one constant parameter",
        statement=r"Random prompts that share tokens are sent to disjoint places by $\dot x = \mathbf{P}_x \int "
        r"y\, d\mu(y)$, "
        "with one constant parameter: a token goes where its own prompt says.",
        paper="grr24",
        where="proposition 6.2",
        status="second-hand",
        assumptions=(r"independent tokens on $\mathbb{S}^2$, one of them in all prompts",),
        experiment=_disentangled,
        draw=_draw_disentangled,
        quick=Setting({"starts": 2, "prompts": 3, "tokens": 6, "context": "own"}, seconds=3),
        full=Setting({"starts": 20, "prompts": 3, "tokens": 6, "context": "own"}, seconds=30),
        control=Control(
            {"context": "union"}, "one field for all tokens, as in a linear continuity equation", "distance"
        ),
        main="distance",
    ),
    Claim(
        id="grr24-prompts-to-atoms",
        title="Prompts are sent to measures of m atoms with O(N m) switches",
        statement=r"One transformer sends $N$ prompts to $N$ targets of $m$ atoms, up to $\varepsilon$ in $W_2$, "
        "with a "
        r"number of switches that is linear in the number of atoms: $O((d + m) N)$ in the paper.",
        paper="grr24",
        where="theorems 1.1 and 1.2",
        status="second-hand",
        assumptions=(r"$d = 3$, tokens of equal weights, atoms of equal masses",),
        experiment=_prompts_to_atoms,
        draw=_draw_atoms,
        quick=Setting({"cases": ((2, 1), (2, 2)), "tokens": 6, "per_atom": 7}, seconds=10),
        full=Setting({"cases": ((1, 2), (2, 1), (2, 2), (3, 1), (3, 2)), "tokens": 6, "per_atom": 7}, seconds=40),
        control=Control({"per_atom": 1}, "one switch for each atom", "switches"),
        main="W₂",
        note="Seven for each atom and two more are ours: one piece cuts an atom off, six match it.",
    ),
    Claim(
        id="afz25b-sequence-blocks",
        title="Sequences are interpolated exactly, whatever their length",
        statement=r"A transformer with $2 \sum_j m_j + 2 N + 1$ blocks of hardmax attention, or $2 \sum_j m_j + "
        "3 N$ of softmax, "
        r"maps $N$ sequences exactly to outputs of $m_j$ points; blocks and parameters do not depend on lengths "
        "of inputs.",
        paper="afz25b",
        where="theorems on hardmax and softmax attention",
        status="second-hand",
        assumptions=(r"$d = 3$, half of the tokens in all sequences",),
        experiment=_sequences,
        draw=_draw_sequences,
        quick=Setting({"lengths": (8, 80), "sequences": 2, "outputs": 2, "law": "paper"}, seconds=7),
        full=Setting({"lengths": (8, 80, 800), "sequences": 3, "outputs": 3, "law": "paper"}, seconds=60),
        control=Control({"law": "one"}, "one block for each output, which only lifts it", "blocks"),
        main="blocks",
        note="The construction is ours and needs fewer blocks than the bounds: 2 Σ m_j + N with hardmax, 2 Σ m_j "
        "+ 2 N with "
        "softmax. We know the bounds from a summary of the paper.",
    ),
    Claim(
        id="ajz26-same-rank",
        title="A Gaussian reaches every covariance of its rank, and no other",
        statement=r"With $V(t)$ and $A(t)$ as controls, attention carries $N(0, \Sigma_0)$ exactly to $N(0, "
        r"\Sigma_1)$ if and "
        r"only if both covariances have the same rank.",
        paper="ajz26",
        where="abstract",
        status="second-hand",
        assumptions=("softmax attention in ℝᵈ, without feed-forward layers",),
        experiment=_same_rank,
        draw=_draw_rank,
        quick=Setting({"starts": 1, "d": 3, "law": "paper"}, seconds=8),
        full=Setting({"starts": 20, "d": 3, "law": "paper"}, seconds=60),
        control=Control(
            {"law": "half"}, "V(t)/2, as if S' were each of its two terms, not their sum", "relative distance"
        ),
        main="relative distance",
        note="The controls are ours: factors on a straight line, which is the geodesic of optimal transport. That no "
        "other rank is reached is tested with random weights; that the library refuses such targets is its property.",
    ),
    Claim(
        id="rz23-neural-ode",
        title="Neural ODEs interpolate points and approximate functions",
        statement=r"A neural ODE $\dot x = w (\langle u, x \rangle + b)_+$ with piecewise constant weights sends "
        "$N$ points of "
        r"$\mathbb{R}^d$ exactly to $N$ targets, and approximates functions in $L^2$ as well as one likes.",
        paper="rz23",
        where="simultaneous control and universal approximation",
        status="second-hand",
        assumptions=(r"$d = 2$; a smooth function of one variable",),
        experiment=_neural_ode,
        draw=_draw_neural_ode,
        quick=Setting({"sizes": (4, 12), "pieces": (8, 16, 32), "order": 2.0}, seconds=10),
        full=Setting({"sizes": (4, 12, 32), "pieces": (8, 16, 32, 64), "order": 2.0}, seconds=20),
        control=Control({"order": 1.0}, "the order 1 of steps in place of that of straight pieces", "order"),
        main="distance",
        note="Two switches for each point, by shears, and the order 2 are ours.",
    ),
)
