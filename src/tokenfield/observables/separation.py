"""How well classes of tokens are separated: scatter within and between, neural collapse, a logistic readout.

With class means m_c, masses p_c and the mean m of all, S_w = sum_c p_c Cov_c and S_b = sum_c p_c (m_c - m)(m_c - m)^T.
The law of data separation (arXiv 2210.17020) says that log Tr(S_w S_b^+) falls linearly in the layer of a trained
network; neural collapse that classes become points, at equal lengths and equal angles. NumPy on concrete arrays.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy

from tokenfield.errors import InvalidInput
from tokenfield.measure import Measure

KEPT = 1e-10  # eigenvalues of S_b below this part of the largest are zero
NEWTON = 50


@dataclass(frozen=True, eq=False)
class Separation:
    """The separation of classes; made by `separation`.

    Attributes:
        within: Tr S_w, the scatter within classes.
        between: Tr S_b, the scatter of class means.
        fuzziness: D = Tr(S_w S_b^+), small if classes are far apart for their size (arXiv 2210.17020).
        unequal_lengths: the standard deviation of the lengths of class means, centered whatever their masses, over the
            mean length; 0 at collapse.
        unequal_angles: the largest deviation of a cosine of two of these centered means from -1/(C - 1), C the number
            of classes; 0 at collapse.
        nearest: the mass of tokens whose own class mean is the nearest one.
        means: the class means, shape (C, d).

    >>> import numpy as np
    >>> Separation(0.0, 1.0, 0.0, 0.0, 0.0, 1.0, np.eye(2)).fuzziness
    0.0
    """

    within: float
    between: float
    fuzziness: float
    unequal_lengths: float
    unequal_angles: float
    nearest: float
    means: np.ndarray


@dataclass(frozen=True, eq=False)
class Readout:
    """A logistic readout sigma(<a, x> + b) of two classes; made by `logistic_readout`.

    Attributes:
        a: its direction, shape (d,).
        b: its offset.
        loss: the mean of -log of the probability of the right class.
        accuracy: the mass of tokens on the right side.

    >>> import numpy as np
    >>> Readout(np.ones(2), 0.0, 0.1, 1.0).accuracy
    1.0
    """

    a: np.ndarray
    b: float
    loss: float
    accuracy: float


def separation(mu: Measure, labels: Any) -> Separation:
    """How well the classes of tokens are separated: within and between them, Tr(S_w S_b^+) and neural collapse.

    With class means m_c, covariances S_c and masses p_c, and the mean m of all tokens, S_w = sum_c p_c S_c is the
    scatter within classes and S_b = sum_c p_c (m_c - m)(m_c - m)^T that of their means; S_b^+ is the pseudo-inverse.

    Args:
        mu: The tokens, of one layer or at one time.
        labels: The class of each token, whole numbers or words, shape (n,); at least two classes.

    Returns:
        The measures of separation.

    Raises:
        InvalidInput: Labels do not belong to the tokens, there is one class only, or all class means agree.

    >>> from tokenfield import Measure
    >>> mu = Measure([[0.0, 1.0], [0.0, -1.0], [4.0, 1.0], [4.0, -1.0]])
    >>> found = separation(mu, [0, 0, 1, 1])
    >>> [round(number, 12) for number in (found.within, found.between, found.fuzziness)]
    [1.0, 4.0, 0.0]
    """
    x, w, classes, index = _classes(mu, labels)
    masses = np.bincount(index, w)
    means = np.stack([np.bincount(index, w * column) for column in x.T], axis=1) / masses[:, None]
    apart = means - masses @ means
    inside = x - means[index]
    # S_b has as many eigenvalues as there are classes, however large d is: no matrix (d, d) is formed
    sizes, vectors = np.linalg.svd(np.sqrt(masses)[:, None] * apart, full_matrices=False)[1:]
    values = sizes**2
    kept = values > KEPT * values[0]
    if not values[0] > 0:
        raise InvalidInput("the means of all classes agree: nothing separates them")
    along = inside @ vectors[kept].T
    fuzziness = float(np.sum(w @ along**2 / values[kept]))
    centered = means - means.mean(axis=0)  # collapse is about classes, whatever their masses
    lengths = np.linalg.norm(centered, axis=1)
    unit = centered / np.maximum(lengths, np.finfo(float).tiny)[:, None]
    cosines = (unit @ unit.T)[np.triu_indices(len(classes), 1)]
    gaps = np.sum(x**2, axis=1)[:, None] - 2 * x @ means.T + np.sum(means**2, axis=1)
    return Separation(
        within=float(w @ np.sum(inside**2, axis=1)),
        between=float(values.sum()),
        fuzziness=fuzziness,
        unequal_lengths=float(lengths.std() / lengths.mean()),
        unequal_angles=float(np.abs(cosines + 1 / (len(classes) - 1)).max()),
        nearest=float(w[np.argmin(gaps, axis=1) == index].sum()),
        means=means,
    )


def logistic_readout(mu: Measure, labels: Any, *, ridge: float = 1e-3) -> Readout:
    """The best readout sigma(<a, x> + b) of two classes, by Newton's method.

    It minimizes the mean of -log sigma(+-(<a, x> + b)) plus (ridge / 2) |a|^2, which has one minimum.

    Args:
        mu: The tokens.
        labels: The class of each token, two different values, shape (n,); the larger one has probability sigma.
        ridge: The weight of |a|^2 / 2, a positive number: without it separable classes have no best readout.

    Returns:
        The readout, with its loss (without the ridge) and accuracy.

    Raises:
        InvalidInput: There are not two classes, or the ridge is not positive.

    >>> from tokenfield import Measure
    >>> mu = Measure([[-2.0], [-1.0], [1.0], [3.0]])
    >>> logistic_readout(mu, [0, 0, 1, 1]).accuracy
    1.0
    """
    x, w, classes, index = _classes(mu, labels)
    if len(classes) != 2:
        raise InvalidInput(f"a logistic readout tells two classes apart, got {len(classes)}")
    if not ridge > 0:
        raise InvalidInput(f"the ridge must be positive, got {ridge}")
    X, y = np.concatenate([x, np.ones((len(x), 1))], axis=1), index.astype(float)
    penalty = ridge * np.append(np.ones(x.shape[1]), 0.0)
    theta = np.zeros(X.shape[1])

    def cost(candidate: np.ndarray) -> float:
        z = X @ candidate
        return float(w @ (np.logaddexp(0, z) - y * z) + penalty @ candidate**2 / 2)

    for _ in range(NEWTON):
        p = scipy.special.expit(X @ theta)
        slope = X.T @ (w * (p - y)) + penalty * theta
        curvature = (X * (w * p * (1 - p))[:, None]).T @ X + np.diag(penalty + 1e-12)
        step, length = np.linalg.solve(curvature, slope), 1.0
        while cost(theta - length * step) > cost(theta) and length > 1e-6:
            length /= 2
        theta = theta - length * step
        if np.abs(length * step).max() < 1e-10 * (1 + np.abs(theta).max()):
            break
    z = X @ theta
    loss = float(w @ (np.logaddexp(0, z) - y * z))
    return Readout(theta[:-1], float(theta[-1]), loss, float(w[(z > 0) == (y > 0)].sum()))


def _classes(mu: Measure, labels: Any) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    x, w, given = np.asarray(mu.points, np.float64), np.asarray(mu.weights, np.float64), np.asarray(labels)
    if given.shape != (len(x),):
        raise InvalidInput(f"labels need the shape ({len(x)},) of the tokens, got {given.shape}")
    classes, index = np.unique(given, return_inverse=True)
    if len(classes) < 2:
        raise InvalidInput("separation needs at least two classes")
    return x, w / w.sum(), classes, index
