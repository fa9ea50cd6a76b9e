"""`Trajectory`: what `solve` returns. Times, tokens, observables, and how the flow ended."""

from __future__ import annotations

import html
import importlib
import inspect
from collections.abc import Callable, Hashable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import equinox as eqx
import jax.numpy as jnp
import numpy as np
from jax import Array

from tokenfield._runtime.arguments import checked
from tokenfield._runtime.arrays import as_array, row
from tokenfield.errors import InvalidInput, did_you_mean
from tokenfield.measure import Measure, is_concrete
from tokenfield.model.transformer import Transformer
from tokenfield.observables.clusters import Clusters, clusters
from tokenfield.observables.energy import energy
from tokenfield.observables.scales import cluster_scale
from tokenfield.observables.tree import MergeTree, merge_tree
from tokenfield.solver import labels, shown
from tokenfield.solver.interpolation import between
from tokenfield.solver.result import Result

if TYPE_CHECKING:
    import xarray

    from tokenfield.solver.merging.mergers import Mergers, Plateau

MOST_TRACED = 4096  # tokens up to which `along` traces: with more, a call takes longer than its tracing


@eqx.filter_jit
def both_energies(mu: Any, model: Transformer, t: Array) -> tuple[Array, Array]:
    """The energy as it is and normalized: compiled together, once for summary and figures, they share one pass."""
    return energy(mu, model, t), energy(mu, model, t, normalized=True)


class Stats(eqx.Module):
    """What the solver spent: accepted and rejected steps, and wall-clock seconds (0 inside `jax.jit`)."""

    accepted: Array
    rejected: Array
    wall_s: Array


class Trajectory(eqx.Module):
    """A solved flow: what `solve` returns.

    Attributes:
        ts: The saved times, shape (T,).
        states: What was saved, as arrays by name with time first; `None` if states were not kept. Of tokens `points`
            (T, n, d), and `radii` (T, n) where the normalization lets lengths change; of densities `density` (T, m); of
            Gaussians `mean` (T, d) and `covariance` (T, d, d).
        observables: The values of the observables that `Save` asked for, by name, with time first.
        final: The measure, density or Gaussian at the end; always there.
        result: How the run ended.
        stats: What the solver spent: `accepted` and `rejected` steps, and `wall_s` seconds.
        model: The model, with the sums that were chosen for it.
        mergers: The clusters that joined, with `solve(merge=...)`, else `None`: their `times` (M,), the two `parts`
            (M, 2) that joined and their `masses` (M, 2). Tokens are parts 0 to n-1, what merger k makes is part n + k.
        notes: What was reduced and which fast sums were used, in words.

    >>> from tokenfield import Softmax, Sphere, initial, solve
    >>> model = Transformer(Sphere(3), Softmax(beta=1.0))
    >>> run = solve(model, initial.uniform(model.geometry, n=8, seed=0), t1=1.0, save=3)
    >>> run.points.shape, run.at(0.7).n
    ((3, 8, 3), 8)
    """

    ts: Array
    states: Mapping[str, Array] | None
    observables: Mapping[str, Array]
    final: Any  # Measure | Density | Gaussian
    result: Result
    stats: Stats
    model: Transformer
    mergers: Mergers | None = eqx.field(static=True, default=None)
    notes: tuple[str, ...] = eqx.field(static=True, default=())

    def __len__(self) -> int:
        return len(self.ts)

    @property
    def numbers(self) -> dict[str, str]:
        """What there is to say about the run, in a few words each: the model, the state, the times, the end."""
        return shown.numbers(self)

    @property
    def _is_single(self) -> bool:
        return is_concrete(self.ts) and np.ndim(self.ts) == 1

    def _check_single(self) -> None:
        if np.ndim(self.ts) != 1:
            raise InvalidInput(
                f"this is a batch of {len(self.ts)} runs (jax.vmap): take one, jax.tree.map(lambda leaf: leaf[0], runs)"
            )

    def __repr__(self) -> str:
        if not self._is_single:
            return f"Trajectory(traced or batched, {np.shape(self.ts)} times of {self.model!r})"
        width = max(map(len, self.numbers))
        return "Trajectory\n" + "\n".join(f"  {name:{width}}  {words}" for name, words in self.numbers.items())

    def _repr_html_(self) -> str:
        """The run in a notebook: a scene that plays, or a picture, its numbers and what there is to note."""
        return shown.in_html(self) if self._is_single else f"<pre>{html.escape(repr(self))}</pre>"

    @checked
    def to_html(self, path: str | Path, *, frames: int = 300) -> Path:
        """The page that the run is written to: it plays, turns and shows plots, without a server or a network.

        Coordinates have 16 bits there: an error of at most 1.6e-5 on the sphere.

        Args:
            path: The page to write, such as "scene.html"; one that is there is replaced.
            frames: The most frames that it has, by default 300; of more saved times as many are shown.

        Returns:
            The page.

        Raises:
            InvalidInput: If this is not one run, or it kept no states along the way.
            FileError: If the page cannot be written.
        """
        self._check_single()
        self._kept  # noqa: B018 - says how to keep states where there are none
        return importlib.import_module("tokenfield.explorer.export").write_page(self, path, frames=frames)

    @property
    def kind(self) -> str:
        """How the measure was held: tokens, density or gaussian."""
        return _KINDS[type(self.final).__name__]

    @property
    def points(self) -> Array | None:
        """The tokens (T, n, d), or `None` if they were not saved, or are none."""
        return None if self.states is None else self.states.get("points")

    @property
    def radii(self) -> Array | None:
        """The lengths (T, n) of the residual stream where they change, else `None`."""
        return None if self.states is None else self.states.get("radii")

    @property
    def weights(self) -> Array:
        """The weights of the tokens, shape (n,)."""
        return self.final.weights

    @property
    def saved_points(self) -> Array:
        """`points`, or an error that says how to save them."""
        if self.kind != "tokens":
            raise InvalidInput(f"this is the run of a {self.kind}, which has no tokens")
        return self.saved("points")

    @checked
    def saved(self, name: str) -> Array:
        """The states called `name`, with time first.

        Args:
            name: "points", "radii", "density", "mean" or "covariance".

        Returns:
            The array, time first.

        Raises:
            InvalidInput: If the run kept no states, or none of that name; the message says how to keep them.
        """
        if name not in self._kept:
            raise InvalidInput(f"this run has no states called {name!r}{did_you_mean(name, self._kept)}")
        return self._kept[name]

    @property
    def _kept(self) -> Mapping[str, Array]:
        if self.states is None:
            what = "tokens" if self.kind == "tokens" else "states"
            raise InvalidInput(f"this run kept no {what} along the way: solve with save=Save(..., tokens=True)")
        return self.states

    def state(self, index: int = -1) -> Any:
        """The measure, density or Gaussian at the saved time `ts[index]`.

        Args:
            index: Which of the saved times, by default the last; negative ones count from the end.

        Returns:
            A `Measure`, `Density` or `Gaussian`, as the run held its law.

        Raises:
            InvalidInput: If there is no such saved time, or the run kept no states along the way.
        """
        index = self._index(index)
        if self.states is None and index == len(self.ts) - 1:
            return self.final
        return self.final.at(**{name: row(values, index) for name, values in self._kept.items()})

    def _index(self, index: int) -> int:
        self._check_single()
        count = len(self.ts)
        if isinstance(index, bool) or not isinstance(index, (int, np.integer)) or not -count <= index < count:
            raise InvalidInput(f"this run saved {count} times: an index lies in [{-count}, {count - 1}], got {index!r}")
        return int(index) % count

    @checked
    def at(self, t: float) -> Any:
        """The measure, density or Gaussian at time `t`, interpolated between saved times.

        Tokens move on cubics through the saved points and velocities, of order four in the distance of saved times, and
        come back to the geometry; with noise, and for discrete layers, on straight lines. Densities and covariances are
        interpolated on straight lines, which keeps their mass and their sign.

        Args:
            t: A time between the first and the last saved one.

        Returns:
            A `Measure`, `Density` or `Gaussian`, as the run held its law.

        Raises:
            InvalidInput: If `t` lies outside of the saved times, or the run kept no states along the way.
        """
        self._check_single()
        ts, t = np.asarray(self.ts, float), float(t)
        if not ts[0] <= t <= ts[-1]:
            raise InvalidInput(f"this run saved times from {ts[0]:g} to {ts[-1]:g}: t = {t:g} lies outside")
        after = int(np.searchsorted(ts, t))
        if ts[after] == t:
            return self.state(after)
        h = ts[after] - ts[after - 1]
        return between(self.model, self.state(after - 1), self.state(after), ts[after - 1], h, (t - ts[after - 1]) / h)

    def measure(self, index: int = -1) -> Measure:
        """The tokens at a saved time, or a density as a weighted measure on its nodes.

        Args:
            index: Which of the saved times, by default the last; negative ones count from the end.

        Returns:
            The measure.

        Raises:
            InvalidInput: If there is no such saved time, the run kept no states, or it is that of a Gaussian.
        """
        state = self.state(index)
        if self.kind == "gaussian":
            raise InvalidInput("a Gaussian is no finite sum of tokens: draw some with state().sample")
        return state.measure() if self.kind == "density" else state

    @checked
    def along(self, observable: Callable[[Any, Any], Any]) -> np.ndarray:
        """An observable at each saved time.

        JAX traces the function once for all times if it can; else, as with one that needs concrete arrays, it is called
        for each of them.

        Args:
            observable: A function of the state, such as `observables.mean_cosine`, or of (t, state), with a number or
                an array as value and without side effects; see `state`.

        Returns:
            Its values, stacked along the first axis.

        Raises:
            InvalidInput: If the run kept no states along the way.

        >>> from tokenfield import Softmax, Sphere, initial, observables, solve
        >>> start = initial.uniform(Sphere(3), n=8, seed=0)
        >>> run = solve(Transformer(Sphere(3), Softmax(1.0)), start, t1=10.0, save=3)
        >>> run.along(observables.mean_cosine).round(3).tolist()
        [-0.002, 0.99, 1.0]
        """
        self._check_single()
        of_both = _of_time_and_state(observable)
        if len(self) > 1 and getattr(self.final, "n", 1) <= MOST_TRACED:  # a Gaussian has no tokens
            compiled = eqx.filter_jit(lambda t, state: jnp.asarray(of_both(t, state)))
            try:
                return self._at_each_time(compiled)
            except Exception:  # it cannot be traced, or is wrong: then it says so below
                pass
        return self._at_each_time(of_both)

    def _at_each_time(self, observable: Any) -> np.ndarray:
        values = [np.asarray(observable(t, self.state(i))) for i, t in enumerate(np.asarray(self.ts))]
        if values[0].dtype.kind not in "biufc" or any(value.shape != values[0].shape for value in values):
            raise InvalidInput("an observable has a number, or an array of one shape at all times, as value")
        return np.stack(values)

    @checked
    def energy(self, *, normalized: bool = False) -> np.ndarray:
        """The interaction energy E_beta at each saved time; see `tokenfield.observables.energy`.

        Args:
            normalized: Whether it is scaled to lie in [0, 1], where k equal clusters give 1/k; by default it is not.

        Returns:
            The energies, shape (T,).

        Raises:
            InvalidInput: If the run kept no states along the way.
            Unsupported: If the attention is not driven by an energy.
        """
        return self._at_each_time(lambda t, mu: both_energies(mu, self.model, as_array(t))[normalized])

    @checked
    def clusters(self, index: int = -1, *, delta: float | None = None) -> Clusters:
        """The clusters at a saved time; see `tokenfield.observables.clusters`.

        Args:
            index: Which of the saved times, by default the last; negative ones count from the end.
            delta: The distance at which tokens count as together, by default that of the model, see
                `tokenfield.observables.cluster_scale`.

        Returns:
            The clusters, with their number, members and masses.
        """
        index = self._index(index)
        return self._once(("clusters", index, delta), lambda: self._find_clusters(index, delta))

    def _find_clusters(self, index: int, delta: float | None) -> Clusters:
        scale = cluster_scale(self.model, float(np.asarray(self.ts)[index])) if delta is None else delta
        return clusters(self.measure(index), self.model.geometry, delta=scale)

    def _once(self, key: Hashable, measure: Callable[[], Any]) -> Any:
        """What `measure` returns, kept under `key`: a run does not change, and summary and figures ask for the same.

        What is kept belongs to this object, not to the pytree, so a run that is made from this one measures anew.
        """
        if "_kept_measurements" not in self.__dict__:
            object.__setattr__(self, "_kept_measurements", {})
        kept = self.__dict__["_kept_measurements"]
        if key not in kept:
            kept[key] = measure()
        return kept[key]

    @checked
    def cluster_counts(self, *, delta: float | None = None) -> np.ndarray:
        """The number of clusters at each saved time.

        Args:
            delta: The distance at which tokens count as together, by default that of the model, see
                `tokenfield.observables.cluster_scale`.

        Returns:
            The numbers, shape (T,).

        >>> from tokenfield import Softmax, Sphere, initial, solve
        >>> start = initial.uniform(Sphere(3), n=8, seed=0)
        >>> run = solve(Transformer(Sphere(3), Softmax(1.0)), start, t1=10.0, save=3)
        >>> run.cluster_counts().tolist()
        [7, 1, 1]
        """
        return np.array([self.clusters(i, delta=delta).count for i in range(len(self.ts))])

    @checked
    def merge_tree(self, *, delta: float | None = None) -> MergeTree:
        """Which tokens are together for good from when on; see `tokenfield.observables.merge_tree`.

        Args:
            delta: The distance at which tokens count as together, by default that of the model, see
                `tokenfield.observables.cluster_scale`.

        Returns:
            The tree.
        """
        self._check_single()
        return self._once(("merge_tree", delta), lambda: merge_tree(self, delta=delta))

    @property
    def plateaus(self) -> tuple[Plateau, ...]:
        """The plateaus of a run with merging: each has `start`, `end`, `count`, `masses`, normalized `energy`."""
        return self._merged.plateaus

    @property
    def escape_times(self) -> np.ndarray:
        """The times at which the plateaus of a run with merging ended."""
        return self._merged.escape_times

    @property
    def _merged(self) -> Mergers:
        if self.mergers is None:
            raise InvalidInput("this run did not merge collapsed clusters: solve with merge=True")
        return self.mergers

    @checked
    def save(self, folder: str | Path, *, force: bool = False) -> Path:
        """The folder that the run is written to; `tokenfield.load` reads it back bit for bit.

        `tokenfield show` and `plot` know such folders too. A model that has functions or classes of your own cannot be
        written: it is told by its name, and `tokenfield.load` asks for it.

        Args:
            folder: Where to write; the folder must not exist yet.
            force: Whether a run folder that is there may be replaced, by default not.

        Returns:
            The folder.

        Raises:
            FileError: If the folder exists, or cannot be written.
            InvalidInput: If this is not one run, but several or one inside `jax.jit`.
        """
        if not self._is_single:
            raise InvalidInput("only one run can be saved at a time, outside jax.jit: take one of the batch first")
        # by name: solving knows nothing of folders
        return importlib.import_module("tokenfield.study.store").save(self, folder, force=force)

    def to_xarray(self) -> xarray.Dataset:
        """The run as a labeled dataset: dimensions time, and token and axis, or node, or row and column.

        >>> from tokenfield import Softmax, Sphere, initial, solve
        >>> start = initial.uniform(Sphere(3), n=8, seed=0)
        >>> run = solve(Transformer(Sphere(3), Softmax(1.0)), start, t1=10.0, save=3)
        >>> dict(run.to_xarray().sizes)
        {'time': 3, 'token': 8, 'axis': 3}
        """
        data, attributes = self.labelled()
        import xarray

        return xarray.Dataset(data, attrs=attributes)

    def labelled(self) -> tuple[dict[str, tuple[tuple[str, ...], np.ndarray]], dict[str, Any]]:
        """What `to_xarray` makes a dataset of.

        Returns:
            The dimensions and values of each array by its name, and the attributes of them all.

        Raises:
            InvalidInput: If this is not one run, but several or one inside `jax.jit`.
        """
        self._check_single()
        return labels.labelled(self)


def _of_time_and_state(observable: Any) -> Callable[[Any, Any], Any]:
    """The observable as a function of (t, state); one that needs a single argument gets the state, as in `Save`."""
    try:
        parameters = list(inspect.signature(observable).parameters.values())
    except (TypeError, ValueError):
        return observable
    needed = [p for p in parameters if p.default is p.empty and p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]
    if any(p.kind is p.VAR_POSITIONAL for p in parameters):
        return observable
    if not parameters:
        raise InvalidInput("an observable is a function of the state, or of (t, state): this one takes nothing")
    if len(needed) != 1:
        return observable
    return lambda t, state: observable(state)


_KINDS = {
    "Measure": "tokens",
    "Density": "density",
    "MovingDensity": "density",
    "MaskedDensity": "density",
    "MaskedMovingDensity": "density",
    "Gaussian": "gaussian",
    "MaskedGaussian": "gaussian",
}
