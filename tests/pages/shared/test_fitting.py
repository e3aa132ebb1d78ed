"""Columns that become the attributes of a declared plan, or are refused by the first answer that it has not."""

import re

import pytest

from pages.shared.state import rules_for_plan
from rrcore.errors import InputError
from rrcore.table import MISSING, Attribute, ColumnRule, Schema, TextTable, read_text_table, recode


def column(*texts, name="q"):
    """A column as reading makes it; None is missing."""
    quoted = "\n".join("1," if text is None else f'1,"{text}"' for text in texts)
    return read_text_table(f"row,{name}\n{quoted}\n".encode(), "t").column(name)


FITTING = [
    (["yes", "no"], {}, ("no", "yes")),
    (["yes", "yes"], {"use": False}, ("no", "yes")),  # a column of one answer is no attribute by itself
    (["yes", "no"], {}, ("yes", "no", "no answer")),
    (["1", "7"], {"edges": (5,)}, ("5 and more", "below 5")),
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
        (["1", "7"], {"edges": (5,)}, "1"),
    ],
)
def test_a_column_with_other_answers_than_a_plan_is_refused_by_the_first_of_them(texts, rule, found):
    with pytest.raises(InputError, match=re.escape(f"In 't', 'q' has '{found}', which the plan has not.")):
        rules_for_plan(TextTable((column(*texts),), "t"), {"q": ColumnRule(**rule)}, Schema((Attribute("q", ("no", "yes")),)))
