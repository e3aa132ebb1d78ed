"""Randomising inside a form of ODK, KoboToolbox or Enketo: integer draws of ``BITS`` bits as formulas, and what they really promise.

A draw is two whole numbers of ``HALF`` bits each, since forms keep values as text and write large numbers in powers of ten, which they
cannot read back. ``random()`` has 52 random bits or more, so each half is uniform if ``random()`` is. Weights become bounds below 2^BITS,
each off by half a unit at most.
"""

from collections.abc import Sequence
from fractions import Fraction
from itertools import accumulate, pairwise

from rrcore.errors import InputError
from rrcore.limits import MAX_FORM_SETS, MAX_GROWTH
from rrcore.promise.certificate import Ratio, certified_nats
from rrcore.promise.mechanism_file import MechanismFile
from rrcore.promise.weights import LieWeights, MatrixWeights, Weights

HALF = 22
"""Bits of each of the two whole numbers that make a draw."""

BITS = 2 * HALF
"""Bits of a draw. Times a number of categories it stays below 2^53, up to which forms calculate exactly."""

HALF_DRAW = f"once(int(random() * {1 << HALF}))"
"""The formula of one of the two numbers: it is drawn once, however often the form calculates."""

MOST_CATEGORIES = 1 << (53 - BITS)


def bounds(weights: Sequence[int]) -> list[int]:
    """Where each choice but the first begins among 0..2^BITS - 1, for choices in proportion to ``weights``."""
    whole = sum(weights)
    return [round(Fraction(end << BITS, whole)) for end in accumulate(weights[:-1])]


def draw(name: str) -> str:
    """The formula of a draw whose halves are called ``name``a and ``name``b."""
    return f"${{{name}a}} * {1 << HALF} + ${{{name}b}}"


def chosen(name: str, weights: Sequence[int]) -> str:
    """The formula of a position, 0 for the first, drawn in proportion to ``weights``: how many bounds the draw has reached."""
    return " + ".join(f"number({draw(name)} >= {bound})" for bound in bounds(weights)) or "0"


def below(name: str, limit: int) -> str:
    """The formula of a whole number in 0..limit-1, each equally likely to within 2^-BITS."""
    return f"int(({draw(name)}) * {limit} div {1 << BITS})" if limit > 1 else "0"


def position(name: str, choices: Sequence[str]) -> str:
    """The formula of which of ``choices`` the answer called ``name`` is."""
    return " + ".join(f"{code} * number(${{{name}}} = '{choice}')" for code, choice in enumerate(choices) if code)


def listed(choices: Sequence[str], which: str) -> str:
    """The formula of the choice at the position that the formula ``which`` gives."""
    return f"selected-at('{' '.join(choices)}', {which})"


def drawn_weights(weights: Weights) -> Weights:
    """The weights that the bounds amount to: whole numbers that sum to 2^BITS."""
    if weights.rows is not None:
        return MatrixWeights(tuple(tuple(_parts(row)) for row in weights.rows))
    assert isinstance(weights, LieWeights)
    *lies, uniform = _parts([*(weight for _, weight in weights.lies), weights.uniform])
    named = zip((name for name, _ in weights.lies), lies, strict=True)
    return LieWeights(weights.sizes, uniform, tuple((name, weight) for name, weight in named if weight))


def _parts(weights: Sequence[int]) -> list[int]:
    ends = [0, *bounds(weights), 1 << BITS]
    return [end - start for start, end in pairwise(ends)]


def check_drawable(mechanism: MechanismFile) -> None:
    """Refuse a mechanism that a form cannot draw.

    Raises
    ------
    InputError
        With the reason: lies by counts, too many lie sets or categories, or probabilities so small that the bounds would promise less.
    """
    for places, weights in mechanism.groups:
        name = mechanism.schema.names[places[0]]
        if weights.rows is None and not (isinstance(weights, LieWeights) and len(weights.lies) <= MAX_FORM_SETS):
            raise InputError(
                f"{len(places)} questions, '{name}' among them, are randomised together, which takes more lie sets than the {MAX_FORM_SETS} "
                "that a form of ODK or Kobo can draw: choose Kronecker, or hand out the respondents' form."
            )
    for attribute in mechanism.schema.attributes:
        if attribute.size > MOST_CATEGORIES:
            raise InputError(
                f"'{attribute.name}' has {attribute.size:,} categories, and a form of ODK or Kobo draws among {MOST_CATEGORIES}: merge some."
            )
    groups = tuple((places, drawn_weights(weights)) for places, weights in mechanism.groups)
    drawn = MechanismFile(mechanism.schema, groups, reports=mechanism.reports)
    before, after = mechanism.certificate, drawn.certificate
    pairs = [*zip(before.levels, after.levels, strict=True), (before.total, after.total)]
    if any(_grows(promised, kept) for promised, kept in pairs):
        raise InputError(
            f"Some probabilities of this mechanism are too small for a form of ODK or Kobo, which draws with {BITS} bits: it would exceed "
            f"a level by more than {MAX_GROWTH:g} nats. Give smaller levels, or hand out the respondents' form."
        )


def _grows(promised: Ratio, kept: Ratio) -> bool:
    if promised is None:
        return False
    return kept is None or float(certified_nats(kept)) > float(certified_nats(promised)) + MAX_GROWTH
