"""The same pipeline without a browser: ``python -m rrcore COMMAND``; ``--help`` lists the commands.

Results go to standard output (JSON with ``--json``), messages to standard error; bad input ends with exit code 2 and one sentence.
"""

from __future__ import annotations

import argparse
import json
import math
import sys
from collections.abc import Sequence
from typing import Any, NoReturn

import numpy as np

from rrcore.budget import Plan
from rrcore.commands.audit import add_audit
from rrcore.commands.collect import add_collect, add_read
from rrcore.commands.compare import add_comparison
from rrcore.commands.files import save
from rrcore.commands.keyvalue import add_keyvalue
from rrcore.commands.ledger import add_ledger
from rrcore.commands.lopub import add_lopub
from rrcore.commands.mechanism import add_certify, add_mechanism
from rrcore.commands.plan import add_design
from rrcore.commands.tables import add_input, entries, read, seed, select
from rrcore.errors import InputError, NotIdentifiableError
from rrcore.estimate import PROJECTIONS, Estimate
from rrcore.mechanisms import MECHANISMS
from rrcore.metrics import METRICS, coverage
from rrcore.schemes import perturb
from rrcore.table import check_cells, contingency, describe
from rrcore.wording import count, percent, total

__all__ = ["main"]


class _Parser(argparse.ArgumentParser):
    """A parser whose complaint is one sentence on standard error and exit code 2."""

    def error(self, message: str) -> NoReturn:
        raise InputError(f"The command line was not understood: {message}; see '{self.prog} --help'.")


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; returns the exit code (0, or 2 after one sentence on standard error)."""
    try:
        options = _parser().parse_args(arguments)
        result = options.run(options)
    except InputError as error:
        print(error, file=sys.stderr)
        return 2
    print(json.dumps(result, ensure_ascii=False, allow_nan=False) if options.json else options.tell(result))
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = _Parser(prog="python -m rrcore", description=__doc__)
    commands = parser.add_subparsers(required=True, metavar="COMMAND", parser_class=_Parser)

    command = commands.add_parser("describe", help="rows, columns, categories and warnings of a table")
    add_input(command)
    command.set_defaults(run=_describe, tell=_tell_describe)

    add_design(commands.add_parser("plan", help="what a record costs at given levels, or which levels a total affords"))

    command = commands.add_parser("simulate", help="perturb a table and estimate a marginal from the release")
    add_input(command)
    command.add_argument("--attributes", required=True, help="columns that are randomised together, for example a,b,c")
    _add_plan(command)
    command.add_argument("--marginal", required=True, help="attributes whose joint distribution is estimated, for example a,b")
    command.add_argument(
        "--missing",
        choices=("category", "drop"),
        default="category",
        help="empty cells are a category of their own, or their rows go",
    )
    command.add_argument("--seed", default="0", help="seed of the simulated release (default 0)")
    command.add_argument("--out", metavar="FILE", help="write the perturbed table as CSV")
    command.set_defaults(run=_simulate, tell=_tell_simulate)

    add_comparison(commands.add_parser("compare", help="errors of many schemes on the same simulated releases"))

    add_lopub(commands.add_parser("lopub", help="a synthetic table from estimated marginals, by LoPub or from other schemes"))
    add_keyvalue(
        commands.add_parser("keyvalue", help="frequencies and means of keys, and conditional questions, by every protocol")
    )
    add_mechanism(
        commands.add_parser("mechanism", help="a plan, or designs already in the field, as a mechanism file in integers")
    )
    add_certify(commands.add_parser("certify", help="what a mechanism file promises, in exact arithmetic"))
    add_collect(commands.add_parser("collect", help="randomise true answers for real, from the system's entropy"))
    add_read(commands.add_parser("read", help="estimates from answers that were collected this way"))
    add_audit(commands.add_parser("audit", help="whether a mechanism file keeps its promise, by running it again and again"))
    add_ledger(commands.add_parser("ledger", help="what has been released about the same people, and what one more release adds"))

    for each in commands.choices.values():
        each.add_argument("--json", action="store_true", help="print JSON instead of text")
    return parser


def _add_plan(command: argparse.ArgumentParser) -> None:
    command.add_argument("--eps", required=True, help="levels in nats, one an attribute, for example 1,2,3,4")
    command.add_argument("--mechanism", default="pair-safe", help=f"one of {', '.join(MECHANISMS)} (default pair-safe)")


def _describe(options: argparse.Namespace) -> dict[str, Any]:
    table, _ = read(options.input)
    columns = [summary.to_dict() for summary in describe(table)]
    return {"table": table.title, "rows": table.n, "notes": list(table.notes), "columns": columns}


def _tell_describe(result: dict[str, Any]) -> str:
    lines = [f"{result['table']}: {count(result['rows'])} rows, {len(result['columns'])} columns", *result["notes"]]
    for column in result["columns"]:
        lines.append(f"{column['name']}: {count(column['distinct'])} categories, {count(column['missing'])} missing")
        lines += [f"  {warning['message']} {warning['action']}" for warning in column["warnings"]]
    return "\n".join(lines)


def _simulate(options: argparse.Namespace) -> dict[str, Any]:
    attributes, marginal = entries(options.attributes), entries(options.marginal)
    dataset = select(options.input, attributes, options.missing)
    plan = Plan(dataset.schema, tuple(entries(options.eps)), dataset.n, options.mechanism)  # type: ignore[arg-type]
    schema = dataset.schema.select(marginal)
    check_cells(schema.sizes)
    truth = contingency(dataset, marginal) / dataset.n
    release = perturb(dataset, plan.build(), rng=np.random.default_rng(seed(options.seed)))
    if options.out:
        save(options.out, release.dataset.to_csv())
        print("The release is simulated: whoever knows the seed can undo it, so do not publish it as real.", file=sys.stderr)
    result: dict[str, Any] = {
        "mechanism": options.mechanism,
        "n": dataset.n,
        "attributes": attributes,
        "levels": list(plan.levels),
        "achieved_levels": release.mechanism.levels.tolist(),
        "total": release.mechanism.total_level,
        "marginal": marginal,
        "categories": [list(attribute.categories) for attribute in schema.attributes],
        "truth": truth.tolist(),
        "identifiable": True,
    }
    try:
        return result | _estimated(truth, release.estimate(marginal))
    except NotIdentifiableError as error:
        print(error, file=sys.stderr)
        return result | {"identifiable": False, "reason": str(error), "estimate": None, "standard_errors": None, "metrics": None}


def _estimated(truth: np.ndarray, estimate: Estimate) -> dict[str, Any]:
    low, high = estimate.interval()
    shares = {"estimate": estimate.shares, "released": estimate.released}
    shares |= {name: project(estimate.shares) for name, project in PROJECTIONS.items()}
    return {
        "estimate": estimate.shares.tolist(),
        "standard_errors": estimate.standard_error().tolist(),
        "population_standard_errors": estimate.standard_error(population=True).tolist() if estimate.n > 1 else None,
        "released": estimate.released.tolist(),
        "projections": {name: shares[name].tolist() for name in PROJECTIONS},
        "metrics": {name: _measures(truth, table) for name, table in shares.items()},
        "interval_coverage": coverage(truth, low, high),
    }


def _measures(truth: np.ndarray, shares: np.ndarray) -> dict[str, float | None]:
    values = {name: measure(truth, shares) for name, measure in METRICS.items()}
    return {name: None if math.isnan(value) else value for name, value in values.items()}


def _tell_simulate(result: dict[str, Any]) -> str:
    lines = [
        f"{count(result['n'])} people, total {total(result['total'])} nats; joint distribution of {', '.join(result['marginal'])}"
    ]
    if not result["identifiable"]:
        return "\n".join([*lines, result["reason"]])
    cells = zip(
        np.ndindex(*np.shape(result["truth"])),
        *(np.ravel(result[name]) for name in ("truth", "estimate", "standard_errors")),
        strict=True,
    )
    for index, truth, shares, error in cells:
        label = ", ".join(categories[i] for categories, i in zip(result["categories"], index, strict=True))
        lines.append(f"{label}: truth {percent(truth)}, estimate {percent(shares)} +- {100 * error:.1f} points")
    lines += [f"{name}: {value:.4g}" for name, value in result["metrics"]["estimate"].items() if value is not None]
    return "\n".join(lines)


if __name__ == "__main__":
    sys.exit(main())
