"""Bloom filters: the paper's numbers, and the level against all bit strings that can be sent."""

import math
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rrcore.errors import InputError
from rrcore.limits import MAX_HASHES
from rrcore.papers.lopub import flip_probability, level
from rrcore.papers.lopub.reports import BloomFilter
from rrcore.table.schema import Attribute
from tests.papers.lopub.handmade import filter_of, likelihood


def letters(count, name="letter"):
    return Attribute(name, tuple(f"value {number}" for number in range(count)))


@given(st.integers(1, MAX_HASHES), st.floats(1e-3, 60))
def test_the_flip_probability_of_a_level_has_that_level(hashes, eps):
    flip = flip_probability(hashes, eps)
    assert 0 < flip < 1
    assert level(hashes, flip) == pytest.approx(eps, rel=1e-9)


@pytest.mark.parametrize("eps", [0.0, -1.0, 4_000.0, math.inf, math.nan])
def test_a_level_that_is_none_is_refused(eps):
    with pytest.raises(InputError, match="positive number"):
        flip_probability(4, eps)


def test_everybody_who_knows_the_key_has_the_same_bit_strings():
    first, again = (BloomFilter(letters(20), 64, 4, "key").patterns for _ in range(2))
    np.testing.assert_array_equal(first, again)
    assert first.shape == (20, 64)
    assert first.dtype == bool


def test_bit_strings_stay_what_they_are():
    """Written down once: a server and respondents with different versions must agree."""
    found = BloomFilter(Attribute("smokes", ("no", "yes")), 16, 3, "study").patterns
    assert [np.flatnonzero(row).tolist() for row in found] == [[1, 3, 14], [6, 8, 9]]


@given(st.integers(2, 9), st.integers(1, 40), st.integers(1, 9), st.sampled_from(["", "key", "é"]))
@settings(max_examples=30)
def test_a_category_sets_one_to_h_bits(count, length, hashes, key):
    hashes = min(hashes, length)
    ones = BloomFilter(letters(count), length, hashes, key).patterns.sum(axis=1)
    assert ones.min() >= 1
    assert ones.max() <= hashes


def test_ten_categories_on_four_bits_collide():
    """One hash function of four positions: at most 4 bit strings, so at least 6 of 10 categories are equal to an earlier one."""
    short = BloomFilter(letters(10), 4, 1)
    seen, late = set(), 0
    for row in short.patterns.tolist():
        late += tuple(row) in seen
        seen.add(tuple(row))
    assert short.collisions == late >= 6
    assert BloomFilter(letters(10), 512, 4).collisions == 0


def brute_force_level(patterns, flip):
    """The largest log ratio of the probabilities of one output under two categories, over all outputs and pairs."""
    outputs = list(product((0, 1), repeat=patterns.shape[1]))
    chances = [[likelihood(output, pattern, flip) for output in outputs] for pattern in patterns]
    for row in chances:
        assert sum(row) == pytest.approx(1, abs=1e-12)
    return max(math.log(p / q) for one in chances for other in chances for p, q in zip(one, other, strict=True))


@pytest.mark.parametrize(("length", "hashes"), [(1, 1), (4, 1), (5, 3), (6, 2)])
@pytest.mark.parametrize("flip", [0.1, 0.5, 0.9])
def test_the_published_epsilon_bounds_every_output(length, hashes, flip):
    for key in "abcde":
        assert brute_force_level(BloomFilter(letters(3), length, hashes, key).patterns, flip) <= level(hashes, flip) + 1e-12, key


def test_the_published_epsilon_is_reached_by_disjoint_bits():
    found = brute_force_level(filter_of("apart", ("110000", "001100")).patterns, 0.5)
    assert found == pytest.approx(level(2, 0.5), rel=1e-12) == 4 * math.log(3)


@pytest.mark.parametrize(("length", "hashes", "most"), [(8, 0, 8), (8, 9, 8), (512, MAX_HASHES + 1, MAX_HASHES)])
def test_a_wrong_number_of_hash_functions_is_refused(length, hashes, most):
    with pytest.raises(InputError, match=f"has {hashes} hash functions. .* 1 to {most}"):
        BloomFilter(letters(3), length, hashes)
