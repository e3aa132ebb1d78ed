"""The command ``describe``: rows, columns, categories and warnings of a table."""

import argparse
from typing import Any

from rrcore.commands.progress import shown
from rrcore.commands.table_options import add_input, open_large, read
from rrcore.commands.workers import workers
from rrcore.table import describe
from rrcore.table.scanning import Survey, survey
from rrcore.wording import count_text


def add_describe(command: argparse.ArgumentParser) -> None:
    """Give ``command`` the options of ``describe``, what it runs and how its result is printed."""
    add_input(command)
    command.set_defaults(run=_run, tell=_tell, spreads=True)


def _run(options: argparse.Namespace) -> dict[str, Any]:
    stream = open_large(options.input, options)
    with workers(options) as executor:
        table, rules = (
            read(options.input, options) if stream is None else (survey(stream, executor=executor, report=shown()), None)
        )
    left_out = table.left_out.values() if isinstance(table, Survey) else ()
    columns = [describe(column, (rules or {}).get(column.name)) for column in table.columns]
    return {"table": table.title, "rows": table.n, "notes": list(dict.fromkeys([*table.notes, *left_out])), "columns": columns}


def _tell(result: dict[str, Any]) -> str:
    lines = [f"{result['table']}: {count_text(result['rows'])} rows, {len(result['columns'])} columns", *result["notes"]]
    for column in result["columns"]:
        size, values = count_text(len(column["categories"]) + column["categories_left_out"]), count_text(column["values"])
        what = f"{size} categories" if column["use"] else f"left out, {values} different values"
        lines.append(f"{column['name']}: {what}, {count_text(column['missing'])} missing")
        lines += [f"  {warning['message']}" for warning in column["warnings"]]
    return "\n".join(lines)
