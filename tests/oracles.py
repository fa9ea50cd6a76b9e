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
from scipy.special import logsumexp


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
# from queries (m, k), keys (n, k), weights (n,) and the head's number: the matrix w_j a_ij
Weights = Callable[[np.ndarray, np.ndarray, np.ndarray, float], np.ndarray]


def field_of(weights: Weights) -> Field:
    """The field sum_h sum_j w_j a_ij V x_j, not projected, of an attention given by its matrix."""

    def field(x: np.ndarray, w: np.ndarray, heads: Sequence[HeadMatrices]) -> np.ndarray:
        out = np.zeros_like(x)
        for beta, Q, K, V in heads:
            queries, keys = np.array([Q @ x_i for x_i in x]), np.array([K @ x_j for x_j in x])
            a = weights(queries, keys, w, beta)
            for i in range(len(x)):
                for j in range(len(x)):
                    out[i] += a[i, j] * (V @ x[j])
        return out

    return field


def l2_weights(q: np.ndarray, k: np.ndarray, w: np.ndarray, beta: float) -> np.ndarray:
    """w_j e^{-beta |q_i - k_j|^2} / sum over j (arXiv 2501.18322)."""
    out = np.zeros((len(q), len(k)))
    for i in range(len(q)):
        for j in range(len(k)):
            out[i, j] = w[j] * np.exp(-beta * np.sum((q[i] - k[j]) ** 2))
        out[i] /= out[i].sum()
    return out


def sigmoid_weights(q: np.ndarray, k: np.ndarray, w: np.ndarray, beta: float, bias: float = 0.0) -> np.ndarray:
    """w_j / (1 + e^{-(beta <q_i, k_j> + bias)}) (arXiv 2501.18322)."""
    return np.array([[v / (1 + np.exp(-(beta * np.dot(a, b) + bias))) for b, v in zip(k, w, strict=True)] for a in q])


def linear_weights(q: np.ndarray, k: np.ndarray, w: np.ndarray, beta: float) -> np.ndarray:
    """w_j beta <q_i, k_j> (arXiv 2501.18322)."""
    return np.array([[v * beta * np.dot(a, b) for b, v in zip(k, w, strict=True)] for a in q])


def hardmax_weights(q: np.ndarray, k: np.ndarray, w: np.ndarray, tolerance: float = 1e-9) -> np.ndarray:
    """w_j over the keys with <q_i, k_j> >= max_l <q_i, k_l> - tolerance |q_i| max |k|, divided by their sum."""
    out = np.zeros((len(q), len(k)))
    longest = max(np.linalg.norm(b) for b in k)
    for i in range(len(q)):
        products = [np.dot(q[i], b) for b in k]
        for j in range(len(k)):
            if products[j] >= max(products) - tolerance * np.linalg.norm(q[i]) * longest:
                out[i, j] = w[j]
        out[i] /= out[i].sum()
    return out


def riesz_weights(q: np.ndarray, k: np.ndarray, w: np.ndarray, power: float, softening: float) -> np.ndarray:
    """w_j (|q_i - k_j|^2 + s^2)^(-p/2), and nothing between tokens at the same place: not normalized."""
    out = np.zeros((len(q), len(k)))
    for i in range(len(q)):
        for j in range(len(k)):
            squared = float(np.sum((q[i] - k[j]) ** 2))
            out[i, j] = w[j] * (squared + softening**2) ** (-power / 2) if squared > 0 else 0.0
    return out


def krause_weights(q: np.ndarray, k: np.ndarray, w: np.ndarray, radius: float) -> np.ndarray:
    """w_j over the keys with |q_i - k_j| <= radius, divided by their sum; a row of zeros if there are none."""
    out = np.zeros((len(q), len(k)))
    for i in range(len(q)):
        for j in range(len(k)):
            out[i, j] = w[j] if np.linalg.norm(q[i] - k[j]) <= radius else 0.0
        out[i] /= out[i].sum() or 1.0
    return out


def sinkhorn_potentials(
    log_k0: np.ndarray, w: np.ndarray, sweeps: int | None = None
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """(f, g, the g that f was made for) after `sweeps` normalizations of rows, columns, rows, ... of e^{log_k0}.

    In the log domain, on the whole matrix. Without `sweeps`, until all row and column sums are 1 to 1e-13.
    """
    f, g = np.zeros(len(w)), np.zeros(len(w))
    g_of_f = g
    for sweep in range(sweeps or 200_000):
        if sweep % 2 == 0:
            f, g_of_f = -logsumexp(log_k0 + g[None, :], axis=1, b=w[None, :]), g
        else:
            g = -logsumexp(log_k0 + f[:, None], axis=0, b=w[:, None])
            if sweeps is None and np.abs(np.exp(log_k0 + f[:, None] + g[None, :]) @ w - 1).max() < 1e-13:
                return f, g, g_of_f
    if sweeps is None:
        raise RuntimeError("the oracle's Sinkhorn loop has not converged: use a smaller beta")
    return f, g, g_of_f


def log_kernel(q: np.ndarray, k: np.ndarray, beta: float, kernel: str) -> np.ndarray:
    """beta <q_i, k_j> ("dot") or -beta |q_i - k_j|^2 ("l2")."""
    if kernel == "dot":
        return np.array([[beta * np.dot(a, b) for b in k] for a in q])
    return np.array([[-beta * np.sum((a - b) ** 2) for b in k] for a in q])


def sinkhorn_weights(
    q: np.ndarray,
    k: np.ndarray,
    w: np.ndarray,
    beta: float,
    *,
    kernel: str = "dot",
    sweeps: int | None = None,
    at: np.ndarray | None = None,
) -> np.ndarray:
    """w_j e^{f_i + g_j} k0_ij with the Sinkhorn potentials (arXiv 2110.11773), at the queries `at` if given.

    There f is continued by the normalization of rows that made it.
    """
    f, g, g_of_f = sinkhorn_potentials(log_kernel(q, k, beta, kernel), w, sweeps)
    if at is None:
        return w * np.exp(log_kernel(q, k, beta, kernel) + f[:, None] + g[None, :])
    logits = log_kernel(at, k, beta, kernel)
    f = -logsumexp(logits + g_of_f[None, :], axis=1, b=w[None, :])
    return w * np.exp(logits + f[:, None] + g[None, :])


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


def _double_sum(x: np.ndarray, w: np.ndarray, pair: Callable[[np.ndarray, np.ndarray], float]) -> float:
    return float(sum(v_i * v_j * pair(a, b) for v_i, a in zip(w, x, strict=True) for v_j, b in zip(w, x, strict=True)))


def l2_energy(x: np.ndarray, w: np.ndarray, beta: float) -> float:
    """(1/4 beta) sum_ij w_i w_j e^{-beta |x_i - x_j|^2}: its gradient is int e^{-beta |x - y|^2} (y - x) dmu(y)."""
    return _double_sum(x, w, lambda a, b: np.exp(-beta * np.sum((a - b) ** 2))) / (4 * beta)


def sigmoid_energy(x: np.ndarray, w: np.ndarray, beta: float, bias: float = 0.0) -> float:
    """(1/2 beta) sum_ij w_i w_j log(1 + e^{beta <x_i, x_j> + bias}): its gradient is int sigma(...) y dmu(y)."""
    return _double_sum(x, w, lambda a, b: np.log(1 + np.exp(beta * np.dot(a, b) + bias))) / (2 * beta)


def linear_energy(x: np.ndarray, w: np.ndarray, beta: float) -> float:
    """(beta/4) sum_ij w_i w_j <x_i, x_j>^2: its gradient is beta int <x, y> y dmu(y)."""
    return beta / 4 * _double_sum(x, w, lambda a, b: np.dot(a, b) ** 2)


def sinkhorn_energy(x: np.ndarray, w: np.ndarray, beta: float, kernel: str = "dot") -> float:
    """-(1/2 beta) iint k log(k / k0), half of that for the kernel of distances (arXiv 2110.11773), literally."""
    logits = log_kernel(x, x, beta, kernel)
    k = sinkhorn_weights(x, x, w, beta, kernel=kernel) / w
    total = 0.0
    for i in range(len(x)):
        for j in range(len(x)):
            total += w[i] * w[j] * k[i, j] * (np.log(k[i, j]) - logits[i, j])
    return -total / (2 * beta) if kernel == "dot" else -total / (4 * beta)


def l2_dissipation(x: np.ndarray, w: np.ndarray, beta: float, X: np.ndarray) -> float:
    """dE/dt of `l2_energy` along row-normalized L2 attention: int |X|^2 Z dmu, Z = int e^{-beta |x - y|^2} dmu."""
    total = 0.0
    for w_i, x_i, X_i in zip(w, x, X, strict=True):
        z = sum(w_j * np.exp(-beta * np.sum((x_i - x_j) ** 2)) for w_j, x_j in zip(w, x, strict=True))
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
