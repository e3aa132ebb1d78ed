"""Types of options that several commands share and functions that read them."""

from collections.abc import Sequence
from concurrent.futures import Executor
from contextlib import AbstractContextManager
from typing import Annotated, Any, TypeVar

from cyclopts import Group, Parameter, Token

from rrcore.errors import InputError
from rrcore.executors import open_executor
from rrcore.limits import MAX_COLUMNS, MAX_PLANNED_CATEGORIES
from rrcore.table import load_demo
from rrcore.table.anysize import TableSource
from rrcore.table.reading.options import options_of_texts
from rrcore.wording import read_numbers

TABLE, MECHANISM, SAMPLE, OUTPUT, SURVEY, WEB, LEDGER = (
    Group(name, sort_key=i) for i, name in enumerate(("Table", "Mechanism", "Sample", "Output", "New survey", "Web", "Ledger"), 1)
)


T = TypeVar("T")
Given = tuple[tuple[str, T], ...]
"""Names and values."""


def entries(text: str) -> tuple[str, ...]:
    """Return the parts of a string such as "a,b"."""
    parts = tuple(part.strip() for part in text.split(","))
    if not all(parts):
        raise InputError(f"'{text[:60]}' contains an empty entry. Separate entries with single commas.")
    return parts


def _names(_: Any, tokens: Sequence[Token]) -> tuple[str, ...]:
    return tuple(part for token in tokens for part in entries(token.value))


def _sets(_: Any, tokens: Sequence[Token]) -> tuple[tuple[str, ...], ...]:
    return tuple(entries(part) for token in tokens for part in token.value.split(";"))


def _sizes(_: Any, tokens: Sequence[Token]) -> tuple[int, ...]:
    found = list[int]()
    for part in _names(_, tokens):
        size, _sign, times = part.partition("x")
        if not ((size + times).isdecimal() and len(part) < 12 and 2 <= int(size) <= MAX_PLANNED_CATEGORIES):
            raise InputError(f"'{part[:40]}' is not a number of categories. Write, for example, 5,5,3 or 5x20.")
        found += [int(size)] * min(int(times or 1), MAX_COLUMNS + 1)
    return tuple(found)


def _pairs(_: Any, tokens: Sequence[Token]) -> Given[str]:
    found = dict[str, str]()
    for token in tokens:
        name, sign, text = token.value.partition("=")
        if not sign or not name.strip() or name.strip() in found:
            raise InputError(f"'{token.value[:60]}' cannot be parsed. Write NAME=VALUE, once for each name.")
        found[name.strip()] = text
    return tuple(found.items())


def _by_attribute(_: Any, tokens: Sequence[Token]) -> str | list[str] | dict[str, str]:
    parts = _names(_, tokens)
    if all("=" in part for part in parts):
        return {name.strip(): text for name, _sign, text in (part.rpartition("=") for part in parts)}
    return parts[0] if len(parts) == 1 else list(parts)


def _limits(_: Any, tokens: Sequence[Token]) -> Given[list[float]]:
    return tuple((name, read_numbers(text)) for name, text in _pairs(_, tokens))


def _categories(_: Any, tokens: Sequence[Token]) -> Given[list[str]]:
    return tuple((name, text.split("|")) for name, text in _pairs(_, tokens))


def _read(_: Any, tokens: Sequence[Token]) -> Given[Any]:
    return tuple(options_of_texts(dict(_pairs(_, tokens))).items())


def _listed(converter: Any, metavar: str) -> Parameter:
    return Parameter(converter=converter, n_tokens=1, accepts_keys=False, metavar=metavar)


Names = Annotated[tuple[str, ...], _listed(_names, "A,B")]
Sets = Annotated[tuple[tuple[str, ...], ...], _listed(_sets, "A,B;A,C")]
Sizes = Annotated[tuple[int, ...], _listed(_sizes, "5,5,3|5x20")]
Pairs = Annotated[Given[str], _listed(_pairs, "NAME=VALUE")]
Categories = Annotated[Given[list[str]], _listed(_categories, "NAME=A|B")]
Limits = Annotated[Given[list[float]], _listed(_limits, "NAME=1,2")]
ByAttribute = Annotated[Any, _listed(_by_attribute, "1|1,2|A=1,B=2")]
File = Annotated[str, Parameter(metavar="FILE")]
Files = Annotated[tuple[str, ...], Parameter(consume_multiple=True, metavar="FILE")]

Source = Annotated[File, Parameter(name="--in", group=TABLE)]
AnswerFiles = Annotated[Files, Parameter(name="--in")]
Columns = Annotated[Names, Parameter(group=TABLE)]
Bins = Annotated[Limits, Parameter(group=TABLE)]
Read = Annotated[Given[Any], _listed(_read, "NAME=VALUE"), Parameter(group=TABLE)]
Epsilon = Annotated[ByAttribute, Parameter(group=MECHANISM)]
MechanismName = Annotated[str, Parameter(group=MECHANISM, metavar="NAME")]
Preserve = Annotated[int | None, Parameter(group=MECHANISM)]
Out = Annotated[File, Parameter(group=OUTPUT)]
Workers = Annotated[str, Parameter(metavar="N|ADDRESS")]


def opened(name: str) -> TableSource:
    """Return a demo table, or the path itself."""
    return load_demo(name.removeprefix("demo:")) if name.startswith("demo:") else name


def executor(workers: str) -> AbstractContextManager[Executor | None]:
    """Open the executor named by ``--workers``.

    The tasks run in this process, in local processes, or on a Dask cluster.
    """
    return open_executor(workers=int(workers)) if workers.isdecimal() else open_executor(workers)
