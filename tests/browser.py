"""A headless Chromium for tests of pages; tests that need it skip where it, playwright or viser is not installed."""

from __future__ import annotations

import contextlib
import io
import shutil
import time
from collections.abc import Iterator
from typing import Any

import matplotlib.image
import numpy as np
import pytest

SIZE = {"width": 480, "height": 320}
NAMES = ("chromium", "chromium-browser", "google-chrome")
BACKENDS = (
    ["--use-gl=angle", "--use-angle=gl-egl", "--ignore-gpu-blocklist"],
    ["--use-angle=swiftshader", "--enable-unsafe-swiftshader"],
)
"""WebGL by the machine's own EGL, which may draw on the CPU; where there is none by Chromium's, ten times slower."""
WEBGL = "!!document.createElement('canvas').getContext('webgl2')"


@contextlib.contextmanager
def chromium() -> Iterator[Any]:
    """A running browser."""
    pytest.importorskip("viser", reason="the extra show is not installed")
    playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    path = next(filter(None, map(shutil.which, NAMES)), None)
    if path is None:
        pytest.skip("no Chromium is installed")
    with playwright.sync_playwright() as driver:
        for flags in BACKENDS:
            browser = driver.chromium.launch(executable_path=path, args=["--no-sandbox", *flags])
            if browser.new_page().evaluate(WEBGL):
                break
            browser.close()
        else:
            pytest.skip("this Chromium has no WebGL")
        try:
            yield browser
        finally:
            browser.close()


class Window:
    """A window of a browser, and what went wrong in it."""

    def __init__(self, browser: Any, address: str):
        context = browser.new_context(viewport=SIZE, offline=address.startswith("file:"))
        context.set_default_timeout(60_000)
        self.page = context.new_page()
        self.faults: list[str] = []
        self.page.on("console", lambda m: self.faults.append(m.text) if m.type == "error" else None)
        self.page.on("pageerror", lambda error: self.faults.append(str(error)))
        self.page.on("requestfailed", lambda request: self.faults.append(request.url))
        self.page.goto(address)
        self.page.wait_for_selector("canvas")
        # what viser says about drawing on the CPU would lie over the picture
        self.page.add_style_tag(content=".mantine-Notifications-root{display:none}")

    def picture(self) -> np.ndarray:
        """Colours (height, width, 3) from 0 to 1."""
        return matplotlib.image.imread(io.BytesIO(self.page.locator("canvas").first.screenshot()), format="png")[
            ..., :3
        ]

    def drawn(self) -> np.ndarray:
        """The picture, once there is more in it than floor and sky."""
        return self.until(self.picture, lambda image: float(np.ptp(image, axis=2).max()) > 0.3)

    def changed(self, before: np.ndarray) -> np.ndarray:
        """The picture, once it differs from `before`."""
        return self.until(self.picture, lambda image: differ(image, before))

    def still(self) -> np.ndarray:
        """The picture, once it no longer changes."""
        last = [self.drawn()]
        while not last[1:] or differ(*last[-2:]):
            assert len(last) < 60, "the picture never comes to rest"
            self.page.wait_for_timeout(300)
            last.append(self.picture())
        return last[-1]

    def until(self, look: Any, good: Any, seconds: float = 30.0) -> Any:
        """What is seen once it is good."""
        end = time.monotonic() + seconds
        while True:
            seen = look()
            if good(seen):
                return seen
            assert time.monotonic() < end, f"waited in vain: {seen!r}"
            self.page.wait_for_timeout(200)

    def __enter__(self) -> Window:
        return self

    def __exit__(self, kind: type | None, *_: object) -> None:
        """Close the window; there must have been no error in it."""
        self.page.context.close()
        assert kind is not None or self.faults == []


def differ(one: np.ndarray, other: np.ndarray) -> bool:
    """Whether more than a few pixels of two pictures differ."""
    return one.shape != other.shape or changed_share(one, other) > 0.001


def changed_share(one: np.ndarray, other: np.ndarray) -> float:
    """Fraction of the pixels that differ between two pictures of one size."""
    return float((np.abs(one - other).max(axis=2) > 0.1).mean())
