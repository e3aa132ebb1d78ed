"""Tables of any size: what a stream counts is what counting the whole table gives, whatever the file looks like."""

import csv
import gzip
import io
import itertools
import os
import pickle
import signal
import sys
import tempfile
import types
import weakref
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from rrcore.budget import build
from rrcore.errors import InputError, TableWarning
from rrcore.executors import open_executor
from rrcore.simulation import simulate_counts
from rrcore.table import Attribute, Schema, read_file, read_table, source
from rrcore.table.anysize import describe_column as describe
from rrcore.table.opening import open_stream
from rrcore.table.reading import arrow
from rrcore.table.reading import text as text_module
from rrcore.table.recoding import default_rule
from rrcore.table.scanning import Coded, coder, count, cover, survey

CELLS = ["", " ", "no", " no", "yes ", "é", "7", "07", "7.0", "1,5", 'say "hi"', "two\nlines", "NA", "=1+1", "-"]


def marginals(schema):
    return [(name,) for name in schema.names] + list(itertools.combinations(schema.names, 2))


def assert_same_counts(place, **options):
    """That the stream finds the schema and the counts of reading the whole."""
    stream = open_stream(place)
    found = survey(stream)
    whole = read_table(place, **options)
    how = found.coder()
    assert how.schema == whole.schema
    counts = count(Coded(stream, how), marginals(whole.schema))
    assert (counts.n, counts.left_out) == (whole.n, 0)
    for names in marginals(whole.schema):
        np.testing.assert_array_equal(counts.of(names), whole.counts(names))
    return counts


def write_csv(path, rows, *, delimiter=",", encoding="utf-8", packed=False):
    out = io.StringIO()
    csv.writer(out, delimiter=delimiter, lineterminator="\n").writerows(rows)
    data = out.getvalue().encode(encoding)
    path.write_bytes(gzip.compress(data) if packed else data)
    return path


@settings(max_examples=20, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    st.lists(
        st.tuples(st.sampled_from(CELLS), st.sampled_from(CELLS), st.sampled_from(["a", "b", "ü", ""])), min_size=2, max_size=25
    ),
    st.sampled_from([",", ";", "\t", "|"]),
    st.sampled_from(["utf-8", "utf-8-sig", "utf-16", "latin-1"]),
    st.booleans(),
)
def test_any_csv_counts_as_when_it_is_read_whole(rows, delimiter, encoding, packed):
    with tempfile.TemporaryDirectory() as folder:
        place = write_csv(
            Path(folder, "t.csv"), [("smokes", "visits", "kind"), *rows], delimiter=delimiter, encoding=encoding, packed=packed
        )
        try:
            whole, _ = read_file(place.read_bytes(), place.name, header=True, totals=0, counts="")
        except InputError:
            with pytest.raises(InputError):
                survey(open_stream(place, header=True))
            return
        found = survey(open_stream(place, header=True))
        assert found.n == whole.n
        for one, other in zip(found.columns, whole.columns, strict=True):
            assert (one.name, one.values, one.counts.tolist(), one.missing) == (
                other.name, other.values, other.counts.tolist(), other.missing,
            )  # fmt: skip
        assert list(map(describe, found.columns)) == list(map(describe, whole.columns))


columns = st.one_of(
    st.lists(st.sampled_from(["no", "yes", " yes", "", "7", None]), min_size=12, max_size=12).map(
        lambda x: pa.array(x, pa.string())
    ),
    st.lists(st.sampled_from(["no", "yes", None]), min_size=12, max_size=12).map(lambda x: pa.array(x, pa.large_string())),
    st.lists(st.sampled_from(["no", "yes", None]), min_size=12, max_size=12).map(lambda x: pa.array(x).dictionary_encode()),
    st.lists(st.sampled_from(["no", "yes", None]), min_size=12, max_size=12).map(
        lambda x: pa.array(x).dictionary_encode().cast(pa.dictionary(pa.int8(), pa.string()))
    ),
    st.lists(st.sampled_from([True, False, None]), min_size=12, max_size=12).map(lambda x: pa.array(x, pa.bool_())),
    st.lists(st.sampled_from([1, 2, -3, 2**40, None]), min_size=12, max_size=12).map(lambda x: pa.array(x, pa.int64())),
    st.lists(st.sampled_from([1, 2, 200, None]), min_size=12, max_size=12).map(lambda x: pa.array(x, pa.uint8())),
    st.lists(st.sampled_from([1.0, 2.5, float("nan"), None]), min_size=12, max_size=12).map(lambda x: pa.array(x, pa.float64())),
    st.lists(st.sampled_from([b"no", b"yes", None]), min_size=12, max_size=12).map(lambda x: pa.array(x, pa.binary())),
    st.just(pa.nulls(12)),
    st.lists(st.sampled_from([0, 86_400, None]), min_size=12, max_size=12).map(lambda x: pa.array(x, pa.timestamp("s"))),
)


@settings(max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(columns, min_size=1, max_size=4), st.integers(1, 12), st.booleans(), st.integers(1, 5), st.integers(1, 12))
def test_any_parquet_counts_as_when_it_is_read_whole(columns, group, dictionary, batch, rows):
    with tempfile.TemporaryDirectory() as folder, pytest.MonkeyPatch.context() as patch:
        patch.setattr(arrow, "BATCH_ROWS", batch)
        patch.setattr(arrow, "PIECE_ROWS", rows)
        place = Path(folder, "t.parquet")
        pq.write_table(
            pa.table(columns, [f"q{i}" for i in range(len(columns))]), place, row_group_size=group, use_dictionary=dictionary
        )
        whole, _ = read_file(place.read_bytes(), place.name, totals=0, counts="")
        found = survey(open_stream(place))
        for one, other in zip(found.columns, whole.columns, strict=True):
            assert (one.name, one.values, one.counts.tolist(), one.missing) == (
                other.name, other.values, other.counts.tolist(), other.missing,
            )  # fmt: skip


@pytest.fixture(scope="module")
def people(tmp_path_factory):
    """A Parquet file in which every row group has a dictionary of its own, some with other texts in another order."""
    place, rng = tmp_path_factory.mktemp("people") / "people.parquet", np.random.default_rng(0)
    texts = [["no", "yes"], ["yes", "no", "often"], ["never", "no"]]
    writer = None
    for words in texts:
        answers = pa.DictionaryArray.from_arrays(pa.array(rng.integers(0, len(words), 400, dtype=np.int32)), words)
        ages = pa.array([None if x > 8 else int(x) for x in rng.integers(0, 10, 400)], pa.int32())
        table = pa.table({"smokes": answers, "age": ages, "kind": pa.array(rng.choice(["a", "b", "c"], 400).tolist())})
        writer = writer or pq.ParquetWriter(place, table.schema)
        writer.write_table(table)
    writer.close()
    return place


def test_dictionaries_that_differ_between_row_groups(people):
    assert_same_counts(people)


def test_a_cell_that_is_empty_is_counted_under_no_category(tmp_path):
    """People who left one answer out count for the other answer. The dictionary of a Parquet file does not show that any is missing."""
    table = pa.table({"smokes": ["no", "yes", "yes", "no", "yes"], "ward": ["east", None, "west", "east", None]})
    pq.write_table(table, tmp_path / "t.parquet")
    schema = Schema((Attribute("smokes", ("no", "yes")), Attribute("ward", ("east", "west"))))
    counts = count(Coded(open_stream(tmp_path / "t.parquet"), coder(schema)), marginals(schema))
    assert counts.of(["smokes", "ward"]).tolist() == [[2, 0], [0, 1]]
    assert (counts.of(["smokes"]).tolist(), counts.of(["ward"]).tolist()) == ([2, 3], [2, 1])
    assert (counts.n, counts.incomplete, counts.left_out) == (5, 2, 0)


@pytest.mark.parametrize("batch", [7, 64, 1000])
@pytest.mark.parametrize("rows", [1, 500, 10**6])
def test_the_result_is_the_same_for_any_size_of_batches_and_pieces(people, monkeypatch, batch, rows):
    monkeypatch.setattr(arrow, "BATCH_ROWS", batch)
    monkeypatch.setattr(arrow, "PIECE_ROWS", rows)
    stream = open_stream(people)
    assert len(stream.parts) == (3 if rows == 1 else 2 if rows == 500 else 1)
    assert_same_counts(people)


def test_the_result_is_the_same_for_any_executor(people, monkeypatch):
    monkeypatch.setattr(arrow, "PIECE_ROWS", 1)
    stream = open_stream(people)
    how = survey(stream).coder()
    alone = count(Coded(stream, how), marginals(how.schema))
    with ThreadPoolExecutor(2) as executor:
        assert survey(stream, executor=executor).n == 1200
        spread = count(Coded(stream, how), marginals(how.schema), executor=executor)
    assert (alone.n, alone.schema) == (spread.n, spread.schema)
    for names in alone.tables:
        np.testing.assert_array_equal(alone.of(names), spread.of(names))


@pytest.mark.long
def test_a_killed_worker_of_a_cluster_changes_nothing(people, monkeypatch):
    distributed = pytest.importorskip("distributed")
    monkeypatch.setattr(arrow, "PIECE_ROWS", 1)
    monkeypatch.setitem(sys.modules, "__main__", types.ModuleType("__main__"))  # workers would run a page that was tested before
    stream = open_stream([people] * 3)
    table = Coded(stream, survey(stream).coder())
    wanted, mechanism, alive = marginals(table.schema), build("preserving-3", table.schema.sizes, [1.0] * 3), []

    def kill(fraction, text):
        while alive:
            os.kill(alive.pop(), signal.SIGKILL)

    alone = simulate_counts(table, mechanism, wanted, rng=np.random.default_rng(0))
    with (
        distributed.LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as cluster,
        open_executor(cluster.scheduler_address) as executor,
    ):
        alive.append(cluster.workers[0].pid)
        spread = simulate_counts(table, mechanism, wanted, rng=np.random.default_rng(0), executor=executor, report=kill)
    assert not alive
    for names in wanted:
        np.testing.assert_array_equal(spread.truth.of(names), alone.truth.of(names))
        np.testing.assert_array_equal(spread.released.of(names), alone.released.of(names))


def test_pieces_are_small_and_picklable_and_hold_no_record(people, tmp_path):
    for place in (people, write_csv(tmp_path / "t.csv", [("a", "b"), *[("secret", "no")] * 500])):
        (one, *_) = open_stream(place).parts
        pickled = pickle.dumps(one)
        assert len(pickled) < 1000
        assert b"secret" not in pickled
        assert pickle.loads(pickled) == one


def test_progress_is_reported_by_bytes_and_can_stop_the_work(people, monkeypatch):
    monkeypatch.setattr(arrow, "PIECE_ROWS", 1)
    fractions = []
    survey(open_stream(people), report=lambda fraction, text: fractions.append(fraction))
    assert fractions == sorted(fractions)
    assert fractions[-1] == 1.0
    assert len(fractions) >= 3

    def stop(fraction, text):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        survey(open_stream(people), report=stop)


def test_a_folder_is_one_table_whatever_its_files_are(people, tmp_path):
    whole = read_table(people)
    rows = list(csv.reader(io.StringIO(whole.to_csv())))
    write_csv(tmp_path / "1.csv", rows[:301])
    write_csv(tmp_path / "2.csv.gz", [[row[2], row[0], row[1]] for row in [rows[0], *rows[301:600]]], packed=True, delimiter=";")
    pq.write_table(read_table(people).to_arrow().slice(599), tmp_path / "3.parquet")
    (tmp_path / "notes.md").write_text("no table")
    (tmp_path / "_SUCCESS.csv").write_text("")
    stream = open_stream(tmp_path)
    assert [Path(one.content.name).name for one in stream.parts] == ["1.csv", "2.csv.gz", "3.parquet"]
    counts = count(Coded(stream, coder(whole.schema)), marginals(whole.schema))
    for names in marginals(whole.schema):
        np.testing.assert_array_equal(counts.of(names), whole.counts(names))
    assert open_stream([tmp_path / "1.csv"]).title == "1"


def test_a_file_with_other_columns_is_named(tmp_path):
    write_csv(tmp_path / "1.csv", [("a", "b"), ("x", "no")])
    write_csv(tmp_path / "2.csv", [("a", "c"), ("x", "no")])
    with pytest.raises(InputError, match=r"2.csv' has other columns than '.*1.csv', such as 'b'"):
        open_stream(tmp_path, header=True)
    write_csv(tmp_path / "2.csv", [("a", "b", "c"), ("x", "no", "7")])
    with pytest.raises(InputError, match=r"2.csv' has other columns than '.*1.csv', such as 'c'"):
        open_stream(tmp_path, header=True)


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        (b"a,b\nx,2\ny\n", "Row 3 has 1 value, expected 2"),
        (b"\na,b\n\nx,2\n\ny,1,2\n", "Row 4 has 3 values, expected 2"),
        (b'a,b\nx,2\n"y,1\nz,3\n', "a quotation mark is not closed"),
        (b"a,b\n", "has column names but no rows"),
        (b"", "is empty"),
        (b"a,b\nx,\0\n", "zero"),
        (b"\x89PNG\0....", "is not text"),
        (b"\x1f\x8b\x08\x00broken", "damaged or truncated"),
        (b"PAR1nonsense", "damaged or truncated"),
        (b"Report 2024\n\na,b\nx,2\ny,2\nx,3\n", "title"),
    ],
)
def test_what_cannot_be_read_is_refused_in_a_sentence(tmp_path, content, sentence):
    place = tmp_path / "t.csv"
    place.write_bytes(content)
    with pytest.raises(InputError) as error:
        survey(open_stream(place))
    assert sentence.format(place) in str(error.value)


def test_a_ragged_row_far_down_is_named(tmp_path):
    place = tmp_path / "t.csv"
    place.write_bytes(b"a,b\n" + b"no,1\n" * 400_000 + b"no,1,yes\n" + b"no,1\n" * 10)
    stream = open_stream(place)
    with pytest.raises(InputError, match=r"Row 400,002 has 3 values.*t.csv' has rows"):
        survey(stream)


def test_a_text_that_is_not_utf8_far_down_or_near_the_start_is_latin_1(tmp_path, monkeypatch):
    place = tmp_path / "t.csv"
    place.write_bytes(b"smokes,age\n" + b"no,1\nyes,2\n" * 500 + b"n\xe9,1\n")
    assert_same_counts(place)
    monkeypatch.setattr(text_module, "BLOCK_BYTES", 1000)
    assert_same_counts(place)


def test_files_that_are_not_there_or_no_table(tmp_path):
    with pytest.raises(InputError, match="no tables"):
        open_stream(tmp_path)
    with pytest.raises(InputError, match="is not a file"):
        open_stream(tmp_path / "gone.csv")
    with pytest.raises(InputError, match="No file"):
        open_stream([])


def test_a_declared_schema_takes_missing_and_other_where_it_has_them(tmp_path):
    place = write_csv(
        tmp_path / "t.csv", [("a", "b"), ("no", "x"), ("", "x"), ("often", "x"), ("no", ""), ("", ""), ("'=1", "x")]
    )
    names = [("a",), ("b",), ("a", "b")]
    plain = Schema((Attribute("a", ("no", "yes", "=1")), Attribute("b", ("x", "y"))))
    counts = count(Coded(open_stream(place, header=True), coder(plain)), names)
    assert (counts.n, counts.left_out) == (4, 2)  # "often" is no answer, and one row has none
    assert (counts.of(["a"]).tolist(), counts.of(["b"]).tolist()) == ([2, 0, 1], [3, 0])
    assert int(counts.of(["a", "b"]).sum()) == 2
    wide = Schema((Attribute("a", ("no", "(missing)", "(other)")), Attribute("b", ("x", "(missing)"))))
    counts = count(Coded(open_stream(place, header=True), coder(wide)), names)
    assert (counts.n, counts.left_out, counts.of(["a"]).tolist()) == (6, 0, [2, 2, 2])
    with pytest.raises(InputError, match="There is no column 'z'"):
        Coded(open_stream(place, header=True), coder(Schema((Attribute("z", ("x", "y")),))))


def test_columns_with_too_many_values_are_left_out(tmp_path, monkeypatch):
    monkeypatch.setattr("rrcore.table.scanning.MAX_DISTINCT", 5)
    place = write_csv(tmp_path / "t.csv", [("id", "long", "a"), *[(i, "x" * (501 if i == 7 else 5), i % 2) for i in range(20)]])
    found = survey(open_stream(place))
    assert list(found.left_out) == ["id"]
    assert found.coder().schema.names == ("a",)
    with pytest.raises(InputError, match="Column 'id' contains more than 5 different values"):
        found.coder(["id"])
    with pytest.raises(InputError, match="There is no column 'z'"):
        found.coder(["z"])


def test_numbers_fall_into_the_same_groups_and_rows_are_dropped_alike(tmp_path):
    rng = np.random.default_rng(1)
    rows = [
        (int(x), "" if y > 0.8 else "no" if y > 0.3 else "yes")
        for x, y in zip(rng.integers(0, 60, 800), rng.random(800), strict=True)
    ]
    place = write_csv(tmp_path / "t.csv", [("age", "smokes"), *rows])
    with pytest.warns(TableWarning, match="'age'"):
        assert_same_counts(place)
    stream = open_stream(place)
    found = survey(stream)
    how = found.coder(["smokes", "age"], {each.name: replace(default_rule(each), missing="drop") for each in found.columns})
    counts = count(Coded(stream, how), [("smokes", "age")])
    assert (counts.n, counts.left_out) == (sum(bool(row[1]) for row in rows), sum(not row[1] for row in rows))
    assert how.schema.attributes[0].categories == ("no", "yes")


@settings(max_examples=50)
@given(st.lists(st.integers(2, 40), min_size=2, max_size=7), st.integers(4, 5000))
def test_blocks_contain_every_marginal_and_none_is_needlessly_large(sizes, most):
    wanted = list(itertools.combinations(range(len(sizes)), 2))
    blocks = cover(sizes, wanted, most=most)
    for axes in wanted:
        assert any(set(axes) <= set(block) for block in blocks)
    for block in blocks:
        assert np.prod([sizes[i] for i in block]) <= most or len(block) == 2
    assert len(blocks) <= len(wanted)


def test_batches_are_bounded():
    assert source.BATCH_ROWS <= 1 << 18


def test_texts_far_longer_than_answers_are_left_out_before_they_are_read(tmp_path, monkeypatch):
    monkeypatch.setattr(arrow, "MAX_CHUNK_BYTES", 10**5)
    place = tmp_path / "t.parquet"
    pq.write_table(pa.table({"fine": ["a"] * 50, "essay": ["x" * 200_000] * 50}), place, compression="zstd")
    assert place.stat().st_size < 10_000
    stream = open_stream(place)
    assert (stream.names, stream.notes) == (("fine",), tuple(stream.left_out.values()))
    assert stream.left_out["essay"].startswith("Column 'essay' contains texts that are far longer than answers")


def test_all_columns_together_keep_a_bounded_number_of_values(tmp_path, monkeypatch):
    monkeypatch.setattr("rrcore.table.scanning.MAX_DISTINCT_BYTES", 7_000)
    place = write_csv(tmp_path / "t.csv", [("a", "b", "c"), *[(i % 30, i % 40, i % 20) for i in range(200)]])
    found = survey(open_stream(place))
    assert list(found.left_out) == ["b"]


def test_rows_before_a_block_of_empty_lines_are_read_once(tmp_path, monkeypatch):
    monkeypatch.setattr(text_module, "BLOCK_BYTES", 64)
    place = tmp_path / "t.csv"
    for empty in (0, 63, 130, 200):
        place.write_text("a,b\n" + "no,1\nyes,2\n" * 20 + "\n" * empty + "no,3\n" * 5)
        assert survey(open_stream(place)).n == 45


def test_a_row_that_is_longer_than_a_block_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(text_module, "BLOCK_BYTES", 1000)
    place = tmp_path / "t.csv"
    place.write_bytes(b"a,b\n" + b"no,1\nyes,2\n" * 20 + b"no," + b"1" * 5000 + b"\n")
    with pytest.raises(InputError, match="or a row has more than"):
        survey(open_stream(place))


@pytest.mark.parametrize("groups", [0, 1])
def test_a_parquet_file_without_rows_is_refused(tmp_path, groups):
    place, table = tmp_path / "t.parquet", pa.table({"a": pa.array([], pa.string())})
    with pq.ParquetWriter(place, table.schema) as writer:
        for _ in range(groups):
            writer.write_table(table)
    with pytest.raises(InputError, match="has column names but no rows"):
        open_stream(place)


def test_a_file_that_changed_meanwhile_is_noticed(people, tmp_path):
    place = tmp_path / "t.parquet"
    place.write_bytes(people.read_bytes())
    stream = open_stream(place)
    pq.write_table(pa.table({"smokes": ["no", "yes"], "age": [1, 2], "kind": ["a", "b"]}), place)
    with pytest.raises(InputError, match="damaged"):
        survey(stream)
    pq.write_table(pa.table({"other": ["no", "yes"]}), place)
    with pytest.raises(InputError, match="damaged"):
        survey(stream)
    place.unlink()
    with pytest.raises(InputError, match="damaged"):
        survey(stream)


def test_a_newline_in_a_cell_stays_one_wherever_a_block_ends(tmp_path, monkeypatch):
    place = tmp_path / "people.csv"
    place.write_bytes(b'a,b\r\n"x\ny",1\r\n"x\r\ny",2\r\n')
    for size in range(16, 40):
        monkeypatch.setattr(text_module, "BLOCK_BYTES", size)
        found = survey(open_stream(place, header=True))
        assert (found.n, found.columns[0].values) == (2, ("x\ny", "x\r\ny"))


def test_reading_that_is_given_up_leaves_no_thread_behind(tmp_path, monkeypatch):
    place, held = write_csv(tmp_path / "people.csv.gz", [["a", "b"], *[["1", "2"]] * 5000], packed=True), []
    monkeypatch.setattr(text_module, "BLOCK_BYTES", 100)
    monkeypatch.setattr(text_module, "finalize", lambda *what: held.append(weakref.finalize(*what)))
    batches = open_stream(place, header=True).parts[0].batches()
    next(batches)
    batches.close()
    assert not held[0].alive
