"""`Noise`: Brownian motion added to the tokens, one for each or one for all.

dX_i = velocity dt + sqrt(2/kappa) P_{X_i} o dW_i, in the sense of Stratonovich, so that tokens stay on the sphere and
a density of them obeys d_t mu = -div(mu X[mu]) + (1/kappa) Laplacian mu (arXiv 2512.01868).
"""

from __future__ import annotations

import diffrax
import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jax import Array
from jax.typing import ArrayLike

from tokenfield.attention import check_number
from tokenfield.errors import InvalidInput
from tokenfield.measure import is_concrete

# The tree of a path is resolved to this part of the time span; finer increments are drawn with the right law.
RESOLUTION = 2.0**-16


class Noise(eqx.Module):
    """Noise of strength sqrt(2/kappa), driven by one Brownian motion in R^d per token, or a `common` one for all.

    The path depends on `key` (or an integer seed) and on the span of times that is solved, not on steps or on what is
    saved.
    """

    kappa: Array
    key: Array
    common: bool = eqx.field(static=True)

    def __init__(self, kappa: ArrayLike, *, key: Array | int, common: bool = False):
        self.kappa = check_number(kappa, "kappa")
        if is_concrete(self.kappa) and not float(self.kappa) > 0:
            raise InvalidInput(f"kappa must be positive (the noise is sqrt(2/kappa) dW), got {float(self.kappa)}")
        if isinstance(key, (int, np.integer)) and not isinstance(key, bool):
            key = jax.random.key(int(key))
        self.key, self.common = key, bool(common)

    def path(self, t0: float, t1: float, n: int, d: int, dtype: jnp.dtype) -> Path:
        """One Brownian path over [t0, t1] for `n` tokens in R^d."""
        shape = (1 if self.common else n, d)
        tree = diffrax.VirtualBrownianTree(
            jnp.asarray(t0, dtype),
            jnp.asarray(t1, dtype),
            tol=(t1 - t0) * RESOLUTION,
            shape=jax.ShapeDtypeStruct(shape, dtype),
            key=self.key,
        )
        return Path(tree, self.kappa.astype(dtype))


class Path(eqx.Module):
    """A drawn path."""

    tree: diffrax.VirtualBrownianTree
    kappa: Array

    def increment(self, t0: Array, t1: Array) -> Array:
        """sqrt(2/kappa) (W(t1) - W(t0)), shape (n, d), or (1, d) if it is common to all tokens."""
        return jnp.sqrt(2 / self.kappa) * self.tree.evaluate(t0, t1)
