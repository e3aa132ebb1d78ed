"""What becomes of 100 people's answers, exactly: the numbers of the form's picture, its practice item and its report.

They hold for one answer, whatever is common, and whatever the mechanism does with the other answers: they are entries of the exact matrix
of one attribute, made of the weights of the mechanism file.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

from rrcore.asking.languages import Language, every, language, whole_of_100
from rrcore.asking.screens import Screens
from rrcore.errors import InputError
from rrcore.promise.mechanism_file import MechanismFile
from rrcore.promise.weights import Weights
from rrcore.table.schema import Attribute


@dataclass(frozen=True)
class Chances:
    """How one answer is randomised, whatever the others are.

    Parameters
    ----------
    weights : of the attribute's group
    i : the attribute's position in its group
    """

    weights: Weights
    i: int

    @classmethod
    def of(cls, mechanism: MechanismFile, place: int) -> Chances:
        """Those of the attribute at a position of a mechanism file."""
        ((places, weights),) = (group for group in mechanism.groups if place in group[0])
        return cls(weights, places.index(place))

    def share(self, true: int, report: int) -> Fraction:
        """The probability that the true answer ``true`` is reported as ``report``, exactly."""
        if self.weights.rows is not None:
            return Fraction(self.weights.rows[true][report], self.weights.whole)
        return self._kept if true == report else (1 - self._kept) / (self.weights.sizes[self.i] - 1)

    @cached_property
    def _kept(self) -> Fraction:
        """How often an answer is reported as it is, whatever it is, where there is no matrix."""
        truth = self.weights.truth(self.i)
        assert truth is not None
        return truth[0]

    def mistaken(self, report: int) -> list[Fraction]:
        """The probabilities of ``report`` for the answers that it is not, each value once, in increasing order."""
        if self.weights.rows is not None:
            return sorted({self.share(true, report) for true in range(len(self.weights.rows)) if true != report})
        return [self.share(1 if report == 0 else 0, report)]

    @property
    def alone(self) -> dict[str, object]:
        """The same for one attribute alone, as a mechanism file has it, but for the attribute's name."""
        if self.weights.rows is not None:
            return self.weights.to_dict()
        lies = {"0": self._kept.numerator, "1": self._kept.denominator - self._kept.numerator}
        return {"uniform": "0", "lies": {name: str(weight) for name, weight in lies.items() if weight}}


@dataclass(frozen=True)
class Picture:
    """100 people with one answer, and how many of them send another one.

    Parameters
    ----------
    place : position of the attribute
    answer : the category that is sent
    other : the true answer of the 100 people
    chances : Chances of the attribute
    common : a guess how many of 100 people have ``answer``; 0 for none

    Examples
    --------
    >>> from rrcore.answers import nigeria
    >>> found = picture_of(nigeria().mechanism, Screens(common=10))  # a die: 1 says no, 6 says yes, else the truth
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
        """Of those whose answer is ``other``, the share that sends ``answer``."""
        return self.chances.share(self.other, self.answer)

    @property
    def mistaken(self) -> Fraction:
        """Of those who send ``answer``, the share with another one, if ``common`` of 100 people have it (Bayes)."""
        with_it = Fraction(self.common, 100)
        wrongly = (1 - with_it) * self.share
        return wrongly / (wrongly + with_it * self.chances.share(self.answer, self.answer))


def declining_words(lang: Language) -> str:
    """What a language calls the category of people who prefer not to answer."""
    return lang.text("form", "prefer_not")


def is_declining(category: str) -> bool:
    """Whether a category is that of people who prefer not to answer, in the words of any language of the form."""
    return category.strip().casefold() in {text.casefold() for text in every("form", "prefer_not")}


def real_categories(attribute: Attribute) -> list[int]:
    """The positions of all categories but that of people who prefer not to answer."""
    return [code for code, category in enumerate(attribute.categories) if not is_declining(category)]


def declined(attribute: Attribute, code: str) -> Attribute:
    """The attribute with a category for people who prefer not to answer, in the words of a language, if it has none yet.

    Its categories are then no longer ordered.

    Examples
    --------
    >>> declined(Attribute("smokes", ("no", "yes")), "en").categories
    ('no', 'yes', 'Prefer not to answer')
    """
    if len(real_categories(attribute)) < attribute.size:
        return attribute
    return Attribute(attribute.name, (*attribute.categories, declining_words(language(code))))


def told_answer(attribute: Attribute) -> int:
    """The category that may be thought an admission: the last one, or "yes" where it is the first of two."""
    real = real_categories(attribute) or list(range(attribute.size))
    affirmative = {text.casefold() for text in every("form", "practice_yes")}
    first, *_, last = [*real, *real]
    return first if len(real) == 2 and attribute.categories[first].strip().casefold() in affirmative else last


def picture_of(mechanism: MechanismFile, screens: Screens, order: Sequence[int] = ()) -> Picture | None:
    """What the picture is about; None where no report is an answer (theory, section 20), so that there is no such picture.

    Parameters
    ----------
    mechanism : MechanismFile
    screens : says about which question and which answer
    order : positions of the attributes as they are asked; that of the mechanism file by default

    Raises
    ------
    InputError
        Where the attribute or the category that ``screens`` names is none of the survey's, or a guess cannot be used.
    """
    asked, reported = mechanism.schema.attributes, mechanism.reports.attributes
    plain = [place for place in order or range(len(asked)) if asked[place] == reported[place]]
    if screens.about:
        (place,) = mechanism.schema.axes([screens.about])
        if place not in plain:
            raise InputError(f"What is reported about '{screens.about}' is no answer: let the picture be about another question.")
    elif plain:
        place = next((place for place in plain if len(real_categories(asked[place])) == 2), plain[0])
    else:
        return None
    attribute = asked[place]
    if screens.answer and screens.answer not in attribute.categories:
        known = ", ".join(attribute.categories[:20])
        raise InputError(
            f"'{attribute.name}' has no category '{screens.answer[:60]}' for the picture to count: choose among {known}."
        )
    answer = attribute.categories.index(screens.answer) if screens.answer else told_answer(attribute)
    others = [code for code in real_categories(attribute) if code != answer] or [code for code in (0, 1) if code != answer]
    chances = Chances.of(mechanism, place)
    if screens.common and len(chances.mistaken(answer)) > 1:
        raise InputError(
            f"How many of those who send '{attribute.categories[answer]}' have another answer depends on which one: leave the guess out."
        )
    return Picture(place, answer, others[0], chances, screens.common)


def report_notes(mechanism: MechanismFile, place: int, lang: Language, shown: Sequence[str] = ()) -> list[str]:
    """What is said of each report of one attribute: how many of 100 people with another answer send the same.

    One sentence where all reports share it; none where reports are no answers. ``shown``: its categories in this language.
    """
    attribute = mechanism.schema.attributes[place]
    if attribute != mechanism.reports.attributes[place]:
        return []
    chances = Chances.of(mechanism, place)
    admission = told_answer(attribute) if len(real_categories(attribute)) == 2 else -1
    notes: dict[tuple[object, ...], str] = {}
    found = []
    for report in range(attribute.size):
        shares = chances.mistaken(report)
        other = (shown or attribute.categories)[1 - report] if attribute.size == 2 else ""
        said = (shares[0], shares[-1], other, report == admission)
        if said not in notes:
            notes[said] = _note(shares[0], shares[-1], other, lang, admission=report == admission)
        found.append(notes[said])
    return found if len(notes) > 1 else found[:1]


def _note(low: Fraction, high: Fraction, other: str, lang: Language, *, admission: bool) -> str:
    if high == 0:
        return lang.text("form", "note_sole")
    if low != high:
        text = lang.text("form", "note_between", low=lang.of_100(low), high=lang.of_100(high))
    else:
        text = lang.counting("form", "note" if other else "note_another", low, other=other)
    if whole_of_100(low) == 0:  # too few to say that it proves nothing
        return text[0].upper() + text[1:]
    return f"{lang.text('form', 'no_admission' if admission else 'no_proof')} {text}"
