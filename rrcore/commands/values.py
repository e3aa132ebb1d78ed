"""What options of commands take: types for argparse that say in one sentence what is wrong with a value."""

from __future__ import annotations

import datetime as dt
import math
from collections.abc import Callable
from typing import Concatenate, ParamSpec, TypeVar

from rrcore.errors import InputError
from rrcore.wording import read_numbers

P = ParamSpec("P")
T = TypeVar("T")


def option_type(parse: Callable[Concatenate[str, P], T]) -> Callable[P, Callable[[str], T]]:
    """``parse`` as the type of an option: called with all but the text, it gives what argparse calls with the text alone."""
    return lambda *given, **named: lambda text: parse(text, *given, **named)


@option_type
def whole(text: str, what: str, least: int | None = 1) -> int:
    """A whole number, the ``what``. Raises InputError where it is not one, or below ``least``."""
    text = text.strip()
    if not (text.isascii() and text.isdecimal() and len(text) <= 18) or int(text) < (least or 0):
        limit = "" if least is None else f" of at least {least}"
        raise InputError(f"The {what} is '{text[:40]}': give a whole number{limit}.")
    return int(text)


headcount, seed = whole("number of people"), whole("seed", 0)
"""The types of options that say how many people there are, and that take the seed of a simulation."""


@option_type
def quantity(text: str, what: str, expected: str) -> float:
    """A number, the ``what``, which may be infinite. Raises InputError for anything else, which says what is ``expected``."""
    try:
        found = float(text)
    except ValueError:
        found = math.nan
    if math.isnan(found):
        raise InputError(f"The {what} is '{text[:40]}': give {expected}.")
    return found


@option_type
def port(text: str, least: int = 1) -> int:
    """The number of a port; 0, where ``least`` is that, for one that is free. Raises InputError for anything else."""
    if not (text.isascii() and text.isdecimal() and least <= int(text[:6]) <= 65535):
        raise InputError(f"The port is '{text[:40]}': give a whole number from 1 to 65535.")
    return int(text)


@option_type
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
