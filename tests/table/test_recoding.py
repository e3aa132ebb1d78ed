"""Recoding text columns: numbers, bins, missing values, merging, declared lists, default rules, and whole tables."""

import re
import time

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from rrcore.errors import InputError
from rrcore.table.reading import TextColumn, TextTable, read_text_table, to_numbers
from rrcore.table.recoding import (
    default_rule,
    recode,
    recode_column,
    recodes_as_identifier,
    recodes_as_numbers,
    rules_for_plan,
)
from rrcore.table.rule import MISSING, OTHER, ColumnRule, rule_disclosure
from rrcore.table.schema import Attribute, Schema


def column(*texts, name="q"):
    """A column as reading makes it; None is missing."""
    quoted = "\n".join("1," if text is None else f'1,"{text}"' for text in texts)
    return read_text_table(f"row,{name}\n{quoted}\n".encode(), "t").column(name)


def labels(attribute, codes):
    return [None if code < 0 else attribute.categories[code] for code in codes]


def outcome(texts, **rule):
    attribute, codes = recode_column(column(*texts), ColumnRule(**rule))
    return attribute.categories, labels(attribute, codes)


AGES = [str(age) for age in range(18, 46)]


def test_numbers_of_a_column():
    assert to_numbers(column("2,5", "1", None).values).tolist() == [1, 2.5]
    assert to_numbers(column("2,5", "1.5").values) is None
    assert recodes_as_numbers(column("1e5", "-3"))
    assert not recodes_as_numbers(column("1", "nan"))
    assert not recodes_as_numbers(column("1", "inf"))
    assert not recodes_as_numbers(column(None, None))


def test_plain_columns_keep_their_values():
    assert outcome(["b", "a", "b"]) == (("a", "b"), ["b", "a", "b"])
    attribute, codes = recode_column(column("10", "9"), ColumnRule(kind="ordinal"))
    assert (attribute.kind, attribute.categories, codes.dtype) == ("ordinal", ("9", "10"), np.int8)


def test_missing_becomes_a_category_or_drops():
    texts = ["a", None, "?", "b", " NA "]
    marks = ("?", "NA")
    assert outcome(texts, missing_marks=marks) == (("a", "b", MISSING), ["a", MISSING, MISSING, "b", MISSING])
    assert outcome(texts, missing_marks=marks, missing="drop") == (("a", "b"), ["a", None, None, "b", None])
    assert outcome(["a", MISSING, None]) == (("a", MISSING), ["a", MISSING, MISSING])


def test_merging_and_declared_categories():
    texts = ["a"] * 5 + ["b"] * 3 + ["c", "d"] + [None]
    assert outcome(texts, merge_below=3)[0] == ("a", "b", OTHER, MISSING)
    assert outcome(texts, merge_below=3)[1][-3:] == [OTHER, OTHER, MISSING]
    assert outcome(texts, categories=("d", "x", "a"))[0] == ("d", "x", "a", OTHER, MISSING)
    assert outcome(texts, categories=(OTHER, MISSING, "a"))[0] == (OTHER, MISSING, "a")

    assert outcome(texts, categories=("a", "b", "c", "d"), merge_below=2, missing="drop")[0] == ("a", "b", OTHER)
    assert outcome(["a", "a", OTHER, "b"], merge_below=2) == (("a", OTHER), ["a", "a", OTHER, OTHER])


def test_missing_values_are_called_what_their_label_says():
    texts, called = ["a", None, "b", ""], ((MISSING, "not told"),)
    assert outcome(texts, labels=called) == (("a", "b", "not told"), ["a", "not told", "b", "not told"])
    assert outcome(texts, labels=((MISSING, "b"),)) == (("a", "b"), ["a", "b", "b", "b"])
    assert outcome(texts, labels=called, categories=("not told", "a", "b"))[0] == ("not told", "a", "b")
    assert outcome(texts, labels=called, missing="drop")[0] == ("a", "b")
    attribute, _ = recode_column(column(*texts), rule := ColumnRule(labels=called, categories=("a", "b")))
    assert rule_disclosure(attribute, rule) == "somebody gave no answer"


def test_typed_edges():
    attribute, codes = recode_column(column(*AGES), ColumnRule(binning="edges", edges=(18, 30, 45)))
    assert (attribute.kind, attribute.categories) == ("ordinal", ("18 to <30", "30 to 45"))
    assert np.bincount(codes).tolist() == [12, 16]
    categories, people = outcome(AGES, binning="edges", edges=(20, 30.5, 40))
    assert categories == ("under 20", "20 to <30.5", "30.5 to <40", "40 and over")
    assert [people.count(category) for category in categories] == [2, 11, 9, 6]
    assert outcome(["0.1", "0.2", "0.3"], binning="edges", edges=(0.1, 0.1 + 0.1, 0.1 + 0.2))[0] == ("0.1 to <0.2", "0.2 to 0.3")


def test_equal_width():
    assert outcome(AGES, binning="equal-width", bins=3)[0] == ("18 to <27", "27 to <36", "36 to 45")
    thirds = ("0 to <0.333", "0.333 to <0.667", "0.667 to 1", MISSING)
    assert outcome(["0", "0.5", "1", None], binning="equal-width", bins=3)[0] == thirds
    assert outcome(["1,5", "2,25", "3"], binning="equal-width", bins=2)[1] == ["1.5 to <2.25", "2.25 to 3", "2.25 to 3"]


def test_equal_count():
    categories, people = outcome(AGES, binning="equal-count", bins=4)
    assert categories == ("18 to <25", "25 to <32", "32 to <39", "39 to 45")
    assert [people.count(category) for category in categories] == [7, 7, 7, 7]
    assert outcome(["0"] * 95 + ["7"] * 5, binning="equal-count")[0] == ("0 to <7", "7")
    assert outcome(["0"] * 90 + ["7", "8", "9"], binning="equal-count")[0] == ("0 to <7", "7 to 9")


@pytest.mark.slow
@settings(max_examples=50)
@given(
    numbers=st.lists(st.floats(-1e6, 1e6) | st.integers(-50, 50), min_size=2, max_size=60),
    binning=st.sampled_from(["equal-width", "equal-count"]),
    bins=st.integers(2, 9),
)
def test_every_number_lies_in_its_interval(numbers, binning, bins):
    numbers = [round(number, 6) for number in numbers]
    assume(len(set(numbers)) >= bins)
    categories, people = outcome([repr(number) for number in numbers], binning=binning, bins=bins)
    assert 2 <= len(categories) <= bins
    for number, label in zip(numbers, people, strict=True):
        low, _, high = label.partition(" to ")
        top = float((high or low).lstrip("<"))
        slack = 1e-12 * max(1, abs(number))
        assert float(low) - slack <= number <= top + slack
        assert not high.startswith("<") or number < top + slack


REFUSED = [
    (["a", "1"], {"binning": "equal-count"}, "'q' has the value 'a', which is not a number: add it to the missing marks"),
    (["1,5", "1.5"], {"binning": "equal-count"}, "which is not a number"),
    (["5", "5"], {"binning": "equal-count"}, "only 1 different number, too few for 5 bins: leave the column out"),
    (["5", "6"], {"binning": "equal-width"}, "only 2 different numbers, too few for 5 bins: choose at most 2 bins or no binning"),
    (["5", "6"], {"binning": "equal-width", "bins": 1}, "'q' is to have 1 bins: give a number from 2 to 1,000"),
    (["5", "6"], {"binning": "edges", "edges": (5.0,)}, "The edges of 'q' are 5: give at least 2 numbers"),
    (["5", "6"], {"binning": "edges"}, "The edges of 'q' are none"),
    (["5", "6"], {"binning": "edges", "edges": (5.0, 5.0)}, "each larger than the last"),
    (["5", "6"], {"binning": "edges", "edges": (5.0, float("inf"))}, "give at least 2 numbers"),
    (["5", "6"], {"binning": "edges", "edges": (0.0, 9.0)}, "only the category '0 to 9'"),
    (["a", "a"], {}, "'q' has only the category 'a'"),
    ([None, "?"], {"missing_marks": ("?",)}, "Every value of 'q' is missing"),
    (["a", "b"], {"merge_below": -1}, "give 0 or more"),
    (["a", "b"], {"categories": ("a", "a")}, "lists the category 'a' twice"),
    ([str(i) for i in range(1001)], {}, "'q' has 1,001 categories: at most 1,000 are allowed"),
]


@pytest.mark.parametrize(("texts", "rule", "fragment"), REFUSED)
def test_refusals(texts, rule, fragment):
    with pytest.raises(InputError) as caught:
        recode_column(column(*texts), ColumnRule(**rule))
    assert fragment in str(caught.value)


def test_default_rules():
    def rule(*texts):
        return default_rule(column(*texts), len(texts))

    assert rule("a", "b", "b") == ColumnRule()
    assert rule("1", "2", "2").kind == "ordinal"
    assert rule(*AGES, *AGES) == ColumnRule(kind="ordinal", binning="open", edges=(25.0, 30.0, 35.0, 40.0))
    assert not rule("a", "a").use
    assert not rule(None, None).use
    assert rule("yes", None).use
    assert not rule(*[f"person {i}" for i in range(60)]).use
    assert not rule(*[str(1000 + i) for i in range(60)]).use
    assert rule(*[str(i / 8 + 0.1) for i in range(60)]).binning == "open"
    assert not rule(*[f"word {i}" for i in range(1001)] * 3).use
    assert not rule("a", "b" * 501).use


def test_identifiers():
    assert recodes_as_identifier(column(*[f"p{i}" for i in range(51)]))
    assert not recodes_as_identifier(column(*[f"p{i}" for i in range(50)]))
    assert not recodes_as_identifier(column(*[f"p{i}" for i in range(51)] * 2))
    assert recodes_as_identifier(column(*[str(i) for i in range(51)], None, None))
    assert not recodes_as_identifier(column(*[str(i) for i in range(51)], *["1"] * 10))


def test_a_whole_table():
    table = read_text_table(b"id,age,likes\n1,20,yes\n2,,no\n3,40,\n4,50,no\n", "survey.csv")
    age = ColumnRule(missing="drop", binning="edges", edges=(0, 30, 60))
    rules = {"likes": ColumnRule(), "age": age, "id": ColumnRule(use=False)}
    data = recode(table, rules)
    assert data.schema.names == ("age", "likes")
    assert data.schema.attributes[1].categories == ("no", "yes", MISSING)
    assert data.codes.tolist() == [[0, 1], [1, 2], [1, 0]]
    assert data.title == "survey"


def test_whole_table_refusals():
    table = read_text_table(b"a,b\nx,\n,y\nz,\n", "t")
    drop = ColumnRule(missing="drop", categories=("x", "y", "z"))
    with pytest.raises(InputError, match="Every row has a missing value in 'a', 'b'"):
        recode(table, {"a": drop, "b": drop})
    with pytest.raises(InputError, match="No column is used"):
        recode(table, {"a": ColumnRule(use=False)})
    with pytest.raises(InputError, match="There is no column 'c': choose among a, b"):
        recode(table, {"c": drop})


def test_speed_depends_on_distinct_values():
    rng = np.random.default_rng(1)
    values = tuple(str(i) for i in range(200))
    codes = rng.integers(0, 200, 2_000_000).astype(np.int32)
    start = time.process_time()
    data = recode(TextTable((TextColumn("q", codes, values),)), {"q": ColumnRule(binning="equal-count")})
    assert time.process_time() - start < 1.5
    assert np.bincount(data.codes[:, 0]).min() > 390_000


FITTING = [
    (["yes", "no"], {}, ("no", "yes")),
    (["yes", "yes"], {"use": False}, ("no", "yes")),  # a column of one answer is no attribute by itself
    (["yes", "no"], {}, ("yes", "no", "no answer")),
    (["1", "7"], {"binning": "open", "edges": (5,)}, ("5 and more", "below 5")),
    (["yes", None], {"missing": "drop"}, ("no", "yes")),
    (["y", "n"], {"labels": (("y", "yes"), ("n", "no"))}, ("no", "yes")),
]


@pytest.mark.parametrize(("texts", "rule", "wanted"), FITTING)
def test_columns_become_the_attributes_of_a_plan_that_they_fit(texts, rule, wanted):
    table = TextTable((column(*texts),), "t")
    rules = rules_for_plan(table, {"q": ColumnRule(**rule)}, Schema((Attribute("q", wanted),)))
    assert recode(table, rules).schema.attributes[0].categories == wanted


@pytest.mark.parametrize(
    ("texts", "rule", "found"),
    [
        (["yes", "no", "maybe"], {}, "maybe"),
        (["maybe", "maybe"], {"use": False}, "maybe"),
        (["yes", "no", None], {}, MISSING),
        (["1", "7"], {"binning": "open", "edges": (5,)}, "below 5"),
    ],
)
def test_a_column_with_other_answers_than_a_plan_is_refused_by_the_first_of_them(texts, rule, found):
    with pytest.raises(InputError, match=re.escape(f"In 't', 'q' has '{found}', which the plan has not.")):
        rules_for_plan(TextTable((column(*texts),), "t"), {"q": ColumnRule(**rule)}, Schema((Attribute("q", ("no", "yes")),)))
