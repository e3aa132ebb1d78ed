"""How often do nominal 95% intervals hold the true value?

Run ``python benchmarks/bench_intervals.py [RUNS]`` (by default 400 surveys of each setting that is simulated).
Prints, for each quantity and number of respondents, how many settings there are, the least coverage with its standard error, the mean and
the largest. Yes/no shares are listed exactly. Exits 1 if a setting is below its bound by more than 4 standard errors (false alarm 3e-5 for
each simulated setting), or the mean of settings with 1,000 respondents or more is above 97.5%.
"""

from __future__ import annotations

import sys
from itertools import product
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[1]))
from benchmarks.sizes import size
from benchmarks.thresholds import Measured, verdict
from rrcore.answers.sample_design import FEW_IN_CLUSTER
from tests.estimate.coverage import INTRACLASS, Setting, coverage, least

PEOPLE = size((5, 20, 50, 200, 1000, 10_000), (5, 20))
EPSILONS = size((0.5, 1, 2, 4, 6, 8), (1, 6))
SHARES = size((0, 0.005, 0.02, 0.05, 0.2, 0.5), (0, 0.2))
NAMED = {
    "share": "shares",
    "within": "shares within groups",
    "mean": "means",
    "weights": "weighted shares",
    "clusters": "shares of clusters",
}
KINDS = {"share": (0,), "within": (0.1, 0.3, 0.5), "mean": (2, 5, 7), "weights": (0,), "clusters": (3, 5, 20)}


def settings(quantity: str, n: int) -> list[Setting]:
    """Every setting of a quantity; people drawn one by one are also asked about themselves."""
    against = (True,) if quantity in ("weights", "clusters") else (True, False)
    found = [Setting(quantity, n, *each) for each in product(EPSILONS, SHARES, KINDS[quantity], against)]
    return [one for one in found if quantity != "clusters" or one.n * one.share / one.of >= FEW_IN_CLUSTER]


def rare_in_clusters(one: Setting) -> bool:
    """Whether the standard deviation of the share between clusters is above the share."""
    return one.quantity == "clusters" and INTRACLASS * (1 - one.share) > one.share


def main(runs: int) -> int:
    """Print the table; 1 if a bound is broken."""
    lowest, average = dict[str, Measured](), []
    print("| quantity | n | settings | least (standard error) | mean | largest |\n|---|--:|--:|--:|--:|--:|")
    for quantity, n in product(KINDS, PEOPLE):
        every = settings(quantity, n)
        if not every:
            continue
        found = [(*coverage(one, runs, np.random.default_rng(i)), one) for i, one in enumerate(every)]
        held, error, _ = min(found, key=lambda each: each[0])
        values = [each[0] for each in found]
        average += values if n >= 1000 else []
        for share, off, one in found:
            name = (
                "few clusters that differ by more than the share"
                if rare_in_clusters(one)
                else f"least coverage, {NAMED[quantity]}"
            )
            measured = Measured(name, share, least(one) - 4 * off, least=True)
            lowest[name] = min(lowest.get(name, measured), measured, key=lambda each: each.value - each.limit)
        print(
            f"| {quantity} | {n:,} | {len(found)} | {held:.3f} ({error:.3f}) | {np.mean(values):.3f} | {max(values):.3f} |",
            flush=True,
        )
    mean = [Measured("mean coverage, 1,000 respondents or more", float(np.mean(average)), 0.975)] if average else []
    return verdict("intervals", [*lowest.values(), *mean])


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]) if len(sys.argv) > 1 else size(400, 20)))
