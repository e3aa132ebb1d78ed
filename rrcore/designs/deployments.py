"""Levels that others chose: published deployments of differential privacy and designs of surveys, beside a steward's own.

Numbers are those of the sources named with them, as they were read there; levels of surveys follow from the design's probabilities. What a
source does not say is not here. Levels of different units of protection are not the same promise: a level per day adds up over days, and
a central one protects against readers of what is published, not against whoever holds the answers.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from rrcore.designs.catalogue import DESIGNS
from rrcore.errors import InputError
from rrcore.estimate import expected_error, margin
from rrcore.estimate.uncertainty import check_people
from rrcore.mechanisms import build

Model = Literal["local", "central"]
"""Local: randomised before it leaves the person. Central: a trusted curator holds true answers and adds noise to what is published."""

_LIST = "Desfontaines, A list of real-world uses of differential privacy, desfontain.es/blog/real-world-differential-privacy.html"
_TOP = 17.0  # nats: odds of 24 million to 1


@dataclass(frozen=True)
class Deployment:
    """A level that somebody chose.

    Parameters
    ----------
    who, what : the organisation or authors, and what is collected or published
    model : Model
    unit : what is protected: one answer, all that a person does in a day, ...
    level : float, nats; infinite where a report can prove an answer
    source : where the number stands
    note : what else belongs to the number, such as a delta; empty where nothing
    """

    who: str
    what: str
    model: Model
    unit: str
    level: float
    source: str
    note: str = ""


def _survey(who: str, what: str, design: str, numbers: str, source: str) -> Deployment:
    """A survey, whose level follows from the probabilities of its design."""
    level = DESIGNS[design].asked(numbers)[0].level
    how = f"{DESIGNS[design].title}: {numbers}"
    return Deployment(who, what, "local", "one answer", math.inf if level is None else math.log(level), source, how)


DEPLOYMENTS: tuple[Deployment, ...] = (
    Deployment("Apple", "Health types in use", "local", "person and day", 2.0, _LIST),
    Deployment("Apple", "Emoji suggestions", "local", "person and day", 4.0, _LIST),
    Deployment("Apple", "Safari: draining and crashing domains", "local", "person and day", 8.0, _LIST),
    Deployment("Apple", "Lookup hints", "local", "person and day", 8.0, _LIST),
    Deployment("Apple", "QuickType: new words", "local", "person and day", 16.0, _LIST),
    _survey(
        "Google",
        "RAPPOR's first step, one bit",
        "forced",
        "1/2, 1/4, 1/4",
        "Erlingsson, Pihur and Korolova (2014), RAPPOR, ACM CCS; arxiv.org/abs/1407.6981, with f = 1/2",
    ),
    Deployment(
        "Google",
        "COVID-19 search trends symptoms",
        "central",
        "person and day",
        1.68,
        "Bavadekar and others (2020), arxiv.org/abs/2009.01265",
    ),
    Deployment(
        "Google",
        "COVID-19 vaccination search insights",
        "central",
        "person and day",
        2.19,
        "Bavadekar and others (2021), arxiv.org/abs/2107.01179",
        "delta 0.00001",
    ),
    Deployment(
        "Wikimedia",
        "Page views by country",
        "central",
        "first 10 pages of a device and day",
        1.0,
        "analytics.wikimedia.org/published/datasets/country_project_page/00_README.html",
        "rho 0.015, roughly this level with delta 0.0000001",
    ),
    Deployment(
        "U.S. Census Bureau",
        "2020 redistricting data, persons",
        "central",
        "person",
        17.14,
        "Second-hand; settings: github.com/uscensusbureau/DAS_2020_Redistricting_Production_Code",
        "as reported for a small delta; the settings themselves are given as a scale of 339/542",
    ),
    _survey(
        "Blair, Imai and Zhou",
        "Ties to armed groups, Nigeria",
        "forced",
        "2/3, 1/6, 1/6",
        "Blair, Imai and Zhou (2015), JASA 110, 1304-1319: a die, 1 for no and 6 for yes",
    ),
    _survey(
        "Linden and Weiss",
        "Personal history, students",
        "warner",
        "5/6",
        "Linden and Weiss, An empirical assessment of the random response method, davidjweiss.com/Psy504/Random_Response.htm",
    ),
    _survey(
        "Textbook coin",
        "Heads: the truth; tails: say yes",
        "forced",
        "1/2, 1/2, 0",
        "en.wikipedia.org/wiki/Randomized_response: who says no tells the truth",
    ),
)
"""Published levels, in no order of merit."""


@dataclass(frozen=True)
class LevelRow:
    """One level beside others, with what it means for a question with two answers.

    Parameters
    ----------
    deployment : Deployment
    guesses : float, of 100 answers how many the best guesser gets right at most, both being as likely before
    error : float, half of the 95 % interval of a share with so many people at this level, a share; NaN where nobody randomises answers
    own : bool, whether it is the steward's
    """

    deployment: Deployment
    guesses: float
    error: float
    own: bool = False


def compared_levels(own: Mapping[str, float], people: int, *, total: float | None = None) -> tuple[LevelRow, ...]:
    """A steward's levels, and published ones, for a question with two answers that so many people answer.

    The best guess about an answer of two that are as likely is right with probability e^level / (1 + e^level) at most:
    odds of 1 to 1 become e^level to 1, which is what a level says;
    the error is that of a share of one half with randomized response at that level, of the population.

    Parameters
    ----------
    own : attribute -> level in nats, each above 0
    people : int, how many answer
    total : what the whole record gives away, in nats; left out where None

    Raises
    ------
    InputError
        For a level that is not above 0.

    Examples
    --------
    >>> rows = compared_levels({"smokes": 1.0}, 1_000)
    >>> rows[0].own, round(rows[0].guesses, 1), round(100 * rows[0].error, 1)
    (True, 73.1, 6.7)
    >>> [row.deployment.what for row in rows if row.deployment.level == 2.0]
    ['Health types in use']
    """
    mine = [Deployment("You", name, "local", "one answer", level, "your plan") for name, level in own.items()]
    if total is not None:
        mine.append(Deployment("You", "the whole record", "local", "one record", total, "your plan"))
    for each in mine:
        if not 0 < each.level < math.inf:
            raise InputError(f"The level of '{each.what}' is {each.level:g}: give a positive number, for example 1.")
    check_people(people)
    rows = [(each, True) for each in mine] + [(each, False) for each in DEPLOYMENTS]
    return tuple(LevelRow(each, 100 / (1 + math.exp(-each.level)), _error(each, people), ours) for each, ours in rows)


def _error(deployment: Deployment, people: int) -> float:
    """NaN for a central model, for a record, and where there is no level that a mechanism could be built for."""
    if deployment.model == "central" or deployment.unit == "one record" or not deployment.level < _TOP:
        return math.nan
    channel = build("kronecker", (2,), (deployment.level,)).marginal_channel((0,))
    return float(margin(expected_error(channel, people, population=True)))
