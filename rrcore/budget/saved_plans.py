"""Named plans that are kept together in one file.

The file remains readable in later versions.
"""

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
    """A plan with a name of 1 to MAX_TEXT characters on one line.

    Raises InputError if the name is invalid.
    """

    name: str
    plan: Plan

    def __post_init__(self) -> None:
        name = " ".join(self.name.split())
        if not name:
            raise InputError("A saved plan needs a name. Enter one.")
        if len(name) > MAX_TEXT:
            raise InputError(f"The name of the saved plan has {len(name)} characters. Use at most {MAX_TEXT}.")
        object.__setattr__(self, "name", name)


class PinFields(Fields, frozen=True):
    """A named plan, without the resulting privacy loss and accuracy."""

    name: str
    plan: PlanFields


class PinnedFields(Fields, frozen=True):
    """Named plans that are kept together. The file contains no answers."""

    format: Literal["rr-workbench pinned plans"]
    version: Literal[1]
    plans: Annotated[tuple[PinFields, ...], Meta(max_length=MAX_PINNED)]


@dataclass(frozen=True)
class Pinned(Document):
    """At most MAX_PINNED named plans with distinct names, in the order of addition.

    Every change returns a new object and leaves the old one unchanged, so it can be undone. Raises InputError if there are too many
    plans or if a name is used twice.
    """

    pins: tuple[Pin, ...] = ()

    _file = PinnedFields
    _called = "file of pinned plans"
    _advice = "choose a file saved by 'Download pinned plans' or 'Download plan'"

    def __post_init__(self) -> None:
        if len(self.pins) > MAX_PINNED:
            raise InputError(
                f"There would be {len(self.pins)} saved plans, but at most {MAX_PINNED} are allowed. Remove some first."
            )
        seen: set[str] = set()
        for pin in self.pins:
            if pin.name in seen:
                raise InputError(f"Two saved plans are named '{pin.name}'. Give them different names.")
            seen.add(pin.name)

    def pin(self, plan: Plan, name: str = "") -> Pinned:
        """Return the plans with ``plan`` added under ``name``.

        An empty name is replaced by that of its mechanism.
        """
        return Pinned((*self.pins, Pin(name or self._free_name(plan.title), plan)))

    def rename(self, old: str, new: str) -> Pinned:
        """Return the plans with the plan ``old`` renamed to ``new``."""
        self._check_known(old)
        return Pinned(tuple(replace(pin, name=new) if pin.name == old else pin for pin in self.pins))

    def remove(self, name: str) -> Pinned:
        """Return the plans without the plan called ``name``."""
        self._check_known(name)
        return Pinned(tuple(pin for pin in self.pins if pin.name != name))

    def add(self, other: Pinned) -> Pinned:
        """Return the plans with all plans of ``other`` added.

        Plans whose names are taken get new names.
        """
        result = self
        for pin in other.pins:
            result = Pinned((*result.pins, replace(pin, name=result._free_name(pin.name))))
        return result

    def _check_known(self, name: str) -> None:
        if all(pin.name != name for pin in self.pins):
            raise InputError(f"There is no saved plan named '{name}'. Choose one from the list.")

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
        """Read the output of ``to_json``, or a single plan file.

        Raises InputError for other content.
        """
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
    """Return the attributes that all pinned plans share with the same categories.

    They are in the order of the first plan.
    """
    known = [{(a.name, a.categories) for a in pin.plan.schema.attributes} for pin in pins]
    return tuple(a for pin in pins[:1] for a in pin.plan.schema.attributes if all((a.name, a.categories) in own for own in known))
