"""All that a form asks and says, as one value: forms, survey files and receivers are made of it."""

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import Any

from rrcore.asking.screens import Screens
from rrcore.asking.translation import Translation
from rrcore.promise.mechanism_file import MechanismFile
from rrcore.table.schema import Attribute


@dataclass(frozen=True)
class Questionnaire:
    """What is asked, how it is randomised, and who may answer. Whether a form can be made of it is seen when one is made.

    Parameters
    ----------
    mechanism : MechanismFile
    title : str, 1 to ``MAX_TEXT`` characters
    introduction : plain text above the form's explanation
    questions : attribute -> how it is asked; the attribute's name where it is left out or blank
        At most ``MAX_TEXT`` characters each.
    order : all attributes in the order in which they are asked; empty for that of the mechanism file, unrandomised ones behind
        How they are randomised and handed in does not depend on it.
    language : a key of ``rrcore.asking.LANGUAGES``, of all texts but those given here and the categories
    invited : whether only who has an invitation code may answer; a receiver sees to that
    screens : which screens respondents go through, and what their picture is about
    unrandomised : questions that are asked besides, marked, and sent as they are, in the field "unrandomised" of what is handed in
    translations : language -> what was typed, in that language; the form begins in that of the browser, if it is among them
    """

    mechanism: MechanismFile
    title: str
    introduction: str = ""
    questions: Mapping[str, str] = field(default_factory=dict)
    order: tuple[str, ...] = ()
    language: str = "en"
    invited: bool = False
    screens: Screens = field(default_factory=Screens)
    unrandomised: tuple[Attribute, ...] = ()
    translations: Mapping[str, Translation] = field(default_factory=dict)

    def __post_init__(self) -> None:
        object.__setattr__(self, "questions", {name: text for name, text in self.questions.items() if text.strip()})
        object.__setattr__(self, "unrandomised", tuple(self.unrandomised))
        object.__setattr__(self, "order", () if tuple(self.order) == self.names else tuple(self.order))

    @property
    def names(self) -> tuple[str, ...]:
        """All attributes that are asked about, in the order of the mechanism file, unrandomised ones behind."""
        return (*self.mechanism.schema.names, *(each.name for each in self.unrandomised))

    @property
    def texts(self) -> dict[str, Any]:
        """What is said, by the names in ``TEXTS``."""
        return {name: getattr(self, name) for name in TEXTS}


TEXTS = tuple(each.name for each in fields(Questionnaire) if each.name not in ("mechanism", "invited"))
"""Names of all that is said: neither the mechanism nor who may answer."""
