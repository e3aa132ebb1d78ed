"""What does the optimum cost, and is it right? (theory.md section 2, "Numerics that matter")

Run ``python -m benchmarks.bench_optimum``. Compares ``Optimal.from_epsilon`` at 12 attributes with the same linear program in plain phi
variables at the solver's default tolerances, both solved by HiGHS. Then it solves 16 and 20 unlike attributes. All times are CPU seconds,
the best of ``RUNS``. Exits 1 where a gap exceeds ``GAP`` nats, or a median ratio or time exceeds what was asked.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from time import process_time

import numpy as np
from scipy.optimize import linprog

from benchmarks.sizes import size
from benchmarks.thresholds import Measured, verdict
from rrcore.channel import lie_from_epsilon
from rrcore.mechanisms import Optimal

K = size(12, 4)
RUNS = size(3, 1)
SEEDS = range(size(20, 1))
GAP = 1e-6
RATIO = 1.1
SECONDS = size({16: 0.25, 20: 0.5}, {5: 1.0})


def plain(sizes: tuple[int, ...], epsilon: np.ndarray) -> float:
    """eps_total of (P) in phi and c with default tolerances; infinite where the solver finds none above 0."""
    lies = lie_from_epsilon(epsilon, sizes)
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
        options={"maxiter": 2_000},  # above 4 nats it may go on for ever
    )
    return float(np.log1p(1 / result.x[-1])) if result.success and result.x[-1] > 0 else np.inf


def best(make: Callable[[], object]) -> float:
    """The least CPU seconds of ``RUNS`` calls."""
    times = []
    for _ in range(RUNS):
        start = process_time()
        make()
        times.append(process_time() - start)
    return min(times)


def instance(seed: int, k: int, low: float, high: float) -> tuple[tuple[int, ...], np.ndarray]:
    rng = np.random.default_rng(seed)
    return tuple(int(a) for a in rng.integers(2, 6, k)), rng.uniform(low, high, k)


def main() -> int:
    found = list[Measured]()
    print(
        f"k = {K}, a in 2..5, {len(SEEDS)} instances\nepsilon      largest gap  largest error of the plain one  median ratio of CPU times"
    )
    for low, high in ((0.2, 1.0), (1.0, 4.0), (4.0, 10.0)):
        gaps, errors, ratios = [], [], []
        for seed in SEEDS:
            case = instance(seed, K, low, high)
            mechanism = Optimal.from_epsilon(*case)
            gaps.append(mechanism.epsilon_total - (mechanism.bound or 0.0))
            errors.append(abs(plain(*case) - mechanism.epsilon_total))
            ratios.append(best(lambda case=case: Optimal.from_epsilon(*case)) / best(lambda case=case: plain(*case)))
        print(f"{low:g}..{high:<8g}{max(gaps):12.1e}{max(errors):32.1e}{np.median(ratios):27.2f}", flush=True)
        found.append(Measured(f"gap, ε {low:g} to {high:g}", max(gaps), GAP))
        if high <= 1:
            found.append(Measured("time at a low ε compared with the plain program", float(np.median(ratios)), RATIO, "times"))
    for k, most in SECONDS.items():
        cases = [instance(seed, k, 0.5, 2.0) for seed in range(3)]
        seconds = float(np.median([best(lambda case=case: Optimal.from_epsilon(*case)) for case in cases]))
        found.append(Measured(f"time, {k} attributes", seconds, most, "s"))
    return verdict("optimum", found)


if __name__ == "__main__":
    sys.exit(main())
