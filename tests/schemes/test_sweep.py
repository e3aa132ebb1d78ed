"""Sweeps: what is varied is what its name says, and values out of range are refused in a sentence."""

import math

import numpy as np
import pytest
from scipy.stats.contingency import association

from rrcore.budget.project import Invention
from rrcore.errors import InputError
from rrcore.schemes import VARIED, Study, Sweep
from rrcore.table.demo import load_demo

STUDY = Study(("rr-ind-joint", "rr-independent"), (2,), repeats=2, seed=3)
LEVELS = np.array([1.0, 0.5, 2.0, 1.5])
INVENTION = Invention(people=4000, attributes=3, categories=4, cramers_v=0.4)


def people():
    return load_demo("titanic")


def run(sweep, dataset=None, levels=LEVELS, **options):
    return list(sweep.run(dataset, levels, **options))


def plain(outcomes):
    return [(one.release, one.scheme, one.axes, dict(one.errors), one.reason) for release in outcomes for one in release]


# totals that protect little


def test_every_value_with_a_total_of_ln_m_or_more_is_named():
    """Titanic has 32 possible records, ln 32 = 3.47; four attributes at 0.5, 1 and 2 nats cost 2, 4 and 8."""
    sizes = people().schema.sizes
    first, second = Sweep(STUDY, "eps", (0.5, 1.0, 2.0)).warnings(sizes, LEVELS)
    assert first.startswith("At level of every attribute (nats) 1: A total of 4.00 nats is not below 3.47")
    assert "nats) 2: A total of 8.00" in second
    (alone,) = Sweep(STUDY).warnings(sizes, LEVELS)
    assert alone.startswith("A total of 5.00 nats is not below 3.47")
    assert Sweep(STUDY).warnings(sizes, LEVELS / 2) == []


def test_totals_of_invented_tables_are_held_against_their_own_records():
    """Three attributes at 1 nat: 3 nats are above ln 8 for two categories each, below ln 64 for four."""
    (told,) = Sweep(STUDY, "categories", (2, 4), INVENTION).warnings((2,), np.array([9.0]))
    assert "of every attribute 2: A total of 3.00" in told
    assert Sweep(STUDY, "cramers_v", (0.1, 0.9), INVENTION).warnings((2,), np.array([9.0])) == []


# points


def test_people_are_drawn_from_the_table():
    study, table, levels = Sweep(STUDY, "people", (50, 700)).point(700.0, people(), LEVELS)
    assert (study.people, study.repeats, study.schemes) == (700, 2, STUDY.schemes)
    assert study.people_of(table, 0).n == 700
    assert table is people()
    assert levels is LEVELS


def test_a_level_is_that_of_every_attribute():
    study, table, levels = Sweep(STUDY, "eps", (0.5, 2.5)).point(2.5, people(), LEVELS)
    assert (study, table) == (STUDY, people())
    assert levels.tolist() == [2.5] * 4


@pytest.mark.parametrize("value", [2, 7, 12])
def test_categories_are_those_of_every_attribute_and_the_rest_stays(value):
    study, table, levels = Sweep(STUDY, "categories", (value,), INVENTION, 1.7).point(value, None, LEVELS)
    assert study is STUDY
    assert table.schema.sizes == (value,) * 3
    assert table.n == 4000
    assert levels.tolist() == [1.7] * 3
    assert association(table.counts("AB"), method="cramer") == pytest.approx(0.4, abs=0.005)


@pytest.mark.parametrize("value", [0.0, 0.3, 0.85, 1.0])
def test_cramers_v_is_that_of_neighbours(value):
    _, table, levels = Sweep(STUDY, "cramers_v", (value,), INVENTION).point(value, None, LEVELS)
    assert table.schema.sizes == (4, 4, 4)
    for pair in ("AB", "BC"):
        assert association(table.counts(pair), method="cramer") == pytest.approx(value, abs=0.005)
    assert levels.tolist() == [1.0] * 3


def test_the_table_at_hand_is_not_touched_by_invented_ones():
    first = Sweep(STUDY, "cramers_v", (0.3,), INVENTION).point(0.3, people(), LEVELS)[1]
    again = Sweep(STUDY, "cramers_v", (0.3,), INVENTION).point(0.3, None, LEVELS)[1]
    np.testing.assert_array_equal(first.codes, again.codes)


# running


def test_nothing_varied_is_the_study_itself():
    found = run(Sweep(STUDY, values=(1.0, 2.0)), people())
    np.testing.assert_equal(plain(found), plain(STUDY.run(people(), LEVELS)))
    assert len(found) == 2
    assert all(math.isnan(one.value) for release in found for one in release)


def test_every_value_is_a_study_at_its_point():
    sweep = Sweep(STUDY, "eps", (0.5, 4.0))
    found = run(sweep, people())
    assert [{one.value for one in release} for release in found] == [{0.5}, {0.5}, {4.0}, {4.0}]
    for position, value in ((0, 0.5), (2, 4.0)):
        slow = STUDY.run(people(), np.full(4, value))
        np.testing.assert_equal(plain(found[position : position + 2]), plain(slow))


def test_one_value_does_not_change_another():
    both, alone = run(Sweep(STUDY, "people", (80, 300)), people()), run(Sweep(STUDY, "people", (300,)), people())
    np.testing.assert_equal(plain(both[2:]), plain(alone))


def test_more_people_higher_levels_and_less_dependence_are_easier():
    """Mean squared error of inversion falls with people and level; that of independence rises with dependence: by factors of 3 here."""

    def mean(sweep, scheme, dataset=None):
        found = [one for release in run(sweep, dataset) for one in release if one.scheme == scheme]
        return [np.mean([one.errors["mean squared error"] for one in found if one.value == value]) for value in sweep.values]

    few, many = mean(Sweep(STUDY, "people", (200, 5000)), "rr-ind-joint", people())
    low, high = mean(Sweep(STUDY, "eps", (0.5, 3.0)), "rr-ind-joint", people())
    apart, together = mean(Sweep(STUDY, "cramers_v", (0.0, 0.9), INVENTION, 6.0), "rr-independent")
    assert few > 3 * many
    assert low > 3 * high
    assert together > 3 * apart


def test_a_report_says_where_it_is_and_may_stop_the_work():
    said = []

    def stop(fraction, text):
        said.append((fraction, text))
        if text.startswith(VARIED["eps"] + " 2"):
            raise KeyboardInterrupt

    found = []
    with pytest.raises(KeyboardInterrupt):
        found.extend(Sweep(STUDY, "eps", (1.0, 2.0)).run(people(), LEVELS, report=stop))
    assert len(found) == 2
    fractions = [fraction for fraction, _ in said]
    assert fractions == sorted(fractions)
    assert fractions[0] == 0
    assert fractions[-1] == 0.5
    assert said[0][1].startswith("level of every attribute (nats) 1, ")


# refusals


@pytest.mark.parametrize(
    ("varied", "values", "named"),
    [
        ("eps", (), "at least one"),
        ("people", (100, 0), "from 1 to 5,000,000"),
        ("people", (10.5,), "10.5"),
        ("categories", (101,), "from 2 to 100"),
        ("eps", (math.nan,), "nan"),
        ("cramers_v", (1.01,), "from 0 to 1"),
    ],
)
def test_values_out_of_range_are_refused(varied, values, named):
    with pytest.raises(InputError, match=named):
        Sweep(STUDY, varied, values)


def test_a_level_of_invented_tables_out_of_range_is_refused():
    with pytest.raises(InputError, match=r"^Level of 'A' is 31: "):
        run(Sweep(STUDY, "categories", (3,), INVENTION, 31.0))
