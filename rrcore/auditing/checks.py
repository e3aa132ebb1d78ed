"""All checks of a mechanism file and its sampler."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from pathlib import Path

import numpy as np

from rrcore.auditing.attack import Attack, best_guess
from rrcore.auditing.enumeration import Enumeration, enumerate_file
from rrcore.auditing.frequencies import Check, Runs, Sampler, check_frequencies
from rrcore.errors import InputError
from rrcore.limits import AUDIT_CONFIDENCE
from rrcore.progress import Report, part, quiet
from rrcore.promise.mechanism_file import MechanismFile
from rrcore.promise.sampler import randomize_codes
from rrcore.wording import MOST_ROWS, count_text, html_table, one_line, points
from rrcore.wording.short import Short


@dataclass(frozen=True)
class Audit(Short):
    """Findings of an audit of a mechanism file.

    Parameters
    ----------
    file : MechanismFile
        The file that was audited.
    runs : int
        Number of true records that were randomized.
    enumeration : Enumeration or None
        Result of enumerating every probability. None if there are too many records.
    not_enumerated : str
        Reason for not enumerating the probabilities. Empty if they were enumerated.
    checks : tuple of Check
        The frequency tests.
    attacks : tuple of Attack
        The best guess of every attribute.

    Examples
    --------
    >>> import rrcore as rr
    >>> plan = rr.Plan(rr.load_demo("titanic").select(["Sex", "Survived"]), epsilon=1.0)
    >>> found = rr.audit(rr.MechanismFile.from_plan(plan), 2_000)
    >>> found.runs, found.enumeration.records, len(found.attacks)
    (2000, 4, 2)
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

    def _repr_html_(self) -> str:
        """Return the findings, for a notebook."""
        rows = [[each.title, each.sentence] for each in self.checks] + [["Best guess", each.sentence] for each in self.attacks]
        return html_table(("check", "finding"), rows[:MOST_ROWS], title=self.headline(), more=max(0, len(rows) - MOST_ROWS))

    @property
    def sound(self) -> bool:
        """True if every check passed."""
        agrees = self.enumeration is None or self.enumeration.agrees
        return agrees and not any(check.caught for check in self.checks) and not any(each.contradicted for each in self.attacks)

    def headline(self) -> str:
        """Return the outcome in a sentence or two.

        Returns
        -------
        str
            States if a deviation was found, and shows the first one.
        """
        runs = f"{count_text(self.runs)} runs"
        if self.enumeration is not None and not self.enumeration.agrees:
            return f"The mechanism file does not keep its claim. {self.enumeration.sentences()[0]}"
        if broken := [each for each in self.attacks if each.contradicted]:
            return f"The sampler does not keep its claim. {broken[0].sentence}"
        if caught := [check for check in self.checks if check.caught]:
            return f"The sampler does not follow the mechanism file. {caught[0].sentence}"
        return f"No deviation found. In {runs}, the sampler randomized as often as the mechanism file says."

    def lines(self) -> list[str]:
        """Return the outcome and every finding.

        Returns
        -------
        list of str
            One sentence each. Details are indented.
        """
        written = [self.not_enumerated] if self.enumeration is None else self.enumeration.sentences()
        lines = (
            self.headline(),
            *written,
            "Frequency test:",
            *(f"  {check.title}: {'CAUGHT. ' if check.caught else ''}{check.sentence}" for check in self.checks),
            "Best guess from the randomized record and the other true answers:",
            *(f"  {each.sentence}" for each in self.attacks),
            f"A correct sampler fails once in {count_text(round(1 / (1 - AUDIT_CONFIDENCE)))} audits.",
            "What this audit cannot see:",
            *(f"  {sentence}" for sentence in self.unseen()),
        )
        return [one_line(line) for line in lines]

    def unseen(self) -> tuple[str, ...]:
        """Return the limitations of every such audit.

        Returns
        -------
        tuple of str
            One sentence each.
        """
        return (
            f"Probabilities that are wrong by less than about {points(3.3 / self.runs**0.5, 'percentage points')}.",
            "A program that treats one rare record differently, or behaves well only during the audit.",
            "Randomness that somebody can foresee.",
            "True answers that the program stores, logs or sends elsewhere.",
        )


def exact_sampler(file: MechanismFile) -> Sampler:
    """Return the sampler of a mechanism file for true answers.

    The sampler uses integers and the operating system's random number generator.
    """
    return partial(randomize_codes, file)


def audit(
    file: MechanismFile | Path | str, runs: int = 100_000, *, sampler: Sampler | None = None, report: Report = quiet
) -> Audit:
    """Check whether a mechanism file and its sampler keep the claimed epsilons.

    The audit enumerates all probabilities if there are few. It tests the frequencies of the sampler and attacks it with the best guess.

    Parameters
    ----------
    file : MechanismFile or path
        The file to audit.
    runs : int
        Number of true records to randomize.
    sampler : callable, optional
        The function to test, which takes codes and returns randomized codes. The default is the exact sampler of RR Workbench.
    report : callable
        Called with the completed fraction and a description of the next step.

    Returns
    -------
    Audit
        Findings of the audit. A correct sampler passes with probability 0.999.

    Raises
    ------
    InputError
        If there are too few or too many runs, or the sampler fails.

    Examples
    --------
    >>> import rrcore as rr
    >>> schema = rr.Schema((rr.Attribute("smokes", ("no", "yes")),))
    >>> file = rr.MechanismFile.from_plan(rr.Plan(schema, 1.0, n=500))
    >>> rr.audit(file, 2_000).enumeration.agrees  # every probability written out
    True
    """
    made, alpha = MechanismFile.given(file), (1 - AUDIT_CONFIDENCE) / 2
    enumeration, reason = None, ""
    try:
        enumeration = enumerate_file(made, report=part(report, 0, 2))
    except InputError as error:
        reason = str(error)
    report(0.5, f"Randomizing {count_text(runs)} records")
    found = Runs.of(sampler or exact_sampler(made), made, runs, rng=np.random.default_rng())
    report(0.8, "Counting")
    checks = check_frequencies(found, alpha=alpha)
    return Audit(made, runs, enumeration, reason, checks, best_guess(found, alpha=alpha))
