"""The command ``describe``: rows, columns, categories and warnings of a table."""

from __future__ import annotations

import argparse
from typing import Any

from rrcore.commands.tables import add_input, read
from rrcore.table import describe
from rrcore.wording import count_text


def add_describe(command: argparse.ArgumentParser) -> None:
    """Give ``command`` the options of ``describe``, what it runs and how its result is printed."""
    add_input(command)
    command.set_defaults(run=_run, tell=_tell)


def _run(options: argparse.Namespace) -> dict[str, Any]:
    table, _ = read(options.input, options)
    columns = [summary.to_dict() for summary in describe(table)]
    return {"table": table.title, "rows": table.n, "notes": list(table.notes), "columns": columns}


def _tell(result: dict[str, Any]) -> str:
    lines = [f"{result['table']}: {count_text(result['rows'])} rows, {len(result['columns'])} columns", *result["notes"]]
    for column in result["columns"]:
        lines.append(f"{column['name']}: {count_text(column['distinct'])} categories, {count_text(column['missing'])} missing")
        lines += [f"  {warning['message']} {warning['action']}" for warning in column["warnings"]]
    return "\n".join(lines)
