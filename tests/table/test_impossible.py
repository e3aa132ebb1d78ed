"""Combinations that cannot occur: declared, extended to wider marginals, kept by selections, refused where they make no sense."""

import itertools

import numpy as np
import pytest

from rrcore.errors import InputError
from rrcore.limits import MAX_IMPOSSIBLE
from rrcore.table import Attribute, Dataset, Impossible, Schema, merged_impossible

AGE = Attribute("age", ("child", "adult", "old"), "ordinal")
MARRIED = Attribute("married", ("no", "yes", "widowed"))
SEX = Attribute("sex", ("f", "m"))
RULE = Impossible(("married", "age"), (("yes", "child"), ("widowed", "child")))
TRIPLE = Impossible(("age", "sex", "married"), (("old", "m", "no"),))
SCHEMA = Schema((AGE, MARRIED, SEX), (RULE, TRIPLE))


def slow(schema, names):
    """Which cells cannot occur, one by one from the sentences of the rules."""
    attributes = [schema.attributes[schema.names.index(name)] for name in names]
    found = np.zeros([attribute.size for attribute in attributes], dtype=bool)
    for cell in itertools.product(*(range(attribute.size) for attribute in attributes)):
        person = {attribute.name: attribute.categories[code] for attribute, code in zip(attributes, cell, strict=True)}
        for rule in schema.impossible:
            if set(rule.attributes) <= set(person):
                found[cell] |= tuple(person[name] for name in rule.attributes) in rule.combinations
    return found


@pytest.mark.parametrize("width", [1, 2, 3])
def test_cells_are_those_that_the_rules_name_in_any_order_of_attributes(width):
    for names in itertools.permutations(SCHEMA.names, width):
        assert (SCHEMA.impossible_cells(names) == slow(SCHEMA, names)).all()
    assert SCHEMA.impossible_cells().sum() == 2 * 2 + 1


def test_records_are_found_as_cells_are():
    codes = np.array(list(itertools.product(range(3), range(3), range(2))), dtype=np.uint8)
    assert (SCHEMA.impossible_rows(codes) == slow(SCHEMA, SCHEMA.names).ravel()).all()
    unknown = codes.astype(np.int8)
    unknown[:, 0] = -1  # not known, so nothing is impossible
    assert not SCHEMA.impossible_rows(unknown).any()


def test_a_selection_keeps_the_rules_that_are_about_it_alone():
    assert SCHEMA.select(["sex", "age"]).impossible == ()
    assert SCHEMA.select(["age", "married"]).impossible == (RULE,)
    assert Dataset(SCHEMA, [[1, 1, 0]]).select(["age", "married"]).schema.impossible == (RULE,)


def test_schemas_without_rules_are_what_they_were():
    plain = Schema((AGE, MARRIED, SEX))
    assert plain == Schema((AGE, MARRIED, SEX), ()) != SCHEMA
    assert hash(plain) == hash(Schema((AGE, MARRIED, SEX), ()))
    assert plain.rules_to_dict() == {}
    assert not plain.impossible_cells().any()


def test_rules_stay_as_far_as_they_are_about_categories_that_are_there():
    younger = Schema((Attribute("age", ("child", "adult")), Attribute("married", ("no", "yes"))))
    assert younger.keeping(SCHEMA.impossible).impossible == (Impossible(("married", "age"), (("yes", "child"),)),)
    assert Schema((SEX,)).keeping(SCHEMA.impossible).impossible == ()


def test_rules_about_the_same_attributes_are_merged():
    turned = Impossible(("age", "married"), (("child", "yes"), ("old", "yes")))
    assert merged_impossible([RULE, turned]) == (
        Impossible(("married", "age"), (("yes", "child"), ("widowed", "child"), ("yes", "old"))),
    )


def test_a_renamed_attribute_is_renamed_in_its_rule():
    assert RULE.renamed("age", "years").attributes == ("married", "years")


def test_a_table_that_has_what_cannot_occur_is_refused_with_what_and_how_many():
    good = Dataset(Schema((AGE, MARRIED)), [[0, 0], [1, 1], [2, 2]])
    assert good.declaring([RULE]).schema.impossible == (RULE,)
    bad = Dataset(Schema((AGE, MARRIED)), [[0, 1], [1, 1], [0, 1], [0, 2]])
    with pytest.raises(InputError) as error:
        bad.declaring([RULE])
    assert str(error.value) == (
        "3 people have a combination that was declared impossible: married 'yes' with age 'child' (2); married 'widowed' with age 'child' "
        "(1). Take the combination out of the rules, or correct the table."
    )


def pair(*combinations):
    return Impossible(("age", "married"), combinations)


@pytest.mark.parametrize(
    ("make", "sentence"),
    [
        (lambda: Impossible(("age",), (("child",),)), "are of 1 attribute: name 2 to 8"),
        (lambda: Impossible(("age", "age"), (("child", "child"),)), "are of 2 attributes: name 2 to 8 different ones"),
        (lambda: pair(), "'age' and 'married' have 0 combinations that cannot occur: give 1 to 10,000."),
        (lambda: pair(*[(str(i), "no") for i in range(MAX_IMPOSSIBLE + 1)]), "have 10,001 combinations"),
        (lambda: pair(("child",)), "has 1 categories: give one for each attribute"),
        (lambda: pair(("child", "yes"), ("child", "yes")), "The combination age 'child' with married 'yes' is listed twice"),
        (lambda: Schema((AGE, SEX), (pair(("child", "yes")),)), "There is no attribute 'married': choose among age, sex."),
        (lambda: Schema((AGE, MARRIED), (pair(("baby", "yes")),)), "names the category 'baby' of 'age', which has no such one"),
        (lambda: Schema((AGE, MARRIED), (RULE, pair(("old", "yes")))), "Two lists say which combinations of 'age' and 'married'"),
        (
            lambda: Schema((AGE, MARRIED), (pair(("child", "no"), ("child", "yes"), ("child", "widowed")),)),
            "No combination with age 'child' would be left of 'age' and 'married': leave that category out.",
        ),
    ],
)
def test_rules_that_make_no_sense_are_refused_in_a_sentence(make, sentence):
    with pytest.raises(InputError) as error:
        make()
    assert sentence in str(error.value)


def test_rules_that_leave_nothing_together_are_refused_where_it_shows():
    yes_no = [Attribute(name, ("a", "b")) for name in "xyz"]
    unlike = [Impossible(names, (("a", "a"), ("b", "b"))) for names in (("x", "y"), ("y", "z"), ("x", "z"))]
    with pytest.raises(InputError, match="leave no combination that can occur"):
        Schema(tuple(yes_no), tuple(unlike)).impossible_cells()
