"""Small frozen values as plain values and back, read strictly by the types that their fields declare."""

import sys
from collections.abc import Callable, Mapping
from dataclasses import MISSING, Field, fields, is_dataclass
from functools import cache
from types import NoneType, UnionType
from typing import Any, Literal, NamedTuple, TypeVar, Union, get_args, get_origin, get_type_hints

from rrcore.table.plain.place import Place, described

Value = TypeVar("Value")


def to_plain(value: Any) -> Any:
    """``value`` as JSON has it: a dataclass by those of its fields that differ from their defaults, a tuple as a list."""
    if is_dataclass(value) and not isinstance(value, type):
        return {each.name: to_plain(getattr(value, each.name)) for each in fields(value) if not _usual(value, each)}
    if isinstance(value, Mapping):
        return {key: to_plain(inner) for key, inner in value.items()}
    if isinstance(value, tuple | list):
        return [to_plain(inner) for inner in value]
    return value


def _usual(value: Any, field: Field[Any]) -> bool:
    default = field.default_factory() if field.default_factory is not MISSING else field.default
    return bool(getattr(value, field.name) == default)


def from_plain(kind: type[Value], value: Any, place: Place, *, only: bool = False) -> Value:
    """A plain value as ``kind``, which ``to_plain`` wrote.

    Parameters
    ----------
    kind : a dataclass, or a type made of str, int, float, bool, None, Any, Literal, tuple, Mapping, unions and dataclasses
    value : what ``parse`` gives
    place : Place where it stands
    only : bool, whether fields that a dataclass does not have are refused; they are ignored otherwise

    Raises
    ------
    InputError
        With one sentence that says where something is missing or of another type.

    Examples
    --------
    >>> from rrcore.table import Invention
    >>> to_plain(Invention(people=500))
    {'people': 500}
    >>> place = Place("file", "choose another")
    >>> from_plain(Invention, {"people": 500}, place) == Invention(people=500)
    True
    >>> from_plain(Invention, {"people": "500"}, place)
    Traceback (most recent call last):
    ...
    rrcore.errors.DocumentError: The file cannot be used: people is the text '500', and a whole number was expected; choose another.
    """
    found: Value = _read(kind, value, place, only)
    return found


def _read(kind: Any, value: Any, place: Place, only: bool) -> Any:
    if kind is Any:
        return value
    origin, inner = get_origin(kind), get_args(kind)
    if origin in (Union, UnionType):
        chosen = next((each for each in inner if _shape(each).fits(value)), None)
        if chosen is None:
            place.refuse(described(value), " or ".join(_shape(each).name for each in inner))
        return _read(chosen, value, place, only)
    if not _shape(kind).fits(value):
        place.refuse(described(value), _shape(kind).name)
    if is_dataclass(kind):
        return _fields(kind, value, place, only)
    if origin is tuple:
        return _entries(inner, value, place, only)
    if origin is not None and origin is not Literal:
        return {key: _read(inner[1], each, place[key], only) for key, each in value.items()}
    return float(value) if kind is float else value


def _fields(kind: Any, value: Mapping[str, Any], place: Place, only: bool) -> Any:
    known = _hints(kind)
    if only and (unknown := [key for key in value if key not in known]):
        place.complain(f"{place.path or 'it'} has an unknown field {unknown[0][:40]!r}")
    found = {}
    for each in fields(kind):
        if each.name in value:
            found[each.name] = _read(known[each.name], value[each.name], place[each.name], only)
        elif each.default is MISSING and each.default_factory is MISSING:
            place.complain(f"{place.path or 'it'} lacks the field '{each.name}'")
    with place.named():
        return kind(**found)


def _entries(kinds: tuple[Any, ...], value: Any, place: Place, only: bool) -> tuple[Any, ...]:
    if len(kinds) == 2 and kinds[1] is Ellipsis:
        if kinds[0] is str and all(type(each) is str for each in value):  # long lists of these are common
            return tuple(value)
        return tuple(_read(kinds[0], each, place[number], only) for number, each in enumerate(value))
    if len(value) != len(kinds):
        place.refuse(f"a list of {len(value)}", f"a list of {len(kinds)}")
    return tuple(_read(kind, each, place[number], only) for number, (kind, each) in enumerate(zip(kinds, value, strict=True)))


_hints = cache(get_type_hints)


class _Shape(NamedTuple):
    """What a kind of value is called, and whether a value is one, as far as can be seen without looking into it."""

    name: str
    fits: Callable[[Any], bool]


@cache
def _shape(kind: Any) -> _Shape:
    origin = get_origin(kind)
    if origin is Literal:
        choices = get_args(kind)
        return _Shape("one of " + ", ".join(map(str, choices)), lambda value: isinstance(value, str) and value in choices)
    if origin is tuple:
        return _Shape("a list", lambda value: isinstance(value, list | tuple))
    if origin is not None or is_dataclass(kind):
        return _Shape("a set of named fields", lambda value: isinstance(value, Mapping))
    return _SHAPES[kind]


_SHAPES: dict[type, _Shape] = {
    str: _Shape("text", lambda value: isinstance(value, str)),
    bool: _Shape("true or false", lambda value: isinstance(value, bool)),
    NoneType: _Shape("null", lambda value: value is None),
    int: _Shape("a whole number", lambda value: isinstance(value, int) and not isinstance(value, bool)),
    float: _Shape(  # neither NaN nor infinite
        "a number",
        lambda value: isinstance(value, int | float) and not isinstance(value, bool) and abs(value) <= sys.float_info.max,
    ),
}
