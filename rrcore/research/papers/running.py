"""Measure entries and judge them."""

import time
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass
from functools import partial
from itertools import groupby
from typing import Any, Literal
from zlib import crc32

import numpy as np

from rrcore.errors import InputError
from rrcore.executors import run as run_tasks
from rrcore.progress import Report, part, quiet
from rrcore.research.papers.entry import CheckResult, Curves, PaperEntry, Series, Setting
from rrcore.table import ColumnRule, Dataset, TextTable, read_text_table, recode
from rrcore.wording.json_values import fields_of

Verdict = Literal["agree", "differ", "cannot be run"]

ADULT_COLUMNS = ("workclass", "education", "marital-status", "occupation", "relationship", "race", "sex", "income")
"""The eight categorical columns of UCI Adult that the papers use."""


@dataclass(frozen=True)
class Result:
    """What an entry gives here.

    Parameters
    ----------
    entry : Entry
    verdict : "agree" where every check holds, "differ" where one does not, "cannot be run" where something is missing
    sentence : str, why, with numbers written by code
    measured : tuple of Series
    outcomes : tuple of Finding, one a check
    seed, fast : as run
    seconds : float, how long it took
    """

    entry: PaperEntry
    verdict: Verdict
    sentence: str
    measured: tuple[Series, ...]
    outcomes: tuple[CheckResult, ...]
    seed: int
    fast: bool
    seconds: float

    def to_dict(self) -> dict[str, Any]:
        """For JSON: the entry's texts, published and measured series, verdict and outcomes."""
        entry = self.entry
        return {
            "id": entry.id,
            "paper": entry.paper.cited,
            **fields_of(entry, "place title claim"),
            "x": entry.x.label,
            "y": entry.y.label,
            "verdict": self.verdict,
            "sentence": self.sentence,
            "checks": [vars(outcome) for outcome in self.outcomes],
            "published": [_series(one) for one in entry.published],
            "measured": [_series(one) for one in self.measured],
            **fields_of(self, "seed fast"),
            "seconds": round(self.seconds, 3),
        }


def _series(one: Series) -> dict[str, Any]:
    made: dict[str, Any] = {"name": one.name, "panel": one.panel, "source": one.source, "x": list(one.x)}
    return made | fields_of(one, "y low high" if one.low else "y")


def run(entry: PaperEntry, *, seed: int = 0, fast: bool = True, adult: Dataset | None = None, report: Report = quiet) -> Result:
    """Measure one entry and judge it; the same seed gives the same numbers, whatever else is run.

    Raises
    ------
    Whatever ``report`` raises, to stop the work.
    """
    began = time.perf_counter()

    def result(
        verdict: Verdict, sentence: str, measured: tuple[Series, ...] = (), outcomes: tuple[CheckResult, ...] = ()
    ) -> Result:
        return Result(entry, verdict, sentence, measured, outcomes, seed, fast, time.perf_counter() - began)

    if entry.measure is None:
        return result("cannot be run", entry.cannot)
    if entry.needs_adult and adult is None:
        return result("cannot be run", "It needs the table UCI Adult, which is not part of this program: give its file.")
    rng = np.random.default_rng([seed, crc32(entry.id.encode())])
    measured = tuple(entry.measure(Setting(rng, fast, adult, report)))
    outcomes = judge(entry, measured)
    verdict: Verdict = "agree" if all(outcome.holds for outcome in outcomes) else "differ"
    return result(verdict, sentence_of(outcomes), measured, outcomes)


def judge(entry: PaperEntry, measured: Iterable[Series]) -> tuple[CheckResult, ...]:
    """What each check of the entry finds in measured series."""
    ours, printed = Curves(tuple(measured)), Curves(entry.published)
    return tuple(check.outcome(ours, printed) for check in entry.checks)


def sentence_of(outcomes: Sequence[CheckResult]) -> str:
    """Why outcomes agree or differ, in one sentence: what does not hold; where all do, the first of them."""
    failed = [outcome for outcome in outcomes if not outcome.holds]
    text = "; ".join(f"'{outcome.said}', {outcome.numbers}" for outcome in failed or outcomes[:1])
    if len(outcomes) == 1:
        return f"{'This does not hold' if failed else 'This holds'}: {text}."
    if failed:
        return f"{len(failed)} of {len(outcomes)} statements {'does' if len(failed) == 1 else 'do'} not hold: {text}."
    every = "Both" if len(outcomes) == 2 else f"All {len(outcomes)}"
    return f"{every} statements hold, the first of them: {text}."


def run_all(
    entries: Iterable[PaperEntry],
    *,
    seed: int = 0,
    fast: bool = True,
    adult: Dataset | None = None,
    executor: Executor | None = None,
    report: Report = quiet,
) -> Iterator[Result]:
    """Results in the order of the entries, as they are ready.

    Parameters
    ----------
    executor : works on several entries at a time, see ``open_executor``; what measures time is done here, while nothing else is at work
    """
    chosen = list(entries)
    one, done = partial(_run_one, seed, fast, adult), 0
    for timed, group in groupby(chosen, key=lambda entry: entry.of_machine):
        some = list(group)

        def tell(fraction: float, text: str, done: int = done, size: int = len(some)) -> None:
            report((done + fraction * size) / len(chosen), text)

        yield from run_tasks(one, some, executor=None if timed else executor, report=tell, what="entries", tells=True)
        done += len(some)


def _run_one(seed: int, fast: bool, adult: Dataset | None, entry: PaperEntry, *, report: Report = quiet) -> Result:
    own = part(report, 0, 1, entry.id)
    own(0.0, "")
    return run(entry, seed=seed, fast=fast, adult=adult, report=own)


def rows_of(entry: PaperEntry, measured: Iterable[Series]) -> list[dict[str, Any]]:
    """Printed and measured numbers as the rows of one table: part, series, place, printed, measured (None where there is none)."""
    rows: dict[tuple[str, str, str], dict[str, Any]] = {}
    for one in (*entry.published, *measured):
        for place, y in zip(one.x, one.y, strict=True):
            row = rows.setdefault(
                (one.panel, one.name, str(place)),
                {"Part": one.panel, "Series": one.name, entry.x.label: str(place), "Printed": None, "Measured": None},
            )
            row["Printed" if one.source else "Measured"] = float(y)
    return list(rows.values())


def read_adult_file(data: bytes, filename: str) -> Dataset:
    """``read_adult`` of a file."""
    return read_adult(read_text_table(data, filename))


def read_adult(table: TextTable) -> Dataset:
    """The eight categorical columns of a file of UCI Adult, in the order of ``ADULT_COLUMNS``.

    Raises
    ------
    InputError
        If a column is missing.
    """
    there = {column.name.strip(): column.name for column in table.columns}
    missing = [name for name in ADULT_COLUMNS if name not in there]
    if missing:
        raise InputError(
            f"The table has no column '{missing[0]}': give a file of UCI Adult with a header that names {', '.join(ADULT_COLUMNS)}."
        )
    return recode(table, {there[name]: ColumnRule() for name in ADULT_COLUMNS})
