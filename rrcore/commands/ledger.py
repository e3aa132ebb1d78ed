"""The command ``ledger``: what has been released about the same people, and what one more release would add."""

from __future__ import annotations

import argparse
import datetime as dt
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from rrcore.commands.files import load_mechanism, save
from rrcore.commands.values import adder, day, refuse_given, whole
from rrcore.errors import InputError
from rrcore.ledger import Entry, entries_csv, entry_nats_text, entry_populations, running_totals, total_spent
from rrcore.wording import and_text, counted, written_total_text

if TYPE_CHECKING:
    from rrcore.ledger import Ledger


def add_ledger(command: argparse.ArgumentParser) -> None:
    """Give ``command`` the options of ``ledger``, what it runs and how its result is printed."""
    add = adder(command)
    add("task", "create a new ledger, list it, plan or add a release, strike an entry through", ("create", *_TASKS))
    add("--db", "the ledger, an SQLite file", "FILE", required=True)
    add("--mechanism", "with plan and add: the mechanism file of the release", "FILE")
    add("--population", "the group of people, for example 'panel 2026'; with list: only what is about them", "TEXT")
    add("--day", "with plan and add: that of the release, for example 2026-01-31 (default today)", day("date"))
    add("--people", "with plan and add: their number", whole("number of people", None))
    add("--note", "with plan and add: a note", "TEXT", default="")
    add("--same-draw", "with plan and add: the very same released answers as an earlier entry", action="store_true")
    add(
        "--entry",
        "with strike: the number of the entry, which stays to be read",
        whole("number of the entry", None),
    )
    add("--why", "with strike: the reason, for whoever reads the ledger", "TEXT", default="")
    add(
        "--never-happened",
        "with strike: there was no such release, so that it no longer counts; without it what was released counts on",
        action="store_true",
    )
    add("--csv", "with list: write the entries as CSV", "FILE")
    command.set_defaults(run=_run, tell=_tell)


def _list(ledger: Ledger, options: argparse.Namespace) -> dict[str, Any]:
    entries = ledger.entries(options.population)
    if options.csv:
        save(options.csv, entries_csv(entries))
    so_far = zip(entries, running_totals(entries), strict=True)
    return {
        "entries": [entry.to_dict() | {"so_far": entry_nats_text(total)} for entry, total in so_far],
        "populations": [total_spent(entries, name).to_dict() for name in entry_populations(entries)],
    }


def _tell_list(result: dict[str, Any]) -> list[str]:
    lines = [
        f"{entry['number']}  {entry['date']}  {entry['population']}: {', '.join(entry['levels'])}; total {entry['total']}, "
        f"{'the same answers as before, ' if entry['same_draw'] else ''}so far {written_total_text(entry['so_far'])} nats"
        f"{''.join('; ' + each['sentence'] for each in entry['struck'])}"
        for entry in result["entries"]
    ]
    for group in result["populations"]:
        releases = counted(group["releases"], "release", "releases")
        lines.append(f"{group['population']}: {releases}, {written_total_text(group['total'])} nats in all")
        lines += [group["struck"]] if group["struck"] else []
    return lines or ["Nothing is recorded."]


def _plan(ledger: Ledger, options: argparse.Namespace) -> dict[str, Any]:
    return ledger.planned(_entry(options)).to_dict()


def _add(ledger: Ledger, options: argparse.Namespace) -> dict[str, Any]:
    return _changed(ledger, ledger.add(_entry(options)))


def _tell_add(result: dict[str, Any]) -> list[str]:
    number, after = result["release"]["number"], result["after"]
    return [f"Recorded as number {number}; '{after['population']}' have now given {written_total_text(after['total'])} nats."]


def _strike(ledger: Ledger, options: argparse.Namespace) -> dict[str, Any]:
    if options.entry is None:
        raise InputError("The number of the entry is not given: add --entry, for example --entry 3.")
    return _changed(ledger, ledger.strike(options.entry, options.why, never_happened=options.never_happened))


def _changed(ledger: Ledger, entry: Entry) -> dict[str, Any]:
    return {"release": entry.to_dict(), "after": ledger.spent(entry.population).to_dict()}


def _tell_strike(result: dict[str, Any]) -> list[str]:
    after = result["after"]
    releases = counted(after["releases"], "release", "releases")
    return [f"{after['struck']} They have given {written_total_text(after['total'])} nats in {releases}."]


_TASKS: dict[str, tuple[Callable[[Ledger, argparse.Namespace], dict[str, Any]], Callable[[dict[str, Any]], list[str]]]] = {
    "list": (_list, _tell_list),
    "plan": (_plan, lambda result: list(result["sentences"])),
    "add": (_add, _tell_add),
    "strike": (_strike, _tell_strike),
}

_READ_BY = {
    ("mechanism", "day", "people", "note", "same_draw"): ("plan", "add"),
    ("population",): ("list", "plan", "add"),
    ("entry", "why", "never_happened"): ("strike",),
    ("csv",): ("list",),
}
"""Options -> the tasks that read them."""


def _run(options: argparse.Namespace) -> dict[str, Any]:
    from rrcore.ledger import Ledger

    ledger = Ledger.open(options.db, create=options.task == "create")
    for names, tasks in _READ_BY.items():
        if options.task not in tasks:
            refuse_given(options, names, f"'ledger {options.task}' has no use for what goes with {and_text(tasks)}")
    entry = {} if options.task == "create" else _TASKS[options.task][0](ledger, options)
    return {"task": options.task, "ledger": ledger.place} | entry


def _tell(result: dict[str, Any]) -> str:
    if result["task"] == "create":
        return f"A new ledger is at {result['ledger']}."
    return "\n".join(_TASKS[result["task"]][1](result))


def _entry(options: argparse.Namespace) -> Entry:
    if options.mechanism is None or options.population is None:
        raise InputError("A release needs --mechanism, the mechanism file, and --population, the group of people.")
    return Entry.of(
        load_mechanism(options.mechanism),
        population=options.population,
        date=options.day or dt.date.today(),
        people=options.people,
        note=options.note,
        same_draw=options.same_draw,
    )
