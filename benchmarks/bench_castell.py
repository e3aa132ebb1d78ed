"""How long does castell take on an eight-way table of 1,814,400 cells, against one pass over its axes by numpy?

Run ``python benchmarks/bench_castell.py``. Prints the ratio of the best of 7 interleaved times of ``castell`` and of taking the mean of
the table along each of its axes, the least that any inversion axis by axis must do, and on a table of 1,200 cells the ratio of
``reduced`` and ``naive`` to ``castell``; exits 1 if the first exceeds ``LIMIT`` or castell is not the fastest.
"""

from __future__ import annotations

import sys
from time import perf_counter

import numpy as np

from rrcore.channel import castell
from rrcore.estimate import naive, reduced

SIZES = (9, 16, 7, 15, 6, 5, 2, 2)
SMALL = (16, 15, 5)
RUNS = 7
LIMIT = 5.0


def best_of(jobs, runs):
    best = dict.fromkeys(jobs, np.inf)
    for _ in range(runs):
        for name, job in jobs.items():
            start = perf_counter()
            job()
            best[name] = min(best[name], perf_counter() - start)
    return best


def main() -> int:
    rng = np.random.default_rng(0)
    table, kept = rng.random(SIZES), rng.uniform(0.2, 0.9, len(SIZES))
    large = best_of(
        {"means": lambda: [table.mean(axis=axis) for axis in range(len(SIZES))], "castell": lambda: castell(table, kept)}, RUNS
    )
    ratio = large["castell"] / large["means"]
    print(f"{table.size:,} cells: castell {large['castell'] * 1e3:.0f} ms, {ratio:.1f} times the means alone (limit {LIMIT:g})")
    small, few = rng.random(SMALL), kept[: len(SMALL)]
    times = best_of(
        {"castell": lambda: castell(small, few), "reduced": lambda: reduced(small, few), "naive": lambda: naive(small, few)}, 3
    )
    for name in ("reduced", "naive"):
        print(f"{small.size:,} cells: {name} takes {times[name] / times['castell']:,.0f} times as long as castell")
    return int(ratio > LIMIT or times["castell"] > min(times.values()))


if __name__ == "__main__":
    sys.exit(main())
