"""`Picture`: a figure that shows itself in notebooks and saves itself as an image or an animation.

The only file that is written is the one that `Picture.save` is told to write. What is drawn is up to others.
"""

from __future__ import annotations

import io
import os
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import chain, islice
from pathlib import Path
from typing import Any

import numpy as np
import scipy
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from PIL import Image

from tokenfield._runtime.files import complete
from tokenfield._runtime.progress import Progress
from tokenfield.errors import FileError, InvalidInput, did_you_mean
from tokenfield.plot.style import styled

IMAGES = (".png", ".pdf", ".svg")
MOVIES = (".mp4", ".gif")
MOVIE_DPI = 150
MOST_FRAMES = 300  # longer runs are thinned out
LAST_FRAME_MS = 1500  # a looping GIF rests here before it starts again

Draw = Callable[[int], None]


@dataclass(frozen=True)
class Animation:
    """The frames of an animation, drawn one after the other when they are asked for.

    Args:
        open: a function without arguments that returns a figure and a function `draw(i)`, which draws frame i on it.
        count: the number of frames.

    >>> from tokenfield.plot.style import new_figure
    >>> figure = new_figure(2.0, 1.0)
    >>> animation = Animation(lambda: (figure, lambda i: None), 3)
    >>> [frame.shape for frame in animation.frames()]
    [(150, 300, 3), (150, 300, 3), (150, 300, 3)]
    """

    open: Callable[[], tuple[Figure, Draw]]
    count: int

    def frames(self) -> Iterator[np.ndarray]:
        """An iterator over the frames as images.

        Returns:
            Arrays of bytes, shape (height, width, 3). Each is valid until the next one is drawn. Heights and widths
            are even, as video needs.
        """
        figure, draw = self.open()
        figure.set_dpi(MOVIE_DPI)
        canvas = figure.canvas
        assert isinstance(canvas, FigureCanvasAgg)
        for i in range(self.count):
            draw(i)
            canvas.draw()
            if i == 0:
                figure.set_layout_engine("none")  # solved once: panels must not wander between frames
            pixels = np.asarray(canvas.buffer_rgba())
            height, width = (size - size % 2 for size in pixels.shape[:2])
            yield pixels[:height, :width, :3]


@dataclass(frozen=True, repr=False)
class Picture:
    """A figure that is ready for a paper: `save` writes it, and a notebook shows it.

    Args:
        figure: the figure of matplotlib.
        animation: the same thing in motion; by default `None`: it does not move.
        name: what it is called in messages; by default "picture".

    >>> from matplotlib.figure import Figure
    >>> Picture(Figure((4.0, 3.0)), name="curve")
    Picture(curve, 4 x 3 inches)
    """

    figure: Figure
    animation: Animation | None = None
    name: str = "picture"

    def save(self, path: str | os.PathLike[str], *, dpi: float = 300, fps: float = 20) -> Path:
        """The path of the file that was written; it appears only once it is complete.

        Args:
            path: where to write. The ending says what: .png, .pdf and .svg are images, .mp4 and .gif animations.
            dpi: dots per inch of a .png, and of what is rasterized inside a .pdf or .svg; by default 300.
            fps: frames per second of an animation, positive; by default 20.

        Returns:
            `path`, as a `pathlib.Path`.

        Raises:
            InvalidInput: the ending is unknown, the picture does not move, or `fps` is not positive.
            FileError: the file cannot be written.

        >>> import pathlib, tempfile
        >>> from matplotlib.figure import Figure
        >>> path = pathlib.Path(tempfile.mkdtemp()) / "figure.svg"
        >>> Picture(Figure((4.0, 3.0))).save(path).name
        'figure.svg'
        """
        path = Path(path)
        ending = path.suffix.lower()
        if ending not in IMAGES + MOVIES:
            shown = f"the ending '{path.suffix}'" if path.suffix else f"'{path.name}' without an ending"
            raise InvalidInput(f"cannot save a picture as {shown}{did_you_mean(ending, IMAGES + MOVIES)}")
        if ending in IMAGES:
            with complete(path) as part, styled():
                self.figure.savefig(part, format=ending[1:], dpi=dpi, metadata=_metadata(ending), **_options(ending))
            return path
        if not (np.isfinite(fps) and fps > 0):
            raise InvalidInput(f"an animation needs fps > 0, got {fps}")
        animation = self._animation_for(ending)
        write = _write_mp4 if ending == ".mp4" else _write_gif
        with complete(path) as part, styled(), Progress(f"writing {path.name}") as bar:
            write(part, _with_progress(animation, bar), fps)
        return path

    def _animation_for(self, ending: str) -> Animation:
        if self.animation is None:
            raise InvalidInput(
                f"the {self.name} does not move: save it as .png, .pdf or .svg; circle, sphere and space can be saved "
                f"as {ending}"
            )
        if self.animation.count < 2:
            raise InvalidInput("an animation needs at least two saved times: solve with save=101, for example")
        return self.animation

    def __repr__(self) -> str:
        width, height = self.figure.get_size_inches()
        frames = "" if self.animation is None else f", {self.animation.count} frames"
        return f"Picture({self.name}, {width:g} x {height:g} inches{frames})"

    def _repr_png_(self) -> bytes:
        buffer = io.BytesIO()
        with styled():
            self.figure.savefig(buffer, format="png", dpi=150)
        return buffer.getvalue()


def frame_indices(count: int) -> np.ndarray:
    """Which saved times become frames: all of them, or 300 evenly spaced ones with the first and the last.

    Args:
        count: the number of saved times.

    Returns:
        Indices of saved times, increasing.

    >>> frame_indices(4).tolist(), len(frame_indices(10_000))
    ([0, 1, 2, 3], 300)
    """
    return np.unique(np.linspace(0, count - 1, min(count, MOST_FRAMES)).round().astype(int))


def _with_progress(animation: Animation, bar: Progress) -> Iterator[np.ndarray]:
    for i, frame in enumerate(animation.frames(), start=1):
        yield frame
        bar.update(i / animation.count, f"frame {i} of {animation.count}")


def _options(ending: str) -> dict[str, Any]:
    """How hard a .png is compressed: saving takes a fifth less time than by default, the file a seventh more space."""
    return {"pil_kwargs": {"compress_level": 3}} if ending == ".png" else {}


def _metadata(ending: str) -> dict[str, Any]:
    # without the date, the same run gives the same bytes
    dates: dict[str, dict[str, Any]] = {".pdf": {"CreationDate": None}, ".svg": {"Date": None}}
    return {**dates.get(ending, {}), **({"Software": None} if ending == ".png" else {})}


def _write_gif(path: Path, frames: Iterator[np.ndarray], fps: float) -> None:
    # one palette for all keeps colors from flickering; it comes from frames that have trails already
    early = [frame.copy() for frame in islice(frames, 8)]  # the canvas draws the next frame over the last
    images = list(_with_palette(chain(early, frames), _palette(early)))
    durations = [max(round(1000 / fps), 20)] * (len(images) - 1) + [LAST_FRAME_MS]
    images[0].save(path, save_all=True, append_images=images[1:], duration=durations, loop=0, disposal=1)


def _palette(frames: list[np.ndarray]) -> np.ndarray:
    """At most 256 colors (m, 3) that serve all `frames`.

    Grays, of which the shading needs many close together, and colors, of which the tokens need all even where they
    are few, are chosen apart; a ramp serves the text.
    """
    pixels = np.concatenate([frame.reshape(-1, 3) for frame in frames])
    is_gray = np.ptp(pixels, axis=1) <= 10
    ramp = np.repeat(np.linspace(20, 255, 20).round().astype(np.uint8)[:, None], 3, axis=1)
    parts = [ramp, _choose_colors(pixels[is_gray], 44, Image.Quantize.MEDIANCUT)]
    if not is_gray.all():
        # each color counts once, so that large areas do not win
        distinct = np.unique(pixels[~is_gray] & 0xFC, axis=0)
        parts.append(_choose_colors(distinct, 192, Image.Quantize.MAXCOVERAGE))
    return np.concatenate(parts)


def _choose_colors(pixels: np.ndarray, count: int, method: Image.Quantize) -> np.ndarray:
    """At most `count` colors that serve the pixels (m, 3)."""
    image = Image.fromarray(np.ascontiguousarray(pixels[None])).quantize(colors=count, method=method)
    return np.array(image.getpalette(), dtype=np.uint8).reshape(-1, 3)[:count]


def _with_palette(frames: Iterator[np.ndarray], palette: np.ndarray) -> Iterator[Image.Image]:
    """The frames with each color replaced by the nearest of `palette`; Pillow's own search is off by a few shades."""
    nearest = scipy.spatial.cKDTree(palette.astype(float))
    known = np.full(1 << 24, -1, dtype=np.int16)
    for frame in frames:
        codes = frame.astype(np.int32) @ np.array([1 << 16, 1 << 8, 1], dtype=np.int32)
        new = np.unique(codes[known[codes] < 0])
        if len(new):
            known[new] = nearest.query(np.stack([new >> 16, (new >> 8) & 255, new & 255], axis=1))[1]
        image = Image.fromarray(known[codes].astype(np.uint8))
        image.putpalette(palette.tobytes())
        yield image


def _write_mp4(path: Path, frames: Iterator[np.ndarray], fps: float) -> None:
    first = next(frames)
    height, width = first.shape[:2]
    command = [_ffmpeg(), "-y", "-loglevel", "error", "-f", "rawvideo", "-pix_fmt", "rgb24"]
    command += ["-s", f"{width}x{height}", "-r", f"{fps:g}", "-i", "-", "-an", "-c:v", "libx264", "-crf", "18"]
    # players outside the laboratory need 4:2:0 and the index in front
    command += ["-preset", "medium", "-pix_fmt", "yuv420p", "-movflags", "+faststart", str(path)]
    with tempfile.TemporaryFile() as log:
        encoder = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=log)
        assert encoder.stdin is not None
        try:
            encoder.stdin.write(np.ascontiguousarray(first).tobytes())
            for frame in frames:
                encoder.stdin.write(frame.tobytes())
            encoder.stdin.close()
        except BrokenPipeError:
            pass  # the encoder's own message, below, says why
        except BaseException:
            encoder.kill()
            encoder.wait()
            raise
        if encoder.wait() != 0:
            log.seek(0)
            lines = log.read().decode(errors="replace").strip().splitlines()
            raise FileError(f"ffmpeg could not write the animation: {lines[-1] if lines else 'no reason given'}")


def _ffmpeg() -> str:
    found = shutil.which("ffmpeg")
    if found is not None:
        return found
    import imageio_ffmpeg

    try:
        return imageio_ffmpeg.get_ffmpeg_exe()
    except RuntimeError as error:
        raise FileError("there is no ffmpeg to write the movie with: install ffmpeg, or save a .gif") from error
