"""Rounded edges: from a public scale, by where most people are, and the same whatever the extremes are."""

import math
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rrcore.limits import FEW_PEOPLE
from rrcore.table.recoding import interval_names, rounded_edges

RNG = np.random.default_rng(0)


def edges(numbers):
    return rounded_edges(*np.unique(np.asarray(numbers, float), return_counts=True))


@pytest.mark.parametrize(
    ("numbers", "expected"),
    [
        (np.round(np.exp(RNG.normal(7.79, 0.78, 1000))), (1000, 2000, 5000)),  # amounts of credit: many small, few large
        (RNG.integers(18, 91, 1000), (40, 60, 80)),  # ages
        (RNG.integers(1930, 2006, 1000), (1940, 1960, 1980)),  # years
        (RNG.normal(0, 100, 1000), (-100, 0, 100)),
        (-10 * np.arange(1, 90), (-600, -400, -200)),  # debts
        ([0] * 600 + [700, 900, 1500, 2600, 8000] * 80, (100, 200, 500, 1000, 2000)),  # most have none
        ([0] * 950 + [700, 900, 1500, 2600, 8000] * 10, (1,)),
        ([0] * 999 + [5_000_000], (1,)),  # one person's number is never shown
        ([7] * 500, (10,)),
        ([-7] * 500, (-5,)),
        ([0, 1], (1,)),
        (RNG.random(1000), (0.2, 0.4, 0.6, 0.8)),
        ([1, 1, 2, 3, 4, 5, 7, 9, 12, 16, 23, 60] * 9, (2, 5, 10, 20)),
        (RNG.poisson(3, 1000), (2, 3, 4, 5)),  # whole numbers have whole edges
        ([1e308] * 5 + [-1e308] * 5, None),
        ([1e308], None),
        ([-5e-324, 0, 5e-324], None),
        (1e16 + 2 * np.arange(40), None),
        (1e14 + np.arange(40), None),
        (np.arange(13), None),
    ],
)
def test_edges_are_rounded_and_few(numbers, expected):
    found = edges(numbers)
    assert expected is None or found == expected
    assert 1 <= len(found) <= 6
    assert all(math.isfinite(edge) for edge in found)
    assert list(found) == sorted(set(found))


@settings(max_examples=60)
@given(
    st.lists(st.integers(-(10**6), 10**6) | st.floats(-1e9, 1e9).map(lambda number: round(number, 3)), min_size=1, max_size=60),
    st.randoms(use_true_random=False),
)
def test_an_edge_is_of_the_scale_and_no_function_of_the_extremes(numbers, random):
    found = edges(numbers)
    even = len({round(b - a, 9) for a, b in pairwise(found)}) == 1
    steps = {b - a for a, b in pairwise(found)} if even else {abs(edge) for edge in found} - {0.0}
    for step in steps if len(found) > 1 else ():  # a single edge may be any number of steps from 0
        digits = f"{step:.9e}".partition("e")[0].rstrip("0.")
        assert digits in {"1", "2", "5"}, (found, step)
    people = sorted(numbers)
    few = min(max(math.ceil(len(people) / 10), FEW_PEOPLE), (len(people) - 1) // 2)
    if len(people) > 2 * FEW_PEOPLE and people[few] != people[-1 - few]:
        whole = all(float(n).is_integer() for n in people)
        low, high = people[few], people[-1 - few]
        beyond = [random.randint(0, 10**7) if whole else random.uniform(0, 1e7) for _ in range(few)]
        moved = [math.floor(low) - b for b in beyond] + people[few : len(people) - few] + [math.ceil(high) + b for b in beyond]
        if whole:
            assert edges(moved) == found


def test_what_intervals_are_called():
    assert interval_names((1000, 18000)) == ("below 1,000", "1,000 to below 18,000", "18,000 and more")
    assert interval_names((1960, 1980)) == ("below 1960", "1960 to below 1980", "1980 and more")
    assert interval_names((1000, 2000)) == ("below 1,000", "1,000 to below 2,000", "2,000 and more")
    assert interval_names((-0.5, -0.0, 0.25)) == ("below -0.5", "-0.5 to below 0", "0 to below 0.25", "0.25 and more")
    assert interval_names((1234567.5,)) == ("below 1,234,567.5", "1,234,567.5 and more")
