"""Random tokens in high dimension: how their cosines spread around the common cosine of orthogonal tokens."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike
from scipy import integrate

from tokenfield.errors import InvalidInput
from tokenfield.theory.growth import IDENTITY
from tokenfield.theory.prediction import Prediction


def cosine_spread(times: ArrayLike, n: int, beta: float) -> Prediction:
    """The factors by which deviations of cosines from the equiangular curve grow, and their root mean square.

    Around tokens of common cosine g the deviations of the cosines obey D_ij' = r D_ij + c (S_i + S_j), where S_i sums
    D_ij over j. With p and q the attention that a token pays to itself and to each other one, r = 2q (beta (1-g) - 1 -
    (n-1) g) and c = q (1-g) (1 + beta (g p - q)). So deviations with S = 0, of the form u_i + u_j, and common to all
    pairs grow by A_2, A_1 and A_0, at the rates r, r + (n-2) c and r + 2(n-1) c. Independent uniform tokens on S^{d-1}
    start with the variance 1/d for each pair: then d times the mean square is the mean of A^2 over the n(n-3)/2, n-1
    and 1 deviations of each kind (derived; compare the theorem on high dimension in arXiv 2312.10794).

    Args:
        times: Increasing times, the first one 0.
        n: Number of tokens, n >= 2.
        beta: Inverse temperature, a finite number >= 0.

    Returns:
        A `Prediction` with an array (5, times): the common cosine g, the factors A_2, A_1, A_0, and the root of d
        times the mean square deviation.

    Raises:
        InvalidInput: If times do not increase from 0, n < 2, or beta is not a finite number >= 0.

    >>> cosine_spread([0.0, 2.0], 16, 1.0).value.round(4).tolist()
    [[0.0, 0.7217], [1.0, 0.3281], [1.0, 0.9998], [1.0, 3.5726], [1.0, 0.5697]]
    """
    ts = np.asarray(times, float)
    if ts.ndim != 1 or len(ts) == 0 or ts[0] != 0 or np.any(np.diff(ts) <= 0):
        raise InvalidInput("the times must increase from 0")
    if n < 2 or not (np.isfinite(beta) and beta >= 0):
        raise InvalidInput(f"this needs n >= 2 and a finite beta >= 0, got n = {n}, beta = {beta}")

    def rates(_t: float, y: np.ndarray) -> list[float]:
        g = y[0]
        relative = np.exp(beta * (g - 1))
        p = 1 / (1 + (n - 1) * relative)
        q = relative * p
        r = 2 * q * (beta * (1 - g) - 1 - (n - 1) * g)
        c = q * (1 - g) * (1 + beta * (g * p - q))
        return [2 * q * (1 - g) * (1 + (n - 1) * g), r, r + (n - 2) * c, r + 2 * (n - 1) * c]

    end = max(float(ts[-1]), 1e-12)
    path = integrate.solve_ivp(rates, (0.0, end), np.zeros(4), t_eval=ts, rtol=1e-10, atol=1e-12, method="DOP853")
    factors = np.exp(path.y[1:])
    counts = np.array([max(n * (n - 3) / 2, 0), n - 1, 1])
    square = counts @ factors**2 / counts.sum() if n > 2 else factors[2] ** 2
    return Prediction(
        np.concatenate([path.y[:1], factors, np.sqrt(square)[None]]),
        "deviations of the cosines from the common one, per 1/sqrt(d): common cosine, three factors, root mean square",
        (IDENTITY, "independent uniform tokens", "d -> infinity"),
        "derived; compare arXiv 2312.10794",
        status="asymptotic",
    )
