"""Whether the first row of a table holds the names of its columns, by a rule that knows when it does not know.

A cell speaks for *names* if it is a text above numbers or dates only, or a word that names columns, such as ``age``. A cell speaks for
an *answer* if it occurs again below, or is a number or date above others. Texts that do not occur below speak for names together: the
chance that the answers of one more person would all be new is estimated, as Good and Turing did, from how many values occur once.

Certain is what has signs on one side only. Whole numbers that grow from cell to cell, such as years, may be either.
"""

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from rrcore.table.reading.text_table import is_number

NEW_CHANCE = 0.01
"""An answer is so unlikely to be all new that the first row is taken for names."""

RARE = 0.001
"""A row below the names is so unlikely to hold a person's answers that it may be a second row of names."""

MARKS = frozenset({"?", "-", "--", ".", "na", "n/a", "nan", "null", "none", "missing", "unknown", "#n/a"})
"""Texts, in lower case, that often stand for a missing value."""

_DATE = re.compile(r"\d{1,4}[-/.]\d{1,2}[-/.]\d{1,4}([ T].*)?|\d{1,2}:\d{2}(:\d{2})?")
_UNIT = re.compile(r"\(.*\)|\[.*\]")
_NAMES = re.compile(
    "age|birthday|birthdate|born|case|caseid|city|class|classification|country|county|date|day|department|district|dob|education|email|"
    "ethnicity|gender|grade|group|height|hour|household|id|identifier|income|index|language|location|marital|maritalstatus|month|name|"
    "nationality|nr|number|occupation|party|postcode|profession|province|race|rating|region|religion|respondent|respondentid|"
    "salary|school|score|sector|sex|state|status|time|timestamp|town|type|uid|user|userid|value|village|weight|workclass|year|zip|"
    "alter|geschlecht|beruf|land|stadt|jahr|datum|einkommen|bildung|familienstand"
)


@dataclass(frozen=True)
class HeaderGuess:
    """What the first row is.

    Parameters
    ----------
    names : bool, whether it holds names rather than answers, or more likely so
    sure : bool, whether that is certain by the rule above
    why : str, a sentence
    """

    names: bool
    sure: bool
    why: str


def judge_first_row(first: Sequence[str], below: Sequence[Sequence[str]]) -> HeaderGuess:
    """Whether ``first`` holds names or answers, from the rows ``below`` it; cells are without surrounding spaces.

    Examples
    --------
    >>> from rrcore.table.reading.header import judge_first_row
    >>> judge_first_row(["drinks", "visits"], [["wine", "31"], ["beer", "45"]])
    HeaderGuess(names=True, sure=True, why="The first row holds names: 'visits' stands above numbers.")
    """
    if not below:
        return HeaderGuess(True, True, "The file has one row only.")
    names: list[str] = []
    answers: list[str] = []
    chance, leaning = 1.0, 0.5
    for j, cell in enumerate(first):
        values = [row[j] for row in below if j < len(row) and row[j]]
        if not cell or not values:
            continue
        counts = Counter(values)
        word = _NAMES.fullmatch(re.sub(r"[\W_]", "", cell.lower())) is not None
        if word:
            names.append(f"'{_short(cell)}' is a word that names columns")
        if cell in counts:
            answers.append(f"'{_short(cell)}' occurs again below")
        elif _measured(cell):
            leaning -= (measured := all(map(_measured, counts)))
            if measured and not _label_like(cell):
                answers.append(f"'{_short(cell)}' stands above other numbers or dates")
        elif cell.lower() in MARKS:
            continue
        elif all(_measured(value) or value.lower() in MARKS for value in counts) and any(map(_measured, counts)):
            names.append(f"'{_short(cell)}' stands above numbers")
        elif not word:
            single = sum(count == 1 for count in counts.values())
            chance *= min(1.0, (single + 1) / (len(values) + 2))
    counting = _counting(first)
    if answers and not names and not counting:
        count = len(answers)
        what = answers[0] if count == 1 else f"{count} of its {len(first)} cells occur again below or continue in other numbers"
        return HeaderGuess(False, True, f"The first row is already an answer: {what}.")
    if not answers and not counting and (names or chance <= NEW_CHANCE):
        why = names[0] if chance > NEW_CHANCE else "none of its cells occurs below, though the values there repeat"
        return HeaderGuess(True, True, f"The first row holds names: {why}.")
    if counting:
        why = "its cells are numbers in order, which may be names, such as years, or one person's answers"
    elif names and answers:
        why = f"{names[0]}, but {answers[0]}"
    else:
        why = "the rows below it are too few, or too different, to tell"
    return HeaderGuess(
        len(names) + leaning >= len(answers), False, f"It is not certain whether the first row holds names: {why}."
    )


def is_second_header(rows: Sequence[Sequence[str]]) -> tuple[bool, bool]:
    """Whether the first of the rows below the names likely holds question texts or units, and whether that is certain.

    Examples
    --------
    >>> from rrcore.table.reading.header import is_second_header
    >>> is_second_header([["(cm)", ""], ["160", "no"], ["172", "yes"], ["168", "no"]])
    (True, True)
    """
    if len(rows) < 4:
        return False, False
    chance, above_numbers, asked = 1.0, 0, 0
    for j, cell in enumerate(rows[0]):
        values = [row[j] for row in rows[1:] if j < len(row) and row[j]]
        if not cell or not values or cell.lower() in MARKS:
            continue
        if cell in values or _measured(cell):
            return False, False
        counts = Counter(values)
        chance *= min(1.0, (sum(count == 1 for count in counts.values()) + 1) / (len(values) + 2))
        known = [value for value in counts if value.lower() not in MARKS]
        above_numbers += bool(known) and all(map(_measured, known))
        asked += _asks(cell) and not any(map(_asks, counts))
    sure = asked > 0 or above_numbers > 1
    return sure or above_numbers > 0 or chance <= RARE, sure


def _asks(cell: str) -> bool:
    """Whether it is written like a question or a unit."""
    return cell.endswith("?") or _UNIT.fullmatch(cell) is not None


def _measured(text: str) -> bool:
    """Whether it is a number or a date."""
    return is_number(text) or _DATE.fullmatch(text) is not None


def _label_like(number: str) -> bool:
    """Whether a number may well be the name of a column: a small whole one, or a year."""
    return number.isdecimal() and (len(number) <= 2 or 1500 <= int(number[:5]) <= 2100)


def _counting(cells: Sequence[str]) -> bool:
    """Whether at least two cells, and all that are not empty, are whole numbers that grow."""
    filled = [cell for cell in cells if cell]
    return (
        len(filled) > 1
        and all(c.isdecimal() and len(c) < 10 for c in filled)
        and all(int(a) < int(b) for a, b in pairwise(filled))
    )


def _short(cell: str) -> str:
    return cell if len(cell) <= 40 else f"{cell[:40]}..."
