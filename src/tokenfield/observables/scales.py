"""The lengths that a model has built in: below which tokens count as one cluster, beyond which they ignore each other.

All come from the sharpness beta of the attention, as beta^{-1/2}. A model in R^d has no length of its own.
"""

from __future__ import annotations

import numpy as np
from jax import Array

from tokenfield.errors import Unsupported
from tokenfield.geometry import Sphere
from tokenfield.model.transformer import Transformer

CLUSTER = 0.3  # times beta^{-1/2}: the published counts of arXiv 2312.10794 use 0.1 rad at beta = 9
RENYI = 4.0  # times beta^{-1/2}: the published experiment of arXiv 2411.04990 uses 0.5 rad at beta = 64


def sharpnesses(model: Transformer, t: Array | float = 0.0) -> tuple[float, ...]:
    """The sharpness beta of each head that has one, in the order of the heads.

    Args:
        model: the model; its betas must be known, not traced.
        t: the time (depth) at which its heads are looked at; by default 0.

    Returns:
        One number for each head whose attention has a `sharpness`; hardmax, for example, has none.

    >>> from tokenfield import Hardmax, Softmax, Sphere, Transformer
    >>> sharpnesses(Transformer(Sphere(3), [Softmax(1.0), Hardmax(), Softmax(9.0)]))
    (1.0, 9.0)
    """
    return tuple(float(beta) for kind in model.attentions(t) if (beta := kind.sharpness) is not None)


def cluster_scale(model: Transformer, t: Array | float = 0.0) -> float | None:
    """The scale delta of the project's clusters: 0.3 max(beta, 1)^{-1/2} on the sphere, `None` in R^d.

    beta is the largest sharpness of the heads: tokens closer than beta^{-1/2} merge in times of order one. In R^d no
    scale is built into the model, and `clusters` uses one hundredth of the largest extent of the cloud.

    Args:
        model: the model.
        t: the time (depth) at which its heads are looked at; by default 0.

    Returns:
        An angle in radians, or `None`; either can be given to `clusters` as `delta`.

    >>> from tokenfield import Softmax, Sphere, Transformer
    >>> round(cluster_scale(Transformer(Sphere(3), Softmax(9.0))), 12)
    0.1
    """
    if not isinstance(model.geometry, Sphere):
        return None
    beta = max(sharpnesses(model, t), default=1.0)
    return CLUSTER / float(np.sqrt(max(beta, 1.0)))


def renyi_scale(model: Transformer, t: Array | float = 0.0) -> float:
    """The angle 4 beta^{-1/2} beyond which tokens on the sphere ignore each other for long (arXiv 2411.04990).

    beta is the largest sharpness of the heads.

    Args:
        model: the model.
        t: the time (depth) at which its heads are looked at; by default 0.

    Returns:
        An angle in radians, to be given to `renyi_centers` as `delta`.

    Raises:
        Unsupported: the model is in R^d, or has no attention of positive beta, hence no such scale.

    >>> from tokenfield import Softmax, Sphere, Transformer
    >>> renyi_scale(Transformer(Sphere(3), Softmax(64.0)))
    0.5
    """
    if not isinstance(model.geometry, Sphere):
        raise Unsupported("in R^d the model has no scale of its own: give delta")
    sharp = sharpnesses(model, t)
    if not sharp or max(sharp) <= 0:
        raise Unsupported("this model has no attention of positive beta to take a scale from: give delta")
    return RENYI / float(np.sqrt(max(sharp)))
