"""Recoding text columns: numbers, bins, missing values, merging, declared lists, default rules, and whole tables."""

import time

import numpy as np
import pytest

from rrcore.errors import InputError
from rrcore.table.opening import read_text_table
from rrcore.table.recoding import (
    MISSING,
    OTHER,
    ColumnRule,
    default_rule,
    recode,
    recoded_counts,
    recoding,
    rule_learned_names,
)
from rrcore.table.text_table import TextColumn, TextTable


def column(*texts, name="q"):
    """A column as reading makes it; None is missing."""
    quoted = "\n".join("1," if text is None else f'1,"{text}"' for text in texts)
    return read_text_table(f"row,{name}\n{quoted}\n".encode(), "t").column(name)


def labels(attribute, codes):
    return [None if code < 0 else attribute.categories[code] for code in codes]


def outcome(texts, **rule):
    found = column(*texts)
    attribute, lookup = recoding(found, ColumnRule(**rule))
    return attribute.categories, labels(attribute, lookup[found.codes])


AGES = [str(age) for age in range(18, 46)]


def test_plain_columns_keep_their_values():
    assert outcome(["b", "a", "b"]) == (("a", "b"), ["b", "a", "b"])
    attribute, codes = recoding(column("10", "9"), ColumnRule(kind="ordinal"))
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
    texts, called = ["a", None, "b", ""], ((MISSING, "no answer"),)
    assert outcome(texts, labels=called) == (("a", "b", "no answer"), ["a", "no answer", "b", "no answer"])
    assert outcome(texts, labels=((MISSING, "b"),)) == (("a", "b"), ["a", "b", "b", "b"])
    assert outcome(texts, labels=called, categories=("no answer", "a", "b"))[0] == ("no answer", "a", "b")
    assert outcome(texts, labels=called, missing="drop")[0] == ("a", "b")
    attribute, _ = recoding(column(*texts), rule := ColumnRule(labels=called, categories=("a", "b")))
    assert rule_learned_names(attribute, rule) == ("no answer",)


def test_names_of_values_and_of_intervals_can_be_changed():
    assert outcome(["yes", "Yes", "no"], labels=(("Yes", "yes"),)) == (("yes", "no"), ["yes", "yes", "no"])
    ages = outcome(["25", "45"], edges=(20, 40, 60), labels=(("20 to below 40", "young"),))
    assert ages == (("below 20", "young", "40 to below 60", "60 and more"), ["young", "40 to below 60"])


def test_intervals():
    categories, people = outcome([*AGES, None], edges=(20, 30.5, 40, 90))
    assert categories == ("below 20", "20 to below 30.5", "30.5 to below 40", "40 to below 90", "90 and more", MISSING)
    assert [people.count(category) for category in categories] == [2, 11, 9, 6, 0, 1]
    assert outcome(["1,5", "2,25", "3"], edges=(2.25,))[1] == ["below 2.25", "2.25 and more", "2.25 and more"]


REFUSED = [
    (["a", "1"], {"edges": (5,)}, "'q' contains 'a'"),
    (["1,5", "1.5"], {"edges": (5,)}, "which is not a number"),
    (["5", "6"], {"edges": (5.0, 5.0)}, "increasing order"),
    (["5", "6"], {"edges": (5.0, float("inf"))}, "The edges of 'q' are 5, inf"),
    (["a", "a"], {}, "'q' has only the category 'a'"),
    ([None, "?"], {"missing_marks": ("?",)}, "Every value of 'q' is missing"),
    (["a", "b"], {"categories": ("a", "a")}, "lists the category 'a' twice"),
    ([str(i) for i in range(1001)], {}, "'q' has 1,001 categories, but at most 1,000 are allowed"),
]


@pytest.mark.parametrize(("texts", "rule", "fragment"), REFUSED)
def test_refusals(texts, rule, fragment):
    with pytest.raises(InputError) as caught:
        recoding(column(*texts), ColumnRule(**rule))
    assert fragment in str(caught.value)


def test_default_rules():
    def rule(*texts):
        return default_rule(column(*texts))

    assert rule("a", "b", "b") == ColumnRule()
    assert rule("1", "2", "2").kind == "ordinal"
    assert rule(*AGES, *AGES) == ColumnRule(kind="ordinal", edges=(25.0, 30.0, 35.0, 40.0))
    assert not rule("a", "a").use
    assert not rule(None, None).use
    assert rule("yes", None).use
    assert not rule(*[f"person {i}" for i in range(60)]).use
    assert not rule(*[str(1000 + i) for i in range(60)]).use
    assert rule(*[str(i / 8 + 0.1) for i in range(60)]).edges
    assert not rule(*[f"word {i}" for i in range(1001)] * 3).use
    assert not rule("a", "b" * 501).use


LABELED = [
    ((("1", "agree"), ("2", "agree"), ("3", "disagree")), ("agree (1)", "agree (2)", "disagree")),
    ((("1", "2"), ("3", "no")), ("2 (1)", "2", "no")),
    ((("1", "yes"), ("2", "no"), ("3", "don't know"), ("9", "refused")), ("yes", "no", "don't know")),
    ((("1", "yes"), ("3", "yes"), ("9", "yes")), ("yes (1)", "2", "yes (3)")),
]


@pytest.mark.parametrize(("named", "categories"), LABELED)
def test_each_value_keeps_a_category_and_labels_without_people_are_none(named, categories):
    found = TextColumn("q", np.array([0, 1, 2] * 4), ("1", "2", "3"), named)
    attribute, people = recoded_counts(found, default_rule(found))
    assert (attribute.categories, people.tolist()) == (categories, [4, 4, 4])


def test_a_whole_table():
    table = read_text_table(b"id,age,likes\n1,20,yes\n2,,no\n3,40,\n4,50,no\n", "survey.csv")
    age = ColumnRule(missing="drop", edges=(30,))
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
    with pytest.raises(InputError, match="No column is included"):
        recode(table, {"a": ColumnRule(use=False)})
    with pytest.raises(InputError, match=r"'c'.* a, b"):
        recode(table, {"c": drop})


def test_speed_depends_on_distinct_values():
    rng = np.random.default_rng(1)
    values = tuple(str(i) for i in range(200))
    codes = rng.integers(0, 200, 2_000_000).astype(np.int32)
    start = time.process_time()
    data = recode(TextTable((TextColumn("q", codes, values),)), {"q": ColumnRule(edges=(40, 80, 120, 160))})
    assert time.process_time() - start < 1.5
    assert np.bincount(data.codes[:, 0]).min() > 390_000
