"""Server time of the first screen in a new session of a warm server, and of a move of its sliders, against their limits; and how long a fresh
browser takes with the address of Budget, until it has run and its heading and all links are there.

The first two run the whole app for each move, of which a browser asks for the part with the sliders alone: what is printed is not too little.
Usage: python benchmarks/bench_start.py
"""

from __future__ import annotations

import sys
import time
from pathlib import Path
from statistics import median

from playwright.sync_api import expect, sync_playwright
from streamlit.testing.v1 import AppTest

from benchmarks.sizes import size
from benchmarks.thresholds import Measured, verdict
from tests import programs
from tests.browser.conftest import serving
from tests.browser.steps import AT_REST, LOADED, let_in, settled

FIRST, MOVE, PAINT, COLD, ANYWHERE = 2.0, 0.3, 1.0, 1.5, 2.0
"""Seconds, the last of a fresh browser on any machine."""
SESSIONS = size(5, 1)
WARM = size(1, 0)  # sessions and browsers before those that count
MOVES = (
    ("unchanged", 60),
    ("asked", 100),
    ("unchanged", 90),
    ("asked", 100_000),
    ("unchanged", 75),
    ("unchanged", 99),
    ("asked", 20_000),
    ("unchanged", 55),
)


def main() -> int:
    for _ in range(WARM):
        opened()  # what a warm server has behind it
    first = [opened()[0] for _ in range(SESSIONS)]
    _, app = opened()
    moves = []
    for key, value in MOVES[: size(len(MOVES), 2)]:
        (app.slider if key == "unchanged" else app.select_slider)(key=key).set_value(value)
        moves.append(run(app))
    fresh, painted = zip(*cold(), strict=True)
    return verdict(
        "start",
        [
            Measured("first screen", max(first), FIRST, "s"),
            Measured("sliders", max(moves), MOVE, "s"),
            Measured("first paint of Budget", median(painted), PAINT, "s"),
            Measured("Budget by its address", max(fresh), COLD, "s"),
            Measured("Budget by its address, on any machine", max(fresh), ANYWHERE, "s"),
        ],
    )


WATCH = """
const look = () => {
  const links = document.querySelectorAll(".st-key-sections a").length;
  const grey = document.querySelector('[data-testid="stSidebar"] [data-testid="stSkeleton"]');
  if (links && !grey && document.querySelector("h1")) window.rrThere ??= performance.now() / 1000;
  else requestAnimationFrame(look);
};
requestAnimationFrame(look);
"""


def cold() -> list[tuple[float, float]]:
    """Seconds from the address of Budget to heading and links, and to the first paint, in fresh browsers and with a warm server."""
    found = []
    with serving() as address, sync_playwright() as playwright:
        for _ in range(WARM + SESSIONS):
            chromium = playwright.chromium.launch(executable_path=programs.chromium(), args=["--no-sandbox"])
            page = chromium.new_context(**AT_REST).new_page()
            page.add_init_script(WATCH)
            let_in(page.context, address)
            page.goto(f"{address}/budget?table=titanic")
            expect(page.get_by_role("heading", name="Budget", exact=True)).to_be_visible(timeout=LOADED)
            expect(page.locator(".st-key-sections a").first).to_be_visible(timeout=LOADED)
            settled(page)
            painted = page.evaluate("performance.getEntriesByName('first-contentful-paint')[0].startTime") / 1000
            found.append((page.evaluate("window.rrThere"), painted))
            chromium.close()
    return found[WARM:]


def opened() -> tuple[float, AppTest]:
    """Seconds that a new session takes to show the first screen, and the session."""
    app = AppTest.from_file(str(Path(__file__).parents[1] / "navigation.py"), default_timeout=60)
    return run(app), app


def run(app: AppTest) -> float:
    """Seconds that one run takes."""
    started = time.perf_counter()
    app.run()
    seconds = time.perf_counter() - started
    if app.exception:
        raise RuntimeError(app.exception[0].message)
    return seconds


if __name__ == "__main__":
    sys.exit(main())
