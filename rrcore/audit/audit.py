"""All checks of one mechanism file and of the sampler that follows it."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

import numpy as np

from rrcore.arrays import Codes
from rrcore.audit.attack import Attack, best_guess
from rrcore.audit.enumeration import Enumeration, enumerate_file
from rrcore.audit.frequencies import Check, Randomizer, Runs, check_frequencies
from rrcore.errors import InputError
from rrcore.limits import AUDIT_CONFIDENCE
from rrcore.progress import Report, part, quiet
from rrcore.promise.mechanism_file import MechanismFile
from rrcore.promise.sampler import randomise
from rrcore.table.dataset import Dataset
from rrcore.wording import count_text, points
from rrcore.wording.short import Short


@dataclass(frozen=True)
class Audit(Short):
    """What an audit of a mechanism file found.

    Parameters
    ----------
    file : MechanismFile
    runs : number of true records that were randomized
    enumeration : Enumeration, or None where there are too many records
    not_enumerated : why not, else empty
    checks : the frequency test
    attacks : the best guess of every attribute
    """

    file: MechanismFile
    runs: int
    enumeration: Enumeration | None
    not_enumerated: str
    checks: tuple[Check, ...]
    attacks: tuple[Attack, ...]

    def _summary(self) -> str:
        return self.headline()

    def __str__(self) -> str:
        return "\n".join(self.lines())

    @property
    def sound(self) -> bool:
        """Whether every check passed."""
        agrees = self.enumeration is None or self.enumeration.agrees
        return agrees and not any(check.caught for check in self.checks) and not any(each.contradicted for each in self.attacks)

    def headline(self) -> str:
        """Return the outcome in a sentence or two."""
        runs = f"{count_text(self.runs)} runs"
        if self.enumeration is not None and not self.enumeration.agrees:
            return f"The mechanism file does not keep its claim. {self.enumeration.sentences()[0]}"
        if broken := [each for each in self.attacks if each.contradicted]:
            return f"The sampler does not keep its claim. {broken[0].sentence}"
        if caught := [check for check in self.checks if check.caught]:
            return f"The sampler does not follow the mechanism file. {caught[0].sentence}"
        return f"Nothing found: in {runs}, the sampler randomizes as often as the mechanism file says."

    def lines(self) -> list[str]:
        """Return the outcome and every finding, one per line."""
        written = [self.not_enumerated] if self.enumeration is None else self.enumeration.sentences()
        return [
            self.headline(),
            *written,
            "Frequency test:",
            *(f"  {check.title}: {'CAUGHT. ' if check.caught else ''}{check.sentence}" for check in self.checks),
            "Best guess from the randomized record and the other true answers:",
            *(f"  {each.sentence}" for each in self.attacks),
            f"A correct sampler fails once in {count_text(round(1 / (1 - AUDIT_CONFIDENCE)))} audits.",
            "What this audit cannot see:",
            *(f"  {sentence}" for sentence in self.unseen()),
        ]

    def unseen(self) -> tuple[str, ...]:
        """Return what no such audit can see, one sentence each."""
        return (
            f"Probabilities that are wrong by less than about {points(3.3 / self.runs**0.5)}.",
            "A program that treats one rare record differently, or behaves well only during the audit.",
            "Randomness that somebody can foresee.",
            "True answers that the program stores, logs or sends elsewhere.",
        )


def exact_sampler(file: MechanismFile) -> Randomizer:
    """Return a mechanism file as the sampler of real answers: integers, entropy of the operating system."""
    return partial(_randomized, file)


def _randomized(file: MechanismFile, codes: Codes) -> Codes:
    return randomise(file, Dataset(file.schema, codes)).codes


def audit_file(file: MechanismFile, runs: int = 100_000, *, sampler: Randomizer | None = None, report: Report = quiet) -> Audit:
    """Enumerate a mechanism file if it is small, test the frequencies of its sampler, and attack the sampler with its best guess.

    Parameters
    ----------
    file : MechanismFile
    runs : number of true records to randomize
    sampler : what is tested, by default the exact sampler of RR Workbench

    Returns
    -------
    Audit
        A sampler that follows the file passes with probability 0.999.

    Raises
    ------
    InputError
        For too few or too many runs, and for a sampler that fails.

    Examples
    --------
    >>> import rrcore as rr
    >>> schema = rr.Schema((rr.Attribute("smokes", ("no", "yes")),))
    >>> file = rr.MechanismFile.from_plan(rr.Plan.for_levels(schema, 1.0, respondents=500))
    >>> rr.audit_file(file, 2_000).enumeration.agrees  # every probability written out
    True
    """
    alpha = (1 - AUDIT_CONFIDENCE) / 2
    enumeration, reason = None, ""
    try:
        enumeration = enumerate_file(file, report=part(report, 0, 2))
    except InputError as error:
        reason = str(error)
    report(0.5, f"Randomizing {count_text(runs)} records")
    found = Runs.of(sampler or exact_sampler(file), file, runs, rng=np.random.default_rng())
    report(0.8, "Counting")
    checks = check_frequencies(found, alpha=alpha)
    return Audit(file, runs, enumeration, reason, checks, best_guess(found, alpha=alpha))
