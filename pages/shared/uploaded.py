"""How far reading an upload has come: a file is read as proposed, and used once nothing about it has to be asked."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from pages.shared import jobs, widgets
from pages.shared.state import Work
from rrcore.asking.typed import one_valued_questions
from rrcore.table import ColumnRule, ReadOptions, TextColumn
from rrcore.table.opening import InspectedFile, inspect_file

_ROWS = ("start", "header", "skip", "fix_names", "totals", "counts", "weights")
_AFTER = {"encoding": ("sheet", *_ROWS), "sheet": _ROWS, "start": _ROWS[1:], "header": _ROWS[2:]}
"""Options that depend on another one."""


@dataclass
class UploadReading:
    """How far reading an upload has come.

    Parameters
    ----------
    data, name : the upload
    given : how the user wants it read, by the names of ``ReadOptions``; everything else is read as proposed
    found : what was read, None before that
    asks : whether the user has to say, or wants to change, how it is read
    options : how the table in use was read
    names : what its columns are called in the file
    note : how the table in use was read, in a sentence
    problem : what was wrong with the file
    changed : whether it is to be read again as ``given``
    lone : columns to which everybody gave the same answer, if there are no others
    pending : whether the file is still being read for the first time
    """

    data: bytes = b""
    name: str = ""
    given: dict[str, Any] = field(default_factory=dict)
    found: InspectedFile | None = None
    asks: bool = False
    options: ReadOptions = field(default_factory=ReadOptions)
    names: tuple[str, ...] = ()
    note: str = ""
    problem: str = ""
    changed: bool = False
    lone: tuple[TextColumn, ...] = ()
    pending: bool = False

    def read(self, name: str = "upload") -> bool:
        """Read the file as it is wanted; whether that came to an end. Raises InputError if it cannot be read."""
        what = "Reading the table" if self.found else f"Reading '{widgets.plain(self.name)}'"
        key = (id(self.data), tuple(sorted(self.given.items())))
        found = jobs.read(name, key, inspect_file, self.data, self.name, self.given, what=what)
        if found is None:
            return False
        jobs.forget(name)
        self.found, self.changed, self.lone = found, False, ()
        return True

    def give(self, option: str, value: Any) -> None:
        """Have the file read otherwise; what was chosen about the rows of another sheet or start no longer counts."""
        later = _AFTER.get(option, ())
        self.given = {name: kept for name, kept in self.given.items() if name not in later} | {option: value}
        self.changed = True

    def begin(self, work: Work) -> None:
        """Use the table that was read, or ask if something about it is in doubt."""
        assert self.found is not None
        self.pending = False
        self.asks = not all(each.sure for each in self.found.guess.proposed)
        if not self.asks:
            self.use(work)

    def use(self, work: Work, rules: Mapping[str, ColumnRule] | None = None) -> None:
        """Use the table that was read, by its first rules and ``rules``, or ask for answers that nobody gave.

        Raises InputError if no column can be used.
        """
        assert self.found is not None
        table, first = self.found.result()
        if not rules and not any(rule.use for rule in first.values()) and not self.lone and one_valued_questions(table.columns):
            self.asks, self.lone = True, one_valued_questions(table.columns)
            return
        work.adopt_table(table, {**first, **(rules or {})}, source="upload")
        self.asks, self.options, self.names = False, self.found.guess.options, table.names
        self.note = next((each.why for each in self.found.guess.proposed if each.option in ("skip", "header")), "")
