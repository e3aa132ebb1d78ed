"""The options of a command about a survey: what is asked, on which screens, and where answers are kept."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from rrcore.commands.document_options import wordings
from rrcore.commands.files import load, load_mechanism
from rrcore.commands.values import adder, whole
from rrcore.errors import InputError

if TYPE_CHECKING:
    from rrcore.asking import Screens, SurveyFile

_SCREEN_OPTIONS = ("without", "interviewer", "about", "common")

_SCREENS = ("picture", "practice", "one-at-a-time")
"""Screens that can be left out."""


def add_screens(group: argparse._ActionsContainer) -> None:
    """Give a command, or a group of its options, which screens respondents go through."""
    add = adder(group)
    add(
        "--without",
        "a screen that is left out, one for each: the picture of 100 people, practice, or one question at a time",
        _SCREENS,
        many=True,
    )
    add("--interviewer", "the device is handed on: the next person starts clean, interviews are counted", action="store_true")
    add(
        "--about",
        "the attribute that picture and practice are about, and the answer that is counted",
        "ATTRIBUTE[=ANSWER]",
    )
    add("--common", "a guess how many of 100 people have that answer", whole("guess how many of 100 people"), default=0)


def _screens(options: argparse.Namespace) -> Screens:
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
    )


def add_database(command: argparse.ArgumentParser, more: str = "") -> None:
    """Give ``command`` the option ``--db``, the survey, or ``more``."""
    adder(command)("--db", f"the survey, an SQLite file{more}", "FILE", required=True)


def survey_of(options: argparse.Namespace) -> SurveyFile:
    """What is asked: the survey file that is given, or what other options say. Raises InputError if there is neither or both."""
    from rrcore.asking import SurveyFile

    if options.survey:
        asked = ("mechanism", "title", "introduction", "wording", "language")
        if twice := next((name for name in (*asked, *_SCREEN_OPTIONS) if getattr(options, name)), None):
            raise InputError(f"The survey file says all that is asked: leave out --{twice}, or --survey.")
        return SurveyFile.from_json(load(options.survey))
    if not options.mechanism:
        raise InputError("It is not said what is asked: add --survey FILE, or --mechanism FILE.")
    mechanism = load_mechanism(options.mechanism)
    return SurveyFile(
        mechanism,
        options.title or "Survey",
        options.introduction,
        wordings(options, mechanism.schema.names),
        language=options.language or "en",
        screens=_screens(options),
    )
