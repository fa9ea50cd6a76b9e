"""What a run with merging remembers: which groups of tokens joined when, and the plateaus between. NumPy only.

Two groups join when the distance between their centers falls below the scale delta of the project's clusters
(`observables.cluster_scale`) for the last time before they collapse to one point. All steps of the solver are looked
at, and the time is found on the cubics through two of them.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field, fields, replace
from typing import Any

import numpy as np
import scipy
from numpy.typing import ArrayLike

from tokenfield.observables.tree import Merge

HISTORY_BYTES = 2**28  # of steps that are kept to look back at
EVERY_PAIR = 16  # up to so many groups that join at once, which met first is asked of every pair


@dataclass(frozen=True)
class Plateau:
    """From `start` to `end` there were `count` clusters of `masses` (largest first), each mostly attending to itself.

    All had collapsed to points. `energy` is the normalized energy in the middle of the plateau, on a log scale of time;
    `None` if there is none.
    """

    start: float
    end: float
    count: int
    masses: tuple[float, ...]
    energy: float | None


@dataclass(frozen=True, eq=False)
class Mergers:
    """The mergers of a run in order of time, as a linkage: tokens are 0 ... n-1, the group made by merger k is n + k.

    `times` (M,), the two `parts` (M, 2) that joined, their `masses` (M, 2), the scale `delta` at which they count as
    joined, and the `plateaus` between.
    """

    n: int
    times: np.ndarray
    parts: np.ndarray
    masses: np.ndarray
    delta: float
    plateaus: tuple[Plateau, ...] = ()

    def __len__(self) -> int:
        return len(self.times)

    @property
    def escape_times(self) -> np.ndarray:
        """The times at which plateaus ended because two of their clusters joined."""
        last = self.times[-1] if len(self) else -np.inf
        return np.array([plateau.end for plateau in self.plateaus if plateau.end <= last])

    def to_json(self) -> str:
        """What is not in the arrays, as JSON: the number of tokens, the scale, the plateaus."""
        return json.dumps({"n": self.n, "delta": self.delta, "plateaus": [asdict(one) for one in self.plateaus]})

    def count(self, t: ArrayLike) -> Any:
        """The number of groups at time `t`, or at each of several times."""
        return self.n - np.searchsorted(self.times, t, side="right")

    def tokens(self, group: int) -> np.ndarray:
        """The tokens of a group, increasing."""
        found, open_groups = [], [int(group)]
        while open_groups:
            number = open_groups.pop()
            if number < self.n:
                found.append(number)
            else:
                open_groups.extend(self.parts[number - self.n].tolist())
        return np.sort(found)

    @property
    def merges(self) -> tuple[Merge, ...]:
        """The mergers with the tokens of their parts, heaviest first, as in a `MergeTree`."""
        out = []
        for time, parts, masses in zip(self.times, self.parts, self.masses, strict=True):
            order = np.argsort(-masses, kind="stable")
            tokens = tuple(self.tokens(part) for part in parts[order])
            out.append(Merge(float(time), tokens, tuple(masses[order].tolist()), float(masses.sum())))
        return tuple(out)


@dataclass
class _Steps:
    """Steps of one chunk: their times and lengths (s,), states and velocities (s, k, d), masses (k,).

    `row` says which row each one is now, -1 for none.
    """

    ts: np.ndarray
    lengths: np.ndarray
    ys: np.ndarray
    velocities: np.ndarray
    masses: np.ndarray
    row: np.ndarray


@dataclass
class _Joined:
    time: float
    parts: tuple[int, int]
    masses: tuple[float, float]


@dataclass
class History:
    """The steps of a run so far, and who joined whom. Rows are those of the solver's state, `labels` say whose."""

    labels: np.ndarray
    masses: np.ndarray
    t0: float
    start: np.ndarray
    delta: float
    is_sphere: bool
    _steps: list[_Steps] = field(default_factory=list)
    _joined: list[_Joined] = field(default_factory=list)
    _row_counts: list[tuple[float, int]] = field(default_factory=list)  # from when on there are so many rows

    def __post_init__(self) -> None:
        self.n = len(self.labels)
        first, sizes = np.unique(self.labels, return_index=True)[1], np.bincount(self.labels)
        self._ids = np.full(len(self.masses), -1)
        self._ids[: len(first)] = first
        token_masses = self.masses[self.labels] / sizes[self.labels]
        for row in np.flatnonzero(sizes > 1):
            number, mass = int(first[row]), float(token_masses[first[row]])
            for other in np.flatnonzero(self.labels == row)[1:].tolist():
                number = self._record(self.t0, (number, other), (mass, float(token_masses[other])))
                mass += float(token_masses[other])
            self._ids[row] = number
        self._row_counts.append((self.t0, len(first)))
        self.add(self.t0, np.zeros(1), self.start[None], np.full_like(self.start, np.nan)[None])

    def add(self, offset: float, ts: np.ndarray, ys: np.ndarray, velocities: np.ndarray) -> None:
        """Remembers steps at times offset + `ts` (s,) with states and velocities (s, k, d).

        `ts` start at the end of what is known, so that steps below the rounding of the offset keep their lengths.
        """
        if not len(ts):
            return
        row = np.where(self.masses > 0, np.arange(len(self.masses)), -1)
        begin = self._steps[-1].ts[-1] - offset if self._steps else 0.0
        lengths = np.diff(ts, prepend=begin)
        self._steps.append(_Steps(offset + ts, lengths, ys, velocities, self.masses, row))
        while len(self._steps) > 2 and sum(2 * steps.ys.nbytes for steps in self._steps) > HISTORY_BYTES:
            self._steps.pop(0)

    def join(self, moved_to: np.ndarray, masses: np.ndarray, t: float) -> None:
        """Rows i with the same moved_to[i] are one row from `t` on; `masses` are those of the new rows."""
        ids = np.full(len(masses), -1)
        for row, group in _grouped(moved_to):
            ids[row] = self._ids[group[0]] if len(group) == 1 else self._join_group(group)
        for steps in self._steps:
            steps.row = np.where(steps.row >= 0, moved_to[steps.row], -1)
        self._ids, self.masses = ids, masses
        self._row_counts.append((t, int(np.sum(masses > 0))))

    def arrays(self) -> dict[str, np.ndarray]:
        """Everything that changes along a run, by name."""
        joined = self._joined
        found = {
            "ids": self._ids,
            "masses": self.masses,
            "joined times": np.array([one.time for one in joined]),
            "joined parts": np.array([one.parts for one in joined], int).reshape(-1, 2),
            "joined masses": np.array([one.masses for one in joined]).reshape(-1, 2),
            "row counts": np.array(self._row_counts),
        }
        for k, steps in enumerate(self._steps):
            found |= {f"steps {k} {one.name}": getattr(steps, one.name) for one in fields(_Steps)}
        return {f"history {name}": values for name, values in found.items()}

    def restore(self, arrays: Mapping[str, np.ndarray]) -> None:
        """Brings back what `arrays` gave."""
        known = {name.removeprefix("history "): a for name, a in arrays.items() if name.startswith("history ")}
        self._ids, self.masses = known["ids"], known["masses"]
        rows = (known[f"joined {name}"].tolist() for name in ("times", "parts", "masses"))
        self._joined = [_Joined(time, tuple(parts), tuple(masses)) for time, parts, masses in zip(*rows, strict=True)]
        self._row_counts = [(time, int(count)) for time, count in known["row counts"].tolist()]
        count = sum(name.startswith("steps ") and name.endswith(" ts") for name in known)
        self._steps = [_Steps(*(known[f"steps {k} {one.name}"] for one in fields(_Steps))) for k in range(count)]

    def _record(self, time: float, parts: tuple[int, int], masses: tuple[float, float]) -> int:
        # a group cannot join another before it exists
        time = max([time, *(self._joined[part - self.n].time for part in parts if part >= self.n)])
        self._joined.append(_Joined(time, parts, masses))
        return self.n + len(self._joined) - 1

    def _join_group(self, rows: np.ndarray) -> int:
        """The number of the group that the `rows` make, joined in the order in which they met."""
        m, heaviest = len(rows), int(np.argmax(self.masses[rows]))
        if m <= EVERY_PAIR:
            first, second = np.triu_indices(m, 1)
        else:
            second = np.delete(np.arange(m), heaviest)
            first = np.full(m - 1, heaviest)
        times = self._meeting_times(rows, first, second)
        number = list(range(m))  # of the component of each part
        ids, masses = dict(enumerate(self._ids[rows].tolist())), dict(enumerate(self.masses[rows].tolist()))
        for k in np.argsort(times, kind="stable"):
            a, b = number[first[k]], number[second[k]]
            if a != b:
                ids[a] = self._record(float(times[k]), (ids[a], ids[b]), (masses[a], masses[b]))
                masses[a] += masses[b]
                number = [a if c == b else c for c in number] if m <= EVERY_PAIR else number
        return ids[number[heaviest]]

    def _meeting_times(self, rows: np.ndarray, first: np.ndarray, second: np.ndarray) -> np.ndarray:
        """When the centers of the rows first[k] and second[k] (places in `rows`) came within delta for good."""
        place = np.full(len(self.masses) + 1, -1)  # the last entry serves rows that are -1
        place[rows] = np.arange(len(rows))
        times = np.full(len(first), self._steps[0].ts[0])
        is_open = np.ones(len(first), bool)
        later: _Centers | None = None
        for steps in reversed(self._steps):
            here = _Centers.of(steps, place[steps.row], len(rows), self.is_sphere)
            for k in np.flatnonzero(is_open):
                gap = here.gap(int(first[k]), int(second[k]))
                apart = np.flatnonzero(gap > self.delta)
                if len(apart):
                    is_open[k] = False
                    times[k] = here.crossing(int(apart[-1]), later, int(first[k]), int(second[k]), self.delta)
            if not is_open.any():
                break
            later = here
        return times

    def finish(
        self,
        joined_to: np.ndarray,
        t: float,
        *,
        middle: Callable[[np.ndarray], float],
        describe: Callable[[float, np.ndarray, np.ndarray], tuple[float | None, float]],
    ) -> Mergers:
        """The record of a run that ends at `t` with the rows of equal `joined_to` within delta of each other.

        `middle` is the middle of a start and an end; `describe` gives the energy of rows (k, d) with masses at a time,
        and the smallest part of its attention that a row gives to itself.
        """
        for _, group in _grouped(joined_to):
            if len(group) > 1:
                self._join_group(group)
        order = np.argsort([joined.time for joined in self._joined], kind="stable")
        renumbered = {self.n + int(old): self.n + new for new, old in enumerate(order)}
        joined = [self._joined[old] for old in order]
        times = np.array([one.time for one in joined])
        parts = np.array([[renumbered.get(part, part) for part in one.parts] for one in joined], int).reshape(-1, 2)
        masses = np.array([one.masses for one in joined]).reshape(-1, 2)
        mergers = Mergers(self.n, times, parts, masses, self.delta)
        return replace(mergers, plateaus=self._plateaus(mergers, t, middle, describe))

    def _plateaus(self, mergers: Mergers, t: float, middle: Any, describe: Any) -> tuple[Plateau, ...]:
        """The times between mergers at which there were no more rows than groups: all clusters were points."""
        edges = np.unique(np.concatenate([[self.t0], mergers.times, [t]]))
        since, rows = (np.array(values) for values in zip(*self._row_counts, strict=True))
        found = []
        for start, stop, count in zip(edges[:-1], edges[1:], mergers.count(edges[:-1]), strict=True):
            last = np.searchsorted(since, stop, side="left") - 1
            if last < 0 or rows[last] != count:
                continue
            steps = self._nearest(middle(np.array([max(since[last], start), stop])), count)
            if steps is None:
                continue
            time, x, w = steps
            energy, share = describe(time, x, w)
            if share > 0.5:
                masses = tuple(np.sort(w[w > 0])[::-1].tolist())
                found.append(Plateau(float(start), float(stop), int(count), masses, energy))
        return tuple(found)

    def _nearest(self, t: float, count: int) -> tuple[float, np.ndarray, np.ndarray] | None:
        """Time, state and masses of the step nearest to `t` among those with `count` rows that have mass."""
        known = [steps for steps in self._steps if np.sum(steps.masses > 0) == count]
        if not known:
            return None
        best = min(known, key=lambda steps: np.min(np.abs(steps.ts - t)))
        k = int(np.argmin(np.abs(best.ts - t)))
        return float(best.ts[k]), best.ys[k], best.masses


@dataclass
class _Centers:
    """Centers and their velocities (count, s, d) of groups of rows along the steps of a chunk."""

    steps: _Steps
    points: np.ndarray
    velocities: np.ndarray
    is_sphere: bool

    @staticmethod
    def of(steps: _Steps, place: np.ndarray, count: int, is_sphere: bool) -> _Centers:
        """The centers of the rows with place 0 ... count-1."""
        here = np.flatnonzero(place >= 0)
        s, _, d = steps.ys.shape
        total = np.bincount(place[here], steps.masses[here], minlength=count)
        part = (steps.masses[here] / total[place[here]], (place[here], np.arange(len(here))))
        add = scipy.sparse.csr_matrix(part, shape=(count, len(here)))
        points, velocities = (
            (add @ a[:, here].transpose(1, 0, 2).reshape(len(here), s * d)).reshape(count, s, d)
            for a in (steps.ys, steps.velocities)
        )
        return _Centers(steps, points, velocities, is_sphere)

    def gap(self, i: int, j: int) -> np.ndarray:
        """The distance (s,) of two centers at each step."""
        return _distance(self.points[i], self.points[j], self.is_sphere)

    def crossing(self, k: int, later: _Centers | None, i: int, j: int, delta: float) -> float:
        """The time after step `k` at which two centers are `delta` apart, on the cubics through states and velocities.

        `later` are the steps of the next chunk, `None` if there is none.
        """
        after, n = (self, k + 1) if k + 1 < len(self.steps.ts) else (later, 0)
        if after is None:
            return float(self.steps.ts[k])  # still apart
        h = float(after.steps.lengths[n])
        ends = [
            (self.points[c, k], after.points[c, n], h * self.velocities[c, k], h * after.velocities[c, n])
            for c in (i, j)
        ]

        def excess(s: float) -> float:
            one, other = (_cubic(s, *end) for end in ends)
            return float(_distance(one, other, self.is_sphere)) - delta

        s = scipy.optimize.brentq(excess, 0.0, 1.0) if excess(0.0) > 0 > excess(1.0) else 1.0
        return float(self.steps.ts[k] + s * h)


def _cubic(s: float, x0: np.ndarray, x1: np.ndarray, v0: np.ndarray, v1: np.ndarray) -> np.ndarray:
    """The cubic with values x0, x1 and derivatives v0, v1 at 0 and 1."""
    if np.isnan(v0).any():
        v0 = 2 * (x1 - x0) - v1  # not known at the start: the parabola
    r = 1 - s
    return r * r * (1 + 2 * s) * x0 + s * s * (3 - 2 * s) * x1 + s * r * (r * v0 - s * v1)


def _distance(x: np.ndarray, y: np.ndarray, is_sphere: bool) -> np.ndarray:
    if not is_sphere:
        return np.linalg.norm(x - y, axis=-1)
    x, y = (a / np.linalg.norm(a, axis=-1, keepdims=True) for a in (x, y))
    return 2 * np.arcsin(np.minimum(np.linalg.norm(x - y, axis=-1) / 2, 1.0))


def _grouped(labels: np.ndarray) -> list[tuple[int, np.ndarray]]:
    """Each label >= 0 with where it is, in order."""
    where = np.flatnonzero(labels >= 0)
    order = where[np.argsort(labels[where], kind="stable")]
    values, starts = np.unique(labels[order], return_index=True)
    return list(zip(values.tolist(), np.split(order, starts[1:]), strict=True))
