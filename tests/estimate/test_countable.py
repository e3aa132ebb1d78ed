"""A release that is only its counts says what the release with all its records says."""

import itertools

import numpy as np
import pytest

import rrcore as rr
from rrcore.errors import InputError, NotIdentifiableError
from rrcore.estimate import CountedRelease
from rrcore.estimate.countable import Countable
from rrcore.table import Counts
from rrcore.table.scanning import count

TITANIC = rr.load_demo("titanic")


@pytest.mark.parametrize("name", ["kronecker", "pair-safe", "optimal", "joint"])
def test_estimates_are_those_of_the_records(name):
    mechanism = rr.build(name, TITANIC.schema.sizes, [2.0] * 4)
    records = rr.perturb(TITANIC, mechanism, rng=np.random.default_rng(1))
    only = CountedRelease(count(records.dataset, list(itertools.combinations(TITANIC.schema.names, 2))), mechanism)
    assert isinstance(only, Countable)
    assert isinstance(records, Countable)
    assert (only.n, only.schema, only.reports) == (records.n, records.schema, records.reports)
    for names in itertools.chain.from_iterable(itertools.permutations(TITANIC.schema.names, w) for w in (1, 2)):
        np.testing.assert_array_equal(only.counts(names), records.counts(names))
        np.testing.assert_array_equal(only.released(names), records.released(names))
        try:
            whole = records.estimate(names)
        except NotIdentifiableError as error:
            with pytest.raises(NotIdentifiableError, match=str(error)[:30]):
                only.estimate(names)
            continue
        estimate = only.estimate(names)
        np.testing.assert_array_equal(estimate.shares, whole.shares)
        np.testing.assert_array_equal(estimate.interval(0.95, population=True), whole.interval(0.95, population=True))


def test_a_marginal_that_was_not_counted_is_refused():
    mechanism = rr.build("kronecker", TITANIC.schema.sizes, [2.0] * 4)
    only = CountedRelease(count(TITANIC, [("Sex",)]), mechanism)
    with pytest.raises(InputError, match="Sex, Age was not counted together"):
        only.estimate(["Sex", "Age"])
    with pytest.raises(InputError, match="None of the records can be used"):
        CountedRelease(Counts(TITANIC.schema, 0, {}), mechanism)


def test_counts_that_later_estimates_rest_on_are_not_written_over():
    records = rr.perturb(TITANIC, rr.build("kronecker", TITANIC.schema.sizes, [2.0] * 4), rng=np.random.default_rng(2))
    counts = records.counts(["Sex"])
    with pytest.raises(ValueError, match="read-only"):
        counts[0] = 0
    assert records.counts(["Sex"]).sum() == TITANIC.n


@pytest.mark.parametrize("sizes", [(2, 2), (4, 2, 2, 2, 2), (2, 4, 2, 2)])
def test_a_mechanism_for_other_attributes_is_refused_though_one_has_as_many_categories(sizes):
    mechanism = rr.build("kronecker", sizes, [1.0] * len(sizes))
    counted = CountedRelease(count(TITANIC, [("Class",), ("Sex",)]), mechanism)
    for release in (rr.Release(TITANIC, mechanism), counted):
        with pytest.raises(
            InputError, match=r"^The mechanism is for other numbers of attributes or categories than the release has: "
        ):
            [release.estimate([name]) for name in ("Sex", "Class")]
