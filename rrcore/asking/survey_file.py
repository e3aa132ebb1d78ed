"""The survey file: all that a form asks and says, with the mechanism file that randomises its answers, in one document."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

from rrcore.asking.form import form_of
from rrcore.asking.languages import Language
from rrcore.asking.questionnaire import Questionnaire
from rrcore.asking.screens import PLAIN, Screens
from rrcore.asking.translation import Translation
from rrcore.errors import reading
from rrcore.files import new_file
from rrcore.promise.mechanism_file import MechanismFile
from rrcore.table.plain import Place, from_plain, parse, to_plain
from rrcore.table.schema import Attribute

_OTHERWISE = ("format", "version", "questions", "mechanism")  # these stand otherwise in a file than in a questionnaire
_FORMAT = "rr-workbench survey"
_PLACE = Place("survey file", "choose a file as it was saved by 'Download survey file', or make it again")


@dataclass(frozen=True)
class SurveyFile(Questionnaire):
    """A survey as it is asked, of which a form can be made.

    Parameters
    ----------
    mechanism, title, introduction, questions ... : as in ``Questionnaire``

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

    def __post_init__(self) -> None:
        super().__post_init__()
        self.form()

    @cached_property
    def _form(self) -> str:
        """The form without an address, which is made when this is checked: page Collect asks for it again and again."""
        return form_of(self, address="", invitations="")

    def form(
        self, *, address: str = "", invitations: str = "", sentences: Language | None = None, plain_http: bool = False
    ) -> str:
        """The respondents' form, as ``respondent_form`` makes it. Without an address it can send nothing, and asks for no code."""
        if not (address or invitations or sentences):
            return self._form
        return form_of(self, address=address, invitations=invitations, sentences=sentences, plain_http=plain_http)

    def to_json(self) -> str:
        """The document; ``from_json`` reads it back. It holds no answers."""
        beside = {each.name: {"categories": list(each.categories)} for each in self.unrandomised}
        plain = self.screens == PLAIN and not self.unrandomised and not self.translations
        typed = {"translations": {code: to_plain(each) for code, each in self.translations.items()}}
        document = {
            "format": _FORMAT,
            "version": 1,
            "title": self.title,
            "introduction": self.introduction,
            "language": self.language,
            "questions": [
                {"attribute": name, "wording": self.questions.get(name, "")} | beside.get(name, {})
                for name in self.order or self.names
            ],
            "invited": self.invited,
            **({} if plain else {"screens": self.screens.to_plain()}),
            **(typed if self.translations else {}),
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
        _PLACE.head(document, _FORMAT)
        found = from_plain(_Document, document, _PLACE, only=True)
        with _PLACE["mechanism"].named():
            mechanism = MechanismFile.from_json(json.dumps(found.mechanism))
        if sorted(each.attribute for each in found.questions if not each.categories) != sorted(mechanism.schema.names):
            _PLACE["questions"].refuse(
                "another list", "each attribute of the mechanism file, once, and further ones with categories"
            )
        with _PLACE["questions"].named():
            return cls(
                mechanism,
                questions={each.attribute: each.wording for each in found.questions},
                order=tuple(each.attribute for each in found.questions),
                unrandomised=tuple(Attribute(each.attribute, each.categories) for each in found.questions if each.categories),
                **{name: value for name, value in vars(found).items() if name not in _OTHERWISE},
            )

    @classmethod
    def open(cls, path: str | Path) -> SurveyFile:
        """Read a file that ``save`` wrote. Raises InputError, with one sentence, for anything else."""
        with reading(path):
            return cls.from_json(Path(path).read_bytes())


@dataclass(frozen=True)
class _Question:
    """A question in a survey file."""

    attribute: str
    wording: str
    categories: tuple[str, ...] = ()


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
    mechanism: Mapping[str, Any]
    screens: Screens = PLAIN
    translations: Mapping[str, Translation] = field(default_factory=dict)
