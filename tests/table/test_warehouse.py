"""Tables counted in a warehouse: the same counts as from a file, and nothing but counts leaves it."""

from importlib.util import find_spec

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from rrcore.__main__ import main
from rrcore.errors import InputError
from rrcore.table import Attribute, Counts, Schema, pairs, warehouse
from rrcore.table.mark import marks_in, simulation_mark
from rrcore.table.stream import coder, count, open_stream, survey
from rrcore.table.warehouse import count_table, open_table, survey_table

pytestmark = [
    pytest.mark.slow,
    pytest.mark.filterwarnings("ignore:fetch_:DeprecationWarning"),  # of Ibis, about DuckDB
    pytest.mark.skipif(
        not (find_spec("ibis") and find_spec("duckdb")), reason="it needs Ibis and DuckDB: rr-workbench[warehouse]"
    ),
]

N = 3_000


def records():
    """A table with every kind of column, and what is missing in it."""
    rng = np.random.default_rng(5)
    texts = np.array(["north", "south ", " south", "", "middle"])[rng.integers(5, size=N)]
    days = np.array(["2026-01-02", "2026-01-03", "NaT"], "M8[D]")[rng.integers(3, size=N)]
    numbers = np.array([0.5, 2.0, np.nan, 0.0, -0.0])[rng.integers(5, size=N)]
    ages = pa.array(rng.integers(20, 24, size=N), pa.int16(), mask=rng.random(N) < 0.1)
    return pa.table(
        {"region": texts, "day": days, "score": numbers, "age": ages, "smokes": rng.random(N) < 0.3, "weights": numbers * 2}
    )


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    import duckdb  # here, as all workers collect this file and one of them runs it

    folder = tmp_path_factory.mktemp("warehouse")
    table = records()
    pq.write_table(table, folder / "panel.parquet")
    with duckdb.connect(str(folder / "panel.db")) as connection:
        connection.register("given", table)
        connection.execute("create table answers as select * from given")
        connection.execute("create table nested as select [1, 2] as list")
    return folder


@pytest.fixture(scope="module")
def table(place):
    return open_table(f"duckdb://{place / 'panel.db'}#answers")


def as_lists(counts):
    return (
        counts.schema,
        counts.n,
        counts.left_out,
        counts.incomplete,
        {names: own.tolist() for names, own in counts.tables.items()},
    )


def test_what_occurs_is_what_a_file_shows(place, table):
    file, found = survey(open_stream(place / "panel.parquet")), survey_table(table)
    assert found.n == file.n == N
    for own, expected in zip(found.columns, file.columns, strict=True):
        assert (own.name, own.values, own.counts.tolist(), own.missing) == (
            expected.name,
            expected.values,
            expected.counts.tolist(),
            expected.missing,
        )


@pytest.mark.parametrize("most", [1 << 18, 30])
def test_counts_are_those_of_the_file(place, table, most, monkeypatch):
    monkeypatch.setattr(warehouse, "_MOST_GROUPS", most)  # one query for all marginals, or several
    names = ["region", "day", "score", "age", "smokes"]
    file = open_stream(place / "panel.parquet")
    how = survey(file).coder(names)
    marginals = [*pairs(how.schema), ("region", "smokes", "age"), ("day",)]
    assert as_lists(count_table(table, names, marginals)) == as_lists(count(file, how, marginals))


@pytest.mark.parametrize("most", [1 << 18, 5])
def test_answers_that_are_missing_or_not_possible_are_dealt_with_as_in_a_file(place, table, most, monkeypatch):
    monkeypatch.setattr(warehouse, "_MOST_GROUPS", most)
    schema = Schema(
        (Attribute("region", ("north", "south")), Attribute("age", ("20", "21", "22", "23")), Attribute("score", ("0.5", "2")))
    )
    how = coder(schema)
    expected = count(open_stream(place / "panel.parquet"), how, pairs(schema))
    assert 0 < expected.left_out < N
    assert 0 < expected.incomplete < expected.n
    assert as_lists(count_table(table, schema, pairs(schema))) == as_lists(expected)


def test_a_few_queries_do_it_all(table, monkeypatch):
    asked = []
    connection = table.get_backend()
    run = connection.to_pyarrow_batches
    monkeypatch.setattr(connection, "to_pyarrow_batches", lambda expression, **more: asked.append(1) or run(expression, **more))
    schema = survey_table(table, ["region", "smokes", "age"]).coder(["region", "smokes", "age"]).schema
    asked.clear()
    count_table(table, schema, pairs(schema))
    assert len(asked) == 3 + 1


@pytest.mark.parametrize(
    ("address", "sentence"),
    [
        ("duckdb://{}/panel.db", r"names no table: write # and its name after the warehouse"),
        ("duckdb://{}/panel.db#pannel", r"has no table 'pannel': its tables are answers, nested\."),
        ("duckdb://{}/missing.db#answers", r"cannot be opened: check the address"),
        ("nosuch://host#answers", r"cannot be opened: check the address"),
    ],
)
def test_addresses_that_lead_nowhere(address, sentence, place):
    with pytest.raises(InputError, match=sentence):
        open_table(address.format(place))
    assert not (place / "missing.db").exists()


def test_the_command_describes_a_table_where_it_is(place, capsys):
    assert main(["describe", "--in", f"duckdb://{place / 'panel.db'}#answers"]) == 0
    told = capsys.readouterr().out
    assert told.startswith("answers: 3,000 rows, 6 columns\nregion: 3 categories, ")


def test_a_simulation_that_was_loaded_keeps_its_mark(tmp_path):
    import duckdb

    mark = simulation_mark(7)
    with duckdb.connect(str(tmp_path / "loaded.db")) as connection:
        connection.register("given", pa.table({mark: ["yes", "yes"], "smokes": ["no", "yes"]}))
        connection.execute("create table answers as select * from given")
    loaded = open_table(f"duckdb://{tmp_path / 'loaded.db'}#answers")
    assert marks_in([survey_table(loaded).title]) == mark
    counts = count_table(loaded, Schema((Attribute("smokes", ("no", "yes")),)), [("smokes",)])
    assert (counts.mark, counts.n) == (mark, 2)
    counts.save(tmp_path / "counts.arrow")
    assert Counts.load(tmp_path / "counts.arrow").mark == mark
    own = Schema((Attribute(mark, ("no", "yes")),))
    assert count_table(loaded, own, [(mark,)]).mark == ""  # an attribute of that name is an answer


def test_columns_that_cannot_be_counted(place, table):
    with pytest.raises(InputError, match="There is no column 'town': choose among region, day,"):
        count_table(table, ["town"], [("town",)])
    with pytest.raises(InputError, match="Column 'list' holds lists or records"):
        survey_table(open_table(f"duckdb://{place / 'panel.db'}#nested"))
