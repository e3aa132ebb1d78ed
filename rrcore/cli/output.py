"""Output of commands: results as text or JSON, files, and progress."""

import io
import json
import math
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, ClassVar, Literal

import msgspec
from cyclopts import Parameter
from rich.console import Console
from rich.markup import escape
from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeRemainingColumn
from rich.table import Table

from rrcore.documents import simple
from rrcore.files import new_file
from rrcore.progress import Report, quiet
from rrcore.wording import interval_text, legible, one_line, percent, share_text
from rrcore.wording.json_values import finite


def _shown(value: Any) -> str | None:
    """Return a default as people type it."""
    return (", ".join(map(str, value)) if isinstance(value, tuple) else str(value)) if value or type(value) is int else None


USUAL = Parameter(negative=(), show_default=_shown)
"""How all options are named and shown."""

Row = dict[str, str | float | int | bool | None]
"""One row of a table."""

_NUMBERS = ("truth", "randomized", "estimate", "std_error", "conf_low", "conf_high")
_bars = list[Progress]()


class CheckFailedError(Exception):
    """A check failed. The exit code reports this."""


class Result(msgspec.Struct, kw_only=True, tag_field="kind"):
    """Result of a command. With ``--json``, its fields are printed."""

    failed: ClassVar[bool] = False
    version: Literal[1] = 1
    sentences: list[str] = msgspec.field(default_factory=list)
    out: str = ""

    def text(self) -> str:
        """Return the result as text."""
        return "\n".join(self.sentences)

    def to_json(self) -> str:
        """Return the result as JSON.

        Infinite and unknown values are null. Text is escaped if the terminal needs it.
        """
        fields, encoding = finite(msgspec.to_builtins(self, enc_hook=simple)), sys.stdout.encoding or "utf-8"
        return json.dumps(fields, ensure_ascii=encoding.lower() != "utf-8", allow_nan=False)


def schema(result: type[Result]) -> dict[str, Any]:
    """Return the JSON Schema of a result.

    Examples
    --------
    >>> from rrcore.cli.teaching import LearnResult
    >>> sorted(schema(LearnResult)["$defs"]["LearnResult"]["properties"])
    ['chapters', 'kind', 'out', 'sentences', 'version']
    """
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", **msgspec.json.schema(result)}


def table(columns: Mapping[str, Sequence[str]], texts: int = 1) -> str:
    """Return columns as aligned text.

    The first ``texts`` columns are aligned to the left, and the others to the right.

    Examples
    --------
    >>> print(table({"attribute": ["sex", "age"], "ε": ["1", "0.25"]}))
    attribute     ε
    sex           1
    age        0.25
    """
    made = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0))
    for i, name in enumerate(columns):
        made.add_column(escape(one_line(name)), justify="left" if i < texts else "right", no_wrap=True)
    for row in zip(*columns.values(), strict=True):
        made.add_row(*(escape(one_line(cell)) for cell in row))
    out = io.StringIO()
    Console(file=out, width=10_000, color_system=None).print(made)
    return "\n".join(line.rstrip() for line in out.getvalue().splitlines())


def estimates(rows: Sequence[Mapping[str, Any]]) -> str:
    """Return rows of estimates and their intervals as a table."""
    labels = [name for name, value in rows[0].items() if name not in _NUMBERS and not isinstance(value, float)]
    columns = {name: [str(row[name]) for row in rows] for name in labels}
    columns |= {name: [percent(row[name]) for row in rows] for name in _NUMBERS[:2] if name in rows[0]}
    ends = [[math.nan if row[name] is None else row[name] for name in ("estimate", "conf_low", "conf_high")] for row in rows]
    columns["estimate"] = [share_text(*each) for each in ends]
    columns["interval"] = [interval_text(low, high) for _, low, high in ends]
    return table(columns, len(labels))


def note(text: str) -> None:
    """Print a message on standard error."""
    print(legible(text), file=sys.stderr, flush=True)


def save(name: str, content: str) -> None:
    """Write a file that does not exist yet."""
    with new_file(Path(name)) as out:
        out.write(content.encode())


def progress() -> Report:
    """Return a function that shows progress on a terminal."""
    console = Console(stderr=True)
    if not console.is_terminal:
        return quiet
    columns = TextColumn("{task.description}"), BarColumn(), TaskProgressColumn(), TimeRemainingColumn()
    bar = Progress(*columns, console=console, transient=True)
    task = bar.add_task("", total=1.0)
    _bars.append(bar)

    def report(fraction: float, text: str) -> None:
        bar.start()
        bar.update(task, completed=fraction, description=escape(text))
        if fraction >= 1:
            bar.stop()

    return report


def stop_progress() -> None:
    """Stop showing progress."""
    while _bars:
        _bars.pop().stop()
