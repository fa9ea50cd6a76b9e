"""A run as one page that plays without a server: frames of 16 bits in the template that is built with the page.

    template: static/scene.html with the text @@SCENE@@ in it
    in its place: base64 of gzip of `frames.pack(header, arrays)`

Coordinates, densities and labels are coded as differences along the frames, modulo 65536, which compress well.
"""

from __future__ import annotations

import base64
import gzip
import html
from pathlib import Path
from typing import Any

import numpy as np

from tokenfield._runtime.files import write_text
from tokenfield.errors import FileError, InvalidInput, TokenfieldError
from tokenfield.explorer import measures
from tokenfield.explorer.frames import pack, quantized
from tokenfield.explorer.system import described_grid, grid_shape, predicted
from tokenfield.geometry import Sphere
from tokenfield.solver.trajectory import Trajectory
from tokenfield.study.config import Config
from tokenfield.study.store import RunFolder

TEMPLATE = Path(__file__).parent / "static" / "scene.html"
PLACE = "@@SCENE@@"
FRAMES = 300
# what a notebook shows: small, since it is stored with the notebook
NOTEBOOK_FRAMES, NOTEBOOK_TOKENS, NOTEBOOK_HEIGHT = 60, 500, 520
HIDDEN_FROM = 4000  # tokens from which clusters and cosines are not measured in every frame


def export(source: str | Path, out: str | Path, *, frames: int = FRAMES) -> Path:
    """The page that a run folder, or the config that is run for it, was written to.

    Args:
        source: A run folder, or a TOML config.
        out: The page to write.
        frames: The most frames that it has, by default 300.

    Returns:
        The page.

    Raises:
        TokenfieldError: If the source cannot be read or run, or the page cannot be written.
    """
    _template()  # before anything is computed
    source = Path(source)
    if source.is_dir():
        folder = RunFolder.open(source)
        is_python = not (source / "config.toml").exists()
        run, config = folder.trajectory(), None if is_python else folder.config.resolved()
    else:
        run, config = _run(Config.from_toml(source), frames)
    return write_page(run, out, config=config, frames=frames)


def export_config(tables: dict[str, Any], out: str | Path, *, frames: int = FRAMES) -> Path:
    """The page that the run of a config was written to.

    Args:
        tables: The tables of the config.
        out: The page to write; its folder must be there.
        frames: The frames that it has, by default 300.

    Returns:
        The page.

    Raises:
        TokenfieldError: If the config cannot be run, or the page cannot be written.
    """
    run, config = _run(Config.from_dict(tables), frames)
    return write_page(run, out, config=config, frames=frames)


def _run(config: Config, frames: int) -> tuple[Trajectory, Config]:
    """The run of a config that saves what the page shows, and the config."""
    from tokenfield.study.simulate import solve_config

    tables = config.to_dict()
    is_log = config.solve.merge and config.solve.clock == "time"
    saved = config.solve.save if isinstance(config.solve.save, str) else f"log:{frames - 1}" if is_log else frames
    tables["solve"] = {**tables["solve"], "save": saved, "save_tokens": True}
    config = Config.from_dict(tables).resolved()
    return solve_config(config)[0], config


def write_page(
    run: Trajectory, out: str | Path, *, config: Config | None = None, frames: int = FRAMES, start: Any = None
) -> Path:
    """The page of a run, written to `out`.

    Args:
        run: A run that kept its states.
        out: The page to write; its folder must be there.
        config: The config of the run, which the page then shows; by default none.
        frames: The most frames that it has, by default 300.
        start: What the run started from, for its predictions; by default its first saved state.

    Returns:
        The page.

    Raises:
        InvalidInput: If the run kept no states along the way.
        FileError: If the page cannot be written.
    """
    out = Path(out)
    write_text(out, page(run, config=config, frames=frames, start=start))
    return out


def page(
    run: Trajectory,
    *,
    config: Config | None = None,
    frames: int = FRAMES,
    tokens: int | None = None,
    start: Any = None,
) -> str:
    """The page of a run as text; see `write_page`. Of more than `tokens` tokens it shows as many, evenly chosen."""
    data = gzip.compress(scene_bytes(run, config=config, frames=frames, tokens=tokens, start=start), 9, mtime=0)
    return _template().replace(PLACE, base64.b64encode(data).decode(), 1)


def in_notebook(run: Trajectory) -> str | None:
    """A frame of a notebook that plays the run; `None` where it cannot be shown so."""
    if run.states is None or len(run) < 2 or not TEMPLATE.exists():
        return None
    try:
        text = html.escape(page(run, frames=NOTEBOOK_FRAMES, tokens=NOTEBOOK_TOKENS), quote=True)
    except TokenfieldError:  # such as a run that blew up
        return None
    style = f"width:100%;height:{NOTEBOOK_HEIGHT}px;border:0"
    return f'<iframe title="the run" sandbox="allow-scripts" style="{style}" srcdoc="{text}"></iframe>'


def _template() -> str:
    try:
        text = TEMPLATE.read_text(encoding="utf-8")
    except OSError as error:
        raise FileError("the page of scenes was not built: make explorer builds it") from error
    if text.count(PLACE) != 1:
        raise FileError(f"{TEMPLATE.name} has no place for a scene: make explorer builds it anew")
    return text


def scene_bytes(
    run: Trajectory, *, config: Config | None, frames: int = FRAMES, tokens: int | None = None, start: Any = None
) -> bytes:
    """The frames of a run as the page reads them, before compression; see `write_page`."""
    if isinstance(frames, bool) or not isinstance(frames, int) or frames < 2:
        raise InvalidInput(f"a scene needs a whole number of frames from 2 on, got {frames!r}")
    chosen = np.unique(np.linspace(0, len(run) - 1, min(frames, len(run))).round().astype(int))
    times = np.asarray(run.ts, float)[chosen]
    laws = [run.state(int(i)) for i in chosen]
    scalars, more = _measured(run, laws, times)
    header: dict[str, Any] = {
        "type": "scene",
        "version": 1,
        "times": times.tolist(),
        "scalars": scalars,
        "n": 0,
        "d": int(run.model.geometry.d),
        "geometry": "sphere" if isinstance(run.model.geometry, Sphere) else "euclidean",
        "state": run.kind,
        "clock": "log" if run.mergers is not None and times[-1] > 1e3 * max(times[1], 1e-300) else "linear",
        "title": repr(run.model),
        "result": str(run.result),
        "config": None if config is None else config.to_dict(),
        "toml": None if config is None else config.to_toml(),
        "python": None if config is None else _python(config),
        **predicted(run.model, laws[0] if start is None else start, t0=float(times[0])),
    }
    arrays = _states(run, laws, more, header, tokens)
    return pack(header, arrays)


def _python(config: Config) -> str:
    from tokenfield.explorer.scene import Scene

    return Scene(config).python


def _measured(run: Trajectory, laws: list[Any], times: np.ndarray) -> tuple[dict[str, list[Any]], dict[str, Any]]:
    """Numbers by name, one for each frame, and the arrays that are measured, stacked along the frames."""
    rows, arrays = [], []
    every = 1 if getattr(run.final, "n", 0) <= HIDDEN_FROM else 10
    for k, (law, t) in enumerate(zip(laws, times, strict=True)):
        numbers = dict(measures.light(law))
        if k % every == 0 or k == len(laws) - 1:
            found, latest = measures.heavy(law, run.model, float(t))
            numbers |= found
        arrays.append(latest)
        rows.append(numbers)
    names = list(dict.fromkeys(name for row in rows for name in row))
    scalars = {name: [row.get(name) for row in rows] for name in names}
    return scalars, {name: np.stack([found[name] for found in arrays]) for name in arrays[0]}


def _states(
    run: Trajectory, laws: list[Any], more: dict[str, np.ndarray], header: dict[str, Any], tokens: int | None
) -> dict[str, np.ndarray]:
    """The arrays of the page; `header` is told how to read them."""
    arrays: dict[str, np.ndarray] = {}
    if run.kind == "gaussian":
        arrays["mean"], arrays["covariance"] = (
            np.stack([np.asarray(getattr(law, name)) for law in laws]) for name in ("mean", "covariance")
        )
    elif run.kind == "density":
        header["grid"] = described_grid(laws[0], None)
        shape = grid_shape(laws[0])
        _add_codes(arrays, header, "density", np.stack([np.asarray(law.values).reshape(shape) for law in laws]))
    else:
        _add_tokens(arrays, header, laws, more, tokens)
    for name in ("histogram", "spectrum"):
        if name in more:
            arrays[name] = more[name].astype(np.float32)
    return arrays


def _add_tokens(
    arrays: dict[str, np.ndarray], header: dict[str, Any], laws: list[Any], more: dict[str, Any], tokens: int | None
) -> None:
    n = laws[0].n
    shown = np.unique(np.linspace(0, n - 1, min(n, tokens or n)).round().astype(int))
    points, basis = [], None
    for law in laws:
        x = np.asarray(law.points)
        if x.shape[1] > 3:
            x, basis = measures.projected(x, basis)
            header["projected"] = True
        points.append(x[shown])
    header["n"] = len(shown)
    if len(shown) < n:
        header["of"] = n
    _add_codes(arrays, header, "points", np.stack(points))
    labels = more["labels"][:, shown]
    arrays["labels"] = np.concatenate([labels[:1], labels[1:] - labels[:-1]])
    header["labels"] = {"dtype": "u2", "shape": list(labels.shape)}
    weights = np.asarray(laws[0].weights)[shown]
    if np.ptp(weights) > 0:
        arrays["weights"] = weights
    if "gram" in more:
        arrays["gram"] = more["gram"][-1:]


def _add_codes(arrays: dict[str, np.ndarray], header: dict[str, Any], name: str, values: np.ndarray) -> None:
    if not np.all(np.isfinite(values)):
        raise InvalidInput("a scene shows finite numbers: this run has others")
    arrays[name], lo, hi = quantized(values)
    header[name] = {"dtype": "u2", "lo": lo, "hi": hi, "shape": list(values.shape)}
