"""Reading the answers of a survey whose groups of respondents had mechanism files of their own."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from rrcore.answers.answers import HANDED_IN, Answers, Rejected, read_answers, starts_as_lines
from rrcore.answers.columns import together
from rrcore.arrays import Codes, Integers
from rrcore.channel import Channel
from rrcore.errors import InputError
from rrcore.promise.groups import MechanismGroups
from rrcore.promise.trailer import handed_in_before, take_trailers
from rrcore.table.dataset import Dataset
from rrcore.table.mark import marks_in
from rrcore.table.reading import Layout, TextColumn, TextTable, read_text_table
from rrcore.table.reading.lines import named_by_lines
from rrcore.wording import counted

GROUP = "group"
"""Column of a table that says whose mechanism file each row went by."""


@dataclass(frozen=True, eq=False)
class GroupAnswers(Answers):
    """Collected records of people whose groups have mechanism files of their own; all else as in ``Answers``."""

    mechanism: MechanismGroups  # type: ignore[assignment]  # it says the same of what is asked and promised

    def channel(self, names: Sequence[str]) -> Channel:
        """The channel on the marginal over the named attributes, given how many people are in each group."""
        return self.mechanism.channel_for(self.schema.axes(names), self.released(names))


_File = tuple[bytes | TextTable, str]


def read_groups(
    files: Iterable[tuple[bytes, str]], mechanisms: MechanismGroups, *, column: str = GROUP, encoding: str = ""
) -> GroupAnswers:
    """Read the answers of all groups as one release: its reports are pairs of a group and a report.

    Estimates combine the groups by generalised least squares, given how many people are in each; their errors are those within groups.

    Parameters
    ----------
    files : (content, name) each
        JSON lines as the respondents' forms write them, each of which names its mechanism file; or tables with a column for every
        attribute and one that names the group, or the fingerprint of its mechanism file.
    mechanisms : MechanismGroups
    column : name of that column
    encoding : str, decides where the text of a table is UTF-8 in some places and not in others, as in ``Layout``

    Raises
    ------
    InputError
        If a file is neither, or no row of a group that is there can be used; rows that cannot be used are left out and counted otherwise.

    Examples
    --------
    >>> import rrcore as rr
    >>> from rrcore.promise import MechanismGroups
    >>> from rrcore.answers.groupreading import read_groups
    >>> schema = rr.Schema((rr.Attribute("smokes", ("no", "yes")),))
    >>> files = [rr.MechanismFile(schema, rr.integer_groups(rr.build("kronecker", (2,), [eps]))) for eps in (2.0, 1.0)]
    >>> table = b"smokes,group\\nno,die\\nyes,die\\nno,deck\\nno,deck\\nno,nobody\\n"
    >>> answers = read_groups([(table, "answers.csv")], MechanismGroups({"die": files[0], "deck": files[1]}))
    >>> answers.n, answers.counts(["smokes"]).tolist(), answers.rejected[0].reason
    (4, [1, 1, 2, 0], 'a group without a mechanism file')
    """
    own: list[list[_File]] = [[] for _ in mechanisms.files]
    strangers: list[Rejected] = []
    receipts: set[str] = set()
    given = list(files)
    if not given:
        raise InputError("No file is given: choose at least one file of answers.")
    for content, name in given:
        parts: Sequence[bytes | TextTable | None]
        if starts_as_lines(content):
            parts, left = _lines(content, name, mechanisms)
        else:
            parts, left = _rows(content, name, mechanisms, column, receipts, encoding)
        strangers += left
        for group, part in zip(own, parts, strict=True):
            group += [] if part is None else [(part, name)]
    found: list[tuple[int, Answers]] = []
    for g, ((name, file), contents) in enumerate(zip(mechanisms.files, own, strict=True)):
        if contents:
            try:
                found.append((g, read_answers(contents, file)))
            except InputError as error:
                raise InputError(f"Group '{name}': {error}", quoted=error.quoted) from None
    if not found:
        names = ", ".join(f"'{name}'" for name, _ in mechanisms.files)
        raise InputError(
            f"None of the answers is of one of the groups {names}. Check that the mechanism files belong to these answers."
        )
    return _together(found, mechanisms, strangers, given[0][1] if len(given) == 1 else f"{len(given)} files", column)


def _lines(content: bytes, name: str, mechanisms: MechanismGroups) -> tuple[list[bytes | None], list[Rejected]]:
    """The lines of each group, empty lines where those of the others stand; None for no line. What no group has goes to the first, which
    says what is wrong with it."""
    try:
        lines = content.decode("utf-8-sig").split("\n")
    except UnicodeDecodeError:
        raise InputError(f"The file '{name}' is not UTF-8 text: choose the answers as the forms saved them.") from None
    places = named_by_lines(content, name, [file.sha256 for _, file in mechanisms.files])
    places = np.append(places, np.full(len(lines) - len(places), -1))  # an empty line at the end
    parts: list[bytes | None] = []
    for g in range(len(mechanisms.files)):
        mine = "\n".join(line if place == g else "" for line, place in zip(lines, places.tolist(), strict=True))
        parts.append(mine.encode() if (places == g).any() else None)
    return parts, []


def _rows(
    content: bytes, name: str, mechanisms: MechanismGroups, column: str, receipts: set[str], encoding: str
) -> tuple[list[TextTable | None], list[Rejected]]:
    """The rows of each group, and how many are of none."""
    table, words = take_trailers(read_text_table(content, name, Layout(encoding=encoding)), name)
    if handed_in_before(words, receipts, name):
        return [None] * len(mechanisms.files), [Rejected(HANDED_IN, table.n, f"record 1 of {name}")]
    group = next((one for one in table.columns if one.name == column), None)
    if group is None:
        have = ", ".join(f"'{one[:40]}'" for one in table.names[:8])
        raise InputError(
            f"The file '{name}' has no column '{column}', which says by which of the {len(mechanisms.files)} mechanism files each row was "
            f"randomised; it has {have}. Name that column.",
            quoted=have,
        )
    number = {key: g for g, (own, file) in enumerate(mechanisms.files) for key in (own, file.sha256)}
    of_value = np.array([number.get(value.strip(), -2) for value in group.values] + [-1], dtype=np.int64)
    places = of_value[group.codes]
    parts = [_take(table, np.flatnonzero(places == g), column) for g in range(len(mechanisms.files))]
    reasons = ((-1, "no group"), (-2, "a group without a mechanism file"))
    left = [
        Rejected(why, int((places == code).sum()), f"record {int(np.flatnonzero(places == code)[0]) + 1} of {name}")
        for code, why in reasons
        if (places == code).any()
    ]
    return parts, left


def _take(table: TextTable, rows: Integers, without: str) -> TextTable | None:
    columns = (replace(column, codes=column.codes[rows]) for column in table.columns if column.name != without)
    return replace(table, columns=tuple(columns)) if rows.size else None


def _together(
    found: Sequence[tuple[int, Answers]], mechanisms: MechanismGroups, strangers: Sequence[Rejected], title: str, column: str
) -> GroupAnswers:
    """All groups in one release: complete records of all groups first, then those with some answers missing."""
    starts = mechanisms.starts.astype(np.int32)
    partial = [_raised(answers.partial, starts[g]) for g, answers in found]
    reasons: dict[str, Rejected] = {}
    for rejected in (*strangers, *(one for _, answers in found for one in answers.rejected)):
        known = reasons.get(rejected.reason)
        reasons[rejected.reason] = replace(known, rows=known.rows + rejected.rows) if known else rejected
    sizes = ", ".join(f"{counted(answers.n, 'answer', 'answers')} of '{mechanisms.files[g][0]}'" for g, answers in found)
    notes = dict.fromkeys(note for _, answers in found for note in answers.notes)

    def labelled(columns: tuple[TextColumn, ...], g: int, n: int) -> tuple[TextColumn, ...]:
        return (*columns, TextColumn(column, np.zeros(n, dtype=np.int32), (mechanisms.files[g][0],)))

    silent = [labelled(each.silent, g, len(each.silent[0].codes)) for g, each in found if each.silent]
    return GroupAnswers(
        Dataset(mechanisms.reports, np.concatenate([answers.dataset.codes + starts[g] for g, answers in found]), title),
        mechanisms,
        _ordered(
            together([labelled(answers.groupings, g, answers.n) for g, answers in found]), [answers for _, answers in found]
        ),
        tuple(sorted(reasons.values(), key=lambda rejected: -rejected.rows)),
        (*notes, f"Groups with mechanism files of their own: {sizes}."),
        together(silent) if silent else (),
        partial=np.concatenate(partial) if any(map(len, partial)) else None,
        mark=marks_in(answers.mark for _, answers in found),
    )


def _raised(codes: Codes | None, start: Codes) -> Codes:
    """Codes of a group's reports as codes of pairs of the group and a report; missing ones stay -1."""
    if codes is None:
        return np.zeros((0, len(start)), dtype=np.int32)
    return np.where(codes < 0, np.int32(-1), codes + start)


def _ordered(columns: Sequence[TextColumn], parts: Sequence[Answers]) -> tuple[TextColumn, ...]:
    """Columns of records that stand group by group, with the complete records of all groups first."""
    complete = np.concatenate([np.arange(answers.n) < answers.dataset.n for answers in parts])
    order = np.concatenate([np.flatnonzero(complete), np.flatnonzero(~complete)])
    return tuple(replace(column, codes=column.codes[order]) for column in columns)
