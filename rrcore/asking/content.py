"""The content of a form's screens: the texts of the survey and the properties of its mechanism."""

from dataclasses import dataclass
from functools import cached_property
from html import escape
from string import Template
from typing import get_args

from rrcore.asking.languages import Language
from rrcore.asking.picture import Picture, declining_words, is_declining, picture_of
from rrcore.asking.preview import Part
from rrcore.asking.questionnaire import Questionnaire
from rrcore.asking.shared_parts import asset, question_wordings
from rrcore.asking.translation import AS_TYPED, Translation
from rrcore.asking.unrandomized import all_asked
from rrcore.errors import InputError
from rrcore.table.schema import Schema


@dataclass(frozen=True, kw_only=True)
class Form(Questionnaire):
    """Content of the screens in one language.

    Parameters
    ----------
    mechanism, title, introduction, questions ... : as in ``Questionnaire``; if ``invited``, the form asks for a code
    lang : Language
    typed : Translation of the team's texts, empty if they are in this language
    origin : origin of the address that receives answers, empty without an address
    introduced : True if the form has an introduction in any of its languages
    """

    lang: Language
    origin: str
    introduced: bool
    typed: Translation = AS_TYPED

    def __post_init__(self) -> None:
        super().__post_init__()
        self.typed.check(self.lang.code, self.asked.attributes)

    @cached_property
    def asked(self) -> Schema:
        """All questions: those of the mechanism file, followed by unrandomized ones."""
        return all_asked(self.mechanism.schema, self.unrandomized)

    @property
    def randomized(self) -> int:
        """Number of randomized questions, which come first."""
        return len(self.mechanism.schema.names)

    @cached_property
    def places(self) -> tuple[int, ...]:
        """Positions of the attributes in the order of the questions."""
        names = self.asked.names
        if self.order and sorted(self.order) != sorted(names):
            raise InputError("The order of the questions must name each attribute exactly once. List all attributes.")
        return tuple(names.index(name) for name in self.order or names)

    @cached_property
    def translated(self) -> tuple[str, str, tuple[str, ...]]:
        """Title, introduction and questions in the language of the form."""
        title, introduction, questions = self.typed.over(self.title, self.introduction, self.questions)
        wordings = question_wordings(self.asked, title, questions, introduction)
        return self.lang.title(title), introduction.strip(), tuple(wordings)

    @property
    def wordings(self) -> tuple[str, ...]:
        """The question about each attribute."""
        return self.translated[2]

    @cached_property
    def shown(self) -> tuple[tuple[str, ...], ...]:
        """The categories of each attribute in the language of the form.

        The category for people who prefer not to answer is also in this language.
        """
        declining = declining_words(self.lang)
        return tuple(
            tuple(
                declining if is_declining(text) and text.casefold() != declining.casefold() else text
                for text in self.typed.shown(each)
            )
            for each in self.asked.attributes
        )

    @cached_property
    def picture(self) -> Picture | None:
        """The numbers of the picture and of the practice question."""
        return picture_of(self.mechanism, self.screens, [i for i in self.places if i < self.randomized])

    @property
    def named(self) -> dict[str, str]:
        """The two answers of the picture, in the language of the form."""
        assert self.picture is not None
        categories = self.shown[self.picture.place]
        return {"answer": categories[self.picture.answer], "other": categories[self.picture.other]}

    @property
    def exception(self) -> str:
        """HTML that states that marked answers are sent without randomization.

        The text is empty if there are no such answers.
        """
        return f"<p>{self.sentences['say_except_marked']}</p>" if self.unrandomized else ""

    @cached_property
    def steps(self) -> list[str]:
        """Names of the form's screens, in order."""
        about = self.picture
        has_practice = self.screens.practice and about is not None
        return [name for name in get_args(Part) if name != "practice" or has_practice]

    @cached_property
    def sentences(self) -> dict[str, str]:
        """All sentences of the form without placeholders, as HTML.

        Each name is ``say_`` followed by the key of the sentence.
        """
        return {f"say_{key}": self.lang.html("form", key) for key, text in self.lang.sections["form"].items() if "{" not in text}

    def fill(self, name: str, **values: str) -> str:
        """Return a file of assets/screens, filled with the sentences and ``values``."""
        return Template(asset(f"screens/{name}.html")).substitute(self.sentences, **values).rstrip("\n")

    @property
    def wording(self) -> str:
        """The question of the picture, as HTML."""
        assert self.picture is not None
        return escape(self.wordings[self.picture.place])
