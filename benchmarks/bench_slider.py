"""Server time of one move of the level slider on Budget and on "Perturb & estimate": the slowest against the limit of half a second.

Runs the pages themselves on a table of 32,561 people and 8 attributes (or on FILE), a two-way marginal, mechanism by mechanism.
Usage: python benchmarks/bench_slider.py [FILE]
"""

from __future__ import annotations

import sys
import time
from pathlib import Path
from statistics import median

from streamlit.testing.v1 import AppTest

LIMIT = 0.5
MOVES = (0.9, 1.1, 0.8, 1.2, 0.7)


def main() -> int:
    app = AppTest.from_file(str(Path(__file__).parents[1] / "app.py"), default_timeout=60).run()
    if len(sys.argv) > 1:
        app.switch_page("pages/data/page.py").run()
        next(radio for radio in app.radio if "comes from" in radio.label).set_value("upload").run()
        file = Path(sys.argv[1])
        app.file_uploader(key="upload").set_value((file.name, file.read_bytes(), "text/csv")).run()
    else:
        app.button(key="demo_census").click().run()
    return int(max(measure(app, page) for page in ("budget", "perturb")) > 1)


def measure(app: AppTest, page: str) -> float:
    """Time of the slowest move on ``page``, as a part of the limit."""
    app.switch_page(f"pages/{page}/page.py").run()
    seconds = []
    for mechanism in ("kronecker", "pair-safe", "optimal"):
        next(radio for radio in app.radio if radio.label == "Mechanism of the plan").set_value(mechanism).run()
        for scale in MOVES:
            app.slider[0].set_value(scale)
            started = time.perf_counter()
            app.run()
            seconds.append(time.perf_counter() - started)
            if app.exception:
                raise RuntimeError(app.exception[0].message)
    typical, worst = median(seconds) / LIMIT, max(seconds) / LIMIT
    print(f"{page}: {len(seconds)} moves, median {typical:.2f}, slowest {worst:.2f} of the limit of {LIMIT} s")
    return worst


if __name__ == "__main__":
    sys.exit(main())
