"""How often do 95 % intervals hold the true share, cell by cell, where cells are rare?

Run ``python benchmarks/bench_intervals.py [RUNS]`` (by default 4,000 releases of each table).
Prints, for each mechanism, level, marginal and number of people: the least coverage of any cell, least and largest among cells with 5 or
more expected reports, and the mean, for tables with true zeros and very unequal ones together; against the population and against
these people. Exits 1 if a population interval at a level of at most 4 leaves 93 to 97 % (5 or more expected) or falls below 90 %, by more
than 4 standard deviations of the measurement.
"""

from __future__ import annotations

import sys
from itertools import product
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[1]))
from benchmarks.sizes import size
from tests.estimate.coverage import Setting, coverage_by_cell

TABLES = size(((4,), (3, 2), (4, 3, 2), (3, 2, 3, 2), (5, 4, 3, 3)), ((3, 2),))
MECHANISMS = ("kronecker", "pair-safe", "3-safe")
LEVELS = (0.5, 1.0, 2.0, 4.0)
PEOPLE = size((200, 500, 5000), (200,))


def main(runs: int) -> int:
    """Print the table; 1 if a bound is broken."""
    broken = 0
    print(f"{runs:,} releases of each table")
    print(f"{'mechanism':<10} {'level':>5} {'marginal':<10} {'against':<10} {'n':>5}  least  5 or more      mean")
    for mechanism, level, sizes, population, n in product(MECHANISMS, LEVELS, TABLES, (True, False), PEOPLE):
        if len(sizes) < {"kronecker": 1, "pair-safe": 2, "3-safe": 3}[mechanism]:
            continue
        found = [
            coverage_by_cell(Setting(mechanism, sizes, level, n, zeros, population), runs, np.random.default_rng(n + zeros))
            for zeros in (True, False)
        ]
        covered, expected = (np.concatenate([one[i] for one in found]) for i in (0, 1))
        often = covered[expected >= 5]
        told = f"{often.min():.3f} to {often.max():.3f}" if often.size else "none"
        spread = np.sqrt(0.05 * 0.95 / runs)
        bad = covered.min() < 0.9 - 4 * spread
        bad |= bool(often.size) and (often.min() < 0.93 - 4 * spread or often.max() > 0.97 + 4 * spread)
        broken += bad and population
        against, mark = "population" if population else "people", "  <-" if bad else ""
        marginal = "x".join(map(str, sizes))
        print(
            f"{mechanism:<10} {level:>5g} {marginal:<10} {against:<10} {n:>5}  {covered.min():.3f}  {told:<14} {covered.mean():.3f}{mark}",
            flush=True,
        )
    return int(broken > 0)


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]) if len(sys.argv) > 1 else size(4_000, 10)))
