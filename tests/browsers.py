"""A headless browser, and the actions of a reader of a page."""

from __future__ import annotations

import os
import shutil
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

# Google Chrome is preferred: chromedriver has its version, and Ubuntu lets only Chrome create a sandbox.
CHROMIUM = next(filter(None, map(shutil.which, ("google-chrome", "chromium", "chromium-browser"))), None)
DRIVER = shutil.which("chromedriver")

PATIENCE = 10.0
"""Maximum number of seconds to wait for a page."""


class Reader:
    """A browser that reads one page at a time."""

    def __init__(self, driver: Any) -> None:
        self.driver = driver

    def open(self, page: Path, address: str = "") -> None:
        """Open a page anew, with the fragment ``address``, and wait until it is drawn."""
        self.driver.get("about:blank")
        self.driver.get(page.as_uri() + (f"#{address}" if address else ""))
        self.wait(lambda: self.run("return document.documentElement.classList.contains('drawn')"))

    def run(self, script: str, *arguments: Any) -> Any:
        """Run a script in the page, and return its result."""
        return self.driver.execute_script(script, *arguments)

    def wait(self, until: Callable[[], Any]) -> None:
        """Wait until a condition holds; fail after ``PATIENCE`` seconds."""
        end = time.monotonic() + PATIENCE
        while not until():
            assert time.monotonic() < end, "the condition does not hold"
            time.sleep(0.02)

    def all(self, selector: str) -> list[Any]:
        """Return all elements that match."""
        return list(self.driver.find_elements("css selector", selector))

    def one(self, selector: str) -> Any:
        """Wait for an element that matches, and return it."""
        self.wait(lambda: self.all(selector))
        return self.all(selector)[0]

    def texts(self, selector: str) -> list[str]:
        """Return the texts of all elements that match."""
        result = self.run("return [...document.querySelectorAll(arguments[0])].map((one) => one.innerText)", selector)
        return [text.strip() for text in result]

    def numbers(self, selector: str) -> list[float]:
        """Return the numbers, unrounded, of all elements that match."""
        script = "return [...document.querySelectorAll(arguments[0])].map((one) => Number(one.value))"
        return list(self.run(script, selector))

    def click(self, selector: str) -> None:
        """Press the element that matches."""
        element = self.one(selector)
        self.run("arguments[0].scrollIntoView({ block: 'center' })", element)
        element.click()

    def press(self, *keys: str) -> None:
        """Press keys in the focused element, one after the other."""
        from selenium.webdriver.common.action_chains import ActionChains

        ActionChains(self.driver, duration=0).send_keys(*keys).perform()

    def choose(self, selector: str, option: str) -> None:
        """Choose an option by its text."""
        from selenium.webdriver.support.select import Select

        Select(self.one(selector)).select_by_visible_text(option)

    @property
    def address(self) -> str:
        """The fragment of the address, without ``#``."""
        return str(self.run("return location.hash")).removeprefix("#")

    @property
    def focused(self) -> str:
        """The text of the focused element."""
        return str(self.run("return document.activeElement.innerText")).strip()

    @property
    def complaints(self) -> list[str]:
        """The messages of the console, and the addresses of other files that the page requested."""
        names = self.run("return performance.getEntriesByType('resource').map((one) => one.name)")
        return [entry["message"] for entry in self.driver.get_log("browser")] + list(names)

    @contextmanager
    def media(self, *, scheme: str = "light", kind: str = "", width: int = 1400) -> Iterator[None]:
        """Display the page with another color scheme, on paper, or on a screen of another width in pixels."""
        self._media(scheme, kind, width)
        try:
            yield
        finally:
            self._media("light", "", 1400)

    def _media(self, scheme: str, kind: str, width: int) -> None:
        features = [{"name": "prefers-color-scheme", "value": scheme}]
        self.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": kind, "features": features})
        size = {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": False}
        self.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)


@contextmanager
def reader() -> Iterator[Reader]:
    """Start a browser; the test is skipped if none is installed."""
    if not (CHROMIUM and DRIVER):
        pytest.skip("chromium and chromedriver are not on the PATH")
    from selenium.webdriver import Chrome, ChromeOptions
    from selenium.webdriver.chrome.service import Service

    options = ChromeOptions()
    options.binary_location = CHROMIUM
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    for argument in ("--headless=new", "--disable-gpu", "--disable-dev-shm-usage", "--hide-scrollbars"):
        options.add_argument(argument)
    if os.geteuid() == 0:
        options.add_argument("--no-sandbox")  # Chromium has no sandbox for root
    driver = Chrome(options, Service(DRIVER))
    try:
        started = Reader(driver)
        with started.media():
            yield started
    finally:
        driver.quit()
