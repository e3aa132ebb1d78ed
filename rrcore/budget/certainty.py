"""How sure an observer is of one answer of each person: a distribution over people, not the average that hides its ends."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from rrcore.arrays import Codes, Floats
from rrcore.budget.posterior import Certainties, CertaintySpread, after_answer, after_knowing, after_record, beliefs_knowing
from rrcore.mechanisms import Mechanism
from rrcore.progress import Report, part, quiet
from rrcore.wording import count_text

Knows = Literal["answer", "record", "others"]

KNOWS: dict[Knows, str] = {
    "answer": "sees this one released answer and knows how many people gave each true answer, but not who",
    "record": "sees the whole released record and knows how many people have each combination of true answers, but not who",
    "others": "sees the whole released record, knows how many people have each combination of true answers, and knows this person's "
    "other true answers",
}
"""What an observer sees and knows, to be read after "someone who"."""

_SEEN: dict[Knows, str] = {
    "answer": "this one released answer; before seeing anything",
    "record": "their released record; before seeing anything",
    "others": "their released record by someone who knows their other answers; before the release",
}

BANDS = (0.5, 0.75, 0.95)
"""Certainties that people are counted at."""


@dataclass(frozen=True, eq=False)
class Certainty:
    """How sure someone is of one attribute of every person, before and after a release, on average over releases.

    Parameters
    ----------
    knows : "answer", "record" or "others", see ``KNOWS``
    people : int
    before, after : how probable the best guess is, over people
    runs : int, number of people whose release was drawn; 0 where every release was summed over
    """

    knows: Knows
    people: int
    before: Certainties
    after: Certainties
    runs: int = 0

    def guessed(self, certainty: float) -> tuple[float, float]:
        """Expected numbers of people who can be guessed with at least this certainty: before anything is released, and after."""
        return self.known(certainty), self.people * self.after.at_least(certainty)

    def known(self, certainty: float) -> float:
        """Expected number of people who can be guessed with at least this certainty before anything is released."""
        return self.people * self.before.at_least(certainty)

    def added(self, certainty: float) -> float:
        """Expected number of people who can be guessed with at least this certainty after the release, and could not before it."""
        return self.people * self.after.new(certainty)

    def error(self, certainty: float) -> float:
        """Standard error of the second number, in people: from drawing releases; 0 where it is exact."""
        share = self.after.at_least(certainty)
        return self.people * math.sqrt(max(share * (1 - share), 1 / self.runs) / self.runs) if self.runs else 0.0

    def bands(self) -> tuple[tuple[float, ...], tuple[float, ...]]:
        """Shares of people below, between and above ``BANDS``, before and after: four numbers each."""
        found = []
        for spread in (self.before, self.after):
            above = [1.0, *map(spread.at_least, BANDS), 0.0]
            found.append(tuple(high - low for high, low in pairwise(above)))
        return found[0], found[1]

    def sentence(self, name: str, certainty: float = 0.95) -> str:
        """How many people can be guessed, before and after.

        Examples
        --------
        >>> flat = CertaintySpread.of([0.6], [1.0])
        >>> print(Certainty("answer", 200, flat, CertaintySpread.of([0.5, 0.96], [0.9, 0.1])).sentence("smokes"))
        Of 200 people, 20 could have their answer to “smokes” guessed with 95 % certainty from this one released answer; before \
seeing anything: 0.
        """
        before, after = self.guessed(certainty)
        about = f"about {rounded_certainty(after, self.error(certainty))}" if self.runs else _people(after)
        return (
            f"Of {count_text(self.people)} people, {about} could have their answer to “{name}” guessed with {100 * certainty:g} % certainty "
            f"from {_SEEN[self.knows]}: {_people(before)}."
        )


def rounded_certainty(people: float, error: float) -> str:
    """A number of people with what it may be off by (95 % of the time), to the digits that this supports.

    Examples
    --------
    >>> rounded_certainty(1787.3, 54.2), rounded_certainty(3.2, 0)
    ('1,790 (± 110)', '3')
    """
    if not error:
        return count_text(round(people))
    step = 10 ** max(0, math.floor(math.log10(2 * error)) - 1)
    return f"{count_text(step * round(people / step))} (± {count_text(step * math.ceil(2 * error / step))})"


def _people(number: float) -> str:
    return "fewer than 1" if 0 < number < 0.5 else count_text(round(number))


def certainty_in_table(
    mechanism: Mechanism,
    codes: Codes,
    axis: int,
    knows: Knows,
    *,
    rng: np.random.Generator,
    report: Report = quiet,
    beliefs: tuple[Floats, Floats] | None = None,
) -> Certainty:
    """How sure someone can be of attribute ``axis`` of the people of a table, who knows how many have which true answers.

    Exact, over every release, where that is possible; else over drawn people, each with one release.

    Parameters
    ----------
    codes : ndarray of shape (n, k), the true answers, codes 0..a_i-1
    rng : for drawing releases
    beliefs : ``beliefs_knowing`` of the attribute, where it is at hand

    Examples
    --------
    Everybody in this table smokes or not like their partner; the two released answers together tell more than one:

    >>> import numpy as np, rrcore as rr
    >>> table = np.array([[0, 0]] * 80 + [[1, 1]] * 20)
    >>> mechanism = rr.build("kronecker", (2, 2), [2, 2])
    >>> rng = np.random.default_rng(0)
    >>> [round(certainty_in_table(mechanism, table, 0, knows, rng=rng).guessed(0.95)[1]) for knows in ("answer", "record", "others")]
    [73, 62, 100]
    """
    if knows == "record":
        return certainties_of_record(mechanism, codes, [axis], rng=rng, report=report)[0]
    n, size = codes.shape[0], mechanism.sizes[axis]
    share = np.bincount(codes[:, axis], minlength=size) / n
    before = CertaintySpread.of([share.max()], [1.0])
    if knows == "answer":
        return Certainty(knows, n, before, after_answer(mechanism, axis, share))
    believed, weights = beliefs_knowing(codes, axis, size) if beliefs is None else beliefs
    before = CertaintySpread.of(believed.max(axis=1), weights)
    return Certainty(knows, n, before, *after_knowing(mechanism, axis, believed, weights, rng=rng))


def certainties_of_record(
    mechanism: Mechanism, codes: Codes, axes: Sequence[int], *, rng: np.random.Generator, report: Report = quiet
) -> list[Certainty]:
    """``certainty_in_table`` of several attributes for someone who knows "record": where releases are drawn, the same ones serve all.

    Examples
    --------
    >>> import numpy as np, rrcore as rr
    >>> table = np.array([[0, 0]] * 80 + [[1, 1]] * 20)
    >>> mechanism = rr.build("kronecker", (2, 2), [2, 2])
    >>> [round(each.guessed(0.95)[1]) for each in certainties_of_record(mechanism, table, (0, 1), rng=np.random.default_rng(0))]
    [62, 62]
    """
    found = after_record(mechanism, codes, axes, rng=rng, report=report)
    shares = [float(np.bincount(codes[:, axis]).max()) / len(codes) for axis in axes]
    return [
        Certainty("record", len(codes), CertaintySpread.of([share], [1.0]), *each)
        for share, each in zip(shares, found, strict=True)
    ]


def certainty_assumed(
    mechanism: Mechanism, axis: int, prior: ArrayLike, people: int, knows: Knows, *, rng: np.random.Generator
) -> Certainty:
    """How sure someone can be of attribute ``axis`` in a population with answers as in ``prior``, all others equally likely and independent.

    Without knowing other true answers the rest of the released record then tells nothing, so that "record" is "answer".

    Examples
    --------
    >>> import numpy as np, rrcore as rr
    >>> mechanism = rr.build("kronecker", (2, 2), [3, 1])
    >>> found = certainty_assumed(mechanism, 0, [0.5, 0.5], 1000, "answer", rng=np.random.default_rng(0))
    >>> found.guessed(0.95)
    (0.0, 1000.0)
    """
    belief = np.asarray(prior, dtype=np.float64)
    before = CertaintySpread.of([belief.max()], [1.0])
    if knows != "others":
        return Certainty(knows, people, before, after_answer(mechanism, axis, belief))
    return Certainty(knows, people, before, *after_knowing(mechanism, axis, belief[None], np.ones(1), rng=rng))


def certainties(
    mechanism: Mechanism,
    axis: int,
    people: Codes | int,
    prior: Floats,
    *,
    rng: np.random.Generator,
    report: Report = quiet,
) -> list[Certainty]:
    """What each observer can guess of one attribute: about the ``people`` of a table, or about so many whose answers have a ``prior``."""
    if isinstance(people, int):
        return [certainty_assumed(mechanism, axis, prior, people, each, rng=rng) for each in ("answer", "others")]
    return [
        certainty_in_table(mechanism, people, axis, each, rng=rng, report=part(report, done, len(KNOWS)))
        for done, each in enumerate(KNOWS)
    ]
