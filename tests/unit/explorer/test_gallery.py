"""Every ready scene can be run, and says where it is from."""

from __future__ import annotations

import json

import numpy as np
import pytest
from PIL import Image

from tokenfield.errors import InvalidInput
from tokenfield.explorer import gallery
from tokenfield.explorer.frames import unpack
from tokenfield.explorer.scene import Scene
from tokenfield.explorer.system import System

SCENES = {scene["id"]: scene for scene in gallery.listed()}


def test_scenes_have_two_sentences_and_a_source():
    assert len(SCENES) == len(gallery.listed()) >= 20
    for scene in SCENES.values():
        assert set(scene) == {"id", "title", "text", "source", "config"}
        sentences = scene["text"].replace("e^{-|Qx - Ky|^2}", "").rstrip(".").split(". ")
        assert len(sentences) == 2, scene["text"]
        assert scene["source"].startswith("arXiv ")
        Scene.of(scene["config"])


def test_the_tour_has_seven_stops_from_two_tokens_to_metastability():
    stops = gallery.tour()
    assert len(stops) == 7 and all(stop["scene"] in SCENES and stop["text"] and stop["try"] for stop in stops)
    assert stops[0]["scene"] == "two-tokens" and stops[-1]["scene"] == "long-times"


def test_scenes_are_found_by_name():
    assert gallery.config_of("circle")["geometry"] == {"dim": 2}
    with pytest.raises(InvalidInput, match="did you mean 'circle'"):
        gallery.config_of("cirle")


@pytest.mark.slow
@pytest.mark.parametrize("name", SCENES)
def test_every_scene_plays(name):
    system = System(Scene.of(SCENES[name]["config"]))
    frames = [unpack(system.first_frame())]
    for _ in range(400):
        data = system.frame()
        frames += [] if data is None else [unpack(data)]
        if len(frames) == 4:
            break
    assert len(frames) == 4, system.result
    state = next(key for key in ("points", "density", "covariance") if key in frames[0][1])
    first, last = (frame[1][state] for frame in (frames[0], frames[-1]))
    assert np.all(np.isfinite(last)) and np.any(first != last)
    assert system.described()["python"] and system.predictions()["predictions"]


def test_every_scene_has_a_small_picture():
    """They are drawn by `make explorer-thumbnails`, all of one theme in one file, a row for each scene."""
    folder = gallery.FILE.parent / "web/src/thumbnails"
    if not folder.exists():  # installed without the sources of the page
        pytest.skip("no sources")
    assert json.loads((folder / "scenes.json").read_text()) == [scene["id"] for scene in gallery.listed()]
    for theme in ("light", "dark"):
        width, height = Image.open(folder / f"{theme}.webp").size
        assert height * 16 == width * 9 * len(gallery.listed())
        assert (folder / f"{theme}.webp").stat().st_size < 100_000
