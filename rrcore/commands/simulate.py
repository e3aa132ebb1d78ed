"""The command ``simulate``: perturb a table and estimate a marginal from the release."""

import argparse
import sys
from contextlib import ExitStack
from typing import Any

import numpy as np

from rrcore.arrays import Codes, check_cells
from rrcore.budget import Plan
from rrcore.commands.files import STANDARD, writing
from rrcore.commands.mechanism_options import EPS, add_mechanism_choice, chosen_mechanism, levels_of
from rrcore.commands.progress import shown
from rrcore.commands.recoding import add_recoding, recoded
from rrcore.commands.table_options import add_input, entries, tell_learned
from rrcore.commands.values import add_confidence, adder, seed
from rrcore.commands.workers import workers
from rrcore.errors import NotIdentifiableError
from rrcore.estimate import (
    METRICS,
    PROJECTIONS,
    TRUE_SHARES,
    CountedRelease,
    Estimate,
    coverage,
    margin,
    metric_text,
    simulated_columns,
)
from rrcore.estimate.shrinkage import listed_sets
from rrcore.mechanisms import Mechanism, safe_recipe_width
from rrcore.schemes import Simulated, simulate
from rrcore.wording import Quantity, count_text, percent, total_text
from rrcore.wording.json_values import finite
from rrcore.writing import KINDS_TEXT, kind_of, table_writer


def add_simulate(command: argparse.ArgumentParser) -> None:
    """Give ``command`` the options of ``simulate``, what it runs and how its result is printed."""
    add = adder(command)
    add_input(command)
    add("--attributes", "columns that are randomised together, for example a,b,c", entries, required=True)
    add("--eps", EPS, entries, required=True)
    add_mechanism_choice(command)
    add("--marginal", "attributes whose joint distribution is estimated, for example a,b", entries, required=True)
    add_recoding(command)
    add_confidence(command)
    add("--seed", "seed of the simulated release", seed, default=0)
    add("--out", f"where the released table goes: {KINDS_TEXT}", "FILE")
    command.set_defaults(run=_run, tell=_tell, spreads=True)


def _run(options: argparse.Namespace) -> dict[str, Any]:
    marginal = options.marginal
    plan, mechanism, found = _simulated(options, marginal, kind_of(options.out or STANDARD))
    release = CountedRelease(found.released, mechanism)
    if options.out:
        print("The release is simulated: whoever knows the seed can undo it, so do not publish it as real.", file=sys.stderr)
    schema = plan.schema.select(marginal)
    truth = found.truth.of(marginal) / found.truth.n
    result: dict[str, Any] = {
        "note": TRUE_SHARES,
        "mechanism": plan.mechanism,
        "safe": safe_recipe_width(plan.mechanism),
        "n": release.n,
        "attributes": list(plan.schema.names),
        "levels": list(plan.levels),
        "achieved_levels": release.mechanism.levels.tolist(),
        "total": release.mechanism.total_level,
        "marginal": marginal,
        "categories": [list(attribute.categories) for attribute in schema.attributes],
        "truth": truth.tolist(),
        "identifiable": True,
    }
    try:
        return result | _estimated(truth, release.estimate(marginal), options.confidence)
    except NotIdentifiableError as error:
        print(error, file=sys.stderr)
        return result | {"identifiable": False, "reason": str(error), "estimate": None, "standard_errors": None, "metrics": None}


def _simulated(options: argparse.Namespace, marginal: list[str], kind: str) -> tuple[Plan, Mechanism, Simulated]:
    """Randomize the table, write it if that is asked, and count all that estimates of ``marginal`` learn from."""
    with workers(options) as executor, ExitStack() as stack:
        table, n, rules = recoded(options, options.attributes, executor)
        schema = table.schema
        check_cells(schema.select(marginal).sizes)
        family = chosen_mechanism(options, len(schema.names), len(marginal))
        plan = Plan(schema, tuple(levels_of(options.eps, schema.names)), n, family)
        mechanism = plan.build()
        write = None
        if options.out:
            out = stack.enter_context(writing(options.out))
            put = stack.enter_context(table_writer(out, simulated_columns(schema, options.seed), kind))

            def write(codes: Codes) -> None:
                put([np.zeros(len(codes), np.int8), *codes.T])

        widths = range(2, len(marginal) + 1)
        learned = [[schema.names[i] for i in axes] for width in widths for axes in listed_sets(schema.sizes, width)]
        rng = np.random.default_rng(options.seed)
        found = simulate(table, mechanism, [marginal, *learned], rng=rng, write=write, executor=executor, report=shown())
    if options.out:
        tell_learned(schema, rules)
    return plan, mechanism, found


def _estimated(truth: np.ndarray, estimate: Estimate, confidence: float) -> dict[str, Any]:
    low, high = estimate.interval(confidence)
    closest = estimate.closest()
    shares = {"estimate": estimate.shares, closest.name: closest.shares, "released": estimate.released}
    shares |= {name: project(estimate.shares) for name, project in PROJECTIONS.items()}
    return {
        "estimate": estimate.shares.tolist(),
        "standard_errors": estimate.standard_error().tolist(),
        "population_standard_errors": estimate.standard_error(population=True).tolist() if estimate.n > 1 else None,
        "released": estimate.released.tolist(),
        "projections": {name: shares[name].tolist() for name in PROJECTIONS},
        "metrics": {
            name: {metric: finite(measure(truth, table)) for metric, measure in METRICS.items()} for name, table in shares.items()
        },
        "confidence": confidence,
        "interval_coverage": coverage(truth, low, high),
        "disagreement": closest.disagreement,
        "weakest": None if estimate.weakest is None else estimate.weakest.to_dict(estimate.schema.names),
    }


def _tell(result: dict[str, Any]) -> str:
    lines = [
        f"# {result['note']}",
        f"{count_text(result['n'])} people, total {total_text(result['total'])} nats; joint distribution of {', '.join(result['marginal'])}",
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
        half = float(margin(error, result["confidence"]))
        estimate = Quantity("share", label, "these people").estimated(shares, shares - half, shares + half)
        lines.append(f"{label}: truth {percent(truth)}, estimate {estimate}")
    lines += [f"{name}: {metric_text(name, value)}" for name, value in result["metrics"]["estimate"].items() if value is not None]
    if result["weakest"] and result["weakest"]["note"]:
        lines.append(result["weakest"]["note"])
    return "\n".join(lines)
