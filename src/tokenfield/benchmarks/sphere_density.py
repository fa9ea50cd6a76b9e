"""Densities on S^2: one right-hand side by harmonics beside the same by direct sums over the nodes, and transforms.

Softmax attention, beta = 4, float64. Both are compared with the closed form -rho div X - <grad rho, X>, by sums over a
finer grid of other nodes. Transforms stand beside those of s2fft with precomputed kernels, where that is installed.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

import tokenfield as tkf
from tokenfield import sums
from tokenfield.benchmarks.measure import best_times, compiled, in_fresh_process, missing_peers, peak_mib, peer
from tokenfield.benchmarks.report import Row, Table
from tokenfield.laws import Density, Harmonics

BETA = 4.0
MEANS, CONCENTRATION = np.eye(3), 8.0
CHECKED = 64  # nodes at which the closed form is computed


def run(*, sizes: tuple[int, ...] = (64, 128)) -> Iterator[Table]:
    """A row per size: times, their ratio, errors, peak memory of a flow, and the transforms."""
    yield Table(
        f"One right-hand side on S^2, beta = {BETA:g} (milliseconds)",
        [rate_row(size) for size in sizes],
        ("direct: sums over all pairs of nodes; errors over the largest rate; memory includes compilation",),
    )
    yield Table(
        "Both transforms of one density (milliseconds)",
        [transform_row(size) for size in sizes],
        ("setup: seconds for nodes and tables; errors of coefficients of size one", *missing_peers("s2fft")),
    )


def rate_row(size: int) -> Row:
    """Time, error and memory of the right-hand side."""
    grid, model = Harmonics(size), tkf.Transformer(tkf.Sphere(3), tkf.Softmax(jnp.asarray(BETA)))
    density = Density.vmf_mixture(grid, means=MEANS, concentrations=CONCENTRATION)
    with sums.forced("direct"):
        calls = {
            name: compiled(
                lambda rho, model, convolve=convolve: rho.rate(model, 0.0, convolve=convolve), density, model
            )
            for name, convolve in (("harmonics", True), ("direct", False))
        }
    times = best_times(calls)
    picked = np.random.default_rng(0).integers(0, grid.m, CHECKED)
    exact = closed_form(np.asarray(grid.points)[picked])
    errors = {
        name: np.abs(np.asarray(call())[picked] - exact).max() / np.abs(exact).max() for name, call in calls.items()
    }
    return {
        "degrees": size,
        "nodes": grid.m,
        "harmonics": 1e3 * times["harmonics"],
        "direct": 1e3 * times["direct"],
        "direct / harmonics": times["direct"] / times["harmonics"],
        "error": float(errors["harmonics"]),
        "error of direct": float(errors["direct"]),
        "MiB of a flow": in_fresh_process(memory_of_flow, size),
    }


def memory_of_flow(size: int) -> float:
    """Peak memory, in MiB, of a short flow of densities above that of a small one; needs a fresh process."""
    model = tkf.Transformer(tkf.Sphere(3), tkf.Softmax(jnp.asarray(BETA)))

    def flow(size: int) -> None:
        density = Density.perturbed_uniform(Harmonics(size), degree=3, amplitude=0.1)
        tkf.solve(model, density, t1=0.01, method="rk4", step=0.005, save="end", progress=False)

    flow(16)  # loads and compiles what any flow does
    before = peak_mib()
    flow(size)
    return peak_mib() - before


def closed_form(x: np.ndarray) -> np.ndarray:
    """-rho div X - <grad rho, X> at the points x, for the mixture of bumps that `rate_row` starts from."""
    z, weights = np.polynomial.legendre.leggauss(90)  # right to 1e-12
    phi = 2 * np.pi * (np.arange(180) + 0.3) / 180
    s = np.sqrt(1 - z**2)[:, None]
    y = np.stack([s * np.cos(phi), s * np.sin(phi), z[:, None] + 0 * phi], axis=-1).reshape(-1, 3)

    def bumps(points: np.ndarray) -> np.ndarray:
        scale = CONCENTRATION / np.sinh(CONCENTRATION) / len(MEANS)
        return scale * np.exp(CONCENTRATION * points @ MEANS.T)

    masses = np.repeat(weights, 180) / 360 * bumps(y).sum(axis=1)
    attention = np.exp(BETA * (x @ y.T - 1)) * masses
    attention /= attention.sum(axis=1, keepdims=True)
    mean = attention @ y
    along = np.sum(mean * x, axis=1)
    # div P_x m = beta tr(P_x C) - 2 <x, m>, C the covariance of what x attends to
    spread = attention @ np.sum(y * y, axis=1) - np.sum(attention * (x @ y.T) ** 2, axis=1)
    spread -= np.sum(mean * mean, axis=1) - along**2
    divergence = BETA * spread - 2 * along
    gradient = CONCENTRATION * bumps(x) @ MEANS
    return -bumps(x).sum(axis=1) * divergence - np.sum(gradient * (mean - along[:, None] * x), axis=1)


def transform_row(size: int) -> Row:
    """Setup, time and round-trip error of values -> coefficients -> values, here and with s2fft."""
    began = time.perf_counter()
    grid = Harmonics(size)
    setup = {"ours": time.perf_counter() - began}
    order, degree = np.abs(np.arange(2 * size - 1) - size + 1), np.arange(size)[:, None]
    start = np.where(order <= degree, np.random.default_rng(0).normal(size=(size, 2 * size - 1)), 0.0)
    there = jax.jit(Harmonics.from_coefficients)(grid, jnp.asarray(start))
    errors = {"ours": float(jnp.abs(jax.jit(Harmonics.coefficients)(grid, there) - start).max())}
    calls: dict[str, Callable[[], Any]] = {
        "ours": compiled(lambda grid, values: grid.from_coefficients(grid.coefficients(values)), grid, there)
    }
    if peer("s2fft") is not None:
        began = time.perf_counter()
        analyze, synthesize = _s2fft(size)
        setup["s2fft"] = time.perf_counter() - began
        complex_start = np.where(degree >= order, start + 1j * start[:, ::-1], 0)
        complex_start[:, size - 1] = start[:, size - 1]
        signs = (-1.0) ** np.arange(1, size)
        complex_start[:, : size - 1] = (signs * complex_start[:, size:].conj())[:, ::-1]
        values = synthesize(jnp.asarray(complex_start))
        errors["s2fft"] = float(jnp.abs(analyze(values) - complex_start).max())
        calls["s2fft"] = lambda: jax.block_until_ready(synthesize(analyze(values)))
    times = best_times(calls)
    columns = (("setup s", setup, 1.0), ("ms", times, 1e3), ("round-trip error", errors, 1.0))
    return {"degrees": size} | {
        f"{who} {what}": scale * numbers[who] if who in numbers else None
        for what, numbers, scale in columns
        for who in ("ours", "s2fft")
    }


def _s2fft(size: int) -> tuple[Callable[[jax.Array], jax.Array], Callable[[jax.Array], jax.Array]]:
    from s2fft.precompute_transforms import construct, spherical

    forward, inverse = (
        construct.spin_spherical_kernel_jax(L=size, spin=0, reality=True, sampling="gl", forward=way)
        for way in (True, False)
    )
    jax.block_until_ready((forward, inverse))
    analyze = jax.jit(lambda f, kernel: spherical.forward_transform_jax(f, kernel, size, "gl", True, 0, None))
    synthesize = jax.jit(lambda a, kernel: spherical.inverse_transform_jax(a, kernel, size, "gl", True, 0, None))
    return lambda f: analyze(f, forward), lambda a: synthesize(a, inverse)
