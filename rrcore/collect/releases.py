"""A folder of releases: each is a folder of its own with the released table, its mechanism file and its certificate, or is not there.

Until all of it is there it stands in a hidden folder beside, from which it is taken up again, by whomever. Which table a release is of is
kept by the table's name alone: nothing in the folder is computed from a true answer.
"""

from __future__ import annotations

import datetime as dt
import json
import os
import re
import shutil
import unicodedata
from collections.abc import Iterator
from concurrent.futures import Executor
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from rrcore.collect.document import MechanismFile
from rrcore.collect.lastword import LastWord, last_word_of
from rrcore.collect.promise import promise
from rrcore.collect.streamed import randomise_stream
from rrcore.errors import InputError
from rrcore.limits import MAX_DOCUMENT_BYTES
from rrcore.table.stream import open_stream
from rrcore.table.stream.kept import fingerprint
from rrcore.wording import counted
from rrcore.work import Report, UnwrittenError, new_file, quiet

Kind = Literal["csv", "parquet"]

_ABOUT, _LOCK = "about.json", ".lock"
_MOST = 500  # releases in a folder that are listed, and that users may fill it up to
_PLAIN = re.compile(r"[^\W_](?:[\w .-]{0,58}[\w-])?")


@dataclass(frozen=True)
class Kept:
    """A release in the folder, or what there is of one that was stopped.

    Parameters
    ----------
    name : of its folder
    table : name of the table that it is of
    kind : "csv" or "parquet"
    began : day on which it was begun
    mechanism : MechanismFile
    word : what the released table says of itself; None for one that is not finished
    """

    name: str
    table: str
    kind: Kind
    began: dt.date
    mechanism: MechanismFile
    word: LastWord | None


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
    >>> import rrcore as rr
    >>> from rrcore.collect.releases import Releases
    >>> place, table = Path(tempfile.mkdtemp()), rr.load_demo("titanic").select(["Sex", "Survived"])
    >>> (place / "releases").mkdir()
    >>> _ = (place / "people.csv").write_text(table.to_csv())
    >>> file = rr.MechanismFile(table.schema, rr.integer_groups(rr.build("kronecker", (2, 2), [1.0, 1.0])))
    >>> releases = Releases(place / "releases")
    >>> releases.release(file, place / "people.csv", "spring").word.rows
    2201
    >>> [(each.name, each.table) for each in releases.of("people.csv")]
    [('spring', 'people.csv')]
    """

    folder: Path

    def of(self, table: str) -> list[Kept]:
        """What was released of the table of that name, the earliest first."""
        found = [each for each in self._all() if each.table == table and each.word is not None]
        return sorted(found, key=lambda each: (each.began, each.name))

    def unfinished(self, table: str) -> list[Kept]:
        """What was begun of the table of that name and is not finished, by name."""
        return [each for each in self._all() if each.table == table and each.word is None]

    def checked(self, name: str) -> str:
        """The name of a new release. Raises InputError where it is not plain, or is taken."""
        plain = _plain(name)
        if (self.folder / plain).exists() or self._begun(plain).exists():
            raise InputError(f"There is a release '{plain}' already, and nothing was written: choose another name.")
        if sum(1 for _ in self._folders()) >= _MOST:
            raise InputError(f"There are {_MOST} releases already, which is the limit: ask the operator of this server for room.")
        return plain

    def release(
        self,
        mechanism: MechanismFile,
        path: Path,
        name: str,
        *,
        table: str = "",
        kind: Kind = "csv",
        earlier: int = 0,
        executor: Executor | None = None,
        report: Report = quiet,
    ) -> Kept:
        """Randomise the table at ``path`` by the exact sampler into the release ``name``; one that was stopped is taken up by the same call.

        Parameters
        ----------
        mechanism : MechanismFile
        path : of a table of any size
        name : of the release
        table : what the table is called; its file's name by default. Tables of one name are about the same people.
        kind : "csv" or "parquet"
        earlier : how many releases of this table there are, as the caller knows: each one more adds to what it gives away
        executor, report : as in ``randomise_stream``

        Raises
        ------
        InputError
            Where the name is taken, somebody else is at work on it, there are other releases of the table than ``earlier`` says, the table
            changed meanwhile, a record cannot be randomised, or nothing can be written. In its sentence there is no true answer.
        """
        table, name = table or path.name, _plain(name)
        begun = self._begun(name)
        if not begun.exists():
            self.checked(name)
        self._check_earlier(table, earlier)
        try:
            self._release(mechanism, path, begun, name, table, kind, earlier, executor, report)
        except UnwrittenError as error:
            raise self._unwritten(name, error) from None
        made = self._read(self.folder / name)
        assert made is not None
        return made

    def _release(
        self,
        mechanism: MechanismFile,
        path: Path,
        begun: Path,
        name: str,
        table: str,
        kind: Kind,
        earlier: int,
        executor: Executor | None,
        report: Report,
    ) -> None:
        with self._alone(begun, name):
            about = self._read(begun)
            if about is None:
                said = {"table": table, "kind": kind, "began": dt.date.today().isoformat()}
                self._write(begun, "mechanism.json", mechanism.to_json())
                self._write(begun, _ABOUT, json.dumps(said, ensure_ascii=False))
            elif (about.table, about.kind, about.mechanism) != (table, kind, mechanism):
                raise InputError(
                    f"There is a release '{name}' already, of another table or by another mechanism file: choose another name."
                )
            try:
                word = self._drawn(mechanism, path, begun, name, kind, executor, report)
            finally:
                if not any(begun.glob("released.*")):
                    shutil.rmtree(begun, ignore_errors=True)
            with self._alone(self.folder, name):
                self._check_earlier(table, earlier)
                self._finish(begun, name, mechanism, word)

    def _drawn(
        self, mechanism: MechanismFile, path: Path, begun: Path, name: str, kind: Kind, executor: Executor | None, report: Report
    ) -> LastWord:
        out = begun / f"released.{kind}"
        if (word := last_word_of(out) if out.is_file() else None) is not None:
            return word  # a run that was stopped just before it got its name
        try:
            stream = open_stream(path)
            before = fingerprint([stream])
            word = randomise_stream(mechanism, stream, out, executor=executor, report=report)
            if fingerprint([open_stream(path)]) != before:
                out.unlink()
                raise InputError(f"The table changed while it was released, and nothing of '{name}' was kept: release it again.")
        except InputError as error:
            if isinstance(error.__cause__, UnwrittenError | FileNotFoundError):
                raise self._unwritten(name, error.__cause__) from None
            if "holds a run that was stopped" in str(error):
                raise InputError(
                    f"The table has changed since the release '{name}' was begun, so it cannot go on: release it anew under another name."
                ) from None
            raise InputError(error.discreet) from None  # these are true answers
        return word

    def _finish(self, begun: Path, name: str, mechanism: MechanismFile, word: LastWord) -> None:
        """Give the release its name, with everything that belongs to it and nothing else."""
        names, certificate = mechanism.schema.names, mechanism.certificate
        self._write(begun, "certificate.txt", f"{certificate.text(names)}\nsha256 {mechanism.sha256}\n")
        claim = certificate.to_dict(names) | {"sha256": mechanism.sha256}
        self._write(begun, "certificate.json", json.dumps(claim, ensure_ascii=False, indent=1))
        self._write(
            begun, "read-me.txt", f"Randomised answers of {counted(word.rows, 'person', 'people')}. {promise(mechanism)}\n"
        )
        for left in begun.iterdir():
            if (left.name.startswith(".") and left.name != _LOCK) or left.is_dir():
                shutil.rmtree(left) if left.is_dir() else left.unlink()
        try:
            if (self.folder / name).exists():
                raise InputError(f"There is a release '{name}' already, which stands: move it away, and go on.")
            (begun / _LOCK).unlink(missing_ok=True)
            os.rename(begun, self.folder / name)
        except OSError as error:
            raise self._unwritten(name, error) from None

    def _check_earlier(self, table: str, known: int) -> None:
        there = len(self.of(table))
        if there != known:
            raise InputError(
                f"There {'is' if there == 1 else 'are'} {counted(there, 'release', 'releases')} of this table by now, and another one adds "
                "to what its people give away: look at its price first."
            )

    @contextmanager
    def _alone(self, folder: Path, name: str) -> Iterator[None]:
        """Nobody else works in that folder meanwhile; a process that ends lets go of it."""
        import fcntl

        try:
            folder.mkdir(exist_ok=True)
            lock = os.open(folder / _LOCK, os.O_CREAT | os.O_RDWR, 0o600)
        except OSError as error:
            raise self._unwritten(name, error) from None
        try:
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | (0 if folder == self.folder else fcntl.LOCK_NB))
            except BlockingIOError:
                raise InputError(f"Somebody is at work on the release '{name}' now: wait until it is there.") from None
            yield
        finally:
            os.close(lock)

    def _all(self) -> Iterator[Kept]:
        for folder in self._folders():
            made = self._read(folder)
            if made is not None:
                yield made

    def _folders(self) -> Iterator[Path]:
        try:
            found = sorted(each for each in self.folder.iterdir() if each.is_dir() and not each.is_symlink())
        except OSError:
            return
        yield from (each for each in found if not each.name.startswith(".") or each.name.endswith(".begun"))

    def _begun(self, name: str) -> Path:
        return self.folder / f".{name}.begun"

    def _read(self, folder: Path) -> Kept | None:
        """What is in the folder of a release; None for any other folder."""
        try:
            files = [folder / _ABOUT, folder / "mechanism.json"]
            if any(file.is_symlink() or file.stat().st_size > MAX_DOCUMENT_BYTES for file in files):
                return None
            about: dict[str, Any] = json.loads(files[0].read_text(encoding="utf-8"))
            mechanism = MechanismFile.from_bytes(files[1].read_bytes())
            kind: Kind = "parquet" if about["kind"] == "parquet" else "csv"
            begun = folder.name.startswith(".")
            name = folder.name[1:].removesuffix(".begun") if begun else folder.name
            word = None if begun else last_word_of(folder / f"released.{kind}")
            return Kept(name, str(about["table"]), kind, dt.date.fromisoformat(about["began"]), mechanism, word)
        except (OSError, ValueError, KeyError, TypeError, RecursionError):
            return None

    def _write(self, folder: Path, name: str, text: str) -> None:
        (folder / name).unlink(missing_ok=True)
        with new_file(folder / name) as out:
            out.write(text.encode())

    def _unwritten(self, name: str, error: BaseException) -> InputError:
        cause = error if isinstance(error, OSError) else error.__cause__
        why = cause.strerror if isinstance(cause, OSError) else "cannot be written"
        return InputError(
            f"The release '{name}' cannot be written where the operator keeps releases ({why}): what is finished is kept; have that mended, "
            "and go on."
        )


def _plain(name: str) -> str:
    plain = unicodedata.normalize("NFC", name.strip())
    if not _PLAIN.fullmatch(plain) or ".." in plain:
        raise InputError(
            "The name of a release has letters, digits, spaces, hyphens, underscores and dots, starts with a letter or a digit, and has at "
            "most 60 characters: choose another one."
        )
    return plain
