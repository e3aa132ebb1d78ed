"""How long does each key-value protocol take for 1,000,000 users x 100 keys, against drawing one random number a rating?

Run ``python benchmarks/bench_keyvalue.py``. Prints the ratio of each protocol's collection and estimation to ``rng.random`` of as many
numbers as there are values, in one run; exits 1 if a ratio exceeds ``LIMIT``.
"""

from __future__ import annotations

import resource
import sys
from time import perf_counter

import numpy as np

from rrcore.keyvalue import PROTOCOLS, invented, make_protocol

USERS, KEYS = 1_000_000, 100
LIMIT = 10.0


def main() -> int:
    rng = np.random.default_rng(0)
    data = invented(USERS, KEYS, rng=rng)
    start = perf_counter()
    for _ in range(10):
        rng.random(USERS * KEYS // 10, dtype=np.float32)
    unit = perf_counter() - start
    worst = 0.0
    for key in PROTOCOLS:
        protocol = make_protocol(key, 1.0)
        start = perf_counter()
        protocol.estimate(protocol.simulate(data, rng=rng))
        seconds = perf_counter() - start
        worst = max(worst, seconds / unit)
        print(f"{key:9s} {seconds:5.2f} s   {seconds / unit:5.2f} times rng.random")
    print(f"{resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6:.2f} GB at most; worst ratio {worst:.2f}, limit {LIMIT:g}")
    return int(worst > LIMIT)


if __name__ == "__main__":
    sys.exit(main())
