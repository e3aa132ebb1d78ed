"""Conditioned Kronecker for up to 1,000 attributes, against the time limits and the table of theory.md section 12.

Run ``python benchmarks/bench_conditioned.py``. Prints totals beside Kronecker's, the certified gap, and the times to build, to
find all pair factors and to draw 10,000 records, the first and last as a ratio to their limits. Exits 1 if a limit is
exceeded, a gap is above 0.05 nats, or a total is more than 0.05 nats above the one in the table.
"""

from __future__ import annotations

import sys
from time import process_time

import numpy as np

from benchmarks.sizes import size
from rrcore.mechanisms import Conditioned

ROWS = (
    (50, 1, 10, 59.567),
    (50, 0.5, 2, 15.362),
    (100, 1, 10, 111.937),
    (200, 1, 10, 214.854),
    (1000, 1, 10, 980.259),
    (1000, 0.5, 2, 205.090),
)
"""k, lowest and highest level, total of the table; sizes 2 to 5."""

RECORDS = size(10_000, 100)
BUILD_LIMIT, DRAW_LIMIT, GAP_LIMIT = 15.0, 10.0, 0.05


def main() -> int:
    failed = False
    print("   k  levels  Kronecker    total  - table     gap   build s  of limit  pairs s  draw s  of limit")
    for k, low, high, table in ROWS[: size(len(ROWS), 1)]:
        rng = np.random.default_rng(0)
        sizes, levels = rng.integers(2, 6, k), rng.uniform(low, high, k)
        clock = [process_time()]
        mechanism = Conditioned.from_levels(sizes, levels)
        clock.append(process_time())
        mechanism.pair_factors()
        clock.append(process_time())
        mechanism.perturb(np.zeros((RECORDS, k), dtype=np.int32), rng=rng)
        clock.append(process_time())
        build, pairs, draw = np.diff(clock)
        worse = mechanism.total_level - table
        failed |= build > BUILD_LIMIT or draw > DRAW_LIMIT or mechanism.gap > GAP_LIMIT or worse > GAP_LIMIT
        print(
            f"{k:4d} {low:3g}..{high:<3g}{levels.sum():10.2f}{mechanism.total_level:9.3f}{worse:+9.3f}{mechanism.gap:8.4f}"
            f"{build:10.2f}{build / BUILD_LIMIT:10.2f}{pairs:9.2f}{draw:8.2f}{draw / DRAW_LIMIT:10.2f}"
        )
    print("failed: a limit is exceeded" if failed else "ok")
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
