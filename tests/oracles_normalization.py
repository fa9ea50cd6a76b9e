"""Slow, literal NumPy twins of the normalization schemes, perceptrons and multi-head attention.

Written from arXiv 2510.22026 (directions and radii) and from the layers that practitioners write, token by token;
nothing is shared with `tokenfield`. A scheme is named "post", "pre", "mix", "peri", "ngpt" or "depth".
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np
from scipy.integrate import solve_ivp
from scipy.special import erf

SCHEMES = ("post", "pre", "mix", "peri", "ngpt", "depth")
HAS_RADIUS = ("pre", "mix", "peri")
Field = Callable[[float, np.ndarray], np.ndarray]


class Settings(NamedTuple):
    """The numbers of the schemes: alpha of nGPT as a function of t, tau of Mix-LN."""

    alpha: Callable[[float], float] = lambda t: 1.0
    tau: float = 0.0


def norm(v: np.ndarray) -> float:
    return float(np.sqrt(sum(c * c for c in v)))


def N(x: np.ndarray) -> np.ndarray:
    """Each row divided by its length."""
    return np.array([row / norm(row) for row in x])


def motion(
    scheme: str, t: float, theta: np.ndarray, r: np.ndarray, A: np.ndarray, settings: Settings
) -> tuple[np.ndarray, np.ndarray]:
    """theta_j' = P A_j / s_j and r_j', the table of arXiv 2510.22026, for what the layer adds, A (n, d)."""
    turn, growth = np.zeros_like(theta), np.zeros_like(r)
    for j in range(len(theta)):
        along = np.dot(theta[j], A[j])
        is_pre = scheme == "pre" or (scheme == "mix" and t > settings.tau)
        if is_pre:
            s, growth[j] = r[j], along
        elif scheme in ("post", "mix"):
            s = 1.0
        elif scheme == "peri":
            s, growth[j] = r[j] * norm(A[j]), along / norm(A[j])
        elif scheme == "ngpt":
            s = norm(A[j]) / settings.alpha(t)
        elif scheme == "depth":
            s = np.sqrt(t + 1)
        else:
            raise ValueError(scheme)
        turn[j] = (A[j] - along * theta[j]) / s
    return turn, growth


def layer(scheme: str, t: float, x: np.ndarray, added: Field, h: float, settings: Settings) -> np.ndarray:
    """One sublayer as practitioners write it, for the residual stream x (n, d) itself; `added(t, x)` is A(x)."""
    if scheme == "post" or (scheme == "mix" and t < settings.tau):
        return N(x + h * added(t, x))
    if scheme in ("pre", "mix"):
        return x + h * added(t, N(x))
    if scheme == "peri":
        return x + h * N(added(t, N(x)))
    if scheme == "ngpt":
        return N(x + h * settings.alpha(t) * (N(added(t, x)) - x))
    if scheme == "depth":
        return N(x + h * added(t, x) / np.sqrt(t + 1))
    raise ValueError(scheme)


def path(
    scheme: str,
    theta: np.ndarray,
    r: np.ndarray,
    sublayers: Sequence[Field],
    t1: float,
    settings: Settings,
    *,
    t0: float = 0.0,
) -> tuple[np.ndarray, np.ndarray]:
    """Directions and radii at t1 by SciPy's DOP853; each of the `sublayers` is normalized on its own, then summed."""
    n, d = theta.shape

    def rhs(t: float, y: np.ndarray) -> np.ndarray:
        points, radii = N(y[: n * d].reshape(n, d)), y[n * d :]
        moves = [motion(scheme, t, points, radii, added(t, points), settings) for added in sublayers]
        return np.concatenate([sum(turn for turn, _ in moves).ravel(), sum(growth for _, growth in moves)])

    y = np.concatenate([theta.ravel(), r])
    # an integrator must not step over the time where Mix-LN changes
    cuts = [t0, settings.tau, t1] if scheme == "mix" and t0 < settings.tau < t1 else [t0, t1]
    for a, b in itertools.pairwise(cuts):
        if scheme == "mix":  # the last stage of a step may sit exactly at tau
            b = np.nextafter(b, a) if b == settings.tau else b
            a = np.nextafter(a, b) if a == settings.tau else a
        y = solve_ivp(rhs, (a, b), y, method="DOP853", rtol=1e-11, atol=1e-13).y[:, -1]
    return N(y[: n * d].reshape(n, d)), y[n * d :]


def equiangular(
    scheme: str, t: float, g: float, r: float, n: int, beta: float, settings: Settings
) -> tuple[float, float]:
    """(g', r') for n tokens with equal cosines g and equal radii r, Q = K = V = I."""
    Z = np.exp(beta) + (n - 1) * np.exp(beta * g)
    along = (np.exp(beta) + (n - 1) * g * np.exp(beta * g)) / Z
    square = np.exp(2 * beta) + 2 * (n - 1) * g * np.exp(beta * (1 + g))
    square += (n - 1) * np.exp(2 * beta * g) * (1 + (n - 2) * g)
    size = np.sqrt(square) / Z
    is_pre = scheme == "pre" or (scheme == "mix" and t > settings.tau)
    s = {"post": 1.0, "pre": r, "mix": r if is_pre else 1.0, "peri": r * size, "ngpt": size / settings.alpha(t),
         "depth": np.sqrt(t + 1)}[scheme]  # fmt: skip
    growth = along if is_pre else along / size if scheme == "peri" else 0.0
    return 2 / s * np.exp(beta * g) * (1 - g) * (1 + (n - 1) * g) / Z, growth


def equiangular_path(
    scheme: str, n: int, beta: float, ts: np.ndarray, settings: Settings, *, r: float = 1.0
) -> tuple[np.ndarray, np.ndarray]:
    """g and r at `ts`, from g = 0 and radius `r` at t = 0, by DOP853; `ts` must contain tau of Mix-LN."""
    y, out = np.array([0.0, r]), [(0.0, r)]
    for a, b in itertools.pairwise(ts):
        b_side = np.nextafter(b, a) if b == settings.tau else b
        a_side = np.nextafter(a, b) if a == settings.tau else a
        rhs = lambda t, y: equiangular(scheme, t, y[0], y[1], n, beta, settings)  # noqa: E731
        y = solve_ivp(rhs, (a_side, b_side), y, method="DOP853", rtol=1e-12, atol=1e-14).y[:, -1]
        out.append(tuple(y))
    return np.array(out)[:, 0], np.array(out)[:, 1]


def ellipsoid_velocity(x: np.ndarray, A: np.ndarray, D: np.ndarray) -> np.ndarray:
    """A minus the multiple of x that keeps |D^{-1} x| = 1 on the ellipsoid with axes D."""
    out = np.zeros_like(x)
    for i in range(len(x)):
        u, a = x[i] / D, A[i] / D
        out[i] = A[i] - np.dot(u, a) / np.dot(u, u) * x[i]
    return out


ACTIVATIONS = {
    "relu": lambda z: z if z > 0 else 0.0,
    "gelu": lambda z: z * 0.5 * (1 + erf(z / np.sqrt(2))),
    "tanh": np.tanh,
    "identity": lambda z: z,
}


def perceptron(x: np.ndarray, W: np.ndarray, A: np.ndarray, b: np.ndarray, activation: str) -> np.ndarray:
    """w sigma(a x + b), one token and one neuron at a time."""
    out = np.zeros((len(x), len(W)))
    for i in range(len(x)):
        for k in range(len(A)):
            out[i] += W[:, k] * ACTIVATIONS[activation](np.dot(A[k], x[i]) + b[k])
    return out


def multi_head(x: np.ndarray, Q: np.ndarray, K: np.ndarray, V: np.ndarray, W_O: np.ndarray) -> np.ndarray:
    """Attention as a practitioner writes it: Q, K, V (h, d_h, d), softmax(q k^T / sqrt(d_h)), heads concatenated, W_O.

    W_O is (d, h d_h) and multiplies the concatenated values of each token.
    """
    outputs = []
    for q_matrix, k_matrix, v_matrix in zip(Q, K, V, strict=True):
        q, k, v = x @ q_matrix.T, x @ k_matrix.T, x @ v_matrix.T
        scores = np.exp(q @ k.T / np.sqrt(q.shape[1]))
        outputs.append(scores / scores.sum(axis=1, keepdims=True) @ v)
    return np.concatenate(outputs, axis=1) @ W_O.T
