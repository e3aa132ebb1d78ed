"""A table at hand becomes a Dataset: files, pandas, polars, pyarrow, and whatever else has the Arrow PyCapsule interface."""

import warnings

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from rrcore.errors import InputError, TableWarning
from rrcore.table import Attribute, Schema, load_demo, read_table

COLUMNS = {
    "smokes": ["no", "yes", None, "no"],
    "age": [31, 45, 31, 60],
    "member": [True, False, None, True],
    "visits": [1, None, 3, 3],
}


class OnlyCapsule:
    """A table of a library that nobody here has heard of."""

    def __init__(self, table):
        self._table = table

    def __arrow_c_stream__(self, requested_schema=None):
        return self._table.__arrow_c_stream__(requested_schema)


LIBRARIES = {
    "pandas": pd.DataFrame,
    "pandas with an index": lambda columns: pd.DataFrame(columns, index=["u", "v", "w", "x"]),
    "pandas by numpy": lambda columns: pd.DataFrame({name: np.array(values, dtype=object) for name, values in columns.items()}),
    "polars": pl.DataFrame,
    "pyarrow": pa.table,
    "a stream": lambda columns: pa.table(columns).to_reader(max_chunksize=1),
    "a batch": pa.record_batch,
    "a capsule only": lambda columns: OnlyCapsule(pa.table(columns)),
}


@pytest.mark.parametrize("library", LIBRARIES)
def test_every_library_gives_the_same_dataset(library):
    table = read_table(LIBRARIES[library](COLUMNS))
    assert table.schema == Schema(
        (
            Attribute("smokes", ("no", "yes", "(missing)")),
            Attribute("age", ("31", "45", "60"), "ordinal"),
            Attribute("member", ("FALSE", "TRUE", "(missing)")),
            Attribute("visits", ("1", "3", "(missing)"), "ordinal"),
        )
    )
    assert table.codes.tolist() == [[0, 0, 1, 0], [1, 1, 0, 2], [2, 0, 2, 1], [0, 2, 1, 1]]


CATEGORICAL = {
    "pandas": pd.DataFrame({"a": pd.Categorical(["mid", None, "low"], ["low", "mid", "high"], ordered=True)}),
    "polars": pl.DataFrame({"a": ["mid", None, "low"]}, schema={"a": pl.Enum(["low", "mid", "high"])}),
    "pyarrow": pa.table({"a": pa.DictionaryArray.from_arrays([1, None, 0], ["low", "mid", "high"], ordered=True)}),
}


@pytest.mark.parametrize("library", CATEGORICAL)
def test_declared_categories_stay_even_those_nobody_has(library):
    table = read_table(CATEGORICAL[library])
    assert table.schema.attributes == (Attribute("a", ("low", "mid", "high", "(missing)"), "ordinal"),)
    assert table.codes.ravel().tolist() == [1, 3, 0]


def test_dictionaries_in_pieces_are_one():
    halves = [pl.DataFrame({"a": part}, schema={"a": pl.Categorical}) for part in (["x", "y"], ["z", "y"])]
    table = read_table(pl.concat(halves, rechunk=False))
    assert table.schema.attributes[0] == Attribute("a", ("x", "y", "z"))
    assert table.codes.ravel().tolist() == [0, 1, 2, 1]


def test_files_by_path_and_by_content(tmp_path):
    path = tmp_path / "survey.csv"
    path.write_text("sex,age\nf,31\nm,45\nf,60\n")
    for source in (path, str(path), path.read_bytes()):
        table = read_table(source)
        assert table.schema.names == ("sex", "age")
        assert table.title == ("table" if isinstance(source, bytes) else "survey")
    assert read_table(path, title="Pilot").title == "Pilot"


def test_columns_are_chosen_in_their_order_or_by_a_schema():
    frame = pl.DataFrame(COLUMNS)
    assert read_table(frame, columns=["visits", "smokes"]).schema.names == ("visits", "smokes")
    asked = Schema((Attribute("member", ("TRUE", "FALSE", "(missing)")), Attribute("smokes", ("yes", "no", "(missing)"))))
    table = read_table(frame, columns=asked)
    assert table.schema == asked
    assert table.codes.tolist() == [[0, 1], [1, 0], [2, 2], [0, 1]]


def test_a_dataset_comes_back_from_arrow_pandas_and_polars():
    dataset = load_demo("titanic")
    for frame in (dataset, dataset.to_arrow(), dataset.to_pandas(), pl.DataFrame(dataset)):
        back = read_table(frame, columns=dataset.schema if isinstance(frame, pl.DataFrame) else None)
        assert back.schema == dataset.schema
        np.testing.assert_array_equal(back.codes, dataset.codes)
    assert isinstance(dataset.to_pandas()["Class"].dtype, pd.CategoricalDtype)


REFUSED = {
    "a list": ([1, 2], "got list"),
    "no file": ("nowhere.csv", "'nowhere.csv' cannot be read"),
    "mixed": (pd.DataFrame({"a": [1, "x"]}), "cannot be read through Arrow"),
    "twice": (pd.DataFrame([[1, 2]], columns=["a", "a"]), "cannot be read through Arrow"),
    "a series": (pd.Series([1, 2]), "cannot be read through Arrow|got Series"),
    "lists": (pl.DataFrame({"a": [[1], [2]]}), "Column 'a' contains values of the type"),
    "bytes": (pl.DataFrame({"a": [b"x", b"\xff"]}), "Column 'a' contains bytes that are not text"),
    "no rows": (pl.DataFrame({"a": []}), "column names but no rows"),
    "nothing to use": (pl.DataFrame({"a": ["x", "x"]}), "No column is included"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_what_is_no_table_is_refused_in_one_sentence(case):
    source, sentence = REFUSED[case]
    with pytest.raises(InputError, match=sentence), warnings.catch_warnings(action="ignore"):
        read_table(source)


def test_columns_that_are_left_out_or_grouped_are_named_once():
    frame = pl.DataFrame(
        {
            "id": [f"person {i}" for i in range(80)],
            "sex": ["f", "m"] * 40,
            "age": [20 + i % 50 for i in range(80)],
            "here": ["yes"] * 80,
        }
    )
    with pytest.warns(TableWarning) as caught:
        assert read_table(frame).schema.names == ("sex", "age")
    (message,) = [str(one.message) for one in caught]
    assert all(text in message for text in ("'id'", "'age'", "'here'", "columns=", "bins="))
    assert "'sex'" not in message
    with pytest.warns(TableWarning, match="'age'") as caught:
        table = read_table(frame, columns=["age", "id"])
    assert (table.schema.names, table.schema.sizes[1]) == (("age", "id"), 80)
    assert "'id'" not in str(caught[0].message)
    with warnings.catch_warnings(action="error"):
        table = read_table(frame, columns=["age", "sex"], bins={"age": [30, 60]})
        assert table.schema.sizes == (3, 2)
        read_table(frame, columns=Schema((Attribute("sex", ("f", "m")),)))


def test_a_column_that_cannot_be_an_attribute_is_refused_by_name():
    frame = pl.DataFrame({"here": ["yes"] * 80, "sex": ["f", "m"] * 40})
    with pytest.raises(InputError, match="'here' has only the category 'yes'"):
        read_table(frame, columns=["here", "sex"])
    with pytest.raises(InputError, match="here, sex"):
        read_table(frame, columns=["age"])
    with pytest.raises(InputError, match="There is no column 'income'"):
        read_table(frame, bins={"income": [5]})
