"""The cells of a marginal as a table, and as texts: an attribute that is called like a column keeps its answers."""

import numpy as np
import pytest

from rrcore.estimate import cell_table, estimate_table, invert_counts, written_cell_column, written_cells
from rrcore.mechanisms import Kronecker
from rrcore.table import Attribute, Schema

SCHEMA = Schema((Attribute("EM", ("no", "yes")), Attribute("b", ("p", "q", "r"))))
ESTIMATE = invert_counts(
    np.array([[300, 200, 100], [150, 50, 200]]), Kronecker.from_epsilon((2, 3), (1.0, 2.0)).channel((0, 1)), schema=SCHEMA
)


def test_further_columns_stand_last_and_take_no_answers_place():
    also = {"EM": np.arange(6.0).reshape(2, 3)}
    table = estimate_table(ESTIMATE, also=also, projections=False)
    assert list(table) == ["EM (answer)", "b", "randomized", "estimate", "std_error", "conf_low", "conf_high", "EM"]
    assert table["EM (answer)"] == ["no"] * 3 + ["yes"] * 3
    assert table["EM"] == [0, 1, 2, 3, 4, 5]


def test_an_attribute_may_be_called_like_a_number():
    schema = Schema((Attribute("first", ("no", "yes")),))
    assert cell_table(schema, {"first": np.array([0.25, 0.75])}) == {"first (answer)": ["no", "yes"], "first": [0.25, 0.75]}


@pytest.mark.parametrize("simultaneous", [False, True])
def test_intervals_are_those_of_the_estimate(simultaneous):
    table = estimate_table(ESTIMATE, population=True, simultaneous=simultaneous)
    low, high = ESTIMATE.interval(population=True, simultaneous=simultaneous)
    np.testing.assert_array_equal(table["conf_low"], low.ravel())
    np.testing.assert_array_equal(table["conf_high"], high.ravel())
    first, last = ESTIMATE.blend().interval(population=True, simultaneous=simultaneous)
    np.testing.assert_array_equal([table["blend conf_low"], table["blend conf_high"]], [first.ravel(), last.ravel()])


def test_shares_are_those_of_the_people_asked_and_intervals_of_one_cell_each_unless_asked_otherwise():
    plain, wide = estimate_table(ESTIMATE), estimate_table(ESTIMATE, population=True, simultaneous=True)
    np.testing.assert_array_equal([plain["conf_low"], plain["conf_high"]], [end.ravel() for end in ESTIMATE.interval()])
    np.testing.assert_array_equal(plain["std_error"], ESTIMATE.std_error().ravel())
    assert (np.array(plain["std_error"]) <= wide["std_error"]).all()


def test_columns_are_chosen_and_written():
    table = {
        "randomized": [0.25, 0.75],
        "randomized people": [25, 75],
        "estimate": [0.2, 0.8],
        "conf_low": [0.1, 0.7],
        "conf_high": [0.3, 0.9],
    }
    table |= {"std_error": [0.05, 0.05]}
    schema = Schema((Attribute("Share", ("no", "yes")),))
    shown = {"Share": "estimate", "Released": "randomized people", "Error": "std_error", "Not there": "EM"}
    assert written_cells(schema, table, shown) == {
        "Share (answer)": ["no", "yes"],
        "Share": ["20% (10 to 30)", "80% (70 to 90)"],
        "Released": ["25 (25.0%)", "75 (75.0%)"],
        "Error": ["5.0 points", "5.0 points"],
    }
    assert written_cell_column(table, "randomized") == ["25.0%", "75.0%"]
    likeliest = written_cell_column(table | {"EM": [0.2049, 0.7951]}, "EM")
    assert likeliest == ["20%", "80%"]  # no more digits than the error supports
