"""External potentials: how strong one must be to keep clusters apart, two antipodal ones or a polygon of them."""

from __future__ import annotations

import numpy as np
from scipy import special

from tokenfield.errors import InvalidInput
from tokenfield.theory.prediction import Prediction


def holding_potential(beta: float, *, share: float = 0.5, clusters: int = 2) -> Prediction:
    """The strength s_c from which the potential s x_1^2 / 2 keeps clusters at e_1 and -e_1 apart.

    A cluster of mass a pays the attention q(a) = 1 / (1 + (a / (1-a)) e^{2 beta}) to the other. Near e_1 and -e_1 the
    sum w of the two points obeys w' = (q(a) + q(1-a) - s) w, and turning both together decays at the rate s, so that
    they are stable exactly for s > s_c = q(a) + q(1-a). For equal masses s_c = 2 / (1 + e^{2 beta}) (derived; the model
    is that of arXiv 2601.21366).

    k equal clusters at the equal angles D_l = 2 pi l / k on the circle are held by (s / k^2) cos(k theta). With
    p_l their attention, displacements of the Fourier mode m grow at sum_l p_l (beta sin^2 D_l - cos D_l)
    (1 - cos(m D_l)) - s, and s_c is the largest of these sums.

    Args:
        beta: Inverse temperature, a finite number.
        share: The mass of one of two clusters, between 0 and 1; by default they are equal.
        clusters: How many clusters; by default two.

    Returns:
        A `Prediction` with the strength s_c.

    Raises:
        InvalidInput: If beta is not finite, the share is not between 0 and 1, or there are fewer than two clusters or
            more than two with a share.

    >>> [round(float(holding_potential(1.5, share=share)), 6) for share in (0.5, 0.25)]
    [0.094852, 0.146276]
    >>> round(float(holding_potential(1.5, clusters=3)), 6)
    0.424366
    """
    if not np.isfinite(beta) or not 0 < share < 1:
        raise InvalidInput(f"this needs a finite beta and 0 < share < 1, got beta = {beta}, share = {share}")
    if clusters < 2 or (clusters > 2 and share != 0.5):
        raise InvalidInput(
            f"this needs two clusters, or more of equal masses, got clusters = {clusters}, share = {share}"
        )
    if clusters > 2:
        return _polygon(beta, clusters)
    odds = float(np.log(share / (1 - share)))
    return Prediction(
        float(special.expit(-2 * beta - odds) + special.expit(-2 * beta + odds)),
        "phi = s x_1^2 / 2 makes antipodal clusters stable from this s on; below it they bend at the rate s_c - s",
        ("softmax attention, Q = K = V = I", "all tokens in two clusters, at e_1 and -e_1"),
        "derived; the model is that of arXiv 2601.21366",
    )


def _polygon(beta: float, k: int) -> Prediction:
    angles = 2 * np.pi * np.arange(k) / k
    p = special.softmax(beta * np.cos(angles))
    pull = p * (beta * np.sin(angles) ** 2 - np.cos(angles))
    rates = [np.sum(pull * (1 - np.cos(m * angles))) for m in range(1, k)]
    return Prediction(
        float(max(rates)),
        f"phi = (s/{k**2}) cos({k} theta) makes {k} clusters at equal angles stable from this s on",
        ("softmax attention, Q = K = V = I", f"all tokens in {k} equal clusters at equal angles on the circle"),
        "derived; the model is that of arXiv 2601.21366",
    )
