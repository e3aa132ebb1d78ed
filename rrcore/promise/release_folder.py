"""Releasing a table of any size into a folder of releases: once stopped it is taken up, and nothing is drawn twice."""

from __future__ import annotations

import datetime as dt
import json
import os
import shutil
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import Executor
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from rrcore.errors import InputError
from rrcore.files import HeldError, UnwrittenError, locked, new_file, new_file_name
from rrcore.progress import Report, quiet
from rrcore.promise.mechanism_file import MechanismFile
from rrcore.promise.releases import ABOUT, CODER, LOCK, MECHANISM, About, Act, KeptRelease, Kind, Releases, ReleaseStep
from rrcore.promise.statement import certificate_files, promise_sentence
from rrcore.promise.stream import randomise_stream
from rrcore.promise.trailer import Trailer, read_trailer
from rrcore.table.plain import to_plain
from rrcore.table.stream import Coder, open_stream
from rrcore.table.stream.kept import digest, fingerprint
from rrcore.table.stream.recoder import write_coder
from rrcore.wording import counted

_NEW = ".about.json"
Pages = Callable[[MechanismFile, int], Mapping[str, str]]
"""Of a mechanism file and a number of people, files for people to read: name -> text."""


def no_pages(mechanism: MechanismFile, people: int) -> Mapping[str, str]:
    """None."""
    return {}


@dataclass(frozen=True)
class WantedRelease:
    """A release that is to be made.

    Parameters
    ----------
    mechanism : MechanismFile
    name : of the release
    table : what the table is called; tables of one name are about the same people
    kind : "csv" or "parquet"
    coder, encoding : as in ``randomise_stream`` and ``open_stream``
    others : how many other releases of the table there are, finished or begun, as whoever wants it knows: each one more adds to what its
        people give away
    by : who wants it, for the record of acts; empty keeps none
    """

    mechanism: MechanismFile
    name: str
    table: str
    kind: Kind = "csv"
    coder: Coder | None = None
    encoding: str = ""
    others: int = 0
    by: str = ""

    @classmethod
    def again(cls, begun: KeptRelease, others: int) -> WantedRelease:
        """What goes on with a release that was ``begun``."""
        return cls(begun.mechanism, begun.name, begun.table, begun.kind, begun.coder, begun.encoding, others)

    def is_what(self, begun: KeptRelease) -> bool:
        """Whether that is what was ``begun``."""
        own = (self.mechanism, self.table, self.kind, self.encoding, digest(self.coder))
        return own == (begun.mechanism, begun.table, begun.kind, begun.encoding, digest(begun.coder))


def release_into(
    releases: Releases,
    wanted: WantedRelease,
    path: Path,
    *,
    pages: Pages = no_pages,
    executor: Executor | None = None,
    report: Report = quiet,
) -> KeptRelease:
    """Randomise the table at ``path`` by the exact sampler into a folder of releases; one that was stopped is taken up by the same call.

    Parameters
    ----------
    releases : Releases
    wanted : WantedRelease
    path : of a table of any size
    pages : of a mechanism file and a number of people, what else goes into the release, as ``rrcore.report.handover_pages`` makes it
    executor, report : as in ``randomise_stream``

    Raises
    ------
    InputError
        Where the name is taken, somebody else is at work on it, there are other releases of the table than ``wanted`` says, the table
        changed meanwhile, a record cannot be randomised, or nothing can be written. In its sentence there is no true answer.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> import rrcore as rr
    >>> from rrcore.promise.releases import Releases
    >>> from rrcore.promise.release_folder import WantedRelease, release_into
    >>> place, table = Path(tempfile.mkdtemp()), rr.load_demo("titanic").select(["Sex", "Survived"])
    >>> (place / "releases").mkdir()
    >>> _ = (place / "people.csv").write_text(table.to_csv())
    >>> file = rr.MechanismFile(table.schema, rr.integer_groups(rr.build("kronecker", (2, 2), [1.0, 1.0])))
    >>> releases = Releases(place / "releases")
    >>> release_into(releases, WantedRelease(file, "spring", "people.csv"), place / "people.csv").trailer.rows
    2201
    >>> [(each.name, each.table) for each in releases.of("people.csv")]
    [('spring', 'people.csv')]
    """
    run = _Run(releases, wanted, new_file_name(wanted.name, "release"), path, pages)
    try:
        return run.make(executor, report)
    except UnwrittenError as error:
        raise run.unwritten(error) from None


def give_up(releases: Releases, begun: KeptRelease, *, by: str = "") -> None:
    """Delete what is drawn of a release that was ``begun``, for good: it counts for nothing from then on.

    That is right only where nobody was given any of it, which is for whoever gives it up to know. The record of who began it stays.

    Parameters
    ----------
    releases : Releases
    begun : KeptRelease
        One of ``releases.unfinished(table)``.
    by : str
        Who gives it up, for the record of acts; empty keeps none.

    Raises
    ------
    InputError
        Where it is finished or given up by now, somebody is at work on it, or its folder cannot be changed.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> import rrcore as rr
    >>> from rrcore.promise.releases import Releases
    >>> from rrcore.promise.release_folder import WantedRelease, give_up, release_into
    >>> place, table = Path(tempfile.mkdtemp()), rr.load_demo("titanic").select(["Sex", "Survived"])
    >>> _ = (place / "people.csv").write_text(table.to_csv())
    >>> file = rr.MechanismFile(table.schema, rr.integer_groups(rr.build("kronecker", (2, 2), [1.0, 1.0])))
    >>> def stop(fraction, text):
    ...     if fraction > 0:
    ...         raise KeyboardInterrupt
    >>> releases = Releases(place)
    >>> try:
    ...     release_into(releases, WantedRelease(file, "spring", "people.csv"), place / "people.csv", report=stop)
    ... except KeyboardInterrupt:
    ...     [begun] = releases.unfinished("people.csv")
    >>> give_up(releases, begun)
    >>> releases.others("people.csv", "")
    []
    """
    _Run(releases, replace(WantedRelease.again(begun, 0), by=by), begun.name, Path()).give_up()


@dataclass(frozen=True)
class _Run:
    """One run of a release, from where it stands to where it is stopped or finished."""

    releases: Releases
    wanted: WantedRelease
    name: str
    path: Path
    pages: Pages = no_pages

    @property
    def begun(self) -> Path:
        return self.releases.begun(self.name)

    def make(self, executor: Executor | None, report: Report) -> KeptRelease:
        with ExitStack() as held:
            with self._alone(self.releases.folder):
                if not self.begun.exists():
                    self.releases.checked(self.name)
                self._check_others()
                held.enter_context(self._alone(self.begun))
                self._begin()
            try:
                trailer = self._drawn(executor, report)
            finally:
                if not any(self.begun.glob("released.*")):
                    shutil.rmtree(self.begun, ignore_errors=True)
            with self._alone(self.releases.folder):
                self._check_others()
                self._finish(trailer)
        made = self.releases.read(self.releases.place(self.name))
        assert made is not None
        return made

    def give_up(self) -> None:
        with self._alone(self.releases.folder):
            begun = self.releases.read(self.begun)
            if begun is None:
                raise InputError(f"The release '{self.name}' was finished or given up meanwhile: nothing was deleted.")
            with self._alone(self.begun):
                self._say(begun, "release given up")
                self._keep_only(ABOUT, MECHANISM)
                self._move(self.releases.given_up(self.name))

    def _begin(self) -> None:
        """Say what is begun, so that whoever wants to begin another release of the table sees it; or see that it is the same."""
        begun, wanted = self.releases.read(self.begun), self.wanted
        if begun is None:
            if wanted.coder is not None:
                self._write(CODER, write_coder(wanted.coder))
            self._write(MECHANISM, wanted.mechanism.to_json())
            today, own = dt.date.today(), wanted.mechanism
            fresh = KeptRelease(self.name, wanted.table, wanted.kind, today, own, False, None, encoding=wanted.encoding)
            self._say(fresh, "release begun")
        elif not wanted.is_what(begun):
            raise InputError(
                f"There is a release '{self.name}' already, of another table or by another mechanism file: choose another name."
            )
        elif wanted.by:
            self._say(begun, "release gone on with")

    def _say(self, kept: KeptRelease, act: Act) -> None:
        """Write what there is to say about the release, with one more step."""
        step = ReleaseStep(f"{dt.datetime.now(dt.UTC):%Y-%m-%dT%H:%M:%SZ}", self.wanted.by, act)
        steps = (*kept.steps, step) if self.wanted.by else kept.steps
        about = About(kept.table, kept.kind, kept.began.isoformat(), kept.encoding, steps)
        self._write(_NEW, json.dumps(to_plain(about), ensure_ascii=False))
        os.replace(self.begun / _NEW, self.begun / ABOUT)

    def _drawn(self, executor: Executor | None, report: Report) -> Trailer:
        wanted = self.wanted
        out = self.begun / f"released.{wanted.kind}"
        if (trailer := read_trailer(out) if out.is_file() else None) is not None:
            return trailer  # a run that was stopped just before it got its name
        try:
            report(0.0, "The table is looked through")
            stream = open_stream(self.path, encoding=wanted.encoding)
            before = fingerprint([stream])
            trailer = randomise_stream(wanted.mechanism, stream, out, coder=wanted.coder, executor=executor, report=report)
            if fingerprint([open_stream(self.path, encoding=wanted.encoding)]) != before:
                out.unlink()
                raise InputError(
                    f"The table changed while it was released, and nothing of '{self.name}' was kept: release it again."
                )
        except InputError as error:
            if isinstance(error.__cause__, UnwrittenError | FileNotFoundError):
                raise self.unwritten(error.__cause__) from None
            if "holds a run that was stopped" in str(error):
                raise InputError(
                    f"The table has changed since the release '{self.name}' was begun, so it cannot go on: release it anew under another "
                    "name."
                ) from None
            raise InputError(error.discreet) from None  # these are true answers
        return trailer

    def _finish(self, trailer: Trailer) -> None:
        """Give the release its name, with everything that belongs to it and nothing else."""
        mechanism, place = self.wanted.mechanism, self.releases.place(self.name)
        guide = f"Randomised answers of {counted(trailer.rows, 'person', 'people')}. {promise_sentence(mechanism)}\n"
        guide += "To compute that anew from mechanism.json, with nothing but Python: python check.py\n"
        pages = self.pages(mechanism, trailer.rows)
        for name, text in ({**pages} | certificate_files(mechanism) | {"read-me.txt": guide}).items():
            self._write(name, text)
        begun = self.releases.read(self.begun)
        assert begun is not None
        self._say(begun, "release finished")
        self._keep_only(*(left.name for left in self.begun.iterdir() if not left.name.startswith(".") and not left.is_dir()))
        if place.exists():
            raise InputError(f"There is a release '{self.name}' already, which stands: move it away, and go on.")
        self._move(place)

    def _keep_only(self, *names: str) -> None:
        for left in self.begun.iterdir():
            if left.name not in (*names, LOCK):
                shutil.rmtree(left) if left.is_dir() else left.unlink()

    def _move(self, place: Path) -> None:
        try:
            (self.begun / LOCK).unlink(missing_ok=True)
            os.rename(self.begun, place)
        except OSError as error:
            raise self.unwritten(error) from None

    def _check_others(self) -> None:
        there = len(self.releases.others(self.wanted.table, self.name))
        if there != self.wanted.others:
            raise InputError(
                f"There {'is' if there == 1 else 'are'} {counted(there, 'other release', 'other releases')} of this table by now, finished "
                "or begun, and one more adds to what its people give away: look at its price first."
            )

    @contextmanager
    def _alone(self, folder: Path) -> Iterator[None]:
        """Nobody else works in that folder meanwhile; a process that ends lets go of it."""
        with ExitStack() as held:
            try:
                folder.mkdir(exist_ok=True)
                held.enter_context(locked(folder / LOCK, wait=folder == self.releases.folder))
            except HeldError:
                raise InputError(f"Somebody is at work on the release '{self.name}' now: wait until it is there.") from None
            except OSError as error:
                raise self.unwritten(error) from None
            yield

    def _write(self, name: str, text: str) -> None:
        (self.begun / name).unlink(missing_ok=True)
        with new_file(self.begun / name) as out:
            out.write(text.encode())

    def unwritten(self, error: BaseException) -> InputError:
        """What somebody reads where nothing can be written."""
        cause = error if isinstance(error, OSError) else error.__cause__
        why = cause.strerror if isinstance(cause, OSError) else "cannot be written"
        return InputError(
            f"The release '{self.name}' cannot be written where the operator keeps releases ({why}): what is finished is kept; have that "
            "mended, and go on."
        )
