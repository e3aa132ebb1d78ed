"""Time of one move of the ε slider on Budget and on Simulate, and of a switch of pages, with 32,561 people and 8 attributes (or with FILE).

In the browser: from the key to the figure with its new numbers and the page at rest, and frames in which the figure was away, pale or of
another height. On the server: the pages themselves. Both against a limit.
Usage: python benchmarks/bench_slider.py [FILE]
"""

from __future__ import annotations

import sys
import time
from collections.abc import Sequence
from pathlib import Path
from statistics import median
from typing import Any

from playwright.sync_api import Page, expect, sync_playwright
from streamlit.testing.v1 import AppTest

from benchmarks.sizes import size
from benchmarks.thresholds import Measured, verdict
from tests import programs
from tests.browser.conftest import serving
from tests.browser.steps import AT_REST, LOADED, go, let_in, settled

LIMIT, SEEN, SWITCH = 0.06, 0.15, 0.5
"""Seconds on the server, in the browser, and from a click on a link to the heading of the page."""
MOVES = size((0.8, 0.95, 0.7, 1.0, 0.6), (0.8,))
KEYS = size(("ArrowRight",) * 8 + ("ArrowLeft",) * 12, ("ArrowRight",))
FIGURES = {"budget": "figure_margin-of-error", "simulate": "figure_estimates"}
SLIDERS = {"budget": "Set all ε", "simulate": "Try another ε (does not change the plan)"}

TITLES = ("Data", "Budget", "Survey", "Analyze", "Lab", "Learn", "Release", "Simulate", "Budget")[: size(9, 2)]

WATCH = """(key) => {
  const seen = window.rrSeen = { frames: 0, away: 0, pale: 0, jumps: 0, drawn: 0, rest: 0 };
  const app = document.querySelector('[data-testid="stApp"]');
  const place = () => document.querySelector(`.st-key-${key} .js-plotly-plot`);
  const drawing = () => [...(place()?.querySelectorAll(".main-svg :is(path, text, image)") ?? [])]
    .map((part) => part.getAttribute("d") ?? part.getAttribute("href") ?? part.textContent).join();
  const before = drawing(), height = place().getBoundingClientRect().height;
  addEventListener("keydown", () => {
    const start = performance.now();
    let ran = false, last = before;
    const look = () => {
      const now = performance.now() - start, figure = place(), state = app.getAttribute("data-test-script-state"), drawn = drawing();
      seen.frames++;
      if (!figure || !drawn || !document.querySelector(".stMain h1")) seen.away++;
      else {
        for (let e = figure; e; e = e.parentElement) if (Number(getComputedStyle(e).opacity) < 1) { seen.pale++; break; }
        if (Math.abs(figure.getBoundingClientRect().height - height) > 1) seen.jumps++;
      }
      if (drawn && drawn !== last) { last = drawn; seen.drawn = now; }
      ran ||= state === "running";
      if (ran && state === "notRunning") seen.rest ||= now; else seen.rest = 0;
      if (!(seen.rest && seen.drawn && now - Math.max(seen.rest, seen.drawn) > 400) && now < 20000) requestAnimationFrame(look);
      else seen.over = true;
    };
    requestAnimationFrame(look);
  }, { once: true, capture: true });
}"""
"""From the next key on, frame by frame: when the figure was drawn last, when the page came to rest, and what a person would see flicker."""


def main() -> int:
    file = Path(sys.argv[1]) if len(sys.argv) > 1 else None
    on_server, (in_browser, switches) = measure(), seen(file)
    seen_in = [Measured(f"{page} in the browser", seconds, SEEN, "s") for page, seconds in in_browser.items()]
    switch = Measured("slowest switch of pages, to the heading", max(switches), SWITCH, "s")
    return verdict("slider", [Measured("budget on the server", on_server, LIMIT, "s"), *seen_in, switch])


def measure() -> float:
    """Seconds of a typical move on the server on Budget."""
    app = AppTest.from_file(str(Path(__file__).parents[1] / "navigation.py"), default_timeout=60)
    app.query_params["table"] = "census"
    app.run()
    app.switch_page("pages/budget/page.py").run()
    time.sleep(size(15, 0))  # lines that are traced once
    seconds = []
    for epsilon in MOVES:
        next(one for one in app.slider if one.label == SLIDERS["budget"]).set_value(epsilon)
        started = time.perf_counter()
        app.run()
        seconds.append(time.perf_counter() - started)
        if app.exception:
            raise RuntimeError(app.exception[0].message)
    return report("budget on the server", seconds)


def seen(file: Path | None) -> tuple[dict[str, float], list[float]]:
    """Seconds of typical moves in the browser, by page, and of switches of pages."""
    with serving() as address, sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=programs.chromium(), args=["--no-sandbox"])
        page = chromium.new_context(**AT_REST).new_page()
        let_in(page.context, address)
        page.goto(address if file else f"{address}/budget?table=census")
        settled(page)
        if file is not None:
            page.locator("input[type=file]").first.set_input_files(file)
        found = {}
        for name, key in FIGURES.items():
            if name != "budget":
                go(page, name.capitalize())
            expect(page.locator(f".st-key-{key} .js-plotly-plot")).to_be_visible(timeout=LOADED)
            settled(page)
            page.wait_for_timeout(size(15_000, 0))  # lines that are traced once
            found[name] = watch(page, name)
        return found, [switched(page, title) for title in TITLES]


def switched(page: Page, title: str) -> float:
    """Seconds from a click on the link of a page to its heading."""
    start = time.perf_counter()
    page.get_by_role("link", name=title, exact=True).first.click()
    page.get_by_role("heading", name=title, exact=True).wait_for(timeout=LOADED)
    seconds = time.perf_counter() - start
    settled(page)
    print(f"switch to {title}: {seconds:.2f} s to the heading, {time.perf_counter() - start:.2f} s to rest")
    return seconds


def watch(page: Page, name: str) -> float:
    """Seconds of a typical move of the slider in the browser."""
    slider = page.get_by_role("slider", name=SLIDERS[name])
    seconds, flicker = [], 0
    for key in KEYS:
        slider.focus()
        page.evaluate(WATCH, FIGURES[name])
        slider.press(key)
        found: dict[str, Any] = {}
        while not found.get("over"):
            page.wait_for_timeout(100)
            found = page.evaluate("window.rrSeen")
        seconds.append(max(found["drawn"], found["rest"]) / 1000)
        flicker += found["away"] + found["pale"] + found["jumps"]
    print(f"{name} in the browser: {flicker} frames in which the figure was away, pale or of another height")
    return report(f"{name} in the browser", seconds)


def report(what: str, seconds: Sequence[float]) -> float:
    """Print the median and the slowest, and return the median."""
    print(f"{what}: {len(seconds)} moves, median {median(seconds):.3f} s, slowest {max(seconds):.3f} s")
    return median(seconds)


if __name__ == "__main__":
    sys.exit(main())
