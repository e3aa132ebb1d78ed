"""The command ``answers``: what a receiver has stored, as a table."""

from __future__ import annotations

import argparse
import csv
import io
import itertools
from typing import TYPE_CHECKING, Any

from rrcore.commands.files import save
from rrcore.commands.serve import PLACE
from rrcore.errors import InputError, need
from rrcore.wording import counted

if TYPE_CHECKING:
    from rrcore.collect import Answers


def add_answers(command: argparse.ArgumentParser) -> None:
    """Give ``command`` the options of ``answers``, what it runs and how its result is printed."""
    add = command.add_argument
    add("--db", required=True, metavar="FILE_OR_URL", help=f"where answers are kept: {PLACE}")
    add(
        "--out",
        required=True,
        metavar="FILE",
        help="a name that ends in .csv or .parquet; a file that exists is not written over",
    )
    command.set_defaults(run=_run, tell=_tell)


def _run(options: argparse.Namespace) -> dict[str, Any]:
    ending = options.out.rpartition(".")[2].lower()
    if ending not in _WRITERS:
        raise InputError(f"'{options.out}' does not say which kind of file it is: let it end in .csv or .parquet.")
    need("sqlalchemy", "The receiver")
    from rrcore.collect.receiver import open_store

    store = open_store(options.db)
    answers = store.answers()
    save(options.out, _WRITERS[ending](answers), private=True)
    closed = store.closed
    return {
        "answers": answers.n,
        "mechanism": store.mechanism.sha256,
        "closed": closed.isoformat() if closed else None,
        "out": options.out,
    }


def _tell(result: dict[str, Any]) -> str:
    state = f"closed on {result['closed']}" if result["closed"] else "still open"
    return f"{counted(result['answers'], 'answer', 'answers')} written to {result['out']}; the survey is {state}"


def _csv(answers: Answers) -> bytes:
    rows = csv.reader(io.StringIO(answers.dataset.to_csv(), newline=""))
    (day,) = answers.groupings
    out = io.StringIO()
    days = itertools.chain([day.name], (day.values[code] for code in day.codes))
    csv.writer(out, lineterminator="\n").writerows([*row, more] for row, more in zip(rows, days, strict=True))
    return out.getvalue().encode()


def _parquet(answers: Answers) -> bytes:
    import pyarrow as pa
    import pyarrow.parquet as pq

    (day,) = answers.groupings
    out = io.BytesIO()
    pq.write_table(answers.dataset.to_arrow().append_column(day.name, pa.DictionaryArray.from_arrays(day.codes, day.values)), out)
    return out.getvalue()


_WRITERS = {"csv": _csv, "parquet": _parquet}
