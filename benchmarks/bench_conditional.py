"""How much closer do the ways to answer a conditional question on key-value data come than IOH, at equal level of the whole record?

Run ``python benchmarks/bench_conditional.py``. Asks how many, and how highly, of those with the second key have rated the first one, on
generated sets; varies the number of users, the level, the number of keys and the middle mean, one at a time. Prints for each way the
root mean square error of the frequency and of the mean over ``REPEATS`` collections, IOH's divided by it, seconds of one collection and
bits per user; exits 1 if pair-safe or the
design is ever farther off than IOH by more than ``LIMIT`` times in the frequency; of ten collections the error is uncertain by a fifth.
"""

from __future__ import annotations

import math
import sys
from time import perf_counter

import numpy as np

from benchmarks.sizes import size
from rrcore.research.keyvalue import WAYS, ConditionalQuestion, collect_states, invented, true_answer

BASE = {"n": size(50_000, 2_000), "level": 2.0, "d": 5, "mean": 0.2}
VARIED = size({"n": (10_000, 200_000), "level": (1.0, 4.0), "d": (3, 7), "mean": (-0.6, 0.6)}, {})
REPEATS = size(10, 1)
LIMIT = 1.5
OURS = ("pair-safe", "design")
QUESTION = ConditionalQuestion(0, {1: True})


def off(way: str, n: int, level: float, d: int, mean: float) -> tuple[float, float, float, float]:
    """Root mean square errors of frequency and mean, seconds and bits; infinite where an answer is too uncertain to be given."""
    squares, seconds, bits = np.zeros(2), 0.0, 0.0
    for repeat in range(REPEATS):
        data = invented(n, d, mean=mean, rng=np.random.default_rng(repeat))
        truth, start = true_answer(data, QUESTION), perf_counter()
        collection = collect_states(way, data, level, rng=np.random.default_rng((repeat, 1)))
        found, bits = collection.answer(QUESTION), collection.bits
        seconds += (perf_counter() - start) / REPEATS
        squares += np.array([found.frequency - truth.frequency, found.mean - truth.mean]) ** 2 / REPEATS
    frequency, value = (math.inf if math.isnan(square) else math.sqrt(square) for square in squares)
    return frequency, value, seconds, bits


def main() -> int:
    cases = [BASE] + [BASE | {name: value} for name, values in VARIED.items() for value in values]
    worst = 0.0
    for case in cases:
        print("n = {n:,}, level {level:g}, {d} keys, mean {mean:g}".format(**case))
        published = off("ioh", **case)
        for way, title in WAYS.items():
            frequency, value, seconds, bits = published if way == "ioh" else off(way, **case)
            if way in OURS and math.isfinite(published[0]):
                worst = max(worst, frequency / published[0])
            print(
                f"  {title:24s} frequency off by {frequency:.4f} (IOH {_times(published[0], frequency)})   mean off by {value:.4f} "
                f"(IOH {_times(published[1], value)})   {seconds:.2f} s   {bits:,.0f} bits"
            )
    print(f"farthest off, against IOH: {worst:.2f} times (limit {LIMIT:g})")
    return int(worst > LIMIT)


def _times(published: float, own: float) -> str:
    return f"{published / own:.2f} times" if math.isfinite(published) and math.isfinite(own) else "not known"


if __name__ == "__main__":
    sys.exit(main())
