"""Server time of one move of the level slider on Budget and on "Perturb & estimate": the slowest against the limit of half a second.

Runs the pages themselves on a table of 32,561 people and 8 attributes (or on FILE), a two-way marginal, mechanism by mechanism.
Usage: python benchmarks/bench_slider.py [FILE]
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from pathlib import Path
from statistics import median
from typing import Any

from streamlit.testing.v1 import AppTest

from benchmarks.sizes import size
from rrcore.mechanisms import safe_width

LIMIT = 0.5
PATIENCE = 120
MOVES = size((0.9, 1.1, 0.8, 1.2, 0.7), (0.9,))
MECHANISMS = size(("kronecker", "pair-safe", "optimal"), ("pair-safe",))


def main() -> int:
    app = AppTest.from_file(str(Path(__file__).parents[1] / "navigation.py"), default_timeout=60).run()
    if len(sys.argv) > 1:
        app.switch_page("pages/data/page.py").run()
        next(radio for radio in app.radio if "comes from" in radio.label).set_value("upload").run()
        file = Path(sys.argv[1])
        app.file_uploader(key="upload").set_value((file.name, file.read_bytes(), "text/csv")).run()
        settle(app, lambda: file.stem in app.main.caption[0].value)
    else:
        app.button(key="demo_census").click().run()
    return int(max(measure(app, page) for page in ("budget", "perturb")) > 1)


def choices(app: AppTest) -> list[Any]:
    """The radio buttons of the mechanisms: they are there once the mechanisms are."""
    return [radio for radio in app.radio if radio.label == "Mechanism of the plan"]


def choose(app: AppTest, mechanism: str) -> None:
    """Take a mechanism for the plan: by its button, or by that of all that are safe for joint distributions and the slider below it."""
    work, width = app.session_state["work"], safe_width(mechanism)
    if width is None:
        choices(app)[0].set_value(mechanism).run()
        return
    if safe_width(work.wishes.mechanism) is None:
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
    typical, worst = median(seconds) / LIMIT, max(seconds) / LIMIT
    print(f"{page}: {len(seconds)} moves, median {typical:.2f}, slowest {worst:.2f} of the limit of {LIMIT} s")
    return worst


if __name__ == "__main__":
    sys.exit(main())
