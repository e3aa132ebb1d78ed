"""The command ``compare``: schemes on the same simulated releases of a table."""

import argparse
import time
from concurrent.futures import Executor
from dataclasses import replace
from typing import Any

import numpy as np

from rrcore.commands.mechanism_options import EPS, levels_of
from rrcore.commands.progress import shown
from rrcore.commands.recoding import add_recoding, recoded
from rrcore.commands.table_options import add_input, entries
from rrcore.commands.values import adder, headcount, number, seed, whole
from rrcore.commands.workers import workers
from rrcore.errors import InputError
from rrcore.limits import MAX_COMPARED_PEOPLE
from rrcore.schemes import (
    DEFAULT_SCHEMES,
    SCHEMES,
    SPENDS,
    VARIED,
    Study,
    Sweep,
    find_scheme,
    metric_text,
    summarise,
    summary_missing_sets,
)
from rrcore.table import Dataset
from rrcore.table.scanning import sample
from rrcore.wording import count_text, level_text, read_numbers
from rrcore.wording.json_values import fields_of, finite


def add_compare(command: argparse.ArgumentParser) -> None:
    """Give ``command`` the options of ``compare``, what it runs and how its result is printed."""
    add = adder(command)
    add_input(command)
    add("--attributes", "columns that are randomised together, for example a,b,c (default: all that can be)", entries)
    add_recoding(command)
    add("--eps", EPS, entries, required=True)
    add(
        "--width",
        "numbers of attributes of the joint distributions: 2, 2,3 or 2..6",
        _widths,
        default="2",
        metavar="WIDTHS",
    )
    add(
        "--schemes",
        f"some of {', '.join(SCHEMES)}, 3-safe and so on (default {','.join(DEFAULT_SCHEMES)})",
        entries,
        default=",".join(DEFAULT_SCHEMES),
    )
    add(
        "--within",
        "attributes that people are grouped by, for example sex: joint distributions with these, and errors of shares within each group",
        entries,
    )
    add("--repeats", "releases", whole("number of repeats"), default=20)
    add("--seed", "seed of the simulated releases", seed, default=0)
    add("--equal", "what is held equal: the record total or the levels", SPENDS, default="total")
    add("--sets", "most sets of attributes for each number of attributes (default: all)", whole("number of sets"))
    add("--people", "people drawn anew from the table for every release (default: those of the table)", headcount)
    add("--vary", "vary this over --values", [key for key in VARIED if key in ("people", "eps")])
    add("--values", "with --vary: its values, for example 500,2000,8000", read_numbers)
    add("--coverage", "share of the cells that a count query asks for", number, default=0.1)
    add("--max-cells", "clusters: most combinations T_v", whole("number of combinations"), default=100)
    add("--min-dependence", "clusters: least dependence T_d", number, default=0.3)
    add("--project", "turn every estimate back into probabilities", action="store_true")
    command.set_defaults(run=_run, tell=_tell, spreads=True)


def _run(options: argparse.Namespace) -> dict[str, Any]:
    study = Study(
        tuple(options.schemes),
        options.width,
        repeats=options.repeats,
        seed=options.seed,
        spend=options.equal,
        projected=options.project,
        sets=options.sets,
        people=options.people,
        coverage=options.coverage,
        max_cells=options.max_cells,
        min_dependence=options.min_dependence,
    )
    if (options.vary is None) != (options.values is None):
        raise InputError("--vary and --values belong together: give both or neither.")
    sweep = Sweep(study, options.vary or "nothing", tuple(options.values or ()))
    with workers(options) as executor:
        dataset, drawn_from = _people(options, study.seed, executor)
        names = dataset.schema.names
        study = replace(study, within=dataset.schema.axes(options.within or ()))
        sweep = replace(sweep, study=study)
        levels = levels_of(options.eps, names)
        started = time.perf_counter()
        outcomes = [outcome for release in sweep.run(dataset, levels, executor=executor) for outcome in release]
    summaries = {metric: summarise(outcomes, metric) for metric in study.metrics}
    made = study.designs(dataset, levels)
    return {
        "table": dataset.title,
        "n": dataset.n,
        "drawn_from": drawn_from,
        "attributes": list(names),
        "categories": list(dataset.schema.sizes),
        "levels": levels.tolist(),
        "repeats": study.repeats,
        "seed": study.seed,
        "equal": study.spend,
        "within": [names[i] for i in study.within],
        "varied": sweep.varied,
        "mechanisms": {
            key: {"reason": one}
            if isinstance(one, str)
            else {"total": one.total_level, "levels": one.levels.tolist(), "leakage": one.leakage.tolist()}
            for key, one in made.items()
        },
        "warnings": sweep.warnings(dataset.schema.sizes, levels),
        "results": [
            {"metric": metric, "scheme": one.scheme, "value": finite(one.value), "way": one.ways}
            | fields_of(one, "median low high releases sets asked reason")
            for metric, found in summaries.items()
            for one in found
        ],
        "missing": [
            {"metric": metric, "scheme": one.scheme, "value": finite(one.value), "attributes": [names[i] for i in one.axes]}
            | fields_of(one, "releases reason")
            for metric in study.metrics
            for one in summary_missing_sets(outcomes, metric)
        ],
        "seconds": time.perf_counter() - started,
    }


def _people(options: argparse.Namespace, start: int, executor: Executor | None) -> tuple[Dataset, int | None]:
    """The table, and of how many people it is a sample, since every release needs records; None where it is whole."""
    table, n, _ = recoded(options, options.attributes, executor)
    if isinstance(table, Dataset) and n <= MAX_COMPARED_PEOPLE:
        return table, None
    rng = np.random.default_rng(start)
    return sample(table, MAX_COMPARED_PEOPLE, of=n, rng=rng, report=shown()), n if n > MAX_COMPARED_PEOPLE else None


def _tell(result: dict[str, Any]) -> str:
    lines = [
        f"{result['table']}: {count_text(result['n'])} people, {len(result['attributes'])} attributes, equal {result['equal']}",
        f"levels {', '.join(level_text(eps) for eps in result['levels'])}",
        f"median error of {result['repeats']} releases, and where 80 % of them are",
    ]
    if result["drawn_from"]:
        people = count_text(result["drawn_from"])
        lines.append(f"simulated on {count_text(result['n'])} people drawn at random, of the {people} in the table")
    if result["within"]:
        lines.append(f"joint distributions with {' × '.join(result['within'])}, and shares within each of its groups")
    lines += result["warnings"]
    metric = ""
    for one in result["results"]:
        if one["metric"] != metric:
            metric = one["metric"]
            lines.append(metric)
        where = f"{one['way']} attributes" + ("" if one["value"] is None else f", {result['varied']} {one['value']:g}")
        figure = one["reason"] if one["median"] is None else _error(one)
        part = "" if one["median"] is None or one["sets"] == one["asked"] else _part(one)
        lines.append(f"  {find_scheme(one['scheme']).title}, {where}: {figure}{part}")
    return "\n".join(lines)


def _error(one: dict[str, Any]) -> str:
    """The error in the median release, and the band of the releases."""
    median, low, high = (metric_text(one["metric"], one[name]) for name in ("median", "low", "high"))
    return f"{median} ({low.removesuffix(' points')} to {high.removesuffix(' points')})"


def _part(one: dict[str, Any]) -> str:
    """How much of what was asked is averaged, and why not the rest."""
    own = f": {one['reason']}" if one["reason"] else ", those that every scheme has"
    return f"; over {count_text(one['sets'])} of {count_text(one['asked'])} estimates{own}"


def _widths(text: str) -> tuple[int, ...]:
    """ "2..6" or "2,4" as numbers."""
    size = whole("number of attributes")
    first, dots, last = text.partition("..")
    if dots:
        low, high = size(first), size(last)
        if high < low:
            raise InputError(f"The range '{text}' is empty: give the smaller number first, for example 2..6.")
        return tuple(range(low, min(high, low + 100) + 1))
    return tuple(map(size, entries(text)))
