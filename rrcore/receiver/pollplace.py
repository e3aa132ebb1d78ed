"""Where a class poll is while it runs: a folder of its own, in memory where the system has a place for that, deleted at its end."""

import os
import shutil
import stat
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from rrcore.errors import InputError
from rrcore.limits import POLL_HOURS

_PREFIX = "rr-poll-"
_NAME = "poll.survey"
_MEMORY = Path("/dev/shm")  # nosec B108: of Linux; folders in it are made by mkdtemp, for their owner alone


def poll_home() -> Path:
    """The folder that folders of polls are made in: of the system's memory where there is one, and TMPDIR names no other."""
    if "TMPDIR" not in os.environ and _MEMORY.is_dir() and os.access(_MEMORY, os.W_OK):
        return _MEMORY
    return Path(tempfile.gettempdir())


def new_poll_place(people: int) -> str:
    """The path for the survey of a new poll of a class of so many, in a new folder that only its owner can look into."""
    try:
        return str(Path(tempfile.mkdtemp(prefix=f"{_PREFIX}{people}-", dir=poll_home())) / _NAME)
    except OSError as error:
        raise InputError(f"No folder can be made in {poll_home()} ({error.strerror}): make room there.") from None


def check_poll_place(place: str) -> None:
    """Raise InputError for a survey that is no poll: what is served as one is deleted at its end."""
    if Path(place).name != _NAME or people_of(place) is None:
        raise InputError("Only a poll is served with --poll, since it is deleted at its end: start one with 'rrcore poll'.")


def people_of(place: str) -> int | None:
    """The size of the class, as the poll's folder says; None for a folder of something else, or of somebody else."""
    folder = Path(place).parent
    size = folder.name.removeprefix(_PREFIX).partition("-")[0]
    try:
        found = folder.lstat()
    except OSError:
        return None
    own = stat.S_ISDIR(found.st_mode) and (not hasattr(os, "getuid") or found.st_uid == os.getuid())
    return int(size) if own and folder.name.startswith(_PREFIX) and size.isdecimal() else None


def poll_places() -> Iterator[str]:
    """The surveys of all polls of this account that there are on this computer."""
    for folder in sorted(poll_home().glob(f"{_PREFIX}*")):
        place = folder / _NAME
        if people_of(str(place)) is not None and place.is_file():
            yield str(place)


def is_left_over(place: str) -> bool:
    """Whether a poll is older than any can be that still runs: its server was killed."""
    try:
        return time.time() - Path(place).parent.stat().st_ctime > POLL_HOURS * 3600
    except OSError:
        return False


def delete_poll(place: str) -> None:
    """Delete a poll with everything in its folder; one that is gone already is left alone."""
    if Path(place).parent.exists():
        check_poll_place(place)
    shutil.rmtree(Path(place).parent, ignore_errors=True)
