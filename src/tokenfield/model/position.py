"""Position: what a token sees of another because of where they stand in the sequence.

Each kind restricts, reweights or rotates; kinds combine. Tokens carry their positions in the `Measure`. Query i then
sees the measure mu_i proportional to b(p_i, p_j) w_j, and attention acts on mu_i: equal positions see each other.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

import equinox as eqx
import jax.numpy as jnp
import numpy as np
from jax import Array
from jax.typing import ArrayLike

from tokenfield._runtime.arguments import checked, shown
from tokenfield.errors import InvalidInput, did_you_mean
from tokenfield.measure import check_finite, float_array, is_concrete
from tokenfield.model.words import as_written
from tokenfield.sums import Band

PAIRINGS = ("adjacent", "halves")  # which coordinates RoPE turns together


class Position(eqx.Module):
    """One way in which positions matter: `Causal`, `Window`, `ALiBi` or `RoPE`.

    A kind of your own is a subclass with `bounds`, `slope` or `rotate`; by itself this class changes nothing.
    `is_isotropic` says that no coordinate is special, so that the flow still commutes with rotations.

    >>> from tokenfield import Causal, Softmax, Sphere, Transformer, Window
    >>> Transformer(Sphere(4), Softmax(1.0), position=[Causal(), Window(2.0)]).position
    (Causal(), Window(width=2))
    """

    is_isotropic: ClassVar[bool] = False

    def __repr__(self) -> str:
        return as_written(self)

    @property
    def title(self) -> str:
        """The name of the kind in figures."""
        return type(self).__name__

    @property
    def numbers(self) -> dict[str, list[float]]:
        """The parameters that titles of figures show, by letter, a value for each head or one for all."""
        return {}

    def bounds(self) -> tuple[float | None, float | None]:
        """Which differences of positions are seen.

        Returns:
            (a, b): query i sees key j only if a <= p_i - p_j <= b; `None` for no bound.
        """
        return None, None

    def slope(self, head: int | Array) -> Array | None:
        """The rate at which a head forgets with distance.

        Args:
            head: The number of the head.

        Returns:
            One number, or `None` if it does not forget.
        """
        return None

    def rotate(self, vectors: Array, positions: Array) -> Array:
        """Queries or keys as they look from their positions.

        Args:
            vectors: The queries or keys, shape (n, k).
            positions: Their positions, shape (n,).

        Returns:
            The rotated vectors, shape (n, k).
        """
        return vectors

    def check(self, heads: int, d_k: tuple[int, ...]) -> None:
        """Does nothing if this fits the heads of a model.

        Args:
            heads: The number of heads of the model.
            d_k: The dimension of the queries of each head.

        Raises:
            InvalidInput: If it does not fit.
        """


class Causal(Position):
    """A causal mask: a token sees itself and those before it, p_j <= p_i (arXiv 2411.04990).

    Args:
        strict: Whether a token sees only those before it; then the first one sees nothing and does not move. By default
            it also sees itself.

    >>> Causal().bounds()
    (0.0, None)
    """

    is_isotropic: ClassVar[bool] = True

    strict: bool = eqx.field(static=True, default=False)

    def __check_init__(self) -> None:
        if not isinstance(self.strict, (bool, np.bool_)):
            raise InvalidInput(f"Causal(strict) must be True or False, got {shown(self.strict)}")

    @property
    def title(self) -> str:
        return "strictly causal" if self.strict else "causal"

    def bounds(self) -> tuple[float | None, float | None]:
        # two different positions differ by more than the smallest normal number
        return (float(np.finfo(np.float32).tiny) if self.strict else 0.0), None


class Window(Position):
    """A window: a token sees those at a distance of at most `width`, |p_i - p_j| <= width.

    Together with `Causal` this is a sliding window.

    Args:
        width: How far a token sees, a number >= 0 in units of positions.

    Raises:
        InvalidInput: If the width is negative or no number.

    >>> Window(2).bounds()
    (-2.0, 2.0)
    """

    is_isotropic: ClassVar[bool] = True

    width: float = eqx.field(static=True)

    @property
    def title(self) -> str:
        return f"window-{self.width:g}"

    def __check_init__(self) -> None:
        if not (_is_number(self.width) and 0 <= self.width < np.inf):
            raise InvalidInput(f"Window(width) needs a number >= 0, got {self.width!r}")

    def bounds(self) -> tuple[float | None, float | None]:
        return -float(self.width), float(self.width)


class ALiBi(Position):
    """Weights that decay with distance: b = e^{-slope |p_i - p_j|}, that is, -slope |p_i - p_j| in the logits.

    With `Causal` it is the kernel of arXiv 2605.09213 for slope = lambda / N.

    Args:
        slopes: How fast weights decay per unit of position: one number >= 0, or one per head.

    Raises:
        InvalidInput: If a slope is negative or not finite.

    >>> float(ALiBi([0.5, 0.25]).slope(1))
    0.25
    """

    is_isotropic: ClassVar[bool] = True

    slopes: Array

    @property
    def numbers(self) -> dict[str, list[float]]:
        return {r"\mathrm{slope}": np.ravel(np.asarray(self.slopes, dtype=float)).tolist()}

    def __init__(self, slopes: ArrayLike):
        self.slopes = float_array(slopes, "slopes")
        check_finite(self.slopes, "slopes")
        if self.slopes.ndim > 1 or self.slopes.size == 0:
            raise InvalidInput(f"ALiBi needs one slope or one per head, got shape {self.slopes.shape}")
        if is_concrete(self.slopes) and bool(np.any(np.asarray(self.slopes) < 0)):
            raise InvalidInput("ALiBi slopes must not be negative: weights would grow with distance")

    def slope(self, head: int | Array) -> Array | None:
        return self.slopes if self.slopes.ndim == 0 else self.slopes[head]

    def check(self, heads: int, d_k: tuple[int, ...]) -> None:
        if self.slopes.ndim == 1 and self.slopes.shape[0] != heads:
            raise InvalidInput(f"ALiBi has {self.slopes.shape[0]} slopes for {heads} heads: give one, or one per head")


class RoPE(Position):
    """Rotary positions: logits <R_{p_i} Q x_i, R_{p_j} K x_j>, which depend on p_j - p_i only (arXiv 2104.09864).

    Pairs of coordinates of queries and keys rotate together; values are not rotated. The two pairings are the same up
    to the order of the coordinates.

    Args:
        frequencies: The angle per unit of position of each pair of coordinates, at most k/2 numbers. By default
            base^{-2m/r}, where r coordinates rotate.
        base: The base of the default frequencies, a positive number, by default 10,000.
        pairing: Which coordinates rotate together: "adjacent", 2m and 2m + 1 (the default), or "halves", m and m + r/2,
            as in the files of Llama and its kin.
        dims: The number r of coordinates that rotate, the first ones; the others stay as they are. By default twice the
            number of frequencies, and all where none are given.

    Raises:
        InvalidInput: If the base is not positive, the frequencies are no list of finite numbers, the pairing is
            unknown, or `dims` is no even number that fits the frequencies.

    >>> import jax.numpy as jnp
    >>> x, p = jnp.asarray([[1.0, 0.0]]), jnp.asarray([1.0])
    >>> RoPE([jnp.pi]).rotate(x, p).round(9).tolist()
    [[-1.0, 0.0]]
    """

    frequencies: Array | None
    base: float = eqx.field(static=True)
    pairing: str = eqx.field(static=True)
    dims: int | None = eqx.field(static=True)

    @checked
    def __init__(
        self,
        frequencies: ArrayLike | None = None,
        *,
        base: float = 10_000.0,
        pairing: str = "adjacent",
        dims: int | None = None,
    ):
        if not (_is_number(base) and 0 < base < np.inf):
            raise InvalidInput(f"RoPE needs a positive base, got {base!r}")
        if pairing not in PAIRINGS:
            known = " or ".join(repr(name) for name in PAIRINGS)
            raise InvalidInput(
                f"RoPE(pairing=...) must be {known}, got {pairing!r}{did_you_mean(str(pairing), PAIRINGS)}"
            )
        if not (dims is None or (isinstance(dims, int | np.integer) and dims > 0 and dims % 2 == 0)):
            raise InvalidInput(f"RoPE(dims=...) must be an even number of coordinates, got {dims!r}")
        self.base, self.pairing, self.dims = float(base), pairing, None if dims is None else int(dims)
        self.frequencies = None
        if frequencies is not None:
            self.frequencies = jnp.atleast_1d(float_array(frequencies, "frequencies"))
            check_finite(self.frequencies, "frequencies")
            if self.frequencies.ndim != 1 or self.frequencies.size == 0:
                raise InvalidInput(f"RoPE frequencies must be a list of numbers, got shape {self.frequencies.shape}")
            if dims not in (None, 2 * self.frequencies.size):
                raise InvalidInput(
                    f"RoPE has {self.frequencies.size} frequencies, each for two coordinates, but dims = {dims}"
                )

    def turned(self, k: int) -> int:
        """The number of coordinates that rotate.

        Args:
            k: The dimension of the queries.

        Returns:
            An even number.
        """
        return self.dims or (k if self.frequencies is None else 2 * self.frequencies.shape[0])

    def rotate(self, vectors: Array, positions: Array) -> Array:
        r = self.turned(vectors.shape[1])
        omega = self.base ** (-2 * jnp.arange(r // 2) / r) if self.frequencies is None else self.frequencies
        angles = positions[:, None] * omega.astype(vectors.dtype)
        cos, sin = jnp.cos(angles), jnp.sin(angles)
        # both pairings are an axis of length two next to one of pairs, in either order
        is_adjacent = self.pairing == "adjacent"
        pairs = vectors[:, :r].reshape(-1, *((r // 2, 2) if is_adjacent else (2, r // 2)))
        first, second = (pairs[:, :, i] if is_adjacent else pairs[:, i] for i in (0, 1))
        turned = [cos * first - sin * second, sin * first + cos * second]
        return jnp.concatenate([jnp.stack(turned, axis=2 if is_adjacent else 1).reshape(-1, r), vectors[:, r:]], axis=1)

    def check(self, heads: int, d_k: tuple[int, ...]) -> None:
        for k in d_k:
            r = self.turned(k)
            if r % 2:
                raise InvalidInput(f"RoPE rotates pairs of coordinates: queries need an even dimension, got {k}")
            if r > k:
                given = (
                    f"{r} coordinates"
                    if self.frequencies is None
                    else f"{r // 2} frequencies, each for two coordinates"
                )
                raise InvalidInput(f"RoPE has {given}, but queries have {k}")


class View(eqx.Module):
    """What queries at given positions see of keys at given positions, through all kinds together.

    Args:
        kinds: The ways in which positions matter.
        queries: The positions of the queries, shape (m,).
        keys: The positions of the keys, shape (n,).

    >>> import jax.numpy as jnp
    >>> from tokenfield import Causal, Window
    >>> view = View((Causal(), Window(2.0)), jnp.arange(3.0), jnp.arange(3.0))
    >>> float(view.band(0).nearest), float(view.band(0).farthest)
    (0.0, 2.0)
    """

    kinds: tuple[Position, ...]
    queries: Array
    keys: Array

    def rotate(self, vectors: Array, positions: Array) -> Array:
        """Queries or keys as they look from their positions.

        Args:
            vectors: The queries or keys, shape (n, k).
            positions: Their positions, shape (n,).

        Returns:
            The rotated vectors, shape (n, k).
        """
        for kind in self.kinds:
            vectors = kind.rotate(vectors, positions)
        return vectors

    def band(self, head: int | Array) -> Band | None:
        """The mask and the decay for one head.

        Args:
            head: The number of the head.

        Returns:
            The `Band`, or `None` if the head sees everything undiminished.
        """
        bounds = [kind.bounds() for kind in self.kinds]
        nearest = [low for low, _ in bounds if low is not None]
        farthest = [high for _, high in bounds if high is not None]
        slopes = [slope for kind in self.kinds if (slope := kind.slope(head)) is not None]
        if not (nearest or farthest or slopes):
            return None
        dtype = self.queries.dtype
        return Band(
            self.queries,
            self.keys,
            jnp.asarray(max(nearest), dtype) if nearest else None,
            jnp.asarray(min(farthest), dtype) if farthest else None,
            sum(slopes[1:], start=slopes[0]).astype(dtype) if slopes else None,
        )


def as_positions(position: Position | Sequence[Position] | None) -> tuple[Position, ...]:
    """A tuple of kinds, from what a `Transformer` was given.

    Args:
        position: `None`, one kind, or several of different classes.

    Returns:
        The kinds; empty for `None`.

    Raises:
        InvalidInput: If something else is among them, or a kind comes twice.

    >>> from tokenfield import Causal
    >>> as_positions(Causal())
    (Causal(),)
    """
    if position is None:
        return ()
    kinds = tuple(position) if isinstance(position, Sequence) and not isinstance(position, str) else (position,)
    for kind in kinds:
        if not isinstance(kind, Position):
            raise InvalidInput(f"a position must be Causal(), Window(w), ALiBi(slope) or RoPE(), got {kind!r}")
    if len({type(kind) for kind in kinds}) < len(kinds):
        raise InvalidInput("each kind of position can be given once")
    return kinds


def _is_number(value: object) -> bool:
    """Whether `value` is one real number, of Python or NumPy, and not a truth value."""
    return isinstance(value, int | float | np.integer | np.floating) and not isinstance(value, bool)
