"""A release of the command ``collect``: from any table of true answers to a file that stands in the ledger if it is there, and only then."""

from __future__ import annotations

import argparse
import datetime as dt
import os
from collections.abc import Iterator
from concurrent.futures import Executor
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO

from rrcore.answers import Answers, read_answers
from rrcore.answers.rows import NO_ANSWER
from rrcore.commands.files import STANDARD, check_outputs, load, tidied, title, writing
from rrcore.commands.table_options import entries
from rrcore.errors import InputError
from rrcore.files import new_folder
from rrcore.ledger import Entry
from rrcore.progress import Report
from rrcore.promise import MechanismFile, randomise
from rrcore.promise.coder import HOW_TO_MEND, answers_coder
from rrcore.promise.stream import part_name, randomise_stream
from rrcore.promise.trailer import Trailer, dataset_parts, new_draw, read_trailer, write_release
from rrcore.table.reading import TextColumn
from rrcore.table.stream import open_stream, read_in_batches
from rrcore.table.stream.coder import DROPPED
from rrcore.table.writing import Column, kind_of
from rrcore.wording import counted


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

    def has(self, trailer: Trailer) -> bool:
        """Whether a draw is recorded."""
        return any(_note(trailer) == entry.note for entry in self.ledger.entries())

    @contextmanager
    def adding(self, trailer: Trailer) -> Iterator[None]:
        """Records the draw if the block ends well, in which its file gets its name."""
        if self.ledger is None:
            yield
            return
        with self.ledger.adding(self._entry(trailer.rows, _note(trailer)), once=not self.second):
            yield

    def _entry(self, people: int, note: str) -> Entry:
        return Entry.of(self.mechanism, population=self.population, date=dt.date.today(), people=people, note=note)


def _note(trailer: Trailer) -> str:
    return f"draw {trailer.draw}"


def release(
    options: argparse.Namespace, mechanism: MechanismFile, executor: Executor | None, report: Report
) -> tuple[Trailer, bool, int | None]:
    """Randomise the table that the options name into the file that they name.

    Returns what it says of itself, whether it is new, and how many rows were left out; None where that is not known.

    Raises
    ------
    InputError
        In whose sentence no true answer is quoted.
    """
    record = Recording.of(options, mechanism)
    found = _there_already(options, record)
    if found is not None:
        return found, False, None
    check_outputs([options.out])
    record.check()
    kind = kind_of(options.out)
    try:
        if options.input != STANDARD and read_in_batches(options.input):
            if options.known:
                raise InputError(
                    "--known is for tables that are read at once: give a smaller one, or randomise the column as well."
                )
            if options.out == STANDARD:
                raise InputError("A table of this size is not written to standard output: name a file with --out.")
            stream = open_stream(options.input, encoding=options.encoding)
            how: dict[str, Any] = {"parts": _in_parts(options), "within": record.adding, "executor": executor, "report": report}
            if options.missing == "drop":
                how["coder"] = answers_coder(stream, mechanism.schema, gone=DROPPED)
            return randomise_stream(mechanism, stream, Path(options.out), **how), True, None
        answers = read_answers([(load(options.input), title(options.input))], mechanism, true=True, encoding=options.encoding)
    except InputError as error:
        raise InputError(error.discreet) from None  # these are true answers: no word of them goes to a terminal or its log
    refused = [each for each in answers.rejected if options.missing != "drop" or not each.reason.startswith(NO_ANSWER)]
    if refused:
        rows = counted(sum(each.rows for each in refused), "row", "rows")
        raise InputError(f"{rows} cannot be randomised: {refused[0].reason} ({refused[0].first}). {HOW_TO_MEND}")
    trailer = Trailer(mechanism.sha256, answers.n, new_draw())
    known = _known(options, answers)
    released = randomise(mechanism, answers.dataset)
    with _writing(options, kind, record.adding(trailer)) as out:
        more = [Column(column.name, column.values) for column in known]
        write_release(out, mechanism.reports, dataset_parts(released, known), trailer, kind=kind, more=more)
    return trailer, True, answers.left_out


def _known(options: argparse.Namespace, answers: Answers) -> list[TextColumn]:
    """The columns that leave as they are."""
    found = {column.name: column for column in answers.groupings}
    wanted = entries(options.known) if options.known else []
    if unknown := [name for name in wanted if name not in found]:
        raise InputError(
            f"'{unknown[0]}' cannot leave as it is: the table has no such column, or the mechanism file randomises it."
        )
    return [found[name] for name in wanted]


def _in_parts(options: argparse.Namespace) -> bool:
    """Whether a folder of parts is asked for."""
    return bool(options.out.endswith(("/", os.sep)))


@contextmanager
def _writing(options: argparse.Namespace, kind: str, within: AbstractContextManager[Any]) -> Iterator[BinaryIO]:
    """The file that the options name, or the only one of the folder that they name."""
    if not _in_parts(options):
        with writing(options.out, within=within) as out:
            yield out
        return
    with tidied(), new_folder(Path(options.out), within=within) as folder, (folder / part_name(0, kind)).open("wb") as out:
        yield out


def _there_already(options: argparse.Namespace, record: Recording) -> Trailer | None:
    """The file that is to be written, if it is a release by this mechanism that is not recorded yet: it is recorded now.

    A run may have been killed between the file and its record.
    """
    path = Path(options.out)
    if record.ledger is None or not path.exists():
        return None
    trailer = read_trailer(path)
    if trailer is None or trailer.mechanism != record.mechanism.sha256 or record.has(trailer):
        return None
    with record.adding(trailer):
        return trailer
