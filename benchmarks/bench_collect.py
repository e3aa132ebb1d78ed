"""How much longer does the exact sampler take than the seeded simulator, for 1,000,000 x 8 answers?

Run ``python benchmarks/bench_collect.py``. Prints, for each mechanism, the ratio of the best of 3 interleaved processor times of ``collect``
(operating-system entropy, integers) and of ``perturb`` (seeded, floating point), and how much of it the operating system takes for the
random bytes alone. Exits 1 if a ratio exceeds ``LIMIT`` but as ``benchmarks/thresholds.py`` says, or if what the sampler does with the
bytes takes more than ``OWN`` times as long as the simulator.
"""

from __future__ import annotations

import os
import sys
from time import process_time

import numpy as np

from benchmarks.sizes import size
from benchmarks.thresholds import verdict
from rrcore.mechanisms import build
from rrcore.promise import MechanismFile, integer_groups, randomise
from rrcore.promise.sampler import randomise_codes
from rrcore.table import Attribute, Dataset, Schema

SIZES = (9, 16, 7, 15, 6, 5, 2, 2)
N = size(1_000_000, 1_000)
RUNS = size(3, 1)
LIMIT = 5.0
OWN = 2.0


def _asked(file: MechanismFile, answers: Dataset) -> list[int]:
    """How many random bytes at a time the sampler asks the operating system for."""
    counts = list[int]()

    def entropy(count: int) -> bytes:
        counts.append(count)
        return os.urandom(count)

    randomise_codes(file, answers.codes, entropy)
    return counts


def main() -> int:
    rng = np.random.default_rng(0)
    schema = Schema(tuple(Attribute(f"q{i}", tuple(str(c) for c in range(a))) for i, a in enumerate(SIZES)))
    answers = Dataset(schema, np.column_stack([rng.integers(0, a, N) for a in SIZES]).astype(np.int32))
    worst = own = 0.0
    for name in ("kronecker", "pair-safe", "optimal", "joint"):
        for eps in (2.0, 4.0):
            mechanism = build(name, SIZES, np.full(len(SIZES), eps))
            file = MechanismFile(schema, integer_groups(mechanism))
            counts = _asked(file, answers)
            jobs = (
                lambda m=mechanism: m.perturb(answers.codes, rng=rng),
                lambda f=file: randomise(f, answers),
                lambda c=counts: [len(os.urandom(count)) for count in c],
            )
            best = [np.inf] * len(jobs)
            for _ in range(RUNS):
                for i, job in enumerate(jobs):
                    start = process_time()
                    job()
                    best[i] = min(best[i], process_time() - start)
            simulated, collected, kernel = best
            worst, own = max(worst, collected / simulated), max(own, (collected - kernel) / simulated)
            print(
                f"{name:10s} eps {eps:g}: simulated {simulated * 1e3:5.0f} ms, collected {collected * 1e3:5.0f} ms, "
                f"of which the kernel's bytes {kernel * 1e3:4.0f} ms; ratio {collected / simulated:.1f}"
            )
    print(f"worst ratio {worst:.1f}, without the kernel's bytes {own:.1f}")
    missed = {"ratio": f"{worst:.1f}, at most {LIMIT:g} asked"} if worst > LIMIT else {}
    if own > OWN:
        missed["without the kernel's bytes"] = f"{own:.1f}, at most {OWN:g} asked"
    return verdict("collect", missed)


if __name__ == "__main__":
    sys.exit(main())
