"""New measurements for five papers, and the results stored in the package."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any
from zlib import crc32

import numpy as np

from rrcore.documents import decode, encode
from rrcore.errors import InputError
from rrcore.executors import run as run_tasks
from rrcore.papers.checks import ADULT_COLUMNS, Check, Run, is_adult
from rrcore.progress import Report, part, quiet
from rrcore.table import Dataset, read_file, recode
from rrcore.table.recoding import rules_for_names

STORED = Path(__file__).parent / "results.json"

ALL_ADULT_COLUMNS = (
    *("age", "workclass", "fnlwgt", "education", "education-num", "marital-status", "occupation", "relationship", "race", "sex"),
    *("capital-gain", "capital-loss", "hours-per-week", "native-country", "income"),
)


@dataclass(frozen=True)
class Paper:
    """A paper.

    Parameters
    ----------
    short : str
        Its name on pages.
    cited : str
        Authors, title and year. The year is missing if the paper does not print one.
    notes : tuple of str
        What the paper does not specify, and which tables are not available.
    """

    short: str
    cited: str
    notes: tuple[str, ...] = ()


PAPERS = {
    "castell": Paper(
        "Castell",
        "Hiroaki Kikuchi, Josep Domingo-Ferrer, Jordi Soria-Comas, "
        "'Castell: Scalable Joint Probability Estimation of Multi-dimensional Data Randomized with Local Differential Privacy'",
        (
            "The text does not print ε of Figures 5 and 6, and no number of Figure 11.",
            "US Census 1990, German Credit and Nursery (Figures 5 to 7) are not included. You can use any table instead.",
        ),
    ),
    "multidimensional": Paper(
        "Multi-Dimensional RR",
        "Josep Domingo-Ferrer, Jordi Soria-Comas, 'Multi-Dimensional Randomized Response', 2022",
        ("The available text lost p of Figure 2, the formula of Proposition 1 and the fractions of Example 1.",),
    ),
    "optimized": Paper(
        "Privacy-Optimized RR",
        "Akito Yamamoto, Tetsuo Shibuya, 'Privacy-Optimized Randomized Response for Sharing Multi-Attribute Data'",
        (
            "The text does not state the order of the attributes in Algorithm 3. Here the least randomized attribute is first.",
            "The numbers of Figure 5 are printed in the authors' Example.ipynb, not in the text.",
        ),
    ),
    "lopub": Paper(
        "LoPub",
        "Xuebin Ren, Chia-Mu Yu, Weiren Yu, Shusen Yang, Xinyu Yang, Julie A. McCann, Philip S. Yu, "
        "'LoPub: High-Dimensional Crowdsourced Data Publication with Local Differential Privacy', 2018",
        (
            "The paper uses 15 attributes of Adult. A table with these columns is used in full, one with eight of them otherwise.",
            "Retail (Figures 7, 8, 13, 14, 19, 22, 25 and 28) and TPC-E (Figures 11, 12, 17, 18, 21, 24, 27 and 30) are not included.",
        ),
    ),
    "keyvalue": Paper(
        "Key-Value",
        "Lin Sun, Jun Zhao, Xiaojun Ye, Shuo Feng, Teng Wang, Tao Bai, "
        "'Conditional Analysis for Key-Value Data with Local Differential Privacy'",
        (
            "The paper names PrivKVM+ but does not specify it.",
            "The rating tables of Figure 1 are not included. Generated sets take their place.",
            "The text does not print ε of Figures 2 to 4, 6 and 7.",
        ),
    ),
}
"""Key -> paper."""


Measurement = Callable[[Run], Iterable[Check]]


def read_input(data: bytes, filename: str) -> Dataset:
    """Read a table for ``run_papers``.

    If the table has the eight categorical columns of UCI Adult, only these are used. Otherwise, the usual columns are used.
    """
    table, rules = read_file(data, filename)
    names = [name for name in ALL_ADULT_COLUMNS if name in table.names] if set(ADULT_COLUMNS) <= set(table.names) else None
    return recode(table, rules_for_names(table.columns, rules, names or ()), names)


def _measurements(paper: str) -> dict[str, tuple[str, Measurement]]:
    """Return name -> (what it needs, function) of the measurements of a paper."""
    from rrcore.papers import castell, multidimensional, optimized
    from rrcore.papers.keyvalue import claims as keyvalue
    from rrcore.papers.lopub import claims as lopub

    module: Any = dict(zip(PAPERS, (castell, multidimensional, optimized, lopub, keyvalue), strict=True))[paper]
    groups = {"nothing": "CHECKS", "adult": "ON_ADULT", "table": "ON_TABLE"}
    return {one.__name__: (need, one) for need, group in groups.items() for one in getattr(module, group, ())}


def run_papers(
    papers: Iterable[str] = tuple(PAPERS),
    *,
    table: Dataset | None = None,
    seed: int = 0,
    repeats: float = 1.0,
    executor: Executor | None = None,
    report: Report = quiet,
) -> Iterator[tuple[str, list[Check]]]:
    """Measure papers again, and yield each key with the checks of a measurement.

    Parameters
    ----------
    papers : iterable of str
        Keys of ``PAPERS``.
    table : Dataset, optional
        UCI Adult, see ``read_input``, for all measurements. Any other table, for Castell's Figures 5 to 7 and 11. Without a table,
        measurements that need one are skipped.
    seed : int
        Seed of the simulations.
    repeats : float
        Factor of the number of repeats.
    executor : Executor, optional
        Processes several measurements at a time (see ``open_executor``).
    report : callable
        Called with the progress. It may raise an exception to stop.

    Raises
    ------
    InputError
        If a paper is unknown, or the table is not suitable.
    """
    ready = {"nothing"} | ({"table"} if table is not None else set()) | ({"adult"} if is_adult(table) else set())
    tasks = []
    for paper in papers:
        if paper not in PAPERS:
            raise InputError(f"There is no paper '{paper}'. Choose one of {', '.join(PAPERS)}.")
        tasks += [(paper, name) for name, (need, _) in _measurements(paper).items() if need in ready]
    one = partial(_measure, table, seed, repeats)
    yield from run_tasks(one, tasks, executor=executor, report=report, what="measurements", tells=True)


def _measure(
    table: Dataset | None, seed: int, repeats: float, task: tuple[str, str], *, report: Report = quiet
) -> tuple[str, list[Check]]:
    paper, name = task
    own = part(report, 0, 1, f"{PAPERS[paper].short}, {name.replace('_', ' ')}")
    own(0.0, "")
    # a seed of its own, so that numbers do not depend on what else is measured
    rng = np.random.default_rng([seed, crc32(f"{paper}.{name}".encode())])
    return paper, list(_measurements(paper)[name][1](Run(rng, repeats, table, own)))


@dataclass(frozen=True)
class Results:
    """Checks of papers, as stored in the package.

    Parameters
    ----------
    checks : dict
        Key of ``PAPERS`` -> checks.
    seed, repeats : int and float
        As in ``run_papers``.
    table : str
        The title of the table.
    """

    checks: dict[str, list[Check]]
    seed: int = 0
    repeats: float = 1.0
    table: str = ""
    version: int = 1

    @classmethod
    def measure(
        cls, papers: Sequence[str] = (), *, table: Dataset | None = None, seed: int = 0, repeats: float = 1.0, **options: Any
    ) -> Results:
        """Measure ``papers``, by default all, as ``run_papers`` does."""
        checks: dict[str, list[Check]] = {}
        for paper, found in run_papers(papers or tuple(PAPERS), table=table, seed=seed, repeats=repeats, **options):
            checks.setdefault(paper, []).extend(found)
        return cls(checks, seed, repeats, "" if table is None else table.title)

    def counts(self, paper: str) -> tuple[int, int]:
        """Return the number of checks of a paper that agree, and their total number."""
        checks = self.checks.get(paper, [])
        return sum(check.agrees for check in checks), len(checks)

    def to_json(self) -> str:
        """Return the results as the text of ``results.json``."""
        return encode(self)

    def to_markdown(self) -> str:
        """Return the results as a document with one table for each paper."""
        lines = [
            *("---", "title: Papers reproduced", "description: Printed values of five papers next to measured ones.", "---", ""),
            *("# Papers reproduced", ""),
            "Printed values of five papers next to the same values measured by RR Workbench. "
            f"`rrcore papers run` measured them with seed {self.seed}" + (f" and the table {self.table}." if self.table else "."),
            "A quantity without a printed value tests a claim that the paper makes in words. Times are CPU seconds of one machine.",
            "",
        ]
        lines += ["| Paper | Checks | Agree | Differ |", "|---|--:|--:|--:|"]
        for key in self.checks:
            agree, every = self.counts(key)
            lines.append(f"| [{PAPERS[key].short}](#{key}) | {every} | {agree} | {every - agree} |")
        for key, checks in self.checks.items():
            paper = PAPERS[key]
            lines += ["", f"## {paper.short} {{ #{key} }}", "", f"{paper.cited}.", "", *(f"- {note}" for note in paper.notes), ""]
            heads = list(checks[0].row)
            lines += [f"| {' | '.join(heads)} |", "|---|---|--:|--:|---|---|"]
            lines += [f"| {' | '.join(check.row.values())} |" for check in checks]
        return "\n".join(lines) + "\n"


def stored_results() -> Results:
    """Return the results that are stored in the package."""
    return decode(STORED.read_bytes(), Results, "results of papers", "run rrcore papers run again")
