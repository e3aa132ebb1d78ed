"""Which mechanism is best for whoever reads the whole table at once? (theory.md section 25)

Run ``python benchmarks/bench_width.py [adult.csv]``. Titanic, hair and eye, Berkeley, the invented census and UCI Adult (read from the file
named or from ``../shared/data/adult.csv``), of 1,000 and of all people, totals of 1 to 16 nats for the record, equal levels: the optimum (w =
1), what is safe for pairs, for triples and for quadruples, and Kronecker. Printed is half of the L1 distance of shrinkage to the true
shares, the mean over releases and over all pairs and up to 20 triples, and in brackets how many times the root-mean-square error of a share
that came was expected beforehand (``expected_shrunk_error`` of the table at hand). Then, for every mechanism, the geometric mean over
all settings of its half L1 over that of pair-safe, which is the recommended one, and the largest; and quantiles of what stands in
brackets.

Exits 1 where one of them is closer than pair-safe by 5 % or more in the mean, and is never further than it by more than a tenth.
"""

from __future__ import annotations

import math
import sys
from collections import defaultdict
from pathlib import Path

import numpy as np

import rrcore as rr
from benchmarks.bench_shrinkage import ADULT, chosen_sets, half_l1
from benchmarks.sizes import size
from rrcore.budget import levels_for_total
from rrcore.errors import InputError
from rrcore.estimate import expected_shrunk_error
from rrcore.mechanisms import Mechanism, recommended_recipe
from rrcore.research.papers.running import read_adult
from rrcore.table import Dataset
from rrcore.table.reading import read_text_table

TABLES = size(("titanic", "haireye", "berkeley", "census"), ("titanic",))
RELEASES = size(5, 1)
TOTALS = size((1.0, 2.0, 4.0, 8.0, 16.0), (2.0,))
PEOPLE = size((1_000, None), (200,))
MECHANISMS = ("optimal", "pair-safe", "3-safe", "4-safe", "kronecker")


def mechanisms(people: Dataset, total: float) -> dict[str, Mechanism]:
    """Those that can spend this total at equal levels."""
    made = {}
    for name in MECHANISMS:
        try:
            made[name] = levels_for_total(people.schema.sizes, total, [1.0] * people.k, mechanism=name).mechanism
        except InputError:
            continue
    return made


def measure(people: Dataset, mechanism: Mechanism, n: int | None) -> dict[int, tuple[float, float]]:
    """Width -> mean half L1 of shrinkage, and how many times the root-mean-square error that came was expected."""
    found: dict[int, list[tuple[float, float, float]]] = defaultdict(list)
    sets = [axes for axes in chosen_sets(people.k) if len(axes) < 4]
    for seed in range(RELEASES):
        rng = np.random.default_rng(seed)
        table = people if n is None else people.resample(n, rng=rng)
        release = rr.perturb(table, mechanism, rng=rng)
        for axes in sets:
            truth, shares = table.shares([table.schema.names[i] for i in axes]), release.shrinkage.shares(axes)
            expected = expected_shrunk_error(mechanism.marginal_channel(axes), table.n, shares=truth)
            found[len(axes)].append((half_l1(shares, truth), float(((shares - truth) ** 2).mean()), expected**2))
    means = {width: np.mean(rows, axis=0) for width, rows in found.items()}
    return {width: (float(mean[0]), math.sqrt(mean[2] / mean[1]) if mean[1] else math.nan) for width, mean in means.items()}


def main() -> int:
    file = Path(sys.argv[1]) if len(sys.argv) > 1 else ADULT
    tables = {key: rr.load_demo(key) for key in TABLES}
    if file.exists():
        tables["adult"] = read_adult(read_text_table(file.read_bytes(), file.name))
    else:
        print(f"UCI Adult is not measured: there is no {file.name} where it was looked for.")
    ratios: dict[tuple[int, str], list[float]] = defaultdict(list)
    expected: dict[float, list[float]] = defaultdict(list)
    print(f"{'table':10}{'people':>8}{'total':>7}{'w':>3}" + "".join(f"{name:>18}" for name in MECHANISMS))
    for key, people in tables.items():
        built = {total: mechanisms(people, total) for total in TOTALS}
        for n in (n for n in PEOPLE if n is None or n < people.n):
            for total, made in built.items():
                rows = {name: measure(people, mechanism, n) for name, mechanism in made.items()}
                for width in rows["pair-safe"]:
                    told = "".join(
                        f"{rows[name][width][0]:10.4f} ({rows[name][width][1]:5.2f})" if name in rows else f"{'-':>18}"
                        for name in MECHANISMS
                    )
                    print(f"{key:10}{n or people.n:8,}{total:7g}{width:3}{told}", flush=True)
                    for name, row in rows.items():
                        ratios[width, name].append(row[width][0] / rows["pair-safe"][width][0])
                        expected[total].append(row[width][1])
    assert recommended_recipe(8) == "pair-safe"
    print(f"\n{'w':>2} {'mechanism':12}{'settings':>9}{'mean':>8}{'largest':>9}   beside pair-safe at the same total")
    better = list[str]()
    for (width, name), each in sorted(ratios.items()):
        mean, largest = float(np.exp(np.log(each).mean())), max(each)
        print(f"{width:2} {name:12}{len(each):9}{mean:8.3f}{largest:9.2f}")
        if mean <= 0.95 and largest <= 1.1:
            better.append(f"{name} for w = {width}")
    print("\nExpected over what came, root-mean-square error of a share: 5, 50 and 95 % of the settings")
    for total, each in expected.items():
        print(f"total {total:4g}: " + "".join(f"{value:7.2f}" for value in np.nanquantile(each, [0.05, 0.5, 0.95])))
    print("Another one would be better: " + ", ".join(better) if better else "Pair-safe is the one to recommend.")
    return int(bool(better))


if __name__ == "__main__":
    sys.exit(main())
