"""A comparison repeated while one thing is varied: people, level, size of the domain, or dependence."""

import math
from collections.abc import Iterator, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass, field, replace
from typing import Literal

from rrcore.arrays import Floats
from rrcore.budget import total_warning
from rrcore.budget.project import Invention
from rrcore.channel.levels import check_levels
from rrcore.errors import InputError
from rrcore.limits import MAX_LEVEL, MAX_ROWS, MIN_LEVEL
from rrcore.progress import Report, part, quiet
from rrcore.schemes.invented import make_table
from rrcore.schemes.study import Outcome, Study
from rrcore.table.dataset import Dataset

Varied = Literal["nothing", "people", "eps", "categories", "cramers_v"]

VARIED: dict[Varied, str] = {
    "nothing": "number of attributes",
    "people": "people",
    "eps": "level of every attribute (nats)",
    "categories": "categories of every attribute",
    "cramers_v": "Cramér's V of neighbouring attributes",
}
"""What is varied -> the name of its axis."""

_RANGES: dict[Varied, tuple[float, float]] = {
    "people": (1, MAX_ROWS),
    "eps": (MIN_LEVEL, MAX_LEVEL),
    "categories": (2, 100),
    "cramers_v": (0, 1),
}


@dataclass(frozen=True)
class Sweep:
    """A study at one value after another of what is varied.

    Parameters
    ----------
    study : Study
    varied : what is varied. "people" and "eps" are varied on the table at hand, the other two on invented tables.
    values : its values; not used for "nothing"
    invention : the rest of the invented tables (Castell, appendix D)
    level : of every attribute of an invented table, nats
    """

    study: Study
    varied: Varied = "nothing"
    values: tuple[float, ...] = ()
    invention: Invention = field(default_factory=Invention)
    level: float = 1.0

    def __post_init__(self) -> None:
        if self.varied == "nothing":
            return
        if not self.values:
            raise InputError(f"No value is given for {VARIED[self.varied]}: give at least one, for example 1,2,4.")
        whole = self.varied in ("people", "categories")
        low, high = _RANGES[self.varied]
        for value in self.values:
            if not low <= value <= high or (whole and value != int(value)):
                raise InputError(
                    f"{value:,.10g} is not a valid value for {VARIED[self.varied]}: give {'whole ' if whole else ''}numbers "
                    f"from {low:,.10g} to {high:,.10g}."
                )

    def point(self, value: float, dataset: Dataset | None, levels: Floats) -> tuple[Study, Dataset, Floats]:
        """The study, table and levels (nats, shape (k,)) at one value. ``dataset`` is the table at hand; invented ones need none."""
        if self.varied in ("categories", "cramers_v"):
            made = {"categories": int(value)} if self.varied == "categories" else {"cramers_v": value}
            table = make_table(replace(self.invention, **made))
            return self.study, table, check_levels([self.level] * len(table.schema.names), table.schema.names)
        assert dataset is not None
        if self.varied == "people":
            return replace(self.study, people=int(value)), dataset, levels
        if self.varied == "eps":
            return self.study, dataset, check_levels([value] * len(dataset.schema.names), dataset.schema.names)
        return self.study, dataset, levels

    def warnings(self, sizes: Sequence[int], levels: Floats) -> list[str]:
        """What to know about totals that protect little (``total_warning``), one sentence per value where there is something to say.

        Parameters
        ----------
        sizes, levels : of the table at hand; the totals compared are sums of levels, or less where the levels are held equal
        """
        values = (math.nan,) if self.varied in ("nothing", "people") else self.values
        found = []
        for value in values:
            asked, total = list(sizes), float(levels.sum())
            if self.varied == "eps":
                total = value * len(asked)
            elif self.varied in ("categories", "cramers_v"):
                categories = int(value) if self.varied == "categories" else self.invention.categories
                asked = [categories] * self.invention.attributes
                total = self.level * len(asked)
            sentence = total_warning(asked, total)
            if sentence:
                found.append(sentence if math.isnan(value) else f"At {VARIED[self.varied]} {value:g}: {sentence}")
        return found

    def run(
        self, dataset: Dataset | None, levels: Floats, *, executor: Executor | None = None, report: Report = quiet
    ) -> Iterator[list[Outcome]]:
        """The outcomes of one release after the other, value by value; ``executor`` as in ``Study.run``."""
        values = (math.nan,) if self.varied == "nothing" else self.values
        for done, value in enumerate(values):
            where = "" if math.isnan(value) else f"{VARIED[self.varied]} {value:g}, "

            def tell(fraction: float, text: str, where: str = where) -> None:
                report(fraction, where + text)

            study, table, spent = self.point(value, dataset, levels)
            yield from study.run(table, spent, value=value, executor=executor, report=part(tell, done, len(values)))
