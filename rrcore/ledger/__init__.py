"""The ledger of releases: what has been released about the same people, and what one more release would add. Never any answers."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from rrcore.errors import need
from rrcore.ledger.entry import Entry, Nats, Struck, entry_nats_text, entry_populations
from rrcore.ledger.totals import Planned, Spent, entries_csv, largest_total_text, running_totals, total_after_release, total_spent

if TYPE_CHECKING:
    from rrcore.ledger.store import LEDGER_VERSION, Ledger, check_ledger


def __getattr__(name: str) -> Any:
    """The ledger itself is imported when it is asked for: it alone needs SQLAlchemy."""
    if name not in ("LEDGER_VERSION", "Ledger", "check_ledger"):
        raise AttributeError(f"module '{__name__}' has no attribute '{name}'")
    need("sqlalchemy", "The ledger")
    return getattr(import_module("rrcore.ledger.store"), name)
