"""Claims about stationary states of noisy attention on the circle in Fourier modes (arXiv 2510.20094).

With unnormalized attention the law of many tokens obeys d_t rho = rho''/kappa - (rho (W * rho)')' with
W(theta) = e^{beta cos theta} / beta. It rests where rho'/kappa = rho (W * rho)'. For rho = sum_k c_k e^{ik theta}, c_0
= 1, these are quadratic equations, k c_k / kappa = sum_l l w_l c_l c_{k-l} with w_l = I_l(beta) / beta.
"""

from __future__ import annotations

import numpy as np
from matplotlib.figure import Figure
from scipy import optimize, special

import tokenfield as tkf
from tokenfield.claims.claim import Claim, Control, Finding, Setting, at_least, at_most
from tokenfield.claims.figures import PALETTE, PREDICTED, panels
from tokenfield.laws import Density, Fourier

GRID = 96
SHOWN = 12  # coefficients that are compared


def _equations(c: np.ndarray, beta: float, kappa: float, step: int) -> np.ndarray:
    """What the quadratic equations leave of coefficients c_step, c_2step, ... of an even state."""
    count = len(c)
    full = np.concatenate([c[::-1], [1.0], c])
    degrees = step * np.arange(-count, count + 1)
    pull = degrees * special.iv(np.abs(degrees), beta) / beta * full
    product = np.convolve(pull, full)[2 * count + 1 : 3 * count + 1]
    return degrees[count + 1 :] * c / kappa - product


def _solved(beta: float, kappa: float, step: int) -> np.ndarray:
    """The coefficients of the state with `step` equal peaks that Newton's method finds from narrow peaks."""
    k = step * np.arange(1, GRID // (3 * step) + 1)
    variance = 2 * step / (kappa * np.exp(beta))  # twice that of narrow peaks, in which all tokens of a peak pull alike
    found = optimize.root(_equations, np.exp(-variance * k**2 / 2), args=(beta, kappa, step), tol=1e-13)
    return found.x


def _at_rest(beta: float, kappa: float, step: int, t1: float) -> np.ndarray:
    """The coefficients c_step, c_2step, ... of the density at the end, from a wave of that degree."""
    model = tkf.Transformer(tkf.Sphere(2), tkf.Unnormalized(beta), noise=tkf.Noise(kappa, seed=0))
    start = Density.perturbed_uniform(Fourier(GRID), degree=step, amplitude=0.5)
    run = tkf.solve(model, start, t1=t1, save="end", rtol=1e-9, atol=1e-11, max_steps=100_000)
    values = np.asarray(run.final.values)
    return (np.fft.rfft(values).real / len(values) / values.mean())[step::step]


def _fourier_states(*, seed: int, cases: tuple[tuple[float, float, int], ...], t1: float, noise: float) -> Finding:
    del seed  # nothing is random
    checks, rows = [], []
    for beta, kappa, step in cases:
        measured = _at_rest(beta, kappa, step, t1)[:SHOWN]
        predicted = _solved(beta, kappa / noise, step)[:SHOWN]
        # a state turned by half a wave has every other coefficient with the other sign
        predicted *= np.sign(measured[0] * predicted[0]) ** np.arange(1, len(predicted) + 1)
        count = min(len(measured), len(predicted))
        name = f"β = {beta:g}, κ = {kappa:g}, {step} peak{'s' if step > 1 else ''}"
        checks += [
            at_most(
                f"{name}: largest error of the coefficients",
                np.abs(measured[:count] - predicted[:count]).max(),
                0,
                slack=1e-5,
                because="what has not decayed at the end, and the solver's tolerance",
            ),
            at_least(f"{name}: first coefficient", abs(measured[0]), 0.1, because="else the state is uniform"),
        ]
        rows.append((name, step, measured[:count], predicted[:count]))
    return Finding(checks, {"rows": rows})


def _draw_fourier_states(finding: Finding) -> Figure:
    figure, ax = panels(1)
    for color, (name, step, measured, predicted) in zip(PALETTE, finding.data["rows"], strict=False):
        k = step * np.arange(1, len(measured) + 1)
        ax.plot(k, np.maximum(np.abs(measured), 1e-12), "o", color=color, markersize=5, label=name)
        ax.plot(k, np.maximum(np.abs(predicted), 1e-12), **PREDICTED)
    ax.plot([], [], label="quadratic equations", **PREDICTED)
    ax.set(xlabel="degree $k$", ylabel=r"$|c_k|$ at rest", yscale="log", xlim=(0, 25), ylim=(1e-9, 2))
    ax.legend(fontsize=7)
    return figure


CASES = ((1.0, 3.0, 1), (2.0, 2.0, 1), (4.0, 1.0, 2))
CLAIMS = (
    Claim(
        id="bbr25-fourier-states",
        title="Stationary states of noisy attention solve quadratic equations in Fourier modes",
        statement=r"On the circle the Fourier coefficients of every stationary state of $\partial_t \rho = "
        r"\frac{1}{\kappa}\rho'' - (\rho\,(W * \rho)')'$, $W = e^{\beta\cos\theta}/\beta$, solve "
        r"$\frac{k}{\kappa} c_k = "
        r"\sum_l l\,w_l\,c_l\,c_{k-l}$ with $w_l = I_l(\beta)/\beta$; for larger $\beta$ there are states with "
        r"one peak "
        r"and with several.",
        paper="bbr25",
        where="the equations of the Fourier coefficients",
        status="second-hand",
        main="largest error of the coefficients",
        assumptions=("unnormalized attention with noise, in the limit of many tokens", "the circle"),
        experiment=_fourier_states,
        draw=_draw_fourier_states,
        quick=Setting({"cases": CASES, "t1": 40.0, "noise": 1.0}, seconds=5),
        full=Setting({"cases": (*CASES, (4.0, 3.0, 3)), "t1": 40.0, "noise": 1.0}, seconds=10),
        control=Control(
            {"noise": 1.25},
            "with a quarter more noise in the equations the coefficients of every state fail",
            "largest error",
        ),
        note="The flow finds the states in time, the equations are solved by Newton's method: neither knows the "
        "other. A "
        "start with two equal peaks keeps that symmetry, whether or not the state is stable.",
    ),
)
