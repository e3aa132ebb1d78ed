"""Levels that others chose: published deployments of differential privacy and designs of surveys, beside a steward's own.

Numbers are those of the sources named with them in ``published.json``; levels of surveys follow from the design's probabilities. What a
source does not say is not here. Levels of different units of protection are not the same promise: a level per day adds up over days, and
a central one protects against readers of what is published, not against whoever holds the answers.
"""

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from rrcore.errors import InputError
from rrcore.estimate import expected_error, margin
from rrcore.mechanisms import build

Model = Literal["local", "central"]
"""Local: randomised before it leaves the person. Central: a trusted curator holds true answers and adds noise to what is published."""

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


def published() -> tuple[Deployment, ...]:
    """Return the published levels, in no order of merit."""
    rows = json.loads((Path(__file__).parent / "published.json").read_text(encoding="utf-8"))
    return tuple(Deployment(**(row | {"level": math.inf if row["level"] is None else row["level"]})) for row in rows)


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
    rows = [(each, True) for each in mine] + [(each, False) for each in published()]
    return tuple(LevelRow(each, 100 / (1 + math.exp(-each.level)), _error(each, people), ours) for each, ours in rows)


def _error(deployment: Deployment, people: int) -> float:
    """NaN for a central model, for a record, and where there is no level that a mechanism could be built for."""
    if deployment.model == "central" or deployment.unit == "one record" or not deployment.level < _TOP:
        return math.nan
    channel = build("kronecker", (2,), (deployment.level,)).marginal_channel((0,))
    return float(margin(expected_error(channel, people, population=True)))
