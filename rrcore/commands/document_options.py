"""The options of a command that writes a document: its report, what stands at its head, how questions are worded."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from rrcore.commands.values import adder, named_parts
from rrcore.errors import InputError

if TYPE_CHECKING:
    from rrcore.report import Front

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


def check_report(options: argparse.Namespace) -> None:
    """Refuse options of a report that is not written."""
    given = [*typed(options), *(["internal"] if getattr(options, "internal", False) else [])]
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
    expected = f"'attribute=question', with one of {', '.join(names[:20])}"
    found = named_parts(options.wording, "--wording", expected)
    for name, asked in found.items():
        if name not in names:
            raise InputError(f"'{f'{name}={asked}'[:60]}' is not understood: write --wording {expected}.")
    return found
