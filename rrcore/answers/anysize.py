"""Open, read and save answers of any size."""

from collections.abc import Sequence
from concurrent.futures import Executor
from dataclasses import replace
from os import PathLike
from pathlib import Path
from typing import Any

from rrcore.answers.answers import Answers
from rrcore.answers.json_lines import open_answers
from rrcore.answers.reading import count_answers, read_answers
from rrcore.answers.rows import with_labels
from rrcore.answers.sample_design import with_sample
from rrcore.answers.unrandomized import SampleColumns
from rrcore.files import new_file
from rrcore.limits import MAX_FILE_BYTES
from rrcore.mark import marks_in
from rrcore.progress import Report, quiet
from rrcore.promise.mechanism_file import MechanismFile
from rrcore.promise.trailer import dataset_parts, new_draw, write_release
from rrcore.table.anysize import TableSource, open_any
from rrcore.table.opening import read_in_batches
from rrcore.table.recoding import edges_named
from rrcore.table.scanning import held_stream
from rrcore.table.schema import Schema
from rrcore.table.source import Source
from rrcore.writing import Column, columns_of, kind_of


def open_true_answers(source: TableSource, schema: Schema, **options: Any) -> Source:
    """Open a table of true answers for randomization.

    Parameters
    ----------
    source : Dataset, bytes, or path of a file or directory
    schema : Schema
    **options
        Options for reading a file, as in ``read_table``.

    Raises
    ------
    InputError
        If the table cannot be read.
    """
    found = open_any(source, **options)
    if isinstance(found, Source):
        return found
    table, _ = found
    numbers = [each.name for each in schema.attributes if edges_named(each.categories)]
    return replace(held_stream(with_labels(table, numbers), table.title), mark=marks_in([table.title]))


def read_or_count_answers(
    files: Sequence[str | PathLike[str]],
    mechanism: MechanismFile,
    marginals: Sequence[Sequence[str]],
    *,
    sample: SampleColumns,
    by: str = "",
    encoding: str = "",
    executor: Executor | None = None,
    report: Report = quiet,
) -> Answers:
    """Read answers as records, or as counts if there are too many for memory.

    Parameters
    ----------
    files : paths of files and directories
    mechanism, marginals, sample, by, executor, report
        As in ``count_answers``.
    encoding : str
        As in ``read_answers``.

    Raises
    ------
    InputError
        If a file cannot be read.
    """
    size = sum(Path(name).stat().st_size for name in files if Path(name).is_file())
    if size <= MAX_FILE_BYTES and not any(map(read_in_batches, files)):
        return with_sample(read_answers(list(files), mechanism, encoding=encoding), sample)
    given = [open_answers(Path(name), Path(name).name, encoding=encoding) for name in files]
    return count_answers(given, mechanism, marginals, sample=sample, by=by, executor=executor, report=report)


def save_answers(answers: Answers, path: str | PathLike[str]) -> None:
    """Write answers and unrandomized columns to a CSV or Parquet file.

    Only the owner can read the file.

    Parameters
    ----------
    answers : Answers
    path : path of a file that does not exist yet

    Raises
    ------
    InputError
        If the file exists, or cannot be written.
    """
    dataset, extra, kind = answers.dataset, list(answers.groupings), kind_of(Path(path).name)
    columns = [*columns_of(dataset.schema), *(Column(column.name, column.values) for column in extra)]
    with new_file(Path(path), private=True) as out:
        write_release(out, columns, dataset_parts(dataset, extra), answers.mechanism.sha256, new_draw(), kind=kind)
