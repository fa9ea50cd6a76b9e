"""A claim about the law of noisy tokens (arXiv 2512.01868): the signs of its Fokker-Planck equation.

For dX = v dt + sqrt(2/kappa) dW on the circle, v(th) = -int e^{beta cos(th - ph)} sin(th - ph) dmu(ph), the law obeys
d_t mu = (1/kappa) mu'' - (mu v)'. An even law has the moments m_k = int cos(k th) dmu, whose equations are written out
here: v = -sum_l b_l m_l sin(l th), b_l = l (2/beta) I_l(beta), and m_k' = -(k^2/kappa) m_k - k int sin(k th) v dmu =
-(k^2/kappa) m_k + (k/2) sum_l b_l m_l (m_{k-l} - m_{k+l}), l >= 1. Each term has its own sign.
"""

from __future__ import annotations

from collections.abc import Callable

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from matplotlib.figure import Figure
from scipy.integrate import solve_ivp
from scipy.special import iv

import tokenfield as tkf
from tokenfield.claims.claim import Claim, Control, Finding, Setting, equals
from tokenfield.claims.figures import PALETTE, PREDICTED, panels

MODES = np.arange(1, 4)
CONCENTRATION = 1.0  # the law starts as e^{cos th}
TIMES = np.linspace(0, 0.5, 6)
STEP = 0.05
CUT = 24  # modes of the equations, of which the last is 1e-24


def _slopes(beta: float, rate: float) -> Callable[[float, np.ndarray], np.ndarray]:
    """The right-hand side of the equations of m_0, ..., m_CUT; `rate` is 1/kappa."""
    k = np.arange(CUT + 1)
    pull = k * (2 / beta) * iv(k, beta)
    lower, upper = np.abs(k[:, None] - k), np.minimum(k[:, None] + k, CUT + 1)

    def slopes(t: float, m: np.ndarray) -> np.ndarray:
        padded = np.append(m, 0.0)
        return np.asarray(-rate * k**2 * m + k / 2 * ((padded[lower] - padded[upper]) @ (pull * m)))

    return slopes


def _predicted(beta: float, rate: float) -> np.ndarray:
    """m_k at TIMES (times, k) by the equations of the moments."""
    start = iv(np.arange(CUT + 1), CONCENTRATION) / iv(0, CONCENTRATION)
    found = solve_ivp(_slopes(beta, rate), (0, TIMES[-1]), start, "LSODA", TIMES, rtol=1e-10, atol=1e-14)
    return np.asarray(found.y[MODES].T)


@eqx.filter_jit
def _moments(beta: float, kappa: float | None, angles: jax.Array, keys: jax.Array, step: float) -> jax.Array:
    """m_k at TIMES, (keys, times, k); `kappa` None is no noise."""
    x = jnp.stack([jnp.cos(angles), jnp.sin(angles)], axis=1)

    def one(key: jax.Array) -> jax.Array:
        method = "rk4" if kappa is None else "heun"
        noise = None if kappa is None else tkf.Noise(kappa, seed=key)
        model = tkf.Transformer(tkf.Sphere(2), tkf.Unnormalized(beta), noise=noise)
        run = tkf.solve(model, tkf.Measure(x), t1=float(TIMES[-1]), method=method, step=step, save=TIMES.tolist())
        y = run.saved_points
        power = (y[..., 0] + 1j * y[..., 1])[..., None] ** MODES
        return power.real.mean(axis=1)

    return jax.lax.map(one, keys)


def _starts(n: int) -> np.ndarray:
    """n angles at the quantiles of the law: the moments of the start are exact."""
    fine = np.linspace(-np.pi, np.pi, 20001)
    mass = np.exp(CONCENTRATION * np.cos(fine))
    below = np.concatenate([[0], np.cumsum((mass[1:] + mass[:-1]) / 2)])
    return np.interp((np.arange(n) + 0.5) / n, below / below[-1], fine)


def _signs(*, seed: int, beta: float, kappa: float, n: int, draws: int, formula: str) -> Finding:
    keys = jax.random.split(jax.random.key(seed), draws)
    angles = jnp.asarray(_starts(n))
    # with both signs reversed the law moves the other way; backwards for long, it would not exist
    sign = 1.0 if formula == "corrected" else -1.0
    cases = {"no noise": (None, keys[:1], 0.0), "with noise": (kappa, keys, 1 / kappa)}
    checks, shown = [], {}
    for name, (strength, used, rate) in cases.items():
        found, predicted = np.asarray(_moments(beta, strength, angles, used, STEP)), _predicted(beta, rate)
        change, expected = found - found[:, :1], predicted - predicted[0]
        error = change.std(axis=0, ddof=1) / np.sqrt(draws) if len(used) > 1 else np.zeros(expected.shape)
        for j, k in enumerate(MODES):
            one = float(error[-1, j])
            checks.append(
                equals(f"{name}: change of E cos {k}θ until t = {TIMES[-1]:g}", change[:, -1, j].mean(),
                       sign * expected[-1, j], within=4 * one + 1e-3, error=one,
                       because="four standard errors, and quantiles in place of the law"))  # fmt: skip
        shown[name] = change.mean(axis=0), error, expected
    return Finding(checks, shown)


def _draw(finding: Finding) -> Figure:
    figure, axes = panels(2, width=8.0, sharey=True)
    for ax, (title, (change, error, expected)) in zip(axes, finding.data.items(), strict=True):
        for j, k in enumerate(MODES):
            ax.errorbar(TIMES, change[:, j], 2 * error[:, j], fmt="o", color=PALETTE[j], markersize=4,
                        label=f"$k = {k}$")  # fmt: skip
            ax.plot(TIMES, expected[:, j], label="predicted" if k == MODES[-1] else None, **PREDICTED)
            start = expected[1, j] / TIMES[1] * TIMES[:4]
            words = "both signs reversed" if k == MODES[-1] else None
            ax.plot(TIMES[:4], -start, color=PALETTE[j], linewidth=0.8, linestyle=":", label=words)
        ax.set(xlabel="time $t$ of the flow", title=title)
    axes[0].set_ylabel(r"$E \cos k\theta(t) - E \cos k\theta(0)$")
    figure.legend(*axes[0].get_legend_handles_labels(), loc="outside right center")
    return figure


CLAIMS = (
    Claim(
        id="rigollet26-fokker-planck",
        title="The law of noisy tokens spreads forwards in time, and drifts with the field",
        statement=r"The law of $dX = v\, dt + \sqrt{2/\kappa}\, dW$, $v = P_X \int e^{\beta\langle X, y\rangle} y\, "
        r"d\mu(y)$, obeys "
        r"$\partial_t \mu = \frac{1}{\kappa} \Delta \mu - \nabla \cdot (\mu\, v)$.",
        paper="rigollet26",
        where="section 7, the Fokker-Planck equation, in a public copy of the LaTeX source of the survey",
        status="erratum",
        assumptions=(r"the circle, $\beta = 1$, $\kappa = 1$, the law starts as $e^{\cos\theta}$",),
        experiment=_signs,
        draw=_draw,
        quick=Setting({"beta": 1.0, "kappa": 1.0, "n": 256, "draws": 64, "formula": "corrected"}, seconds=3),
        full=Setting({"beta": 1.0, "kappa": 1.0, "n": 4096, "draws": 256, "formula": "corrected"}, seconds=20),
        control=Control({"formula": "printed"}, "both signs reversed, as printed", "E cos 1θ"),
        main="with noise: change of E cos 1θ",
        note=r"The survey prints $\partial_t \mu_t + \kappa^{-1} \Delta \mu_t = \nabla \cdot (\mu_t \int "
        r"e^{\beta\langle \cdot, y\rangle} y\, \mu_t(dy))$ (a copy of its source: ZJashi/math-conjecturer at 10f0926; "
        "a public formalization reads the same in version 4, and corrects it). It is a slip of the pen: the equation "
        r"of the tokens right above, and the sentence that for $\kappa \to \infty$ it becomes the continuity equation, "
        "have the signs that hold, and nothing else in the survey depends on it.",
    ),
)
