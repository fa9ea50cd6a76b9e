"""External potentials: how strong one must be to keep two antipodal clusters apart."""

from __future__ import annotations

import numpy as np
from scipy import special

from tokenfield.errors import InvalidInput
from tokenfield.theory.prediction import Prediction


def holding_potential(beta: float, *, share: float = 0.5) -> Prediction:
    """The strength s_c from which the potential s x_1^2 / 2 keeps clusters at e_1 and -e_1 apart.

    A cluster of mass a pays the attention q(a) = 1 / (1 + (a / (1-a)) e^{2 beta}) to the other. The vector between the
    two, up to sign, obeys w' = (q(a) + q(1-a) - s) w, and turning both costs s, so that they are stable exactly for
    s > s_c = q(a) + q(1-a). For equal masses s_c = 2 / (1 + e^{2 beta}) (derived; the model is that of arXiv
    2601.21366).

    Args:
        beta: Inverse temperature, a finite number.
        share: The mass of one of the clusters, between 0 and 1; by default they are equal.

    Returns:
        A `Prediction` with the strength s_c.

    Raises:
        InvalidInput: If beta is not finite, or the share is not between 0 and 1.

    >>> round(float(holding_potential(1.5)), 6), round(float(holding_potential(1.5, share=0.25)), 6)
    (0.094852, 0.146276)
    """
    if not np.isfinite(beta) or not 0 < share < 1:
        raise InvalidInput(f"this needs a finite beta and 0 < share < 1, got beta = {beta}, share = {share}")
    odds = float(np.log(share / (1 - share)))
    return Prediction(
        float(special.expit(-2 * beta - odds) + special.expit(-2 * beta + odds)),
        "phi = s x_1^2 / 2 makes antipodal clusters stable from this s on; below it they bend at the rate s_c - s",
        ("softmax attention, Q = K = V = I", "all tokens in two clusters, at e_1 and -e_1"),
        "derived; the model is that of arXiv 2601.21366",
    )
