"""Every type of Arrow, in a frame, and in a Parquet file read whole and in batches: it is read, or left out with a word."""

import datetime as dt
import io
import uuid
from decimal import Decimal

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import rrcore as rr
from rrcore.budget import build
from rrcore.errors import InputError
from rrcore.promise import integer_groups
from rrcore.promise.randomizing import randomize_stream
from rrcore.table import Attribute, Schema, read_text_table
from rrcore.table.opening import open_stream
from rrcore.table.reading.arrow import open_arrow
from rrcore.table.scanning import Coded, coder, count, gathered, survey

FIRST, SECOND = dt.datetime(2024, 1, 31, 12, 30), dt.datetime(2024, 2, 1)
SECONDS = [int(moment.replace(tzinfo=dt.UTC).timestamp()) for moment in (FIRST, SECOND)]
PER_SECOND = {"s": 1, "ms": 10**3, "us": 10**6, "ns": 10**9}
BYTES = [b"\x80" + bytes([i] * 15) for i in range(2)]


class Dose(pa.ExtensionType):
    """Numbers that mean something to one program only."""

    def __init__(self):
        super().__init__(pa.int32(), "clinic.dose")

    def __arrow_ext_serialize__(self):
        return b""

    @classmethod
    def __arrow_ext_deserialize__(cls, storage, serialized):
        return cls()


def array(kind, *values):
    return pa.array([*values, None]).cast(kind) if pa.types.is_float16(kind) else pa.array([*values, None], kind)


def kept_as(kind, values, storage):
    return pa.ExtensionArray.from_storage(kind, pa.array([*values, None], storage))


def encoded(kind, *values, indices=None):
    return pa.DictionaryArray.from_arrays(pa.array([0, 1, None], indices or pa.int32()), pa.array(values, kind))


READ = {
    "null": (pa.nulls(3), ()),
    "bool": (array(pa.bool_(), True, False), ("FALSE", "TRUE")),
    **{
        str(kind): (array(kind, 7, 30), ("7", "30"))
        for size in (8, 16, 32, 64)
        for kind in (getattr(pa, f"int{size}")(), getattr(pa, f"uint{size}")())
    },
    **{str(kind): (array(kind, 7.0, 2.5), ("2.5", "7")) for kind in (pa.float16(), pa.float32(), pa.float64())},
    **{str(kind): (array(kind, "no", "yes"), ("no", "yes")) for kind in (pa.string(), pa.large_string(), pa.string_view())},
    **{
        f"text as {kind}": (array(kind, b"no", b"on"), ("no", "on"))
        for kind in (pa.binary(), pa.large_binary(), pa.binary_view(), pa.binary(2))
    },
    **{
        str(kind): (array(kind, FIRST.date(), SECOND.date()), ("2024-01-31", "2024-02-01")) for kind in (pa.date32(), pa.date64())
    },
    **{
        str(kind): (array(kind, dt.time(7), dt.time(12, 30)), ("07:00:00", "12:30:00"))
        for kind in (pa.time32("s"), pa.time32("ms"), pa.time64("us"), pa.time64("ns"))
    },
    **{
        f"timestamp {unit}": (
            array(pa.timestamp(unit), *(s * PER_SECOND[unit] for s in SECONDS)),
            ("2024-01-31 12:30:00", "2024-02-01"),
        )
        for unit in PER_SECOND
    },
    **{
        f"decimal{bits}": (array(getattr(pa, f"decimal{bits}")(5, 2), Decimal("1.50"), Decimal(20)), ("1.50", "20"))
        for bits in (128, 256)
    },
    **{
        f"dictionary by {kind}": (encoded(pa.string(), "no", "yes", indices=kind), ("no", "yes"))
        for kind in (pa.int8(), pa.uint8(), pa.int16(), pa.uint16(), pa.int32(), pa.uint32(), pa.int64(), pa.uint64())
    },
    "dictionary of numbers": (encoded(pa.int64(), 7, 30), ("7", "30")),
    "dictionary of dates": (encoded(pa.date32(), FIRST.date(), SECOND.date()), ("2024-01-31", "2024-02-01")),
    "dictionary of views": (encoded(pa.string_view(), "no", "yes"), ("no", "yes")),
}

BYTES_SAID, OTHER = "contains bytes that are not text", "values of the type"
LEFT_OUT = {
    "list": (array(pa.list_(pa.int32()), [1], [2]), OTHER),
    "large list": (array(pa.large_list(pa.int32()), [1], [2]), OTHER),
    "list view": (array(pa.list_view(pa.int32()), [1], [2]), OTHER),
    "large list view": (array(pa.large_list_view(pa.int32()), [1], [2]), OTHER),
    "list of one": (array(pa.list_(pa.int32(), 1), [1], [2]), OTHER),
    "record": (array(pa.struct([("a", pa.int32())]), {"a": 1}, {"a": 2}), OTHER),
    "map": (array(pa.map_(pa.string(), pa.int32()), [("a", 1)], [("b", 2)]), OTHER),
    "dictionary of lists": (encoded(pa.list_(pa.int8()), [1], [2]), OTHER),
    "tensor": (kept_as(pa.fixed_shape_tensor(pa.int32(), [2]), [[1, 2], [3, 4]], pa.list_(pa.int32(), 2)), OTHER),
    **{
        str(kind): (array(kind, *BYTES), BYTES_SAID) for kind in (pa.binary(), pa.large_binary(), pa.binary_view(), pa.binary(16))
    },
    "dictionary of bytes": (encoded(pa.binary(), *BYTES), BYTES_SAID),
    "runs": (pa.RunEndEncodedArray.from_arrays([1, 2, 3], array(pa.string(), "no", "yes")), OTHER),
    "bool8": (kept_as(pa.bool8(), [1, 0], pa.int8()), OTHER),
    "opaque text": (kept_as(pa.opaque(pa.string(), "mood", "clinic"), ["no", "yes"], pa.string()), OTHER),
    **{f"duration {unit}": (array(pa.duration(unit), 90, 3600), OTHER) for unit in PER_SECOND},
    **{f"decimal{bits}": (array(getattr(pa, f"decimal{bits}")(5, 2), Decimal("1.50"), Decimal(20)), OTHER) for bits in (32, 64)},
    "UUID": (array(pa.uuid(), *(uuid.UUID(bytes=each).bytes for each in BYTES)), OTHER),
    "dictionary of UUIDs": (encoded(pa.uuid(), *BYTES), OTHER),
    "JSON": (array(pa.json_(), '{"a": 1}', "[]"), OTHER),
    "numbers of another program": (kept_as(Dose(), [1, 2], pa.int32()), OTHER),
    **{f"unknown time zone, {unit}": (array(pa.timestamp(unit, "Mars/Olympus"), 1, 2), OTHER) for unit in PER_SECOND},
    "calendar interval": (array(pa.month_day_nano_interval(), (1, 2, 3), (4, 5, 6)), OTHER),
    "dense union": (
        pa.UnionArray.from_dense(
            pa.array([0, 1, 0], pa.int8()), pa.array([0, 0, 1], pa.int32()), [pa.array([1, 2]), pa.array(["x"])]
        ),
        OTHER,
    ),
    "sparse union": (
        pa.UnionArray.from_sparse(pa.array([0, 1, 0], pa.int8()), [pa.array([1, 2, 3]), pa.array(["x", "y", "z"])]),
        OTHER,
    ),
}


def beside_answers(column):
    return pa.table({"q": column, "smokes": ["no", "yes", "no"]})


def parquet(table):
    """The table as a file; skips what Arrow does not write, or cannot read back itself."""
    out = io.BytesIO()
    try:
        pq.write_table(table, out)
        pq.ParquetFile(io.BytesIO(out.getvalue())).schema_arrow  # noqa: B018
    except (pa.ArrowException, TypeError) as error:
        pytest.skip(f"Arrow keeps no such column in Parquet: {error}")
    return out.getvalue()


def test_every_type_of_arrow_is_among_them():
    kinds = {column.type.id for column, _ in (*READ.values(), *LEFT_OUT.values())}
    known = {value: name for name, value in vars(pa.lib).items() if name.startswith("Type_")}
    assert {name for value, name in known.items() if value not in kinds} <= {"Type_INTERVAL_MONTHS", "Type_INTERVAL_DAY_TIME"}


@pytest.mark.parametrize("name", READ)
def test_what_is_read_of_a_frame(name):
    column, values = READ[name]
    found = gathered(open_arrow(beside_answers(column))[0], "t")
    assert [(each.name, each.values) for each in found.columns] == [("q", values), ("smokes", ("no", "yes"))]
    assert not found.left_out
    assert found.columns[0].missing == (3 if name == "null" else 1)


@pytest.mark.parametrize("name", READ)
def test_what_is_read_of_a_parquet_file_whole_and_in_batches(name, tmp_path):
    column, values = READ[name]
    data = parquet(beside_answers(column))
    whole = read_text_table(data, "x.parquet")
    assert [(each.name, each.values) for each in whole.columns] == [("q", values), ("smokes", ("no", "yes"))]
    (tmp_path / "x.parquet").write_bytes(data)
    found = survey(open_stream(tmp_path / "x.parquet"))
    assert [(each.name, each.values, each.missing) for each in found.columns] == [
        (each.name, each.values, each.missing) for each in whole.columns
    ]


@pytest.mark.parametrize("name", LEFT_OUT)
def test_what_is_left_out_of_a_frame(name):
    column, why = LEFT_OUT[name]
    found = gathered(open_arrow(beside_answers(column))[0], "t")
    assert [each.name for each in found.columns] == ["smokes"]
    assert why in found.left_out[0]
    assert found.left_out[0].startswith("Column 'q' ")


@pytest.mark.parametrize("name", LEFT_OUT)
def test_what_is_left_out_of_a_parquet_file_whole_and_in_batches(name, tmp_path):
    column, why = LEFT_OUT[name]
    data = parquet(beside_answers(column))
    whole = read_text_table(data, "x.parquet")
    assert [each.name for each in whole.columns] == ["smokes"]
    assert why in whole.left_out[0]
    place = tmp_path / "x.parquet"
    place.write_bytes(data)
    found = survey(open_stream(place))
    assert [each.name for each in found.columns] == ["smokes"]
    assert any(why in note for note in found.notes) or list(found.left_out) == ["q"]
    smokes = Schema((Attribute("smokes", ("no", "yes")),))
    assert count(Coded(open_stream(place), coder(smokes)), [("smokes",)]).of(["smokes"]).tolist() == [2, 1]
    with pytest.raises(InputError, match="Column 'q' "):
        count(Coded(open_stream(place), coder(Schema((Attribute("q", ("no", "yes")),)))), [("q",)])


def test_bytes_that_are_no_text_after_many_that_are(tmp_path):
    """The type does not say it, and the first rows do not either."""
    rows = 200_000
    table = pa.table({"q": [b"no"] * (rows - 1) + [b"\xff"], "smokes": ["no", "yes"] * (rows // 2)})
    place = tmp_path / "x.parquet"
    pq.write_table(table, place, row_group_size=50_000)
    assert [each.name for each in read_text_table(place.read_bytes(), "x.parquet").columns] == ["smokes"]
    found = survey(open_stream(place))
    assert ([each.name for each in found.columns], list(found.left_out), found.n) == (["smokes"], ["q"], rows)


def test_a_text_column_whose_bytes_are_not_utf8_is_left_out(tmp_path):
    data = pa.py_buffer(b"no\xff\xfe")
    bad = pa.StringArray.from_buffers(2, pa.py_buffer(pa.array([0, 2, 4], pa.int32()).buffers()[1]), data)
    place = tmp_path / "x.parquet"
    pq.write_table(pa.table({"q": bad, "smokes": ["no", "yes"]}), place)
    whole = read_text_table(place.read_bytes(), "x.parquet")
    assert ([each.name for each in whole.columns], BYTES_SAID in whole.left_out[0]) == (["smokes"], True)
    assert list(survey(open_stream(place)).left_out) == ["q"]


def test_a_release_of_a_healthy_table_goes_by_what_it_can_read(tmp_path):
    place = tmp_path / "people.parquet"
    pq.write_table(pa.table({"id": array(pa.uuid(), *BYTES), "smokes": ["no", "yes", "no"]}), place)
    schema = Schema((Attribute("smokes", ("no", "yes")),))
    file = rr.MechanismFile(schema, integer_groups(build("independent", (2,), [1.0])))
    assert randomize_stream(file, open_stream(place), tmp_path / "released.csv").trailer.rows == 3
    other = Schema((Attribute("id", ("no", "yes")),))
    file = rr.MechanismFile(other, integer_groups(build("independent", (2,), [1.0])))
    with pytest.raises(InputError, match="Column 'id' contains values of the type"):
        randomize_stream(file, open_stream(place), tmp_path / "second.csv")


def test_a_file_of_nothing_that_can_be_read_says_why(tmp_path):
    place = tmp_path / "x.parquet"
    pq.write_table(pa.table({"q": array(pa.uuid(), *BYTES)}), place)
    for read in (lambda: read_text_table(place.read_bytes(), "x.parquet"), lambda: open_stream(place)):
        with pytest.raises(InputError, match="Column 'q' contains values of the type"):
            read()


@pytest.mark.parametrize("library", ["pandas", "polars"])
def test_frames_of_other_libraries(library):
    made = pytest.importorskip(library)
    frame = made.DataFrame({"photo": [b"\x80a", b"\xffb"], "smokes": ["no", "yes"], "day": [FIRST.date(), SECOND.date()]})
    with pytest.warns(rr.TableWarning, match="'photo'"):
        table = rr.read_table(frame)
    assert table.schema.names == ("smokes", "day")
    assert table.schema.attributes[1].categories == ("2024-01-31", "2024-02-01")
