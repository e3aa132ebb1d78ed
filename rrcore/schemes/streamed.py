"""Simulated releases of tables of any size, as counts: true and released answers of each batch are counted and let go."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from concurrent.futures import Executor

import numpy as np

from rrcore.arrays import Codes
from rrcore.mechanisms import Mechanism
from rrcore.table import Counts
from rrcore.table.counts import Names
from rrcore.table.stream import Coder, Piece, Stream
from rrcore.table.stream.coder import missing_column
from rrcore.table.stream.counting import Tally
from rrcore.table.stream.spread import work_through
from rrcore.work import Report, quiet


def perturb_stream(
    stream: Stream,
    how: Coder,
    mechanism: Mechanism,
    marginals: Sequence[Sequence[str]],
    *,
    seed: int,
    take: Callable[[Codes], None] | None = None,
    executor: Executor | None = None,
    report: Report = quiet,
) -> tuple[Counts, Counts]:
    """Simulate the release of a table of any size.

    Parameters
    ----------
    stream : Stream
    how : Coder for the attributes of the mechanism; records with an answer that it has no code for are left out
    mechanism : Mechanism
    marginals : names of attributes each, to be counted
    seed : of the whole release; each piece has a stream of random numbers of its own (``SeedSequence.spawn``), so that the result does not
        depend on who does the work
    take : is given the released codes, ndarray of shape (rows, k), in the order of the records; then this process does the work
    executor : where pieces are perturbed; None is this process
    report : is told the fraction of the bytes that is done

    Returns
    -------
    true, released : Counts

    Examples
    --------
    >>> import pathlib, tempfile
    >>> import rrcore as rr
    >>> from rrcore.schemes import perturb_stream
    >>> from rrcore.table.stream import coder, open_stream
    >>> table, mechanism = rr.load_demo("titanic").select(["Sex", "Survived"]), rr.build("kronecker", (2, 2), [1.0, 1.0])
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     place = pathlib.Path(folder, "titanic.csv")
    ...     _ = place.write_text(table.to_csv())
    ...     true, released = perturb_stream(open_stream(place), coder(table.schema), mechanism, [("Survived",)], seed=0)
    >>> true.of(["Survived"]).tolist(), int(released.of(["Survived"]).sum())
    ([1490, 711], 2201)
    """
    missing_column(stream.names, how.names)
    wanted = tuple(dict.fromkeys(tuple(names) for names in marginals))
    seeds = np.random.SeedSequence(seed).spawn(len(stream.pieces()))
    task = functools.partial(_perturb_piece, how, mechanism, wanted, take)
    true = released = None
    for found in work_through(task, stream, executor if take is None else None, report, each=seeds):
        true, released = found if true is None or released is None else (true + found[0], released + found[1])
    assert true is not None
    assert released is not None
    return true, released


def _perturb_piece(
    how: Coder,
    mechanism: Mechanism,
    marginals: Sequence[Names],
    take: Callable[[Codes], None] | None,
    task: tuple[Piece, np.random.SeedSequence],
    *,
    report: Report = quiet,
) -> tuple[Counts, Counts]:
    piece, seed = task
    rng = np.random.default_rng(seed)
    true, released = Tally.over(how.schema, marginals), Tally.over(how.schema, marginals)
    for batch in piece.batches(how.names, report=report):
        codes = how(batch)
        whole = (codes >= 0).all(axis=1)
        true.left_out += int(np.count_nonzero(~whole))
        codes = codes if whole.all() else codes[whole]
        drawn = mechanism.perturb(codes, rng=rng)
        true.add(list(codes.T), False)
        released.add(list(drawn.T), False)
        if take is not None:
            take(drawn)
    return true.counts(), released.counts()
