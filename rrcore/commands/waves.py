"""The option ``--waves`` of ``certify``: what asking the same people again would give away."""

from __future__ import annotations

import argparse
from typing import Any

from rrcore.commands.values import adder, whole
from rrcore.designs import probability
from rrcore.promise import WAYS, MechanismFile, given_away


def add_waves(command: argparse.ArgumentParser) -> None:
    """Give ``command`` the options."""
    add = adder(command)
    add("--waves", "also: what N waves of the same people give away", whole("number of waves"))
    add(
        "--redrawn",
        "with --waves: in two stages, how often what is remembered is replaced by a random answer",
        probability,
        default="1/4",
        metavar="SHARE",
    )


def waves_entries(options: argparse.Namespace, mechanism: MechanismFile) -> list[dict[str, Any]]:
    """For each way of drawing chance what it gives away, ready for JSON; nothing where it is not asked."""
    if options.waves is None:
        return []
    return [given_away(mechanism, options.waves, way, redrawn=options.redrawn).to_dict() for way in WAYS]
