"""The command ``designs``: the designs of the field by name, what each gives away and costs, and estimates from counts."""

import argparse
import math
from contextlib import ExitStack
from fractions import Fraction
from typing import Any

from rrcore.commands.design_answers import amounts_in, answers_in
from rrcore.commands.files import check_outputs, writing
from rrcore.commands.values import add_confidence, adder, headcount, named_part, refuse_given, whole
from rrcore.designs import (
    AMOUNT_DESIGNS,
    BLOCK_DESIGNS,
    DESIGNS,
    LATENT_DESIGNS,
    AmountDesign,
    BlockDesign,
    Design,
    LatentDesign,
    amount_channel,
    amount_error,
    design_facts,
    estimate_blocks,
    estimate_counts,
    rational_probability,
    read_group_files,
)
from rrcore.designs.design import Named
from rrcore.designs.rational import rational_number
from rrcore.errors import InputError
from rrcore.estimate import margin
from rrcore.table import Attribute
from rrcore.table.mark import warning
from rrcore.wording import Quantity, counted, percent, points
from rrcore.wording.json_values import fields_of, finite

_OF_CLASSES: dict[str, Design | LatentDesign] = {**DESIGNS, **LATENT_DESIGNS}
_ALL: dict[str, Design | LatentDesign | AmountDesign | BlockDesign] = {**_OF_CLASSES, **AMOUNT_DESIGNS, **BLOCK_DESIGNS}


def add_designs(command: argparse.ArgumentParser) -> None:
    """Give ``command`` the options of ``designs``, what it runs and how its result is printed."""
    add = adder(command)
    add("name", f"one of {', '.join(_ALL)}; without it all are listed", "NAME", nargs="?")
    add("--numbers", "its probabilities, as in the list; rows by semicolons (default: its example)", "NUMBERS")
    add(
        "--sizes",
        "how many answers the question has, where the design allows it",
        whole("number of categories", 2),
        default=2,
        metavar="SIZES",
    )
    add(
        "--people",
        "how many are asked, to say how precise it is; for shares within groups that are asked openly, those in the group",
        headcount,
        default=1000,
    )
    add(
        "--prevalence",
        "how many have the trait, to say how precise it is",
        _share,
        default="20 %",
        metavar="SHARE",
    )
    add("--counts", "how many people reported what, in the order of the reports; groups by semicolons", _counts, metavar="COUNTS")
    add(
        "--in",
        "instead of --counts: CSV with the column report and, where there are such, group, weight, stratum and cluster",
        "FILE",
        dest="input",
    )
    add("--amounts", "for amounts: the reported ones, one a line, after a comma a weight", "FILE")
    add("--possible", "for amounts: which there are, to say what cards give away", _numbers, metavar="AMOUNTS")
    add("--edges", "with --possible: only the range between these is reported", _numbers, default=(), metavar="AMOUNTS")
    add("--out", "for two groups: writes their mechanism files FILES-1.json and FILES-2.json", "FILES", dest="stem")
    add(
        "--categories",
        "with --out: the attribute and its answers, no first, for example 'smokes=no|yes'",
        "ATTRIBUTE=A|B",
        default="question=no|yes",
    )
    add_confidence(command)
    command.set_defaults(run=_run, tell=_tell)


def _run(options: argparse.Namespace) -> dict[str, Any]:
    if options.name is None:
        refuse_given(options, getattr(options, "given", ()), "Without the name of a design all are listed")
        return {"designs": [_front(key, design) | {"protects": design.protects} for key, design in _ALL.items()]}
    if options.stem is None:
        refuse_given(options, ["categories"], "Without --out no mechanism file is written")
    if options.name not in _ALL:
        raise InputError(f"There is no design '{options.name}': choose among {', '.join(_ALL)}.")
    design = _ALL[options.name]
    text = options.numbers if options.numbers is not None else design.example
    if options.stem is not None and options.name not in LATENT_DESIGNS:
        raise InputError(
            f"--out is for two groups: choose among {', '.join(key for key, one in LATENT_DESIGNS.items() if one.files)}."
        )
    found = _front(options.name, design) | {
        "numbers": text,
        "given": options.numbers is not None,
        "confidence": options.confidence,
    }
    if options.name in AMOUNT_DESIGNS:
        refuse_given(options, ["sizes", "prevalence", "counts", "input"], f"Design '{options.name}' is of amounts")
        if not options.possible:
            refuse_given(options, ["edges"], "Ranges are of the amounts that --possible lists")
        return found | _amounts(AMOUNT_DESIGNS[options.name], text, options)
    if options.amounts or options.possible or options.edges:
        raise InputError(f"--amounts, --possible and --edges are for amounts: choose among {', '.join(AMOUNT_DESIGNS)}.")
    if options.name in BLOCK_DESIGNS:
        refuse_given(options, ["sizes", "input"], f"Answers to '{options.name}' are read from the --counts of every block")
        return found | _blocks(BLOCK_DESIGNS[options.name], text, options)
    return found | _classes(_OF_CLASSES[options.name], text, options)


def _front(key: str, design: Named) -> dict[str, Any]:
    return {"name": key} | fields_of(design, "title parameters example source formula story costs")


def _classes(design: Design | LatentDesign, text: str, options: argparse.Namespace) -> dict[str, Any]:
    if options.input:
        refuse_given(options, ["counts"], f"Reports are read from '{options.input}'")
    people, share = options.people, options.prevalence
    facts = design_facts(design, text, size=options.sizes, people=people, share=share)
    channel, level = facts.channel, facts.channel.level
    found: dict[str, Any] = {
        "groups": list(channel.groups),
        "classes": list(channel.classes),
        "reports": list(channel.reports),
        "channel": [[[str(entry) for entry in row] for row in group] for group in channel.rows],
        "level": None if level is None else {"odds": str(level), "nats": math.log(level)},
        "protects": channel.protects,
        "people": people,
        "share": share,
        "assumes": facts.assumes,
        "errors": {one.name: finite(error) for one, error in zip(channel.quantities, facts.errors, strict=True)},
        "least_errors": {one.name: finite(error) for one, error in zip(channel.quantities, facts.least, strict=True)},
        "open": facts.openly,
    }
    if options.counts:
        found["estimate"] = estimate_counts(channel, options.counts).to_dict(options.confidence)
    if options.input:
        found["estimate"] = answers_in(options.input, channel, options.confidence)
    if options.stem is not None:
        found["files"] = _files(LATENT_DESIGNS[options.name], text, options)
    return found


def _files(design: LatentDesign, text: str, options: argparse.Namespace) -> list[str]:
    name, answers = named_part(options.categories, "--categories 'smokes=no|yes'")
    files = read_group_files(design, text, Attribute(name, tuple(answers.split("|"))))
    names = [f"{options.stem}-{place}.json" for place in range(1, len(files) + 1)]
    check_outputs(names)
    with ExitStack() as all_or_none:
        for place, file in zip(names, files, strict=True):
            all_or_none.enter_context(writing(place)).write(file.to_json().encode())
    return names


def _amounts(design: AmountDesign, text: str, options: argparse.Namespace) -> dict[str, Any]:
    multiplier = design.multiplier(text)
    people = options.people
    found: dict[str, Any] = {
        "protects": "No bound for single amounts.",
        "people": people,
        "factor": str(multiplier.factor),
        "relative_error": amount_error(multiplier, mean=1, deviation=0.5, people=people),
        "open": 0.5 / math.sqrt(people),
    }
    if options.possible:
        channel = amount_channel(options.possible, multiplier, options.edges)
        found |= {"level": None if channel.level is None else str(channel.level), "protects": channel.protects}
    if options.amounts:
        estimate = amounts_in(options.amounts, multiplier)
        found["estimate"] = {
            "people": estimate.people,
            "mean": estimate.value,
            "error": estimate.error,
            "interval": list(estimate.interval(options.confidence)),
        }
    return found


def _blocks(design: BlockDesign, text: str, options: argparse.Namespace) -> dict[str, Any]:
    blocks = design.blocks(design.numbers(text))
    people, share = options.people, options.prevalence
    honest = people * (blocks.size - blocks.lies) / blocks.size
    found: dict[str, Any] = {
        "protects": blocks.guarantee,
        "people": people,
        "share": share,
        "errors": {"yes": math.sqrt(share * (1 - share) / honest)},
        "open": math.sqrt(share * (1 - share) / people),
        "assumes": "",
    }
    if options.counts:
        estimate = estimate_blocks([value for row in options.counts for value in row], blocks)
        entry = {"name": "yes"} | fields_of(estimate, "value error") | {"interval": list(estimate.interval(options.confidence))}
        found["estimate"] = {"people": [estimate.people], "quantities": [entry], "fit": None}
    return found


def _share(text: str) -> float:
    return float(rational_probability(text))


def _counts(text: str) -> list[list[int]]:
    rows = [list(map(whole("count", 0), row.split(","))) for row in text.strip().rstrip(";").split(";")]
    if len({len(row) for row in rows}) > 1:
        raise InputError("The groups have different numbers of counts: give each group a count for every report.")
    return rows


def _numbers(text: str) -> list[Fraction]:
    return [rational_number(part, example="1500 or 0.5") for part in text.split(",")]


def _tell(result: dict[str, Any]) -> str:
    if "designs" in result:
        return "\n".join(
            f"{one['name']}: {one['title']}. {one['protects']}\n  {one['parameters']}, for example {one['example']}\n  {one['source']}"
            for one in result["designs"]
        )
    lines = [
        f"{result['title']}: {result['story']}",
        result["costs"],
        f"From: {result['source']}",
        f"Estimate: {result['formula']}",
        f"Numbers{'' if result['given'] else ' (its example)'}: {result['numbers']} ({result['parameters']})",
    ]
    for group, rows in zip(result.get("groups", ()), result.get("channel", ()), strict=True):
        where = "" if len(result["groups"]) == 1 else f", {group}"
        lines.append(f"Reports{where}: {', '.join(result['reports'])}")
        lines += [f"  {name}: {', '.join(row)}" for name, row in zip(result["classes"], rows, strict=True)]
    lines += [result["protects"], *_precision(result)]
    lines += [f"Mechanism file: {name}" for name in result.get("files", ())]
    if "estimate" in result:
        if mark := result["estimate"].get("simulation"):
            lines.insert(0, warning(mark))
        lines += _estimate(result["estimate"], result["confidence"])
    return "\n".join(lines)


def _precision(result: dict[str, Any]) -> list[str]:
    people = counted(result["people"], "person", "people")
    if "relative_error" in result:
        return [
            f"With {people} and amounts that spread by half their mean, expect the mean to be off by {percent(result['relative_error'])} "
            f"of itself, asked openly by {percent(result['open'])}."
        ]
    taken = f", if {result['assumes']}" if result["assumes"] else ""
    confidence = result["confidence"]
    lines = [
        f"With {people}, {percent(result['share'])} of whom have the trait{taken}, {100 * confidence:g} % of estimates are within:"
    ]
    for name, error in result["errors"].items():
        least = result.get("least_errors", {}).get(name)
        likeliest = (
            ""
            if error is None or least is None or points(least) == points(error)
            else f"; by maximum likelihood {_within(least, confidence)}"
        )
        lines.append(f"  {name}: {'unknown' if error is None else _within(error, confidence)}{likeliest}")
    return [*lines, f"  asked openly: {_within(result['open'], confidence)}"]


def _within(error: float, confidence: float) -> str:
    return Quantity("share", "a design", "the population").within(float(margin(error, confidence)))


def _estimate(found: dict[str, Any], confidence: float) -> list[str]:
    if "mean" in found:
        low, high = found["interval"]
        text = f"{100 * confidence:g} % interval {low:,.6g} to {high:,.6g}"
        return [f"Estimate from {found['people']:,} amounts: {found['mean']:,.6g}, {text}"]
    lines = [f"Estimate from {' + '.join(f'{n:,}' for n in found['people'])} people, with {100 * confidence:g} % intervals:"]
    for one in found["quantities"]:
        if one["value"] is None:
            lines.append(f"  {one['name']}: unknown, as nobody is estimated to have the trait")
            continue
        likeliest = one.get("likeliest")
        inside = "" if likeliest is None or abs(likeliest - one["value"]) < 5e-4 else f"; maximum likelihood {percent(likeliest)}"
        lines.append(f"  {one['name']}: {Quantity('share', one['name']).estimated(one['value'], *one['interval'])}{inside}")
    if found["fit"] is not None:
        lines.append(found["fit"]["text"])
    return lines
