"""The command ``form``: what asks people by a mechanism file."""

from __future__ import annotations

import argparse
from typing import Any

from rrcore.asking import LANGUAGES, form_fingerprint
from rrcore.asking.sentences import read_sentences
from rrcore.commands.document_options import add_wordings
from rrcore.commands.files import load, save
from rrcore.commands.survey_options import add_screens, survey_of
from rrcore.commands.values import adder


def add_form(command: argparse.ArgumentParser) -> None:
    """Give ``command`` the options of ``form``, what it runs and how its result is printed."""
    add = adder(command)
    add("--survey", "a survey file, which holds the mechanism file and all that the form says", "FILE")
    add("--mechanism", "a mechanism file", "FILE")
    add("--out", "where to write the form, one HTML file", "FILE", required=True)
    add("--title", "the title that respondents see (default Survey)", "TEXT", default="")
    add("--introduction", "a text above the explanation", "TEXT", default="")
    add_wordings(command)
    add("--language", "of everything but what you type (default en)", LANGUAGES)
    add(
        "--sentences",
        "texts of your own in place of a language's: a copy of a file of rrcore/asking/languages, translated",
        "FILE",
    )
    add("--send-to", "where respondents can send their randomised answers", "URL", default="")
    add_screens(command)
    command.set_defaults(run=_form, tell=_tell_form)


def _form(options: argparse.Namespace) -> dict[str, Any]:
    survey = survey_of(options)
    own = read_sentences(load(options.sentences)) if options.sentences else None
    form = survey.form(address=options.send_to, sentences=own)
    save(options.out, form)
    return {
        "form": options.out,
        "language": own.code if own else survey.language,
        "mechanism": survey.mechanism.sha256,
        "form_sha256": form_fingerprint(form),
    }


def _tell_form(result: dict[str, Any]) -> str:
    language = LANGUAGES.get(result["language"], result["language"])
    text = f"form in {language} written to {result['form']}, for the mechanism file {result['mechanism']}"
    return "\n".join([text, to_publish(result["form_sha256"])])


def to_publish(fingerprint: str) -> str:
    """What a command says of the fingerprint of a form."""
    return f"To publish, so that respondents can check the form: sha256 of the form {fingerprint}"
