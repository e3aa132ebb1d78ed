"""What a person types for a document: title, author, organisation, date and reasons."""

from collections.abc import Mapping
from dataclasses import dataclass, fields

from rrcore.errors import InputError
from rrcore.limits import MAX_REASONS, MAX_TEXT
from rrcore.table import Schema


@dataclass(frozen=True)
class Front:
    """What stands at the head of a document, as it was typed; what is empty is left out.

    Parameters
    ----------
    title, author, organisation, date : str, at most ``MAX_TEXT`` characters each
    reasons : str, at most ``MAX_REASONS`` characters; line breaks are kept

    Raises
    ------
    InputError
        For a text that is too long, or that holds half a character.

    Examples
    --------
    >>> Front(title="Working conditions 2026", author="A. Steward").organisation
    ''
    """

    title: str = ""
    author: str = ""
    organisation: str = ""
    date: str = ""
    reasons: str = ""

    def __post_init__(self) -> None:
        for field in fields(self):
            most = MAX_REASONS if field.name == "reasons" else MAX_TEXT
            _check(f"{field.name} of the document", getattr(self, field.name), most)


def check_wordings(wordings: Mapping[str, str], schema: Schema) -> tuple[str, ...]:
    """How each attribute of ``schema`` is asked, its name where that is left out or blank; entries of other attributes are ignored.

    Raises InputError for a question of more than ``MAX_TEXT`` characters.
    """
    for name, text in wordings.items():
        _check(f"question about '{name}'", text, MAX_TEXT)
    return tuple(" ".join(wordings.get(name, "").split()) or name for name in schema.names)


def _check(what: str, text: str, most: int) -> None:
    if len(text) > most:
        raise InputError(f"The {what} has {len(text):,} characters: use at most {most:,}.")
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        raise InputError(f"The {what} holds half a character (a lone surrogate): retype it.") from None


BLANK = Front()
"""Nothing typed."""
