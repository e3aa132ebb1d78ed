"""Counting collected answers of any size: one pass over their batches, by any number of processes, stopped and taken up again."""

import functools
import itertools
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import Executor
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from rrcore.answers.answers import Answers, Rejected
from rrcore.answers.columns import SIMPLE, SampleColumns, lacking_column
from rrcore.answers.formlines import FormLines
from rrcore.answers.reading import check_usable, left_out, why_left_out
from rrcore.answers.rows import HowToRead, batch_columns, check_beside, columns_of_lines, rows_of_lines, rows_of_table, text_table
from rrcore.answers.tabulating import TabulatedAnswers, Tabulation
from rrcore.errors import InputError
from rrcore.estimate.shrinkage import listed_sets
from rrcore.files import new_file
from rrcore.progress import Report, quiet
from rrcore.promise.mechanism_file import MechanismFile
from rrcore.promise.trailer import RELEASE, check_one_release, check_trailers
from rrcore.table.counts import Names
from rrcore.table.dataset import Dataset
from rrcore.table.mark import marks_in
from rrcore.table.stream import Piece, Stream
from rrcore.table.stream.counting import cover
from rrcore.table.stream.kept import Kept, KeptPlace, digest, kept_beside
from rrcore.table.stream.spread import work_through

_FEW_CELLS = 1 << 8  # of a block of attributes, where people also differ in other columns


def count_answers(
    sources: Iterable[Stream | FormLines],
    mechanism: MechanismFile,
    marginals: Sequence[Sequence[str]],
    *,
    sample: SampleColumns = SIMPLE,
    by: str = "",
    out: Path | None = None,
    executor: Executor | None = None,
    report: Report = quiet,
) -> Answers:
    """Read collected answers of any size in one pass that keeps sums over kinds of people. One into a file is taken up if it is stopped.

    Parameters
    ----------
    sources : tables with a column for every attribute of the mechanism, and lines of the form
    mechanism : MechanismFile
    marginals : names of attributes each, of which estimates are wanted
    sample : columns that ``with_sample`` is to read afterwards
    by : name of a column that answers are to be ``split`` by
    out : where the counts go, a file that does not exist yet, for ``Counts.load``; None for nowhere
    executor : where pieces are counted; None is this process
    report : is told the fraction of the bytes that is read, of each table anew

    Raises
    ------
    InputError
        If a column is not there, a file is cut short, no row can be used, people differ in too many ways, or ``out`` cannot be written.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> import rrcore as rr
    >>> from rrcore.answers import count_answers
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
    given = tuple(sources)
    if not given:
        raise InputError("No file is given: choose at least one file of answers.")
    wanted = tuple(dict.fromkeys(map(tuple, marginals)))
    counting = _Count(HowToRead(mechanism, batches=True), wanted, sample, by)
    with kept_beside(out, given, {"count": digest((mechanism.sha256, wanted, sample, by))}) as kept:
        answers = counting.answers(given, kept, executor, report)
        if out is not None:
            with new_file(out) as file:
                answers.tables(wanted).write(file)
    return answers


@dataclass(frozen=True)
class _Count:
    """What is counted, and how it becomes answers."""

    how: HowToRead
    wanted: tuple[Names, ...]
    sample: SampleColumns
    by: str

    @property
    def needed(self) -> list[tuple[int, ...]]:
        """The wanted marginals, and those that what is shown first learns from."""
        sizes, wanted = self.how.schema.sizes, [self.how.schema.axes(names) for names in self.wanted]
        return wanted + [axes for width in range(2, max(map(len, wanted)) + 1) for axes in listed_sets(sizes, width)]

    def tabulated(self, beside: Sequence[str]) -> TabulatedAnswers:
        """What is told apart where these columns were not randomised."""
        sample, schema = self.sample, self.how.schema
        named = tuple(dict.fromkeys((*sample.keys, *((self.by,) if self.by else ()))))
        most = {"most": _FEW_CELLS} if named else {}
        blocks = cover(schema.sizes, self.needed, **most)
        weights = "" if sample.weights in named else sample.weights
        return TabulatedAnswers(self.how, tuple(blocks), named, weights, tuple(beside))

    def answers(self, sources: Sequence[Stream | FormLines], kept: Kept, executor: Executor | None, report: Report) -> Answers:
        how = self.how
        every = [
            batch_columns(source, how, None)[1] if isinstance(source, Stream) else columns_of_lines(source, how)
            for source in sources
        ]
        beside = tuple(name for name in every[0] if all(name in own for own in every))
        wanted, total, first = self.tabulated(beside), None, 0
        receipts: set[str] = set()
        rejected: list[Rejected] = []
        for source in sources:
            for path, what, found in self._files(source, wanted, kept, first, executor, report, receipts):
                rejected += [Rejected(why, rows, f"{what} {row} of {Path(path).name}") for why, (rows, row) in found.left.items()]
                total = found if total is None else total
                if total is not found:
                    total.join(found)
            first += len(source.pieces())
        assert total is not None
        with _useless(kept):
            return self._made(total, sources, left_out(rejected))

    def _files(
        self,
        source: Stream | FormLines,
        wanted: TabulatedAnswers,
        kept: Kept,
        first: int,
        executor: Executor | None,
        report: Report,
        receipts: set[str],
    ) -> Iterator[tuple[str, str, Tabulation]]:
        """The rows of each file, and what they are called in messages; ``first`` pieces were before those of this source."""
        if isinstance(source, FormLines):
            check_beside(wanted.columns, columns_of_lines(source, self.how))
            found = Tabulation(wanted)
            for content, lines in source.parts():
                found.add_rows(rows_of_lines(content, source.title, self.how, receipts), lines)
            yield source.title, "line", found
            return
        names, _ = batch_columns(source, self.how, wanted.columns)
        names = (*names, *((RELEASE,) if RELEASE in source.names else ()))
        one = functools.partial(_piece, wanted, names)
        results = zip(source.pieces(), work_through(one, source, executor, report, each=kept.places(source, first)), strict=True)
        parts_of_one: list[tuple[str, Tabulation]] = []  # files of one release, of which the last has the trailer
        for path, parts in itertools.groupby(results, lambda part: part[0].path):
            found = Tabulation(wanted)
            for _, part in parts:
                found.join(part)
            parts_of_one.append((path, found))
            texts = [text for text, times in found.words.items() for _ in range(times)]
            if RELEASE in source.names and not texts:
                continue
            why = ""
            if texts:
                name = path if len(parts_of_one) == 1 else str(Path(path).parent)
                rows = sum(each.rows for _, each in parts_of_one)
                with _useless(kept):
                    trailers = check_one_release(parts_of_one[0][0], parts_of_one[-1][1].rows, texts, rows, name)
                    why = why_left_out(trailers, self.how, receipts, name)
            yield from ((path, "record", each.leave_out(why) if why else each) for path, each in parts_of_one)
            parts_of_one = []
        if parts_of_one:
            with _useless(kept):
                check_trailers([], sum(each.rows for _, each in parts_of_one), parts_of_one[-1][0])

    def _made(self, total: Tabulation, sources: Sequence[Stream | FormLines], rejected: tuple[Rejected, ...]) -> Answers:
        how = self.how
        rows, used, whole = total.people.tolist()
        check_usable(rows, used, rejected)
        if total.lacking:
            raise lacking_column(self.sample.weights, "weights", total.lacking)
        total.settle()
        mark = marks_in(source.mark(how.schema.names) for source in sources if isinstance(source, Stream))
        title = sources[0].title if len(sources) == 1 else f"{len(sources)} files"
        blocks = []
        for number, block in enumerate(total.wanted.blocks):
            for own, kinds in total.kinds(number).answered(block, self.needed):
                schema = how.schema.select([how.schema.names[i] for i in own])
                table, partial = Dataset(schema, kinds.codes[: kinds.complete], title), kinds.codes[kinds.complete :]
                one = Answers(table, how.mechanism, kinds.groupings, mark=mark, crowd=kinds.crowd)
                blocks.append(replace(one, partial=partial if len(partial) else None))
        notes = tuple(dict.fromkeys(note for source in sources for note in source.notes))
        people, further = (used, used - whole), tuple(blocks[1:])
        return replace(blocks[0], rejected=rejected, notes=notes, further=further, tabulated=total.wanted, people=people)


@contextmanager
def _useless(kept: Kept) -> Iterator[None]:
    """Where what was read is refused, nothing that is kept of it is of use."""
    try:
        yield
    except InputError:
        kept.forget()
        raise


def _piece(
    wanted: TabulatedAnswers, names: tuple[str, ...], task: tuple[Piece, KeptPlace | None], *, report: Report = quiet
) -> Tabulation:
    """The rows of one piece, if they are not kept from a run before."""
    piece, place = task
    if place is not None and (said := place.finished()) is not None:
        return Tabulation.load(wanted, place.file("kinds.npz"), said)
    found = tabulate_piece(wanted, names, piece, report=report)
    if place is not None:
        place.finish(found.save(place.file("kinds.npz")))
    return found


def tabulate_piece(wanted: TabulatedAnswers, names: tuple[str, ...], piece: Piece, *, report: Report = quiet) -> Tabulation:
    """The rows of one piece, of which the columns ``names`` are read."""
    found = Tabulation(wanted)
    for batch in piece.batches(names, report=report):
        table = text_table(batch)
        kept = tuple(column for column in table.columns if column.name != RELEASE)
        for column in table.columns[len(kept) :]:
            for code in column.codes[column.codes >= 0].tolist():
                found.words[column.values[code]] = found.words.get(column.values[code], 0) + 1
        found.add_rows(rows_of_table(replace(table, columns=kept), None, piece.path, wanted.how), table.n)
    found.settle()
    return found
