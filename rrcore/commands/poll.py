"""The command ``poll``: one question to a class, randomized on phones, with estimates while answers arrive."""

from __future__ import annotations

import argparse
import signal
import threading
from typing import TYPE_CHECKING, Any

from rrcore.asking import LANGUAGES
from rrcore.commands.files import check_outputs, note, save
from rrcore.commands.values import adder, headcount, quantity
from rrcore.errors import InputError, need
from rrcore.limits import POLL_HOURS

if TYPE_CHECKING:
    from rrcore.designs.classroom import PollDesign
    from rrcore.receiver.poll import PollSoFar

_SECONDS = 2  # between two looks


def add_poll(command: argparse.ArgumentParser) -> None:
    """Give ``command`` the options of ``poll``, what it runs and how its result is printed."""
    add = adder(command)
    add("--question", "the question to the class", "TEXT", required=True)
    add("--people", "number of people in the class", headcount, required=True)
    add("--choices", "possible answers, separated by commas", "TEXT", default="no,yes")
    add(
        "--precision",
        "margin of error wanted, in percentage points",
        quantity("precision", "a number of points, for example 20"),
        metavar="POINTS",
        default=20.0,
    )
    add("--language", "language of the form", LANGUAGES, default="en")
    add("--host", "this computer's address in the room's network, or auto (default: only this computer)", "HOST", default="")
    add("--out", "a CSV file for the randomized answers, which are deleted otherwise", "FILE")
    add("--mechanism-out", "a file for the mechanism that estimates need", "FILE")
    add("--dry-run", "print the precision without asking", action="store_true")
    command.set_defaults(run=_run, tell=_tell)


def _run(options: argparse.Namespace) -> dict[str, Any]:
    from rrcore.designs.classroom import poll_design

    answers = tuple(each.strip() for each in options.choices.split(",") if each.strip())
    within = options.precision / 100
    design = poll_design(options.people, within, answers)
    for sentence in filter(None, (design.shortfall(within), *design.sentences())):
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
    """Ask until Ctrl+C, and print each look that has more answers. Returns the last look."""
    from rrcore.receiver.launch import address_in_network
    from rrcore.receiver.poll import start_poll

    ended = threading.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: ended.set())
    address = address_in_network() if options.host == "auto" else options.host
    if options.host and not address:
        raise InputError("This computer is in no network. Give its address with --host, or leave --host out.")
    poll = start_poll(options.question, design, address=address, language=options.language)
    try:
        _announce(poll.served.address, exposed=poll.exposed)
        seen = poll.look()
        try:
            while not ended.wait(_SECONDS):
                if (now := poll.look(seen)).n > seen.n:
                    seen = now
                    note(f"{seen.n:,} of {design.people:,}: {seen.sentence()}")
            return poll.last_look(seen)
        except InputError as error:
            note(f"{error} The result is that of the last look before.")
            return seen
    finally:
        poll.end()
        note("The poll has ended, and what it stored is deleted.")


def _announce(address: str, *, exposed: bool) -> None:
    import io

    import segno

    picture = io.StringIO()
    segno.make_qr(address, error="m").terminal(picture, compact=True, border=2)
    note(picture.getvalue())
    note(f"The poll is at {address}. It ends with Ctrl+C, or after {POLL_HOURS} hours.")
    if exposed:
        note("The connection is not encrypted. Somebody who controls the network could change the form.")
    note("The interval holds for one look. Decide beforehand when that is.")


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
    kept = f"\nRandomized answers written to {result['out']}." if result["out"] else ""
    return f"{result['sentence']}{kept}"
