"""People who do not follow the instructions: how many there are, and what is read of the others (theory.md section 29).

A share x of the people answers by a law of their own, whatever is true: random clicking, or always "no" (section 24). A *control item*, of
which everybody's true answer is known, shows x; so do two designs of one question where people always give the same report. Every estimate
is corrected in one place, ``MixedChannel``, and what is not known of x widens its errors in another, ``unsure_spread``.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal, get_args

import numpy as np

from rrcore.arrays import Floats
from rrcore.channel import Channel, MatrixChannel, MixedChannel, StackedChannel
from rrcore.channel.factors import outer
from rrcore.errors import InputError
from rrcore.estimate.estimate import Estimate
from rrcore.estimate.inversion import invert_tally
from rrcore.estimate.sample import Spread, Tally
from rrcore.limits import MAX_NONCOMPLIANCE, MIN_FACTOR
from rrcore.table import Attribute, Schema
from rrcore.wording import Quantity, percent

ClickLaw = Literal["uniform", "first", "last", "no"]
"""What is answered by people who do not follow the instructions: any answer alike, always the first, always the last; or always the first
*report*, whatever the device says, such as the "no" of self-protection."""

CLICK_LAWS: dict[ClickLaw, str] = {
    "uniform": "every answer is clicked alike",
    "first": "always the first answer is clicked",
    "last": "always the last answer is clicked",
    "no": "always the first report is given, whatever the device says",
}

_FOLLOWED, _CLICKED = "followed the instructions", "did not"


@dataclass(frozen=True)
class Clicks:
    """What people answer who do not follow the instructions; answers of one person to different questions are independent.

    Parameters
    ----------
    law : ClickLaw
    own : pairs of an attribute and the probabilities of its categories where the team knows better; not for the law "no"
    by : the attribute whose designs, several of them, tell how many people there are of the law "no"; empty for the control item

    Raises
    ------
    InputError
        For another law, or probabilities that are none.
    """

    law: ClickLaw = "uniform"
    own: tuple[tuple[str, tuple[float, ...]], ...] = ()
    by: str = ""

    def __post_init__(self) -> None:
        if self.law not in get_args(ClickLaw):
            raise InputError(f"There is no law of clicking '{str(self.law)[:40]}': choose among {', '.join(CLICK_LAWS)}.")
        if self.law == "no" and self.own:
            raise InputError("People who always give the first report click nothing: leave out the probabilities of categories.")
        for name, shares in self.own:
            if min(shares, default=-1.0) < 0 or abs(sum(shares) - 1) > 1e-6:
                raise InputError(
                    f"The probabilities of clicks on '{name[:60]}' are {', '.join(f'{share:g}' for share in shares[:12])}: give one of 0 "
                    "or more for each category, which sum to 1."
                )

    @property
    def law_text(self) -> str:
        """For a sentence: "every answer is clicked alike"."""
        own = f", on {', '.join(f'“{name}”' for name, _ in self.own)} as the team says" if self.own else ""
        return CLICK_LAWS[self.law] + own

    def released(self, channel: Channel, names: Sequence[str]) -> Floats:
        """What comes of it by ``channel``, of the attributes ``names``: ndarray of shape ``channel.report_sizes``, summing to 1."""
        if self.law == "no":
            return channel.first_report
        return channel.push(outer([self._clicked(name, size) for name, size in zip(names, channel.sizes, strict=True)]))

    def _clicked(self, name: str, size: int) -> Floats:
        own = dict(self.own)
        if name in own:
            if len(own[name]) != size:
                raise InputError(
                    f"'{name}' has {size} categories, and {len(own[name])} probabilities of clicks are given: give one for each."
                )
            return np.asarray(own[name]) / sum(own[name])
        found = np.full(size, 1 / size) if self.law == "uniform" else np.zeros(size)
        if self.law != "uniform":
            found[0 if self.law == "first" else -1] = 1.0
        return found


@dataclass(frozen=True, eq=False)
class Noncompliance:
    """How many people did not follow the instructions, as one attribute shows. Made by ``read_noncompliance``.

    Parameters
    ----------
    attribute : by which it is read
    clicks : Clicks, what those people answer
    raw : unbiased estimate of their share; may lie below 0
    low, high : ends of its interval, of 95 % as it is made, between 0 and 1, which holds where nobody clicks too
    variance : of ``raw``, against the population, if the share is what it is taken to be
    weights : ndarray of shape (reports,), what a report of the attribute adds to ``raw``
    n : number of people whose answers to it are known
    channel : of the attribute, those people being its last category
    estimate : Estimate of that category, the last, and of the others
    known : the true answers that are known, one for each group of respondents; empty where none is
    """

    attribute: str
    clicks: Clicks
    raw: float
    low: float
    high: float
    variance: float
    weights: Floats = field(repr=False)
    n: int
    channel: Channel = field(repr=False)
    estimate: Estimate = field(repr=False)
    known: tuple[str, ...] = ()

    @property
    def share(self) -> float:
        """What estimates are corrected by: the estimated share, 0 where that is below."""
        return max(self.raw, 0.0)

    def at(self, confidence: float) -> Noncompliance:
        """The same with an interval of that confidence."""
        low, high = _ends(self.estimate, confidence)
        return replace(self, low=low, high=high)

    @property
    def share_text(self) -> str:
        """With its interval: "8.1 % (5.3 to 10.9)"."""
        return Quantity("share", self.attribute, "the population").estimated(self.share, self.low, self.high)

    @property
    def sentence(self) -> str:
        """What it means, and what was taken for granted."""
        how = f"the control item “{self.attribute}”" if self.known else f"the designs of “{self.attribute}”"
        return (
            f"By {how}, {self.share_text} of the people {self.did}. Estimates are of the others, and their intervals are wider because this "
            f"share is an estimate. Taken for granted: {self.clicks.law_text}."
        )

    @property
    def did(self) -> str:
        """What those people did, for a sentence."""
        if self.clicks.law == "no":
            return "always said “no”"
        return "clicked at random" if self.clicks.law == "uniform" and not self.clicks.own else "clicked without reading"

    def to_dict(self) -> dict[str, Any]:
        """For JSON."""
        return {
            "attribute": self.attribute,
            "known_answers": list(self.known),
            "law": self.clicks.law,
            "own_laws": {name: list(shares) for name, shares in self.clicks.own},
            "estimate": self.raw,
            "share": self.share,
            "low": self.low,
            "high": self.high,
            "answers": self.n,
            "sentence": self.sentence,
        }

    def mixed(self, channel: Channel, names: Sequence[str]) -> MixedChannel:
        """``channel`` of the attributes ``names`` with so many people who do not follow the instructions."""
        return MixedChannel(channel, self.share, self.clicks.released(channel, names))


def read_noncompliance(
    tally: Tally, parts: Sequence[tuple[Channel, Sequence[int]]], attribute: Attribute, clicks: Clicks = Clicks()
) -> Noncompliance:
    """The share of people who do not follow the instructions, by one attribute.

    Those people are one more category, which is reported by their law; of the true categories only those that can be have a row. The
    share is that category's, by generalised least squares as of any matrix.

    Parameters
    ----------
    tally : Tally of the released answers to the attribute; of groups of respondents their reports stand one group behind the other
    parts : for each group of respondents the channel of the attribute, and the categories that can be true: one of a control item, all
        where only the designs differ
    attribute : Attribute
    clicks : Clicks

    Raises
    ------
    InputError
        Where such people cannot be told from the others, or are too many for anything to be read of the others.

    Examples
    --------
    Everybody was born, and a tenth click at random:

    >>> import rrcore as rr
    >>> born = rr.Attribute("was born", ("no", "yes"))
    >>> channel = rr.build("kronecker", (2,), [2.0]).marginal_channel((0,))
    >>> released = channel.push(np.array([0.05, 0.95]))
    >>> found = read_noncompliance(Tally(released, 1_000, Spread.simple(released, 1_000)), [(channel, [1])], born)
    >>> found.share_text
    '10 % (4 to 16)'
    """
    rows = [np.eye(attribute.size)[list(possible)] for _, possible in parts]
    laws = [clicks.released(channel, [attribute.name]) for channel, _ in parts]
    known = [np.stack([channel.push(row) for row in own]) for (channel, _), own in zip(parts, rows, strict=True)]
    every = [MatrixChannel(np.vstack([each, law])) for each, law in zip(known, laws, strict=True)]
    ends = np.cumsum([part.report_sizes[0] for part in every])[:-1]
    groups = np.array([block.sum() for block in np.split(tally.released, ends)])
    channel: Channel = every[0] if len(every) == 1 else StackedChannel(tuple(every), groups / groups.sum())
    control = len(parts[0][1]) == 1
    if channel.lost(threshold=MIN_FACTOR):
        raise InputError(_why(attribute, clicks, control, [attribute.categories[own[0]] for _, own in parts]))
    schema = Schema(
        (Attribute(attribute.name, (*map(str, range(len(rows[0]))), _CLICKED) if not control else (_FOLLOWED, _CLICKED)),)
    )
    estimate = invert_tally(tally, channel, schema=schema)
    weights = channel.invert_back(np.eye(len(rows[0]) + 1)[-1])
    raw, (low, high) = float(estimate.shares[-1]), _ends(estimate)
    variance = float(estimate.standard_error(population=True)[-1]) ** 2
    answers = tuple(attribute.categories[own[0]] for _, own in parts) if control else ()
    if raw > MAX_NONCOMPLIANCE:
        raise InputError(
            f"By '{attribute.name}' {percent(raw)} of the people did not follow the instructions: with more than "
            f"{percent(MAX_NONCOMPLIANCE)} nothing is read of the others. Check the answer that is known, or read without correction."
        )
    return Noncompliance(
        attribute.name, clicks, raw, low, high, variance, weights, tally.n, channel, estimate, tuple(dict.fromkeys(answers))
    )


def _ends(estimate: Estimate, confidence: float = 0.95) -> tuple[float, float]:
    """The interval of the last category, between 0 and 1."""
    low, high = (float(np.clip(end[-1], 0, 1)) for end in estimate.interval(confidence, population=True, possible=True))
    return low, high


def _why(attribute: Attribute, clicks: Clicks, control: bool, answers: Sequence[str]) -> str:
    """Why the share cannot be read."""
    law = clicks.law_text
    if control:
        return (
            f"Where {law}, the control item '{attribute.name}', whose answer is '{answers[0]}', looks the same with and without such "
            "people: choose another law, or read without correction."
        )
    return (
        f"The designs of '{attribute.name}' do not tell people who do not follow the instructions from the others where {law}: "
        "ask a control item, or half of the people by another design."
    )


def unsure_spread(
    spread: Spread, released: Floats, mixed: MixedChannel, found: Noncompliance, together: Tally, axis: int | None
) -> Spread:
    """``spread`` of the ``released`` shares of a marginal, with what is not known of the share by which ``mixed`` corrects them.

    The estimate moves with the share x as if the released shares moved by (released - law) / (1 - x); x comes from the same people, so that
    the covariance of both counts too (theory.md section 29).

    Parameters
    ----------
    spread, released, mixed : of the marginal
    found : Noncompliance, of ``mixed``
    together : Tally of the marginal with the attribute of ``found``, as its last axis where ``axis`` is None
    axis : where that attribute is in the marginal itself; None where it is not
    """
    if found.variance <= 0:
        return spread
    moved = (released - mixed.law) / (1 - mixed.share)
    own = together.spread
    places = own.diagonal.ndim
    at = places - 1 if axis is None else axis
    added = found.weights.reshape([-1 if i == at else 1 for i in range(places)])

    def onto(table: Floats) -> Floats:
        """Sums over the attribute of ``found`` where it is not in the marginal."""
        return np.asarray(table.sum(axis=at)) if axis is None else table

    parts = np.tensordot(np.broadcast_to(added, own.diagonal.shape), own.factors, axes=places)
    common = onto(own.diagonal * added) + onto(own.factors) @ (own.signs * parts)
    overlap = (
        together.n**2 * spread.people.sum() / found.n
    )  # n_both^2 / (n_marginal n_attribute): who answered only one counts in one
    root = np.sqrt(found.variance)
    shared = common * min(float(overlap), 1.0) / root
    return replace(spread, further=((root * moved + shared, 1.0), (shared, -1.0)))
