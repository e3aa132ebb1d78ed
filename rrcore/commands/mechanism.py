"""The commands ``mechanism`` (a plan or designs in the field as a mechanism file) and ``certify`` (what such a file promises, exactly)."""

import argparse
from typing import Any

from rrcore.budget import Plan
from rrcore.commands.document_options import add_document, check_report, front, wordings
from rrcore.commands.files import load, load_mechanism, save
from rrcore.commands.planned import add_categories, declared
from rrcore.commands.progress import shown
from rrcore.commands.values import adder, headcount, named_part
from rrcore.designs import DESIGNS, read_question
from rrcore.errors import InputError
from rrcore.promise import MechanismFile
from rrcore.table import Schema


def add_mechanism(command: argparse.ArgumentParser) -> None:
    """Give ``command`` the options of ``mechanism``, what it runs and how its result is printed."""
    add = adder(command)
    add("--plan", "a plan saved by 'Download plan'", "FILE")
    add(
        "--design",
        f"instead of --plan, one for each attribute, for example 'smokes=forced:2/3,1/6,1/6'; designs: {', '.join(DESIGNS)}",
        "ATTRIBUTE=DESIGN:NUMBERS",
        many=True,
    )
    add_categories(command, "with --design: ")
    add("--made-by", "who made the file, for people who read it", "TEXT", default="")
    add("--note", "a note in the file", "TEXT", default="")
    add("--out", "the mechanism file to write", "FILE", required=True)
    command.set_defaults(run=_make, tell=_tell)


def add_certify(command: argparse.ArgumentParser) -> None:
    """Give ``command`` the options of ``certify``."""
    add = adder(command)
    add("--mechanism", "a mechanism file", "FILE", required=True)
    add("--people", "how many will be asked; needed with --report", headcount)
    add_document(command, "what will be asked and what that protects, to be read before collection,")
    command.set_defaults(run=_certify, tell=_tell)


def _certify(options: argparse.Namespace) -> dict[str, Any]:
    made = load_mechanism(options.mechanism)
    check_report(options)
    if options.report:
        if options.people is None:
            raise InputError("The report says how precise answers will be: add --people, for example --people 1000.")
        from rrcore.report import report_before

        asked = wordings(options, made.schema.names)
        save(options.report, report_before(made, front(options), people=options.people, wordings=asked))
    return _certificate(made)


def _make(options: argparse.Namespace) -> dict[str, Any]:
    if bool(options.plan) == bool(options.design):
        raise InputError("Give either --plan or a --design for every attribute.")
    if options.plan:
        if options.categories:
            raise InputError("A plan has its categories: give --categories with --design alone.")
        plan = Plan.from_json(load(options.plan))
        made = MechanismFile.from_plan(plan, made_by=options.made_by, note=options.note, report=shown())
    else:
        made = _designed(options)
    save(options.out, made.to_json())
    return _certificate(made)


def _designed(options: argparse.Namespace) -> MechanismFile:
    categories = declared(options)
    attributes, reports, groups = [], [], []
    for position, text in enumerate(options.design):
        name, rest = named_part(text, "--design 'attribute=...'")
        if name not in categories:
            raise InputError(f"The categories of '{name}' are not given: add --categories '{name}=no|yes'.")
        attributes.append(categories[name])
        key, _, numbers = rest.partition(":")
        weights, reported = read_question(attributes[-1], key, numbers)
        groups.append(((position,), weights))
        reports.append(reported)
    return MechanismFile(Schema(tuple(attributes)), tuple(groups), options.made_by, options.note, Schema(tuple(reports)))


def _certificate(made: MechanismFile) -> dict[str, Any]:
    names = made.schema.names
    return (
        {"sha256": made.sha256, "made_by": made.made_by, "note": made.note}
        | made.certificate.to_dict(names)
        | {"text": made.certificate.text(names)}
    )


def _tell(result: dict[str, Any]) -> str:
    return "\n".join([result["text"], f"sha256 {result['sha256']}"])
