"""Answers that came back from a design of the field, one line a person: what the command ``designs`` reads them from."""

import csv
import io
from typing import Any

import numpy as np

from rrcore.arrays import Integers
from rrcore.commands.files import load
from rrcore.designs import AmountEstimate, DesignChannel, Multiplier, estimate_amounts, from_sample
from rrcore.errors import InputError
from rrcore.estimate.sample import Sample
from rrcore.estimate.sample.sample import codes_by_name
from rrcore.table.mark import marks_in
from rrcore.wording.json_values import fields_of, finite


def amounts_in(name: str, multiplier: Multiplier) -> AmountEstimate:
    """The mean amount from a file with one reported amount a line, after a comma a weight. Raises InputError."""
    rows = [line.split(",") for line in load(name).decode("utf-8-sig", "replace").splitlines() if line.strip()]
    try:
        table = [[float(cell) for cell in row] for row in rows]
    except ValueError:
        raise InputError(f"A line of '{name}' is no amount: give one number a line, after a comma a weight.") from None
    if len({len(row) for row in table}) != 1 or len(table[0]) > 2:
        raise InputError(f"Lines of '{name}' differ: give one number a line, or a number and a weight on every line.")
    weights = [row[1] for row in table] if len(table[0]) == 2 else None
    return estimate_amounts([row[0] for row in table], multiplier, weights=weights)


def answers_in(name: str, channel: DesignChannel, confidence: float) -> dict[str, Any]:
    """Estimates from a file with one line a person: report, and what there is of group, weight, stratum and cluster."""
    try:
        rows = list(csv.DictReader(io.StringIO(load(name).decode("utf-8-sig", "replace")), restval=""))
    except csv.Error as error:
        raise InputError(f"'{name}' cannot be read as CSV ({error}): look for a quotation mark that is never closed.") from None
    if not rows or "report" not in rows[0] or (len(channel.groups) > 1 and "group" not in rows[0]):
        columns = "report" if len(channel.groups) == 1 else "report and group"
        raise InputError(
            f"'{name}' is not understood: give a CSV file with the columns {columns}, and weight where people have one."
        )
    groups = {group: place for place, group in enumerate(channel.groups)} | {
        str(place + 1): place for place in range(len(channel.groups))
    }
    reports = {report: place for place, report in enumerate(channel.reports)}
    codes = [_known(row["report"], reports, "report", name) for row in rows]
    places = [_known(row["group"], groups, "group", name) if len(channel.groups) > 1 else 0 for row in rows]
    weights = np.array([_weight(row.get("weight"), name) for row in rows])
    strata, clusters = (_codes(rows, column) for column in ("stratum", "cluster"))
    sample = Sample(weights, strata=strata, clusters=clusters)
    entries = []
    for one in channel.quantities:
        found = from_sample(channel, one, codes, sample, places)
        entries.append({"name": one.name} | fields_of(found, "value error") | {"interval": finite(found.interval(confidence))})
    people = [places.count(place) for place in range(len(channel.groups))]
    mark = marks_in(map(str, rows[0]))
    return {"people": people, "quantities": entries, "fit": None} | ({"simulation": mark} if mark else {})


def _known(cell: str | None, codes: dict[str, int], what: str, name: str) -> int:
    found = codes.get((cell or "").strip())
    if found is None:
        raise InputError(f"'{(cell or '')[:40]}' in '{name}' is no {what}: expected one of {', '.join(codes)}.")
    return found


def _codes(rows: list[dict[str, str]], column: str) -> Integers | None:
    return codes_by_name([row[column] or "" for row in rows])[0] if column in rows[0] else None


def _weight(cell: str | None, name: str) -> float:
    if cell is None:
        return 1.0
    try:
        return float(cell)
    except ValueError:
        raise InputError(f"'{cell[:40]}' in '{name}' is no weight: give a positive number in every line.") from None
