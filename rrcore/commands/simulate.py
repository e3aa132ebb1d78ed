"""The command ``simulate``: perturb a table and estimate a marginal from the release."""

import argparse
import sys
from pathlib import Path
from typing import Any

import numpy as np

from rrcore.arrays import Floats
from rrcore.budget import Plan
from rrcore.commands.files import STANDARD, writing
from rrcore.commands.mechanism_options import EPS, add_mechanism_choice, chosen_mechanism, levels_of
from rrcore.commands.progress import shown
from rrcore.commands.recoding import add_recoding, looked_through, recoded
from rrcore.commands.table_options import add_input, entries, open_large, tell_learned
from rrcore.commands.values import add_confidence, adder, seed
from rrcore.commands.workers import workers
from rrcore.errors import InputError, NotIdentifiableError
from rrcore.estimate import (
    METRICS,
    PROJECTIONS,
    TRUE_SHARES,
    Countable,
    CountedRelease,
    Estimate,
    coverage,
    margin,
    metric_text,
    simulated_columns,
)
from rrcore.mechanisms import Mechanism, safe_recipe_width
from rrcore.schemes import perturb, perturb_stream
from rrcore.table import Schema, check_cells
from rrcore.table.stream import Stream
from rrcore.table.writing import KINDS_TEXT, kind_of, table_writer
from rrcore.wording import Quantity, count_text, percent, total_text
from rrcore.wording.json_values import finite


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
    marginal, start = options.marginal, options.seed
    kind_of(options.out or STANDARD)
    stream = open_large(options.input, options)
    plan, truth, release = _whole(options, marginal, start) if stream is None else _in_batches(stream, options, marginal, start)
    if options.out:
        print("The release is simulated: whoever knows the seed can undo it, so do not publish it as real.", file=sys.stderr)
    schema = plan.schema.select(marginal)
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


def _planned(options: argparse.Namespace, schema: Schema, n: int, marginal: list[str]) -> Plan:
    mechanism = chosen_mechanism(options, len(schema.names), len(marginal))
    check_cells(schema.select(marginal).sizes)
    return Plan(schema, tuple(levels_of(options.eps, schema.names)), n, mechanism)


def _whole(options: argparse.Namespace, marginal: list[str], start: int) -> tuple[Plan, Floats, Countable[Mechanism]]:
    """Of a table that is read whole: the plan, the true shares, and the release."""
    dataset, rules = recoded(options, options.attributes)
    plan = _planned(options, dataset.schema, dataset.n, marginal)
    release = perturb(dataset, plan.build(), rng=np.random.default_rng(start))
    if options.out:
        columns = simulated_columns(plan.schema, start)
        with writing(options.out) as out, table_writer(out, columns, kind_of(options.out)) as writer:
            writer.write([np.zeros(dataset.n, np.int8), *release.dataset.codes.T])
        tell_learned(plan.schema, rules)
    return plan, dataset.shares(marginal), release


def _in_batches(
    stream: Stream, options: argparse.Namespace, marginal: list[str], start: int
) -> tuple[Plan, Floats, Countable[Mechanism]]:
    """Of a table of any size: the plan, the true shares, and the release as counts."""
    if options.out == STANDARD:
        raise InputError("A table of this size is not written to standard output: name a file with --out.")
    with workers(options) as executor:
        how, n, rules = looked_through(stream, options, options.attributes, executor)
        plan = _planned(options, how.schema, n, marginal)
        simulated = perturb_stream(
            stream,
            how,
            plan.build(),
            [marginal],
            seed=start,
            out=Path(options.out) if options.out else None,
            executor=executor,
            report=shown(),
        )
    if options.out:
        tell_learned(plan.schema, rules)
    return plan, simulated.truth.of(marginal) / simulated.truth.n, CountedRelease(simulated.released, plan.build())


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
