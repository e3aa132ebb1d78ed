"""What becomes of every record of a table of any size is what became of the sample of it that is in play, whatever was chosen for that."""

import itertools
from dataclasses import replace
from functools import cache

import numpy as np
import pytest

from rrcore.errors import DocumentError, InputError
from rrcore.table import MISSING, OTHER, ColumnRule, as_table, recode
from rrcore.table.stream import look_through, open_stream, recoder, sampling
from rrcore.table.stream.coder import DROPPED
from rrcore.table.stream.recoder import read_coder, write_coder

PEOPLE = 900


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    """Ages of all kinds with empty cells, a few small numbers, and names, some of them rare."""
    rng = np.random.default_rng(1)
    found = tmp_path_factory.mktemp("table") / "people.csv"
    ages = rng.integers(0, 100, PEOPLE).astype(str)
    ages[rng.random(PEOPLE) < 0.1] = ""
    halves = np.array(["0,5", "1", "2,5", "7", "12"])[rng.integers(0, 5, PEOPLE)]
    wards = np.array(["east", "west", "?", "=1", "(other)", "rare"])[np.minimum(rng.geometric(0.5, PEOPLE), 6) - 1]
    found.write_text("age;children;ward\n" + "".join(map("{};{};{}\n".format, ages, halves, wards)))
    return found


@cache
def batches(place):
    return [batch for piece in open_stream(place).pieces() for batch in piece.batches()]


def coded(how, place, attributes):
    """The codes of the records that are not left out."""
    codes = np.concatenate([how(batch) for batch in batches(place)])
    return codes[(codes != DROPPED).all(axis=1), :attributes]


AGES = [
    ColumnRule(kind="ordinal"),
    ColumnRule(missing="drop"),
    ColumnRule(labels=(("below 20", "young"), ("80 and more", "old"))),
    ColumnRule(missing_marks=("20 to below 40",), missing="drop"),
    ColumnRule(labels=(("below 20", "few"), ("20 to below 40", "few")), categories=("few", "40 to below 60")),
]
CHILDREN = [
    ColumnRule(),
    ColumnRule(binning="open", edges=(1, 5)),
    ColumnRule(binning="edges", edges=(1, 7, 8)),
    ColumnRule(binning="edges", edges=(2, 12)),
    ColumnRule(binning="equal-width", bins=3),
    ColumnRule(binning="equal-count", bins=2, labels=(("0.5 to <2", "hardly any"),)),
    ColumnRule(binning="open", edges=(1, 5), missing_marks=("7",)),
    ColumnRule(labels=(("1", "12"), ("12", "1")), categories=("1", "12")),
]
WARDS = [
    ColumnRule(),
    ColumnRule(missing_marks=("?",)),
    ColumnRule(missing_marks=("?",), missing="drop"),
    ColumnRule(labels=(("east", "town"), ("west", "town"), ("rare", "east"))),
    ColumnRule(missing_marks=("?",), labels=((MISSING, "not known"), ("east", "town"))),
    ColumnRule(labels=((MISSING, "west"),)),
    ColumnRule(merge_below=100),
    ColumnRule(categories=("west", "north", OTHER, MISSING)),
]


@pytest.fixture(scope="module")
def look(place):
    return look_through(place)


def test_the_same_becomes_of_a_record_whatever_was_chosen(place, look):
    """By the coder from the file, and by the rules from the table in play, which here holds everybody."""
    sample, _ = as_table(look.sample)
    assert (sample.n, look.edges) == (PEOPLE, {"age": (20.0, 40.0, 60.0, 80.0)})
    for age, children, ward in itertools.product(AGES, CHILDREN, WARDS):
        rules = {"age": age, "children": children, "ward": ward}
        wanted = recode(sample, rules)
        how = recoder(sample, rules, ["ward", "age", "children"], look.edges)
        wanted = wanted.select(["ward", "age", "children"])
        assert how.schema.attributes == wanted.schema.attributes
        assert np.array_equal(coded(how, place, 3), wanted.codes), (age, children, ward)


def test_records_are_left_out_for_want_of_an_answer_that_is_not_released(place, look):
    sample, rules = as_table(look.sample)
    rules |= {"age": replace(rules["age"], missing="drop"), "ward": ColumnRule(missing_marks=("?",), missing="drop")}
    wanted = recode(sample, rules).select(["children"])
    how = recoder(sample, rules, ["children"], look.edges)
    assert how.schema.names == ("children", "age", "ward")
    assert np.array_equal(coded(how, place, 1), wanted.codes)
    assert wanted.n < PEOPLE


def test_columns_are_called_as_in_the_file(place, look):
    sample, rules = as_table(look.sample)
    called = sample.renamed({"age": "years", "ward": "age"})
    rules = {"years": rules["age"], "children": rules["children"], "age": rules["ward"]}
    how = recoder(called, rules, ["years", "age"], look.edges)
    assert (how.schema.names, how.names) == (("years", "age"), ("age", "ward"))
    assert np.array_equal(coded(how, place, 2), recode(called, rules).select(["years", "age"]).codes)


def test_a_coder_is_the_same_after_it_was_written(place, look):
    sample, rules = as_table(look.sample)
    how = recoder(sample, rules | {"children": CHILDREN[4]}, sample.names, look.edges)
    again = read_coder(write_coder(how))
    assert (repr(again), again.schema) == (repr(how), how.schema)
    assert np.array_equal(coded(again, place, 3), coded(how, place, 3))


def test_a_coder_knows_what_was_chosen_and_no_other_text_of_the_table(look):
    """An age that one person has, a number of children that falls into an interval, and a ward that was merged."""
    sample, rules = as_table(look.sample)
    rules |= {"children": ColumnRule(binning="open", edges=(1, 5)), "ward": ColumnRule(categories=("east", "west", OTHER))}
    text = write_coder(recoder(sample, rules, sample.names, look.edges))
    assert all(word not in text for word in ("rare", '"?"', '"7"', "12", "2,5", "99"))


@pytest.mark.parametrize(
    ("change", "why"),
    [
        (lambda text: text.replace('"missing": -3', '"missing": 9'), "codes of no category"),
        (lambda text: text.replace('"lookups": [', '"lookups": [{"texts": {}}, '), "other attributes than columns"),
        (lambda text: text.replace("[20.0, ", "["), "codes of no category"),
        (lambda text: text[:-9], "is not JSON"),
        (lambda text: "[]", "a set of named fields"),
    ],
)
def test_what_is_no_coder_is_not_taken_for_one(look, change, why):
    sample, rules = as_table(look.sample)
    text = write_coder(recoder(sample, rules | {"age": replace(rules["age"], missing="drop")}, sample.names, look.edges))
    assert change(text) != text
    with pytest.raises(DocumentError, match=why):
        read_coder(change(text))


def test_an_answer_of_nobody_in_play_is_said_before_anything_is_released(tmp_path, monkeypatch):
    """The sample is of all people; an answer that only others gave has to have a category, too."""
    place = tmp_path / "people.csv"
    place.write_text("ward\n" + "east\nwest\n" * 4_000 + "north\n")
    monkeypatch.setattr(sampling, "MAX_SAMPLED_PEOPLE", 50)
    look = look_through(place)
    sample, _ = as_table(look.sample)
    assert sample.column("ward").counts[0] > 0
    assert dict(zip(sample.column("ward").values, sample.column("ward").counts, strict=True))["north"] == 0
    with pytest.raises(InputError, match="Somebody in the table gave an answer to 'ward' that is none of its categories"):
        recoder(sample, {"ward": ColumnRule(merge_below=1)}, ["ward"], look.edges)
    how = recoder(sample, {"ward": ColumnRule(categories=("east", "west", OTHER))}, ["ward"], look.edges)
    assert coded(how, place, 1).max() == 2
