"""Tables on the server, of any size, in folders that the operator allowed: chosen by their names, and counted where they are."""

import os
from collections.abc import Hashable, Iterator
from concurrent.futures import Executor
from contextlib import nullcontext
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any, Protocol

import streamlit as st

from pages.shared import encodings, jobs, state, widgets
from pages.shared.hosting.operator import operator
from rrcore.answers.formlines import LINES
from rrcore.errors import InputError
from rrcore.limits import MAX_SHELF
from rrcore.table import MixedEncodingError
from rrcore.table.stream import is_table
from rrcore.wording import legible
from rrcore.work import Report, open_executor

_COUNTING = "Every record is counted where it lies: nothing is written, and no record is kept."


class Counting(Protocol):
    """What is done with a table; it is sent to another process, with all that it refers to."""

    def __call__(self, path: Path, /, *, encoding: str, executor: Executor | None, report: Report) -> Any: ...


class Doing(Protocol):
    """What is done with a table of which it is known how it is read."""

    def __call__(self, path: Path, /, *, executor: Executor | None, report: Report) -> Any: ...


@dataclass(frozen=True)
class Chosen:
    """A table on the server as it is now: another one as soon as it is written anew.

    Parameters
    ----------
    name : as users see it
    size, changed : bytes, and when it was written, in nanoseconds
    encoding : as in ``open_stream``, as the user decided
    """

    name: str
    size: int
    changed: int
    encoding: str = ""


@dataclass
class Decided:
    """The encodings that this session decided on, by the names of tables."""

    encodings: dict[str, str] = field(default_factory=dict)


def offered() -> bool:
    """Whether the operator allowed any folder."""
    return bool(operator().data)


def tables(more: tuple[str, ...] = ()) -> dict[str, Path]:
    """What can be counted, by the names that users see: tables, and folders of tables, that lie in the folders themselves, and files
    whose names end in one of ``more``.

    Links are followed only to what lies in one of the folders, too, and nothing hidden is listed.
    """
    roots = [Path(each).resolve() for each in operator().data]
    found: dict[str, Path] = {}
    for root in roots:
        for path in _listed(root):
            real = path.resolve()
            if (
                len(found) < MAX_SHELF
                and any(real != each and real.is_relative_to(each) for each in roots)
                and (_holds_tables(real, roots) or (bool(more) and real.is_file() and real.name.lower().endswith(more)))
            ):
                name = path.name if path.name not in found else f"{root.name}/{path.name}"
                found[name] = real
    return found


def place(name: str) -> Path:
    """Where the table of that name is, looked up anew. Raises InputError, always in the same words, for anything else."""
    try:
        return (tables(LINES) | tables())[name]
    except KeyError:
        raise InputError("There is no table of that name on the server: choose one of the list.") from None


def _listed(folder: Path) -> Iterator[Path]:
    """What lies in a folder and is not hidden, by name."""
    try:
        yield from sorted(path for path in folder.iterdir() if not path.name.startswith((".", "_")))
    except OSError:
        return


def _holds_tables(path: Path, roots: list[Path]) -> bool:
    """Whether it is a table, or a folder with tables, none of which is a link to elsewhere."""
    if not path.is_dir():
        return path.is_file() and is_table(path)
    own = [each for each in _listed(path) if is_table(each)]
    return bool(own) and all(any(each.resolve().is_relative_to(root) for root in roots) for each in own)


def choose(key: str, *, more: tuple[str, ...] = ()) -> Chosen | None:
    """One of the ``tables``, in a widget of this key; None where there is none, which is said."""
    found = tables(more)
    if not found:
        st.caption("There is no table on the server yet: ask whoever runs this dashboard.")
        return None
    name = st.selectbox("Table on the server", list(found), format_func=legible, key=key, persist_state="session")
    if name is None:
        return None
    decided = state.of_page(Decided).encodings
    if name in decided and st.button("Change its encoding", key=f"encoding_{key}", type="tertiary", icon=":material/edit:"):
        del decided[name]
    return now(name, found[name], decided.get(name, ""))


def count(job: str, chosen: Chosen, counting: Counting, *, about: Hashable = (), button: str = "Count it") -> Any:
    """What ``counting`` makes of a table, once a button was clicked; None while it is not there, which is shown.

    Parameters
    ----------
    job : name of the work in the background
    chosen : Chosen
    counting : Counting
    about : what else it is about, besides the table
    button : its label
    """
    whole = (chosen, about)
    started = jobs.find(job)
    if started is not None and started.about == whole:
        if isinstance(started.error, MixedEncodingError):
            encoding = encodings.ask(chosen.name, started.error, job)
            if encoding:
                state.of_page(Decided).encodings[chosen.name] = encoding
                _start(job, replace(chosen, encoding=encoding), about, counting)
            return None
        jobs.watch(job, "Counting")
    elif st.button(button, key=f"count_{job}", icon=":material/table_view:", help=_COUNTING):
        _start(job, chosen, about, counting)
        return None
    return jobs.finished(job, whole)


@widgets.complaining
def _start(job: str, chosen: Chosen, about: Hashable, counting: Counting) -> None:
    """Have it counted, and the page run again."""
    doing = partial(counting, encoding=chosen.encoding)
    jobs.start(job, (chosen, about), partial(apart, doing, unchanged(chosen), operator().scheduler))
    st.rerun()


def now(name: str, path: Path, encoding: str = "") -> Chosen:
    """The table as it is at this moment."""
    try:
        found = path.stat()
    except OSError:
        return Chosen(name, 0, 0, encoding)
    return Chosen(name, found.st_size, found.st_mtime_ns, encoding)


def unchanged(chosen: Chosen, where: str = "") -> Path:
    """Where the table is, looked up anew. Raises InputError where it is not as it was, which says ``where`` to count it again."""
    path = place(chosen.name)
    if now(chosen.name, path, chosen.encoding) != chosen:
        raise InputError(f"'{chosen.name}' has changed since it was counted: count it again{where}.")
    return path


def apart(counting: Doing, path: Path, scheduler: str, report: Report) -> Iterator[Any]:
    """The job: by the cluster of the operator where there is one, else in the job's own process. Messages name no folder."""
    try:
        with open_executor(scheduler) if scheduler else nullcontext() as executor:
            yield counting(path, executor=executor, report=report)
    except MixedEncodingError:
        raise
    except InputError as error:
        raise InputError(str(error).replace(f"{path.parent}{os.sep}", ""), quoted=error.quoted) from None
