"""What does raising gamma from programme to programme buy over the programme of theory.md section 13 as it stands there?

Run ``python benchmarks/bench_design.py``. Compares ``Designed.for_questions`` with one linear programme in psi, s and gamma, both
solved by HiGHS, for all single attributes and pairs of 8 and 10 attributes of unequal sizes. The design does more: it also settles
what was not listed and certifies itself. Prints the ratio of the best of 3 interleaved times and both least gains. Exits 1 if the
certified bound is not within 1e-5 of the plain optimum, more than the promised thousandth is given up, or the total is exceeded.
"""

from __future__ import annotations

import sys
from math import expm1, prod
from time import perf_counter

import numpy as np
from scipy import sparse
from scipy.optimize import linprog

from benchmarks.sizes import size
from rrcore.mechanisms import Designed
from rrcore.mechanisms.designed import closure

SIZES = size({8: (9, 16, 7, 15, 6, 5, 2, 2), 10: (2, 3, 4, 5, 6, 7, 8, 9, 10, 11)}, {4: (2, 3, 4, 5)})
TOTALS = (1.0, 4.0, 16.0)
RUNS = size(3, 1)
SPARE = 1.001e-3


def plain(sizes: tuple[int, ...], total: float, workload: tuple[tuple[int, ...], ...]) -> float:
    """gamma of the programme with 2^k rows psi_S <= s U_S (t - 1), default tolerances."""
    k, n = len(sizes), 2 ** len(sizes)
    lying = (np.arange(n) >> np.arange(k)[::-1, None] & 1).astype(bool)
    a = np.array(sizes, dtype=float)[:, None]
    uniform = np.where(lying, 1 - 1 / a, 1 / a).prod(axis=0)
    v = np.where(lying, -1 / (a - 1), 1.0)
    odds = expm1(total / k)
    rows = np.array([v[list(axes)].prod(axis=0) / prod(odds / (odds + sizes[i]) for i in axes) for axes in workload])
    gains = np.c_[-rows, np.zeros(len(rows)), np.ones(len(rows))]
    bounds = sparse.hstack([sparse.eye_array(n), -expm1(total) * uniform[:, None], np.zeros((n, 1))])
    result = linprog(
        np.r_[np.zeros(n + 1), -1.0],
        A_ub=sparse.vstack([sparse.csr_array(gains), bounds], format="csr"),
        b_ub=np.zeros(len(rows) + n),
        A_eq=np.r_[np.ones(n + 1), 0.0][None],
        b_eq=[1.0],
        bounds=(0, None),
        method="highs",
    )
    return float(result.x[-1]) if result.success else float("nan")


def main() -> int:
    failed = False
    print(f"singles and pairs, best of {RUNS}")
    print(" k total     gamma     bound     plain  design ms   plain ms   design / plain")
    for k, sizes in SIZES.items():
        workload = closure((i, j) for j in range(k) for i in range(j))
        for total in TOTALS:
            times = np.full(2, np.inf)
            for _ in range(RUNS):
                start = perf_counter()
                design = Designed.for_questions(sizes, total, workload)
                middle = perf_counter()
                gamma = plain(sizes, total, workload)
                times = np.minimum(times, [middle - start, perf_counter() - middle])
            failed |= not abs(design.gamma_bound / gamma - 1) < 1e-5
            failed |= design.gamma < design.gamma_bound * (1 - SPARE) or design.total_level > total
            print(
                f"{k:2}{total:6g}{design.gamma:10.5f}{design.gamma_bound:10.5f}{gamma:10.5f}"
                f"{times[0] * 1e3:11.1f}{times[1] * 1e3:11.1f}{times[0] / times[1]:17.2f}"
            )
    print("failed" if failed else "ok: every bound is the plain optimum, and every design within a thousandth of it")
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
