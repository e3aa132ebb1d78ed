"""The survey file: all that a form asks and says, with the mechanism file that randomises its answers, in one document."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any

from rrcore.asking.form import respondent_form
from rrcore.errors import InputError
from rrcore.promise.mechanism_file import MechanismFile
from rrcore.table.plain import Place, from_plain, parse
from rrcore.work import new_file

SURVEY_FILE_VERSION = 1
"""Schema number of the survey file."""

_FORMAT = "rr-workbench survey"
_PLACE = Place("survey file", "choose a file as it was saved by 'Download survey file', or make it again")


@dataclass(frozen=True)
class SurveyFile:
    """A survey as it is asked.

    Parameters
    ----------
    mechanism : MechanismFile
    title : str, 1 to ``MAX_TEXT`` characters
    introduction : plain text above the form's explanation
    questions : attribute -> how it is asked; the attribute's name where it is left out or blank
    order : all attributes in the order in which they are asked; empty for that of the mechanism file
    language : a key of ``rrcore.asking.LANGUAGES``
    invited : whether only who has an invitation code may answer; a receiver sees to that
    memory : whether the form memoises answers, for people who are asked again

    Raises
    ------
    InputError
        Where the form could not be made of it: see ``respondent_form``.

    Examples
    --------
    >>> import rrcore as rr
    >>> from rrcore.asking import SurveyFile
    >>> schema = rr.Schema((rr.Attribute("smokes", ("no", "yes")), rr.Attribute("region", ("north", "south"))))
    >>> file = rr.MechanismFile(schema, rr.integer_groups(rr.build("kronecker", (2, 2), [1.0, 1.0])))
    >>> survey = SurveyFile(file, "Pilot", questions={"smokes": "Do you smoke?"}, order=("region", "smokes"))
    >>> SurveyFile.from_json(survey.to_json()) == survey
    True
    """

    mechanism: MechanismFile
    title: str
    introduction: str = ""
    questions: Mapping[str, str] = field(default_factory=dict)
    order: tuple[str, ...] = ()
    language: str = "en"
    invited: bool = False
    memory: bool = False

    def __post_init__(self) -> None:
        object.__setattr__(self, "questions", {name: text for name, text in self.questions.items() if text.strip()})
        object.__setattr__(self, "order", () if tuple(self.order) == self.mechanism.schema.names else tuple(self.order))
        self.form()

    @property
    def texts(self) -> dict[str, Any]:
        """All but the mechanism and who may answer, by the names that ``respondent_form`` and ``create_store`` have for them."""
        return {each.name: getattr(self, each.name) for each in fields(self) if each.name not in ("mechanism", "invited")}

    def form(self, *, address: str = "", invitations: str = "", plain_http: bool = False) -> str:
        """The respondents' form, as ``respondent_form`` makes it. Without an address it can send nothing, and asks for no code."""
        return respondent_form(self.mechanism, **self.texts, address=address, invitations=invitations, plain_http=plain_http)

    def to_json(self) -> str:
        """The document; ``from_json`` reads it back. It holds no answers."""
        order = self.order or self.mechanism.schema.names
        document = {
            "format": _FORMAT,
            "version": SURVEY_FILE_VERSION,
            "title": self.title,
            "introduction": self.introduction,
            "language": self.language,
            "questions": [{"attribute": name, "wording": self.questions.get(name, "")} for name in order],
            "invited": self.invited,
            "memory": self.memory,
            "mechanism": json.loads(self.mechanism.to_json()),
        }
        return json.dumps(document, ensure_ascii=False, indent=1)

    def save(self, path: str | Path) -> None:
        """Write the document to a file that does not exist yet. Raises InputError where that fails."""
        with new_file(Path(path)) as out:
            out.write(self.to_json().encode("utf-8"))

    @classmethod
    def from_json(cls, text: str | bytes) -> SurveyFile:
        """Read what ``to_json`` wrote. Raises InputError, with one sentence, for anything else."""
        document = parse(text, _PLACE)
        _PLACE.head(document, _FORMAT, SURVEY_FILE_VERSION)
        found = from_plain(_Document, document, _PLACE, only=True)
        with _PLACE["mechanism"].named():
            mechanism = MechanismFile.from_json(json.dumps(found.mechanism))
        names, asked = mechanism.schema.names, tuple(each.attribute for each in found.questions)
        if sorted(asked) != sorted(names):
            _PLACE["questions"].refuse("another list", "each attribute of the mechanism file, once,")
        with _PLACE["questions"].named():
            return cls(
                mechanism,
                found.title,
                found.introduction,
                {each.attribute: each.wording for each in found.questions},
                asked,
                found.language,
                found.invited,
                found.memory,
            )

    @classmethod
    def open(cls, path: str | Path) -> SurveyFile:
        """Read a file that ``save`` wrote. Raises InputError, with one sentence, for anything else."""
        try:
            content = Path(path).read_bytes()
        except OSError as error:
            raise InputError(f"The file '{path}' cannot be read ({error.strerror}): check its name and place.") from error
        return cls.from_json(content)


@dataclass(frozen=True)
class _Question:
    """A question in a survey file."""

    attribute: str
    wording: str


@dataclass(frozen=True)
class _Document:
    """The fields of a survey file."""

    format: str
    version: int
    title: str
    introduction: str
    language: str
    questions: tuple[_Question, ...]
    invited: bool
    memory: bool
    mechanism: Mapping[str, Any]
