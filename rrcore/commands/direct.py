"""Asking directly: the options ``--direct`` and ``--denial`` of ``plan``, and ``--split-sample`` of ``read``."""

import argparse
from typing import Any

from rrcore.answers import Answers, Arms
from rrcore.commands.planned import PlannedAttributes
from rrcore.commands.read_options import share_of_category
from rrcore.commands.values import adder, quantity
from rrcore.errors import InputError
from rrcore.estimate import DENIAL_RATES, POWER, BreakEven, SplitSample, denials
from rrcore.mechanisms import Mechanism
from rrcore.table import Schema
from rrcore.wording import count_text, percent
from rrcore.wording.json_values import fields_of


def add_planned_direct(command: argparse.ArgumentParser) -> None:
    """Give ``plan`` its options."""
    add = adder(command)
    add(
        "--direct",
        "what denial has to cost before randomising pays, for a share that is expected: for example 'smokes=yes:10%%'; needs --people; may "
        "be given again",
        "ATTRIBUTE=CATEGORY:SHARE",
        many=True,
    )
    add(
        "--denial",
        "with --direct: a denial in percentage points that a split sample is to find, for example 5",
        quantity("denial", "a number of points, for example 5"),
        metavar="POINTS",
    )


def planned_direct(
    options: argparse.Namespace, mechanism: Mechanism, about: PlannedAttributes, people: int | None
) -> list[dict[str, Any]]:
    """For each ``--direct`` its break-even denial, and the split sample that finds ``--denial``, ready for JSON."""
    if options.denial is not None and not options.direct:
        raise InputError("--denial goes along with --direct: say of which share, for example --direct 'smokes=yes:10%'.")
    if options.direct and people is None:
        raise InputError("--direct compares two ways to ask the same people: add --people.")
    return [_planned(text, options, mechanism, about.schema, people or 1) for text in options.direct]


def _planned(text: str, options: argparse.Namespace, mechanism: Mechanism, schema: Schema, people: int) -> dict[str, Any]:
    name, category, share = share_of_category(text, "--direct", "smokes=yes:10%")
    (axis,) = schema.axes([name])
    categories = schema.attributes[axis].categories
    if category not in categories:
        raise InputError(f"'{name}' has no category '{category[:40]}': choose among {', '.join(categories)[:200]}.")
    at = categories.index(category)
    found = BreakEven.of(mechanism.marginal_channel((axis,)), at, people=people, share=share)
    entry = {
        "attribute": schema.names[axis],
        "category": category,
        "share": found.share,
        "people": people,
        "noise": found.noise,
        "break_even_points": 100 * found.denial,
        "of_those_it_is_true_of": found.deniers,
        "sentence": found.sentence,
    }
    denial = options.denial
    return entry | ({} if denial is None else {"denial_points": denial} | _compared(found, denial / 100, options.confidence))


def _compared(found: BreakEven, denial: float, confidence: float) -> dict[str, Any]:
    """Both ways with that denial, and the splits that find it."""
    best = SplitSample.fewest_people(found, denial, confidence=confidence)
    splits = [best]
    if best.people <= found.people:
        splits.append(SplitSample.fewest_directly(found, denial, confidence=confidence))
    directly, randomised = found.directly(denial, confidence), found.randomised(confidence)
    return {
        "directly": {"share": directly[0], "low": directly[1][0], "high": directly[1][1]},
        "randomised": {"share": randomised[0], "low": randomised[1][0], "high": randomised[1][1]},
        "power": POWER,
        "splits": [
            fields_of(each, "people part") | {"asked_directly": each.directly, "power": each.power, "sentence": each.text}
            for each in splits
        ],
    }


def planned_direct_lines(entries: list[dict[str, Any]]) -> list[str]:
    """What is printed."""
    lines = []
    for each in entries:
        lines.append(f"{each['attribute']} {each['category']}, {percent(each['share'])}: {each['sentence']}")
        for way in ("directly", "randomised"):
            if way in each:
                ends = f"{percent(each[way]['low'])} to {percent(each[way]['high'])}"
                lines.append(
                    f"  {'asked directly' if way == 'directly' else 'randomised'}: {percent(each[way]['share'])} ({ends})"
                )
        lines += [f"  {split['sentence']}" for split in each.get("splits", [])]
    if entries:
        least, most = DENIAL_RATES[0].rate, DENIAL_RATES[-1].rate
        studies = f"{len(DENIAL_RATES)} validation studies"
        lines.append(
            f"In {studies} {100 * least:.0f} to {100 * most:.0f} of 100 denied what was true of them (docs/howto/direct.md)."
        )
    return lines


def read_direct(arms: Arms, asked: list[list[str]], confidence: float) -> list[dict[str, Any]]:
    """What the two parts of a split sample differ by, for every marginal, ready for JSON."""
    if arms.directly is None:
        return []
    return [_compared_answers(arms.randomised, arms.directly, names, confidence) for names in asked]


def _compared_answers(randomised: Answers, directly: Answers, names: list[str], confidence: float) -> dict[str, Any]:
    found = denials(randomised.estimate(names), directly.estimate(names), confidence=confidence)
    people = randomised.n + directly.n
    return {
        "attributes": names,
        "randomised_people": randomised.n,
        "people_asked_directly": directly.n,
        "cells": [each.to_dict() | {"advice": each.advice(people)} for each in found],
    }


def read_direct_lines(entries: list[dict[str, Any]]) -> list[str]:
    """What is printed."""
    if not entries:
        return []
    lines = [f"{count_text(entries[0]['people_asked_directly'])} people were asked directly and are not in these shares."]
    for each in entries:
        for cell in each["cells"]:
            label = ", ".join(map(" ".join, zip(each["attributes"], cell["categories"], strict=True)))
            lines.append(f"{label}: {cell['sentence']} {cell['advice']}")
    return lines
