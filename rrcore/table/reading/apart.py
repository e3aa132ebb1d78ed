"""A process of its own that reads a file of SPSS or Stata with pyreadstat, whose C library a damaged file can bring down.

It takes the file from standard input, with the name of the tool as its one argument, and gives an Arrow stream on standard output: the
columns as texts, and what is known of each as JSON in the metadata of its field. Nothing is written to disk, not even when it crashes.
"""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
from typing import Any

import pyarrow as pa

from rrcore.errors import InputError, need
from rrcore.limits import MAX_READING_SECONDS, MAX_ROWS, MAX_UNPACKED_BYTES
from rrcore.table.reading.columns import LESS, MIB, cell_text, check_rows, checked_names, refuse

_BAD_INPUT = 2
_ABOUT = b"about"


def read_apart(data: bytes, tool: str) -> Any:
    """The file as an Arrow table of texts; ``field.metadata[b"about"]`` is JSON with labels, question and ordered.

    Raises
    ------
    InputError
        Where the table is too large, or its columns cannot be told apart.
    ValueError
        Where the file cannot be read.
    """
    need("pyreadstat", f"A file of {tool}")
    found = subprocess.run(  # nosec B603: this Python and a fixed script; the file comes by standard input
        [sys.executable, "-m", "rrcore.table.reading.apart", tool],
        input=data,
        capture_output=True,
        timeout=MAX_READING_SECONDS,
        env=os.environ | {"PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
    )
    if found.returncode == _BAD_INPUT:
        raise InputError(found.stderr.decode(errors="replace").strip())
    if found.returncode:
        raise ValueError("the reader ended without a result")
    return pa.ipc.open_stream(found.stdout).read_all()


def about(field: Any) -> dict[str, Any]:
    """What is known of a column: labels as pairs of value and label, question, ordered."""
    known: dict[str, Any] = json.loads(field.metadata[_ABOUT])
    return known


def _table(data: bytes, tool: str) -> Any:
    import pyreadstat

    read = pyreadstat.read_sav if tool == "SPSS" else pyreadstat.read_dta
    _, known = read(io.BytesIO(data), metadataonly=True, output_format="dict")
    names, rows = checked_names(list(known.column_names)), known.number_rows or 0
    if rows > MAX_ROWS:
        check_rows(rows)
    if rows * len(names) * 8 > MAX_UNPACKED_BYTES:
        refuse(f"The file unpacks to more than the limit of {MAX_UNPACKED_BYTES // MIB} MB.", LESS)
    values, known = read(io.BytesIO(data), output_format="dict", row_limit=MAX_ROWS + 1)
    fields, columns = [], []
    for name, key in zip(names, known.column_names, strict=True):
        labels = known.variable_value_labels.get(key, {})
        what = {
            "labels": [(cell_text(value) or "", str(label)) for value, label in labels.items()],
            "question": known.column_names_to_labels.get(key) or "",
            "ordered": known.variable_measure.get(key) == "ordinal",
        }
        texts = (None if value is None or value != value else cell_text(value) for value in values[key])
        columns.append(pa.array(texts, pa.string()).dictionary_encode())
        fields.append(pa.field(name, columns[-1].type, metadata={_ABOUT: json.dumps(what).encode()}))
    return pa.table(columns, schema=pa.schema(fields))


def _no_trace() -> None:
    """A crash leaves no copy of its memory, which holds the answers, on disk."""
    try:
        import resource
    except ImportError:  # Windows, which has none unless asked
        return
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def main() -> int:
    """Read standard input, write standard output."""
    _no_trace()
    try:
        table = _table(sys.stdin.buffer.read(), sys.argv[1])
    except InputError as error:
        sys.stderr.write(str(error))
        return _BAD_INPUT
    with pa.ipc.new_stream(sys.stdout.buffer, table.schema) as out:
        out.write_table(table)
    return 0


if __name__ == "__main__":
    sys.exit(main())
