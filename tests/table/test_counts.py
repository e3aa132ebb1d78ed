"""Counts: added, summed out, saved and read again, and what is no counts."""

import itertools

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import rrcore as rr
from rrcore.errors import InputError
from rrcore.table import Attribute, Counts, Schema, pairs

TITANIC = rr.load_demo("titanic")
SCHEMA = Schema((Attribute("a", ("x", "y")), Attribute("b", ("p", "q", "r")), Attribute("c", ("0", "1"))))
EVERY = [names for w in (1, 2, 3) for names in itertools.combinations(SCHEMA.names, w)]
records = st.lists(st.tuples(st.integers(-1, 1), st.integers(-1, 2), st.integers(-1, 1)), max_size=30)


def counted(rows, marginals=EVERY):
    return Counts.of_codes(SCHEMA, np.array(rows, dtype=np.int8).reshape(-1, 3), marginals)


@settings(max_examples=30)
@given(records, records)
def test_counts_of_parts_add_up_to_those_of_the_whole(one, two):
    both, whole = counted(one) + counted(two), counted(one + two)
    assert both.n == whole.n
    for names in EVERY:
        np.testing.assert_array_equal(both.of(names), whole.of(names))


@settings(max_examples=30)
@given(records)
def test_every_table_counts_those_who_answered_all_of_it(rows):
    found = counted(rows)
    for names in EVERY:
        axes = SCHEMA.axes(names)
        expected = np.zeros(SCHEMA.select(names).sizes, dtype=np.int64)
        for row in rows:
            if all(row[i] >= 0 for i in axes):
                expected[tuple(row[i] for i in axes)] += 1
        np.testing.assert_array_equal(found.of(names), expected)
        np.testing.assert_array_equal(found.of(names[::-1]), expected.T)


def test_a_marginal_is_summed_out_of_a_wider_one_only_where_nothing_is_missing():
    whole = Counts.of_codes(TITANIC.schema, TITANIC.codes, [("Class", "Sex", "Survived"), ("Age", "Sex")])
    for names in (["Survived", "Class"], ["Sex"], ["Sex", "Survived", "Class"]):
        np.testing.assert_array_equal(whole.of(names), TITANIC.counts(names))
    with pytest.raises(InputError, match="'Age', 'Class' was not counted together"):
        whole.of(["Age", "Class"])
    with pytest.raises(InputError, match="'a' was not counted together"):
        counted([(0, -1, 0)], [("a", "b")]).of(["a"])  # the person without b has an a
    with pytest.raises(InputError, match="There is no attribute 'z'"):
        whole.of(["z"])


def test_counts_of_other_questions_are_not_added():
    with pytest.raises(InputError, match="cannot be added"):
        _ = counted([(0, 0, 0)]) + counted([(0, 0, 0)], [("a",)])
    with pytest.raises(TypeError):
        _ = counted([]) + 3


@pytest.mark.parametrize(
    ("tables", "n", "sentence"),
    [
        ({("a",): np.array([1, 1, 1])}, 3, "shape (3,) and type int64: expected integers, (2,)"),
        ({("a",): np.array([0.5, 0.5])}, 1, "type float64"),
        ({("a",): np.array([2, -1])}, 1, "below 0"),
        ({("a",): np.array([2, 1])}, 2, "more than the 2 records"),
        ({("z",): np.array([2, 1])}, 3, "There is no attribute 'z'"),
        ({}, -1, "expected 0 or more"),
    ],
)
def test_counts_check_themselves(tables, n, sentence):
    with pytest.raises(InputError) as error:
        Counts(SCHEMA, n, tables)
    assert sentence in str(error.value)


def test_counts_cannot_be_changed():
    found = counted([(0, 0, 0)])
    with pytest.raises(ValueError, match="read-only"):
        found.tables["a",][0] = 5
    with pytest.raises(TypeError):
        found.tables["a",] = np.array([1, 1])


@pytest.mark.parametrize("codes", [[[0, 0]], [[2, 0, 0]], [[-2, 0, 0]]])
def test_codes_out_of_range_are_refused(codes):
    with pytest.raises(InputError, match=r"The codes have shape|A code is out of range"):
        Counts.of_codes(SCHEMA, np.array(codes), EVERY)


def test_counts_are_saved_and_read_again(tmp_path):
    place = tmp_path / "counts.arrow"
    saved = Counts(TITANIC.schema, TITANIC.n, {names: TITANIC.counts(names) for names in pairs(TITANIC.schema)}, left_out=7)
    saved.save(place)
    saved.save(place)  # over itself
    found = Counts.load(place)
    assert (found.schema, found.n, found.left_out) == (TITANIC.schema, TITANIC.n, 7)
    assert list(found.tables) == list(saved.tables)
    for names, table in saved.tables.items():
        np.testing.assert_array_equal(found.tables[names], table)
    assert [file.name for file in tmp_path.iterdir()] == ["counts.arrow"]


def test_what_is_no_counts_is_refused_in_a_sentence(tmp_path):
    place = tmp_path / "counts.arrow"
    with pytest.raises(InputError, match="cannot be read"):
        Counts.load(place)
    place.write_bytes(b"Class,Sex\n1st,male\n")
    with pytest.raises(InputError, match="does not hold counts"):
        Counts.load(place)
    with pa.OSFile(str(place), "wb") as out, pa.ipc.new_file(out, pa.schema([("x", pa.int8())])):
        pass
    with pytest.raises(InputError, match="does not hold counts"):
        Counts.load(place)
    counted([(0, 0, 0)]).save(place)
    whole = place.read_bytes()
    for length in range(0, len(whole) - 1, 97):
        place.write_bytes(whole[:length])
        with pytest.raises(InputError):
            Counts.load(place)
    place.write_bytes(whole.replace(b'"version": 1', b'"version": 2'))
    with pytest.raises(InputError, match="version 2: version 1 is read"):
        Counts.load(place)
    with pytest.raises(InputError, match="cannot be written"):
        counted([]).save(tmp_path / "no" / "folder")
