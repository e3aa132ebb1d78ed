"""Advice fits how a column is treated now, and the rule behind each button does what the button says."""

import numpy as np
import pytest

from rrcore.table import ColumnRule, TextColumn, advise, describe_size, grouping_advice, load_demo, recode_column
from rrcore.table.advice import look_alikes, visible
from rrcore.table.recoding import default_rule
from rrcore.table.schema import Attribute, Schema


def column(texts, labels=()):
    values = tuple(dict.fromkeys(text for text in texts if text))
    place = {value: code for code, value in enumerate(values)}
    return TextColumn("x", np.array([place.get(text, -1) for text in texts], np.int32), values, labels)


AMOUNTS = column([str(250 + 19 * i) for i in range(921)] + [str(250 + 19 * i) for i in range(79)])


def test_a_number_with_921_values_falls_into_groups():
    """German credit: 921 amounts among 1,000 people were once taken for case numbers and left out."""
    rule = default_rule(AMOUNTS, 1000)
    assert (rule.use, rule.binning, rule.edges) == (True, "open", (5000, 10_000, 15_000))
    assert advise(AMOUNTS, rule) == ()
    assert grouping_advice(AMOUNTS, rule) == ("4 intervals, 'below 5,000' to '15,000 and more', with rounded edges: 921 numbers.")


def test_a_number_that_is_not_grouped_is_at_one_press():
    (found,) = advise(AMOUNTS, ColumnRule(kind="ordinal"))
    assert (found.message, found.action) == ("A number with 921 values.", "Make groups with rounded edges")
    assert recode_column(AMOUNTS, found.rule)[0].size == 4


def test_an_amount_that_looks_like_a_case_number_can_be_used_in_groups():
    amounts = column([str(17 * i) for i in range(200)])
    assert not default_rule(amounts, 200).use
    (found,) = advise(amounts, default_rule(amounts, 200))
    assert found.action == "Use it in groups"
    assert recode_column(amounts, found.rule)[0].size == 4


def test_running_numbers_with_a_few_repeats_are_case_numbers():
    assert not default_rule(column([str(i) for i in range(100)] + ["5", "6"]), 102).use


@pytest.mark.parametrize("labels", [(), (("1", "yes"), ("2", "no"), ("9", "Refused"))])
def test_what_may_stand_for_no_answer_can_count_as_missing(labels):
    texts = ["1", "2", "9"] * 20 if labels else ["yes", "no", "?"] * 20
    answers = column(texts, labels)
    rule = default_rule(answers, 60)
    (found,) = advise(answers, rule)
    assert found.action == "Count as missing"
    assert recode_column(answers, found.rule)[0].categories == ("yes", "no", "(missing)")
    assert advise(answers, found.rule) == ()


def test_many_categories_can_be_cut_to_the_frequent_ones():
    towns = column([f"t{i}" for i in range(80)] * 5 + [f"t{i}" for i in range(12)] * 50)
    (found,) = advise(towns, default_rule(towns, 1000))
    assert found.action == "Keep the 12 with 10 people or more"
    assert recode_column(towns, found.rule)[0].size == 13  # and (other)


def test_nothing_is_said_where_nothing_is_to_be_done():
    assert advise(column(["a", "b"] * 20), ColumnRule()) == ()
    (constant,) = advise(column(["a"] * 20), ColumnRule(use=False))
    assert constant.rule is None
    (names,) = advise(column([f"p{i}" for i in range(60)]), ColumnRule(use=False))
    assert "Nearly every person" in names.message


def test_one_sentence_says_how_large_a_table_is():
    titanic = load_demo("titanic").schema
    assert describe_size(titanic, 2201).startswith("**4 attributes, 32 combinations, 2,201 people**: on average 69 people")
    assert "most combinations of all of them have nobody" in describe_size(titanic, 20, planned=True)
    assert "20 people planned" in describe_size(titanic, 20, planned=True)
    assert "1 attribute, 2 combinations" in describe_size(Schema((Attribute("a", ("x", "y")),)), 10)


ALIKE = {
    "zero width": ("Yes", "Yes\u200b"),
    "soft hyphen": ("Yes", "Y\u00ades"),
    "composed": ("caf\u00e9", "cafe\u0301"),
    "capitals": ("Yes", "yes"),
    "sharp s": ("Straße", "STRASSE"),
    "full width": ("Yes", "Ｙｅｓ"),
    "direction": ("Yes", "\u202eYes"),
    "two blanks": ("not now", "not  now"),
    "hard blank": ("not now", "not\u00a0now"),
    "formula": ("=1", "'=1"),
}


@pytest.mark.parametrize("name", ALIKE)
def test_what_looks_alike_is_offered_as_one(name):
    first, second = ALIKE[name]
    column = TextColumn("q", np.array([0, 0, 1, 2]), (first, second, "other"))
    (found,) = advise(column, ColumnRule())
    assert (found.action, found.message.startswith("These look alike and count apart: ")) == ("Make them one", True)
    attribute, codes = recode_column(column, found.rule)
    assert (attribute.categories, codes.tolist()) == ((first, "other"), [0, 0, 0, 1])
    assert advise(column, found.rule) == ()


def test_what_does_not_look_alike_stays_apart():
    for texts in (("yes", "no"), ("да", "нет"), ("1", "10"), ("a b", "ab"), ("é", "e"), ("+1", "-1"), ("की", "का"), ("की", "कि")):
        assert look_alikes(texts) == []
        assert advise(TextColumn("q", np.array([0, 1]), texts), ColumnRule()) == ()


def test_all_of_a_group_are_told_of():
    told = {
        n: advise(TextColumn("q", np.arange(n), ("yes", "Yes", "YES", "yES", "yeS")[:n]), ColumnRule())[0].message
        for n in (2, 3, 5)
    }
    assert told[2].endswith(": 'yes' (1 person) and 'Yes' (1 person).")
    assert told[3].endswith(": 'yes' (1 person), 'Yes' (1 person) and 'YES' (1 person).")
    assert told[5].endswith("'YES' (1 person) and 2 more.")


def test_what_is_not_seen_is_written_out():
    assert visible("Yes\u200b") == "Yes[ZERO WIDTH SPACE]"
    assert visible("Größe") == "Größe"


def test_declared_categories_follow():
    column = TextColumn("q", np.array([0, 0, 1, 2]), ("Yes", "YES", "no"))
    (found,) = advise(column, ColumnRule(categories=("no", "YES", "Yes", "perhaps")))
    assert found.rule.categories == ("no", "Yes", "perhaps")
