"""Collected answers that commands read: files, folders and standard input of any size."""

import argparse
import shutil
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from rrcore.answers import Answers, FormLines, SampleColumns, count_answers, open_answers, read_answers, with_sample
from rrcore.commands.files import STANDARD, load, title
from rrcore.commands.progress import shown
from rrcore.commands.workers import workers
from rrcore.limits import MAX_FILE_BYTES
from rrcore.promise import MechanismFile
from rrcore.table.opening import read_in_batches
from rrcore.table.source import Source


@dataclass(frozen=True)
class Sources:
    """Where answers are.

    Parameters
    ----------
    names : tuple of str, as they were given
    piped : content of standard input, where it is small; else None
    spool : Path, where the content of standard input was put meanwhile; None where it was not
    """

    names: tuple[str, ...]
    piped: bytes | None = None
    spool: Path | None = None

    @property
    def large(self) -> bool:
        """Whether one of the files, or all of them together, are too large to be read whole."""
        files = [name for name in self.names if name != STANDARD]
        sizes = [Path(name).stat().st_size for name in files if Path(name).is_file()]
        return self.spool is not None or any(map(read_in_batches, files)) or sum(sizes) > MAX_FILE_BYTES

    def whole(self) -> list[tuple[bytes, str]]:
        """The contents of small files."""
        return [(load(name) if name != STANDARD or self.piped is None else self.piped, title(name)) for name in self.names]

    def opened(self, encoding: str) -> list[Source | FormLines]:
        """Files of any size."""
        return [self._open(name, encoding) for name in self.names]

    def _open(self, name: str, encoding: str) -> Source | FormLines:
        if name != STANDARD or self.spool is None:
            return open_answers(Path(name), title(name), encoding=encoding)
        return replace(open_answers(self.spool, title(name), encoding=encoding), title=title(name))


@contextmanager
def open_sources(names: Sequence[str]) -> Iterator[Sources]:
    """What is named; standard input that is large stands in a file of its own while this lasts."""
    with ExitStack() as stack:
        if STANDARD not in names or sys.stdin is None:
            yield Sources(tuple(names))
            return
        content = sys.stdin.buffer.read(MAX_FILE_BYTES + 1)
        if not content:
            load(STANDARD)  # says that nothing is there
        if len(content) <= MAX_FILE_BYTES:
            yield Sources(tuple(names), content)
            return
        folder = stack.enter_context(tempfile.TemporaryDirectory(prefix="rrcore-"))
        place = Path(folder) / title(STANDARD)
        with place.open("wb") as out:
            out.write(content)
            shutil.copyfileobj(sys.stdin.buffer, out)
        yield Sources(tuple(names), spool=place)


def read_collected(
    options: argparse.Namespace,
    mechanism: MechanismFile,
    sample: SampleColumns,
    marginals: Sequence[Sequence[str]],
    *,
    by: str,
) -> Answers:
    """Answers of any size with their sample: as records where they are small, else as kinds of people."""
    with open_sources(options.input) as sources:
        if not sources.large:
            return with_sample(read_answers(sources.whole(), mechanism, encoding=options.encoding), sample)
        given = sources.opened(options.encoding)
        with workers(options) as executor:
            counted = count_answers(given, mechanism, marginals, sample=sample, by=by, executor=executor, report=shown())
        return with_sample(counted, sample)


def read_records(names: Sequence[str], mechanism: MechanismFile) -> Answers:
    """Answers with their records, for what goes through single ones."""
    with open_sources(names) as sources:
        if not sources.large:
            return read_answers(sources.whole(), mechanism)
        given = [(source, source.title) for source in sources.opened("")]
        return read_answers(given, mechanism, report=shown())
