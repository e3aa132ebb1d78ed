"""The mark of a simulation: what is drawn from a seed says so, wherever it is written, and whatever is read is looked at for it.

Records have a first column that is called by the mark, which every reader of tables copes with and which stays with rows that are copied
elsewhere; Parquet files and counts have it beside their columns too. It is recognised by its words, whatever became of capitals, quotation
marks, spaces and the column's place. A column that a mechanism file has an attribute for is an answer, whatever it is called.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection, Iterable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

from rrcore.errors import InputError, check_number

if TYPE_CHECKING:
    from rrcore.table.text_table import TextTable

BESIDE = b"rr_simulation"
"""Key of the mark in what a Parquet file, or a table of Arrow, says beside its columns."""

RELEASE = "rr_release"
"""Name of the column that tables of randomized answers have; see ``rrcore.promise.trailer``."""

_WORDS = re.compile(r"\bsimulation seed ([0-9]{1,20}) not a release\b")
_FEW = 100  # values of a column that may be a mark whose row of names was taken for answers


def simulation_mark(seed: int) -> str:
    """Mark of what was simulated with ``seed``: "simulation, seed 3: not a release"."""
    check_number("The seed", seed, 0, whole=True)
    return f"simulation, seed {seed}: not a release"


def marks_in(texts: Iterable[str]) -> str:
    """The marks that the texts hold, as they are written, joined by semicolons; empty where there is none.

    Examples
    --------
    >>> from rrcore.table.mark import marks_in
    >>> marks_in(["smokes", ' "SIMULATION; Seed 3 - not a release"']), marks_in(["a simulation"])
    ('simulation, seed 3: not a release', '')
    """
    found = (_WORDS.search(_plain(text)) for text in texts)
    return "; ".join(dict.fromkeys(simulation_mark(int(each[1])) for each in found if each))


def column_mark(name: str, answers: Collection[str]) -> str:
    """The mark that a column is called by; empty for any other column, and for one of ``answers``, the names of a survey's attributes."""
    return "" if name in answers else marks_in([name])


def mark_beside(metadata: Mapping[bytes, bytes] | None) -> str:
    """The mark in what a Parquet file, or a table of Arrow, says beside its columns."""
    return marks_in([(metadata or {}).get(BESIDE, b"").decode(errors="replace")])


def take_mark(table: TextTable, answers: Collection[str] = ()) -> tuple[TextTable, str]:
    """The table without columns that are marks, and the marks of these, of names taken for answers, and of what its file says."""
    marked = {column.name for column in table.columns if column_mark(column.name, answers)}
    few = (
        value for column in table.columns if len(column.values) <= _FEW and column.name not in answers for value in column.values
    )
    mark = marks_in([*sorted(marked), *few, table.mark])
    kept = tuple(column for column in table.columns if column.name not in marked)
    return (replace(table, columns=kept) if marked and kept else table), mark


def marked_title(title: str, mark: str) -> str:
    """``title`` with the mark, which so stays with a table that is taken for true answers, whatever is chosen of it."""
    return f"{title} ({mark})" if mark and not marks_in([title]) else title


def warning(mark: str) -> str:
    """What is said before anything that follows from answers with this mark."""
    return (
        f"These answers are marked '{mark}': anybody with the seed draws them again, so they protect nobody, and nothing that follows is a "
        "finding."
    )


def check_unmarked(mark: str, what: str) -> None:
    """Refuse answers with a mark for ``what``, the beginning of a sentence.

    Raises
    ------
    InputError
    """
    if mark:
        raise InputError(f"{what} needs collected answers, and these are marked '{mark}': choose answers that were collected.")


def check_true(mark: str, title: str) -> None:
    """Refuse a marked table where true answers are randomised for real.

    Raises
    ------
    InputError
    """
    if mark:
        raise InputError(
            f"'{marked_title(title, mark)}' does not hold true answers, so it is not randomised again: choose the table of true answers."
        )


def check_not_randomised(names: Collection[str], title: str) -> None:
    """Refuse a table with columns ``names`` for true answers, if its answers are randomized.

    Raises
    ------
    InputError
    """
    if RELEASE in names:
        raise InputError(
            f"The answers in '{title}' are randomized already. Estimate from them on page Read or with 'rrcore read', or choose the table "
            "of true answers."
        )


def _plain(text: str) -> str:
    """The letters and digits of a text, in words."""
    return " ".join(re.findall(r"[^\W_]+", unicodedata.normalize("NFKC", text[:400]).casefold()))
