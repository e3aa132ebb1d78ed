"""How the dashboard runs: for one person on their own computer (local), or for everybody and without private data (demo)."""

import os

from rrcore.cli.dashboard import DEMO_VARIABLE
from rrcore.errors import InputError

SWITCHED_OFF = (
    "This is a demo. It takes no files, publishes nothing and runs no surveys. Run RR Workbench on your own computer for that."
)
"""What a demo shows in place of what it does not do."""


def demo() -> bool:
    """Whether this is a demo, so that nothing private may be on its server."""
    return bool(os.environ.get(DEMO_VARIABLE))


def limit(usual: int, in_demo: int) -> int:
    """The limit that holds on this server."""
    return in_demo if demo() else usual


def refuse_in_demo() -> None:
    """Raise InputError in a demo. Everything that uploads, writes, releases or starts something calls this first."""
    if demo():
        raise InputError(SWITCHED_OFF)
