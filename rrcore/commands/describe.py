"""The command ``describe``: rows, columns, categories and warnings of a table."""

import argparse
from typing import Any

from rrcore.commands.progress import shown
from rrcore.commands.table_options import add_input, open_large, read
from rrcore.commands.workers import workers
from rrcore.limits import MAX_CATEGORIES
from rrcore.table import ColumnRule, advise
from rrcore.table.recoding import Values, default_rule, recoded_counts
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


def describe(column: Values, rule: ColumnRule | None = None) -> dict[str, Any]:
    """Describe a column as it becomes an attribute by its rule, which is ``default_rule`` unless given.

    Returns
    -------
    dict
        Ready for JSON: its categories with their people, or its different values if it is left out, at most ``MAX_CATEGORIES``; the
        people without a value, the number of different values, and warnings.
    """
    rule = rule or default_rule(column)
    kind, categories, counts = rule.kind, column.values, column.counts
    if rule.use:
        attribute, counts = recoded_counts(column, rule)
        kind, categories = attribute.kind, attribute.categories
    return {
        "name": column.name,
        "use": rule.use,
        "kind": kind,
        "categories": list(categories[:MAX_CATEGORIES]),
        "counts": counts[:MAX_CATEGORIES].tolist(),
        "missing": column.missing,
        "values": len(column.values),
        "categories_left_out": max(0, len(categories) - MAX_CATEGORIES),
        "warnings": [{"code": one.code, "message": one.message, "action": one.action} for one in advise(column, rule)],
    }


def _tell(result: dict[str, Any]) -> str:
    lines = [f"{result['table']}: {count_text(result['rows'])} rows, {len(result['columns'])} columns", *result["notes"]]
    for column in result["columns"]:
        size, values = count_text(len(column["categories"]) + column["categories_left_out"]), count_text(column["values"])
        what = f"{size} categories" if column["use"] else f"left out, {values} different values"
        lines.append(f"{column['name']}: {what}, {count_text(column['missing'])} missing")
        lines += [f"  {warning['message']}" for warning in column["warnings"]]
    return "\n".join(lines)
