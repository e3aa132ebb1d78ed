"""Descriptions of columns: counts, warnings in words, and the JSON form."""

import json

import numpy as np
import pytest

from rrcore.table.describe import ColumnSummary, describe
from rrcore.table.reading import TextColumn, TextTable, read_text_table


def summary(texts):
    rows = "\n".join(f"1,{text}" for text in texts)
    return describe(read_text_table(f"row,q\n{rows}\n".encode(), "t"))[1]


def test_counts():
    found = summary(["b", "a", "", "b"])
    assert found == ColumnSummary("q", ("a", "b"), (1, 2), 1, 2, False, found.warnings)
    assert [warning.code for warning in found.warnings] == ["missing"]


CASES = [
    (["a", "b"], []),
    ([f"p{i}" for i in range(60)], [("identifier", "Nearly every person has a value of their own: 60 different values")]),
    ([str(i) for i in range(60)], [("identifier", "Nearly every person")]),
    (["a", "a"], [("constant", "Everyone has the same value, 'a'.")]),
    (["", ""], [("constant", "Every value is missing.")]),
    (["yes", ""], [("missing", "1 of 2 people (50.0 %) have no value.")]),
    (["a", "b"] * 200 + [""], [("missing", "1 of 401 people (0.249 %) have no value.")]),
    ([f"w{i}" for i in range(51)] * 2, [("many-categories", "There are 51 categories")]),
    ([f"w{i}" for i in range(50)] * 2, []),
    ([f"w{i}" for i in range(1001)] * 2, [("too-many-categories", "There are 1,001 categories, more than the limit of 1,000.")]),
    ([str(i) for i in range(13)] * 2, [("numeric", "These are numbers, with 13 different values.")]),
    ([str(i) for i in range(12)] * 2, []),
    (["a", "?", "b", "N/A"], [("missing-mark", "This may stand for a missing value: '?' (1 people), 'N/A' (1 people).")]),
    ([str(i) for i in range(13)] + [""], [("numeric", "These are numbers"), ("missing", "1 of 14 people (7.1 %)")]),
    (["a"] * 5 + ["b"] * 9 + ["c"] * 4, [("few", "1 category has fewer than 5 people: such a name tells about them.")]),
    (["a"] * 5 + ["b", "c"], [("few", "2 categories have fewer than 5 people")]),
]


@pytest.mark.parametrize(("texts", "expected"), CASES)
def test_warnings(texts, expected):
    warnings = summary(texts).warnings
    assert [warning.code for warning in warnings] == [code for code, _ in expected]
    for warning, (_, fragment) in zip(warnings, expected, strict=True):
        assert fragment in warning.message
        assert warning.action.endswith(".")


def test_json_lists_at_most_1000_categories():
    values = tuple(f"w{i:04d}" for i in range(1_500))
    table = TextTable((TextColumn("q", np.arange(3_000) % 1_500, values),))
    found = json.loads(json.dumps(describe(table)[0].to_dict()))
    assert (len(found["categories"]), len(found["counts"]), found["categories_left_out"]) == (1_000, 1_000, 500)
    assert (found["distinct"], found["missing"], found["numeric"]) == (1_500, 0, False)
    assert found["warnings"][0]["code"] == "too-many-categories"
    short = summary(["a", "b"]).to_dict()
    assert (short["categories"], short["counts"], short["categories_left_out"]) == (["a", "b"], [1, 1], 0)
