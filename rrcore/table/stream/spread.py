"""The pieces of a table worked through one after the other, or by an executor, with progress by bytes."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Executor
from functools import partial
from typing import Any, Protocol, TypeVar

from rrcore.executors import run
from rrcore.progress import Report

Result = TypeVar("Result")
Item = TypeVar("Item")


class Pieced(Protocol):
    """A table that is read piece by piece."""

    def pieces(self) -> Sequence[Any]:
        """Each has ``bytes``."""
        ...


def work_through(
    function: Callable[..., Result],
    table: Pieced,
    executor: Executor | None,
    report: Report,
    *,
    each: Sequence[Any] | None = None,
    done: str = "read",
) -> Iterator[Result]:
    """Yield ``function(piece, report=)`` of every piece, in their order.

    With ``each``, which has something for every piece, it is ``function((piece, own))``. ``done`` is the word for what was done with
    the bytes. A table of one piece is done in this process.
    """
    pieces = table.pieces()
    tasks: Sequence[Any] = pieces if each is None else tuple(zip(pieces, each, strict=True))
    size = sum(piece.bytes for piece in pieces)

    def tell(fraction: float, _: str) -> None:
        report(fraction, f"{fraction * size / 2**20:,.0f} of {size / 2**20:,.0f} MB {done}")

    spread = executor if len(tasks) > 1 else None
    yield from run(function, tasks, executor=spread, report=tell, sizes=[piece.bytes for piece in pieces], tells=True)
    tell(1.0, "")


def items_of(
    function: Callable[..., Iterable[Item]],
    table: Pieced,
    executor: Executor | None,
    report: Report,
    *,
    each: Sequence[Any] | None = None,
    done: str = "read",
) -> Iterator[Item]:
    """Yield the items of ``function(piece, report=)`` of every piece, in their order. Parameters are those of ``work_through``.

    In this process one item at a time is in memory. An executor hands over the items of a piece together.
    """
    pieces = table.pieces()
    if executor is not None and len(pieces) > 1:
        for items in work_through(partial(_listed, function), table, executor, report, each=each, done=done):
            yield from items
        return
    size, before = sum(piece.bytes for piece in pieces) or 1, 0

    def tell(fraction: float, _: str) -> None:
        bytes_done = before + fraction * piece.bytes
        report(bytes_done / size, f"{bytes_done / 2**20:,.0f} of {size / 2**20:,.0f} MB {done}")

    for number, piece in enumerate(pieces):
        yield from function(piece if each is None else (piece, each[number]), report=tell)
        tell(1.0, "")
        before += piece.bytes


def _listed(function: Callable[..., Iterable[Item]], task: Any) -> list[Item]:
    return list(function(task))
