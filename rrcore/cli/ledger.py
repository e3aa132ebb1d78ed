"""The command ``ledger``: record releases about the same people and plan more."""

import datetime as dt
from typing import Any

import msgspec
from cyclopts import App, Parameter

from rrcore.cli import options
from rrcore.cli.output import USUAL, Result, save, table
from rrcore.ledger import Entry, Ledger, entries_csv, entry_nats_text, entry_populations, running_totals, total_spent
from rrcore.promise import MechanismFile
from rrcore.wording import counted, written_total_text

ledger = App(name="ledger", help="Record releases about the same people.", default_parameter=USUAL)


class LedgerResult(Result, tag="ledger"):
    """Entries of a ledger, and the combined ε of each group of people."""

    entries: list[dict[str, Any]] = msgspec.field(default_factory=list)
    populations: list[dict[str, Any]] = msgspec.field(default_factory=list)

    def text(self) -> str:
        """Return a table of the entries and a line for each group."""
        lines = list(self.sentences)
        if self.entries:
            columns = {name: [str(each[name]) for each in self.entries] for name in ("number", "date", "population")}
            columns |= {name: [written_total_text(each[name]) for each in self.entries] for name in ("total", "so_far")}
            struck = [f"Entry {each['number']}: {one['sentence']}" for each in self.entries for one in each["struck"]]
            lines += [table(columns, 3), *struck]
        for each in self.populations:
            releases, total = counted(each["releases"], "release", "releases"), written_total_text(each["total"])
            lines.append(f"{each['population']}: {releases}, ε = {total} in all. {each['struck']}".rstrip())
        return "\n".join(lines) or "Nothing is recorded."


@Parameter(name="*")
class Release:
    """A release.

    Parameters
    ----------
    mechanism
        Mechanism file of the release
    population
        Name of the group of people, such as 'panel 2026'
    day
        Day of the release, such as 2026-01-31 [today]
    n
        Number of people
    note
        Note to record in the ledger
    same_draw
        Reuse of the randomized answers of an earlier entry
    """

    def __init__(
        self,
        *,
        mechanism: options.File,
        population: str,
        day: dt.date | None = None,
        n: int | None = None,
        note: str = "",
        same_draw: bool = False,
    ) -> None:
        made, day = MechanismFile.load(mechanism), day or dt.date.today()
        self.entry = Entry.of(made, population=population, date=day, people=n, note=note, same_draw=same_draw)


@ledger.command
def create(*, db: options.File) -> LedgerResult:
    """Create an empty ledger.

    Parameters
    ----------
    db
        SQLite file to create
    """
    return LedgerResult(sentences=[f"A new ledger is at {Ledger.open(db, create=True).place}."])


@ledger.command(name="list")
def list_(*, db: options.File, population: str = "", out: options.Out = "") -> LedgerResult:
    """List the releases and the total ε of each group of people.

    Parameters
    ----------
    db
        Ledger file
    population
        Group of people to list [all groups]
    out
        CSV file for the entries
    """
    entries = Ledger.open(db).entries(population or None)
    if out:
        save(out, entries_csv(entries))
    so_far = zip(entries, running_totals(entries), strict=True)
    return LedgerResult(
        entries=[entry.to_dict() | {"so_far": entry_nats_text(total)} for entry, total in so_far],
        populations=[total_spent(entries, name).to_dict() for name in entry_populations(entries)],
        out=out,
    )


@ledger.command
def plan(*, db: options.File, release: Release) -> LedgerResult:
    """Show how much ε one more release would add.

    Parameters
    ----------
    db
        Ledger file
    """
    planned = Ledger.open(db).planned(release.entry).to_dict()
    return LedgerResult(sentences=planned["sentences"], populations=[planned["after"]])


@ledger.command
def add(*, db: options.File, release: Release) -> LedgerResult:
    """Record a release.

    Parameters
    ----------
    db
        Ledger file
    """
    book = Ledger.open(db)
    entry = book.add(release.entry)
    return _changed(book, entry, f"Recorded as entry {entry.id}.")


@ledger.command
def strike(*, db: options.File, entry: int, why: str, never_happened: bool = False) -> LedgerResult:
    """Mark an entry as wrong.

    The release still counts unless you declare that it never happened.

    Parameters
    ----------
    db
        Ledger file
    entry
        Number of the entry
    why
        Reason, shown to readers of the ledger
    never_happened
        Declaration that the release never happened
    """
    book = Ledger.open(db)
    return _changed(book, book.strike(entry, why, never_happened=never_happened), f"Entry {entry} is struck through.")


def _changed(book: Ledger, entry: Entry, sentence: str) -> LedgerResult:
    return LedgerResult(sentences=[sentence], populations=[book.spent(entry.population).to_dict()])
