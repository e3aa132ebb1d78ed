"""Pinned plans: several plans kept side by side, under names, in one file that survives versions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Annotated, Any, Literal

from msgspec import Meta

from rrcore.budget.plan import Plan, PlanFields
from rrcore.documents import Document, Fields, decode, inside
from rrcore.errors import InputError
from rrcore.limits import MAX_PINNED, MAX_TEXT
from rrcore.table.schema import Attribute


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


class PinFields(Fields, frozen=True):
    """A plan under a name, without what it achieves."""

    name: str
    plan: PlanFields


class PinnedFields(Fields, frozen=True):
    """Plans that are kept next to each other, under names. There are no answers in it."""

    format: Literal["rr-workbench pinned plans"]
    version: Literal[1]
    plans: Annotated[tuple[PinFields, ...], Meta(max_length=MAX_PINNED)]


@dataclass(frozen=True)
class Pinned(Document):
    """At most MAX_PINNED pinned plans in the order they were pinned, with distinct names.

    Every change gives a new one and leaves the old one as it is, so that it can be undone. Raises InputError for too many
    plans and for a name used twice.
    """

    pins: tuple[Pin, ...] = ()

    _file = PinnedFields
    _called = "file of pinned plans"
    _advice = "choose a file saved by 'Download pinned plans' or 'Download plan'"

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

    def _fields(self) -> PinnedFields:
        """Return what is asked for, not what is achieved: no mechanism is made, so a plan that cannot be carried out is kept too."""
        plans = tuple(PinFields(pin.name, pin.plan.fields()) for pin in self.pins)
        return PinnedFields("rr-workbench pinned plans", 1, plans)

    @classmethod
    def from_json(cls, content: str | bytes) -> Pinned:
        """Read what ``to_json`` wrote, or a single plan file. Raises InputError for anything else."""
        kinds: dict[str, Any] = {"rr-workbench plan": PlanFields}
        found: Any = decode(content, cls._file, cls._called, cls._advice, **kinds)
        with inside(f"the {cls._called}"):
            return cls().pin(Plan._of(found)) if isinstance(found, PlanFields) else cls._of(found)

    @classmethod
    def _of(cls, found: PinnedFields) -> Pinned:
        pins = []
        for number, each in enumerate(found.plans):
            with inside(f"the file of pinned plans, plans[{number}].plan"):
                pins.append(Pin(each.name, Plan._of(each.plan)))
        return cls(tuple(pins))


def pinned_attributes(pins: Sequence[Pin]) -> tuple[Attribute, ...]:
    """The attributes that every pinned plan has with the same categories, in the order of the first plan."""
    known = [{(a.name, a.categories) for a in pin.plan.schema.attributes} for pin in pins]
    return tuple(a for pin in pins[:1] for a in pin.plan.schema.attributes if all((a.name, a.categories) in own for own in known))
