"""A control item: a question whose true answer is known, asked like the others, which shows who did not follow the instructions."""

from __future__ import annotations

from dataclasses import dataclass

from rrcore.errors import InputError
from rrcore.table.plain.place import shortened


@dataclass(frozen=True, slots=True)
class Control:
    """The attribute of which everybody's true answer is known.

    It is asked and randomised like any other, and its level counts in the total like any other. What is released of it beyond what that
    answer comes to shows the share of people who did not follow the instructions (theory.md section 29).

    Parameters
    ----------
    attribute : str, its name
    answer : str, the category that is everybody's true one; of groups of respondents each mechanism file may have another one

    Raises
    ------
    InputError
        Where the name or the answer is empty.

    Examples
    --------
    >>> import rrcore as rr
    >>> from rrcore.table import Control
    >>> asked = rr.Attribute("smokes", ("no", "yes")), rr.Attribute("lives on Earth", ("no", "yes"))
    >>> schema = rr.Schema(asked, control=Control("lives on Earth", "yes"))
    >>> schema.select(["smokes"]).control is None
    True
    """

    attribute: str
    answer: str

    def __post_init__(self) -> None:
        if not self.attribute or not self.answer:
            raise InputError("A control item lacks its attribute or the answer that is known: name both.")

    @classmethod
    def read(cls, text: str) -> Control:
        """From "attribute=answer". Raises InputError for anything else."""
        name, sign, answer = (part.strip() for part in text.partition("="))
        if not (sign and name and answer):
            raise InputError(
                f"'{text[:60]}' names no control item: write its attribute and the answer that is known, for example 'born=yes'."
            )
        return cls(name, answer)

    @property
    def text(self) -> str:
        """For a sentence: "'born' is 'yes'"."""
        return f"'{shortened(self.attribute)}' is '{shortened(self.answer)}'"

    def renamed(self, old: str, new: str) -> Control:
        """The same of an attribute that was called ``old`` and is called ``new`` now."""
        return Control(new, self.answer) if self.attribute == old else self
