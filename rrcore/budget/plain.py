"""Small frozen values as plain JSON values and back, read strictly by the types that their fields declare."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from dataclasses import MISSING, fields, is_dataclass
from types import UnionType
from typing import Any, Literal, TypeVar, Union, get_args, get_origin, get_type_hints

from rrcore.errors import InputError

Value = TypeVar("Value")


def to_plain(value: Any) -> Any:
    """``value`` as JSON has it: a dataclass by those of its fields that differ from their defaults, a tuple as a list."""
    if is_dataclass(value) and not isinstance(value, type):
        return {field.name: to_plain(getattr(value, field.name)) for field in fields(value) if not _usual(value, field)}
    if isinstance(value, Mapping):
        return {key: to_plain(inner) for key, inner in value.items()}
    if isinstance(value, tuple | list):
        return [to_plain(inner) for inner in value]
    return value


def _usual(value: Any, field: Any) -> bool:
    default = field.default_factory() if field.default_factory is not MISSING else field.default
    return bool(getattr(value, field.name) == default)


def from_plain(kind: type[Value], entry: Any, where: str) -> Value:
    """The dataclass ``kind`` that ``to_plain`` wrote; fields that it does not know are ignored.

    Raises
    ------
    InputError
        With one sentence that says ``where`` (for example "The table of the project file") something is missing or of another type.

    Examples
    --------
    >>> from rrcore.table import Invention
    >>> to_plain(Invention(people=500))
    {'people': 500}
    >>> from_plain(Invention, {"people": 500}, "The table") == Invention(people=500)
    True
    """
    if not isinstance(entry, Mapping):
        raise InputError(f"{where} is not a set of named fields.")
    hints, found = get_type_hints(kind), {}
    for field in fields(kind):  # type: ignore[arg-type]
        if field.name in entry:
            try:
                found[field.name] = _read(hints[field.name], entry[field.name], f"{where}, {field.name}")
            except (TypeError, ValueError) as error:
                if isinstance(error, InputError):
                    raise
                raise InputError(f"{where} has a field '{field.name}' that cannot be read: {error} was expected.") from error
        elif field.default is MISSING and field.default_factory is MISSING:
            raise InputError(f"{where} lacks the field '{field.name}'.")
    return kind(**found)


def _read(hint: Any, value: Any, where: str) -> Any:
    """``value`` as ``hint`` has it. Raises ValueError with what was expected."""
    origin, inner = get_origin(hint), get_args(hint)
    if origin is Literal:
        return _one_of(value, inner)
    if origin in (Union, UnionType):
        return _first(inner, value, where)
    if origin is tuple:
        return _sequence(inner, value, where)
    if origin is not None and issubclass(origin, Mapping):
        if not isinstance(value, dict):
            raise ValueError("a set of named values")
        return {key: _read(inner[1], each, f"{where} of '{key[:40]}'") for key, each in value.items()}
    if isinstance(hint, type) and is_dataclass(hint):
        return from_plain(hint, value, where)
    if hint is float:
        if isinstance(value, int | float) and not isinstance(value, bool) and abs(value) <= sys.float_info.max:
            return float(value)
        raise ValueError("a number")
    if hint is type(None) or not isinstance(value, hint) or (hint is int and isinstance(value, bool)):
        if hint is type(None) and value is None:
            return None
        raise ValueError({str: "text", int: "a whole number", bool: "true or false"}.get(hint, "nothing"))
    return value


def _one_of(value: Any, known: tuple[Any, ...]) -> Any:
    if isinstance(value, str) and value in known:
        return value
    raise ValueError("one of " + ", ".join(map(str, known)))


def _first(kinds: tuple[Any, ...], value: Any, where: str) -> Any:
    """``value`` as the first of the ``kinds`` that takes it."""
    expected = []
    for kind in kinds:
        try:
            return _read(kind, value, where)
        except InputError:
            raise
        except ValueError as error:
            expected.append(str(error))
    raise ValueError(" or ".join(expected))


def _sequence(kinds: tuple[Any, ...], value: Any, where: str) -> tuple[Any, ...]:
    if not isinstance(value, list):
        raise ValueError("a list")
    if len(kinds) == 2 and kinds[1] is Ellipsis:
        return tuple(_read(kinds[0], each, where) for each in value)
    if len(value) != len(kinds):
        raise ValueError(f"a list of {len(kinds)}")
    return tuple(_read(kind, each, where) for kind, each in zip(kinds, value, strict=True))
