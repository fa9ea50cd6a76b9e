"""One layer of a real model repeated: where tokens end, and whether they rest, come back, drift or wander.

What is looked at are directions x / |x|. An encoder normalizes after each sum, so time is counted in repetitions. A
model that normalizes before its sublayers adds vectors that do not depend on |x|; tokens grow like the number l of
repetitions, and repetition l turns them by about 1 / l. Its time is log l. So that this time can become long, tokens
are kept at the size that they have after `GROWN` repetitions: from then on each one stands for a depth that is larger
by 1 / GROWN.
"""

from __future__ import annotations

from typing import NamedTuple

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jax import Array

from tokenfield.geometry import Sphere
from tokenfield.measure import Measure
from tokenfield.model.transformer import Transformer
from tokenfield.observables import clusters
from tokenfield.pretrained.batch import Batch

ONE_POINT, CLUSTERS, CYCLE, DRIFT, WANDERING = FATES = ("one point", "clusters", "cycle", "drift", "wandering")
WHOLE, ATTENTION, PERCEPTRON = WHICH = ("whole layer", "attention alone", "perceptron alone")
GROWN = 20  # repetitions; the vectors that are added are then a twentieth of the tokens, and the layer nearly a flow
ANGLE = 0.1  # of two tokens of one cluster, in radians
TOGETHER = 0.999  # mean cosine of tokens at one point
SLOW = 1e-5  # radians per unit of time: float32 cannot tell this from rest
RETURN = 1e-3  # radians: a state that comes so near to an earlier one, twice in equal times, has come back


class Repeated(NamedTuple):
    """What one layer, repeated, does to one sentence; curves have an entry for each repetition."""

    points: np.ndarray  # where the tokens end, (n, d)
    durations: np.ndarray  # of each repetition: 1, or the growth of log l
    speeds: np.ndarray  # by how much directions turn in a unit of time, root mean square in radians
    cosines: np.ndarray  # mean cosine of two tokens
    stretch: np.ndarray  # log of the factor by which the layer makes tokens longer, in a unit of time
    returns: (
        np.ndarray
    )  # distances to the state after three quarters of the repetitions, in radians; of the last quarter
    growth: np.ndarray  # log of the factor by which a small difference grows in a unit of time; of the last half

    @property
    def exponent(self) -> float:
        """The largest Lyapunov exponent; the difference has a quarter of its time to turn to where it grows most."""
        return float(np.mean(self.growth[len(self.growth) // 4 :]))

    @property
    def span(self) -> float:
        """The time over which the exponent is the mean."""
        return float(np.sum(self.durations[len(self.durations) - 3 * len(self.growth) // 4 :]))

    @property
    def left(self) -> float:
        """How far tokens still have to go, in radians, if they slow down as they did over the last half."""
        tenth, middle = len(self.speeds) // 10, len(self.speeds) // 2
        early, late = np.mean(self.speeds[middle : middle + tenth]), np.mean(self.speeds[-tenth:])
        if late < SLOW:
            return 0.0
        time = np.sum(self.durations[middle : len(self.speeds) - tenth])
        return float(late * time / np.log(early / late)) if early > late else np.inf

    @property
    def period(self) -> int:
        """After how many repetitions tokens are back, also after twice as many; 0 if they do not come back."""
        back = self.returns < RETURN
        away = np.maximum.accumulate(self.returns) > 10 * RETURN  # they have left before they come back
        times = [p for p in range(1, len(back) // 2 + 1) if back[p - 1] and back[2 * p - 1] and away[p - 1]]
        return times[0] if times else 0

    @property
    def is_together(self) -> bool:
        """Whether all tokens are at one point, which may still move."""
        return bool(self.cosines[-1] > TOGETHER)

    @property
    def fate(self) -> str:
        """One of `FATES`."""
        if self.left < ANGLE:  # what is left is less than two tokens of one cluster may differ by
            return ONE_POINT if len(self.cluster_sizes) == 1 else CLUSTERS
        if self.period:
            return CYCLE
        # a difference that neither grows nor shrinks may still change by a factor of about e^2 while it turns
        return WANDERING if self.exponent * self.span > 2 else DRIFT

    @property
    def labels(self) -> np.ndarray:
        """The cluster of each token, 0 for the largest."""
        return self._clusters.labels

    @property
    def cluster_sizes(self) -> tuple[int, ...]:
        """How many tokens each cluster has, largest first."""
        return tuple(int(size) for size in self._clusters.sizes)

    @property
    def _clusters(self):
        unit = self.points / np.linalg.norm(self.points, axis=1, keepdims=True)
        return clusters(Measure(unit), Sphere(unit.shape[1]), delta=ANGLE)


def repeat(
    layer: Transformer,
    batch: Batch,
    times: int,
    *,
    which: str = WHOLE,
    grows: bool = False,
    hold: bool = False,
    with_growth: bool = True,
) -> list[Repeated]:
    """What `times` repetitions of a layer, or of one of its two sublayers, do to each sentence.

    With `grows` the layer normalizes before its sublayers: time is the logarithm of depth. With `hold` tokens are
    brought back to their first size after each repetition, as no model does. The growth of small differences is half of
    the work: without it there is no exponent, and no fate.
    """
    acting = layer if which == WHOLE else layer.only(heads=which == ATTENTION)
    points, *curves = map(np.asarray, _repeat(acting, batch, times, grows, jnp.asarray(hold), with_growth))
    depth = np.minimum(np.arange(1, times + 1), GROWN)
    durations = np.log1p(1 / depth) if grows else np.ones(times)
    speeds, cosines, stretch, returns, growth = curves
    return [
        Repeated(
            points[i, :length],
            durations,
            speeds[i] / durations,
            cosines[i],
            stretch[i] / durations,
            returns[i],
            growth[i] / durations[-len(growth[i]) :],
        )
        for i, length in enumerate(batch.lengths)
    ]


@eqx.filter_jit
def _repeat(
    layer: Transformer, batch: Batch, times: int, grows: bool, hold: Array, with_growth: bool
) -> tuple[Array, ...]:
    """Of all sentences the final points and the curves of `Repeated`, per repetition.

    Held or not is one program: to compile it takes as long as it runs.
    """
    half, quarter = times // 2, times // 4

    def one(x: Array, w: Array) -> tuple[Array, ...]:
        is_there = (w > 0)[:, None]
        count = jnp.sum(w)

        def size(a: Array) -> Array:
            return jnp.linalg.norm(jnp.where(is_there, a, 0.0))

        def directions(a: Array) -> Array:
            return jnp.where(is_there, a / jnp.linalg.norm(a, axis=1, keepdims=True), 0.0)

        def apart(a: Array, b: Array) -> Array:
            return jnp.linalg.norm(a - b) / jnp.sqrt(count)

        first = size(x)

        def step(x: Array, i: Array) -> tuple[Array, Array]:
            """The next tokens, and the log of the factor by which the layer itself made them longer."""
            y = layer.layer(0.0, Measure(x, w), step=1.0).points
            stretch = jnp.log(size(y) / size(x))
            factor = jnp.where(i + 1 < GROWN, 1.0, GROWN / (GROWN + 1)) if grows else 1.0
            return y * jnp.where(hold, first / size(y), factor), stretch

        def seen(x: Array, y: Array, stretch: Array) -> tuple[Array, ...]:
            after = directions(y)
            mean = jnp.sum(after, axis=0)
            cosine = (mean @ mean - count) / (count * (count - 1))
            return apart(after, directions(x)), cosine, stretch

        def plain(x: Array, i: Array) -> tuple[Array, tuple[Array, ...]]:
            y, stretch = step(x, i)
            return y, seen(x, y, stretch)

        def with_tangent(carried: tuple[Array, ...], i: Array) -> tuple[tuple[Array, ...], tuple[Array, ...]]:
            x, v, reference = carried
            if with_growth:
                y, dy, stretch = jax.jvp(lambda x: step(x, i), (x,), (v,), has_aux=True)
            else:
                (y, stretch), dy = step(x, i), jnp.full_like(v, jnp.nan)
            reference = jnp.where(i == times - quarter, directions(x), reference)
            growth = jnp.log(size(dy) / size(v)) - jnp.log(size(y) / size(x))
            return (y, dy / size(dy), reference), (*seen(x, y, stretch), apart(directions(y), reference), growth)

        x, early = jax.lax.scan(plain, x, jnp.arange(half))
        v = jnp.where(is_there, jax.random.normal(jax.random.key(0), x.shape, x.dtype), 0.0)
        (end, _, _), late = jax.lax.scan(with_tangent, (x, v, directions(x)), jnp.arange(half, times))
        curves = [jnp.concatenate(pair) for pair in zip(early, late, strict=False)]
        return end, *curves, late[-2][-quarter:], late[-1]

    return jax.vmap(one)(batch.points, batch.weights)
