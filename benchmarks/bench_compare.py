"""Which is best for random workloads: the design, a mechanism that preserves joint distributions, or RR-Joint.

Run ``python benchmarks/bench_compare.py [workloads] [attributes]``. For every workload all of them compete at the same total by the
exact expected error of the asked marginals, divided by that of Kronecker at equal split; printed is how often each wins, and how many
times as many people the best one is worth compared with the design alone.
"""

from __future__ import annotations

import sys
from collections import Counter

import numpy as np

from benchmarks.sizes import size
from benchmarks.thresholds import Measured, verdict
from rrcore.budget import Questions


def main(workloads: int = size(100, 2), most: int = size(8, 4)) -> int:
    """Print who wins and by how much; 1 if the best of all is ever worse than the design alone."""
    rng = np.random.default_rng(0)
    winners: Counter[str] = Counter()
    leads = []
    for _ in range(workloads):
        k = int(rng.integers(3, most + 1))
        sizes = tuple(int(a) for a in rng.integers(2, 17, k))
        asked = tuple({tuple(sorted(map(int, rng.permutation(k)[: rng.integers(1, 4)]))) for _ in range(rng.integers(1, 2 * k))})
        made = Questions(float(rng.uniform(1, 16)), asked).build(sizes)
        winners[made.entrants[0].title] += 1
        design = next(each.worth for each in made.entrants if each.title == "the design")
        leads.append(made.entrants[0].worth / design)
    for title, times in winners.most_common():
        print(f"{title}: best {times} times of {workloads}")
    known = np.array([lead for lead in leads if np.isfinite(lead)])
    print(f"worth compared with the design alone: median {np.median(known):.2f}, largest {known.max():.2f} times as many people")
    return verdict("compare", [Measured("least worth of the best compared with the design", min(leads), 1, "times", least=True)])


if __name__ == "__main__":
    sys.exit(main(*map(int, sys.argv[1:])))
