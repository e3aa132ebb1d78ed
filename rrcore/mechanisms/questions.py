"""Questions: the marginals that matter, one total to spend on them, and the mechanism that serves them best (theory.md section 13)."""

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np

from rrcore.channel import Channel
from rrcore.channel.liesets import LieSets
from rrcore.errors import InputError, check_positions
from rrcore.estimate import expected_shrunk_error
from rrcore.limits import MAX_MARGINAL, MAX_PEOPLE, MAX_QUESTIONS
from rrcore.mechanisms.accuracy import accuracy_gains
from rrcore.mechanisms.base import Mechanism
from rrcore.mechanisms.closed_form import Joint, Kronecker
from rrcore.mechanisms.designed import Designed, ForQuestions, check_total, closure
from rrcore.mechanisms.least import safe
from rrcore.mechanisms.scaling import scale_levels
from rrcore.progress import Report, part, quiet

_PARTS = (1.0, 0.7, 0.5, 0.35, 0.25)
"""What the parts of a ticked marginal are asked to gain, as multiples of what the marginal itself is asked for."""

_FAR = 60.0  # ln of how many times as many people are thought of

_BELOW = 1e-12  # relative amount by which the others stay below the total, so that no rounding exceeds it


@dataclass(frozen=True)
class Entrant:
    """One mechanism that was considered for the questions.

    Parameters
    ----------
    title : what it is
    worth : how many times as many people Kronecker at equal split would need to be as close, for the question where that is least; 0 where
        a question cannot be answered, NaN where there is no such mechanism
    refusal : why there is none; empty if there is one
    """

    title: str
    worth: float
    refusal: str = ""


@dataclass(frozen=True, eq=False)
class ServedWorkload(ForQuestions):
    """The mechanism that won, as a table of lie sets.

    Parameters
    ----------
    sizes, lie_sets, requested_total, workload : as in ``ForQuestions``; the interactions T are those of the marginals asked for
    entrants : Entrant, every mechanism considered; the best one comes first
    """

    entrants: tuple[Entrant, ...]

    @property
    def method(self) -> str:
        best, *others = self.entrants
        beaten = ", ".join(f"{each.title} ({_worth_text(each)})" for each in others)
        return (
            f"{best.title} serves the joint distributions wanted best, the least of them as well as Kronecker with "
            f"{_worth_text(best)} times as many people; "
            f"tried as well: {beaten}"
        )


@dataclass(frozen=True)
class Questions:
    """The marginals that matter and the record-level budget that may be spent on them.

    Parameters
    ----------
    total : float, nats
    marginals : tuple of tuples of positions
    people : number of respondents whose answers are read with the whole table, by what mechanisms are then expected to be off by; None where
        they are read without bias, one question at a time

    Examples
    --------
    >>> import rrcore as rr
    >>> questions = rr.Questions(4.0, ((0, 1), (0, 2)), 1_000)
    >>> questions.build((2, 2, 3)).total_level <= 4
    True
    """

    total: float
    marginals: tuple[tuple[int, ...], ...]
    people: int | None = None

    def check(self, k: int) -> None:
        """Raise InputError for a bad total, or for no or too many or too wide questions about k attributes."""
        check_total(self.total, k)
        if not self.marginals or not all(self.marginals):
            raise InputError("A plan designed for joint distributions has none: give at least one marginal.")
        if len(self.marginals) > MAX_QUESTIONS:
            raise InputError(f"A plan is designed for more than {MAX_QUESTIONS:,} joint distributions: choose fewer.")
        if max(map(len, self.marginals)) > MAX_MARGINAL:
            raise InputError(f"A joint distribution has more than {MAX_MARGINAL} attributes: choose fewer for each.")
        check_positions(self.marginals, k, "A joint distribution")
        if self.people is not None and not 1 <= self.people <= MAX_PEOPLE:
            raise InputError(
                f"The joint distributions are for {self.people:,} people: give a number from 1 to {MAX_PEOPLE:,}, or none."
            )

    def build(self, sizes: Sequence[int], *, report: Report = quiet) -> ServedWorkload:
        """The mechanism whose least ticked marginal is worth most people under Kronecker at equal split.

        Designs (section 13), the mechanisms safe for joint distributions of 1, 2, ... up to as many attributes as the widest question
        has (section 14, with equal levels) and RR-Joint compete at this total. What decides is the expected error of every ticked
        marginal for uniform shares, of shrinkage where dependence is usual (section 25) or, without ``people``, of the unbiased estimate
        (section 7), beside Kronecker's at equal split.

        Raises
        ------
        InputError
            For a bad total or too many attributes, or where none of them exists.
        """
        total = check_total(self.total, len(sizes))
        whole = tuple(int(a) for a in sizes)
        reference = Kronecker.from_levels(whole, np.full(len(whole), total / len(whole)))
        builders = list(self._entrants(whole, total))
        best: Mechanism | None = None
        tried: list[Entrant] = []
        for done, (title, make) in enumerate(builders):
            portion = part(report, done, len(builders), title)
            portion(0.0, "")
            try:
                found = make(report=portion)
            except InputError as error:
                tried.append(Entrant(title, math.nan, str(error)))
                continue
            worth = self._worth(found, reference)
            if best is None or worth > max(each.worth for each in tried if not each.refusal):
                best = found
            tried.append(Entrant(title, worth))
        if best is None:
            raise InputError(tried[0].refusal)
        first: dict[str, Entrant] = {}
        for each in sorted(tried, key=lambda each: math.inf if each.refusal else -each.worth):
            first.setdefault(each.title, each)
        q = best.marginal_channel(range(len(whole))).probabilities
        return ServedWorkload(whole, LieSets(whole, q), total, closure(self.marginals), tuple(first.values()))

    def _worth(self, mechanism: Mechanism, reference: Kronecker) -> float:
        """How many times as many people Kronecker needs, for the marginal where that is least; 0 where one is erased."""
        found = accuracy_gains(mechanism, reference, self.marginals)
        if not all(gain.identifiable for gain in found):
            return 0.0
        if self.people is None:
            return min(gain.respondents_factor for gain in found)
        return min(
            _as_close(mechanism.marginal_channel(axes), reference.marginal_channel(axes), self.people) for axes in self.marginals
        )

    def _entrants(self, sizes: tuple[int, ...], total: float) -> Iterator[tuple[str, Callable[..., Mechanism]]]:
        """What competes: a title and a builder that takes ``report`` alone.

        Every interaction of a ticked marginal is asked of a design, since its estimate uses them all; how much its parts are asked to
        gain beside the marginal itself is tried out.
        """
        ticked, listed = {frozenset(axes) for axes in self.marginals}, closure(self.marginals)
        for share in _PARTS if any(len(axes) > 1 for axes in ticked) else _PARTS[:1]:
            weights = [1.0 if frozenset(axes) in ticked else share for axes in listed]
            yield "the design", partial(Designed.for_questions, sizes, total, listed, weights=weights)
        spent = total * (1 - _BELOW)
        for width in range(1, max(map(len, ticked)) + 1):
            spend = partial(scale_levels, sizes, spent, np.ones(len(sizes)), partial(safe, width=width))
            title = "the optimum" if width == 1 else f"safe for {width} attributes"
            yield title, lambda report, spend=spend: spend(report=report).mechanism
        yield "RR-Joint", lambda report: Joint.from_total(sizes, spent)


def _as_close(channel: Channel, reference: Channel, people: int) -> float:
    """How many times as many people ``reference`` needs for shrinkage to be as close as with ``people`` under ``channel``."""
    from scipy.optimize import brentq  # heavy

    error = expected_shrunk_error(channel, people)

    def beyond(log_times: float) -> float:
        return expected_shrunk_error(reference, people * math.exp(log_times)) - error

    if error == 0 or beyond(_FAR) > 0:
        return math.inf
    return math.exp(brentq(beyond, -_FAR, _FAR, xtol=1e-9)) if beyond(-_FAR) > 0 else 0.0


def _worth_text(each: Entrant) -> str:
    """Its worth in words."""
    if each.refusal:
        return "not possible"
    return f"{each.worth:.1f}" if each.worth > 0 else "cannot answer all"
