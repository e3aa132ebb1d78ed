"""What do combinations that cannot occur bring, once they are declared? (theory.md section 27)

Run ``python benchmarks/bench_impossible.py [adult.csv [RELEASES]]``. Marital status x relationship of UCI Adult, read from the file named or
from ``../shared/data/adult.csv``: nobody who is divorced, separated, widowed, never married or whose spouse is absent is a husband or a wife,
10 of 42 combinations. Without that file, an invented table of the same kind. Levels of .5 to 4 for each of these and sex; pair-safe; all
people and 2,000 of them, drawn anew for each release.

For every setting and reader it prints the half L1 of the cells that can occur and that of all cells, without and with the rule, in percent of
the people; of the unbiased estimate also the mean width of its intervals in the cells that can occur, and how many of these hold the true
share, before they are widened to hold what comes closest.

Exits 1 where the unbiased estimate is not closer in the cells that can occur, where any reader but EM is not closer over all cells, where
a reader has anybody in a cell that cannot occur, or where intervals hold less than 93 % or more than 97 %.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[1]))
import rrcore as rr
from benchmarks.sizes import size
from rrcore.arrays import Booleans, Floats
from rrcore.estimate import Estimate, half_l1
from rrcore.research.papers.running import read_adult
from rrcore.table import Dataset, Impossible
from rrcore.table.reading import read_text_table

ADULT = Path(__file__).resolve().parents[2] / "shared" / "data" / "adult.csv"
RELEASES = size(100, 2)
LEVELS = size((0.5, 1.0, 2.0, 4.0), (1.0,))
PEOPLE = size((None, 2_000), (2_000,))
PAIR = ("marital-status", "relationship")
APART = ("Divorced", "Married-spouse-absent", "Never-married", "Separated", "Widowed")
RULE = Impossible(PAIR, tuple((status, spouse) for status in APART for spouse in ("Husband", "Wife")))
READERS = ("unbiased", "projected", "shrinkage", "blend", "EM")


def invented() -> Dataset:
    """20,000 people with such attributes, shares drawn at random."""
    status = rr.Attribute(PAIR[0], ("Married-AF-spouse", "Married-civ-spouse", *APART))
    kin = rr.Attribute(PAIR[1], ("Husband", "Not-in-family", "Other-relative", "Own-child", "Unmarried", "Wife"))
    schema, rng = rr.Schema((status, kin, rr.Attribute("sex", ("f", "m"))), (RULE,)), np.random.default_rng(0)
    shares = rng.gamma(0.5, size=schema.sizes) * ~schema.impossible_cells()
    cells = rng.choice(shares.size, 20_000, p=shares.ravel() / shares.sum())
    return Dataset(schema, np.stack(np.unravel_index(cells, schema.sizes), axis=1))


def read(estimate: Estimate) -> dict[str, Floats]:
    """The shares by reader."""
    unbiased = {"unbiased": estimate.shares, "projected": estimate.projected}
    others = (estimate.closest().shares, estimate.blend().shares, estimate.likeliest().shares)
    return unbiased | dict(zip(READERS[2:], others, strict=True))


def measure(table: Dataset, eps: float, people: int | None, releases: int) -> dict[tuple[str, bool], Floats]:
    """Means over releases by reader, and whether the rule was known: half L1 of what can occur, of all; of intervals width and coverage."""
    possible: Booleans = ~table.schema.impossible_cells(PAIR)
    without = rr.Schema(table.schema.attributes)
    mechanism = rr.Plan.for_levels(table, eps).with_mechanism("pair-safe").build()
    found: dict[tuple[str, bool], list[list[float]]] = {}
    for seed in range(releases):
        own = table if people is None else table.resample(people, rng=np.random.default_rng((1, seed)))
        truth = own.shares(PAIR)
        for known in (False, True):
            one = Dataset(table.schema if known else without, own.codes)
            estimate = rr.perturb(one, mechanism, rng=np.random.default_rng(seed)).estimate(PAIR)
            low, high = estimate.interval()
            for reader, shares in read(estimate).items():
                if known and shares[~possible].any():
                    raise SystemExit(f"{reader} has people where there can be none")
                numbers = [half_l1(shares[possible], truth[possible]), half_l1(shares, truth)]
                if reader == "unbiased":
                    numbers += [(high - low)[possible].mean(), ((low <= truth) & (truth <= high))[possible].mean()]
                found.setdefault((reader, known), []).append(numbers)
    return {key: np.mean(each, axis=0) for key, each in found.items()}


def main(file: Path = ADULT, releases: int = RELEASES) -> int:
    """Print the tables; 1 where something is worse than it should be."""
    if file.exists():
        table = read_adult(read_text_table(file.read_bytes(), file.name)).select([*PAIR, "sex"]).declaring([RULE])
    else:
        table = invented()
    print(
        f"{'UCI Adult' if file.exists() else 'an invented table'}, {releases} releases each; in percent: without -> with the rule"
    )
    failed = False
    for people in PEOPLE:
        for eps in LEVELS:
            found = measure(table, eps, people, releases)
            print(f"\n{people or table.n:,} people, level {eps:g}")
            for reader in READERS:
                before, after = 100 * found[reader, False], 100 * found[reader, True]
                print(
                    f"  {reader:10} can occur {before[0]:7.2f} -> {after[0]:7.2f}   all cells {before[1]:7.2f} -> {after[1]:7.2f}",
                    end="",
                )
                if reader == "unbiased":
                    print(f"   width {before[2]:6.2f} -> {after[2]:6.2f}   hold {before[3]:.1f} -> {after[3]:.1f}", end="")
                    failed |= after[0] >= before[0] or not 93 <= after[3] <= 97
                failed |= after[1] >= before[1] and reader != "EM"
                print()
    return int(failed)


if __name__ == "__main__":
    sys.exit(main(*(kind(text) for kind, text in zip((Path, int), sys.argv[1:], strict=False))))
