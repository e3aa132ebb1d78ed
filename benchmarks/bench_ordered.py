"""How much closer does the order of categories bring what is read with the whole table? (theory.md section 25)

Run ``python benchmarks/bench_ordered.py [nigeria.csv]``. Shares of one ordered attribute of 14 categories, smooth (a bell, two humps, a
decay, a scale of answers) and spiky (one category with half of the people, and shares drawn from Dirichlet laws of .4), beside an attribute
of two; the invented census, whose years of schooling are spiky; and a Nigerian survey (age in 14 bands, assets, education, three questions of
yes and no; read from the file named or from ``../shared/data/nigeria_forced_response.csv``). Of 500, 3,000 and 30,000 people, levels of .25
to 4 for every attribute, pair-safe. Printed is half of the L1 distance to the true shares of the people asked where the attribute is
nominal, over that where it is ordinal: single shares and pairs, the mean over releases, and over attributes and pairs that have one of
five or more ordered categories.

Asked is that the order nowhere loses more than 3 %, of single shares or pairs. Exits 1 where anything is missed but what
``benchmarks/thresholds.py`` says.
"""

from __future__ import annotations

import csv
import sys
from collections.abc import Iterator
from dataclasses import replace
from itertools import combinations
from pathlib import Path

import numpy as np

import rrcore as rr
from benchmarks.sizes import size
from benchmarks.thresholds import verdict
from rrcore.arrays import Floats
from rrcore.estimate.smooth import ordered_axes
from rrcore.table import Attribute, Dataset, Schema

NIGERIA = Path(__file__).resolve().parents[2] / "shared" / "data" / "nigeria_forced_response.csv"
RELEASES = size(20, 1)
LEVELS = size((0.25, 0.5, 1.0, 2.0, 4.0), (1.0,))
PEOPLE = size((500, 3_000, 30_000), (500,))
CATEGORIES = 14


def shapes() -> Iterator[tuple[str, Floats]]:
    """Shares of one ordered attribute."""
    x = np.arange(CATEGORIES)
    bell = np.exp(-((x - 6) ** 2) / 18)
    yield "bell", bell / bell.sum()
    humps = np.exp(-((x - 3) ** 2) / 6) + 0.7 * np.exp(-((x - 10) ** 2) / 4)
    yield "two humps", humps / humps.sum()
    yield "decay", 0.75**x / (0.75**x).sum()
    yield "answers", np.array([0.05, 0.1, 0.2, 0.3, 0.2, 0.1, 0.05])
    spike = np.where(x == 7, 0.5, 0.5 / (CATEGORIES - 1))
    yield "one spike", spike
    rng = np.random.default_rng(0)
    for number in range(1, 5):
        yield f"spiky {number}", rng.dirichlet(np.full(CATEGORIES, 0.4))


def beside(shares: Floats, n: int, rng: np.random.Generator) -> Dataset:
    """People of an ordered attribute with these shares, and of one that is answered yes more often the further along it."""
    first = rng.choice(shares.size, n, p=shares)
    second = rng.random(n) < 0.2 + 0.6 * first / (shares.size - 1)
    schema = Schema((_attribute("first", shares.size), _attribute("second", 2)))
    return Dataset(schema, np.stack([first, second.astype(np.int64)], axis=1))


def nigeria(file: Path) -> Dataset:
    """The people of the survey who answered everything."""
    with file.open(encoding="utf-8") as lines:
        rows = [row for row in csv.DictReader(lines) if all(row.values())]
    age = np.array([float(row["cov.age"]) for row in rows])
    edges = np.linspace(age.min(), age.max() + 1e-9, CATEGORIES + 1)
    columns = {"age": np.searchsorted(edges, age, side="right") - 1}
    for name in ("cov.asset.index", "cov.education", "cov.married", "cov.female", "civic"):
        values = [float(row[name]) if name != "civic" else row[name] for row in rows]
        columns[name] = np.unique(np.array(values), return_inverse=True)[1]
    schema = Schema(tuple(_attribute(name, int(codes.max()) + 1) for name, codes in columns.items()))
    return Dataset(schema, np.stack(list(columns.values()), axis=1))


def _attribute(name: str, categories: int) -> Attribute:
    return Attribute(name, tuple(f"{i:02}" for i in range(categories)), "ordinal")


def gain(people: Dataset, level: float) -> dict[int, float]:
    """Width -> half L1 as nominal over half L1 as ordinal."""
    names, axes = people.schema.names, ordered_axes(people.schema.attributes)
    plain = Dataset(Schema(tuple(replace(each, kind="nominal") for each in people.schema.attributes)), people.codes)
    built = rr.build("pair-safe", people.schema.sizes, [level] * people.k)
    errors = {1: np.zeros(2), 2: np.zeros(2)}
    for seed in range(RELEASES):
        readers = [rr.perturb(table, built, rng=np.random.default_rng(seed)).shrinkage for table in (plain, people)]
        for width, error in errors.items():
            for chosen in combinations(range(people.k), width):
                if set(chosen) & set(axes):
                    truth = people.shares([names[i] for i in chosen])
                    error += [np.abs(reader.shares(chosen) - truth).sum() for reader in readers]
    return {width: float(error[0] / error[1]) for width, error in errors.items()}


def main() -> int:
    file = Path(sys.argv[1]) if len(sys.argv) > 1 else NIGERIA
    real = {"census": rr.load_demo("census")}
    if file.exists():
        real["Nigeria"] = nigeria(file)
    else:
        print(f"The Nigerian survey is not measured: there is no {file.name} where it was looked for.")
    lost = list[str]()
    print(f"{'table':12}{'people':>8}   " + "  ".join(f"level {level:<11g}" for level in LEVELS) + "   (single shares, pairs)")
    for name, table in [*shapes(), *real.items()]:
        for n in PEOPLE:
            rng = np.random.default_rng(1)
            people = table.resample(n, rng=rng) if isinstance(table, Dataset) else beside(table, n, rng)
            gains = {level: gain(people, level) for level in LEVELS}
            print(f"{name:12}{n:8,}   " + "  ".join(f"{each[1]:8.2f} {each[2]:8.2f}" for each in gains.values()), flush=True)
            lost += [
                f"{name}, {n:,}, {level:g}, w = {w}: {by:.3f}"
                for level, each in gains.items()
                for w, by in each.items()
                if by < 0.97
            ]
    return verdict("ordered", {"the order loses at most 3 %": "; ".join(lost)} if lost else {})


if __name__ == "__main__":
    sys.exit(main())
