"""Read collected answers from files of any kind.

The files can be a release archive, answers with their mechanism file, or a survey's database.
"""

import io
import tempfile
import zipfile
from collections.abc import Iterator, Sequence
from pathlib import Path, PurePosixPath

import msgspec

from rrcore.answers import Answers, read_answers
from rrcore.asking.survey_file import SurveyFile
from rrcore.errors import InputError
from rrcore.limits import MAX_DOCUMENT_BYTES, MAX_FILE_BYTES
from rrcore.progress import Report, quiet
from rrcore.promise import MechanismFile
from rrcore.receiver.store import open_store

Named = tuple[bytes, str]
"""Content of a file, and its name."""

_SQLITE = b"SQLite format 3\0"
_OFFICE = {"[Content_Types].xml", "mimetype"}
"""Members that workbooks have, which are archives too."""

_ANSWERS = {".csv", ".tsv", ".xlsx", ".parquet", ".jsonl"}
_MECHANISM = "rr-workbench mechanism"
_SURVEY = "rr-workbench survey"


def read_collected(
    files: Sequence[Named], mechanism: MechanismFile | None = None, *, report: Report = quiet
) -> tuple[MechanismFile, Answers | None]:
    """Read a mechanism file and answers from files in any order.

    Each file is recognized by its content.

    Parameters
    ----------
    files : sequence of (bytes, str)
        A release archive, the database of a survey, mechanism or survey files, and tables or JSON lines of answers.
    mechanism : MechanismFile, optional
        Mechanism that is used if the files contain none.
    report : callable
        Called with progress.

    Returns
    -------
    mechanism : MechanismFile
    answers : Answers or None
        None if the files have no answers.

    Raises
    ------
    InputError
        If a file cannot be used, mechanism files differ, or answers have no mechanism file.

    Examples
    --------
    >>> import rrcore as rr
    >>> from rrcore.promise import release_table
    >>> table = rr.load_demo("titanic").select(["Sex", "Survived"])
    >>> file = rr.MechanismFile.from_plan(rr.Plan(table, 1.0))
    >>> archive = release_table(file, table).to_zip()
    >>> found, answers = read_collected([(archive, "release.zip")])
    >>> found == file, answers.n
    (True, 2201)
    """
    tables, found, stored = list[Named](), list[MechanismFile](), list[Answers]()
    for content, name in _members(files):
        if content.startswith(_SQLITE):
            stored.append(_database(content))
            found.append(stored[-1].mechanism)
        elif (document := _document(content, name)) is not None:
            found.append(document)
        else:
            tables.append((content, name))
    if len({each.sha256 for each in found}) > 1:
        raise InputError("These files belong to different mechanism files. Drop only the files of one release or survey.")
    if not found and mechanism is None:
        raise InputError(
            f"'{tables[0][1]}' came without its mechanism file. Add mechanism.json. If the table holds true answers, open "
            "it on Data."
            if tables
            else "The archive contains neither answers nor a mechanism file. Upload the archive that Release created."
        )
    file = found[0] if found else mechanism
    assert file is not None
    if stored and (tables or len(stored) > 1):
        raise InputError("The database of a survey already contains all its answers. Upload it without other answers.")
    if stored:
        return file, stored[0]
    return file, read_answers(tables, file, report=report) if tables else None


def _members(files: Sequence[Named]) -> Iterator[Named]:
    """Return the files, with an archive replaced by its relevant members."""
    for content, name in files:
        if not zipfile.is_zipfile(io.BytesIO(content)) and not content.startswith(b"PK\3\4"):
            yield content, name
            continue
        try:
            with zipfile.ZipFile(io.BytesIO(content)) as archive:
                if _OFFICE & set(archive.namelist()):
                    yield content, name
                    continue
                kept = [each for each in archive.infolist() if _wanted(PurePosixPath(each.filename))]
                if sum(each.file_size for each in kept) > MAX_FILE_BYTES:
                    raise InputError(
                        f"'{name}' unpacks to more than {MAX_FILE_BYTES // 2**20} MB. Unpack it yourself and upload fewer files at once."
                    )
                yield from ((archive.read(each), PurePosixPath(each.filename).name) for each in kept)
        except InputError:
            raise
        except Exception:  # zipfile lets the errors of zlib, lzma and others through
            raise InputError(f"'{name}' cannot be unpacked. Download it again, or unpack it and upload its files.") from None


def _wanted(path: PurePosixPath) -> bool:
    return "__MACOSX" not in path.parts and (path.name == "mechanism.json" or path.suffix.lower() in _ANSWERS)


def _document(content: bytes, name: str) -> MechanismFile | None:
    """The mechanism of a mechanism or survey file; None for answers. Raises InputError for other documents of this program."""
    content = content.removeprefix(b"\xef\xbb\xbf")
    if len(content) > MAX_DOCUMENT_BYTES or content.lstrip()[:1] != b"{":
        return None
    try:
        plain = msgspec.json.decode(content)
    except (msgspec.DecodeError, RecursionError):
        return None
    kind = plain.get("format")
    if kind == _MECHANISM:
        return MechanismFile.from_json(content)
    if kind == _SURVEY:
        return SurveyFile.from_json(content).mechanism
    if isinstance(kind, str) and kind.startswith("rr-workbench"):
        raise InputError(
            f"'{name}' is a {kind.removeprefix('rr-workbench ')}. Drop the release archive, or answers with mechanism.json."
        )
    return None


def _database(content: bytes) -> Answers:
    """Answers of a survey's database, which SQLite reads from a file."""
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder, "dropped.survey")
        place.write_bytes(content)
        try:
            return open_store(str(place)).answers()
        except InputError as error:
            raise InputError(str(error).replace(str(place), "dropped.survey"), quoted="") from None
