"""A real Chromium for tests of pages; they are skipped where there is none, and fail in continuous integration."""

from __future__ import annotations

import os
import shutil
from pathlib import Path
from typing import Any

import pytest

BROWSERS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
PLAIN = "headless=new no-sandbox disable-gpu disable-dev-shm-usage no-first-run"
QUIET = "disable-quic disable-background-networking disable-component-update disable-sync"
WEBGL = "use-gl=angle use-angle=swiftshader enable-unsafe-swiftshader"  # drawn by software


def open_chromium(profile: Path, *, webgl: bool = False) -> Any:
    """A browser with a profile of its own, which logs what the page and the network say."""
    binary = next((found for name in BROWSERS if (found := shutil.which(name))), None)
    driver = shutil.which("chromedriver")
    if not (binary and driver):
        message = "no Chromium with chromedriver on the PATH"
        if os.environ.get("CI"):
            pytest.fail(message)
        pytest.skip(message)
    from selenium import webdriver
    from selenium.webdriver.chrome.service import Service

    options = webdriver.ChromeOptions()
    options.binary_location = binary
    for argument in (*PLAIN.split(), *QUIET.split(), *(WEBGL.split() if webgl else ()), f"user-data-dir={profile}"):
        options.add_argument(f"--{argument}")
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    return webdriver.Chrome(options=options, service=Service(driver))


def resize(browser: Any, *, width: int = 1280, height: int = 900, scheme: str = "light") -> None:
    """Gives the page a size, and the user a taste for light or dark."""
    size = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 600}
    browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
    feature = {"name": "prefers-color-scheme", "value": scheme}
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": [feature]})
