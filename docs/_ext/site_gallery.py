"""What the gallery shows of an example: the pictures that its blocks make, and a scene of its `run`.

A scene is one page that plays (`Trajectory.to_html`). Scenes are written to `gallery/scenes`, then copied.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from matplotlib.figure import Figure
from sphinx.application import Sphinx
from sphinx_gallery.scrapers import figure_rst

from tokenfield import Trajectory
from tokenfield.errors import TokenfieldError
from tokenfield.plot import Picture

DPI = 160
MOST_FRAMES = 120
MOST_TOKENS = 2000  # more would make a page of many megabytes


def _pictures(namespace: dict[str, Any], seen: set[int]) -> Iterable[Picture]:
    for value in list(namespace.values()):
        if isinstance(value, Figure):
            value = Picture(value)
        if isinstance(value, Picture) and id(value.figure) not in seen:
            seen.add(id(value.figure))
            yield value


def scrape(block: Any, block_vars: dict[str, Any], gallery_conf: dict[str, Any]) -> str:
    """Saves the new pictures of a block and returns the reStructuredText that shows them."""
    seen = block_vars.setdefault("pictures_seen", set())
    paths = []
    for picture in _pictures(block_vars["example_globals"], seen):
        path = Path(next(block_vars["image_path_iterator"]))
        picture.save(path, dpi=DPI)
        paths.append(str(path))
    if not paths:
        return ""
    return figure_rst(paths, gallery_conf["src_dir"]) + _scene(block_vars, Path(gallery_conf["src_dir"]))


def _scene(block_vars: dict[str, Any], docs: Path) -> str:
    """The link to a scene of the example's `run`, below its first picture; empty if there is nothing to watch."""
    run = block_vars["example_globals"].get("run")
    is_small = isinstance(run, Trajectory) and getattr(run.final, "n", 0) <= MOST_TOKENS
    if block_vars.get("has_scene") or not is_small or len(run) < 20:
        return ""
    page = docs / "gallery" / "scenes" / f"{Path(block_vars['src_file']).stem.removeprefix('plot_')}.html"
    page.parent.mkdir(exist_ok=True, parents=True)
    try:
        run.to_html(page, frames=MOST_FRAMES)
    except TokenfieldError:  # laws that the explorer cannot draw
        return ""
    block_vars["has_scene"] = True
    words = "Watch it move: a page that plays, turns and scrubs"
    link = f'<p class="scene"><a href="../../scenes/{page.name}">{words}</a></p>'
    return f"\n.. raw:: html\n\n    {link}\n\n"


def _copy_scenes(app: Sphinx, error: Exception | None) -> None:
    scenes = Path(app.srcdir) / "gallery" / "scenes"
    if error is None and scenes.is_dir():
        shutil.copytree(scenes, Path(app.outdir) / "scenes", dirs_exist_ok=True)


def setup(app: Sphinx) -> dict[str, Any]:
    """Copies the scenes beside the pages."""
    app.connect("build-finished", _copy_scenes)
    return {"parallel_read_safe": True, "parallel_write_safe": True}


def _get_sg_image_scraper() -> Any:
    """What the gallery calls to find the scraper of this module."""
    return scrape
