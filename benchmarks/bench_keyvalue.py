"""How long does each key-value protocol take for 1,000,000 users x 100 keys, against drawing one random number a rating?

Run ``python benchmarks/bench_keyvalue.py``. Prints, for each protocol, the seconds of its collection and estimation, their ratio to
``rng.random`` of as many numbers as there are values, in one run, and the memory it takes in addition to the ratings (of all arrays, by
tracemalloc, in a second run of a tenth of the users); exits 1 if a ratio exceeds ``LIMIT`` or the memory of a protocol that of the ratings
more than ``MOST`` times.
"""

from __future__ import annotations

import sys
import tracemalloc
from time import process_time

import numpy as np

from benchmarks.sizes import size
from benchmarks.thresholds import Measured, verdict
from rrcore.papers.keyvalue import PROTOCOLS, KeyValueData, invented, make_protocol

USERS, KEYS = size((1_000_000, 100), (2_000, 10))
LIMIT = 10.0
MOST = 3.0


def collect(key: str, data: KeyValueData) -> None:
    rng, protocol = np.random.default_rng(0), make_protocol(key, 1.0)
    protocol.estimate(protocol.simulate(data, rng=rng))


def memory(key: str, data: KeyValueData) -> float:
    """Most bytes at a time in addition to the ratings."""
    tracemalloc.start()
    collect(key, data)
    most = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return float(most)


def main() -> int:
    rng = np.random.default_rng(0)
    data, few = (invented(users, KEYS, rng=rng) for users in (USERS, USERS // 10))
    start = process_time()
    for _ in range(10):
        rng.random(USERS * KEYS // 10, dtype=np.float32)
    unit = process_time() - start
    print(f"{USERS:,} users x {KEYS} keys, {data.values.nbytes / 1e9:.2f} GB; rng.random of as many numbers takes {unit:.2f} s")
    slowest = largest = 0.0
    for key in PROTOCOLS:
        start = process_time()
        collect(key, data)
        seconds = process_time() - start
        share = memory(key, few) / few.values.nbytes
        slowest, largest = max(slowest, seconds / unit), max(largest, share)
        print(
            f"{key:9s} {seconds:6.2f} s   {seconds / unit:5.2f} times rng.random   {share:5.2f} times the memory of the ratings"
        )
    return verdict(
        "keyvalue",
        [
            Measured("time of the slowest protocol compared with random numbers", slowest, LIMIT, "times"),
            Measured("most memory compared with the ratings", largest, MOST, "times"),
        ],
    )


if __name__ == "__main__":
    sys.exit(main())
