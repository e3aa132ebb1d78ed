"""The commands ``serve`` (give out the respondents' form and receive answers) and ``invite`` (codes that work once)."""

from __future__ import annotations

import argparse
import json
from dataclasses import fields, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rrcore.commands.asking import to_publish
from rrcore.commands.files import load, load_mechanism, note, writing
from rrcore.commands.survey_options import add_database
from rrcore.commands.values import adder, port, whole
from rrcore.errors import InputError, need
from rrcore.jobs import forbid_core_dumps
from rrcore.limits import POLL_HOURS
from rrcore.wording import count_text, counted, csv_text

if TYPE_CHECKING:
    from rrcore.asking import SurveyFile
    from rrcore.receiver import Store

_CALLED = {
    "mechanism": "mechanism file",
    "questions": "wording",
    "order": "order of the questions",
    "unrandomised": "list of unrandomised questions",
    "translations": "text in further languages",
    "screens": "choice of screens",
}


def add_serve(command: argparse.ArgumentParser) -> None:
    """Give ``command`` the options of ``serve`` and what it runs."""
    add_database(command, more="; a new survey is made if there is none")
    settled = command.add_argument_group(
        "a new survey", "These are settled when a survey is first served; given again, they have to say the same."
    )
    new = adder(settled)
    new("--survey", "a survey file, which holds all that the form asks", "FILE")
    new("--mechanism", "the mechanism file by which the form randomises", "FILE")
    new("--title", "what the survey is called; needed for a new one", "TEXT", default="")
    new("--invited", "only who has an invitation code may answer; see 'rrcore invite'", action="store_true")
    web = adder(command.add_argument_group("on the web"))
    web("--host", "address to listen on: this machine only, unless another is given", "HOST", default="127.0.0.1")
    web("--port", "port to listen on", port(0), default=8000)
    web("--address", "the form's address as respondents know it (default localhost and the port)", "URL", default="")
    web("--tls", "PEM files, where no other server speaks https for this one", nargs=2, metavar=("CERTIFICATE", "KEY"))
    web(
        "--behind-proxy",
        "the last address in X-Forwarded-For is the sender's (used for --per-minute alone)",
        action="store_true",
    )
    web(
        "--origin",
        "another origin whose pages may send answers, such as https://www.example.org, or null for a form opened from a file",
        "ORIGIN",
        many=True,
    )
    web(
        "--poll",
        f"a class poll as 'rrcore poll' makes it: http in a private network will do, and after {POLL_HOURS} hours it ends and is deleted",
        action="store_true",
    )
    web("--per-minute", "requests that one address may make", whole("number of requests a minute"), default=3000)
    command.set_defaults(run=_serve)


def add_invite(command: argparse.ArgumentParser) -> None:
    """Give ``command`` the options of ``invite``, what it runs and how its result is printed."""
    add = adder(command)
    add_database(command)
    add("--number", "how many codes to make", whole("number of invitations", None), required=True)
    add("--out", "where the codes go, as CSV; a file that exists is not written over", "FILE", required=True)
    add("--address", "the form's address: the codes then come with a link each", "URL", default="")
    command.set_defaults(run=_invite, tell=_tell_invite)


def _serve(options: argparse.Namespace) -> None:
    for library in ("starlette", "uvicorn", "cryptography"):
        need(library, "The receiver", extra="receiver")
    from rrcore.asking.form import form_origin
    from rrcore.receiver.app import receiver_app
    from rrcore.receiver.pollplace import check_poll_place, delete_poll
    from rrcore.receiver.reach import Terms, origins_of, reach
    from rrcore.receiver.running import Served, note_served
    from rrcore.receiver.server import check_tls, listening, serve

    forbid_core_dumps()
    tls = (Path(options.tls[0]).absolute(), Path(options.tls[1]).absolute()) if options.tls else None
    if tls:
        check_tls(*tls)
    origins = origins_of(options.origin)
    at = listening(options.host, options.port)
    own = f"{'https' if tls else 'http'}://localhost:{at.getsockname()[1]}"
    terms = Terms(options.address or own, origins, options.behind_proxy, options.per_minute)
    if options.poll:
        terms = replace(terms, plain_http=True, hours=POLL_HOURS)
        check_poll_place(options.db)
    form_origin(f"{terms.address.rstrip('/')}/answers", plain_http=terms.plain_http)  # before a survey is made
    store = _store(options)
    host, number = at.getsockname()[:2]
    certificate, private = map(str, tls) if tls else ("", "")
    run = note_served(store, Served(host, number, terms.address, options.behind_proxy, certificate, private, poll=options.poll))
    app = receiver_app(store, terms, run=run)
    if options.json:
        sentence = json.dumps(
            {
                "kind": "serve",
                "version": 1,
                "title": store.title,
                "address": terms.address,
                "db": store.place,
                "form_sha256": app.state.fingerprint,
            }
        )
    else:
        sentence = f"The form of '{store.title}' is at {terms.address} and answers are kept at {store.place}; Ctrl+C ends it."
        reached = reach(host, number, terms.address, tls=bool(tls), behind_proxy=options.behind_proxy)
        sentence = "\n".join([sentence, *reached, to_publish(app.state.fingerprint)])
    serve(app, at, tls=tls, as_json=options.json, started=lambda: note(sentence))
    if options.poll:
        delete_poll(options.db)


def _store(options: argparse.Namespace) -> Store:
    """The survey at ``--db``, made anew if there is none."""
    from rrcore.receiver import create_store, open_store, store_exists
    from rrcore.receiver.blind import new_key

    if not store_exists(options.db):
        asked = _asked(options)
        return create_store(options.db, asked.mechanism, **asked.texts, key=new_key() if asked.invited else "")
    store = open_store(options.db)
    if changed := _changed(options, store.survey):
        raise InputError(
            f"The survey at '{store.place}' exists and keeps what it was started with: its {changed} is another. Leave that out, or give "
            "another --db."
        )
    return store


def _asked(options: argparse.Namespace) -> SurveyFile:
    """Return what a new survey asks, as its survey file or the other options say."""
    from rrcore.asking import SurveyFile

    if options.survey:
        if options.mechanism or options.title or options.invited:
            raise InputError("A survey file holds all that is asked. Leave out --mechanism, --title and --invited, or --survey.")
        return SurveyFile.from_json(load(options.survey))
    if not options.mechanism or not options.title.strip():
        raise InputError("A new survey needs --survey FILE, or --mechanism FILE and --title TEXT.")
    return SurveyFile(load_mechanism(options.mechanism), options.title, invited=options.invited)


def _changed(options: argparse.Namespace, kept: SurveyFile) -> str:
    """Return the first thing that the options and the existing survey disagree on, or an empty string."""
    if options.survey:
        wanted = _asked(options)
        differs = (each.name for each in fields(wanted) if getattr(wanted, each.name) != getattr(kept, each.name))
        return next((_CALLED.get(name, name) for name in differs), "")
    if options.mechanism and load_mechanism(options.mechanism).sha256 != kept.mechanism.sha256:
        return _CALLED["mechanism"]
    asked: dict[str, Any] = {"title": options.title, "invited": options.invited}
    return next((name for name, value in asked.items() if value and value != getattr(kept, name)), "")


def _invite(options: argparse.Namespace) -> dict[str, Any]:
    need("cryptography", "An invitation", extra="receiver")
    from rrcore.receiver import open_store
    from rrcore.receiver.invitations import draw_codes, inviting, links, used_codes

    store = open_store(options.db)
    codes = draw_codes(store, options.number)
    columns = {"code": codes} | ({"link": links(options.address, codes)} if options.address else {})
    with writing(options.out, private=True, within=inviting(store, codes)) as file:
        file.write(csv_text(columns, zip(*columns.values(), strict=True)).encode())
    used, known = used_codes(store)
    return {"codes": len(codes), "out": options.out, "used": used, "known": known}


def _tell_invite(result: dict[str, Any]) -> str:
    written = f"{counted(result['codes'], 'invitation code', 'invitation codes')} written to {result['out']}"
    return (
        f"{written}; they cannot be shown again. Of {count_text(result['known'])} in all {count_text(result['used'])} are used."
    )
