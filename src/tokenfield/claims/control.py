"""Claims about control on spheres: weights written down that send points and prompts where they should go.

After arXiv 2411.04551. What is built is `tokenfield.control`; here it is solved, counted, and held against what one
could believe instead. Sequences, Gaussians and neural ODEs are in `interpolation`.
"""

from __future__ import annotations

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
        at_most("switches", max(counts), 0, because="whole numbers"),
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
        at_most("switches over N m", np.max((np.array(counts) - 1) / atoms), per_atom, because="whole numbers"),
        at_most("W₂ to the target", max(errors), 1e-4, because="what was asked for"),
    ]
    return Finding(checks, {"atoms": atoms, "counts": counts, "per_atom": per_atom})


def _draw_atoms(finding: Finding) -> Figure:
    figure, ax = panels(1)
    atoms = finding.data["atoms"]
    ax.plot(atoms, finding.data["counts"], "o", label="measured", **MEASURED)
    line = np.linspace(0, atoms.max(), 2)
    ax.plot(line, finding.data["per_atom"] * line + 1, label=f"${finding.data['per_atom']} N m + 1$", **PREDICTED)
    ax.set(xlabel="atoms of all targets, $N m$", ylabel="switches", xlim=(0, None), ylim=(0, None))
    ax.xaxis.get_major_locator().set_params(integer=True)
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
        quick=Setting({"sizes": (2, 4, 8), "d": 3, "most": 6}, seconds=5),
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
        quick=Setting({"starts": 3, "tokens": 8, "rate": 1.0}, seconds=3),
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
        quick=Setting({"cases": ((2, 1), (2, 2)), "tokens": 6, "per_atom": 7}, seconds=9),
        full=Setting({"cases": ((1, 2), (2, 1), (2, 2), (3, 1), (3, 2)), "tokens": 6, "per_atom": 7}, seconds=40),
        control=Control({"per_atom": 1}, "one switch for each atom", "switches"),
        main="W₂",
        note="Seven for each atom and one more are ours: one piece cuts an atom off, six match it.",
    ),
)
