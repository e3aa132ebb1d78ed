"""The command ``poll``: a question to a class, answered on phones and randomised there, read while answers arrive, and kept nowhere."""

from __future__ import annotations

import argparse
import signal
import threading
from typing import TYPE_CHECKING, Any

from rrcore.asking import LANGUAGES
from rrcore.commands.files import check_outputs, note, save
from rrcore.commands.values import adder, headcount, port, quantity, whole
from rrcore.errors import InputError, need
from rrcore.limits import POLL_HOURS

if TYPE_CHECKING:
    from rrcore.designs.classroom import PollDesign
    from rrcore.receiver.poll import ClassPoll, PollSoFar, Way

_SECONDS = 2  # between two looks


def add_poll(command: argparse.ArgumentParser) -> None:
    """Give ``command`` the options of ``poll``, what it runs and how its result is printed."""
    add = adder(command)
    add("--question", "what the class is asked", "TEXT", required=True)
    add("--people", "how many the class has", headcount, required=True)
    add("--choices", "the possible answers, with commas between", "TEXT", default="no,yes")
    add(
        "--precision",
        "half of the 95%% interval, in points, that the truth told is chosen for (default 20)",
        quantity("precision", "a number of points, for example 20"),
        metavar="POINTS",
    )
    add("--truth", "instead of --precision: how often the truth is told, in percent", whole("truth told"))
    add("--language", "of the form", LANGUAGES, default="en")
    add("--here", "phones cannot open it, this computer alone can: to try it out", action="store_true")
    add(
        "--host",
        "address to listen on: this computer's in the room's network (default: the one that it goes out by)",
        "HOST",
        default="",
    )
    add("--port", "port to listen on (default: the first free one)", port(0), default=0)
    add("--tls", "over https, with a certificate made now that phones warn about once", action="store_true")
    add("--out", "keep the randomised answers as CSV; without this nothing is kept", "FILE")
    add("--mechanism-out", "keep the mechanism file, with which they are read", "FILE")
    add("--dry-run", "say what the class can learn, and ask nothing", action="store_true")
    command.set_defaults(run=_run, tell=_tell)


def _run(options: argparse.Namespace) -> dict[str, Any]:
    from rrcore.designs.classroom import PollDesign, poll_design

    answers = tuple(each.strip() for each in options.choices.split(",") if each.strip())
    if options.truth is not None and options.precision is not None:
        raise InputError("Both --truth and --precision are given: give one of them.")
    if options.tls and options.here:
        raise InputError("With --here nothing leaves this computer: leave --tls out.")
    short = ""
    if options.truth is not None:
        design = PollDesign(options.people, options.truth, answers)
    else:
        within = (20.0 if options.precision is None else options.precision) / 100
        design = poll_design(options.people, within, answers)
        short = design.shortfall(within)
    for sentence in filter(None, (short, *design.sentences())):
        note(sentence)
    if options.dry_run:
        return _result(options, design, None)
    for library in ("starlette", "uvicorn", "cryptography", "segno"):
        need(library, "A class poll", extra="receiver")
    check_outputs([options.out, options.mechanism_out])
    seen = _poll(options, design)
    if options.out and seen.answers is not None:
        save(options.out, seen.answers.dataset.to_csv())
    if options.mechanism_out and seen.answers is not None:
        save(options.mechanism_out, seen.answers.mechanism.to_json())
    return _result(options, design, seen)


def _poll(options: argparse.Namespace, design: PollDesign) -> PollSoFar:
    """Ask, tell each look that has more answers, and end at Ctrl+C. Where the poll ends otherwise, what was seen last is what came out."""
    from rrcore.receiver.launch import address_in_network
    from rrcore.receiver.poll import start_poll

    ended = threading.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: ended.set())
    way: Way = "here" if options.here else "encrypted" if options.tls else "room"
    address = "" if options.here else options.host or address_in_network()
    if not address and not options.here:
        raise InputError(
            "This computer is in no network that phones could reach it by: give its address with --host, or try --here."
        )
    poll = start_poll(options.question, design, way=way, address=address, port=options.port, language=options.language)
    try:
        _announce(poll)
        seen = poll.look()
        try:
            while not ended.wait(_SECONDS):
                if (now := poll.look(seen)).n > seen.n:
                    seen = now
                    note(f"{seen.n:,} of {design.people:,}: {seen.sentence()}")
            return poll.last_look(seen)
        except InputError as error:
            note(f"{error} What follows is of the last look before that.")
            return seen
    finally:
        poll.end()
        note("The poll has ended, and what it stored is deleted.")


def _announce(poll: ClassPoll) -> None:
    import io

    import segno

    picture = io.StringIO()
    segno.make_qr(poll.served.address, error="m").terminal(picture, compact=True, border=2)
    note(picture.getvalue())
    note(f"“{poll.question}” is at {poll.served.address}")
    if poll.exposed:
        note("It is not encrypted: whoever controls the network could change the form, which says so. --tls encrypts it.")
    note(f"Answers are in {poll.store.place}, which is deleted when the poll ends: by Ctrl+C, or after {POLL_HOURS} hours.")
    note("Each interval holds for one look, the last: decide beforehand when that is.")


def _result(options: argparse.Namespace, design: PollDesign, seen: PollSoFar | None) -> dict[str, Any]:
    found: dict[str, Any] = {
        "question": options.question,
        "people": design.people,
        "truth": design.truth / 100,
        "level": design.level,
        "within": design.error,
        "as_good_as_asking": design.direct,
        "answers": 0 if seen is None else seen.n,
        "shares": None,
        "sentence": "" if seen is None else seen.sentence(),
        "out": options.out if seen is not None and seen.n else None,
    }
    if seen is not None and seen.n:
        rows = zip(design.answers, *(each.tolist() for each in (seen.released, *seen.interval)), strict=True)
        found["shares"] = [dict(zip(("answer", "sent", "estimate", "low", "high"), row, strict=True)) for row in rows]
    return found


def _tell(result: dict[str, Any]) -> str:
    if not result["sentence"]:
        return f"{100 * result['truth']:g} % truth told, level {result['level']:.2f}: as good as asking {result['as_good_as_asking']} openly."
    kept = f"\nRandomised answers written to {result['out']}." if result["out"] else ""
    return f"{result['sentence']}{kept}"
