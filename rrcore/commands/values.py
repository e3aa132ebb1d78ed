"""What options of commands take: types for argparse that say in one sentence what is wrong with a value."""

import argparse
import datetime as dt
import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, Concatenate, Generic, ParamSpec, TypeVar

from rrcore.errors import InputError
from rrcore.wording import read_numbers

P = ParamSpec("P")
T = TypeVar("T")


def adder(command: argparse._ActionsContainer) -> Callable[..., None]:
    """What adds options to ``command`` or to a group of its options: their name, their help, what they take, and more for argparse.

    What an option takes is what that is called in help, a function that makes a value of its text, or all that there is to choose from.
    """

    def add(name: str, told: str, takes: str | Callable[[str], Any] | Iterable[str] = "", **more: Any) -> None:
        if callable(takes):
            more = {"type": takes, "metavar": getattr(takes, "called", None)} | more
        elif takes:
            more = ({"metavar": takes} if isinstance(takes, str) else {"choices": tuple(takes)}) | more
        command.add_argument(name, help=told, **more)

    return add


@dataclass(frozen=True)
class OptionType(Generic[T]):
    """A function of an option's text, and what such a text is called in help."""

    parse: Callable[[str], T]
    called: str

    def __call__(self, text: str) -> T:
        return self.parse(text)


def option_type(called: str) -> Callable[[Callable[Concatenate[str, P], T]], Callable[P, OptionType[T]]]:
    """A function of a text and more as types of options: given all but the text, it makes the function of the text alone."""

    def typed(parse: Callable[Concatenate[str, P], T]) -> Callable[P, OptionType[T]]:
        return lambda *given, **named: OptionType(lambda text: parse(text, *given, **named), called)

    return typed


@option_type("N")
def whole(text: str, what: str, least: int | None = 1) -> int:
    """A whole number, the ``what``. Raises InputError where it is not one, or below ``least``."""
    text = text.strip()
    if not (text.isascii() and text.isdecimal() and len(text) <= 18) or int(text) < (least or 0):
        limit = "" if least is None else f" of at least {least}"
        raise InputError(f"The {what} is '{text[:40]}': give a whole number{limit}.")
    return int(text)


headcount, seed = whole("number of people"), whole("seed", 0)
"""The types of options that say how many people there are, and that take the seed of a simulation."""


@option_type("NUMBER")
def quantity(text: str, what: str, expected: str) -> float:
    """A number, the ``what``, which may be infinite. Raises InputError for anything else, which says what is ``expected``."""
    try:
        found = float(text)
    except ValueError:
        found = math.nan
    if math.isnan(found):
        raise InputError(f"The {what} is '{text[:40]}': give {expected}.")
    return found


@option_type("PORT")
def port(text: str, least: int = 1) -> int:
    """The number of a port; 0, where ``least`` is that, for one that is free. Raises InputError for anything else."""
    if not (text.isascii() and text.isdecimal() and least <= int(text[:6]) <= 65535):
        raise InputError(f"The port is '{text[:40]}': give a whole number from 1 to 65535.")
    return int(text)


@option_type("DATE")
def day(text: str, what: str) -> dt.date:
    """A date, the ``what``. Raises InputError for anything else."""
    try:
        return dt.date.fromisoformat(text)
    except ValueError:
        raise InputError(f"The {what} is '{text[:40]}': write it like 2026-01-31.") from None


def number(text: str) -> float:
    """One finite number. Raises InputError for anything else."""
    found = read_numbers(text)
    if len(found) != 1 or not math.isfinite(found[0]):
        raise InputError(f"'{text[:40]}' is not one number: give one, for example 1.")
    return found[0]
