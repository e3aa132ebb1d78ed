"""Is every factor that the README and the how-to pages state what the library computes?

Run ``python tools/statements.py [adult.csv]``. Prints each statement with the figures as computed now, and exits 1 if a page says
otherwise, to the last digit printed. Statements about UCI Adult are left out, with a line saying so, where neither the file named nor
``../shared/data/adult.csv`` is there. ``tests/test_statements.py`` looks for statements in the pages that have no line here.
"""

from __future__ import annotations

import math
import re
import sys
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np

from rrcore.budget.total import untouched_share
from rrcore.estimate import expected_error
from rrcore.mechanisms import Kronecker, Mechanism, build, recommended_recipe
from rrcore.schemes import Study, summarise
from rrcore.table import Dataset
from rrcore.table.opening import read_text_table
from rrcore.table.recoding import ColumnRule, recode
from rrcore.wording import percent, total_text

ROOT = Path(__file__).resolve().parents[1]
ADULT = ROOT.parent / "shared" / "data" / "adult.csv"
ADULT_SIZES = (9, 16, 7, 15, 6, 5, 2, 2)
RELEASES = 20

NUMBER = r"[\w.,-]+"
"""What a figure looks like in a page; "ten" is one."""


@cache
def adult(file: Path) -> Dataset:
    """The eight categorical columns of UCI Adult."""
    text = read_text_table(file.read_bytes(), "adult.csv")
    return recode(text, {column.name: ColumnRule() for column in text.columns})


def against_castell(file: Path) -> list[str]:
    """Half L1 of RR-Ind-Joint and of Kronecker shrunk over that of pair-safe shrunk at 8 nats, pairs and triples; levels and leakage."""
    people, levels = adult(file), np.ones(8)
    study = Study(("rr-ind-joint", "shrinkage", "pair-safe-shrinkage"), (2, 3), repeats=RELEASES)
    outcomes = [one for release in study.run(people, levels) for one in release]
    found = {(one.ways, one.scheme): one.median for one in summarise(outcomes, "half L1 (total variation)")}
    made = study.designs(people, levels)
    safe, plain = made["pair-safe"], made["kronecker"]
    assert isinstance(safe, Mechanism)
    assert isinstance(plain, Mechanism)
    factors = [
        f"{found[w, scheme] / found[w, 'pair-safe-shrinkage']:.1f}" for scheme in ("rr-ind-joint", "shrinkage") for w in (2, 3)
    ]
    return [*factors, total_text(max(safe.levels)), total_text(max(plain.levels)), total_text(max(safe.leakage))]


def untouched(_: Path) -> list[str]:
    """Records that RR-Joint leaves as they are at 16 nats."""
    return [percent(untouched_share(ADULT_SIZES, 16.0)).removesuffix(" %")]


def odds_of_one(_: Path) -> list[str]:
    """Odds at a level of 1 nat."""
    return [f"{math.e:.1f}"]


def odds_of_records(_: Path) -> list[str]:
    """Odds between two records at four levels of 1 nat, under Kronecker and the recommended mechanism."""
    sizes, levels = (4, 2, 2, 2), np.ones(4)
    return [f"{math.exp(build(name, sizes, levels).total_level):.0f}" for name in ("kronecker", recommended_recipe(4))]


def odds_of_the_last(_: Path) -> list[str]:
    """Leakage of the first of four attributes at 1 nat under the recommended mechanism, in nats and as odds, beside its level."""
    leakage = float(build(recommended_recipe(4), (4, 2, 2, 2), np.ones(4)).leakage[0])
    return [total_text(leakage), f"{math.exp(leakage):.0f}", f"{math.e:.1f}"]


def shrunk(_: Path) -> list[str]:
    """Standard errors of a share of 100 people over those of 10,000."""
    channel = Kronecker.from_levels((2, 2), np.ones(2)).marginal_channel([0])
    ratio = expected_error(channel, 100) / expected_error(channel, 10_000)
    return ["ten" if math.isclose(ratio, 10, rel_tol=1e-9) else f"{ratio:.3f}"]


@dataclass(frozen=True)
class Statement:
    """A statement of a page: the text around its figures, and the function that computes them; ``adult`` if it needs the table."""

    page: str
    text: str
    figures: Callable[[Path], list[str]]
    adult: bool = False

    def shape(self) -> re.Pattern[str]:
        """Matches the statement whatever its figures are; any white space is as good as another."""
        parts = [r"\s+".join(map(re.escape, part.split(" "))) for part in self.text.split("{}")]
        return re.compile(NUMBER.join(parts))

    def measured(self, file: Path) -> str:
        """The statement with its figures as computed now."""
        return self.text.format(*self.figures(file))


STATEMENTS = (
    Statement(
        "README.md",
        "At an equal total for the whole record (8 nats over the eight attributes of UCI Adult) half L1 of pair-safe, read with the whole "
        "table, is {} times smaller on pairs and {} times on triples than that of RR-Ind-Joint inverted as it is, and {} and {} times "
        "smaller than that of Kronecker read with the whole table; the most telling single answer then gives away {} nats instead of {}, "
        "and up to {} to someone who knows the other answers.",
        against_castell,
        adult=True,
    ),
    Statement("README.md", "so large a total protects little: RR-Joint would leave {} % of these records untouched.", untouched),
    Statement("docs/index.md", "At eps = 1 that is {} times.", odds_of_one),
    Statement("docs/howto/steward.md", "can shift anyone's odds about it by at most {} times.", odds_of_one),
    Statement(
        "docs/howto/steward.md",
        "records by e^4 = {} times. With the recommended mechanism, *safe for joint distributions of up to two attributes*, "
        "it is {} times",
        odds_of_records,
    ),
    Statement("docs/howto/steward.md", "by e^{} = {} times instead of {}.", odds_of_the_last),
    Statement("docs/howto/teacher.md", "a hundred times as many: the intervals shrink by a factor of {}.", shrunk),
)


def stated(statement: Statement) -> str:
    """The statement as its page has it, white space made plain; empty where it is not there."""
    found = statement.shape().search((ROOT / statement.page).read_text(encoding="utf-8"))
    return " ".join(found[0].split()) if found else ""


def main() -> int:
    file = Path(sys.argv[1]) if len(sys.argv) > 1 else ADULT
    wrong = 0
    for statement in STATEMENTS:
        if statement.adult and not file.exists():
            print(
                f"{statement.page}: left out, since it needs UCI Adult, which is not part of this repository: {stated(statement)}"
            )
            continue
        computed = statement.measured(file)
        print(f"{statement.page}: {computed}")
        if computed != stated(statement):
            wrong += 1
            print(f"    but the page says: {stated(statement) or 'nothing of the kind'}")
    return int(wrong > 0)


if __name__ == "__main__":
    sys.exit(main())
