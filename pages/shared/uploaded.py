"""How far reading an upload has come: what is certain is taken, and nothing is in play until what is in doubt is answered."""

from dataclasses import dataclass
from typing import Any, Literal

from pages.shared import jobs
from pages.shared.state import Work
from rrcore.errors import InputError
from rrcore.table import (
    ColumnRule,
    Guess,
    InspectedFile,
    Layout,
    OpenFile,
    TextTable,
    Undecided,
    guess_last_rows,
    inspect_upload,
    one_valued_questions,
    read_as_export,
    read_upload,
)

Question = Literal["", "encoding", "start", "uneven", "columns", "end", "answers"]
"""What is in doubt: the encoding, where the table starts, rows of other widths, columns that cannot be used, last rows, or answers that
nobody gave."""


@dataclass
class UploadReading:
    """How far reading an upload has come.

    Parameters
    ----------
    opened : the file, looked at, and its table as far as it is read
    undecided : instead, the file, whose encoding is not known
    sheet, start : the sheet and the row that the table starts with, as far as the user chose them
    guess : what was found out about it
    question : what is asked before the table can be used, "" for nothing
    wanted : where the table that is to be read now stands; of a file whose encoding is not known only that
    rest : whether it is agreed to use a table without the columns that cannot be used
    ends_known : whether it is known what last rows are that look like totals
    last : how many they are
    layout : where the table in use stands in the file
    names : what its columns are called there
    note : how the table in use was read, in a sentence
    problem : what was wrong with it
    pending : whether the file is still being looked at
    """

    opened: InspectedFile | None = None
    undecided: Undecided | None = None
    sheet: str = ""
    start: int = 0
    guess: Guess | None = None
    question: Question = ""
    wanted: Layout | None = None
    rest: bool = False
    ends_known: bool = False
    last: int = 0
    layout: Layout | None = None
    names: tuple[str, ...] = ()
    note: str = ""
    problem: str = ""
    pending: bool = False

    @property
    def asks(self) -> bool:
        """Whether there is a question before the table can be used."""
        return self.question != ""

    @property
    def file(self) -> OpenFile | None:
        """The file, once it is looked at."""
        return None if self.opened is None else self.opened.file

    def looked(self) -> tuple[OpenFile, Guess]:
        """The file that was looked at, and where its table may be."""
        assert self.opened is not None
        assert self.guess is not None
        return self.opened.file, self.guess

    def found(self) -> tuple[TextTable, Layout]:
        """The table that was read, and where it stands."""
        assert self.opened is not None
        assert self.opened.table is not None
        assert self.opened.layout is not None
        return self.opened.table, self.opened.layout

    def open(self, opened: InspectedFile | Undecided, data: bytes, work: Work) -> None:
        """Go on with an upload of these bytes that was looked at; its table is used where nothing is in doubt."""
        self.pending = False
        if isinstance(opened, Undecided):
            self.undecided, self.question = opened, "encoding"
            return
        self.opened, self.undecided, self.guess = opened.holding(data), None, opened.guess
        if opened.layout is None:
            self.question = "start"
        else:
            self._consider(work)

    def want(self, layout: Layout) -> None:
        """Have the table read that stands there."""
        self.wanted = layout

    def go_on(self, work: Work) -> bool:
        """Read the table that is wanted; whether that came to an end. Raises InputError where it cannot be read."""
        assert self.wanted is not None
        call: tuple[Any, ...]
        if self.undecided is not None:
            data = self.undecided.data
            call = (inspect_upload, data, self.undecided.name, self.wanted.encoding)
        else:
            assert self.opened is not None
            data = self.opened.file.data
            call = (read_upload, self.opened, self.wanted)
        try:
            found = jobs.read("table", (id(data), self.wanted), *call, what="Reading the table")
            if found is None:
                return False
            self.wanted = None
            if self.undecided is not None:
                self.open(found, data, work)
            else:
                self.opened = found.holding(data)
                self._consider(work)
        except InputError:
            self.wanted = None
            raise
        finally:
            if self.wanted is None:
                jobs.forget("table")
        return True

    def use(self, work: Work, rules: dict[str, ColumnRule] | None = None) -> None:
        """Use the table that was read, by its first rules and ``rules``. Raises InputError where no column can be used."""
        (file, guess), (table, layout) = self.looked(), self.found()
        called, first = read_as_export(table, guess.export if layout.names else None)
        work.adopt_table(called, {**first, **(rules or {})}, source="upload")
        self.question, self.layout = "", layout
        self.names = tuple(column.read_as or column.name for column in called.columns)
        self.note = self._how(layout) if file.content.head(layout.sheet) else ""
        self.opened = InspectedFile(file, guess, layout)

    def _consider(self, work: Work) -> None:
        """Ask what is in doubt about the table that was read, or use it."""
        assert self.opened is not None
        table = self.opened.table
        if table is None:
            self.question = "uneven"
        elif table.left_out and not self.rest:
            self.question = "columns"
        elif not self.ends_known and (last := guess_last_rows(table)):
            self.question, self.last = "end", last
        else:
            try:
                self.use(work)
            except InputError:
                _, rules = read_as_export(table, self.looked()[1].export)
                if not one_valued_questions(table.columns) or any(rule.use for rule in rules.values()):
                    raise
                self.question = "answers"

    def _how(self, layout: Layout) -> str:
        _, guess = self.looked()
        if guess.export is not None and layout.names:
            return f"Read as an export of {guess.export.tool}."
        if guess.sure and layout.names == guess.layout.names:
            return guess.why
        where = f"row {layout.start:,}" + (f" of '{layout.sheet}'" if layout.sheet else "")
        return f"Names are in {where}." if layout.names else f"There are no names: answers start in {where}."
