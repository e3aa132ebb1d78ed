"""The pieces of a stream worked through one after the other, or by an executor, with progress by bytes."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import Executor
from typing import Any, TypeVar

from rrcore.table.stream.opening import Stream
from rrcore.work import Report

Result = TypeVar("Result")


def work_through(function: Callable[..., Result], stream: Stream, executor: Executor | None, report: Report) -> Iterator[Result]:
    """``function(piece)`` of every piece, in their order; in this process it is told how to report within a piece, too."""
    pieces, done, size = stream.pieces(), 0, max(stream.bytes, 1)
    for piece, result in zip(pieces, _results(function, stream, executor, report), strict=True):
        done += piece.bytes
        report(done / size, _told(done, size))
        yield result


def _results(function: Callable[..., Result], stream: Stream, executor: Executor | None, report: Report) -> Iterator[Result]:
    if executor is not None:
        yield from executor.map(function, stream.pieces())
        return
    done, size = 0, max(stream.bytes, 1)
    for piece in stream.pieces():

        def within(fraction: float, text: str, before: int = done, piece: Any = piece) -> None:
            read = before + round(fraction * piece.bytes)
            report(read / size, _told(read, size))

        yield function(piece, report=within)
        done += piece.bytes


def _told(done: int, size: int) -> str:
    return f"{done / 2**20:,.0f} of {size / 2**20:,.0f} MB read"
