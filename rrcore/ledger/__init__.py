"""The ledger of releases about the same people. It contains no answers."""

from rrcore.ledger.entry import Entry, Nats, entry_nats_text, entry_populations
from rrcore.ledger.store import Ledger
from rrcore.ledger.totals import (
    Planned,
    Spent,
    entries_csv,
    epsilon_of_releases,
    largest_total_text,
    running_totals,
    total_after_release,
    total_spent,
)
