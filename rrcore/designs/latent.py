"""Designs whose people are of more classes than one answer shows: two groups, two answers, people who say no whatever they are told."""

from collections.abc import Sequence
from fractions import Fraction

from rrcore.designs.catalogue import forced_response, one_sided, warner
from rrcore.designs.design import NO_YES, LatentDesign, Numbers
from rrcore.designs.exact import DesignChannel, DesignQuantity
from rrcore.designs.rational import Row
from rrcore.errors import InputError

_GROUPS = ("group 1", "group 2")
_ONE, _ZERO = Fraction(1), Fraction(0)
_ALWAYS_NO = "says no whatever the instructions"
_SPLIT = "People are split at random into two groups"


def _said(yes: Fraction) -> Row:
    return (1 - yes, yes)


def _indicator(*chosen: int, of: int) -> Row:
    return tuple(Fraction(int(c in chosen)) for c in range(of))


def _two_groups(
    classes: Sequence[tuple[str, int | None]], yes: Sequence[Sequence[Fraction]], quantities: Sequence[DesignQuantity]
) -> DesignChannel:
    """A channel from each class's name and truth, and from the probability of yes by group and class."""
    rows = tuple(tuple(_said(chance) for chance in group) for group in yes)
    names, truths = zip(*classes, strict=True)
    return DesignChannel(tuple(names), tuple(truths), NO_YES, rows, tuple(quantities), _GROUPS)


def warner_groups(p: Numbers) -> DesignChannel:
    """Warner's design in two groups: one share seen twice, so that the reports can contradict the design."""
    have = DesignQuantity("have the trait", _indicator(1, of=2))
    return _two_groups([("no", 0), ("yes", 1)], [(1 - one, one) for one in p], [have])


def unrelated_groups(p: Numbers) -> DesignChannel:
    """P(yes | group g) = p_g pi + (1 - p_g) u, with both shares unknown (Greenberg et al. 1969)."""
    classes = [("no to both", 0), ("yes to the unrelated only", 0), ("yes to the sensitive only", 1), ("yes to both", 1)]
    yes = [(_ZERO, 1 - one, one, _ONE) for one in p]
    quantities = [
        DesignQuantity("have the trait", _indicator(2, 3, of=4)),
        DesignQuantity("yes to the unrelated question", _indicator(1, 3, of=4)),
    ]
    return _two_groups(classes, yes, quantities)


def lie_detector(p: Numbers) -> DesignChannel:
    """P(yes | group g) = pi t + (1 - pi)(1 - p_g) (Moshagen, Musch and Erdfelder 2012)."""
    classes = [("no", 0), ("yes", 1), ("yes, and says no", None)]
    yes = [(1 - one, _ONE, _ZERO) for one in p]
    have = _indicator(1, 2, of=3)
    quantities = [
        DesignQuantity("have the trait", have),
        DesignQuantity("admit it, of those who have it", _indicator(1, of=3), have),
    ]
    return _two_groups(classes, yes, quantities)


def cheating_detection(p: Numbers) -> DesignChannel:
    """P(yes | group g) = pi + beta p_g; the rest says no whatever the instructions (Clark and Desharnais 1998)."""
    return _cheaters([(one, _ZERO) for one in p])


def symmetric_cheating_detection(p: Numbers) -> DesignChannel:
    """P(yes | group g) = pi (1 - no_g) + beta yes_g (Ostapczuk, Moshagen, Zhao and Musch 2009)."""
    for yes, no in (p[:2], p[2:]):
        if yes + no >= 1:
            raise InputError(f"Forced yes {yes} and forced no {no} leave no truthful answer: make them sum to less than 1.")
    return _cheaters([(p[0], p[1]), (p[2], p[3])])


def _cheaters(forced: Sequence[tuple[Fraction, Fraction]]) -> DesignChannel:
    classes = [("no", 0), ("yes", 1), (_ALWAYS_NO, None)]
    quantities = [
        DesignQuantity("have the trait and follow the instructions", _indicator(1, of=3)),
        DesignQuantity("do not have it and follow the instructions", _indicator(0, of=3)),
        DesignQuantity("say no whatever the instructions", _indicator(2, of=3)),
    ]
    return _two_groups(classes, [(yes, 1 - no, _ZERO) for yes, no in forced], quantities)


def unrelated_twice(p: Numbers) -> DesignChannel:
    """Two independent draws by each person: the chance of yes in draw i is p_i with the sensitive trait only, 1 - p_i with the other only."""
    classes = ("no to both", "yes to the unrelated only", "yes to the sensitive only", "yes to both")
    rows = _twice([(_ZERO, _ZERO), (1 - p[0], 1 - p[1]), (p[0], p[1]), (_ONE, _ONE)])
    quantities = (
        DesignQuantity("have the trait", _indicator(2, 3, of=4)),
        DesignQuantity("yes to the unrelated question", _indicator(1, 3, of=4)),
    )
    return DesignChannel(classes, (0, 0, 1, 1), _TWICE, (rows,), quantities)


def one_sided_twice(p: Numbers) -> DesignChannel:
    """Two independent draws by each person, where people with the trait say yes at once."""
    if p[0] == p[1]:
        raise InputError("Both boxes have the same cards: give them different shares, so that the two draws tell more than one.")
    rows = _twice([(_ZERO, _ZERO), (1 - p[0], 1 - p[1]), (_ONE, _ONE)])
    scores = tuple(((1 - p[1]) * first - (1 - p[0]) * second) / (p[0] - p[1]) for first in (0, 1) for second in (0, 1))
    have = DesignQuantity("have the trait", _indicator(2, of=3), scores=(scores,))
    return DesignChannel(("no to both", "yes to the unrelated only", "yes"), (0, 0, 1), _TWICE, (rows,), (have,))


_TWICE = ("no, no", "no, yes", "yes, no", "yes, yes")


def _twice(yes: Sequence[tuple[Fraction, Fraction]]) -> tuple[Row, ...]:
    return tuple(tuple(a * b for a in _said(first) for b in _said(second)) for first, second in yes)


LATENT_DESIGNS: dict[str, LatentDesign] = {
    "warner-groups": LatentDesign(
        title="Two-group Warner",
        parameters="probability of the direct statement in group 1 and in group 2",
        example="3/4, 1/4",
        count=2,
        channel=warner_groups,
        files=lambda p: tuple(warner(one) for one in p),
        typical=lambda s: (1 - s, s),
        source="Warner (1965) in two groups; Heck, Hoffmann and Moshagen (2018), Detecting nonadherence without loss in "
        "efficiency: a simple extension of the crosswise model, Behavior Research Methods 50, 1895-1905",
        formula="in each group share = (true - 1 + p) / (2p - 1); both weighted for least variance where half of all people have the trait",
        story=f"{_SPLIT} that use Warner's (or the crosswise) design with different probabilities; both must give the same "
        "share.",
        costs="No less precise than one group where the two probabilities add up to 1; it also shows whether people followed "
        "the instructions.",
    ),
    "unrelated-groups": LatentDesign(
        title="Unrelated question, unknown share",
        parameters="probability of the sensitive question in group 1 and in group 2",
        example="7/10, 3/10",
        count=2,
        channel=unrelated_groups,
        typical=lambda s: ((1 - s) / 2, (1 - s) / 2, s / 2, s / 2),
        assumes="half of all people answer the harmless question with yes",
        source="Greenberg, Abul-Ela, Simmons and Horvitz (1969), The unrelated question randomized response model, JASA 64, "
        "520-539",
        formula="share = ((1 - p2) yes1 - (1 - p1) yes2) / (p1 - p2)",
        story=f"{_SPLIT}; in both a card asks the sensitive or a harmless question, the sensitive one more often in the first "
        "group.",
        costs="The share of yes to the harmless question need not be known; that about doubles the error.",
    ),
    "unrelated-twice": LatentDesign(
        title="Unrelated question, two draws",
        parameters="probability of the sensitive question in the first and in the second draw",
        example="3/5, 4/5",
        count=2,
        channel=unrelated_twice,
        typical=lambda s: ((1 - s) / 2, (1 - s) / 2, s / 2, s / 2),
        assumes="half of all people answer the harmless question with yes",
        source="Chaudhuri (2011), Randomized response and indirect questioning techniques in surveys; Horvitz and others (1967)",
        formula="share = mean of ((1 - p2) I - (1 - p1) J) / (p1 - p2)",
        story="Each person draws twice, from two boxes in which the sensitive and a harmless question have different shares, "
        "and answers both times.",
        costs="Both shares come from the same people; two different answers show that the two true answers differ.",
    ),
    "mangat-singh-singh-twice": LatentDesign(
        title="Mangat, Singh and Singh, two draws",
        parameters="share of 'say no' cards in the first and in the second box",
        example="3/5, 4/5",
        count=2,
        channel=one_sided_twice,
        typical=lambda s: ((1 - s) / 2, (1 - s) / 2, s),
        assumes="half of all people answer the harmless question with yes",
        source="Mangat, Singh and Singh (1992), Calcutta Statistical Association Bulletin 42, 277-281; unknown share: Chaudhuri "
        "(2011), p. 54",
        formula="share = mean of ((1 - p2) I - (1 - p1) J) / (p1 - p2)",
        story="People with the trait say yes twice; others draw from two boxes a card that says 'say no' or asks a harmless "
        "question.",
        costs="More precise than two draws for everybody, but any no is proof that the person does not have the trait.",
    ),
    "lie-detector": LatentDesign(
        title="Stochastic lie detector",
        parameters="probability, for people without the trait, of the direct statement in group 1 and in group 2",
        example="4/5, 2/5",
        count=2,
        channel=lie_detector,
        files=lambda p: tuple(one_sided(1 - one) for one in p),
        typical=lambda s: (1 - s, 0.8 * s, 0.2 * s),
        assumes="one in five people with the trait denies it",
        source="Moshagen, Musch and Erdfelder (2012), A stochastic lie detector, Behavior Research Methods 44, 222-231",
        formula="share = 1 + (yes2 - yes1) / (p2 - p1); honest = (yes2 (1 - p1) - yes1 (1 - p2)) / (yes2 - yes1 + p2 - p1)",
        story=f"{_SPLIT} that use Mangat's design with different probabilities; how many people with the trait deny it is "
        "estimated too.",
        costs="Assumes that only people with the trait lie, and that they deny it equally often in both groups.",
    ),
    "cheating": LatentDesign(
        title="Cheating detection",
        parameters="forced yes in group 1 and in group 2",
        example="1/4, 3/4",
        count=2,
        channel=cheating_detection,
        files=lambda p: tuple(one_sided(one) for one in p),
        typical=lambda s: (0.9 * (1 - s), 0.9 * s, 0.1),
        assumes="one in ten people says no whatever the instructions",
        source="Clark and Desharnais (1998), Honest answers to embarrassing questions: detecting cheating in the randomized "
        "response model, Psychological Methods 3, 160-168",
        formula="have it = (p2 yes1 - p1 yes2) / (p2 - p1); do not = (yes2 - yes1) / (p2 - p1); the rest says no always",
        story=f"{_SPLIT} that are forced to say yes with different probabilities; how many people say no whatever they are told "
        "is estimated too.",
        costs="People who always say no may have the trait or not, so the share lies between the first quantity and its sum "
        "with the third.",
    ),
    "cheating-symmetric": LatentDesign(
        title="Cheating detection, symmetric",
        parameters="forced yes and forced no in group 1, forced yes and forced no in group 2",
        example="1/8, 1/8, 1/2, 1/8",
        count=4,
        channel=symmetric_cheating_detection,
        files=lambda p: tuple(forced_response(1 - yes - no, yes, no) for yes, no in (p[:2], p[2:])),
        typical=lambda s: (0.9 * (1 - s), 0.9 * s, 0.1),
        assumes="one in ten people says no whatever the instructions",
        source="Ostapczuk, Moshagen, Zhao and Musch (2009), Assessing sensitive attributes using the randomized response "
        "technique: evidence for the importance of response symmetry, Journal of Educational and Behavioral Statistics 34, "
        "267-287",
        formula="with f forced yes and g forced no: have it = (f2 yes1 - f1 yes2) / (f2 (1 - g1) - f1 (1 - g2))",
        story=f"{_SPLIT} with forced response, so that a no is never proof either; how many people say no whatever they are "
        "told is estimated too.",
        costs="A bound holds for people who follow the instructions; who always says no is protected by nothing but not being "
        "known.",
    ),
}
"""Key on pages and on the command line -> design of several latent classes."""
