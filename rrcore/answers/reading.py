"""Reading collected answers with their records: from files, from tables that were read already, and from tables of any size."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np

from rrcore.answers.answers import Answers, Rejected
from rrcore.answers.columns import together
from rrcore.answers.formlines import open_answers
from rrcore.answers.gathering import AnswerSource, Content, Gathered, HeldRows, gather, open_source
from rrcore.answers.rows import batch_columns, of_use
from rrcore.errors import InputError
from rrcore.files import read_path
from rrcore.limits import MAX_ROWS
from rrcore.mark import marks_in
from rrcore.progress import Report, quiet
from rrcore.promise.mechanism_file import MechanismFile
from rrcore.table.dataset import Dataset
from rrcore.table.opening import read_in_batches
from rrcore.table.reading.arrow import ArrowStream, open_arrow
from rrcore.table.scanning import gathered
from rrcore.table.source import Source
from rrcore.table.text_table import TextColumn

Given = str | PathLike[str] | ArrowStream | tuple[Content, str]
"""Where answers are: a path, a data frame, or content with a name."""


def read_answers(
    files: Given | Iterable[Given],
    mechanism: MechanismFile,
    *,
    beside: Sequence[str] | None = None,
    encoding: str = "",
    report: Report = quiet,
) -> Answers:
    """Read collected answers with their records.

    Parameters
    ----------
    files : path, data frame, (content, name), or several of these
        Tables (CSV, XLSX, Parquet, ...) with one column for every attribute of the mechanism, or JSON lines as the respondents' form
        writes them; a table of pandas, polars, pyarrow or any library with ``__arrow_c_stream__``; or as content a table of texts that was
        read already, or a table that is read in batches. Lines name their mechanism file.
    mechanism : MechanismFile
    beside : names of the columns that were not randomised and are needed; None keeps all that all files have
    encoding : str, decides where the text of a table is UTF-8 in some places and not in others, as in ``ReadOptions``
    report : is told the fraction of each table that is read in batches

    Raises
    ------
    InputError
        If a file is neither, or no row can be used. Otherwise rows that cannot be used are left out and counted.

    Examples
    --------
    >>> import rrcore as rr
    >>> table = rr.load_demo("titanic").select(["Sex", "Survived"])
    >>> file = rr.MechanismFile(table.schema, rr.integer_groups(rr.build("kronecker", (2, 2), [1.0, 1.0])))
    >>> released = rr.randomise(file, table)
    >>> answers = rr.read_answers(released.to_arrow(), file)  # or to_pandas(), or the path of a file
    >>> answers.n, answers.left_out
    (2201, 0)
    """
    receipts: set[str] = set()  # a line that was handed in twice counts once, in whichever files
    files_found: list[tuple[str, str, HeldRows]] = []
    sources = []
    for content, name in _contents(files):
        source = open_source(content, name, mechanism, encoding)
        sources.append(source)
        columns: Sequence[str] = ()
        if isinstance(source.content, Source):
            columns, _ = batch_columns(source.content, mechanism, beside, source.export)
        files_found += gather(source, mechanism, columns, HeldRows, receipts, report=report)
    if not sources:
        raise InputError("No file is given: choose at least one file of answers.")
    return _gathered(sources, files_found, mechanism, beside)


def _contents(files: Given | Iterable[Given]) -> Iterator[tuple[Content, str]]:
    """What the files hold, and what they are called."""
    one = isinstance(files, str | PathLike | tuple) or hasattr(files, "__arrow_c_stream__")
    given: Any = [files] if one else files
    for each in given:
        if isinstance(each, tuple):
            yield each
        elif isinstance(each, str | PathLike):
            name = Path(each).name
            yield (open_answers(Path(each), name), name) if read_in_batches(str(each)) else read_path(each)
        elif hasattr(each, "__arrow_c_stream__"):
            yield gathered(open_arrow(each)[0], "table"), "table"
        else:
            raise InputError(
                f"Answers were expected and a {type(each).__name__} was given: give a path, or a table of pandas, polars or pyarrow."
            )


def _gathered(
    sources: Sequence[AnswerSource],
    files: Sequence[tuple[str, str, HeldRows]],
    mechanism: MechanismFile,
    beside: Sequence[str] | None,
) -> Answers:
    """All rows in one release: those with all answers first, then those with some answers missing."""
    total = sum(len(rows.codes) for *_, found in files for rows in found.held)
    if total > MAX_ROWS:
        raise InputError(f"The files have {total:,} rows together, the limit is {MAX_ROWS:,}. Leave some out.")
    given = [rows for *_, found in files for rows in found.held]
    left, unmatched = left_out(files), left_out(files, unmatched=True)
    check_usable(total, sum(int((rows.codes >= 0).all(axis=1).sum()) for rows in given), (*left, *unmatched))
    codes = np.concatenate([rows.codes for rows in given])
    complete = (codes >= 0).all(axis=1)
    some = of_use(codes) & ~complete
    known = together([rows.groupings for rows in given])
    groupings = known if beside is None else tuple(column for column in known if column.name in beside)
    order = np.concatenate([np.flatnonzero(complete), np.flatnonzero(some)])
    return Answers(
        Dataset(mechanism.reports, codes[complete], title_of(sources)),
        mechanism,
        tuple(TextColumn(column.name, column.codes[order], column.values) for column in groupings),
        left,
        tuple(dict.fromkeys(note for source in sources for note in source.content.notes)),
        partial=codes[some] if some.any() else None,
        mark=marks_in(source.mark for source in sources),
        unmatched=unmatched,
    )


def title_of(sources: Sequence[AnswerSource]) -> str:
    """What the answers of these sources are called together."""
    return sources[0].content.title if len(sources) == 1 else f"{len(sources)} files"


def left_out(files: Iterable[tuple[str, str, Gathered]], *, unmatched: bool = False) -> tuple[Rejected, ...]:
    """Every reason once, what most rows were left out for first; where ``unmatched``, why answers count as missing."""
    reasons: dict[str, Rejected] = {}
    for path, what, found in files:
        for reason, (rows, first) in (found.unmatched if unmatched else found.left).items():
            known = reasons.get(reason, Rejected(reason, 0, f"{what} {first} of {Path(path).name}"))
            reasons[reason] = replace(known, rows=known.rows + rows)
    return tuple(sorted(reasons.values(), key=lambda each: -each.rows))


def check_usable(rows: int, complete: int, left: Sequence[Rejected]) -> None:
    """Raise InputError where none of the rows has all answers."""
    if not complete:
        most = max(left, key=lambda each: each.rows, default=None)
        worst = f" Most often: {most.reason} ({most.first})." if most else " Each of them lacks some answer."
        raise InputError(f"None of the {rows:,} rows can be used.{worst} Check that the mechanism file belongs to these answers.")
