"""Invented tables: the Cramér's V asked for (scipy's is the oracle), Zipf-like margins, chains, refusals, ages in bins by sex."""

import itertools
import re

import numpy as np
import pytest
from scipy.stats.contingency import association

from rrcore.errors import InputError
from rrcore.table import Attribute, Schema, as_table, invented_answers, load_demo
from rrcore.table.invented import TOLERANCE, make_table
from rrcore.table.recoding import recode


def made(seed=1, **options):
    return make_table(**{"people": 1000, "categories": 5, "cramers_v": 0.5} | options, rng=np.random.default_rng(seed))


def reached(table, names=("A", "B")):
    return association(table.counts(names), method="cramer")


@pytest.mark.parametrize("target", [0.0, 0.1, 0.25, 0.5, 0.75, 0.9, 1.0])
@pytest.mark.parametrize("size", [2, 3, 7, 10, 20])
def test_cramers_v_is_as_asked(size, target):
    for people, zipf in ((100_000, 0.0), (100_000, 1.0), (100_000, 2.5), *([(1000, 1.0)] if target else [])):
        assert abs(reached(made(people=people, categories=size, cramers_v=target, zipf=zipf)) - target) <= TOLERANCE


@pytest.mark.parametrize(
    ("size", "target"), [(3, 0.1), (3, 0.4), (3, 0.55), (3, 0.65), (5, 0.1), (5, 0.3), (5, 0.7), (10, 0.5), (20, 0.6), (20, 1.0)]
)
def test_swaps_reach_it_with_fifty_people(size, target):
    assert abs(reached(made(people=50, categories=size, cramers_v=target)) - target) <= TOLERANCE


@pytest.mark.parametrize("sizes", [(2, 5), (5, 2), (3, 20), (20, 12), (7, 8)])
@pytest.mark.parametrize("target", [0.05, 0.3, 0.6])
def test_unequal_sizes(sizes, target):
    table = made(people=20_000, categories=sizes, cramers_v=target)
    assert table.schema.sizes == sizes
    assert abs(reached(table) - target) <= TOLERANCE


@pytest.mark.parametrize("people", [2, 9, 10, 13, 50])
def test_of_two_halves_every_table_along_the_diagonal_is_found(people):
    """Two equally frequent categories: the joint count of the first ones determines the table, so all can be listed."""
    first = (people + 1) // 2
    tables = [np.array([[x, first - x], [first - x, people - 2 * first + x]]) for x in range(2 * first - people, first + 1)]
    possible = np.array([association(table, method="cramer") for table in tables])
    along = np.array([np.linalg.det(table) > -0.5 for table in tables])
    for target in np.linspace(0, 1, 41):
        misses = np.abs(possible - target)
        if misses[along].min() <= TOLERANCE - 1e-9:
            assert abs(reached(made(people=people, categories=2, zipf=0, cramers_v=target)) - target) <= TOLERANCE
        elif misses.min() > TOLERANCE + 1e-9:
            with pytest.raises(InputError) as caught:
                made(people=people, categories=2, zipf=0, cramers_v=target)
            named = float(re.search(r"nearest found is ([\d.]+):", str(caught.value))[1])
            assert np.abs(possible - named).min() < 6e-4
            assert abs(named - target) <= misses[along].min() + 6e-4


@pytest.mark.parametrize("people", [50, 1000, 99_991])
@pytest.mark.parametrize("size", [2, 7, 20])
@pytest.mark.parametrize("zipf", [0.0, 1.0, 1.7])
def test_margins_are_zipf_shares_in_whole_people(people, size, zipf):
    """Oracle: the shares written out one by one, the people left over going to the largest remainders."""
    weights = [1 / a**zipf for a in range(2, size + 2)]
    quotas = [people * weight / sum(weights) for weight in weights]
    wanted = [int(quota) for quota in quotas]
    for i in sorted(range(size), key=lambda i: wanted[i] - quotas[i])[: people - sum(wanted)]:
        wanted[i] += 1
    for i in range(size):
        if wanted[i] == 0:
            wanted[wanted.index(max(wanted))] -= 1
            wanted[i] = 1
    table = made(people=people, categories=size, zipf=zipf, cramers_v=1.0, attributes=3)
    for name in "ABC":
        assert table.counts([name]).tolist() == wanted


def test_strong_dependence_lies_on_the_diagonal():
    assert np.count_nonzero(made(cramers_v=1.0).counts("AB") - np.diag(made().counts("A"))) == 0
    table = made(people=100_000, categories=10).counts("AB") / 100_000
    shares = table.sum(axis=1)
    assert np.abs(table - 0.5 * np.diag(shares) - 0.5 * np.outer(shares, shares)).max() < 0.01


def test_every_attribute_depends_on_the_one_before_and_on_others_only_through_it():
    table = made(people=200_000, categories=4, attributes=4, cramers_v=0.6, zipf=0)
    for first, second in itertools.pairwise("ABCD"):
        assert abs(reached(table, (first, second)) - 0.6) <= TOLERANCE
    assert reached(table, "AC") == pytest.approx(0.36, abs=0.02)
    assert reached(table, "AD") == pytest.approx(0.216, abs=0.02)
    for given in table.counts("BAC"):
        assert association(given, method="cramer") < 0.02, "five standard errors for 50,000 people in 4 x 4 cells"


def test_the_order_of_people_says_nothing():
    codes = made(people=100_000, cramers_v=0.7).codes
    halves = np.repeat([0, 1], 50_000)
    for column in codes.T:
        assert association(np.histogram2d(halves, column, bins=(2, 5))[0].astype(int), method="cramer") < 0.02


def test_the_seed_decides_who_and_nothing_else():
    first, again, other = made(seed=3), made(seed=3), made(seed=4)
    assert np.array_equal(first.codes, again.codes)
    assert not np.array_equal(first.codes, other.codes)
    assert np.array_equal(first.counts("AB"), other.counts("AB"))


def test_names_and_title():
    table = made(categories=(2, 3, 2), attributes=3, cramers_v=0.25)
    assert table.title == "Invented table (V = 0.25)"
    assert [(a.name, a.categories, a.kind) for a in table.schema.attributes] == [
        ("A", ("a1", "a2"), "ordinal"),
        ("B", ("b1", "b2", "b3"), "ordinal"),
        ("C", ("c1", "c2"), "ordinal"),
    ]


@pytest.mark.slow
def test_the_nearest_value_named_can_be_asked_for():
    with pytest.raises(InputError, match=r"nearest found is 0\.0\d\d: ask for that, or for more people or fewer cat") as caught:
        made(categories=20, cramers_v=0.0)
    named = float(re.search(r"found is ([\d.]+):", str(caught.value))[1])
    assert abs(reached(made(categories=20, cramers_v=named)) - named) <= TOLERANCE


@pytest.mark.parametrize(
    ("options", "named"),
    [
        ({"attributes": 9}, "from 2 to 8"),
        ({"categories": (2, 3, 4)}, "3 numbers of categories for 2"),
        ({"categories": (5, 1001)}, "1,001"),
        ({"people": 4}, "at least 5 people"),
        ({"people": 5_000_001}, "5,000,000"),
        ({"cramers_v": float("nan")}, "from 0 to 1"),
        ({"zipf": -0.5}, "from 0 to 5"),
        ({"people": 10_000, "categories": (2, 5), "zipf": 0.0, "cramers_v": 1.0}, "0.894"),
    ],
)
def test_numbers_out_of_range_are_refused(options, named):
    with pytest.raises(InputError, match=named):
        made(**options)


def test_every_answer_is_possible_and_all_attributes_go_together():
    schema = Schema(tuple(Attribute(f"q{i}", tuple(f"a{j}" for j in range(2 + i % 4))) for i in range(6)))
    table = invented_answers(schema, 20_000, rng=np.random.default_rng(1))
    assert (table.schema, table.n, table.title) == (schema, 20_000, "Invented answers")
    for i, size in enumerate(schema.sizes):
        assert set(table.codes[:, i]) == set(range(size))
    # pairs share the hidden number with probability .16, so correlations are about that; 20,000 people tell it from 0 at 10 sd
    correlations = np.corrcoef(table.codes.T)[np.triu_indices(6, 1)]
    assert correlations.min() > 0.07


def test_the_same_seed_draws_the_same_people_and_the_schema_survives_as_a_table():
    schema = load_demo("titanic").schema
    one, other = (invented_answers(schema, 5, rng=np.random.default_rng(3)) for _ in range(2))
    assert (one.codes == other.codes).all()
    assert recode(*as_table(one)).schema == schema  # answers that nobody gave are kept


@pytest.mark.parametrize("people", [0, 10**10])
def test_too_few_and_too_many_are_one_sentence(people):
    with pytest.raises(InputError, match="people are asked for: give a number from 1 to 5,000,000"):
        invented_answers(load_demo("titanic").schema, people, rng=np.random.default_rng(0))
