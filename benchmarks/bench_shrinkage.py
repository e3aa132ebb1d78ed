"""How much closer does reading the whole table at once come than reading every joint distribution alone? (theory.md section 25)

Run ``python benchmarks/bench_shrinkage.py [adult.csv]``. Titanic, hair and eye, Berkeley, the invented census and UCI Adult (read from the
file named or from ``../shared/data/adult.csv``), of 200, 1,000, 10,000 and all people, levels of .25 to 4 for every attribute, under
Kronecker, the optimum, pair-safe and 3-safe. Printed is half of the L1 distance to the true shares of the people asked, the mean over
releases and over all pairs, up to 20 triples and up to 4 quadruples, of: inverted, put back to probabilities, taken as independent, the
blend, EM (where tables have at most 300 cells) and shrinkage, whose law of the strength of dependence is learned without the table that is
measured. Then the geometric mean over all settings of shrinkage beside the best of the second, third and fourth, chosen afterwards.

Asked is that triples are 1.3 and quadruples 1.5 times closer than the blend at levels 1 and 2 with at least 10,000 people and
eight attributes under Kronecker; that the mean is at most .97 for triples and 1.01 for pairs; that at most a tenth of the settings are
above 1.1, and none above 1.4; that pairs have their single shares to 1e-9, and wider sets differ in a common marginal by at most
.002; and that all pairs, 20 triples and 4 quadruples of Adult take less than .5 s of processor time (on any machine less than 1 s), as do
those of the counts that are expected of 98 million people like these. Exits 1 where anything is missed but what
``benchmarks/thresholds.py`` says.
"""

from __future__ import annotations

import sys
import time
import warnings
from collections import defaultdict
from collections.abc import Iterator
from itertools import combinations
from pathlib import Path

import numpy as np

import rrcore as rr
from benchmarks.sizes import size
from benchmarks.thresholds import verdict
from rrcore.arrays import Floats
from rrcore.estimate import CountedRelease, independent_shares, maximum_likelihood
from rrcore.estimate.shrinkage import Shrinkage
from rrcore.estimate.usual import usual_law
from rrcore.research.papers.running import read_adult
from rrcore.table import Counts, Dataset
from rrcore.table.opening import read_text_table

ADULT = Path(__file__).resolve().parents[2] / "shared" / "data" / "adult.csv"
TABLES = size(("titanic", "haireye", "berkeley", "census"), ("titanic",))
RELEASES = size(5, 1)
LEVELS = size((0.25, 0.5, 1.0, 2.0, 4.0), (1.0,))
PEOPLE = size((200, 1_000, 10_000, None), (200,))
MECHANISMS = size(("kronecker", "optimal", "pair-safe", "3-safe"), ("kronecker",))
READERS = ("inverted", "projected", "independent", "blend", "EM", "shrinkage")
MOST_SETS = {2: 10**9, 3: 20, 4: 4}
NAMED = {2: "pairs", 3: "triples", 4: "quadruples"}
EM_CELLS = 300


def chosen_sets(k: int) -> Iterator[tuple[int, ...]]:
    """All pairs, and of triples and quadruples as many as are measured."""
    for width, most in MOST_SETS.items():
        sets = list(combinations(range(k), width))
        picked = np.random.default_rng(5).choice(len(sets), min(most, len(sets)), replace=False) if sets else []
        yield from (sets[i] for i in sorted(map(int, picked)))


def half_l1(one: Floats, other: Floats) -> float:
    return float(np.abs(one - other).sum()) / 2


def measure(key: str, people: Dataset, mechanism: str, level: float, n: int | None) -> dict[int, Floats]:
    """Width -> mean half L1 by each of ``READERS``."""
    found: dict[int, list[list[float]]] = defaultdict(list)
    usual = {width: usual_law(width, key) for width in MOST_SETS}
    built = rr.build(mechanism, people.schema.sizes, [level] * people.k)
    for seed in range(RELEASES):
        rng = np.random.default_rng(seed)
        table = people if n is None else people.resample(n, rng=rng)
        release = rr.perturb(table, built, rng=rng)
        whole, names = Shrinkage(release, usual), table.schema.names
        singles = [release.estimate([name]).projected for name in names]
        for axes in chosen_sets(table.k):
            wanted = [names[i] for i in axes]
            if release.channel(wanted).lost():
                continue
            estimate, truth = release.estimate(wanted), table.shares(wanted)
            apart = independent_shares([singles[i] for i in axes], [(i,) for i in range(len(axes))])
            small = truth.size <= EM_CELLS and seed == 0
            likeliest = half_l1(maximum_likelihood(estimate.released, estimate.channel).shares, truth) if small else np.nan
            others = (half_l1(shares, truth) for shares in (estimate.shares, estimate.projected, apart, estimate.blend().shares))
            found[len(axes)].append([*others, likeliest, half_l1(whole.shares(axes), truth)])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)  # EM was nowhere run
        return {width: np.nanmean(rows, axis=0) for width, rows in found.items()}


def differences(release: rr.Release) -> tuple[float, float]:
    """The largest difference of a pair from its single shares, and of a wider set from what is read of one attribute less."""
    whole = Shrinkage(release)
    found = {axes: whole.disagreement(axes) for axes in chosen_sets(len(release.schema.names))}
    return max(off for axes, off in found.items() if len(axes) == 2), max(off for axes, off in found.items() if len(axes) > 2)


def seconds(release: rr.Release | CountedRelease) -> float:
    """Processor time of all sets."""
    start = time.process_time()
    whole = Shrinkage(release)
    for axes in chosen_sets(len(release.schema.names)):
        whole.shares(axes)
    return time.process_time() - start


def main() -> int:
    file = Path(sys.argv[1]) if len(sys.argv) > 1 else ADULT
    tables = {key: rr.load_demo(key) for key in TABLES}
    if file.exists():
        tables["adult"] = read_adult(read_text_table(file.read_bytes(), file.name))
    else:
        print(f"UCI Adult is not measured: there is no {file.name} where it was looked for.")
    ratios: dict[int, list[float]] = defaultdict(list)
    missed: dict[str, list[str]] = defaultdict(list)
    print(f"{'table':10}{'people':>8}{'level':>7} {'mechanism':11}{'w':>2}" + "".join(f"{name:>12}" for name in READERS))
    for key, people in tables.items():
        for n in (n for n in PEOPLE if n is None or n < people.n):
            for level in LEVELS:
                for mechanism in MECHANISMS:
                    for width, row in measure(key, people, mechanism, level, n).items():
                        setting = f"{key:10}{n or people.n:8,}{level:7g} {mechanism:11}{width:2}"
                        print(setting + "".join(f"{value:12.4f}" for value in row), flush=True)
                        inverted, apart, blend, shrinkage = row[[1, 2, 3, 5]]
                        ratios[width].append(shrinkage / min(inverted, apart, blend))
                        least = {3: 1.3, 4: 1.5}.get(width, 0)
                        compared = (
                            mechanism == "kronecker" and level in (1.0, 2.0) and (n or people.n) >= 10_000 and people.k == 8
                        )
                        if compared and blend / shrinkage < least:
                            missed[f"{NAMED[width]} beside the blend"].append(
                                f"{' '.join(setting.split())} {blend / shrinkage:.2f} of {least:g}"
                            )
    print(
        f"\n{'w':>2}{'settings':>10}{'mean':>8}{'above 1.1':>11}{'largest':>9}   beside the best of projected, independent and blend"
    )
    for width, each in sorted(ratios.items()):
        mean, above, largest = float(np.exp(np.log(each).mean())), float(np.mean(np.array(each) > 1.1)), max(each)
        print(f"{width:2}{len(each):10}{mean:8.3f}{above:11.3f}{largest:9.2f}")
        for what, value, most in (("mean", mean, {2: 1.01, 3: 0.97}.get(width, 1.0)), ("largest", largest, 1.4)):
            if value > most:
                missed[f"{NAMED[width]}, {what}"].append(f"{value:.3f} of {most:g}")
    above = float(np.mean(np.concatenate(list(ratios.values())) > 1.1))
    print(f"Above 1.1 in {above:.1%} of all settings.")
    if above > 0.1:
        missed["settings above 1.1"].append(f"{above:.3f} of 0.1")
    people = tables.get("adult", tables[TABLES[-1]])
    release = rr.perturb(people, rr.build("pair-safe", people.schema.sizes, [2.0] * people.k), rng=np.random.default_rng(1))
    pairs, wide = differences(release)
    print(f"\nPairs differ from single shares by at most {pairs:.1e}, wider sets in a common marginal by {wide:.1e}.")
    counted = [[people.schema.names[i] for i in axes] for axes in chosen_sets(people.k)]
    counted += [names for width in (1, 3, 4) for names in map(list, combinations(people.schema.names, width))]
    expected = {tuple(names): release.channel(names).push(people.shares(names)) for names in counted}
    counts = {names: np.floor(3_000 * people.n * shares).astype(np.int64) for names, shares in expected.items()}
    large = Counts(people.schema, 3_000 * people.n, counts)
    spent, spent_large = seconds(release), seconds(CountedRelease(large, release.mechanism))
    print(
        f"All pairs, 20 triples and 4 quadruples: {spent:.2f} s of processor time, {spent_large:.2f} s of {large.n:,} people's counts."
    )
    for what, value, most in (
        ("pairs agree", pairs, 1e-9),
        ("wider sets agree", wide, 2e-3),
        ("time", max(spent, spent_large), 0.5),
        ("time, on any machine", max(spent, spent_large), 1.0),
    ):
        if value > most:
            missed[what].append(f"{value:.2g} of {most:g}")
    return verdict("shrinkage", {name: "; ".join(each) for name, each in missed.items()})


if __name__ == "__main__":
    sys.exit(main())
