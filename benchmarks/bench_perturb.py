"""How long does a release of 1,000,000 x 8 answers take, against drawing as many random numbers?

Run ``python benchmarks/bench_perturb.py``. Prints, for each mechanism, the ratio of the best of 7 interleaved times of
``perturb`` and of ``rng.random(8_000_000)``; exits 1 if a ratio exceeds ``LIMIT``.
"""

from __future__ import annotations

import sys
from time import perf_counter

import numpy as np

from rrcore.mechanisms import build

SIZES = (9, 16, 7, 15, 6, 5, 2, 2)
N = 1_000_000
RUNS = 7
LIMIT = 4.0

EACH_2 = np.full(len(SIZES), 2.0)
EQUAL_RETENTION = np.log1p(4 * np.array(SIZES))
"""r_i = 0.8 for every attribute: levels 2.2 to 4.2, which the closed form can meet; it cannot meet 2 each."""

LEVELS = {"kronecker": EACH_2, "joint": EACH_2, "closed-form": EQUAL_RETENTION, "optimal": EACH_2}


def main() -> int:
    rng = np.random.default_rng(0)
    codes = np.asfortranarray(np.column_stack([rng.integers(0, a, N) for a in SIZES]).astype(np.int32))
    jobs = {"rng.random": lambda: rng.random(N * len(SIZES))}
    for name, levels in LEVELS.items():
        mechanism = build(name, SIZES, levels)
        jobs[name] = lambda mechanism=mechanism: mechanism.perturb(codes, rng=rng)
    best = dict.fromkeys(jobs, np.inf)
    for _ in range(RUNS):
        for name, job in jobs.items():
            start = perf_counter()
            job()
            best[name] = min(best[name], perf_counter() - start)
    unit = best.pop("rng.random")
    print(f"{N:,} x {len(SIZES)} answers, best of {RUNS}; rng.random({N * len(SIZES):,}) takes {unit * 1e3:.0f} ms")
    for name, seconds in best.items():
        print(f"{name:12s} {seconds * 1e3:6.0f} ms   {seconds / unit:5.2f} times rng.random")
    worst = max(best.values()) / unit
    print(f"worst ratio {worst:.2f}, limit {LIMIT:g}: {'exceeded' if worst > LIMIT else 'ok'}")
    return int(worst > LIMIT)


if __name__ == "__main__":
    sys.exit(main())
