"""The commands ``form``, ``xlsform`` and ``sheet``: what asks people by a mechanism file, on a screen, in ODK or Kobo, or on paper."""

from __future__ import annotations

import argparse
from typing import Any

from rrcore.asking import LANGUAGES, form_fingerprint
from rrcore.commands.documents import add_wordings, survey_of, wordings
from rrcore.commands.files import STANDARD, load_mechanism, save, writing
from rrcore.commands.values import adder
from rrcore.errors import InputError
from rrcore.promise import MechanismFile
from rrcore.wording import exact_odds_text


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
    add("--send-to", "where respondents can send their randomised answers", "URL", default="", old="--address")
    add("--memory", "memoise answers on the respondent's device, for people who will be asked again", action="store_true")
    command.set_defaults(run=_form, tell=_tell_form)


def add_xlsform(command: argparse.ArgumentParser) -> None:
    """Give ``command`` the options of ``xlsform``."""
    add = adder(command)
    _add_texts(command, "the workbook (.xlsx), to be uploaded to ODK Central, KoboToolbox or an Enketo server", language=False)
    add(
        "--language",
        "of everything but what you type; give it again for a form in several languages (default: en)",
        LANGUAGES,
        action="append",
        default=[],
    )
    command.set_defaults(run=_xlsform, tell=_tell_xlsform)


def add_sheet(command: argparse.ArgumentParser) -> None:
    """Give ``command`` the options of ``sheet``."""
    from rrcore.asking.paper import DEVICES, PAPERS

    add = adder(command)
    _add_texts(command, "the sheets, one HTML file to be printed", introduction=False)
    add("--device", f"what decides: {', '.join(DEVICES)}, or cards-N for N numbered cards", default="die")
    add("--paper", "size of the paper", PAPERS, default="a4")
    add("--mechanism-out", "where the mechanism file of what the device does goes: the answers are read with it", "FILE")
    command.set_defaults(run=_sheet, tell=_tell_sheet)


def _add_texts(command: argparse.ArgumentParser, written: str, *, introduction: bool = True, language: bool = True) -> None:
    add = adder(command)
    add("--mechanism", "a mechanism file", "FILE", required=True)
    add("--out", f"where to write {written}", "FILE", required=True)
    add("--title", "the title that respondents see", "TEXT", default="Survey")
    if introduction:
        add("--introduction", "a text above the explanation", "TEXT", default="")
    add_wordings(command)
    if language:
        add("--language", "of everything but what you type", LANGUAGES, default="en")


def _texts(options: argparse.Namespace, mechanism: MechanismFile) -> dict[str, Any]:
    asked = wordings(options, mechanism.schema.names)
    return {"title": options.title, "introduction": options.introduction, "questions": asked}


def _form(options: argparse.Namespace) -> dict[str, Any]:
    survey = survey_of(options, "Survey")
    form = survey.form(address=options.send_to)
    save(options.out, form)
    return {
        "form": options.out,
        "language": survey.language,
        "mechanism": survey.mechanism.sha256,
        "form_sha256": form_fingerprint(form),
    }


def _tell_form(result: dict[str, Any]) -> str:
    text = f"form in {LANGUAGES[result['language']]} written to {result['form']}; sha256 {result['mechanism']}"
    return f"{text}\n{to_publish(result['form_sha256'])}"


def to_publish(fingerprint: str) -> str:
    """What a command says of the fingerprint of a form."""
    return f"To publish, so that respondents can check the form: sha256 of the form {fingerprint}"


def _xlsform(options: argparse.Namespace) -> dict[str, Any]:
    from rrcore.asking.exchange import RANDOMNESS, xlsform

    mechanism, languages = load_mechanism(options.mechanism), options.language or ["en"]
    made = xlsform(mechanism, **_texts(options, mechanism), languages=languages)
    if options.out != STANDARD and not options.out.lower().endswith(".xlsx"):
        raise InputError(f"'{options.out}' is to be a workbook: let its name end in .xlsx.")
    save(options.out, made)
    return {"xlsform": options.out, "languages": languages, "mechanism": mechanism.sha256, "randomness": RANDOMNESS}


def _tell_xlsform(result: dict[str, Any]) -> str:
    return f"XLSForm written to {result['xlsform']}; sha256 {result['mechanism']}\n{result['randomness']}"


def _sheet(options: argparse.Namespace) -> dict[str, Any]:
    from rrcore.asking.paper import nearest, read_device, sheets

    mechanism = load_mechanism(options.mechanism)
    survey = nearest(mechanism, read_device(options.device))
    asked = wordings(options, mechanism.schema.names)
    pages = sheets(survey, title=options.title, questions=asked, language=options.language, paper=options.paper)
    with writing(options.out) as out:  # both files, or neither
        out.write(pages.encode())
        if options.mechanism_out:
            save(options.mechanism_out, survey.mechanism.to_json())
    return {
        "sheets": options.out,
        "mechanism": survey.mechanism.sha256,
        "same_mechanism": survey.mechanism.sha256 == mechanism.sha256,
        "questions": [
            {
                "attribute": question.name,
                "exact": question.exact,
                "odds": None if level is None else exact_odds_text(level),
                "variance_ratio": question.cost if question.cost < float("inf") else None,
            }
            for question, level in zip(survey.questions, survey.levels, strict=True)
        ],
    }


def _tell_sheet(result: dict[str, Any]) -> str:
    lines = [f"sheets written to {result['sheets']}"]
    for question in result["questions"]:
        odds = "no bound" if question["odds"] is None else f"odds up to x {question['odds']}"
        ratio = question["variance_ratio"]
        cost = "its answers cannot be read" if ratio is None else f"{ratio:.2f} times as many people for the same precision"
        lines.append(
            f"{question['attribute']}: {odds}, {'exactly as planned' if question['exact'] else f'nearest to the plan, {cost}'}"
        )
    same = "The device does exactly what the mechanism file says: read the answers with that file."
    other = "Read the answers with the file of what the device does, which --mechanism-out writes."
    lines.append(same if result["same_mechanism"] else other)
    return "\n".join([*lines, f"sha256 {result['mechanism']}"])
