"""The command ``document``: what others ask for of a mechanism file, and code by which other programs read its answers."""

import argparse
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import PurePath
from typing import Any

from rrcore.budget import Plan
from rrcore.commands.document_options import add_front, front, typed, wordings
from rrcore.commands.files import STANDARD, load, load_mechanism, save
from rrcore.commands.progress import shown
from rrcore.commands.values import adder, headcount
from rrcore.errors import InputError
from rrcore.promise import MechanismFile


@dataclass(frozen=True)
class _Kind:
    """A kind of document.

    Parameters
    ----------
    title : what it is
    endings : how the name of its file may end
    make : makes it of the module ``rrcore.report``, the mechanism file, and what is typed about the survey
    own : the options that are for this kind and not for all -> what they are called there
    written : whether it is a text about a survey, with people, a front and questions
    """

    title: str
    endings: tuple[str, ...]
    make: Callable[[Any, MechanismFile, Mapping[str, Any]], Any]
    own: Mapping[str, str] = field(default_factory=dict)
    written: bool = True


_KINDS = {
    "registration": _Kind(
        "a pre-registration: design, hypotheses, sample size, analysis",
        (".md", ".docx"),
        lambda report, file, about: report.registration(file, **about),
        {"hypothesis": "hypotheses"},
    ),
    "data-management": _Kind(
        "a section of a data management plan",
        (".md", ".docx"),
        lambda report, file, about: report.management_section(file, **about),
    ),
    "registry": _Kind(
        "an entry for the registry of deployments of differential privacy",
        (".yaml", ".yml"),
        lambda report, file, about: report.registry_entry(file, **about),
        {"region": "region"},
    ),
    "r": _Kind(
        "a script in base R that reads mechanism file and answers",
        (".R", ".r"),
        lambda report, file, about: report.r_script(),
        written=False,
    ),
    "stata": _Kind("a Stata do-file for shares", (".do",), lambda report, file, about: report.stata_do_file(file), written=False),
}


def add_document(command: argparse.ArgumentParser) -> None:
    """Give ``command`` the options of ``document``, what it runs and how its result is printed."""
    add = adder(command)
    titles = "; ".join(f"{name}: {kind.title}" for name, kind in _KINDS.items())
    command.add_argument("document", choices=list(_KINDS), metavar="KIND", help=titles)
    add("--mechanism", "a mechanism file", "FILE")
    add("--plan", "instead of --mechanism, a plan saved by 'Download plan'", "FILE")
    add("--people", "how many people are asked; with --plan as many as it says", headcount)
    add("--out", "where to write it; .docx gives a Word file, .md or no ending Markdown", "FILE", required=True)
    add("--hypothesis", "of a pre-registration, one sentence; may be given again", "TEXT", many=True)
    add("--region", "of an entry for the registry: where these people live", "TEXT", default="")
    add_front(command, "document")
    command.set_defaults(run=_run, tell=_tell)


def _run(options: argparse.Namespace) -> dict[str, Any]:
    from rrcore import report

    kind = _KINDS[options.document]
    _check(options, kind)
    if bool(options.mechanism) == bool(options.plan):
        raise InputError("Give either --mechanism or --plan.")
    people = options.people
    if options.plan:
        plan = Plan.from_json(load(options.plan))
        file = MechanismFile.from_plan(plan, report=shown())
        people = people or plan.respondents
    else:
        file = load_mechanism(options.mechanism)
    if kind.written and people is None:
        raise InputError("The document says how many people are asked: add --people, for example --people 1000.")
    about: dict[str, Any] = {}
    if kind.written:
        about = {"front": front(options), "people": people, "wordings": wordings(options, file.schema.names)}
        about |= {called: getattr(options, name) for name, called in kind.own.items()}
    made = kind.make(report, file, about)
    if isinstance(made, report.Written):
        made = made.docx() if options.out.lower().endswith(".docx") else made.markdown()
    save(options.out, made)
    return {"document": options.document, "out": options.out, "mechanism": file.sha256}


def _check(options: argparse.Namespace, kind: _Kind) -> None:
    """Refuse options that this kind of document does nothing with."""
    own = {name for each in _KINDS.values() for name in each.own} - {*kind.own}
    given = [name for name in sorted(own) if getattr(options, name)]
    given += [] if kind.written else [*typed(options), *(["people"] if options.people else [])]
    if given:
        raise InputError(f"--{given[0]} is for another document than '{options.document}': leave it out.")
    if options.out != STANDARD and PurePath(options.out).suffix not in ("", *kind.endings):
        raise InputError(f"'{options.out}' is to be {kind.title}: let its name end in {' or '.join(kind.endings)}.")


def _tell(result: dict[str, Any]) -> str:
    title = _KINDS[result["document"]].title
    return f"{title[0].upper()}{title[1:]}, written to {result['out']}; sha256 {result['mechanism']}"
