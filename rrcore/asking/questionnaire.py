"""The content of a survey as one value, for forms, survey files and receivers."""

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import Any

from rrcore.asking.chosen_screens import Screens
from rrcore.asking.translation import Translation
from rrcore.promise.mechanism_file import MechanismFile
from rrcore.table.schema import Attribute


@dataclass(frozen=True)
class Questionnaire:
    """The questions, their randomization, and who may answer.

    The values are checked when a form is made.

    Parameters
    ----------
    mechanism : MechanismFile
    title : str, 1 to ``MAX_TEXT`` characters
    introduction : plain text above the explanation in the form
    questions : attribute -> question; the attribute's name if missing or blank
        At most ``MAX_TEXT`` characters each.
    order : all attributes in the order of the questions; by default, the mechanism file's order followed by unrandomized questions
        The order does not affect how answers are randomized and submitted.
    language : key of ``rrcore.asking.LANGUAGES`` for all texts except the categories and those given here
    invited : True if respondents need an invitation code, which the receiver checks
    screens : the screens of the form, and the question of the picture
    unrandomized : additional questions whose answers are not randomized; the form marks them and submits them in the field
        "unrandomized"
    translations : language -> Translation; the form begins in the browser's language if it is available
    """

    mechanism: MechanismFile
    title: str
    introduction: str = ""
    questions: Mapping[str, str] = field(default_factory=dict)
    order: tuple[str, ...] = ()
    language: str = "en"
    invited: bool = False
    screens: Screens = field(default_factory=Screens)
    unrandomized: tuple[Attribute, ...] = ()
    translations: Mapping[str, Translation] = field(default_factory=dict)

    def __post_init__(self) -> None:
        object.__setattr__(self, "questions", {name: text for name, text in self.questions.items() if text.strip()})
        object.__setattr__(self, "unrandomized", tuple(self.unrandomized))
        object.__setattr__(self, "order", () if tuple(self.order) == self.names else tuple(self.order))

    @property
    def names(self) -> tuple[str, ...]:
        """All attributes of the questions.

        The order is that of the mechanism file, followed by unrandomized questions.
        """
        return (*self.mechanism.schema.names, *(each.name for each in self.unrandomized))

    @property
    def texts(self) -> dict[str, Any]:
        """The texts, by the names in ``TEXTS``."""
        return {name: getattr(self, name) for name in TEXTS}


TEXTS = tuple(each.name for each in fields(Questionnaire) if each.name not in ("mechanism", "invited"))
"""Names of the texts and settings of a form, without its mechanism and invitations."""
