"""Draws the small pictures of the gallery: `make explorer-thumbnails`, or `SCENES="circle noise"` for some of them.

Every scene is opened on the real page in a real Chromium, and its stage is photographed at a moment that shows what the
scene is about, light and dark. All pictures of one theme are one file, in the order of `scenes.json`.
"""

from __future__ import annotations

import base64
import io
import json
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

from PIL import Image

from tokenfield._runtime.files import make_folder, temporary_folder, write_text
from tokenfield.benchmarks.chromium import open_chromium
from tokenfield.explorer import gallery

FOLDER = Path(__file__).parent / "src/thumbnails"
THEMES = ("light", "dark")
SIZE = (224, 126)
QUALITY = 62
PATIENCE_S = 90.0
FRAME = 90  # of 300, unless a scene is best seen at another
FRAMES = {
    "two-tokens": 60,
    "frame": 110,
    "metastable-sphere": 75,
    "three-from-uniform": 150,
    "density-three": 150,
    "density-four": 150,
    "gaussian": 25,
    "density-sphere": 220,
    "long-times": 200,
    "five-tokens": 200,
}


def main(chosen: list[str]) -> None:
    scenes = [scene["id"] for scene in gallery.listed()]
    pictures = _kept() | _photographs(chosen or scenes)
    make_folder(FOLDER)
    for place, theme in enumerate(THEMES):
        sheet = Image.new("RGB", (SIZE[0], SIZE[1] * len(scenes)))
        for row, scene in enumerate(scenes):
            sheet.paste(pictures[scene][place], (0, row * SIZE[1]))
        sheet.save(FOLDER / f"{theme}.webp", quality=QUALITY, method=6)
    write_text(FOLDER / "scenes.json", json.dumps(scenes, indent=2) + "\n")


def _kept() -> dict[str, list[Image.Image]]:
    """The pictures that are there, by scene."""
    if not (FOLDER / "scenes.json").exists():
        return {}
    sheets = [Image.open(FOLDER / f"{theme}.webp").convert("RGB") for theme in THEMES]
    scenes = json.loads((FOLDER / "scenes.json").read_text())
    boxes = {scene: (0, row * SIZE[1], SIZE[0], (row + 1) * SIZE[1]) for row, scene in enumerate(scenes)}
    return {scene: [sheet.crop(box) for sheet in sheets] for scene, box in boxes.items()}


def _photographs(scenes: list[str]) -> dict[str, list[Image.Image]]:
    command = [sys.executable, "-m", "tokenfield", "explore", "--no-browser", "--port", "0"]
    server = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    assert server.stdout is not None
    address = server.stdout.readline().strip()
    with temporary_folder() as profile:
        browser = open_chromium(profile, webgl=True)
        if browser is None:
            raise SystemExit("it needs Chromium, chromedriver and selenium")
        try:
            return {one: _photographed(browser, f"{address}?scene={one}", FRAMES.get(one, FRAME)) for one in scenes}
        finally:
            browser.quit()
            server.terminate()
            server.wait(30)


def _photographed(browser: Any, address: str, frame: int) -> list[Image.Image]:
    """The stage of one scene at a frame, light and dark."""
    browser.execute_cdp_cmd(
        "Emulation.setDeviceMetricsOverride", {"width": 1280, "height": 720, "deviceScaleFactor": 1, "mobile": False}
    )
    browser.get("about:blank")
    browser.get(address)
    browser.execute_script("document.documentElement.classList.add('presenting')")
    end = time.monotonic() + PATIENCE_S
    look = """return [Number(document.querySelector('.scrub')?.max ?? 0),
                      document.querySelector('.notice')?.textContent ?? '']"""
    while time.monotonic() < end:
        count, notice = browser.execute_script(look)
        if count >= frame or (count > 3 and notice):
            break
        time.sleep(0.1)
    browser.execute_script(
        "const s = document.querySelector('.scrub'); s.value = Math.min(arguments[0], s.max);"
        "s.dispatchEvent(new Event('input'))",
        frame,
    )
    box = "const b = document.querySelector('.theatre').getBoundingClientRect(); return [b.x, b.y, b.width, b.height]"
    pictures = []
    for scheme in THEMES:
        feature = {"name": "prefers-color-scheme", "value": scheme}
        browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": [feature]})
        time.sleep(0.6)
        x, y, width, height = browser.execute_script(box)
        wide = min(width, height * SIZE[0] / SIZE[1])
        tall = wide * SIZE[1] / SIZE[0]
        clip = {"x": x + (width - wide) / 2, "y": y + (height - tall) / 2, "width": wide, "height": tall, "scale": 1}
        data = browser.execute_cdp_cmd("Page.captureScreenshot", {"format": "png", "clip": clip})["data"]
        picture = Image.open(io.BytesIO(base64.b64decode(data))).convert("RGB")
        pictures.append(picture.resize(SIZE, Image.Resampling.LANCZOS))
    return pictures


if __name__ == "__main__":
    main(sys.argv[1:])
