"""A real Chromium for what has to be seen in a browser: the benchmark of the explorer, tests of pages."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

BROWSERS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
PLAIN = "headless=new no-sandbox disable-gpu disable-dev-shm-usage no-first-run"
QUIET = "disable-quic disable-background-networking disable-component-update disable-sync"
WEBGL = "use-gl=angle use-angle=swiftshader enable-unsafe-swiftshader"  # drawn by software


def open_chromium(profile: Path, *, webgl: bool = False) -> Any | None:
    """A browser without a window, driven by selenium, which logs what the page and the network say.

    Args:
        profile: A folder for its profile.
        webgl: Whether it draws WebGL, by software.

    Returns:
        The browser; `None` where Chromium, chromedriver or selenium is missing.
    """
    binary = next((found for name in BROWSERS if (found := shutil.which(name))), None)
    driver = shutil.which("chromedriver")
    if not (binary and driver):
        return None
    try:
        from selenium import webdriver
        from selenium.webdriver.chrome.service import Service
    except ImportError:
        return None

    options = webdriver.ChromeOptions()
    options.binary_location = binary
    for argument in (*PLAIN.split(), *QUIET.split(), *(WEBGL.split() if webgl else ()), f"user-data-dir={profile}"):
        options.add_argument(f"--{argument}")
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    return webdriver.Chrome(options=options, service=Service(driver))
