"""The command ``describe``: rows, columns, categories and warnings of a table."""

import argparse
from typing import Any

from rrcore.commands.progress import shown
from rrcore.commands.table_options import add_input, open_large, read
from rrcore.commands.workers import workers
from rrcore.limits import MAX_STREAM_VALUES
from rrcore.table import TextTable, describe
from rrcore.table.stream import Survey, survey
from rrcore.table.warehouse import is_warehouse, open_table, survey_table
from rrcore.wording import count_text


def add_describe(command: argparse.ArgumentParser) -> None:
    """Give ``command`` the options of ``describe``, what it runs and how its result is printed."""
    add_input(command, more=", a table in a warehouse as duckdb:///panel.db#answers")
    command.set_defaults(run=_run, tell=_tell, spreads=True)


def _run(options: argparse.Namespace) -> dict[str, Any]:
    if is_warehouse(options.input):
        return _surveyed(survey_table(open_table(options.input)))
    stream = open_large(options.input, options)
    if stream is None:
        table, _ = read(options.input, options)
        return _described(table, list(table.notes))
    with workers(options) as executor:
        return _surveyed(survey(stream, executor=executor, report=shown()))


def _surveyed(found: Survey) -> dict[str, Any]:
    left_out = (
        f"{name}: more than {MAX_STREAM_VALUES:,} different values, long texts, or bytes that are not text; not described"
        for name in found.crowded
    )
    return _described(found, [*found.notes, *left_out])


def _described(table: TextTable | Survey, notes: list[str]) -> dict[str, Any]:
    columns = [summary.to_dict() for summary in describe(table)]
    return {"table": table.title, "rows": table.n, "notes": notes, "columns": columns}


def _tell(result: dict[str, Any]) -> str:
    lines = [f"{result['table']}: {count_text(result['rows'])} rows, {len(result['columns'])} columns", *result["notes"]]
    for column in result["columns"]:
        lines.append(f"{column['name']}: {count_text(column['distinct'])} categories, {count_text(column['missing'])} missing")
        lines += [f"  {warning['message']} {warning['action']}" for warning in column["warnings"]]
    return "\n".join(lines)
