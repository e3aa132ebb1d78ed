"""The pieces of a stream worked through one after the other, or by an executor, with progress by bytes."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator
from concurrent.futures import Executor
from typing import TypeVar

from rrcore.table.stream.opening import Stream
from rrcore.work import Report
from rrcore.work.executors import run

Result = TypeVar("Result")


def work_through(function: Callable[..., Result], stream: Stream, executor: Executor | None, report: Report) -> Iterator[Result]:
    """``function(piece)`` of every piece, in their order; in this process it is given ``report=`` to tell of progress within a piece."""
    progress = _Progress(report, max(stream.bytes, 1))
    for piece, result in zip(stream.pieces(), _results(function, stream, executor, progress), strict=True):
        progress.done += piece.bytes
        progress.tell(0)
        yield result


class _Progress:
    """How many bytes are done."""

    def __init__(self, report: Report, size: int) -> None:
        self.report, self.size, self.done = report, size, 0

    def tell(self, more: float) -> None:
        read = min(self.done + more, self.size)
        self.report(read / self.size, f"{read / 2**20:,.0f} of {self.size / 2**20:,.0f} MB read")


def _results(function: Callable[..., Result], stream: Stream, executor: Executor | None, progress: _Progress) -> Iterator[Result]:
    if executor is not None:
        yield from run(function, stream.pieces(), executor=executor, report=lambda fraction, text: progress.tell(0))
        return
    for piece in stream.pieces():
        yield function(piece, report=functools.partial(_within, progress, piece.bytes))


def _within(progress: _Progress, size: int, fraction: float, text: str) -> None:
    progress.tell(fraction * size)
