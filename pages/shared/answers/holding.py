"""What is read in this session: it outlives a visit to another page."""

from dataclasses import dataclass

from rrcore.answers import Answers
from rrcore.promise import MechanismFile


@dataclass
class HeldAnswers:
    """The mechanism file and the answers that are read.

    Parameters
    ----------
    file : MechanismFile
    answers : Answers
    turn : makes the uploads anew
    """

    file: MechanismFile | None = None
    answers: Answers | None = None
    turn: int = 0

    @property
    def complete(self) -> bool:
        """Whether there are answers to the mechanism file."""
        return self.answers is not None and self.answers.mechanism == self.file

    def start(self, file: MechanismFile, answers: Answers | None = None) -> None:
        """Read by ``file``; what was chosen in the uploads goes."""
        self.file, self.answers = file, answers
        self.turn += 1
