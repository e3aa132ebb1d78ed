"""What designs reveal, exactly: levels by hand, and by the ratios of the reports."""

from fractions import Fraction
from math import comb

import pytest

from rrcore.designs import DESIGNS
from rrcore.promise.certificate import certify
from tests.designs.catalogue import NUMBERS, weights_of

LEVELS = {
    "warner": 3,
    "forced": 5,
    "unrelated": 9,
    "crosswise": 3,
    "triangular": None,
    "mangat": None,
    "mangat-singh": Fraction(173, 27),  # t + (1 - t) p = 0.865
    "devore": None,
    "disguised": 4,
    "kuk": 243,  # 5 red: (0.6 / 0.2)^5
    "christofides": 4,
    "k-ary": 3,
    "matrix": 12,
}


@pytest.mark.parametrize("key", LEVELS)
def test_levels_are_exact(key):
    weights = weights_of(key)
    assert certify([((0,), weights)]).epsilon == (LEVELS[key],)
    rows = weights.matrix(0)
    ratios = [
        high / low if low else None for column in zip(*rows, strict=True) for high, low in [(max(column), min(column))] if high
    ]
    assert LEVELS[key] == (None if None in ratios else max(ratios))


def test_no_design_is_left_out():
    assert set(LEVELS) == set(NUMBERS) == set(DESIGNS)


def test_reports_of_matrices_by_hand():
    """Kuk: binomial. Christofides: the cards, and the cards from the other end. Forced: 1/6 of those without the trait say yes."""
    no, yes = weights_of("kuk").matrix(0)
    assert no == tuple(Fraction(comb(5, i) * 4 ** (5 - i), 5**5) for i in range(6))
    assert yes == tuple(Fraction(comb(5, i) * 3**i * 2 ** (5 - i), 5**5) for i in range(6))
    assert weights_of("christofides").matrix(0) == tuple(
        tuple(Fraction(card, 10) for card in cards) for cards in ((1, 2, 3, 4), (4, 3, 2, 1))
    )
    assert weights_of("forced").matrix(0)[0] == (Fraction(5, 6), Fraction(1, 6))
