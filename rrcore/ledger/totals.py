"""What releases about the same people promise together.

Sequential composition: answers to different releases are randomised independently of each other, so whoever sees all of them can move the
odds between any two people's answers by at most the product of the releases' odds. In nats: by the SUM OF THE TOTALS. This holds whatever
they already know, for releases about the same attributes or about different ones, and whatever the mechanisms.

For one attribute, whoever sees only its released answers can move the odds about it by at most the sum of its levels. This counts the same
name as the same question, and says nothing about what the other attributes' answers tell: only the sum of the totals bounds everything.

Giving out the *same released answers* again tells nobody anything new and adds nothing. Randomising again does, even by the same mechanism.
"""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from decimal import Decimal
from functools import cached_property
from typing import Any

from rrcore.errors import InputError
from rrcore.ledger.entry import Entry, Nats, added, check_date, entry_nats_text, entry_populations, people_key
from rrcore.wording import and_text, counted, csv_text, odds_text, total_text

_NAMED = 3  # attributes named one by one in a sentence


@dataclass(frozen=True)
class Spent:
    """What has been released about one group of people.

    Parameters
    ----------
    population : str
    entries : tuple of Entry, all about these people
    attributes : tuple of str, those asked about
    """

    population: str
    entries: tuple[Entry, ...]
    attributes: tuple[str, ...]

    @cached_property
    def total(self) -> Nats:
        """The sum of the totals: the bound for whoever sees all releases."""
        return added(entry.cost for entry in self.entries)

    @cached_property
    def levels(self) -> tuple[Nats, ...]:
        """For each attribute the sum of its levels: the bound for whoever sees all its released answers and nothing else."""
        return tuple(added(entry.cost_of(name) for entry in self.entries) for name in self.attributes)

    @cached_property
    def asked(self) -> tuple[int, ...]:
        """For each attribute the number of draws of it that were released."""
        draws = [entry for entry in self.entries if entry.drawn]
        return tuple(sum(name in entry.attributes for entry in draws) for name in self.attributes)

    def struck(self) -> str:
        """In a sentence, what is struck through and whether it counts; empty where nothing is. It belongs beside the sum."""
        gone = [entry for entry in self.entries if not entry.happened]
        still = [entry for entry in self.entries if entry.struck and entry.happened]
        texts = []
        if gone:
            texts.append(f"{_numbers(gone)} declared never to have happened and not counted")
        if still:
            texts.append(f"{_numbers(still)} struck through and still counted, since what was released stays known")
        return f"'{self.population}': {'; '.join(texts)}." if texts else ""

    def warning(self, threshold: Decimal | None) -> str:
        """A sentence where the sum has no bound or is above ``threshold`` nats, else the empty text."""
        if self.total is None:
            return (
                f"'{self.population}': the releases together have no bound, since a released answer can give a true answer away for "
                "certain."
            )
        if threshold is None or self.total <= threshold:
            return ""
        return (
            f"'{self.population}': the releases together reach {total_text(float(self.total))} nats, above the "
            f"{threshold.normalize():f} that "
            f"you set. Whoever sees them all can shift the odds between two people's answers by up to "
            f"{odds_text(float(self.total))} times. Lower "
            "the levels of the next release, ask fewer attributes, or give out answers that were released already."
        )

    def to_dict(self) -> dict[str, Any]:
        """Ready for JSON."""
        return {
            "population": self.population,
            "releases": sum(entry.happened for entry in self.entries),
            "total": entry_nats_text(self.total),
            "levels": dict(zip(self.attributes, map(entry_nats_text, self.levels), strict=True)),
            "struck": self.struck(),
        }


def _numbers(entries: Sequence[Entry]) -> str:
    """Such as "number 3 is", or "numbers 3 and 5 are"."""
    texts = [str(entry.id) for entry in entries]
    return f"number {texts[0]} is" if len(texts) == 1 else f"numbers {and_text(texts)} are"


def total_spent(entries: Iterable[Entry], population: str, attributes: Sequence[str] | None = None) -> Spent:
    """What the releases about ``population`` promise together; ``attributes`` is by default everything that was asked."""
    key = people_key(population)
    own = tuple(entry for entry in entries if people_key(entry.population) == key)
    asked = dict.fromkeys(name for entry in own for name in entry.attributes)
    return Spent(own[0].population if own else population, own, tuple(asked if attributes is None else attributes))


def largest_total_text(entries: Sequence[Entry]) -> str:
    """In a sentence, who has given most so far, and what whoever sees all of it can make of that."""
    if not entries:
        return "Nothing is recorded yet."
    groups = [total_spent(entries, name) for name in entry_populations(entries)]
    most = max(groups, key=lambda group: math.inf if group.total is None else group.total)
    releases = sum(entry.drawn for entry in most.entries)
    who = (
        f"'{most.population}' has given"
        if len(groups) == 1
        else f"Of {len(groups)} groups of people, '{most.population}' has given most,"
    )
    return f"{who} {_nats_and_odds(most.total)}, in {counted(releases, 'release', 'releases')}."


def running_totals(entries: Iterable[Entry]) -> list[Nats]:
    """After each entry, what has been released about its people so far."""
    so_far: dict[str, Nats] = {}
    totals = []
    for entry in entries:
        key = people_key(entry.population)
        so_far[key] = added([so_far[key], entry.cost]) if key in so_far else entry.cost
        totals.append(so_far[key])
    return totals


def check_repeat(entries: Iterable[Entry], entry: Entry) -> None:
    """Refuse an entry that claims to be the same released answers as an earlier one where there is none such."""
    if entry.same_draw and first_draw(entries, entry) is None:
        raise InputError(f"No release about '{entry.population}' with this mechanism is recorded: record a release of its own.")


def check_first_draw(entries: Iterable[Entry], entry: Entry) -> None:
    """Refuse a second draw: the same answers randomised anew by the same mechanism, which costs its total again."""
    known = list(entries)
    before = first_draw(known, entry)
    if before is not None and not entry.same_draw:
        so_far = total_spent(known, entry.population).total
        raise InputError(
            f"Answers of '{before.population}' by this mechanism file are recorded already, as number {before.id} of {before.date}: give out "
            f"that file again, which costs nothing more. A second draw would add {_nats(entry.total)} to the {_nats(so_far)} that they have "
            "given; if that is meant, ask for it with --second-draw."
        )


def first_draw(entries: Iterable[Entry], entry: Entry) -> Entry | None:
    """The first release of answers about the same people by the same mechanism, if any."""
    wanted = promise(entry)
    return next((other for other in entries if other.drawn and promise(other) == wanted), None)


def check_strike(entries: Sequence[Entry], number: int, never_happened: bool) -> Entry:
    """The entry of that number, if it can be struck through; see ``Ledger.strike``. Raises InputError where it cannot."""
    entry = next((other for other in entries if other.id == number), None)
    if entry is None:
        raise InputError(f"There is no entry {number} in this ledger: see its list for the numbers.")
    if not entry.happened or (entry.struck and not never_happened):
        raise InputError(f"Entry {number} is {entry.struck[-1].sentence()}. It stays so.")
    if never_happened:
        left = [other for other in entries if other is not entry]
        again = next((o for i, o in enumerate(left) if o.happened and o.same_draw and first_draw(left[:i], o) is None), None)
        if again is not None:
            raise InputError(f"Entry {again.id} repeats entry {number}: declare it of entry {again.id} first.")
    return entry


def promise(entry: Entry) -> tuple[object, ...]:
    """What must agree for two entries to be possibly the same released answers."""
    return people_key(entry.population), entry.sha256, entry.attributes, entry.levels, entry.total


@dataclass(frozen=True)
class Planned:
    """What one more release would add.

    Parameters
    ----------
    entry : the release that is planned
    before, after : Spent without and with it, over the attributes it asks
    earlier : an entry with the same mechanism file about the same people, if there is one
    """

    entry: Entry
    before: Spent
    after: Spent
    earlier: Entry | None = None

    def sentences(self) -> tuple[str, ...]:
        """The composition in plain words."""
        return (self._composed(), *self._again(), *self._repeated())

    def _composed(self) -> str:
        total = _nats_and_odds(self.after.total)
        if not self.before.entries:
            return f"Nothing is recorded about these people yet; this release gives {total}."
        if self.entry.same_draw:
            return f"The same released answers are given out again, which adds nothing: it stays {total}."
        if self.before.total is None:
            return "These people have already given answers without any bound, and no further release can change that."
        already = total_text(float(self.before.total))
        return f"These people have already given {already} nats; with this release {total}."

    def _again(self) -> tuple[str, ...]:
        if self.entry.same_draw:
            return ()
        again = [i for i, times in enumerate(self.before.asked) if times]
        if not again:
            return ()
        texts = [
            f"'{self.after.attributes[i]}' ({_nats(self.after.levels[i], ', odds up to × ', 'no bound')})" for i in again[:_NAMED]
        ]
        more = f" and {len(again) - _NAMED} more" if len(again) > _NAMED else ""
        return (
            f"Asked before: {', '.join(texts)}{more}. In brackets, with this release, the bound for somebody who sees all released answers "
            "to that attribute and nothing else.",
        )

    def _repeated(self) -> tuple[str, ...]:
        if self.earlier is None or self.entry.same_draw:
            return ()
        number = "" if self.earlier.id is None else f" as number {self.earlier.id}"
        return (
            f"This mechanism file is recorded already{number}, on {self.earlier.date.isoformat()}: if the very same released answers "
            "are given out once more, say so, and nothing is added.",
        )

    def to_dict(self) -> dict[str, Any]:
        """Ready for JSON."""
        return {
            "release": self.entry.to_dict(),
            "before": self.before.to_dict(),
            "after": self.after.to_dict(),
            "sentences": list(self.sentences()),
        }


def total_after_release(entries: Sequence[Entry], entry: Entry) -> Planned:
    """What ``entry`` would add to ``entries``. Raises InputError as ``check_repeat`` does, and for a date that nobody means."""
    check_date(entry.date)
    check_repeat(entries, entry)
    names = entry.attributes
    before = total_spent(entries, entry.population, names)
    return Planned(entry, before, total_spent([*entries, entry], entry.population, names), first_draw(entries, entry))


def _nats(amount: Nats, odds: str = "", unbounded: str = "an unbounded amount") -> str:
    """An amount in words, with the ``odds`` that it means behind them."""
    if amount is None:
        return unbounded
    return f"{total_text(float(amount))} nats" + (f"{odds}{odds_text(float(amount))}" if odds else "")


def _nats_and_odds(amount: Nats) -> str:
    return _nats(amount, ": odds up to × ")


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
