"""A real Chromium for tests of pages; they are skipped where there is none, and fail in continuous integration."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

from tokenfield.benchmarks import chromium


def open_chromium(profile: Path, *, webgl: bool = False) -> Any:
    """A browser with a profile of its own, which logs what the page and the network say."""
    browser = chromium.open_chromium(profile, webgl=webgl)
    if browser is None:
        message = "no Chromium with chromedriver on the PATH"
        if os.environ.get("CI"):
            pytest.fail(message)
        pytest.skip(message)
    return browser


def resize(browser: Any, *, width: int = 1280, height: int = 900, scheme: str = "light") -> None:
    """Gives the page a size, and the user a taste for light or dark."""
    size = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 600}
    browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
    feature = {"name": "prefers-color-scheme", "value": scheme}
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": [feature]})
