"""Which screens respondents go through, and what their picture is about: chosen by the survey team, part of the survey file."""

from dataclasses import dataclass

from rrcore.errors import InputError


@dataclass(frozen=True)
class Screens:
    """The screens of a form beside its questions and its report.

    Parameters
    ----------
    picture : whether the form begins with three sentences and a picture of 100 people, and says of each report how many others send it
        Without it the form begins with the whole explanation in words.
    practice : whether a harmless question comes first, answered by the same chances as the picture, as often as one likes
    one_at_a_time : whether each question has a screen of its own
    interviewer : whether the device is handed on: the next respondent starts clean, and completed interviews are counted
    about : the attribute of picture and practice; empty for the first question, in the order asked, that has two answers (beside
        declining), else the first question
    answer : the category that the picture counts; empty for the last one, or "yes" where it stands first of two
    common : a guess how many of 100 people have that answer, 1 to 99; 0 for none

    Raises
    ------
    InputError
        For a guess that is no such number.

    Examples
    --------
    >>> Screens().practice, PLAIN.practice
    (True, False)
    """

    picture: bool = True
    practice: bool = True
    one_at_a_time: bool = True
    interviewer: bool = False
    about: str = ""
    answer: str = ""
    common: int = 0

    def __post_init__(self) -> None:
        if not 0 <= self.common < 100:
            raise InputError(f"The guess how common the answer is is {self.common} of 100: give 1 to 99, or leave it out.")


PLAIN = Screens(picture=False, practice=False, one_at_a_time=False)
"""A form without extra screens: an explanation in words, all questions on one screen, the report."""
