"""How many of a table's cells have their true share in the shorter intervals around what shrinkage reads? (theory.md section 25)

Run ``python benchmarks/bench_short.py [adult.csv [RELEASES [FIRST]]]``. Titanic, hair and eye, Berkeley, the invented census, UCI Adult
(read from the file named or from ``../shared/data/adult.csv``) and five tables made here: of attributes that are independent, weakly
and strongly dependent, of three attributes only, and of attributes with an order. 200, 1,000, 10,000, all and, of few attributes,
100,000 people; levels of .25 to 4 for every attribute; Kronecker, the optimum, pair-safe and 3-safe; up to 6 pairs, 4 triples and 2
quadruples; against these people, and against those they were drawn from. The law of the strength of dependence is learned without the
table that is measured. Seeds start at FIRST.

For every setting of ``rrcore/estimate/short.py`` it prints the coverage, the mean over all releases and sets of the table
where it is least, with its standard error over releases; the coverage over cells that somebody is in; that of the promised intervals
after and before they are widened; and the mean width beside theirs. Then the rows of that file. Cells that nobody is in count as cells.

Asked is that shorter intervals, where they are offered, hold 95 % of the cells but for 3 standard errors and are shorter in the mean, and
that promised intervals hold 93 % after they were widened. Exits 1 where anything is missed but what ``benchmarks/thresholds.py`` says.
"""

from __future__ import annotations

import math
import sys
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterator, Mapping
from itertools import combinations, product
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[1]))
import rrcore as rr
from benchmarks.sizes import size
from benchmarks.thresholds import verdict
from rrcore.arrays import Floats
from rrcore.estimate import PointEstimate, coverage
from rrcore.estimate.short import KEPT, PEOPLE, PROMISED, measured, shrunk_errors
from rrcore.estimate.shrinkage import Shrinkage
from rrcore.estimate.usual import usual_law
from rrcore.research.papers.running import read_adult
from rrcore.table import Dataset
from rrcore.table.reading import read_text_table

ADULT = Path(__file__).resolve().parents[2] / "shared" / "data" / "adult.csv"
DEMOS = size(("titanic", "haireye", "berkeley", "census"), ("titanic",))
RELEASES = size(2, 1)
MORE = size(4, 1)  # times as many of tables of few attributes, which have few sets
FEW = 4
LEVELS = size((0.25, 0.5, 1.0, 2.0, 4.0), (0.5,))
MECHANISMS = size({"kronecker": 1, "optimal": 1, "pair-safe": 2, "3-safe": 3}, {"kronecker": 1})
COUNTS = size((200, 1_000, 10_000, None, 100_000), (200,))
MOST_SETS = {2: 6, 3: 4, 4: 2}
WIDENED = 0.93  # of the cells the promised intervals hold at least once widened
SOMEBODY = 0.9  # of the cells that somebody is in, at least
COLUMNS = ("shorter", "somebody", "promised", "raw", "width", "promised width")
MADE = {"independent": (6, 2, 0.0), "weak": (6, 3, 0.3), "strong": (6, 4, 0.9), "three": (3, 3, 0.6), "ordered": (4, 3, 0.6)}

Setting = tuple[int, int, int]


def made(key: str) -> Dataset:
    """20,000 people of some classes; answers depend on the class as strongly as ``MADE`` says."""
    attributes, classes, strength = MADE[key]
    rng, kind = np.random.default_rng(len(key)), "ordinal" if key == "ordered" else "nominal"
    sizes = (6, 8, 5, 2) if key == "ordered" else (3, 4, 5, 2, 3, 2)[:attributes]
    own, columns = rng.integers(0, classes, 20_000), []
    for a in sizes:
        common = rng.dirichlet(np.full(a, 1.5))
        apart = [_bell(a, rng) if key == "ordered" else rng.dirichlet(np.full(a, 0.5)) for _ in range(classes)]
        laws = [(1 - strength) * common + strength * each for each in apart]
        ends = np.cumsum(laws, axis=1)[own, :-1]
        columns.append((rng.random(len(own))[:, None] > ends).sum(axis=1))
    schema = rr.Schema(tuple(rr.Attribute(f"q{i}", tuple(map(str, range(a))), kind) for i, a in enumerate(sizes)))
    return Dataset(schema, np.stack(columns, axis=1))


def _bell(size: int, rng: np.random.Generator) -> Floats:
    """Shares that rise and fall smoothly along the order."""
    heights = np.exp(-((np.arange(size) - rng.uniform(0, size)) ** 2) / size)
    return np.asarray(heights / heights.sum())


def chosen_sets(k: int) -> Iterator[tuple[int, ...]]:
    for width, most in MOST_SETS.items():
        sets = list(combinations(range(k), width))
        picked = np.random.default_rng(23).choice(len(sets), min(most, len(sets)), replace=False) if sets else []
        yield from (sets[i] for i in sorted(map(int, picked)))


def one_release(
    key: str, people: Dataset, built: rr.Mechanism, n: int | None, seed: int
) -> Iterator[tuple[Setting, bool, Floats]]:
    """Setting, whether errors are against the population, and ``COLUMNS``, of every set of attributes whose setting could be offered."""
    rng = np.random.default_rng([seed, n or 0])
    table = people if n is None else people.resample(n, rng=rng)
    release = rr.perturb(table, built, rng=rng)
    usual = {width: usual_law(width, key.split(",")[0]) for width in MOST_SETS}
    whole, names = Shrinkage(release, usual), table.schema.names
    for axes in chosen_sets(table.k):
        wanted = [names[i] for i in axes]
        if release.channel(wanted).lost():
            continue
        errors, shares, estimate = shrunk_errors(whole, axes), whole.shares(axes), release.estimate(wanted)
        setting = (len(axes), bisect_left(PEOPLE, table.n) - 1, bisect_left(KEPT, errors.kept))
        if setting[2] == len(KEPT):
            continue
        for population in (False, True) if n else (False,):
            truth = (people if population else table).shares(wanted)
            low, high = errors.interval(shares, table.n, population=population)
            first, last = PointEstimate("shrinkage", shares, estimate).interval(population=population)
            if (high - low).mean() >= (last - first).mean():
                continue  # not offered
            raw, somebody = estimate.interval(population=population), truth > 0
            covered = [coverage(truth, low, high), coverage(truth[somebody], low[somebody], high[somebody])]
            covered += [coverage(truth, first, last), coverage(truth, *raw)]
            yield setting, population, np.array([*covered, (high - low).mean(), (last - first).mean()])


def measure(tables: Mapping[str, Dataset], releases: int, first: int) -> dict[Setting, dict[str, list[Floats]]]:
    """Setting -> table and what errors are against -> mean of ``COLUMNS`` over the sets of each release."""
    found: dict[Setting, dict[str, list[Floats]]] = defaultdict(lambda: defaultdict(list))
    for key, people in tables.items():
        counts = [n for n in COUNTS if n is None or n < people.n or (n == max(COUNTS[-1] or 0, n) and people.k <= FEW)]
        for n, level, (mechanism, least) in product(counts, LEVELS, MECHANISMS.items()):
            if people.k < least:
                continue
            built = rr.build(mechanism, people.schema.sizes, [level] * people.k)
            for seed in range(first, first + releases * (MORE if people.k <= FEW else 1)):
                rows: dict[tuple[Setting, bool], list[Floats]] = defaultdict(list)
                for setting, population, row in one_release(key, people, built, n, seed):
                    rows[setting, population].append(row)
                for (setting, population), each in rows.items():
                    found[setting][f"{key}{', population' if population else ''}"].append(np.mean(each, axis=0))
        print(f"{key} measured", file=sys.stderr, flush=True)
    return found


def least(tables: Mapping[str, list[Floats]], fewest: int) -> tuple[str, Floats, float] | None:
    """The table whose cells are covered least: its name, the means of ``COLUMNS`` and the standard error of the first."""
    enough = {name: np.array(rows) for name, rows in tables.items() if len(rows) >= fewest}
    if len(enough) < size(3, 1):
        return None
    name = min(enough, key=lambda each: float(enough[each][:, 0].mean()))
    rows = enough[name]
    return name, rows.mean(axis=0), float(rows[:, 0].std(ddof=1) / math.sqrt(len(rows))) if len(rows) > 1 else 0.0


def main(file: Path, releases: int, first: int) -> int:
    tables = {key: rr.load_demo(key) for key in DEMOS} | {key: made(key) for key in size(tuple(MADE), ())}
    if file.exists() and len(DEMOS) > 1:
        tables["adult"] = read_adult(read_text_table(file.read_bytes(), file.name))
        alike = (rr.Attribute(each.name, each.categories, "ordinal") for each in tables["adult"].schema.attributes)
        tables["adult, ordered"] = Dataset(rr.Schema(tuple(alike)), tables["adult"].codes)
    found = measure(tables, releases, first)
    missed, lines = dict[str, str](), dict[int, list[str]]()
    print(
        f"{'w':>2}{'people up to':>14}{'kept up to':>12}  {'least covered table':24}" + "".join(f"{name:>15}" for name in COLUMNS)
    )
    for width, people, part in product(MOST_SETS, range(len(PEOPLE) - 1), range(len(KEPT))):
        row = least(found.get((width, people, part), {}), size(5, 1))
        lines.setdefault(width, []).append("-")
        if row is None:
            continue
        name, means, error = row
        place = f"w = {width}, up to {PEOPLE[people + 1]:,} people, kept up to {KEPT[part]:g}"
        setting = f"{width:2}{PEOPLE[people + 1]:14,}{KEPT[part]:12g}  {name:24}"
        print(setting + "".join(f"{value:15.4f}" for value in means) + f"  +- {error:.4f}")
        every = np.concatenate([np.array(rows) for rows in found[width, people, part].values()]).mean(axis=0)
        print(f"{'':28}  {'all tables':24}" + "".join(f"{value:15.4f}" for value in every))
        if min(means[1], every[1]) >= SOMEBODY:
            lines[width][-1] = f"{math.floor(1000 * means[0]) / 1000:.3f}"
        offered = (measured(width, KEPT[part], PEOPLE[people + 1]) or 0.0) >= PROMISED
        if offered and (means[0] < PROMISED - 3 * error or every[4] >= every[5]):
            missed[f"shorter intervals, {place}"] = (
                f"{name}: {means[0]:.3f} of {PROMISED:g}, width {every[4]:.3f} of {every[5]:.3f}"
            )
        if every[2] < WIDENED:
            missed[f"promised intervals, {place}"] = f"{every[2]:.3f} of {WIDENED:g}"
    for width, texts in lines.items():
        rows_of = [" ".join(texts[start : start + len(KEPT)]) for start in range(0, len(texts), len(KEPT))]
        print(f'    {width}: "' + "  ".join(rows_of) + '",')
    return verdict("short", missed)


if __name__ == "__main__":
    given = sys.argv[1:]
    at = Path(given[0]) if given else ADULT
    sys.exit(main(at, int(given[1]) if len(given) > 1 else RELEASES, int(given[2]) if len(given) > 2 else 0))
