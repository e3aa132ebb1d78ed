"""The mark of a simulation: what is drawn from a seed says so, wherever it is written, and whatever is read is looked at for it.

Records have a first column that is called by the mark, which every reader of tables copes with and which stays with rows that are copied
elsewhere; Parquet files and counts have it next to their columns too. It is recognised by its words, whatever became of capitals, quotation
marks, spaces and the column's place. A column that a mechanism file has an attribute for is an answer, whatever it is called.
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

_WORDS = re.compile(r"\bsimulation seed ([0-9]{1,20}) not a release\b")
_FEW = 100  # values of a column that may be a mark whose row of names was taken for answers


def simulation_mark(seed: int) -> str:
    """Return the mark of data simulated with ``seed``: "simulation, seed 3: not a release"."""
    check_number("The seed", seed, 0, whole=True)
    return f"simulation, seed {seed}: not a release"


def marks_in(texts: Iterable[str]) -> str:
    """Return the marks that the texts hold, joined by semicolons; empty if there is none.

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
    """Return a ``TextTable`` without columns that are marks, and its marks.

    They may be column names, names that were read as answers, and in the metadata of the file.
    """
    others = [column for column in table.columns if column.name not in answers]
    marked = {column.name for column in others if marks_in([column.name])}
    few = (value for column in others if len(column.values) <= _FEW for value in column.values)
    kept = tuple(column for column in table.columns if column.name not in marked)
    return (replace(table, columns=kept) if marked and kept else table), marks_in([*sorted(marked), *few, table.mark])


def marked_title(title: str, mark: str) -> str:
    """Return ``title`` with the mark, so the mark stays with a table whichever columns are chosen."""
    return f"{title} ({mark})" if mark and not marks_in([title]) else title


def warning(mark: str) -> str:
    """Return the warning that precedes any result from answers with this mark."""
    return (
        f"These answers are marked '{mark}'. Anybody with the seed can draw them again: they protect nobody, and are no finding."
    )


def check_unmarked(mark: str, what: str) -> None:
    """Refuse answers with a mark for ``what``, the beginning of a sentence. Raises InputError."""
    if mark:
        raise InputError(f"{what} needs collected answers, and these are marked '{mark}': choose answers that were collected.")


def check_not_randomised(names: Collection[str], title: str) -> None:
    """Refuse a table with columns ``names`` as true answers if its answers are randomized. Raises InputError."""
    if RELEASE in names:
        how = "Estimate from them on page Read or with 'rrcore read', or choose the table of true answers."
        raise InputError(f"The answers in '{title}' are randomized already. {how}")
