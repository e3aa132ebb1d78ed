"""Shared parts of reports: the head, the templates, and the HTML file.

Templates ending in ``.html.j2`` escape every value. A missing value is an error.
"""

import platform
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from functools import cache
from importlib import import_module
from importlib.metadata import version
from pathlib import Path
from typing import Any
from xml.etree.ElementTree import Element, tostring

from jinja2 import Environment, FileSystemLoader, StrictUndefined, select_autoescape
from markupsafe import Markup

from rrcore.errors import InputError
from rrcore.limits import MAX_REASONS, MAX_TEXT
from rrcore.promise import MechanismFile
from rrcore.table import Schema
from rrcore.wording import and_text, counted, legible


def _check(what: str, text: str, most: int = MAX_TEXT) -> None:
    if len(text) > most:
        raise InputError(f"The {what} has {len(text):,} characters. Use at most {most:,}.")


@dataclass(frozen=True)
class Front:
    """The head of a document, as a person typed it. Empty texts are omitted.

    Parameters
    ----------
    title, author, organization, date : str
        At most ``MAX_TEXT`` characters each.
    reasons : str
        At most ``MAX_REASONS`` characters. Line breaks are kept.

    Raises
    ------
    InputError
        If a text is too long.

    Examples
    --------
    >>> Front(title="Working conditions 2026", author="A. Steward").organization
    ''
    """

    title: str = ""
    author: str = ""
    organization: str = ""
    date: str = ""
    reasons: str = ""

    def __post_init__(self) -> None:
        for field in fields(self):
            _check(
                f"{field.name} of the document", getattr(self, field.name), MAX_REASONS if field.name == "reasons" else MAX_TEXT
            )


BLANK = Front()
"""A head without any text."""


def check_wordings(wordings: Mapping[str, str], schema: Schema) -> dict[str, str]:
    """Return the question about each attribute of ``schema``.

    The default question is the attribute's name.

    Raises
    ------
    InputError
        If a question has more than ``MAX_TEXT`` characters.
    """
    for name, text in wordings.items():
        _check(f"question about '{name}'", text)
    return {name: " ".join(wordings.get(name, "").split()) or name for name in schema.names}


def visible(value: Any) -> Any:
    """Return a text with visible codes for its invisible characters.

    Other values are unchanged.
    """
    return legible(value) if isinstance(value, str) and not isinstance(value, Markup) else value


@cache
def templates() -> Environment:
    """Return the templates of this package with their filters."""
    found = Environment(
        loader=FileSystemLoader(Path(__file__).parent / "templates"),
        autoescape=select_autoescape(["html.j2"]),
        undefined=StrictUndefined,
        finalize=visible,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    found.filters |= {"counted": counted, "quoted": quoted, "repr": repr, "drawing": drawing}
    return found


def quoted(names: Sequence[str]) -> str:
    """Return names in quotation marks as a list with commas and "and"."""
    return and_text([f"“{name}”" for name in names])


def drawing(svg: Element) -> Markup:
    """Return an SVG element as markup. The serializer escapes its text."""
    return Markup(visible(tostring(svg, encoding="unicode", method="html")))  # nosec B704


def render(template: str, front: Front, file: MechanismFile, **values: Any) -> str:
    """Return the HTML file that ``template`` makes of these values."""
    own = import_module("rrcore").__version__  # by name, because the public face is above
    versions = f"RR Workbench {own}, Python {platform.python_version()}, NumPy {version('numpy')}, SciPy {version('scipy')}"
    return templates().get_template(template).render(front=front, file=file, versions=versions, **values)
