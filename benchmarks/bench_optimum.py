"""What does scaling (P) cost and buy at 12 attributes? (theory.md section 2, "Numerics that matter")

Run ``python benchmarks/bench_optimum.py``. Compares ``Optimal.from_levels`` with the same programme in plain phi variables at the
solver's default tolerances, both solved by HiGHS. Prints the ratio of the best of 5 interleaved times, the certified gap of
the scaled one and the error of the plain one in nats. Exits 1 if the scaled one is not certified to 1e-6 nats.
"""

from __future__ import annotations

import sys
from time import perf_counter

import numpy as np
from scipy.optimize import linprog

from benchmarks.sizes import size
from rrcore.channel import lie_from_level
from rrcore.mechanisms import Optimal

K = size(12, 4)
RUNS = size(5, 1)
SEEDS = range(size(5, 1))
GAP = 1e-6


def plain(sizes: tuple[int, ...], levels: np.ndarray) -> float:
    """eps_total of (P) in phi and c with default tolerances; infinite where the solver returns c = 0."""
    lies = lie_from_level(levels, sizes)
    lying = (np.arange(2**K) >> np.arange(K)[::-1, None] & 1).astype(bool)
    a = np.array(sizes, dtype=float)[:, None]
    uniform = np.where(lying, 1 - 1 / a, 1 / a).prod(axis=0)
    deviation = np.where(lying, -(1 - lies)[:, None], lies[:, None])
    result = linprog(
        np.r_[np.zeros(2**K), -1.0],
        A_eq=np.c_[deviation * uniform, -(1 - 1 / a[:, 0] - lies)],
        b_eq=np.zeros(K),
        bounds=np.c_[np.zeros(2**K + 1), np.r_[np.ones(2**K), np.inf]],
        method="highs",
    )
    return float(np.log1p(1 / result.x[-1])) if result.success and result.x[-1] > 0 else np.inf


def main() -> int:
    failed = False
    print(f"k = {K}, a in 2..5, best of {RUNS}")
    print(" levels    optimum        gap  plain error   scaled ms   plain ms   scaled / plain")
    for low, high in ((0.2, 1.0), (1.0, 10.0)):
        for seed in SEEDS:
            rng = np.random.default_rng(seed)
            sizes = tuple(int(a) for a in rng.integers(2, 6, K))
            levels = rng.uniform(low, high, K)
            times = np.full(2, np.inf)
            for _ in range(RUNS):
                start = perf_counter()
                mechanism = Optimal.from_levels(sizes, levels)
                middle = perf_counter()
                unscaled = plain(sizes, levels)
                times = np.minimum(times, [middle - start, perf_counter() - middle])
            failed |= abs(mechanism.gap) > GAP
            print(
                f"{low:g}..{high:<5g}{mechanism.total_level:10.6f}{mechanism.gap:11.1e}{unscaled - mechanism.total_level:+13.1e}"
                f"{times[0] * 1e3:12.1f}{times[1] * 1e3:11.1f}{times[0] / times[1]:17.2f}"
            )
    print("failed: a gap exceeds" if failed else "ok: every gap is within", f"{GAP:g} nats")
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
