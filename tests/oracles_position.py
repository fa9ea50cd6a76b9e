"""Slow, literal NumPy twins of attention with positions, written from the papers and not from the library.

Query i sees mu_i, the measure sum_j b(p_i, p_j) w_j delta_{x_j} divided by its mass, and attention acts on mu_i. Also
the particle system and the kinetic prediction of arXiv 2605.09213. Nothing is shared with `tokenfield`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

import numpy as np
from scipy.special import iv


class Rules(NamedTuple):
    """What positions do: b is 0 where a mask hides, e^{-slope |p_i - p_j|} elsewhere; queries and keys rotate."""

    causal: bool = False
    strict: bool = False
    window: float | None = None
    slopes: Sequence[float] | None = None  # one per head
    frequencies: Sequence[float] | None = None


class Kind(NamedTuple):
    """An attention by name with its numbers; the names are those of the functions below."""

    name: str
    beta: float = 1.0
    bias: float = 0.0
    radius: float = 1.0
    sweeps: int = 2001  # of Sinkhorn; so many odd sweeps are as good as converged


class HeadOf(NamedTuple):
    """One head: logits from Q x_i and K x_j, values V x_j."""

    kind: Kind
    Q: np.ndarray
    K: np.ndarray
    V: np.ndarray


def factor(rules: Rules, head: int, p_i: float, p_j: float) -> float:
    """b(p_i, p_j): how much head number `head` sees of position p_j from p_i."""
    if rules.causal and p_j > p_i:
        return 0.0
    if rules.strict and p_j >= p_i:
        return 0.0
    if rules.window is not None and abs(p_i - p_j) > rules.window:
        return 0.0
    return 1.0 if rules.slopes is None else float(np.exp(-rules.slopes[head] * abs(p_i - p_j)))


def rotated(rules: Rules, vector: np.ndarray, p: float) -> np.ndarray:
    """The vector with coordinates 2m, 2m + 1 turned by the angle p frequencies[m] (arXiv 2104.09864)."""
    out = np.array(vector, dtype=float)
    for m, omega in enumerate(rules.frequencies or ()):
        c, s = np.cos(p * omega), np.sin(p * omega)
        out[2 * m : 2 * m + 2] = np.array([[c, -s], [s, c]]) @ vector[2 * m : 2 * m + 2]
    return out


def kernel(kind: Kind, q: np.ndarray, k: np.ndarray) -> float:
    """The weight a(q, k) before any normalization."""
    return {
        "softmax": lambda: np.exp(kind.beta * np.dot(q, k)),
        "unnormalized": lambda: np.exp(kind.beta * np.dot(q, k)),
        "l2": lambda: np.exp(-kind.beta * np.sum((q - k) ** 2)),
        "sigmoid": lambda: 1 / (1 + np.exp(-kind.beta * np.dot(q, k) - kind.bias)),
        "linear": lambda: kind.beta * np.dot(q, k),
        "krause": lambda: float(np.linalg.norm(q - k) <= kind.radius),
        "sinkhorn": lambda: np.exp(kind.beta * np.dot(q, k)),
        "sinkhorn-l2": lambda: np.exp(-kind.beta * np.sum((q - k) ** 2)),
    }[kind.name]()


NORMALIZED = ("softmax", "l2", "krause")


def row(kind: Kind, q: np.ndarray, own: np.ndarray, keys: np.ndarray, nu: np.ndarray) -> np.ndarray:
    """The weights (n,) of the keys for the query `q` under the probability measure `nu`, which counts as seen."""
    if kind.name == "hardmax":
        products = np.array([np.dot(q, k) if nu_j > 0 else -np.inf for k, nu_j in zip(keys, nu, strict=True)])
        weights = np.where(products >= products.max() - 1e-9, nu, 0.0)
        return weights / weights.sum()
    a = np.array([nu_j * kernel(kind, q, k) if nu_j > 0 else 0.0 for k, nu_j in zip(keys, nu, strict=True)])
    if kind.name.startswith("sinkhorn"):
        return scaled_row(kind, a, own, keys, nu)
    if kind.name in NORMALIZED:
        return a / a.sum() if a.sum() > 0 else a
    return a


def scaled_row(kind: Kind, a: np.ndarray, own: np.ndarray, keys: np.ndarray, nu: np.ndarray) -> np.ndarray:
    """The row `a` after Sinkhorn's scaling of the kernel among the seen tokens alone (arXiv 2110.11773)."""
    seen = np.flatnonzero(nu > 0)
    k0 = np.array([[kernel(kind, own[i], keys[j]) for j in seen] for i in seen])
    f, g, g_before = np.ones(len(seen)), np.ones(len(seen)), np.ones(len(seen))
    for sweep in range(kind.sweeps):
        if sweep % 2 == 0:
            f = 1 / (k0 @ (nu[seen] * g))
            g_before = g
        else:
            g = 1 / (k0.T @ (nu[seen] * f))
    out = np.zeros_like(a)
    # the query's own row potential is that of the last normalization of rows
    out[seen] = a[seen] * g / np.sum(a[seen] * g_before)
    return out


def velocity(
    x: np.ndarray,
    w: np.ndarray,
    p: np.ndarray,
    heads: Sequence[HeadOf],
    rules: Rules,
    *,
    rows: Iterable[int] | None = None,
    on_sphere: bool = True,
) -> np.ndarray:
    """sum_h V_h int a_h(x_i, y) y dmu_i(y) for the tokens `rows`, projected on the sphere if wanted."""
    out = []
    for i in range(len(x)) if rows is None else rows:
        total = np.zeros(x.shape[1])
        for h, (kind, Q, K, V) in enumerate(heads):
            nu = np.array([w[j] * factor(rules, h, p[i], p[j]) for j in range(len(x))])
            if nu.sum() == 0:
                continue
            own = np.array([rotated(rules, Q @ x[j], p[j]) for j in range(len(x))])
            keys = np.array([rotated(rules, K @ x[j], p[j]) for j in range(len(x))])
            weights = row(kind, own[i], own, keys, nu / nu.sum())
            total += V @ sum(weights[j] * x[j] for j in range(len(x)))
        out.append(total - np.dot(x[i], total) * x[i] if on_sphere else total)
    return np.array(out)


def masked_sinkhorn(x: np.ndarray, w: np.ndarray, beta: float, sweeps: int) -> np.ndarray:
    """The matrix w_j a_ij of the other idea: hide the future in the kernel, then scale the whole of it."""
    k0 = np.array([[np.exp(beta * np.dot(x[i], x[j])) * (j <= i) for j in range(len(x))] for i in range(len(x))])
    f, g = np.ones(len(x)), np.ones(len(x))
    for sweep in range(sweeps):
        if sweep % 2 == 0:
            f = 1 / (k0 @ (w * g))
        else:
            g = 1 / (k0.T @ (w * f))
    return f[:, None] * k0 * (w * g)


# --- the lost middle (arXiv 2605.09213) ----------------------------------------------------------------------------


def alibi_circle(theta: np.ndarray, beta: float, lam: float) -> np.ndarray:
    """th_j' = Z_j^{-1} sum_{k<j} e^{-lam(j-k)/N} w'(th_j-th_k), w = e^{beta cos}; token 0 is fixed."""
    n = len(theta)
    out = np.zeros(n)
    for j in range(1, n):
        total, z = 0.0, 0.0
        for k in range(j):
            decay = np.exp(-lam * (j - k) / n)
            difference = theta[j] - theta[k]
            total += decay * -beta * np.sin(difference) * np.exp(beta * np.cos(difference))
            z += decay
        out[j] = total / z
    return out


def alibi_weights(n: int, lam: float) -> np.ndarray:
    """K_jk = e^{-lam(j-k)/N} / Z_j for k < j, else 0: the graphon of the particle system."""
    K = np.tril(np.exp(-lam * np.subtract.outer(np.arange(n), np.arange(n)) / n), -1)
    K[1:] /= K[1:].sum(axis=1, keepdims=True)
    return K


def alibi_circle_at_once(theta: np.ndarray, beta: float, K: np.ndarray) -> np.ndarray:
    """`alibi_circle` by a matrix, for thousands of steps."""
    difference = np.subtract.outer(theta, theta)
    return np.sum(K * -beta * np.sin(difference) * np.exp(beta * np.cos(difference)), axis=1)


def rk4(rhs: Callable[[np.ndarray], np.ndarray], y: np.ndarray, step: float, steps: int) -> np.ndarray:
    """The state after `steps` classical Runge-Kutta steps."""
    for _ in range(steps):
        k1 = rhs(y)
        k2 = rhs(y + step / 2 * k1)
        k3 = rhs(y + step / 2 * k2)
        k4 = rhs(y + step * k3)
        y = y + step / 6 * (k1 + 2 * k2 + 2 * k3 + k4)
    return y


def graphon(lam: float, s: float, s0: float) -> float:
    """k_lam(s, s0) = lam e^{-lam(s-s0)}/(1-e^{-lam s}): what the token at s sees of those before it."""
    return lam * np.exp(-lam * (s - s0)) / (1 - np.exp(-lam * s))


def influence(a: float, t: float, lam: float, s: float, s0: float) -> float:
    """g_a(t, s; s0) = k_lam(s, s0) sqrt(at/Y) I_1(2 sqrt(atY)), which solves d_t g = a (k + int k g)."""
    Y = np.log((np.exp(lam * s) - 1) / (np.exp(lam * s0) - 1))
    return graphon(lam, s, s0) * np.sqrt(a * t / Y) * iv(1, 2 * np.sqrt(a * t * Y))


def u_shape(s0: float, t: float, beta: float, lam: float, M: float, n_max: int = 20) -> float:
    """S_t(s0) = sum_n e^{-pi^2 n^2/2M^2} g_{a_n}(t, 1; s0), a_n = n^2 I_n(beta)."""
    return sum(
        np.exp(-(np.pi**2) * n**2 / (2 * M**2)) * influence(n**2 * iv(n, beta), t, lam, 1.0, s0)
        for n in range(1, n_max + 1)
    )


def critical_time(beta: float, lam: float, M: float, n_max: int = 20) -> float:
    """The time at which S_t'(1) = 0: the end of the sequence stops to be favored over what is just before it.

    With Y ~ (1 - s0) lam/(1-e^{-lam}) at s0 = 1, g_a = k a t (1 + atY/2 + ...) has d_{s0} g_a =
    k lam a t (1 - at/(2(1-e^{-lam}))), so t_crit = 2(1-e^{-lam}) sum_n c_n a_n / sum_n c_n a_n^2.
    """
    n = np.arange(1, n_max + 1)
    a, c = n**2 * iv(n, beta), np.exp(-(np.pi**2) * n**2 / (2 * M**2))
    return float(2 * (1 - np.exp(-lam)) * np.sum(c * a) / np.sum(c * a**2))
