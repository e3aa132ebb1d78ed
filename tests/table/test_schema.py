"""Attributes and schemas: what is refused, in which words, and what survives a round trip."""

import pytest

from rrcore.errors import InputError
from rrcore.limits import MAX_CATEGORIES, MAX_COLUMNS, MAX_TEXT
from rrcore.table.schema import Attribute, Schema

SMOKES = Attribute("smokes", ("no", "yes"))
HEALTH = Attribute("health", ("poor", "fair", "good"), "ordinal")


@pytest.mark.parametrize(
    ("name", "categories", "kind", "sentence"),
    [
        ("", ("no", "yes"), "nominal", "An attribute has the name ''"),
        ("  ", ("no", "yes"), "nominal", "An attribute has the name '  '"),
        ("x" * (MAX_TEXT + 1), ("no", "yes"), "nominal", f"1 to {MAX_TEXT} characters"),
        ("smokes", ("no",), "nominal", "'smokes' has only the category 'no', but an attribute needs at least 2"),
        ("smokes", "no", "nominal", "'smokes' are a single string"),
        ("smokes", (), "nominal", "'smokes' has no categories, but an attribute needs at least 2"),
        ("smokes", ("no", "no"), "nominal", "'smokes' lists the category 'no' twice"),
        ("smokes", ("no", ""), "nominal", "'smokes' has the category ''"),
        ("smokes", ("no", "y" * (MAX_TEXT + 1)), "nominal", f"1 to {MAX_TEXT} characters"),
        ("id", tuple(map(str, range(MAX_CATEGORIES + 1))), "nominal", f"'id' has {MAX_CATEGORIES + 1:,} categories, but at most"),
        ("smokes", ("no", "yes"), "numeric", "The kind of 'smokes' is 'numeric'. It must be 'nominal' or 'ordinal'."),
    ],
)
def test_a_bad_attribute_gets_one_sentence(name, categories, kind, sentence):
    with pytest.raises(InputError) as error:
        Attribute(name, categories, kind)
    assert sentence in str(error.value)
    assert str(error.value).endswith(".")


def test_sizes_and_positions():
    schema = Schema((SMOKES, HEALTH))
    assert schema.sizes == (2, 3)
    assert schema.axes(["health", "smokes"]) == (1, 0)
    assert schema.select(["health"]).names == ("health",)
    assert schema.cells == 6


@pytest.mark.parametrize(
    ("names", "sentence"),
    [(["age"], "'age'.* smokes, health"), (["health"] * 2, "'health' is named twice")],
)
def test_unknown_and_repeated_names(names, sentence):
    with pytest.raises(InputError, match=sentence):
        Schema((SMOKES, HEALTH)).axes(names)


def test_a_schema_needs_attributes_with_names_of_their_own():
    with pytest.raises(InputError, match="No attribute is chosen"):
        Schema(())
    with pytest.raises(InputError, match="Two attributes are named 'smokes'"):
        Schema((SMOKES, SMOKES))
    with pytest.raises(InputError, match=f"Use at most {MAX_COLUMNS:,}"):
        Schema(tuple(Attribute(f"q{i}", ("a", "b")) for i in range(MAX_COLUMNS + 1)))
