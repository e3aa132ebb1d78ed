"""How near to the truth is the dependence found behind a release, and how much is found where there is none? (theory.md section 17)

Run ``python benchmarks/bench_dependence.py [adult.csv]``. Kronecker at levels 1 and 2 on the census demo, on the same table with every
column shuffled (no dependence but that of chance) and on UCI Adult, whose table is read from the file named or from
``../shared/data/adult.csv``. Means over 5 releases: Spearman's rank correlation of the estimated with the true Cramer's V of all pairs;
median and mean of estimate minus truth; root mean square distance; part of the 95 % intervals that hold the truth; the rank correlation of
the raw release; seconds for one release. ``FORMER`` is what this loop printed for the estimator with a fixed prior on what a pair has of
its own, up to commit 20bfe80. Exits 1 if phantom dependence at level 1 (mean and median where there is none) or the census's median bias
reaches ``PHANTOM``, if pairs of the census at level 2 are ranked worse than by the raw release, or if the rank correlation, the size of
the median bias or the coverage on Adult is worse than the former one.
"""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path
from time import perf_counter

import numpy as np
from scipy.stats import spearmanr

from benchmarks.sizes import size
from rrcore.dependence import PairTables, debiased_dependence, measure_pairs
from rrcore.mechanisms import Kronecker
from rrcore.table import Dataset, load_demo
from rrcore.table.reading import read_text_table
from rrcore.table.recoding import recode
from rrcore.table.rule import ColumnRule

ADULT = Path(__file__).resolve().parents[2] / "shared" / "data" / "adult.csv"
RELEASES = size(5, 1)
PHANTOM = 0.02

FORMER = {
    ("census", 1.0): (0.640, +0.0551, +0.0418, 0.0767, 0.943),
    ("census", 2.0): (0.842, +0.0158, +0.0148, 0.0348, 0.957),
    ("census, shuffled", 1.0): (0.350, +0.0799, +0.0882, 0.0952, 0.986),
    ("census, shuffled", 2.0): (0.757, +0.0393, +0.0406, 0.0449, 0.986),
    ("Adult", 1.0): (0.766, +0.0189, -0.0067, 0.0827, 0.986),
    ("Adult", 2.0): (0.959, +0.0068, +0.0047, 0.0291, 0.900),
}
"""Table and level -> rank correlation, median and mean of estimate minus truth, root mean square distance, coverage."""


def shuffled(people: Dataset) -> Dataset:
    """The same answers to every question, given by other people."""
    rng = np.random.default_rng(0)
    return replace(people, codes=np.stack([rng.permutation(column) for column in people.codes.T], axis=1))


def read_adult(path: Path) -> Dataset:
    """The eight categorical columns of UCI Adult."""
    text = read_text_table(path.read_bytes(), "adult.csv")
    return recode(text, {column.name: ColumnRule() for column in text.columns})


def measure(people: Dataset, level: float, releases: int = RELEASES) -> tuple[tuple[float, ...], float, float]:
    """The figures of ``FORMER`` for the estimator as it is, the rank correlation of the raw release, and seconds for one."""
    sizes = people.schema.sizes
    mechanism, upper = Kronecker.from_levels(sizes, [level] * len(sizes)), np.triu_indices(len(sizes), 1)
    truth = measure_pairs(PairTables.count(people.codes, sizes))[upper]
    ranks, raw, apart, held, spent = [], [], [], [], 0.0
    for seed in range(releases):
        released = PairTables.count(mechanism.perturb(people.codes, rng=np.random.default_rng(seed)), sizes)
        start = perf_counter()
        found = debiased_dependence(released, mechanism)
        spent += perf_counter() - start
        ranks.append(spearmanr(found.v[upper], truth).statistic)
        raw.append(spearmanr(measure_pairs(released)[upper], truth).statistic)
        apart.append(found.v[upper] - truth)
        held.append(((found.low[upper] <= truth) & (truth <= found.high[upper])).mean())
    figures = (np.mean(ranks), np.median(apart), np.mean(apart), np.sqrt(np.mean(np.square(apart))), np.mean(held))
    return tuple(map(float, figures)), float(np.mean(raw)), spent / releases


def main() -> int:
    file = Path(sys.argv[1]) if len(sys.argv) > 1 else ADULT
    census = load_demo("census")
    tables = {"census": census, "census, shuffled": shuffled(census)}
    if file.exists():
        tables["Adult"] = read_adult(file)
    else:
        print(f"UCI Adult is not measured: there is no {file.name} where it was looked for.")
    wrong = []
    print(
        f"{'table':18}{'level':>6}{'':9}{'rank':>7}{'median':>9}{'mean':>9}{'rms':>8}{'covered':>9}{'raw rank':>10}{'seconds':>9}"
    )
    for name, people in tables.items():
        for level in (1.0, 2.0):
            former, (found, raw, seconds) = FORMER[name, level], measure(people, level)
            for title, (rank, middle, mean, off, covered) in (("former", former), ("now", found)):
                print(f"{name:18}{level:6g} {title:8}{rank:7.3f}{middle:+9.4f}{mean:+9.4f}{off:8.4f}{covered:9.3f}", end="")
                print(f"{raw:10.3f}{seconds:9.2f}" if title == "now" else "")
            if name == "census, shuffled" and level == 1 and max(abs(found[1]), abs(found[2])) >= PHANTOM:
                wrong.append("phantom dependence at level 1")
            if name == "census" and (abs(found[1]) >= PHANTOM or (level == 2 and found[0] < raw)):
                wrong.append(f"the census at level {level:g}")
            if name == "Adult" and (found[0] < former[0] - 5e-4 or abs(found[1]) > abs(former[1]) or found[4] < former[4] - 5e-4):
                wrong.append(f"Adult at level {level:g}")
    print("Not as it should be: " + ", ".join(wrong) if wrong else "All as it should be.")
    return int(bool(wrong))


if __name__ == "__main__":
    sys.exit(main())
