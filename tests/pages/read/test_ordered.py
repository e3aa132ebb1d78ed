"""Read, in order: cumulative shares, the median, and a mean of numbers that are seen."""

import numpy as np
import pytest

from rrcore.mechanisms import build
from rrcore.promise.integers import integer_groups
from rrcore.promise.mechanism_file import MechanismFile
from rrcore.promise.sampler import randomise
from rrcore.table.dataset import Dataset
from rrcore.table.schema import Attribute, Schema
from tests.pages.read.test_read_page import choose, section, shown

AGE = ("under 20", "20 to 29", "30 to 39", "40 and over")


@pytest.fixture
def read(session):
    return session.go("read")


def answers(kind="ordinal"):
    schema = Schema((Attribute("age", AGE, kind), Attribute("smokes", ("no", "yes"))))
    file = MechanismFile(schema, integer_groups(build("kronecker", schema.sizes, [2.5, 2.0])))
    codes = np.stack([np.repeat([0, 1, 2, 3], [100, 300, 400, 200]), np.arange(1000) % 2], axis=1)
    return file, ("answers.csv", randomise(file, Dataset(schema, codes)).to_csv().encode())


def test_an_ordered_attribute_as_a_sentence_a_figure_a_table_and_a_file(read):
    section(choose(read, *answers()), "order")
    assert "or before it in order (95 %: " in read.text
    assert "; the median is “30 to 39”" in read.text
    assert read.figures["read-in-order"].traces[1:] == [
        "95 % interval",
        "this category or before it",
        "median, with 95 % interval",
    ]
    table = shown(read, "This or before it")
    assert table["age"].tolist() == list(AGE)
    assert table["This or before it"].tolist()[-1] == "100.0 %"
    assert table["Rank"].tolist() == list("1234")
    assert "Mean of ranks, 1 for “under 20” to 4: 2." in read.text
    assert read.download("in-order-age.csv").startswith("what,age,estimate,low,high,standard error\nthis or before it,under 20,")
    first = shown(read, "This or before it")["This or before it"].tolist()
    read.set("radio", "Errors are against", False)
    assert shown(read, "This or before it")["This or before it"].tolist() != first


def test_numbers_are_proposed_and_a_band_with_an_open_end_needs_one_of_a_person(read):
    section(choose(read, *answers()), "order")
    read.set("radio", "Mean of", "numbers")
    assert read.table["number"].tolist()[1:3] == [24.5, 34.5]
    assert read.table["number"].isna().tolist() == [True, False, False, True]
    assert any("Type a number for “under 20”" in warning for warning in read.warnings)
    assert "Mean of ranks" in read.text
    read.edit({0: {"number": 16}, 3: {"number": 55}})
    assert "Mean of the numbers given: 3" in read.text
    assert shown(read, "This or before it")["Number"].tolist() == ["16", "24.5", "34.5", "55"]
    section(read, "joint")
    section(read, "order")
    assert "Mean of the numbers given: 3" in read.text


def test_without_an_order_the_section_says_what_to_do(read):
    section(choose(read, *answers("nominal")), "order")
    assert "Declare the kind of such an attribute as ordinal on Data" in read.text
    choose(read, *answers())
    read.set("multiselect", "Joint distribution of", ["smokes"])
    assert "Choose one that has, under “Joint distribution of”: age." in read.text


def test_empty_cells_in_the_order_are_told(read):
    schema = Schema((Attribute("age", ("young", "old", "(missing)"), "ordinal"),))
    file = MechanismFile(schema, integer_groups(build("kronecker", schema.sizes, [2.5])))
    collected = randomise(file, Dataset(schema, np.arange(600)[:, None] % 3))
    section(choose(read, file, ("answers.csv", collected.to_csv().encode())), "order")
    assert any("“(missing)” counts here as the last of the order" in warning for warning in read.warnings)


def test_an_order_without_empty_cells_has_no_warning(read):
    assert section(choose(read, *answers()), "order").warnings == []
