"""The table of codes: validation, selection, resampling, and CSV that no spreadsheet runs as a formula."""

import csv
import io

import numpy as np
import pytest

from rrcore.errors import InputError
from rrcore.table.dataset import Dataset, codes_of
from rrcore.table.schema import Attribute, Schema
from rrcore.wording import spreadsheet_safe

SCHEMA = Schema((Attribute("a", ("x", "y")), Attribute("b", ("p", "q", "r"))))
CODES = np.array([[0, 2], [1, 0], [1, 1]])


def test_codes_are_kept_column_by_column_and_cannot_be_changed():
    data = Dataset(SCHEMA, CODES)
    assert data.codes.dtype == np.int8
    assert data.codes.flags.f_contiguous
    assert (data.n, data.k) == (3, 2)
    with pytest.raises(ValueError, match="read-only"):
        data.codes[0, 0] = 1


@pytest.mark.parametrize(
    ("codes", "sentence"),
    [
        (CODES[:, :1], "shape (n, 2)"),
        (CODES[:0], "no records"),
        (CODES * 1.0, "Expected integer"),
        (CODES + 1, "A code of 'a' is 2. Expected 0 to 1."),
        (CODES - 1, "A code of 'a' is -1. Expected 0 to 1."),
        (CODES + np.array([0, 2**32]), "A code of 'b' is 4294967298. Expected 0 to 2."),
    ],
)
def test_bad_codes_are_refused(codes, sentence):
    with pytest.raises(InputError) as error:
        Dataset(SCHEMA, codes)
    assert sentence in str(error.value)


def test_select_reorders_columns():
    chosen = Dataset(SCHEMA, CODES, "t").select(["b", "a"])
    assert chosen.schema.names == ("b", "a")
    np.testing.assert_array_equal(chosen.codes, CODES[:, ::-1])


def test_resampling_draws_whole_records():
    drawn = Dataset(SCHEMA, CODES).resample(1000, rng=np.random.default_rng(0))
    assert {tuple(row) for row in drawn.codes.tolist()} == {tuple(row) for row in CODES.tolist()}
    with pytest.raises(InputError, match="of at least 1"):
        drawn.resample(0, rng=np.random.default_rng(0))


@pytest.mark.parametrize("text", ["=1+1", "+SUM(A1)", "-2+3", "@cmd", "\tx", "\rx", "=cmd|' /C calc'!A0"])
def test_formulas_get_an_apostrophe(text):
    assert spreadsheet_safe(text) == "'" + text


def test_formulas_after_a_semicolon_get_an_apostrophe():
    assert spreadsheet_safe("a;=cmd|x;-1\n+b") == "a;'=cmd|x;-1\n'+b"


@pytest.mark.parametrize("text", ["-5", "+3.5", "-1,5", "1e-3", "<=50K", "yes", "", "007", "a=b"])
def test_numbers_and_ordinary_texts_stay(text):
    assert spreadsheet_safe(text) == text


def test_csv_quotes_and_protects():
    schema = Schema((Attribute("=name", ('say "no", twice', "=1+1")), Attribute("b", ("two\nlines", "ü"))))
    text = Dataset(schema, np.array([[0, 0], [1, 1]])).to_csv()
    assert list(csv.reader(io.StringIO(text))) == [["'=name", "b"], ['say "no", twice', "two\nlines"], ["'=1+1", "ü"]]


def test_texts_that_occur_decide_whether_names_were_made_safe():
    attribute = Attribute("q", ("=1", "'=1"))
    assert codes_of(attribute, ["=1", "'=1"])["'=1"] == 1
    assert codes_of(attribute, ["'=1", "''=1"])["'=1"] == 0
