"""The nearest design that a device can do, exactly: who says what when which number comes up, its level and its cost in precision."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cache
from itertools import pairwise

from rrcore.asking.paper.devices import Device
from rrcore.designs.design import design_rows, matrix_design
from rrcore.errors import InputError
from rrcore.estimate import expected_error
from rrcore.limits import MAX_CARDS
from rrcore.promise.certificate import Ratio
from rrcore.promise.mechanism_file import MechanismFile
from rrcore.promise.weights import Weights

_DEGREES = 360
"""Equal parts of a spinner whose probabilities have too many digits to be drawn exactly."""

Steps = tuple[tuple[int, ...], ...]
"""For each thing that can be said, which outcomes of the device say so: positions in its ``outcomes``."""


@dataclass(frozen=True)
class PaperQuestion:
    """One question as a device randomises it.

    Parameters
    ----------
    name : str, the attribute
    device : Device; of a spinner with the sectors that this question needs
    truth : tuple of int, the outcomes at which the true answer is given; empty where ``said`` depends on the true answer
    said : tuple of Steps, the outcomes at which each report is given: one Steps for all true answers, or one for each of them
    weights : Weights, exactly what the device does
    wanted : Weights, what was asked for
    cost : float, variance of an estimated share over that of the wanted design, for equal shares; infinite where nothing can be estimated
    """

    name: str
    device: Device
    truth: tuple[int, ...]
    said: tuple[Steps, ...]
    weights: Weights
    wanted: Weights
    cost: float

    @property
    def exact(self) -> bool:
        """Whether the device does exactly what was asked for."""
        return design_rows(self.weights) == design_rows(self.wanted)


@dataclass(frozen=True)
class PaperSurvey:
    """A survey on paper: the file that its answers are read with, and its questions in the file's order."""

    mechanism: MechanismFile
    questions: tuple[PaperQuestion, ...]

    @property
    def levels(self) -> tuple[Ratio, ...]:
        """The most by which odds about each answer can move."""
        return self.mechanism.certificate.levels

    @property
    def level(self) -> Ratio:
        """The largest of ``levels``; None where one has no bound."""
        bounded = [level for level in self.levels if level is not None]
        return max(bounded) if len(bounded) == len(self.levels) else None

    @property
    def exact(self) -> bool:
        """Whether every question is randomised exactly as was asked for."""
        return all(question.exact for question in self.questions)

    @property
    def cost(self) -> float:
        """The largest cost in precision of a question: how many times as many people it needs."""
        return max(question.cost for question in self.questions)

    def beyond(self, planned: MechanismFile) -> tuple[str, ...]:
        """The attributes about whose answers odds can move further than was ``planned``."""
        names, made, wanted = planned.schema.names, self.levels, planned.certificate.levels
        far = [math.inf if level is None else level for level in made]
        return tuple(name for name, own, limit in zip(names, far, wanted, strict=True) if limit is not None and own > limit)


def nearest(mechanism: MechanismFile, device: Device | Mapping[str, Device]) -> PaperSurvey:
    """The design nearest to ``mechanism`` that ``device`` can do, for every question on its own.

    A design that tells the truth with some probability and else gives a fixed answer, whatever is true, is done in this way: each fixed
    answer gets the nearest whole number of chances, rounded up in the middle and at least 1, and the truth the rest; where nothing would
    be left for it, the answers that were rounded up most get one less. With two answers no entry could be nearer. Any other design has
    one such list for each true answer, in which the likeliest report gets the rest. A spinner does every design exactly that needs no more
    than ``MAX_CARDS`` equal parts, and any other one in whole degrees.

    Parameters
    ----------
    mechanism : MechanismFile whose questions are randomised independently of each other
    device : Device for all questions, or attribute -> Device for each of them

    Raises
    ------
    InputError
        For questions that are randomised together, for a device that is too coarse, and for a question without a device.

    Examples
    --------
    >>> from rrcore.answers import nigeria
    >>> from rrcore.asking.paper import nearest, read_device
    >>> survey = nearest(nigeria().mechanism, read_device("die"))
    >>> [question] = survey.questions
    >>> question.exact, question.truth, question.said  # 1 says no, 6 says yes, else the truth
    (True, (1, 2, 3, 4), (((0,), (5,)),))
    >>> nearest(nigeria().mechanism, read_device("coins-2")).levels
    (Fraction(3, 1),)
    """
    devices = _each_device(mechanism, device)
    groups, questions = [], []
    for places, wanted in mechanism.groups:
        name = mechanism.schema.names[places[0]]
        device = devices[name]
        if len(places) > 1:
            others = ", ".join(f"'{mechanism.schema.names[place]}'" for place in places[1:4])
            raise InputError(
                f"'{name}' is randomised together with {others}, which nobody can do with {device.title}: choose Kronecker for a survey on "
                "paper, where each answer is randomised by itself."
            )
        question = _question(name, wanted, device)
        groups.append((places, wanted if question.exact else question.weights))
        questions.append((places[0], question))
    made = mechanism
    if not all(question.exact for _, question in questions):
        made = MechanismFile(mechanism.schema, tuple(groups), mechanism.made_by, mechanism.note, reports=mechanism.reports)
    return PaperSurvey(made, tuple(question for _, question in sorted(questions, key=lambda pair: pair[0])))


def _each_device(mechanism: MechanismFile, device: Device | Mapping[str, Device]) -> Mapping[str, Device]:
    """Attribute -> device."""
    names = mechanism.schema.names
    if isinstance(device, Device):
        return dict.fromkeys(names, device)
    if wrong := set(names) ^ set(device):
        raise InputError(
            f"'{min(wrong)[:60]}' has no device, or is no question of the mechanism file: name one device for each question."
        )
    return device


def exact_cards(mechanism: MechanismFile) -> int | None:
    """The least number of numbered cards that do every question exactly; None where that is more than ``MAX_CARDS``, or lies are coupled.

    Examples
    --------
    >>> from rrcore.answers import nigeria
    >>> from rrcore.asking.paper import exact_cards
    >>> exact_cards(nigeria().mechanism)
    6
    """
    if any(len(places) > 1 for places, _ in mechanism.groups):
        return None
    shares = [share for _, weights in mechanism.groups for parts in _parts(design_rows(weights)) for share in parts]
    number = math.lcm(*(share.denominator for share in shares))
    return number if 2 <= number <= MAX_CARDS else None


def _parts(rows: Sequence[Sequence[Fraction]]) -> list[list[Fraction]]:
    """What a device is shared out among, the part that takes the rest last: one list for all true answers, or one for each."""
    forced = _forced(rows)
    return [[*forced, 1 - sum(forced, Fraction(0))]] if forced else [[row[y] for y in _order(row)] for row in rows]


def _question(name: str, wanted: Weights, device: Device) -> PaperQuestion:
    rows = design_rows(wanted)
    forced = _forced(rows)
    lists = _parts(rows)
    whole = device.whole or math.lcm(*(share.denominator for shares in lists for share in shares))
    if whole > MAX_CARDS and not device.whole:
        whole = _DEGREES
    counts = [_counts(shares, whole, name, device) for shares in lists]
    if not device.whole:
        device = _spinner(device, counts)
    steps = [_shared(tuple(parts), device, name) for parts in counts]
    width = len(rows[0])
    truth: tuple[int, ...] = ()
    said: tuple[Steps, ...]
    if forced:
        own = [[Fraction(counts[0][y] + (x == y) * counts[0][-1], whole) for y in range(width)] for x in range(width)]
        truth, said = steps[0][-1], (steps[0][:-1],)
    else:
        places = [_order(row) for row in rows]
        own = [
            [Fraction(parts[order.index(y)], whole) for y in range(width)] for parts, order in zip(counts, places, strict=True)
        ]
        said = tuple(tuple(step[order.index(y)] for y in range(width)) for step, order in zip(steps, places, strict=True))
    try:
        weights = matrix_design(own)
    except InputError:
        raise InputError(
            f"With {device.title} every true answer to '{name}' would be reported in the same way: choose another device, for example 20 "
            "numbered cards or a spinner."
        ) from None
    return PaperQuestion(name, device, truth, said, weights, wanted, _cost(weights, wanted))


def _forced(rows: Sequence[Sequence[Fraction]]) -> list[Fraction]:
    """The probabilities of the fixed answers, where a design tells the truth or gives one of them; empty for any other design."""
    if len(rows) != len(rows[0]):
        return []
    fixed = [rows[1 if y == 0 else 0][y] for y in range(len(rows))]
    kept = 1 - sum(fixed, Fraction(0))
    same = all(row[y] == fixed[y] + (x == y) * kept for x, row in enumerate(rows) for y in range(len(rows)))
    return fixed if same and kept > 0 else []


def _order(row: Sequence[Fraction]) -> list[int]:
    """The reports of a row, the likeliest one last."""
    likeliest = max(range(len(row)), key=lambda y: row[y])
    return [y for y in range(len(row)) if y != likeliest] + [likeliest]


def _counts(shares: Sequence[Fraction], whole: int, name: str, device: Device) -> list[int]:
    """Chances of each of ``shares``: the nearest whole numbers, at least 1 where a share is positive, the last one taking the rest."""
    found = [max(1, math.floor(share * whole + Fraction(1, 2))) if share else 0 for share in shares[:-1]]
    while sum(found) >= whole and any(count > 1 for count in found):
        over = {share: count - share * whole for share, count in zip(shares, found, strict=False) if count > 1}
        most = max(over, key=over.__getitem__)
        found = [count - (share == most) for share, count in zip(shares, found, strict=False)]  # equal shares stay equal
    left = whole - sum(found)
    if left < 1:
        needed = sum(share > 0 for share in shares)
        raise InputError(
            f"There are {whole} equally likely chances with {device.title}, too few for the {needed} things that can be said to '{name}': "
            "choose another device, for example 20 numbered cards or a spinner."
        )
    return [*found, left]


def _spinner(device: Device, counts: Sequence[Sequence[int]]) -> Device:
    """The spinner with numbered sectors that end where a part of any list ends, the parts in the order of ``_turned``."""
    ends = {0}
    for parts in counts:
        at = 0
        for place in _turned(len(parts)):
            at += parts[place]
            ends.add(at)
    edges = sorted(ends)
    sizes = tuple(end - start for start, end in pairwise(edges))
    return replace(device, outcomes=tuple((str(number),) for number in range(1, len(sizes) + 1)), chances=sizes)


def _turned(parts: int) -> list[int]:
    """The order in which parts take the outcomes: the first of them the lowest, then the rest (the last part), then the others."""
    return [0, parts - 1, *range(1, parts - 1)] if parts > 1 else [0]


def _shared(counts: tuple[int, ...], device: Device, name: str) -> Steps:
    """Outcomes for each part, so that their chances sum to its count, in as few runs of neighbours as possible."""
    turned, chances = _turned(len(counts)), device.chances

    @cache
    def best(outcome: int, left: tuple[int, ...], last: int) -> tuple[int, tuple[int, ...]] | None:
        """Fewest changes from ``outcome`` on, and the parts chosen."""
        if outcome == len(chances):
            return (0, ())
        found = None
        for part in [last, *(p for p in turned if p != last)] if last >= 0 else turned:
            if left[part] < chances[outcome]:
                continue
            rest = best(outcome + 1, (*left[:part], left[part] - chances[outcome], *left[part + 1 :]), part)
            if rest is not None and (found is None or rest[0] + (part != last) < found[0]):
                found = (rest[0] + (part != last), (part, *rest[1]))
        return found

    if len(set(chances)) == 1:
        taken = [part for part in turned for _ in range(counts[part])]
    else:
        chosen = best(0, counts, -1)
        if chosen is None:
            raise InputError(
                f"What {device.title} add up to cannot be shared out for '{name}': choose another device, for example 20 numbered cards."
            )
        taken = list(chosen[1])
    return tuple(tuple(outcome for outcome, part in enumerate(taken) if part == own) for own in range(len(counts)))


def _cost(weights: Weights, wanted: Weights) -> float:
    channel, before = weights.channel([0]), wanted.channel([0])
    if channel.lost() or before.lost():
        return math.inf
    return float((expected_error(channel, 1, population=True) / expected_error(before, 1, population=True)) ** 2)
