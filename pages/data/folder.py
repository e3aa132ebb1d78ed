"""Tables on the server, of any size: those in folders that the operator allowed are counted where they are, and a sample is in play."""

from __future__ import annotations

import os
from collections.abc import Hashable, Iterator
from functools import partial
from pathlib import Path

import streamlit as st

from pages.data.source import Asked
from pages.shared import jobs, widgets
from pages.shared.hosting.operator import operator
from pages.shared.state import Work
from rrcore.errors import InputError
from rrcore.table import as_table
from rrcore.table.stream import Look, is_table, look_through
from rrcore.wording import count_text, counted, legible
from rrcore.work import Report, open_executor

_MOST = 500  # tables that are listed


def offered() -> bool:
    """Whether the operator allowed any folder."""
    return bool(operator().data)


def tables() -> dict[str, Path]:
    """What can be counted, by the names that users see: tables, and folders of tables, that lie in the folders themselves.

    Links are followed only to what lies in one of the folders, too, and nothing hidden is listed.
    """
    roots = [Path(each).resolve() for each in operator().data]
    found: dict[str, Path] = {}
    for root in roots:
        for path in _listed(root):
            real = path.resolve()
            if (
                len(found) < _MOST
                and any(real != each and real.is_relative_to(each) for each in roots)
                and _holds_tables(real, roots)
            ):
                name = path.name if path.name not in found else f"{root.name}/{path.name}"
                found[name] = real
    return found


def place(name: str) -> Path:
    """Where the table of that name is, looked up anew. Raises InputError, always in the same words, for anything else."""
    try:
        return tables()[name]
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


def choose(work: Work, asked: Asked) -> None:
    """Choose a table and have it counted; the work follows as soon as that is done."""
    found = tables()
    if not found:
        st.caption("There is no table on the server yet: ask whoever runs this dashboard.")
        return
    name = st.selectbox("Table on the server", list(found), format_func=legible, key="server_table")
    if name is None:
        return
    about = (name, _state(found[name]))
    job = jobs.find("server_table")
    if job is None or job.about != about:
        if st.button("Count it", icon=":material/table_view:"):
            try:
                jobs.start("server_table", about, partial(_look, place(name), operator().scheduler))
            except InputError as error:
                widgets.complain(error)
                return
            st.rerun()
    else:
        jobs.watch("server_table", "Counting")
    look = jobs.finished("server_table", about)
    if look is None:
        widgets.caption(f"Until a table is counted, '{work.title}' stays in use.")
    elif asked.counted is None or asked.counted[0] != about:
        _adopt(work, asked, look, about)
        st.rerun()
    elif asked.shows_counted(work):
        _told(look)
    elif st.button(f"Use '{widgets.plain(look.sample.title)}' again", icon=":material/history:"):
        _adopt(work, asked, look, about)
        st.rerun()


def _adopt(work: Work, asked: Asked, look: Look, about: Hashable) -> None:
    """Plan for all people, with the sample of them as the table in play."""
    work.adopt_table(*as_table(look.sample), source="upload")
    work.respondents = look.n
    asked.counted = about, look.n, work.title


def _told(look: Look) -> None:
    """What is in play of it, and what is not."""
    said = [f"{counted(look.n, 'person', 'people')} on the server."]
    if look.sample.n < look.n:
        said.append(
            f"In play are {count_text(look.sample.n)} of them, drawn at random: shares on the pages are theirs, and the plan is for all."
        )
    if look.left_out:
        said.append(
            f"Left out, since they cannot be attributes: {', '.join(look.left_out[:8])}{', ...' if len(look.left_out) > 8 else '.'}"
        )
    widgets.caption(" ".join([*said, *look.notes]))


def _state(path: Path) -> tuple[int, int]:
    """What changes when a table is written anew."""
    try:
        found = path.stat()
    except OSError:
        return 0, 0
    return found.st_size, found.st_mtime_ns


def _look(path: Path, scheduler: str, report: Report) -> Iterator[Look]:
    """The job: by the cluster of the operator where there is one, else in the job's own process."""
    try:
        if scheduler:
            with open_executor(scheduler) as executor:
                yield look_through(path, executor=executor, report=report)
        else:
            yield look_through(path, report=report)
    except InputError as error:
        raise InputError(str(error).replace(f"{path.parent}{os.sep}", ""), quoted=error.quoted) from None
