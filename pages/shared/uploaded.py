"""How far reading an upload has come: what is certain is taken, and nothing is in play until what is in doubt is answered."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import Literal

from pages.shared import intake
from pages.shared.opening import Opened, Undecided, open_upload, read_upload
from pages.shared.state import Work
from rrcore.errors import InputError
from rrcore.table import ColumnRule, Guess, Layout, OpenFile, TextTable, as_asked, last_rows, one_valued

Question = Literal["", "encoding", "start", "uneven", "columns", "end", "answers"]
"""What is in doubt: the encoding, where the table starts, rows of other widths, columns that cannot be used, last rows, or answers that
nobody gave."""


@dataclass
class Reading:
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
    told : how the table in use was read, in a sentence
    problem : what was wrong with it
    pending : whether the file is still being looked at
    """

    opened: Opened | None = None
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
    told: str = ""
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

    def open(self, opened: Opened | Undecided, work: Work) -> None:
        """Go on with an upload that was looked at; its table is used where nothing is in doubt."""
        self.pending = False
        if isinstance(opened, Undecided):
            self.undecided, self.question = opened, "encoding"
            return
        self.opened, self.undecided, self.guess = opened, None, opened.guess
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
        run: Callable[[], Opened | Undecided]
        if self.undecided is not None:
            chosen: object = self.undecided
            run = partial(open_upload, self.undecided.data, self.undecided.name, self.wanted.encoding)
        else:
            assert self.opened is not None
            chosen = self.opened.file
            run = partial(read_upload, self.opened, self.wanted)
        try:
            found = intake.read("table", (id(chosen), self.wanted), run, what="Reading the table")
            if found is None:
                return False
            self.wanted = None
            if self.undecided is not None:
                self.open(found, work)
            else:
                assert isinstance(found, Opened)
                self.opened = found
                self._consider(work)
        except InputError:
            self.wanted = None
            raise
        finally:
            if self.wanted is None:
                intake.forget("table")
        return True

    def use(self, work: Work, rules: dict[str, ColumnRule] | None = None) -> None:
        """Use the table that was read, by its first rules and ``rules``. Raises InputError where no column can be used."""
        assert self.opened is not None
        assert self.guess is not None
        layout, table = self.opened.layout, self.opened.table
        assert layout is not None
        assert table is not None
        called, first = as_asked(table, self.guess.export if layout.names else None)
        work.adopt_table(called, {**first, **(rules or {})}, source="upload")
        self.question, self.layout = "", layout
        self.names = tuple(column.read_as or column.name for column in called.columns)
        self.told = self._how(layout) if self.opened.file.content.head(layout.sheet) else ""
        self.opened = replace(self.opened, table=None)

    def _consider(self, work: Work) -> None:
        """Ask what is in doubt about the table that was read, or use it."""
        assert self.opened is not None
        table = self.opened.table
        if table is None:
            self.question = "uneven"
        elif table.left_out and not self.rest:
            self.question = "columns"
        elif not self.ends_known and (last := last_rows(table)):
            self.question, self.last = "end", last
        else:
            try:
                self.use(work)
            except InputError:
                if not self.only_one_valued(table):
                    raise
                self.question = "answers"

    def only_one_valued(self, table: TextTable) -> bool:
        """Whether a table has columns with a single value, and none that can be used as it is."""
        assert self.guess is not None
        _, rules = as_asked(table, self.guess.export)
        return bool(one_valued(table.columns)) and not any(rule.use for rule in rules.values())

    def _how(self, layout: Layout) -> str:
        assert self.guess is not None
        if self.guess.export is not None and layout.names:
            return f"Read as an export of {self.guess.export.tool}."
        if self.guess.sure and layout.names == self.guess.layout.names:
            return self.guess.why
        where = f"row {layout.start:,}" + (f" of '{layout.sheet}'" if layout.sheet else "")
        return f"Names are in {where}." if layout.names else f"There are no names: answers start in {where}."
