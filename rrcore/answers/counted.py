"""Collected answers of any size, read as counts: their records are looked at once, in batches, and not kept."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass, replace
from itertools import combinations
from math import prod
from pathlib import Path

from rrcore.answers.answers import Collected, Rejected
from rrcore.errors import InputError
from rrcore.estimate import CountedRelease, Sample
from rrcore.limits import MAX_CELLS, MAX_COUNTED_MARGINALS, MAX_PAGE_MARGINAL
from rrcore.promise.coder import answers_coder
from rrcore.promise.mechanism_file import MechanismFile
from rrcore.promise.trailer import RELEASE, check_parts, handed_in_before
from rrcore.table.counts import Counts, Names
from rrcore.table.mark import marks_in
from rrcore.table.reading import TextColumn
from rrcore.table.schema import Schema
from rrcore.table.stream import Coder, Stream
from rrcore.table.stream.counting import count_files
from rrcore.table.stream.kept import Kept, digest, kept_beside
from rrcore.wording import counted
from rrcore.work import Report, new_file, quiet

_MECHANISM = "rr_mechanism"


@dataclass(frozen=True, eq=False)
class CountedAnswers(CountedRelease[MechanismFile], Collected):
    """Collected answers that are only counts of some marginals, and the mechanism file that they were randomised by.

    Parameters
    ----------
    table, mechanism : as in ``CountedRelease``
    title, groupings, rejected, notes, sample : as in ``Collected``; columns beside the answers are not kept
    beside : names of those columns
    """

    title: str = ""
    groupings: tuple[TextColumn, ...] = ()
    rejected: tuple[Rejected, ...] = ()
    notes: tuple[str, ...] = ()
    sample: Sample | None = None
    beside: tuple[str, ...] = ()

    @property
    def schema(self) -> Schema:
        return self.mechanism.schema

    def knows(self, names: Sequence[str]) -> bool:
        """Whether the marginal over ``names`` was counted, or a wider one."""
        try:
            self.counts(names)
        except InputError:
            return False
        return True

    def joined(self, other: CountedAnswers) -> CountedAnswers:
        """The same answers with the marginals of both. Raises InputError where ``other`` counts other answers."""
        if (other.mechanism, other.n, other.left_out) != (self.mechanism, self.n, self.left_out):
            raise InputError(f"'{self.title}' has changed since it was counted: count it again.")
        table = self.table
        tables = {**table.tables, **other.table.tables}
        return replace(self, table=replace(table, tables=tables))

    @property
    def mark(self) -> str:
        return self.table.mark

    @property
    def incomplete(self) -> int:
        return self.table.incomplete


def count_answers(
    streams: Iterable[Stream],
    mechanism: MechanismFile,
    marginals: Sequence[Sequence[str]],
    *,
    out: Path | None = None,
    executor: Executor | None = None,
    report: Report = quiet,
) -> CountedAnswers:
    """Read collected answers of any size as counts. A count into a file that is stopped is taken up by the same call.

    Parameters
    ----------
    streams : tables with a column for every attribute of the mechanism
    mechanism : MechanismFile
    marginals : names of attributes each, of which estimates are wanted
    out : where the counts go, a file that does not exist yet, for ``Counts.load``; None for nowhere
    executor : where pieces are counted; None is this process
    report : is told the fraction of the bytes that is read, of each stream anew

    Raises
    ------
    InputError
        If a column is not there, a file is cut short or given twice, no row can be used, or ``out`` cannot be written.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> import rrcore as rr
    >>> from rrcore.answers.counted import count_answers
    >>> from rrcore.table.stream import open_stream
    >>> table = rr.load_demo("titanic").select(["Sex", "Survived"])
    >>> file = rr.MechanismFile(table.schema, rr.integer_groups(rr.build("kronecker", (2, 2), [1.0, 1.0])))
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     place = pathlib.Path(folder, "released.csv")
    ...     _ = place.write_text(rr.randomise(file, table).to_csv())
    ...     answers = count_answers([open_stream(place)], file, [("Sex", "Survived")])
    >>> answers.n, answers.estimate(["Survived"]).shares.shape
    (2201, (2,))
    """
    given = tuple(streams)
    if not given:
        raise InputError("No file is given: choose at least one file of answers.")
    about = {"count": digest((mechanism.sha256, tuple(map(tuple, marginals))))}
    with kept_beside(out, given, about) as kept:
        total = _total(given, mechanism, marginals, kept, executor, report)
        total = replace(total, mark=marks_in(stream.mark(mechanism.reports.names) for stream in given))
        if out is not None:
            with new_file(out) as file:
                total.write(file)
    title = given[0].title if len(given) == 1 else f"{len(given)} files"
    notes = tuple(dict.fromkeys(note for stream in given for note in stream.notes))
    why = "an answer that is not one of its attribute's reports, or no answer to any question"
    rejected = (Rejected(why, total.left_out, f"somewhere in {title}"),) if total.left_out else ()
    beside = [further_columns(stream, answers_coder(stream, mechanism.reports)) for stream in given]
    common = tuple(name for name in beside[0] if all(name in own for own in beside))
    return CountedAnswers(total, mechanism, title, rejected=rejected, notes=notes, beside=common)


def _total(
    streams: Sequence[Stream],
    mechanism: MechanismFile,
    marginals: Sequence[Sequence[str]],
    kept: Kept,
    executor: Executor | None,
    report: Report,
) -> Counts:
    """The counts of all files, none of which was cut short or given twice."""
    total: Counts | None = None
    draws: set[str] = set()
    first = 0
    for stream in streams:
        how = answers_coder(stream, mechanism.reports)
        beside = tuple(name for name in (RELEASE, _MECHANISM) if name in stream.names)
        paths = list(dict.fromkeys(piece.path for piece in stream.pieces()))
        files = count_files(stream, how, marginals, beside, executor, report, kept.places(stream, first))
        first += len(stream.pieces())
        released: list[tuple[str, list[str], int]] = []
        try:
            for path, (counts, found) in zip(paths, files, strict=True):
                texts = dict(zip(beside, found.texts, strict=True))
                if any(maker != mechanism.sha256 for maker in texts.get(_MECHANISM) or {}):
                    raise _other_mechanism(path)
                if RELEASE in texts:
                    trailers = [text for text, times in (texts[RELEASE] or {}).items() for _ in range(times)]
                    released.append((path, trailers, counts.n + counts.left_out))
                total = counts if total is None else total + counts
            _check_trailers(released, mechanism, draws)
        except InputError:
            kept.forget()
            raise
    assert total is not None
    if not total.n:
        kept.forget()
        raise InputError(
            f"None of the {counted(total.left_out, 'row', 'rows')} can be used. Check that the mechanism file belongs to these answers."
        )
    return total


def small_marginals(schema: Schema) -> tuple[Names, ...]:
    """Names of the marginals that are counted before anybody has asked for one: each attribute, and so many together as is quickly done.

    Examples
    --------
    >>> import rrcore as rr
    >>> from rrcore.answers.counted import small_marginals
    >>> len(small_marginals(rr.load_demo("titanic").schema))  # of four attributes all
    15
    """
    found: list[Names] = [(name,) for name in schema.names]
    cells = sum(schema.sizes)
    for w in range(2, min(MAX_PAGE_MARGINAL, len(schema.names)) + 1):
        more = list(combinations(range(len(schema.names)), w))
        cells += sum(prod(schema.sizes[i] for i in axes) for axes in more)
        if cells > MAX_CELLS or len(found) + len(more) > MAX_COUNTED_MARGINALS:
            break
        found += [tuple(schema.names[i] for i in axes) for axes in more]
    return tuple(found)


def further_columns(stream: Stream, how: Coder) -> tuple[str, ...]:
    """The columns of a stream of answers that ``how`` does not read: those that were not randomised."""
    return tuple(name for name in stream.names if name not in (*how.names, RELEASE, _MECHANISM) and not marks_in([name]))


def _check_trailers(files: list[tuple[str, list[str], int]], mechanism: MechanismFile, draws: set[str]) -> None:
    """Refuse files that were cut short, are given twice, or were randomised by another mechanism file."""
    for name, trailers in check_parts(files):
        if any(trailer.mechanism != mechanism.sha256 for trailer in trailers):
            raise _other_mechanism(name)
        if handed_in_before(trailers, draws, name):
            raise InputError(f"The file '{name}' holds the same randomised answers as another one: leave one copy out.")


def _other_mechanism(name: str) -> InputError:
    return InputError(
        f"The file '{name}' holds answers randomised by another mechanism file: of a table that is read in batches all rows are read by "
        "one, so give that one, or leave the other rows out."
    )
