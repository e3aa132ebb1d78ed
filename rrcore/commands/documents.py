"""Options that several commands have: what stands at the head of a document, how questions are asked, where answers are kept."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from typing import TYPE_CHECKING

from rrcore.commands.files import load, load_mechanism
from rrcore.commands.values import adder, whole
from rrcore.designs import rational_probability
from rrcore.errors import InputError

if TYPE_CHECKING:
    from rrcore.asking import Screens, SurveyFile
    from rrcore.report import Front

PLACE = "an SQLite file, or the URL of a PostgreSQL database such as postgresql://user@host/name"
"""Where a survey or a ledger can be kept."""

SCREEN_OPTIONS = ("without", "interviewer", "about", "common", "passed", "timed")
"""The options that ``add_screens`` gives."""

_SCREENS = ("picture", "practice", "check", "one-at-a-time")
"""Screens that can be left out."""

_TYPED = ("title", "author", "organisation", "date", "reasons")


def add_document(command: argparse.ArgumentParser, what: str) -> None:
    """Give ``command`` the options of a document; ``what`` is what its report is."""
    group = command.add_argument_group("report")
    add = adder(group)
    add("--report", f"write {what} as one HTML file", "FILE")
    add_front(group, "report")


def add_front(group: argparse._ActionsContainer, what: str) -> None:
    """Give a command, or a group of its options, what stands at the head of a document, and how questions are asked."""
    add = adder(group)
    for name in _TYPED:
        add(f"--{name}", f"{name} in the {what}", "TEXT", default="")
    add_wordings(group)


def add_internal(command: argparse.ArgumentParser) -> None:
    """Give ``command``, which reports on answers, the choice of a report that is not for handing out."""
    text = "with --report: also name the files, and where rows were left out; not for handing out"
    adder(command)("--internal", text, action="store_true")


def add_wordings(group: argparse._ActionsContainer) -> None:
    """Give a command, or a group of its options, how questions are asked."""
    adder(group)(
        "--wording", "how an attribute is asked, one for each, for example 'smokes=Do you smoke?'", "ATTRIBUTE=TEXT", many=True
    )


def add_screens(group: argparse._ActionsContainer) -> None:
    """Give a command, or a group of its options, which screens respondents go through."""
    add = adder(group)
    add(
        "--without",
        "a screen that is left out, one for each: the picture of 100 people, practice, the check question, or one question at a time",
        _SCREENS,
        many=True,
    )
    add("--interviewer", "the device is handed on: the next person starts clean, interviews are counted", action="store_true")
    add(
        "--about",
        "the attribute that picture, practice and check are about, and the answer that is counted",
        "ATTRIBUTE[=ANSWER]",
    )
    add(
        "--directly",
        "of 100 people so many are asked directly, by chance: nothing protects their answers, which the form tells them first",
        whole("number of 100 people asked directly"),
        default=0,
    )
    add("--common", "a guess how many of 100 people have that answer", whole("guess how many of 100 people"), default=0)
    add(
        "--passed",
        "an attribute that the form fills in: whether the check question was passed, its second answer",
        "ATTRIBUTE",
        default="",
    )
    add(
        "--timed",
        "an attribute of three answers that the form fills in: how long a question took on average",
        "ATTRIBUTE",
        default="",
    )


def screens_of(options: argparse.Namespace) -> Screens:
    """The screens that the options say."""
    from rrcore.asking import Screens

    left_out = {each.replace("-", "_"): False for each in options.without}
    about, _, answer = (options.about or "").partition("=")
    return Screens(
        **left_out,
        interviewer=options.interviewer,
        about=about.strip(),
        answer=answer.strip(),
        common=options.common,
        passed=options.passed.strip(),
        timed=options.timed.strip(),
    )


def add_database(command: argparse.ArgumentParser, what: str = "where answers are kept", more: str = "") -> None:
    """Give ``command`` the option ``--db``, which is ``what``, or ``more``."""
    adder(command)("--db", f"{what}: {PLACE}{more}", "FILE_OR_URL", required=True)


def check_report(options: argparse.Namespace) -> None:
    """Refuse options of a report that is not written."""
    given = typed(options)
    if given and not options.report:
        raise InputError(f"--{given[0]} is for a report, and none is written: add --report FILE, or leave --{given[0]} out.")


def typed(options: argparse.Namespace) -> list[str]:
    """The options of ``add_front`` that were given."""
    return [name for name in (*_TYPED, "wording") if getattr(options, name)]


def front(options: argparse.Namespace) -> Front:
    """What stands at the head of the document."""
    from rrcore.report import Front

    return Front(**{name: getattr(options, name) for name in _TYPED})


def wordings(options: argparse.Namespace, names: tuple[str, ...]) -> dict[str, str]:
    """Attribute -> how it is asked. Raises InputError for one that is not among ``names``."""
    found = {}
    for text in options.wording:
        name, sign, asked = text.partition("=")
        if not sign or name.strip() not in names:
            raise InputError(
                f"'{text[:60]}' is not understood: write --wording 'attribute=question', with one of {', '.join(names[:20])}."
            )
        found[name.strip()] = asked
    return found


def add_redrawn(add: Callable[..., None]) -> None:
    """Give a command, or a group of its options, how often what is remembered is redrawn."""
    remembered = "with --memory: two stages, how often what is remembered is replaced in every wave; the mechanism file is that of one report"
    add("--redrawn", f"{remembered}, from 'rrcore mechanism --redrawn'", rational_probability, metavar="SHARE")


def survey_of(options: argparse.Namespace, title: str = "") -> SurveyFile:
    """What is asked: the survey file that is given, or what other options say. ``title`` is that of a survey without one.

    Raises
    ------
    InputError
        Where there is neither, both, or a new survey has no title.
    """
    from rrcore.asking import SurveyFile

    if options.survey:
        asked = ("mechanism", "title", "introduction", "wording", "language", "invited", "memory", "redrawn", "directly")
        if twice := next((name for name in (*asked, *SCREEN_OPTIONS) if getattr(options, name, None)), None):
            raise InputError(f"The survey file says all that is asked: leave out --{twice}, or --survey.")
        return SurveyFile.from_json(load(options.survey))
    if not options.mechanism:
        raise InputError("It is not said what is asked: add --survey FILE, or --mechanism FILE and --title.")
    mechanism, called = load_mechanism(options.mechanism), options.title or title
    if not called.strip():
        raise InputError("A new survey needs a name that respondents see: add --title.")
    return SurveyFile(
        mechanism,
        called,
        options.introduction,
        wordings(options, mechanism.schema.names),
        language=options.language or "en",
        invited=getattr(options, "invited", False),
        memory=options.memory,
        screens=screens_of(options),
        directly=options.directly,
        redrawn="" if options.redrawn is None else str(options.redrawn),
    )
