"""A program of somebody else as a sampler: records go to its standard input as CSV, releases are read from its standard output."""

import csv
import io
import shlex
import subprocess
from collections.abc import Sequence
from functools import partial

import numpy as np

from rrcore.arrays import Codes
from rrcore.audit.trials import Randomiser
from rrcore.errors import InputError
from rrcore.limits import SAMPLER_SECONDS
from rrcore.table.dataset import Dataset, codes_of
from rrcore.table.schema import Schema
from rrcore.wording import counted, spreadsheet_safe

_QUOTED = 200  # characters of what a program complains of


def command_sampler(
    command: str, schema: Schema, *, reports: Schema | None = None, seconds: float = SAMPLER_SECONDS
) -> Randomiser:
    """A program that reads true records and writes randomised ones, both as CSV with a header, one line each, in the same order.

    It is started once for every batch of records, without a shell.

    Parameters
    ----------
    command : as on a command line, for example "python mine.py"
    schema : of the true records
    reports : of what is written, ``schema`` by default
    seconds : after which it is stopped

    Raises
    ------
    InputError
        By the command if it is not understood; by the sampler where the program cannot be started, fails, takes too long, or does not write
        one line with known categories for each record.
    """
    try:
        arguments = shlex.split(command)
    except ValueError as error:
        raise InputError(f"The sampler '{command[:_QUOTED]}' is not understood ({error}): check its quotation marks.") from None
    if not arguments:
        raise InputError("The sampler is empty: give the command that starts it, for example 'python mine.py'.")

    return partial(_sampled, arguments, schema, reports or schema, seconds)


def _sampled(arguments: Sequence[str], schema: Schema, reports: Schema, seconds: float, true: Codes) -> Codes:
    return _read(_run(arguments, Dataset(schema, true).to_csv(), seconds), reports, len(true))


def _run(arguments: Sequence[str], records: str, seconds: float) -> str:
    name = arguments[0][:_QUOTED]
    try:
        done = subprocess.run(list(arguments), input=records.encode("utf-8"), capture_output=True, timeout=seconds, check=False)  # nosec B603: the program that the person who audits named, without a shell
    except subprocess.TimeoutExpired:
        raise InputError(
            f"The sampler '{name}' did not end within {counted(round(seconds), 'second', 'seconds')}: it has to stop when its standard "
            "input ends; or give it longer with --timeout."
        ) from None
    except (OSError, ValueError) as error:
        why = getattr(error, "strerror", None) or error
        raise InputError(f"The sampler '{name}' cannot be started ({why}): check the command.") from None
    if done.returncode:
        lines = done.stderr.decode("utf-8", "replace").strip().splitlines()
        said = f" It said: {lines[-1][:_QUOTED]}" if lines else ""
        raise InputError(
            f"The sampler '{name}' failed with exit code {done.returncode}: run it by hand on a few records to see why.{said}"
        )
    try:
        return done.stdout.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise InputError(f"What the sampler '{name}' wrote is not UTF-8 text: let it write CSV in UTF-8.") from None


def _read(text: str, schema: Schema, n: int) -> Codes:
    """Codes of what was written. Raises InputError for anything but the header and one line for each record."""
    try:
        rows = [row for row in csv.reader(io.StringIO(text, newline=""), strict=True) if row]
    except csv.Error as error:
        raise InputError(f"What the sampler wrote is not CSV ({error}): let it write one line for each record.") from None
    if not rows:
        raise InputError("The sampler wrote nothing: let it write a header and one line for each record to its standard output.")
    header = rows[0]
    place = []
    for name in schema.names:
        known = {name, name.strip(), spreadsheet_safe(name)}
        at = [column for column, title in enumerate(header) if title in known]
        if len(at) != 1:
            have = ", ".join(f"'{title[:40]}'" for title in header[:8])
            raise InputError(
                f"The first line of what the sampler wrote has no column '{name}', it has {have}: let it write the header that it reads."
            )
        place.append(at[0])
    if len(rows) - 1 != n:
        raise InputError(
            f"The sampler was sent {counted(n, 'record', 'records')} and wrote {counted(len(rows) - 1, 'line', 'lines')} after the header: "
            "let it write one line for each record, in the same order."
        )
    out = np.empty((n, len(place)), dtype=np.int32, order="F")
    for i, (attribute, column) in enumerate(zip(schema.attributes, place, strict=True)):
        code = codes_of(attribute)
        try:
            out[:, i] = [code[row[column]] for row in rows[1:]]
        except (KeyError, IndexError):
            _refuse(rows, attribute.name, column, code)
    return out


def _refuse(rows: Sequence[Sequence[str]], name: str, column: int, known: dict[str, int]) -> None:
    """Raises InputError about the first line that cannot be used."""
    for number, row in enumerate(rows[1:], 2):
        if column >= len(row):
            raise InputError(
                f"Line {number} of what the sampler wrote has {counted(len(row), 'value', 'values')}, the header has {len(rows[0])} names: "
                "let it write all of them."
            )
        if row[column] not in known:
            some = ", ".join(f"'{category[:40]}'" for category in list(known)[:5])
            raise InputError(
                f"Line {number} of what the sampler wrote has '{row[column][:40]}' for '{name}', which is not one of its categories: "
                f"expected one of {some}."
            )
