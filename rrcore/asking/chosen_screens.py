"""The survey team's choice of screens, which is part of the survey file."""

from dataclasses import dataclass

from rrcore.errors import InputError


@dataclass(frozen=True)
class Screens:
    """The screens of a form in addition to its questions and its report.

    Parameters
    ----------
    picture : True if the form begins with three sentences and a picture of 100 people, and explains how many others send each report
        Without the picture, the form begins with the full explanation in words.
    practice : True if a harmless practice question comes first, with the same probabilities as the picture
    one_at_a_time : True if each question has a separate screen
    interviewer : True if an interviewer passes the device to each respondent; the form then restarts and counts completed interviews
    about : attribute of the picture and the practice question; by default, the first question with two answers (apart from declining),
        or else the first question
    answer : the category that the picture counts; by default, the last category, or "yes" if it is the first of two
    common : a guess of how many of 100 people have that answer, from 1 to 99; 0 for no guess

    Raises
    ------
    InputError
        If the guess is out of range.

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
            raise InputError(f"Expected a guess of 1 to 99 of 100 people, got {self.common}. Change the guess or leave it out.")


PLAIN = Screens(picture=False, practice=False, one_at_a_time=False)
"""A form without extra screens: an explanation in words, all questions on one screen, the report."""
