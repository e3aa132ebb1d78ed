"""Which screens respondents go through, and what their picture is about: chosen by the survey team, part of the survey file."""

from dataclasses import asdict, dataclass

from rrcore.errors import InputError


@dataclass(frozen=True)
class Screens:
    """The screens of a form beside its questions and its report.

    Parameters
    ----------
    picture : whether the form begins with three sentences and a picture of 100 people, and says of each report how many others send it
        Without it the form begins with the whole explanation in words.
    practice : whether a harmless question comes first, answered by the same chances as the picture, as often as one likes
    check : whether one question asks back whether a report proves anything, with an explanation
    one_at_a_time : whether each question has a screen of its own
    interviewer : whether the device is handed on: the next respondent starts clean, and completed interviews are counted
    about : the attribute of picture, practice and check; empty for the first question, in the order asked, that has two answers (beside
        declining), else the first question; a control item is passed over
    answer : the category that the picture counts; empty for the last one, or "yes" where it stands first of two
    common : a guess how many of 100 people have that answer, 1 to 99; 0 for none
    passed : an attribute that is not asked: the form answers it by whether the first answer to the check question was right, with its second
        category, or not, or never given, with its first; empty for none
    timed : an attribute that is not asked: the form answers it by how long a question took on average, with the first of its three categories
        below the first of ``SECONDS_A_QUESTION``, the last from the second on; empty for none

    Raises
    ------
    InputError
        For a guess that is no such number, or one attribute for both.

    Examples
    --------
    >>> Screens().practice, PLAIN.practice
    (True, False)
    """

    picture: bool = True
    practice: bool = True
    check: bool = True
    one_at_a_time: bool = True
    interviewer: bool = False
    about: str = ""
    answer: str = ""
    common: int = 0
    passed: str = ""
    timed: str = ""

    def __post_init__(self) -> None:
        if not 0 <= self.common < 100:
            raise InputError(f"The guess how common the answer is is {self.common} of 100: give 1 to 99, or leave it out.")
        if self.passed and self.passed == self.timed:
            raise InputError(
                f"'{self.passed[:60]}' cannot say both whether the check was passed and how long it took: name two attributes."
            )

    def to_plain(self) -> dict[str, object]:
        """All choices by name, without attributes that the form answers itself where it answers none."""
        return {name: value for name, value in asdict(self).items() if value or name not in ("passed", "timed")}

    @property
    def filled(self) -> tuple[str, ...]:
        """The attributes that the form answers itself."""
        return tuple(name for name in (self.passed, self.timed) if name)


PLAIN = Screens(picture=False, practice=False, check=False, one_at_a_time=False)
"""The screens of surveys that were made before there was a choice: an explanation in words, all questions on one screen, the report."""
