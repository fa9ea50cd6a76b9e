"""The growth rates at the uniform law of a given model, where theory has a word on it.

Reads a `Transformer`, so it is imported by name and not with `tokenfield.theory`, which needs no JAX.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from tokenfield.errors import InvalidInput
from tokenfield.model.transformer import Transformer
from tokenfield.theory import conditions
from tokenfield.theory.growth import growth_rates
from tokenfield.theory.prediction import Prediction
from tokenfield.theory.reading import read
from tokenfield.theory.setting import DoesNotApply


def model_growth_rates(model: Transformer, *, t: float = 0.0, count: int = 12) -> Prediction | None:
    """The growth rates of the degrees 1 ... `count` at the uniform law, by the weights that `model` has at depth `t`.

    Those of `theory.growth_rates` (arXiv 2410.23228); with noise less k(k+d-2)/kappa, the rate at which diffusion
    damps degree k. `None` unless the model is one head of softmax or unnormalized attention with Q = K = V = I and
    beta >= 0, and nothing else.
    """
    setting = read(model, t=t)
    try:
        beta, d = conditions.plain(setting, allowing=("noise", "schedule"))
        rates = growth_rates(beta, d, count=count, attention=str(setting.attention))
    except (DoesNotApply, InvalidInput):
        return None
    if setting.kappa is None:
        return rates
    k = np.arange(1, count + 1)
    return replace(
        rates,
        value=rates.value - k * (k + d - 2) / setting.kappa,
        statement=f"{rates.statement}, less k(k+d-2)/kappa by noise",
        assumptions=(*rates.assumptions, "noise sqrt(2/kappa) dW"),
        log10=None,
    )
