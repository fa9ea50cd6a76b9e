"""Claims about noisy attention on spheres: dX = velocity dt + sqrt(2/kappa) dW (arXiv 2512.01868, 2412.14813, ...).

Small kappa means much noise. The law of many tokens obeys d_t mu = (1/kappa) Lap mu - div(mu X[mu]), followed here as a
density on a spectral grid; unnormalized attention, so that the flow is a gradient flow.
"""

from __future__ import annotations

import jax.numpy as jnp
import numpy as np
from matplotlib.figure import Figure

import tokenfield as tkf
from tokenfield import theory
from tokenfield.claims.claim import Claim, Control, Finding, Setting, at_least, at_most, equals
from tokenfield.claims.figures import FAINT, INK, PALETTE, PREDICTED, mark_predicted, panels
from tokenfield.errors import InvalidInput
from tokenfield.laws import Density, Fourier, Zonal

ATTENTIONS = {"unnormalized": tkf.Unnormalized, "softmax": tkf.Softmax}


def _model(beta: float, kappa: float, d: int = 2, attention: str = "unnormalized") -> tkf.Transformer:
    return tkf.Transformer(tkf.Sphere(d), ATTENTIONS[attention](beta), noise=tkf.Noise(kappa, seed=0))


# --- the order parameter ------------------------------------------------------------------------------------------


def _rest(beta: float, kappa: float, start: Density, t1: float) -> Density:
    """The density at t1."""
    run = tkf.solve(_model(beta, kappa), start, t1=t1, save="end", rtol=1e-8, max_steps=100_000)
    if not run.result.is_complete:
        raise InvalidInput(f"the density is not at rest: {run.result}")
    return run.final


def _tokens_at_rest(kappa: float, *, n: int, t1: float, seed: int) -> float:
    """The root mean square over time of |mean of n tokens|, from tokens in a half plane."""
    sphere = tkf.Sphere(2)
    start = tkf.initial.cap(sphere, n, seed=seed).points.astype(jnp.float32)
    model = tkf.Transformer(sphere, tkf.Unnormalized(0.0), noise=tkf.Noise(kappa, seed=seed))
    square = {"square": lambda mu: jnp.sum(mu.mean**2)}
    save = tkf.Save(times=np.linspace(t1 / 8, t1, 256), tokens=False, observables=square)
    run = tkf.solve(model, start, t1=t1, step=1 / 16, save=save, progress=False)
    return float(np.sqrt(np.mean(np.asarray(run.observables["square"]))))


def _spread_of_tokens(kappa: float, r: float, *, n: int, t1: float) -> float:
    """The standard error of `_tokens_at_rest`: n Var r = V/(1 - kappa V), forgotten at the rate 1/(kappa^2 n Var r)."""
    V = 1 - 1 / kappa - r**2
    variance = V / (1 - kappa * V)
    return float(np.sqrt(variance / n * 2 * kappa**2 * variance / (7 / 8 * t1)))


def _order_parameter(
    *,
    seed: int,
    kappas: tuple[float, ...],
    t1: float,
    token_kappas: tuple[float, ...],
    n: int,
    token_t1: float,
    strength: float,
) -> Finding:
    start = Density.vmf_mixture(Fourier(48), means=[[1.0, 0.0]], concentrations=2.0)
    predicted = [float(theory.stationary_order(kappa)) for kappa in kappas]
    measured = [float(_rest(0.0, strength * kappa, start, t1).mean[0]) for kappa in kappas]
    why = "what has not decayed at the end, and the solver's tolerance"
    checks = [
        equals(f"r of the density, κ = {kappa:g}", found, value, within=2e-6, because=why)
        for kappa, found, value in zip(kappas, measured, predicted, strict=True)
    ]
    tokens = []
    for kappa in token_kappas:
        value = float(theory.stationary_order(kappa))
        tokens.append(_tokens_at_rest(strength * kappa, n=n, t1=token_t1, seed=seed))
        error = _spread_of_tokens(kappa, value, n=n, t1=token_t1)
        checks.append(
            equals(
                f"r of {n} tokens, κ = {kappa:g}",
                tokens[-1],
                value,
                within=3 * error + 1 / n,
                because="three standard errors of the time average, and the bias 1/n",
                error=error,
            )
        )
    data = {
        "kappas": np.array(kappas),
        "measured": measured,
        "token_kappas": np.array(token_kappas),
        "tokens": tokens,
        "n": n,
    }
    return Finding(checks, data)


def _draw_order_parameter(finding: Finding) -> Figure:
    figure, ax = panels(1)
    data = finding.data
    ax.plot(data["kappas"], data["measured"], "o", color=PALETTE[0], markersize=5, label="density")
    style = {"color": PALETTE[1], "markersize": 9, "markerfacecolor": "none"}
    ax.plot(data["token_kappas"], data["tokens"], "s", **style, label=f"{data['n']} tokens")
    fine = np.concatenate([[data["kappas"].min() / 2], 2 + np.linspace(0, 1, 200) ** 2 * (data["kappas"].max() - 1.5)])
    ax.plot(
        fine,
        [float(theory.stationary_order(kappa)) for kappa in fine],
        **PREDICTED,
        label=r"$r = I_1(\kappa r)/I_0(\kappa r)$",
    )
    ax.set(xlabel=r"$\kappa$", ylabel=r"order parameter $r$", ylim=(-0.03, 1.0))
    ax.legend(loc="lower right")
    return figure


# --- thresholds of the uniform law --------------------------------------------------------------------------------


def _log_modes(values: np.ndarray, grid: Fourier | Zonal, count: int) -> np.ndarray:
    """log of the sizes of degrees 1, ..., count of densities (T, m)."""
    if isinstance(grid, Fourier):
        return np.log(np.abs(np.fft.rfft(values, axis=1)[:, 1 : count + 1]))
    roots, basis = np.asarray(grid.roots), np.asarray(grid.basis)
    return np.log(np.abs((values * roots) @ basis[:, 1 : count + 1]))


def _nudged(grid: Fourier | Zonal, count: int, amplitude: float) -> Density:
    """The uniform law with a little of each degree 1, ..., count."""
    parts = [Density.perturbed_uniform(grid, degree=k, amplitude=1.0).values - 1 for k in range(1, count + 1)]
    return Density(grid, 1 + amplitude * sum(parts))


def _thresholds(*, seed: int, betas: tuple[float, ...], d: int, count: int, m: int, attention: str) -> Finding:
    del seed  # nothing is random
    grid = Fourier(m) if d == 2 else Zonal(d, m)
    start = _nudged(grid, count, 1e-5)
    checks, rows = [], []
    for beta in betas:
        predicted = np.asarray(theory.noise_thresholds(beta, d, count=count).value)
        inverse = np.array([0.5, 1.0, 2.0]) / predicted[0]  # 1/kappa
        rates = []
        for value in inverse:
            t1 = 1 / (count * (count + d - 2) * value)  # the fastest decay is then by e
            run = tkf.solve(_model(beta, 1 / value, d, attention), start, t1=t1, save=8, rtol=1e-12, atol=1e-15)
            logs = _log_modes(np.asarray(run.saved("density")), grid, count)
            rates.append((logs[-1] - logs[0]) / t1)
        slopes, zeros = np.polyfit(inverse, np.array(rates), 1)
        found = -slopes / zeros
        checks += [
            equals(
                f"κ_{k} at β = {beta:g}",
                found[k - 1],
                predicted[k - 1],
                within=1e-3,
                is_relative=True,
                because="products of two perturbations, of the order of their size",
            )
            for k in range(1, count + 1)
        ]
        rows.append((beta, predicted[0] * inverse, np.array(rates) * predicted[0]))
    return Finding(checks, {"d": d, "rows": rows, "count": count})


def _draw_thresholds(finding: Finding) -> Figure:
    rows, d = finding.data["rows"], finding.data["d"]
    figure, axes = panels(len(rows))
    for ax, (beta, inverse, rates) in zip(np.atleast_1d(axes), rows, strict=True):
        kappas = np.asarray(theory.noise_thresholds(beta, d, count=finding.data["count"]).value)
        fine = np.linspace(0.0, inverse[-1] * 1.1, 2)
        for k, color in zip(range(1, finding.data["count"] + 1), PALETTE, strict=False):
            degree = k * (k + d - 2)
            ax.plot(fine, kappas[0] * degree * (1 / kappas[k - 1] - fine / kappas[0]), **PREDICTED)
            ax.plot(inverse, rates[:, k - 1], "o", color=color, markersize=4.5, label=f"$k = {k}$")
        ax.axhline(0, color="black", linewidth=0.6)
        ax.set(xlabel=r"$\kappa_1/\kappa$ (noise)", title=rf"$\beta = {beta:g}$")
    np.atleast_1d(axes)[0].set_ylabel(r"$\kappa_1\,\times$ growth rate of degree $k$")
    np.atleast_1d(axes)[0].legend(loc="lower left")
    return figure


# --- continuous or discontinuous ----------------------------------------------------------------------------------


def _critical_beta(*, seed: int, dims: tuple[int, ...], m: int, r: float, attention: str) -> Finding:
    del seed  # nothing is random
    checks, curves = [], []
    for d in dims:
        grid = Fourier(m) if d == 2 else Zonal(d, m)
        predicted = float(theory.critical_beta(d))
        betas = predicted * np.array([0.85, 0.95, 1.05, 1.15])
        start = Density.perturbed_uniform(grid, degree=1, amplitude=d * r)
        drifts = []
        for beta in betas:
            kappa = float(theory.noise_thresholds(float(beta), d, count=1).value[0])
            # the other degrees follow the first one at rates above 1/kappa
            times = kappa * np.array([6.0, 12.0])
            run = tkf.solve(
                _model(float(beta), kappa, d, attention), start, t1=times[1], save=times, rtol=1e-11, atol=1e-14
            )
            size = np.exp(_log_modes(np.asarray(run.saved("density")), grid, 1)[:, 0])
            scale = r / np.exp(_log_modes(np.asarray(start.values)[None], grid, 1)[0, 0])
            drifts.append(kappa * np.log(size[1] / size[0]) / (times[1] - times[0]) / (scale * size[0]) ** 2)
        curves.append((d, betas, np.array(drifts)))
        coefficients = np.polyfit(betas - predicted, drifts, 2)
        roots = np.roots(coefficients)
        found = predicted + float(np.real(roots[np.argmin(np.abs(roots))]))
        checks.append(
            equals(
                f"β at which the drift at κ_1 changes sign, d = {d}",
                found,
                predicted,
                within=4 * r**2 * predicted + 2e-3,
                because="the next order r^2, and the parabola through four values of β",
            )
        )
        checks.append(at_most(f"drift below β_*, d = {d}", max(drifts[:2]), 0, because="continuous: the state returns"))
        checks.append(at_least(f"drift above β_*, d = {d}", min(drifts[2:]), 0, because="discontinuous: it runs away"))
    return Finding(checks, {"curves": curves})


def _draw_critical_beta(finding: Finding) -> Figure:
    figure, ax = panels(1)
    for (d, betas, drifts), color in zip(finding.data["curves"], PALETTE, strict=False):
        predicted = float(theory.critical_beta(d))
        ax.plot(betas, drifts, "o-", color=color, markersize=4, label=f"$d = {d}$")
        mark_predicted(ax, predicted, axis="x", label=r"$\beta_*$" if d == finding.data["curves"][0][0] else None)
    ax.axhline(0, color="black", linewidth=0.6)
    ax.set(xlabel=r"$\beta$", ylabel=r"$\kappa_1\,\dot r / r^3$ at $\kappa = \kappa_1$")
    ax.legend(loc="upper left")
    return figure


def _hysteresis(
    *,
    seed: int,
    beta: float,
    predicted_beta: float,
    inside: tuple[float, ...],
    outside: tuple[float, float],
    m: int,
    t1: float,
) -> Finding:
    del seed  # nothing is random
    grid = Fourier(m)
    kappa_1 = float(theory.noise_thresholds(beta, 2, count=1).value[0])
    transition = float(theory.global_transition(predicted_beta))
    low, high = (
        Density.perturbed_uniform(grid, degree=1, amplitude=0.1),
        Density.vmf_mixture(grid, means=[[1.0, 0.0]], concentrations=20.0),
    )
    kappas = np.array([outside[0], *inside, outside[1]]) * kappa_1
    states = [_rest(beta, float(kappa), high, t1) for kappa in kappas[:-1]]
    downs = np.array([float(state.mean[0]) for state in states])
    ups = np.array([float(_rest(beta, float(kappa), low, t1).mean[0]) for kappa in kappas[1:]])
    energies = np.array([_free_energy(state, beta, float(k)) for state, k in zip(states, kappas, strict=False)])[1:]
    gap, found = np.min(downs[1:] - ups[:-1]), np.interp(0.0, -energies, kappas[1:-1])
    ordered, because = float(theory.stationary_order(float(kappas[-1]), predicted_beta)), "what is left of the start"
    checks = [
        at_least("difference in r between both starts, inside", gap, 0.5, because="two stable states"),
        equals("r from a concentrated start, below the window", downs[0], 0, within=1e-3, because=because),
        equals("r from near the uniform law, above the window", ups[-1], ordered, within=1e-3, because=because),
        equals(
            "κ_c, where the free energies of both states are equal",
            found,
            transition,
            within=2e-3,
            is_relative=True,
            because="interpolation between values of κ",
        ),
        at_most("κ_c / κ_1 = K_c / K_#", found / kappa_1, 0.99, because="it comes before the uniform law is unstable"),
    ]
    data = {
        "beta": beta,
        "kappa_1": kappa_1,
        "found": found,
        "kappas": kappas,
        "ups": ups,
        "downs": downs,
        "energies": energies,
        "transition": transition,
    }
    return Finding(checks, data)


def _free_energy(state: Density, beta: float, kappa: float) -> float:
    """F[mu] - F[uniform], F = (1/kappa) int mu log mu - E[mu]."""
    values = np.maximum(np.asarray(state.values), 1e-300)
    model = _model(beta, kappa)
    uniform = Density.uniform(state.grid)
    gained = float(tkf.observables.energy(state, model)) - float(tkf.observables.energy(uniform, model))
    return float(np.mean(values * np.log(values))) / kappa - gained


def _draw_hysteresis(finding: Finding) -> Figure:
    data = finding.data
    figure, (left, right) = panels(2, width=8.4)
    kappas, kappa_1 = data["kappas"], data["kappa_1"]
    branch = theory.stationary_branch(data["beta"], kappa_max=1.3 * kappas[-1]).value
    left.axvspan(np.min(branch.kappa), kappa_1, color=FAINT, alpha=0.4, linewidth=0, label="two stable states")
    left.plot(branch.kappa, branch.order_parameter, **PREDICTED, label="stationary states")
    left.plot([0, kappa_1], [0, 0], **PREDICTED)
    left.plot(kappas[:-1], data["downs"], "v", color=PALETTE[1], markersize=6, label="from a concentrated start")
    left.plot(kappas[1:], data["ups"], "^", color=PALETTE[0], markersize=6, label="from near the uniform law")
    left.set(xlabel=r"inverse noise $\kappa$", ylabel="order parameter $r$ at rest")
    left.set_xlim(0.9 * kappas[0], 1.1 * kappas[-1])
    figure.legend(*left.get_legend_handles_labels(), loc="outside upper center", ncols=4, fontsize=8)
    inside, energies = kappas[1:-1], 1e3 * data["energies"]
    right.plot(inside, energies, "v-", color=PALETTE[1], linewidth=0.8, markersize=6, label="concentrated state")
    right.axhline(0, color=PALETTE[0], label="uniform law")
    right.plot(data["found"], 0, "o", color=INK, markersize=5, label=rf"equal at $\kappa = {data['found']:.4f}$")
    mark_predicted(right, data["transition"], rf"predicted $\kappa_c = {data['transition']:.4f}$", axis="x")
    right.set(xlabel=r"inverse noise $\kappa$", ylabel=r"$10^3\,(F[\mu] - F[\mathrm{uniform}])$")
    right.legend(loc="upper right", fontsize=8)
    right.set_ylim(1.15 * energies.min(), 4 * energies.max())
    return figure


PITCHFORK = {"kappas": (1.0, 2.5, 3.0, 4.0, 8.0), "t1": 60.0, "strength": 1.0}
WINDOW = {"inside": (0.91, 0.92, 0.93, 0.95, 0.97), "outside": (0.75, 1.2)}  # relative to kappa_1
CLAIMS = (
    Claim(
        id="rigollet26-order-parameter",
        title="Noisy tokens on the circle order beyond κ = 2",
        statement=r"For $\beta = 0$ on the circle with noise $\sqrt{2/\kappa}\, dW$, the uniform law is the only state "
        r"at rest up to $\kappa = 2$. Beyond, tokens concentrate, with $r = |\int x \, d\mu|$ the positive root of "
        r"$r = \frac{I_1(\kappa r)}{I_0(\kappa r)}$.",
        paper="rigollet26",
        where="section 7, which quotes what is known of the noisy Kuramoto model; the formula of r is classical",
        status="second-hand",
        assumptions=(r"$d = 2$, $\beta = 0$, many tokens",),
        experiment=_order_parameter,
        draw=_draw_order_parameter,
        quick=Setting({**PITCHFORK, "token_kappas": (4.0,), "n": 128, "token_t1": 48.0}, seconds=5),
        full=Setting({**PITCHFORK, "token_kappas": (2.5, 3.0, 4.0, 8.0), "n": 1024, "token_t1": 256.0}, seconds=81),
        control=Control(
            {"strength": 1.5}, "with a third less variance of the noise r is that of 1.5 κ", "density, κ = 4"
        ),
        main="density, κ = 4",
        misses=0.003,
    ),
    Claim(
        id="shalova24-noise-thresholds",
        title="Each degree of the uniform law has its own noise threshold",
        statement=r"A perturbation of degree $k$ of the uniform law grows at the rate "
        r"$k(k+d-2)(\frac{1}{\kappa_k} - \frac{1}{\kappa})$; on the circle $\kappa_k = \frac{\beta}{I_k(\beta)}$.",
        paper="shalova24",
        where="section on bifurcations from the uniform state",
        status="derived",
        assumptions=("unnormalized attention with noise, many tokens",),
        note="The thresholds are derived by linearization; the paper has the branches that start there.",
        experiment=_thresholds,
        draw=_draw_thresholds,
        quick=Setting({"betas": (1.0, 4.0), "d": 2, "count": 3, "m": 32, "attention": "unnormalized"}, seconds=4),
        full=Setting({"betas": (1.0, 4.0), "d": 2, "count": 4, "m": 64, "attention": "unnormalized"}, seconds=4),
        control=Control(
            {"attention": "softmax"}, "softmax attention divides the velocity by the mass it sees", "κ_1 at β = 4"
        ),
        main="κ_1 at β = 4",
    ),
    Claim(
        id="noise26-critical-beta",
        title="The transition is continuous up to β_* and discontinuous beyond",
        statement=r"The transition in $\kappa$ from the uniform law to a concentrated one is continuous for "
        r"$\beta \leq \beta_*$ and discontinuous for $\beta > \beta_*$, where "
        r"$\frac{I_{d/2+1}(\beta_*)}{I_{d/2}(\beta_*)} = \frac{1}{d}$.",
        paper="noise26",
        where="abstract",
        status="second-hand",
        main="changes sign",
        assumptions=("unnormalized attention with noise, many tokens",),
        note=r"Seen here in the flow: at $\kappa = \kappa_1$, where the uniform law is neutral, $\dot r = c\, r^3$ "
        r"with $c < 0$ below $\beta_*$ and $c > 0$ above.",
        experiment=_critical_beta,
        draw=_draw_critical_beta,
        quick=Setting({"dims": (2,), "m": 32, "r": 0.02, "attention": "unnormalized"}, seconds=3),
        full=Setting({"dims": (2, 3, 4, 8), "m": 32, "r": 0.02, "attention": "unnormalized"}, seconds=22),
        control=Control({"attention": "softmax"}, "the paper's β_* is for unnormalized attention", "changes sign"),
    ),
    Claim(
        id="noise26b-hysteresis",
        title="Beyond β_* noisy tokens remember where κ came from",
        statement=r"On the circle for $\beta > \beta_* = 2.447$ the transition is discontinuous: a concentrated "
        r"state is stable below $\kappa_1 = \frac{\beta}{I_1(\beta)}$, where the uniform law still is, and has less "
        r"free energy from $\kappa_c < \kappa_1$ on.",
        paper="noise26b",
        where="abstract",
        status="second-hand",
        assumptions=(r"$d = 2$, unnormalized attention with noise, many tokens",),
        note=r"The paper's $K$ is $\kappa/2$, and its $K_\#$ is $\kappa_1/2$.",
        experiment=_hysteresis,
        draw=_draw_hysteresis,
        quick=Setting(
            {
                "beta": 4.0,
                "predicted_beta": 4.0,
                "inside": (0.952, 0.965),
                "outside": (0.75, 1.25),
                "m": 80,
                "t1": 12.0,
            },
            seconds=10,
        ),
        full=Setting({"beta": 5.0, "predicted_beta": 5.0, **WINDOW, "m": 96, "t1": 20.0}, seconds=176),
        control=Control(
            {"beta": 1.0}, "at β = 1 < β_* the transition is continuous and there is no hysteresis", "both starts"
        ),
        main="free energies",
    ),
)
