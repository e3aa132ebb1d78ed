"""How long does castell take on an eight-way table of 1,814,400 cells, against one pass over its axes by numpy?

Run ``python benchmarks/bench_inversion.py``. Prints the ratio of the best of 7 interleaved times of ``invert_each_axis`` and of taking the
mean of the table along each of its axes, the least that any inversion axis by axis must do, and on a table of 1,200 cells the ratio of
``published_reduced_inversion`` and ``published_naive_inversion`` to ``invert_each_axis``, with the seconds and the memory (of all arrays,
by tracemalloc) of each; exits 1 if the first ratio exceeds ``LIMIT``, castell takes more
than ``MOST`` times the memory of its table, or castell is not the fastest.
"""

from __future__ import annotations

import sys
import tracemalloc
from time import process_time

import numpy as np

from benchmarks.sizes import size
from benchmarks.thresholds import Measured, verdict
from rrcore.channel import invert_each_axis
from rrcore.papers.printed_formulas import published_naive_inversion, published_reduced_inversion

SIZES = size((9, 16, 7, 15, 6, 5, 2, 2), (9, 7, 6))
SMALL = size((16, 15, 5), (4, 3))
RUNS = size(7, 1)
LIMIT = 1.4
MOST = 3.0


def best_of(jobs, runs):
    best = dict.fromkeys(jobs, np.inf)
    for _ in range(runs):
        for name, job in jobs.items():
            start = process_time()
            job()
            best[name] = min(best[name], process_time() - start)
    return best


def memory_of(job):
    """Most bytes at a time."""
    tracemalloc.start()
    job()
    most = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return most


def main() -> int:
    rng = np.random.default_rng(0)
    table, kept = rng.random(SIZES), rng.uniform(0.2, 0.9, len(SIZES))
    large = best_of(
        {
            "means": lambda: [table.mean(axis=axis) for axis in range(len(SIZES))],
            "castell": lambda: invert_each_axis(table, kept),
        },
        RUNS,
    )
    ratio = large["castell"] / large["means"]
    share = memory_of(lambda: invert_each_axis(table, kept)) / table.nbytes
    print(
        f"{table.size:,} cells: castell {large['castell']:.3f} s, {ratio:.1f} times the means alone (limit {LIMIT:g}), "
        f"{share:.2f} times the memory of the table (limit {MOST:g})"
    )
    small, few = rng.random(SMALL), kept[: len(SMALL)]
    jobs = {
        "castell": lambda: invert_each_axis(small, few),
        "reduced": lambda: published_reduced_inversion(small, few),
        "naive": lambda: published_naive_inversion(small, few),
    }
    times, bytes_of = best_of(jobs, 3), {name: memory_of(job) for name, job in jobs.items()}
    slower = np.inf
    for name in ("reduced", "naive"):
        longer, larger = times[name] / times["castell"], bytes_of[name] / bytes_of["castell"]
        slower = min(slower, longer)
        print(
            f"{small.size:,} cells: {name} takes {times[name]:.3f} s, {longer:,.0f} times as long as castell, and "
            f"{bytes_of[name] / 1e6:.1f} MB, {larger:,.0f} times as much memory"
        )
    return verdict(
        "inversion",
        [
            Measured(f"time for {table.size:,} cells compared with the means along each axis", ratio, LIMIT, "times"),
            Measured("memory compared with the table", share, MOST, "times"),
            Measured("time of the published inversions compared with Castell", slower, 1, "times", least=True),
        ],
    )


if __name__ == "__main__":
    sys.exit(main())
