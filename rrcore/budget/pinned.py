"""Pinned plans: several plans kept side by side, under names, in one file that survives versions."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from rrcore.budget.plan import FORMAT, Plan
from rrcore.errors import InputError
from rrcore.limits import MAX_PINNED, MAX_TEXT
from rrcore.table.plain import Place, from_plain, parse
from rrcore.table.schema import Attribute

_PINNED = "rr-workbench pinned plans"

PLACE = Place("file of pinned plans", "choose a file saved by 'Download pinned plans' or 'Download plan'")


@dataclass(frozen=True)
class Pin:
    """A plan under a name of 1 to MAX_TEXT characters, on one line. Raises InputError for another name."""

    name: str
    plan: Plan

    def __post_init__(self) -> None:
        name = " ".join(self.name.split())
        if not name:
            raise InputError("A pinned plan needs a name: type one.")
        if len(name) > MAX_TEXT:
            raise InputError(f"The name of the pinned plan has {len(name)} characters: use at most {MAX_TEXT}.")
        object.__setattr__(self, "name", name)


@dataclass(frozen=True)
class Pinned:
    """At most MAX_PINNED pinned plans in the order they were pinned, with distinct names.

    Every change gives a new one and leaves the old one as it is, so that it can be undone. Raises InputError for too many
    plans and for a name used twice.
    """

    pins: tuple[Pin, ...] = ()

    def __post_init__(self) -> None:
        if len(self.pins) > MAX_PINNED:
            raise InputError(f"That makes {len(self.pins)} pinned plans: at most {MAX_PINNED} are kept, so remove some first.")
        seen: set[str] = set()
        for pin in self.pins:
            if pin.name in seen:
                raise InputError(f"Two pinned plans are called '{pin.name}': give each a name of its own.")
            seen.add(pin.name)

    def pin(self, plan: Plan, name: str = "") -> Pinned:
        """With ``plan`` added, called ``name``, or after its mechanism if that is empty."""
        return Pinned((*self.pins, Pin(name or self._free_name(plan.title), plan)))

    def rename(self, old: str, new: str) -> Pinned:
        """With the plan called ``old`` called ``new``."""
        self._check_known(old)
        return Pinned(tuple(replace(pin, name=new) if pin.name == old else pin for pin in self.pins))

    def remove(self, name: str) -> Pinned:
        """Without the plan called ``name``."""
        self._check_known(name)
        return Pinned(tuple(pin for pin in self.pins if pin.name != name))

    def add(self, other: Pinned) -> Pinned:
        """With all of ``other``, under free names where theirs are taken."""
        result = self
        for pin in other.pins:
            result = Pinned((*result.pins, replace(pin, name=result._free_name(pin.name))))
        return result

    def _check_known(self, name: str) -> None:
        if all(pin.name != name for pin in self.pins):
            raise InputError(f"There is no pinned plan called '{name}': choose one from the list.")

    def _free_name(self, wanted: str) -> str:
        taken, number, name = {pin.name for pin in self.pins}, 2, wanted
        while name in taken:
            ending = f" {number}"
            name, number = wanted[: MAX_TEXT - len(ending)].rstrip() + ending, number + 1
        return name

    def to_json(self) -> str:
        """All pinned plans as one JSON document; ``from_json`` reads it back. It holds no answers.

        It holds what is asked for, not what is achieved: no mechanism is made for it, so that a plan that cannot be carried
        out is kept too.
        """
        plans = [{"name": pin.name, "plan": pin.plan.to_dict(achieved=False)} for pin in self.pins]
        return json.dumps({"format": _PINNED, "version": 1, "plans": plans}, indent=2, ensure_ascii=False)

    @classmethod
    def from_json(cls, text: str | bytes) -> Pinned:
        """Read what ``to_json`` wrote, or a single plan file. Raises InputError with one sentence for anything else."""
        document = parse(text, PLACE)
        if isinstance(document, dict) and document.get("format") == FORMAT:
            return cls().pin(Plan.from_dict(document))
        return cls.from_dict(document)

    @classmethod
    def from_dict(cls, document: Any, place: Place = PLACE) -> Pinned:
        """Read the document of several plans, which stands at ``place``. Raises InputError like ``from_json``."""
        place.head(document, _PINNED)
        entries = from_plain(_Document, document, place).plans
        if len(entries) > MAX_PINNED:
            place["plans"].refuse(f"a list of {len(entries):,}", f"at most {MAX_PINNED} plans")
        return cls(tuple(entry.pin(place["plans"][number]) for number, entry in enumerate(entries)))


@dataclass(frozen=True)
class _Entry:
    """A plan in the file of pinned plans."""

    name: str
    plan: Mapping[str, Any]

    def pin(self, place: Place) -> Pin:
        with place.named():
            return Pin(self.name, Plan.from_dict(self.plan, place["plan"]))


@dataclass(frozen=True)
class _Document:
    """What is read of the file of pinned plans."""

    plans: tuple[_Entry, ...]


def pinned_attributes(pins: Sequence[Pin]) -> tuple[Attribute, ...]:
    """The attributes that every pinned plan has with the same categories, in the order of the first plan."""
    known = [{(a.name, a.categories) for a in pin.plan.schema.attributes} for pin in pins]
    return tuple(a for pin in pins[:1] for a in pin.plan.schema.attributes if all((a.name, a.categories) in own for own in known))
