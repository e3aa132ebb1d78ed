"""Which names of categories were read off the data, and what edges and advice do about it."""

import numpy as np
import pytest

from rrcore.table import ColumnRule, TextColumn, advise, read_text_table
from rrcore.table.recoding import default_rule, recoding, rule_learned_names

AMOUNTS = [250, *(700 + 37 * (i % 240) for i in range(998)), 18424]


def column(texts, name="q"):
    rows = "\n".join("1," if text is None else f'1,"{text}"' for text in texts)
    return read_text_table(f"row,{name}\n{rows}\n".encode(), "t").column(name)


def became(texts, rule=None):
    found = column(texts)
    rule = rule or default_rule(found)
    return recoding(found, rule)[0], rule


def test_extremes_are_in_no_name():
    """In a table of credit amounts the last category was once called "4730 to 18424", and exactly one person had 18424."""
    attribute, rule = became(AMOUNTS)
    assert attribute.categories[0].startswith("below ")
    assert attribute.categories[-1].endswith(" and more")
    assert not [name for name in attribute.categories if "250" in name.split() or "18424" in name.replace(",", "")]
    assert rule_learned_names(attribute, rule) == ()
    other, _ = became([*AMOUNTS[1:-1], 1, 9_999_999])
    assert other.categories == attribute.categories


@pytest.mark.parametrize(
    ("texts", "rule", "learned"),
    [
        (["a", "b"], ColumnRule(), ("a", "b")),
        (["a", "b", None], ColumnRule(categories=("a", "b", "c")), ("(missing)",)),
        (["a", "b", None], ColumnRule(categories=("a", "b", "(missing)")), ()),
        (["a", "d"], ColumnRule(categories=("a", "b")), ("(other)",)),
        (["1", "9"], ColumnRule(edges=(5,)), ()),
        (["1", "9"], ColumnRule(edges=(5,), labels=(("below 5", "few"),)), ()),
        (["1", "9", None], ColumnRule(edges=(5,)), ("(missing)",)),
    ],
)
def test_learned_names(texts, rule, learned):
    attribute, _ = became(texts, rule)
    assert rule_learned_names(attribute, rule) == learned


def test_categories_that_nobody_gave_can_be_declared():
    attribute, _ = became(["1", "9"], ColumnRule(edges=(5, 10, 20)))
    assert attribute.categories == ("below 5", "5 to below 10", "10 to below 20", "20 and more")
    attribute, _ = became(["no", "no"], ColumnRule(categories=("no", "yes")))
    assert attribute.categories == ("no", "yes")


def test_categories_of_fewer_than_five_people_are_proposed_for_merging():
    jobs = column(["farmer"] * 40 + ["clerk"] * 5 + ["lion tamer"] + ["diver"] * 4)
    rule = default_rule(jobs)
    (found,) = advise(jobs, rule)
    assert found.message == "2 categories have fewer than 5 people: 'diver' (4 people), 'lion tamer' (1 person)."
    merged, _ = recoding(jobs, found.rule)
    assert merged.categories == ("clerk", "farmer", "(other)")
    assert advise(jobs, found.rule) == ()
    assert "lion tamer" not in repr(found.rule)
    assert advise(jobs, ColumnRule(categories=("farmer", "clerk", "lion tamer", "diver"))) == ()  # somebody declared them


def test_labels_of_a_file_are_declared_and_values_without_one_are_not():
    labels = (("0", "not at all"), ("10", "completely"))
    scale = TextColumn("trust", np.array([0, 1, 2] * 9), ("0", "5", "10"), labels)
    rule = default_rule(scale)
    assert rule_learned_names(recoding(scale, rule)[0], rule) == ("not at all", "5", "completely")
    scale = TextColumn("trust", np.array([0, 1] * 9), ("0", "10"), labels)
    rule = default_rule(scale)
    assert rule_learned_names(recoding(scale, rule)[0], rule) == ()
