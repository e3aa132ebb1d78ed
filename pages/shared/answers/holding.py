"""What is read in this session: it outlives a visit to another page."""

from dataclasses import dataclass

from rrcore.answers import Answers, Arms
from rrcore.promise import MechanismFile


@dataclass
class HeldAnswers:
    """The mechanism file and the answers that are read.

    Parameters
    ----------
    file : MechanismFile
    answers : Answers
    turn : makes the uploads anew
    directly : answers of those who were asked directly, where some were; ``answers`` are then those of the others
    """

    file: MechanismFile | None = None
    answers: Answers | None = None
    turn: int = 0
    directly: Answers | None = None

    @property
    def complete(self) -> bool:
        """Whether there are answers to the mechanism file."""
        return self.answers is not None and self.answers.mechanism == self.file

    def start(self, file: MechanismFile, answers: Answers | None = None) -> None:
        """Read by ``file``; what was chosen in the uploads goes. Raises InputError, and changes nothing, where ``Arms.of`` does."""
        arms = None if answers is None else Arms.of(answers)
        self.file = file
        self.take(arms)
        self.turn += 1

    def take(self, arms: Arms | None) -> None:
        """Read these answers."""
        self.answers, self.directly = (None, None) if arms is None else (arms.randomised, arms.directly)
