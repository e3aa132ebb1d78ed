"""The command ``plan``: from levels, or from a total, to a mechanism and what it costs."""

import argparse
import math
import time
from collections.abc import Sequence
from functools import partial
from itertools import combinations
from typing import Any

import numpy as np

from rrcore.arrays import Floats
from rrcore.budget import EXCEEDED, Plan, Questions, check_total_weights, levels_for_total, safe_frontier_widths
from rrcore.commands.files import note, save
from rrcore.commands.mechanism_options import EPS, add_mechanism_choice, chosen_mechanism, levels_of
from rrcore.commands.planned import PlannedAttributes, add_planned, planned
from rrcore.commands.progress import shown
from rrcore.commands.table_options import entries
from rrcore.commands.values import adder, option_type, quantity
from rrcore.commands.wanted import add_wanted, lines_wanted, wanted
from rrcore.commands.workers import workers
from rrcore.errors import InputError
from rrcore.estimate import weakest_interactions
from rrcore.executors import run
from rrcore.limits import MAX_MARGINAL
from rrcore.mechanisms import GAPS, Mechanism, Safeguards, build, recipe, safe_recipe_name, safe_recipe_width
from rrcore.promise.integers import check_writable
from rrcore.wording import counted, level_text, odds_text, percent, total_text
from rrcore.wording.json_values import fields_of


def add_plan(command: argparse.ArgumentParser) -> None:
    """Give ``command`` the options of ``plan``, what it runs and how its result is printed."""
    add = adder(command)
    add_planned(command)
    add("--eps", EPS, entries)
    add(
        "--total",
        "instead of --eps: the total of the whole record in nats; the levels come out",
        _positive("total", "a positive number of nats, for example 4"),
    )
    add(
        "--importance",
        "with --total: how much the attributes matter, for example 2,1,1 (default: equally)",
        entries,
    )
    add_mechanism_choice(command)
    add(
        "--closeness",
        "how near the least total a mechanism that keeps joint distributions is made: first within 0.01 nats, in a part of the time",
        tuple(GAPS),
        default="full",
    )
    add("--safe-frontier", "what being safe for 1, 2, ... attributes costs: totals and largest leakage", action="store_true")
    add(
        "--floor",
        "accuracy to keep, as a multiple of Kronecker's: for all pairs, or for --workload",
        _positive("floor", "a positive number, for example 1"),
    )
    add("--cap", "most nats by which leakage may exceed the level: one number, or one per attribute ('none' for no cap)", _caps)
    add_wanted(command)
    add("--out", "write the plan as a file that the dashboard and the library read; it needs a number of people", "FILE")
    add("--workload", "attribute sets such as 'a,b;a,c': what --floor is for; with --total alone, what the design serves")
    command.set_defaults(run=_run, tell=_tell, spreads=True)


def _run(options: argparse.Namespace) -> dict[str, Any]:
    mechanism: Mechanism
    extra: dict[str, Any] = {}
    started = time.perf_counter()
    if options.total is not None and options.eps is not None:
        raise InputError("Both --eps and --total are given: give the levels or the total, not both.")
    about = planned(options)
    names, sizes, workload = about.names, list(about.sizes), about.sets(options.workload, "workload")
    asked = wanted(options, about)
    people = asked.people or 1
    safeguards, questions = Safeguards(), None
    free = options.floor is None and options.method is None and options.safe is None
    if options.total is not None and workload and free:
        key, questions = "design", _design(options, workload)
        designed = questions.build(sizes)
        # against Kronecker at equal split
        gains = {",".join(names[i] for i in axes): designed.gains(axes) for axes in designed.workload}
        mechanism, requested, extra = designed, designed.reference.levels, {"gains": gains}
    else:
        key, safeguards = _chosen(options, workload, len(sizes), asked.widest)
        if options.out is not None:
            _note_writable(key, about, options)
        if asked.needs_levels:
            ratios = check_total_weights(options.importance or [1.0] * len(sizes), names)
            found = asked.levels(Plan(about.schema, tuple(ratios), people, key, safeguards, closeness=options.closeness))
            requested, mechanism = np.array(found.plan.levels), found.mechanism
            extra["wanted"] = asked.described(found, found.level_sentence(), "levels")
        else:
            requested, mechanism = _levels(options, about, key, safeguards)
    if asked.given or options.out is not None:
        plan = Plan(about.schema, tuple(requested), people, key, safeguards, questions, options.closeness)
        if not asked.needs_levels:
            plan, extra["wanted"] = asked.answer(plan, mechanism)
        people = plan.respondents
        if options.out is not None:
            extra["out"] = _save(options, plan, mechanism, known=people > 1 or about.people == 1)
            about.tell_learned()
    if options.safe_frontier:
        with workers(options) as executor:
            one = partial(_safe_for, sizes, requested)
            extra["safe_frontier"] = list(run(one, safe_frontier_widths(len(sizes)), executor=executor))
    return {
        "mechanism": key,
        "safe": safe_recipe_width(key),
        "closeness": options.closeness,
        "attributes": list(names),
        "categories": sizes,
        "requested_levels": requested.tolist(),
        "kronecker_total": math.fsum(requested.tolist()),
        "violations": [] if key == "design" else np.flatnonzero(mechanism.levels > requested + EXCEEDED).tolist(),
        **_promised(mechanism, names),
        **extra,
        "seconds": time.perf_counter() - started,
    }


def _promised(mechanism: Mechanism, names: Sequence[str]) -> dict[str, Any]:
    """What a mechanism gives away and what it keeps, as fields of the result."""
    return {
        "achieved_levels": mechanism.levels.tolist(),
        "leakage": mechanism.leakage.tolist(),
        "total": mechanism.total_level,
        "min_pair_factor": mechanism.min_pair_ratio(),
        "weakest": [found.to_dict([names[i] for i in axes]) for axes, found in weakest_interactions(mechanism, MAX_MARGINAL)],
        **fields_of(mechanism, "lower_bound gap gap_text"),
        "certified_optimal": mechanism.is_optimal,
        "method": mechanism.method,
        "tried": list(mechanism.tried),
    }


def _note_writable(key: str, about: PlannedAttributes, options: argparse.Namespace) -> None:
    """Say before the search where no mechanism file can be made of the plan."""
    levels = options.eps or options.importance or ["1"]
    try:
        check_writable(key, about.sizes, levels_of(levels, about.labels).tolist())
    except InputError as error:
        note(f"The plan can be looked at, and no more: {str(error)[0].lower()}{str(error)[1:]}")


def _save(options: argparse.Namespace, plan: Plan, mechanism: Mechanism, *, known: bool) -> str:
    """Write the plan, whose number of people is ``known`` or not; the name of its file."""
    if options.people is None and not known:
        raise InputError("--out writes a plan, which is for a number of people: add --people, or --question and --precision.")
    save(options.out, plan.to_json(mechanism))
    return str(options.out)


def _design(options: argparse.Namespace, workload: tuple[tuple[int, ...], ...]) -> Questions:
    if options.importance is not None or options.cap is not None:
        raise InputError("A design for --workload takes neither --importance nor --cap: leave them out, or add --floor.")
    return Questions(options.total, workload, options.people)


def _chosen(options: argparse.Namespace, workload: tuple[tuple[int, ...], ...], k: int, widest: int) -> tuple[str, Safeguards]:
    """The mechanism asked for and its safeguards; ``widest``: attributes of the widest question."""
    key = chosen_mechanism(options, k, max([widest, *map(len, workload)]))
    if options.floor is None and options.cap is None and not workload:
        return key, Safeguards()
    width = safe_recipe_width(key)
    if width is None:
        raise InputError(
            f"--floor, --cap and --workload belong to mechanisms that are safe for joint distributions, not to {key}."
        )
    floor = options.floor
    if floor is None and (width > 1 or workload):
        floor = 1.0
    marginals = workload
    if floor is not None and not workload and options.floor is None and width > 2:
        marginals = tuple(axes for size in range(2, min(width, k) + 1) for axes in combinations(range(k), size))
    cap = options.cap
    if cap is not None and len(cap) not in (1, k):
        raise InputError(f"There are {len(cap)} caps for {k} attributes: give one for all, or one per attribute.")
    return "safeguarded", Safeguards(floor, marginals, None if cap is None else tuple(cap * k if len(cap) == 1 else cap))


def _levels(options: argparse.Namespace, about: PlannedAttributes, key: str, safeguards: Safeguards) -> tuple[Floats, Mechanism]:
    sizes, labels = about.sizes, about.labels
    if options.total is None:
        if options.importance is not None:
            raise InputError("--importance shares out a total: give --total too, or --eps without --importance.")
        if options.eps is None:
            raise InputError("Neither --eps nor --total is given: give a level for all attributes or for each, or a total.")
        levels = levels_of(options.eps, labels)
        return levels, build(key, sizes, levels, safeguards=safeguards, closeness=options.closeness, report=shown())
    weights = check_total_weights(options.importance or [1.0] * len(sizes), labels)
    made = partial(build, key, safeguards=safeguards, closeness=options.closeness)
    afforded = levels_for_total(sizes, options.total, weights, mechanism=made, report=shown())
    return afforded.levels, afforded.mechanism


def _safe_for(sizes: list[int], levels: Floats, width: int) -> dict[str, Any]:
    """Total and largest leakage of the mechanism that is safe for so many attributes."""
    name = safe_recipe_name(width)
    mechanism = build(name, sizes, levels)
    return {"safe": width, "mechanism": name, "total": mechanism.total_level, "largest_leakage": float(mechanism.leakage.max())}


def _caps(text: str) -> list[float]:
    cap = quantity("cap", "0 or a positive number of nats, or none")
    found = [math.inf if part == "none" else cap(part) for part in entries(text)]
    if min(found) < 0:
        raise InputError(f"The cap is {min(found):g}: give 0 or a positive number of nats, or none.")
    return found


@option_type("NUMBER")
def _positive(text: str, what: str, expected: str) -> float:
    value = quantity(what, expected)(text)
    if not 0 < value < math.inf:
        raise InputError(f"The {what} is {text[:40]}: give {expected}.")
    return value


def _achieved(level: float) -> str:
    """An achieved level in words: below 0 a lie is the likelier answer, which says as much as the truth."""
    return total_text(level) if level >= 0 else f"{total_text(-level)} (turned round: a lie is the likelier answer)"


_EACH = ("attributes", "categories", "requested_levels", "achieved_levels", "leakage")
"""What is told of each attribute."""


def _tell(result: dict[str, Any]) -> str:
    share = 1 - result["total"] / result["kronecker_total"]
    saved = percent(share if abs(share) > 1e-9 else 0.0)
    title = recipe(result["mechanism"]).title
    above = f" ({result['gap_text']})" if result["gap_text"] else ""
    lines = [
        *lines_wanted(result.get("wanted", {})),
        f"{title}: total {total_text(result['total'])} nats{above}, odds up to x {odds_text(result['total'])}",
    ]
    if "gains" in result:
        lines.append(f"Kronecker at equal split: levels {level_text(result['requested_levels'][0])}, the same total")
        lines += [f"{names}: survives {gain:.2f} times as well" for names, gain in result["gains"].items()]
        lines.append(result["method"])
    else:
        lines.append(f"Kronecker: total {total_text(result['kronecker_total'])} nats; saved {saved}")
    if result["gap"] is not None and not above:
        lines.append(f"no mechanism that keeps as much costs less by more than {total_text(result['gap'])} nats")
    if len(result["tried"]) > 1:
        lines += [f"tried: {route}" for route in result["tried"]]
    rows = zip(*(result[key] for key in _EACH), strict=True)
    for i, (name, size, asked, achieved, leak) in enumerate(rows):
        verdict = ", EXCEEDED" if i in result["violations"] else ""
        called = name if name != str(i + 1) else f"attribute {name}"
        lines.append(
            f"{called} ({size} categories): asked {level_text(asked)}, achieved {_achieved(achieved)}{verdict}, "
            f"others known {total_text(leak)}"
        )
    for each in result.get("safe_frontier", []):
        text = f"total {total_text(each['total'])}, others known at most {total_text(each['largest_leakage'])}"
        lines.append(f"safe for joint distributions of up to {counted(each['safe'], 'attribute', 'attributes')}: {text}")
    lines += [each["note"] for each in result["weakest"] if each["note"]][:1]
    if result["min_pair_factor"] is not None:
        lines.append(f"smallest mu_ij / (r_i r_j): {result['min_pair_factor']:.3f} (Kronecker: 1)")
    if "out" in result:
        lines.append(f"plan written to {result['out']}")
    return "\n".join(lines)
