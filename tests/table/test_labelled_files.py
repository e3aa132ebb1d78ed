"""SPSS and Stata: labels become categories, damaged files a sentence, and nothing goes to disk."""

import gzip
import sys
from contextlib import suppress

import numpy as np
import pytest

from rrcore.errors import InputError
from rrcore.table import read_text_table, recode
from rrcore.table.read import first_rules
from rrcore.table.reading.formats import recognise

pandas = pytest.importorskip("pandas")
pyreadstat = pytest.importorskip("pyreadstat", reason="needs rr-workbench[labels]")

FRAME = pandas.DataFrame(
    {
        "sex": [1.0, 2.0, 1.0, np.nan] * 5,
        "mood": [0.0, 5.0, 10.0, 3.0] * 5,
        "age": [31.0, 45.5, 31.0, 60.0] * 5,
        "text": ["x", "y", "x", ""] * 5,
    }
)
LABELS = {"sex": {1: "male", 2: "female", 9: "refused"}, "mood": {0: "worst", 10: "best"}}


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    folder = tmp_path_factory.mktemp("labelled")
    asked = {"sex": "Sex of the respondent"}
    pyreadstat.write_sav(
        FRAME, folder / "a.sav", variable_value_labels=LABELS, column_labels=asked, variable_measure={"mood": "ordinal"}
    )
    pyreadstat.write_dta(FRAME, folder / "a.dta", variable_value_labels={"sex": LABELS["sex"]}, column_labels=asked)
    return {path.name: path.read_bytes() for path in folder.iterdir()}


@pytest.mark.slow
@pytest.mark.parametrize("name", ["a.sav", "a.dta"])
def test_labels_become_the_possible_answers(files, name):
    table = read_text_table(files[name], name)
    assert (table.title, table.n, table.names) == ("a", 20, ("sex", "mood", "age", "text"))
    dataset = recode(table, first_rules(table))
    sex, mood, age, _ = dataset.schema.attributes
    assert sex.categories == ("male", "female", "refused", "(missing)")  # a possible answer that nobody gave stays one
    assert dataset.shares(["sex"]).tolist() == [0.5, 0.25, 0, 0.25]
    assert table.column("sex").question == "Sex of the respondent"
    if name == "a.sav":
        assert (mood.categories, mood.kind) == (("worst", "3", "5", "best"), "ordinal")
    assert age.categories == ("31", "45.5", "60")
    assert table.column("text").missing == 5


@pytest.mark.slow
@pytest.mark.parametrize("name", ["a.sav", "a.dta"])
def test_a_damaged_file_gives_one_sentence(files, name):
    """The C library behind pyreadstat crashes on some of these: that is why it has a process of its own."""
    data = gzip.decompress(files[name]) if name == "a.rds" else files[name]
    rng, broken = np.random.default_rng(3), bytearray(data)
    for place in rng.integers(5, len(broken), 12):
        broken[place] = int(rng.integers(256))
    for piece in (bytes(broken), data[: len(data) // 2]):
        with suppress(InputError):
            assert read_text_table(piece, name).n > 0


@pytest.mark.parametrize(("name", "library"), [("a.sav", "pyreadstat"), ("a.dta", "pyreadstat")])
def test_without_the_extra_one_sentence_says_what_to_install(files, monkeypatch, name, library):
    monkeypatch.setitem(sys.modules, library, None)
    with pytest.raises(InputError, match=rf"needs {library}: install rr-workbench\[labels\]"):
        recognise(memoryview(files[name]), name).read()


@pytest.mark.parametrize("content", [b"X\n\0\0\0\3", b"RDX3\nX\n"])
def test_a_file_of_r_is_refused_with_what_to_do(content):
    with pytest.raises(InputError, match="CSV or Parquet"):
        read_text_table(content, "a.rds")
