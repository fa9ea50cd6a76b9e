"""What the gallery shows of an example: the pictures that its blocks make, and a scene of its `run`.

A scene is one page that plays (`Trajectory.to_html`). Scenes are written to `gallery/scenes`, then copied.
"""

from __future__ import annotations

import re
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


def _words(figure: Figure) -> str:
    """What the panels of a figure show, for those who do not see it: their titles, or what is against what."""
    panels = [
        axes.get_title() or " against ".join(filter(None, (axes.get_ylabel(), axes.get_xlabel())))
        for axes in figure.axes
    ]
    words = ", ".join(dict.fromkeys(filter(None, panels))).replace("\n", " ")
    words = re.sub(r"\\(?:mathrm|mathbb|,|;|:|left|right)", "", words).replace(r"\langle", "<").replace(r"\rangle", ">")
    return re.sub(r"[$\\{}]|\s+(?=\s)", "", words)


def scrape(block: Any, block_vars: dict[str, Any], gallery_conf: dict[str, Any]) -> str:
    """Saves the new pictures of a block and returns the reStructuredText that shows them."""
    seen = block_vars.setdefault("pictures_seen", set())
    paths, words = [], []
    for picture in _pictures(block_vars["example_globals"], seen):
        path = Path(next(block_vars["image_path_iterator"]))
        picture.save(path, dpi=DPI)
        paths.append(str(path))
        words.append(_words(picture.figure))
    if not paths:
        return ""
    docs = Path(gallery_conf["src_dir"])
    title = next(line for line in Path(block_vars["src_file"]).read_text(encoding="utf-8").splitlines()[1:] if line)
    alt = ": ".join((title, "; ".join(dict.fromkeys(filter(None, words)))))
    return figure_rst(paths, docs, alt.removesuffix(": ")) + _scene(block_vars, docs)


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


def _name_links(app: Sphinx, page: str, template: str, context: dict[str, Any], tree: Any) -> None:
    """Small pictures are links that have a name once, for readers of a screen too; there are no tags to list."""
    if page.startswith("gallery/") and page.endswith("index"):
        body = context["body"].replace("<div id='sg-tag-list' class='sphx-glr-tag-list'></div>", "")
        title = 'class="sphx-glr-thumbnail-title"'
        context["body"] = body.replace(title, f'{title} aria-hidden="true"')


def setup(app: Sphinx) -> dict[str, Any]:
    """Copies the scenes beside the pages."""
    app.connect("build-finished", _copy_scenes)
    app.connect("html-page-context", _name_links)
    return {"parallel_read_safe": True, "parallel_write_safe": True}


def _get_sg_image_scraper() -> Any:
    """What the gallery calls to find the scraper of this module."""
    return scrape
