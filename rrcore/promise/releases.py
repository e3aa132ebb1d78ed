"""A folder of releases: each is a folder of its own with the released table, its mechanism file and its certificate, or is not there.

Until all of it is there it stands in a hidden folder beside, from which it is taken up again, by whomever. Which table a release is of is
kept by the table's name alone: nothing in the folder is computed from a true answer.
"""

import datetime as dt
import itertools
import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from rrcore.errors import InputError
from rrcore.files import is_locked, new_file_name
from rrcore.limits import MAX_DOCUMENT_BYTES, MAX_RELEASES
from rrcore.promise.mechanism_file import MechanismFile
from rrcore.promise.trailer import Trailer, read_trailer
from rrcore.table.plain import Place, from_plain
from rrcore.table.stream import Coder
from rrcore.table.stream.recoder import read_coder

Kind = Literal["csv", "parquet"]
Act = Literal["release begun", "release gone on with", "release finished", "release given up"]

ABOUT, MECHANISM, CODER, LOCK = "about.json", "mechanism.json", ".coder.json", ".lock"
"""Files in the folder of a release; hidden ones go when it is finished."""

_PLACE = Place("file about a release", "take it from a copy")
_HIDDEN = re.compile(r"\.(.+)(?:\.begun|\.\d+\.given-up)")


@dataclass(frozen=True)
class ReleaseStep:
    """What somebody did to a release, for the record of acts.

    Parameters
    ----------
    at : when, in UTC, such as 2026-01-31T12:00:00Z
    who : the e-mail address somebody logged in with, or the name of the account on the computer
    act : "release begun", "release gone on with", "release finished" or "release given up"
    """

    at: str
    who: str
    act: Act


@dataclass(frozen=True)
class About:
    """The file about a release, in its folder; ``table``, ``kind``, ``began``, ``encoding`` and ``steps`` as in ``KeptRelease``."""

    table: str
    kind: Kind
    began: str
    encoding: str = ""
    steps: tuple[ReleaseStep, ...] = ()


@dataclass(frozen=True)
class KeptRelease:
    """A release in the folder, or what there is of one that is begun.

    Parameters
    ----------
    name : of its folder
    table : name of the table that it is of
    kind : "csv" or "parquet"
    began : day on which it was begun
    mechanism : MechanismFile
    finished : whether it stands under its name; it counts then even if somebody took the table away
    given_up : whether nothing is left of it but the record of who began it and gave it up; it counts for nothing then
    trailer : what the released table says of itself; None where there is none
    steps : what was done to it, the earliest first; none where nobody said who they are
    encoding : as in ``open_stream``
    coder : by which a release that is not finished recodes the table; None where its columns hold the categories, and where it is finished
    busy : whether somebody is at work on it
    """

    name: str
    table: str
    kind: Kind
    began: dt.date
    mechanism: MechanismFile
    finished: bool
    trailer: Trailer | None
    steps: tuple[ReleaseStep, ...] = ()
    encoding: str = ""
    coder: Coder | None = None
    busy: bool = False
    given_up: bool = False

    @property
    def by(self) -> str:
        """Who began it; empty where nobody said."""
        return self.steps[0].who if self.steps else ""


@dataclass(frozen=True)
class Releases:
    """The releases in a folder.

    Parameters
    ----------
    folder : Path

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from rrcore.promise.releases import Releases
    >>> Releases(Path(tempfile.mkdtemp())).of("people.csv")
    []
    """

    folder: Path

    def of(self, table: str) -> list[KeptRelease]:
        """What was released of the table of that name, the earliest first."""
        found = [each for each in self.all(table) if each.finished]
        return sorted(found, key=lambda each: (each.began, each.name))

    def unfinished(self, table: str) -> list[KeptRelease]:
        """What was begun of the table of that name and is neither finished nor given up, by name."""
        return [each for each in self.all(table) if not each.finished and not each.given_up]

    def all(self, table: str | None = None) -> list[KeptRelease]:
        """All releases, of that ``table`` where one is named, by name, those that were given up among them."""
        return [made for folder in self._folders() if (made := self.read(folder, table)) is not None]

    def others(self, table: str, name: str) -> list[KeptRelease]:
        """All releases of the table of that name, finished or begun and not given up, but the one that is called ``name``."""
        return [each for each in self.all(table) if each.name != name and not each.given_up]

    def checked(self, name: str) -> str:
        """The name of a new release. Raises InputError where it is not plain, or is taken."""
        plain = new_file_name(name, "release")
        if self._is_taken(plain):
            raise InputError(f"There is a release '{plain}' already, and nothing was written: choose another name.")
        if sum(1 for _ in self._folders()) >= MAX_RELEASES:
            raise InputError(
                f"There are {MAX_RELEASES} releases already, which is the limit: ask the operator of this server for room."
            )
        return plain

    def free_name(self, wanted: str) -> str:
        """A name that is not taken: the wanted one, or that with a number behind it.

        Examples
        --------
        >>> import tempfile
        >>> from pathlib import Path
        >>> from rrcore.promise.releases import Releases
        >>> place = Path(tempfile.mkdtemp())
        >>> (place / "spring").mkdir()
        >>> Releases(place).free_name("spring")
        'spring 2'
        """
        names = (wanted if number == 1 else f"{wanted} {number}" for number in itertools.count(1))
        return next(name for name in names if not self._is_taken(name))

    def _is_taken(self, name: str) -> bool:
        return self.place(name).exists() or self.begun(name).exists()

    def place(self, name: str) -> Path:
        """The folder of the release of that name."""
        return self.folder / name

    def begun(self, name: str) -> Path:
        """Where it stands until it is finished."""
        return self.folder / f".{name}.begun"

    def given_up(self, name: str) -> Path:
        """Where the record of it stands once it is given up; another release can have its name then, and be given up, too."""
        numbered = (self.folder / f".{name}.{number}.given-up" for number in itertools.count(1))
        return next(place for place in numbered if not place.exists())

    def read(self, folder: Path, table: str | None = None) -> KeptRelease | None:
        """What is in the folder of a release, of that ``table`` where one is named; None for any other folder."""
        try:
            files = [folder / ABOUT, folder / MECHANISM, *([folder / CODER] if (folder / CODER).exists() else [])]
            if any(file.is_symlink() or file.stat().st_size > MAX_DOCUMENT_BYTES for file in files):
                return None
            about = from_plain(About, json.loads(files[0].read_text(encoding="utf-8")), _PLACE)
            if table not in (None, about.table):
                return None
            hidden, table_file = _HIDDEN.fullmatch(folder.name), folder / f"released.{about.kind}"
            return KeptRelease(
                hidden[1] if hidden else folder.name,
                about.table,
                about.kind,
                dt.date.fromisoformat(about.began),
                MechanismFile.from_bytes(files[1].read_bytes()),
                not hidden,
                read_trailer(table_file) if not hidden and table_file.is_file() else None,
                about.steps,
                about.encoding,
                read_coder(files[2].read_bytes()) if len(files) > 2 else None,
                bool(hidden) and is_locked(folder / LOCK),
                folder.name.endswith(".given-up"),
            )
        except (OSError, ValueError, KeyError, TypeError, RecursionError):
            return None

    def _folders(self) -> Iterator[Path]:
        try:
            found = sorted(each for each in self.folder.iterdir() if each.is_dir() and not each.is_symlink())
        except OSError:
            return
        yield from (each for each in found if not each.name.startswith(".") or _HIDDEN.fullmatch(each.name))
