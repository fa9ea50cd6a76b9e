"""A claim about random weights at initialization: norms and cosines of tokens layer by layer (arXiv 2403.02579).

The formulas are derived here, for a network with norms before its sublayers, Gaussian weights and even attention, in
the limit of infinite width. Let q be the mean of |x|^2 / d and rho the cosine of two tokens. Norms make q = 1, and

- attention that looks evenly at n tokens gives all of them the same vector, of mean square a^2 m with
  m = (1 + (n - 1) rho) / n: q and rho q both grow by that;
- a perceptron with relu gives vectors of mean square s^2, with cosine k(rho) =
  (sqrt(1 - rho^2) + rho (pi - arccos rho)) / pi (Cho and Saul): q grows by s^2, and rho q by s^2 k(rho).
"""

from __future__ import annotations

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jax import Array
from matplotlib.figure import Figure

import tokenfield as tkf
from tokenfield.claims.claim import Claim, Control, Finding, Setting, equals
from tokenfield.claims.figures import MEASURED, PREDICTED, panels
from tokenfield.claims.real_models import standard_error
from tokenfield.model.multihead import MultiHead
from tokenfield.model.norms import RMSNorm
from tokenfield.model.parts import Perceptron
from tokenfield.model.sublayer import Sublayer

HEADS, WIDER = 4, 4  # heads, and neurons for each dimension
START = 0.2  # the cosine of two tokens at first


@eqx.filter_jit
def _propagated(key: Array, n: int, d: int, depth: int, draws: int, a: float, s: float) -> tuple[Array, Array]:
    """Mean |x|^2 / d and mean cosine of two tokens after 0, 1, ..., depth layers, for each draw of the weights."""

    def normal(key: Array, shape: tuple[int, ...], variance: float) -> Array:
        return jnp.sqrt(variance) * jax.random.normal(key, shape, jnp.float32)

    def layer(x: Array, key: Array) -> tuple[Array, tuple[Array, Array]]:
        keys = jax.random.split(key, 4)
        small = d // HEADS
        looks_at = jnp.zeros((HEADS, small, d), jnp.float32)  # all logits are zero: attention is even
        V, O = normal(keys[0], (HEADS, small, d), 1 / d), normal(keys[1], (HEADS, d, small), a**2 / d)  # noqa: E741
        A, W = normal(keys[2], (WIDER * d, d), 1 / d), normal(keys[3], (d, WIDER * d), 2 * s**2 / (WIDER * d))
        heads = MultiHead(tkf.Softmax(1.0), Q=looks_at, K=looks_at, V=V, O=O)
        for part in (heads, Perceptron(W, A)):
            x = x + Sublayer(part, before=RMSNorm(jnp.ones(d, jnp.float32))).added(x, tkf.Measure(x))
        return x, seen(x)

    def seen(x: Array) -> tuple[Array, Array]:
        norms = jnp.linalg.norm(x, axis=1)
        mean = jnp.sum(x / norms[:, None], axis=0)
        return jnp.mean(norms**2) / d, (mean @ mean - n) / (n * (n - 1))

    def one(key: Array) -> tuple[Array, Array]:
        # any tokens of these lengths and angles will do: the weights know no direction
        common, own = jnp.eye(n + 1, d, dtype=jnp.float32)[0], jnp.eye(n + 1, d, dtype=jnp.float32)[1:]
        x = jnp.sqrt(d * START) * common + jnp.sqrt(d * (1 - START)) * own
        _, after = jax.lax.scan(layer, x, jax.random.split(key, depth))
        sizes, cosines = (jnp.concatenate([first[None], later]) for first, later in zip(seen(x), after, strict=True))
        return sizes, cosines

    return jax.vmap(one)(jax.random.split(key, draws))


def _predicted(n: int, depth: int, a: float, s: float, kernel: str) -> tuple[np.ndarray, np.ndarray]:
    """The same by the formulas of this module."""
    q, rho = [1.0], [START]
    for _ in range(depth):
        added = a**2 * (1 + (n - 1) * rho[-1]) / n
        size = q[-1] + added
        cosine = (q[-1] * rho[-1] + added) / size
        passed = cosine if kernel == "linear" else relu_cosine(cosine)
        q.append(size + s**2)
        rho.append((size * cosine + s**2 * passed) / q[-1])
    return np.asarray(q), np.asarray(rho)


def relu_cosine(rho: float) -> float:
    """2 E relu(u) relu(v) of normal variables with variance 1 and correlation rho."""
    return float((np.sqrt(1 - rho**2) + rho * (np.pi - np.arccos(rho))) / np.pi)


def _propagation(*, seed: int, n: int, d: int, depth: int, draws: int, kernel: str) -> Finding:
    a, s = 0.5, 1.0
    sizes, cosines = map(np.asarray, _propagated(jax.random.key(seed), n, d, depth, draws, a, s))
    q, rho = _predicted(n, depth, a, s, kernel)
    middle = depth // 2
    # fluctuations of a product of random matrices are of order 1 / d; what is of order 1 / sqrt(d) is in the error
    allowed = 4 / d
    checks = [
        check
        for k in (1, middle, depth)
        for check in (
            equals(f"mean |x|^2 / d after layer {k}", np.mean(sizes[:, k]), q[k], within=allowed, is_relative=True,
                   because="4/d: what finite width changes", error=standard_error(sizes[:, k])),
            equals(f"mean cosine after layer {k}", np.mean(cosines[:, k]), rho[k], within=allowed,
                   because="4/d: what finite width changes", error=standard_error(cosines[:, k])),
        )
    ]  # fmt: skip
    return Finding(checks, {"sizes": sizes, "cosines": cosines, "q": q, "rho": rho})


def _draw(finding: Finding) -> Figure:
    data = finding.data
    figure, axes = panels(2, width=7.4)
    names = ("mean of $|x|^2 / d$", "mean cosine of two tokens")
    for ax, measured, predicted, name in zip(axes, ("sizes", "cosines"), ("q", "rho"), names, strict=True):
        layers = np.arange(len(data[predicted]))
        ax.plot(layers, data[measured].T, linewidth=0.4, alpha=0.4, **MEASURED)
        ax.plot(layers, data[measured].mean(axis=0), marker="o", label="random weights", **MEASURED)
        ax.plot(layers, data[predicted], label="infinite width", **PREDICTED)
        ax.set(xlabel="layer", ylabel=name)
        ax.legend()
    return figure


CLAIMS = (
    Claim(
        id="cnqg24-norms-and-cosines",
        title="At initialization norms and cosines of tokens follow an exact recursion",
        statement=(
            "In a network with norms before its sublayers, Gaussian weights and even attention, the mean of "
            "$|x|^2/d$ and the cosine $\\rho$ of two tokens follow a closed recursion at infinite width: attention "
            "adds $a^2(1 + (n-1)\\rho)/n$ to $q$ and to $\\rho q$, a perceptron with relu adds $s^2$ to $q$ and "
            "$s^2 (\\sqrt{1-\\rho^2} + \\rho(\\pi - \\arccos\\rho))/\\pi$ to $\\rho q$. Both draw tokens together."
        ),
        paper="cnqg24",
        where="signal propagation at initialization",
        status="derived",
        main="mean cosine",
        experiment=_propagation,
        draw=_draw,
        quick=Setting({"n": 6, "d": 192, "depth": 8, "draws": 96, "kernel": "relu"}, 6),
        full=Setting({"n": 6, "d": 384, "depth": 16, "draws": 64, "kernel": "relu"}, 60),
        assumptions=("logits are zero, so that attention is even", "no biases; RMSNorm before each sublayer"),
        control=Control(
            {"kernel": "linear"}, "a perceptron that kept the cosine would draw nothing together", fails="mean cosine"
        ),
        note=(
            "Derived here from first principles for this architecture. The paper treats other norms and attention that "
            "is not even; its own formulas are not tested. `gg26-depth-recursion` has attention that is not even."
        ),
    ),
)
