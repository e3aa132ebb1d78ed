"""The pieces of a table worked through one after the other, or by an executor, with progress by bytes."""

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Executor
from typing import Any, Protocol, TypeVar

from rrcore.executors import run
from rrcore.progress import Report

Result = TypeVar("Result")


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
