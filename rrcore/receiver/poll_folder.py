"""The folder of a class poll, which is deleted when the poll ends.

The folder is in memory if the system supports that.
"""

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
    """Return the folder that contains the folders of polls.

    The folder is in the system's memory if possible, unless TMPDIR names another folder.
    """
    if "TMPDIR" not in os.environ and _MEMORY.is_dir() and os.access(_MEMORY, os.W_OK):
        return _MEMORY
    return Path(tempfile.gettempdir())


def new_poll_place(people: int) -> str:
    """Return the path for the survey of a new poll of a class.

    The survey is in a new folder that only the owner can read.
    """
    try:
        return str(Path(tempfile.mkdtemp(prefix=f"{_PREFIX}{people}-", dir=poll_home())) / _NAME)
    except OSError as error:
        raise InputError(f"No folder can be created in {poll_home()} ({error.strerror}). Free some space there.") from None


def check_poll_place(place: str) -> None:
    """Raise InputError for a survey that is not a poll.

    The data of a poll are deleted at its end.
    """
    if Path(place).name != _NAME or people_of(place) is None:
        raise InputError(
            "--poll serves only class polls, because it deletes all answers at the end. Start a poll with 'rrcore learn poll'."
        )


def people_of(place: str) -> int | None:
    """Return the size of the class from the name of the poll's folder.

    None if the folder belongs to something or somebody else.
    """
    folder = Path(place).parent
    size = folder.name.removeprefix(_PREFIX).partition("-")[0]
    try:
        found = folder.lstat()
    except OSError:
        return None
    own = stat.S_ISDIR(found.st_mode) and (not hasattr(os, "getuid") or found.st_uid == os.getuid())
    return int(size) if own and folder.name.startswith(_PREFIX) and size.isdecimal() else None


def poll_places() -> Iterator[str]:
    """Return the surveys of all polls of this account on this computer."""
    for folder in sorted(poll_home().glob(f"{_PREFIX}*")):
        place = folder / _NAME
        if people_of(str(place)) is not None and place.is_file():
            yield str(place)


def is_left_over(place: str) -> bool:
    """Return True if a poll is too old to be running, because its server was killed."""
    try:
        return time.time() - Path(place).parent.stat().st_ctime > POLL_HOURS * 3600
    except OSError:
        return False


def delete_poll(place: str) -> None:
    """Delete a poll and its folder, if it still exists."""
    if Path(place).parent.exists():
        check_poll_place(place)
    shutil.rmtree(Path(place).parent, ignore_errors=True)
