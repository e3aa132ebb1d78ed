"""The command ``answers``: what a receiver has stored, as a table."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Any

from rrcore.commands.files import writing
from rrcore.commands.survey_options import add_database
from rrcore.commands.values import adder
from rrcore.wording import counted
from rrcore.writing import KINDS_TEXT, Column, columns_of, kind_of

if TYPE_CHECKING:
    from rrcore.answers import Answers


def add_answers(command: argparse.ArgumentParser) -> None:
    """Give ``command`` the options of ``answers``, what it runs and how its result is printed."""
    add = adder(command)
    add_database(command)
    add("--out", f"where they go: {KINDS_TEXT}; a file that exists is not written over", "FILE", required=True)
    command.set_defaults(run=_run, tell=_tell)


def _run(options: argparse.Namespace) -> dict[str, Any]:
    kind = kind_of(options.out)
    from rrcore.answers.alone import alone_sentence, people_alone
    from rrcore.receiver import open_store

    store = open_store(options.db)
    answers = store.answers()
    _write(options.out, kind, answers)
    closed, known = store.closed, answers.groupings[1:]
    return {
        "answers": answers.n,
        "mechanism": store.mechanism.sha256,
        "closed": closed.isoformat() if closed else None,
        "out": options.out,
        "unrandomised": [column.name for column in known],
        "alone": people_alone(known),
        "told_apart": alone_sentence(known),
    }


def _tell(result: dict[str, Any]) -> str:
    state = f"closed on {result['closed']}" if result["closed"] else "still open"
    written = f"{counted(result['answers'], 'answer', 'answers')} written to {result['out']}; the survey is {state}"
    return f"{written}\n{result['told_apart']}".strip()


def _write(name: str, kind: str, answers: Answers) -> None:
    """The answers, with the day of each and what was not randomised, and their trailer: each time its own, since more answers may come."""
    from rrcore.promise.trailer import dataset_parts, new_draw, write_release

    dataset, beside = answers.dataset, list(answers.groupings)
    columns = [*columns_of(dataset.schema), *(Column(column.name, column.values) for column in beside)]
    with writing(name, private=True) as out:
        write_release(out, columns, dataset_parts(dataset, beside), answers.mechanism.sha256, new_draw(), kind=kind)
