"""A place in a document, and the one sentence that says what is wrong there."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any, NoReturn

from rrcore.errors import DocumentError, InputError

_SHOWN = 40  # most characters that are repeated of a text or a key


@dataclass(frozen=True)
class Place:
    """A place in a document, such as ``attributes[2].name`` of the plan file.

    Parameters
    ----------
    name : str, what the document is, for example "plan file"
    advice : str, what to do, without a full stop
    path : str, empty for the document itself

    Examples
    --------
    >>> place = Place("plan file", "choose another")["attributes"][2]
    >>> place["level"].refuse("NaN", "a number")
    Traceback (most recent call last):
    ...
    rrcore.errors.DocumentError: The plan file cannot be used: attributes[2].level is NaN, and a number was expected; choose another.
    """

    name: str
    advice: str
    path: str = ""

    def __getitem__(self, key: str | int) -> Place:
        """The place of a field, or of an entry of a list, counted from 0."""
        if isinstance(key, int):
            return replace(self, path=f"{self.path}[{key}]")
        if key.isidentifier() and len(key) <= _SHOWN:
            return replace(self, path=f"{self.path}.{key}" if self.path else key)
        return replace(self, path=f"{self.path}[{shortened(key)!r}]")

    def refuse(self, found: str, expected: str) -> NoReturn:
        """Raise an InputError: ``found`` is here, and ``expected`` was expected."""
        were = "were" if expected.endswith("s") and not expected.startswith(("a ", "one ")) else "was"
        self.complain(f"{self.path or 'its content'} is {found}, and {expected} {were} expected")

    def complain(self, why: str) -> NoReturn:
        """Raise an InputError that says ``why`` the document cannot be used."""
        raise DocumentError(f"The {self.name} cannot be used: {why}; {self.advice}.")

    @contextmanager
    def named(self) -> Iterator[None]:
        """What is wrong with a value that is made from what stands here is said with the place."""
        try:
            yield
        except DocumentError:
            raise
        except InputError as error:
            if not self.path:
                raise
            raise DocumentError(f"In the {self.name}, {self.path}: {error}") from error

    def head(self, document: Any, format: str) -> Mapping[str, Any]:
        """Return ``document``, which has to name its ``format`` and version 1."""
        if not isinstance(document, dict) or document.get("format") != format:
            if self.path:
                self.complain(f"{self.path} is not a '{format}'")
            raise DocumentError(f"This is not a {self.name}: {self.advice}.")
        version = document.get("version")
        if type(version) is int and version == 1:
            return document
        shown = described(version) if "version" in document else "not given"
        raise DocumentError(f"The version of the {self.name} is {shown}, and this program reads version 1: {self.advice}.")


def described(value: object) -> str:
    """A plain value in a few words."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return f"the text '{shortened(value)}'"
    if isinstance(value, list | tuple):
        return "an empty list" if not value else "a list"
    if isinstance(value, Mapping):
        return "a set of named fields"
    return {"nan": "NaN", "inf": "Infinity", "-inf": "-Infinity"}.get(str(value), shortened(str(value)))


def shortened(text: str) -> str:
    """At most ``_SHOWN`` characters of ``text``."""
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}..."
