"""Workloads: the relevant marginals, their budget, and the best mechanism.

See theory.md section 13.
"""

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np

from rrcore.budget.pair_errors import respondents_factors
from rrcore.budget.scaling import scale_levels
from rrcore.channel import Channel
from rrcore.channel.channels import SubsetChannel
from rrcore.errors import InputError, check_positions
from rrcore.estimate import expected_shrunk_error
from rrcore.limits import MAX_MARGINAL, MAX_PEOPLE, MAX_QUESTIONS
from rrcore.mechanisms.base import Mechanism
from rrcore.mechanisms.closed_form import Joint, Kronecker
from rrcore.mechanisms.lowest_total import safe
from rrcore.mechanisms.workload import Designed, ForQuestions, check_total, closure
from rrcore.progress import Report, part, quiet

_PARTS = (1.0, 0.7, 0.5, 0.35, 0.25)
"""Required gains of the parts of a chosen marginal, as multiples of the gain required of the marginal."""

_FAR = 60.0  # ln of how many times as many people are thought of

_BELOW = 1e-12  # relative amount by which the others stay below the total, so that no rounding exceeds it


@dataclass(frozen=True)
class Entrant:
    """One mechanism that was considered for a workload.

    Parameters
    ----------
    title : its display name
    worth : factor by which Kronecker at equal split would need more people for the same errors, for the marginal with the smallest
        factor. 0 if a marginal cannot be estimated, NaN if there is no mechanism
    refusal : the reason why there is no mechanism, empty if there is one
    """

    title: str
    worth: float
    refusal: str = ""


@dataclass(frozen=True, eq=False)
class ServedWorkload(ForQuestions):
    """The selected mechanism as a table of sets of changes.

    Parameters
    ----------
    sizes, subsets, requested_total, workload : as in ``ForQuestions``. The interactions T belong to the requested marginals
    entrants : every mechanism that was considered. The best one comes first
    """

    entrants: tuple[Entrant, ...]


@dataclass(frozen=True)
class Questions:
    """A workload of marginals and the epsilon of the record that it may use.

    Parameters
    ----------
    total : float, nats
    marginals : tuple of tuples of positions
    people : number of respondents if answers are estimated with shrinkage, for the expected errors of mechanisms. None if every
        marginal is estimated separately and without bias

    Examples
    --------
    >>> from rrcore.budget import Questions
    >>> questions = Questions(4.0, ((0, 1), (0, 2)), 1_000)
    >>> questions.build((2, 2, 3)).epsilon_total <= 4
    True
    """

    total: float
    marginals: tuple[tuple[int, ...], ...]
    people: int | None = None

    def check(self, k: int) -> None:
        """Raise InputError if the budget or the workload is invalid.

        A workload on k attributes is invalid if it is empty, or if it has too many or too large marginals.
        """
        check_total(self.total, k)
        if not self.marginals or not all(self.marginals):
            raise InputError("The workload contains no joint distribution, or one without attributes. Choose attributes.")
        if len(self.marginals) > MAX_QUESTIONS:
            raise InputError(f"A workload has more than {MAX_QUESTIONS:,} joint distributions. Choose fewer.")
        if max(map(len, self.marginals)) > MAX_MARGINAL:
            raise InputError(f"A joint distribution has more than {MAX_MARGINAL} attributes. Choose fewer attributes.")
        check_positions(self.marginals, k, "A joint distribution")
        if self.people is not None and not 1 <= self.people <= MAX_PEOPLE:
            raise InputError(f"The workload is for {self.people:,} people. Choose a number from 1 to {MAX_PEOPLE:,} or none.")

    def build(self, sizes: Sequence[int], *, report: Report = quiet) -> ServedWorkload:
        """Return the mechanism with the largest gain for the worst marginal.

        The gain is the factor by which Kronecker at equal split needs more people.

        The candidates have this epsilon of the record: designs (section 13), RR-Joint, and mechanisms with equal epsilons that
        preserve joint distributions of 1, 2, ... attributes, up to the largest marginal (section 14). Each candidate is judged by
        the expected error of every marginal for uniform shares, relative to independent randomization at equal split. The error is
        that of shrinkage for usual dependence (section 25), or of the unbiased estimate (section 7) without ``people``.

        Raises
        ------
        InputError
            If the total is invalid, there are too many attributes, or no candidate exists.
        """
        total = check_total(self.total, len(sizes))
        whole = tuple(int(a) for a in sizes)
        reference = Kronecker.from_epsilon(whole, np.full(len(whole), total / len(whole)))
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
        q = best.channel(range(len(whole))).probabilities
        return ServedWorkload(whole, SubsetChannel(whole, q), total, closure(self.marginals), tuple(first.values()))

    def _worth(self, mechanism: Mechanism, reference: Kronecker) -> float:
        """How many times as many people Kronecker needs, for the marginal where that is least; 0 where one is erased."""
        found = respondents_factors(mechanism, reference, self.marginals)
        if any(map(math.isnan, found)):
            return 0.0
        if self.people is None:
            return min(found)
        return min(_as_close(mechanism.channel(axes), reference.channel(axes), self.people) for axes in self.marginals)

    def _entrants(self, sizes: tuple[int, ...], total: float) -> Iterator[tuple[str, Callable[..., Mechanism]]]:
        """What competes: a title and a builder that takes ``report`` alone.

        Every interaction of a ticked marginal is asked of a design, since its estimate uses them all; how much its parts are asked to
        gain in addition to the marginal is tried out.
        """
        ticked, listed = {frozenset(axes) for axes in self.marginals}, closure(self.marginals)
        for share in _PARTS if any(len(axes) > 1 for axes in ticked) else _PARTS[:1]:
            weights = [1.0 if frozenset(axes) in ticked else share for axes in listed]
            yield "the design", partial(Designed.for_questions, sizes, total, listed, weights=weights)
        spent = total * (1 - _BELOW)
        for width in range(1, max(map(len, ticked)) + 1):
            spend = partial(scale_levels, sizes, spent, np.ones(len(sizes)), partial(safe, width=width))
            title = "the optimum" if width == 1 else f"preserving up to {width} attributes"
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
