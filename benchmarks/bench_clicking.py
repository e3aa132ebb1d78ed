"""How often do 95 % intervals hold the true share where people click at random, with a control item and without its correction?

Run ``python benchmarks/bench_clicking.py [SURVEYS]`` (by default 2,000 surveys of 2,000 people each).
Three attributes, one of them the control item, levels 2, 1.5 and 2; 0, 5, 10 and 20 % of the people click any answer alike. Prints, for each
mechanism and share of clicking: how often the interval of that share holds it, and the least and largest coverage among the eleven shares
of two attributes and their joint distribution, corrected and as they were answered. Exits 1 if a corrected one leaves 93 to 97 % (only
below, where nobody clicks) by more than 4 standard deviations of the measurement.
"""

from __future__ import annotations

import sys
from itertools import product
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[1]))
from benchmarks.sizes import size
from tests.answers.clicking import covered

MECHANISMS = ("kronecker", "pair-safe")
SHARES = (0.0, 0.05, 0.1, 0.2)
PEOPLE = size(2_000, 500)


def main(surveys: int) -> int:
    """Print the table; 1 if a bound is broken."""
    broken, spread = False, 4 * np.sqrt(0.05 * 0.95 / surveys)
    print(f"{surveys:,} surveys of {PEOPLE:,} people each")
    print(f"{'mechanism':<10} {'clicking':>8}  share itself  corrected       uncorrected")
    for number, (mechanism, share) in enumerate(product(MECHANISMS, SHARES)):
        cover = covered(mechanism, share, surveys, PEOPLE, np.random.default_rng([28, number]))
        own, corrected, plain = (cover.share(which) for which in ("clicking", "corrected", "uncorrected"))
        bad = corrected.min() < 0.93 - spread or (share > 0 and corrected.max() > 0.97 + spread) or own < 0.93 - spread
        broken |= bad
        print(
            f"{mechanism:<10} {share:>8.0%}  {own:<12.3f}  {corrected.min():.3f} to {corrected.max():.3f}  "
            f"{plain.min():.3f} to {plain.max():.3f}{'  <-' if bad else ''}",
            flush=True,
        )
    return int(broken)


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]) if len(sys.argv) > 1 else size(2_000, 10)))
