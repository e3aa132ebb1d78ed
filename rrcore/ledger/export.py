"""The entries of a ledger as a table for people."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence

from rrcore.ledger.composition import running_totals
from rrcore.ledger.entry import Entry, written_nats
from rrcore.wording import spreadsheet_safe


def entries_csv(entries: Sequence[Entry]) -> str:
    """The entries as CSV text, one row each, with what the people have given so far; every cell safe to open in a spreadsheet."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    head = "number population date people attributes levels total added so_far same_draw sha256 note happened struck"
    writer.writerow(head.split())
    for entry, so_far in zip(entries, running_totals(entries), strict=True):
        cells = (
            str(entry.id or ""),
            entry.population,
            entry.date.isoformat(),
            str(entry.people or ""),
            "; ".join(entry.attributes),
            "; ".join(map(written_nats, entry.levels)),
            *map(written_nats, (entry.total, entry.cost, so_far)),
            "yes" if entry.same_draw else "no",
            entry.sha256,
            entry.note,
            "yes" if entry.happened else "no",
            "; ".join(each.sentence() for each in entry.struck),
        )
        writer.writerow([spreadsheet_safe(cell) for cell in cells])
    return out.getvalue()
