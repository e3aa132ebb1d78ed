"""The command ``release``, which randomizes true answers for publication.

The operating system's random number generator is used.
"""

from pathlib import Path
from typing import Annotated, Any, Literal

from cyclopts import Parameter

from rrcore.answers.anysize import open_true_answers
from rrcore.cli import options
from rrcore.cli.output import Result, progress
from rrcore.errors import InputError
from rrcore.ledger import Ledger
from rrcore.promise import MechanismFile, unreleased_columns_sentence
from rrcore.promise.name_matching import answers_coder, read_as
from rrcore.promise.randomizing import randomize_stream
from rrcore.table.scanning import DROPPED, GONE
from rrcore.wording import counted, total_text


class ReleaseResult(Result, tag="release"):
    """A file of randomized answers."""

    n: int
    left_out: int
    epsilon_total: float | None
    mechanism: str
    draw: str
    recorded: bool


def release(
    *,
    mechanism: Annotated[options.File, Parameter(group=options.MECHANISM)],
    source: options.Source,
    read: options.Read = (),
    missing: Annotated[Literal["category", "drop"], Parameter(group=options.TABLE)] = "category",
    keep_columns: Annotated[options.Names, Parameter(group=options.OUTPUT)] = (),
    out: options.Out,
    ledger: Annotated[options.File, Parameter(group=options.LEDGER)] = "",
    population: Annotated[str, Parameter(group=options.LEDGER)] = "",
    again: Annotated[bool, Parameter(group=options.LEDGER)] = False,
    workers: options.Workers = "",
) -> ReleaseResult:
    """Randomize true answers for publication, without a seed.

    Parameters
    ----------
    mechanism
        Mechanism file
    source
        Table of true answers, or a directory of CSV or Parquet files
    read
        Options for reading the file, such as sheet=Data
    missing
        Treatment of empty cells: a category, or drop to leave out such rows
    keep_columns
        Columns to publish unchanged
    out
        CSV or Parquet file to write
    ledger
        Ledger file that records the release
    population
        With --ledger: name of the group of people, such as 'panel 2026'
    again
        With --ledger: permission to randomize the same answers again
    workers
        Number of worker processes, or address of a Dask scheduler
    """
    file, within = MechanismFile.load(mechanism), None
    if bool(ledger) != bool(population):
        raise InputError("--ledger and --population must be used together. Use both or neither.")
    if ledger:
        within = Ledger.open(ledger).recording(file, population, again=again)
    try:
        stream = open_true_answers(options.opened(source), file.schema, **{"header": True, **dict(read)})
        coder = answers_coder(stream, file.schema, gone=DROPPED if missing == "drop" else GONE)
        with options.executor(workers) as pool:
            how: dict[str, Any] = {"keep_columns": keep_columns, "executor": pool, "report": progress()}
            found = randomize_stream(file, stream, Path(out), coder=coder, within=within, **how)
    except InputError as error:
        # The message may quote true answers, which must not appear in a terminal or its log.
        raise InputError(error.discreet) from None
    total = None if file.certificate.epsilon_total is None else file.epsilon_total
    epsilon = "unbounded" if total is None else total_text(total)
    lines = [f"{counted(found.trailer.rows, 'record', 'records')} randomized, ε of the record {epsilon}. sha256 {file.sha256}"]
    lines += [f"{counted(found.left_out, 'row', 'rows')} without an answer left out."] if found.left_out else []
    lines += [*read_as(file.schema), *([unreleased_columns_sentence(keep_columns)] if keep_columns else [])]
    once = "Publish this file only once. Randomizing the same answers again spends the privacy budget again."
    return ReleaseResult(
        n=found.trailer.rows,
        left_out=found.left_out,
        epsilon_total=total,
        mechanism=file.sha256,
        draw=found.trailer.draw,
        recorded=bool(ledger),
        sentences=[*lines, "The release is in the ledger." if ledger else once],
        out=out,
    )
