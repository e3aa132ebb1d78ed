"""What somebody may have meant who misspelt an option, or one of the words that an option takes."""

import argparse
from collections.abc import Iterable, Sequence
from difflib import get_close_matches

from rrcore.errors import InputError


def meant(word: str, known: Iterable[str]) -> str:
    """A question about the nearest of the ``known`` words; empty where none is near.

    Examples
    --------
    >>> from rrcore.commands.spelling import meant
    >>> meant("--mechansm", ["--mechanism", "--in"]), meant("--seed", ["--in"])
    ('; did you mean --mechanism?', '')
    """
    near = get_close_matches(word, list(known), n=1, cutoff=0.7)
    return f"; did you mean {near[0]}?" if near else ""


def check_options(arguments: Sequence[str], program: argparse.ArgumentParser, command: argparse.ArgumentParser) -> None:
    """Refuse, before anything that is missing is told, an option that neither the program nor the command has."""
    before = arguments[: arguments.index("--")] if "--" in arguments else arguments
    known = program._option_string_actions | command._option_string_actions
    for option in (argument.partition("=")[0] for argument in before):
        if option.startswith("--") and not any(name.startswith(option) for name in known):
            near = meant(option, (name for name, action in known.items() if action.help != argparse.SUPPRESS))
            raise InputError(
                f"The command line was not understood: unrecognized arguments: {option[:60]}{near or ';'} see '{command.prog} --help'."
            )
