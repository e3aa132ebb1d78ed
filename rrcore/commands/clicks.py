"""The options ``--clicks`` and ``--clicks-by`` of ``read``: what people answer who do not follow the instructions."""

from __future__ import annotations

import argparse
from typing import cast

from rrcore.commands.tables import entries
from rrcore.errors import InputError
from rrcore.estimate import CLICK_LAWS, ClickLaw, Clicks

_NONE = "none"


def add_clicks(command: argparse.ArgumentParser) -> None:
    """Give ``command`` the options."""
    command.add_argument(
        "--clicks",
        action="append",
        default=[],
        metavar="LAW",
        help="what people answer who do not follow the instructions, of whom a control item tells how many there are: uniform (default), "
        "first, last, no (always the first report) or none (nobody is); or shares of clicks on one attribute, for example 'smokes=0.7,0.3', "
        "again for each",
    )
    command.add_argument(
        "--clicks-by",
        default="",
        metavar="ATTRIBUTE",
        help="with '--clicks no' and several mechanism files: the attribute whose designs tell how many always say “no”, where there is no "
        "control item",
    )


def clicks_of(options: argparse.Namespace) -> Clicks | None:
    """The law that was asked for; None for nobody. Raises InputError for none that is known."""
    laws = [text for text in options.clicks if "=" not in text]
    if len(laws) > 1:
        raise InputError(f"--clicks names the laws {' and '.join(laws[:3])}: name one.")
    if laws == [_NONE]:
        if len(options.clicks) > 1 or options.clicks_by:
            raise InputError("With '--clicks none' nobody clicks: leave out the other options of clicks.")
        return None
    law = laws[0] if laws else "uniform"
    if law not in CLICK_LAWS:
        raise InputError(f"'{law[:40]}' is no law of clicking: choose among {', '.join(CLICK_LAWS)} and {_NONE}.")
    own = tuple(_own(text) for text in options.clicks if "=" in text)
    return Clicks(cast("ClickLaw", law), own, options.clicks_by)


def _own(text: str) -> tuple[str, tuple[float, ...]]:
    name, _, rest = text.partition("=")
    try:
        return name.strip(), tuple(float(share) for share in entries(rest))
    except ValueError:
        raise InputError(f"'{text[:60]}' is not understood: write --clicks 'attribute=0.7,0.3'.") from None
