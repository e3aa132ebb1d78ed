"""All checks of one mechanism file, one after the other, as the page and the command line run them."""

import math
from collections.abc import Callable, Iterator
from concurrent.futures import Executor
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from rrcore.arrays import Codes
from rrcore.audit.attacks import Bound, attack, check_runs, exact_sampler
from rrcore.audit.broken import runs_to_catch_excess
from rrcore.audit.cheats import CHEATS
from rrcore.audit.check import Check
from rrcore.audit.claims import Claim
from rrcore.audit.enumeration import Enumeration, enumerate_file
from rrcore.audit.guessers import Guesser, guess
from rrcore.audit.learned import Learned
from rrcore.audit.sampler import STARTS, check_sampler
from rrcore.audit.trials import Coverage, Randomiser
from rrcore.errors import InputError
from rrcore.limits import AUDIT_CONFIDENCE
from rrcore.promise.mechanism_file import MechanismFile
from rrcore.table import Dataset
from rrcore.wording import count_text, counted, odds_text, points
from rrcore.wording.short import Short
from rrcore.work import Report, quiet, run


@dataclass(frozen=True)
class Audit(Short):
    """What was found about a mechanism file and what runs in its name.

    Parameters
    ----------
    file : MechanismFile
    runs : releases of each true record
    spoilt : key of ``CHEATS``, how what was run had been broken on purpose, else empty; enumeration is of the file all the same
    enumeration : Enumeration, or None where the domain is too large
    not_enumerated : why not, else empty
    bounds, guessers, checks : as ``attack``, ``guess`` and ``check_sampler`` give them; an honest mechanism passes all three with
        probability ``AUDIT_CONFIDENCE``
    coverage : how much of what can be answered was tried
    learned : what attacks showed that learned from runs what to bet on
    needed : for every bound on a level, the runs that would catch an excess of ``AUDIT_EXCESS``; None where ten million would not,
        and for the other bounds
    """

    file: MechanismFile
    runs: int
    spoilt: str
    enumeration: Enumeration | None
    not_enumerated: str
    bounds: tuple[Bound, ...]
    guessers: tuple[Guesser, ...]
    checks: tuple[Check, ...]
    coverage: Coverage
    learned: tuple[Learned, ...]
    needed: tuple[int | None, ...]

    def _summary(self) -> str:
        return self.headline()

    @property
    def contradicted(self) -> tuple[Bound, ...]:
        """The promises that were seen to be broken."""
        return tuple(bound for bound in self.bounds if bound.contradicted)

    @property
    def lucky(self) -> tuple[Guesser, ...]:
        """The guessers that were right more often than they can be under the claim."""
        return tuple(guesser for guesser in self.guessers if guesser.verdict == "right too often")

    @property
    def caught(self) -> tuple[Check, ...]:
        """The checks by which what runs is not what the file says."""
        return tuple(check for check in self.checks if check.caught)

    @property
    def sound(self) -> bool:
        """Whether every check was passed."""
        agrees = self.enumeration is None or self.enumeration.agrees
        return agrees and not (self.contradicted or self.lucky or self.caught)

    def headline(self) -> str:
        """The outcome in one sentence or two: what was found, or what was tried without finding anything."""
        runs = f"{count_text(self.runs)} runs of each of two records"
        named = [check for check in self.caught if check.named]
        if named:
            return f"Caught. {named[0].sentence}"
        if self.contradicted:
            return f"Caught: {len(self.contradicted)} of {len(self.bounds)} promises are contradicted by {runs}."
        if self.caught:
            return f"Caught: what runs is not what the file says. {self.caught[0].sentence}"
        if self.lucky:
            return f"Caught: {len(self.lucky)} of {len(self.guessers)} guessers were right more often than the claim allows, in {runs}."
        if not self.sound:
            return "The claim is not what the mechanism file gives when every probability is written out."
        return f"Nothing found: {runs} gave away no more than is claimed, with the lies that the file says. {self.coverage.sentence()}"

    def measured(self) -> str:
        """Evidence against claim for the whole record, in a sentence; empty where nothing is claimed of it."""
        (whole,) = [bound for bound in self.bounds if bound.promise.about == "total"]
        if math.isinf(whole.promise.claim):
            return ""
        return (
            f"The whole record is said to shift odds at most × {odds_text(whole.promise.claim)}; these runs show at least "
            f"× {odds_text(max(whole.shown, 0.0))}."
        )

    def unseen(self) -> tuple[str, ...]:
        """What no such audit can see, one sentence each."""
        rate = 3.3 / math.sqrt(self.runs)
        special = "" if self.coverage.complete else "A record that was not tried may be treated in a way of its own."
        return tuple(
            sentence
            for sentence in (
                special,
                *(check.unseen for check in self.checks),
                f"Rates of lies that are wrong by less than about {points(rate)}: {counted(self.runs, 'run', 'runs')} cannot tell.",
                "A program that behaves well while it is audited and badly at another time, on another machine or after a million calls.",
                "Randomness that looks right and that somebody can foresee, for example from a seed they know.",
                "What happens beside the releases: true answers that are kept, logged, timed or sent along.",
            )
            if sentence
        )


def audit_file(
    file: MechanismFile,
    runs: int = 100_000,
    *,
    sampler: Randomiser | None = None,
    spoilt: str = "",
    table: Codes | None = None,
    starts: int = STARTS,
    executor: Executor | None = None,
    report: Report = quiet,
) -> Audit:
    """Write out the matrix where it is small enough, attack what runs, let guessers guess, and hold what runs against the file.

    Parameters
    ----------
    file : MechanismFile, the promise that is doubted
    runs : releases of each true record
    sampler : what is run in the name of the file; by default the exact sampler
    spoilt : key of ``CHEATS``, how it is broken on purpose; it remembers its calls, so all of them are made in this process
    table : records that are tried before others where not all can be, shape (m, k)
    starts : number of short calls
    executor : does these four things beside each other, see ``open_executor``

    Raises
    ------
    InputError
        For too few or too many runs or short calls, an unknown cheat, a table of other attributes, and for whatever the sampler does wrong.

    Examples
    --------
    >>> import rrcore as rr
    >>> schema = rr.Schema((rr.Attribute("smokes", ("no", "yes")),))
    >>> file = rr.MechanismFile.from_plan(rr.Plan.for_levels(schema, 1.0, respondents=500))
    >>> rr.audit_file(file, 2_000).enumeration.agrees  # every probability written out
    True
    """
    check_runs(runs)
    if spoilt and spoilt not in CHEATS:
        raise InputError(f"There is no cheat '{str(spoilt)[:40]}': choose among {', '.join(CHEATS)}.")
    if table is not None:
        Dataset(file.schema, table)  # refuses what is no table of its attributes
    claim, randomise, rng = Claim.of_file(file), sampler or exact_sampler(file), np.random.default_rng()
    if spoilt:
        randomise, executor = CHEATS[spoilt].break_file(file, randomise, rng=rng), None
    share, (first, second) = 1 - AUDIT_CONFIDENCE, rng.spawn(2)
    parts = (
        partial(_enumerated, file),
        partial(attack, randomise, claim, runs, confidence=1 - share / 4),
        partial(guess, randomise, claim, runs, rng=first, confidence=1 - share / 4),
        partial(check_sampler, randomise, file, runs, table=table, starts=starts, confidence=1 - share / 2, rng=second),
    )
    found: Iterator[Any] = run(_do, parts, executor=executor, report=report, what="parts", sizes=(2, 2, 1, 5), tells=True)
    (enumeration, reason), bounds, guessers, (checks, coverage, learned) = found
    needed = tuple(_needed(claim, bound) for bound in bounds)
    return Audit(file, runs, spoilt, enumeration, reason, bounds, guessers, checks, coverage, learned, needed)


def _do(part: Callable[..., Any], *, report: Report = quiet) -> Any:
    return part(report=report)


def _enumerated(file: MechanismFile, *, report: Report = quiet) -> tuple[Enumeration | None, str]:
    """The matrix, or why it is not written out."""
    try:
        return enumerate_file(file, report=report), ""
    except InputError as error:
        return None, str(error)


def _needed(claim: Claim, bound: Bound) -> int | None:
    if bound.promise.about != "level" or not math.isfinite(bound.promise.claim):
        return None
    return runs_to_catch_excess(claim, bound.promise, confidence=bound.confidence)
