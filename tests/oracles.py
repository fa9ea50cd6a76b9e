"""Slow, literal NumPy twins of the equations, written from the papers and not from the library.

Sums are loops or plain double sums, exponentials are not stabilized (except where said), nothing is shared with
`tokenfield`. Tests compare the library with these.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np
from scipy.integrate import solve_ivp
from scipy.linalg import expm


class HeadMatrices(NamedTuple):
    """The numbers of one head: logits beta <Q x, K y>, values V y."""

    beta: float
    Q: np.ndarray
    K: np.ndarray
    V: np.ndarray


def identity_head(beta: float, d: int) -> HeadMatrices:
    """The head with Q = K = V = I."""
    return HeadMatrices(beta, np.eye(d), np.eye(d), np.eye(d))


def tangent(x: np.ndarray, v: np.ndarray) -> np.ndarray:
    """P_x v = v - <x, v> x."""
    return v - np.dot(x, v) * x


def sa_field(x: np.ndarray, w: np.ndarray, heads: Sequence[HeadMatrices]) -> np.ndarray:
    """sum_h Z_i^{-1} sum_j w_j e^{beta <Q x_i, K x_j>} V x_j, not projected (arXiv 2312.10794, SA)."""
    out = np.zeros_like(x)
    for i in range(len(x)):
        for beta, Q, K, V in heads:
            total, z = np.zeros(x.shape[1]), 0.0
            for j in range(len(x)):
                kernel = w[j] * np.exp(beta * np.dot(Q @ x[i], K @ x[j]))
                total += kernel * (V @ x[j])
                z += kernel
            out[i] += total / z
    return out


def usa_field(x: np.ndarray, w: np.ndarray, heads: Sequence[HeadMatrices]) -> np.ndarray:
    """sum_h sum_j w_j e^{beta <Q x_i, K x_j>} V x_j, not projected (arXiv 2312.10794, USA; w_j = 1/n)."""
    out = np.zeros_like(x)
    for i in range(len(x)):
        for beta, Q, K, V in heads:
            for j in range(len(x)):
                out[i] += w[j] * np.exp(beta * np.dot(Q @ x[i], K @ x[j])) * (V @ x[j])
    return out


Field = Callable[[np.ndarray, np.ndarray, Sequence[HeadMatrices]], np.ndarray]


def on_sphere(field: np.ndarray, x: np.ndarray) -> np.ndarray:
    """The projection of each row of `field` on the tangent space at that row of `x`."""
    return np.array([tangent(x_i, v_i) for x_i, v_i in zip(x, field, strict=True)])


def rescaled_velocity(t: float, z: np.ndarray, w: np.ndarray, head: HeadMatrices) -> np.ndarray:
    """sum_j P_ij V (z_j - z_i), logits beta <Q e^{tV} z_i, K e^{tV} z_j> minus the row maximum (arXiv 2305.05465)."""
    beta, Q, K, V = head
    growth = expm(t * V)
    out = np.zeros_like(z)
    for i in range(len(z)):
        logits = np.array([beta * np.dot(Q @ growth @ z[i], K @ growth @ z_j) for z_j in z])
        kernel = w * np.exp(logits - logits.max())
        for j in range(len(z)):
            out[i] += kernel[j] / kernel.sum() * (V @ (z[j] - z[i]))
    return out


def kuramoto(theta: np.ndarray, w: np.ndarray) -> np.ndarray:
    """theta_i' = -sum_j w_j sin(theta_i - theta_j): Kuramoto with identical frequencies and coupling 1."""
    return np.array([-sum(w_j * np.sin(a - b) for w_j, b in zip(w, theta, strict=True)) for a in theta])


def usa_circle(theta: np.ndarray, w: np.ndarray, beta: float) -> np.ndarray:
    """theta_i' = -sum_j w_j e^{beta cos(theta_i - theta_j)} sin(theta_i - theta_j) (arXiv 2312.10794)."""
    return np.array(
        [-sum(v * np.exp(beta * np.cos(a - b)) * np.sin(a - b) for v, b in zip(w, theta, strict=True)) for a in theta]
    )


def energy(x: np.ndarray, w: np.ndarray, beta: float) -> float:
    """E = (1/2 beta) sum_ij w_i w_j e^{beta <x_i, x_j>} (arXiv 2312.10794)."""
    total = 0.0
    for w_i, x_i in zip(w, x, strict=True):
        for w_j, x_j in zip(w, x, strict=True):
            total += w_i * w_j * np.exp(beta * np.dot(x_i, x_j))
    return total / (2 * beta)


def usa_dissipation(x: np.ndarray, w: np.ndarray, beta: float, X: np.ndarray) -> float:
    """dE/dt along USA with Q = K = V = I and velocity X: int |X|^2 dmu (arXiv 2312.10794)."""
    return float(sum(w_i * np.dot(X_i, X_i) for w_i, X_i in zip(w, X, strict=True)))


def sa_dissipation(x: np.ndarray, w: np.ndarray, beta: float, X: np.ndarray) -> float:
    """dE/dt along SA with Q = K = V = I and velocity X: int |X|^2 Z dmu, Z = int e^{beta <x, y>} dmu (2312.10794)."""
    total = 0.0
    for w_i, x_i, X_i in zip(w, x, X, strict=True):
        z = sum(w_j * np.exp(beta * np.dot(x_i, x_j)) for w_j, x_j in zip(w, x, strict=True))
        total += w_i * z * np.dot(X_i, X_i)
    return float(total)


def euler_normalise(x: np.ndarray, field: np.ndarray, step: float) -> np.ndarray:
    """One step of the published scheme: add the unprojected field, then divide by the norm."""
    return np.array([(x_i + step * v_i) / np.linalg.norm(x_i + step * v_i) for x_i, v_i in zip(x, field, strict=True)])


def sa_equiangular(gamma: float, beta: float, n: int) -> float:
    """gamma' = 2 e^{beta gamma}(1-gamma)((n-1)gamma+1) / (e^beta+(n-1)e^{beta gamma}) (arXiv 2312.10794)."""
    numerator = 2 * np.exp(beta * gamma) * (1 - gamma) * ((n - 1) * gamma + 1)
    return numerator / (np.exp(beta) + (n - 1) * np.exp(beta * gamma))


def usa_equiangular(gamma: float, beta: float, n: int) -> float:
    """gamma' = (2/n) e^{beta gamma}(1-gamma)((n-1)gamma+1) (arXiv 2312.10794)."""
    return 2 / n * np.exp(beta * gamma) * (1 - gamma) * ((n - 1) * gamma + 1)


def equiangular_path(rhs: Callable[..., float], beta: float, n: int, ts: Sequence[float]) -> np.ndarray:
    """gamma at `ts`, from gamma(0) = 0."""
    solution = solve_ivp(
        lambda t, g: [rhs(g[0], beta, n)], (0, ts[-1]), [0.0], method="DOP853", t_eval=ts, rtol=1e-13, atol=1e-14
    )
    return solution.y[0]


def equiangular_hitting_time(rhs: Callable[..., float], beta: float, n: int, level: float) -> float:
    """The time at which gamma, from 0, reaches `level`: the integral of dgamma / gamma' (Gauss-Legendre, 200 nodes)."""
    nodes, weights = np.polynomial.legendre.leggauss(200)
    # with gamma = 1 - e^{-s} the integrand stays smooth although gamma' vanishes at 1
    end = -np.log(1 - level)
    s = end / 2 * (nodes + 1)
    gamma = 1 - np.exp(-s)
    speed = np.array([rhs(g, beta, n) for g in gamma])
    return float(end / 2 * np.sum(weights * np.exp(-s) / speed))
