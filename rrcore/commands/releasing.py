"""A release of the command ``collect``: from any table of true answers to a file that stands in the ledger if it is there, and only then."""

from __future__ import annotations

import argparse
import datetime as dt
from collections.abc import Iterator
from concurrent.futures import Executor
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rrcore.answers.returned import with_labels
from rrcore.commands.files import STANDARD, check_outputs, title, writing
from rrcore.commands.table_options import entries, open_large, read
from rrcore.errors import InputError
from rrcore.ledger import Entry
from rrcore.mark import check_unmarked, marks_in
from rrcore.progress import Report
from rrcore.promise import MechanismFile
from rrcore.promise.coder import answers_coder
from rrcore.promise.stream import Randomized, randomise_stream, write_randomised
from rrcore.promise.trailer import Trailer
from rrcore.table.recoding import edges_named
from rrcore.table.scanning import DROPPED, GONE, held_stream
from rrcore.table.source import Source
from rrcore.writing import kind_of


@dataclass(frozen=True)
class Recording:
    """Where releases are recorded: nowhere, or in a ledger.

    Parameters
    ----------
    ledger : Ledger or None
    population, mechanism, note : as in ``Entry.of``
    second : whether a second draw is meant
    """

    ledger: Any
    population: str
    mechanism: MechanismFile
    second: bool = False

    @classmethod
    def of(cls, options: argparse.Namespace, mechanism: MechanismFile) -> Recording:
        """What the options ask for. Raises InputError for a draw that would be a second one of the same answers."""
        if options.ledger is None:
            if options.population or options.second_draw:
                raise InputError("--population and --second-draw belong to a ledger: name it with --ledger.")
            return cls(None, "", mechanism)
        if not options.population:
            raise InputError("A ledger needs the group of people: name them with --population, for example 'panel 2026'.")
        from rrcore.ledger import Ledger

        return cls(Ledger.open(options.ledger), options.population, mechanism, options.second_draw)

    def check(self) -> None:
        """Refuse a second draw that is not meant, before anything is drawn."""
        if self.ledger is not None and not self.second:
            from rrcore.ledger.totals import check_first_draw

            check_first_draw(self.ledger.entries(), self._entry(1, ""))

    @contextmanager
    def adding(self, trailer: Trailer) -> Iterator[None]:
        """Records the draw if the block ends well, in which its file gets its name."""
        if self.ledger is None:
            yield
            return
        with self.ledger.adding(self._entry(trailer.rows, f"draw {trailer.draw}"), once=not self.second):
            yield

    def _entry(self, people: int, note: str) -> Entry:
        return Entry.of(self.mechanism, population=self.population, date=dt.date.today(), people=people, note=note)


def release(options: argparse.Namespace, mechanism: MechanismFile, executor: Executor | None, report: Report) -> Randomized:
    """Randomize the table that the options name into the file that they name.

    Raises
    ------
    InputError
        In whose sentence no true answer is quoted.
    """
    record = Recording.of(options, mechanism)
    check_outputs([options.out])
    record.check()
    kind = kind_of(options.out)
    try:
        stream = _true_answers(options, mechanism)
        gone = DROPPED if options.missing == "drop" else GONE
        how: dict[str, Any] = {
            "coder": answers_coder(stream, mechanism.schema, gone=gone),
            "known": entries(options.known) if options.known else [],
            "executor": executor,
            "report": report,
        }
        if options.out == STANDARD:
            with writing(STANDARD) as out:
                return write_randomised(mechanism, stream, out, kind=kind, **how)
        return randomise_stream(mechanism, stream, Path(options.out), within=record.adding, **how)
    except InputError as error:
        raise InputError(error.discreet) from None  # these are true answers: no word of them goes to a terminal or its log


def _true_answers(options: argparse.Namespace, mechanism: MechanismFile) -> Source:
    """The table that the options name. The mechanism file knows the names of its columns, so the first row has names."""
    options.header = options.header or "yes"
    stream = open_large(options.input, options)
    if stream is not None:
        return stream
    table, _ = read(options.input, options)
    check_unmarked(marks_in([table.title]), f"Randomizing '{table.title}'")
    numbers = [each.name for each in mechanism.schema.attributes if edges_named(each.categories)]
    return held_stream(with_labels(table, numbers), title(options.input))
