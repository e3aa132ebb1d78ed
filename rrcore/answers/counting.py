"""Counting collected answers of any size: one pass over their batches, by any number of processes."""

import functools
from collections.abc import Iterable, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass, replace

from rrcore.answers.answers import Answers
from rrcore.answers.columns import SIMPLE, SampleColumns, lacking_column
from rrcore.answers.formlines import FormLines
from rrcore.answers.gathering import AnswerSource, gather, open_source
from rrcore.answers.reading import check_usable, left_out, title_of
from rrcore.answers.rows import batch_columns, check_beside, columns_of_lines
from rrcore.answers.tabulating import TabulatedAnswers, Tabulation
from rrcore.errors import InputError
from rrcore.estimate.shrinkage import listed_sets
from rrcore.mark import marks_in
from rrcore.progress import Report, quiet
from rrcore.promise.mechanism_file import MechanismFile
from rrcore.table.dataset import Dataset, Names
from rrcore.table.scanning import cover
from rrcore.table.source import Source

_FEW_CELLS = 1 << 8  # of a block of attributes, where people also differ in other columns


def count_answers(
    sources: Iterable[Source | FormLines],
    mechanism: MechanismFile,
    marginals: Sequence[Sequence[str]],
    *,
    sample: SampleColumns = SIMPLE,
    by: str = "",
    executor: Executor | None = None,
    report: Report = quiet,
) -> Answers:
    """Read collected answers of any size in one pass that keeps sums over kinds of people.

    Parameters
    ----------
    sources : tables with a column for every attribute of the mechanism, and lines of the form
    mechanism : MechanismFile
    marginals : names of attributes each, of which estimates are wanted
    sample : columns that ``with_sample`` is to read afterwards
    by : name of a column that answers are to be ``split`` by
    executor : where pieces are counted. None is this process
    report : called with the fraction of the bytes that is read, of one table after the other

    Raises
    ------
    InputError
        If a column is not there, a file is cut short, no row can be used, or people differ in too many ways.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> import rrcore as rr
    >>> from rrcore.answers import count_answers
    >>> from rrcore.table.opening import open_stream
    >>> table = rr.load_demo("titanic").select(["Sex", "Survived"])
    >>> file = rr.MechanismFile(table.schema, rr.integer_groups(rr.build("kronecker", (2, 2), [1.0, 1.0])))
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     place = pathlib.Path(folder, "released.csv")
    ...     _ = place.write_text(rr.randomise(file, table).to_csv())
    ...     answers = count_answers([open_stream(place)], file, [("Sex", "Survived")])
    >>> answers.n, answers.estimate(["Survived"]).shares.shape
    (2201, (2,))
    """
    given = [open_source(each, each.title, mechanism) for each in sources]
    if not given:
        raise InputError("No file is given: choose at least one file of answers.")
    wanted = tuple(dict.fromkeys(map(tuple, marginals)))
    return _Count(mechanism, wanted, sample, by).answers(given, executor, report)


@dataclass(frozen=True)
class _Count:
    """What is counted, and how it becomes answers."""

    mechanism: MechanismFile
    wanted: tuple[Names, ...]
    sample: SampleColumns
    by: str

    @property
    def needed(self) -> list[tuple[int, ...]]:
        """The wanted marginals, and those that what is shown first learns from."""
        schema = self.mechanism.reports
        wanted = [schema.axes(names) for names in self.wanted]
        return wanted + [axes for width in range(2, max(map(len, wanted)) + 1) for axes in listed_sets(schema.sizes, width)]

    def tabulated(self, beside: Sequence[str]) -> TabulatedAnswers:
        """What is told apart where these columns were not randomised."""
        sample = self.sample
        named = tuple(dict.fromkeys((*sample.keys, *((self.by,) if self.by else ()))))
        most = {"most": _FEW_CELLS} if named else {}
        blocks = cover(self.mechanism.reports.sizes, self.needed, **most)
        weights = "" if sample.weights in named else sample.weights
        return TabulatedAnswers(self.mechanism, tuple(blocks), named, weights, tuple(beside))

    def answers(self, sources: Sequence[AnswerSource], executor: Executor | None, report: Report) -> Answers:
        every = [_columns_beside(source.content, self.mechanism) for source in sources]
        wanted = self.tabulated([name for name in every[0] if all(name in own for own in every)])
        begin, receipts = functools.partial(Tabulation, wanted), set[str]()
        total, files = begin(), []
        for source, own in zip(sources, every, strict=True):
            check_beside(wanted.columns, own)
            columns: Sequence[str] = ()
            if isinstance(source.content, Source):
                columns, _ = batch_columns(source.content, self.mechanism, wanted.columns)
            for path, what, found in gather(source, self.mechanism, columns, begin, receipts, executor=executor, report=report):
                total.join(found)
                found.parts = []
                files.append((path, what, found))
        return self._made(total, sources, files)

    def _made(self, total: Tabulation, sources: Sequence[AnswerSource], files: Sequence[tuple[str, str, Tabulation]]) -> Answers:
        schema, rejected, unmatched = self.mechanism.reports, left_out(files), left_out(files, unmatched=True)
        rows, used, whole = total.people.tolist()
        check_usable(rows, used, (*rejected, *unmatched))
        if total.lacking:
            raise lacking_column(self.sample.weights, "weights", total.lacking)
        total.settle()
        mark, title = marks_in(source.mark for source in sources), title_of(sources)
        blocks = []
        for number, block in enumerate(total.wanted.blocks):
            for own, kinds in total.kinds(number).answered(block, self.needed):
                table = Dataset(schema.select([schema.names[i] for i in own]), kinds.codes[: kinds.complete], title)
                partial = kinds.codes[kinds.complete :]
                one = Answers(table, self.mechanism, kinds.groupings, mark=mark, crowd=kinds.crowd)
                blocks.append(replace(one, partial=partial if len(partial) else None))
        return replace(
            blocks[0],
            rejected=rejected,
            unmatched=unmatched,
            notes=tuple(dict.fromkeys(note for source in sources for note in source.content.notes)),
            further=tuple(blocks[1:]),
            tabulated=total.wanted,
            people=(used, used - whole),
        )


def _columns_beside(content: Source | FormLines, mechanism: MechanismFile) -> tuple[str, ...]:
    """The columns that were not randomised."""
    return batch_columns(content, mechanism, None)[1] if isinstance(content, Source) else columns_of_lines(content, mechanism)
