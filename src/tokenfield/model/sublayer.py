"""`Sublayer`: one step of a real block, x <- after(x + inside(then(part(before(x))))), with norms where one wants.

Pre-LN has its norm `before`, Post-LN `after`, sandwich and Peri-LN norms `before` and `inside`. A layer is either made
of sublayers, which act in turn, or of bare heads and perceptrons; `schedule.as_parts` sees to that.
"""

from __future__ import annotations

from collections.abc import Sequence

import equinox as eqx
import jax.numpy as jnp
from jax import Array

from tokenfield.errors import InvalidInput
from tokenfield.measure import Measure
from tokenfield.model.attention import Attention
from tokenfield.model.multihead import MultiHead
from tokenfield.model.norms import Norm
from tokenfield.model.parts import Head, TokenWise
from tokenfield.model.position import View


class Sublayer(eqx.Module):
    """One sublayer of a real block: x <- F(x) = after(x + inside(then(part(before(x))))).

    What is not given is left out. Attention reads all tokens through `before`. As a layer of length h the sublayer is
    x <- x + h (F(x) - x), so that h = 1 is the network, and h -> 0 the flow x' = F(x) - x; without `after` this is what
    the part adds. With `then` this is the perceptron composed with attention, MLP(V sum_j p_ij x_j): after the heads
    are summed or averaged, or of each head before that.

    Args:
        part: A `MultiHead`, a `Head` or an attention, several heads, or a `Perceptron`.
        before: A norm of what the part reads, such as `LayerNorm()` or `RMSNorm()`, as in Pre-LN; by default none.
        then: A perceptron that acts on what the part gives; or a list with one for each of several heads, which act
            before heads are summed or averaged. By default none.
        inside: A norm of what is added; by default none.
        after: A norm of the sum, as in Post-LN; by default none.
        average: Whether several heads are averaged; by default they are summed.
        crosses: Whether attention looks at the `memory` of the model instead of at the tokens themselves
            (cross-attention); positions do not matter then. By default it looks at the tokens.

    Raises:
        InvalidInput: If an argument is not what it should be.

    >>> from tokenfield import LayerNorm, Perceptron, Softmax
    >>> mlp = Perceptron(activation="identity")
    >>> block = Sublayer(Softmax(1.0), before=LayerNorm(), then=mlp)
    >>> block.attends, len(block.perceptrons)
    (True, 1)
    """

    parts: tuple[Head, ...] | tuple[MultiHead] | tuple[TokenWise]
    before: Norm | None
    then: TokenWise | tuple[TokenWise, ...] | None
    inside: Norm | None
    after: Norm | None
    average: bool = eqx.field(static=True)
    crosses: bool = eqx.field(static=True)

    def __init__(
        self,
        part: Attention | Head | MultiHead | TokenWise | Sequence[Attention | Head],
        *,
        before: Norm | None = None,
        then: TokenWise | Sequence[TokenWise] | None = None,
        inside: Norm | None = None,
        after: Norm | None = None,
        average: bool = False,
        crosses: bool = False,
    ):
        self.parts = _parts(part)
        for name, norm in (("before", before), ("inside", inside), ("after", after)):
            if not (norm is None or isinstance(norm, Norm)):
                raise InvalidInput(f"{name} must be a norm such as LayerNorm() or RMSNorm(), got {norm!r}")
        if crosses and not self.attends:
            raise InvalidInput("only attention looks at another measure: crosses=True needs heads")
        self.before, self.inside, self.after = before, inside, after
        self.then = _then(then, self.parts)
        self.average, self.crosses = bool(average), bool(crosses)

    def __repr__(self) -> str:
        said = [repr(self.parts[0]) if len(self.parts) == 1 else repr(list(self.parts))]
        for name in ("before", "then", "inside", "after"):
            value = getattr(self, name)
            said += [] if value is None else [f"{name}={list(value) if isinstance(value, tuple) else value!r}"]
        said += [f"{name}=True" for name in ("average", "crosses") if getattr(self, name)]
        return f"Sublayer({', '.join(said)})"

    @property
    def attends(self) -> bool:
        """Whether this is attention."""
        return isinstance(self.parts[0], Head | MultiHead)

    @property
    def heads(self) -> tuple[tuple[int, int | None], ...]:
        """For each head its number among those of the sublayer and the dimension of its queries; none without."""
        (first, *_) = self.parts
        if isinstance(first, MultiHead):
            return tuple((i, first.d_k) for i in range(first.count))
        return tuple((i, part.d_k) for i, part in enumerate(self.parts) if isinstance(part, Head))

    @property
    def attentions(self) -> tuple[Attention, ...]:
        """The kind of attention of each head; none for a perceptron."""
        (first, *_) = self.parts
        if isinstance(first, MultiHead):
            return (first.attention,) * first.count
        return tuple(part.attention for part in self.parts if isinstance(part, Head))

    @property
    def attention(self) -> Attention | None:
        """The kind of attention of its first head; `None` for a perceptron."""
        (first, *_) = self.parts
        return first.attention if isinstance(first, Head | MultiHead) else None

    def check_dimension(self, d: int) -> None:
        """Does nothing if the sublayer acts on R^d.

        Args:
            d: The dimension of the tokens.

        Raises:
            InvalidInput: If something has another shape; the message says what.
        """
        heads = self.parts if self.attends else ()
        for part in (*heads, *self.perceptrons, self.before, self.inside, self.after):
            if part is not None:
                part.check_dimension(d)

    @property
    def perceptrons(self) -> tuple[TokenWise, ...]:
        """What acts on single vectors: the part itself, if it is no attention, and what follows it."""
        alone = tuple(part for part in self.parts if isinstance(part, TokenWise))
        return alone + (self.then if isinstance(self.then, tuple) else () if self.then is None else (self.then,))

    def added(self, x: Array, mu: Measure, view: View | None = None, memory: Measure | None = None) -> Array:
        """The vectors F(x) - x that the sublayer adds at the rows of `x`.

        Args:
            x: The points, shape (m, d).
            mu: The tokens, a measure of n points.
            view: What positions hide and turn; by default nothing.
            memory: What cross-attention looks at.

        Returns:
            The vectors, shape (m, d).

        Raises:
            InvalidInput: If cross-attention has no memory to look at.
        """
        read = _read(self.before, x)
        if not self.attends:
            (part,) = self.parts
            out = part(read)  # type: ignore[call-arg]
        else:
            out = self._attention(read, *self._seen(x, read, mu, view, memory))
        out = self.then(out) if isinstance(self.then, TokenWise) else out  # those of heads have acted
        out = out if self.inside is None else self.inside(out)
        return out if self.after is None else self.after(x + out) - x

    def matrices(self, mu: Measure, view: View | None = None, memory: Measure | None = None) -> Array:
        """The matrices w_j a(x_i, x_j) of its heads, formed as a whole.

        Args:
            mu: The tokens, a few thousand at most.
            view: What positions hide and turn; by default nothing.
            memory: What cross-attention looks at.

        Returns:
            A matrix for each head, shape (h, n, n), or (h, n, m) for attention to a memory of m tokens.
        """
        read = _read(self.before, mu.points)
        seen, view = self._seen(mu.points, read, mu, view, memory)
        (first, *_) = self.parts
        if isinstance(first, MultiHead):
            return first.matrices(read, seen, view)
        heads = [part for part in self.parts if isinstance(part, Head)]
        return jnp.stack([head.attention.matrix(head.project(read, seen, view, i)) for i, head in enumerate(heads)])

    def _seen(
        self, x: Array, read: Array, mu: Measure, view: View | None, memory: Measure | None
    ) -> tuple[Measure, View | None]:
        """The measure that attention looks at, and what positions hide of it."""
        if self.crosses:
            if memory is None:
                raise InvalidInput(
                    "cross-attention needs a measure to look at: model.with_memory(measure), "
                    "or solve((encoder, decoder), (source, target), ...)"
                )
            return memory, None
        # the same object where it is the same, so that queries are not computed twice
        return mu.at(read if x is mu.points else _read(self.before, mu.points)), view

    def _attention(self, read: Array, seen: Measure, view: View | None) -> Array:
        (first, *_) = self.parts
        if isinstance(first, MultiHead):
            return first(read, seen, view)
        heads = [part for part in self.parts if isinstance(part, Head)]
        vectors = [head.vector(head.attend(read, seen, view, i)) for i, head in enumerate(heads)]
        if isinstance(self.then, tuple):
            vectors = [then(vector) for then, vector in zip(self.then, vectors, strict=True)]
        total = sum(vectors[1:], start=vectors[0])
        return total / len(heads) if self.average else total


Part = Head | TokenWise | Sublayer


def _read(norm: Norm | None, x: Array) -> Array:
    return x if norm is None else norm(x)


def _then(then: object, parts: tuple) -> TokenWise | tuple[TokenWise, ...] | None:
    """What follows the parts, from what a user may write."""
    if then is None or isinstance(then, TokenWise):
        return then
    each = tuple(then) if isinstance(then, list | tuple) else ()
    if not each or not all(isinstance(one, TokenWise) for one in each):
        raise InvalidInput(f"then must be a Perceptron, or a list with one for each head, got {then!r}")
    if not isinstance(parts[0], Head) or len(each) != len(parts):
        raise InvalidInput(f"{len(each)} perceptrons, one for each head, need a list of {len(each)} heads")
    return each


def _parts(part: object) -> tuple:
    """The parts of one sublayer, from what a user may write."""
    if isinstance(part, MultiHead | TokenWise):
        return (part,)
    several = part if isinstance(part, list | tuple) else [part]
    heads = tuple(Head(one) if isinstance(one, Attention) else one for one in several)
    if not heads or not all(isinstance(head, Head) for head in heads):
        raise InvalidInput(f"a sublayer needs a MultiHead, a Head, several heads or a Perceptron, got {part!r}")
    return heads
