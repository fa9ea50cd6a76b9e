"""`System`: one running system. Advances by a frame, changes its model while it runs, moves a token. No network.

Everything is computed by `tokenfield.solver.live`; here are the clock, what a frame shows and what is remembered
between two of them. Not for several threads at once, but for `predictions`, which looks at the config only.
"""

from __future__ import annotations

import functools
import math
import sys
import time
from collections import deque
from typing import Any

import numpy as np

from tokenfield._runtime.arrays import as_array
from tokenfield.errors import InvalidInput, Unsupported
from tokenfield.explorer import measures
from tokenfield.explorer.frames import pack
from tokenfield.explorer.past import Past
from tokenfield.explorer.scene import FIRST_TIME, Scene, check_limit
from tokenfield.flows import clusters
from tokenfield.geometry import Sphere
from tokenfield.laws.density import Density
from tokenfield.laws.gaussian import Gaussian
from tokenfield.laws.moving import MovingDensity
from tokenfield.measure import Measure
from tokenfield.model.transformer import Transformer
from tokenfield.solver.live import WINDOW, Live
from tokenfield.solver.result import Result
from tokenfield.study.config import Config
from tokenfield.study.simulate import arguments_of
from tokenfield.theory import equiangular
from tokenfield.theory.predict import Predictions, predict_setting
from tokenfield.theory.reading import read
from tokenfield.theory.registry import TOPICS
from tokenfield.theory.setting import Setting

CURVE_POINTS = 201  # of a predicted curve
SHARE = 0.25  # of the time that goes into what is slow to measure
MOST_VALUES = 64  # numbers of a prediction that are sent
FARTHEST = 1e6  # coordinates of a token that is moved
SNAP = 1e-6  # of a frame: the last one is at t1, whatever rounding made of the times before


class System:
    """A scene that runs. `frame` computes the next frame, `first_frame` gives the one at the start.

    Args:
        scene: What is run.
        number: 0 or 1: which of the systems side by side.

    Raises:
        TokenfieldError: If the config makes no sense.
    """

    def __init__(self, scene: Scene, *, number: int = 0):
        self.number, self.scene = number, scene
        self.model, start = scene.config.build()
        if hasattr(start, "shares"):
            raise Unsupported("the explorer shows one law, not one for each position: tokenfield simulate draws them")
        if isinstance(start, MovingDensity):  # its nodes move as tokens of their masses do, and are drawn like them
            start = start.measure()
        if isinstance(start, Measure):
            check_limit("n", start.n, "the number of tokens")
        self.speed, self.index = scene.speed, 0
        self.attended: int | None = None
        self._live = self._begin(start, scene.config.solve.t0)
        self._queue: deque[tuple[float, Any]] = deque()
        self._basis: np.ndarray | None = None
        self._weights: np.ndarray | None = None
        self._measured_at, self._measuring_s = -math.inf, 0.0
        self._past = Past(scene)
        self.t, self.law = self._live.t, self._live.law

    def _begin(self, law: Any, t: float) -> Live:
        config = self.scene.config
        options = arguments_of(config, self.model)
        for name in ("save", "max_steps", "t0", "t1"):
            options.pop(name)
        return Live(self.model, law, t0=config.solve.t0, t1=config.solve.t1, at=t, **options)

    # --- what a page is told -------------------------------------------------------------------------------------

    def described(self) -> dict[str, Any]:
        """The message "ready" without its predictions: sizes, clock, config, TOML and Python."""
        law, geometry = self.law, self.model.geometry
        state = "density" if isinstance(law, Density) else "gaussian" if isinstance(law, Gaussian) else "tokens"
        return {
            "type": "ready",
            "system": self.number,
            "config": self.scene.tables,
            "n": int(getattr(law, "n", 0)) if state == "tokens" else 0,
            "d": int(geometry.d),
            "geometry": "sphere" if isinstance(geometry, Sphere) else "euclidean",
            "state": state,
            "clock": self.scene.clock,
            "speed": self.scene.speed,
            "t0": self.scene.config.solve.t0,
            "t1": self.scene.config.solve.t1,
            "delta": measures.observables.cluster_scale(self.model, self.t),
            "grid": described_grid(law, self.scene.config.state.grid),
            "toml": self.scene.toml,
            "python": self.program,
            "notes": list(self._live.plan.notes),
            "refused": self._refused(state),
            "predictions": [],
            "curves": {"equiangular": None},
        }

    def _refused(self, state: str) -> dict[str, str | None]:
        """Why the clock cannot be logarithmic, and why tokens cannot be told apart with the one that there is."""
        reason = (
            clusters.refused(self.model) if state == "tokens" else "joins tokens: this is the law of infinitely many"
        )
        if self.scene.config.solve.layers is not None:
            reason = "is for continuous depth, not for layers"
        is_log = self.scene.clock == "log"
        return {
            "log": None if reason is None or is_log else f"Logarithmic time joins clusters. Merging {reason}",
            "unlike": f"Logarithmic time {clusters.UNLIKE}. Choose linear time first" if is_log else None,
        }

    @property
    def program(self) -> str:
        """The scene as a program, with what was changed while it ran."""
        return self._past.program(self.t)

    def news(self) -> list[dict[str, Any]]:
        """A message "done" for each thing that was done to the system since this was last asked."""
        return [
            {"type": "done", "system": self.number, "number": number, "step": step}
            for number, step in self._past.news()
        ]

    def predictions(self) -> dict[str, Any]:
        """The message "predictions": what theory says about the scene and where it does not apply, with the reasons."""
        return {"type": "predictions", "system": self.number, **_predicted_of(self.scene.config)}

    # --- frames -----------------------------------------------------------------------------------------------------

    @property
    def result(self) -> Result | None:
        """How the run ended; `None` while there is more to come."""
        return None if self._queue else self._live.result

    def set_speed(self, speed: Any) -> None:
        """Sets how far apart frames are: units of time, or with a logarithmic clock the factor of it.

        Args:
            speed: The speed.

        Raises:
            InvalidInput: If it is no number that makes time go on.
        """
        least = 1.0 if self.scene.clock == "log" else 0.0
        is_number = isinstance(speed, (int, float)) and not isinstance(speed, bool)
        if not is_number or not least < speed <= sys.float_info.max:
            raise InvalidInput(
                f"the speed of a {self.scene.clock} clock is a number above {least:g}, got {speed!r:.40}"
            )
        self.speed = float(speed)

    def first_frame(self) -> bytes:
        """The frame of where tokens are now, without what is slow to measure: the first thing that a page shows."""
        return self._packed(is_full=False, is_light=True)

    def shown_again(self) -> bytes:
        """The frame of where tokens are now, under a new index: after a change of what is shown."""
        self.index += 1
        return self._packed(is_full=True)

    def frame(self, latest: float = math.inf) -> bytes | None:
        """The next frame; `None` if a few steps did not reach it yet, or if the run is over.

        Args:
            latest: The time of the frame at the latest.
        """
        if not self._queue:
            self._queue.extend(self._live.take(np.minimum(self._next_times(), latest)))
        if not self._queue:
            return None
        self.t, self.law = self._queue.popleft()
        self.index += 1
        return self._packed(is_full=self.result is not None)

    def go_to(self, t: float) -> None:
        """Computes on to the time `t`, or to the end of the run, and shows nothing.

        Args:
            t: The time.
        """
        while self.t < t and self.result is None:
            self._queue.extend(self._live.take(np.array([float(t)])))
            while self._queue:
                self.t, self.law = self._queue.popleft()

    def _next_times(self) -> np.ndarray:
        steps = np.arange(1, WINDOW + 1)
        t0, t1 = self.scene.config.solve.t0, self.scene.config.solve.t1
        if self.scene.clock == "linear":
            times = self.t + self.speed * steps
            return np.where(times > t1 - SNAP * self.speed, t1, times)
        since = max(self.t - t0, FIRST_TIME / self.speed)
        with np.errstate(over="ignore"):
            times = t0 + since * self.speed**steps
        return np.where(times > t1 * (1 - SNAP), t1, times)

    def _packed(self, *, is_full: bool, is_light: bool = False) -> bytes:
        law, began = self.law, time.perf_counter()
        arrays, header = self._state_arrays(law)
        scalars: dict[str, Any] = dict(measures.light(law))
        # what is slow to measure comes as often as it takes a quarter of the time
        is_due = began - self._measured_at > self._measuring_s / SHARE
        if is_full or (is_due and not is_light):
            numbers, more = measures.heavy(law, self._live.model, self.t)
            is_first, self._measured_at = self._measured_at == -math.inf, time.perf_counter()
            # the first time it may be compiled, which says nothing about the next
            self._measuring_s = 0.0 if is_first else self._measured_at - began
            scalars |= numbers
            arrays |= more
        if self.attended is not None:
            arrays["attention"] = measures.attention_of(law, self._live.model, self.t, self.attended)
        header |= {"type": "frame", "system": self.number, "index": self.index, "t": self.t, "scalars": scalars}
        return pack(header, arrays)

    def _state_arrays(self, law: Any) -> tuple[dict[str, np.ndarray], dict[str, Any]]:
        if isinstance(law, Density):
            return {"density": np.asarray(law.values).reshape(grid_shape(law))}, {}
        if isinstance(law, Gaussian):
            return {"mean": np.asarray(law.mean), "covariance": np.asarray(law.covariance)}, {}
        points, weights = np.asarray(law.points), np.asarray(law.weights)
        arrays, header = {"points": points}, {}
        if points.shape[1] > 3:
            arrays["points"], self._basis = measures.projected(points, self._basis)
            header["projected"] = True
        if law.radii is not None:
            arrays["radii"] = np.asarray(law.radii)
        if self._weights is None or not np.array_equal(weights, self._weights):
            self._weights = arrays["weights"] = weights
        return arrays, header

    # --- what a page changes ---------------------------------------------------------------------------------------

    def change(self, scene: Scene) -> None:
        """Lets the same tokens go on under the model of another scene.

        Args:
            scene: The scene; where tokens live and start is as it was.

        Raises:
            TokenfieldError: If it cannot take over; then nothing has changed.
        """
        self.scene.goes_on_as(scene)
        before = self.scene, self.model
        try:
            self.scene, self.model = scene, scene.config.build()[0]
            self._go_on(self.law)
        except Exception:
            self.scene, self.model = before
            raise
        self._past.changed(self.t, scene)
        if before[0].clock != scene.clock:
            self.speed = scene.speed

    def move(self, token: Any, point: Any) -> None:
        """Puts a token elsewhere; on the sphere, at the nearest place there.

        Args:
            token: The number of the token.
            point: Its new coordinates; of a space of more than three dimensions also three, those that frames show.

        Raises:
            InvalidInput: If there is no such token, or the point is none.
        """
        measures.check_token(self.law, token)
        is_list = isinstance(point, (list, tuple)) and all(
            isinstance(x, (int, float)) and not isinstance(x, bool) and abs(x) <= FARTHEST for x in point
        )
        place, is_sphere = np.asarray(point if is_list else [], float), isinstance(self.model.geometry, Sphere)
        d, basis = self.law.d, self._basis if place.shape == (3,) else None
        if place.shape != (d,) and basis is None:
            raise InvalidInput(f"a token moves to a point of {d} numbers below a million")
        points = np.array(self.law.points)
        if basis is not None:
            place = measures.lifted(place, points[token], basis, is_sphere=is_sphere)
        length = np.linalg.norm(place)
        if is_sphere and length < 1e-6:
            raise InvalidInput("zero has no direction: a token on the sphere cannot move there")
        points[token] = place / length if is_sphere else place
        self._go_on(self.law.at(as_array(points)))
        self._past.moved(self.t, token, place.tolist())

    def _go_on(self, law: Any) -> None:
        """Goes on from `law` at the time of the last frame."""
        self._live = self._begin(law, self.t)
        self._queue.clear()
        self.law = law

    def attend(self, token: Any) -> None:
        """Lets frames show the attention of a token, or of none.

        Args:
            token: The number of the token, or `None`.

        Raises:
            InvalidInput: If there is no such token, or no attention to show.
        """
        if token is not None:
            measures.attention_of(self.law, self._live.model, self.t, _checked(self.law, token))
        self.attended = token


def _checked(law: Any, token: Any) -> int:
    measures.check_token(law, token)
    return int(token)


@functools.lru_cache(maxsize=64)  # tabs and classes look at the same scenes
def _predicted_of(config: Config) -> dict[str, Any]:
    model, start = config.build()
    return predicted(model, start, t0=config.solve.t0)


def predicted(model: Transformer, start: Any, *, t0: float) -> dict[str, Any]:
    """All predictions, those that do not apply with the reason, and curves to draw beside what is measured.

    Args:
        model: The model.
        start: What it starts from.
        t0: When.

    Returns:
        `predictions`, a list, and `curves`, pairs (t, value) by name.
    """
    setting = read(model, start)
    found, listed = predict_setting(setting), []
    for topic, names in TOPICS.items():
        for name in names:
            entry: dict[str, Any] = {"name": name, "topic": topic, "applies": name in found}
            if name in found:
                plain = found[name].to_dict()
                entry |= {key: plain[key] for key in ("statement", "assumptions", "source", "status")}
                entry |= {"text": found[name].shown, "reason": "", "value": _small(plain["value"])}
                entry |= {"log10": _small(plain.get("log10"))}
            else:
                entry |= {"value": None, "text": "", "statement": "", "assumptions": [], "source": ""}
                entry |= {"reason": found.refused[name]}
            listed.append(entry)
    return {"predictions": listed, "curves": {"equiangular": _equiangular(setting, found, t0)}}


def _equiangular(setting: Setting, found: Predictions, t0: float) -> list[list[float]] | None:
    """The cosine of equiangular tokens over time as pairs (t, cosine), if it applies."""
    if "equiangular_curve" not in found or "equiangular_time" not in found:
        return None
    values = np.asarray(equiangular.equiangular_curve_for(setting, points=CURVE_POINTS).value, float)
    # it has equal times from 0 to when the cosine is 0.999
    times = t0 + np.linspace(0.0, float(found["equiangular_time"].value), len(values))
    return np.stack([times, values], axis=1).round(7).tolist()


def grid_shape(law: Density) -> tuple[int, ...]:
    size = getattr(law.grid, "size", None)
    is_sphere = law.grid.d == 3 and not law.grid.is_orbit
    return (int(size), 2 * int(size)) if is_sphere and size is not None else (len(np.asarray(law.values)),)


def described_grid(law: Any, kind: str | None) -> dict[str, Any] | None:
    """Where the values of a density are: angles on the circle, heights z and longitudes on S^2, cosines of orbits."""
    if not isinstance(law, Density):
        return None
    shape, points = grid_shape(law), np.asarray(law.grid.points)
    found: dict[str, Any] = {"kind": kind, "shape": list(shape)}
    if len(shape) == 2:
        nodes = points.reshape(*shape, 3)
        return found | {
            "heights": nodes[:, 0, 2].tolist(),
            "longitudes": np.arctan2(nodes[0, :, 1], nodes[0, :, 0]).tolist(),
        }
    if law.grid.is_orbit:
        return found | {"cosines": points[:, 0].tolist()}
    return found | {"angles": np.arctan2(points[:, 1], points[:, 0]).tolist()}


def _small(value: Any) -> Any:
    """A number or a short list; what is longer is cut."""
    if isinstance(value, list):
        return value[:MOST_VALUES] if not value or not isinstance(value[0], list) else None
    return value if isinstance(value, (int, float, str)) or value is None else None
