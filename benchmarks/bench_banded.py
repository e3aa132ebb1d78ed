"""What does the exact optimum over 2^20 lie sets take, and over 2^12 against solving (P) directly? (theory.md section 2)

Run ``python benchmarks/bench_banded.py``. At k = 20 it prints seconds, the certified gap of the finished mechanism and the ratio of
the time to ``LIMIT`` seconds; at k = 12 the ratio of the best of 3 interleaved times of ``solve_banded`` and of ``Programme``.
Exits 1 if a gap exceeds ``GAP`` nats or the limit is exceeded.
"""

from __future__ import annotations

import sys
from time import perf_counter

import numpy as np

from benchmarks.sizes import size
from rrcore.channel import LieSets, lie_from_level
from rrcore.mechanisms import Programme, solve_banded
from rrcore.mechanisms.solve.countgrid import hold_levels

RANGES = ((1.0, 10.0), (0.1, 3.0))
SEEDS = range(size(3, 1))
RUNS = size(3, 1)
LARGE, SMALL = size((20, 12), (6, 5))  # numbers of attributes
LIMIT = 10.0
GAP = 1e-8


def instance(seed: int, k: int, low: float, high: float) -> tuple[tuple[int, ...], np.ndarray]:
    rng = np.random.default_rng(seed)
    return tuple(int(a) for a in rng.integers(2, 6, k)), rng.uniform(low, high, k)


def main() -> int:
    worst_gap = worst_time = 0.0
    print(f"k = {LARGE}, a in 2..5\n levels       total        gap   seconds   of the limit")
    for low, high in RANGES:
        for seed in SEEDS:
            sizes, levels = instance(seed, LARGE, low, high)
            start = perf_counter()
            q, bound = solve_banded(sizes, levels)
            seconds = perf_counter() - start
            total = LieSets(sizes, hold_levels(q, sizes, lie_from_level(levels, sizes) * (1 + 1e-12))).total_level
            worst_gap, worst_time = max(worst_gap, total - bound), max(worst_time, seconds)
            print(f"{low:3g}-{high:<3g} {total:11.7f} {total - bound:10.1e} {seconds:9.2f} {seconds / LIMIT:14.2f}")
    print(f"k = {SMALL}, best of {RUNS}\n levels   banded ms   programme ms   banded / programme")
    for low, high in RANGES:
        for seed in SEEDS:
            sizes, levels = instance(seed, SMALL, low, high)
            times = np.full(2, np.inf)
            for _ in range(RUNS):
                start = perf_counter()
                solve_banded(sizes, levels)
                middle = perf_counter()
                Programme(sizes, levels).solve()
                times = np.minimum(times, [middle - start, perf_counter() - middle])
            print(f"{low:3g}-{high:<3g} {times[0] * 1e3:11.0f} {times[1] * 1e3:14.0f} {times[0] / times[1]:20.2f}")
    failed = worst_gap > GAP or worst_time > LIMIT
    print(
        f"largest gap {worst_gap:.1e} (limit {GAP:g}), slowest {worst_time:.1f} s of {LIMIT:g} s: {'failed' if failed else 'ok'}"
    )
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
