"""What the gallery shows of an example: the pictures that its blocks make, a small one, and a scene of its `run`.

A scene is one page that plays (`Trajectory.to_html`). Scenes are written to `gallery/scenes`, then copied.
"""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from matplotlib.figure import Figure
from PIL import Image
from sphinx.application import Sphinx
from sphinx_gallery.scrapers import figure_rst
from sphinx_gallery.utils import scale_image

from tokenfield import Trajectory
from tokenfield.errors import TokenfieldError
from tokenfield.plot import Picture

DPI = 160
MOST_FRAMES = 120
MOST_TOKENS = 2000  # more would make a page of many megabytes
# the panel of the first picture that the index shows of an example; the whole picture would be too small to see
PANELS = {
    "circle_clusters": 1,
    "metastable_sphere": 1,
    "density_sphere": 3,
    "keller_segel": 0,
    "masked_density": 0,
    "three_clusters": 1,
    "causal_centers": 0,
    "fate": 2,
    "resnet": 5,
    "sinkformer": 1,
    "many_tokens": 1,
    "construction_and_training": 3,
    "match": 0,
    "sequences": 0,
    "steer": 1,
}


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


def _save_panel(figure: Figure, panel: int, whole: Path, path: Path) -> None:
    """Cuts one panel, with its labels, out of the picture of a figure."""
    box = figure.axes[panel].get_tightbbox().transformed(figure.transFigure.inverted()).padded(0.01)
    with Image.open(whole) as image:
        corners = (max(0.0, box.x0), 1 - min(1.0, box.y1), min(1.0, box.x1), 1 - max(0.0, box.y0))
        pixels = [round(share * length) for share, length in zip(corners, image.size * 2, strict=True)]
        image.crop(tuple(pixels)).save(path)


def _show_panels(app: Sphinx) -> None:
    """Makes a panel the small picture of an example, where one is named, after the gallery has made its own."""
    size = app.config.sphinx_gallery_conf["thumbnail_size"]
    for name in PANELS:
        for panel in (Path(app.srcdir) / "gallery").glob(f"*/images/plot_{name}_panel.png"):
            scale_image(panel, panel.parent / "thumb" / f"sphx_glr_plot_{name}_thumb.png", *size)


def scrape(block: Any, block_vars: dict[str, Any], gallery_conf: dict[str, Any]) -> str:
    """Saves the new pictures of a block and returns the reStructuredText that shows them."""
    seen = block_vars.setdefault("pictures_seen", set())
    paths, words = [], []
    for picture in _pictures(block_vars["example_globals"], seen):
        path = Path(next(block_vars["image_path_iterator"]))
        picture.save(path, dpi=DPI)
        source = Path(block_vars["src_file"]).stem
        panel = PANELS.get(source.removeprefix("plot_"))
        if panel is not None and path.stem.endswith("_001"):
            _save_panel(picture.figure, panel, path, path.with_name(f"{source}_panel.png"))
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
    """Small pictures are links that have a name once, for readers of a screen too; there are no tags to list.

    Pictures of examples are links to themselves, which a phone can then show as large as they are.
    """
    if page.startswith("gallery/") and not page.endswith("index"):
        image = r'(<img src="([^"]+)"[^>]* class = "sphx-glr-single-img"/>)'
        context["body"] = re.sub(image, r'<a class="picture" href="\2">\1</a>', context["body"])
    if page.startswith("gallery/") and page.endswith("index"):
        body = context["body"].replace("<div id='sg-tag-list' class='sphx-glr-tag-list'></div>", "")
        title = 'class="sphx-glr-thumbnail-title"'
        context["body"] = body.replace(title, f'{title} aria-hidden="true"')


def setup(app: Sphinx) -> dict[str, Any]:
    """Makes small pictures, copies the scenes beside the pages, and mends links."""
    app.connect("builder-inited", _show_panels, priority=900)
    app.connect("build-finished", _copy_scenes)
    app.connect("html-page-context", _name_links)
    return {"parallel_read_safe": True, "parallel_write_safe": True}


def _get_sg_image_scraper() -> Any:
    """What the gallery calls to find the scraper of this module."""
    return scrape
