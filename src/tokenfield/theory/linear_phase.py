"""Which clusters form first on S^2: the maxima of the field that the linear phase makes of this very start.

Near the uniform law the part of degree k of a law grows like e^{gamma_k t}. Tokens climb the potential of the law, in
which degree k weighs g_k = gamma_k / (k (k+1)), so what moves them after a time t is the gradient of

    sum_k g_k e^{gamma_k t} (2k+1) sum_j w_j P_k(<x, x_j>).

When the law leaves the linear phase, the maxima of this field are the predicted clusters, and the part of the start
that climbs to each is its predicted mass. NumPy and SciPy only.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy import optimize
from scipy.spatial import cKDTree

from tokenfield.errors import InvalidInput
from tokenfield.theory.growth import IDENTITY, leading_degrees, log_growth_rates, unstable_uniform
from tokenfield.theory.harmonics import harmonics
from tokenfield.theory.prediction import Prediction
from tokenfield.theory.setting import DoesNotApply, Setting

LEVEL = 1.0  # the linear phase ends when the law departs from uniform by this, root mean square
NODES = 4000  # of the sphere, on which maxima are looked for; they are 0.056 rad apart
SPACING = np.sqrt(4 * np.pi / NODES)
NEIGHBORS = 8
CHUNK = 2**15  # tokens whose harmonics are held at once
NOTHING = 1e-13  # amplitudes of this size are rounding


@dataclass(frozen=True, eq=False)
class FirstClusters:
    """The clusters that the linear phase predicts, heaviest first. Made by `first_clusters`.

    Attributes:
        directions: Where they form, unit vectors, shape (count, 3).
        masses: The part of the start that climbs to each, shape (count,); they add up to 1.
        time: When the linear phase ends, in the time of the flow.
        amplitudes: The root mean square of each degree 1, 2, ... of the law at that time.
        field: The coefficients of the field in the real harmonics of degrees 0, 1, ...; see `field_at`.

    >>> masses, field = np.array([0.6, 0.4]), np.zeros((2, 3))
    >>> FirstClusters(np.eye(3)[:2], masses, 7.0, np.ones(1), field).count
    2
    """

    directions: np.ndarray
    masses: np.ndarray
    time: float
    amplitudes: np.ndarray
    field: np.ndarray

    @property
    def count(self) -> int:
        """How many clusters there are."""
        return len(self.directions)

    def field_at(self, points: ArrayLike) -> np.ndarray:
        """The field at unit vectors of shape (m, 3), up to a factor: tokens climb to its maxima.

        Args:
            points: Where, shape (m, 3).

        Returns:
            Its values, shape (m,).
        """
        return np.einsum("km,kmj->j", self.field, _harmonics(np.asarray(points, float), len(self.field) - 1))

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray:
        return np.array(self.directions, dtype=dtype)

    def __str__(self) -> str:
        return f"{self.count} clusters of masses {np.round(self.masses, 3).tolist()} from t = {self.time:.4g} on"

    def to_dict(self) -> dict[str, Any]:
        """The clusters as plain data, for JSON."""
        return {"directions": self.directions.tolist(), "masses": self.masses.tolist(), "time": self.time}


def first_clusters(
    points: ArrayLike,
    beta: float,
    *,
    weights: ArrayLike | None = None,
    attention: str = "softmax",
    degree: int | None = None,
) -> Prediction:
    """Where on S^2 the first clusters of this start form, and how heavy they are.

    Each degree of the start grows at its own rate until the law departs from the uniform one by 1, root mean square;
    the maxima of the potential that tokens climb are then the clusters. `cluster_angles` does this on the circle, with
    one degree in place of all. Which clusters form on the sphere is an open question of arXiv 2410.23228, whose rates
    these are; how often the answer is right is measured by the claim `bpa25-which-clusters`.

    Args:
        points: The tokens at the start, unit vectors near the uniform law, shape (n, 3).
        beta: Inverse temperature, a finite number > 0.
        weights: The masses of the tokens, shape (n,); equal if left out.
        attention: "softmax" or "unnormalized".
        degree: Only this degree of the field, for example `k_max`, as it is for very many tokens; by default all.

    Returns:
        A `Prediction` whose value is a `FirstClusters`.

    Raises:
        InvalidInput: If the points are not tokens on S^2, the weights do not belong to them, beta is not a positive
            number, or the start has nothing that grows.

    >>> start = [[0, 0, 1], [0, 0, 1], [0, 0, -1], [1, 0, 0], [0, 1, 0], [-1, 0, 0]]
    >>> found = first_clusters(start, 3.0, degree=2).value
    >>> (found.directions.round(3) + 0.0).tolist()
    [[0.0, 0.0, 1.0], [0.0, 0.0, -1.0]]
    """
    x = np.asarray(points, float)
    if x.ndim != 2 or x.shape[1] != 3 or not len(x) or not np.allclose(np.sum(x**2, axis=1), 1.0, atol=1e-6):
        raise InvalidInput(f"first_clusters needs unit vectors on S^2, shape (n, 3), got shape {x.shape}")
    w = np.full(len(x), 1 / len(x)) if weights is None else np.asarray(weights, float)
    if w.shape != (len(x),) or not w.sum() > 0:
        raise InvalidInput(f"weights need the shape ({len(x)},) of the tokens and a positive sum, got {w.shape}")
    if not beta > 0:
        raise InvalidInput(f"first_clusters needs beta > 0, got {beta}")
    w = w / w.sum()
    count = leading_degrees(beta, 3) + 2 if degree is None else int(degree)
    if count < 1:
        raise InvalidInput(f"the degree must be a whole number >= 1, got {degree}")
    rates = np.exp(log_growth_rates(beta, 3, count=count, attention=attention))
    start = sum_harmonics(x, w, count)
    if degree is not None:
        start[:count] = 0.0
    start[0] = 0.0  # the mass does not grow
    powers = np.sum(start[1:] ** 2, axis=1)
    if not powers.max() > NOTHING**2:
        raise InvalidInput("the start has nothing in the degrees that grow: it is uniform to rounding")
    time = _end_of_linear_phase(powers, rates)
    law = start * np.exp(np.append(0.0, rates) * time)[:, None]
    k = np.arange(1, count + 1)
    field = law * np.append(0.0, rates / (k * (k + 1)) / rates.max())[:, None]
    directions, masses = _maxima(field, x, w)
    amplitudes = np.sqrt(np.sum(law[1:] ** 2, axis=1))
    return Prediction(
        FirstClusters(directions, masses, time, amplitudes, field),
        "clusters form at the maxima of the field of the linear phase, each of what climbs to it",
        (IDENTITY, "many tokens near the uniform law on S^2", "nothing but the linear phase decides where"),
        "derived; the rates are those of arXiv 2410.23228",
        status="heuristic",
    )


def sum_harmonics(x: np.ndarray, w: np.ndarray, degrees: int) -> np.ndarray:
    """sum_j w_j Y_km(x_j) in the real harmonics, orthonormal under the uniform law, (degrees + 1, 2 degrees + 1)."""
    found = np.zeros((degrees + 1, 2 * degrees + 1))
    for first in range(0, len(x), CHUNK):
        some = slice(first, first + CHUNK)
        found += np.einsum("j,kmj->km", w[some], _harmonics(x[some], degrees))
    return found


def _harmonics(x: np.ndarray, degrees: int) -> np.ndarray:
    """The real harmonics at points (n, 3), shape (degrees + 1, 2 degrees + 1, n); column degrees + m has order m."""
    theta, phi = np.arctan2(np.hypot(x[:, 0], x[:, 1]), x[:, 2]), np.arctan2(x[:, 1], x[:, 0])
    Y = np.zeros((degrees + 1, 2 * degrees + 1, len(x)))
    Y[:, degrees] = harmonics(theta, 3, degrees + 1)[0]
    for m in range(1, degrees + 1):
        part = np.sqrt(2) * harmonics(theta, 3, degrees + 1 - m, order=m)[0]
        Y[m:, degrees + m], Y[m:, degrees - m] = part * np.cos(m * phi), part * np.sin(m * phi)
    return Y


def _end_of_linear_phase(powers: np.ndarray, rates: np.ndarray) -> float:
    """When the law has grown to LEVEL; before the start if it begins beyond that."""
    logs = np.log(np.maximum(powers, 1e-300))

    def gap(t: float) -> float:
        return float(np.logaddexp.reduce(logs + 2 * rates * t) - 2 * np.log(LEVEL))

    guess = (2 * np.log(LEVEL) - logs.max()) / (2 * rates.max())
    low, high = guess - 1 / rates.max(), guess + 1 / rates.max()
    while gap(low) > 0:
        low -= high - low
    while gap(high) < 0:
        high += high - low
    return float(optimize.brentq(gap, low, high, xtol=1e-10))


def _maxima(field: np.ndarray, x: np.ndarray, w: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The maxima of a field given by its coefficients, heaviest first, and the masses of `x` that climb to them."""
    degrees = len(field) - 1
    nodes = _even_points(NODES)
    tree = cKDTree(nodes)
    values = np.einsum("km,kmj->j", field, _harmonics(nodes, degrees))
    near = tree.query(nodes, NEIGHBORS + 1)[1]
    uphill = near[np.arange(NODES), np.argmax(values[near], axis=1)]
    while np.any(uphill != uphill[uphill]):
        uphill = uphill[uphill]
    tops, basin = np.unique(uphill, return_inverse=True)
    masses = np.bincount(basin[tree.query(x)[1]], w, minlength=len(tops))
    directions = np.stack([_climb(field, node) for node in nodes[tops]])
    # a flat top may have two nodes that are higher than their neighbors
    kept: list[int] = []
    for top in np.argsort(-values[tops]):
        same = [other for other in kept if directions[top] @ directions[other] > np.cos(2 * SPACING)]
        if same:
            masses[same[0]] += masses[top]
        else:
            kept.append(int(top))
    order = np.array(kept)[np.argsort(-masses[kept], kind="stable")]
    return directions[order], masses[order]


def _even_points(count: int) -> np.ndarray:
    """So many points of the sphere, evenly spread along a spiral."""
    z = 1 - (2 * np.arange(count) + 1) / count
    phi = np.pi * (3 - np.sqrt(5)) * np.arange(count)
    return np.stack([np.sqrt(1 - z**2) * np.cos(phi), np.sqrt(1 - z**2) * np.sin(phi), z], axis=1)


def _climb(field: np.ndarray, x: np.ndarray) -> np.ndarray:
    """The maximum next to `x`: parabolas through nine points around it, of a width that shrinks to 1e-4."""
    width = SPACING
    u, v = (part.ravel() for part in np.meshgrid([-1.0, 0.0, 1.0], [-1.0, 0.0, 1.0]))
    fit = np.linalg.pinv(np.stack([np.ones(9), u, v, u**2 / 2, u * v, v**2 / 2], axis=1))
    while width > 1e-4:
        frame = np.linalg.svd(x[None])[2][1:]
        around = x + width * (u[:, None] * frame[0] + v[:, None] * frame[1])
        around /= np.linalg.norm(around, axis=1, keepdims=True)
        values = np.einsum("km,kmj->j", field, _harmonics(around, len(field) - 1))
        _, *slope, a, b, c = fit @ values
        curvature = np.array([[a, b], [b, c]])
        step = -np.linalg.solve(curvature, slope) if np.linalg.eigvalsh(curvature)[1] < 0 else np.sign(slope)
        x = x + width * np.clip(step, -1, 1) @ frame
        x = x / np.linalg.norm(x)
        width *= 0.4
    return x


def first_clusters_for(setting: Setting) -> Prediction:
    """The prediction for a model on S^2 whose start has points."""
    beta, d, attention = unstable_uniform(setting)
    start = setting.start
    if d != 3:
        raise DoesNotApply("it is about the sphere S^2, d = 3")
    if start is None or start.points is None or start.weights is None:
        raise DoesNotApply("it needs the tokens: give a start")
    try:
        return first_clusters(start.points, beta, weights=start.weights, attention=attention)
    except InvalidInput as error:
        raise DoesNotApply(str(error)) from error
