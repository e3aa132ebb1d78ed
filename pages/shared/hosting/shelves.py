"""Where ledgers and surveys may be: one folder each and the databases that the operator listed, and nothing else on this computer.

Users choose among what is there, by name, and create by a plain name only. Of any other place they learn nothing: not even whether it exists.
"""

import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import streamlit as st

from pages.shared.hosting.door import is_local
from pages.shared.hosting.operator import operator
from rrcore.commands.app import SURVEY_VARIABLE
from rrcore.errors import InputError
from rrcore.limits import MAX_SHELF
from rrcore.work import new_file_name
from rrcore.work.database.places import path_of, shown_place

Thing = Literal["ledger", "survey"]


@dataclass(frozen=True)
class Shelf:
    """Places of one kind of thing.

    Parameters
    ----------
    thing : what is kept there; files are called name.ledger, or name.survey
    folder : where files are; None where users may open none
    others : paths and database URLs besides
    """

    thing: Thing
    folder: Path | None
    others: tuple[str, ...] = ()

    def names(self) -> tuple[str, ...]:
        """What can be opened, by the names that users see."""
        return tuple(self._places())

    def place(self, name: str) -> str:
        """The path or URL of what is called ``name``. Raises InputError, always in the same words, for anything else."""
        try:
            return self._places()[name]
        except KeyError:
            raise InputError(f"There is no {self.thing} of that name here: choose one of the list.") from None

    def named(self, path: str) -> str:
        """The name of what is at ``path``."""
        return next((name for name, place in self._places().items() if place == path), "")

    def new(self, name: str) -> str:
        """The path for a new one. Raises InputError where the name is not plain."""
        if self.folder is None:
            raise InputError(f"No {self.thing} can be made here: the operator of this dashboard has set no folder for them.")
        plain = new_file_name(name.strip().removesuffix(f".{self.thing}"), self.thing)
        if sum(1 for _ in self._files()) >= MAX_SHELF:
            raise InputError(
                f"There are {MAX_SHELF} of them already, which is the limit: ask the operator of this dashboard for room."
            )
        return str(self.folder / f"{plain}.{self.thing}")

    def said(self, error: InputError) -> str:
        """The sentence of an error, with names in place of full paths."""
        sentence = str(error)
        for name, place in self._places().items():
            sentence = sentence.replace(shown_place(place, self.thing), name)
        return sentence if self.folder is None else sentence.replace(f"{self.folder}{os.sep}", "")

    def _places(self) -> dict[str, str]:
        found = {path.name: str(path) for path in self._files()}
        for each in self.others:
            path = path_of(each, self.thing)
            found[shown_place(each, self.thing) if path is None else path.name] = each
        return found

    def _files(self) -> Iterator[Path]:
        """At most so many, in the order of their names: files themselves, no links to elsewhere, nothing hidden."""
        if self.folder is None:
            return
        try:
            with os.scandir(self.folder) as found:
                names = [
                    each.name
                    for each in found
                    if each.name.endswith(f".{self.thing}") and each.name[0] != "." and each.is_file(follow_symlinks=False)
                ]
        except OSError:
            return
        yield from (self.folder / name for name in sorted(names)[:MAX_SHELF])


def hosted() -> bool:
    """Whether others than the person at this computer can open this dashboard."""
    return not is_local({*operator().hosts, st.get_option("server.address") or "localhost"})


def shelf(thing: Thing) -> Shelf:
    """Where ledgers, or surveys, may be. Without a word of the operator: in the folder this was started in, unless others can come here."""
    decided = operator()
    named = decided.ledgers if thing == "ledger" else decided.surveys
    folder = Path(named) if named else None if hosted() else Path.cwd()
    given = os.environ.get(SURVEY_VARIABLE) if thing == "survey" else None
    return Shelf(thing, folder, (*((given,) if given else ()), *decided.databases))
