"""A release in the ledger: names, a date, the mechanism's fingerprint, and its ε.

An entry contains no answers.
"""

from __future__ import annotations

import datetime as dt
import re
import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass
from decimal import Context, Decimal, Inexact
from typing import Any

from rrcore.errors import InputError
from rrcore.limits import FIRST_LEDGER_YEAR, MAX_COLUMNS, MAX_DAYS_AHEAD, MAX_LEDGER_NATS, MAX_PEOPLE, MAX_TEXT
from rrcore.promise.certificate import certified_nats
from rrcore.promise.mechanism_file import MechanismFile

Nats = Decimal | None
"""An amount in nats with nine decimals, as a certificate has it, rounded up; None where there is no bound."""

_NINE = Decimal("1e-9")
_EXACT = Context(prec=60, traps=[Inexact])  # sums that would need rounding raise instead
_SHA256 = re.compile(r"[0-9a-f]{64}")
_AMOUNT = re.compile(r"[0-9]{1,9}\.[0-9]{9}")


def added(amounts: Iterable[Nats]) -> Nats:
    """Return the exact sum, or None if any summand has no bound."""
    whole = _NINE * 0
    for amount in amounts:
        if amount is None:
            return None
        whole = _EXACT.add(whole, amount)
    return whole


def entry_nats_text(amount: Nats) -> str:
    """Return a number as a certificate writes it: "7.816284700", or "unbounded"."""
    return "unbounded" if amount is None else f"{amount:f}"


def parse_nats(text: str) -> Nats:
    """Return the number in a string from ``entry_nats_text``.

    Raises InputError for other strings.
    """
    if text == "unbounded":
        return None
    if not isinstance(text, str) or not _AMOUNT.fullmatch(text):
        raise InputError(f"The amount is {str(text)[:40]!r}. Write nats with nine decimals, or 'unbounded'.")
    return Decimal(text)


def people_key(name: str) -> str:
    """Return a key that equivalent names of a group share.

    Capitals, spaces and invisible characters do not distinguish groups.
    """
    text = unicodedata.normalize("NFKC", name).casefold()
    return " ".join("".join(sign for sign in text if unicodedata.category(sign) != "Cf").split())


@dataclass(frozen=True)
class Struck:
    """The marking of an entry as wrong.

    The entry stays in the ledger. It still counts unless the release never happened.

    Parameters
    ----------
    at : datetime.datetime, in UTC
    who : str
    why : str
    never_happened : bool, whether somebody declared that the release never happened
    """

    at: dt.datetime
    who: str
    why: str
    never_happened: bool

    def sentence(self) -> str:
        """State who marked the entry as wrong, when, and why.

        Examples
        --------
        >>> import datetime as dt
        >>> Struck(dt.datetime(2026, 3, 1, 12, tzinfo=dt.UTC), "ada@example.org", "recorded twice", True).sentence()
        'declared never to have happened by ada@example.org on 2026-03-01: recorded twice'
        """
        done = "declared never to have happened" if self.never_happened else "struck through"
        return f"{done} by {self.who} on {self.at.date().isoformat()}: {self.why}"

    def to_dict(self) -> dict[str, Any]:
        """Return the fields, ready for JSON."""
        return {
            "at": self.at.strftime("%Y-%m-%dT%H:%M:%SZ"),
            "who": self.who,
            "why": self.why,
            "never_happened": self.never_happened,
            "sentence": self.sentence(),
        }


@dataclass(frozen=True)
class Entry:
    """A release about a group of people.

    Parameters
    ----------
    population : str, 1 to ``MAX_TEXT`` characters
        The steward's name for the people, such as "panel 2026". Use one name for groups that share people, because only releases
        under the same name are added up.
    date : datetime.date
    attributes : tuple of str, different names of the attributes
    epsilon : tuple of Nats, one per attribute: how far its randomized answer alone can shift the odds about it
    total : Nats, at least every epsilon: how far the whole randomized record can shift the odds between any two true records
    sha256 : str, fingerprint of the mechanism file as 64 hexadecimal digits
    people : int, optional
    note : str, at most ``MAX_TEXT`` characters
    same_draw : bool
        Whether the release repeats the randomized answers of an earlier entry with this mechanism, which adds no privacy loss.
        Answers that are randomized again are another draw, which spends the total again.
    id : int, optional; number of the entry in the ledger
    struck : tuple of Struck, in order; empty if the entry was not marked as wrong

    Raises
    ------
    InputError
    """

    population: str
    date: dt.date
    attributes: tuple[str, ...]
    epsilon: tuple[Nats, ...]
    total: Nats
    sha256: str
    people: int | None = None
    note: str = ""
    same_draw: bool = False
    id: int | None = None
    struck: tuple[Struck, ...] = ()

    def __post_init__(self) -> None:
        object.__setattr__(self, "population", _text(self.population, "name of the group of people"))
        object.__setattr__(self, "note", _text(self.note, "note"))
        if not people_key(self.population):
            raise InputError("The group of people has no name. Enter one, for example 'panel 2026'.")
        if type(self.date) is not dt.date:
            raise InputError(f"The date is {str(self.date)[:40]!r}. Enter a date such as 2026-01-31.")
        if not isinstance(self.sha256, str) or not _SHA256.fullmatch(self.sha256):
            raise InputError("The fingerprint of the mechanism is not 64 hexadecimal digits. Copy it from the mechanism file.")
        if self.people is not None and not (type(self.people) is int and 1 <= self.people <= MAX_PEOPLE):
            raise InputError(f"The number of people is {str(self.people)[:40]}. Enter a whole number from 1 to {MAX_PEOPLE:,}.")
        self._check_amounts()

    def _check_amounts(self) -> None:
        names = self.attributes
        if not 1 <= len(names) <= MAX_COLUMNS or len(names) != len(set(names)) or len(names) != len(self.epsilon):
            found = f"{', '.join(map(str, names))[:80] or 'none'} with {len(self.epsilon):,} values of ε"
            raise InputError(
                f"Expected 1 to {MAX_COLUMNS:,} different attributes, each with its ε, got {found}. Copy them from the certificate."
            )
        if not all(isinstance(name, str) and 0 < len(name) <= MAX_TEXT for name in names):
            raise InputError(f"Every attribute needs a name of 1 to {MAX_TEXT} characters. Correct the entry.")
        object.__setattr__(self, "epsilon", tuple(_amount(level) for level in self.epsilon))
        object.__setattr__(self, "total", _amount(self.total))
        if self.total is not None and any(level is None or level > self.total for level in self.epsilon):
            raise InputError(
                "The total ε of a release cannot be smaller than the ε of an attribute. Copy both from the certificate."
            )

    @classmethod
    def of(
        cls,
        file: MechanismFile,
        *,
        population: str,
        date: dt.date,
        people: int | None = None,
        note: str = "",
        same_draw: bool = False,
    ) -> Entry:
        """Return the entry of a release made with ``file``.

        The epsilons are those of the certificate, rounded up.
        """
        epsilon = tuple(parse_nats(certified_nats(level)) for level in file.certificate.epsilon)
        total = parse_nats(certified_nats(file.certificate.epsilon_total))
        return cls(population, date, file.schema.names, epsilon, total, file.sha256, people, note, same_draw)

    @property
    def happened(self) -> bool:
        """True if the release happened.

        True also for entries marked as wrong, unless someone declared that the release never happened.
        """
        return not any(each.never_happened for each in self.struck)

    @property
    def drawn(self) -> bool:
        """True if answers were randomized for the release.

        The release happened and does not repeat earlier randomized answers.
        """
        return self.happened and not self.same_draw

    @property
    def cost(self) -> Nats:
        """Privacy loss that the release adds for the whole record.

        The loss is 0 for repeated answers and for releases that never happened.
        """
        return self.total if self.drawn else _NINE * 0

    def cost_of(self, attribute: str) -> Nats:
        """Return the privacy loss that the release adds for one attribute alone.

        The loss is 0 if the attribute was not asked.
        """
        if not self.drawn or attribute not in self.attributes:
            return _NINE * 0
        return self.epsilon[self.attributes.index(attribute)]

    def to_dict(self) -> dict[str, Any]:
        """Return the fields, ready for JSON.

        Amounts in nats are strings with nine decimals, or "unbounded".
        """
        return {
            "number": self.id,
            "population": self.population,
            "date": self.date.isoformat(),
            "epsilon": dict(zip(self.attributes, map(entry_nats_text, self.epsilon), strict=True)),
            "total": entry_nats_text(self.total),
            "added": entry_nats_text(self.cost),
            "sha256": self.sha256,
            "people": self.people,
            "same_draw": self.same_draw,
            "note": self.note,
            "happened": self.happened,
            "struck": [each.to_dict() for each in self.struck],
        }


def check_date(date: dt.date, today: dt.date | None = None) -> None:
    """Raise InputError if the date of a release is implausible.

    Dates are not checked when a ledger is read.
    """
    last = (today or dt.date.today()) + dt.timedelta(days=MAX_DAYS_AHEAD)
    if not dt.date(FIRST_LEDGER_YEAR, 1, 1) <= date <= last:
        raise InputError(f"The date of the release is {date}. Enter a date from {FIRST_LEDGER_YEAR}-01-01 to {last}.")


def _text(text: str, what: str) -> str:
    """``text`` on one line, in one spelling."""
    if not isinstance(text, str):
        raise InputError(f"The {what} is not text. Type it again.")
    line = " ".join(unicodedata.normalize("NFC", text).split())
    if len(line) > MAX_TEXT:
        raise InputError(f"The {what} has {len(line):,} characters. Use at most {MAX_TEXT}.")
    if any(unicodedata.category(sign) in ("Cc", "Cs") for sign in line):
        raise InputError(f"The {what} contains a character that cannot be displayed. Type it again.")
    return line


def _amount(amount: Nats) -> Nats:
    """With nine decimals. Raises InputError for what a certificate cannot contain."""
    if amount is None:
        return None
    fine = isinstance(amount, Decimal) and amount.is_finite() and 0 <= amount <= MAX_LEDGER_NATS
    if not fine or amount != amount.quantize(_NINE):
        raise InputError(f"The amount is {str(amount)[:40]!r}. Enter up to {MAX_LEDGER_NATS:,} nats with at most nine decimals.")
    return amount.quantize(_NINE)


def entry_populations(entries: Iterable[Entry]) -> tuple[str, ...]:
    """Return the groups of people in the order of their first entries."""
    found: dict[str, str] = {}
    for entry in entries:
        found.setdefault(people_key(entry.population), entry.population)
    return tuple(found.values())
