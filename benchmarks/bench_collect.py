"""How much longer does the exact sampler take than the seeded simulator, for 1,000,000 x 8 answers?

Run ``python benchmarks/bench_collect.py``. Prints, for each mechanism, the ratio of the best of 3 interleaved processor times of ``collect``
(operating-system entropy, integers) and of ``perturb`` (seeded, floating point); exits 1 if a ratio exceeds ``LIMIT``.
"""

from __future__ import annotations

import sys
from time import process_time

import numpy as np

from benchmarks.sizes import size
from rrcore.mechanisms import build
from rrcore.promise import MechanismFile, integer_groups, randomise
from rrcore.table import Attribute, Dataset, Schema

SIZES = (9, 16, 7, 15, 6, 5, 2, 2)
N = size(1_000_000, 1_000)
RUNS = size(3, 1)
LIMIT = 5.0


def main() -> int:
    rng = np.random.default_rng(0)
    schema = Schema(tuple(Attribute(f"q{i}", tuple(str(c) for c in range(a))) for i, a in enumerate(SIZES)))
    answers = Dataset(schema, np.column_stack([rng.integers(0, a, N) for a in SIZES]).astype(np.int32))
    worst = 0.0
    for name in ("kronecker", "pair-safe", "optimal", "joint"):
        for eps in (2.0, 4.0):
            mechanism = build(name, SIZES, np.full(len(SIZES), eps))
            file = MechanismFile(schema, integer_groups(mechanism))
            jobs = (lambda m=mechanism: m.perturb(answers.codes, rng=rng), lambda f=file: randomise(f, answers))
            best = [np.inf, np.inf]
            for _ in range(RUNS):
                for i, job in enumerate(jobs):
                    start = process_time()
                    job()
                    best[i] = min(best[i], process_time() - start)
            ratio = best[1] / best[0]
            worst = max(worst, ratio)
            print(
                f"{name:10s} eps {eps:g}: simulated {best[0] * 1e3:5.0f} ms, collected {best[1] * 1e3:5.0f} ms, ratio {ratio:.1f}"
            )
    print(f"worst ratio {worst:.1f}, limit {LIMIT:g}: {'exceeded' if worst > LIMIT else 'ok'}")
    return int(worst > LIMIT)


if __name__ == "__main__":
    sys.exit(main())
