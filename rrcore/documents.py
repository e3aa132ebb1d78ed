"""JSON documents: text into typed values and back, strictly, with the JSON Schema of each kind.

A document is described by a msgspec struct, or by a dataclass whose fields have types. Refused are a field that is given twice (most
readers take the last one, some the first), fields without a meaning, NaN and infinity, numbers that are too long, half characters
(lone surrogates), and documents that are too large or nested without end.
"""

import json
import math
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import cache
from os import PathLike
from pathlib import Path
from typing import Any, ClassVar, NoReturn, Self, TypeVar

import msgspec

from rrcore.errors import DocumentError, InputError, reading
from rrcore.files import new_file
from rrcore.limits import MAX_DOCUMENT_BYTES, MAX_DOCUMENT_VALUES, MAX_NUMBER_DIGITS
from rrcore.wording.short import shortened

Value = TypeVar("Value")


class Fields(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """Named fields of a document. Fields with their default value are not written."""


class Document:
    """A value that is kept as a JSON document, which ``_file`` describes."""

    _file: ClassVar[type[Fields]]
    _called: ClassVar[str]
    _advice: ClassVar[str]

    def _fields(self) -> Fields:
        """Return the fields of the document."""
        raise NotImplementedError

    @classmethod
    def _of(cls, found: Any) -> Self:
        """Return the value that the fields ``found`` describe. Raises InputError if there is none."""
        raise NotImplementedError

    def to_json(self) -> str:
        """Return the document as text, which ``from_json`` reads. It holds no answers."""
        return encode(self._fields())

    @classmethod
    def from_json(cls, content: str | bytes) -> Self:
        """Read what ``to_json`` wrote. Raises InputError with the place and what was expected there."""
        found = decode(content, cls._file, cls._called, cls._advice)
        with inside(f"the {cls._called}"):
            return cls._of(found)

    def save(self, path: str | PathLike[str]) -> None:
        """Write the document, as a whole or not at all. Raises InputError if there is a file already, or none can be written."""
        with new_file(Path(path)) as out:
            out.write(self.to_json().encode())

    @classmethod
    def open(cls, path: str | PathLike[str]) -> Self:
        """Read a document that ``save`` wrote. Raises InputError if it cannot be read, or is something else."""
        with reading(path):
            return cls.from_json(Path(path).read_bytes())

    @classmethod
    def json_schema(cls) -> dict[str, Any]:
        """Return the JSON Schema (draft 2020-12) of the document. Reading checks more than a schema can say."""
        found: dict[str, Any] = msgspec.json.schema(cls._file)
        for each in found["$defs"].values():
            each |= {"description": each["description"].partition("\n\n")[0], "additionalProperties": False}
        return {"$schema": "https://json-schema.org/draft/2020-12/schema", **found}


def encode(value: Any) -> str:
    """Return ``value``, made of structs, dataclasses and plain values, as JSON with one field to a line.

    Raises
    ------
    InputError
        If a text in it holds half a character.
    """
    try:
        return msgspec.json.format(msgspec.json.encode(value, enc_hook=simple), indent=1).decode()
    except UnicodeEncodeError:
        raise InputError("A name or category holds half a character (a lone surrogate): retype it.") from None


def simple(value: Any) -> Any:
    """Return another mapping as a dictionary, and a scalar of numpy as a plain value."""
    return dict(value) if isinstance(value, Mapping) else value.item()


def decode(content: str | bytes, kind: type[Value], called: str, advice: str, **others: type[Value]) -> Value:
    """Read a JSON document as a value of the given type.

    Parameters
    ----------
    content : str or bytes
        Text, or UTF-8 with or without a byte-order mark.
    kind : type
        A struct, a dataclass, or another type that msgspec knows.
    called : str
        Name of the document, such as "plan file".
    advice : str
        What to do if it cannot be used, without a full stop.
    **others : type
        Types of documents that name another "format".

    Raises
    ------
    DocumentError
        With line and column if this is not JSON, else with the path of the field and what was expected there.

    Examples
    --------
    >>> from rrcore.budget import Invention
    >>> decode('{"people": 500}', Invention, "table", "choose another").people
    500
    >>> decode('{"people": "many"}', Invention, "table", "choose another")
    Traceback (most recent call last):
    ...
    rrcore.errors.DocumentError: In the table, people: expected a whole number, got 'many'. Choose another.
    """

    def refuse(why: str, place: str = "") -> NoReturn:
        start = f"In the {called}, {place}" if place else f"The {called} cannot be used"
        raise DocumentError(f"{start}: {why}. {advice[:1].upper()}{advice[1:]}.") from None

    plain = _plain(content, refuse)
    kind = others.get(str(plain.get("format")), kind) if isinstance(plain, dict) else kind
    try:
        found = msgspec.convert(plain, kind)
    except msgspec.ValidationError as error:
        parts = re.fullmatch(r"(.*?)(?: - at (`key` in )?`\$(.*?)`)?", str(error), re.DOTALL)
        assert parts
        path, types, value = _place(plain, kind, str(error), parts[3] or "")
        if isinstance(error.__cause__, InputError):
            raise DocumentError(f"In the {called}{path and ', '}{path}: {error.__cause__}") from None
        refuse(_reason(parts[1], types, _Key if parts[2] else value), path)
    if unknown := next(_unknown(plain, found, ""), None):
        refuse(f"there is an unknown field {_shown(unknown[1])}", unknown[0])
    return found


@contextmanager
def inside(place: str) -> Iterator[None]:
    """Name the ``place`` in a document where an input error arises."""
    try:
        yield
    except DocumentError:
        raise
    except InputError as error:
        raise DocumentError(f"In {place}: {error}") from error


def _plain(content: str | bytes, refuse: Any) -> Any:
    """Return dictionaries, lists, texts and numbers, with objects of classes without a meaning in place of what no document holds."""
    if len(content) > MAX_DOCUMENT_BYTES:
        refuse(f"it has more than {MAX_DOCUMENT_BYTES // 2**20} MB")
    try:
        text = (content.encode("utf-8", "surrogatepass") if isinstance(content, str) else content).decode("utf-8-sig")
    except UnicodeDecodeError as error:
        refuse(f"expected UTF-8 text, got another byte at position {error.start + 1:,}")
    if sum(map(text.count, ",[{")) > MAX_DOCUMENT_VALUES:  # before there is memory for each of them
        refuse(f"it holds more than {MAX_DOCUMENT_VALUES:,} values")
    if "\\u" in text and (half := next((found for found in _ESCAPES.finditer(text) if found["half"]), None)):
        line, before = text.count("\n", 0, half.start()) + 1, text.rfind("\n", 0, half.start())
        refuse("expected whole characters, got half a one (a lone surrogate)", f"line {line}, column {half.start() - before}")
    try:
        return _JSON.decode(text)
    except json.JSONDecodeError as error:
        refuse(f"this is not JSON ({error.msg[:1].lower()}{error.msg[1:]})", f"line {error.lineno}, column {error.colno}")
    except RecursionError:
        refuse("it is nested too deeply")


_ESCAPES = re.compile(r"\\u[dD][89abAB]..\\u[dD][c-fC-F]|\\u(?![dD][89a-fA-F])|\\[^u]|(?P<half>\\u)", re.DOTALL)


@cache
def _never(what: str) -> object:
    """Return an object that no field can hold: msgspec refuses it with the path, and the name of its class."""
    return type(what, (), {})()


def _number(text: str) -> Any:
    fits = len(text) <= 10 * MAX_NUMBER_DIGITS and math.isfinite(float(text))
    return float(text) if fits else _never("a number that is too large")


def _whole(text: str) -> Any:
    return int(text) if len(text) <= MAX_NUMBER_DIGITS else _never(f"a number of more than {MAX_NUMBER_DIGITS} digits")


def _named(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        found |= {key: _never("the field twice") for key, times in Counter(key for key, _ in pairs).items() if times > 1}
    return found


_JSON = json.JSONDecoder(object_pairs_hook=_named, parse_int=_whole, parse_float=_number, parse_constant=_never)

_WORDS = {
    "int": "a whole number",
    "float": "a number",
    "str": "text",
    "bool": "true or false",
    "array": "a list",
    "object": "a set of named fields",
}


def _place(plain: Any, kind: Any, error: str, path: str) -> tuple[str, list[Any], Any]:
    """Return a path of msgspec with the keys that it leaves out, the types that are expected there, and the value."""
    types: list[Any] = [msgspec.inspect.type_info(kind)]
    value, found = plain, ""
    for name, number in re.findall(r"\.(\w+)|\[(\d+|\.\.\.)\]", path):
        if name:
            types = [field.type for each in types for field in getattr(each, "fields", ()) if field.encode_name == name]
        else:
            types = [getattr(each, "item_type", None) or getattr(each, "value_type", None) for each in types]
        types = [inner for each in types for inner in getattr(each, "types", (each,))]
        key = name or (int(number) if number.isdigit() else _guilty(plain, kind, error, value))
        value, found = value[key], f"{found}.{name}" if name else f"{found}[{_shown(key)}]"
    return found.lstrip("."), types, value


def _guilty(plain: Any, kind: Any, error: str, fields: dict[str, Any]) -> str:
    """Return the key of ``fields``, which are a part of ``plain``, whose value makes msgspec raise ``error``, by halving."""
    whole, keys = dict(fields), list(fields)
    while len(keys) > 1:
        half = keys[: len(keys) // 2]
        fields.clear()
        fields.update((key, whole[key]) for key in half)
        try:
            msgspec.convert(plain, kind)
            guilty = False
        except msgspec.ValidationError as other:
            guilty = str(other) == error
        keys = half if guilty else keys[len(half) :]
    fields.update(whole)
    return keys[0]


def _reason(said: str, types: list[Any], value: Any) -> str:
    """Return what msgspec ``said`` of the ``value``, where one of ``types`` is expected, in our words."""
    if field := re.fullmatch(r"Object (missing required|contains unknown) field `(.*)`", said, re.DOTALL):
        return f"there is {'no field' if field[1].startswith('m') else 'an unknown field'} {_shown(field[2])}"
    expected = re.match(r"Expected `(.*?)`(.*?)(?:, got|$)", said)
    if known := [one for each in types if isinstance(each, msgspec.inspect.LiteralType) for one in each.values]:
        wanted = " or ".join(map(_shown, known))
    elif expected:
        limit = expected[2].replace("<=", "at most").replace(">=", "at least").replace(">", "above")
        wanted = " or ".join(_WORDS.get(each, each) for each in expected[1].split(" | ")) + limit
    else:
        return said.lower()
    return f"expected {wanted} as its name" if value is _Key else f"expected {wanted}, got {_shown(value)}"


class _Key:
    """Stands for a key, which msgspec does not name."""


def _shown(value: Any) -> str:
    """Return a plain value in a few words."""
    if isinstance(value, str):
        return f"'{shortened(value)}'"
    if value is None or isinstance(value, bool | int | float):
        return json.dumps(value)
    if isinstance(value, dict | list):
        return _WORDS["object"] if isinstance(value, dict) else f"a list of {len(value):,}"
    return type(value).__name__


def _unknown(plain: Any, found: Any, path: str) -> Iterator[tuple[str, str]]:
    """Yield path and name of fields of dataclasses that ``found`` does not have: msgspec ignores them."""
    if isinstance(plain, dict):
        for key, inner in plain.items():
            if isinstance(found, Mapping):
                yield from _unknown(inner, found.get(key), f"{path}[{_shown(key)}]")
            elif key not in getattr(found, "__dataclass_fields__", getattr(found, "__struct_fields__", ())):
                yield path, key
            elif isinstance(inner, dict | list):
                yield from _unknown(inner, getattr(found, key), f"{path}.{key}".lstrip("."))
    elif isinstance(plain, list) and isinstance(found, list | tuple):
        for number, (inner, own) in enumerate(zip(plain, found, strict=False)):
            yield from _unknown(inner, own, f"{path}[{number}]")
