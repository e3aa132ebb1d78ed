"""Descriptions of columns and advice: counts, reasons, and the rule behind each button does what the button says."""

import json

import numpy as np
import pytest

from rrcore.errors import InputError
from rrcore.table import ColumnRule, TextColumn, TextTable, advise, recode
from rrcore.table.anysize import describe_column as describe
from rrcore.table.recoding import default_rule, recoding


def column(texts, labels=(), name="x"):
    values = tuple(dict.fromkeys(text for text in texts if text))
    place = {value: code for code, value in enumerate(values)}
    return TextColumn(name, np.array([place.get(text, -1) for text in texts], np.int32), values, labels)


def summary(texts, labels=(), name="x"):
    return describe(column(texts, labels, name))


def test_counts_are_those_of_the_attribute():
    found = summary(["b", "a", "", "b"])
    assert (found["categories"], found["counts"], found["missing"], found["values"], found["use"]) == (
        ["b", "a", "(missing)"],
        [2, 1, 1],
        1,
        2,
        True,
    )
    ages = summary([str(age) for age in range(20, 60)] * 2)
    assert (len(ages["categories"]), sum(ages["counts"]), ages["values"]) == (4, 80, 40)


CASES = [
    (["a", "b"], []),
    ([f"p{i}" for i in range(60)], ["identifier"]),
    ([str(i) for i in range(60)], ["identifier"]),
    (["a", "a"], ["constant"]),
    (["", ""], ["missing"]),
    (["yes", ""], []),
    ([f"w{i}" for i in range(51)] * 2, []),
    ([f"w{i}" for i in range(50)] * 10, []),
    ([f"w{i}" for i in range(1001)] * 2, ["crowded"]),
    (["a", "b" * 501], ["long"]),
    ([str(i) for i in range(13)] * 2, []),
    (["a", "?", "b", "N/A"] * 9, ["mark"]),
    (["a"] * 5 + ["b"] * 9 + ["c"] * 4, ["few"]),
]


@pytest.mark.parametrize(("texts", "codes"), CASES)
def test_warnings(texts, codes):
    found = summary(texts)
    assert [warning["code"] for warning in found["warnings"]] == codes
    assert found["use"] == (codes not in (["identifier"], ["constant"], ["missing"], ["crowded"], ["long"]))


def test_json_lists_at_most_1000_categories():
    values = tuple(f"w{i:04d}" for i in range(1_500))
    found = json.loads(json.dumps(describe(TextColumn("q", np.arange(3_000) % 1_500, values))))
    assert (len(found["categories"]), len(found["counts"]), found["size"]) == (1_000, 1_000, 1_500)
    assert (found["values"], found["missing"], found["use"]) == (1_500, 0, False)
    assert found["warnings"][0]["code"] == "crowded"


MANY = [str(7 * i) for i in range(150)]
NAMED = [
    ("ID", [*MANY, "7", "14"], "identifier"),
    ("caseid", MANY * 4, "identifier"),
    ("resp_id", MANY * 4, "identifier"),
    ("Household", MANY * 2, "identifier"),
    ("household", list("12345678") * 9, None),
    ("region_id", list("1234") * 9, None),
    ("acid", MANY * 4, None),
    ("weight", [str(0.5 + i / 150) for i in range(150)] * 2, "weight"),
    ("weight", [str(50 + i / 10) for i in range(600)], None),
    ("pweight", [str(1000 + 17 * i) for i in range(150)] * 2, "weight"),
    ("survey_wt", [str(i / 100) for i in range(1, 150)] * 2, "weight"),
]


@pytest.mark.parametrize(("name", "texts", "reason"), NAMED)
def test_ids_households_and_weights_are_left_out_and_brought_back(name, texts, reason):
    found = column(texts, name=name)
    rule = default_rule(found)
    assert rule.use == (reason is None)
    if reason:
        (advice,) = advise(found, rule)
        assert advice.code == reason
        assert recoding(found, advice.rule)[0].size >= 2
        assert recode(TextTable((found,)), {name: rule}, [name]).schema.names == (name,)


AMOUNTS = column([str(250 + 19 * i) for i in range(921)] + [str(250 + 19 * i) for i in range(79)])


def test_a_number_with_921_values_falls_into_groups():
    """German credit: 921 amounts among 1,000 people were once taken for case numbers and left out."""
    rule = default_rule(AMOUNTS)
    assert (rule.use, rule.edges) == (True, (5000, 10_000, 15_000))
    assert advise(AMOUNTS, rule) == ()


def test_an_amount_that_looks_like_a_case_number_can_be_used_in_groups():
    amounts = column([str(17 * i) for i in range(200)])
    assert not default_rule(amounts).use
    (found,) = advise(amounts, default_rule(amounts))
    assert recoding(amounts, found.rule)[0].size == 4


def test_what_cannot_be_an_attribute_is_refused_by_name():
    for texts in (["a"] * 9, [""] * 9, ["a", "b" * 501]):
        assert not advise(column(texts), ColumnRule(use=False))[0].action
        with pytest.raises(InputError, match="'x'"):
            recode(TextTable((column(texts),)), {"x": ColumnRule(use=False)}, ["x"])


@pytest.mark.parametrize("labels", [(), (("1", "yes"), ("2", "no"), ("9", "Refused"))])
def test_what_may_stand_for_no_answer_can_count_as_missing(labels):
    texts = ["1", "2", "9"] * 20 if labels else ["yes", "no", "?"] * 20
    answers = column(texts, labels)
    (found,) = advise(answers, default_rule(answers))
    assert found.code == "mark"
    assert recoding(answers, found.rule)[0].categories == ("yes", "no", "(missing)")
    assert advise(answers, found.rule) == ()


def test_too_many_categories_can_be_merged_unless_nobody_shares_one():
    towns = column([f"t{i}" for i in range(1200)] + [f"t{i}" for i in range(12)] * 150)
    (found,) = advise(towns, default_rule(towns))
    assert found.code == "crowded"
    assert recoding(towns, found.rule)[0].size == 13  # and (other)
    (found,) = advise(column([f"p{i}" for i in range(1200)]), ColumnRule(use=False))
    assert (found.code, found.rule) == ("identifier", None)
