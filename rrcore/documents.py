"""Convert typed values to strict JSON documents and back.

Each kind of document has a JSON Schema.

A msgspec struct or a dataclass with typed fields describes a document. Reading rejects duplicate and unknown fields, NaN and
infinity, and numbers that are too long.
It also rejects lone surrogates and documents that are too large or too deeply nested.
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

from rrcore.errors import DocumentError, InputError, reading, wrong_kind
from rrcore.files import new_file
from rrcore.limits import MAX_DOCUMENT_BYTES, MAX_DOCUMENT_VALUES, MAX_NUMBER_DIGITS
from rrcore.wording.short import shortened

Value = TypeVar("Value")


class Fields(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """Named fields of a document. Fields with their default value are omitted."""


class Document:
    """A value that is stored as a JSON document, which ``_file`` describes."""

    _file: ClassVar[type[Fields]]
    _called: ClassVar[str]
    _advice: ClassVar[str]
    _how: ClassVar[str] = ""

    def _fields(self) -> Fields:
        """Return the fields of the document."""
        raise NotImplementedError

    @classmethod
    def _of(cls, found: Any) -> Self:
        """Return the value that the fields ``found`` describe. Raises InputError if there is none."""
        raise NotImplementedError

    def to_json(self) -> str:
        """Return the document as JSON text. It contains no answers.

        Returns
        -------
        str
            JSON with one field per line.
        """
        return encode(self._fields())

    @classmethod
    def from_json(cls, content: str | bytes) -> Self:
        """Return the value in a JSON document that ``to_json`` wrote.

        Parameters
        ----------
        content : str or bytes
            The JSON document.

        Returns
        -------
        object
            The value that the document describes.

        Raises
        ------
        InputError
            If the document is of another kind. The message names the field and the expected value.
        """
        found = decode(content, cls._file, cls._called, cls._advice)
        with inside(f"the {cls._called}"):
            return cls._of(found)

    def save(self, path: str | PathLike[str]) -> None:
        """Write the document to a new file, completely or not at all.

        Parameters
        ----------
        path : str or path
            A file that does not exist yet.

        Raises
        ------
        InputError
            If the file exists already or cannot be written.
        """
        with new_file(Path(path)) as out:
            out.write(self.to_json().encode())

    @classmethod
    def load(cls, path: str | PathLike[str]) -> Self:
        """Load a document that ``save`` wrote.

        Parameters
        ----------
        path : str or path
            The file.

        Returns
        -------
        object
            The value that the document describes.

        Raises
        ------
        InputError
            If the file cannot be read, or is something else.
        """
        with reading(path), Path(path).open("rb") as file:
            return cls.from_json(file.read(MAX_DOCUMENT_BYTES + 1))

    @classmethod
    def given(cls, value: Self | str | PathLike[str]) -> Self:
        """Return the value itself, or load it if a path is given.

        Parameters
        ----------
        value : object or path
            The value, or the path of its document.

        Returns
        -------
        object
            The value.

        Raises
        ------
        InputError
            If this is neither, or the file cannot be read or is something else.
        """
        if isinstance(value, (str, PathLike)):
            return cls.load(value)
        if not isinstance(value, cls):
            raise wrong_kind(
                f"The {cls._called.removesuffix(' file')}", value, f"{cls._how or cls.__name__}, or the path of a {cls._called}"
            )
        return value

    @classmethod
    def json_schema(cls) -> dict[str, Any]:
        """Return the JSON Schema (draft 2020-12) of the document.

        Reading checks more than a schema can express.

        Returns
        -------
        dict
            The schema.
        """
        found: dict[str, Any] = msgspec.json.schema(cls._file)
        for each in found["$defs"].values():
            each |= {"description": each["description"].partition("\n\n")[0], "additionalProperties": False}
        return {"$schema": "https://json-schema.org/draft/2020-12/schema", **found}


def encode(value: Any) -> str:
    """Return ``value`` as JSON with one field per line.

    The value consists of structs, dataclasses and plain values.

    Raises
    ------
    InputError
        If a string contains a lone surrogate.
    """
    try:
        return msgspec.json.format(msgspec.json.encode(value, enc_hook=simple), indent=1).decode()
    except UnicodeEncodeError:
        raise InputError("A name or category contains an invalid character (a lone surrogate). Type it again.") from None


def simple(value: Any) -> Any:
    """Convert mappings to dictionaries, and NumPy scalars to plain values."""
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
        Advice if the document cannot be used, without a period.
    **others : type
        Types of documents with another "format".

    Raises
    ------
    DocumentError
        If the document is invalid. The message names the line and column for malformed JSON, or the field and the expected value.

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
        refuse(f"the field {_shown(unknown[1])} is unknown", unknown[0])
    return found


@contextmanager
def inside(place: str) -> Iterator[None]:
    """Add the ``place`` in a document to input errors that arise in the block."""
    try:
        yield
    except DocumentError:
        raise
    except InputError as error:
        raise DocumentError(f"In {place}: {error}") from error


def _plain(content: str | bytes, refuse: Any) -> Any:
    """Parse JSON into dictionaries, lists, strings and numbers.

    Values that no document can hold are replaced by objects of placeholder classes.
    """
    if len(content) > MAX_DOCUMENT_BYTES:
        refuse(f"it is larger than {MAX_DOCUMENT_BYTES // 2**20} MB")
    try:
        text = (content.encode("utf-8", "surrogatepass") if isinstance(content, str) else content).decode("utf-8-sig")
    except UnicodeDecodeError as error:
        refuse(f"expected UTF-8 text, got an invalid byte at position {error.start + 1:,}")
    if sum(map(text.count, ",[{")) > MAX_DOCUMENT_VALUES:  # before there is memory for each of them
        refuse(f"it contains more than {MAX_DOCUMENT_VALUES:,} values")
    if "\\u" in text and (half := next((found for found in _ESCAPES.finditer(text) if found["half"]), None)):
        line, before = text.count("\n", 0, half.start()) + 1, text.rfind("\n", 0, half.start())
        refuse("expected valid characters, got a lone surrogate", f"line {line}, column {half.start() - before}")
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

_LOADERS = {"rr-workbench plan": "rr.Plan.load", "rr-workbench mechanism": "rr.MechanismFile.load"}
"""Format of a document -> the public function that reads it."""

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
    """Explain why ``value`` is invalid, based on msgspec's message ``said``.

    One of ``types`` was expected.
    """
    if field := re.fullmatch(r"Object (missing required|contains unknown) field `(.*)`", said, re.DOTALL):
        return f"the field {_shown(field[2])} is {'missing' if field[1].startswith('m') else 'unknown'}"
    expected = re.match(r"Expected `(.*?)`(.*?)(?:, got|$)", said)
    if known := [one for each in types if isinstance(each, msgspec.inspect.LiteralType) for one in each.values]:
        wanted = " or ".join(map(_shown, known))
    elif expected:
        limit = expected[2].replace("<=", "at most").replace(">=", "at least").replace(">", "above")
        wanted = " or ".join(_WORDS.get(each, each) for each in expected[1].split(" | ")) + limit
    else:
        return said.lower()
    loader = _LOADERS.get(value) if known and isinstance(value, str) else None
    got = f"{_shown(value)}, which {loader} reads" if loader else _shown(value)
    return f"expected {wanted} as its name" if value is _Key else f"expected {wanted}, got {got}"


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
