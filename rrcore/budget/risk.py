"""People of whom an answer can be guessed because of a release, and the highest levels that keep them few."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace

import numpy as np
import scipy

from rrcore.arrays import Codes, Floats
from rrcore.budget.certainty import Certainty, Knows, certainties_of_record, certainty_assumed, certainty_in_table
from rrcore.budget.plan import Plan
from rrcore.budget.posterior import MOST_SUMMED, Knowing, beliefs_knowing
from rrcore.budget.precision import Assumption, Precision
from rrcore.budget.requirements import level_for_precision, people_for_precision, precision_of
from rrcore.errors import InputError
from rrcore.limits import MAX_LEVEL, MAX_OPTIMAL_ATTRIBUTES, MIN_LEVEL
from rrcore.mechanisms import Mechanism
from rrcore.progress import Report, part, quiet
from rrcore.table.dataset import Dataset
from rrcore.table.schema import Schema
from rrcore.wording import count_text

SURE = 0.95
"""A person can be guessed where the best guess is at least this probable."""

NEAR = 1.001
"""Levels higher than those found by this factor no longer keep the people few."""

OBSERVERS: dict[Knows, str] = {
    "answer": "sees one answer",
    "record": "sees the whole record",
    "others": "knows their other answers",
}
"""Who guesses, after "someone who"."""

LEAST_GROUP = 10
"""Fewest people of one answer who are told apart as the most exposed ones."""

_STEP = 1.5  # factor between scales until one keeps the people few and one does not
_EXPECTED_BUILDS = 20
_SEED = 20_261  # of drawn releases: what is found depends on the plan and the table alone
_MISSED = 1e-3  # how often a bound from drawn releases is too low


@dataclass(frozen=True)
class Risk:
    """The attribute of which most people can be guessed because of a release, by one observer.

    Parameters
    ----------
    name : the attribute
    knows : "answer", "record" or "others", see ``KNOWS``
    people : int
    added : expected number of people who can be guessed with a certainty of ``SURE``, and could not before the release
    before : number of people who could be guessed without it
    most : what ``added`` is at most: itself where it is exact, else a bound from drawn releases that is too low once in 1,000 times
    guess : whether shares are a guess, not those of a table
    group : another attribute, its category and the share of its people: of whom most can be guessed, "" and 0 where that was not looked for
    """

    name: str
    knows: Knows
    people: int
    added: float
    before: float
    most: float
    guess: bool = False
    group: tuple[str, str, float] = ("", "", 0.0)

    @property
    def share(self) -> float:
        """``most`` of all people."""
        return self.most / self.people

    def sentence(self) -> str:
        """How many can be guessed, by whom.

        Examples
        --------
        >>> print(Risk("smokes", "others", 2000, 3.0, 42.0, 3.0).sentence())
        Of 1,000 people, 1.5 can have “smokes” guessed with 95 % certainty by someone who knows their other answers; another 21 \
without it.
        """
        who = f"with {100 * SURE:g} % certainty by someone who {OBSERVERS[self.knows]}"
        if self.guess:
            who += ", if all answers are equally common"
        if not self.most:
            without = (
                "nobody could be guessed without it either"
                if self.without == "0"
                else f"without it {self.without} of 1,000 people could be"
            )
            return f"The release lets nobody be guessed {who}; {without}."
        name, category, share = self.group
        most = f" (of 1,000 with {name}: {category}, {risk_of_thousand(share)})" if share > self.share else ""
        return f"Of 1,000 people, {self.number} can have “{self.name}” guessed {who}{most}; {self._without}."

    @property
    def without(self) -> str:
        """How many of 1,000 could be guessed without the release."""
        return risk_of_thousand(self.before / self.people)

    @property
    def number(self) -> str:
        """How many of 1,000 can be guessed because of the release."""
        return f"{'' if self.most == self.added else 'at most '}{risk_of_thousand(self.share)}"

    def short(self) -> str:
        """``sentence`` after that of another observer.

        Examples
        --------
        >>> print(Risk("smokes", "answer", 2000, 3.0, 42.0, 3.0).short())
        By someone who sees one answer, 1.5 “smokes”; another 21 without it.
        """
        return f"By someone who {OBSERVERS[self.knows]}, {self.number} “{self.name}”; {self._without}."

    @property
    def _without(self) -> str:
        return "nobody without it" if self.without == "0" else f"another {self.without} without it"


def risk_of_thousand(share: float) -> str:
    """A share of people as a number of 1,000.

    Examples
    --------
    >>> risk_of_thousand(0.0173), risk_of_thousand(0.00052), risk_of_thousand(0), risk_of_thousand(1e-7)
    ('17', '0.52', '0', 'fewer than 0.01')
    """
    number = 1000 * share
    if 0 < number < 0.01:
        return "fewer than 0.01"
    return count_text(round(number)) if number >= 9.95 else f"{number:.2g}"


class People:
    """Those of whom answers could be guessed, and what observers know of them: a table, or a Schema where nobody has answered yet.

    Without a table all answers are taken to be equally common, and independent. What is worked out of a table once serves every mechanism.

    Parameters
    ----------
    table : the true answers, or what will be asked
    respondents : number of people; those of the table by default, to be given with a Schema
    kept : other attributes of the people of the table, in the same order, that leave as they are: every observer sees these

    Raises
    ------
    InputError
        Where the number of people is not known.
    """

    def __init__(self, table: Dataset | Schema, respondents: int | None = None, *, kept: Dataset | None = None) -> None:
        self.kept: tuple[str, ...] = () if kept is None else kept.schema.names
        self.schema: Schema = table.schema if isinstance(table, Dataset) else table
        self._codes: Codes | None = table.codes if isinstance(table, Dataset) else None
        number = respondents if self._codes is None else len(self._codes)
        if number is None:
            raise InputError("The number of people is not known from a schema: give respondents, for example respondents=1000.")
        self.number = number
        self._groups = None if kept is None else np.unique(kept.codes, axis=0, return_inverse=True)[1].ravel()
        self._beliefs: dict[int, tuple[Floats, Floats]] = {}

    @property
    def known(self) -> bool:
        """Whether their answers are."""
        return self._codes is not None

    @property
    def summed(self) -> bool:
        """Whether every released record is summed over, also for someone who sees the whole record: at once, and exact."""
        sizes = self.schema.sizes
        few = len(sizes) <= MAX_OPTIMAL_ATTRIBUTES and math.prod(sizes) * max(sizes) <= MOST_SUMMED
        return self._codes is None or few

    @property
    def groups(self) -> int:
        """In how many groups people are alike in what is kept: 1 where nothing is."""
        return 1 if self._groups is None else int(self._groups.max()) + 1

    @property
    def fewest(self) -> int:
        """How many people are alike in what is kept, at least: all of them where nothing is."""
        return self.number if self._groups is None else int(np.bincount(self._groups).min())

    @property
    def strata(self) -> tuple[People, ...]:
        """Those who are alike in what is kept: an observer guesses among them."""
        if self._groups is None or self._codes is None:
            return (self,)
        ends = np.bincount(self._groups).cumsum()[:-1]
        rows = np.split(np.argsort(self._groups, kind="stable"), ends)
        return tuple(People(Dataset(self.schema, self._codes[own])) for own in rows)

    def certainty(self, mechanism: Mechanism, axis: int, knows: Knows, *, rng: np.random.Generator) -> Certainty:
        """How sure an observer can be of attribute ``axis``; ``rng`` is for drawing releases where they are too many."""
        if self._codes is None:
            size = self.schema.sizes[axis]
            return certainty_assumed(mechanism, axis, np.full(size, 1 / size), self.number, knows, rng=rng)
        if knows == "others" and axis not in self._beliefs:
            self._beliefs[axis] = beliefs_knowing(self._codes, axis, self.schema.sizes[axis])
        return certainty_in_table(mechanism, self._codes, axis, knows, rng=rng, beliefs=self._beliefs.get(axis))

    def certainties(self, mechanism: Mechanism, knows: Knows, *, report: Report = quiet) -> Iterator[Certainty]:
        """``certainty`` of each attribute in turn, from the same draws wherever the plan and the table are the same."""
        names = self.schema.names
        if knows == "record" and self._codes is not None:
            rng = np.random.default_rng(_SEED)
            yield from certainties_of_record(mechanism, self._codes, range(len(names)), rng=rng, report=report)
            return
        for axis, name in enumerate(names):
            report(axis / len(names), f"guessing “{name}”")
            yield self.certainty(mechanism, axis, knows, rng=np.random.default_rng(_SEED))

    def most_exposed(self, seen: Certainty, axis: int) -> tuple[str, str, float]:
        """Of people with one answer to another attribute than ``axis``, at least ``LEAST_GROUP``: those of whom most can be guessed due to
        the release, by someone who knows the others. The attribute, its category and their share; "", "" and 0 where that is not known.
        """
        if self._codes is None or seen.knows != "others" or not isinstance(seen.after, Knowing):
            return "", "", 0.0
        each = seen.after.of_people(self._codes, axis, SURE)
        found = [("", "", 0.0)]
        for i, attribute in enumerate(self.schema.attributes):
            if i != axis:
                number = np.bincount(self._codes[:, i], minlength=attribute.size)
                share = np.bincount(self._codes[:, i], each, attribute.size) / np.maximum(number, 1)
                worst = int(np.where(number >= LEAST_GROUP, share, -1.0).argmax())
                found.append((attribute.name, attribute.categories[worst], float(share[worst])))
        return max(found, key=lambda group: group[2])


def risk_of(mechanism: Mechanism, people: People, knows: Knows, *, exposed: bool = False, report: Report = quiet) -> Risk:
    """The attribute of which most people can be guessed because of a release.

    Parameters
    ----------
    mechanism : over the attributes of ``people``
    knows : what the observer sees and knows, see ``KNOWS``; of a single attribute, where nothing else leaves, all see one "answer"
    exposed : whether the ``group`` of whom most can be guessed is looked for, too

    Examples
    --------
    >>> import rrcore as rr
    >>> table = rr.load_demo("titanic")
    >>> risk = risk_of(rr.build("pair-safe", table.schema.sizes, [1.0] * 4), People(table), "others")
    >>> risk.name, round(risk.added), round(risk.before)
    ('Survived', 641, 174)

    Where class and sex leave as they are, whoever sees them knows of 145 people already whether they survived:

    >>> people = People(table.select(["Survived"]), kept=table.select(["Class", "Sex"]))
    >>> round(risk_of(rr.build("kronecker", (2,), [1.0]), people, "answer").before)
    145
    """
    if mechanism.k == 1 and not people.kept:
        knows = "answer"
    strata = people.strata
    found = [_risks(mechanism, own, knows, part(report, i, len(strata))) for i, own in enumerate(strata)]
    whole = [replace(one[0], people=people.number, **_sums(one)) for one in zip(*found, strict=True)]
    risk = max(whole, key=lambda risk: (risk.most, risk.before))
    if not exposed or len(strata) > 1:
        return risk
    axis = people.schema.names.index(risk.name)
    return replace(
        risk, group=people.most_exposed(people.certainty(mechanism, axis, knows, rng=np.random.default_rng(_SEED)), axis)
    )


def _sums(risks: Sequence[Risk]) -> dict[str, float]:
    """Of the same attribute in several strata."""
    return {name: sum(getattr(each, name) for each in risks) for name in ("added", "before", "most")}


def _risks(mechanism: Mechanism, people: People, knows: Knows, report: Report) -> list[Risk]:
    return [
        Risk(name, knows, people.number, added := seen.added(SURE), seen.known(SURE), _most(seen, added), not people.known)
        for name, seen in zip(people.schema.names, people.certainties(mechanism, knows, report=report), strict=True)
    ]


def _most(seen: Certainty, added: float) -> float:
    """The number ``added`` itself; from drawn releases the end of an exact interval (Clopper and Pearson 1934)."""
    if not seen.runs:
        return added
    hits = round(seen.runs * added / seen.people)
    return seen.people * (float(scipy.special.betaincinv(hits + 1, seen.runs - hits, 1 - _MISSED)) if hits < seen.runs else 1.0)


@dataclass(frozen=True)
class WithinRisk:
    """Levels that keep the people who can be guessed few.

    Parameters
    ----------
    plan : with these levels
    risk : what it keeps
    beyond : the risk of levels higher by ``NEAR``; None where the highest levels keep it as well
    """

    plan: Plan
    risk: Risk
    beyond: Risk | None

    def differs(self, plan: Plan) -> bool:
        """Whether levels of ``plan``, of the same attributes, are others than these, by more than how closely these were sought."""
        pairs = list(zip(self.plan.levels, plan.levels, strict=True))
        if self.plan.questions is not None and plan.questions is not None:
            pairs.append((self.plan.questions.total, plan.questions.total))
        return any(abs(math.log(mine / other)) > 2 * math.log(NEAR) for mine, other in pairs)


def levels_within_risk(
    plan: Plan, share: float, knows: Knows, *, people: People | None = None, report: Report = quiet
) -> WithinRisk:
    """The plan's levels, all multiplied by one number, under which at most ``share`` of the people can be guessed because of the release.

    Levels higher by the factor ``NEAR`` no longer keep that, unless they are the highest there are. More people may be guessed at lower
    levels than at higher ones, where a rare report begins to be believed; what is found is one of the places where the number is crossed.

    Parameters
    ----------
    share : of all people, above 0 and below 1, for each attribute
    knows : what the observer sees and knows, see ``KNOWS``
    people : with their true answers to the plan's attributes; by default as many as the plan has, of whom nothing is known

    Raises
    ------
    InputError
        Where ``share`` is none, or even the least levels let more people be guessed.

    Examples
    --------
    >>> import rrcore as rr
    >>> table = rr.load_demo("titanic")
    >>> found = levels_within_risk(rr.Plan.for_levels(table, 1.0), 0.05, "others", people=People(table))
    >>> found.risk.share <= 0.05 < found.beyond.share
    True
    """
    base = [plan.questions.total / len(plan.levels)] if plan.questions is not None else plan.levels
    least, most = MIN_LEVEL / min(base), MAX_LEVEL / max(base)
    asked = People(plan.schema, plan.respondents) if people is None else people
    tried: dict[float, WithinRisk] = {}

    def kept(scale: float) -> bool:
        report(min(0.95, len(tried) / _EXPECTED_BUILDS), f"trying levels, {len(tried) + 1}")
        changed = plan.scaled(scale)
        risk = risk_of(changed.build(), asked, knows)
        tried[scale] = WithinRisk(changed, risk, None)
        return risk.share <= share

    low = high = min(1.0, most)
    if kept(high):
        while kept(high := min(high * _STEP, most)):
            if high == most:
                return tried[high]
            low = high
    else:
        while not kept(low := max(low / _STEP, least)):
            if low == least:
                risk = tried[low].risk
                raise InputError(
                    f"Even at the least levels {risk_of_thousand(risk.share)} of 1,000 people can have their answer to “{risk.name}” "
                    "guessed. Allow more, or guard against someone who knows less."
                )
            high = low
    while high / low > NEAR:
        middle = math.sqrt(low * high)
        low, high = (middle, high) if kept(middle) else (low, middle)
    return WithinRisk(tried[low].plan, tried[low].risk, tried[high].risk)


@dataclass(frozen=True)
class SaferLevels:
    """Levels that keep the people who can be guessed few, and what they leave to be read.

    Parameters
    ----------
    within : WithinRisk
    precision : Precision, under these levels
    risk : share of people who can be guessed at the levels that the wanted precision takes; None if it is reached, or no levels reach it
    people : how many people bring the wanted precision at these levels; None if it is reached, or no number does
    """

    within: WithinRisk
    precision: Precision
    risk: float | None = None
    people: int | None = None


def safer_levels(
    plan: Plan,
    share: float,
    knows: Knows,
    axes: tuple[int, ...],
    margin: float,
    *,
    people: People,
    within: tuple[int, ...],
    assumption: Assumption,
    report: Report = quiet,
) -> SaferLevels:
    """``levels_within_risk``, with the precision of the marginal over ``axes`` and what a smaller ``margin`` would take.

    Raises
    ------
    InputError
        As ``levels_within_risk`` does.
    """
    found = levels_within_risk(plan, share, knows, people=people, report=part(report, 0, 2))
    precision = precision_of(found.plan, [axes], within=within, assumption=assumption)
    risk = asked = None
    if precision.margin > margin:
        with suppress(InputError):  # no level is enough
            closer = level_for_precision(plan, [axes], margin, within=within, assumption=assumption, report=part(report, 1, 2))
            risk = risk_of(closer.mechanism, people, knows).share
        with suppress(InputError):  # nor any number of people
            asked = people_for_precision(found.plan, [axes], margin, within=within, assumption=assumption).plan.respondents
    return SaferLevels(found, precision, risk, asked)
