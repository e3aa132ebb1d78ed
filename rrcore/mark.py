"""Mark simulated data and recognize the mark in data that are read.

Simulated records begin with a column whose name is the mark. Every program can read this column, and it stays with copied rows.
Parquet files and counts also store the mark next to their columns.
The mark is recognized by its words, regardless of case, quotation marks, spaces, and the position of the column. A column is never
a mark if the mechanism file has an attribute of that name.
"""

import re
import unicodedata
from collections.abc import Collection, Iterable, Mapping
from dataclasses import replace
from typing import Any

from rrcore.errors import InputError, check_number

METADATA_KEY = b"rr_simulation"
"""Key of the mark in the metadata of a Parquet file or an Arrow table."""

RELEASE = "rr_release"
"""Name of the column that tables of randomized answers have; see ``rrcore.promise.trailer``."""

TRUE_SHARES = "contains true shares: do not publish"
"""Mark of a file that holds true shares."""

_INSTEAD = "Open them on Analyze, or choose the table of true answers."
_WORDS = re.compile(r"\bsimulation seed ([0-9]{1,20}) not a release\b")
_FEW = 100  # values of a column that may be a mark whose row of names was taken for answers


class RandomizedError(InputError):
    """Randomized answers were given where true answers were expected."""


def simulation_mark(seed: int) -> str:
    """Return the mark of data simulated with ``seed``: "simulation, seed 3: not a release"."""
    check_number("The seed", seed, 0, whole=True)
    return f"simulation, seed {seed}: not a release"


def simulated_file_name(name: str, *, truth: bool = False) -> str:
    """Return the name of a file of simulated data: "estimate.csv" becomes "simulated-estimate.csv"."""
    return f"{'with-true-shares-' if truth else ''}simulated-{name}"


def marks_in(texts: Iterable[str]) -> str:
    """Return the marks that the strings contain, joined by semicolons.

    The result is empty if there is no mark.

    Examples
    --------
    >>> from rrcore.mark import marks_in
    >>> marks_in(["smokes", ' "SIMULATION; Seed 3 - not a release"']), marks_in(["a simulation"])
    ('simulation, seed 3: not a release', '')
    """
    plain = (re.findall(r"[^\W_]+", unicodedata.normalize("NFKC", text[:400]).casefold()) for text in texts)
    found = (_WORDS.search(" ".join(words)) for words in plain)
    return "; ".join(dict.fromkeys(simulation_mark(int(each[1])) for each in found if each))


def mark_in_metadata(metadata: Mapping[bytes, bytes] | None) -> str:
    """Return the mark in the metadata of a Parquet file or an Arrow table."""
    return marks_in([(metadata or {}).get(METADATA_KEY, b"").decode(errors="replace")])


def take_mark(table: Any, answers: Collection[str] = ()) -> tuple[Any, str]:
    """Remove the marks from a ``TextTable`` and return the table and the marks.

    Marks can be names of columns, names that were read as answers, or metadata of the file.
    """
    others = [column for column in table.columns if column.name not in answers]
    marked = {column.name for column in others if marks_in([column.name])}
    few = (value for column in others if len(column.values) <= _FEW for value in column.values)
    kept = tuple(column for column in table.columns if column.name not in marked)
    return (replace(table, columns=kept) if marked and kept else table), marks_in([*sorted(marked), *few, table.mark])


def marked_title(title: str, mark: str) -> str:
    """Return ``title`` with the mark.

    The mark then stays with a table regardless of which columns are chosen.
    """
    return f"{title} ({mark})" if mark and not marks_in([title]) else title


def warning(mark: str) -> str:
    """Return the warning for results from answers with this mark."""
    return f"These answers are marked '{mark}'. Anyone with the seed can draw them again, so they protect nobody. Do not report them."


def check_unmarked(mark: str, what: str) -> None:
    """Raise InputError if the answers have a mark.

    ``what`` is the beginning of the sentence.
    """
    if mark:
        raise InputError(f"{what} needs collected answers, but these are marked '{mark}'. Choose answers without this mark.")


def check_not_randomized(names: Collection[str], title: str) -> None:
    """Raise RandomizedError if a table of true answers contains randomized answers.

    ``names`` are the names of its columns.
    """
    if RELEASE in names:
        raise RandomizedError(f"The answers in '{title}' are already randomized. {_INSTEAD}")


def check_not_marked(title: str) -> None:
    """Raise RandomizedError if the title of a table has the mark of a simulation."""
    if mark := marks_in([title]):
        raise RandomizedError(f"The answers in this file are already randomized, as its mark '{mark}' shows. {_INSTEAD}")
