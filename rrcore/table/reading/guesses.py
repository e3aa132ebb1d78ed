"""Proposals for the options of a file, with a reason for each.

A cell of the first row is evidence for *names* if it is a text above numbers or dates only, or a common column name such as
``age``. It is evidence for an *answer* if it occurs again below, or if it is a number or date above others. Texts that do not occur
below are evidence for names collectively. The probability that all answers of one more person would be new is estimated by the
method of Good and Turing, from the number of values that occur once.

A result is certain if all evidence points to one side. Whole numbers that increase from cell to cell, such as years, can be either.
"""

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from itertools import count
from math import prod
from statistics import median
from typing import Any

from rrcore.errors import InputError
from rrcore.limits import MAX_CATEGORIES
from rrcore.table.reading.exports import Export, find_export
from rrcore.table.reading.options import GROUPED, FirstRows, ReadOptions
from rrcore.table.text_table import TextTable, is_number
from rrcore.wording.short import some

MARKS = frozenset({"?", "-", "--", ".", "na", "n/a", "nan", "null", "none", "missing", "unknown", "#n/a"})
"""Texts, in lower case, that often stand for a missing value."""

_DATE = re.compile(r"\d{1,4}[-/.]\d{1,2}[-/.]\d{1,4}([ T].*)?|\d{1,2}:\d{2}(:\d{2})?")
_NUMBER_AS_NAME = re.compile(r"\d\d?|(1[5-9]|20)\d\d")  # such as the number of a question, or a year
_QUESTION = re.compile(r".*\?|\(.*\)|\[.*\]", re.DOTALL)  # or a unit
_NAMES = re.compile(
    "age|birth(day|date)|born|case(id)?|city|class(ification)?|country|county|date|day|department|district|education|email|ethnicity|gender|"
    "grade|group|height|household|id|income|index|language|location|marital(status)?|month|name|nationality|nr|number|occupation|party|race|"
    "rating|region|religion|respondent(id)?|salary|school|score|sector|sex|state|status|time(stamp)?|town|type|user(id)?|value|village|"
    "weight|workclass|year|zip|alter|geschlecht|beruf|land|stadt|jahr|datum|einkommen|bildung"
)
_SUMS = re.compile("(sub|grand)?totals?|sums?|overall|mean|average|all|n|count|summe|(ins)?gesamt|mittelwert|somme|ensemble")
_COUNTS = re.compile("freq(uenc(y|ies))?|counts?|n|number|total|people|persons|respondents|cases|anzahl|häufigkeit|effectifs?")


@dataclass(frozen=True)
class Proposed:
    """A proposal for one option for reading a file, with its reason.

    Parameters
    ----------
    option : str
        A field of ``ReadOptions``, or "fix_names".
    value : object
        The proposed value.
    why : str
        The reason as a sentence.
    sure : bool
        True if the proposal needs no confirmation.
    choices : str
        The allowed values, for a message.
    error : InputError or None
        The error that reading raises without a decision.
    """

    option: str
    value: Any
    why: str
    sure: bool = False
    choices: str = ""
    error: InputError | None = None


@dataclass(eq=False)
class Guess:
    """The options for reading a file, both given and proposed.

    Parameters
    ----------
    given : mapping
        Values of fields of ``ReadOptions``, or of ``fix_names``.
    options : ReadOptions
        The most likely options, including those that were given.
    proposed : list of Proposed
        Proposals that should be mentioned or confirmed.
    export : Export
        Information about a file that was exported from a survey tool.

    Raises
    ------
    InputError
        If a given option does not exist.
    """

    given: Mapping[str, Any]
    options: ReadOptions = field(init=False)
    proposed: list[Proposed] = field(default_factory=list)
    export: Export = field(default_factory=Export)

    def __post_init__(self) -> None:
        known = ["fix_names", *(each.name for each in fields(ReadOptions))]
        if wrong := set(self.given) - set(known):
            raise InputError(f"There is no option '{min(wrong)}'. Choose one of {', '.join(sorted(known))}.")
        self.options = ReadOptions(**{name: value for name, value in self.given.items() if name != "fix_names"})

    def propose(self, found: Proposed | None) -> None:
        """Add a proposal for an option that was not given."""
        if found is not None and found.option not in self.given:
            self.proposed.append(found)
            if found.option != "fix_names":
                self.options = replace(self.options, **{found.option: found.value})

    def refuse(self) -> None:
        """Raise an InputError for the first proposal that needs confirmation.

        The message names its option.
        """
        for each in (each for each in self.proposed if not each.sure):
            decide = f"Decide with '{each.option}' {each.choices}".strip()
            raise each.error or InputError(f"{each.why} {decide}.", quoted=each.why)


def guess_options(content: FirstRows, given: Mapping[str, Any] | None = None) -> Guess:
    """Propose options for reading a file from its first rows.

    Options in ``given``, which can contain ``fix_names``, are kept.

    Raises
    ------
    InputError
        If a sheet or an option does not exist.
    """
    guess, sheets = Guess(given or {}), content.sheets
    if len(sheets) > 1:
        filled = {name: sum(sum(map(bool, cells)) for _, cells in content.head(name)) for name in sheets}
        why = f"The workbook has {len(sheets)} sheets, such as {some(sheets)}."
        guess.propose(Proposed("sheet", max(sheets, key=filled.__getitem__), why, choices="NAME"))
    if not (rows := content.head(guess.options.sheet)):
        return guess
    # the cells of a row, of which a title above the table has at most half as many as the rows below it usually have
    start, full = guess.options.start, [sum(map(bool, cells)) for _, cells in rows[:50]]
    least = median(full[1:]) / 2 if len(full) > 2 and not start else 0
    first = next((i for i, (number, _) in enumerate(rows) if number >= start and (start or full[i] > least)), -1)
    numbers, table = zip(*rows[first:], strict=True)
    if first:
        why = f"The table seems to start in row {numbers[0]:,}, below what looks like a title."
        guess.propose(Proposed("start", numbers[0], why, "header" in guess.given, str(numbers[0])))
    guess.options = replace(guess.options, start=max(start, numbers[0]))
    if guess.options.header and not {"skip", "names"} & set(guess.given):
        guess.export = find_export(table) or Export()
    if guess.export.tool:
        guess.propose(Proposed("skip", guess.export.skip, f"This looks like an export of {guess.export.tool}.", sure=True))
    else:
        guess.propose(judge_first_row(table[0], table[1:]))
    if not guess.options.header:
        return guess
    if not guess.export.tool and "skip" not in guess.given and (second := judge_second_row(table)):
        guess.propose(second)
        guess.export = Export(questions={name: text for name, text in zip(*table[:2], strict=False) if " " in text})
    if "names" not in guess.given and guess.given.get("fix_names", True):
        names, why = _names(guess.export.header or table[0], table[1 + guess.options.skip :])
        guess.propose(Proposed("fix_names", True, why) if why else None)
        guess.options = replace(guess.options, names=() if names == table[0] and all(names) else names)
    return guess


def _names(found: Sequence[str], below: Sequence[Sequence[str]]) -> tuple[tuple[str, ...], str]:
    """Names without blanks and repeats, "" for columns that are left out; and what there is to ask, in a sentence."""
    names: list[str] = []
    why, taken, often = "", set(found), Counter[str]()
    for i, name in enumerate(found):
        values = [row[i] for row in below if len(row) > i and row[i]]
        called = name or ("" if len(set(values)) == len(values) else f"Column {i + 1}")
        often[called] += 1
        if called and often[called] > 1:
            called = next(f"{called} ({k})" for k in count(often[called]) if f"{called} ({k})" not in taken)
            taken.add(called)
        if called != name or (values and not name):
            done = f"be called '{called[:60]}'" if called else "be left out, since it only numbers the rows"
            why = (
                why or f"Column {i + 1} of {len(found)} has {'the name of another column' if name else 'no name'}. It can {done}."
            )
        names.append(called)
    return tuple(names), why


def judge_first_row(first: Sequence[str], below: Sequence[Sequence[str]]) -> Proposed:
    """Decide whether the row ``first`` contains names or answers.

    The decision is based on the rows ``below`` it. Cells must not have surrounding spaces.

    Examples
    --------
    >>> from rrcore.table.reading.guesses import judge_first_row
    >>> found = judge_first_row(["drinks", "visits"], [["wine", "31"], ["beer", "45"]])
    >>> found.value, found.sure, found.why
    (True, True, "The first row has names, as 'visits' shows.")
    """
    names, answers, chance = _signs(first, below)
    names = [cell for cell in first if _NAMES.fullmatch(re.sub(r"[\W_]", "", cell.lower()))] + names
    filled = [cell for cell in first if cell]
    # whole numbers in order may be names, such as years, or answers
    ordered = len(filled) > 1 and all(map(str.isdecimal, filled)) and filled == sorted(set(filled), key=float)
    sure = not below or (not ordered and (bool(names) != bool(answers) or (not answers and chance < 0.01)))
    shown = "".join(f", as '{cell[:40]}' shows" for cell in (names or answers)[:1])
    what = f"has {'answers' if answers else 'names'}{shown}" if sure else "may have names or answers"
    return Proposed("header", len(names) >= len(answers), f"The first row {what}.", sure, "yes or no")


def judge_second_row(table: Sequence[Sequence[str]]) -> Proposed | None:
    """Propose to skip the second row if it may contain question texts or units.

    Examples
    --------
    >>> from rrcore.table.reading.guesses import judge_second_row
    >>> judge_second_row([["height", "plays"], ["(cm)", ""], ["160", "no"], ["172", "yes"], ["168", "no"]]).sure
    True
    """
    names, answers, chance = _signs(table[1], table[2:]) if len(table) > 4 else ([], ["too few rows"], 1.0)
    if answers or len(table[1]) > len(table[0]) or any(map(_measured, table[1])) or not (names or chance < 0.001):
        return None
    what = "continues the names and is not a person" if len(names) > 1 else "may continue the names, or be a person"
    why = f"The row below the names, with '{next(filter(None, table[1]))[:40]}', {what}."
    return Proposed("skip", 1, why, len(names) > 1, "1, or 0 to keep a person")


def _signs(row: Sequence[str], below: Sequence[Sequence[str]]) -> tuple[list[str], list[str], float]:
    """Cells that speak for names, cells that speak for answers, and the chance that one more person has only new answers."""
    names, answers, chance = [], [], 1.0
    for j, cell in enumerate(row):
        values = Counter(other[j] for other in below if len(other) > j and other[j])
        known = [value for value in values if value.lower() not in MARKS]
        above_numbers = bool(known) and all(map(_measured, known))
        if not values or not cell or cell.lower() in MARKS:
            continue
        if cell in values or (above_numbers and _measured(cell) and not _NUMBER_AS_NAME.fullmatch(cell)):
            answers.append(cell)
        elif not _measured(cell) and above_numbers:
            names.append(cell)
        elif not _measured(cell):  # the share of values that occur once is about the chance of a new one
            chance *= min(1.0, (sum(often == 1 for often in values.values()) + 1) / (values.total() + 2))
        if _QUESTION.fullmatch(cell) and not any(map(_QUESTION.fullmatch, values)):
            names.append(cell)
    return names, answers, chance


def _measured(text: str) -> bool:
    """Return True if the text is a number or a date."""
    return is_number(text) or _DATE.fullmatch(text) is not None


def guess_refinements(table: TextTable, guess: Guess) -> None:
    """Propose totals, counts and decimal signs after the rows have been read."""
    if last := guess_last_rows(table):
        why = f"The table seems to end with rows of totals, not of people: {last}."
        guess.propose(Proposed("totals", last, why, choices=f"{last}, or 0 to keep people"))
    if name := guess_counts(table):
        why = (
            f"Each combination of answers occurs once, and '{name}' contains whole numbers, so this looks like a table of counts."
        )
        guess.propose(Proposed("counts", name, why, choices=f"{name}, or none if each row is one person"))
    guess.propose(_guess_decimal(table))


def guess_last_rows(table: TextTable) -> int:
    """Count the rows at the end that look like totals, at most 5.

    The first non-empty cell of such a row is a word for totals, which occurs in no other row.
    """
    for found in range(min(5, table.n - 1)):
        column, code = next(((each, code) for each in table.columns if (code := each.codes[-1 - found]) >= 0), (None, -1))
        if column is None or column.counts[code] > 1 or not _SUMS.fullmatch(re.sub(r"[\W_]", "", column.values[code].lower())):
            return found
    return min(5, table.n - 1)


def guess_counts(table: TextTable) -> str:
    """Return the column that counts people with each combination of answers.

    The result is "" if this is not a table of counts.
    """
    for column in reversed(table.columns if 3 <= table.n <= 100_000 else ()):
        others = [each for each in table.columns if each is not column]
        sizes = [len(each.values) + (each.missing > 0) for each in others] or [0]
        named = _COUNTS.fullmatch(re.sub(r"[\W_\d]", "", column.name.lower()))
        crossed = len(others) > 1 and table.n >= max(6, 0.8 * prod(sizes)) and max(sizes) < min(table.n, len(column.values))
        if (named or crossed) and not column.missing and all(map(str.isdecimal, column.values)) and max(sizes) <= MAX_CATEGORIES:
            once = len(set(zip(*(each.codes.tolist() for each in others), strict=True))) == table.n
            return column.name if once else ""
    return ""


def _guess_decimal(table: TextTable) -> Proposed | None:
    """Propose a decimal sign if commas and points of numbers may be signs between thousands."""
    for column in table.columns:
        marked = [value for value in column.values if "," in value or "." in value]
        signs = max((re.sub(r"[^.,]", "", value) for value in marked), key=len, default="")
        grouped = len(signs) > 1 or all(re.fullmatch(r"[+-]?[1-9]\d{0,2},\d{3}", value) for value in marked)
        if grouped and any("," in value for value in marked) and all(map(GROUPED.fullmatch, column.values)):
            why = f"The signs in numbers of '{column.name[:60]}', such as '{marked[0]}', seem to group thousands."
            sign = signs[-1] if signs[-1] != signs[0] else ",.".replace(signs[0], "")
            return Proposed("decimal", sign, why, len(signs) > 1, "',' or '.'")
    return None
