"""Invented tables: the Cramér's V asked for (scipy's is the oracle), Zipf-like margins, chains, refusals."""

import itertools
import re

import numpy as np
import pytest
from scipy.stats.contingency import association

from rrcore.budget import Invention
from rrcore.errors import InputError
from rrcore.simulation.invented import TOLERANCE, make_table


def made(seed=1, **options):
    return make_table(Invention(**{"people": 1000, "attributes": 2, "seed": seed} | options))


def reached(table, names=("A", "B")):
    return association(table.counts(list(names)), method="cramer")


@pytest.mark.parametrize("target", [0.0, 0.25, 0.9, 1.0])
@pytest.mark.parametrize("size", [2, 7, 20])
def test_cramers_v_is_as_asked(size, target):
    for zipf in (0.0, 1.0, 2.5):
        assert abs(reached(made(people=100_000, categories=size, cramers_v=target, zipf=zipf)) - target) <= TOLERANCE


@pytest.mark.parametrize(("people", "size", "zipf"), [(50, 20, 1.7), (1000, 7, 0.0), (1000, 2, 1.0), (99_991, 20, 1.0)])
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
    assert np.count_nonzero(made(cramers_v=1.0).counts(list("AB")) - np.diag(made().counts("A"))) == 0
    table = made(people=100_000, categories=10).counts(list("AB")) / 100_000
    shares = table.sum(axis=1)
    assert np.abs(table - 0.5 * np.diag(shares) - 0.5 * np.outer(shares, shares)).max() < 0.01


def test_attributes_form_a_markov_chain():
    table = made(people=200_000, categories=4, attributes=4, cramers_v=0.6, zipf=0)
    for first, second in itertools.pairwise("ABCD"):
        assert abs(reached(table, (first, second)) - 0.6) <= TOLERANCE
    assert reached(table, "AC") == pytest.approx(0.36, abs=0.02)
    assert reached(table, "AD") == pytest.approx(0.216, abs=0.02)
    for given in table.counts(list("BAC")):
        assert association(given, method="cramer") < 0.02, "five standard errors for 50,000 people in 4 x 4 cells"


@pytest.mark.slow
def test_the_nearest_value_named_can_be_asked_for():
    with pytest.raises(InputError, match=r"nearest possible Cramér's V to 0 is 0\.0\d\d\.") as caught:
        made(categories=20, cramers_v=0.0)
    named = float(re.search(r"is ([\d.]+)\. ", str(caught.value))[1])
    assert abs(reached(made(categories=20, cramers_v=named)) - named) <= TOLERANCE


@pytest.mark.parametrize(
    ("options", "named"),
    [
        ({"attributes": 9}, "from 2 to 8"),
        ({"categories": 1001}, "1001"),
        ({"people": 4}, "cannot fill 5"),
        ({"people": 5_000_001}, "5000001"),
        ({"cramers_v": float("nan")}, "from 0 to 1"),
        ({"zipf": -0.5}, "from 0 to 5"),
    ],
)
def test_numbers_out_of_range_are_refused(options, named):
    with pytest.raises(InputError, match=named):
        made(**options)
