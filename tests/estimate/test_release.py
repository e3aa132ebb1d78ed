"""A release that is only its counts says what the release with all its records says."""

import itertools

import numpy as np
import pytest

import rrcore as rr
from rrcore.budget import build
from rrcore.errors import InputError, NotIdentifiableError
from rrcore.estimate import Release
from rrcore.table import Counts
from rrcore.table.scanning import count

TITANIC = rr.load_demo("titanic")


@pytest.mark.parametrize("name", ["independent", "preserving-2", "optimal", "joint"])
def test_estimates_are_those_of_the_records(name):
    mechanism = build(name, TITANIC.schema.sizes, [2.0] * 4)
    records = rr.simulate(TITANIC, mechanism, rng=np.random.default_rng(1))
    only = Release(count(records.dataset, list(itertools.combinations(TITANIC.schema.names, 2))), mechanism)
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
    mechanism = build("independent", TITANIC.schema.sizes, [2.0] * 4)
    only = Release(count(TITANIC, [("Sex",)]), mechanism)
    with pytest.raises(InputError, match="Sex, Age"):
        only.estimate(["Sex", "Age"])
    with pytest.raises(InputError, match="None of the records can be used"):
        Release(Counts(TITANIC.schema, 0, {}), mechanism)


def test_counts_that_later_estimates_rest_on_are_not_written_over():
    records = rr.simulate(TITANIC, build("independent", TITANIC.schema.sizes, [2.0] * 4), rng=np.random.default_rng(2))
    counts = records.counts(["Sex"])
    with pytest.raises(ValueError, match="read-only"):
        counts[0] = 0
    assert records.counts(["Sex"]).sum() == TITANIC.n


@pytest.mark.parametrize("sizes", [(2, 2), (4, 2, 2, 2, 2), (2, 4, 2, 2)])
def test_a_mechanism_for_other_attributes_is_refused_though_one_has_as_many_categories(sizes):
    mechanism = build("independent", sizes, [1.0] * len(sizes))
    counted = Release(count(TITANIC, [("Class",), ("Sex",)]), mechanism)
    for release in (rr.Release(TITANIC, mechanism), counted):
        with pytest.raises(InputError, match="different numbers of attributes"):
            [release.estimate([name]) for name in ("Sex", "Class")]


def test_shares_within_a_group_are_rows_of_the_joint_distribution():
    release = rr.simulate(TITANIC, build("independent", TITANIC.schema.sizes, [2.0] * 4), rng=np.random.default_rng(3))
    found = release.estimate("Survived", within={"Sex": "Female", "Age": "Adult"})
    joint = release.estimate(["Survived", "Sex", "Age"]).shares
    sex, age = (
        TITANIC.schema.select([name]).attributes[0].categories.index(own) for name, own in (("Sex", "Female"), ("Age", "Adult"))
    )
    np.testing.assert_allclose(found.estimate, joint[:, sex, age] / joint[:, sex, age].sum())
    assert (found.conf_low < found.estimate).all()
    with pytest.raises(InputError, match="'Sex' has no category 'x'"):
        release.estimate("Survived", within={"Sex": "x"})
