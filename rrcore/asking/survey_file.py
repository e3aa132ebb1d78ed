"""The survey file: all texts of a form and its mechanism file in one document."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

from rrcore.asking.chosen_screens import PLAIN, Screens
from rrcore.asking.form import form_of
from rrcore.asking.languages import Language
from rrcore.asking.questionnaire import Questionnaire
from rrcore.asking.translation import Translation
from rrcore.documents import Document, Fields, inside
from rrcore.errors import InputError
from rrcore.promise.mechanism_file import MechanismFields, MechanismFile
from rrcore.table.schema import Attribute


class SurveyQuestionFields(Fields, frozen=True):
    """A question. Only unrandomized questions have categories here."""

    attribute: str
    wording: str
    categories: tuple[str, ...] = ()


class SurveyFields(Fields, frozen=True, kw_only=True):
    """All texts of a form, with its mechanism file. It contains no answers."""

    format: Literal["rr-workbench survey"]
    version: Literal[1]
    title: str
    introduction: str
    language: str
    questions: tuple[SurveyQuestionFields, ...]
    invited: bool
    screens: Screens | None = None
    translations: Mapping[str, Translation] = {}
    mechanism: MechanismFields


@dataclass(frozen=True)
class SurveyFile(Questionnaire, Document):
    """A survey, from which a form can be made.

    Parameters
    ----------
    mechanism, title, introduction, questions ... : as in ``Questionnaire``

    Raises
    ------
    InputError
        If the form cannot be created (see ``respondent_form``).

    Examples
    --------
    >>> import rrcore as rr
    >>> from rrcore.budget import build
    >>> from rrcore.promise import integer_groups
    >>> from rrcore.asking import SurveyFile
    >>> schema = rr.Schema((rr.Attribute("smokes", ("no", "yes")), rr.Attribute("region", ("north", "south"))))
    >>> file = rr.MechanismFile(schema, integer_groups(build("independent", (2, 2), [1.0, 1.0])))
    >>> survey = SurveyFile(file, "Pilot", questions={"smokes": "Do you smoke?"}, order=("region", "smokes"))
    >>> SurveyFile.from_json(survey.to_json()) == survey
    True
    """

    _file = SurveyFields
    _called = "survey file"
    _advice = "choose a file saved by 'Download survey file', or create it again"

    def __post_init__(self) -> None:
        super().__post_init__()
        self.form()

    @cached_property
    def _form(self) -> str:
        """The form without an address. It is stored because the Survey page uses it often."""
        return form_of(self, address="", invitations="")

    def form(
        self,
        *,
        address: str = "",
        invitations: str = "",
        sentences: Language | None = None,
        plain_http: bool = False,
        first: str = "",
    ) -> str:
        """Return the form, as ``form_of`` makes it.

        Without an address, the form cannot send answers and does not ask for a code.
        """
        if not (address or invitations or sentences or first):
            return self._form
        return form_of(self, address=address, invitations=invitations, sentences=sentences, plain_http=plain_http, first=first)

    def _fields(self) -> SurveyFields:
        further = {each.name: each.categories for each in self.unrandomized}
        return SurveyFields(
            format="rr-workbench survey",
            version=1,
            title=self.title,
            introduction=self.introduction,
            language=self.language,
            questions=tuple(
                SurveyQuestionFields(name, self.questions.get(name, ""), further.get(name, ()))
                for name in self.order or self.names
            ),
            invited=self.invited,
            screens=None if self.screens == PLAIN else self.screens,
            translations=self.translations,
            mechanism=self.mechanism._fields(),
        )

    @classmethod
    def _of(cls, found: SurveyFields) -> SurveyFile:
        with inside("the survey file, mechanism"):
            mechanism = MechanismFile._of(found.mechanism)
        with inside("the survey file, questions"):
            if sorted(each.attribute for each in found.questions if not each.categories) != sorted(mechanism.schema.names):
                raise InputError(
                    "Expected one question without categories for each attribute of the mechanism file. List the categories of all "
                    "other questions."
                )
            return cls(
                mechanism,
                found.title,
                found.introduction,
                {each.attribute: each.wording for each in found.questions},
                tuple(each.attribute for each in found.questions),
                found.language,
                found.invited,
                found.screens or PLAIN,
                tuple(Attribute(each.attribute, each.categories) for each in found.questions if each.categories),
                found.translations,
            )
