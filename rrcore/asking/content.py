"""What the screens of a respondents' form are made of: the survey's own texts in one language, and what follows from the mechanism."""

from dataclasses import dataclass
from functools import cached_property
from html import escape
from string import Template
from typing import get_args

from rrcore.asking.languages import Language
from rrcore.asking.page import asset, question_wordings
from rrcore.asking.picture import Picture, declining_words, is_declining, picture_of
from rrcore.asking.preview import Part
from rrcore.asking.questionnaire import Questionnaire
from rrcore.asking.translation import AS_TYPED, Translation
from rrcore.asking.unrandomised import all_asked
from rrcore.errors import InputError
from rrcore.table.schema import Schema


@dataclass(frozen=True, kw_only=True)
class Form(Questionnaire):
    """What the screens are made of, in one language.

    Parameters
    ----------
    mechanism, title, introduction, questions ... : as in ``Questionnaire``; ``invited`` is whether a code is asked for
    lang : Language
    typed : Translation of what the team typed; nothing where that is in this language
    origin : of the address that answers are sent to; empty for none
    introduced : whether the form has an introduction in any of its languages
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
        """All questions: those of the mechanism file, unrandomised ones behind."""
        return all_asked(self.mechanism.schema, self.unrandomised)

    @property
    def randomised(self) -> int:
        """How many of the questions are randomised; they come first."""
        return len(self.mechanism.schema.names)

    @cached_property
    def places(self) -> tuple[int, ...]:
        """The positions of the attributes in the order in which people are asked about them."""
        names = self.asked.names
        if self.order and sorted(self.order) != sorted(names):
            raise InputError("The order of the questions does not name each attribute once: list all of them.")
        return tuple(names.index(name) for name in self.order or names)

    @cached_property
    def told(self) -> tuple[str, str, tuple[str, ...]]:
        """Title, introduction and questions as they are seen."""
        title, introduction, questions = self.typed.over(self.title, self.introduction, self.questions)
        wordings = question_wordings(self.asked, title, questions, introduction)
        return self.lang.title(title), introduction.strip(), tuple(wordings)

    @property
    def wordings(self) -> tuple[str, ...]:
        """How each attribute is asked."""
        return self.told[2]

    @cached_property
    def shown(self) -> tuple[tuple[str, ...], ...]:
        """The categories of each attribute as they are seen; who prefers not to answer does so in the language of the form."""
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
        """What picture and practice are about."""
        return picture_of(self.mechanism, self.screens, [i for i in self.places if i < self.randomised])

    @property
    def named(self) -> dict[str, str]:
        """The two answers that the picture is about, as they are seen."""
        assert self.picture is not None
        categories = self.shown[self.picture.place]
        return {"answer": categories[self.picture.answer], "other": categories[self.picture.other]}

    @property
    def exception(self) -> str:
        """That marked answers are sent as they are, as HTML; empty where there are none."""
        return f"<p>{self.sentences['say_except_marked']}</p>" if self.unrandomised else ""

    @cached_property
    def steps(self) -> list[str]:
        """The names of the screens that the form has, in their order."""
        about = self.picture
        practises = self.screens.practice and about is not None
        return [name for name in get_args(Part) if name != "practice" or practises]

    @cached_property
    def sentences(self) -> dict[str, str]:
        """All sentences of the form that have no placeholders, as HTML, each called say_ and its key."""
        return {f"say_{key}": self.lang.html("form", key) for key, text in self.lang.sections["form"].items() if "{" not in text}

    def fill(self, name: str, **values: str) -> str:
        """A file of assets/screens with the sentences and ``values`` in it."""
        return Template(asset(f"screens/{name}.html")).substitute(self.sentences, **values).rstrip("\n")

    @property
    def wording(self) -> str:
        """The question that the picture is about, as HTML."""
        assert self.picture is not None
        return escape(self.wordings[self.picture.place])
