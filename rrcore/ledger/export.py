"""The entries of a ledger as a table for people."""

from __future__ import annotations

from collections.abc import Sequence

from rrcore.ledger.entry import Entry, entry_nats_text
from rrcore.ledger.totals import running_totals
from rrcore.wording import csv_text


def entries_csv(entries: Sequence[Entry]) -> str:
    """The entries as CSV text, one row each, with what the people have given so far; every cell safe to open in a spreadsheet."""
    head = "number population date people attributes levels total added so_far same_draw sha256 note happened struck"
    rows = (
        (
            entry.id,
            entry.population,
            entry.date,
            entry.people,
            "; ".join(entry.attributes),
            "; ".join(map(entry_nats_text, entry.levels)),
            *map(entry_nats_text, (entry.total, entry.cost, so_far)),
            "yes" if entry.same_draw else "no",
            entry.sha256,
            entry.note,
            "yes" if entry.happened else "no",
            "; ".join(each.sentence() for each in entry.struck),
        )
        for entry, so_far in zip(entries, running_totals(entries), strict=True)
    )
    return csv_text(head.split(), rows)
