"""Reading and inventing ratings: what is accepted, what is left out, and one sentence for the rest."""

import numpy as np
import pytest

from rrcore.errors import InputError
from rrcore.papers.keyvalue import KeyValueData, invented, read_long
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
    assert [note.partition(" ")[0] for note in data.notes] == ["1", "1", "2"]


def test_keys_from_the_data_are_noted_and_unknown_ones_named():
    data = long(most=1)
    assert data.keys == ("tea",)
    assert len(data.notes) == 4
    assert any("'coffee'" in note for note in long(keys=["tea", "coffee"]).notes)


@pytest.mark.parametrize(
    ("more", "text", "message"),
    [
        ({"low": 1, "high": 4}, LONG, "1 to 4 in .*, got -?1 to 5"),
        ({"low": 5, "high": 1}, LONG, "The bounds of the values are 5 and 1"),
        ({"low": float("nan")}, LONG, "The bounds of the values are nan"),
        ({"value": "key"}, LONG, "contains 'beer', which is not a number"),
        ({}, LONG.replace(b"5", b"nan"), "contains 'nan', which is not a number"),
        ({"user": "person"}, LONG, "There is no column 'person'"),
        ({"keys": [" "]}, LONG, "none of the declared keys"),
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


def test_invented_sets_have_about_what_was_asked_for():
    data = invented(50_000, 30, frequency=0.4, mean=0.3, rng=np.random.default_rng(0))
    assert abs(data.frequency.mean() - 0.4) < 0.12
    assert abs(np.nanmean(data.mean) - 0.3) < 0.12
    assert np.nanmin(data.values) >= -1
    assert np.nanmax(data.values) <= 1


def test_discretised_values_have_the_right_mean():
    """Eq. (1): z-test at 5 standard errors."""
    data = KeyValueData(("a",), np.full((40_000, 1), 0.3, dtype=np.float32))
    states = data.states(rng=np.random.default_rng(1))
    assert abs((states - 1).mean() - 0.3) < 5 * np.sqrt((1 - 0.09) / 40_000)
