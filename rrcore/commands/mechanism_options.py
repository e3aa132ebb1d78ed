"""The options of a command that choose a mechanism and the levels of its attributes."""

import argparse
from collections.abc import Sequence

from rrcore.arrays import Floats
from rrcore.channel import check_levels
from rrcore.commands.values import adder, whole
from rrcore.errors import InputError
from rrcore.mechanisms import MECHANISMS, RECOMMENDED_WIDTH, recipe, recommended_recipe, safe_recipe_name
from rrcore.wording import counted


def add_mechanism_choice(command: argparse.ArgumentParser) -> None:
    """Give ``command`` the two options that choose a mechanism: ``chosen_mechanism`` reads them."""
    add = adder(command)
    add("--method", f"how lies are chosen: {', '.join(MECHANISMS)}, or 3-safe, 4-safe and so on", "NAME")
    add(
        "--safe",
        "instead: safe for joint distributions of up to W attributes, none of which is then less accurate than with Kronecker "
        f"(default: the widest asked for, at least {RECOMMENDED_WIDTH})",
        whole("width of --safe"),
        metavar="W",
    )


def chosen_mechanism(options: argparse.Namespace, k: int, widest: int = 0) -> str:
    """The name of the mechanism that the options choose for k attributes, the widest joint distribution asked for having ``widest``.

    Raises InputError for an unknown name, a width that is out of range, or both options at once.
    """
    if options.method is not None and options.safe is not None:
        raise InputError("Both --method and --safe are given: give one of them.")
    if options.safe is not None:
        if options.safe > k:
            raise InputError(
                f"--safe is {options.safe} and there {'is' if k == 1 else 'are'} {counted(k, 'attribute', 'attributes')}: "
                f"give a whole number from 1 to {k}."
            )
        return safe_recipe_name(options.safe)
    if options.method is not None and recipe(options.method).needs:
        raise InputError(
            f"There is no mechanism '{options.method}' to choose here: choose among {', '.join(MECHANISMS)}, or 3-safe."
        )
    return options.method or recommended_recipe(k, widest)


EPS = "levels in nats: one for all attributes, or one for each, for example 1,2,3,4"
"""What ``--eps`` is in every command about attributes."""


def levels_of(eps: list[str], names: Sequence[str]) -> Floats:
    """The level of each attribute. Raises InputError for levels that are none, or that are too many or too few."""
    return check_levels(eps * len(names) if len(eps) == 1 else eps, names)
