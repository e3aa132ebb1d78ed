"""How a file should be read: a proposal and a reason for each option that matters, and which of them have to be asked about."""

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from statistics import median
from typing import Any

import numpy as np

from rrcore.errors import InputError
from rrcore.limits import MAX_CATEGORIES, PREVIEW_ROWS
from rrcore.table.reading.exports import Export, find_export
from rrcore.table.reading.options import GROUPED, Looked, ReadOptions, Row
from rrcore.table.text_table import TextTable, is_number, to_numbers
from rrcore.wording import counted

_LOOKED_AT = 50
_MOST_SUMMED = 100_000
_SUMS = re.compile(
    "totals?|sums?|subtotal|grandtotal|overall|mean|average|all|n|count|summe|gesamt|insgesamt|mittelwert|somme|ensemble|totale|totaal|suma"
)
_COUNTS = re.compile(
    "freq|frequency|frequencies|counts?|n|number|total|people|persons|respondents|cases|obs|observations|"
    "anzahl|häufigkeit|effectifs?|nombre|frecuencia|aantal"
)


@dataclass(frozen=True)
class Proposed:
    """What is proposed for one option of reading, and why.

    Parameters
    ----------
    option : str, a field of ``ReadOptions``, or "fix_names"
    value : what is proposed
    why : str, a sentence
    sure : bool, whether it need not be asked
    choices : str, what may be given, for a message
    error : InputError or None, what reading raises without an answer
    """

    option: str
    value: Any
    why: str
    sure: bool = False
    choices: str = ""
    error: InputError | None = None

    def refuse(self) -> None:
        """Raise an InputError that names the option, if the proposal is not sure."""
        if not self.sure:
            raise self.error or InputError(
                f"{self.why} Decide with '{self.option}'{self.choices and ' '}{self.choices}.", quoted=self.why
            )


@dataclass(frozen=True)
class Guess:
    """How a file should be read, as far as its first rows show it.

    Parameters
    ----------
    options : ReadOptions, the likeliest, with those that were given
    proposed : tuple of Proposed, what is worth knowing or asking
    export : Export or None, what is known where a survey tool wrote the file
    """

    options: ReadOptions
    proposed: tuple[Proposed, ...] = ()
    export: Export | None = None


def guess_options(file: Looked, given: Mapping[str, Any] | None = None) -> Guess:
    """How a file should be read by its first rows; options in ``given``, which may hold ``fix_names``, are kept.

    Raises
    ------
    InputError
        If there is no such sheet.
    """
    given = dict(given or {})
    fix_names = given.pop("fix_names", False)
    options = replace(ReadOptions(encoding=file.encoding), **given)
    if not file.content.head(options.sheet):
        return Guess(options)
    proposed = []
    sheets = file.content.sheets
    if sheets and not options.sheet:
        filled = {name: sum(sum(map(bool, cells)) for _, cells in file.content.head(name)) for name in sheets}
        options = replace(options, sheet=max(sheets, key=filled.__getitem__))
        if len(sheets) > 1:
            some = ", ".join(f"'{name}'" for name in sheets[:PREVIEW_ROWS]) + (", ..." if len(sheets) > PREVIEW_ROWS else "")
            proposed.append(
                Proposed("sheet", options.sheet, f"The workbook has {len(sheets)} sheets with cells: {some}.", choices="NAME")
            )
    rows = file.content.head(options.sheet)
    first = (
        next((i for i, (number, _) in enumerate(rows) if number >= options.start), len(rows) - 1)
        if options.start
        else _first(rows)
    )
    table = [cells for _, cells in rows[first:]]
    options = replace(options, start=rows[first][0])
    if first and "start" not in given:
        above = counted(first, "row that looks like a title", "rows that look like a title")
        why = f"The table seems to start in row {options.start:,}, below {above}."
        proposed.append(Proposed("start", options.start, why, sure="header" in given, choices=str(options.start)))
    export = find_export(table) if options.header and "skip" not in given and "names" not in given else None
    if export is not None:
        why = f"This looks like an export of {export.tool}."
        proposed.append(Proposed("skip", export.skip, why, sure=True))
        options = replace(options, skip=export.skip)
    elif "header" not in given:
        verdict = judge_first_row(table[0], table[1:])
        proposed.append(Proposed("header", verdict.names, verdict.why, verdict.sure, "yes or no"))
        options = replace(options, header=verdict.names)
    if not options.header:
        return Guess(replace(options, skip=0), tuple(proposed))
    second = export is None and "skip" not in given and len(table) > 1 and len(table[1]) <= len(table[0])
    likely, sure = is_second_header(table[1:]) if second else (False, False)
    if likely:
        what = "continues the names and is not a person" if sure else "may continue the names, or be a person"
        why = f"Row {rows[first + 1][0]:,}, with '{next(filter(None, table[1]))[:40]}', {what}."
        proposed.append(Proposed("skip", 1, why, sure, "1, or 0 to keep a person"))
        options = replace(options, skip=1)
        questions = {name: text for name, text in zip(table[0], table[1], strict=False) if name and " " in text}
        export = Export("", 1, questions=questions)
    if "names" not in given:
        raw = [export.names.get(name, name) for name in export.header or table[0]] if export else table[0]
        called, why = _names(raw, table[1 + options.skip :])
        if why:
            proposed.append(Proposed("fix_names", True, why, fix_names))
        options = replace(options, names=() if called == list(table[0]) and all(called) else tuple(called))
    return Guess(options, tuple(proposed), export)


def _names(raw: Sequence[str], below: Sequence[Sequence[str]]) -> tuple[list[str], str]:
    """Names without blanks and repeats, "" for columns that are left out; and what there is to ask, in a sentence."""
    names, why = [name.strip() for name in raw], ""
    for i in (i for i, name in enumerate(names) if not name):
        values = [row[i] for row in below if i < len(row) and row[i]]
        if not values:
            continue
        index = len(set(values)) == len(values)
        names[i] = "" if index else f"Column {i + 1}"
        done = "numbers the rows and can be left out" if index else f"can be called 'Column {i + 1}'"
        why = why or f"Column {i + 1} of {len(names)} has no name: it {done}."
    often = Counter(name for name in names if name)
    taken = set(often)
    for name in (name for name, count in often.items() if count > 1):
        places = [i for i, each in enumerate(names) if each == name]
        for number, i in enumerate(places[1:], 2):
            fresh = next(f"{name} ({k})" for k in range(number, len(names) + number) if f"{name} ({k})" not in taken)
            taken.add(fresh)
            names[i] = fresh
        both = " and ".join(str(i + 1) for i in places[:2])
        why = why or f"Columns {both} are both called '{name[:60]}': the second can be called '{names[places[1]][:60]}'."
    return names, why


def guess_refinements(table: TextTable, given: Mapping[str, Any]) -> list[Proposed]:
    """What is proposed about totals, counts and decimal signs of a table whose rows were read."""
    proposed = []
    last = 0 if "totals" in given else guess_last_rows(table)
    if last:
        text = next(column.values[column.codes[-1]] for column in table.columns if column.codes[-1] >= 0)
        what = f"The last row, '{text[:40]}', looks" if last == 1 else f"The last {last} rows, up to '{text[:40]}', look"
        proposed.append(
            Proposed("totals", last, f"{what} like a total and not like people.", choices=f"{last}, or 0 to keep people")
        )
    if "counts" not in given and (name := guess_counts(table)):
        why = f"Each combination of answers occurs once, and '{name}' holds whole numbers: this looks like a table of counts."
        proposed.append(Proposed("counts", name, why, choices=f"{name}, or none if each row is one person"))
    if "decimal" not in given:
        proposed += _guess_decimal(table)
    return proposed


def guess_counts(table: TextTable) -> str:
    """The column that says how many people have each combination of the other answers; "" if this is no table of counts."""
    if not 3 <= table.n <= _MOST_SUMMED or len(table.columns) < 2:
        return ""
    for column in reversed(table.columns):
        others = [each for each in table.columns if each is not column]
        if column.missing or not all(map(str.isdecimal, column.values)):
            continue
        named = _COUNTS.fullmatch(re.sub(r"[\W_\d]", "", column.name.lower())) is not None
        sizes = [len(each.values) + (each.missing > 0) for each in others]
        room = np.prod(sizes, dtype=float)
        many = (
            len(others) > 1
            and table.n >= 6
            and max(sizes) < table.n
            and table.n >= 0.8 * room
            and len(column.values) > max(sizes)
        )
        if max(sizes) > MAX_CATEGORIES or table.n > room or not (named or many):
            continue
        rows = np.column_stack([each.codes for each in others])
        if len(np.unique(rows, axis=0)) == table.n:
            return column.name
    return ""


def _guess_decimal(table: TextTable) -> list[Proposed]:
    """Whether commas and points of numbers are decimal signs, if they may group thousands."""
    for column in table.columns:
        marked = [value for value in column.values if ("," in value or "." in value) and value.lower() not in MARKS]
        if not any("," in value for value in marked) or not all(map(GROUPED.fullmatch, column.values)):
            continue
        ends = {re.sub(r"[^.,]", "", value)[-1] for value in marked if re.search(r"[.,]", value)}
        both = next((value for value in marked if "," in value and "." in value), "")
        twice = next((value for value in marked if max(value.count(","), value.count(".")) > 1), "")
        name = column.name[:60]
        if both and len(ends) == 1:
            (sign,) = ends
            return [Proposed("decimal", sign, f"Numbers of '{name}', such as '{both}', have both signs.", sure=True)]
        if twice and not both:
            sign = "." if twice.count(",") > 1 else ","
            return [
                Proposed("decimal", sign, f"Numbers of '{name}', such as '{twice}', have signs between thousands.", sure=True)
            ]
        if ends == {","} and all(re.fullmatch(r"[+-]?[1-9]\d{0,2},\d{3}", value) for value in marked):
            why = f"The comma in numbers of '{name}', such as '{marked[0]}', may be a decimal sign or group thousands."
            return [Proposed("decimal", ".", why, choices="',' or '.'")]
    return []


def guess_last_rows(table: TextTable) -> int:
    """How many rows at the end look like totals or a note, not like people: at most 5.

    A total is named in the first column that has a value ("Total", "Mean"), where nobody else has that value; or it is one row, without
    any other text, that adds up every column of numbers.
    """
    found = 0
    while found < min(5, table.n - 1):
        row = table.n - 1 - found
        cells = [(column, int(column.codes[row])) for column in table.columns]
        filled = [(column, column.values[code]) for column, code in cells if code >= 0]
        if not filled:
            break
        column, text = filled[0]
        word = "".join(c for c in text.lower() if c.isalnum())
        alone = int((column.codes == column.values.index(text)).sum()) == 1
        note = len(filled) == 1 and table.names[0] == column.name and len(table.columns) > 2 and " " in text and alone
        if not ((_SUMS.fullmatch(word) and alone) or note):
            break
        found += 1
    return found or int(_adds_up(table))


def _adds_up(table: TextTable) -> bool:
    """Whether the last of at least 6 rows holds, beside empty cells, nothing but the sums of the rows above."""
    if not 6 <= table.n <= _MOST_SUMMED:
        return False
    sums = 0
    for column in table.columns:
        last = int(column.codes[-1])
        if last < 0:
            continue
        numbers = to_numbers([value for value in column.values if value.lower() not in MARKS])
        if numbers is None or len(numbers) < len(column.values):
            return False
        above = column.codes[:-1]
        total = float(numbers[above[above >= 0]].sum())
        if abs(total) < 1e-9 or abs(total - numbers[last]) > 1e-6 * abs(total):
            return False
        sums += 1
    return sums > 0


def _first(rows: Sequence[Row]) -> int:
    """The first of the rows that is at least half as full as those after it usually are."""
    full = [sum(map(bool, cells)) for _, cells in rows[:_LOOKED_AT]]
    if len(full) < 3:
        return 0
    usual = median(full[1:])
    return next((i for i, count in enumerate(full) if count > usual / 2), 0)


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
    >>> from rrcore.table.reading.guess import judge_first_row
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
    >>> from rrcore.table.reading.guess import is_second_header
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
