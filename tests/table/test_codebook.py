"""Codebooks and labels: codes become what they mean, and what nobody answered stays possible."""

import numpy as np
import pytest

from rrcore.errors import InputError
from rrcore.table import ColumnRule, TextColumn, TextTable, apply_codebook, read_codebook, recode_column
from rrcore.table.codebook import apply_labels


def column(*texts, name="sex"):
    values = tuple(dict.fromkeys(text for text in texts if text))
    return TextColumn(name, np.array([values.index(text) if text else -1 for text in texts], np.int32), values)


def people(column, rule):
    attribute, codes = recode_column(column, rule)
    return dict(zip(attribute.categories, np.bincount(codes, minlength=attribute.size).tolist(), strict=True))


@pytest.mark.parametrize(
    ("data", "found"),
    [
        (b"code,label\n1,male\n2,female\n", {"": (("1", "male"), ("2", "female"))}),
        (b"1;male\n2;female\n", {"": (("1", "male"), ("2", "female"))}),
        (
            b"column,code,label\nsex,1,male\nsex,2,female\nage,1,young\n",
            {"sex": (("1", "male"), ("2", "female")), "age": (("1", "young"),)},
        ),
        (b"1,male\n,nobody\n1,male\n", {"": (("1", "male"),)}),
    ],
)
def test_codebooks_of_two_and_three_columns(data, found):
    assert read_codebook(data, "codes.csv") == found


@pytest.mark.parametrize(
    ("data", "fragment"),
    [
        (b"a\nb\n", "The codebook has 1 columns: give two"),
        (b"a,b,c,d\n1,2,3,4\n", "The codebook has 4 columns"),
        (b"1,male\n1,female\n", "gives the code '1' two labels"),
        (b"sex,1,male\nsex,1,female\n", "gives the code '1' of 'sex' two labels"),
        (b"code,label\n,\n1,\n", "no row with a code and a label"),
        (b"", "The file is empty."),
    ],
)
def test_bad_codebooks_give_one_sentence(data, fragment):
    with pytest.raises(InputError) as caught:
        read_codebook(data, "codes.csv")
    assert fragment in str(caught.value)


def test_codes_go_by_their_labels_however_they_are_written():
    answers = column("1.0", "2", "2", "7", "")
    rule = apply_labels(answers, ColumnRule(), [("01", "male"), ("2", "female"), ("9", "refused")])
    assert people(answers, rule) == {"male": 1, "female": 2, "refused": 0, "7": 1, "(missing)": 1}


def test_a_codebook_of_another_column_is_refused():
    with pytest.raises(InputError, match="None of the codes 'x' occurs in 'sex'"):
        apply_labels(column("1", "2"), ColumnRule(), [("x", "y")])
    table = TextTable((column("1", "2"),))
    with pytest.raises(InputError, match="There is no column 'age'"):
        apply_codebook(table, {}, {"age": (("1", "young"),)})
    assert apply_codebook(table, {}, {"sex": (("1", "m"),)})["sex"].categories == ("m", "2")


def test_values_with_one_label_become_one_category():
    assert people(column("yes", "Yes", "no"), ColumnRule(labels=(("Yes", "yes"),))) == {"yes": 2, "no": 1}


def test_intervals_can_be_called_otherwise():
    ages = column(*map(str, range(20, 60)), name="age")
    rule = ColumnRule(edges=(20, 40, 60), labels=(("20 to below 40", "young"),))
    assert people(ages, rule) == {"below 20": 0, "young": 20, "40 to below 60": 20, "60 and more": 0}
