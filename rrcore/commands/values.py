"""What options of commands take: types for argparse that say in one sentence what is wrong with a value."""

import argparse
import datetime as dt
import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, Concatenate, Generic, ParamSpec, TypeVar

from rrcore.errors import InputError
from rrcore.wording import and_text, read_numbers

P = ParamSpec("P")
T = TypeVar("T")


def adder(command: argparse._ActionsContainer) -> Callable[..., None]:
    """What adds options to ``command`` or to a group of its options: their name, their help, what they take, and more for argparse.

    What an option takes is what that is called in help, a function that makes a value of its text, or all that there is to choose from.
    ``many``: it may be given again, and holds a list.
    """

    def add(
        name: str,
        text: str,
        takes: str | Callable[[str], Any] | Iterable[str] = "",
        *,
        many: bool = False,
        **more: Any,
    ) -> None:
        if callable(takes):
            more = {"type": takes, "metavar": getattr(takes, "called", None)} | more
        elif takes:
            more = ({"metavar": takes} if isinstance(takes, str) else {"choices": tuple(takes)}) | more
        if many:
            more = {"action": "append", "default": []} | more
        command.add_argument(name, help=text, **more)

    return add


def refuse_given(options: argparse.Namespace, names: Iterable[str], why: str) -> None:
    """Raise InputError where options of these names were given that nothing would read: ``why`` says so, what follows which they are."""
    known = {name: f"--{name.replace('_', '-')}" for name, value in vars(options).items() if value is True}
    known |= getattr(options, "given", {})  # as they are spelt
    if given := [known[name] for name in names if name in known]:
        raise InputError(f"{why}: leave out {and_text(given)}.")


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


def named_part(text: str, expected: str) -> tuple[str, str]:
    """The name in front of "=", and what stands behind it. Raises InputError where there is none, which says what is ``expected``."""
    name, sign, rest = text.partition("=")
    if not sign or not name.strip():
        raise InputError(f"'{text[:60]}' is not understood: write {expected}.")
    return name.strip(), rest


def named_parts(texts: Iterable[str], option: str, expected: str) -> dict[str, str]:
    """``named_part`` of what ``option`` was given, each time for another name. Raises InputError for one that is given again."""
    found = dict[str, str]()
    for name, rest in (named_part(text, f"{option} {expected}") for text in texts):
        if name in found:
            raise InputError(f"{option} is given twice for '{name[:40]}': give it once for each attribute.")
        found[name] = rest
    return found


USUAL_CONFIDENCE = 0.95
"""How often intervals hold where nothing else is asked for."""


@option_type("SHARE")
def _confidence(text: str) -> float:
    found = number(text.strip().removesuffix("%")) / (100 if text.strip().endswith("%") else 1)
    if not 0 < found < 1:
        raise InputError(f"The confidence is '{text[:40]}': give a share between 0 and 1, for example 0.9, or 90%.")
    return found


def add_confidence(command: argparse._ActionsContainer) -> None:
    """Give ``command`` the option that says how often intervals are to hold."""
    adder(command)("--confidence", "how often intervals hold, for example 0.9 or 90%%", _confidence(), default=USUAL_CONFIDENCE)


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
