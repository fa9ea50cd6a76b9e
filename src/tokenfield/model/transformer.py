"""`Transformer`: all that moves the tokens, as a velocity field in continuous depth and as a discrete layer.

The model holds no tokens and no options of the solver, but for one: `sums` may settle how its heads sum over tokens,
which a model otherwise chooses at each call. `velocity` is the right-hand side of the flow; `layer` is the same model
as one residual layer. Combinations that make no sense are refused when the model is built.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import equinox as eqx
import jax.numpy as jnp
from jax import Array
from jax.typing import ArrayLike

from tokenfield._runtime.arguments import checked, shown
from tokenfield.errors import InvalidInput
from tokenfield.geometry import Geometry
from tokenfield.measure import Measure
from tokenfield.model import rescaled, summing
from tokenfield.model.attention import Attention
from tokenfield.model.combinations import check_combination
from tokenfield.model.depth import InDepth
from tokenfield.model.multihead import MultiHead
from tokenfield.model.noise import Noise
from tokenfield.model.normalization import Normalization
from tokenfield.model.pairs import Pairs, TokenPairs
from tokenfield.model.parts import Head, TokenWise
from tokenfield.model.position import Position, View, as_positions
from tokenfield.model.projected import Projected
from tokenfield.model.schedule import Constant, Schedule
from tokenfield.model.sublayer import Part, Sublayer
from tokenfield.sums import Attended, Choice


class Transformer(InDepth):
    """A transformer as a velocity field: x_i' = P_{x_i} [sum_h O_h V_h A_h(x_i, mu) + ...] (arXiv 2312.10794).

    P_x is the projection to the tangent space of `geometry`, mu the measure of all tokens. The same model is a residual
    network: see `layer`.

    Args:
        geometry: Where tokens live: `Sphere(d)` or `Euclidean(d)`.
        parts: What moves them: an attention, a `Head`, a `Perceptron`, a `Potential`, a list of these, each
            `Sublayer` of a real block, or a `Schedule` of them in depth.
        Q: The query matrix (d_k, d) of a single attention, by default the identity; a `Head` has its own.
        K: The key matrix (d_k, d), likewise.
        V: The value matrix (d, d), likewise.
        position: One kind or several of `tokenfield.position`, such as `Causal()`; by default order does not matter.
        normalization: A scheme of `tokenfield.normalization`, on the sphere; by default none, which is the same as
            Post-LN.
        noise: A `Noise`; by default none.
        average: Whether heads are averaged; by default they are summed.
        relative: Whether heads see y - x instead of y; by default y.
        rescaled: In R^d, whether tokens are z_i = e^{-tV} x_i (arXiv 2305.05465), integrated in z itself; by default x.
        memory: What sublayers with cross-attention look at, a measure of the same dimension; by default nothing.
        sums: How each head sums over tokens, see `tokenfield.sums.choose`; `solve` chooses by itself.

    Raises:
        InvalidInput: If an argument is not what it should be, or a matrix does not fit the dimension.
        Unsupported: If the parts make no sense together; the message says why.

    >>> from tokenfield import Softmax, Sphere
    >>> model = Transformer(Sphere(3), Softmax(beta=9.0))
    >>> model.velocity(0.0, jnp.eye(3), Measure(jnp.eye(3))).shape
    (3, 3)
    """

    geometry: Geometry
    schedule: Schedule
    position: tuple[Position, ...]
    normalization: Normalization | None
    noise: Noise | None
    memory: Measure | None
    average: bool = eqx.field(static=True)
    relative: bool = eqx.field(static=True)
    rescaled: bool = eqx.field(static=True)
    sums: tuple[Choice, ...] | None = eqx.field(static=True)

    @checked
    def __init__(
        self,
        geometry: Geometry,
        parts: Attention | Part | MultiHead | Sequence[Attention | Part | MultiHead] | Schedule,
        *,
        Q: ArrayLike | None = None,
        K: ArrayLike | None = None,
        V: ArrayLike | None = None,
        position: Position | Sequence[Position] | None = None,
        normalization: Normalization | None = None,
        noise: Noise | None = None,
        average: bool = False,
        relative: bool = False,
        rescaled: bool = False,
        memory: Measure | None = None,
        sums: tuple[Choice, ...] | None = None,
    ):
        if isinstance(parts, Attention):
            parts = Head(parts, Q=Q, K=K, V=V)
        elif not (Q is None and K is None and V is None):
            raise InvalidInput("Q, K, V go with a single attention; give each Head its own matrices instead")
        self.geometry = geometry
        self.schedule = parts if isinstance(parts, Schedule) else Constant(parts)
        self.position = as_positions(position)
        self.normalization, self.noise, self.memory = normalization, noise, memory
        self.average, self.relative, self.rescaled = bool(average), bool(relative), bool(rescaled)
        self.sums = sums
        check_combination(self)

    def __repr__(self) -> str:
        said = [repr(self.geometry), repr(self.schedule)]
        if self.position:
            said.append(f"position={self.position[0] if len(self.position) == 1 else list(self.position)}")
        for name in ("normalization", "noise"):
            said += [] if getattr(self, name) is None else [f"{name}={getattr(self, name)!r}"]
        said += [f"{name}=True" for name in ("average", "relative", "rescaled") if getattr(self, name)]
        return f"Transformer({', '.join(said)})"

    def attended(
        self, t: Array | float, x: Array, mu: Measure, *, positions: Array | None = None
    ) -> tuple[Attended, ...]:
        """For each head, the log of the weights' total and the mean at the rows of `x`: one O(n^2) pass.

        Args:
            t: The time, that is, the depth.
            x: The points at which the field is asked for, shape (m, d).
            mu: The measure that the field comes from, of n tokens.
            positions: The positions of the rows of `x`, shape (m,); by default those of `mu`.

        Returns:
            For each head `log_sum` (m,) and `mean` (m, d).
        """
        values = self.read(t, mu)
        projected = self.projected(t, x, mu, positions=positions)
        return tuple(head.attention.attend(p, values.points) for head, p in zip(self.heads(t), projected, strict=True))

    def projected(
        self, t: Array | float, x: Array, mu: Measure, *, positions: Array | None = None
    ) -> tuple[Projected, ...]:
        """For each head, the queries, keys and weights that its attention sees.

        Args:
            t: The time, that is, the depth.
            x: The points at which the field is asked for, shape (m, d).
            mu: The measure that the field comes from, of n tokens.
            positions: The positions of the rows of `x`, shape (m,); by default those of `mu`.

        Returns:
            One `Projected` for each head.
        """
        view = self._view(x, mu, positions)
        if self.rescaled:
            return rescaled.projected(self.heads(t), t, x, mu, view, average=self.average)
        read = self.read(t, mu)
        # the same object again where it is the same, so that queries are not computed twice
        seen_from = read.points if x is mu.points else self._read(t, x)
        heads = self.heads(t)
        projected = (head.project(seen_from, read, view, i) for i, head in enumerate(heads))
        choices = summing.settled(self, heads) or summing.choices(self, x.shape[0], mu.n, dtype=x.dtype, heads=[heads])
        return tuple(
            p._replace(sphere=summing.on_sphere(self, head, choice, x, mu, view))
            for head, p, choice in zip(heads, projected, choices, strict=True)
        )

    @checked
    def pairs(self, t: Array | float, mu: Measure) -> tuple[Pairs, ...]:
        """All pairs of tokens of `mu`, as each head sees them: what energies are integrals over.

        Args:
            t: The time, that is, the depth.
            mu: The tokens.

        Returns:
            The pairs of each head.
        """
        return tuple(TokenPairs(p, mu.weights) for p in self.projected(t, mu.points, mu))

    def with_sums(self, sums: tuple[Choice, ...] | None) -> Transformer:
        """The same model with the way to sum settled for each head.

        Results do not depend on it: a fast sum that was settled for smaller weights notices, and sums directly. Where
        the numbers of the model can be seen, this warns with `SlowSums`. A model that is an argument of compiled code
        sums fast up to |u| = beta |K^T Q x| of about 1000 on the circle and 200 on S^2, and warns with `SlowSums` when
        it meets longer ones (not where JAX keeps compiled programs between runs: it keeps none that may call back).
        For these settle `tokenfield.sums.choose(n, n, d, reach=...)` before compiling: that reaches 10^6 and 800.

        Args:
            sums: A `tokenfield.sums.Choice` for each head; `None`: chosen at each call.

        Returns:
            The other model.

        Raises:
            InvalidInput: If `sums` are no choices.
        """
        if sums is not None and not (isinstance(sums, tuple) and all(isinstance(one, Choice) for one in sums)):
            raise InvalidInput(f"with_sums takes a tuple of sums.choose(...), one for each head, got {shown(sums)}")
        return Transformer(
            self.geometry,
            self.schedule,
            position=self.position,
            normalization=self.normalization,
            noise=self.noise,
            average=self.average,
            relative=self.relative,
            rescaled=self.rescaled,
            memory=self.memory,
            sums=sums,
        )

    def with_memory(self, memory: Measure) -> Transformer:
        """The same model with a measure for its cross-attention to look at.

        Args:
            memory: The measure, such as the tokens where an encoder left them.

        Returns:
            The other model.

        Raises:
            InvalidInput: If it is no measure of the same dimension.
            Unsupported: If no sublayer of the model looks at another measure.
        """
        return Transformer(
            self.geometry, self.schedule, position=self.position, noise=self.noise, memory=memory, sums=self.sums
        )

    def _view(self, x: Array, mu: Measure, positions: Array | None) -> View | None:
        if not self.position:
            return None
        if positions is None:
            if x.shape[0] != mu.n:
                raise InvalidInput("this model depends on positions: give the positions of the rows of x")
            positions = mu.positions
        return View(self.position, positions, mu.positions)

    def read(self, t: Array | float, mu: Measure) -> Measure:
        """The measure that attention sees: the tokens, scaled by the gain of the normalization if there is one.

        Args:
            t: The time, that is, the depth.
            mu: The tokens.

        Returns:
            The measure; `mu` itself without a gain.
        """
        read = self._read(t, mu.points)
        return mu if read is mu.points else mu.at(read)

    def _read(self, t: Array | float, x: Array) -> Array:
        return x if self.normalization is None else self.normalization.read(t, x)

    @checked
    def field(self, t: Array | float, x: Array, mu: Measure, *, positions: Array | None = None) -> Array:
        """The vectors added at the rows of `x`, not projected to the tangent space nor slowed down.

        Args:
            t: The time, that is, the depth.
            x: The points at which the field is asked for, shape (m, d).
            mu: The measure that the field comes from, of n tokens.
            positions: The positions of the rows of `x`, shape (m,); by default those of `mu`.

        Returns:
            The vectors, shape (m, d).
        """
        vectors = self._vectors(t, x, mu, positions)
        return sum(vectors[1:], start=vectors[0])

    def _vectors(self, t: Array | float, x: Array, mu: Measure, positions: Array | None = None) -> list[Array]:
        """What each sublayer adds at the rows of `x`."""
        return [sublayer(x, mu, positions) for sublayer in self._sublayers(t)] or [jnp.zeros_like(x)]

    def _sublayers(self, t: Array | float) -> list[Callable[[Array, Measure, Array | None], Array]]:
        """The functions that give what is added: all heads together, then each perceptron, potential or sublayer."""

        def attention(x: Array, mu: Measure, positions: Array | None) -> Array:
            return self._write(t, self.attention_vectors(t, x, self.attended(t, x, mu, positions=positions)))

        def alone(part: TokenWise) -> Callable[[Array, Measure, Array | None], Array]:
            return lambda x, mu, positions: self._write(t, part(self._read(t, x)))

        def block(part: Sublayer) -> Callable[[Array, Measure, Array | None], Array]:
            return lambda x, mu, positions: part.added(x, mu, self._view(x, mu, positions), self.memory)

        bare = [attention] * bool(self.heads(t)) + [alone(part) for part in self.token_wise(t)]
        return bare + [block(part) for part in self.sublayers(t)]

    def _write(self, t: Array | float, A: Array) -> Array:
        return A if self.normalization is None else self.normalization.write(t, A)

    def attention_vectors(self, t: Array | float, x: Array, attended: tuple[Attended, ...]) -> Array:
        """What the heads add, from what `Transformer.attended` returned.

        Args:
            t: The time, that is, the depth.
            x: The points at which it was asked for, shape (m, d).
            attended: What `Transformer.attended` returned there.

        Returns:
            The vectors, shape (m, d).
        """
        heads = self.heads(t)
        base = x if self.rescaled else self._read(t, x) if self.relative else None
        mass = 1.0 if self.rescaled else None  # V z is taken off once, whatever weights add up to
        vectors = [head.vector(a, base, mass=mass) for head, a in zip(heads, attended, strict=True)]
        total = sum(vectors[1:], start=vectors[0])
        return total / len(heads) if self.average else total

    @checked
    def velocity(
        self,
        t: Array | float,
        x: Array,
        mu: Measure,
        *,
        positions: Array | None = None,
        radii: Array | None = None,
    ) -> Array:
        """The velocity of tokens at the rows of `x` in the measure `mu`: the right-hand side of the flow.

        With a normalization it is the velocity of their directions.

        Args:
            t: The time, that is, the depth.
            x: The points at which the field is asked for, shape (m, d).
            mu: The measure that the field comes from, of n tokens.
            positions: The positions of the rows of `x`, shape (m,); by default those of `mu`.
            radii: The lengths of the rows of `x`, shape (m,), with a normalization that changes them; by default those
                of `mu`, and 1 where it has none.

        Returns:
            The velocities, shape (m, d), tangent to the geometry.

        Raises:
            InvalidInput: If positions matter and those of `x` are not known.
        """
        if self.normalization is None:
            return self.geometry.project(x, self.field(t, x, mu, positions=positions))
        return self.motion(t, x, mu, positions=positions, radii=radii)[0]

    def motion(
        self,
        t: Array | float,
        x: Array,
        mu: Measure,
        *,
        positions: Array | None = None,
        radii: Array | None = None,
    ) -> tuple[Array, Array]:
        """(theta', r'): how directions and radii move.

        Args:
            t: The time, that is, the depth.
            x: The points at which the field is asked for, shape (m, d).
            mu: The measure that the field comes from, of n tokens.
            positions: The positions of the rows of `x`, shape (m,); by default those of `mu`.
            radii: The lengths of the rows of `x`, shape (m,), with a normalization that changes them; by default those
                of `mu`, and 1 where it has none.

        Returns:
            The velocities of the directions, (m, d), and the rates of the radii, (m,), which are 0 without a
            normalization.

        >>> from tokenfield import PreLN, Softmax, Sphere
        >>> model = Transformer(Sphere(2), Softmax(beta=1.0), normalization=PreLN())
        >>> mu = Measure(jnp.eye(2), radii=[1.0, 2.0])
        >>> [rates.round(3).tolist() for rates in model.motion(0.0, mu.points, mu)]
        [[[0.0, 0.269], [0.134, 0.0]], [0.731, 0.731]]
        """
        if self.normalization is None:
            return self.velocity(t, x, mu, positions=positions), jnp.zeros_like(x[:, 0])
        scheme, r = self.normalization, _radii(x, mu, radii)[:, None]
        vectors = self._vectors(t, x, mu, positions)
        turns = [self.geometry.project(x, A) / scheme.speed(t, r, A) for A in vectors]
        growths = [scheme.growth(t, x, A) for A in vectors]
        return sum(turns[1:], start=turns[0]), sum(growths[1:], start=growths[0])[:, 0]

    @checked
    def layer(self, t: Array | float, mu: Measure, *, step: Array | float, kick: Array | None = None) -> Measure:
        """The measure after one residual layer: attention, then each perceptron, each added and normalized in turn.

        Without a normalization on the sphere this is Post-LN.

        Args:
            t: The time at the start of the layer.
            mu: The tokens before it.
            step: The length of the layer in units of time.
            kick: What noise adds to the tokens before anything else, shape (n, d) or (1, d); by default nothing.

        Returns:
            The tokens after the layer, with the same weights.

        >>> from tokenfield import Softmax, Sphere
        >>> model = Transformer(Sphere(2), Softmax(beta=1.0))
        >>> model.layer(0.0, Measure(jnp.eye(2)), step=0.5).points.round(3).tolist()
        [[0.995, 0.098], [0.098, 0.995]]
        """
        if kick is not None:
            mu = mu.at(self.geometry.exp(mu.points, self.geometry.project(mu.points, kick)), mu.radii)
        return self.sublayer_measures(t, mu, step=step)[-1]

    @checked
    def sublayer_measures(self, t: Array | float, mu: Measure, *, step: Array | float) -> list[Measure]:
        """The measures before one residual layer and after each of its sublayers in turn.

        Args:
            t: The time at the start of the layer.
            mu: The tokens before it.
            step: The length of the layer in units of time.

        Returns:
            The measures: `mu`, then one for all bare heads together, each perceptron, potential or `Sublayer`.
        """
        found = [mu]
        for sublayer in self._sublayers(t):
            x = mu.points
            A = sublayer(x, mu, None)
            if self.normalization is not None:
                theta, r = self.normalization.layer(t, x, _radii(x, mu, None)[:, None], A, step)
                mu = mu.at(theta, r[:, 0] if self.has_radius else mu.radii)
            else:
                mu = mu.at(self.geometry.retract(x, step * A))
            found.append(mu)
        return found

    @checked
    def attention_matrices(self, t: Array | float, mu: Measure) -> Array:
        """The matrices w_j a(x_i, x_j) of the tokens among themselves, formed as a whole.

        Args:
            t: The time, that is, the depth.
            mu: The tokens, a few thousand at most.

        Returns:
            A matrix for each head, shape (h, n, n); rows sum to one for averages. All sublayers see the tokens `mu`.

        >>> from tokenfield import Softmax, Sphere
        >>> model = Transformer(Sphere(2), Softmax(beta=1.0))
        >>> model.attention_matrices(0.0, Measure(jnp.eye(2))).round(3).tolist()
        [[[0.731, 0.269], [0.269, 0.731]]]
        """
        if blocks := [part for part in self.sublayers(t) if part.attends]:
            view = self._view(mu.points, mu, None)
            return jnp.concatenate([part.matrices(mu, view, self.memory) for part in blocks])
        projected = self.projected(t, mu.points, mu)
        return jnp.stack([head.attention.matrix(p) for head, p in zip(self.heads(t), projected, strict=True)])


def _radii(x: Array, mu: Measure, radii: Array | None) -> Array:
    if radii is not None:
        return radii
    return mu.radii if mu.radii is not None and mu.n == x.shape[0] else jnp.ones_like(x[:, 0])
