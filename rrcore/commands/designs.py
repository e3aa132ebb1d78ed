"""The command ``designs``: the designs of the field by name, what each gives away and how precise it is."""

import argparse
import math
from typing import Any

from rrcore.commands.values import adder, headcount, refuse_given, whole
from rrcore.designs import DESIGNS, Design, design_facts, rational_probability
from rrcore.errors import InputError
from rrcore.estimate import margin
from rrcore.wording import Quantity, counted, percent
from rrcore.wording.json_values import fields_of


def add_designs(command: argparse.ArgumentParser) -> None:
    """Give ``command`` the options of ``designs``, what it runs and how its result is printed."""
    add = adder(command)
    add("name", f"one of {', '.join(DESIGNS)}; without it all are listed", "NAME", nargs="?")
    add("--numbers", "its probabilities, as in the list; rows by semicolons (default: its example)", "NUMBERS")
    add("--sizes", "number of answers of the question", whole("number of categories", 2), default=2, metavar="SIZES")
    add("--people", "sample size", headcount, default=1000)
    add("--prevalence", "share of people who have the trait", _share, default="20 %", metavar="SHARE")
    command.set_defaults(run=_run, tell=_tell)


def _run(options: argparse.Namespace) -> dict[str, Any]:
    if options.name is None:
        refuse_given(options, getattr(options, "given", ()), "Without the name of a design all are listed")
        return {"designs": [_front(key, design) | {"protects": design.protects} for key, design in DESIGNS.items()]}
    if options.name not in DESIGNS:
        raise InputError(f"There is no design '{options.name}': choose among {', '.join(DESIGNS)}.")
    design = DESIGNS[options.name]
    text = options.numbers if options.numbers is not None else design.example
    facts = design_facts(design, text, size=options.sizes, people=options.people, share=options.prevalence)
    channel, level = facts.channel, facts.channel.level
    return _front(options.name, design) | {
        "numbers": text,
        "given": options.numbers is not None,
        "categories": list(channel.categories),
        "reports": list(channel.reports),
        "channel": [[str(entry) for entry in row] for row in channel.rows],
        "level": None if level is None else {"odds": str(level), "nats": math.log(level)},
        "protects": channel.protects,
        "people": facts.people,
        "share": facts.share,
        "error": facts.error,
        "open": facts.openly,
    }


def _front(key: str, design: Design) -> dict[str, Any]:
    return {"name": key} | fields_of(design, "title parameters example source formula story costs")


def _share(text: str) -> float:
    return float(rational_probability(text))


def _tell(result: dict[str, Any]) -> str:
    if "designs" in result:
        return "\n".join(
            f"{one['name']}: {one['title']}. {one['protects']}\n  {one['parameters']}, for example {one['example']}\n  {one['source']}"
            for one in result["designs"]
        )
    people = counted(result["people"], "person", "people")
    return "\n".join(
        [
            f"{result['title']}: {result['story']}",
            result["costs"],
            f"From: {result['source']}",
            f"Estimate: {result['formula']}",
            f"Numbers{'' if result['given'] else ' (its example)'}: {result['numbers']} ({result['parameters']})",
            f"Reports: {', '.join(result['reports'])}",
            *(f"  {name}: {', '.join(row)}" for name, row in zip(result["categories"], result["channel"], strict=True)),
            result["protects"],
            f"With {people}, {percent(result['share'])} of whom have the trait, 95 % of estimates are within:",
            f"  {result['categories'][-1]}: {_within(result['error'])}",
            f"  asked openly: {_within(result['open'])}",
        ]
    )


def _within(error: float) -> str:
    return Quantity("share", "a design", "the population").within(float(margin(error)))
