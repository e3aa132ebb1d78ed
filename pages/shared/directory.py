"""Where ledgers and surveys are: in the directory that RR Workbench was started in. Users choose and create them by plain names."""

import os
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from rrcore.cli.dashboard import SURVEY_VARIABLE
from rrcore.errors import InputError
from rrcore.files import new_file_name

Thing = Literal["ledger", "survey"]


@dataclass(frozen=True)
class Directory:
    """The files of one kind of thing, which are called name.ledger or name.survey."""

    thing: Thing
    folder: Path

    def names(self) -> tuple[str, ...]:
        """What can be opened, by the names that users see."""
        return tuple(self._places())

    def place(self, name: str) -> str:
        """The path of what is called ``name``. Raises InputError, always in the same words, for anything else."""
        try:
            return self._places()[name]
        except KeyError:
            raise InputError(f"There is no {self.thing} with that name. Choose one from the list.") from None

    def named(self, path: str) -> str:
        """The name of what is at ``path``."""
        return next((name for name, place in self._places().items() if place == path), "")

    def new(self, name: str) -> str:
        """The path for a new one. Raises InputError where the name is not plain."""
        plain = new_file_name(name.strip().removesuffix(f".{self.thing}"), self.thing)
        return str(self.folder / f"{plain}.{self.thing}")

    def _places(self) -> dict[str, str]:
        """Files themselves in the order of their names, no links and nothing hidden; and the survey that the command line names."""
        found = [each for each in sorted(self.folder.glob(f"*.{self.thing}")) if each.name[0] != "."]
        places = {each.name: str(each) for each in found if each.is_file() and not each.is_symlink()}
        given = os.environ.get(SURVEY_VARIABLE) if self.thing == "survey" else None
        return places | ({Path(given).name: given} if given else {})


def directory(thing: Thing) -> Directory:
    """Where ledgers, or surveys, are."""
    return Directory(thing, Path.cwd())
