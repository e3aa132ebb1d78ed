"""The ledger of releases: what has been released about the same people, and what one more release would add. Never any answers."""

from rrcore.ledger.entry import Entry, Nats, entry_nats_text, entry_populations
from rrcore.ledger.store import Ledger
from rrcore.ledger.totals import Planned, Spent, entries_csv, largest_total_text, running_totals, total_after_release, total_spent
