"""Figures inside a page: read from their files, embedded as data."""

from __future__ import annotations

import base64
import io
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from PIL import Image

from tokenfield.report.text import escape

SHOWN = 0.55  # size of a figure on the page: its letters are then about as large as the text
MOST_BYTES = 60_000  # of a figure that is kept without loss


@dataclass(frozen=True)
class Picture:
    """A picture as a data URI, and its size in pixels."""

    uri: str
    width: int
    height: int


def read_picture(path: Path) -> Picture | None:
    """A picture as WebP on white, or None if it cannot be read."""
    try:
        with Image.open(path) as opened:
            rgba = opened.convert("RGBA")
    except OSError:
        return None
    opaque = Image.new("RGB", rgba.size, "white")
    opaque.paste(rgba, mask=rgba.getchannel("A"))
    data = _webp(opaque, lossless=True, quality=50, method=2)
    if len(data) > MOST_BYTES:  # a heat map or a cloud of points: there loss is not seen
        data = min(data, _webp(opaque, quality=85, method=4), key=len)
    return Picture(f"data:image/webp;base64,{base64.b64encode(data).decode()}", *opaque.size)


def figure(picture: Picture, alt: str) -> str:
    """The picture as HTML, with words for those who do not see it."""
    shown = f'width="{round(SHOWN * picture.width)}" height="{round(SHOWN * picture.height)}"'
    return f'<figure><img src="{picture.uri}" {shown} alt="{escape(alt)}" decoding="async"></figure>'


def _webp(image: Image.Image, **options: Any) -> bytes:
    buffer = io.BytesIO()
    image.save(buffer, "WEBP", **options)
    return buffer.getvalue()
