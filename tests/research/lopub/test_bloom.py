"""Bloom filters: the paper's numbers, and the level against all bit strings that can be sent."""

import math
from itertools import combinations, product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rrcore.errors import InputError
from rrcore.limits import MAX_FILTER_BITS, MAX_HASHES
from rrcore.research.lopub import best_hashes, best_length, flip_probability, level
from rrcore.research.lopub.bloom import BloomFilter
from rrcore.table.schema import Attribute
from tests.research.lopub.handmade import filter_of, likelihood


def letters(count, name="letter"):
    return Attribute(name, tuple(f"value {number}" for number in range(count)))


def test_half_of_the_bits_and_four_hash_functions():
    assert level(4, 0.5) == pytest.approx(8.7889, abs=5e-5)
    assert level(4, 0.5) == pytest.approx(8 * math.log(3), rel=1e-15)


@given(st.integers(1, MAX_HASHES), st.floats(1e-3, 60))
def test_the_flip_probability_of_a_level_has_that_level(hashes, eps):
    flip = flip_probability(hashes, eps)
    assert 0 < flip < 1
    assert level(hashes, flip) == pytest.approx(eps, rel=1e-9)


@pytest.mark.parametrize("eps", [0.0, -1.0, 4_000.0, math.inf, math.nan])
def test_a_level_that_is_none_is_refused(eps):
    with pytest.raises(InputError, match="give a positive number"):
        flip_probability(4, eps)


def test_no_hash_functions_have_no_flip_probability():
    with pytest.raises(InputError, match="The number of hash functions is 0: give at least 1"):
        flip_probability(0, 2.0)


def test_a_very_large_level_still_has_a_flip_probability():
    assert level(1, flip_probability(1, 999)) == pytest.approx(999, rel=1e-12)


@pytest.mark.parametrize(("rate", "size"), [(0.05, 15), (0.01, 7), (0.5, 3), (0.9, 2)])
def test_length_and_hashes_of_equations_6_and_7(rate, size):
    length, hashes = -math.log(rate) * size / math.log(2) ** 2, -math.log2(rate)
    assert best_length(rate, size) - 1 < length <= best_length(rate, size)
    assert abs(best_hashes(rate) - max(hashes, 1)) <= 0.5


def test_length_and_hashes_in_numbers():
    assert (best_length(0.05, 15), best_hashes(0.05)) == (94, 4)
    assert best_hashes(0.9) == 1


def test_the_promised_false_positive_rate_is_met():
    """m and h for p = 0.05: of 4,000 strange values about 200 are found; 6 sigma and the rounding of h allow 0.025 to 0.075."""
    members, strangers = 200, 4_000
    attribute = Attribute("value", tuple(f"{'in' if i < members else 'out'} {i}" for i in range(1_000)))
    length, hashes = best_length(0.05, members), best_hashes(0.05)
    found = 0
    for run in range(strangers // (1_000 - members)):
        patterns = BloomFilter(attribute, length, hashes, str(run)).patterns
        inserted = patterns[:members].any(axis=0)
        found += int((~(patterns[members:] & ~inserted).any(axis=1)).sum())
    assert 0.025 < found / strangers < 0.075


@pytest.mark.parametrize("rate", [0.0, 1.0, -0.1, math.nan])
def test_a_rate_outside_0_and_1_is_refused(rate):
    with pytest.raises(InputError, match="false-positive rate"):
        best_length(rate, 5)
    with pytest.raises(InputError, match="false-positive rate"):
        best_hashes(rate)


def test_everybody_who_knows_the_key_has_the_same_bit_strings():
    first, again = (BloomFilter(letters(20), 64, 4, "key").patterns for _ in range(2))
    np.testing.assert_array_equal(first, again)
    assert first.shape == (20, 64)
    assert first.dtype == bool


def test_bit_strings_stay_what_they_are():
    """Written down once: a server and respondents with different versions must agree."""
    found = BloomFilter(Attribute("smokes", ("no", "yes")), 16, 3, "study").patterns
    assert [np.flatnonzero(row).tolist() for row in found] == [[1, 3, 14], [6, 8, 9]]


def test_another_key_or_attribute_has_other_bit_strings():
    made = [
        BloomFilter(letters(20), 64, 4, "key"),
        BloomFilter(letters(20), 64, 4, "yek"),
        BloomFilter(letters(20, "other"), 64, 4, "key"),
    ]
    for one, other in combinations(made, 2):
        assert (one.patterns != other.patterns).any(axis=1).all()


@given(st.integers(2, 30), st.integers(1, 40), st.integers(1, 40), st.text(max_size=5))
@settings(max_examples=60)
def test_a_category_sets_one_to_h_bits(count, length, hashes, key):
    hashes = min(hashes, length)
    ones = BloomFilter(letters(count), length, hashes, key).patterns.sum(axis=1)
    assert ones.min() >= 1
    assert ones.max() <= hashes


def test_every_bit_is_as_likely_as_any_other():
    """4,000 single hashes over 40 bits: chi-square with 39 degrees of freedom, its upper 1e-5 point is 92."""
    counts = sum(BloomFilter(letters(400), 40, 1, str(run)).patterns.sum(axis=0) for run in range(10))
    assert float(((counts - 100) ** 2 / 100).sum()) < 92


def test_ten_categories_on_four_bits_collide():
    """One hash function of four positions: at most 4 bit strings, so at least 6 of 10 categories are equal to an earlier one."""
    short = BloomFilter(letters(10), 4, 1)
    seen, late = set(), 0
    for row in short.patterns.tolist():
        late += tuple(row) in seen
        seen.add(tuple(row))
    assert short.collisions == late >= 6
    assert BloomFilter(letters(10), 512, 4).collisions == 0


def test_shared_bits_by_hand():
    assert filter_of("Education", ("0101", "0110", "1100")).shared_bits == 1
    assert filter_of("two", ("1100", "1100", "0011")).shared_bits == 2
    assert filter_of("two", ("1100", "1100", "0011")).collisions == 1


def brute_force_level(patterns, flip):
    """The largest log ratio of the probabilities of one output under two categories, over all outputs and pairs."""
    outputs = list(product((0, 1), repeat=patterns.shape[1]))
    chances = [[likelihood(output, pattern, flip) for output in outputs] for pattern in patterns]
    for row in chances:
        assert sum(row) == pytest.approx(1, abs=1e-12)
    return max(math.log(p / q) for one in chances for other in chances for p, q in zip(one, other, strict=True))


@pytest.mark.parametrize(("length", "hashes"), [(1, 1), (4, 1), (5, 3), (6, 2)])
@pytest.mark.parametrize("flip", [0.1, 0.5, 0.9])
def test_the_exact_level_is_the_worst_of_all_outputs(length, hashes, flip):
    for key in "abcde":
        each = BloomFilter(letters(3), length, hashes, key)
        exact = each.exact_level(flip)
        assert exact == pytest.approx(brute_force_level(each.patterns, flip), abs=1e-10), key
        assert exact <= level(hashes, flip) + 1e-12, key


def test_disjoint_bits_reach_the_published_level():
    """On both sides: 2 h differing bits have the whole level, one shared bit takes two of them away."""
    assert filter_of("apart", ("110000", "001100")).exact_level(0.5) == pytest.approx(level(2, 0.5), rel=1e-12)
    assert filter_of("shared", ("110000", "011000")).exact_level(0.5) == pytest.approx(level(1, 0.5), rel=1e-12)
    assert filter_of("same", ("1100", "1100")).exact_level(0.5) == 0


@pytest.mark.parametrize("length", [0, -1, MAX_FILTER_BITS + 1])
def test_too_short_and_too_long_filters_are_refused(length):
    with pytest.raises(InputError, match=f"The Bloom filter of 'letter' has {length:,} bits: give 1 to {MAX_FILTER_BITS:,}"):
        BloomFilter(letters(3), length, 1)


@pytest.mark.parametrize(("length", "hashes", "most"), [(8, 0, 8), (8, 9, 8), (512, MAX_HASHES + 1, MAX_HASHES)])
def test_a_wrong_number_of_hash_functions_is_refused(length, hashes, most):
    with pytest.raises(InputError, match=f"has {hashes} hash functions: give 1 to {most}"):
        BloomFilter(letters(3), length, hashes)


def test_limits_themselves_are_allowed():
    assert BloomFilter(letters(2), MAX_FILTER_BITS, MAX_HASHES).patterns.sum() > MAX_HASHES
