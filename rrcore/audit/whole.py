"""All checks of one mechanism file, one after the other, as the page and the command line run them."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from rrcore.audit.broken import broken, runs_to_catch_excess
from rrcore.audit.claims import Claim
from rrcore.audit.empirical import Bound, attack, check_runs, exact_sampler
from rrcore.audit.enumeration import Enumeration, enumerate_file
from rrcore.audit.guessers import Guesser, guess
from rrcore.collect.document import MechanismFile
from rrcore.errors import InputError
from rrcore.limits import AUDIT_CONFIDENCE, AUDIT_EXCESS
from rrcore.progress import Report, quiet
from rrcore.wording import count_text


@dataclass(frozen=True)
class Audit:
    """What was found about a mechanism file.

    Parameters
    ----------
    file : MechanismFile
    runs : releases of each true record
    spoilt : whether what was run had been broken on purpose; enumeration is of the file all the same
    enumeration : Enumeration, or None where the domain is too large
    not_enumerated : why not, else empty
    bounds, guessers : as ``attack`` and ``guess`` give them; an honest mechanism passes both with probability ``AUDIT_CONFIDENCE``
    needed : for every bound on a level, the runs that would catch an excess of ``AUDIT_EXCESS``; None where ten million would not,
        and for the other bounds
    """

    file: MechanismFile
    runs: int
    spoilt: bool
    enumeration: Enumeration | None
    not_enumerated: str
    bounds: tuple[Bound, ...]
    guessers: tuple[Guesser, ...]
    needed: tuple[int | None, ...]

    @property
    def contradicted(self) -> tuple[Bound, ...]:
        """The promises that were seen to be broken."""
        return tuple(bound for bound in self.bounds if bound.contradicted)

    @property
    def lucky(self) -> tuple[Guesser, ...]:
        """The guessers that were right more often than they can be under the claim."""
        return tuple(guesser for guesser in self.guessers if guesser.verdict == "right too often")

    @property
    def sound(self) -> bool:
        """Whether every check was passed."""
        return not self.contradicted and not self.lucky and (self.enumeration is None or self.enumeration.agrees)

    def headline(self) -> str:
        """The outcome in one sentence."""
        runs = f"{count_text(self.runs)} runs of each record"
        if self.contradicted:
            return f"Caught: {len(self.contradicted)} of {len(self.bounds)} promises are contradicted by {runs}."
        if self.lucky:
            return f"Caught: {len(self.lucky)} of {len(self.guessers)} guessers were right more often than the claim allows, in {runs}."
        if not self.sound:
            return "The claim is not what the mechanism file gives when every probability is written out."
        return f"Nothing found: {runs} gave away no more than is claimed."


def audit_file(file: MechanismFile, runs: int, *, break_it: bool = False, report: Report = quiet) -> Audit:
    """Write out the matrix where it is small enough, attack what runs, and let guessers guess.

    Parameters
    ----------
    runs : releases of each true record
    break_it : run a mechanism whose levels are ``AUDIT_EXCESS`` above the claim instead of the honest one

    Raises
    ------
    InputError
        For too few or too many runs.
    """
    check_runs(runs)
    claim, randomise, rng = Claim.of_file(file), exact_sampler(file), np.random.default_rng()
    if break_it:
        randomise = broken(randomise, claim, excess=AUDIT_EXCESS, rng=rng)
    enumeration, reason = None, ""
    try:
        enumeration = enumerate_file(file, report=lambda done, text: report(0.3 * done, text))
    except InputError as error:
        reason = str(error)
    half = 1 - (1 - AUDIT_CONFIDENCE) / 2
    bounds = attack(randomise, claim, runs, confidence=half, report=lambda done, text: report(0.3 + 0.6 * done, text))
    guessers = guess(randomise, claim, runs, rng=rng, confidence=half, report=lambda done, text: report(0.9 + 0.1 * done, text))
    needed = tuple(_needed(claim, bound) for bound in bounds)
    return Audit(file, runs, break_it, enumeration, reason, bounds, guessers, needed)


def _needed(claim: Claim, bound: Bound) -> int | None:
    if bound.promise.about != "level" or not math.isfinite(bound.promise.claim):
        return None
    return runs_to_catch_excess(claim, bound.promise, confidence=bound.confidence)
