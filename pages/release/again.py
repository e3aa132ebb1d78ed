"""One more release about the same people: what it adds to those that there are, and whether somebody wants it at that price."""

from __future__ import annotations

import datetime as dt
from collections.abc import Sequence
from dataclasses import dataclass

from pages.shared import widgets
from rrcore.ledger import Entry, Planned, plan_release
from rrcore.promise import MechanismFile
from rrcore.wording import legible, odds_text


@dataclass(frozen=True)
class Earlier:
    """A release about these people that there is, or is begun.

    Parameters
    ----------
    mechanism : MechanismFile
    date : its day
    people : how many were released; None where that is not known yet
    """

    mechanism: MechanismFile
    date: dt.date
    people: int | None = None

    def entry(self) -> Entry:
        """As a ledger has it."""
        return Entry.of(self.mechanism, population="these people", date=self.date, people=self.people)


def one_more(file: MechanismFile, earlier: Sequence[Earlier]) -> Planned:
    """What one more release by ``file`` gives away together with the ``earlier`` ones."""
    return plan_release([each.entry() for each in earlier], Earlier(file, dt.date.today()).entry())


def agreed(file: MechanismFile, earlier: Sequence[Earlier], told: str, label: str, key: str, *, rest: str = "") -> bool:
    """Whether one more release is wanted at its price, which is said between ``told`` and ``rest``; where there is none before it, it is."""
    if not earlier:
        return True
    widgets.warn(f"{told} {legible(one_more(file, earlier).sentences()[0])} {rest}".strip())
    return widgets.checkbox(label, key)


def together(made: Sequence[Earlier]) -> str:
    """What several releases about the same people give away to whoever sees them all; empty for a single one, whose promise is all."""
    if len(made) < 2:
        return ""
    *before, last = made
    whole = one_more(last.mechanism, before).after.total
    odds = "without bound" if whole is None else f"up to {odds_text(float(whole))} times"
    return f"**These people were released {len(made)} times: whoever sees it all can shift those odds {odds}.**"
