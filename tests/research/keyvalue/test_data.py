"""Reading and inventing ratings: what is accepted, what is left out, and one sentence for the rest."""

import numpy as np
import pytest

from rrcore.errors import InputError
from rrcore.research.keyvalue import SHAPES, KeyValueData, invented, read_long, read_wide
from rrcore.table.opening import read_text_table

LONG = b"user,key,value\nann,tea,5\nann,beer,1\nbob,tea,3\nbob,tea,4\ncat,milk,2\ndan,,3\neve,water,1\n"


def table(text=LONG):
    return read_text_table(text, "ratings.csv")


def long(text=LONG, **more):
    return read_long(table(text), **({"user": "user", "key": "key", "value": "value", "low": 1, "high": 5} | more))


def test_long_rows_become_users_and_keys():
    data = long(keys=["tea", "beer", "milk"])
    assert data.n == 5  # everybody who is named, also with none of the keys
    assert data.frequency.tolist() == [0.4, 0.2, 0.2]
    assert data.mean.tolist() == [(1 + 0.5) / 2, -1.0, -0.5]  # the last rating of bob counts
    assert data.notes == (
        "1 rows without a user, key or value were left out.",
        "1 rows repeat the user and key of an earlier one; the last of them counts.",
        "2 users have none of these keys; they count as users without any.",
    )


def test_keys_from_the_data_draw_a_warning_and_unknown_ones_are_named():
    data = long(most=1)
    assert data.keys == ("tea",)
    assert "Which keys are frequent is private too" in data.notes[1]
    assert "Nobody has the declared key 'coffee'." in long(keys=["tea", "coffee"]).notes


def test_wide_rows():
    data = read_wide(table(b"id,tea,beer\n1,1,\n2,,-0.5\n3,0,1\n"), ["tea", "beer"], low=-1, high=1)
    assert data.frequency.tolist() == [2 / 3, 2 / 3]
    assert data.mean.tolist() == [0.5, 0.25]


@pytest.mark.parametrize(
    ("more", "text", "message"),
    [
        ({"low": 1, "high": 4}, LONG, "1 to 5: expected 1 to 4"),
        ({"low": 5, "high": 1}, LONG, "The bounds of the values are 5 and 1"),
        ({"low": float("nan")}, LONG, "The bounds of the values are nan"),
        ({"value": "key"}, LONG, "holds 'beer', which is not a number"),
        ({}, LONG.replace(b"5", b"nan"), "holds 'nan', which is not a number"),
        ({"user": "person"}, LONG, "There is no column 'person'"),
        ({"keys": [" "]}, LONG, "No key is left"),
    ],
)
def test_bad_ratings_get_one_sentence(more, text, message):
    with pytest.raises(InputError, match=message) as refused:
        long(text, **more)
    assert str(refused.value).endswith(".")


def test_one_key_only_and_a_key_that_nobody_has():
    data = KeyValueData(("a", "b"), np.array([[0.5, np.nan], [np.nan, np.nan]], dtype=np.float32))
    assert data.frequency.tolist() == [0.5, 0.0]
    assert np.isnan(data.mean[1])
    assert data.select(["a"]).d == 1
    with pytest.raises(InputError, match="There is no key 'z'"):
        data.select(["z"])


def test_ratings_of_nobody_are_refused():
    with pytest.raises(InputError):
        KeyValueData(("a",), np.zeros((0, 1), dtype=np.float32))


@pytest.mark.parametrize("shape", SHAPES)
def test_invented_sets_have_about_what_was_asked_for(shape):
    data = invented(50_000, 30, shape=shape, frequency=0.4, mean=0.3, rng=np.random.default_rng(0))
    assert abs(data.frequency.mean() - 0.4) < 0.12
    assert abs(np.nanmean(data.mean) - 0.3) < 0.12
    assert np.nanmin(data.values) >= -1
    assert np.nanmax(data.values) <= 1
    if shape == "power":
        assert (np.diff(data.frequency) < 0.01).all()


def test_discretised_values_have_the_right_mean():
    """Eq. (1): z-test at 5 standard errors."""
    data = KeyValueData(("a",), np.full((40_000, 1), 0.3, dtype=np.float32))
    states = data.states(rng=np.random.default_rng(1))
    assert abs((states - 1).mean() - 0.3) < 5 * np.sqrt((1 - 0.09) / 40_000)


@pytest.mark.parametrize("more", [{"d": 0}, {"n": 0}, {"frequency": 0}, {"mean": 2}, {"shape": "x"}, {"n": 2**28, "d": 1000}])
def test_impossible_inventions_are_refused(more):
    asked = {"n": 100, "d": 3} | more
    n, d = asked.pop("n"), asked.pop("d")
    with pytest.raises(InputError, match=r"\.$"):
        invented(n, d, rng=np.random.default_rng(0), **asked)
