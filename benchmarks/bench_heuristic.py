"""How long does the published heuristic take for 100,000 attributes?

Run ``python benchmarks/bench_heuristic.py``. Prints the CPU seconds for 1,000, 10,000 and 100,000 attributes, each the best of 3 runs, with
epsilons of attributes and of the record. Exits 1 if the last takes more than ``LIMIT`` seconds.
"""

import sys
from time import process_time

import numpy as np

from benchmarks.sizes import size
from benchmarks.thresholds import Measured, verdict
from rrcore.mechanisms import Heuristic

COUNTS = size((1_000, 10_000, 100_000), (10, 100))
LIMIT = 1.0


def main() -> int:
    taken = 0.0
    for k in COUNTS:
        rng, times = np.random.default_rng(k), []
        sizes, epsilon = tuple(rng.integers(2, 6, k).tolist()), rng.uniform(1, 10, k)
        for _ in range(3):
            start = process_time()
            made = Heuristic.from_epsilon(sizes, epsilon)
            total = max(made.epsilon_total, made.epsilon.max(), made.epsilon_informed.max())
            times.append(process_time() - start)
        taken = min(times)
        print(f"{k:,} attributes: {taken:.3f} s, epsilon of the record {total:.2f}, {len(made.violations):,} epsilons exceeded")
    return verdict("heuristic", [Measured(f"time, {COUNTS[-1]:,} attributes", taken, LIMIT, "s")])


if __name__ == "__main__":
    sys.exit(main())
