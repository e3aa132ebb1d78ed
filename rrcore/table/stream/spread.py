"""The pieces of a stream worked through one after the other, or by an executor, with progress by bytes."""

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Executor
from typing import Any, TypeVar

from rrcore.executors import run
from rrcore.progress import Report
from rrcore.table.stream.opening import Stream

Result = TypeVar("Result")


def work_through(
    function: Callable[..., Result],
    stream: Stream,
    executor: Executor | None,
    report: Report,
    *,
    each: Sequence[Any] | None = None,
    done: str = "read",
) -> Iterator[Result]:
    """``function(piece)`` of every piece, in their order; in this process it is told how to report within a piece, too.

    With ``each``, which has something of its own for every piece, it is ``function((piece, own))``. What is ``done`` with the
    bytes is reported.
    """
    pieces = stream.pieces()
    tasks: Sequence[Any] = pieces if each is None else tuple(zip(pieces, each, strict=True))
    size = sum(piece.bytes for piece in pieces)

    def tell(fraction: float, _: str) -> None:
        report(fraction, f"{fraction * size / 2**20:,.0f} of {size / 2**20:,.0f} MB {done}")

    yield from run(function, tasks, executor=executor, report=tell, sizes=[piece.bytes for piece in pieces], tells=True)
    tell(1.0, "")
