"""Options for reading a file, with a proposal and a reason for each.

A cell of the first row is evidence for *names* if it is a text above numbers or dates only, or a common column name such as
``age``. It is evidence for an *answer* if it occurs again below, or if it is a number or date above others. Texts that do not occur
below are evidence for names collectively. The probability that all answers of one more person would be new is estimated by the
method of Good and Turing, from the number of values that occur once.

A result is certain if all evidence points to one side. Whole numbers that increase from cell to cell, such as years, can be either.

Qualtrics writes three header rows (codes, question texts, import IDs), or two in older exports. KoboToolbox and ODK write
``group/question``, and one additional column per choice for questions with several choices. SurveyMonkey writes "Response" or a
choice into the second row, and leaves the first row blank above additional choices.
"""

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from itertools import count, zip_longest
from math import prod
from statistics import median
from typing import Any, Literal, Protocol, get_type_hints

import msgspec
import numpy as np

from rrcore.arrays import Codes, code_type
from rrcore.errors import InputError
from rrcore.limits import MAX_CATEGORIES
from rrcore.progress import Report, quiet
from rrcore.table.source import Source, check_rows, refuse
from rrcore.table.text_table import TextColumn, TextTable, in_order, is_number
from rrcore.wording.short import some

GROUPED = re.compile(r"[+-]?\d{1,3}([.,]\d{3})+([.,]\d+)?|[+-]?\d+([.,]\d*)?")
"""A number, perhaps with signs between its thousands."""

Row = tuple[int, tuple[str, ...]]
"""The number of a row in its file, from 1, and its cells without surrounding spaces."""

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
_QUALTRICS = re.compile(
    r"startdate|enddate|status|ipaddress|progress|duration\(inseconds\)|finished|recordeddate|response(id|set)|distributionchannel|"
    "recipient(lastname|firstname|email)|external(data)?reference|location(latitude|longitude|accuracy)|userlanguage|"
    ".*(firstclick|lastclick|pagesubmit|clickcount)"
)
_KOBO = re.compile(
    "(?i)_.*|start|end|today|(device|subscriber|deprecated)id|simserial|phone_?number|username|audit|formhub/uuid|instance(id|name)|rootuuid|"
    "submissiondate|key|submitter(id|name)|attachments(present|expected)|reviewstate|edits|formversion|(?-i:Status)"
)
_RESPONSE = re.compile("(open-ended )?response", re.IGNORECASE)


@dataclass(frozen=True)
class ReadOptions:
    """Options for reading a file.

    Python, the command line and page Data use the same names.

    Parameters
    ----------
    sheet : str
        The sheet of a workbook. "" selects the first one.
    start : int
        Number of the first row of the table, from 1. 0 selects the first row that is not blank.
    header : bool
        If True, that row contains the names of the columns. Otherwise, it contains answers, and the columns are called Column 1,
        Column 2, ...
    skip : int
        Number of rows below the names without answers, such as the two rows that Qualtrics adds.
    names : tuple of str
        Names that replace those in the file. "" leaves a column out.
    encoding : str
        The encoding of a text: any encoding known to Python, or "mixed" for UTF-8 and Windows-1252. "" detects the encoding.
    uneven : "drop" or ""
        Whether to leave out rows whose number of values differs from the number of names. Without "drop", such rows raise an error.
    totals : int
        Number of rows at the end without answers, such as totals.
    counts : str
        The column with the number of people that each row represents. "" if each row is one person.
    weights : str
        A column of sampling weights. It is not an answer and is left out.
    missing_codes : tuple of str
        Texts that denote a missing answer in every column.
    decimal : "," or "." or ""
        The decimal sign of numbers. The other sign groups thousands. By default, a comma is the decimal sign if no number contains
        a point.

    Examples
    --------
    >>> from rrcore.table import ReadOptions, read_text_table
    >>> read_text_table(b"f,no\\nm,yes\\nf,yes\\n", "survey.csv", ReadOptions(header=False)).names
    ('Column 1', 'Column 2')
    """

    sheet: str = ""
    start: int = 0
    header: bool = True
    skip: int = 0
    names: tuple[str, ...] = ()
    encoding: str = ""
    uneven: Literal["", "drop"] = ""
    totals: int = 0
    counts: str = ""
    weights: str = ""
    missing_codes: tuple[str, ...] = ()
    decimal: Literal["", ",", "."] = ""

    def called(self, found: Sequence[str]) -> list[str]:
        """Return names of columns from the cells of the first row.

        A column that is left out is temporarily named by its number.
        """
        if self.header and not self.names:
            return list(found)
        return [name or f"Column {number}" for number, name in enumerate(self.names if self.header else [""] * len(found), 1)]


def options_of_texts(texts: Mapping[str, str]) -> dict[str, Any]:
    """Parse options given as text.

    An example is {"header": "yes", "skip": "2", "missing_codes": "-99,refused"}.

    Parameters
    ----------
    texts : mapping of names to strings
        Fields of ``ReadOptions``, or "fix_names".

    Raises
    ------
    InputError
        If a string is not a valid value of its option.
    """
    types, found = {**get_type_hints(ReadOptions), "fix_names": bool}, dict[str, Any]()
    for name, text in texts.items():
        kind = types.get(name, str)
        several = tuple(part.strip() for part in text.split(","))
        value = several if kind == tuple[str, ...] else {"yes": True, "no": False}.get(text, text)
        try:
            found[name] = msgspec.convert(value, kind, strict=False)
        except msgspec.ValidationError:
            raise InputError(f"'{text[:40]}' is not a valid value of the option '{name}'. Use another value.") from None
    return found


@dataclass(frozen=True, eq=False)
class FirstRows:
    """The parts of a file that are visible before reading.

    Parameters
    ----------
    heads : maps each sheet with cells, or "" for a file without sheets, to its first rows that are not blank
    """

    heads: Mapping[str, Sequence[Row]]

    @property
    def sheets(self) -> tuple[str, ...]:
        """Names of the sheets that contain cells, empty except for workbooks."""
        return tuple(filter(None, self.heads))

    def head(self, sheet: str = "") -> Sequence[Row]:
        """Return the first rows of a sheet, by default of the first sheet.

        Raises InputError if there is no such sheet.
        """
        if self.sheets and sheet and sheet not in self.sheets:
            refuse(f"There is no sheet '{sheet[:40]}' with cells.", f"Choose one of {some(self.sheets, 20)}.", quoted=sheet[:40])
        return self.heads[sheet if self.sheets and sheet else next(iter(self.heads))]


class TableFile(Protocol):
    """A file of a known format, with its first rows and its records."""

    @property
    def heads(self) -> Mapping[str, Sequence[Row]]:
        """The first rows of each sheet, at most ``HEAD_ROWS``, as in ``FirstRows``.

        There are none if the format itself stores the names.
        """
        return {"": ()}

    def source(self, layout: ReadOptions, report: Report = quiet) -> Source:
        """Return the records. A damaged file can raise any exception."""


def refined(table: TextTable, options: ReadOptions) -> TextTable:
    """Return the table after applying the options that refine it.

    Unnamed columns, totals and missing codes are removed. Decimal points are normalized, and the result has one row per person.

    Raises
    ------
    InputError
        If an option refers to a column that does not exist, or counts are not whole numbers.
    """
    nameless = {f"Column {number}" for number, name in enumerate(options.names, 1) if not name}
    columns = [column for column in table.columns if column.name not in nameless]
    if options.totals:
        check_rows(table.n - options.totals)
        columns = [taken(column, column.codes[: -options.totals]) for column in columns]
    table = replace(table, columns=tuple(_reworded(column, options) for column in columns))
    extra = [table.column(name).name for name in (options.counts, options.weights) if name not in ("", "none")]
    columns = [column for column in table.columns if column.name not in extra]
    if not columns:
        raise InputError(f"The only column is '{extra[0]}'. Add at least one column of answers.")
    if options.counts in extra:
        people = _people(table.column(options.counts))
        columns = [taken(column, np.repeat(column.codes, people)) for column in columns]
    return replace(table, columns=tuple(columns))


def taken(column: TextColumn, codes: Codes, texts: Sequence[str | None] = ()) -> TextColumn:
    """Return the column with the rows that have these ``codes``.

    The values are replaced by ``texts``, where None is missing.
    """
    texts = texts or column.values
    used = np.flatnonzero(np.bincount(codes[codes >= 0], minlength=len(texts))).tolist()
    found = list({text for code in used if (text := texts[code]) is not None})
    values = tuple(found[i] for i in in_order(found))
    place = {text: number for number, text in enumerate(values)}
    code_of = np.array([*(place.get(text or "", -1) for text in texts), -1], code_type(len(values)))
    return replace(column, codes=code_of[codes], values=values)


def _reworded(column: TextColumn, options: ReadOptions) -> TextColumn:
    """The column without missing codes, and with numbers as ``to_numbers`` reads them if all its texts are numbers."""
    texts = [None if text in options.missing_codes else text for text in column.values]
    if options.decimal and all(text is None or GROUPED.fullmatch(text) for text in texts):
        other = "." if options.decimal == "," else ","
        texts = [text and text.replace(other, "").replace(options.decimal, ".") for text in texts]
    return column if tuple(texts) == column.values else taken(column, column.codes, texts)


def _people(column: TextColumn) -> Codes:
    """How many people each row stands for, by a column of counts."""
    if column.missing or not all(re.fullmatch(r"\d{1,9}(\.0*)?", text) for text in column.values):
        raise InputError(f"Expected a whole number of people in every row of '{column.name}'. Choose another column of counts.")
    people = np.array([int(float(text)) for text in column.values])[column.codes]
    check_rows(int(people.sum()))
    return people


@dataclass(frozen=True)
class Export:
    """Information about a file that was exported from a survey tool.

    It comes from the tool, or from a second row that continues the names.

    Parameters
    ----------
    tool : str
        The name of the tool. Empty if it is unknown.
    skip : int
        Number of rows below the names that are not people.
    interview : tuple of str
        Columns about the interview and copies of other columns, which are not separate answers.
    questions : dict
        The wording of the questions, if known.
    header : tuple of str
        The names of the columns if the first row alone does not contain them. Otherwise empty.
    """

    tool: str = ""
    skip: int = 0
    interview: tuple[str, ...] = ()
    questions: dict[str, str] = field(default_factory=dict)
    header: tuple[str, ...] = ()


def find_export(rows: Sequence[Sequence[str]]) -> Export | None:
    """Return information about a file that was exported from a survey tool.

    It is derived from the first rows, which start with the names. The result is None for other files.
    """
    return (_qualtrics(rows) or _kobo(rows[0]) or _monkey(rows)) if len(rows) > 1 else None


def _qualtrics(rows: Sequence[Sequence[str]]) -> Export | None:
    ids = [sum(cell.startswith('{"ImportId"') for cell in row) > len(row) / 2 for row in rows[1:3]]
    skip = ids.index(True) + 1 if any(ids) else int({"ResponseID", "ResponseSet"} <= set(rows[1]))
    asked = dict(zip(rows[0], rows[0] if ids[0] else rows[1], strict=False))
    interview = [name for name, text in asked.items() if _QUALTRICS.fullmatch(_word(name)) or _QUALTRICS.fullmatch(_word(text))]
    return Export("Qualtrics", skip, tuple(interview), {n: text for n, text in asked.items() if text != n}) if skip else None


def _word(name: str) -> str:
    return re.sub(r"[\s_.]", "", name.lower())


def _kobo(names: Sequence[str]) -> Export | None:
    central = "KEY" in names and "SubmissionDate" in names  # of ODK, which writes group-question
    last = {name: re.split("[/-]" if central else "/", name)[-1] for name in names}
    if not (central or {"_uuid", "_submission_time"} <= set(last.values()) or {"_id", "_index"} <= set(last.values())):
        return None
    several = {name[: cut.start()] for name in names for cut in re.finditer("/", name)}  # repeats its choices in one text
    interview = [name for name in names if name in several or _KOBO.fullmatch(name) or _KOBO.fullmatch(last[name])]
    return Export("KoboToolbox", 0, tuple(interview))


def _monkey(rows: Sequence[Sequence[str]]) -> Export | None:
    columns = list(zip_longest(*rows[:2], fillvalue=""))
    choices = [choice for name, choice in columns if not name]
    known = any(map(_RESPONSE.fullmatch, rows[1])) or (choices and _word(rows[0][0]) == "respondentid")
    if not known or not columns[0][0] or not all(choices) or any(_RESPONSE.fullmatch(cell) for row in rows[2:] for cell in row):
        return None
    header, question = [], ""
    for name, choice in columns:
        question = name or question
        header.append(question if not choice or _RESPONSE.fullmatch(choice) else f"{question}/{choice}")
    return Export("SurveyMonkey", 1, header=tuple(header))


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
    >>> from rrcore.table.reading.options import judge_first_row
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
    >>> from rrcore.table.reading.options import judge_second_row
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
