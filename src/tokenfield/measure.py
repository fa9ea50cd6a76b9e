"""`Measure`: a finite weighted sum of Diracs, the one value that is passed around everywhere.

A prompt of n tokens is the measure sum_j w_j delta_{x_j}. Weights are always there because clusters have masses, and
positions because a causal model needs an order. A measure is not a batch: batching is `jax.vmap`. Here are also the
checks that everything built from arrays of a user shares (`float_array`, `check_finite`, `is_concrete`).
"""

from __future__ import annotations

from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jax import Array
from jax.typing import ArrayLike

from tokenfield._runtime.arguments import shown
from tokenfield._runtime.arrays import as_array, on_host
from tokenfield.errors import InvalidInput
from tokenfield.geometry import Geometry, Sphere, check_geometry

OFF_SPHERE = 1e-6  # points further from the sphere than this are an error, not rounding
TINY, HUGE = 1e-30, 1e30  # weights beyond are divided by the largest: their sum might leave even float32
MOST_DOTS = 500  # tokens in the little picture of a notebook
VIEW = np.array([[-0.5, 0.866, 0.0], [-0.3, -0.173, 0.938]])  # R^3 seen from the front, a little from above


class Measure(eqx.Module):
    """The probability measure sum_j weights_j delta_{points_j}: n tokens in R^d with masses that sum to 1.

    Values are not checked inside `jax.jit`, `vmap` or `grad`, where they are not known; shapes always are.

    Args:
        points: The tokens, shape (n, d), n >= 1. Whole numbers become float64, half precision becomes float32.
        weights: The masses, shape (n,), positive. They are divided by their sum. By default all are 1/n.
        positions: The place of each token in the sequence, shape (n,), for models that are not exchangeable (causal
            masks, windows, ALiBi, RoPE). By default 0, 1, 2, ...
        radii: The lengths of the residual stream, shape (n,), positive, where `points` are only its directions (Pre-LN
            and its kin). See `Measure.polar`. By default `None`: there are none.
        geometry: The space on which the points must lie. On a sphere, norms within 1e-6 of 1 are set to 1. By default
            `None`: points are taken as they are.

    Raises:
        InvalidInput: If shapes do not fit, an entry is NaN or infinite, there are no points, weights or radii are not
            positive, or points are off the geometry.

    >>> Measure([[1.0, 0.0], [0.0, 1.0]], weights=[3.0, 1.0]).weights.tolist()
    [0.75, 0.25]
    """

    points: Array
    weights: Array
    positions: Array
    radii: Array | None

    def __init__(
        self,
        points: ArrayLike,
        weights: ArrayLike | None = None,
        *,
        positions: ArrayLike | None = None,
        radii: ArrayLike | None = None,
        geometry: Geometry | None = None,
    ):
        if geometry is not None:
            check_geometry(geometry)
        x = float_array(points, "points")
        if x.ndim != 2:
            raise InvalidInput(f"points must have shape (n, d), got {x.shape}")
        n, d = x.shape
        if n == 0:
            raise InvalidInput("a measure needs at least one point, got n = 0")
        if d == 0:
            raise InvalidInput("points need at least one coordinate, got d = 0")
        if geometry is not None and d != geometry.d:
            raise InvalidInput(f"points have dimension {d}, the geometry has d = {geometry.d}")
        check_finite(x, "points")
        if isinstance(geometry, Sphere):
            x = _on_sphere(x, geometry)
        self.points = x
        if weights is None:
            self.weights = as_array(np.full(n, 1.0 / n, x.dtype)) if is_concrete(x) else jnp.full(n, 1.0 / n, x.dtype)
        else:
            w = _per_point(_representable(weights, x.dtype), "weights", x)
            w = _positive(w, "weights", "drop the points of weight zero")
            known = on_host(w)
            self.weights = w / jnp.sum(w) if known is None else as_array(known / np.sum(known))
        if positions is None:
            self.positions = as_array(np.arange(n), x.dtype) if is_concrete(x) else jnp.arange(n, dtype=x.dtype)
        else:
            self.positions = _per_point(positions, "positions", x)
        self.radii = None if radii is None else _positive(_per_point(radii, "radii", x), "radii", "drop zero vectors")

    @staticmethod
    def polar(vectors: ArrayLike, weights: ArrayLike | None = None, *, positions: ArrayLike | None = None) -> Measure:
        """The measure of the directions of vectors on the sphere, with the lengths of the vectors as `radii`.

        This is how a residual stream starts a model with Pre-LN, Mix-LN or Peri-LN (arXiv 2510.22026).

        Args:
            vectors: Nonzero vectors, shape (n, d).
            weights: The masses, shape (n,), as in `Measure`; by default all are 1/n.
            positions: The places in the sequence, shape (n,), as in `Measure`; by default 0, 1, 2, ...

        Returns:
            A measure with `points` (n, d) on the unit sphere and `radii` (n,).

        Raises:
            InvalidInput: If a vector is zero, or as in `Measure`.

        >>> mu = Measure.polar([[3.0, 4.0], [0.0, 2.0]])
        >>> mu.points.round(3).tolist(), mu.radii.tolist()
        ([[0.6, 0.8], [0.0, 1.0]], [5.0, 2.0])
        """
        x = float_array(vectors, "vectors")
        if x.ndim != 2:
            raise InvalidInput(f"vectors must have shape (n, d), got {x.shape}")
        lengths = jnp.sqrt(jnp.sum(x * x, axis=1))
        if is_concrete(lengths) and not bool(np.all(np.asarray(lengths) > 0)):
            raise InvalidInput("a zero vector has no direction: drop it")
        return Measure(x / lengths[:, None], weights, positions=positions, radii=lengths)

    @property
    def n(self) -> int:
        """The number of tokens."""
        return self.points.shape[0]

    @property
    def d(self) -> int:
        """The dimension of the ambient space, that is the number of coordinates of a token."""
        return self.points.shape[1]

    def at(self, points: Array, radii: Array | None = None) -> Measure:
        """The same tokens at other points: weights and positions stay. Only shapes are checked.

        Args:
            points: The new points, shape (n, d).
            radii: The new radii, shape (n,); by default those of this measure stay.

        Returns:
            A new measure.

        Raises:
            InvalidInput: If there is not one point, or radius, for each token.

        >>> import jax.numpy as jnp
        >>> mu = Measure([[0.0], [1.0]], [1.0, 3.0])
        >>> mu.at(jnp.array([[2.0], [4.0]])).mean.tolist()
        [3.5]
        """
        for name, array, axes in (("points", points, 2), ("radii", radii, 1)):
            shape = getattr(array, "shape", None)
            if array is not None and (shape is None or len(shape) != axes or shape[0] != self.n):
                wanted = f"({self.n}, d)" if axes == 2 else f"({self.n},)"
                raise InvalidInput(f"Measure.at: {name} must be an array {wanted}, got {shape or shown(array)}")
        where = lambda mu: (mu.points, mu.radii)  # noqa: E731
        new = (points, self.radii if radii is None else radii)
        return eqx.tree_at(where, self, new, is_leaf=lambda leaf: leaf is None)

    @property
    def mean(self) -> Array:
        """The mean vector int x dmu(x), shape (d,)."""
        return self.weights @ self.points

    def __repr__(self) -> str:
        shape = getattr(self.points, "shape", None)
        if shape is None or len(shape) < 2:  # JAX fills pytrees with placeholders of its own
            return eqx.tree_pformat(self)
        many = "" if len(shape) == 2 else f"batch of {' x '.join(map(str, shape[:-2]))}, each "
        facts = [f"{shape[-2]} token{'s' * (shape[-2] != 1)} in R^{shape[-1]}", _describe_weights(self.weights)]
        facts += ["float32"] * (self.points.dtype == jnp.float32) + ["with radii"] * (self.radii is not None)
        return f"Measure({many}{', '.join(facts)})"

    def _repr_html_(self) -> str:
        """A small table for notebooks and, in R^2 and R^3, a little picture."""
        if np.ndim(self.points) != 2 or not isinstance(self.points, jax.Array) or not is_concrete(self.points):
            return f"<code>{self!r}</code>"
        x = np.asarray(self.points, np.float64)
        rows = {
            "tokens": str(self.n),
            "space": f"R<sup>{self.d}</sup>, {self.points.dtype}",
            "masses": _describe_weights(self.weights),
            "length of the mean": f"{float(np.linalg.norm(np.asarray(self.mean))):.4g}",
            "norms": _describe_range(np.linalg.norm(x, axis=1)),
        }
        if self.radii is not None:
            rows["radii"] = _describe_range(np.asarray(self.radii, np.float64))
        cells = "".join(
            f"<tr><th style='text-align:left'>{name}</th><td>{text}</td></tr>" for name, text in rows.items()
        )
        picture = _svg(x, np.asarray(self.weights, np.float64)) if self.d in (2, 3) else ""
        return f"<div style='display:flex;gap:1em;align-items:center'>{picture}<table>{cells}</table></div>"


def _describe_weights(weights: Array) -> str:
    if not isinstance(weights, (jax.Array, np.ndarray)) or not is_concrete(weights):
        return "values unknown"  # inside jax.jit, or shapes without numbers
    w = np.ravel(np.asarray(weights, np.float64))
    return "equal weights" if np.all(w == w[:1]) else f"weights from {w.min():.3g} to {w.max():.3g}"


def _describe_range(values: np.ndarray) -> str:
    low, high = f"{values.min():.3g}", f"{values.max():.3g}"
    return low if low == high else f"{low} to {high}"


def _svg(x: np.ndarray, weights: np.ndarray) -> str:
    """A drawing of at most `MOST_DOTS` tokens of R^2 or R^3, with the outline of the unit sphere if they lie on it."""
    step = -(-len(x) // MOST_DOTS)
    is_on_sphere = bool(np.all(np.abs(np.linalg.norm(x, axis=1) - 1) < OFF_SPHERE))
    x, weights = x[::step], weights[::step]
    flat = x @ VIEW.T if x.shape[1] == 3 else x
    center = np.zeros(2) if is_on_sphere else (flat.max(axis=0) + flat.min(axis=0)) / 2
    extent = 1.0 if is_on_sphere else float(np.abs(flat - center).max()) or 1.0
    places = 60 + 50 * (flat - center) / extent * [1, -1]
    radii = np.clip(8 * np.sqrt(weights / weights.sum()), 1.0, 6.0)
    dots = "".join(f"<circle cx='{u:.1f}' cy='{v:.1f}' r='{r:.1f}'/>" for (u, v), r in zip(places, radii, strict=True))
    rim = "<circle cx='60' cy='60' r='50' fill='none' stroke='#B8BEC6'/>" if is_on_sphere else ""
    return f"<svg width='120' height='120'>{rim}<g fill='#0072B2' fill-opacity='0.6'>{dots}</g></svg>"


# --- checks -------------------------------------------------------------------------------------------------------


def float_array(values: ArrayLike, name: str) -> Array:
    """`values` as an array of floats: float32 and float64 stay, less precise ones become float32, integers float64.

    Args:
        values: Real numbers, of any shape.
        name: What the error message calls them.

    Returns:
        An array of JAX of the same shape.

    Raises:
        InvalidInput: If `values` are no numbers, or complex or boolean.

    >>> float_array([1, 2], "points").dtype.name
    'float64'
    """
    if isinstance(values, (str, bytes)):
        raise InvalidInput(f"{name} must be real numbers, got {values!r}")
    if isinstance(values, (np.ndarray, np.generic)):
        if values.dtype.kind not in "biufcV":  # V: the floats of 8 and 16 bits that JAX adds to NumPy
            raise InvalidInput(f"{name} must be real numbers, got an array of {values.dtype}: try .astype(float)")
        # JAX knows the byte order of the machine only, and no long doubles
        values = values.astype(float) if values.dtype.itemsize > 8 and values.dtype.kind == "f" else values
        values = values if values.dtype.isnative else values.astype(values.dtype.newbyteorder("="))
        values = values.astype(float) if values.dtype.kind in "iu" else values
    try:
        known = isinstance(values, (float, np.ndarray, np.generic))
        # a copy: JAX goes on reading the memory that it is given
        array = as_array(np.array(values)) if known else jnp.asarray(values)
    except (TypeError, ValueError) as error:
        raise InvalidInput(f"{name} must be an array of numbers: {str(error).strip().splitlines()[0]}") from error
    except OverflowError as error:
        raise InvalidInput(f"{name} must fit in float64, which ends at 1.8e308: a whole number is larger") from error
    if jnp.issubdtype(array.dtype, jnp.complexfloating) or array.dtype == bool:
        raise InvalidInput(f"{name} must be real numbers, got {array.dtype}")
    if not jnp.issubdtype(array.dtype, jnp.floating):
        return jnp.asarray(array, float)
    # half precision has too few digits to integrate a flow; naming the dtype also drops JAX's weak typing of scalars
    return jnp.asarray(array, jnp.float32 if array.dtype.itemsize < 4 else array.dtype)


def _per_point(values: ArrayLike, name: str, x: Array) -> Array:
    """`values` as one finite number per point, in the precision of the points."""
    array = float_array(values, name).astype(x.dtype)
    if array.shape != (x.shape[0],):
        raise InvalidInput(f"{name} must have shape ({x.shape[0]},), one per point, got {array.shape}")
    check_finite(array, name)
    return array


def _representable(weights: ArrayLike, dtype: Any) -> Array:
    """`weights` divided by the largest one where they, or their sum, are too large or too small for their precision."""
    array = float_array(weights, "weights")
    if not is_concrete(array):
        return array
    w = np.asarray(array, np.float64)
    if not w.size or not np.all(np.isfinite(w)) or not np.all(w > 0) or (w.min() > TINY and w.max() < HUGE):
        return array
    shares = (w / w.max()).astype(dtype)
    if shares.min() < np.finfo(dtype).tiny * w.size:
        raise InvalidInput(
            f"weights from {w.min():.3g} to {w.max():.3g} cannot be held together in {dtype}: drop the smallest"
        )
    return as_array(shares)


def _positive(array: Array, name: str, advice: str) -> Array:
    if is_concrete(array) and not bool(np.all(np.asarray(array) > 0)):
        raise InvalidInput(f"{name} must be positive: {advice} and check the signs")
    return array


def is_whole(value: Any) -> bool:
    """Whether a value is a whole number.

    Args:
        value: Anything.

    Returns:
        `True` for integers of at most 64 bits, and for floats without a fraction.

    >>> is_whole(3), is_whole(3.0), is_whole(2.5), is_whole("3"), is_whole(True)
    (True, True, False, False, False)
    """
    if isinstance(value, bool) or not isinstance(value, (int, float, np.integer, np.floating)):
        return False
    return bool(-(2**64) < value < 2**64) and int(value) == value


def is_concrete(array: Array) -> bool:
    """Whether the numbers are known here and now: outside `jax.jit`, `vmap` and `grad`, and not on other hosts only.

    Args:
        array: An array of JAX or NumPy, perhaps traced.

    Returns:
        `True` if the values can be looked at.

    >>> import jax, jax.numpy as jnp
    >>> is_concrete(jnp.ones(2)), bool(jax.jit(lambda x: jnp.asarray(is_concrete(x)))(1.0))
    (True, False)
    """
    if isinstance(array, jax.core.Tracer):
        return False
    return not isinstance(array, jax.Array) or array.is_fully_addressable or array.is_fully_replicated


def check_finite(array: Array, name: str) -> None:
    """Raises `InvalidInput` if a number of `array` is NaN or infinite; passes if the numbers are not known.

    Args:
        array: An array of any shape, perhaps traced.
        name: What the error message calls it.

    Raises:
        InvalidInput: If an entry is NaN or infinite; the message says how many and where the first one is.

    >>> import jax.numpy as jnp
    >>> check_finite(jnp.array([1.0, jnp.nan]), "points")
    Traceback (most recent call last):
    tokenfield.errors.InvalidInput: points must be finite: 1 NaN or infinite entries, the first at (1,)
    """
    if not is_concrete(array):
        return
    bad = ~np.isfinite(np.asarray(array))
    if bad.any():
        first = tuple(int(i) for i in np.argwhere(bad)[0])
        raise InvalidInput(f"{name} must be finite: {int(bad.sum())} NaN or infinite entries, the first at {first}")


def _on_sphere(x: Array, sphere: Sphere) -> Array:
    if is_concrete(x):
        off = np.abs(np.linalg.norm(np.asarray(x, dtype=np.float64), axis=1) - 1)
        # float32 coordinates are themselves only good to 1e-7
        if off.max() > OFF_SPHERE:
            i = int(off.argmax())
            raise InvalidInput(
                f"point {i} is off the sphere: its norm differs from 1 by {off[i]:.3g} (at most {OFF_SPHERE:g}); "
                "divide points by their norms first"
            )
    return sphere.to_manifold(x)
