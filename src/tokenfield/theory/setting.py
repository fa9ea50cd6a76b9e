"""What predictions ask about a model and its start, in plain numbers: `Setting` and `Start`. Needs no JAX.

`reading.read` makes a `Setting` of a `Transformer` and a law; `tokenfield predict --dim 2 --beta 5` makes one of its
flags. `conditions` says which settings a theorem is about.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from scipy import optimize

from tokenfield.errors import TokenfieldError

SOME_TOKENS = 1000  # that are looked at before all of them
SAME_POINT = 1e-6  # tokens that are meant to be one may differ by the rounding of float32
MOST_PLACES = 64


class DoesNotApply(TokenfieldError):
    """Raised by a condition that a setting does not meet; the message is the reason, in one sentence."""


@dataclass(frozen=True, eq=False)
class Start:
    """The law that a flow starts from.

    Args:
        kind: "tokens", "density" or "gaussian".
        points: The tokens, or the nodes of a density, (n, d); `None` for a Gaussian and for nodes that are orbits.
        weights: The masses of the points, (n,), of sum 1.
        radii: The lengths of tokens whose points are directions only, (n,); `None` stands for 1.
        positions: The places of tokens in the sequence, (n,).
        powers: A function of K that returns the powers P_1, ..., P_K of a law on the sphere in the degrees 1, ..., K
            (`observables.harmonic_spectrum`).
        mean: The mean vector of the law, (d,).
        covariance: That of a Gaussian, (d, d).
    """

    kind: str
    points: np.ndarray | None = None
    weights: np.ndarray | None = None
    radii: np.ndarray | None = None
    positions: np.ndarray | None = None
    powers: Callable[[int], np.ndarray] | None = None
    mean: np.ndarray | None = None
    covariance: np.ndarray | None = None

    @cached_property
    def cosines(self) -> np.ndarray:
        """The cosines of all pairs of tokens on the sphere, (n (n - 1) / 2,)."""
        assert self.points is not None
        return (self.points @ self.points.T)[np.triu_indices(len(self.points), 1)]

    @cached_property
    def places(self) -> tuple[np.ndarray, np.ndarray] | None:
        """The different places of tokens, (k, d), and the mass at each, (k,); `None` if there are too many of them."""
        assert self.points is not None and self.weights is not None
        if len(self.points) > SOME_TOKENS:  # then the first ones mostly tell
            first = Start(self.kind, points=self.points[:SOME_TOKENS], weights=self.weights[:SOME_TOKENS])
            if first.places is None:
                return None
        left = np.arange(len(self.points))
        found: list[np.ndarray] = []
        masses: list[float] = []
        while len(left):
            if len(found) == MOST_PLACES:
                return None
            point = self.points[left[0]]
            is_here = np.linalg.norm(self.points[left] - point, axis=1) <= SAME_POINT
            found.append(point)
            masses.append(float(self.weights[left[is_here]].sum()))
            left = left[~is_here]
        return np.array(found), np.array(masses)

    @cached_property
    def is_in_hemisphere(self) -> bool:
        """Whether all tokens lie in an open hemisphere: around their mean, or found by linear programming.

        The program is about a thousand tokens, to which those are added that its hemisphere leaves out.
        """
        assert self.points is not None
        if np.min(self.points @ self.points.mean(axis=0)) > 0:
            return True
        n, d = self.points.shape
        some = self.points[:: max(1, n // SOME_TOKENS)]
        while True:
            pole = optimize.linprog(np.zeros(d), A_ub=-some, b_ub=-np.ones(len(some)), bounds=(None, None)).x
            if pole is None:
                return False
            outside = self.points[self.points @ pole <= 0]
            if not len(outside):
                return True
            some = np.concatenate([some, outside[:SOME_TOKENS]])


@dataclass(frozen=True, eq=False)
class Setting:
    """A model and its start, as predictions see them.

    A matrix that is `None` is the identity. Everything beyond one attention head with constant weights is in `has`: a
    prediction must allow for it by its key, or it does not apply. A start that is `None` is not known: what a
    prediction assumes of it is then not checked.

    Args:
        d: The dimension of the ambient space.
        beta: The inverse temperature of the head.
        attention: The kind of the head: "softmax", "unnormalized", "l2", "sinkhorn", "linear", ...
        geometry: "sphere" for S^{d-1}, "euclidean" for R^d.
        Q: The query matrix.
        K: The key matrix.
        V: The value matrix, with the output matrix multiplied in.
        kernel: "dot" for weights made of <Qx, Ky>, "l2" for weights made of |Qx - Ky|^2.
        scheme: The normalization on the sphere, "post-ln" if there is none.
        alpha: The rate of nGPT.
        tau: The time at which Mix-LN switches.
        kappa: The noise is sqrt(2/kappa) dW; `None` without noise.
        feed_forward: The number w of a perceptron w x in R^1.
        frequency: The only frequency of rotary positions.
        period: The time for which random value matrices stay the same, for white ones.
        has: What else the model has: a key and a phrase for each.
        n: The number of tokens, if it is known.
        start: The law at the start, if it is known.
    """

    d: int
    beta: float | None = None
    attention: str | None = "softmax"
    geometry: str = "sphere"
    Q: np.ndarray | None = None
    K: np.ndarray | None = None
    V: np.ndarray | None = None
    kernel: str = "dot"
    scheme: str = "post-ln"
    alpha: float = 1.0
    tau: float = 0.0
    kappa: float | None = None
    feed_forward: float | None = None
    frequency: float | None = None
    period: float | None = None
    has: Mapping[str, str] = field(default_factory=dict)
    n: int | None = None
    start: Start | None = None

    @property
    def title(self) -> str:
        """The setting in one line.

        >>> Setting(3, 9.0, n=32).title
        'S^2, softmax attention, beta = 9, n = 32'
        """
        where = f"S^{self.d - 1}" if self.geometry == "sphere" else f"R^{self.d}"
        what = [] if self.attention is None else [f"{self.attention} attention"]
        what += [] if self.beta is None else [f"beta = {self.beta:g}"]
        extra = [phrase for key, phrase in self.has.items() if key != "noise"]
        noise = [] if self.kappa is None else [f"kappa = {self.kappa:g}"]
        law = self.start.kind if self.start is not None and self.start.kind != "tokens" else None
        start = [{"gaussian": "a Gaussian", "density": "a density"}[law]] if law else []
        return ", ".join([where, *what, *extra, *noise, *([f"n = {self.n}"] if self.n is not None else []), *start])

    def matrix(self, name: str) -> np.ndarray:
        """The matrix Q, K or V, written out where it is the identity."""
        matrix = getattr(self, name)
        return np.eye(self.d) if matrix is None else np.asarray(matrix, float)

    @property
    def A(self) -> np.ndarray:
        """K^T Q, the matrix of the logits <Qx, Ky> = <A x, y>."""
        if self.Q is None and self.K is None:
            return np.eye(self.d)
        return self.matrix("K").T @ self.matrix("Q")
