"""Pinned plans side by side: what each costs, what it buys, and which of them no other one beats."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from rrcore.budget.comparison import Option
from rrcore.budget.pinned import Pin
from rrcore.table.schema import Attribute

_SAME = 1e-6  # totals (nats) and errors (relative) that differ by less count as equal


@dataclass(frozen=True)
class Bargain:
    """A pinned plan with what it costs and buys.

    Parameters
    ----------
    pin : Pin
    option : Option, the plan's mechanism beside Kronecker at the same levels, or why there is none
    error : float, expected error of a share of the marginal in question (0.01 = one point); NaN where it cannot be estimated
    """

    pin: Pin
    option: Option
    error: float = math.nan

    @property
    def total(self) -> float:
        """Record-level budget in nats; infinite where there is no mechanism."""
        return math.inf if self.option.mechanism is None else self.option.mechanism.total_level


def bargain(pin: Pin, option: Option, names: Sequence[str] = (), *, population: bool = False) -> Bargain:
    """``pin`` with its expected error for the marginal over ``names``, for a uniform guess of the shares (theory.md section 7).

    Parameters
    ----------
    names : attributes of the plan; empty for no marginal
    population : whether the error is meant against the population that the people come from

    Raises
    ------
    InputError
        If the plan lacks one of the attributes.
    """
    if option.mechanism is None or not names:
        return Bargain(pin, option)
    return Bargain(pin, option, option.error(pin.plan.schema.axes(names), pin.plan.respondents, population=population))


def common_attributes(pins: Sequence[Pin]) -> tuple[Attribute, ...]:
    """The attributes that every pinned plan has with the same categories, in the order of the first plan."""
    if not pins:
        return ()
    return tuple(attribute for attribute in pins[0].plan.schema.attributes if all(_has(pin, attribute) for pin in pins[1:]))


def _has(pin: Pin, attribute: Attribute) -> bool:
    return any((a.name, a.categories) == (attribute.name, attribute.categories) for a in pin.plan.schema.attributes)


def unbeaten(bargains: Sequence[Bargain]) -> tuple[Bargain, ...]:
    """Those whose error is known and than which no other one has at most the total and at most the error, and one of them less."""
    known = [candidate for candidate in bargains if math.isfinite(candidate.error)]
    return tuple(candidate for candidate in known if not any(_beats(other, candidate) for other in known))


def _beats(one: Bargain, other: Bargain) -> bool:
    cheaper, dearer = one.total < other.total - _SAME, one.total > other.total + _SAME
    closer, farther = one.error < other.error * (1 - _SAME), one.error > other.error * (1 + _SAME)
    return not dearer and not farther and (cheaper or closer)
