"""Translations of survey texts: title, introduction, questions and categories.

The codes of answers are the same in all languages.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from rrcore.errors import InputError
from rrcore.limits import MAX_TEXT
from rrcore.table.schema import Attribute


@dataclass(frozen=True)
class Translation:
    """The texts of a survey in one more language.

    Missing or blank texts are shown in the original language.

    Parameters
    ----------
    title, introduction : str
    questions : attribute -> question
    categories : attribute -> a text for each category, in order

    Examples
    --------
    >>> import rrcore as rr
    >>> french = Translation("Santé", questions={"smokes": "Fumez-vous ?"}, categories={"smokes": ("non", "oui")})
    >>> french.shown(rr.Attribute("smokes", ("no", "yes"))), french.shown(rr.Attribute("sex", ("f", "m")))
    (('non', 'oui'), ('f', 'm'))
    """

    title: str = ""
    introduction: str = ""
    questions: Mapping[str, str] = field(default_factory=dict)
    categories: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    def shown(self, attribute: Attribute) -> tuple[str, ...]:
        """Return the categories of an attribute in this language."""
        typed = self.categories.get(attribute.name) or attribute.categories
        return tuple(text.strip() or own for text, own in zip(typed, attribute.categories, strict=True))

    def keeping(self, names: Sequence[str]) -> Translation:
        """Return the translation without texts for other attributes."""
        questions = {name: text for name, text in self.questions.items() if name in names}
        categories = {name: texts for name, texts in self.categories.items() if name in names}
        return replace(self, questions=questions, categories=categories)

    def over(self, title: str, introduction: str, questions: Mapping[str, str]) -> tuple[str, str, dict[str, str]]:
        """Return the translated title, introduction and questions.

        Texts without a translation are in the original language.
        """
        asked = {**questions, **{name: text for name, text in self.questions.items() if text.strip()}}
        return self.title.strip() or title, self.introduction.strip() or introduction, asked

    def check(self, language: str, attributes: Sequence[Attribute]) -> None:
        """Raise InputError if the translation does not match the questions.

        The message names the ``language``.
        """
        for fault in self._faults({each.name: each for each in attributes}):
            raise InputError(f"The translation '{language}' {fault}")

    def _faults(self, asked: Mapping[str, Attribute]) -> Iterator[str]:
        for name, text in (("title", self.title), *self.questions.items()):
            if len(text) > MAX_TEXT:
                yield f"has a text of {len(text)} characters for {name[:40]}, '{text[:40]}...'. Use at most {MAX_TEXT}."
        for name in (*self.questions, *self.categories):
            if name not in asked:
                yield f"has the question '{name[:40]}', which is not in the survey. Leave it out."
        for name, texts in self.categories.items():
            if len(texts) != asked[name].size:
                yield (
                    f"has {len(texts)} answers to '{name[:40]}', but the survey has {asked[name].size}. Give one "
                    "translation for each answer, in the same order."
                )
            shown = self.shown(asked[name])
            if twice := next((text for text in shown if shown.count(text) > 1), ""):
                yield f"has the answer '{twice[:40]}' to '{name[:40]}' twice. Give each answer a different text."
            if too_long := next((text for text in shown if len(text) > MAX_TEXT), ""):
                yield f"has an answer to '{name[:40]}' of {len(too_long)} characters. Use at most {MAX_TEXT}."


AS_TYPED = Translation()
"""A translation without texts."""
