"""The growth rates at the uniform law of a given model, where theory has a word on it.

Reads a `Transformer`, so it is imported by name and not with `tokenfield.theory`, which needs no JAX.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from tokenfield.model.attention import Softmax, Unnormalized
from tokenfield.model.transformer import Transformer
from tokenfield.theory.growth import growth_rates
from tokenfield.theory.prediction import Prediction


def model_growth_rates(model: Transformer, *, t: float = 0.0, count: int = 12) -> Prediction | None:
    """The growth rates of the degrees 1 ... `count` at the uniform law, by the weights that `model` has at depth `t`.

    Those of `theory.growth_rates` (arXiv 2410.23228); with noise less k(k+d-2)/kappa, the rate at which diffusion
    damps degree k. `None` unless the model is one head of softmax or unnormalized attention with Q = K = V = I and
    beta >= 0, and nothing else.
    """
    heads = model.heads(t)
    if len(heads) != 1 or model.token_wise(t) or model.normalization is not None or model.relative:
        return None
    (head,) = heads
    kind = head.attention
    if not isinstance(kind, (Softmax, Unnormalized)) or float(kind.beta) < 0:
        return None
    if any(matrix is not None for matrix in (head.Q, head.K, head.V, head.O)):
        return None
    d, k = model.geometry.d, np.arange(1, count + 1)
    name = "softmax" if isinstance(kind, Softmax) else "unnormalized"
    rates = growth_rates(float(kind.beta), d, count=count, attention=name)
    if model.noise is None:
        return rates
    return replace(
        rates,
        value=rates.value - k * (k + d - 2) / float(model.noise.kappa),
        statement=f"{rates.statement}, less k(k+d-2)/kappa by noise",
        assumptions=(*rates.assumptions, "noise sqrt(2/kappa) dW"),
        log10=None,
    )
