"""The ledger of releases: what has been released about the same people, and what one more release would add. Never any answers."""

from rrcore.ledger.composition import Planned, Spent, entries_csv, plan_release, populations, running_totals, spent
from rrcore.ledger.entry import Entry, Nats, added, parse_nats, people_key, written_nats
from rrcore.ledger.store import LEDGER_VERSION, Ledger
