"""Counts: of complete and incomplete records, added, and summed out of wider ones."""

import itertools
import pickle

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import rrcore as rr
from rrcore.errors import InputError
from rrcore.table import Attribute, Schema, scanning
from rrcore.table.scanning import Tally, count, sample

TITANIC = rr.load_demo("titanic")
SCHEMA = Schema((Attribute("a", ("x", "y")), Attribute("b", ("p", "q", "r")), Attribute("c", ("0", "1"))))
EVERY = [names for w in (1, 2, 3) for names in itertools.combinations(SCHEMA.names, w)]
records = st.lists(st.tuples(st.integers(-2, 1), st.integers(-1, 2), st.integers(-1, 1)), max_size=30)


def counted(*batches, marginals=EVERY):
    tally = Tally(SCHEMA, marginals)
    for rows in batches:
        tally.add(np.array(rows, dtype=np.int8).reshape(-1, 3))
    return tally.counts()


@settings(max_examples=30)
@given(records, records, st.sampled_from([4, 6, 1 << 18]))
def test_batches_and_sums_of_counts_are_what_counting_one_by_one_gives(one, two, most):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(scanning.cover, "__kwdefaults__", {"most": most})
        found = [counted(one) + counted(two), counted(one, two), counted(one + two)]
    usable = [row for row in one + two if min(row) >= -1 and max(row) >= 0]
    for each in found:
        assert (each.n, each.left_out) == (len(usable), len(one + two) - len(usable))
        assert each.incomplete == sum(min(row) < 0 for row in usable)
        for names in EVERY:
            axes = SCHEMA.axes(names)
            expected = np.zeros(SCHEMA.select(names).sizes, dtype=np.int64)
            for row in usable:
                if all(row[i] >= 0 for i in axes):
                    expected[tuple(row[i] for i in axes)] += 1
            np.testing.assert_array_equal(each.of(names), expected)
            np.testing.assert_array_equal(each.of(names[::-1]), expected.T)


def test_a_marginal_is_summed_out_of_a_wider_one_only_where_nothing_is_missing():
    whole = count(TITANIC, [("Class", "Sex", "Survived"), ("Age", "Sex")])
    for names in (["Survived", "Class"], ["Sex"], ["Sex", "Survived", "Class"]):
        np.testing.assert_array_equal(whole.of(names), TITANIC.counts(names))
    with pytest.raises(InputError, match="Age, Class"):
        whole.of(["Age", "Class"])
    with pytest.raises(InputError, match="no count of a"):
        counted([(0, -1, 0)], marginals=[("a", "b")]).of(["a"])  # the person without b has an a
    with pytest.raises(InputError, match="There is no attribute 'z'"):
        whole.of(["z"])


def test_counts_of_other_marginals_are_not_added():
    with pytest.raises(InputError, match="joint distributions"):
        _ = counted([(0, 0, 0)]) + counted([(0, 0, 0)], marginals=[("a",)])


def test_counts_are_picklable_and_cannot_be_changed():
    found = pickle.loads(pickle.dumps(counted([(0, 0, 0)])))
    assert found.of(["a"]).tolist() == [1, 0]
    with pytest.raises(ValueError, match="read-only"):
        counted([(0, 0, 0)]).tables["a",][0] = 5


def test_a_sample_has_every_record_with_the_same_probability():
    """Of 40 records 10 are drawn 2,000 times: 500 each with standard deviation 19.4. Six of these fail once in 10 million runs."""
    schema = Schema((Attribute("id", tuple(map(str, range(40)))),))
    people, rng, times = rr.Dataset(schema, np.arange(40)[:, None]), np.random.default_rng(1), np.zeros(40, np.int64)
    for _ in range(2000):
        drawn = sample(people, 10, of=40, rng=rng).codes.ravel()
        assert (np.diff(drawn) > 0).all()
        times[drawn] += 1
    assert (np.abs(times - 500) < 6 * 19.4).all()
    np.testing.assert_array_equal(sample(people, 50, of=40, rng=rng).codes, people.codes)
