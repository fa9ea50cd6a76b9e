"""What a frame shows of a law besides the law itself: numbers, spectra, histograms, clusters, attention. No state.

All of it is computed by `tokenfield.observables`. What takes long at many tokens is left out of most frames: `light`
gives the rest.
"""

from __future__ import annotations

from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jax import Array

from tokenfield import observables
from tokenfield._runtime.arrays import as_array
from tokenfield.errors import InvalidInput, TokenfieldError
from tokenfield.geometry import Sphere
from tokenfield.laws.density import Density
from tokenfield.laws.gaussian import Gaussian
from tokenfield.measure import Measure
from tokenfield.model.sinkhorn import Sinkhorn
from tokenfield.model.transformer import Transformer
from tokenfield.observables.energy import has_energy
from tokenfield.solver.trajectory import both_energies

ALONE = 65_535  # the label of a token that is a cluster by itself
DEGREES = 17  # of a harmonic spectrum, from 0 on
BINS = 64
PAIRS = 20_000  # drawn for a histogram of cosines
GRAM = 128  # tokens of a Gram matrix
MOST_ATTENDED = 1024  # tokens whose whole attention matrix may be formed for one row of it

Arrays = dict[str, np.ndarray]
Numbers = dict[str, float | int]


@eqx.filter_jit
def _of_tokens(mu: Measure) -> dict[str, Array]:
    return {
        "order_parameter": observables.order_parameter(mu),
        "mean_cosine": observables.mean_cosine(mu),
        "effective_rank": observables.effective_rank(mu),
    }


@eqx.filter_jit
def _spectrum(mu: Measure) -> Array:
    return observables.harmonic_spectrum(mu, range(DEGREES))


_smallest_cosine = eqx.filter_jit(observables.smallest_cosine)


def light(law: Any) -> Numbers:
    """Numbers of a law that cost O(n).

    Args:
        law: Tokens, a density or a Gaussian.

    Returns:
        The numbers by name.
    """
    if isinstance(law, Measure):
        return _numbers(_of_tokens(law))
    if isinstance(law, Density):
        return {"order_parameter": float(observables.order_parameter(law)), "peak": float(np.max(law.values))}
    return {"trace": float(np.trace(law.covariance)), "mean_length": float(np.linalg.norm(law.mean))}


def heavy(law: Any, model: Transformer, t: float) -> tuple[Numbers, Arrays]:
    """Numbers and arrays of a law that cost more: energy, clusters, cosines, spectrum.

    Args:
        law: Tokens, a density or a Gaussian.
        model: The model that moves them.
        t: The time.

    Returns:
        The numbers by name, and the arrays by name.
    """
    if isinstance(law, Gaussian):
        return {}, {"spectrum": np.linalg.eigvalsh(np.asarray(law.covariance, np.float64))[::-1]}
    numbers: Numbers = {}
    if has_energy(model) and not model.rescaled:
        numbers |= _energy(law, model, t)
    if isinstance(law, Density):
        values = law.grid.power(law.values)
        return numbers, {"spectrum": np.asarray(values)[:DEGREES]}
    return _of_clusters(law, model, t, numbers)


def _energy(law: Any, model: Transformer, t: float) -> Numbers:
    try:
        raw, normalized = both_energies(law, model, as_array(t))
    except TokenfieldError:  # of this kind, in this state, there is none
        return {}
    return {"energy": float(raw), "normalized_energy": float(normalized)}


def _of_clusters(mu: Measure, model: Transformer, t: float, numbers: Numbers) -> tuple[Numbers, Arrays]:
    found = observables.clusters(mu, model.geometry, delta=observables.cluster_scale(model, t))
    sizes, points = found.sizes, np.asarray(mu.points)
    labels = np.where(sizes[found.labels] > 1, np.minimum(found.labels, ALONE - 1), ALONE).astype(np.uint16)
    numbers |= {"clusters": int(found.count), "largest_mass": float(found.masses[0])}
    arrays: Arrays = {"labels": labels}
    if mu.n > 1:
        numbers["smallest_cosine"] = float(_smallest_cosine(mu))
        pairs = None if mu.n <= 200 else PAIRS
        arrays["histogram"] = observables.pair_cosine_histogram(mu, bins=BINS, pairs=pairs).density
    if isinstance(model.geometry, Sphere):
        arrays["spectrum"] = np.asarray(_spectrum(mu))
    if mu.d > 3:
        arrays["gram"] = gram(points, labels)
    return numbers, arrays


def gram(points: np.ndarray, labels: np.ndarray) -> np.ndarray:
    """Cosines of a sample of tokens, ordered by cluster, from 0 for -1 to 255 for 1.

    Args:
        points: The tokens (n, d).
        labels: Their clusters (n,).

    Returns:
        The matrix, uint8, of at most 128 rows.
    """
    chosen = np.linspace(0, len(points) - 1, min(GRAM, len(points))).astype(int)
    chosen = chosen[np.argsort(labels[chosen], kind="stable")]
    x = points[chosen].astype(np.float64)
    x /= np.maximum(np.linalg.norm(x, axis=1, keepdims=True), 1e-300)
    return np.rint(np.clip((x @ x.T + 1) / 2, 0, 1) * 255).astype(np.uint8)


def projected(points: np.ndarray, before: np.ndarray | None) -> tuple[np.ndarray, np.ndarray]:
    """Tokens (n, d) in their three leading directions, turned so that they move little, and the directions (d, 3).

    Args:
        points: The tokens, d > 3.
        before: The directions of the frame before; `None` if there is none.

    Returns:
        The tokens (n, 3) and the directions.
    """
    x = points.astype(np.float64)
    if before is None:
        basis = np.linalg.svd(x, full_matrices=False)[2][:3].T
        basis = np.linalg.qr(np.concatenate([basis, np.eye(x.shape[1])[:, :3]], axis=1))[0][:, :3]  # of two tokens
    else:  # two steps of subspace iteration follow tokens that move little
        basis = before
        for _ in range(2):
            basis = np.linalg.qr(x.T @ (x @ basis) + 1e-12 * basis)[0]
        # the rotation of the same three directions that is nearest to what was seen
        left, _, right = np.linalg.svd(basis.T @ before)
        basis = basis @ (left @ right)
    return x @ basis, basis


def lifted(shadow: np.ndarray, point: np.ndarray, basis: np.ndarray, *, is_sphere: bool) -> np.ndarray:
    """The point whose projection is `shadow` and which otherwise is as `point`.

    On the sphere what cannot be seen keeps its direction and takes the length that is left; outside the unit ball
    nothing is left.

    Args:
        shadow: Where the projection is to be (3,).
        point: Where the token is (d,).
        basis: The directions that are seen (d, 3).
        is_sphere: Whether tokens have length one.

    Returns:
        The point (d,); on the sphere its length is one unless the shadow lies outside the ball.
    """
    seen, hidden = basis @ shadow, point.astype(np.float64) - basis @ (basis.T @ point)
    length = np.linalg.norm(hidden)
    if is_sphere and length > 0:
        hidden *= np.sqrt(max(1.0 - float(shadow @ shadow), 0.0)) / length
    return seen + hidden


@eqx.filter_jit
def _row(mu: Measure, model: Transformer, t: Array, x: Array, positions: Array | None) -> Array:
    """The attention of the points `x`, averaged over the heads."""
    seen = model.projected(t, x, mu, positions=positions)
    rows = [head.attention.matrix(p) for head, p in zip(model.heads(t), seen, strict=True)]
    return jnp.mean(jnp.stack(rows), axis=0)[0]


@eqx.filter_jit
def _row_of_matrix(mu: Measure, model: Transformer, t: Array, token: Array) -> Array:
    heads = range(len(model.heads(t)))
    return jnp.mean(jnp.stack([observables.attention_matrix(mu, model, t, head=i)[token] for i in heads]), axis=0)


def attention_of(mu: Any, model: Transformer, t: float, token: int) -> np.ndarray:
    """How much a token attends to each of them, averaged over the heads.

    Args:
        mu: The tokens.
        model: The model.
        t: The time.
        token: Which token.

    Returns:
        The weights (n,).

    Raises:
        InvalidInput: If there is no such token, or no attention to speak of.
    """
    check_token(mu, token)
    time = as_array(t)
    heads = model.heads(time)
    if not heads:
        raise InvalidInput("a model without attention has no attention weights")
    if any(isinstance(head.attention, Sinkhorn) for head in heads):
        if mu.n > MOST_ATTENDED:
            raise InvalidInput(f"Sinkhorn attention is shown for at most {MOST_ATTENDED} tokens, here are {mu.n}")
        return np.asarray(_row_of_matrix(mu, model, time, as_array(token)))
    positions = None if not model.position else as_array(np.asarray(mu.positions)[token : token + 1])
    x = as_array(np.asarray(mu.points)[token : token + 1])
    return np.asarray(_row(mu, model.with_sums(None), time, x, positions))


def check_token(mu: Any, token: Any) -> None:
    """Raises `InvalidInput` unless `mu` has tokens and `token` is the number of one of them.

    Args:
        mu: The law.
        token: The number.

    Raises:
        InvalidInput: With what there is instead.
    """
    if not isinstance(mu, Measure):
        raise InvalidInput("a density or a Gaussian has no single tokens")
    if isinstance(token, bool) or not isinstance(token, int) or not 0 <= token < mu.n:
        raise InvalidInput(f"tokens are numbered from 0 to {mu.n - 1}, got {token!r:.40}")


def _numbers(values: dict[str, Array]) -> Numbers:
    return {name: float(value) for name, value in jax.device_get(values).items()}
