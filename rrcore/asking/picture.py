"""Compute exactly how the answers of 100 people are randomized.

The numbers are used in the form's picture, its practice question, and its report.

The numbers come from the exact matrix of one attribute, which is computed from the weights of the mechanism file. They depend
neither on the frequencies of answers nor on the other attributes.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

from rrcore.asking.chosen_screens import Screens
from rrcore.asking.languages import Language, every, language, whole_of_100
from rrcore.errors import InputError
from rrcore.promise.mechanism_file import MechanismFile
from rrcore.promise.weights import Weights
from rrcore.table.schema import Attribute


@dataclass(frozen=True)
class Chances:
    """Randomization of one attribute, regardless of the others.

    Parameters
    ----------
    weights : weights of the attribute's group
    i : position of the attribute in its group
    """

    weights: Weights
    i: int

    @classmethod
    def of(cls, mechanism: MechanismFile, place: int) -> Chances:
        """Return the randomization of the attribute at a position of a mechanism file."""
        ((places, weights),) = (group for group in mechanism.groups if place in group[0])
        return cls(weights, places.index(place))

    def share(self, true: int, report: int) -> Fraction:
        """Return the exact probability of ``report`` if the true answer is ``true``."""
        if self.weights.rows is not None:
            return Fraction(self.weights.rows[true][report], self.weights.whole)
        return self._kept if true == report else (1 - self._kept) / (self.weights.sizes[self.i] - 1)

    @cached_property
    def _kept(self) -> Fraction:
        """Return the probability that any answer is unchanged, without a matrix."""
        truth = self.weights.truth(self.i)
        assert truth is not None
        return truth[0]

    def mistaken(self, report: int) -> list[Fraction]:
        """Return the probabilities of ``report`` for all other true answers.

        Each value occurs once, in increasing order.
        """
        if self.weights.rows is not None:
            return sorted({self.share(true, report) for true in range(len(self.weights.rows)) if true != report})
        return [self.share(1 if report == 0 else 0, report)]

    @property
    def alone(self) -> dict[str, object]:
        """Return the same randomization as a mechanism of one attribute.

        The result has the form of a mechanism file, without the attribute's name.
        """
        if self.weights.rows is not None:
            return self.weights.to_dict()
        lies = {"0": self._kept.numerator, "1": self._kept.denominator - self._kept.numerator}
        return {"uniform": "0", "lies": {name: str(weight) for name, weight in lies.items() if weight}}


@dataclass(frozen=True)
class Picture:
    """The picture of 100 people with the same answer. Randomization changes some of their answers.

    Parameters
    ----------
    place : position of the attribute
    answer : the reported category
    other : the true answer of the 100 people
    chances : Chances of the attribute
    common : a guess of how many of 100 people have ``answer``, 0 without a guess

    Examples
    --------
    >>> from rrcore.answers import nigeria
    >>> found = picture_of(nigeria().mechanism, Screens(common=10))  # a die: 1 gives no, 6 gives yes, 2 to 5 the true answer
    >>> found.share, found.mistaken
    (Fraction(1, 6), Fraction(9, 14))
    """

    place: int
    answer: int
    other: int
    chances: Chances
    common: int = 0

    @property
    def share(self) -> Fraction:
        """The share that reports ``answer`` among people whose answer is ``other``."""
        return self.chances.share(self.other, self.answer)

    @property
    def mistaken(self) -> Fraction:
        """The share with another true answer among people who report ``answer``.

        By Bayes' rule, if ``common`` of 100 people have ``answer``.
        """
        with_it = Fraction(self.common, 100)
        wrongly = (1 - with_it) * self.share
        return wrongly / (wrongly + with_it * self.chances.share(self.answer, self.answer))


def declining_words(lang: Language) -> str:
    """Return a language's name of the category for people who prefer not to answer."""
    return lang.text("form", "prefer_not")


def is_declining(category: str) -> bool:
    """Return True if a category is for people who prefer not to answer.

    All languages of the form are recognized.
    """
    return category.strip().casefold() in {text.casefold() for text in every("form", "prefer_not")}


def real_categories(attribute: Attribute) -> list[int]:
    """Return the positions of all categories except "prefer not to answer"."""
    return [code for code, category in enumerate(attribute.categories) if not is_declining(category)]


def declined(attribute: Attribute, code: str) -> Attribute:
    """Add a category for people who prefer not to answer, unless there is one.

    The categories are then unordered.

    Examples
    --------
    >>> declined(Attribute("smokes", ("no", "yes")), "en").categories
    ('no', 'yes', 'Prefer not to answer')
    """
    if len(real_categories(attribute)) < attribute.size:
        return attribute
    return Attribute(attribute.name, (*attribute.categories, declining_words(language(code))))


def sensitive_answer(attribute: Attribute) -> int:
    """Return the category that may seem to be an admission.

    This is the last category, or "yes" if "yes" is the first of two.
    """
    real = real_categories(attribute) or list(range(attribute.size))
    affirmative = {text.casefold() for text in every("form", "practice_yes")}
    first, *_, last = [*real, *real]
    return first if len(real) == 2 and attribute.categories[first].strip().casefold() in affirmative else last


def picture_of(mechanism: MechanismFile, screens: Screens, order: Sequence[int] = ()) -> Picture | None:
    """Return the numbers of the picture.

    None if no report is an answer (theory.md section 20), so that there is no picture.

    Parameters
    ----------
    mechanism : MechanismFile
    screens : the question and the answer of the picture
    order : positions of the attributes in the order of the questions; by default, the order of the mechanism file

    Raises
    ------
    InputError
        If ``screens`` names an unknown attribute or category, or the guess cannot be used.
    """
    asked, reported = mechanism.schema.attributes, mechanism.reports.attributes
    plain = [place for place in order or range(len(asked)) if asked[place] == reported[place]]
    if screens.about:
        (place,) = mechanism.schema.axes([screens.about])
        if place not in plain:
            raise InputError(
                f"The recorded values of '{screens.about}' differ from its possible answers. Choose another question for the picture."
            )
    elif plain:
        place = next((place for place in plain if len(real_categories(asked[place])) == 2), plain[0])
    else:
        return None
    attribute = asked[place]
    if screens.answer and screens.answer not in attribute.categories:
        known = ", ".join(attribute.categories[:20])
        raise InputError(
            f"'{attribute.name}' has no category '{screens.answer[:60]}' to count in the picture. Choose one of {known}."
        )
    answer = attribute.categories.index(screens.answer) if screens.answer else sensitive_answer(attribute)
    others = [code for code in real_categories(attribute) if code != answer] or [code for code in (0, 1) if code != answer]
    chances = Chances.of(mechanism, place)
    if screens.common and len(chances.mistaken(answer)) > 1:
        raise InputError(
            f"The other answers are recorded as '{attribute.categories[answer]}' with different probabilities, so no guess "
            "is possible. Leave the guess out."
        )
    return Picture(place, answer, others[0], chances, screens.common)


def report_notes(mechanism: MechanismFile, place: int, lang: Language, shown: Sequence[str] = ()) -> list[str]:
    """Describe each report of one attribute.

    A note states how many of 100 people with another true answer send the same report. There is one note if all reports have the
    same one, and none if reports are not answers. ``shown`` are the categories in this language.
    """
    attribute = mechanism.schema.attributes[place]
    if attribute != mechanism.reports.attributes[place]:
        return []
    chances = Chances.of(mechanism, place)
    admission = sensitive_answer(attribute) if len(real_categories(attribute)) == 2 else -1
    notes: dict[tuple[object, ...], str] = {}
    found = []
    for report in range(attribute.size):
        shares = chances.mistaken(report)
        other = (shown or attribute.categories)[1 - report] if attribute.size == 2 else ""
        facts = (shares[0], shares[-1], other, report == admission)
        if facts not in notes:
            notes[facts] = _note(shares[0], shares[-1], other, lang, admission=report == admission)
        found.append(notes[facts])
    return found if len(notes) > 1 else found[:1]


def _note(low: Fraction, high: Fraction, other: str, lang: Language, *, admission: bool) -> str:
    if high == 0:
        return lang.text("form", "note_sole")
    if low != high:
        text = lang.text("form", "note_between", low=lang.of_100(low), high=lang.of_100(high))
    else:
        text = lang.counting("form", "note" if other else "note_another", low, other=other)
    # too few others share the report to call it no proof
    if whole_of_100(low) == 0:
        return text[0].upper() + text[1:]
    return f"{lang.text('form', 'no_admission' if admission else 'no_proof')} {text}"
