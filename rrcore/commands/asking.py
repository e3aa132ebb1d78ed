"""The commands ``form``, ``xlsform`` and ``sheet``: what asks people by a mechanism file, on a screen, in ODK or Kobo, or on paper."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from rrcore.asking import LANGUAGES, SurveyFile, form_fingerprint
from rrcore.asking.sentences import read_sentences
from rrcore.commands.document_options import add_wordings, wordings
from rrcore.commands.files import STANDARD, load, load_mechanism, note, save, writing
from rrcore.commands.survey_options import add_screens, survey_of
from rrcore.commands.values import adder
from rrcore.errors import InputError
from rrcore.wording import and_text, exact_odds_text

if TYPE_CHECKING:
    from rrcore.asking.paper import Device


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


def add_xlsform(command: argparse.ArgumentParser) -> None:
    """Give ``command`` the options of ``xlsform``."""
    add = adder(command)
    add("--survey", "a survey file, which holds the mechanism file, all that is asked, and its translations", "FILE")
    _add_texts(
        command,
        "the workbook (.xlsx), to be uploaded to ODK Central, KoboToolbox or an Enketo server",
        language=False,
        required=False,
        title="",
    )
    add(
        "--language",
        "of everything but what you type; give it again for a form in several languages (default: en, or those of the survey file)",
        LANGUAGES,
        many=True,
    )
    command.set_defaults(
        run=_xlsform, tell=lambda made: f"XLSForm written to {made['xlsform']}; sha256 {made['mechanism']}\n{made['randomness']}"
    )


def add_sheet(command: argparse.ArgumentParser) -> None:
    """Give ``command`` the options of ``sheet``."""
    from rrcore.asking.paper import DEVICES, PAPERS

    add = adder(command)
    _add_texts(command, "the sheets, one HTML file to be printed", introduction=False)
    add(
        "--device",
        f"what decides: {', '.join(DEVICES)}, or cards-N for N numbered cards; given again, that of one question (default: die)",
        "[ATTRIBUTE=]DEVICE",
        many=True,
    )
    add("--paper", "size of the paper", PAPERS, default="a4")
    add("--mechanism-out", "where the mechanism file of what the device does goes: the answers are read with it", "FILE")
    command.set_defaults(run=_sheet, tell=_tell_sheet)


def _add_texts(
    command: argparse.ArgumentParser,
    written: str,
    *,
    introduction: bool = True,
    language: bool = True,
    required: bool = True,
    title: str = "Survey",
) -> None:
    add = adder(command)
    add("--mechanism", "a mechanism file", "FILE", required=required)
    add("--out", f"where to write {written}", "FILE", required=True)
    add("--title", "the title that respondents see (default Survey)", "TEXT", default=title)
    if introduction:
        add("--introduction", "a text above the explanation", "TEXT", default="")
    add_wordings(command)
    if language:
        add("--language", "of everything but what you type", LANGUAGES, default="en")


def _form(options: argparse.Namespace) -> dict[str, Any]:
    survey = survey_of(options, "Survey")
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


def _xlsform(options: argparse.Namespace) -> dict[str, Any]:
    from rrcore.asking.exchange import RANDOMNESS, xlsform

    if options.survey or not options.mechanism:  # languages are chosen apart
        survey = survey_of(argparse.Namespace(**(vars(options) | {"language": ""})))
    else:
        made_by = load_mechanism(options.mechanism)
        survey = SurveyFile(made_by, options.title or "Survey", options.introduction, wordings(options, made_by.schema.names))
    mechanism, languages = survey.mechanism, options.language or [survey.language, *survey.translations]
    asked = {name: getattr(survey, name) for name in ("title", "introduction", "questions", "unrandomised", "translations")}
    made = xlsform(mechanism, **asked, languages=languages)
    if options.out != STANDARD and not options.out.lower().endswith(".xlsx"):
        raise InputError(f"'{options.out}' is to be a workbook: let its name end in .xlsx.")
    save(options.out, made)
    if left_out := [what for what, is_asked in _of_forms_alone(survey).items() if is_asked]:
        note(f"Not in an XLSForm, though the survey file has it: {and_text(left_out)}.")
    return {"xlsform": options.out, "languages": languages, "mechanism": mechanism.sha256, "randomness": RANDOMNESS}


def _of_forms_alone(survey: SurveyFile) -> dict[str, bool]:
    """What a survey file may ask for that the respondents' form alone can do, and whether this one does."""
    return {
        "codes of invitation": survey.invited,
        "an order of the questions": bool(survey.order),
    }


def _sheet(options: argparse.Namespace) -> dict[str, Any]:
    from rrcore.asking.paper import nearest, sheets

    mechanism = load_mechanism(options.mechanism)
    survey = nearest(mechanism, _devices(options.device, mechanism.schema.names))
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


def _devices(texts: Sequence[str], names: Sequence[str]) -> dict[str, Device]:
    """Attribute -> device: what is given for one question, and for the others what is given without one."""
    from rrcore.asking.paper import read_device

    everywhere: list[Device] = []
    own: dict[str, Device] = {}
    for text in texts:
        name, sign, key = text.rpartition("=")
        if not sign:
            everywhere.append(read_device(text.strip()))
        elif name.strip() not in names or name.strip() in own:
            raise InputError(f"'{text[:60]}' is not understood: name each question once, out of {', '.join(names[:20])}.")
        else:
            own[name.strip()] = read_device(key.strip())
    if len(everywhere) > 1:
        raise InputError("Two devices are given for all questions: write --device 'attribute=device' for that of one question.")
    return dict.fromkeys(names, everywhere[0] if everywhere else read_device("die")) | own


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
