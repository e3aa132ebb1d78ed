"""How much faster is EM on LoPub reports than Algorithm 1 as it is written, with loops over reports, combinations and bits?

Run ``python benchmarks/bench_lopub.py``. 10,000 invented people answer two dependent questions of 15 and 7 categories and report Bloom
filters of 128 bits, 4 hash functions, level 4 nats per attribute. Prints the ratio of the times of the plain loops, timed once, and of
``em_joint``, best of 5, both with the same 20 iterations, and the seconds that ``em_joint`` takes to its end for 45,000 people; exits 1
if the ratio is below ``LIMIT``, the shares differ by more than 1e-8, or 45,000 people take more than ``SECONDS``.
"""

from __future__ import annotations

import sys
from time import process_time

import numpy as np

from benchmarks.sizes import size
from benchmarks.thresholds import Measured, verdict
from rrcore.papers.lopub import em_joint, flip_probability, simulate_reports, uniform_protocol
from rrcore.table import Attribute, Schema
from tests.papers.lopub.handmade import plain_em

SIZES = (15, 7)
BITS, HASHES, LEVEL = 128, 4, 4.0
ITERATIONS = size(20, 2)
RUNS = size(5, 1)
FEW, MANY = size((10_000, 45_000), (100, 200))  # reports
LIMIT = 20.0
SECONDS = 30.0


def collected(n):
    """Reports of n people. Most answer the second question as their first answer suggests."""
    rng = np.random.default_rng(0)
    first = rng.choice(SIZES[0], n, p=rng.dirichlet(np.full(SIZES[0], 2.0)))
    second = np.where(rng.random(n) < 0.6, first % SIZES[1], rng.integers(0, SIZES[1], n))
    schema = Schema(tuple(Attribute(f"A{a}", tuple(f"c{c}" for c in range(a))) for a in SIZES))
    flip = flip_probability(HASHES, LEVEL)
    protocol = uniform_protocol(schema, hashes=HASHES, flip=flip, lengths=[BITS] * len(SIZES))
    return simulate_reports(np.stack([first, second], axis=1).astype(np.int32), protocol, rng=rng)


def timed(job):
    start = process_time()
    found = job()
    return process_time() - start, found


def main() -> int:
    reports = collected(FEW)
    loops, (shares, _) = timed(lambda: plain_em(reports, (0, 1), tolerance=0, most=ITERATIONS))
    runs = [timed(lambda: em_joint(reports, (0, 1), tolerance=0, most=ITERATIONS)) for _ in range(RUNS)]
    fast, found = min(runs, key=lambda run: run[0])
    apart, ratio = float(np.abs(found.shares - shares).max()), loops / fast
    print(f"{FEW:,} reports, {ITERATIONS} iterations: plain loops {loops:.1f} s, em_joint {fast * 1e3:.0f} ms")
    many = collected(MANY)
    seconds, end = timed(lambda: em_joint(many, (0, 1)))
    print(f"{MANY:,} reports to the end: {seconds:.1f} s, {end.iterations} iterations")
    return verdict(
        "lopub",
        [
            Measured("speed of EM compared with plain loops", ratio, LIMIT, "times", least=True),
            Measured("largest difference of a share", apart, 1e-8),
            Measured(f"time of EM, {MANY:,} reports", seconds, SECONDS, "s"),
        ],
    )


if __name__ == "__main__":
    sys.exit(main())
