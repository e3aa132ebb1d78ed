"""The command ``survey``: form, server, invitations and collected answers."""

import datetime as dt
from typing import Annotated, Literal

from cyclopts import App, Parameter

from rrcore.answers import alone_sentence
from rrcore.answers.anysize import save_answers
from rrcore.asking import LANGUAGES, SurveyFile, form_fingerprint
from rrcore.cli import options
from rrcore.cli.output import USUAL, Result, note, save
from rrcore.errors import InputError, need
from rrcore.ledger import Ledger
from rrcore.promise import MechanismFile
from rrcore.receiver import open_store
from rrcore.wording import count_text, counted

survey = App(name="survey", help="Run a survey that randomizes answers on respondents' devices.", default_parameter=USUAL)

New = Annotated[str, Parameter(group=options.SURVEY)]
NewFile = Annotated[options.File, Parameter(group=options.SURVEY)]
Url = Annotated[str, Parameter(group=options.WEB, metavar="URL")]


class SurveyResult(Result, tag="survey"):
    """A survey, and the result of a command. ``n`` is the number of answers or codes."""

    title: str
    state: Literal["form", "open", "paused", "closed"]
    n: int = 0
    mechanism: str = ""
    form_sha256: str = ""


@survey.command
def form(
    *,
    survey: NewFile = "",
    mechanism: NewFile = "",
    title: New = "",
    wording: Annotated[options.Pairs, Parameter(group=options.SURVEY, metavar="NAME=TEXT")] = (),
    language: New = "",
    send_to: Url = "",
    out: options.Out,
) -> SurveyResult:
    """Write the respondents' form, one HTML file that asks and randomizes.

    Parameters
    ----------
    survey
        Survey file with all texts and screens
    mechanism
        Mechanism file, instead of a survey file
    title
        Title shown to respondents [Survey]
    wording
        Wording of an attribute's question, such as 'smokes=Do you smoke?'
    language
        Language of the form, such as en, de, es or fr [en]
    send_to
        Address to which the form sends randomized answers
    out
        HTML file to write
    """
    if survey:
        asked = SurveyFile.load(survey)
    else:
        asked = SurveyFile(_mechanism(mechanism), title or "Survey", "", dict(wording), language=language or "en")
    made = asked.form(address=send_to)
    save(out, made)
    sha256 = form_fingerprint(made)
    sentences = [
        f"Form in {LANGUAGES[asked.language]} written to {out}.",
        f"Publish this fingerprint, so that respondents can check the form: sha256 {sha256}",
    ]
    file = asked.mechanism.sha256
    return SurveyResult(title=asked.title, state="form", mechanism=file, form_sha256=sha256, sentences=sentences, out=out)


def _mechanism(name: str) -> MechanismFile:
    if not name:
        raise InputError("The questions of the survey are missing. Use --survey, or --mechanism with the other options.")
    return MechanismFile.load(name)


@survey.command
def serve(
    *,
    db: options.File,
    survey: NewFile = "",
    mechanism: NewFile = "",
    title: New = "",
    invited: Annotated[bool, Parameter(group=options.SURVEY)] = False,
    host: Annotated[str, Parameter(group=options.WEB)] = "127.0.0.1",
    port: Annotated[int, Parameter(group=options.WEB)] = 8000,
    address: Url = "",
    tls: Annotated[tuple[str, str] | None, Parameter(group=options.WEB, metavar="CERTIFICATE KEY")] = None,
    behind_proxy: Annotated[bool, Parameter(group=options.WEB)] = False,
    origin: Annotated[tuple[str, ...], Parameter(group=options.WEB, metavar="URL")] = (),
    per_minute: Annotated[int, Parameter(show=False)] = 3000,
    poll: Annotated[bool, Parameter(show=False)] = False,
) -> None:
    """Serve the form and receive answers.

    Parameters
    ----------
    db
        Survey database, created if it does not exist
    survey
        Survey file with all texts and screens
    mechanism
        Mechanism file, instead of a survey file
    title
        Title of the survey
    invited
        Restriction to people with an invitation code
    host
        Address to listen on
    port
        Port to listen on, 0 for a free one
    address
        Address of the form for respondents [localhost and the port]
    tls
        Certificate and key as PEM files, if no other server provides https
    behind_proxy
        Sender's address from the last entry of X-Forwarded-For
    origin
        Another site that may send answers, or null for a saved form
    """
    for library in ("starlette", "uvicorn", "cryptography"):
        need(library, "The receiver")
    from rrcore.receiver.serving import serve_survey

    asked: SurveyFile | MechanismFile | None = SurveyFile.load(survey) if survey else None
    if not survey and (mechanism or title or invited):
        made = _mechanism(mechanism)
        asked = SurveyFile(made, title, invited=invited) if title else made
    web = {"host": host, "port": port, "address": address, "tls": tls, "behind_proxy": behind_proxy, "origins": origin}
    serve_survey(db, asked, per_minute=per_minute, poll=poll, say=note, **web)  # type: ignore[arg-type]


@survey.command
def invite(*, db: options.File, number: int, out: options.Out, address: Url = "") -> SurveyResult:
    """Write invitation codes, each of which works only once.

    Parameters
    ----------
    db
        Survey database
    number
        Number of codes
    out
        CSV file to write
    address
        Address of the form, for a link with each code
    """
    need("cryptography", "An invitation")
    from rrcore.receiver.invitations import write_invitations

    store = open_store(db)
    used, known = write_invitations(store, number, out, address=address)
    sentences = [
        f"{counted(number, 'invitation code', 'invitation codes')} written to {out}. They cannot be shown again.",
        f"{count_text(used)} of all {count_text(known)} codes are used.",
    ]
    return SurveyResult(title=store.title, state="open", n=number, sentences=sentences, out=out)


@survey.command
def pause(*, db: options.File) -> SurveyResult:
    """Pause a survey, so that it accepts no answers.

    Parameters
    ----------
    db
        Survey database
    """
    store = open_store(db)
    store.pause(dt.date.today())
    return SurveyResult(title=store.title, state="paused", sentences=[f"'{store.title}' is paused."])


@survey.command
def resume(*, db: options.File) -> SurveyResult:
    """Resume a paused survey.

    Parameters
    ----------
    db
        Survey database
    """
    store = open_store(db)
    store.resume()
    return SurveyResult(title=store.title, state="open", sentences=[f"'{store.title}' takes answers."])


@survey.command
def close(
    *,
    db: options.File,
    on: dt.date | None = None,
    ledger: Annotated[options.File, Parameter(group=options.LEDGER)] = "",
    population: Annotated[str, Parameter(group=options.LEDGER)] = "",
    n: Annotated[int | None, Parameter(group=options.LEDGER)] = None,
    report: options.Out = "",
) -> SurveyResult:
    """Close a survey, record the release and write the report.

    Parameters
    ----------
    db
        Survey database
    on
        Last day of the survey, such as 2026-01-31 [today]
    ledger
        Ledger file that records the release
    population
        With --ledger: name of the group of people, such as 'panel 2026'
    n
        With --ledger: number of people invited [number of respondents]
    report
        HTML file for the report
    """
    from rrcore.reports import close_survey

    book = Ledger.open(ledger) if ledger else None
    closing = close_survey(open_store(db), on=on, ledger=book, population=population, people=n)
    sentences, mechanism = list(closing.sentences()), closing.survey.mechanism.sha256
    if report and closing.report:
        save(report, closing.report)
        sentences.append(f"Report written to {report}.")
    title, answers = closing.survey.title, closing.survey.n
    return SurveyResult(title=title, state="closed", n=answers, mechanism=mechanism, sentences=sentences, out=report)


@survey.command
def answers(*, db: options.File, out: options.Out) -> SurveyResult:
    """Write the received answers as a table.

    Parameters
    ----------
    db
        Survey database
    out
        CSV or Parquet file to write
    """
    store = open_store(db)
    found = store.answers()
    save_answers(found, out)
    state: Literal["open", "closed"] = "closed" if store.closed else "open"
    sentences = [f"{counted(found.n, 'answer', 'answers')} written to {out}. The survey is {state}."]
    # The first column is the day of the answer, which tells nobody apart.
    sentences += filter(None, [alone_sentence(found.groupings[1:])])
    return SurveyResult(title=store.title, state=state, n=found.n, mechanism=store.mechanism.sha256, sentences=sentences, out=out)
