"""Combined privacy loss of releases about the same people.

Different releases are randomized independently of each other. By sequential composition, the epsilons of the whole record therefore
add up. This holds for any prior knowledge, for the same or different attributes, and for all mechanisms.

The epsilons of one attribute also add up for an attacker who sees only the answers to this attribute. Attributes with the same name
count as the same question. Only the sum for the whole record also bounds what the answers to other attributes reveal.

Publishing the *same randomized answers* again adds no privacy loss. Randomizing them again does, even with the same mechanism.
"""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from rrcore.errors import InputError
from rrcore.ledger.entry import Entry, Nats, added, check_date, entry_nats_text, entry_populations, parse_nats, people_key
from rrcore.promise.certificate import certified_nats
from rrcore.promise.mechanism_file import MechanismFile
from rrcore.wording import and_text, counted, csv_text, total_text

_NAMED = 3  # attributes named one by one in a sentence


@dataclass(frozen=True)
class Spent:
    """Releases about one group of people.

    Parameters
    ----------
    population : str
    entries : tuple of Entry about these people
    attributes : tuple of str, names of the attributes
    """

    population: str
    entries: tuple[Entry, ...]
    attributes: tuple[str, ...]

    @cached_property
    def total(self) -> Nats:
        """Sum of the ε of the whole record, a bound for attackers who see all releases."""
        return added(entry.cost for entry in self.entries)

    @cached_property
    def epsilon(self) -> tuple[Nats, ...]:
        """Sum of the ε of each attribute.

        This is the bound for an attacker who sees only the answers to the attribute.
        """
        return tuple(added(entry.cost_of(name) for entry in self.entries) for name in self.attributes)

    @cached_property
    def asked(self) -> tuple[int, ...]:
        """Number of published draws of each attribute."""
        draws = [entry for entry in self.entries if entry.drawn]
        return tuple(sum(name in entry.attributes for entry in draws) for name in self.attributes)

    def struck(self) -> str:
        """State which entries were marked as wrong and whether they count.

        The text is empty without such entries. Print it next to the sum.
        """
        gone = [entry for entry in self.entries if not entry.happened]
        still = [entry for entry in self.entries if entry.struck and entry.happened]
        texts = []
        if gone:
            texts.append(f"{_numbers(gone)} declared never to have happened and not counted")
        if still:
            texts.append(f"{_numbers(still)} struck through and still counted, since what was released stays known")
        return f"'{self.population}': {'; '.join(texts)}." if texts else ""

    def to_dict(self) -> dict[str, Any]:
        """Return the fields, ready for JSON."""
        return {
            "population": self.population,
            "releases": sum(entry.happened for entry in self.entries),
            "total": entry_nats_text(self.total),
            "epsilon": dict(zip(self.attributes, map(entry_nats_text, self.epsilon), strict=True)),
            "struck": self.struck(),
        }


def _numbers(entries: Sequence[Entry]) -> str:
    """Such as "number 3 is", or "numbers 3 and 5 are"."""
    texts = [str(entry.id) for entry in entries]
    return f"number {texts[0]} is" if len(texts) == 1 else f"numbers {and_text(texts)} are"


def total_spent(entries: Iterable[Entry], population: str, attributes: Sequence[str] | None = None) -> Spent:
    """Return the combined privacy loss of the releases about ``population``.

    By default, ``attributes`` are all attributes of these releases.
    """
    key = people_key(population)
    own = tuple(entry for entry in entries if people_key(entry.population) == key)
    asked = dict.fromkeys(name for entry in own for name in entry.attributes)
    return Spent(own[0].population if own else population, own, tuple(asked if attributes is None else attributes))


def epsilon_of_releases(files: Iterable[MechanismFile]) -> Nats:
    """Return the ε of the whole record if answers to all of ``files`` are published."""
    return added(parse_nats(certified_nats(file.certificate.epsilon_total)) for file in files)


def largest_total_text(entries: Sequence[Entry]) -> str:
    """State which group has spent most so far."""
    if not entries:
        return "Nothing is recorded yet."
    groups = [total_spent(entries, name) for name in entry_populations(entries)]
    most = max(groups, key=lambda group: math.inf if group.total is None else group.total)
    releases = counted(sum(entry.drawn for entry in most.entries), "release", "releases")
    which = "" if len(groups) == 1 else f" This is the largest sum of {len(groups)} groups."
    return f"'{most.population}' has spent {_epsilon(most.total)} in {releases}.{which}"


def running_totals(entries: Iterable[Entry]) -> list[Nats]:
    """Return the combined privacy loss of each entry's people up to that entry."""
    so_far: dict[str, Nats] = {}
    totals = []
    for entry in entries:
        key = people_key(entry.population)
        so_far[key] = added([so_far[key], entry.cost]) if key in so_far else entry.cost
        totals.append(so_far[key])
    return totals


def check_repeat(entries: Iterable[Entry], entry: Entry) -> None:
    """Raise InputError if an entry repeats a release that is not in the ledger."""
    if entry.same_draw and first_draw(entries, entry) is None:
        raise InputError(f"No release about '{entry.population}' with this mechanism is recorded. Record it as a new release.")


def check_first_draw(entries: Iterable[Entry], entry: Entry) -> None:
    """Raise InputError for a second draw by the same mechanism.

    A second draw spends its total again.
    """
    known = list(entries)
    before = first_draw(known, entry)
    if before is not None and not entry.same_draw:
        so_far = total_spent(known, entry.population).total
        raise InputError(
            f"Answers of '{before.population}' with this mechanism file are already recorded as entry {before.id} of "
            f"{before.date}. Publishing that file again spends nothing. Randomizing again would add "
            f"{_epsilon(entry.total)} to the {_epsilon(so_far)} spent so far. To do so, add --again."
        )


def first_draw(entries: Iterable[Entry], entry: Entry) -> Entry | None:
    """Return the first release about the same people by the same mechanism, or None."""
    wanted = promise(entry)
    return next((other for other in entries if other.drawn and promise(other) == wanted), None)


def check_strike(entries: Sequence[Entry], number: int, never_happened: bool) -> Entry:
    """Return the entry with that number if it can be marked as wrong.

    Otherwise, raises InputError. See ``Ledger.strike``.
    """
    entry = next((other for other in entries if other.id == number), None)
    if entry is None:
        raise InputError(f"There is no entry {number} in this ledger. Choose a number from its list.")
    if not entry.happened or (entry.struck and not never_happened):
        raise InputError(f"Entry {number} is already {entry.struck[-1].sentence()}. This cannot be changed.")
    if never_happened:
        left = [other for other in entries if other is not entry]
        again = next((o for i, o in enumerate(left) if o.happened and o.same_draw and first_draw(left[:i], o) is None), None)
        if again is not None:
            raise InputError(f"Entry {again.id} repeats entry {number}. First declare that entry {again.id} never happened.")
    return entry


def promise(entry: Entry) -> tuple[object, ...]:
    """Return the fields that must agree if two entries have the same answers."""
    return people_key(entry.population), entry.sha256, entry.attributes, entry.epsilon, entry.total


@dataclass(frozen=True)
class Planned:
    """The effect of one more release.

    Parameters
    ----------
    entry : the planned release
    before, after : Spent without and with the release, over its attributes
    earlier : an entry with the same mechanism file about the same people, if there is one
    """

    entry: Entry
    before: Spent
    after: Spent
    earlier: Entry | None = None

    def sentences(self) -> tuple[str, ...]:
        """State the combined privacy loss in plain words."""
        return (self._composed(), *self._again(), *self._repeated())

    def _composed(self) -> str:
        who, total = self.after.population, _epsilon(self.after.total)
        if not self.before.entries:
            return f"This is the first release about '{who}'. It spends {total}."
        if self.entry.same_draw:
            return f"Publishing the same answers again spends nothing. '{who}' stays at {total}."
        if self.before.total is None:
            return f"Earlier releases about '{who}' have an unbounded ε. No further release can change that."
        return f"'{who}' has spent {_epsilon(self.before.total)}. This release raises it to {total}."

    def _again(self) -> tuple[str, ...]:
        again = () if self.entry.same_draw else [i for i, times in enumerate(self.before.asked) if times]
        texts = [f"'{self.after.attributes[i]}' ({_epsilon(self.after.epsilon[i])} in total)" for i in again]
        more = f" and {len(again) - _NAMED} more" if len(again) > _NAMED else ""
        return (f"Earlier releases include these attributes: {', '.join(texts[:_NAMED])}{more}.",) if texts else ()

    def _repeated(self) -> tuple[str, ...]:
        if self.earlier is None or self.entry.same_draw:
            return ()
        number = "" if self.earlier.id is None else f" as number {self.earlier.id}"
        return (
            f"A release of {self.earlier.date.isoformat()} with this mechanism file is recorded{number}. "
            "Publishing the same randomized answers again spends nothing and needs no entry.",
        )

    def to_dict(self) -> dict[str, Any]:
        """Return the fields, ready for JSON."""
        return {
            "release": self.entry.to_dict(),
            "before": self.before.to_dict(),
            "after": self.after.to_dict(),
            "sentences": list(self.sentences()),
        }


def total_after_release(entries: Sequence[Entry], entry: Entry) -> Planned:
    """Return what ``entry`` would add to ``entries``.

    Raises InputError as ``check_repeat`` does and for implausible dates.
    """
    check_date(entry.date)
    check_repeat(entries, entry)
    names = entry.attributes
    before = total_spent(entries, entry.population, names)
    return Planned(entry, before, total_spent([*entries, entry], entry.population, names), first_draw(entries, entry))


def _epsilon(amount: Nats) -> str:
    """An amount in words."""
    return "an unbounded ε" if amount is None else f"ε = {total_text(float(amount))}"


def entries_csv(entries: Sequence[Entry]) -> str:
    """Return the entries as CSV text, with the running privacy loss of their people.

    Every cell is safe to open in a spreadsheet.
    """
    head = "number population date people attributes levels total added so_far same_draw sha256 note happened struck"
    rows = (
        (
            entry.id,
            entry.population,
            entry.date,
            entry.people,
            "; ".join(entry.attributes),
            "; ".join(map(entry_nats_text, entry.epsilon)),
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
