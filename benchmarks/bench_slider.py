"""Time of one move of the level slider on Budget and on "Perturb & estimate", on a table of 32,561 people and 8 attributes (or on FILE).

In the browser: from the key to the figure with its new numbers and the page at rest, and frames in which the figure was away, pale or of
another height. On the server: the pages themselves, mechanism by mechanism. Both against a limit.
Usage: python benchmarks/bench_slider.py [FILE]
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from statistics import median
from typing import Any

from playwright.sync_api import Page, expect, sync_playwright
from streamlit.testing.v1 import AppTest

from benchmarks.sizes import size
from benchmarks.thresholds import verdict
from rrcore.mechanisms import safe_recipe_width
from tests.browser.conftest import chromium_path, serving
from tests.browser.steps import AT_REST, LOADED, go, let_in, settled

LIMIT, SEEN, ANYWHERE = 0.5, 0.2, 0.4
"""Seconds on the server with whatever mechanism, seconds in the browser with the one that a plan begins with, and these on any machine."""
PATIENCE = 120
MOVES = size((0.9, 1.1, 0.8, 1.2, 0.7), (0.9,))
MECHANISMS = size(("kronecker", "pair-safe", "optimal"), ("pair-safe",))
KEYS = size(("ArrowRight",) * 6 + ("ArrowLeft",) * 9, ("ArrowRight",))
FIGURES = {"budget": "figure_record-level-budget", "perturb": "figure_truth-and-estimate"}
TITLES = size({"budget": "Budget", "perturb": "Perturb & estimate"}, {"budget": "Budget"})

WATCH = """(key) => {
  const seen = window.rrSeen = { frames: 0, away: 0, pale: 0, jumps: 0, drawn: 0, rest: 0 };
  const app = document.querySelector('[data-testid="stApp"]');
  const place = () => document.querySelector(`.st-key-${key} .js-plotly-plot`);
  const drawing = () => [...(place()?.querySelectorAll(".plot path, .bartext, .errorbar path") ?? [])]
    .map((part) => part.getAttribute("d") ?? part.textContent).join();
  const before = drawing(), height = place().getBoundingClientRect().height;
  addEventListener("keydown", () => {
    const start = performance.now();
    let ran = false, last = before;
    const look = () => {
      const now = performance.now() - start, figure = place(), state = app.getAttribute("data-test-script-state"), drawn = drawing();
      seen.frames++;
      if (!figure || !drawn || !document.querySelector(".st-key-answer p")) seen.away++;
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
    app = AppTest.from_file(str(Path(__file__).parents[1] / "navigation.py"), default_timeout=60).run()
    file = Path(sys.argv[1]) if len(sys.argv) > 1 else None
    if file is not None:
        app.switch_page("pages/data/page.py").run()
        next(radio for radio in app.radio if "comes from" in radio.label).set_value("upload").run()
        app.file_uploader(key="upload").set_value((file.name, file.read_bytes(), "text/csv")).run()
        settle(app, lambda: file.stem in app.main.caption[0].value)
    else:
        app.button(key="demo_census").click().run()
    on_server = {f"{page} on the server": (measure(app, page), LIMIT) for page in TITLES}
    in_browser = {f"{name} in the browser": (part, SEEN) for name, part in seen(file).items()}
    moves = (on_server | in_browser).items()
    missed = {name: f"{part * limit:.2f} s, {limit} s asked" for name, (part, limit) in moves if part > 1}
    slow = {f"{name}, on any machine": f"{part * SEEN:.2f} s" for name, (part, _) in in_browser.items() if part * SEEN > ANYWHERE}
    return verdict("slider", missed | slow)


def seen(file: Path | None) -> dict[str, float]:
    """Typical moves in the browser by page, as parts of the limit."""
    with serving() as address, sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=chromium_path(), args=["--no-sandbox"])
        page = chromium.new_context(**AT_REST).new_page()
        let_in(page.context, address)
        page.goto(address)
        expect(page.get_by_role("heading", name="Any answer may be a lie")).to_be_visible(timeout=LOADED)
        settled(page)
        if file is not None:
            page.locator("input[type=file]").first.set_input_files(file)
        else:
            page.locator(".st-key-demo_census button").click()
        expect(page.locator(".st-key-strip")).to_contain_text("8 attributes" if file is None else file.stem, timeout=LOADED)
        settled(page)
        found = {}
        for name, title in TITLES.items():
            go(page, title)
            expect(page.locator(f".st-key-{FIGURES[name]} .js-plotly-plot")).to_be_visible(timeout=LOADED)
            settled(page)
            found[name] = watch(page, name)
        return found


def watch(page: Page, name: str) -> float:
    """A typical move of the slider in the browser, as a part of its limit."""
    slider = page.get_by_role("slider", name="Scale all levels")
    seconds, flicker = [], 0
    for key in KEYS:
        slider.focus()
        page.evaluate(WATCH, FIGURES[name])
        slider.press(key)
        while not (found := page.evaluate("window.rrSeen")).get("over"):
            page.wait_for_timeout(100)
        seconds.append(max(found["drawn"], found["rest"]) / 1000)
        flicker += found["away"] + found["pale"] + found["jumps"]
    told(f"{name} in the browser", seconds, SEEN)
    print(
        f"{name} in the browser: {flicker} frames in which the figure was away, pale or of another height, or the answer above it away"
    )
    return median(seconds) / SEEN


def told(what: str, seconds: Sequence[float], limit: float) -> float:
    """Print the median and the slowest as parts of the limit, and return the slowest."""
    typical, worst = median(seconds) / limit, max(seconds) / limit
    print(f"{what}: {len(seconds)} moves, median {typical:.2f}, slowest {worst:.2f} of the limit of {limit} s")
    return worst


def choices(app: AppTest) -> list[Any]:
    """The radio buttons of the mechanisms: they are there once the mechanisms are."""
    return [radio for radio in app.radio if radio.label == "Mechanism of the plan"]


def choose(app: AppTest, mechanism: str) -> None:
    """Take a mechanism for the plan: by its button, or by that of all that are safe for joint distributions and the slider below it."""
    work, width = app.session_state["work"], safe_recipe_width(mechanism)
    if width is None:
        choices(app)[0].set_value(mechanism).run()
        return
    if safe_recipe_width(work.wishes.mechanism) is None:
        choices(app)[0].set_value(work.dial).run()
        settle(app, lambda: choices(app))
    if work.wishes.mechanism != mechanism:
        slider(app, "Safe for joint distributions").set_value(width).run()


def slider(app: AppTest, label: str) -> Any:
    """The slider whose label begins so."""
    return next(found for found in app.slider if found.label.startswith(label))


def settle(app: AppTest, ready: Callable[[], object]) -> None:
    """Run the page again until the work that it has started in the background is done."""
    started = time.perf_counter()
    while not ready():
        if app.exception:
            raise RuntimeError(app.exception[0].message)
        if time.perf_counter() - started > PATIENCE:
            raise RuntimeError(f"the page is not ready after {PATIENCE} s")
        time.sleep(0.02)
        app.run()


def measure(app: AppTest, page: str) -> float:
    """Time of the slowest move on ``page``, as a part of the limit."""
    app.switch_page(f"pages/{page}/page.py").run()
    seconds = []
    for mechanism in MECHANISMS:
        settle(app, lambda: choices(app))
        choose(app, mechanism)
        for scale in MOVES:
            settle(app, lambda: choices(app))
            slider(app, "Scale all levels").set_value(scale)
            started = time.perf_counter()
            app.run()
            settle(app, lambda: choices(app))
            seconds.append(time.perf_counter() - started)
            if app.exception:
                raise RuntimeError(app.exception[0].message)
    return told(page, seconds, LIMIT)


if __name__ == "__main__":
    sys.exit(main())
