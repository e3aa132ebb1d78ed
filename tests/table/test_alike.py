"""Texts that look alike are found, told apart in words, and made one at one press."""

import numpy as np
import pytest

from rrcore.table import ColumnRule, TextColumn, advise, recode_column
from rrcore.table.alike import look_alikes, visible

ALIKE = {
    "Cyrillic e": ("Yes", "Y\u0435s"),
    "zero width": ("Yes", "Yes\u200b"),
    "soft hyphen": ("Yes", "Y\u00ades"),
    "composed": ("caf\u00e9", "cafe\u0301"),
    "capitals": ("Yes", "yes"),
    "sharp s": ("Straße", "STRASSE"),
    "full width": ("Yes", "Ｙｅｓ"),
    "Greek omicron": ("No", "N\u03bf"),
    "direction": ("Yes", "\u202eYes"),
    "two blanks": ("not now", "not  now"),
    "hard blank": ("not now", "not\u00a0now"),
    "dash": ("18-25", "18–25"),
    "apostrophe": ("don't", "don’t"),
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
    assert visible("Y\u0435s") == "Y[CYRILLIC SMALL LETTER IE]s"
    assert visible("Größe") == "Größe"


def test_declared_categories_follow():
    column = TextColumn("q", np.array([0, 0, 1, 2]), ("Yes", "Y\u0435s", "no"))
    (found,) = advise(column, ColumnRule(categories=("no", "Y\u0435s", "Yes", "perhaps")))
    assert found.rule.categories == ("no", "Yes", "perhaps")
